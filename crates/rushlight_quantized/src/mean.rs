//! Means of quantized tensors, in their own scale.
//!
//! Over the dimensions that are innermost in memory stored integers are averaged, over others the numbers in float32. Means of
//! few elements often lie half a step between two integers, and then the last bit of a sum decides: so the numbers are
//! added in the reference's order.

use super::{of_integers_like, quantizer, scale_of};
use rushlight_tensor::memory::Collected;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{DType, Result, Tensor};

/// Columns that the reference adds side by side, row after row; the others it adds four rows at a time.
const SIDE_BY_SIDE: usize = 32;

/// Levels of partial sums.
const LEVELS: usize = 4;

/// The mean of a quantized tensor, by the mean of plain ones.
pub fn mean(
    x: &Tensor,
    dims: Option<&[i64]>,
    plain: impl Fn(&Tensor) -> Result<Tensor>,
) -> Result<Tensor> {
    let quantizer = quantizer("aten::mean.dim", x)?;
    let (scale, zero_point) = scale_of("aten::mean.dim", x)?;
    let reduced = wrapped(dims.unwrap_or(&[]), x.rank())?;
    if !x.is_contiguous() || !is_innermost(&reduced, x.rank()) {
        let numbers = x.dequantized();
        let out = plain(&numbers)?;
        let out = match of_rows(&numbers, &reduced)? {
            Some(means) => means.reshape_to(out.sizes())?,
            None => out,
        };
        return quantizer.quantize(&out, x.dtype());
    }
    let out = plain(&x.stored().to_dtype(DType::F64))?;
    let means: Vec<f64> = out.to_vec();
    let rounded = means.into_iter().map(|v| v.round_ties_even() as i64);
    of_integers_like(
        &rounded.collected(),
        out.sizes(),
        (scale, zero_point),
        x.dtype(),
    )
}

/// The dimensions counted from the front, in order.
fn wrapped(dims: &[i64], rank: usize) -> Result<Vec<usize>> {
    let wrapped = dims.iter().map(|d| wrap_dim(*d, rank));
    let mut wrapped = wrapped.collect::<Result<Vec<usize>>>()?;
    rushlight_tensor::order::sort(&mut wrapped);
    Ok(wrapped)
}

/// Whether dimensions are the last ones of a tensor, all of them when none is given.
fn is_innermost(dims: &[usize], rank: usize) -> bool {
    let first = rank.saturating_sub(dims.len());
    dims.is_empty() || dims.iter().copied().eq(first..rank)
}

/// The means of rows of columns, where the reduced dimensions lie beside each other in memory and others inside them;
/// the dimensions that are left are in order.
fn of_rows(x: &Tensor, reduced: &[usize]) -> Result<Option<Tensor>> {
    let mut order: Vec<usize> = (0..x.rank()).collected();
    rushlight_tensor::order::sort_by_key(&mut order, |&d| std::cmp::Reverse(x.strides()[d]));
    let Some(first) = order.iter().position(|d| reduced.contains(d)) else {
        return Ok(None);
    };
    let inside = first + reduced.len();
    let beside = order.get(first..inside);
    if !beside.is_some_and(|dims| dims.iter().all(|d| reduced.contains(d))) {
        return Ok(None);
    }
    let sizes: Vec<usize> = order.iter().map(|&d| x.size(d)).collected();
    let rows: usize = sizes[first..inside].iter().product();
    let columns: usize = sizes[inside..].iter().product();
    if rows == 0 || columns == 0 {
        return Ok(None);
    }
    let permuted = x.view_with(x.layout().permute(&order))?;
    let values: Vec<f32> = permuted.to_vec();
    let blocks = values.chunks(rows * columns);
    let means: Vec<f32> = blocks.flat_map(|block| means(block, columns)).collected();
    let (mut left, mut left_sizes) = (order, sizes);
    left.drain(first..inside);
    left_sizes.drain(first..inside);
    let out = Tensor::from_slice(&means, &left_sizes)?;
    // Back into the order of the dimensions' numbers.
    let mut back: Vec<usize> = (0..left.len()).collected();
    rushlight_tensor::order::sort_by_key(&mut back, |&i| left[i]);
    Ok(Some(out.view_with(out.layout().permute(&back))?))
}

/// The mean of each column.
fn means(block: &[f32], columns: usize) -> Vec<f32> {
    let rows = block.len() / columns;
    let side_by_side = columns - columns % SIDE_BY_SIDE;
    let value = |row: usize, column: usize| block[row * columns + column];
    let mean = |column: usize| {
        let sum = match column < side_by_side {
            true => added(rows, |row| value(row, column)),
            false => added_by_fours(rows, |row| value(row, column)),
        };
        sum / rows as f32
    };
    (0..columns).map(mean).collected()
}

/// The sum of values in order. Every sixteen, or more where there are very many, are added up before they join the rest.
fn added(count: usize, value: impl Fn(usize) -> f32) -> f32 {
    let bits = count.next_power_of_two().trailing_zeros();
    let power = (bits / LEVELS as u32).max(4);
    let block = 1usize << power;
    let mut sums = [0f32; LEVELS];
    let mut next = 0;
    while next + block <= count {
        (next..next + block).for_each(|i| sums[0] += value(i));
        next += block;
        for level in 1..LEVELS {
            sums[level] += sums[level - 1];
            sums[level - 1] = 0.0;
            if next & ((block << (level as u32 * power)) - 1) != 0 {
                break;
            }
        }
    }
    (next..count).for_each(|i| sums[0] += value(i));
    sums.into_iter().reduce(|a, b| a + b).unwrap_or_default()
}

/// The sum of values, each fourth of them by itself.
fn added_by_fours(count: usize, value: impl Fn(usize) -> f32) -> f32 {
    let fours = count / 4;
    let mut sums = [0, 1, 2, 3].map(|k| added(fours, |i| value(4 * i + k)));
    (4 * fours..count).for_each(|i| sums[0] += value(i));
    sums.into_iter().reduce(|a, b| a + b).unwrap_or_default()
}
