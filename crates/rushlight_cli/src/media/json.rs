//! Results as JSON: tensors as nested lists.

use crate::{Done, Failure};
use rushlight::Value;
use serde_json::{Map, Number, Value as Json};

/// The bytes of a JSON file.
pub fn write(value: &Value) -> Done<Vec<u8>> {
    let mut out = serde_json::to_vec(&of(value)?)?;
    out.push(b'\n');
    Ok(out)
}

/// A value as JSON.
pub fn of(value: &Value) -> Done<Json> {
    json(value, 0)
}

fn number(f: f64) -> Json {
    match Number::from_f64(f) {
        Some(n) => Json::Number(n),
        None if f.is_nan() => Json::String("nan".into()),
        None => Json::String(if f > 0.0 { "inf".into() } else { "-inf".into() }),
    }
}

fn json(value: &Value, depth: usize) -> Done<Json> {
    if depth > 64 {
        return Err(Failure("the result is nested too deeply for JSON".into()));
    }
    Ok(match value {
        Value::None => Json::Null,
        Value::Bool(b) => Json::Bool(*b),
        Value::Int(i) => Json::from(*i),
        Value::Float(f) => number(*f),
        Value::Str(s) => Json::String(s.to_string()),
        Value::Tensor(t) => {
            let items: Vec<Json> = match t.dtype() {
                d if d.is_complex() => return Err(Failure("JSON has no complex numbers".into())),
                d if d.is_float() => t.to_vec::<f64>().into_iter().map(number).collect(),
                _ => t.to_vec::<i64>().into_iter().map(Json::from).collect(),
            };
            nested(&items, t.sizes())
        }
        Value::Dict(d) => {
            let mut out = Map::new();
            for (k, v) in d.entries() {
                out.insert(crate::show::value(&k), json(&v, depth + 1)?);
            }
            Json::Object(out)
        }
        Value::Tuple(t) => Json::Array(
            t.items
                .iter()
                .map(|v| json(v, depth + 1))
                .collect::<Done<_>>()?,
        ),
        other if other.is_list() => Json::Array(
            other
                .list_items()?
                .iter()
                .map(|v| json(v, depth + 1))
                .collect::<Done<_>>()?,
        ),
        other => Json::String(rushlight::types::repr_text(other)),
    })
}

fn nested(items: &[Json], sizes: &[usize]) -> Json {
    let Some((first, rest)) = sizes.split_first() else {
        return items.first().cloned().unwrap_or(Json::Null);
    };
    let step: usize = rest.iter().product();
    Json::Array(
        (0..*first)
            .map(|i| nested(&items[i * step..(i + 1) * step], rest))
            .collect(),
    )
}
