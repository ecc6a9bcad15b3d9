//! Subtyping and unification.

use super::{TupleType, Type};
use std::sync::Arc;

impl Type {
    /// Whether every value of this type is a value of `other`.
    pub fn is_subtype_of(&self, other: &Type) -> bool {
        if self == other {
            return true;
        }
        match (self, other) {
            (_, Type::Any) => true,
            (Type::Union(members), _) => members.iter().all(|m| m.is_subtype_of(other)),
            (Type::Optional(inner), _) => {
                Type::None.is_subtype_of(other) && inner.is_subtype_of(other)
            }
            (_, Type::Optional(inner)) => *self == Type::None || self.is_subtype_of(inner),
            (_, Type::Union(members)) => members.iter().any(|m| self.is_subtype_of(m)),
            (Type::Int | Type::Float | Type::Complex, Type::Number) => true,
            (a, b) if is_int_like(a) && is_int_like(b) => true,
            (Type::Float | Type::SymFloat, Type::Float | Type::SymFloat) => true,
            (Type::Bool | Type::SymBool, Type::Bool | Type::SymBool) => true,
            (Type::SymInt | Type::SymFloat, Type::Number) => true,
            (Type::Str, Type::Dimname) => true,
            (Type::Tensor(_), Type::Tensor(None)) => true,
            (Type::Tensor(Some(a)), Type::Tensor(Some(b))) => {
                (b.dtype.is_none() || a.dtype == b.dtype)
                    && (b.sizes.is_none() || a.sizes == b.sizes)
                    && (b.strides.is_none() || a.strides == b.strides)
                    && (b.device.is_none() || a.device == b.device)
                    && (b.requires_grad.is_none() || a.requires_grad == b.requires_grad)
            }
            (Type::List(_), Type::AnyList) | (Type::Tuple(_), Type::AnyTuple) => true,
            (Type::Class(_), Type::AnyClass) | (Type::Enum(_), Type::AnyEnum) => true,
            // Containers are invariant, but types that differ in spelling only are the same.
            (Type::List(a), Type::List(b)) => {
                a.runtime() == b.runtime() || a.is_tensor() && **b == Type::TENSOR
            }
            (Type::Dict(a), Type::Dict(b)) => {
                a.0.runtime() == b.0.runtime() && a.1.runtime() == b.1.runtime()
            }
            (Type::Tuple(a), Type::Tuple(b)) => tuple_subtype(a, b),
            (Type::Future(a), Type::Future(b))
            | (Type::Await(a), Type::Await(b))
            | (Type::RRef(a), Type::RRef(b)) => a.is_subtype_of(b),
            (Type::Class(class), Type::Interface(interface)) => {
                (class.is_module() || !interface.is_module)
                    && interface.methods().iter().all(|wanted| {
                        class
                            .method(&wanted.name)
                            .and_then(|m| m.schema)
                            .is_some_and(|schema| schema.is_subtype_method_of(wanted))
                    })
            }
            (Type::Interface(a), Type::Interface(b)) => b.methods().iter().all(|wanted| {
                a.method(&wanted.name)
                    .is_some_and(|m| m.is_subtype_method_of(wanted))
            }),
            _ => false,
        }
    }

    /// Whether a value of one type could be a value of the other: used to fold `isinstance` checks.
    pub fn may_be(&self, other: &Type) -> bool {
        self.is_subtype_of(other)
            || other.is_subtype_of(self)
            || match self {
                Type::Any => true,
                Type::Optional(inner) => inner.may_be(other) || other.accepts_none(),
                Type::Union(members) => members.iter().any(|m| m.may_be(other)),
                _ => match other {
                    Type::Optional(inner) => self.may_be(inner) || *self == Type::None,
                    Type::Union(members) => members.iter().any(|m| self.may_be(m)),
                    _ => false,
                },
            }
    }

    /// What is left of this type when it is known not to be `other`; `None` when nothing is left.
    pub fn subtract(&self, other: &Type) -> Option<Type> {
        if self.is_subtype_of(other) {
            return None;
        }
        match self {
            Type::Optional(inner) if Type::None.is_subtype_of(other) => Some((**inner).clone()),
            Type::Optional(inner) if inner.is_subtype_of(other) => Some(Type::None),
            Type::Union(members) => {
                let left: Vec<Type> = members.iter().filter_map(|m| m.subtract(other)).collect();
                (!left.is_empty()).then(|| Type::union(left))
            }
            _ => Some(self.clone()),
        }
    }

    /// Tensor types without their details.
    pub fn unshaped(&self) -> Type {
        match self {
            Type::Tensor(_) => Type::TENSOR,
            other => other.map_parts(Type::unshaped),
        }
    }
}

fn is_int_like(t: &Type) -> bool {
    matches!(
        t,
        Type::Int
            | Type::SymInt
            | Type::ScalarType
            | Type::Layout
            | Type::MemoryFormat
            | Type::QScheme
    )
}

