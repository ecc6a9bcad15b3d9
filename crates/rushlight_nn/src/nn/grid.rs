//! Sampling at given places: `grid_sampler` and the affine grids that are commonly sampled.

mod backward;

/// Gradients of sampling.
pub use backward::ROWS as BACKWARD;

use super::resample::cubic_weights;
use rushlight_kernels::compute::{Compute, Wide, compute_narrow, dense, finish};
use rushlight_kernels::nn::grid::{NOWHERE, Plan, reflect};
use rushlight_ops::matmul;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::threads::{self, Strip};
use rushlight_tensor::view::no_dimensions;
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

    /// Taps of a point.
    fn taps(&self, dims: usize) -> usize {
        let along: usize = match self.interpolation {
            Interpolation::Nearest => 1,
            Interpolation::Linear => 2,
            Interpolation::Cubic => 4,
        };
        along.pow(dims as u32)
    }

    /// How positions along a dimension of `size` grow with the grid's numbers.
    fn scale<W: Compute>(&self, size: usize) -> W {
        W::of(size as f64 - if self.align { 1.0 } else { 0.0 }) / W::of(2.0)
    }

    /// From -1..1 to positions along a dimension of `size`.
    fn position<W: Compute>(&self, x: W, size: usize) -> W {
        let place = (x + <W as Wide>::ONE) * self.scale(size);
        if self.align {
            place
        } else {
            place - W::of(0.5)
        }
    }

    /// The borders of reflection along a dimension of `size`, at twice their places.
    fn borders(&self, size: usize) -> (f64, f64) {
        if self.align {
            (0.0, 2.0 * (size as f64 - 1.0))
        } else {
            (-1.0, 2.0 * size as f64 - 1.0)
        }
    }

    /// How what [`Sampler::inside`] gives grows with the grid's numbers: not at all outside the borders.
    #[inline(never)]
    fn slope<W: Compute>(&self, x: W, size: usize) -> W {
        let (low, high) = self.borders(size);
        let (scale, zero) = (self.scale::<W>(size), <W as Wide>::ZERO);
        let (x, sign) = match self.padding {
            Padding::Zeros => return scale,
            Padding::Border => (x.f64(), 1.0),
            Padding::Reflection => {
                let (gap, span) = (x.f64() - low / 2.0, (high - low) / 2.0);
                let flips = (gap.abs() / span).floor();
                let sign = if flips % 2.0 == 0.0 { 1.0 } else { -1.0 };
                (reflect(x, low, high).f64(), sign * gap.signum())
            }
        };
        match x > 0.0 && x < size as f64 - 1.0 {
            true => scale * W::of(sign),
            false => zero,
        }
    }

    /// Brings a position inside, as the padding asks.
    #[inline(always)]
    fn inside<W: Compute>(&self, x: W, size: usize) -> W {
        match self.padding {
            Padding::Zeros => x,
            _ => self.brought_inside(x, size),
        }
    }

    /// As [`Sampler::inside`], where there is a border.
    #[inline(never)]
    fn brought_inside<W: Compute>(&self, x: W, size: usize) -> W {
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
                let (low, high) = self.borders(size);
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
        return Err(no_dimensions(0));
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
        return Err(Fault::other_scalar_type(t.dtype(), grid.dtype()));
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
                // The grid's last dimension runs from x to z.
                let place = |p: usize| &g[(n * points + p) * dims..][..dims];
                let mut plan = Plan::new(sampler.taps(dims));
                let mut four = [[<W as Wide>::ZERO; POINTS]; 4];
                for first in part.clone().step_by(POINTS) {
                    let end = part.end.min(first + POINTS);
                    plan.clear();
                    for p in first..end {
                        plan_point::<W, false>(&mut plan, sampler, place(p), input);
                    }
                    let own = first - part.start..end - part.start;
                    let from = |c: usize| &x[(n * channels + c) * plane..];
                    let whole = channels / 4 * 4;
                    for c in (0..whole).step_by(4) {
                        watch::poll();
                        plan.read_four(&from(c)[..4 * plane], plane, &mut four);
                        for (c, values) in (c..).zip(&four) {
                            out.row(c)[own.clone()].copy_from_slice(&values[..own.len()]);
                        }
                    }
                    for c in whole..channels {
                        watch::poll();
                        plan.read(&from(c)[..plane], &mut out.row(c)[own.clone()]);
                    }
                }
            });
        }
        Ok(finish(out, &sizes, t.dtype()))
    })
}

/// Points whose taps are known together.
const POINTS: usize = 256;

/// Along one dimension: positions, with weights and how those grow with the grid's number.
type Line<W> = [(usize, W, W); 4];

