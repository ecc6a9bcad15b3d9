//! Eager calls: an operator by name, its overload chosen by what the arguments are.

use crate::binding::{Arguments, Keywords, Reading, Slots, bind};
use crate::convert::{shown_type, to_python};
use crate::objects::dtype_object;
use crate::tensor::PyTensor;
use crate::{errors, signature, state, trace};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyAttributeError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use rushlight::Value;
use rushlight::tensor::DType;
use rushlight::types::{Operator, Type, without_overload};
use smallvec::SmallVec;
use std::sync::OnceLock;

/// The overloads of an operator, found once: a name that is called again and again.
#[derive(Clone, Copy)]
pub struct Overloads {
    /// `aten::add`.
    pub name: &'static str,
    rows: &'static [&'static Operator],
}

impl Overloads {
    /// The overloads of a name; `None` where no operator has it.
    pub fn find(name: &str) -> Option<Overloads> {
        let rows = rushlight::table().overloads(name);
        rows.first().map(|first| Overloads {
            name: first.name(),
            rows: signature::callable(rows),
        })
    }

    /// One overload alone, in its place in the table.
    fn only(row: &'static &'static Operator) -> Overloads {
        Overloads {
            name: row.name(),
            rows: std::slice::from_ref(row),
        }
    }

    /// The overloads in order.
    pub fn rows(&self) -> &'static [&'static Operator] {
        self.rows
    }

    /// Whether one of them fulfils a condition.
    pub fn any(&self, condition: impl Fn(&Operator) -> bool) -> bool {
        self.rows.iter().any(|row| condition(row))
    }
}

/// An operator that the source names, found at its first call.
pub struct Known {
    name: &'static str,
    found: OnceLock<Overloads>,
}

impl Known {
    /// The operator of a name.
    pub const fn new(name: &'static str) -> Known {
        Known {
            name,
            found: OnceLock::new(),
        }
    }

    /// Its overloads: none where the table lacks it.
    #[inline]
    pub fn get(&self) -> Overloads {
        let missing = Overloads {
            name: self.name,
            rows: &[],
        };
        *self
            .found
            .get_or_init(|| Overloads::find(self.name).unwrap_or(missing))
    }
}

/// A built-in operator by name, with or without its first argument: `torch.add`, `x.add`.
#[pyclass(name = "Builtin", module = "torch", frozen)]
pub struct Builtin {
    overloads: Overloads,
    /// The path that a script knows it by, `torch.add`, where it is not the name.
    path: Option<String>,
    /// The tensor whose method this is.
    receiver: Option<Py<PyTensor>>,
}

impl Builtin {
    /// Where the reference's Python calls an operator of `torch.ops`, or one overload of it.
    fn line_in_ops(&self) -> Option<u32> {
        let name = self.path.as_deref()?.strip_prefix("torch.ops.")?;
        Some(if name.matches('.').count() > 1 {
            916
        } else {
            1350
        })
    }

    /// The error of a call: operators of `torch.ops` tell of arguments that fit none of their schemas as scripts do.
    fn in_schemas(
        &self,
        py: Python<'_>,
        error: PyErr,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyErr {
        let path = self.path.as_deref().unwrap_or_default();
        if !path.starts_with("torch.ops.") || !error.is_instance_of::<PyTypeError>(py) {
            return error;
        }
        let rows = match path.matches('.').count() > 3 {
            true => self.overloads.rows,
            false => rushlight::table().overloads(self.overloads.name),
        };
        crate::packet::refusal(py, rows, args, kwargs).unwrap_or(error)
    }

    /// One overload (`ns::name.overload`) under a path; `None` where there is none.
    pub fn of_overload(full_name: &str, path: String) -> Option<Builtin> {
        let rows = rushlight::table().overloads(without_overload(full_name));
        let row = rows.iter().find(|row| row.full_name() == full_name)?;
        Some(Builtin {
            overloads: Overloads::only(row),
            path: Some(path),
            receiver: None,
        })
    }

    /// A method of a tensor.
    pub fn bound(overloads: Overloads, receiver: &Bound<'_, PyTensor>) -> Builtin {
        Builtin {
            overloads,
            path: None,
            receiver: Some(receiver.clone().unbind()),
        }
    }
}

#[pymethods]
impl Builtin {
    #[new]
    fn new(operator: String, path: String) -> PyResult<Builtin> {
        let overloads = Overloads::find(&operator)
            .ok_or_else(|| PyAttributeError::new_err(format!("there is no operator {operator}")))?;
        Ok(Builtin {
            overloads,
            path: Some(path),
            receiver: None,
        })
    }

