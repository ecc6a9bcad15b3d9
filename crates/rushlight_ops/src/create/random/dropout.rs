//! Dropout and its kin.

use super::bernoulli::bernoulli_in_place;
use super::memory_order;
use rushlight_tensor::iter::check_writable;
use rushlight_tensor::memory;
use rushlight_tensor::{Bool8, Buffer, DType, Dims, Fault, Result, Scalar, Tensor, dispatch};
use rushlight_types::{Context, Effect, Functional, Quantized, Sizes, op, operators};

operators! {
    /// Random zeros in activations.
    pub static ROWS = [
        op!("aten::dropout(Tensor input, float p, bool train) -> Tensor", dropout).quantized(Quantized::Integers).effect(Effect::Random).functional(Functional::Dropout).sizes_are(Sizes::OfFirst),
        op!("aten::dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", dropout_in_place).effect(Effect::Random),
        op!("aten::feature_dropout(Tensor input, float p, bool train) -> Tensor", feature_dropout).quantized(Quantized::Integers).effect(Effect::Random).functional(Functional::Dropout).sizes_are(Sizes::OfFirst),
        op!("aten::feature_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", feature_dropout_in_place).effect(Effect::Random),
        op!("aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor", alpha_dropout).effect(Effect::Random),
        op!("aten::alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", alpha_dropout_in_place).effect(Effect::Random),
        op!("aten::feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor", feature_alpha_dropout).effect(Effect::Random),
        op!("aten::feature_alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", feature_alpha_dropout_in_place).effect(Effect::Random),
        op!("aten::native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor", native_dropout_backward).out("out", crate::out::exact),
        op!("aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)", native_dropout).effect(Effect::Random).out("out", crate::out::cast),
    ];
}

/// The slope of SELU times its scale, to which alpha dropout sets dropped elements.
const ALPHA: f64 = 1.758_099_340_847_376_6;

#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Element,
    /// All elements of one channel together.
    Feature,
}

#[derive(Clone, Copy, PartialEq)]
enum Style {
    Plain,
    Alpha,
}

/// Elements set to zero at random while training, the others scaled up.
pub fn dropout(cx: &Context, t: &Tensor, p: f64, train: bool) -> Result<Tensor> {
    drop_out(cx, t, p, train, Unit::Element, Style::Plain)
}

fn feature_dropout(cx: &Context, t: &Tensor, p: f64, train: bool) -> Result<Tensor> {
    drop_out(cx, t, p, train, Unit::Feature, Style::Plain)
}

fn alpha_dropout(cx: &Context, t: &Tensor, p: f64, train: bool) -> Result<Tensor> {
    drop_out(cx, t, p, train, Unit::Element, Style::Alpha)
}

fn feature_alpha_dropout(cx: &Context, t: &Tensor, p: f64, train: bool) -> Result<Tensor> {
    drop_out(cx, t, p, train, Unit::Feature, Style::Alpha)
}

fn dropout_in_place(cx: &Context, t: &Tensor, p: f64, train: bool) -> Result<Tensor> {
    write(t, dropout(cx, t, p, train)?)
}

fn feature_dropout_in_place(cx: &Context, t: &Tensor, p: f64, train: bool) -> Result<Tensor> {
    write(t, feature_dropout(cx, t, p, train)?)
}

fn alpha_dropout_in_place(cx: &Context, t: &Tensor, p: f64, train: bool) -> Result<Tensor> {
    write(t, alpha_dropout(cx, t, p, train)?)
}

fn feature_alpha_dropout_in_place(cx: &Context, t: &Tensor, p: f64, train: bool) -> Result<Tensor> {
    write(t, feature_alpha_dropout(cx, t, p, train)?)
}

fn write(t: &Tensor, result: Tensor) -> Result<Tensor> {
    check_writable(t)?;
    t.copy_from(&result)?;
    Ok(t.clone())
}

fn check_chance(p: f64) -> Result<()> {
    if (0.0..=1.0).contains(&p) {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "dropout probability has to be between 0 and 1, but got {}",
        super::shown(p)
    )))
}

fn drop_out(
    cx: &Context,
    t: &Tensor,
    p: f64,
    train: bool,
    unit: Unit,
    style: Style,
) -> Result<Tensor> {
    check_chance(p)?;
    if p == 0.0 || !train || t.numel() == 0 {
        return Ok(t.clone());
    }
    if p == 1.0 {
        return zeroed(t);
    }
    check_dtype(t)?;
    let order = memory_order(t);
    let kept = match unit {
        Unit::Element => toss(cx, &t.permute(&order)?, 1.0 - p)?,
        Unit::Feature => features(cx, t, 1.0 - p)?.permute(&order)?,
    };
    let weights = match style {
        Style::Plain => Weights::plain(1.0 - p),
        Style::Alpha => Weights::alpha(p),
    };
    weigh(t, &order, &kept, &weights)
}

/// What is left when everything is dropped: zeros, and NaN where the input was not finite.
fn zeroed(t: &Tensor) -> Result<Tensor> {
    let order = memory_order(t);
    if t.dtype().is_integral(true) {
        let zeros = Tensor::zeros(t.permute(&order)?.sizes(), t.dtype())?;
        return zeros.permute(&inverse(&order));
    }
    let none = Tensor::zeros(t.permute(&order)?.sizes(), DType::Bool)?;
    weigh(t, &order, &none, &Weights::plain(1.0))
}

fn check_dtype(t: &Tensor) -> Result<()> {
    if t.dtype().is_float() || t.dtype().is_complex() {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "result type Float can't be cast to the desired output type {}",
        t.dtype().class_name()
    )))
}

