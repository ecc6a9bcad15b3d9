//! `rushlight diff`: what two files differ in, for people, for programs, and as an exit status.

use crate::folder::{Folder, done, run};
use std::path::Path;

fn recorded(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/archive");
    path.join(name).to_str().unwrap().to_string()
}

#[test]
fn every_archive_is_like_itself() {
    let folder = std::fs::read_dir(recorded("")).unwrap();
    let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    for name in names.filter(|name| name.ends_with(".pt")) {
        let path = recorded(&name);
        assert_eq!(done(&["diff", &path, &path]), "", "{name}");
    }
}

#[test]
fn code_is_shown_as_a_unified_diff_in_colours() {
    let folder = Folder::new("diff_code");
    let source = "import torch
def f(x: torch.Tensor):
    y = x + 1
    return y.relu()
";
    let (old, new) = (
        folder.write("a.py", source),
        source.replace("relu", "sigmoid"),
    );
    let new = folder.write("b.py", new + "def g(x: int):\n    return x\n");
    let (status, text, _) = run(&["diff", &old, &new, "--color", "never"]);
    let expected = format!(
        "--- {old}: f
+++ {new}: f
@@ -1,3 +1,3 @@
 def f(x: Tensor) -> Tensor:
   y = torch.add(x, 1)
-  return torch.relu(y)
+  return torch.sigmoid(y)

--- (nothing)
+++ {new}: g
@@ -0,0 +1,2 @@
+def g(x: int) -> int:
+  return x

Operators
  aten::relu     x1 -> x0  lost
  aten::sigmoid  x0 -> x1  gained

"
    );
    assert_eq!((status, text), (1, expected));
    let (_, text, _) = run(&["diff", &old, &new, "--color", "always", "--only", "code"]);
    assert!(
        text.contains("\x1b[31m-  return torch.relu(y)\x1b[0m\n\x1b[32m+"),
        "{text}"
    );
    assert!(!text.contains("Operators"), "{text}");
    let function = |file: &str| format!("{file}:f");
    assert_eq!(run(&["diff", &function(&old), &function(&old)]).0, 0);
    assert_eq!(run(&["diff", &old, &folder.at("none.py")]).0, 2);
}

#[test]
fn attributes_and_weights_are_compared_by_path() {
    let model = recorded("submodules.pt");
    let folder = Folder::new("diff_weights");
    let half = folder.at("half.pt");
    done(&["convert", &model, "-o", &half, "--dtype", "float16"]);
    let (status, text, _) = run(&["diff", &model, &half, "--json"]);
    assert_eq!(status, 1);
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["same"], false);
    let changed = found["attributes"].as_array().unwrap();
    assert!(!changed.is_empty());
    for attribute in changed {
        let (old, new) = (attribute["old"].as_str(), attribute["new"].as_str());
        assert_eq!(
            old.map(|text| text.replace("float32", "float16"))
                .as_deref(),
            new
        );
    }
    // There and back again: half the digits are gone, and nothing else.
    let back = folder.at("back.pt");
    done(&["convert", &half, "-o", &back, "--dtype", "float32"]);
    let (status, text, _) = run(&["diff", &model, &back, "--json"]);
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    let weights = found["weights"].as_array().unwrap();
    assert_eq!(
        (status, found["attributes"].as_array().unwrap().len()),
        (1, 0),
        "{text}"
    );
    let sizes: Vec<f64> = weights
        .iter()
        .map(|w| w["max_abs"].as_f64().unwrap())
        .collect();
    assert!(
        sizes[0] < 1e-2 && sizes.is_sorted_by(|a, b| a >= b),
        "{sizes:?}"
    );
    assert_eq!(run(&["diff", &model, &back, "--atol", "0.01"]).0, 0);
    let (_, text, _) = run(&["diff", &model, &back, "--most", "1"]);
    assert!(
        text.starts_with("Weights\n  name") && text.contains("more (--most 0 shows all)"),
        "{text}"
    );
}

#[test]
fn extra_files_count() {
    let folder = Folder::new("diff_extra");
    let (model, bare) = (recorded("extra_files.pt"), folder.at("bare.pt"));
    done(&["strip", &model, "-o", &bare]);
    let (status, text, _) = run(&["diff", &model, &bare, "--color", "never"]);
    assert_eq!(status, 1);
    assert!(
        text.contains("- extra/labels.txt: extra file str = "),
        "{text}"
    );
    assert!(!text.contains("\n+ "), "{text}");
}
