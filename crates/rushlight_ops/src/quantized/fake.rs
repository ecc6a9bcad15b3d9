//! Fake quantization: numbers become those that quantized tensors could stand for, and stay floats.

use rushlight_tensor::memory;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Fault, Result, Tensor};
use rushlight_types::{op, operators};

operators! {
    /// Fake quantization.
    pub static ROWS = [
        op!("aten::fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor", per_tensor),
        op!("aten::fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max) -> Tensor", tensor_parameters),
        op!("aten::fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> (Tensor output, Tensor mask)", per_tensor_mask),
        op!("aten::fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> Tensor", per_channel),
        op!("aten::fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> (Tensor output, Tensor mask)", per_channel_mask),
    ];
}

/// The numbers, and which of them were inside the bounds. `of` gives scale and zero point of an element.
fn fake(
    x: &Tensor,
    bounds: (i64, i64),
    of: impl Fn(usize) -> (f32, f32),
) -> Result<(Tensor, Tensor)> {
    if bounds.0 > bounds.1 {
        return Err(Fault::runtime(
            "`quant_min` should be less than or\n        equal to `quant_max`.",
        ));
    }
    let (least, greatest) = (bounds.0 as f32, bounds.1 as f32);
    let values: Vec<f32> = x.to_vec();
    let mut mask = memory::with_capacity(values.len());
    let mut out = memory::with_capacity(values.len());
    for (i, value) in values.into_iter().enumerate() {
        let (scale, zero_point) = of(i);
        let nearest = (value * (1.0 / scale)).round_ties_even() + zero_point;
        mask.push(rushlight_tensor::Bool8::from(
            nearest >= least && nearest <= greatest,
        ));
        out.push((nearest.max(least).min(greatest) - zero_point) * scale);
    }
    let out = Tensor::from_vec(out, x.sizes())?;
    let typed = Tensor::empty(x.sizes(), x.dtype())?;
    typed.copy_from(&out)?;
    Ok((typed, Tensor::from_vec(mask, x.sizes())?))
}

fn per_tensor_mask(
    x: &Tensor,
    scale: f64,
    zero_point: i64,
    least: i64,
    greatest: i64,
) -> Result<(Tensor, Tensor)> {
    if !(least..=greatest).contains(&zero_point) {
        return Err(Fault::runtime(
            "`zero_point` must be between `quant_min` and `quant_max`.",
        ));
    }
    fake(x, (least, greatest), |_| (scale as f32, zero_point as f32))
}

fn per_tensor(
    x: &Tensor,
    scale: f64,
    zero_point: i64,
    least: i64,
    greatest: i64,
) -> Result<Tensor> {
    per_tensor_mask(x, scale, zero_point, least, greatest).map(|(out, _)| out)
}

fn tensor_parameters(
    x: &Tensor,
    scale: &Tensor,
    zero_point: &Tensor,
    least: i64,
    greatest: i64,
) -> Result<Tensor> {
    let (scale, zero_point) = (scale.item()?.to_f64(), zero_point.item()?.to_i64());
    per_tensor(x, scale, zero_point, least, greatest)
}

fn per_channel_mask(
    x: &Tensor,
    scales: &Tensor,
    zero_points: &Tensor,
    axis: i64,
    least: i64,
    greatest: i64,
) -> Result<(Tensor, Tensor)> {
    let axis = wrap_dim(axis, x.rank())?;
    let channels = x.sizes().get(axis).copied().unwrap_or(1);
    let (scales, zero_points): (Vec<f32>, Vec<f32>) = (scales.to_vec(), zero_points.to_vec());
    if scales.len() != channels || zero_points.len() != channels {
        return Err(Fault::runtime(
            "dimensions of scale and zero-point are not consistent with input tensor",
        ));
    }
    let inner: usize = x.sizes().iter().skip(axis + 1).product();
    fake(x, (least, greatest), |i| {
        let channel = i / inner.max(1) % channels.max(1);
        (scales[channel], zero_points[channel])
    })
}

fn per_channel(
    x: &Tensor,
    scales: &Tensor,
    zero_points: &Tensor,
    axis: i64,
    least: i64,
    greatest: i64,
) -> Result<Tensor> {
    per_channel_mask(x, scales, zero_points, axis, least, greatest).map(|(out, _)| out)
}
