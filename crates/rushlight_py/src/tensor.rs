//! `torch.Tensor`: attributes, operators, indexing, numpy. Methods are look-ups in the operator table.

use crate::convert::{from_python, is_array, to_python};
use crate::eager::{Builtin, Known, Overloads, call, call_method, call_values, give};
use crate::identity::{Standing, tensor_of};
use crate::objects::{CodeObject, DTypeObject, DeviceObject};
use crate::{errors, index, state, trace};
use pyo3::IntoPyObjectExt;
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};
use rushlight::tensor::{DType, Layout, Scalar, Storage};
use rushlight::types::Type;
use rushlight::{Tensor, Value};
use std::ptr::NonNull;

/// A tensor.
#[pyclass(name = "Tensor", module = "torch", subclass, frozen, weakref, dict)]
pub struct PyTensor(pub Tensor, pub Standing);

impl PyTensor {
    /// An object for a tensor; see [`crate::identity`] for which one Python gets.
    pub fn new(tensor: Tensor) -> PyTensor {
        PyTensor(tensor, Standing::default())
    }
}

impl Drop for PyTensor {
    fn drop(&mut self) {
        self.1.end(&self.0);
    }
}

/// The operator of a name, found once for each place that names it.
macro_rules! known {
    ($name:literal) => {{
        static KNOWN: Known = Known::new($name);
        KNOWN.get()
    }};
}

/// An operator with this tensor first.
fn operate<'py>(
    slf: &Bound<'py, PyTensor>,
    operator: Overloads,
    other: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let both = [slf.as_any().clone(), other.clone()];
    or_not_implemented(slf.py(), call_method(slf.py(), operator, &both))
}

/// Operands that an operator does not take are left to the other one, and to Python's own message.
fn or_not_implemented<'py>(
    py: Python<'py>,
    result: PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    match result {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            Ok(py.NotImplemented().into_bound(py))
        }
        other => other,
    }
}

/// The dtype that `Tensor.type` is given: a dtype, or the name of a type of tensors.
fn type_named(object: &Bound<'_, PyAny>) -> PyResult<rushlight::tensor::DType> {
    if let Ok(dtype) = object.extract::<DTypeObject>() {
        return Ok(dtype.0);
    }
    let name: String = match object.cast::<pyo3::types::PyType>() {
        // `torch.HalfTensor` is a class that goes by its short name.
        Ok(class) => format!("torch.{}", class.name()?),
        Err(_) => object
            .extract()
            .map_err(|_| PyTypeError::new_err("dtype must be a type, str, or dtype object"))?,
    };
    let class = name
        .strip_prefix("torch.")
        .and_then(|n| n.strip_suffix("Tensor"));
    let known = class.and_then(|class| {
        let all = (0..32).filter_map(rushlight::tensor::DType::from_code);
        all.into_iter().find(|d| d.class_name() == class)
    });
    known.ok_or_else(|| pyo3::exceptions::PyValueError::new_err(format!("invalid type: '{name}'")))
}

/// An operator with this tensor second.
fn operate_reversed<'py>(
    slf: &Bound<'py, PyTensor>,
    operator: Overloads,
    other: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let both = [other.clone(), slf.as_any().clone()];
    or_not_implemented(slf.py(), call(slf.py(), operator, &both))
}

/// An operator that writes to this tensor.
fn operate_in_place(
    slf: &Bound<'_, PyTensor>,
    operator: Overloads,
    other: Operand<'_>,
) -> PyResult<()> {
    let both = [slf.as_any().clone(), other.0];
    call_method(slf.py(), operator, &both).map(drop)
}

/// An operand that operators in place take: a tensor or a number. Others are left to the plain operator, and to Python's
/// own message.
struct Operand<'py>(Bound<'py, PyAny>);

impl<'py> FromPyObject<'_, 'py> for Operand<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Operand<'py>> {
        let fits = object.cast::<PyTensor>().is_ok()
            || from_python(&object, &Type::Number).is_some()
            || crate::convert::array_scalar(&object).is_some();
        match fits {
            true => Ok(Operand(object.to_owned())),
            false => Err(PyTypeError::new_err("neither a tensor nor a number")),
        }
    }
}

fn unary<'py>(slf: &Bound<'py, PyTensor>, operator: Overloads) -> PyResult<Bound<'py, PyAny>> {
    call_method(slf.py(), operator, std::slice::from_ref(slf.as_any()))
}

/// The file of the reference that some operations of tensors are written in, as positions in traces show.
const TENSOR_FILE: &str = "torch/_tensor.py";

