//! Methods of tensors that are operators: one descriptor per name, put into the class when the extension is loaded.
//!
//! Python finds them where it finds any method, so that a call neither looks a name up in the operator table nor fails
//! on an attribute first.

use crate::builtin::Builtin;
use crate::convert::{from_python, shown_type};
use crate::eager::call_method;
use crate::identity::PyTensor;
use crate::operator::{call_values, give};
use crate::overloads::Overloads;
use crate::trace::recording;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rushlight::Value;
use rushlight::tensor::DType;
use rushlight::types::{Operator, Type};
use std::collections::HashSet;

/// Names that are attributes, not methods, and the operator behind each.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("T", "aten::numpy_T"),
    ("mT", "aten::mT"),
    ("H", "aten::matrix_H"),
    ("mH", "aten::mH"),
    ("real", "aten::real"),
    ("imag", "aten::imag"),
];

/// Those of them that may be set.
const WRITTEN: &[&str] = &["real", "imag"];

/// Methods by another name than their operator.
const RENAMED: &[(&str, &str)] = &[
    ("nelement", "aten::numel"),
    ("ndimension", "aten::dim"),
    ("absolute", "aten::abs"),
];

/// Conversions by dtype name.
const CASTS: &[(&str, DType)] = &[
    ("float", DType::F32),
    ("double", DType::F64),
    ("half", DType::F16),
    ("bfloat16", DType::BF16),
    ("int", DType::I32),
    ("long", DType::I64),
    ("short", DType::I16),
    ("char", DType::I8),
    ("byte", DType::U8),
    ("bool", DType::Bool),
    ("cfloat", DType::C64),
    ("cdouble", DType::C128),
];

/// `getattr` and its arguments, for pickles.
type Attributed<'py> = (Bound<'py, PyAny>, (Bound<'py, PyAny>, &'static str));

/// What a name of the class stands for.
enum Binding {
    Operator(Overloads),
    Cast(DType),
}

/// A method of tensors.
#[pyclass(name = "method", module = "torch", frozen)]
pub struct Method {
    name: &'static str,
    binding: Binding,
}

#[pymethods]
impl Method {
    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        object: Option<&Bound<'py, PyAny>>,
        _owner: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let Some(Ok(tensor)) = object.map(|o| o.cast::<PyTensor>()) else {
            return Ok(slf.clone().into_any());
        };
        match slf.get().binding {
            Binding::Operator(overloads) => Builtin::bound(overloads, tensor).into_bound_py_any(py),
            Binding::Cast(dtype) => {
                let tensor = tensor.clone().unbind();
                let name = slf.get().name;
                Caster {
                    tensor,
                    name,
                    dtype,
                }
                .into_bound_py_any(py)
            }
        }
    }

    #[pyo3(signature = (tensor, *args, **kwargs))]
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        tensor: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if tensor.cast::<PyTensor>().is_err() {
            return Err(PyTypeError::new_err(format!(
                "descriptor '{}' for 'torch._C.TensorBase' objects doesn't apply to a '{}' object",
                slf.get().name,
                crate::convert::type_name(tensor)
            )));
        }
        Method::__get__(slf, Some(tensor), None)?.call(args, kwargs)
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.name
    }

    #[getter]
    fn __qualname__(&self) -> String {
        format!("TensorBase.{}", self.name)
    }

    /// Pickles as the attribute of the class that it is.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Attributed<'py>> {
        let py = slf.py();
        let class = py.get_type::<PyTensor>().into_any();
        let getattr = py.import("builtins")?.getattr("getattr")?;
        Ok((getattr, (class, slf.get().name)))
    }

    fn __repr__(&self) -> String {
        format!("<method '{}' of 'torch._C.TensorBase' objects>", self.name)
    }
}

/// An attribute of tensors that is an operator, called when the attribute is read.
#[pyclass(name = "getset_descriptor", module = "torch", frozen)]
pub struct Attribute {
    name: &'static str,
    operator: Overloads,
}

#[pymethods]
impl Attribute {
    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        object: Option<&Bound<'py, PyAny>>,
        _owner: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(Ok(tensor)) = object.map(|o| o.cast::<PyTensor>()) else {
            return Ok(slf.clone().into_any());
        };
        call_method(
            slf.py(),
            slf.get().operator,
            std::slice::from_ref(tensor.as_any()),
        )
    }

    /// The parts of complex numbers are written; all else is not.
    fn __set__(
        slf: &Bound<'_, Self>,
        object: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let name = slf.get().name;
        if !WRITTEN.contains(&name) {
            return Err(not_writable(name));
        }
        let part = Attribute::__get__(slf, Some(object), None)?;
        let write = match value.cast::<PyTensor>() {
            Ok(_) => "copy_",
            Err(_) => "fill_",
        };
        part.call_method1(write, (value,))?;
        Ok(())
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.name
    }

    fn __repr__(&self) -> String {
        format!(
            "<attribute '{}' of 'torch._C.TensorBase' objects>",
            self.name
        )
    }
}

/// The refusal to set an attribute of tensors.
pub fn not_writable(name: &str) -> PyErr {
    PyAttributeError::new_err(format!(
        "attribute '{name}' of 'torch._C.TensorBase' objects is not writable"
    ))
}

