//! The way in for doors: arguments by position and by name against a schema, in the reference's words.
//!
//! What an argument is before it becomes a [`Value`] is the door's business: a Python object, a JSON value, a [`Value`]
//! already. It says through [`HostArgument`] how it converts to a formal type and how it shows in a message. Values
//! convert here.

use rushlight_types::{
    Argument, Callable, Context, Dict, Fault, GenericList, Key, Result, Schema, Tuple, Type, Value,
    repr_text,
};
use std::sync::Arc;

/// Why an argument is not taken.
pub enum Refusal {
    /// What the message adds about the failed conversion: empty, or a line such as `Cast error details: ...`.
    Note(String),
    /// A fault of its own, in place of the message.
    Whole(Fault),
}

/// An argument as the caller has it.
pub trait HostArgument {
    /// The argument as a value of a formal type.
    fn cast(&self, formal: &Type) -> std::result::Result<Value, Refusal>;
    /// The name of the type it has where it comes from: `list`, `NoneType`.
    fn type_name(&self) -> String;
    /// How it shows in a message.
    fn text(&self) -> String;
}

/// Calls a function with values by position and by name.
pub fn call(
    function: &dyn Callable,
    context: &Context,
    positional: Vec<Value>,
    named: Vec<(String, Value)>,
) -> Result<Value> {
    let schema = function.schema();
    let arguments = match named.is_empty() {
        true => bind_in_place(&schema, positional)?,
        false => bind(&schema, &positional, &named)?,
    };
    function.invoke(context, arguments)
}

/// As [`bind`], in the vector that the arguments came in.
fn bind_in_place(schema: &Schema, mut given: Vec<Value>) -> Result<Vec<Value>> {
    let filled = schema.arguments.get(given.len()..);
    let plain = schema.arguments.iter().take(given.len());
    let is_plain = filled.is_some_and(|rest| rest.iter().all(|a| a.default.is_some()))
        && plain.into_iter().all(|a| !a.kwarg_only);
    if !is_plain {
        // Says what is wrong.
        return bind(schema, &given, &[]);
    }
    for (i, argument) in given.iter_mut().enumerate() {
        *argument = cast(schema, i, argument)?;
    }
    let defaults = filled.into_iter().flatten();
    given.extend(defaults.filter_map(|a| a.default.clone()));
    Ok(given)
}

/// The arguments in the order of the schema, converted to its types, with defaults filled in.
pub fn bind<A: HostArgument>(
    schema: &Schema,
    positional: &[A],
    named: &[(String, A)],
) -> Result<Vec<Value>> {
    check_number(schema, positional.len() + named.len(), named.len())?;
    let mut out = Vec::with_capacity(schema.arguments.len());
    let mut used = 0;
    for (i, argument) in schema.arguments.iter().enumerate() {
        let by_name = || named.iter().find(|(name, _)| **name == *argument.name);
        if let Some(given) = positional.get(i) {
            if argument.kwarg_only {
                return Err(Fault::runtime(format!(
                    "{}() takes {i} positional argument(s) but {} was/were given.  Declaration: {schema}",
                    schema.name,
                    positional.len()
                )));
            }
            out.push(cast(schema, i, given)?);
        } else if let Some((_, given)) = by_name() {
            out.push(cast(schema, i, given)?);
            used += 1;
        } else if let Some(default) = &argument.default {
            out.push(default.clone());
        } else {
            return Err(Fault::runtime(format!(
                "{}() is missing value for argument '{}'. Declaration: {schema}",
                schema.name, argument.name
            )));
        }
    }
    if used < named.len() {
        let names = named.iter().map(|(name, _)| name.as_str());
        check_names(schema, positional.len(), names)?;
    }
    Ok(out)
}

fn check_number(schema: &Schema, given: usize, named: usize) -> Result<()> {
    let most = schema.arguments.len();
    if given <= most || (schema.varargs && named == 0) {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "{}() expected at most {most} argument(s) but received {given} argument(s). Declaration: {schema}",
        schema.name
    )))
}

