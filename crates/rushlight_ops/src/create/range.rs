//! Evenly spaced numbers: `arange`, `range`, `linspace`, `logspace`.
//!
//! The last bit of these numbers shows in printed results, so each function computes them in the order in which the
//! reference does: in short vectors of a base plus multiples of the step, or from the nearer end.

use super::options::Options;
use super::random::shown;
use rushlight_kernels::create::range::{Map, narrow, spaced, vector, vectors};
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{
    Complex64, DType, Element, Fault, Result, Scalar, Tensor, bf16, dispatch, f16, memory,
};
use rushlight_types::{Context, op, operators};

operators! {
    /// Ranges.
    pub static ROWS = [
        op!("aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", arange_end),
        op!("aten::arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", arange_start),
        op!("aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", arange),
        op!("aten::arange.out(Scalar end, *, Tensor(a!) out) -> Tensor(a!)", arange_out),
        op!("aten::arange.start_out(Scalar start, Scalar end, Scalar step=1, *, Tensor(a!) out) -> Tensor(a!)", arange_start_out),
        op!("aten::range(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", range_unit),
        op_out!("aten::range.out_(Scalar start, Scalar end, *, Tensor(a!) out) -> Tensor(a!)", range_unit),
        op!("aten::range.step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", range),
        op_out!("aten::range.out(Scalar start, Scalar end, Scalar step=1, *, Tensor(a!) out) -> Tensor(a!)", range),
        op!("aten::linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", linspace),
        op_out!("aten::linspace.out(Scalar start, Scalar end, int steps, *, Tensor(a!) out) -> Tensor(a!)", linspace),
        op!("aten::linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", linspace_tensors),
        op_out!("aten::linspace.Tensor_Tensor_out(Tensor start, Tensor end, int steps, *, Tensor(a!) out) -> Tensor(a!)", linspace_tensors),
        op!("aten::linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", linspace_tensor_scalar),
        op_out!("aten::linspace.Tensor_Scalar_out(Tensor start, Scalar end, int steps, *, Tensor(a!) out) -> Tensor(a!)", linspace_tensor_scalar),
        op!("aten::linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", linspace_scalar_tensor),
        op_out!("aten::linspace.Scalar_Tensor_out(Scalar start, Tensor end, int steps, *, Tensor(a!) out) -> Tensor(a!)", linspace_scalar_tensor),
        op!("aten::logspace(Scalar start, Scalar end, int steps, float base=10., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", logspace),
        op_out!("aten::logspace.out(Scalar start, Scalar end, int steps, float base=10., *, Tensor(a!) out) -> Tensor(a!)", logspace),
        op!("aten::logspace.Tensor_Tensor(Tensor start, Tensor end, int steps, float base=10., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", logspace_tensors),
        op_out!("aten::logspace.Tensor_Tensor_out(Tensor start, Tensor end, int steps, float base=10., *, Tensor(a!) out) -> Tensor(a!)", logspace_tensors),
        op!("aten::logspace.Tensor_Scalar(Tensor start, Scalar end, int steps, float base=10., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", logspace_tensor_scalar),
        op_out!("aten::logspace.Tensor_Scalar_out(Tensor start, Scalar end, int steps, float base=10., *, Tensor(a!) out) -> Tensor(a!)", logspace_tensor_scalar),
        op!("aten::logspace.Scalar_Tensor(Scalar start, Tensor end, int steps, float base=10., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", logspace_scalar_tensor),
        op_out!("aten::logspace.Scalar_Tensor_out(Scalar start, Tensor end, int steps, float base=10., *, Tensor(a!) out) -> Tensor(a!)", logspace_scalar_tensor),
    ];
}

/// More elements than this are refused before any arithmetic on their number.
const MOST: f64 = (1u64 << 40) as f64;

fn arange_end(cx: &Context, end: Scalar, options: Options) -> Result<Tensor> {
    arange(cx, Scalar::Int(0), end, Scalar::Int(1), options)
}

