//! The sizes of tensors in a graph, as they follow from inputs and from the tensors of the module.

use super::simplify::attributes;
use rushlight::ir::Graph;
use rushlight::ir::analysis::known::tensor_type;
use rushlight::ir::passes::shapes::propagate;
use rushlight::types::{Object, Type};
use rushlight::{Context, Value};
use std::sync::Arc;

/// Gives values the types that follow. `inputs` are the arguments behind the module, which is `root`.
pub fn follow(graph: &mut Graph, root: Option<&Arc<Object>>, inputs: &[Value]) {
    for (value, _, attribute) in attributes(graph, root) {
        if let Value::Tensor(tensor) = attribute {
            graph.set_type(value, tensor_type(&tensor));
        }
    }
    let own = root.map(|_| None);
    let given = inputs.iter().map(|value| match value {
        Value::Tensor(tensor) => Some(tensor_type(tensor)),
        _ => None,
    });
    let types: Vec<Option<Type>> = own.into_iter().chain(given).collect();
    propagate(graph, &types, true, &Context::silent());
}
