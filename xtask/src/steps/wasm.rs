//! The core crates for `wasm32-unknown-unknown`: a target without files, sockets, threads and clocks keeps
//! side effects at the edge.
//!
//! The check needs the target's standard library (`rustup target add wasm32-unknown-unknown`), or the
//! toolchain's own library source (`rustup component add rust-src`) to build it from. Where there is neither,
//! what can be known without is checked: that no dependency on that target is one that needs an operating
//! system. `tidy` refuses the standard library's side effects in these crates by name everywhere, see
//! [`crate::tidy::effects`].

use std::path::PathBuf;
use std::process::Command;

use super::{Outcome, Verdict, capture};
use crate::workspace::{cargo, root};

/// The target of pages.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The crates that must build without an operating system.
pub const CORE: &[&str] = &[
    "rushlight_syntax",
    "rushlight_tensor",
    "rushlight_types",
    "rushlight_ir",
    "rushlight_kernels",
    "rushlight_quantized",
    "rushlight_lang",
    "rushlight_ops",
    "rushlight_linalg",
    "rushlight_nn",
    "rushlight_frontend",
    "rushlight_runtime",
];

/// Packages that do not build without an operating system. (`libc` does, as an empty package.)
const NEED_SYSTEM: &[&str] = &[
    "errno",
    "getrandom",
    "memmap2",
    "mio",
    "rustix",
    "socket2",
    "winapi",
    "windows-sys",
];

pub fn step() -> Outcome {
    if !can_build() {
        return dependencies();
    }
    let mut command = cargo();
    command.args(["check", "--quiet"]);
    aim(&mut command);
    // Also what pages are made of.
    command.args(["--package", "rushlight_wasm"]);
    Outcome::of_command(select(&mut command))
}

/// Whether this machine can build for the target.
pub fn can_build() -> bool {
    !matches!(library(), Library::Missing)
}

/// Makes cargo build for the target.
pub fn aim(command: &mut Command) {
    command.args(["--target", TARGET]);
    if let Library::Source = library() {
        // Building the standard library is behind an unstable flag; the crates themselves stay on stable.
        command
            .arg("-Zbuild-std=std,panic_abort")
            .env("RUSTC_BOOTSTRAP", "1");
    }
}

fn select(command: &mut Command) -> &mut Command {
    CORE.iter()
        .fold(command, |command, name| command.args(["--package", name]))
}

/// The check that needs no library: the packages that the core crates pull in on the target.
fn dependencies() -> Outcome {
    let mut command = cargo();
    command.args([
        "tree", "--target", TARGET, "--edges", "normal", "--prefix", "none", "--format", "{p}",
    ]);
    let output = match capture(select(&mut command)) {
        Ok((true, output)) => output,
        Ok((false, output)) | Err(output) => return Outcome::new(Verdict::Failed, "", output),
    };
    let names = output
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let found: std::collections::BTreeSet<&str> =
        names.filter(|name| NEED_SYSTEM.contains(name)).collect();
    if found.is_empty() {
        return Outcome::new(
            Verdict::Passed,
            format!("dependencies only: no standard library for {TARGET}"),
            "",
        );
    }
    let list: Vec<&str> = found.into_iter().collect();
    Outcome::new(
        Verdict::Failed,
        "",
        format!("these need an operating system: {}", list.join(", ")),
    )
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

/// Where the compiler keeps what it is given for each target.
pub fn sysroot() -> Option<PathBuf> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--print", "sysroot"])
        .current_dir(root())
        .output()
        .ok()?;
    Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
}
