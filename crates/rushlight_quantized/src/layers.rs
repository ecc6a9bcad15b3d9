//! Quantized layers: exact sums of products of integers without their zero points, finished as the caller says.
//!
//! Bytes are multiplied as they are stored; what the zero point of the input makes of it is a number for each channel, with
//! which sums begin. A convolution reads its windows from a picture whose channels come last and around which there is room
//! for the padding; nothing is gathered.

use super::depthwise::{self, Filter};
use super::dot::{Columns, Product, fits_pairs, product};
use super::finish::{Finish, Joint, Numbers, Rounding, Scaled, Scales, Steps, Whole};
use super::geometry::Geometry;
use super::packed::{Convolution, Weights};
use rushlight_kernels::isa::multiversion;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::threads::{self, Strip};
use rushlight_tensor::{Buffer, DType, Fault, Quantizer, Result, Tensor, watch};
use std::ops::Range;

/// Rows that are multiplied before the next look at the limits of the running call.
const STRIP: usize = 504;

/// Rows that a thread is given at the least, where there are more.
const UNIT: usize = 14;

/// Channels that a thread is given at the least: two blocks of columns.
const WIDE: usize = 32;

/// The weights of a layer as columns of bytes, one set for each group.
pub struct Prepared {
    groups: Vec<Columns>,
    /// The zero points of all channels, where one is not zero.
    zero_points: Option<Vec<i32>>,
    /// Where each channel is convolved by itself.
    filter: Option<Filter>,
}

impl Prepared {
    /// Packs weights of output channels by input channels by kernel positions. Where `joined`, the positions of a row of
    /// the kernel lie beside each other in the picture.
    pub fn new(weights: &Weights, groups: usize, joined: bool) -> Result<Prepared> {
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
        let kernel = &weight.sizes()[2..];
        let taps: usize = kernel.iter().product();
        let together = match (joined, kernel.last()) {
            (true, Some(width)) => *width,
            _ => 1,
        };
        let stored: Vec<i8> = weight.stored().to_vec();
        let own = channels / groups;
        let zero_points = (!weights.is_symmetric()).then(|| weights.zero_points(channels));
        let alone = inputs == 1 && own == 1 && groups > 1;
        if alone && zero_points.is_none() && kernel.len() == 2 {
            return Ok(Prepared {
                groups: Vec::new(),
                zero_points,
                filter: Some(Filter::new(channels, [kernel[0], kernel[1]], &stored)),
            });
        }
        let columns = |group: usize| {
            let pieces = taps.checked_div(together).unwrap_or(0);
            Columns::new(own, pieces, together * inputs, |column, piece, k| {
                let (tap, input) = (piece * together + k / inputs, k % inputs);
                stored[((group * own + column) * inputs + input) * taps + tap]
            })
        };
        Ok(Prepared {
            groups: (0..groups).map(columns).collected(),
            zero_points,
            filter: None,
        })
    }
}

/// Some channels of some rows of results.
struct Part<'a, T> {
    rows: Range<usize>,
    /// The first channel.
    first: usize,
    out: Strip<'a, T>,
}

