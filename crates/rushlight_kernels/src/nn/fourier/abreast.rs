//! Transforms of eight rows of f32 together, a row in each lane, for lengths that are products of twos, threes and fives.
//!
//! Numbers go from one buffer to the other in passes, each of which takes a factor of the length: what belongs together in
//! the result is together after the last (Stockham's order). A number of the buffers is eight real parts, then eight
//! imaginary ones. All passes transform forward; backward is forward between conjugates.

use super::transform::{Direction, Kind, Task};
use crate::turn::{ABREAST, Factors, turn, turn_back};
use crate::unrolled;
use crate::vector::Vector;
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::{Buffer, watch};
use std::f64::consts::TAU;

/// Numbers of a buffer for a complex number of eight rows.
const CELL: usize = 2 * ABREAST;
/// The longest transform whose buffers stay in a second-level cache.
const LONGEST: usize = 2048;

/// A factor of the length.
struct Pass {
    radix: usize,
    /// How many groups of numbers have factors of their own, and how many numbers each has.
    groups: usize,
    step: usize,
    /// `radix - 1` factors of each group.
    twiddles: Vec<[f32; 2]>,
}

/// What transforms of a length need.
pub struct Plan {
    length: usize,
    passes: Vec<Pass>,
    /// Factors with which spectra of pairs of real numbers become those of the numbers, see [`untangle`].
    halves: Vec<[f32; 2]>,
}

/// `exp(-2πi k / n)`.
pub fn root(k: usize, n: usize) -> [f64; 2] {
    let (sin, cos) = (-TAU * k as f64 / n as f64).sin_cos();
    [cos, sin]
}

fn narrow(z: [f64; 2]) -> [f32; 2] {
    z.map(|v| v as f32)
}

impl Plan {
    /// The plan for complex rows of a length, where this machine and this length are for it.
    pub fn of(length: usize) -> Option<Plan> {
        if isa() == Isa::Baseline || !(4..=LONGEST).contains(&length) {
            return None;
        }
        let (mut left, mut passes) = (length, Vec::new());
        for radix in [4, 2, 3, 5] {
            while left.is_multiple_of(radix) {
                let groups = left / radix;
                let places = (0..groups).flat_map(|p| (1..radix).map(move |j| p * j));
                passes.push(Pass {
                    radix,
                    groups,
                    step: length / left,
                    twiddles: places.map(|k| narrow(root(k, left))).collect(),
                });
                left = groups;
            }
        }
        // -i exp(-2πi k / 2n)
        let half = |k| {
            let [re, im] = root(k, 2 * length);
            narrow([im, -re])
        };
        (left == 1).then(|| Plan {
            length,
            passes,
            halves: (0..=length / 2).map(half).collect(),
        })
    }
}

/// Transforms the rows of a task that have these numbers into `out`.
pub fn rows(plan: &Plan, task: &Task<'_, f32>, some: std::ops::Range<usize>, out: &mut [f32]) {
    let n = plan.length;
    let (width, target) = (task.width_in(), task.width_out());
    let backward = task.direction == Direction::Inverse;
    let sign = |turned: bool| if turned { -1.0 } else { 1.0 };
    let by = match (&task.rows.window, task.kind) {
        (Some(window), _) => Factors::Own(window),
        (None, Kind::FromReal) => Factors::InTurn([1.0, 1.0]),
        (None, _) => Factors::InTurn([1.0, sign(backward)]),
    };
    let scale = task.scale as f32;
    let scales = match task.kind {
        Kind::Complex => [scale, scale * sign(backward)],
        Kind::FromReal => [0.5 * scale, 0.5 * scale],
        Kind::ToReal => [scale, -scale],
    };
    let mut near = Buffer::<f32>::unspecified((n + 1) * CELL);
    let mut far = Buffer::<f32>::unspecified((n + 1) * CELL);
    for (out, first) in out
        .chunks_mut(ABREAST * target)
        .zip(some.clone().step_by(ABREAST))
    {
        watch::poll();
        let last = some.end - 1;
        let starts = std::array::from_fn(|r| task.rows.start((first + r).min(last)));
        turn(task.rows.data, starts, width, by, &mut near);
        if task.kind == Kind::ToReal {
            fold_ends(&mut near, n);
            untangle(plan, &mut near);
        }
        if transform(plan, &mut near, &mut far) {
            std::mem::swap(&mut near, &mut far);
        }
        if task.kind == Kind::FromReal {
            unfold_ends(&mut near, n);
            untangle(plan, &mut near);
        }
        turn_back(&near, out.len() / target, target, scales, out);
    }
}

/// The conjugate of the first of the pairs from the first and the last of a half spectrum, whose imaginary parts count for
/// nothing.
fn fold_ends(x: &mut [f32], n: usize) {
    let (first, last) = x.split_at_mut(n * CELL);
    for r in 0..ABREAST {
        let (a, b) = (first[r], last[r]);
        (first[r], first[ABREAST + r]) = (a + b, b - a);
    }
}

