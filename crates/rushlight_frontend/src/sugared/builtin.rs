//! Built-in operators by name, and the emission of their calls.

use super::{Sugared, SugaredValue, composed};
use crate::Outcome;
use crate::error::problem;
use crate::script::{Arguments, Emitter, match_call};
use rushlight_ir::{Attr, ValueId};
use rushlight_syntax::Span;
use rushlight_types::{CallStack, Operator, Schema, Type};
use std::sync::atomic::{AtomicI64, Ordering};

/// A built-in operator: `torch.add`, `math.sqrt`, `len`.
pub struct Builtin {
    /// `aten::add`.
    pub operator: String,
}

/// Python's functions that ask an object for a method of its own.
const MAGIC: &[(&str, &str)] = &[("aten::round", "__round__")];

impl SugaredValue for Builtin {
    fn describe(&self) -> String {
        "builtin".to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        if let Some((_, magic)) = MAGIC.iter().find(|(name, _)| *name == self.operator)
            && let [(subject, _)] = arguments.positional.as_slice()
            && let Some(object) = subject.plain()
            && let rushlight_types::Type::Class(_) = emitter.ty(object)
        {
            let method = Sugared::Value(object).attribute(emitter, magic, span)?;
            return method.call(emitter, &Arguments::default(), span);
        }
        call(emitter, &self.operator, None, arguments, span)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// Calls the first overload of an operator that takes the arguments.
pub fn call(
    emitter: &mut Emitter<'_>,
    name: &str,
    receiver: Option<ValueId>,
    arguments: &Arguments,
    span: &Span,
) -> Outcome<Sugared> {
    let full;
    let arguments = match receiver {
        Some(value) => {
            full = arguments.with_self(value, span);
            &full
        }
        None => arguments,
    };
    let overloads = emitter.table().overloads(name);
    let composed = composed::overloads(name);
    if overloads.is_empty() && composed.is_empty() {
        return Err(unknown(emitter, name, span));
    }
    let schemas: Vec<&Schema> = overloads
        .iter()
        .map(|op| op.schema())
        .chain(composed.iter().map(|c| &c.schema))
        .collect();
    let (index, matched) = match_call(emitter, &schemas, arguments, span)?;
    let inputs = matched.emit(emitter, span);
    if matches!(name, "aten::sort" | "aten::sorted")
        && let Some(list) = inputs.first()
    {
        let items = emitter.ty(*list).list_element().cloned();
        comparable(emitter, items.as_ref(), span)?;
    }
    match overloads.get(index) {
        Some(op) => Ok(operator_call(emitter, op, &inputs, &matched.returns, span)),
        None => composed[index - overloads.len()].emit(emitter, &inputs, span),
    }
}

/// Compiles what sorting calls to compare objects, for their class may not have been named yet.
fn comparable(emitter: &mut Emitter<'_>, items: Option<&Type>, span: &Span) -> Outcome<()> {
    match items {
        Some(Type::Class(class)) => emitter.compiler.ensure_class(emitter, class, span),
        Some(Type::Tuple(tuple)) => tuple
            .elements
            .iter()
            .try_for_each(|item| comparable(emitter, Some(item), span)),
        _ => Ok(()),
    }
}

/// Calls an operator that has no result, for what it does.
pub fn statement(
    emitter: &mut Emitter<'_>,
    name: &str,
    arguments: &[ValueId],
    span: &Span,
) -> Outcome<()> {
    let overloads = emitter.table().overloads(name);
    let schemas: Vec<&Schema> = overloads.iter().map(|op| op.schema()).collect();
    if schemas.is_empty() {
        return Err(unknown(emitter, name, span));
    }
    let arguments = Arguments::of(arguments, span);
    let (index, matched) = match_call(emitter, &schemas, &arguments, span)?;
    let inputs = matched.emit(emitter, span);
    emitter.node(overloads[index], &inputs, &matched.returns, span);
    Ok(())
}

/// How many warnings have been compiled; graphs number them.
static WARNINGS: AtomicI64 = AtomicI64::new(0);

/// The node of a call; several results become a tuple, named where the schema names them.
fn operator_call(
    emitter: &mut Emitter<'_>,
    operator: &'static Operator,
    inputs: &[ValueId],
    returns: &[Type],
    span: &Span,
) -> Sugared {
    let node = emitter.node(operator, inputs, returns, span);
    if operator.call_stack == Some(CallStack::Warns) {
        let number = WARNINGS.fetch_add(1, Ordering::Relaxed);
        emitter.graph.set_attr(node, "warn_id", Attr::Int(number));
    }
    let outputs = emitter.graph.node(node).outputs().to_vec();
    let names = operator.schema().returns.iter().map(|r| r.name.clone());
    let fields: Vec<std::sync::Arc<str>> = names.collect();
    if outputs.len() > 1 && fields.iter().all(|f| !f.is_empty()) {
        let name = operator.name();
        let base = name.rsplit(':').next().unwrap_or(name);
        let ty = Type::named_tuple(base, fields, returns.to_vec(), Vec::new());
        let out = emitter.value(rushlight_ir::Prim::TupleConstruct, &outputs, ty, span);
        return Sugared::Value(out);
    }
    crate::script::pack_results(emitter, &outputs, span)
}

/// The problem of an operator that nobody knows.
pub fn unknown(emitter: &Emitter<'_>, name: &str, span: &Span) -> crate::Problem {
    let mut diagnostic = problem(
        "unknown-builtin",
        format!("Unknown builtin op: {name}."),
        span,
    );
    let names = emitter.table().names();
    let near = crate::script::all_near(name, names.iter().copied());
    if !near.is_empty() {
        diagnostic.message = format!(
            "Unknown builtin op: {name}.\nHere are some suggestions: \n\t{}\n\nThe original call is",
            near.join("\n\t")
        );
    } else {
        diagnostic.message = format!(
            "Unknown builtin op: {name}.\nCould not find any similar ops to {name}. This op may not exist or may not be currently supported in TorchScript.\n"
        );
    }
    diagnostic
}
