//! What follows a convolution or linear layer folded into its weights: batch norms ([`fold_norms`]), additions and
//! products per channel ([`super::channels`]).
//!
//! In evaluation a batch norm is `y * scale + shift` per channel, so the weights take the scale and the bias takes both.

use crate::analysis::known::tensor_type;
use crate::{Graph, Node, NodeId, ValueId};
use rushlight_tensor::Tensor;
use rushlight_types::{
    Context, Dispatch, Fault, Functional, Operator, OperatorTable, Result, Type, Value,
};

/// Layers whose weights can take what follows: those with input, weight and bias first.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Layers {
    Convolutions,
    Linear,
}

/// Whether a node is such a layer. Traced convolutions say whether they are transposed; those are not.
pub(super) fn is_layer(graph: &Graph, node: &Node, layers: Layers) -> bool {
    let functional = node.operator().and_then(|op| op.functional);
    match functional {
        Some(Functional::Convolution { .. }) => layers == Layers::Convolutions,
        Some(Functional::AnyConvolution) => {
            let transposed = node.inputs().get(6).and_then(|v| graph.constant(*v));
            layers == Layers::Convolutions && matches!(transposed, Some(Value::Bool(false)))
        }
        Some(Functional::Linear) => layers == Layers::Linear,
        _ => false,
    }
}

/// A batch norm per channel: `(y - mean) * inverse * weight + bias`, in the reference's order; what it lacks is `None`.
struct Affine {
    mean: Value,
    inverse: Value,
    weight: Value,
    bias: Value,
}

pub(super) struct Math {
    table: &'static OperatorTable,
    context: Context,
}

/// Folds batch norms into such layers; whether there were any.
pub(super) fn fold_norms(
    graph: &mut Graph,
    table: &'static OperatorTable,
    layers: Layers,
) -> Result<bool> {
    let math = Math::new(table);
    let mut changed = false;
    for id in graph.all_nodes() {
        let node = graph.node(id);
        if !node.is_op("aten::batch_norm") {
            continue;
        }
        let owner = graph.value(node.inputs()[0]).node();
        let fits = is_layer(graph, graph.node(owner), layers)
            && is_only_normed(graph, node.inputs()[0], id, layers);
        if !fits {
            continue;
        }
        if let Some(affine) = math.affine(graph, node)? {
            changed |= math.take_in(graph, owner, id, &affine)?;
        }
    }
    Ok(changed)
}

/// Whether nothing but the norm sees the elements that a layer gives. Linear layers may be asked for sizes and the like,
/// which stay as they are; the reference leaves convolutions alone then.
fn is_only_normed(graph: &Graph, result: ValueId, norm: NodeId, layers: Layers) -> bool {
    let uses = graph.value(result).uses();
    match layers {
        Layers::Convolutions => uses.len() == 1,
        Layers::Linear => uses
            .iter()
            .all(|used| used.node == norm || sees_no_elements(graph, graph.node(used.node))),
    }
}

/// Whether a node asks a tensor for its sizes, dtype and the like.
fn sees_no_elements(graph: &Graph, node: &Node) -> bool {
    let asks = |op: &Operator| op.dispatch == Dispatch::Never || op.text.starts_with("prim::");
    let is_plain = |ty: &Type| matches!(ty, Type::Int | Type::Bool | Type::Device | Type::Layout);
    node.operator().is_some_and(asks)
        && !node.outputs().is_empty()
        && node.outputs().iter().all(|v| match &graph.value(*v).ty {
            Type::List(element) => is_plain(element),
            ty => is_plain(ty),
        })
}

impl Math {
    pub(super) fn new(table: &'static OperatorTable) -> Math {
        Math {
            table,
            context: Context::silent(),
        }
    }

    pub(super) fn call(&self, operator: &str, arguments: Vec<Value>) -> Result<Value> {
        let operator = self
            .table
            .find(operator)
            .ok_or_else(|| Fault::internal(format!("there is no operator {operator}")))?;
        let mut results = operator.call_vec(&self.context, arguments)?;
        match results.is_empty() {
            true => Ok(Value::None),
            false => Ok(results.swap_remove(0)),
        }
    }

    pub(super) fn times(&self, a: &Value, b: &Value) -> Result<Value> {
        self.call("aten::mul.Tensor", vec![a.clone(), b.clone()])
    }

    pub(super) fn plus(&self, a: &Value, b: &Value) -> Result<Value> {
        self.call(
            "aten::add.Tensor",
            vec![a.clone(), b.clone(), Value::Int(1)],
        )
    }

