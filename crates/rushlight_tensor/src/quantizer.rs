//! What the integers of quantized tensors stand for: `scale * (integer - zero_point)`, with one scale for the whole
//! tensor or one per slice along an axis.

use crate::memory::{self, Collected};
use crate::{Buffer, DType, Element, Fault, MemoryFormat, Result, Tensor, threads, watch};
use std::sync::Arc;

/// Elements between two looks at the limits of the running call.
const PART: usize = 1 << 16;

/// From integers to real numbers and back.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantizer {
    /// One scale and zero point.
    Tensor { scale: f64, zero_point: i64 },
    /// One per slice along `axis`.
    Channel {
        scales: Vec<f64>,
        /// Whole numbers unless `floating`.
        zero_points: Vec<f64>,
        axis: usize,
        /// Whether scales and zero points are floats, which changes how numbers are rounded to them.
        floating: bool,
    },
}

/// The least and the greatest integer of a quantized dtype.
pub fn bounds(dtype: DType) -> (i64, i64) {
    match dtype {
        DType::QI8 => (-128, 127),
        DType::QU8 => (0, 255),
        _ => (i64::from(i32::MIN), i64::from(i32::MAX)),
    }
}

impl Quantizer {
    /// The reference's number of the scheme: 0 for one scale, 1 for one per slice, 3 where those are floats.
    pub fn scheme(&self) -> i64 {
        match self {
            Quantizer::Tensor { .. } => 0,
            Quantizer::Channel {
                floating: false, ..
            } => 1,
            Quantizer::Channel { .. } => 3,
        }
    }