    /// The names of the overloads of an operator of `torch.ops`.
    fn overloads(&self) -> Vec<&str> {
        // Those for scripts as well, which calls by the name of the operator leave out.
        let rows = rushlight::table().overloads(self.overloads.name);
        let names = rows.iter().map(|row| row.full_name());
        names
            .map(|full| match full.split_once('.') {
                Some((_, overload)) => overload,
                None => "default",
            })
            .collect()
    }

    #[getter]
    fn operator(&self) -> &'static str {
        self.overloads.name
    }

    #[getter]
    fn path(&self) -> &str {
        self.path.as_deref().unwrap_or(self.overloads.name)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let receiver = self.receiver.iter().map(|r| r.bind(py).clone().into_any());
        let arguments = Arguments {
            overloads: self.overloads,
            is_method: self.receiver.is_some(),
            positional: &receiver.chain(args.iter()).collect::<Positional<'py>>(),
            named: &[],
        };
        let call = || match kwargs {
            None => choose(py, &arguments),
            Some(kwargs) => call_named(py, &arguments, kwargs),
        };
        let line = trace::is_on().then(|| self.line_in_ops()).flatten();
        let outcome = match line {
            Some(line) => trace::from_library("torch/_ops.py", line, call),
            None => call(),
        };
        outcome.map_err(|error| self.in_schemas(py, error, args, kwargs))
    }

    #[getter]
    fn __name__(&self) -> &str {
        let name = base_name(self.overloads.name);
        // An overload of `torch.ops`: with its name.
        let inside = self
            .path()
            .strip_prefix("torch.ops.")
            .and_then(|p| p.split_once('.'));
        match inside {
            Some((_, own)) if own.contains('.') => own,
            _ => name,
        }
    }

    /// Copies of modules keep the function itself: it has no state.
    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    /// Pickles by name: the class is not one that a program finds.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String, String))> {
        let this = slf.get();
        let names = (this.operator().to_string(), this.path().to_string());
        let module = slf.py().import("rushlight._rushlight")?;
        Ok((module.getattr("builtin_named")?, names))
    }

    /// Whether the other is the same operator by the same name.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Builtin>() else {
            return false;
        };
        let other = other.get();
        let same_receiver = match (&self.receiver, &other.receiver) {
            (None, None) => true,
            (Some(one), Some(two)) => one.is(two),
            _ => false,
        };
        same_receiver && self.overloads.name == other.overloads.name && self.path() == other.path()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        std::hash::Hash::hash(self.path(), &mut hasher);
        std::hash::Hasher::finish(&hasher)
    }

    /// One of the overloads: `torch.ops.aten.add.Scalar`, `default` for the one without a name. Each is one object.
    fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<Py<Builtin>> {
        static MADE: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
        let wanted = if name == "default" { "" } else { name };
        let rows = rushlight::table().overloads(self.overloads.name);
        let row = rows.iter().find(|row| *row.schema().overload == *wanted);
        let Some(row) = row.filter(|_| self.receiver.is_none()) else {
            return Err(PyAttributeError::new_err(format!(
                "'builtin_function_or_method' object has no attribute '{name}'"
            )));
        };
        let path = format!("{}.{name}", self.path());
        let made = MADE.get_or_init(py, || PyDict::new(py).unbind()).bind(py);
        if let Some(known) = made.get_item(&path)? {
            return Ok(known.cast_into::<Builtin>()?.unbind());
        }
        let fresh = Builtin {
            overloads: Overloads::only(row),
            path: Some(path.clone()),
            receiver: None,
        };
        let fresh = Py::new(py, fresh)?;
        made.set_item(path, &fresh)?;
        Ok(fresh)
    }

    fn __repr__(&self) -> String {
        format!("<built-in method {} of type object>", self.__name__())
    }
}

/// The built-in of an operator and a path: what its pickle names.
#[pyfunction]
pub fn builtin_named(operator: String, path: String) -> PyResult<Builtin> {
    Builtin::new(operator, path)
}

/// Whether an operator of this name exists.
#[pyfunction]
pub fn has_operator(name: &str) -> bool {
    !rushlight::table().overloads(name).is_empty()
}

/// The names of all operators, sorted.
#[pyfunction]
pub fn operator_names() -> Vec<&'static str> {
    rushlight::table().names()
}

/// Positional arguments; few enough not to need the heap, mostly.
type Positional<'py> = SmallVec<[Bound<'py, PyAny>; 4]>;

