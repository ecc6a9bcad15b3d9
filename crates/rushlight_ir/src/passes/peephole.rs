//! Small patterns: what a node gives is seen from its inputs.
//!
//! Each rule looks at one node and tells the value or the constant that its only output always equals. Rules about lists
//! ask whether anything writes to the list.

use super::Run;
use crate::analysis::alias::Aliases;
use crate::{Graph, Node, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{Type, Value};

/// What an output turned out to be.
enum Known {
    Same(Vec<ValueId>),
    Constant(Value),
}

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut Run<'_>) {
    rewrite(graph, run, look);
}

/// Runs only the rules about lists.
pub fn lists(graph: &mut Graph, run: &mut Run<'_>) {
    rewrite(graph, run, look_at_list);
}

fn rewrite(
    graph: &mut Graph,
    run: &mut Run<'_>,
    look: fn(&Graph, &UnwrittenLists, NodeId) -> Option<Known>,
) {
    let lists = UnwrittenLists::new(graph);
    for node in graph.all_nodes() {
        if graph.node(node).block().is_none() {
            continue;
        }
        let Some(known) = look(graph, &lists, node) else {
            continue;
        };
        if !run.may_change() {
            return;
        }
        let values = match known {
            Known::Same(values) => values,
            Known::Constant(value) => {
                let ty = value.type_of();
                vec![graph.constant_before(node, value, ty)]
            }
        };
        for (i, value) in values.into_iter().enumerate() {
            let output = graph.node(node).outputs()[i];
            graph.replace_all_uses(output, value);
        }
        graph.remove(node);
    }
}

fn look(graph: &Graph, lists: &UnwrittenLists, id: NodeId) -> Option<Known> {
    let node = graph.node(id);
    let input = |i: usize| node.inputs().get(i).copied();
    match node.kind {
        NodeKind::Prim(Prim::UncheckedCast | Prim::UncheckedUnwrapOptional) => {
            let (from, to) = (input(0)?, node.outputs()[0]);
            (graph.ty(from) == graph.ty(to)).then(|| Known::Same(vec![from]))
        }
        NodeKind::Prim(Prim::If) => restated(graph, node),
        NodeKind::Op(op) => match op.full_name() {
            "aten::__is__" => none_check(graph, input(0)?, input(1)?).map(Known::Constant),
            "aten::__isnot__" => {
                let is = none_check(graph, input(0)?, input(1)?)?.as_bool().ok()?;
                Some(Known::Constant(Value::Bool(!is)))
            }
            "aten::__not__" => {
                let inner = graph.node(graph.value(input(0)?).node());
                inner
                    .is_op("aten::__not__")
                    .then(|| Known::Same(vec![inner.inputs()[0]]))
            }
            "aten::Int.Tensor" => {
                let inner = graph.node(graph.value(input(0)?).node());
                let number = inner.is_op("prim::NumToTensor");
                let from = *inner.inputs().first().filter(|_| number)?;
                (*graph.ty(from) == Type::Int).then(|| Known::Same(vec![from]))
            }
            "aten::add.int" => neutral(graph, input(0)?, input(1)?, 0, true),
            "aten::sub.int" => neutral(graph, input(0)?, input(1)?, 0, false),
            "aten::mul.int" => neutral(graph, input(0)?, input(1)?, 1, true),
            "aten::floordiv.int" => neutral(graph, input(0)?, input(1)?, 1, false),
            "aten::dim" => Some(Known::Constant(Value::Int(
                sizes(graph, input(0)?)?.len() as i64
            ))),
            "aten::size.int" => {
                let sizes = sizes(graph, input(0)?)?;
                let dim = graph.constant(input(1)?)?.as_int().ok()?;
                let at = if dim < 0 {
                    dim + sizes.len() as i64
                } else {
                    dim
                };
                let size = usize::try_from(at).ok().and_then(|i| sizes.get(i))?;
                Some(Known::Constant(Value::Int((*size)? as i64)))
            }
            _ => look_at_list(graph, lists, id),
        },
        _ => look_at_list(graph, lists, id),
    }
}

