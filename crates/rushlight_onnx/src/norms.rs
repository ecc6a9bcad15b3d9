//! Batch norms of models for inference become part of the convolutions before them.

use crate::exporter::Exporter;
use crate::naming;
use crate::proto::{Attribute, Graph, Initializer, Name};
use crate::symbol::Symbol;
use rushlight_tensor::{Scalar, Tensor};
use rushlight_types::{Fault, Result, Value};

/// Folds the norms of a graph.
pub(crate) fn fold(exporter: &mut Exporter<'_>, graph: &mut Graph) -> Result<()> {
    let mut at = 0;
    while at < graph.nodes.len() {
        if let Some(before) = convolution_before(graph, at) {
            fold_one(exporter, graph, before, at)?;
        } else {
            at += 1;
        }
    }
    Ok(())
}

/// The convolution that only the norm at `at` uses.
fn convolution_before(graph: &Graph, at: usize) -> Option<usize> {
    let norm = &graph.nodes[at];
    if &*norm.kind != "BatchNormalization" || norm.outputs.len() != 1 {
        return None;
    }
    let input = &norm.inputs[0];
    let before = graph.nodes.iter().position(|n| n.outputs.contains(input))?;
    let convolution = &graph.nodes[before];
    let is_weight = |name: &Name| weight(graph, name).is_some();
    let fits = &*convolution.kind == "Conv"
        && convolution.inputs[1..].iter().all(is_weight)
        && norm.inputs[1..].iter().all(is_weight)
        && uses(graph, input) == 1
        && graph.outputs.iter().all(|output| output.name != *input);
    fits.then_some(before)
}

fn weight<'g>(graph: &'g Graph, name: &Name) -> Option<&'g Tensor> {
    let found = graph.initializers.iter().find(|i| i.name == *name);
    found.map(|initializer| &initializer.tensor)
}

fn uses(graph: &Graph, name: &Name) -> usize {
    let count = |node: &crate::proto::Node| {
        let own = node.inputs.iter().filter(|input| *input == name).count();
        let inner = node
            .attributes
            .iter()
            .map(|(_, attribute)| match attribute {
                Attribute::Graph(inner) => uses(inner, name),
                _ => 0,
            });
        own + inner.sum::<usize>()
    };
    graph.nodes.iter().map(count).sum()
}

fn fold_one(
    exporter: &mut Exporter<'_>,
    graph: &mut Graph,
    before: usize,
    at: usize,
) -> Result<()> {
    let norm = &graph.nodes[at];
    let epsilon = norm
        .attributes
        .iter()
        .find_map(|(name, value)| match value {
            Attribute::Float(number) if *name == "epsilon" => Some(*number),
            _ => None,
        });
    let convolution = &graph.nodes[before];
    let missing = || Fault::internal("a weight has gone");
    let tensor = |name: &Name| weight(graph, name).cloned().ok_or_else(missing);
    let kernel = tensor(&convolution.inputs[1])?;
    let bias = convolution.inputs.get(2).map(tensor).transpose()?;
    let [gain, shift, mean, variance] = [1, 2, 3, 4].map(|k| tensor(&norm.inputs[k]));
    let (gain, shift, mean, variance) = (gain?, shift?, mean?, variance?);
    let mut call = |name: &str, given: &[(&str, Value)]| -> Result<Tensor> {
        let mut symbols = Vec::new();
        for (argument, value) in given {
            symbols.push((
                *argument,
                match value {
                    Value::Tensor(tensor) => exporter.known_tensor(tensor.clone(), false),
                    other => exporter.lift(other)?,
                },
            ));
        }
        match exporter.call(name, &symbols)? {
            Symbol::Tensor(cell) => Ok(cell.borrow().example.clone()),
            _ => Err(Fault::internal("weights are tensors")),
        }
    };
    let pair = |a: &Tensor, b: &Tensor| {
        [
            ("self", Value::Tensor(a.clone())),
            ("other", Value::Tensor(b.clone())),
        ]
    };
    let epsilon = Tensor::scalar(Scalar::Float(epsilon.unwrap_or(1e-5)), variance.dtype());
    let spread = call("aten::add.Tensor", &pair(&variance, &epsilon))?;
    let spread = call("aten::sqrt", &[("self", Value::Tensor(spread))])?;
    let factor = call("aten::div.Tensor", &pair(&gain, &spread))?;
    let mut column = vec![1; kernel.rank()];
    column[0] = factor.numel() as i64;
    let column = call(
        "aten::reshape",
        &[
            ("self", Value::Tensor(factor.clone())),
            ("shape", column.into()),
        ],
    )?;
    let kernel = call("aten::mul.Tensor", &pair(&kernel, &column))?;
    let centre = match bias {
        Some(bias) => call("aten::sub.Tensor", &pair(&bias, &mean))?,
        None => call("aten::neg", &[("self", Value::Tensor(mean))])?,
    };
    let bias = call("aten::mul.Tensor", &pair(&centre, &factor))?;
    let bias = call("aten::add.Tensor", &pair(&bias, &shift))?;
    let norm = graph.nodes.remove(at);
    let mut named = |tensor: Tensor| -> Name {
        let name: Name = format!("{}{}", naming::UNNAMED, exporter.fresh()).into();
        graph.initializers.push(Initializer {
            name: name.clone(),
            tensor,
        });
        name
    };
    let (kernel, bias) = (named(kernel), named(bias));
    let convolution = &mut graph.nodes[before];
    convolution.inputs.truncate(1);
    convolution.inputs.extend([kernel, bias]);
    convolution.outputs = norm.outputs;
    Ok(())
}
