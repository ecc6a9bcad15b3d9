//! Indexing by several tensors at once: `index`, `index_put` and their unchecked relatives.
//!
//! Masks become the indices of their true elements; the indices are broadcast together and take the place of the
//! dimensions that they index, which come first in the result unless they are neighbours.

use super::along::broadcast_all;
use super::nonzero::{nonzero_columns, true_places};
use super::runs::{Combine, Region, Runs, block_runs, pick, put, put_over, trailing_run};
use super::warn_of_repeats;
use rushlight_tensor::iter::copied_in;
use rushlight_tensor::iter::{lie_apart, ordered_layout, overlap};
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::promote::check_number;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Bool8, DType, Dims, Fault, Layout, Result, Scalar, Tensor};
use rushlight_types::{Context, Quantized, op, operators, warning};
use std::ops::Range;

type Indices = Vec<Option<Tensor>>;

operators! {
    /// Indexing by tensors.
    pub static ROWS = [
        op!("aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", index).quantized(Quantized::Integers).out("Tensor_out", crate::out::cast),
        op!("aten::index.Tensor_hacked_twin(Tensor self, Tensor[] indices) -> Tensor", index),
        op!("aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", index),
        op!("aten::_unsafe_index.Tensor_hacked_twin(Tensor self, Tensor[] indices) -> Tensor", index),
        op_functional!("aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor", index_put),
        op_functional!("aten::index_put.hacked_twin(Tensor self, Tensor[] indices, Tensor values, bool accumulate=False) -> Tensor", index_put),
        op_functional_out!("aten::index_put.out(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False, *, Tensor(a!) out) -> Tensor(a!)", index_put),
        op!("aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)", index_put),
        op!("aten::index_put_.hacked_twin(Tensor(a!) self, Tensor[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)", index_put),
        op_functional!("aten::_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor", index_put),
        op_functional!("aten::_unsafe_index_put.hacked_twin(Tensor self, Tensor[] indices, Tensor values, bool accumulate=False) -> Tensor", index_put),
        op_functional!("aten::_index_put_impl(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False, bool unsafe=False) -> Tensor", index_put_impl),
        op_functional_out!("aten::_index_put_impl.out(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False, bool unsafe=False, *, Tensor(a!) out) -> Tensor(a!)", index_put_impl),
        op!("aten::_index_put_impl_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False, bool unsafe=False) -> Tensor(a!)", index_put_impl),
        op!("aten::_index_put_impl_.hacked_twin(Tensor(a!) self, Tensor[] indices, Tensor values, bool accumulate=False, bool unsafe=False) -> Tensor(a!)", index_put_impl),
        op!("aten::_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor", masked_index),
        op!("aten::_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor", masked_index_put_accumulate),
    ];
}

/// Where an advanced index reaches, and the sizes of what it selects.
struct Selection {
    runs: Runs,
    sizes: Dims,
    /// How the result lies in memory where that is not row-major.
    layout: Option<Layout>,
}

fn check_types(indices: &Indices) -> Result<()> {
    let good = |t: &Tensor| matches!(t.dtype(), DType::I64 | DType::I32 | DType::U8 | DType::Bool);
    if indices.iter().flatten().all(good) {
        return Ok(());
    }
    Err(Fault::index(
        "tensors used as indices must be long, int, byte or bool tensors",
    ))
}

/// Replaces masks by the indices of their true elements, one per dimension of the mask.
fn expand_masks(t: &Tensor, indices: Indices) -> Result<Indices> {
    let mut out = Indices::new();
    for index in indices {
        match index {
            Some(mask) if matches!(mask.dtype(), DType::Bool | DType::U8) => {
                check_mask(t, &mask, out.len())?;
                out.extend(nonzero_columns(&mask)?.into_iter().map(Some));
            }
            other => out.push(other),
        }
    }
    Ok(out)
}

fn check_mask(t: &Tensor, mask: &Tensor, first: usize) -> Result<()> {
    for (d, &size) in mask.sizes().iter().enumerate() {
        if t.sizes().get(first + d) != Some(&size) {
            wrap_dim((first + d) as i64, t.rank())?;
            return Err(Fault::index(format!(
                "The shape of the mask {} at index {d} does not match the shape of the indexed tensor {} at index {}",
                list(mask.sizes()),
                list(t.sizes()),
                first + d
            )));
        }
    }
    Ok(())
}

fn too_many(t: &Tensor, given: usize) -> Fault {
    Fault::index(format!(
        "too many indices for tensor of dimension {} (got {given})",
        t.rank()
    ))
}

