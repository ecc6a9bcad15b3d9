//! Views of a part: slices, single indices, diagonals, windows, arbitrary strides.

use super::{Ints, checked_sizes};
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Dims, Fault, Layout, Result, Tensor};
use rushlight_types::{ElementOp, OutDtype, op, operators};

operators! {
    /// Views that leave elements out.
    pub static ROWS = [
        op!("aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)", slice).with_any_number(&[2, 3]),
        op!("aten::slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor", slice_copy).out("Tensor_out", crate::out::cast),
        op!("aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)", select).element(ElementOp::Select),
        op!("aten::select_copy.int(Tensor self, int dim, SymInt index) -> Tensor", select_copy).out("int_out", crate::out::cast),
        op!("aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)", narrow),
        op!("aten::narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)", narrow_tensor),
        op!("aten::narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor", narrow_copy).out("out", crate::out::cast).out_dtype(OutDtype::Same("Expected self.dtype() == output.dtype() to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)")),
        op!("aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]", unbind),
        op_list_out!("aten::unbind_copy.int_out(Tensor self, int dim=0, *, Tensor(a!)[] out) -> ()", unbind_copy),
        op!("aten::unbind_copy.int(Tensor self, int dim=0) -> Tensor[]", unbind_copy),
        op!("aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)", diagonal),
        op!("aten::diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor", diagonal_copy).out("out", crate::out::exact),
        op!("aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)", diagonal),
        op!("aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)", unfold),
        op!("aten::unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor", unfold_copy).out("out", crate::out::exact),
        op!("aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)", as_strided),
        op!("aten::as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor", as_strided_copy).out("out", crate::out::exact),
    ];
}

pub(super) fn slice(
    t: &Tensor,
    dim: i64,
    start: Option<i64>,
    end: Option<i64>,
    step: i64,
) -> Result<Tensor> {
    t.slice(dim, start, end, step)
}

fn slice_copy(
    t: &Tensor,
    dim: i64,
    start: Option<i64>,
    end: Option<i64>,
    step: i64,
) -> Result<Tensor> {
    Ok(t.slice(dim, start, end, step)?.contiguous_copy())
}

fn select(t: &Tensor, dim: i64, index: i64) -> Result<Tensor> {
    t.select(dim, index)
}

fn select_copy(t: &Tensor, dim: i64, index: i64) -> Result<Tensor> {
    Ok(t.select(dim, index)?.contiguous_copy())
}

pub(super) fn narrow(t: &Tensor, dim: i64, start: i64, length: i64) -> Result<Tensor> {
    if t.rank() == 0 {
        return Err(Fault::runtime(
            "narrow() cannot be applied to a 0-dim tensor.",
        ));
    }
    if length < 0 {
        return Err(Fault::runtime("narrow(): length must be non-negative."));
    }
    let dim = wrap_dim(dim, t.rank())?;
    let size = t.size(dim) as i64;
    if start < -size || start > size {
        return Err(Fault::index(format!(
            "start out of range (expected to be in range of [{}, {size}], but got {start})",
            -size
        )));
    }
    let start = if start < 0 { start + size } else { start };
    if start.checked_add(length).is_none_or(|end| end > size) {
        return Err(Fault::runtime(format!(
            "start ({start}) + length ({length}) exceeds dimension size ({size})."
        )));
    }
    t.narrow(dim, start as usize, length as usize)
}

fn narrow_tensor(t: &Tensor, dim: i64, start: &Tensor, length: i64) -> Result<Tensor> {
    if start.rank() != 0 || !start.dtype().is_integral(false) {
        return Err(Fault::runtime("start must be an 0-dim integral Tensor."));
    }
    narrow(t, dim, start.item()?.to_i64(), length)
}

fn narrow_copy(t: &Tensor, dim: i64, start: i64, length: i64) -> Result<Tensor> {
    if t.rank() > 0 && dim >= t.rank() as i64 {
        return Err(Fault::not_true(
            "dim < static_cast<int64_t>(self_sizes.size())",
        ));
    }
    if length < 0 && t.rank() > 0 {
        let size = t.size(wrap_dim(dim, t.rank())?);
        return Err(Fault::runtime(format!(
            "start ({start}) + length ({length}) exceeds dimension size ({size})."
        )));
    }
    Ok(narrow(t, dim, start, length)?.contiguous_copy())
}

fn unbind(t: &Tensor, dim: i64) -> Result<Vec<Tensor>> {
    let dim = wrap_dim(dim, t.rank())?;
    if t.rank() == 0 {
        return Err(rushlight_tensor::view::no_dimensions(0));
    }
    rushlight_tensor::memory::check_room(t.size(dim), super::split::PART)?;
    (0..t.size(dim) as i64)
        .map(|i| t.select(dim as i64, i))
        .collect()
}

fn unbind_copy(t: &Tensor, dim: i64) -> Result<Vec<Tensor>> {
    let parts = unbind(t, dim)?;
    Ok(parts.iter().map(Tensor::contiguous_copy).collect())
}

