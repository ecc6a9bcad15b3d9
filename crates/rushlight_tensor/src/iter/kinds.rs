//! What loops need to know of the types that they take and give.

use super::convert::{Load, Store, loader, storer};
use crate::{Bool8, Complex64, DType, Element, Fault, Result, Scalar};
use std::mem::MaybeUninit;

/// An element of any type that loops take, in memory of its own.
#[repr(align(16))]
pub(super) struct Slot(MaybeUninit<[u8; 16]>);

impl Slot {
    pub fn new() -> Slot {
        Slot(MaybeUninit::uninit())
    }
}

/// What loops need to know of a type they take or give.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub dtype: DType,
    pub size: usize,
    pub loader: fn(DType) -> Load,
    pub storer: fn(DType) -> Store,
    /// Makes an element of a number.
    pub element: fn(Scalar, &mut Slot) -> *mut u8,
}

impl Kind {
    pub const fn of<A: Element>() -> Kind {
        fn element<A: Element>(value: Scalar, slot: &mut Slot) -> *mut u8 {
            const { assert!(size_of::<A>() <= 16 && align_of::<A>() <= 16) };
            let slot = slot.0.as_mut_ptr().cast::<A>();
            // SAFETY: the slot has room for the element, aligned.
            unsafe { slot.write(A::from_scalar(value)) };
            slot.cast()
        }
        Kind {
            dtype: A::DTYPE,
            size: size_of::<A>(),
            loader: loader::<A>,
            storer: storer::<A>,
            element: element::<A>,
        }
    }

    /// The types of loops that run over any layouts and dtypes.
    pub fn known(dtype: DType) -> Result<Kind> {
        Ok(match dtype {
            DType::F32 => const { Kind::of::<f32>() },
            DType::F64 => const { Kind::of::<f64>() },
            DType::I64 => const { Kind::of::<i64>() },
            DType::U64 => const { Kind::of::<u64>() },
            DType::I32 => const { Kind::of::<i32>() },
            DType::U8 => const { Kind::of::<u8>() },
            DType::Bool => const { Kind::of::<Bool8>() },
            DType::C128 => const { Kind::of::<Complex64>() },
            other => {
                let name = other.class_name();
                return Err(Fault::internal(format!(
                    "a loop of {name} was not given whole tensors"
                )));
            }
        })
    }
}
