//! The functions of analysis as methods of f32 (vector code) and f64 (library calls), for loops written once for both.

use super::vector;
use rushlight_tensor::Element;
use rushlight_tensor::element::wide::Wide;
use rushlight_tensor::lanes::Lanes;
use rushlight_tensor::special::error;

/// A float that loops compute in. Methods that end in `_in` are vector code for f32.
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

macro_rules! library {
    ($($method:ident $function:expr;)*) => {$(
        #[inline(always)]
        fn $method<L: Lanes>(self) -> f64 {
            ($function)(self)
        }
    )*};
}

impl Analysis for f64 {
    library! {
        exp_in f64::exp;
        exp_m1_in f64::exp_m1;
        ln_1p_in f64::ln_1p;
        tanh_in f64::tanh;
        sigmoid_in |x: f64| 1.0 / (1.0 + (-x).exp());
        erf_in error::erf;
    }
}
