//! What `If` and `Loop` nodes give out has the type of what they are given.
//!
//! An annotation such as `y: Optional[int] = x` widens what later assignments may be, and with it the types of joins; where
//! nothing that is assigned uses that room, the joins have the narrower type.

use super::Run;
use crate::{Graph, NodeId, Prim, ValueId};
use rushlight_types::{Type, unify_list};

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut Run<'_>) {
    // Those inside others first: what they give out may be given out again.
    for node in graph.all_nodes().into_iter().rev() {
        if graph.node(node).is(Prim::If) {
            joined(graph, run, node);
        } else if graph.node(node).is(Prim::Loop) {
            carried(graph, run, node);
        }
    }
}

/// Whether a type came from an annotation that admits several.
fn is_wide(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Any | Type::Union(_) | Type::Optional(_) | Type::Interface(_)
    )
}

/// What an `If` gives out is one of what its branches give.
fn joined(graph: &mut Graph, run: &mut Run<'_>, node: NodeId) {
    for (i, output) in graph.node(node).outputs().to_vec().into_iter().enumerate() {
        if !is_wide(graph.ty(output)) {
            continue;
        }
        let branches = graph.node(node).blocks().iter();
        let types: Vec<Type> = branches
            .map(|block| graph.ty(graph.returns(*block)[i]).clone())
            .collect();
        if let Some(ty) = unify_list(&types, true).filter(|ty| narrows(graph, output, ty))
            && run.may_change()
        {
            graph.set_type(output, ty);
        }
    }
}

/// What a `Loop` carries is what it begins with or what its body gives.
fn carried(graph: &mut Graph, run: &mut Run<'_>, node: NodeId) {
    let body = graph.node(node).blocks()[0];
    for (i, output) in graph.node(node).outputs().to_vec().into_iter().enumerate() {
        let (initial, param) = (graph.node(node).inputs()[2 + i], graph.params(body)[1 + i]);
        let result = graph.returns(body)[1 + i];
        if !is_wide(graph.ty(output)) || result == param {
            continue;
        }
        let types = [graph.ty(initial).clone(), graph.ty(result).clone()];
        if let Some(ty) = unify_list(&types, false).filter(|ty| narrows(graph, output, ty))
            && run.may_change()
        {
            graph.set_type(output, ty.clone());
            graph.set_type(param, ty);
        }
    }
}

fn narrows(graph: &Graph, value: ValueId, ty: &Type) -> bool {
    *ty != Type::Any && ty != graph.ty(value) && ty.is_subtype_of(graph.ty(value))
}
