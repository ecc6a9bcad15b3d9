//! What an argument is made from: a description that prints as one line of JSON and reads back.
//!
//! It spells what the operator corpora spell as they do. Beyond them, a tensor may be any view of any storage, an
//! argument may be another one (or a view of it), a generator, a future, or the result of another call.

use rushlight::tensor::{Complex64, DType, Scalar};
use rushlight::types::Type;
use rushlight_filetests::bridge;
use rushlight_filetests::recorded::{self, Elements, Recorded, RecordedTensor, contiguous};
use serde_json::{Map, Value as Json, json};

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    None,
    Number(Scalar),
    Str(String),
    Device(String),
    List(Vec<Arg>),
    Tuple(Vec<Arg>),
    Dict(Vec<(Arg, Arg)>),
    Tensor(Box<TensorArg>),
    /// The very tensor that this argument is.
    Same(usize),
    /// Another view of the storage of that argument.
    View(usize, View),
    /// A random stream with this seed.
    Generator(u64),
    /// A future that is done.
    Future(Box<Arg>),
    /// The first result of a call.
    Result(Box<Call>),
}

/// A call of an operator by its full name.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub operator: String,
    pub args: Vec<Arg>,
}

/// Sizes, strides and offset in elements.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    pub shape: Vec<usize>,
    pub stride: Option<Vec<usize>>,
    pub offset: usize,
}

/// A tensor over a storage of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorArg {
    pub dtype: DType,
    pub view: View,
    /// Elements of the storage; as many as the view needs where it is not said.
    pub length: Option<usize>,
    /// What the storage holds, over and over.
    pub data: Vec<Scalar>,
    pub quantizer: Option<Quantization>,
}

/// What the integers of a quantized tensor stand for.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantization {
    Tensor(f64, i64),
    Channel {
        axis: usize,
        scales: Vec<f64>,
        zero_points: Vec<f64>,
    },
}

impl View {
    /// The row-major view of these sizes.
    pub fn plain(shape: Vec<usize>) -> Self {
        Self {
            shape,
            stride: None,
            offset: 0,
        }
    }

    /// The strides, also where they are those of a contiguous tensor.
    pub fn strides(&self) -> Vec<usize> {
        self.stride.clone().unwrap_or_else(|| {
            let mut step = 1usize;
            let steps = self.shape.iter().rev().map(|size| {
                let own = step;
                step = step.saturating_mul((*size).max(1));
                own
            });
            let mut strides: Vec<usize> = steps.collect();
            strides.reverse();
            strides
        })
    }

    /// How many elements of a storage it reaches over; `None` where that is no number.
    pub fn end(&self) -> Option<usize> {
        if self.shape.contains(&0) {
            return Some(0);
        }
        let mut last = self.offset;
        for (size, stride) in self.shape.iter().zip(self.strides()) {
            last = last.checked_add((size - 1).checked_mul(stride)?)?;
        }
        last.checked_add(1)
    }
}

impl TensorArg {
    /// A row-major tensor with these elements, over and over.
    pub fn plain(dtype: DType, shape: Vec<usize>, data: Vec<Scalar>) -> Self {
        Self {
            dtype,
            view: View::plain(shape),
            length: None,
            data,
            quantizer: None,
        }
    }
}

impl Arg {
    pub fn int(value: i64) -> Self {
        Arg::Number(Scalar::Int(value))
    }

    pub fn float(value: f64) -> Self {
        Arg::Number(Scalar::Float(value))
    }

    /// Whether there is a tensor with so many elements that reading all of them takes long.
    pub fn is_huge(&self) -> bool {
        let huge = |view: &View| {
            let count = view
                .shape
                .iter()
                .try_fold(1usize, |n, size| n.checked_mul(*size));
            count.is_none_or(|count| count > 1 << 24)
        };
        match self {
            Arg::Tensor(tensor) => huge(&tensor.view),
            Arg::View(_, view) => huge(view),
            Arg::List(items) | Arg::Tuple(items) => items.iter().any(Arg::is_huge),
            Arg::Result(call) => call.args.iter().any(Arg::is_huge),
            _ => false,
        }
    }

