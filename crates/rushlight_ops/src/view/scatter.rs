//! A copy of a tensor with one of its views replaced.

use super::{Ints, part};
use rushlight_tensor::{Fault, Result, Tensor, layout};
use rushlight_types::{op, operators};

operators! {
    /// Views written into copies.
    pub static ROWS = [
        op!("aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor", slice_scatter),
        op!("aten::select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor", select_scatter),
        op!("aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor", diagonal_scatter),
        op!("aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor", as_strided_scatter),
    ];
}

/// A copy in which the view that `part` takes holds `source`.
fn replaced(
    t: &Tensor,
    source: &Tensor,
    part: impl Fn(&Tensor) -> Result<Tensor>,
) -> Result<Tensor> {
    let out = t.deep_copy();
    let target = part(&out)?;
    if target.sizes() != source.sizes() {
        return Err(Fault::runtime(format!(
            "expected src to have a size equal to the slice of self. src size = {}, slice size = {}",
            layout::list(source.sizes()),
            layout::list(target.sizes())
        )));
    }
    target.copy_from(source)?;
    Ok(out)
}

fn slice_scatter(
    t: &Tensor,
    source: &Tensor,
    dim: i64,
    start: Option<i64>,
    end: Option<i64>,
    step: i64,
) -> Result<Tensor> {
    replaced(t, source, |t| part::slice(t, dim, start, end, step))
}

fn select_scatter(t: &Tensor, source: &Tensor, dim: i64, index: i64) -> Result<Tensor> {
    replaced(t, source, |t| t.select(dim, index))
}

fn diagonal_scatter(
    t: &Tensor,
    source: &Tensor,
    offset: i64,
    dim1: i64,
    dim2: i64,
) -> Result<Tensor> {
    replaced(t, source, |t| part::diagonal(t, offset, dim1, dim2))
}

fn as_strided_scatter(
    t: &Tensor,
    source: &Tensor,
    sizes: Ints,
    strides: Ints,
    offset: Option<i64>,
) -> Result<Tensor> {
    replaced(t, source, |t| {
        part::as_strided(t, sizes.clone(), strides.clone(), offset)
    })
}
