//! What a file is, judged by its bytes alone.
//!
//! People hand a TorchScript loader all sorts of files: weights without a model, a model that only Python can rebuild, the
//! pointer that Git keeps in place of a large file, the web page that came instead of a download. [`identify`] tells
//! these apart and [`FileKind`] says in one line what the file is and what to do next.

use crate::bytes::Bytes;
use crate::pickle::{self, NodeId, Pickle, PickleLimits, PickleValue};
use crate::zip::{Archive, Limits, Problem};

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

impl FileKind {
    /// Whether this is something that the loader of this crate reads.
    pub fn is_loadable(&self) -> bool {
        matches!(
            self,
            FileKind::TorchScript | FileKind::TorchScriptJson | FileKind::Mobile { .. }
        )
    }

    /// What the file is, in one line, to be put after "this is".
    pub fn describe(&self) -> String {
        match self {
            FileKind::TorchScript => "a TorchScript archive".into(),
            FileKind::TorchScriptJson => {
                "a TorchScript archive in the layout of PyTorch 1.0 to 1.2".into()
            }
            FileKind::Mobile { has_code: true } => {
                "a TorchScript archive for mobile devices (.ptl), with source".into()
            }
            FileKind::Mobile { has_code: false } => {
                "a TorchScript archive for mobile devices (.ptl), bytecode only".into()
            }
            FileKind::MobileFlatbuffer => {
                "a mobile TorchScript model in flatbuffer form (.ptl)".into()
            }
            FileKind::TorchSave { container, content } => format!(
                "{}, saved by torch.save {}",
                content.describe(),
                container.describe()
            ),
            FileKind::Pickle { content } => format!("a Python pickle of {}", content.describe()),
            FileKind::ExportedProgram => "a program exported by torch.export (.pt2)".into(),
            FileKind::AotInductor => {
                "a package compiled ahead of time by AOTInductor (.pt2)".into()
            }
            FileKind::TorchPackage => "a torch.package archive of Python code and pickles".into(),
            FileKind::TorchServe => "a TorchServe model archive (.mar)".into(),
            FileKind::ExecuTorch => "an ExecuTorch program (.pte)".into(),
            FileKind::Safetensors => "weights in the safetensors format, without a model".into(),
            FileKind::Gguf => "weights in the GGUF format, without a model".into(),
            FileKind::Onnx => "an ONNX model".into(),
            FileKind::Npy => "a NumPy array (.npy)".into(),
            FileKind::Npz => "a NumPy archive of arrays (.npz)".into(),
            FileKind::GitLfsPointer { size: Some(size) } => {
                format!("a Git LFS pointer to a file of {size} bytes, not the file itself")
            }
            FileKind::GitLfsPointer { size: None } => {
                "a Git LFS pointer, not the file itself".into()
            }
            FileKind::Html => "a web page (HTML)".into(),
            FileKind::Empty => "an empty file".into(),
            FileKind::TruncatedZip => "a zip file whose end is missing".into(),
            FileKind::BadZip { reason } => format!("a damaged or unsafe zip file ({reason})"),
            FileKind::OtherZip => "a zip file that holds no model".into(),
            FileKind::Tar => "a tar archive".into(),
            FileKind::Compressed(program) => format!("a file compressed by {program}"),
            FileKind::Other(format) => (*format).into(),
            FileKind::PythonSource => "Python source".into(),
            FileKind::Json => "JSON text".into(),
            FileKind::Text => "plain text".into(),
            FileKind::Unknown => "not a file of any known kind".into(),
        }
    }

