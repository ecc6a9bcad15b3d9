//! Sizes, strides and offset, in elements: all the arithmetic of views behind one small type.

use crate::{Fault, MemoryFormat, Result};
use smallvec::SmallVec;

/// Sizes or strides; up to five dimensions without allocation.
pub type Dims = SmallVec<[usize; INLINE]>;

/// So many dimensions need no allocation.
const INLINE: usize = 5;

/// Where the elements of a tensor lie in its storage. Strides are in elements and never negative.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Layout {
    sizes: Dims,
    strides: Dims,
    offset: usize,
}

/// Row-major strides for `sizes`.
pub fn contiguous_strides(sizes: &[usize]) -> Dims {
    let mut strides: Dims = smallvec::smallvec![1; sizes.len()];
    let mut step = 1usize;
    for (stride, size) in strides.iter_mut().zip(sizes).rev() {
        *stride = step;
        step = step.saturating_mul((*size).max(1));
    }
    strides
}

/// More elements than this, or a step further than this, no tensor has: times the largest element they fit an address
/// space.
pub const MOST_ELEMENTS: usize = isize::MAX as usize / 32;

/// A row-major tensor of at most so many elements and [`INLINE`] dimensions stays below [`MOST_ELEMENTS`], wherever a walk
/// over it goes.
const FEW: usize = MOST_ELEMENTS / 8;

/// No tensor has more dimensions than this.
pub const MOST_DIMS: usize = 1024;

/// The product of sizes, or a fault when it does not fit an address space. Sizes of 0 do not excuse the others, so that
/// any part of the sizes multiplies without overflow.
pub fn checked_numel(sizes: &[usize]) -> Result<usize> {
    let (mut product, mut empty) = (1usize, false);
    for &size in sizes {
        empty |= size == 0;
        product = match product.checked_mul(size.max(1)) {
            Some(n) if n <= MOST_ELEMENTS => n,
            _ => {
                return Err(Fault::runtime(format!(
                    "Storage size calculation overflowed with sizes={}",
                    list(sizes)
                )));
            }
        };
    }
    if sizes.len() > MOST_DIMS {
        return Err(Fault::runtime(format!(
            "tensors have at most {MOST_DIMS} dimensions, not {}",
            sizes.len()
        )));
    }
    Ok(if empty { 0 } else { product })
}

/// `[2, 3]`, as messages print sizes.
pub fn list(values: &[usize]) -> String {
    let items: Vec<String> = values.iter().map(usize::to_string).collect();
    format!("[{}]", items.join(", "))
}

/// Sorts a few things, such as dimensions, by a key. Equal ones stay in order.
pub fn sort_few<T: Copy, K: Ord>(things: &mut [T], key: impl Fn(&T) -> K) {
    for end in 1..things.len() {
        let thing = things[end];
        let mut at = end;
        while at > 0 && key(&things[at - 1]) > key(&thing) {
            things[at] = things[at - 1];
            at -= 1;
        }
        things[at] = thing;
    }
}

impl Layout {
    /// As [`Layout::small_at`], from offset 0.
    #[inline]
    pub(crate) fn small(sizes: &[usize]) -> Option<(Layout, usize)> {
        Layout::small_at(sizes, 0)
    }

    /// Row-major, from an offset, and the number of elements; `None` where there are many dimensions, or so many elements
    /// that a walk over them has to be checked.
    #[inline]
    pub(crate) fn small_at(sizes: &[usize], offset: usize) -> Option<(Layout, usize)> {
        let rank = sizes.len();
        if offset > FEW {
            return None;
        }
        let (mut own, mut strides) = ([0; INLINE], [0; INLINE]);
        let (mut step, mut is_empty) = (1usize, false);
        for (d, &size) in sizes.iter().enumerate().rev() {
            *own.get_mut(d)? = size;
            strides[d] = step;
            is_empty |= size == 0;
            step = step.checked_mul(size.max(1)).filter(|n| *n <= FEW)?;
        }
        let layout = Layout {
            sizes: Dims::from_buf_and_len(own, rank),
            strides: Dims::from_buf_and_len(strides, rank),
            offset,
        };
        Some((layout, if is_empty { 0 } else { step }))
    }

    /// Row-major, from offset 0.
    pub fn contiguous(sizes: &[usize]) -> Layout {
        if let Some((layout, _)) = Layout::small(sizes) {
            return layout;
        }
        Layout {
            strides: contiguous_strides(sizes),
            sizes: Dims::from_slice_copy(sizes),
            offset: 0,
        }
    }

