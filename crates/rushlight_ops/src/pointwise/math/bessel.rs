//! Bessel functions of orders 0 and 1 of both kinds in f64, and the spherical one of order 0.
//!
//! Near zero the second kind has a logarithm and a pole, which are written out. From 8 on both kinds are a cosine and
//! a sine with slowly varying factors. Tables are Chebyshev fits to 30-digit values.

use super::chebyshev::Chebyshev;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4};

/// `J0(x)`.
pub fn j0(x: f64) -> f64 {
    let x = x.abs();
    if x <= 8.0 {
        J0_NEAR.at(x * x)
    } else {
        wave0(x).0
    }
}

/// `J1(x)`.
pub fn j1(x: f64) -> f64 {
    let a = x.abs();
    let y = if a <= 8.0 {
        a * J1_NEAR.at(a * a)
    } else {
        wave1(a).0
    };
    if x < 0.0 { -y } else { y }
}

/// `Y0(x)`.
pub fn y0(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x < 0.0 || x.is_nan() {
        f64::NAN
    } else if x <= 8.0 {
        Y0_NEAR.at(x * x) + FRAC_2_PI * x.ln() * j0(x)
    } else {
        wave0(x).1
    }
}

/// `Y1(x)`.
pub fn y1(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x < 0.0 || x.is_nan() {
        f64::NAN
    } else if x <= 8.0 {
        x * Y1_NEAR.at(x * x) + FRAC_2_PI * (x.ln() * j1(x) - 1.0 / x)
    } else {
        wave1(x).1
    }
}

/// `sin(x) / x`.
pub fn spherical_j0(x: f64) -> f64 {
    if x.is_infinite() {
        0.0
    } else if x.abs() < 1e-4 {
        1.0 - x * x / 6.0
    } else {
        x.sin() / x
    }
}

/// `(J0, Y0)` far from zero.
fn wave0(x: f64) -> (f64, f64) {
    let t = 1.0 / (x * x);
    wave(x, FRAC_PI_4, COSINE0.at(t), SINE0.at(t) / x)
}

/// `(J1, Y1)` far from zero.
fn wave1(x: f64) -> (f64, f64) {
    let t = 1.0 / (x * x);
    wave(x, FRAC_PI_2 + FRAC_PI_4, COSINE1.at(t), SINE1.at(t) / x)
}

/// Cosine and sine of `x - shift` with their factors.
fn wave(x: f64, shift: f64, cosine: f64, sine: f64) -> (f64, f64) {
    let (s, c) = (x - shift).sin_cos();
    let size = (FRAC_2_PI / x).sqrt();
    (
        size * (cosine * c - sine * s),
        size * (cosine * s + sine * c),
    )
}

