//! The element types as Rust types, and the arithmetic that kernels written once over them may use.
//!
//! [`Element`] is everything a tensor can hold; [`Number`] adds arithmetic, [`Real`] order, [`Float`] the functions of
//! analysis. `f16` and `bf16` compute in f32: kernels load with [`Element::load`], work in [`Element::Compute`] and
//! [`Element::store`] the result, which is the identity for the other types.

use crate::{Complex, Complex16, Complex32, Complex64, DType, Scalar, bf16, f16};

/// A boolean as stored: one byte, true when not zero, so that any byte of a file is a valid element.
#[derive(Clone, Copy, Default, Debug)]
#[repr(transparent)]
pub struct Bool8(pub u8);

impl Bool8 {
    /// The truth value.
    #[inline(always)]
    pub fn get(self) -> bool {
        self.0 != 0
    }
}
impl PartialEq for Bool8 {
    #[inline(always)]
    fn eq(&self, other: &Bool8) -> bool {
        self.get() == other.get()
    }
}
impl PartialOrd for Bool8 {
    #[inline(always)]
    fn partial_cmp(&self, other: &Bool8) -> Option<std::cmp::Ordering> {
        self.get().partial_cmp(&other.get())
    }
}
impl From<bool> for Bool8 {
    #[inline(always)]
    fn from(b: bool) -> Bool8 {
        Bool8(b as u8)
    }
}

/// A type that tensors hold. Implementors accept every bit pattern, which is what makes viewing bytes as elements safe.
///
/// # Safety
/// `Self` must be valid for every bit pattern, have the size of `DTYPE` and no padding.
pub unsafe trait Element:
    Copy + Send + Sync + Default + PartialEq + std::fmt::Debug + 'static
{
    /// The dtype of tensors of this element.
    const DTYPE: DType;
    /// The type arithmetic is done in: f32 for the 16-bit floats, `u8` as truth value for `Bool8`, else itself.
    type Compute: Copy + Send + Sync + 'static;
    /// To the compute type.
    fn load(self) -> Self::Compute;
    /// From the compute type, rounding to nearest even.
    fn store(v: Self::Compute) -> Self;
    /// From f64, as the reference casts (truncation for integers, the lowest one where it does not fit; not-zero for
    /// bool).
    fn from_f64(v: f64) -> Self;
    /// From i64, wrapping.
    fn from_i64(v: i64) -> Self;
    /// From a complex number; the imaginary part is dropped for real types.
    fn from_complex(v: Complex64) -> Self;
    /// To f64; the real part of complex numbers.
    fn to_f64(self) -> f64;
    /// To i64, truncating.
    fn to_i64(self) -> i64;
    /// To a complex number.
    fn to_complex(self) -> Complex64;
    /// Whether the element is not zero.
    fn is_nonzero(self) -> bool;
    /// From a Python number.
    #[inline]
    fn from_scalar(s: Scalar) -> Self {
        match s {
            Scalar::Bool(b) => Self::from_i64(b as i64),
            Scalar::Int(i) => Self::from_i64(i),
            Scalar::Float(f) => Self::from_f64(f),
            Scalar::Complex(c) => Self::from_complex(c),
        }
    }
    /// To a Python number: int, float, bool or complex by kind of dtype.
    fn to_scalar(self) -> Scalar;
    /// Converts to another element type as `Tensor.to` does.
    #[inline(always)]
    fn cast<U: Element>(self) -> U {
        if Self::DTYPE.is_complex() {
            U::from_complex(self.to_complex())
        } else if Self::DTYPE.is_float()
            || Self::DTYPE as u8 == DType::U64 as u8 && !U::DTYPE.is_integral(true)
        {
            U::from_f64(self.to_f64())
        } else {
            U::from_i64(self.to_i64())
        }
    }
}

/// Elements with arithmetic: everything but `Bool8`. Integers wrap.
pub trait Number: Element {
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    fn add(self, o: Self) -> Self;
    fn sub(self, o: Self) -> Self;
    fn mul(self, o: Self) -> Self;
    fn neg(self) -> Self;
}

/// Complex numbers as their real and imaginary parts in turn.
pub fn parts<T: Copy>(values: &[Complex<T>]) -> &[T] {
    // SAFETY: a complex number is two floats without padding, aligned as one of them.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), 2 * values.len()) }
}

