//! Nearest-neighbour resampling, by the reference's two rules for which neighbour is nearest.

use super::{Floats, Ints, ResampledSizes, in_format_of};
pub(crate) use rushlight_kernels::nn::resample::nearest::Rule;
use rushlight_kernels::nn::resample::nearest::places;
use rushlight_tensor::{
    Buffer, DType, Fault, MemoryFormat, Result, Tensor, dispatch, memory, threads, watch,
};
use rushlight_types::{Quantized, op, operators};

operators! {
    /// Nearest-neighbour resampling.
    pub static ROWS = [
        op!("aten::upsample_nearest1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor", nearest1d).out("out", rushlight_ops::out::exact),
        op!("aten::upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", nearest1d_vec),
        op!("aten::upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor", nearest2d).quantized(Quantized::Units).out("out", rushlight_ops::out::exact),
        op!("aten::upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", nearest2d_vec).quantized(Quantized::Units).out("vec_out", rushlight_ops::out::exact),
        op!("aten::upsample_nearest3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor", nearest3d).quantized(Quantized::Units).out("out", rushlight_ops::out::cast),
        op!("aten::upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", nearest3d_vec).quantized(Quantized::Units),
        op!("aten::_upsample_nearest_exact1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor", exact1d).out("out", rushlight_ops::out::exact),
        op!("aten::_upsample_nearest_exact1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", exact1d_vec),
        op!("aten::_upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor", exact2d).quantized(Quantized::Units).out("out", rushlight_ops::out::cast),
        op!("aten::_upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", exact2d_vec).quantized(Quantized::Units),
        op!("aten::_upsample_nearest_exact3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor", exact3d).quantized(Quantized::Units).out("out", rushlight_ops::out::cast),
        op!("aten::_upsample_nearest_exact3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", exact3d_vec).quantized(Quantized::Units),
    ];
}

macro_rules! nearest {
    ($($rule:ident: $one:ident $one_vec:ident $two:ident $two_vec:ident $three:ident $three_vec:ident;)*) => {$(
        fn $one(t: &Tensor, sizes: Ints, w: Option<f64>) -> Result<Tensor> {
            resample(Rule::$rule, t, &ResampledSizes::sized(t, &sizes, &[w])?)
        }
        fn $two(t: &Tensor, sizes: Ints, h: Option<f64>, w: Option<f64>) -> Result<Tensor> {
            resample(Rule::$rule, t, &ResampledSizes::sized(t, &sizes, &[h, w])?)
        }
        fn $three(t: &Tensor, sizes: Ints, d: Option<f64>, h: Option<f64>, w: Option<f64>) -> Result<Tensor> {
            resample(Rule::$rule, t, &ResampledSizes::sized(t, &sizes, &[d, h, w])?)
        }
        nearest!(@vec $rule $one_vec 1);
        nearest!(@vec $rule $two_vec 2);
        nearest!(@vec $rule $three_vec 3);
    )*};
    (@vec $rule:ident $name:ident $dims:literal) => {
        fn $name(t: &Tensor, sizes: Option<Ints>, factors: Option<Floats>) -> Result<Tensor> {
            let target = ResampledSizes::either(t, $dims, sizes.as_deref(), factors.as_deref())?;
            resample(Rule::$rule, t, &target)
        }
    };
}
nearest! {
    Start: nearest1d nearest1d_vec nearest2d nearest2d_vec nearest3d nearest3d_vec;
    Center: exact1d exact1d_vec exact2d exact2d_vec exact3d exact3d_vec;
}

pub(super) fn resample(rule: Rule, t: &Tensor, target: &ResampledSizes) -> Result<Tensor> {
    if t.dtype().is_eight() {
        return Ok(resample(rule, &t.held(), target)?.as_eights(t.dtype()));
    }
    let sizes = target.result_sizes(t)?;
    let dims = target.sizes.len();
    if !t.dtype().is_float() && t.dtype() != DType::U8 && !t.dtype().is_quantized() {
        // Small pictures take the loop of those whose channels come last.
        let last = t.layout().suggested_format() == MemoryFormat::ChannelsLast && t.size(1) > 3;
        let is_small = target.sizes.iter().sum::<usize>() <= 128;
        let kernel = match dims == 2 && (last || is_small) {
            true => "upsample_nearest2d_channels_last",
            false => "compute_indices_weights_nearest",
        };
        return Err(Fault::no_kernel(kernel, t.dtype()));
    }
    let mut tables: [Vec<usize>; 3] = [vec![0], vec![0], vec![0]];
    let mut input = [1usize; 3];
    for d in 0..dims {
        let at = 3 - dims + d;
        input[at] = t.size(d + 2);
        tables[at] = places(rule, input[at], target.sizes[d], target.factors[d]);
    }
    let [zs, ys, xs] = &tables;
    if let Some(pictures) = crate::nn::pool::pictures_of(t, dims)? {
        return of_pixels(&pictures, ys, xs);
    }
    let out = dispatch!(t.dtype(), All, T => {
        let x = t.data::<T>();
        let plane: usize = input.iter().product();
        let mut out = Buffer::<T>::unspecified(memory::numel(&sizes));
        let x = &x[..];
        let width = zs.len() * ys.len() * xs.len();
        threads::split_rows(&mut out, width, 1, width, &|planes, out| {
            let mut rows = out.chunks_exact_mut(xs.len().max(1));
            for image in planes.map(|p| &x[p * plane..][..plane]) {
                watch::poll();
                for z in zs {
                    watch::poll();
                    for y in ys {
                        let from = &image[(z * input[1] + y) * input[2]..][..input[2]];
                        let Some(row) = rows.next() else { break };
                        for (o, x) in row.iter_mut().zip(xs) {
                            *o = from[*x];
                        }
                    }
                }
            }
        });
        out.into_tensor(&sizes)
    });
    in_format_of(out, t)
}

/// The pixels at these places of pictures whose channels come last.
fn of_pixels(pictures: &Tensor, ys: &[usize], xs: &[usize]) -> Result<Tensor> {
    let [batch, height, width, channels] = [0, 1, 2, 3].map(|d| pictures.size(d));
    let dtype = pictures.dtype();
    let pixel = channels * dtype.size();
    let bytes = pictures.bytes()?;
    let x = bytes.data::<u8>();
    let x = &x[..];
    let line = xs.len() * pixel;
    let sizes = [batch, ys.len(), xs.len(), channels];
    let numel = memory::numel(&sizes);
    let mut out = Buffer::<u8>::unspecified(memory::times([numel, dtype.size()]));
    threads::split_rows(&mut out, line, 1, line / 8, &|lines, out| {
        for (number, out) in lines.zip(out.chunks_exact_mut(line.max(1))) {
            watch::poll();
            let y = number / ys.len() * height + ys[number % ys.len()];
            let from = &x[y * width * pixel..][..width * pixel];
            for (out, x) in out.chunks_exact_mut(pixel.max(1)).zip(xs) {
                out.copy_from_slice(&from[x * pixel..][..pixel]);
            }
        }
    });
    let out = out.into_elements(dtype.held(), &sizes)?;
    out.view_with(out.layout().permute(&[0, 3, 1, 2]))
}
