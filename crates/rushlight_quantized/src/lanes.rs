//! Functions of the numbers that quantized tensors stand for, to the last step.
//!
//! The reference takes as many integers at a time as fit into 64 bytes, and what is left of a run one by one. In a vector
//! an integer becomes a number by one multiply-add, by itself it becomes one by a difference and a product; the two differ
//! in the last bit, which decides where a result lies half way between two integers. A run is what lies in one piece in
//! the memory of all operands.

use super::bytes::{Byte, Operands, products, sums, through};
use super::{of_integers_like, quantizer, scale_of, uniform};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Buffer, DType, Fault, MemoryFormat, Result, Tensor, threads, watch};

/// Bytes of a vector.
const VECTOR: usize = 64;

/// From integers to numbers.
#[derive(Clone, Copy)]
pub struct Numbers {
    pub(super) scale: f32,
    pub(super) zero_point: i64,
    pub(super) offset: f32,
}

impl Numbers {
    pub fn new(scale: f64, zero_point: i64) -> Numbers {
        let scale = scale as f32;
        Numbers {
            scale,
            zero_point,
            offset: scale * -(zero_point as f32),
        }
    }

    /// The number of an integer in a vector.
    pub fn together(self, integer: i64) -> f32 {
        self.scale.mul_add(integer as f32, self.offset)
    }

    /// The number of an integer by itself.
    pub fn alone(self, integer: i64) -> f32 {
        (integer as f32 - self.zero_point as f32) * self.scale
    }

    /// The integer without its zero point.
    pub(super) fn centred(self, integer: i64) -> i64 {
        integer.saturating_sub(self.zero_point)
    }
}

/// Where the inverse of an output's scale is rounded to float32: before or after it is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Inverse {
    Single,
    Double,
}

/// From numbers to integers.
#[derive(Clone, Copy)]
pub struct Integers {
    pub(super) inverse: f32,
    /// For what is computed in vectors.
    pub(super) vector_inverse: f32,
    pub(super) zero_point: i64,
    pub(super) least: i64,
    pub(super) greatest: i64,
}

impl Integers {
    pub fn new(scale: f64, zero_point: i64, dtype: DType, inverse: Inverse) -> Integers {
        let (least, greatest) = rushlight_tensor::quantized_bounds(dtype);
        let own = 1.0 / scale as f32;
        Integers {
            inverse: own,
            vector_inverse: match inverse {
                Inverse::Single => own,
                Inverse::Double => (1.0 / scale) as f32,
            },
            zero_point,
            least,
            greatest,
        }
    }

    /// The integer of a number in a vector.
    pub fn together(self, number: f32) -> i64 {
        self.whole(number * self.vector_inverse)
    }

    /// The integer of a number by itself.
    pub fn alone(self, number: f32) -> i64 {
        self.whole(number * self.inverse)
    }

    pub(super) fn whole(self, steps: f32) -> i64 {
        if steps.is_nan() {
            // What the conversion instruction of the reference's machines gives.
            return match self.greatest {
                127 | 255 => self.greatest,
                _ => self.least,
            };
        }
        (steps.round_ties_even() as i64)
            .saturating_add(self.zero_point)
            .clamp(self.least, self.greatest)
    }
}

/// How one or more operands of a shape lie in memory together.
pub struct Runs {
    /// The dimensions from the outermost to the innermost of the result.
    order: Vec<usize>,
    /// Elements of a run.
    length: usize,
    /// Elements of a run that are computed in vectors.
    together: usize,
}

impl Runs {
    /// The operands have the same sizes; the result lies like the first.
    pub fn of(operands: &[&Tensor]) -> Runs {
        let Some(first) = operands.first() else {
            return Runs {
                order: Vec::new(),
                length: 0,
                together: 0,
            };
        };
        let mut order: Vec<usize> = (0..first.rank()).collected();
        if is_channels_last(first) {
            let channels = order.remove(1);
            order.push(channels);
        }
        let kept: Vec<usize> = order
            .iter()
            .copied()
            .filter(|d| first.size(*d) != 1)
            .collected();
        let mut length = 1;
        let mut inner: Option<usize> = None;
        for &d in kept.iter().rev() {
            let goes_on = inner.is_none_or(|inner| {
                operands
                    .iter()
                    .all(|t| t.strides()[inner].checked_mul(t.size(inner)) == Some(t.strides()[d]))
            });
            if !goes_on {
                break;
            }
            length *= first.size(d);
            inner = Some(d);
        }
        let steps: Vec<usize> = match kept.last() {
            Some(last) => operands.iter().map(|t| t.strides()[*last]).collected(),
            None => Vec::new(),
        };
        let vectors = steps.iter().all(|s| *s <= 1) && steps.contains(&1);
        let lanes = VECTOR / first.dtype().size().max(1);
        Runs {
            order,
            length,
            together: if vectors { length / lanes * lanes } else { 0 },
        }
    }

