//! The exact sums of quantized layers: products of integers without their zero points, in rows with a number for each
//! output channel. Bytes are multiplied as they are stored, and what the zero points make of it is taken off afterwards.

use super::dot::{Columns, Product, product};
use super::packed::{Convolution, Weights};
use crate::isa::multiversion;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{DType, Fault, Quantizer, Result, Tensor, threads, watch};

/// Bytes of rows that are multiplied at a time.
const STRIP: usize = 1 << 17;

/// The stored integers of an activation as unsigned bytes, channels last.
pub struct Bytes {
    pub values: Vec<u8>,
    pub zero_point: i32,
}

impl Bytes {
    /// The integers of a quantized tensor whose dimensions are brought into `order`.
    pub fn of(x: &Tensor, order: &[usize]) -> Result<Bytes> {
        let Some(Quantizer::Tensor { zero_point, .. }) = x.quantizer().map(|q| &**q) else {
            return Err(Fault::internal("an activation without one scale"));
        };
        let stored = x.stored();
        let stored = stored.view_with(stored.layout().permute(order))?;
        let zero_point = *zero_point as i32;
        match x.dtype() {
            DType::QU8 => Ok(Bytes {
                values: stored.to_vec(),
                zero_point,
            }),
            DType::QI8 => {
                let signed: Vec<i8> = stored.to_vec();
                let values = signed.into_iter().map(|v| v as u8 ^ 0x80).collected();
                Ok(Bytes {
                    values,
                    zero_point: zero_point + 128,
                })
            }
            other => Err(Fault::runtime(format!(
                "quantized layers take activations of 8 bits, not {}",
                other.name()
            ))),
        }
    }
}

/// The weights of a layer as columns of bytes, one set for each group.
pub struct Prepared {
    groups: Vec<Columns>,
    /// The zero points of all channels, where one is not zero.
    zero_points: Option<Vec<i32>>,
}

impl Prepared {
    /// Packs weights of output channels by input channels by kernel positions; numbers of a column stand by kernel
    /// position first.
    pub fn new(weights: &Weights, groups: usize) -> Result<Prepared> {
        let weight = &weights.weight;
        if weight.dtype() != DType::QI8 {
            return Err(Fault::runtime(format!(
                "quantized layers take weights of dtype qint8, not {}",
                weight.dtype().name()
            )));
        }
        let (channels, inputs) = (weight.size(0), weight.size(1));
        if groups == 0 || !channels.is_multiple_of(groups) {
            return Err(super::packed::malformed());
        }
        let taps: usize = weight.sizes()[2..].iter().product();
        let stored: Vec<i8> = weight.stored().to_vec();
        let own = channels / groups;
        let columns = |group: usize| {
            Columns::new(own, taps * inputs, |column, k| {
                let (tap, input) = (k / inputs, k % inputs);
                stored[((group * own + column) * inputs + input) * taps + tap]
            })
        };
        Ok(Prepared {
            groups: (0..groups).map(columns).collected(),
            zero_points: (!weights.is_symmetric()).then(|| weights.zero_points(channels)),
        })
    }
}

/// Multiplies rows of `group` and takes off what zero points add. Results stand at the channels of the group in rows of
/// all channels.
fn multiply(
    rows: &[u8],
    stride: usize,
    (prepared, group): (&Prepared, usize),
    zero_point: i32,
    out: &mut [i32],
    channels: usize,
) {
    let columns = &prepared.groups[group];
    let first = group * columns.count();
    let of = Product {
        rows,
        stride,
        count: out.len() / channels.max(1),
        columns,
        out_stride: channels,
    };
    product(of, out.get_mut(first..).unwrap_or_default());
    for (i, row) in out.chunks_mut(channels.max(1)).enumerate() {
        let row = &mut row[first..first + columns.count()];
        for (sum, weight) in row.iter_mut().zip(columns.sums()) {
            *sum = sum.wrapping_sub(zero_point.wrapping_mul(*weight));
        }
        if let Some(zeros) = &prepared.zero_points {
            let bytes = &rows[i * stride..i * stride + columns.depth()];
            let total: i32 = bytes.iter().map(|v| i32::from(*v) - zero_point).sum();
            for (sum, zero) in row.iter_mut().zip(&zeros[first..]) {
                *sum = sum.wrapping_sub(zero.wrapping_mul(total));
            }
        }
    }
}

/// What a row costs, in elements of a simple loop: products of bytes are made dozens at a time.
fn cost(channels: usize, depth: usize) -> usize {
    channels.saturating_mul(depth) / 32
}

