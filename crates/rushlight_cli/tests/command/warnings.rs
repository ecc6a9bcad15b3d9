//! What scripts warn of is said on stderr, with its place.

const SOURCE: &str = "import torch
import warnings
def forward(x: int) -> int:
    for i in range(x):
        warnings.warn('again')
    warnings.warn('last ' + str(x))
    return x
";

#[test]
fn warnings_are_lines_with_a_place() {
    let folder = std::env::temp_dir().join(format!("rushlight_warnings_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("loud.py");
    std::fs::write(&file, SOURCE).unwrap();
    let path = file.to_str().unwrap();
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let arguments = ["rushlight", "run", path, "3"].map(Into::into);
    let status = rushlight_cli::run_command(arguments, &mut out, &mut errors, None);
    std::fs::remove_dir_all(&folder).unwrap();
    let errors = String::from_utf8(errors).unwrap();
    assert_eq!(status, 0, "{errors}");
    assert_eq!(String::from_utf8(out).unwrap(), "3\n");
    // Once for each place and run.
    let expected = format!("{path}:5: UserWarning: again\n{path}:6: UserWarning: last 3\n");
    assert_eq!(errors, expected);
}
