//! Elementwise operators as steps of other kernels.
//!
//! What the reference puts together of elementwise operators is put together the same way here, so that it rounds,
//! promotes, broadcasts and refuses as those do.

use super::definition::Pointwise;
use super::functions::{EXP, LOG, LOG1P, RSQRT, SQRT};
use super::in_context::InContext;
use super::{arithmetic, clamp, compare, pairs, parts, select};
use rushlight_tensor::iter::ResultForm;
use rushlight_tensor::{Operand, Result, Scalar, Tensor};
use rushlight_types::Context;

/// Calls of elementwise operators in a context.
#[derive(Clone, Copy)]
pub struct Steps<'a>(pub &'a Context);

macro_rules! pairs {
    ($($(#[$meta:meta])* $name:ident $($in_place:ident)? = $op:expr, $numbers:expr;)*) => {$(
        $(#[$meta])*
        pub fn $name<'t>(
            self,
            a: impl Into<Operand<'t>>,
            b: impl Into<Operand<'t>>,
        ) -> Result<Tensor> {
            $op.call(self.0, ResultForm::Fresh, &[a.into(), b.into()], &$numbers)
        }

        $(/// The same, written to the first.
        pub fn $in_place<'t>(self, a: &'t Tensor, b: impl Into<Operand<'t>>) -> Result<Tensor> {
            $op.call(self.0, ResultForm::InPlace(a), &[a.into(), b.into()], &$numbers)
        })?
    )*};
}

macro_rules! functions {
    ($($(#[$meta:meta])* $name:ident $op:expr;)*) => {$(
        $(#[$meta])*
        pub fn $name(self, a: &Tensor) -> Result<Tensor> {
            self.one(&$op, a)
        }
    )*};
}

impl Steps<'_> {
    pairs! {
        /// `a + b`.
        add add_ = arithmetic::ADD, [Scalar::Int(1)];
        /// `a - b`.
        sub sub_ = arithmetic::SUB, [Scalar::Int(1)];
        /// `a * b`.
        mul mul_ = arithmetic::MUL, [];
        /// `a / b`.
        div = arithmetic::DIV, [];
        /// `a log b`, 0 where `a` is.
        xlogy = pairs::XLOGY, [];
        /// The smaller one.
        minimum = pairs::MINIMUM, [];
        /// At least `b`.
        at_least at_least_ = clamp::AT_LEAST, [];
        /// Whether both are equal.
        eq = compare::EQ, [];
        /// Whether they are not.
        ne = compare::NE, [];
        /// `a <= b`.
        le = compare::LE, [];
    }

    functions! {
        /// `-a`.
        neg parts::NEG;
        /// The absolute value.
        abs parts::ABS;
        /// The exponential.
        exp EXP;
        /// The logarithm.
        log LOG;
        /// `log(1 + a)`.
        log1p LOG1P;
        /// The square root.
        sqrt SQRT;
        /// One over the square root.
        rsqrt RSQRT;
        /// The Gaussian error linear unit.
        gelu super::activation::GELU;
        /// The logarithm of the sigmoid.
        log_sigmoid super::activation::LOG_SIGMOID;
    }

    fn one(self, op: &Pointwise, a: &Tensor) -> Result<Tensor> {
        op.call(self.0, ResultForm::Fresh, &[a.into()], &[])
    }

    /// `mask ? a : b`.
    pub fn choose<'t>(
        self,
        mask: &'t Tensor,
        a: impl Into<Operand<'t>>,
        b: impl Into<Operand<'t>>,
    ) -> Result<Tensor> {
        select::select(self.0, ResultForm::Fresh, mask, a.into(), b.into())
    }
}
