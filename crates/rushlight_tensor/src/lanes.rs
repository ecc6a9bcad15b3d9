//! Inner loops over slices, compiled once per instruction set and chosen at run time.
//!
//! `map2(out, a, b, f)` is `out[i] = f(a[i], b[i])`. Its body is instantiated for AVX-512, for AVX2 with fused
//! multiply-add and for the build's baseline, so that a plain build is fast on new machines and runs on old ones. The
//! element function is a closure, or a type that implements [`Map1`] (and so on) when it needs to know whether
//! multiply-add is fused: calling `f32::mul_add` where it is not would be a library call per element.

/// The instruction sets that loops are compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Isa {
    Baseline,
    Avx2,
    Avx512,
    /// What every 64-bit ARM has; the baseline's loops are compiled for it.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

/// The best instruction set of this machine.
#[inline(always)]
pub fn isa() -> Isa {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
        {
            return Isa::Avx512;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Isa::Avx2;
        }
    }
    #[cfg(target_arch = "aarch64")]
    return Isa::Neon;
    #[cfg(not(target_arch = "aarch64"))]
    Isa::Baseline
}

/// How a loop multiplies and adds.
pub trait Lanes: Copy {
    /// Whether the sum is rounded once.
    const FUSED: bool;
    /// `x * y + z`, rounded once if that is as fast.
    fn fma(x: f32, y: f32, z: f32) -> f32;
    /// As [`Lanes::fma`] for f64.
    fn fma64(x: f64, y: f64, z: f64) -> f64;
}

/// Multiply-add is one instruction.
#[derive(Clone, Copy)]
pub struct Fused;
/// Multiply-add is two instructions.
#[derive(Clone, Copy)]
pub struct Separate;

impl Lanes for Fused {
    const FUSED: bool = true;
    #[inline(always)]
    fn fma(x: f32, y: f32, z: f32) -> f32 {
        x.mul_add(y, z)
    }
    #[inline(always)]
    fn fma64(x: f64, y: f64, z: f64) -> f64 {
        x.mul_add(y, z)
    }
}

impl Lanes for Separate {
    const FUSED: bool = false;
    #[inline(always)]
    fn fma(x: f32, y: f32, z: f32) -> f32 {
        x * y + z
    }
    #[inline(always)]
    fn fma64(x: f64, y: f64, z: f64) -> f64 {
        x * y + z
    }
}

/// What the baseline of this build has.
#[cfg(any(target_arch = "aarch64", target_feature = "fma"))]
type Baseline = Fused;
#[cfg(not(any(target_arch = "aarch64", target_feature = "fma")))]
type Baseline = Separate;

