//! A run in a file: what a function was called with and what it gave, as `.npz` or `.json`.
//!
//! Arguments are TorchScript expressions in which tensors stand by name (`[input_0, input_1]`), so that any argument that
//! a command line can give can be given again. In an `.npz` file the tensors are arrays and all else is the entry
//! `recording.json`; in a `.json` file the tensors have their elements in `data`.

use crate::command::about;
use crate::compare::Leaf;
use crate::media::{npy, npz, raw};
use crate::{Done, Failure, files, show};
use rushlight::archive::bytes::Bytes;
use rushlight::archive::zip::{Archive, Compression, Writer};
use rushlight::tensor::Complex64;
use rushlight::{DType, Tensor, Value};
use serde_json::{Map, Value as Json, json};
use std::path::Path;

/// What the first field of a recording says.
const FORMAT: &str = "recording 1";
/// The entry of an `.npz` file that is no array.
const ENTRY: &str = "recording.json";

/// A run.
pub struct Recording {
    /// What was run, as the command line had it.
    pub target: String,
    pub method: String,
    /// What the random stream started from, if not from its default.
    pub seed: Option<u64>,
    pub arguments: Vec<Value>,
    pub results: Vec<Leaf>,
}

/// Tensors by name, in order.
type Named = Vec<(String, Tensor)>;

impl Recording {
    /// Writes the recording, by the extension of the file.
    pub fn write(&self, path: &Path) -> Done {
        let is_npz = has_extension(path, "npz");
        if !is_npz && !has_extension(path, "json") {
            return Err(about(path, "recordings go to .npz or .json"));
        }
        let (document, tensors) = self.document(!is_npz).map_err(|e| about(path, e.0))?;
        let text = serde_json::to_vec_pretty(&document)?;
        let bytes = match is_npz {
            false => [text, b"\n".to_vec()].concat(),
            true => {
                let mut writer = Writer::new("");
                for (name, tensor) in &tensors {
                    let bytes = npy::write(tensor).map_err(|e| about(path, e.0))?;
                    writer.add(&format!("{name}.npy"), &bytes, Compression::Stored, 1)?;
                }
                writer.add(ENTRY, &text, Compression::Stored, 1)?;
                writer.finish()
            }
        };
        rushlight::write_file(path, &bytes).map_err(|e| about(path, e))
    }

    /// The document and the tensors that it names; with their elements in it where they are to stand inline.
    fn document(&self, inline: bool) -> Done<(Json, Named)> {
        let mut tensors = Named::new();
        let expressions = self
            .arguments
            .iter()
            .map(|value| expression(value, &mut tensors))
            .collect::<Done<Vec<String>>>()?;
        let mut results = Vec::new();
        let has_one = self.results.len() == 1;
        for (i, leaf) in self.results.iter().enumerate() {
            results.push(match &leaf.value {
                Value::Tensor(tensor) => {
                    let name = match has_one {
                        true => "result".to_string(),
                        false => format!("result_{i}"),
                    };
                    tensors.push((name.clone(), tensor.clone()));
                    json!({"path": leaf.path, "tensor": name})
                }
                other => json!({"path": leaf.path, "value": expression(other, &mut tensors)?}),
            });
        }
        let mut described = Map::new();
        for (name, tensor) in &tensors {
            let mut entry = json!({"dtype": tensor.dtype().name(), "shape": tensor.sizes()});
            if inline {
                entry["data"] = Json::Array(elements(tensor));
            }
            described.insert(name.clone(), entry);
        }
        let document = json!({
            "rushlight": FORMAT,
            "target": self.target,
            "method": self.method,
            "seed": self.seed,
            "arguments": expressions,
            "results": results,
            "tensors": described,
        });
        Ok((document, tensors))
    }

    /// Reads a recording.
    pub fn read(path: &Path) -> Done<Recording> {
        let bytes = files::read(path).map_err(|e| about(path, e))?;
        Recording::parse(bytes).map_err(|e| about(path, e.0))
    }

