//! Computes equal things once.
//!
//! Two calls of the same pure operator on the same values give the same results, unless something writes to them or
//! their inputs, or whoever gets what the graph returns could tell that the results are one object and not two. A node
//! takes the place of later ones in its own block and in the blocks nested behind it.

use super::{PassRun, constant_hash, same_constant};
use crate::analysis::alias::{Aliases, Class};
use crate::analysis::effect::effect;
use crate::analysis::roots::Roots;
use crate::freeze::equal;
use crate::{Attr, BlockId, Graph, Node, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{Argument, Effect, Symbol, Value};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    let Some(risks) = Risks::new(graph) else {
        return;
    };
    // Every block sees the nodes of the blocks around it.
    let mut seen: HashMap<Key, Vec<NodeId>> = HashMap::new();
    let mut scopes: Vec<Vec<Key>> = Vec::new();
    let mut steps = vec![SearchStep::Open(graph.top())];
    while let Some(step) = steps.pop() {
        match step {
            SearchStep::Open(block) => {
                scopes.push(Vec::new());
                steps.push(SearchStep::Close);
                steps.extend(graph.nodes(block).into_iter().rev().map(SearchStep::Node));
            }
            SearchStep::Close => {
                for key in scopes.pop().unwrap_or_default() {
                    if let Some(nodes) = seen.get_mut(&key) {
                        nodes.pop();
                    }
                }
            }
            SearchStep::Node(node) => {
                let blocks = graph.node(node).blocks();
                steps.extend(blocks.iter().rev().map(|b| SearchStep::Open(*b)));
                if !risks.allow(graph, node) {
                    continue;
                }
                let key = Key::of(graph.node(node));
                let known = seen.entry(key.clone()).or_default();
                let same = known.iter().copied().find(|&k| is_same(graph, k, node));
                match same {
                    Some(earlier) if risks.would_show(graph, earlier, node) => {}
                    Some(earlier) => {
                        if !run.may_change() {
                            return;
                        }
                        replace(graph, node, earlier);
                    }
                    None => {
                        known.push(node);
                        if let Some(scope) = scopes.last_mut() {
                            scope.push(key);
                        }
                    }
                }
            }
        }
    }
}

/// A step of the walk.
enum SearchStep {
    Open(BlockId),
    Close,
    Node(NodeId),
}

/// What equal nodes agree on, attributes that are no constants aside.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    kind: usize,
    inputs: Vec<ValueId>,
    outputs: usize,
    /// The hash of the value that a constant has.
    constant: u64,
}

impl Key {
    fn of(node: &Node) -> Key {
        let kind = match node.kind {
            NodeKind::Op(op) => std::ptr::from_ref(op) as usize,
            NodeKind::Prim(prim) => prim as usize,
            NodeKind::Unknown(_) => usize::MAX,
        };
        Key {
            kind,
            inputs: node.inputs().to_vec(),
            outputs: node.outputs().len(),
            constant: match node.attrs() {
                [(_, Attr::Value(value))] => constant_hash(value),
                _ => 0,
            },
        }
    }
}

fn is_same(graph: &Graph, a: NodeId, b: NodeId) -> bool {
    let (a, b) = (graph.node(a), graph.node(b));
    let same_types = |(x, y): (&ValueId, &ValueId)| graph.ty(*x) == graph.ty(*y);
    a.kind == b.kind
        && a.attrs().len() == b.attrs().len()
        && a.attrs().iter().zip(b.attrs()).all(same_attr)
        && a.outputs().iter().zip(b.outputs()).all(same_types)
}

fn same_attr(((name, a), (other, b)): (&(Symbol, Attr), &(Symbol, Attr))) -> bool {
    name == other
        && match (a, b) {
            (Attr::Int(a), Attr::Int(b)) => a == b,
            (Attr::Float(a), Attr::Float(b)) => a.to_bits() == b.to_bits(),
            (Attr::Str(a), Attr::Str(b)) => a == b,
            (Attr::Ints(a), Attr::Ints(b)) => a == b,
            (Attr::Floats(a), Attr::Floats(b)) => {
                let bits = |all: &[f64]| all.iter().map(|f| f.to_bits()).collect::<Vec<_>>();
                bits(a) == bits(b)
            }
            (Attr::Strs(a), Attr::Strs(b)) => a == b,
            (Attr::Type(a), Attr::Type(b)) => a == b,
            (Attr::Types(a), Attr::Types(b)) => a == b,
            (Attr::Value(Value::Tensor(a)), Attr::Value(Value::Tensor(b))) => equal(a, b),
            (Attr::Value(a), Attr::Value(b)) => same_constant(a, b),
            _ => false,
        }
}

