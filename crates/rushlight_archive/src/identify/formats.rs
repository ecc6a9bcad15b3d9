//! Other formats, told by their first bytes or by their text.

use super::{Container, FileKind, Saved};

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

pub(super) fn by_magic(bytes: &[u8]) -> Option<FileKind> {
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
pub(super) fn safetensors(bytes: &[u8]) -> Option<FileKind> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let length = u64::from_le_bytes(*length);
    let plausible = (2..=100 << 20).contains(&length);
    let whole = usize::try_from(length).ok().and_then(|n| rest.get(..n))?;
    let json = whole.first() == Some(&b'{') && whole.trim_ascii_end().last() == Some(&b'}');
    (plausible && json).then_some(FileKind::Safetensors)
}

pub(super) fn tar(bytes: &[u8]) -> Option<FileKind> {
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
pub(super) fn onnx(bytes: &[u8]) -> Option<FileKind> {
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

pub(super) fn text(bytes: &[u8]) -> Option<FileKind> {
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
