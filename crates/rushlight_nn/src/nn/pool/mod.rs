//! Pooling: maxima and means over windows, fixed or adaptive, and the inverse of max pooling.
//!
//! Every form is lifted to planes of three spatial dimensions; a [`Windows`] says which elements meet in each output.

pub(super) mod adaptive;
pub(super) mod average;
pub(super) mod fractional;
pub(super) mod max;
pub(super) mod unpool;

use rushlight_kernels::nn::pool::window;
use rushlight_tensor::{DType, Dims, MemoryFormat, Result, Tensor};
use smallvec::SmallVec;

use window::{Shape, Windows};

type Ints = SmallVec<[i64; 6]>;

/// The dtype that maxima of `dtype` are compared in, which holds all its values.
fn comparison_dtype(dtype: DType) -> DType {
    match dtype {
        DType::F32 | DType::F64 => dtype,
        DType::F16 | DType::BF16 => DType::F32,
        _ => DType::I64,
    }
}

/// A result in the memory format of the input it was computed from.
pub(super) fn in_format_of(result: Tensor, input: &Tensor) -> Result<Tensor> {
    let format = input.layout().suggested_format();
    if format == MemoryFormat::Contiguous || result.rank() != input.rank() {
        return Ok(result);
    }
    result.contiguous_in(format)
}

/// Pictures whose channels come last, as they lie in memory; `None` for all others.
pub(super) fn pictures_of(t: &Tensor, dims: usize) -> Result<Option<Tensor>> {
    let layout = t.layout();
    let are_last = dims == 2
        && t.rank() == 4
        && t.size(1) > 1
        && layout.suggested_format() == MemoryFormat::ChannelsLast;
    match are_last {
        true => Ok(Some(t.view_with(layout.permute(&[0, 2, 3, 1]))?)),
        false => Ok(None),
    }
}

/// The input's leading sizes followed by the spatial sizes of the result.
fn result_sizes(input: &Tensor, dims: usize, spatial: [usize; 3]) -> Dims {
    let mut sizes = Dims::from_slice(&input.sizes()[..input.rank() - dims]);
    sizes.extend_from_slice(&spatial[3 - dims..]);
    sizes
}
