//! What kernels and views report when they cannot go on: facts, without positions.

use std::fmt;

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
        }
    }
}

/// A failed operation: the class of exception and the message, boxed so that `Result` stays small.
#[derive(Clone, PartialEq, Eq)]
pub struct Fault(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    class: ErrorClass,
    message: String,
}

/// The result of everything that can fail on a user's data.
pub type Result<T, E = Fault> = std::result::Result<T, E>;

impl Fault {
    /// A fault of the given class.
    #[cold]
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Fault {
        Fault(Box::new(Inner {
            class,
            message: message.into(),
        }))
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

    /// The class of exception.
    pub fn class(&self) -> ErrorClass {
        self.0.class
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
