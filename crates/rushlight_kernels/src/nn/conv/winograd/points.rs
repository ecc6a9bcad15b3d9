//! The three changes of six numbers (or three) into the values of polynomials at the points 0, ±A, ±B and infinity, and back:
//! `y = out(filter(g) * image(d))` is the sum of products of `g` with every three neighbours in `d`.

use super::{SPAN, TILE};
use crate::vector::Vector;

const A: f64 = 0.625;
const B: f64 = 1.5;
const A2: f64 = A * A;
const B2: f64 = B * B;

/// Six neighbours of an image.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
pub unsafe fn image<V: Vector>(d: [V; SPAN]) -> [V; SPAN] {
    // SAFETY: passed on.
    unsafe {
        let number = |value: f64| V::splat(value as f32);
        let [d0, d1, d2, d3, d4, d5] = d;
        let (near_even, near_odd) = (number(-B2).fma(d2, d4), number(-B2).fma(d1, d3));
        let (far_even, far_odd) = (number(-A2).fma(d2, d4), number(-A2).fma(d1, d3));
        let (product, sum) = (number(A2 * B2), number(-A2 - B2));
        [
            sum.fma(d2, product.fma(d0, d4)),
            number(A).fma(near_odd, near_even),
            number(-A).fma(near_odd, near_even),
            number(B).fma(far_odd, far_even),
            number(-B).fma(far_odd, far_even),
            sum.fma(d3, product.fma(d1, d5)),
        ]
    }
}

/// The four results from six sums of products.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
pub unsafe fn out<V: Vector>(m: [V; SPAN]) -> [V; TILE] {
    // SAFETY: passed on.
    unsafe {
        let number = |value: f64| V::splat(value as f32);
        let (near_even, near_odd) = (m[1].add(m[2]), m[1].sub(m[2]));
        let (far_even, far_odd) = (m[3].add(m[4]), m[3].sub(m[4]));
        [
            m[0].add(near_even).add(far_even),
            number(A).fma(near_odd, number(B).mul(far_odd)),
            number(A2).fma(near_even, number(B2).mul(far_even)),
            number(A2 * A).fma(near_odd, number(B2 * B).fma(far_odd, m[5])),
        ]
    }
}

/// Three weights of each of several filters.
#[inline(always)]
pub fn filter<const L: usize>(g: [[f64; L]; 3]) -> [[f64; L]; SPAN] {
    const NEAR: f64 = 1.0 / (2.0 * A2 * (A2 - B2));
    const FAR: f64 = 1.0 / (2.0 * B2 * (B2 - A2));
    let mut out = [[0.0; L]; SPAN];
    for l in 0..L {
        let [g0, g1, g2] = [g[0][l], g[1][l], g[2][l]];
        let (near, far) = (g0 + A2 * g2, g0 + B2 * g2);
        out[0][l] = g0 * (1.0 / (A2 * B2));
        out[1][l] = (near + A * g1) * NEAR;
        out[2][l] = (near - A * g1) * NEAR;
        out[3][l] = (far + B * g1) * FAR;
        out[4][l] = (far - B * g1) * FAR;
        out[5][l] = g2;
    }
    out
}
