//! Which crate may depend on which: the one place where the arrows are written down.
//!
//! A crate may use the crates in its row and whatever those may use. The operators and what they are made of are the
//! exception: only a crate that names them itself may use them, so that nobody between them and the façade does. Tests may.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Tree;
use crate::workspace::cargo;

const OPERATORS: &str = "rushlight_ops";
const LINEAR_ALGEBRA: &str = "rushlight_linalg";
const LAYERS: &str = "rushlight_nn";
const LANGUAGE: &str = "rushlight_lang";
const KERNELS: &str = "rushlight_kernels";
const QUANTIZED: &str = "rushlight_quantized";

/// Crates that only those may use that name them.
const NAMED_ONLY: &[&str] = &[
    LAYERS,
    LINEAR_ALGEBRA,
    OPERATORS,
    LANGUAGE,
    QUANTIZED,
    KERNELS,
];

const ARROWS: &[(&str, &[&str])] = &[
    ("rushlight_syntax", &[]),
    ("rushlight_tensor", &[]),
    ("rushlight_types", &["rushlight_syntax", "rushlight_tensor"]),
    ("rushlight_ir", &["rushlight_types"]),
    (KERNELS, &["rushlight_tensor"]),
    (QUANTIZED, &[KERNELS, "rushlight_tensor"]),
    (LANGUAGE, &["rushlight_types", "rushlight_tensor"]),
    (
        OPERATORS,
        &[
            QUANTIZED,
            KERNELS,
            LANGUAGE,
            "rushlight_types",
            "rushlight_tensor",
        ],
    ),
    (
        LINEAR_ALGEBRA,
        &[OPERATORS, KERNELS, "rushlight_types", "rushlight_tensor"],
    ),
    (
        LAYERS,
        &[
            LINEAR_ALGEBRA,
            OPERATORS,
            QUANTIZED,
            KERNELS,
            LANGUAGE,
            "rushlight_types",
            "rushlight_tensor",
        ],
    ),
    ("rushlight_frontend", &["rushlight_ir"]),
    ("rushlight_runtime", &["rushlight_ir"]),
    // Its tests compile source.
    (
        "rushlight_jit",
        &["rushlight_frontend", "rushlight_runtime", "rushlight_types"],
    ),
    (
        "rushlight_archive",
        &["rushlight_frontend", "rushlight_ir", "rushlight_tensor"],
    ),
    (
        "rushlight_autograd",
        &[
            "rushlight_frontend",
            "rushlight_runtime",
            "rushlight_tensor",
        ],
    ),
    ("rushlight_rpc", &["rushlight_runtime", "rushlight_tensor"]),
    ("rushlight_onnx", &["rushlight_ir", "rushlight_tensor"]),
    (
        "rushlight",
        &[
            "rushlight_archive",
            "rushlight_autograd",
            "rushlight_jit",
            "rushlight_rpc",
            LAYERS,
            // For builds without operators on tensors.
            LANGUAGE,
        ],
    ),
    ("rushlight_lsp", &["rushlight"]),
    ("rushlight_c", &["rushlight"]),
    ("rushlight_view", &["rushlight"]),
    ("rushlight_wasm", &["rushlight", "rushlight_view"]),
    (
        "rushlight_cli",
        &[
            "rushlight",
            "rushlight_lsp",
            "rushlight_onnx",
            "rushlight_view",
        ],
    ),
    (
        "rushlight_py",
        &["rushlight", "rushlight_cli", "rushlight_onnx"],
    ),
    ("rushlight_filetests", &["rushlight"]),
    ("rushlight_fuzz", &["rushlight", "rushlight_filetests"]),
    ("xtask", &[]),
];

/// Compares the arrows of the workspace with the table.
pub fn check(_tree: &Tree) -> Result<Vec<String>, String> {
    let metadata = metadata()?;
    let packages = metadata["packages"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let ours: BTreeSet<&str> = packages
        .iter()
        .filter_map(|package| package["name"].as_str())
        .collect();
    let mut complaints = Vec::new();
    for name in &ours {
        if row(name).is_none() {
            complaints.push(format!("{name} has no row in the table of allowed arrows"));
        }
    }
    for package in packages {
        let from = package["name"].as_str().unwrap_or_default();
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let to = dependency["name"].as_str().unwrap_or_default();
            let in_tests = dependency["kind"] == "dev";
            if ours.contains(to) && !allowed(from, to, in_tests) {
                complaints.push(format!("{from} may not depend on {to}"));
            }
        }
    }
    Ok(complaints)
}

fn metadata() -> Result<Value, String> {
    let output = cargo()
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

fn row(name: &str) -> Option<&'static [&'static str]> {
    ARROWS
        .iter()
        .find(|(from, _)| *from == name)
        .map(|(_, to)| *to)
}

fn allowed(from: &str, to: &str, in_tests: bool) -> bool {
    if NAMED_ONLY.contains(&to) {
        return in_tests || row(from).unwrap_or_default().contains(&to);
    }
    reaches(from, to)
}

fn reaches(from: &str, to: &str) -> bool {
    row(from)
        .unwrap_or_default()
        .iter()
        .any(|next| *next == to || reaches(next, to))
}

#[cfg(test)]
mod tests {
    use super::allowed;

    #[test]
    fn only_the_facade_uses_the_operators() {
        assert!(allowed("rushlight", "rushlight_nn", false));
        assert!(!allowed("rushlight_cli", "rushlight_nn", false));
        assert!(!allowed("rushlight_cli", "rushlight_ops", false));
        assert!(!allowed("rushlight_runtime", "rushlight_ops", false));
        assert!(allowed("rushlight_runtime", "rushlight_ops", true));
    }

    #[test]
    fn only_the_operators_use_kernels() {
        assert!(allowed("rushlight_ops", "rushlight_kernels", false));
        assert!(allowed("rushlight_nn", "rushlight_kernels", false));
        assert!(!allowed("rushlight_ops", "rushlight_nn", false));
        assert!(!allowed("rushlight", "rushlight_kernels", false));
        assert!(!allowed("rushlight_lang", "rushlight_kernels", false));
        assert!(!allowed("rushlight_kernels", "rushlight_types", false));
    }

    #[test]
    fn arrows_point_down() {
        assert!(allowed("rushlight_archive", "rushlight_syntax", false));
        assert!(!allowed("rushlight_types", "rushlight_ir", false));
        assert!(!allowed("rushlight_frontend", "rushlight_runtime", true));
    }
}
