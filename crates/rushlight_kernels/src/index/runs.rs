//! Where elements lie, and moving them: the geometry of indexing kept apart from element types.
//!
//! Every operator here first computes [`Runs`], the places of its elements in the memory of a tensor; then [`pick`]
//! reads them into a new tensor or [`put`] writes a tensor's elements to them. Reading and replacing do not look at
//! elements, so dtypes of one size share code; only combining ([`Combine`]) computes.

use rushlight_tensor::iter::check_writable;
use rushlight_tensor::memory;
use rushlight_tensor::{
    Bool8, Buffer, Cells, Complex32, Complex64, DType, Dims, Element, Number, Real, Result, Tensor,
    bf16, dispatch, f16, lanes, threads, watch,
};

/// Places in a tensor's memory, counted from its first element: every offset from every base in turn begins `run`
/// neighbouring elements.
pub struct Runs {
    pub bases: Vec<usize>,
    pub offsets: Vec<usize>,
    pub run: usize,
}

impl Runs {
    /// Single places.
    pub fn single(offsets: Vec<usize>) -> Runs {
        Runs::rows(offsets, 1)
    }

    /// Rows of `run` elements.
    pub fn rows(offsets: Vec<usize>, run: usize) -> Runs {
        Runs {
            bases: vec![0],
            offsets,
            run,
        }
    }

    /// How many elements there are.
    fn count(&self) -> usize {
        self.bases.len() * self.offsets.len() * self.run
    }
}

/// What happens to an element that is written to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combine {
    Replace,
    Add,
    Multiply,
    Max,
    Min,
}

/// Reads the elements at `runs` into a row-major tensor.
pub fn pick(source: &Tensor, runs: &Runs, sizes: &[usize]) -> Result<Tensor> {
    // The usual dtypes are read as they are: that spares two views.
    match source.dtype() {
        DType::F32 => return Ok(gather::<f32>(source, runs, sizes)),
        DType::I64 => return Ok(gather::<i64>(source, runs, sizes)),
        _ => {}
    }
    let raw = source.read_as(source.dtype().as_wide())?;
    let picked = dispatch!(raw.dtype(), Wide, T => gather::<T>(&raw, runs, sizes));
    picked.read_as(source.dtype())
}

fn gather<T: Element>(source: &Tensor, runs: &Runs, sizes: &[usize]) -> Tensor {
    let mut out = Buffer::<T>::unspecified(runs.count());
    read(&source.span::<T>(), runs, &mut out);
    out.into_tensor(sizes)
}

fn read<T: Element>(span: &[T], runs: &Runs, out: &mut [T]) {
    let (count, run) = (runs.offsets.len(), runs.run);
    if out.is_empty() {
        return;
    }
    // Single elements, which may lie anywhere, take longer than rows.
    let cost = if run == 1 { 4 } else { run };
    if runs.bases.len() == 1 {
        threads::split_rows(out, run, 1, cost, &|part, out| {
            read_from(span, runs.bases[0], &runs.offsets[part], run, out);
        });
        return;
    }
    let width = count * run;
    threads::split_rows(out, width, 1, count * cost, &|part, out| {
        for (base, out) in runs.bases[part].iter().zip(out.chunks_exact_mut(width)) {
            read_from(span, *base, &runs.offsets, run, out);
        }
    });
}

fn read_from<T: Element>(span: &[T], base: usize, offsets: &[usize], run: usize, out: &mut [T]) {
    watch::poll();
    if run == 1 {
        for (o, &at) in out.iter_mut().zip(offsets) {
            *o = span[base + at];
        }
    } else {
        for (o, &at) in out.chunks_exact_mut(run).zip(offsets) {
            lanes::copy(o, &span[base + at..][..run]);
        }
    }
}

/// Writes the elements of `values` (in row-major order; a single one is repeated) to `runs` of `target`.
pub fn put(target: &Tensor, runs: &Runs, values: &Tensor, how: Combine) -> Result<()> {
    check_writable(target)?;
    put_over(target, runs, values, how)
}

