//! Variances.

use super::dims::{Mask, reduced_count, wide_dtype};
use super::fold::{Fold, reduce};
use rushlight_tensor::{DType, Element, Fault, Result, Tensor};
use std::marker::PhantomData;

struct Moments<T>(PhantomData<T>);

/// Sums of differences from `shift`, the first element, and of their squares.
#[derive(Clone, Copy)]
struct Sums {
    shift: Option<f64>,
    first: f64,
    second: f64,
}

const LANES: usize = 8;

impl<T: Element> Fold for Moments<T> {
    type In = T;
    type Acc = Sums;
    fn start(&self) -> Sums {
        Sums {
            shift: None,
            first: 0.0,
            second: 0.0,
        }
    }
    #[inline(always)]
    fn run(&self, mut acc: Sums, run: &[T]) -> Sums {
        let Some(head) = run.first() else {
            return acc;
        };
        let shift = *acc.shift.get_or_insert(head.to_f64());
        let (mut first, mut second) = ([0f64; LANES], [0f64; LANES]);
        let mut chunks = run.chunks_exact(LANES);
        for chunk in &mut chunks {
            for ((a, b), x) in first.iter_mut().zip(&mut second).zip(chunk) {
                let d = x.to_f64() - shift;
                *a += d;
                *b += d * d;
            }
        }
        for x in chunks.remainder() {
            let d = x.to_f64() - shift;
            acc.first += d;
            acc.second += d * d;
        }
        if run.len() >= LANES {
            acc.first += first.iter().sum::<f64>();
            acc.second += second.iter().sum::<f64>();
        }
        acc
    }
    #[inline(always)]
    fn rows(&self, acc: &mut [Sums], rows: &[T]) {
        for row in rows.chunks_exact(acc.len()) {
            for (a, x) in acc.iter_mut().zip(row) {
                let x = x.to_f64();
                let d = x - *a.shift.get_or_insert(x);
                a.first += d;
                a.second += d * d;
            }
        }
    }
}

/// Variances in f64 of a real tensor.
pub fn variances(input: &Tensor, mask: &Mask, keepdim: bool, correction: f64) -> Result<Tensor> {
    if input.dtype().is_eight() {
        let dtype = input.dtype().class_name();
        return Err(Fault::runtime(format!(
            "std_var_all: Unsupported dtype {dtype}"
        )));
    }
    let count = reduced_count(input.sizes(), mask) as f64;
    let finish = |sums: Sums| {
        let squares = sums.second - sums.first * sums.first / count;
        let squares = if squares < 0.0 { 0.0 } else { squares };
        squares / (count - correction).max(0.0)
    };
    let wide = input.to_dtype(wide_dtype(input.dtype()));
    match wide.dtype() {
        DType::F32 => reduce(&wide, mask, keepdim, &Moments::<f32>(PhantomData), finish),
        _ => reduce(&wide, mask, keepdim, &Moments::<f64>(PhantomData), finish),
    }
}
