//! Views and writes through them: a write through a view changes where the viewed tensor comes from.

use crate::Engine;
use crate::fixed::leads_nowhere;
use crate::history::{
    Edge, Fixed, Geometry, Meta, Node, RecordKind, Shape, Slice, State, View, Watcher, Within,
};
use crate::made::Made;
use crate::node::attach;
use rushlight_tensor::{DType, Dims, Layout, Marks, Result, Tensor, WeakTensor, memory};
use rushlight_types::{Context, Value};
use std::sync::Arc;

impl Geometry {
    fn of(view: &Tensor, base: &Tensor) -> Geometry {
        Geometry {
            base: base.layout().clone(),
            view: view.layout().clone(),
            parts: view.dtype().is_complex() != base.dtype().is_complex(),
            marks: view.marks().and(base.marks()),
        }
    }

    /// The node of a view made anew from its base, which comes from an edge.
    pub fn node(self, base: (Edge, Shape)) -> Arc<Node> {
        let shape = Shape {
            sizes: Dims::from_slice(self.view.sizes()),
            dtype: self.across(base.1.dtype),
        };
        let name = "AsStridedBackward0".into();
        Node::new(name, vec![Some(base)], vec![shape], RecordKind::View(self))
    }

    /// The dtype of the other side's gradient.
    fn across(&self, dtype: DType) -> DType {
        match (self.parts, dtype.is_complex()) {
            (false, _) => dtype,
            (true, true) => dtype.to_real(),
            (true, false) => dtype.to_complex(),
        }
    }

    /// How much of a memory both reach, in elements of the base.
    fn reach(&self, dtype: DType) -> usize {
        let end = |l: &Layout, dtype: DType| l.end().unwrap_or(0).saturating_mul(dtype.size());
        let bytes = end(&self.base, dtype).max(end(&self.view, self.across(dtype)));
        bytes.div_ceil(dtype.size())
    }

    /// Zeros of a dtype laid out like the base, and the part of them that the view reaches.
    pub fn spread(&self, dtype: DType) -> Result<(Tensor, Tensor)> {
        let memory = Tensor::zeros(&[self.reach(dtype)], dtype)?;
        let part = Tensor::view_of(&memory.storage(), self.across(dtype), self.view.clone())?;
        Ok((
            memory.view_with(self.base.clone())?,
            part.marked(self.marks),
        ))
    }
}

/// Says that `view` is a view of `of`, for writes through it: as a call that is recorded does.
pub fn declare(view: &Tensor, of: &Tensor) {
    declare_made(view, of, None);
}

/// As [`declare`], of a view that may not be written while gradients are recorded. Views of such ones are like them.
pub(crate) fn declare_made(view: &Tensor, of: &Tensor, made: Option<Made>) {
    let (base, before) = match Meta::of(of).and_then(|m| m.state().view.clone()) {
        Some(view) => (view.base, view.fixed.map(|fixed| fixed.made)),
        None => (of.clone(), None),
    };
    let own = Meta::of(&base);
    let seen = own.as_ref().map_or(0, |m| m.state().generation);
    let fixed = before.or(made).map(|made| Fixed::new(made, &base));
    if !base.requires_grad() && may_require(view) {
        let own = own.unwrap_or_else(|| Meta::ensure(&base));
        own.state().know(view);
    }
    let of_base = View {
        base,
        seen,
        fixed,
        is_claimed: false,
    };
    Meta::begin_as_view(view, of_base);
}

/// Whether what a view of a tensor would be a view of requires gradients: a view may for itself.
pub(crate) fn base_requires(of: &Tensor) -> bool {
    let view = Meta::of(of).and_then(|m| m.state().view.clone());
    view.map_or_else(|| of.requires_grad(), |view| view.base.requires_grad())
}

/// Whether a tensor is of elements that have gradients.
fn may_require(tensor: &Tensor) -> bool {
    tensor.dtype().is_float() || tensor.dtype().is_complex()
}

impl State {
    /// Remembers a view. Those that are gone are forgotten when the list would grow, which keeps it in proportion.
    fn know(&mut self, view: &Tensor) {
        if self.views.len() == self.views.capacity() {
            self.views.retain(WeakTensor::lives);
        }
        self.views.push(view.downgrade());
    }
}

/// A write to a tensor has brought gradients in: its views require them as it does.
fn wake_views(own: &Arc<Meta>) {
    let views = {
        let mut state = own.state();
        state.generation += 1;
        std::mem::take(&mut state.views)
    };
    for view in views.iter().filter_map(WeakTensor::upgrade) {
        if let Some(meta) = Meta::of(&view) {
            refresh(&view, &meta);
            Meta::follow_base(&view, true);
        }
    }
}