/// Complex numbers as their real and imaginary parts in turn, for writing.
pub fn parts_mut<T: Copy>(values: &mut [Complex<T>]) -> &mut [T] {
    // SAFETY: as for [`parts`].
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), 2 * values.len()) }
}

/// Numbers with an order: integers and floats.
pub trait Real: Number + PartialOrd {
    /// The smallest value (minus infinity for floats).
    const LOWEST: Self;
    /// The largest value (infinity for floats).
    const HIGHEST: Self;
    /// Whether the value is NaN.
    fn is_nan(self) -> bool;
}

/// Floating point elements. `Wide` is the type their functions are computed in.
pub trait Float: Real {
    /// f32 for f16, bf16 and f32; f64 for f64.
    type Wide: wide::Wide;
    fn widen(self) -> Self::Wide;
    fn narrow(w: Self::Wide) -> Self;
}

/// The two types that floating point functions are computed in.
pub mod wide {
    use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};
    /// f32 or f64 with the functions kernels need.
    pub trait Wide:
        Copy
        + Send
        + Sync
        + PartialOrd
        + Default
        + std::fmt::Debug
        + Add<Output = Self>
        + Sub<Output = Self>
        + Mul<Output = Self>
        + Div<Output = Self>
        + Neg<Output = Self>
        + AddAssign
        + SubAssign
        + MulAssign
        + 'static
    {
        const ZERO: Self;
        const ONE: Self;
        const INFINITY: Self;
        const NAN: Self;
        fn of(v: f64) -> Self;
        fn f64(self) -> f64;
        fn exp(self) -> Self;
        fn ln(self) -> Self;
        fn sqrt(self) -> Self;
        fn tanh(self) -> Self;
        fn sin(self) -> Self;
        fn cos(self) -> Self;
        fn powf(self, e: Self) -> Self;
        fn abs(self) -> Self;
        fn floor(self) -> Self;
        fn ceil(self) -> Self;
        fn trunc(self) -> Self;
        fn round_even(self) -> Self;
        fn exp_m1(self) -> Self;
        fn ln_1p(self) -> Self;
        fn mul_add(self, a: Self, b: Self) -> Self;
        fn max_nan(self, o: Self) -> Self;
        fn min_nan(self, o: Self) -> Self;
        fn is_nan(self) -> bool;
        fn is_finite(self) -> bool;
    }
    macro_rules! wide {
        ($t:ident) => {
            impl Wide for $t {
                const ZERO: $t = 0.0;
                const ONE: $t = 1.0;
                const INFINITY: $t = $t::INFINITY;
                const NAN: $t = $t::NAN;
                #[inline(always)]
                fn of(v: f64) -> $t {
                    v as $t
                }
                #[inline(always)]
                fn f64(self) -> f64 {
                    self as f64
                }
                wide!(@fns $t exp ln sqrt tanh sin cos abs floor ceil trunc exp_m1 ln_1p);
                #[inline(always)]
                fn round_even(self) -> $t {
                    self.round_ties_even()
                }
                #[inline(always)]
                fn powf(self, e: $t) -> $t {
                    $t::powf(self, e)
                }
                #[inline(always)]
                fn mul_add(self, a: $t, b: $t) -> $t {
                    $t::mul_add(self, a, b)
                }
                #[inline(always)]
                fn max_nan(self, o: $t) -> $t {
                    if self.is_nan() || self > o { self } else { o }
                }
                #[inline(always)]
                fn min_nan(self, o: $t) -> $t {
                    if self.is_nan() || self < o { self } else { o }
                }
                #[inline(always)]
                fn is_nan(self) -> bool {
                    $t::is_nan(self)
                }
                #[inline(always)]
                fn is_finite(self) -> bool {
                    $t::is_finite(self)
                }
            }
        };
        (@fns $t:ident $($f:ident)*) => {
            $(#[inline(always)]
            fn $f(self) -> $t {
                $t::$f(self)
            })*
        };
    }
    wide!(f32);
    wide!(f64);

    /// The 16-bit floats, for kernels that round after every step as the reference's do.
    macro_rules! narrow {
        ($t:ident) => {
            impl Wide for crate::$t {
                const ZERO: crate::$t = crate::$t::ZERO;
                const ONE: crate::$t = crate::$t::ONE;
                const INFINITY: crate::$t = crate::$t::INFINITY;
                const NAN: crate::$t = crate::$t::NAN;
                #[inline(always)]
                fn of(v: f64) -> crate::$t {
                    crate::$t::from_f64(v)
                }
                #[inline(always)]
                fn f64(self) -> f64 {
                    self.to_f64()
                }
                narrow!(@fns $t exp ln sqrt tanh sin cos abs floor ceil trunc exp_m1 ln_1p);
                #[inline(always)]
                fn round_even(self) -> crate::$t {
                    crate::$t::from_f32(self.to_f32().round_ties_even())
                }
                #[inline(always)]
                fn powf(self, e: crate::$t) -> crate::$t {
                    crate::$t::from_f32(self.to_f32().powf(e.to_f32()))
                }
                #[inline(always)]
                fn mul_add(self, a: crate::$t, b: crate::$t) -> crate::$t {
                    crate::$t::from_f32(self.to_f32().mul_add(a.to_f32(), b.to_f32()))
                }
                #[inline(always)]
                fn max_nan(self, o: crate::$t) -> crate::$t {
                    if self.is_nan() || self > o { self } else { o }
                }
                #[inline(always)]
                fn min_nan(self, o: crate::$t) -> crate::$t {
                    if self.is_nan() || self < o { self } else { o }
                }
                #[inline(always)]
                fn is_nan(self) -> bool {
                    crate::$t::is_nan(self)
                }
                #[inline(always)]
                fn is_finite(self) -> bool {
                    crate::$t::is_finite(self)
                }
            }
        };
        (@fns $t:ident $($f:ident)*) => {
            $(#[inline(always)]
            fn $f(self) -> crate::$t {
                crate::$t::from_f32(self.to_f32().$f())
            })*
        };
    }
    narrow!(f16);
    narrow!(bf16);
}

