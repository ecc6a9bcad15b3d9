//! Transposed convolution: a matrix product gives every input position's patch, the patches are added up.

use super::geometry::Geometry;
use crate::linalg::gemm::{Matrix, Product, product};
use rushlight_tensor::memory;
use rushlight_tensor::{Buffer, Result, Tensor, watch};

/// The transposed convolution of `x` with `w`, row-major.
pub(super) fn compute<T: Product>(
    g: &Geometry,
    x: &Tensor,
    w: &Tensor,
    bias: Option<&Tensor>,
    sizes: &[usize],
) -> Result<Tensor> {
    let (xs, ws) = (x.data::<T>(), w.data::<T>());
    let bias = bias.map(|b| b.data::<T>());
    let output = g.output()?;
    let plane: usize = output.iter().product();
    let in_plane: usize = g.input.iter().product();
    let mut out = Buffer::<T>::stale(rushlight_tensor::memory::numel(sizes));
    if out.is_empty() {
        return Ok(out.into_tensor(sizes));
    }
    for (c, channel) in out.chunks_mut(plane).enumerate() {
        watch::poll();
        channel.fill(bias.as_ref().map_or(T::ZERO, |b| b[c % g.out_channels]));
    }
    let rows = g.group_out() * g.taps();
    let mut patches = memory::filled(memory::times([rows, in_plane]), T::ZERO);
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
            product(left, right, &mut patches, in_plane, false);
            add_patches(g, &patches, result, output);
        }
    }
    Ok(out.into_tensor(sizes))
}

/// Adds each row of the patch matrix (one output channel and tap) to the positions that it falls on.
fn add_patches<T: Product>(g: &Geometry, patches: &[T], result: &mut [T], output: [usize; 3]) {
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
        for z in 0..depth {
            watch::poll();
            let Some(oz) = place(0, z, kz) else { continue };
            for y in 0..height {
                let Some(oy) = place(1, y, ky) else { continue };
                let line = &values[(z * height + y) * width..][..width];
                let target = &mut out[(oz * output[1] + oy) * output[2]..][..output[2]];
                for (x, value) in line.iter().enumerate() {
                    if let Some(ox) = place(2, x, kx) {
                        target[ox] = target[ox].add(*value);
                    }
                }
            }
        }
    }
}
