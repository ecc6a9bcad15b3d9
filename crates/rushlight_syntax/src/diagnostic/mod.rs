//! What went wrong, and where: the one diagnostic type of the compiler.
//!
//! Checks fill in a [`Diagnostic`]; how it reads is the business of a renderer. [`highlight`] writes the reference's
//! form, which Python programs see as the text of an exception; [`terminal`] shows any number of them to a person.

pub mod highlight;
pub mod terminal;

use std::fmt;

use crate::source::Span;

/// The code of problems with the text of a `# type:` comment.
pub const TYPE_COMMENT: &str = "type-comment";

/// A problem found in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable short name of the check that found it, such as `undefined-name`.
    pub code: &'static str,
    /// The exception that Python programs see.
    pub kind: ErrorKind,
    pub origin: Origin,
    pub message: String,
    pub span: Option<Span>,
    /// Where people look for it, where the reference names no place.
    pub about: Option<Span>,
    /// Further places, each with its own message, in reading order.
    pub notes: Vec<(String, Option<Span>)>,
    /// The message in plainer words, for people, where the message is one that programs know.
    pub plain: Option<String>,
    /// What would mend it, when that is known.
    pub hint: Option<String>,
    /// The change to the text that the hint asks for, where a machine can make it.
    pub fix: Option<Fix>,
    /// Why the code was being compiled, innermost first.
    pub chain: Vec<CompiledFrom>,
}

/// A change to a text: what an editor offers to do about a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The place whose extent is replaced.
    pub at: Span,
    pub text: String,
}

impl Fix {
    /// The replacement of a place by a text.
    pub fn new(at: &Span, text: impl Into<String>) -> Fix {
        Fix {
            at: at.clone(),
            text: text.into(),
        }
    }
}

/// A link of the call chain: `'callee' is being compiled since it was called from 'caller'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledFrom {
    pub callee: String,
    pub caller: String,
    /// The call.
    pub span: Span,
}

/// Who is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The program.
    User,
    /// This compiler: an invariant of ours did not hold.
    Internal,
}

macro_rules! error_kinds {
    ($($(#[$doc:meta])* $variant:ident = $class:literal,)*) => {
        /// The Python exception class that a diagnostic becomes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorKind { $($(#[$doc])* $variant,)* }

        impl ErrorKind {
            /// Name of the exception class, without its module.
            pub const fn class_name(self) -> &'static str {
                match self { $(ErrorKind::$variant => $class,)* }
            }

            /// The kind whose class has this name.
            pub fn from_class_name(name: &str) -> Option<ErrorKind> {
                match name { $($class => Some(ErrorKind::$variant),)* _ => None }
            }
        }
    };
}

error_kinds! {
    Runtime = "RuntimeError",
    /// A `RuntimeError` for Python that the language leaves out; its class lives in `torch.jit.frontend`.
    NotSupported = "NotSupportedError",
    /// A `NotSupportedError` for a whole kind of syntax.
    UnsupportedNode = "UnsupportedNodeError",
    /// The class that `NotSupportedError` derives from.
    Frontend = "FrontendError",
    Type = "TypeError",
    Value = "ValueError",
    Syntax = "SyntaxError",
    Name = "NameError",
    Attribute = "AttributeError",
    Assertion = "AssertionError",
    NotImplemented = "NotImplementedError",
    Index = "IndexError",
    Key = "KeyError",
    Import = "ImportError",
    Recursion = "RecursionError",
    Os = "OSError",
}

impl ErrorKind {
    /// Whether the class belongs to `torch.jit.frontend`: such errors print without a leading blank line.
    pub const fn is_frontend(self) -> bool {
        matches!(
            self,
            ErrorKind::NotSupported | ErrorKind::UnsupportedNode | ErrorKind::Frontend
        )
    }
}

impl Diagnostic {
    /// A problem of the program.
    pub fn new(code: &'static str, kind: ErrorKind, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            kind,
            origin: Origin::User,
            message: message.into(),
            span: None,
            about: None,
            notes: Vec::new(),
            plain: None,
            hint: None,
            fix: None,
            chain: Vec::new(),
        }
    }

    /// A `RuntimeError` at `span`, the commonest case.
    pub fn error(code: &'static str, message: impl Into<String>, span: &Span) -> Diagnostic {
        Diagnostic::new(code, ErrorKind::Runtime, message).at(span)
    }

    /// A `SyntaxError` at `span`.
    pub fn syntax(code: &'static str, message: impl Into<String>, span: &Span) -> Diagnostic {
        Diagnostic::new(code, ErrorKind::Syntax, message).at(span)
    }

    /// A broken invariant of this compiler.
    pub fn internal(message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            origin: Origin::Internal,
            ..Diagnostic::new("internal", ErrorKind::Runtime, message)
        }
    }

    /// The same problem with its place.
    #[must_use]
    pub fn at(mut self, span: &Span) -> Diagnostic {
        self.span = (!span.is_unknown()).then(|| span.clone());
        self
    }

    /// The same problem, which names no place, with the one that it is about.
    #[must_use]
    pub fn about(mut self, span: &Span) -> Diagnostic {
        self.about = (!span.is_unknown()).then(|| span.clone());
        self
    }

    /// The same problem with one more note.
    #[must_use]
    pub fn note(mut self, message: impl Into<String>, span: Option<&Span>) -> Diagnostic {
        self.notes.push((message.into(), span.cloned()));
        self
    }

    /// The same problem with a suggestion.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }

    /// The same problem with a suggestion that replaces its place by a text.
    #[must_use]
    pub fn replace(mut self, hint: impl Into<String>, text: impl Into<String>) -> Diagnostic {
        self.fix = self.span.as_ref().map(|at| Fix::new(at, text));
        self.hint(hint)
    }

    /// The message for people: the first line is a title.
    pub fn for_people(&self) -> &str {
        self.plain.as_deref().unwrap_or(&self.message).trim()
    }

    /// The same problem seen from one call further out.
    #[must_use]
    pub fn compiled_from(
        mut self,
        callee: impl Into<String>,
        caller: impl Into<String>,
        span: &Span,
    ) -> Diagnostic {
        self.chain.push(CompiledFrom {
            callee: callee.into(),
            caller: caller.into(),
            span: span.clone(),
        });
        self
    }
}

/// Writes the reference's form, the text that Python programs see.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&highlight::render(self))
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_names_read_back_to_their_kind() {
        for kind in [
            ErrorKind::Runtime,
            ErrorKind::UnsupportedNode,
            ErrorKind::Os,
        ] {
            assert_eq!(ErrorKind::from_class_name(kind.class_name()), Some(kind));
        }
        assert_eq!(ErrorKind::from_class_name("Exception"), None);
    }
}
