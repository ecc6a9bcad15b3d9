//! New tensors of a program that is traced: constants on their way to the device.

use super::recording;
use crate::errors;
use crate::operator::call_values;
use pyo3::prelude::*;
use rushlight::{DType, Device, Tensor, Value};

/// A new tensor that a program made of data: to a trace it is a constant on its way to the device.
pub fn adopt(tensor: Tensor, from_tensor: bool) -> PyResult<Tensor> {
    if !recording::is_on() {
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

/// A new tensor of an old constructor.
pub fn placed(tensor: Tensor) -> PyResult<Tensor> {
    let dtype = tensor.dtype();
    match recording::is_on() {
        true => moved(tensor, dtype, false),
        false => Ok(tensor),
    }
}

/// A tensor over the memory of an array, as a trace takes it.
pub fn of_array(tensor: Tensor) -> PyResult<Tensor> {
    match recording::is_on() {
        true => tensor_call("aten::lift_fresh", vec![tensor.into()]),
        false => Ok(tensor),
    }
}

/// A new tensor of the elements of an array, of a dtype.
pub fn adopt_array(array: Tensor, dtype: DType) -> PyResult<Tensor> {
    let moved = moved(of_array(array)?, dtype, true)?;
    tensor_call("aten::detach", vec![moved.into()])
}

/// A tensor as one of a dtype on the device, by the operator for that.
pub fn moved(tensor: Tensor, dtype: DType, copy: bool) -> PyResult<Tensor> {
    let arguments = vec![
        tensor.into(),
        Value::Device(Device::CPU),
        Value::Int(dtype.code()),
        Value::Bool(false),
        Value::Bool(copy),
        Value::None,
    ];
    tensor_call("aten::to.device", arguments)
}

fn tensor_call(operator: &str, arguments: Vec<Value>) -> PyResult<Tensor> {
    let out = Python::attach(|py| call_values(py, operator, arguments))?;
    out.as_tensor().cloned().map_err(errors::fault)
}