    fn parse(bytes: Bytes) -> Done<Recording> {
        let archive = match bytes.starts_with(b"PK") {
            true => Some(Archive::open(bytes.clone(), &npz::limits())?),
            false => None,
        };
        let text = match &archive {
            Some(archive) if archive.contains(ENTRY) => archive.read(ENTRY)?.to_vec(),
            Some(_) => return Err(no_recording("it has no recording.json in it")),
            None => bytes.to_vec(),
        };
        let document: Json =
            serde_json::from_slice(&text).map_err(|e| no_recording(&e.to_string()))?;
        if document["rushlight"] != FORMAT {
            return Err(no_recording(&format!(
                "it does not begin with \"{FORMAT}\""
            )));
        }
        let mut tensors = Named::new();
        for (name, entry) in document["tensors"].as_object().into_iter().flatten() {
            let named = |why: Failure| Failure(format!("{name}: {}", why.0));
            let tensor = tensor(name, entry, archive.as_ref()).map_err(named)?;
            tensors.push((name.clone(), tensor));
        }
        let text = |key: &str| {
            let text = document[key].as_str();
            text.map(str::to_string)
                .ok_or_else(|| no_recording(&format!("its {key} is missing")))
        };
        let list = |key: &str| document[key].as_array().cloned().unwrap_or_default();
        let arguments = list("arguments")
            .iter()
            .map(|item| value(item, &tensors))
            .collect::<Done<_>>()?;
        let leaf = |item: &Json| {
            Ok(Leaf {
                path: item["path"].as_str().unwrap_or("result").to_string(),
                value: match item["tensor"].is_string() {
                    true => value(&item["tensor"], &tensors)?,
                    false => value(&item["value"], &tensors)?,
                },
            })
        };
        Ok(Recording {
            target: text("target")?,
            method: text("method")?,
            seed: document["seed"].as_u64(),
            arguments,
            results: list("results").iter().map(leaf).collect::<Done<_>>()?,
        })
    }
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case(wanted))
}

fn no_recording(why: &str) -> Failure {
    Failure(format!(
        "this is no recording: {why}; `rushlight record` makes one"
    ))
}

/// A value as an expression; its tensors get names.
fn expression(value: &Value, tensors: &mut Named) -> Done<String> {
    let mut all = |items: &[Value]| {
        let items = items.iter().map(|item| expression(item, tensors));
        Ok::<_, Failure>(items.collect::<Done<Vec<_>>>()?.join(", "))
    };
    Ok(match value {
        Value::None => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Int(i64::MIN) => format!("({} - 1)", i64::MIN + 1),
        Value::Int(i) => i.to_string(),
        Value::Float(f) if f.is_finite() => show::python_float(*f),
        Value::Float(f) => format!("float('{f}')").to_lowercase(),
        Value::Str(s) => quoted(s.as_str()?),
        Value::Tensor(tensor) => {
            let name = format!("input_{}", tensors.len());
            tensors.push((name.clone(), tensor.clone()));
            name
        }
        Value::Device(device) => format!("torch.device('{device}')"),
        Value::Tuple(tuple) if tuple.items.is_empty() => "()".into(),
        Value::Tuple(tuple) => format!("({},)", all(&tuple.items)?),
        Value::Dict(dict) => {
            let mut items = Vec::new();
            for (key, item) in dict.entries() {
                items.push(format!("{}: {}", all(&[key])?, all(&[item])?));
            }
            let ty = value.type_of().annotation();
            format!("torch.jit.annotate({ty}, {{{}}})", items.join(", "))
        }
        list if list.is_list() => {
            let ty = value.type_of().annotation();
            format!("torch.jit.annotate({ty}, [{}])", all(&list.list_items()?)?)
        }
        other => {
            return Err(Failure(format!(
                "a value of type {} cannot be recorded",
                other.type_of().annotation()
            )));
        }
    })
}

