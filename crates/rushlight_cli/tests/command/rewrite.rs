//! Archives written anew: stripped, optimized, with other weights.

use crate::folder::{Folder, done, run};
use std::path::Path;

fn digits() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/digits/digits.pt");
    path.to_str().unwrap().to_string()
}

fn recorded(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/archive");
    path.join(name).to_str().unwrap().to_string()
}

fn seven() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/digits/seven.png");
    format!("@{}", path.to_str().unwrap())
}

#[test]
fn stripping_loses_bytes_and_nothing_that_runs() {
    let folder = Folder::new("strip");
    let (digits, out) = (digits(), folder.at("out.pt"));
    let told = done(&["strip", &digits, "-o", &out]);
    assert!(told.contains(" bytes saved\n"), "{told}");
    let size = |path: &str| std::fs::metadata(path).unwrap().len();
    let saved = size(&digits) - size(&out);
    assert!(
        told.ends_with(&format!(", {saved} bytes saved\n")),
        "{told}"
    );
    assert_eq!(done(&["diff", &digits, &out]), "");
    let extra = recorded("extra_files.pt");
    let told = done(&["strip", &extra, "-o", &out]);
    assert!(
        told.contains("left out: config/settings.json, empty, labels.txt"),
        "{told}"
    );
    assert!(!done(&["strip", &extra, "-o", &out, "--keep-extra"]).contains("left out"));
    // What is stripped already stays as large as it is, in place too.
    done(&["strip", &out, "-o", &out]);
    assert!(done(&["strip", &out, "-o", &out]).contains(", 0 bytes saved"));
    let (status, _, errors) = run(&["strip", &folder.at("none.pt"), "-o", &out]);
    assert!(status == 1 && errors.contains("none.pt: "), "{errors}");
}

#[test]
fn optimizing_keeps_results_and_tells_of_what_it_leaves_out() {
    let folder = Folder::new("optimize");
    let (digits, seven, out) = (digits(), seven(), folder.at("out.pt"));
    let told = done(&[
        "optimize", &digits, &seven, "-o", &out, "--keep", "classify",
    ]);
    assert!(
        told.contains("the results agree")
            && told.contains("methods left out: scores, ink, prepare"),
        "{told}"
    );
    assert_eq!(
        done(&["run", &out, "--method", "classify", &seven]),
        "seven\n"
    );
    let graph = done(&["graph", &out]);
    assert!(
        !graph.contains("batch_norm") && !graph.contains("GetAttr"),
        "{graph}"
    );
    let recorded = folder.at("run.npz");
    done(&["record", &digits, &seven, "-o", &recorded]);
    done(&["verify", &out, &recorded, "--rtol", "1e-4"]);
    // To the last digit: nothing may be folded that changes one.
    let exact = folder.at("exact.pt");
    done(&["optimize", &digits, &seven, "-o", &exact, "--exact"]);
    assert_eq!(
        done(&["verify", &exact, &recorded, "--rtol", "0", "--atol", "0"])
            .matches("same")
            .count(),
        1
    );
    let never = folder.at("never.pt");
    let (status, _, errors) = run(&[
        "optimize", &digits, &seven, "-o", &never, "--rtol", "0", "--atol", "0",
    ]);
    assert!(
        status == 1 && errors.starts_with("nothing was written: the results differ"),
        "{errors}"
    );
    assert!(!Path::new(&never).exists());
    let (status, _, errors) = run(&["optimize", &digits, "-o", &never, "--keep", "nothing"]);
    assert!(status == 1 && errors.contains("nothing"), "{errors}");
}

#[test]
fn checking_an_optimized_module_does_not_change_it() {
    let folder = Folder::new("optimize_state");
    let (model, plain, checked) = (recorded("memory.pt"), folder.at("p.pt"), folder.at("q.pt"));
    done(&["optimize", &model, "-o", &plain]);
    done(&["optimize", &model, "torch.ones(2)", "'a'", "-o", &checked]);
    assert_eq!(done(&["diff", &plain, &checked]), "");
    let none = folder.archive(
        "none.pt",
        "def one(x: int) -> int:\n    return x\ndef two(x: int) -> int:\n    return x\n",
    );
    let (status, _, errors) = run(&["optimize", &none, "-o", &plain]);
    assert!(
        status == 1
            && errors
                .contains("has no method forward; say with --keep which to keep, of: one, two"),
        "{errors}"
    );
    done(&["optimize", &none, "-o", &plain, "--keep", "two"]);
}

