//! What of a graph's memory is written to, and what others can see.

use super::alias::{Aliases, Class};
use crate::{Graph, ValueId};
use std::collections::HashSet;

/// The classes of values that some node writes to, and those that outlive the graph.
pub struct Writers {
    aliases: Aliases,
    /// `None` where everything may be written to.
    written: Option<HashSet<Class>>,
    results: HashSet<Class>,
}

impl Writers {
    /// Analyses a graph.
    pub fn new(graph: &Graph) -> Writers {
        let aliases = Aliases::new(graph);
        let mut written = Some(HashSet::new());
        for node in graph.all_nodes() {
            match (aliases.written(graph, node), &mut written) {
                (Some(classes), Some(known)) => known.extend(classes),
                _ => written = None,
            }
        }
        let results = graph.outputs().iter();
        let results = results.filter_map(|v| aliases.class(graph, *v)).collect();
        Writers {
            aliases,
            written,
            results,
        }
    }

    /// Whether what a value holds may be written to. Values made after the analysis count as never written to.
    pub fn has(&self, graph: &Graph, value: ValueId) -> bool {
        let Some(class) = self.class(graph, value) else {
            return false;
        };
        match &self.written {
            Some(written) => written.contains(&class),
            None => true,
        }
    }

    /// Whether somebody outside of the graph, or a container, may hold the value.
    pub fn escapes(&self, graph: &Graph, value: ValueId) -> bool {
        let class = self.class(graph, value);
        class.is_some_and(|c| self.aliases.is_wild(c) || self.results.contains(&c))
    }

    /// Whether two values may share memory.
    pub fn may_alias(&self, graph: &Graph, a: ValueId, b: ValueId) -> bool {
        match (self.class(graph, a), self.class(graph, b)) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        }
    }

    fn class(&self, graph: &Graph, value: ValueId) -> Option<Class> {
        self.aliases.class(graph, value)
    }
}
