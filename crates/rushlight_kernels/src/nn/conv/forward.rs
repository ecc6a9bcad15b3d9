//! Convolution: pointwise ones as matrix products, depthwise ones tap by tap, all others through columns.

use super::after::After;
use super::geometry::Geometry;
use super::{depthwise, direct, lines, panel, pointwise, winograd};
use crate::linalg::gemm::{Matrix, Product, product};
use crate::linalg::packed::Packed;
use rushlight_tensor::{Buffer, CacheKey, DType, Result, Tensor, watch};
use std::sync::Arc;

/// Elements of the column matrix that are made at a time: about the size of the second-level cache.
const COLUMN_BLOCK: usize = 1 << 17;

/// The convolution of `x` with `w`, row-major.
pub fn compute<T: Product>(
    g: &Geometry,
    x: &Tensor,
    w: &Tensor,
    bias: Option<&Tensor>,
    sizes: &[usize],
) -> Result<Tensor> {
    let (out, _) = compute_some::<T>(g, x, w, bias, sizes, After::NOTHING, true)?;
    Ok(out.into_tensor(sizes))
}

/// As [`compute`] in f32, and what comes after it.
pub fn compute_and(
    g: &Geometry,
    x: &Tensor,
    w: &Tensor,
    bias: Option<&Tensor>,
    sizes: &[usize],
    after: After<'_>,
) -> Result<Tensor> {
    let (mut out, done) = compute_some::<f32>(g, x, w, bias, sizes, after, true)?;
    if !done {
        after.apply(&mut out);
    }
    Ok(out.into_tensor(sizes))
}

/// The convolution, and whether what comes after it is done already: where a vector kernel made the results. Filters are changed
/// for fewer products if they `may_change`.
pub(super) fn compute_some<T: Product>(
    g: &Geometry,
    x: &Tensor,
    w: &Tensor,
    bias: Option<&Tensor>,
    sizes: &[usize],
    after: After<'_>,
    may_change: bool,
) -> Result<(Buffer<T>, bool)> {
    let (xs, ws) = (x.data::<T>(), w.data::<T>());
    let bias = bias.map(|b| b.data::<T>());
    let output = g.output()?;
    let plane: usize = output.iter().product();
    let in_plane: usize = g.input.iter().product();
    let mut out = Buffer::<T>::unspecified(rushlight_tensor::memory::numel(sizes));
    if out.is_empty() {
        return Ok((out, true));
    }
    let depth = g.group_in() * g.taps();
    if let Some(vectors) = fast_path::<T>(g, output, depth, may_change) {
        vectors(
            g,
            output,
            Elements {
                x: &xs,
                w: &ws,
                weight: w,
                bias: bias.as_deref(),
                after,
            },
            &mut out,
        );
        return Ok((out, true));
    }
    for (c, channel) in out.chunks_mut(plane).enumerate() {
        watch::poll();
        channel.fill(bias.as_ref().map_or(T::ZERO, |b| b[c % g.out_channels]));
    }
    if depth == 0 || in_plane == 0 && g.is_pointwise() {
        return Ok((out, false));
    }
    let mut columns = Vec::new();
    for n in 0..g.batch {
        watch::poll();
        for group in 0..g.groups {
            watch::poll();
            let first_in = (n * g.in_channels + group * g.group_in()) * in_plane;
            let image = &xs[first_in..first_in + g.group_in() * in_plane];
            let first_w = group * g.group_out() * depth;
            let weight = &ws[first_w..first_w + g.group_out() * depth];
            let first_out = (n * g.out_channels + group * g.group_out()) * plane;
            let result = &mut out[first_out..first_out + g.group_out() * plane];
            if g.is_pointwise() {
                let left = Matrix::dense(weight, g.group_out(), depth);
                product(
                    left,
                    Matrix::dense(image, depth, plane),
                    result,
                    plane,
                    true,
                );
            } else if g.group_in() == 1 && g.group_out() <= 4 {
                tap_by_tap(g, image, weight, result, output);
            } else {
                by_columns(g, image, weight, result, output, &mut columns);
            }
        }
    }
    Ok((out, false))
}

/// The operands of a convolution as slices.
struct Elements<'a, T> {
    x: &'a [T],
    w: &'a [T],
    /// The tensor that holds `w`.
    weight: &'a Tensor,
    bias: Option<&'a [T]>,
    after: After<'a>,
}

