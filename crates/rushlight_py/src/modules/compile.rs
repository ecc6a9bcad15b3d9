//! The methods of module types: those that are always compiled, those that are compiled when something calls them, and
//! those that a program defines from text.

use super::concrete::{self, Concrete, Container};
use super::sources::{self, MethodScope, declare, declare_described, source};
use super::{hooks, overload};
use crate::scope::PyResolver;
use crate::source_unit::{self, UnitScope};
use crate::{errors, registry, state};
use pyo3::exceptions::{PyAttributeError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rushlight::Value;
use rushlight::frontend::Resolver;
use rushlight::frontend::script::FunctionSource;
use rushlight::ir::Function;
use rushlight::syntax::{Diagnostic, Source};
use rushlight::types::{ClassType, Object, Property, Type};
use std::rc::Rc;
use std::sync::Arc;

fn compile_all(py: Python<'_>, functions: &[Arc<Function>]) -> PyResult<()> {
    let compiler = state::compiler();
    for function in functions {
        compiler
            .compile(function)
            .map_err(|e| errors::diagnostic(py, &e))?;
    }
    Ok(())
}

/// Which methods of a type are compiled though nothing calls them.
#[derive(Clone, Copy, PartialEq)]
pub enum Methods {
    /// `forward` and those that are exported.
    Entries,
    /// Those that are exported.
    Exported,
}

impl Methods {
    /// What the facts of a class are asked for.
    fn question(self) -> &'static str {
        match self {
            Methods::Entries => "entry_methods",
            Methods::Exported => "exported_methods",
        }
    }
}

/// Reads the methods that [`methods`] compiles, in the order in which the reference does: properties last.
pub fn read(py: Python<'_>, concrete: &Rc<Concrete>, which: Methods) -> PyResult<()> {
    if concrete.compiled.get() {
        return Ok(());
    }
    let facts = concrete.facts.object.bind(py);
    let result = read_all(concrete, facts, which);
    if result.is_err() {
        facts.call_method0("forget")?;
    }
    result
}

fn read_all(concrete: &Rc<Concrete>, facts: &Bound<'_, PyAny>, which: Methods) -> PyResult<()> {
    for method in facts.call_method0(which.question())?.try_iter()? {
        sources::read(concrete, &method?.get_item(1)?)?;
    }
    for property in facts.call_method0("properties")?.try_iter()? {
        let property = property?;
        for i in 1..3 {
            let function = property.get_item(i)?;
            if !function.is_none() {
                sources::read(concrete, &function)?;
            }
        }
    }
    Ok(())
}

/// Compiles the methods of a type that are compiled whether something calls them or not, once.
pub fn methods(py: Python<'_>, concrete: &Rc<Concrete>, which: Methods) -> PyResult<()> {
    if concrete.compiled.replace(true) {
        return Ok(());
    }
    let mut first = String::from("forward");
    let result = compile_methods(py, concrete, which, &mut first);
    let Err(error) = result else { return Ok(()) };
    concrete.compiled.set(false);
    // What the syntax leaves out is found before a method is declared, and found again.
    let text = error.value(py).to_string();
    let syntax = registry::registered(py, "NotSupportedError")?;
    let is_unread = error.is_instance(py, &syntax) && !text.contains("is being compiled since");
    if is_unread || text.starts_with("Expected a single top-level function") {
        concrete.facts.object.bind(py).call_method0("forget")?;
        let waits = |f: &&Arc<Function>| {
            let class = f.class.as_ref();
            class.is_some_and(|c| Arc::ptr_eq(c, &concrete.class)) && f.graph().is_none()
        };
        for method in state::unit().functions().iter().filter(waits) {
            state::unit().remove(method.qualified_name());
        }
        return Err(error);
    }
    match concrete.failed.replace(true) {
        // The methods that failed are in the way of the same ones.
        true => Err(redefined(&concrete.class, &first)),
        false => Err(error),
    }
}

/// What is said of a method that its class has already.
fn redefined(class: &ClassType, method: &str) -> PyErr {
    PyRuntimeError::new_err(format!(
        "Can't redefine method: {method} on class: {} (of Python compilation unit at: {:p})",
        class.name(),
        Arc::as_ptr(state::unit())
    ))
}

