//! A number that tells tensors apart: the exclusive or of all elements' bits.

use super::dims::{Ints, check_nonempty, mask};
use super::fold::{Fold, reduce};
use rushlight_tensor::{DType, Fault, Result, Tensor};
use rushlight_types::{op, operators};

operators! {
    /// Hashes of elements.
    pub static ROWS = [
        op!("aten::hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor", hash),
        op_out!("aten::hash_tensor.out(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0, Tensor(a!) out) -> Tensor(a!)", hash),
    ];
}

struct Xor;

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
fn bits(t: &Tensor) -> Result<Tensor> {
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

fn hash(t: &Tensor, dims: Ints, keepdim: bool, mode: i64) -> Result<Tensor> {
    if mode != 0 {
        return Err(Fault::runtime(format!("Unknown hash_tensor mode: {mode}")));
    }
    let mask = mask(Some(&dims), t.rank())?;
    if dims.is_empty() && t.numel() == 0 {
        return Err(Fault::runtime(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.",
        ));
    }
    check_nonempty("hash_tensor", t.sizes(), &mask)?;
    reduce(&bits(t)?, &mask, keepdim, &Xor, |hash| hash)
}