/// Runs `body` on parts of rows of `channels` results. Where there are few rows threads have channels of their own, and none
/// reads the weights of another.
fn split<T: Send>(
    out: &mut [T],
    channels: usize,
    depth: usize,
    groups: usize,
    body: &(dyn Fn(Part<'_, T>) + Sync),
) {
    let rows = out.len() / channels;
    // In elements of a simple loop: products of bytes are made dozens at a time.
    let cost = |many: usize| many.saturating_mul(depth) / 32;
    let strips = |rows: Range<usize>, first: usize, mut out: Strip<'_, T>| {
        for start in rows.clone().step_by(STRIP) {
            let end = rows.end.min(start + STRIP);
            body(Part {
                rows: start..end,
                first,
                out: out.rows_of(start - rows.start..end - rows.start),
            });
        }
    };
    let few = rows < 2 * UNIT * threads::count() && channels >= WIDE * threads::count();
    if few && groups == 1 {
        let lent = Strip::of(out, rows, channels, channels);
        threads::split_lent(channels, WIDE, cost(rows), lent, &|columns, out| {
            strips(0..rows, columns.start, out);
        });
    } else {
        threads::split_rows(out, channels, UNIT, cost(channels), &|rows, out| {
            let strip = Strip::of(out, rows.len(), channels, channels);
            strips(rows, 0, strip);
        });
    }
}

/// The stored integers of an activation as unsigned bytes, and the zero point of those.
fn unsigned(x: &Tensor) -> Result<(Tensor, i32)> {
    let Some(Quantizer::Tensor { zero_point, .. }) = x.quantizer().map(|q| &**q) else {
        return Err(Fault::internal("an activation without one scale"));
    };
    let zero_point = *zero_point as i32;
    match x.dtype() {
        DType::QU8 => Ok((x.stored(), zero_point)),
        DType::QI8 => {
            let signed = x.stored();
            let dense = signed.contiguous();
            let mut out = Buffer::<u8>::unspecified(dense.numel());
            for (to, from) in out.iter_mut().zip(&dense.data::<i8>()[..]) {
                *to = *from as u8 ^ 0x80;
            }
            Ok((out.into_tensor(x.sizes()), zero_point + 128))
        }
        other => Err(Fault::runtime(format!(
            "quantized layers take activations of 8 bits, not {}",
            other.name()
        ))),
    }
}

/// The rows of one group of a layer.
struct Rows<'a> {
    bytes: &'a [u8],
    pieces: &'a [usize],
    prepared: &'a Prepared,
    group: usize,
    beginnings: &'a [i32],
    zero_point: i32,
    /// Bytes of a piece.
    length: usize,
    /// As [`Product::fits_pairs`].
    fits_pairs: bool,
}

impl Rows<'_> {
    /// The results of the group's channels from `first` on for rows that begin at `starts`, as many as `out` has.
    fn run<F: Finish>(
        &self,
        starts: &[usize],
        first: usize,
        finish: &F,
        out: &mut Strip<'_, F::Out>,
    ) {
        let columns = &self.prepared.groups[self.group];
        let channel = self.group * columns.count();
        let of = Product {
            bytes: self.bytes,
            starts,
            pieces: self.pieces,
            columns,
            beginnings: self.beginnings,
            first,
            channel,
            fits_pairs: self.fits_pairs,
        };
        let Some(zeros) = &self.prepared.zero_points else {
            return product(of, finish, out);
        };
        let (own, channel) = (out.columns(), channel + first);
        let mut sums = memory::filled(memory::times([starts.len(), own]), 0i32);
        let strip = &mut Strip::of(&mut sums, starts.len(), own, own);
        product(of, &Whole, strip);
        for (row, start) in starts.iter().enumerate() {
            let sums = strip.row(row);
            let total: i32 = self.total(*start);
            for (sum, zero) in sums.iter_mut().zip(&zeros[channel..]) {
                *sum = sum.wrapping_sub(zero.wrapping_mul(total));
            }
            finish_row(finish, channel, sums, out.row(row));
        }
    }

    /// The sum of a row without its zero point.
    fn total(&self, start: usize) -> i32 {
        let length = self.length;
        let of_piece = |piece: &usize| {
            let bytes = &self.bytes[start + piece..][..length];
            let sum: i32 = bytes.iter().map(|v| i32::from(*v)).sum();
            sum - self.zero_point * length as i32
        };
        self.pieces.iter().map(of_piece).sum()
    }
}

multiversion! {
    pub(super) fn finish_row<F: Finish>(finish: &F, first: usize, sums: &[i32], out: &mut [F::Out]) = run_finish
}

#[inline(always)]
fn run_finish<const FUSED: bool, F: Finish>(
    finish: &F,
    first: usize,
    sums: &[i32],
    out: &mut [F::Out],
) {
    finish.put(first, sums, out);
}

