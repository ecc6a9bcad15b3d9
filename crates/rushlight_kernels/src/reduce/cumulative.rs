//! Running sums, products and extremes along a dimension.

use super::dims::{Lanes, wide_dtype};
use super::logsumexp::LogSum;
use rushlight_tensor::memory;
use rushlight_tensor::threads::{self, Rows};
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{
    Buffer, Complex64, DType, Element, Fault, Number, Real, Result, Tensor, watch,
};

/// What an element of a running result costs, in elements of a simple loop: each waits for the one before.
const COST: usize = 4;

/// Replaces every element by what `step` makes of the lane's state and the element. `A` is the state.
fn scan<T: Element, A: Copy + Sync>(
    input: &Tensor,
    dim: usize,
    start: A,
    step: impl Fn(&mut A, T, usize) -> T + Sync,
) -> Tensor {
    let lanes = Lanes::of(input.sizes(), dim);
    let data = input.data::<T>();
    let data = &data[..];
    let mut out = Buffer::<T>::unspecified(data.len());
    if data.is_empty() {
        return out.into_tensor(input.sizes());
    }
    let width = lanes.n * lanes.inner;
    threads::split_rows(&mut out, width, 1, COST * width, &|slabs, out| {
        let data = &data[slabs.start * width..slabs.end * width];
        scan_slabs(data, lanes, start, &step, out);
    });
    out.into_tensor(input.sizes())
}

fn scan_slabs<T: Element, A: Copy>(
    data: &[T],
    lanes: Lanes,
    start: A,
    step: &impl Fn(&mut A, T, usize) -> T,
    out: &mut [T],
) {
    if lanes.inner == 1 {
        let lanes = data
            .chunks_exact(lanes.n)
            .zip(out.chunks_exact_mut(lanes.n));
        for (lane, out) in lanes {
            watch::poll();
            let mut state = start;
            for (k, (o, &x)) in out.iter_mut().zip(lane).enumerate() {
                *o = step(&mut state, x, k);
            }
        }
        return;
    }
    let width = lanes.n * lanes.inner;
    let mut state = memory::filled(lanes.inner, start);
    for (slab, out) in data.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
        watch::poll();
        state.fill(start);
        let rows = slab
            .chunks_exact(lanes.inner)
            .zip(out.chunks_exact_mut(lanes.inner));
        for (k, (row, out)) in rows.enumerate() {
            watch::poll();
            for ((o, &x), state) in out.iter_mut().zip(row).zip(&mut state) {
                *o = step(state, x, k);
            }
        }
    }
}

/// Running sums or products: accumulated in a wider type, integers as i64.
pub fn running(input: &Tensor, dim: i64, dtype: Option<DType>, product: bool) -> Result<Tensor> {
    let d = wrap_dim(dim, input.rank())?;
    let dtype = dtype.unwrap_or(match input.dtype() {
        d if d.is_integral(true) => DType::I64,
        d => d,
    });
    if dtype == DType::Bool && input.numel() > 0 && input.rank() > 0 {
        return Err(Fault::no_kernel(
            if product {
                "cumprod_out_cpu"
            } else {
                "cumsum_out_cpu"
            },
            dtype,
        ));
    }
    let input = input.to_dtype(dtype);
    let wide = match wide_dtype(dtype) {
        DType::C64 => input.to_dtype(DType::C128),
        wide => input.to_dtype(wide),
    };
    let out = match (wide.dtype(), product) {
        (DType::F32, false) => scan(&wide, d, 0f64, |a, x: f32, _| {
            *a += x as f64;
            *a as f32
        }),
        (DType::F32, true) => scan(&wide, d, 1f64, |a, x: f32, _| {
            *a *= x as f64;
            *a as f32
        }),
        (DType::F64, product) => accumulate::<f64>(&wide, d, product),
        (DType::C128, product) => accumulate::<Complex64>(&wide, d, product),
        (_, product) => accumulate::<i64>(&wide, d, product),
    };
    Ok(out.to_dtype(dtype))
}

fn accumulate<T: Number>(input: &Tensor, dim: usize, product: bool) -> Tensor {
    if product {
        return scan(input, dim, T::ONE, |a: &mut T, x: T, _| {
            *a = a.mul(x);
            *a
        });
    }
    scan(input, dim, T::ZERO, |a: &mut T, x: T, _| {
        *a = a.add(x);
        *a
    })
}

