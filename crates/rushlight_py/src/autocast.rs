//! `torch.autocast` on the CPU: within it, operators that Python calls get their floating-point tensors in another precision.

use crate::errors;
use crate::objects::DTypeObject;
use crate::operator::call_values;
use pyo3::prelude::*;
use rushlight::runtime::autocast;
use rushlight::tensor::DType;
use rushlight::types::modes::{self, Autocast};
use rushlight::types::{Fault, Operator};
use rushlight::{Tensor, Value};

/// Turns autocasting on for this thread, to a precision, or off.
#[pyfunction]
#[pyo3(signature = (dtype))]
pub fn set_autocast(dtype: Option<DTypeObject>) {
    modes::set_autocast(Autocast::by_host(dtype.map(|dtype| dtype.0)));
}

/// Gives the arguments of a call the precision that its operator wants, while autocasting is on.
#[inline]
pub fn prepare(py: Python<'_>, operator: &Operator, slots: &mut [Value]) -> PyResult<()> {
    match modes::current().autocast.host {
        None => Ok(()),
        Some(target) => convert(py, operator, slots, target),
    }
}

#[cold]
fn convert(
    py: Python<'_>,
    operator: &Operator,
    slots: &mut [Value],
    target: DType,
) -> PyResult<()> {
    let mut failed = None;
    let mut cast = |tensor: &Tensor, dtype: DType| match call_values(
        py,
        "aten::to.dtype",
        autocast::cast_arguments(tensor, dtype),
    ) {
        Ok(cast) => cast.as_tensor().cloned(),
        Err(error) => {
            failed = Some(error);
            Err(Fault::internal("a cast failed"))
        }
    };
    let done = autocast::prepare_host(operator, slots, target, &mut cast);
    match failed {
        Some(error) => Err(error),
        None => done.map_err(errors::fault),
    }
}
