//! Moves what a loop computes anew in every round, and never looks at, behind the loop: of `y = torch.tensor(i)` only the last
//! one can be noticed. Numbers that change from round to round must be such that no operator fails because of them.

use crate::analysis::effect::{effect, writes_memory};
use crate::{BlockId, Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{Effect, ScalarOp, Type, Value};

/// As many nodes are moved for one variable at most.
const MOST: usize = 16;

/// The graph in which such variables are computed once, for running it; `None` where there are none.
pub fn with_last_rounds_only(graph: &Graph) -> Option<Graph> {
    let loops = |graph: &Graph| -> Vec<NodeId> {
        let mut all = graph.all_nodes();
        all.retain(|id| graph.node(*id).is(Prim::Loop));
        all
    };
    loops(graph)
        .iter()
        .find(|id| Late::find(graph, **id).is_some())?;
    let mut out = graph.copy();
    for id in loops(&out) {
        while let Some(late) = Late::find(&out, id) {
            late.replace(&mut out, id);
        }
    }
    Some(out)
}

/// A carried variable that every round computes from others without reading it.
struct Late {
    /// Which of the carried variables.
    index: usize,
    /// The nodes that compute it and nothing else, in their order.
    nodes: Vec<NodeId>,
    /// The numbers of the round that they need.
    numbers: Vec<ValueId>,
}

impl Late {
    fn find(graph: &Graph, id: NodeId) -> Option<Late> {
        let body = graph.node(id).blocks()[0];
        let params = &graph.params(body)[1..];
        let unread = |(index, param): (usize, &ValueId)| {
            let is_read = !graph.value(*param).uses().is_empty();
            (!is_read).then(|| Late::of(graph, body, index)).flatten()
        };
        let late = params.iter().enumerate().find_map(unread)?;
        is_quiet(graph, body).then_some(late)
    }

    fn of(graph: &Graph, body: BlockId, index: usize) -> Option<Late> {
        let result = graph.returns(body)[1 + index];
        if is_number(graph.ty(result))
            || !matches!(graph.node(graph.value(result).node()).kind, NodeKind::Op(_))
        {
            return None;
        }
        let (nodes, numbers) = (Vec::new(), Vec::new());
        let mut late = Late {
            index,
            nodes,
            numbers,
        };
        let stays = late.gather(graph, body, result, false);
        stays.then_some(late)
    }

    /// Takes in the node that gives a value, after what that needs; false where it cannot be moved. Numbers that change from round
    /// to round must be such that no operator fails: what another round would have been refused for must be refused there.
    /// `are_sizes` says that who takes the value never fails because of small sizes.
    fn gather(&mut self, graph: &Graph, body: BlockId, value: ValueId, are_sizes: bool) -> bool {
        let id = graph.value(value).node();
        let node = graph.node(id);
        let is_movable = match node.kind {
            NodeKind::Op(_) => true,
            NodeKind::Prim(prim) => matches!(prim, Prim::ListConstruct | Prim::TupleConstruct),
            NodeKind::Unknown(_) => false,
        };
        let is_own = node.outputs().len() == 1 && graph.value(value).uses().len() == 1;
        if !is_movable || !is_own || self.nodes.len() == MOST {
            return false;
        }
        let are_small = are_sizes && node.is(Prim::ListConstruct) && is_small(graph, node.inputs());
        for (at, &input) in node.inputs().iter().enumerate() {
            let giver = graph.node(graph.value(input).node());
            if giver.block() != Some(body) || giver.is(Prim::Constant) {
                continue;
            }
            let any =
                matches!(node.kind, NodeKind::Op(op) if at < 8 && op.any_number >> at & 1 == 1);
            if is_number(graph.ty(input)) {
                if !any && !are_small {
                    return false;
                }
                if !self.numbers.contains(&input) {
                    self.numbers.push(input);
                }
            } else if !self.gather(graph, body, input, any) {
                return false;
            }
        }
        self.nodes.push(id);
        true
    }

    fn replace(self, graph: &mut Graph, id: NodeId) {
        let body = graph.node(id).blocks()[0];
        let old = graph.node(id).outputs()[self.index];
        let ty = graph.ty(old).clone();
        let before = graph.node(id).inputs()[2 + self.index];
        let result = graph.returns(body)[1 + self.index];
        // What is known after the loop: whether a round ran, and the numbers of the last one.
        let yes = graph.create_constant(Value::Bool(true), Type::Bool);
        graph.prepend(body, yes);
        let yes = graph.node(yes).outputs()[0];
        let ran = carry(graph, id, Value::Bool(false), yes);
        let mut known = Vec::new();
        for &number in &self.numbers {
            let start = match graph.ty(number) {
                Type::Int => Value::Int(0),
                Type::Float => Value::Float(0.0),
                _ => Value::Bool(false),
            };
            known.push((number, carry(graph, id, start, number)));
        }
        let choice = graph.create(Prim::If, &[ran], &[ty]);
        graph.insert_after(id, choice);
        let (done, kept) = (graph.add_block(choice), graph.add_block(choice));
        graph.add_return(kept, before);
        graph.replace_all_uses(old, graph.node(choice).outputs()[0]);
        graph.remove_return(body, 1 + self.index);
        graph.remove_param(body, 1 + self.index);
        graph.remove_input(id, 2 + self.index);
        graph.remove_output(id, self.index);
        for node in self.nodes {
            graph.detach(node);
            graph.append(done, node);
            for (at, input) in graph.node(node).inputs().to_vec().into_iter().enumerate() {
                let giver = graph.value(input).node();
                if let Some((_, after)) = known.iter().find(|(number, _)| *number == input) {
                    graph.set_input(node, at, *after);
                } else if graph.node(giver).block() == Some(body)
                    && let Some(value) = graph.constant(input)
                {
                    let own = graph.constant_before(node, value, graph.ty(input).clone());
                    graph.set_input(node, at, own);
                }
            }
        }
        graph.add_return(done, result);
    }
}

/// Whether sizes are of few elements, whatever the round.
fn is_small(graph: &Graph, sizes: &[ValueId]) -> bool {
    let mut most = 1i64;
    sizes.iter().all(|size| {
        let bounds = bounds(graph, *size, DEEPEST).filter(|b| b.0 >= 0);
        most = most.saturating_mul(bounds.map_or(i64::MAX, |b| b.1.max(1)));
        most <= FEW
    })
}

/// Tensors of so many elements are made without being refused.
const FEW: i64 = 1 << 16;

/// Nodes behind a number that are looked at.
const DEEPEST: u32 = 8;

/// Between which numbers an int is, as far as can be seen.
fn bounds(graph: &Graph, value: ValueId, depth: u32) -> Option<(i64, i64)> {
    if let Some(Value::Int(i)) = graph.constant(value) {
        return Some((i, i));
    }
    let node = graph.node(graph.value(value).node());
    let NodeKind::Op(op) = node.kind else {
        return None;
    };
    let [a, b] = *node.inputs() else {
        return None;
    };
    let of = |value| bounds(graph, value, depth.checked_sub(1)?);
    match op.scalar? {
        // With a number that is not negative, nothing more than that is left.
        ScalarOp::AndInt => {
            let known = [of(a), of(b)].into_iter().flatten().filter(|k| k.0 >= 0);
            known.map(|k| (0, k.1)).min()
        }
        ScalarOp::RemainderInt => of(b).filter(|b| b.0 > 0).map(|b| (0, b.1 - 1)),
        ScalarOp::AddInt => {
            let ((a, b), (c, d)) = (of(a)?, of(b)?);
            Some((a.checked_add(c)?, b.checked_add(d)?))
        }
        ScalarOp::SubInt => {
            let ((a, b), (c, d)) = (of(a)?, of(b)?);
            Some((a.checked_sub(d)?, b.checked_sub(c)?))
        }
        ScalarOp::MulInt => {
            let ((a, b), (c, d)) = (of(a)?, of(b)?);
            (a >= 0 && c >= 0).then_some((a.checked_mul(c)?, b.checked_mul(d)?))
        }
        _ => None,
    }
}

/// One more carried variable of a loop, which every round sets to a value of its body; what it is after the loop.
fn carry(graph: &mut Graph, id: NodeId, start: Value, next: ValueId) -> ValueId {
    let (body, ty) = (graph.node(id).blocks()[0], graph.ty(next).clone());
    let start = graph.constant_before(id, start, ty.clone());
    graph.push_input(id, start);
    graph.add_param(body, ty.clone(), None);
    graph.add_return(body, next);
    graph.add_output(id, ty, None)
}

/// Whether machine code holds values of the type by themselves.
pub(super) fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Int | Type::Float | Type::Bool)
}

/// Whether nothing in a block, nor within it, writes, prints, calls or changes how operators run.
fn is_quiet(graph: &Graph, block: BlockId) -> bool {
    graph.nodes(block).into_iter().all(|id| {
        let is_pure = effect(graph, id) == Effect::Pure && !writes_memory(graph, id);
        is_pure && graph.node(id).blocks().iter().all(|b| is_quiet(graph, *b))
    })
}