/// The sums of a linear layer over `rows` rows.
pub fn linear(x: &Bytes, rows: usize, weights: &Weights) -> Result<Vec<i32>> {
    let prepared = weights.prepared(1)?;
    let columns = &prepared.groups[0];
    let (depth, stride, channels) = (columns.depth(), columns.row_bytes(), columns.count());
    let mut out = memory::filled(memory::times([rows, channels]), 0i32);
    if channels == 0 {
        return Ok(out);
    }
    let strip = (STRIP / stride.max(1)).max(16);
    let cost = cost(channels, depth);
    threads::split_rows(&mut out, channels, 16, cost, &|part, out| {
        let mut padded = memory::filled(if depth == stride { 0 } else { strip * stride }, 0u8);
        for (i, out) in out.chunks_mut(strip * channels).enumerate() {
            watch::poll();
            let from = &x.values[(part.start + i * strip) * depth..];
            let rows = if depth == stride {
                from
            } else {
                let count = out.len() / channels;
                for (to, from) in padded
                    .chunks_mut(stride)
                    .zip(from.chunks(depth))
                    .take(count)
                {
                    to[..depth].copy_from_slice(from);
                }
                &padded
            };
            multiply(rows, stride, (prepared, 0), x.zero_point, out, channels);
        }
    });
    Ok(out)
}

/// A convolution over a batch of volumes; pictures have one layer.
struct Geometry {
    batch: usize,
    channels: usize,
    groups: usize,
    input: [usize; 3],
    kernel: [usize; 3],
    stride: [usize; 3],
    padding: [usize; 3],
    dilation: [usize; 3],
    output: [usize; 3],
}

impl Geometry {
    /// The plan of a layer for an input; `None` where the layer does not fit it or turns around.
    fn new(x: &Tensor, layer: &Convolution) -> Option<Geometry> {
        let weight = &layer.weights.weight;
        let dims = weight.rank().checked_sub(2)?;
        if x.rank() != dims + 2 || layer.transposed || !(1..=3).contains(&dims) {
            return None;
        }
        let lift = |values: &[i64], filler: usize| -> Option<[usize; 3]> {
            let mut out = [filler; 3];
            for (to, from) in out[3 - dims..].iter_mut().zip(values) {
                *to = usize::try_from(*from).ok()?;
            }
            Some(out)
        };
        let sizes = |sizes: &[usize]| {
            let mut out = [1; 3];
            out[3 - dims..].copy_from_slice(&sizes[2..]);
            out
        };
        let mut geometry = Geometry {
            batch: x.size(0),
            channels: x.size(1),
            groups: usize::try_from(layer.groups).ok().filter(|g| *g > 0)?,
            input: sizes(x.sizes()),
            kernel: sizes(weight.sizes()),
            stride: lift(&layer.stride, 1)?,
            padding: lift(&layer.padding, 0)?,
            dilation: lift(&layer.dilation, 1)?,
            output: [0; 3],
        };
        let fits = geometry.channels == weight.size(1).checked_mul(geometry.groups)?
            && weight.size(0).is_multiple_of(geometry.groups)
            && geometry.channels > 0;
        for d in 0..3 {
            let reach = geometry.kernel[d]
                .checked_sub(1)?
                .checked_mul(geometry.dilation[d])?;
            let padded = geometry.padding[d]
                .checked_mul(2)?
                .checked_add(geometry.input[d])?;
            let room = padded.checked_sub(reach.checked_add(1)?)?;
            geometry.output[d] = (room.checked_div(geometry.stride[d])?).checked_add(1)?;
        }
        fits.then_some(geometry)
    }

    /// Calls `f` with the number of every kernel position of an output pixel, and the pixel of the input that lies there.
    #[inline(always)]
    fn for_each_tap(&self, pixel: usize, mut f: impl FnMut(usize, Option<usize>)) {
        let [depth, height, width] = self.output;
        let at = [
            pixel / (height * width) % depth,
            pixel / width % height,
            pixel % width,
        ];
        let image = pixel / (depth * height * width);
        let place = |d: usize, k: usize| {
            let place = at[d] * self.stride[d] + k * self.dilation[d];
            place
                .checked_sub(self.padding[d])
                .filter(|place| *place < self.input[d])
        };
        let mut tap = 0;
        for kz in 0..self.kernel[0] {
            let z = place(0, kz);
            for ky in 0..self.kernel[1] {
                let row = z.zip(place(1, ky)).map(|(z, y)| {
                    ((image * self.input[0] + z) * self.input[1] + y) * self.input[2]
                });
                for kx in 0..self.kernel[2] {
                    f(tap, row.zip(place(2, kx)).map(|(row, x)| row + x));
                    tap += 1;
                }
            }
        }
    }

    /// Whether rows of the input are rows of the product.
    fn is_plain(&self) -> bool {
        self.kernel == [1; 3]
            && self.stride == [1; 3]
            && self.padding == [0; 3]
            && self.groups == 1
            && self.channels.is_multiple_of(4)
    }
}

