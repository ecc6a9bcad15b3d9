//! Takes lists of pairs apart that are only walked through: `for k, v in d.items()` needs the keys and the values, and no tuple
//! of each.

use super::changed_copy;
use crate::{Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{Operator, ScalarOp, Type};

/// The graph with two lists in the place of each list of pairs whose pairs are only taken apart, for running it; `None`
/// where there are none.
pub fn with_pairs_apart(graph: &Graph) -> Option<Graph> {
    changed_copy(graph, Walk::find, Walk::replace)
}

/// A list of pairs of which only the length and the parts of its pairs are used.
struct Walk {
    list: NodeId,
    /// The operators that give the two lists, and the types of their elements.
    halves: [(&'static Operator, Type); 2],
    lengths: Vec<NodeId>,
    fetches: Vec<NodeId>,
}

impl Walk {
    fn find(graph: &Graph, list: NodeId) -> Option<Walk> {
        let node = graph.node(list);
        let NodeKind::Op(operator) = node.kind else {
            return None;
        };
        let halves = operator.pairs?;
        let output = node.outputs()[0];
        let Type::Tuple(pair) = graph.ty(output).list_element()? else {
            return None;
        };
        let [first, second] = pair.elements.as_slice() else {
            return None;
        };
        let (mut lengths, mut fetches) = (Vec::new(), Vec::new());
        for user in graph.value(output).uses() {
            let NodeKind::Op(operator) = graph.node(user.node).kind else {
                return None;
            };
            match operator.scalar {
                Some(ScalarOp::ListLen) => lengths.push(user.node),
                Some(ScalarOp::ListGet) if user.index == 0 => fetches.push(user.node),
                _ => return None,
            }
        }
        let are_taken_apart = fetches.iter().all(|fetch| {
            let pair = graph.node(*fetch).outputs()[0];
            let mut users = graph.value(pair).uses().iter();
            users.all(|user| parts_of(graph, user.node).is_some())
        });
        are_taken_apart.then(|| Walk {
            list,
            halves: [(halves[0], first.clone()), (halves[1], second.clone())],
            lengths,
            fetches,
        })
    }

    fn replace(self, graph: &mut Graph) {
        let inputs = graph.node(self.list).inputs().to_vec();
        let lists = self.halves.clone().map(|(operator, element)| {
            let ty = Type::list(element);
            before(graph, self.list, NodeKind::Op(operator), &inputs, ty)
        });
        for length in self.lengths {
            graph.set_input(length, 0, lists[0]);
        }
        for fetch in self.fetches {
            let data = graph.node(fetch);
            let (kind, index, pair) = (data.kind.clone(), data.inputs()[1], data.outputs()[0]);
            let mut items = Vec::new();
            for (list, (_, element)) in lists.iter().zip(&self.halves) {
                let inputs = [*list, index];
                items.push(before(graph, fetch, kind.clone(), &inputs, element.clone()));
            }
            let users: Vec<NodeId> = graph.value(pair).uses().iter().map(|u| u.node).collect();
            for user in users {
                let parts = parts_of(graph, user).unwrap_or_default();
                for (output, part) in parts {
                    graph.replace_all_uses(output, items[part]);
                }
                graph.remove(user);
            }
            graph.remove(fetch);
        }
        graph.remove(self.list);
    }
}

/// A node with one output before another one, with its place in the source.
fn before(graph: &mut Graph, at: NodeId, kind: NodeKind, inputs: &[ValueId], ty: Type) -> ValueId {
    let node = graph.create(kind, inputs, &[ty]);
    graph.set_span(node, graph.node(at).span.clone());
    graph.set_call_site(node, graph.node(at).call_site.clone());
    graph.insert_before(at, node);
    graph.node(node).outputs()[0]
}

/// The outputs of a node that takes a pair apart, and which part each is.
fn parts_of(graph: &Graph, id: NodeId) -> Option<Vec<(ValueId, usize)>> {
    let node = graph.node(id);
    if node.is(Prim::TupleUnpack) {
        let outputs = node.outputs().iter().copied().zip(0..);
        return (node.outputs().len() == 2).then(|| outputs.collect());
    }
    if !node.is(Prim::TupleIndex) {
        return None;
    }
    let index = graph.constant(node.inputs()[1])?.as_int().ok()?;
    let part = match index {
        0 | -2 => 0,
        1 | -1 => 1,
        _ => return None,
    };
    Some(vec![(node.outputs()[0], part)])
}
