//! Max pooling, with and without the positions of the maxima.

use super::window::Lists;
use super::{Ints, Shape, Windows, comparison_dtype, in_format_of, pictures_of, result_sizes};
use crate::quantized;
use rushlight_kernels::nn::pool::max::{pixel_maxima, plane_maxima, plane_maxima_only};
use rushlight_ops::{op_out, op_out_exact};
use rushlight_tensor::threads::{self, Rows};
use rushlight_tensor::{
    Buffer, DType, Fault, MemoryFormat, Number, Real, Result, Tensor, dispatch, memory,
};
use rushlight_types::{Functional, Quantized, arguments, op, operators};

operators! {
    /// Max pooling.
    pub static ROWS = [
        op!("aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> Tensor", max_pool1d).quantized(Quantized::Native).functional(Functional::MaxPool { dims: 1 }),
        op!("aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor", max_pool2d).quantized(Quantized::Native).functional(Functional::MaxPool { dims: 2 }),
        op!("aten::max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor", max_pool3d).functional(Functional::MaxPool { dims: 3 }),
        op!("aten::max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> (Tensor, Tensor)", max_pool1d_with_indices),
        op!("aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)", max_pool2d_with_indices),
        op!("aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)", max_pool3d_with_indices),
        op!("aten::max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor", max_pool2d_backward),
        op_out_exact!("aten::max_pool2d_with_indices.out(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False, *, Tensor(a!) out, Tensor(b!) indices) -> (Tensor(a!), Tensor(b!))", max_pool2d_with_indices),
        op_out!("aten::max_pool3d_with_indices.out(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False, *, Tensor(a!) out, Tensor(b!) indices) -> (Tensor(a!), Tensor(b!))", max_pool3d_with_indices),
        op_out_exact!("aten::max_pool2d_with_indices_backward.grad_input(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices, *, Tensor(a!) grad_input) -> Tensor(a!)", max_pool2d_backward),
    ];
}

arguments! {
    /// The windows of a call.
    struct Settings {
        kernel: Ints,
        stride: Ints,
        padding: Ints,
        dilation: Ints,
        ceil_mode: bool,
    }
}

impl Settings {
    fn lists(&self) -> Lists<'_> {
        Lists {
            kernel: &self.kernel,
            stride: &self.stride,
            padding: &self.padding,
            dilation: &self.dilation,
            ceil_mode: self.ceil_mode,
        }
    }
}

macro_rules! max_pools {
    ($($plain:ident $indexed:ident $dims:literal;)*) => {$(
        fn $plain(t: &Tensor, settings: Settings) -> Result<Tensor> {
            let windows = Windows::new(stringify!($plain), t, $dims, &settings.lists())?;
            if t.dtype().is_quantized() {
                return quantized_maxima(concat!("aten::", stringify!($plain)), t, $dims, &windows);
            }
            if $dims == 1 && t.numel() > 0 && !t.dtype().is_float() {
                return Err(Fault::no_kernel("max_pool1d_impl", t.dtype()));
            }
            Ok(pool::<false>(t, $dims, &windows)?.0)
        }

        fn $indexed(t: &Tensor, settings: Settings) -> Result<(Tensor, Tensor)> {
            let windows = Windows::new(stringify!($plain), t, $dims, &settings.lists())?;
            let (values, indices) = pool::<true>(t, $dims, &windows)?;
            Ok((values, indices.unwrap_or_else(|| t.clone())))
        }
    )*};
}
max_pools! {
    max_pool1d max_pool1d_with_indices 1;
    max_pool2d max_pool2d_with_indices 2;
    max_pool3d max_pool3d_with_indices 3;
}

/// Maxima of a quantized tensor, which are those of its integers.
fn quantized_maxima(name: &str, t: &Tensor, dims: usize, w: &Windows) -> Result<Tensor> {
    let (scale, zero_point) = quantized::scale_of(name, t)?;
    let integers = t.stored();
    let last = t.rank() == 4 && t.layout().is_contiguous_in(MemoryFormat::ChannelsLast);
    let out = match integers.dtype() {
        DType::U8 if dims == 2 && last => pixels::<u8>(&integers, w)?,
        DType::I8 if dims == 2 && last => pixels::<i8>(&integers, w)?,
        _ => pool::<false>(&integers, dims, w)?.0,
    };
    out.as_quantized(&quantized::uniform(scale, zero_point))
        .ok_or_else(|| Fault::internal("integers that nothing is stored as"))
}

/// Maxima over windows of pictures whose channels come last.
fn pixels<T: Real>(t: &Tensor, w: &Windows) -> Result<Tensor> {
    let view = t.view_with(t.layout().permute(&[0, 2, 3, 1]))?;
    let (batch, channels) = (t.size(0), t.size(1));
    let pictures = view.data::<T>();
    let [_, height, width] = w.output;
    let mut out = Buffer::<T>::unspecified(memory::times([batch, height, width, channels]));
    let cost = (w.cost() / height.max(1)).saturating_mul(channels) / 16;
    threads::split_rows(&mut out, width * channels, 1, cost, &|lines, out| {
        pixel_maxima(w, &pictures, channels, lines.start, out);
    });
    let out = out.into_tensor(&[batch, height, width, channels]);
    out.view_with(out.layout().permute(&[0, 3, 1, 2]))
}

