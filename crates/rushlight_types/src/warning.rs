//! Warnings on their way to who listens: where they come from, and what a listener does once it may call scripts again.
//!
//! A sink ([`Context::set_warning_sink`]) takes the text while the context holds it, so it must not run scripts or wait
//! for anybody. It may ask for the place of the warning, and it may leave work for afterwards, which may also fail: the
//! script that warned then fails with it.

use crate::Context;
use rushlight_tensor::Result;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where a warning comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as its source names it.
    pub file: String,
    pub line: usize,
}

type Task = Box<dyn FnOnce() -> Result<()>>;

thread_local! {
    static PLACE: RefCell<Option<Place>> = const { RefCell::new(None) };
    static TASKS: RefCell<Vec<Task>> = const { RefCell::new(Vec::new()) };
}

/// Hands a warning to who listens, and does what the sink has left for afterwards.
pub fn warn(context: &Context, message: &str, place: Option<Place>) -> Result<()> {
    let before = PLACE.replace(place);
    context.warn(message);
    PLACE.set(before);
    TASKS.take().into_iter().try_for_each(|task| task())
}

/// A warning that a process gives once.
pub struct Notice {
    text: &'static str,
    given: AtomicBool,
}

impl Notice {
    /// One that was not given yet.
    pub const fn new(text: &'static str) -> Notice {
        let given = AtomicBool::new(false);
        Notice { text, given }
    }

    /// Gives it, the first time.
    pub fn give(&self, context: &Context) -> Result<()> {
        match self.given.load(Ordering::Relaxed) || self.given.swap(true, Ordering::Relaxed) {
            true => Ok(()),
            false => warn(context, self.text, None),
        }
    }
}

/// For sinks: where the warning comes from that is being handed out; none where no script does it.
pub fn place() -> Option<Place> {
    PLACE.with_borrow(Clone::clone)
}

/// For sinks: leaves something for the time when the context is free again.
pub fn afterwards(task: impl FnOnce() -> Result<()> + 'static) {
    TASKS.with_borrow_mut(|tasks| tasks.push(Box::new(task)));
}

#[cfg(test)]
mod tests {
    use super::{Place, afterwards, place, warn};
    use crate::{Context, Fault};
    use std::sync::{Arc, Mutex};

    #[test]
    fn sinks_know_the_place_and_may_fail_afterwards() {
        let context = Context::silent();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ear = heard.clone();
        context.set_warning_sink(Some(Box::new(move |text| {
            if let Ok(mut heard) = ear.lock() {
                heard.push((text.to_string(), place()));
            }
            if text == "bad" {
                afterwards(|| Err(Fault::runtime("refused")));
            }
        })));
        let line = Place {
            file: "a.py".into(),
            line: 3,
        };
        warn(&context, "good", Some(line.clone())).expect("a warning");
        let fault = warn(&context, "bad", None).expect_err("a refusal");
        assert_eq!(fault.message(), "refused");
        assert_eq!(place(), None);
        let heard = heard.lock().expect("what was heard");
        assert_eq!(
            *heard,
            [("good".to_string(), Some(line)), ("bad".to_string(), None)]
        );
    }
}
