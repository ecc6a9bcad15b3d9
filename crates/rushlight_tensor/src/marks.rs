//! Marks of tensors whose elements are read conjugated or negated: `conj()` touches no element.
//!
//! A marked tensor lies in the memory of another one. Whoever reads elements through [`Tensor::data`], a copy or a
//! conversion gets them as they are meant, and a write through [`Tensor::copy_from`] stores what reads back as it was
//! written. Kernels that go to memory by themselves are handed copies without marks (see `rushlight_types::lazy`).

use crate::{
    Complex16, Complex32, Complex64, DType, Element, Fault, Layout, Number, Result, Storage,
    Tensor, bf16, f16, kinds,
};
use std::any::Any;
use std::sync::Arc;

/// How elements are read: any of the first two. The third says that there are none to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marks(u8);

impl Marks {
    /// As they lie in memory.
    pub const NONE: Marks = Marks(0);
    /// Conjugated.
    pub const CONJUGATED: Marks = Marks(1);
    /// Negated.
    pub const NEGATED: Marks = Marks(2);
    /// The tensor lives on the `meta` device: it has sizes and a dtype, no elements.
    pub const META: Marks = Marks(4);

    /// Whether elements are as they lie in memory.
    #[inline]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether all marks of `other` are among these.
    #[inline]
    pub fn has(self, other: Marks) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both one after the other: two of a kind undo each other.
    #[inline]
    pub fn and(self, other: Marks) -> Marks {
        Marks(self.0 ^ other.0)
    }

    /// Without those of `other`.
    pub fn without(self, other: Marks) -> Marks {
        Marks(self.0 & !other.0)
    }
}

/// Changes a run of elements in memory by marks.
pub(crate) type Change = unsafe fn(*mut u8, usize, usize);

/// # Safety
/// `to` must be valid for `count` elements, `stride` elements apart.
unsafe fn change<T: Element>(to: *mut u8, count: usize, stride: usize, f: impl Fn(T) -> T) {
    let to = to.cast::<T>();
    for i in 0..count {
        // SAFETY: the caller vouches for every element of the run.
        unsafe {
            let element = to.add(i.wrapping_mul(stride));
            element.write(f(element.read()));
        }
    }
}

macro_rules! changes {
    ($marks:expr, $d:expr; $($v:ident $t:ty: $conj:expr, $neg:expr;)*) => {
        match $d {
            $(DType::$v => {
                let (conj, neg): (fn($t) -> $t, fn($t) -> $t) = ($conj, $neg);
                let _ = (conj, neg);
                unsafe fn conjugate(to: *mut u8, count: usize, stride: usize) {
                    // SAFETY: as for [`change`].
                    unsafe { change::<$t>(to, count, stride, $conj) }
                }
                unsafe fn negate(to: *mut u8, count: usize, stride: usize) {
                    // SAFETY: as for [`change`].
                    unsafe { change::<$t>(to, count, stride, $neg) }
                }
                unsafe fn both(to: *mut u8, count: usize, stride: usize) {
                    // SAFETY: as for [`change`].
                    unsafe { change::<$t>(to, count, stride, |v| $conj($neg(v))) }
                }
                match $marks {
                    Marks::NONE => None,
                    Marks::CONJUGATED => Some(conjugate as Change),
                    Marks::NEGATED => Some(negate as Change),
                    _ => Some(both as Change),
                }
            })*
            _ => None,
        }
    };
}

/// What marks do to elements of a dtype; `None` where that is nothing.
pub(crate) fn change_of(marks: Marks, dtype: DType) -> Option<Change> {
    let marks = marks.without(Marks::META);
    let marks = match dtype.is_complex() {
        true => marks,
        false => marks.without(Marks::CONJUGATED),
    };
    changes!(marks, dtype;
        U8 u8: |v: u8| v, |v: u8| Number::neg(v);
        I8 i8: |v: i8| v, |v: i8| Number::neg(v);
        I16 i16: |v: i16| v, |v: i16| Number::neg(v);
        I32 i32: |v: i32| v, |v: i32| Number::neg(v);
        I64 i64: |v: i64| v, |v: i64| Number::neg(v);
        F16 f16: |v: f16| v, |v: f16| -v;
        BF16 bf16: |v: bf16| v, |v: bf16| -v;
        F32 f32: |v: f32| v, |v: f32| -v;
        F64 f64: |v: f64| v, |v: f64| -v;
        C32 Complex16: |v: Complex16| Complex16::new(v.re, -v.im), |v: Complex16| Complex16::new(-v.re, -v.im);
        C64 Complex32: |v: Complex32| v.conj(), |v: Complex32| -v;
        C128 Complex64: |v: Complex64| v.conj(), |v: Complex64| -v;
    )
}

impl Tensor {
    /// Whether elements are read conjugated.
    pub fn is_conjugated(&self) -> bool {
        self.marks().has(Marks::CONJUGATED)
    }

    /// Whether elements are read negated.
    pub fn is_negated(&self) -> bool {
        self.marks().has(Marks::NEGATED)
    }

