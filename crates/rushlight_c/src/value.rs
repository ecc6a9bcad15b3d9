//! Values: numbers, text, lists, tuples and dicts in and out. Every handle given out is the caller's to free.

use crate::given::{array, some};
use crate::guard::{Outcome, Status, guarded, handing, refused, telling};
use rushlight::{Type, Value};
use std::ffi::c_char;

/// A handle on a value.
pub struct RlValue(pub Value);

/// What a value is; the numbers are those of the header.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum HeaderKind {
    Other = 0,
    None = 1,
    Bool = 2,
    Int = 3,
    Float = 4,
    Str = 5,
    Tensor = 6,
    List = 7,
    Tuple = 8,
    Dict = 9,
}

/// What a value is; `Other` for a null pointer as well.
#[unsafe(no_mangle)]
pub extern "C" fn rl_value_kind(value: Option<&RlValue>) -> HeaderKind {
    match value.map(|value| &value.0) {
        Some(Value::None) => HeaderKind::None,
        Some(Value::Bool(_)) => HeaderKind::Bool,
        Some(Value::Int(_)) => HeaderKind::Int,
        Some(Value::Float(_)) => HeaderKind::Float,
        Some(Value::Str(_)) => HeaderKind::Str,
        Some(Value::Tensor(_)) => HeaderKind::Tensor,
        Some(Value::Tuple(_)) => HeaderKind::Tuple,
        Some(Value::Dict(_)) => HeaderKind::Dict,
        Some(list) if list.is_list() => HeaderKind::List,
        _ => HeaderKind::Other,
    }
}

/// Gives a value up.
#[unsafe(no_mangle)]
pub extern "C" fn rl_value_free(value: Option<Box<RlValue>>) {
    drop(value);
}

/// Another handle on the same value: containers and tensors are shared.
#[unsafe(no_mangle)]
pub extern "C" fn rl_value_share(
    value: Option<&RlValue>,
    out: Option<&mut *mut RlValue>,
) -> Status {
    handing(out, || Ok(RlValue(some(value, "value")?.0.clone())))
}

/// None.
#[unsafe(no_mangle)]
pub extern "C" fn rl_none(out: Option<&mut *mut RlValue>) -> Status {
    handing(out, || Ok(RlValue(Value::None)))
}

/// A bool.
#[unsafe(no_mangle)]
pub extern "C" fn rl_bool(item: bool, out: Option<&mut *mut RlValue>) -> Status {
    handing(out, || Ok(RlValue(item.into())))
}

/// An int.
#[unsafe(no_mangle)]
pub extern "C" fn rl_int(item: i64, out: Option<&mut *mut RlValue>) -> Status {
    handing(out, || Ok(RlValue(item.into())))
}

/// A float.
#[unsafe(no_mangle)]
pub extern "C" fn rl_float(item: f64, out: Option<&mut *mut RlValue>) -> Status {
    handing(out, || Ok(RlValue(item.into())))
}

/// A str of UTF-8, copied.
///
/// # Safety
/// `data` leads to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_str(
    data: *const c_char,
    length: usize,
    out: Option<&mut *mut RlValue>,
) -> Status {
    handing(out, || {
        // SAFETY: the caller's promise.
        let bytes = unsafe { array(data.cast::<u8>(), length, "text") }?;
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(RlValue(text.into())),
            Err(_) => refused("the text is not UTF-8"),
        }
    })
}

/// The values of an array of handles.
///
/// # Safety
/// `items` leads to `count` handles or nulls.
pub unsafe fn values(
    items: *const Option<&RlValue>,
    count: usize,
    what: &str,
) -> Outcome<Vec<Value>> {
    // SAFETY: the caller's promise.
    let items = unsafe { array(items, count, what) }?;
    let values = items.iter().enumerate().map(|(i, item)| match item {
        Some(value) => Ok(value.0.clone()),
        None => refused(format!("{what}[{i}] is null")),
    });
    values.collect()
}

/// A list of these items, which must have a type in common. A list without items becomes one of any type in a call.
///
/// # Safety
/// `items` leads to `count` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_list(
    items: *const Option<&RlValue>,
    count: usize,
    out: Option<&mut *mut RlValue>,
) -> Status {
    handing(out, || {
        // SAFETY: the caller's promise.
        let items = unsafe { values(items, count, "items") }?;
        let list = match items.is_empty() {
            true => Value::list(&Type::Any, items)?,
            false => Value::list_of(items)?,
        };
        Ok(RlValue(list))
    })
}

/// A tuple of these items.
///
/// # Safety
/// `items` leads to `count` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_tuple(
    items: *const Option<&RlValue>,
    count: usize,
    out: Option<&mut *mut RlValue>,
) -> Status {
    handing(out, || {
        // SAFETY: the caller's promise.
        let items = unsafe { values(items, count, "items") }?;
        Ok(RlValue(Value::tuple(items)))
    })
}

