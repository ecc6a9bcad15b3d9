//! Python functions and classes to the unit.
//!
//! Python hands over what it knows of a function as a dict: `name`, `qualified`, `source`, `file`, `line`, `scope` (see
//! [`crate::resolver::PyResolver`]), `defaults` and `key` (the object itself, which identifies it).

use crate::resolver::{PyResolver, from_python_error};
use crate::script::ScriptFunction;
use crate::{convert, errors, state};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet, PyTuple};
use rushlight::Value;
use rushlight::frontend::script::{
    Compiler, FunctionSource, MethodDef, MethodKind, check_methods, declare_methods, needed_here,
    overload,
};
use rushlight::frontend::{Outcome, Problem, Resolver};
use rushlight::ir::Function;
use rushlight::syntax::tree::{ClassDef, Def, StmtKind};
use rushlight::syntax::{
    Diagnostic, ErrorKind, Source, Span, check_type_lines, parse_expression, parse_function,
};
use rushlight::types::{ClassType, EnumType, InterfaceType, Schema, Type};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The functions that Python functions were declared as, by identity.
type Declared = RefCell<HashMap<usize, (Py<PyAny>, Arc<Function>)>>;

thread_local! {
    static FUNCTIONS: Declared = RefCell::default();
}

fn field<'py>(info: &Bound<'py, PyDict>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    info.get_item(name)?
        .ok_or_else(|| PyKeyError::new_err(name.to_string()))
}

fn source_of(info: &Bound<'_, PyDict>) -> PyResult<Arc<Source>> {
    let text: String = field(info, "source")?.extract()?;
    let file: String = field(info, "file")?.extract()?;
    let line: u32 = field(info, "line")?.extract()?;
    Ok(Source::with_first_line(file, text, line))
}

/// What answers the names of a described function.
pub fn scope_of(info: &Bound<'_, PyDict>) -> PyResult<Py<PyAny>> {
    Ok(field(info, "scope")?.unbind())
}

fn resolver_of(info: &Bound<'_, PyDict>) -> PyResult<Rc<dyn Resolver>> {
    Ok(Rc::new(PyResolver::new(scope_of(info)?)))
}

/// The default values of a described function. Those that calls could change are refused.
pub fn defaults_of(info: &Bound<'_, PyDict>, def: &Def) -> PyResult<Vec<(Arc<str>, Value)>> {
    values_of(&field(info, "defaults")?, def).map_err(|e| errors::diagnostic(info.py(), &e))
}

/// The values of a dictionary of defaults by parameter.
fn values_of(defaults: &Bound<'_, PyAny>, def: &Def) -> Outcome<Vec<(Arc<str>, Value)>> {
    let fail = |e: PyErr| from_python_error(defaults.py(), &e, &def.span);
    let mut values = Vec::new();
    for (name, value) in defaults
        .cast::<PyDict>()
        .map_err(|e| fail(e.into()))?
        .iter()
    {
        let name: String = name.extract().map_err(fail)?;
        refuse_mutable(&name, &value, def)?;
        // A member of an enum needs its class to be known.
        crate::resolver::make_known(&value, &def.span)?;
        let value = convert::infer(&value).map_err(fail)?;
        values.push((Arc::from(name.as_str()), value));
    }
    Ok(values)
}

/// Gives parameters without annotation the types that calls showed.
fn annotate(def: &mut Def, observed: Vec<(String, String)>) {
    if def.signature.is_some() {
        return;
    }
    for (name, ty) in observed {
        let params = def.params.0.iter_mut();
        let mut open = params.filter(|p| p.annotation.is_none() && p.type_comment.is_none());
        let Some(param) = open.find(|p| *p.name.name == *name) else {
            continue;
        };
        let (mut annotation, problems) = parse_expression(&Source::new("<observed>", ty.as_str()));
        if problems.is_empty() {
            // Errors show the parameter.
            annotation.span = param.span.clone();
            param.annotation = Some(annotation);
        }
    }
}

/// The definition in the source of a described function.
pub fn parse_def(info: &Bound<'_, PyDict>) -> PyResult<Def> {
    let source = source_of(info)?;
    match parsed_def(&source) {
        Ok(mut def) => {
            annotate(&mut def, field(info, "observed")?.extract()?);
            Ok(def)
        }
        Err(problem) => {
            let check = info.py().import("rushlight._source")?;
            let error = check.call_method1("syntax_error", (source.text(),))?;
            Err(match error.is_none() {
                true => errors::diagnostic(info.py(), &problem),
                false => PyErr::from_value(error),
            })
        }
    }
}

