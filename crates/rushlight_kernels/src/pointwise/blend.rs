//! Functions of three operands: products and quotients that are added.

use super::arithmetic::complex_quotient;
use super::definition::{Pointwise, loops3, slices};
use rushlight_tensor::lanes::{each3, map3};
use rushlight_tensor::{Complex64, DType, Fault, Number, Operand, Result, Scalar};

/// `self + value * tensor1 * tensor2`.
pub static ADDCMUL: Pointwise = Pointwise::new(
    "addcmul_cpu_out",
    slices![Loop3: addcmul::<f32>, addcmul::<i64>, addcmul::<f64>, addcmul::<Complex64>],
)
.without_bool();

fn addcmul<T: Number>(r: &mut [T], a: &[T], b: &[T], c: &[T], numbers: &[Scalar]) {
    let value = numbers.first().map_or(T::ONE, |n| T::from_scalar(*n));
    map3(r, a, b, c, move |x: T, y: T, z: T| {
        x.add(value.mul(y).mul(z))
    });
}

/// `self + value * tensor1 / tensor2`.
pub static ADDCDIV: Pointwise = Pointwise::new(
    "addcdiv_cpu_out",
    slices![Loop3:
        |r: &mut [f32], a: &[f32], b: &[f32], c: &[f32], numbers: &[Scalar]| {
            let value = numbers.first().map_or(1.0, |n| n.to_f64()) as f32;
            map3(r, a, b, c, move |x: f32, y: f32, z: f32| x + value * y / z);
        },
        |r: &mut [f64], a: &[f64], b: &[f64], c: &[f64], numbers: &[Scalar]| {
            let value = numbers.first().map_or(1.0, |n| n.to_f64());
            map3(r, a, b, c, move |x: f64, y: f64, z: f64| x + value * y / z);
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

macro_rules! lerp {
    ($static:ident $name:literal) => {
        /// `self + weight * (end - self)`, computed from the nearer end.
        pub static $static: Pointwise = Pointwise::new(
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
        )
        .keeping_numbers();
    };
}

lerp!(LERP_TENSOR "lerp_kernel_tensor");
lerp!(LERP_NUMBER "lerp_kernel_scalar");
