//! Spares lists that are made and only asked for their length or for known elements: nobody else ever sees them.

use super::changed_copy;
use crate::{Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{ScalarOp, Type, Value};

/// The graph without such lists, for running it; `None` where there are none.
pub fn with_lists_spared(graph: &Graph) -> Option<Graph> {
    changed_copy(graph, Spared::find, Spared::remove)
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
