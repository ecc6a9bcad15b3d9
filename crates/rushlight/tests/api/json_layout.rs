//! Archives in the layout of PyTorch 1.0 to 1.2 that are damaged or made to do harm: each gets an error.

use crate::support::{chance, damage, records};
use rushlight::archive::zip::Writer;
use rushlight::{Context, Module};

const CODE: &str = "op_version_set = 1\ndef forward(self,\n    x: Tensor) -> Tensor:\n  return torch.add(x, self.w, alpha=1)\n";

const TENSOR: &str =
    r#"{"dims": ["2"], "strides": ["1"], "dataType": "FLOAT", "data": {"key": "tensors/0"}}"#;

fn description(module: &str, tensors: &str) -> String {
    let module = format!(r#"{{"name": "m", "torchscriptArena": {{"key": "code/m.py"}}{module}}}"#);
    format!(r#"{{"protoVersion": "5", "mainModule": {module}, "tensors": [{tensors}]}}"#)
}

fn load(description: &str, attributes: Option<&[u8]>) -> Result<Module, String> {
    let mut zip = Writer::new("m");
    zip.add_stored("version", b"1\n").unwrap();
    zip.add_stored("model.json", description.as_bytes())
        .unwrap();
    zip.add_stored("code/m.py", CODE.as_bytes()).unwrap();
    zip.add_stored("tensors/0", &[0; 8]).unwrap();
    if let Some(pickle) = attributes {
        zip.add_stored("attributes.pkl", pickle).unwrap();
    }
    let context = Context::silent();
    rushlight::load_bytes(zip.finish().into(), context.into()).map_err(|e| e.to_string())
}

const W: &str = r#", "parameters": [{"name": "w", "tensorId": "0"}]"#;

#[test]
fn a_whole_archive_loads() {
    let module = load(&description(W, TENSOR), None).unwrap();
    assert!(module.method("forward").is_ok());
}

#[test]
fn tensors_stay_in_their_records() {
    for change in [
        ("[\"2\"]", "[\"3\"]"),
        ("[\"1\"]", "[\"2\"]"),
        ("[\"2\"]", "[\"4611686018427387904\"]"),
        ("[\"2\"]", "[\"2\", \"2\"]"),
        ("tensors/0", "../tensors/0"),
        ("FLOAT", "STRING"),
        ("\"dims\"", "\"offset\": \"1\", \"dims\""),
        ("\"dims\"", "\"offset\": \"-1\", \"dims\""),
    ] {
        let changed = TENSOR.replacen(change.0, change.1, 1);
        assert!(load(&description(W, &changed), None).is_err(), "{changed}");
    }
}

#[test]
fn numbers_that_name_nothing_are_refused() {
    let attribute = |ty: &str, id: &str| {
        let attribute = format!(r#"{{"name": "a", "type": "{ty}", "id": "{id}"}}"#);
        description(&format!("{W}, \"attributes\": [{attribute}]"), TENSOR)
    };
    let pickle = b"\x80\x02(K\xfbt.";
    assert!(load(&attribute("int", "0"), Some(pickle)).is_ok());
    assert!(load(&attribute("Optional[int]", "-1"), None).is_ok());
    for (text, pickle) in [
        (attribute("int", "0"), None),
        (attribute("int", "1"), Some(&pickle[..])),
        (attribute("str", "0"), Some(&pickle[..])),
        (attribute("NoSuchType", "0"), Some(&pickle[..])),
        (
            attribute("Tensor", "0"),
            Some(b"\x80\x02(ctorch.jit._pickle\nbuild_tensor_from_id\n(K\x07tRt."),
        ),
        (description(&W.replace("\"0\"", "\"1\""), TENSOR), None),
        (
            description(
                &format!("{W}{}", W.replace("parameters", "attributes")),
                TENSOR,
            ),
            None,
        ),
        (description("", TENSOR), None),
        (
            description(W, TENSOR).replace("code/m.py", "code/n.py"),
            None,
        ),
        ("{\"mainModule\":".repeat(5000), None),
    ] {
        assert!(load(&text, pickle).is_err(), "{text}");
    }
}

#[test]
fn changed_bytes_do_no_harm() {
    let mut next = chance(7);
    for name in [
        "attributes_1.2.pt",
        "nested_1.1.pt",
        "tensors_1.0.pt",
        "classes_1.2.pt",
    ] {
        let records = records(&format!("legacy/{name}"));
        for _ in 0..150 {
            let mut changed = records.clone();
            let record = next() % changed.len();
            damage(&mut changed[record].1, &mut next);
            if let Ok(module) = crate::support::load(&changed) {
                for method in ["scalars", "kinds", "weights"] {
                    let _ = module.call(method, &[]);
                }
                let _ = module.call("count", &[3i64.into()]);
            }
        }
    }
}
