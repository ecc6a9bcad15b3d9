//! `torch.distributed.rpc`: the agent of this process, with Python as its host.

use crate::call::bind;
use crate::convert::{infer, to_python};
use crate::handles::{ScriptFunction, Shared, behind};
use crate::{errors, registry, state};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use rushlight::rpc::{Agent, Host, Meeting, Options, Secret};
use rushlight::types::{Callable, ErrorClass, Fault, RRef, Remote, Result, Schema, Worker};
use rushlight::{Context, Type, Value};
use std::any::Any;
use std::sync::{Arc, Mutex, Weak};

/// The name under which Python functions are called; no function of a script has it.
const PYTHON: &str = "<python>";

fn agent() -> PyResult<Arc<Agent>> {
    let current = CURRENT.lock().ok().and_then(|place| place.clone());
    current.ok_or_else(|| {
        PyRuntimeError::new_err(
            "RPC has not been initialized. Call torch.distributed.rpc.init_rpc first.",
        )
    })
}

static CURRENT: Mutex<Option<Arc<Agent>>> = Mutex::new(None);

/// What Python raises, for the other process.
fn raised(py: Python<'_>, error: &PyErr) -> Fault {
    let text = registry::registered(py, "remote_error")
        .and_then(|tell| tell.call1((error.value(py),))?.extract::<String>())
        .unwrap_or_else(|_| error.to_string());
    let class = if error.is_instance_of::<PyValueError>(py) {
        ErrorClass::Value
    } else {
        ErrorClass::Runtime
    };
    Fault::new(class, text)
}

