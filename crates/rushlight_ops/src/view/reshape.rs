//! Other sizes for the same elements: `view`, `reshape`, `flatten`, `squeeze` and their kin.

use super::{Ints, checked_sizes};
use rushlight_tensor::view::{infer_sizes, no_dimensions, wrap_dim};
use rushlight_tensor::{DType, Dims, Fault, Layout, Result, Tensor, layout};
use rushlight_types::{Sizes, op, operators};

operators! {
    /// Views with other sizes.
    pub static ROWS = [
        op!("aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)", view).sizes_are(Sizes::Listed),
        op!("aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)", view_dtype),
        op!("aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)", view_as),
        op!("aten::view_copy(Tensor self, SymInt[] size) -> Tensor", view_copy).out("out", crate::out::exact),
        op!("aten::view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor", view_copy_dtype).out("dtype_out", crate::out::cast),
        op!("aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor", view).sizes_are(Sizes::Listed).out("out", crate::out::cast),
        op!("aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)", reshape).sizes_are(Sizes::Listed),
        op!("aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)", reshape_as),
        op!("aten::_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)", reshape_alias),
        op!("aten::_reshape_alias_copy(Tensor self, SymInt[] size, SymInt[] stride) -> Tensor", reshape_alias_copy).out("out", crate::out::cast),
        op!("aten::_reshape_from_tensor(Tensor self, Tensor shape) -> Tensor", reshape_from_tensor),
        op!("aten::_reshape_copy(Tensor self, SymInt[] size) -> Tensor", reshape_copy),
        op!("aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)", flatten),
        op!("aten::unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)", unflatten),
        op!("aten::ravel(Tensor(a) self) -> Tensor(a)", ravel),
        op!("aten::squeeze(Tensor(a) self) -> Tensor(a)", squeeze),
        op!("aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)", squeeze_dim),
        op!("aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)", squeeze_dims),
        op!("aten::squeeze_copy(Tensor self) -> Tensor", squeeze_copy).out("out", crate::out::exact),
        op!("aten::squeeze_copy.dim(Tensor self, int dim) -> Tensor", squeeze_dim_copy).out("dim_out", crate::out::exact),
        op!("aten::squeeze_copy.dims(Tensor self, int[] dim) -> Tensor", squeeze_dims_copy).out("dims_out", crate::out::cast),
        op!("aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)", unsqueeze),
        op!("aten::unsqueeze_copy(Tensor self, int dim) -> Tensor", unsqueeze_copy).out("out", crate::out::exact),
        op!("aten::atleast_1d(Tensor self) -> Tensor", atleast_1d),
        op!("aten::atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]", atleast_1d_all).variadic(),
        op!("aten::atleast_2d(Tensor self) -> Tensor", atleast_2d),
        op!("aten::atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]", atleast_2d_all).variadic(),
        op!("aten::atleast_3d(Tensor self) -> Tensor", atleast_3d),
        op!("aten::atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]", atleast_3d_all).variadic(),
    ];
}

fn view(t: &Tensor, sizes: Ints) -> Result<Tensor> {
    t.view(&sizes)
}

fn view_copy(t: &Tensor, sizes: Ints) -> Result<Tensor> {
    // Nothing is shared, so that any arrangement in memory will do.
    Ok(t.contiguous().view(&sizes)?.contiguous_copy())
}

fn view_as(t: &Tensor, other: &Tensor) -> Result<Tensor> {
    t.view(&signed(other.sizes()))
}

fn reshape(t: &Tensor, sizes: Ints) -> Result<Tensor> {
    t.reshape(&sizes)
}

fn reshape_as(t: &Tensor, other: &Tensor) -> Result<Tensor> {
    t.reshape(&signed(other.sizes()))
}

fn reshape_copy(t: &Tensor, sizes: Ints) -> Result<Tensor> {
    Ok(t.reshape(&sizes)?.contiguous_copy())
}

fn reshape_alias(t: &Tensor, sizes: Ints, strides: Ints) -> Result<Tensor> {
    super::part::as_strided(t, sizes, strides, None)
}

fn reshape_alias_copy(t: &Tensor, sizes: Ints, strides: Ints) -> Result<Tensor> {
    Ok(reshape_alias(t, sizes, strides)?.contiguous_copy())
}

fn reshape_from_tensor(t: &Tensor, sizes: &Tensor) -> Result<Tensor> {
    if sizes.rank() != 1 {
        return Err(Fault::runtime("shape.dim() == 1 expected"));
    }
    t.reshape(&sizes.to_vec::<i64>())
}

/// Sizes as a program passes them.
pub(super) fn signed(sizes: &[usize]) -> Ints {
    sizes.iter().map(|s| *s as i64).collect()
}