    /// Dense in the order of a memory format; `Preserve` means row-major here.
    pub fn with_format(sizes: &[usize], format: MemoryFormat) -> Result<Layout> {
        let order: &[usize] = match (format, sizes.len()) {
            (MemoryFormat::Contiguous | MemoryFormat::Preserve, _) => {
                return Ok(Layout::contiguous(sizes));
            }
            (MemoryFormat::ChannelsLast, 4) => &[0, 2, 3, 1],
            (MemoryFormat::ChannelsLast3d, 5) => &[0, 2, 3, 4, 1],
            (MemoryFormat::ChannelsLast, _) => {
                return Err(Fault::runtime(
                    "required rank 4 tensor to use channels_last format",
                ));
            }
            (MemoryFormat::ChannelsLast3d, _) => {
                return Err(Fault::runtime(
                    "required rank 5 tensor to use channels_last_3d format",
                ));
            }
        };
        let mut layout = Layout::contiguous(sizes);
        let mut step = 1usize;
        for &d in order.iter().rev() {
            layout.strides[d] = step;
            step = step.saturating_mul(sizes[d].max(1));
        }
        Ok(layout)
    }

    /// Any sizes, strides and offset of equal rank; whether they fit a storage is for [`crate::Tensor::view_of`] to check.
    pub fn strided(sizes: &[usize], strides: &[usize], offset: usize) -> Layout {
        assert_eq!(
            sizes.len(),
            strides.len(),
            "a layout has one stride per size"
        );
        Layout {
            sizes: Dims::from_slice_copy(sizes),
            strides: Dims::from_slice_copy(strides),
            offset,
        }
    }

    /// Sizes per dimension.
    #[inline]
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// Strides per dimension, in elements.
    #[inline]
    pub fn strides(&self) -> &[usize] {
        &self.strides
    }

    /// Index of the first element in the storage.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Number of dimensions.
    #[inline]
    pub fn rank(&self) -> usize {
        self.sizes.len()
    }

    /// Number of elements; the largest number where the sizes belong to no tensor.
    #[inline]
    pub fn numel(&self) -> usize {
        if self.sizes.contains(&0) {
            return 0;
        }
        self.sizes.iter().fold(1, |n, size| n.saturating_mul(*size))
    }

    /// The number of elements and the end of the last one in bytes, after checking that these, and any step on the way
    /// from element to element, fit an address space.
    pub(crate) fn extent(&self, item: usize) -> Result<(usize, usize)> {
        let numel = checked_numel(&self.sizes)?;
        // How far a walk gets that steps once beyond the last element in every dimension.
        let mut reach = self.offset;
        let mut last = self.offset;
        for (&size, &stride) in self.sizes.iter().zip(&self.strides) {
            let beyond = size.max(1).checked_mul(stride);
            reach = match beyond.and_then(|beyond| reach.checked_add(beyond)) {
                Some(reach) if reach <= MOST_ELEMENTS => reach,
                _ => return Err(self.too_large()),
            };
            last += size.saturating_sub(1) * stride;
        }
        if reach > MOST_ELEMENTS {
            return Err(self.too_large());
        }
        Ok((numel, if numel == 0 { 0 } else { (last + 1) * item }))
    }

    #[cold]
    fn too_large(&self) -> Fault {
        Fault::runtime(format!(
            "Storage size calculation overflowed with sizes={} and strides={}",
            list(&self.sizes),
            list(&self.strides)
        ))
    }