    /// What to do next with such a file, in one or two sentences. Empty where nothing needs to be done.
    pub fn advice(&self) -> &'static str {
        match self {
            FileKind::TorchScript | FileKind::TorchScriptJson | FileKind::Mobile { .. } => "",
            FileKind::MobileFlatbuffer => {
                "Only the mobile interpreter reads this form. Save the model again with torch.jit.save."
            }
            FileKind::TorchSave { content, .. } => content.advice(),
            FileKind::Pickle {
                content: Saved::Unreadable { .. },
            } => "Check that the file is complete and unchanged.",
            FileKind::Pickle { .. } => {
                "Nothing in it can be run without Python; script the model there and save it with torch.jit.save."
            }
            FileKind::ExportedProgram => {
                "torch.export programs are not TorchScript. Save the original module with torch.jit.script(module).save(path), or with torch.jit.trace."
            }
            FileKind::AotInductor => {
                "It holds machine code for one kind of processor. Save the original module with torch.jit.script(module).save(path)."
            }
            FileKind::TorchPackage => {
                "Load it in Python with torch.package, then save the model with torch.jit.script(model).save(path)."
            }
            FileKind::TorchServe => {
                "It is a zip file: unpack it; the model is the .pt file inside."
            }
            FileKind::ExecuTorch => {
                "Go back to the module it was made from and save that with torch.jit.save."
            }
            FileKind::Safetensors | FileKind::Gguf => {
                "Build the model in Python, load these weights into it, and save it with torch.jit.script(model).save(path)."
            }
            FileKind::Onnx => {
                "Use an ONNX runtime, or save the original PyTorch module with torch.jit.script(module).save(path)."
            }
            FileKind::Npy | FileKind::Npz => {
                "It can be given as an argument of a run (@file), but it is no model."
            }
            FileKind::GitLfsPointer { .. } => {
                "Fetch the real file: run `git lfs install` and `git lfs pull` in the repository it came from."
            }
            FileKind::Html => {
                "The download gave a page instead of the file, often a login or licence page. Open the address in a browser and use the direct link."
            }
            FileKind::Empty => "The download or copy did not take place; get the file again.",
            FileKind::TruncatedZip => {
                "The download or copy stopped early; get the file again and compare its size."
            }
            FileKind::BadZip { .. } => {
                "Get the file again from its source; do not use it if it comes from a stranger."
            }
            FileKind::OtherZip => "Look inside: the model may be one of the files in it.",
            FileKind::Tar => "Unpack it with `tar -xf`; the model may be one of the files in it.",
            FileKind::Compressed(_) => "Unpack it first; the model is probably inside.",
            FileKind::Other(_) => "Give the path of a model that torch.jit.save wrote.",
            FileKind::PythonSource => {
                "Source is compiled, not loaded: use the commands that take FILE.py."
            }
            FileKind::Json | FileKind::Text | FileKind::Unknown => {
                "Give the path of a model that torch.jit.save wrote."
            }
        }
    }
}

impl Container {
    fn describe(self) -> &'static str {
        match self {
            Container::Zip => "in its zip form",
            Container::Stream => "in its form before PyTorch 1.6",
            Container::Tar => "in its form before PyTorch 0.1.11",
        }
    }
}

impl Saved {
    fn describe(&self) -> String {
        match self {
            Saved::StateDict { tensors: 1 } => {
                "a state_dict of 1 tensor (weights without a model)".into()
            }
            Saved::StateDict { tensors } => {
                format!("a state_dict of {tensors} tensors (weights without a model)")
            }
            Saved::Checkpoint { keys } => format!("a checkpoint with the keys {}", keys.join(", ")),
            Saved::Tensor => "a single tensor".into(),
            Saved::Object { class } => format!("an object of the Python class {class}"),
            Saved::Value(kind) => format!("a value of kind {kind}"),
            Saved::Unreadable { reason } => format!("a pickle that cannot be read ({reason})"),
        }
    }

    fn advice(&self) -> &'static str {
        match self {
            Saved::StateDict { .. } | Saved::Checkpoint { .. } => {
                "Build the model in Python, call model.load_state_dict on these weights, and save it with torch.jit.script(model).save(path)."
            }
            Saved::Object { .. } => {
                "A pickled object needs its Python class. Load it in Python with torch.load(path, weights_only=False) if you trust it, and save it with torch.jit.script(model).save(path)."
            }
            Saved::Tensor | Saved::Value(_) => "There is no model in it, only data.",
            Saved::Unreadable { .. } => "Check that the file is complete and unchanged.",
        }
    }
}

// Zip files.

fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
        || bytes.starts_with(b"PK\x05\x06")
        || bytes.starts_with(b"PK\x06\x06")
}

fn identify_zip(bytes: &Bytes) -> FileKind {
    match Archive::open(bytes.clone(), &Limits::default()) {
        Ok(archive) => identify_archive(&archive),
        Err(error) if matches!(error.problem, Problem::NoDirectory { .. }) => {
            FileKind::TruncatedZip
        }
        Err(error) => FileKind::BadZip {
            reason: error.to_string(),
        },
    }
}

