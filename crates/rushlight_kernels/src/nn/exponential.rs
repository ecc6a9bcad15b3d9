//! The exponential functions of kernels that work on whole rows: softmax, recurrence.
//!
//! f32 takes the vectorising forms of the pointwise operators, of the exponential the quicker one, since sums and quotients
//! round more than it does; f64 goes to the standard library.

use crate::compute::Compute;
use crate::pointwise::math::vector;
use rushlight_tensor::lanes::{Fused, Separate};

/// Compute types with fast exponential functions.
pub trait Exponential: Compute {
    /// `e` to the power of `self`.
    fn fast_exp<const FUSED: bool>(self) -> Self;
    /// `1 / (1 + exp(-self))`.
    fn fast_sigmoid<const FUSED: bool>(self) -> Self;
    /// The hyperbolic tangent.
    fn fast_tanh<const FUSED: bool>(self) -> Self;
}

/// A function of the pointwise operators, in the form that suits the instruction set.
macro_rules! vectorised {
    ($f:ident, $x:expr) => {
        if FUSED {
            vector::$f::<Fused>($x)
        } else {
            vector::$f::<Separate>($x)
        }
    };
}

impl Exponential for f32 {
    #[inline(always)]
    fn fast_exp<const FUSED: bool>(self) -> f32 {
        vectorised!(exp_in_passing, self)
    }
    #[inline(always)]
    fn fast_sigmoid<const FUSED: bool>(self) -> f32 {
        vectorised!(sigmoid, self)
    }
    #[inline(always)]
    fn fast_tanh<const FUSED: bool>(self) -> f32 {
        vectorised!(tanh, self)
    }
}

impl Exponential for f64 {
    #[inline(always)]
    fn fast_exp<const FUSED: bool>(self) -> f64 {
        self.exp()
    }
    #[inline(always)]
    fn fast_sigmoid<const FUSED: bool>(self) -> f64 {
        1.0 / (1.0 + (-self).exp())
    }
    #[inline(always)]
    fn fast_tanh<const FUSED: bool>(self) -> f64 {
        self.tanh()
    }
}