/// A float as an integer of 32 bits, as x86 converts it: what does not fit becomes the lowest one. The reference's
/// conversions to narrower integers take the low bits of this.
#[inline(always)]
fn to_i32(v: f64) -> i32 {
    const LOWEST: f64 = i32::MIN as f64;
    let fits = (v > LOWEST - 1.0) & (v < -LOWEST);
    // SAFETY: the number fits, without its fraction: it is within these bounds, or the lowest one.
    unsafe { (if fits { v } else { LOWEST }).to_int_unchecked() }
}

/// The same with 64 bits.
#[inline(always)]
fn to_i64(v: f64) -> i64 {
    const LOWEST: f64 = i64::MIN as f64;
    let fits = (LOWEST..-LOWEST).contains(&v);
    // SAFETY: as above.
    unsafe { (if fits { v } else { LOWEST }).to_int_unchecked() }
}

/// The same without sign: what is too large for the signed ones is as it is, all else as they have it.
#[inline(always)]
fn to_u64(v: f64) -> u64 {
    if (9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0).contains(&v) {
        v as u64
    } else {
        to_i64(v) as u64
    }
}

macro_rules! stored_integer {
    ($t:ident, $d:ident, $convert:ident) => {
        // SAFETY: primitive integers accept every bit pattern and have the dtype's size.
        unsafe impl Element for $t {
            const DTYPE: DType = DType::$d;
            type Compute = $t;
            #[inline(always)]
            fn load(self) -> $t {
                self
            }
            #[inline(always)]
            fn store(v: $t) -> $t {
                v
            }
            #[inline(always)]
            fn from_f64(v: f64) -> $t {
                $convert(v) as $t
            }
            #[inline(always)]
            fn from_i64(v: i64) -> $t {
                v as $t
            }
            #[inline(always)]
            fn from_complex(v: Complex64) -> $t {
                Self::from_f64(v.re)
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn to_i64(self) -> i64 {
                self as i64
            }
            #[inline(always)]
            fn to_complex(self) -> Complex64 {
                Complex64::new(self as f64, 0.0)
            }
            #[inline(always)]
            fn is_nonzero(self) -> bool {
                self != 0
            }
            #[inline(always)]
            fn to_scalar(self) -> Scalar {
                Scalar::Int(self as i64)
            }
        }
    };
}

macro_rules! integer {
    ($t:ident, $d:ident, $convert:ident) => {
        stored_integer!($t, $d, $convert);
        impl Number for $t {
            const ZERO: $t = 0;
            const ONE: $t = 1;
            #[inline(always)]
            fn add(self, o: $t) -> $t {
                self.wrapping_add(o)
            }
            #[inline(always)]
            fn sub(self, o: $t) -> $t {
                self.wrapping_sub(o)
            }
            #[inline(always)]
            fn mul(self, o: $t) -> $t {
                self.wrapping_mul(o)
            }
            #[inline(always)]
            fn neg(self) -> $t {
                self.wrapping_neg()
            }
        }
        impl Real for $t {
            const LOWEST: $t = $t::MIN;
            const HIGHEST: $t = $t::MAX;
            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }
        }
    };
}
integer!(u8, U8, to_i32);
integer!(i8, I8, to_i32);
integer!(i16, I16, to_i32);
integer!(i32, I32, to_i32);
integer!(i64, I64, to_i64);
stored_integer!(u16, U16, to_i32);
stored_integer!(u32, U32, to_i64);
stored_integer!(u64, U64, to_u64);

