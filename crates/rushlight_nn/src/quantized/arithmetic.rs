//! Sums, products, joins and functions of quantized tensors. All are computed on the numbers that are stood for and
//! brought to the scale that is asked for.

use super::lanes::{self, Inverse, Pair};
use super::{
    ResultScale, apply, floor_at_zero, map_numbers, numbers, of_integers_like, quantize, quantizer,
    scale_of,
};
use rushlight_ops::cat_quantized as cat;
use rushlight_tensor::memory;
use rushlight_tensor::{Fault, Result, Scalar, Tensor};
use rushlight_types::{Context, Value, op, operators};

operators! {
    /// Sums, products and joins.
    pub static ROWS = [
        op!("quantized::add(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc", add::<false>),
        op!("quantized::add_relu(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc", add::<true>),
        op!("quantized::mul(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc", mul::<false>),
        op!("quantized::mul_relu(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc", mul::<true>),
        op!("quantized::matmul(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc", matmul),
        op!("quantized::add.Scalar(Tensor qa, Scalar b) -> Tensor qc", add_number::<false>),
        op!("quantized::add.Scalar2(Scalar b, Tensor qa) -> Tensor qc", |b: Scalar, a: &Tensor| add_number::<false>(a, b)),
        op!("quantized::add_relu.Scalar(Tensor qa, Scalar b) -> Tensor qc", add_number::<true>),
        op!("quantized::add_relu.Scalar2(Scalar b, Tensor qa) -> Tensor qc", |b: Scalar, a: &Tensor| add_number::<true>(a, b)),
        op!("quantized::add_scalar(Tensor qa, Scalar b) -> Tensor qc", add_number::<false>),
        op!("quantized::add_scalar_relu(Tensor qa, Scalar b) -> Tensor qc", add_number::<true>),
        op!("quantized::add_scalar.Tensor(Tensor qa, Tensor b) -> Tensor qc", add_item::<false>),
        op!("quantized::add_scalar_relu.Tensor(Tensor qa, Tensor b) -> Tensor qc", add_item::<true>),
        op!("quantized::mul.Scalar(Tensor qa, Scalar b) -> Tensor qc", mul_number::<false>),
        op!("quantized::mul.Scalar2(Scalar b, Tensor qa) -> Tensor qc", |b: Scalar, a: &Tensor| mul_number::<false>(a, b)),
        op!("quantized::mul_relu.Scalar(Tensor qa, Scalar b) -> Tensor qc", mul_number::<true>),
        op!("quantized::mul_relu.Scalar2(Scalar b, Tensor qa) -> Tensor qc", |b: Scalar, a: &Tensor| mul_number::<true>(a, b)),
        op!("quantized::mul_scalar(Tensor qa, Scalar b) -> Tensor qc", mul_number::<false>),
        op!("quantized::mul_scalar_relu(Tensor qa, Scalar b) -> Tensor qc", mul_number::<true>),
        op!("quantized::mul_scalar.Tensor(Tensor qa, Tensor b) -> Tensor qc", mul_item::<false>),
        op!("quantized::mul_scalar_relu.Tensor(Tensor qa, Tensor b) -> Tensor qc", mul_item::<true>),
        op!("quantized::cat(Tensor[] qx, int dim, float? scale, int? zero_point) -> Tensor", cat::<false>),
        op!("quantized::cat_relu(Tensor[] qx, int dim, float? scale, int? zero_point) -> Tensor", cat::<true>),
    ];
}

operators! {
    /// Functions.
    pub static FUNCTIONS = [
        op!("quantized::hardswish(Tensor input, float output_scale, int output_zero_point) -> Tensor", hardswish),
        op!("quantized::sigmoid(Tensor qx, float output_scale, int output_zero_point) -> Tensor", sigmoid),
        op!("quantized::elu(Tensor self, float output_scale, int output_zero_point, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor", elu),
        op!("quantized::celu(Tensor self, float output_scale, int output_zero_point, Scalar alpha=1) -> Tensor", celu),
        op!("quantized::leaky_relu(Tensor qx, Scalar negative_slope, bool inplace, float output_scale, int output_zero_point) -> Tensor", leaky_relu),
        op!("quantized::max_pool1d(Tensor qx, int[] kernel_size, int[] stride, int[] padding, int[] dilation, bool ceil_mode) -> Tensor", max_pool::<1>),
        op!("quantized::max_pool2d(Tensor qx, int[] kernel_size, int[] stride, int[] padding, int[] dilation, bool ceil_mode) -> Tensor", max_pool::<2>),
        op!("quantized::prelu(Tensor qx, Tensor weight, float output_scale, int output_zero_point) -> Tensor", prelu),
        op!("quantized::softmax(Tensor qx, int dim, float output_scale, int output_zero_point) -> Tensor", softmax),
        op!("quantized::relu6(Tensor qx, bool inplace=False) -> Tensor", relu6),
        op!("quantized::clamp(Tensor qx, Scalar? min=None, Scalar? max=None) -> Tensor qy", clamp),
        op!("quantized::threshold(Tensor qx, Scalar threshold, Scalar value) -> Tensor qy", threshold),
    ];
}