/// The selection of `indices` in `t`. Every index is checked; before that, whoever selects may look at the sizes.
fn select(
    t: &Tensor,
    indices: Indices,
    check: impl FnOnce(&[usize]) -> Result<()>,
) -> Result<Selection> {
    if indices.len() > t.rank() {
        return Err(too_many(t, indices.len()));
    }
    check_types(&indices)?;
    let indices = expand_masks(t, indices)?;
    if indices.len() > t.rank() {
        return Err(too_many(t, indices.len()));
    }
    let indexed: Vec<usize> = (0..indices.len())
        .filter(|&d| indices[d].is_some())
        .collected();
    let (Some(&first), Some(&last)) = (indexed.first(), indexed.last()) else {
        return Err(Fault::index("at least one index must be provided"));
    };
    let shapes = indices.iter().flatten().map(|t| t.sizes());
    let common = broadcast_all(shapes).map_err(|shapes| {
        Fault::index(format!(
            "shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ))
    })?;
    let adjacent = last - first + 1 == indexed.len();
    let before: Dims = (0..if adjacent { first } else { 0 }).collect();
    let after: Dims = (before.len()..t.rank())
        .filter(|d| !indexed.contains(d))
        .collect();
    let pluck =
        |values: &[usize], dims: &Dims| -> Dims { dims.iter().map(|&d| values[d]).collect() };
    let (before_sizes, after_sizes) = (pluck(t.sizes(), &before), pluck(t.sizes(), &after));
    let parts = before_sizes.iter().chain(&common).chain(&after_sizes);
    let sizes: Dims = parts.copied().collect();
    check_places(t, &indexed, &common)?;
    check(&sizes)?;
    let middle = middle_places(t, &indices, &indexed, &common)?;
    let runs = block_runs(
        Region {
            sizes: &before_sizes,
            strides: &pluck(t.strides(), &before),
        },
        middle,
        Region {
            sizes: &after_sizes,
            strides: &pluck(t.strides(), &after),
        },
    );
    let within = before_sizes.len()..before_sizes.len() + common.len();
    let layout = match t.is_contiguous() {
        true => None,
        false => {
            let mut strides: Dims = smallvec::smallvec![0; sizes.len()];
            let kept = before.iter().chain(&after).map(|&d| t.strides()[d]);
            let places = (0..sizes.len()).filter(|d| !within.contains(d));
            places.zip(kept).for_each(|(d, stride)| strides[d] = stride);
            Some(order_of_picked(&sizes, strides, within, &indices)?)
        }
    };
    Ok(Selection {
        runs,
        sizes,
        layout,
    })
}

/// How the result of an index lies in memory: as the source does where it is not indexed, then as the indices do.
fn order_of_picked(
    sizes: &[usize],
    source: Dims,
    within: Range<usize>,
    indices: &Indices,
) -> Result<Layout> {
    let mut strides = vec![source];
    for index in indices.iter().flatten() {
        let index = index.expand_to(&sizes[within.clone()])?;
        let mut own: Dims = smallvec::smallvec![0; sizes.len()];
        own[within.clone()].copy_from_slice(index.strides());
        strides.push(own);
    }
    Ok(ordered_layout(sizes, &strides))
}

/// Refuses indices into dimensions that have no places.
fn check_places(t: &Tensor, indexed: &[usize], common: &Dims) -> Result<()> {
    if indexed.iter().any(|&d| t.size(d) == 0) && !common.contains(&0) {
        return Err(Fault::index(
            "index is out of bounds for dimension with size 0",
        ));
    }
    Ok(())
}

/// For every element of the broadcast indices, its place over the indexed dimensions.
fn middle_places(
    t: &Tensor,
    indices: &Indices,
    indexed: &[usize],
    common: &Dims,
) -> Result<Vec<usize>> {
    let count = rushlight_tensor::layout::checked_numel(common)?;
    let mut middle = memory::filled(count, 0usize);
    for (place_of_index, &d) in indexed.iter().enumerate() {
        let Some(index) = &indices[d] else { continue };
        let (size, stride) = (t.size(d) as i64, t.strides()[d]);
        let index = index.to_dtype(DType::I64).expand_to(common)?;
        for (place, &i) in middle.iter_mut().zip(index.data::<i64>().iter()) {
            let at = if i < 0 { i.wrapping_add(size) } else { i };
            if at < 0 || at >= size {
                return Err(out_of_bounds(i, place_of_index, size));
            }
            *place += at as usize * stride;
        }
    }
    Ok(middle)
}

/// What is said of masks of bytes.
fn warn_of_bytes(cx: &Context, indices: &Indices) -> Result<()> {
    let is_byte = |index: &Tensor| index.dtype() == DType::U8;
    match indices.iter().flatten().any(is_byte) {
        false => Ok(()),
        true => warning::warn(
            cx,
            "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
            None,
        ),
    }
}

/// `index.Tensor`.
pub fn index(cx: &Context, t: &Tensor, indices: Vec<Option<Tensor>>) -> Result<Tensor> {
    warn_of_bytes(cx, &indices)?;
    picked(t, indices)
}

fn picked(t: &Tensor, indices: Indices) -> Result<Tensor> {
    if let [Some(index)] = &indices[..]
        && let Some(picked) = rows(t, index)?
    {
        return Ok(picked);
    }
    let selection = select(t, indices, |_| Ok(()))?;
    let picked = pick(t, &selection.runs, &selection.sizes)?;
    match selection.layout.filter(|l| !l.is_contiguous()) {
        Some(layout) => copied_in(&picked, &layout),
        None => Ok(picked),
    }
}

/// What one index of the leading dimensions picks, the shortest way; `None` where it is not as usual.
fn rows(t: &Tensor, index: &Tensor) -> Result<Option<Tensor>> {
    let is_usual = index.is_contiguous() && index.marks().is_none() && t.marks().is_none();
    let indexed = match index.dtype() {
        DType::I64 => 1,
        DType::Bool => index.rank(),
        _ => return Ok(None),
    };
    if !is_usual || indexed == 0 || indexed > t.rank() {
        return Ok(None);
    }
    let (leading, trailing) = t.sizes().split_at(indexed);
    let (dims, run) = trailing_run(trailing, &t.strides()[indexed..]);
    if dims != trailing.len() || run == 0 {
        return Ok(None);
    }
    let (offsets, mut sizes) = if index.dtype() == DType::Bool {
        if index.sizes() != leading || !t.is_contiguous() {
            return Ok(None);
        }
        let mut places = true_places(index);
        if run > 1 {
            places.iter_mut().for_each(|place| *place *= run);
        }
        let count: Dims = smallvec::smallvec![places.len()];
        (places, count)
    } else {
        let (size, stride) = (leading[0] as i64, t.strides()[0]);
        check_places(t, &[0], &Dims::from_slice(index.sizes()))?;
        let index_of = index.data::<i64>();
        let mut places = memory::with_capacity(index_of.len());
        for &i in index_of.iter() {
            let at = if i < 0 { i.wrapping_add(size) } else { i };
            if at < 0 || at >= size {
                return Err(out_of_bounds(i, 0, size));
            }
            places.push(at as usize * stride);
        }
        (places, Dims::from_slice(index.sizes()))
    };
    sizes.extend_from_slice(trailing);
    pick(t, &Runs::rows(offsets, run), &sizes).map(Some)
}

fn out_of_bounds(index: i64, dim: usize, size: i64) -> Fault {
    Fault::index(format!(
        "index {index} is out of bounds for dimension {dim} with size {size}"
    ))
}

/// Refuses values of another dtype than those that they are put among.
fn check_source(t: &Tensor, values: &Tensor) -> Result<()> {
    if values.dtype() == t.dtype() {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "Index put requires the source and destination dtypes match, got {} for the destination and {} for the source.",
        t.dtype().class_name(),
        values.dtype().class_name()
    )))
}