    pub fn tensor(tensor: TensorArg) -> Self {
        Arg::Tensor(Box::new(tensor))
    }

    /// Reads one.
    pub fn read(json: &Json) -> Result<Self, String> {
        if let Some(items) = json.as_array() {
            return Ok(Arg::List(read_all(items)?));
        }
        if let Some((tag, inner)) = json.as_object().and_then(|object| object.iter().next()) {
            let items = || {
                inner
                    .as_array()
                    .ok_or_else(|| format!("`{tag}` holds {inner}"))
            };
            let number = || {
                inner
                    .as_u64()
                    .ok_or_else(|| format!("`{tag}` holds {inner}"))
            };
            match tag.as_str() {
                "tuple" => return Ok(Arg::Tuple(read_all(items()?)?)),
                "dict" => {
                    let entry = |entry: &Json| Ok((Arg::read(&entry[0])?, Arg::read(&entry[1])?));
                    let entries = items()?.iter().map(entry);
                    return Ok(Arg::Dict(entries.collect::<Result<_, String>>()?));
                }
                "tensor" => return Ok(Arg::tensor(read_tensor(json)?)),
                "same" => return Ok(Arg::Same(number()? as usize)),
                "view" => return Ok(Arg::View(number()? as usize, read_view(json)?)),
                "generator" => return Ok(Arg::Generator(number()?)),
                "future" => return Ok(Arg::Future(Box::new(Arg::read(inner)?))),
                "call" => return Ok(Arg::Result(Box::new(Call::read(json)?))),
                _ => {}
            }
        }
        Arg::of_recorded(&recorded::read(json)?)
    }

    /// What a corpus spells.
    pub fn of_recorded(recorded: &Recorded) -> Result<Self, String> {
        let all = |items: &[Recorded]| -> Result<Vec<Arg>, String> {
            items.iter().map(Arg::of_recorded).collect()
        };
        Ok(match recorded {
            Recorded::None => Arg::None,
            Recorded::Bool(value) => Arg::Number(Scalar::Bool(*value)),
            Recorded::Int(value) => Arg::int(*value),
            Recorded::Float(value) => Arg::float(*value),
            Recorded::Complex(re, im) => Arg::Number(Scalar::Complex(Complex64::new(*re, *im))),
            Recorded::Str(text) => Arg::Str(text.clone()),
            Recorded::Device(name) => Arg::Device(name.clone()),
            Recorded::List(items) => Arg::List(all(items)?),
            Recorded::Tuple(items) => Arg::Tuple(all(items)?),
            Recorded::Dict(entries) => Arg::Dict(
                entries
                    .iter()
                    .map(|(key, value)| Ok((Arg::of_recorded(key)?, Arg::of_recorded(value)?)))
                    .collect::<Result<_, String>>()?,
            ),
            Recorded::Tensor(tensor) => Arg::tensor(of_tensor(tensor)?),
            Recorded::DType(_) | Recorded::Layout(_) | Recorded::MemoryFormat(_) => {
                let code = bridge::to_value(recorded, &Type::Int, None)?;
                Arg::int(code.as_int().map_err(|fault| fault.to_string())?)
            }
            Recorded::Argument(_) | Recorded::Some(_) | Recorded::Other(_) => {
                return Err(format!("{recorded:?} is no argument"));
            }
        })
    }

    /// Writes it.
    pub fn write(&self) -> Json {
        let all = |items: &[Arg]| Json::Array(items.iter().map(Arg::write).collect());
        match self {
            Arg::None => Json::Null,
            Arg::Number(Scalar::Bool(value)) => json!(value),
            Arg::Number(Scalar::Int(value)) => json!(value),
            Arg::Number(Scalar::Float(value)) => json!({"f": write_float(*value)}),
            Arg::Number(Scalar::Complex(c)) => {
                json!({"c": [write_float(c.re), write_float(c.im)]})
            }
            Arg::Str(text) => json!(text),
            Arg::Device(name) => json!({"device": name}),
            Arg::List(items) => all(items),
            Arg::Tuple(items) => json!({"tuple": all(items)}),
            Arg::Dict(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| json!([key.write(), value.write()]));
                json!({"dict": entries.collect::<Vec<_>>()})
            }
            Arg::Tensor(tensor) => write_tensor(tensor),
            Arg::Same(index) => json!({"same": index}),
            Arg::View(index, view) => {
                let mut object = Map::new();
                object.insert("view".into(), json!(index));
                write_view(&mut object, view);
                Json::Object(object)
            }
            Arg::Generator(seed) => json!({"generator": seed}),
            Arg::Future(value) => json!({"future": value.write()}),
            Arg::Result(call) => call.write(),
        }
    }
}