/// Adds the taps of a point to a plan, with their slopes where those are wanted.
#[inline(never)]
fn plan_point<W: Compute, const SLOPES: bool>(
    plan: &mut Plan<W>,
    sampler: Sampler,
    at: &[W],
    input: [usize; 3],
) {
    if let ([x, y], false, [1, height, width]) = (at, SLOPES, input)
        && sampler.interpolation != Interpolation::Cubic
    {
        return plan_pixel(plan, sampler, [*x, *y], [width, height]);
    }
    let one = [(0, <W as Wide>::ONE, <W as Wide>::ZERO); 4];
    let mut all = [(one, 1); 3];
    // The grid's numbers run from the last dimension to the first.
    for (d, x) in at.iter().enumerate() {
        let d = 2 - d;
        all[d] = (line::<W, SLOPES>(sampler, *x, input[d]), sampler.taps(1));
    }
    let [zs, ys, xs] = &all;
    // Values of cubic interpolation are sums of lines, whose weights come last.
    let by_lines = sampler.interpolation == Interpolation::Cubic && !SLOPES;
    for (z, wz, sz) in &zs.0[..zs.1] {
        for (y, wy, sy) in &ys.0[..ys.1] {
            if by_lines {
                plan.runs.push(*wy * *wz);
            }
            for (x, wx, sx) in &xs.0[..xs.1] {
                let place = match *x == NOWHERE || *y == NOWHERE || *z == NOWHERE {
                    true => NOWHERE,
                    false => (z * input[1] + y) * input[2] + x,
                };
                let weight = if by_lines { *wx } else { *wx * *wy * *wz };
                plan.taps.push((place, weight));
                if SLOPES {
                    let slopes = [*sx * *wy * *wz, *wx * *sy * *wz, *wx * *wy * *sz];
                    plan.slopes.push(slopes);
                }
            }
        }
    }
}

/// As [`plan_point`], of linear interpolation or none in a plane.
#[inline(always)]
fn plan_pixel<W: Compute>(plan: &mut Plan<W>, sampler: Sampler, at: [W; 2], sizes: [usize; 2]) {
    let position = |d: usize| sampler.inside(sampler.position(at[d], sizes[d]), sizes[d]);
    let place = |[x, y]: [f64; 2]| {
        let fits = |v: f64, size: usize| v >= 0.0 && v < size as f64;
        match fits(x, sizes[0]) && fits(y, sizes[1]) {
            true => y as usize * sizes[0] + x as usize,
            false => NOWHERE,
        }
    };
    let at = [position(0), position(1)];
    if sampler.interpolation == Interpolation::Nearest {
        plan.taps
            .push((place(at.map(round_even)), <W as Wide>::ONE));
        return;
    }
    let base = at.map(floor);
    let part = [at[0] - W::of(base[0]), at[1] - W::of(base[1])];
    let rest = part.map(|part| <W as Wide>::ONE - part);
    let [[x, y], next] = [base, base.map(|base| base + 1.0)];
    plan.taps.extend_from_slice(&[
        (place([x, y]), rest[0] * rest[1]),
        (place([next[0], y]), part[0] * rest[1]),
        (place([x, next[1]]), rest[0] * part[1]),
        (place(next), part[0] * part[1]),
    ]);
}

#[inline(never)]
fn line<W: Compute, const SLOPES: bool>(sampler: Sampler, x: W, size: usize) -> Line<W> {
    let (one, zero) = (<W as Wide>::ONE, <W as Wide>::ZERO);
    let place = |place: f64| match place >= 0.0 && place < size as f64 {
        true => place as usize,
        false => NOWHERE,
    };
    let mut out = [(NOWHERE, zero, zero); 4];
    let position = sampler.position(x, size);
    match sampler.interpolation {
        Interpolation::Nearest => {
            out[0] = (place(round_even(sampler.inside(position, size))), one, zero);
        }
        Interpolation::Linear => {
            let slope = if SLOPES {
                sampler.slope(position, size)
            } else {
                zero
            };
            let position = sampler.inside(position, size);
            let base = floor(position);
            let part = position - W::of(base);
            out[0] = (place(base), one - part, zero - slope);
            out[1] = (place(base + 1.0), part, slope);
        }
        Interpolation::Cubic => {
            // Each neighbour is brought inside by itself.
            let base = W::of(floor(position));
            let part = position - base;
            let slopes = if SLOPES {
                cubic_slopes(part)
            } else {
                [zero; 4]
            };
            let weights = cubic_weights(part).into_iter().zip(slopes);
            for (i, (out, (weight, slope))) in out.iter_mut().zip(weights).enumerate() {
                let neighbour = sampler.inside(base + W::of(i as f64 - 1.0), size);
                *out = (place(neighbour.f64()), weight, slope * sampler.scale(size));
            }
        }
    }
    out
}

/// The greatest integer that is not greater, by an instruction that all processors have.
fn floor<W: Compute>(x: W) -> f64 {
    let x = x.f64();
    if x.abs() < 1e15 {
        let whole = x as i64 as f64;
        return if whole > x { whole - 1.0 } else { whole };
    }
    x.floor()
}

/// The nearest integer, the even one of two.
fn round_even<W: Compute>(x: W) -> f64 {
    const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;
    let x = x.f64();
    if x.abs() < 1e15 {
        return x + SHIFT - SHIFT;
    }
    x
}

/// How the weights of cubic interpolation grow.
fn cubic_slopes<W: Compute>(t: W) -> [W; 4] {
    let a = -0.75;
    let near = |x: W| (W::of(3.0 * (a + 2.0)) * x - W::of(2.0 * (a + 3.0))) * x;
    let far = |x: W| (W::of(3.0 * a) * x - W::of(10.0 * a)) * x + W::of(8.0 * a);
    let (one, zero) = (<W as Wide>::ONE, <W as Wide>::ZERO);
    [
        far(t + one),
        near(t),
        zero - near(one - t),
        zero - far(W::of(2.0) - t),
    ]
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