#[test]
fn weights_go_out_and_back_and_must_fit() {
    let folder = Folder::new("weights");
    let (digits, weights, back) = (digits(), folder.at("w.safetensors"), folder.at("back.pt"));
    done(&["convert", &digits, "-o", &weights]);
    let told = done(&["convert", &digits, "--weights", &weights, "-o", &back]);
    assert!(told.contains("20 tensors from "), "{told}");
    assert_eq!(done(&["diff", &digits, &back]), "");
    let halves = folder.at("h.safetensors");
    done(&["convert", &digits, "-o", &halves, "--dtype", "float16"]);
    let (status, _, errors) = run(&["convert", &digits, "--weights", &halves, "-o", &back]);
    assert_eq!(status, 1);
    assert!(
        errors.contains(
            "\n  features.0.bias is float32 [12] in the model and float16 [12] in the file\n"
        ),
        "{errors}"
    );
    assert!(errors.contains("--dtype"), "{errors}");
    done(&[
        "convert",
        &digits,
        "--weights",
        &halves,
        "-o",
        &back,
        "--dtype",
        "float16",
    ]);
    let other = recorded("submodules.pt");
    let (status, _, errors) = run(&["convert", &other, "--weights", &weights, "-o", &back]);
    assert!(
        status == 1 && errors.contains(" is missing in the file\n"),
        "{errors}"
    );
    assert!(
        errors.contains("features.0.weight is in the file, but not in the model")
            || errors.contains("more"),
        "{errors}"
    );
    let (status, _, errors) = run(&["convert", &digits, "--weights", &digits, "-o", &back]);
    assert!(
        status == 1 && errors.contains("digits.pt: no safetensors file"),
        "{errors}"
    );
    // Views of one memory stay views.
    let shared = recorded("shared_storage.pt");
    done(&["convert", &shared, "-o", &weights]);
    done(&["convert", &shared, "--weights", &weights, "-o", &back]);
    assert_eq!(done(&["diff", &shared, &back]), "");
    for file in [&shared, &back] {
        let written = done(&["run", file, "--method", "write", "3.5"]);
        assert_eq!(written, done(&["run", &shared, "--method", "write", "3.5"]));
    }
}

#[test]
fn several_precisions_are_told_of() {
    let folder = Folder::new("mixed");
    let (model, weights, out) = (
        recorded("attributes.pt"),
        folder.at("w.safetensors"),
        folder.at("o.pt"),
    );
    done(&["convert", &model, "-o", &weights]);
    let (status, _, errors) = run(&["convert", &model, "--weights", &weights, "-o", &out]);
    assert!(
        status == 0
            && errors.starts_with("warning: the tensors are of several floating point dtypes"),
        "{errors}"
    );
    assert!(errors.contains("  1 float64: as_float64\n"), "{errors}");
    let (status, _, errors) = run(&["convert", &model, "--dtype", "float32", "-o", &out]);
    assert_eq!((status, errors.as_str()), (0, ""));
}

#[test]
fn an_onnx_model_is_written_from_one_run() {
    let folder = Folder::new("onnx");
    let source = "import torch\ndef scores(x: torch.Tensor):\n    return (2 * x).softmax(-1)\n";
    let source = format!("{}:scores", folder.write("scores.py", source));
    let (model, out) = (folder.at("scores.pt"), folder.at("out.onnx"));
    done(&["compile", &source, "-o", &model]);
    let told = done(&[
        "convert",
        &model,
        "-torch.ones(1, 28)",
        "--dynamic",
        "x:0=batch",
        "-o",
        &out,
        "--opset",
        "17",
    ]);
    assert!(told.ends_with(" bytes\n"), "{told}");
    let (status, told, _) = run(&["inspect", &out]);
    assert!(status == 1 && told.contains("an ONNX model"), "{told}");
    for (words, wanted) in [
        (vec!["-o", &out], "give example inputs"),
        (
            vec!["torch.ones(1, 28, 28)", "-o", &out, "--opset", "3"],
            "--opset is one of 11 to 20",
        ),
        (
            vec!["torch.ones(1, 28, 28)", "-o", &out, "--dynamic", "image"],
            "--dynamic image",
        ),
        (vec!["3", "-o", &folder.at("out.pt")], "for ONNX models"),
    ] {
        let (status, _, told) = run(&[vec!["convert", &model], words].concat());
        assert!(status == 1 && told.contains(wanted), "{told}");
    }
}
