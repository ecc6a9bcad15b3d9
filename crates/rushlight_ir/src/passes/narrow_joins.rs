//! What `If` and `Loop` nodes give out has the type of what they are given.
//!
//! An annotation such as `y: Optional[int] = x` widens what later assignments may be, and with it the types of joins; where
//! nothing that is assigned uses that room, the joins have the narrower type. Joins are given to joins, around loops too:
//! all are taken to be of no type at first, and grow until they hold what they are given.

use super::PassRun;
use crate::{Graph, Prim, ValueId};
use rushlight_types::{Type, unify_list};
use std::collections::HashMap;

/// A place where values meet.
struct Join {
    /// What holds any of the values.
    targets: Vec<ValueId>,
    values: Vec<ValueId>,
    /// The type by annotation.
    declared: Type,
    /// Whether values of several types are a union of them.
    to_union: bool,
}

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    let joins = wide_joins(graph);
    let types = narrowest(graph, &joins);
    let narrowed: Vec<(ValueId, &Type)> = types
        .iter()
        .filter(|(target, ty)| *ty != graph.ty(**target))
        .map(|(target, ty)| (*target, ty))
        .collect();
    if !narrowed.is_empty() && run.may_change() {
        for (target, ty) in narrowed {
            graph.set_type(target, ty.clone());
        }
    }
}

/// The joins whose types came from annotations that admit several.
fn wide_joins(graph: &Graph) -> Vec<Join> {
    let is_wide = |value: ValueId| {
        matches!(
            graph.ty(value),
            Type::Any | Type::Union(_) | Type::Optional(_) | Type::Interface(_)
        )
    };
    let mut joins = Vec::new();
    for id in graph.all_nodes() {
        let node = graph.node(id);
        let is_loop = node.is(Prim::Loop);
        if !is_loop && !node.is(Prim::If) {
            continue;
        }
        for (i, &output) in node.outputs().iter().enumerate() {
            if !is_wide(output) {
                continue;
            }
            let mut targets = vec![output];
            let values = if is_loop {
                let body = node.blocks()[0];
                let (param, result) = (graph.params(body)[1 + i], graph.returns(body)[1 + i]);
                if result == param {
                    continue;
                }
                targets.push(param);
                vec![node.inputs()[2 + i], result]
            } else {
                let blocks = node.blocks().iter();
                blocks.map(|block| graph.returns(*block)[i]).collect()
            };
            joins.push(Join {
                targets,
                values,
                declared: graph.ty(output).clone(),
                to_union: !is_loop,
            });
        }
    }
    joins
}

/// The types of what joins hold, by what they are given.
fn narrowest(graph: &Graph, joins: &[Join]) -> HashMap<ValueId, Type> {
    let targets = joins.iter().flat_map(|join| &join.targets);
    let mut types: HashMap<ValueId, Option<Type>> = targets.map(|t| (*t, None)).collect();
    loop {
        // Those inside others first: what they hold may be given to those around.
        let mut changed = false;
        for join in joins.iter().rev() {
            let given = join
                .values
                .iter()
                .filter_map(|value| match types.get(value) {
                    Some(ty) => ty.clone(),
                    None => Some(graph.ty(*value).clone()),
                });
            let given: Vec<Type> = given.collect();
            if given.is_empty() {
                continue;
            }
            let old = types[&join.targets[0]].as_ref();
            // Types only grow, at most to the one by annotation: so this comes to an end.
            let ty = unify_list(&given, join.to_union)
                .filter(|ty| *ty != Type::Any && ty.is_subtype_of(&join.declared))
                .filter(|ty| old.is_none_or(|old| old.is_subtype_of(ty)))
                .unwrap_or_else(|| join.declared.clone());
            if old != Some(&ty) {
                changed = true;
                for target in &join.targets {
                    types.insert(*target, Some(ty.clone()));
                }
            }
        }
        if !changed {
            let known = types.into_iter();
            return known.filter_map(|(t, ty)| Some((t, ty?))).collect();
        }
    }
}