fn tuple_subtype(a: &TupleType, b: &TupleType) -> bool {
    let names_fit = b.name.is_none() || (a.name == b.name && a.fields == b.fields);
    names_fit
        && a.elements.len() == b.elements.len()
        && a.elements
            .iter()
            .zip(&b.elements)
            .all(|(x, y)| x.is_subtype_of(y))
}

/// See [`Type::union`].
pub(super) fn union(members: Vec<Type>) -> Type {
    let mut flat: Vec<Type> = Vec::new();
    flatten(members, &mut flat);
    if flat.contains(&Type::Any) {
        return match flat.contains(&Type::None) {
            true => Type::optional(Type::Any),
            false => Type::Any,
        };
    }
    let mut kept: Vec<Type> = Vec::new();
    for member in flat {
        if kept.iter().any(|k| member.is_subtype_of(k)) {
            continue;
        }
        kept.retain(|k| !k.is_subtype_of(&member));
        kept.push(member);
    }
    let has = |t: &Type| kept.contains(t);
    // Int, float and complex together are a number of any kind.
    if has(&Type::Int) && has(&Type::Float) && has(&Type::Complex) {
        kept.retain(|t| !matches!(t, Type::Int | Type::Float | Type::Complex));
        kept.push(Type::Number);
    }
    let has = |t: &Type| kept.contains(t);
    match kept.len() {
        0 => Type::None,
        1 => kept.remove(0),
        2 if has(&Type::None) => {
            let other = kept
                .into_iter()
                .find(|t| *t != Type::None)
                .expect("two members, one of them None");
            Type::Optional(Arc::new(other))
        }
        _ => {
            rushlight_tensor::order::sort_by_key(&mut kept, sort_key);
            Type::Union(Arc::new(kept))
        }
    }
}

/// Unions print in this order (the reference sorts by kind of type, then by text).
fn sort_key(t: &Type) -> (usize, String) {
    let rank = match t {
        Type::Any => 0,
        Type::Enum(_) => 1,
        Type::AnyEnum => 2,
        Type::Tensor(_) => 3,
        Type::Storage => 4,
        Type::Tuple(_) => 5,
        Type::List(_) => 6,
        Type::Dict(_) => 7,
        Type::Number => 8,
        Type::Float => 9,
        Type::Complex => 10,
        Type::Future(_) => 11,
        Type::Await(_) => 12,
        Type::RRef(_) => 13,
        Type::Int => 14,
        Type::None => 15,
        Type::Str => 16,
        Type::Generator => 17,
        Type::Quantizer => 18,
        Type::Bool => 19,
        Type::Optional(_) => 20,
        Type::Var(_) => 21,
        Type::Device => 22,
        Type::Stream => 23,
        Type::Function(_) => 24,
        Type::Class(_) => 25,
        _ => 26,
    };
    (rank, t.to_string())
}

fn flatten(members: Vec<Type>, out: &mut Vec<Type>) {
    for member in members {
        match member {
            Type::Union(inner) => flatten(inner.to_vec(), out),
            Type::Optional(inner) => {
                flatten(vec![(*inner).clone()], out);
                out.push(Type::None);
            }
            other => out.push(other),
        }
    }
}

/// The smallest type that both types are subtypes of, as control-flow merges and literals need it; `None` where only
/// `Any` (or, with `default_to_union`, a union) would do.
pub fn unify(a: &Type, b: &Type, default_to_union: bool) -> Option<Type> {
    if a.is_subtype_of(b) {
        return Some(b.clone());
    }
    if b.is_subtype_of(a) {
        return Some(a.clone());
    }
    let unified = match (a, b) {
        (Type::Tensor(_), Type::Tensor(_)) => Some(Type::TENSOR),
        (Type::None, _) => Some(Type::optional(b.clone())),
        (_, Type::None) => Some(Type::optional(a.clone())),
        (Type::Optional(x), Type::Optional(y)) => unify(x, y, false).map(Type::optional),
        (Type::Optional(x), y) | (y, Type::Optional(x)) => unify(x, y, false).map(Type::optional),
        (Type::Tuple(x), Type::Tuple(y)) if x.elements.len() == y.elements.len() => x
            .elements
            .iter()
            .zip(&y.elements)
            .map(|(p, q)| unify(p, q, default_to_union))
            .collect::<Option<Vec<Type>>>()
            .map(Type::tuple),
        (Type::Future(x), Type::Future(y)) => unify(x, y, default_to_union).map(Type::future),
        (Type::List(x), Type::List(y)) if x.unshaped() == y.unshaped() => {
            Some(Type::list(x.unshaped()))
        }
        (Type::Dict(x), Type::Dict(y)) if x.0 == y.0 && x.1.unshaped() == y.1.unshaped() => {
            Some(Type::dict(x.0.clone(), x.1.unshaped()))
        }
        _ => None,
    };
    match unified {
        None if default_to_union => Some(Type::union(vec![a.clone(), b.clone()])),
        other => other,
    }
}

/// The unification of several types; `None` for none of them.
pub fn unify_list(types: &[Type], default_to_union: bool) -> Option<Type> {
    let (first, rest) = types.split_first()?;
    rest.iter().try_fold(first.clone(), |so_far, t| {
        unify(&so_far, t, default_to_union)
    })
}
