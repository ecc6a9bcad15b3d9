//! The shortest way of an elementwise operator: over contiguous tensors of exactly the types of its loop.

use super::{Lane, LaneMut, TileLoop, has_odd_steps};
use crate::promote::category;
use crate::tensor::Memory;
use crate::{Buffer, DType, Element, Operand, Scalar, Tensor, dispatch, threads, watch};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// So many elements are handed to a loop at once; more of them by parts, which several threads may take.
const AT_ONCE: usize = threads::GRAIN;
/// Where an operand is one number, so many elements go to a loop at once.
const FEW: usize = 64;
/// Numbers take the shortest way up to this many elements.
pub const SOME: usize = 16 * FEW;
/// Shorter rows are put together into longer runs, which is not the shortest way.
const SHORT_ROW: usize = 32;
/// The bytes of the largest element.
const WIDEST: usize = 16;

/// One element, many times.
#[repr(align(64))]
struct Repeated(MaybeUninit<[u8; FEW * WIDEST]>);

impl Repeated {
    /// Fills the first `len` places, at most [`FEW`], with an element of so many bytes.
    fn fill(&mut self, element: [u8; WIDEST], size: usize, len: usize) -> *const u8 {
        assert!(len <= FEW);
        let to = self.0.as_mut_ptr().cast::<u8>();
        macro_rules! copies {
            ($t:ty) => {{
                let value = <$t>::from_le_bytes(element[..size_of::<$t>()].try_into().unwrap_or_default());
                for i in 0..len {
                    // SAFETY: there is room for `FEW` of the widest elements, aligned for all of them.
                    unsafe { to.cast::<$t>().add(i).write(value.to_le()) };
                }
            }};
        }
        match size {
            1 => copies!(u8),
            2 => copies!(u16),
            4 => copies!(u32),
            8 => copies!(u64),
            _ => copies!(u128),
        }
        to
    }
}

/// The bytes of a number as an element.
fn element(number: Scalar, dtype: DType) -> [u8; WIDEST] {
    let mut bytes = [0; WIDEST];
    dispatch!(dtype, All, T => {
        let value = T::from_scalar(number);
        // SAFETY: there is room for any element.
        unsafe { bytes.as_mut_ptr().cast::<T>().write_unaligned(value) };
    });
    bytes
}

/// Where an operand's elements are.
#[derive(Clone, Copy)]
struct Source {
    first: *const u8,
    dtype: DType,
    /// Bytes from the element of one result to that of the next; a row for all rows, and one element that is repeated, stay.
    step: usize,
    /// There is one element, which the loop takes for all.
    is_one: bool,
}

/// What all parts of a run know.
struct Run<'a, const N: usize> {
    row: &'a dyn TileLoop,
    sources: [Source; N],
    numbers: &'a [Scalar],
}

// SAFETY: the sources are only read, and live longer than the run.
unsafe impl<const N: usize> Sync for Run<'_, N> {}

impl<const N: usize> Run<'_, N> {
    /// Computes the results from the one of this number on.
    #[inline(always)]
    fn part(&self, start: usize, out: *mut u8, gives: DType, len: usize) {
        let lanes = self.sources.each_ref().map(|source| Lane {
            dtype: source.dtype,
            first: source.first.wrapping_add(start * source.step),
            len: if source.is_one { 1 } else { len },
            elements: PhantomData,
        });
        let out = LaneMut {
            dtype: gives,
            first: out,
            len,
            elements: PhantomData,
        };
        self.row.tile(out, &lanes, self.numbers);
    }
}

/// The tensor with the most elements, the first of such.
#[inline(always)]
pub fn largest<'a>(operands: &[Operand<'a>]) -> Option<&'a Tensor> {
    let mut found: Option<&Tensor> = None;
    for operand in operands {
        if let Operand::Tensor(t) = operand
            && found.is_none_or(|f| f.numel() < t.numel())
        {
            found = Some(t);
        }
    }
    found
}

