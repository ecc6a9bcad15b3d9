//! The core crates for `wasm32-unknown-unknown`: a target without files, sockets, threads and clocks keeps
//! side effects at the edge.
//!
//! The check needs the target's standard library (`rustup target add wasm32-unknown-unknown`), or the
//! toolchain's own library source (`rustup component add rust-src`) to build it from. Where there is neither,
//! the step is skipped and says so; `tidy` still refuses the standard library's side effects in these crates
//! by name, see [`crate::tidy::effects`].

use std::path::PathBuf;
use std::process::Command;

use super::Outcome;
use crate::workspace::{cargo, root};

const TARGET: &str = "wasm32-unknown-unknown";

/// The crates that must build without an operating system.
pub const CORE: &[&str] = &[
    "rushlight_syntax",
    "rushlight_tensor",
    "rushlight_types",
    "rushlight_ir",
    "rushlight_ops",
    "rushlight_frontend",
    "rushlight_runtime",
];

pub fn step() -> Outcome {
    let mut command = cargo();
    command.args(["check", "--quiet", "--target", TARGET]);
    match library() {
        Library::Installed => {}
        Library::Source => {
            // Building the standard library is behind an unstable flag; the crates themselves stay on stable.
            command
                .arg("-Zbuild-std=std,panic_abort")
                .env("RUSTC_BOOTSTRAP", "1");
        }
        Library::Missing => {
            return Outcome::skipped(format!(
                "no standard library for {TARGET}; tidy checks effects by name"
            ));
        }
    }
    for name in CORE {
        command.args(["--package", name]);
    }
    Outcome::of_command(&mut command)
}

enum Library {
    Installed,
    Source,
    Missing,
}

fn library() -> Library {
    let Some(rustlib) = sysroot().map(|sysroot| sysroot.join("lib/rustlib")) else {
        return Library::Missing;
    };
    if rustlib.join(TARGET).join("lib").is_dir() {
        Library::Installed
    } else if rustlib.join("src/rust/library/std/Cargo.toml").is_file() {
        Library::Source
    } else {
        Library::Missing
    }
}

fn sysroot() -> Option<PathBuf> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--print", "sysroot"])
        .current_dir(root())
        .output()
        .ok()?;
    Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
}
