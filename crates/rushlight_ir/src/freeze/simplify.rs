//! Rewrites that hold in evaluation: dropouts and detaching do nothing, convolutions have the rank of their weights.

use crate::{Graph, NodeId};
use rushlight_types::{Functional, Type, Value};

/// Takes out dropouts.
pub fn remove_dropouts(graph: &mut Graph) {
    for id in graph.all_nodes() {
        let functional = graph.node(id).operator().and_then(|op| op.functional);
        if functional == Some(Functional::Dropout) {
            remove_dropout(graph, id);
        }
    }
}

/// Takes out `detach`: nothing asks a frozen module for gradients. What is told apart from other tensors stays.
pub fn remove_detaching(graph: &mut Graph) {
    for id in graph.all_nodes() {
        let node = graph.node(id);
        if node.is_op("aten::detach") {
            let (input, output) = (node.inputs()[0], node.outputs()[0]);
            let mut uses = graph.value(output).uses().iter();
            if uses.any(|u| {
                let user = graph.node(u.node);
                user.is_op("aten::__is__") || user.is_op("aten::__isnot__")
            }) {
                continue;
            }
            graph.replace_all_uses(output, input);
            graph.remove(id);
        }
    }
}

/// Puts the number of dimensions where it is asked for.
pub fn known_ranks(graph: &mut Graph) {
    for id in graph.all_nodes() {
        if graph.node(id).is_op("aten::dim") {
            known_rank(graph, id);
        }
    }
}

fn replace(graph: &mut Graph, id: NodeId, value: Value, ty: Type) {
    let old = graph.node(id).outputs()[0];
    let new = graph.constant_before(id, value, ty);
    graph.replace_all_uses(old, new);
    graph.remove(id);
}

fn remove_dropout(graph: &mut Graph, id: NodeId) {
    let inputs = graph.node(id).inputs().to_vec();
    let trains = inputs.get(2).and_then(|&train| graph.constant(train));
    if let Some(Value::Bool(false)) = trains {
        let output = graph.node(id).outputs()[0];
        graph.replace_all_uses(output, inputs[0]);
        graph.remove(id);
    }
}

fn known_rank(graph: &mut Graph, id: NodeId) {
    let maker = graph.node(graph.value(graph.node(id).inputs()[0]).node());
    let functional = maker.operator().and_then(|op| op.functional);
    if let Some(Functional::Convolution { dims }) = functional {
        replace(graph, id, Value::Int(i64::from(dims) + 2), Type::Int);
    }
}
