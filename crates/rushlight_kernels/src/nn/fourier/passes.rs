//! Transforms of columns of complex numbers, a column in each lane of a vector.
//!
//! Numbers go from one buffer to the other in passes, each of which takes a factor of the length: what belongs together in
//! the result is together after the last (Stockham's order). A number of the buffers is a cell: the real parts of all lanes, then the
//! imaginary ones. All passes transform forward; backward is forward between conjugates.
//!
//! Lengths with larger factors are sums of products with a chirp (Bluestein's way), which two longer transforms make.

use crate::unrolled;
use crate::wide::{Job, Part, Wide, with_vectors};
use rushlight_tensor::Element;
use rushlight_tensor::memory::{self, Collected};
use std::f64::consts::TAU;

/// A complex number.
pub type Pair<T> = [T; 2];

/// The product of two complex numbers.
#[inline(always)]
pub fn product<T: Part>([a, b]: Pair<T>, [c, d]: Pair<T>) -> Pair<T> {
    [a * c - b * d, a * d + b * c]
}

/// The largest factor of a length that has a pass.
const LARGEST: usize = 31;

/// `exp(-2πi k / n)` for many `k`: products of two of some that were worked out.
pub struct Roots {
    n: usize,
    bits: u32,
    fine: Vec<Pair<f64>>,
    coarse: Vec<Pair<f64>>,
}

impl Roots {
    pub fn of(n: usize) -> Roots {
        let bits = n.max(1).ilog2().div_ceil(2);
        let root = |k: usize| {
            let (sin, cos) = (-TAU * k as f64 / n as f64).sin_cos();
            [cos, sin]
        };
        Roots {
            n,
            bits,
            fine: (0..1 << bits).map(root).collected(),
            coarse: (0..=(n >> bits)).map(|k| root(k << bits)).collected(),
        }
    }

    /// The root of a number below `n`.
    #[inline]
    pub fn at(&self, k: usize) -> Pair<f64> {
        let within = k & ((1 << self.bits) - 1);
        product(self.coarse[k >> self.bits], self.fine[within])
    }

    /// The root of a product of two numbers below `n`.
    pub fn at_product(&self, a: usize, b: usize) -> Pair<f64> {
        let k = a as u128 * b as u128 % self.n as u128;
        self.at(k as usize)
    }
}

/// A complex number of another precision.
pub fn rounded<T: Part>(z: Pair<f64>) -> Pair<T> {
    z.map(T::from_f64)
}

/// The factors of a length that passes take, if there are passes for all.
pub fn factors(length: usize) -> Option<Vec<usize>> {
    let (mut left, mut found) = (length, Vec::new());
    for radix in [4, 2].into_iter().chain((3..=LARGEST).step_by(2)) {
        while left > 0 && left.is_multiple_of(radix) {
            found.push(radix);
            left /= radix;
        }
    }
    (left == 1).then_some(found)
}

/// About what a transform of a length costs, where passes have all factors.
pub fn work(length: usize) -> Option<usize> {
    let each = |radix: usize| match radix {
        2 => 9,
        3 | 4 => 10,
        5 => 13,
        r => 4 * r,
    };
    let passes: usize = factors(length)?.into_iter().map(each).sum();
    Some(length * (passes + 3))
}

/// The length from `n` to twice that for which `cost` is least, of those that have no factors above five.
pub fn next_length(n: usize, cost: impl Fn(usize) -> usize) -> usize {
    let mut best = (usize::MAX, n.next_power_of_two());
    let mut fives = 1;
    while fives < 2 * n {
        let mut threes = fives;
        while threes < 2 * n {
            let length = threes * n.div_ceil(threes).next_power_of_two();
            best = best.min((cost(length), length));
            threes *= 3;
        }
        fives *= 5;
    }
    best.1
}

/// A factor of the length.
struct Pass<T> {
    radix: usize,
    /// How many groups of numbers have factors of their own, and how many numbers each has.
    groups: usize,
    step: usize,
    /// `radix - 1` factors of each group.
    twiddles: Vec<Pair<T>>,
    /// Cosines and sines of the multiples of the angle of this radix, where they do not stand in the pass.
    angles: Vec<Pair<T>>,
}

