//! Bessel functions of orders 0 and 1 of both kinds in f64, and the spherical one of order 0.
//!
//! Near zero the second kind has a logarithm and a pole, which are written out. From 8 on both kinds are a cosine and
//! a sine with slowly varying factors. Tables are Chebyshev fits to 30-digit values.

use crate::compute::Compute;
use rushlight_tensor::special::chebyshev::Chebyshev;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4};

/// `J0(x)`.
pub fn j0<W: Compute>(x: W) -> W {
    let x = x.abs();
    match x <= W::of(5.0) {
        true => W::of(J0_NEAR.at(x.f64() * x.f64())),
        false => FAR0.at(x).0,
    }
}

/// `J1(x)`.
pub fn j1<W: Compute>(x: W) -> W {
    let a = x.abs();
    let y = match a <= W::of(5.0) {
        true => W::of(near_j1(a.f64())),
        false => FAR1.at(a).0,
    };
    if x < W::of(0.0) { -y } else { y }
}

fn near_j1(a: f64) -> f64 {
    a * J1_NEAR.at(a * a)
}

/// `Y0(x)`.
pub fn y0<W: Compute>(x: W) -> W {
    let v = x.f64();
    W::of(if v == 0.0 {
        f64::NEG_INFINITY
    } else if v < 0.0 || v.is_nan() {
        f64::NAN
    } else if v <= 5.0 {
        Y0_NEAR.at(v * v) + FRAC_2_PI * v.ln() * J0_NEAR.at(v * v)
    } else {
        return FAR0.at(x).1;
    })
}

/// `Y1(x)`.
pub fn y1<W: Compute>(x: W) -> W {
    let v = x.f64();
    W::of(if v == 0.0 {
        f64::NEG_INFINITY
    } else if v < 0.0 || v.is_nan() {
        f64::NAN
    } else if v <= 5.0 {
        v * Y1_NEAR.at(v * v) + FRAC_2_PI * (v.ln() * near_j1(v) - 1.0 / v)
    } else {
        return FAR1.at(x).1;
    })
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

/// A pair of Bessel functions of one order far from zero, after Cephes: a cosine and a sine of `x - shift`, each with a
/// rational function of `25 / x²`. The angle is taken in the type that is computed in. The denominator of the sine's
/// factor begins one power lower than it should, as the reference's does, which shows in the seventh digit near 5.
struct Far {
    shift: f64,
    cosine: [[f64; 7]; 2],
    sine: ([f64; 8], [f64; 7]),
}

impl Far {
    /// The values of the first and of the second kind.
    fn at<W: Compute>(&self, x: W) -> (W, W) {
        let t = W::of(25.0) / (x * x);
        let cosine = polynomial(&self.cosine[0], t) / polynomial(&self.cosine[1], t);
        let sine = polynomial(&self.sine.0, t) / polynomial(&self.sine.1, t);
        let angle = x - W::of(self.shift);
        let (s, c) = (angle.sin(), angle.cos());
        let size = W::of(FRAC_2_PI.sqrt());
        let side = W::of(5.0) / x;
        (
            (cosine * c - side * sine * s) * size / x.sqrt(),
            (cosine * s + side * sine * c) * size / x.sqrt(),
        )
    }
}

fn polynomial<W: Compute>(coefficients: &[f64], x: W) -> W {
    coefficients
        .iter()
        .fold(W::of(0.0), |sum, c| sum * x + W::of(*c))
}

/// Order 0.
const FAR0: Far = Far {
    shift: FRAC_PI_4,
    cosine: [
        [
            7.96936729297347051624e-4,
            8.28352392107440799803e-2,
            1.23953371646414299388,
            5.44725003058768775090,
            8.74716500199817011941,
            5.30324038235394892183,
            9.99999999999999997821e-1,
        ],
        [
            9.24408810558863637013e-4,
            8.56288474354474431428e-2,
            1.25352743901058953537,
            5.47097740330417105182,
            8.76190883237069594232,
            5.30605288235394617618,
            1.00000000000000000218,
        ],
    ],
    sine: (
        [
            -1.13663838898469149931e-2,
            -1.28252718670509318512,
            -1.95539544257735972385e1,
            -9.32060152123768231369e1,
            -1.77681167980488050595e2,
            -1.47077505154951170175e2,
            -5.14105326766599330220e1,
            -6.05014350600728481186,
        ],
        [
            6.43178256118178023184e1,
            8.56430025976980587198e2,
            3.88240183605401609683e3,
            7.24046774195652478189e3,
            5.93072701187316984827e3,
            2.06209331660327847417e3,
            2.42005740240291393179e2,
        ],
    ),
};

/// Order 1.
const FAR1: Far = Far {
    shift: FRAC_PI_2 + FRAC_PI_4,
    cosine: [
        [
            7.62125616208173112003e-4,
            7.31397056940917570436e-2,
            1.12719608129684925192,
            5.11207951146807644818,
            8.42404590141772420927,
            5.21451598682361504063,
            1.00000000000000000254,
        ],
        [
            5.71323128072548699714e-4,
            6.88455908754495404082e-2,
            1.10514232634061696926,
            5.07386386128601488557,
            8.39985554327604159757,
            5.20982848682361821619,
            9.99999999999999997461e-1,
        ],
    ],
    sine: (
        [
            5.10862594750176621635e-2,
            4.98213872951233449420,
            7.58238284132545283818e1,
            3.66779609360150777800e2,
            7.10856304998926107277e2,
            5.97489612400613639965e2,
            2.11688757100572135698e2,
            2.52070205858023719784e1,
        ],
        [
            7.42373277035675149943e1,
            1.05644886038262816351e3,
            4.98641058337653607651e3,
            9.56231892404756170795e3,
            7.99704160447350683650e3,
            2.82619278517639096600e3,
            3.36093607810698293419e2,
        ],
    ),
};

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
