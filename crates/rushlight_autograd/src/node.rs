//! Nodes: who watches them, and how results come to depend on one.

use crate::history::{Custom, Edge, Meta, Node, RecordKind, Shape, Watcher, Within};
use crate::hooks::{After, Before, NodeHooks};
use parking_lot::Mutex;
use rushlight_tensor::{Result, Tensor};
use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

static COUNT: AtomicU64 = AtomicU64::new(0);

impl Node {
    pub(crate) fn new(
        name: Arc<str>,
        edges: Vec<Option<(Edge, Shape)>>,
        outputs: Vec<Shape>,
        kind: RecordKind,
    ) -> Arc<Node> {
        Arc::new(Node {
            id: COUNT.fetch_add(1, Ordering::Relaxed),
            name,
            edges,
            outputs,
            kind,
            watchers: Mutex::default(),
            hooks: NodeHooks::default(),
            made: crate::anomaly::place(),
        })
    }

    pub(crate) fn watch(&self, index: usize, watcher: Watcher) {
        self.watchers.lock().push((index, watcher));
    }

    pub(crate) fn forget(&self, number: u64) {
        let is_it = |w: &Watcher| matches!(w, Watcher::Hook(n, _) if *n == number);
        self.watchers.lock().retain(|(_, watcher)| !is_it(watcher));
    }

    /// Says of what a result that the node keeps is a view, since the node's own is a part of that.
    pub(crate) fn keep_result_within(&self, index: usize, within: impl FnOnce() -> Within) {
        if let RecordKind::Call { saved, .. } = &self.kind
            && let Some(saved) = saved.lock().as_mut()
            && let Some(Some(result)) = saved.results.get_mut(index)
        {
            result.within = Some(Box::new(within()));
        }
    }

    /// The watcher of a result by which a tensor keeps its gradient, which watches no more.
    pub(crate) fn take_keeper(&self, index: usize, of: &Arc<Meta>) -> Option<Watcher> {
        let mut watchers = self.watchers.lock();
        let is_it = |w: &Watcher| matches!(w, Watcher::Keeper(m) if m.as_ptr() == Arc::as_ptr(of));
        let at = watchers.iter().position(|(i, w)| *i == index && is_it(w))?;
        Some(watchers.remove(at).1)
    }

    /// The name of the last node that has written a result in place, and which of its results that is.
    pub(crate) fn last_writer(&self, index: usize) -> Option<(Arc<str>, usize)> {
        let mut last = None;
        let mut next = self.writer(index);
        while let Some((name, node, index)) = next {
            last = Some((name, index));
            next = node.upgrade().and_then(|node| node.writer(index));
        }
        last
    }

    fn writer(&self, index: usize) -> Option<(Arc<str>, Weak<Node>, usize)> {
        let watchers = self.watchers.lock();
        watchers.iter().find_map(|(i, watcher)| match watcher {
            Watcher::Writer(name, node, at) if *i == index => {
                Some((name.clone(), node.clone(), *at))
            }
            _ => None,
        })
    }

    /// Whether a tensor keeps the gradient of a result.
    pub(crate) fn is_kept(&self, index: usize) -> bool {
        let watchers = self.watchers.lock();
        watchers
            .iter()
            .any(|(i, w)| *i == index && matches!(w, Watcher::Keeper(_)))
    }

    /// Lets everybody who watches a result see its gradient. Kept gradients add up, by `sum`.
    pub(crate) fn show(
        &self,
        index: usize,
        gradient: &mut Tensor,
        sum: impl Fn(Tensor, Tensor) -> Result<Tensor>,
    ) -> Result<()> {
        let leaf = self.leaf().and_then(Meta::of);
        let hooks = leaf.map_or(Vec::new(), |meta| meta.state().hooks.clone());
        for (_, hook) in hooks {
            if let Some(other) = hook(gradient)? {
                *gradient = other;
            }
        }
        let watchers = self.watchers.lock().clone();
        let of_result = || watchers.iter().filter(|(i, _)| *i == index);
        for (_, watcher) in of_result() {
            if let Watcher::Hook(_, hook) = watcher
                && let Some(other) = hook(gradient)?
            {
                *gradient = other;
            }
        }
        // What is kept is what the last hook has left, whoever came first.
        for (_, watcher) in of_result() {
            if let Watcher::Keeper(meta) = watcher
                && let Some(meta) = meta.upgrade()
            {
                let before = meta.state().grad.clone();
                let kept = match before {
                    Some(before) => sum(before, gradient.clone())?,
                    None => gradient.clone(),
                };
                meta.state().grad = Some(kept);
            }
        }
        Ok(())
    }

    /// Adds a hook that runs before the node and returns its number.
    pub fn add_before(&self, hook: Before) -> u64 {
        self.hooks.add_before(hook)
    }

    /// Adds a hook that runs behind the node and returns its number.
    pub fn add_after(&self, hook: After) -> u64 {
        self.hooks.add_after(hook)
    }

    /// What a host program keeps with the node; `make` gives it at first.
    pub fn host(
        &self,
        make: impl FnOnce() -> Arc<dyn Any + Send + Sync>,
    ) -> Arc<dyn Any + Send + Sync> {
        self.hooks.host(make)
    }

    /// Takes a hook away.
    pub fn remove_hook(&self, number: u64) {
        self.hooks.remove(number);
    }

    /// `AddBackward0`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where the arguments come from.
    pub fn next(&self) -> impl Iterator<Item = Option<&Edge>> {
        self.edges.iter().map(|e| e.as_ref().map(|(edge, _)| edge))
    }

    /// The leaf whose gradient the node adds to.
    pub fn leaf(&self) -> Option<&Tensor> {
        match &self.kind {
            RecordKind::Leaf(leaf) => Some(leaf),
            _ => None,
        }
    }

    /// The differentiation that a host program has defined.
    pub fn as_custom(&self) -> Option<&Arc<dyn Custom>> {
        match &self.kind {
            RecordKind::Custom(custom) => Some(custom),
            _ => None,
        }
    }
}

/// Makes a result depend on a node.
pub(crate) fn attach(tensor: &Tensor, node: &Arc<Node>, index: usize) {
    let meta = Meta::ensure(tensor);
    meta.state().source = Some(Edge {
        node: node.clone(),
        index,
    });
    tensor.set_requires_grad(true);
}

/// `Exp` for `ExpBackward0`, `Min1` for `MinBackward1`.
pub(crate) fn short(name: &str) -> String {
    if name == "CopySlices" {
        return "torch::autograd::CopySlices".into();
    }
    match name.rsplit_once("Backward") {
        Some((bare, "0")) => bare.into(),
        Some((bare, number)) => format!("{bare}{number}"),
        None => name.into(),
    }
}
