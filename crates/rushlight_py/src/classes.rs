//! Classes of Python programs as types of scripts: plain classes, enums, named tuples and interfaces.

use crate::convert::{from_python, infer};
use crate::definition::{Defaults, annotate, field, parsed_def, resolver_of, source_of, values_of};
use crate::identity::PyTensor;
use crate::state;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rushlight::Value;
use rushlight::frontend::script::{
    ByResolver, MethodDef, MethodKind, check_methods, declare, declare_methods, needed_here,
};
use rushlight::frontend::{Outcome, Problem};
use rushlight::syntax::tree::{ClassDef, StmtKind};
use rushlight::syntax::{Diagnostic, ErrorKind, Source, Span, parse_function};
use rushlight::types::{ClassType, InterfaceType, Type};
use std::collections::HashMap;
use std::sync::Arc;

/// A problem with what Python says of a type.
fn unreadable(message: String, span: &Span) -> Problem {
    Box::new(Diagnostic::error("python-value", message, span))
}

/// The type that a description names.
pub fn described_type(description: &Bound<'_, PyAny>, span: &Span) -> Outcome<Type> {
    let fail = |e: PyErr| unreadable(e.to_string(), span);
    let tuple = description
        .cast::<PyTuple>()
        .map_err(|e| unreadable(e.to_string(), span))?;
    let item = |i: usize| tuple.get_item(i).map_err(fail);
    let kind: String = item(0)?.extract().map_err(fail)?;
    let parts = |from: usize| -> Outcome<Vec<Type>> {
        (from..tuple.len())
            .map(|i| described_type(&item(i)?, span))
            .collect()
    };
    let first = |mut types: Vec<Type>| match types.is_empty() {
        false => Ok(types.swap_remove(0)),
        true => Err(unreadable(format!("{kind} needs a type"), span)),
    };
    Ok(match kind.as_str() {
        "simple" => {
            let name: String = item(1)?.extract().map_err(fail)?;
            return Type::parse(&name, &|_| None).map_err(|e| unreadable(e, span));
        }
        "list" => Type::list(first(parts(1)?)?),
        "optional" => Type::optional(first(parts(1)?)?),
        "future" => Type::future(first(parts(1)?)?),
        "rref" => Type::RRef(first(parts(1)?)?.into()),
        "tuple" => Type::tuple(parts(1)?),
        "union" => Type::union(parts(1)?),
        "dict" => match parts(1)?.as_slice() {
            [key, value] => Type::dict(key.clone(), value.clone()),
            _ => return Err(unreadable("Dict needs two types".into(), span)),
        },
        "class" | "enum" | "named_tuple" | "interface" => {
            return named_class(&kind, tuple, span);
        }
        _ => return Err(unreadable(format!("Unknown type name '{kind}'"), span)),
    })
}

/// Compiles what methods of a class are still waiting.
pub fn compile_methods(ty: &Type) -> Outcome<()> {
    let Type::Class(class) = ty else {
        return Ok(());
    };
    let compiler = state::compiler();
    for method in class.methods() {
        let failed = match compiler.unit.function(&method.qualified) {
            Some(function) => compiler.compile(&function).err(),
            None => compiler.why_failed(&method.qualified),
        };
        if let Some(error) = failed {
            return Err(error);
        }
    }
    Ok(())
}

fn problem(message: String, span: &Span) -> Problem {
    Box::new(Diagnostic::error("python-class", message, span))
}

/// As [`described_class`], where a program names the class at a place.
pub fn named_class(kind: &str, description: &Bound<'_, PyTuple>, span: &Span) -> Outcome<Type> {
    described_class(kind, description, span).map_err(|error| match kind {
        "class" if !span.is_unknown() => {
            let info = description.get_item(2).ok();
            let name = info.and_then(|info| info.get_item("qualified").ok()?.extract().ok());
            needed_here(error, &name.unwrap_or_else(String::new), span)
        }
        _ => error,
    })
}

/// An interface as the class that its text says; the interface stays what it is.
pub fn interface_as_class(description: &Bound<'_, PyTuple>, span: &Span) -> Outcome<Type> {
    let fail = |e: PyErr| problem(e.to_string(), span);
    let class = description.get_item(1).map_err(fail)?;
    let known = state::known_type(&class);
    state::forget_type(&class);
    let found = named_class("class", description, span);
    if let (Some(known), Ok(qualified)) = (known, description.get_item(2)) {
        let qualified = qualified.get_item("qualified").and_then(|q| q.extract());
        let qualified: String = qualified.map_err(fail)?;
        state::remember_type(&class, &qualified, known);
    }
    found
}

