//! What every function does around its work: panics stop here, errors are kept for who asks, results are handed out.

use rushlight::tensor::memory;
use rushlight::{Error, ErrorKind, Fault};
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// What a function returns; the numbers are those of the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Status {
    Ok = 0,
    /// A null pointer, text that is not UTF-8, an index out of range: a mistake of the caller.
    Argument = 1,
    Io = 2,
    Archive = 3,
    Compile = 4,
    Save = 5,
    Call = 6,
    Internal = 7,
}

/// Why a function does not do what it was asked.
pub enum Failure {
    Argument(String),
    Error(Error),
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::Error(error.into())
    }
}

/// The result of the work of a function.
pub type Outcome<T = ()> = Result<T, Failure>;

/// An argument that cannot be taken.
pub fn refused<T>(text: impl Into<String>) -> Outcome<T> {
    Err(Failure::Argument(text.into()))
}

/// The last error of a thread.
struct Last {
    message: CString,
    class: CString,
    traceback: CString,
    frames: Vec<Frame>,
}

struct Frame {
    function: CString,
    file: CString,
    line: u32,
}

thread_local! {
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
}

/// Text for C: zeros inside, which C would take for its end, are shown.
pub fn text(text: &str) -> CString {
    CString::new(text.replace('\0', "\\0")).unwrap_or_default()
}

/// Does the work of a function; what fails is kept for [`rl_error_message`] and its kin.
pub fn guarded(work: impl FnOnce() -> Outcome) -> Status {
    // The inner guard knows the marks that memory and limits leave by, the outer one stops what others unwind with.
    let caught = catch_unwind(AssertUnwindSafe(|| memory::catching(|| Ok(work()))));
    let outcome = match caught {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(fault)) => Err(Failure::from(fault)),
        Err(_) => Err(Failure::from(Fault::internal("a panic of unknown kind"))),
    };
    match outcome {
        Ok(()) => Status::Ok,
        Err(failure) => keep(&failure),
    }
}

/// As [`guarded`], for work that gives a handle to the caller. The place is null after an error.
pub fn handing<T>(out: Option<&mut *mut T>, work: impl FnOnce() -> Outcome<T>) -> Status {
    let Some(out) = out else {
        return keep(&Failure::Argument(
            "the place for the result is null".into(),
        ));
    };
    *out = ptr::null_mut();
    guarded(|| {
        *out = Box::into_raw(Box::new(work()?));
        Ok(())
    })
}

/// As [`guarded`], for work that gives a number or a pointer. The place is left alone after an error.
pub fn telling<T>(out: Option<&mut T>, work: impl FnOnce() -> Outcome<T>) -> Status {
    let Some(out) = out else {
        return keep(&Failure::Argument(
            "the place for the result is null".into(),
        ));
    };
    guarded(|| {
        *out = work()?;
        Ok(())
    })
}

fn keep(failure: &Failure) -> Status {
    let (status, last) = match failure {
        Failure::Argument(told) => {
            let last = Last {
                message: text(told),
                class: CString::default(),
                traceback: text(told),
                frames: Vec::new(),
            };
            (Status::Argument, last)
        }
        Failure::Error(error) => (status(error), last(error)),
    };
    LAST.set(Some(last));
    status
}

fn status(error: &Error) -> Status {
    match error.kind() {
        ErrorKind::Io => Status::Io,
        ErrorKind::Archive => Status::Archive,
        ErrorKind::Compile => Status::Compile,
        ErrorKind::Save => Status::Save,
        ErrorKind::Call(rushlight::ErrorClass::Internal) => Status::Internal,
        _ => Status::Call,
    }
}

fn last(error: &Error) -> Last {
    let message = match error.path() {
        Some(path) => format!("{}: {}", path.display(), error.message()),
        None => error.message(),
    };
    let frames = error.frames().iter().map(|frame| {
        let place = frame.origin.as_ref().or(frame.at.as_ref());
        Frame {
            function: text(&frame.function),
            file: text(place.map_or("", |place| &place.file)),
            line: place.map_or(0, |place| place.line),
        }
    });
    Last {
        message: text(&message),
        class: match error.kind() {
            ErrorKind::Call(class) => text(class.python_name()),
            _ => CString::default(),
        },
        traceback: text(&error.traceback()),
        frames: frames.collect(),
    }
}

/// Part of the last error of this thread: a pointer that holds until the thread's next error.
fn of_last(part: impl FnOnce(&Last) -> Option<&CString>) -> *const c_char {
    LAST.with_borrow(|last| {
        let found = last.as_ref().and_then(part);
        found.map_or(c"".as_ptr(), |text| text.as_ptr())
    })
}

/// The message of the last error of this thread, which holds until the next one; empty before the first.
#[unsafe(no_mangle)]
pub extern "C" fn rl_error_message() -> *const c_char {
    of_last(|last| Some(&last.message))
}

/// The class of exception of a failed call, as Python names it; else empty.
#[unsafe(no_mangle)]
pub extern "C" fn rl_error_class() -> *const c_char {
    of_last(|last| Some(&last.class))
}

/// The message with the script's call stack, as PyTorch shows it.
#[unsafe(no_mangle)]
pub extern "C" fn rl_error_traceback() -> *const c_char {
    of_last(|last| Some(&last.traceback))
}

/// How many levels the script's call stack had.
#[unsafe(no_mangle)]
pub extern "C" fn rl_error_frame_count() -> usize {
    LAST.with_borrow(|last| last.as_ref().map_or(0, |last| last.frames.len()))
}

/// The function of a level of the call stack, 0 being the outermost; empty beyond the last.
#[unsafe(no_mangle)]
pub extern "C" fn rl_error_frame_function(index: usize) -> *const c_char {
    of_last(|last| last.frames.get(index).map(|frame| &frame.function))
}

/// The file of a level of the call stack; empty where it is not known.
#[unsafe(no_mangle)]
pub extern "C" fn rl_error_frame_file(index: usize) -> *const c_char {
    of_last(|last| last.frames.get(index).map(|frame| &frame.file))
}

/// The line of a level of the call stack; 0 where it is not known.
#[unsafe(no_mangle)]
pub extern "C" fn rl_error_frame_line(index: usize) -> u32 {
    let line = |last: &Last| last.frames.get(index).map(|frame| frame.line);
    LAST.with_borrow(|last| last.as_ref().and_then(line).unwrap_or(0))
}
