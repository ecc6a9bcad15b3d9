//! `torch.tensor` and `torch.as_tensor`.

use super::super::{Sugared, builtin};
use super::evaluated;
use crate::Outcome;
use crate::script::Emitter;
use rushlight_syntax::Span;
use rushlight_syntax::tree::Call;
use rushlight_types::Type;

pub(super) fn tensor(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    tensor_call(emitter, call, "aten::tensor", span)
}

pub(super) fn tensor_like(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    tensor_call(emitter, call, "aten::as_tensor", span)
}

/// `torch.tensor(data)`: tuples become lists first.
fn tensor_call(
    emitter: &mut Emitter<'_>,
    call: &Call,
    name: &str,
    span: &Span,
) -> Outcome<Sugared> {
    let mut arguments = evaluated(emitter, call)?;
    if let Some((data, at)) = arguments.positional.first_mut() {
        let value = data.as_value(emitter, at)?;
        if let Type::Tuple(_) = emitter.ty(value) {
            let items = emitter.unpack_tuple(value, at);
            let types: Vec<Type> = items.iter().map(|&item| emitter.ty(item).clone()).collect();
            if types.iter().any(|ty| *ty != types[0]) {
                // Parts of several types are no list: the overloads say so.
                return builtin::call(emitter, name, None, &arguments, span);
            }
            *data = Sugared::Value(emitter.list_of(&items, None, at)?);
        }
    }
    builtin::call(emitter, name, None, &arguments, span)
}