/// The type of a described class: `(kind, class, info)`. Compiled once per class.
pub fn described_class(kind: &str, description: &Bound<'_, PyTuple>, span: &Span) -> Outcome<Type> {
    let fail = |e: PyErr| problem(e.to_string(), span);
    let class = description.get_item(1).map_err(fail)?;
    if let Some(known) = state::known_type(&class) {
        return Ok(known);
    }
    let info = description.get_item(2).map_err(fail)?;
    let info = info
        .cast::<PyDict>()
        .map_err(|e| problem(e.to_string(), span))?;
    let qualified: String = field(info, "qualified")
        .and_then(|q| q.extract())
        .map_err(fail)?;
    if kind == "named_tuple" {
        return named_tuple(&class, info, &qualified, span);
    }
    let qualified = state::unit().free_name(&qualified);
    match kind {
        "enum" => enum_type(&class, info, &qualified, span),
        "interface" => interface(&class, info, &qualified, span),
        _ => script_class_type(&class, info, &qualified, span),
    }
}

fn enum_type(
    class: &Bound<'_, PyAny>,
    info: &Bound<'_, PyDict>,
    qualified: &str,
    span: &Span,
) -> Outcome<Type> {
    let fail = |e: PyErr| problem(e.to_string(), span);
    let members: Vec<(String, Bound<'_, PyAny>)> = field(info, "members")
        .and_then(|m| m.extract())
        .map_err(fail)?;
    let members: Vec<(Arc<str>, Value)> = members
        .into_iter()
        .map(|(name, value)| Ok((Arc::from(name.as_str()), infer(&value)?)))
        .collect::<PyResult<_>>()
        .map_err(fail)?;
    let shown = class.get_type().repr().map_err(fail)?.to_string();
    let ty = declare::enum_type(qualified, members, &shown)?;
    finish(class, qualified, &ty);
    Ok(ty)
}

fn finish(class: &Bound<'_, PyAny>, qualified: &str, ty: &Type) {
    state::unit().add_type(qualified, ty.clone());
    state::remember_type(class, qualified, ty.clone());
}

fn named_tuple(
    class: &Bound<'_, PyAny>,
    info: &Bound<'_, PyDict>,
    qualified: &str,
    span: &Span,
) -> Outcome<Type> {
    let fail = |e: PyErr| problem(e.to_string(), span);
    let fields: Vec<(String, Bound<'_, PyAny>)> = field(info, "fields")
        .and_then(|f| f.extract())
        .map_err(fail)?;
    let defaults: Vec<Bound<'_, PyAny>> = field(info, "defaults")
        .and_then(|f| f.extract())
        .map_err(fail)?;
    let (mut names, mut types) = (Vec::new(), Vec::new());
    for (name, description) in fields {
        names.push(Arc::from(name.as_str()));
        types.push(described_type(&description, span)?);
    }
    let first = types.len() - defaults.len().min(types.len());
    let defaults = defaults
        .iter()
        .zip(&types[first..])
        .map(|(d, ty)| {
            if d.cast::<PyTensor>().is_ok() {
                return Err(Box::new(Diagnostic::new(
                    "named-tuple-default",
                    ErrorKind::Runtime,
                    "Tensors are not supported as default NamedTuple fields. Their mutability could lead to potential memory aliasing problems",
                )));
            }
            // A field without annotation is a tensor whatever its default.
            match (from_python(d, ty), ty) {
                (Some(value), _) => Ok(value),
                (None, Type::Tensor(_)) => infer(d).map_err(fail),
                (None, _) => Err(problem("a default does not fit its field".into(), span)),
            }
        })
        .collect::<Outcome<Vec<_>>>()?;
    let annotated: bool = field(info, "annotated")
        .and_then(|a| a.extract())
        .map_err(fail)?;
    let mut ty = Type::named_tuple(qualified, names, types, defaults);
    if let Type::Tuple(tuple) = &mut ty {
        Arc::make_mut(tuple).inferred = !annotated;
    }
    if let Some(known @ Type::Tuple(_)) = state::unit().ty(qualified)
        && known != ty
    {
        let message = format!("Can't redefine NamedTuple: {qualified}");
        let kind = ErrorKind::Runtime;
        return Err(Box::new(Diagnostic::new("python-class", kind, message)));
    }
    finish(class, qualified, &ty);
    Ok(ty)
}

fn parse_class(info: &Bound<'_, PyDict>, span: &Span) -> Outcome<ClassDef> {
    let source = source_of(info).map_err(|e| problem(e.to_string(), span))?;
    let (statement, problems) = parse_function(&source);
    if let Some(first) = problems.into_iter().next() {
        return Err(Box::new(first));
    }
    match statement.map(|s| s.kind) {
        Some(StmtKind::Class(class)) => Ok(*class),
        _ => Err(problem("Expected a single top-level class".into(), span)),
    }
}

/// What a class of a program consists of, each method with its own source.
struct ClassParts {
    methods: Vec<MethodDef>,
    /// The default values of the parameters of each method.
    defaults: HashMap<Arc<str>, Defaults>,
}

fn parts_of(info: &Bound<'_, PyDict>, class: &str, span: &Span) -> Outcome<ClassParts> {
    let fail = |e: PyErr| problem(e.to_string(), span);
    let described: Vec<Bound<'_, PyDict>> = field(info, "methods")
        .and_then(|m| m.extract())
        .map_err(fail)?;
    let mut parts = ClassParts {
        methods: Vec::new(),
        defaults: HashMap::new(),
    };
    for method in &described {
        let text = |name: &str| -> Outcome<String> {
            field(method, name).and_then(|t| t.extract()).map_err(fail)
        };
        let source = source_of(method).map_err(fail)?;
        let mut def = parsed_def(&source)?;
        let observed = field(method, "observed").and_then(|o| o.extract());
        annotate(&mut def, observed.map_err(fail)?);
        def.name.name = text("name")?.as_str().into();
        let kind = match text("kind")?.as_str() {
            "getter" => MethodKind::Getter,
            "setter" => MethodKind::Setter,
            "static" => MethodKind::Static,
            "class" => MethodKind::Class,
            _ => MethodKind::Plain,
        };
        let values = values_of(&field(method, "defaults").map_err(fail)?, &def)?;
        let method = MethodDef { def, kind };
        parts.defaults.insert(method.compiled_name(), values);
        parts.methods.push(method);
    }
    // Methods that `dataclass` adds have no source of their own; their defaults are in their text.
    let texts: Vec<(String, String)> = field(info, "synthesized")
        .and_then(|s| s.extract())
        .map_err(fail)?;
    for (name, text) in texts {
        let file = format!("__torch_jit_dataclass/{class}/{name}");
        parts.methods.push(MethodDef {
            def: parsed_def(&Source::with_first_line(file, text, 0))?,
            kind: MethodKind::Plain,
        });
    }
    // Properties first, as they came; the rest by name.
    let is_property = |m: &MethodDef| matches!(m.kind, MethodKind::Getter | MethodKind::Setter);
    rushlight::tensor::order::sort_by_key(&mut parts.methods, |m| match is_property(m) {
        true => (0, Arc::from("")),
        false => (1, m.def.name.name.clone()),
    });
    Ok(parts)
}

fn script_class_type(
    class: &Bound<'_, PyAny>,
    info: &Bound<'_, PyDict>,
    qualified: &str,
    span: &Span,
) -> Outcome<Type> {
    let fail = |e: PyErr| problem(e.to_string(), span);
    let name: String = class
        .getattr("__name__")
        .and_then(|n| n.extract())
        .map_err(fail)?;
    let parts = parts_of(info, &name, span)?;
    // Classes of the library have methods that scripts never call.
    if !qualified.starts_with("__torch__.torch.") {
        check_methods(&parts.methods)?;
    }
    let resolver = resolver_of(info).map_err(fail)?;
    let compiler = state::compiler();
    let inner = ClassType::new(qualified, false);
    let doc: Option<String> = field(info, "doc").and_then(|d| d.extract()).map_err(fail)?;
    if let Some(doc) = doc {
        inner.set_doc(&doc);
    }
    let attributes: Vec<String> = field(info, "attributes")
        .and_then(|a| a.extract())
        .map_err(fail)?;
    for name in attributes {
        // Scripts have no use for their values, but errors speak of them.
        inner.add_constant(&name, Value::None);
    }
    let ty = Type::Class(inner.clone());
    // Registered before its content, which may refer to it.
    finish(class, qualified, &ty);
    let defaults = |method: &MethodDef| {
        let known = parts.defaults.get(&method.compiled_name());
        Ok(known.cloned().unwrap_or_default())
    };
    if let Err(error) = declare_methods(&compiler, &inner, &parts.methods, &resolver, &defaults) {
        state::unit().remove_type(qualified);
        state::forget_type(class);
        return Err(error);
    }
    Ok(ty)
}

fn interface(
    class: &Bound<'_, PyAny>,
    info: &Bound<'_, PyDict>,
    qualified: &str,
    span: &Span,
) -> Outcome<Type> {
    let fail = |e: PyErr| problem(e.to_string(), span);
    let definition = parse_class(info, span)?;
    let resolver = resolver_of(info).map_err(fail)?;
    let is_module: bool = field(info, "is_module")
        .and_then(|f| f.extract())
        .map_err(fail)?;
    let interface = InterfaceType::new(qualified, is_module);
    let ty = Type::Interface(interface.clone());
    // Its methods may name the interface itself.
    finish(class, qualified, &ty);
    let methods = declare::interface_methods(&ty, &definition, &ByResolver(&*resolver));
    match methods {
        // Python gives the members of a class in the order of their names.
        Ok(mut methods) => {
            rushlight::tensor::order::sort_by(&mut methods, |a, b| a.name.cmp(&b.name));
            interface.define(methods);
        }
        Err(error) => {
            state::forget_type(class);
            return Err(error);
        }
    }
    Ok(ty)
}
