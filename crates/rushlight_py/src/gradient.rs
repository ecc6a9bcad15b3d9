//! Gradients for Python: running backwards, `.grad`, `.grad_fn`, hooks, and differentiation that Python defines.

use crate::errors;
use crate::hook_answers::{gradients_of, not_a_tensor};
use crate::identity::{PyTensor, tensor_of};
use crate::operator::give;
use crate::state;
use crate::trace::recording;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};
use rushlight::autograd::{Custom, Edge, Meta, Node};
use rushlight::types::{Fault, GradientRequest};
use rushlight::{Context, Tensor, Value};
use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;

thread_local! {
    /// What Python code that a run called has raised: it goes on as it is when the run has stopped.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

fn raised(error: PyErr) -> Fault {
    let fault = Fault::runtime(error.to_string());
    RAISED.with_borrow_mut(|place| *place = Some(error));
    fault
}

fn error(fault: Fault) -> PyErr {
    RAISED
        .with_borrow_mut(Option::take)
        .unwrap_or_else(|| errors::fault(fault))
}

type Given<'py> = Vec<Option<Bound<'py, PyTensor>>>;

fn tensors(given: &[Bound<'_, PyTensor>]) -> Vec<Tensor> {
    given.iter().map(|t| tensor_of(t)).collect()
}

/// Runs what was recorded backwards; see [`GradientRequest`].
#[pyfunction]
#[pyo3(signature = (outputs, gradients, inputs, *, accumulate, retain, create_graph, allow_unused))]
#[expect(clippy::too_many_arguments, reason = "a request, from Python")]
pub fn run_gradients<'py>(
    py: Python<'py>,
    outputs: Vec<Bound<'py, PyTensor>>,
    gradients: Given<'py>,
    inputs: Option<Vec<Bound<'py, PyTensor>>>,
    accumulate: bool,
    retain: bool,
    create_graph: bool,
    allow_unused: bool,
) -> PyResult<Bound<'py, PyList>> {
    let context = state::context();
    let engine = context
        .gradients()
        .ok_or_else(|| PyRuntimeError::new_err("no gradient engine"))?;
    let request = GradientRequest {
        outputs: tensors(&outputs),
        gradients: gradients
            .iter()
            .map(|g| g.as_ref().map(|t| tensor_of(t)))
            .collect(),
        inputs: inputs.as_deref().map(tensors),
        accumulate,
        retain,
        create_graph,
        allow_unused,
    };
    let found = recording::from_library("torch/autograd/graph.py", 1113, || {
        engine.run(context, request)
    });
    let found = found.map_err(error)?;
    let objects = found
        .into_iter()
        .map(|t| {
            t.map_or_else(
                || Ok(py.None().into_bound(py)),
                |t| give(py, Value::Tensor(t)),
            )
        })
        .collect::<PyResult<Vec<_>>>()?;
    PyList::new(py, objects)
}

/// `tensor.grad`.
#[pyfunction]
pub fn grad_of<'py>(py: Python<'py>, tensor: &PyTensor) -> PyResult<Option<Bound<'py, PyAny>>> {
    Meta::grad(&tensor.0)
        .map(|t| crate::identity::tensor_object(py, t))
        .transpose()
}

/// Replaces `tensor.grad`.
#[pyfunction]
pub fn set_grad(tensor: &PyTensor, grad: Option<Bound<'_, PyTensor>>) {
    Meta::set_grad(&tensor.0, grad.map(|t| tensor_of(&t)));
}

/// `tensor._base`.
#[pyfunction]
pub fn view_base<'py>(py: Python<'py>, tensor: &PyTensor) -> PyResult<Option<Bound<'py, PyAny>>> {
    Meta::base(&tensor.0)
        .map(|base| give(py, Value::Tensor(base)))
        .transpose()
}

/// `tensor.is_leaf`; refuses a view whose origin nobody knows any more.
#[pyfunction]
pub fn is_leaf(tensor: &PyTensor) -> PyResult<bool> {
    Meta::check(&tensor.0).map_err(error)?;
    Ok(tensor.0.is_leaf())
}

/// Whether a recorded call made a tensor, as far as that was known before its memory was written.
#[pyfunction]
pub fn is_computed(tensor: &PyTensor) -> bool {
    !tensor.0.is_leaf()
}