    /// Whether the tensor has no elements to read, only sizes and a dtype.
    pub fn is_meta(&self) -> bool {
        self.marks().has(Marks::META)
    }

    /// A tensor of the same kind on the `meta` device. Views of it are there too.
    pub fn to_meta(&self) -> Result<Tensor> {
        if self.is_meta() {
            return Ok(self.clone());
        }
        let layout = match self.layout().is_non_overlapping_and_dense() {
            true => self.layout().at_offset(0),
            false => self.layout().like(self.sizes()),
        };
        let meta = Tensor::meta(&layout, self.dtype())?;
        Ok(match self.quantizer() {
            Some(quantizer) => meta.as_quantized(quantizer).unwrap_or(meta),
            None => meta,
        })
    }

    /// A tensor on the `meta` device.
    pub fn meta(layout: &Layout, dtype: DType) -> Result<Tensor> {
        let overflow = || Fault::runtime("Storage size calculation overflowed");
        let elements = layout.end().ok_or_else(overflow)?;
        let bytes = elements.checked_mul(dtype.size()).ok_or_else(overflow)?;
        let plain = Tensor::view_of(&Storage::absent(bytes)?, dtype, layout.clone())?;
        Ok(plain.marked(Marks::META))
    }

    /// A tensor whose elements somebody outside keeps, `what` being what they are known by: nobody reads them here, and calls
    /// with one among their arguments are made there.
    pub fn kept_outside(
        layout: &Layout,
        dtype: DType,
        what: Arc<dyn Any + Send + Sync>,
    ) -> Result<Tensor> {
        kinds::note_kept();
        let bytes = layout.end().and_then(|end| end.checked_mul(dtype.size()));
        let overflow = || Fault::runtime("Storage size calculation overflowed");
        let storage = Storage::kept(bytes.ok_or_else(overflow)?, what)?;
        let plain = Tensor::view_of(&storage, dtype, layout.clone())?;
        Ok(plain.marked(Marks::META))
    }

    /// What the elements are known by, where somebody outside keeps them.
    #[inline]
    pub fn kept(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        match kinds::seen().kept() && self.is_meta() {
            true => self.storage().keeper().cloned(),
            false => None,
        }
    }

    /// The tensor on the CPU that lies where this one on the `meta` device does: its elements are zeros, to be read alone.
    pub fn off_meta(&self) -> Tensor {
        match self.is_meta() {
            true => self.marked(Marks::META),
            false => self.clone(),
        }
    }

    /// The tensor itself, or a copy without the marks.
    pub fn resolved(&self) -> Tensor {
        if self.marks().is_none() {
            return self.clone();
        }
        self.deep_copy()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scalar;

    fn numbers() -> Tensor {
        Tensor::from_vec(
            vec![Complex32::new(1.0, 2.0), Complex32::new(3.0, -4.0)],
            &[2],
        )
        .unwrap()
    }

    #[test]
    fn marked_tensors_share_memory_and_read_otherwise() {
        let plain = numbers();
        let conjugated = plain.marked(Marks::CONJUGATED);
        assert!(conjugated.shares_storage(&plain) && conjugated.is_conjugated());
        assert_eq!(conjugated.data::<Complex32>()[1], Complex32::new(3.0, 4.0));
        assert_eq!(
            conjugated.to_vec::<Complex64>()[0],
            Complex64::new(1.0, -2.0)
        );
        let negated = conjugated.marked(Marks::NEGATED);
        assert_eq!(negated.to_vec::<Complex32>()[0], Complex32::new(-1.0, 2.0));
        assert!(!conjugated.marked(Marks::CONJUGATED).is_conjugated());
        assert!(
            !conjugated.resolved().is_conjugated() && !conjugated.resolved().shares_storage(&plain)
        );
        let part = conjugated.narrow(0, 1, 1).unwrap();
        assert_eq!(
            part.item().unwrap(),
            Scalar::Complex(Complex64::new(3.0, 4.0))
        );
        assert_eq!(
            conjugated.to_dtype(DType::C128).data::<Complex64>()[1].im,
            4.0
        );
    }

    #[test]
    fn writes_read_back() {
        let plain = numbers();
        let conjugated = plain.marked(Marks::CONJUGATED);
        conjugated.copy_from(&numbers()).unwrap();
        assert_eq!(plain.data::<Complex32>()[0], Complex32::new(1.0, -2.0));
        assert_eq!(conjugated.data::<Complex32>()[0], Complex32::new(1.0, 2.0));
        plain.copy_from(&conjugated).unwrap();
        assert_eq!(plain.data::<Complex32>()[0], Complex32::new(1.0, 2.0));
        let real = Tensor::from_vec(vec![1i64, -5], &[2]).unwrap();
        let negated = real.marked(Marks::NEGATED);
        negated.fill(Scalar::Int(7)).unwrap();
        assert_eq!(real.to_vec::<i64>(), [-7, -7]);
        assert_eq!(negated.to_vec::<f32>(), [7.0, 7.0]);
    }
}
