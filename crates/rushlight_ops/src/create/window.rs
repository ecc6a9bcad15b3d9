//! Window functions of signal processing.

use super::options::Options;
use rushlight_kernels::reduce::histogram::rounding;
use rushlight_tensor::lanes::map1;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::special::angles::WideCos;
use rushlight_tensor::{DType, Fault, Result, Tensor};
use rushlight_types::{Context, op, operators};
use std::f64::consts::PI;

operators! {
    /// Windows, periodic unless told otherwise.
    pub static ROWS = [
        op!("aten::hann_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", hann),
        op_out!("aten::hann_window.out(int window_length, *, Tensor(a!) out) -> Tensor(a!)", hann),
        op!("aten::hann_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", hann_periodic),
        op_out!("aten::hann_window.periodic_out(int window_length, bool periodic, *, Tensor(a!) out) -> Tensor(a!)", hann_periodic),
        op!("aten::hamming_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", hamming),
        op_out!("aten::hamming_window.out(int window_length, *, Tensor(a!) out) -> Tensor(a!)", hamming),
        op!("aten::hamming_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", hamming_periodic),
        op_out!("aten::hamming_window.periodic_out(int window_length, bool periodic, *, Tensor(a!) out) -> Tensor(a!)", hamming_periodic),
        op!("aten::hamming_window.periodic_alpha(int window_length, bool periodic, float alpha, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", hamming_alpha),
        op_out!("aten::hamming_window.periodic_alpha_out(int window_length, bool periodic, float alpha, *, Tensor(a!) out) -> Tensor(a!)", hamming_alpha),
        op!("aten::hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", hamming_alpha_beta),
        op_out!("aten::hamming_window.periodic_alpha_beta_out(int window_length, bool periodic, float alpha, float beta, *, Tensor(a!) out) -> Tensor(a!)", hamming_alpha_beta),
        op!("aten::blackman_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", blackman),
        op_out!("aten::blackman_window.out(int window_length, *, Tensor(a!) out) -> Tensor(a!)", blackman),
        op!("aten::blackman_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", blackman_periodic),
        op_out!("aten::blackman_window.periodic_out(int window_length, bool periodic, *, Tensor(a!) out) -> Tensor(a!)", blackman_periodic),
        op!("aten::bartlett_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", bartlett),
        op_out!("aten::bartlett_window.out(int window_length, *, Tensor(a!) out) -> Tensor(a!)", bartlett),
        op!("aten::bartlett_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", bartlett_periodic),
        op_out!("aten::bartlett_window.periodic_out(int window_length, bool periodic, *, Tensor(a!) out) -> Tensor(a!)", bartlett_periodic),
        op!("aten::kaiser_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", kaiser),
        op_out!("aten::kaiser_window.out(int window_length, *, Tensor(a!) out) -> Tensor(a!)", kaiser),
        op!("aten::kaiser_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", kaiser_periodic),
        op_out!("aten::kaiser_window.periodic_out(int window_length, bool periodic, *, Tensor(a!) out) -> Tensor(a!)", kaiser_periodic),
        op!("aten::kaiser_window.beta(int window_length, bool periodic, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", kaiser_beta),
        op_out!("aten::kaiser_window.beta_out(int window_length, bool periodic, float beta, *, Tensor(a!) out) -> Tensor(a!)", kaiser_beta),
    ];
}

/// Numbers of a window, each rounded as its dtype does.
struct Steps {
    dtype: DType,
    /// How dtypes round that are not wide.
    narrow: fn(f64) -> f64,
    /// How many steps there are from the first point to the last, which a periodic window leaves out.
    last: f64,
}

impl Steps {
    #[inline]
    fn round(&self, x: f64) -> f64 {
        match self.dtype {
            DType::F64 => x,
            DType::F32 => x as f32 as f64,
            _ => (self.narrow)(x),
        }
    }

    fn product(&self, a: f64, b: f64) -> f64 {
        self.round(a * self.round(b))
    }

    fn sum(&self, a: f64, b: f64) -> f64 {
        self.round(a + self.round(b))
    }

    fn cosine(&self, angle: f64) -> f64 {
        self.round(angle.cos())
    }

    /// The cosines of so many angles, the first of which is zero, `step` apart.
    fn cosines(&self, count: usize, step: f64) -> Vec<f64> {
        let angle = |i: usize| self.product(i as f64, step);
        let angles: Vec<f64> = (0..count).map(angle).collected();
        let mut out = memory::filled(count, 0.0);
        map1(&mut out, &angles, WideCos);
        out.iter_mut().for_each(|x| *x = self.round(*x));
        out
    }
}

/// The values of `shape` at `length` points.
fn window(
    name: &str,
    cx: &Context,
    length: i64,
    periodic: bool,
    options: Options,
    shape: impl Fn(&Steps, usize) -> f64,
) -> Result<Tensor> {
    let (steps, count) = points(name, cx, length, periodic, options)?;
    let values: Vec<f64> = (0..count).map(|i| shape(&steps, i)).collected();
    of_values(values, &steps)
}

/// The window of values for more than one point.
fn of_values(mut values: Vec<f64>, steps: &Steps) -> Result<Tensor> {
    if let [only] = &mut values[..] {
        *only = 1.0;
    }
    let count = values.len();
    Ok(Tensor::from_vec(values, &[count])?.to_dtype(steps.dtype))
}

