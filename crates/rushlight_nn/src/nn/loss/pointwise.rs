//! Losses of element against element: squared, absolute, Huber, cross entropy of probabilities and of logits,
//! divergence, Poisson, soft margin.

use super::{Reduction, common_sizes, need_float, values};
use rushlight_kernels::compute::{LANES, lane_total, promoted};
use rushlight_ops::Steps;
use rushlight_tensor::iter::laid_out;
use rushlight_tensor::lanes::{Vectorised, vectorised};
use rushlight_tensor::promote::check_cast;
use rushlight_tensor::{DType, Dims, Fault, Result, Scalar, Tensor};
use rushlight_types::{Context, OutDtype, op, operators};

operators! {
    /// Elementwise losses.
    pub static ROWS = [
        op!("aten::mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", mse_loss).out("out", rushlight_ops::out::cast),
        op!("aten::l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", l1_loss),
        op!("aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.) -> Tensor", smooth_l1_loss).out("out", rushlight_ops::out::cast),
        op!("aten::huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor", huber_loss).out("out", rushlight_ops::out::cast),
        op!("aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor", binary_cross_entropy).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Same("Found dtype {out} but expected {result}")),
        op!("aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=1) -> Tensor", binary_cross_entropy_with_logits).out("out", rushlight_ops::out::exact),
        op!("aten::kl_div(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> Tensor", kl_div),
        op!("aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor", poisson_nll_loss),
        op!("aten::soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", soft_margin_loss).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Same("Found dtype {out} but expected {result}")),
    ];
}

/// Broadcasts, applies `f` to each pair, reduces.
fn pairs(
    a: &Tensor,
    b: &Tensor,
    dtype: DType,
    reduction: i64,
    f: impl Fn(f64, f64) -> f64,
) -> Result<Tensor> {
    let sizes = common_sizes(a, b)?;
    let is_plain = |t: &Tensor| t.dtype() == DType::F32 && t.sizes() == &sizes[..];
    let of_all = Reduction::from_code(reduction);
    if is_plain(a) && is_plain(b) && !matches!(of_all, Reduction::None) {
        let (x, y) = (a.data::<f32>(), b.data::<f32>());
        let sum = vectorised(Sum {
            x: &x,
            y: &y,
            each: f,
        });
        return of_all.of_sum(sum, x.len(), dtype);
    }
    one_by_one(a, b, dtype, reduction, &f)
}

/// [`pairs`] for tensors of any kind.
fn one_by_one(
    a: &Tensor,
    b: &Tensor,
    dtype: DType,
    reduction: i64,
    f: &dyn Fn(f64, f64) -> f64,
) -> Result<Tensor> {
    let sizes = common_sizes(a, b)?;
    let (x, y) = (values(a, &sizes)?, values(b, &sizes)?);
    let losses = x.iter().zip(&y).map(|(x, y)| f(*x, *y)).collect();
    let losses = Reduction::from_code(reduction).apply(losses, &sizes, dtype)?;
    laid_out(losses, &[a.into(), b.into()])
}

/// The sum of what a function makes of pairs.
struct Sum<'a, F> {
    x: &'a [f32],
    y: &'a [f32],
    each: F,
}

impl<F: Fn(f64, f64) -> f64> Vectorised for Sum<'_, F> {
    type Output = f64;
    #[inline(always)]
    fn run(self) -> f64 {
        // Sums that do not wait for each other.
        let mut sums = [0.0; LANES];
        let (xs, ys) = (self.x.chunks_exact(LANES), self.y.chunks_exact(LANES));
        let rest = xs.remainder().iter().zip(ys.remainder());
        for (x, y) in xs.zip(ys) {
            for (sum, (x, y)) in sums.iter_mut().zip(x.iter().zip(y)) {
                *sum += (self.each)(f64::from(*x), f64::from(*y));
            }
        }
        for (sum, (x, y)) in sums.iter_mut().zip(rest) {
            *sum += (self.each)(f64::from(*x), f64::from(*y));
        }
        lane_total(&sums)
    }
}

