//! Calls from scripts into Python: ignored functions and methods.

use crate::convert::argument::PyArgument;
use crate::convert::{from_python, to_python, type_name};
use crate::definition::undefaulted_source;
use crate::errors::{from_python_error, module_problem};
use crate::state;
use crate::trace::program::is_own_file;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rushlight::Value;
use rushlight::frontend::script::{Arguments, Emitter, match_call, signature};
use rushlight::frontend::sugared::SugaredValue;
use rushlight::frontend::sugared::globals::unusable_message;
use rushlight::frontend::{Outcome, Sugared};
use rushlight::ir::{Attr, Prim, ValueId};
use rushlight::runtime::invoke::HostArgument;
use rushlight::syntax::Span;
use rushlight::types::{Argument, Callable, Context, Fault, Schema, Type};
use std::rc::Rc;
use std::sync::Arc;

/// A Python function with the types that its annotations give it.
pub struct PythonFunction {
    name: String,
    schema: Arc<Schema>,
    function: Py<PyAny>,
}

impl PythonFunction {
    /// A function that scripts reach by a schema of its own.
    pub fn new(schema: Schema, function: Py<PyAny>) -> PythonFunction {
        PythonFunction::named(schema.name.to_string(), schema, function)
    }

    /// The same under another name than the schema's.
    pub fn named(name: String, schema: Schema, function: Py<PyAny>) -> PythonFunction {
        PythonFunction {
            name,
            schema: Arc::new(schema),
            function,
        }
    }
}

impl Callable for PythonFunction {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> Arc<Schema> {
        self.schema.clone()
    }