/// Trues with probability `keep`, row-major in the sizes of `t`.
fn toss(cx: &Context, t: &Tensor, keep: f64) -> Result<Tensor> {
    let kept = Tensor::empty(t.sizes(), DType::Bool)?;
    bernoulli_in_place(cx, &kept, keep, None)
}

/// One toss per channel, for all its elements.
fn features(cx: &Context, t: &Tensor, keep: f64) -> Result<Tensor> {
    if t.rank() < 2 {
        return Err(Fault::runtime(
            "Feature dropout requires at least 2 dimensions in the input",
        ));
    }
    let mut sizes: Dims = smallvec::smallvec![1; t.rank()];
    sizes[..2].copy_from_slice(&t.sizes()[..2]);
    let kept = toss(cx, &Tensor::empty(&sizes, DType::Bool)?, keep)?;
    kept.expand_to(t.sizes())
}

/// What an element is multiplied by and what is added, when it is dropped and when it is kept.
struct Weights {
    factors: [f64; 2],
    /// Each shift as a sum of two terms, rounded one by one.
    shifts: Option<[[f64; 2]; 2]>,
}

impl Weights {
    fn plain(keep: f64) -> Weights {
        Weights {
            factors: [0.0, 1.0 / keep],
            shifts: None,
        }
    }

    /// Keeps mean and variance of activations that SELU normalises.
    fn alpha(p: f64) -> Weights {
        let a = 1.0 / ((ALPHA * ALPHA * p + 1.0) * (1.0 - p)).sqrt();
        let back = ALPHA * a * p;
        Weights {
            factors: [0.0, a],
            shifts: Some([[-ALPHA * a, back], [0.0, back]]),
        }
    }
}

/// `t * factor + shift` by what was kept; both come in the order of memory, and so does the result.
fn weigh(t: &Tensor, order: &[i64], kept: &Tensor, weights: &Weights) -> Result<Tensor> {
    let source = t.permute(order)?;
    let kept = kept.data::<Bool8>();
    let out = dispatch!(t.dtype(), FloatComplex, T => {
        use rushlight_tensor::{Element, Number};
        let factors = weights.factors.map(<T as Element>::from_f64);
        let shifts = weights.shifts.map(|both| {
            both.map(|[a, b]| <T as Element>::from_f64(a).add(<T as Element>::from_f64(b)))
        });
        let pairs = source.data::<T>();
        let pairs = pairs.iter().zip(kept.iter());
        let values: Buffer<T> = match shifts {
            None => pairs.map(|(v, k)| v.mul(factors[usize::from(k.get())])).collect(),
            Some(shifts) => pairs
                .map(|(v, k)| {
                    let k = usize::from(k.get());
                    v.mul(factors[k]).add(shifts[k])
                })
                .collect(),
        };
        values.into_tensor(source.sizes())
    }, else => return Err(Fault::no_kernel("dropout", t.dtype())));
    out.permute(&inverse(order))
}

fn inverse(order: &[i64]) -> Vec<i64> {
    let mut back = memory::filled(order.len(), 0);
    for (place, d) in order.iter().enumerate() {
        back[*d as usize] = place as i64;
    }
    back
}

fn native_dropout(
    cx: &Context,
    t: &Tensor,
    p: f64,
    train: Option<bool>,
) -> Result<(Tensor, Tensor)> {
    check_chance(p)?;
    if train == Some(false) || t.numel() == 0 {
        return Ok((
            t.deep_copy(),
            Tensor::full(t.sizes(), Scalar::Int(1), DType::Bool)?,
        ));
    }
    check_dtype(t)?;
    let order = memory_order(t);
    let kept = toss(cx, &t.permute(&order)?, 1.0 - p)?;
    let weights = match p {
        1.0 => Weights::plain(f64::INFINITY),
        _ => Weights::plain(1.0 - p),
    };
    let out = weigh(t, &order, &kept, &weights)?;
    Ok((out, kept.permute(&inverse(&order))?))
}

fn native_dropout_backward(
    cx: &Context,
    gradient: &Tensor,
    kept: &Tensor,
    scale: f64,
) -> Result<Tensor> {
    let gradient = match gradient.dtype() {
        dtype if dtype.is_integral(true) => gradient.to_dtype(cx.default_dtype()),
        _ => gradient.clone(),
    };
    if kept.dtype() != DType::Bool {
        return Err(Fault::runtime(format!(
            "Mask should be Bool Scalar Type{}",
            kept.dtype().class_name()
        )));
    }
    let sizes = rushlight_tensor::layout::broadcast_or_fault(gradient.sizes(), kept.sizes())?;
    let gradient = gradient.expand_to(&sizes)?;
    let order = memory_order(&gradient);
    let weights = Weights {
        factors: [0.0, scale],
        shifts: None,
    };
    let kept = kept.expand_to(&sizes)?.permute(&order)?;
    weigh(&gradient, &order, &kept, &weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `torch.manual_seed(0); torch.dropout(torch.ones(10), .5, True)`.
    #[test]
    fn dropped_elements_follow_the_seed() -> Result<()> {
        let cx = Context::silent();
        cx.manual_seed(0);
        let ones = Tensor::full(&[10], Scalar::Int(1), DType::F32)?;
        let out = dropout(&cx, &ones, 0.5, true)?;
        let expected = [0., 0., 2., 0., 0., 0., 2., 2., 0., 2.];
        assert_eq!(out.to_vec::<f32>(), expected);
        Ok(())
    }

    #[test]
    fn nothing_is_dropped_outside_training() -> Result<()> {
        let t = Tensor::full(&[3], Scalar::Int(1), DType::F32)?;
        assert!(dropout(&Context::silent(), &t, 0.5, false)?.is(&t));
        Ok(())
    }
}