fn mse_loss(a: &Tensor, b: &Tensor, reduction: i64) -> Result<Tensor> {
    Reduction::check(reduction, "mse_loss")?;
    let dtype = promoted(a, b);
    need_float("mse_cpu", dtype)?;
    if matches!(dtype, DType::F16 | DType::BF16) {
        // The difference is rounded before it is squared.
        return one_by_one(a, b, dtype, reduction, &|x, y| {
            let gap = rounded(x - y, dtype);
            rounded(gap * gap, dtype)
        });
    }
    pairs(a, b, dtype, reduction, |x, y| (x - y) * (x - y))
}

/// A value as a 16-bit float would hold it; other dtypes keep it.
fn rounded(value: f64, dtype: DType) -> f64 {
    match dtype {
        DType::F16 => rushlight_tensor::f16::from_f64(value).to_f64(),
        DType::BF16 => rushlight_tensor::bf16::from_f64(value).to_f64(),
        _ => value,
    }
}

fn l1_loss(cx: &Context, a: &Tensor, b: &Tensor, reduction: i64) -> Result<Tensor> {
    let s = Steps(cx);
    Reduction::from_code(reduction).of_steps(s.abs(&s.sub(a, b)?)?)
}

fn smooth_l1_loss(a: &Tensor, b: &Tensor, reduction: i64, beta: f64) -> Result<Tensor> {
    Reduction::check(reduction, "smooth_l1_loss")?;
    if beta.is_nan() || beta < 0.0 {
        return Err(Fault::runtime(
            "smooth_l1_loss does not support negative values for beta.",
        ));
    }
    let dtype = promoted(a, b);
    need_float("smooth_l1_cpu", dtype)?;
    pairs(a, b, dtype, reduction, |x, y| {
        let z = (x - y).abs();
        if z < beta {
            0.5 * z * z / beta
        } else {
            z - 0.5 * beta
        }
    })
}

fn huber_loss(a: &Tensor, b: &Tensor, reduction: i64, delta: f64) -> Result<Tensor> {
    if delta.is_nan() || delta <= 0.0 {
        return Err(Fault::runtime(
            "huber_loss does not support non-positive values for delta.",
        ));
    }
    // The result is of the first dtype, where it can hold what both make.
    let dtype = a.dtype();
    check_cast(promoted(a, b), dtype)?;
    need_float("huber_cpu", dtype)?;
    pairs(a, b, dtype, reduction, |x, y| {
        let z = (x - y).abs();
        if z <= delta {
            0.5 * z * z
        } else {
            delta * (z - 0.5 * delta)
        }
    })
}

/// A tensor without its dimensions of one element.
fn squeezed(t: &Tensor) -> Result<Tensor> {
    let sizes: Dims = t.sizes().iter().copied().filter(|n| *n != 1).collect();
    t.reshape_to(&sizes)
}

/// Multiplies each loss by a broadcast weight.
fn weighted(mut losses: Vec<f64>, weight: Option<&Tensor>, sizes: &[usize]) -> Result<Vec<f64>> {
    if let Some(weight) = weight {
        for (loss, w) in losses.iter_mut().zip(values(weight, sizes)?) {
            *loss *= w;
        }
    }
    Ok(losses)
}

fn binary_cross_entropy(
    a: &Tensor,
    b: &Tensor,
    weight: Option<&Tensor>,
    reduction: i64,
) -> Result<Tensor> {
    if a.dtype() != b.dtype() {
        return Err(Fault::runtime(format!(
            "Found dtype {} but expected {}",
            b.dtype().class_name(),
            a.dtype().class_name()
        )));
    }
    need_float("binary_cross_entropy", a.dtype())?;
    // Dimensions of one element do not count; the losses have the sizes of the input.
    let (p, q) = (squeezed(a)?, squeezed(b)?);
    let common = common_sizes(&p, &q)?;
    let (x, y) = (values(&p, &common)?, values(&q, &common)?);
    let sizes = match x.len() == a.numel() {
        true => Dims::from_slice(a.sizes()),
        false => common,
    };
    let is_wrong = |v: &f64| !(0.0..=1.0).contains(v);
    if let Some((x, _)) = x.iter().zip(&y).find(|(x, y)| is_wrong(x) || is_wrong(y)) {
        let which = if is_wrong(x) { "input" } else { "target" };
        return Err(Fault::runtime(format!(
            "all elements of {which} should be between 0 and 1"
        )));
    }
    let losses = x
        .iter()
        .zip(&y)
        .map(|(x, y)| (y - 1.0) * (-x).ln_1p().max(-100.0) - y * x.ln().max(-100.0))
        .collect();
    let losses = weighted(losses, weight, &sizes)?;
    let losses = Reduction::from_code(reduction).apply(losses, &sizes, a.dtype())?;
    match a.sizes() == b.sizes() {
        true => laid_out(losses, &[a.into(), b.into()]),
        false => Ok(losses),
    }
}

