//! Tracing in Python: the recorder's view of the running program, and the objects that `torch.jit.trace` works with.

pub mod adoption;
mod fork;
mod form;
mod object;
pub mod program;
mod python_call;
pub mod recording;

pub use fork::*;
pub use object::*;
pub use python_call::*;

use crate::convert::to_python;
use crate::handles::{ScriptFunction, ScriptObject};
use crate::identity::PyTensor;
use crate::{errors, state};
use form::{Given, input_form, output_form};
use program::Program;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rushlight::Value;
use rushlight::frontend::trace::{Recorder, modules};
use rushlight::ir::passes::{PassRun, inline};
use rushlight::ir::{Function, Graph, ValueId};
use rushlight::syntax::Span;
use rushlight::types::{AttributeKind, Callable, ClassType, Layer, Object, Observer};
use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};

thread_local! {
    /// The profile of the thread that traces.
    static PROFILE: Cell<Option<Arc<dyn Observer>>> = const { Cell::new(None) };
}

/// A trace in the making.
#[pyclass(name = "Tracer", module = "torch._C", frozen)]
pub struct Tracer {
    recorder: Arc<Recorder>,
    given: Mutex<Given>,
}

#[pymethods]
impl Tracer {
    #[new]
    #[pyo3(signature = (force_outplace, frames_up=0))]
    fn new(force_outplace: bool, frames_up: usize) -> Tracer {
        let program = Program { frames_up };
        let recorder = Recorder::new(rushlight::table(), Box::new(program), force_outplace);
        Tracer {
            recorder: Arc::new(recorder),
            given: Mutex::default(),
        }
    }

    /// Adds the module that is traced; its tensors and submodules are known from here on.
    fn add_root(&self, root: &Bound<'_, ScriptObject>) {
        let object = root.borrow().object.clone();
        let value = self.recorder.add_root(object.ty(), address(&object));
        self.add_attributes(value, &object);
    }

    /// Adds an input and gives the object that the program is to be called with.
    fn add_input<'py>(
        &self,
        name: &str,
        object: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let (form, copy) = input_form(object, &mut given, &|tensor| self.recorder.knows(tensor))?;
        let repeated = std::mem::take(&mut given.repeated);
        self.recorder
            .add_input(name, &form, repeated)
            .map_err(errors::fault)?;
        Ok(copy)
    }

    /// Records calls from here on.
    fn start(&self) -> PyResult<()> {
        recording::begin(self.recorder.clone())?;
        let context = state::context();
        // A profile rests meanwhile.
        let profiling = context.layers() & Layer::Profile as u8 != 0;
        PROFILE.set(context.observer().filter(|_| profiling));
        context.set_layer(Layer::Profile, false);
        context.set_observer(Some(self.recorder.clone()));
        context.set_layer(Layer::Trace, true);
        Ok(())
    }

    /// Records no more calls.
    fn stop(&self) {
        let context = state::context();
        let profile = PROFILE.take();
        context.set_layer(Layer::Trace, false);
        context.set_layer(Layer::Profile, profile.is_some());
        context.set_observer(profile);
        recording::end();
    }

    /// Adds what the program gave.
    fn add_output(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let form = output_form(object)?;
        self.recorder.add_output(&form).map_err(errors::fault)
    }

    /// Begins the call of a module; false when it is not part of the traced one.
    fn enter_module(&self, module: &Bound<'_, ScriptObject>) -> bool {
        let id = address(&module.borrow().object);
        self.recorder.enter_module(id)
    }

    /// Ends the call of a module.
    fn leave_module(&self) {
        self.recorder.leave_module();
    }

    /// Begins the call of a module that becomes no method: what is recorded says that it belongs there.
    fn enter_scope(&self, scope: &str) {
        self.recorder.enter_scope(scope);
    }

    /// Ends it.
    fn leave_scope(&self) {
        self.recorder.leave_scope();
    }

    /// Begins a part of the scope that is in force, as programs do that watch a trace.
    fn push_scope(&self, name: &str) {
        match self.recorder.current_scope() {
            Some(outer) => self.recorder.enter_scope(&format!("{outer}/{name}")),
            None => self.recorder.enter_scope(name),
        }
    }

    /// Ends it.
    fn pop_scope(&self) {
        self.recorder.leave_scope();
    }

    /// The scope that is in force.
    fn current_scope(&self) -> String {
        self.recorder
            .current_scope()
            .map_or_else(String::new, |scope| scope.to_string())
    }

    /// The finished trace as a function.
    fn function(&self, name: &str) -> PyResult<ScriptFunction> {
        let graph = self.finished()?;
        let unit = state::unit();
        let function = unit.declare(&unit.free_name(name), None);
        set_body(&function, graph);
        Ok(ScriptFunction::of(&function))
    }

    /// Makes the finished trace a method of the traced module.
    fn method(&self, root: &Bound<'_, ScriptObject>, name: &str) -> PyResult<()> {
        let class = root.borrow().object.class().clone();
        let graph = self.finished()?;
        // An exported method that calls this one has had it compiled.
        if state::unit().method(&class, name).is_some() {
            let qualified = format!("{}.{name}", class.name());
            return Err(crate::source_unit::already_defined(&qualified));
        }
        define(&class, name, graph);
        Ok(())
    }

    /// The finished trace as a graph.
    fn graph(&self) -> PyResult<crate::ir::PyGraph> {
        Ok(crate::ir::PyGraph(crate::ir::Handle::new(
            self.finished()?,
            None,
        )))
    }
}

