//! Files are told apart by their bytes.

mod support;

use rushlight_archive::bytes::Bytes;
use rushlight_archive::identify::{Container, FileKind, Saved, identify};
use rushlight_archive::zip::Writer;
use support::{assets, layout};

#[track_caller]
fn check(bytes: impl Into<Vec<u8>>, expected: FileKind) {
    let kind = identify(&Bytes::from(bytes.into()));
    assert_eq!(kind, expected);
    assert!(!kind.describe().is_empty());
    assert_eq!(kind.advice().is_empty(), kind.is_loadable(), "{kind:?}");
}

fn zip(prefix: &str, names: &[&str]) -> Vec<u8> {
    let mut writer = Writer::new(prefix);
    for name in names {
        writer.add_stored(name, b"N.").unwrap();
    }
    writer.finish()
}

#[test]
fn recorded_files_are_told_apart() {
    let saved = |container, content| FileKind::TorchSave { container, content };
    let object = || Saved::Object {
        class: "__main__.Scale".into(),
    };
    check(layout("attributes.pt"), FileKind::TorchScript);
    check(layout("extra.pt"), FileKind::TorchScript);
    check(
        layout("attributes.ptl"),
        FileKind::Mobile { has_code: true },
    );
    check(layout("exported.pt2"), FileKind::ExportedProgram);
    check(
        layout("state_dict.pt"),
        saved(Container::Zip, Saved::StateDict { tensors: 2 }),
    );
    check(
        layout("state_dict_stream.pt"),
        saved(Container::Stream, Saved::StateDict { tensors: 2 }),
    );
    check(layout("module.pt"), saved(Container::Zip, object()));
    check(
        layout("module_stream.pt"),
        saved(Container::Stream, object()),
    );
    check(layout("tensor.pt"), saved(Container::Zip, Saved::Tensor));
    let keys = vec!["\"epoch\"".to_string(), "\"model\"".to_string()];
    check(
        layout("checkpoint.pt"),
        saved(Container::Zip, Saved::Checkpoint { keys }),
    );
}

#[test]
fn published_archives_are_torchscript() {
    for (name, bytes) in assets() {
        let kind = identify(&bytes);
        let mobile = name.ends_with(".ptl");
        assert_eq!(
            kind,
            if mobile {
                FileKind::Mobile { has_code: true }
            } else {
                FileKind::TorchScript
            },
            "{name}"
        );
    }
}

#[test]
fn zip_files_are_told_apart_by_their_records() {
    check(
        zip("m", &["model.json", "tensors/0", "version"]),
        FileKind::TorchScriptJson,
    );
    check(
        zip("m", &["data.pkl", "bytecode.pkl", "version"]),
        FileKind::Mobile { has_code: false },
    );
    check(
        zip("m", &["data/aotinductor/model/x.so", "archive_format"]),
        FileKind::AotInductor,
    );
    check(
        zip("m", &["serialized_exported_program.json", "version"]),
        FileKind::ExportedProgram,
    );
    check(zip("m", &["models/model.json"]), FileKind::ExportedProgram);
    check(
        zip("p", &[".data/extern_modules", "x.py"]),
        FileKind::TorchPackage,
    );
    check(
        zip("", &["MAR-INF/MANIFEST.json", "model.pt"]),
        FileKind::TorchServe,
    );
    check(zip("", &["a.npy", "b.npy"]), FileKind::Npz);
    check(zip("", &["README"]), FileKind::OtherZip);
    let saved = FileKind::TorchSave {
        container: Container::Zip,
        content: Saved::Value("None"),
    };
    check(zip("m", &["data.pkl", "version"]), saved);
}

#[test]
fn damaged_zip_files_are_named() {
    let bytes = layout("attributes.pt");
    check(&bytes[..bytes.len() / 2], FileKind::TruncatedZip);
    check(&bytes[..4], FileKind::TruncatedZip);
    let kind = identify(&Bytes::from(zip("", &["../x"])));
    assert!(matches!(kind, FileKind::BadZip { .. }), "{kind:?}");
}

#[test]
fn texts_are_told_apart() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1234\n";
    check(pointer, FileKind::GitLfsPointer { size: Some(1234) });
    check(
        "<!DOCTYPE html>\n<html><body>Sign in</body></html>",
        FileKind::Html,
    );
    check("\n  <HTML><head></head>", FileKind::Html);
    check("<?xml version=\"1.0\"?><html xmlns=\"\">", FileKind::Html);
    check("{\"a\": 1}", FileKind::Json);
    check(
        "import torch\n\ndef f(x):\n    return x\n",
        FileKind::PythonSource,
    );
    check(
        "# a comment\n@torch.jit.script\ndef f(x):\n    return x\n",
        FileKind::PythonSource,
    );
    check("from me to you\n", FileKind::Text);
    check("Hello, wörld\n", FileKind::Text);
    check("ü".repeat(5000), FileKind::Text);
    check(Vec::new(), FileKind::Empty);
}

#[test]
fn binary_formats_are_told_apart() {
    let header = br#"{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#;
    let mut safetensors = (header.len() as u64).to_le_bytes().to_vec();
    safetensors.extend(header);
    safetensors.extend([0; 4]);
    check(safetensors, FileKind::Safetensors);
    // ir_version 8, producer "x", an empty graph.
    check(*b"\x08\x08\x12\x01x\x3a\x00", FileKind::Onnx);
    check(*b"\x93NUMPY\x01\0", FileKind::Npy);
    check(*b"\x1f\x8b\x08\0", FileKind::Compressed("gzip"));
    check(*b"GGUF\x03\0\0\0", FileKind::Gguf);
    check(*b"\x18\0\0\0PTMF", FileKind::MobileFlatbuffer);
    check(*b"\x18\0\0\0ET12", FileKind::ExecuTorch);
    check(
        *b"\x7fELF\x02",
        FileKind::Other("a compiled program or shared library"),
    );
    check([0, 1, 2, 3], FileKind::Unknown);
    check(tar(b"model.pt"), FileKind::Tar);
    let old = FileKind::TorchSave {
        container: Container::Tar,
        content: Saved::Value("unknown"),
    };
    check(tar(b"storages"), old);
}

/// A tar file of one empty member.
fn tar(name: &[u8]) -> Vec<u8> {
    let mut header = vec![0; 1024];
    header[..name.len()].copy_from_slice(name);
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|&b| u32::from(b)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    header
}

#[test]
fn plain_pickles_are_told_apart() {
    let pickle = |content| FileKind::Pickle { content };
    check(*b"\x80\x04K\x01.", pickle(Saved::Value("int")));
    check(
        *b"\x80\x02csklearn.tree\nTree\n)\x81.",
        pickle(Saved::Object {
            class: "sklearn.tree.Tree".into(),
        }),
    );
    let kind = identify(&Bytes::from(b"\x80\x02}q\x00(X".to_vec()));
    assert!(
        matches!(
            kind,
            FileKind::Pickle {
                content: Saved::Unreadable { .. }
            }
        ),
        "{kind:?}"
    );
}

#[test]
fn mutated_files_neither_panic_nor_hang() {
    let mut seeds: Vec<Vec<u8>> = support::LAYOUT.iter().map(|name| layout(name)).collect();
    seeds.extend([
        b"\x08\x08\x12\x01x\x3a\x00".to_vec(),
        tar(b"x"),
        b"<html>".to_vec(),
    ]);
    support::fuzz(&seeds, |data| {
        let kind = identify(&Bytes::from(data.to_vec()));
        kind.describe();
    });
}
