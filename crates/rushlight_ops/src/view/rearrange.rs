//! Copies with elements repeated, reversed or shifted along dimensions: everything where the source index of each
//! dimension depends on that dimension's index alone.

use super::Ints;
use super::reshape::unique_dims;
use rushlight_kernels::view::rearrange::{along, identity, interleave, look_up};
use rushlight_tensor::memory::Collected;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Dims, Fault, Result, Tensor, layout, memory};
use rushlight_types::{Quantized, Sizes, op, operators};

operators! {
    /// Repeats, flips and shifts.
    pub static ROWS = [
        op!("aten::repeat(Tensor self, SymInt[] repeats) -> Tensor", repeat).quantized(Quantized::Integers).out("out", crate::out::exact),
        op!("aten::tile(Tensor self, SymInt[] dims) -> Tensor", tile),
        op!("aten::repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor", repeated_indices).sizes_are(Sizes::ByElements).out("Tensor_out", crate::out::cast),
        op!("aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor", repeat_interleave).sizes_are(Sizes::ByElements),
        op!("aten::repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor", repeat_interleave_int).sizes_are(Sizes::ByElements),
        op!("aten::flip(Tensor self, int[] dims) -> Tensor", flip).quantized(Quantized::Integers).out("out", crate::out::exact),
        op!("aten::fliplr(Tensor self) -> Tensor", fliplr),
        op!("aten::flipud(Tensor self) -> Tensor", flipud),
        op!("aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor", roll).out("out", crate::out::exact),
        op!("aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor", rot90).out("out", crate::out::exact),
    ];
}

fn repeat(t: &Tensor, repeats: Ints) -> Result<Tensor> {
    if repeats.len() < t.rank() {
        return Err(Fault::runtime(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
        ));
    }
    let mut sizes: Dims = smallvec::smallvec![1; repeats.len() - t.rank()];
    sizes.extend_from_slice(t.sizes());
    let wanted = sizes.iter().zip(&repeats);
    let wanted: Ints = wanted
        .map(|(n, r)| r.saturating_mul(i64::try_from(*n).unwrap_or(i64::MAX)))
        .collect();
    super::checked_sizes(&wanted)?;
    let repeats: Dims = repeats
        .iter()
        .map(|r| usize::try_from(*r).unwrap_or(0))
        .collect();
    let target: Dims = sizes
        .iter()
        .zip(&repeats)
        .map(|(n, r)| n.saturating_mul(*r))
        .collect();
    let numel = layout::checked_numel(&target)?;
    memory::check(numel, t.dtype().size())?;
    if numel == 0 && !t.dtype().is_quantized() {
        // Nothing to look up, however often.
        return Tensor::zeros(&target, t.dtype());
    }
    for size in &target {
        memory::check(*size, size_of::<usize>())?;
    }
    let tables = sizes
        .iter()
        .zip(&repeats)
        .map(|(n, r)| (0..*r).flat_map(|_| 0..*n).collected())
        .collect();
    look_up(&t.reshape_to(&sizes)?, &tables)
}

fn tile(t: &Tensor, repeats: Ints) -> Result<Tensor> {
    let missing = t.rank().saturating_sub(repeats.len());
    let mut all: Ints = smallvec::smallvec![1; missing];
    all.extend_from_slice(&repeats);
    repeat(t, all)
}

/// How often each index repeats, as the indices themselves; all counts are checked first.
fn expanded(counts: &[i64], output_size: Option<i64>) -> Result<Vec<usize>> {
    if counts.iter().any(|c| *c < 0) {
        return Err(Fault::runtime("repeats can not be negative"));
    }
    let total = counts
        .iter()
        .try_fold(0i64, |sum, c| sum.checked_add(*c))
        .filter(|total| *total < 1 << 34)
        .ok_or_else(|| Fault::runtime("repeat_interleave: the result is too large"))?;
    if output_size.is_some_and(|size| size != total) {
        return Err(Fault::runtime(
            "allocated size does not match required size",
        ));
    }
    let mut out = memory::with_capacity(total as usize);
    for (i, count) in counts.iter().enumerate() {
        out.extend(std::iter::repeat_n(i, *count as usize));
    }
    Ok(out)
}

