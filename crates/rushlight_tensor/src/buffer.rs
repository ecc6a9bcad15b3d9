//! The elements of a tensor under construction: exclusively owned, so kernels fill it as a plain `&mut [T]`.

use crate::layout::checked_numel;
use crate::memory::{self, bytes_of};
use crate::{Dims, Element, Layout, Storage, Tensor};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// A contiguous block of elements that becomes a [`Tensor`] when it is filled.
pub struct Buffer<T: Element> {
    storage: Storage,
    len: usize,
    marker: PhantomData<T>,
}

impl<T: Element> Buffer<T> {
    /// `len` elements of unspecified (initialised) content: for kernels that write every element.
    pub fn unspecified(len: usize) -> Buffer<T> {
        Buffer {
            storage: Storage::unspecified(bytes_of(len, size_of::<T>())),
            len,
            marker: PhantomData,
        }
    }

    /// `len` zeros.
    pub fn zeroed(len: usize) -> Buffer<T> {
        Buffer {
            storage: Storage::zeroed(bytes_of(len, size_of::<T>())),
            len,
            marker: PhantomData,
        }
    }

    /// `len` copies of `value`.
    pub fn filled(len: usize, value: T) -> Buffer<T> {
        let mut out = Buffer::unspecified(len);
        out.fill(value);
        out
    }

    /// A copy of `values`.
    pub fn copy_of(values: &[T]) -> Buffer<T> {
        let mut out = Buffer::unspecified(values.len());
        out.copy_from_slice(values);
        out
    }

    /// The row-major tensor of these elements. Panics unless the sizes multiply to the length.
    pub fn into_tensor(self, sizes: &[usize]) -> Tensor {
        row_major(self.storage, self.len, T::DTYPE, sizes)
    }

    /// The row-major tensor of elements whose bytes these are.
    pub fn into_elements(self, dtype: crate::DType, sizes: &[usize]) -> crate::Result<Tensor> {
        Tensor::view_of(&self.storage, dtype, Layout::contiguous(sizes))
    }

    /// The tensor of these elements in another dense order. Panics if the layout reaches outside.
    pub fn into_tensor_with(self, layout: Layout) -> Tensor {
        assert!(
            layout.end().is_some_and(|end| end <= self.len),
            "layout reaches outside the buffer"
        );
        Tensor::from_parts(self.storage, T::DTYPE, layout)
    }

    /// The tensor with one dimension.
    pub fn into_vector(self) -> Tensor {
        let sizes: Dims = smallvec::smallvec![self.len];
        self.into_tensor(&sizes)
    }
}

impl Buffer<u8> {
    /// The row-major tensor of `len` elements whose bytes these are. Panics unless the sizes multiply to that.
    pub(crate) fn into_row_major(self, len: usize, dtype: crate::DType, sizes: &[usize]) -> Tensor {
        row_major(self.storage, len, dtype, sizes)
    }
}

/// The row-major tensor of `len` elements.
#[inline]
fn row_major(storage: Storage, len: usize, dtype: crate::DType, sizes: &[usize]) -> Tensor {
    if let Some((layout, numel)) = Layout::small(sizes)
        && numel == len
    {
        return Tensor::row_major(storage, dtype, layout, numel);
    }
    let numel = checked_numel(sizes).unwrap_or_else(|fault| memory::give_up(fault));
    assert_eq!(numel, len, "sizes do not match the buffer");
    Tensor::from_parts(storage, dtype, Layout::contiguous(sizes))
}

impl<T: Element> Deref for Buffer<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: the storage holds `len` initialised elements, aligned to 64 bytes, and is owned by this buffer alone.
        unsafe { std::slice::from_raw_parts(self.storage.as_ptr().cast::<T>(), self.len) }
    }
}

impl<T: Element> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`, and `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.storage.as_ptr().cast::<T>(), self.len) }
    }
}

impl<T: Element> FromIterator<T> for Buffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Buffer<T> {
        let values = memory::collect(values);
        Buffer::copy_of(&values)
    }
}
