//! Implicit conversions: what the language does on its own where a value of another type is wanted.

use super::Emitter;
use rushlight_ir::{Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_types::Type;

/// How a value becomes one of the wanted type. Planned first, applied when the whole call is known to match.
#[derive(Clone, Debug, PartialEq)]
pub enum Conversion {
    /// It is one already.
    None,
    /// A tuple becomes a list of these elements.
    TupleToList(Type),
    /// A tensor, a bool or a number of unknown kind becomes a number by this operator.
    Implicit(&'static str, Type),
    /// A str becomes a device.
    StrToDevice,
    /// The elements of a tuple are converted one by one; the type is that of the new tuple.
    Elements(Vec<Conversion>, Type),
}

/// The conversion from one type to another; `None` where there is none.
pub fn plan(actual: &Type, wanted: &Type, allow_numbers: bool) -> Option<Conversion> {
    if actual.is_subtype_of(wanted) {
        return Some(Conversion::None);
    }
    let inner = match wanted {
        Type::Optional(inner) => inner,
        other => other,
    };
    match (actual, inner) {
        (Type::Tuple(tuple), Type::List(element))
            if tuple.elements.iter().all(|t| t.is_subtype_of(element)) =>
        {
            Some(Conversion::TupleToList(element.runtime()))
        }
        (Type::Tuple(given), Type::Tuple(parts))
            if allow_numbers
                && given.elements.len() == parts.elements.len()
                && (parts.name.is_none() || given.name == parts.name) =>
        {
            let pairs = given.elements.iter().zip(&parts.elements);
            let plans: Option<Vec<_>> = pairs.map(|(a, w)| plan(a, w, true)).collect();
            plans.map(|plans| Conversion::Elements(plans, inner.runtime()))
        }
        (Type::Str, Type::Device) if allow_numbers => Some(Conversion::StrToDevice),
        (Type::Tensor(_), _) if allow_numbers => match inner.runtime() {
            Type::Float => Some(Conversion::Implicit("aten::FloatImplicit", Type::Float)),
            Type::Int => Some(Conversion::Implicit("aten::IntImplicit", Type::Int)),
            Type::Complex => Some(Conversion::Implicit("aten::ComplexImplicit", Type::Complex)),
            Type::Number => Some(Conversion::Implicit("aten::ScalarImplicit", Type::Number)),
            _ => None,
        },
        (Type::Bool, _) if allow_numbers => match inner.runtime() {
            Type::Float => Some(Conversion::Implicit("aten::Float", Type::Float)),
            Type::Int | Type::Number => Some(Conversion::Implicit("aten::Int", Type::Int)),
            _ => None,
        },
        (Type::Number, _) if allow_numbers => match inner.runtime() {
            Type::Float => Some(Conversion::Implicit("aten::Float", Type::Float)),
            Type::Int => Some(Conversion::Implicit("aten::Int", Type::Int)),
            Type::Complex => Some(Conversion::Implicit("aten::Complex", Type::Complex)),
            _ => None,
        },
        _ => None,
    }
}

/// What a type becomes where only some parts of a tuple have conversions: messages speak of it.
pub fn in_part(actual: &Type, wanted: &Type) -> Type {
    let inner = match wanted {
        Type::Optional(inner) => inner,
        other => other,
    };
    match (plan(actual, wanted, true), actual, inner) {
        (Some(Conversion::Implicit(_, ty) | Conversion::Elements(_, ty)), _, _) => ty,
        (None, Type::Tuple(given), Type::Tuple(parts))
            if given.name.is_none() && given.elements.len() == parts.elements.len() =>
        {
            let pairs = given.elements.iter().zip(&parts.elements);
            Type::tuple(pairs.map(|(a, w)| in_part(a, w)).collect())
        }
        _ => actual.clone(),
    }
}

/// Carries a planned conversion out.
pub fn apply(
    emitter: &mut Emitter<'_>,
    value: ValueId,
    conversion: &Conversion,
    span: &Span,
) -> ValueId {
    match conversion {
        Conversion::None => value,
        Conversion::TupleToList(element) => {
            let items = emitter.unpack_tuple(value, span);
            emitter.list(element.clone(), &items, span)
        }
        Conversion::Implicit(name, ty) => named(emitter, name, value, ty, span),
        Conversion::StrToDevice => named(emitter, "aten::device", value, &Type::Device, span),
        Conversion::Elements(plans, ty) => {
            let items = emitter.unpack_tuple(value, span);
            let converted: Vec<ValueId> = (items.into_iter().zip(plans))
                .map(|(item, plan)| apply(emitter, item, plan, span))
                .collect();
            emitter.unplaced(Prim::TupleConstruct, &converted, ty.clone())
        }
    }
}

fn named(emitter: &mut Emitter<'_>, name: &str, value: ValueId, ty: &Type, span: &Span) -> ValueId {
    emitter
        .builtin(name, &[value], span)
        .unwrap_or_else(|_| emitter.value(Prim::UncheckedCast, &[value], ty.clone(), span))
}

/// Converts where a conversion exists, else returns the value as it is.
pub fn implicitly(
    emitter: &mut Emitter<'_>,
    value: ValueId,
    wanted: &Type,
    numbers: bool,
    span: &Span,
) -> ValueId {
    let actual = emitter.ty(value).clone();
    let allow = numbers && (actual.is_tensor() || matches!(actual, Type::Number | Type::Bool));
    match plan(&actual, wanted, allow) {
        Some(conversion) => apply(emitter, value, &conversion, span),
        None => value,
    }
}
