//! Files, as far as scripts reach them: through what the host program hands in, or not at all.

use crate::{Fault, Result, Value};
use rushlight_tensor::Storage;

/// The files that scripts may use. A [`crate::Context`] has none until the host program gives it some, so that an archive from
/// a stranger reads and writes nothing.
pub trait Files: Send + Sync {
    /// The first bytes of a file as memory of a tensor: a copy, or the file itself where it is `shared`, so that what is
    /// written to the tensor is in the file. A shared file is made where there is none, and made longer where it is too short.
    fn memory(&self, name: &str, length: usize, shared: bool) -> Result<Storage>;
    /// Keeps a value in a file.
    fn write(&self, name: &str, value: &Value) -> Result<()>;
}

/// What an operator gets that asks for files where there are none.
pub(crate) fn refused(operator: &str) -> Fault {
    Fault::runtime(format!(
        "{operator} is refused: this program may not read or write files. Where it should, allow it a folder: \
         `rushlight run --files FOLDER`, Context::allow_files in Rust, rushlight.jit.allow_files in Python"
    ))
}