fn quoted(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\\' | '\'' => out.extend(['\\', c]),
            c if (c as u32) < 0x20 || c as u32 == 0x7f => {
                out.push_str(&format!("\\x{:02x}", c as u32))
            }
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// The value of an expression.
fn value(item: &Json, tensors: &Named) -> Done<Value> {
    let text = item
        .as_str()
        .ok_or_else(|| no_recording(&format!("{item} is no expression")))?;
    if let Some((_, tensor)) = tensors.iter().find(|(name, _)| name == text) {
        return Ok(Value::Tensor(tensor.clone()));
    }
    let wrong = |why: String| no_recording(&format!("the value `{text}`: {why}"));
    let names: Vec<String> = tensors
        .iter()
        .map(|(name, _)| format!("{name}: torch.Tensor"))
        .collect();
    let source = format!(
        "import torch\nfrom torch import Tensor\nfrom typing import Dict, List, Optional, Tuple\n\ndef value({}):\n    return {text}\n",
        names.join(", ")
    );
    let script = rushlight::compile(&source).map_err(|e| wrong(e.to_string()))?;
    let function = script
        .get("value")
        .ok_or_else(|| wrong("it defines something".into()))?;
    let tensors: Vec<Value> = tensors
        .iter()
        .map(|(_, t)| Value::Tensor(t.clone()))
        .collect();
    function
        .call(&tensors)
        .map_err(|e| wrong(e.message().to_string()))
}

/// The elements of a tensor as JSON, row by row; complex numbers are pairs.
fn elements(tensor: &Tensor) -> Vec<Json> {
    let number = crate::compare::json_number;
    match tensor.dtype() {
        dtype if dtype.is_complex() => {
            let numbers = tensor.to_vec::<Complex64>().into_iter();
            numbers
                .map(|c| json!([number(c.re), number(c.im)]))
                .collect()
        }
        dtype if dtype.is_float() => tensor.to_vec::<f64>().into_iter().map(number).collect(),
        DType::U64 => tensor.to_vec::<u64>().into_iter().map(Json::from).collect(),
        _ => tensor.to_vec::<i64>().into_iter().map(Json::from).collect(),
    }
}

/// A tensor of the document.
fn tensor(name: &str, entry: &Json, archive: Option<&Archive>) -> Done<Tensor> {
    let named = entry["dtype"].as_str().unwrap_or("");
    let dtype =
        DType::from_name(named).ok_or_else(|| Failure(format!("there is no dtype '{named}'")))?;
    if let Some(archive) = archive {
        let record = npz::record(archive, &format!("{name}.npy"))?;
        // What numpy has no dtype for was written as another that holds it.
        return Ok(npy::read(&record)?.to_dtype(dtype));
    }
    let wrong = || Failure("its shape or its data is no list of numbers".into());
    let sizes = entry["shape"].as_array().ok_or_else(wrong)?;
    let sizes: Option<Vec<usize>> = sizes
        .iter()
        .map(|n| usize::try_from(n.as_u64()?).ok())
        .collect();
    let sizes = sizes.ok_or_else(wrong)?;
    let data = entry["data"].as_array().ok_or_else(wrong)?;
    let made = match dtype {
        dtype if dtype.is_complex() => {
            let pair = |pair: &Json| Some(Complex64::new(float(&pair[0])?, float(&pair[1])?));
            let numbers: Option<Vec<_>> = data.iter().map(pair).collect();
            Tensor::from_vec(numbers.ok_or_else(wrong)?, &sizes)?
        }
        dtype if dtype.is_float() => {
            let numbers: Option<Vec<f64>> = data.iter().map(float).collect();
            Tensor::from_vec(numbers.ok_or_else(wrong)?, &sizes)?
        }
        DType::U64 => {
            let numbers: Option<Vec<_>> = data.iter().map(Json::as_u64).collect();
            let bytes: Vec<u8> = numbers
                .ok_or_else(wrong)?
                .iter()
                .flat_map(|n| n.to_le_bytes())
                .collect();
            raw::tensor(dtype, &sizes, &bytes)?
        }
        _ => {
            let numbers: Option<Vec<i64>> = data.iter().map(Json::as_i64).collect();
            Tensor::from_vec(numbers.ok_or_else(wrong)?, &sizes)?
        }
    };
    Ok(made.to_dtype(dtype))
}

/// A number, or one that JSON has a name for only.
fn float(item: &Json) -> Option<f64> {
    match item {
        Json::String(name) => match name.as_str() {
            "nan" => Some(f64::NAN),
            "inf" => Some(f64::INFINITY),
            "-inf" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        other => other.as_f64(),
    }
}
