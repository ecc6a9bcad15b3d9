//! Evenly spaced numbers.

use rushlight_tensor::element::wide::Wide;
use rushlight_tensor::lanes::{Vectorised, vectorised};
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{
    Buffer, Complex64, DType, Element, Fault, Result, Scalar, Tensor, memory, watch,
};

/// A vector by its elements.
pub fn vector<T: Element>(count: usize, at: impl Fn(usize) -> T) -> Tensor {
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
    let mut out = Buffer::<T>::unspecified(count);
    for (at, part) in out.chunks_mut(PART).enumerate() {
        watch::poll();
        let part = Part {
            part,
            first: at * PART,
            count,
            ends: (start.to_f64(), step.to_f64()),
            lane: &lane,
            round: &round,
        };
        match T::DTYPE {
            DType::F32 => vectorised(part),
            _ => part.run(),
        }
    }
    out.into_vector()
}

/// So many numbers are made at once.
const PART: usize = 1 << 12;

/// Some of the numbers of [`vectors`].
struct Part<'a, T, F, G> {
    part: &'a mut [T],
    first: usize,
    count: usize,
    /// The start and the step.
    ends: (f64, f64),
    lane: &'a F,
    round: &'a G,
}

impl<T: Element, F: Fn(T, f64, f64) -> T, G: Fn(f64) -> T> Vectorised for Part<'_, T, F, G> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let lanes = 32 / size_of::<T>();
        let (start, step) = self.ends;
        let whole = self.count / (2 * lanes) * (2 * lanes);
        for (at, run) in self.part.chunks_mut(lanes).enumerate() {
            let first = self.first + at * lanes;
            let is_whole = first < whole;
            let base = (self.round)(step.mul_add(first as f64, start));
            for (k, v) in run.iter_mut().enumerate() {
                *v = match is_whole {
                    true => (self.lane)(base, k as f64, step),
                    false => (self.round)(step.mul_add((first + k) as f64, start)),
                };
            }
        }
    }
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

/// Numbers from both ends, of which the first half is counted from the start.
struct Halves<'a, W> {
    out: &'a mut [W],
    ends: (W, W),
    step: W,
    half: usize,
    divisor: usize,
}

impl<W: Wide> Vectorised for Halves<'_, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let (start, end) = self.ends;
        let count = |i: usize| W::of(i as f64);
        let half = self.half.min(self.out.len());
        let (first, second) = self.out.split_at_mut(half);
        for (i, v) in first.iter_mut().enumerate() {
            *v = self.step.mul_add(count(i), start);
        }
        for (i, v) in second.iter_mut().enumerate() {
            *v = (-self.step).mul_add(count(self.divisor - half - i), end);
        }
    }
}

/// [`Halves`] as a tensor, changed by a function.
fn halves<W: Wide + Element>(
    steps: usize,
    ends: (W, W),
    (half, divisor): (usize, usize),
    map: Option<&dyn Fn(W) -> W>,
) -> Tensor {
    let step = (ends.1 - ends.0) / W::of(divisor as f64);
    let mut out = Buffer::<W>::unspecified(steps);
    let halves = Halves {
        out: &mut out,
        ends,
        step,
        half,
        divisor,
    };
    match W::DTYPE {
        DType::F32 => vectorised(halves),
        _ => halves.run(),
    }
    if let Some(map) = map {
        out.iter_mut().for_each(|v| *v = map(*v));
    }
    out.into_vector()
}

/// What is done with the evenly spaced numbers before they are stored, if anything is.
pub struct Map<'a> {
    pub single: Option<&'a dyn Fn(f32) -> f32>,
    pub double: Option<&'a dyn Fn(f64) -> f64>,
    pub complex: &'a dyn Fn(Complex64) -> Complex64,
}

impl Map<'_> {
    pub const PLAIN: Map<'static> = Map {
        single: None,
        double: None,
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
        let ends = (rounded(start), rounded(end));
        return Ok(halves(steps, ends, (half, divisor), map.single).to_dtype(dtype));
    }
    let truncated = |s: Scalar| match dtype {
        DType::F64 => s.to_f64(),
        _ => s.to_i64() as f64,
    };
    let ends = (truncated(start), truncated(end));
    Ok(halves(steps, ends, (half, divisor), map.double).to_dtype(dtype))
}