fn pair<const RELU: bool>(
    kind: Pair,
    (a, b): (&Tensor, &Tensor),
    output: (f64, i64),
) -> Result<Tensor> {
    if a.dtype() != b.dtype() {
        return Err(Fault::runtime("Add operands should have same data type."));
    }
    lanes::pair("quantized::add", kind, (a, b), output, RELU)
}

fn add<const RELU: bool>(a: &Tensor, b: &Tensor, result: ResultScale) -> Result<Tensor> {
    pair::<RELU>(Pair::Sum, (a, b), result.pair())
}

fn mul<const RELU: bool>(a: &Tensor, b: &Tensor, result: ResultScale) -> Result<Tensor> {
    pair::<RELU>(Pair::Product, (a, b), result.pair())
}

fn matmul(cx: &Context, a: &Tensor, b: &Tensor, result: ResultScale) -> Result<Tensor> {
    if a.dtype() != b.dtype() {
        return Err(Fault::runtime("Add operands should have same data type."));
    }
    let arguments = vec![
        Value::Tensor(numbers("quantized::matmul", a)?),
        Value::Tensor(numbers("quantized::matmul", b)?),
    ];
    let out = apply(cx, "aten::matmul", arguments)?;
    quantize(&out, result.scale, result.zero_point, a.dtype())
}

/// Adding a number moves the zero point; the scale changes only where the zero point would leave the bounds.
fn add_number<const RELU: bool>(a: &Tensor, b: Scalar) -> Result<Tensor> {
    let (scale, zero_point) = scale_of("quantized::add", a)?;
    let (least, greatest) = rushlight_tensor::quantized_bounds(a.dtype());
    let number = b.to_f64();
    let steps = (number / scale).round_ties_even();
    if !(steps >= f64::from(i32::MIN) && steps <= f64::from(i32::MAX)) {
        return Err(Fault::runtime(
            "value cannot be converted to type int without overflow",
        ));
    }
    let moved = zero_point as f64 - steps;
    let (least, greatest) = (least as f64, greatest as f64);
    let (wider, fitting) = if moved < least {
        (scale * ((greatest - moved) / (greatest - least)), least)
    } else if moved > greatest {
        (scale * ((moved - least) / (greatest - least)), greatest)
    } else {
        (scale, moved)
    };
    let factor = scale as f32 * (1.0 / wider as f32);
    let floor = if RELU { fitting } else { least };
    let centred = quantizer("quantized::add", a)?.centred(a).into_iter();
    let integers = centred.map(|q| {
        let whole = ((q as f64 + steps) as f32 * factor).round_ties_even();
        (f64::from(whole) + fitting).clamp(floor, greatest) as i64
    });
    let output = (wider, fitting as i64);
    let out = of_integers_like(&memory::collect(integers), a.sizes(), output, a.dtype())?;
    Ok(out.ordered_like(a))
}

fn add_item<const RELU: bool>(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    add_number::<RELU>(a, b.item()?)
}

/// Multiplying with a number changes the scale; a negative one also turns the integers around.
fn mul_number<const RELU: bool>(a: &Tensor, b: Scalar) -> Result<Tensor> {
    let (scale, zero_point) = scale_of("quantized::mul", a)?;
    let (least, greatest) = rushlight_tensor::quantized_bounds(a.dtype());
    let number = b.to_f64();
    let (scale, zero_point) = if number == 0.0 {
        (1.0, 0)
    } else if number > 0.0 {
        (scale * number, zero_point)
    } else {
        (scale * -number, greatest - (zero_point - least))
    };
    let out = map_numbers(&a.dequantized(), |v| v * number as f32)?;
    quantize(&floor_at_zero::<RELU>(out)?, scale, zero_point, a.dtype())
}

fn mul_item<const RELU: bool>(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    mul_number::<RELU>(a, b.item()?)
}

/// A function of the numbers, in a scale of its own.
fn function(
    x: &Tensor,
    output: (f64, i64),
    inverse: Inverse,
    f: impl Fn(f32) -> f32,
) -> Result<Tensor> {
    lanes::map("quantized::function", x, output, inverse, f)
}

/// A function of the numbers, in their scale.
fn in_place_scale(x: &Tensor, f: impl Fn(f32) -> f32) -> Result<Tensor> {
    let output = scale_of("quantized::function", x)?;
    function(x, output, Inverse::Single, f)
}

fn hardswish(x: &Tensor, result: ResultScale) -> Result<Tensor> {
    function(x, result.pair(), Inverse::Double, |v| {
        v * (v + 3.0).clamp(0.0, 6.0) / 6.0
    })
}

fn sigmoid(x: &Tensor, result: ResultScale) -> Result<Tensor> {
    function(x, result.pair(), Inverse::Single, |v| {
        1.0 / (1.0 + (-v).exp())
    })
}

