//! Values that are written where they stay.
//!
//! Machine code and compilers write a value in pieces: the byte that tells the variants apart, then its content. A processor
//! that is asked for all sixteen bytes at once soon afterwards waits until the pieces have gone through its store buffer,
//! which takes longer than everything else about a small tuple. So what is made of values is made in place, and what moves
//! goes by its pieces.

use super::{GenericList, Short, Str, Tuple, Value};
use crate::{TupleType, Type};
use rushlight_tensor::memory;
use smallvec::SmallVec;
use std::mem;
use std::sync::Arc;

impl Value {
    /// Writes a value over what is here, which is dropped before.
    #[inline(always)]
    pub fn put(&mut self, value: impl FnOnce() -> Value) {
        *self = Value::None;
        // There is nothing to drop any more, which the compiler would not know.
        mem::forget(mem::replace(self, value()));
    }

    /// Moves this over another value and leaves `None` here.
    #[inline]
    pub fn take_to(&mut self, to: &mut Value) {
        match self {
            Value::None => *to = Value::None,
            Value::Int(i) => {
                let i = *i;
                *self = Value::None;
                to.put(|| Value::Int(i));
            }
            Value::Float(f) => {
                let f = *f;
                *self = Value::None;
                to.put(|| Value::Float(f));
            }
            Value::Bool(b) => {
                let b = *b;
                *self = Value::None;
                to.put(|| Value::Bool(b));
            }
            Value::Str(_) | Value::Device(_) => *to = mem::take(self),
            // Where an address is shorter, it lies beside the byte in the first word.
            _ if cfg!(not(target_pointer_width = "64")) => *to = mem::take(self),
            _ => {
                *to = Value::None;
                // SAFETY: a value is two words, of which the first is, for all variants that are left, the byte that tells them
                // apart and nothing; both words go, and `None`, which is that byte alone, is written over what was moved.
                unsafe {
                    let (from, to) = (std::ptr::from_mut(self), std::ptr::from_mut(to));
                    let tag = from.cast::<u8>().read();
                    let word = from.cast::<mem::MaybeUninit<u64>>().add(1).read();
                    to.cast::<u64>().write_unaligned(u64::from(tag).to_le());
                    to.cast::<mem::MaybeUninit<u64>>().add(1).write(word);
                    from.write(Value::None);
                }
            }
        }
    }
}

/// The first byte of a value that is a string; the string itself is behind it.
const TEXT: u8 = {
    // SAFETY: the empty string is fifteen bytes, so that all bytes of the value are initialised.
    let bytes: [u8; 16] = unsafe { mem::transmute(Value::Str(Str::EMPTY)) };
    let mut i = 1;
    while i < bytes.len() {
        assert!(bytes[i] == 0, "a string is what is behind the first byte");
        i += 1;
    }
    bytes[0]
};

impl Value {
    /// Writes a string over what is here, which is dropped before.
    #[inline]
    pub fn put_text(&mut self, bytes: &[u8]) {
        match Short::of(bytes) {
            Some(short) => self.put_short(short),
            None => *self = Value::Str(bytes.into()),
        }
    }

    /// Writes a short string over what is here, which is dropped before.
    #[inline(always)]
    pub fn put_short(&mut self, short: Short) {
        *self = Value::None;
        let bits = short.0 << 8 | u128::from(TEXT);
        let words = [bits as u64, (bits >> 64) as u64];
        // SAFETY: these are the bytes of a string: the one that says so, the head, the bytes; nothing here wants to be dropped.
        unsafe {
            let to = std::ptr::from_mut(self).cast::<u64>();
            to.write(words[0].to_le());
            to.add(1).write(words[1].to_le());
        }
    }
}

impl Tuple {
    /// A tuple of so many items, which `fill` writes one after the other over `None`.
    #[inline]
    pub fn build(
        len: usize,
        ty: Option<Arc<TupleType>>,
        mut fill: impl FnMut(usize, &mut Value),
    ) -> Arc<Tuple> {
        let made = Arc::<Tuple>::new_uninit();
        let tuple = Arc::as_ptr(&made).cast::<Tuple>().cast_mut();
        // SAFETY: nobody else has the new block. Both fields are written before it counts as a tuple, room for the items comes
        // before any of them, and they are values before they are counted or anything else is called.
        unsafe {
            (&raw mut (*tuple).ty).write(ty);
            (&raw mut (*tuple).items).write(SmallVec::new());
            let made = made.assume_init();
            let items = &mut (*tuple).items;
            if len > items.inline_size() {
                items.reserve_exact(len);
            }
            let first = items.as_mut_ptr();
            for i in 0..len {
                first.add(i).write(Value::None);
            }
            items.set_len(len);
            for (i, item) in items.iter_mut().enumerate() {
                fill(i, item);
            }
            made
        }
    }
}

impl GenericList {
    /// A list of so many items, which `fill` writes one after the other over `None`.
    #[inline]
    pub fn build(
        element: Type,
        len: usize,
        mut fill: impl FnMut(usize, &mut Value),
    ) -> Arc<GenericList> {
        let mut items = memory::with_capacity(len);
        items.resize_with(len, Value::default);
        for (i, item) in items.iter_mut().enumerate() {
            fill(i, item);
        }
        Arc::new(GenericList::new(element, items))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rushlight_tensor::{DType, Tensor};

    fn some() -> Vec<Value> {
        vec![
            Value::None,
            Value::Bool(true),
            Value::Int(-7),
            Value::Float(2.5),
            Value::str("short"),
            Value::str("a string that is too long to lie in a value"),
            Value::Tensor(Tensor::zeros(&[2], DType::F32).unwrap()),
            Value::IntList(vec![1, 2].into()),
            Value::tuple(vec![Value::Int(1)]),
            Value::Uninitialized,
        ]
    }

    #[test]
    fn values_move_and_leave_none() {
        for (mut from, same) in some().into_iter().zip(some()) {
            for mut to in some() {
                let before = mem::discriminant(&from);
                from.take_to(&mut to);
                assert!(from.is_none());
                assert!(mem::discriminant(&to) == before);
                assert_eq!(to.type_of().to_string(), same.type_of().to_string());
                to.take_to(&mut from);
            }
        }
    }

    #[test]
    fn strings_are_written_in_place() {
        let mut to = Value::tuple(vec![Value::Int(1)]);
        for len in [0, 1, 7, 8, 14, 15, 40] {
            for byte in [b'x', 0xff] {
                let bytes = vec![byte; len];
                to.put_text(&bytes);
                assert_eq!(to, Value::Str(bytes.as_slice().into()));
            }
        }
    }

    #[test]
    fn tuples_and_lists_are_built_of_any_length() {
        for len in 0..9 {
            let tuple = Tuple::build(len, None, |i, to| to.put(|| Value::Int(i as i64)));
            assert_eq!(tuple.items.len(), len);
            assert!((0..len).all(|i| tuple.items[i] == Value::Int(i as i64)));
            let list =
                GenericList::build(Type::Str, len, |i, to| to.put(|| Value::str(i.to_string())));
            assert_eq!(list.items.lock().len(), len);
            let text = Tuple::build(len, None, |_, to| to.put(|| Value::str("x".repeat(40))));
            assert_eq!(text.items.len(), len);
        }
    }
}
