//! What `rushlight inspect` says of archives that are made for one place, one precision or one batch.

use crate::folder::told as run;
use std::path::Path;

const SOURCE: &str = "import torch
def forward(x: torch.Tensor):
    y = x.to(torch.float16) + torch.zeros([4], device='cuda:0')
    return y.view([2, 2]), x.view([-1, 2]), x.view([4])
";

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn what_the_code_has_fixed_is_listed_and_can_be_changed() {
    let folder = std::env::temp_dir().join(format!("rushlight_inspect_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (made, changed) = (folder.join("made.pt"), folder.join("changed.pt"));
    let module = rushlight::compile(SOURCE).unwrap().module(None).unwrap();
    module.save(&made).unwrap();
    let (status, told) = run(&["inspect", text(&made)]);
    assert_eq!(status, 0, "{told}");
    for part in [
        "device cuda:0",
        "float16",
        "aten::view has 2 as its first size",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(told.contains("code/__torch__.py:"), "{told}");
    assert!(
        !told.contains("has 4 as"),
        "a single size is no batch: {told}"
    );
    let conversion = [
        "convert",
        text(&made),
        "-o",
        text(&changed),
        "--device",
        "cpu",
    ];
    assert_eq!(run(&conversion).0, 0);
    assert!(!run(&["inspect", text(&changed)]).1.contains("cuda"));
    let older = [&conversion[..], &["--target", "2"]].concat();
    assert_eq!(run(&older).0, 1);
    let (status, told) = run(&[
        "run",
        "--device",
        "cpu",
        "--dtype",
        "float32",
        text(&made),
        "torch.ones([4])",
    ]);
    assert_eq!(status, 0, "{told}");
    assert!(told.contains("device cuda:0 became cpu"), "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

fn recorded(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/archive");
    text(&path.join(name)).to_string()
}

#[test]
fn what_the_first_layer_takes_is_said_of_the_inputs() {
    let (_, told) = run(&["inspect", &recorded("recurrent.pt")]);
    let expected = "Inputs of forward
  tokens: int64 (...) of indices below 10, for embedding
  state: Optional[Tensor]
";
    assert!(told.contains(expected), "{told}");
    let (_, told) = run(&["inspect", &recorded("traced_module.pt")]);
    assert!(
        told.contains("  x: float32 (batch, 3, height, width), for conv\n"),
        "{told}"
    );
    let (_, told) = run(&["inspect", &recorded("control_flow.pt")]);
    assert!(!told.contains("Inputs of forward"), "{told}");
}

#[test]
fn programs_read_json() {
    let (status, told) = run(&["inspect", &recorded("recurrent.pt"), "--json"]);
    let found: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(
        (status, found["inputs"][0]["shape"].as_str()),
        (0, Some("(...) of indices below 10"))
    );
    assert_eq!(found["modules"][0]["path"], "");
    assert!(
        found["operators"]["aten::embedding"].as_u64() > Some(0),
        "{told}"
    );
    assert_eq!(found["missing"].as_array().map(Vec::len), Some(0));
    let other = recorded("make.py");
    let (status, told) = run(&["inspect", &other, "--json"]);
    let line = told.lines().next().unwrap();
    let found: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!((status, found["file"].as_str()), (1, Some(other.as_str())));
}

#[test]
fn inlined_graphs_have_no_calls_of_methods() {
    let model = recorded("submodules.pt");
    let (_, told) = run(&["graph", &model]);
    assert!(told.contains("prim::CallMethod"), "{told}");
    let (status, told) = run(&["graph", &model, "--inlined"]);
    assert!(status == 0 && !told.contains("prim::CallMethod"), "{told}");
}