/// A kernel for one element type.
type Kernel<T> = fn(&Geometry, [usize; 3], Elements<'_, T>, &mut [T]);

/// The vector kernels, for f32 where the processor and the shapes suit them.
fn fast_path<T: Product>(
    g: &Geometry,
    output: [usize; 3],
    depth: usize,
    may_change: bool,
) -> Option<Kernel<T>> {
    let small = g.input.iter().product::<usize>() < u32::MAX as usize;
    let by_planes = depthwise::suits(g);
    let by_pixels = pointwise::suits(g, output);
    let worth = by_planes || by_pixels || panel::suits(g) && !g.is_pointwise();
    if !worth || depth == 0 || !small || g.input.contains(&0) {
        return None;
    }
    let kernel: Kernel<f32> = if by_planes {
        |g, output, e, out| depthwise::run(g, output, e.x, e.w, e.bias, e.after, out)
    } else if by_pixels {
        by_pixel
    } else if lines::suits(g, output) {
        by_lines
    } else if may_change && winograd::suits(g, output) {
        by_points
    } else if direct::suits(g) {
        by_tiles_or_panels
    } else {
        by_panels
    };
    let kernel: &dyn std::any::Any = &kernel;
    kernel.downcast_ref::<Kernel<T>>().copied()
}

/// Cuts the operands by sample and group and calls `f(group, operands, result)`.
fn for_each_group(
    g: &Geometry,
    output: [usize; 3],
    elements: &Elements<'_, f32>,
    out: &mut [f32],
    mut f: impl FnMut(usize, &Elements<'_, f32>, &mut [f32]),
) {
    let plane: usize = output.iter().product();
    let image = g.group_in() * g.input.iter().product::<usize>();
    let (rows, depth) = (g.group_out(), g.group_in() * g.taps());
    for (i, (x, result)) in elements
        .x
        .chunks_exact(image)
        .zip(out.chunks_exact_mut(rows * plane))
        .enumerate()
    {
        let group = i % g.groups;
        let weights = &elements.w[group * rows * depth..(group + 1) * rows * depth];
        let bias = elements.bias.map(|b| &b[group * rows..(group + 1) * rows]);
        let own = Elements {
            x,
            w: weights,
            weight: elements.weight,
            bias,
            after: elements.after.part(i * rows * plane, rows * plane),
        };
        f(group, &own, result);
    }
}

/// The packed weights of each group.
struct Groups(Vec<Packed>);

/// The packed weights: where their storage keeps them, else packed now if `now` says so.
fn packed_groups(g: &Geometry, elements: &Elements<'_, f32>, now: bool) -> Option<Arc<Groups>> {
    let (rows, depth) = (g.group_out(), g.group_in() * g.taps());
    from_groups(g, elements, now, |groups| {
        Groups(
            groups
                .map(|w| Packed::new(Matrix::dense(w, rows, depth)))
                .collect(),
        )
    })
}

/// What is made of the weights of each group: where their storage keeps it, else made now if `now` says so.
fn from_groups<T: Send + Sync + 'static>(
    g: &Geometry,
    elements: &Elements<'_, f32>,
    now: bool,
    make: impl Fn(std::slice::ChunksExact<'_, f32>) -> T,
) -> Option<Arc<T>> {
    let depth = g.group_in() * g.taps();
    let make = || make(elements.w.chunks_exact(g.group_out() * depth));
    let weight = elements.weight;
    let key = CacheKey {
        offset: weight.layout().offset() * size_of::<f32>(),
        sizes: [g.out_channels, depth],
        strides: [depth, 1],
        groups: g.groups,
    };
    let stays = weight.dtype() == DType::F32 && weight.is_contiguous();
    let kept = stays.then(|| weight.storage().derived(key, make));
    kept.flatten().or_else(|| now.then(|| Arc::new(make())))
}

/// The weights of each group with rows side by side.
struct Beside(Vec<pointwise::Rows>);

/// Convolution with a kernel of one pixel: by vectors of pixels, or by tiles where these would be half empty.
fn by_pixel(g: &Geometry, output: [usize; 3], elements: Elements<'_, f32>, out: &mut [f32]) {
    let mut thin = Vec::new();
    let x = if g.stride == [1; 3] {
        elements.x
    } else {
        pointwise::thinned(g, elements.x, output, &mut thin);
        &thin
    };
    let elements = Elements { x, ..elements };
    let pixels: usize = output.iter().product();
    let flat = Geometry {
        input: [1, 1, pixels],
        stride: [1; 3],
        ..g.clone()
    };
    if !pointwise::fills_vectors(pixels, g.group_in()) {
        return by_tiles_or_panels(&flat, flat.input, elements, out);
    }
    let depth = g.group_in();
    let packed = from_groups(g, &elements, false, |groups| {
        Beside(groups.map(|w| pointwise::Rows::new(w, depth)).collect())
    });
    for_each_group(&flat, flat.input, &elements, out, |group, own, result| {
        pointwise::Job {
            image: own.x,
            pixels,
            weights: match &packed {
                Some(packed) => pointwise::Weights::Packed(&packed.0[group]),
                None => pointwise::Weights::Plain(own.w),
            },
            depth,
            channels: g.group_out(),
            bias: own.bias,
            after: own.after,
        }
        .run(result);
    });
}

/// By lines of the image.
fn by_lines(g: &Geometry, output: [usize; 3], elements: Elements<'_, f32>, out: &mut [f32]) {
    let depth = g.group_in() * g.taps();
    let make = |groups: std::slice::ChunksExact<'_, f32>| {
        Beside(groups.map(|w| pointwise::Rows::new(w, depth)).collect())
    };
    let Some(packed) = from_groups(g, &elements, true, make) else {
        return by_panels(g, output, elements, out);
    };
    for_each_group(g, output, &elements, out, |group, own, result| {
        lines::Job {
            geometry: g,
            image: own.x,
            output,
            weights: &packed.0[group],
            bias: own.bias,
            after: own.after,
        }
        .run(result);
    });
}

/// The changed filters of each group.
struct Changed(Vec<winograd::Filters>);

/// Winograd's convolution, and panels for what has numbers that are not finite.
fn by_points(g: &Geometry, output: [usize; 3], elements: Elements<'_, f32>, out: &mut [f32]) {
    let make = |groups: std::slice::ChunksExact<'_, f32>| {
        Changed(
            groups
                .map(|w| winograd::Filters::new(w, g.group_in()))
                .collect(),
        )
    };
    let Some(filters) = from_groups(g, &elements, true, make) else {
        return by_panels(g, output, elements, out);
    };
    let mut image = winograd::Phases::default();
    for_each_group(g, output, &elements, out, |group, own, result| {
        image.fill(g, own.x, output);
        let job = winograd::Job {
            image: &image,
            output,
            filters: &filters.0[group],
            bias: own.bias,
            after: own.after,
        };
        if !job.run(result) {
            panels(g, output, own).run(result);
        }
    });
}

