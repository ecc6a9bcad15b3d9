//! Normal and log-normal numbers.

use super::{Stream, fill_each, with_stream};
use crate::create::options::{LikeOptions, Options};
use crate::view::identity::view_as_real;
use crate::view::{Ints, checked_sizes};
use rushlight_tensor::{Buffer, DType, Fault, Result, Scalar, Tensor, bf16, dispatch, f16, layout};
use rushlight_types::{Context, Effect, Elements, op, operators};

operators! {
    /// `randn`, `normal` and `log_normal`.
    pub static ROWS = [
        op!("aten::randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", randn).effect(Effect::Random),
        op_out!("aten::randn.out(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)", randn).effect(Effect::Random),
        op!("aten::randn.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", randn_generator).effect(Effect::Random),
        op_out!("aten::randn.generator_out(SymInt[] size, *, Generator? generator, Tensor(a!) out) -> Tensor(a!)", randn_generator).effect(Effect::Random),
        op!("aten::randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", randn_like).effect(Effect::Random).elements_are(Elements::Untouched).detaches(),
        op_out!("aten::randn_like.out(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", randn_like).effect(Effect::Random),
        op!("aten::randn_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", randn_like_generator).effect(Effect::Random).elements_are(Elements::Untouched).detaches(),
        op_out!("aten::randn_like.generator_out(Tensor self, *, Generator? generator, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", randn_like_generator).effect(Effect::Random),
        op!("aten::normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", normal_sizes).effect(Effect::Random),
        op_out!("aten::normal.float_float_out(float mean, float std, SymInt[] size, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)", normal_sizes).effect(Effect::Random),
        op!("aten::normal.Tensor_float(Tensor mean, float std=1., *, Generator? generator=None) -> Tensor", normal_means).effect(Effect::Random).out("Tensor_float_out", crate::out::cast),
        op!("aten::normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor", normal_spreads).effect(Effect::Random).out("float_Tensor_out", crate::out::cast),
        op!("aten::normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor", normal_both).effect(Effect::Random).out("Tensor_Tensor_out", crate::out::cast),
        op!("aten::normal_(Tensor(a!) self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor(a!)", normal_in_place).effect(Effect::Random),
        op!("aten::normal_functional(Tensor self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor", normal_like).effect(Effect::Random),
        op_out!("aten::normal.out(Tensor self, float mean=0., float std=1., *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)", normal_like).effect(Effect::Random),
        op!("aten::log_normal(Tensor self, float mean=1., float std=2., *, Generator? generator=None) -> Tensor", log_normal).effect(Effect::Random).out("out", crate::out::exact),
        op!("aten::log_normal_(Tensor(a!) self, float mean=1., float std=2., *, Generator? generator=None) -> Tensor(a!)", log_normal_in_place).effect(Effect::Random),
    ];
}

/// From this size on contiguous tensors are filled in blocks.
const BLOCKS_FROM: usize = 16;

fn randn(cx: &Context, sizes: Ints, options: Options) -> Result<Tensor> {
    randn_generator(cx, sizes, None, options)
}

fn randn_generator(
    cx: &Context,
    sizes: Ints,
    stream: Stream<'_>,
    options: Options,
) -> Result<Tensor> {
    let out = Tensor::empty(&checked_sizes(&sizes)?, options.dtype_or_default(cx))?;
    fill_normal(cx, stream, &out, 0.0, 1.0)?;
    Ok(out)
}

fn randn_like(cx: &Context, t: &Tensor, options: LikeOptions) -> Result<Tensor> {
    randn_like_generator(cx, t, None, options)
}

fn randn_like_generator(
    cx: &Context,
    t: &Tensor,
    stream: Stream<'_>,
    options: LikeOptions,
) -> Result<Tensor> {
    let out = options.empty(t)?;
    fill_normal(cx, stream, &out, 0.0, 1.0)?;
    Ok(out)
}

fn normal_sizes(
    cx: &Context,
    mean: f64,
    std: f64,
    sizes: Ints,
    stream: Stream<'_>,
    options: Options,
) -> Result<Tensor> {
    let out = Tensor::empty(&checked_sizes(&sizes)?, options.dtype_or_default(cx))?;
    normal_in_place(cx, &out, mean, std, stream)
}

fn normal_in_place(
    cx: &Context,
    t: &Tensor,
    mean: f64,
    std: f64,
    stream: Stream<'_>,
) -> Result<Tensor> {
    if std < 0.0 || std.is_nan() {
        return Err(Fault::runtime(format!(
            "normal expects std >= 0.0, but found std {}",
            super::shown(std)
        )));
    }
    if t.dtype().is_complex() {
        fill_complex(cx, stream, t, mean, std)?;
    } else {
        fill_normal(cx, stream, t, mean, std)?;
    }
    Ok(t.clone())
}

/// Complex numbers share the variance between their parts; both have the mean.
fn fill_complex(cx: &Context, stream: Stream<'_>, t: &Tensor, mean: f64, std: f64) -> Result<()> {
    fill_normal(cx, stream, &view_as_real(t)?, mean, std / 2f64.sqrt())
}