/// A node of the recorded graph: what `tensor.grad_fn` shows.
#[pyclass(
    name = "GradientNode",
    module = "torch.autograd.graph",
    frozen,
    subclass
)]
pub struct PyNode(Edge);

thread_local! {
    /// What the node that is being made stands for.
    static MAKING: RefCell<Option<Edge>> = const { RefCell::new(None) };
}

/// The object of a node: of a class that has the node's name.
fn node_object<'py>(py: Python<'py>, edge: &Edge) -> PyResult<Bound<'py, PyAny>> {
    static CLASSES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let classes = CLASSES
        .get_or_init(py, || PyDict::new(py).unbind())
        .bind(py);
    let name = edge.node.name();
    let class = match classes.get_item(name)? {
        Some(class) => class,
        None => {
            let members = PyDict::new(py);
            let home = match edge.node.as_custom() {
                Some(_) => "torch.autograd.function",
                None => "builtins",
            };
            members.set_item("__module__", home)?;
            let bases = (py.get_type::<PyNode>(),);
            let class = py.get_type::<PyType>().call1((name, bases, members))?;
            classes.set_item(name, &class)?;
            class
        }
    };
    MAKING.with_borrow_mut(|place| *place = Some(edge.clone()));
    class.call0()
}

/// Nodes that the reference calls by a longer name.
const LONG_NAMES: &[(&str, &str)] = &[
    ("AccumulateGrad", "torch::autograd::AccumulateGrad"),
    ("CopyBackwards", "torch::autograd::CopyBackwards"),
    ("CopySlices", "torch::autograd::CopySlices"),
    ("NotImplemented", "torch::autograd::NotImplemented"),
];

impl PyNode {
    /// Calls `hook(grad_inputs, grad_outputs)` once the node has run; what it returns takes the place of the former.
    fn add_after(&self, hook: Py<PyAny>) -> u64 {
        let call = move |given: &[Option<Tensor>], results: &[Option<Tensor>]| {
            Python::attach(|py| {
                let arguments = (gradients_object(py, given)?, gradients_object(py, results)?);
                gradients_of(hook.bind(py), hook.bind(py).call1(arguments)?, given)
            })
            .map_err(raised)
        };
        self.0.node.add_after(Arc::new(call))
    }

    /// Calls `hook(grad_outputs)` before the node runs; what it returns takes their place.
    fn add_before(&self, hook: Py<PyAny>) -> u64 {
        let call = move |results: &[Option<Tensor>]| {
            Python::attach(|py| {
                let shown = gradients_object(py, results)?;
                gradients_of(hook.bind(py), hook.bind(py).call1((shown,))?, results)
            })
            .map_err(raised)
        };
        self.0.node.add_before(Arc::new(call))
    }
}

#[pymethods]
impl PyNode {
    #[new]
    fn new() -> PyResult<PyNode> {
        MAKING
            .with_borrow_mut(Option::take)
            .map(PyNode)
            .ok_or_else(|| PyTypeError::new_err("gradient nodes are made by recording calls"))
    }

    /// `AddBackward0`.
    fn name(&self) -> &str {
        let short = self.0.node.name();
        let long = LONG_NAMES.iter().find(|(name, _)| *name == short);
        long.map_or(short, |(_, long)| long)
    }