/// Whether sizes are equal, which few numbers tell soonest.
#[inline(always)]
fn is_same(a: &[usize], b: &[usize]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
}

/// Runs a loop over contiguous tensors of exactly its types: of the sizes of the largest of them, or rows of those sizes, or
/// one element, as few numbers may be; `None` where that is not what the operands are.
#[inline]
pub fn dense(row: &dyn TileLoop, operands: &[Operand<'_>], numbers: &[Scalar]) -> Option<Tensor> {
    match *operands {
        [a] => run(row, &[a], numbers),
        [a, b] => run(row, &[a, b], numbers),
        [a, b, c] => run(row, &[a, b, c], numbers),
        _ => None,
    }
}

/// As [`dense`], of so many operands.
fn run<'t, const N: usize>(
    row: &dyn TileLoop,
    operands: &[Operand<'t>; N],
    numbers: &[Scalar],
) -> Option<Tensor> {
    let largest = largest(operands)?;
    if N > 1 && has_odd_steps(largest) {
        return None;
    }
    let (sizes, n) = (largest.sizes(), largest.numel());
    if n == 0 {
        return None;
    }
    let takes: &[DType; N] = row.takes().try_into().ok()?;
    let mut repeated: [Repeated; N] = std::array::from_fn(|_| Repeated(MaybeUninit::uninit()));
    let mut held: [Option<Memory<'t>>; N] = std::array::from_fn(|_| None);
    let mut sources = takes.map(|dtype| Source {
        first: std::ptr::null(),
        dtype,
        step: 0,
        is_one: false,
    });
    let some = if row.spreads() { usize::MAX } else { SOME };
    let (mut rows, mut has_constants) = (None, false);
    for i in 0..N {
        let (dtype, source) = (takes[i], &mut sources[i]);
        let value = match &operands[i] {
            Operand::Tensor(t) => {
                let memory = t.memory();
                if memory.dtype() != dtype || !memory.is_plain() {
                    return None;
                }
                let (first, own) = (memory.first().cast_const(), memory.layout().sizes());
                if is_same(own, sizes) {
                    (source.first, source.step) = (first, dtype.size());
                    held[i] = Some(memory);
                    continue;
                }
                if memory.numel() >= SHORT_ROW && sizes.ends_with(own) {
                    let width = memory.numel();
                    if *rows.get_or_insert(width) != width {
                        return None;
                    }
                    source.first = first;
                    held[i] = Some(memory);
                    continue;
                }
                if n > some || memory.numel() != 1 || own.len() > sizes.len() {
                    return None;
                }
                let mut bytes = [0; WIDEST];
                // SAFETY: the tensor has one element, of this size.
                unsafe { first.copy_to_nonoverlapping(bytes.as_mut_ptr(), dtype.size()) };
                bytes
            }
            Operand::Number(number) => {
                if n > some || category(number.dtype(DType::F32)) > category(dtype) {
                    return None;
                }
                element(*number, dtype)
            }
        };
        source.is_one = row.spreads();
        has_constants |= !source.is_one;
        let count = if source.is_one { 1 } else { n.min(FEW) };
        source.first = repeated[i].fill(value, dtype.size(), count);
    }
    // So many elements go to the loop at once.
    let width = match rows {
        Some(width) if has_constants && width > FEW => return None,
        Some(width) => width,
        None if has_constants => FEW,
        None => AT_ONCE,
    };
    let gives = row.gives();
    let size = gives.size();
    let mut out = Buffer::<u8>::unspecified(n.checked_mul(size)?);
    let run = Run {
        row,
        sources,
        numbers,
    };
    if n <= width {
        run.part(0, out.as_mut_ptr(), gives, n);
    } else {
        threads::split_rows(&mut out, width * size, 1, width, &|rows, out| {
            for (row, out) in rows.zip(out.chunks_mut(width * size)) {
                watch::poll();
                run.part(row * width, out.as_mut_ptr(), gives, out.len() / size);
            }
        });
    }
    Some(out.into_row_major(n, gives, sizes))
}