/// Direct convolution where the weights are packed or worth packing, else panels: the results are the same.
fn by_tiles_or_panels(
    g: &Geometry,
    output: [usize; 3],
    elements: Elements<'_, f32>,
    out: &mut [f32],
) {
    match packed_groups(g, &elements, direct::is_worth_packing(g, output)) {
        Some(packed) => by_tiles(g, output, elements, &packed, out),
        None => by_panels(g, output, elements, out),
    }
}

/// Direct convolution.
fn by_tiles(
    g: &Geometry,
    output: [usize; 3],
    elements: Elements<'_, f32>,
    packed: &Groups,
    out: &mut [f32],
) {
    let mut copy = Buffer::unspecified(0);
    let plain = g.before == [0; 3] && g.after == [0; 3];
    let mut known: Option<Vec<u32>> = None;
    for_each_group(g, output, &elements, out, |group, own, result| {
        let sizes = if plain {
            g.input
        } else {
            direct::padded(g, own.x, &mut copy)
        };
        let image = if plain { own.x } else { &copy };
        if known.is_none() {
            known = direct::offsets(g, sizes);
        }
        match &known {
            Some(offsets) => direct::Job {
                geometry: g,
                image,
                padded: sizes,
                output,
                first: 0,
                plane: output.iter().product(),
                offsets,
                weights: &packed.0[group],
                bias: own.bias,
                after: own.after,
            }
            .run(result),
            None => panels(g, output, own).run(result),
        }
    });
}

/// A group by panels of columns.
fn panels<'a>(g: &'a Geometry, output: [usize; 3], own: &Elements<'a, f32>) -> panel::Job<'a> {
    panel::Job {
        geometry: g,
        image: own.x,
        output,
        weights: own.w,
        depth: g.group_in() * g.taps(),
        bias: own.bias,
        after: own.after,
    }
}

/// Convolution by panels of columns.
fn by_panels(g: &Geometry, output: [usize; 3], elements: Elements<'_, f32>, out: &mut [f32]) {
    for_each_group(g, output, &elements, out, |_, own, result| {
        panels(g, output, own).run(result);
    });
}