fn arange_start(cx: &Context, start: Scalar, end: Scalar, options: Options) -> Result<Tensor> {
    arange(cx, start, end, Scalar::Int(1), options)
}

fn arange(
    cx: &Context,
    start: Scalar,
    end: Scalar,
    step: Scalar,
    options: Options,
) -> Result<Tensor> {
    for number in [start, end, step] {
        rushlight_tensor::promote::check_real(number, DType::F64)?;
    }
    let whole = [start, end, step].iter().all(|s| s.is_integral());
    let inferred = if whole {
        DType::I64
    } else {
        cx.default_dtype()
    };
    arange_of(start, end, step, options.dtype.unwrap_or(inferred))
}

fn arange_out(cx: &Context, end: Scalar, out: &Tensor) -> Result<Tensor> {
    arange_start_out(cx, Scalar::Int(0), end, Scalar::Int(1), out)
}

fn arange_start_out(
    cx: &Context,
    start: Scalar,
    end: Scalar,
    step: Scalar,
    out: &Tensor,
) -> Result<Tensor> {
    let result = arange_of(start, end, step, out.dtype())?;
    let (have, count) = (out.numel(), result.numel());
    if have > 0 && have != count {
        let message = format!(
            "The number of elements in the out tensor of shape {} is {have} which does not match the computed number of elements {count}. Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor of shape ({count},).",
            rushlight_tensor::layout::list(out.sizes())
        );
        rushlight_types::warning::warn(cx, &message, None)?;
    }
    crate::out::write_out(out, &result)?;
    Ok(out.clone())
}

/// The numbers from `start` up to and without `end`.
pub(crate) fn arange_of(start: Scalar, end: Scalar, step: Scalar, dtype: DType) -> Result<Tensor> {
    check_range(start, end, step)?;
    let whole = [start, end, step].iter().all(|s| s.is_integral());
    let count = if whole {
        let (start, end, step) = (start.to_i64(), end.to_i64(), step.to_i64());
        let distance = (end as i128 - start as i128).unsigned_abs();
        distance.div_ceil(step.unsigned_abs() as u128) as f64
    } else {
        ((end.to_f64() - start.to_f64()) / step.to_f64()).ceil()
    };
    if count > MOST {
        return Err(Fault::runtime("invalid size, possible overflow?"));
    }
    let count = count as usize;
    match dtype {
        DType::F32 => Ok(vectors(count, start, step, f32_lane, |v| v as f32)),
        DType::F64 => Ok(vectors::<f64>(count, start, step, f64_lane, |v| v)),
        DType::F16 => Ok(narrow::<f16>(count, start, step)),
        DType::BF16 => Ok(narrow::<bf16>(count, start, step)),
        _ => integers("arange_cpu", count, start, step, dtype),
    }
}

fn check_range(start: Scalar, end: Scalar, step: Scalar) -> Result<()> {
    let (first, last, step) = (start.to_f64(), end.to_f64(), step.to_f64());
    if step == 0.0 || step.is_nan() {
        return Err(Fault::runtime("step must be nonzero"));
    }
    if !first.is_finite() || !last.is_finite() {
        return Err(Fault::runtime(format!(
            "unsupported range: {} -> {}",
            shown(first),
            shown(last)
        )));
    }
    if (step > 0.0 && last < first) || (step < 0.0 && last > first) {
        return Err(Fault::runtime(
            "upper bound and lower bound inconsistent with step sign",
        ));
    }
    Ok(())
}

fn integers(name: &str, count: usize, start: Scalar, step: Scalar, dtype: DType) -> Result<Tensor> {
    let (start, step) = (start.to_i64(), step.to_i64());
    dispatch!(dtype, Integer, T => {
        let at = |i: usize| T::from_i64(start.wrapping_add(step.wrapping_mul(i as i64)));
        Ok(vector(count, at))
    }, else => Err(Fault::no_kernel(name, dtype)))
}

