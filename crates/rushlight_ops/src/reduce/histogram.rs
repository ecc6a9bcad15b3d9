//! Counting by value: `bincount`, `histc`, `histogram`, `histogramdd`.

use super::extremes::aminmax;
use crate::create::random::shown;
use rushlight_kernels::reduce::histogram::{count_in_bins, equal_bin, rounding};
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{DType, Fault, Result, Scalar, Tensor};
use rushlight_types::{OutDtype, Sizes, op, operators};
use smallvec::SmallVec;

type Floats = SmallVec<[f64; 6]>;
type Ints = SmallVec<[i64; 6]>;

operators! {
    /// Histograms.
    pub static ROWS = [
        op!("aten::bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor", bincount).sizes_are(Sizes::ByElements).out("out", crate::out::exact),
        op!("aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor", histc).out("out", crate::out::cast).out_dtype(OutDtype::Same("torch.histogram: input tensor and hist tensor should have the same dtype, but got input {result:c} and hist {out:c}")),
        op!("aten::histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)", histogram).out("bins_tensor_out", crate::out::cast).out_dtype(OutDtype::Same("torch.histogram: input tensor and hist tensor should have the same dtype, but got input {result:c} and hist {out:c}|torch.histogram: input tensor and bin_edges tensor should have the same dtype, but got input {result:c} and bin_edges {out:c} for dimension 0")),
        op!("aten::histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)", histogram_count).out("bin_ct_out", crate::out::cast).out_dtype(OutDtype::Same("torch.histogram: input tensor and hist tensor should have the same dtype, but got input {result:c} and hist {out:c}|torch.histogram: input tensor and bin_edges tensor should have the same dtype, but got input {result:c} and bin_edges {out:c} for dimension 0")),
        op!("aten::histogramdd(Tensor self, int[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)", histogramdd),
        op!("aten::histogramdd.int_bins(Tensor self, int bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)", histogramdd_same),
        op!("aten::histogramdd.TensorList_bins(Tensor self, Tensor[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)", histogramdd_edges),
        op!("aten::_histogramdd_bin_edges(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor[]", bin_edges_op),
        op_list_out!("aten::_histogramdd_bin_edges.out(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False, Tensor(a!)[] out) -> ()", bin_edges_op),
        op!("aten::_histogramdd_from_bin_cts(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor", from_counts).out("out", crate::out::cast),
        op!("aten::_histogramdd_from_bin_tensors(Tensor self, Tensor[] bins, *, Tensor? weight=None, bool density=False) -> Tensor", from_edges).out("out", crate::out::cast),
    ];
}

/// `bincount`.
fn bincount(input: &Tensor, weights: Option<&Tensor>, minlength: i64) -> Result<Tensor> {
    if !input.dtype().is_integral(false) || input.dtype().is_wide_unsigned() {
        return Err(Fault::no_kernel("bincount_cpu", input.dtype()));
    }
    if minlength < 0 {
        return Err(Fault::runtime("minlength should be >= 0"));
    }
    let values = input.to_vec::<i64>();
    let empty = input.rank() == 1 && values.is_empty();
    if !empty && (input.rank() != 1 || values.iter().any(|&v| v < 0)) {
        return Err(Fault::runtime(
            "bincount only supports 1-d non-negative integral inputs.",
        ));
    }
    let largest = values.iter().max().map_or(0, |&v| v as usize + 1);
    let count = largest.max(minlength as usize);
    // Of nothing, weights are not looked at.
    let Some(weights) = weights.filter(|_| !empty) else {
        let out = Tensor::zeros(&[count], DType::I64)?;
        let cells = out.cells::<i64>();
        for &v in &values {
            cells.set(v as usize, cells.get(v as usize) + 1);
        }
        drop(cells);
        return Ok(out);
    };
    if weights.sizes() != input.sizes() {
        return Err(Fault::runtime(
            "weights should be 1-d and have the same length as input",
        ));
    }
    let out = Tensor::zeros(&[count], DType::F64)?;
    let cells = out.cells::<f64>();
    for (&v, w) in values.iter().zip(weights.to_vec::<f64>()) {
        cells.set(v as usize, cells.get(v as usize) + w);
    }
    drop(cells);
    Ok(match weights.dtype() {
        DType::F32 => out.to_dtype(DType::F32),
        _ => out,
    })
}

