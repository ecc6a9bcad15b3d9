//! How a thread makes its calls: whether it records gradients, is in inference mode, is being traced.
//!
//! Modes belong to the thread, as in the reference: `with torch.no_grad()` in one changes nothing in others. A forked task
//! takes those of the fork along.

use crate::Context;
use std::cell::Cell;

/// The modes of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    /// Whether gradients are recorded.
    pub grad: bool,
    /// Whether inference mode is on.
    pub inference: bool,
    /// Layers that watch the thread's calls, as bits of [`crate::Layer`].
    pub watched: u8,
}

thread_local! {
    static CURRENT: Cell<Modes> = const {
        Cell::new(Modes {
            grad: true,
            inference: false,
            watched: 0,
        })
    };
}

/// The modes of this thread.
#[inline(always)]
pub fn current() -> Modes {
    CURRENT.get()
}

impl Modes {
    /// Makes these the modes of this thread.
    #[inline]
    pub fn enter(self) {
        CURRENT.set(self);
        rushlight_tensor::set_inference(self.inference);
    }

    /// The modes of work that somebody else does for this thread: nobody watches it.
    pub fn unwatched(self) -> Modes {
        Modes { watched: 0, ..self }
    }
}

/// Whether gradients are recorded, until this is dropped: then it is as before, also where something unwinds.
pub struct GradMode<'a> {
    context: &'a Context,
    before: bool,
}

impl<'a> GradMode<'a> {
    /// Records gradients in this thread, or does not.
    pub fn new(context: &'a Context, on: bool) -> GradMode<'a> {
        GradMode {
            context,
            before: context.set_grad_enabled(on),
        }
    }
}

impl Drop for GradMode<'_> {
    fn drop(&mut self) {
        self.context.set_grad_enabled(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layer;

    #[test]
    fn modes_belong_to_their_thread() {
        let context = Context::silent();
        context.set_grad_enabled(false);
        context.set_layer(Layer::Trace, true);
        context.set_layer(Layer::Gradient, true);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert!(context.grad_enabled());
                assert_eq!(context.layers(), Layer::Gradient as u8);
                context.set_inference_mode(true);
            });
        });
        assert!(!context.grad_enabled() && !context.inference_mode());
        assert_eq!(context.layers(), Layer::Gradient as u8 | Layer::Trace as u8);
        context.set_grad_enabled(true);
        context.set_layer(Layer::Trace, false);
    }
}
