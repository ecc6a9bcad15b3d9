//! What a file is, judged by its bytes alone.
//!
//! People hand a TorchScript loader all sorts of files: weights without a model, a model that only Python can rebuild, the
//! pointer that Git keeps in place of a large file, the web page that came instead of a download. [`identify`] tells
//! these apart and [`FileKind`] says in one line what the file is and what to do next.

mod formats;
mod pickled;
mod words;
mod zipped;

use crate::bytes::Bytes;
use formats::{by_magic, onnx, safetensors, tar, text};
use pickled::stream;
use zipped::identify_zip;

pub use zipped::identify_archive;
pub(crate) use zipped::is_zip;

/// What a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A TorchScript archive of PyTorch 1.3 or later: `data.pkl`, `constants.pkl` and `code/`.
    TorchScript,
    /// A TorchScript archive of PyTorch 1.0 to 1.2: `model.json` and `tensors/`.
    TorchScriptJson,
    /// A TorchScript archive that also holds the bytecode of the mobile interpreter (`.ptl`).
    Mobile {
        /// Whether there is source code beside the bytecode, so that the model loads like any other.
        has_code: bool,
    },
    /// A mobile model in the flatbuffer form of `.ptl`.
    MobileFlatbuffer,
    /// What `torch.save` wrote.
    TorchSave {
        /// The container.
        container: Container,
        /// What was saved.
        content: Saved,
    },
    /// A plain pickle that `torch.save` did not write.
    Pickle {
        /// What it holds.
        content: Saved,
    },
    /// A program of `torch.export` (`.pt2`).
    ExportedProgram,
    /// A package that `torch._inductor` compiled ahead of time.
    AotInductor,
    /// A Python package of `torch.package`.
    TorchPackage,
    /// An archive for TorchServe (`.mar`).
    TorchServe,
    /// A program for the ExecuTorch runtime (`.pte`).
    ExecuTorch,
    /// Weights in the safetensors format.
    Safetensors,
    /// Weights in the GGUF format.
    Gguf,
    /// An ONNX model.
    Onnx,
    /// A NumPy array.
    Npy,
    /// A zip file of NumPy arrays.
    Npz,
    /// What Git keeps in place of a large file that was not fetched.
    GitLfsPointer {
        /// Size of the real file, where the pointer says it.
        size: Option<u64>,
    },
    /// A web page.
    Html,
    /// Nothing.
    Empty,
    /// A zip file whose end is missing.
    TruncatedZip,
    /// A zip file that is refused.
    BadZip {
        /// Why.
        reason: String,
    },
    /// Some other zip file.
    OtherZip,
    /// A tar file.
    Tar,
    /// Compressed data, by the program that made it.
    Compressed(&'static str),
    /// A file in some other well-known format.
    Other(&'static str),
    /// Python source.
    PythonSource,
    /// JSON.
    Json,
    /// Some other text.
    Text,
    /// None of these.
    Unknown,
}

/// What `torch.save` put its pickle into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// A zip file (PyTorch 1.6 and later).
    Zip,
    /// A row of pickles followed by the tensors' bytes (before 1.6).
    Stream,
    /// A tar file (before 0.1.11).
    Tar,
}

/// What a pickle holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Saved {
    /// A mapping from names to tensors.
    StateDict {
        /// How many.
        tensors: usize,
    },
    /// A mapping that holds weights among other things.
    Checkpoint {
        /// Its first keys.
        keys: Vec<String>,
    },
    /// A single tensor.
    Tensor,
    /// An object of a Python class, such as a whole module.
    Object {
        /// The class's full name.
        class: String,
    },
    /// Something else: the kind of value.
    Value(&'static str),
    /// The pickle cannot be read.
    Unreadable {
        /// Why.
        reason: String,
    },
}

/// Says what a file is. Looks at the beginning, at a zip file's directory, and at the pickle of what `torch.save` wrote.
pub fn identify(bytes: &Bytes) -> FileKind {
    if bytes.is_empty() {
        return FileKind::Empty;
    }
    if is_zip(bytes) {
        return identify_zip(bytes);
    }
    by_magic(bytes)
        .or_else(|| safetensors(bytes))
        .or_else(|| tar(bytes))
        .or_else(|| stream(bytes))
        .or_else(|| onnx(bytes))
        .or_else(|| text(bytes))
        .unwrap_or(FileKind::Unknown)
}