/// The same bytes read as another dtype: the last dimension shrinks or grows with the element size.
fn view_dtype(t: &Tensor, dtype: DType) -> Result<Tensor> {
    if dtype == t.dtype() {
        return Ok(t.alias());
    }
    let refused = |what: &str| {
        Err(Fault::runtime(format!(
            "torch.Tensor.view is not supported for {what} when converting to a different dtype."
        )))
    };
    if t.is_conjugated() {
        return refused("conjugate view tensors");
    }
    if t.is_negated() {
        return refused("tensors with negative bit set");
    }
    let (from, to) = (t.dtype().size(), dtype.size());
    if from == to {
        return Tensor::view_of(&t.storage(), dtype, t.layout().clone());
    }
    if t.rank() == 0 {
        return Err(Fault::runtime(format!(
            "self.dim() cannot be 0 to view {} as {} (different element sizes)",
            t.dtype().class_name(),
            dtype.class_name()
        )));
    }
    if t.strides()[t.rank() - 1] != 1 {
        return Err(Fault::runtime(format!(
            "self.stride(-1) must be 1 to view {} as {} (different element sizes), but got {}",
            t.dtype().class_name(),
            dtype.class_name(),
            t.strides()[t.rank() - 1]
        )));
    }
    let layout = if from > to {
        finer(t, from / to)
    } else {
        coarser(t, dtype, to / from)?
    };
    Tensor::view_of(&t.storage(), dtype, layout)
}

fn finer(t: &Tensor, ratio: usize) -> Layout {
    let last = t.rank() - 1;
    let mut sizes = Dims::from_slice(t.sizes());
    let mut strides: Dims = t.strides().iter().map(|s| s * ratio).collect();
    sizes[last] *= ratio;
    strides[last] = 1;
    Layout::strided(&sizes, &strides, t.layout().offset() * ratio)
}

fn coarser(t: &Tensor, dtype: DType, ratio: usize) -> Result<Layout> {
    let last = t.rank() - 1;
    let refuse = |what: &str, got: usize| {
        Fault::runtime(format!(
            "{what} must be divisible by {ratio} to view {} as {} (different element sizes), but got {got}",
            t.dtype().class_name(),
            dtype.class_name(),
        ))
    };
    if !t.size(last).is_multiple_of(ratio) {
        return Err(refuse("self.size(-1)", t.size(last)));
    }
    if !t.layout().offset().is_multiple_of(ratio) {
        return Err(refuse("self.storage_offset()", t.layout().offset()));
    }
    let mut sizes = Dims::from_slice(t.sizes());
    sizes[last] /= ratio;
    let mut strides = Dims::new();
    for (d, stride) in t.strides().iter().enumerate() {
        match d == last {
            true => strides.push(1),
            false if stride.is_multiple_of(ratio) => strides.push(stride / ratio),
            false => return Err(refuse(&format!("self.stride({d})"), *stride)),
        }
    }
    Ok(Layout::strided(
        &sizes,
        &strides,
        t.layout().offset() / ratio,
    ))
}

fn view_copy_dtype(t: &Tensor, dtype: DType) -> Result<Tensor> {
    Ok(view_dtype(t, dtype)?.contiguous_copy())
}

fn flatten(t: &Tensor, start: i64, end: i64) -> Result<Tensor> {
    let (start, end) = (wrap_dim(start, t.rank())?, wrap_dim(end, t.rank())?);
    if start > end {
        return Err(Fault::runtime(
            "flatten() has invalid args: start_dim cannot come after end_dim",
        ));
    }
    if t.rank() == 0 {
        return t.reshape_to(&[1]);
    }
    if start == end {
        return Ok(t.clone());
    }
    let sizes = t.sizes();
    let mut out = Dims::from_slice(&sizes[..start]);
    out.push(sizes[start..=end].iter().product());
    out.extend_from_slice(&sizes[end + 1..]);
    t.reshape_to(&out)
}

fn unflatten(t: &Tensor, dim: i64, sizes: Ints) -> Result<Tensor> {
    let dim = wrap_dim(dim, t.rank())?;
    if sizes.is_empty() {
        return Err(Fault::runtime("unflatten: sizes must be non-empty"));
    }
    let unexpected =
        |why: &str| Fault::runtime(format!("unflatten got an unexpected error:\n{why}"));
    if t.rank() == 0 {
        return Err(unexpected(no_dimensions(0).message()));
    }
    let size = t.size(dim);
    let inferred = infer_sizes(&sizes, size).map_err(|fault| {
        let why = fault.message();
        if !why.starts_with("shape '") {
            return unexpected(why);
        }
        Fault::runtime(format!(
            "unflatten: Provided sizes {sizes:?} don't multiply up to the size of dim {dim} ({size}) in the input tensor"
        ))
    })?;
    let mut out = Dims::from_slice(&t.sizes()[..dim]);
    out.extend_from_slice(&inferred);
    out.extend_from_slice(t.sizes().get(dim + 1..).unwrap_or(&[]));
    t.view(&signed(&out))
}

