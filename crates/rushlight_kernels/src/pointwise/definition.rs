//! What an elementwise operator is: how dtypes promote, and one loop per type it computes in.
//!
//! All forms of an operator (a new tensor, in place, `out=`; tensors and numbers as operands) derive from one
//! [`Pointwise`]. Loops exist for few types, because operands are converted on their way in: integers compute in `i64`,
//! the 16-bit floats in `f32`, complex numbers in `complex128`. A loop is a function over slices (see
//! [`rushlight_tensor::lanes`]), so it knows nothing of layouts.

use rushlight_tensor::iter::{ResultForm, ResultTarget, apply};
use rushlight_tensor::promote::{Promotion, check_real};
use rushlight_tensor::tiles::{Lane, LaneMut, SOME, TileKind, TileLoop, TileOp, dense, largest};
use rushlight_tensor::{DType, Element, Fault, Operand, Result, Scalar, Tensor, dispatch, eight};

/// How the dtype that an operator works in follows from its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Promote {
    /// The promoted dtype of the operands.
    Common,
    /// The same, but integers and bools become the default dtype.
    Float,
}

/// A check of the promoted dtype and of the arguments, before anything is computed.
pub type Check = fn(&[Operand<'_>], DType, &[Scalar]) -> Result<()>;

/// An elementwise operator.
pub struct Pointwise {
    /// The name in "not implemented" messages.
    name: &'static str,
    promote: Promote,
    loops: &'static [&'static dyn Loop],
    check: Option<Check>,
    /// What looks at the operands' elements, once the destination stands: it may share their memory.
    element_check: Option<Check>,
    /// Whether bools without a loop of their own compute as integers.
    bools: bool,
    /// Whether the 16-bit floats compute as f32.
    halves: bool,
    /// Whether the floats of eight bits do.
    eights: bool,
    /// Whether integers without a sign compute as those with one.
    unsigned: bool,
    /// What the 16-bit floats do otherwise than f32.
    narrow: Narrow,
    /// What is said of a tensor for the result that is not of its dtype, where none is converted to.
    one_dtype: Option<&'static str>,
}

/// How an operator computes in the 16-bit floats, besides converting its operands to f32 and its result back: as the
/// reference does, whose loops round some things first.
#[derive(Clone, Copy)]
struct Narrow {
    /// Whether a second operand that is a number or a tensor without dimensions keeps its digits.
    keeps_second: bool,
    /// Whether operands that are numbers keep their digits.
    keeps_numbers: bool,
    /// Whether the operator's own numbers (an alpha, a threshold) are rounded to the dtype.
    rounds_numbers: bool,
    /// Loops in f32 that round after each step, to f16 and to bf16, for operators that do.
    stepwise: Option<[&'static dyn Loop; 2]>,
}

impl Pointwise {
    /// An operator that promotes its operands to a common dtype and takes every dtype that converts to one of its loops.
    pub const fn new(name: &'static str, loops: &'static [&'static dyn Loop]) -> Pointwise {
        Pointwise {
            name,
            promote: Promote::Common,
            loops,
            check: None,
            element_check: None,
            bools: true,
            halves: true,
            eights: false,
            unsigned: false,
            narrow: Narrow {
                keeps_second: false,
                keeps_numbers: false,
                rounds_numbers: false,
                stepwise: None,
            },
            one_dtype: None,
        }
    }

    /// Converts no results of real numbers to the dtype of `out`, and says what of others (`{out}` and `{result}`).
    pub const fn of_one_dtype(mut self, words: &'static str) -> Pointwise {
        self.one_dtype = Some(words);
        self
    }

    /// As [`Pointwise::of_one_dtype`], in the words of most.
    pub const fn unconverted(self) -> Pointwise {
        self.of_one_dtype(FOUND)
    }

    /// Integers and bools become the default dtype.
    pub const fn lifting(mut self) -> Pointwise {
        self.promote = Promote::Float;
        self
    }

    /// Refuses what `check` refuses.
    pub const fn checked(mut self, check: Check) -> Pointwise {
        self.check = Some(check);
        self
    }

    /// Refuses elements that `check` refuses.
    pub const fn with_elements_checked(mut self, check: Check) -> Pointwise {
        self.element_check = Some(check);
        self
    }

    /// Refuses bools.
    pub const fn without_bool(mut self) -> Pointwise {
        self.bools = false;
        self
    }

    /// Takes floats of eight bits, too.
    pub const fn with_eights(mut self) -> Pointwise {
        self.eights = true;
        self
    }

    /// Takes integers of 16 to 64 bits without a sign, too: the loop does not depend on it.
    pub const fn with_unsigned(mut self) -> Pointwise {
        self.unsigned = true;
        self
    }

    /// A second operand that is one number is not rounded to the 16-bit floats first.
    pub const fn keeping_second(mut self) -> Pointwise {
        self.narrow.keeps_second = true;
        self
    }

    /// Operands that are numbers are not rounded to the 16-bit floats first.
    pub const fn keeping_numbers(mut self) -> Pointwise {
        self.narrow.keeps_numbers = true;
        self
    }

    /// The operator's own numbers are rounded to the 16-bit floats first.
    pub const fn rounding_numbers(mut self) -> Pointwise {
        self.narrow.rounds_numbers = true;
        self
    }

    /// Rounds after each step in f16 and bf16: by these loops, which compute in f32.
    pub const fn stepwise(mut self, f16: &'static dyn Loop, bf16: &'static dyn Loop) -> Pointwise {
        self.narrow.stepwise = Some([f16, bf16]);
        self
    }

    /// Refuses the 16-bit floats.
    pub const fn without_half(mut self) -> Pointwise {
        self.halves = false;
        self
    }
}

/// What is said of a result of another dtype by operators that convert none.
pub const FOUND: &str = "Found dtype {out} but expected {result}";

/// Loops of one operand, one per type: `loops1![f32: map1 Exp, f64: each1 f64::exp, f32 => Bool8: map1 is_nan]`.
#[macro_export]
macro_rules! loops1 {
    [$($a:ty $(=> $r:ty)?: $how:ident $f:expr),* $(,)?] => {
        &[$(&$crate::pointwise::definition::Loop1(
            |r: &mut [$crate::loops1!(@result $a $(=> $r)?)], a: &[$a], _| $how(r, a, $f)
        )),*]
    };
    (@result $a:ty) => { $a };
    (@result $a:ty => $r:ty) => { $r };
}

/// Loops of two operands of one type, one per type; by `spread2` either may be one element for all.
#[macro_export]
macro_rules! loops2 {
    (@kind spread2) => { $crate::pointwise::definition::Spread2 };
    (@kind $how:ident) => { $crate::pointwise::definition::Loop2 };
    [$($a:ty $(=> $r:ty)?: $how:ident $f:expr),* $(,)?] => {
        &[$(&$crate::loops2!(@kind $how)(
            |r: &mut [$crate::loops1!(@result $a $(=> $r)?)], a: &[$a], b: &[$a], _| $how(r, a, b, $f)
        )),*]
    };
}

/// Loops given as functions over slices: `slices![Loop2: add::<f32>, add::<f64>]`.
#[macro_export]
macro_rules! slices {
    [$kind:ident: $($f:expr),* $(,)?] => {
        &[$(&$crate::pointwise::definition::$kind($f)),*]
    };
}

/// Loops of three operands of one type, one per type; by `spread3` any may be one element for all.
#[macro_export]
macro_rules! loops3 {
    (@kind spread3) => { $crate::pointwise::definition::Spread3 };
    (@kind $how:ident) => { $crate::pointwise::definition::Loop3 };
    [$($a:ty: $how:ident $f:expr),* $(,)?] => {
        &[$(&$crate::loops3!(@kind $how)(
            |r: &mut [$a], a: &[$a], b: &[$a], c: &[$a], _| $how(r, a, b, c, $f)
        )),*]
    };
}

/// A loop in f32 of a function of two numbers that is given how to round to a 16-bit float: `stepwise!(f16 quotient)`.
#[macro_export]
macro_rules! stepwise {
    ($narrow:ident $f:expr) => {
        $crate::pointwise::definition::Loop2(|r: &mut [f32], a: &[f32], b: &[f32], _| {
            let round = |v: f32| rushlight_tensor::$narrow::from_f32(v).to_f32();
            rushlight_tensor::lanes::each2(r, a, b, |x: f32, y: f32| $f(x, y, round))
        })
    };
}

pub use {loops1, loops2, loops3, slices, stepwise};

/// A loop over slices of one operand. The last parameter holds the operator's numbers: alpha, thresholds, modes.
pub type Slices1<A, R> = fn(&mut [R], &[A], &[Scalar]);
/// A loop over slices of two operands.
pub type Slices2<A, B, R> = fn(&mut [R], &[A], &[B], &[Scalar]);
/// A loop over slices of three operands.
pub type Slices3<A, B, C, R> = fn(&mut [R], &[A], &[B], &[C], &[Scalar]);

/// A [`Slices1`] as a row of [`Pointwise::loops`].
pub struct Loop1<A: Element, R: Element>(pub Slices1<A, R>);
/// A [`Slices2`] as a row of [`Pointwise::loops`].
pub struct Loop2<A: Element, B: Element, R: Element>(pub Slices2<A, B, R>);
/// As [`Loop2`], of a function whose operands may be one element for all results, and the first none: see
/// [`rushlight_tensor::lanes::spread2`].
pub struct Spread2<A: Element, B: Element, R: Element>(pub Slices2<A, B, R>);
/// A [`Slices3`] as a row of [`Pointwise::loops`]. The third operand decides the type that the loop computes in: others
/// are masks in some operators.
pub struct Loop3<A: Element, B: Element, C: Element, R: Element>(pub Slices3<A, B, C, R>);

/// A loop for one compute type, its types erased. Its operands are of the type it computes in, or bool for masks.
pub trait Loop: TileLoop {
    /// The type the loop computes in.
    fn computes(&self) -> DType;
}

/// As [`Loop3`], with such operands: see [`rushlight_tensor::lanes::spread3`].
pub struct Spread3<A: Element, B: Element, C: Element, R: Element>(pub Slices3<A, B, C, R>);

macro_rules! loops {
    ($name:ident, $key:ident, $spreads:literal; $($X:ident = $i:tt),+) => {
        impl<$($X: Element,)+ R: Element> Loop for $name<$($X,)+ R> {
            fn computes(&self) -> DType {
                $key::DTYPE
            }
        }

        impl<$($X: Element,)+ R: Element> TileLoop for $name<$($X,)+ R> {
            fn takes(&self) -> &'static [DType] {
                const { &[$($X::DTYPE),+] }
            }
            fn gives(&self) -> DType {
                R::DTYPE
            }
            fn spreads(&self) -> bool {
                $spreads
            }
            #[inline]
            fn tile(&self, out: LaneMut<'_>, operands: &[Lane<'_>], numbers: &[Scalar]) {
                (self.0)(out.get::<R>(), $(operands[$i].get::<$X>(),)+ numbers);
            }
        }
    };
}
loops!(Loop1, A, false; A = 0);
loops!(Loop2, A, false; A = 0, B = 1);
loops!(Spread2, A, true; A = 0, B = 1);
loops!(Loop3, C, false; A = 0, B = 1, C = 2);
loops!(Spread3, C, true; A = 0, B = 1, C = 2);

/// The type that loops compute in for a dtype.
fn compute_type(dtype: DType) -> DType {
    match dtype {
        DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => DType::I64,
        DType::F16 | DType::BF16 | DType::F32 => DType::F32,
        DType::C32 | DType::C64 | DType::C128 => DType::C128,
        other => other,
    }
}

/// Whether converting from a dtype straight to its compute type loses nothing: it is the compute type, or both hold the
/// same values.
fn converts_directly(from: DType, common: DType) -> bool {
    from == common
        || matches!(
            common,
            DType::F32 | DType::F64 | DType::I64 | DType::C128 | DType::Bool
        )
}

impl Pointwise {
    /// The shortest way, for contiguous tensors of one native dtype (and few elements with numbers).
    #[inline]
    pub fn dense(&self, operands: &[Operand<'_>], numbers: &[Scalar]) -> Option<Tensor> {
        dense(self.dense_loop(operands, numbers)?, operands, numbers)
    }

    /// As [`Pointwise::dense`] over the first operand, of few elements: they are computed apart and copied.
    pub fn dense_over(&self, operands: &[Operand<'_>], numbers: &[Scalar]) -> Option<Result<()>> {
        let Operand::Tensor(first) = operands.first()? else {
            return None;
        };
        let is_usual =
            (1..=SOME).contains(&first.numel()) && first.is_contiguous() && first.marks().is_none();
        // Where memory is shared the long way says what may be.
        let is_apart = |operand: &Operand<'_>| match operand {
            Operand::Tensor(t) => t.is(first) || !t.shares_storage(first),
            Operand::Number(_) => true,
        };
        if !is_usual || !operands.iter().all(is_apart) {
            return None;
        }
        let row = self.dense_loop(operands, numbers)?;
        let is_first = largest(operands).is_some_and(|t| t.numel() == first.numel());
        if row.gives() != first.dtype() || !is_first {
            return None;
        }
        let result = dense(row, operands, numbers)?;
        Some(dispatch!(first.dtype(), All, T => first.write_from(&result.data::<T>())))
    }

    /// The loop of the shortest way.
    #[inline]
    fn dense_loop(
        &self,
        operands: &[Operand<'_>],
        numbers: &[Scalar],
    ) -> Option<&'static dyn Loop> {
        let largest = largest(operands)?;
        let dtype = largest.dtype();
        if largest.rank() == 0 || (self.promote == Promote::Float && dtype.is_integral(true)) {
            return None;
        }
        let row = self.loops.iter().find(|l| l.computes() == dtype)?;
        // Numbers keep the digits that the type has in which others compute.
        let number = |o: &Operand<'_>| matches!(o, Operand::Number(_));
        if dtype == DType::C64 && operands.iter().any(number) {
            return None;
        }
        let complex = |n: &Scalar| matches!(n, Scalar::Complex(_));
        if row.gives() != result_dtype(*row, dtype) || numbers.iter().any(complex) {
            return None;
        }
        for check in [self.check, self.element_check].into_iter().flatten() {
            // What is refused is reported by the long way.
            check(operands, dtype, numbers).ok()?;
        }
        Some(*row)
    }

    /// The dtype that the operator works in.
    pub fn common_dtype(&self, operands: &[Operand<'_>], default: DType) -> Result<DType> {
        let common = match operands {
            [Operand::Tensor(only)] if !only.is_wrapped_number() => only.dtype(),
            _ => operands
                .iter()
                .fold(Promotion::default(), |state, o| state.operand(o, default))
                .checked()?
                .unwrap_or(default),
        };
        Ok(match self.promote {
            Promote::Float if common.is_integral(true) => default,
            _ => common,
        })
    }

    /// Calls the operator whatever its operands are: promotes, checks, finds the loop, prepares the destination, runs.
    pub fn call_any(
        &self,
        default: DType,
        form: ResultForm<'_>,
        operands: &[Operand<'_>],
        numbers: &[Scalar],
    ) -> Result<Tensor> {
        let common = self.common_dtype(operands, default)?;
        self.call_in(common, form, operands, numbers)
    }

    /// Calls the operator with the dtype that it works in.
    pub fn call_in(
        &self,
        common: DType,
        form: ResultForm<'_>,
        operands: &[Operand<'_>],
        numbers: &[Scalar],
    ) -> Result<Tensor> {
        if let Some(check) = self.check {
            check(operands, common, numbers)?;
        }
        for number in numbers {
            check_real(
                *number,
                if common.is_float() {
                    compute_type(common)
                } else {
                    common
                },
            )?;
        }
        let is_narrow = matches!(common, DType::F16 | DType::BF16);
        let is_single = |operand: &Operand<'_>| match operand {
            Operand::Tensor(t) => t.rank() == 0,
            Operand::Number(_) => true,
        };
        let keeps_second =
            is_narrow && self.narrow.keeps_second && operands.get(1).is_some_and(is_single);
        let rounded: smallvec::SmallVec<[Scalar; 2]>;
        let numbers = match is_narrow && self.narrow.rounds_numbers {
            true => {
                rounded = numbers.iter().map(|n| round_to(*n, common)).collect();
                &rounded
            }
            false => numbers,
        };
        let row = match self.loop_for(common) {
            Ok(row) => match self.narrow.stepwise.filter(|_| is_narrow && !keeps_second) {
                Some([f16, bf16]) => match common {
                    DType::F16 => f16,
                    _ => bf16,
                },
                None => row,
            },
            // Memory, sizes and dtype of the destination are looked at before the kernel is.
            Err(fault) => return ResultTarget::prepare(form, operands, common).and(Err(fault)),
        };
        if matches!(form, ResultForm::Fresh)
            && self.element_check.is_none()
            && row.computes() == common
            && row.gives() == result_dtype(row, common)
            && let Some(result) = dense(row, operands, numbers)
        {
            return Ok(result);
        }
        let result = result_dtype(row, common);
        if let (Some(words), ResultForm::Out(out)) = (self.one_dtype, form)
            && out.dtype() != result
            && !common.is_complex()
        {
            let text = words.replace("{out}", out.dtype().class_name());
            return Err(Fault::runtime(
                text.replace("{result}", result.class_name()),
            ));
        }
        let target = ResultTarget::prepare(form, operands, result)?;
        if let Some(check) = self.element_check {
            check(operands, common, numbers)?;
        }
        let mut converted: smallvec::SmallVec<[Tensor; 3]> = smallvec::SmallVec::new();
        let keeps = |at: usize| keeps_second && at == 1;
        let detours = |at: usize, t: &Tensor, takes: &DType| {
            *takes != DType::Bool && !converts_directly(t.dtype(), common) && !keeps(at)
        };
        for (at, (operand, takes)) in operands.iter().zip(row.takes()).enumerate() {
            if let Operand::Tensor(t) = operand
                && detours(at, t, takes)
            {
                converted.push(t.to_dtype(common));
            }
        }
        let mut next = converted.iter();
        let exact = is_narrow && !self.narrow.keeps_numbers
            || row.gives() == DType::Bool
            || common.is_integral(true);
        let ready: smallvec::SmallVec<[Operand<'_>; 3]> = operands
            .iter()
            .zip(row.takes())
            .enumerate()
            .map(|(at, (operand, takes))| match operand {
                Operand::Tensor(t) if detours(at, t, takes) => {
                    next.next().map_or(*operand, Operand::Tensor)
                }
                Operand::Number(n) if exact && !keeps(at) => Operand::Number(round_to(*n, common)),
                other => *other,
            })
            .collect();
        apply(row, target.tensor(), &ready, numbers)?;
        target.finish()
    }

    /// The loop for a dtype: its own, of integers, or that of the type it computes in. Bools without a loop of their own compute
    /// as integers.
    fn loop_for(&self, common: DType) -> Result<&'static dyn Loop> {
        let find = |wanted: DType| self.loops.iter().copied().find(|l| l.computes() == wanted);
        if common.is_integral(false)
            && let Some(own) = find(common)
        {
            return Ok(own);
        }
        find(compute_type(common))
            .filter(|_| self.halves || !matches!(common, DType::F16 | DType::BF16))
            .or_else(|| find(DType::F32).filter(|_| self.eights && common.is_eight()))
            .or_else(|| {
                if !common.is_wide_unsigned() {
                    return None;
                }
                find(DType::U64).or_else(|| find(DType::I64).filter(|_| self.unsigned))
            })
            .or_else(|| {
                if common == DType::Bool && self.bools {
                    find(DType::I64)
                } else {
                    None
                }
            })
            .ok_or_else(|| Fault::no_kernel(self.name, common))
    }
}

impl TileOp for Pointwise {
    fn tile_loop(&self, operands: &[TileKind]) -> Option<&'static dyn TileLoop> {
        let serves = |row: &dyn Loop| {
            let (takes, computes) = (row.takes(), row.computes());
            let mut pairs = operands.iter().zip(takes);
            takes.len() == operands.len()
                && operands.contains(&TileKind::Tensor(computes))
                && pairs.all(|(operand, dtype)| match operand {
                    TileKind::Tensor(own) => own == dtype,
                    TileKind::Float | TileKind::Int => dtype.is_float(),
                    TileKind::Bool => *dtype == DType::Bool,
                })
                && row.gives() == result_dtype(row, computes)
                // What is refused of floats is complex, or a number that no tile is given.
                && (matches!(computes, DType::F32 | DType::F64)
                    || computes == DType::Bool && self.check.is_none())
        };
        let row = self.loops.iter().copied().find(|row| serves(*row))?;
        Some(row)
    }
}

/// The dtype of a loop's results for operands of the common dtype.
fn result_dtype(row: &dyn Loop, common: DType) -> DType {
    match row.gives() {
        DType::Bool => DType::Bool,
        gives if row.computes().is_complex() && !gives.is_complex() => common.to_real(),
        gives if gives.is_complex() && !row.computes().is_complex() => common.to_complex(),
        _ => common,
    }
}

/// The number as an element of the dtype would hold it.
fn round_to(number: Scalar, dtype: DType) -> Scalar {
    if dtype.is_eight() {
        let byte = eight::encode(dtype, number.to_f64() as f32);
        return Scalar::Float(eight::decode(dtype, byte).into());
    }
    dispatch!(dtype, All, T => T::from_scalar(number).to_scalar())
}