/// Finds a view's source anew if its base has been written through another view since.
pub(crate) fn refresh(tensor: &Tensor, meta: &Arc<Meta>) {
    let Some(view) = meta.state().view.clone() else {
        return;
    };
    if view.fixed.is_some() {
        return;
    }
    let Some(generation) = Meta::of(&view.base).map(|m| m.state().generation) else {
        return;
    };
    if generation == view.seen {
        return;
    }
    let edge = (source_of(&view.base), Shape::of(&view.base));
    let node = Geometry::of(tensor, &view.base).node(edge);
    let mut state = meta.state();
    state.source = Some(Edge { node, index: 0 });
    if let Some(view) = &mut state.view {
        view.seen = generation;
    }
    drop(state);
    tensor.set_requires_grad(true);
}

/// Where a tensor that requires gradients comes from, and what its gradient must look like.
pub(crate) fn edge_of(tensor: &Tensor) -> Option<(Edge, Shape)> {
    let leads = tensor.requires_grad() && !leads_nowhere(tensor);
    leads.then(|| (source_of(tensor), Shape::of(tensor)))
}

/// The node that a tensor's gradient goes to: its source, or for a leaf the one that adds to `.grad`.
pub(crate) fn source_of(tensor: &Tensor) -> Edge {
    let meta = Meta::ensure(tensor);
    refresh(tensor, &meta);
    let mut state = meta.state();
    if let Some(source) = &state.source {
        return source.clone();
    }
    if let Some(node) = state.accumulator.upgrade() {
        return Edge { node, index: 0 };
    }
    // Programs get the tensor itself back from the node. It keeps the node no longer than somebody else does.
    let leaf = if tensor.requires_grad() {
        tensor.clone()
    } else {
        let leaf = tensor.alias();
        leaf.set_history(Some(meta.clone()));
        leaf.set_requires_grad(true);
        leaf
    };
    let node = Node::new(
        "AccumulateGrad".into(),
        Vec::new(),
        vec![Shape::of(tensor)],
        RecordKind::Leaf(leaf),
    );
    state.accumulator = Arc::downgrade(&node);
    Edge { node, index: 0 }
}

impl Edge {
    /// The node that a tensor comes from; none for leaves.
    pub fn source(tensor: &Tensor) -> Option<Edge> {
        let meta = Meta::of(tensor)?;
        refresh(tensor, &meta);
        let state = meta.state();
        state.source.clone()
    }
}

/// Finds the source of a view that no call has given one, where its base has one.
fn find_again(view: &Tensor) {
    let meta = Meta::ensure(view);
    let mut state = meta.state();
    let Some(known) = &mut state.view else { return };
    if known.base.requires_grad() {
        known.seen = u64::MAX;
        drop(state);
        refresh(view, &meta);
    }
}

/// Makes a tensor that got other sizes in place depend on the node of that. What it is a view of stays as it was.
pub(crate) fn reshape(tensor: &Tensor, node: &Arc<Node>, index: usize) {
    let meta = Meta::ensure(tensor);
    let before = meta.state().source.clone();
    attach(tensor, node, index);
    hand_over(&meta, before);
    // Views of the tensor find their source anew.
    wake_views(&meta);
}

/// The node that a tensor came from knows who has written it. A tensor that keeps its gradient keeps that of what was
/// written last.
fn hand_over(meta: &Arc<Meta>, before: Option<Edge>) {
    let now = meta.state().source.clone();
    let (Some(before), Some(now)) = (before, now) else {
        return;
    };
    if Arc::ptr_eq(&before.node, &now.node) {
        return;
    }
    if let Some(keeper) = before.node.take_keeper(before.index, meta) {
        now.node.watch(now.index, keeper);
    }
    let (name, node) = (now.node.name.clone(), Arc::downgrade(&now.node));
    let writer = Watcher::Writer(name, node, now.index);
    before.node.watch(before.index, writer);
}