    /// The stored integers of an operand in the order of the runs.
    fn integers(&self, x: &Tensor) -> Result<Vec<i64>> {
        let stored = x.stored();
        Ok(stored
            .view_with(stored.layout().permute(&self.order))?
            .to_vec())
    }

    /// The quantized tensor of integers in the order of the runs, with the sizes of `like`.
    fn finish(&self, integers: &[i64], like: &Tensor, output: (f64, i64)) -> Result<Tensor> {
        let sizes: Vec<usize> = self.order.iter().map(|d| like.size(*d)).collected();
        let out = of_integers_like(integers, &sizes, output, like.dtype())?;
        let mut back = memory::filled(self.order.len(), 0);
        for (i, d) in self.order.iter().enumerate() {
            back[*d] = i;
        }
        out.view_with(out.layout().permute(&back))
    }

    /// The bytes of an operand where all of them are one run, in its order.
    fn dense<T: Byte>(&self, x: &Tensor) -> Option<Tensor> {
        if x.numel() != self.length || x.stored().dtype() != T::DTYPE || self.length == 0 {
            return None;
        }
        let stored = x.stored();
        let view = stored
            .view_with(stored.layout().permute(&self.order))
            .ok()?;
        view.is_contiguous().then_some(view)
    }

    /// As [`Runs::finish`], of bytes.
    fn finish_bytes<T: Byte>(
        &self,
        bytes: Buffer<T>,
        like: &Tensor,
        (scale, zero_point): (f64, i64),
    ) -> Result<Tensor> {
        let sizes: Vec<usize> = self.order.iter().map(|d| like.size(*d)).collected();
        let out = bytes.into_tensor(&sizes);
        let mut back = memory::filled(self.order.len(), 0);
        for (i, d) in self.order.iter().enumerate() {
            back[*d] = i;
        }
        let out = out.view_with(out.layout().permute(&back))?;
        out.as_quantized(&uniform(scale, zero_point))
            .ok_or_else(|| Fault::internal("bytes that no quantized tensor is stored as"))
    }

    /// Calls `f(index, whether it is computed in a vector)` for all elements.
    fn each(&self, count: usize, mut f: impl FnMut(usize, bool)) {
        let length = self.length.max(1);
        for first in (0..count).step_by(length) {
            watch::poll();
            for i in 0..length.min(count - first) {
                f(first + i, i < self.together);
            }
        }
    }
}

/// Whether a tensor lies with its channels last, and not also in the usual order.
fn is_channels_last(x: &Tensor) -> bool {
    let formats = [MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d];
    !x.is_contiguous() && formats.into_iter().any(|f| x.layout().is_contiguous_in(f))
}

/// A function of each number, in the scale of the output.
pub fn map(
    name: &str,
    x: &Tensor,
    output: (f64, i64),
    inverse: Inverse,
    f: impl Fn(f32) -> f32,
) -> Result<Tensor> {
    let (scale, zero_point) = scale_of(name, x)?;
    let numbers = Numbers::new(scale, zero_point);
    let integers = Integers::new(output.0, output.1, x.dtype(), inverse);
    let together = |q: i64| integers.together(f(numbers.together(q)));
    let alone = |q: i64| integers.alone(f(numbers.alone(q)));
    let runs = Runs::of(&[x]);
    let (least, greatest) = rushlight_tensor::quantized_bounds(x.dtype());
    let width = (greatest - least + 1) as usize;
    if x.numel() >= 1024 && width == 256 {
        let table = |f: &dyn Fn(i64) -> i64| -> Vec<u8> {
            (least..=greatest).map(|q| f(q) as u8).collected()
        };
        let tables = [table(&alone), table(&together)];
        if let Some(dense) = runs.dense::<u8>(x) {
            let out = through(&dense.data::<u8>(), &tables, runs.together);
            return runs.finish_bytes(out, x, output);
        }
        if let Some(dense) = runs.dense::<i8>(x) {
            let out = through(&dense.data::<i8>(), &tables, runs.together);
            return runs.finish_bytes(out, x, output);
        }
    }
    let mut values = runs.integers(x)?;
    if values.len() < width || width > 256 {
        runs.each(values.len(), |i, in_vector| {
            let f: &dyn Fn(i64) -> i64 = if in_vector { &together } else { &alone };
            values[i] = f(values[i]);
        });
        return runs.finish(&values, x, output);
    }
    // There are fewer integers than elements: each is computed once.
    let tables: [Vec<i64>; 2] = [
        (least..=greatest).map(alone).collected(),
        (least..=greatest).map(together).collected(),
    ];
    runs.each(values.len(), |i, in_vector| {
        values[i] = tables[usize::from(in_vector)][(values[i] - least) as usize];
    });
    runs.finish(&values, x, output)
}

