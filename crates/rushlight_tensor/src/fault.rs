//! What kernels and views report when they cannot go on: facts, without positions.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The Python exception class that a fault becomes at the Python door.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorClass {
    Runtime,
    Index,
    Value,
    Type,
    Key,
    NotImplemented,
    Attribute,
    ZeroDivision,
    Assertion,
    Memory,
    /// A matrix has no such decomposition: a `RuntimeError` with a class of its own.
    LinearAlgebra,
    /// Somebody outside wants the call to stop.
    Interrupt,
    /// An error of ours, not of the user.
    Internal,
}

impl ErrorClass {
    /// The Python name of the class.
    pub fn python_name(self) -> &'static str {
        match self {
            ErrorClass::Runtime | ErrorClass::Internal => "RuntimeError",
            ErrorClass::Index => "IndexError",
            ErrorClass::Value => "ValueError",
            ErrorClass::Type => "TypeError",
            ErrorClass::Key => "KeyError",
            ErrorClass::NotImplemented => "NotImplementedError",
            ErrorClass::Attribute => "AttributeError",
            ErrorClass::ZeroDivision => "ZeroDivisionError",
            ErrorClass::Assertion => "AssertionError",
            ErrorClass::Memory => "MemoryError",
            ErrorClass::LinearAlgebra => "_LinAlgError",
            ErrorClass::Interrupt => "KeyboardInterrupt",
        }
    }
}

/// A failed operation: the class of exception and the message, boxed so that `Result` stays small.
///
/// Where it happened is not for kernels to know: the interpreter attaches a [`Fault::trace`]. Two faults are equal when
/// class and message are.
#[derive(Clone)]
pub struct Fault(Box<Inner>);

#[derive(Clone)]
struct Inner {
    class: ErrorClass,
    message: String,
    raised: Option<Arc<str>>,
    trace: Option<Trace>,
}

/// Where a fault happened, in terms of those who know: the interpreter's script call stack.
pub type Trace = Arc<dyn Any + Send + Sync>;

impl PartialEq for Fault {
    fn eq(&self, other: &Fault) -> bool {
        self.0.class == other.0.class && self.0.message == other.0.message
    }
}

impl Eq for Fault {}

/// The result of everything that can fail on a user's data.
pub type Result<T, E = Fault> = std::result::Result<T, E>;

impl Fault {
    /// A fault of the given class.
    #[cold]
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Fault {
        Fault(Box::new(Inner {
            class,
            message: message.into(),
            raised: None,
            trace: None,
        }))
    }

    /// An exception that a script raised itself. `class` is the qualified name of the Python class
    /// (`builtins.ValueError`), empty where the script did not say.
    #[cold]
    pub fn raised(class: &str, message: impl Into<String>) -> Fault {
        let mut fault = Fault::runtime(message);
        fault.0.raised = Some(class.into());
        fault
    }

    /// A `RuntimeError`.
    #[cold]
    pub fn runtime(message: impl Into<String>) -> Fault {
        Fault::new(ErrorClass::Runtime, message)
    }

    /// An `IndexError`.
    #[cold]
    pub fn index(message: impl Into<String>) -> Fault {
        Fault::new(ErrorClass::Index, message)
    }

    /// A `ValueError`.
    #[cold]
    pub fn value(message: impl Into<String>) -> Fault {
        Fault::new(ErrorClass::Value, message)
    }

    /// A `TypeError`.
    #[cold]
    pub fn type_error(message: impl Into<String>) -> Fault {
        Fault::new(ErrorClass::Type, message)
    }

    /// A `NotImplementedError`.
    #[cold]
    pub fn not_implemented(message: impl Into<String>) -> Fault {
        Fault::new(ErrorClass::NotImplemented, message)
    }

    /// A matrix has no such decomposition: a `_LinAlgError`.
    #[cold]
    pub fn linear_algebra(message: impl Into<String>) -> Fault {
        Fault::new(ErrorClass::LinearAlgebra, message)
    }

    /// An invariant of ours is broken; the message says which.
    #[cold]
    pub fn internal(message: impl Into<String>) -> Fault {
        Fault::new(ErrorClass::Internal, message)
    }

    /// `"NAME" not implemented for 'Half'`, the reference's words for a kernel without that dtype.
    #[cold]
    pub fn no_kernel(name: &str, dtype: crate::DType) -> Fault {
        Fault::not_implemented(format!(
            "\"{name}\" not implemented for '{}'",
            dtype.class_name()
        ))
    }

    /// `expected scalar type Float but found Double`, where operands have to be of one dtype.
    #[cold]
    pub fn other_scalar_type(expected: crate::DType, found: crate::DType) -> Fault {
        Fault::runtime(format!(
            "expected scalar type {} but found {}",
            expected.class_name(),
            found.class_name()
        ))
    }

    /// The words for the first of some sizes that is negative.
    #[cold]
    pub fn negative_size(size: i64, sizes: &[i64]) -> Fault {
        Fault::runtime(format!(
            "Trying to create tensor with negative dimension {size}: {sizes:?}"
        ))
    }

    /// The reference's words for a condition that it has no message for.
    #[cold]
    pub fn not_true(condition: &str) -> Fault {
        Fault::runtime(format!(
            "Expected {condition} to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
        ))
    }

    /// The class of exception.
    pub fn class(&self) -> ErrorClass {
        self.0.class
    }

    /// The class of an exception that a script raised itself; see [`Fault::raised`].
    pub fn raised_class(&self) -> Option<&str> {
        self.0.raised.as_deref()
    }

    /// Where it happened, once somebody has said so.
    pub fn trace(&self) -> Option<&Trace> {
        self.0.trace.as_ref()
    }

    /// The same fault with the place where it happened.
    #[cold]
    pub fn with_trace(mut self, trace: Trace) -> Fault {
        self.0.trace = Some(trace);
        self
    }

    /// The message, without class or position.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.class.python_name(), self.0.message)
    }
}

impl std::error::Error for Fault {}
