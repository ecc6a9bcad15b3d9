//! Sigmoid and tanh as recurrent layers with packed weights compute them.
//!
//! The reference takes 32 gates at a time through vectors, whose exponential is a polynomial, and what is left of a row
//! through the C library; its tanh is the nearest number nearly always.

/// Gates that go together.
const TOGETHER: usize = 32;

/// The parts of the logarithm of two.
const UPPER: f32 = 0.693_145_75;
const LOWER: f32 = 1.428_606_8e-6;

/// The exponential by a polynomial of degree seven.
fn exponential(x: f32) -> f32 {
    if x.is_nan() {
        return x;
    }
    if x > 104.0 {
        return f32::INFINITY;
    }
    if x < -104.0 {
        return 0.0;
    }
    let whole = (x * std::f32::consts::LOG2_E).round_ties_even();
    let rest = whole.mul_add(-LOWER, whole.mul_add(-UPPER, x));
    let terms = [
        0.001_393_043_6f32,
        0.008_333_361,
        0.041_666_485,
        0.166_666_67,
        0.5,
    ];
    let sum = terms
        .iter()
        .fold(0.000_198_527_62f32, |sum, term| sum.mul_add(rest, *term));
    let near_one = 1.0 + (rest * rest).mul_add(sum, rest);
    // By two factors, each of which is a number.
    let half = whole as i32 / 2;
    let power = |n: i32| f32::from_bits(((n + 127) as u32) << 23);
    near_one * power(half) * power(whole as i32 - half)
}

/// The sigmoid of a row of gates.
pub(super) fn sigmoid(gates: &mut [f32]) {
    let together = gates.len() / TOGETHER * TOGETHER;
    let (vectors, rest) = gates.split_at_mut(together);
    for gate in vectors {
        *gate = 1.0 / (1.0 + exponential(-*gate));
    }
    for gate in rest {
        *gate = 1.0 / (1.0 + (-*gate).exp());
    }
}

/// The hyperbolic tangent, rounded once.
pub(super) fn tanh(x: f32) -> f32 {
    f64::from(x).tanh() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_and_single_gates_differ_by_little() {
        let mut gates: Vec<f32> = (0..70).map(|i| (i as f32 - 35.0) * 3.1).collect();
        let plain: Vec<f32> = gates.iter().map(|x| 1.0 / (1.0 + (-x).exp())).collect();
        sigmoid(&mut gates);
        for (own, plain) in gates.iter().zip(&plain) {
            assert!((own - plain).abs() <= plain * 1e-6, "{own} {plain}");
        }
        assert!(exponential(f32::NAN).is_nan());
        assert_eq!(exponential(f32::INFINITY), f32::INFINITY);
        assert_eq!(exponential(0.0), 1.0);
    }
}
