//! Bounds on elements.

use super::definition::{Loop2, Loop3, Pointwise, loops1, spread2, spread3};
use rushlight_tensor::lanes::{map1, map2, map3};
use rushlight_tensor::{DType, Element, Operand, Result, Scalar};

/// At least the bound; NaN in either stays.
pub static AT_LEAST: Pointwise = Pointwise::new(
    "clamp_min_scalar_cpu",
    &[
        &spread2!(f32, |x, y| if x.is_nan() || x > y { x } else { y }),
        &Loop2(|r: &mut [i64], a: &[i64], b: &[i64], _| map2(r, a, b, |x: i64, y: i64| x.max(y))),
        &Loop2(|r: &mut [u64], a: &[u64], b: &[u64], _| map2(r, a, b, |x: u64, y: u64| x.max(y))),
        &spread2!(f64, |x, y| if x.is_nan() || x > y { x } else { y }),
    ],
)
.checked(check);

/// At most the bound; NaN in either stays.
pub static AT_MOST: Pointwise = Pointwise::new(
    "clamp_max_scalar_cpu",
    &[
        &spread2!(f32, |x, y| if x.is_nan() || x < y { x } else { y }),
        &Loop2(|r: &mut [i64], a: &[i64], b: &[i64], _| map2(r, a, b, |x: i64, y: i64| x.min(y))),
        &Loop2(|r: &mut [u64], a: &[u64], b: &[u64], _| map2(r, a, b, |x: u64, y: u64| x.min(y))),
        &spread2!(f64, |x, y| if x.is_nan() || x < y { x } else { y }),
    ],
)
.checked(check);

/// Within both bounds; the upper one wins when they cross.
pub static WITHIN: Pointwise = Pointwise::new(
    "clamp_scalar_cpu",
    &[
        &spread3!(f32, |x, low, high| {
            let x = if x.is_nan() || x > low { x } else { low };
            if x.is_nan() || x < high { x } else { high }
        }),
        &whole::<i64>(),
        &whole::<i32>(),
        &whole::<u8>(),
        &whole::<u64>(),
        &spread3!(f64, |x, low, high| {
            let x = if x.is_nan() || x > low { x } else { low };
            if x.is_nan() || x < high { x } else { high }
        }),
    ],
)
.without_bool()
.checked(check);

/// The loop of [`WITHIN`] over integers.
const fn whole<T: Element + Ord>() -> Loop3<T, T, T, T> {
    Loop3(|r, a, low, high, _| {
        map3(r, a, low, high, |x: T, low: T, high: T| {
            x.max(low).min(high)
        })
    })
}

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
