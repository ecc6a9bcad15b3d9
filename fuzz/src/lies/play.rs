//! What is done with an archive that may lie: load it, call its methods, save it, load it again.

use std::sync::Arc;

use rushlight::archive::bytes::Bytes;
use rushlight::types::Callable;
use rushlight::{Context, Limits, LoadOptions, Module, Restore, SaveOptions, Tensor, Type, Value};

/// So many methods of one archive are called.
const METHODS: usize = 6;

fn context() -> Arc<Context> {
    let context = Context::silent();
    context.set_limits(Limits {
        instructions: 200_000,
        bytes: 1 << 27,
        depth: 100,
        millis: 1500,
    });
    context.into()
}

/// An argument of a type, as simple as can be.
fn argument(ty: &Type) -> Option<Value> {
    Some(match ty {
        Type::Int | Type::Number => Value::Int(1),
        Type::Float => Value::Float(1.0),
        Type::Bool => Value::Bool(true),
        Type::Str => Value::str("a"),
        Type::Any => Value::Int(3),
        Type::Optional(_) | Type::None => Value::None,
        Type::List(element) => {
            Value::list(element, argument(element).into_iter().collect()).ok()?
        }
        Type::Tuple(tuple) => {
            let items: Option<Vec<Value>> = tuple.elements.iter().map(argument).collect();
            Value::Tuple(Arc::new(rushlight::types::Tuple::plain(items?)))
        }
        ty if ty.is_tensor() => Tensor::from_vec(vec![1f32; 4], &[2, 2]).ok()?.into(),
        _ => return None,
    })
}

/// Everything that a user may do with a file. Errors are answers.
pub fn play(bytes: &[u8]) {
    let bytes = Bytes::from(bytes.to_vec());
    let look = LoadOptions {
        restore: Restore::Keep,
        ..LoadOptions::default()
    };
    if let Ok(module) = rushlight::load_with(bytes.clone(), context(), &look) {
        let _ = module.to_bytes(&SaveOptions::default());
    }
    match rushlight::load_bytes(bytes, context()) {
        Ok(module) => {
            call_all(&module);
            if let Ok(saved) = module.to_bytes(&SaveOptions::default())
                && let Ok(again) = rushlight::load_bytes(saved.into(), context())
            {
                call_all(&again);
            }
        }
        Err(error) => drop(error.to_string()),
    }
}

fn call_all(module: &Module) {
    for method in module.object().class().methods().iter().take(METHODS) {
        let Ok(function) = module.method(&method.name) else {
            continue;
        };
        let schema = function.schema();
        let arguments = schema.arguments.iter().skip(1).map(|a| argument(&a.ty));
        let Some(arguments) = arguments.collect::<Option<Vec<Value>>>() else {
            continue;
        };
        match module.call(&method.name, &arguments) {
            Ok(value) => drop(format!("{value:?}")),
            Err(fault) => drop(rushlight::runtime::error_text(&fault)),
        }
    }
}
