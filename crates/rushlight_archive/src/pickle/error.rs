//! Why a pickle was refused: where, at which opcode, and what is wrong.

use std::fmt;

/// A pickle that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickleError {
    /// Offset of the opcode at which reading stopped.
    pub offset: usize,
    /// The opcode's name, unless the byte is no opcode or the input ended.
    pub opcode: Option<&'static str>,
    /// What is wrong.
    pub problem: PickleProblem,
}

/// What is wrong with a pickle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PickleProblem {
    /// The input ends before the `STOP` opcode.
    Truncated,
    /// No opcode has this number.
    UnknownOpcode(u8),
    /// An opcode that refers to something outside the pickle (extension registry, out-of-band buffers).
    Unsupported(&'static str),
    /// A protocol newer than 5.
    Protocol(u8),
    /// The opcode needs more values than the stack holds above the last mark.
    StackUnderflow,
    /// The opcode needs a mark and there is none.
    NoMark,
    /// A value is not of the kind that the opcode works on.
    WrongKind {
        /// What the opcode needs.
        expected: &'static str,
        /// What it got.
        found: &'static str,
    },
    /// The memo has nothing under this number.
    NotInMemo(u64),
    /// A memo number that no pickler of this many bytes would use.
    MemoTooLarge(u64),
    /// Text that is not UTF-8.
    NotUtf8,
    /// A number, string or length that cannot be understood.
    BadArgument(&'static str),
    /// A dictionary with an odd number of keys and values.
    OddItems,
    /// `STOP` with other than one value on the stack.
    NotOneResult(usize),
    /// Bytes after the `STOP` opcode.
    TrailingBytes(usize),
    /// A bound of [`super::PickleLimits`] is exceeded.
    Limit {
        /// What is limited.
        what: &'static str,
        /// What is allowed.
        allowed: u64,
    },
}

impl fmt::Display for PickleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pickle, byte {}", self.offset)?;
        if let Some(opcode) = self.opcode {
            write!(f, ", {opcode}")?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for PickleError {}

impl fmt::Display for PickleProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PickleProblem::Truncated => f.write_str("the data ends here"),
            PickleProblem::UnknownOpcode(byte) => {
                write!(f, "no opcode has the number 0x{byte:02x}")
            }
            PickleProblem::Unsupported(what) => write!(f, "{what} are not supported"),
            PickleProblem::Protocol(n) => write!(f, "protocol {n} is newer than any known"),
            PickleProblem::StackUnderflow => f.write_str("too few values on the stack"),
            PickleProblem::NoMark => f.write_str("there is no mark on the stack"),
            PickleProblem::WrongKind { expected, found } => {
                write!(f, "needs {expected}, got {found}")
            }
            PickleProblem::NotInMemo(n) => write!(f, "nothing was memoised under {n}"),
            PickleProblem::MemoTooLarge(n) => {
                write!(f, "memo number {n} is too large for this pickle")
            }
            PickleProblem::NotUtf8 => f.write_str("the text is not UTF-8"),
            PickleProblem::BadArgument(what) => write!(f, "malformed {what}"),
            PickleProblem::OddItems => f.write_str("a key without a value"),
            PickleProblem::NotOneResult(n) => write!(f, "{n} values on the stack instead of one"),
            PickleProblem::TrailingBytes(n) => write!(f, "{n} bytes follow the end"),
            PickleProblem::Limit { what, allowed } => write!(f, "more than {allowed} {what}"),
        }
    }
}
