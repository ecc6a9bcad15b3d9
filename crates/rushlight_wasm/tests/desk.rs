//! Requests to a desk and its answers, without a browser.

use rushlight_wasm::Desk;
use serde_json::{Value as Json, json};
use std::path::Path;

fn ask(desk: &mut Desk, request: Json, given: &[&[u8]]) -> (Json, Vec<Vec<u8>>) {
    let mut parts = vec![request.to_string().into_bytes()];
    parts.extend(given.iter().map(|part| part.to_vec()));
    let mut answers = desk.ask(parts);
    let json = serde_json::from_slice(&answers.remove(0)).unwrap();
    (json, answers)
}

fn digits() -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/digits");
    std::fs::read(folder.join("digits.pt")).unwrap()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let numbers = bytes.chunks_exact(4);
    numbers
        .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

#[test]
fn an_archive_is_told_of_and_run() {
    let mut desk = Desk::new(|_| ());
    let open = json!({"do": "open", "name": "digits.pt"});
    let (told, _) = ask(&mut desk, open, &[&digits()]);
    assert_eq!(told["kind"], "a TorchScript archive");
    assert_eq!(told["classes"][7], "seven");
    let forward = &told["methods"][0];
    assert_eq!(forward["name"], "forward");
    assert_eq!(forward["arguments"].as_array().unwrap().len(), 1);
    let picture: Vec<u8> = (0..784u32)
        .flat_map(|i| (i as f32 / 784.0).to_le_bytes())
        .collect();
    let given = json!([{"name": forward["arguments"][0]["name"], "shape": [1, 28, 28], "part": 0}]);
    let run = json!({"do": "run", "method": "forward", "arguments": given});
    let (result, parts) = ask(&mut desk, run, &[&picture]);
    assert_eq!(result["tensors"][0]["shape"], json!([10]), "{result}");
    let sum: f32 = floats(&parts[0]).iter().sum();
    assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    let (code, _) = ask(&mut desk, json!({"do": "code"}), &[]);
    assert!(
        code["files"][0]["text"]
            .as_str()
            .unwrap()
            .contains("def forward")
    );
    for form in ["html", "svg", "words"] {
        let graph = json!({"do": "graph", "method": "forward", "form": form});
        let (graph, _) = ask(&mut desk, graph, &[]);
        assert!(graph["text"].as_str().unwrap().len() > 500, "{graph}");
    }
}

#[test]
fn source_is_checked_run_and_saved() {
    let mut desk = Desk::new(|_| ());
    let wrong = json!({"do": "check", "source": "def f(x: int):\n    return x + y\n"});
    let (told, _) = ask(&mut desk, wrong, &[]);
    assert_eq!(told["problems"][0]["place"]["line"], 2);
    let source = "def f(x: int, by: int = 2) -> int:\n    return x * by\n";
    let (told, _) = ask(&mut desk, json!({"do": "check", "source": source}), &[]);
    assert_eq!(told["functions"][0]["arguments"][1]["default"], "2");
    let given = json!([{"name": "x", "text": "20 + 1"}]);
    let run = json!({"do": "run", "source": source, "function": "f", "arguments": given});
    assert_eq!(ask(&mut desk, run, &[]).0["text"], "42");
    let (saved, parts) = ask(&mut desk, json!({"do": "compile", "source": source}), &[]);
    assert_eq!(saved["part"], 0);
    let (told, _) = ask(
        &mut desk,
        json!({"do": "open", "name": "f.pt"}),
        &[&parts[0]],
    );
    assert_eq!(told["methods"][0]["name"], "forward");
}

#[test]
fn what_goes_wrong_is_an_answer() {
    let mut desk = Desk::new(|_| ());
    let error = |desk: &mut Desk, request: Json, given: &[&[u8]]| {
        ask(desk, request, given).0["error"]
            .as_str()
            .unwrap_or_default()
            .to_string()
    };
    assert!(error(&mut desk, json!({"do": "dance"}), &[]).contains("'dance'"));
    assert!(error(&mut desk, json!({"do": "code"}), &[]).contains("no archive"));
    assert!(error(&mut desk, json!(3), &[]).contains("nobody knows"));
    let (told, _) = ask(
        &mut desk,
        json!({"do": "open", "name": "a.txt"}),
        &[b"words"],
    );
    assert_eq!(told["loadable"], false);
    let source = "def f(x: int) -> int:\n    return 1 // x\n";
    let given = json!([{"name": "x", "text": "0"}]);
    let run = json!({"do": "run", "source": source, "function": "f", "arguments": given});
    let (told, _) = ask(&mut desk, run, &[]);
    assert!(
        told["error"].as_str().unwrap().contains("division"),
        "{told}"
    );
    assert_eq!(told["frames"][0]["at"]["line"], 2);
    let shape = json!([{"name": "x", "shape": [3], "part": 0}]);
    let run = json!({"do": "run", "source": source, "function": "f", "arguments": shape});
    assert!(!error(&mut desk, run, &[&[0; 8]]).is_empty());
    assert!(desk.ask(Vec::new())[0].starts_with(b"{\"error\""));
}