fn python<T>(work: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T> {
    Python::attach(|py| work(py).map_err(|error| raised(py, &error)))
}

fn foreign(object: &Bound<'_, PyAny>) -> Value {
    Value::Foreign(Arc::new(Box::new(object.clone().unbind())))
}

/// A call of a Python function: the one argument is the function with its arguments.
struct PythonCall;

impl Callable for PythonCall {
    fn name(&self) -> &str {
        PYTHON
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::new(Schema::new(PYTHON, Vec::new(), Vec::new()))
    }

    fn invoke(&self, _: &Context, arguments: Vec<Value>) -> Result<Value> {
        let request = arguments.into_iter().next().unwrap_or_default();
        python(|py| {
            let request = to_python(py, &request)?;
            let (function, args, kwargs): (
                Bound<'_, PyAny>,
                Bound<'_, PyTuple>,
                Bound<'_, PyDict>,
            ) = request.extract()?;
            let result = function.call(args, Some(&kwargs))?;
            Ok(sent(&result))
        })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// An object as a value that can be sent: tensors as they are, for scripts may ask for them, others as Python knows them.
fn sent(object: &Bound<'_, PyAny>) -> Value {
    match infer(object) {
        Ok(value @ Value::Tensor(_)) => value,
        _ => behind(object)
            .filter(|value| RRef::of(value).is_some())
            .unwrap_or_else(|| foreign(object)),
    }
}

/// Python as the host of its agent.
struct PythonHost(Weak<Agent>);

impl Host for PythonHost {
    fn function(&self, name: &str) -> Option<Arc<dyn Callable>> {
        if name == PYTHON {
            return Some(Arc::new(PythonCall));
        }
        let function = state::unit().function(name)?;
        Some(function)
    }

    fn context(&self) -> Arc<Context> {
        state::context().clone()
    }

    fn encode(&self, value: &Value) -> Result<Option<Vec<u8>>> {
        let Value::Foreign(inner) = value else {
            return Ok(None);
        };
        let Some(object) = inner.downcast_ref::<Py<PyAny>>() else {
            return Ok(None);
        };
        python(|py| {
            let pickled = py.import("pickle")?.call_method1("dumps", (object,))?;
            Ok(Some(pickled.cast::<PyBytes>()?.as_bytes().to_vec()))
        })
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value> {
        python(|py| {
            let bytes = PyBytes::new(py, bytes);
            let object = py.import("pickle")?.call_method1("loads", (bytes,))?;
            Ok(foreign(&object))
        })
    }

    fn shared(&self, reference: &RRef) {
        if let Some(agent) = self.0.upgrade() {
            agent.note_shared(reference);
        }
    }

    fn reference(&self, owner: Worker, key: (u32, u64)) -> RRef {
        match self.0.upgrade() {
            Some(agent) => agent.reference(owner, key),
            None => RRef {
                owner,
                key,
                ty: Type::Any,
                local: None,
                handle: None,
            },
        }
    }
}

fn failed(fault: Fault) -> PyErr {
    errors::fault(fault)
}

/// Meets the group at `place` (`file://` or `tcp://`) and begins to serve it. The group's secret is what
/// `RUSHLIGHT_RPC_SECRET` or `RUSHLIGHT_RPC_SECRET_FILE` says.
#[pyfunction]
#[pyo3(signature = (name, place, rank, world, threads, seconds))]
pub fn rpc_start(
    py: Python<'_>,
    name: &str,
    place: &str,
    rank: u32,
    world: u32,
    threads: usize,
    seconds: f64,
) -> PyResult<()> {
    if agent().is_ok() {
        return Err(PyRuntimeError::new_err("RPC is already initialized"));
    }
    let meeting = match place.split_once("://") {
        Some(("file", path)) => Meeting::File(path.into()),
        Some(("tcp", address)) => Meeting::Tcp(address.into()),
        _ => {
            return Err(PyValueError::new_err(format!(
                "{place} is no place to meet: it begins with file:// or tcp://"
            )));
        }
    };
    let options = Options {
        meeting,
        rank,
        world,
        secret: Secret::from_environment().map_err(failed)?,
        threads,
        seconds,
    };
    let started = py
        .detach(|| Agent::start(name, &options, |agent| Box::new(PythonHost(agent))))
        .map_err(failed)?;
    state::context().set_remote(Some(started.clone()));
    if let Ok(mut place) = CURRENT.lock() {
        *place = Some(started);
    }
    Ok(())
}

/// Leaves the group: at once, or when all others want to.
#[pyfunction]
pub fn rpc_stop(py: Python<'_>, graceful: bool) -> PyResult<()> {
    let agent = agent()?;
    let left = py.detach(|| {
        if graceful {
            agent.leave()
        } else {
            agent.stop();
            Ok(())
        }
    });
    state::context().set_remote(None);
    if let Ok(mut place) = CURRENT.lock() {
        *place = None;
    }
    left.map_err(failed)
}

/// Whether the process is part of a group.
#[pyfunction]
pub fn rpc_is_on() -> bool {
    agent().is_ok()
}

/// The name and rank of every worker.
#[pyfunction]
pub fn rpc_workers() -> PyResult<Vec<(String, u32)>> {
    let all = agent()?.workers();
    Ok(all
        .into_iter()
        .map(|w| (w.name.to_string(), w.id))
        .collect())
}

/// The rank of this process.
#[pyfunction]
pub fn rpc_rank() -> PyResult<u32> {
    Ok(agent()?.me().id)
}

/// What a call asks the other process for: a function's name and values for it.
fn request(
    function: &Bound<'_, PyAny>,
    args: &Bound<'_, PyTuple>,
    kwargs: &Bound<'_, PyDict>,
) -> PyResult<(String, Vec<Value>)> {
    if let Ok(script) = function.cast::<ScriptFunction>()
        && let Some(function) = script.borrow().function()
    {
        let arguments = bind(&function.schema(), None, args, Some(kwargs))?;
        return Ok((Callable::name(&*function).to_string(), arguments));
    }
    if !function.is_callable() {
        return Err(PyTypeError::new_err("function should be callable."));
    }
    let call = PyTuple::new(
        function.py(),
        [
            function.clone(),
            args.clone().into_any(),
            kwargs.clone().into_any(),
        ],
    )?;
    Ok((PYTHON.to_string(), vec![foreign(call.as_any())]))
}

/// Calls a function of a worker; the result is a future.
#[pyfunction]
pub fn rpc_call<'py>(
    py: Python<'py>,
    to: &str,
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: &Bound<'py, PyDict>,
    seconds: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let (agent, (name, arguments)) = (agent()?, request(function, args, kwargs)?);
    let future = py
        .detach(|| agent.call(to, &name, arguments, seconds))
        .map_err(failed)?;
    to_python(py, &Value::Future(future))
}

/// As [`rpc_call`], the result staying there.
#[pyfunction]
pub fn rpc_create<'py>(
    py: Python<'py>,
    to: &str,
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: &Bound<'py, PyDict>,
    seconds: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let (agent, (name, arguments)) = (agent()?, request(function, args, kwargs)?);
    let made = py
        .detach(|| agent.create(to, &name, arguments, seconds))
        .map_err(failed)?;
    to_python(py, &made.into_value())
}

/// A reference to a value of this process.
#[pyfunction]
pub fn rpc_keep(object: &Bound<'_, PyAny>) -> PyResult<Shared> {
    let value = agent()?.keep(sent(object)).into_value();
    Ok(Shared { value })
}

fn reference(shared: &Shared) -> PyResult<&RRef> {
    RRef::of(&shared.value).ok_or_else(|| PyTypeError::new_err("this is no remote reference"))
}

/// The name and rank of the owner, whether that is this process, and the number of the reference.
#[pyfunction]
pub fn rref_facts(shared: &Shared) -> PyResult<(String, u32, bool, (u32, u64))> {
    let r = reference(shared)?;
    Ok((
        r.owner.name.to_string(),
        r.owner.id,
        r.local.is_some(),
        r.key,
    ))
}

/// A reference as what its pickle holds: owner and number. The value is kept until the group ends.
#[pyfunction]
pub fn rref_share(shared: &Shared) -> PyResult<(String, u32, u32, u64)> {
    let r = reference(shared)?;
    agent()?.note_shared(r);
    Ok((r.owner.name.to_string(), r.owner.id, r.key.0, r.key.1))
}

/// The reference of such a pickle.
#[pyfunction]
pub fn rref_received(name: &str, rank: u32, by: u32, number: u64) -> PyResult<Shared> {
    let owner = Worker {
        id: rank,
        name: name.into(),
    };
    let value = agent()?.reference(owner, (by, number)).into_value();
    Ok(Shared { value })
}

/// The value of a reference, copied here where another process keeps it.
#[pyfunction]
pub fn rref_fetch<'py>(
    py: Python<'py>,
    shared: &Shared,
    seconds: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let r = reference(shared)?;
    let value = match &r.local {
        Some(local) => py.detach(|| local.wait()),
        None => {
            let agent = agent()?;
            py.detach(|| agent.fetch(r, seconds))
        }
    };
    match value {
        Ok(value) => to_python(py, &value),
        Err(fault) => Err(errors::script_fault(py, fault)),
    }
}

/// Puts everything of this file into the module.
pub fn install(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(rpc_start, m)?)?;
    m.add_function(wrap_pyfunction!(rpc_stop, m)?)?;
    m.add_function(wrap_pyfunction!(rpc_is_on, m)?)?;
    m.add_function(wrap_pyfunction!(rpc_workers, m)?)?;
    m.add_function(wrap_pyfunction!(rpc_rank, m)?)?;
    m.add_function(wrap_pyfunction!(rpc_call, m)?)?;
    m.add_function(wrap_pyfunction!(rpc_create, m)?)?;
    m.add_function(wrap_pyfunction!(rpc_keep, m)?)?;
    m.add_function(wrap_pyfunction!(rref_facts, m)?)?;
    m.add_function(wrap_pyfunction!(rref_share, m)?)?;
    m.add_function(wrap_pyfunction!(rref_received, m)?)?;
    m.add_function(wrap_pyfunction!(rref_fetch, m)?)
}
