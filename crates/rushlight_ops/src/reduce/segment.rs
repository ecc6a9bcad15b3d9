//! `segment_reduce`: reductions of neighbouring stretches of a dimension, given by lengths or offsets.

use super::dims::Lanes;
use rushlight_tensor::memory;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{DType, Dims, Fault, Result, Scalar, Tensor, watch};
use rushlight_types::{arguments, op, operators};

operators! {
    /// `segment_reduce`.
    pub static ROWS = [
        op!("aten::segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor", segment_reduce).out("out", crate::out::exact),
    ];
}

#[derive(Clone, Copy, PartialEq)]
enum Reduction {
    Sum,
    Mean,
    Max,
    Min,
    Prod,
}

impl Reduction {
    fn parse(name: &str) -> Result<Reduction> {
        Ok(match name {
            "sum" => Reduction::Sum,
            "mean" => Reduction::Mean,
            "max" | "amax" => Reduction::Max,
            "min" | "amin" => Reduction::Min,
            "prod" => Reduction::Prod,
            other => {
                return Err(Fault::runtime(format!(
                    "reduce argument must be either sum, prod, mean, amax or amin, got {other}"
                )));
            }
        })
    }

    fn start(self) -> f64 {
        match self {
            Reduction::Sum | Reduction::Mean => 0.0,
            Reduction::Max => f64::NEG_INFINITY,
            Reduction::Min => f64::INFINITY,
            Reduction::Prod => 1.0,
        }
    }

    fn join(self, a: f64, b: f64) -> f64 {
        match self {
            Reduction::Sum | Reduction::Mean => a + b,
            Reduction::Max if b.is_nan() || b > a => b,
            Reduction::Min if b.is_nan() || b < a => b,
            Reduction::Max | Reduction::Min => a,
            Reduction::Prod => a * b,
        }
    }

    fn of(self, values: impl ExactSizeIterator<Item = f64>, initial: Option<f64>) -> f64 {
        let count = values.len();
        let joined = values.fold(initial.unwrap_or(self.start()), |a, b| self.join(a, b));
        match (self, count, initial) {
            (Reduction::Mean, 0, None) => f64::NAN,
            (Reduction::Mean, 1.., _) => joined / count as f64,
            _ => joined,
        }
    }
}

/// Refuses lengths and offsets that the kernel does not read.
fn check_counts(name: &str, given: &Tensor) -> Result<()> {
    match given.dtype() {
        DType::I32 | DType::I64 => Ok(()),
        other => Err(Fault::no_kernel(
            &format!("_segment_reduce_{name}_cpu_kernel1"),
            other,
        )),
    }
}

fn problem(text: &str) -> Fault {
    Fault::runtime(format!("segment_reduce(): {text}"))
}

/// For every position before the axis, the bounds of its segments.
struct Bounds {
    rows: Vec<Vec<usize>>,
    segments: usize,
}

fn bounds_of_lengths(lengths: &Tensor, n: usize, unchecked: bool) -> Result<Bounds> {
    let segments = lengths.sizes().last().copied().unwrap_or(1);
    let values = lengths.to_vec::<i64>();
    let mut rows = Vec::new();
    for row in values.chunks(segments.max(1)) {
        watch::poll();
        let mut bounds = vec![0usize];
        for &length in row {
            let length = usize::try_from(length).map_err(|_| match unchecked {
                true => Fault::not_true("segment_length >= 0"),
                false => Fault::runtime("lengths contains negative value!"),
            })?;
            bounds.push(bounds[bounds.len() - 1].saturating_add(length));
        }
        let last = bounds[bounds.len() - 1];
        if last != n && !unchecked {
            return Err(problem(
                "Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe.",
            ));
        }
        // What nobody checks may end after the data, of which there is no more.
        bounds.iter_mut().for_each(|bound| *bound = n.min(*bound));
        rows.push(bounds);
    }
    check_counts("lengths", lengths)?;
    Ok(Bounds { rows, segments })
}

fn bounds_of_offsets(offsets: &Tensor, n: usize) -> Result<Bounds> {
    let width = offsets.sizes().last().copied().unwrap_or(1);
    let values = offsets.to_vec::<i64>();
    check_counts("offsets", offsets)?;
    let mut rows = Vec::new();
    for row in values.chunks(width.max(1)) {
        watch::poll();
        if !row.is_sorted() {
            return Err(Fault::not_true("segment_length >= 0"));
        }
        // Nobody checks where the data begin and end.
        let clamped = row.iter().map(|&v| v.clamp(0, n as i64) as usize);
        rows.push(clamped.collected());
    }
    Ok(Bounds {
        rows,
        segments: width.saturating_sub(1),
    })
}

arguments! {
    /// Where segments lie: by their lengths, or by where each begins and the last ends.
    struct Segments<'a> {
        lengths: Option<&'a Tensor>,
        _indices: Option<&'a Tensor>,
        offsets: Option<&'a Tensor>,
    }
}

fn segment_reduce(
    data: &Tensor,
    reduce: &str,
    segments: Segments<'_>,
    axis: i64,
    unchecked: bool,
    initial: Option<Scalar>,
) -> Result<Tensor> {
    let Segments {
        lengths, offsets, ..
    } = segments;
    let axis = wrap_dim(axis, data.rank())?;
    let reduction = Reduction::parse(reduce)?;
    let lanes = Lanes::of(data.sizes(), axis);
    let name = if offsets.is_some() {
        "offsets"
    } else {
        "lengths"
    };
    let Some(given) = offsets.or(lengths) else {
        return Err(problem("Either lengths or offsets must be defined."));
    };
    if given.rank() > data.rank() {
        return Err(Fault::not_true(&format!(
            "data.dim() >= {name}_value.dim()"
        )));
    }
    if given.rank() != axis + 1 {
        return Err(problem(&format!(
            "Expected axis to be the last dimension of {name} but got {axis}."
        )));
    }
    if given.sizes()[..axis] != data.sizes()[..axis] {
        return Err(problem(&format!(
            "Expected all dimensions of {name} before axis to match those of data."
        )));
    }
    let bounds = match offsets {
        Some(offsets) => bounds_of_offsets(offsets, lanes.n)?,
        None => bounds_of_lengths(given, lanes.n, unchecked)?,
    };
    if !data.dtype().is_float() {
        return Err(Fault::no_kernel("_segment_reduce_cpu", data.dtype()));
    }
    let values = data.to_vec::<f64>();
    let initial = initial.map(Scalar::to_f64);
    let mut out = memory::with_capacity(lanes.outer * bounds.segments * lanes.inner);
    for (o, row) in bounds.rows.iter().enumerate() {
        watch::poll();
        for pair in row.windows(2) {
            for i in 0..lanes.inner {
                let at = |k: usize| values[(o * lanes.n + k) * lanes.inner + i];
                out.push(reduction.of((pair[0]..pair[1]).map(at), initial));
            }
        }
    }
    let mut sizes = Dims::from_slice(data.sizes());
    sizes[axis] = bounds.segments;
    Ok(Tensor::from_vec(out, &sizes)?.to_dtype(data.dtype()))
}
