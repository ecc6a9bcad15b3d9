//! Lists, dictionaries, tuples and tensors that are made of constants, and that nothing writes to, become constants.
//!
//! The clean-up of fresh graphs leaves them alone: it keeps to values that cannot be changed.

use super::Run;
use super::peephole::Unwritten;
use crate::freeze::tensor_type;
use crate::{Graph, Node, NodeKind, Prim, ValueId};
use rushlight_types::{Context, Dict, Effect, Key, Type, Value};
use std::sync::Arc;

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut Run<'_>) {
    let unwritten = Unwritten::new(graph);
    let context = Context::silent();
    for id in graph.all_nodes() {
        let node = graph.node(id);
        let &[output] = node.outputs() else { continue };
        if node.block().is_none() || !unwritten.holds_in_graph(output) {
            continue;
        }
        let Some(value) = made(graph, node, output, &context) else {
            continue;
        };
        if !run.may_change() {
            return;
        }
        let ty = match &value {
            Value::Tensor(tensor) => tensor_type(tensor),
            _ => graph.ty(output).clone(),
        };
        let constant = graph.constant_before(id, value, ty);
        graph.replace_all_uses(output, constant);
        graph.remove(id);
    }
}

fn made(graph: &Graph, node: &Node, output: ValueId, context: &Context) -> Option<Value> {
    let makes = match node.kind {
        NodeKind::Prim(Prim::ListConstruct | Prim::DictConstruct | Prim::TupleConstruct) => true,
        NodeKind::Op(op) => {
            let schema = op.schema();
            let plain = !schema.is_mutable() && !schema.varargs && !schema.varrets;
            let own = schema.returns.first().is_some_and(|r| r.alias.is_none());
            op.effect == Effect::Pure && plain && own && graph.ty(output).is_tensor()
        }
        _ => false,
    };
    if !makes {
        return None;
    }
    let inputs: Vec<Value> = node
        .inputs()
        .iter()
        .map(|v| graph.constant(*v))
        .collect::<Option<_>>()?;
    match node.kind {
        NodeKind::Prim(Prim::TupleConstruct) => match graph.ty(output) {
            Type::Tuple(tuple) if tuple.name.is_none() => Some(Value::tuple(inputs)),
            _ => None,
        },
        NodeKind::Prim(Prim::ListConstruct) => {
            Value::list(graph.ty(output).list_element()?, inputs).ok()
        }
        NodeKind::Prim(Prim::DictConstruct) => {
            let Type::Dict(entry) = graph.ty(output) else {
                return None;
            };
            let dict = Dict::new(entry.0.clone(), entry.1.clone());
            for pair in inputs.chunks_exact(2) {
                let key = Key::new(pair[0].clone()).ok()?;
                dict.items.lock().insert(key, pair[1].clone());
            }
            Some(Value::Dict(Arc::new(dict)))
        }
        NodeKind::Op(op) => match op.call_vec(context, inputs).ok()?.as_slice() {
            [value @ Value::Tensor(_)] => Some(value.clone()),
            _ => None,
        },
        _ => None,
    }
}
