//! Whole numbers: `randint`, `random_`, `randperm`.

use super::{Stream, fill_each, with_stream};
use crate::create::options::{LikeOptions, Options};
use crate::view::{Ints, checked_sizes};
use rushlight_kernels::create::random::integers::{WIDE_RANGE, first_exact, highest, last_exact};
use rushlight_tensor::{Buffer, DType, Fault, Result, Tensor};
use rushlight_types::{Context, Effect, Elements, op, operators};

operators! {
    /// Random integers and permutations.
    pub static ROWS = [
        op!("aten::randint(SymInt high, SymInt[] size, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", randint).effect(Effect::Random),
        op_out!("aten::randint.out(SymInt high, SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)", randint).effect(Effect::Random),
        op!("aten::randint.generator(SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", randint_generator).effect(Effect::Random),
        op_out!("aten::randint.generator_out(SymInt high, SymInt[] size, *, Generator? generator, Tensor(a!) out) -> Tensor(a!)", randint_generator).effect(Effect::Random),
        op!("aten::randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", randint_low).effect(Effect::Random),
        op_out!("aten::randint.low_out(SymInt low, SymInt high, SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)", randint_low).effect(Effect::Random),
        op!("aten::randint.low_generator(SymInt low, SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", randint_low_generator).effect(Effect::Random),
        op_out!("aten::randint.low_generator_out(SymInt low, SymInt high, SymInt[] size, *, Generator? generator, Tensor(a!) out) -> Tensor(a!)", randint_low_generator).effect(Effect::Random),
        op!("aten::randint_like(Tensor self, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", randint_like).effect(Effect::Random).elements_are(Elements::Untouched).detaches(),
        op_out!("aten::randint_like.out(Tensor self, SymInt high, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", randint_like).effect(Effect::Random),
        op!("aten::randint_like.generator(Tensor self, SymInt high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", randint_like_generator).effect(Effect::Random).elements_are(Elements::Untouched).detaches(),
        op_out!("aten::randint_like.generator_out(Tensor self, SymInt high, *, Generator? generator, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", randint_like_generator).effect(Effect::Random),
        op!("aten::randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", randint_like_low).effect(Effect::Random).elements_are(Elements::Untouched).detaches(),
        op_out!("aten::randint_like.low_dtype_out(Tensor self, SymInt low, SymInt high, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", randint_like_low).effect(Effect::Random),
        op!("aten::randint_like.low_generator_dtype(Tensor self, SymInt low, SymInt high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", randint_like_low_generator).effect(Effect::Random).elements_are(Elements::Untouched).detaches(),
        op_out!("aten::randint_like.low_generator_dtype_out(Tensor self, SymInt low, SymInt high, *, Generator? generator, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", randint_like_low_generator).effect(Effect::Random),
        op!("aten::randint_like.Tensor(Tensor self, Tensor high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", randint_like_tensor).effect(Effect::Random).detaches(),
        op_out!("aten::randint_like.Tensor_out(Tensor self, Tensor high, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", randint_like_tensor).effect(Effect::Random),
        op!("aten::randint_like.Tensor_generator(Tensor self, Tensor high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", randint_like_tensor_generator).effect(Effect::Random).detaches(),
        op_out!("aten::randint_like.Tensor_generator_out(Tensor self, Tensor high, *, Generator? generator, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", randint_like_tensor_generator).effect(Effect::Random),
        op!("aten::random(Tensor self, *, Generator? generator=None) -> Tensor", random).effect(Effect::Random).out("out", crate::out::cast),
        op!("aten::random.to(Tensor self, int to, *, Generator? generator=None) -> Tensor", random_to).effect(Effect::Random).out("to_out", crate::out::cast),
        op!("aten::random.from(Tensor self, int from, int? to, *, Generator? generator=None) -> Tensor", random_from).effect(Effect::Random).out("from_out", crate::out::cast),
        op!("aten::random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)", random_in_place).effect(Effect::Random),
        op!("aten::random_.to(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor(a!)", random_to_in_place).effect(Effect::Random),
        op!("aten::random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)", random_from_in_place).effect(Effect::Random),
        op!("aten::randperm(SymInt n, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", randperm).effect(Effect::Random),
        op_out!("aten::randperm.out(SymInt n, *, Tensor(a!) out) -> Tensor(a!)", randperm).effect(Effect::Random),
        op!("aten::randperm.generator(SymInt n, *, Generator? generator, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", randperm_generator).effect(Effect::Random),
        op_out!("aten::randperm.generator_out(SymInt n, *, Generator? generator, Tensor(a!) out) -> Tensor(a!)", randperm_generator).effect(Effect::Random),
    ];
}

