//! Forgets what the types of a graph say about the shapes of tensors.

use super::Run;
use crate::{Graph, ValueId};
use rushlight_types::{TupleType, Type};
use std::sync::Arc;

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut Run<'_>) {
    let mut values: Vec<ValueId> = graph.inputs().to_vec();
    for id in graph.all_nodes() {
        let node = graph.node(id);
        values.extend(node.outputs());
        for &block in node.blocks() {
            values.extend(graph.params(block));
        }
    }
    for value in values {
        let plain = shapeless(graph.ty(value));
        if plain != *graph.ty(value) && run.may_change() {
            graph.set_type(value, plain);
        }
    }
}

/// The type without what it says about the shapes of tensors.
fn shapeless(ty: &Type) -> Type {
    match ty {
        Type::Tensor(_) => Type::TENSOR,
        Type::Optional(inner) => Type::optional(shapeless(inner)),
        Type::List(inner) => Type::list(shapeless(inner)),
        Type::Dict(types) => Type::dict(shapeless(&types.0), shapeless(&types.1)),
        Type::Tuple(tuple) => Type::Tuple(Arc::new(TupleType {
            elements: tuple.elements.iter().map(shapeless).collect(),
            ..(**tuple).clone()
        })),
        other => other.clone(),
    }
}