/// Twice the first and the last of a half spectrum from the first of the pairs.
fn unfold_ends(x: &mut [f32], n: usize) {
    let (first, last) = x.split_at_mut(n * CELL);
    for r in 0..ABREAST {
        let (a, b) = (first[r], first[ABREAST + r]);
        (first[r], last[r]) = (2.0 * (a + b), 2.0 * (a - b));
        (first[ABREAST + r], last[ABREAST + r]) = (0.0, 0.0);
    }
}

/// Runs a function of vectors compiled for this machine: a plan exists only where there are any.
macro_rules! with_vectors {
    ($name:ident, $body:ident($($a:ident: $t:ty),*) $(-> $r:ty)?) => {
        fn $name($($a: $t),*) $(-> $r)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                unsafe fn avx2($($a: $t),*) $(-> $r)? {
                    // SAFETY: passed on.
                    unsafe { $body::<std::arch::x86_64::__m256>($($a),*) }
                }
                // SAFETY: plans are only made for processors with these instructions.
                unsafe { avx2($($a),*) }
            }
            #[cfg(target_arch = "aarch64")]
            // SAFETY: every processor of this kind has these vectors.
            unsafe {
                $body::<crate::vector::Neon>($($a),*)
            }
            #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
            unreachable!("plans are only made for processors with vectors")
        }
    };
}

with_vectors!(transform, passes(plan: &Plan, x: &mut [f32], y: &mut [f32]) -> bool);
with_vectors!(untangle, untangle_in(plan: &Plan, x: &mut [f32]));

/// A complex number of eight rows.
#[derive(Clone, Copy)]
struct Cell<V> {
    re: V,
    im: V,
}

/// A factor of all rows: its parts, and the imaginary part negated.
#[derive(Clone, Copy)]
struct Factor<V> {
    re: V,
    im: V,
    minus: V,
}

/// Methods are for processors with the vectors' instructions.
impl<V: Vector> Factor<V> {
    #[inline(always)]
    unsafe fn of([re, im]: [f32; 2]) -> Factor<V> {
        // SAFETY: passed on.
        unsafe {
            Factor {
                re: V::splat(re),
                im: V::splat(im),
                minus: V::splat(-im),
            }
        }
    }
}

/// Methods are for processors with the vectors' instructions.
impl<V: Vector> Cell<V> {
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Cell<V> {
        // SAFETY: passed on.
        unsafe {
            Cell {
                re: V::load(from),
                im: V::load(from.add(ABREAST)),
            }
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: passed on.
        unsafe {
            self.re.store(to);
            self.im.store(to.add(ABREAST));
        }
    }

    #[inline(always)]
    unsafe fn add(self, b: Cell<V>) -> Cell<V> {
        // SAFETY: passed on.
        unsafe {
            Cell {
                re: self.re.add(b.re),
                im: self.im.add(b.im),
            }
        }
    }

    #[inline(always)]
    unsafe fn sub(self, b: Cell<V>) -> Cell<V> {
        // SAFETY: passed on.
        unsafe {
            Cell {
                re: self.re.sub(b.re),
                im: self.im.sub(b.im),
            }
        }
    }

    /// `self - i b`.
    #[inline(always)]
    unsafe fn sub_turned(self, b: Cell<V>) -> Cell<V> {
        // SAFETY: passed on.
        unsafe {
            Cell {
                re: self.re.add(b.im),
                im: self.im.sub(b.re),
            }
        }
    }

    /// `self + i b`.
    #[inline(always)]
    unsafe fn add_turned(self, b: Cell<V>) -> Cell<V> {
        // SAFETY: passed on.
        unsafe {
            Cell {
                re: self.re.sub(b.im),
                im: self.im.add(b.re),
            }
        }
    }

    /// `self + b factor`.
    #[inline(always)]
    unsafe fn add_scaled(self, b: Cell<V>, factor: f32) -> Cell<V> {
        // SAFETY: passed on.
        unsafe {
            let factor = V::splat(factor);
            Cell {
                re: b.re.fma(factor, self.re),
                im: b.im.fma(factor, self.im),
            }
        }
    }

    #[inline(always)]
    unsafe fn scaled(self, factor: f32) -> Cell<V> {
        // SAFETY: passed on.
        unsafe {
            let factor = V::splat(factor);
            Cell {
                re: self.re.mul(factor),
                im: self.im.mul(factor),
            }
        }
    }

    #[inline(always)]
    unsafe fn times(self, w: Factor<V>) -> Cell<V> {
        // SAFETY: passed on.
        unsafe {
            Cell {
                re: self.im.fma(w.minus, self.re.mul(w.re)),
                im: self.im.fma(w.re, self.re.mul(w.im)),
            }
        }
    }
}

/// All passes; whether the result is in `y`.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn passes<V: Vector>(plan: &Plan, x: &mut [f32], y: &mut [f32]) -> bool {
    assert!(x.len().min(y.len()) >= plan.length * CELL);
    let (mut from, mut to) = (x.as_mut_ptr(), y.as_mut_ptr());
    for pass in &plan.passes {
        assert!(pass.radix * pass.groups * pass.step == plan.length);
        // SAFETY: both buffers have room for the length, and all places of a pass are below it.
        unsafe {
            match pass.radix {
                2 => run::<V, 2>(pass, from, to),
                3 => run::<V, 3>(pass, from, to),
                4 => run::<V, 4>(pass, from, to),
                _ => run::<V, 5>(pass, from, to),
            }
        }
        std::mem::swap(&mut from, &mut to);
    }
    !plan.passes.len().is_multiple_of(2)
}