/// The passes of a length.
pub struct Passes<T> {
    pub length: usize,
    passes: Vec<Pass<T>>,
}

impl<T: Part> Passes<T> {
    /// The passes of a length, if there are any for all its factors.
    pub fn of(length: usize) -> Option<Passes<T>> {
        let factors = factors(length)?;
        let roots = Roots::of(length);
        let mut left = length;
        let pass = |radix: usize| {
            let (groups, step) = (left / radix, length / left);
            let places = (0..groups).flat_map(|p| (1..radix).map(move |j| p * j));
            left = groups;
            Pass {
                radix,
                groups,
                step,
                twiddles: places.map(|k| rounded(roots.at(k * step))).collected(),
                angles: match radix {
                    2..=5 => Vec::new(),
                    _ => (0..radix)
                        .map(|k| roots.at(k * (length / radix)))
                        .map(rounded)
                        .collected(),
                },
            }
        };
        Some(Passes {
            length,
            passes: factors.into_iter().map(pass).collected(),
        })
    }
}

/// A product with a chirp, by transforms of another length.
pub struct Chirp<T> {
    /// `exp(-πi k² / n)`.
    pub chirp: Vec<Pair<T>>,
    /// The transform of its conjugate, over the other length.
    pub spectrum: Vec<Pair<T>>,
}

impl<T: Part> Chirp<T> {
    /// For transforms of `n` numbers by ones of `inner`.
    pub fn of(n: usize, inner: usize) -> Chirp<T> {
        let roots = Roots::of(2 * n);
        let chirp: Vec<_> = (0..n).map(|k| roots.at_product(k, k)).collected();
        let mut conjugates = memory::filled(inner, [0.0; 2]);
        for (k, [re, im]) in chirp.iter().enumerate() {
            conjugates[k] = [*re, -*im];
            conjugates[(inner - k) % inner] = [*re, -*im];
        }
        let scale = 1.0 / inner as f64;
        let scaled = |[re, im]: Pair<f64>| rounded([re * scale, im * scale]);
        Chirp {
            chirp: chirp.into_iter().map(rounded).collected(),
            spectrum: super::line::transformed(&conjugates)
                .into_iter()
                .map(scaled)
                .collected(),
        }
    }
}

/// How columns are transformed.
pub struct Columns<T> {
    pub length: usize,
    passes: Passes<T>,
    chirp: Option<Chirp<T>>,
}

impl<T: Part> Columns<T> {
    pub fn of(length: usize) -> Columns<T> {
        if let Some(passes) = Passes::of(length) {
            return Columns {
                length,
                passes,
                chirp: None,
            };
        }
        let inner = inner_length(length, |n| work(n).unwrap_or(usize::MAX));
        Columns {
            length,
            chirp: Some(Chirp::of(length, inner)),
            passes: Passes::of(inner).unwrap_or_else(|| unreachable!("has small factors")),
        }
    }

    /// How many cells buffers need: those of the numbers and one more.
    pub fn cells(&self) -> usize {
        self.passes.length.max(self.length) + 1
    }

    /// Transforms columns, which are lanes of cells, in `x`; gives that of the buffers which has the result.
    pub fn transform<'a>(&'a self, x: &'a mut [T], y: &'a mut [T]) -> &'a mut [T] {
        with_vectors(Transform(self, x, y))
    }

    /// About what a column costs.
    pub fn work(&self) -> usize {
        let once = work(self.passes.length).unwrap_or(usize::MAX);
        match self.chirp {
            None => once,
            Some(_) => 2 * once + 10 * self.passes.length,
        }
    }
}

struct Transform<'a, T>(&'a Columns<T>, &'a mut [T], &'a mut [T]);
impl<'a, T: Part> Job for Transform<'a, T> {
    type Part = T;
    type Output = &'a mut [T];
    #[inline(always)]
    unsafe fn run<V: Wide<Part = T>>(self) -> &'a mut [T] {
        // SAFETY: passed on.
        unsafe { transform::<V>(self.0, self.1, self.2) }
    }
}

