//! Differences of neighbours.

use super::dims::Lanes;
use rushlight_tensor::promote::result_type_of;
use rushlight_tensor::{
    Bool8, Buffer, DType, Dims, Element, Number, Result, Tensor, dispatch, watch,
};

/// Tensors one after the other along a dimension, promoted. Their other sizes must agree.
pub fn joined(parts: &[Tensor], dim: usize, default: DType) -> Result<Tensor> {
    let dtype = result_type_of(parts, default)?;
    let mut sizes = Dims::from_slice(parts[0].sizes());
    sizes[dim] = parts.iter().map(|part| part.size(dim)).sum();
    let out = Tensor::empty(&sizes, dtype)?;
    let mut start = 0;
    for part in parts {
        out.narrow(dim, start, part.size(dim))?.copy_from(part)?;
        start += part.size(dim);
    }
    Ok(out)
}

/// What `join(next, this)` makes of neighbours along a dimension.
pub fn pairwise<T: Element, R: Element>(
    t: &Tensor,
    dim: usize,
    join: impl Fn(T, T) -> R,
) -> Tensor {
    let lanes = Lanes::of(t.sizes(), dim);
    let mut sizes = Dims::from_slice(t.sizes());
    sizes[dim] = lanes.n.saturating_sub(1);
    let mut out = Buffer::<R>::unspecified(rushlight_tensor::memory::numel(&sizes));
    let data = t.data::<T>();
    let width = lanes.n * lanes.inner;
    let kept = sizes[dim] * lanes.inner;
    if kept > 0 {
        for (slab, out) in data.chunks_exact(width).zip(out.chunks_exact_mut(kept)) {
            watch::poll();
            for (o, (&this, &next)) in out.iter_mut().zip(slab.iter().zip(&slab[lanes.inner..])) {
                *o = join(next, this);
            }
        }
    }
    out.into_tensor(&sizes)
}

/// Each element minus the one before it along a dimension.
pub fn neighbours(t: &Tensor, dim: usize) -> Tensor {
    if t.dtype() == DType::Bool {
        return pairwise::<Bool8, Bool8>(t, dim, |a, b| Bool8::from(a.get() != b.get()));
    }
    dispatch!(t.dtype(), NotBool, T => pairwise::<T, T>(t, dim, |a, b| a.sub(b)), else => t.clone())
}