/// `index_put_`.
pub fn index_put(
    cx: &Context,
    t: &Tensor,
    indices: Vec<Option<Tensor>>,
    values: &Tensor,
    accumulate: bool,
) -> Result<Tensor> {
    if indices.len() > t.rank() {
        return Err(too_many(t, indices.len()));
    }
    let mut given = indices.iter().flatten();
    let single = match (given.next(), given.next(), accumulate, values.numel()) {
        (Some(mask), None, false, 1) => Some(mask.dtype()),
        _ => None,
    };
    if single == Some(DType::U8) {
        // The reference fills here, which takes no bytes.
        if let Some(at) = indices.iter().position(Option::is_some)
            && let Some(mask) = &indices[at]
        {
            check_mask(t, mask, at)?;
        }
        return Err(crate::pointwise::select::no_mask(DType::U8));
    }
    // What is filled may be its own mask, and the number that it is filled with one of its elements, or of another dtype.
    let is_filled = single == Some(DType::Bool);
    let number;
    let values = if is_filled {
        let item = values.item()?;
        check_number(item, t.dtype())?;
        number = Tensor::scalar(item, t.dtype()).reshape_to(values.sizes())?;
        &number
    } else {
        values
    };
    let beside = |read: &Tensor| lie_apart(t, read, is_filled);
    if !beside(values) || !indices.iter().flatten().all(beside) {
        return Err(overlap());
    }
    warn_of_bytes(cx, &indices)?;
    warn_of_repeats(cx, t, "index_put_", "tensor[indices] = tensor")?;
    put_at(t, indices, values, accumulate)
}

