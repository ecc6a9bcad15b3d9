//! Folds functions whose code is the same, as kernels of many types are, packs the table of addresses to relocate, and leaves
//! symbols out.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|v| v == value);
    let target = std::env::var("TARGET").unwrap_or_default();
    if is("PROFILE", "release") && (target.contains("linux") || target.ends_with("windows-gnu")) {
        println!("cargo::rustc-link-arg-bins=-Wl,-s");
    }
    // The linker that comes with the compiler for this target can do both; others may not know the option.
    if is("TARGET", "x86_64-unknown-linux-gnu") && is("PROFILE", "release") {
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}