/// `add` of `aten::add`.
fn base_name(name: &'static str) -> &'static str {
    name.rsplit(':').next().unwrap_or(name)
}

/// Calls an operator as a function of Python arguments.
#[inline]
pub fn call<'py>(
    py: Python<'py>,
    overloads: Overloads,
    positional: &[Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = Arguments {
        overloads,
        is_method: false,
        positional,
        named: &[],
    };
    choose(py, &arguments)
}

/// Calls an operator as a method of the first of the arguments, a tensor.
#[inline]
pub fn call_method<'py>(
    py: Python<'py>,
    overloads: Overloads,
    positional: &[Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = Arguments {
        overloads,
        is_method: true,
        positional,
        named: &[],
    };
    choose(py, &arguments)
}

/// A call with arguments given by name. `requires_grad` is no argument of operators.
fn call_named<'py>(
    py: Python<'py>,
    arguments: &Arguments<'_, 'py>,
    kwargs: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut named = Keywords::new();
    let mut requires_grad = false;
    for (key, value) in kwargs.iter() {
        let key = key.cast_into::<PyString>()?;
        if key.to_str()? == "requires_grad" {
            requires_grad = value.extract().map_err(|_| {
                let name = base_name(arguments.overloads.name);
                PyTypeError::new_err(format!(
                    "{name}(): argument 'requires_grad' must be bool, not {}",
                    shown_type(&value)
                ))
            })?;
            continue;
        }
        named.push((key, value));
    }
    let arguments = &Arguments {
        named: &named,
        ..*arguments
    };
    let result = match call_into(py, arguments) {
        Some(result) => result?,
        None => choose(py, arguments)?,
    };
    if requires_grad && let Ok(tensor) = result.cast::<PyTensor>() {
        let dtype = tensor.get().0.dtype();
        if !dtype.is_float() && !dtype.is_complex() {
            return Err(PyRuntimeError::new_err(
                "Only Tensors of floating point and complex dtype can require gradients",
            ));
        }
        if crate::own_kind::is_own(&result) {
            return result.call_method1("requires_grad_", (true,));
        }
        tensor.get().0.set_requires_grad(true);
    }
    Ok(result)
}

/// Calls the form that writes its results into as many tensors: `out=(values, indices)`; `None` where this is no such call.
fn call_into<'py>(
    py: Python<'py>,
    arguments: &Arguments<'_, 'py>,
) -> Option<PyResult<Bound<'py, PyAny>>> {
    let is_out = |(name, _): &(Bound<'_, PyString>, _)| name.to_str().is_ok_and(|n| n == "out");
    let at = arguments.named.iter().position(is_out)?;
    let given = &arguments.named[at].1;
    if arguments.is_method
        || !(given.is_instance_of::<PyTuple>() || given.is_instance_of::<PyList>())
    {
        return None;
    }
    let outs: Vec<Bound<'py, PyAny>> = given.try_iter().ok()?.collect::<PyResult<_>>().ok()?;
    let mut wanted = None;
    for row in arguments.overloads.rows {
        let formals = row.schema().arguments.iter();
        let formals: Vec<_> = formals.filter(|a| a.kwarg_only && a.is_written()).collect();
        if formals.len() < 2 {
            continue;
        }
        wanted = Some(formals.len());
        if formals.len() != outs.len() {
            continue;
        }
        let mut named: Keywords<'_> = arguments.named.iter().cloned().collect();
        named.remove(at);
        let into = formals.iter().zip(&outs);
        named.extend(into.map(|(formal, out)| (PyString::intern(py, &formal.name), out.clone())));
        let one = Arguments {
            overloads: Overloads {
                name: arguments.overloads.name,
                rows: std::slice::from_ref(row),
            },
            named: &named,
            ..*arguments
        };
        let mut reading = Reading::new(&one.overloads, true);
        if bind(row.schema(), &one, &mut reading, &mut Slots::new()).is_some() {
            return Some(choose(py, &one));
        }
    }
    let wanted = wanted.filter(|wanted| *wanted != outs.len())?;
    Some(Err(PyTypeError::new_err(format!(
        "expected tuple of {wanted} elements but got {}",
        outs.len()
    ))))
}

/// Calls the first overload that the arguments fit.
fn choose<'py>(py: Python<'py>, arguments: &Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    if let Some(result) = crate::own_kind::call(py, arguments) {
        return result;
    }
    let overloads = arguments.overloads;
    let tracing = trace::is_on();
    let only_tensors = tracing || records_gradients(arguments);
    for numbers_as_tensors in [false, true] {
        for &operator in overloads.rows {
            if only_tensors && overloads.rows.len() > 1 && records_numbers_as_tensors(operator) {
                continue;
            }
            let mut reading = Reading::new(&overloads, numbers_as_tensors);
            let mut slots = Slots::new();
            if bind(operator.schema(), arguments, &mut reading, &mut slots).is_none() {
                continue;
            }
            crate::autocast::prepare(py, operator, &mut slots)?;
            crate::default_device::prepare(operator, &mut slots);
            if tracing {
                let name = operator.full_name();
                trace::stash_for(name, reading.traced);
                trace::calling(name, || run(py, operator, &mut slots))?;
            } else if let Err(error) = run(py, operator, &mut slots) {
                return crate::own_kind::of_layout(py, arguments).unwrap_or(Err(error));
            }
            return pack(py, operator, slots);
        }
    }
    Err(signature::refusal(arguments))
}

