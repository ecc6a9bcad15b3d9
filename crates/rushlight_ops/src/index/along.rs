//! An index per element along one dimension: `gather`, `scatter` and their relatives.

use super::runs::{Combine, Runs, for_each_row, pick, put, trailing_run};
pub(crate) use rushlight_kernels::index::along::{broadcast_all, reduce_into};
use rushlight_kernels::index::along::{first_outside, into_rows, of_rows, wrapped};
use rushlight_tensor::layout::list;
use rushlight_tensor::memory;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{DType, Dims, Fault, Layout, Result, Scalar, Tensor};
use rushlight_types::warning::Notice;
use rushlight_types::{Apart, Context, op, operators};

operators! {
    /// An index per element.
    pub static ROWS = [
        op!("aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor", gather_op).refused_as_out().out("out", crate::out::exact).apart(Apart::FROM_FIRST_WHOLLY),
        op!("aten::take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor", take_along_dim).out("out", crate::out::exact).apart(Apart::FROM_FIRST_WHOLLY),
        op_functional_rows!("aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", scatter),
        op_functional_out!("aten::scatter.src_out(Tensor self, int dim, Tensor index, Tensor src, *, Tensor(a!) out) -> Tensor(a!)", scatter).apart(Apart::FROM_OTHERS),
        op!("aten::scatter_.src(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)", scatter).apart(Apart::WHOLLY),
        op_functional_rows!("aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", scatter_value),
        op_functional_out!("aten::scatter.value_out(Tensor self, int dim, Tensor index, Scalar value, *, Tensor(a!) out) -> Tensor(a!)", scatter_value).apart(Apart::FROM_OTHERS),
        op!("aten::scatter_.value(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)", scatter_value).apart(Apart::WHOLLY),
        op_functional_rows!("aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor", scatter_with),
        op_functional_out!("aten::scatter.reduce_out(Tensor self, int dim, Tensor index, Tensor src, *, str reduce, Tensor(a!) out) -> Tensor(a!)", scatter_with).apart(Apart::FROM_OTHERS),
        op!("aten::scatter_.reduce(Tensor(a!) self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor(a!)", scatter_with).apart(Apart::WHOLLY),
        op_functional_rows!("aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor", scatter_value_with),
        op_functional_out!("aten::scatter.value_reduce_out(Tensor self, int dim, Tensor index, Scalar value, *, str reduce, Tensor(a!) out) -> Tensor(a!)", scatter_value_with).apart(Apart::FROM_OTHERS),
        op!("aten::scatter_.value_reduce(Tensor(a!) self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor(a!)", scatter_value_with).apart(Apart::WHOLLY),
        op_functional_rows!("aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", scatter_add),
        op_functional_out!("aten::scatter_add.out(Tensor self, int dim, Tensor index, Tensor src, *, Tensor(a!) out) -> Tensor(a!)", scatter_add).apart(Apart::FROM_OTHERS),
        op!("aten::scatter_add_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)", scatter_add).apart(Apart::WHOLLY),
        op_functional_rows!("aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor", scatter_reduce),
        op_functional_out!("aten::scatter_reduce.two_out(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True, Tensor(a!) out) -> Tensor(a!)", scatter_reduce).apart(Apart::FROM_OTHERS),
        op!("aten::scatter_reduce_.two(Tensor(a!) self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor(a!)", scatter_reduce).apart(Apart::WHOLLY),
    ];
}

/// Sizes or strides with at least one dimension.
fn at_least_one(values: &[usize]) -> Dims {
    if values.is_empty() {
        smallvec::smallvec![1]
    } else {
        Dims::from_slice(values)
    }
}

fn check_index_type(name: &str, index: &Tensor) -> Result<()> {
    if matches!(index.dtype(), DType::I64 | DType::I32) {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "{name}(): Expected dtype int32/int64 for index"
    )))
}

/// Refuses indices that lie outside a dimension.
fn check_bounds(indices: &[i64], dim: usize, bound: usize) -> Result<()> {
    match first_outside(indices, bound) {
        Some(i) => Err(Fault::runtime(format!(
            "index {i} is out of bounds for dimension {dim} with size {bound}"
        ))),
        None => Ok(()),
    }
}