macro_rules! map {
    ($name:ident, $each:ident, $function:ident, $($x:ident: $X:ident),+; $what:literal) => {
        #[doc = concat!("An element function of ", $what, ".")]
        pub trait $function<$($X,)+ R>: Copy {
            /// The result for one element.
            fn at<L: Lanes>(self, $($x: $X),+) -> R;
        }

        impl<$($X,)+ R, F: Fn($($X),+) -> R + Copy> $function<$($X,)+ R> for F {
            #[inline(always)]
            fn at<L: Lanes>(self, $($x: $X),+) -> R {
                self($($x),+)
            }
        }

        #[doc = concat!("Applies a function of ", $what, " to every element. Slices must be as long as `out`.")]
        pub fn $name<$($X: Copy,)+ R, F: $function<$($X,)+ R>>(out: &mut [R], $($x: &[$X],)+ f: F) {
            #[inline(always)]
            fn body<L: Lanes, $($X: Copy,)+ R, F: $function<$($X,)+ R>>(out: &mut [R], $($x: &[$X],)+ f: F) {
                let n = out.len();
                $(let $x = &$x[..n];)+
                for i in 0..n {
                    out[i] = f.at::<L>($($x[i]),+);
                }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]
            fn avx512<$($X: Copy,)+ R, F: $function<$($X,)+ R>>(out: &mut [R], $($x: &[$X],)+ f: F) {
                body::<Fused, $($X,)+ R, F>(out, $($x,)+ f);
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2<$($X: Copy,)+ R, F: $function<$($X,)+ R>>(out: &mut [R], $($x: &[$X],)+ f: F) {
                body::<Fused, $($X,)+ R, F>(out, $($x,)+ f);
            }
            match isa() {
                // SAFETY: `isa` has found the features that the function was compiled for.
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => unsafe { avx512(out, $($x,)+ f) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => unsafe { avx2(out, $($x,)+ f) },
                _ => body::<Baseline, $($X,)+ R, F>(out, $($x,)+ f),
            }
        }

        #[doc = concat!("As [`", stringify!($name), "`], for functions that spend their time in calls: compiled once.")]
        pub fn $each<$($X: Copy,)+ R>(out: &mut [R], $($x: &[$X],)+ f: impl Fn($($X),+) -> R) {
            let n = out.len();
            $(let $x = &$x[..n];)+
            for i in 0..n {
                out[i] = f($($x[i]),+);
            }
        }
    };
}

/// A loop that is not one of the maps: a sum, a search. [`vectorised`] compiles `run` once per instruction set; it and
/// what it calls must be inlined (`#[inline(always)]`) to gain from that.
pub trait Vectorised {
    /// What the loop returns.
    type Output;
    /// Runs the loop.
    fn run(self) -> Self::Output;
}

/// Runs a loop compiled for the best instruction set of this machine.
pub fn vectorised<T: Vectorised>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]
    fn avx512<T: Vectorised>(task: T) -> T::Output {
        task.run()
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn avx2<T: Vectorised>(task: T) -> T::Output {
        task.run()
    }
    match isa() {
        // SAFETY: `isa` has found the features that the function was compiled for.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { avx512(task) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { avx2(task) },
        _ => task.run(),
    }
}

/// Writes an element to `n` places, in the widest registers of this machine.
///
/// # Safety
/// The places must be writable and aligned for the element.
pub(crate) unsafe fn fill<T: Copy>(to: *mut T, n: usize, value: T) {
    struct Fill<T>(*mut T, usize, T);
    impl<T: Copy> Vectorised for Fill<T> {
        type Output = ();
        #[inline(always)]
        fn run(self) {
            for i in 0..self.1 {
                // SAFETY: `fill`'s caller vouches for the places.
                unsafe { self.0.add(i).write(self.2) };
            }
        }
    }
    vectorised(Fill(to, n, value));
}

map!(map1, each1, Map1, a: A; "one operand");
map!(map2, each2, Map2, a: A, b: B; "two operands");
map!(map3, each3, Map3, a: A, b: B, c: C; "three operands");

/// As [`map2`], where either operand may be one element for all results, and the first none: then it is what `out` holds.
pub fn spread2<T: Copy>(out: &mut [T], a: &[T], b: &[T], f: impl Fn(T, T) -> T + Copy) {
    let n = out.len();
    match (a, b) {
        ([], _) => vectorised(Over { out, b, f }),
        ([x], [y]) => out.fill(f(*x, *y)),
        ([x], _) if n > 1 => map1(out, b, move |y: T| f(*x, y)),
        (_, [y]) if n > 1 => map1(out, a, move |x: T| f(x, *y)),
        _ => map2(out, a, b, f),
    }
}

/// As [`spread2`], of three operands.
pub fn spread3<T: Copy>(out: &mut [T], a: &[T], b: &[T], c: &[T], f: impl Fn(T, T, T) -> T + Copy) {
    match (a, b, c) {
        (_, _, [z]) => spread2(out, a, b, move |x, y| f(x, y, *z)),
        (_, [y], _) => spread2(out, a, c, move |x, z| f(x, *y, z)),
        ([x], ..) => map2(out, b, c, move |y: T, z: T| f(*x, y, z)),
        ([], ..) => {
            for (x, (y, z)) in out.iter_mut().zip(b.iter().zip(c)) {
                *x = f(*x, *y, *z);
            }
        }
        _ => map3(out, a, b, c, f),
    }
}

/// How many elements are merged at a time.
const BLOCK: usize = 32;

/// Writes elements in the place of others.
///
/// What is written over what it was chosen from becomes a masked store, which takes ten times as long on some processors: it is
/// put aside first.
#[inline(always)]
fn put<T: Copy>(kept: &mut [T; BLOCK], block: [T; BLOCK]) {
    *kept = std::hint::black_box(block);
}

/// Merges a slice into another: `kept[i] = pick(kept[i], other[i])`, as far as both go.
#[inline(always)]
pub fn merge<T: Copy>(kept: &mut [T], other: &[T], pick: impl Fn(T, T) -> T) {
    let (blocks, kept) = kept.as_chunks_mut::<BLOCK>();
    let (others, other) = other.as_chunks::<BLOCK>();
    for (kept, other) in blocks.iter_mut().zip(others) {
        put(kept, std::array::from_fn(|i| pick(kept[i], other[i])));
    }
    for (kept, other) in kept.iter_mut().zip(other) {
        *kept = pick(*kept, *other);
    }
}

/// As [`merge`], of every row of several, which are as long as `kept`.
#[inline(always)]
pub fn merge_rows<T: Copy>(kept: &mut [T], rows: &[T], pick: impl Fn(T, T) -> T) {
    let width = kept.len().max(1);
    let mut fours = rows.chunks_exact(4 * width);
    for four in &mut fours {
        let (blocks, rest) = kept.as_chunks_mut::<BLOCK>();
        let whole = blocks.len() * BLOCK;
        let row = |r: usize| four[r * width..][..whole].as_chunks::<BLOCK>().0;
        let of_rows = row(0).iter().zip(row(1)).zip(row(2).iter().zip(row(3)));
        for (kept, ((a, b), (c, d))) in blocks.iter_mut().zip(of_rows) {
            let merged = |i| pick(pick(kept[i], pick(a[i], b[i])), pick(c[i], d[i]));
            put(kept, std::array::from_fn(merged));
        }
        for row in four.chunks_exact(width) {
            for (kept, other) in rest.iter_mut().zip(&row[whole..]) {
                *kept = pick(*kept, *other);
            }
        }
    }
    for row in fours.remainder().chunks_exact(width) {
        merge(kept, row, &pick);
    }
}

/// As [`merge`], of every `S`th element of the other slice.
#[inline(always)]
pub fn merge_every<T: Copy, const S: usize>(kept: &mut [T], other: &[T], pick: impl Fn(T, T) -> T) {
    if S == 1 {
        return merge(kept, other, pick);
    }
    let mut at = 0;
    while kept.len() - at >= BLOCK && other.len() > (at + BLOCK - 1) * S {
        let other = &other[at * S..][..(BLOCK - 1) * S + 1];
        let Some(kept) = kept[at..].first_chunk_mut::<BLOCK>() else {
            break;
        };
        put(kept, std::array::from_fn(|i| pick(kept[i], other[i * S])));
        at += BLOCK;
    }
    let rest = other.get(at * S..).unwrap_or_default();
    for (kept, other) in kept[at..].iter_mut().zip(rest.iter().step_by(S)) {
        *kept = pick(*kept, *other);
    }
}

/// Copies elements, in the widest registers of this machine where a library's instruction for long copies may be slow.
///
/// # Panics
/// When the slices are not of one length.
#[inline]
pub fn copy<T: Copy>(to: &mut [T], from: &[T]) {
    assert_eq!(to.len(), from.len(), "slices are of one length");
    // SAFETY: the places are those of the slices, which do not overlap.
    unsafe {
        copy_bytes(
            to.as_mut_ptr().cast(),
            from.as_ptr().cast(),
            size_of_val(from),
        );
    }
}

/// As [`copy`], of so many bytes.
///
/// # Safety
/// They must be readable and writable, and not overlap.
#[inline]
pub(crate) unsafe fn copy_bytes(to: *mut u8, from: *const u8, bytes: usize) {
    // Some processors copy by `rep movsb` to places that are not aligned at a twentieth of their speed, and some libraries do so
    // for all copies between these sizes.
    #[cfg(target_arch = "x86_64")]
    if (2 << 10..1 << 20).contains(&bytes) && isa() != Isa::Baseline {
        // SAFETY: passed on; the processor has AVX2.
        return unsafe { copy_wide(to, from, bytes) };
    }
    // SAFETY: passed on.
    unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) }
}

