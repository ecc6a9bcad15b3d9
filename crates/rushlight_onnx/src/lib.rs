//! Graphs as ONNX models.
//!
//! [`export`] runs a graph once on example inputs and writes down, operator by operator, the nodes of a model that does the
//! same. What is known by then - sizes that do not vary, numbers, weights - is computed at once and stands in the model as
//! a constant; modules are entered, branches and loops become `If` and `Loop` where the data decides. `ops` has a row for
//! every operator that can be exported, `proto` writes the file. Nothing here knows the file system or Python.

mod control;
mod exporter;
mod finish;
mod naming;
mod norms;
mod older;
mod ops;
pub mod proto;
mod symbol;
mod walk;

pub use ops::operator_names;

use exporter::Exporter;
use proto::{Declared, Dim, Model, Name};
use rushlight_ir::{Graph, Unit};
use rushlight_tensor::Tensor;
use rushlight_types::{Context, Fault, Object, OperatorTable, Result, Value};
use std::rc::Rc;
use std::sync::Arc;
use symbol::{Axis, Extent, Symbol, WORLDS};

/// The versions of ONNX's operators that models can be written for.
pub const OPSETS: std::ops::RangeInclusive<i64> = 11..=20;

/// Inputs and outputs by name, each with its axes that vary and what those are called.
pub type DynamicAxes = Vec<(String, Vec<(i64, Option<String>)>)>;

/// How to export.
pub struct Options {
    /// The version of ONNX's operators.
    pub opset: i64,
    /// Whether what follows from the weights alone is computed now.
    pub fold: bool,
    /// Whether weights are part of the model; they are inputs otherwise.
    pub export_params: bool,
    /// Whether weights are inputs too.
    pub initializers_as_inputs: bool,
    /// Whether the model is one for inference: norms become part of the convolutions before them.
    pub inference: bool,
    pub input_names: Vec<String>,
    pub output_names: Vec<String>,
    /// The axes of inputs and outputs that vary, with their names.
    pub dynamic_axes: DynamicAxes,
    /// Other sets of operators, with their versions.
    pub custom_opsets: Vec<(String, i64)>,
}

/// An input of the graph that is exported.
pub enum Input {
    /// What the model is called with: tensors become inputs of the model, everything else part of it.
    Argument(Value),
    /// A tensor of the module.
    Parameter(String, Tensor),
    /// The module, with the names of its tensors.
    Module(Arc<Object>, Vec<(String, Tensor)>),
}

/// What is exported.
pub struct Program<'a> {
    pub graph: &'a Graph,
    /// What the graph is called with, in order.
    pub inputs: Vec<Input>,
    /// Where the functions are that the graph calls.
    pub unit: Option<Arc<Unit>>,
    pub context: &'a Context,
    pub table: &'static OperatorTable,
}

/// The model of a graph.
pub fn export(program: &Program<'_>, options: &Options) -> Result<Model> {
    if !OPSETS.contains(&options.opset) {
        return Err(Fault::runtime(format!(
            "Unsupported onnx_opset_version: {}",
            options.opset
        )));
    }
    let mut exporter = Exporter::new(
        program.table,
        program.context,
        program.unit.clone(),
        options,
    );
    exporter.copies_state = walk::may_write(program.graph);
    exporter.skip_numbers(program.inputs.len());
    let mut inputs = Inputs::default();
    let mut symbols = Vec::new();
    let pairs = program.graph.inputs().iter().zip(&program.inputs);
    for (at, (value, input)) in pairs.enumerate() {
        symbols.push(match input {
            Input::Argument(argument) => {
                let name = match &program.graph.value(*value).name {
                    Some(name) => name.to_string(),
                    None => format!("{}{at}", naming::UNNAMED),
                };
                inputs.take(&mut exporter, &name, argument)?
            }
            Input::Parameter(name, tensor) => exporter.parameter(tensor, name.as_str().into()),
            Input::Module(object, tensors) => {
                for (name, tensor) in tensors {
                    exporter.parameter(tensor, name.as_str().into());
                }
                exporter.enter_object(object, "");
                Symbol::Known(Value::Object(object.clone()))
            }
        });
    }
    let given = options.input_names.len();
    if given > inputs.declared.len() {
        return Err(Fault::runtime(format!(
            "number of input names provided ({given}) exceeded number of inputs ({})",
            inputs.declared.len()
        )));
    }
    let results = exporter.graph(program.graph, symbols)?;
    let mut outputs = Vec::new();
    results
        .iter()
        .for_each(|result| flatten(result, &mut outputs));
    finish::finish(exporter, inputs.declared, outputs)
}