/// The edges of equal bins, rounded to the dtype.
fn linspace(low: f64, high: f64, bins: usize, dtype: DType) -> Result<Tensor> {
    let step = (high - low) / bins as f64;
    let edge = |i: usize| match i <= bins / 2 {
        true => low + step * i as f64,
        false => high - step * (bins - i) as f64,
    };
    let count = bins.checked_add(1).ok_or_else(|| {
        Fault::runtime(format!(
            "Storage size calculation overflowed with sizes=[{bins}]"
        ))
    })?;
    Ok(Tensor::from_vec((0..count).map(edge).collected(), &[count])?.to_dtype(dtype))
}

fn check_bins(bins: i64, dimension: usize) -> Result<usize> {
    usize::try_from(bins)
        .ok()
        .filter(|&bins| bins > 0)
        .ok_or_else(|| {
            Fault::runtime(format!(
                "torch.histogram(): bins must be > 0, but got {bins} for dimension {dimension}"
            ))
        })
}

/// The range of the data, widened where it is a single point.
fn data_range(input: &Tensor) -> Result<(f64, f64)> {
    if input.numel() == 0 {
        return Ok((0.0, 1.0));
    }
    let (low, high) = aminmax(input, None, false)?;
    Ok((low.item()?.to_f64(), high.item()?.to_f64()))
}

fn widened((low, high): (f64, f64)) -> (f64, f64) {
    if low == high {
        (low - 1.0, high + 1.0)
    } else {
        (low, high)
    }
}

/// `histc`.
fn histc(input: &Tensor, bins: i64, min: Scalar, max: Scalar) -> Result<Tensor> {
    let by_data = min.to_f64() == max.to_f64() && input.numel() > 0;
    if input.dtype().is_complex() && by_data {
        return Err(Fault::type_error(format!(
            "aminmax not implemented for {}",
            input.dtype().class_name()
        )));
    }
    if input.dtype().is_complex() {
        return Err(Fault::no_kernel("histogram_cpu", input.dtype()));
    }
    if input.dtype() == DType::Bool {
        return Err(Fault::no_kernel("linspace_cpu", input.dtype()));
    }
    if input.dtype().is_integral(false) {
        return Err(Fault::no_kernel("histogram_cpu", input.dtype()));
    }
    let bins = check_bins(bins, 0)?;
    rushlight_tensor::memory::check(bins, size_of::<f64>())?;
    let mut range = (min.to_f64(), max.to_f64());
    if by_data {
        range = data_range(input)?;
    }
    // The edges are numbers of the dtype, as the elements are.
    let round = rounding(input.dtype());
    let range = widened((round(range.0), round(range.1)));
    if !range.0.is_finite() || !range.1.is_finite() {
        return Err(Fault::runtime(format!(
            "torch.histc: range of [{}, {}] is not finite",
            shown(range.0),
            shown(range.1)
        )));
    }
    if range.0 >= range.1 {
        return Err(Fault::runtime("torch.histc: max must be larger than min"));
    }
    let mut counts = memory::filled(bins, 0f64);
    for x in input.to_vec::<f64>() {
        if let Some(bin) = equal_bin(x, range, bins, round) {
            counts[bin] += 1.0;
        }
    }
    Ok(Tensor::from_vec(counts, &[bins])?.to_dtype(input.dtype()))
}

