//! Models for versions of the operators before 13: what these take otherwise is restated.
//!
//! Exports are written as version 13 has operators. Before that axes and lengths are attributes, so they have to be known when a model is
//! exported; [`crate::ops`] sees to softmax, which needs ranks.

use crate::exporter::Exporter;
use crate::proto::{Attribute, Graph, Name, Node};
use rushlight_tensor::{DType, Tensor};
use rushlight_types::{Fault, Result};
use std::collections::HashMap;

/// Restates the nodes of a graph for the version that is asked for.
pub(crate) fn restate(exporter: &mut Exporter<'_>, graph: &mut Graph) -> Result<()> {
    if exporter.opset() >= 13 {
        return Ok(());
    }
    let known = graph.initializers.iter();
    let mut known = known.map(|i| (i.name.clone(), i.tensor.clone())).collect();
    restate_in(exporter, graph, &mut known)
}

/// Restates a graph, or a body within it; the tensors that are known there by name.
fn restate_in(
    exporter: &mut Exporter<'_>,
    graph: &mut Graph,
    known: &mut HashMap<Name, Tensor>,
) -> Result<()> {
    let opset = exporter.opset();
    for mut node in std::mem::take(&mut graph.nodes) {
        for (_, attribute) in &mut node.attributes {
            if let Attribute::Graph(body) = attribute {
                restate_in(exporter, body, known)?;
            }
        }
        if !node.domain.is_empty() {
            graph.nodes.push(node);
            continue;
        }
        match &*node.kind {
            "Constant" => {
                if let Some((_, Attribute::Tensor(value))) = node.attributes.first() {
                    known.insert(node.outputs[0].clone(), value.clone());
                }
            }
            "Squeeze" | "Unsqueeze" | "ReduceSum" => attribute(&mut node, "axes", known, opset)?,
            "Split" => attribute(&mut node, "split", known, opset)?,
            "Resize" => {
                // Regions and scales are always there, empty where there are none.
                for at in 1..node.inputs.len().min(3) {
                    if node.inputs[at].is_empty() {
                        node.inputs[at] = exporter.fresh().to_string().into();
                        let nothing = Attribute::Tensor(Tensor::zeros(&[0], DType::F32)?);
                        graph.nodes.push(Node {
                            attributes: vec![("value", nothing)],
                            ..before(&node, "Constant", Vec::new(), &node.inputs[at])
                        });
                    }
                }
            }
            "GreaterOrEqual" | "LessOrEqual" if opset < 12 => {
                let opposite = match &*node.kind {
                    "GreaterOrEqual" => "Less",
                    _ => "Greater",
                };
                let found: Name = exporter.fresh().to_string().into();
                let inputs = std::mem::replace(&mut node.inputs, vec![found.clone()]);
                graph.nodes.push(before(&node, opposite, inputs, &found));
                node.kind = "Not".into();
            }
            // The first of equals is chosen in any case.
            "ArgMax" | "ArgMin" if opset < 12 => {
                node.attributes
                    .retain(|(name, _)| *name != "select_last_index");
            }
            "Celu" | "Dropout" | "Einsum" if opset < 12 => {
                return Err(unsupported(&node.kind, "", opset));
            }
            "GatherND" if opset < 12 && !node.attributes.is_empty() => {
                return Err(unsupported(&node.kind, " in batches", opset));
            }
            _ => {}
        }
        graph.nodes.push(node);
    }
    Ok(())
}

/// A node for another to take the output of.
fn before(node: &Node, kind: &str, inputs: Vec<Name>, output: &Name) -> Node {
    Node {
        name: format!("{}_of_{output}", node.name),
        kind: kind.into(),
        domain: "".into(),
        inputs,
        outputs: vec![output.clone()],
        attributes: Vec::new(),
    }
}

/// Makes an attribute of the second input.
fn attribute(
    node: &mut Node,
    name: &'static str,
    known: &HashMap<Name, Tensor>,
    opset: i64,
) -> Result<()> {
    if node.inputs.len() < 2 {
        return Ok(());
    }
    let given = node.inputs.remove(1);
    node.inputs.truncate(1);
    if given.is_empty() {
        return Ok(());
    }
    let Some(value) = known.get(&given) else {
        return Err(unsupported(
            &node.kind,
            " by numbers that are computed",
            opset,
        ));
    };
    let numbers = Attribute::Ints(value.to_vec::<i64>());
    node.attributes.push((name, numbers));
    Ok(())
}

fn unsupported(kind: &str, how: &str, opset: i64) -> Fault {
    Fault::runtime(format!(
        "ONNX opset version {opset} has no '{kind}'{how}; a later opset_version has"
    ))
}
