//! Compiles the cases in `tests/code` and compares the code that their functions print as with the reference's.

use rushlight::archive::code::function_code;
use std::path::Path;

/// The cases, by the names of their files.
const CASES: &[&str] = &["functions"];

#[test]
fn printed_code_is_the_references() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/code");
    for name in CASES {
        let source = std::fs::read_to_string(folder.join(format!("{name}.py"))).expect("a case");
        let expected =
            std::fs::read_to_string(folder.join(format!("{name}.out"))).expect("its code");
        let script = match rushlight::compile(&source) {
            Ok(script) => script,
            Err(error) => panic!("{name}: {error}"),
        };
        let printed: Vec<String> = script
            .functions()
            .iter()
            .map(|f| function_code(f.function()).expect("the function prints").0)
            .collect();
        let expected: Vec<&str> = expected.trim().split("\n\n").collect();
        assert_eq!(printed.len(), expected.len(), "{name}");
        let differing: Vec<String> = printed
            .iter()
            .zip(expected)
            .filter(|(ours, theirs)| ours.trim() != theirs.trim())
            .map(|(ours, theirs)| format!("{ours}\nwanted:\n{theirs}\n"))
            .collect();
        assert!(differing.is_empty(), "{name}\n{}", differing.join("\n"));
    }
}
