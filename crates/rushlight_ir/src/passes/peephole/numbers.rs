//! Numbers, truth values and None.

use super::{Known, PassRun, constant_int, replace};
use crate::{Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{Type, Value};

/// Runs the rules.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    for id in graph.all_nodes() {
        let node = graph.node(id);
        if node.block().is_none() {
            continue;
        }
        let known = match node.kind {
            NodeKind::Prim(Prim::If) => {
                restated(graph, run, id);
                None
            }
            NodeKind::Op(op) => match op.full_name() {
                "aten::add.int" | "aten::sub.int" | "aten::mul.int" | "aten::floordiv.int" => {
                    if !arithmetic(graph, run, id, op.full_name()) {
                        return;
                    }
                    neutral(graph, id, op.full_name())
                }
                name => look(graph, id, name),
            },
            _ => None,
        };
        if let Some(known) = known {
            if !run.may_change() {
                return;
            }
            replace(graph, id, known);
        }
    }
}

fn look(graph: &Graph, id: NodeId, name: &str) -> Option<Known> {
    let node = graph.node(id);
    let input = |i: usize| node.inputs().get(i).copied();
    let truth = |b: bool| Some(Known::Constant(Value::Bool(b), Type::Bool));
    match name {
        "aten::Int.float" => {
            divided_by_one(graph, input(0)?).map(|number| Known::Same(vec![number]))
        }
        "aten::__is__" => truth(is_none(graph, input(0)?, input(1)?)?),
        "aten::__isnot__" => truth(!is_none(graph, input(0)?, input(1)?)?),
        "aten::_unwrap_optional" => {
            let (from, to) = (input(0)?, node.outputs()[0]);
            let settled = graph.ty(from) == graph.ty(to) && !graph.ty(from).accepts_none();
            settled.then(|| Known::Same(vec![from]))
        }
        "aten::eq.int" | "aten::eq.bool" | "aten::eq.int_list" => {
            (input(0)? == input(1)?).then(|| truth(true)).flatten()
        }
        "aten::ne.int" | "aten::ne.bool" | "aten::ne.int_list" => {
            (input(0)? == input(1)?).then(|| truth(false)).flatten()
        }
        _ => None,
    }
}

/// `True if c else False` is `c`, whatever else the branches do.
fn restated(graph: &mut Graph, run: &mut PassRun<'_>, id: NodeId) {
    let blocks = graph.node(id).blocks();
    let (then, otherwise) = (blocks[0], blocks[1]);
    let condition = graph.node(id).inputs()[0];
    for i in 0..graph.node(id).outputs().len() {
        let output = graph.node(id).outputs()[i];
        let gives = |block| graph.constant(graph.returns(block)[i]);
        let same = matches!(
            (gives(then), gives(otherwise)),
            (Some(Value::Bool(true)), Some(Value::Bool(false)))
        );
        let used = !graph.value(output).uses().is_empty();
        if same && used && *graph.ty(output) == Type::Bool && run.may_change() {
            graph.replace_all_uses(output, condition);
        }
    }
}

/// The int of which a value is the quotient by one.
fn divided_by_one(graph: &Graph, value: ValueId) -> Option<ValueId> {
    let node = graph.node(graph.value(value).node());
    let &[number, divisor] = node.inputs() else {
        return None;
    };
    let operator = node.operator()?;
    let by_one = operator.full_name() == "aten::div.int" && constant_int(graph, divisor) == Some(1);
    by_one.then_some(number)
}

/// `a is b`, where types tell whether one of them is None.
fn is_none(graph: &Graph, a: ValueId, b: ValueId) -> Option<bool> {
    let subject = match (graph.ty(a), graph.ty(b)) {
        (Type::None, Type::None) => return None,
        (_, Type::None) => a,
        (Type::None, _) => b,
        _ => return None,
    };
    if matches!(graph.constant(subject), Some(Value::None)) {
        return Some(true);
    }
    let ty = graph.ty(subject);
    (!ty.accepts_none() && !ty.has_variables()).then_some(false)
}

/// Puts constants behind and takes `(x + 1) - 3` together. False when no more changes may be made.
fn arithmetic(graph: &mut Graph, run: &mut PassRun<'_>, id: NodeId, name: &str) -> bool {
    let &[a, b] = graph.node(id).inputs() else {
        return true;
    };
    if matches!(name, "aten::add.int" | "aten::mul.int") && constant_int(graph, a).is_some() {
        if !run.may_reorder() {
            return false;
        }
        graph.set_inputs(id, &[b, a]);
    }
    let Some((from, number)) = taken_together(graph, id) else {
        return true;
    };
    if !run.may_change() {
        return false;
    }
    let constant = graph.constant_before(id, Value::Int(number), Type::Int);
    graph.set_inputs(id, &[from, constant]);
    true
}

/// The sign of what is added.
fn sign(graph: &Graph, id: NodeId) -> Option<i64> {
    match graph.node(id).operator()?.full_name() {
        "aten::add.int" => Some(1),
        "aten::sub.int" => Some(-1),
        _ => None,
    }
}

fn taken_together(graph: &Graph, id: NodeId) -> Option<(ValueId, i64)> {
    let outer = sign(graph, id)?;
    let &[first, second] = graph.node(id).inputs() else {
        return None;
    };
    let number = constant_int(graph, second)?;
    let inner_node = graph.value(first).node();
    let inner = sign(graph, inner_node)?;
    let &[from, other] = graph.node(inner_node).inputs() else {
        return None;
    };
    let other = constant_int(graph, other)?;
    let sum = match inner == outer {
        true => number.checked_add(other)?,
        false => number.checked_sub(other)?,
    };
    Some((from, sum))
}

/// `x + 0` and the like: the other operand.
fn neutral(graph: &Graph, id: NodeId, name: &str) -> Option<Known> {
    let &[first, second] = graph.node(id).inputs() else {
        return None;
    };
    let element = match name {
        "aten::add.int" | "aten::sub.int" => 0,
        _ => 1,
    };
    (constant_int(graph, second) == Some(element)).then(|| Known::Same(vec![first]))
}