/// Finds the name that no argument has used.
fn check_names<'n>(
    schema: &Schema,
    positional: usize,
    names: impl Iterator<Item = &'n str>,
) -> Result<()> {
    for name in names {
        match schema.argument_index(name) {
            None => {
                return Err(Fault::runtime(format!(
                    "Unknown keyword argument '{name}' for operator '{}'. Schema: {schema}",
                    schema.name
                )));
            }
            Some(index) if index < positional => {
                return Err(Fault::runtime(format!(
                    "Argument '{name}' specified both as positional and keyword argument. Schema: {schema}"
                )));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn cast<A: HostArgument>(schema: &Schema, position: usize, given: &A) -> Result<Value> {
    let argument = &schema.arguments[position];
    given.cast(&argument.ty).or_else(|refusal| {
        repeated(argument, given).ok_or(refusal)
    }).map_err(|refusal| {
        let details = match refusal {
            Refusal::Note(details) => details,
            Refusal::Whole(fault) => return fault,
        };
        let mut message = format!(
            "{}() Expected a value of type '{}' for argument '{}' but instead found type '{}'.\n{}\
             Position: {position}\nValue: {}\nDeclaration: {schema}",
            schema.name,
            match argument.inferred {
                true => argument.shown_type(),
                false => message_type(&argument.ty),
            },
            argument.name,
            given.type_name(),
            argument.inferred_note(),
            given.text(),
        );
        if !details.is_empty() {
            message.push('\n');
            message.push_str(&details);
        }
        Fault::runtime(message)
    })
}

/// A number as the list of fixed length that stands for it.
fn repeated<A: HostArgument>(argument: &Argument, given: &A) -> Option<Value> {
    let size = argument.list_size?;
    let list = match &argument.ty {
        Type::Optional(inner) => inner,
        other => other,
    };
    let element = list
        .list_element()
        .filter(|e| matches!(e, Type::Int | Type::Float))?;
    let number = given.cast(element).ok()?;
    Value::list(element, vec![number; size as usize]).ok()
}

/// The spelling of a formal type in messages.
fn message_type(ty: &Type) -> String {
    match ty {
        Type::Enum(e) => format!("Enum<{}>", e.name),
        other => other.message_form(),
    }
}

impl HostArgument for Value {
    fn cast(&self, formal: &Type) -> std::result::Result<Value, Refusal> {
        convert(self, formal, 0).ok_or_else(|| Refusal::Note(String::new()))
    }

    fn type_name(&self) -> String {
        match self {
            Value::Tuple(t) if t.ty.is_none() => "tuple".to_string(),
            Value::Dict(_) => "dict".to_string(),
            Value::Function(_) => "function".to_string(),
            other if other.is_list() => "list".to_string(),
            other => other.type_of().to_string(),
        }
    }

    fn text(&self) -> String {
        match self {
            Value::Str(s) => format!("'{s}'"),
            other => repr_text(other),
        }
    }
}

/// Containers nested deeper than this are not converted.
const MAX_DEPTH: usize = 100;

/// A value as a value of a formal type, or `None` where the reference would not take it.
pub fn value_as(value: &Value, formal: &Type) -> Option<Value> {
    convert(value, formal, 0)
}

fn convert(value: &Value, formal: &Type, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    let part = |v: &Value, t: &Type| convert(v, t, depth + 1);
    Some(match (formal.runtime(), value) {
        (Type::Any, v) => v.clone(),
        (Type::Optional(_), Value::None) => Value::None,
        (Type::Optional(inner), v) => part(v, &inner)?,
        (Type::Union(members), v) => {
            // A member of exactly the type goes before one that would convert.
            let exact = members.iter().find(|m| v.is_instance(m));
            part(v, exact?)?
        }
        // An undefined tensor is None on the outside.
        (Type::Tensor(_), Value::Tensor(_) | Value::None) => value.clone(),
        (Type::Int, v) => Value::Int(as_int(v)?),
        (Type::Float, v) => Value::Float(as_float(v)?),
        (Type::Bool, v) => Value::Bool(as_bool(v)?),
        (Type::Complex, v) => Value::complex(as_number(v)?.as_scalar().ok()?.to_complex()),
        (Type::Number, v) => as_number(v)?,
        (Type::Device, Value::Str(s)) => {
            Value::Device(rushlight_tensor::Device::parse(s.text()?).ok()?)
        }
        (Type::List(element), v) => list(v, &element, depth)?,
        (Type::Dict(kv), Value::Dict(d)) if d.key_type == kv.0 && d.value_type == kv.1 => {
            Value::Dict(d.clone())
        }
        (Type::Dict(kv), Value::Dict(d)) => {
            let dict = Dict::new(kv.0.clone(), kv.1.clone());
            for (k, v) in d.entries() {
                let key = Key::new(part(&k, &kv.0)?).ok()?;
                let item = part(&v, &kv.1)?;
                dict.items.lock().insert(key, item);
            }
            Value::Dict(Arc::new(dict))
        }
        (Type::Tuple(ty), v) => {
            let given = match v {
                Value::Tuple(t) => t.items.to_vec(),
                v if v.is_list() => v.list_items().ok()?,
                _ => return None,
            };
            if given.len() != ty.elements.len() {
                return None;
            }
            let items = given
                .iter()
                .zip(&ty.elements)
                .map(|(v, t)| part(v, t))
                .collect::<Option<Vec<Value>>>()?;
            Value::Tuple(Arc::new(Tuple {
                items: items.into(),
                ty: ty.name.is_some().then(|| ty.clone()),
            }))
        }
        (Type::Enum(ty), Value::Enum(e)) if e.ty == ty => value.clone(),
        (Type::Enum(_), _) => return None,
        (formal, v) if v.is_instance(&formal) => v.clone(),
        _ => return None,
    })
}

/// A list in the representation of its element type: the same list where it has that already, else a new one.
fn list(value: &Value, element: &Type, depth: usize) -> Option<Value> {
    let is_same = match (value, element) {
        (Value::IntList(_), Type::Int)
        | (Value::FloatList(_), Type::Float)
        | (Value::BoolList(_), Type::Bool)
        | (Value::TensorList(_), Type::Tensor(_)) => true,
        (Value::List(l), element) => l.element == *element,
        _ => false,
    };
    if is_same {
        return Some(value.clone());
    }
    let items = match value {
        Value::Tuple(_) => value.list_items().ok()?,
        v if v.is_list() => v.list_items().ok()?,
        _ => return None,
    };
    let items = items
        .iter()
        .map(|v| convert(v, element, depth + 1))
        .collect::<Option<Vec<Value>>>()?;
    match Value::list(element, items.clone()) {
        Ok(list) => Some(list),
        // An undefined tensor among tensors.
        Err(_) => Some(Value::List(Arc::new(GenericList::new(
            element.clone(),
            items,
        )))),
    }
}

/// A number of a tensor with one element is taken for the number.
fn as_number(value: &Value) -> Option<Value> {
    match value {
        Value::Int(_) | Value::Float(_) | Value::Complex(_) | Value::Bool(_) => Some(value.clone()),
        Value::Tensor(t) if t.numel() == 1 => t.item().ok().map(Value::scalar),
        _ => None,
    }
}

fn as_int(value: &Value) -> Option<i64> {
    match value {
        Value::Int(i) => Some(*i),
        Value::Bool(b) => Some(i64::from(*b)),
        Value::Tensor(t) if t.numel() == 1 => t.item().ok().map(|s| s.to_i64()),
        _ => None,
    }
}

fn as_float(value: &Value) -> Option<f64> {
    match value {
        Value::Float(f) => Some(*f),
        Value::Int(i) => Some(*i as f64),
        Value::Bool(b) => Some(f64::from(u8::from(*b))),
        Value::Tensor(t) if t.numel() == 1 => t.item().ok().map(|s| s.to_f64()),
        _ => None,
    }
}

fn as_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(b) => Some(*b),
        Value::Int(i) => Some(*i != 0),
        Value::Float(f) => Some(*f != 0.0),
        Value::Tensor(t) if t.numel() == 1 => t.item().ok().map(|s| s.to_bool()),
        _ => None,
    }
}
