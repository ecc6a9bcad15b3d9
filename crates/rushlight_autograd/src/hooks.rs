//! Hooks of nodes: programs that see, and may replace, what goes into a node and what comes out of it.

use parking_lot::{Mutex, MutexGuard};
use rushlight_tensor::{Fault, Result, Tensor};
use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Gradients by result or by argument; where there is none, nothing has come so far.
pub type Gradients = Vec<Option<Tensor>>;

/// Sees the gradients of a node's results before the node runs, and may replace them.
pub type Before = Arc<dyn Fn(&[Option<Tensor>]) -> Result<Option<Gradients>> + Send + Sync>;

/// Sees the gradients of a node's arguments and, second, those of its results, once the node has run; may replace the former.
pub type After =
    Arc<dyn Fn(&[Option<Tensor>], &[Option<Tensor>]) -> Result<Option<Gradients>> + Send + Sync>;

/// The hooks of one node, in the order in which they were added. Most nodes have none, and no lock then.
#[derive(Default)]
pub(crate) struct NodeHooks(OnceLock<Box<Mutex<Added>>>);

#[derive(Default)]
struct Added {
    before: Vec<(u64, Before)>,
    after: Vec<(u64, After)>,
    /// What a host program keeps with the node.
    host: Option<Arc<dyn Any + Send + Sync>>,
}

/// A number by which a hook is taken away.
pub(crate) fn next_number() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    COUNT.fetch_add(1, Ordering::Relaxed)
}

impl NodeHooks {
    fn added(&self) -> MutexGuard<'_, Added> {
        self.0.get_or_init(Box::default).lock()
    }

    /// What a host program keeps with the node; `make` gives it at first.
    pub fn host(
        &self,
        make: impl FnOnce() -> Arc<dyn Any + Send + Sync>,
    ) -> Arc<dyn Any + Send + Sync> {
        self.added().host.get_or_insert_with(make).clone()
    }

    /// Whether there was ever a hook.
    pub fn are_some(&self) -> bool {
        self.0.get().is_some()
    }

    pub fn add_before(&self, hook: Before) -> u64 {
        let number = next_number();
        self.added().before.push((number, hook));
        number
    }

    pub fn add_after(&self, hook: After) -> u64 {
        let number = next_number();
        self.added().after.push((number, hook));
        number
    }

    pub fn remove(&self, number: u64) {
        if let Some(added) = self.0.get() {
            let mut added = added.lock();
            added.before.retain(|(n, _)| *n != number);
            added.after.retain(|(n, _)| *n != number);
        }
    }

    /// Shows the gradients of the results.
    pub fn before(&self, gradients: &mut Gradients) -> Result<()> {
        let Some(added) = self.0.get() else {
            return Ok(());
        };
        // Hooks run without the lock: they may add others.
        let hooks = added.lock().before.clone();
        for (_, hook) in &hooks {
            replace(gradients, hook(gradients)?)?;
        }
        Ok(())
    }

    /// Shows what the node gave, with what it was given.
    pub fn after(&self, given: &mut Gradients, results: &[Option<Tensor>]) -> Result<()> {
        let Some(added) = self.0.get() else {
            return Ok(());
        };
        let hooks = added.lock().after.clone();
        for (_, hook) in &hooks {
            replace(given, hook(given, results)?)?;
        }
        Ok(())
    }
}

fn replace(gradients: &mut Gradients, answer: Option<Gradients>) -> Result<()> {
    let Some(answer) = answer else {
        return Ok(());
    };
    if answer.len() != gradients.len() {
        return Err(Fault::runtime(format!(
            "hook has returned an incorrect number of values (got {}, but expected {})",
            answer.len(),
            gradients.len()
        )));
    }
    *gradients = answer;
    Ok(())
}
