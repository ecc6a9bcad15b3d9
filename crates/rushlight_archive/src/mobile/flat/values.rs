//! The values of a file as nodes of a pickle.

use super::table::{Read, Table};
use crate::pickle::{NodeId, PickleProblem, PickleValue, TreeBuilder};
use rushlight_tensor::DType;

/// What a value can be, by number.
mod kind {
    pub const NONE: u8 = 0;
    pub const INT: u8 = 1;
    pub const BOOL: u8 = 2;
    pub const FLOAT: u8 = 3;
    pub const COMPLEX: u8 = 4;
    pub const TENSOR: u8 = 5;
    pub const TEXT: u8 = 6;
    pub const LIST: u8 = 7;
    pub const TUPLE: u8 = 8;
    pub const DICT: u8 = 9;
    pub const OBJECT: u8 = 10;
    pub const INT_LIST: u8 = 11;
    pub const FLOAT_LIST: u8 = 12;
    pub const BOOL_LIST: u8 = 13;
    pub const DEVICE: u8 = 14;
    pub const ENUM: u8 = 15;
    pub const FUNCTION: u8 = 16;
}

/// How objects of a class are kept, by number.
mod object {
    pub const WITH_ATTRIBUTES: u8 = 1;
    pub const NATIVE: u8 = 2;
    pub const WITH_STATE: u8 = 3;
}

/// The record of a tensor's bytes.
pub fn storage_record(number: usize) -> String {
    format!("data/{number}")
}

/// A limit of pickles that values go beyond.
pub fn beyond(problem: PickleProblem) -> String {
    problem.to_string()
}

/// A class.
struct Class<'b> {
    module: &'b str,
    name: &'b str,
    kind: u8,
    attributes: Vec<&'b str>,
}

/// The nodes of values, by number.
pub struct Values {
    pub nodes: Vec<NodeId>,
}

impl Values {
    /// Makes the nodes of all values. Values refer to earlier ones only.
    pub fn read(
        builder: &mut TreeBuilder<'_>,
        types: &[Table<'_>],
        values: &[Table<'_>],
    ) -> Read<Values> {
        let mut reader = Reader {
            builder,
            classes: types.iter().map(class).collect::<Read<_>>()?,
            made: Values { nodes: Vec::new() },
        };
        for (number, value) in values.iter().enumerate() {
            let node = reader.value(value);
            let node = node.map_err(|problem| format!("value {number}: {problem}"))?;
            reader.made.nodes.push(node);
        }
        Ok(reader.made)
    }

    /// The node of a value.
    pub fn node(&self, index: usize) -> Read<NodeId> {
        let node = self.nodes.get(index).copied();
        node.ok_or_else(|| format!("there is no value {index} so far"))
    }

    /// The nodes of some values.
    pub fn nodes_of(&self, indices: &[u32]) -> Read<Vec<NodeId>> {
        let nodes = indices.iter().map(|&index| self.node(index as usize));
        nodes.collect()
    }
}

/// The function that a value is, if it is one.
pub fn function<'b>(value: &Table<'b>) -> Read<Option<Table<'b>>> {
    match value.number(0, kind::NONE)? {
        kind::FUNCTION => value.table(1),
        _ => Ok(None),
    }
}

fn class<'b>(table: &Table<'b>) -> Read<Class<'b>> {
    let name = table.text(0)?;
    let (module, name) = name.rsplit_once('.').unwrap_or(("__torch__", name));
    Ok(Class {
        module,
        name,
        kind: table.number(1, 0)?,
        attributes: table.texts(2)?,
    })
}

struct Reader<'r, 'l, 'b> {
    builder: &'r mut TreeBuilder<'l>,
    classes: Vec<Class<'b>>,
    made: Values,
}

