//! Evenly spaced numbers.

use rushlight_tensor::memory::Collected;
use rushlight_tensor::{
    Buffer, Complex64, DType, Element, Fault, Result, Scalar, Tensor, memory, watch,
};

/// A vector by its elements.
pub fn vector<T: Element>(count: usize, at: impl Fn(usize) -> T) -> Tensor {
    const PART: usize = 1 << 12;
    let mut out = Buffer::<T>::unspecified(count);
    for (first, part) in out.chunks_mut(PART).enumerate() {
        watch::poll();
        for (k, v) in part.iter_mut().enumerate() {
            *v = at(first * PART + k);
        }
    }
    out.into_vector()
}

/// Numbers in vectors of 32 bytes: a rounded base, and the base plus a multiple of the step; what does not fill a pair
/// of vectors, one by one.
pub fn vectors<T: Element>(
    count: usize,
    start: Scalar,
    step: Scalar,
    lane: impl Fn(T, f64, f64) -> T,
    round: impl Fn(f64) -> T,
) -> Tensor {
    let lanes = 32 / size_of::<T>();
    let (start, step) = (start.to_f64(), step.to_f64());
    let single = |i: usize| round(step.mul_add(i as f64, start));
    let whole = count / (2 * lanes) * (2 * lanes);
    vector(count, |i| match i < whole {
        true => lane(single(i - i % lanes), (i % lanes) as f64, step),
        false => single(i),
    })
}

/// The same for 16-bit floats, which compute in f32.
pub fn narrow<T: Element>(count: usize, start: Scalar, step: Scalar) -> Tensor {
    let step32 = step.to_f64() as f32;
    let start32 = start.to_f64() as f32;
    let round = |v: f32| T::from_f64(f64::from(v));
    let single = |i: usize| round(step32.mul_add(i as f32, start32));
    const LANES: usize = 16;
    let whole = count / (2 * LANES) * (2 * LANES);
    vector(count, |i| match i < whole {
        true => {
            let base = single(i - i % LANES).to_f64() as f32;
            round(step32.mul_add((i % LANES) as f32, base))
        }
        false => single(i),
    })
}

/// What is done with the evenly spaced numbers before they are stored.
pub struct Map<'a> {
    pub single: &'a dyn Fn(f32) -> f32,
    pub double: &'a dyn Fn(f64) -> f64,
    pub complex: &'a dyn Fn(Complex64) -> Complex64,
}

impl Map<'_> {
    pub const PLAIN: Map<'static> = Map {
        single: &|v| v,
        double: &|v| v,
        complex: &|v| v,
    };
}

/// `steps` numbers from `start` to `end`: the first half counted from the start, the second from the end.
pub fn spaced(
    name: &str,
    start: Scalar,
    end: Scalar,
    steps: usize,
    dtype: DType,
    map: &Map<'_>,
) -> Result<Tensor> {
    memory::check(steps, dtype.size())?;
    let divisor = steps.saturating_sub(1).max(1);
    let half = if steps == 1 { 1 } else { steps / 2 };
    let from_end = |i: usize| divisor - i;
    // One number alone is the start, whatever the end is.
    let end = if steps == 1 { start } else { end };
    if dtype == DType::Bool {
        return match steps {
            0 | 1 => spaced(name, start, end, steps, DType::F64, map).map(|t| t.to_dtype(dtype)),
            _ => Err(Fault::no_kernel(name, dtype)),
        };
    }
    if dtype.is_complex() {
        let (start, end) = (start.to_complex(), end.to_complex());
        let step = (end - start) / divisor as f64;
        let value = |i: usize| match i < half {
            true => start + step * i as f64,
            false => end - step * from_end(i) as f64,
        };
        let values = (0..steps).map(|i| (map.complex)(value(i))).collected();
        return Ok(Tensor::from_vec::<Complex64>(values, &[steps])?.to_dtype(dtype));
    }
    if dtype.is_float() && dtype != DType::F64 {
        let rounded = |s: Scalar| -> f32 {
            let t = Tensor::scalar(s, dtype).to_dtype(DType::F32);
            t.data::<f32>()[0]
        };
        let (start, end) = (rounded(start), rounded(end));
        let step = (end - start) / divisor as f32;
        let value = |i: usize| match i < half {
            true => step.mul_add(i as f32, start),
            false => (-step).mul_add(from_end(i) as f32, end),
        };
        let values = (0..steps).map(|i| (map.single)(value(i))).collected();
        return Ok(Tensor::from_vec::<f32>(values, &[steps])?.to_dtype(dtype));
    }
    let truncated = |s: Scalar| match dtype {
        DType::F64 => s.to_f64(),
        _ => s.to_i64() as f64,
    };
    let (start, end) = (truncated(start), truncated(end));
    let step = (end - start) / divisor as f64;
    let value = |i: usize| match i < half {
        true => step.mul_add(i as f64, start),
        false => (-step).mul_add(from_end(i) as f64, end),
    };
    let values = (0..steps).map(|i| (map.double)(value(i))).collected();
    Ok(Tensor::from_vec::<f64>(values, &[steps])?.to_dtype(dtype))
}