/// Refuses edges and weights that do not belong to points of these sizes, and points that nobody counts.
fn check_counting(input: &Tensor, bins: &[Tensor], weight: Option<&Tensor>) -> Result<()> {
    let fail = |message: String| Err(Fault::runtime(message));
    for (d, bins) in bins.iter().enumerate() {
        if bins.dtype() != input.dtype() {
            return fail(format!(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype {} and bins for dimension {d} with dtype {}",
                input.dtype().scalar_name(),
                bins.dtype().scalar_name()
            ));
        }
        if bins.rank() != 1 {
            return fail(format!(
                "torch.histogramdd: bins tensor should have one dimension, but got {} dimensions in the bins tensor for dimension {d}",
                bins.rank()
            ));
        }
        if bins.numel() == 0 {
            return fail(format!(
                "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor for dimension {d}"
            ));
        }
    }
    if let Some(weight) = weight {
        if weight.dtype() != input.dtype() {
            return fail(format!(
                "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but got input({}), and weight({})",
                input.dtype().scalar_name(),
                weight.dtype().scalar_name()
            ));
        }
        if weight.sizes() != &input.sizes()[..input.rank() - 1] {
            return fail(format!(
                "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding its innermost dimension, but got input with shape {} and weight with shape {}",
                list(input.sizes()),
                list(weight.sizes())
            ));
        }
    }
    for (d, bins) in bins.iter().enumerate() {
        check_bins(bins.numel() as i64 - 1, d)?;
    }
    if !input.dtype().is_float() {
        return Err(Fault::no_kernel("histogram_cpu", input.dtype()));
    }
    Ok(())
}

/// The counts of points between edges; `input` has the points' own sizes.
fn counted(
    input: &Tensor,
    points: &Tensor,
    bins: &[Tensor],
    weight: Option<&Tensor>,
    density: bool,
) -> Result<Tensor> {
    check_counting(input, bins, weight)?;
    count_in_bins(points, bins, weight, density)
}

/// The points as rows of coordinates.
fn points(input: &Tensor) -> Result<(Tensor, usize)> {
    if input.rank() < 2 {
        return Err(Fault::runtime(
            "torch.histogramdd: input tensor should have at least 2 dimensions",
        ));
    }
    let width = input.size(input.rank() - 1);
    let rows = input.sizes()[..input.rank() - 1].iter().product();
    Ok((input.reshape_to(&[rows, width])?, width))
}

fn fits(bins: usize, width: usize) -> Result<()> {
    if bins == width {
        return Ok(());
    }
    Err(Fault::runtime(
        "histogramdd: The size of bins must be equal to the innermost dimension of the input.",
    ))
}

/// The edges of equal bins for every coordinate.
fn bin_edges(points: &Tensor, bins: &[i64], range: Option<&[f64]>) -> Result<Vec<Tensor>> {
    let width = points.size(1);
    if range.is_some_and(|range| range.len() != 2 * width) {
        return Err(Fault::runtime(format!(
            "torch.histogramdd: for a {width}-dimensional histogram range should have {} elements, but got {}",
            2 * width,
            range.map_or(0, <[f64]>::len)
        )));
    }
    fits(bins.len(), width)?;
    let edges = |(d, &bins): (usize, &i64)| {
        let limits = match range {
            Some(range) => (range[2 * d], range[2 * d + 1]),
            None if points.numel() > 0 && !matches!(points.dtype(), DType::F32 | DType::F64) => {
                return Err(Fault::no_kernel("histogramdd", points.dtype()));
            }
            None => data_range(&points.narrow(1, d, 1)?)?,
        };
        if !limits.0.is_finite() || !limits.1.is_finite() {
            return Err(Fault::runtime(format!(
                "torch.histogramdd: dimension {d}'s range [{}, {}] is not finite",
                shown(limits.0),
                shown(limits.1)
            )));
        }
        if limits.0 > limits.1 {
            return Err(Fault::runtime(format!(
                "torch.histogramdd: min should not exceed max, but got min {} max {} for dimension {d}",
                limits.0, limits.1
            )));
        }
        let limits = if range.is_none() || limits.0 == limits.1 {
            match limits.0 == limits.1 {
                true => (limits.0 - 0.5, limits.1 + 0.5),
                false => limits,
            }
        } else {
            limits
        };
        match usize::try_from(bins) {
            Ok(bins) => linspace(limits.0, limits.1, bins, points.dtype()),
            Err(_) if bins == -1 => Tensor::zeros(&[0], points.dtype()),
            Err(_) => {
                let edges = bins.saturating_add(1);
                Err(Fault::negative_size(edges, &[edges]))
            }
        }
    };
    bins.iter().enumerate().map(edges).collect()
}

