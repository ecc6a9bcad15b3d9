//! `int(x)`, `float(x)`, `bool(x)`, `str(x)` and their kin.

use super::{Special, Sugared, builtin, only_argument};
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

impl Special for CastValue {
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
        if arguments.positional.is_empty() && arguments.keywords.is_empty() {
            let zero: rushlight_types::Value = match cast.ty {
                Type::Int => 0i64.into(),
                Type::Float => 0f64.into(),
                Type::Bool => false.into(),
                Type::Str => "".into(),
                _ => rushlight_tensor::Complex64::new(0.0, 0.0).into(),
            };
            return Ok(Sugared::Value(emitter.constant(zero, span)));
        }
        if arguments.positional.len() != 1 || !arguments.keywords.is_empty() {
            return builtin::call(emitter, cast.operator, None, arguments, span);
        }
        let (argument, at) = only_argument(cast.name, arguments, span)?;
        let value = argument.as_value(emitter, at)?;
        let actual = emitter.ty(value).clone();
        if matches!(
            (&cast.ty, &actual),
            (Type::Bool, Type::Str | Type::List(_) | Type::Dict(_))
        ) {
            return Ok(Sugared::Value(emitter.truth(value, span)?));
        }
        emitter.count_condition();
        if actual == cast.ty {
            return Ok(Sugared::Value(value));
        }
        if let Type::Class(class) = &actual
            && class.method(cast.magic).is_some()
        {
            let method = Sugared::Value(value).attribute(emitter, cast.magic, at)?;
            return method.call(emitter, &Arguments::default(), span);
        }
        builtin::call(
            emitter,
            cast.operator,
            Some(value),
            &Arguments::default(),
            span,
        )
    }

    fn as_type(&self) -> Option<Type> {
        Some(self.0.ty.clone())
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
