//! What the tests of the byte-level files share: recorded archives, a random source, and pickles shown as text.

#![allow(dead_code, reason = "each test binary uses a part of this")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rushlight_archive::bytes::Bytes;
use rushlight_archive::pickle::{NodeId, ObjectKind, Pickle, PickleValue};
use rushlight_archive::zip::{Archive, Limits};

/// The recorded files of `tests/archive/layout` (see `make.py` there).
pub const LAYOUT: &[&str] = &[
    "attributes.pt",
    "attributes.ptl",
    "checkpoint.pt",
    "exported.pt2",
    "extra.pt",
    "many.pt",
    "module.pt",
    "module_stream.pt",
    "shared.pt",
    "state_dict.pt",
    "state_dict_stream.pt",
    "tensor.pt",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A recorded file.
pub fn layout(name: &str) -> Vec<u8> {
    let path = root().join("tests/archive/layout").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The recorded zip files.
pub fn layout_zips() -> impl Iterator<Item = (String, Vec<u8>)> {
    LAYOUT
        .iter()
        .map(|name| (name.to_string(), layout(name)))
        .filter(|(_, bytes)| bytes.starts_with(b"PK"))
}

/// Archives that other projects published: the folder named by `RUSHLIGHT_ASSETS`, or `shared/assets` beside the
/// workspace. Empty where there is neither.
pub fn assets() -> Vec<(String, Bytes)> {
    let folder = std::env::var_os("RUSHLIGHT_ASSETS")
        .map_or_else(|| root().join("../shared/assets"), PathBuf::from);
    let Ok(files) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    let is_archive = |path: &PathBuf| {
        path.extension()
            .is_some_and(|e| ["pt", "ptl", "jit", "dat"].iter().any(|known| e == *known))
    };
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    paths
        .iter()
        .filter(|path| is_archive(path))
        .map(|path| (name(path), Bytes::map(path).unwrap()))
        .collect()
}

/// Opens an archive with the usual limits.
pub fn open(bytes: Vec<u8>) -> Archive {
    Archive::open(Bytes::from(bytes), &Limits::default()).unwrap()
}

/// A small generator of numbers that are the same in every run (Marsaglia's xorshift64).
pub struct XorShift(pub u64);

impl XorShift {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Hands mutated seeds to `target` for as many seconds as `RUSHLIGHT_FUZZ_SECONDS` says (1 where it says nothing). The
/// target must neither panic nor hang; a failure prints the input.
pub fn fuzz(seeds: &[Vec<u8>], target: impl Fn(&[u8]) + std::panic::RefUnwindSafe) {
    let seconds = std::env::var("RUSHLIGHT_FUZZ_SECONDS")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(1.0);
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let mut random = XorShift(0x9e37_79b9_7f4a_7c15);
    while Instant::now() < end {
        let input = mutate(&mut random, seeds);
        let begun = Instant::now();
        let outcome = std::panic::catch_unwind(|| target(&input));
        assert!(outcome.is_ok(), "panics on {}", input.escape_ascii());
        assert!(
            begun.elapsed() < Duration::from_secs(5),
            "hangs on {}",
            input.escape_ascii()
        );
    }
}

fn mutate(random: &mut XorShift, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(8) {
        let (at, value) = (random.below(bytes.len()), random.next());
        let len = random.below(bytes.len() - at).min(64);
        match random.below(8) {
            _ if bytes.is_empty() => bytes.push(value as u8),
            0 => bytes[at] ^= 1 << (value % 8),
            1 | 2 => bytes[at] = value as u8,
            3 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
            4 => bytes.truncate(at),
            5 => drop(bytes.drain(at..at + len)),
            6 => {
                let piece = bytes[at..at + len].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            _ => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len());
                let piece = &other[from..other.len().min(from + 1 + random.below(64))];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
    }
    bytes
}

/// A pickle's value in a Python-like form. Objects are calls, with `state`, items and pairs behind them.
pub fn show(pickle: &Pickle) -> String {
    show_node(pickle, pickle.root(), &mut Vec::new())
}

fn show_node(pickle: &Pickle, id: NodeId, inside: &mut Vec<NodeId>) -> String {
    if inside.contains(&id) {
        return "...".into();
    }
    inside.push(id);
    let list = |ids: &[NodeId], inside: &mut Vec<NodeId>| {
        ids.iter()
            .map(|&id| show_node(pickle, id, inside))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let dict = |pairs: &[(NodeId, NodeId)], inside: &mut Vec<NodeId>| {
        let pair = |&(k, v): &(NodeId, NodeId)| {
            let key = show_node(pickle, k, inside);
            format!("{key}: {}", show_node(pickle, v, inside))
        };
        pairs.iter().map(pair).collect::<Vec<_>>().join(", ")
    };
    let text = match pickle.get(id) {
        PickleValue::None => "None".into(),
        PickleValue::Bool(value) => format!("{value}"),
        PickleValue::Int(value) => value.to_string(),
        PickleValue::BigInt(bytes) => format!(
            "big({})",
            bytes.iter().map(|b| format!("{b:02x}")).collect::<String>()
        ),
        PickleValue::Float(value) => format!("{value:?}"),
        PickleValue::Str(text) => format!("{text:?}"),
        PickleValue::Bytes(bytes) => format!("b\"{}\"", bytes.escape_ascii()),
        PickleValue::List(ids) => format!("[{}]", list(ids, inside)),
        PickleValue::Tuple(ids) => format!("({})", list(ids, inside)),
        PickleValue::Set(ids) => format!("{{{}}}", list(ids, inside)),
        PickleValue::Dict(pairs) => format!("{{{}}}", dict(pairs, inside)),
        PickleValue::Global(global) => format!("{}.{}", global.module, global.name),
        PickleValue::PersistentId(id) => format!("persistent({})", show_node(pickle, *id, inside)),
        PickleValue::Object(object) => {
            let new = if object.kind == ObjectKind::NewObj {
                "new "
            } else {
                ""
            };
            let args = show_node(pickle, object.args, inside);
            let mut text = format!("{new}{}{args}", show_node(pickle, object.callable, inside));
            if let Some(kwargs) = object.kwargs {
                text += &format!(" kwargs {}", show_node(pickle, kwargs, inside));
            }
            if let Some(state) = object.state {
                text += &format!(" state {}", show_node(pickle, state, inside));
            }
            if !object.items.is_empty() {
                text += &format!(" items [{}]", list(&object.items, inside));
            }
            if !object.pairs.is_empty() {
                text += &format!(" pairs {{{}}}", dict(&object.pairs, inside));
            }
            text
        }
    };
    inside.pop();
    text
}
