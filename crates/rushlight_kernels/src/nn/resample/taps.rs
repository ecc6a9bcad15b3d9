//! Which input positions make an output position, and with what weights.

use crate::compute::Compute;
use rushlight_tensor::memory;
use rushlight_tensor::watch;

/// The kinds of interpolation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filter {
    Linear,
    Cubic,
    /// Linear with support for shrinking: a triangle as wide as the step.
    LinearWide,
    CubicWide,
    LanczosWide,
}

/// Taps per output position: positions and weights, `width` of them each.
pub struct Taps<W> {
    pub width: usize,
    pub places: Vec<usize>,
    pub weights: Vec<W>,
}

/// How far one output step moves in the input.
pub fn step<W: Compute>(input: usize, output: usize, align: bool, factor: Option<f64>) -> W {
    if align {
        return if output > 1 {
            W::of((input - 1) as f64) / W::of((output - 1) as f64)
        } else {
            W::ZERO
        };
    }
    match factor.filter(|f| *f > 0.0) {
        Some(factor) => W::of(1.0 / factor),
        None => W::of(input as f64) / W::of(output as f64),
    }
}

impl<W: Compute> Taps<W> {
    /// The taps of a dimension.
    pub fn new(
        filter: Filter,
        input: usize,
        output: usize,
        align: bool,
        factor: Option<f64>,
    ) -> Taps<W> {
        let step = step::<W>(input, output, align, factor);
        match filter {
            Filter::Linear => Taps::linear(input, output, align, step),
            Filter::Cubic => Taps::cubic(input, output, align, step),
            wide => Taps::wide(wide, input, output, step),
        }
    }

    fn empty(width: usize, output: usize) -> Taps<W> {
        Taps {
            width,
            places: memory::with_capacity(width * output),
            weights: memory::with_capacity(width * output),
        }
    }

    /// Where output position `o` lies in the input.
    fn source(step: W, o: usize, align: bool) -> W {
        let o = W::of(o as f64);
        if align {
            step * o
        } else {
            let half = W::of(0.5);
            step * (o + half) - half
        }
    }

    fn linear(input: usize, output: usize, align: bool, step: W) -> Taps<W> {
        let mut taps = Taps::empty(2, output);
        for o in 0..output {
            if input == output {
                taps.places.extend([o, o]);
                taps.weights.extend([W::ONE, W::ZERO]);
                continue;
            }
            let source = Taps::source(step, o, align);
            let source = if source < W::ZERO { W::ZERO } else { source };
            let first = (source.floor().f64() as usize).min(input - 1);
            let part = source - W::of(first as f64);
            let part = if part > W::ONE { W::ONE } else { part };
            taps.places.extend([first, (first + 1).min(input - 1)]);
            taps.weights.extend([W::ONE - part, part]);
        }
        taps
    }

    fn cubic(input: usize, output: usize, align: bool, step: W) -> Taps<W> {
        let mut taps = Taps::empty(4, output);
        for o in 0..output {
            let source = Taps::source(step, o, align);
            let base = source.floor();
            let t = source - base;
            let base = base.f64() as isize;
            let clamp = |p: isize| p.clamp(0, input as isize - 1) as usize;
            taps.places
                .extend((-1..3).map(|k| clamp(base.saturating_add(k))));
            taps.weights.extend(cubic_weights(t));
        }
        taps
    }

    /// Filters that widen when the image shrinks; weights sum to one.
    fn wide(filter: Filter, input: usize, output: usize, step: W) -> Taps<W> {
        let radius = match filter {
            Filter::LinearWide => 1.0,
            Filter::CubicWide => 2.0,
            _ => 3.0,
        };
        let scale = step.f64();
        let widen = scale.max(1.0);
        let support = radius * widen;
        // A step that is nearly infinite makes every pixel count.
        let radius = support.ceil() as usize;
        let width = radius.saturating_mul(2).saturating_add(1).min(input.max(1));
        let mut taps = Taps::empty(width, output);
        for o in 0..output {
            watch::poll();
            let center = scale * (o as f64 + 0.5);
            let first = ((center - support + 0.5) as isize).max(0) as usize;
            let last = ((center + support + 0.5) as isize).clamp(0, input as isize) as usize;
            let first = first.min(input - 1);
            let count = last.saturating_sub(first).clamp(1, width);
            let weight = |j: usize| profile(filter, ((j + first) as f64 - center + 0.5) / widen);
            let total: f64 = (0..count).map(weight).sum();
            for j in 0..width {
                let inside = j < count;
                taps.places.push(if inside { first + j } else { first });
                let normal = if total != 0.0 {
                    weight(j) / total
                } else {
                    weight(j)
                };
                taps.weights
                    .push(if inside { W::of(normal) } else { W::ZERO });
            }
        }
        taps
    }
}

/// The weights of the four neighbours at distance `t` behind the second (Keys, 1981, with a = -0.75).
pub fn cubic_weights<W: Compute>(t: W) -> [W; 4] {
    let a = W::of(-0.75);
    let near = |x: W| ((a + W::of(2.0)) * x - (a + W::of(3.0))) * x * x + W::ONE;
    let far = |x: W| ((a * x - W::of(5.0) * a) * x + W::of(8.0) * a) * x - W::of(4.0) * a;
    [
        far(t + W::ONE),
        near(t),
        near(W::ONE - t),
        far(W::of(2.0) - t),
    ]
}

/// The profile of a widening filter at distance `x`.
fn profile(filter: Filter, x: f64) -> f64 {
    let x = x.abs();
    match filter {
        Filter::LinearWide => (1.0 - x).max(0.0),
        Filter::CubicWide => {
            const A: f64 = -0.5;
            if x < 1.0 {
                ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0
            } else if x < 2.0 {
                (((x - 5.0) * x + 8.0) * x - 4.0) * A
            } else {
                0.0
            }
        }
        _ => {
            let sinc = |x: f64| {
                let x = x * std::f64::consts::PI;
                if x == 0.0 { 1.0 } else { x.sin() / x }
            };
            if x < 3.0 {
                sinc(x) * sinc(x / 3.0)
            } else {
                0.0
            }
        }
    }
}