/// The length of the transforms by which one of `n` numbers is made that has no passes of its own.
pub fn inner_length(n: usize, cost: impl Fn(usize) -> usize) -> usize {
    next_length(2 * n - 1, cost)
}

/// A complex number of each column.
#[derive(Clone, Copy)]
pub struct Cell<V> {
    pub re: V,
    pub im: V,
}

/// Methods are for processors with the vectors' instructions; what is read and written must be readable and writable.
impl<V: Wide> Cell<V> {
    /// How many numbers of a buffer it is.
    pub const SIZE: usize = 2 * V::LANES;

    #[inline(always)]
    pub unsafe fn splat([re, im]: Pair<V::Part>) -> Cell<V> {
        // SAFETY: passed on.
        unsafe {
            Cell {
                re: V::splat(re),
                im: V::splat(im),
            }
        }
    }

    #[inline(always)]
    pub unsafe fn load(from: *const V::Part) -> Cell<V> {
        // SAFETY: passed on.
        unsafe {
            Cell {
                re: V::load(from),
                im: V::load(from.add(V::LANES)),
            }
        }
    }

    #[inline(always)]
    pub unsafe fn store(self, to: *mut V::Part) {
        // SAFETY: passed on.
        unsafe {
            self.re.store(to);
            self.im.store(to.add(V::LANES));
        }
    }

    #[inline(always)]
    pub unsafe fn add(self, b: Cell<V>) -> Cell<V> {
        // SAFETY: passed on.
        unsafe {
            Cell {
                re: self.re.add(b.re),
                im: self.im.add(b.im),
            }
        }
    }

    #[inline(always)]
    pub unsafe fn sub(self, b: Cell<V>) -> Cell<V> {
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
    pub unsafe fn sub_turned(self, b: Cell<V>) -> Cell<V> {
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
    pub unsafe fn add_turned(self, b: Cell<V>) -> Cell<V> {
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
    unsafe fn add_scaled(self, b: Cell<V>, factor: V) -> Cell<V> {
        // SAFETY: passed on.
        unsafe {
            Cell {
                re: b.re.fma(factor, self.re),
                im: b.im.fma(factor, self.im),
            }
        }
    }

    /// The parts times one factor each.
    #[inline(always)]
    pub unsafe fn scaled(self, by: Cell<V>) -> Cell<V> {
        // SAFETY: passed on.
        unsafe {
            Cell {
                re: self.re.mul(by.re),
                im: self.im.mul(by.im),
            }
        }
    }

    #[inline(always)]
    pub unsafe fn times(self, w: Cell<V>) -> Cell<V> {
        // SAFETY: passed on.
        unsafe {
            Cell {
                re: self.im.fnma(w.im, self.re.mul(w.re)),
                im: self.im.fma(w.re, self.re.mul(w.im)),
            }
        }
    }

    /// The conjugate of the product.
    #[inline(always)]
    unsafe fn times_turned(self, w: Cell<V>) -> Cell<V> {
        // SAFETY: passed on.
        unsafe {
            let z = self.times(w);
            Cell {
                re: z.re,
                im: V::splat(V::Part::default()).sub(z.im),
            }
        }
    }
}

/// See [`Columns::transform`].
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn transform<'a, V: Wide>(
    plan: &Columns<V::Part>,
    x: &'a mut [V::Part],
    y: &'a mut [V::Part],
) -> &'a mut [V::Part] {
    let Some(by) = &plan.chirp else {
        // SAFETY: passed on.
        return unsafe { passes::<V>(&plan.passes, x, y).0 };
    };
    let (n, inner) = (plan.length, plan.passes.length);
    let (x, y) = (
        &mut x[..inner * Cell::<V>::SIZE],
        &mut y[..inner * Cell::<V>::SIZE],
    );
    // SAFETY: passed on; the chirp is of the length, and its spectrum of that of the passes.
    unsafe {
        chirped::<V>(&by.chirp, x, false);
        x[n * Cell::<V>::SIZE..].fill(V::Part::default());
        let (x, y) = passes::<V>(&plan.passes, x, y);
        chirped::<V>(&by.spectrum, x, true);
        let (found, _) = passes::<V>(&plan.passes, x, y);
        // The conjugates of what was transformed backward.
        let minus = Cell::splat([V::Part::from_f64(1.0), V::Part::from_f64(-1.0)]);
        for (cell, factor) in found.chunks_exact_mut(Cell::<V>::SIZE).zip(&by.chirp) {
            let cell = cell.as_mut_ptr();
            Cell::<V>::load(cell)
                .scaled(minus)
                .times(Cell::splat(*factor))
                .store(cell);
        }
        found
    }
}

/// Multiplies cells by a factor each, and takes the conjugates of the products if wanted.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn chirped<V: Wide>(by: &[Pair<V::Part>], x: &mut [V::Part], turned: bool) {
    for (cell, factor) in x.chunks_exact_mut(Cell::<V>::SIZE).zip(by) {
        let cell = cell.as_mut_ptr();
        // SAFETY: passed on.
        unsafe {
            let (z, factor) = (Cell::<V>::load(cell), Cell::splat(*factor));
            match turned {
                true => z.times_turned(factor).store(cell),
                false => z.times(factor).store(cell),
            }
        }
    }
}

