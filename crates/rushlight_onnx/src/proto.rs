//! ONNX models as data, and as bytes: the messages of `onnx.proto` that an export writes, in protobuf's wire format.

use rushlight_tensor::{DType, Fault, Layout, Result, Tensor};
use std::rc::Rc;

/// The name of a value or a node.
pub type Name = Rc<str>;

/// A whole model.
pub struct Model {
    /// The version of the format.
    pub ir_version: i64,
    /// The version of the operators.
    pub opset: i64,
    /// Other sets of operators that nodes name, with their versions.
    pub custom_opsets: Vec<(String, i64)>,
    pub graph: Graph,
}

/// A graph, or the body of a branch or loop.
#[derive(Default)]
pub struct Graph {
    pub name: String,
    pub nodes: Vec<Node>,
    /// The weights: what a model knows before it is run.
    pub initializers: Vec<Initializer>,
    pub inputs: Vec<Declared>,
    pub outputs: Vec<Declared>,
}

/// A call of an operator.
pub struct Node {
    pub name: String,
    pub kind: Rc<str>,
    /// The set of operators that `kind` belongs to; empty for ONNX's own.
    pub domain: Rc<str>,
    /// An empty name stands for an input that is not given.
    pub inputs: Vec<Name>,
    pub outputs: Vec<Name>,
    pub attributes: Vec<(&'static str, Attribute)>,
}

/// An attribute of a node.
pub enum Attribute {
    Int(i64),
    Float(f64),
    Str(String),
    Ints(Vec<i64>),
    Strs(Vec<String>),
    Tensor(Tensor),
    Graph(Graph),
}

/// A tensor of the model's own.
pub struct Initializer {
    pub name: Name,
    pub tensor: Tensor,
}

/// An input or output of a graph.
#[derive(Clone)]
pub struct Declared {
    pub name: Name,
    pub dtype: DType,
    /// `None` where not even the rank is known.
    pub dims: Option<Vec<Dim>>,
}

/// A size in a declaration.
#[derive(Clone, PartialEq, Debug)]
pub enum Dim {
    Fixed(usize),
    Named(Rc<str>),
}

/// ONNX's number of a dtype; `None` where ONNX lacks it.
pub fn data_type(dtype: DType) -> Option<i64> {
    Some(match dtype {
        DType::F32 => 1,
        DType::U8 => 2,
        DType::I8 => 3,
        DType::U16 => 4,
        DType::I16 => 5,
        DType::I32 => 6,
        DType::I64 => 7,
        DType::Bool => 9,
        DType::F16 => 10,
        DType::F64 => 11,
        DType::U32 => 12,
        DType::U64 => 13,
        DType::C64 => 14,
        DType::C128 => 15,
        DType::BF16 => 16,
        _ => return None,
    })
}

/// ONNX's number of a dtype, or the refusal of one that ONNX lacks.
pub(crate) fn require_type(dtype: DType) -> Result<i64> {
    data_type(dtype)
        .ok_or_else(|| Fault::runtime(format!("ONNX has no tensors of dtype {}", dtype.name())))
}

impl Model {
    /// The bytes of the file.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Message::default();
        out.int(1, self.ir_version);
        out.text(2, "pytorch");
        out.text(3, "2.15.0");
        out.message(7, |m| self.graph.encode(m));
        let own = [(String::new(), self.opset)];
        for (domain, version) in own.iter().chain(&self.custom_opsets) {
            out.message(8, |m| {
                m.text(1, domain);
                m.int(2, *version);
            });
        }
        out.bytes
    }
}

impl Graph {
    fn encode(&self, out: &mut Message) {
        for node in &self.nodes {
            out.message(1, |m| node.encode(m));
        }
        out.text(2, &self.name);
        for initializer in &self.initializers {
            out.message(5, |m| {
                encode_tensor(m, &initializer.tensor, &initializer.name)
            });
        }
        for input in &self.inputs {
            out.message(11, |m| input.encode(m));
        }
        for output in &self.outputs {
            out.message(12, |m| output.encode(m));
        }
    }
}

impl Node {
    fn encode(&self, out: &mut Message) {
        for input in &self.inputs {
            out.text(1, input);
        }
        for output in &self.outputs {
            out.text(2, output);
        }
        out.text(3, &self.name);
        out.text(4, &self.kind);
        for (name, attribute) in &self.attributes {
            out.message(5, |m| attribute.encode(m, name));
        }
        if !self.domain.is_empty() {
            out.text(7, &self.domain);
        }
    }
}

impl Attribute {
    fn encode(&self, out: &mut Message, name: &str) {
        out.text(1, name);
        let kind = match self {
            Attribute::Float(number) => {
                out.float(2, *number);
                1
            }
            Attribute::Int(number) => {
                out.int(3, *number);
                2
            }
            Attribute::Str(text) => {
                out.text(4, text);
                3
            }
            Attribute::Tensor(tensor) => {
                out.message(5, |m| encode_tensor(m, tensor, ""));
                4
            }
            Attribute::Graph(graph) => {
                out.message(6, |m| graph.encode(m));
                5
            }
            Attribute::Strs(texts) => {
                texts.iter().for_each(|text| out.text(9, text));
                8
            }
            Attribute::Ints(numbers) => {
                numbers.iter().for_each(|number| out.int(8, *number));
                7
            }
        };
        out.int(20, kind);
    }
}

impl Declared {
    fn encode(&self, out: &mut Message) {
        out.text(1, &self.name);
        out.message(2, |ty| {
            ty.message(1, |tensor| {
                tensor.int(1, data_type(self.dtype).unwrap_or(0));
                let Some(dims) = &self.dims else {
                    return;
                };
                tensor.message(2, |shape| {
                    for dim in dims {
                        shape.message(1, |m| match dim {
                            Dim::Fixed(size) => m.int(1, *size as i64),
                            Dim::Named(name) => m.text(2, name),
                        });
                    }
                });
            });
        });
    }
}

fn encode_tensor(out: &mut Message, tensor: &Tensor, name: &str) {
    for size in tensor.sizes() {
        out.int(1, *size as i64);
    }
    out.int(2, data_type(tensor.dtype()).unwrap_or(0));
    if !name.is_empty() {
        out.text(8, name);
    }
    let tensor = tensor.contiguous();
    let width = tensor.dtype().size();
    let (first, length) = (tensor.layout().offset() * width, tensor.numel() * width);
    let layout = Layout::strided(&[length], &[1], first);
    let bytes = Tensor::view_of(&tensor.storage(), DType::U8, layout);
    out.key(9, 2);
    out.varint(length as u64);
    if let Ok(bytes) = bytes {
        out.bytes.extend_from_slice(&bytes.data::<u8>());
    }
}

/// A message of protobuf: fields one after another.
#[derive(Default)]
struct Message {
    bytes: Vec<u8>,
}

impl Message {
    fn key(&mut self, field: u64, wire: u64) {
        self.varint(field << 3 | wire);
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn int(&mut self, field: u64, number: i64) {
        self.key(field, 0);
        self.varint(number as u64);
    }

    fn float(&mut self, field: u64, number: f64) {
        self.key(field, 5);
        self.bytes.extend((number as f32).to_le_bytes());
    }

    fn text(&mut self, field: u64, text: &str) {
        self.key(field, 2);
        self.varint(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    fn message(&mut self, field: u64, write: impl FnOnce(&mut Message)) {
        let mut inner = Message::default();
        write(&mut inner);
        self.key(field, 2);
        self.varint(inner.bytes.len() as u64);
        self.bytes.append(&mut inner.bytes);
    }
}
