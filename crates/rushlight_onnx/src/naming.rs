//! Names that nobody gave: they tell which operator takes the value first.

use crate::proto::{Attribute, Graph, Name};
use std::collections::HashMap;

/// How names begin that wait for one that tells more.
pub(crate) const UNNAMED: &str = "onnx::?_";

/// Renames values everywhere in a graph.
pub(crate) fn rename(graph: &mut Graph, names: &HashMap<Name, Name>) {
    let change = |name: &mut Name| {
        if let Some(new) = names.get(name) {
            *name = new.clone();
        }
    };
    for node in &mut graph.nodes {
        node.inputs.iter_mut().for_each(change);
        node.outputs.iter_mut().for_each(change);
        for (_, attribute) in &mut node.attributes {
            if let Attribute::Graph(inner) = attribute {
                rename(inner, names);
            }
        }
    }
    graph
        .initializers
        .iter_mut()
        .for_each(|i| change(&mut i.name));
    let declared = graph.inputs.iter_mut().chain(&mut graph.outputs);
    declared.for_each(|d| change(&mut d.name));
}

/// Names for the values that have none, by the first node that takes them.
pub(crate) fn telling(graph: &Graph, names: &mut HashMap<Name, Name>) {
    for node in &graph.nodes {
        for input in &node.inputs {
            if let Some(number) = input.strip_prefix(UNNAMED)
                && !names.contains_key(input)
            {
                names.insert(
                    input.clone(),
                    format!("onnx::{}_{number}", node.kind).into(),
                );
            }
        }
        for (_, attribute) in &node.attributes {
            if let Attribute::Graph(inner) = attribute {
                telling(inner, names);
            }
        }
    }
}
