//! Rewrites that hold in evaluation: dropouts do nothing, convolutions have the rank of their weights.

use crate::{Graph, NodeId};
use rushlight_types::{Type, Value};

/// Operators `(input, p, train)` that give their input when they do not train.
const DROPOUTS: &[&str] = &["aten::dropout", "aten::feature_dropout"];

/// Convolutions and the rank of their results.
const CONVOLUTIONS: &[(&str, i64)] = &[
    ("aten::conv1d", 3),
    ("aten::conv2d", 4),
    ("aten::conv3d", 5),
];

/// Takes out dropouts.
pub fn remove_dropouts(graph: &mut Graph) {
    for id in graph.all_nodes() {
        let node = graph.node(id);
        if DROPOUTS.iter().any(|name| node.is_op(name)) {
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
    if let Some((_, rank)) = CONVOLUTIONS.iter().find(|(name, _)| maker.is_op(name)) {
        replace(graph, id, Value::Int(*rank), Type::Int);
    }
}
