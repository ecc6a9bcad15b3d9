//! Type promotion: the dtype of a result from the dtypes of operands of different kinds.
//!
//! Operands rank in three classes: tensors with dimensions, tensors without, and numbers (also tensors that stand for a
//! Python number). A lower class only changes the result when it is of a higher category (bool < integer < float <
//! complex) than everything above it: `float32[3] + 2.5` stays float32, `int64[3] + 2.5` becomes the default dtype.

use crate::{DType, Fault, Result, Scalar, Tensor};

/// One operand as promotion sees it.
#[derive(Clone, Copy)]
pub enum Operand<'a> {
    Tensor(&'a Tensor),
    Number(Scalar),
}

impl<'a> From<&'a Tensor> for Operand<'a> {
    #[inline(always)]
    fn from(tensor: &'a Tensor) -> Operand<'a> {
        Operand::Tensor(tensor)
    }
}

impl From<Scalar> for Operand<'_> {
    #[inline(always)]
    fn from(number: Scalar) -> Self {
        Operand::Number(number)
    }
}

/// The promoted dtype of each class of operands seen so far.
#[derive(Clone, Copy, Default)]
pub struct Promotion {
    dimensioned: Option<DType>,
    dimensionless: Option<DType>,
    number: Option<DType>,
    /// Dtypes that do not promote.
    apart: Option<(DType, DType)>,
}

impl Promotion {
    /// Takes a tensor into account.
    #[must_use]
    pub fn tensor(mut self, tensor: &Tensor, default: DType) -> Promotion {
        let dtype = tensor.dtype();
        let class = if tensor.rank() > 0 {
            &mut self.dimensioned
        } else if tensor.is_wrapped_number() {
            return self.number_of(number_dtype(dtype, default));
        } else {
            &mut self.dimensionless
        };
        let apart = class.and_then(|known| apart(known, dtype));
        *class = join(*class, dtype);
        self.apart = self.apart.or(apart);
        self
    }

    /// Takes a number into account.
    #[must_use]
    pub fn number(self, number: Scalar, default: DType) -> Promotion {
        self.number_of(number.dtype(default))
    }

    /// Takes any operand into account.
    #[must_use]
    pub fn operand(self, operand: &Operand<'_>, default: DType) -> Promotion {
        match operand {
            Operand::Tensor(tensor) => self.tensor(tensor, default),
            Operand::Number(number) => self.number(*number, default),
        }
    }

    /// The result, where all of the operands have a common dtype.
    pub fn checked(self) -> Result<Option<DType>> {
        match self.apart {
            Some((a, b)) => Err(no_promotion(a, b)),
            None => Ok(self.result()),
        }
    }

    fn number_of(mut self, dtype: DType) -> Promotion {
        self.number = join(self.number, dtype);
        self
    }

    /// The result; `None` when no operand was seen.
    pub fn result(self) -> Option<DType> {
        combine(self.dimensioned, combine(self.dimensionless, self.number))
    }
}

/// The dtype that a number's tensor counts as.
fn number_dtype(dtype: DType, default: DType) -> DType {
    match dtype {
        d if d.is_complex() => default.to_complex(),
        d if d.is_float() => default,
        d => d,
    }
}

/// The two of a pair that does not promote.
fn apart(a: DType, b: DType) -> Option<(DType, DType)> {
    let is_real = |d: DType| d.is_float() && !d.is_eight();
    let is_lone = |d: DType| d.is_wide_unsigned() || d.is_eight();
    let joins = |one: DType, other: DType| one.is_wide_unsigned() && is_real(other);
    let is_apart = a != b && (is_lone(a) || is_lone(b)) && !joins(a, b) && !joins(b, a);
    is_apart.then_some((a, b))
}

fn no_promotion(a: DType, b: DType) -> Fault {
    let what = match a.is_eight() || b.is_eight() {
        true => "Float8 Types",
        false => "uint16, uint32, uint64 types",
    };
    Fault::runtime(format!(
        "Promotion for {what} is not supported, attempted to promote {} and {}",
        a.class_name(),
        b.class_name()
    ))
}

/// As [`promote_types`], where there is such a dtype.
pub fn checked_promote_types(a: DType, b: DType) -> Result<DType> {
    match apart(a, b) {
        Some((a, b)) => Err(no_promotion(a, b)),
        None => Ok(promote_types(a, b)),
    }
}

fn join(a: Option<DType>, b: DType) -> Option<DType> {
    Some(a.map_or(b, |a| promote_types(a, b)))
}

