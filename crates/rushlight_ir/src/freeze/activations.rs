//! Convolutions and what follows them as one operator, which spares ways through memory: sums with another tensor, and
//! activations.
//!
//! The weights are constants in f32, and nothing but what is fused sees what the convolution gives. The operators are the
//! reference's, `mkldnn::_convolution_pointwise` and its overload `binary`, so that what is saved can be read elsewhere.

use super::numerics::{Layers, is_layer, replace};
use crate::analysis::alias::Aliases;
use crate::analysis::effect::effect;
use crate::{Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_tensor::{DType, Scalar};
use rushlight_types::{Effect, Functional, Operator, OperatorTable, Type, Value};

const PLAIN: &str = "mkldnn::_convolution_pointwise";
const BINARY: &str = "mkldnn::_convolution_pointwise.binary";

/// Activations without numbers by the names that fused layers have for them; those in place have an underscore more.
const NAMES: &[(&str, &str)] = &[
    ("aten::relu", "relu"),
    ("aten::silu", "swish"),
    ("aten::hardswish", "hardswish"),
    ("aten::hardsigmoid", "hardsigmoid"),
    ("aten::sigmoid", "sigmoid"),
    ("aten::tanh", "tanh"),
];

/// Whether an operator gives a number for every channel and pixel where its input has them.
fn keeps_maps(operator: &Operator) -> bool {
    matches!(
        operator.functional,
        Some(
            Functional::BatchNorm
                | Functional::Dropout
                | Functional::MaxPool { dims: 2 }
                | Functional::AvgPool { dims: 2 }
        )
    )
}

/// An activation by the names that fused layers have for it.
#[derive(Clone)]
pub struct Activation {
    pub name: &'static str,
    pub numbers: Vec<f64>,
    pub algorithm: Option<Value>,
}

impl Activation {
    /// No activation.
    pub const NONE: Activation = Activation {
        name: "none",
        numbers: Vec::new(),
        algorithm: None,
    };

    /// The activation that an operator is, where `constant` knows its arguments.
    pub fn of(
        operator: &Operator,
        constant: impl Fn(usize) -> Option<Value>,
    ) -> Option<Activation> {
        let full = operator.full_name();
        let number = |i: usize| match constant(i)? {
            Value::Int(n) => Some(Scalar::Int(n).to_f64()),
            Value::Float(x) => Some(x),
            _ => None,
        };
        let plain = full.strip_suffix('_').unwrap_or(full);
        let (name, numbers, algorithm) = match plain {
            "aten::relu6" => ("hardtanh", vec![0.0, 6.0], None),
            "aten::hardtanh" => ("hardtanh", vec![number(1)?, number(2)?], None),
            "aten::leaky_relu" => ("leaky_relu", vec![number(1)?], None),
            "aten::gelu" => ("gelu", vec![], Some(constant(1)?)),
            _ => {
                let (_, name) = NAMES.iter().find(|(operator, _)| *operator == plain)?;
                (*name, vec![], None)
            }
        };
        Some(Activation {
            name,
            numbers,
            algorithm,
        })
    }
}

/// A convolution: where it stands, and a fused layer's inputs up to the groups.
struct Layer {
    node: NodeId,
    inputs: Vec<ValueId>,
}

/// Fuses what there is; whether there was any.
pub fn fuse(graph: &mut Graph, table: &'static OperatorTable) -> bool {
    let kinds = [PLAIN, BINARY].map(|name| table.find(name).map(NodeKind::Op));
    let [Some(plain), Some(binary)] = kinds else {
        return false;
    };
    let mut changed = false;
    for id in graph.all_nodes() {
        if let Some((layer, other)) = sum(graph, id) {
            let mut inputs = layer.inputs;
            inputs.insert(1, other);
            inputs.push(graph.constant_before(id, Value::str("add"), Type::Str));
            inputs.extend((0..2).map(|_| graph.constant_before(id, Value::None, Type::None)));
            put(graph, binary, inputs, &Activation::NONE, id, id);
            graph.remove(layer.node);
            changed = true;
        }
    }
    for id in graph.all_nodes() {
        let Some(activation) = activation(graph, id) else {
            continue;
        };
        if let Some(layer) = layer_before(graph, id, graph.node(id).inputs()[0]) {
            let at = layer.node;
            let mut inputs = layer.inputs;
            inputs.push(graph.constant_before(at, Value::str(activation.name), Type::Str));
            put(graph, plain, inputs, &activation, at, id);
            graph.remove(at);
            changed = true;
        } else if let Some((at, mut inputs)) = sum_before(graph, id, &activation) {
            inputs.push(graph.constant_before(at, Value::str(activation.name), Type::Str));
            put(graph, binary, inputs, &activation, at, id);
            graph.remove(at);
            changed = true;
        }
    }
    changed
}

/// Puts a fused layer before `at` for a node, which goes. The inputs lack an activation's numbers and algorithm.
fn put(
    graph: &mut Graph,
    kind: NodeKind,
    mut inputs: Vec<ValueId>,
    activation: &Activation,
    at: NodeId,
    node: NodeId,
) {
    let numbers: Vec<ValueId> = activation
        .numbers
        .iter()
        .map(|number| graph.constant_before(at, Value::Float(*number), Type::Float))
        .collect();
    let list = Type::list(Type::optional(Type::Number));
    let numbers = graph.create(Prim::ListConstruct, &numbers, &[list]);
    graph.insert_before(at, numbers);
    inputs.push(graph.node(numbers).outputs()[0]);
    inputs.push(match &activation.algorithm {
        Some(name) => graph.constant_before(at, name.clone(), Type::Str),
        None => graph.constant_before(at, Value::None, Type::None),
    });
    let result = graph.ty(graph.node(node).outputs()[0]).clone();
    let fused = graph.create(kind, &inputs, &[result]);
    graph.insert_before(at, fused);
    replace(graph, node, fused);
}

/// The activation that a node is.
fn activation(graph: &Graph, id: NodeId) -> Option<Activation> {
    let node = graph.node(id);
    let constant = |i: usize| graph.constant(*node.inputs().get(i)?);
    Activation::of(node.operator()?, constant)
}

/// Whether an operator that adds two tensors, the second one times a factor, does so in place; `None` for all others.
pub fn sum_of(operator: &Operator) -> Option<bool> {
    match operator.full_name() {
        "aten::add.Tensor" => Some(false),
        "aten::add_.Tensor" => Some(true),
        _ => None,
    }
}

/// The convolution and the other operand of a sum of the two, where the convolution may as well stand at the sum.
fn sum(graph: &Graph, id: NodeId) -> Option<(Layer, ValueId)> {
    let node = graph.node(id);
    let in_place = sum_of(node.operator()?)?;
    let &[a, b, alpha] = node.inputs() else {
        return None;
    };
    if graph.constant(alpha)?.as_scalar().ok()?.to_f64() != 1.0 || a == b {
        return None;
    }
    let orders = [(a, b), (b, a)];
    let orders = &orders[..if in_place { 1 } else { 2 }];
    orders.iter().find_map(|&(result, other)| {
        let layer = layer_before(graph, id, result)?;
        let fits = is_map(graph, other) && may_stand_at(graph, layer.node, id);
        fits.then_some((layer, other))
    })
}

/// Whether a value has numbers in f32 for channels and pixels, as convolutions with weights in f32 give.
fn is_map(graph: &Graph, value: ValueId) -> bool {
    let (mut value, mut steps) = (value, 0);
    // A chain that is longer than there are nodes does not exist.
    while steps <= graph.value_limit() {
        let id = graph.value(value).node();
        let node = graph.node(id);
        let Some(operator) = node.operator() else {
            return false;
        };
        let full = operator.full_name();
        if full == BINARY || fused_inputs(graph, id).is_some() {
            return true;
        }
        if !keeps_maps(operator) && activation(graph, id).is_none() {
            return false;
        }
        value = node.inputs()[0];
        steps += 1;
    }
    false
}

/// Whether a node may run later, where another in its block stands.
fn may_stand_at(graph: &Graph, node: NodeId, at: NodeId) -> bool {
    let aliases = Aliases::new(graph);
    let input = aliases.class(graph, graph.node(node).inputs()[0]);
    let mut next = graph.next(node);
    while let Some(id) = next {
        if id == at {
            return true;
        }
        let writes = aliases.written(graph, id);
        let harmless =
            writes.is_some_and(|classes| input.is_some_and(|own| !classes.contains(&own)));
        if !harmless
            || !graph.node(id).blocks().is_empty()
            || effect(graph, id) == Effect::SideEffect
        {
            return false;
        }
        next = graph.next(id);
    }
    false
}

/// The convolution whose result is a value that one node alone sees, in the node's block.
fn layer_before(graph: &Graph, id: NodeId, value: ValueId) -> Option<Layer> {
    let layer = graph.value(value).node();
    let node = graph.node(layer);
    if graph.value(value).uses().len() != 1 || node.block() != graph.node(id).block() {
        return None;
    }
    let inputs = fused_inputs(graph, layer)?;
    Some(Layer {
        node: layer,
        inputs,
    })
}

/// The sum with a convolution that a rectifier alone sees, and a fused layer's inputs up to the sum's factor.
fn sum_before(
    graph: &Graph,
    id: NodeId,
    activation: &Activation,
) -> Option<(NodeId, Vec<ValueId>)> {
    let value = graph.node(id).inputs()[0];
    let sum = graph.value(value).node();
    let node = graph.node(sum);
    let fits = activation.name == "relu"
        && node.operator().is_some_and(|op| op.full_name() == BINARY)
        && graph.value(value).uses().len() == 1
        && node.block() == graph.node(id).block();
    let plain = fits && matches!(graph.constant(node.inputs()[10]), Some(Value::None));
    plain.then(|| (sum, node.inputs()[..10].to_vec()))
}

/// A fused layer's inputs up to the groups, where a node is a convolution with weights in f32.
fn fused_inputs(graph: &Graph, id: NodeId) -> Option<Vec<ValueId>> {
    let node = graph.node(id);
    if !is_layer(graph, node, Layers::Convolutions) {
        return None;
    }
    // Padding may be a word.
    let operator = node.operator()?;
    let functional = operator.functional?;
    let is_plain =
        functional == Functional::AnyConvolution || operator.schema().overload.is_empty();
    let groups = functional.groups_at().filter(|_| is_plain)?;
    let inputs = node.inputs();
    let Some(Value::Tensor(weight)) = graph.constant(inputs[1]) else {
        return None;
    };
    graph.constant(inputs[2])?;
    let places = [0, 1, 2, 4, 3, 5, groups];
    (weight.dtype() == DType::F32).then(|| places.map(|i| inputs[i]).to_vec())
}