/// One input channel: each tap adds a scaled, shifted copy of the image.
fn tap_by_tap<T: Product>(
    g: &Geometry,
    image: &[T],
    weight: &[T],
    result: &mut [T],
    output: [usize; 3],
) {
    let plane: usize = output.iter().product();
    for (channel, taps) in result.chunks_mut(plane).zip(weight.chunks(g.taps())) {
        for_each_tap(g, |tap, index| {
            let factor = taps[tap];
            for_each_row(g, index, output, |to, from, count| {
                let (to, step) = (&mut channel[to..to + count], g.stride[2]);
                if step == 1 {
                    for (o, v) in to.iter_mut().zip(&image[from..from + count]) {
                        *o = o.add(v.mul(factor));
                    }
                } else {
                    for (o, v) in to.iter_mut().zip(image[from..].iter().step_by(step)) {
                        *o = o.add(v.mul(factor));
                    }
                }
            });
        });
    }
}

/// Calls `f` with every tap's number and index.
fn for_each_tap(g: &Geometry, mut f: impl FnMut(usize, [usize; 3])) {
    let mut tap = 0;
    for z in 0..g.kernel[0] {
        for y in 0..g.kernel[1] {
            for x in 0..g.kernel[2] {
                f(tap, [z, y, x]);
                tap += 1;
            }
        }
    }
}

/// Calls `f(to, from, count)` for each run of output positions along a row whose tap falls inside the image.
fn for_each_row(
    g: &Geometry,
    tap: [usize; 3],
    output: [usize; 3],
    mut f: impl FnMut(usize, usize, usize),
) {
    let (z0, z1, iz) = g.valid(0, tap[0], output[0]);
    let (y0, y1, iy) = g.valid(1, tap[1], output[1]);
    let (x0, x1, ix) = g.valid(2, tap[2], output[2]);
    if x0 >= x1 {
        return;
    }
    for z in z0..z1 {
        watch::poll();
        for y in y0..y1 {
            let to = (z * output[1] + y) * output[2] + x0;
            let row = (iz + (z - z0) * g.stride[0]) * g.input[1] + iy + (y - y0) * g.stride[1];
            f(to, row * g.input[2] + ix, x1 - x0);
        }
    }
}

/// The image as a matrix with one column per output position, a block of whole output rows at a time.
fn by_columns<T: Product>(
    g: &Geometry,
    image: &[T],
    weight: &[T],
    result: &mut [T],
    output: [usize; 3],
    columns: &mut Vec<T>,
) {
    let depth = g.group_in() * g.taps();
    let plane: usize = output.iter().product();
    let rows = output[0] * output[1];
    let width = output[2];
    let block = (COLUMN_BLOCK / (depth * width).max(1)).clamp(1, rows.max(1));
    let left = Matrix::dense(weight, g.group_out(), depth);
    let mut first = 0;
    while first < rows {
        watch::poll();
        let count = block.min(rows - first);
        let cols = count * width;
        columns.clear();
        columns.resize(depth * cols, T::ZERO);
        fill_columns(g, image, output, first, count, columns);
        let right = Matrix::dense(columns, depth, cols);
        product(left, right, &mut result[first * width..], plane, true);
        first += count;
    }
}

/// Fills the columns of output rows `first..first + count`; what falls outside the image stays zero.
fn fill_columns<T: Product>(
    g: &Geometry,
    image: &[T],
    output: [usize; 3],
    first: usize,
    count: usize,
    columns: &mut [T],
) {
    let in_plane: usize = g.input.iter().product();
    let (width, step) = (output[2], g.stride[2]);
    let cols = count * width;
    let (height, rows_in, line) = (output[1], g.input[1], g.input[2]);
    for c in 0..g.group_in() {
        watch::poll();
        let channel = &image[c * in_plane..(c + 1) * in_plane];
        for_each_tap(g, |tap, [kz, ky, kx]| {
            let out = &mut columns[(c * g.taps() + tap) * cols..][..cols];
            let (x0, x1, ix) = g.valid(2, kx, width);
            if x0 >= x1 {
                return;
            }
            for r in 0..count {
                watch::poll();
                let (z, y) = ((first + r) / height, (first + r) % height);
                let iz = (z * g.stride[0] + kz * g.dilation[0]).wrapping_sub(g.before[0]);
                let iy = (y * g.stride[1] + ky * g.dilation[1]).wrapping_sub(g.before[1]);
                if iz >= g.input[0] || iy >= rows_in {
                    continue;
                }
                let from = (iz * rows_in + iy) * line + ix;
                let to = &mut out[r * width + x0..r * width + x1];
                if step == 1 {
                    to.copy_from_slice(&channel[from..from + to.len()]);
                } else {
                    for (o, v) in to.iter_mut().zip(channel[from..].iter().step_by(step)) {
                        *o = *v;
                    }
                }
            }
        });
    }
}