fn compile_methods(
    py: Python<'_>,
    concrete: &Rc<Concrete>,
    which: Methods,
    first: &mut String,
) -> PyResult<()> {
    let facts = concrete.facts.object.bind(py);
    let mut functions = Vec::new();
    for property in facts.call_method0("properties")?.try_iter()? {
        let property = property?;
        let (name, getter, setter): (String, Bound<'_, PyAny>, Bound<'_, PyAny>) =
            property.extract()?;
        declare_property(concrete, &name, &getter, &setter, &mut functions)?;
    }
    for (name, source) in overload::sources(concrete, facts)? {
        functions.push(declare(concrete, &name, source));
    }
    for method in facts.call_method0(which.question())?.try_iter()? {
        let method = method?;
        let name: String = method.get_item(0)?.extract()?;
        // A method that an interface asked for first is there already.
        if state::unit().method(&concrete.class, &name).is_none() {
            functions.push(declare_described(concrete, &name, &method.get_item(1)?)?);
        }
    }
    if let Some(set) = type_the_state(py, concrete, facts)? {
        functions.retain(|f| f.basename() != "__setstate__");
        functions.push(set);
    }
    if let Some(function) = functions.first() {
        *first = function.basename().to_string();
    }
    (state::compiler().compile_together(&functions)).map_err(|e| errors::diagnostic(py, &e))?;
    container_methods(py, concrete)?;
    hooks::compile(py, concrete)
}

/// `__setstate__` takes what `__getstate__` gives, where its parameter has no annotation: the method with that type.
fn type_the_state(
    py: Python<'_>,
    concrete: &Rc<Concrete>,
    facts: &Bound<'_, PyAny>,
) -> PyResult<Option<Arc<Function>>> {
    let find = |name: &str| -> PyResult<Option<Bound<'_, PyAny>>> {
        for method in facts.call_method0("exported_methods")?.try_iter()? {
            let method = method?;
            if method.get_item(0)?.extract::<String>()? == name {
                return method.get_item(1).map(Some);
            }
        }
        Ok(None)
    };
    let Some(info) = find("__setstate__")? else {
        return Ok(None);
    };
    let mut source = source(concrete, &info)?;
    let compiler = state::compiler();
    let Some(get) = state::unit().method(&concrete.class, "__getstate__") else {
        let message = "`__setstate__` defined but not `__getstate__`. You must have both defined on a ScriptModule to customize serialization.\nDid you forget to use `@torch.jit.export`?";
        let problem = Diagnostic::error("serialization", message, &source.def.span);
        return Err(errors::diagnostic(py, &problem));
    };
    let [_, state] = source.def.params.0.as_slice() else {
        return Ok(None);
    };
    let is_typed = state.annotation.is_some()
        || state.type_comment.is_some()
        || source.def.signature.is_some();
    let set = state::unit().method(&concrete.class, "__setstate__");
    if is_typed || set.is_some_and(|set| set.graph().is_some()) {
        return Ok(None);
    }
    let schema = compiler
        .compile(&get)
        .map_err(|e| errors::diagnostic(py, &e))?;
    let Some(given) = schema.returns.first() else {
        return Ok(None);
    };
    source.parameter_types = vec![(state.name.name.clone(), given.ty.clone())];
    Ok(Some(declare(concrete, "__setstate__", source)))
}

fn declare_property(
    concrete: &Rc<Concrete>,
    name: &str,
    getter: &Bound<'_, PyAny>,
    setter: &Bound<'_, PyAny>,
    functions: &mut Vec<Arc<Function>>,
) -> PyResult<()> {
    let (get, set) = (format!("__{name}_getter"), format!("__{name}_setter"));
    concrete.class.add_property(Property {
        name: name.into(),
        getter: get.as_str().into(),
        setter: (!setter.is_none()).then(|| set.as_str().into()),
    });
    functions.push(declare_described(concrete, &get, getter)?);
    if !setter.is_none() {
        functions.push(declare_described(concrete, &set, setter)?);
    }
    Ok(())
}

