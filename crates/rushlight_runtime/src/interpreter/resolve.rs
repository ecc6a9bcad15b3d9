//! From a call instruction to the code that runs.

use crate::Runtime;
use crate::callee::{CachedMethod, Callee};
use crate::code::Code;
use crate::lower::class_of;
use rushlight_ir::{Function, Unit};
use rushlight_types::{Callable, Fault, Result, Value};
use std::sync::{Arc, Weak};

/// What a call instruction has turned out to call.
pub(super) enum Resolved {
    Code(Arc<Code>),
    Host(Arc<dyn Callable>),
}

/// Finds what a call calls. `first` is its first argument.
pub(super) fn resolve(
    runtime: &Runtime,
    callee: &Callee,
    first: Option<&Value>,
    unit: &Weak<Unit>,
) -> Result<Resolved> {
    match callee {
        Callee::Script {
            function,
            name,
            code,
        } => {
            if let Some(code) = code.get().and_then(Weak::upgrade) {
                return Ok(Resolved::Code(code));
            }
            let function = function
                .upgrade()
                .ok_or_else(|| Fault::internal(format!("{name} is gone")))?;
            let found = runtime.code(&function)?;
            let _ = code.set(Arc::downgrade(&found));
            Ok(Resolved::Code(found))
        }
        Callee::Graph(code) => Ok(Resolved::Code(code.clone())),
        Callee::Foreign(function) => Ok(Resolved::Host(function.clone())),
        Callee::Method { name, cache } => {
            let object = first.ok_or_else(|| Fault::internal("a method call without an object"))?;
            let class = class_of(object)?;
            if let Some(known) = cache.get().filter(|c| Arc::ptr_eq(&c.class, class))
                && let Some(code) = known.code.upgrade()
            {
                return Ok(Resolved::Code(code));
            }
            let function = unit
                .upgrade()
                .and_then(|u| u.method(class, name))
                .ok_or_else(|| Fault::runtime(format!("{} has no method {name}", class.name())))?;
            let code = runtime.code(&function)?;
            let _ = cache.set(CachedMethod {
                class: class.clone(),
                code: Arc::downgrade(&code),
            });
            Ok(Resolved::Code(code))
        }
        Callee::Value => match first {
            Some(Value::Function(function)) => match function.as_any().downcast_ref::<Function>() {
                Some(script) => runtime.code(script).map(Resolved::Code),
                None => Ok(Resolved::Host((**function).clone())),
            },
            _ => Err(Fault::runtime("what is called is not a function")),
        },
    }
}