/// Copies by vectors that are aligned where they are written.
///
/// # Safety
/// As [`copy_bytes`], of at least four vectors; the processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn copy_wide(to: *mut u8, from: *const u8, bytes: usize) {
    use std::arch::x86_64::{_mm256_loadu_si256, _mm256_store_si256, _mm256_storeu_si256};
    const WIDTH: usize = 32;
    const BLOCK: usize = 4 * WIDTH;
    // SAFETY: the first vector and the last block are within the bytes, and so is what begins between them and before the last
    // block.
    unsafe {
        let last = bytes - BLOCK;
        let load = |at: usize| _mm256_loadu_si256(from.add(at).cast());
        let first = load(0);
        let rest: [_; 4] = std::array::from_fn(|i| load(last + i * WIDTH));
        let mut at = WIDTH - to as usize % WIDTH;
        while at < last {
            let block: [_; 4] = std::array::from_fn(|i| load(at + i * WIDTH));
            for (i, vector) in block.into_iter().enumerate() {
                _mm256_store_si256(to.add(at + i * WIDTH).cast(), vector);
            }
            at += BLOCK;
        }
        _mm256_storeu_si256(to.cast(), first);
        for (i, vector) in rest.into_iter().enumerate() {
            _mm256_storeu_si256(to.add(last + i * WIDTH).cast(), vector);
        }
    }
}

