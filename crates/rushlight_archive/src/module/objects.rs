//! Values as pickles: what [`super::value`] reads back.

use super::save::SaveError;
use crate::pickle::{MemoId, Pickler};
use crate::zip::Writer;
use rushlight_ir::Unit;
use rushlight_tensor::{DType, Layout, Marks, Quantizer, Storage, Tensor};
use rushlight_types::{Callable, ClassType, Context, Object, Type, Value, keeper, native};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Attributes nested deeper than this are refused; so is data that holds itself.
const MAX_DEPTH: usize = 200;

/// Writes one pickle of an archive, and collects the tensors and classes in it.
pub(super) struct ObjectPickler<'u> {
    unit: &'u Unit,
    context: &'u Context,
    out: Pickler,
    /// How often each shared value occurs, by address.
    occurrences: HashMap<usize, usize>,
    memo: HashMap<usize, MemoId>,
    /// What `__getstate__` gave for an object, by its address: it runs once.
    states: HashMap<usize, Value>,
    /// Whether `__getstate__` runs for objects without a state.
    runs_getstate: bool,
    devices: HashMap<String, MemoId>,
    storages: Vec<Storage>,
    /// The numbers of those that have no elements: they are on the meta device.
    absent: HashSet<usize>,
    /// Storages that have been named already, by number and element type: only one that is taken from the memo again is
    /// one memory for PyTorch.
    named: HashMap<(usize, DType), MemoId>,
    classes: Vec<Arc<ClassType>>,
}

type Done = Result<(), SaveError>;

fn refused<T>(message: String) -> Result<T, SaveError> {
    Err(SaveError::Value(message))
}

/// The address of a value that others may share; `None` for what is copied freely.
fn identity(value: &Value) -> Option<usize> {
    Some(match value {
        Value::Tensor(t) => t.id(),
        Value::IntList(l) => l.id(),
        Value::FloatList(l) => l.id(),
        Value::BoolList(l) => l.id(),
        Value::TensorList(l) => l.id(),
        Value::List(l) => Arc::as_ptr(l) as usize,
        Value::Dict(d) => Arc::as_ptr(d) as usize,
        Value::Object(o) => Arc::as_ptr(o) as usize,
        _ => return None,
    })
}

/// The parts of a value, as far as sharing goes.
fn parts(value: &Value, states: &HashMap<usize, Value>) -> Vec<Value> {
    match value {
        Value::TensorList(_) | Value::List(_) => value.list_items().unwrap_or_default(),
        Value::Dict(dict) => dict
            .entries()
            .into_iter()
            .flat_map(|(k, v)| [k, v])
            .collect(),
        Value::Tuple(tuple) => tuple.items.to_vec(),
        Value::Object(object) => match states.get(&(Arc::as_ptr(object) as usize)) {
            Some(state) => vec![state.clone()],
            None => (0..object.class().attribute_count())
                .map(|slot| object.slot(slot))
                .collect(),
        },
        _ => Vec::new(),
    }
}

