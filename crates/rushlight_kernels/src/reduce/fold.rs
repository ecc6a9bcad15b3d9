//! The one driver of reductions.
//!
//! The tensor's dimensions are put in memory order and neighbours that are both kept or both reduced are fused, so
//! that the innermost loop is contiguous: either along a reduced run ([`Fold::run`]) or across it, adding whole rows
//! into a row of accumulators ([`Fold::rows`]).

use super::dims::{Mask, result_sizes};
use rushlight_tensor::lanes::{Vectorised, vectorised};
use rushlight_tensor::layout::sort_few;
use rushlight_tensor::memory;
use rushlight_tensor::{Buffer, Dims, Element, Fault, Layout, Result, Tensor, threads, watch};
use smallvec::SmallVec;

/// How elements are accumulated. The loops are marked `#[inline(always)]`, so that they are compiled for every
/// instruction set.
pub trait Fold: Sync {
    /// The elements of the input.
    type In: Element;
    /// What is accumulated.
    type Acc: Copy + Send;
    /// The accumulator of no elements.
    fn start(&self) -> Self::Acc;
    /// Accumulates a contiguous run.
    fn run(&self, acc: Self::Acc, run: &[Self::In]) -> Self::Acc;
    /// Accumulates rows of the accumulators' length elementwise.
    #[inline(always)]
    fn rows(&self, acc: &mut [Self::Acc], rows: &[Self::In]) {
        for row in rows.chunks_exact(acc.len()) {
            for (a, x) in acc.iter_mut().zip(row) {
                *a = self.run(*a, std::slice::from_ref(x));
            }
        }
    }
}

/// Elements of short runs between which the call may be stopped.
const BETWEEN_POLLS: usize = 4096;

/// A run of fused dimensions, outermost first.
#[derive(Clone, Copy)]
struct Group {
    size: usize,
    reduced: bool,
}

type Groups = SmallVec<[Group; 6]>;

/// Reduces the dimensions of `mask`; `finish` turns an accumulator into an element. The result is row-major.
pub fn reduce<F: Fold, O: Element>(
    input: &Tensor,
    mask: &Mask,
    keepdim: bool,
    fold: &F,
    finish: impl Fn(F::Acc) -> O,
) -> Result<Tensor> {
    let order = memory_order(input.layout());
    let kept: Dims = order.iter().copied().filter(|&d| !mask[d]).collect();
    let count = accumulator_count::<F::Acc>(input, &kept)?;
    let mut accumulators = memory::filled(count, fold.start());
    let is_in_order = order.is_sorted();
    if input.numel() > 0 {
        let groups = groups(input, &order, mask);
        let ordered = match is_in_order {
            true => input.clone(),
            false => input.view_with(input.layout().permute(&order))?,
        };
        accumulate_all(fold, &ordered.data::<F::In>(), &groups, &mut accumulators);
    }
    let mut out = Buffer::<O>::unspecified(count);
    for (o, a) in out.iter_mut().zip(accumulators) {
        *o = finish(a);
    }
    let sizes = result_sizes(input.sizes(), mask, keepdim);
    match is_in_order {
        true => Ok(out.into_tensor(&sizes)),
        false => restore_order(out, input, &kept)?.reshape_to(&sizes),
    }
}

/// How many accumulators there are, unless no machine could hold them.
fn accumulator_count<A>(input: &Tensor, kept: &[usize]) -> Result<usize> {
    let sizes: Dims = kept.iter().map(|&d| input.size(d)).collect();
    let count = rushlight_tensor::layout::checked_numel(&sizes)?;
    if (count as u64).saturating_mul(size_of::<A>() as u64) > 1 << 38 {
        return Err(Fault::runtime("Storage size calculation overflowed"));
    }
    Ok(count)
}

/// The dimensions by falling stride where the memory is dense, else as they are.
fn memory_order(layout: &Layout) -> Dims {
    if !layout.is_contiguous() && layout.is_non_overlapping_and_dense() {
        return layout.by_falling_stride();
    }
    (0..layout.rank()).collect()
}

