//! A hash of all elements.

use super::fold::Fold;
use rushlight_tensor::{DType, Fault, Result, Tensor};

/// Exclusive or of all elements.
pub struct Xor;

impl Fold for Xor {
    type In = u64;
    type Acc = u64;
    fn start(&self) -> u64 {
        0
    }
    #[inline(always)]
    fn run(&self, acc: u64, run: &[u64]) -> u64 {
        run.iter().fold(acc, |acc, x| acc ^ x)
    }
    #[inline(always)]
    fn rows(&self, acc: &mut [u64], rows: &[u64]) {
        for row in rows.chunks_exact(acc.len()) {
            for (a, x) in acc.iter_mut().zip(row) {
                *a ^= x;
            }
        }
    }
}

/// The bits of every element, as an integer of 64 bits or as a double.
pub fn bits(t: &Tensor) -> Result<Tensor> {
    match t.dtype() {
        d @ (DType::U16 | DType::U32 | DType::U64) => Err(Fault::no_kernel("xor_sum_cpu", d)),
        d if d.is_integral(true) => Ok(t.to_dtype(DType::U64)),
        d if d.is_float() => {
            let wide = t.to_dtype(DType::F64);
            Tensor::view_of(&wide.storage(), DType::U64, wide.layout().clone())
        }
        other => Err(Fault::no_kernel("xor_sum_cpu", other)),
    }
}
