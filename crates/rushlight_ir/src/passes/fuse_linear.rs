//! Finds linear layers that are written out: `addmm(b, x, w.t())` and `matmul(x, w.t())`, with or without `+= b`.

use super::PassRun;
use crate::{Graph, NodeId, NodeKind, ValueId};
use rushlight_types::{Operator, Type, Value};

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    let Some(linear) = run.table.find("aten::linear") else {
        return;
    };
    // From the end: the addition of a bias is found before the product that it follows.
    for node in graph.all_nodes().into_iter().rev() {
        if graph.node(node).block().is_none() {
            continue;
        }
        if let Some(found) = look(graph, node)
            && run.may_change()
        {
            found.replace(graph, linear);
        }
    }
}

/// A linear layer that is written out.
struct Found {
    input: ValueId,
    weight: ValueId,
    bias: Option<ValueId>,
    /// What it is made of, the last first.
    nodes: Vec<NodeId>,
}

fn look(graph: &Graph, id: NodeId) -> Option<Found> {
    let node = graph.node(id);
    let NodeKind::Op(op) = node.kind else {
        return None;
    };
    let inputs = node.inputs();
    match op.full_name() {
        "aten::addmm" if is_one(graph, inputs[3]) && is_one(graph, inputs[4]) => {
            let (weight, transposed) = transposed(graph, inputs[2])?;
            Some(Found {
                input: inputs[1],
                weight,
                bias: Some(inputs[0]),
                nodes: vec![id, transposed],
            })
        }
        "aten::add_.Tensor" if is_one(graph, inputs[2]) => {
            let product = graph.value(inputs[0]).node();
            let mut found = product_of(graph, product).filter(|_| used_once(graph, inputs[0]))?;
            found.bias = Some(inputs[1]);
            found.nodes.insert(0, id);
            Some(found)
        }
        "aten::matmul" => product_of(graph, id),
        _ => None,
    }
}

fn product_of(graph: &Graph, id: NodeId) -> Option<Found> {
    let node = graph.node(id);
    if !node.is_op("aten::matmul") {
        return None;
    }
    let (weight, transposed) = transposed(graph, node.inputs()[1])?;
    Some(Found {
        input: node.inputs()[0],
        weight,
        bias: None,
        nodes: vec![id, transposed],
    })
}

/// What a value is the transpose of, where nothing else uses it.
fn transposed(graph: &Graph, value: ValueId) -> Option<(ValueId, NodeId)> {
    let maker = graph.value(value).node();
    let fits = graph.node(maker).is_op("aten::t") && used_once(graph, value);
    fits.then(|| (graph.node(maker).inputs()[0], maker))
}

fn used_once(graph: &Graph, value: ValueId) -> bool {
    graph.value(value).uses().len() == 1
}

fn is_one(graph: &Graph, value: ValueId) -> bool {
    matches!(graph.constant(value), Some(Value::Int(1)))
}

impl Found {
    fn replace(self, graph: &mut Graph, linear: &'static Operator) {
        let last = self.nodes[0];
        let product = self.nodes[self.nodes.len() - 2];
        let bias = self.bias.unwrap_or_else(|| {
            let none = graph.create_constant(Value::None, Type::optional(Type::TENSOR));
            graph.insert_before(last, none);
            graph.node(none).outputs()[0]
        });
        let output = graph.node(last).outputs()[0];
        let types = [graph.ty(output).clone()];
        let inputs = [self.input, self.weight, bias];
        let node = graph.create(NodeKind::Op(linear), &inputs, &types);
        graph.set_span(node, graph.node(product).span.clone());
        graph.insert_before(last, node);
        let value = graph.node(node).outputs()[0];
        graph.replace_all_uses(output, value);
        graph.remove_all(self.nodes);
    }
}