/// The places in `target` that the elements of `index` name along `dim`.
fn element_runs(target: &Tensor, dim: usize, index: &Tensor) -> Result<Runs> {
    let strides = at_least_one(target.strides());
    let (bound, step) = (at_least_one(target.sizes())[dim], strides[dim]);
    let (sizes, index_strides) = (at_least_one(index.sizes()), at_least_one(index.strides()));
    let mut base = strides.clone();
    base[dim] = 0;
    // An index expanded along trailing dimensions names whole rows.
    let expanded = (dim + 1..sizes.len())
        .rev()
        .take_while(|&d| sizes[d] == 1 || index_strides[d] == 0)
        .count();
    let tail = sizes.len() - expanded;
    let (dims, run) = trailing_run(&sizes[tail..], &base[tail..]);
    let rows = sizes.len() - dims;
    let layout = Layout::strided(
        &sizes[..rows],
        &index_strides[..rows],
        index.layout().offset(),
    );
    let index = index.view_with(layout)?.to_dtype(DType::I64);
    let data = index.data::<i64>();
    check_bounds(&data, dim, bound)?;
    let mut offsets = memory::with_capacity(data.len());
    if data.is_empty() || run == 0 {
        return Ok(Runs::rows(offsets, run));
    }
    let mut rest = &data[..];
    for_each_row(&sizes[..rows], &base[..rows], |place, n, stride| {
        let (row, tail) = rest.split_at(n);
        rest = tail;
        let places = row.iter().enumerate();
        offsets.extend(places.map(|(j, &i)| place + j * stride + i as usize * step));
    });
    Ok(Runs::rows(offsets, run))
}

fn gather_op(input: &Tensor, dim: i64, index: &Tensor, _sparse_grad: bool) -> Result<Tensor> {
    gather(input, dim, index)
}

/// `gather`.
pub fn gather(input: &Tensor, dim: i64, index: &Tensor) -> Result<Tensor> {
    let dim = wrap_dim(dim, input.rank())?;
    if index.numel() == 0 {
        return Tensor::empty(index.sizes(), input.dtype());
    }
    check_index_type("gather", index)?;
    if index.rank().max(1) != input.rank().max(1) {
        return Err(Fault::runtime(
            "Index tensor must have the same number of dimensions as input tensor",
        ));
    }
    let (own, other) = (at_least_one(input.sizes()), at_least_one(index.sizes()));
    if let Some(d) = (0..own.len()).find(|&d| d != dim && other[d] > own[d]) {
        return Err(Fault::runtime(format!(
            "Size does not match at dimension {d} expected index {} to be no larger than self {} apart from dimension {dim}",
            list(index.sizes()),
            list(input.sizes())
        )));
    }
    let outer = own.len() - 1;
    if dim == outer
        && own[..outer] == other[..outer]
        && index.dtype() == DType::I64
        && matches!(input.dtype().size(), 4 | 8)
        && input.is_contiguous()
        && index.is_contiguous()
    {
        check_bounds(&index.data::<i64>(), dim, own[dim])?;
        return of_rows(input, own[dim], index, other[dim]);
    }
    pick(input, &element_runs(input, dim, index)?, index.sizes())
}

/// `take_along_dim`: `gather` after broadcasting; without a dimension, on the flattened input.
fn take_along_dim(input: &Tensor, indices: &Tensor, dim: Option<i64>) -> Result<Tensor> {
    let Some(dim) = dim else {
        let flat = input.reshape_to(&[input.numel()])?;
        return gather(
            &flat,
            0,
            &wrapped(&indices.reshape_to(&[indices.numel()])?, input.numel())?,
        );
    };
    if input.rank() != indices.rank() {
        return Err(Fault::runtime(format!(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got {} dimensions for input, and {} dimensions for indices",
            input.rank(),
            indices.rank()
        )));
    }
    if indices.dtype() != DType::I64 {
        return Err(Fault::runtime(format!(
            "torch.take_along_dim(): dtype of indices should be Long but got {}",
            indices.dtype().class_name()
        )));
    }
    let d = wrap_dim(dim, input.rank())?;
    let (mut own, mut other) = (
        Dims::from_slice(input.sizes()),
        Dims::from_slice(indices.sizes()),
    );
    if own.is_empty() {
        return gather(input, dim, indices);
    }
    let (n, count) = (
        std::mem::replace(&mut own[d], 1),
        std::mem::replace(&mut other[d], 1),
    );
    let mut common = rushlight_tensor::layout::broadcast_or_fault(&own, &other)?;
    common[d] = n;
    let input = input.expand_to(&common)?;
    common[d] = count;
    gather(&input, dim, &wrapped(&indices.expand_to(&common)?, n)?)
}

