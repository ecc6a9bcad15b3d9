//! Powers: of tensors and numbers, to tensors and numbers.

use super::arithmetic::complex_quotient;
use super::definition::{Pointwise, slices};
use super::table::{Tables, forms, number_forms, table};
use rushlight_tensor::iter::Form;
use rushlight_tensor::lanes::{each1, each2, map1};
use rushlight_tensor::promote::{Operand, result_type};
use rushlight_tensor::{Complex64, DType, Fault, Result, Scalar, Tensor};
use rushlight_types::Context;

/// `self ^ exponent` of two operands.
static POW: Pointwise = Pointwise::new(
    "pow",
    slices![Loop2:
        |r: &mut [f32], a: &[f32], b: &[f32], _| each2(r, a, b, f32::powf),
        |r: &mut [i64], a: &[i64], b: &[i64], _| each2(r, a, b, integer_power),
        |r: &mut [f64], a: &[f64], b: &[f64], _| each2(r, a, b, f64::powf),
        |r: &mut [Complex64], a: &[Complex64], b: &[Complex64], _| each2(r, a, b, complex_power),
    ],
)
.without_bool();

/// `self ^ number`; the number is the first of the loop's numbers.
static POW_NUMBER: Pointwise = Pointwise::new(
    "pow",
    slices![Loop1: power_f32, power_i64, power_f64, power_complex],
)
.without_bool();

macro_rules! power {
    ($name:ident, $t:ident) => {
        /// The exponents that need no logarithm are multiplications, divisions and roots.
        fn $name(r: &mut [$t], a: &[$t], numbers: &[Scalar]) {
            let exponent = numbers.first().map_or(1.0, |n| n.to_f64());
            if exponent == 2.0 {
                map1(r, a, |x: $t| x * x);
            } else if exponent == 3.0 {
                map1(r, a, |x: $t| x * x * x);
            } else if exponent == 0.5 {
                map1(r, a, |x: $t| x.sqrt());
            } else if exponent == -0.5 {
                map1(r, a, |x: $t| 1.0 / x.sqrt());
            } else if exponent == -1.0 {
                map1(r, a, |x: $t| 1.0 / x);
            } else if exponent == -2.0 {
                map1(r, a, |x: $t| 1.0 / (x * x));
            } else if exponent == 1.0 {
                r.copy_from_slice(a);
            } else {
                each1(r, a, |x: $t| x.powf(exponent as $t));
            }
        }
    };
}
power!(power_f32, f32);
power!(power_f64, f64);

fn power_i64(r: &mut [i64], a: &[i64], numbers: &[Scalar]) {
    let exponent = numbers.first().map_or(1, |n| n.to_i64());
    each1(r, a, |x: i64| integer_power(x, exponent));
}

fn power_complex(r: &mut [Complex64], a: &[Complex64], numbers: &[Scalar]) {
    let exponent = numbers
        .first()
        .map_or(Complex64::new(1.0, 0.0), |n| n.to_complex());
    each1(r, a, |x: Complex64| complex_power(x, exponent));
}

