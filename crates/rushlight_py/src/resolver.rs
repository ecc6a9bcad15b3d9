//! Names of live Python programs, as scripts see them.
//!
//! Python describes an object as a tuple whose first item says what it is (`rushlight/_resolve.py` has the list and is
//! the one place that looks at Python objects); this file turns descriptions into sugared values and types.

use crate::compile;
use crate::convert::{infer, type_name};
use crate::library;
use crate::modules::python_call;
use crate::script::ScriptFunction;
use crate::tensor::PyTensor;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rushlight::Value;
use rushlight::frontend::script::Emitter;
use rushlight::frontend::source_file::type_value;
use rushlight::frontend::sugared::exception::ExceptionClass;
use rushlight::frontend::sugared::globals::unusable_message;
use rushlight::frontend::sugared::{SugaredValue, function, namespace};
use rushlight::frontend::{Outcome, Problem, RefusedAnnotation, Resolver, Sugared};
use rushlight::syntax::tree::Expr;
use rushlight::syntax::{Diagnostic, ErrorKind, Span};
use rushlight::types::Type;
use std::cell::OnceCell;

/// Resolves names by asking Python.
pub struct PyResolver {
    /// An object with `lookup(name)`, `lookup_type(name)` and `constant(name)`.
    scope: Py<PyAny>,
    /// The dictionaries that the scope consists of, where it is no more than that.
    dictionaries: OnceCell<Option<[Option<Py<PyDict>>; 2]>>,
}

impl PyResolver {
    /// Resolves names in a scope (`rushlight/_resolve.py`).
    pub fn new(scope: Py<PyAny>) -> PyResolver {
        PyResolver {
            scope,
            dictionaries: OnceCell::new(),
        }
    }

    fn dictionaries(&self, py: Python<'_>) -> Option<&[Option<Py<PyDict>>; 2]> {
        let read = || -> PyResult<Option<[Option<Py<PyDict>>; 2]>> {
            let scope = self.scope.bind(py);
            if !scope.getattr("plain")?.is_truthy()? {
                return Ok(None);
            }
            Ok(Some([
                scope.getattr("names")?.extract()?,
                scope.getattr("fallback")?.extract()?,
            ]))
        };
        let known = self.dictionaries.get_or_init(|| read().ok().flatten());
        known.as_ref()
    }

    /// The object of a name where the dictionaries say it: `Some(None)` when they do not have it.
    fn find<'py>(&self, py: Python<'py>, name: &str) -> Option<Option<Bound<'py, PyAny>>> {
        for dictionary in self.dictionaries(py)?.iter().flatten() {
            if let Ok(Some(found)) = dictionary.bind(py).get_item(name) {
                return Some(Some(found));
            }
        }
        Some(None)
    }

    /// Whether a dotted name is the class of tensors.
    fn is_tensor_class(&self, py: Python<'_>, name: &str) -> bool {
        let mut parts = name.split('.');
        let first = parts.next().and_then(|first| self.find(py, first)?);
        let found = first.and_then(|first| {
            parts.try_fold(first, |object, part| {
                object.getattr_opt(part).ok().flatten()
            })
        });
        found.is_some_and(|object| object.is(py.get_type::<PyTensor>()))
    }
}

fn problem(message: String, span: &Span) -> Problem {
    Box::new(Diagnostic::error("python-value", message, span))
}

/// A Python exception raised while describing something.
pub fn from_python_error(py: Python<'_>, error: &PyErr, span: &Span) -> Problem {
    let kind = error
        .get_type(py)
        .name()
        .ok()
        .and_then(|n| ErrorKind::from_class_name(&n.to_string()))
        .unwrap_or(ErrorKind::Runtime);
    let message = error.value(py).to_string();
    Box::new(Diagnostic::new("python-error", kind, message).at(span))
}

/// A Python exception that reaches the caller as it is: sources that cannot be had or read.
fn raised_by_python(py: Python<'_>, error: &PyErr) -> Problem {
    let mut problem = from_python_error(py, error, &Span::unknown());
    problem.span = None;
    problem
}

impl Resolver for PyResolver {
    fn lookup(
        &self,
        emitter: &mut Emitter<'_>,
        name: &str,
        span: &Span,
    ) -> Outcome<Option<Sugared>> {
        Python::attach(|py| {
            // A name bound to None counts as undefined.
            if matches!(self.find(py, name), Some(found) if found.as_ref().is_none_or(|f| f.is_none()))
            {
                return Ok(None);
            }
            let description = self
                .scope
                .bind(py)
                .call_method1("lookup", (name,))
                .map_err(|e| raised_by_python(py, &e))?;
            if description.is_none() {
                Ok(None)
            } else {
                sugared(emitter, name, &description, span).map(Some)
            }
        })
    }