/// All passes; the buffer that has the result, and the other.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn passes<'a, V: Wide>(
    plan: &Passes<V::Part>,
    mut x: &'a mut [V::Part],
    mut y: &'a mut [V::Part],
) -> (&'a mut [V::Part], &'a mut [V::Part]) {
    assert!(x.len().min(y.len()) >= plan.length * Cell::<V>::SIZE);
    for pass in &plan.passes {
        assert!(pass.radix * pass.groups * pass.step == plan.length);
        let (from, to) = (x.as_ptr(), y.as_mut_ptr());
        // SAFETY: both buffers have room for the length, and all places of a pass are below it.
        unsafe {
            match pass.radix {
                2 => run::<V, 2>(pass, from, to),
                3 => run::<V, 3>(pass, from, to),
                4 => run::<V, 4>(pass, from, to),
                5 => run::<V, 5>(pass, from, to),
                _ => run_odd::<V>(pass, from, to),
            }
        }
        std::mem::swap(&mut x, &mut y);
    }
    (x, y)
}

/// A pass with a factor of `R`.
///
/// # Safety
/// The processor has the vectors' instructions; both buffers have `R * groups * step` complex numbers.
#[inline(always)]
unsafe fn run<V: Wide, const R: usize>(
    pass: &Pass<V::Part>,
    from: *const V::Part,
    to: *mut V::Part,
) {
    let (groups, step, size) = (pass.groups, pass.step, Cell::<V>::SIZE);
    for (p, twiddles) in pass.twiddles.chunks_exact(R - 1).enumerate() {
        // SAFETY: `p < groups`, `q < step` and `k < R`.
        unsafe {
            let mut w = [Cell::<V>::splat([V::Part::default(); 2]); R];
            unrolled!(k < R - 1, at most 4, {
                w[k + 1] = Cell::splat(twiddles[k]);
            });
            for q in 0..step {
                let mut a = [Cell::<V>::load(from.add((step * p + q) * size)); R];
                unrolled!(k < R - 1, at most 4, {
                    let from = from.add((step * (p + groups * (k + 1)) + q) * size);
                    a[k + 1] = Cell::load(from);
                });
                let a = butterfly::<V, R>(a);
                a[0].store(to.add((step * R * p + q) * size));
                unrolled!(k < R - 1, at most 4, {
                    let to = to.add((step * (R * p + k + 1) + q) * size);
                    a[k + 1].times(w[k + 1]).store(to);
                });
            }
        }
    }
}

