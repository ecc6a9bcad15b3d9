//! Coin tosses.

use super::{Stream, fill_each, in_memory_order, memory_order, with_stream};
use rushlight_tensor::{Bool8, Buffer, DType, Fault, Result, Tensor};
use rushlight_types::{Context, Effect, op, operators};

operators! {
    /// Zeros and ones by probability.
    pub static ROWS = [
        op!("aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor", bernoulli).effect(Effect::Random).out("out", crate::out::cast),
        op!("aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor", bernoulli_p).effect(Effect::Random),
        op_out!("aten::bernoulli.float_out(Tensor self, float p=0.5, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)", bernoulli_p).effect(Effect::Random),
        op!("aten::bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor", bernoulli_tensor).effect(Effect::Random).out("Tensor_out", crate::out::cast),
        op!("aten::bernoulli_.Tensor(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor(a!)", bernoulli_tensor_in_place).effect(Effect::Random),
        op!("aten::bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)", bernoulli_in_place).effect(Effect::Random),
    ];
}

fn bernoulli(cx: &Context, p: &Tensor, stream: Stream<'_>) -> Result<Tensor> {
    let out = Tensor::empty(p.sizes(), p.dtype())?;
    bernoulli_tensor_in_place(cx, &out, p, stream)
}

fn bernoulli_p(cx: &Context, t: &Tensor, p: f64, stream: Stream<'_>) -> Result<Tensor> {
    bernoulli_in_place(cx, &Tensor::empty(t.sizes(), t.dtype())?, p, stream)
}

fn bernoulli_tensor(cx: &Context, t: &Tensor, p: &Tensor, stream: Stream<'_>) -> Result<Tensor> {
    bernoulli_tensor_in_place(cx, &Tensor::empty(t.sizes(), t.dtype())?, p, stream)
}

pub(super) fn bernoulli_in_place(
    cx: &Context,
    t: &Tensor,
    p: f64,
    stream: Stream<'_>,
) -> Result<Tensor> {
    if !(0.0..=1.0).contains(&p) {
        return Err(Fault::runtime(format!(
            "bernoulli_ expects p to be in [0, 1], but got p={}",
            super::shown(p)
        )));
    }
    if t.dtype().is_complex() {
        return Err(Fault::no_kernel("bernoulli_scalar_cpu_", t.dtype()));
    }
    fill_each(cx, stream, t, |g| Bool8::from(g.uniform_f64() < p))?;
    Ok(t.clone())
}

fn bernoulli_tensor_in_place(
    cx: &Context,
    t: &Tensor,
    p: &Tensor,
    stream: Stream<'_>,
) -> Result<Tensor> {
    if t.numel() == 0 {
        p.expand_to(t.sizes())?;
        return Ok(t.clone());
    }
    if t.dtype().is_complex() {
        return Err(Fault::no_kernel("bernoulli_tensor_cpu_self_", t.dtype()));
    }
    if !p.dtype().is_float() {
        return Err(Fault::no_kernel("bernoulli_tensor_cpu_p_", p.dtype()));
    }
    let target = in_memory_order(t)?;
    let p = p.expand_to(t.sizes())?.permute(&memory_order(t))?;
    let mut values = Buffer::<Bool8>::unspecified(t.numel());
    let wide = p.dtype() == DType::F64;
    let chances: Vec<f64> = p.to_vec();
    if chances.iter().any(|p| !(0.0..=1.0).contains(p)) {
        return Err(Fault::not_true("p_in >= 0 && p_in <= 1"));
    }
    with_stream(cx, stream, |g| {
        for (v, p) in values.iter_mut().zip(&chances) {
            *v = match wide {
                true => g.uniform_f64() < *p,
                false => g.uniform_f32() < *p as f32,
            }
            .into();
        }
    });
    target.copy_from(&values.into_tensor(target.sizes()))?;
    Ok(t.clone())
}
