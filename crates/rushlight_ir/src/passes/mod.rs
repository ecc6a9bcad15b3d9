//! Passes: each improves a graph and keeps what it computes.
//!
//! A pass is a function on a graph and a [`Run`], which it asks for leave before each change. [`crate::pipeline`] puts
//! passes together.

pub mod activations;
pub mod batch_mm;
pub mod canonical_outputs;
pub mod common_subexpressions;
pub mod constant_pooling;
pub mod constant_propagation;
pub mod dead_code;
pub mod erase_shapes;
pub mod fuse_linear;
pub mod inline;
pub mod inline_fork_wait;
pub mod lift_closures;
pub mod loop_unrolling;
pub mod lower_tuples;
pub mod narrow_joins;
pub mod narrow_results;
pub mod normalize_operators;
pub mod peephole;
pub mod refine_integers;
pub mod remove_expands;
pub mod remove_mutation;
pub mod rewrite_pattern;
pub mod scalar_constants;
pub mod shapes;
pub mod tuples;

use crate::{Graph, Unit};
use rushlight_types::{OperatorTable, Value};
use std::sync::Arc;

/// What passes may use, and how much they may still do.
pub struct Run<'a> {
    /// The operators that rewrites make calls of.
    pub table: &'static OperatorTable,
    /// The functions that calls can be replaced by.
    pub unit: Option<&'a Arc<Unit>>,
    /// Changes that may still be made; `None` for as many as there are.
    pub fuel: Option<u64>,
    /// Changes made so far.
    pub changes: u64,
}

impl<'a> Run<'a> {
    /// A run without limits.
    pub fn new(table: &'static OperatorTable) -> Run<'a> {
        Run {
            table,
            unit: None,
            fuel: None,
            changes: 0,
        }
    }

    /// Asks for leave to make one change. The change must be made when the answer is yes.
    pub fn may_change(&mut self) -> bool {
        match &mut self.fuel {
            Some(0) => return false,
            Some(left) => *left -= 1,
            None => {}
        }
        self.changes += 1;
        true
    }

    /// Asks for leave to put a node into its usual form, which counts as no change to those who ask whether there was one.
    pub fn may_reorder(&mut self) -> bool {
        let may = self.may_change();
        self.changes -= u64::from(may);
        may
    }
}

/// A pass.
pub type Pass = fn(&mut Graph, &mut Run<'_>);

/// The passes by name, as tests and tools ask for them.
pub const PASSES: &[(&str, Pass)] = &[
    ("activations_in_place", activations::in_place),
    ("activations_out_of_place", activations::out_of_place),
    ("batch_mm", batch_mm::run),
    ("canonical_outputs", canonical_outputs::run),
    ("common_subexpressions", common_subexpressions::run),
    ("constant_loop_unrolling", loop_unrolling::constant_only),
    ("constant_pooling", constant_pooling::run),
    ("constant_propagation", constant_propagation::run),
    (
        "constant_propagation_of_containers",
        constant_propagation::with_containers,
    ),
    ("dead_code", dead_code::run),
    ("dead_code_keeping_writes", dead_code::keeping_writes),
    ("erase_shapes", erase_shapes::run),
    ("fuse_linear", fuse_linear::run),
    ("inline", inline::run),
    ("inline_fork_wait", inline_fork_wait::run),
    ("lift_closures", lift_closures::run),
    ("loop_unrolling", loop_unrolling::run),
    ("list_mutation", remove_mutation::lists),
    ("lower_tuples", lower_tuples::run),
    ("list_idioms", peephole::lists),
    ("peephole", peephole::run),
    ("peephole_shapes", peephole::with_shapes),
    ("narrow_joins", narrow_joins::run),
    ("narrow_results", narrow_results::run),
    ("normalize_operators", normalize_operators::run),
    ("refine_integers", refine_integers::run),
    ("remove_expands", remove_expands::run),
    ("scalar_constants", scalar_constants::run),
    ("tensor_mutation", remove_mutation::tensors),
    ("tensor_mutation_anywhere", remove_mutation::all_tensors),
    ("tuples", tuples::run),
];

/// Whether two constants are the same: floats to the bit, mutable values by identity.
pub(crate) fn same_constant(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::Complex(a), Value::Complex(b)) => {
            a.re.to_bits() == b.re.to_bits() && a.im.to_bits() == b.im.to_bits()
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