    fn host_name(
        &self,
        emitter: &mut Emitter<'_>,
        name: &str,
        span: &Span,
    ) -> Outcome<Option<Sugared>> {
        Python::attach(|py| {
            let description = self
                .scope
                .bind(py)
                .call_method1("host_name", (name,))
                .map_err(|e| raised_by_python(py, &e))?;
            if description.is_none() {
                return Ok(None);
            }
            sugared(emitter, name, &description, span).map(Some)
        })
    }

    fn class_attribute(
        &self,
        emitter: &mut Emitter<'_>,
        class: &str,
        name: &str,
        span: &Span,
    ) -> Outcome<Option<Sugared>> {
        Python::attach(|py| {
            let found =
                crate::state::class_of(py, class).and_then(|class| class.getattr(name).ok());
            found
                .filter(|found| !found.is_none())
                .map(|found| object(emitter, name, &found, span))
                .transpose()
        })
    }

    fn lookup_type(&self, name: &str, span: &Span) -> Outcome<Option<Type>> {
        Python::attach(|py| {
            if self.is_tensor_class(py, name) {
                return Ok(Some(Type::TENSOR));
            }
            let description = self
                .scope
                .bind(py)
                .call_method1("lookup_type", (name,))
                .map_err(|e| raised_by_python(py, &e))?;
            if description.is_none() {
                return Ok(None);
            }
            if let Ok(("module_class", name)) = description.extract::<(&str, &str)>() {
                // The class of a module is a type once an instance has been scripted.
                return Ok(crate::state::unit().ty(name));
            }
            described_type(&description, span).map(Some)
        })
    }

    fn own_name(&self, name: &str) -> Option<String> {
        Python::attach(|py| {
            let scope = self.scope.bind(py);
            let found = scope.call_method1("own_name", (name,)).ok()?;
            found.extract::<Option<String>>().ok()?
        })
    }

    fn refused_annotation(&self, text: &str) -> Option<RefusedAnnotation> {
        Python::attach(|py| {
            let scope = self.scope.bind(py);
            let found = scope.call_method1("refused_annotation", (text,)).ok()?;
            let (class, message, shows_place): (String, String, bool) = found.extract().ok()?;
            let kind = ErrorKind::from_class_name(&class)?;
            Some(RefusedAnnotation {
                kind,
                message,
                shows_place,
            })
        })
    }

