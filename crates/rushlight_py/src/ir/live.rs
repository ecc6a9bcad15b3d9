//! Graphs that Python shares with functions: what changes the graph of a function changes the function.
//!
//! A function keeps its graph to itself, and Python edits a copy. The copy goes back after every edit that leaves it well
//! formed and in agreement with the function's schema; while it is not, the function stays what it was. As long as
//! nobody else changes the function, Python gets the same copy whenever it asks.

use super::{Handle, Shared};
use rushlight::ir::{Function, Graph, verify};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The function behind a graph.
pub struct Backing {
    function: Weak<Function>,
    /// What the function was last given, or the graph that was copied from it.
    known: Mutex<Arc<Graph>>,
}

impl Backing {
    fn knows(&self, graph: &Arc<Graph>) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::ptr_eq(&known, graph)
    }

    /// Gives the function an edited graph, if it fits.
    pub fn publish(&self, graph: &Graph) {
        let Some(function) = self.function.upgrade() else {
            return;
        };
        if !function.graph().is_some_and(|now| self.knows(&now)) || !fits(graph, &function) {
            return;
        }
        function.set_graph(graph.clone());
        if let Some(now) = function.graph() {
            *self.known.lock().unwrap_or_else(PoisonError::into_inner) = now;
        }
    }
}

fn fits(graph: &Graph, function: &Function) -> bool {
    let inputs = function
        .known_schema()
        .is_some_and(|schema| schema.arguments.len() == graph.inputs().len());
    inputs && graph.outputs().len() == 1 && verify::verify(graph).is_ok()
}

type Copies = Mutex<HashMap<usize, Weak<Shared>>>;

fn copies() -> &'static Copies {
    static COPIES: std::sync::OnceLock<Copies> = std::sync::OnceLock::new();
    COPIES.get_or_init(Copies::default)
}

/// The graph of a function, as Python shares it.
pub fn graph_of(function: &Arc<Function>) -> Option<Handle> {
    let graph = function.graph()?;
    let mut copies = copies().lock().unwrap_or_else(PoisonError::into_inner);
    let key = Arc::as_ptr(function) as usize;
    let shared = copies.get(&key).and_then(Weak::upgrade);
    if let Some(shared) = shared
        && let Some(backing) = &shared.backing
        && std::ptr::eq(backing.function.as_ptr(), Arc::as_ptr(function))
        && backing.knows(&graph)
    {
        return Some(Handle(shared));
    }
    copies.retain(|_, shared| shared.strong_count() > 0);
    let backing = Backing {
        function: Arc::downgrade(function),
        known: Mutex::new(graph.clone()),
    };
    let shared = Shared::new((*graph).clone(), function.unit(), Some(backing));
    copies.insert(key, Arc::downgrade(&shared));
    Some(Handle(shared))
}
