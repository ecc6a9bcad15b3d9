//! A number outside a tensor: what a `Scalar` argument of a schema carries.

use crate::{Complex64, DType};

/// A Python number: bool, int, float or complex.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scalar {
    Bool(bool),
    Int(i64),
    Float(f64),
    Complex(Complex64),
}

impl Scalar {
    /// The dtype that tensors made of this number have when the default dtype is `default`.
    pub fn dtype(self, default: DType) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::Int(_) => DType::I64,
            Scalar::Float(_) => default,
            Scalar::Complex(_) => default.to_complex(),
        }
    }

    /// The number as f64; the imaginary part of a complex number is dropped.
    pub fn to_f64(self) -> f64 {
        match self {
            Scalar::Bool(b) => b as u8 as f64,
            Scalar::Int(i) => i as f64,
            Scalar::Float(f) => f,
            Scalar::Complex(c) => c.re,
        }
    }

    /// The number as i64, truncated toward zero and saturating.
    pub fn to_i64(self) -> i64 {
        match self {
            Scalar::Bool(b) => b as i64,
            Scalar::Int(i) => i,
            Scalar::Float(f) => f as i64,
            Scalar::Complex(c) => c.re as i64,
        }
    }

    /// The number as a complex number.
    pub fn to_complex(self) -> Complex64 {
        match self {
            Scalar::Complex(c) => c,
            other => Complex64::new(other.to_f64(), 0.0),
        }
    }

    /// Whether the number is anything but zero.
    pub fn to_bool(self) -> bool {
        match self {
            Scalar::Bool(b) => b,
            Scalar::Int(i) => i != 0,
            Scalar::Float(f) => f != 0.0,
            Scalar::Complex(c) => c.re != 0.0 || c.im != 0.0,
        }
    }

    /// Whether the number is an int or a bool.
    pub fn is_integral(self) -> bool {
        matches!(self, Scalar::Int(_) | Scalar::Bool(_))
    }

    /// Whether the number is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Float(_))
    }

    /// Whether the number is complex.
    pub fn is_complex(self) -> bool {
        matches!(self, Scalar::Complex(_))
    }
}

impl From<i64> for Scalar {
    fn from(v: i64) -> Scalar {
        Scalar::Int(v)
    }
}
impl From<f64> for Scalar {
    fn from(v: f64) -> Scalar {
        Scalar::Float(v)
    }
}
impl From<bool> for Scalar {
    fn from(v: bool) -> Scalar {
        Scalar::Bool(v)
    }
}
impl From<Complex64> for Scalar {
    fn from(v: Complex64) -> Scalar {
        Scalar::Complex(v)
    }
}
