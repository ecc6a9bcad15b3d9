//! What saving writes, as far as other readers rely on it.

use rushlight::archive::bytes::Bytes;
use rushlight::archive::pickle::{self, PickleLimits, PickleValue};
use rushlight::archive::zip::{Archive, Limits, Writer};
use std::path::PathBuf;

#[test]
fn tensors_that_share_memory_name_it_once() {
    let module = rushlight::load(folder().join("shared_storage.pt")).unwrap();
    let saved = module.to_bytes(&Default::default()).unwrap();
    let archive = Archive::open(Bytes::from(saved), &Limits::default()).unwrap();
    let data = archive.read("data.pkl").unwrap();
    let pickle = pickle::read(&data, &PickleLimits::default()).unwrap();
    let is_storage = |node: &&PickleValue| matches!(node, PickleValue::PersistentId(_));
    let records = archive.names().filter(|n| n.starts_with("data/")).count();
    assert_eq!(pickle.nodes().filter(is_storage).count(), records);
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/archive")
}

#[test]
fn archives_of_machines_with_the_other_byte_order_load() {
    let archive = Archive::open(
        Bytes::map(&folder().join("shared_storage.pt")).unwrap(),
        &Limits::default(),
    );
    let archive = archive.unwrap();
    let mut zip = Writer::new("m");
    for name in archive.names() {
        let mut bytes = archive.read(name).unwrap().to_vec();
        if name.starts_with("data/") {
            bytes.chunks_exact_mut(4).for_each(<[u8]>::reverse);
        } else if name == "byteorder" {
            bytes = b"big".to_vec();
        }
        zip.add_stored(name, &bytes).unwrap();
    }
    let context = rushlight::Context::silent();
    let module = rushlight::load_bytes(zip.finish().into(), context.into()).unwrap();
    let known = rushlight::load(folder().join("shared_storage.pt")).unwrap();
    let told = |module: &rushlight::Module| {
        let result = module.call("write", &[5.0.into()]).unwrap();
        format!("{result:?}")
    };
    assert_eq!(told(&module), told(&known));
}

#[test]
fn a_version_is_written_only_where_the_code_means_the_same_in_it() {
    let source = "import torch\ndef forward(x: torch.Tensor):\n    return x / 2\n";
    let module = rushlight::compile(source).unwrap().module(None).unwrap();
    let written = |version| {
        let options = rushlight::SaveOptions {
            version,
            ..Default::default()
        };
        module.to_bytes(&options)
    };
    let load = |bytes: Vec<u8>| {
        rushlight::load_bytes(bytes.into(), rushlight::Context::silent().into()).unwrap()
    };
    assert_eq!(load(written(None).unwrap()).loaded().version, 4);
    assert_eq!(load(written(Some(10)).unwrap()).loaded().version, 10);
    let error = written(Some(3)).unwrap_err().to_string();
    assert!(error.contains("aten::div"), "{error}");
    assert!(written(Some(2)).is_err() && written(Some(11)).is_err());
}
