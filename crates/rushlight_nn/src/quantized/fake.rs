//! Fake quantization: numbers become those that quantized tensors could stand for, and stay floats.

use super::apply;
use rushlight_tensor::iter::laid_out;
use rushlight_tensor::memory;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Fault, Result, Tensor};
use rushlight_types::{Context, Value, arguments, op, operators};

operators! {
    /// Fake quantization.
    pub static ROWS = [
        op!("aten::fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor", per_tensor),
        op!("aten::fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max) -> Tensor", tensor_parameters),
        op!("aten::fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> (Tensor output, Tensor mask)", per_tensor_mask),
        op!("aten::fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> Tensor", per_channel),
        op!("aten::fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> (Tensor output, Tensor mask)", per_channel_mask),
        op!("aten::fake_quantize_per_tensor_affine_cachemask_backward(Tensor grad, Tensor mask) -> Tensor", masked),
        op!("aten::fake_quantize_per_channel_affine_cachemask_backward(Tensor grad, Tensor mask) -> Tensor", masked),
        op!("aten::_fake_quantize_learnable_per_tensor_affine(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max, float grad_factor=1.) -> Tensor", learnable),
        op!("aten::_fake_quantize_learnable_per_tensor_affine_backward(Tensor grad, Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max, float grad_factor=1.) -> (Tensor, Tensor, Tensor)", learnable_gradients),
        op!("aten::_fake_quantize_learnable_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max, float grad_factor=1.) -> Tensor", learnable_channels),
        op!("aten::_fake_quantize_learnable_per_channel_affine_backward(Tensor grad, Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max, float grad_factor=1.) -> (Tensor, Tensor, Tensor)", learnable_channel_gradients),
    ];
}

arguments! {
    /// The least and the greatest integer.
    #[derive(Clone, Copy)]
    struct Bounds {
        least: i64,
        greatest: i64,
    }
}

arguments! {
    /// Scales and zero points that are learned: one of each, or as many as there are channels.
    #[derive(Clone, Copy)]
    struct Parameters<'a> {
        scale: &'a Tensor,
        zero_point: &'a Tensor,
    }
}

/// The gradients of numbers that were inside the bounds.
fn masked(cx: &Context, grad: &Tensor, mask: &Tensor) -> Result<Tensor> {
    let arguments = [grad, mask].map(|t| Value::Tensor(t.clone()));
    apply(cx, "aten::mul.Tensor", arguments.to_vec())
}

/// Scales and zero points that are learned; the latter are rounded to integers inside the bounds.
struct Learned {
    scales: Vec<f32>,
    zero_points: Vec<f32>,
    /// Elements of a slice along the axis.
    inner: usize,
    bounds: Bounds,
}

impl Learned {
    fn new(
        x: &Tensor,
        Parameters { scale, zero_point }: Parameters<'_>,
        axis: Option<i64>,
        bounds: Bounds,
    ) -> Result<Learned> {
        let (axis, channels) = match axis {
            Some(axis) => {
                let axis = wrap_dim(axis, x.rank())?;
                (axis, x.sizes().get(axis).copied().unwrap_or(1))
            }
            None => (0, 1),
        };
        if scale.numel() != channels || zero_point.numel() != channels {
            return Err(Fault::runtime(
                "dimensions of scale and zero-point are not consistent with input tensor",
            ));
        }
        let (least, greatest) = (bounds.least as f32, bounds.greatest as f32);
        let whole = |z: f32| z.round_ties_even().max(least).min(greatest);
        let zero_points: Vec<f32> = zero_point.to_vec();
        Ok(Learned {
            scales: scale.to_vec(),
            zero_points: memory::collect(zero_points.into_iter().map(whole)),
            inner: match channels {
                1 => x.numel().max(1),
                _ => x.sizes()[axis + 1..].iter().product::<usize>().max(1),
            },
            bounds,
        })
    }

