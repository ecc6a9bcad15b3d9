//! `int(x)`, `float(x)`, `bool(x)`, `str(x)` and their kin.

use super::{Sugared, SugaredValue, builtin};
use crate::Outcome;
use crate::script::{Arguments, Emitter};
use rushlight_syntax::Span;
use rushlight_types::Type;

/// A conversion called by the name of its type.
pub struct Cast {
    pub name: &'static str,
    pub operator: &'static str,
    pub ty: Type,
    /// The method that a class may define for it.
    pub magic: &'static str,
}

/// All of them.
pub const CASTS: &[Cast] = &[
    Cast {
        name: "int",
        operator: "aten::Int",
        ty: Type::Int,
        magic: "__int__",
    },
    Cast {
        name: "float",
        operator: "aten::Float",
        ty: Type::Float,
        magic: "__float__",
    },
    Cast {
        name: "bool",
        operator: "aten::Bool",
        ty: Type::Bool,
        magic: "__bool__",
    },
    Cast {
        name: "complex",
        operator: "aten::Complex",
        ty: Type::Complex,
        magic: "__complex__",
    },
    Cast {
        name: "str",
        operator: "aten::str",
        ty: Type::Str,
        magic: "__str__",
    },
];

/// A [`Cast`] as a sugared value.
pub struct CastValue(pub &'static Cast);

impl SugaredValue for CastValue {
    fn describe(&self) -> String {
        self.0.magic.to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let cast = self.0;
        // What is more than one plain argument is the operator's matter, which says what it takes.
        let ([(argument, at)], []) = (&*arguments.positional, &*arguments.keywords) else {
            return builtin::call(emitter, cast.operator, None, arguments, span);
        };
        let value = argument.as_value(emitter, at)?;
        let actual = emitter.ty(value).clone();
        if matches!(
            (&cast.ty, &actual),
            (Type::Bool, Type::Str | Type::List(_) | Type::Dict(_))
        ) {
            return Ok(Sugared::Value(emitter.truth(value, span)?));
        }
        if let Type::Class(_) = &actual {
            let method = Sugared::Value(value).attribute(emitter, cast.magic, span)?;
            return method.call(emitter, &Arguments::default(), span);
        }
        emitter.count_condition();
        if actual == cast.ty {
            return Ok(Sugared::Value(value));
        }
        let arguments = Arguments::of(&[value], span);
        builtin::call(emitter, cast.operator, None, &arguments, span)
    }

    fn as_type(&self) -> Option<Type> {
        Some(self.0.ty.clone())
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