/// Makes a tensor that was written in place depend on the node of the write; through it, what it is a view of.
pub(crate) fn rebase(tensor: &Tensor, node: &Arc<Node>, index: usize) {
    let view = Meta::of(tensor).and_then(|m| m.state().view.clone());
    let Some(view) = view else {
        return reshape(tensor, node, index);
    };
    let base = &view.base;
    let own = base
        .requires_grad()
        .then(|| (source_of(base), Shape::of(base)));
    // The view's own edge is the first of the inner node's, by the way that writes are recorded; what it stood for now
    // comes through the base.
    let mut edges = vec![own];
    edges.extend(node.edges.iter().cloned());
    let geometry = Geometry::of(tensor, base);
    let slice = Node::new(
        "CopySlices".into(),
        edges,
        vec![Shape::of(base)],
        RecordKind::Slice(Slice {
            geometry: geometry.clone(),
            inner: node.clone(),
        }),
    );
    let of_base = Meta::ensure(base);
    let before_of_base = of_base.state().source.clone();
    attach(base, &slice, 0);
    hand_over(&of_base, before_of_base);
    wake_views(&of_base);
    node.keep_result_within(index, || Within {
        whole: Arc::downgrade(&slice),
        whole_shape: Shape::of(base),
        geometry,
    });
    let meta = Meta::ensure(tensor);
    let before = meta.state().source.clone();
    refresh(tensor, &meta);
    hand_over(&meta, before);
}

impl Geometry {
    /// The gradient of the base from that of the view.
    pub fn apply(&self, pen: &Pen<'_>, gradient: &Tensor) -> Result<Tensor> {
        if self.view.may_overlap() && self.marks == Marks::NONE && !self.parts {
            return self.sum(pen, gradient);
        }
        let (whole, part) = self.spread(self.across(gradient.dtype()))?;
        pen.write(&part, &whole, gradient)?;
        Ok(whole)
    }
}

impl Geometry {
    /// As [`Geometry::apply`], of a view that has elements of the base more than once.
    fn sum(&self, pen: &Pen<'_>, gradient: &Tensor) -> Result<Tensor> {
        let reach = self.reach(gradient.dtype());
        let numbers = memory::collect((0..reach).map(|i| i as i64));
        let places = Tensor::from_vec(numbers, &[reach])?.view_with(self.view.clone())?;
        let places = places.contiguous_copy().reshape(&[-1])?;
        let (engine, operators) = (pen.engine, &pen.engine.parts().operators);
        let row = vec![gradient.clone().into(), Value::from(vec![-1i64])];
        let row = engine.one(pen.context, operators.reshape, row)?;
        let zeros = Tensor::zeros(&[reach], gradient.dtype())?;
        let sum = vec![zeros.into(), Value::Int(0), places.into(), row.into()];
        let sum = engine.one(pen.context, operators.index_add, sum)?;
        let list = |numbers: &[usize]| {
            Value::from(numbers.iter().map(|n| *n as i64).collect::<Vec<i64>>())
        };
        let base = &self.base;
        let whole = vec![
            sum.into(),
            list(base.sizes()),
            list(base.strides()),
            Value::Int(base.offset() as i64),
        ];
        engine.one(pen.context, operators.as_strided, whole)
    }
}

impl Slice {
    /// The gradients of the base as it was, of nothing for the view, and of what was written, which `inner` finds.
    pub fn apply(
        &self,
        pen: &Pen<'_>,
        gradient: &Tensor,
        inner: impl FnOnce(&Arc<Node>, Tensor) -> Result<Vec<Option<Tensor>>>,
    ) -> Result<Vec<Option<Tensor>>> {
        let (whole, part) = self.geometry.spread(gradient.dtype())?;
        pen.write(&whole, &whole, gradient)?;
        let mut out = inner(&self.inner, pen.copy(&part, &whole)?)?;
        // What the write leaves of the old elements: the first argument of the inner node is the written tensor.
        match out.first_mut().and_then(Option::take) {
            Some(own) => pen.write(&part, &whole, &own)?,
            None => pen.write(&part, &whole, &Tensor::zeros(part.sizes(), part.dtype())?)?,
        }
        let mut all = vec![Some(whole), None];
        all.extend(out.into_iter().skip(1));
        Ok(all)
    }
}

/// Writes gradients, as calls of operators where the run backwards is itself recorded.
pub(crate) struct Pen<'a> {
    pub engine: &'a Engine,
    pub context: &'a Context,
    pub is_recorded: bool,
}

impl Pen<'_> {
    /// Writes elements to a tensor that is a part of another, or all of it.
    fn write(&self, part: &Tensor, whole: &Tensor, elements: &Tensor) -> Result<()> {
        if !self.is_recorded {
            return part.copy_from(elements);
        }
        if !part.is(whole) {
            declare(part, whole);
            find_again(part);
        }
        self.engine.write(self.context, part, elements)
    }

    /// The elements of a part.
    fn copy(&self, part: &Tensor, whole: &Tensor) -> Result<Tensor> {
        if !self.is_recorded {
            return Ok(part.contiguous_copy());
        }
        let view = part.alias();
        declare(&view, whole);
        find_again(&view);
        self.engine.clone_dense(self.context, &view)
    }
}