/// [`put`] where several elements of the target may be one place, which the last of them takes.
pub fn put_over(target: &Tensor, runs: &Runs, values: &Tensor, how: Combine) -> Result<()> {
    let values = if values.shares_storage(target) {
        values.contiguous_copy()
    } else {
        values.clone()
    };
    match how {
        Combine::Replace => replace(target, runs, &values),
        _ => combine(target, runs, &values, how),
    }
}

fn replace(target: &Tensor, runs: &Runs, values: &Tensor) -> Result<()> {
    let raw = target.dtype().as_wide();
    let (target, values) = (target.read_as(raw)?, values.read_as(raw)?);
    dispatch!(raw, Wide, T => write(&target, runs, &values, |cells: &Cells<'_, T>, at, row: &[T]| {
        if let [value] = row {
            cells.set(at, *value);
        } else {
            cells.set_row(at, row);
        }
    }));
    Ok(())
}

/// Runs `step(memory, place, row of values)` for every run. Single elements are rows of one.
fn write<T: Element>(
    target: &Tensor,
    runs: &Runs,
    values: &Tensor,
    step: impl Fn(&Cells<'_, T>, usize, &[T]),
) {
    if target.numel() == 0 {
        return;
    }
    let data = values.data::<T>();
    let cells = target.cells::<T>();
    let repeated = (data.len() == 1).then(|| memory::filled(runs.run, data[0]));
    let mut rows = data.chunks_exact(runs.run.max(1));
    for base in &runs.bases {
        watch::poll();
        if let Some(row) = &repeated {
            runs.offsets
                .iter()
                .for_each(|at| step(&cells, base + at, row));
        } else if runs.run == 1 {
            for (at, row) in runs.offsets.iter().zip(&mut rows) {
                step(&cells, base + at, std::slice::from_ref(&row[0]));
            }
        } else {
            for (at, row) in runs.offsets.iter().zip(&mut rows) {
                step(&cells, base + at, row);
            }
        }
    }
}

fn combine(target: &Tensor, runs: &Runs, values: &Tensor, how: Combine) -> Result<()> {
    let dtype = target.dtype();
    match dtype {
        DType::F32 => combine_real::<f32>(target, runs, values, how),
        DType::F64 => combine_real::<f64>(target, runs, values, how),
        DType::F16 => combine_real::<f16>(target, runs, values, how),
        DType::BF16 => combine_real::<bf16>(target, runs, values, how),
        DType::I64 => combine_real::<i64>(target, runs, values, how),
        DType::C64 => combine_as::<Complex32>(target, runs, values, arithmetic(how)),
        DType::C128 => combine_as::<Complex64>(target, runs, values, arithmetic(how)),
        DType::Bool => combine_as::<Bool8>(
            target,
            runs,
            values,
            match how {
                Combine::Add | Combine::Max => |a: Bool8, b: Bool8| Bool8::from(a.get() | b.get()),
                _ => |a: Bool8, b: Bool8| Bool8::from(a.get() & b.get()),
            },
        ),
        _ => {
            return combine_wide(target, runs, values, how);
        }
    }
    Ok(())
}

/// Combines narrow integers as i64, on a copy of the target.
fn combine_wide(target: &Tensor, runs: &Runs, values: &Tensor, how: Combine) -> Result<()> {
    let span = span_view(target)?;
    let copy = span.to_dtype(DType::I64);
    combine(&copy, runs, &values.to_dtype(DType::I64), how)?;
    span.copy_from(&copy)
}

/// All of the memory that the tensor's layout reaches, as a vector.
pub fn span_view(t: &Tensor) -> Result<Tensor> {
    let layout = t.layout();
    let len = layout
        .end()
        .map_or(0, |end| end.saturating_sub(layout.offset()));
    t.view_with(rushlight_tensor::Layout::strided(
        &[len],
        &[1],
        layout.offset(),
    ))
}

fn arithmetic<T: Number>(how: Combine) -> fn(T, T) -> T {
    match how {
        Combine::Multiply => T::mul,
        Combine::Add => T::add,
        _ => |_, b| b,
    }
}

fn combine_real<T: Real>(target: &Tensor, runs: &Runs, values: &Tensor, how: Combine) {
    let function: fn(T, T) -> T = match how {
        Combine::Add => return combine_as::<T>(target, runs, values, T::add),
        Combine::Max => |a, b| if a.is_nan() || a > b { a } else { b },
        Combine::Min => |a, b| if a.is_nan() || a < b { a } else { b },
        other => arithmetic(other),
    };
    combine_as::<T>(target, runs, values, function);
}

fn combine_as<T: Element>(
    target: &Tensor,
    runs: &Runs,
    values: &Tensor,
    function: impl Fn(T, T) -> T,
) {
    write(target, runs, values, |cells, at, row: &[T]| {
        for (k, &value) in row.iter().enumerate() {
            cells.set(at + k, function(cells.get(at + k), value));
        }
    });
}

/// The places of all elements of a strided region, in row-major order of its sizes.
pub fn places(sizes: &[usize], strides: &[usize]) -> Vec<usize> {
    let count: usize = sizes.iter().product();
    let mut out = memory::with_capacity(count);
    if count > 0 {
        for_each_row(sizes, strides, |base, n, stride| {
            out.extend((0..n).map(|j| base + j * stride));
        });
    }
    out
}

/// Runs `row(place, length, stride)` for every row along the last dimension of a region without empty dimensions.
pub fn for_each_row(sizes: &[usize], strides: &[usize], mut row: impl FnMut(usize, usize, usize)) {
    let Some((&n, outer)) = sizes.split_last() else {
        return row(0, 1, 0);
    };
    let (&stride, outer_strides) = strides.split_last().expect("as many strides as sizes");
    let mut index: Dims = smallvec::smallvec![0; outer.len()];
    let mut base = 0usize;
    loop {
        watch::poll();
        row(base, n, stride);
        let mut d = outer.len();
        loop {
            if d == 0 {
                return;
            }
            d -= 1;
            index[d] += 1;
            base += outer_strides[d];
            if index[d] < outer[d] {
                break;
            }
            base -= outer_strides[d] * outer[d];
            index[d] = 0;
        }
    }
}

/// A strided region: sizes and strides of some neighbouring dimensions.
#[derive(Clone, Copy)]
pub struct Region<'a> {
    pub sizes: &'a [usize],
    pub strides: &'a [usize],
}

/// The runs of `before × middle × after` in row-major order, where the middle is given by its places.
pub fn block_runs(before: Region<'_>, middle: Vec<usize>, after: Region<'_>) -> Runs {
    let (dims, run) = trailing_run(after.sizes, after.strides);
    let rows = after.sizes.len() - dims;
    let inner = places(&after.sizes[..rows], &after.strides[..rows]);
    let outer = places(before.sizes, before.strides);
    let offsets = match inner[..] {
        [0] => middle,
        _ => {
            let mut offsets = memory::with_capacity(middle.len() * inner.len());
            for m in middle {
                watch::poll();
                offsets.extend(inner.iter().map(|i| m + i));
            }
            offsets
        }
    };
    Runs {
        bases: outer,
        offsets,
        run,
    }
}

/// How many trailing dimensions form one contiguous run, and the run's length.
pub fn trailing_run(sizes: &[usize], strides: &[usize]) -> (usize, usize) {
    let (mut dims, mut run) = (0, 1);
    for (&size, &stride) in sizes.iter().zip(strides).rev() {
        if size != 1 && stride != run {
            break;
        }
        dims += 1;
        run *= size;
    }
    (dims, run)
}
