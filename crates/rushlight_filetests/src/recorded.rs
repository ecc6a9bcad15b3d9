//! Recorded values: the tree that both corpora of calls are read into, and that results are turned into before
//! they are compared.
//!
//! It knows nothing of the project's own tensors and values, so what it says about a result is independent of
//! them; `bridge` translates.

use serde_json::Value as Json;

/// A value as a corpus spells it.
#[derive(Clone, Debug, PartialEq)]
pub enum Recorded {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Complex(f64, f64),
    Str(String),
    List(Vec<Recorded>),
    Tuple(Vec<Recorded>),
    /// In order of insertion.
    Dict(Vec<(Recorded, Recorded)>),
    /// A dtype by its Python name, `float32`.
    DType(String),
    /// `strided`, `sparse_coo`, ...
    Layout(String),
    /// `contiguous_format`, `channels_last`, ...
    MemoryFormat(String),
    /// `cpu`, `cuda:0`.
    Device(String),
    Tensor(RecordedTensor),
    /// In a result: the very object that was passed as this argument.
    Argument(String),
    /// In a result: some value of this type.
    Some(String),
    /// Something that has no spelling in the corpora, by its type.
    Other(String),
}

/// A tensor as a corpus spells it.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedTensor {
    /// The Python name, `float32`.
    pub dtype: String,
    /// Sizes per dimension.
    pub shape: Vec<usize>,
    /// Strides in elements, where they are not those of a contiguous tensor.
    pub stride: Option<Vec<usize>>,
    /// The elements in row-major order of the index; `None` where they are not reproducible.
    pub elements: Option<Elements>,
    /// In a result: the argument whose storage it shares.
    pub alias: Option<String>,
}

/// The elements of a tensor; which variant follows from the dtype.
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    /// Integers and bools.
    Ints(Vec<i64>),
    /// All floats.
    Floats(Vec<f64>),
    /// Real and imaginary parts.
    Complex(Vec<(f64, f64)>),
}