/// What two operands become.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pair {
    Sum,
    Product,
}

/// Sums or products of two operands of the same dtype, none below zero with `relu`.
pub fn pair(
    name: &str,
    kind: Pair,
    (a, b): (&Tensor, &Tensor),
    output: (f64, i64),
    relu: bool,
) -> Result<Tensor> {
    let (a_scale, b_scale) = (scale_of(name, a)?, scale_of(name, b)?);
    let sizes = rushlight_tensor::layout::broadcast_or_fault(a.sizes(), b.sizes())?;
    // The result lies like the operand that has its sizes.
    let (a_full, b_full) = (expanded(a, &sizes)?, expanded(b, &sizes)?);
    let runs = match a.sizes() == &*sizes || b.sizes() != &*sizes {
        true => Runs::of(&[&a_full, &b_full]),
        false => Runs::of(&[&b_full, &a_full]),
    };
    let (left, right) = (
        Numbers::new(a_scale.0, a_scale.1),
        Numbers::new(b_scale.0, b_scale.1),
    );
    let integers = Integers::new(output.0, output.1, a.dtype(), Inverse::Single);
    let multiplier = a_scale.0 as f32 * b_scale.0 as f32 * integers.inverse;
    let floor = |v: f32| if relu { v.max(0.0) } else { v };
    let one = |q: i64, r: i64| match kind {
        Pair::Sum => integers.alone(floor(left.alone(q) + right.alone(r))),
        Pair::Product => {
            let product = left.centred(q).saturating_mul(right.centred(r));
            integers.whole(floor(product as f32 * multiplier))
        }
    };
    let operands = Operands {
        left,
        right,
        output: integers,
        multiplier,
        relu,
    };
    if operands.are_small() {
        if let (Some(x), Some(y)) = (runs.dense::<u8>(&a_full), runs.dense::<u8>(&b_full)) {
            let out = of_bytes::<u8>([&x, &y], kind, &operands, runs.together, &one);
            return runs.finish_bytes(out, &a_full, output);
        }
        if let (Some(x), Some(y)) = (runs.dense::<i8>(&a_full), runs.dense::<i8>(&b_full)) {
            let out = of_bytes::<i8>([&x, &y], kind, &operands, runs.together, &one);
            return runs.finish_bytes(out, &a_full, output);
        }
    }
    let mut values = runs.integers(&a_full)?;
    let others = runs.integers(&b_full)?;
    runs.each(values.len(), |i, in_vector| {
        let (x, y) = (values[i], others[i]);
        values[i] = match kind {
            Pair::Sum if in_vector => {
                integers.together(floor(left.together(x) + right.together(y)))
            }
            // Integers are multiplied, and one factor brings them to the scale of the output.
            _ => one(x, y),
        };
    });
    runs.finish(&values, &a_full, output)
}

/// Sums or products of bytes that lie in one run; those beyond `together` are computed by themselves.
fn of_bytes<T: Byte>(
    [a, b]: [&Tensor; 2],
    kind: Pair,
    operands: &Operands,
    together: usize,
    one: &(dyn Fn(i64, i64) -> i64 + Sync),
) -> Buffer<T> {
    let (a, b) = (a.data::<T>(), b.data::<T>());
    let mut out = Buffer::<T>::unspecified(a.len());
    let (vectors, rest) = out.split_at_mut(together);
    threads::split_rows(vectors, 1, VECTOR, 1, &|range, out| {
        watch::poll();
        let (a, b) = (&a[range.clone()], &b[range]);
        match kind {
            Pair::Sum => sums(a, b, operands, out),
            Pair::Product => products(a, b, operands, out),
        }
    });
    for ((to, x), y) in rest.iter_mut().zip(&a[together..]).zip(&b[together..]) {
        *to = T::of(one(x.integer().into(), y.integer().into()) as u8);
    }
    out
}

fn expanded(x: &Tensor, sizes: &[usize]) -> Result<Tensor> {
    if x.sizes() == sizes {
        return Ok(x.clone());
    }
    let quantizer = quantizer("quantized::add", x)?;
    let wide = x.stored().expand_to(sizes)?;
    wide.as_quantized(quantizer)
        .ok_or_else(|| Fault::internal("integers that no quantized tensor is stored as"))
}

