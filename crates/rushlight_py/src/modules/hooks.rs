//! Forward hooks of scripted modules: compiled with the module's type and called around `forward`.

use super::concrete::Concrete;
use super::sources;
use super::value::ModuleValue;
use crate::{call, errors, state};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rushlight::Value;
use rushlight::frontend::script::{Arguments, Emitter};
use rushlight::frontend::sugared::{SugaredValue, function::ScriptFunction};
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
        let mut earlier: Option<Arc<Function>> = None;
        let mut named: Vec<(String, &Py<PyAny>)> = Vec::new();
        for hook in &concrete.shape.hooks[which] {
            let name: String = hook.bind(py).getattr("__name__")?.extract()?;
            check_name(concrete, &name, hook, before, &named)?;
            named.push((name, hook));
        }
        for hook in &concrete.shape.hooks[which] {
            let info = py
                .import("rushlight._resolve")?
                .call_method1("function_info", (hook,))?;
            let source = sources::source(concrete, &info)?;
            let name = source.def.name.name.to_string();
            let annotated = source.def.returns.is_some() || source.def.signature.is_some();
            let function = sources::declare(concrete, &name, source);
            concrete.class.add_hook(&name, before);
            state::compiler()
                .compile(&function)
                .map_err(|e| errors::diagnostic(py, &e))?;
            check(concrete, &function, before, annotated, earlier.as_deref())?;
            let changes = function
                .schema()
                .returns
                .first()
                .is_some_and(|r| r.ty != Type::None);
            if !before && changes {
                earlier = Some(function);
            }
        }
    }
    Ok(())
}

/// Refuses a hook whose name another hook or a method has.
fn check_name(
    concrete: &Concrete,
    name: &str,
    hook: &Py<PyAny>,
    before: bool,
    named: &[(String, &Py<PyAny>)],
) -> PyResult<()> {
    let mut same = named.iter().filter(|(known, _)| known == name);
    if let Some((_, known)) = same.next() {
        return match known.is(hook) {
            true => Ok(()),
            false => Err(PyRuntimeError::new_err(format!(
                "{} '{name}' on {} has at least two different python definitions. Please use unique names for all hooks.",
                if before { "Pre-hook" } else { "Hook" },
                concrete.class.basename()
            ))),
        };
    }
    let is_method = concrete
        .class
        .method(name)
        .is_some_and(|m| m.schema.is_some());
    let is_hook = concrete.class.hooks(!before).iter().any(|h| **h == *name);
    match is_method && !is_hook {
        true => Err(PyRuntimeError::new_err(format!(
            "Can't define hook: {name} on class: {} because a method or hook with that name already exists.",
            Type::Class(concrete.class.clone()).message_form()
        ))),
        false => Ok(()),
    }
}

/// What a class demands of its hooks, and the words for those that differ.
struct Demand<'d> {
    module: &'d str,
    hook: &'d str,
    before: bool,
    /// What `forward` takes.
    inputs: &'d [Type],
    /// What `forward` gives, or the last hook before this one that gives anything.
    output: &'d Type,
}