fn f32_lane(base: f32, k: f64, step: f64) -> f32 {
    k.mul_add(step, f64::from(base)) as f32
}

fn f64_lane(base: f64, k: f64, step: f64) -> f64 {
    k.mul_add(step, base)
}

fn range_unit(cx: &Context, start: Scalar, end: Scalar, options: Options) -> Result<Tensor> {
    range(cx, start, end, Scalar::Int(1), options)
}

/// What every call is told.
const RANGE: &str = "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with Python's range builtin. Instead, use torch.arange, which produces values in [start, end).";

/// The numbers from `start` up to and with `end`.
fn range(
    cx: &Context,
    start: Scalar,
    end: Scalar,
    step: Scalar,
    options: Options,
) -> Result<Tensor> {
    rushlight_types::warning::warn(cx, RANGE, None)?;
    check_range(start, end, step)?;
    let dtype = options.dtype_or_default(cx);
    let (start, end, step) = match dtype.is_float() {
        true => (start, end, step),
        false => (
            Scalar::Int(start.to_i64()),
            Scalar::Int(end.to_i64()),
            Scalar::Int(step.to_i64()),
        ),
    };
    let count = ((end.to_f64() - start.to_f64()) / step.to_f64()).floor() + 1.0;
    if count.is_nan() || count > MOST {
        return Err(Fault::runtime("invalid size, possible overflow?"));
    }
    let count = count as usize;
    if !dtype.is_float() {
        return integers("range_cpu", count, start, step, dtype);
    }
    memory::check(count, size_of::<f64>())?;
    let (start, step) = (start.to_f64(), step.to_f64());
    let values = (0..count)
        .map(|i| step.mul_add(i as f64, start))
        .collected();
    Ok(Tensor::from_vec::<f64>(values, &[count])?.to_dtype(dtype))
}

/// The dtype of a result that may be complex.
fn space_dtype(
    cx: &Context,
    name: &str,
    start: Scalar,
    end: Scalar,
    options: Options,
) -> Result<DType> {
    let complex = start.is_complex() || end.is_complex();
    match options.dtype {
        None if complex => Ok(cx.default_dtype().to_complex()),
        None => Ok(cx.default_dtype()),
        Some(dtype) if complex && !dtype.is_complex() => Err(Fault::runtime(format!(
            "torch.{name}(): inferred dtype {} can't be safely cast to passed dtype {}",
            cx.default_dtype().to_complex().scalar_name(),
            dtype.class_name()
        ))),
        Some(dtype) => Ok(dtype),
    }
}

fn check_steps(steps: i64) -> Result<usize> {
    match usize::try_from(steps) {
        Ok(steps) if (steps as f64) < MOST => Ok(steps),
        Ok(_) => Err(Fault::runtime("invalid size, possible overflow?")),
        Err(_) => Err(Fault::runtime("number of steps must be non-negative")),
    }
}

fn linspace(
    cx: &Context,
    start: Scalar,
    end: Scalar,
    steps: i64,
    options: Options,
) -> Result<Tensor> {
    let steps = check_steps(steps)?;
    let dtype = space_dtype(cx, "linspace", start, end, options)?;
    dtype.computes_in_full("linspace_cpu")?;
    spaced("linspace_cpu", start, end, steps, dtype, &Map::PLAIN)
}

/// The numbers in tensors without dimensions.
fn bounds<const N: usize>(name: &str, tensors: [(&str, &Tensor); N]) -> Result<[Scalar; N]> {
    if tensors.iter().any(|(_, t)| t.rank() != 0) {
        let found: Vec<String> = tensors
            .iter()
            .map(|(role, t)| format!("{role} with {} dimension(s)", t.rank()))
            .collected();
        return Err(Fault::runtime(format!(
            "{name} only supports 0-dimensional start and end tensors, but got {}.",
            found.join(" and ")
        )));
    }
    let mut out = [Scalar::Int(0); N];
    for (number, (_, t)) in out.iter_mut().zip(tensors) {
        *number = t.item()?;
    }
    Ok(out)
}

