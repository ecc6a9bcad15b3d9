//! Elements in memory order: reading and writing single places of a tensor's memory, for kernels that compute where.
//!
//! Indices count elements from the tensor's first one and are checked against the last one that its layout reaches.

use crate::{Element, Tensor};
use std::marker::PhantomData;

/// The memory of a tensor, for writing at computed places.
pub struct Cells<'a, T: Element> {
    first: *mut T,
    len: usize,
    tensor: PhantomData<&'a Tensor>,
}

impl<T: Element> Cells<'_, T> {
    /// The element at `index`. Panics outside the tensor's memory.
    #[inline(always)]
    pub fn get(&self, index: usize) -> T {
        assert!(index < self.len, "place outside the tensor");
        // SAFETY: `len` elements from `first` lie within the storage, and `index` is one of them.
        unsafe { self.first.add(index).read() }
    }

    /// Writes the element at `index`. Panics outside the tensor's memory.
    #[inline(always)]
    pub fn set(&self, index: usize, value: T) {
        assert!(index < self.len, "place outside the tensor");
        // SAFETY: `len` elements from `first` lie within the storage, and `index` is one of them.
        unsafe { self.first.add(index).write(value) }
    }

    /// Writes a row of elements from `index` on. Panics outside the tensor's memory.
    #[inline]
    pub fn set_row(&self, index: usize, row: &[T]) {
        assert!(
            index <= self.len && row.len() <= self.len - index,
            "row outside the tensor"
        );
        // SAFETY: the row's places lie within the storage; `copy` allows the row to overlap them.
        unsafe { std::ptr::copy(row.as_ptr(), self.first.add(index), row.len()) }
    }
}

impl Tensor {
    /// One past the highest place that the layout reaches, counted from the first element.
    fn span_len(&self) -> usize {
        let layout = self.layout();
        layout
            .end()
            .map_or(0, |end| end.saturating_sub(layout.offset()))
    }

    /// The memory from the first element to the last one that the layout reaches, in memory order. Panics when `T` is
    /// not the tensor's dtype.
    pub fn span<T: Element>(&self) -> &[T] {
        let len = self.span_len();
        if len == 0 {
            return &[];
        }
        // SAFETY: the constructors have checked that the layout lies within the storage, whose bytes are initialised
        // and aligned; the borrow of `self` keeps the storage alive.
        unsafe { std::slice::from_raw_parts(self.as_ptr::<T>(), len) }
    }

    /// The memory for writing, counted as a write in place. The caller must not hold slices of the same memory; copy
    /// what shares the storage first. Panics when `T` is not the tensor's dtype.
    pub fn cells<T: Element>(&self) -> Cells<'_, T> {
        self.bump_version();
        Cells {
            first: self.as_ptr::<T>(),
            len: self.span_len(),
            tensor: PhantomData,
        }
    }
}