/// Says what an opened archive is.
pub fn identify_archive(archive: &Archive) -> FileKind {
    let has = |name: &str| archive.contains(name);
    let any = |test: &dyn Fn(&str) -> bool| archive.names().any(test);
    let has_code = any(&|name| name.starts_with("code/") && name.ends_with(".py"));
    if any(&|name| name.contains("aotinductor/") || name.starts_with("data/aotinductor")) {
        FileKind::AotInductor
    } else if has("serialized_exported_program.json")
        || has("archive_format")
        || any(&|name| is_exported_model(name))
    {
        FileKind::ExportedProgram
    } else if has("bytecode.pkl") {
        FileKind::Mobile { has_code }
    } else if has("model.json")
        && any(&|name| {
            name.starts_with("tensors/") || name.starts_with("code/") || name == "version"
        })
    {
        FileKind::TorchScriptJson
    } else if has("data.pkl") && (has_code || has("constants.pkl")) {
        FileKind::TorchScript
    } else if has("data.pkl") {
        FileKind::TorchSave {
            container: Container::Zip,
            content: saved_in_zip(archive),
        }
    } else if has(".data/extern_modules") {
        FileKind::TorchPackage
    } else if archive
        .entries()
        .iter()
        .any(|entry| entry.name() == "MAR-INF/MANIFEST.json")
    {
        FileKind::TorchServe
    } else if !archive.entries().is_empty()
        && archive
            .entries()
            .iter()
            .all(|entry| entry.name().ends_with(".npy"))
    {
        FileKind::Npz
    } else {
        FileKind::OtherZip
    }
}

fn is_exported_model(name: &str) -> bool {
    name.starts_with("models/") && name.ends_with(".json")
}

fn saved_in_zip(archive: &Archive) -> Saved {
    match archive.read("data.pkl") {
        Ok(record) => saved(pickle::read(&record, &PickleLimits::default())),
        Err(error) => Saved::Unreadable {
            reason: error.to_string(),
        },
    }
}

// Pickles.

fn saved(pickle: Result<Pickle, pickle::PickleError>) -> Saved {
    match pickle {
        Ok(pickle) => content(&pickle, pickle.root()),
        Err(error) => Saved::Unreadable {
            reason: error.to_string(),
        },
    }
}

fn content(pickle: &Pickle, id: NodeId) -> Saved {
    if is_tensor(pickle, id) {
        return Saved::Tensor;
    }
    if let Some(pairs) = pickle.mapping(id) {
        let tensors = pairs
            .iter()
            .filter(|(_, value)| is_tensor(pickle, *value))
            .count();
        if tensors == pairs.len() && tensors > 0 {
            return Saved::StateDict { tensors };
        }
        return Saved::Checkpoint {
            keys: keys(pickle, pairs),
        };
    }
    match pickle.get(id) {
        PickleValue::Object(object) => match class_of(pickle, object.callable) {
            Some(global) => Saved::Object {
                class: class_name(pickle, object.args, global),
            },
            None => Saved::Value("object"),
        },
        other => Saved::Value(other.kind()),
    }
}

/// The first few keys of a mapping, in quotes.
fn keys(pickle: &Pickle, pairs: &[(NodeId, NodeId)]) -> Vec<String> {
    const SHOWN: usize = 8;
    let shown = pairs
        .iter()
        .take(SHOWN)
        .map(|&(key, _)| match pickle.get(key) {
            PickleValue::Str(text) => format!("{:?}", text.chars().take(60).collect::<String>()),
            PickleValue::Int(value) => value.to_string(),
            other => format!("({})", other.kind()),
        });
    let more = (pairs.len() > SHOWN).then(|| format!("and {} more", pairs.len() - SHOWN));
    shown.chain(more).collect()
}

/// The global that an object is made by. Old `torch.save` kept the source of a module's class beside it, outside the pickle:
/// a persistent id of the word `module`, the class, and the source's file and text.
fn class_of(pickle: &Pickle, callable: NodeId) -> Option<(&str, &str)> {
    match pickle.get(callable) {
        PickleValue::PersistentId(id) => pickle
            .as_tuple(*id)
            .and_then(|parts| parts.get(1))
            .and_then(|&class| pickle.as_global(class)),
        _ => pickle.as_global(callable),
    }
}

/// The object's class: Python's default reconstructor of protocols 0 and 1 gets it as its first argument.
fn class_name(pickle: &Pickle, args: NodeId, (module, name): (&str, &str)) -> String {
    let first = pickle
        .as_tuple(args)
        .and_then(|args| args.first())
        .and_then(|&id| pickle.as_global(id));
    match (name, first) {
        ("_reconstructor", Some((module, name))) => format!("{module}.{name}"),
        _ => format!("{module}.{name}"),
    }
}