/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn number<V: Wide>(value: f64) -> V {
    // SAFETY: passed on.
    unsafe { V::splat(V::Part::from_f64(value)) }
}

/// A transform of `R` numbers.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn butterfly<V: Wide, const R: usize>(a: [Cell<V>; R]) -> [Cell<V>; R] {
    let mut y = a;
    // SAFETY: passed on.
    unsafe {
        match R {
            2 => {
                y[0] = a[0].add(a[1]);
                y[1] = a[0].sub(a[1]);
            }
            3 => {
                let root = number::<V>(0.866_025_403_784_438_6);
                let sum = a[1].add(a[2]);
                let turned = a[1].sub(a[2]).scaled(Cell { re: root, im: root });
                let rest = a[0].add_scaled(sum, number::<V>(-0.5));
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
                let cos = [
                    number::<V>(0.309_016_994_374_947_45),
                    number::<V>(-0.809_016_994_374_947_5),
                ];
                let sin = [
                    number::<V>(0.951_056_516_295_153_5),
                    number::<V>(0.587_785_252_292_473_1),
                ];
                let (outer, inner) = (a[1].add(a[4]), a[2].add(a[3]));
                let (far, near) = (a[1].sub(a[4]), a[2].sub(a[3]));
                let first = a[0].add_scaled(outer, cos[0]).add_scaled(inner, cos[1]);
                let second = a[0].add_scaled(outer, cos[1]).add_scaled(inner, cos[0]);
                let zero = Cell::splat([V::Part::default(); 2]);
                let first_turned = zero.add_scaled(far, sin[0]).add_scaled(near, sin[1]);
                let minus = zero.re.sub(sin[0]);
                let second_turned = zero.add_scaled(far, sin[1]).add_scaled(near, minus);
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

/// A pass with an odd factor of at most [`LARGEST`]: sums over pairs of numbers that have the same cosine.
///
/// # Safety
/// As of [`run`].
#[inline(always)]
unsafe fn run_odd<V: Wide>(pass: &Pass<V::Part>, from: *const V::Part, to: *mut V::Part) {
    let (groups, step, size) = (pass.groups, pass.step, Cell::<V>::SIZE);
    let (radix, half) = (pass.radix, pass.radix / 2);
    assert!(radix <= LARGEST && pass.angles.len() == radix);
    for (p, twiddles) in pass.twiddles.chunks_exact(radix - 1).enumerate() {
        for q in 0..step {
            // SAFETY: `p < groups`, `q < step` and `k < radix`.
            unsafe {
                let zero = Cell::<V>::splat([V::Part::default(); 2]);
                let (mut sums, mut differences) = ([zero; LARGEST / 2], [zero; LARGEST / 2]);
                let first = Cell::<V>::load(from.add((step * p + q) * size));
                let mut all = first;
                for k in 0..half {
                    let (a, b) = (p + groups * (k + 1), p + groups * (radix - 1 - k));
                    let a = Cell::<V>::load(from.add((step * a + q) * size));
                    let b = Cell::<V>::load(from.add((step * b + q) * size));
                    (sums[k], differences[k]) = (a.add(b), a.sub(b));
                    all = all.add(sums[k]);
                }
                all.store(to.add((step * radix * p + q) * size));
                for k in 1..=half {
                    let (mut rest, mut turned, mut angle) = (first, zero, 0);
                    for (sum, difference) in sums.iter().zip(&differences).take(half) {
                        angle += k;
                        if angle >= radix {
                            angle -= radix;
                        }
                        let w = Cell::splat(pass.angles[angle]);
                        rest = rest.add_scaled(*sum, w.re);
                        turned = turned.add_scaled(*difference, w.im);
                    }
                    // The sines are those of angles below zero.
                    let (low, high) = (rest.add_turned(turned), rest.sub_turned(turned));
                    for (place, z) in [(k, low), (radix - k, high)] {
                        let to = to.add((step * (radix * p + place) + q) * size);
                        z.times(Cell::splat(twiddles[place - 1])).store(to);
                    }
                }
            }
        }
    }
}
