//! Arguments as a page gives them: expressions of TorchScript, or numbers with their sizes.

use crate::answer::Trouble;
use rushlight::{DType, Tensor, Value};
use rushlight_view::expression;
use serde_json::Value as Json;

/// A field of a request that is text; empty where there is none.
pub fn text<'j>(request: &'j Json, field: &str) -> &'j str {
    request[field].as_str().unwrap_or_default()
}

/// Arguments by name. The numbers of those that are not written down are in `parts`.
pub fn arguments(request: &Json, parts: &[Vec<u8>]) -> Result<Vec<(String, Value)>, Trouble> {
    let given = request["arguments"].as_array();
    let given = given.map_or(&[][..], Vec::as_slice);
    let named = given.iter().map(|argument| {
        let name = text(argument, "name").to_string();
        let value = match argument["text"].as_str() {
            Some(written) => expression::value(written),
            None => numbers(argument, parts),
        };
        let value = value.map_err(|why| Trouble::new(format!("{name}: {why}")))?;
        Ok((name, value))
    });
    named.collect()
}

/// A float32 tensor from `shape` and the number of its `part`.
fn numbers(argument: &Json, parts: &[Vec<u8>]) -> Result<Value, String> {
    let part = argument["part"]
        .as_u64()
        .and_then(|part| usize::try_from(part).ok());
    let bytes = part.and_then(|part| parts.get(part));
    let bytes = bytes.ok_or("neither text nor numbers were given")?;
    let shape = argument["shape"]
        .as_array()
        .ok_or("a tensor needs a shape")?;
    let sizes: Option<Vec<usize>> = shape
        .iter()
        .map(|size| size.as_u64().and_then(|size| usize::try_from(size).ok()))
        .collect();
    let sizes = sizes.ok_or("the sizes of a tensor are whole numbers")?;
    let values: Vec<f32> = bytes
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    let tensor = Tensor::from_vec(values, &sizes).map_err(|e| e.message().to_string())?;
    let tensor = match argument["dtype"].as_str() {
        None | Some("float32") => tensor,
        Some(name) => {
            let dtype = DType::from_name(name);
            tensor.to_dtype(dtype.ok_or_else(|| format!("there is no dtype {name}"))?)
        }
    };
    Ok(Value::Tensor(tensor))
}