/// `masked_fill_` of a tensor several elements of which are one place: it is filled where any of them is masked.
pub(crate) fn fill_repeats(cx: &Context, t: &Tensor, mask: &Tensor, value: &Tensor) -> Result<()> {
    warn_of_repeats(cx, t, "masked_fill_", "tensor[mask] = scalar")?;
    put_at(t, vec![Some(mask.expand_to(t.sizes())?)], value, false)?;
    Ok(())
}

fn put_at(t: &Tensor, indices: Indices, values: &Tensor, accumulate: bool) -> Result<Tensor> {
    let mut wide = values.clone();
    let fit = |sizes: &[usize]| {
        wide = spread(values, sizes)?;
        check_source(t, values)
    };
    let selection = select(t, indices, fit)?;
    let how = if accumulate {
        Combine::Add
    } else {
        Combine::Replace
    };
    put_over(t, &selection.runs, &wide, how)?;
    Ok(t.clone())
}

/// Values broadcast to the selection, which may lack leading dimensions of one element; a single one stays as it is.
fn spread(values: &Tensor, sizes: &[usize]) -> Result<Tensor> {
    let lead = values.rank().saturating_sub(sizes.len());
    let surplus = values.sizes()[..lead].iter().all(|&size| size == 1);
    let trimmed = &values.sizes()[lead..];
    let fits =
        surplus && rushlight_tensor::layout::broadcast(trimmed, sizes).as_deref() == Some(sizes);
    if !fits {
        return Err(Fault::runtime(format!(
            "shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape {}",
            list(values.sizes()),
            list(sizes)
        )));
    }
    if values.numel() == 1 {
        return Ok(values.clone());
    }
    values.reshape_to(trimmed)?.expand_to(sizes)
}

fn index_put_impl(
    cx: &Context,
    t: &Tensor,
    indices: Vec<Option<Tensor>>,
    values: &Tensor,
    accumulate: bool,
    _unchecked: bool,
) -> Result<Tensor> {
    index_put(cx, t, indices, values, accumulate)
}

/// Indices clamped into range, for the masked forms: what the mask hides may be out of range.
fn clamped(t: &Tensor, indices: Indices) -> Result<Indices> {
    let clamp = |(d, index): (usize, Option<Tensor>)| -> Result<Option<Tensor>> {
        let Some(index) = index else { return Ok(None) };
        let top = t.sizes().get(d).copied().unwrap_or(1).max(1) as i64 - 1;
        let values = index
            .to_vec::<i64>()
            .into_iter()
            .map(|i| i.clamp(0, top))
            .collected();
        Ok(Some(Tensor::from_vec(values, index.sizes())?))
    };
    indices.into_iter().enumerate().map(clamp).collect()
}

/// Refuses indices that do not count, in the words of the masked forms.
fn check_whole(indices: &Indices) -> Result<()> {
    let counts = |t: &&Tensor| !matches!(t.dtype(), DType::I64 | DType::I32);
    match indices.iter().flatten().find(counts) {
        None => Ok(()),
        Some(index) => Err(Fault::runtime(format!(
            "_unsafe_masked_index found unexpected index type {}",
            index.dtype().class_name()
        ))),
    }
}

/// `index`, with `fill` where the mask is false.
fn masked_index(
    t: &Tensor,
    mask: &Tensor,
    indices: Vec<Option<Tensor>>,
    fill: Scalar,
) -> Result<Tensor> {
    check_whole(&indices)?;
    if t.numel() == 0 {
        let shapes = indices.iter().flatten().map(|t| t.sizes());
        let common = broadcast_all(shapes).map_err(Fault::index)?;
        return Tensor::full(&common, fill, t.dtype());
    }
    let picked = picked(t, clamped(t, indices)?)?;
    check_number(fill, t.dtype())?;
    let sizes = rushlight_tensor::layout::broadcast_or_fault(mask.sizes(), picked.sizes())?;
    let picked = picked.expand_to(&sizes)?.contiguous_copy();
    let mask = mask.to_dtype(DType::Bool).expand_to(&sizes)?;
    let hidden = mask.data::<Bool8>();
    let offsets = (0..picked.numel())
        .filter(|&i| !hidden[i].get())
        .collected();
    let value = Tensor::scalar(fill, picked.dtype());
    put(&picked, &Runs::single(offsets), &value, Combine::Replace)?;
    Ok(picked)
}

