//! Archives that are well formed and lie: every record reads as what it should be, and says something that is not so.
//!
//! The generator takes a real archive apart into records, changes a few of them by what they mean (values and names in
//! pickles, types and calls in code, the length of tensors, words of flatbuffers) and puts them together again. The result
//! is a file like any other.

mod code;
mod pickled;
mod play;

use rushlight::archive::bytes::Bytes;
use rushlight::archive::zip::{Archive, Limits, Writer};

use crate::change::Materials;
use crate::random::Random;

pub use play::play;

/// A file of one of the corpus with a few lies in it.
pub fn make(random: &mut Random, materials: &Materials<'_>) -> Vec<u8> {
    let Some(original) = random.pick(materials.corpus) else {
        return Vec::new();
    };
    if original.get(4..8) == Some(b"PTMF") {
        return flat(original.clone(), random);
    }
    let Some(mut records) = records(original) else {
        return original.clone();
    };
    let most = if random.once_in(4) { 12 } else { 3 };
    for _ in 0..1 + random.below(most) {
        lie(&mut records, random, materials);
    }
    let mut archive = Writer::new("archive");
    for (name, data) in &records {
        // A name that the writer refuses makes no record; the others do.
        let _ = archive.add_stored(name, data);
    }
    archive.finish()
}

type Records = Vec<(String, Vec<u8>)>;

/// The records of an archive, without what only tells where code comes from.
fn records(bytes: &[u8]) -> Option<Records> {
    let archive = Archive::open(Bytes::from(bytes.to_vec()), &Limits::default()).ok()?;
    let names: Vec<String> = archive.names().map(str::to_owned).collect();
    let kept = names
        .into_iter()
        .filter(|name| !name.ends_with(".debug_pkl"));
    kept.map(|name| Some((name.clone(), archive.read(&name).ok()?.to_vec())))
        .collect()
}

/// One lie in one record.
fn lie(records: &mut Records, random: &mut Random, materials: &Materials<'_>) {
    let kind = |name: &str| match name {
        _ if name.ends_with(".py") => 6,
        _ if name.ends_with(".pkl") => 6,
        "model.json" => 6,
        _ => 1,
    };
    let weights: usize = records.iter().map(|(name, _)| kind(name)).sum();
    let mut at = random.below(weights);
    let Some(index) = records.iter().position(|(name, _)| {
        let here = at < kind(name);
        at = at.saturating_sub(kind(name));
        here
    }) else {
        return;
    };
    if random.once_in(24) {
        return foreign(records, random, materials);
    }
    let (name, data) = &mut records[index];
    if name.ends_with(".pkl") {
        if let Some(changed) = pickled::changed(data, random) {
            *data = changed;
        }
    } else if name.ends_with(".py") {
        *data = code::changed(data, random).into_bytes();
    } else if name == "model.json" {
        *data = code::numbers(data, random).into_bytes();
    } else {
        match random.below(4) {
            0 => data.clear(),
            1 => data.truncate(random.below(data.len() + 1)),
            2 => data.extend(std::iter::repeat_n(0xff, 1 + random.below(64))),
            _ => data.fill([0, 1, 0x7f, 0x80, 0xff][random.below(5)]),
        }
    }
}

/// A record comes from another archive, goes away, or changes places.
fn foreign(records: &mut Records, random: &mut Random, materials: &Materials<'_>) {
    let index = random.below(records.len());
    match random.below(3) {
        0 => drop(records.remove(index)),
        1 => {
            let other = random.below(records.len());
            let data = records[other].1.clone();
            records[index].1 = data;
        }
        _ => {
            let others = random
                .pick(materials.corpus)
                .and_then(|bytes| self::records(bytes));
            let name = records[index].0.clone();
            let found = others
                .into_iter()
                .flatten()
                .find(|(other, _)| *other == name);
            if let Some((_, data)) = found {
                records[index].1 = data;
            }
        }
    }
}

/// A flatbuffer some of whose words lead elsewhere: offsets, lengths of vectors, entries of tables, kinds of unions.
fn flat(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    for _ in 0..1 + random.below(4) {
        let width = *random.pick(&[1usize, 2, 4, 4, 4, 8]).unwrap_or(&4);
        let places = bytes.len() / width;
        let at = random.below(places) * width;
        let other = random.below(places) * width;
        let copied = bytes.get(other..other + width).unwrap_or_default().to_vec();
        let Some(word) = bytes.get_mut(at..at + width) else {
            continue;
        };
        match random.below(4) {
            0 => word.copy_from_slice(&copied),
            1 => {
                let step = (random.below(65) as u8).wrapping_sub(32);
                word[0] = word[0].wrapping_add(step);
            }
            2 => word.fill([0, 0x7f, 0x80, 0xff][random.below(4)]),
            _ => word[width - 1] ^= 1 << random.below(8),
        }
    }
    bytes
}
