//! An index per slice along one dimension: `index_select`, `index_add`, `index_copy`, `index_fill`, `index_reduce`.

use super::along::reduce_into;
use super::runs::{Combine, pick, put, put_over};
use super::warn_of_repeats;
use rushlight_kernels::index::along::first_outside;
use rushlight_kernels::index::slices::{scaled, slice_runs};
use rushlight_tensor::layout::list;
use rushlight_tensor::promote::check_number;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{DType, Dims, Fault, Result, Scalar, Tensor};
use rushlight_types::warning::Notice;
use rushlight_types::{Apart, Context, OutDtype, Quantized, op, operators};

operators! {
    /// An index per slice.
    pub static ROWS = [
        op!("aten::index_select(Tensor self, int dim, Tensor index) -> Tensor", index_select).quantized(Quantized::Integers).out("out", crate::out::cast).out_dtype(OutDtype::Same("index_select(): self and result must have the same scalar type")).apart(Apart::WHOLLY),
        op_functional_rows!("aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor", index_add),
        op_functional_out!("aten::index_add.out(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)", index_add).apart(Apart::FROM_OTHERS),
        op!("aten::index_add_(Tensor(a!) self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor(a!)", index_add).apart(Apart::WHOLLY),
        op_functional_rows!("aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor", index_copy),
        op_functional_out!("aten::index_copy.out(Tensor self, int dim, Tensor index, Tensor source, *, Tensor(a!) out) -> Tensor(a!)", index_copy).apart(Apart::FROM_OTHERS),
        op!("aten::index_copy_(Tensor(a!) self, int dim, Tensor index, Tensor source) -> Tensor(a!)", index_copy).apart(Apart::WHOLLY),
        op_functional!("aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", index_fill),
        op_functional_out!("aten::index_fill.int_Scalar_out(Tensor self, int dim, Tensor index, Scalar value, *, Tensor(a!) out) -> Tensor(a!)", index_fill),
        op!("aten::index_fill_.int_Scalar(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)", index_fill).apart(Apart::WHOLLY),
        op_functional!("aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor", index_fill_tensor),
        op_functional_out!("aten::index_fill.int_Tensor_out(Tensor self, int dim, Tensor index, Tensor value, *, Tensor(a!) out) -> Tensor(a!)", index_fill_tensor),
        op!("aten::index_fill_.int_Tensor(Tensor(a!) self, int dim, Tensor index, Tensor value) -> Tensor(a!)", index_fill_tensor).apart(Apart::WHOLLY),
        op_functional_rows!("aten::index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor", index_reduce),
        op_functional_out!("aten::index_reduce.out(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True, Tensor(a!) out) -> Tensor(a!)", index_reduce).apart(Apart::FROM_OTHERS),
        op!("aten::index_reduce_(Tensor(a!) self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor(a!)", index_reduce).apart(Apart::WHOLLY),
    ];
}

/// The indices, each within `0..size`; `bad` makes the fault for one that is not.
fn checked(index: &Tensor, size: usize, bad: impl Fn(i64) -> Fault) -> Result<Vec<usize>> {
    let indices = index.to_vec::<i64>();
    match first_outside(&indices, size) {
        Some(i) => Err(bad(i)),
        None => Ok(indices.into_iter().map(|i| i as usize).collect()),
    }
}

fn size_along(t: &Tensor, dim: usize) -> usize {
    t.sizes().get(dim).copied().unwrap_or(1)
}

fn out_of_bounds(dim: usize, size: usize) -> impl Fn(i64) -> String {
    move |i| format!("index {i} is out of bounds for dimension {dim} with size {size}")
}

fn is_index(t: &Tensor) -> bool {
    matches!(t.dtype(), DType::I64 | DType::I32)
}

/// `index_select`.
pub fn index_select(input: &Tensor, dim: i64, index: &Tensor) -> Result<Tensor> {
    let d = wrap_dim(dim, input.rank())?;
    if index.rank() > 1 {
        return Err(Fault::index(
            "index_select(): Index is supposed to be a vector",
        ));
    }
    if !is_index(index) {
        return Err(Fault::runtime(
            "index_select(): Expected dtype int32 or int64 for index",
        ));
    }
    if input.rank() == 0 && index.numel() != 1 {
        return Err(Fault::runtime(format!(
            "index_select(): Index to scalar can have only 1 value, got {} value(s)",
            index.numel()
        )));
    }
    let size = size_along(input, d);
    let contiguous_rows = d == 0 || input.rank() < 2;
    let indices = checked(index, size, |i| match contiguous_rows {
        true => Fault::index("index out of range in self"),
        false => Fault::runtime(format!(
            "INDICES element is out of DATA bounds, id={i} axis_dim={size}"
        )),
    })?;
    let mut sizes = Dims::from_slice(input.sizes());
    if let Some(size) = sizes.get_mut(d) {
        *size = indices.len();
    }
    pick(input, &slice_runs(input, d, &indices), &sizes)
}