fn fill_normal(cx: &Context, stream: Stream<'_>, t: &Tensor, mean: f64, std: f64) -> Result<()> {
    if t.dtype().is_complex() {
        return fill_complex(cx, stream, t, mean, std);
    }
    if t.numel() > 0 {
        super::check_float("normal_kernel_cpu", t)?;
    }
    if t.numel() < BLOCKS_FROM || !t.is_contiguous() {
        return fill_each(cx, stream, t, |g| g.normal().mul_add(std, mean));
    }
    let values = with_stream(cx, stream, |g| match t.dtype() {
        DType::F64 => {
            let mut values = Buffer::<f64>::unspecified(t.numel());
            g.fill_normal_f64(&mut values, mean, std);
            values.into_tensor(t.sizes())
        }
        DType::F32 => {
            let mut values = Buffer::<f32>::unspecified(t.numel());
            g.fill_normal_f32(&mut values, mean, std);
            values.into_tensor(t.sizes())
        }
        DType::F16 => {
            let mut values = Buffer::<f16>::unspecified(t.numel());
            g.fill_normal_narrow(&mut values, mean, std, f16::from_f32);
            values.into_tensor(t.sizes())
        }
        _ => {
            let mut values = Buffer::<bf16>::unspecified(t.numel());
            g.fill_normal_narrow(&mut values, mean, std, bf16::from_f32);
            values.into_tensor(t.sizes())
        }
    });
    t.copy_from(&values)
}

/// `t * scale + shift` with the rounding of two operators one after the other.
fn scale_and_shift(t: &Tensor, scale: Option<&Tensor>, shift: &Tensor) -> Result<Tensor> {
    let dtype = t.dtype();
    let spread = |other: &Tensor| {
        Ok::<Tensor, Fault>(other.to_dtype(dtype).expand_to(t.sizes())?.contiguous())
    };
    let shift = spread(shift)?;
    let scale = match scale {
        Some(scale) => spread(scale)?,
        None => Tensor::full(t.sizes(), Scalar::Int(1), dtype)?,
    };
    dispatch!(dtype, FloatComplex, T => {
        use rushlight_tensor::Number;
        let (values, scale, shift) = (t.data::<T>(), scale.data::<T>(), shift.data::<T>());
        let terms = values.iter().zip(scale.iter()).zip(shift.iter());
        let out: Buffer<T> = terms.map(|((v, a), b)| v.mul(*a).add(*b)).collect();
        Ok(out.into_tensor(t.sizes()))
    }, else => Err(Fault::no_kernel("normal_kernel_cpu", dtype)))
}

fn normal_means(cx: &Context, mean: &Tensor, std: f64, stream: Stream<'_>) -> Result<Tensor> {
    let out = Tensor::empty(mean.sizes(), mean.dtype())?;
    normal_in_place(cx, &out, 0.0, std, stream)?;
    out.copy_from(&scale_and_shift(&out, None, mean)?)?;
    Ok(out)
}

fn normal_spreads(cx: &Context, mean: f64, std: &Tensor, stream: Stream<'_>) -> Result<Tensor> {
    check_spreads(std)?;
    let out = Tensor::empty(std.sizes(), std.dtype())?;
    normal_in_place(cx, &out, 0.0, 1.0, stream)?;
    let mean = Tensor::scalar(Scalar::Float(mean), out.dtype());
    out.copy_from(&scale_and_shift(&out, Some(std), &mean)?)?;
    Ok(out)
}

fn normal_both(cx: &Context, mean: &Tensor, std: &Tensor, stream: Stream<'_>) -> Result<Tensor> {
    check_spreads(std)?;
    let sizes = layout::broadcast_or_fault(mean.sizes(), std.sizes())?;
    let out = Tensor::empty(&sizes, mean.dtype())?;
    normal_in_place(cx, &out, 0.0, 1.0, stream)?;
    scale_and_shift(&out, Some(std), mean)
}

fn check_spreads(std: &Tensor) -> Result<()> {
    if std.dtype().is_complex() {
        return Err(Fault::runtime(
            "normal expects standard deviation to be non-complex",
        ));
    }
    if std.to_vec::<f64>().iter().any(|s| *s < 0.0) {
        return Err(Fault::runtime("normal expects all elements of std >= 0.0"));
    }
    Ok(())
}

fn normal_like(
    cx: &Context,
    t: &Tensor,
    mean: f64,
    std: f64,
    stream: Stream<'_>,
) -> Result<Tensor> {
    normal_in_place(cx, &super::empty_like(t)?, mean, std, stream)
}

fn log_normal(cx: &Context, t: &Tensor, mean: f64, std: f64, stream: Stream<'_>) -> Result<Tensor> {
    log_normal_in_place(cx, &super::empty_like(t)?, mean, std, stream)
}

fn log_normal_in_place(
    cx: &Context,
    t: &Tensor,
    mean: f64,
    std: f64,
    stream: Stream<'_>,
) -> Result<Tensor> {
    if std <= 0.0 || std.is_nan() {
        return Err(Fault::runtime(format!(
            "log_normal_ expects std > 0.0, but found std={}",
            super::shown(std)
        )));
    }
    super::check_float("log_normal_cpu", t)?;
    fill_each(cx, stream, t, |g| g.normal().mul_add(std, mean).exp())?;
    Ok(t.clone())
}
