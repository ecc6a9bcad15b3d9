//! What tests of damaged archives share: records to change, chance that repeats, and loading within limits.

use rushlight::archive::bytes::Bytes;
use rushlight::archive::zip::{Archive, Limits as ZipLimits, Writer};
use rushlight::{Context, Limits, Module};
use std::path::PathBuf;

/// Names and contents.
pub type Records = Vec<(String, Vec<u8>)>;

/// The records of an archive below `tests/archive`.
pub fn records(path: &str) -> Records {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/archive");
    let bytes = Bytes::map(&folder.join(path)).unwrap();
    let archive = Archive::open(bytes, &ZipLimits::default()).unwrap();
    let names: Vec<String> = archive.names().map(str::to_string).collect();
    names
        .into_iter()
        .map(|name| {
            let data = archive.read(&name).unwrap().to_vec();
            (name, data)
        })
        .collect()
}

/// A context in which code gets twenty seconds and half a million instructions.
pub fn context() -> Context {
    let context = Context::silent();
    context.set_limits(Limits {
        millis: 20_000,
        instructions: 500_000,
        ..Limits::default()
    });
    context
}

/// Loads an archive of these records, with little time and memory for its code.
pub fn load(records: &Records) -> Result<Module, String> {
    let mut zip = Writer::new("m");
    for (name, data) in records {
        zip.add_stored(name, data).unwrap();
    }
    load_file(zip.finish().into())
}

/// Loads a file, with as little.
pub fn load_file(bytes: Bytes) -> Result<Module, String> {
    let context = Context::silent();
    context.set_limits(Limits {
        millis: 2_000,
        instructions: 100_000,
        bytes: 1 << 24,
        ..Limits::default()
    });
    rushlight::load_bytes(bytes, context.into()).map_err(|e| e.to_string())
}

/// Numbers by chance, the same in every run.
pub fn chance(seed: u64) -> impl FnMut() -> usize {
    let mut random = seed;
    move || {
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (random >> 33) as usize
    }
}

/// Changes one to three bytes.
pub fn damage(data: &mut [u8], next: &mut impl FnMut() -> usize) {
    for _ in 0..1 + next() % 3 {
        if !data.is_empty() {
            let at = next() % data.len();
            data[at] = next() as u8;
        }
    }
}
