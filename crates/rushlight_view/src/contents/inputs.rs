//! Which tensors `forward` takes, as far as the code tells: what the first layer of an argument takes has the sizes of
//! that layer's weights.

use rushlight::ir::{Graph, Node, NodeId, Prim, ValueId};
use rushlight::types::{Callable, Functional, Object, Sizes};
use rushlight::{DType, Module, Tensor, Type, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// An argument is followed through so many operators.
const DEPTH: usize = 64;

/// An argument of a method.
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its type, as an annotation.
    pub ty: String,
    /// What the first layer takes, where there is one.
    pub layer: Option<Layer>,
}

/// What a layer takes.
pub struct Layer {
    /// The path of the layer in the module; empty where it is the module itself.
    pub path: String,
    /// The dtype of the layer's weights, or of indices into them.
    pub dtype: DType,
    /// Sizes: numbers that are fixed, and names of those that are not.
    pub shape: String,
}

/// How a layer tells what it takes.
enum Takes {
    /// `(..., n)`: size 1 of the weight.
    Columns,
    /// `(..., n)`: size 0 of a matrix.
    Rows,
    /// `(..., n)`: the sizes of the weight.
    Sizes,
    /// `(batch, n, ...)`: size 1 of the weight times the groups, which are this argument.
    Channels { groups: usize },
    /// As `Channels`, of a transposed convolution: size 0 of the weight.
    Transposed,
    /// `(batch, n, ...)`: as many as the running mean has.
    Normed,
    /// Indices below size 0 of the table.
    Indices,
    /// `(length, batch, n)`: size 1 of the first of the weights.
    Recurrent,
}

/// The places of the argument and of the weight of a layer, and what the weight tells.
fn layer_of(functional: Functional) -> Option<(usize, usize, Takes)> {
    Some(match functional {
        Functional::Linear => (0, 1, Takes::Columns),
        Functional::MatMul => (0, 1, Takes::Rows),
        Functional::AddMm => (1, 2, Takes::Rows),
        Functional::Convolution { .. } => (0, 1, Takes::Channels { groups: 6 }),
        Functional::AnyConvolution => (0, 1, Takes::Channels { groups: 8 }),
        Functional::TransposedConvolution { .. } => (0, 1, Takes::Transposed),
        Functional::BatchNorm => (0, 3, Takes::Normed),
        Functional::LayerNorm => (0, 2, Takes::Sizes),
        Functional::Embedding => (1, 0, Takes::Indices),
        Functional::Recurrent => (0, 2, Takes::Recurrent),
        Functional::Dropout
        | Functional::Activation
        | Functional::MaxPool { .. }
        | Functional::AvgPool { .. } => return None,
    })
}

/// The arguments of `forward`, without the module itself; none where there is no such method.
pub fn of(module: &Module) -> Vec<Input> {
    let Ok(function) = module.method("forward") else {
        return Vec::new();
    };
    let schema = function.schema();
    let graph = function
        .graph()
        .map(|graph| rushlight::inlined(&graph, function.unit().as_ref()));
    let arguments = schema.arguments.iter().enumerate().skip(1);
    arguments
        .map(|(i, argument)| {
            let value = graph.as_ref().and_then(|g| Some((g, *g.inputs().get(i)?)));
            let layer = value.and_then(|(graph, value)| {
                let places = graph.all_nodes().into_iter().enumerate();
                let layers = Layers {
                    graph,
                    order: places.map(|(i, node)| (node, i)).collect(),
                    root: module.object(),
                };
                layers.first(value, DEPTH)
            });
            Input {
                name: argument.name.to_string(),
                ty: argument.ty.annotation(),
                layer: layer.filter(|_| matches!(argument.ty, Type::Tensor(_))),
            }
        })
        .collect()
}

struct Layers<'g> {
    graph: &'g Graph,
    /// The place of every node in the program.
    order: HashMap<NodeId, usize>,
    root: &'g Arc<Object>,
}