/// `J0(x)` over `x²`, for `x` up to 8.
const J0_NEAR: Chebyshev<17> = Chebyshev {
    low: 0.0,
    high: 64.0,
    terms: [
        0.15772797147489012,
        -0.008723442352852221,
        0.2651786132033368,
        -0.37009499387264977,
        0.15806710233209725,
        -0.034893769411408884,
        0.004819180069467605,
        -0.00046062616620627504,
        3.246032882100508e-05,
        -1.7619469077621507e-06,
        7.608163592418782e-08,
        -2.679253530557673e-09,
        7.848696314479465e-11,
        -1.9438346867370164e-12,
        4.125320595634374e-14,
        -7.588508125447547e-16,
        1.2218515873961131e-17,
    ],
};
/// `J1(x) / x` over `x²`, for `x` up to 8.
const J1_NEAR: Chebyshev<16> = Chebyshev {
    low: 0.0,
    high: 64.0,
    terms: [
        0.08104484632565812,
        -0.1489751450676521,
        0.1609992623572097,
        -0.08268049176681791,
        0.022213639654966037,
        -0.003646940600769276,
        0.0004050337728354822,
        -3.255554866857259e-05,
        1.9858774049915165e-06,
        -9.521984756750436e-08,
        3.687133759097148e-09,
        -1.178026622695885e-10,
        3.160154580348003e-12,
        -7.221755239651773e-14,
        1.4232144003513942e-15,
        -2.4441972916190514e-17,
    ],
};
/// `Y0(x) - 2 / π ln(x) J0(x)` over `x²`, for `x` up to 8.
const Y0_NEAR: Chebyshev<17> = Chebyshev {
    low: 0.0,
    high: 64.0,
    terms: [
        -0.03314611320328494,
        -0.2744743055297453,
        0.17903431407718265,
        0.26156734625504663,
        -0.17730201278114358,
        0.04719668959576339,
        -0.007287962479552079,
        0.0007531135932577742,
        -5.632079141056987e-05,
        3.206532537654801e-06,
        -1.44072332740187e-07,
        5.248794787330516e-09,
        -1.5837552541812015e-10,
        4.02633081830612e-12,
        -8.747341203310769e-14,
        1.6434898714919468e-15,
        -2.6977881152566766e-17,
    ],
};
/// `(Y1(x) - 2 / π (ln(x) J1(x) - 1 / x)) / x` over `x²`, for `x` up to 8.
const Y1_NEAR: Chebyshev<16> = Chebyshev {
    low: 0.0,
    high: 64.0,
    terms: [
        0.0025380132357417816,
        -0.01608717304766875,
        -0.09591204536083074,
        0.08445197259652346,
        -0.028328123944594365,
        0.005289897544167113,
        -0.0006414551451326356,
        5.505982873338744e-05,
        -3.53808001868935e-06,
        1.7707804556154404e-07,
        -7.11055004989928e-09,
        2.344337905911516e-10,
        -6.4651518414115946e-12,
        1.51429151205002e-13,
        -3.0511859694473254e-15,
        5.3466803857286697e-17,
    ],
};
/// What multiplies the cosine in the asymptotic form of order 0, over `1 / x²`.
const COSINE0: Chebyshev<12> = Chebyshev {
    low: 0.0,
    high: 0.015625,
    terms: [
        0.9994603493475187,
        -0.0005365220468132117,
        3.0751847875194745e-06,
        -5.1705945376060975e-08,
        1.6306464635151382e-09,
        -7.86409137723707e-11,
        5.168262387349193e-12,
        -4.3045788699253914e-13,
        4.3265957431549404e-14,
        -5.069034095935236e-15,
        6.74807221573387e-16,
        -1.0011513723467748e-16,
    ],
};
/// What multiplies the sine in the asymptotic form of order 0, times `x`, over `1 / x²`.
const SINE0: Chebyshev<15> = Chebyshev {
    low: 0.0,
    high: 0.015625,
    terms: [
        -0.12444683684269607,
        0.0005470815954089319,
        -5.9315987288485175e-06,
        1.4377965798375193e-07,
        -5.817532749493056e-09,
        3.376097523734991e-10,
        -2.565397936797308e-11,
        2.4049161002813658e-12,
        -2.66906254825795e-13,
        3.4041800321964526e-14,
        -4.8799441053128806e-15,
        7.729703176251029e-16,
        -1.3348852171586816e-16,
        2.4865952390232956e-17,
        -4.952892630726915e-18,
    ],
};
/// What multiplies the cosine in the asymptotic form of order 1, over `1 / x²`.
const COSINE1: Chebyshev<12> = Chebyshev {
    low: 0.0,
    high: 0.015625,
    terms: [
        1.0009030408600137,
        0.0008989898330859408,
        -3.987284300488908e-06,
        6.177633960644299e-08,
        -1.8718907491063067e-09,
        8.816898659582339e-11,
        -5.704863640395645e-12,
        4.699195515230542e-13,
        -4.6842237839904895e-14,
        5.452674896044717e-15,
        -7.221180842274021e-16,
        1.0667689114335449e-16,
    ],
};
/// What multiplies the sine in the asymptotic form of order 1, times `x`, over `1 / x²`.
const SINE1: Chebyshev<14> = Chebyshev {
    low: 0.0,
    high: 0.015625,
    terms: [
        0.3742222965562826,
        -0.0007702178839325664,
        7.3108922063643636e-06,
        -1.676782510726674e-07,
        6.583354662120443e-09,
        -3.749090950541556e-10,
        2.8121750359748863e-11,
        -2.611452539462319e-12,
        2.8774212663332164e-13,
        -3.649001916061772e-14,
        5.206626366226069e-15,
        -8.215318025452368e-16,
        1.4141084390151196e-16,
        -2.6267615897794902e-17,
    ],
};