impl PyTensor {
    /// The only element, which must fit numbers of a dtype.
    fn only_as(&self, dtype: rushlight::DType) -> PyResult<Scalar> {
        if self.0.numel() != 1 {
            return Err(pyo3::exceptions::PyValueError::new_err(
                "only one element tensors can be converted to Python scalars",
            ));
        }
        match self.0.item().map_err(errors::fault)? {
            number @ Scalar::Complex(c) if !dtype.is_complex() => {
                rushlight::tensor::promote::check_number(number, dtype).map_err(errors::fault)?;
                Ok(Scalar::Float(c.re))
            }
            number => Ok(number),
        }
    }

    /// How a tensor without elements prints.
    fn meta_repr(&self, gradient: Option<String>) -> String {
        let sizes: Vec<String> = self.0.sizes().iter().map(usize::to_string).collect();
        let sizes = match sizes.as_slice() {
            [only] => format!("({only},)"),
            all => format!("({})", all.join(", ")),
        };
        let dtype = match self.0.dtype() == state::context().default_dtype() {
            true => String::new(),
            false => format!(", dtype={}", self.0.dtype()),
        };
        let gradient = match gradient {
            Some(text) => format!(", {text}"),
            None if self.0.requires_grad() => ", requires_grad=True".to_string(),
            None => String::new(),
        };
        format!("tensor(..., device='meta', size={sizes}{dtype}{gradient})")
    }
}

/// The same tensor on the `meta` device.
#[pyfunction]
pub fn to_meta(tensor: &PyTensor) -> PyResult<PyTensor> {
    let meta = tensor.0.to_meta().map_err(errors::fault)?;
    meta.set_requires_grad(tensor.0.requires_grad());
    Ok(PyTensor::new(meta))
}

#[pymethods]
impl PyTensor {
    #[new]
    #[pyo3(signature = (*args, **kwargs))]
    fn build(args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<PyTensor> {
        let _ = kwargs;
        if let [only] = args.iter().collect::<Vec<_>>().as_slice() {
            if let Ok(tensor) = only.cast::<PyTensor>() {
                return Ok(PyTensor::new(tensor_of(tensor)));
            }
            if !only.is_instance_of::<pyo3::types::PyInt>() {
                return crate::literal::build(only, Some(state::context().default_dtype()))
                    .map(PyTensor::new);
            }
        }
        let sizes: Vec<usize> = args.iter().map(|a| a.extract()).collect::<PyResult<_>>()?;
        let sizes = if args.is_empty() { vec![0] } else { sizes };
        Tensor::zeros(&sizes, state::context().default_dtype())
            .map(PyTensor::new)
            .map_err(errors::fault)
    }

    /// What the class lacks: operators that are no methods of the reference, called with the tensor first.
    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = match name.starts_with("__") {
            false => Overloads::find(&format!("aten::{name}")),
            true => None,
        };
        if let Some(overloads) = found {
            return Builtin::bound(overloads, slf).into_bound_py_any(slf.py());
        }
        Err(PyAttributeError::new_err(format!(
            "'Tensor' object has no attribute '{name}'"
        )))
    }

    fn __repr__(&self) -> String {
        if trace::is_on() {
            self.resolve("torch/_tensor_str.py", 283);
        }
        let gradient = crate::gradient::shown(&self.0);
        if self.0.is_meta() {
            return self.meta_repr(gradient);
        }
        self.0.repr(
            &state::printing(),
            state::context().default_dtype(),
            gradient.as_deref(),
        )
    }

    fn __str__(&self) -> String {
        self.__repr__()
    }

    fn __format__(slf: &Bound<'_, Self>, spec: &str) -> PyResult<String> {
        let tensor = &slf.get().0;
        // Subclasses (parameters) show as they print.
        let is_plain = slf.get_type().is(slf.py().get_type::<Self>());
        if tensor.rank() == 0 && is_plain {
            let item = to_python(
                slf.py(),
                &Value::scalar(tensor.item().map_err(errors::fault)?),
            )?;
            return item.call_method1("__format__", (spec,))?.extract();
        }
        if !spec.is_empty() {
            return Err(PyTypeError::new_err(
                "unsupported format string passed to Tensor.__format__",
            ));
        }
        Ok(slf.str()?.to_string())
    }