fn replace(graph: &mut Graph, node: NodeId, earlier: NodeId) {
    for i in 0..graph.node(node).outputs().len() {
        let (old, new) = (
            graph.node(node).outputs()[i],
            graph.node(earlier).outputs()[i],
        );
        graph.replace_all_uses(old, new);
    }
    graph.remove(node);
}

/// Memory that a node must not read or give for it to be merged with another.
struct Risks {
    aliases: Aliases,
    written: HashSet<Class>,
    /// Where what is written comes from, which says it more closely.
    written_roots: Roots,
    /// Where what the graph returns comes from, once that has been asked for.
    returned: OnceCell<Roots>,
}

impl Risks {
    /// `None` where something may write anywhere.
    fn new(graph: &Graph) -> Option<Risks> {
        let aliases = Aliases::new(graph);
        let mut written = HashSet::new();
        for node in graph.all_nodes() {
            written.extend(aliases.written(graph, node)?);
        }
        Some(Risks {
            aliases,
            written,
            written_roots: written_roots(graph),
            returned: OnceCell::new(),
        })
    }

    fn allow(&self, graph: &Graph, node: NodeId) -> bool {
        let data = graph.node(node);
        let fits = match data.kind {
            NodeKind::Op(op) => !op.schema().is_mutable(),
            NodeKind::Prim(prim) => matches!(
                prim,
                Prim::Constant
                    | Prim::TupleConstruct
                    | Prim::TupleIndex
                    | Prim::TupleUnpack
                    | Prim::ListConstruct
                    | Prim::DictConstruct
                    | Prim::GetAttr
                    | Prim::IsInstance
                    | Prim::UncheckedCast
            ),
            NodeKind::Unknown(_) => false,
        };
        let mut values = data.inputs().iter().chain(data.outputs());
        fits && !data.outputs().is_empty()
            && effect(graph, node) == Effect::Pure
            && values.all(|v| self.is_constant(graph, *v))
    }

    /// Whether nothing in the graph writes to a value.
    fn is_constant(&self, graph: &Graph, value: ValueId) -> bool {
        let class = self.aliases.class(graph, value);
        class.is_none_or(|c| !self.written.contains(&c))
            || !self.written_roots.meet(&Roots::reached(graph, &[value]))
    }

    /// Whether what the graph returns would have one object where it has two.
    fn would_show(&self, graph: &Graph, earlier: NodeId, later: NodeId) -> bool {
        let returned = self
            .returned
            .get_or_init(|| Roots::reached(graph, &given_away(graph)));
        [earlier, later].iter().all(|node| {
            let outputs = graph.node(*node).outputs();
            returned.meet(&Roots::reached(graph, outputs))
        })
    }
}

/// The roots of everything that a graph writes to.
fn written_roots(graph: &Graph) -> Roots {
    let mut seeds = Vec::new();
    let mut held: Vec<ValueId> = Vec::new();
    for node in graph.all_nodes() {
        let data = graph.node(node);
        match data.kind {
            NodeKind::Op(op) => {
                let arguments = op.schema().arguments.iter().zip(data.inputs());
                let is_written =
                    |formal: &Argument| formal.alias.as_ref().is_some_and(|a| a.is_write);
                let written = arguments.filter(|(formal, _)| is_written(formal));
                seeds.extend(written.map(|(_, value)| *value));
            }
            NodeKind::Prim(Prim::SetAttr) => seeds.push(data.inputs()[0]),
            NodeKind::Prim(Prim::ListConstruct | Prim::DictConstruct | Prim::TupleConstruct) => {
                held.extend(data.inputs());
            }
            _ => {}
        }
    }
    let found = Roots::reached(graph, &seeds);
    if !found.has_foreign() {
        return found;
    }
    // What came out of a container may be anything that ever went into one.
    seeds.extend(held);
    seeds.extend(given_away(graph));
    Roots::reached(graph, &seeds)
}

/// What a graph returns, and what its nodes put into containers and objects, whoever gets those.
fn given_away(graph: &Graph) -> Vec<ValueId> {
    let mut out = graph.outputs().to_vec();
    for node in graph.all_nodes() {
        let data = graph.node(node);
        match data.kind {
            NodeKind::Op(op) => {
                let arguments = op.schema().arguments.iter().zip(data.inputs());
                let kept = arguments.filter(|(formal, _)| {
                    let alias = formal.alias.as_ref();
                    alias.is_some_and(|a| a.after.iter().chain(&a.before).any(|s| &**s == "*"))
                });
                out.extend(kept.map(|(_, value)| *value));
            }
            NodeKind::Prim(Prim::SetAttr) => out.extend(data.inputs()),
            _ => {}
        }
    }
    out
}
