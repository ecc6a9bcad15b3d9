//! Python's operators on tensors: arithmetic, comparison, and what a tensor of one element is as a number.

use super::arrays::from_array;
use super::{TENSOR_FILE, unary};
use crate::convert::{from_python, is_array, to_python};
use crate::eager::{call, call_method};
use crate::identity::PyTensor;
use crate::overloads::Overloads;
use crate::trace::recording;
use crate::{errors, profiler};
use pyo3::IntoPyObjectExt;
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyTypeError, PyUserWarning};
use pyo3::prelude::*;
use rushlight::Value;
use rushlight::tensor::{DType, Scalar};
use rushlight::types::Type;
use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, Ordering};

/// What an operator gives to Python.
type Given<'py> = PyResult<Bound<'py, PyAny>>;

/// Does what the reference's library does at this line, which traces record.
fn at<'py>(line: u32, work: impl FnOnce() -> Given<'py>) -> Given<'py> {
    recording::from_library(TENSOR_FILE, line, work)
}

#[pymethods]
impl PyTensor {
    fn __add__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        first(slf, known!("aten::add"), other)
    }
    fn __radd__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        first(slf, known!("aten::add"), other)
    }
    fn __sub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        first(slf, known!("aten::sub"), other)
    }
    fn __rsub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        at(1120, || first(slf, known!("aten::rsub"), other))
    }
    fn __mul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        first(slf, known!("aten::mul"), other)
    }
    fn __rmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        first(slf, known!("aten::mul"), other)
    }
    fn __truediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        first(slf, known!("aten::div"), other)
    }
    fn __floordiv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        at(1165, || first(slf, known!("aten::floor_divide"), other))
    }
    fn __rfloordiv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        at(1171, || second(slf, known!("aten::floor_divide"), other))
    }
    fn __mod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        first(slf, known!("aten::remainder"), other)
    }
    fn __rmod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        second(slf, known!("aten::remainder"), other)
    }
    fn __matmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        first(slf, known!("aten::matmul"), other)
    }
    fn __and__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        first(slf, known!("aten::__and__"), other)
    }
    fn __rand__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        first(slf, known!("aten::bitwise_and"), other)
    }
    fn __or__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        first(slf, known!("aten::__or__"), other)
    }
    fn __ror__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        first(slf, known!("aten::bitwise_or"), other)
    }
    fn __xor__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        first(slf, known!("aten::__xor__"), other)
    }
    fn __rxor__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        first(slf, known!("aten::bitwise_xor"), other)
    }
    fn __lshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        first(slf, known!("aten::__lshift__"), other)
    }
    fn __rlshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        second(slf, known!("aten::bitwise_left_shift"), other)
    }
    fn __rshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        first(slf, known!("aten::__rshift__"), other)
    }
    fn __rrshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        second(slf, known!("aten::bitwise_right_shift"), other)
    }
    fn __rtruediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Given<'py> {
        at(1124, || {
            let inverse = unary(slf, known!("aten::reciprocal"))?;
            if is_array(other) {
                return inverse.mul(other);
            }
            first(inverse.cast::<PyTensor>()?, known!("aten::mul"), other)
        })
    }
    fn __pow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> Given<'py> {
        // There are no powers modulo a number.
        if modulo.is_some_and(|modulo| !modulo.is_none()) {
            return Ok(slf.py().NotImplemented().into_bound(slf.py()));
        }
        at(39, || first(slf, known!("aten::pow"), other))
    }
    fn __rpow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> Given<'py> {
        // There are no powers modulo a number.
        if modulo.is_some_and(|modulo| !modulo.is_none()) {
            return Ok(slf.py().NotImplemented().into_bound(slf.py()));
        }
        at(1159, || second(slf, known!("aten::pow"), other))
    }

    fn __iadd__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        in_place(slf, known!("aten::add_"), other)
    }
    fn __isub__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        in_place(slf, known!("aten::sub_"), other)
    }
    fn __imul__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        in_place(slf, known!("aten::mul_"), other)
    }
    fn __itruediv__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        in_place(slf, known!("aten::div_"), other)
    }
    fn __ifloordiv__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        in_place(slf, known!("aten::floor_divide_"), other)
    }
    fn __imod__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        in_place(slf, known!("aten::remainder_"), other)
    }
    fn __iand__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        in_place(slf, known!("aten::__iand__"), other)
    }
    fn __ior__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        in_place(slf, known!("aten::__ior__"), other)
    }
    fn __ixor__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        in_place(slf, known!("aten::__ixor__"), other)
    }
    fn __ilshift__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        in_place(slf, known!("aten::__ilshift__"), other)
    }
    fn __irshift__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<()> {
        in_place(slf, known!("aten::__irshift__"), other)
    }
    fn __ipow__(
        slf: &Bound<'_, Self>,
        other: Operand<'_>,
        _modulo: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        in_place(slf, known!("aten::pow_"), other)
    }

    fn __neg__<'py>(slf: &Bound<'py, Self>) -> Given<'py> {
        unary(slf, known!("aten::neg"))
    }
    fn __abs__<'py>(slf: &Bound<'py, Self>) -> Given<'py> {
        unary(slf, known!("aten::abs"))
    }
    fn __pos__<'py>(slf: &Bound<'py, Self>) -> Given<'py> {
        match slf.get().0.dtype() {
            DType::Bool => unary(slf, known!("aten::positive")),
            _ => Ok(slf.clone().into_any()),
        }
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
                Ok(_) => first(slf, name, &other),
                Err(_) => Ok(other),
            };
        }
        first(slf, name, other)
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        recording::warn(py, "boolean")?;
        match self.0.numel() {
            1 => profiler::reading("aten::is_nonzero", || self.0.item())
                .map(|number| number.to_bool())
                .map_err(errors::fault),
            0 => Err(pyo3::exceptions::PyRuntimeError::new_err(
                "Boolean value of Tensor with no values is ambiguous",
            )),
            _ => Err(pyo3::exceptions::PyRuntimeError::new_err(
                "Boolean value of Tensor with more than one value is ambiguous",
            )),
        }
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        recording::warn(py, "integer")?;
        let number = self.only_as(rushlight::DType::I64)?;
        let number = to_python(py, &Value::scalar(number))?;
        let number = super::arrays::without_sign(number, self.0.dtype())?;
        py.get_type::<pyo3::types::PyInt>().call1((number,))
    }

    fn __float__(&self, py: Python<'_>) -> PyResult<f64> {
        recording::warn(py, "float")?;
        self.warn_of_lost_gradient(py)?;
        self.only_as(rushlight::DType::F64).map(Scalar::to_f64)
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.warn_of_lost_gradient(py)?;
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
}

