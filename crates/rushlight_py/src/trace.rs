//! Tracing in Python: the recorder's view of the running program, and the objects that `torch.jit.trace` works with.

use crate::convert::to_python;
use crate::module::ScriptObject;
use crate::modules::concrete;
use crate::script::ScriptFunction;
use crate::tensor::PyTensor;
use crate::{errors, state};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use rushlight::frontend::trace::{Form, Host, Recorder, Stash, modules};
use rushlight::ir::{Function, Graph, ValueId};
use rushlight::syntax::{Source, Span};
use rushlight::types::{AttributeKind, Callable, ClassType, Layer, Object, Type};
use rushlight::{DType, Tensor, Value};
use std::cell::Cell;
use std::sync::{Arc, Mutex};

/// The recorder of the trace that is going on.
static CURRENT: Mutex<Option<Arc<Recorder>>> = Mutex::new(None);

thread_local! {
    /// Where a call is said to come from that Python code of the reference makes.
    static ORIGIN: Cell<Option<(&'static str, u32)>> = const { Cell::new(None) };
}

/// Whether operator calls are being recorded.
#[inline]
pub fn is_on() -> bool {
    state::context().layers() & Layer::Trace as u8 != 0
}

/// The recorder, while calls are being recorded.
pub fn current() -> Option<Arc<Recorder>> {
    if !is_on() {
        return None;
    }
    CURRENT.lock().ok()?.clone()
}

/// Whether operator calls are being recorded.
#[pyfunction]
pub fn is_tracing() -> bool {
    is_on()
}

/// Runs something whose operator calls are not recorded.
pub fn paused<R>(run: impl FnOnce() -> R) -> R {
    let context = state::context();
    let on = is_on();
    context.set_layer(Layer::Trace, false);
    let result = run();
    context.set_layer(Layer::Trace, on);
    result
}

/// Runs something whose operator calls are said to come from a place in the reference's library.
pub fn from_library<R>(file: &'static str, line: u32, run: impl FnOnce() -> R) -> R {
    let before = ORIGIN.replace(Some((file, line)));
    let result = run();
    ORIGIN.set(before);
    result
}

/// Operators that the reference calls from Python code of its own: traces show no variable and no line of the program.
const FROM_LIBRARY: &[(&str, &str, u32)] = &[
    ("aten::split", "torch/_tensor.py", 1069),
    ("aten::split_with_sizes", "torch/_tensor.py", 1069),
    ("aten::einsum", "torch/functional.py", 372),
    ("aten::norm", "torch/functional.py", 1866),
    ("aten::cdist", "torch/functional.py", 1535),
    ("aten::meshgrid", "torch/functional.py", 504),
    ("aten::_unique2", "torch/functional.py", 973),
    ("aten::tensordot", "torch/functional.py", 1407),
    ("aten::broadcast_tensors", "torch/functional.py", 76),
    ("aten::stft", "torch/functional.py", 730),
    ("aten::istft", "torch/_tensor.py", 986),
    ("aten::cartesian_prod", "torch/functional.py", 1451),
    ("aten::block_diag", "torch/functional.py", 1485),
    ("aten::atleast_1d", "torch/functional.py", 1580),
    ("aten::atleast_2d", "torch/functional.py", 1620),
    ("aten::atleast_3d", "torch/functional.py", 1660),
    ("aten::chain_matmul", "torch/functional.py", 1930),
    ("aten::pow_", "torch/_tensor.py", 39),
];

/// Runs the call of an operator that the reference makes from where [`FROM_LIBRARY`] says.
pub fn calling<R>(operator: &str, run: impl FnOnce() -> R) -> R {
    match FROM_LIBRARY.iter().find(|(name, ..)| *name == operator) {
        Some((_, file, line)) if is_on() => from_library(file, *line, run),
        _ => run(),
    }
}

/// Says which arguments of the next operator call are traced numbers.
pub fn stash(stashed: Vec<Stash>) {
    if let Some(recorder) = current() {
        recorder.stash(stashed);
    }
}

/// Warns that the trace loses something; `what` is the name of the text in `jit/_trace.py`.
pub fn warn(py: Python<'_>, what: &str) -> PyResult<()> {
    if is_on() {
        state::registered(py, "tracer_warning")?.call1((what,))?;
    }
    Ok(())
}

/// The running Python program.
struct Program;

impl Program {
    fn frame(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        py.import("sys")?.getattr("_getframe")?.call1((0,))
    }

    /// The frame that calls operators, beyond functions that stand for built-in ones.
    fn caller(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let mut frame = Program::frame(py)?;
        loop {
            let file: String = frame.getattr("f_code")?.getattr("co_filename")?.extract()?;
            let outer = frame.getattr("f_back")?;
            if !stands_for_builtins(&file) || outer.is_none() {
                return Ok(frame);
            }
            frame = outer;
        }
    }

    fn find(py: Python<'_>, tensor: &Tensor) -> PyResult<Option<String>> {
        if ORIGIN.get().is_some() {
            return Ok(None);
        }
        let locals = Program::caller(py)?.getattr("f_locals")?;
        for item in locals.call_method0("items")?.try_iter()? {
            let (name, value): (String, Bound<'_, PyAny>) = item?.extract()?;
            if let Ok(held) = value.cast::<PyTensor>()
                && held.get().0.is(tensor)
            {
                return Ok((name != "self").then_some(name));
            }
        }
        Ok(None)
    }

    /// The calls around the program's place, innermost first: file, line, function.
    fn stack(py: Python<'_>) -> PyResult<Vec<(String, u32, String)>> {
        let mut out = Vec::new();
        let mut frame = Program::caller(py)?;
        while !frame.is_none() {
            let code = frame.getattr("f_code")?;
            let file: String = code.getattr("co_filename")?.extract()?;
            let line: Option<u32> = frame.getattr("f_lineno")?.extract()?;
            let function: String = code.getattr("co_name")?.extract()?;
            out.push((shown_file(&file), line.unwrap_or(0), function));
            frame = frame.getattr("f_back")?;
        }
        Ok(out)
    }
}

/// Whether a file of our own has functions that are built into the reference.
fn stands_for_builtins(file: &str) -> bool {
    matches!(file.rsplit_once("/rushlight/"), Some((_, inside)) if inside.starts_with('_') && !inside.contains('/'))
}

/// The name of a file as positions show it: our own stand for the reference's.
fn shown_file(file: &str) -> String {
    match file.rsplit_once("/rushlight/") {
        Some((_, inside)) => format!("torch/{inside}"),
        None => file.to_string(),
    }
}

impl Host for Program {
    fn variable(&self, tensor: &Tensor) -> Option<String> {
        Python::attach(|py| Program::find(py, tensor).ok().flatten())
    }

    fn position(&self) -> Option<Span> {
        let stack = Python::attach(|py| Program::stack(py).ok())?;
        let innermost = stack.first()?;
        let (file, line) = match ORIGIN.get() {
            Some((file, line)) => (file, line),
            None => (innermost.0.as_str(), innermost.1),
        };
        let lines: Vec<String> = stack
            .iter()
            .map(|(file, line, function)| format!("{file}({line}): {function}"))
            .collect();
        let text = lines.join("\n") + "\n";
        let end = text.len() as u32;
        Some(Source::with_first_line(file, text, line).span(0..end))
    }
}

/// A trace in the making.
#[pyclass(name = "Tracer", module = "torch._C", frozen)]
pub struct Tracer {
    recorder: Arc<Recorder>,
}

#[pymethods]
impl Tracer {
    #[new]
    fn new(force_outplace: bool) -> Tracer {
        let recorder = Recorder::new(rushlight::table(), Box::new(Program), force_outplace);
        Tracer {
            recorder: Arc::new(recorder),
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
        let (form, copy) = input_form(object)?;
        self.recorder
            .add_input(name, &form)
            .map_err(errors::fault)?;
        Ok(copy)
    }

    /// Records calls from here on.
    fn start(&self) -> PyResult<()> {
        let mut current = CURRENT
            .lock()
            .map_err(|_| PyRuntimeError::new_err("the tracer is in disorder"))?;
        if current.is_some() {
            return Err(PyRuntimeError::new_err("a trace is being recorded already"));
        }
        *current = Some(self.recorder.clone());
        state::context().set_observer(Some(self.recorder.clone()));
        state::context().set_layer(Layer::Trace, true);
        Ok(())
    }

    /// Records no more calls.
    fn stop(&self) {
        state::context().set_layer(Layer::Trace, false);
        state::context().set_observer(None);
        if let Ok(mut current) = CURRENT.lock() {
            *current = None;
        }
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
                Some(Value::Tensor(tensor)) => (Some(tensor), None),
                Some(Value::Object(inner)) => (None, Some(inner)),
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
        modules::finish(graph, rushlight::table(), &mut declare).map_err(errors::fault)
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

/// An input: its form, and the object with tensors of its own.
fn input_form<'py>(object: &Bound<'py, PyAny>) -> PyResult<(Form, Bound<'py, PyAny>)> {
    let py = object.py();
    if let Ok(tensor) = object.cast::<PyTensor>() {
        let original = &tensor.get().0;
        let copy = original.alias();
        copy.set_requires_grad(original.requires_grad());
        let out = PyTensor(copy.clone()).into_bound_py_any(py)?;
        return Ok((Form::Tensor(copy), out));
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        let (mut entries, out) = (Vec::new(), PyDict::new(py));
        for (key, value) in dict.iter() {
            let (form, copy) = input_form(&value)?;
            out.set_item(&key, copy)?;
            entries.push((key.str()?.to_string(), form));
        }
        let element = element_type(entries.iter().map(|(_, form)| form));
        return Ok((Form::Dict(entries, element), out.into_any()));
    }
    let (mut forms, mut copies) = (Vec::new(), Vec::new());
    for item in object.try_iter()? {
        let (form, copy) = input_form(&item?)?;
        forms.push(form);
        copies.push(copy);
    }
    if object.cast::<PyList>().is_ok() {
        let element = element_type(forms.iter());
        return Ok((
            Form::List(forms, element),
            PyList::new(py, copies)?.into_any(),
        ));
    }
    let tuple = PyTuple::new(py, copies)?;
    let named = object.hasattr("_fields")?;
    let out = match named {
        true => object.get_type().call1(tuple)?,
        false => tuple.into_any(),
    };
    Ok((Form::Tuple(forms), out))
}

fn element_type<'a>(mut forms: impl Iterator<Item = &'a Form>) -> Type {
    forms.next().map_or(Type::TENSOR, Form::flat_type)
}

/// An output; what no trace can give is an error.
fn output_form(object: &Bound<'_, PyAny>) -> PyResult<Form> {
    if let Ok(tensor) = object.cast::<PyTensor>() {
        return Ok(Form::Tensor(tensor.get().0.clone()));
    }
    let parts = |object: &Bound<'_, PyAny>| -> PyResult<Vec<Form>> {
        object
            .try_iter()?
            .map(|item| output_form(&item?))
            .collect::<PyResult<Vec<Form>>>()
    };
    if object.cast::<PyTuple>().is_ok() {
        return parts(object).map(Form::Tuple);
    }
    if object.cast::<PyList>().is_ok() {
        let parts = parts(object)?;
        let element = element_type(parts.iter());
        return Ok(Form::List(parts, element));
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        let mut entries = Vec::new();
        for (key, value) in dict.iter() {
            entries.push((key.cast::<PyString>()?.to_string(), output_form(&value)?));
        }
        let element = element_type(entries.iter().map(|(_, form)| form));
        return Ok(Form::Dict(entries, element));
    }
    Err(PyRuntimeError::new_err(
        "Only tensors, lists, tuples of tensors, or dictionary of tensors can be output from traced functions",
    ))
}

/// The size of a tensor as a traced number.
pub fn size<'py>(
    py: Python<'py>,
    recorder: &Recorder,
    tensor: &Tensor,
    dim: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let number = recorder.size(tensor, dim).map_err(errors::fault)?;
    PyTensor(number).into_bound_py_any(py)
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
    let result = paused(|| py.detach(|| callable.invoke(state::context(), given)))
        .map_err(|fault| errors::script_fault(py, fault))?;
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
    let graph = graph.0.read();
    let nodes = graph.nodes(graph.top()).into_iter();
    nodes
        .filter_map(|n| {
            let output = *graph.node(n).outputs().first()?;
            match graph.constant(output)? {
                Value::Tensor(tensor) => Some((
                    graph.node_text(n),
                    place(graph.node(n).span.as_ref()),
                    PyTensor(tensor),
                )),
                _ => None,
            }
        })
        .collect()
}

/// A new tensor that a program made of data: to a trace it is a constant on its way to the device.
pub fn adopt(tensor: Tensor, from_tensor: bool) -> PyResult<Tensor> {
    if !is_on() {
        return Ok(tensor);
    }
    let detached = match from_tensor {
        true => tensor_call("aten::detach", vec![tensor.into()])?,
        false => tensor,
    };
    let dtype = detached.dtype();
    let moved = moved(detached, dtype, from_tensor)?;
    tensor_call("aten::detach", vec![moved.into()])
}

/// A tensor as one of a dtype on the device, by the operator for that.
pub fn moved(tensor: Tensor, dtype: DType, copy: bool) -> PyResult<Tensor> {
    let arguments = vec![
        tensor.into(),
        Value::Device(rushlight::Device::CPU),
        Value::Int(dtype.code()),
        Value::Bool(false),
        Value::Bool(copy),
        Value::None,
    ];
    tensor_call("aten::to.device", arguments)
}

fn tensor_call(operator: &str, arguments: Vec<Value>) -> PyResult<Tensor> {
    let out = Python::attach(|py| crate::eager::call_values(py, operator, arguments))?;
    out.as_tensor().cloned().map_err(errors::fault)
}

/// Warns of something that a trace loses; for functions written in Python.
#[pyfunction]
pub fn tracer_warning(py: Python<'_>, what: &str) -> PyResult<()> {
    warn(py, what)
}

/// The script object of a module that is to be traced: its parameters, buffers and submodules, without methods.
#[pyfunction]
pub fn traced_object<'py>(module: &Bound<'py, PyAny>) -> PyResult<Bound<'py, ScriptObject>> {
    let object = build_object(module)?;
    Bound::new(module.py(), ScriptObject::of(object, state::unit().clone()))
}