impl Layers<'_> {
    /// The first layer that takes a value, be it after operators that keep its sizes.
    fn first(&self, value: ValueId, depth: usize) -> Option<Layer> {
        let depth = depth.checked_sub(1)?;
        let mut uses: Vec<_> = self.graph.value(value).uses().to_vec();
        // In the order of the program.
        rushlight::tensor::order::sort_by_key(&mut uses, |used| self.order.get(&used.node));
        uses.iter().find_map(|used| {
            let (node, index) = (self.graph.node(used.node), used.index as usize);
            if let Some(layer) = self.layer(node, index) {
                return Some(layer);
            }
            if let Some(given) = self.given_on(used.node, index) {
                return self.first(given, depth);
            }
            // Sums and the like are of tensors of the same sizes, but where one is broadcast.
            let sizes = node.operator()?.sizes;
            let keeps = matches!(sizes, Sizes::OfFirst | Sizes::Broadcast);
            (keeps && index == 0 && node.outputs().len() == 1)
                .then(|| self.first(node.outputs()[0], depth))
                .flatten()
        })
    }

    /// The output of a branch that a value becomes, where this is the end of one of its arms.
    fn given_on(&self, end: NodeId, index: usize) -> Option<ValueId> {
        let block = self.graph.node(end).block()?;
        let branch = self.graph.node(self.graph.block(block).owner()?);
        let is_end = self.graph.return_node(block) == end && branch.is(Prim::If);
        is_end
            .then(|| branch.outputs().get(index).copied())
            .flatten()
    }

    fn layer(&self, node: &Node, index: usize) -> Option<Layer> {
        let (input, weight, takes) = layer_of(node.operator()?.functional?)?;
        let weight = *node.inputs().get(weight).filter(|_| input == index)?;
        let (path, tensor) = match takes {
            Takes::Recurrent => self.first_of(weight)?,
            _ => self.tensor(weight)?,
        };
        let size = |dim: usize| tensor.sizes().get(dim).copied();
        let number = |at: usize| match self.graph.constant(*node.inputs().get(at)?)? {
            Value::Int(number) => usize::try_from(number).ok(),
            Value::Bool(flag) => Some(usize::from(flag)),
            _ => None,
        };
        let (shape, dtype) = match takes {
            Takes::Columns => (format!("(..., {})", size(1)?), tensor.dtype()),
            Takes::Rows => (format!("(..., {})", size(0)?), tensor.dtype()),
            Takes::Sizes => {
                let sizes: Vec<String> = tensor.sizes().iter().map(usize::to_string).collect();
                (format!("(..., {})", sizes.join(", ")), tensor.dtype())
            }
            Takes::Channels { groups } => {
                let is_transposed = groups == 8 && number(6)? != 0;
                let channels = match is_transposed {
                    true => size(0)?,
                    false => size(1)?.checked_mul(number(groups)?)?,
                };
                (image(channels, tensor.rank())?, tensor.dtype())
            }
            Takes::Transposed => (image(size(0)?, tensor.rank())?, tensor.dtype()),
            Takes::Normed => (format!("(batch, {}, ...)", size(0)?), tensor.dtype()),
            Takes::Indices => (format!("(...) of indices below {}", size(0)?), DType::I64),
            Takes::Recurrent => (format!("(..., {})", size(1)?), tensor.dtype()),
        };
        Some(Layer { path, dtype, shape })
    }

    /// The node that makes a value, where it is of a kind.
    fn made(&self, value: ValueId, prim: Prim) -> Option<&Node> {
        let node = self.graph.node(self.graph.value(value).node());
        node.is(prim).then_some(node)
    }

    /// The tensor that a value is, and the path of the module that has it.
    fn tensor(&self, value: ValueId) -> Option<(String, Tensor)> {
        if let Some(Value::Tensor(tensor)) = self.graph.constant(value) {
            return Some(("a constant".into(), tensor));
        }
        let node = self.graph.node(self.graph.value(value).node());
        if node.is_op("aten::t") {
            let (path, tensor) = self.tensor(*node.inputs().first()?)?;
            return Some((path, tensor.transpose(0, 1).ok()?));
        }
        match self.attribute(value)? {
            (path, Value::Tensor(tensor)) => Some((path, tensor)),
            _ => None,
        }
    }

    /// The first tensor of a list.
    fn first_of(&self, value: ValueId) -> Option<(String, Tensor)> {
        if let Some(list) = self.made(value, Prim::ListConstruct) {
            return self.tensor(*list.inputs().first()?);
        }
        let (path, list) = self.attribute(value)?;
        match list.list_items().ok()?.first()? {
            Value::Tensor(tensor) => Some((path, tensor.clone())),
            _ => None,
        }
    }

    /// The attribute that a value is, and the path of the module that has it.
    fn attribute(&self, value: ValueId) -> Option<(String, Value)> {
        let node = self.made(value, Prim::GetAttr)?;
        let (path, owner) = self.object(*node.inputs().first()?, DEPTH)?;
        Some((path, owner.get(node.str_attr("name")?)?))
    }

    /// The object that a value is, and its path from the module.
    fn object(&self, value: ValueId, depth: usize) -> Option<(String, Arc<Object>)> {
        if self.graph.inputs().first() == Some(&value) {
            return Some((String::new(), self.root.clone()));
        }
        let node = self.made(value, Prim::GetAttr)?;
        let (path, owner) = self.object(*node.inputs().first()?, depth.checked_sub(1)?)?;
        let name = node.str_attr("name")?;
        match owner.get(name)? {
            Value::Object(object) if path.is_empty() => Some((name.to_string(), object)),
            Value::Object(object) => Some((format!("{path}.{name}"), object)),
            _ => None,
        }
    }
}

/// What a convolution takes whose weight has so many dimensions.
fn image(channels: usize, rank: usize) -> Option<String> {
    let rest = match rank {
        3 => "length",
        4 => "height, width",
        5 => "depth, height, width",
        _ => return None,
    };
    Some(format!("(batch, {channels}, {rest})"))
}