fn is_tensor(pickle: &Pickle, id: NodeId) -> bool {
    let Some(object) = pickle.as_object(id) else {
        return false;
    };
    match pickle.as_global(object.callable) {
        Some(("torch._utils", name)) => {
            name.starts_with("_rebuild_") && name != "_rebuild_device_tensor_from_numpy"
        }
        Some(("torch._tensor", name)) => name == "_rebuild_from_type_v2",
        Some(("torch", name)) => name.ends_with("Tensor"),
        _ => false,
    }
}

/// The number that old `torch.save` streams begin with, as a pickled integer: 0x1950a86a20f9469cfc6c.
const STREAM_MAGIC: [u8; 10] = [0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];

fn stream(bytes: &[u8]) -> Option<FileKind> {
    let begins = bytes
        .first()
        .is_some_and(|&b| b == 0x80 || b"(}]cIKN".contains(&b));
    if !begins {
        return None;
    }
    let limits = PickleLimits::default();
    let first = pickle::read_prefix(bytes, &limits);
    match first {
        Ok((first, end)) if is_magic(&first) => Some(FileKind::TorchSave {
            container: Container::Stream,
            content: saved_in_stream(&bytes[end..]),
        }),
        Ok((first, _)) if bytes[0] == 0x80 || first.len() > 4 => Some(FileKind::Pickle {
            content: content(&first, first.root()),
        }),
        Err(error)
            if bytes[0] == 0x80
                && bytes
                    .get(1)
                    .is_some_and(|&protocol| (2..=5).contains(&protocol)) =>
        {
            Some(FileKind::Pickle {
                content: Saved::Unreadable {
                    reason: error.to_string(),
                },
            })
        }
        _ => None,
    }
}

fn is_magic(pickle: &Pickle) -> bool {
    matches!(pickle.get(pickle.root()), PickleValue::BigInt(bytes) if **bytes == STREAM_MAGIC)
}

/// After the magic number come the protocol's version, facts about the machine, and then what was saved.
fn saved_in_stream(mut rest: &[u8]) -> Saved {
    let limits = PickleLimits::default();
    for _ in 0..2 {
        match pickle::read_prefix(rest, &limits) {
            Ok((_, end)) => rest = &rest[end..],
            Err(error) => {
                return Saved::Unreadable {
                    reason: error.to_string(),
                };
            }
        }
    }
    saved(pickle::read_prefix(rest, &limits).map(|(pickle, _)| pickle))
}

// Other formats.

/// Formats told by the bytes at a fixed place.
const MAGIC: &[(usize, &[u8], FileKind)] = &[
    (4, b"PTMF", FileKind::MobileFlatbuffer),
    (4, b"ET12", FileKind::ExecuTorch),
    (0, b"GGUF", FileKind::Gguf),
    (0, b"\x93NUMPY", FileKind::Npy),
    (0, b"\x1f\x8b", FileKind::Compressed("gzip")),
    (0, b"BZh", FileKind::Compressed("bzip2")),
    (0, b"\xfd7zXZ\0", FileKind::Compressed("xz")),
    (0, b"\x28\xb5\x2f\xfd", FileKind::Compressed("zstd")),
    (0, b"7z\xbc\xaf\x27\x1c", FileKind::Compressed("7-Zip")),
    (0, b"Rar!\x1a\x07", FileKind::Compressed("RAR")),
    (
        0,
        b"\x89HDF\r\n\x1a\n",
        FileKind::Other("an HDF5 file (such as Keras weights)"),
    ),
    (4, b"TFL3", FileKind::Other("a TensorFlow Lite model")),
    (
        0,
        b"\x7fELF",
        FileKind::Other("a compiled program or shared library"),
    ),
    (0, b"\x89PNG\r\n\x1a\n", FileKind::Other("a PNG image")),
    (0, b"\xff\xd8\xff", FileKind::Other("a JPEG image")),
    (0, b"%PDF-", FileKind::Other("a PDF document")),
    (
        0,
        b"SQLite format 3\0",
        FileKind::Other("an SQLite database"),
    ),
];

fn by_magic(bytes: &[u8]) -> Option<FileKind> {
    let at = |offset: usize, magic: &[u8]| {
        bytes
            .get(offset..)
            .is_some_and(|rest| rest.starts_with(magic))
    };
    MAGIC
        .iter()
        .find(|(offset, magic, _)| at(*offset, magic))
        .map(|(_, _, kind)| kind.clone())
}

