//! Single elements of plain tensors: what `x[i, j]` reads and writes where no tensor need be made of it.

use crate::tensor::Memory;
use crate::{Bool8, Buffer, DType, Element, Tensor};

/// One element of the dtypes that programs compute single elements with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Single {
    F32(f32),
    F64(f64),
    I64(i64),
    Bool(bool),
}

impl Single {
    /// A tensor without dimensions that holds the element.
    pub fn into_tensor(self) -> Tensor {
        fn make<T: Element>(value: T) -> Tensor {
            Buffer::copy_of(&[value]).into_tensor(&[])
        }
        match self {
            Single::F32(x) => make(x),
            Single::F64(x) => make(x),
            Single::I64(x) => make(x),
            Single::Bool(x) => make(Bool8::from(x)),
        }
    }
}

/// A tensor whose elements are read and written one at a time, by their places from the first one.
pub struct Singles<'a> {
    tensor: &'a Tensor,
    dtype: DType,
    first: *mut u8,
    /// How many places there are from the first one.
    span: usize,
    memory: Memory<'a>,
}

impl Tensor {
    /// The tensor for access to single elements; `None` where they are no plain ones of the dtypes of [`Single`].
    #[inline]
    pub fn singles(&self) -> Option<Singles<'_>> {
        let memory = self.memory();
        let dtype = memory.dtype();
        let is_known = matches!(dtype, DType::F32 | DType::F64 | DType::I64 | DType::Bool);
        (is_known && memory.marks().is_none()).then(|| Singles {
            tensor: self,
            dtype,
            first: memory.first(),
            span: memory.span(),
            memory,
        })
    }
}

impl Singles<'_> {
    /// The tensor itself.
    pub fn tensor(&self) -> &Tensor {
        self.tensor
    }

    /// The dtype: one of those of [`Single`].
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The address of a place. Panics outside the memory that the layout reaches.
    #[inline]
    fn address<T: Element>(&self, place: usize) -> *mut T {
        assert!(place < self.span, "place outside the tensor");
        self.first.cast::<T>().wrapping_add(place)
    }

    #[inline]
    fn read<T: Element>(&self, place: usize) -> T {
        // SAFETY: the place is one of the elements that the layout reaches, of this dtype, whose bytes are initialised, and
        // `memory` keeps them.
        unsafe { self.address::<T>(place).read() }
    }

    #[inline]
    fn write<T: Element>(&self, place: usize, value: T) {
        // SAFETY: as in `read`; elements that others read meanwhile are theirs to guard, as for all writes in place.
        unsafe { self.address::<T>(place).write(value) }
    }

    /// The element at a place. Panics outside the memory that the layout reaches.
    #[inline]
    pub fn get(&self, place: usize) -> Single {
        match self.dtype {
            DType::F32 => Single::F32(self.read(place)),
            DType::F64 => Single::F64(self.read(place)),
            DType::I64 => Single::I64(self.read(place)),
            // No other dtype gets here.
            _ => Single::Bool(self.read::<Bool8>(place).get()),
        }
    }

    /// Writes the element at a place, counted as a write in place; `false`, and nothing done, where it is of another dtype
    /// or the memory may not be written to. Panics outside the memory that the layout reaches.
    #[inline]
    pub fn set(&self, place: usize, value: Single) -> bool {
        if !self.memory.may_be_written() {
            return false;
        }
        match (self.dtype, value) {
            (DType::F32, Single::F32(x)) => self.write(place, x),
            (DType::F64, Single::F64(x)) => self.write(place, x),
            (DType::I64, Single::I64(x)) => self.write(place, x),
            (DType::Bool, Single::Bool(x)) => self.write(place, Bool8::from(x)),
            _ => return false,
        }
        self.memory.count_write();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_counted_and_keep_the_dtype() {
        let t = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], &[2, 2]).unwrap();
        let part = t.select(0, 1).unwrap();
        let singles = part.singles().unwrap();
        assert_eq!(singles.get(0), Single::F32(3.0));
        let before = t.version();
        assert!(singles.set(1, Single::F32(9.0)));
        assert!(!singles.set(0, Single::I64(9)));
        assert_eq!(t.version(), before + 1);
        assert_eq!(t.to_vec::<f32>(), [1.0, 2.0, 3.0, 9.0]);
    }

    #[test]
    #[should_panic(expected = "outside")]
    fn places_outside_are_none() {
        let t = Tensor::from_slice(&[1i64, 2], &[2]).unwrap();
        t.singles().unwrap().get(2);
    }

    #[test]
    fn only_plain_elements_are_single_ones() {
        let bytes = Tensor::from_slice(&[1u8], &[1]).unwrap();
        assert!(bytes.singles().is_none());
        let t = Tensor::from_slice(&[1.0f32], &[1]).unwrap();
        assert!(t.marked(crate::Marks::NEGATED).singles().is_none());
        let made = Single::Bool(true).into_tensor();
        assert_eq!((made.dtype(), made.rank()), (DType::Bool, 0));
    }
}
