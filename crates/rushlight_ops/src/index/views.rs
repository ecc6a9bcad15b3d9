//! Copies with one view replaced: `select_scatter`, `slice_scatter`, `diagonal_scatter`, `as_strided_scatter`.

use rushlight_tensor::layout::list;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Dims, Fault, Layout, Result, Tensor};
use rushlight_types::{op, operators};
use smallvec::SmallVec;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// Copies with one view replaced.
    pub static ROWS = [
        op!("aten::select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor", select_scatter).out("out", crate::out::exact),
        op!("aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor", slice_scatter).out("out", crate::out::exact),
        op!("aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor", diagonal_scatter).out("out", crate::out::exact),
        op!("aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor", as_strided_scatter).out("out", crate::out::exact),
    ];
}

/// A copy of what a tensor lies in, whose layout it keeps; of one whose elements share places, a copy of its own.
fn whole_copy(t: &Tensor) -> Result<Tensor> {
    let (layout, storage) = (t.layout(), t.storage());
    let count = storage.len() / t.dtype().size();
    if layout.is_non_overlapping_and_dense() && t.numel() == count || layout.may_overlap() {
        return Ok(t.deep_copy());
    }
    let all = Tensor::view_of(&storage, t.dtype(), Layout::contiguous(&[count]))?;
    all.deep_copy().view_with(layout.clone())
}

/// Writes `src` to a view of `copy`.
fn replaced(copy: Tensor, view: Tensor, src: &Tensor) -> Result<Tensor> {
    if view.sizes() != src.sizes() {
        return Err(Fault::runtime(format!(
            "expected src to have a size equal to the slice of self. src size = {}, slice size = {}",
            list(src.sizes()),
            list(view.sizes())
        )));
    }
    view.copy_from(src)?;
    Ok(copy)
}

fn select_scatter(t: &Tensor, src: &Tensor, dim: i64, index: i64) -> Result<Tensor> {
    let copy = whole_copy(t)?;
    let view = copy.select(dim, index)?;
    replaced(copy, view, src)
}

fn slice_scatter(
    t: &Tensor,
    src: &Tensor,
    dim: i64,
    start: Option<i64>,
    end: Option<i64>,
    step: i64,
) -> Result<Tensor> {
    let copy = whole_copy(t)?;
    let view = copy.slice(dim, start, end, step)?;
    replaced(copy, view, src)
}

fn diagonal_scatter(t: &Tensor, src: &Tensor, offset: i64, dim1: i64, dim2: i64) -> Result<Tensor> {
    let copy = whole_copy(t)?;
    let layout = diagonal(&copy, offset, dim1, dim2)?;
    let view = copy.view_with(layout)?;
    replaced(copy, view, src)
}

/// The layout of a diagonal, which becomes the last dimension.
fn diagonal(t: &Tensor, offset: i64, dim1: i64, dim2: i64) -> Result<Layout> {
    let (a, b) = (wrap_dim(dim1, t.rank())?, wrap_dim(dim2, t.rank())?);
    if a == b {
        return Err(Fault::runtime(format!(
            "diagonal dimensions cannot be identical {dim1}, {dim2}"
        )));
    }
    let (rows, columns) = (t.size(a) as i64, t.size(b) as i64);
    let length = if offset >= 0 {
        rows.min(columns.saturating_sub(offset))
    } else {
        rows.saturating_add(offset).min(columns)
    };
    let length = length.max(0) as usize;
    let (stride_a, stride_b) = (t.strides()[a], t.strides()[b]);
    let skipped = if offset >= 0 { stride_b } else { stride_a };
    let start = if length == 0 {
        0
    } else {
        offset.unsigned_abs() as usize * skipped
    };
    let others = |values: &[usize], last: usize| -> Dims {
        let kept = (0..values.len())
            .filter(|&d| d != a && d != b)
            .map(|d| values[d]);
        kept.chain([last]).collect()
    };
    Ok(Layout::strided(
        &others(t.sizes(), length),
        &others(t.strides(), stride_a + stride_b),
        t.layout().offset() + start,
    ))
}

fn as_strided_scatter(
    t: &Tensor,
    src: &Tensor,
    size: Ints,
    stride: Ints,
    storage_offset: Option<i64>,
) -> Result<Tensor> {
    let copy = whole_copy(t)?;
    let unsigned = |values: &[i64]| -> Result<Dims> {
        let convert = |&v: &i64| {
            usize::try_from(v).map_err(|_| {
                Fault::runtime(format!("as_strided: Negative sizes and strides are not supported at the moment, got {v}"))
            })
        };
        values.iter().map(convert).collect()
    };
    if size.len() != stride.len() {
        return Err(Fault::runtime("mismatch in length of strides and shape"));
    }
    let offset = unsigned(&[storage_offset.unwrap_or(copy.layout().offset() as i64)])?[0];
    let view = copy.view_with(Layout::strided(
        &unsigned(&size)?,
        &unsigned(&stride)?,
        offset,
    ))?;
    replaced(copy, view, src)
}