fn elu(
    x: &Tensor,
    result: ResultScale,
    alpha: Scalar,
    outer: Scalar,
    inner: Scalar,
) -> Result<Tensor> {
    let (alpha, outer, inner) = (
        alpha.to_f64() as f32,
        outer.to_f64() as f32,
        inner.to_f64() as f32,
    );
    function(x, result.pair(), Inverse::Single, |v| {
        if v >= 0.0 {
            v * outer
        } else {
            (v * inner).exp_m1() * alpha * outer
        }
    })
}

fn celu(x: &Tensor, result: ResultScale, alpha: Scalar) -> Result<Tensor> {
    let inverse = Scalar::Float(1.0 / alpha.to_f64());
    elu(x, result, alpha, Scalar::Float(1.0), inverse)
}

fn leaky_relu(x: &Tensor, slope: Scalar, _in_place: bool, result: ResultScale) -> Result<Tensor> {
    let slope = slope.to_f64() as f32;
    function(x, result.pair(), Inverse::Single, |v| {
        if v > 0.0 { v } else { v * slope }
    })
}

/// Integers are multiplied with those of the weight, above zero with the one that stands for one, and a single factor brings
/// the products to the scale of the output.
fn prelu(cx: &Context, x: &Tensor, weight: &Tensor, result: ResultScale) -> Result<Tensor> {
    let (own_scale, own_zero) = scale_of("quantized::prelu", x)?;
    let (weight_scale, weight_zero) = scale_of("quantized::prelu", weight)?;
    if weight.dtype() != x.dtype() {
        return Err(Fault::runtime(format!(
            "Found dtype {} but expected {}",
            weight.dtype().class_name(),
            x.dtype().class_name()
        )));
    }
    let channels = x.sizes().get(1).copied().unwrap_or(1);
    if weight.numel() != 1 && weight.numel() != channels {
        // The plain operator knows what to say.
        let arguments = [x, weight].map(|t| Value::Tensor(t.dequantized()));
        return apply(cx, "aten::prelu", arguments.to_vec());
    }
    let (least, greatest) = rushlight_tensor::quantized_bounds(weight.dtype());
    let one = (1.0 / weight_scale).round_ties_even() as i64;
    let one = one.saturating_add(weight_zero).clamp(least, greatest) - weight_zero;
    let weights: Vec<i64> = quantizer("quantized::prelu", weight)?.centred(weight);
    let factor = own_scale as f32 * weight_scale as f32 / result.scale as f32;
    let inner: usize = x.sizes().iter().skip(2).product();
    let stored: Vec<i64> = x.stored().to_vec();
    let integers = stored.into_iter().enumerate().map(|(i, q)| {
        let q = q.saturating_sub(own_zero);
        let weight = match (q > 0, weights.len()) {
            (true, _) => one,
            (false, 1) => weights[0],
            (false, _) => weights[i / inner.max(1) % channels],
        };
        let steps = (q.saturating_mul(weight) as f32 * factor).round_ties_even();
        (steps as i64).saturating_add(result.zero_point)
    });
    let integers = memory::collect(integers);
    let out = of_integers_like(&integers, x.sizes(), result.pair(), x.dtype())?;
    Ok(out.ordered_like(x))
}

fn max_pool<const DIMS: usize>(
    cx: &Context,
    x: &Tensor,
    kernel: &Value,
    stride: &Value,
    padding: &Value,
    dilation: &Value,
    ceil: bool,
) -> Result<Tensor> {
    let window = [kernel, stride, padding, dilation].into_iter().cloned();
    let mut arguments = vec![Value::Tensor(x.clone())];
    arguments.extend(window);
    arguments.push(Value::Bool(ceil));
    apply(cx, &format!("aten::max_pool{DIMS}d"), arguments)
}

fn softmax(cx: &Context, x: &Tensor, dim: i64, result: ResultScale) -> Result<Tensor> {
    let plain = numbers("quantized::softmax", x)?;
    let arguments = vec![Value::Tensor(plain), Value::Int(dim), Value::None];
    let out = apply(cx, "aten::softmax.int", arguments)?;
    quantize(&out, result.scale, result.zero_point, x.dtype())
}

fn relu6(x: &Tensor, in_place: bool) -> Result<Tensor> {
    let out = in_place_scale(x, |v| v.clamp(0.0, 6.0))?;
    if !in_place {
        return Ok(out);
    }
    x.stored().copy_from(&out.stored())?;
    Ok(x.clone())
}

fn clamp(x: &Tensor, least: Option<Scalar>, greatest: Option<Scalar>) -> Result<Tensor> {
    let least = least.map_or(f32::NEG_INFINITY, |v| v.to_f64() as f32);
    let greatest = greatest.map_or(f32::INFINITY, |v| v.to_f64() as f32);
    in_place_scale(x, |v| v.max(least).min(greatest))
}

fn threshold(x: &Tensor, threshold: Scalar, value: Scalar) -> Result<Tensor> {
    let (threshold, value) = (threshold.to_f64() as f32, value.to_f64() as f32);
    in_place_scale(x, |v| if v > threshold { v } else { value })
}