pub(crate) fn diagonal(t: &Tensor, offset: i64, dim1: i64, dim2: i64) -> Result<Tensor> {
    let (a, b) = (wrap_dim(dim1, t.rank())?, wrap_dim(dim2, t.rank())?);
    if a == b {
        return Err(Fault::runtime(format!(
            "diagonal dimensions cannot be identical {dim1}, {dim2}"
        )));
    }
    let (rows, columns) = (t.size(a) as i64, t.size(b) as i64);
    let length = match offset >= 0 {
        true => rows.min(columns.saturating_sub(offset)),
        false => rows.saturating_add(offset).min(columns),
    }
    .max(0) as usize;
    let skip = match (length, offset >= 0) {
        (0, _) => 0,
        (_, true) => offset as usize * t.strides()[b],
        (_, false) => offset.unsigned_abs() as usize * t.strides()[a],
    };
    let keep = || (0..t.rank()).filter(|d| *d != a && *d != b);
    let mut sizes: Dims = keep().map(|d| t.size(d)).collect();
    let mut strides: Dims = keep().map(|d| t.strides()[d]).collect();
    sizes.push(length);
    strides.push(t.strides()[a] + t.strides()[b]);
    t.view_with(Layout::strided(
        &sizes,
        &strides,
        t.layout().offset() + skip,
    ))
}

fn diagonal_copy(t: &Tensor, offset: i64, dim1: i64, dim2: i64) -> Result<Tensor> {
    Ok(diagonal(t, offset, dim1, dim2)?.contiguous_copy())
}

fn unfold(t: &Tensor, dim: i64, size: i64, step: i64) -> Result<Tensor> {
    let dim = wrap_dim(dim, t.rank())?;
    let whole = if t.rank() == 0 { 1 } else { t.size(dim) as i64 };
    if size < 0 {
        return Err(Fault::runtime(format!("size is {size} but must be >= 0")));
    }
    if size > whole {
        return Err(Fault::runtime(format!(
            "maximum size for tensor at dimension {dim} is {whole} but size is {size}"
        )));
    }
    if step <= 0 {
        return Err(Fault::runtime(format!("step is {step} but must be > 0")));
    }
    let mut sizes = Dims::from_slice(t.sizes());
    let mut strides = Dims::from_slice(t.strides());
    let stride = strides.get(dim).copied().unwrap_or(1);
    if t.rank() > 0 {
        sizes[dim] = ((whole - size) / step + 1) as usize;
        strides[dim] = stride.saturating_mul(step as usize);
    }
    sizes.push(size as usize);
    strides.push(stride);
    t.view_with(Layout::strided(&sizes, &strides, t.layout().offset()))
}

fn unfold_copy(t: &Tensor, dim: i64, size: i64, step: i64) -> Result<Tensor> {
    Ok(unfold(t, dim, size, step)?.contiguous_copy())
}

/// The layout that a program asks for by sizes, strides and offset.
pub(super) fn strided_layout(
    t: &Tensor,
    sizes: &[i64],
    strides: &[i64],
    offset: Option<i64>,
) -> Result<Layout> {
    if sizes.len() != strides.len() {
        return Err(Fault::runtime("mismatch in length of strides and shape"));
    }
    if strides.iter().any(|s| *s < 0) {
        return Err(Fault::runtime(format!(
            "as_strided: Negative strides are not supported at the moment, got strides: {strides:?}"
        )));
    }
    let sizes = checked_sizes(sizes)?;
    let offset = match offset {
        None => t.layout().offset(),
        Some(offset) => usize::try_from(offset)
            .map_err(|_| Fault::runtime(format!("Tensor: invalid storage offset {offset}")))?,
    };
    let strides: Dims = strides.iter().map(|s| *s as usize).collect();
    Ok(Layout::strided(&sizes, &strides, offset))
}

pub(super) fn as_strided(
    t: &Tensor,
    sizes: Ints,
    strides: Ints,
    offset: Option<i64>,
) -> Result<Tensor> {
    t.view_with(strided_layout(t, &sizes, &strides, offset)?)
}

fn as_strided_copy(t: &Tensor, sizes: Ints, strides: Ints, offset: Option<i64>) -> Result<Tensor> {
    Ok(as_strided(t, sizes, strides, offset)?.contiguous_copy())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Result<Tensor> {
        Tensor::from_slice(&[0i64, 1, 2, 3, 4, 5], &[2, 3])
    }

    #[test]
    fn diagonals_beyond_the_edge_are_empty() -> Result<()> {
        assert_eq!(diagonal(&matrix()?, 1, 0, 1)?.to_vec::<i64>(), [1, 5]);
        assert_eq!(diagonal(&matrix()?, i64::MAX, 0, 1)?.sizes(), [0]);
        assert_eq!(diagonal(&matrix()?, i64::MIN, 0, 1)?.sizes(), [0]);
        Ok(())
    }

    #[test]
    fn windows_overlap() -> Result<()> {
        let t = Tensor::from_slice(&[0i64, 1, 2, 3], &[4])?;
        let windows = unfold(&t, 0, 2, 1)?;
        assert_eq!(windows.sizes(), [3, 2]);
        assert_eq!(windows.to_vec::<i64>(), [0, 1, 1, 2, 2, 3]);
        Ok(())
    }

    #[test]
    fn strides_that_leave_the_storage_are_refused() -> Result<()> {
        let ints = |v: &[i64]| Ints::from_slice(v);
        let t = matrix()?;
        assert!(as_strided(&t, ints(&[2, 2]), ints(&[1, 3]), Some(1)).is_ok());
        assert!(as_strided(&t, ints(&[2, 2]), ints(&[3, 3]), Some(0)).is_err());
        assert!(as_strided(&t, ints(&[2]), ints(&[i64::MAX]), None).is_err());
        assert!(as_strided(&t, ints(&[1]), ints(&[1]), Some(-1)).is_err());
        Ok(())
    }
}