impl Call {
    /// Reads `{"call": NAME, "args": [..]}`.
    pub fn read(json: &Json) -> Result<Self, String> {
        let operator = json["call"].as_str().ok_or("a call without `call`")?;
        let args = json["args"].as_array().ok_or("a call without `args`")?;
        Ok(Self {
            operator: operator.to_owned(),
            args: read_all(args)?,
        })
    }

    /// Writes it.
    pub fn write(&self) -> Json {
        let args: Vec<Json> = self.args.iter().map(Arg::write).collect();
        json!({"call": self.operator, "args": args})
    }
}

fn read_all(items: &[Json]) -> Result<Vec<Arg>, String> {
    items.iter().map(Arg::read).collect()
}

/// A tensor of a corpus: its elements come in the order of the index, ours in that of the storage.
fn of_tensor(recorded: &RecordedTensor) -> Result<TensorArg, String> {
    let dtype = DType::from_name(&recorded.dtype)
        .ok_or_else(|| format!("no dtype `{}`", recorded.dtype))?;
    let data: Vec<Scalar> = match recorded.elements.as_ref().ok_or("no elements")? {
        Elements::Ints(items) => items.iter().map(|v| Scalar::Int(*v)).collect(),
        Elements::Floats(items) => items.iter().map(|v| Scalar::Float(*v)).collect(),
        Elements::Complex(items) => items
            .iter()
            .map(|(re, im)| Scalar::Complex(Complex64::new(*re, *im)))
            .collect(),
    };
    let mut tensor = TensorArg::plain(dtype, recorded.shape.clone(), data);
    if let Some(strides) = &recorded.stride {
        tensor.view.stride = Some(strides.clone());
        let end = tensor.view.end().filter(|end| *end <= 1 << 16);
        let mut storage = vec![Scalar::Int(0); end.ok_or("a large storage")?];
        let inner = contiguous(&recorded.shape);
        for (number, value) in tensor.data.iter().enumerate() {
            let dims = recorded.shape.iter().zip(strides).zip(&inner);
            let place: usize = dims
                .map(|((size, stride), inner)| number / inner % size * stride)
                .sum();
            storage[place] = *value;
        }
        tensor.data = storage;
    }
    Ok(tensor)
}

fn read_tensor(json: &Json) -> Result<TensorArg, String> {
    let name = json["tensor"].as_str().unwrap_or_default();
    let floats = |key: &str| -> Result<Vec<f64>, String> {
        let items = json[key].as_array().into_iter().flatten();
        items.map(recorded::read_float).collect()
    };
    let data = json["data"].as_array().into_iter().flatten();
    Ok(TensorArg {
        dtype: DType::from_name(name).ok_or_else(|| format!("no dtype `{name}`"))?,
        view: read_view(json)?,
        length: json["length"].as_u64().map(|length| length as usize),
        data: data.map(read_scalar).collect::<Result<_, _>>()?,
        quantizer: if json["scale"].is_null() {
            match json["axis"].as_u64() {
                None => None,
                Some(axis) => Some(Quantization::Channel {
                    axis: axis as usize,
                    scales: floats("scales")?,
                    zero_points: floats("zero_points")?,
                }),
            }
        } else {
            let zero_point = json["zero_point"].as_i64().unwrap_or_default();
            Some(Quantization::Tensor(
                recorded::read_float(&json["scale"])?,
                zero_point,
            ))
        },
    })
}

