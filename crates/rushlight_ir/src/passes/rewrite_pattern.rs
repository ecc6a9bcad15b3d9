//! Puts other nodes in the place of those that look like a pattern.
//!
//! A pattern is a graph of one block: its inputs stand for any value, the same one wherever they are used. Matches are
//! found from the beginning of the graph; a node is part of one match only, and what is computed on the way may not be
//! used elsewhere. `match::module[name="Linear"](%self)` stands for reading a submodule whose class is called so.

use super::PassRun;
use crate::parse::Lookup;
use crate::{Attr, Graph, Node, NodeId, Prim, ValueId};
use rushlight_types::{Operator, OperatorTable, Symbol, Type};
use std::collections::{HashMap, HashSet};

/// A pattern and what comes in its place.
pub struct Rewrite {
    pattern: Graph,
    replacement: Graph,
    /// The nodes of the pattern whose place in the source the nodes of the replacement take, by index of both.
    places: HashMap<usize, usize>,
    /// Whether constants match by their values, whoever else uses them, and operators by their overloads.
    by_meaning: bool,
}

/// The nodes and values of a graph that nodes and values of a pattern stand for.
#[derive(Default)]
struct Match {
    nodes: HashMap<NodeId, NodeId>,
    values: HashMap<ValueId, ValueId>,
}

impl Rewrite {
    /// A rewrite; `places` says by index which nodes of the replacement take the place in the source of which nodes of
    /// the pattern. The error is what is wrong with either graph.
    pub fn new(
        pattern: Graph,
        mut replacement: Graph,
        places: HashMap<usize, usize>,
    ) -> Result<Rewrite, String> {
        // Names in the text are for the text alone.
        for node in replacement.all_nodes() {
            for output in replacement.node(node).outputs().to_vec() {
                replacement.clear_name(output);
            }
        }
        if pattern.inputs().len() != replacement.inputs().len()
            || pattern.outputs().len() != replacement.outputs().len()
        {
            return Err("the pattern and what replaces it have different inputs or outputs".into());
        }
        if pattern.nodes(pattern.top()).is_empty() {
            return Err("the pattern has no nodes".into());
        }
        let has_blocks = |graph: &Graph| {
            let mut nodes = graph.all_nodes().into_iter();
            nodes.any(|n| !graph.node(n).blocks().is_empty())
        };
        if has_blocks(&pattern) {
            return Err("a pattern has no blocks".into());
        }
        Ok(Rewrite {
            pattern,
            replacement,
            places,
            by_meaning: false,
        })
    }

    /// The rewrites of a file: graphs with `=>` between a pattern and its replacement, and an empty line between two rewrites.
    /// A node of the replacement takes the place in the source of the one in the pattern whose value has the same name.
    pub fn all_of(text: &str, table: &'static OperatorTable) -> Result<Vec<Rewrite>, String> {
        text.split("\n\n")
            .map(|pair| Rewrite::read(pair, table))
            .collect()
    }

    fn read(pair: &str, table: &'static OperatorTable) -> Result<Rewrite, String> {
        let (pattern, replacement) = pair
            .split_once("\n=>\n")
            .ok_or("a pattern without its replacement")?;
        let lookup = Lookup::operators(table);
        let read = |text: &str| Graph::parse(text, &lookup).map_err(|error| error.marked(text));
        let (pattern, replacement) = (read(pattern)?, read(replacement)?);
        let nodes = |graph: &Graph| graph.nodes(graph.top()).into_iter().enumerate();
        let name = |graph: &Graph, node: NodeId| {
            let output = graph.node(node).outputs().first().copied()?;
            graph.value(output).name.clone()
        };
        let place = |new: NodeId| {
            let wanted = name(&replacement, new)?;
            nodes(&pattern).find_map(|(i, old)| (name(&pattern, old)? == wanted).then_some(i))
        };
        let places = nodes(&replacement).filter_map(|(i, new)| Some((i, place(new)?)));
        let places = places.collect();
        let mut rewrite = Rewrite::new(pattern, replacement, places)?;
        rewrite.by_meaning = true;
        Ok(rewrite)
    }

    /// Rewrites all matches in a graph and its blocks.
    pub fn run(&self, graph: &mut Graph, run: &mut PassRun<'_>) {
        let mut taken = HashSet::new();
        for id in graph.all_nodes() {
            if taken.contains(&id) || graph.node(id).block().is_none() {
                continue;
            }
            let Some(found) = self.look(graph, id) else {
                continue;
            };
            if found.nodes.values().any(|n| taken.contains(n)) || !run.may_change() {
                continue;
            }
            taken.extend(found.nodes.values().copied());
            self.replace(graph, id, &found);
        }
    }

    /// The last node of the pattern, with which looking begins.
    fn anchor(&self) -> NodeId {
        let nodes = self.pattern.nodes(self.pattern.top());
        nodes[nodes.len() - 1]
    }