/// A pass with a factor of `R`.
///
/// # Safety
/// The processor has the vectors' instructions; both buffers have `R * groups * step` complex numbers.
#[inline(always)]
unsafe fn run<V: Vector, const R: usize>(pass: &Pass, from: *const f32, to: *mut f32) {
    let (groups, step) = (pass.groups, pass.step);
    for (p, twiddles) in pass.twiddles.chunks_exact(R - 1).enumerate() {
        // SAFETY: `p < groups`, `q < step` and `k < R`.
        unsafe {
            let mut w = [Factor::<V>::of([1.0, 0.0]); R];
            unrolled!(k < R - 1, {
                w[k + 1] = Factor::of(twiddles[k]);
            });
            for q in 0..step {
                let mut a = [Cell::<V>::load(from.add((step * p + q) * CELL)); R];
                unrolled!(k < R - 1, {
                    let from = from.add((step * (p + groups * (k + 1)) + q) * CELL);
                    a[k + 1] = Cell::load(from);
                });
                let a = butterfly::<V, R>(a);
                a[0].store(to.add((step * R * p + q) * CELL));
                unrolled!(k < R - 1, {
                    let to = to.add((step * (R * p + k + 1) + q) * CELL);
                    a[k + 1].times(w[k + 1]).store(to);
                });
            }
        }
    }
}

/// A transform of `R` numbers.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn butterfly<V: Vector, const R: usize>(a: [Cell<V>; R]) -> [Cell<V>; R] {
    let mut y = a;
    // SAFETY: passed on.
    unsafe {
        match R {
            2 => {
                y[0] = a[0].add(a[1]);
                y[1] = a[0].sub(a[1]);
            }
            3 => {
                let (sum, turned) = (a[1].add(a[2]), a[1].sub(a[2]).scaled(0.866_025_4));
                let rest = a[0].add_scaled(sum, -0.5);
                y[0] = a[0].add(sum);
                y[1] = rest.sub_turned(turned);
                y[2] = rest.add_turned(turned);
            }
            4 => {
                let (even, odd) = (a[0].add(a[2]), a[1].add(a[3]));
                let (apart, turned) = (a[0].sub(a[2]), a[1].sub(a[3]));
                y[0] = even.add(odd);
                y[1] = apart.sub_turned(turned);
                y[2] = even.sub(odd);
                y[3] = apart.add_turned(turned);
            }
            _ => {
                const COS: [f32; 2] = [0.309_017, -0.809_017];
                const SIN: [f32; 2] = [0.951_056_5, 0.587_785_24];
                let (outer, inner) = (a[1].add(a[4]), a[2].add(a[3]));
                let (far, near) = (a[1].sub(a[4]), a[2].sub(a[3]));
                let first = a[0].add_scaled(outer, COS[0]).add_scaled(inner, COS[1]);
                let second = a[0].add_scaled(outer, COS[1]).add_scaled(inner, COS[0]);
                let first_turned = far.scaled(SIN[0]).add_scaled(near, SIN[1]);
                let second_turned = far.scaled(SIN[1]).add_scaled(near, -SIN[0]);
                y[0] = a[0].add(outer).add(inner);
                y[1] = first.sub_turned(first_turned);
                y[2] = second.sub_turned(second_turned);
                y[3] = second.add_turned(second_turned);
                y[4] = first.add_turned(first_turned);
            }
        }
    }
    y
}

/// Between the spectrum of pairs of real numbers, taken as complex ones, and twice that of the numbers: what is `k` from the
/// beginning and from the end depends on both. With `a` and `b`, the conjugate of the other, it is
/// `(a + b) + h (a - b)` for `h = -i exp(-2πi k / 2n)`, and the conjugate of the difference at the other end. From spectra of the numbers (then conjugated,
/// as all that is transformed backward) to those of pairs it is the same.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn untangle_in<V: Vector>(plan: &Plan, x: &mut [f32]) {
    let n = plan.length;
    assert!(x.len() >= n * CELL && plan.halves.len() == n / 2 + 1);
    let x = x.as_mut_ptr();
    for (k, half) in plan.halves.iter().enumerate().skip(1) {
        // SAFETY: `0 < k <= n / 2`.
        unsafe {
            let (near, far) = (x.add(k * CELL), x.add((n - k) * CELL));
            let (a, c) = (Cell::<V>::load(near), Cell::<V>::load(far));
            let sum = Cell {
                re: a.re.add(c.re),
                im: a.im.sub(c.im),
            };
            let difference = Cell {
                re: a.re.sub(c.re),
                im: a.im.add(c.im),
            };
            let turned = difference.times(Factor::of(*half));
            sum.add(turned).store(near);
            let other = Cell {
                re: sum.re.sub(turned.re),
                im: turned.im.sub(sum.im),
            };
            other.store(far);
        }
    }
}