macro_rules! float {
    ($t:ident, $d:ident, $w:ident, $to:expr, $from:expr) => {
        // SAFETY: floats accept every bit pattern and have the dtype's size.
        unsafe impl Element for $t {
            const DTYPE: DType = DType::$d;
            type Compute = $w;
            #[inline(always)]
            fn load(self) -> $w {
                ($to)(self)
            }
            #[inline(always)]
            fn store(v: $w) -> $t {
                ($from)(v)
            }
            #[inline(always)]
            fn from_f64(v: f64) -> $t {
                ($from)(v as $w)
            }
            #[inline(always)]
            fn from_i64(v: i64) -> $t {
                ($from)(v as $w)
            }
            #[inline(always)]
            fn from_complex(v: Complex64) -> $t {
                Self::from_f64(v.re)
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                ($to)(self) as f64
            }
            #[inline(always)]
            fn to_i64(self) -> i64 {
                ($to)(self) as i64
            }
            #[inline(always)]
            fn to_complex(self) -> Complex64 {
                Complex64::new(self.to_f64(), 0.0)
            }
            #[inline(always)]
            fn is_nonzero(self) -> bool {
                ($to)(self) != 0.0
            }
            #[inline(always)]
            fn to_scalar(self) -> Scalar {
                Scalar::Float(self.to_f64())
            }
        }
        impl Number for $t {
            const ZERO: $t = $t::from_bits(0);
            const ONE: $t = ONE_BITS::$d;
            #[inline(always)]
            fn add(self, o: $t) -> $t {
                ($from)(($to)(self) + ($to)(o))
            }
            #[inline(always)]
            fn sub(self, o: $t) -> $t {
                ($from)(($to)(self) - ($to)(o))
            }
            #[inline(always)]
            fn mul(self, o: $t) -> $t {
                ($from)(($to)(self) * ($to)(o))
            }
            #[inline(always)]
            fn neg(self) -> $t {
                -self
            }
        }
        impl Real for $t {
            const LOWEST: $t = $t::NEG_INFINITY;
            const HIGHEST: $t = $t::INFINITY;
            #[inline(always)]
            fn is_nan(self) -> bool {
                $t::is_nan(self)
            }
        }
        impl Float for $t {
            type Wide = $w;
            #[inline(always)]
            fn widen(self) -> $w {
                ($to)(self)
            }
            #[inline(always)]
            fn narrow(w: $w) -> $t {
                ($from)(w)
            }
        }
    };
}

#[expect(non_snake_case, reason = "a table keyed by the dtype variants")]
mod ONE_BITS {
    use crate::{bf16, f16};
    pub const F16: f16 = f16::ONE;
    pub const BF16: bf16 = bf16::ONE;
    pub const F32: f32 = 1.0;
    pub const F64: f64 = 1.0;
}
float!(f32, F32, f32, |v: f32| v, |v: f32| v);
float!(f64, F64, f64, |v: f64| v, |v: f64| v);
float!(f16, F16, f32, |v: f16| v.to_f32(), |v: f32| f16::from_f32(
    v
));
float!(bf16, BF16, f32, |v: bf16| v.to_f32(), |v: f32| {
    bf16::from_f32(v)
});

