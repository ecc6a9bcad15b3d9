//! Arrays and text that C hands over, as what they are in Rust.
//!
//! The functions are unsafe because only the caller in C knows that the memory is there: the header asks for that.

use crate::guard::{Outcome, refused};
use std::ffi::{CStr, c_char};

/// Text that ends with a zero.
///
/// # Safety
/// The pointer is null or leads to such text, which stays for `'a`.
pub unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Outcome<&'a str> {
    if pointer.is_null() {
        return refused(format!("{what} is null"));
    }
    // SAFETY: not null, and the caller's promise.
    let text = unsafe { CStr::from_ptr(pointer) };
    match text.to_str() {
        Ok(text) => Ok(text),
        Err(_) => refused(format!("{what} is not UTF-8")),
    }
}

/// An array of `count` things; null is fine for none.
///
/// # Safety
/// The pointer is null or leads to as many initialised things, which stay for `'a`.
pub unsafe fn array<'a, T>(pointer: *const T, count: usize, what: &str) -> Outcome<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    check(pointer, count, what)?;
    // SAFETY: not null, aligned, no longer than memory can be, and the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// As [`array`], to be written to.
///
/// # Safety
/// As for [`array`], and nobody else reaches the memory for `'a`.
pub unsafe fn array_mut<'a, T>(pointer: *mut T, count: usize, what: &str) -> Outcome<&'a mut [T]> {
    if count == 0 {
        return Ok(&mut []);
    }
    check(pointer, count, what)?;
    // SAFETY: not null, aligned, no longer than memory can be, and the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, count) })
}

fn check<T>(pointer: *const T, count: usize, what: &str) -> Outcome {
    if pointer.is_null() {
        return refused(format!("{what} is null"));
    }
    if !pointer.is_aligned() {
        return refused(format!("{what} is not aligned for its elements"));
    }
    match count.checked_mul(size_of::<T>()) {
        Some(bytes) if bytes <= isize::MAX as usize => Ok(()),
        _ => refused(format!("{what} is longer than memory can be")),
    }
}

/// A handle that must not be null.
pub fn some<'a, T>(handle: Option<&'a T>, what: &str) -> Outcome<&'a T> {
    match handle {
        Some(handle) => Ok(handle),
        None => refused(format!("{what} is null")),
    }
}
