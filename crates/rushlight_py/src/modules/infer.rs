//! The walk over a module instance: what each attribute is to a script.

use super::concrete::{self, Concrete, Facts, Part, Shape, Slot, ask};
use crate::convert;
use crate::handles::ScriptObject;
use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use rushlight::Value;
use rushlight::types::{AttributeKind, Object, Type, unify};
use std::rc::Rc;
use std::sync::Arc;

/// Modules nested deeper than this are refused: each level costs native stack.
const MAX_DEPTH: usize = 200;

/// Values of attributes nested deeper than this are refused: a list may contain itself.
const MAX_NESTING: usize = 60;

/// An instance with its type and the values of its attributes.
pub struct Inferred {
    pub concrete: Rc<Concrete>,
    /// The values of the slots, in order.
    pub values: Vec<Value>,
    /// The submodules, in order.
    pub children: Vec<Child>,
}

/// A submodule of an instance.
pub enum Child {
    /// One that is scripted along.
    New(Box<Inferred>),
    /// One that is scripted already.
    Known(Arc<Object>),
}

/// What an attribute turned out to be.
enum Found {
    Value(Value, Type),
    Function(Py<PyAny>),
    Failed(String),
}

/// Which instances share their types with equal ones.
#[derive(Clone, Copy, PartialEq)]
pub enum Sharing {
    All,
    /// All but the instance itself.
    Parts,
    /// Neither the instance nor its submodules: methods will be added to their types, or a program wants it so.
    Nothing,
}

impl Sharing {
    fn of_parts(self) -> Sharing {
        match self {
            Sharing::All | Sharing::Parts => Sharing::All,
            Sharing::Nothing => Sharing::Nothing,
        }
    }
}

struct Walk<'a, 'py> {
    module: &'a Bound<'py, PyAny>,
    facts: Rc<Facts>,
    shape: Shape,
    values: Vec<Value>,
    children: Vec<Child>,
    sharing: Sharing,
    depth: usize,
}

/// Finds the type of an instance, submodules first.
pub fn infer(module: &Bound<'_, PyAny>, sharing: Sharing, depth: usize) -> PyResult<Inferred> {
    if depth > MAX_DEPTH {
        return Err(PyRecursionError::new_err(
            "maximum recursion depth exceeded",
        ));
    }
    let class = module.get_type();
    let instance = module.getattr("__dict__")?.cast_into::<PyDict>()?;
    if !instance.contains("_parameters")? {
        ask(module.py(), "check_initialised", (module,))?;
    }
    let facts = match instance.values().iter().any(|v| v.is_callable()) {
        true => concrete::facts_of_instance(module)?,
        false => concrete::facts_of(&class)?,
    };
    if facts.is_checked {
        ask(module.py(), "check_initialised", (module,))?;
    }
    let mut walk = Walk {
        module,
        facts: facts.clone(),
        shape: Shape {
            slots: Vec::new(),
            parts: Vec::new(),
            constants: Vec::new(),
            functions: Vec::new(),
            failed: Vec::new(),
            hooks: [
                hooks_of(module, "_forward_pre_hooks")?,
                hooks_of(module, "_forward_hooks")?,
            ],
        },
        values: Vec::new(),
        children: Vec::new(),
        sharing,
        depth,
    };
    walk.tensors("_parameters", AttributeKind::Parameter)?;
    walk.tensors("_buffers", AttributeKind::Buffer)?;
    walk.submodules()?;
    walk.constants()?;
    walk.attributes()?;
    let (values, children) = (walk.values, walk.children);
    let concrete =
        concrete::find_or_make(class.as_any(), facts, walk.shape, sharing == Sharing::All);
    Ok(Inferred {
        concrete,
        values,
        children,
    })
}

fn table<'py>(module: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyDict>> {
    Ok(module.getattr(name)?.cast_into::<PyDict>()?)
}

