//! How a thread makes its calls: whether it records gradients, is in inference mode, casts, is being traced.
//!
//! Modes belong to the thread, as in the reference: `with torch.no_grad()` in one changes nothing in others. A forked task
//! takes those of the fork along.

use crate::{Context, Layer};
use rushlight_tensor::DType;
use std::cell::Cell;

/// The precision that operators which gain from it compute in, where autocasting is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Autocast {
    /// For all calls: the host turned it on.
    pub host: Option<DType>,
    /// For calls of scripts: the host turned it on, or the innermost `with` of a script says otherwise.
    pub script: Option<DType>,
}

impl Autocast {
    /// As the host says, for its own calls and for those of scripts.
    pub fn by_host(dtype: Option<DType>) -> Autocast {
        Autocast {
            host: dtype,
            script: dtype,
        }
    }

    fn is_on(self) -> bool {
        self.host.is_some() || self.script.is_some()
    }
}

/// The modes of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    /// Whether gradients are recorded.
    pub grad: bool,
    /// Whether inference mode is on.
    pub inference: bool,
    /// What autocasting does.
    pub autocast: Autocast,
    /// Layers that watch the thread's calls, as bits of [`crate::Layer`].
    pub watched: u8,
}

thread_local! {
    static CURRENT: Cell<Modes> = const {
        Cell::new(Modes {
            grad: true,
            inference: false,
            autocast: Autocast {
                host: None,
                script: None,
            },
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
        const AUTOCAST: u8 = Layer::Autocast as u8;
        let watched = match self.autocast.is_on() {
            true => self.watched | AUTOCAST,
            false => self.watched & !AUTOCAST,
        };
        CURRENT.set(Modes { watched, ..self });
        rushlight_tensor::set_inference(self.inference);
    }

    /// The modes of work that somebody else does for this thread: nobody watches it, and a `with` of the script around it
    /// casts nothing in it.
    pub fn unwatched(self) -> Modes {
        Modes {
            watched: 0,
            autocast: Autocast::by_host(self.autocast.host),
            ..self
        }
    }
}

/// Makes a thread's calls in the precision of their arguments, until this is dropped.
pub struct NoAutocast(Autocast);

impl NoAutocast {
    /// Turns autocasting off.
    #[allow(clippy::new_without_default)]
    pub fn new() -> NoAutocast {
        NoAutocast(set_autocast(Autocast::default()))
    }
}

impl Drop for NoAutocast {
    fn drop(&mut self) {
        set_autocast(self.0);
    }
}

/// Sets what autocasting does to the calls of this thread and returns what it did before.
pub fn set_autocast(autocast: Autocast) -> Autocast {
    let before = current();
    if before.autocast != autocast {
        Modes { autocast, ..before }.enter();
    }
    before.autocast
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
