//! `torch.Tensor`: attributes, operators, indexing, numpy. Methods are look-ups in the operator table.

/// The operator of a name, found once for each place that names it.
macro_rules! known {
    ($name:literal) => {{
        static KNOWN: $crate::overloads::Known = $crate::overloads::Known::new($name);
        KNOWN.get()
    }};
}

pub mod array_struct;
pub mod arrays;
mod numbers;
mod read_only;

use crate::convert::to_python;
use crate::eager::{call, call_method};
use crate::identity::{PyTensor, tensor_of};
use crate::objects::{DTypeObject, DeviceObject};
use crate::operator::{call_values, give};
use crate::overloads::Overloads;
use crate::trace::{adoption, recording};
use crate::{dispatching, errors, index, profiler, registry, settings, state};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyTuple, PyType};
use rushlight::Value;

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

fn unary<'py>(slf: &Bound<'py, PyTensor>, operator: Overloads) -> PyResult<Bound<'py, PyAny>> {
    call_method(slf.py(), operator, std::slice::from_ref(slf.as_any()))
}

/// The file of the reference that some operations of tensors are written in, as positions in traces show.
const TENSOR_FILE: &str = "torch/_tensor.py";

/// Lets a tensor require gradients or not; one of integers cannot.
fn require_grad(tensor: &Bound<'_, PyTensor>, on: bool, refused: &'static str) -> PyResult<()> {
    let dtype = tensor.get().0.dtype();
    if on && !dtype.is_float() && !dtype.is_complex() {
        return Err(PyRuntimeError::new_err(refused));
    }
    let arguments = vec![Value::Tensor(tensor_of(tensor)), Value::Bool(on)];
    // Traces do not show it: what they record is computed from the same numbers.
    crate::trace::recording::paused(|| {
        call_values(tensor.py(), "aten::requires_grad_", arguments).map(drop)
    })
}

/// The number in a tensor of one element; no trace sees it being read.
#[pyfunction]
pub fn number_of<'py>(py: Python<'py>, tensor: &PyTensor) -> PyResult<Bound<'py, PyAny>> {
    let number = tensor.0.item().map_err(errors::fault)?;
    crate::convert::to_python(py, &number.into())
}

/// Another tensor of the same elements without a history; writes to both are counted together. No trace sees it.
#[pyfunction]
pub fn beside(tensor: &PyTensor) -> PyTensor {
    PyTensor::new(tensor.0.alias())
}

/// The same tensor on the `meta` device.
#[pyfunction]
pub fn to_meta(tensor: &PyTensor) -> PyResult<PyTensor> {
    let meta = tensor.0.to_meta().map_err(errors::fault)?;
    meta.set_requires_grad(tensor.0.requires_grad());
    Ok(PyTensor::new(meta))
}

impl PyTensor {
    /// A dimension that the tensor really has: a tensor without dimensions has none to ask for.
    fn own_dim(&self, dim: i64) -> PyResult<usize> {
        if self.0.rank() == 0 {
            return Err(errors::fault(rushlight::tensor::view::no_dimensions(dim)));
        }
        rushlight::tensor::view::wrap_dim(dim, self.0.rank()).map_err(errors::fault)
    }
}

#[pymethods]
impl PyTensor {
    #[new]
    #[pyo3(signature = (*args, **kwargs))]
    fn build(args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<PyTensor> {
        let default = state::context().default_dtype();
        let has_names = kwargs.is_some_and(|names| !names.is_empty());
        let given: Vec<_> = args.iter().collect();
        let alone = match given.as_slice() {
            [only] if !has_names => Some(only),
            _ => None,
        };
        // A tensor of another class over the same numbers is no new constant of a trace.
        if let Some(tensor) = alone.and_then(|only| only.cast::<PyTensor>().ok()) {
            return Ok(PyTensor::new(tensor_of(tensor)));
        }
        recording::warn(args.py(), "Tensor")?;
        if let Some(only) = alone
            && (only.is_exact_instance_of::<PyList>() || only.is_exact_instance_of::<PyTuple>())
        {
            let built = crate::literal::build(only, Some(default))?;
            return adoption::placed(built).map(PyTensor::new);
        }
        let py = args.py();
        let constructors = py.import("rushlight._old_constructors")?;
        let names = kwargs.map_or_else(|| PyDict::new(py), Clone::clone);
        let dtype = crate::objects::dtype_object(py, default)?;
        let made = constructors.call_method1("made", (args, names, dtype))?;
        Ok(PyTensor::new(tensor_of(made.cast::<PyTensor>()?)))
    }

    fn __repr__(&self) -> String {
        if recording::is_on() {
            self.resolve("torch/_tensor_str.py", 283);
        }
        let gradient = crate::gradient::shown(&self.0);
        self.0.repr(
            &settings::printing(),
            state::context().default_dtype(),
            gradient.as_deref(),
        )
    }

    fn __format__(slf: &Bound<'_, Self>, spec: &str) -> PyResult<String> {
        let tensor = &slf.get().0;
        // Subclasses (parameters) show as they print.
        let is_plain = slf.get_type().is(slf.py().get_type::<Self>());
        if tensor.rank() == 0 && is_plain {
            let item = match recording::is_on() {
                // A trace loses the number, and says so.
                true => slf.call_method0("item")?,
                false => {
                    let number = tensor.item().map_err(errors::fault)?;
                    to_python(slf.py(), &Value::scalar(number))?
                }
            };
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
        let sizes = match recording::current() {
            None => PyTuple::new(py, self.0.sizes())?,
            Some(recorder) => {
                let dims = 0..self.0.rank() as i64;
                let sizes: PyResult<Vec<_>> = dims
                    .map(|dim| recording::size(py, &recorder, &self.0, dim))
                    .collect();
                PyTuple::new(py, sizes?)?
            }
        };
        match registry::size_class(py) {
            Some(class) => class.call1((sizes,)),
            None => Ok(sizes.into_any()),
        }
    }

    #[pyo3(signature = (dim=None))]
    fn size<'py>(&self, py: Python<'py>, dim: Option<i64>) -> PyResult<Bound<'py, PyAny>> {
        match dim {
            None => self.shape(py),
            Some(dim) => {
                let d = self.own_dim(dim)?;
                match recording::current() {
                    None => self.0.size(d).into_bound_py_any(py),
                    Some(recorder) => recording::size(py, &recorder, &self.0, dim),
                }
            }
        }
    }