fn write_tensor(tensor: &TensorArg) -> Json {
    let mut object = Map::new();
    object.insert("tensor".into(), json!(tensor.dtype.name()));
    write_view(&mut object, &tensor.view);
    if let Some(length) = tensor.length {
        object.insert("length".into(), json!(length));
    }
    match &tensor.quantizer {
        None => {}
        Some(Quantization::Tensor(scale, zero_point)) => {
            object.insert("scale".into(), write_float(*scale));
            object.insert("zero_point".into(), json!(zero_point));
        }
        Some(Quantization::Channel {
            axis,
            scales,
            zero_points,
        }) => {
            let floats = |items: &[f64]| items.iter().map(|v| write_float(*v)).collect();
            object.insert("axis".into(), json!(axis));
            object.insert("scales".into(), floats(scales));
            object.insert("zero_points".into(), floats(zero_points));
        }
    }
    let data = tensor.data.iter().map(write_scalar).collect();
    object.insert("data".into(), Json::Array(data));
    Json::Object(object)
}

fn read_view(json: &Json) -> Result<View, String> {
    let sizes = |key: &str| {
        let items = json[key].as_array()?;
        items
            .iter()
            .map(|size| size.as_u64().map(|size| size as usize))
            .collect::<Option<Vec<usize>>>()
    };
    Ok(View {
        shape: sizes("shape").ok_or("a view without shape")?,
        stride: sizes("stride"),
        offset: json["offset"].as_u64().unwrap_or_default() as usize,
    })
}

fn write_view(object: &mut Map<String, Json>, view: &View) {
    object.insert("shape".into(), json!(view.shape));
    if let Some(stride) = &view.stride {
        object.insert("stride".into(), json!(stride));
    }
    if view.offset != 0 {
        object.insert("offset".into(), json!(view.offset));
    }
}

fn read_scalar(json: &Json) -> Result<Scalar, String> {
    if let Some(int) = json.as_i64() {
        return Ok(Scalar::Int(int));
    }
    if let Some(parts) = json.as_array() {
        let part = |index: usize| parts.get(index).map_or(Ok(0.0), recorded::read_float);
        return Ok(Scalar::Complex(Complex64::new(part(0)?, part(1)?)));
    }
    recorded::read_float(json).map(Scalar::Float)
}

fn write_scalar(scalar: &Scalar) -> Json {
    match scalar {
        Scalar::Bool(value) => json!(i64::from(*value)),
        Scalar::Int(value) => json!(value),
        Scalar::Float(value) => write_float(*value),
        Scalar::Complex(c) => json!([write_float(c.re), write_float(c.im)]),
    }
}

fn write_float(value: f64) -> Json {
    if value.is_nan() {
        json!("nan")
    } else if value.is_infinite() {
        json!(if value > 0.0 { "inf" } else { "-inf" })
    } else {
        json!(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_read_back_as_they_were_written() {
        let text = r#"{"call":"aten::f.x","args":[null,true,3,{"f":"nan"},{"f":-0.0},{"c":[1.0,"inf"]},"s",[1,2],{"tuple":[1]},{"dict":[["a",1]]},{"tensor":"float32","shape":[4294967296],"stride":[0],"length":1,"data":[1.5]},{"tensor":"quint8","shape":[2],"scale":"nan","zero_point":-1,"data":[3]},{"tensor":"qint8","shape":[2,2],"offset":1,"axis":1,"scales":[1.0,0.0],"zero_points":[0.0,1.0],"data":[3]},{"same":0},{"view":1,"shape":[2],"stride":[3]},{"generator":7},{"future":1},{"call":"aten::g","args":[]},{"device":"cuda:0"}]}"#;
        let json: Json = serde_json::from_str(text).expect("JSON");
        let call = Call::read(&json).expect("a call");
        assert_eq!(call.write().to_string(), text);
    }

    #[test]
    fn tensors_of_the_corpora_keep_their_elements() {
        let text = r#"{"t":"int64","shape":[2,3],"stride":[1,2],"data":[1,2,3,4,5,6]}"#;
        let Arg::Tensor(tensor) =
            Arg::read(&serde_json::from_str(text).expect("JSON")).expect("a tensor")
        else {
            panic!("a tensor")
        };
        let ints: Vec<i64> = tensor.data.iter().map(|v| v.to_i64()).collect();
        assert_eq!(ints, [1, 4, 2, 5, 3, 6]);
    }
}