fn randint(cx: &Context, high: i64, sizes: Ints, options: Options) -> Result<Tensor> {
    randint_low_generator(cx, 0, high, sizes, None, options)
}

fn randint_generator(
    cx: &Context,
    high: i64,
    sizes: Ints,
    stream: Stream<'_>,
    options: Options,
) -> Result<Tensor> {
    randint_low_generator(cx, 0, high, sizes, stream, options)
}

fn randint_low(cx: &Context, low: i64, high: i64, sizes: Ints, options: Options) -> Result<Tensor> {
    randint_low_generator(cx, low, high, sizes, None, options)
}

fn randint_low_generator(
    cx: &Context,
    low: i64,
    high: i64,
    sizes: Ints,
    stream: Stream<'_>,
    options: Options,
) -> Result<Tensor> {
    let dtype = options.dtype.unwrap_or(DType::I64);
    let out = Tensor::empty(&checked_sizes(&sizes)?, dtype)?;
    fill_between(cx, stream, &out, low, Some(high))?;
    Ok(out)
}

fn randint_like(cx: &Context, t: &Tensor, high: i64, options: LikeOptions) -> Result<Tensor> {
    randint_like_low_generator(cx, t, 0, high, None, options)
}

fn randint_like_generator(
    cx: &Context,
    t: &Tensor,
    high: i64,
    stream: Stream<'_>,
    options: LikeOptions,
) -> Result<Tensor> {
    randint_like_low_generator(cx, t, 0, high, stream, options)
}

fn randint_like_low(
    cx: &Context,
    t: &Tensor,
    low: i64,
    high: i64,
    options: LikeOptions,
) -> Result<Tensor> {
    randint_like_low_generator(cx, t, low, high, None, options)
}

fn randint_like_low_generator(
    cx: &Context,
    t: &Tensor,
    low: i64,
    high: i64,
    stream: Stream<'_>,
    options: LikeOptions,
) -> Result<Tensor> {
    let out = options.empty(t)?;
    fill_between(cx, stream, &out, low, Some(high))?;
    Ok(out)
}

fn randint_like_tensor(
    cx: &Context,
    t: &Tensor,
    high: &Tensor,
    options: LikeOptions,
) -> Result<Tensor> {
    randint_like_tensor_generator(cx, t, high, None, options)
}

fn randint_like_tensor_generator(
    cx: &Context,
    t: &Tensor,
    high: &Tensor,
    stream: Stream<'_>,
    options: LikeOptions,
) -> Result<Tensor> {
    randint_like_low_generator(cx, t, 0, high.item()?.to_i64(), stream, options)
}

fn random(cx: &Context, t: &Tensor, stream: Stream<'_>) -> Result<Tensor> {
    random_in_place(cx, &super::empty_like(t)?, stream)
}

fn random_to(cx: &Context, t: &Tensor, to: i64, stream: Stream<'_>) -> Result<Tensor> {
    random_to_in_place(cx, &super::empty_like(t)?, to, stream)
}

fn random_from(
    cx: &Context,
    t: &Tensor,
    from: i64,
    to: Option<i64>,
    stream: Stream<'_>,
) -> Result<Tensor> {
    random_from_in_place(cx, &super::empty_like(t)?, from, to, stream)
}

/// Every number that the dtype represents exactly: non-negative integers, up to the mantissa for floats.
fn random_in_place(cx: &Context, t: &Tensor, stream: Stream<'_>) -> Result<Tensor> {
    match t.dtype() {
        DType::I64 => fill_each(cx, stream, t, |g| (g.random64() & (i64::MAX as u64)) as i64)?,
        DType::F64 => fill_each(cx, stream, t, |g| (g.random64() % ((1 << 53) + 1)) as i64)?,
        dtype => {
            let count: u32 = match dtype {
                DType::F32 => (1 << 24) + 1,
                DType::F16 => (1 << 11) + 1,
                DType::BF16 => (1 << 8) + 1,
                DType::I32 => 1 << 31,
                DType::I16 => 1 << 15,
                DType::I8 => 1 << 7,
                DType::U8 => 1 << 8,
                DType::Bool => 2,
                other => return Err(Fault::no_kernel("random_kernel_cpu", other)),
            };
            fill_each(cx, stream, t, |g| i64::from(g.random() % count))?;
        }
    }
    Ok(t.clone())
}

fn random_to_in_place(cx: &Context, t: &Tensor, to: i64, stream: Stream<'_>) -> Result<Tensor> {
    random_from_in_place(cx, t, 0, Some(to), stream)
}