impl<'u> ObjectPickler<'u> {
    /// A pickler of values whose classes have their methods in `unit`.
    pub fn new(unit: &'u Unit, context: &'u Context) -> ObjectPickler<'u> {
        ObjectPickler {
            unit,
            context,
            out: Pickler::new(),
            occurrences: HashMap::new(),
            memo: HashMap::new(),
            states: HashMap::new(),
            runs_getstate: true,
            devices: HashMap::new(),
            storages: Vec::new(),
            absent: HashSet::new(),
            named: HashMap::new(),
            classes: Vec::new(),
        }
    }

    /// The same, with the states of objects by their addresses: no code runs to ask for them.
    pub fn with_states(mut self, states: HashMap<usize, Value>) -> ObjectPickler<'u> {
        self.states = states;
        self.runs_getstate = false;
        self
    }

    /// Writes the one value of the pickle.
    pub fn root(&mut self, value: &Value) -> Done {
        self.count(value, 0)?;
        self.value(value)
    }

    /// Writes a tuple of values as the pickle's value.
    pub fn tuple(&mut self, values: &[Value]) -> Done {
        for value in values {
            self.count(value, 0)?;
        }
        self.items_tuple(values)
    }

    /// The pickle and the classes of its objects, in order of appearance; its tensors become records of `folder`.
    pub fn finish(
        self,
        folder: &str,
        zip: &mut Writer,
    ) -> Result<(Vec<u8>, Vec<Arc<ClassType>>), SaveError> {
        for (number, storage) in self.storages.iter().enumerate() {
            let bytes = match self.absent.contains(&number) {
                true => Vec::new(),
                false => bytes_of(storage)?,
            };
            zip.add_stored(&format!("{folder}/{number}"), &bytes)?;
        }
        Ok((self.out.finish()?, self.classes))
    }

    /// Counts how often every shared part occurs, runs `__getstate__` and refuses data that holds itself.
    fn count(&mut self, value: &Value, depth: usize) -> Done {
        if depth > MAX_DEPTH {
            return refused(
                "an attribute is nested too deeply, or holds itself, and cannot be saved".into(),
            );
        }
        if let Some(id) = identity(value) {
            let count = self.occurrences.entry(id).or_default();
            *count += 1;
            if *count > 1 {
                return Ok(());
            }
        }
        if let Value::Object(object) = value {
            self.run_getstate(object)?;
        }
        for part in parts(value, &self.states) {
            self.count(&part, depth + 1)?;
        }
        Ok(())
    }

    fn run_getstate(&mut self, object: &Arc<Object>) -> Done {
        let class = object.class();
        if let Some(state) = native::state(object) {
            self.states.insert(Arc::as_ptr(object) as usize, state);
            return Ok(());
        }
        if !self.runs_getstate {
            return Ok(());
        }
        if class.method("__getstate__").is_none() || class.method("__setstate__").is_none() {
            return Ok(());
        }
        let Some(function) = self.unit.method(class, "__getstate__") else {
            return refused(format!("{}.__getstate__ has no body", class.name()));
        };
        match function.invoke(self.context, vec![Value::Object(object.clone())]) {
            Ok(state) => {
                self.states.insert(Arc::as_ptr(object) as usize, state);
                Ok(())
            }
            Err(fault) => refused(format!(
                "{}.__getstate__ failed: {}",
                class.name(),
                fault.message()
            )),
        }
    }

    fn value(&mut self, value: &Value) -> Done {
        let id = identity(value);
        if let Some(&known) = id.and_then(|id| self.memo.get(&id)) {
            self.out.get(known);
            return Ok(());
        }
        self.fresh_value(value)?;
        if let Some(id) = id
            && self.is_kept(value, id)
        {
            let number = self.out.memoize();
            self.memo.insert(id, number);
        }
        Ok(())
    }

    /// Whether a value goes into the memo: tensors and modules always, the rest where it occurs again.
    fn is_kept(&self, value: &Value, id: usize) -> bool {
        match value {
            Value::Tensor(_) => true,
            Value::Object(object) if object.class().is_module() => true,
            _ => self.occurrences.get(&id).is_some_and(|&n| n > 1),
        }
    }

    fn fresh_value(&mut self, value: &Value) -> Done {
        match value {
            Value::None => {
                self.out.none();
            }
            Value::Bool(b) => {
                self.out.bool(*b);
            }
            Value::Int(i) => {
                self.out.int(*i);
            }
            Value::Float(f) => {
                self.out.float(*f);
            }
            Value::Str(s) => {
                self.out.str_bytes(s.as_bytes());
            }
            Value::Complex(c) => {
                self.out.global("builtins", "complex");
                let (re, im) = (c.re, c.im);
                self.out
                    .tuple(2, |p| {
                        p.float(re).float(im);
                    })
                    .reduce();
            }
            Value::Device(device) => self.device(&device.to_string()),
            Value::Tensor(tensor) => self.tensor(tensor)?,
            Value::IntList(l) => {
                self.out
                    .typed_list("build_intlist", l.lock().iter(), |p, &i| {
                        p.int(i);
                    });
            }
            Value::FloatList(l) => {
                self.out
                    .typed_list("build_doublelist", l.lock().iter(), |p, &f| {
                        p.float(f);
                    });
            }
            Value::BoolList(l) => {
                self.out
                    .typed_list("build_boollist", l.lock().iter(), |p, &b| {
                        p.bool(b);
                    });
            }
            Value::TensorList(_) => {
                self.out.global("torch.jit._pickle", "build_tensorlist");
                self.out.begin_items().begin_list().begin_items();
                self.values(&value.list_items().unwrap_or_default())?;
                self.out.append_items().tuple_items().reduce();
            }
            Value::List(list) => {
                self.out.global("torch.jit._pickle", "restore_type_tag");
                self.out.begin_list().begin_items();
                self.values(&value.list_items().unwrap_or_default())?;
                self.out.append_items();
                self.tag(&Type::list(list.element.clone()));
            }
            Value::Dict(dict) => {
                self.out.global("torch.jit._pickle", "restore_type_tag");
                self.out.begin_dict().begin_items();
                let entries = dict.entries();
                for (key, value) in &entries {
                    self.value(key)?;
                    self.value(value)?;
                }
                self.out.set_items();
                self.tag(&Type::dict(dict.key_type.clone(), dict.value_type.clone()));
            }
            Value::Tuple(tuple) => self.items_tuple(&tuple.items)?,
            Value::Enum(member) => {
                let (module, name) = split_name(&member.ty.name);
                self.out.global(module, name);
                self.value(member.value())?;
                self.out.reduce();
            }
            Value::Object(object) => self.object(object)?,
            other => {
                return refused(format!(
                    "a value of type {} cannot be saved",
                    other.type_of().annotation()
                ));
            }
        }
        Ok(())
    }

    fn values(&mut self, values: &[Value]) -> Done {
        values.iter().try_for_each(|value| self.value(value))
    }

    fn items_tuple(&mut self, items: &[Value]) -> Done {
        let mut result = Ok(());
        match items.len() {
            0 => {
                self.out.empty_tuple();
            }
            1..=3 => {
                result = self.values(items);
                self.out.tuple(items.len(), |_| ());
            }
            _ => {
                self.out.begin_items();
                result = self.values(items);
                self.out.tuple_items();
            }
        }
        result
    }

    fn tag(&mut self, ty: &Type) {
        self.out.str(&ty.annotation());
        self.out.tuple(2, |_| ()).reduce();
    }

    fn device(&mut self, name: &str) {
        if let Some(&known) = self.devices.get(name) {
            self.out.get(known);
            return;
        }
        self.out.global("torch", "device");
        self.out.str(name).tuple(1, |_| ()).reduce();
        let number = self.out.memoize();
        self.devices.insert(name.into(), number);
    }

    fn object(&mut self, object: &Arc<Object>) -> Done {
        let class = object.class().clone();
        if !self.classes.contains(&class) && !native::is_native(class.name()) {
            self.classes.push(class.clone());
        }
        let (module, name) = split_name(class.name());
        self.out.global(module, name);
        self.out.empty_tuple().new_object();
        if let Some(state) = self.states.get(&(Arc::as_ptr(object) as usize)).cloned() {
            self.value(&state)?;
            // The state is a value of its own, which the memo counts.
            if identity(&state).is_none() {
                self.out.memoize();
            }
            self.out.build();
            return Ok(());
        }
        self.out.begin_dict().begin_items();
        for (slot, attribute) in class.attributes().iter().enumerate() {
            let value = object.slot(slot);
            if matches!(value, Value::Uninitialized) {
                return refused(format!(
                    "the attribute '{}' of {} has no value yet, so it cannot be saved",
                    attribute.name,
                    class.name()
                ));
            }
            self.out.str(&attribute.name);
            self.value(&value)?;
        }
        self.out.set_items().build();
        Ok(())
    }

    /// `(per_tensor_affine, scale, zero_point)` or `(per_channel_affine, scales, zero_points, axis)`.
    fn scheme(&mut self, quantizer: &Quantizer) -> Done {
        self.out
            .begin_items()
            .global("torch", quantizer.scheme_name());
        match quantizer {
            Quantizer::Tensor { scale, zero_point } => {
                self.out.float(*scale).int(*zero_point);
            }
            Quantizer::Channel { axis, .. } => {
                let fault = |e: rushlight_tensor::Fault| SaveError::Value(e.message().to_string());
                let scales = quantizer.scales().map_err(fault)?;
                let zero_points = quantizer.zero_points().map_err(fault)?;
                self.tensor(&scales)?;
                self.tensor(&zero_points)?;
                self.out.int(*axis as i64);
            }
        }
        self.out.tuple_items();
        Ok(())
    }

    /// `_rebuild_sparse_tensor(layout, size, requires_grad, *places, values, hooks)`.
    fn kept_tensor(&mut self, tensor: &Tensor) -> Done {
        let fault = |e: rushlight_tensor::Fault| SaveError::Value(e.message().to_string());
        let parts = keeper().and_then(|keeper| keeper.parts(tensor));
        let parts = parts.map_err(fault)?;
        self.out
            .global("torch._utils", "_rebuild_sparse_tensor")
            .begin_items()
            .int(parts.layout)
            .int_tuple_items(&parts.size)
            .bool(tensor.requires_grad());
        for part in &parts.tensors {
            self.tensor(part)?;
        }
        self.out
            .global("collections", "OrderedDict")
            .empty_tuple()
            .reduce()
            .tuple_items()
            .reduce();
        Ok(())
    }

    fn tensor(&mut self, tensor: &Tensor) -> Done {
        if tensor.kept().is_some() {
            return self.kept_tensor(tensor);
        }
        let storage = tensor.storage();
        let number = match self.storages.iter().position(|s| s.same(&storage)) {
            Some(number) => number,
            None => {
                self.storages.push(storage.clone());
                self.storages.len() - 1
            }
        };
        if tensor.is_meta() {
            self.absent.insert(number);
        }
        let dtype = tensor.dtype();
        let dims = |values: &[usize]| values.iter().map(|&v| v as i64).collect::<Vec<_>>();
        let rebuild = match tensor.quantizer() {
            Some(_) => "_rebuild_qtensor",
            None => "_rebuild_tensor_v2",
        };
        self.out.global("torch._utils", rebuild).begin_items();
        self.storage(number, &storage, dtype);
        self.out
            .int(tensor.layout().offset() as i64)
            .int_tuple_items(&dims(tensor.sizes()))
            .int_tuple_items(&dims(tensor.strides()));
        if let Some(quantizer) = tensor.quantizer() {
            self.scheme(quantizer)?;
        }
        self.out
            .bool(tensor.requires_grad())
            .global("collections", "OrderedDict")
            .empty_tuple()
            .reduce();
        self.marks(tensor);
        self.out.tuple_items().reduce();
        Ok(())
    }

    /// What elements are read with, where that is anything: `{"neg": True, "conj": True}`.
    fn marks(&mut self, tensor: &Tensor) {
        if tensor.marks().without(Marks::META).is_none() {
            return;
        }
        self.out.global("torch.jit._pickle", "restore_type_tag");
        self.out.begin_dict().begin_items();
        for (name, has) in [
            ("neg", tensor.is_negated()),
            ("conj", tensor.is_conjugated()),
        ] {
            if has {
                self.out.str(name).bool(true);
            }
        }
        self.out.set_items();
        self.tag(&Type::dict(Type::Str, Type::Bool));
    }
}

impl ObjectPickler<'_> {
    /// Names a storage, once.
    fn storage(&mut self, number: usize, storage: &Storage, dtype: DType) {
        if let Some(&known) = self.named.get(&(number, dtype)) {
            self.out.get(known);
            return;
        }
        self.out.begin_items().str("storage");
        let device = match self.absent.contains(&number) {
            true => "meta",
            false => "cpu",
        };
        let id = self
            .out
            .global("torch", &format!("{}Storage", dtype.class_name()))
            .str(&number.to_string())
            .str(device)
            .int((storage.len() / dtype.size()) as i64)
            .tuple_items()
            .persistent_id()
            .memoize();
        self.named.insert((number, dtype), id);
    }
}

/// The module and the last part of a qualified name.
fn split_name(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("__torch__", name))
}

fn bytes_of(storage: &Storage) -> Result<Vec<u8>, SaveError> {
    let whole = Tensor::view_of(storage, DType::U8, Layout::contiguous(&[storage.len()]));
    match whole {
        Ok(bytes) => Ok(bytes.to_vec::<u8>()),
        Err(fault) => refused(fault.message().to_string()),
    }
}
