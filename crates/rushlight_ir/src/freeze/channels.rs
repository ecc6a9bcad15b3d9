//! Additions and products after a convolution that are the same for all places of a channel, folded into its weights;
//! linear layers as products of matrices.

use super::numerics::{Layers, Math, is_layer, name_of, replace};
use crate::analysis::known::tensor_type;
use crate::{Graph, Node, NodeId, NodeKind};
use rushlight_tensor::Tensor;
use rushlight_tensor::promote::promote_types;
use rushlight_types::{OperatorTable, Result, Type, Value};

/// A convolution, and what an operator after it does with its result.
struct Follower {
    layer: NodeId,
    weight: Tensor,
    bias: Option<Tensor>,
    /// The other operand: as many elements as channels, or one.
    operand: Value,
}

/// Folds `conv(x) + t` and `conv(x) - t` into the bias; whether there were any.
pub fn fold_sums(graph: &mut Graph, table: &'static OperatorTable) -> Result<bool> {
    let math = Math::new(table);
    let mut changed = false;
    for id in graph.all_nodes() {
        let node = graph.node(id);
        let Some((name, operator)) = of_both(node, &["aten::add", "aten::sub"]) else {
            continue;
        };
        let alpha = node.inputs().get(2).and_then(|v| graph.constant(*v));
        if !matches!(alpha, Some(Value::Int(1))) {
            continue;
        }
        let Some(follower) = follower(graph, &math, node)? else {
            continue;
        };
        let bias = match &follower.bias {
            Some(bias) => Value::Tensor(bias.clone()),
            None => math.zeros(&follower.weight)?,
        };
        let new = math.call(operator, vec![bias, follower.operand, Value::Int(1)])?;
        let replaced = name_of(graph, graph.node(follower.layer).inputs()[2]);
        let shown = format!("{replaced}_fused_{name}");
        math.put(graph, follower.layer, 2, new, Some(&shown))?;
        replace(graph, id, follower.layer);
        changed = true;
    }
    Ok(changed)
}

/// Folds `conv(x) * t` and `conv(x) / t` into weight and bias; whether there were any.
pub fn fold_products(graph: &mut Graph, table: &'static OperatorTable) -> Result<bool> {
    let math = Math::new(table);
    let mut changed = false;
    for id in graph.all_nodes() {
        let node = graph.node(id);
        let Some((name, operator)) = of_both(node, &["aten::mul", "aten::div"]) else {
            continue;
        };
        if node.inputs().len() != 2 {
            continue;
        }
        let Some(follower) = follower(graph, &math, node)? else {
            continue;
        };
        let per_channel = math.per_channel(&follower.operand, &follower.weight)?;
        let weight = Value::Tensor(follower.weight.clone());
        let weight = math.call(operator, vec![weight, per_channel])?;
        // The reference names the weight twice where there is a bias.
        let last = if follower.bias.is_some() { 2 } else { 1 };
        let replaced = name_of(graph, graph.node(follower.layer).inputs()[last]);
        let shown = format!("{replaced}_fused_{name}");
        math.put(graph, follower.layer, 1, weight, Some(&shown))?;
        if let Some(bias) = follower.bias {
            let new = math.call(operator, vec![Value::Tensor(bias), follower.operand])?;
            math.put(graph, follower.layer, 2, new, None)?;
        }
        replace(graph, id, follower.layer);
        changed = true;
    }
    Ok(changed)
}

/// Writes linear layers of constant weights as products with the weights transposed; whether there were any.
pub fn transpose_linear(graph: &mut Graph, table: &'static OperatorTable) -> Result<bool> {
    let math = Math::new(table);
    let (Some(matmul), Some(add)) = (table.find("aten::matmul"), table.find("aten::add.Tensor"))
    else {
        return Ok(false);
    };
    let mut changed = false;
    for id in graph.all_nodes() {
        let node = graph.node(id);
        if !is_layer(graph, node, Layers::Linear) {
            continue;
        }
        let inputs = node.inputs().to_vec();
        let Some(Value::Tensor(weight)) = graph.constant(inputs[1]) else {
            continue;
        };
        let Some(bias) = graph.constant(inputs[2]) else {
            continue;
        };
        let transposed = math.call("aten::t", vec![Value::Tensor(weight)])?;
        let transposed = math.call("aten::contiguous", vec![transposed, Value::Int(0)])?;
        let tensor = transposed.as_tensor()?.clone();
        let ty = tensor_type(&tensor);
        let weight = graph.constant_before(id, Value::Tensor(tensor), ty);
        let result = graph.ty(graph.node(id).outputs()[0]).clone();
        let types = [result];
        let product = graph.create(NodeKind::Op(matmul), &[inputs[0], weight], &types);
        graph.insert_before(id, product);
        let mut last = product;
        if let Value::Tensor(_) = bias {
            let one = graph.constant_before(id, Value::Int(1), Type::Int);
            let product = graph.node(product).outputs()[0];
            last = graph.create(NodeKind::Op(add), &[product, inputs[2], one], &types);
            graph.insert_before(id, last);
        }
        replace(graph, id, last);
        changed = true;
    }
    Ok(changed)
}

