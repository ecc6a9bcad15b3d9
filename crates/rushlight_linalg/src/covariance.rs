//! Covariance and correlation of variables (rows) over observations (columns).

use crate::dense::matrix::Mat;
use rushlight_kernels::linalg::dense::field::Field;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::promote::promote_types;
use rushlight_tensor::{Complex64, DType, Fault, Result, Tensor, watch};
use rushlight_types::{Context, op, operators};

operators! {
    /// Covariance.
    pub static ROWS = [
        op!("aten::cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor", cov),
        op!("aten::corrcoef(Tensor self) -> Tensor", corrcoef),
    ];
}

fn problem(text: String) -> Fault {
    Fault::runtime(format!("cov(): {text}"))
}

/// Checks weights of observations and returns them.
fn weights(name: &str, t: &Tensor, observations: usize) -> Result<Vec<f64>> {
    let integral = name == "fweights";
    if t.rank() > 1 {
        return Err(problem(format!(
            "expected {name} to have one or fewer dimensions but got {name} with {} dimensions",
            t.rank()
        )));
    }
    let kind = if integral {
        "integral"
    } else {
        "floating point"
    };
    if t.dtype().is_integral(false) != integral
        || t.dtype().is_complex()
        || t.dtype() == DType::Bool
    {
        return Err(problem(format!(
            "expected {name} to have {kind} dtype but got {name} with {} dtype",
            t.dtype().class_name()
        )));
    }
    if t.numel() != observations {
        return Err(problem(format!(
            "expected {name} to have the same numel as there are observations in the input but got {} != {observations}",
            t.numel()
        )));
    }
    let values = t.to_vec::<f64>();
    if values.iter().any(|&w| w.is_nan() || w < 0.0) {
        return Err(problem(format!("{name} cannot be negative")));
    }
    Ok(values)
}

fn no_bools(t: &Tensor) -> Result<()> {
    match t.dtype() {
        DType::Bool => Err(Fault::not_implemented(
            "cov(): bool dtype is not supported for input",
        )),
        _ => Ok(()),
    }
}

/// `cov`.
fn cov(
    cx: &Context,
    t: &Tensor,
    correction: i64,
    fweights: Option<&Tensor>,
    aweights: Option<&Tensor>,
) -> Result<Tensor> {
    if t.rank() > 2 {
        return Err(problem(format!(
            "expected input to have two or fewer dimensions but got an input with {} dimensions",
            t.rank()
        )));
    }
    no_bools(t)?;
    let (variables, observations) = match *t.sizes() {
        [rows, columns] => (rows, columns),
        [columns] => (1, columns),
        _ => (1, 1),
    };
    let frequencies = fweights
        .map(|w| weights("fweights", w, observations))
        .transpose()?;
    let importances = aweights
        .map(|w| weights("aweights", w, observations))
        .transpose()?;
    // The weight of each observation; none where all have the same.
    let weights: Option<Vec<f64>> = match (frequencies, &importances) {
        (Some(f), Some(a)) => Some(f.iter().zip(a).map(|(f, a)| f * a).collected()),
        (given, None) => given,
        (None, Some(a)) => Some(memory::copied(a)),
    };
    let total: f64 = match &weights {
        Some(weights) => added(weights.iter().copied()),
        None => observations as f64,
    };
    if weights.is_some() && observations > 0 && total == 0.0 {
        return Err(problem(
            "weights sum to zero, can't be normalized".to_string(),
        ));
    }
    let lost = match (&weights, &importances) {
        (Some(weights), Some(a)) if correction != 0 => {
            let squares: f64 = added(weights.iter().zip(a).map(|(w, a)| w * a));
            correction as f64 * squares / total
        }
        _ => correction as f64,
    };
    if total - lost <= 0.0 {
        let message = "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.";
        rushlight_types::warning::warn(cx, message, None)?;
    }
    let divisor = (total - lost).max(0.0);
    let weights = weights.as_deref();
    let out = if t.dtype().is_complex() {
        products(t.to_vec::<Complex64>(), variables, weights, total, divisor)?
    } else {
        products(t.to_vec::<f64>(), variables, weights, total, divisor)?
    };
    let dtype = match t.dtype() {
        d if d.is_integral(true) => cx.default_dtype(),
        d => d,
    };
    let dtype = aweights.map_or(dtype, |w| promote_types(dtype, w.dtype()));
    let sizes: &[usize] = if variables == 1 {
        &[]
    } else {
        &[variables, variables]
    };
    out.reshape_to(sizes).map(|out| out.to_dtype(dtype))
}

/// Weighted sums of the products of the distances of all pairs of rows from their means, divided by a number.
fn products<T: Field>(
    mut data: Vec<T>,
    rows: usize,
    weights: Option<&[f64]>,
    total: f64,
    divisor: f64,
) -> Result<Tensor> {
    let cols = data.len() / rows.max(1);
    for row in data.chunks_exact_mut(cols.max(1)) {
        watch::poll();
        let mean = match weights {
            Some(weights) => added(row.iter().zip(weights).map(|(v, w)| *v * *w)),
            None => added(row.iter().copied()),
        } / total;
        row.iter_mut().for_each(|v| *v -= mean);
    }
    let own = Mat::new(rows, cols, data);
    let other = match weights {
        Some(weights) => own.clone().scale_columns(weights),
        None => own.clone(),
    };
    let mut sums = Mat::zeros(rows, rows);
    sums.add_product((0, 0), own.whole(), other.map(T::conj).whole().transposed());
    let out: Vec<T> = sums
        .into_elements()
        .into_iter()
        .map(|v| v / divisor)
        .collected();
    Tensor::from_vec(out, &[rows, rows])
}

/// The sum of numbers, a few side by side; long ones can be stopped.
fn added<T: Field>(terms: impl Iterator<Item = T>) -> T {
    const LANES: usize = 16;
    let mut sums = [T::ZERO; LANES];
    for (k, term) in terms.enumerate() {
        if k.is_multiple_of(1 << 16) {
            watch::poll();
        }
        sums[k % LANES] += term;
    }
    sums.into_iter().fold(T::ZERO, |a, b| a + b)
}

/// `corrcoef`.
fn corrcoef(cx: &Context, t: &Tensor) -> Result<Tensor> {
    if t.rank() > 2 {
        return Err(Fault::runtime(format!(
            "corrcoef(): expected input to have two or fewer dimensions but got an input with {} dimensions",
            t.rank()
        )));
    }
    no_bools(t)?;
    let wide = match t.dtype() {
        d if d.is_complex() => DType::C128,
        _ => DType::F64,
    };
    let covariance = cov(cx, &t.to_dtype(wide), 1, None, None)?;
    let dtype = match t.dtype() {
        d if d.is_integral(true) => cx.default_dtype(),
        d => d,
    };
    let values = covariance.to_vec::<Complex64>();
    let n = if covariance.rank() == 0 {
        1
    } else {
        covariance.size(0)
    };
    let deviation = |i: usize| values[i * n + i].re.sqrt();
    let clip = |x: f64| if x.is_nan() { x } else { x.clamp(-1.0, 1.0) };
    let scaled = |(at, v): (usize, &Complex64)| {
        let v = v / deviation(at / n) / deviation(at % n);
        Complex64::new(clip(v.re), clip(v.im))
    };
    let out: Vec<Complex64> = values.iter().enumerate().map(scaled).collected();
    Ok(Tensor::from_vec(out, covariance.sizes())?.to_dtype(dtype))
}
