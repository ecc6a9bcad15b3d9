//! From pickled nodes to values, under an allow-list of names.
//!
//! Every node becomes one value, so that what was shared stays shared. Depth was bounded when the pickle was read.

use super::refusal::Refusal;
use super::states::KeptStates;
use crate::code::Importer;
use crate::pickle::{NodeId, Object as Made, Pickle, PickleValue};
use crate::zip::Archive;
use rushlight_syntax::stack::deep;
use rushlight_tensor::{Complex64, DType, Device, Layout, Marks, Quantizer, Storage, Tensor};
use rushlight_types::{
    Context, Dict, EnumValue, Fault, KeptParts, Key, Object, Str, Tuple, Type, Value, keeper,
    native,
};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Turns one pickle of an archive into values.
pub struct Unpickler<'p> {
    pickle: &'p Pickle,
    archive: &'p Archive,
    /// The folder of tensor records: `data` or `constants`.
    folder: &'p str,
    importer: &'p Rc<Importer>,
    context: &'p Context,
    made: HashMap<NodeId, Value>,
    storages: HashMap<String, Storage>,
    /// Tensors that pickles of PyTorch 1.1 and 1.2 name by number.
    tensors: &'p [Tensor],
    /// Whether numbers in tensor records have their highest byte first, as machines of some kinds write them.
    is_big_endian: bool,
    /// Where states go that are not to be restored.
    kept: Option<&'p KeptStates>,
}

type Unpickled<T> = Result<T, Refusal>;