/// Channels that are joined at a time where tensors lie with their channels last.
const JOINED: usize = 8;

/// Joins pictures that lie with their channels last along the channels.
pub fn join_channels(
    name: &str,
    tensors: &[Tensor],
    output: (f64, i64),
    relu: bool,
) -> Result<Tensor> {
    match tensors[0].dtype() {
        DType::QU8 => return join_bytes::<u8>(name, tensors, output, relu),
        DType::QI8 => return join_bytes::<i8>(name, tensors, output, relu),
        _ => {}
    }
    let dtype = tensors[0].dtype();
    let integers = Integers::new(output.0, output.1, dtype, Inverse::Double);
    let channels: usize = tensors.iter().map(|t| t.size(1)).sum();
    let first = &tensors[0];
    let pixels = memory::times([first.size(0), first.size(2), first.size(3)]);
    let mut out = memory::filled(memory::times([pixels, channels]), 0i64);
    let floor = |v: f32| if relu { v.max(0.0) } else { v };
    let mut start = 0;
    for t in tensors {
        watch::poll();
        let (scale, zero_point) = scale_of(name, t)?;
        let (numbers, own) = (Numbers::new(scale, zero_point), t.size(1));
        let stored = t.stored();
        let values: Vec<i64> = stored
            .view_with(stored.layout().permute(&[0, 2, 3, 1]))?
            .to_vec();
        let same = (scale, zero_point) == output;
        for (from, to) in values
            .chunks(own.max(1))
            .zip(out.chunks_mut(channels.max(1)))
        {
            for (i, (q, to)) in from.iter().zip(&mut to[start..]).enumerate() {
                *to = if same {
                    if relu { (*q).max(zero_point) } else { *q }
                } else if i < own / JOINED * JOINED {
                    integers.together(floor(numbers.together(*q)))
                } else {
                    integers.alone(floor(numbers.alone(*q)))
                };
            }
        }
        start += own;
    }
    let sizes = [first.size(0), first.size(2), first.size(3), channels];
    let out = of_integers_like(&out, &sizes, output, dtype)?;
    out.view_with(out.layout().permute(&[0, 3, 1, 2]))
}

/// As [`join_channels`], for integers of 8 bits, whose functions are tables.
fn join_bytes<T: Byte>(
    name: &str,
    tensors: &[Tensor],
    output: (f64, i64),
    relu: bool,
) -> Result<Tensor> {
    let (first, dtype) = (&tensors[0], tensors[0].dtype());
    let integers = Integers::new(output.0, output.1, dtype, Inverse::Double);
    let floor = |v: f32| if relu { v.max(0.0) } else { v };
    let (least, greatest) = rushlight_tensor::quantized_bounds(dtype);
    let channels: usize = tensors.iter().map(|t| t.size(1)).sum();
    let [batch, high, wide] = [0, 2, 3].map(|d| first.size(d));
    let mut out = Buffer::<T>::unspecified(memory::times([batch, high, wide, channels]));
    let mut start = 0;
    for t in tensors {
        watch::poll();
        let (scale, zero_point) = scale_of(name, t)?;
        let (numbers, own) = (Numbers::new(scale, zero_point), t.size(1));
        let same = (scale, zero_point) == output;
        let table = |f: &dyn Fn(i64) -> i64| -> Vec<u8> {
            (least..=greatest).map(|q| f(q) as u8).collected()
        };
        let (vectors, singles) = match same {
            true => {
                let kept = table(&|q| if relu { q.max(zero_point) } else { q });
                (kept.clone(), kept)
            }
            false => (
                table(&|q| integers.together(floor(numbers.together(q)))),
                table(&|q| integers.alone(floor(numbers.alone(q)))),
            ),
        };
        let stored = t.stored();
        let view = stored.view_with(stored.layout().permute(&[0, 2, 3, 1]))?;
        let values = view.data::<T>();
        let together = own / JOINED * JOINED;
        let pixels = values.chunks(own.max(1));
        for (from, to) in pixels.zip(out.chunks_mut(channels.max(1))) {
            let to = &mut to[start..start + own];
            if same && !relu {
                to.copy_from_slice(from);
                continue;
            }
            for (i, (q, to)) in from.iter().zip(to).enumerate() {
                let table = if i < together { &vectors } else { &singles };
                *to = T::of(table[q.place()]);
            }
        }
        start += own;
    }
    let out = out.into_tensor(&[batch, high, wide, channels]);
    let out = out.view_with(out.layout().permute(&[0, 3, 1, 2]))?;
    out.as_quantized(&uniform(output.0, output.1))
        .ok_or_else(|| Fault::internal("bytes that no quantized tensor is stored as"))
}
