//! Transforms along the last dimension of complex and real tensors.

use rushlight_tensor::{Buffer, Complex, DType, Dims, Element, Result, Tensor, watch};
use rushlight_tensor::{memory, threads};
use rustfft::{FftNum, FftPlanner};

/// Which sign the exponent has: forward is minus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    Forward,
    Inverse,
}

/// f32 and f64, with their complex element types.
pub trait Part: FftNum + Element {
    fn complex(re: Self, im: Self) -> Complex<Self>;
}
impl Part for f32 {
    fn complex(re: f32, im: f32) -> Complex<f32> {
        Complex::new(re, im)
    }
}
impl Part for f64 {
    fn complex(re: f64, im: f64) -> Complex<f64> {
        Complex::new(re, im)
    }
}

/// Binds `$T` to the real type behind a complex dtype.
macro_rules! parts {
    ($dtype:expr, $T:ident => $body:expr) => {
        if matches!(
            $dtype,
            rushlight_tensor::DType::C128 | rushlight_tensor::DType::F64
        ) {
            type $T = f64;
            $body
        } else {
            type $T = f32;
            $body
        }
    };
}

/// Transforms each run of `n` elements in place and scales it.
fn rows<T: Part>(data: &mut [Complex<T>], n: usize, direction: Direction, scale: f64) {
    if n == 0 || data.is_empty() {
        return;
    }
    let mut planner = FftPlanner::<T>::new();
    let plan = match direction {
        Direction::Forward => planner.plan_fft_forward(n),
        Direction::Inverse => planner.plan_fft_inverse(n),
    };
    let scale = (scale != 1.0).then(|| <T as Element>::from_f64(scale));
    let scratch = plan.get_inplace_scratch_len();
    threads::split_rows(data, n, 1, 8 * n, &|_, rows| {
        let mut scratch = memory::filled(scratch, Complex::<T>::default());
        for row in rows.chunks_exact_mut(n) {
            watch::poll();
            plan.process_with_scratch(row, &mut scratch);
            if let Some(scale) = scale {
                row.iter_mut()
                    .for_each(|v| *v = Complex::new(v.re * scale, v.im * scale));
            }
        }
    });
}

/// `sizes` with another last size.
fn with_last(sizes: &[usize], last: usize) -> Dims {
    let mut out = Dims::from_slice(sizes);
    if let Some(end) = out.last_mut() {
        *end = last;
    }
    out
}

/// How many rows a tensor has along its last dimension, rows of no elements included.
fn row_count(t: &Tensor) -> usize {
    let (_, outer) = t.sizes().split_last().unwrap_or((&1, &[]));
    outer.iter().product()
}

/// Copies `count` rows of `from` elements into rows of `to`, cutting or padding with zeros.
fn resized<T: Copy + Default>(data: &[T], count: usize, from: usize, to: usize) -> Vec<T> {
    if from == to {
        return data.to_vec();
    }
    let mut out = memory::filled(memory::times([count, to]), T::default());
    for (row, target) in data
        .chunks_exact(from.max(1))
        .zip(out.chunks_exact_mut(to.max(1)))
    {
        watch::poll();
        let n = from.min(to);
        target[..n].copy_from_slice(&row[..n]);
    }
    out
}

/// A complex tensor transformed along its last dimension, which is cut or padded to `n`.
pub fn complex_to_complex(
    t: &Tensor,
    n: usize,
    direction: Direction,
    scale: f64,
) -> Result<Tensor> {
    let from = t.sizes().last().copied().unwrap_or(1);
    let sizes = with_last(t.sizes(), n);
    rushlight_tensor::layout::checked_numel(&sizes)?;
    parts!(t.dtype(), T => {
        let mut data = resized(&t.data::<Complex<T>>(), row_count(t), from, n);
        rows::<T>(&mut data, n, direction, scale);
        Tensor::from_vec(data, &sizes)
    })
}

/// The first half (or all) of the spectrum of a real tensor along its last dimension, cut or padded to `n`. Two rows
/// are transformed at a time, as the parts of one complex row.
pub fn real_to_complex(
    t: &Tensor,
    n: usize,
    direction: Direction,
    scale: f64,
    onesided: bool,
) -> Result<Tensor> {
    let from = t.sizes().last().copied().unwrap_or(1);
    let width = if onesided { n / 2 + 1 } else { n };
    let sizes = with_last(t.sizes(), width);
    rushlight_tensor::layout::checked_numel(&sizes)?;
    parts!(t.dtype(), T => {
        let data = resized(&t.data::<T>(), row_count(t), from, n);
        let count = data.len() / n.max(1);
        let mut packed = memory::filled(memory::times([count.div_ceil(2), n]), Complex::<T>::default());
        for (pair, out) in data.chunks(2 * n.max(1)).zip(packed.chunks_exact_mut(n.max(1))) {
            watch::poll();
            for (k, value) in out.iter_mut().enumerate() {
                let second = pair.get(n + k).copied().unwrap_or_default();
                *value = T::complex(pair[k], second);
            }
        }
        rows::<T>(&mut packed, n, direction, scale);
        let mut out = memory::filled(memory::times([count, width]), Complex::<T>::default());
        let half: T = 0.5;
        for (i, row) in out.chunks_exact_mut(width.max(1)).enumerate() {
            watch::poll();
            let z = &packed[i / 2 * n..(i / 2 + 1) * n];
            for (k, value) in row.iter_mut().enumerate() {
                let (a, b) = (z[k], z[(n - k) % n].conj());
                *value = if i % 2 == 0 {
                    Complex::new((a.re + b.re) * half, (a.im + b.im) * half)
                } else {
                    Complex::new((a.im - b.im) * half, (b.re - a.re) * half)
                };
            }
        }
        Tensor::from_vec(out, &sizes)
    })
}

/// The real tensor whose half spectrum along the last dimension is given, of length `n`.
pub fn complex_to_real(t: &Tensor, n: usize, direction: Direction, scale: f64) -> Result<Tensor> {
    let from = t.sizes().last().copied().unwrap_or(1);
    let sizes = with_last(t.sizes(), n);
    rushlight_tensor::layout::checked_numel(&sizes)?;
    parts!(t.dtype(), T => {
        let half = n / 2 + 1;
        let data = resized(&t.data::<Complex<T>>(), row_count(t), from, half);
        let count = data.len() / half;
        let mut full = memory::filled(memory::times([count, n]), Complex::<T>::default());
        for (row, out) in data.chunks_exact(half).zip(full.chunks_exact_mut(n.max(1))) {
            watch::poll();
            for (k, value) in out.iter_mut().enumerate() {
                // The second half mirrors the first; what has no partner is taken as real.
                *value = if k == 0 || 2 * k == n {
                    T::complex(row[k].re, 0.0)
                } else if k < half {
                    row[k]
                } else {
                    row[n - k].conj()
                };
            }
        }
        rows::<T>(&mut full, n, direction, scale);
        let out: Buffer<T> = full.iter().map(|c| c.re).collect();
        Ok(out.into_tensor(&sizes))
    })
}

/// The dtype in which a tensor is transformed: complex, or real where `real` allows it.
pub fn spectrum_dtype(dtype: DType, real: bool) -> Result<DType> {
    use rushlight_tensor::Fault;
    let float = match dtype {
        DType::F16 | DType::BF16 => {
            return Err(Fault::not_implemented(format!(
                "Unsupported dtype {}",
                dtype.class_name()
            )));
        }
        d if d.is_integral(true) => DType::F32,
        other => other,
    };
    Ok(if real { float } else { float.to_complex() })
}
