//! Where the elements of a padded tensor come from.

use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Buffer, Dims, Result, Scalar, Tensor, memory, threads, watch};
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

    fn iter(&self) -> impl Iterator<Item = usize> {
        let (before, after) = (self.before.iter(), self.after.iter());
        let middle = self.middle.clone();
        before.copied().chain(middle).chain(after.copied())
    }

    /// Writes what stands at the places of an image whose positions have `inner` bytes each.
    fn write(&self, image: &[u8], inner: usize, out: &mut [u8]) {
        let (before, rest) = out.split_at_mut(self.before.len() * inner);
        let (middle, after) = rest.split_at_mut(self.middle.len() * inner);
        edge(image, inner, &self.before, before);
        middle.copy_from_slice(&image[self.middle.start * inner..][..middle.len()]);
        edge(image, inner, &self.after, after);
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
        places.write(image, inner, out);
    }
    out.into_elements(t.dtype(), &sizes)
}

/// Takes positions along the last two dimensions.
pub fn take_both(t: &Tensor, rows: &Places, columns: &Places) -> Result<Tensor> {
    let mut sizes = Dims::from_slice(t.sizes());
    let (d, width) = (sizes.len() - 2, t.dtype().size());
    (sizes[d], sizes[d + 1]) = (rows.len(), columns.len());
    let numel = rushlight_tensor::layout::checked_numel(&sizes)?;
    let line = t.size(d + 1) * width;
    let image = t.size(d) * line;
    if image == 0 || numel == 0 {
        return Tensor::zeros(&sizes, t.dtype());
    }
    let bytes = t.contiguous().bytes()?;
    let x = &bytes.data::<u8>()[..];
    let mut out = Buffer::<u8>::unspecified(memory::times([numel, width]));
    let (new_line, count) = (columns.len() * width, rows.len());
    threads::split_rows(
        &mut out,
        count * new_line,
        1,
        count * new_line / 4,
        &|images, out| {
            let from = images.flat_map(|i| rows.iter().map(move |row| i * image + row * line));
            for (from, out) in from.zip(out.chunks_exact_mut(new_line)) {
                watch::poll();
                columns.write(&x[from..from + line], width, out);
            }
        },
    );
    out.into_elements(t.dtype(), &sizes)
}

/// Rows of `inner` bytes from their places.
#[inline(always)]
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

/// Copies what mostly is a few numbers, which a call would take longer for.
#[inline(always)]
fn copy_few(to: &mut [u8], from: &[u8]) {
    if to.len() > 32 || !to.len().is_multiple_of(4) {
        return to.copy_from_slice(from);
    }
    let (to, from) = (to.as_chunks_mut::<4>().0, from.as_chunks::<4>().0);
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
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
    // Neighbouring rows along the last of the other dimensions come together.
    let (height, first, count) = match outer.split_last() {
        Some((height, _)) => (*height, starts[outer.len() - 1], own[outer.len() - 1]),
        None => (1, 0, 1),
    };
    let line = value.len();
    let inside = |to: &mut [u8], rows: &mut std::slice::ChunksExact<'_, u8>| {
        for (row, from) in to.chunks_exact_mut(line).zip(rows) {
            copy_few(&mut row[..start], &value[..start]);
            row[start..end].copy_from_slice(from);
            copy_few(&mut row[end..], &value[end..]);
        }
    };
    let outside = |to: &mut [u8]| {
        for row in to.chunks_exact_mut(line) {
            row.copy_from_slice(value);
        }
    };
    for image in out.chunks_exact_mut(height * line) {
        watch::poll();
        let is_inside = |d: usize| (starts[d]..starts[d] + own[d]).contains(&index[d]);
        if (0..outer.len().saturating_sub(1)).all(is_inside) {
            let (above, rest) = image.split_at_mut(first * line);
            let (middle, below) = rest.split_at_mut(count * line);
            outside(above);
            // They come in the order of the source; where they are empty there are none.
            match own_width {
                0 => outside(middle),
                _ => inside(middle, &mut rows),
            }
            outside(below);
        } else {
            outside(image);
        }
        for d in (0..outer.len().saturating_sub(1)).rev() {
            index[d] += 1;
            if index[d] < outer[d] {
                break;
            }
            index[d] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_dimensions_are_padded_as_one_after_the_other() {
        let t = Tensor::from_vec((0..60).map(|v| v as f64).collect(), &[3, 4, 5]).unwrap();
        for mode in [Mode::Reflect, Mode::Replicate, Mode::Circular] {
            for (above, below, left, right) in [(1, 2, 3, 0), (0, 3, -1, 2), (-2, 1, 1, -1)] {
                let (rows, columns) = (
                    Places::of(mode, 4, above, below),
                    Places::of(mode, 5, left, right),
                );
                let both = take_both(&t, &rows, &columns).unwrap();
                let one = take(&take(&t, 2, &columns).unwrap(), 1, &rows).unwrap();
                assert_eq!(both.sizes(), one.sizes());
                assert_eq!(both.to_vec::<f64>(), one.to_vec::<f64>(), "{mode:?}");
            }
        }
    }

    #[test]
    fn what_is_around_is_the_value() {
        let t = Tensor::from_vec((1..13).map(|v| v as f32).collect(), &[2, 2, 3]).unwrap();
        let out = surrounded(&t, &[3, 4, 5], &[1, 2, 1], Scalar::Int(-1)).unwrap();
        let got = out.to_vec::<f32>();
        for (at, v) in got.iter().enumerate() {
            let (i, j, k) = (at / 20, at / 5 % 4, at % 5);
            let is_inside = i > 0 && j > 1 && (1..4).contains(&k);
            let own = (i.max(1) - 1) * 6 + (j.max(2) - 2) * 3 + k.max(1);
            assert_eq!(*v, if is_inside { own as f32 } else { -1.0 }, "{i} {j} {k}");
        }
    }
}