fn linspace_tensors(
    cx: &Context,
    start: &Tensor,
    end: &Tensor,
    steps: i64,
    options: Options,
) -> Result<Tensor> {
    let [start, end] = bounds("linspace", [("start", start), ("end", end)])?;
    linspace(cx, start, end, steps, options)
}

fn linspace_tensor_scalar(
    cx: &Context,
    start: &Tensor,
    end: Scalar,
    steps: i64,
    options: Options,
) -> Result<Tensor> {
    let [start] = bounds("linspace", [("start", start)])?;
    linspace(cx, start, end, steps, options)
}

fn linspace_scalar_tensor(
    cx: &Context,
    start: Scalar,
    end: &Tensor,
    steps: i64,
    options: Options,
) -> Result<Tensor> {
    let [end] = bounds("linspace", [("end", end)])?;
    linspace(cx, start, end, steps, options)
}

fn logspace(
    cx: &Context,
    start: Scalar,
    end: Scalar,
    steps: i64,
    base: f64,
    options: Options,
) -> Result<Tensor> {
    let steps = check_steps(steps)?;
    let dtype = space_dtype(cx, "logspace", start, end, options)?;
    let map = Map {
        single: Some(&|v| (base as f32).powf(v)),
        double: Some(&|v| base.powf(v)),
        complex: &|v| Complex64::new(base, 0.0).powc(v),
    };
    spaced("logspace_cpu", start, end, steps, dtype, &map)
}

fn logspace_tensors(
    cx: &Context,
    start: &Tensor,
    end: &Tensor,
    steps: i64,
    base: f64,
    options: Options,
) -> Result<Tensor> {
    let [start, end] = bounds("logspace", [("start", start), ("end", end)])?;
    logspace(cx, start, end, steps, base, options)
}

fn logspace_tensor_scalar(
    cx: &Context,
    start: &Tensor,
    end: Scalar,
    steps: i64,
    base: f64,
    options: Options,
) -> Result<Tensor> {
    let [start] = bounds("logspace", [("start", start)])?;
    logspace(cx, start, end, steps, base, options)
}

fn logspace_scalar_tensor(
    cx: &Context,
    start: Scalar,
    end: &Tensor,
    steps: i64,
    base: f64,
    options: Options,
) -> Result<Tensor> {
    let [end] = bounds("logspace", [("end", end)])?;
    logspace(cx, start, end, steps, base, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(v: f64) -> Scalar {
        Scalar::Float(v)
    }

    /// `torch.arange(0, 2, .3)` and `torch.linspace(0, 1, 4)`, as f32 to the last bit.
    #[test]
    fn steps_round_as_the_reference_rounds() -> Result<()> {
        let t = arange_of(float(0.0), float(2.0), float(0.3), DType::F32)?;
        let expected: [f32; 7] = [0.0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8];
        assert_eq!(t.to_vec::<f32>(), expected);
        let t = spaced(
            "linspace_cpu",
            float(0.0),
            float(1.0),
            4,
            DType::F32,
            &Map::PLAIN,
        )?;
        assert_eq!(t.to_vec::<f32>(), [0.0, 1.0 / 3.0, 0.666_666_6, 1.0]);
        Ok(())
    }

    #[test]
    fn endless_ranges_are_refused() {
        let one = Scalar::Int(1);
        for (start, end, step) in [
            (float(0.0), float(f64::INFINITY), one),
            (one, Scalar::Int(i64::MAX), one),
            (one, Scalar::Int(5), Scalar::Int(0)),
            (one, float(1e300), float(1e-300)),
        ] {
            assert!(arange_of(start, end, step, DType::I64).is_err());
        }
    }
}
