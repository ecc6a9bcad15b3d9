//! Every schema of the reference reads into the typed form and prints back to the letter.

use rushlight_types::Schema;
use std::path::Path;

fn check(line: &str) -> Option<String> {
    match Schema::parse(line) {
        Ok(schema) if schema.to_string() == line => None,
        Ok(schema) => Some(format!("{line}\n  printed as {schema}")),
        Err(error) => Some(format!("{line}\n  {error}")),
    }
}

#[test]
fn schemas_of_the_corpus_print_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/ops");
    let mut bad = Vec::new();
    for file in ["schemas.txt", "schemas_other.txt"] {
        let Ok(text) = std::fs::read_to_string(folder.join(file)) else {
            return;
        };
        bad.extend(
            text.lines()
                .filter(|l| !l.trim().is_empty())
                .filter_map(check),
        );
    }
    assert!(
        bad.is_empty(),
        "{} schemas differ:\n{}",
        bad.len(),
        bad.join("\n")
    );
}

#[test]
fn representative_schemas_print_back() {
    let lines = [
        "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
        "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
        "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
        "aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)",
        "aten::format(str self, ...) -> str",
        "prim::ListUnpack(...) -> ...",
        "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
        "aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
    ];
    let bad: Vec<String> = lines.iter().filter_map(|l| check(l)).collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}
