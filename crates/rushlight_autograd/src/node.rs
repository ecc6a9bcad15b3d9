//! What was recorded: a node per call, edges to the nodes that its arguments come from, and saved values.

use crate::hooks::{After, Before, NodeHooks};
use crate::meta::{Hook, Meta};
use crate::rules::Rule;
use crate::saved::{self, Unpack};
use crate::view::{Geometry, Slice};
use parking_lot::Mutex;
use rushlight_tensor::{DType, Dims, Fault, History, Result, Tensor};
use rushlight_types::{Context, Operator, Value};
use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

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

pub(crate) enum Kind {
    /// The end of the way: a leaf, with its history.
    Leaf(Tensor),
    /// A call of an operator with a rule.
    Call {
        rule: Arc<Rule>,
        /// `None` once the values have been given up.
        saved: Mutex<Option<Saved>>,
    },
    /// A call of an operator that has none.
    Unknown(&'static Operator),
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
    name: Arc<str>,
    /// Where each differentiable argument comes from, and what its gradient must look like.
    pub(crate) edges: Vec<Option<(Edge, Shape)>>,
    pub(crate) outputs: Vec<Shape>,
    pub(crate) kind: Kind,
    /// Who sees the gradients of results.
    watchers: Mutex<Vec<(usize, Watcher)>>,
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
}

static COUNT: AtomicU64 = AtomicU64::new(0);

impl Node {
    pub(crate) fn new(
        name: Arc<str>,
        edges: Vec<Option<(Edge, Shape)>>,
        outputs: Vec<Shape>,
        kind: Kind,
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

    /// The node of a differentiation that a host program defines: `results` come from `arguments`.
    pub fn custom(
        name: &str,
        arguments: &[Option<Tensor>],
        results: &[Tensor],
        written: &[Tensor],
        custom: Arc<dyn Custom>,
    ) {
        let edges = arguments
            .iter()
            .map(|a| a.as_ref().and_then(edge_of))
            .collect();
        let outputs = results.iter().map(Shape::of).collect();
        let node = Node::new(name.into(), edges, outputs, Kind::Custom(custom));
        for (index, result) in results.iter().enumerate() {
            match written.iter().any(|w| w.is(result)) {
                true => crate::view::rebase(result, &node, index),
                false => {
                    attach(result, &node, index);
                    crate::fixed::given_by_program(result, results.len());
                }
            }
        }
    }

    pub(crate) fn watch(&self, index: usize, watcher: Watcher) {
        self.watchers.lock().push((index, watcher));
    }

    pub(crate) fn forget(&self, number: u64) {
        let is_it = |w: &Watcher| matches!(w, Watcher::Hook(n, _) if *n == number);
        self.watchers.lock().retain(|(_, watcher)| !is_it(watcher));
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
            Kind::Leaf(leaf) => Some(leaf),
            _ => None,
        }
    }

    /// The differentiation that a host program has defined.
    pub fn as_custom(&self) -> Option<&Arc<dyn Custom>> {
        match &self.kind {
            Kind::Custom(custom) => Some(custom),
            _ => None,
        }
    }
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

/// Makes a result depend on a node.
pub(crate) fn attach(tensor: &Tensor, node: &Arc<Node>, index: usize) {
    let meta = Meta::ensure(tensor);
    meta.state().source = Some(Edge {
        node: node.clone(),
        index,
    });
    tensor.set_requires_grad(true);
}

/// Where a tensor that requires gradients comes from, and what its gradient must look like.
pub(crate) fn edge_of(tensor: &Tensor) -> Option<(Edge, Shape)> {
    let leads = tensor.requires_grad() && !crate::fixed::leads_nowhere(tensor);
    leads.then(|| (source_of(tensor), Shape::of(tensor)))
}

/// The node that a tensor's gradient goes to: its source, or for a leaf the one that adds to `.grad`.
pub(crate) fn source_of(tensor: &Tensor) -> Edge {
    let meta = Meta::ensure(tensor);
    crate::view::refresh(tensor, &meta);
    let mut state = meta.state();
    if let Some(source) = &state.source {
        return source.clone();
    }
    if let Some(node) = state.accumulator.upgrade() {
        return Edge { node, index: 0 };
    }
    let leaf = tensor.alias();
    leaf.set_history(Some(meta.clone()));
    leaf.set_requires_grad(true);
    let node = Node::new(
        "AccumulateGrad".into(),
        Vec::new(),
        vec![Shape::of(tensor)],
        Kind::Leaf(leaf),
    );
    state.accumulator = Arc::downgrade(&node);
    Edge { node, index: 0 }
}

impl Edge {
    /// The node that a tensor comes from; none for leaves.
    pub fn source(tensor: &Tensor) -> Option<Edge> {
        let meta = Meta::of(tensor)?;
        crate::view::refresh(tensor, &meta);
        let state = meta.state();
        state.source.clone()
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
    data: Tensor,
    version: u64,
    /// What counts versions where it is not the storage.
    writes: Option<Arc<AtomicU64>>,
    requires: bool,
    history: Option<Arc<Meta>>,
    /// The tensor's own history, which goes on changing: who wrote it last.
    own: Weak<Meta>,
    /// Which result of the node it is, if it is one: the node must not keep itself.
    result: Option<usize>,
    /// Gives it again where the program keeps it; then it is not here.
    unpack: Option<Unpack>,
}

impl SavedTensor {
    pub fn new(tensor: &Tensor) -> SavedTensor {
        let writes = Meta::writes(tensor);
        SavedTensor {
            data: tensor.alias(),
            version: version(tensor, writes.as_ref()),
            writes,
            requires: tensor.requires_grad(),
            history: tensor.requires_grad().then(|| snapshot(tensor)),
            own: Meta::of(tensor).map_or_else(Weak::new, |own| Arc::downgrade(&own)),
            result: None,
            unpack: None,
        }
    }