/// Maxima over windows, and their positions in the input plane where `INDEXED`.
fn pool<const INDEXED: bool>(
    t: &Tensor,
    dims: usize,
    w: &Windows,
) -> Result<(Tensor, Option<Tensor>)> {
    let kernel = if dims == 3 {
        "max_pool3d"
    } else {
        "max_pool2d"
    };
    if t.dtype() == DType::Bool || t.dtype().is_complex() {
        return Err(Fault::no_kernel(kernel, t.dtype()));
    }
    if !INDEXED && t.dtype() == DType::F32 && pictures_of(t, dims)?.is_some() {
        return Ok((pixels::<f32>(t, w)?, None));
    }
    let shape = Shape::of(t, dims);
    let dtype = comparison_dtype(t.dtype());
    let x = t.to_dtype(dtype);
    let sizes = result_sizes(t, dims, w.output);
    let count = sizes.iter().product();
    let mut indices = Buffer::<i64>::unspecified(if INDEXED { count } else { 0 });
    let values = dispatch!(dtype, Real, T => {
        let x = x.data::<T>();
        let x = &x[..];
        let mut out = Buffer::<T>::unspecified(count);
        let plane: usize = w.output.iter().product();
        let from: usize = shape.input.iter().product();
        let rows = (Rows::of(&mut out, plane), Rows::of(&mut indices, plane));
        threads::split_lent(shape.planes, 1, w.cost(), rows, &|planes, (out, indices)| {
            for (own, p) in planes.enumerate() {
                let image = &x[p * from..(p + 1) * from];
                let to = own * plane..(own + 1) * plane;
                if INDEXED {
                    plane_maxima(w, image, &mut out[to.clone()], &mut indices[to]);
                } else {
                    plane_maxima_only(w, image, &mut out[to]);
                }
            }
        });
        out.into_tensor(&sizes)
    }, else => return Err(Fault::no_kernel(kernel, dtype)));
    let values = in_format_of(values.to_dtype(t.dtype()), t)?;
    if !INDEXED {
        return Ok((values, None));
    }
    Ok((values, Some(in_format_of(indices.into_tensor(&sizes), t)?)))
}

/// Sends each gradient to the position that its maximum came from.
fn max_pool2d_backward(
    grad: &Tensor,
    t: &Tensor,
    settings: Settings,
    indices: &Tensor,
) -> Result<Tensor> {
    if grad.dtype() != t.dtype() {
        return Err(Fault::runtime(format!(
            "expected dtype {} for `gradOutput` but got dtype {}",
            t.dtype().scalar_name(),
            grad.dtype().scalar_name()
        )));
    }
    let windows = Windows::new("max_pool2d", t, 2, &settings.lists())?;
    let expected = super::result_sizes(t, 2, windows.output);
    for given in [grad, indices] {
        let wrong = (t.rank() - 3..t.rank())
            .find(|d| given.rank() != t.rank() || given.size(*d) != expected[*d]);
        if let Some(d) = wrong {
            return Err(Fault::runtime(format!(
                "Expected a tensor of dimension {} and tensor.size[{d}] == {} but got: dimension {} and tensor.size[{d}] = {}",
                t.rank(),
                expected[d],
                given.rank(),
                given.sizes().get(d).copied().unwrap_or(0)
            )));
        }
    }
    if indices.dtype() != DType::I64 {
        return Err(Fault::other_scalar_type(DType::I64, indices.dtype()));
    }
    if !t.dtype().is_float() {
        return Err(Fault::no_kernel("max_pool2d_backward", t.dtype()));
    }
    if grad.sizes() != indices.sizes() {
        return Err(Fault::runtime(
            "max_pool2d_with_indices_backward: gradient and indices do not fit",
        ));
    }
    let places = indices.data::<i64>();
    let plane = t.size(t.rank() - 1) * t.size(t.rank() - 2);
    let from = grad.size(grad.rank() - 1) * grad.size(grad.rank() - 2);
    let out = dispatch!(t.dtype(), Real, T => {
        let g = grad.to_dtype(t.dtype());
        let g = g.data::<T>();
        let mut out = Buffer::<T>::filled(t.numel(), T::ZERO);
        for (i, (value, place)) in g.iter().zip(places.iter()).enumerate() {
            let at = i / from * plane + *place as usize;
            let Some(target) = out.get_mut(at).filter(|_| (0..plane as i64).contains(place)) else {
                return Err(Fault::runtime("max_pool2d_with_indices_backward: index out of range"));
            };
            *target = target.add(*value);
        }
        out.into_tensor(t.sizes())
    }, else => return Err(Fault::no_kernel("max_pool2d", t.dtype())));
    in_format_of(out, t)
}