/// The tensors of a result, in order.
fn flatten(symbol: &Symbol, out: &mut Vec<Symbol>) {
    match symbol {
        Symbol::Known(Value::None) => {}
        Symbol::List(list) => list
            .items
            .borrow()
            .iter()
            .for_each(|item| flatten(item, out)),
        Symbol::Tuple(items) => items.iter().for_each(|item| flatten(item, out)),
        Symbol::Dict(dict) => {
            let entries = dict.items.borrow();
            entries.iter().for_each(|(_, item)| flatten(item, out));
        }
        other => out.push(other.clone()),
    }
}

/// The inputs of the model.
#[derive(Default)]
struct Inputs {
    declared: Vec<Declared>,
}

impl Inputs {
    /// What an argument is for the graph; its tensors become inputs.
    fn take(&mut self, exporter: &mut Exporter<'_>, name: &str, value: &Value) -> Result<Symbol> {
        match value {
            Value::Tensor(tensor) => self.tensor(exporter, name, tensor),
            value if value.is_list() => {
                let items = self.all(exporter, name, value.list_items()?)?;
                Ok(exporter.list(items))
            }
            Value::Tuple(tuple) => {
                let items = self.all(exporter, name, tuple.items.to_vec())?;
                Ok(Symbol::Tuple(Rc::new(items)))
            }
            other => exporter.lift(other),
        }
    }

    fn all(
        &mut self,
        exporter: &mut Exporter<'_>,
        name: &str,
        items: Vec<Value>,
    ) -> Result<Vec<Symbol>> {
        let numbered = items.iter().enumerate();
        numbered
            .map(|(index, item)| self.take(exporter, &format!("{name}.{index}"), item))
            .collect()
    }

    fn tensor(
        &mut self,
        exporter: &mut Exporter<'_>,
        name: &str,
        tensor: &Tensor,
    ) -> Result<Symbol> {
        let options = exporter.options;
        let name: Name = match options.input_names.get(self.declared.len()) {
            Some(given) => given.as_str().into(),
            None => name.into(),
        };
        let axes = options.dynamic_axes.iter().find(|(of, _)| **of == *name);
        let mut dims: Vec<Dim> = tensor.sizes().iter().map(|s| Dim::Fixed(*s)).collect();
        let mut elsewhere = [tensor.sizes().to_vec(), tensor.sizes().to_vec()];
        for (at, (axis, called)) in axes.iter().flat_map(|(_, axes)| axes).enumerate() {
            let dim = if *axis < 0 {
                *axis + tensor.rank() as i64
            } else {
                *axis
            };
            let Some(dim) = usize::try_from(dim).ok().filter(|d| *d < tensor.rank()) else {
                continue;
            };
            let called: Rc<str> = match called {
                Some(called) => called.as_str().into(),
                None => format!("{name}_dynamic_axes_{}", at + 1).into(),
            };
            dims[dim] = Dim::Named(called.clone());
            let axis = Axis::new(called, tensor.size(dim));
            for (sizes, size) in elsewhere.iter_mut().zip(axis.elsewhere) {
                sizes[dim] = size;
            }
            exporter.axes.push(axis);
        }
        let varies = dims.iter().any(|dim| matches!(dim, Dim::Named(_)));
        let extent = match varies {
            false => Extent::Fixed,
            true => {
                let mut worlds: [Option<Tensor>; WORLDS] = Default::default();
                for (world, sizes) in worlds.iter_mut().zip(&elsewhere) {
                    *world = Some(Tensor::empty(sizes, tensor.dtype())?.to_meta()?);
                }
                Extent::Varying(worlds)
            }
        };
        self.declared.push(Declared {
            name: name.clone(),
            dtype: tensor.dtype(),
            dims: Some(dims),
        });
        Ok(exporter.computed_tensor(tensor.deep_copy(), name, extent))
    }
}