    /// The text that a script's `print` shows.
    fn _script_text(&self) -> String {
        self.0.script_text()
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let sizes = match trace::current() {
            None => PyTuple::new(py, self.0.sizes())?,
            Some(recorder) => {
                let dims = 0..self.0.rank() as i64;
                let sizes: PyResult<Vec<_>> = dims
                    .map(|dim| trace::size(py, &recorder, &self.0, dim))
                    .collect();
                PyTuple::new(py, sizes?)?
            }
        };
        match state::size_class(py) {
            Some(class) => class.call1((sizes,)),
            None => Ok(sizes.into_any()),
        }
    }

    #[pyo3(signature = (dim=None))]
    fn size<'py>(&self, py: Python<'py>, dim: Option<i64>) -> PyResult<Bound<'py, PyAny>> {
        match dim {
            None => self.shape(py),
            Some(dim) => {
                let d =
                    rushlight::tensor::view::wrap_dim(dim, self.0.rank()).map_err(errors::fault)?;
                if self.0.rank() == 0 {
                    return Err(pyo3::exceptions::PyIndexError::new_err(
                        "dimension specified as 0 but tensor has no dimensions",
                    ));
                }
                match trace::current() {
                    None => self.0.size(d).into_bound_py_any(py),
                    Some(recorder) => trace::size(py, &recorder, &self.0, dim),
                }
            }
        }
    }

    #[pyo3(signature = (dim=None))]
    fn stride<'py>(&self, py: Python<'py>, dim: Option<i64>) -> PyResult<Bound<'py, PyAny>> {
        match dim {
            None => Ok(PyTuple::new(py, self.0.strides())?.into_any()),
            Some(dim) => {
                let d =
                    rushlight::tensor::view::wrap_dim(dim, self.0.rank()).map_err(errors::fault)?;
                self.0.strides()[d].into_bound_py_any(py)
            }
        }
    }

    /// How the integers of a quantized tensor stand for numbers.
    fn qscheme<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.0.quantizer() {
            Some(quantizer) => py
                .import("rushlight._names")?
                .call_method1("named", (quantizer.scheme_name(),)),
            None => give(
                py,
                call_values(py, "aten::qscheme", vec![Value::Tensor(self.0.clone())])?,
            ),
        }
    }

    /// A new tensor of the data, of this one's dtype where no other is given.
    #[pyo3(signature = (data, *, dtype=None, device=None, requires_grad=false, pin_memory=false))]
    fn new_tensor<'py>(
        slf: &Bound<'py, Self>,
        data: &Bound<'py, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        device: Option<&Bound<'_, PyAny>>,
        requires_grad: bool,
        pin_memory: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let own = slf.getattr("dtype")?;
        let dtype = Some(dtype.unwrap_or(&own));
        crate::literal::tensor(data, dtype, device, requires_grad, pin_memory)
    }

    /// The name of the tensor's type, or the tensor as another dtype.
    #[pyo3(signature = (dtype=None, non_blocking=false))]
    fn r#type<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        non_blocking: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tensor = &slf.get().0;
        let Some(wanted) = dtype else {
            let module = match tensor.quantizer() {
                Some(_) => "torch.quantized",
                None => "torch",
            };
            let name = format!("{module}.{}Tensor", tensor.dtype().class_name());
            return name.into_bound_py_any(slf.py());
        };
        let code = type_named(wanted)?.code();
        if code == tensor.dtype().code() && !trace::is_on() {
            return Ok(slf.clone().into_any());
        }
        let arguments = vec![
            Value::Tensor(tensor.clone()),
            Value::Int(code),
            Value::Bool(non_blocking),
            Value::Bool(false),
            Value::None,
        ];
        give(
            slf.py(),
            call_values(slf.py(), "aten::to.dtype", arguments)?,
        )
    }

    fn dim(&self) -> usize {
        self.0.rank()
    }

    #[getter]
    fn ndim(&self) -> usize {
        self.0.rank()
    }

    fn numel<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match trace::current() {
            None => self.0.numel().into_bound_py_any(py),
            Some(recorder) => {
                let count = recorder.numel(&self.0).map_err(errors::fault)?;
                PyTensor::new(count).into_bound_py_any(py)
            }
        }
    }

    #[getter]
    fn dtype(&self, py: Python<'_>) -> PyResult<Py<DTypeObject>> {
        crate::objects::dtype_object(py, self.0.dtype())
    }

    #[getter]
    fn device(&self) -> DeviceObject {
        DeviceObject(self.0.device())
    }

    #[getter]
    fn layout(&self) -> CodeObject {
        CodeObject {
            kind: "layout".into(),
            name: "strided".into(),
            code: 0,
        }
    }

    #[getter]
    fn itemsize(&self) -> usize {
        self.0.dtype().size()
    }

    /// How many bytes the elements take.
    #[getter]
    fn nbytes(&self) -> usize {
        self.itemsize() * self.0.numel()
    }

    #[getter]
    fn is_cuda(&self) -> bool {
        false
    }

    #[getter]
    fn is_sparse(&self) -> bool {
        false
    }

    #[getter]
    fn is_quantized(&self) -> bool {
        self.0.quantizer().is_some()
    }

    #[getter]
    fn requires_grad(&self) -> bool {
        self.0.requires_grad()
    }

    #[setter]
    fn set_requires_grad(slf: &Bound<'_, Self>, on: bool) -> PyResult<()> {
        let arguments = vec![Value::Tensor(tensor_of(slf)), Value::Bool(on)];
        call_values(slf.py(), "aten::requires_grad_", arguments)?;
        Ok(())
    }

    #[pyo3(signature = (requires_grad=true))]
    fn requires_grad_<'py>(
        slf: Bound<'py, Self>,
        requires_grad: bool,
    ) -> PyResult<Bound<'py, Self>> {
        Self::set_requires_grad(&slf, requires_grad)?;
        Ok(slf)
    }

    #[getter]
    fn data(&self) -> PyTensor {
        PyTensor::new(self.0.alias())
    }

    #[setter]
    fn set_data(&self, other: &PyTensor) -> PyResult<()> {
        let meta = &other.0;
        self.0
            .set_meta(&meta.storage(), meta.dtype(), meta.layout().clone())
            .map_err(errors::fault)
    }

    #[getter]
    fn _version(&self, py: Python<'_>) -> PyResult<u64> {
        let arguments = vec![Value::Tensor(self.0.clone())];
        let version = call_values(py, "aten::_version", arguments)?;
        Ok(version.as_int().map_err(errors::fault)? as u64)
    }

    fn data_ptr(&self) -> usize {
        match self.0.is_meta() {
            true => 0,
            false => self.0.address() as usize,
        }
    }

    fn element_size(&self) -> usize {
        self.0.dtype().size()
    }

    fn item<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        trace::warn(py, "number")?;
        self.number(py)
    }

    /// The one element, without the warning of traces.
    fn number<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &Value::scalar(self.0.item().map_err(errors::fault)?))
    }

    /// The same tensor as an instance of a class derived from `Tensor`.
    fn as_subclass<'py>(
        slf: &Bound<'py, Self>,
        cls: &Bound<'py, PyType>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tensor = slf.py().get_type::<PyTensor>();
        if !cls.is_subclass(&tensor)? {
            return Err(PyTypeError::new_err(format!(
                "cls must be a type (got {})",
                cls.name()?
            )));
        }
        tensor.call_method1("__new__", (cls, slf))
    }

    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        trace::warn(py, "list")?;
        if self.0.is_meta() {
            return Err(pyo3::exceptions::PyNotImplementedError::new_err(
                "Cannot copy out of meta tensor; no data!",
            ));
        }
        if trace::is_on() {
            let list = Value::Tensor(self.0.clone());
            let list = call_values(py, "aten::resolve_conj", vec![list])?;
            call_values(py, "aten::resolve_neg", vec![list])?;
        }
        if self.0.dtype().is_quantized() {
            return Err(pyo3::exceptions::PyRuntimeError::new_err(
                "load_scalar: invalid type",
            ));
        }
        let values: Vec<Value> = rushlight::tensor::dispatch!(self.0.dtype(), All, T => self.0.data::<T>().iter().map(|v| Value::scalar(element_scalar(*v))).collect());
        nested_list(py, &values, self.0.sizes())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        if trace::is_on() && self.0.rank() > 0 {
            trace::warn(py, "len")?;
            self.shape(py)?;
        }
        match self.0.rank() {
            0 => Err(PyTypeError::new_err("len() of a 0-d tensor")),
            _ => Ok(self.0.size(0)),
        }
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        if slf.get().0.rank() == 0 {
            return Err(PyTypeError::new_err("iteration over a 0-d tensor"));
        }
        if trace::is_on() {
            trace::warn(slf.py(), "iteration")?;
            let parts =
                trace::from_library(TENSOR_FILE, 1227, || unary(slf, known!("aten::unbind")))?;
            return parts.call_method0("__iter__");
        }
        if slf.get().0.requires_grad() {
            return unary(slf, known!("aten::unbind"))?.call_method0("__iter__");
        }
        let mut parts = Vec::new();
        for i in 0..slf.get().0.size(0) {
            parts.push(
                PyTensor::new(slf.get().0.select(0, i as i64).map_err(errors::fault)?)
                    .into_bound_py_any(slf.py())?,
            );
        }
        PyList::new(slf.py(), parts)?
            .into_any()
            .call_method0("__iter__")
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        trace::warn(py, "boolean")?;
        match self.0.numel() {
            1 => Ok(self.0.item().map_err(errors::fault)?.to_bool()),
            0 => Err(pyo3::exceptions::PyRuntimeError::new_err(
                "Boolean value of Tensor with no values is ambiguous",
            )),
            _ => Err(pyo3::exceptions::PyRuntimeError::new_err(
                "Boolean value of Tensor with more than one value is ambiguous",
            )),
        }
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        trace::warn(py, "integer")?;
        let number = self.only_as(rushlight::DType::I64)?;
        let number = to_python(py, &Value::scalar(number))?;
        py.get_type::<pyo3::types::PyInt>().call1((number,))
    }

    fn __float__(&self, py: Python<'_>) -> PyResult<f64> {
        trace::warn(py, "float")?;
        self.only_as(rushlight::DType::F64).map(Scalar::to_f64)
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let c = self.only_as(rushlight::DType::C128)?.to_complex();
        Ok(pyo3::types::PyComplex::from_doubles(py, c.re, c.im).into_any())
    }

    fn __index__(&self) -> PyResult<i64> {
        match self.0.item() {
            Ok(Scalar::Int(i)) => Ok(i),
            Ok(Scalar::Bool(b)) => Ok(b as i64),
            _ => Err(PyTypeError::new_err(
                "only integer tensors of a single element can be converted to an index",
            )),
        }
    }

    fn __hash__(&self) -> usize {
        self.0.id()
    }

    fn __getitem__<'py>(
        slf: &Bound<'py, Self>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        give(
            slf.py(),
            Value::Tensor(index::get(slf.py(), &slf.get().0, key)?),
        )
    }

    fn __setitem__(
        slf: &Bound<'_, Self>,
        key: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        index::set(slf.py(), &slf.get().0, key, value)
    }

    fn __contains__(slf: &Bound<'_, Self>, element: &Bound<'_, PyAny>) -> PyResult<bool> {
        let number = element.is_instance_of::<pyo3::types::PyInt>()
            || element.is_instance_of::<pyo3::types::PyFloat>()
            || element.is_instance_of::<pyo3::types::PyComplex>()
            || crate::convert::array_scalar(element).is_some();
        if !number && element.cast::<PyTensor>().is_err() {
            return Err(pyo3::exceptions::PyRuntimeError::new_err(format!(
                "Tensor.__contains__ only supports Tensor or scalar, but you passed in a {}.",
                element.get_type().repr()?
            )));
        }
        let equal = call_method(
            slf.py(),
            known!("aten::eq"),
            &[slf.as_any().clone(), element.clone()],
        )?;
        let any = unary(equal.cast::<PyTensor>()?, known!("aten::any"))?;
        any.is_truthy()
    }

    fn __richcmp__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        op: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        let name = match op {
            CompareOp::Lt => known!("aten::lt"),
            CompareOp::Le => known!("aten::le"),
            CompareOp::Eq => known!("aten::eq"),
            CompareOp::Ne => known!("aten::ne"),
            CompareOp::Gt => known!("aten::gt"),
            CompareOp::Ge => known!("aten::ge"),
        };
        if matches!(op, CompareOp::Eq) && is_array(other) {
            let other = from_array(other).and_then(|t| t.into_bound_py_any(slf.py()));
            let other = or_not_implemented(slf.py(), other)?;
            return match other.cast::<PyTensor>() {
                Ok(_) => operate(slf, name, &other),
                Err(_) => Ok(other),
            };
        }
        operate(slf, name, other)
    }

    fn __add__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate(slf, known!("aten::add"), other)
    }
    fn __radd__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate(slf, known!("aten::add"), other)
    }
    fn __sub__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate(slf, known!("aten::sub"), other)
    }
    fn __rsub__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        trace::from_library(TENSOR_FILE, 1120, || {
            operate(slf, known!("aten::rsub"), other)
        })
    }
    fn __mul__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate(slf, known!("aten::mul"), other)
    }
    fn __rmul__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate(slf, known!("aten::mul"), other)
    }
    fn __truediv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate(slf, known!("aten::div"), other)
    }
    fn __rtruediv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        trace::from_library(TENSOR_FILE, 1124, || {
            let inverse = unary(slf, known!("aten::reciprocal"))?;
            if is_array(other) {
                return inverse.mul(other);
            }
            operate(inverse.cast::<PyTensor>()?, known!("aten::mul"), other)
        })
    }
    fn __floordiv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        trace::from_library(TENSOR_FILE, 1165, || {
            operate(slf, known!("aten::floor_divide"), other)
        })
    }
    fn __rfloordiv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        trace::from_library(TENSOR_FILE, 1171, || {
            operate_reversed(slf, known!("aten::floor_divide"), other)
        })
    }
    fn __mod__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate(slf, known!("aten::remainder"), other)
    }
    fn __rmod__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate_reversed(slf, known!("aten::remainder"), other)
    }
    fn __pow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = modulo;
        trace::from_library(TENSOR_FILE, 39, || operate(slf, known!("aten::pow"), other))
    }
    fn __rpow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = modulo;
        trace::from_library(TENSOR_FILE, 1159, || {
            operate_reversed(slf, known!("aten::pow"), other)
        })
    }
    fn __matmul__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate(slf, known!("aten::matmul"), other)
    }
    fn __and__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate(slf, known!("aten::__and__"), other)
    }
    fn __or__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate(slf, known!("aten::__or__"), other)
    }
    fn __xor__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate(slf, known!("aten::__xor__"), other)
    }
    fn __rand__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate(slf, known!("aten::bitwise_and"), other)
    }
    fn __ror__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate(slf, known!("aten::bitwise_or"), other)
    }
    fn __rxor__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate(slf, known!("aten::bitwise_xor"), other)
    }
    fn __lshift__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate(slf, known!("aten::__lshift__"), other)
    }
    fn __rshift__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate(slf, known!("aten::__rshift__"), other)
    }
    fn __rlshift__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate_reversed(slf, known!("aten::bitwise_left_shift"), other)
    }
    fn __rrshift__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operate_reversed(slf, known!("aten::bitwise_right_shift"), other)
    }
    fn __iadd__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        operate_in_place(slf, known!("aten::add_"), other)
    }
    fn __isub__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        operate_in_place(slf, known!("aten::sub_"), other)
    }
    fn __imul__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        operate_in_place(slf, known!("aten::mul_"), other)
    }
    fn __itruediv__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        operate_in_place(slf, known!("aten::div_"), other)
    }
    fn __ifloordiv__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        operate_in_place(slf, known!("aten::floor_divide_"), other)
    }
    fn __imod__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        operate_in_place(slf, known!("aten::remainder_"), other)
    }
    fn __ipow__(
        slf: &Bound<'_, Self>,
        other: Operand<'_>,
        modulo: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let _ = modulo;
        operate_in_place(slf, known!("aten::pow_"), other)
    }
    fn __iand__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        operate_in_place(slf, known!("aten::__iand__"), other)
    }
    fn __ior__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        operate_in_place(slf, known!("aten::__ior__"), other)
    }
    fn __ixor__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        operate_in_place(slf, known!("aten::__ixor__"), other)
    }
    fn __ilshift__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        operate_in_place(slf, known!("aten::__ilshift__"), other)
    }
    fn __irshift__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        operate_in_place(slf, known!("aten::__irshift__"), other)
    }
    fn __neg__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        unary(slf, known!("aten::neg"))
    }
    fn __pos__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }
    fn __abs__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        unary(slf, known!("aten::abs"))
    }
    fn __invert__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let dtype = slf.get().0.dtype();
        if dtype.is_float() || dtype.is_complex() {
            return Err(PyTypeError::new_err(
                "~ (operator.invert) is only implemented on integer and Boolean-type tensors",
            ));
        }
        unary(slf, known!("aten::bitwise_not"))
    }

    /// The memory as a DLPack capsule, which another library takes over.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<Bound<'py, PyAny>>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // There are no streams in main memory, and every library takes the unversioned form.
        let _ = (stream, max_version);
        if dl_device.is_some_and(|device| device != self.__dlpack_device__()) {
            return Err(pyo3::exceptions::PyBufferError::new_err(
                "tensors live in main memory; they can go to no other device",
            ));
        }
        match copy {
            Some(true) => crate::dlpack::to_dlpack(py, &PyTensor::new(self.0.deep_copy())),
            _ => crate::dlpack::to_dlpack(py, self),
        }
    }

    /// Main memory, as DLPack numbers devices.
    fn __dlpack_device__(&self) -> (i32, i32) {
        (1, 0)
    }

    /// The memory as NumPy wants it described; writing there writes the tensor.
    #[getter]
    fn _array_interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let kind = type_string(self.0.dtype()).ok_or_else(|| {
            let name = self.0.dtype().class_name();
            PyTypeError::new_err(format!("Got unsupported ScalarType {name}"))
        })?;
        let refused = |bit: &str, how: &str| {
            Err(pyo3::exceptions::PyRuntimeError::new_err(format!(
                "Can't call numpy() on Tensor that has {bit} bit set. Use tensor.{how}().numpy() instead."
            )))
        };
        if self.0.is_meta() {
            return Err(PyTypeError::new_err(
                "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
            ));
        }
        if self.0.is_conjugated() {
            return refused("conjugate", "resolve_conj");
        }
        if self.0.is_negated() {
            return refused("negative", "resolve_neg");
        }
        self.0.storage().expose();
        let out = PyDict::new(py);
        out.set_item("version", 3)?;
        out.set_item("typestr", kind)?;
        out.set_item("data", (self.data_ptr(), false))?;
        out.set_item("shape", PyTuple::new(py, self.0.sizes())?)?;
        let bytes: Vec<usize> = self
            .0
            .strides()
            .iter()
            .map(|s| s * self.0.dtype().size())
            .collect();
        out.set_item("strides", PyTuple::new(py, bytes)?)?;
        Ok(out.into_any())
    }

    /// The elements where a condition holds, and others where it does not. The operator has the condition first.
    #[pyo3(signature = (condition, other))]
    fn r#where<'py>(
        slf: &Bound<'py, Self>,
        condition: &Bound<'py, PyAny>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let all = [condition.clone(), slf.as_any().clone(), other.clone()];
        call(slf.py(), known!("aten::where"), &all)
    }

    #[pyo3(signature = (*, force=false))]
    fn numpy<'py>(slf: &Bound<'py, Self>, force: bool) -> PyResult<Bound<'py, PyAny>> {
        if slf.get().0.requires_grad() && !force {
            return Err(pyo3::exceptions::PyRuntimeError::new_err(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
            ));
        }
        trace::warn(slf.py(), "array")?;
        let view = crate::state::registered(slf.py(), "array_of")?;
        view.call1((slf,))
    }

    fn cpu<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        if slf.get().0.is_meta() {
            return Err(pyo3::exceptions::PyNotImplementedError::new_err(
                "Cannot copy out of meta tensor; no data!",
            ));
        }
        if !trace::is_on() {
            return Ok(slf.into_any());
        }
        let mut arguments = vec![Value::Tensor(tensor_of(&slf)), Value::None, Value::None];
        arguments.extend([Value::Device(rushlight::Device::CPU), Value::None]);
        arguments.extend([Value::Bool(false), Value::Bool(false), Value::None]);
        give(
            slf.py(),
            call_values(slf.py(), "aten::to.dtype_layout", arguments)?,
        )
    }

    #[pyo3(signature = (memo=None))]
    fn __deepcopy__<'py>(
        slf: &Bound<'py, Self>,
        memo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !slf.get().0.is_leaf() {
            return Err(pyo3::exceptions::PyRuntimeError::new_err(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001",
            ));
        }
        let copy = crate::pickling::deep_copy(&slf.get().0, memo)?;
        copy.set_requires_grad(slf.get().0.requires_grad());
        if let Some(grad) = rushlight::autograd::Meta::grad(&slf.get().0) {
            rushlight::autograd::Meta::set_grad(&copy, Some(grad.deep_copy()));
        }
        let out = PyTensor::new(copy).into_bound_py_any(slf.py())?;
        if let Some(memo) = memo {
            memo.set_item(slf.as_ptr() as usize, &out)?;
        }
        Ok(out)
    }

    /// Another tensor object for the same tensor: what subclasses are made from.
    fn _same(&self, other: &PyTensor) -> bool {
        self.0.is(&other.0)
    }

    fn _op<'py>(slf: &Bound<'py, Self>, full_name: &str) -> PyResult<Bound<'py, PyAny>> {
        let value = call_values(slf.py(), full_name, vec![Value::Tensor(tensor_of(slf))])?;
        give(slf.py(), value)
    }
}

