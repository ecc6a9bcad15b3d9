//! Where machine code finds things: in a value, behind the pointer of a list, in a vector.
//!
//! [`Value`] has a layout that Rust defines (`repr(u8)`). That of vectors, locks and reference counts is the same for all
//! of a type in one program but not defined, so it is looked up in samples, once; where something is not as machine code
//! can use it, there is no machine code.

use rushlight_types::guarded::Guarded;
use rushlight_types::{ClassType, List, Object, Str, Type, Value};
use std::sync::OnceLock;

/// Bytes of a value.
pub const VALUE: i32 = 16;
/// Where a bool is in its value.
pub const BOOL: i32 = 1;
/// Where the head of a string is, and its bytes behind it.
pub const HEAD: i32 = 1;
/// Where everything else is.
pub const WORD: i32 = 8;

/// What tells variants apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tags {
    pub none: u8,
    pub bool: u8,
    pub int: u8,
    pub float: u8,
    pub text: u8,
    pub int_list: u8,
    pub float_list: u8,
    pub bool_list: u8,
    pub list: u8,
    pub object: u8,
    pub tuple: u8,
    pub uninitialized: u8,
}

/// Where the parts of a guarded vector are, from the address in the value's word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vector {
    pub lock: i32,
    pub start: i32,
    pub len: i32,
    pub capacity: i32,
}

/// Where the items of a tuple are, from the address in the value's word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Items {
    /// A word that is the number of the items where they are in the tuple itself, and more than `most` otherwise.
    pub told: i32,
    pub start: i32,
    pub most: usize,
    /// The address of those that are elsewhere.
    pub far: i32,
    /// The number of those that are elsewhere.
    pub far_len: i32,
}

/// Everything that was looked up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    pub tags: Tags,
    /// Lists of int, float or bool.
    pub list: Vector,
    /// Lists of anything else.
    pub generic: Vector,
    /// Attributes of objects.
    pub object: Vector,
    /// Tuples, if they are as expected.
    pub tuple: Option<Items>,
}

/// The layout of this program; `None` where it is not as machine code needs it.
pub fn layout() -> Option<&'static Layout> {
    static LAYOUT: OnceLock<Option<Layout>> = OnceLock::new();
    LAYOUT.get_or_init(look_up).as_ref()
}

fn look_up() -> Option<Layout> {
    let ints: List<i64> = vec![1i64, 2, 3].into();
    let floats: List<f64> = vec![1.0f64, 2.0, 3.0].into();
    let bools: List<bool> = vec![true, false, true].into();
    let generic = Value::list(&Type::Str, vec![Value::str("a")]).ok()?;
    let Value::List(items) = &generic else {
        return None;
    };
    let generic_at = vector(word(&generic)?, &items.items)?;
    let instance = Object::new(ClassType::new("__torch__.Sample", false));
    let object = Value::Object(instance.clone());
    let object_at = vector(word(&object)?, instance.guarded())?;
    let int_list = Value::IntList(ints.clone());
    let float_list = Value::FloatList(floats.clone());
    let bool_list = Value::BoolList(bools.clone());
    let list = vector(word(&int_list)?, ints.guarded())?;
    let same = [
        vector(word(&float_list)?, floats.guarded())?,
        vector(word(&bool_list)?, bools.guarded())?,
    ];
    let (short, long) = (Value::str("abcdefgh"), Value::str("abcdefghijklmnop"));
    let text = tag(&short);
    let are_texts = [text, 8, b'a', b'b', b'c', b'd', b'e', b'f'];
    let is_as_expected = cfg!(target_endian = "little")
        && halves(&short)
            == Some([
                u64::from_le_bytes(are_texts),
                u64::from(b'g') | u64::from(b'h') << 8,
            ])
        && halves(&long)
            .is_some_and(|h| h[0] == u64::from_le_bytes([text, Str::SHARED, 16, 0, 0, 0, 0, 0]))
        && same.iter().all(|v| *v == list)
        && bits(&Value::Int(0x0102_0304_0506_0708)) == Some(0x0102_0304_0506_0708)
        && bits(&Value::Float(1.5)) == Some(1.5f64.to_bits())
        && (bool_byte(true), bool_byte(false)) == (1, 0);
    is_as_expected.then_some(Layout {
        tags: Tags {
            none: tag(&Value::None),
            bool: tag(&Value::Bool(true)),
            int: tag(&Value::Int(1)),
            float: tag(&Value::Float(1.0)),
            text,
            int_list: tag(&int_list),
            float_list: tag(&float_list),
            bool_list: tag(&bool_list),
            list: tag(&generic),
            object: tag(&object),
            tuple: tag(&Value::tuple(Vec::new())),
            uninitialized: tag(&Value::Uninitialized),
        },
        list,
        generic: generic_at,
        object: object_at,
        tuple: tuple_items(),
    })
}

fn tag(value: &Value) -> u8 {
    // SAFETY: `repr(u8)` puts a byte that tells the variants apart at the start of every value.
    unsafe { *std::ptr::from_ref(value).cast::<u8>() }
}

fn bool_byte(b: bool) -> u8 {
    let value = Value::Bool(b);
    // SAFETY: `repr(u8)` puts the bool of this variant right behind the first byte.
    unsafe { *std::ptr::from_ref(&value).cast::<u8>().add(BOOL as usize) }
}

