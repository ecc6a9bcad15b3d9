//! How a page reaches a desk: it puts byte arrays into the module's memory, asks, and reads byte arrays from there.
//!
//! The page gives two functions: `print`, which is handed text of scripts, and `last_words`, which is told why the module is
//! about to trap. After a trap nothing here may be called any more.

use crate::Desk;
use rushlight::tensor::memory;
use std::cell::RefCell;
use std::sync::Once;

/// What the page has put here, and what it is to take.
struct Counter {
    desk: Desk,
    given: Vec<Vec<u8>>,
    answers: Vec<Vec<u8>>,
}

thread_local! {
    static COUNTER: RefCell<Counter> = RefCell::new(Counter {
        desk: Desk::new(page::print),
        given: Vec::new(),
        answers: Vec::new(),
    });
}

/// Room for a byte array of a request. The first is its JSON.
#[unsafe(no_mangle)]
pub extern "C" fn rushlight_put(length: usize) -> *mut u8 {
    listen();
    let mut bytes = memory::filled(length, 0u8);
    let place = bytes.as_mut_ptr();
    COUNTER.with_borrow_mut(|counter| counter.given.push(bytes));
    place
}

/// Answers the request that was put; gives the number of byte arrays of the answer. The first is its JSON.
#[unsafe(no_mangle)]
pub extern "C" fn rushlight_ask() -> usize {
    listen();
    COUNTER.with_borrow_mut(|counter| {
        let given = std::mem::take(&mut counter.given);
        counter.answers = counter.desk.ask(given);
        counter.answers.len()
    })
}

/// Where a byte array of the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn rushlight_answer(index: usize) -> *const u8 {
    COUNTER.with_borrow(|counter| {
        let answer = counter.answers.get(index);
        answer.map_or(std::ptr::null(), |bytes| bytes.as_ptr())
    })
}

/// The length of a byte array of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn rushlight_length(index: usize) -> usize {
    COUNTER.with_borrow(|counter| counter.answers.get(index).map_or(0, Vec::len))
}

/// Sees to it that the page is told why.
fn listen() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| std::panic::set_hook(Box::new(explain)));
}

/// Says why the module traps: a call that has to be left, or a mistake.
fn explain(info: &std::panic::PanicHookInfo<'_>) {
    if let Some(fault) = memory::last_words(info.payload()) {
        return page::last_words(fault.message());
    }
    page::last_words(&format!(
        "{info}\nThis is a mistake in Rushlight, not in the program: please report it"
    ));
}

/// What the page gives.
#[cfg(target_family = "wasm")]
mod page {
    mod given {
        #[link(wasm_import_module = "page")]
        unsafe extern "C" {
            pub fn print(text: *const u8, length: usize);
            pub fn last_words(text: *const u8, length: usize);
        }
    }

    pub fn print(text: &str) {
        // SAFETY: the page reads the text before it returns.
        unsafe { given::print(text.as_ptr(), text.len()) }
    }

    pub fn last_words(text: &str) {
        // SAFETY: as above.
        unsafe { given::last_words(text.as_ptr(), text.len()) }
    }
}

/// Where there is no page: the terminal.
#[cfg(not(target_family = "wasm"))]
mod page {
    pub fn print(text: &str) {
        print!("{text}");
    }

    pub fn last_words(text: &str) {
        eprintln!("{text}");
    }
}