/// A linear layer over the rows of a quantized tensor.
pub fn linear<F: Finish>(x: &Tensor, weights: &Weights, finish: &F) -> Result<Buffer<F::Out>> {
    let (bytes, zero_point) = unsigned(x)?;
    let bytes = bytes.contiguous();
    let rows = bytes
        .sizes()
        .split_last()
        .map_or(1, |(_, rows)| rows.iter().product());
    linear_of_bytes(&bytes.data::<u8>(), rows, zero_point, weights, finish)
}

/// A linear layer over rows of bytes.
pub fn linear_of_bytes<F: Finish>(
    bytes: &[u8],
    rows: usize,
    zero_point: i32,
    weights: &Weights,
    finish: &F,
) -> Result<Buffer<F::Out>> {
    let prepared = weights.prepared(1, false)?;
    let columns = &prepared.groups[0];
    let (depth, channels) = (weights.weight.size(1), columns.count());
    let mut out = Buffer::<F::Out>::unspecified(memory::times([rows, channels]));
    if out.is_empty() {
        return Ok(out);
    }
    let room = columns.piece_bytes() - depth;
    let padded = (room > 0).then(|| {
        let mut padded = Buffer::<u8>::zeroed(bytes.len() + room);
        padded[..bytes.len()].copy_from_slice(bytes);
        padded
    });
    let bytes = padded.as_deref().unwrap_or(bytes);
    let of = Rows {
        bytes,
        pieces: &[0],
        prepared,
        group: 0,
        beginnings: &columns.beginnings(zero_point),
        zero_point,
        length: depth,
        fits_pairs: fits_pairs(bytes),
    };
    split(&mut out, channels, depth, 1, &|mut part| {
        watch::poll();
        let starts: Vec<usize> = part.rows.map(|row| row * depth).collected();
        of.run(&starts, part.first, finish, &mut part.out);
    });
    Ok(out)
}

/// A picture whose channels come last, with room around it.
struct Picture {
    bytes: Tensor,
    /// With its padding.
    sizes: [usize; 3],
}

multiversion! {
    fn join_three(rows: [&[u8]; 3], out: &mut [u8]) = run_three
}

#[inline(always)]
fn run_three<const FUSED: bool>([a, b, c]: [&[u8]; 3], out: &mut [u8]) {
    let pixels = out.chunks_exact_mut(3);
    for (((to, a), b), c) in pixels.zip(a).zip(b).zip(c) {
        to[0] = *a;
        to[1] = *b;
        to[2] = *c;
    }
}

