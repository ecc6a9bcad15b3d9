//! What saving writes, as far as other readers rely on it.

use rushlight::archive::bytes::Bytes;
use rushlight::archive::pickle::{self, PickleLimits, PickleValue};
use rushlight::archive::zip::{Archive, Limits};
use std::path::PathBuf;

#[test]
fn tensors_that_share_memory_name_it_once() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/archive");
    let module = rushlight::load(folder.join("shared_storage.pt")).unwrap();
    let saved = module.to_bytes(&Default::default()).unwrap();
    let archive = Archive::open(Bytes::from(saved), &Limits::default()).unwrap();
    let data = archive.read("data.pkl").unwrap();
    let pickle = pickle::read(&data, &PickleLimits::default()).unwrap();
    let is_storage = |node: &&PickleValue| matches!(node, PickleValue::PersistentId(_));
    let records = archive.names().filter(|n| n.starts_with("data/")).count();
    assert_eq!(pickle.nodes().filter(is_storage).count(), records);
}