    /// Gives the tensor to the program, where that keeps what is saved.
    pub fn given(mut self, tensor: &Tensor) -> Result<SavedTensor> {
        if let Some(unpack) = saved::pack(tensor)? {
            self.data = Tensor::empty(&[0], self.data.dtype())?;
            self.unpack = Some(unpack);
        }
        Ok(self)
    }

    /// A tensor that is about to be written: a copy, with the history of the tensor.
    pub fn before_write(tensor: &Tensor) -> SavedTensor {
        let data = tensor.contiguous_copy();
        SavedTensor {
            version: data.version(),
            data,
            writes: None,
            ..SavedTensor::new(tensor)
        }
    }

    pub fn of_result(tensor: &Tensor, index: usize) -> SavedTensor {
        let writes = Meta::writes(tensor);
        SavedTensor {
            data: tensor.alias(),
            version: version(tensor, writes.as_ref()),
            writes,
            requires: true,
            history: None,
            own: Weak::new(),
            result: Some(index),
            unpack: None,
        }
    }

    /// The node that the tensor is a result of by now, and which.
    fn writer(&self) -> Option<(usize, String)> {
        let history = self.own.upgrade().or_else(|| self.history.clone())?;
        self.history.as_ref()?;
        crate::view::refresh(&self.data, &history);
        let state = history.state();
        let edge = state.source.as_ref()?;
        Some((edge.index, edge.node.name().to_string()))
    }

    /// Whether the tensor required gradients.
    pub fn requires(&self) -> bool {
        self.requires
    }

    /// The tensor again; with its history where a gradient of a gradient is asked for.
    pub fn restore(&self, node: &Arc<Node>, with_history: bool) -> Result<Tensor> {
        let tensor = match &self.unpack {
            Some(unpack) => unpack()?.alias(),
            None => self.unchanged(node)?,
        };
        if with_history && self.requires {
            match self.result {
                Some(index) => attach(&tensor, node, index),
                None => {
                    let history = self.history.clone();
                    tensor.set_history(history.map(|h| h as Arc<dyn History>));
                    tensor.set_requires_grad(true);
                }
            }
        }
        Ok(tensor)
    }

    /// The tensor, if nobody has written it since.
    fn unchanged(&self, node: &Arc<Node>) -> Result<Tensor> {
        let now = version(&self.data, self.writes.as_ref());
        if now != self.version {
            let differentiable = self.data.dtype().is_float() || self.data.dtype().is_complex();
            let writer = match self.result {
                Some(index) if differentiable => Some((index, node.name().to_string())),
                Some(_) => None,
                None => self.writer(),
            };
            let place = writer.map_or_else(String::new, |(index, name)| {
                format!(", which is output {index} of {},", short(&name))
            });
            return Err(Fault::runtime(format!(
                "one of the variables needed for gradient computation has been modified by an inplace operation: [torch.{}Tensor {}]{place} is at version {}; expected version {} instead. Hint: {}",
                self.data.dtype().class_name(),
                rushlight_tensor::layout::list(self.data.sizes()),
                now,
                self.version,
                crate::anomaly::hint()
            )));
        }
        Ok(self.data.alias())
    }
}

/// How often a tensor has been written, as its own counter says or else its storage.
pub(crate) fn version(tensor: &Tensor, writes: Option<&Arc<AtomicU64>>) -> u64 {
    writes.map_or_else(|| tensor.version(), |w| w.load(Ordering::Relaxed))
}

/// `Exp` for `ExpBackward0`.
pub(crate) fn short(name: &str) -> &str {
    if name == "CopySlices" {
        return "torch::autograd::CopySlices";
    }
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
    bare.strip_suffix("Backward").unwrap_or(name)
}

/// The history of a tensor as it is now: leaves share theirs, others get one of their own, for a write in place changes
/// where the tensor comes from.
fn snapshot(tensor: &Tensor) -> Arc<Meta> {
    match Edge::source(tensor) {
        None => Meta::ensure(tensor),
        Some(edge) => {
            let meta = Meta::default();
            meta.state().source = Some(edge);
            Arc::new(meta)
        }
    }
}
