//! The frequencies that the bins of a transform stand for.

use rushlight_ops::Options;
use rushlight_ops::op_out;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{DType, Fault, Result, Tensor};
use rushlight_types::{Context, op, operators};

operators! {
    /// Frequencies of full and of half spectra.
    pub static ROWS = [
        op!("aten::fft_fftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", full),
        op!("aten::fft_rfftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", half),
        op_out!("aten::fft_fftfreq.out(int n, float d=1., *, Tensor(a!) out) -> Tensor(a!)", full),
        op_out!("aten::fft_rfftfreq.out(int n, float d=1., *, Tensor(a!) out) -> Tensor(a!)", half),
    ];
}

fn full(cx: &Context, n: i64, d: f64, options: Options) -> Result<Tensor> {
    if n < 0 {
        return Err(Fault::negative_size(n, &[n]));
    }
    let positive = n / 2 + n % 2;
    check_length(n)?;
    let bins = (0..positive).chain(-(n - positive)..0);
    spaced("fftfreq", cx, bins.collected(), n as f64 * d, options)
}

/// Refuses lengths of which no tensor is.
fn check_length(n: i64) -> Result<()> {
    if n >= 1 << 60 {
        return Err(Fault::runtime(format!(
            "Storage size calculation overflowed with sizes=[{n}]"
        )));
    }
    Ok(())
}

fn half(cx: &Context, n: i64, d: f64, options: Options) -> Result<Tensor> {
    check_length(n.div_euclid(2))?;
    let bins = (0..n.div_euclid(2) + 1).collected();
    spaced("rfftfreq", cx, bins, n as f64 * d, options)
}

/// The bins divided by the length of the signal, as the dtype computes it.
fn spaced(
    name: &str,
    cx: &Context,
    bins: Vec<i64>,
    length: f64,
    options: Options,
) -> Result<Tensor> {
    let dtype = options.dtype_or_default(cx);
    if dtype.is_integral(true) {
        return Err(Fault::runtime(format!(
            "{name} requires a floating point or complex dtype"
        )));
    }
    let step = 1.0 / length;
    let sizes = [bins.len()];
    let values = match dtype {
        DType::F64 | DType::C128 => {
            Tensor::from_vec(bins.iter().map(|b| *b as f64 * step).collected(), &sizes)
        }
        _ => {
            let step = step as f32;
            Tensor::from_vec(bins.iter().map(|b| *b as f32 * step).collected(), &sizes)
        }
    };
    Ok(values?.to_dtype(dtype))
}
