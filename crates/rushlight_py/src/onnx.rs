//! `torch.onnx.export`: a graph and its inputs as an ONNX model.

use crate::convert::{from_python, infer, type_name};
use crate::errors;
use crate::handles::ScriptObject;
use crate::identity::PyTensor;
use crate::ir::PyGraph;
use crate::state;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rushlight::Tensor;
use rushlight::types::Type;
use rushlight_onnx::{DynamicAxes, Input, Options, Program, export};

/// How to export, as the Python function was told.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Settings {
    opset: i64,
    fold: bool,
    export_params: bool,
    initializers_as_inputs: bool,
    inference: bool,
    input_names: Vec<String>,
    output_names: Vec<String>,
    dynamic_axes: DynamicAxes,
    custom_opsets: Vec<(String, i64)>,
}

/// The bytes of a model that does what a graph does. The graph takes the module, where one is given, then the arguments; where
/// none is given, the tensors of the state come behind the arguments.
#[pyfunction]
pub fn export_onnx<'py>(
    py: Python<'py>,
    graph: &PyGraph,
    module: Option<PyRef<'py, ScriptObject>>,
    arguments: Vec<Bound<'py, PyAny>>,
    named: Vec<(String, Bound<'py, PyTensor>)>,
    settings: Settings,
) -> PyResult<Bound<'py, PyBytes>> {
    let body = graph.0.read().clone();
    let named: Vec<(String, Tensor)> = named
        .into_iter()
        .map(|(name, tensor)| (name, tensor.borrow().0.clone()))
        .collect();
    let unit = match &module {
        Some(module) => Some(module.unit.clone()),
        None => graph.0.unit().cloned(),
    };
    let mut inputs = Vec::new();
    let first = usize::from(module.is_some());
    for (argument, value) in arguments.iter().zip(&body.inputs()[first..]) {
        let ty = body.ty(*value);
        let value = match ty {
            Type::Tensor(_) => infer(argument)?,
            ty => from_python(argument, ty).ok_or_else(|| {
                PyTypeError::new_err(format!(
                    "expected a value of type {ty}, but {} was given",
                    type_name(argument)
                ))
            })?,
        };
        inputs.push(Input::Argument(value));
    }
    match module {
        Some(module) => inputs.insert(0, Input::Module(module.object.clone(), named)),
        None => inputs.extend(named.into_iter().map(|(n, t)| Input::Parameter(n, t))),
    }
    let options = Options {
        opset: settings.opset,
        fold: settings.fold,
        export_params: settings.export_params,
        initializers_as_inputs: settings.initializers_as_inputs,
        inference: settings.inference,
        input_names: settings.input_names,
        output_names: settings.output_names,
        dynamic_axes: settings.dynamic_axes,
        custom_opsets: settings.custom_opsets,
    };
    let bytes = py.detach(|| {
        let program = Program {
            graph: &body,
            inputs,
            unit,
            context: state::context(),
            table: rushlight::table(),
        };
        export(&program, &options).map(|model| model.encode())
    });
    Ok(PyBytes::new(py, &bytes.map_err(errors::fault)?))
}

/// The operators that can be exported.
#[pyfunction]
pub fn onnx_operators() -> Vec<&'static str> {
    rushlight_onnx::operator_names()
}
