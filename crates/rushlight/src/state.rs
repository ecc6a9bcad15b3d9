//! What a module holds: parameters, buffers, submodules, attributes, and copies of all that.

use crate::{Context, Module};
use rushlight_archive::Loaded;
use rushlight_runtime::invoke::value_as;
use rushlight_tensor::{DType, Tensor};
use rushlight_types::{
    AttributeKind, Callable, ErrorClass, Fault, Object, PlainCopies, Schema, Value, deep_copy,
};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

/// A method of a module, found once and ready to be called.
#[derive(Clone)]
pub struct Method {
    module: Module,
    name: Arc<str>,
    function: Arc<rushlight_ir::Function>,
}

impl Method {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How it is called. The first argument is the module itself, which callers leave out.
    pub fn schema(&self) -> Arc<Schema> {
        self.function.schema()
    }

    /// The function in its unit.
    pub fn function(&self) -> &Arc<rushlight_ir::Function> {
        &self.function
    }

    /// Calls the method; arguments are checked against the schema and defaults filled in.
    pub fn call(&self, arguments: &[Value]) -> Result<Value, Fault> {
        self.call_with(arguments, &[])
    }

    /// As [`Method::call`], with keyword arguments.
    pub fn call_with(
        &self,
        arguments: &[Value],
        keywords: &[(&str, Value)],
    ) -> Result<Value, Fault> {
        self.module
            .call_function(&self.function, arguments, keywords)
    }
}

/// `name(self, Tensor x) -> Tensor`, as the schema is printed.
impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.schema())
    }
}

impl Module {
    /// A method by name, for calls without looking it up again. The error lists the methods that there are.
    pub fn bound_method(&self, name: &str) -> Result<Method, Fault> {
        Ok(Method {
            module: self.clone(),
            name: name.into(),
            function: self.method(name)?,
        })
    }

    /// The methods in order of definition, those left out that cannot run in this build.
    pub fn methods(&self) -> Vec<Method> {
        let methods = self.object().class().methods();
        let bound = methods.iter().map(|m| self.bound_method(&m.name));
        bound.filter_map(Result::ok).collect()
    }

    /// Parameters by path (`encoder.weight`), those of submodules after one's own; one that stands in several places once.
    pub fn parameters(&self) -> Vec<(String, Tensor)> {
        self.tensors(AttributeKind::Parameter)
    }

    /// Buffers by path, as [`Module::parameters`].
    pub fn buffers(&self) -> Vec<(String, Tensor)> {
        self.tensors(AttributeKind::Buffer)
    }

    fn tensors(&self, kind: AttributeKind) -> Vec<(String, Tensor)> {
        let mut seen = HashSet::new();
        let mut out = Vec::new();
        for (path, object) in modules_below(self.object()) {
            for (slot, attribute) in object.class().attributes().iter().enumerate() {
                if attribute.kind == kind
                    && let Value::Tensor(tensor) = object.slot(slot)
                    && seen.insert(tensor.id())
                {
                    out.push((joined(&path, &attribute.name), tensor));
                }
            }
        }
        out
    }

    /// The module itself (with an empty path) and all submodules by path, outer ones first; one that stands in several
    /// places once.
    pub fn named_modules(&self) -> Vec<(String, Module)> {
        let below = modules_below(self.object()).into_iter();
        below
            .map(|(path, object)| (path, self.around(object)))
            .collect()
    }

    /// A submodule by path; they share what they hold.
    pub fn submodule(&self, path: &str) -> Result<Module, Fault> {
        match self.attribute(path)? {
            Value::Object(object) if object.class().is_module() => Ok(self.around(object)),
            other => Err(Fault::type_error(format!(
                "'{path}' is no module but a value of type '{}'",
                other.type_of()
            ))),
        }
    }

    /// The value of an attribute by path: `encoder.weight`. Values are shared with the module.
    pub fn attribute(&self, path: &str) -> Result<Value, Fault> {
        let (owner, name) = self.owner(path)?;
        owner.get(name).ok_or_else(|| missing(&owner, name))
    }

    /// Writes an attribute that there is, by path. The value is converted to the attribute's type as an argument is, and
    /// refused where it cannot be. A tensor is put in place of the old one, not copied into it.
    pub fn set_attribute(&self, path: &str, value: impl Into<Value>) -> Result<(), Fault> {
        let (owner, name) = self.owner(path)?;
        let class = owner.class();
        let found = class.slot(name).zip(class.attribute(name));
        let (slot, attribute) = found.ok_or_else(|| missing(&owner, name))?;
        let value = value.into();
        let converted = value_as(&value, &attribute.ty).ok_or_else(|| {
            Fault::type_error(format!(
                "attribute '{path}' is of type '{}', which a value of type '{}' does not become",
                attribute.ty,
                value.type_of()
            ))
        })?;
        owner.set_slot(slot, converted);
        Ok(())
    }

