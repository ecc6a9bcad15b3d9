//! Where the elements of a padded tensor come from.

use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Buffer, Dims, Result, Scalar, Tensor, memory, watch};
use std::ops::Range;

/// What stands outside the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Reflect,
    Replicate,
    Circular,
}

/// Which input position stands at each output position: at those of the middle the next each.
pub struct Places {
    before: Vec<usize>,
    middle: Range<usize>,
    after: Vec<usize>,
}

impl Places {
    /// The places of a dimension that is padded.
    pub fn of(mode: Mode, size: i64, before: i64, after: i64) -> Places {
        // No tensor is so long: what does not fit is refused as what it would take.
        let total = size.saturating_add(before).saturating_add(after);
        let place = |o: i64| {
            let i = o - before;
            let place = match mode {
                Mode::Replicate => i.clamp(0, size - 1),
                // What negative padding cuts off takes no part in the circle.
                Mode::Circular => {
                    let (skip, kept) = (
                        before.saturating_neg().max(0),
                        size + before.min(0) + after.min(0),
                    );
                    skip + (o - before.max(0)).rem_euclid(kept.max(1))
                }
                Mode::Reflect if i < 0 => -i,
                Mode::Reflect if i >= size => 2 * (size - 1) - i,
                Mode::Reflect => i,
            };
            place as usize
        };
        let first = before.max(0).min(total.max(0));
        let last = total.saturating_sub(after.max(0)).max(first);
        Places {
            before: (0..first).map(place).collected(),
            middle: if first < last {
                place(first)..place(last - 1) + 1
            } else {
                0..0
            },
            after: (last..total).map(place).collected(),
        }
    }

    fn len(&self) -> usize {
        self.before.len() + self.middle.len() + self.after.len()
    }
}

/// Takes positions along a dimension.
pub fn take(t: &Tensor, d: usize, places: &Places) -> Result<Tensor> {
    let mut sizes = Dims::from_slice(t.sizes());
    sizes[d] = places.len();
    let numel = rushlight_tensor::layout::checked_numel(&sizes)?;
    let inner: usize = sizes[d + 1..].iter().product();
    let from = t.size(d) * inner;
    if from == 0 {
        return Tensor::zeros(&sizes, t.dtype());
    }
    let inner = inner * t.dtype().size();
    let from = from * t.dtype().size();
    let bytes = t.contiguous().bytes()?;
    let x = bytes.data::<u8>();
    let mut out = Buffer::<u8>::unspecified(memory::times([numel, t.dtype().size()]));
    let images = x.chunks_exact(from);
    for (image, out) in images.zip(out.chunks_exact_mut((places.len() * inner).max(1))) {
        watch::poll();
        let (before, rest) = out.split_at_mut(places.before.len() * inner);
        let (middle, after) = rest.split_at_mut(places.middle.len() * inner);
        edge(image, inner, &places.before, before);
        middle.copy_from_slice(&image[places.middle.start * inner..][..middle.len()]);
        edge(image, inner, &places.after, after);
    }
    out.into_elements(t.dtype(), &sizes)
}

/// Rows of `inner` bytes from their places.
fn edge(image: &[u8], inner: usize, places: &[usize], out: &mut [u8]) {
    if inner == 4 {
        // One number each, of the most usual width.
        let (image, out) = (image.as_chunks::<4>().0, out.as_chunks_mut::<4>().0);
        for (place, to) in places.iter().zip(out) {
            *to = image[*place];
        }
        return;
    }
    for (place, row) in places.iter().zip(out.chunks_exact_mut(inner.max(1))) {
        watch::poll();
        row.copy_from_slice(&image[place * inner..][..inner]);
    }
}

/// A row-major tensor of `sizes` that holds `value`, but from `starts` on a row-major tensor of the same rank.
pub fn surrounded(t: &Tensor, sizes: &[usize], starts: &[usize], value: Scalar) -> Result<Tensor> {
    let numel = rushlight_tensor::layout::checked_numel(sizes)?;
    let width = t.dtype().size();
    let last = sizes.last().copied().unwrap_or(1);
    // A row of nothing but the value.
    let value = Tensor::full(&[last], value, t.dtype())?.bytes()?;
    let mut out = Buffer::<u8>::unspecified(memory::times([numel, width]));
    if numel > 0 {
        let source = t.bytes()?;
        let bytes = (&source.data::<u8>()[..], &value.data::<u8>()[..]);
        surround(bytes, width, t.sizes(), sizes, starts, &mut out);
    }
    out.into_elements(t.dtype(), sizes)
}

/// Fills a result that has elements, of `width` bytes.
fn surround(
    (source, value): (&[u8], &[u8]),
    width: usize,
    own: &[usize],
    sizes: &[usize],
    starts: &[usize],
    out: &mut [u8],
) {
    let (Some((_, outer)), Some((&start, starts))) = (sizes.split_last(), starts.split_last())
    else {
        out.copy_from_slice(source);
        return;
    };
    let (start, own_width) = (start * width, own[outer.len()] * width);
    let end = start + own_width;
    let mut index: Dims = outer.iter().map(|_| 0).collect();
    let mut rows = source.chunks_exact(own_width.max(1));
    for row in out.chunks_exact_mut(value.len()) {
        watch::poll();
        let is_inside = |d: usize| (starts[d]..starts[d] + own[d]).contains(&index[d]);
        // Rows that are inside come in the order of the source.
        match (0..outer.len())
            .all(is_inside)
            .then(|| rows.next())
            .flatten()
        {
            Some(from) => {
                row[..start].copy_from_slice(&value[..start]);
                row[start..end].copy_from_slice(from);
                row[end..].copy_from_slice(&value[end..]);
            }
            None => row.copy_from_slice(value),
        }
        for d in (0..outer.len()).rev() {
            index[d] += 1;
            if index[d] < outer[d] {
                break;
            }
            index[d] = 0;
        }
    }
}