    /// The nodes that the arguments come from, each with which of its results.
    #[getter]
    fn next_functions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let all = self
            .0
            .node
            .next()
            .map(|edge| {
                let (node, index) = match edge {
                    Some(edge) => (node_object(py, edge)?.unbind(), edge.index),
                    None => (py.None(), 0),
                };
                (node, index).into_bound_py_any(py)
            })
            .collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(py, all)
    }

    /// The leaf whose gradient an `AccumulateGrad` adds to.
    #[getter]
    fn variable<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.0.node.leaf() {
            Some(leaf) => crate::identity::tensor_object(py, leaf.clone()),
            None => Err(pyo3::exceptions::PyAttributeError::new_err(format!(
                "'{}' object has no attribute 'variable'",
                self.0.node.name()
            ))),
        }
    }

    fn _remove_hook(&self, number: u64) {
        self.0.node.remove_hook(number);
    }

    fn register_hook<'py>(slf: &Bound<'py, Self>, hook: Py<PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let number = slf.get().add_after(hook);
        crate::registry::registered(slf.py(), "node_handle")?.call1((slf, number))
    }

    fn register_prehook<'py>(
        slf: &Bound<'py, Self>,
        hook: Py<PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let number = slf.get().add_before(hook);
        crate::registry::registered(slf.py(), "node_handle")?.call1((slf, number))
    }

    /// A dict that programs keep with the node.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> Bound<'py, PyDict> {
        let kept = self.0.node.host(|| Arc::new(PyDict::new(py).unbind()));
        match kept.downcast_ref::<Py<PyDict>>() {
            Some(dict) => dict.bind(py).clone(),
            None => PyDict::new(py),
        }
    }

    /// Whether somebody wants the gradients.
    #[getter]
    fn requires_grad(&self) -> bool {
        true
    }

    /// `_saved_self` and its kin: what the node keeps for its run.
    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let node = &slf.get().0.node;
        let kept = name.strip_prefix("_saved_").and_then(|n| node.kept(n));
        match kept {
            Some(Ok(Value::IntList(list))) => {
                let items = list.lock().to_vec();
                Ok(PyTuple::new(py, items)?.into_any())
            }
            Some(value) => give(py, value.map_err(error)?),
            None => Err(pyo3::exceptions::PyAttributeError::new_err(format!(
                "'{}' object has no attribute '{name}'",
                node.name()
            ))),
        }
    }

    fn __dir__<'py>(slf: &Bound<'py, Self>) -> PyResult<Vec<String>> {
        let class: Vec<String> = slf
            .py()
            .import("builtins")?
            .call_method1("dir", (slf.get_type(),))?
            .extract()?;
        let node = &slf.get().0.node;
        let mut names: Vec<String> = (class.into_iter())
            .filter(|name| name != "variable" || node.leaf().is_some())
            .collect();
        let kept = node.kept_names().into_iter();
        names.extend(kept.map(|name| format!("_saved_{name}")));
        Ok(names)
    }

    fn __repr__(&self) -> String {
        let address = Arc::as_ptr(&self.0.node) as usize;
        let home = match self.0.node.as_custom() {
            Some(_) => "torch.autograd.function.",
            None => "",
        };
        format!("<{home}{} object at {address:#x}>", self.0.node.name())
    }

    fn __eq__(&self, other: &PyNode) -> bool {
        Arc::ptr_eq(&self.0.node, &other.0.node)
    }

    fn __hash__(&self) -> usize {
        Arc::as_ptr(&self.0.node) as usize
    }
}

/// Gradients as hooks see them.
fn gradients_object<'py>(
    py: Python<'py>,
    gradients: &[Option<Tensor>],
) -> PyResult<Bound<'py, PyTuple>> {
    let objects = gradients.iter().map(|gradient| match gradient {
        Some(gradient) => give(py, Value::Tensor(gradient.clone())),
        None => Ok(py.None().into_bound(py)),
    });
    PyTuple::new(py, objects.collect::<PyResult<Vec<_>>>()?)
}

/// `tensor.grad_fn`.
#[pyfunction]
pub fn grad_fn<'py>(py: Python<'py>, tensor: &PyTensor) -> PyResult<Option<Bound<'py, PyAny>>> {
    Meta::check(&tensor.0).map_err(error)?;
    Meta::source(&tensor.0)
        .map(|edge| node_object(py, &edge))
        .transpose()
}

/// What `repr` says of where a tensor comes from.
pub fn shown(tensor: &Tensor) -> Option<String> {
    if !tensor.requires_grad() {
        return None;
    }
    if Meta::check(tensor).is_err() {
        return Some("grad_fn=<Invalid>".into());
    }
    Meta::source(tensor).map(|edge| format!("grad_fn=<{}>", edge.node.name()))
}

/// Adds a hook and returns its number.
#[pyfunction]
pub fn add_hook(tensor: &PyTensor, hook: Py<PyAny>) -> u64 {
    let call = move |gradient: &Tensor| {
        Python::attach(|py| -> PyResult<Option<Tensor>> {
            let answer = hook.call1(py, (give(py, Value::Tensor(gradient.clone()))?,))?;
            if answer.is_none(py) {
                return Ok(None);
            }
            match answer.bind(py).cast::<PyTensor>() {
                Ok(tensor) => Ok(Some(tensor_of(tensor))),
                Err(_) => Err(not_a_tensor(answer.bind(py))?),
            }
        })
        .map_err(raised)
    };
    Meta::add_hook(&tensor.0, Arc::new(call))
}

