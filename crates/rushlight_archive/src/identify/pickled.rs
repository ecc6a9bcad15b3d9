//! Pickles: what `torch.save` and others have put into them.

use super::{Container, FileKind, Saved};
use crate::pickle::{self, NodeId, Pickle, PickleLimits, PickleValue};

pub(super) fn saved(pickle: Result<Pickle, pickle::PickleError>) -> Saved {
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

pub(super) fn stream(bytes: &[u8]) -> Option<FileKind> {
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
