//! Rewrites that hold in evaluation: dropouts do nothing, convolutions have the rank of their weights.

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
