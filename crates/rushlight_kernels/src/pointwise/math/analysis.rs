//! The functions of analysis as methods of f32 and f64, for loops written once for both.

use super::{vector, wide_special};
use rushlight_tensor::Element;
use rushlight_tensor::element::wide::Wide;
use rushlight_tensor::lanes::Lanes;
use rushlight_tensor::special::wide as wider;

/// A float that loops compute in. Methods that end in `_in` are vector code.
pub trait Analysis: Wide + Element {
    fn exp_in<L: Lanes>(self) -> Self;
    fn exp_m1_in<L: Lanes>(self) -> Self;
    fn ln_1p_in<L: Lanes>(self) -> Self;
    fn tanh_in<L: Lanes>(self) -> Self;
    fn sigmoid_in<L: Lanes>(self) -> Self;
    fn erf_in<L: Lanes>(self) -> Self;

    /// This value unless it is below `low`; NaN stays.
    #[inline(always)]
    fn at_least(self, low: Self) -> Self {
        if self < low { low } else { self }
    }
    /// This value unless it is above `high`; NaN stays.
    #[inline(always)]
    fn at_most(self, high: Self) -> Self {
        if self > high { high } else { self }
    }
}

macro_rules! vector {
    ($($method:ident $function:ident;)*) => {$(
        #[inline(always)]
        fn $method<L: Lanes>(self) -> f32 {
            vector::$function::<L>(self)
        }
    )*};
}

impl Analysis for f32 {
    vector! {
        exp_in exp_in_passing;
        exp_m1_in exp_m1;
        ln_1p_in ln_1p;
        tanh_in tanh_in_passing;
        sigmoid_in sigmoid;
        erf_in erf;
    }
}

macro_rules! wide {
    ($($method:ident $module:ident $function:ident;)*) => {$(
        #[inline(always)]
        fn $method<L: Lanes>(self) -> f64 {
            $module::$function::<L>(self)
        }
    )*};
}

impl Analysis for f64 {
    wide! {
        exp_in wider exp;
        exp_m1_in wider exp_m1;
        ln_1p_in wider ln_1p;
        tanh_in wider tanh;
        sigmoid_in wider sigmoid;
        erf_in wide_special erf;
    }
}
