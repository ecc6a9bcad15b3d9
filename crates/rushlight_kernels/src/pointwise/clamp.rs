//! Bounds on elements.

use super::definition::{Pointwise, loops1, loops2, loops3};
use rushlight_tensor::lanes::{map1, map2, map3, spread2, spread3};
use rushlight_tensor::{DType, Operand, Result, Scalar};

/// At least the bound; NaN in either stays, as do elements that equal the bound, which tells zeros apart.
pub static AT_LEAST: Pointwise = Pointwise::new(
    "clamp_min_scalar_cpu",
    loops2![
        f32: spread2 |x: f32, y: f32| if x.is_nan() || x >= y { x } else { y },
        i64: map2 |x: i64, y: i64| x.max(y),
        u64: map2 |x: u64, y: u64| x.max(y),
        f64: spread2 |x: f64, y: f64| if x.is_nan() || x >= y { x } else { y },
    ],
)
.checked(check);

/// At most the bound; NaN in either stays, as do elements that equal the bound.
pub static AT_MOST: Pointwise = Pointwise::new(
    "clamp_max_scalar_cpu",
    loops2![
        f32: spread2 |x: f32, y: f32| if x.is_nan() || x <= y { x } else { y },
        i64: map2 |x: i64, y: i64| x.min(y),
        u64: map2 |x: u64, y: u64| x.min(y),
        f64: spread2 |x: f64, y: f64| if x.is_nan() || x <= y { x } else { y },
    ],
)
.checked(check);

/// Within both bounds; the upper one wins when they cross.
pub static WITHIN: Pointwise = Pointwise::new(
    "clamp_scalar_cpu",
    loops3![
        f32: spread3 |x: f32, low: f32, high: f32| {
            let x = if x.is_nan() || x >= low { x } else { low };
            if x.is_nan() || x <= high { x } else { high }
        },
        i64: map3 |x: i64, low: i64, high: i64| x.max(low).min(high),
        i32: map3 |x: i32, low: i32, high: i32| x.max(low).min(high),
        u8: map3 |x: u8, low: u8, high: u8| x.max(low).min(high),
        u64: map3 |x: u64, low: u64, high: u64| x.max(low).min(high),
        f64: spread3 |x: f64, low: f64, high: f64| {
            let x = if x.is_nan() || x >= low { x } else { low };
            if x.is_nan() || x <= high { x } else { high }
        },
    ],
)
.without_bool()
.checked(check);

fn check(_: &[Operand<'_>], common: DType, _: &[Scalar]) -> Result<()> {
    super::functions::real_only("clamp is not supported for complex types", common)
}

/// At least zero; NaN stays.
pub static RELU: Pointwise = Pointwise::new(
    "clamp_min_scalar_cpu",
    loops1![
        f32: map1 |x: f32| if x < 0.0 { 0.0 } else { x },
        i64: map1 |x: i64| x.max(0),
        u64: map1 |x: u64| x,
        f64: map1 |x: f64| if x < 0.0 { 0.0 } else { x },
    ],
)
.checked(check);
