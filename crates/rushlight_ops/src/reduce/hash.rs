//! A number that tells tensors apart: the exclusive or of all elements' bits.

use super::dims::{Ints, check_named_nonempty, mask};
use super::fold::reduce;
use rushlight_kernels::reduce::hash::{Xor, bits};
use rushlight_tensor::{Fault, Result, Tensor};
use rushlight_types::{OutDtype, op, operators};

operators! {
    /// Hashes of elements.
    pub static ROWS = [
        op!("aten::hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor", hash).out("out", crate::out::cast).out_dtype(OutDtype::Same("Expected result to be of dtype uint64, but got {out}")),
    ];
}

fn hash(t: &Tensor, dims: Ints, keepdim: bool, mode: i64) -> Result<Tensor> {
    let mask = mask(Some(&dims), t.rank())?;
    if dims.is_empty() && t.numel() == 0 {
        return Err(Fault::runtime(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.",
        ));
    }
    check_named_nonempty("hash_tensor", t.sizes(), &dims)?;
    if mode != 0 {
        return Err(Fault::runtime(format!("Unknown hash_tensor mode: {mode}")));
    }
    reduce(&bits(t)?, &mask, keepdim, &Xor, |hash| hash)
}
