//! What Python objects of live programs are to scripts.
//!
//! Python describes an object as a tuple whose first item says what it is (`rushlight/_resolve.py` has the list and is
//! the one place that looks at Python objects); this file turns descriptions into sugared values.

use crate::classes::{described_type, interface_as_class, named_class};
use crate::convert::{infer, type_name};
use crate::definition::{declared_function, make_known};
use crate::errors::{from_python_error, raised_by_python};
use crate::handles::ScriptFunction;
use crate::overloaded::overloaded;
use crate::{python_call, scope, state};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rushlight::frontend::script::Emitter;
use rushlight::frontend::source_file::type_value;
use rushlight::frontend::sugared::choice::{BooleanDispatch, Chosen};
use rushlight::frontend::sugared::exception::ExceptionClass;
use rushlight::frontend::sugared::globals::unusable_message;
use rushlight::frontend::sugared::{SugaredValue, function, namespace};
use rushlight::frontend::{Outcome, Problem, Sugared};
use rushlight::syntax::{Diagnostic, ErrorKind, Span};
use rushlight::types::Type;

fn problem(message: String, span: &Span) -> Problem {
    Box::new(Diagnostic::error("python-value", message, span))
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
            let function = declared_function(emitter.compiler, &item(1)?)
                .map_err(|e| Python::attach(|py| raised_by_python(py, &e)))?;
            Sugared::special(function::ScriptFunction { function })
        }
        "boolean_dispatch" => Sugared::special(boolean_dispatch(tuple).map_err(fail)?),
        "overloaded_function" => Sugared::special(overloaded(tuple).map_err(fail)?),
        "class" | "enum" | "named_tuple" | "interface" => {
            type_value(named_class(&kind, tuple, span)?)
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
        "uninstantiable" if state::unit().ty(&text(3)?).is_some() => Sugared::special(Uncallable {
            message: format!(
                "Class {} does not have an __init__ function defined",
                text(4)?
            ),
            kind: ErrorKind::Runtime,
            scope: tuple.get_item(2).ok().map(Bound::unbind),
        }),
        "uninstantiable" => Sugared::special(Uncallable {
            message: text(1)?,
            kind: ErrorKind::Frontend,
            scope: tuple.get_item(2).ok().map(Bound::unbind),
        }),
        "unsupported" => return Err(problem(text(1)?, span)),
        _ => Sugared::special(PythonValue {
            type_name: type_name(&item(1)?),
            shown: kind,
        }),
    })
}

/// A function of our own standard library that a flag tells from another (`rushlight/_jit_internal.py`). From
/// `("boolean_dispatch", name, index, default, if_true, if_false)`.
fn boolean_dispatch(tuple: &Bound<'_, PyTuple>) -> PyResult<BooleanDispatch> {
    let flag: String = tuple.get_item(1)?.extract()?;
    let chosen = |i: usize| -> PyResult<Chosen> {
        let (name, object) = (flag.clone(), tuple.get_item(i)?.unbind());
        Ok(Box::new(move |emitter, span| {
            Python::attach(|py| scope::object(emitter, &name, object.bind(py), span))
        }))
    };
    Ok(BooleanDispatch {
        index: tuple.get_item(2)?.extract()?,
        default: tuple.get_item(3)?.extract()?,
        if_true: chosen(4)?,
        if_false: chosen(5)?,
        flag,
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
        let ty = Python::attach(|py| interface_as_class(self.class.bind(py), span))?;
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

    fn as_value(&self, _emitter: &mut Emitter<'_>, span: &Span) -> Outcome<rushlight::ir::ValueId> {
        Err(problem(unusable_message("type"), span))
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