impl Tracer {
    fn add_attributes(&self, owner: ValueId, object: &Arc<Object>) {
        for attribute in object.class().attributes() {
            let value = object.get(&attribute.name);
            let (tensor, inner) = match &value {
                // Tensors that are neither parameters nor buffers are constants of a trace.
                Some(Value::Tensor(_)) if attribute.kind == AttributeKind::Plain => continue,
                Some(Value::Tensor(tensor)) => (Some(tensor), None),
                Some(Value::Object(inner)) => (None, Some(inner)),
                // Numbers, texts and the like are not read in traces.
                Some(value) if !value.is_none() && &*attribute.name != "training" => continue,
                _ => (None, None),
            };
            let ty = attribute.ty.clone();
            let id = inner.map(address);
            let added = self
                .recorder
                .add_attribute(owner, &attribute.name, ty, tensor, id);
            if let Some(inner) = inner {
                self.add_attributes(added, inner);
            }
        }
    }

    fn finished(&self) -> PyResult<Graph> {
        let graph = self.recorder.take_graph();
        let mut declare = |class: &Arc<ClassType>, graph: Graph| {
            let name = free_method(class);
            define(class, &name, graph);
            Ok(name)
        };
        let graph = modules::finish(graph, rushlight::table(), &mut declare);
        let mut graph = graph.map_err(errors::fault)?;
        if state::inlines_calls() {
            let mut run = PassRun::new(rushlight::table());
            run.unit = Some(state::unit());
            inline::as_compiled(&mut graph, &mut run);
        }
        Ok(graph)
    }
}

fn address(object: &Arc<Object>) -> usize {
    Arc::as_ptr(object) as usize
}

/// `forward`, or `forward1`, `forward2`, ... of a module that is called more than once.
fn free_method(class: &ClassType) -> String {
    let mut name = "forward".to_string();
    let mut number = 0;
    while class.method(&name).is_some() {
        number += 1;
        name = format!("forward{number}");
    }
    name
}

fn define(class: &Arc<ClassType>, name: &str, graph: Graph) {
    let qualified = format!("{}.{name}", class.name());
    let schema = modules::schema(&graph, name);
    class.add_method(name, Some(Arc::new(schema)));
    let function = state::unit().declare(&qualified, Some(class.clone()));
    set_body(&function, graph);
}

fn set_body(function: &Arc<Function>, graph: Graph) {
    function.set_schema(modules::schema(&graph, function.basename()));
    function.set_graph(graph);
}

/// Calls a script while a trace is recorded: the call becomes one node. `object` is the module that a method is of.
pub fn call_script<'py>(
    py: Python<'py>,
    recorder: &Recorder,
    callable: &Arc<dyn Callable>,
    object: Option<&Arc<Object>>,
    arguments: Vec<Value>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = arguments.clone();
    let result = recording::paused(|| py.detach(|| callable.invoke(state::context(), given)))
        .map_err(|fault| errors::script_fault(py, fault))?;
    if let Some(kind) = untraced(&result) {
        return Err(PyRuntimeError::new_err(format!(
            "Tracer cannot set value trace for type {kind}. Supported types are tensor, tensor list, and tuple of tensors."
        )));
    }
    let recorded = match object {
        None => {
            let function = Value::Function(Arc::new(callable.clone()));
            recorder
                .call_function(function, &arguments, &result)
                .map(|()| true)
        }
        Some(object) => {
            let name = callable.name().rsplit('.').next().unwrap_or_default();
            recorder.call_method(address(object), name, &arguments[1..], &result)
        }
    };
    if !recorded.map_err(errors::fault)? {
        let name = object.map_or_else(String::new, |o| o.class().name().to_string());
        return Err(PyRuntimeError::new_err(format!(
            "Tried to trace <{name} object at {:#x}> but it is not part of the active trace. Modules that are called during a trace must be registered as submodules of the thing being traced.",
            object.map_or(0, address)
        )));
    }
    to_python(py, &result)
}

/// The kind of a value, or of a part of it, that no trace can follow.
fn untraced(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::None => "None",
        Value::Bool(_) => "Bool",
        Value::Int(_) => "Int",
        Value::Float(_) => "Double",
        Value::Complex(_) => "ComplexDouble",
        Value::Str(_) => "String",
        Value::Device(_) => "Device",
        Value::IntList(_) => "Int",
        Value::FloatList(_) => "Double",
        Value::BoolList(_) => "Bool",
        Value::Enum(_) => "Enum",
        Value::Tuple(tuple) => return tuple.items.iter().find_map(untraced),
        Value::List(_) => {
            let items = value.list_items().unwrap_or_default();
            return items.iter().find_map(untraced);
        }
        _ => return None,
    })
}

/// The Python stacks that the nodes of a trace come from, in order.
#[pyfunction]
pub fn trace_places(graph: &crate::ir::PyGraph) -> Vec<String> {
    let graph = graph.0.read();
    let nodes = graph.nodes(graph.top()).into_iter();
    nodes.map(|n| place(graph.node(n).span.as_ref())).collect()
}

fn place(span: Option<&Span>) -> String {
    span.map_or_else(String::new, |span| span.text().to_string())
}

/// The tensors that a trace holds: the text of the node, the stack it comes from, the tensor.
#[pyfunction]
pub fn trace_constants(graph: &crate::ir::PyGraph) -> Vec<(String, String, PyTensor)> {
    let handle = &graph.0;
    let graph = handle.read();
    let names = handle.names(&graph);
    let nodes = graph.nodes(graph.top()).into_iter();
    nodes
        .filter_map(|n| {
            let output = *graph.node(n).outputs().first()?;
            match graph.constant(output)? {
                Value::Tensor(tensor) => Some((
                    graph.node_text_by(&names, n),
                    place(graph.node(n).span.as_ref()),
                    PyTensor::new(tensor),
                )),
                _ => None,
            }
        })
        .collect()
}