    /// The object that holds the last name of a path.
    fn owner<'p>(&self, path: &'p str) -> Result<(Arc<Object>, &'p str), Fault> {
        let (parents, name) = path.rsplit_once('.').unwrap_or(("", path));
        let mut object = self.object().clone();
        for parent in parents.split('.').filter(|p| !p.is_empty()) {
            object = match object.get(parent) {
                Some(Value::Object(inner)) => inner,
                Some(other) => {
                    return Err(Fault::new(
                        ErrorClass::Attribute,
                        format!(
                            "'{parent}' in '{path}' has no attributes: it is a value of type '{}'",
                            other.type_of()
                        ),
                    ));
                }
                None => return Err(missing(&object, parent)),
            };
        }
        Ok((object, name))
    }

    /// The same module in another context: other limits, another sink, cancelled on its own. They share what they hold.
    pub fn with_context(&self, context: Arc<Context>) -> Module {
        Module {
            loaded: self.loaded.clone(),
            context,
        }
    }

    /// A module of its own: tensors, lists and objects are copied, code is shared. What the original shares with itself the
    /// copy shares with itself. Fails for a module that was loaded with [`crate::Restore::Keep`].
    pub fn deep_copy(&self) -> Result<Module, Fault> {
        if self.loaded.kept.is_some() {
            return Err(Fault::runtime(
                "a module whose states were not restored cannot be copied; load it with `Restore::Run`",
            ));
        }
        match deep_copy(&Value::Object(self.object().clone()), &PlainCopies)? {
            Value::Object(copy) => Ok(self.around(copy)),
            _ => Err(Fault::internal("the copy of a module is no module")),
        }
    }

    /// Converts floating point parameters and buffers in place; the code stays as it is ([`Module::retarget`] changes that,
    /// too). Fails for a dtype that is not floating point, without changing anything.
    pub fn to_dtype(&self, dtype: DType) -> Result<(), Fault> {
        if !dtype.is_float() {
            return Err(Fault::type_error(format!(
                "Module.to only accepts floating point dtypes, but got desired dtype={dtype}"
            )));
        }
        // Tensors that stand in several places stay shared.
        let mut converted: HashMap<usize, (Tensor, Tensor)> = HashMap::new();
        for (_, object) in modules_below(self.object()) {
            for (slot, attribute) in object.class().attributes().iter().enumerate() {
                let Value::Tensor(tensor) = object.slot(slot) else {
                    continue;
                };
                let is_state = attribute.kind != AttributeKind::Plain;
                if !is_state || !tensor.dtype().is_float() || tensor.dtype() == dtype {
                    continue;
                }
                let (_, new) = converted.entry(tensor.id()).or_insert_with(|| {
                    let new = tensor.to_dtype(dtype);
                    new.set_requires_grad(tensor.requires_grad());
                    (tensor.clone(), new)
                });
                object.set_slot(slot, Value::Tensor(new.clone()));
            }
        }
        Ok(())
    }

    /// Sets `training` of this module and all submodules that have it: dropout and batch norms behave accordingly.
    pub fn train(&self, on: bool) {
        for (_, object) in modules_below(self.object()) {
            if matches!(object.get("training"), Some(Value::Bool(_))) {
                object.set("training", Value::Bool(on));
            }
        }
    }

    /// As [`Module::train`] with `false`.
    pub fn eval(&self) {
        self.train(false);
    }

    /// Another object of this module's unit.
    fn around(&self, root: Arc<Object>) -> Module {
        let Loaded {
            unit,
            version,
            missing,
            extra,
            ..
        } = &*self.loaded;
        let loaded = Loaded {
            root,
            unit: unit.clone(),
            version: *version,
            missing: missing.clone(),
            extra: extra.clone(),
            kept: None,
        };
        Module {
            loaded: Arc::new(loaded),
            context: self.context.clone(),
        }
    }
}

/// The tree of submodules, as Python shows a module.
impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = HashSet::new();
        write_tree(f, self.object(), 0, &mut shown)
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Deeper trees are cut off.
const MOST_LEVELS: usize = 60;

fn write_tree(
    f: &mut fmt::Formatter<'_>,
    object: &Arc<Object>,
    level: usize,
    shown: &mut HashSet<usize>,
) -> fmt::Result {
    write!(f, "{}(", object.class().basename())?;
    let children = children(object);
    let first = shown.insert(Arc::as_ptr(object) as usize);
    if children.is_empty() || level >= MOST_LEVELS || !first {
        let rest = if children.is_empty() { ")" } else { "...)" };
        return f.write_str(rest);
    }
    for (name, child) in children {
        write!(f, "\n{:1$}({name}): ", "", 2 * (level + 1))?;
        write_tree(f, &child, level + 1, shown)?;
    }
    write!(f, "\n{:1$})", "", 2 * level)
}

/// The submodules of an object itself.
fn children(object: &Object) -> Vec<(Arc<str>, Arc<Object>)> {
    let attributes = object.class().attributes().into_iter().enumerate();
    let modules = attributes.filter_map(|(slot, attribute)| match object.slot(slot) {
        Value::Object(inner) if inner.class().is_module() => Some((attribute.name, inner)),
        _ => None,
    });
    modules.collect()
}

/// A module and those below it by path, outer ones first, each once.
fn modules_below(root: &Arc<Object>) -> Vec<(String, Arc<Object>)> {
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    let mut waiting = vec![(String::new(), root.clone())];
    while let Some((path, object)) = waiting.pop() {
        if !seen.insert(Arc::as_ptr(&object) as usize) {
            continue;
        }
        for (name, child) in children(&object).into_iter().rev() {
            waiting.push((joined(&path, &name), child));
        }
        out.push((path, object));
    }
    out
}

fn joined(path: &str, name: &str) -> String {
    match path {
        "" => name.to_string(),
        path => format!("{path}.{name}"),
    }
}

fn missing(object: &Object, name: &str) -> Fault {
    let attributes = object.class().attributes();
    let names: Vec<&str> = attributes.iter().map(|a| &*a.name).collect();
    Fault::new(
        ErrorClass::Attribute,
        format!(
            "'{}' object has no attribute '{name}'; it has: {}",
            object.class().basename(),
            names.join(", ")
        ),
    )
}
