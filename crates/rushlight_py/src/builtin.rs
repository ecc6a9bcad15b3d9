//! Operators as Python objects: `torch.add`, `x.add`, `torch.ops.aten.add.Scalar`.

use crate::binding::Arguments;
use crate::eager::{call_named, choose};
use crate::identity::PyTensor;
use crate::overloads::{Overloads, base_name};
use crate::packet;
use crate::trace::recording;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple};
use rushlight::frontend::trace::as_given;
use rushlight::types::{Type, without_overload};
use smallvec::SmallVec;

/// Positional arguments; few enough not to need the heap, mostly.
type Positional<'py> = SmallVec<[Bound<'py, PyAny>; 4]>;

/// A built-in operator by name, with or without its first argument: `torch.add`, `x.add`.
#[pyclass(name = "Builtin", module = "torch", frozen)]
pub struct Builtin {
    overloads: Overloads,
    /// The path that a script knows it by, `torch.add`, where it is not the name.
    path: Option<String>,
    /// Whether that is one of `torch.ops`.
    is_of_ops: bool,
    /// The tensor whose method this is.
    receiver: Option<Py<PyTensor>>,
}

impl Builtin {
    /// A built-in under a path.
    fn under(overloads: Overloads, path: String) -> Builtin {
        Builtin {
            overloads,
            is_of_ops: path.starts_with("torch.ops."),
            path: Some(path),
            receiver: None,
        }
    }

    /// Whether the result is a list, which functions give as a tuple.
    fn gives_list(&self) -> bool {
        let is_list = |ty: &Type| matches!(ty, Type::List(element) if element.is_tensor());
        let mut rows = self.overloads.rows().iter();
        rows.all(|row| matches!(row.schema().returns.as_slice(), [only] if is_list(&only.ty)))
    }

    /// Where the reference's Python calls an operator of `torch.ops`, or one overload of it.
    fn line_in_ops(&self) -> Option<u32> {
        let name = self.path.as_deref()?.strip_prefix("torch.ops.")?;
        Some(if name.matches('.').count() > 1 {
            916
        } else {
            1350
        })
    }

    /// What becomes of a call that `torch` refuses: operators of `torch.ops` have overloads without tensors as well, and tell of
    /// arguments that fit none of their schemas as scripts do.
    fn in_schemas<'py>(
        &self,
        py: Python<'py>,
        error: PyErr,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !self.is_of_ops || !error.is_instance_of::<PyTypeError>(py) {
            return Err(error);
        }
        if self.path().matches('.').count() > 3 {
            return Err(packet::refusal(py, self.overloads.rows(), args, kwargs).unwrap_or(error));
        }
        let rows = rushlight::table().overloads(self.overloads.name);
        for row in packet::fitting(rows, args, kwargs) {
            let overload = match &*row.schema().overload {
                "" => "default",
                overload => overload,
            };
            let path = format!("{}.{overload}", self.path());
            match Builtin::under(Overloads::only(row), path).__call__(py, args, kwargs) {
                Err(error) if error.is_instance_of::<PyTypeError>(py) => {}
                done => return done,
            }
        }
        Err(packet::refusal(py, rows, args, kwargs).unwrap_or(error))
    }

    /// One overload (`ns::name.overload`) under a path; `None` where there is none.
    pub fn of_overload(full_name: &str, path: String) -> Option<Builtin> {
        let rows = rushlight::table().overloads(without_overload(full_name));
        let row = rows.iter().find(|row| row.full_name() == full_name)?;
        Some(Builtin::under(Overloads::only(row), path))
    }

    /// A method of a tensor.
    pub fn bound(overloads: Overloads, receiver: &Bound<'_, PyTensor>) -> Builtin {
        Builtin {
            overloads,
            path: None,
            is_of_ops: false,
            receiver: Some(receiver.clone().unbind()),
        }
    }
}

/// Results without the names that the functions of `torch` give them: operators give plain tuples.
fn unnamed<'py>(result: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match result.cast::<PyTuple>() {
        Ok(named) if !result.is_exact_instance_of::<PyTuple>() => {
            // Lists among them are tuples where results have names.
            let plain = |item: Bound<'py, PyAny>| match item.cast::<PyTuple>() {
                Ok(list) => Ok(list.to_list().into_any()),
                Err(_) => Ok(item),
            };
            let items = named.iter().map(plain).collect::<PyResult<Vec<_>>>()?;
            Ok(PyTuple::new(result.py(), items)?.into_any())
        }
        _ => Ok(result),
    }
}

#[pymethods]
impl Builtin {
    #[new]
    fn new(operator: String, path: String) -> PyResult<Builtin> {
        let overloads = Overloads::find(&operator)
            .ok_or_else(|| PyAttributeError::new_err(format!("there is no operator {operator}")))?;
        Ok(Builtin::under(overloads, path))
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
        let positional = receiver.chain(args.iter()).collect::<Positional<'py>>();
        let arguments = Arguments::new(self.overloads, self.receiver.is_some(), &positional);
        let arguments = match self.is_of_ops {
            true => arguments.by_schema(),
            false => arguments,
        };
        let call = || match kwargs {
            None => choose(py, &arguments),
            Some(kwargs) => call_named(py, &arguments, kwargs),
        };
        let line = recording::is_on().then(|| self.line_in_ops()).flatten();
        let outcome = match line {
            Some(line) => recording::from_library("torch/_ops.py", line, || as_given(call)),
            None => call(),
        };
        match outcome {
            Ok(result) if self.is_of_ops && self.gives_list() => {
                Ok(PyList::new(py, result.try_iter()?.flatten())?.into_any())
            }
            Ok(result) if self.is_of_ops => unnamed(result),
            Ok(result) => Ok(result),
            Err(error) => self.in_schemas(py, error, args, kwargs),
        }
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

    /// The name with what the reference keeps the function in.
    #[getter]
    fn __qualname__(&self) -> String {
        let (name, path) = (self.__name__(), self.path());
        if let Some(inside) = path.strip_prefix("torch.ops.") {
            return match inside.split('.').collect::<Vec<_>>()[..] {
                [space, name, "default"] => format!("{space}::{name}"),
                [space, name, overload] => format!("{space}::{name}.{overload}"),
                _ => name.to_string(),
            };
        }
        match path.strip_prefix("torch.") {
            _ if path == self.operator() => format!("Tensor.{name}"),
            Some(only) if only == name => format!("_VariableFunctionsClass.{name}"),
            _ => name.to_string(),
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
            return Err(PyAttributeError::new_err(match self.is_of_ops {
                true => format!(
                    "The underlying op of '{}' has no overload name '{name}'",
                    self.overloads.name.replace("::", ".")
                ),
                false => format!("'builtin_function_or_method' object has no attribute '{name}'"),
            }));
        };
        let path = format!("{}.{name}", self.path());
        let made = MADE.get_or_init(py, || PyDict::new(py).unbind()).bind(py);
        if let Some(known) = made.get_item(&path)? {
            return Ok(known.cast_into::<Builtin>()?.unbind());
        }
        let fresh = Py::new(py, Builtin::under(Overloads::only(row), path.clone()))?;
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