/// A dict of these entries, in this order; keys and values must have types in common.
///
/// # Safety
/// `keys` and `items` lead to `count` handles each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_dict(
    keys: *const Option<&RlValue>,
    items: *const Option<&RlValue>,
    count: usize,
    out: Option<&mut *mut RlValue>,
) -> Status {
    handing(out, || {
        // SAFETY: the caller's promise.
        let keys = unsafe { values(keys, count, "keys") }?;
        // SAFETY: the caller's promise.
        let items = unsafe { values(items, count, "items") }?;
        let entries: Vec<(Value, Value)> = keys.into_iter().zip(items).collect();
        let dict = match entries.is_empty() {
            true => Value::dict(Type::Str, Type::Any, entries)?,
            false => Value::dict_of(entries)?,
        };
        Ok(RlValue(dict))
    })
}

/// The bool, or an error of class `TypeError`.
#[unsafe(no_mangle)]
pub extern "C" fn rl_as_bool(value: Option<&RlValue>, out: Option<&mut bool>) -> Status {
    telling(out, || Ok(some(value, "value")?.0.as_bool()?))
}

/// The int (a bool counts), or an error of class `TypeError`.
#[unsafe(no_mangle)]
pub extern "C" fn rl_as_int(value: Option<&RlValue>, out: Option<&mut i64>) -> Status {
    telling(out, || Ok(some(value, "value")?.0.as_int()?))
}

/// The float (ints and bools convert), or an error of class `TypeError`.
#[unsafe(no_mangle)]
pub extern "C" fn rl_as_float(value: Option<&RlValue>, out: Option<&mut f64>) -> Status {
    telling(out, || Ok(some(value, "value")?.0.as_float()?))
}

/// The bytes of a str, which hold as long as the handle; no zero ends them.
#[unsafe(no_mangle)]
pub extern "C" fn rl_as_str(
    value: Option<&RlValue>,
    out: Option<&mut *const c_char>,
    length: Option<&mut usize>,
) -> Status {
    guarded(|| {
        let bytes = some(value, "value")?.0.as_bytes()?;
        match (out, length) {
            (Some(out), Some(length)) => (*out, *length) = (bytes.as_ptr().cast(), bytes.len()),
            _ => return refused("the place for the result is null"),
        }
        Ok(())
    })
}

/// The value as `print` of a script shows it: a str.
#[unsafe(no_mangle)]
pub extern "C" fn rl_value_text(value: Option<&RlValue>, out: Option<&mut *mut RlValue>) -> Status {
    handing(out, || {
        Ok(RlValue(some(value, "value")?.0.to_string().into()))
    })
}

/// How many items a list, tuple or dict has.
#[unsafe(no_mangle)]
pub extern "C" fn rl_length(value: Option<&RlValue>, out: Option<&mut usize>) -> Status {
    telling(out, || {
        Ok(match &some(value, "value")?.0 {
            Value::Dict(dict) => dict.len(),
            Value::Tuple(tuple) => tuple.items.len(),
            Value::IntList(list) => list.len(),
            Value::FloatList(list) => list.len(),
            Value::BoolList(list) => list.len(),
            Value::TensorList(list) => list.len(),
            other => other.as_list()?.len(),
        })
    })
}

/// An item of a list or tuple.
#[unsafe(no_mangle)]
pub extern "C" fn rl_item(
    value: Option<&RlValue>,
    index: usize,
    out: Option<&mut *mut RlValue>,
) -> Status {
    handing(out, || {
        let (item, length) = match &some(value, "value")?.0 {
            Value::IntList(list) => (list.lock().get(index).copied().map(Value::from), list.len()),
            Value::FloatList(list) => {
                (list.lock().get(index).copied().map(Value::from), list.len())
            }
            Value::BoolList(list) => (list.lock().get(index).copied().map(Value::from), list.len()),
            Value::TensorList(list) => {
                (list.lock().get(index).cloned().map(Value::from), list.len())
            }
            Value::Tuple(tuple) => (tuple.items.get(index).cloned(), tuple.items.len()),
            other => {
                let items = other.as_list()?;
                (items.get(index).cloned(), items.len())
            }
        };
        match item {
            Some(item) => Ok(RlValue(item)),
            None => refused(format!("there is no item {index} among {length}")),
        }
    })
}

/// An entry of a dict by its place, in order of insertion.
#[unsafe(no_mangle)]
pub extern "C" fn rl_entry(
    value: Option<&RlValue>,
    index: usize,
    key: Option<&mut *mut RlValue>,
    item: Option<&mut *mut RlValue>,
) -> Status {
    guarded(|| {
        let (Some(key_out), Some(item_out)) = (key, item) else {
            return refused("the place for the result is null");
        };
        let dict = some(value, "value")?.0.as_dict()?;
        let items = dict.items.lock();
        let Some((key, item)) = items.at(index) else {
            return refused(format!("there is no entry {index} among {}", items.len()));
        };
        *key_out = Box::into_raw(Box::new(RlValue(key.value().clone())));
        *item_out = Box::into_raw(Box::new(RlValue(item.clone())));
        Ok(())
    })
}

/// The value of a key of a dict; the handle is null, without an error, where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn rl_get(
    value: Option<&RlValue>,
    key: Option<&RlValue>,
    out: Option<&mut *mut RlValue>,
) -> Status {
    telling(out, || {
        let dict = some(value, "value")?.0.as_dict()?;
        let found = dict.get(some(key, "key")?.0.clone());
        Ok(found.map_or(std::ptr::null_mut(), |item| {
            Box::into_raw(Box::new(RlValue(item)))
        }))
    })
}