/// Brings the bytes of an activation into a picture with padding, and `room` bytes after it.
fn padded(x: &Tensor, geometry: &Geometry, zero_point: u8, room: usize) -> Result<Picture> {
    let (g, channels) = (geometry, geometry.channels);
    let sizes = g.padded();
    let order: Vec<usize> = match x.rank() {
        3 => memory::copied(&[0, 2, 1]),
        4 => memory::copied(&[0, 2, 3, 1]),
        _ => memory::copied(&[0, 2, 3, 4, 1]),
    };
    let last = x.view_with(x.layout().permute(&order))?;
    if sizes == g.input && room == 0 && last.is_contiguous() {
        return Ok(Picture { bytes: last, sizes });
    }
    let [deep, high, wide] = sizes;
    let line = memory::times([wide, channels]);
    let size = memory::times([g.batch, deep, high, line]);
    let mut out = Buffer::<u8>::unspecified(size.saturating_add(room));
    out[size..].fill(zero_point);
    // Few channels that come first are brought together on the way.
    let planes = !last.is_contiguous() && x.is_contiguous() && channels <= 4;
    let source = if planes { x.clone() } else { last.contiguous() };
    let source = source.data::<u8>();
    let from = &source[..];
    let (before, own) = (g.padding[2] * channels, g.input[2] * channels);
    let plane: usize = g.input.iter().product();
    threads::split_rows(&mut out[..size], line, 1, line, &|rows, out| {
        for (row, to) in rows.zip(out.chunks_mut(line)) {
            let (image, z, y) = (row / high / deep, row / high % deep, row % high);
            let inside =
                |at: usize, d: usize| at.checked_sub(g.padding[d]).filter(|at| *at < g.input[d]);
            let (Some(z), Some(y)) = (inside(z, 0), inside(y, 1)) else {
                to.fill(zero_point);
                continue;
            };
            to[..before].fill(zero_point);
            to[before + own..].fill(zero_point);
            let to = &mut to[before..before + own];
            let line = z * g.input[1] + y;
            if planes && channels == 3 {
                let rows = [0, 1, 2].map(|channel| {
                    let first = (image * channels + channel) * plane + line * g.input[2];
                    &from[first..first + g.input[2]]
                });
                join_three(rows, to);
            } else if planes {
                for channel in 0..channels {
                    let first = (image * channels + channel) * plane + line * g.input[2];
                    let from = &from[first..first + g.input[2]];
                    for (to, from) in to.chunks_exact_mut(channels).zip(from) {
                        to[channel] = *from;
                    }
                }
            } else {
                let first = image * plane * channels + line * own;
                to.copy_from_slice(&from[first..first + own]);
            }
        }
    });
    let bytes = out.into_vector();
    Ok(Picture { bytes, sizes })
}

/// Elements and the sizes that they have.
pub type Filled<T> = (Buffer<T>, Vec<usize>);

/// A convolution and the sizes of its output, batch first and channels last; `None` where only the general kernel knows
/// what to do.
pub fn convolution<F: Finish>(
    x: &Tensor,
    layer: &Convolution,
    finish: &F,
) -> Result<Option<Filled<F::Out>>> {
    let Some(geometry) = Geometry::new(x, layer) else {
        return Ok(None);
    };
    let (bytes, zero_point) = unsigned(x)?;
    let weights = &layer.weights;
    let channels = weights.weight.size(0);
    let mut sizes = memory::collect([geometry.batch]);
    sizes.extend(&geometry.output[3 - (x.rank() - 2)..]);
    sizes.push(channels);
    let mut out = Buffer::<F::Out>::unspecified(memory::numel(&sizes));
    if out.is_empty() {
        return Ok(Some((out, sizes)));
    }
    let g = &geometry;
    let joined = g.groups == 1 && g.dilation[2] == 1;
    let prepared = weights.prepared(g.groups, joined)?;
    if let Some(filter) = &prepared.filter {
        let unpadded = g.without_padding();
        let picture = padded(&bytes, &unpadded, 0, 0)?;
        let bytes = picture.bytes.data::<u8>();
        let rounding = Rounding::of_convolution(layer);
        depthwise::run(filter, g, &bytes, zero_point, rounding, finish, &mut out);
        return Ok(Some((out, sizes)));
    }
    let length = match joined {
        true => g.kernel[2] * g.channels,
        false => g.channels / g.groups,
    };
    let room = prepared.groups[0].piece_bytes() - length;
    let picture = padded(&bytes, g, zero_point as u8, room)?;
    let bytes = picture.bytes.data::<u8>();
    let [_, high, wide] = picture.sizes;
    let across = if joined { 1 } else { g.kernel[2] };
    let place = |z: usize, y: usize, x: usize| ((z * high + y) * wide + x) * g.channels;
    let mut pieces = memory::with_capacity(g.kernel[0] * g.kernel[1] * across);
    for z in 0..g.kernel[0] {
        for y in 0..g.kernel[1] {
            for x in 0..across {
                let at = place(z * g.dilation[0], y * g.dilation[1], x * g.dilation[2]);
                pieces.push(at);
            }
        }
    }
    let beginnings = prepared.groups.iter().map(|c| c.beginnings(zero_point));
    let beginnings: Vec<Vec<i32>> = beginnings.collected();
    let depth = pieces.len() * length;
    let fits_pairs = fits_pairs(&bytes);
    split(&mut out, channels, depth, g.groups, &|mut part| {
        let mut own = pieces.clone();
        let starts = g.starts(part.rows, picture.sizes);
        for (group, beginnings) in beginnings.iter().enumerate() {
            watch::poll();
            let inputs = g.channels / g.groups;
            for (own, piece) in own.iter_mut().zip(&pieces) {
                *own = piece + group * inputs;
            }
            let of = Rows {
                bytes: &bytes,
                pieces: &own,
                prepared,
                group,
                beginnings,
                zero_point,
                length,
                fits_pairs,
            };
            if g.groups == 1 {
                of.run(&starts, part.first, finish, &mut part.out);
            } else {
                let outputs = channels / g.groups;
                let mut out = part.out.only(group * outputs..(group + 1) * outputs);
                of.run(&starts, 0, finish, &mut out);
            }
        }
    });
    Ok(Some((out, sizes)))
}