/// Checks the shapes of a scatter and returns its dimension.
fn check_scatter(target: &Tensor, dim: i64, index: &Tensor, src: Option<&Tensor>) -> Result<usize> {
    let dim = wrap_dim(dim, target.rank())?;
    check_index_type("scatter", index)?;
    if src.is_some_and(|src| src.dtype() != target.dtype()) {
        return Err(Fault::runtime(
            "scatter(): Expected self.dtype to be equal to src.dtype",
        ));
    }
    if index.numel() == 0 {
        return Ok(dim);
    }
    for (name, other) in [("self", Some(target)), ("src", src)] {
        if other.is_some_and(|other| other.rank().max(1) != index.rank().max(1)) {
            return Err(Fault::runtime(format!(
                "Index tensor must have the same number of dimensions as {name} tensor"
            )));
        }
    }
    let (own, sizes) = (at_least_one(target.sizes()), at_least_one(index.sizes()));
    let src_sizes = src.map(|src| at_least_one(src.sizes()));
    let fits = (0..own.len()).all(|d| {
        (d == dim || sizes[d] <= own[d]) && src_sizes.as_ref().is_none_or(|src| sizes[d] <= src[d])
    });
    if fits {
        return Ok(dim);
    }
    let tail = src.map_or(String::new(), |src| {
        format!(" and to be no larger size than src {}", list(src.sizes()))
    });
    Err(Fault::runtime(format!(
        "Expected index {} to be no larger than self {} apart from dimension {dim}{tail}",
        list(index.sizes()),
        list(target.sizes())
    )))
}

/// The part of `src` that `index` covers.
fn covered(src: &Tensor, index: &Tensor) -> Result<Tensor> {
    if src.rank() != index.rank() || src.rank() == 0 {
        return Ok(src.clone());
    }
    src.view_with(Layout::strided(
        index.sizes(),
        src.strides(),
        src.layout().offset(),
    ))
}

fn scatter_as(
    target: &Tensor,
    dim: i64,
    index: &Tensor,
    src: &Tensor,
    how: Combine,
) -> Result<Tensor> {
    let dim = check_scatter(target, dim, index, Some(src))?;
    if index.numel() > 0 {
        combine_at(target, dim, index, &covered(src, index)?, how)?;
    }
    Ok(target.clone())
}

/// Combines values, or a single one, into the elements that `index` names along `dim`.
fn combine_at(
    target: &Tensor,
    dim: usize,
    index: &Tensor,
    values: &Tensor,
    how: Combine,
) -> Result<()> {
    let (own, other) = (target.sizes(), index.sizes());
    let is_usual = dim + 1 == own.len()
        && own.len() == other.len()
        && own[..dim] == other[..dim]
        && index.dtype() == DType::I64
        && [target, index, values]
            .iter()
            .all(|t| t.is_contiguous() && t.marks().is_none())
        && !values.shares_storage(target)
        && !index.shares_storage(target);
    if is_usual {
        check_bounds(&index.data::<i64>(), dim, own[dim])?;
        if into_rows(target, own[dim], (index, other[dim]), values, how)? {
            return Ok(());
        }
    }
    put(target, &element_runs(target, dim, index)?, values, how)
}

fn scatter_value_as(
    target: &Tensor,
    dim: i64,
    index: &Tensor,
    value: Scalar,
    how: Combine,
) -> Result<Tensor> {
    let dim = check_scatter(target, dim, index, None)?;
    rushlight_tensor::promote::check_number(value, target.dtype())?;
    if index.numel() > 0 {
        combine_at(
            target,
            dim,
            index,
            &Tensor::scalar(value, target.dtype()),
            how,
        )?;
    }
    Ok(target.clone())
}

/// `scatter_`.
pub fn scatter(target: &Tensor, dim: i64, index: &Tensor, src: &Tensor) -> Result<Tensor> {
    scatter_as(target, dim, index, src, Combine::Replace)
}

