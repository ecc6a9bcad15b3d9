//! Transposed convolution: a matrix product gives every input position's patch, the patches are added up.

use super::after::After;
use super::forward::compute_some;
use super::geometry::Geometry;
use crate::compute::round_to;
use crate::linalg::gemm::{Matrix, Product, cost, product};
use rushlight_tensor::memory;
use rushlight_tensor::{Buffer, DType, Result, Tensor, threads, watch};

/// The transposed convolution of `x` with `w`, row-major.
pub fn compute<T: Product>(
    g: &Geometry,
    x: &Tensor,
    w: &Tensor,
    bias: Option<&Tensor>,
    sizes: &[usize],
    dtype: DType,
) -> Result<Tensor> {
    // Sums of float16 are rounded after each step, and the bias comes last.
    let narrow = dtype == DType::F16;
    if let (false, Some(plain)) = (narrow, as_plain(g)) {
        let turned = turned::<T>(g, w)?;
        // By sums of products alone: nothing is rounded but these.
        let nothing = After::NOTHING;
        let (out, _) = compute_some::<T>(&plain, x, &turned, bias, sizes, nothing, false)?;
        return Ok(out.into_tensor(sizes));
    }
    let (xs, ws) = (x.data::<T>(), w.data::<T>());
    let bias = bias.map(|b| b.data::<T>());
    let output = g.output()?;
    let plane: usize = output.iter().product();
    let in_plane: usize = g.input.iter().product();
    let mut out = Buffer::<T>::unspecified(rushlight_tensor::memory::numel(sizes));
    if out.is_empty() {
        return Ok(out.into_tensor(sizes));
    }
    for (c, channel) in out.chunks_mut(plane).enumerate() {
        watch::poll();
        let first = bias.as_ref().filter(|_| !narrow);
        channel.fill(first.map_or(T::ZERO, |b| b[c % g.out_channels]));
    }
    let rows = g.group_out() * g.taps();
    let (xs, ws) = (&xs[..], &ws[..]);
    let unit = channels_at_once(g.taps());
    for n in 0..g.batch {
        watch::poll();
        for group in 0..g.groups {
            watch::poll();
            let first_in = (n * g.in_channels + group * g.group_in()) * in_plane;
            let image = &xs[first_in..first_in + g.group_in() * in_plane];
            let first_w = group * g.group_in() * rows;
            let weight = &ws[first_w..first_w + g.group_in() * rows];
            let first_out = (n * g.out_channels + group * g.group_out()) * plane;
            let result = &mut out[first_out..first_out + g.group_out() * plane];
            if in_plane == 0 || rows == 0 {
                continue;
            }
            let left = Matrix::dense(weight, g.group_in(), rows).transposed();
            let right = Matrix::dense(image, g.group_in(), in_plane);
            let cost = cost(g.taps() * in_plane, g.group_in()).saturating_add(g.taps() * in_plane);
            threads::split_rows(result, plane, unit, cost, &|channels, result| {
                let mut patches =
                    memory::filled(memory::times([unit * g.taps(), in_plane]), T::ZERO);
                let results = result.chunks_mut(unit * plane);
                for (first, result) in channels.step_by(unit).zip(results) {
                    watch::poll();
                    let own = first * g.taps()..(first + result.len() / plane) * g.taps();
                    let patches = &mut patches[..own.len() * in_plane];
                    product(left.rows_in(own), right, patches, in_plane, false);
                    if narrow {
                        patches.iter_mut().for_each(|v| *v = rounded(*v));
                        add_patches(g, patches, result, output, |sum, v| rounded(sum.add(v)));
                    } else {
                        add_patches(g, patches, result, output, T::add);
                    }
                }
            });
        }
    }
    if let Some(bias) = bias.filter(|_| narrow) {
        for (c, channel) in out.chunks_mut(plane).enumerate() {
            watch::poll();
            let b = bias[c % g.out_channels];
            channel.iter_mut().for_each(|v| *v = v.add(b));
        }
    }
    Ok(out.into_tensor(sizes))
}