    #[pyo3(signature = (dim=None))]
    fn stride<'py>(&self, py: Python<'py>, dim: Option<i64>) -> PyResult<Bound<'py, PyAny>> {
        match dim {
            None => Ok(PyTuple::new(py, self.0.strides())?.into_any()),
            Some(dim) => {
                let d = self.own_dim(dim)?;
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
        let function = "tensor.new_tensor";
        crate::literal::tensor(function, data, dtype, device, requires_grad, pin_memory)
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
        if code == tensor.dtype().code() && !recording::is_on() {
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
        match recording::current() {
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
    fn layout(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        crate::objects::strided(py)
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
    pub(super) fn requires_grad(&self) -> bool {
        self.0.requires_grad()
    }

    #[setter]
    fn set_requires_grad(slf: &Bound<'_, Self>, on: &Bound<'_, PyAny>) -> PyResult<()> {
        const REFUSED: &str =
            "only Tensors of floating point and complex dtype can require gradients";
        let on = on
            .cast::<PyBool>()
            .map_err(|_| PyRuntimeError::new_err("requires_grad must be a bool"))?;
        require_grad(slf, on.is_true(), REFUSED)
    }

    #[pyo3(signature = (requires_grad=None))]
    fn requires_grad_<'py>(
        slf: Bound<'py, Self>,
        requires_grad: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        const REFUSED: &str = "only Tensors of floating point dtype can require gradients";
        let requires_grad = match requires_grad {
            None => true,
            Some(given) => given.extract().map_err(|_| {
                let kind = crate::convert::type_name(given);
                PyTypeError::new_err(format!(
                    "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not {kind}"
                ))
            })?,
        };
        require_grad(&slf, requires_grad, REFUSED)?;
        Ok(slf)
    }

    #[getter]
    fn data(&self) -> PyTensor {
        PyTensor::new(self.0.apart())
    }

    #[setter]
    fn set_data(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        let Ok(other) = other.cast::<PyTensor>() else {
            return Err(PyTypeError::new_err(format!(
                "Variable data has to be a tensor, but got {}",
                other.get_type().name()?
            )));
        };
        let meta = &other.get().0;
        if self.0.requires_grad() && !(meta.dtype().is_float() || meta.dtype().is_complex()) {
            return Err(PyRuntimeError::new_err(
                "data set to a tensor that requires gradients must be floating point or complex dtype",
            ));
        }
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
        recording::warn(py, "number")?;
        if dispatching::is_on() {
            let own = vec![Value::Tensor(self.0.clone())];
            return to_python(py, &call_values(py, "aten::_local_scalar_dense", own)?);
        }
        self.number(py)
    }

    /// The one element, without the warning of traces.
    fn number<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let number = profiler::reading("aten::item", || self.0.item());
        let number = to_python(py, &Value::scalar(number.map_err(errors::fault)?))?;
        arrays::without_sign(number, self.0.dtype())
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

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        if recording::is_on() && self.0.rank() > 0 {
            recording::warn(py, "len")?;
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
        if recording::is_on() {
            recording::warn(slf.py(), "iteration")?;
            let parts =
                recording::from_library(TENSOR_FILE, 1227, || unary(slf, known!("aten::unbind")))?;
            return parts.call_method0("__iter__");
        }
        let tensor = &slf.get().0;
        if tensor.requires_grad() || profiler::is_on() || tensor.quantizer().is_some() {
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

    fn __delitem__(&self, _key: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "Tensor does not support deleting items",
        ))
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

    fn cpu<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        if slf.get().0.is_meta() {
            return Err(pyo3::exceptions::PyNotImplementedError::new_err(
                "Cannot copy out of meta tensor; no data!",
            ));
        }
        if !recording::is_on() {
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
            return Err(PyRuntimeError::new_err(
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
        let attributes = slf.as_any().getattr("__dict__")?;
        if !attributes.is_empty()? {
            let module = slf.py().import("copy")?;
            let copies = module.call_method1("deepcopy", (attributes, memo))?;
            out.getattr("__dict__")?.call_method1("update", (copies,))?;
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
        recording::from_library(file, line, || {
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
