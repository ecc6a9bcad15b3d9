//! The C interface: opaque handles, errors as codes with a message per thread, nothing that unwinds into C.
//!
//! `include/rushlight.h` is its documentation and says who owns what; a test holds it to the functions here. Handles cross
//! the boundary as `Option<&T>` (a pointer that may be null) and `Option<Box<T>>` (one that is given up), so that what is
//! left of raw pointers are arrays, text and places for results: `given.rs` and `guard.rs` have the only dereferences.

mod context;
mod given;
mod gradients;
mod guard;
mod module;
mod tensor;
mod value;

use std::ffi::c_char;

/// The version of the library, as text that is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn rl_version() -> *const c_char {
    const TEXT: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    TEXT.as_ptr().cast()
}

/// How many threads an operator may use, the caller among them.
#[unsafe(no_mangle)]
pub extern "C" fn rl_threads() -> usize {
    rushlight::tensor::threads::count()
}

/// Sets how many threads an operator may use, for the whole process.
#[unsafe(no_mangle)]
pub extern "C" fn rl_set_threads(count: usize) {
    rushlight::tensor::threads::set_count(count);
}