/// The plain convolution that a transposed one of planes or lines without strides is, by turned weights. In three dimensions
/// kernels gain less, and patches are sums of fewer numbers, which round less.
fn as_plain(g: &Geometry) -> Option<Geometry> {
    if g.stride != [1; 3] || g.taps() == 0 || g.dims == 3 {
        return None;
    }
    let (mut before, mut after) = ([0; 3], [0; 3]);
    for d in 0..3 {
        let around = (g.kernel[d] - 1).checked_mul(g.dilation[d])?;
        before[d] = around.checked_sub(g.before[d])?;
        after[d] = around
            .checked_sub(g.after[d])?
            .checked_add(g.output_padding[d])?;
    }
    Some(Geometry {
        before,
        after,
        output_padding: [0; 3],
        transposed: false,
        ..g.clone()
    })
}

/// The weights by output channel and input channel, the last tap first.
fn turned<T: Product>(g: &Geometry, w: &Tensor) -> Result<Tensor> {
    let (ins, outs, taps) = (g.group_in(), g.group_out(), g.taps());
    let from = w.data::<T>();
    let mut turned = Buffer::<T>::unspecified(from.len());
    let size = memory::times([ins, outs, taps]);
    if size == 0 {
        return Ok(turned.into_tensor(&[g.out_channels, ins, taps]));
    }
    for (from, to) in from.chunks_exact(size).zip(turned.chunks_exact_mut(size)) {
        watch::poll();
        for (n, to) in to.chunks_exact_mut(taps).enumerate() {
            let (o, i) = (n / ins, n % ins);
            let from = &from[(i * outs + o) * taps..][..taps];
            for (to, from) in to.iter_mut().zip(from.iter().rev()) {
                *to = *from;
            }
        }
    }
    Ok(turned.into_tensor(&[g.out_channels, ins, taps]))
}

/// A number as float16 holds it.
fn rounded<T: Product>(v: T) -> T {
    T::from_f64(round_to(v.to_f64(), DType::F16))
}

/// Adds each row of the patch matrix (one output channel and tap) to the positions that it falls on.
fn add_patches<T: Product>(
    g: &Geometry,
    patches: &[T],
    result: &mut [T],
    output: [usize; 3],
    add: impl Fn(T, T) -> T,
) {
    let plane: usize = output.iter().product();
    let in_plane: usize = g.input.iter().product();
    let [depth, height, width] = g.input;
    for (row, values) in patches.chunks(in_plane).enumerate() {
        watch::poll();
        let (channel, tap) = (row / g.taps(), row % g.taps());
        let kx = tap % g.kernel[2];
        let ky = tap / g.kernel[2] % g.kernel[1];
        let kz = tap / (g.kernel[2] * g.kernel[1]);
        let out = &mut result[channel * plane..(channel + 1) * plane];
        let place = |d: usize, i: usize, k: usize| {
            (i * g.stride[d] + k * g.dilation[d])
                .checked_sub(g.before[d])
                .filter(|o| *o < output[d])
        };
        // The positions of a line that fall inside: those from the first on that does, as many as there is room for.
        let Some(first) = (0..width).find(|x| place(2, *x, kx).is_some()) else {
            continue;
        };
        let start = first * g.stride[2] + kx * g.dilation[2] - g.before[2];
        let step = g.stride[2];
        for z in 0..depth {
            watch::poll();
            let Some(oz) = place(0, z, kz) else { continue };
            for y in 0..height {
                let Some(oy) = place(1, y, ky) else { continue };
                let line = &values[(z * height + y) * width..][first..width];
                let target = &mut out[(oz * output[1] + oy) * output[2]..][start..output[2]];
                if step == 1 {
                    for (sum, value) in target.iter_mut().zip(line) {
                        *sum = add(*sum, *value);
                    }
                } else {
                    for (sum, value) in target.iter_mut().step_by(step).zip(line) {
                        *sum = add(*sum, *value);
                    }
                }
            }
        }
    }
}

/// How many channels are worked on together: their patches stay in the second-level cache, and products have rows by which
/// they may be cut without that any number is added up in another order.
fn channels_at_once(taps: usize) -> usize {
    const ROWS: usize = 48;
    let (mut a, mut b) = (ROWS, taps.max(1));
    while b > 0 {
        (a, b) = (b, a % b);
    }
    ROWS / a
}