/// Whether an operator can be called as a method of a tensor: its first argument is a tensor called `self`. Asked of
/// every operator when the extension is loaded, so the text of the schema has to do.
fn is_method(operator: &Operator) -> bool {
    let arguments = operator.text.split_once('(').map_or("", |(_, rest)| rest);
    let after = arguments.strip_prefix("Tensor").unwrap_or("");
    let after = match after.strip_prefix('(') {
        Some(marks) => marks.split_once(')').map_or("", |(_, rest)| rest),
        None => after,
    };
    let name = after.trim_start().split([',', ')']).next();
    after.starts_with(' ') && name == Some("self")
}

/// Names that only `torch` and its namespaces have.
const FUNCTIONS_ONLY: &str = include_str!("functions_only.txt");

/// Every method that is an operator.
fn all() -> impl Iterator<Item = Method> {
    let table = rushlight::table();
    let functions: HashSet<&str> = FUNCTIONS_ONLY.lines().collect();
    let operators = table.names().into_iter().filter_map(move |full| {
        let name = full.strip_prefix("aten::")?;
        let is_hidden = name.starts_with("__") || functions.contains(name);
        let may_be = !is_hidden && table.overloads(full).iter().any(|o| is_method(o));
        let overloads = may_be.then(|| Overloads::find(full))??;
        let binding = Binding::Operator(overloads);
        overloads.any(is_method).then_some(Method { name, binding })
    });
    let renamed = RENAMED.iter().filter_map(|&(name, operator)| {
        let binding = Binding::Operator(Overloads::find(operator)?);
        Some(Method { name, binding })
    });
    let casts = CASTS.iter().map(|&(name, dtype)| Method {
        name,
        binding: Binding::Cast(dtype),
    });
    operators.chain(renamed).chain(casts)
}

/// Gives the class of tensors its methods; what it has already stays.
pub fn install(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<PyTensor>();
    let dict = class.getattr("__dict__")?;
    // Python's own messages show the names as they were last set, without the module, and methods keep the name that their
    // class has when they are first asked for it.
    class.setattr("__qualname__", "TensorBase")?;
    for method in dict.call_method0("values")?.try_iter()? {
        let method = method?;
        if method.get_type().name()? == "method_descriptor" {
            method.getattr("__qualname__")?;
        }
    }
    class.setattr("__qualname__", "Tensor")?;
    class.setattr("__name__", "Tensor")?;
    for &(name, operator) in ATTRIBUTES {
        if let Some(operator) = Overloads::find(operator) {
            class.setattr(name, Py::new(py, Attribute { name, operator })?)?;
        }
    }
    for method in all() {
        if !dict.contains(method.name)? {
            let name = method.name;
            class.setattr(name, Py::new(py, method)?)?;
        }
    }
    Ok(())
}

/// `x.float()` and its kin.
#[pyclass(frozen)]
struct Caster {
    tensor: Py<PyTensor>,
    name: &'static str,
    dtype: DType,
}

#[pymethods]
impl Caster {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let format = self.format(args, kwargs)?;
        let object = self.tensor.bind(py);
        let tensor = &object.get().0;
        let quantized = tensor.dtype().is_quantized();
        let seen = recording::is_on() || crate::profiler::is_on();
        let plain = matches!(format, Value::None);
        // What loses parts of numbers is warned of.
        let narrows = tensor.dtype().is_complex() && !self.dtype.is_complex();
        // The result keeps the order of dimensions in memory, which takes more where they leave gaps.
        let layout = tensor.layout();
        let close = layout.is_contiguous() || layout.is_non_overlapping_and_dense();
        let plain = plain && (close || tensor.dtype() == self.dtype);
        if plain && !seen && !tensor.requires_grad() && !quantized && !narrows {
            return match tensor.dtype() == self.dtype {
                true => Ok(object.clone().into_any()),
                false => PyTensor::new(tensor.to_dtype(self.dtype)).into_bound_py_any(py),
            };
        }
        let arguments = vec![
            tensor.clone().into(),
            Value::Int(self.dtype.code()),
            Value::Bool(false),
            Value::Bool(false),
            format,
        ];
        give(py, call_values(py, "aten::to.dtype", arguments)?)
    }
}

impl Caster {
    /// The memory format that a call asks for, the one thing it may say.
    fn format(
        &self,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Value> {
        let name = self.name;
        let given = args.len();
        if given > 0 {
            let were = if given == 1 { "was" } else { "were" };
            let text = format!("{name}() takes 0 positional arguments but {given} {were} given");
            return Err(PyTypeError::new_err(text));
        }
        let mut format = Value::None;
        for (key, value) in kwargs.into_iter().flatten() {
            if key.to_string() != "memory_format" {
                let text = format!("{name}() got an unexpected keyword argument '{key}'");
                return Err(PyTypeError::new_err(text));
            }
            let ty = Type::optional(Type::MemoryFormat);
            format = from_python(&value, &ty).ok_or_else(|| {
                PyTypeError::new_err(format!(
                    "{name}(): argument 'memory_format' must be torch.memory_format, not {}",
                    shown_type(&value)
                ))
            })?;
        }
        Ok(format)
    }
}