fn binary_cross_entropy_with_logits(
    cx: &Context,
    a: &Tensor,
    b: &Tensor,
    weight: Option<&Tensor>,
    pos_weight: Option<&Tensor>,
    reduction: i64,
) -> Result<Tensor> {
    let s = Steps(cx);
    let log_sigmoid = s.log_sigmoid(a)?;
    let losses = s.mul_(&s.sub(Scalar::Int(1), b)?, a)?;
    let positive = match pos_weight {
        Some(p) => {
            let factor = s.add_(&s.mul(&s.sub(p, Scalar::Int(1))?, b)?, Scalar::Int(1))?;
            s.mul(&factor, &log_sigmoid)?
        }
        None => log_sigmoid,
    };
    let mut losses = s.sub_(&losses, &positive)?;
    if let Some(weight) = weight {
        losses = s.mul_(&losses, weight)?;
    }
    Reduction::from_code(reduction).of_steps(losses)
}

fn kl_div(
    cx: &Context,
    a: &Tensor,
    b: &Tensor,
    reduction: i64,
    log_target: bool,
) -> Result<Tensor> {
    let dtype = promoted(a, b);
    if dtype.is_complex() {
        return Err(Fault::runtime("kl_div: Complex inputs not supported."));
    }
    if [a, b].iter().any(|t| t.dtype().is_integral(true)) {
        return Err(Fault::runtime("kl_div: Integral inputs not supported."));
    }
    let s = Steps(cx);
    let losses = match log_target {
        true => s.mul(&s.exp(b)?, &s.sub(b, a)?)?,
        false => s.sub(&s.xlogy(b, b)?, &s.mul(b, a)?)?,
    };
    Reduction::from_code(reduction).of_steps(losses)
}

fn poisson_nll_loss(
    cx: &Context,
    a: &Tensor,
    b: &Tensor,
    log_input: bool,
    full: bool,
    eps: f64,
    reduction: i64,
) -> Result<Tensor> {
    let s = Steps(cx);
    let losses = match log_input {
        true => s.sub(&s.exp(a)?, &s.mul(b, a)?)?,
        false => {
            let log = s.log(&s.add(a, Scalar::Float(eps))?)?;
            s.sub(a, &s.mul(b, &log)?)?
        }
    };
    if full {
        let two_pi = Scalar::Float(2.0 * std::f64::consts::PI);
        let logs = s.sub(&s.mul(b, &s.log(b)?)?, b)?;
        let half = s.mul(&s.log(&s.mul(b, two_pi)?)?, Scalar::Float(0.5))?;
        let stirling = s.add(&logs, &half)?;
        let none = Tensor::scalar(Scalar::Int(0), stirling.dtype());
        let few = s.choose(&s.le(b, Scalar::Int(1))?, &none, &stirling)?;
        s.add_(&losses, &few)?;
    }
    Reduction::from_code(reduction).of_steps(losses)
}

fn soft_margin_loss(cx: &Context, a: &Tensor, b: &Tensor, reduction: i64) -> Result<Tensor> {
    let s = Steps(cx);
    let product = s.mul_(&s.neg(a)?, b)?;
    let grown = s.exp(&product)?;
    check_cast(grown.dtype(), product.dtype())?;
    Reduction::of_kernel(reduction).of_steps(s.log1p(&grown.to_dtype(product.dtype()))?)
}
