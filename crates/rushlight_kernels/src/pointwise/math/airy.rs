//! The Airy function `Ai` in f64: its Maclaurin series in the middle, asymptotic forms on both sides.

use crate::compute::Compute;
use rushlight_tensor::special::chebyshev::Chebyshev;
use std::f64::consts::{FRAC_PI_4, PI};

/// `Ai(x)`. Far from zero on the left, the angle is taken in the type that is computed in.
pub fn airy_ai<W: Compute>(x: W) -> W {
    let v = x.f64();
    W::of(if !v.is_finite() {
        f64::NAN
    } else if v > 3.0 {
        let zeta = 2.0 / 3.0 * v * v.sqrt();
        DECAYING.at(1.0 / zeta) * (-zeta).exp() / (2.0 * PI.sqrt() * v.sqrt().sqrt())
    } else if v < -6.0 {
        let zeta = W::of(-2.0) * x * (-x).sqrt() / W::of(3.0);
        let angle = zeta + W::of(FRAC_PI_4);
        let (s, c) = (angle.sin().f64(), angle.cos().f64());
        let zeta = zeta.f64();
        let t = 1.0 / (zeta * zeta);
        (SINE.at(t) * s - COSINE.at(t) / zeta * c) / (PI.sqrt() * (-v).sqrt().sqrt())
    } else {
        series(v)
    })
}

/// `Ai(0) f(x) + Ai'(0) g(x)` with two power series in `x³`.
fn series(x: f64) -> f64 {
    let cube = x * x * x;
    let (mut f, mut g) = (1.0, x);
    let (mut f_term, mut g_term) = (1.0, x);
    for k in 1..80 {
        let k = 3.0 * k as f64;
        f_term *= cube / (k * (k - 1.0));
        g_term *= cube / (k * (k + 1.0));
        f += f_term;
        g += g_term;
        if f_term.abs() + g_term.abs() < 1e-20 * (f.abs() + g.abs()) {
            break;
        }
    }
    0.355_028_053_887_817_24 * f - 0.258_819_403_792_806_8 * g
}

/// `2 √π x^¼ exp(ζ) Ai(x)` over `1 / ζ`, for `x` from 3 on.
const DECAYING: Chebyshev<18> = Chebyshev {
    low: 0.0,
    high: 0.28867513459481287,
    terms: [
        0.9909253278629121,
        -0.008787979198916314,
        0.0002708640061605207,
        -1.46317247353397e-05,
        1.0852260208359393e-06,
        -9.972552056312785e-08,
        1.0739090386447278e-08,
        -1.309259653125608e-09,
        1.765607635969083e-10,
        -2.5904351203535138e-11,
        4.0841029388479134e-12,
        -6.853850259533151e-13,
        1.215122462293809e-13,
        -2.2621141137901578e-14,
        4.399957412572757e-15,
        -8.904529694174702e-16,
        1.8684040394246086e-16,
        -4.052458927126863e-17,
    ],
};
/// What multiplies the sine left of -6, over `1 / ζ²`.
const SINE: Chebyshev<10> = Chebyshev {
    low: 0.0,
    high: 0.010416666666666666,
    terms: [
        0.9998088477395531,
        -0.00019041677962134863,
        7.267968168417445e-07,
        -8.485426967529796e-09,
        1.9144545982950886e-10,
        -6.778493941405162e-12,
        3.345666079656652e-13,
        -2.13451377244657e-14,
        1.671807944115179e-15,
        -1.5491724858625554e-16,
    ],
};
/// What multiplies the cosine left of -6, times `-ζ`, over `1 / ζ²`.
const COSINE: Chebyshev<13> = Chebyshev {
    low: 0.0,
    high: 0.010416666666666666,
    terms: [
        0.06925101122700861,
        -0.00019199395713168297,
        1.4144485007348916e-06,
        -2.4076418454371364e-08,
        7.033135474188027e-10,
        -3.0199171290130837e-11,
        1.7348363656049135e-12,
        -1.2527799137757355e-13,
        1.0886384509123112e-14,
        -1.1026771285138958e-15,
        1.2709996936339577e-16,
        -1.636508701082464e-17,
        2.319556041978263e-18,
    ],
};