    fn of(&self, i: usize) -> (f32, f32) {
        let channel = i / self.inner % self.scales.len().max(1);
        (self.scales[channel], self.zero_points[channel])
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        fake(x, self.bounds, false, |i| self.of(i)).map(|(out, _)| out)
    }

    /// The gradients of the numbers, and of scale and zero point for each number.
    fn gradients(&self, grad: &Tensor, x: &Tensor, factor: f64) -> Result<[Tensor; 3]> {
        let (least, greatest) = (self.bounds.least as f32, self.bounds.greatest as f32);
        let (values, grads): (Vec<f32>, Vec<f32>) = (x.to_vec(), grad.to_vec());
        if values.len() != grads.len() {
            return Err(Fault::runtime("`X` and `dY` are not the same size"));
        }
        let factor = factor as f32;
        let mut out = [(); 3].map(|()| memory::with_capacity(values.len()));
        for (i, (value, grad)) in values.into_iter().zip(grads).enumerate() {
            let (scale, zero_point) = self.of(i);
            let inverse = 1.0 / scale;
            let nearest = zero_point + (value * inverse).round_ties_even();
            let inside = nearest.max(least).min(greatest);
            let all = if nearest < least || nearest > greatest {
                [grad * 0.0, grad * (inside - zero_point), grad * -scale]
            } else {
                let faked = (inside - zero_point) * scale;
                [grad, grad * ((faked - value) * inverse), 0.0]
            };
            out[0].push(all[0]);
            out[1].push(all[1] * factor);
            out[2].push(all[2] * factor);
        }
        let [x_grads, scales, zeros] = out.map(|values| Tensor::from_vec(values, x.sizes()));
        Ok([x_grads?, scales?, zeros?])
    }
}

fn learnable(x: &Tensor, learned: Parameters<'_>, bounds: Bounds, _factor: f64) -> Result<Tensor> {
    Learned::new(x, learned, None, bounds)?.forward(x)
}

fn learnable_gradients(
    cx: &Context,
    grad: &Tensor,
    x: &Tensor,
    learned: Parameters<'_>,
    bounds: Bounds,
    factor: f64,
) -> Result<(Tensor, Tensor, Tensor)> {
    let ready = Learned::new(x, learned, None, bounds)?;
    let [of_x, scales, zeros] = ready.gradients(grad, x, factor)?;
    let total = |t: Tensor, like: &Tensor| {
        let sum = apply(cx, "aten::sum", vec![Value::Tensor(t), Value::None])?;
        sum.reshape_to(like.sizes())
    };
    Ok((
        of_x,
        total(scales, learned.scale)?,
        total(zeros, learned.zero_point)?,
    ))
}

fn learnable_channels(
    x: &Tensor,
    learned: Parameters<'_>,
    axis: i64,
    bounds: Bounds,
    _factor: f64,
) -> Result<Tensor> {
    Learned::new(x, learned, Some(axis), bounds)?.forward(x)
}

fn learnable_channel_gradients(
    cx: &Context,
    grad: &Tensor,
    x: &Tensor,
    learned: Parameters<'_>,
    axis: i64,
    bounds: Bounds,
    factor: f64,
) -> Result<(Tensor, Tensor, Tensor)> {
    let ready = Learned::new(x, learned, Some(axis), bounds)?;
    let [of_x, scales, zeros] = ready.gradients(grad, x, factor)?;
    let axis = wrap_dim(axis, x.rank())?;
    let others = (0..x.rank()).filter(|d| *d != axis).map(|d| d as i64);
    let others = memory::collect(others);
    let total = |t: Tensor, like: &Tensor| {
        if others.is_empty() {
            return Ok(t);
        }
        let dims = Value::IntList(others.clone().into());
        let arguments = vec![Value::Tensor(t), dims, Value::Bool(false), Value::None];
        apply(cx, "aten::sum.dim_IntList", arguments)?.reshape_to(like.sizes())
    };
    Ok((
        of_x,
        total(scales, learned.scale)?,
        total(zeros, learned.zero_point)?,
    ))
}

