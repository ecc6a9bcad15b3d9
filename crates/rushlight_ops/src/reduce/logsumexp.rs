//! The logarithm of a sum of exponentials, without overflow: sums are kept relative to the largest element so far.

use super::dims::{Ints, mask};
use super::fold::{Fold, reduce};
use rushlight_tensor::{Complex64, Result, Tensor};
use rushlight_types::{Context, op, operators};

operators! {
    /// `logsumexp`.
    pub static ROWS = [
        op!("aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", logsumexp),
        op_out!("aten::logsumexp.out(Tensor self, int[1] dim, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)", logsumexp),
        op!("aten::special_logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", logsumexp),
        op_out!("aten::special_logsumexp.out(Tensor self, int[1] dim, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)", logsumexp),
    ];
}

/// `sum` times the exponential of `top` is the sum of exponentials so far.
#[derive(Clone, Copy)]
pub struct LogSum {
    top: f64,
    sum: Complex64,
}

impl LogSum {
    /// The sum of nothing.
    pub const EMPTY: LogSum = LogSum {
        top: f64::NEG_INFINITY,
        sum: Complex64::new(0.0, 0.0),
    };

    /// Adds the exponential of a number.
    #[must_use]
    pub fn add(self, x: Complex64) -> LogSum {
        self.raised(x.re).with(x)
    }

    /// The same sum relative to at least `top`.
    fn raised(self, top: f64) -> LogSum {
        let top = if self.top.is_nan() || self.top > top {
            self.top
        } else {
            top
        };
        let scale = if self.top == top {
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
struct RealSum;

impl Fold for RealSum {
    type In = f64;
    type Acc = LogSum;
    fn start(&self) -> LogSum {
        LogSum::EMPTY
    }
    #[inline(always)]
    fn run(&self, acc: LogSum, run: &[f64]) -> LogSum {
        let top = run.iter().fold(f64::NEG_INFINITY, |top, &x| {
            if x.is_nan() || x > top { x } else { top }
        });
        let mut acc = acc.raised(top);
        if acc.top.is_finite() {
            acc.sum.re += run.iter().map(|x| (x - acc.top).exp()).sum::<f64>();
        }
        acc
    }
}

/// Over complex numbers.
struct ComplexSum;

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

/// `logsumexp`.
pub fn logsumexp(cx: &Context, input: &Tensor, dim: Ints, keepdim: bool) -> Result<Tensor> {
    use rushlight_tensor::DType::{C128, F64};
    let mask = mask(Some(&dim), input.rank())?;
    let dtype = match input.dtype() {
        d if d.is_integral(true) => cx.default_dtype(),
        d => d,
    };
    let out = if dtype.is_complex() {
        reduce(
            &input.to_dtype(C128),
            &mask,
            keepdim,
            &ComplexSum,
            LogSum::ln,
        )
    } else {
        reduce(&input.to_dtype(F64), &mask, keepdim, &RealSum, |s| {
            s.ln().re
        })
    }?;
    Ok(out.to_dtype(dtype))
}
