//! Results declared as `Any`: the reference writes down that each returned value becomes one.

use rushlight_ir::{BlockId, Graph, Prim, ValueId};
use rushlight_types::Type;

/// How many `return` statements a graph under construction has.
pub(super) fn count_returns(graph: &Graph) -> usize {
    let nodes = graph.all_nodes();
    nodes
        .iter()
        .filter(|n| graph.node(**n).is(Prim::ReturnStmt))
        .count()
}

/// Casts the result to `Any`: behind the value of the only `return`, or in the branches that several ended in.
pub(super) fn cast(graph: &mut Graph, returns: usize) {
    let top = graph.top();
    if let [result] = graph.returns(top) {
        let result = cast_in(graph, top, *result, returns > 1);
        graph.set_returns(top, &[result]);
    }
}

fn cast_in(graph: &mut Graph, block: BlockId, value: ValueId, into_branches: bool) -> ValueId {
    let node = graph.value(value).node();
    if into_branches && graph.node(node).is(Prim::If) && graph.node(node).block() == Some(block) {
        let outputs = graph.node(node).outputs();
        let Some(index) = outputs.iter().position(|o| *o == value) else {
            return value;
        };
        for branch in graph.node(node).blocks().to_vec() {
            let mut returns = graph.returns(branch).to_vec();
            returns[index] = cast_in(graph, branch, returns[index], true);
            graph.set_returns(branch, &returns);
        }
        graph.set_type(value, Type::Any);
        return value;
    }
    if *graph.ty(value) == Type::Any {
        return value;
    }
    let cast = graph.create(Prim::UncheckedCast, &[value], &[Type::Any]);
    graph.append(block, cast);
    graph.node(cast).outputs()[0]
}
