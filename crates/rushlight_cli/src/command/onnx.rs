//! `rushlight convert model.pt ARGUMENTS -o model.onnx`: a model of ONNX, by one run on example inputs.

use super::weights;
use crate::{Done, Failure, abbreviate};
use rushlight::types::{Callable, Type};
use rushlight::{Module, Value};
use rushlight_onnx::proto::Declared;
use rushlight_onnx::{DynamicAxes, Input, OPSETS, Options, Program, export};

/// The version of ONNX's operators that is written unless another is asked for.
const OPSET: i64 = 20;

/// How to export.
pub struct Request<'r> {
    pub arguments: Vec<Value>,
    pub opset: Option<i64>,
    /// `NAME:AXIS` or `NAME:AXIS=CALLED`.
    pub dynamic: &'r [String],
}

/// The bytes of the model.
pub fn bytes(module: &Module, request: Request<'_>) -> Done<Vec<u8>> {
    let forward = module.method("forward");
    let forward = forward.map_err(|e| Failure(e.message().to_string()))?;
    let schema = forward.schema();
    let formal = schema.arguments.get(1..).unwrap_or_default();
    let mut values = request.arguments;
    let left = formal.get(values.len()..).unwrap_or_default();
    values.extend(left.iter().filter_map(|a| a.default.clone()));
    if values.len() != formal.len() {
        return Err(Failure(format!(
            "an ONNX model is written from one run: give example inputs behind the archive, as `run` takes them\n\
             {schema} is what runs"
        )));
    }
    let graph = forward
        .graph()
        .ok_or_else(|| Failure("forward has no graph".into()))?;
    module.eval();
    let tensors = weights::taken(module)?;
    let first = Input::Module(module.object().clone(), tensors);
    let arguments = values.into_iter().map(Input::Argument);
    let program = Program {
        graph: &graph,
        inputs: std::iter::once(first).chain(arguments).collect(),
        unit: forward.unit(),
        context: module.context(),
        table: rushlight::table(),
    };
    let options = Options {
        opset: request.opset.unwrap_or(OPSET),
        fold: true,
        export_params: true,
        initializers_as_inputs: false,
        inference: true,
        // Called as the declaration has them, and not as values of the graph.
        input_names: match formal.iter().all(|a| matches!(a.ty, Type::Tensor(_))) {
            true => formal.iter().map(|a| a.name.to_string()).collect(),
            false => Vec::new(),
        },
        output_names: Vec::new(),
        dynamic_axes: axes(request.dynamic)?,
        custom_opsets: Vec::new(),
    };
    if !OPSETS.contains(&options.opset) {
        let (first, last) = (OPSETS.start(), OPSETS.end());
        return Err(Failure(format!("--opset is one of {first} to {last}")));
    }
    let model = export(&program, &options);
    let model = model.map_err(|fault| Failure(abbreviate::message(fault.message())))?;
    known(&options.dynamic_axes, &model.graph.inputs)?;
    Ok(model.encode())
}

/// Whether the axes that vary are those of inputs.
fn known(axes: &DynamicAxes, inputs: &[Declared]) -> Done {
    for (name, axes) in axes {
        let Some(input) = inputs.iter().find(|input| *input.name == **name) else {
            let names: Vec<&str> = inputs.iter().map(|input| &*input.name).collect();
            return Err(Failure(format!(
                "--dynamic {name}: the model has no such input; it has: {}",
                names.join(", ")
            )));
        };
        let Some(dims) = &input.dims else {
            continue;
        };
        let rank = dims.len() as i64;
        if let Some((axis, _)) = axes.iter().find(|(axis, _)| !(-rank..rank).contains(axis)) {
            return Err(Failure(format!(
                "--dynamic {name}:{axis}: the input has {rank} axes, 0 to {}",
                rank - 1
            )));
        }
    }
    Ok(())
}

/// The axes that vary.
fn axes(texts: &[String]) -> Done<DynamicAxes> {
    let mut out: DynamicAxes = Vec::new();
    for text in texts {
        let (place, called) = match text.split_once('=') {
            Some((place, called)) => (place, Some(called.to_string())),
            None => (text.as_str(), None),
        };
        let parts = place.rsplit_once(':');
        let Some((name, Ok(axis))) = parts.map(|(name, axis)| (name, axis.parse())) else {
            return Err(Failure(format!(
                "--dynamic {text}: an input and one of its axes are wanted, as in x:0 or x:0=batch"
            )));
        };
        match out.iter_mut().find(|(known, _)| known == name) {
            Some((_, axes)) => axes.push((axis, called)),
            None => out.push((name.to_string(), vec![(axis, called)])),
        }
    }
    Ok(out)
}