    /// The name of the scheme, as in `torch.per_tensor_affine`.
    pub fn scheme_name(&self) -> &'static str {
        match self.scheme() {
            0 => "per_tensor_affine",
            1 => "per_channel_affine",
            _ => "per_channel_affine_float_qparams",
        }
    }

    /// The scales of the slices as a tensor of one dimension: doubles, or floats where they came as floats.
    pub fn scales(&self) -> Result<Tensor> {
        match self {
            Quantizer::Tensor { scale, .. } => Tensor::from_slice(&[*scale], &[1]),
            Quantizer::Channel {
                scales,
                floating: true,
                ..
            } => Tensor::from_vec(scales.iter().map(|s| *s as f32).collect(), &[scales.len()]),
            Quantizer::Channel { scales, .. } => Tensor::from_slice(scales, &[scales.len()]),
        }
    }

    /// The zero points of the slices as a tensor of one dimension.
    pub fn zero_points(&self) -> Result<Tensor> {
        match self {
            Quantizer::Tensor { zero_point, .. } => Tensor::from_slice(&[*zero_point], &[1]),
            Quantizer::Channel {
                zero_points,
                floating: true,
                ..
            } => {
                let values = zero_points.iter().map(|z| *z as f32).collect();
                Tensor::from_vec(values, &[zero_points.len()])
            }
            Quantizer::Channel { zero_points, .. } => {
                let values = zero_points.iter().map(|z| *z as i64).collect();
                Tensor::from_vec(values, &[zero_points.len()])
            }
        }
    }

    /// Scale and zero point of slice `channel`.
    pub fn channel(&self, channel: usize) -> (f64, f64) {
        match self {
            Quantizer::Tensor { scale, zero_point } => (*scale, *zero_point as f64),
            Quantizer::Channel {
                scales,
                zero_points,
                ..
            } => (
                scales.get(channel).copied().unwrap_or(1.0),
                zero_points.get(channel).copied().unwrap_or(0.0),
            ),
        }
    }

    /// Checks that a tensor of these sizes can be quantized so.
    pub fn check(&self, sizes: &[usize]) -> Result<()> {
        let Quantizer::Channel {
            scales,
            zero_points,
            axis,
            ..
        } = self
        else {
            return Ok(());
        };
        if *axis >= sizes.len() {
            return Err(Fault::runtime(format!(
                "Channel axis out of range in per channel affine quantization. Got: {axis}Expected: [0, {})",
                sizes.len()
            )));
        }
        if scales.len() != sizes[*axis] {
            return Err(Fault::runtime(format!(
                "length of scales must equal to channel, expected {} got, {}",
                sizes[*axis],
                scales.len()
            )));
        }
        if zero_points.len() != sizes[*axis] {
            return Err(Fault::runtime(
                "length of zero_points must equal to channel, expected",
            ));
        }
        Ok(())
    }

    /// Calls `each(element, scale, zero point)` for the elements of a row-major tensor of these sizes.
    fn each(&self, sizes: &[usize], mut each: impl FnMut(usize, f64, f64)) {
        let numel: usize = sizes.iter().product();
        // Between parts the call may be stopped.
        let parts = (0..numel).step_by(PART).map(|from| {
            watch::poll();
            from..numel.min(from + PART)
        });
        match self {
            Quantizer::Tensor { scale, zero_point } => {
                parts.for_each(|part| part.for_each(|i| each(i, *scale, *zero_point as f64)))
            }
            Quantizer::Channel { axis, .. } => {
                let inner: usize = sizes.iter().skip(axis + 1).product();
                let channels = sizes.get(*axis).copied().unwrap_or(1);
                for i in parts.flatten() {
                    let (scale, zero_point) = self.channel(i / inner % channels);
                    each(i, scale, zero_point);
                }
            }
        }
    }

    /// The integers minus their zero points, in row-major order.
    pub fn centred(&self, tensor: &Tensor) -> Vec<i64> {
        let stored: Vec<i64> = tensor.stored().to_vec();
        let mut out = memory::filled(stored.len(), 0i64);
        self.each(tensor.sizes(), |i, _, zero_point| {
            out[i] = stored[i].saturating_sub(zero_point as i64);
        });
        out
    }

    /// The numbers that the integers stand for, in row-major order.
    pub fn dequantize(&self, tensor: &Tensor) -> Vec<f32> {
        let stored: Vec<i64> = tensor.stored().to_vec();
        let mut out = memory::filled(stored.len(), 0.0f32);
        // Scales of slices multiply as doubles.
        let wide = matches!(
            self,
            Quantizer::Channel {
                floating: false,
                ..
            }
        );
        self.each(tensor.sizes(), |i, scale, zero_point| {
            let steps = (stored[i] as f64 - zero_point) as f32;
            out[i] = match wide {
                true => (f64::from(steps) * scale) as f32,
                false => steps * scale as f32,
            };
        });
        out
    }

    /// The quantized tensor whose elements are nearest to a tensor's; halves go to even integers.
    pub fn quantize(self: &Arc<Self>, tensor: &Tensor, dtype: DType) -> Result<Tensor> {
        self.check(tensor.sizes())?;
        if let Some(out) = self.quantize_bytes(tensor, dtype) {
            return Ok(out);
        }
        let (least, greatest) = bounds(dtype);
        let values: Vec<f32> = tensor.to_vec();
        let mut out = memory::filled(values.len(), 0i64);
        let floating = matches!(&**self, Quantizer::Channel { floating: true, .. });
        self.each(tensor.sizes(), |i, scale, zero_point| {
            let value = values[i];
            let nearest = if floating {
                (value / scale as f32 + zero_point as f32).round_ties_even()
            } else {
                (value * (1.0 / scale as f32)).round_ties_even()
            };
            out[i] = if nearest.is_nan() {
                // What the conversion instruction of the reference's machines gives.
                if dtype == DType::QI32 {
                    least
                } else {
                    greatest
                }
            } else {
                let offset = if floating { 0 } else { zero_point as i64 };
                (nearest as i64)
                    .saturating_add(offset)
                    .clamp(least, greatest)
            };
        });
        Ok(self
            .of_integers(&out, tensor.sizes(), dtype)?
            .ordered_like(tensor))
    }

    /// As [`Quantizer::quantize`], for one scale and integers of 8 bits.
    fn quantize_bytes(self: &Arc<Self>, tensor: &Tensor, dtype: DType) -> Option<Tensor> {
        let Quantizer::Tensor { scale, zero_point } = **self else {
            return None;
        };
        let (least, greatest) = bounds(dtype);
        let known = matches!(dtype, DType::QU8 | DType::QI8) && tensor.dtype() == DType::F32;
        if !known || !(least..=greatest).contains(&zero_point) {
            return None;
        }
        let steps = Steps {
            inverse: 1.0 / scale as f32,
            least: (least - zero_point) as f32,
            greatest: (greatest - zero_point) as f32,
            zero_point: zero_point as u8,
        };
        let (dense, order) = in_memory_order(tensor);
        let values = dense.data::<f32>();
        let stored = match dtype {
            DType::QU8 => mapped(&values, &dense, |v, out: &mut [u8]| {
                out.iter_mut()
                    .zip(v)
                    .for_each(|(to, v)| *to = steps.byte(*v));
            }),
            _ => mapped(&values, &dense, |v, out: &mut [i8]| {
                out.iter_mut()
                    .zip(v)
                    .for_each(|(to, v)| *to = steps.byte(*v) as i8);
            }),
        };
        back_in_order(stored, &order).as_quantized(self)
    }

    /// The numbers of a tensor of one scale and integers of 8 bits, in its own order in memory.
    fn dequantize_bytes(&self, tensor: &Tensor) -> Option<Tensor> {
        let Quantizer::Tensor { scale, zero_point } = *self else {
            return None;
        };
        let (least, greatest) = bounds(tensor.dtype());
        if !(least..=greatest).contains(&zero_point) {
            return None;
        }
        let (scale, zero) = (scale as f32, zero_point as f32);
        let (dense, order) = in_memory_order(&tensor.stored());
        let out = match tensor.dtype() {
            DType::QU8 => mapped(&dense.data::<u8>(), &dense, |v, out: &mut [f32]| {
                let each = out.iter_mut().zip(v);
                each.for_each(|(to, v)| *to = (f32::from(*v) - zero) * scale);
            }),
            DType::QI8 => mapped(&dense.data::<i8>(), &dense, |v, out: &mut [f32]| {
                let each = out.iter_mut().zip(v);
                each.for_each(|(to, v)| *to = (f32::from(*v) - zero) * scale);
            }),
            _ => return None,
        };
        Some(back_in_order(out, &order))
    }

    /// The numbers of a tensor as the reference's vectors of 64 bytes have them: each comes of its integer by one
    /// multiply-add. What fills no vector is computed as by [`Tensor::dequantized`], and so is everything where slices have
    /// scales of their own.
    pub fn dequantized_in_vectors(&self, tensor: &Tensor) -> Tensor {
        let plain = tensor.dequantized();
        let Quantizer::Tensor { scale, zero_point } = *self else {
            return plain;
        };
        let (scale, zero) = (scale as f32, zero_point as f32);
        let offset = scale * -zero;
        let lanes = 64 / tensor.dtype().size().max(1);
        let (stored, order) = in_memory_order(&tensor.stored());
        let integers: Vec<i64> = stored.to_vec();
        let whole = integers.len() / lanes * lanes;
        let mut out = Buffer::<f32>::unspecified(integers.len());
        for (i, (to, q)) in out.iter_mut().zip(&integers).enumerate() {
            *to = match i < whole {
                true => scale.mul_add(*q as f32, offset),
                false => (*q as f32 - zero) * scale,
            };
        }
        back_in_order(out.into_tensor(stored.sizes()), &order)
    }

    /// A quantized tensor of these integers, which are brought into the dtype's bounds.
    pub fn of_integers(
        self: &Arc<Self>,
        integers: &[i64],
        sizes: &[usize],
        dtype: DType,
    ) -> Result<Tensor> {
        let (least, greatest) = bounds(dtype);
        let fit = |v: &i64| (*v).clamp(least, greatest);
        let stored = match dtype {
            DType::QI8 => {
                Tensor::from_vec(integers.iter().map(|v| fit(v) as i8).collected(), sizes)?
            }
            DType::QU8 => {
                Tensor::from_vec(integers.iter().map(|v| fit(v) as u8).collected(), sizes)?
            }
            DType::QI32 => {
                Tensor::from_vec(integers.iter().map(|v| fit(v) as i32).collected(), sizes)?
            }
            other => {
                return Err(Fault::runtime(format!(
                    "{other} is no dtype of quantized tensors"
                )));
            }
        };
        Ok(stored
            .as_quantized(self)
            .expect("a dtype that integers are stored as"))
    }
}

