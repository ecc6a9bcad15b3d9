//! What an archive holds: modules, methods, arguments, operators, and what its code has fixed.

pub mod frozen;
pub mod inputs;
mod json;

pub use json::fields;
use rushlight::ir::{Function, NodeKind};
use rushlight::types::{Object, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The objects among the attributes of an object, by name.
pub fn children(object: &Object) -> Vec<(String, Arc<Object>)> {
    object
        .class()
        .attributes()
        .into_iter()
        .filter_map(|a| match object.get(&a.name) {
            Some(Value::Object(inner)) => Some((a.name.to_string(), inner)),
            _ => None,
        })
        .collect()
}

/// Counts the operators in the graph of a function. Gives the names of those that there are not.
pub fn count(function: &Function, used: &mut BTreeMap<String, usize>) -> BTreeSet<String> {
    let mut missing = BTreeSet::new();
    let Some(graph) = function.graph() else {
        return missing;
    };
    for node in graph.all_nodes() {
        match graph.node(node).kind {
            NodeKind::Op(op) => *used.entry(op.full_name().to_string()).or_default() += 1,
            NodeKind::Unknown(name) => {
                missing.insert(name.as_str().to_string());
            }
            NodeKind::Prim(_) => {}
        }
    }
    missing
}