// SAFETY: a transparent u8; every byte is valid.
unsafe impl Element for Bool8 {
    const DTYPE: DType = DType::Bool;
    type Compute = bool;
    #[inline(always)]
    fn load(self) -> bool {
        self.get()
    }
    #[inline(always)]
    fn store(v: bool) -> Bool8 {
        Bool8(v as u8)
    }
    #[inline(always)]
    fn from_f64(v: f64) -> Bool8 {
        Bool8((v != 0.0) as u8)
    }
    #[inline(always)]
    fn from_i64(v: i64) -> Bool8 {
        Bool8((v != 0) as u8)
    }
    #[inline(always)]
    fn from_complex(v: Complex64) -> Bool8 {
        Bool8((v.re != 0.0 || v.im != 0.0) as u8)
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.get() as u8 as f64
    }
    #[inline(always)]
    fn to_i64(self) -> i64 {
        self.get() as i64
    }
    #[inline(always)]
    fn to_complex(self) -> Complex64 {
        Complex64::new(self.to_f64(), 0.0)
    }
    #[inline(always)]
    fn is_nonzero(self) -> bool {
        self.get()
    }
    #[inline(always)]
    fn to_scalar(self) -> Scalar {
        Scalar::Bool(self.get())
    }
}

macro_rules! complex {
    ($t:ident, $d:ident, $r:ident) => {
        // SAFETY: a pair of floats without padding; every bit pattern is valid.
        unsafe impl Element for $t {
            const DTYPE: DType = DType::$d;
            type Compute = $t;
            #[inline(always)]
            fn load(self) -> $t {
                self
            }
            #[inline(always)]
            fn store(v: $t) -> $t {
                v
            }
            #[inline(always)]
            fn from_f64(v: f64) -> $t {
                $t::new(v as $r, 0.0)
            }
            #[inline(always)]
            fn from_i64(v: i64) -> $t {
                $t::new(v as $r, 0.0)
            }
            #[inline(always)]
            fn from_complex(v: Complex64) -> $t {
                $t::new(v.re as $r, v.im as $r)
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.re as f64
            }
            #[inline(always)]
            fn to_i64(self) -> i64 {
                self.re as i64
            }
            #[inline(always)]
            fn to_complex(self) -> Complex64 {
                Complex64::new(self.re as f64, self.im as f64)
            }
            #[inline(always)]
            fn is_nonzero(self) -> bool {
                self.re != 0.0 || self.im != 0.0
            }
            #[inline(always)]
            fn to_scalar(self) -> Scalar {
                Scalar::Complex(self.to_complex())
            }
        }
        impl Number for $t {
            const ZERO: $t = $t::new(0.0, 0.0);
            const ONE: $t = $t::new(1.0, 0.0);
            #[inline(always)]
            fn add(self, o: $t) -> $t {
                self + o
            }
            #[inline(always)]
            fn sub(self, o: $t) -> $t {
                self - o
            }
            #[inline(always)]
            fn mul(self, o: $t) -> $t {
                self * o
            }
            #[inline(always)]
            fn neg(self) -> $t {
                -self
            }
        }
    };
}
complex!(Complex32, C64, f32);
complex!(Complex64, C128, f64);

// SAFETY: a pair of floats without padding; every bit pattern is valid.
unsafe impl Element for Complex16 {
    const DTYPE: DType = DType::C32;
    type Compute = Complex32;
    #[inline(always)]
    fn load(self) -> Complex32 {
        Complex32::new(self.re.to_f32(), self.im.to_f32())
    }
    #[inline(always)]
    fn store(v: Complex32) -> Complex16 {
        Complex16::new(f16::from_f32(v.re), f16::from_f32(v.im))
    }
    #[inline(always)]
    fn from_f64(v: f64) -> Complex16 {
        Complex16::new(f16::from_f64(v), f16::ZERO)
    }
    #[inline(always)]
    fn from_i64(v: i64) -> Complex16 {
        Complex16::from_f64(v as f64)
    }
    #[inline(always)]
    fn from_complex(v: Complex64) -> Complex16 {
        Complex16::store(Complex32::new(v.re as f32, v.im as f32))
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.re.to_f64()
    }
    #[inline(always)]
    fn to_i64(self) -> i64 {
        self.re.to_f64() as i64
    }
    #[inline(always)]
    fn to_complex(self) -> Complex64 {
        Complex64::new(self.re.to_f64(), self.im.to_f64())
    }
    #[inline(always)]
    fn is_nonzero(self) -> bool {
        self.to_complex() != Complex64::ZERO
    }
    #[inline(always)]
    fn to_scalar(self) -> Scalar {
        Scalar::Complex(self.to_complex())
    }
}
