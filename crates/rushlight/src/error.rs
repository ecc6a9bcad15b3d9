//! What went wrong, as one type: its kind, the file, and the script call stack as data.

use crate::{CompileError, Diagnostic, Fault, LoadFailure, SaveFailure};
use rushlight_runtime::{ScriptTrace, error_text};
use rushlight_syntax::Span;
use rushlight_types::ErrorClass;
use std::fmt;
use std::path::{Path, PathBuf};

/// The result of calls of this crate, for programs that say `?` throughout.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file could not be read or written.
    Io,
    /// A file is no TorchScript archive, is damaged, or asks for what is not allowed.
    Archive,
    /// Source has problems; [`Error::diagnostics`] lists them.
    Compile,
    /// A module holds something that archives cannot.
    Save,
    /// A call failed: with this class of exception, as Python would name it.
    Call(ErrorClass),
}

/// One level of a script's call stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function, without its path.
    pub function: String,
    /// Where its code stands: a file of the archive or of the program.
    pub at: Option<Place>,
    /// Where the code of an archive was written, if the archive says so.
    pub origin: Option<Place>,
}

/// A place in a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the source.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 0.
    pub column: u32,
    /// The expression that was running.
    pub text: String,
}

/// Why something could not be done. Everything that fails in this crate becomes one with `?`.
///
/// ```
/// # fn main() -> rushlight::Result<()> {
/// let script = rushlight::compile("def outer(n: int) -> int:\n    return inner(n)\n\ndef inner(n: int) -> int:\n    return 1 // n\n")?;
/// let outer = script.get("outer").expect("the source defines it");
/// let error = rushlight::Error::from(outer.call(&[0i64.into()]).unwrap_err());
/// assert_eq!(error.to_string(), "RuntimeError: division by 0");
/// let lines: Vec<(&str, u32)> = error
///     .frames()
///     .iter()
///     .map(|frame| (&*frame.function, frame.at.as_ref().unwrap().line))
///     .collect();
/// assert_eq!(lines, [("outer", 2), ("inner", 5)]);
/// # Ok(()) }
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    cause: Cause,
    path: Option<PathBuf>,
    frames: Vec<Frame>,
}

enum Cause {
    Call(Fault),
    Compile(CompileError),
    Load(LoadFailure),
    Save(SaveFailure),
    Io(std::io::Error),
}

impl Error {
    fn of(cause: Cause) -> Error {
        let frames = match &cause {
            Cause::Call(fault) => frames(fault),
            _ => Vec::new(),
        };
        Error(Box::new(Inner {
            cause,
            path: None,
            frames,
        }))
    }

    /// The same error, about a file.
    pub fn with_path(mut self, path: impl Into<PathBuf>) -> Error {
        self.0.path = Some(path.into());
        self
    }

    /// What kind of thing went wrong.
    pub fn kind(&self) -> ErrorKind {
        match &self.0.cause {
            Cause::Call(fault) => ErrorKind::Call(fault.class()),
            Cause::Compile(_) => ErrorKind::Compile,
            Cause::Load(failure) => match failure.cause() {
                LoadFailure::Io(_) => ErrorKind::Io,
                _ => ErrorKind::Archive,
            },
            Cause::Save(SaveFailure::Io(_)) | Cause::Io(_) => ErrorKind::Io,
            Cause::Save(SaveFailure::Save(_)) => ErrorKind::Save,
        }
    }

    /// The message, without file, class or place.
    pub fn message(&self) -> String {
        match &self.0.cause {
            Cause::Call(fault) => fault.message().to_string(),
            Cause::Compile(error) => error.to_string(),
            Cause::Load(error) => error.to_string(),
            Cause::Save(error) => error.to_string(),
            Cause::Io(error) => error.to_string(),
        }
    }

    /// The file that it is about.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// The script's call stack, outermost first; empty where no script was running.
    pub fn frames(&self) -> &[Frame] {
        &self.0.frames
    }

    /// The problems of a source that does not compile.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match &self.0.cause {
            Cause::Compile(error) => &error.0,
            Cause::Load(LoadFailure::Load(rushlight_archive::LoadError::Code(problems))) => {
                problems
            }
            _ => &[],
        }
    }

    /// The failed call, where it was one.
    pub fn fault(&self) -> Option<&Fault> {
        match &self.0.cause {
            Cause::Call(fault) => Some(fault),
            _ => None,
        }
    }

    /// The whole text, with the script's call stack in the form of PyTorch.
    pub fn traceback(&self) -> String {
        match &self.0.cause {
            Cause::Call(fault) => error_text(fault),
            _ => self.to_string(),
        }
    }
}

/// The script's call stack of a failed call, outermost first.
pub fn frames(fault: &Fault) -> Vec<Frame> {
    let trace = ScriptTrace::of(fault).map_or(&[][..], |trace| &trace.frames);
    let place = |span: &Span| {
        (!span.is_unknown()).then(|| Place {
            file: span.source().name().to_string(),
            line: span.line(),
            column: span.column(),
            text: span.text().to_string(),
        })
    };
    let shown = trace.iter().map(|frame| Frame {
        function: frame.function.to_string(),
        at: frame.span.as_ref().and_then(place),
        origin: frame
            .span
            .as_ref()
            .and_then(Span::origin)
            .and_then(|origin| place(&origin)),
    });
    shown.collect()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = self.path() {
            write!(f, "{}: ", path.display())?;
        }
        if let ErrorKind::Call(class) = self.kind() {
            write!(f, "{}: ", class.python_name())?;
        }
        f.write_str(&self.message())
    }
}

/// As shown to people, since this is what a `main` that returns an error prints.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        for frame in self.frames().iter().rev() {
            if let Some(place) = frame.origin.as_ref().or(frame.at.as_ref()) {
                write!(
                    f,
                    "\n  in {} ({}:{})",
                    frame.function, place.file, place.line
                )?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.cause {
            Cause::Load(LoadFailure::Io(error))
            | Cause::Save(SaveFailure::Io(error))
            | Cause::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Error {
        Error::of(Cause::Call(fault))
    }
}

impl From<CompileError> for Error {
    fn from(error: CompileError) -> Error {
        Error::of(Cause::Compile(error))
    }
}

impl From<LoadFailure> for Error {
    fn from(error: LoadFailure) -> Error {
        match error {
            LoadFailure::File(path, failure) => Error::from(*failure).with_path(path),
            failure => Error::of(Cause::Load(failure)),
        }
    }
}

impl From<SaveFailure> for Error {
    fn from(error: SaveFailure) -> Error {
        Error::of(Cause::Save(error))
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        Error::of(Cause::Io(error))
    }
}

const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Error>();
};