fn histogram(
    input: &Tensor,
    bins: &Tensor,
    weight: Option<&Tensor>,
    density: bool,
) -> Result<(Tensor, Tensor)> {
    let column = input.reshape_to(&[input.numel(), 1])?;
    let weight = weight.map(|w| w.reshape_to(&[w.numel()])).transpose()?;
    let edges = std::slice::from_ref(bins);
    let counts = counted(&column, &column, edges, weight.as_ref(), density)?;
    Ok((counts, bins.deep_copy()))
}

fn histogram_count(
    input: &Tensor,
    bins: i64,
    range: Option<Floats>,
    weight: Option<&Tensor>,
    density: bool,
) -> Result<(Tensor, Tensor)> {
    let column = input.reshape_to(&[input.numel(), 1])?;
    let weight = weight.map(|w| w.reshape_to(&[w.numel()])).transpose()?;
    check_bins(bins, 0)?;
    let edges = bin_edges(&column, &[bins], range.as_deref())?;
    let counts = counted(&column, &column, &edges, weight.as_ref(), density)?;
    Ok((counts, edges[0].clone()))
}

fn histogramdd(
    input: &Tensor,
    bins: Ints,
    range: Option<Floats>,
    weight: Option<&Tensor>,
    density: bool,
) -> Result<(Tensor, Vec<Tensor>)> {
    let (points, _) = points(input)?;
    let edges = bin_edges(&points, &bins, range.as_deref())?;
    let counts = counted(input, &points, &edges, weight, density)?;
    Ok((counts, edges))
}

fn histogramdd_same(
    input: &Tensor,
    bins: i64,
    range: Option<Floats>,
    weight: Option<&Tensor>,
    density: bool,
) -> Result<(Tensor, Vec<Tensor>)> {
    let width = input.sizes().last().copied().unwrap_or(0);
    histogramdd(
        input,
        SmallVec::from_vec(memory::filled(width, bins)),
        range,
        weight,
        density,
    )
}

fn histogramdd_edges(
    input: &Tensor,
    bins: Vec<Tensor>,
    _range: Option<Floats>,
    weight: Option<&Tensor>,
    density: bool,
) -> Result<(Tensor, Vec<Tensor>)> {
    let counts = from_edges(input, bins.clone(), weight, density)?;
    Ok((counts, bins))
}

fn bin_edges_op(
    input: &Tensor,
    bins: Ints,
    range: Option<Floats>,
    _weight: Option<&Tensor>,
    _density: bool,
) -> Result<Vec<Tensor>> {
    bin_edges(&points(input)?.0, &bins, range.as_deref())
}

fn from_counts(
    input: &Tensor,
    bins: Ints,
    range: Option<Floats>,
    weight: Option<&Tensor>,
    density: bool,
) -> Result<Tensor> {
    Ok(histogramdd(input, bins, range, weight, density)?.0)
}

fn from_edges(
    input: &Tensor,
    bins: Vec<Tensor>,
    weight: Option<&Tensor>,
    density: bool,
) -> Result<Tensor> {
    let (points, width) = points(input)?;
    fits(bins.len(), width)?;
    counted(input, &points, &bins, weight, density)
}
