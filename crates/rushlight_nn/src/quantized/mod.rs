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

use rushlight_lang::whole_table::call as apply;
use rushlight_quantized::average;
use rushlight_quantized::finish;
use rushlight_quantized::lanes;
use rushlight_quantized::layers;
use rushlight_quantized::{floor_at_zero, map_numbers, numbers};
use rushlight_quantized::{integers, of_bytes, quantize, quantizer};
use rushlight_types::{Operator, arguments};

pub(crate) use average::{Windows, average};
pub(crate) use rushlight_quantized::{of_integers_like, scale_of, uniform};

arguments! {
    /// What the integers of a quantized result stand for.
    #[derive(Clone, Copy)]
    struct ResultScale {
        scale: f64,
        zero_point: i64,
    }
}

impl ResultScale {
    fn pair(self) -> (f64, i64) {
        (self.scale, self.zero_point)
    }
}

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
