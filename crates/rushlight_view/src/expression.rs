//! Arguments as people write them: expressions of TorchScript.

use crate::abbreviate;
use rushlight::{Context, Value};

/// The value of an expression; the error says why it is none.
pub fn value(text: &str) -> Result<Value, String> {
    value_in(text, &Context::silent())
}

/// As [`value`]; random numbers are those of the context, one expression after the other.
pub fn value_in(text: &str, context: &Context) -> Result<Value, String> {
    let source = format!("import torch\nimport math\n\ndef argument():\n    return ({text})\n");
    let fail = |why: &str| {
        let (text, why) = (abbreviate::line(text), abbreviate::message(why));
        format!("the argument `{text}` is no TorchScript expression: {why}")
    };
    let script = rushlight::compile(&source).map_err(|error| {
        let first = error.0.first().map_or("", |problem| problem.message.trim());
        // The bracket that nobody wrote.
        fail(
            match first == "'(' was never closed" && !text.contains('(') {
                true => "it is not complete",
                false => first,
            },
        )
    })?;
    let function = script
        .get("argument")
        .ok_or_else(|| fail("it defines something"))?;
    let function = function.function();
    let value = rushlight::runtime::invoke::call(&**function, context, Vec::new(), Vec::new());
    value.map_err(|fault| fail(fault.message()))
}
