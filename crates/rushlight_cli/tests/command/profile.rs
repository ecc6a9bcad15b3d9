//! `rushlight profile` and `rushlight bench`: where the time goes, and how much it is.

use crate::folder::{Folder, done, run};
use serde_json::Value as Json;

const SOURCE: &str = "import torch
def inner(x: torch.Tensor) -> torch.Tensor:
    y = x
    for i in range(3):
        y = torch.mm(y, x)
    return y
def outer(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(inner(x))
";

#[test]
fn profiles_tell_operators_lines_and_calls() {
    let folder = Folder::new("profile");
    let target = format!("{}:outer", folder.write("steps.py", SOURCE));
    let svg = folder.at("flame.svg");
    let input = "torch.rand(64, 64)";
    let (status, told, errors) = run(&[
        "profile", &target, input, "--runs", "2", "--json", "--svg", &svg,
    ]);
    assert!(status == 0 && errors.contains("wrote "), "{errors}");
    let found: Json = serde_json::from_str(&told).unwrap();
    assert_eq!(found["runs"], 2);
    let calls = |list: &str, name: &str, key: &str| {
        let rows = found[list].as_array().unwrap().iter();
        let row = rows
            .clone()
            .find(|row| row[name].as_str().unwrap().ends_with(key));
        let row = row.unwrap_or_else(|| panic!("{key}: {told}"));
        (
            row["calls"].as_u64().unwrap(),
            row["text"].as_str().map(str::to_string),
        )
    };
    assert_eq!(calls("operators", "operator", "aten::mm").0, 6);
    let line = (6, Some("y = torch.mm(y, x)".to_string()));
    assert_eq!(calls("lines", "line", "steps.py:5"), line);
    assert_eq!(calls("lines", "line", "steps.py:8").0, 2);
    let total = found["seconds"].as_f64().unwrap();
    let rows = found["operators"].as_array().unwrap().iter();
    let seen: f64 = rows.map(|row| row["seconds"].as_f64().unwrap()).sum();
    assert!(seen > 0.0 && seen <= total, "{told}");
    let drawn = std::fs::read_to_string(&svg).unwrap();
    for part in [">outer at ", ">inner at ", "steps.py:5", "aten::mm: "] {
        assert!(
            drawn.contains(part.trim_start_matches('>')),
            "{part}: {drawn}"
        );
    }
    let table = done(&["profile", &target, input]);
    for part in [
        "self time",
        "aten::relu",
        "(between operators)",
        "steps.py:5",
    ] {
        assert!(table.contains(part), "{part}: {table}");
    }
    // What was measured once is not measured any more.
    done(&["run", &target, input]);
}

#[test]
fn benches_tell_times_of_as_many_runs_as_are_wanted() {
    let folder = Folder::new("bench");
    let target = format!("{}:outer", folder.write("steps.py", SOURCE));
    let input = "torch.rand(8, 8)";
    let told = done(&["bench", &target, input, "--runs", "7", "--json"]);
    let found: Json = serde_json::from_str(&told).unwrap();
    let times = &found["rushlight"];
    assert_eq!(times["runs"], 7);
    let at = |name: &str| times[name].as_f64().unwrap();
    assert!(at("least") > 0.0 && at("least") <= at("median") && at("median") <= at("p90"));
    assert_eq!(found["ratio"], Json::Null);
    assert!(found["allocations"].is_u64(), "{told}");
    let table = done(&["bench", &target, input, "--runs", "2"]);
    assert!(
        table.contains("median") && table.contains("rushlight "),
        "{table}"
    );
    let (status, _, errors) = run(&["bench", &target]);
    assert!(
        status == 1 && errors.contains("missing value for argument 'x'"),
        "{errors}"
    );
    let nobody = ["bench", &target, input, "--against", "/nowhere/python"];
    let (status, _, errors) = run(&nobody);
    assert!(
        status == 1 && errors.contains("cannot be started"),
        "{errors}"
    );
}
