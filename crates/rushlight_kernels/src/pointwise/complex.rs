//! Complex numbers: their parts, conjugates and angles.

use super::definition::{FOUND, Pointwise, loops1, slices};
use rushlight_tensor::lanes::{map1, map2};
use rushlight_tensor::special::angles::WideAtan2;
use rushlight_tensor::{Complex64, DType, Fault, Operand, Result, Scalar, Tensor};

/// The angle; π for negative real numbers.
pub static ANGLE: Pointwise = Pointwise::new(
    "angle_cpu",
    loops1![
        f32: map1 |x: f32| if x < 0.0 { std::f32::consts::PI } else if x.is_nan() { x } else { 0.0 },
        f64: map1 |x: f64| if x < 0.0 { std::f64::consts::PI } else if x.is_nan() { x } else { 0.0 },
        Complex64 => f64: angles (),
    ],
)
.lifting();

/// The angles of numbers, their parts taken apart so many at a time.
fn angles(r: &mut [f64], a: &[Complex64], _: ()) {
    const PART: usize = 64;
    let (mut y, mut x) = ([0.0; PART], [0.0; PART]);
    for (r, a) in r.chunks_mut(PART).zip(a.chunks(PART)) {
        for ((y, x), z) in y.iter_mut().zip(&mut x).zip(a) {
            (*y, *x) = (z.im, z.re);
        }
        map2(r, &y[..a.len()], &x[..a.len()], WideAtan2);
    }
}

/// A complex number of its parts.
pub static COMPLEX: Pointwise = Pointwise::new(
    "complex_cpu",
    slices![Loop2:
        |r: &mut [Complex64], a: &[f32], b: &[f32], _| {
            pairs(r, a, b, |x, y| Complex64::new(x as f64, y as f64));
        },
        |r: &mut [Complex64], a: &[f64], b: &[f64], _| pairs(r, a, b, Complex64::new),
    ],
)
.checked(check_parts);

/// A complex number of its magnitude and angle.
pub static POLAR: Pointwise = Pointwise::new(
    "polar_cpu",
    slices![Loop2:
        |r: &mut [Complex64], a: &[f32], b: &[f32], _| {
            pairs(r, a, b, |x, y| Complex64::from_polar(x as f64, y as f64));
        },
        |r: &mut [Complex64], a: &[f64], b: &[f64], _| pairs(r, a, b, Complex64::from_polar),
    ],
)
.checked(check_parts);

fn pairs<T: Copy>(r: &mut [Complex64], a: &[T], b: &[T], f: impl Fn(T, T) -> Complex64) {
    for ((r, &x), &y) in r.iter_mut().zip(a).zip(b) {
        *r = f(x, y);
    }
}

/// Refuses parts that make no complex number.
pub fn check_parts(operands: &[Operand<'_>], _: DType, _: &[Scalar]) -> Result<()> {
    let [Operand::Tensor(a), Operand::Tensor(b)] = operands else {
        return Ok(());
    };
    let real = |t: &Tensor| matches!(t.dtype(), DType::F16 | DType::F32 | DType::F64);
    if !real(a) || !real(b) {
        return Err(Fault::not_implemented(format!(
            "Expected both inputs to be Half, Float or Double tensors but got {} and {}",
            a.dtype().class_name(),
            b.dtype().class_name()
        )));
    }
    if a.dtype() != b.dtype() {
        return Err(Fault::runtime(format!(
            "Expected object of scalar type {} but got scalar type {} for second argument",
            a.dtype().class_name(),
            b.dtype().class_name()
        )));
    }
    Ok(())
}

/// The conjugate.
pub static CONJ: Pointwise = Pointwise::new(
    "conj_cpu",
    loops1![
        f32: map1 |x: f32| x,
        i64: map1 |x: i64| x,
        f64: map1 |x: f64| x,
        Complex64: map1 |z: Complex64| z.conj(),
    ],
)
.of_one_dtype(FOUND);