/// Checks of `index_add_` and `index_reduce_`, which share them.
fn check_source(
    name: &str,
    target: &Tensor,
    dim: usize,
    index: &Tensor,
    source: &Tensor,
) -> Result<()> {
    if index.rank() > 1 {
        return Err(Fault::index(format!(
            "{name}(): Index is supposed to be a vector, but got dim: {} with type: {} and size: {}",
            index.rank(),
            index.dtype().class_name(),
            list(index.sizes())
        )));
    }
    if !is_index(index) {
        return Err(Fault::runtime(format!(
            "{name}(): Expected dtype int32/int64 for index but got: {}",
            index.dtype().class_name()
        )));
    }
    if target.dtype() != source.dtype() {
        return Err(Fault::runtime(format!(
            "{name}(): self ({}) and source ({}) must have the same scalar type",
            target.dtype().class_name(),
            source.dtype().class_name()
        )));
    }
    let along = size_along(source, dim);
    if index.numel() != along && source.rank() == 0 {
        return Err(rushlight_tensor::view::no_dimensions(dim as i64));
    }
    if index.numel() != along {
        return Err(Fault::runtime(format!(
            "{name}(): Number of indices ({}) should be equal to source.size(dim): ({along}), for dim: {dim}",
            index.numel()
        )));
    }
    let others = |t: &Tensor| -> Dims {
        let keep = |(d, &size): (usize, &usize)| (d != dim).then_some(size);
        t.sizes().iter().enumerate().filter_map(keep).collect()
    };
    if target.rank() != source.rank() || others(target) != others(source) {
        return Err(Fault::runtime(format!(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = {} source.shape = {}",
            list(target.sizes()),
            list(source.sizes())
        )));
    }
    Ok(())
}

/// `index_add_`.
pub fn index_add(
    target: &Tensor,
    dim: i64,
    index: &Tensor,
    source: &Tensor,
    alpha: Scalar,
) -> Result<Tensor> {
    let d = wrap_dim(dim, target.rank())?;
    check_source("index_add_", target, d, index, source)?;
    let size = size_along(target, d);
    let message = out_of_bounds(d, size);
    let indices = checked(index, size, |i| match target.rank() {
        0 | 1 => Fault::index("index out of range in self"),
        _ => Fault::runtime(message(i)),
    })?;
    let runs = slice_runs(target, d, &indices);
    put(target, &runs, &scaled(source, alpha)?, Combine::Add)?;
    Ok(target.clone())
}

/// The kernel of a reduction that has no loop for the dtype: rows go through elementwise operators, elements do not.
fn refusing(target: &Tensor, reduce: &str, include_self: bool) -> Option<&'static str> {
    let is_bool = target.dtype() == DType::Bool;
    if !is_bool && !target.dtype().is_complex() {
        return None;
    }
    match (include_self, target.rank() > 1, reduce) {
        (false, ..) => Some("index_reduce_func_exclude_input_init"),
        (_, false, _) => Some("index_func_"),
        (_, true, "mean") if is_bool => Some("div_floor_cpu"),
        (_, true, "amax") if !is_bool => Some("maximum_cpu"),
        (_, true, "amin") if !is_bool => Some("minimum_cpu"),
        _ => None,
    }
}

static IN_BETA: Notice =
    Notice::new("index_reduce() is in beta and the API may change at any time.");

/// `index_reduce_`.
fn index_reduce(
    cx: &Context,
    target: &Tensor,
    dim: i64,
    index: &Tensor,
    source: &Tensor,
    reduce: &str,
    include_self: bool,
) -> Result<Tensor> {
    if !["prod", "mean", "amax", "amin"].contains(&reduce) {
        return Err(Fault::runtime(format!(
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}."
        )));
    }
    IN_BETA.give(cx)?;
    let d = wrap_dim(dim, target.rank())?;
    check_source("index_reduce_", target, d, index, source)?;
    if target.numel() > 0
        && source.numel() > 0
        && let Some(kernel) = refusing(target, reduce, include_self)
    {
        return Err(Fault::no_kernel(kernel, target.dtype()));
    }
    let size = size_along(target, d);
    let indices = checked(index, size, |_| Fault::index("index out of range in self"))?;
    reduce_into(
        target,
        &slice_runs(target, d, &indices),
        source,
        reduce,
        include_self,
    )?;
    Ok(target.clone())
}