impl Reader<'_, '_, '_> {
    fn add(&mut self, value: PickleValue) -> Read<NodeId> {
        self.builder.node(value).map_err(beyond)
    }

    fn call(&mut self, module: &str, name: &str, args: &[NodeId]) -> Read<NodeId> {
        let args = self.builder.tuple(args).map_err(beyond)?;
        self.builder.call(module, name, args).map_err(beyond)
    }

    fn text(&mut self, text: &str) -> Read<NodeId> {
        self.builder.text(text).map_err(beyond)
    }

    fn value(&mut self, value: &Table<'_>) -> Read<NodeId> {
        let number = value.number(0, kind::NONE)?;
        let missing = || format!("a value of kind {number} without content");
        match number {
            // Functions are read apart.
            kind::NONE | kind::FUNCTION => return Ok(self.builder.none()),
            kind::INT => {
                let [value] = value.group(1)?.ok_or_else(missing)?;
                return self.add(PickleValue::Int(value));
            }
            kind::BOOL => {
                let [value] = value.group::<u8, 1>(1)?.ok_or_else(missing)?;
                return Ok(self.builder.bool(value != 0));
            }
            kind::FLOAT => {
                let [value] = value.group(1)?.ok_or_else(missing)?;
                return self.add(PickleValue::Float(value));
            }
            kind::COMPLEX => {
                let parts: [f64; 2] = value.group(1)?.ok_or_else(missing)?;
                let [real, imaginary] = parts.map(PickleValue::Float);
                let parts = [self.add(real)?, self.add(imaginary)?];
                return self.call("builtins", "complex", &parts);
            }
            _ => {}
        }
        let content = value.table(1)?.ok_or_else(missing)?;
        self.content(number, &content)
    }

    /// A value that is a table of its own.
    fn content(&mut self, number: u8, content: &Table<'_>) -> Read<NodeId> {
        match number {
            kind::TENSOR => self.tensor(content),
            kind::TEXT => self.text(content.text(0)?),
            kind::DEVICE => {
                let name = self.text(content.text(0)?)?;
                self.call("torch", "device", &[name])
            }
            kind::TUPLE => {
                let items = self.made.nodes_of(&content.numbers(0)?)?;
                self.builder.tuple(&items).map_err(beyond)
            }
            kind::LIST => {
                let items = self.made.nodes_of(&content.numbers(0)?)?;
                let list = self.add(PickleValue::List(items))?;
                self.tagged(list, content.text(1)?)
            }
            kind::DICT => {
                let keys = self.made.nodes_of(&content.numbers(0)?)?;
                let values = self.made.nodes_of(&content.numbers(1)?)?;
                if keys.len() != values.len() {
                    return Err("a dict has more keys than values, or fewer".into());
                }
                let dict = self.add(PickleValue::Dict(keys.into_iter().zip(values).collect()))?;
                self.tagged(dict, content.text(2)?)
            }
            kind::INT_LIST => {
                let items = content.numbers::<i64>(0)?;
                self.list("build_intlist", items.into_iter().map(PickleValue::Int))
            }
            kind::FLOAT_LIST => {
                let items = content.numbers::<f64>(0)?;
                self.list(
                    "build_doublelist",
                    items.into_iter().map(PickleValue::Float),
                )
            }
            kind::BOOL_LIST => {
                let items = content.numbers::<u8>(0)?;
                let items = items.into_iter().map(|item| PickleValue::Bool(item != 0));
                self.list("build_boollist", items)
            }
            kind::ENUM => {
                let name = content.text(0)?;
                let (module, name) = name.rsplit_once('.').unwrap_or(("__torch__", name));
                let member = self.made.node(content.index(1)?)?;
                self.call(module, name, &[member])
            }
            kind::OBJECT => self.object(content),
            other => Err(format!("a value of the unknown kind {other}")),
        }
    }

    /// A list of numbers.
    fn list(&mut self, maker: &str, items: impl Iterator<Item = PickleValue>) -> Read<NodeId> {
        let items = items.map(|item| self.add(item)).collect::<Read<Vec<_>>>()?;
        let list = self.add(PickleValue::List(items))?;
        self.call("torch.jit._pickle", maker, &[list])
    }

    /// A container of a type.
    fn tagged(&mut self, container: NodeId, ty: &str) -> Read<NodeId> {
        if ty.is_empty() {
            return Ok(container);
        }
        let ty = self.text(ty)?;
        self.call("torch.jit._pickle", "restore_type_tag", &[container, ty])
    }

    fn object(&mut self, content: &Table<'_>) -> Read<NodeId> {
        let number = content.index(0)?;
        let class = self.classes.get(number);
        let class = class.ok_or_else(|| format!("there is no class {number}"))?;
        let (module, name) = (class.module, class.name);
        let state = match class.kind {
            object::WITH_ATTRIBUTES => {
                let values = self.made.nodes_of(&content.numbers(2)?)?;
                if values.len() != class.attributes.len() {
                    return Err(format!(
                        "an object of {module}.{name} with {} attributes of {}",
                        values.len(),
                        class.attributes.len()
                    ));
                }
                let names = class.attributes.iter().map(|name| self.builder.text(name));
                let names = names.collect::<Result<Vec<_>, _>>().map_err(beyond)?;
                let pairs = names.into_iter().zip(values).collect();
                self.builder
                    .node(PickleValue::Dict(pairs))
                    .map_err(beyond)?
            }
            object::NATIVE | object::WITH_STATE => self.made.node(content.index(1)?)?,
            other => return Err(format!("objects of {module}.{name} are of kind {other}")),
        };
        let object = self.builder.instance(module, name, state);
        object.map_err(beyond)
    }

    /// As `_rebuild_tensor_v2` and `_rebuild_qtensor` take them.
    fn tensor(&mut self, content: &Table<'_>) -> Read<NodeId> {
        let code = i64::from(content.number::<i8>(1, 0)?);
        let dtype = DType::from_code(code);
        let dtype = dtype.ok_or_else(|| format!("a tensor of the unknown dtype {code}"))?;
        let class = format!("{}Storage", dtype.class_name());
        let storage = self.storage(&class, content.index(0)?)?;
        let offset = i64::from(content.number::<i32>(2, 0)?);
        let offset = self.builder.int(offset).map_err(beyond)?;
        let sizes = self.dims(content, 3)?;
        let strides = self.dims(content, 4)?;
        let gradients = self.builder.bool(content.number::<u8>(5, 0)? != 0);
        match content.table(6)? {
            Some(scheme) => {
                let scheme = self.scheme(&scheme)?;
                let args = [storage, offset, sizes, strides, scheme, gradients];
                self.call("torch._utils", "_rebuild_qtensor", &args)
            }
            None => {
                let args = [storage, offset, sizes, strides, gradients];
                self.call("torch._utils", "_rebuild_tensor_v2", &args)
            }
        }
    }

    fn dims(&mut self, content: &Table<'_>, field: usize) -> Read<NodeId> {
        let dims = content.numbers::<i32>(field)?;
        let dims = dims.into_iter().map(i64::from);
        self.builder.int_tuple(dims).map_err(beyond)
    }

    fn storage(&mut self, class: &str, number: usize) -> Read<NodeId> {
        let class = self.builder.global("torch", class).map_err(beyond)?;
        let (word, name) = (self.text("storage")?, self.text(&storage_record(number))?);
        let (device, count) = (self.text("cpu")?, self.builder.none());
        let key = [word, class, name, device, count];
        let key = self.builder.tuple(&key).map_err(beyond)?;
        self.add(PickleValue::PersistentId(key))
    }

    /// How the integers of a quantized tensor are meant.
    fn scheme(&mut self, content: &Table<'_>) -> Read<NodeId> {
        let number = content.number::<i8>(0, 0)?;
        let (name, per_channel) = match number {
            0 => ("per_tensor_affine", false),
            1 => ("per_channel_affine", true),
            4 => ("per_channel_affine_float_qparams", true),
            other => return Err(format!("a quantized tensor of the scheme {other}")),
        };
        let mut parts = vec![self.builder.global("torch", name).map_err(beyond)?];
        if per_channel {
            for field in [3, 4] {
                let numbers = content.table(field)?;
                let numbers = numbers.ok_or("a quantized tensor without its scales")?;
                if numbers.table(6)?.is_some() {
                    return Err("the scales of a quantized tensor are quantized".into());
                }
                parts.push(self.tensor(&numbers)?);
            }
            parts.push(self.add(PickleValue::Int(content.number::<i32>(5, 0)?.into()))?);
        } else {
            parts.push(self.add(PickleValue::Float(content.number(1, 0.0)?))?);
            parts.push(self.add(PickleValue::Int(content.number::<i32>(2, 0)?.into()))?);
        }
        self.builder.tuple(&parts).map_err(beyond)
    }
}
