//! Uniform numbers.

use super::{Stream, fill_each};
use crate::create::options::{LikeOptions, Options};
use crate::view::identity::view_as_real;
use crate::view::{Ints, checked_sizes};
use rushlight_tensor::{DType, Fault, Generator, Result, Tensor, bf16, f16};
use rushlight_types::{Context, Effect, Elements, op, operators};

operators! {
    /// `rand` and `uniform_`.
    pub static ROWS = [
        op!("aten::rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rand).effect(Effect::Random),
        op_out!("aten::rand.out(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)", rand).effect(Effect::Random),
        op!("aten::rand.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rand_generator).effect(Effect::Random),
        op_out!("aten::rand.generator_out(SymInt[] size, *, Generator? generator, Tensor(a!) out) -> Tensor(a!)", rand_generator).effect(Effect::Random),
        op!("aten::rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", rand_like).effect(Effect::Random).elements_are(Elements::Untouched).refused_as("aten::uniform_").detaches(),
        op_out!("aten::rand_like.out(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", rand_like).effect(Effect::Random),
        op!("aten::rand_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", rand_like_generator).effect(Effect::Random).elements_are(Elements::Untouched).detaches(),
        op_out!("aten::rand_like.generator_out(Tensor self, *, Generator? generator, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", rand_like_generator).effect(Effect::Random),
        op!("aten::uniform(Tensor self, float from=0., float to=1., *, Generator? generator=None) -> Tensor", uniform).effect(Effect::Random).out("out", crate::out::exact),
        op!("aten::uniform_(Tensor(a!) self, float from=0., float to=1., *, Generator? generator=None) -> Tensor(a!)", uniform_in_place).effect(Effect::Random),
    ];
}

fn rand(cx: &Context, sizes: Ints, options: Options) -> Result<Tensor> {
    rand_generator(cx, sizes, None, options)
}

fn rand_generator(
    cx: &Context,
    sizes: Ints,
    stream: Stream<'_>,
    options: Options,
) -> Result<Tensor> {
    let out = Tensor::empty(&checked_sizes(&sizes)?, options.dtype_or_default(cx))?;
    fill_uniform(cx, stream, &out, 0.0, 1.0)?;
    Ok(out)
}

fn rand_like(cx: &Context, t: &Tensor, options: LikeOptions) -> Result<Tensor> {
    rand_like_generator(cx, t, None, options)
}

fn rand_like_generator(
    cx: &Context,
    t: &Tensor,
    stream: Stream<'_>,
    options: LikeOptions,
) -> Result<Tensor> {
    let out = options.empty(t)?;
    fill_uniform(cx, stream, &out, 0.0, 1.0)?;
    Ok(out)
}

fn uniform(cx: &Context, t: &Tensor, from: f64, to: f64, stream: Stream<'_>) -> Result<Tensor> {
    let out = super::empty_like(t)?;
    uniform_in_place(cx, &out, from, to, stream)
}

fn uniform_in_place(
    cx: &Context,
    t: &Tensor,
    from: f64,
    to: f64,
    stream: Stream<'_>,
) -> Result<Tensor> {
    fill_uniform(cx, stream, t, from, to)?;
    Ok(t.clone())
}

/// Fills with numbers of `[from, to)`; where rounding would give `to`, `from` stands.
fn fill_uniform(cx: &Context, stream: Stream<'_>, t: &Tensor, from: f64, to: f64) -> Result<()> {
    if t.dtype().is_complex() {
        return fill_uniform(cx, stream, &view_as_real(t)?, from, to);
    }
    super::check_float("check_uniform_bounds", t)?;
    if from > to || from.is_nan() || to.is_nan() {
        return Err(Fault::runtime(format!(
            "uniform_ expects to return a [from, to) range, but found from={} > to={}",
            super::shown(from),
            super::shown(to)
        )));
    }
    match t.dtype() {
        DType::F64 => fill_each(cx, stream, t, |g| {
            let value = g.uniform_f64().mul_add(to - from, from);
            if value == to { from } else { value }
        }),
        DType::F32 => fill_each(cx, stream, t, between(from, to, |v| v)),
        DType::F16 => fill_each(
            cx,
            stream,
            t,
            between(from, to, |v| f16::from_f32(v).to_f32()),
        ),
        _ => fill_each(
            cx,
            stream,
            t,
            between(from, to, |v| bf16::from_f32(v).to_f32()),
        ),
    }
}

/// Draws f32 numbers of a range, rounded to the dtype they are for.
fn between(from: f64, to: f64, round: impl Fn(f32) -> f32) -> impl FnMut(&mut Generator) -> f32 {
    let (from, to) = (from as f32, to as f32);
    move |g| {
        let value = round(g.uniform_f32().mul_add(to - from, from));
        if value == round(to) {
            round(from)
        } else {
            value
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeded() -> Context {
        let cx = Context::silent();
        cx.manual_seed(0);
        cx
    }

    /// `torch.manual_seed(0); torch.empty(3, 2).t().uniform_()`.
    #[test]
    fn numbers_are_drawn_in_the_order_of_memory() -> Result<()> {
        let t = Tensor::empty(&[3, 2], DType::F32)?.transpose(0, 1)?;
        uniform_in_place(&seeded(), &t, 0.0, 1.0, None)?;
        let rounded: Vec<f32> = t
            .to_vec::<f32>()
            .iter()
            .map(|v| (v * 1e4).round())
            .collect();
        assert_eq!(rounded, [4963.0, 885.0, 3074.0, 7682.0, 1320.0, 6341.0]);
        Ok(())
    }

    #[test]
    fn overlapping_elements_are_refused() -> Result<()> {
        let t = Tensor::zeros(&[1], DType::F32)?.expand(&[3])?;
        assert!(uniform_in_place(&seeded(), &t, 0.0, 1.0, None).is_err());
        Ok(())
    }
}
