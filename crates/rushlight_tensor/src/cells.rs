//! Elements in memory order: reading and writing single places of a tensor's memory, for kernels that compute where.
//!
//! Indices count elements from the tensor's first one and are checked against the last one that its layout reaches.

use crate::tensor::Memory;
use crate::{Element, Tensor};
use std::ops::Deref;

/// The memory of a tensor, for writing at computed places.
pub struct Cells<'a, T: Element> {
    first: *mut T,
    len: usize,
    /// Keeps the storage.
    _memory: Memory<'a>,
}

/// The memory of a tensor from its first element to the last one that its layout reaches.
pub struct Span<'a, T: Element> {
    first: *const T,
    len: usize,
    /// Keeps the storage.
    _memory: Memory<'a>,
}

impl<T: Element> Deref for Span<'_, T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: `len` elements from `first` lie within the storage, whose bytes are initialised and aligned.
        unsafe { std::slice::from_raw_parts(self.first, self.len) }
    }
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
    /// The memory from the first element to the last one that the layout reaches, in memory order. Panics when `T` is
    /// not the tensor's dtype.
    pub fn span<T: Element>(&self) -> Span<'_, T> {
        let memory = self.memory();
        Span {
            first: memory.first_of::<T>(),
            len: memory.span(),
            _memory: memory,
        }
    }

    /// The memory for writing, counted as a write in place. The caller must not hold slices of the same memory; copy
    /// what shares the storage first. Panics when `T` is not the tensor's dtype.
    pub fn cells<T: Element>(&self) -> Cells<'_, T> {
        self.bump_version();
        let memory = self.memory();
        Cells {
            first: memory.first_of::<T>(),
            len: memory.span(),
            _memory: memory,
        }
    }
}