impl PyTensor {
    /// What the reference does before it shows elements, which traces record.
    fn resolve(&self, file: &'static str, line: u32) {
        trace::from_library(file, line, || {
            Python::attach(|py| {
                let mut value = Value::Tensor(self.0.clone());
                for operator in ["aten::resolve_conj", "aten::resolve_neg"] {
                    match call_values(py, operator, vec![value]) {
                        Ok(resolved) => value = resolved,
                        // Printing goes on; the trace lacks a step that computes nothing.
                        Err(_) => return,
                    }
                }
            })
        });
    }
}

fn element_scalar<T: rushlight::tensor::Element>(v: T) -> Scalar {
    v.to_scalar()
}

fn nested_list<'py>(
    py: Python<'py>,
    values: &[Value],
    sizes: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let Some((first, rest)) = sizes.split_first() else {
        return to_python(py, &values[0]);
    };
    let step: usize = rest.iter().product();
    let items = (0..*first)
        .map(|i| nested_list(py, &values[i * step..(i + 1) * step], rest))
        .collect::<PyResult<Vec<_>>>()?;
    Ok(PyList::new(py, items)?.into_any())
}

const TYPE_STRINGS: &[(DType, &str)] = &[
    (DType::Bool, "|b1"),
    (DType::U8, "|u1"),
    (DType::I8, "|i1"),
    (DType::I16, "<i2"),
    (DType::I32, "<i4"),
    (DType::I64, "<i8"),
    (DType::F16, "<f2"),
    (DType::F32, "<f4"),
    (DType::F64, "<f8"),
    (DType::U16, "<u2"),
    (DType::U32, "<u4"),
    (DType::U64, "<u8"),
    (DType::C64, "<c8"),
    (DType::C128, "<c16"),
];

