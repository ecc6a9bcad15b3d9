//! Dicts: one set of kernels for every type of key, and the rows of the six key types from one template.

use rushlight_tensor::memory::{self, Collected};
use rushlight_types::{
    Dict, Dispatch, Fault, GenericList, Kernel, Key, Operator, Quick, Result, ScalarOp, Tuple,
    Type, Value, boxed, op, operators, print_text, quick,
};
use std::sync::Arc;

const LEN: Kernel = boxed!(len);
const LEN_QUICKLY: Quick = quick!(len);
const GET_ITEM: Kernel = boxed!(get_item);
const SET_ITEM: Kernel = boxed!(set_item);
const DELETE: Kernel = boxed!(delete);
const CONTAINS: Kernel = boxed!(contains);
const CONTAINS_QUICKLY: Quick = quick!(contains);
const GET: Kernel = boxed!(get);
const GET_DEFAULT: Kernel = boxed!(get_default);
const SET_DEFAULT: Kernel = boxed!(set_default);
const SET_DEFAULT_QUICKLY: Quick = quick!(set_default);
const POP: Kernel = boxed!(pop);
const POP_QUICKLY: Quick = quick!(pop);
const POP_DEFAULT: Kernel = boxed!(pop_default);
const POP_DEFAULT_QUICKLY: Quick = quick!(pop_default);
const POP_ITEM: Kernel = boxed!(pop_item);
const POP_ITEM_QUICKLY: Quick = quick!(pop_item);
const KEYS: Kernel = boxed!(keys);
const KEYS_QUICKLY: Quick = quick!(keys);
const VALUES: Kernel = boxed!(values);
const VALUES_QUICKLY: Quick = quick!(values);
const ITEMS: Kernel = boxed!(items);
const ITEMS_QUICKLY: Quick = quick!(items);
const UPDATE: Kernel = boxed!(update);
const CLEAR: Kernel = boxed!(clear);
const COPY: Kernel = boxed!(copy);
const COPY_QUICKLY: Quick = quick!(copy);
const FROM_PAIRS: Kernel = boxed!(from_pairs);