/// An 8-byte length, then that many bytes of JSON: an object.
fn safetensors(bytes: &[u8]) -> Option<FileKind> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let length = u64::from_le_bytes(*length);
    let plausible = (2..=100 << 20).contains(&length);
    let whole = usize::try_from(length).ok().and_then(|n| rest.get(..n))?;
    let json = whole.first() == Some(&b'{') && whole.trim_ascii_end().last() == Some(&b'}');
    (plausible && json).then_some(FileKind::Safetensors)
}

fn tar(bytes: &[u8]) -> Option<FileKind> {
    let header = bytes.get(..512)?;
    let stored = std::str::from_utf8(&header[148..156]).ok()?;
    let stored = u32::from_str_radix(stored.trim_matches([' ', '\0']), 8).ok()?;
    let sum: u32 = header
        .iter()
        .enumerate()
        .map(|(i, &b)| u32::from(if (148..156).contains(&i) { b' ' } else { b }))
        .sum();
    if sum != stored {
        return None;
    }
    let name = header[..100].split(|&b| b == 0).next().unwrap_or(&[]);
    let name = name.strip_prefix(b"./").unwrap_or(name);
    if [&b"storages"[..], b"tensors", b"pickle", b"sys_info"].contains(&name) {
        return Some(FileKind::TorchSave {
            container: Container::Tar,
            content: Saved::Value("unknown"),
        });
    }
    Some(FileKind::Tar)
}

/// An ONNX model is a protobuf message without a magic number: its fields are walked, and the ones that every model has
/// (the version of the format, field 1, and the graph, field 7) must be there.
fn onnx(bytes: &[u8]) -> Option<FileKind> {
    let (mut rest, mut version, mut graph) = (bytes, false, false);
    while !rest.is_empty() {
        let (tag, after) = varint(rest)?;
        let (field, wire) = (tag >> 3, tag & 7);
        let (value, after) = varint(after)?;
        match (field, wire) {
            (1 | 5, 0) => {
                version |= field == 1 && value < 100;
                rest = after;
            }
            (2..=4 | 6..=8 | 14 | 20 | 25 | 26, 2) => {
                graph |= field == 7;
                let value = usize::try_from(value).ok()?;
                rest = after.get(value..)?;
            }
            _ => return None,
        }
    }
    (version && graph).then_some(FileKind::Onnx)
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (i, &byte) in bytes.iter().take(9).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[i + 1..]));
        }
    }
    None
}

/// How much of a file is looked at to tell text.
const TEXT_SAMPLE: usize = 8192;

fn text(bytes: &[u8]) -> Option<FileKind> {
    let sample = &bytes[..bytes.len().min(TEXT_SAMPLE)];
    let sample = match std::str::from_utf8(sample) {
        Ok(text) => text,
        // A character may be cut by the sample's end.
        Err(error) if error.valid_up_to() + 4 > sample.len() && bytes.len() > sample.len() => {
            std::str::from_utf8(&sample[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    if sample
        .chars()
        .any(|c| c.is_control() && !c.is_ascii_whitespace() && c != '\x1b')
    {
        return None;
    }
    let sample = sample.trim_start_matches('\u{feff}').trim_start();
    Some(text_kind(sample))
}

fn text_kind(sample: &str) -> FileKind {
    let lower: String = sample
        .chars()
        .take(1024)
        .collect::<String>()
        .to_ascii_lowercase();
    let html = ["<!doctype html", "<html", "<head", "<body"]
        .iter()
        .any(|tag| lower.starts_with(tag))
        || (lower.starts_with('<') && lower.contains("<html"));
    if sample.starts_with("version https://git-lfs.github.com/spec/") {
        let size = sample
            .lines()
            .find_map(|line| line.strip_prefix("size "))
            .and_then(|size| size.trim().parse().ok());
        FileKind::GitLfsPointer { size }
    } else if html {
        FileKind::Html
    } else if sample.starts_with('{') || sample.starts_with("[\"") || sample.starts_with("[{") {
        FileKind::Json
    } else if is_python(sample) {
        FileKind::PythonSource
    } else {
        FileKind::Text
    }
}

fn is_python(sample: &str) -> bool {
    let starts = ["import ", "from ", "def ", "class ", "@"];
    let lines = sample
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .take(40);
    let ends = |line: &str| {
        line.trim_end().ends_with(':') || line.contains("import") || line.starts_with('@')
    };
    sample.starts_with("#!/usr/bin/env python")
        || lines
            .into_iter()
            .any(|line| starts.iter().any(|start| line.starts_with(start)) && ends(line))
}
