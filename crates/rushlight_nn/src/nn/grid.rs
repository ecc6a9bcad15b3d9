//! Sampling at given places: `grid_sampler` and the affine grids that are commonly sampled.

use super::resample::cubic_weights;
use rushlight_kernels::compute::{Compute, Wide, compute_narrow, dense, finish};
use rushlight_kernels::nn::grid::{Taps, reflect};
use rushlight_ops::matmul;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::threads::{self, Strip};
use rushlight_tensor::{Buffer, Dims, Fault, Result, Tensor, watch};
use rushlight_types::{op, operators};
use smallvec::SmallVec;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// Sampling.
    pub static ROWS = [
        op!("aten::grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor", grid_sampler),
        op!("aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor", grid_sampler_2d).out("out", rushlight_ops::out::exact),
        op!("aten::_grid_sampler_2d_cpu_fallback(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor", grid_sampler_2d).out("out", rushlight_ops::out::cast),
        op!("aten::grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor", grid_sampler_3d).out("out", rushlight_ops::out::exact),
        op!("aten::affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor", affine_grid_generator).out("out", rushlight_ops::out::cast),
    ];
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Interpolation {
    Linear,
    Nearest,
    Cubic,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Padding {
    Zeros,
    Border,
    Reflection,
}

/// How places are read.
#[derive(Clone, Copy)]
struct Sampler {
    interpolation: Interpolation,
    padding: Padding,
    align: bool,
}

impl Sampler {
    fn new(interpolation: i64, padding: i64, align: bool) -> Result<Sampler> {
        let interpolation = match interpolation {
            0 => Interpolation::Linear,
            1 => Interpolation::Nearest,
            2 => Interpolation::Cubic,
            other => {
                return Err(Fault::runtime(format!(
                    "grid_sampler(): interpolation mode {other} is not 0, 1 or 2"
                )));
            }
        };
        let padding = match padding {
            0 => Padding::Zeros,
            1 => Padding::Border,
            2 => Padding::Reflection,
            other => {
                return Err(Fault::runtime(format!(
                    "grid_sampler(): padding mode {other} is not 0, 1 or 2"
                )));
            }
        };
        Ok(Sampler {
            interpolation,
            padding,
            align,
        })
    }

    /// From -1..1 to positions along a dimension of `size`.
    fn position<W: Compute>(&self, x: W, size: usize) -> W {
        let half = |v: f64| W::of(v) / W::of(2.0);
        if self.align {
            (x + <W as Wide>::ONE) * half(size as f64 - 1.0)
        } else {
            (x + <W as Wide>::ONE) * half(size as f64) - W::of(0.5)
        }
    }

    /// Brings a position inside, as the padding asks.
    fn inside<W: Compute>(&self, x: W, size: usize) -> W {
        let clip = |x: W| {
            let top = W::of(size as f64 - 1.0);
            // NaN becomes 0.
            if x > <W as Wide>::ZERO {
                if x < top { x } else { top }
            } else {
                <W as Wide>::ZERO
            }
        };
        match self.padding {
            Padding::Zeros => x,
            Padding::Border => clip(x),
            Padding::Reflection => {
                let (low, high) = if self.align {
                    (0.0, 2.0 * (size as f64 - 1.0))
                } else {
                    (-1.0, 2.0 * size as f64 - 1.0)
                };
                clip(reflect(x, low, high))
            }
        }
    }
}

fn grid_sampler(t: &Tensor, grid: &Tensor, mode: i64, padding: i64, align: bool) -> Result<Tensor> {
    match t.rank() {
        5 => grid_sampler_3d(t, grid, mode, padding, align),
        _ => grid_sampler_2d(t, grid, mode, padding, align),
    }
}

fn grid_sampler_2d(
    t: &Tensor,
    grid: &Tensor,
    mode: i64,
    padding: i64,
    align: bool,
) -> Result<Tensor> {
    sample(t, grid, 2, Sampler::new(mode, padding, align)?)
}

fn grid_sampler_3d(
    t: &Tensor,
    grid: &Tensor,
    mode: i64,
    padding: i64,
    align: bool,
) -> Result<Tensor> {
    sample(t, grid, 3, Sampler::new(mode, padding, align)?)
}

fn check(t: &Tensor, grid: &Tensor, dims: usize) -> Result<()> {
    let fail = |message: String| Err(Fault::runtime(message));
    let (Some(batch), Some(grids)) = (t.sizes().first(), grid.sizes().first()) else {
        return Err(Fault::index(
            "Dimension specified as 0 but tensor has no dimensions",
        ));
    };
    if batch != grids {
        return fail(format!(
            "grid_sampler(): expected grid and input to have same batch size, but got input with sizes {} and grid with sizes {}",
            list(t.sizes()),
            list(grid.sizes())
        ));
    }
    if grid.sizes().last() != Some(&t.rank().saturating_sub(2)) {
        return fail(format!(
            "grid_sampler(): expected grid to have size {} in last dimension, but got grid with sizes {}",
            t.rank() as i64 - 2,
            list(grid.sizes())
        ));
    }
    if let Some(d) = (2..t.rank()).find(|d| t.size(*d) == 0) {
        return fail(format!(
            "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes {} with dimension {d} being empty",
            list(t.sizes())
        ));
    }
    if t.rank() != dims + 2 || grid.rank() != dims + 2 {
        return fail(format!(
            "grid_sampler(): expected {}D input and grid with same number of dimensions, but got input with sizes {} and grid with sizes {}",
            dims + 2,
            list(t.sizes()),
            list(grid.sizes())
        ));
    }
    let name = kernel_name(dims);
    if !t.dtype().is_float() {
        return Err(Fault::no_kernel(name, t.dtype()));
    }
    if t.dtype() != grid.dtype() {
        return fail(format!(
            "expected scalar type {} but found {}",
            t.dtype().class_name(),
            grid.dtype().class_name()
        ));
    }
    Ok(())
}

fn kernel_name(dims: usize) -> &'static str {
    match dims {
        2 => "grid_sampler_2d_cpu_kernel_impl",
        _ => "grid_sampler3d_cpu",
    }
}

