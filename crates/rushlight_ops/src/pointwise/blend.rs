//! Functions of three tensors: `lerp`, `addcmul`, `addcdiv`.

use super::arithmetic::complex_quotient;
use super::definition::{Pointwise, loops3, slices};
use super::table::{Tables, forms, table};
use rushlight_tensor::iter::Form;
use rushlight_tensor::lanes::{each3, map3};
use rushlight_tensor::promote::check_real;
use rushlight_tensor::{Complex64, DType, Fault, Number, Operand, Result, Scalar, Tensor};
use rushlight_types::Context;

/// `self + value * tensor1 * tensor2`.
static ADDCMUL: Pointwise = Pointwise::new(
    "addcmul_cpu_out",
    slices![Loop3: addcmul::<f32>, addcmul::<i64>, addcmul::<f64>, addcmul::<Complex64>],
)
.without_bool();

fn addcmul<T: Number>(r: &mut [T], a: &[T], b: &[T], c: &[T], numbers: &[Scalar]) {
    let value = numbers.first().map_or(T::ONE, |n| T::from_scalar(*n));
    map3(r, a, b, c, |x: T, y: T, z: T| x.add(value.mul(y).mul(z)));
}

/// `self + value * tensor1 / tensor2`.
static ADDCDIV: Pointwise = Pointwise::new(
    "addcdiv_cpu_out",
    slices![Loop3:
        |r: &mut [f32], a: &[f32], b: &[f32], c: &[f32], numbers: &[Scalar]| {
            let value = numbers.first().map_or(1.0, |n| n.to_f64()) as f32;
            map3(r, a, b, c, |x: f32, y: f32, z: f32| x + value * y / z);
        },
        |r: &mut [f64], a: &[f64], b: &[f64], c: &[f64], numbers: &[Scalar]| {
            let value = numbers.first().map_or(1.0, |n| n.to_f64());
            map3(r, a, b, c, |x: f64, y: f64, z: f64| x + value * y / z);
        },
        |r: &mut [Complex64], a: &[Complex64], b: &[Complex64], c: &[Complex64], numbers: &[Scalar]| {
            let value = numbers.first().map_or(Complex64::new(1.0, 0.0), |n| n.to_complex());
            each3(r, a, b, c, |x, y, z| x + complex_quotient(value * y, z));
        },
    ],
)
.checked(check_quotient);

fn check_quotient(operands: &[Operand<'_>], _: DType, _: &[Scalar]) -> Result<()> {
    let integral = |o: &Operand<'_>| matches!(o, Operand::Tensor(t) if t.dtype().is_integral(true));
    if operands.iter().skip(1).all(integral) {
        return Err(Fault::runtime(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes.",
        ));
    }
    Ok(())
}

/// A weight for real tensors as a real number.
fn fitting(weight: Scalar, a: &Tensor) -> Result<Scalar> {
    match weight {
        Scalar::Complex(c) if !a.dtype().is_complex() => {
            check_real(weight, a.dtype())?;
            Ok(Scalar::Float(c.re))
        }
        weight => Ok(weight),
    }
}

macro_rules! lerp {
    ($static:ident $name:literal) => {
        /// `self + weight * (end - self)`, computed from the nearer end.
        static $static: Pointwise = Pointwise::new(
            $name,
            loops3![
                f32: map3 |a: f32, b: f32, w: f32| {
                    if w.abs() < 0.5 { a + w * (b - a) } else { b - (b - a) * (1.0 - w) }
                },
                f64: map3 |a: f64, b: f64, w: f64| {
                    if w.abs() < 0.5 { a + w * (b - a) } else { b - (b - a) * (1.0 - w) }
                },
                Complex64: each3 |a: Complex64, b: Complex64, w: Complex64| {
                    if w.norm() < 0.5 { a + w * (b - a) } else { b - (b - a) * (1.0 - w) }
                },
            ],
        );
    };
}
lerp!(LERP_TENSOR "lerp_kernel_tensor");
lerp!(LERP_NUMBER "lerp_kernel_scalar");

fn lerp(
    op: &Pointwise,
    cx: &Context,
    form: Form<'_>,
    operands: &[Operand<'_>; 3],
) -> Result<Tensor> {
    let Operand::Tensor(a) = operands[0] else {
        return Err(Fault::internal("lerp of a number"));
    };
    for (operand, name) in operands[1..].iter().zip(["end", "weight"]) {
        if let Operand::Tensor(t) = operand
            && t.dtype() != a.dtype()
        {
            return Err(Fault::runtime(format!(
                "expected dtype {} for `{name}` but got dtype {}",
                a.dtype().scalar_name(),
                t.dtype().scalar_name()
            )));
        }
    }
    match form {
        Form::Fresh => op.call(cx, form, operands, &[]),
        _ => op.call_in(a.dtype(), form, operands, &[]),
    }
}

forms! {
    /// Products and quotients added.
    pub mod added ("self", ", Tensor tensor1, Tensor tensor2" * ", Scalar value=1") fresh "", in_place "", out ".out";
    (|cx, form, a, b: &Tensor, c: &Tensor, value: Scalar| op =>
        op.call(cx, form, &[a.into(), b.into(), c.into()], &[value]))
    { "addcmul" => ADDCMUL, "addcdiv" => ADDCDIV }
}
forms! {
    /// `lerp` with a number.
    pub mod lerp_number ("self", ", Tensor end, Scalar weight") fresh ".Scalar", in_place ".Scalar", out ".Scalar_out";
    (|cx, form, a, end: &Tensor, weight: Scalar| op => lerp(op, cx, form, &[a.into(), end.into(), fitting(weight, a)?.into()]))
    { "lerp" => LERP_NUMBER }
}
forms! {
    /// `lerp` with a tensor.
    pub mod lerp_tensor ("self", ", Tensor end, Tensor weight") fresh ".Tensor", in_place ".Tensor", out ".Tensor_out";
    (|cx, form, a, end: &Tensor, weight: &Tensor| op => lerp(op, cx, form, &[a.into(), end.into(), weight.into()]))
    { "lerp" => LERP_TENSOR }
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[added::TABLES, lerp_number::TABLES, lerp_tensor::TABLES];