fn type_string(dtype: DType) -> Option<&'static str> {
    TYPE_STRINGS
        .iter()
        .find(|(d, _)| *d == dtype)
        .map(|(_, s)| *s)
}

/// The dtype of an array or of one of its scalars.
pub fn array_dtype(array: &Bound<'_, PyAny>) -> Option<DType> {
    let kind: String = array
        .getattr("dtype")
        .ok()?
        .getattr("str")
        .ok()?
        .extract()
        .ok()?;
    let found = TYPE_STRINGS.iter().find(|(_, s)| *s == kind);
    found.map(|(dtype, _)| *dtype)
}

/// A tensor over the memory of an object with `__array_interface__`, without a copy.
#[pyfunction]
pub fn from_array(array: &Bound<'_, PyAny>) -> PyResult<PyTensor> {
    let interface = array.getattr("__array_interface__")?;
    let get = |key: &str| interface.get_item(key);
    let kind: String = get("typestr")?.extract()?;
    let dtype = TYPE_STRINGS
        .iter()
        .find(|(_, s)| *s == kind)
        .map(|(d, _)| *d)
        .ok_or_else(|| {
            let name = array.getattr("dtype").and_then(|d| d.getattr("type"));
            let name = name.and_then(|t| t.getattr("__name__")).map_or(kind, |n| n.to_string());
            PyTypeError::new_err(format!(
                "can't convert np.ndarray of type numpy.{name}. The only supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
            ))
        })?;
    let sizes: Vec<usize> = get("shape")?.extract()?;
    let (address, _readonly): (usize, bool) = get("data")?.extract()?;
    let strides: Vec<isize> = match interface.get_item("strides") {
        Ok(strides) if !strides.is_none() => strides.extract()?,
        _ => rushlight::tensor::layout::contiguous_strides(&sizes)
            .iter()
            .map(|s| (s * dtype.size()) as isize)
            .collect(),
    };
    let mut elements = Vec::new();
    for stride in strides {
        if stride < 0 {
            return Err(pyo3::exceptions::PyValueError::new_err(
                "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently supported. (You can probably work around this by making a copy of your array  with array.copy().) ",
            ));
        }
        if !(stride as usize).is_multiple_of(dtype.size()) {
            return Err(pyo3::exceptions::PyValueError::new_err(
                "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the memory.",
            ));
        }
        elements.push(stride as usize / dtype.size());
    }
    let layout = Layout::strided(&sizes, &elements, 0);
    let length = layout.end().unwrap_or(0) * dtype.size();
    let pointer = NonNull::new(address as *mut u8).unwrap_or(NonNull::dangling());
    // SAFETY: the array's own description says that this memory is its, and the storage keeps the array alive.
    let storage = unsafe { Storage::foreign(pointer, length, Box::new(array.clone().unbind())) };
    storage.expose();
    Tensor::view_of(&storage, dtype, layout)
        .map(PyTensor::new)
        .map_err(errors::fault)
}