fn sample(t: &Tensor, grid: &Tensor, dims: usize, sampler: Sampler) -> Result<Tensor> {
    check(t, grid, dims)?;
    let (batch, channels) = (t.size(0), t.size(1));
    let mut input = [1usize; 3];
    input[3 - dims..].copy_from_slice(&t.sizes()[2..]);
    let mut sizes = Dims::from_slice(&[batch, channels]);
    sizes.extend_from_slice(&grid.sizes()[1..=dims]);
    let points: usize = sizes[2..].iter().product();
    let plane: usize = input.iter().product();
    compute_narrow!(t.dtype(), kernel_name(dims), W => {
        let (x, g) = (dense::<W>(t), dense::<W>(grid));
        let (x, g) = (x.data::<W>(), g.data::<W>());
        let mut out = Buffer::<W>::unspecified(rushlight_tensor::memory::numel(&sizes));
        let (x, g) = (&x[..], &g[..]);
        let size = channels * points;
        for (n, out) in out.chunks_exact_mut(size.max(1)).enumerate().take(batch) {
            watch::poll();
            let lent = Strip::of(out, channels, points, points);
            threads::split_lent(points, 1, 64 + 8 * channels, lent, &|part, mut out| {
                for (column, p) in part.enumerate() {
                    watch::poll();
                    // The grid's last dimension runs from x to z.
                    let at = &g[(n * points + p) * dims..][..dims];
                    let taps = taps::<W>(sampler, at, input);
                    for c in 0..channels {
                        let image = &x[(n * channels + c) * plane..][..plane];
                        out.row(c)[column] = taps.read(image);
                    }
                }
            });
        }
        Ok(finish(out, &sizes, t.dtype()))
    })
}

/// Along one dimension: positions inside the image, with weights.
type Line<W> = SmallVec<[(usize, W); 4]>;

