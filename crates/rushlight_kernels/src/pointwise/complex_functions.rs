//! Elementary functions of complex numbers, which are defined at infinity and next to it as the C library defines them.

use rushlight_tensor::Complex64;
use std::f64::consts::FRAC_PI_2;

/// `i z`.
fn turned(z: Complex64) -> Complex64 {
    Complex64::new(-z.im, z.re)
}

/// `z / i`.
fn turned_back(z: Complex64) -> Complex64 {
    Complex64::new(z.im, -z.re)
}

/// A product in which zero wins over infinity and what is no number.
fn scaled(size: f64, part: f64) -> f64 {
    match size == 0.0 || part == 0.0 {
        true => 0f64.copysign(size) * 1f64.copysign(part),
        false => size * part,
    }
}

/// The exponential.
pub(super) fn exp(z: Complex64) -> Complex64 {
    match z.im == 0.0 {
        true => Complex64::new(z.re.exp(), z.im),
        false => z.exp(),
    }
}

/// `cosh a cos b` and `sinh a sin b`.
fn even(a: f64, b: f64) -> (f64, f64) {
    if a.is_infinite() && !b.is_finite() {
        return (f64::INFINITY, f64::NAN);
    }
    (scaled(a.cosh(), b.cos()), scaled(a.sinh(), b.sin()))
}

/// `sinh a cos b` and `cosh a sin b`.
fn odd(a: f64, b: f64) -> (f64, f64) {
    if a.is_infinite() && !b.is_finite() {
        return (f64::INFINITY, f64::NAN);
    }
    (scaled(a.sinh(), b.cos()), scaled(a.cosh(), b.sin()))
}

pub(super) fn cosh(z: Complex64) -> Complex64 {
    let (re, im) = even(z.re, z.im);
    Complex64::new(re, im)
}

pub(super) fn sinh(z: Complex64) -> Complex64 {
    let (re, im) = odd(z.re, z.im);
    Complex64::new(re, im)
}

pub(super) fn cos(z: Complex64) -> Complex64 {
    let (re, im) = even(z.im, z.re);
    Complex64::new(re, -im)
}

pub(super) fn sin(z: Complex64) -> Complex64 {
    let (im, re) = odd(z.im, z.re);
    Complex64::new(re, im)
}

/// Does not overflow far from the imaginary axis.
pub(super) fn tanh(z: Complex64) -> Complex64 {
    if z.re.abs() > 20.0 && z.im.is_finite() {
        let im = 4.0 * z.im.sin() * z.im.cos() * (-2.0 * z.re.abs()).exp();
        return Complex64::new(1.0f64.copysign(z.re), im);
    }
    if z.re.is_infinite() {
        return Complex64::new(1.0f64.copysign(z.re), 0f64.copysign(z.im));
    }
    if z.re == 0.0 && !z.im.is_finite() {
        return Complex64::new(z.re, f64::NAN);
    }
    z.tanh()
}

pub(super) fn tan(z: Complex64) -> Complex64 {
    turned_back(tanh(turned(z)))
}

pub(super) fn sqrt(z: Complex64) -> Complex64 {
    let Complex64 { re, im } = z;
    if im.is_infinite() {
        return Complex64::new(f64::INFINITY, im);
    }
    if re.is_infinite() && im.is_finite() {
        return match re > 0.0 {
            true => Complex64::new(re, 0f64.copysign(im)),
            false => Complex64::new(0.0, f64::INFINITY.copysign(im)),
        };
    }
    if re == 0.0 {
        let half = (0.5 * im.abs()).sqrt();
        return Complex64::new(half, half.copysign(im));
    }
    // Of numbers whose length is too large for a float, a quarter is taken.
    let shrink = if re.abs().max(im.abs()) > f64::MAX / 4.0 {
        0.25
    } else {
        1.0
    };
    let (x, y) = (re * shrink, im * shrink);
    let size = (0.5 * (x.hypot(y) + x.abs())).sqrt();
    let other = 0.5 * (y / size);
    let grow = 1.0 / shrink.sqrt();
    match re > 0.0 {
        true => Complex64::new(grow * size, grow * other),
        false => Complex64::new(grow * other.abs(), (grow * size).copysign(im)),
    }
}

pub(super) fn sigmoid(z: Complex64) -> Complex64 {
    let below = 1.0 + exp(-z);
    match !below.is_nan() && below.re.is_infinite() != below.im.is_infinite() {
        true => Complex64::new(0.0, 0.0),
        false => below.inv(),
    }
}

/// The value of the inverse hyperbolic tangent at infinity.
pub(super) fn atanh_of_infinity(z: Complex64) -> Option<Complex64> {
    let is_infinite = z.re.is_infinite() || z.im.is_infinite();
    let im = match z.im.is_nan() {
        true => z.im,
        false => FRAC_PI_2.copysign(z.im),
    };
    is_infinite.then(|| Complex64::new(0f64.copysign(z.re), im))
}
