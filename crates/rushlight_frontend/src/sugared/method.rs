//! Methods taken from a value and not yet called.

use super::{Sugared, SugaredValue, builtin};
use crate::Outcome;
use crate::error::problem;
use crate::script::{Arguments, Emitter, match_call};
use rushlight_ir::{Attr, Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_types::{Schema, Type};
use std::sync::Arc;

/// A built-in operator with its first argument: `x.view`.
pub struct BoundBuiltin {
    pub operator: String,
    pub receiver: ValueId,
}

impl SugaredValue for BoundBuiltin {
    fn describe(&self) -> String {
        match self.operator.trim_start_matches("aten::") {
            name if CASTS.iter().any(|(n, _)| *n == name) => "Cast",
            "tolist" => "tolist",
            _ => "builtin",
        }
        .to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        if let Some(result) =
            special_method(emitter, &self.operator, self.receiver, arguments, span)?
        {
            return Ok(result);
        }
        builtin::call(
            emitter,
            &self.operator,
            Some(self.receiver),
            arguments,
            span,
        )
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// A method of a native class: an operator whose first argument is the object, under whatever name.
pub struct NativeMethod {
    pub operator: &'static str,
    pub object: ValueId,
}

impl SugaredValue for NativeMethod {
    fn describe(&self) -> String {
        "builtin".to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let mut all = arguments.clone();
        let object = Sugared::Value(self.object);
        all.positional.insert(0, (object, span.clone()));
        builtin::call(emitter, self.operator, None, &all, span)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// Conversions of tensors by dtype name, which have no operator: `x.float()`. As in the reference, `bool` and `bfloat16` are
/// none of them.
const CASTS: &[(&str, rushlight_tensor::DType)] = &[
    ("float", rushlight_tensor::DType::F32),
    ("double", rushlight_tensor::DType::F64),
    ("half", rushlight_tensor::DType::F16),
    ("int", rushlight_tensor::DType::I32),
    ("long", rushlight_tensor::DType::I64),
    ("short", rushlight_tensor::DType::I16),
    ("char", rushlight_tensor::DType::I8),
    ("byte", rushlight_tensor::DType::U8),
    ("cfloat", rushlight_tensor::DType::C64),
    ("cdouble", rushlight_tensor::DType::C128),
];

/// Whether a type has a method that is handled here.
pub(super) fn is_special_method(ty: &Type, name: &str) -> bool {
    ty.is_tensor()
        && (matches!(name, "tolist" | "__getitem__") || CASTS.iter().any(|(n, _)| *n == name))
}

fn special_method(
    emitter: &mut Emitter<'_>,
    operator: &str,
    receiver: ValueId,
    arguments: &Arguments,
    span: &Span,
) -> Outcome<Option<Sugared>> {
    let ty = emitter.ty(receiver).clone();
    let name = operator.trim_start_matches("aten::");
    if !ty.is_tensor() {
        return Ok(None);
    }
    if name == "__getitem__" {
        return index_by_tensor(emitter, receiver, arguments, span).map(Some);
    }
    if let Some((_, dtype)) = CASTS.iter().find(|(n, _)| *n == name)
        && arguments.positional.is_empty()
        && arguments.keywords.is_empty()
    {
        // A call of `to`, whose other arguments are the defaults.
        let mut all = arguments.clone();
        for value in [receiver, emitter.constant(dtype.code(), span)] {
            all.positional.push((Sugared::Value(value), span.clone()));
        }
        return builtin::call(emitter, "aten::to", None, &all, span).map(Some);
    }
    Ok(None)
}

/// `x.__getitem__(indices)`: with the one tensor that it takes, as in the reference.
fn index_by_tensor(
    emitter: &mut Emitter<'_>,
    receiver: ValueId,
    arguments: &Arguments,
    span: &Span,
) -> Outcome<Sugared> {
    let [(index, at)] = arguments.positional.as_slice() else {
        return Err(problem(
            "argument-count",
            format!(
                "__getitem__ expected exactly 1 arguments, got {}",
                arguments.positional.len()
            ),
            span,
        ));
    };
    let index = index.as_value(emitter, at)?;
    let ty = emitter.ty(index).clone();
    if !ty.is_subtype_of(&Type::optional(Type::TENSOR)) {
        return Err(problem(
            "index-type",
            format!(
                "Expected a list element that subtypes 'Optional[Tensor]' but got an element of type '{ty}'"
            ),
            span,
        ));
    }
    let indices = emitter.index_list(&[Some(index)], span);
    let found = emitter.builtin("aten::index", &[receiver, indices], span)?;
    Ok(Sugared::Value(found))
}

/// A method of a script object: `obj.f`.
pub struct BoundMethod {
    pub object: ValueId,
    pub name: Arc<str>,
}

impl SugaredValue for BoundMethod {
    fn describe(&self) -> String {
        "method".to_string()
    }

    fn prepare(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<()> {
        let Type::Class(class) = emitter.ty(self.object).clone() else {
            return Ok(());
        };
        match emitter.unit().method(&class, &self.name) {
            // Those that are compiled together wait until they are called.
            Some(function) if emitter.compiler.lacks_defaults(&function) => Ok(()),
            Some(function) => emitter.compiler.ensure(emitter, &function, span).map(drop),
            None => Ok(()),
        }
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let schema = match emitter.ty(self.object).clone() {
            Type::Class(class) => {
                let method = class.method(&self.name).ok_or_else(|| {
                    problem("no-attribute", format!("no method '{}'", self.name), span)
                })?;
                match emitter.unit().method(&class, &self.name) {
                    Some(function) => emitter.compiler.ensure(emitter, &function, span)?,
                    None => method
                        .schema
                        .ok_or_else(|| emitter.compiler.without_body(&method.qualified, span))?,
                }
            }
            Type::Interface(interface) => interface.method(&self.name).ok_or_else(|| {
                problem("no-attribute", format!("no method '{}'", self.name), span)
            })?,
            ty => {
                return Err(problem(
                    "no-attribute",
                    format!("'{ty}' object has no methods"),
                    span,
                ));
            }
        };
        call_method(emitter, self.object, &self.name, &schema, arguments, span)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// Emits the call of a method with a known schema.
pub(super) fn call_method(
    emitter: &mut Emitter<'_>,
    object: ValueId,
    name: &str,
    schema: &Arc<Schema>,
    arguments: &Arguments,
    span: &Span,
) -> Outcome<Sugared> {
    let mut full = arguments.with_self(object, span);
    // The methods of scripts count the object among their arguments, unlike those of built-in types.
    full.has_receiver = false;
    let (_, matched) = match_call(emitter, &[schema], &full, span)?;
    let inputs = matched.emit(emitter, span);
    let node = emitter.node(Prim::CallMethod, &inputs, &matched.returns, span);
    emitter.set_attr(node, "name", Attr::Str(name.into()));
    let outputs = emitter.graph.node(node).outputs().to_vec();
    Ok(crate::script::pack_results(emitter, &outputs, span))
}