fn look_at_list(graph: &Graph, lists: &UnwrittenLists, id: NodeId) -> Option<Known> {
    let node = graph.node(id);
    let input = |i: usize| node.inputs().get(i).copied();
    match node.kind {
        NodeKind::Prim(Prim::ListUnpack) => {
            let items = lists.items(graph, input(0)?)?;
            (items.len() == node.outputs().len()).then_some(Known::Same(items))
        }
        NodeKind::Op(op) => match op.full_name() {
            "aten::len.t" => {
                let items = lists.items(graph, input(0)?)?;
                Some(Known::Constant(Value::Int(items.len() as i64)))
            }
            "aten::__getitem__.t" => {
                let items = lists.items(graph, input(0)?)?;
                let index = graph.constant(input(1)?)?.as_int().ok()?;
                let at = if index < 0 {
                    index + items.len() as i64
                } else {
                    index
                };
                let item = usize::try_from(at).ok().and_then(|i| items.get(i))?;
                Some(Known::Same(vec![*item]))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether a condition is what the `If` on it gives: `True if c else False`.
fn restated(graph: &Graph, node: &Node) -> Option<Known> {
    let [output] = node.outputs() else {
        return None;
    };
    let gives = |i: usize| match graph.constant(graph.returns(node.blocks()[i])[0]) {
        Some(Value::Bool(b)) => Some(b),
        _ => None,
    };
    let bare = node.blocks().iter().all(|b| graph.nodes(*b).is_empty());
    let same =
        *graph.ty(*output) == Type::Bool && gives(0) == Some(true) && gives(1) == Some(false);
    (bare && same).then(|| Known::Same(vec![node.inputs()[0]]))
}

/// `a is b`, where types tell whether one of them is None.
fn none_check(graph: &Graph, a: ValueId, b: ValueId) -> Option<Value> {
    let (subject, none) = match (graph.ty(a), graph.ty(b)) {
        (subject, none @ Type::None) | (none @ Type::None, subject) => (subject, none),
        _ => return None,
    };
    let other = if graph.ty(a) == none { b } else { a };
    if subject == none || matches!(graph.constant(other), Some(Value::None)) {
        return Some(Value::Bool(true));
    }
    let settled = !subject.accepts_none() && !subject.has_variables();
    settled.then_some(Value::Bool(false))
}

/// `x + 0` and the like: the other operand, if one of them is the neutral element.
fn neutral(graph: &Graph, a: ValueId, b: ValueId, element: i64, commutes: bool) -> Option<Known> {
    let is_neutral = |v| graph.constant(v).and_then(|v| v.as_int().ok()) == Some(element);
    if is_neutral(b) {
        return Some(Known::Same(vec![a]));
    }
    (commutes && is_neutral(a)).then(|| Known::Same(vec![b]))
}

/// What a tensor's type says about its sizes; types of traced graphs are what was seen, not what will be.
fn sizes(graph: &Graph, value: ValueId) -> Option<Vec<Option<usize>>> {
    let Type::Tensor(Some(info)) = graph.ty(value) else {
        return None;
    };
    let is_declared = graph
        .node(graph.value(value).node())
        .is(Prim::UncheckedCast);
    is_declared.then(|| info.sizes.clone()).flatten()
}

/// Lists that stay as they were constructed.
struct UnwrittenLists {
    lists: Vec<ValueId>,
}

impl UnwrittenLists {
    fn new(graph: &Graph) -> UnwrittenLists {
        let aliases = Aliases::new(graph);
        let mut written = Vec::new();
        for node in graph.all_nodes() {
            match aliases.written(graph, node) {
                Some(classes) => written.extend(classes),
                None => return UnwrittenLists { lists: Vec::new() },
            }
        }
        let stays = |value: &ValueId| {
            let class = aliases.class(graph, *value);
            class.is_some_and(|c| !written.contains(&c) && !aliases.is_wild(c))
        };
        let constructed = graph.all_nodes().into_iter();
        let constructed = constructed.filter(|n| graph.node(*n).is(Prim::ListConstruct));
        let lists = constructed.map(|n| graph.node(n).outputs()[0]);
        UnwrittenLists {
            lists: lists.filter(stays).collect(),
        }
    }

    fn items(&self, graph: &Graph, list: ValueId) -> Option<Vec<ValueId>> {
        let source = graph.node(graph.value(list).node());
        (self.lists.contains(&list) && source.is(Prim::ListConstruct))
            .then(|| source.inputs().to_vec())
    }
}