fn random_from_in_place(
    cx: &Context,
    t: &Tensor,
    from: i64,
    to: Option<i64>,
    stream: Stream<'_>,
) -> Result<Tensor> {
    fill_between(cx, stream, t, from, to)?;
    Ok(t.clone())
}

/// Whole numbers of `from..to`, or from `from` on when there is no end.
fn fill_between(
    cx: &Context,
    stream: Stream<'_>,
    t: &Tensor,
    from: i64,
    to: Option<i64>,
) -> Result<()> {
    t.dtype().computes("random_update_from_to")?;
    if t.dtype().is_complex() {
        return Err(Fault::runtime(
            "check_random_bounds handles only integral, floating-point and boolean types",
        ));
    }
    if let Some(to) = to.filter(|to| from >= *to) {
        return Err(Fault::runtime(format!(
            "random_ expects 'from' to be less than 'to', but got from={from} >= to={to}"
        )));
    }
    let from = first_exact(from, t.dtype());
    let last = match to.map(|to| last_exact(to, t.dtype())) {
        Some(to) if from >= to => {
            return Err(Fault::runtime(format!(
                "random_ expects 'from' to be less than 'to', but got from={from} >= to={to}"
            )));
        }
        Some(to) => to - 1,
        None => highest(t.dtype()),
    };
    check_bound("from", from, t.dtype())?;
    check_bound("to - 1", last, t.dtype())?;
    let range = (last.wrapping_sub(from) as u64).wrapping_add(1);
    match range {
        // All 64 bits.
        0 => fill_each(cx, stream, t, |g| g.random64() as i64),
        WIDE_RANGE.. => fill_each(cx, stream, t, |g| {
            ((g.random64() % range) as i64).wrapping_add(from)
        }),
        _ => fill_each(cx, stream, t, |g| {
            ((u64::from(g.random()) % range) as i64).wrapping_add(from)
        }),
    }
}

fn check_bound(name: &str, value: i64, dtype: DType) -> Result<()> {
    let range = match dtype {
        DType::Bool => 0..=1,
        DType::U8 => 0..=255,
        DType::I8 => -128..=127,
        DType::I16 => -32_768..=32_767,
        DType::I32 => i64::from(i32::MIN)..=i64::from(i32::MAX),
        DType::F16 => -65_504..=65_504,
        _ => return Ok(()),
    };
    if range.contains(&value) {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "{name} is out of bounds for {}",
        dtype.scalar_name()
    )))
}

fn randperm(cx: &Context, n: i64, options: Options) -> Result<Tensor> {
    randperm_generator(cx, n, None, options)
}

fn randperm_generator(
    cx: &Context,
    n: i64,
    stream: Stream<'_>,
    options: Options,
) -> Result<Tensor> {
    let sizes = checked_sizes(&[n])?;
    let dtype = options.dtype.unwrap_or(DType::I64);
    if dtype.is_complex() || dtype == DType::Bool {
        return Err(Fault::no_kernel("randperm", dtype));
    }
    if n > highest(dtype) {
        return Err(Fault::runtime(format!(
            "value cannot be converted to type {} without overflow",
            dtype.scalar_name()
        )));
    }
    rushlight_tensor::layout::checked_numel(&sizes)?;
    Tensor::empty(&sizes, DType::I64)?;
    let mut values: Buffer<i64> = Buffer::unspecified(sizes[0]);
    for (i, v) in values.iter_mut().enumerate() {
        *v = i as i64;
    }
    with_stream(cx, stream, |g| {
        for i in 0..values.len().saturating_sub(1) {
            let rest = (values.len() - i) as u64;
            let pick = u64::from(g.random()) % rest;
            values.swap(i, i + pick as usize);
        }
    });
    Ok(values.into_vector().to_dtype(dtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        Options { dtype: None }
    }

    /// `torch.manual_seed(0)` before each: `torch.randint(10, (5,))`, `torch.randint(2**40, (2,))`, `torch.randperm(6)`.
    #[test]
    fn integers_follow_the_seed() -> Result<()> {
        let cx = Context::silent();
        cx.manual_seed(0);
        let few = randint(&cx, 10, smallvec::smallvec![5], options())?;
        assert_eq!(few.to_vec::<i64>(), [4, 9, 3, 0, 3]);
        cx.manual_seed(0);
        randint(&cx, 10, smallvec::smallvec![5], options())?;
        let wide = randint(&cx, 1 << 40, smallvec::smallvec![2], options())?;
        assert_eq!(wide.to_vec::<i64>(), [1_080_377_046_723, 444_201_214_985]);
        cx.manual_seed(0);
        let order = randperm(&cx, 6, options())?;
        assert_eq!(order.to_vec::<i64>(), [2, 5, 3, 0, 1, 4]);
        Ok(())
    }
}