fn hooks_of(module: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Py<PyAny>>> {
    let hooks = table(module, name)?;
    Ok(hooks.values().iter().map(Bound::unbind).collect())
}

impl<'py> Walk<'_, 'py> {
    fn add(&mut self, name: &str, kind: AttributeKind, found: Found) {
        let name: Arc<str> = name.into();
        match found {
            Found::Value(value, ty) => {
                self.shape.slots.push(Slot { name, ty, kind });
                self.values.push(value);
            }
            Found::Function(function) => self.shape.functions.push((name, function)),
            Found::Failed(why) => self.shape.failed.push((name, why)),
        }
    }

    fn known(&self, name: &str) -> bool {
        let shape = &self.shape;
        shape.slots.iter().any(|s| &*s.name == name)
            || shape.parts.iter().any(|p| &*p.0 == name)
            || shape.constants.iter().any(|c| &*c.0 == name)
    }

    fn tensors(&mut self, which: &str, kind: AttributeKind) -> PyResult<()> {
        for (name, item) in table(self.module, which)?.iter() {
            let name: String = name.extract()?;
            if self.facts.left_out.contains(&name) {
                continue;
            }
            if !item.is_none() {
                crate::identity::remember_tensor(item.cast()?);
            }
            let found = self.attribute(&name, &item)?;
            self.add(&name, kind, found);
        }
        Ok(())
    }

    fn submodules(&mut self) -> PyResult<()> {
        for (name, item) in table(self.module, "_modules")?.iter() {
            let name: String = name.extract()?;
            if self.facts.left_out.contains(&name) {
                continue;
            }
            if item.is_none() {
                let found = self.attribute(&name, &item)?;
                self.add(&name, AttributeKind::Plain, found);
                continue;
            }
            let (part, child) = self.submodule(&name, &item)?;
            self.shape.parts.push((name.as_str().into(), part));
            self.children.push(child);
        }
        Ok(())
    }

    fn submodule(&self, name: &str, item: &Bound<'py, PyAny>) -> PyResult<(Part, Child)> {
        let (part, child) = match scripted(item) {
            Some(object) => {
                let part = match concrete::of_class(object.class()) {
                    Some(concrete) => Part::Module(concrete),
                    None => Part::Loaded(object.class().clone()),
                };
                (part, Child::Known(object))
            }
            None => {
                let inferred = infer(item, self.sharing.of_parts(), self.depth + 1)?;
                (
                    Part::Module(inferred.concrete.clone()),
                    Child::New(Box::new(inferred)),
                )
            }
        };
        match self.facts.annotations.get(name) {
            Some(ty @ Type::Interface(_)) => Ok((Part::Interface(ty.clone()), child)),
            _ => Ok((part, child)),
        }
    }

    fn constants(&mut self) -> PyResult<()> {
        for name in self.facts.clone().constants.iter() {
            let py = self.module.py();
            if let Some(value) = self.plain_constant(name)? {
                self.shape.constants.push((name.as_str().into(), value));
                continue;
            }
            let answer = ask(
                py,
                "constant_value",
                (self.facts.object.bind(py), name, self.module),
            )?;
            if answer.is_none() {
                continue;
            }
            let value = answer.get_item(0)?;
            self.shape
                .constants
                .push((name.as_str().into(), convert::infer(&value)?));
        }
        Ok(())
    }

    /// A constant that is a number, a string, None or a tuple of them; Python decides about others.
    fn plain_constant(&self, name: &str) -> PyResult<Option<Value>> {
        let instance = self.module.getattr("__dict__")?.cast_into::<PyDict>()?;
        match instance.get_item(name)? {
            Some(item) if item.cast::<crate::identity::PyTensor>().is_err() => constant(&item, 0),
            _ => Ok(None),
        }
    }

    fn attributes(&mut self) -> PyResult<()> {
        let instance = self.module.getattr("__dict__")?.cast_into::<PyDict>()?;
        for (name, item) in instance.iter() {
            let name: String = name.extract()?;
            if self.facts.left_out.contains(&name) || self.known(&name) {
                continue;
            }
            let found = self.attribute(&name, &item)?;
            self.add(&name, AttributeKind::Plain, found);
        }
        Ok(())
    }

    fn attribute(&self, name: &str, item: &Bound<'py, PyAny>) -> PyResult<Found> {
        if let Some(ty) = self.facts.annotations.get(name) {
            return annotated(name, item, ty.clone());
        }
        if let Some(value) = simple(item)? {
            let ty = value.type_of();
            return Ok(Found::Value(value, ty));
        }
        let kind = ask(item.py(), "attribute_kind", (item,))?;
        if !kind.is_none() {
            let kind = concrete::tuple_of(&kind)?.clone();
            return match kind.get_item(0)?.extract::<String>()?.as_str() {
                "typed" => {
                    let ty = concrete::type_from(&kind.get_item(2)?)?;
                    annotated(name, &kind.get_item(1)?, ty)
                }
                _ => Ok(Found::Function(kind.get_item(1)?.unbind())),
            };
        }
        match value_of(item, 0)? {
            Ok(value) => {
                let ty = value.type_of();
                Ok(Found::Value(value, ty))
            }
            Err(reason) => {
                let shown: String = ask(item.py(), "type_name", (item,))?.extract()?;
                Ok(Found::Failed(format!(
                    "(This attribute exists on the Python module, but we failed to convert Python type: '{shown}' to a TorchScript type. {reason}. Its type was inferred; try adding a type annotation for the attribute.)"
                )))
            }
        }
    }
}

