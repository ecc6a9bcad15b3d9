//! Spares lists that nobody sees: those that are made and only asked for their length or for known elements, and those of
//! constants that operators read, which are made once.

use super::changed_copy;
use crate::{Graph, NodeId, NodeKind, Prim, Use, ValueId};
use rushlight_types::{Argument, ScalarOp, Type, Value};

/// The graph without such lists, for running it; `None` where there are none.
pub fn with_lists_spared(graph: &Graph) -> Option<Graph> {
    let find = |graph: &Graph, list| {
        let known = || Some(Found::Known(list, known_list(graph, list)?));
        Spared::find(graph, list).map(Found::Spared).or_else(known)
    };
    changed_copy(graph, find, |found, graph| match found {
        Found::Spared(spared) => spared.remove(graph),
        Found::Known(list, value) => {
            let output = graph.node(list).outputs()[0];
            let ty = graph.ty(output).clone();
            let constant = graph.constant_before(list, value, ty);
            graph.replace_all_uses(output, constant);
            graph.remove(list);
        }
    })
}

/// A list that need not be made each time.
enum Found {
    Spared(Spared),
    /// It is always the same.
    Known(NodeId, Value),
}

/// A list of numbers or strings that are constants, if all that is done with it is that operators read it.
fn known_list(graph: &Graph, list: NodeId) -> Option<Value> {
    let node = graph.node(list);
    if !node.is(Prim::ListConstruct) || node.inputs().len() > MOST {
        return None;
    }
    let output = *node.outputs().first()?;
    let Type::List(element) = graph.ty(output) else {
        return None;
    };
    if !is_light(element) {
        return None;
    }
    let reads = |user: &Use| {
        let schema = graph.node(user.node).operator()?.schema();
        let argument = schema.arguments.get(user.index as usize)?;
        let own = match &argument.ty {
            Type::Optional(own) => own,
            own => own,
        };
        let is_read = argument.alias.is_none() && matches!(own, Type::List(e) if is_light(e));
        // What gives a list may give this one.
        let gives = |result: &Argument| matches!(&result.ty, Type::List(e) if is_light(e));
        (is_read && !schema.returns.iter().any(gives)).then_some(())
    };
    let uses = graph.value(output).uses();
    if uses.is_empty() || uses.iter().any(|user| reads(user).is_none()) {
        return None;
    }
    let items = node.inputs().iter().map(|item| graph.constant(*item));
    Value::list(element, items.collect::<Option<_>>()?).ok()
}

fn is_light(ty: &Type) -> bool {
    matches!(
        ty.runtime(),
        Type::Int | Type::Float | Type::Bool | Type::Number | Type::Str
    )
}

/// A list that nobody needs.
struct Spared {
    list: NodeId,
    /// Who asks, and what the answer is.
    answers: Vec<(NodeId, Answer)>,
}

enum Answer {
    Length(usize),
    Element(ValueId),
}

impl Spared {
    fn find(graph: &Graph, list: NodeId) -> Option<Spared> {
        graph.node(list).block()?;
        let items = items(graph, list)?;
        let output = *graph.node(list).outputs().first()?;
        let uses = graph.value(output).uses();
        if uses.is_empty() {
            return None;
        }
        let answers = uses.iter().map(|user| {
            let node = graph.node(user.node);
            let answer = match node.operator()?.scalar? {
                ScalarOp::ListLen => Answer::Length(items.len()),
                ScalarOp::ListGet if user.index == 0 => {
                    let index = int(graph, *node.inputs().get(1)?)?;
                    let from_end = if index < 0 { items.len() as i64 } else { 0 };
                    let place = usize::try_from(index.checked_add(from_end)?).ok()?;
                    let item = *items.get(place)?;
                    let is_alike = graph.ty(item) == graph.ty(*node.outputs().first()?);
                    is_alike.then_some(Answer::Element(item))?
                }
                _ => return None,
            };
            Some((user.node, answer))
        });
        let answers = answers.collect::<Option<_>>()?;
        Some(Spared { list, answers })
    }

    fn remove(self, graph: &mut Graph) {
        for (node, answer) in self.answers {
            let value = match answer {
                Answer::Length(len) => {
                    graph.constant_before(node, Value::Int(len as i64), Type::Int)
                }
                Answer::Element(item) => item,
            };
            let output = graph.node(node).outputs()[0];
            graph.replace_all_uses(output, value);
            graph.remove(node);
        }
        let source = repeated(graph, self.list);
        graph.remove(self.list);
        if let Some(source) = source {
            graph.remove(source);
        }
    }
}

/// The list that is made for this one alone, to be repeated.
fn repeated(graph: &Graph, list: NodeId) -> Option<NodeId> {
    let node = graph.node(list);
    if node.operator()?.full_name() != "aten::mul.left_t" {
        return None;
    }
    let list = *node.inputs().first()?;
    let is_alone = graph.value(list).uses().len() == 1;
    let source = graph.value(list).node();
    (is_alone && graph.node(source).is(Prim::ListConstruct)).then_some(source)
}

/// Longer lists are made.
const MOST: usize = 64;

/// What a list is made of: its elements, or those of another list a few times over.
fn items(graph: &Graph, list: NodeId) -> Option<Vec<ValueId>> {
    let node = graph.node(list);
    match node.kind {
        NodeKind::Prim(Prim::ListConstruct) => {
            (node.inputs().len() <= MOST).then(|| node.inputs().to_vec())
        }
        NodeKind::Op(_) => {
            let part = items(graph, repeated(graph, list)?)?;
            let times = int(graph, *node.inputs().get(1)?)?;
            let times = usize::try_from(times).ok().filter(|n| *n <= MOST)?;
            (part.len() * times <= MOST).then(|| part.repeat(times))
        }
        _ => None,
    }
}

fn int(graph: &Graph, value: ValueId) -> Option<i64> {
    match graph.constant(value)? {
        Value::Int(i) => Some(i),
        _ => None,
    }
}