    /// Whether the elements lie in row-major order without gaps (dimensions of size 1 do not matter).
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        let mut step = 1usize;
        for d in (0..self.sizes.len()).rev() {
            let size = self.sizes[d];
            if size == 0 {
                return true;
            }
            if size != 1 {
                if self.strides[d] != step {
                    return self.sizes.contains(&0);
                }
                step = step.saturating_mul(size);
            }
        }
        true
    }

    /// Whether the layout is dense in the given memory format.
    pub fn is_contiguous_in(&self, format: MemoryFormat) -> bool {
        let order: &[usize] = match (format, self.rank()) {
            (MemoryFormat::Contiguous | MemoryFormat::Preserve, _) => return self.is_contiguous(),
            (MemoryFormat::ChannelsLast, 4) => &[0, 2, 3, 1],
            (MemoryFormat::ChannelsLast3d, 5) => &[0, 2, 3, 4, 1],
            _ => return false,
        };
        let mut step = 1usize;
        for &d in order.iter().rev() {
            if self.sizes[d] != 1 {
                if self.strides[d] != step {
                    return false;
                }
                step = step.saturating_mul(self.sizes[d]);
            }
        }
        true
    }

    /// Whether the strides order the dimensions as channels-last formats do (gaps and broadcasts excluded).
    pub fn suggested_format(&self) -> MemoryFormat {
        if self.is_contiguous() {
            return MemoryFormat::Contiguous;
        }
        // The batch's stride counts also where there is one sample: shorter than a sample it is of another order.
        let last = [MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d];
        let is_like = |format: &MemoryFormat| {
            let sample = || self.sizes[1..].iter().product::<usize>();
            self.is_contiguous_in(*format) && self.strides[0] >= sample()
        };
        let format = last.into_iter().find(is_like);
        format.unwrap_or(MemoryFormat::Contiguous)
    }

    /// The dimensions by falling stride: the order of loops that walk through memory.
    pub fn by_falling_stride(&self) -> Dims {
        let mut order: Dims = (0..self.rank()).collect();
        sort_few(&mut order, |d| std::cmp::Reverse(self.strides[*d]));
        order
    }

    /// Whether every element has its own place and there are no gaps, in whatever order of dimensions.
    pub fn is_non_overlapping_and_dense(&self) -> bool {
        let mut order: SmallVec<[usize; 5]> =
            (0..self.rank()).filter(|&d| self.sizes[d] != 1).collect();
        sort_few(&mut order, |d| self.strides[*d]);
        let mut step = 1usize;
        for d in order {
            if self.sizes[d] == 0 {
                return true;
            }
            if self.strides[d] != step {
                return false;
            }
            step = step.saturating_mul(self.sizes[d]);
        }
        true
    }

    /// Whether two indices may name the same element (an expanded or hand-strided layout).
    pub fn may_overlap(&self) -> bool {
        let mut order: SmallVec<[usize; 5]> =
            (0..self.rank()).filter(|&d| self.sizes[d] > 1).collect();
        sort_few(&mut order, |d| self.strides[*d]);
        let mut reach = 0usize;
        for d in order {
            if self.strides[d] <= reach {
                return true;
            }
            reach = reach.saturating_add(self.strides[d].saturating_mul(self.sizes[d] - 1));
        }
        false
    }

    /// One past the highest element index that the layout touches, 0 for empty ones; `None` on overflow.
    pub fn end(&self) -> Option<usize> {
        if self.sizes.contains(&0) {
            return Some(0);
        }
        let mut last = self.offset;
        for (&size, &stride) in self.sizes.iter().zip(&self.strides) {
            last = last.checked_add((size - 1).checked_mul(stride)?)?;
        }
        last.checked_add(1)
    }

    /// The layout of a dense result that keeps this layout's order of dimensions where it is dense, else row-major:
    /// what `empty_like` and pointwise results use.
    pub fn like(&self, sizes: &[usize]) -> Layout {
        // Of a row-major layout only dimensions of one element or none can differ from a new one.
        let keeps = match self.is_contiguous() {
            true => self.sizes.iter().any(|size| *size < 2),
            false => self.is_non_overlapping_and_dense(),
        };
        if keeps && sizes == self.sizes() {
            return Layout {
                sizes: self.sizes.clone(),
                strides: self.strides.clone(),
                offset: 0,
            };
        }
        Layout::contiguous(sizes)
    }

    /// The same elements from another offset.
    pub fn at_offset(&self, offset: usize) -> Layout {
        Layout {
            offset,
            ..self.clone()
        }
    }

    /// Exchanges two dimensions.
    pub fn transpose(&self, a: usize, b: usize) -> Layout {
        let mut out = self.clone();
        out.sizes.swap(a, b);
        out.strides.swap(a, b);
        out
    }

    /// Reorders the dimensions: result dimension `i` is dimension `order[i]`.
    pub fn permute(&self, order: &[usize]) -> Layout {
        Layout {
            sizes: order.iter().map(|&d| self.sizes[d]).collect(),
            strides: order.iter().map(|&d| self.strides[d]).collect(),
            offset: self.offset,
        }
    }

    /// Every `step`-th index of `start..end` along `dim`; the caller has clamped the bounds.
    pub fn slice(&self, dim: usize, start: usize, end: usize, step: usize) -> Layout {
        let mut out = self.clone();
        let end = end.max(start);
        out.sizes[dim] = (end - start).div_ceil(step);
        out.offset += start * self.strides[dim];
        out.strides[dim] *= step;
        out
    }

    /// Index `index` along `dim`, which disappears.
    pub fn select(&self, dim: usize, index: usize) -> Layout {
        let mut out = self.clone();
        out.offset += index * self.strides[dim];
        out.sizes.remove(dim);
        out.strides.remove(dim);
        out
    }

    /// Inserts a dimension of size 1 before `dim`.
    pub fn unsqueeze(&self, dim: usize) -> Layout {
        let mut out = self.clone();
        let stride = if dim < self.rank() {
            self.sizes[dim] * self.strides[dim]
        } else {
            1
        };
        out.sizes.insert(dim, 1);
        out.strides.insert(dim, stride);
        out
    }

    /// Drops the dimensions for which `drop` says so; they must have size 1.
    pub fn squeeze(&self, drop: impl Fn(usize) -> bool) -> Layout {
        let keep: SmallVec<[usize; 5]> = (0..self.rank())
            .filter(|&d| !(self.sizes[d] == 1 && drop(d)))
            .collect();
        self.permute(&keep)
    }

    /// Broadcasts to `sizes` (aligned at the last dimension); `None` where that is impossible.
    pub fn expand(&self, sizes: &[usize]) -> Option<Layout> {
        let lead = sizes.len().checked_sub(self.rank())?;
        let mut strides: Dims = smallvec::smallvec![0; sizes.len()];
        for d in 0..self.rank() {
            if self.sizes[d] == sizes[lead + d] {
                strides[lead + d] = self.strides[d];
            } else if self.sizes[d] != 1 {
                return None;
            }
        }
        // New dimensions of one element go on from the ones behind them.
        let new = if self.rank() == 0 { 0 } else { lead };
        for d in (0..new).rev().filter(|d| sizes[*d] == 1) {
            strides[d] = sizes[d + 1].saturating_mul(strides[d + 1]);
        }
        Some(Layout {
            sizes: Dims::from_slice_copy(sizes),
            strides,
            offset: self.offset,
        })
    }

    /// The layout of a view with other sizes of the same element count; `None` where it needs a copy.
    pub fn view(&self, sizes: &[usize]) -> Option<Layout> {
        if self.is_contiguous() {
            return Some(Layout {
                offset: self.offset,
                ..Layout::contiguous(sizes)
            });
        }
        let numel = self.numel();
        if numel == 0 {
            return (sizes == self.sizes()).then(|| self.clone()).or_else(|| {
                Some(Layout {
                    offset: self.offset,
                    ..Layout::contiguous(sizes)
                })
            });
        }
        // Walk both shapes from the last dimension, matching runs of old dimensions that are contiguous in
        // themselves ("chunks") with runs of new dimensions of the same element count.
        let mut strides: Dims = smallvec::smallvec![0; sizes.len()];
        let mut new_d = sizes.len() as isize - 1;
        let mut chunk_stride = *self.strides.last()?;
        let (mut old_count, mut new_count) = (1usize, 1usize);
        for d in (0..self.rank()).rev() {
            old_count *= self.sizes[d];
            let chunk_ends = d == 0
                || (self.sizes[d - 1] != 1 && self.strides[d - 1] != old_count * chunk_stride);
            if chunk_ends {
                while new_d >= 0 && (new_count < old_count || sizes[new_d as usize] == 1) {
                    strides[new_d as usize] = new_count * chunk_stride;
                    new_count *= sizes[new_d as usize];
                    new_d -= 1;
                }
                if new_count != old_count {
                    return None;
                }
                if d > 0 {
                    chunk_stride = self.strides[d - 1];
                    old_count = 1;
                    new_count = 1;
                }
            }
        }
        (new_d < 0).then(|| Layout {
            sizes: Dims::from_slice_copy(sizes),
            strides,
            offset: self.offset,
        })
    }
}