/// Numbers to integers of 8 bits.
#[derive(Clone, Copy)]
struct Steps {
    inverse: f32,
    /// The bounds, without the zero point.
    least: f32,
    greatest: f32,
    zero_point: u8,
}

/// Added to a small number, this leaves the nearest integer, the even one of two, in its lowest bits.
const ROUND: f32 = 12_582_912.0;

impl Steps {
    /// The lowest 8 bits of the integer of a number. What is no number is the greatest one, as the conversion instruction
    /// of the reference's machines has it.
    #[inline(always)]
    fn byte(self, value: f32) -> u8 {
        let steps = value * self.inverse;
        let steps = if steps < self.greatest {
            steps
        } else {
            self.greatest
        };
        let steps = if steps > self.least {
            steps
        } else {
            self.least
        };
        ((steps + ROUND).to_bits() as u8).wrapping_add(self.zero_point)
    }
}

/// A tensor whose dimensions are in the order in which they lie in memory, where that is a usual one, and what that order
/// is; else a copy.
fn in_memory_order(tensor: &Tensor) -> (Tensor, Vec<usize>) {
    let mut order: Vec<usize> = (0..tensor.rank()).collected();
    let lasts = [MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d];
    let last = |f: MemoryFormat| tensor.layout().is_contiguous_in(f);
    if tensor.rank() >= 3 && !tensor.is_contiguous() && lasts.into_iter().any(last) {
        let channels = order.remove(1);
        order.push(channels);
        if let Ok(view) = tensor.view_with(tensor.layout().permute(&order)) {
            return (view, order);
        }
        crate::order::sort(&mut order);
    }
    (tensor.contiguous(), order)
}