/// The rows of one key type.
macro_rules! rows {
    ($(#[$meta:meta])* $table:ident, $k:literal) => {
        $(#[$meta])*
        pub static $table: [Operator; 19] = [
            Operator::new(concat!("aten::len.Dict_", $k, "(Dict(", $k, ", t) self) -> int"), LEN).quick(LEN_QUICKLY).scalar(ScalarOp::DictLen),
            Operator::new(concat!("aten::__getitem__.Dict_", $k, "(Dict(", $k, ", t) self, ", $k, " key) -> t(*)"), GET_ITEM).quick(get_item_quickly).scalar(ScalarOp::DictGet).dispatch(Dispatch::Never),
            Operator::new(concat!("aten::_set_item.", $k, "(Dict(", $k, ", t)(a!) l, ", $k, "(b -> *) idx, t(c -> *) v) -> ()"), SET_ITEM).quick(set_item_quickly).scalar(ScalarOp::DictSet).dispatch(Dispatch::Never),
            Operator::new(concat!("aten::Delete.Dict_", $k, "(Dict(", $k, ", t)(a!) self, ", $k, " key) -> ()"), DELETE),
            Operator::new(concat!("aten::__contains__.", $k, "(Dict(", $k, ", t) dict, ", $k, " key) -> bool"), CONTAINS).quick(CONTAINS_QUICKLY).scalar(ScalarOp::DictHas).dispatch(Dispatch::Never),
            Operator::new(concat!("aten::get.", $k, "(Dict(", $k, ", t) self, ", $k, " key) -> t(*)?"), GET).quick(get_quickly).scalar(ScalarOp::DictFind),
            Operator::new(concat!("aten::get.default_", $k, "(Dict(", $k, ", t) self, ", $k, " key, t default_value) -> t(*)"), GET_DEFAULT).quick(get_default_quickly).scalar(ScalarOp::DictGetOr),
            Operator::new(concat!("aten::setdefault.", $k, "(Dict(", $k, ", t)(a!) self, ", $k, "(b -> *) key, t(c -> *) default_value) -> t(*)"), SET_DEFAULT).quick(SET_DEFAULT_QUICKLY),
            Operator::new(concat!("aten::pop.Dict_", $k, "(Dict(", $k, ", t)(a!) self, ", $k, " key) -> t(*)"), POP).quick(POP_QUICKLY),
            Operator::new(concat!("aten::pop.Dict_default_", $k, "(Dict(", $k, ", t)(a!) self, ", $k, " key, t default_value) -> t(*)"), POP_DEFAULT).quick(POP_DEFAULT_QUICKLY),
            Operator::new(concat!("aten::popitem.", $k, "(Dict(", $k, ", t)(a!) self) -> ((", $k, ", t))"), POP_ITEM).quick(POP_ITEM_QUICKLY),
            Operator::new(concat!("aten::keys.", $k, "(Dict(", $k, ", t) self) -> ", $k, "[](*)"), KEYS).quick(KEYS_QUICKLY),
            Operator::new(concat!("aten::values.", $k, "(Dict(", $k, ", t) self) -> t[](*)"), VALUES).quick(VALUES_QUICKLY),
            Operator::new(concat!("aten::items.", $k, "(Dict(", $k, ", t) self) -> ((", $k, ", t)[])"), ITEMS).quick(ITEMS_QUICKLY).pairs(&$table[11], &$table[12]),
            Operator::new(concat!("aten::update.", $k, "(Dict(", $k, ", t)(a!) self, Dict(", $k, ", t)(a!) to_add) -> ()"), UPDATE),
            Operator::new(concat!("aten::clear.", $k, "(Dict(", $k, ", t)(a!) self) -> ()"), CLEAR),
            Operator::new(concat!("aten::copy.Dict_", $k, "(Dict(", $k, ", t)(a) self) -> Dict(", $k, ", t)"), COPY).quick(COPY_QUICKLY),
            Operator::new(concat!("aten::dict.Dict_", $k, "(Dict(", $k, ", t)(a) self) -> Dict(", $k, ", t)"), COPY).quick(COPY_QUICKLY),
            Operator::new(concat!("aten::dict.", $k, "((", $k, ", tVal)[] inputs) -> Dict(", $k, ", tVal)"), FROM_PAIRS),
        ];
    };
}

rows! {
    /// Dicts with str keys.
    STR, "str"
}
rows! {
    /// Dicts with int keys.
    INT, "int"
}
rows! {
    /// Dicts with float keys.
    FLOAT, "float"
}
rows! {
    /// Dicts with bool keys.
    BOOL, "bool"
}
rows! {
    /// Dicts with complex keys.
    COMPLEX, "complex"
}
rows! {
    /// Dicts with tensors as keys, by identity.
    TENSOR, "Tensor"
}

operators! {
    /// Dicts without a key type of their own.
    pub static EMPTY = [
        op!("aten::dict() -> Dict(str, Tensor)", empty),
    ];
}

#[cold]
fn missing(key: &Value) -> Fault {
    Fault::runtime(format!("KeyError: {}", print_text(key)))
}

fn key(value: &Value) -> Result<Key> {
    Key::new(value.clone())
}

fn empty() -> Value {
    Value::Dict(Arc::new(Dict::new(Type::Str, Type::TENSOR)))
}

fn len(dict: &Arc<Dict>) -> i64 {
    dict.items.lock().len() as i64
}

fn get_item(dict: &Arc<Dict>, at: &Value) -> Result<Value> {
    dict.look_up(at)?.ok_or_else(|| missing(at))
}

fn get_item_quickly(inputs: &[&Value], result: &mut Value) -> Result<bool> {
    match inputs {
        [Value::Dict(dict), at] if dict.copy_to(at, result)? => Ok(true),
        [Value::Dict(_), at] => Err(missing(at)),
        _ => Ok(false),
    }
}

fn get_quickly(inputs: &[&Value], result: &mut Value) -> Result<bool> {
    match inputs {
        [Value::Dict(dict), at] => {
            if !dict.copy_to(at, result)? {
                *result = Value::None;
            }
            Ok(true)
        }
        _ => Ok(false),
    }
}

fn get_default_quickly(inputs: &[&Value], result: &mut Value) -> Result<bool> {
    match inputs {
        [Value::Dict(dict), at, default] => {
            if !dict.copy_to(at, result)? {
                default.copy_to(result);
            }
            Ok(true)
        }
        _ => Ok(false),
    }
}

fn get(dict: &Arc<Dict>, at: &Value) -> Result<Value> {
    Ok(dict.look_up(at)?.unwrap_or_default())
}

fn get_default(dict: &Arc<Dict>, at: &Value, default: &Value) -> Result<Value> {
    Ok(dict.look_up(at)?.unwrap_or_else(|| default.clone()))
}

fn contains(dict: &Arc<Dict>, at: &Value) -> Result<bool> {
    dict.contains(at)
}

fn set_item(dict: &Arc<Dict>, at: &Value, value: &Value) -> Result<()> {
    let at = key(at)?;
    // Bound to a name so that the old value is dropped when the lock is no longer held.
    let old = dict.insert(at, value.clone());
    drop(old);
    Ok(())
}

fn set_item_quickly(inputs: &[&Value], _: &mut Value) -> Result<bool> {
    match inputs {
        [Value::Dict(dict), at, value] => dict.replace_quickly(at, value),
        _ => Ok(false),
    }
}

fn set_default(dict: &Arc<Dict>, at: &Value, default: &Value) -> Result<Value> {
    let at = key(at)?;
    let mut items = dict.items.lock();
    Ok(items.get_or_insert(at, || default.clone()).clone())
}

fn delete(dict: &Arc<Dict>, at: &Value) -> Result<()> {
    dict.take(at)?.map(drop).ok_or_else(|| missing(at))
}

fn pop(dict: &Arc<Dict>, at: &Value) -> Result<Value> {
    dict.take(at)?.ok_or_else(|| missing(at))
}

fn pop_default(dict: &Arc<Dict>, at: &Value, default: &Value) -> Result<Value> {
    Ok(dict.take(at)?.unwrap_or_else(|| default.clone()))
}

/// Takes the entry out that was inserted first.
fn pop_item(dict: &Arc<Dict>) -> Result<Value> {
    let first = dict.items.lock().take_first();
    match first {
        Some((key, value)) => Ok(pair(key.value().clone(), value)),
        None => Err(Fault::runtime("popitem(): dictionary is empty")),
    }
}

/// Copies of values as a list of their type.
fn list_of<'a>(ty: &Type, values: impl ExactSizeIterator<Item = &'a Value>) -> Result<Value> {
    Ok(match ty.runtime() {
        Type::Int => {
            let mut ints = memory::with_capacity(values.len());
            for value in values {
                ints.push(value.as_int()?);
            }
            Value::IntList(ints.into())
        }
        Type::Float => Value::FloatList(
            values
                .map(Value::as_float)
                .collect::<Result<Vec<_>>>()?
                .into(),
        ),
        Type::Bool | Type::Tensor(_) => return Value::list(ty, values.cloned().collected()),
        other => {
            let (count, mut values) = (values.len(), values);
            // Copied to where they stay: what is written in pieces and read whole is waited for.
            let copy = |_, to: &mut Value| {
                if let Some(value) = values.next() {
                    value.copy_to(to);
                }
            };
            Value::List(GenericList::build(other, count, copy))
        }
    })
}

fn keys(dict: &Arc<Dict>) -> Result<Value> {
    list_of(&dict.key_type, dict.items.lock().keys().map(Key::value))
}

fn values(dict: &Arc<Dict>) -> Result<Value> {
    list_of(&dict.value_type, dict.items.lock().values())
}

fn pair(key: Value, value: Value) -> Value {
    Value::Tuple(Arc::new(Tuple::plain([key, value])))
}

fn items(dict: &Arc<Dict>) -> Value {
    let entries = dict.items.lock();
    let pairs = entries
        .iter()
        .map(|(key, value)| pair(key.value().clone(), value.clone()));
    let pairs = pairs.collected();
    drop(entries);
    let element = Type::tuple(vec![dict.key_type.clone(), dict.value_type.clone()]);
    Value::List(Arc::new(GenericList::new(element, pairs)))
}

fn update(dict: &Arc<Dict>, other: &Arc<Dict>) {
    // The other may be this very dict.
    let more = other.items.lock().clone();
    for (key, value) in more {
        dict.insert(key, value);
    }
}

fn clear(dict: &Arc<Dict>) {
    let old = std::mem::take(&mut *dict.items.lock());
    drop(old);
}

fn copy(dict: &Arc<Dict>) -> Value {
    let copy = Dict::new(dict.key_type.clone(), dict.value_type.clone());
    *copy.items.lock() = dict.items.lock().clone();
    Value::Dict(Arc::new(copy))
}

/// The types of a pair that a list of pairs promises.
fn pair_types(pairs: &Value) -> (Type, Type) {
    match pairs.type_of() {
        Type::List(element) => match &*element {
            Type::Tuple(pair) if pair.elements.len() == 2 => {
                (pair.elements[0].clone(), pair.elements[1].clone())
            }
            _ => (Type::Any, Type::Any),
        },
        _ => (Type::Any, Type::Any),
    }
}

fn from_pairs(pairs: &Value) -> Result<Value> {
    let (key_type, value_type) = pair_types(pairs);
    let dict = Dict::new(key_type, value_type);
    for pair in pairs.list_items()? {
        match &pair {
            Value::Tuple(t) if t.items.len() == 2 => {
                let at = key(&t.items[0])?;
                dict.insert(at, t.items[1].clone());
            }
            _ => return Err(Fault::type_error("dict() takes a list of pairs")),
        }
    }
    Ok(Value::Dict(Arc::new(dict)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Arc<Dict> {
        let dict = Arc::new(Dict::new(Type::Str, Type::Int));
        for (k, v) in [("a", 1), ("b", 2)] {
            set_item(&dict, &Value::str(k), &Value::Int(v)).unwrap();
        }
        dict
    }

    #[test]
    fn popitem_takes_the_oldest_entry() {
        let dict = sample();
        assert_eq!(print_text(&pop_item(&dict).unwrap()), "(a, 1)");
        pop_item(&dict).unwrap();
        assert!(pop_item(&dict).is_err());
    }

    #[test]
    fn a_missing_key_is_named() {
        let fault = get_item(&sample(), &Value::str("q")).unwrap_err();
        assert_eq!(fault.message(), "KeyError: q");
        assert!(get(&sample(), &Value::str("q")).unwrap().is_none());
    }

    #[test]
    fn replaced_entries_keep_their_place() {
        let dict = sample();
        set_item(&dict, &Value::str("a"), &Value::Int(5)).unwrap();
        assert_eq!(print_text(&items(&dict)), "[(a, 5), (b, 2)]");
        update(&dict, &dict.clone());
        assert_eq!(len(&dict), 2);
    }

    #[test]
    fn every_row_has_a_schema_that_parses() {
        for row in STR.iter().chain(&TENSOR) {
            assert_eq!(row.schema().to_string(), row.text);
        }
    }
}
