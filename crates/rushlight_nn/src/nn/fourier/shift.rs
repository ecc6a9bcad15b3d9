//! Moving the zero frequency to the middle of a spectrum, and back.

use rushlight_tensor::view::{no_dimensions, wrap_dim};
use rushlight_tensor::{Fault, Result, Tensor};
use rushlight_types::{op, operators};
use smallvec::SmallVec;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// Shifts.
    pub static ROWS = [
        op!("aten::fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor", fftshift),
        op!("aten::fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor", ifftshift),
    ];
}

fn fftshift(t: &Tensor, dims: Option<Ints>) -> Result<Tensor> {
    shift(t, dims, |n| n / 2)
}

fn ifftshift(t: &Tensor, dims: Option<Ints>) -> Result<Tensor> {
    shift(t, dims, |n| n.div_ceil(2))
}

/// Rolls each dimension by a share of its size.
fn shift(t: &Tensor, dims: Option<Ints>, by: fn(usize) -> usize) -> Result<Tensor> {
    let dims = dims.unwrap_or_else(|| (0..t.rank() as i64).collect());
    let Some(first) = dims.first() else {
        return Err(Fault::runtime("`shifts` required"));
    };
    if t.rank() == 0 {
        return Err(no_dimensions(*first));
    }
    let mut out = t.contiguous_copy();
    for dim in dims {
        let d = wrap_dim(dim, t.rank())?;
        let n = t.size(d);
        let step = by(n);
        if n == 0 || step.is_multiple_of(n) {
            continue;
        }
        let next = Tensor::empty(t.sizes(), t.dtype())?;
        next.narrow(d, step, n - step)?
            .copy_from(&out.narrow(d, 0, n - step)?)?;
        next.narrow(d, 0, step)?
            .copy_from(&out.narrow(d, n - step, step)?)?;
        out = next;
    }
    Ok(out)
}
