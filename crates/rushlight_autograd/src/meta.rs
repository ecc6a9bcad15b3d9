//! What programs ask of a tensor's history: its gradient, its hooks, where it comes from.

use crate::history::{Accumulated, Edge, Hook, Meta, Watcher};
use rushlight_tensor::{Result, Tensor};
use std::sync::Arc;

impl Meta {
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
        crate::refusal::check_read(tensor)
    }

    /// The node that the tensor is a result of, and which of its results.
    pub fn source(tensor: &Tensor) -> Option<Edge> {
        Edge::source(tensor)
    }
}
