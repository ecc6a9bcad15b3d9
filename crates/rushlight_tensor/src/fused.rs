//! `fmaf` for programs that are linked with MinGW: that of Debian 12 (10.0) gave another last bit for 23 % of random numbers.
//!
//! `f32::mul_add` calls it by this name where a processor is not known to have the instruction.

/// `x * y + z`, rounded once.
// SAFETY: the signature and the meaning are those of the C standard, which everyone who calls this name expects.
#[unsafe(no_mangle)]
extern "C" fn fmaf(x: f32, y: f32, z: f32) -> f32 {
    libm::fmaf(x, y, z)
}

#[cfg(test)]
mod tests {
    #[test]
    fn sums_of_products_round_once() {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            std::hint::black_box((state >> 8) as f32 / 8_388_608.0 - 1.0)
        };
        for _ in 0..10_000 {
            let (x, y, z) = (next(), next(), next());
            // Numbers of this size have products and sums that f64 holds without rounding.
            let want = f64::from(x) * f64::from(y) + f64::from(z);
            assert_eq!(x.mul_add(y, z), want as f32, "{x} {y} {z}");
        }
    }
}