/// `len` and `in` of containers: their parts are fixed, so the answers are constants.
fn container_methods(py: Python<'_>, concrete: &Rc<Concrete>) -> PyResult<()> {
    let container = concrete.facts.container;
    if !matches!(container, Container::List | Container::Dict) {
        return Ok(());
    }
    for name in ["__len__", "__contains__"] {
        let own = concrete
            .facts
            .object
            .bind(py)
            .call_method1("own_special", (name,))?;
        if !own.is_none() && concrete.class.method(name).is_none() {
            let function = declare_described(concrete, name, &own)?;
            let compiled = state::compiler().compile(&function);
            compiled.map_err(|e| errors::diagnostic(py, &e))?;
        }
    }
    let nothing = py
        .import("rushlight._resolve")?
        .getattr("Scope")?
        .call1((PyDict::new(py),))?;
    let parts = &concrete.shape.parts;
    if concrete.class.method("__len__").is_none() {
        let text = format!("def __len__(self):\n   return {}\n", parts.len());
        define(py, &concrete.class, (&text, &nothing), true)?;
    }
    if container == Container::Dict && concrete.class.method("__contains__").is_none() {
        let names: Vec<String> = parts
            .iter()
            .map(|(n, _)| rushlight::types::repr_text(&Value::str(&**n)))
            .collect();
        let text = match names.is_empty() {
            true => "def __contains__(self, key: str):\n   return False\n".to_string(),
            false => format!(
                "def __contains__(self, key: str):\n   return key in [{}]\n",
                names.join(", ")
            ),
        };
        define(py, &concrete.class, (&text, &nothing), true)?;
    }
    Ok(())
}

/// Compiles the methods in a source text into a class. A type in the making takes the last of several with one name.
pub fn define(
    py: Python<'_>,
    class: &Arc<ClassType>,
    (text, scope): (&str, &Bound<'_, PyAny>),
    is_in_making: bool,
) -> PyResult<()> {
    let text = Source::new("<string>", text);
    let definitions = source_unit::definitions(py, &text)?;
    let names = || PyResolver::new(scope.clone().unbind());
    let mut functions = Vec::new();
    for def in definitions {
        let resolver: Rc<dyn Resolver> = match concrete::of_class(class) {
            Some(concrete) => Rc::new(MethodScope {
                scope: names(),
                concrete,
                is_text: true,
            }),
            None => Rc::new(UnitScope::of_module(names())),
        };
        let name = def.name.name.to_string();
        if !is_in_making && state::unit().method(class, &name).is_some() {
            return Err(redefined(class, &name));
        }
        let source = FunctionSource {
            def: Rc::new(def),
            resolver,
            class: Some(class.clone()),
            defaults: Vec::new(),
            parameter_types: Vec::new(),
        };
        let name = format!("{}.{name}", class.name());
        source_unit::defaults(py, &name, &source)?;
        functions.push(state::compiler().declare(&name, source));
    }
    functions
        .iter()
        .try_for_each(|function| source_unit::compile(py, function, &text))
}

/// Compiles the methods that an interface asks of an object.
pub fn for_interface(py: Python<'_>, object: &Arc<Object>, interface: &Type) -> PyResult<()> {
    let (Type::Interface(interface), Some(concrete)) =
        (interface, concrete::of_class(object.class()))
    else {
        return Ok(());
    };
    let mut functions = Vec::new();
    for method in interface.methods().iter() {
        if state::unit()
            .method(&concrete.class, &method.name)
            .is_some()
        {
            continue;
        }
        let described = concrete
            .facts
            .object
            .bind(py)
            .call_method1("method", (&*method.name,))?;
        if described.is_none() {
            return Err(PyAttributeError::new_err(format!(
                "'{}' object has no attribute '{}'",
                concrete.facts.name, method.name
            )));
        }
        let described = described.cast::<PyTuple>()?;
        if described.get_item(0)?.extract::<String>()? == "method" {
            functions.push(declare_described(
                &concrete,
                &method.name,
                &described.get_item(1)?,
            )?);
        }
    }
    compile_all(py, &functions)
}