fn taps<W: Compute>(sampler: Sampler, at: &[W], input: [usize; 3]) -> Taps<W> {
    let along = |d: usize| -> Line<W> {
        match at.get(2 - d) {
            Some(x) => line(sampler, *x, input[d]),
            None => smallvec::smallvec![(0, <W as Wide>::ONE)],
        }
    };
    let (zs, ys, xs) = (along(0), along(1), along(2));
    if sampler.interpolation == Interpolation::Cubic {
        let row = |line: usize| xs.iter().map(|(x, w)| (line * input[2] + x, *w)).collect();
        let lines = zs.iter().flat_map(|(z, wz)| {
            let of_plane = move |(y, wy): &(usize, W)| (*wy * *wz, row(z * input[1] + y));
            ys.iter().map(of_plane)
        });
        return Taps(lines.collect());
    }
    let mut all = SmallVec::new();
    for (z, wz) in &zs {
        for (y, wy) in &ys {
            for (x, wx) in &xs {
                all.push(((z * input[1] + y) * input[2] + x, *wx * *wy * *wz));
            }
        }
    }
    Taps(smallvec::smallvec![(<W as Wide>::ONE, all)])
}

fn line<W: Compute>(sampler: Sampler, x: W, size: usize) -> Line<W> {
    let position = sampler.position(x, size);
    let mut out = Line::new();
    let mut put = |place: f64, weight: W| {
        if place >= 0.0 && place < size as f64 {
            out.push((place as usize, weight));
        }
    };
    match sampler.interpolation {
        Interpolation::Nearest => {
            put(
                sampler.inside(position, size).round_even().f64(),
                <W as Wide>::ONE,
            );
        }
        Interpolation::Linear => {
            let position = sampler.inside(position, size);
            let base = position.floor();
            let part = position - base;
            put(base.f64(), <W as Wide>::ONE - part);
            put(base.f64() + 1.0, part);
        }
        Interpolation::Cubic => {
            // Each neighbour is brought inside by itself.
            let base = position.floor();
            for (i, weight) in cubic_weights(position - base).into_iter().enumerate() {
                let neighbour = base + W::of(i as f64 - 1.0);
                put(sampler.inside(neighbour, size).f64(), weight);
            }
        }
    }
    out
}

/// The grid of places that an affine map sends the points of a regular grid to.
fn affine_grid_generator(theta: &Tensor, size: Ints, align: bool) -> Result<Tensor> {
    let dims = size.len().saturating_sub(2);
    if !(2..=3).contains(&dims) || size.iter().any(|s| *s < 0) {
        return Err(Fault::runtime(
            "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.",
        ));
    }
    if theta.rank() != 3 || theta.sizes() != [size[0] as usize, dims, dims + 1] {
        return Err(Fault::runtime(format!(
            "Expected a batch of {dims}D affine matrices of shape Nx{dims}x{} for size {:?}. Got {}.",
            dims + 1,
            size.as_slice(),
            list(theta.sizes())
        )));
    }
    let spatial: Vec<usize> = size[2..].iter().map(|s| *s as usize).collected();
    let points = rushlight_tensor::layout::checked_numel(&spatial)?;
    let place = |i: usize, n: usize| -> f64 {
        if n <= 1 {
            return 0.0;
        }
        let x = 2.0 * i as f64 / (n - 1) as f64 - 1.0;
        if align {
            x
        } else {
            x * (n - 1) as f64 / n as f64
        }
    };
    let mut base = memory::with_capacity(points * (dims + 1));
    for p in 0..points {
        watch::poll();
        let mut rest = p;
        for n in spatial.iter().rev() {
            base.push(place(rest % n, *n));
            rest /= n;
        }
        base.push(1.0);
    }
    let base = Tensor::from_vec(base, &[points, dims + 1])?.to_dtype(theta.dtype());
    let out = matmul(&base, &theta.transpose(1, 2)?)?;
    let mut sizes = Dims::from_slice(&[size[0] as usize]);
    sizes.extend_from_slice(&spatial);
    sizes.push(dims);
    out.reshape_to(&sizes)
}