/// Whether the call will be seen in the gradient graph.
fn records_gradients(arguments: &Arguments<'_, '_>) -> bool {
    arguments.positional.iter().any(|object| {
        object
            .cast::<PyTensor>()
            .is_ok_and(|tensor| tensor.get().0.requires_grad())
    })
}

/// Whether this is an overload for numbers that the reference calls with a tensor wherever a program writes a number,
/// which shows in traces and in the names of gradient nodes.
fn records_numbers_as_tensors(operator: &Operator) -> bool {
    operator.wraps_numbers && operator.schema().overload.starts_with("Scalar")
}

/// Calls an operator on values; the results are values too.
pub fn call_values(py: Python<'_>, full_name: &str, arguments: Vec<Value>) -> PyResult<Value> {
    let operator = rushlight::table()
        .find(full_name)
        .ok_or_else(|| PyAttributeError::new_err(format!("there is no operator {full_name}")))?;
    let mut slots = Slots::from_vec(arguments);
    run(py, operator, &mut slots)?;
    Ok(slots.into_iter().next().unwrap_or_default())
}

/// Calls an operator on the values of the slots, which hold its results afterwards and nothing else.
fn run(py: Python<'_>, operator: &'static Operator, slots: &mut Slots) -> PyResult<()> {
    let context = state::context_for(operator);
    let inputs = slots.len();
    let returns = operator.schema().returns.len();
    let elements: usize = slots
        .iter()
        .filter_map(|v| match v {
            Value::Tensor(t) => Some(t.numel()),
            _ => None,
        })
        .sum();
    slots.resize(inputs.max(returns), Value::None);
    let mut call = || context.supervise(|| operator.call(context, slots, inputs));
    // Handing the lock back costs more than a small operator.
    let result = if elements < 4096 {
        call()
    } else {
        py.detach(call)
    };
    slots.truncate(returns);
    result.map_err(|fault| errors::fault(operator.named_in(fault)))
}

fn pack<'py>(
    py: Python<'py>,
    operator: &Operator,
    mut results: Slots,
) -> PyResult<Bound<'py, PyAny>> {
    if results.len() > 1 {
        return pack_many(py, operator, &results);
    }
    match results.pop() {
        None => Ok(py.None().into_bound(py)),
        Some(Value::Int(code)) if gives_dtype(operator) => match DType::from_code(code) {
            Some(dtype) => dtype_object(py, dtype)?.into_bound_py_any(py),
            None => give(py, Value::Int(code)),
        },
        Some(Value::TensorList(list)) => {
            let items = list.lock().clone();
            let items = items.into_iter().map(|item| give(py, Value::Tensor(item)));
            let items = items.collect::<PyResult<Vec<_>>>()?;
            Ok(PyTuple::new(py, items)?.into_any())
        }
        Some(other) => give(py, other),
    }
}

/// Whether an operator gives a dtype, which is a number to scripts.
fn gives_dtype(operator: &Operator) -> bool {
    let returns = &operator.schema().returns;
    returns.first().is_some_and(|r| r.ty == Type::ScalarType)
}

/// Several results: a tuple, with names where the schema has them.
fn pack_many<'py>(
    py: Python<'py>,
    operator: &Operator,
    results: &[Value],
) -> PyResult<Bound<'py, PyAny>> {
    let items = results
        .iter()
        .map(|v| to_python(py, v))
        .collect::<PyResult<Vec<_>>>()?;
    let returns = &operator.schema().returns;
    if returns.iter().any(|r| r.name.is_empty()) {
        return Ok(PyTuple::new(py, items)?.into_any());
    }
    let mut name = base_name(operator.name()).to_string();
    if operator
        .schema()
        .arguments
        .iter()
        .any(|a| a.kwarg_only && a.is_written())
    {
        name.push_str("_out");
    }
    let fields: Vec<&str> = returns.iter().map(|r| &*r.name).collect();
    let class = state::registered(py, "return_type")?.call1((name, fields))?;
    class.call1(PyTuple::new(py, items)?)
}

/// A value as a Python object, for pymethods.
pub fn give<'py>(py: Python<'py>, value: Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Tensor(t) => crate::identity::tensor_object(py, t),
        other => to_python(py, &other),
    }
}
