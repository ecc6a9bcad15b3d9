//! Quantized tensors: making them and reading them, and the layers that work on them with packed weights.
//!
//! Sums of products of integers are exact (`layers.rs` of the kernels, over the products of bytes in `dot.rs`), what becomes of
//! them is rounded in the reference's order (`finish.rs`). What an operator of another family does with a quantized tensor is said by its row;
//! see [`rushlight_types::Quantized`].

mod arithmetic;
mod convert;
mod convolution;
mod embedding;
mod fake;
mod gates;
mod linear;
mod normal;
mod packed;
mod recurrent;
mod search;
#[cfg(test)]
mod tests;

use rushlight_kernels::quantized::average;
use rushlight_kernels::quantized::finish;
use rushlight_kernels::quantized::lanes;
use rushlight_kernels::quantized::layers;
use rushlight_kernels::quantized::mean;
use rushlight_kernels::quantized::{integers, of_bytes, quantize, quantizer};
use rushlight_tensor::{Fault, Result, Tensor};
use rushlight_types::{Context, Operator, Value};

pub(crate) use arithmetic::join as cat;
pub(crate) use average::{Windows, average};
pub(crate) use mean::mean;
pub(crate) use rushlight_kernels::quantized::{of_integers_like, scale_of, uniform};

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[
    convert::ROWS,
    fake::ROWS,
    arithmetic::ROWS,
    arithmetic::FUNCTIONS,
    convolution::ROWS,
    embedding::ROWS,
    linear::ROWS,
    normal::ROWS,
    recurrent::ROWS,
    search::ROWS,
];

/// Calls an operator of another family on plain tensors.
fn apply(cx: &Context, name: &str, arguments: Vec<Value>) -> Result<Tensor> {
    let operator = crate::table()
        .find(name)
        .ok_or_else(|| Fault::internal(format!("there is no operator {name}")))?;
    match operator.call_vec(cx, arguments)?.into_iter().next() {
        Some(Value::Tensor(t)) => Ok(t),
        _ => Err(Fault::internal(format!("{name} gives no tensor"))),
    }
}
