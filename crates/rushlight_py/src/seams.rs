//! What lower files need of higher ones, in one table that is filled when the extension is loaded.
//!
//! Files of this crate import one another downwards only (`ARCHITECTURE.md` has the layers). Compiling goes round in a
//! circle all the same: the compiler asks the library, which is Python; what Python knows of a name is described, and the
//! description may be of a function or a class, which is compiled. The circle is closed here and nowhere else. None of these
//! calls stands in the way of operators: each happens when a name of a program is compiled, or a thread makes its compiler.

use pyo3::prelude::*;
use rushlight::frontend::script::{Emitter, Library};
use rushlight::frontend::{Outcome, Sugared};
use rushlight::syntax::{Diagnostic, ErrorKind, Span};
use rushlight::types::{Type, Value};
use std::rc::Rc;
use std::sync::OnceLock;

/// The functions of higher files that lower ones call.
pub struct Seams {
    /// The standard library that a compiler asks for names (`library.rs`).
    pub library: fn() -> Rc<dyn Library>,
    /// What a description of a Python object stands for (`resolver.rs`).
    pub sugared: fn(&mut Emitter<'_>, &str, &Bound<'_, PyAny>, &Span) -> Outcome<Sugared>,
    /// The type that a description names (`classes.rs`).
    pub described_type: fn(&Bound<'_, PyAny>, &Span) -> Outcome<Type>,
    /// The value of any object, or why there is none (`modules/infer.rs`).
    pub inferred: fn(&Bound<'_, PyAny>) -> PyResult<Result<Value, String>>,
}

static SEAMS: OnceLock<Seams> = OnceLock::new();

/// Fills the table; only the first call counts.
pub fn fill(seams: Seams) {
    SEAMS.get_or_init(|| seams);
}

/// The table, which is there before Python can call anything.
fn filled(span: &Span) -> Outcome<&'static Seams> {
    SEAMS.get().ok_or_else(|| {
        let message = "the extension has not been loaded";
        Box::new(Diagnostic::new("internal", ErrorKind::Runtime, message).at(span))
    })
}

/// The standard library of a new compiler.
pub fn library() -> Option<Rc<dyn Library>> {
    SEAMS.get().map(|seams| (seams.library)())
}

/// What a description of a Python object stands for.
pub fn sugared(
    emitter: &mut Emitter<'_>,
    name: &str,
    description: &Bound<'_, PyAny>,
    span: &Span,
) -> Outcome<Sugared> {
    (filled(span)?.sugared)(emitter, name, description, span)
}

/// The value of any object, for which its class may be compiled, or why there is none.
pub fn inferred(object: &Bound<'_, PyAny>) -> Option<Result<Value, String>> {
    (SEAMS.get()?.inferred)(object).ok()
}

/// The type that a description names.
pub fn described_type(description: &Bound<'_, PyAny>, span: &Span) -> Outcome<Type> {
    (filled(span)?.described_type)(description, span)
}