    fn constant(&self, expr: &Expr) -> Option<Value> {
        let name = rushlight::frontend::script::dotted_text(expr)?;
        Python::attach(|py| {
            let found = self.scope.bind(py).call_method1("constant", (name,)).ok()?;
            let (value,): (Bound<'_, PyAny>,) = found.extract().ok()?;
            infer(&value).ok()
        })
    }
}

/// Makes the class of a member of an enum known to scripts.
pub fn make_known(value: &Bound<'_, PyAny>, span: &Span) -> Outcome<()> {
    let py = value.py();
    let fail = |e: PyErr| from_python_error(py, &e, span);
    let class = value.get_type();
    if crate::state::known_type(class.as_any()).is_some() {
        return Ok(());
    }
    let members = py.import("enum").and_then(|m| m.getattr("Enum"));
    if value.is_instance(&members.map_err(fail)?).map_err(fail)? {
        let resolve = py.import("rushlight._resolve").map_err(fail)?;
        let described = resolve
            .call_method1("describe_type", (class,))
            .map_err(fail)?;
        described_type(&described, span)?;
    }
    Ok(())
}

/// The type that a description names.
pub fn described_type(description: &Bound<'_, PyAny>, span: &Span) -> Outcome<Type> {
    let fail = |e: PyErr| problem(e.to_string(), span);
    let tuple = description
        .cast::<PyTuple>()
        .map_err(|e| problem(e.to_string(), span))?;
    let item = |i: usize| tuple.get_item(i).map_err(fail);
    let kind: String = item(0)?.extract().map_err(fail)?;
    let parts = |from: usize| -> Outcome<Vec<Type>> {
        (from..tuple.len())
            .map(|i| described_type(&item(i)?, span))
            .collect()
    };
    let first = |mut types: Vec<Type>| match types.is_empty() {
        false => Ok(types.swap_remove(0)),
        true => Err(problem(format!("{kind} needs a type"), span)),
    };
    Ok(match kind.as_str() {
        "simple" => {
            let name: String = item(1)?.extract().map_err(fail)?;
            return Type::parse(&name, &|_| None).map_err(|e| problem(e, span));
        }
        "list" => Type::list(first(parts(1)?)?),
        "optional" => Type::optional(first(parts(1)?)?),
        "future" => Type::future(first(parts(1)?)?),
        "rref" => Type::RRef(first(parts(1)?)?.into()),
        "tuple" => Type::tuple(parts(1)?),
        "union" => Type::union(parts(1)?),
        "dict" => match parts(1)?.as_slice() {
            [key, value] => Type::dict(key.clone(), value.clone()),
            _ => return Err(problem("Dict needs two types".into(), span)),
        },
        "class" | "enum" | "named_tuple" | "interface" => {
            return compile::named_class(&kind, tuple, span);
        }
        _ => return Err(problem(format!("Unknown type name '{kind}'"), span)),
    })
}

/// What a Python object stands for.
pub fn object(
    emitter: &mut Emitter<'_>,
    name: &str,
    object: &Bound<'_, PyAny>,
    span: &Span,
) -> Outcome<Sugared> {
    let py = object.py();
    let description = py
        .import("rushlight._resolve")
        .and_then(|m| m.call_method1("describe", (object,)))
        .map_err(|e| raised_by_python(py, &e))?;
    sugared(emitter, name, &description, span)
}

/// What a description stands for.
pub fn sugared(
    emitter: &mut Emitter<'_>,
    name: &str,
    description: &Bound<'_, PyAny>,
    span: &Span,
) -> Outcome<Sugared> {
    let fail = |e: PyErr| problem(e.to_string(), span);
    let tuple = description
        .cast::<PyTuple>()
        .map_err(|e| problem(e.to_string(), span))?;
    let item = |i: usize| tuple.get_item(i).map_err(fail);
    let text = |i: usize| -> Outcome<String> { item(i)?.extract().map_err(fail) };
    let kind = text(0)?;
    Ok(match kind.as_str() {
        "path" => {
            let path = text(1)?;
            match namespace::resolve(emitter, &path, span)? {
                Some(found) => found,
                None => {
                    let name = path.rsplit('.').next().unwrap_or(&path);
                    return Err(problem(
                        format!(
                            "Python builtin <built-in function {name}> is currently not supported in Torchscript"
                        ),
                        span,
                    ));
                }
            }
        }
        "script_function" => {
            let function = item(1)?
                .extract::<ScriptFunction>()
                .map_err(|e| problem(e.to_string(), span))?;
            match function.function() {
                Some(function) => Sugared::special(function::ScriptFunction { function }),
                None => {
                    return Err(problem(
                        format!("'{name}' cannot be called from a script"),
                        span,
                    ));
                }
            }
        }
        "python_function" => {
            let function = compile::declared_function(emitter.compiler, &item(1)?)
                .map_err(|e| Python::attach(|py| raised_by_python(py, &e)))?;
            Sugared::special(function::ScriptFunction { function })
        }
        "boolean_dispatch" => Sugared::special(library::boolean_dispatch(tuple).map_err(fail)?),
        "overloaded_function" => Sugared::special(library::overloaded(tuple).map_err(fail)?),
        "class" | "enum" | "named_tuple" | "interface" => {
            type_value(compile::named_class(&kind, tuple, span)?)
        }
        "interface_value" => {
            let (interface, class) = (item(1)?, item(2)?);
            let part = |part: &Bound<'_, PyAny>| -> Outcome<Py<PyTuple>> {
                let tuple = part.cast::<PyTuple>();
                tuple
                    .map(|t| t.clone().unbind())
                    .map_err(|e| problem(e.to_string(), span))
            };
            Sugared::special(InterfaceValue {
                ty: described_type(&interface, span)?,
                class: part(&class)?,
            })
        }
        "exception" => Sugared::special(ExceptionClass {
            name: text(1)?,
            qualified: text(2)?,
        }),
        "module" => Sugared::special(PythonModule {
            name: name.to_string(),
            scope: item(1)?.unbind(),
        }),
        "constant" => {
            let constant = item(1)?;
            make_known(&constant, span)?;
            let value = infer(&constant).map_err(fail)?;
            Sugared::Value(emitter.constant(value, span))
        }
        "type" => {
            let ty = described_type(&item(1)?, span)?;
            type_value(ty)
        }
        "python_callable" => {
            let parameters: Option<Vec<String>> = item(3)?.extract().map_err(fail)?;
            let result = item(4)?;
            let result = match result.is_none() {
                true => Type::TENSOR,
                false => described_type(&result, span)?,
            };
            python_call::object(&item(1)?, text(2)?, parameters, result)
        }
        "ignored_function" => {
            let info = item(1)?;
            let info = info
                .cast::<PyDict>()
                .map_err(|e| problem(e.to_string(), span))?;
            python_call::ignored(info, item(2)?.extract().map_err(fail)?, span)?
        }
        "value" => Sugared::special(PythonValue {
            type_name: text(1)?,
            shown: text(2)?,
        }),
        // Once an instance has been scripted, the class of a module is one that no script can make objects of.
        "uninstantiable" if crate::state::unit().ty(&text(3)?).is_some() => {
            Sugared::special(Uncallable {
                message: format!(
                    "Class {} does not have an __init__ function defined",
                    text(4)?
                ),
                kind: ErrorKind::Runtime,
                scope: tuple.get_item(2).ok().map(Bound::unbind),
            })
        }
        "unsupported_call" | "uninstantiable" => Sugared::special(Uncallable {
            message: text(1)?,
            kind: match kind == "uninstantiable" {
                true => ErrorKind::Frontend,
                false => ErrorKind::Runtime,
            },
            scope: tuple.get_item(2).ok().map(Bound::unbind),
        }),
        "unsupported" => return Err(problem(text(1)?, span)),
        _ => Sugared::special(PythonValue {
            type_name: type_name(&item(1)?),
            shown: kind,
        }),
    })
}

