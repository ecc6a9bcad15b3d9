//! The context of calls: limits, cancelling, what is printed, files, the seed.

use crate::given::{some, text};
use crate::guard::{Status, guarded, handing};
use rushlight::{Context, Folder, Limits};
use std::ffi::{c_char, c_void};
use std::io::Write;
use std::sync::Arc;

/// A handle on a context, which modules made with it share.
pub struct RlContext(pub Arc<Context>);

/// The limits of calls; zero means without limit.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RlLimits {
    pub instructions: u64,
    pub bytes: u64,
    pub millis: u64,
    pub depth: u32,
}

/// Takes what scripts print: text without a final zero, its length, and what was given with the function.
pub type Print = unsafe extern "C" fn(*const c_char, usize, *mut c_void);

struct Printer {
    print: Print,
    user: *mut c_void,
}

// SAFETY: the header asks for a function that may be called from any thread, one call at a time; the context's lock on its
// sink sees to the latter.
unsafe impl Send for Printer {}

impl Write for Printer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        // SAFETY: the function and what belongs to it are the caller's, who keeps them for as long as the context.
        unsafe { (self.print)(bytes.as_ptr().cast(), bytes.len(), self.user) };
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Surroundings that print nothing, have no limits and reach no files.
#[unsafe(no_mangle)]
pub extern "C" fn rl_context_new(out: Option<&mut *mut RlContext>) -> Status {
    handing(out, || Ok(RlContext(Context::silent().shared())))
}

/// Gives up the handle; modules made with it keep their context.
#[unsafe(no_mangle)]
pub extern "C" fn rl_context_free(context: Option<Box<RlContext>>) {
    drop(context);
}

/// Sets the limits of calls that begin from now on.
#[unsafe(no_mangle)]
pub extern "C" fn rl_context_set_limits(
    context: Option<&RlContext>,
    limits: Option<&RlLimits>,
) -> Status {
    guarded(|| {
        let limits = some(limits, "limits")?;
        some(context, "context")?.0.set_limits(Limits {
            instructions: limits.instructions,
            bytes: limits.bytes,
            depth: limits.depth,
            millis: limits.millis,
        });
        Ok(())
    })
}

/// Makes running calls fail soon, and later ones until it is taken back. Any thread may do that.
#[unsafe(no_mangle)]
pub extern "C" fn rl_context_cancel(context: Option<&RlContext>, on: bool) -> Status {
    guarded(|| {
        some(context, "context")?.0.cancel(on);
        Ok(())
    })
}

/// Restarts the random stream from a seed.
#[unsafe(no_mangle)]
pub extern "C" fn rl_context_seed(context: Option<&RlContext>, seed: u64) -> Status {
    guarded(|| {
        some(context, "context")?.0.manual_seed(seed);
        Ok(())
    })
}

/// Says who takes what scripts print; null for nobody.
#[unsafe(no_mangle)]
pub extern "C" fn rl_context_set_print(
    context: Option<&RlContext>,
    print: Option<Print>,
    user: *mut c_void,
) -> Status {
    guarded(|| {
        let context = &some(context, "context")?.0;
        context.set_sink(match print {
            Some(print) => Box::new(Printer { print, user }),
            None => Box::new(std::io::sink()),
        });
        Ok(())
    })
}

/// Lets scripts read and write files below a folder; null for none.
///
/// # Safety
/// `folder` is null or text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_context_allow_files(
    context: Option<&RlContext>,
    folder: *const c_char,
) -> Status {
    guarded(|| {
        let context = &some(context, "context")?.0;
        if folder.is_null() {
            context.allow_files(None);
            return Ok(());
        }
        // SAFETY: the caller's promise.
        let folder = unsafe { text(folder, "folder") }?;
        context.allow_files(Some(Arc::new(Folder::new(folder))));
        Ok(())
    })
}