/// Checks the arguments of a window, and says how many points it has.
fn points(
    name: &str,
    cx: &Context,
    length: i64,
    periodic: bool,
    options: Options,
) -> Result<(Steps, usize)> {
    let dtype = options.dtype_or_default(cx);
    if dtype.is_complex() || dtype.is_eight() && dtype.is_float() {
        return Err(Fault::no_kernel("arange_cpu", dtype));
    }
    if !dtype.is_float() {
        return Err(Fault::runtime(format!(
            "{name} expects floating point dtypes, got: TensorOptions(dtype={}, device=cpu, layout=Strided (default), requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))",
            match dtype {
                DType::U16 => "short unsigned int",
                DType::U32 => "unsigned int",
                DType::U64 => "long unsigned int",
                other => other.scalar_name(),
            }
        )));
    }
    let count = usize::try_from(length)
        .ok()
        .filter(|n| (*n as u64) < 1 << 36);
    let Some(count) = count else {
        return Err(Fault::runtime(format!(
            "{name} requires non-negative window_length, got window_length={length}"
        )));
    };
    let last = if periodic {
        count
    } else {
        count.saturating_sub(1)
    };
    let steps = Steps {
        dtype,
        narrow: rounding(dtype),
        last: last as f64,
    };
    memory::check(count, size_of::<f64>())?;
    Ok((steps, count))
}

fn hann(cx: &Context, length: i64, options: Options) -> Result<Tensor> {
    hann_periodic(cx, length, true, options)
}

fn hann_periodic(cx: &Context, length: i64, periodic: bool, options: Options) -> Result<Tensor> {
    cosine("hann_window", cx, length, periodic, 0.5, 0.5, options)
}

/// The windows `alpha - beta * cos(2 pi x)`.
fn cosine(
    name: &str,
    cx: &Context,
    length: i64,
    periodic: bool,
    alpha: f64,
    beta: f64,
    options: Options,
) -> Result<Tensor> {
    let (steps, count) = points(name, cx, length, periodic, options)?;
    let mut values = steps.cosines(count, 2.0 * PI / steps.last);
    for value in &mut values {
        *value = steps.sum(steps.product(*value, -beta), alpha);
    }
    of_values(values, &steps)
}

fn hamming(cx: &Context, length: i64, options: Options) -> Result<Tensor> {
    hamming_periodic(cx, length, true, options)
}

fn hamming_periodic(cx: &Context, length: i64, periodic: bool, options: Options) -> Result<Tensor> {
    hamming_alpha(cx, length, periodic, 0.54, options)
}

fn hamming_alpha(
    cx: &Context,
    length: i64,
    periodic: bool,
    alpha: f64,
    options: Options,
) -> Result<Tensor> {
    hamming_alpha_beta(cx, length, periodic, alpha, 0.46, options)
}

fn hamming_alpha_beta(
    cx: &Context,
    length: i64,
    periodic: bool,
    alpha: f64,
    beta: f64,
    options: Options,
) -> Result<Tensor> {
    cosine("hamming_window", cx, length, periodic, alpha, beta, options)
}

fn blackman(cx: &Context, length: i64, options: Options) -> Result<Tensor> {
    blackman_periodic(cx, length, true, options)
}

fn blackman_periodic(
    cx: &Context,
    length: i64,
    periodic: bool,
    options: Options,
) -> Result<Tensor> {
    window(
        "blackman_window",
        cx,
        length,
        periodic,
        options,
        |steps, i| {
            let angle = steps.product(i as f64, PI / steps.last);
            let wave = |times: f64, height: f64| {
                steps.product(steps.cosine(steps.product(angle, times)), height)
            };
            steps.sum(steps.round(wave(4.0, 0.08) - wave(2.0, 0.5)), 0.42)
        },
    )
}

fn bartlett(cx: &Context, length: i64, options: Options) -> Result<Tensor> {
    bartlett_periodic(cx, length, true, options)
}

fn bartlett_periodic(
    cx: &Context,
    length: i64,
    periodic: bool,
    options: Options,
) -> Result<Tensor> {
    window(
        "bartlett_window",
        cx,
        length,
        periodic,
        options,
        |steps, i| {
            let x = i as f64 / steps.last;
            if x <= 0.5 { 2.0 * x } else { 2.0 - 2.0 * x }
        },
    )
}

fn kaiser(cx: &Context, length: i64, options: Options) -> Result<Tensor> {
    kaiser_periodic(cx, length, true, options)
}

fn kaiser_periodic(cx: &Context, length: i64, periodic: bool, options: Options) -> Result<Tensor> {
    kaiser_beta(cx, length, periodic, 12.0, options)
}

fn kaiser_beta(
    cx: &Context,
    length: i64,
    periodic: bool,
    beta: f64,
    options: Options,
) -> Result<Tensor> {
    window(
        "kaiser_window",
        cx,
        length,
        periodic,
        options,
        |steps, i| {
            let x = i as f64 / steps.last;
            let side = 2.0 * x - 1.0;
            bessel_i0(beta * (1.0 - side * side).max(0.0).sqrt()) / bessel_i0(beta)
        },
    )
}

/// The modified Bessel function of order zero, by its power series.
fn bessel_i0(x: f64) -> f64 {
    let square = x * x / 4.0;
    let (mut sum, mut term, mut k) = (1.0, 1.0, 1.0);
    while term > sum * 1e-17 && k < 5000.0 {
        term *= square / (k * k);
        sum += term;
        k += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values from Abramowitz and Stegun, table 9.8.
    #[test]
    fn the_bessel_series_converges() {
        assert!((bessel_i0(0.0) - 1.0).abs() < 1e-15);
        assert!((bessel_i0(1.0) - 1.266_065_877_752_008).abs() < 1e-14);
        assert!((bessel_i0(5.0) / 27.239_871_823_604_44 - 1.0).abs() < 1e-14);
    }
}