/// The numbers, and which of them were inside the bounds. `of` gives scale and zero point of an element; zero points that are
/// `floating` join before a number is rounded, and leave in double precision.
fn fake(
    x: &Tensor,
    bounds: Bounds,
    floating: bool,
    of: impl Fn(usize) -> (f32, f32),
) -> Result<(Tensor, Tensor)> {
    if bounds.least > bounds.greatest {
        return Err(Fault::runtime(
            "`quant_min` should be less than or\n        equal to `quant_max`.",
        ));
    }
    let (least, greatest) = (bounds.least as f32, bounds.greatest as f32);
    let values: Vec<f32> = x.to_vec();
    let mut mask = memory::with_capacity(values.len());
    let mut out = memory::with_capacity(values.len());
    for (i, value) in values.into_iter().enumerate() {
        let (scale, zero_point) = of(i);
        let steps = value * (1.0 / scale);
        let nearest = match floating {
            true => (steps + zero_point).round_ties_even(),
            false => steps.round_ties_even() + zero_point,
        };
        mask.push(rushlight_tensor::Bool8::from(
            nearest >= least && nearest <= greatest,
        ));
        let inside = nearest.max(least).min(greatest);
        out.push(match floating {
            true => ((f64::from(inside) - f64::from(zero_point)) * f64::from(scale)) as f32,
            false => (inside - zero_point) * scale,
        });
    }
    let typed = |t: Tensor| laid_out(t.to_dtype(x.dtype()), &[x.into()]);
    let out = typed(Tensor::from_vec(out, x.sizes())?)?;
    let mask = laid_out(Tensor::from_vec(mask, x.sizes())?, &[x.into()])?;
    Ok((out, mask))
}

fn per_tensor_mask(
    x: &Tensor,
    scale: f64,
    zero_point: i64,
    bounds: Bounds,
) -> Result<(Tensor, Tensor)> {
    if !(bounds.least..=bounds.greatest).contains(&zero_point) {
        return Err(Fault::runtime(
            "`zero_point` must be between `quant_min` and `quant_max`.",
        ));
    }
    fake(x, bounds, false, |_| (scale as f32, zero_point as f32))
}

fn per_tensor(x: &Tensor, scale: f64, zero_point: i64, bounds: Bounds) -> Result<Tensor> {
    per_tensor_mask(x, scale, zero_point, bounds).map(|(out, _)| out)
}

fn tensor_parameters(
    x: &Tensor,
    scale: &Tensor,
    zero_point: &Tensor,
    bounds: Bounds,
) -> Result<Tensor> {
    let (scale, zero_point) = (scale.item()?.to_f64(), zero_point.item()?.to_i64());
    per_tensor(x, scale, zero_point, bounds)
}

fn per_channel_mask(
    x: &Tensor,
    scales: &Tensor,
    zero_points: &Tensor,
    axis: i64,
    bounds: Bounds,
) -> Result<(Tensor, Tensor)> {
    let axis = wrap_dim(axis, x.rank())?;
    let channels = x.sizes().get(axis).copied().unwrap_or(1);
    let floating = zero_points.dtype().is_float();
    let (scales, zero_points): (Vec<f32>, Vec<f32>) = (scales.to_vec(), zero_points.to_vec());
    if scales.len() != channels || zero_points.len() != channels {
        return Err(Fault::runtime(
            "dimensions of scale and zero-point are not consistent with input tensor",
        ));
    }
    let inner: usize = x.sizes().iter().skip(axis + 1).product();
    fake(x, bounds, floating, |i| {
        let channel = i / inner.max(1) % channels.max(1);
        (scales[channel], zero_points[channel])
    })
}

fn per_channel(
    x: &Tensor,
    scales: &Tensor,
    zero_points: &Tensor,
    axis: i64,
    bounds: Bounds,
) -> Result<Tensor> {
    per_channel_mask(x, scales, zero_points, axis, bounds).map(|(out, _)| out)
}
