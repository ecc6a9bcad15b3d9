//! Exponential, Cauchy and geometric numbers, by inversion of uniform f64 numbers.

use super::{Stream, empty_like, fill_each};
use rushlight_tensor::{Fault, Result, Tensor};
use rushlight_types::{Context, Effect, op, operators};

operators! {
    /// Distributions with a closed inverse.
    pub static ROWS = [
        op!("aten::exponential(Tensor self, float lambd=1., *, Generator? generator=None) -> Tensor", exponential).effect(Effect::Random).out("out", crate::out::exact),
        op!("aten::exponential_(Tensor(a!) self, float lambd=1., *, Generator? generator=None) -> Tensor(a!)", exponential_in_place).effect(Effect::Random),
        op!("aten::cauchy(Tensor self, float median=0., float sigma=1., *, Generator? generator=None) -> Tensor", cauchy).effect(Effect::Random).out("out", crate::out::exact),
        op!("aten::cauchy_(Tensor(a!) self, float median=0., float sigma=1., *, Generator? generator=None) -> Tensor(a!)", cauchy_in_place).effect(Effect::Random),
        op!("aten::geometric(Tensor self, float p, *, Generator? generator=None) -> Tensor", geometric).effect(Effect::Random).out("out", crate::out::exact),
        op!("aten::geometric_(Tensor(a!) self, float p, *, Generator? generator=None) -> Tensor(a!)", geometric_in_place).effect(Effect::Random),
    ];
}

fn exponential(cx: &Context, t: &Tensor, rate: f64, stream: Stream<'_>) -> Result<Tensor> {
    exponential_in_place(cx, &empty_like(t)?, rate, stream)
}

pub(super) fn exponential_in_place(
    cx: &Context,
    t: &Tensor,
    rate: f64,
    stream: Stream<'_>,
) -> Result<Tensor> {
    if !t.dtype().is_float() {
        return Err(Fault::runtime(format!(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you specified {}",
            t.dtype().class_name()
        )));
    }
    if rate <= 0.0 || rate.is_nan() {
        return Err(Fault::runtime(format!(
            "exponential_ expects lambda > 0.0, but found lambda={}",
            super::shown(rate)
        )));
    }
    fill_each(cx, stream, t, |g| -1.0 / rate * (-g.uniform_f64()).ln_1p())?;
    Ok(t.clone())
}

fn cauchy(cx: &Context, t: &Tensor, median: f64, sigma: f64, stream: Stream<'_>) -> Result<Tensor> {
    cauchy_in_place(cx, &empty_like(t)?, median, sigma, stream)
}

fn cauchy_in_place(
    cx: &Context,
    t: &Tensor,
    median: f64,
    sigma: f64,
    stream: Stream<'_>,
) -> Result<Tensor> {
    if !t.dtype().is_float() {
        return Err(Fault::runtime(format!(
            "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you specified {}",
            t.dtype().scalar_name()
        )));
    }
    if sigma <= 0.0 || sigma.is_nan() {
        return Err(Fault::runtime(format!(
            "cauchy_ expects sigma > 0.0, but found sigma={}",
            super::shown(sigma)
        )));
    }
    fill_each(cx, stream, t, |g| {
        let slope = (std::f64::consts::PI * (g.uniform_f64() - 0.5)).tan();
        sigma.mul_add(slope, median)
    })?;
    Ok(t.clone())
}

fn geometric(cx: &Context, t: &Tensor, p: f64, stream: Stream<'_>) -> Result<Tensor> {
    geometric_in_place(cx, &empty_like(t)?, p, stream)
}

fn geometric_in_place(cx: &Context, t: &Tensor, p: f64, stream: Stream<'_>) -> Result<Tensor> {
    if !(p > 0.0 && p < 1.0) {
        return Err(Fault::runtime(format!(
            "geometric_ expects p to be in (0, 1), but got p={}",
            super::shown(p)
        )));
    }
    if t.dtype().is_complex() || t.dtype() == rushlight_tensor::DType::Bool {
        return Err(Fault::no_kernel("geometric_cpu", t.dtype()));
    }
    fill_each(cx, stream, t, |g| {
        (g.uniform_f64().ln() / (-p).ln_1p()).ceil()
    })?;
    Ok(t.clone())
}