/// A function of what a slice holds and of another operand, as long or of one element.
struct Over<'a, T, F> {
    out: &'a mut [T],
    b: &'a [T],
    f: F,
}

impl<T: Copy, F: Fn(T, T) -> T> Vectorised for Over<'_, T, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Over { out, b, f } = self;
        match *b {
            [y] => out.iter_mut().for_each(|x| *x = f(*x, y)),
            _ => out.iter_mut().zip(b).for_each(|(x, y)| *x = f(*x, *y)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy)]
    struct Cube;
    impl Map1<f32, f32> for Cube {
        fn at<L: Lanes>(self, a: f32) -> f32 {
            L::fma(a * a, a, 0.0)
        }
    }

    #[test]
    fn every_element_is_reached_whatever_the_vector_width() {
        for n in 0..70 {
            let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
            let mut out = vec![0.0; n];
            map1(&mut out, &a, Cube);
            assert!(out.iter().zip(&a).all(|(o, a)| *o == a * a * a));
            map2(&mut out, &a, &a, |x: f32, y: f32| x + y);
            assert!(out.iter().zip(&a).all(|(o, a)| *o == a + a));
        }
    }

    #[test]
    fn copies_of_all_lengths_stay_in_their_places() {
        let from: Vec<u8> = (0..20_000u32).map(|i| (i % 251) as u8).collect();
        for len in [0, 1, 100, 2047, 2048, 2049, 2176, 4096, 5000, 8180, 16_000] {
            for (begin, source) in [(0, 0), (1, 0), (12, 7), (31, 32), (32, 3), (45, 45)] {
                let mut to = vec![255u8; 20_000];
                copy(&mut to[begin..begin + len], &from[source..source + len]);
                assert_eq!(to[begin..begin + len], from[source..source + len]);
                let mut others = to[..begin].iter().chain(&to[begin + len..]);
                assert!(others.all(|b| *b == 255), "{len} at {begin}");
            }
        }
    }

    #[test]
    fn operands_may_be_one_element_or_none() {
        let many: Vec<f32> = (0..37).map(|i| i as f32 - 9.0).collect();
        let other: Vec<f32> = many.iter().map(|x| 0.5 * x + 1.0).collect();
        let one = [3.0f32];
        let at = |s: &[f32], i: usize| s[i % s.len()];
        for n in [1, 2, 37] {
            let (many, other) = (&many[..n], &other[..n]);
            for a in [many, &one, &[]] {
                let first = |i: usize| if a.is_empty() { many[i] } else { at(a, i) };
                for b in [other, &one] {
                    let mut out = many.to_vec();
                    spread2(&mut out, a, b, |x, y| x / y);
                    assert!((0..n).all(|i| out[i] == first(i) / at(b, i)));
                    for c in [many, &one] {
                        let mut out = many.to_vec();
                        spread3(&mut out, a, b, c, |x, y, z| x / y - z);
                        assert!((0..n).all(|i| out[i] == first(i) / at(b, i) - at(c, i)));
                    }
                }
            }
        }
    }
}
