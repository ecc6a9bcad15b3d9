//! What names outside a function stand for. Each door answers in its own way.

use crate::script::Emitter;
use crate::{Outcome, Sugared};
use rushlight_ir::ValueId;
use rushlight_syntax::{ErrorKind, Span};
use rushlight_types::Type;

/// Answers for the names that a function does not define itself. A scope inside another answers what is its own and names
/// the other as [`Resolver::outer`], which then answers the rest.
pub trait Resolver {
    /// The scope around this one.
    fn outer(&self) -> Option<&dyn Resolver> {
        None
    }

    /// What a name stands for; `None` when it is not defined.
    fn lookup(
        &self,
        emitter: &mut Emitter<'_>,
        name: &str,
        span: &Span,
    ) -> Outcome<Option<Sugared>> {
        self.outer()
            .map_or(Ok(None), |outer| outer.lookup(emitter, name, span))
    }

    /// What a name that neither the program nor the language defines means to the host: Python's other builtins.
    fn host_name(
        &self,
        emitter: &mut Emitter<'_>,
        name: &str,
        span: &Span,
    ) -> Outcome<Option<Sugared>> {
        self.outer()
            .map_or(Ok(None), |outer| outer.host_name(emitter, name, span))
    }

    /// What the host's class of a script class has under a name that is none of the class's methods.
    fn class_attribute(
        &self,
        emitter: &mut Emitter<'_>,
        class: &str,
        name: &str,
        span: &Span,
    ) -> Outcome<Option<Sugared>> {
        self.outer().map_or(Ok(None), |outer| {
            outer.class_attribute(emitter, class, name, span)
        })
    }

    /// The named type (class, enum, NamedTuple, interface) that a dotted name in an annotation stands for, beyond the
    /// types of the language; `None` when there is none.
    fn lookup_type(&self, name: &str, span: &Span) -> Outcome<Option<Type>> {
        self.outer()
            .map_or(Ok(None), |outer| outer.lookup_type(name, span))
    }

    /// The name under which the language knows what a dotted name of the program means: `typing.List` for `tp.List`
    /// after `import typing as tp`.
    fn own_name(&self, name: &str) -> Option<String> {
        self.outer()?.own_name(name)
    }

    /// What the host has to say against an annotation that holds a name which is no type, of this text.
    fn refused_annotation(&self, text: &str) -> Option<RefusedAnnotation> {
        self.outer()?.refused_annotation(text)
    }

    /// The value of an expression that must be known before anything is compiled: a default value.
    fn constant(&self, expr: &rushlight_syntax::tree::Expr) -> Option<rushlight_types::Value> {
        self.outer()?.constant(expr)
    }

    /// Whether the functions are those of a text, where parameters behind `*` may have defaults.
    fn has_keyword_defaults(&self) -> bool {
        self.outer()
            .is_some_and(|outer| outer.has_keyword_defaults())
    }

    /// Whether `annotate(...)` and the like go by their bare names, as in code of archives.
    fn has_bare_forms(&self) -> bool {
        self.outer().is_none_or(|outer| outer.has_bare_forms())
    }

    /// Whether functions may stand inside functions: code of archives has them around what is forked.
    fn has_local_functions(&self) -> bool {
        self.outer()
            .is_some_and(|outer| outer.has_local_functions())
    }

    /// What a parameter stands for inside the body, where that is more than a value of its type: the `self` of a module.
    fn parameter(&self, _index: usize, _value: ValueId) -> Option<Sugared> {
        None
    }
}

/// Why the host refuses an annotation.
pub struct RefusedAnnotation {
    /// The class of its error.
    pub kind: ErrorKind,
    /// The message.
    pub message: String,
    /// Whether the place of the annotation ends the message.
    pub shows_place: bool,
}

/// The types that annotations find by name.
pub trait TypeNames {
    /// As [`Resolver::lookup_type`].
    fn named_type(&self, name: &str, span: &Span) -> Outcome<Option<Type>>;

    /// As [`Resolver::own_name`].
    fn own_name(&self, _name: &str) -> Option<String> {
        None
    }

    /// As [`Resolver::refused_annotation`].
    fn refused(&self, _text: &str) -> Option<RefusedAnnotation> {
        None
    }
}
