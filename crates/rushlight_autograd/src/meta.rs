//! What a tensor's gradient slot holds: where the tensor comes from, its gradient, its hooks.

use crate::node::{Edge, Node, Watcher};
use crate::view::View;
use parking_lot::Mutex;
use rushlight_tensor::{History, Result, Tensor};
use std::any::Any;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};

/// Sees a gradient on its way and may replace it.
pub type Hook = Arc<dyn Fn(&Tensor) -> Result<Option<Tensor>> + Send + Sync>;

/// Hooks with the numbers by which they are taken away.
pub(crate) type Hooks = Vec<(u64, Hook)>;

/// Sees a leaf after a run has added to its gradient.
pub type Accumulated = Arc<dyn Fn(&Tensor) -> Result<()> + Send + Sync>;

/// The gradient history of one tensor. Copies of a tensor object that stand for the same variable share it.
#[derive(Default)]
pub struct Meta(Mutex<State>);

#[derive(Default)]
pub(crate) struct State {
    pub grad: Option<Tensor>,
    /// The node whose result this is; none for leaves.
    pub source: Option<Edge>,
    /// The node that adds to a leaf's gradient, while anything recorded leads to it.
    pub accumulator: Weak<Node>,
    /// The hooks of a leaf; those of other tensors are with their node.
    pub hooks: Hooks,
    /// What wants to see a leaf whose gradient has been added to.
    pub accumulated: Vec<(u64, Accumulated)>,
    /// What the tensor is a view of.
    pub view: Option<View>,
    /// How often a write through a view has changed where the tensor comes from.
    pub generation: u64,
    /// Counts the writes to a tensor that shares its memory with others but counts as one of its own: a part that an
    /// `unsafe_split` gave. The storage counts writes to all parts together.
    pub writes: Option<Arc<AtomicU64>>,
}

impl History for Meta {
    fn is_leaf(&self) -> bool {
        self.state().source.is_none()
    }

    fn is_view(&self) -> bool {
        self.state().view.is_some()
    }

    fn claim(&self) {
        let mut state = self.state();
        if let Some(fixed) = state.view.as_mut().and_then(|view| view.fixed.as_mut()) {
            fixed.is_claimed = true;
        }
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl Meta {
    /// The history of a tensor, if it has one.
    pub fn of(tensor: &Tensor) -> Option<Arc<Meta>> {
        tensor.history()?.into_any().downcast().ok()
    }

    /// The history of a tensor, begun now if it has none.
    pub fn ensure(tensor: &Tensor) -> Arc<Meta> {
        Meta::of(tensor).unwrap_or_else(|| {
            let meta = Arc::new(Meta::default());
            tensor.set_history(Some(meta.clone()));
            meta
        })
    }

    pub(crate) fn state(&self) -> parking_lot::MutexGuard<'_, State> {
        self.0.lock()
    }

    /// The gradient that has been collected.
    pub fn grad(tensor: &Tensor) -> Option<Tensor> {
        Meta::of(tensor)?.state().grad.clone()
    }

    /// Replaces the collected gradient.
    pub fn set_grad(tensor: &Tensor, grad: Option<Tensor>) {
        if grad.is_some() || Meta::of(tensor).is_some() {
            let old = std::mem::replace(&mut Meta::ensure(tensor).state().grad, grad);
            drop(old);
        }
    }

    /// The counter of a tensor whose writes are counted apart from those of its storage, or of what it is a view of.
    pub(crate) fn writes(tensor: &Tensor) -> Option<Arc<AtomicU64>> {
        let meta = Meta::of(tensor)?;
        let state = meta.state();
        match (&state.writes, &state.view) {
            (Some(writes), _) => Some(writes.clone()),
            (None, Some(view)) => Meta::of(&view.base)?.state().writes.clone(),
            (None, None) => None,
        }
    }

    /// What the tensor is a view of, as far as that is remembered: where recording was on when the view was made.
    pub fn base(tensor: &Tensor) -> Option<Tensor> {
        let meta = Meta::of(tensor)?;
        let state = meta.state();
        state.view.as_ref().map(|view| view.base.clone())
    }

    /// Adds a hook and returns its number.
    pub fn add_hook(tensor: &Tensor, hook: Hook) -> u64 {
        let number = crate::hooks::next_number();
        match Edge::source(tensor) {
            Some(edge) => edge.node.watch(edge.index, Watcher::Hook(number, hook)),
            None => Meta::ensure(tensor).state().hooks.push((number, hook)),
        }
        number
    }

    /// Adds a hook that sees a leaf whenever its gradient has been added to, and returns its number.
    pub fn add_accumulated(leaf: &Tensor, hook: Accumulated) -> u64 {
        let number = crate::hooks::next_number();
        let meta = Meta::ensure(leaf);
        meta.state().accumulated.push((number, hook));
        number
    }

    /// Takes a hook away.
    pub fn remove_hook(tensor: &Tensor, number: u64) {
        if let Some(edge) = Edge::source(tensor) {
            edge.node.forget(number);
        }
        if let Some(meta) = Meta::of(tensor) {
            let mut state = meta.state();
            state.hooks.retain(|(n, _)| *n != number);
            state.accumulated.retain(|(n, _)| *n != number);
        }
    }

    /// Makes a tensor that is no leaf keep its gradient.
    pub fn retain(tensor: &Tensor) {
        if let (Some(edge), Some(meta)) = (Edge::source(tensor), Meta::of(tensor)) {
            let keeper = Watcher::Keeper(Arc::downgrade(&meta));
            edge.node.watch(edge.index, keeper);
        }
    }

    /// Whether [`Meta::retain`] was called.
    pub fn retains(tensor: &Tensor) -> bool {
        Edge::source(tensor).is_some_and(|edge| edge.node.is_kept(edge.index))
    }

    /// Refuses a view whose memory was written where that is not allowed: nobody knows any more where it comes from.
    pub fn check(tensor: &Tensor) -> Result<()> {
        crate::fixed::check_read(tensor)
    }

    /// The node that the tensor is a result of, and which of its results.
    pub fn source(tensor: &Tensor) -> Option<Edge> {
        Edge::source(tensor)
    }
}