impl Demand<'_> {
    fn inputs_text(&self) -> String {
        let texts: Vec<String> = self.inputs.iter().map(Type::to_string).collect();
        match texts.as_slice() {
            [] => "Tuple[()]".to_string(),
            _ => format!("Tuple[{}]", texts.join(", ")),
        }
    }

    /// The signature that the hook should have.
    fn expected(&self) -> String {
        let Demand {
            module,
            hook,
            output,
            ..
        } = self;
        let inputs = self.inputs_text();
        if !self.before {
            return format!(
                "This error occurred while scripting the forward hook '{hook}' on module {module}. If you did not want to script this hook remove it from the original NN module before scripting. This hook was expected to have the following signature: {hook}(self, input: {inputs}, output: {output}). The type of the output arg is the returned type from either the forward method or the previous hook if it exists. Note that hooks can return anything, but if the hook is on a submodule the outer module is expecting the same return type as the submodule's forward."
            );
        }
        let single = match self.inputs {
            [Type::Tuple(_)] => String::new(),
            [only] => format!(", '{only}',"),
            _ => String::new(),
        };
        format!(
            "This error occurred while scripting the forward pre-hook '{hook}' on module '{module}'. If you did not want to script this pre-hook remove it from the original NN module before scripting. Pre-hooks for module '{module}' are expected to have the following signature: {hook}(self, input: {inputs}) with a return type of either 'None'{single} or '{inputs}'."
        )
    }

    /// What is wrong with a hook of these arguments; `returned` is none where it does not say what it gives.
    fn complaint(&self, arguments: &[Type], returned: Option<&Type>) -> Option<String> {
        let wanted = if self.before { 2 } else { 3 };
        if arguments.len() != wanted {
            return Some(format!(
                "was expected to only have exactly {wanted} inputs but it had {} inputs. ",
                arguments.len()
            ));
        }
        let given = &arguments[1];
        let Type::Tuple(tuple) = given else {
            return Some(format!(
                "expected the input argument to be typed as a Tuple but found type: '{given}' instead.\n"
            ));
        };
        let elements = &tuple.elements;
        if self.inputs.is_empty() && !elements.is_empty() {
            return Some(format!(
                "was expecting Tuple[()] as the input type. Received type: '{given}'.\n"
            ));
        }
        if elements.len() != self.inputs.len() {
            return Some(format!(
                "has the wrong number of contained types for the input argument's Tuple. Received type: '{given}'.\n"
            ));
        }
        if elements.iter().ne(self.inputs.iter()) {
            return Some(format!(
                "has the wrong inner types for the input tuple argument. Received type: '{given}'.\n"
            ));
        }
        if self.before {
            return match returned {
                Some(returned) => self.wrong_return(returned),
                None => Some(
                    "is missing a return annotation. Return annotations are required, please add one.\n"
                        .to_string(),
                ),
            };
        }
        (arguments[2] != *self.output).then(|| {
            format!(
                "has the wrong type for the output argument. Received type: '{}'. Expected type: '{}'.\n",
                arguments[2], self.output
            )
        })
    }

    /// What is wrong with what a pre-hook gives: it is none, or what `forward` takes.
    fn wrong_return(&self, returned: &Type) -> Option<String> {
        let wrong = |rest: String| Some(format!("returned the wrong type of: '{returned}'.{rest}"));
        match (self.inputs, returned) {
            (_, Type::None) => None,
            ([only], Type::Tuple(_)) if only == returned => wrong(format!(
                " When forward has a single tuple input argument, the return needs to be 'None' or a nested tuple containing forward's input tuple argument as in: 'Tuple[{only}]'.\n"
            )),
            ([only], _) if only == returned => None,
            (inputs, Type::Tuple(tuple)) => {
                let elements = &tuple.elements;
                if inputs.is_empty() && !elements.is_empty() {
                    wrong(" Was expecting either 'None' or 'Tuple[()]' since forward had no arguments.\n".to_string())
                } else if elements.len() != inputs.len() {
                    wrong(
                        " The returned tuple contains the wrong number of contained types.\n"
                            .to_string(),
                    )
                } else if elements.iter().ne(inputs.iter()) {
                    wrong(" The returned tuple contains the wrong inner types.\n".to_string())
                } else {
                    None
                }
            }
            _ => wrong(String::new()),
        }
    }
}

/// Hooks take the module and a tuple of the arguments of `forward` (then what was given before them).
fn check(
    concrete: &Concrete,
    hook: &Function,
    before: bool,
    annotated: bool,
    earlier: Option<&Function>,
) -> PyResult<()> {
    let Some(forward) = state::unit()
        .method(&concrete.class, "forward")
        .and_then(|f| f.known_schema())
    else {
        return Ok(());
    };
    let inputs: Vec<Type> = forward.arguments[1..]
        .iter()
        .map(|a| a.ty.clone())
        .collect();
    let output = match earlier {
        Some(earlier) => earlier.schema().returns[0].ty.clone(),
        None => forward.returns[0].ty.clone(),
    };
    let schema = hook.schema();
    let arguments: Vec<Type> = schema.arguments.iter().map(|a| a.ty.clone()).collect();
    let (name, module) = (hook.basename().to_string(), &concrete.facts.name);
    let demand = Demand {
        module,
        hook: &name,
        before,
        inputs: &inputs,
        output: &output,
    };
    let returned = annotated.then(|| &schema.returns[0].ty);
    match demand.complaint(&arguments, returned) {
        None => Ok(()),
        Some(complaint) => {
            let kind = if before { "Pre-hook" } else { "Hook" };
            Err(PyRuntimeError::new_err(format!(
                "{kind} '{name}' on module '{module}' {complaint}{}\n",
                demand.expected()
            )))
        }
    }
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
    let earlier = functions(&module.concrete, true);
    let is_watched = !earlier.is_empty();
    for hook in earlier {
        let changed = call_hook(emitter, hook, &[module.value, packed], span)?;
        match emitter.ty(changed).clone() {
            Type::None => {}
            Type::Tuple(_) => packed = changed,
            _ => packed = emitter.tuple(&[changed], span),
        }
    }
    // What hooks have seen is taken apart again, changed or not.
    let unpacked = match is_watched {
        true => emitter.take_apart(packed, span),
        false => inputs,
    };
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
    let arguments = call::bind(&forward.schema(), Some(this.clone()), args, kwargs)?;
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
