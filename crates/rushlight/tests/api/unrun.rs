//! Files that are looked at and written again: none of their code runs, and the states of their objects stay.

use rushlight::archive::bytes::Bytes;
use rushlight::archive::identify::identify;
use rushlight::archive::zip::Writer;
use rushlight::types::AttributeKind;
use rushlight::{Context, LoadOptions, Module, Restore, SaveOptions, Value};
use std::path::{Path, PathBuf};

fn kept(bytes: Bytes) -> Result<Module, String> {
    let options = LoadOptions {
        restore: Restore::Keep,
        ..LoadOptions::default()
    };
    rushlight::load_with(bytes, Context::silent().into(), &options).map_err(|e| e.to_string())
}

fn archives(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            archives(&path, found);
        } else if Bytes::read(&path).is_ok_and(|bytes| identify(&bytes).is_loadable()) {
            found.push(path);
        }
    }
}

#[test]
fn what_is_saved_without_running_is_what_is_saved_after_running() {
    let mut found = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/archive");
    archives(&folder, &mut found);
    assert!(found.len() > 30, "{}", found.len());
    let mut with_states = 0;
    for path in found {
        let bytes = Bytes::read(&path).unwrap();
        let looked_at = kept(bytes.clone()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let states = looked_at.loaded().kept.as_ref().unwrap().by_address();
        with_states += usize::from(!states.is_empty());
        let ran = rushlight::load_bytes(bytes, Context::silent().into()).unwrap();
        let options = SaveOptions::default();
        let without = looked_at.to_bytes(&options).unwrap();
        let after = ran.to_bytes(&options).unwrap();
        assert!(without == after, "{}", path.display());
    }
    assert!(with_states > 3, "{with_states}");
}

const SET_STATE: &str = "class M(Module):
  __parameters__ = [\"weight\", ]
  __buffers__ = [\"table\", ]
  training : bool
  weight : Tensor
  table : Tensor
  count : int
  def __getstate__(self: __torch__.M) -> Tuple[Tensor, int]:
    while True:
      print(1)
    return (self.weight, self.count)
  def __setstate__(self: __torch__.M,
    state: Tuple[Tensor, int]) -> NoneType:
    self.weight = (state)[0]
    self.table = torch.add((state)[0], 1)
    self.count = (state)[1]
    while True:
      print(2)
    return None
  def forward(self: __torch__.M) -> Tensor:
    return self.weight
";

/// A module whose state is (tensor of two floats, 7).
fn endless() -> Bytes {
    let mut data = b"\x80\x02c__torch__\nM\n)\x81ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x02tQK\x00(K\x02t(K\x01t\x89ccollections\nOrderedDict\n)RtR".to_vec();
    data.extend(b"K\x07\x86b.");
    let mut zip = Writer::new("archive");
    zip.add_stored("data/0", &[0, 0, 128, 63, 0, 0, 0, 64])
        .unwrap();
    zip.add_stored("data.pkl", &data).unwrap();
    zip.add_code("code/__torch__.py", SET_STATE.as_bytes())
        .unwrap();
    zip.add_stored("constants.pkl", b"\x80\x02).").unwrap();
    zip.add_stored("version", b"3\n").unwrap();
    zip.finish().into()
}

#[test]
fn endless_code_of_a_file_does_not_run() {
    let module = kept(endless()).unwrap();
    let object = module.object();
    let weight = object.get("weight").unwrap();
    assert_eq!(weight.as_tensor().unwrap().to_vec::<f32>(), [1.0, 2.0]);
    assert_eq!(object.get("count").unwrap(), Value::Int(7));
    // What is computed is not known.
    assert!(matches!(object.get("table").unwrap(), Value::Uninitialized));
    let kinds = object.class().attributes();
    assert_eq!(kinds[1].kind, AttributeKind::Parameter);
    assert!(module.forward(&[]).is_err(), "nothing runs later either");
    let half = rushlight::Target {
        device: None,
        dtype: Some(rushlight::DType::F16),
    };
    assert!(!module.retarget(&half).is_empty());
    let again = kept(module.to_bytes(&SaveOptions::default()).unwrap().into()).unwrap();
    let weight = again.object().get("weight").unwrap();
    assert_eq!(weight.as_tensor().unwrap().dtype(), rushlight::DType::F16);
}