/// `index_put` with accumulation, without the values where the mask is false.
fn masked_index_put_accumulate(
    t: &Tensor,
    mask: &Tensor,
    indices: Vec<Option<Tensor>>,
    values: &Tensor,
) -> Result<Tensor> {
    let out = t.deep_copy();
    if t.numel() == 0 {
        return Ok(out);
    }
    check_whole(&indices)?;
    let sizes = rushlight_tensor::layout::broadcast_or_fault(mask.sizes(), values.sizes())?;
    if indices.len() > t.rank() {
        return Err(too_many(t, indices.len()));
    }
    let kept = values.expand_to(&sizes)?.contiguous_copy();
    let mask = mask.to_dtype(DType::Bool).expand_to(&sizes)?;
    let shown = mask.data::<Bool8>();
    let offsets = (0..kept.numel()).filter(|&i| !shown[i].get()).collected();
    let zero = Tensor::scalar(Scalar::Int(0), kept.dtype());
    put(&kept, &Runs::single(offsets), &zero, Combine::Replace)?;
    put_at(&out, clamped(t, indices)?, &kept, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(sizes: &[usize]) -> Tensor {
        let count = sizes.iter().product::<usize>() as i64;
        Tensor::from_vec((0..count).collect(), sizes).unwrap()
    }

    fn vector(values: &[i64]) -> Option<Tensor> {
        Some(Tensor::from_slice(values, &[values.len()]).unwrap())
    }

    #[test]
    fn indices_that_are_not_neighbours_come_first() {
        let t = ramp(&[2, 3, 4]);
        let out = picked(&t, vec![vector(&[1, 0]), None, vector(&[-1, 2])]).unwrap();
        assert_eq!(out.sizes(), [2, 3]);
        assert_eq!(out.to_vec::<i64>(), [15, 19, 23, 2, 6, 10]);
        let neighbours = picked(&t, vec![None, vector(&[2]), vector(&[3])]).unwrap();
        assert_eq!(
            (neighbours.sizes(), neighbours.to_vec::<i64>()),
            (&[2, 1][..], vec![11, 23])
        );
    }

    #[test]
    fn masks_index_as_many_dimensions_as_they_have() {
        let t = ramp(&[2, 2, 2]);
        let mask =
            Tensor::from_slice(&[false, true, true, false].map(Bool8::from), &[2, 2]).unwrap();
        let out = picked(&t, vec![Some(mask)]).unwrap();
        assert_eq!(
            (out.sizes(), out.to_vec::<i64>()),
            (&[2, 2][..], vec![2, 3, 4, 5])
        );
    }

    #[test]
    fn accumulation_counts_repeated_indices() {
        let t = ramp(&[3]);
        let one = Tensor::scalar(Scalar::Int(1), DType::I64);
        put_at(&t, vec![vector(&[0, 0, 2])], &one, true).unwrap();
        assert_eq!(t.to_vec::<i64>(), [2, 1, 3]);
        put_at(
            &t.slice(0, Some(1), None, 1).unwrap(),
            vec![vector(&[0])],
            &one,
            false,
        )
        .unwrap();
        assert_eq!(t.to_vec::<i64>(), [2, 1, 3]);
    }

    #[test]
    fn values_that_overlap_the_target_are_read_first() {
        let t = ramp(&[4]);
        let tail = t.slice(0, Some(1), None, 1).unwrap();
        put_at(&t, vec![vector(&[0, 1, 2])], &tail, false).unwrap();
        assert_eq!(t.to_vec::<i64>(), [1, 2, 3, 3]);
    }

    #[test]
    fn bad_indices_are_named() {
        let message = |indices| {
            picked(&ramp(&[3, 4]), indices)
                .unwrap_err()
                .message()
                .to_string()
        };
        assert_eq!(
            message(vec![None, vector(&[4])]),
            "index 4 is out of bounds for dimension 0 with size 4"
        );
        assert_eq!(
            message(vec![vector(&[0, 1]), vector(&[0, 1, 2])]),
            "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]"
        );
        assert_eq!(message(vec![None]), "at least one index must be provided");
    }
}
