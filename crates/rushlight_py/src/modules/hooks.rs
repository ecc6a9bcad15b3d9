//! Forward hooks of scripted modules: compiled with the module's type and called around `forward`.

use super::compile;
use super::concrete::Concrete;
use super::value::ModuleValue;
use crate::{errors, script, state};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rushlight::Value;
use rushlight::frontend::script::{Arguments, Emitter};
use rushlight::frontend::sugared::{Special, function::ScriptFunction};
use rushlight::frontend::{Outcome, Sugared};
use rushlight::ir::{Function, ValueId};
use rushlight::syntax::Span;
use rushlight::types::{Callable, Object, Type};
use std::rc::Rc;
use std::sync::Arc;

/// Whether modules of a type have hooks.
pub fn present(concrete: &Concrete) -> bool {
    concrete.shape.hooks.iter().any(|h| !h.is_empty())
}

/// Compiles the hooks of a type: methods of its class.
pub fn compile(py: Python<'_>, concrete: &Rc<Concrete>) -> PyResult<()> {
    for (which, before) in [(1, false), (0, true)] {
        for hook in &concrete.shape.hooks[which] {
            let info = py
                .import("rushlight._resolve")?
                .call_method1("function_info", (hook,))?;
            let source = compile::source(concrete, &info)?;
            let name = source.def.name.name.to_string();
            let function = compile::declare(concrete, &name, source);
            concrete.class.add_hook(&name, before);
            state::compiler()
                .compile(&function)
                .map_err(|e| errors::diagnostic(py, &e))?;
            check(concrete, &function, before)?;
        }
    }
    Ok(())
}

/// Hooks take the module and a tuple of the arguments of `forward` (then its result).
fn check(concrete: &Concrete, hook: &Function, before: bool) -> PyResult<()> {
    let Some(forward) = state::unit()
        .method(&concrete.class, "forward")
        .and_then(|f| f.known_schema())
    else {
        return Ok(());
    };
    let (schema, name) = (hook.schema(), hook.basename().to_string());
    let inputs: Vec<Type> = forward.arguments[1..]
        .iter()
        .map(|a| a.ty.clone())
        .collect();
    let wanted = Type::tuple(inputs.clone());
    let Some(given) = schema.arguments.get(1).map(|a| a.ty.clone()) else {
        return Ok(());
    };
    if given == wanted {
        return Ok(());
    }
    let module = &concrete.facts.name;
    let kind = if before { "Pre-hook" } else { "Hook" };
    let lower = if before { "pre-hook" } else { "hook" };
    let returned = match inputs.as_slice() {
        [only] => format!("'{only}', or '{wanted}'"),
        _ => format!("'{wanted}'"),
    };
    let expected = if before {
        format!(
            "Pre-hooks for module '{module}' are expected to have the following signature: {name}(self, input: {wanted}) with a return type of either 'None', {returned}."
        )
    } else {
        let output = &forward.returns[0].ty;
        format!(
            "Hooks for module '{module}' are expected to have the following signature: {name}(self, input: {wanted}, output: {output})"
        )
    };
    let complaint = match given {
        Type::Tuple(_) => format!(
            "has the wrong inner types for the input tuple argument. Received type: '{given}'."
        ),
        _ => format!(
            "expected the input argument to be typed as a Tuple but found type: '{given}' instead."
        ),
    };
    Err(PyRuntimeError::new_err(format!(
        "{kind} '{name}' on module '{module}' {complaint}\nThis error occurred while scripting the forward {lower} '{name}' on module '{module}'. If you did not want to script this {lower} remove it from the original NN module before scripting. {expected}\n"
    )))
}

fn functions(concrete: &Concrete, before: bool) -> Vec<Arc<Function>> {
    let names = concrete.class.hooks(before);
    names
        .iter()
        .filter_map(|name| state::unit().method(&concrete.class, name))
        .collect()
}

/// Calls a module with hooks inside a script.
pub fn call(
    module: &ModuleValue,
    emitter: &mut Emitter<'_>,
    arguments: &Arguments,
    span: &Span,
) -> Outcome<Sugared> {
    let mut inputs = Vec::new();
    let keywords = arguments
        .keywords
        .iter()
        .map(|k| (k.value.clone(), k.span.clone()));
    for (value, at) in arguments.positional.iter().cloned().chain(keywords) {
        inputs.push(value.as_value(emitter, &at)?);
    }
    let mut packed = emitter.tuple(&inputs, span);
    for hook in functions(&module.concrete, true) {
        let changed = call_hook(emitter, hook, &[module.value, packed], span)?;
        match emitter.ty(changed).clone() {
            Type::None => {}
            Type::Tuple(_) => packed = changed,
            _ => packed = emitter.tuple(&[changed], span),
        }
    }
    let unpacked = emitter.unpack_tuple(packed, span);
    let forward = module.attribute(emitter, "forward", span)?;
    let mut out = forward
        .call(emitter, &Arguments::of(&unpacked, span), span)?
        .as_value(emitter, span)?;
    for hook in functions(&module.concrete, false) {
        let changed = call_hook(emitter, hook, &[module.value, packed, out], span)?;
        if *emitter.ty(changed) != Type::None {
            out = changed;
        }
    }
    Ok(Sugared::Value(out))
}

fn call_hook(
    emitter: &mut Emitter<'_>,
    function: Arc<Function>,
    inputs: &[ValueId],
    span: &Span,
) -> Outcome<ValueId> {
    ScriptFunction { function }
        .call(emitter, &Arguments::of(inputs, span), span)?
        .as_value(emitter, span)
}

/// Calls a module with hooks from Python.
pub fn run<'py>(
    py: Python<'py>,
    object: &Arc<Object>,
    forward: &Arc<Function>,
    unit: &rushlight::ir::Unit,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let this = Value::Object(object.clone());
    let arguments = script::bind(&forward.schema(), Some(this.clone()), args, kwargs)?;
    let mut packed = Value::tuple(arguments[1..].to_vec());
    let invoke = |function: &Arc<Function>, values: Vec<Value>| {
        py.detach(|| function.invoke(state::context(), values))
            .map_err(|e| errors::script_fault(py, e))
    };
    for name in object.class().hooks(true) {
        let Some(hook) = unit.method(object.class(), &name) else {
            continue;
        };
        match invoke(&hook, vec![this.clone(), packed.clone()])? {
            Value::None => {}
            changed @ Value::Tuple(_) => packed = changed,
            changed => packed = Value::tuple(vec![changed]),
        }
    }
    let Value::Tuple(inputs) = &packed else {
        return Err(PyRuntimeError::new_err("a pre-hook gave no tuple"));
    };
    let all = std::iter::once(this.clone()).chain(inputs.items.iter().cloned());
    let mut out = invoke(forward, all.collect())?;
    for name in object.class().hooks(false) {
        let Some(hook) = unit.method(object.class(), &name) else {
            continue;
        };
        match invoke(&hook, vec![this.clone(), packed.clone(), out.clone()])? {
            Value::None => {}
            changed => out = changed,
        }
    }
    crate::convert::to_python(py, &out)
}