impl<'p> Unpickler<'p> {
    /// An unpickler of one record.
    pub fn new(
        pickle: &'p Pickle,
        archive: &'p Archive,
        folder: &'p str,
        importer: &'p Rc<Importer>,
        context: &'p Context,
    ) -> Unpickler<'p> {
        Unpickler {
            pickle,
            archive,
            folder,
            importer,
            context,
            made: HashMap::new(),
            storages: HashMap::new(),
            tensors: &[],
            is_big_endian: archive
                .read("byteorder")
                .is_ok_and(|order| order.starts_with(b"big")),
            kept: None,
        }
    }

    /// The same, without running code: objects keep their states.
    pub fn keeping(mut self, kept: Option<&'p KeptStates>) -> Unpickler<'p> {
        self.kept = kept;
        self
    }

    /// The same, for a pickle that names tensors by their number in a table.
    pub fn with_tensors(mut self, tensors: &'p [Tensor]) -> Unpickler<'p> {
        self.tensors = tensors;
        self
    }

    /// The pickle whose values are made.
    pub fn pickle(&self) -> &'p Pickle {
        self.pickle
    }

    /// The whole value.
    pub fn root(&mut self) -> Unpickled<Value> {
        self.value(self.pickle.root(), None)
    }

    /// The value of one node, in the representation of a type where one is wanted.
    pub fn value(&mut self, id: NodeId, wanted: Option<&Type>) -> Unpickled<Value> {
        if let Some(known) = self.made.get(&id) {
            return Ok(known.clone());
        }
        deep(|| self.fresh_value(id, wanted))
    }

    fn fresh_value(&mut self, id: NodeId, wanted: Option<&Type>) -> Unpickled<Value> {
        let pickle = self.pickle;
        let value = match pickle.get(id) {
            PickleValue::None => Value::None,
            PickleValue::Bool(b) => Value::Bool(*b),
            PickleValue::Int(i) => match wanted {
                Some(Type::Float) => Value::Float(*i as f64),
                _ => Value::Int(*i),
            },
            PickleValue::Float(f) => Value::Float(*f),
            PickleValue::Str(s) => Value::str(&**s),
            PickleValue::Bytes(bytes) => Value::Str(Str::from(&**bytes)),
            PickleValue::List(items) => self.list(items, wanted)?,
            PickleValue::Tuple(items) => self.tuple(items, wanted)?,
            PickleValue::Dict(pairs) => self.dict(pairs, wanted)?,
            PickleValue::Object(object) => self.object(object, wanted)?,
            PickleValue::BigInt(_) => return Err("an integer does not fit in 64 bits".into()),
            other => {
                return Err(Refusal::Value(format!(
                    "a {} cannot be an attribute of a module",
                    other.kind()
                )));
            }
        };
        let shared = !matches!(
            value,
            Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_)
        );
        if shared {
            self.made.insert(id, value.clone());
        }
        Ok(value)
    }

    fn list(&mut self, items: &[NodeId], wanted: Option<&Type>) -> Unpickled<Value> {
        let element = inner(wanted).and_then(|t| t.list_element().cloned());
        let values = items
            .iter()
            .map(|&i| self.value(i, element.as_ref()))
            .collect::<Unpickled<Vec<_>>>()?;
        let element = element
            .or_else(|| values.first().map(Value::type_of))
            .unwrap_or(Type::TENSOR);
        Ok(Value::list(&element, values)?)
    }

    fn tuple(&mut self, items: &[NodeId], wanted: Option<&Type>) -> Unpickled<Value> {
        let ty = match inner(wanted) {
            Some(Type::Tuple(tuple)) if tuple.elements.len() == items.len() => Some(tuple.clone()),
            _ => None,
        };
        let mut values = Vec::with_capacity(items.len());
        for (i, &item) in items.iter().enumerate() {
            values.push(self.value(item, ty.as_ref().map(|t| &t.elements[i]))?);
        }
        // The reference does not restore the names of fields: they are plain tuples.
        Ok(Value::Tuple(Arc::new(Tuple {
            items: values.into(),
            ty: None,
        })))
    }

    fn dict(&mut self, pairs: &[(NodeId, NodeId)], wanted: Option<&Type>) -> Unpickled<Value> {
        let types = match inner(wanted) {
            Some(Type::Dict(kv)) => Some((kv.0.clone(), kv.1.clone())),
            _ => None,
        };
        let mut entries = Vec::with_capacity(pairs.len());
        for &(k, v) in pairs {
            let key = self.value(k, types.as_ref().map(|t| &t.0))?;
            let value = self.value(v, types.as_ref().map(|t| &t.1))?;
            entries.push((key, value));
        }
        let (key_type, value_type) = types
            .or_else(|| entries.first().map(|(k, v)| (k.type_of(), v.type_of())))
            .unwrap_or((Type::Str, Type::TENSOR));
        let dict = Dict::new(key_type, value_type);
        for (key, value) in entries {
            let key = Key::new(key)?;
            dict.items.lock().insert(key, value);
        }
        Ok(Value::Dict(Arc::new(dict)))
    }

    fn object(&mut self, made: &Made, wanted: Option<&Type>) -> Unpickled<Value> {
        let Some((module, name)) = self.pickle.as_global(made.callable) else {
            return Err("an object is made by something that is no name".into());
        };
        if module == "__torch__" || module.starts_with("__torch__.") {
            return self.user_object(&format!("{module}.{name}"), made);
        }
        let args = self.pickle.as_tuple(made.args).unwrap_or(&[]).to_vec();
        match (module, name) {
            ("torch._utils", "_rebuild_tensor_v2" | "_rebuild_tensor") => {
                self.tensor(&args).map(Value::Tensor)
            }
            ("torch._utils", "_rebuild_tensor_v3") => {
                self.tensor_of_bytes(&args).map(Value::Tensor)
            }
            ("torch._utils", "_rebuild_qtensor") => self.quantized_tensor(&args).map(Value::Tensor),
            ("torch._utils", "_rebuild_sparse_tensor") => {
                self.kept_tensor(&args).map(Value::Tensor)
            }
            ("torch._utils", "_rebuild_parameter") => match args.first() {
                Some(&inner) => self.value(inner, wanted),
                None => Err("a parameter without its tensor".into()),
            },
            ("torch.jit._pickle", "build_intlist") => self.typed_list(&args, Type::Int),
            ("torch.jit._pickle", "build_doublelist") => self.typed_list(&args, Type::Float),
            ("torch.jit._pickle", "build_boollist") => self.typed_list(&args, Type::Bool),
            ("torch.jit._pickle", "build_tensorlist") => self.typed_list(&args, Type::TENSOR),
            ("torch.jit._pickle", "build_tensor_from_id") => {
                let number = args.first().and_then(|&a| self.pickle.as_int(a));
                let tensor = number
                    .and_then(|n| usize::try_from(n).ok())
                    .and_then(|n| self.tensors.get(n));
                tensor
                    .map(|tensor| Value::Tensor(tensor.clone()))
                    .ok_or("a tensor's number names none".into())
            }
            ("torch.jit._pickle", "restore_type_tag") => self.tagged(&args),
            ("collections", "OrderedDict") => {
                let pairs = made.pairs.clone();
                self.dict(&pairs, wanted)
            }
            ("torch", "device") => {
                let kind = args.first().and_then(|&a| self.pickle.as_str(a));
                let index = args.get(1).and_then(|&a| self.pickle.as_int(a));
                let text = match (kind.unwrap_or("cpu"), index) {
                    (kind, Some(index)) => format!("{kind}:{index}"),
                    (kind, None) => kind.to_string(),
                };
                Ok(Value::Device(Device::parse(&text)?))
            }
            ("builtins" | "__builtin__", "complex") => {
                let part = |i: usize| -> f64 {
                    match args.get(i).map(|&a| self.pickle.get(a)) {
                        Some(PickleValue::Float(f)) => *f,
                        Some(PickleValue::Int(i)) => *i as f64,
                        _ => 0.0,
                    }
                };
                Ok(Value::complex(Complex64::new(part(0), part(1))))
            }
            _ => Err(Refusal::Value(format!(
                "the archive asks for {module}.{name}, which nothing here provides"
            ))),
        }
    }

    fn typed_list(&mut self, args: &[NodeId], element: Type) -> Unpickled<Value> {
        let Some(items) = args.first().and_then(|&a| self.pickle.as_list(a)) else {
            return Err("a typed list without its items".into());
        };
        let items = items.to_vec();
        self.list(&items, Some(&Type::list(element)))
    }

    /// `restore_type_tag(container, "List[Optional[int]]")`.
    fn tagged(&mut self, args: &[NodeId]) -> Unpickled<Value> {
        let [container, tag] = args else {
            return Err("a type tag takes a container and a type".into());
        };
        let text = self
            .pickle
            .as_str(*tag)
            .ok_or("a type tag is no string")?
            .to_string();
        let ty = self.importer.parse_type(&text)?;
        self.value(*container, Some(&ty))
    }

    fn user_object(&mut self, qualified: &str, made: &Made) -> Unpickled<Value> {
        let ty = self.importer.import_type(qualified)?;
        match ty {
            Some(Type::Class(class)) if native::is_native(qualified) => {
                let state = match made.state {
                    Some(state) => self.value(state, None)?,
                    None => Value::None,
                };
                Ok(Value::Object(native::object(class, state)))
            }
            Some(Type::Class(class)) => {
                let object = Object::new(class.clone());
                let Some(state) = made.state else {
                    return Ok(Value::Object(object));
                };
                if class.method("__setstate__").is_some() {
                    return self.set_state(object, state);
                }
                let Some(pairs) = self.pickle.mapping(state) else {
                    return Err(Refusal::Value(format!(
                        "the state of a {qualified} is no dict"
                    )));
                };
                for &(key, value) in pairs {
                    let name = self
                        .pickle
                        .as_str(key)
                        .ok_or("an attribute's name is no string")?
                        .to_string();
                    let Some(attribute) = class.attribute(&name) else {
                        continue;
                    };
                    let value = self.value(value, Some(&attribute.ty))?;
                    object.set(&name, value);
                }
                Ok(Value::Object(object))
            }
            Some(Type::Enum(ty)) => {
                // The value itself stands where other callables have their tuple of arguments.
                let argument = match self.pickle.as_tuple(made.args) {
                    Some([one]) => *one,
                    Some(_) => {
                        return Err(Refusal::Value(format!(
                            "a member of {qualified} without its value"
                        )));
                    }
                    None => made.args,
                };
                let value = self.value(argument, Some(&ty.value_type))?;
                let index = ty
                    .members
                    .iter()
                    .position(|m| m.1 == value || &*m.0 == value.as_str().unwrap_or(""));
                match index {
                    Some(index) => Ok(Value::Enum(Arc::new(EnumValue { ty, index }))),
                    None => Err(Refusal::Value(format!("{qualified} has no such member"))),
                }
            }
            Some(Type::Tuple(tuple)) => {
                let args = self.pickle.as_tuple(made.args).unwrap_or(&[]).to_vec();
                self.tuple(&args, Some(&Type::Tuple(tuple)))
            }
            _ => Err(Refusal::UnknownType(qualified.to_string())),
        }
    }

    /// Hands an object the state that it saved, or keeps the state for it.
    pub fn set_state(&mut self, object: Arc<Object>, state: NodeId) -> Unpickled<Value> {
        let class = object.class().clone();
        let method = class.method("__setstate__").ok_or("__setstate__ is gone")?;
        let function = self
            .importer
            .compiler()
            .unit
            .function(&method.qualified)
            .ok_or("__setstate__ has no body")?;
        let schema = self.importer.compiler().compile(&function)?;
        let wanted = schema.arguments.get(1).map(|a| a.ty.clone());
        let state = self.value(state, wanted.as_ref())?;
        if let Some(kept) = self.kept {
            kept.keep(&object, state, function.graph().as_deref());
            return Ok(Value::Object(object));
        }
        use rushlight_types::Callable;
        function
            .invoke(self.context, vec![Value::Object(object.clone()), state])
            .map_err(|e| format!("{}.__setstate__ failed: {}", class.name(), e.message()))?;
        for (slot, attribute) in class.attributes().iter().enumerate() {
            let is_missing = matches!(object.slot(slot), Value::Uninitialized | Value::None);
            if is_missing && attribute.ty.accepts_none() {
                object.set_slot(slot, Value::None);
            } else if is_missing {
                return Err(Refusal::Unfinished(Fault::runtime(format!(
                    "The field '{}' was left uninitialized after '__setstate__', but expected a value of type '{}'",
                    attribute.name, attribute.ty
                ))));
            }
        }
        Ok(Value::Object(object))
    }

    /// `_rebuild_tensor_v3(storage, offset, sizes, strides, requires_grad, hooks, dtype, ...)`: a storage of bytes.
    fn tensor_of_bytes(&mut self, args: &[NodeId]) -> Unpickled<Tensor> {
        let name = args.get(6).and_then(|&name| self.pickle.as_global(name));
        let dtype = name.and_then(|(_, name)| DType::from_name(name));
        let dtype = dtype.ok_or("a tensor of bytes without a known dtype")?;
        let mut args = args.to_vec();
        args.remove(6);
        self.tensor_as(&args, Some(dtype))
    }

    fn tensor(&mut self, args: &[NodeId]) -> Unpickled<Tensor> {
        self.tensor_as(args, None)
    }

    fn tensor_as(&mut self, args: &[NodeId], named: Option<DType>) -> Unpickled<Tensor> {
        let [storage, offset, sizes, strides, rest @ ..] = args else {
            return Err("a tensor without storage, offset, sizes and strides".into());
        };
        let is_meta = self.is_on_meta(*storage);
        let (storage, dtype) = self.storage(*storage)?;
        let dtype = named.unwrap_or(dtype);
        let dims = |id: NodeId, what: &str| -> Unpickled<Vec<usize>> {
            let items = self
                .pickle
                .as_tuple(id)
                .ok_or(format!("the {what} of a tensor are no tuple"))?;
            items
                .iter()
                .map(|&i| self.pickle.as_int(i).and_then(|v| usize::try_from(v).ok()))
                .collect::<Option<Vec<_>>>()
                .ok_or_else(|| format!("the {what} of a tensor are no sizes").into())
        };
        let (sizes, strides) = (dims(*sizes, "sizes")?, dims(*strides, "strides")?);
        if sizes.len() != strides.len() {
            return Err("a tensor with more sizes than strides, or fewer".into());
        }
        let offset = self
            .pickle
            .as_int(*offset)
            .and_then(|v| usize::try_from(v).ok())
            .ok_or("the offset of a tensor is no size")?;
        let layout = Layout::strided(&sizes, &strides, offset);
        rushlight_tensor::layout::checked_numel(&sizes)?;
        let tensor = Tensor::view_of(&storage, dtype, layout)?;
        let tensor = match is_meta {
            true => tensor.marked(Marks::META),
            false => tensor,
        };
        let tensor = match rest.get(2) {
            Some(&flags) => self.with_marks(tensor, flags)?,
            None => tensor,
        };
        if rest.first().and_then(|&r| self.pickle.as_bool(r)) == Some(true) {
            tensor.set_requires_grad(true);
        }
        Ok(tensor)
    }

    /// Marks a tensor whose elements are read otherwise than they lie: `{"conj": True}`, `{"neg": True}`.
    fn with_marks(&mut self, tensor: Tensor, flags: NodeId) -> Unpickled<Tensor> {
        let Value::Dict(flags) = self.value(flags, None)? else {
            return Ok(tensor);
        };
        let mut marks = Marks::NONE;
        for (name, mark) in [("conj", Marks::CONJUGATED), ("neg", Marks::NEGATED)] {
            let set = |(key, value): &(Value, Value)| {
                key.as_str().is_ok_and(|key| key == name) && *value == Value::Bool(true)
            };
            if flags.entries().iter().any(set) {
                marks = marks.and(mark);
            }
        }
        if marks.is_none() {
            return Ok(tensor);
        }
        if marks.has(Marks::CONJUGATED) && !tensor.dtype().is_complex() {
            return Err("a tensor of real numbers that is to be conjugated".into());
        }
        Ok(tensor.marked(marks))
    }

    /// `_rebuild_sparse_tensor(layout, size, requires_grad, *places, values, hooks)`.
    fn kept_tensor(&mut self, args: &[NodeId]) -> Unpickled<Tensor> {
        let (&[layout, size, requires_grad], rest) = args
            .split_first_chunk()
            .ok_or("a sparse tensor without its size")?;
        let [tensors @ .., _] = rest else {
            return Err("a sparse tensor without its values".into());
        };
        let layout = self.value(layout, None)?.as_int()?;
        let size = self.value(size, None)?;
        let Value::Tuple(size) = &size else {
            return Err("the size of a sparse tensor is no tuple".into());
        };
        let size = size.items.iter().map(Value::as_int);
        let size = size.collect::<rushlight_tensor::Result<Vec<_>>>()?;
        let tensors = tensors.iter().map(|&t| match self.value(t, None)? {
            Value::Tensor(tensor) => Ok(tensor),
            _ => Err("what a sparse tensor is made of are no tensors".into()),
        });
        let tensors = tensors.collect::<Unpickled<Vec<_>>>()?;
        let parts = KeptParts {
            layout,
            size,
            tensors,
        };
        let tensor = keeper()?.whole(parts)?;
        if self.value(requires_grad, None)? == Value::Bool(true) {
            tensor.set_requires_grad(true);
        }
        Ok(tensor)
    }

    /// `_rebuild_qtensor(storage, offset, sizes, strides, scheme, ...)`.
    fn quantized_tensor(&mut self, args: &[NodeId]) -> Unpickled<Tensor> {
        let [_, _, _, _, scheme, rest @ ..] = args else {
            return Err("a quantized tensor without its scheme".into());
        };
        let plain: Vec<NodeId> = args[..4].iter().chain(rest.first()).copied().collect();
        let integers = self.tensor(&plain)?;
        let quantizer = Arc::new(self.quantizer(*scheme)?);
        quantizer.check(integers.sizes())?;
        integers
            .as_quantized(&quantizer)
            .ok_or_else(|| format!("a quantized tensor of {}", integers.dtype()).into())
    }

    /// `(per_tensor_affine, scale, zero_point)` or `(per_channel_affine, scales, zero_points, axis)`.
    fn quantizer(&mut self, scheme: NodeId) -> Unpickled<Quantizer> {
        let parts = self
            .pickle
            .as_tuple(scheme)
            .ok_or("the scheme of a quantized tensor is no tuple")?
            .to_vec();
        let name = parts
            .first()
            .and_then(|&n| self.pickle.as_global(n))
            .map(|(_, name)| name);
        let mut numbers = |id: NodeId| self.value(id, None);
        match (name, parts.as_slice()) {
            (Some("per_tensor_affine"), &[_, scale, zero_point, ..]) => Ok(Quantizer::Tensor {
                scale: numbers(scale)?.as_float()?,
                zero_point: numbers(zero_point)?.as_int()?,
            }),
            (
                Some(name @ ("per_channel_affine" | "per_channel_affine_float_qparams")),
                &[_, scales, zero_points, axis, ..],
            ) => {
                let (scales, zero_points, axis) =
                    (numbers(scales)?, numbers(zero_points)?, numbers(axis)?);
                let (Value::Tensor(scales), Value::Tensor(zero_points), Value::Int(axis)) =
                    (&scales, &zero_points, &axis)
                else {
                    return Err("the scales of a quantized tensor are no tensors".into());
                };
                Ok(Quantizer::Channel {
                    scales: scales.to_vec(),
                    zero_points: zero_points.to_vec(),
                    axis: usize::try_from(*axis).map_err(|_| "a scale's axis is negative")?,
                    floating: name != "per_channel_affine",
                })
            }
            _ => Err("a quantized tensor of an unknown scheme".into()),
        }
    }

    /// The record of a storage. Bytecode shares tensors with other pickles: it names their folder, or means the constants.
    fn tensor_record(&self, name: &str) -> String {
        let own = format!("{}/{name}", self.folder);
        let shared = format!("constants/{name}");
        if name.contains('/') {
            name.to_string()
        } else if !self.archive.contains(&own) && self.archive.contains(&shared) {
            shared
        } else {
            own
        }
    }

    /// Whether a storage has no elements.
    fn is_on_meta(&self, id: NodeId) -> bool {
        let PickleValue::PersistentId(key) = self.pickle.get(id) else {
            return false;
        };
        let device = self.pickle.as_tuple(*key).and_then(|parts| parts.get(3));
        device.and_then(|device| self.pickle.as_str(*device)) == Some("meta")
    }

    /// The storage behind `('storage', FloatStorage, '0', 'cpu', 64)`.
    fn storage(&mut self, id: NodeId) -> Unpickled<(Storage, DType)> {
        let PickleValue::PersistentId(key) = self.pickle.get(id) else {
            return Err("a tensor whose storage is no persistent id".into());
        };
        let parts = self
            .pickle
            .as_tuple(*key)
            .ok_or("a persistent id that is no tuple")?;
        let [kind, class, name, _device, count, ..] = parts else {
            return Err("a storage's persistent id is too short".into());
        };
        if self.pickle.as_str(*kind) != Some("storage") {
            return Err("a persistent id that is no storage".into());
        }
        let name = self
            .pickle
            .as_str(*name)
            .ok_or("a storage's key is no string")?
            .to_string();
        let (_, class) = self
            .pickle
            .as_global(*class)
            .ok_or("a storage's class is no name")?;
        let dtype = class
            .strip_suffix("Storage")
            .and_then(|class| match class {
                "Untyped" => Some(DType::U8),
                _ => DType::from_class_name(class),
            })
            .ok_or(format!("tensors of {class} are not supported"))?
            .stored();
        if let Some(storage) = self.storages.get(&name) {
            return Ok((storage.clone(), dtype));
        }
        if self.is_on_meta(id) {
            let count = self
                .pickle
                .as_int(*count)
                .and_then(|n| usize::try_from(n).ok());
            let bytes = count.and_then(|n| n.checked_mul(dtype.size()));
            let storage = Storage::absent(bytes.ok_or("a storage's count is no size")?)?;
            self.storages.insert(name, storage.clone());
            return Ok((storage, dtype));
        }
        let record = self.tensor_record(&name);
        let record = self.archive.read_data(&record)?;
        let storage = match self.is_big_endian {
            true => Storage::copy_of(&swapped(&record, dtype)),
            false => record.storage(),
        };
        self.storages.insert(name, storage.clone());
        Ok((storage, dtype))
    }
}

/// The elements with their bytes in the other order.
fn swapped(bytes: &[u8], dtype: DType) -> Vec<u8> {
    let width = if dtype.is_complex() {
        dtype.size() / 2
    } else {
        dtype.size()
    };
    let mut out = bytes.to_vec();
    out.chunks_exact_mut(width.max(1)).for_each(<[u8]>::reverse);
    out
}

/// The type inside an optional.
fn inner(ty: Option<&Type>) -> Option<&Type> {
    match ty? {
        Type::Optional(inner) => Some(inner),
        other => Some(other),
    }
}