/// `logcumsumexp`.
pub fn logcumsumexp(input: &Tensor, dim: i64) -> Result<Tensor> {
    let d = wrap_dim(dim, input.rank())?;
    let dtype = input.dtype();
    if dtype.is_integral(true) {
        return Err(Fault::no_kernel("logcumsumexp_out_cpu", dtype));
    }
    let out = if dtype.is_complex() {
        scan(
            &input.to_dtype(DType::C128),
            d,
            None,
            |a: &mut Option<Complex64>, x: Complex64, _| {
                let sum = a.map_or(x, |a| log_add(a, x));
                *a = Some(sum);
                sum
            },
        )
    } else {
        scan(
            &input.to_dtype(DType::F64),
            d,
            LogSum::EMPTY,
            |a, x: f64, _| {
                *a = a.add(Complex64::new(x, 0.0));
                a.ln().re
            },
        )
    };
    Ok(out.to_dtype(dtype))
}

/// The logarithm of the sum of two exponentials; the imaginary part continues that of the larger one.
fn log_add(a: Complex64, b: Complex64) -> Complex64 {
    if a.is_nan() || b.is_nan() {
        return Complex64::new(f64::NAN, f64::NAN);
    }
    let (low, high) = if b.re < a.re { (b, a) } else { (a, b) };
    if low.re == high.re && !low.re.is_finite() {
        return if low.re < 0.0 {
            low
        } else {
            (low.exp() + high.exp()).ln()
        };
    }
    high + (Complex64::new(1.0, 0.0) + (low - high).exp()).ln()
}

/// Running extremes and the indices of their last occurrences.
fn running_extreme<T: Real, const MAX: bool>(input: &Tensor, dim: usize) -> (Tensor, Tensor) {
    let lanes = Lanes::of(input.sizes(), dim);
    let data = input.data::<T>();
    let data = &data[..];
    let mut values = Buffer::<T>::unspecified(data.len());
    let mut indices = Buffer::<i64>::unspecified(data.len());
    let width = lanes.n * lanes.inner;
    let slabs = if data.is_empty() { 0 } else { lanes.outer };
    let lent = (Rows::of(&mut values, width), Rows::of(&mut indices, width));
    threads::split_lent(slabs, 1, COST * width, lent, &|part, (values, indices)| {
        let data = &data[part.start * width..part.end * width];
        for lane in 0..part.len() * lanes.inner {
            watch::poll();
            let start = lanes.start(lane);
            let (mut best, mut at) = (data[start], 0);
            for k in 0..lanes.n {
                let place = start + k * lanes.inner;
                let x = data[place];
                let better = if MAX { x >= best } else { x <= best };
                if x.is_nan() || (better && !best.is_nan()) {
                    (best, at) = (x, k as i64);
                }
                values[place] = best;
                indices[place] = at;
            }
        }
    });
    (
        values.into_tensor(input.sizes()),
        indices.into_tensor(input.sizes()),
    )
}

/// The largest or smallest element so far along a dimension, and its place.
pub fn cumulative_extreme<const MAX: bool>(input: &Tensor, dim: i64) -> Result<(Tensor, Tensor)> {
    if input.rank() == 0 && !matches!(dim, -1 | 0) {
        let name = if MAX { "cummax" } else { "cummin" };
        return Err(Fault::index(format!(
            "{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}"
        )));
    }
    let d = wrap_dim(dim, input.rank())?;
    let dtype = input.dtype();
    if dtype.is_complex() && (input.rank() == 0 || input.numel() == 0) {
        let indices = Tensor::zeros(input.sizes(), DType::I64)?;
        return Ok((input.contiguous_copy(), indices));
    }
    if dtype.is_complex() {
        return Err(Fault::no_kernel(
            if MAX { "cummax_cpu" } else { "cummin_cpu" },
            dtype,
        ));
    }
    let wide = input.to_dtype(wide_dtype(dtype));
    let (values, indices) = match wide.dtype() {
        DType::F32 => running_extreme::<f32, MAX>(&wide, d),
        DType::F64 => running_extreme::<f64, MAX>(&wide, d),
        _ => running_extreme::<i64, MAX>(&wide, d),
    };
    Ok((values.to_dtype(dtype), indices))
}