    fn invoke(&self, _context: &Context, arguments: Vec<Value>) -> rushlight::types::Result<Value> {
        Python::attach(|py| {
            let given = arguments
                .iter()
                .map(|a| to_python(py, a))
                .collect::<PyResult<Vec<_>>>()
                .and_then(|given| PyTuple::new(py, given))
                .map_err(|e| raised(py, &e))?;
            let result = self
                .function
                .bind(py)
                .call1(given)
                .map_err(|e| raised(py, &e))?;
            let wanted = &self.schema.returns[0].ty;
            // A function without annotations may return nothing: an undefined tensor.
            if result.is_none() && wanted.is_tensor() {
                return Ok(Value::None);
            }
            let held = from_python(&result, wanted);
            held.or_else(|| PyArgument(result.clone()).cast(wanted).ok()).ok_or_else(|| {
                let shown = result.repr().map_or_else(|_| "?".into(), |r| r.to_string());
                Fault::runtime(format!(
                    " expected value of type {} for return value but instead got value of type {}.\nValue: {shown}\nCast error details: {}",
                    wanted.graph_form(),
                    type_name(&result),
                    PyArgument(result.clone()).cast_details(wanted)
                ))
            })
        })
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// A Python exception as what a script reports: its class, its text, and where Python was.
pub fn raised(py: Python<'_>, error: &PyErr) -> Fault {
    let class = error
        .get_type(py)
        .name()
        .map_or_else(|_| "Exception".into(), |n| n.to_string());
    let mut text = format!("{class}: {}\n\nAt:\n", error.value(py));
    let places = places(py, error).unwrap_or_default();
    text.push_str(&places.concat());
    Fault::runtime(text)
}

/// Where Python raised an exception: the calls around, innermost first, without those of our own.
fn places(py: Python<'_>, error: &PyErr) -> PyResult<Vec<String>> {
    let Some(traceback) = error.traceback(py) else {
        return Ok(Vec::new());
    };
    let mut step = traceback.into_any();
    loop {
        let next = step.getattr("tb_next")?;
        if next.is_none() {
            break;
        }
        step = next;
    }
    let mut places = Vec::new();
    let mut frame = step.getattr("tb_frame")?;
    while !frame.is_none() {
        let code = frame.getattr("f_code")?;
        let file = code.getattr("co_filename")?.to_string();
        if !is_own_file(py, &file) {
            let (line, name) = (frame.getattr("f_lineno")?, code.getattr("co_name")?);
            places.push(format!("  {file}({line}): {name}\n"));
        }
        frame = frame.getattr("f_back")?;
    }
    Ok(places)
}

/// A Python function that scripts call but never compile; calls of an unused one raise.
pub fn ignored(info: &Bound<'_, PyDict>, unused: bool, span: &Span) -> Outcome<Sugared> {
    let py = info.py();
    let fail = |e: PyErr| from_python_error(py, &e, span);
    let mut source = undefaulted_source(info).map_err(fail)?;
    // Python's defaults are not known to scripts.
    let mut def = (*source.def).clone();
    def.params.0.iter_mut().for_each(|p| p.default = None);
    source.def = Rc::new(def);
    let schema = signature(&state::compiler(), &source.def.name.name, &source)?;
    let function = info
        .get_item("key")
        .map_err(fail)?
        .ok_or_else(|| module_problem("a Python function without its object".into(), span))?;
    Ok(Sugared::special(PythonCall {
        first: None,
        function: Arc::new(PythonFunction {
            name: source.def.name.name.to_string(),
            schema: Arc::new(schema),
            function: function.unbind(),
        }),
        unused,
    }))
}

/// A Python object that is called where it stands: it takes tensors and gives a tensor. Without names for its
/// parameters it takes as many arguments as it is given.
pub fn object(
    object: &Bound<'_, PyAny>,
    name: String,
    parameters: Option<Vec<String>>,
    result: Type,
) -> Sugared {
    Sugared::special(Callee {
        object: object.clone().unbind(),
        name,
        parameters,
        result,
    })
}

struct Callee {
    object: Py<PyAny>,
    name: String,
    parameters: Option<Vec<String>>,
    result: Type,
}

impl Callee {
    fn parameters(&self, arguments: &Arguments) -> Vec<String> {
        let numbered = (0..arguments.positional.len()).map(|i| i.to_string());
        let named = arguments.keywords.iter().map(|k| k.name.to_string());
        match &self.parameters {
            Some(names) => names.clone(),
            None => numbered.chain(named).collect(),
        }
    }
}

impl SugaredValue for Callee {
    fn describe(&self) -> String {
        Python::attach(|py| format!("python value of type '{}'", type_name(self.object.bind(py))))
    }

    fn as_value(&self, _emitter: &mut Emitter<'_>, span: &Span) -> Outcome<ValueId> {
        let kind = Python::attach(|py| type_name(self.object.bind(py)));
        Err(module_problem(unusable_message(&kind), span))
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let parameters = self.parameters(arguments);
        let formals = parameters.iter().map(|n| Argument::new(n, Type::TENSOR));
        let schema = Schema::new(
            &self.name,
            formals.collect(),
            vec![Argument::new("0", self.result.clone())],
        );
        let call = PythonCall {
            first: None,
            function: Arc::new(PythonFunction {
                name: self.name.clone(),
                schema: Arc::new(schema),
                function: Python::attach(|py| self.object.clone_ref(py)),
            }),
            unused: false,
        };
        call.call(emitter, arguments, span)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// A Python function as scripts call it.
pub struct PythonCall {
    /// The module whose method it is.
    pub first: Option<ValueId>,
    pub function: Arc<PythonFunction>,
    /// Whether calls of it raise.
    pub unused: bool,
}

impl SugaredValue for PythonCall {
    fn describe(&self) -> String {
        "python value of type 'function'".to_string()
    }

    fn as_value(&self, _emitter: &mut Emitter<'_>, span: &Span) -> Outcome<ValueId> {
        Err(module_problem(unusable_message("function"), span))
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let mut arguments = match self.first {
            Some(first) => arguments.with_self(first, span),
            None => arguments.clone(),
        };
        // To Python, the module is an argument as any other.
        arguments.has_receiver = false;
        let schema = self.function.schema.clone();
        let matched = match_call(emitter, &[&schema], &arguments, span)?.1;
        let inputs = matched.emit(emitter, span);
        let returned = schema.returns[0].ty.clone();
        if self.unused {
            let message = emitter.constant(
                Value::str("This Python function is annotated to be ignored and cannot be run"),
                span,
            );
            let none = emitter.none(span);
            // The reference gives what it adds itself no place.
            for added in [message, none] {
                let node = emitter.graph.value(added).node();
                emitter.graph.set_span(node, None);
            }
            let raise = emitter
                .table()
                .overloads("prim::RaiseException")
                .first()
                .copied();
            let raise = raise.ok_or_else(|| {
                module_problem("Unknown builtin op: prim::RaiseException.".into(), span)
            })?;
            emitter.node(raise, &[message, none], &[], span);
            // What the reference takes for the result of the raise.
            emitter.none(span);
            return Ok(Sugared::Value(emitter.uninitialized(returned, span)));
        }
        let node = emitter.node(Prim::PythonOp, &inputs, &[returned], span);
        emitter.set_attr(node, "name", Attr::Str(self.function.name.as_str().into()));
        let callable: Arc<dyn Callable> = self.function.clone();
        emitter.set_attr(
            node,
            "function",
            Attr::Value(Value::Function(Arc::new(callable))),
        );
        Ok(Sugared::Value(emitter.graph.node(node).outputs()[0]))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