/// Adds a hook that sees a leaf whose gradient has been added to, and returns its number.
#[pyfunction]
pub fn add_accumulated_hook(tensor: &PyTensor, hook: Py<PyAny>) -> u64 {
    let call = move |leaf: &Tensor| {
        Python::attach(|py| {
            let leaf = crate::identity::tensor_object(py, leaf.clone())?;
            hook.call1(py, (leaf,)).map(drop)
        })
        .map_err(raised)
    };
    Meta::add_accumulated(&tensor.0, Arc::new(call))
}

/// Takes a hook away.
#[pyfunction]
pub fn remove_hook(tensor: &PyTensor, number: u64) {
    Meta::remove_hook(&tensor.0, number);
}

/// Makes a tensor that is no leaf keep its gradient.
#[pyfunction]
pub fn retain_grad(tensor: &PyTensor) {
    Meta::retain(&tensor.0);
}

/// `tensor.retains_grad`.
#[pyfunction]
pub fn keeps_grad(tensor: &PyTensor) -> bool {
    Meta::retains(&tensor.0)
}

/// A differentiation that a Python class defines.
struct PythonFunction {
    /// Called with the gradients of the results; returns those of the arguments.
    apply: Py<PyAny>,
}

impl Custom for PythonFunction {
    fn apply(
        &self,
        _: &Context,
        gradients: Vec<Option<Tensor>>,
    ) -> Result<Vec<Option<Tensor>>, Fault> {
        Python::attach(|py| -> PyResult<Vec<Option<Tensor>>> {
            let given = gradients
                .into_iter()
                .map(|g| match g {
                    Some(t) => give(py, Value::Tensor(t)),
                    None => Ok(py.None().into_bound(py)),
                })
                .collect::<PyResult<Vec<_>>>()?;
            let answer = self.apply.call1(py, (PyTuple::new(py, given)?,))?;
            let answer: Given<'_> = answer.extract(py)?;
            Ok(answer
                .into_iter()
                .map(|t| t.map(|t| tensor_of(&t)))
                .collect())
        })
        .map_err(raised)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Records that `results` come from `arguments` by a differentiation that Python defines.
#[pyfunction]
#[pyo3(signature = (name, arguments, results, apply, written = Vec::new()))]
pub fn record_custom(
    name: &str,
    arguments: Given<'_>,
    results: Vec<Bound<'_, PyTensor>>,
    apply: Py<PyAny>,
    written: Vec<Bound<'_, PyTensor>>,
) {
    let arguments: Vec<Option<Tensor>> = arguments
        .into_iter()
        .map(|t| t.map(|t| tensor_of(&t)))
        .collect();
    let custom = Arc::new(PythonFunction { apply });
    Node::custom(
        name,
        &arguments,
        &tensors(&results),
        &tensors(&written),
        custom,
    );
}

/// Puts everything of this file into the module.
pub fn install(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<PyNode>()?;
    m.add_function(wrap_pyfunction!(run_gradients, m)?)?;
    m.add_function(wrap_pyfunction!(grad_of, m)?)?;
    m.add_function(wrap_pyfunction!(set_grad, m)?)?;
    m.add_function(wrap_pyfunction!(is_leaf, m)?)?;
    m.add_function(wrap_pyfunction!(is_computed, m)?)?;
    m.add_function(wrap_pyfunction!(view_base, m)?)?;
    m.add_function(wrap_pyfunction!(grad_fn, m)?)?;
    m.add_function(wrap_pyfunction!(add_hook, m)?)?;
    m.add_function(wrap_pyfunction!(add_accumulated_hook, m)?)?;
    m.add_function(wrap_pyfunction!(remove_hook, m)?)?;
    m.add_function(wrap_pyfunction!(retain_grad, m)?)?;
    m.add_function(wrap_pyfunction!(keeps_grad, m)?)?;
    m.add_function(wrap_pyfunction!(record_custom, m)?)
}