/// The dtype of `higher` unless `lower`, of a lower class, belongs to a higher category.
fn combine(higher: Option<DType>, lower: Option<DType>) -> Option<DType> {
    let (Some(high), Some(low)) = (higher, lower) else {
        return higher.or(lower);
    };
    Some(match (category(high), category(low)) {
        (Category::Complex, _) => high,
        (Category::Float, Category::Complex) => high.to_complex(),
        (Category::Float, _) => high,
        (h, l) if l > h => promote_types(high, low),
        _ => high,
    })
}

/// The ladder that promotion climbs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Category {
    Bool,
    Integer,
    Float,
    Complex,
}

/// Which step of the ladder a dtype belongs to.
pub fn category(dtype: DType) -> Category {
    if dtype.is_complex() {
        Category::Complex
    } else if dtype.is_float() {
        Category::Float
    } else if dtype == DType::Bool {
        Category::Bool
    } else {
        Category::Integer
    }
}

/// The smallest dtype that both convert to, whatever their values.
pub fn promote_types(a: DType, b: DType) -> DType {
    use DType::*;
    if a == b {
        return a;
    }
    if a.is_eight() || b.is_eight() {
        // Nothing holds both; who promotes operands says so, see `Promotion::checked`.
        return F32;
    }
    let (low, high) = if category(a) <= category(b) {
        (a, b)
    } else {
        (b, a)
    };
    match (low, high) {
        _ if category(low) != category(high) => match (low, high) {
            (F64, C64 | C32) => C128,
            (F32 | BF16, C32) => C64,
            _ => high,
        },
        (C128, _) | (_, C128) => C128,
        (C32 | C64, _) => C64,
        (F64, _) | (_, F64) => F64,
        // Also the two 16-bit floats, neither of which holds the other.
        (F16 | BF16 | F32, _) => F32,
        (U8, other) | (other, U8) if !other.is_signed() || other == I8 => I16,
        (U8, other) | (other, U8) => other,
        (x, y) if x.size() >= y.size() => x,
        (_, y) => y,
    }
}

/// The dtype of a result of these operands.
pub fn result_type(operands: &[Operand<'_>], default: DType) -> DType {
    operands
        .iter()
        .fold(Promotion::default(), |state, operand| {
            state.operand(operand, default)
        })
        .result()
        .unwrap_or(default)
}

/// The dtype of a result of these tensors; fails when there is none.
pub fn result_type_of(tensors: &[Tensor], default: DType) -> Result<DType> {
    tensors
        .iter()
        .fold(Promotion::default(), |state, tensor| {
            state.tensor(tensor, default)
        })
        .checked()?
        .ok_or_else(|| Fault::runtime("result_type: at least one tensor is needed"))
}

/// Whether values of `from` may be written to a tensor of `to`: categories never go down.
pub fn can_cast(from: DType, to: DType) -> bool {
    category(from) <= category(to)
}

/// Fails with the reference's words when a result cannot be written to a tensor of another dtype.
pub fn check_cast(from: DType, to: DType) -> Result<()> {
    if can_cast(from, to) {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "result type {} can't be cast to the desired output type {}",
        from.class_name(),
        to.class_name()
    )))
}

/// The least and the largest element of an integral dtype.
pub fn whole_range(dtype: DType) -> (i64, u64) {
    let bits = 8 * dtype.size().min(8) as u32;
    match dtype {
        DType::Bool => (0, 1),
        d if d.is_signed() => (i64::MIN >> (64 - bits), u64::MAX >> (65 - bits)),
        _ => (0, u64::MAX >> (64 - bits)),
    }
}

/// Fails with the reference's words when a number does not fit a dtype. Negative numbers wrap into integers without a sign.
pub fn check_number(number: Scalar, dtype: DType) -> Result<()> {
    let fits = match number {
        Scalar::Bool(_) => true,
        Scalar::Int(v) => fits_integer(v, dtype),
        Scalar::Float(v) => fits_float(v, dtype),
        Scalar::Complex(_) if dtype == DType::Bool => true,
        Scalar::Complex(c) if dtype.is_complex() => {
            fits_float(c.re, dtype.to_real()) && fits_float(c.im, dtype.to_real())
        }
        Scalar::Complex(c) => c.im == 0.0 && fits_float(c.re, dtype),
    };
    if fits {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "value cannot be converted to type {} without overflow",
        match dtype {
            DType::U8 => "uint8_t",
            DType::I8 => "int8_t",
            DType::I16 => "int16_t",
            DType::I64 => "int64_t",
            other => other.scalar_name(),
        }
    )))
}

