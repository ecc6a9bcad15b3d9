//! Counting numbers in bins.

use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Buffer, DType, Dims, Result, Tensor, bf16, f16, watch};

/// The bin of a value among equal bins, or `None` outside the range. Every step rounds as the dtype does.
pub fn equal_bin(
    x: f64,
    (low, high): (f64, f64),
    bins: usize,
    round: fn(f64) -> f64,
) -> Option<usize> {
    let place = || round(round(round(x - low) * bins as f64) / round(high - low));
    let inside = x >= low && x <= high;
    inside.then(|| (place() as usize).min(bins - 1))
}

/// Rounding to a dtype.
pub fn rounding(dtype: DType) -> fn(f64) -> f64 {
    match dtype {
        DType::F64 => |x| x,
        DType::F16 => |x| f16::from_f64(x).to_f64(),
        DType::BF16 => |x| bf16::from_f64(x).to_f64(),
        _ => |x| x as f32 as f64,
    }
}

/// Counts points in the bins between the edges of every coordinate.
pub fn count_in_bins(
    points: &Tensor,
    edges: &[Tensor],
    weight: Option<&Tensor>,
    density: bool,
) -> Result<Tensor> {
    let width = edges.len();
    let edges: Vec<Vec<f64>> = edges.iter().map(|e| e.to_vec()).collected();
    let sizes: Dims = edges.iter().map(|e| e.len().saturating_sub(1)).collect();
    let strides = rushlight_tensor::layout::contiguous_strides(&sizes);
    let total = rushlight_tensor::layout::checked_numel(&sizes)?;
    let mut counts = Buffer::<f64>::zeroed(total);
    let weights = weight.map(Tensor::to_vec::<f64>);
    let data = points.to_vec::<f64>();
    for (i, point) in data.chunks_exact(width.max(1)).enumerate() {
        watch::poll();
        let bins = point
            .iter()
            .zip(&edges)
            .map(|(&x, edges)| bin_between(x, edges));
        let place = bins
            .zip(&strides)
            .map(|(bin, stride)| bin.map(|b| b * stride))
            .sum::<Option<usize>>();
        if let Some(place) = place {
            counts[place] += weights
                .as_ref()
                .map_or(1.0, |w| w.get(i).copied().unwrap_or(0.0));
        }
    }
    if density {
        to_density(&mut counts, &edges, &sizes);
    }
    Ok(counts.into_tensor(&sizes).to_dtype(points.dtype()))
}

/// The bin whose edges enclose a value; the last one is closed.
fn bin_between(x: f64, edges: &[f64]) -> Option<usize> {
    let (first, last) = (edges.first()?, edges.last()?);
    if !(x >= *first && x <= *last) || edges.len() < 2 {
        return None;
    }
    let above = edges.partition_point(|&edge| edge <= x);
    Some((above - 1).min(edges.len() - 2))
}

/// Divides counts by their sum and by the volumes of their bins.
fn to_density(counts: &mut [f64], edges: &[Vec<f64>], sizes: &[usize]) {
    let total: f64 = counts.iter().sum();
    for (i, count) in counts.iter_mut().enumerate() {
        let mut rest = i;
        let mut volume = total;
        for (edges, &size) in edges.iter().zip(sizes).rev() {
            let bin = rest % size;
            rest /= size;
            volume *= edges[bin + 1] - edges[bin];
        }
        *count /= volume;
    }
}
