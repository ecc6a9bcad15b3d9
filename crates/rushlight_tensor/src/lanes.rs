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
pub(crate) unsafe fn spread<T: Copy>(to: *mut T, n: usize, value: T) {
    struct Spread<T>(*mut T, usize, T);
    impl<T: Copy> Vectorised for Spread<T> {
        type Output = ();
        #[inline(always)]
        fn run(self) {
            for i in 0..self.1 {
                // SAFETY: `spread`'s caller vouches for the places.
                unsafe { self.0.add(i).write(self.2) };
            }
        }
    }
    vectorised(Spread(to, n, value));
}

map!(map1, each1, Map1, a: A; "one operand");
map!(map2, each2, Map2, a: A, b: B; "two operands");
map!(map3, each3, Map3, a: A, b: B, c: C; "three operands");

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
}
