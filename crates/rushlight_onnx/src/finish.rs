//! From the nodes of an export to a model: outputs get their names, what nobody uses goes away, weights find their place.

use crate::exporter::Exporter;
use crate::proto::{Attribute, Declared, Graph, Initializer, Model, Name, Node, require_type};
use crate::symbol::{Symbol, declared_dims};
use crate::{naming, norms, older, ops};
use rushlight_types::{Fault, Result};
use std::collections::{HashMap, HashSet};

/// What a message of protobuf can hold, with some room for the nodes.
const LARGEST: usize = (1 << 31) - (1 << 24);

/// The version of the format that goes with a version of the operators.
fn ir_version(opset: i64) -> i64 {
    match opset {
        ..12 => 6,
        12..15 => 7,
        15..19 => 8,
        _ => 9,
    }
}

/// The model of what was exported.
pub(crate) fn finish(
    mut exporter: Exporter<'_>,
    inputs: Vec<Declared>,
    results: Vec<Symbol>,
) -> Result<Model> {
    let options = exporter.options;
    let given = options.output_names.len();
    if given > results.len() {
        return Err(Fault::runtime(format!(
            "number of output names provided ({given}) exceeded number of outputs ({})",
            results.len()
        )));
    }
    let mut names: HashMap<Name, Name> = HashMap::new();
    let mut outputs = Vec::new();
    for (at, result) in results.iter().enumerate() {
        let mut name = exporter.name_of(result)?;
        let nodes = &exporter.blocks[0];
        let is_made = nodes.iter().any(|node| node.outputs.contains(&name));
        if !is_made || names.contains_key(&name) {
            exporter.scopes.clear();
            name = exporter.apply("Identity", &name);
        }
        let wanted: Name = match options.output_names.get(at) {
            Some(wanted) => wanted.as_str().into(),
            None => exporter.fresh().to_string().into(),
        };
        let named = options.dynamic_axes.iter().find(|(of, _)| **of == *wanted);
        let kind = exporter.blocks[0]
            .iter()
            .find(|node| node.outputs.contains(&name))
            .map_or("", |node| &*node.kind)
            .to_string();
        let unnamed = |dim: usize| format!("{kind}{wanted}_dim_{dim}");
        let (dtype, mut dims) = match result {
            Symbol::Tensor(cell) => {
                let state = cell.borrow();
                let dims = declared_dims(&state, &exporter.axes, unnamed);
                (state.example.dtype(), dims)
            }
            number => (ops::dtype_of(number), Vec::new()),
        };
        for (at, (axis, called)) in named.iter().flat_map(|(_, axes)| axes).enumerate() {
            let rank = dims.len() as i64;
            let dim = if *axis < 0 { *axis + rank } else { *axis };
            if let Some(dim) = usize::try_from(dim).ok().and_then(|dim| dims.get_mut(dim)) {
                let called = match called {
                    Some(called) => called.clone(),
                    None => format!("{wanted}_dynamic_axes_{}", at + 1),
                };
                *dim = crate::proto::Dim::Named(called.as_str().into());
            }
        }
        names.insert(name, wanted.clone());
        outputs.push(Declared {
            name: wanted,
            dtype,
            dims: Some(dims),
        });
    }
    let mut graph = Graph {
        name: "main_graph".into(),
        nodes: std::mem::take(&mut exporter.blocks[0]),
        initializers: std::mem::take(&mut exporter.initializers),
        inputs,
        outputs: Vec::new(),
    };
    naming::rename(&mut graph, &names);
    graph.outputs = outputs;
    if options.inference {
        norms::fold(&mut exporter, &mut graph)?;
    }
    older::restate(&mut exporter, &mut graph)?;
    drop_unused(&mut graph);
    let mut names = HashMap::new();
    naming::telling(&graph, &mut names);
    naming::rename(&mut graph, &names);
    let weights = graph.initializers.iter().map(|initializer| Declared {
        name: initializer.name.clone(),
        dtype: initializer.tensor.dtype(),
        dims: Some(
            initializer
                .tensor
                .sizes()
                .iter()
                .map(|size| crate::proto::Dim::Fixed(*size))
                .collect(),
        ),
    });
    let declared = graph.inputs.iter().chain(&graph.outputs);
    for dtype in declared
        .map(|d| d.dtype)
        .chain(graph.initializers.iter().map(|i| i.tensor.dtype()))
    {
        require_type(dtype)?;
    }
    let bytes = |i: &Initializer| i.tensor.numel() * i.tensor.dtype().size();
    if graph.initializers.iter().map(bytes).sum::<usize>() > LARGEST {
        return Err(Fault::runtime(
            "the weights of this model take more than the 2 GB that a file of ONNX can hold",
        ));
    }
    if options.initializers_as_inputs || !options.export_params {
        let weights: Vec<Declared> = weights.collect();
        graph.inputs.extend(weights);
    }
    if !options.export_params {
        graph.initializers.clear();
    }
    let sets = graph.nodes.iter().map(|node| node.domain.to_string());
    let sets: HashSet<String> = sets.filter(|domain| !domain.is_empty()).collect();
    let custom = sets.into_iter().map(|domain| {
        let known = options
            .custom_opsets
            .iter()
            .find(|(name, _)| *name == domain);
        (domain, known.map_or(1, |(_, version)| *version))
    });
    Ok(Model {
        ir_version: ir_version(options.opset),
        opset: options.opset,
        custom_opsets: custom.collect(),
        graph,
    })
}

/// Takes away nodes and weights that no output depends on.
fn drop_unused(graph: &mut Graph) {
    let mut used: HashSet<Name> = graph.outputs.iter().map(|o| o.name.clone()).collect();
    drop_nodes(graph, &mut used);
    graph.initializers.retain(|i| used.contains(&i.name));
}

fn drop_nodes(graph: &mut Graph, used: &mut HashSet<Name>) {
    used.extend(graph.outputs.iter().map(|o| o.name.clone()));
    let nodes = std::mem::take(&mut graph.nodes);
    let mut kept: Vec<Node> = Vec::new();
    for mut node in nodes.into_iter().rev() {
        if !node.outputs.iter().any(|output| used.contains(output)) {
            continue;
        }
        for (_, attribute) in &mut node.attributes {
            if let Attribute::Graph(inner) = attribute {
                drop_nodes(inner, used);
            }
        }
        used.extend(node.inputs.iter().cloned());
        kept.push(node);
    }
    kept.reverse();
    graph.nodes = kept;
}