/// Fails when a number has an imaginary part and the dtype is a real one.
#[inline]
pub fn check_real(number: Scalar, dtype: DType) -> Result<()> {
    match number {
        Scalar::Complex(_) if !dtype.is_complex() => check_number(number, dtype),
        _ => Ok(()),
    }
}

fn fits_integer(v: i64, dtype: DType) -> bool {
    if !dtype.is_integral(false) {
        return fits_float(v as f64, dtype);
    }
    let (low, high) = whole_range(dtype);
    match u64::try_from(v) {
        Ok(v) => v <= high,
        Err(_) if dtype.is_signed() => v >= low,
        Err(_) => v.unsigned_abs() <= high,
    }
}

fn fits_float(v: f64, dtype: DType) -> bool {
    if dtype.is_integral(false) {
        let whole = v.trunc();
        return whole.abs() < 9_223_372_036_854_775_808.0 && fits_integer(whole as i64, dtype);
    }
    let most = match dtype {
        DType::F16 => 65_504.0,
        DType::F32 | DType::BF16 => f64::from(f32::MAX),
        _ => f64::INFINITY,
    };
    !v.is_finite() || v.abs() <= most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scalar;

    const F32: DType = DType::F32;

    fn tensor(dtype: DType, sizes: &[usize]) -> Tensor {
        Tensor::zeros(sizes, dtype).unwrap()
    }

    #[test]
    fn numbers_do_not_widen_tensors_of_their_category() {
        let t = tensor(DType::F16, &[2]);
        let of = |n: Scalar| result_type(&[(&t).into(), n.into()], F32);
        assert_eq!(of(Scalar::Float(1.5)), DType::F16);
        assert_eq!(of(Scalar::Int(1)), DType::F16);
        assert_eq!(
            of(Scalar::Complex(crate::Complex64::new(0.0, 1.0))),
            DType::C32
        );
    }

    #[test]
    fn floats_lift_integers_to_the_default() {
        let t = tensor(DType::I32, &[2]);
        assert_eq!(
            result_type(&[(&t).into(), Scalar::Float(0.5).into()], F32),
            F32
        );
        assert_eq!(
            result_type(&[(&t).into(), Scalar::Float(0.5).into()], DType::F64),
            DType::F64
        );
        assert_eq!(
            result_type(&[(&t).into(), Scalar::Int(5).into()], F32),
            DType::I32
        );
    }

    #[test]
    fn dimensionless_tensors_rank_between() {
        let vector = tensor(DType::F32, &[2]);
        let point = tensor(DType::F64, &[]);
        assert_eq!(result_type(&[(&vector).into(), (&point).into()], F32), F32);
        assert_eq!(
            result_type(&[(&point).into(), Scalar::Float(1.0).into()], F32),
            DType::F64
        );
        let whole = tensor(DType::I64, &[]);
        let bytes = tensor(DType::U8, &[2]);
        assert_eq!(
            result_type(&[(&bytes).into(), (&whole).into()], F32),
            DType::U8
        );
    }

    #[test]
    fn wrapped_numbers_count_as_numbers() {
        let vector = tensor(DType::F32, &[]);
        let number = Tensor::wrapped(Scalar::Float(2.0), F32);
        assert_eq!(number.dtype(), DType::F64);
        assert_eq!(result_type(&[(&vector).into(), (&number).into()], F32), F32);
    }

    #[test]
    fn pairs_promote_as_the_reference_tabulates() {
        use DType::*;
        for (a, b, want) in [
            (U8, I8, I16),
            (U8, I16, I16),
            (I8, I64, I64),
            (Bool, U8, U8),
            (F16, BF16, F32),
            (F16, C64, C64),
            (F64, C64, C128),
            (I64, F16, F16),
            (I64, C64, C64),
            (F16, F32, F32),
            (C64, C128, C128),
            (C32, C64, C64),
            (F16, C32, C32),
            (F32, C32, C64),
            (F64, C32, C128),
            (U16, F16, F16),
        ] {
            assert_eq!(promote_types(a, b), want, "{a} {b}");
            assert_eq!(promote_types(b, a), want, "{b} {a}");
        }
    }

    #[test]
    fn casts_never_go_down_the_ladder() {
        assert!(can_cast(DType::F64, DType::F16) && can_cast(DType::Bool, DType::U8));
        let fault = check_cast(DType::F32, DType::I64).unwrap_err();
        assert_eq!(
            fault.message(),
            "result type Float can't be cast to the desired output type Long"
        );
    }
}
