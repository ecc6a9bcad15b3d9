//! Passes: each improves a graph and keeps what it computes.
//!
//! A pass is a function on a graph and a [`PassRun`], which it asks for leave before each change. [`crate::pipeline`] puts
//! passes together.

pub mod activations;
pub mod attributes_first;
pub mod batch_mm;
pub mod canonical_outputs;
pub mod common_subexpressions;
pub mod complex_apart;
pub mod constant_pooling;
pub mod constant_propagation;
pub mod dead_code;
pub mod erase_shapes;
pub mod fuse_linear;
pub mod inline;
pub mod inline_fork_wait;
pub mod last_round;
pub mod lift_closures;
pub mod loop_unrolling;
pub mod lower_tuples;
pub mod narrow_joins;
pub mod narrow_results;
pub mod normalize_operators;
pub mod pairs;
pub mod peephole;
pub mod refine_integers;
pub mod refine_tuples;
pub mod remove_expands;
pub mod remove_mutation;
pub mod rewrite_pattern;
pub mod scalar_constants;
pub mod shapes;
pub mod spared_lists;
mod table;
pub mod tuples;

pub use table::{Named, PASSES, Pass};

use crate::{Graph, NodeId, Unit};
use rushlight_tensor::{DType, Scalar, Tensor};
use rushlight_types::{OperatorTable, Value};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What passes may use, and how much they may still do.
pub struct PassRun<'a> {
    /// The operators that rewrites make calls of.
    pub table: &'static OperatorTable,
    /// The functions that calls can be replaced by.
    pub unit: Option<&'a Arc<Unit>>,
    /// Changes that may still be made; `None` for as many as there are.
    pub fuel: Option<u64>,
    /// The dtype of new tensors that do not ask for one.
    pub default_dtype: DType,
    /// Changes made so far.
    pub changes: u64,
    /// Whether who watches this thread may stop the passes between any two changes, by unwinding: nothing that lives on
    /// may see the graph then.
    pub stoppable: bool,
}

impl<'a> PassRun<'a> {
    /// A run without limits.
    pub fn new(table: &'static OperatorTable) -> PassRun<'a> {
        PassRun {
            table,
            unit: None,
            fuel: None,
            default_dtype: DType::F32,
            changes: 0,
            stoppable: false,
        }
    }

    /// Asks for leave to make one change. The change must be made when the answer is yes.
    pub fn may_change(&mut self) -> bool {
        self.poll();
        match &mut self.fuel {
            Some(0) => return false,
            Some(left) => *left -= 1,
            None => {}
        }
        self.changes += 1;
        true
    }

    /// Ends here where somebody wants the passes to stop, and they may be stopped.
    pub fn poll(&self) {
        if self.stoppable {
            rushlight_tensor::watch::poll();
        }
    }

    /// Asks for leave to put a node into its usual form, which counts as no change to those who ask whether there was one.
    pub fn may_reorder(&mut self) -> bool {
        let may = self.may_change();
        self.changes -= u64::from(may);
        may
    }
}

/// A copy of a graph in which everything that is found at a node has been changed; `None` where there is nothing.
pub(crate) fn changed_copy<T>(
    graph: &Graph,
    find: impl Fn(&Graph, NodeId) -> Option<T>,
    change: impl Fn(T, &mut Graph),
) -> Option<Graph> {
    let mut nodes = graph.all_nodes().into_iter();
    nodes.find(|node| find(graph, *node).is_some())?;
    let mut out = graph.copy();
    for node in out.all_nodes() {
        if let Some(found) = find(&out, node) {
            change(found, &mut out);
        }
    }
    Some(out)
}

/// A hash of a constant: of those that are the same, whether as [`same_constant`] or as tensors of equal elements, it is the same.
pub(crate) fn constant_hash(value: &Value) -> u64 {
    let mut state = DefaultHasher::new();
    hash_constant(value, &mut state);
    state.finish()
}

fn hash_constant(value: &Value, state: &mut DefaultHasher) {
    std::mem::discriminant(value).hash(state);
    match value {
        Value::Bool(value) => value.hash(state),
        Value::Int(value) => value.hash(state),
        Value::Float(value) => value.to_bits().hash(state),
        Value::Complex(value) => [value.re, value.im].map(unsigned_zero).hash(state),
        Value::Str(value) => value.hash(state),
        Value::Device(value) => value.hash(state),
        Value::Tuple(tuple) => {
            tuple.items.len().hash(state);
            for item in &tuple.items {
                hash_constant(item, state);
            }
        }
        Value::IntList(list) => list.lock().hash(state),
        Value::BoolList(list) => list.lock().hash(state),
        Value::Tensor(tensor) => {
            tensor.dtype().hash(state);
            tensor.sizes().hash(state);
            hash_first(tensor, state);
        }
        _ => {}
    }
}

/// The first number of a tensor that has any. Both zeros are equal.
fn hash_first(tensor: &Tensor, state: &mut DefaultHasher) {
    let narrowed = |t: Tensor, dim| t.narrow(dim, 0, 1);
    let first = (0..tensor.rank()).try_fold(tensor.clone(), narrowed);
    match first.and_then(|first| first.item()) {
        Ok(Scalar::Bool(value)) => value.hash(state),
        Ok(Scalar::Int(value)) => value.hash(state),
        Ok(Scalar::Float(value)) => (value + 0.0).to_bits().hash(state),
        Ok(Scalar::Complex(_)) | Err(_) => {}
    }
}

/// The bits of a part of a complex number, which is the same with either zero.
pub fn unsigned_zero(part: f64) -> u64 {
    (part + 0.0).to_bits()
}

/// Whether two constants are the same: floats to the bit, mutable values by identity.
pub(crate) fn same_constant(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::Complex(a), Value::Complex(b)) => {
            [a.re, a.im].map(unsigned_zero) == [b.re, b.im].map(unsigned_zero)
        }
        (Value::Tuple(a), Value::Tuple(b)) => {
            a.items.len() == b.items.len()
                && a.items
                    .iter()
                    .zip(b.items.iter())
                    .all(|(a, b)| same_constant(a, b))
        }
        (Value::Int(_), Value::Int(_))
        | (Value::Bool(_), Value::Bool(_))
        | (Value::Str(_), Value::Str(_))
        | (Value::None, Value::None)
        | (Value::Device(_), Value::Device(_)) => a == b,
        (Value::Int(_) | Value::Bool(_) | Value::Float(_), _) => false,
        (Value::Function(a), Value::Function(b)) => {
            std::ptr::addr_eq(Arc::as_ptr(a.as_ref()), Arc::as_ptr(b.as_ref()))
        }
        (Value::IntList(_), Value::IntList(_)) | (Value::BoolList(_), Value::BoolList(_)) => a == b,
        _ => a.is_same(b),
    }
}
