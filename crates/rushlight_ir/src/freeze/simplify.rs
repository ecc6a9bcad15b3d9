//! Rewrites that hold in evaluation: dropouts do nothing, convolutions have the rank of their weights, and lists of
//! constants that nothing writes are constants.

use crate::analysis::alias::Aliases;
use crate::{Graph, Node, NodeId, Prim, ValueId};
use rushlight_types::{Type, Value};

/// Operators `(input, p, train)` that give their input when they do not train.
const DROPOUTS: &[&str] = &["aten::dropout", "aten::feature_dropout"];

/// Convolutions and the rank of their results.
const CONVOLUTIONS: &[(&str, i64)] = &[
    ("aten::conv1d", 3),
    ("aten::conv2d", 4),
    ("aten::conv3d", 5),
];

/// Runs the rewrites.
pub fn run(graph: &mut Graph) {
    let lists = constant_lists(graph);
    for id in graph.all_nodes() {
        let node = graph.node(id);
        if node.block().is_none() {
            continue;
        }
        if DROPOUTS.iter().any(|name| node.is_op(name)) {
            remove_dropout(graph, id);
        } else if node.is_op("aten::dim") {
            known_rank(graph, id);
        } else if node.is(Prim::ListConstruct)
            && lists.contains(&id)
            && let Some(value) = list_value(graph, node)
        {
            let ty = graph.ty(node.outputs()[0]).clone();
            replace(graph, id, value, ty);
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

/// The lists of constants that nothing writes to and that stay inside the graph's own operators or its results.
fn constant_lists(graph: &Graph) -> Vec<NodeId> {
    let aliases = Aliases::new(graph);
    let nodes = graph.all_nodes();
    let written: Vec<_> = nodes.iter().map(|&n| aliases.written(graph, n)).collect();
    let is_written = |value: ValueId| {
        let Some(class) = aliases.class(graph, value) else {
            return false;
        };
        written
            .iter()
            .any(|w| w.as_ref().is_none_or(|classes| classes.contains(&class)))
    };
    nodes
        .into_iter()
        .filter(|&id| {
            let node = graph.node(id);
            node.is(Prim::ListConstruct)
                && !node.inputs().is_empty()
                && node.inputs().iter().all(|&v| graph.constant(v).is_some())
                && !is_written(node.outputs()[0])
        })
        .collect()
}

fn list_value(graph: &Graph, node: &Node) -> Option<Value> {
    let Type::List(element) = graph.ty(node.outputs()[0]) else {
        return None;
    };
    let items: Option<Vec<Value>> = node.inputs().iter().map(|&v| graph.constant(v)).collect();
    Value::list(element, items?).ok()
}