fn bits(value: &Value) -> Option<u64> {
    matches!(value, Value::Int(_) | Value::Float(_)).then(|| {
        // SAFETY: `repr(u8)` puts the number of these variants at its alignment behind the first byte.
        unsafe { *std::ptr::from_ref(value).cast::<u64>().add(1) }
    })
}

/// The two words of a value that is a string.
pub fn halves(value: &Value) -> Option<[u64; 2]> {
    matches!(value, Value::Str(_)).then(|| {
        // SAFETY: a string fills its value but for the first byte, which is the tag.
        unsafe { *std::ptr::from_ref(value).cast::<[u64; 2]>() }
    })
}

/// Where the items of tuples are, found in tuples of several lengths.
fn tuple_items() -> Option<Items> {
    let make = |len: usize| Value::tuple(vec![Value::Int(-7); len]);
    let mut found: Option<Items> = None;
    for len in 1..=24 {
        let value = make(len);
        let Value::Tuple(tuple) = &value else {
            return None;
        };
        let base = word(&value)?;
        let inside = |address: usize| {
            let offset = i32::try_from(address.checked_sub(base)?).ok()?;
            (offset < 256).then_some(offset)
        };
        let from = inside(std::ptr::from_ref(&tuple.items) as usize)?;
        let size = size_of_val(&tuple.items) as i32;
        // SAFETY: the tuple is there, and its words are looked at as numbers only.
        let read = |at: i32| unsafe { *((base + at as usize) as *const usize) };
        let known = tuple.items.as_ptr() as usize;
        match inside(known) {
            Some(start) if len == 1 => {
                // The word beside the items.
                let told = if start == from { from + size - 8 } else { from };
                found = Some(Items {
                    told,
                    start,
                    most: tuple.items.inline_size(),
                    far: 0,
                    far_len: 0,
                });
            }
            Some(start) => {
                let found = found?;
                if found.start != start || read(found.told) != len || len > found.most {
                    return None;
                }
            }
            None => {
                let found = found.as_mut()?;
                // The address and the number lie where the items of short tuples begin; nothing else there was ever written.
                let [first, second] = [found.start, found.start + 8];
                let (far, far_len) = match read(first) == known {
                    true => (first, second),
                    false => (second, first),
                };
                if read(far) != known || read(far_len) != len {
                    return None;
                }
                if found.far == 0 {
                    (found.far, found.far_len) = (far, far_len);
                }
                let is_same = (found.far, found.far_len) == (far, far_len);
                if !is_same || read(found.told) <= found.most || len <= found.most {
                    return None;
                }
            }
        }
    }
    found.filter(|f| f.far != 0)
}

/// The pointer of a value that is a list, an object or a tuple.
fn word(value: &Value) -> Option<usize> {
    let is_pointer = value.is_list() || matches!(value, Value::Object(_) | Value::Tuple(_));
    is_pointer.then(|| {
        // SAFETY: as above; these variants hold one pointer.
        unsafe { *std::ptr::from_ref(value).cast::<usize>().add(1) }
    })
}

fn vector<T>(base: usize, guarded: &Guarded<Vec<T>>) -> Option<Vector> {
    let mutex = guarded.mutex();
    // SAFETY: the lock is not taken or given back through this, only its address is used.
    let lock = std::ptr::from_ref(unsafe { mutex.raw() }) as usize;
    let at = |address: usize| {
        let offset = address.checked_sub(base)?;
        i32::try_from(offset).ok().filter(|o| *o < 1024)
    };
    if size_of_val(mutex_raw_size(mutex)) != 1 || size_of::<Vec<T>>() != 24 {
        return None;
    }
    let vec_at = mutex.data_ptr() as usize;
    let mut items = mutex.lock();
    // The three words differ, so that each is found once.
    items.reserve_exact(8);
    let known = [items.as_ptr() as usize, items.len(), items.capacity()];
    // SAFETY: a vector of this size is three initialised words (pointer, capacity, length), read under its lock.
    let words: [usize; 3] = unsafe { *(vec_at as *const [usize; 3]) };
    let place = |wanted: usize| {
        let first = words.iter().position(|w| *w == wanted)?;
        at(vec_at + 8 * first)
    };
    let mut sorted = words;
    rushlight_tensor::order::sort(&mut sorted);
    let mut expected = known;
    rushlight_tensor::order::sort(&mut expected);
    if sorted != expected || known[1] == known[2] {
        return None;
    }
    Some(Vector {
        lock: at(lock)?,
        start: place(known[0])?,
        len: place(known[1])?,
        capacity: place(known[2])?,
    })
}

fn mutex_raw_size<T>(mutex: &parking_lot::Mutex<T>) -> &parking_lot::RawMutex {
    // SAFETY: the lock is not taken or given back through this.
    unsafe { mutex.raw() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_of_this_build_is_usable() {
        let layout = layout().expect("values are laid out as machine code needs it");
        assert!(layout.tags.none < layout.tags.bool);
        assert!(layout.tags.bool < layout.tags.int);
        assert!(layout.tags.int < layout.tags.float);
        assert!(layout.tuple.is_some());
    }
}