/// Calls a function with the finish of integers that a rounding asks for.
macro_rules! with_finish {
    ($rounding:expr, $weights:expr, $channels:expr, $scales:expr, $relu:expr, |$finish:ident| $body:expr) => {
        match $rounding {
            Rounding::Steps => {
                let $finish = &Steps::new($weights, $channels, $scales, $relu)?;
                $body
            }
            Rounding::Joint if $weights.has_one_scale() => {
                let $finish = &Scaled::new($weights, $channels, $scales, $relu)?;
                $body
            }
            Rounding::Joint => {
                let $finish = &Joint::new($weights, $channels, $scales, $relu)?;
                $body
            }
        }
    };
}

/// A linear layer whose results are integers, none below the zero point with `relu`.
pub fn linear_to_integers(
    x: &Tensor,
    weights: &Weights,
    scales: &Scales,
    relu: bool,
) -> Result<Buffer<u8>> {
    let channels = weights.weight.size(0);
    with_finish!(Rounding::Joint, weights, channels, scales, relu, |finish| {
        linear(x, weights, finish)
    })
}

/// A linear layer over rows of bytes in steps of `input`, whose results are numbers.
pub fn linear_to_numbers(
    bytes: &[u8],
    rows: usize,
    (input, zero_point): (f64, i32),
    weights: &Weights,
    relu: bool,
) -> Result<Buffer<f32>> {
    let finish = Numbers::new(weights, weights.weight.size(0), input, relu)?;
    linear_of_bytes(bytes, rows, zero_point, weights, &finish)
}

/// As [`convolution`], where the results are integers, none below the zero point with `relu`.
pub fn convolution_to_integers(
    x: &Tensor,
    layer: &Convolution,
    scales: &Scales,
    relu: bool,
) -> Result<Option<Filled<u8>>> {
    // Its channels are elsewhere in the weight.
    if layer.transposed {
        return Ok(None);
    }
    let (weights, channels) = (&layer.weights, layer.weights.weight.size(0));
    let rounding = Rounding::of_convolution(layer);
    with_finish!(rounding, weights, channels, scales, relu, |finish| {
        convolution(x, layer, finish)
    })
}

/// The integers that rows of the sums of a convolution become, none below the zero point with `relu`.
pub fn sums_to_integers(
    sums: &[i32],
    layer: &Convolution,
    channels: usize,
    scales: &Scales,
    relu: bool,
) -> Result<Buffer<u8>> {
    let weights = &layer.weights;
    let rounding = Rounding::of_convolution(layer);
    let mut out = Buffer::<u8>::unspecified(sums.len());
    with_finish!(rounding, weights, channels, scales, relu, |finish| {
        let rows = sums.chunks(channels.max(1));
        for (sums, out) in rows.zip(out.chunks_mut(channels.max(1))) {
            watch::poll();
            finish_row(finish, 0, sums, out);
        }
    });
    Ok(out)
}