    fn look(&self, graph: &Graph, last: NodeId) -> Option<Match> {
        let block = graph.node(last).block();
        let mut found = Match::default();
        let mut pending = vec![(self.anchor(), last)];
        while let Some((wanted, node)) = pending.pop() {
            if let Some(known) = found.nodes.get(&wanted) {
                if *known != node {
                    return None;
                }
                continue;
            }
            let fits = graph.node(node).block() == block && self.fits(wanted, graph, node);
            if !fits {
                return None;
            }
            found.nodes.insert(wanted, node);
            let (wanted, node) = (self.pattern.node(wanted), graph.node(node));
            for (&a, &b) in wanted.outputs().iter().zip(node.outputs()) {
                found.values.insert(a, b);
            }
            for (&a, &b) in wanted.inputs().iter().zip(node.inputs()) {
                if self.is_constant(a) {
                    let both = (self.pattern.constant(a)?, graph.constant(b)?);
                    if !super::same_constant(&both.0, &both.1) {
                        return None;
                    }
                    continue;
                }
                if *found.values.entry(a).or_insert(b) != b {
                    return None;
                }
                if !self.pattern.inputs().contains(&a) {
                    pending.push((self.pattern.value(a).node(), graph.value(b).node()));
                }
            }
        }
        let wanted = self.pattern.nodes(self.pattern.top());
        let wanted = wanted.iter().map(|&node| self.pattern.node(node).outputs());
        let is_matched =
            |outputs: &[ValueId]| !outputs.iter().any(|&value| self.is_constant(value));
        let whole = found.nodes.len() == wanted.filter(|outputs| is_matched(outputs)).count();
        (whole && self.is_closed(graph, last, &found)).then_some(found)
    }

    /// Whether nobody else uses what is computed on the way, and results are used behind the last node.
    fn is_closed(&self, graph: &Graph, last: NodeId, found: &Match) -> bool {
        let members: HashSet<NodeId> = found.nodes.values().copied().collect();
        found.nodes.keys().all(|&wanted| {
            self.pattern.node(wanted).outputs().iter().all(|output| {
                let Some(&value) = found.values.get(output) else {
                    return false;
                };
                let mut uses = graph.value(value).uses().iter().map(|u| u.node);
                let is_result = self.pattern.outputs().contains(output);
                uses.all(|user| {
                    members.contains(&user)
                        || is_result
                            && (graph.node(user).block() != graph.node(last).block()
                                || graph.node(user).is(Prim::Return)
                                || graph.is_before(last, user))
                })
            })
        })
    }

    /// Whether a value of the pattern stands for every equal constant.
    fn is_constant(&self, value: ValueId) -> bool {
        self.by_meaning && self.pattern.constant(value).is_some()
    }

    /// Whether a node does what one of the pattern does.
    fn fits(&self, wanted: NodeId, graph: &Graph, node: NodeId) -> bool {
        let (wanted, node) = (self.pattern.node(wanted), graph.node(node));
        if wanted.kind.name() == "match::module" {
            return reads_module(wanted, graph, node);
        }
        let same = |(name, attr): &(Symbol, Attr)| {
            let other = node.attr(name.as_str());
            other.is_some_and(|other| same_attr(attr, other))
        };
        let same_overload = || {
            wanted.operator().map(Operator::full_name) == node.operator().map(Operator::full_name)
        };
        wanted.kind.name() == node.kind.name()
            && (!self.by_meaning || same_overload())
            && node.blocks().is_empty()
            && wanted.inputs().len() == node.inputs().len()
            && wanted.outputs().len() == node.outputs().len()
            && wanted.attrs().iter().all(same)
    }

    fn replace(&self, graph: &mut Graph, last: NodeId, found: &Match) {
        let given = self.pattern.inputs().iter();
        let given = given.map(|input| found.values.get(input).copied());
        let mut map: HashMap<ValueId, ValueId> = HashMap::new();
        for (&input, value) in self.replacement.inputs().iter().zip(given) {
            // An input that the pattern does not use stands for nothing.
            if let Some(value) = value {
                map.insert(input, value);
            }
        }
        let wanted = self.pattern.nodes(self.pattern.top());
        for (i, inner) in self
            .replacement
            .nodes(self.replacement.top())
            .into_iter()
            .enumerate()
        {
            let copy = graph.clone_node_before(last, &self.replacement, inner, &mut map);
            let place = self
                .places
                .get(&i)
                .and_then(|&k| found.nodes.get(wanted.get(k)?));
            let span = place.and_then(|&node| graph.node(node).span.clone());
            graph.set_span(copy, span);
        }
        let results = self
            .pattern
            .outputs()
            .iter()
            .zip(self.replacement.outputs());
        for (old, new) in results {
            let (Some(&old), Some(&new)) = (found.values.get(old), map.get(new)) else {
                continue;
            };
            let ty = graph.ty(old).clone();
            if !graph.inputs().contains(&new) && !found.values.values().any(|v| *v == new) {
                graph.set_type(new, ty);
            }
            graph.replace_all_uses(old, new);
        }
        graph.remove_all(found.nodes.values().copied().collect());
    }
}

/// Whether two attributes say the same; tensors, graphs and types never do.
fn same_attr(a: &Attr, b: &Attr) -> bool {
    match (a, b) {
        (Attr::Value(a), Attr::Value(b)) => super::same_constant(a, b),
        (Attr::Int(a), Attr::Int(b)) => a == b,
        (Attr::Float(a), Attr::Float(b)) => a.to_bits() == b.to_bits(),
        (Attr::Str(a), Attr::Str(b)) => a == b,
        (Attr::Ints(a), Attr::Ints(b)) => a == b,
        (Attr::Strs(a), Attr::Strs(b)) => a == b,
        _ => false,
    }
}

/// Whether a node reads a module whose class has the name that a node of a pattern says.
fn reads_module(wanted: &Node, graph: &Graph, node: &Node) -> bool {
    let Some(name) = wanted.str_attr("name") else {
        return false;
    };
    let is_called = |ty: &Type| match ty {
        Type::Class(class) => class.is_module() && *class.basename() == **name,
        _ => false,
    };
    node.is(Prim::GetAttr) && is_called(graph.ty(node.outputs()[0]))
}