fn groups(input: &Tensor, order: &[usize], mask: &Mask) -> Groups {
    let mut groups = Groups::new();
    for &d in order {
        let (size, reduced) = (input.size(d), mask[d]);
        match groups.last_mut() {
            _ if size == 1 => {}
            Some(last) if last.reduced == reduced => last.size *= size,
            _ => groups.push(Group { size, reduced }),
        }
    }
    groups
}

/// Accumulates on several threads where the outermost dimension is kept: every accumulator belongs to one of them.
fn accumulate_all<F: Fold>(fold: &F, data: &[F::In], groups: &[Group], acc: &mut [F::Acc]) {
    let [group @ Group { reduced: false, .. }, rest @ ..] = groups else {
        return accumulate(fold, data, groups, acc);
    };
    let (input, width) = (data.len() / group.size, acc.len() / group.size);
    threads::split_rows(acc, width, 1, input, &|range, acc| {
        let part = Group {
            size: range.len(),
            ..*group
        };
        let mut groups: Groups = smallvec::smallvec![part];
        groups.extend_from_slice(rest);
        let data = &data[range.start * input..range.end * input];
        accumulate(fold, data, &groups, acc);
    });
}

fn accumulate<F: Fold>(fold: &F, data: &[F::In], groups: &[Group], acc: &mut [F::Acc]) {
    watch::poll();
    match groups {
        [] | [Group { reduced: true, .. }] => leaf(fold, data, Some(data.len()), acc),
        [Group { reduced: false, .. }]
        | [Group { reduced: true, .. }, Group { reduced: false, .. }] => {
            leaf(fold, data, None, acc)
        }
        [
            Group { reduced: false, .. },
            Group {
                reduced: true,
                size,
            },
        ] => leaf(fold, data, Some(*size), acc),
        [group, rest @ ..] => {
            let parts = data.chunks_exact(data.len() / group.size);
            if group.reduced {
                parts.for_each(|part| accumulate(fold, part, rest, acc));
            } else {
                let width = acc.len() / group.size;
                for (part, acc) in parts.zip(acc.chunks_exact_mut(width)) {
                    accumulate(fold, part, rest, acc);
                }
            }
        }
    }
}

fn leaf<F: Fold>(fold: &F, data: &[F::In], run: Option<usize>, acc: &mut [F::Acc]) {
    vectorised(Leaf {
        fold,
        data,
        acc,
        run,
    });
}

/// The innermost loops: one run of this length per accumulator, or rows across them.
struct Leaf<'a, F: Fold> {
    fold: &'a F,
    data: &'a [F::In],
    acc: &'a mut [F::Acc],
    run: Option<usize>,
}

impl<F: Fold> Vectorised for Leaf<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        match self.run {
            None => self.fold.rows(self.acc, self.data),
            Some(run) => {
                let many = (BETWEEN_POLLS / run).max(1);
                let parts = self.data.chunks(many * run);
                for (acc, data) in self.acc.chunks_mut(many).zip(parts) {
                    watch::poll();
                    for (a, part) in acc.iter_mut().zip(data.chunks_exact(run)) {
                        *a = self.fold.run(*a, part);
                    }
                }
            }
        }
    }
}

/// Brings results in memory order of the kept dimensions into the logical order.
fn restore_order<O: Element>(out: Buffer<O>, input: &Tensor, kept: &[usize]) -> Result<Tensor> {
    let sizes: Dims = kept.iter().map(|&d| input.size(d)).collect();
    let tensor = out.into_tensor(&sizes);
    if kept.is_sorted() {
        return Ok(tensor);
    }
    let mut positions: Dims = (0..kept.len()).collect();
    sort_few(&mut positions, |p| kept[*p]);
    let view = tensor.view_with(tensor.layout().permute(&positions))?;
    Ok(view.contiguous())
}
