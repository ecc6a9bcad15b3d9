//! Numbers that a trace wrote down as tensors without dimensions become numbers again where an operator takes them.

use super::PassRun;
use crate::{Graph, NodeId};
use rushlight_types::{Operator, OperatorTable, Type, Value};

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    for id in graph.all_nodes() {
        let Some((operator, value, ty)) = look(graph, run.table, id) else {
            continue;
        };
        if run.may_change() {
            let number = graph.constant_before(id, value, ty);
            graph.set_input(id, 1, number);
            graph.set_kind(id, operator);
        }
    }
}

/// The graph with those numbers, for running it, where the operators are those that leave the dtype as numbers do; `None`
/// where there are none.
pub fn with_numbers(graph: &Graph, table: &'static OperatorTable) -> Option<Graph> {
    let find = |graph: &Graph, id: NodeId| {
        let wraps = graph.node(id).operator().is_some_and(|op| op.wraps_numbers);
        look(graph, table, id).filter(|_| wraps)
    };
    let mut nodes = graph.all_nodes().into_iter();
    nodes.find(|id| find(graph, *id).is_some())?;
    // Nodes of copies have other numbers.
    let mut out = graph.copy();
    for id in out.all_nodes() {
        let Some((operator, value, ty)) = find(&out, id) else {
            continue;
        };
        let number = out.constant_before(id, value, ty);
        out.set_input(id, 1, number);
        out.set_kind(id, operator);
    }
    Some(out)
}

/// The overload for a number and the number, where the second operand is one in the form of a tensor.
fn look(
    graph: &Graph,
    table: &OperatorTable,
    id: NodeId,
) -> Option<(&'static Operator, Value, Type)> {
    let node = graph.node(id);
    let op = node.operator()?;
    let base = op.full_name().strip_suffix(".Tensor")?;
    let found = table.find(&format!("{base}.Scalar"))?;
    let (old, new) = (&op.schema().arguments, &found.schema().arguments);
    let fits =
        old.len() == new.len() && new.get(1)?.ty == Type::Number && !op.schema().is_mutable();
    let Value::Tensor(tensor) = graph.constant(*node.inputs().get(1)?)? else {
        return None;
    };
    if !fits || tensor.rank() != 0 {
        return None;
    }
    let dtype = tensor.dtype();
    let value: Value = tensor.item().ok()?.into();
    let ty = value.type_of();
    // Only types that numbers of the language have: others take part in promotion.
    let plain = match ty {
        Type::Int => dtype == rushlight_tensor::DType::I64,
        Type::Float => dtype == rushlight_tensor::DType::F64,
        _ => false,
    };
    plain.then_some((found, value, ty))
}