/// The short name of an operator and the overload that takes tensors, if it is one of these.
fn of_both(node: &Node, names: &[&'static str]) -> Option<(&'static str, &'static str)> {
    const OVERLOADS: &[(&str, &str, &str)] = &[
        ("aten::add", "add", "aten::add.Tensor"),
        ("aten::sub", "sub", "aten::sub.Tensor"),
        ("aten::mul", "mul", "aten::mul.Tensor"),
        ("aten::div", "div", "aten::div.Tensor"),
    ];
    let op = node.operator()?;
    let (_, short, full) = OVERLOADS
        .iter()
        .find(|(name, _, _)| *name == op.name() && names.contains(name))?;
    // Those of two tensors, and those of a tensor and a number.
    let rest = op.full_name().strip_prefix(op.name())?;
    matches!(rest, ".Tensor" | ".Scalar").then_some((*short, *full))
}

/// The convolution before a node and what the node does to each of its channels, if it does the same everywhere in it.
fn follower(graph: &Graph, math: &Math, node: &Node) -> Result<Option<Follower>> {
    let result = node.inputs()[0];
    let layer = graph.value(result).node();
    let data = graph.node(layer);
    if !is_layer(graph, data, Layers::Convolutions) || graph.value(result).uses().len() != 1 {
        return Ok(None);
    }
    let (Some(Value::Tensor(weight)), Some(bias)) = (
        graph.constant(data.inputs()[1]),
        graph.constant(data.inputs()[2]),
    ) else {
        return Ok(None);
    };
    let bias = match bias {
        Value::Tensor(bias) => Some(bias),
        _ => None,
    };
    let Some(operand) = graph.constant(node.inputs()[1]) else {
        return Ok(None);
    };
    let operand = match operand {
        Value::Int(_) | Value::Float(_) => {
            let shape = Value::list(&Type::Int, vec![Value::Int(1)])?;
            let full = vec![shape, operand];
            let dtype = Value::Int(weight.dtype().code());
            let rest = [dtype, Value::None, Value::None, Value::None];
            math.call("aten::full", full.into_iter().chain(rest).collect())?
        }
        Value::Tensor(tensor) if per_channel(&tensor, &weight) => {
            let flat = Value::list(&Type::Int, vec![Value::Int(-1)])?;
            let flat = math.call("aten::reshape", vec![Value::Tensor(tensor), flat])?;
            let dtype = Value::Int(weight.dtype().code());
            let no = Value::Bool(false);
            math.call(
                "aten::to.dtype",
                vec![flat, dtype, no.clone(), no, Value::None],
            )?
        }
        _ => return Ok(None),
    };
    // As many as channels, whatever was given.
    let channels = Value::list(&Type::Int, vec![Value::Int(weight.sizes()[0] as i64)])?;
    let operand = math.call("aten::expand", vec![operand, channels, Value::Bool(false)])?;
    Ok(Some(Follower {
        layer,
        weight,
        bias,
        operand,
    }))
}

/// Whether a tensor has one element, or one for each channel, and does not change the type of what it is combined with.
fn per_channel(tensor: &Tensor, weight: &Tensor) -> bool {
    let fits = |(i, &n): (usize, &usize)| n == 1 || i == 1 && n == weight.sizes()[0];
    tensor.rank() <= weight.rank()
        && tensor.sizes().iter().enumerate().all(fits)
        && (tensor.rank() == 0 || promote_types(tensor.dtype(), weight.dtype()) == weight.dtype())
}

impl Math {
    /// The bias that a layer without one has.
    fn zeros(&self, weight: &Tensor) -> Result<Value> {
        let channels = Value::list(&Type::Int, vec![Value::Int(weight.sizes()[0] as i64)])?;
        let dtype = Value::Int(weight.dtype().code());
        let rest = [Value::None, Value::None, Value::None];
        let given = [channels, dtype].into_iter().chain(rest).collect();
        self.call("aten::zeros", given)
    }
}