/// A value for an attribute whose type is annotated.
fn annotated(name: &str, item: &Bound<'_, PyAny>, ty: Type) -> PyResult<Found> {
    let item = match ask(item.py(), "attribute_kind", (item,)) {
        Ok(kind) if !kind.is_none() && kind.get_item(0)?.extract::<String>()? == "typed" => {
            kind.get_item(1)?
        }
        _ => item.clone(),
    };
    let value = concrete::cast_attribute(name, &item, &ty)?;
    Ok(Found::Value(value, ty))
}

fn constant(item: &Bound<'_, PyAny>, depth: usize) -> PyResult<Option<Value>> {
    if item.cast::<crate::identity::PyTensor>().is_ok() || depth > 10 {
        return Ok(None);
    }
    if let Ok(tuple) = item.cast_exact::<PyTuple>() {
        let mut values = Vec::with_capacity(tuple.len());
        for part in tuple.iter() {
            match constant(&part, depth + 1)? {
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
        return Ok(Some(Value::tuple(values)));
    }
    simple(item)
}

/// Numbers, strings, tensors and None.
fn simple(item: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    let plain = item.is_none()
        || item.is_exact_instance_of::<PyBool>()
        || item.is_exact_instance_of::<PyInt>()
        || item.is_exact_instance_of::<PyFloat>()
        || item.is_exact_instance_of::<PyString>()
        || item.cast::<crate::identity::PyTensor>().is_ok();
    if plain {
        convert::infer(item).map(Some)
    } else {
        Ok(None)
    }
}

/// As [`value_of`], for objects from elsewhere.
pub fn inferred(item: &Bound<'_, PyAny>) -> PyResult<Result<Value, String>> {
    value_of(item, 0)
}

/// The value of any object, or why there is none, in the reference's words.
fn value_of(item: &Bound<'_, PyAny>, depth: usize) -> PyResult<Result<Value, String>> {
    if depth > MAX_NESTING {
        return Ok(Err("The value is nested too deeply".into()));
    }
    // Members of enums that are numbers or strings, too.
    let is_plain = item.is_instance_of::<PyInt>()
        || item.is_instance_of::<PyFloat>()
        || item.is_instance_of::<PyString>();
    if is_plain {
        return convert::infer(item).map(Ok);
    }
    if let Some(value) = simple(item)? {
        return Ok(Ok(value));
    }
    if let Ok(list) = item.cast::<PyList>() {
        if list.is_empty() {
            return Ok(Err("List trace inputs must have elements".into()));
        }
        return elements(list.iter().collect(), "List", depth).map(|r| {
            r.and_then(|(ty, values)| Value::list(&ty, values).map_err(|e| e.message().to_string()))
        });
    }
    if let Ok(dict) = item.cast::<PyDict>() {
        return dict_value(dict, depth);
    }
    // Named tuples too: only an annotation says what the names are.
    if let Ok(tuple) = item.cast::<PyTuple>() {
        let mut values = Vec::new();
        for part in tuple.iter() {
            match value_of(&part, depth + 1)? {
                Ok(value) => values.push(value),
                Err(why) => return Ok(Err(why)),
            }
        }
        return Ok(Ok(Value::tuple(values)));
    }
    let described = ask(item.py(), "type_of_instance", (item,));
    if let Ok(described) = described
        && !described.is_none()
        && let Ok(ty) = concrete::type_from(&described)
        && let Some(value) = convert::from_python(item, &ty)
    {
        // A class with a method that does not compile is none that scripts can use.
        return Ok(crate::classes::compile_methods(&ty)
            .map(|()| value)
            .map_err(|_| convert::not_supported(item)));
    }
    match convert::infer(item)? {
        Value::Foreign(_) if is_module(item) => {
            Ok(Err("Cannot infer concrete type of torch.nn.Module".into()))
        }
        Value::Foreign(_) => Ok(Err(convert::not_supported(item))),
        Value::Object(object) if depth > 0 && object.class().is_module() => {
            Ok(Err("Cannot infer type of ScriptModule".into()))
        }
        value => Ok(Ok(value)),
    }
}

/// Whether an object is an instance of `torch.nn.Module`.
fn is_module(item: &Bound<'_, PyAny>) -> bool {
    let tables = ["_parameters", "_buffers", "_modules"];
    let instance = item.getattr("__dict__").ok();
    let instance = instance.and_then(|d| d.cast_into::<PyDict>().ok());
    instance.is_some_and(|d| tables.iter().all(|t| d.contains(t).unwrap_or(false)))
}

/// Values of one type.
fn elements(
    items: Vec<Bound<'_, PyAny>>,
    what: &str,
    depth: usize,
) -> PyResult<Result<(Type, Vec<Value>), String>> {
    let mut values = Vec::with_capacity(items.len());
    let mut common: Option<Type> = None;
    for item in items {
        let value = match value_of(&item, depth + 1)? {
            Ok(value) => value,
            Err(why) if what == "List" => {
                return Ok(Err(format!("Could not infer type of list element: {why}")));
            }
            Err(why) => return Ok(Err(why)),
        };
        let ty = value.type_of();
        let both = match &common {
            Some(known) => unify(known, &ty, false),
            None => Some(ty.clone()),
        };
        match (both, common) {
            (None, Some(known)) => {
                let element = if what == "List" { "element " } else { "" };
                return Ok(Err(format!(
                    "{what} inputs to traced functions must have consistent {element}type. Found {known} and {ty}"
                )));
            }
            (both, _) => common = both,
        }
        values.push(value);
    }
    Ok(Ok((common.unwrap_or(Type::TENSOR), values)))
}

fn dict_value(dict: &Bound<'_, PyDict>, depth: usize) -> PyResult<Result<Value, String>> {
    if dict.is_empty() {
        return Ok(Err("Dictionary inputs must have entries".into()));
    }
    let keys = elements(dict.keys().iter().collect(), "Dictionary", depth)?;
    let values = elements(dict.values().iter().collect(), "Dictionary", depth)?;
    let (keys, values) = match (keys, values) {
        (Ok(keys), Ok(values)) => (keys, values),
        (Err(why), _) | (_, Err(why)) => return Ok(Err(why)),
    };
    let ty = Type::dict(keys.0, values.0);
    Ok(convert::from_python(dict.as_any(), &ty)
        .ok_or_else(|| "the entries of this dictionary do not have one type".to_string()))
}

/// The object of a module that is scripted already.
fn scripted(item: &Bound<'_, PyAny>) -> Option<Arc<Object>> {
    let instance = item.getattr("__dict__").ok()?.cast_into::<PyDict>().ok()?;
    let inner = instance.get_item("_c").ok()??;
    let object = inner.cast::<ScriptObject>().ok()?.borrow();
    crate::state::keep_unit(&object.unit);
    Some(object.object.clone())
}
