//! What is remembered of tensors and calls, as data: the history of a tensor, the node of a call, edges between them, and
//! saved values. What is done with them is in the files beside.

use crate::hooks::NodeHooks;
use crate::made::Made;
use crate::rules::Rule;
use crate::saved::Unpack;
use parking_lot::Mutex;
use rushlight_tensor::{DType, Dims, History, Layout, Marks, Result, Tensor, WeakTensor};
use rushlight_types::{Context, Value};
use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
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
    /// The views of a tensor that requires no gradients yet.
    pub views: Vec<WeakTensor>,
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

    fn claim(&self, on: bool) -> bool {
        let mut state = self.state();
        let as_base = state.view.as_mut().is_some_and(|view| {
            view.is_claimed = on;
            view.base.requires_grad()
        });
        let views: Vec<Tensor> = (state.views.iter())
            .filter_map(WeakTensor::upgrade)
            .collect();
        drop(state);
        for view in views {
            Meta::follow_base(&view, on);
        }
        as_base
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

    /// Says what a tensor is a view of, which most have no history of yet.
    pub(crate) fn begin_as_view(tensor: &Tensor, view: View) {
        match Meta::of(tensor) {
            Some(meta) => meta.state().view = Some(view),
            None => {
                let view = Some(view);
                let state = State {
                    view,
                    ..State::default()
                };
                tensor.set_history(Some(Arc::new(Meta(Mutex::new(state)))));
            }
        }
    }

    pub(crate) fn state(&self) -> parking_lot::MutexGuard<'_, State> {
        self.0.lock()
    }

    /// Makes a view require gradients as its base does by now, unless it requires them for itself.
    pub(crate) fn follow_base(view: &Tensor, on: bool) {
        let is_own = Meta::of(view).is_some_and(|meta| {
            let state = meta.state();
            state.source.is_some() || state.view.as_ref().is_some_and(|view| view.is_claimed)
        });
        if !is_own {
            view.set_requires_grad(on);
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
}

/// What a tensor is a view of.
#[derive(Clone)]
pub(crate) struct View {
    /// The tensor that is viewed, itself no view.
    pub base: Tensor,
    /// The base's generation when the view's own source was found.
    pub seen: u64,
    /// Why it may not be written while gradients are recorded, if it may not.
    pub fixed: Option<Fixed>,
    /// Whether the program asks for its own gradient.
    pub is_claimed: bool,
}

/// Where a view lies in the memory of its base.
#[derive(Clone)]
pub(crate) struct Geometry {
    pub base: Layout,
    pub view: Layout,
    /// Whether the elements of the one are complex and those of the other are their parts.
    pub parts: bool,
    /// How the view reads the base's elements.
    pub marks: Marks,
}

/// A write through a view: the base's elements that the view reaches come from the inner node, all others from before.
pub(crate) struct Slice {
    pub geometry: Geometry,
    pub inner: Arc<Node>,
}

/// What is kept of a view that may not be written.
#[derive(Clone, Copy)]
pub(crate) struct Fixed {
    pub made: Made,
    /// How often its base had been written when it was made.
    pub version: u64,
}

/// One result of a node.
#[derive(Clone)]
pub struct Edge {
    pub node: Arc<Node>,
    /// Which of its results.
    pub index: usize,
}

/// What a gradient must look like.
#[derive(Clone)]
pub(crate) struct Shape {
    pub sizes: Dims,
    pub dtype: DType,
}

impl Shape {
    pub fn of(tensor: &Tensor) -> Shape {
        Shape {
            sizes: Dims::from_slice(tensor.sizes()),
            dtype: tensor.dtype(),
        }
    }
}

/// A differentiation that a host program defines.
pub trait Custom: Send + Sync {
    /// The gradients of the arguments from those of the results.
    fn apply(
        &self,
        context: &Context,
        gradients: Vec<Option<Tensor>>,
    ) -> Result<Vec<Option<Tensor>>>;
    /// For those who know what it is.
    fn as_any(&self) -> &dyn Any;
}

pub(crate) enum RecordKind {
    /// The end of the way: a leaf, with its history.
    Leaf(Tensor),
    /// A call of an operator with a rule.
    Call {
        rule: Arc<Rule>,
        /// `None` once the values have been given up.
        saved: Mutex<Option<Saved>>,
    },
    /// A call of an operator that has none, by its name.
    Unknown(&'static str),
    /// The elements of a tensor that a view of it reaches, after a write through the view.
    Slice(Slice),
    /// A view made anew from its base.
    View(Geometry),
    Custom(Arc<dyn Custom>),
}

/// A recorded call.
pub struct Node {
    /// Older nodes have smaller numbers.
    pub(crate) id: u64,
    pub(crate) name: Arc<str>,
    /// Where each differentiable argument comes from, and what its gradient must look like.
    pub(crate) edges: Vec<Option<(Edge, Shape)>>,
    pub(crate) outputs: Vec<Shape>,
    pub(crate) kind: RecordKind,
    /// Who sees the gradients of results.
    pub(crate) watchers: Mutex<Vec<(usize, Watcher)>>,
    pub(crate) hooks: NodeHooks,
    /// Where the program was when it made the node, if anomalies are looked for.
    pub(crate) made: Option<Box<str>>,
}

/// Who sees the gradient of a node's result.
#[derive(Clone)]
pub(crate) enum Watcher {
    /// A hook with its number.
    Hook(u64, Hook),
    /// A tensor that keeps its gradient.
    Keeper(Weak<Meta>),
    /// Who has written the result in place: its name, itself, and which of its results that is.
    Writer(Arc<str>, Weak<Node>, usize),
}

impl Drop for Node {
    /// Long chains are taken apart one by one: each dropped inside the last would be too deep.
    fn drop(&mut self) {
        let mut waiting = std::mem::take(&mut self.edges);
        while let Some(edge) = waiting.pop() {
            let Some((edge, _)) = edge else { continue };
            if let Some(mut node) = Arc::into_inner(edge.node) {
                waiting.append(&mut node.edges);
            }
        }
    }
}

/// The values that derivatives read.
pub(crate) struct Saved {
    /// Of every argument: its value, where that is read, and its sizes, where those are.
    pub arguments: Vec<(SavedValue, Vec<i64>)>,
    pub results: Vec<Option<SavedTensor>>,
    /// How many edges each tensor argument has.
    pub widths: Vec<usize>,
    /// Which arguments require gradients.
    pub wants: Vec<bool>,
}

pub(crate) enum SavedValue {
    Plain(Value),
    Tensor(SavedTensor),
    Tensors(Vec<SavedTensor>),
}

/// A tensor as it was: its memory, its version, and where it came from.
pub(crate) struct SavedTensor {
    pub data: Tensor,
    /// The identity of the tensor that was saved, by which a trace knows it.
    pub identity: usize,
    pub version: u64,
    /// What counts versions where it is not the storage.
    pub writes: Option<Arc<AtomicU64>>,
    pub requires: bool,
    /// Whether its elements are read, which nobody may write then.
    pub is_read: bool,
    /// Whether it is a view, whose source is found anew once its base has been written.
    pub is_view: bool,
    pub history: Option<Arc<Meta>>,
    /// The tensor's own history, which goes on changing: who wrote it last.
    pub own: Weak<Meta>,
    /// Which result of the node it is, if it is one: the node must not keep itself.
    pub result: Option<usize>,
    /// Where the result comes from that was written through a view: another part of what the view is of. The write holds the node
    /// that keeps this.
    pub within: Option<Box<Within>>,
    /// Gives it again where the program keeps it; then it is not here.
    pub unpack: Option<Unpack>,
}

/// A view of what a write through it has made.
pub(crate) struct Within {
    pub whole: Weak<Node>,
    pub whole_shape: Shape,
    pub geometry: Geometry,
}

/// How often a tensor has been written, as its own counter says or else its storage.
pub(crate) fn version(tensor: &Tensor, writes: Option<&Arc<AtomicU64>>) -> u64 {
    writes.map_or_else(|| tensor.version(), |w| w.load(Ordering::Relaxed))
}
