//! The safetensors format: the length of a JSON header, the header, and the elements of every tensor.

use super::raw;
use crate::{Done, Failure};
use rushlight::{DType, Tensor};
use serde_json::{Map, Value as Json, json};

/// The names of dtypes.
const NAMES: &[(DType, &str)] = &[
    (DType::Bool, "BOOL"),
    (DType::U8, "U8"),
    (DType::I8, "I8"),
    (DType::I16, "I16"),
    (DType::I32, "I32"),
    (DType::I64, "I64"),
    (DType::U16, "U16"),
    (DType::U32, "U32"),
    (DType::U64, "U64"),
    (DType::F16, "F16"),
    (DType::BF16, "BF16"),
    (DType::F32, "F32"),
    (DType::F64, "F64"),
    (DType::C64, "C64"),
];

/// The file of named tensors, in their order.
pub fn write(tensors: &[(String, Tensor)]) -> Done<Vec<u8>> {
    let mut header = Map::new();
    let mut data: Vec<u8> = Vec::new();
    for (name, tensor) in tensors {
        let known = NAMES.iter().find(|row| row.0 == tensor.dtype());
        let (_, dtype) = known.ok_or_else(|| {
            Failure(format!(
                "{name}: safetensors has no type for {}",
                tensor.dtype()
            ))
        })?;
        let start = data.len();
        data.extend(raw::bytes(tensor)?);
        header.insert(
            name.clone(),
            json!({
                "dtype": dtype,
                "shape": tensor.sizes(),
                "data_offsets": [start, data.len()],
            }),
        );
    }
    let mut header = Json::Object(header).to_string();
    while !header.len().is_multiple_of(8) {
        header.push(' ');
    }
    let mut out = (header.len() as u64).to_le_bytes().to_vec();
    out.extend(header.bytes());
    out.extend(data);
    Ok(out)
}

/// The tensors of a file, in the order of its header.
pub fn read(bytes: &[u8]) -> Done<Vec<(String, Tensor)>> {
    let broken = |what: &str| Failure(format!("no safetensors file: {what}"));
    let (length, rest) = bytes
        .split_first_chunk::<8>()
        .ok_or_else(|| broken("it is too short"))?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok();
    let (header, data) = length
        .and_then(|length| rest.split_at_checked(length))
        .ok_or_else(|| broken("its header is cut off"))?;
    let header: Map<String, Json> =
        serde_json::from_slice(header).map_err(|e| broken(&format!("its header: {e}")))?;
    header
        .iter()
        .filter(|(name, _)| *name != "__metadata__")
        .map(|(name, entry)| {
            let tensor = one(entry, data).map_err(|why| broken(&format!("{name}: {}", why.0)))?;
            Ok((name.clone(), tensor))
        })
        .collect()
}

fn one(entry: &Json, data: &[u8]) -> Done<Tensor> {
    let named = entry["dtype"].as_str().unwrap_or("");
    let known = NAMES.iter().find(|row| row.1 == named);
    let (dtype, _) = known.ok_or_else(|| Failure(format!("the type '{named}' is not known")))?;
    let numbers = |key: &str| -> Done<Vec<usize>> {
        let numbers = entry[key].as_array().and_then(|numbers| {
            let numbers = numbers.iter();
            numbers.map(|n| usize::try_from(n.as_u64()?).ok()).collect()
        });
        numbers.ok_or_else(|| Failure(format!("its {key} is no list of sizes")))
    };
    let sizes = numbers("shape")?;
    let elements = match numbers("data_offsets")?[..] {
        [start, end] => data.get(start..end),
        _ => None,
    };
    let elements = elements.ok_or_else(|| Failure("its elements are not in the file".into()))?;
    raw::tensor(*dtype, &sizes, elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_nothing_cut_is() {
        let numbers = Tensor::from_vec(vec![1.5f32, -2.0], &[2, 1]).unwrap();
        let none = Tensor::zeros(&[0, 3], DType::I64).unwrap();
        let file = write(&[("b".into(), numbers.clone()), ("a".into(), none)]).unwrap();
        let again = read(&file).unwrap();
        assert_eq!(again[0].1.to_vec::<f32>(), numbers.to_vec::<f32>());
        assert_eq!(
            (again[1].0.as_str(), again[1].1.sizes()),
            ("a", &[0, 3][..])
        );
        for end in 0..file.len() {
            assert!(read(&file[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn headers_that_lie_are_refused() {
        let file = |header: &str| {
            let length = (header.len() as u64).to_le_bytes();
            [&length[..], header.as_bytes(), &[0; 8]].concat()
        };
        let entry = |text: &str| read(&file(&format!("{{\"a\": {text}}}")));
        assert!(entry(r#"{"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}"#).is_ok());
        for text in [
            r#"{"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}"#,
            r#"{"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}"#,
            r#"{"dtype": "F32", "shape": [2], "data_offsets": [0, 9]}"#,
            r#"{"dtype": "F32", "shape": [2], "data_offsets": [0, 18446744073709551615]}"#,
            r#"{"dtype": "F32", "shape": [4611686018427387904, 4], "data_offsets": [0, 0]}"#,
            r#"{"dtype": "F32", "shape": [-1], "data_offsets": [0, 8]}"#,
            r#"{"dtype": "F7", "shape": [2], "data_offsets": [0, 8]}"#,
            r#"{"shape": [2], "data_offsets": [0, 8]}"#,
            r#"{"dtype": "F32", "data_offsets": [0, 4]}"#,
            "3",
        ] {
            assert!(entry(text).is_err(), "{text}");
        }
        assert!(read(&u64::MAX.to_le_bytes()).is_err());
    }
}