/// `SmallVec::from_slice` under one name for the crate.
trait FromSliceCopy {
    fn from_slice_copy(values: &[usize]) -> Self;
}
impl FromSliceCopy for Dims {
    #[inline]
    fn from_slice_copy(values: &[usize]) -> Dims {
        Dims::from_slice(values)
    }
}

/// The broadcast of two shapes, or `None`.
pub fn broadcast(a: &[usize], b: &[usize]) -> Option<Dims> {
    let rank = a.len().max(b.len());
    let mut out: Dims = smallvec::smallvec![1; rank];
    for i in 0..rank {
        let x = if i + a.len() >= rank {
            a[i + a.len() - rank]
        } else {
            1
        };
        let y = if i + b.len() >= rank {
            b[i + b.len() - rank]
        } else {
            1
        };
        out[i] = match (x, y) {
            (x, y) if x == y => x,
            (1, y) => y,
            (x, 1) => x,
            _ => return None,
        };
    }
    Some(out)
}

/// The broadcast of two shapes, or the reference's message.
pub fn broadcast_or_fault(a: &[usize], b: &[usize]) -> Result<Dims> {
    broadcast(a, b).ok_or_else(|| {
        let rank = a.len().max(b.len());
        let at = |s: &[usize], i: usize| if i + s.len() >= rank { s[i + s.len() - rank] } else { 1 };
        let d = (0..rank)
            .rev()
            .find(|&i| at(a, i) != at(b, i) && at(a, i) != 1 && at(b, i) != 1)
            .unwrap_or(0);
        Fault::runtime(format!(
            "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {d}",
            at(a, d),
            at(b, d)
        ))
    })
}