impl Elements {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Elements::Ints(items) => items.len(),
            Elements::Floats(items) => items.len(),
            Elements::Complex(items) => items.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl RecordedTensor {
    /// How many elements the shape says there are.
    pub fn numel(&self) -> usize {
        self.shape.iter().product()
    }

    /// The strides, also where they are those of a contiguous tensor.
    pub fn strides(&self) -> Vec<usize> {
        self.stride
            .clone()
            .unwrap_or_else(|| contiguous(&self.shape))
    }
}

/// Row-major strides.
pub fn contiguous(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for dim in (1..shape.len()).rev() {
        strides[dim - 1] = strides[dim] * shape[dim].max(1);
    }
    strides
}

/// Reads a value of the operator corpus.
pub fn read(json: &Json) -> Result<Recorded, String> {
    Ok(match json {
        Json::Null => Recorded::None,
        Json::Bool(value) => Recorded::Bool(*value),
        Json::Number(number) => match number.as_i64() {
            Some(int) => Recorded::Int(int),
            None => return Err(format!("{number} is not a 64-bit int")),
        },
        Json::String(text) => Recorded::Str(text.clone()),
        Json::Array(items) => Recorded::List(read_all(items)?),
        Json::Object(object) => {
            if object.contains_key("t") {
                return Ok(Recorded::Tensor(read_tensor(json)?));
            }
            let (key, value) = object.iter().next().ok_or("an empty object is no value")?;
            read_tagged(key, value)?
        }
    })
}

fn read_all(items: &[Json]) -> Result<Vec<Recorded>, String> {
    items.iter().map(read).collect()
}

fn read_tagged(tag: &str, json: &Json) -> Result<Recorded, String> {
    let text = || {
        json.as_str()
            .map(str::to_owned)
            .ok_or_else(|| format!("`{tag}` holds {json}"))
    };
    let items = || {
        json.as_array()
            .ok_or_else(|| format!("`{tag}` holds {json}"))
    };
    Ok(match tag {
        "f" => Recorded::Float(read_float(json)?),
        "c" => {
            let (re, im) = read_complex(json)?;
            Recorded::Complex(re, im)
        }
        "tuple" => Recorded::Tuple(read_all(items()?)?),
        "dict" => Recorded::Dict(items()?.iter().map(read_entry).collect::<Result<_, _>>()?),
        "dtype" => Recorded::DType(text()?),
        "layout" => Recorded::Layout(text()?),
        "memory_format" => Recorded::MemoryFormat(text()?),
        "device" => Recorded::Device(text()?),
        "arg" => Recorded::Argument(text()?),
        "type" => Recorded::Some(text()?),
        _ => return Err(format!("unknown kind of value `{tag}`")),
    })
}

fn read_entry(json: &Json) -> Result<(Recorded, Recorded), String> {
    match json.as_array().map(Vec::as_slice) {
        Some([key, value]) => Ok((read(key)?, read(value)?)),
        _ => Err(format!("{json} is no entry of a dict")),
    }
}

/// Reads `{"t": DTYPE, "shape": [..], "data": [..]}`; both corpora spell tensors so.
pub fn read_tensor(json: &Json) -> Result<RecordedTensor, String> {
    let text = |key: &str| json[key].as_str().map(str::to_owned);
    let dtype = text("t").ok_or("a tensor without dtype")?;
    let sizes = |key: &str| -> Result<Option<Vec<usize>>, String> {
        let Some(items) = json[key].as_array() else {
            return Ok(None);
        };
        let size = |item: &Json| {
            item.as_u64()
                .map(|size| size as usize)
                .ok_or(format!("`{key}` holds {item}"))
        };
        items.iter().map(size).collect::<Result<_, _>>().map(Some)
    };
    let shape = sizes("shape")?.ok_or("a tensor without shape")?;
    let elements = match json["data"].as_array() {
        Some(items) => Some(read_elements(&dtype, items)?),
        None => None,
    };
    let tensor = RecordedTensor {
        dtype,
        shape,
        stride: sizes("stride")?,
        elements,
        alias: text("alias"),
    };
    match &tensor.elements {
        Some(elements) if elements.len() != tensor.numel() => Err(format!(
            "{} elements for shape {:?}",
            elements.len(),
            tensor.shape
        )),
        _ => Ok(tensor),
    }
}

fn read_elements(dtype: &str, items: &[Json]) -> Result<Elements, String> {
    // Unsigned 64-bit integers keep their bits.
    let int = |item: &Json| {
        let unsigned = || item.as_u64().map(|value| value as i64);
        let value = item
            .as_i64()
            .or_else(unsigned)
            .or_else(|| item.as_bool().map(i64::from));
        value.ok_or(format!("`{item}` in {dtype}"))
    };
    Ok(match dtype {
        _ if dtype.starts_with("complex") => {
            Elements::Complex(items.iter().map(read_complex).collect::<Result<_, _>>()?)
        }
        _ if is_float(dtype) => {
            Elements::Floats(items.iter().map(read_float).collect::<Result<_, _>>()?)
        }
        _ => Elements::Ints(items.iter().map(int).collect::<Result<_, _>>()?),
    })
}

fn is_float(dtype: &str) -> bool {
    dtype.starts_with("float") || dtype.starts_with("bfloat")
}

/// A number, or `"nan"`, `"inf"`, `"-inf"`.
pub fn read_float(json: &Json) -> Result<f64, String> {
    let value = match json {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => match text.as_str() {
            "nan" => Some(f64::NAN),
            "inf" => Some(f64::INFINITY),
            "-inf" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    };
    value.ok_or_else(|| format!("`{json}` is no float"))
}

fn read_complex(json: &Json) -> Result<(f64, f64), String> {
    match json.as_array().map(Vec::as_slice) {
        Some([re, im]) => Ok((read_float(re)?, read_float(im)?)),
        _ => Ok((read_float(json)?, 0.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Recorded, String> {
        read(&serde_json::from_str(text).expect("JSON"))
    }

    #[test]
    fn every_kind_of_value_is_read() {
        assert_eq!(value("null"), Ok(Recorded::None));
        assert_eq!(value("3"), Ok(Recorded::Int(3)));
        assert_eq!(
            value(r#"{"f":"-inf"}"#),
            Ok(Recorded::Float(f64::NEG_INFINITY))
        );
        assert_eq!(value(r#"{"c":[1,2.5]}"#), Ok(Recorded::Complex(1.0, 2.5)));
        assert_eq!(
            value(r#"{"dict":[["a",true]]}"#),
            Ok(Recorded::Dict(vec![(
                Recorded::Str("a".to_owned()),
                Recorded::Bool(true)
            )]))
        );
        assert_eq!(
            value(r#"{"tuple":[1]}"#),
            Ok(Recorded::Tuple(vec![Recorded::Int(1)]))
        );
        assert_eq!(
            value(r#"{"dtype":"int64"}"#),
            Ok(Recorded::DType("int64".to_owned()))
        );
    }

    #[test]
    fn a_negative_zero_stays_one() {
        let Ok(Recorded::Tensor(tensor)) = value(r#"{"t":"float32","shape":[1],"data":[-0.0]}"#)
        else {
            panic!("a tensor");
        };
        let Some(Elements::Floats(items)) = tensor.elements else {
            panic!("floats")
        };
        assert!(items[0].is_sign_negative());
    }

    #[test]
    fn a_tensor_with_too_few_elements_is_refused() {
        assert!(value(r#"{"t":"int64","shape":[2],"data":[1]}"#).is_err());
        assert!(value(r#"{"t":"int64","shape":[2]}"#).is_ok());
    }

    #[test]
    fn contiguous_strides_are_row_major() {
        assert_eq!(contiguous(&[2, 3, 4]), [12, 4, 1]);
        assert_eq!(contiguous(&[2, 0, 4]), [4, 4, 1]);
    }
}