fn build_object(module: &Bound<'_, PyAny>) -> PyResult<Arc<Object>> {
    if let Ok(inner) = module.getattr("__dict__")?.get_item("_c") {
        return Ok(inner.cast::<ScriptObject>()?.borrow().object.clone());
    }
    let mut slots: Vec<(String, Type, AttributeKind, Value)> = Vec::new();
    for (table, kind) in [
        ("_parameters", AttributeKind::Parameter),
        ("_buffers", AttributeKind::Buffer),
    ] {
        for entry in module.getattr(table)?.call_method0("items")?.try_iter()? {
            let (name, held): (String, Bound<'_, PyAny>) = entry?.extract()?;
            slots.push(match held.cast::<PyTensor>() {
                Ok(tensor) => (
                    name,
                    Type::TENSOR,
                    kind,
                    Value::Tensor(tensor.get().0.clone()),
                ),
                Err(_) => (name, Type::None, AttributeKind::Plain, Value::None),
            });
        }
    }
    let training: bool = module.getattr("training")?.is_truthy()?;
    let plain = AttributeKind::Plain;
    slots.push(("training".into(), Type::Bool, plain, Value::Bool(training)));
    let hook = Type::optional(Type::Bool);
    slots.push(("_is_full_backward_hook".into(), hook, plain, Value::None));
    for entry in module
        .getattr("_modules")?
        .call_method0("items")?
        .try_iter()?
    {
        let (name, inner): (String, Bound<'_, PyAny>) = entry?.extract()?;
        if !inner.is_none() {
            let object = build_object(&inner)?;
            slots.push((name, object.ty(), plain, Value::Object(object)));
        }
    }
    let facts = concrete::facts_of(module.get_type().as_any())?;
    let unit = state::unit();
    let name = unit.free_name(&facts.qualified);
    let class = ClassType::new(&name, true);
    for (name, ty, kind, _) in &slots {
        class.add_attribute(name, ty.clone(), *kind);
    }
    unit.add_type(&name, Type::Class(class.clone()));
    let object = Object::new(class);
    for (i, (_, _, _, value)) in slots.into_iter().enumerate() {
        object.set_slot(i, value);
    }
    Ok(object)
}
