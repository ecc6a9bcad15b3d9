//! The table of passes: their names, what they do in a few words, and the functions.

use super::{
    PassRun, activations, batch_mm, canonical_outputs, common_subexpressions, constant_pooling,
    constant_propagation, dead_code, erase_shapes, fuse_linear, inline, inline_fork_wait,
    lift_closures, loop_unrolling, lower_tuples, narrow_joins, narrow_results, normalize_operators,
    peephole, refine_integers, refine_tuples, remove_expands, remove_mutation, scalar_constants,
    tuples,
};
use crate::Graph;

/// A pass.
pub type Pass = fn(&mut Graph, &mut PassRun<'_>);

/// A pass as tests and tools ask for it.
pub struct Named {
    /// The name, which no other pass has.
    pub name: &'static str,
    /// What holds after it, in a few words.
    pub about: &'static str,
    /// The pass.
    pub run: Pass,
}

const fn row(name: &'static str, run: Pass, about: &'static str) -> Named {
    Named { name, about, run }
}

/// The passes, sorted by name.
pub const PASSES: &[Named] = &[
    row(
        "activations_in_place",
        activations::in_place,
        "activations write to their input where nobody else sees it",
    ),
    row(
        "activations_out_of_place",
        activations::out_of_place,
        "activations give a new tensor",
    ),
    row(
        "batch_mm",
        batch_mm::run,
        "sums of products, and products that share a factor, become one larger product",
    ),
    row(
        "canonical_outputs",
        canonical_outputs::run,
        "outputs of `If` and `Loop` stand in the order of their first use",
    ),
    row(
        "common_subexpressions",
        common_subexpressions::run,
        "equal things are computed once",
    ),
    row(
        "constant_loop_unrolling",
        loop_unrolling::constant_only,
        "loops of a few known steps are written out",
    ),
    row(
        "constant_pooling",
        constant_pooling::run,
        "one node for each constant, at the start of the graph",
    ),
    row(
        "constant_propagation",
        constant_propagation::run,
        "what is known before the graph runs is computed",
    ),
    row(
        "constant_propagation_of_containers",
        constant_propagation::with_containers,
        "the same, and lists and dicts become constants too",
    ),
    row(
        "dead_code",
        dead_code::run,
        "what nobody can notice goes away",
    ),
    row(
        "dead_code_keeping_writes",
        dead_code::keeping_writes,
        "the same, but writes to tensors and lists stay",
    ),
    row(
        "erase_shapes",
        erase_shapes::run,
        "types forget the shapes of tensors",
    ),
    row(
        "fuse_linear",
        fuse_linear::run,
        "linear layers that are written out become `aten::linear`",
    ),
    row(
        "inline",
        inline::run,
        "bodies of functions and methods stand where they are called",
    ),
    row(
        "inline_fork_wait",
        inline_fork_wait::run,
        "forked code runs where it is forked",
    ),
    row(
        "lift_closures",
        lift_closures::run,
        "code that runs elsewhere or later gets a graph of its own",
    ),
    row(
        "list_idioms",
        peephole::lists,
        "lengths and elements of lists that nobody writes to become plain values",
    ),
    row(
        "list_lengths",
        refine_integers::lengths,
        "lengths that a comparison has shown to be a constant become it",
    ),
    row(
        "list_mutation",
        remove_mutation::lists,
        "lists are made with what is appended to them right away",
    ),
    row(
        "loop_unrolling",
        loop_unrolling::run,
        "loops are written out: short ones whole, others eight steps at a time",
    ),
    row(
        "lower_tuples",
        lower_tuples::run,
        "tuples leave the edges of the graph and of its blocks",
    ),
    row(
        "narrow_joins",
        narrow_joins::run,
        "what `If` and `Loop` give has the type of what they are given",
    ),
    row(
        "narrow_results",
        narrow_results::run,
        "what branches give has the type of both of them",
    ),
    row(
        "normalize_operators",
        normalize_operators::run,
        "operators with several names go by one of them",
    ),
    row(
        "peephole",
        peephole::run,
        "small patterns become simpler ones",
    ),
    row(
        "peephole_shapes",
        peephole::with_shapes,
        "the same, with what is known of the shapes of tensors",
    ),
    row(
        "refine_integers",
        refine_integers::run,
        "integers that a comparison has shown to be a constant become it",
    ),
    row(
        "remove_expands",
        remove_expands::run,
        "`aten::expand` goes where operators do it by themselves",
    ),
    row(
        "scalar_constants",
        scalar_constants::run,
        "numbers that a trace wrote as tensors become numbers",
    ),
    row(
        "tensor_mutation",
        remove_mutation::tensors,
        "operators that write to tensors become those that make new ones, where the tensor is local",
    ),
    row(
        "tensor_mutation_anywhere",
        remove_mutation::all_tensors,
        "the same for tensors made by any operator",
    ),
    row(
        "tuple_types",
        refine_tuples::run,
        "tuples have the types of what they are made of",
    ),
    row(
        "tuples",
        tuples::run,
        "tuples that were only just made are not taken apart",
    ),
];

#[cfg(test)]
mod tests {
    use super::PASSES;

    #[test]
    fn passes_are_sorted_by_name() {
        assert!(PASSES.is_sorted_by(|a, b| a.name < b.name));
    }
}