    /// What a batch norm does in evaluation; `None` where something is not constant.
    fn affine(&self, graph: &Graph, node: &Node) -> Result<Option<Affine>> {
        let known = |i: usize| graph.constant(node.inputs()[i]);
        let (Some(mean), Some(variance), Some(training), Some(eps)) =
            (known(3), known(4), known(5), known(7))
        else {
            return Ok(None);
        };
        let (Some(weight), Some(bias)) = (known(1), known(2)) else {
            return Ok(None);
        };
        let (Value::Tensor(_), Value::Tensor(_), Value::Bool(false)) =
            (&mean, &variance, &training)
        else {
            return Ok(None);
        };
        let shifted = self.call("aten::add.Scalar", vec![variance, eps, Value::Int(1)])?;
        let inverse = self.call("aten::rsqrt", vec![shifted])?;
        Ok(Some(Affine {
            mean,
            inverse,
            weight,
            bias,
        }))
    }

    /// Gives the layer the weights that make the norm superfluous.
    fn take_in(
        &self,
        graph: &mut Graph,
        layer: NodeId,
        norm: NodeId,
        affine: &Affine,
    ) -> Result<bool> {
        let inputs = graph.node(layer).inputs().to_vec();
        let (Some(Value::Tensor(weight)), Some(bias)) =
            (graph.constant(inputs[1]), graph.constant(inputs[2]))
        else {
            return Ok(false);
        };
        let is_there = |value: &Value| matches!(value, Value::Tensor(_));
        let mut scale = affine.inverse.clone();
        if is_there(&affine.weight) {
            scale = self.times(&affine.weight, &scale)?;
        }
        let per_channel = self.per_channel(&scale, &weight)?;
        let new_weight = self.times(&Value::Tensor(weight), &per_channel)?;
        let zeros = || self.call("aten::zeros_like", like(&affine.mean));
        let bias = if is_there(&bias) { bias } else { zeros()? };
        let minus = vec![bias, affine.mean.clone(), Value::Int(1)];
        let mut new_bias = self.times(&self.call("aten::sub.Tensor", minus)?, &affine.inverse)?;
        if is_there(&affine.weight) {
            new_bias = self.times(&new_bias, &affine.weight)?;
        }
        let shift = if is_there(&affine.bias) {
            affine.bias.clone()
        } else {
            zeros()?
        };
        new_bias = self.plus(&new_bias, &shift)?;
        // Called as what they take the place of.
        let names = [1, 2].map(|i: usize| format!("{}_fused_bn", name_of(graph, inputs[i])));
        self.put(graph, layer, 1, new_weight, Some(&names[0]))?;
        self.put(graph, layer, 2, new_bias, Some(&names[1]))?;
        replace(graph, norm, layer);
        Ok(true)
    }

    /// An element for each output channel, laid out so that it goes with all weights of the channel.
    pub(super) fn per_channel(&self, elements: &Value, weight: &Tensor) -> Result<Value> {
        let mut sizes = vec![Value::Int(1); weight.rank()];
        sizes[0] = Value::Int(-1);
        let sizes = Value::list(&Type::Int, sizes)?;
        self.call("aten::reshape", vec![elements.clone(), sizes])
    }

    /// Makes a constant, named or not, an input of a layer.
    pub(super) fn put(
        &self,
        graph: &mut Graph,
        layer: NodeId,
        index: usize,
        value: Value,
        name: Option<&str>,
    ) -> Result<()> {
        let tensor: Tensor = value.as_tensor()?.clone();
        let ty = tensor_type(&tensor);
        let output = graph.constant_before(layer, Value::Tensor(tensor), ty);
        if let Some(name) = name {
            graph.set_name(output, name);
        }
        graph.set_input(layer, index, output);
        Ok(())
    }
}

/// The arguments of an operator that makes a tensor like another.
fn like(tensor: &Value) -> Vec<Value> {
    let mut arguments = vec![Value::None; 6];
    arguments[0] = tensor.clone();
    arguments
}

/// Takes a node out: its result is that of another.
pub(super) fn replace(graph: &mut Graph, node: NodeId, by: NodeId) {
    let (old, new) = (graph.node(node).outputs()[0], graph.node(by).outputs()[0]);
    graph.replace_all_uses(old, new);
    graph.remove(node);
}

/// What a value is called: its name or its number.
pub(super) fn name_of(graph: &Graph, value: ValueId) -> String {
    let data = graph.value(value);
    match (&data.name, data.number()) {
        (Some(name), _) => name.to_string(),
        (None, number) => number.map_or_else(String::new, |n| n.to_string()),
    }
}