fn ravel(t: &Tensor) -> Result<Tensor> {
    t.contiguous().view(&[-1])
}

/// The layout without the dimensions of size 1 for which `drop` says so.
pub(super) fn squeezed(t: &Tensor, drop: impl Fn(usize) -> bool) -> Layout {
    t.layout().squeeze(drop)
}

fn squeeze(t: &Tensor) -> Result<Tensor> {
    t.view_with(squeezed(t, |_| true))
}

fn squeeze_dim(t: &Tensor, dim: i64) -> Result<Tensor> {
    let dim = wrap_dim(dim, t.rank())?;
    t.view_with(squeezed(t, |d| d == dim))
}

fn squeeze_dims(t: &Tensor, dims: Ints) -> Result<Tensor> {
    let dims = unique_dims(&dims, t.rank())?;
    t.view_with(squeezed(t, |d| dims.contains(&d)))
}

/// Dimensions given by a program as indices; a repeated one is refused.
pub(super) fn unique_dims(dims: &[i64], rank: usize) -> Result<Dims> {
    let mut out = Dims::new();
    for dim in dims {
        let dim = wrap_dim(*dim, rank)?;
        if out.contains(&dim) {
            return Err(Fault::runtime(format!(
                "dim {dim} appears multiple times in the list of dims"
            )));
        }
        out.push(dim);
    }
    Ok(out)
}

fn squeeze_copy(t: &Tensor) -> Result<Tensor> {
    Ok(squeeze(t)?.contiguous_copy())
}

fn squeeze_dim_copy(t: &Tensor, dim: i64) -> Result<Tensor> {
    Ok(squeeze_dim(t, dim)?.contiguous_copy())
}

fn squeeze_dims_copy(t: &Tensor, dims: Ints) -> Result<Tensor> {
    Ok(squeeze_dims(t, dims)?.contiguous_copy())
}

fn unsqueeze(t: &Tensor, dim: i64) -> Result<Tensor> {
    t.unsqueeze(dim)
}

fn unsqueeze_copy(t: &Tensor, dim: i64) -> Result<Tensor> {
    Ok(t.unsqueeze(dim)?.contiguous_copy())
}

pub(super) fn atleast_1d(t: &Tensor) -> Result<Tensor> {
    match t.rank() {
        0 => t.reshape_to(&[1]),
        _ => Ok(t.clone()),
    }
}

pub(super) fn atleast_2d(t: &Tensor) -> Result<Tensor> {
    match t.rank() {
        0 => t.reshape_to(&[1, 1]),
        1 => t.unsqueeze(0),
        _ => Ok(t.clone()),
    }
}

pub(super) fn atleast_3d(t: &Tensor) -> Result<Tensor> {
    match t.rank() {
        0 => t.reshape_to(&[1, 1, 1]),
        1 => t.unsqueeze(0)?.unsqueeze(-1),
        2 => t.unsqueeze(-1),
        _ => Ok(t.clone()),
    }
}

fn atleast_1d_all(tensors: Vec<Tensor>) -> Result<Vec<Tensor>> {
    tensors.iter().map(atleast_1d).collect()
}

fn atleast_2d_all(tensors: Vec<Tensor>) -> Result<Vec<Tensor>> {
    tensors.iter().map(atleast_2d).collect()
}

fn atleast_3d_all(tensors: Vec<Tensor>) -> Result<Vec<Tensor>> {
    tensors.iter().map(atleast_3d).collect()
}

/// Sizes of `resize_` and its kin, as a row-major or otherwise dense layout.
pub(super) fn dense_layout(
    sizes: &[i64],
    format: Option<rushlight_tensor::MemoryFormat>,
) -> Result<Layout> {
    let sizes = checked_sizes(sizes)?;
    layout::checked_numel(&sizes)?;
    Layout::with_format(
        &sizes,
        format.unwrap_or(rushlight_tensor::MemoryFormat::Contiguous),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wider_elements_need_whole_groups() -> Result<()> {
        let bytes = Tensor::from_slice(&[1u8, 0, 0, 0, 2, 0, 0, 0], &[8])?;
        assert_eq!(view_dtype(&bytes, DType::I32)?.to_vec::<i32>(), [1, 2]);
        assert!(view_dtype(&bytes.narrow(0, 0, 6)?, DType::I32).is_err());
        assert!(view_dtype(&bytes.narrow(0, 1, 4)?, DType::I32).is_err());
        Ok(())
    }

    #[test]
    fn flattening_one_dimension_changes_nothing() -> Result<()> {
        let t = Tensor::zeros(&[2, 3], DType::F32)?;
        assert!(flatten(&t, 1, 1)?.is(&t));
        assert_eq!(flatten(&t, 0, -1)?.sizes(), [6]);
        Ok(())
    }
}
