//! Graphs that Python shares with functions: what changes the graph of a function changes the function.
//!
//! A function keeps its graph to itself, and Python edits a copy. The copy goes back after every edit that leaves it well
//! formed and in agreement with the function's schema; while it is not, the function runs what it was, and the copy is
//! kept for it. As long as nobody else changes the function, Python gets the same copy whenever it asks.

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

    /// Gives the function an edited graph, if it fits; the copy is kept otherwise.
    pub fn publish(&self, shared: &Arc<Shared>, graph: &Graph) {
        let Some(function) = self.function.upgrade() else {
            return;
        };
        if !function.graph().is_some_and(|now| self.knows(&now)) {
            return;
        }
        let fits = fits(graph, &function);
        if fits {
            function.set_graph(graph.clone());
            if let Some(now) = function.graph() {
                *self.known.lock().unwrap_or_else(PoisonError::into_inner) = now;
            }
        }
        let mut copies = copies().lock().unwrap_or_else(PoisonError::into_inner);
        let key = Arc::as_ptr(&function) as usize;
        let copy = Copy {
            kept: (!fits).then(|| shared.clone()),
            shared: Arc::downgrade(shared),
        };
        copies.insert(key, copy);
    }

    fn is_alive(&self) -> bool {
        self.function.strong_count() > 0
    }
}

fn fits(graph: &Graph, function: &Function) -> bool {
    let inputs = function
        .known_schema()
        .is_some_and(|schema| schema.arguments.len() == graph.inputs().len());
    inputs && graph.outputs().len() == 1 && verify::verify(graph).is_ok()
}

/// A copy that Python may hold.
struct Copy {
    shared: Weak<Shared>,
    /// The copy itself, while it says what the function does not.
    kept: Option<Arc<Shared>>,
}

impl Copy {
    fn is_needed(&self) -> bool {
        let backing = self.kept.as_ref().and_then(|kept| kept.backing.as_ref());
        match backing {
            Some(backing) => backing.is_alive(),
            None => self.shared.strong_count() > 0,
        }
    }
}

type Copies = Mutex<HashMap<usize, Copy>>;

fn copies() -> &'static Copies {
    static COPIES: std::sync::OnceLock<Copies> = std::sync::OnceLock::new();
    COPIES.get_or_init(Copies::default)
}

/// The graph of a function, as Python shares it.
pub fn graph_of(function: &Arc<Function>) -> Option<Handle> {
    let graph = function.graph()?;
    let mut copies = copies().lock().unwrap_or_else(PoisonError::into_inner);
    let key = Arc::as_ptr(function) as usize;
    let shared = copies.get(&key).and_then(|copy| copy.shared.upgrade());
    if let Some(shared) = shared
        && let Some(backing) = &shared.backing
        && std::ptr::eq(backing.function.as_ptr(), Arc::as_ptr(function))
        && backing.knows(&graph)
    {
        return Some(Handle(shared));
    }
    copies.retain(|_, copy| copy.is_needed());
    let backing = Backing {
        function: Arc::downgrade(function),
        known: Mutex::new(graph.clone()),
    };
    let shared = Shared::new((*graph).clone(), function.unit(), Some(backing));
    let copy = Copy {
        shared: Arc::downgrade(&shared),
        kept: None,
    };
    copies.insert(key, copy);
    Some(Handle(shared))
}