fn scatter_value(target: &Tensor, dim: i64, index: &Tensor, value: Scalar) -> Result<Tensor> {
    scatter_value_as(target, dim, index, value, Combine::Replace)
}

fn add_or_multiply(reduce: &str) -> Result<Combine> {
    match reduce {
        "add" => Ok(Combine::Add),
        "multiply" => Ok(Combine::Multiply),
        _ => Err(Fault::runtime(
            "reduce argument must be either add or multiply.",
        )),
    }
}

static SOURCES_REDUCED: Notice = Notice::new(
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch release. Use torch.scatter_reduce instead for more reduction options.",
);

fn scatter_with(
    cx: &Context,
    target: &Tensor,
    dim: i64,
    index: &Tensor,
    src: &Tensor,
    reduce: &str,
) -> Result<Tensor> {
    SOURCES_REDUCED.give(cx)?;
    scatter_as(target, dim, index, src, add_or_multiply(reduce)?)
}

fn scatter_value_with(
    target: &Tensor,
    dim: i64,
    index: &Tensor,
    value: Scalar,
    reduce: &str,
) -> Result<Tensor> {
    scatter_value_as(target, dim, index, value, add_or_multiply(reduce)?)
}

/// `scatter_add_`.
pub fn scatter_add(target: &Tensor, dim: i64, index: &Tensor, src: &Tensor) -> Result<Tensor> {
    scatter_as(target, dim, index, src, Combine::Add)
}

/// `scatter_reduce_`.
fn scatter_reduce(
    target: &Tensor,
    dim: i64,
    index: &Tensor,
    src: &Tensor,
    reduce: &str,
    include_self: bool,
) -> Result<Tensor> {
    // Both have a shorter name, too.
    let reduce = match reduce {
        "max" => "amax",
        "min" => "amin",
        other => other,
    };
    if !["sum", "prod", "mean", "amax", "amin"].contains(&reduce) {
        return Err(Fault::runtime(format!(
            "reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )));
    }
    let dim = check_scatter(target, dim, index, Some(src))?;
    let dtype = target.dtype();
    let is_refused = match reduce {
        "mean" => dtype == DType::Bool,
        "amax" | "amin" => dtype.is_complex(),
        _ => false,
    };
    if is_refused && index.numel() > 0 {
        let kernel = format!("scatter_gather_tensor_cpu_reduce_{reduce}");
        return Err(Fault::no_kernel(&kernel, dtype));
    }
    if index.numel() > 0 {
        let runs = element_runs(target, dim, index)?;
        reduce_into(target, &runs, &covered(src, index)?, reduce, include_self)?;
    }
    Ok(target.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expanded_indices_gather_whole_rows() {
        let t = Tensor::from_vec((0..12).map(|v| v as f32).collect(), &[2, 3, 2]).unwrap();
        let index = Tensor::from_slice(&[2i64, 0, 1, 1], &[2, 2, 1]).unwrap();
        let expanded = index.expand_to(&[2, 2, 2]).unwrap();
        let want = [4.0, 5.0, 0.0, 1.0, 8.0, 9.0, 8.0, 9.0];
        assert_eq!(gather(&t, 1, &expanded).unwrap().to_vec::<f32>(), want);
        let dense = expanded.contiguous_copy();
        assert_eq!(gather(&t, 1, &dense).unwrap().to_vec::<f32>(), want);
    }

    #[test]
    fn the_old_element_counts_only_when_included() {
        let run = |include| {
            let t = Tensor::from_slice(&[10.0f32, 20.0], &[2]).unwrap();
            let index = Tensor::from_slice(&[0i64, 0], &[2]).unwrap();
            let src = Tensor::from_slice(&[1.0f32, 4.0], &[2]).unwrap();
            scatter_reduce(&t, 0, &index, &src, "mean", include)
                .unwrap()
                .to_vec::<f32>()
        };
        assert_eq!(run(true), [5.0, 20.0]);
        assert_eq!(run(false), [2.5, 20.0]);
    }

    #[test]
    fn places_of_expanded_tensors_are_not_written() {
        let t = Tensor::zeros(&[1], DType::F32)
            .unwrap()
            .expand_to(&[3])
            .unwrap();
        let index = Tensor::from_slice(&[0i64], &[1]).unwrap();
        assert!(scatter_value(&t, 0, &index, Scalar::Int(1)).is_err());
    }
}