fn check_counts(repeats: &Tensor) -> Result<()> {
    if !repeats.dtype().is_integral(false) {
        return Err(Fault::no_kernel("repeat_interleave_cpu", repeats.dtype()));
    }
    Ok(())
}

fn repeated_indices(repeats: &Tensor, output_size: Option<i64>) -> Result<Tensor> {
    if repeats.rank() != 1 {
        return Err(Fault::runtime(
            "repeat_interleave only accept 1D vector as repeat",
        ));
    }
    check_counts(repeats)?;
    let indices = expanded(&repeats.to_vec::<i64>(), output_size)?;
    let values: Vec<i64> = indices.iter().map(|i| *i as i64).collected();
    let count = values.len();
    Ok(Tensor::from_vec(values, &[count])?.to_dtype(repeats.dtype()))
}

fn repeat_interleave(
    t: &Tensor,
    repeats: &Tensor,
    dim: Option<i64>,
    output_size: Option<i64>,
) -> Result<Tensor> {
    let (t, dim) = along(t, dim)?;
    let mut counts = repeats.to_vec::<i64>();
    if repeats.rank() == 0 || (repeats.rank() == 1 && counts.len() == 1) {
        counts = memory::filled(t.size(dim), counts[0]);
    } else if repeats.rank() != 1 {
        return Err(Fault::runtime("repeats must be 0-dim or 1-dim tensor"));
    } else if counts.len() != t.size(dim) {
        return Err(Fault::runtime(format!(
            "repeats must have the same size as input along dim, but got repeats.size(0) = {} and input.size({dim}) = {}",
            counts.len(),
            t.size(dim)
        )));
    }
    check_counts(repeats)?;
    interleave(&t, dim, expanded(&counts, output_size)?)
}

fn repeat_interleave_int(
    t: &Tensor,
    repeats: i64,
    dim: Option<i64>,
    output_size: Option<i64>,
) -> Result<Tensor> {
    let (t, dim) = along(t, dim)?;
    let counts = memory::filled(t.size(dim), repeats);
    if repeats < 0 {
        return Err(Fault::runtime("Repeats must be non-negative"));
    }
    interleave(&t, dim, expanded(&counts, output_size)?)
}

pub(crate) fn flip(t: &Tensor, dims: Ints) -> Result<Tensor> {
    let dims = unique_dims(&dims, t.rank())?;
    let order = order_in_memory(t);
    let dense = t.permute(&order)?;
    let mut tables = identity(&dense);
    for (table, dim) in tables.iter_mut().zip(&order) {
        if dims.contains(&(*dim as usize)) {
            table.reverse();
        }
    }
    in_own_order(&look_up(&dense, &tables)?, &order)
}

/// The dimensions of a tensor from the one with the longest steps to the one with the shortest, for results that lie as
/// their argument does. Of tensors that have an element more than once it is the order that they have.
pub(crate) fn order_in_memory(t: &Tensor) -> Ints {
    let mut order: Ints = (0..t.rank() as i64).collect();
    let steps = t.strides();
    if !t.is_contiguous() && !steps.contains(&0) {
        rushlight_tensor::order::sort_by_key(&mut order, |d| std::cmp::Reverse(steps[*d as usize]));
    }
    order
}

/// A tensor whose dimensions are another's in such an order, with the other's own order.
pub(crate) fn in_own_order(t: &Tensor, order: &Ints) -> Result<Tensor> {
    let mut back: Ints = order.clone();
    for (place, dim) in order.iter().enumerate() {
        back[*dim as usize] = place as i64;
    }
    t.permute(&back)
}

fn fliplr(t: &Tensor) -> Result<Tensor> {
    if t.rank() < 2 {
        return Err(Fault::runtime("Input must be >= 2-d."));
    }
    flip(t, smallvec::smallvec![1])
}

fn flipud(t: &Tensor) -> Result<Tensor> {
    if t.rank() < 1 {
        return Err(Fault::runtime("Input must be >= 1-d."));
    }
    flip(t, smallvec::smallvec![0])
}

