//! Whether scripts become machine code: where there is a compiler for this machine, unless `RUSHLIGHT_JIT` says no.

#[cfg(all(feature = "jit", not(target_family = "wasm")))]
mod chosen {
    use rushlight_jit::Mode;
    use rushlight_runtime::machine_code::Compiler;
    use std::sync::OnceLock;

    /// What makes machine code. `RUSHLIGHT_JIT=0` turns it off; `always` compiles every function at its first call, which
    /// serves tests.
    pub fn compiler() -> Option<&'static dyn Compiler> {
        static MODE: OnceLock<Option<Mode>> = OnceLock::new();
        let mode = MODE.get_or_init(|| match std::env::var("RUSHLIGHT_JIT").as_deref() {
            Ok("0") => None,
            Ok("always") => Some(Mode::Always),
            _ => Some(Mode::Hot),
        });
        rushlight_jit::compiler((*mode)?)
    }
}

#[cfg(not(all(feature = "jit", not(target_family = "wasm"))))]
mod chosen {
    use rushlight_runtime::machine_code::Compiler;

    /// There is no machine code in this build.
    pub fn compiler() -> Option<&'static dyn Compiler> {
        None
    }
}

pub use chosen::compiler;