/// What the first conversion that leaves a gradient behind is told, once in a program.
const LEAVES_GRADIENT: &CStr = c"Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using tensor.detach() first.";

impl PyTensor {
    fn warn_of_lost_gradient(&self, py: Python<'_>) -> PyResult<()> {
        static TOLD: AtomicBool = AtomicBool::new(false);
        if !TOLD.load(Ordering::Relaxed)
            && self.requires_grad()
            && crate::state::context().grad_enabled()
            && !TOLD.swap(true, Ordering::Relaxed)
        {
            let category = py.get_type::<PyUserWarning>();
            return PyErr::warn(py, &category, LEAVES_GRADIENT, 1);
        }
        Ok(())
    }

    /// The only element, which must fit numbers of a dtype.
    fn only_as(&self, dtype: rushlight::DType) -> PyResult<Scalar> {
        if self.0.numel() != 1 {
            return Err(pyo3::exceptions::PyValueError::new_err(
                "only one element tensors can be converted to Python scalars",
            ));
        }
        let number = profiler::reading("aten::item", || self.0.item());
        match number.map_err(errors::fault)? {
            number @ Scalar::Complex(c) if !dtype.is_complex() => {
                rushlight::tensor::promote::check_number(number, dtype).map_err(errors::fault)?;
                Ok(Scalar::Float(c.re))
            }
            number => Ok(number),
        }
    }
}

/// An operator with this tensor first.
fn first<'py>(
    slf: &Bound<'py, PyTensor>,
    operator: Overloads,
    other: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    if is_of_batched(slf, other) {
        return Ok(slf.py().NotImplemented().into_bound(slf.py()));
    }
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

/// An operator with this tensor second.
fn second<'py>(
    slf: &Bound<'py, PyTensor>,
    operator: Overloads,
    other: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    if is_of_batched(slf, other) {
        return Ok(slf.py().NotImplemented().into_bound(slf.py()));
    }
    let both = [other.clone(), slf.as_any().clone()];
    or_not_implemented(slf.py(), call(slf.py(), operator, &both))
}

/// Whether the class of one operand does the operator: Python asks that of the second before the first only where it is below
/// it, which it is not beside a parameter.
fn is_of_batched(slf: &Bound<'_, PyTensor>, other: &Bound<'_, PyAny>) -> bool {
    crate::registry::is_batched(other) || crate::registry::is_batched(slf)
}

/// An operator that writes to this tensor.
fn in_place(slf: &Bound<'_, PyTensor>, operator: Overloads, other: Operand<'_>) -> PyResult<()> {
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
