//! Values that stay as they were made: nothing in the graph writes to them.

use crate::analysis::alias::Aliases;
use crate::passes::same_constant;
use crate::{Graph, Prim, ValueId};
use rushlight_types::Value;
use std::collections::HashSet;

/// The lists, dictionaries and tensors of a graph that stay as they were made.
pub struct Unwritten {
    values: HashSet<ValueId>,
    /// Those, and others that leave the graph or go into containers.
    in_graph: HashSet<ValueId>,
}

impl Unwritten {
    pub fn new(graph: &Graph) -> Unwritten {
        let aliases = Aliases::new(graph);
        let mut written = Vec::new();
        for node in graph.all_nodes() {
            match aliases.written(graph, node) {
                Some(classes) => written.extend(classes),
                None => {
                    return Unwritten {
                        values: HashSet::new(),
                        in_graph: HashSet::new(),
                    };
                }
            }
        }
        let wild_writes = written.iter().any(|c| aliases.is_wild(*c));
        let (mut values, mut in_graph) = (HashSet::new(), HashSet::new());
        for node in graph.all_nodes() {
            for &value in graph.node(node).outputs() {
                let Some(class) = aliases.class(graph, value) else {
                    // What cannot change.
                    in_graph.insert(value);
                    continue;
                };
                let is_wild = aliases.is_wild(class);
                if written.contains(&class) || is_wild && wild_writes {
                    continue;
                }
                in_graph.insert(value);
                if !is_wild {
                    values.insert(value);
                }
            }
        }
        Unwritten { values, in_graph }
    }

    /// Whether nothing in the graph writes to a value, whatever others may do with it.
    pub fn holds_in_graph(&self, value: ValueId) -> bool {
        self.in_graph.contains(&value)
    }

    /// Whether a value stays as it was made.
    pub fn holds(&self, value: ValueId) -> bool {
        self.values.contains(&value)
    }

    /// The elements of a list that stays as it was constructed.
    pub fn items(&self, graph: &Graph, list: ValueId) -> Option<Vec<ValueId>> {
        let source = graph.node(graph.value(list).node());
        (self.holds(list) && source.is(Prim::ListConstruct)).then(|| source.inputs().to_vec())
    }

    /// The entries of a dictionary that stays as it was constructed, where the keys are constants that differ.
    pub fn entries(&self, graph: &Graph, dict: ValueId) -> Option<Vec<(Value, ValueId)>> {
        let source = graph.node(graph.value(dict).node());
        if !self.holds(dict) || !source.is(Prim::DictConstruct) {
            return None;
        }
        let mut entries: Vec<(Value, ValueId)> = Vec::new();
        for pair in source.inputs().chunks_exact(2) {
            let key = graph.constant(pair[0])?;
            let is_plain = matches!(key, Value::Int(_) | Value::Str(_) | Value::Float(_));
            if !is_plain || entries.iter().any(|(k, _)| same_constant(k, &key)) {
                return None;
            }
            entries.push((key, pair[1]));
        }
        Some(entries)
    }
}
