//! One name for several functions, told apart by a flag or by the types of the arguments.

use super::function::ScriptFunction;
use super::{Sugared, SugaredValue};
use crate::error::problem;
use crate::script::{Arguments, Compiler, Emitter, match_call};
use crate::{Outcome, Problem};
use rushlight_ir::Function;
use rushlight_syntax::Span;
use rushlight_types::{Schema, Value};
use std::any::Any;
use std::sync::Arc;

/// Makes what is called, when a call has chosen it.
pub type Chosen = Box<dyn Fn(&mut Emitter<'_>, &Span) -> Outcome<Sugared>>;

/// A name for two functions, told apart by a flag that is known when the call is compiled.
pub struct BooleanDispatch {
    /// The flag's name among the keyword arguments.
    pub flag: String,
    /// The flag's place among the positional arguments.
    pub index: usize,
    /// The flag where a call does not give it.
    pub default: bool,
    pub if_true: Chosen,
    pub if_false: Chosen,
}

impl BooleanDispatch {
    fn value(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<bool> {
        let named = arguments.keywords.iter().find(|k| *k.name == *self.flag);
        let given = match (named, arguments.positional.get(self.index)) {
            (Some(named), _) => &named.value,
            (None, Some((value, _))) => value,
            (None, None) => return Ok(self.default),
        };
        let value = given.as_value(emitter, span)?;
        match emitter.graph.constant(value) {
            Some(Value::Bool(flag)) => Ok(flag),
            _ => Err(self.not_constant(named.is_some(), span)),
        }
    }

    fn not_constant(&self, named: bool, span: &Span) -> Problem {
        let message = if named {
            format!(
                "Keyword argument '{}' for boolean dispatch at position was not constant",
                self.flag
            )
        } else {
            format!(
                "Argument for boolean dispatch at position {} was not constant",
                self.index
            )
        };
        problem("python-library", message, span)
    }
}

impl SugaredValue for BooleanDispatch {
    fn describe(&self) -> String {
        "function".to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let chosen = match self.value(emitter, arguments, span)? {
            true => &self.if_true,
            false => &self.if_false,
        };
        chosen(emitter, span)?.call(emitter, arguments, span)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The declared ways to call a function.
pub trait Overloads: 'static {
    /// The signatures, in order of declaration.
    fn schemas(&self, compiler: &Compiler, span: &Span) -> Outcome<Vec<Schema>>;
    /// The functions that the body becomes, one for each signature, declared in the unit.
    fn functions(&self, compiler: &Compiler, span: &Span) -> Outcome<Vec<Arc<Function>>>;
    /// Whether all of them must compile, those that are not called as well.
    fn compiles_all(&self) -> bool {
        false
    }
}

/// A function whose body is compiled for each declared signature that calls choose.
pub struct Overloaded<O>(pub O);

impl<O: Overloads> SugaredValue for Overloaded<O> {
    fn describe(&self) -> String {
        "function".to_string()
    }

    fn prepare(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<()> {
        if self.0.compiles_all() {
            self.0.schemas(emitter.compiler, span)?;
            for function in self.0.functions(emitter.compiler, span)? {
                emitter.compiler.ensure(emitter, &function, span)?;
            }
        }
        Ok(())
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let mut schemas = self.0.schemas(emitter.compiler, span)?;
        for returned in schemas.iter_mut().flat_map(|schema| &mut schema.returns) {
            returned.name = "".into();
        }
        let candidates: Vec<_> = schemas.iter().collect();
        let (chosen, _) = match_call(emitter, &candidates, arguments, span)?;
        // All are declared, so that each has its name whichever is called first; only what is called is compiled.
        let function = self.0.functions(emitter.compiler, span)?[chosen].clone();
        ScriptFunction { function }.call(emitter, arguments, span)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
