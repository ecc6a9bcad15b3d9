//! Logarithms of sums of exponentials.

use super::extremes::Extreme;
use super::fold::Fold;
use crate::pointwise::math::vector::exp_in_passing;
use rushlight_tensor::Complex64;
use rushlight_tensor::lanes::{Fused, Isa, Lanes, Separate, isa};
use std::marker::PhantomData;

/// `sum` times the exponential of `top` is the sum of exponentials so far.
#[derive(Clone, Copy)]
pub struct LogSum {
    top: f64,
    pub sum: Complex64,
}

impl LogSum {
    /// The sum of nothing.
    pub const EMPTY: LogSum = LogSum {
        top: f64::NEG_INFINITY,
        sum: Complex64::new(0.0, 0.0),
    };

    /// Adds the exponential of a number.
    #[must_use]
    pub(crate) fn add(self, x: Complex64) -> LogSum {
        self.raised(x.re).with(x)
    }

    /// The same sum relative to at least `top`.
    fn raised(self, top: f64) -> LogSum {
        let top = if self.top.is_nan() || self.top > top {
            self.top
        } else {
            top
        };
        let scale = if self.top == top || self.sum == Complex64::new(0.0, 0.0) {
            1.0
        } else {
            (self.top - top).exp()
        };
        LogSum {
            top,
            sum: self.sum * scale,
        }
    }

    fn with(mut self, x: Complex64) -> LogSum {
        if self.top.is_finite() {
            let size = (x.re - self.top).exp();
            self.sum += match x.im {
                0.0 => Complex64::new(size, 0.0),
                angle => Complex64::from_polar(size, angle),
            };
        } else if x.im.is_nan() {
            self.top = f64::NAN;
        }
        self
    }

    /// The logarithm.
    pub fn ln(self) -> Complex64 {
        if !self.top.is_finite() {
            return Complex64::new(self.top, 0.0);
        }
        match self.sum.im {
            0.0 => Complex64::new(self.top + self.sum.re.ln(), 0.0),
            _ => self.sum.ln() + self.top,
        }
    }
}

/// Over real numbers.
pub struct RealSum<T> {
    of: PhantomData<T>,
    /// Whether the processor multiplies and adds in one step; asked once, not for each run.
    is_fused: bool,
}

impl<T> Default for RealSum<T> {
    fn default() -> RealSum<T> {
        RealSum {
            of: PhantomData,
            is_fused: isa() != Isa::Baseline,
        }
    }
}

/// Elements per block, and lanes that a block is added in.
const BLOCK: usize = 512;

const LANES: usize = 16;

impl Fold for RealSum<f32> {
    type In = f32;
    type Acc = LogSum;
    fn start(&self) -> LogSum {
        LogSum::EMPTY
    }
    #[inline(always)]
    fn run(&self, acc: LogSum, run: &[f32]) -> LogSum {
        let mut acc =
            acc.raised(Extreme::<f32, true>(PhantomData).run(f32::NEG_INFINITY, run) as f64);
        if acc.top.is_finite() {
            let top = acc.top as f32;
            // Not in a closure, which would be compiled without the instructions of the loop that it stands in.
            for block in run.chunks(BLOCK) {
                acc.sum.re += match self.is_fused {
                    true => sum_of_exponentials::<Fused>(block, top),
                    false => sum_of_exponentials::<Separate>(block, top),
                };
            }
        }
        acc
    }
}

/// The sum of the exponentials of differences from `top`.
#[inline(always)]
fn sum_of_exponentials<L: Lanes>(block: &[f32], top: f32) -> f64 {
    let mut lanes = [0f32; LANES];
    let mut chunks = block.chunks_exact(LANES);
    for chunk in &mut chunks {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane += exp_in_passing::<L>(x - top);
        }
    }
    let mut rest = 0f32;
    for x in chunks.remainder() {
        rest += exp_in_passing::<L>(x - top);
    }
    lanes.iter().map(|&l| l as f64).sum::<f64>() + rest as f64
}

impl Fold for RealSum<f64> {
    type In = f64;
    type Acc = LogSum;
    fn start(&self) -> LogSum {
        LogSum::EMPTY
    }
    #[inline(always)]
    fn run(&self, acc: LogSum, run: &[f64]) -> LogSum {
        let mut acc = acc.raised(Extreme::<f64, true>(PhantomData).run(f64::NEG_INFINITY, run));
        if acc.top.is_finite() {
            acc.sum.re += run.iter().map(|x| (x - acc.top).exp()).sum::<f64>();
        }
        acc
    }
}

/// Over complex numbers.
pub struct ComplexSum;

impl Fold for ComplexSum {
    type In = Complex64;
    type Acc = LogSum;
    fn start(&self) -> LogSum {
        LogSum::EMPTY
    }
    #[inline(always)]
    fn run(&self, acc: LogSum, run: &[Complex64]) -> LogSum {
        run.iter().fold(acc, |acc, &x| acc.add(x))
    }
}