/// Wrapping; negative exponents give what rounding toward zero leaves.
fn integer_power(base: i64, exponent: i64) -> i64 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 if exponent % 2 == 0 => 1,
            -1 => -1,
            _ => 0,
        };
    }
    let (mut base, mut exponent, mut out) = (base, exponent, 1i64);
    while exponent > 0 {
        if exponent & 1 == 1 {
            out = out.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    out
}

fn complex_power(base: Complex64, exponent: Complex64) -> Complex64 {
    let one = Complex64::new(1.0, 0.0);
    if exponent.im == 0.0 {
        if exponent.re == 0.0 {
            return one;
        }
        if exponent.re == 0.5 {
            return base.sqrt();
        }
        if exponent.re.fract() == 0.0 && exponent.re.abs() <= 64.0 {
            let whole = base.powu(exponent.re.abs() as u32);
            return if exponent.re < 0.0 {
                complex_quotient(one, whole)
            } else {
                whole
            };
        }
    }
    if base.re == 0.0 && base.im == 0.0 {
        return if exponent.re > 0.0 {
            base
        } else {
            (exponent * base.ln()).exp()
        };
    }
    (exponent * base.ln()).exp()
}

/// `self ^ number`.
fn to_number(cx: &Context, form: Form<'_>, a: &Tensor, exponent: Scalar) -> Result<Tensor> {
    let common = result_type(&[a.into(), exponent.into()], cx.default_dtype());
    if common.is_integral(true) && exponent.is_integral() && exponent.to_i64() < 0 {
        return Err(Fault::runtime(
            "Integers to negative integer powers are not allowed.",
        ));
    }
    // Also for bools, which have no loop.
    let short = match exponent {
        Scalar::Complex(c) => c.im == 0.0 && (c.re == 0.0 || c.re == 1.0),
        real => real.to_f64() == 0.0 || real.to_f64() == 1.0,
    };
    if short && common == DType::Bool {
        let or = !exponent.to_bool();
        return super::bits::OR.call_in(common, form, &[a.into(), Scalar::Bool(or).into()], &[]);
    }
    POW_NUMBER.call_in(common, form, &[a.into()], &[exponent])
}

/// `number ^ exponent`.
fn of_number(cx: &Context, form: Form<'_>, base: Scalar, exponent: &Tensor) -> Result<Tensor> {
    POW.call(cx, form, &[base.into(), exponent.into()], &[])
}

/// The dtype that `float_power` works in.
fn widest(operands: &[Operand<'_>], cx: &Context) -> DType {
    if result_type(operands, cx.default_dtype()).is_complex() {
        DType::C128
    } else {
        DType::F64
    }
}

/// Powers in double precision.
fn float_power(cx: &Context, form: Form<'_>, operands: &[Operand<'_>; 2]) -> Result<Tensor> {
    let dtype = widest(operands, cx);
    if let Form::InPlace(given) | Form::Out(given) = form
        && given.dtype() != dtype
    {
        let what = if matches!(form, Form::Out(_)) {
            "output given to float_power"
        } else {
            "base given to float_power_"
        };
        return Err(Fault::runtime(format!(
            "the {what} has dtype {} but the operation's result requires dtype {}",
            given.dtype().class_name(),
            dtype.class_name()
        )));
    }
    match operands {
        [Operand::Tensor(_), Operand::Number(exponent)] => {
            POW_NUMBER.call_in(dtype, form, &operands[..1], &[*exponent])
        }
        _ => POW.call_in(dtype, form, operands, &[]),
    }
}

forms! {
    /// Powers to tensors.
    pub mod tensors ("self", ", Tensor exponent") fresh ".Tensor_Tensor", in_place ".Tensor", out ".Tensor_Tensor_out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "pow" => POW }
}
forms! {
    /// Powers to a number.
    pub mod numbers ("self", ", Scalar exponent") fresh ".Tensor_Scalar", in_place ".Scalar", out ".Tensor_Scalar_out";
    (|cx, form, a, b: Scalar| _op => to_number(cx, form, a, b))
    { "pow" => POW_NUMBER }
}
number_forms! {
    /// Powers of a number.
    pub mod of_numbers ("self", ", Tensor exponent") fresh ".Scalar", out ".Scalar_out";
    (|cx, form, a, b| _op => of_number(cx, form, a, b))
    { "pow" => POW }
}
forms! {
    /// Double precision powers to tensors.
    pub mod float_tensors ("self", ", Tensor exponent")
    fresh ".Tensor_Tensor", in_place ".Tensor", out ".Tensor_Tensor_out";
    (|cx, form, a, b: &Tensor| _op => float_power(cx, form, &[a.into(), b.into()]))
    { "float_power" => POW }
}
forms! {
    /// Double precision powers to a number.
    pub mod float_numbers ("self", ", Scalar exponent")
    fresh ".Tensor_Scalar", in_place ".Scalar", out ".Tensor_Scalar_out";
    (|cx, form, a, b: Scalar| _op => float_power(cx, form, &[a.into(), b.into()]))
    { "float_power" => POW }
}
number_forms! {
    /// Double precision powers of a number.
    pub mod float_of_numbers ("self", ", Tensor exponent") fresh ".Scalar", out ".Scalar_out";
    (|cx, form, a, b| _op => float_power(cx, form, &[a.into(), b.into()]))
    { "float_power" => POW }
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[
    tensors::TABLES,
    numbers::TABLES,
    of_numbers::TABLES,
    float_tensors::TABLES,
    float_numbers::TABLES,
    float_of_numbers::TABLES,
];
