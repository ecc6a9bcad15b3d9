//! Convolutions and the rectifiers after them as one operator, which spares a way through memory.
//!
//! The weights are constants in f32, and nothing but the rectifier sees what the convolution gives. The operator is one of
//! the reference's, `mkldnn::_convolution_pointwise`, so that what is saved can be read elsewhere.

use super::numerics::{CONVOLUTIONS, is_layer, replace};
use crate::{Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_tensor::{DType, Scalar};
use rushlight_types::{OperatorTable, Type, Value};

/// A rectifier by the names that the operator has for it.
struct Rectifier {
    name: &'static str,
    /// The ends of the range.
    numbers: Vec<f64>,
}

/// Fuses what there is; whether there was any.
pub fn fuse(graph: &mut Graph, table: &'static OperatorTable) -> bool {
    let Some(operator) = table.find("mkldnn::_convolution_pointwise") else {
        return false;
    };
    let mut changed = false;
    for id in graph.all_nodes() {
        let Some(rectifier) = rectifier(graph, id) else {
            continue;
        };
        let Some((layer, mut inputs)) = layer_before(graph, id) else {
            continue;
        };
        let name = Value::str(rectifier.name);
        inputs.push(graph.constant_before(layer, name, Type::Str));
        let numbers: Vec<ValueId> = rectifier
            .numbers
            .iter()
            .map(|number| graph.constant_before(layer, Value::Float(*number), Type::Float))
            .collect();
        let list = Type::list(Type::optional(Type::Number));
        let numbers = graph.create(Prim::ListConstruct, &numbers, &[list]);
        graph.insert_before(layer, numbers);
        inputs.push(graph.node(numbers).outputs()[0]);
        inputs.push(graph.constant_before(layer, Value::None, Type::None));
        let result = graph.ty(graph.node(id).outputs()[0]).clone();
        let fused = graph.create(NodeKind::Op(operator), &inputs, &[result]);
        graph.insert_before(layer, fused);
        replace(graph, id, fused);
        graph.remove(layer);
        changed = true;
    }
    changed
}

/// The rectifier that a node is.
fn rectifier(graph: &Graph, id: NodeId) -> Option<Rectifier> {
    let node = graph.node(id);
    let operator = node.operator()?;
    let number = |i: usize| match graph.constant(*node.inputs().get(i)?)? {
        Value::Int(n) => Some(Scalar::Int(n).to_f64()),
        Value::Float(x) => Some(x),
        _ => None,
    };
    let (name, numbers) = match operator.full_name() {
        "aten::relu" | "aten::relu_" => ("relu", vec![]),
        "aten::relu6" | "aten::relu6_" => ("hardtanh", vec![0.0, 6.0]),
        "aten::hardtanh" | "aten::hardtanh_" => ("hardtanh", vec![number(1)?, number(2)?]),
        _ => return None,
    };
    Some(Rectifier { name, numbers })
}

/// The convolution whose result a rectifier alone sees, and the operator's inputs up to the groups.
fn layer_before(graph: &Graph, id: NodeId) -> Option<(NodeId, Vec<ValueId>)> {
    let value = graph.node(id).inputs()[0];
    let layer = graph.value(value).node();
    let node = graph.node(layer);
    if !is_layer(graph, node, CONVOLUTIONS)
        || graph.value(value).uses().len() != 1
        || node.block() != graph.node(id).block()
    {
        return None;
    }
    // Padding may be a word.
    let full = node.operator()?.full_name();
    let groups = match full {
        "aten::conv1d" | "aten::conv2d" | "aten::conv3d" => 6,
        "aten::_convolution" | "aten::_convolution.deprecated" => 8,
        _ => return None,
    };
    let inputs = node.inputs();
    let Some(Value::Tensor(weight)) = graph.constant(inputs[1]) else {
        return None;
    };
    graph.constant(inputs[2])?;
    let [stride, padding, dilation] = [3, 4, 5].map(|i| inputs[i]);
    let inputs = vec![
        inputs[0],
        inputs[1],
        inputs[2],
        padding,
        stride,
        dilation,
        inputs[groups],
    ];
    (weight.dtype() == DType::F32).then_some((layer, inputs))
}
