//! Random tensors. Numbers are drawn in the order of the result's memory, one stream per call, with the arithmetic of
//! the reference: a seed gives the same numbers.

pub mod bernoulli;
pub mod continuous;
pub mod counts;
pub mod dropout;
pub mod gamma;
pub mod integers;
pub mod normal;
pub mod sample;
pub mod uniform;

use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Buffer, Element, Fault, Generator, Result, Tensor, watch};
use rushlight_types::{Context, SharedGenerator};

/// The stream a call draws from: the given one or the context's.
pub(crate) type Stream<'a> = Option<&'a SharedGenerator>;

/// Runs `draw` with the stream of a call.
fn with_stream<R>(cx: &Context, stream: Stream<'_>, draw: impl FnOnce(&mut Generator) -> R) -> R {
    draw(&mut stream.unwrap_or(cx.generator()).lock())
}

/// The tensor with its dimensions in the order of memory, slowest first.
fn in_memory_order(t: &Tensor) -> Result<Tensor> {
    if t.layout().may_overlap() {
        return Err(Fault::runtime(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.",
        ));
    }
    t.permute(&memory_order(t))
}

/// The dimensions by falling stride.
fn memory_order(t: &Tensor) -> Vec<i64> {
    let order = t.layout().by_falling_stride();
    order.into_iter().map(|d| d as i64).collected()
}

/// So many numbers are drawn between two looks at the running call.
const PART: usize = 1 << 12;

/// Fills a tensor with drawn numbers, converted to its dtype.
fn fill_each<T: Element>(
    cx: &Context,
    stream: Stream<'_>,
    t: &Tensor,
    mut draw: impl FnMut(&mut Generator) -> T,
) -> Result<()> {
    let target = in_memory_order(t)?;
    let mut values = Buffer::<T>::unspecified(t.numel());
    with_stream(cx, stream, |generator| {
        for part in values.chunks_mut(PART) {
            watch::poll();
            part.fill_with(|| draw(generator));
        }
    });
    target.copy_from(&values.into_tensor(target.sizes()))
}

/// A kernel's name for dtypes it does not know, unless the dtype is a real float.
fn check_float(name: &str, t: &Tensor) -> Result<()> {
    match t.dtype().is_float() && !t.dtype().is_eight() {
        true => Ok(()),
        false => Err(Fault::no_kernel(name, t.dtype())),
    }
}

/// A fresh tensor like `t`, dimensions in the same order in memory.
fn empty_like(t: &Tensor) -> Result<Tensor> {
    crate::create::options::LikeOptions {
        dtype: None,
        format: None,
    }
    .empty(t)
}

/// A number as the reference's messages show it: six significant digits.
pub(crate) fn shown(v: f64) -> String {
    if !v.is_finite() {
        return v.to_string().to_lowercase();
    }
    let text = format!("{v:.5e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |s: &str| match s.contains('.') {
        true => s.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => s.to_string(),
    };
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs());
    }
    let digits = (5 - exponent).max(0) as usize;
    trimmed(&format!("{v:.digits$}"))
}
