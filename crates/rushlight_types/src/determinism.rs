//! Whether a program wants the same results in every run, and what becomes of operators that do not promise them.
//!
//! All operators here give the same results; those are refused that the reference refuses, so that programs know.

use crate::{Context, warning};
use rushlight_tensor::{Fault, Result};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// What a program says about operators that do not promise the same results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Determinism {
    /// They may be called.
    Free = 0,
    /// They warn.
    Warned = 1,
    /// They are refused.
    Required = 2,
}

static WANTED: AtomicU8 = AtomicU8::new(Determinism::Free as u8);
static FILLS: AtomicBool = AtomicBool::new(true);

/// What the process wants.
pub fn wanted() -> Determinism {
    match WANTED.load(Ordering::Relaxed) {
        0 => Determinism::Free,
        1 => Determinism::Warned,
        _ => Determinism::Required,
    }
}

/// Says what the process wants.
pub fn want(determinism: Determinism) {
    WANTED.store(determinism as u8, Ordering::Relaxed);
}

/// Whether memory of no content in particular is filled where the same results are wanted.
pub fn fills() -> bool {
    FILLS.load(Ordering::Relaxed)
}

/// Says whether it is.
pub fn set_fills(on: bool) {
    FILLS.store(on, Ordering::Relaxed);
}

/// What an operator does that does not promise the same results.
pub fn not_promised_by(context: &Context, name: &str) -> Result<()> {
    const ISSUES: &str = "file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize adding deterministic support for this operation.";
    let lacks = format!("{name} does not have a deterministic implementation, but you set");
    match wanted() {
        Determinism::Free => Ok(()),
        Determinism::Warned => {
            let text = format!(
                "{lacks} 'torch.use_deterministic_algorithms(True, warn_only=True)'. You can {ISSUES}"
            );
            warning::warn(context, &text, None)
        }
        Determinism::Required => Err(Fault::runtime(format!(
            "{lacks} 'torch.use_deterministic_algorithms(True)'. You can turn off determinism just for this operation, or you can use the 'warn_only=True' option, if that's acceptable for your application. You can also {ISSUES}"
        ))),
    }
}