/// The function that a text defines, or the first thing that is wrong with it.
fn parsed_def(source: &Arc<Source>) -> Outcome<Def> {
    let fail = |problem| Err(Box::new(problem));
    if let Some(wrong) = check_type_lines(source).into_iter().next() {
        return fail(wrong);
    }
    let (statement, problems) = parse_function(source);
    if let Some(first) = problems.into_iter().next() {
        return fail(first);
    }
    match statement.map(|s| s.kind) {
        Some(StmtKind::Def(def)) => Ok(*def),
        _ => fail(Diagnostic::new(
            "no-function",
            ErrorKind::Runtime,
            format!(
                "Expected a single top-level function: {}:{}",
                source.name(),
                source.first_line()
            ),
        )),
    }
}

/// A Python function as the compiler reads it, without the values of its defaults.
pub fn undefaulted_source(info: &Bound<'_, PyDict>) -> PyResult<FunctionSource> {
    Ok(FunctionSource {
        def: Rc::new(parse_def(info)?),
        resolver: resolver_of(info)?,
        class: None,
        defaults: Vec::new(),
        parameter_types: Vec::new(),
    })
}

fn described<'a, 'py>(info: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyDict>> {
    info.cast::<PyDict>().map_err(PyErr::from)
}

/// Declares what stands for a Python object in the unit, once; it is compiled when it is needed.
fn declared(
    compiler: &Compiler,
    info: &Bound<'_, PyDict>,
    source: impl FnOnce() -> PyResult<FunctionSource>,
) -> PyResult<Arc<Function>> {
    let key = field(info, "key")?;
    let known = FUNCTIONS.with_borrow(|f| f.get(&(key.as_ptr() as usize)).map(|(_, f)| f.clone()));
    if let Some(function) = known
        && function
            .unit()
            .is_some_and(|unit| Arc::ptr_eq(&unit, &compiler.unit))
        && compiler.unit.function(function.qualified_name()).is_some()
    {
        return Ok(function);
    }
    let qualified: String = field(info, "qualified")?.extract()?;
    let function = compiler.declare(&compiler.unit.free_name(&qualified), source()?);
    FUNCTIONS
        .with_borrow_mut(|f| f.insert(key.as_ptr() as usize, (key.unbind(), function.clone())));
    Ok(function)
}

/// Defaults that calls could change are refused.
fn refuse_mutable(name: &str, value: &Bound<'_, PyAny>, def: &Def) -> Outcome<()> {
    let is_mutable = value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyDict>()
        || value.is_instance_of::<PySet>()
        // Python hashes a tuple only if nothing in it changes.
        || value.is_instance_of::<PyTuple>() && value.hash().is_err();
    if !is_mutable {
        return Ok(());
    }
    let message = format!(
        "Mutable default parameters are not supported because Python binds them to the function and they persist across function calls.\n As a workaround, make the default None and instantiate the default parameter within the body of the function. Found {} on parameter {name}",
        value.get_type()
    );
    Err(Box::new(Diagnostic::error(
        "mutable-default",
        message,
        &def.span,
    )))
}

/// A described function, parsed.
pub fn function_source(info: &Bound<'_, PyAny>) -> PyResult<FunctionSource> {
    let info = described(info)?;
    let mut source = undefaulted_source(info)?;
    source.defaults = defaults_of(info, &source.def)?;
    Ok(source)
}

/// Declares a Python function in the unit, once; it is compiled when it is needed.
pub fn declared_function(compiler: &Compiler, info: &Bound<'_, PyAny>) -> PyResult<Arc<Function>> {
    declared(compiler, described(info)?, || function_source(info))
}

/// One declared way to call an overloaded function.
pub fn overload_source(
    compiler: &Compiler,
    declaration: &Bound<'_, PyAny>,
    implementation: &FunctionSource,
) -> Outcome<FunctionSource> {
    let declared = function_source(declaration)
        .map_err(|e| from_python_error(declaration.py(), &e, &implementation.def.span))?;
    overload(compiler, &declared, implementation)
}

/// Declares the overloads of a function in the unit, once; each is compiled when it is needed.
pub fn declared_overloads(
    compiler: &Compiler,
    declarations: &[Py<PyAny>],
    implementation: &Bound<'_, PyAny>,
) -> PyResult<Vec<Arc<Function>>> {
    let py = implementation.py();
    let mut body: Option<FunctionSource> = None;
    let mut functions = Vec::with_capacity(declarations.len());
    for declaration in declarations {
        let info = declaration.bind(py);
        functions.push(declared(compiler, described(info)?, || {
            let body = match &body {
                Some(known) => known,
                None => body.insert(function_source(implementation)?),
            };
            overload_source(compiler, info, body).map_err(|e| errors::diagnostic(py, &e))
        })?);
    }
    Ok(functions)
}

/// The functions that an overloaded function becomes, compiled.
#[pyfunction]
pub fn script_overloads(
    py: Python<'_>,
    declarations: Vec<Py<PyAny>>,
    implementation: &Bound<'_, PyAny>,
) -> PyResult<Vec<ScriptFunction>> {
    let compiler = state::compiler();
    let functions = declared_overloads(&compiler, &declarations, implementation)?;
    for function in &functions {
        let compiled = compiler.compile(function);
        compiled.map_err(|e| errors::diagnostic(py, &e))?;
    }
    Ok(functions.iter().map(ScriptFunction::of).collect())
}

/// `torch.jit.script(function)`.
#[pyfunction]
pub fn script_function(py: Python<'_>, info: &Bound<'_, PyAny>) -> PyResult<ScriptFunction> {
    let compiler = state::compiler();
    let function = declared_function(&compiler, info)?;
    compiler
        .compile(&function)
        .map_err(|e| errors::diagnostic(py, &e))?;
    Ok(ScriptFunction::of(&function))
}

/// Whether a class is known to scripts already.
#[pyfunction]
pub fn is_scripted_class(class: &Bound<'_, PyAny>) -> bool {
    state::known_type(class).is_some()
}

/// `torch.jit.script(class)`: the description of the class, as the resolver gets it.
#[pyfunction]
pub fn script_class(py: Python<'_>, description: &Bound<'_, PyTuple>) -> PyResult<String> {
    let kind: String = description.get_item(0)?.extract()?;
    let ty = described_class(&kind, description, &Span::unknown())
        .map_err(|e| errors::diagnostic(py, &e))?;
    compile_methods(&ty).map_err(|e| errors::diagnostic(py, &e))?;
    Ok(ty.to_string())
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
        .map(|(name, value)| Ok((Arc::from(name.as_str()), convert::infer(&value)?)))
        .collect::<PyResult<_>>()
        .map_err(fail)?;
    // These problems are of the class, not of a place in the program.
    let refused = |kind: ErrorKind, message: String| {
        Err(Box::new(Diagnostic::new("enum-value", kind, message)))
    };
    let Some((_, first)) = members.first() else {
        let shown = class.get_type().repr().map_err(fail)?;
        let message = format!("No enum values defined for: '{shown}'");
        return refused(ErrorKind::Value, message);
    };
    let value_type = first.type_of();
    // The reference compares the different types, the last one first.
    let mut types: Vec<Type> = Vec::new();
    for (_, value) in &members {
        let ty = value.type_of();
        if !types.contains(&ty) {
            types.insert(0, ty);
        }
    }
    if let [before, other, ..] = types.as_slice() {
        let message = format!(
            "Could not unify type list since element 1 of type {other} did not match the types before it ({before})"
        );
        return refused(ErrorKind::Runtime, message);
    }
    if !matches!(value_type, Type::Int | Type::Float | Type::Str) {
        let shown = match value_type {
            Type::Tuple(_) | Type::List(_) | Type::Dict(_) => Type::Any,
            other => other,
        };
        let message = format!(
            "Cannot create Enum with value type '{shown}', only int, float and string are supported"
        );
        return refused(ErrorKind::Runtime, message);
    }
    let ty = Type::Enum(Arc::new(EnumType {
        name: qualified.into(),
        value_type,
        members,
    }));
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
        types.push(crate::resolver::described_type(&description, span)?);
    }
    let first = types.len() - defaults.len().min(types.len());
    let defaults = defaults
        .iter()
        .zip(&types[first..])
        .map(|(d, ty)| {
            if d.cast::<crate::tensor::PyTensor>().is_ok() {
                return Err(Box::new(Diagnostic::new(
                    "named-tuple-default",
                    ErrorKind::Runtime,
                    "Tensors are not supported as default NamedTuple fields. Their mutability could lead to potential memory aliasing problems",
                )));
            }
            // A field without annotation is a tensor whatever its default.
            match (convert::from_python(d, ty), ty) {
                (Some(value), _) => Ok(value),
                (None, Type::Tensor(_)) => convert::infer(d).map_err(fail),
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
    defaults: HashMap<Arc<str>, Vec<(Arc<str>, Value)>>,
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
    parts.methods.sort_by_key(|m| match is_property(m) {
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
    let methods: Outcome<Vec<Arc<Schema>>> =
        rushlight::frontend::script::interface_methods(&ty, &definition, &resolver);
    match methods {
        // Python gives the members of a class in the order of their names.
        Ok(mut methods) => {
            methods.sort_by(|a, b| a.name.cmp(&b.name));
            interface.define(methods);
        }
        Err(error) => {
            state::forget_type(class);
            return Err(error);
        }
    }
    Ok(ty)
}
