//! Compiled functions: called by name, or used as values.

use super::{Sugared, SugaredValue};
use crate::Outcome;
use crate::error::problem;
use crate::script::{Arguments, Emitter, match_call};
use rushlight_ir::{Attr, Function, Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_types::{Callable, FunctionType, Type, Value};
use std::sync::Arc;

/// A function of the unit, compiled when it is first called.
pub struct ScriptFunction {
    pub function: Arc<Function>,
}

impl SugaredValue for ScriptFunction {
    fn describe(&self) -> String {
        "function".to_string()
    }

    /// Functions are no values, but one that is named must compile.
    fn as_value(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<ValueId> {
        emitter.compiler.ensure(emitter, &self.function, span)?;
        Err(problem(
            "not-a-value",
            "function cannot be used as a value",
            span,
        ))
    }

    fn prepare(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<()> {
        emitter
            .compiler
            .ensure(emitter, &self.function, span)
            .map(drop)
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let schema = emitter.compiler.ensure(emitter, &self.function, span)?;
        let matched = match_call(emitter, &[&schema], arguments, span)?.1;
        let inputs = matched.emit(emitter, span);
        let callee = constant(emitter, &self.function, span);
        emit_call(emitter, callee, inputs, &matched.returns, span)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn constant(emitter: &mut Emitter<'_>, function: &Arc<Function>, span: &Span) -> ValueId {
    let callee: Arc<dyn Callable> = function.clone();
    let ty = Type::Function(Arc::new(FunctionType {
        name: function.basename().into(),
        schema: callee.schema(),
        callee: callee.clone(),
    }));
    let out = emitter.typed_constant(Value::None, ty, span);
    emitter.without_place(out);
    let node = emitter.graph.value(out).node();
    emitter.graph.set_span(node, None);
    emitter.set_attr(node, "name", Attr::Value(Value::Function(Arc::new(callee))));
    out
}

fn emit_call(
    emitter: &mut Emitter<'_>,
    callee: ValueId,
    mut inputs: Vec<ValueId>,
    returns: &[Type],
    span: &Span,
) -> Outcome<Sugared> {
    inputs.insert(0, callee);
    let node = emitter.node(Prim::CallFunction, &inputs, returns, span);
    let outputs = emitter.graph.node(node).outputs().to_vec();
    Ok(crate::script::pack_results(emitter, &outputs, span))
}

/// Calls a function value.
pub(super) fn call_value(
    emitter: &mut Emitter<'_>,
    value: ValueId,
    function: &FunctionType,
    arguments: &Arguments,
    span: &Span,
) -> Outcome<Sugared> {
    let matched = match_call(emitter, &[&function.schema], arguments, span)?.1;
    let inputs = matched.emit(emitter, span);
    emit_call(emitter, value, inputs, &matched.returns, span)
}
