//! Answers: JSON, with the numbers of tensors as byte arrays beside it.

use rushlight::{Fault, Frame, Place, Tensor, Value};
use rushlight_view::{abbreviate, value};
use serde_json::{Map, Value as Json, json};

/// Tensors of a result whose numbers are given along; others are only told of.
const MOST_TENSORS: usize = 32;
/// Numbers of a tensor that are given along.
const MOST_NUMBERS: usize = 1 << 22;
/// Values nested more deeply are not searched for tensors.
const DEEPEST: usize = 16;

/// What a request comes to.
pub type Outcome = Result<Json, Trouble>;

/// Why a request is not answered: the text for people, and where in which function it happened.
#[derive(Debug)]
pub struct Trouble {
    text: String,
    frames: Vec<Frame>,
}

impl Trouble {
    /// Trouble that no script is to blame for.
    pub fn new(text: impl Into<String>) -> Trouble {
        Trouble {
            text: text.into(),
            frames: Vec::new(),
        }
    }

    /// As the page takes it.
    pub fn json(&self) -> Json {
        let frames = self.frames.iter().map(|frame| {
            json!({
                "function": frame.function,
                "at": frame.at.as_ref().map(place),
                "origin": frame.origin.as_ref().map(place),
            })
        });
        json!({"error": self.text, "frames": frames.collect::<Vec<_>>()})
    }
}

fn place(place: &Place) -> Json {
    json!({"file": place.file, "line": place.line, "column": place.column, "text": place.text})
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        let text = rushlight::runtime::error_text(&fault);
        Trouble {
            text: abbreviate::message(text.trim_end()),
            frames: rushlight::frames(&fault),
        }
    }
}

/// A result: as Python prints it, its type, and its tensors, whose numbers become `parts`.
pub fn result(value: &Value, parts: &mut Vec<Vec<u8>>) -> Json {
    let mut tensors = Vec::new();
    collect(value, String::new(), 0, &mut tensors);
    let mut shown = Vec::new();
    for (path, tensor) in tensors {
        let mut fields = Map::new();
        fields.insert("path".into(), path.into());
        fields.insert("dtype".into(), tensor.dtype().name().into());
        fields.insert("shape".into(), json!(tensor.sizes()));
        if let Some(numbers) = numbers(&tensor) {
            fields.insert("part".into(), parts.len().into());
            parts.push(numbers);
        }
        shown.push(Json::Object(fields));
    }
    json!({
        "text": abbreviate::message(&value::value(value)),
        "type": value.type_of().annotation(),
        "tensors": shown,
    })
}

/// The tensors in a value and how one reaches them from it, as one would write it in Python.
fn collect(value: &Value, path: String, depth: usize, found: &mut Vec<(String, Tensor)>) {
    if depth > DEEPEST || found.len() >= MOST_TENSORS {
        return;
    }
    match value {
        Value::Tensor(tensor) => found.push((path, tensor.clone())),
        Value::Tuple(tuple) => {
            let names = tuple.ty.as_ref().filter(|ty| ty.name.is_some());
            for (i, item) in tuple.items.iter().enumerate() {
                let step = match names.and_then(|ty| ty.fields.get(i)) {
                    Some(name) => format!("{path}.{name}"),
                    None => format!("{path}[{i}]"),
                };
                collect(item, step, depth + 1, found);
            }
        }
        Value::Dict(dict) => {
            for (key, item) in dict.entries() {
                let step = format!("{path}[{}]", value::repr(&key));
                collect(&item, step, depth + 1, found);
            }
        }
        Value::TensorList(_) | Value::List(_) => {
            for (i, item) in value.list_items().unwrap_or_default().iter().enumerate() {
                collect(item, format!("{path}[{i}]"), depth + 1, found);
            }
        }
        _ => {}
    }
}

/// The numbers of a tensor as float32, where a picture could be made of them.
fn numbers(tensor: &Tensor) -> Option<Vec<u8>> {
    let plain = tensor.dtype().is_float() || tensor.dtype().is_integral(true);
    if !plain || tensor.numel() > MOST_NUMBERS {
        return None;
    }
    let numbers = tensor.to_vec::<f32>();
    Some(numbers.iter().flat_map(|n| n.to_le_bytes()).collect())
}
