//! The exponential functions of kernels that work on whole rows: softmax, recurrence.
//!
//! f32 takes the vectorising forms of the pointwise operators, of the exponential the quicker one, since sums and quotients
//! round more than it does; f64 takes those of [`wide`].

use crate::compute::Compute;
use crate::pointwise::math::vector;
use rushlight_tensor::lanes::{Fused, Separate};
use rushlight_tensor::special::wide;

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
    ($module:ident::$f:ident, $x:expr) => {
        if FUSED {
            $module::$f::<Fused>($x)
        } else {
            $module::$f::<Separate>($x)
        }
    };
}

impl Exponential for f32 {
    #[inline(always)]
    fn fast_exp<const FUSED: bool>(self) -> f32 {
        vectorised!(vector::exp_in_passing, self)
    }
    #[inline(always)]
    fn fast_sigmoid<const FUSED: bool>(self) -> f32 {
        vectorised!(vector::sigmoid, self)
    }
    #[inline(always)]
    fn fast_tanh<const FUSED: bool>(self) -> f32 {
        vectorised!(vector::tanh, self)
    }
}

impl Exponential for f64 {
    #[inline(always)]
    fn fast_exp<const FUSED: bool>(self) -> f64 {
        vectorised!(wide::exp, self)
    }
    #[inline(always)]
    fn fast_sigmoid<const FUSED: bool>(self) -> f64 {
        vectorised!(wide::sigmoid, self)
    }
    #[inline(always)]
    fn fast_tanh<const FUSED: bool>(self) -> f64 {
        vectorised!(wide::tanh, self)
    }
}