/// An interface as a value: what it means to call it is what its text means as that of a class.
struct InterfaceValue {
    ty: Type,
    /// The description of the class.
    class: Py<PyTuple>,
}

impl InterfaceValue {
    fn as_class(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Sugared> {
        let ty = Python::attach(|py| compile::interface_as_class(self.class.bind(py), span))?;
        let class = type_value(ty);
        if let Sugared::Special(special) = &class {
            special.prepare(emitter, span)?;
        }
        Ok(class)
    }
}

impl SugaredValue for InterfaceValue {
    fn describe(&self) -> String {
        "Python type".to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &rushlight::frontend::script::Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let class = self.as_class(emitter, span)?;
        class.call(emitter, arguments, span)
    }

    fn attribute(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<Sugared> {
        let class = self.as_class(emitter, span)?;
        class.attribute(emitter, name, span)
    }

    fn as_type(&self) -> Option<Type> {
        Some(self.ty.clone())
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// A Python module of the program: its attributes are described one by one.
struct PythonModule {
    name: String,
    scope: Py<PyAny>,
}

impl SugaredValue for PythonModule {
    fn describe(&self) -> String {
        "python value of type 'module'".to_string()
    }

    fn as_value(&self, _emitter: &mut Emitter<'_>, span: &Span) -> Outcome<rushlight::ir::ValueId> {
        Err(problem(unusable_message("module"), span))
    }

    fn attribute(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<Sugared> {
        Python::attach(|py| {
            let description = self
                .scope
                .bind(py)
                .call_method1("lookup", (name,))
                .map_err(|e| raised_by_python(py, &e))?;
            if description.is_none() {
                return Err(problem(format!("object has no attribute {name}"), span));
            }
            sugared(
                emitter,
                &format!("{}.{name}", self.name),
                &description,
                span,
            )
        })
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// Something of Python whose calls get an error of their own.
struct Uncallable {
    message: String,
    kind: ErrorKind,
    /// What answers its attributes, where it has any.
    scope: Option<Py<PyAny>>,
}

impl SugaredValue for Uncallable {
    fn describe(&self) -> String {
        match self.scope {
            Some(_) => "python value of type 'type'".to_string(),
            None => "python value".to_string(),
        }
    }

    fn call(
        &self,
        _emitter: &mut Emitter<'_>,
        _arguments: &rushlight::frontend::script::Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        Err(Box::new(
            Diagnostic::new("not-callable", self.kind, self.message.clone()).at(span),
        ))
    }

    fn attribute(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<Sugared> {
        let missing = || {
            problem(
                format!("attribute lookup is not defined on {}", self.describe()),
                span,
            )
        };
        let Some(scope) = &self.scope else {
            return Err(missing());
        };
        Python::attach(|py| {
            let description = scope
                .bind(py)
                .call_method1("lookup", (name,))
                .map_err(|e| from_python_error(py, &e, span))?;
            match description.is_none() {
                true => Err(missing()),
                false => sugared(emitter, name, &description, span),
            }
        })
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// A Python value that scripts cannot use.
struct PythonValue {
    type_name: String,
    /// How it prints.
    shown: String,
}

impl SugaredValue for PythonValue {
    fn describe(&self) -> String {
        format!("python value of type '{}'", self.type_name)
    }

    fn subscript(
        &self,
        emitter: &mut Emitter<'_>,
        _index: rushlight::ir::ValueId,
        _wanted: Option<&Type>,
        places: rushlight::frontend::sugared::SubscriptPlaces<'_>,
    ) -> Outcome<Sugared> {
        self.as_value(emitter, places.value).map(Sugared::Value)
    }

    fn as_value(&self, _emitter: &mut Emitter<'_>, span: &Span) -> Outcome<rushlight::ir::ValueId> {
        Err(problem(unusable_message(&self.type_name), span))
    }

    fn call(
        &self,
        _emitter: &mut Emitter<'_>,
        _arguments: &rushlight::frontend::script::Arguments,
        _span: &Span,
    ) -> Outcome<Sugared> {
        let message = format!("{} is not a callable object", self.shown);
        Err(Box::new(Diagnostic::new(
            "python-value",
            ErrorKind::Type,
            message,
        )))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