/// The sums of a convolution and the sizes of its output, batch first and channels last; `None` where only the general
/// kernel knows what to do.
pub fn convolution(x: &Tensor, layer: &Convolution) -> Result<Option<(Vec<i32>, Vec<usize>)>> {
    let Some(geometry) = Geometry::new(x, layer) else {
        return Ok(None);
    };
    let mut order: Vec<usize> = (0..x.rank()).collected();
    let channels_first = order.remove(1);
    order.push(channels_first);
    let bytes = Bytes::of(x, &order)?;
    let weights = &layer.weights;
    let channels = weights.weight.size(0);
    let mut sizes = memory::collect([geometry.batch]);
    sizes.extend(&geometry.output[3 - (x.rank() - 2)..]);
    sizes.push(channels);
    let mut out = memory::filled(memory::numel(&sizes), 0i32);
    if out.is_empty() {
        return Ok(Some((out, sizes)));
    }
    if geometry.groups == geometry.channels && geometry.groups == channels {
        depthwise(&geometry, &bytes, weights, &mut out);
        return Ok(Some((out, sizes)));
    }
    let prepared = weights.prepared(geometry.groups)?;
    if geometry.is_plain() {
        let depth = geometry.channels;
        let strip = (STRIP / depth).max(16);
        let cost = cost(channels, depth);
        threads::split_rows(&mut out, channels, 16, cost, &|part, out| {
            let strips = bytes.values[part.start * depth..].chunks(strip * depth);
            for (rows, out) in strips.zip(out.chunks_mut(strip * channels)) {
                watch::poll();
                let zero_point = bytes.zero_point;
                multiply(rows, depth, (prepared, 0), zero_point, out, channels);
            }
        });
        return Ok(Some((out, sizes)));
    }
    let inputs = geometry.channels / geometry.groups;
    let stride = prepared.groups[0].row_bytes();
    let strip = (STRIP / stride.max(1)).max(16);
    let nothing = bytes.zero_point as u8;
    let cost = cost(channels, stride);
    threads::split_rows(&mut out, channels, 16, cost, &|part, out| {
        let mut rows = memory::filled(memory::times([strip, stride]), 0u8);
        for (i, out) in out.chunks_mut(strip * channels).enumerate() {
            let count = out.len() / channels;
            for group in 0..geometry.groups {
                watch::poll();
                for (j, row) in rows.chunks_mut(stride).take(count).enumerate() {
                    geometry.for_each_tap(part.start + i * strip + j, |tap, pixel| {
                        let to = &mut row[tap * inputs..(tap + 1) * inputs];
                        match pixel {
                            Some(pixel) => {
                                let first = pixel * geometry.channels + group * inputs;
                                to.copy_from_slice(&bytes.values[first..first + inputs]);
                            }
                            None => to.fill(nothing),
                        }
                    });
                }
                let which = (prepared, group);
                multiply(&rows, stride, which, bytes.zero_point, out, channels);
            }
        }
    });
    Ok(Some((out, sizes)))
}

/// A convolution of each channel by itself.
fn depthwise(geometry: &Geometry, x: &Bytes, weights: &Weights, out: &mut [i32]) {
    let channels = geometry.channels;
    let taps: usize = geometry.kernel.iter().product();
    let stored: Vec<i8> = weights.weight.stored().to_vec();
    let zeros = weights.zero_points(channels);
    let mut turned = memory::filled(stored.len(), 0i16);
    for (i, value) in stored.into_iter().enumerate() {
        let (channel, tap) = (i / taps, i % taps);
        turned[tap * channels + channel] = i16::from(value).wrapping_sub(zeros[channel] as i16);
    }
    threads::split_rows(out, channels, 1, channels * taps / 4, &|pixels, out| {
        for (pixel, row) in pixels.zip(out.chunks_mut(channels)) {
            watch::poll();
            geometry.for_each_tap(pixel, |tap, from| {
                if let Some(from) = from {
                    let bytes = &x.values[from * channels..(from + 1) * channels];
                    let weights = &turned[tap * channels..(tap + 1) * channels];
                    add_products(row, bytes, weights, x.zero_point as i16);
                }
            });
        }
    });
}

multiversion! {
    fn add_products(sums: &mut [i32], bytes: &[u8], weights: &[i16], zero: i16) = run_products
}

#[inline(always)]
fn run_products<const FUSED: bool>(sums: &mut [i32], bytes: &[u8], weights: &[i16], zero: i16) {
    let n = sums.len();
    let (bytes, weights) = (&bytes[..n], &weights[..n]);
    for i in 0..n {
        let x = i32::from(i16::from(bytes[i]).wrapping_sub(zero));
        sums[i] = sums[i].wrapping_add(x * i32::from(weights[i]));
    }
}