fn roll(t: &Tensor, shifts: Ints, dims: Ints) -> Result<Tensor> {
    if dims.is_empty() && shifts.len() == 1 {
        let flat = t.reshape_to(&[t.numel()])?;
        return roll(&flat, shifts, smallvec::smallvec![0])?.reshape_to(t.sizes());
    }
    if shifts.is_empty() {
        return Err(Fault::runtime("`shifts` required"));
    }
    if shifts.len() != dims.len() {
        return Err(Fault::runtime(format!(
            "shifts and dimensions must align. shifts: {}, dims:{}",
            shifts.len(),
            dims.len()
        )));
    }
    if t.rank() == 0 {
        return Err(rushlight_tensor::view::no_dimensions(dims[0]));
    }
    if t.numel() == 0 {
        return Ok(t.contiguous_copy());
    }
    let mut out = t.contiguous();
    for (shift, dim) in shifts.iter().zip(&dims) {
        let dim = wrap_dim(*dim, t.rank())?;
        let n = t.size(dim);
        if n > 0 {
            out = rolled(&out, dim, shift.rem_euclid(n as i64) as usize)?;
        }
    }
    if out.is(t) {
        out = t.contiguous_copy();
    }
    out.contiguous_in(t.layout().suggested_format())
}

/// The tensor with so many slices moved from the end of a dimension to its beginning.
fn rolled(t: &Tensor, dim: usize, shift: usize) -> Result<Tensor> {
    let out = Tensor::empty(t.sizes(), t.dtype())?;
    let rest = t.size(dim) - shift;
    for (to, from, length) in [(0, rest, shift), (shift, 0, rest)] {
        let part = t.narrow(dim, from, length)?;
        out.narrow(dim, to, length)?.copy_from(&part)?;
    }
    Ok(out)
}

fn rot90(t: &Tensor, k: i64, dims: Ints) -> Result<Tensor> {
    if dims.len() != 2 {
        return Err(Fault::runtime(format!(
            "expected total rotation dims == 2, but got dims = {}",
            dims.len()
        )));
    }
    if t.rank() < 2 {
        return Err(Fault::runtime(format!(
            "expected total dims >= 2, but got total dims = {}",
            t.rank()
        )));
    }
    if dims[0] == dims[1] || dims[0].abs_diff(dims[1]) == t.rank() as u64 {
        return Err(Fault::runtime(format!(
            "expected rotation dims to be different, but got dim0 = {} and dim1 = {}",
            dims[0], dims[1]
        )));
    }
    for dim in &dims {
        wrap_dim(*dim, t.rank())?;
    }
    let one = |d: i64| smallvec::smallvec![d];
    match k.rem_euclid(4) {
        0 => Ok(t.deep_copy()),
        1 => flip(t, one(dims[1]))?.transpose(dims[0], dims[1]),
        2 => flip(t, dims),
        _ => flip(t, one(dims[0]))?.transpose(dims[0], dims[1]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_read_through_their_strides() -> Result<()> {
        let t = Tensor::from_slice(&[1i64, 2, 3, 4, 5, 6], &[2, 3])?.transpose(0, 1)?;
        let flipped = flip(&t, smallvec::smallvec![0])?;
        assert_eq!(flipped.to_vec::<i64>(), [3, 6, 2, 5, 1, 4]);
        Ok(())
    }

    #[test]
    fn shifts_wrap_around() -> Result<()> {
        let t = Tensor::from_slice(&[1i64, 2, 3, 4], &[4])?;
        let rolled = roll(&t, smallvec::smallvec![-5], smallvec::smallvec![0])?;
        assert_eq!(rolled.to_vec::<i64>(), [2, 3, 4, 1]);
        Ok(())
    }

    #[test]
    fn huge_repeats_are_refused() -> Result<()> {
        let t = Tensor::from_slice(&[1i64, 2], &[2])?;
        assert!(repeat(&t, smallvec::smallvec![i64::MAX, i64::MAX]).is_err());
        assert!(repeat_interleave_int(&t, i64::MAX, None, None).is_err());
        Ok(())
    }
}