/// `index_copy_`.
pub fn index_copy(target: &Tensor, dim: i64, index: &Tensor, source: &Tensor) -> Result<Tensor> {
    let d = wrap_dim(dim, target.rank())?;
    check_copy(target, d, index, source)?;
    let size = size_along(target, d);
    let message = out_of_bounds(d, size);
    let indices = checked(index, size, |i| {
        Fault::index(format!("index_copy_(): {}", message(i)))
    })?;
    put(
        target,
        &slice_runs(target, d, &indices),
        source,
        Combine::Replace,
    )?;
    Ok(target.clone())
}

fn check_copy(target: &Tensor, d: usize, index: &Tensor, source: &Tensor) -> Result<()> {
    if index.rank() > 1 {
        return Err(Fault::index(format!(
            "index_copy_(): Index should have dimension 1 or 0 (got {})",
            index.rank()
        )));
    }
    let count = index.numel();
    if source.rank() == 0 && count != 1 {
        return Err(Fault::index(format!(
            "index_copy_(): When source is scalar, index should have one element (got {count})"
        )));
    }
    if source.rank() != target.rank() && source.rank() != 0 && target.rank() != 0 {
        return Err(Fault::index(format!(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source dimensionality ({}), destination dimensionality ({})",
            source.rank(),
            target.rank()
        )));
    }
    if index.dtype() != DType::I64 {
        return Err(Fault::runtime(
            "index_copy_(): Expected a long tensor for index, but got ".to_string()
                + index.dtype().class_name(),
        ));
    }
    if target.dtype() != source.dtype() {
        return Err(Fault::runtime(format!(
            "index_copy_(): self and source expected to have the same dtype, but got (self) {} and (source) {}",
            target.dtype().class_name(),
            source.dtype().class_name()
        )));
    }
    let slice = |t: &Tensor| -> Dims {
        let keep = |(e, &size): (usize, &usize)| (e != d).then_some(size);
        t.sizes().iter().enumerate().filter_map(keep).collect()
    };
    let first = |dims: &Dims| dims.first().map(usize::to_string).unwrap_or_default();
    let (own, other) = (slice(target), slice(source));
    if own != other {
        return Err(Fault::runtime(format!(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: {} at dimension {d} and source slice shape: {} at dimension 0.",
            first(&own),
            first(&other)
        )));
    }
    if source.rank() > 0 && count != source.size(d) {
        return Err(Fault::index(format!(
            "index_copy_(): Number of indices ({count}) should be equal to source.size(dim) ({})",
            source.size(d)
        )));
    }
    Ok(())
}

/// `index_fill_` with a number.
fn index_fill(
    cx: &Context,
    target: &Tensor,
    dim: i64,
    index: &Tensor,
    value: Scalar,
) -> Result<Tensor> {
    let d = wrap_dim(dim, target.rank())?;
    if index.dtype() != DType::I64 {
        return Err(Fault::index(
            "index_fill_(): Expected dtype int64 for index.",
        ));
    }
    if index.rank() > 1 {
        return Err(Fault::runtime("Index has to be a vector/scalar"));
    }
    if value.is_complex() && !target.dtype().is_complex() {
        return Err(Fault::runtime(
            "index_fill_(): Converting complex Scalar to non-complex type is not supported",
        ));
    }
    check_number(value, target.dtype())?;
    let size = size_along(target, d);
    let message = out_of_bounds(d, size);
    let wrap = |i: i64| if i < 0 { i + size as i64 } else { i };
    let indices: Vec<usize> = index
        .to_vec::<i64>()
        .into_iter()
        .map(|i| match usize::try_from(wrap(i)) {
            Ok(at) if at < size => Ok(at),
            _ => Err(Fault::index(message(i))),
        })
        .collect::<Result<_>>()?;
    let value = Tensor::scalar(value, target.dtype());
    warn_of_repeats(cx, target, "index_fill_", "tensor[mask] = scalar")?;
    put_over(
        target,
        &slice_runs(target, d, &indices),
        &value,
        Combine::Replace,
    )?;
    Ok(target.clone())
}

fn index_fill_tensor(
    cx: &Context,
    target: &Tensor,
    dim: i64,
    index: &Tensor,
    value: &Tensor,
) -> Result<Tensor> {
    if value.rank() != 0 {
        return Err(Fault::runtime(format!(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
            value.rank()
        )));
    }
    index_fill(cx, target, dim, index, value.item()?)
}