/// Undoes [`in_memory_order`] for a tensor of the same sizes.
fn back_in_order(tensor: Tensor, order: &[usize]) -> Tensor {
    if order.is_sorted() {
        return tensor;
    }
    let mut back = memory::filled(order.len(), 0);
    for (i, d) in order.iter().enumerate() {
        back[*d] = i;
    }
    let layout = tensor.layout().permute(&back);
    tensor.view_with(layout).expect("the same memory")
}

/// A tensor of the sizes of another whose elements `f` makes of its elements, part by part.
fn mapped<T: Element, U: Element>(
    values: &[T],
    like: &Tensor,
    f: impl Fn(&[T], &mut [U]) + Sync,
) -> Tensor {
    let mut out = Buffer::<U>::unspecified(values.len());
    threads::split_rows(&mut out, 1, 64, 1, &|range, out| {
        let parts = out.chunks_mut(PART).zip(values[range].chunks(PART));
        for (out, values) in parts {
            watch::poll();
            f(values, out);
        }
    });
    out.into_tensor(like.sizes())
}

impl Tensor {
    /// This tensor with the order of dimensions in memory that another has, where that one has the channels last.
    pub fn ordered_like(&self, other: &Tensor) -> Tensor {
        let lasts = [MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d];
        let format = lasts.into_iter().find(|f| {
            !other.is_contiguous()
                && other.rank() == self.rank()
                && other.layout().is_contiguous_in(*f)
        });
        match format.map(|f| self.contiguous_in(f)) {
            Some(Ok(ordered)) => ordered,
            _ => self.clone(),
        }
    }

    /// The numbers that a quantized tensor stands for, as float32; other tensors are themselves.
    pub fn dequantized(&self) -> Tensor {
        match self.quantizer() {
            Some(quantizer) => quantizer.dequantize_bytes(self).unwrap_or_else(|| {
                Tensor::from_vec(quantizer.dequantize(self), self.sizes())
                    .expect("as many numbers as integers")
                    .ordered_like(self)
            }),
            None => self.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(values: &[f32]) -> Tensor {
        Tensor::from_slice(values, &[values.len()]).unwrap()
    }

    #[test]
    fn halves_go_to_even_integers_and_bounds_hold() {
        let quantizer = Arc::new(Quantizer::Tensor {
            scale: 0.5,
            zero_point: 3,
        });
        let q = quantizer
            .quantize(&tensor(&[0.25, 0.75, -1e9, 1e9]), DType::QI8)
            .unwrap();
        assert_eq!(q.stored().to_vec::<i64>(), [3, 5, -128, 127]);
        assert_eq!(q.dequantized().to_vec::<f32>(), [0.0, 1.0, -65.5, 62.0]);
    }

    #[test]
    fn what_is_no_number_is_the_greatest_and_channels_stay_last() {
        let quantizer = Arc::new(Quantizer::Tensor {
            scale: 0.5,
            zero_point: 3,
        });
        let wild = tensor(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.25]);
        let q = quantizer.quantize(&wild, DType::QU8).unwrap();
        assert_eq!(q.stored().to_vec::<i64>(), [255, 255, 0, 3]);
        let x: Vec<f32> = (0..24u8).map(f32::from).collect();
        let x = Tensor::from_slice(&x, &[1, 3, 2, 4]).unwrap();
        let last = x.contiguous_in(MemoryFormat::ChannelsLast).unwrap();
        let q = quantizer.quantize(&last, DType::QU8).unwrap();
        assert_eq!(q.strides(), last.strides());
        assert_eq!(q.dequantized().strides(), last.strides());
        assert_eq!(q.dequantized().to_vec::<f32>(), x.to_vec::<f32>());
    }

    #[test]
    fn channels_have_scales_of_their_own() {
        let quantizer = Arc::new(Quantizer::Channel {
            scales: vec![1.0, 0.5],
            zero_points: vec![0.0, 10.0],
            axis: 0,
            floating: false,
        });
        let x = Tensor::from_slice(&[1.0f32, 2.0, 1.0, 2.0], &[2, 2]).unwrap();
        let q = quantizer.quantize(&x, DType::QU8).unwrap();
        assert_eq!(q.stored().to_vec::<i64>(), [1, 2, 12, 14]);
        assert_eq!(q.dequantized().to_vec::<f32>(), x.to_vec::<f32>());
    }

    #[test]
    fn an_axis_without_scales_is_refused() {
        let quantizer = Arc::new(Quantizer::Channel {
            scales: vec![1.0],
            zero_points: vec![0.0],
            axis: 2,
            floating: false,
        });
        assert!(quantizer.quantize(&tensor(&[1.0]), DType::QI8).is_err());
    }
}
