//! Softmax of eight short rows of f32 together, a row in each lane, with the bits of rows on their own.

use super::SoftmaxKind;
use crate::turn::{ABREAST, Factors, turn, turn_back};
use crate::vector::Vector;
use crate::vector_exp::exponential;

/// The longest rows that are short.
pub const LONGEST: usize = 128;

/// At most eight rows, where they lie or of others, with memory for eight twice; false, and nothing is done, where one may become zeros. The processor
/// must have vectors.
pub fn rows(
    kind: SoftmaxKind,
    from: Option<&[f32]>,
    rows: &mut [f32],
    n: usize,
    memory: &mut [f32],
) -> bool {
    let count = rows.len() / n;
    let starts = std::array::from_fn(|r| r.min(count - 1) * n);
    let (x, e) = memory[..2 * ABREAST * n].split_at_mut(ABREAST * n);
    turn(
        from.unwrap_or(rows),
        starts,
        n,
        Factors::InTurn([1.0; 2]),
        x,
    );
    #[cfg(target_arch = "x86_64")]
    let done = {
        use rushlight_tensor::lanes::{Isa, isa};
        #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
        unsafe fn avx512(kind: SoftmaxKind, x: &mut [f32], e: &mut [f32]) -> bool {
            // SAFETY: passed on.
            unsafe { lanes::<std::arch::x86_64::__m256, true>(kind, x, e) }
        }
        #[target_feature(enable = "avx2,fma")]
        unsafe fn avx2(kind: SoftmaxKind, x: &mut [f32], e: &mut [f32]) -> bool {
            // SAFETY: passed on.
            unsafe { lanes::<std::arch::x86_64::__m256, false>(kind, x, e) }
        }
        match isa() {
            // SAFETY: the processor has these instructions.
            Isa::Avx512 => unsafe { avx512(kind, x, e) },
            // SAFETY: the caller has found a processor with these.
            _ => unsafe { avx2(kind, x, e) },
        }
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: every processor of this kind has these vectors.
    let done = unsafe { lanes::<crate::vector::Neon, false>(kind, x, e) };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let done = false;
    if done {
        let result = if kind == SoftmaxKind::Log { x } else { e };
        turn_back(result, count, n, [1.0; 2], rows);
    }
    done
}

/// The rows in `x`, of which those of the logarithm stay there; others go to `e`.
///
/// # Safety
/// As for [`exponential`]; `x` and `e` are of one length, whole vectors.
#[inline(always)]
unsafe fn lanes<V: Vector, const SCALES: bool>(
    kind: SoftmaxKind,
    x: &mut [f32],
    e: &mut [f32],
) -> bool {
    let n = x.len() / ABREAST;
    let (x, e) = (x.as_mut_ptr(), e.as_mut_ptr());
    let mut numbers = [0f32; ABREAST];
    // SAFETY: vectors with numbers below `n` are inside both.
    unsafe {
        let lowest = V::splat(-f32::INFINITY);
        let highest = V::splat(f32::INFINITY);
        let mut tops = [lowest; 2];
        for i in 0..n / 2 {
            let at = x.add(2 * i * ABREAST);
            tops[0] = tops[0].within(V::load(at), highest);
            tops[1] = tops[1].within(V::load(at.add(ABREAST)), highest);
        }
        if n % 2 == 1 {
            tops[0] = tops[0].within(V::load(x.add((n - 1) * ABREAST)), highest);
        }
        let top = tops[0].within(tops[1], highest);
        top.store(numbers.as_mut_ptr());
        if kind == SoftmaxKind::Safe && numbers.iter().any(|v| *v == -f32::INFINITY || v.is_nan()) {
            return false;
        }
        for i in 0..n {
            let shifted = V::load(x.add(i * ABREAST)).sub(top);
            exponential::<V, SCALES>(shifted).store(e.add(i * ABREAST));
        }
        // As in rows on their own: sixteen sums side by side, those one after the other, then the rest.
        let whole = n / 16 * 16;
        let mut sum = V::splat(0.0);
        for lane in 0..whole.min(16) {
            let mut own = V::load(e.add(lane * ABREAST));
            for i in (lane + 16..whole).step_by(16) {
                own = own.add(V::load(e.add(i * ABREAST)));
            }
            sum = sum.add(own);
        }
        for i in whole..n {
            sum = sum.add(V::load(e.add(i * ABREAST)));
        }
        if kind == SoftmaxKind::Log {
            sum.store(numbers.as_mut_ptr());
            let log = V::load(numbers.map(f32::ln).as_ptr());
            for i in 0..n {
                let at = x.add(i * ABREAST);
                V::load(at).sub(top).sub(log).store(at);
            }
            return true;
        }
        let factor = V::splat(1.0).div(sum);
        for i in 0..n {
            let at = e.add(i * ABREAST);
            V::load(at).mul(factor).store(at);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::{SoftmaxKind, long_in_place, rows_in_place};

    #[test]
    fn rows_together_have_the_bits_of_rows_alone() {
        for n in [1, 2, 7, 8, 15, 16, 17, 33, 64, 65, 127, 128] {
            for count in [4, 8, 13] {
                let mut x: Vec<f32> = (0..n * count)
                    .map(|i| ((i * i) as f32 * 0.7).sin() * 20.0)
                    .collect();
                x[0] = f32::NEG_INFINITY;
                x[n..2 * n].fill(f32::NEG_INFINITY);
                x[3 * n] = f32::NAN;
                for kind in [SoftmaxKind::Plain, SoftmaxKind::Safe, SoftmaxKind::Log] {
                    let (mut together, mut alone) = (x.clone(), x.clone());
                    rows_in_place(kind, &mut together, n);
                    long_in_place(kind, &mut alone, n);
                    for (i, (a, b)) in together.iter().zip(&alone).enumerate() {
                        let same = a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
                        assert!(same, "{i} of {count} rows of {n}: {a} and {b}");
                    }
                }
            }
        }
    }
}
