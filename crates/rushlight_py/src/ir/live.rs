//! Graphs that Python objects share, among them those of functions: what changes the graph of a function changes the
//! function.
//!
//! A function keeps its graph to itself, and Python edits a copy. After an edit the copy is the function's draft: whoever
//! asks for the function's graph next gets what has become of it, if it is well formed and in agreement with the
//! function's schema. While it is not, the function runs what it was, and the copy is kept for it. As long as nobody else
//! changes the function, Python gets the same copy whenever it asks.

use crate::errors::refuse;
use pyo3::prelude::*;
use rushlight::ir::{Draft, Function, Graph, Names, NodeId, Settled, Unit, verify};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError,
    Weak,
};

/// A graph that Python objects share.
struct Shared {
    graph: RwLock<Graph>,
    /// The function that the graph belongs to.
    backing: Option<Backing>,
    /// The node before which nodes are inserted; where there is none, at the end of the graph.
    insert_point: Mutex<Option<NodeId>>,
    /// A weak reference to the Python object of a function's graph.
    object: Mutex<Option<Py<PyAny>>>,
    /// The names of values since the last change, once somebody has asked for one.
    names: Mutex<Option<Arc<Names>>>,
    me: Weak<Shared>,
}

impl Shared {
    fn new(graph: Graph, backing: Option<Backing>) -> Arc<Shared> {
        Arc::new_cyclic(|me| Shared {
            graph: RwLock::new(graph),
            backing,
            insert_point: Mutex::new(None),
            object: Mutex::new(None),
            names: Mutex::new(None),
            me: me.clone(),
        })
    }
}

/// A graph that is being changed. The function that it belongs to hears of it at the end.
pub struct Editing<'a> {
    graph: RwLockWriteGuard<'a, Graph>,
    shared: &'a Arc<Shared>,
}

impl std::ops::Deref for Editing<'_> {
    type Target = Graph;

    fn deref(&self) -> &Graph {
        &self.graph
    }
}

impl std::ops::DerefMut for Editing<'_> {
    fn deref_mut(&mut self) -> &mut Graph {
        &mut self.graph
    }
}

impl Drop for Editing<'_> {
    fn drop(&mut self) {
        if let Some(backing) = &self.shared.backing {
            backing.edited(self.shared);
        }
    }
}

/// A share in a graph.
#[derive(Clone)]
pub struct Handle {
    shared: Arc<Shared>,
    unit: Option<Arc<Unit>>,
}

impl Handle {
    /// A graph of its own.
    pub fn new(graph: Graph, unit: Option<Arc<Unit>>) -> Handle {
        let shared = Shared::new(graph, None);
        Handle { shared, unit }
    }

    /// The graph, to look at.
    pub fn read(&self) -> RwLockReadGuard<'_, Graph> {
        self.shared
            .graph
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The graph, to change.
    pub fn write(&self) -> Editing<'_> {
        let shared = &self.shared;
        let graph = shared.graph.write();
        let graph = graph.unwrap_or_else(PoisonError::into_inner);
        // Nobody reads now, and so nobody asks for names.
        *shared.names.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Editing { graph, shared }
    }

    /// The names of the values of a graph that [`Handle::read`] gave.
    pub fn names(&self, graph: &RwLockReadGuard<'_, Graph>) -> Arc<Names> {
        let names = &self.shared.names;
        let mut names = names.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Names::of(graph));
        names.get_or_insert_with(new).clone()
    }

    /// Refuses nodes that are no longer part of the graph, and what they gave.
    pub fn must_be_there(&self, id: NodeId) -> PyResult<()> {
        match self.read().node(id).is_removed() {
            true => Err(refuse("has been invalidated")),
            false => Ok(()),
        }
    }

    /// Where the functions live that the graph calls.
    pub fn unit(&self) -> Option<&Arc<Unit>> {
        self.unit.as_ref()
    }

    /// Whether this is the same graph.
    pub fn is(&self, other: &Handle) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// The node before which nodes are inserted.
    pub fn insert_point(&self) -> NodeId {
        let point = *self
            .shared
            .insert_point
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let graph = self.read();
        let standing = point.filter(|id| graph.node(*id).block().is_some());
        standing.unwrap_or_else(|| graph.return_node(graph.top()))
    }

    /// Chooses the node before which nodes are inserted; the one before.
    pub fn set_insert_point(&self, point: Option<NodeId>) -> Option<NodeId> {
        let mut known = self
            .shared
            .insert_point
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut known, point)
    }

    /// The weak reference to the Python object of a function's graph.
    pub fn object(&self) -> MutexGuard<'_, Option<Py<PyAny>>> {
        let object = self.shared.object.lock();
        object.unwrap_or_else(PoisonError::into_inner)
    }
}

/// The function behind a graph.
struct Backing {
    function: Weak<Function>,
    /// What the function was last given, or the graph that was copied from it.
    known: Mutex<Arc<Graph>>,
}

impl Backing {
    fn knows(&self, graph: &Arc<Graph>) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::ptr_eq(&known, graph)
    }

    /// Tells the function that the graph was edited, unless somebody else has changed the function since it was copied.
    fn edited(&self, shared: &Arc<Shared>) {
        let Some(function) = self.function.upgrade() else {
            return;
        };
        let draft = draft_of(&function);
        if draft.is_some_and(|draft| Arc::ptr_eq(&draft, shared)) {
            return;
        }
        if function.graph().is_some_and(|now| self.knows(&now)) {
            function.set_draft(shared.clone());
        }
    }

    fn is_alive(&self) -> bool {
        self.function.strong_count() > 0
    }
}

impl Draft for Shared {
    fn settle(&self, function: &Function) -> Settled {
        let graph = match self.graph.try_read() {
            Ok(graph) => graph,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Settled::Busy,
        };
        let Some(backing) = &self.backing else {
            return Settled::Unfit;
        };
        let fits = fits(&graph, function);
        note(function, self, fits);
        if !fits {
            return Settled::Unfit;
        }
        let graph = Arc::new(graph.clone());
        *backing.known.lock().unwrap_or_else(PoisonError::into_inner) = graph.clone();
        Settled::New(graph)
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// The copy that Python has edited since the function was last asked for its graph.
fn draft_of(function: &Function) -> Option<Arc<Shared>> {
    function.draft()?.as_any().downcast().ok()
}

/// Keeps the copy for the function while it does not fit.
fn note(function: &Function, shared: &Shared, fits: bool) {
    let Some(shared) = shared.me.upgrade() else {
        return;
    };
    let copy = Copy {
        shared: Arc::downgrade(&shared),
        kept: (!fits).then_some(shared),
    };
    let mut copies = copies().lock().unwrap_or_else(PoisonError::into_inner);
    copies.insert(std::ptr::from_ref(function) as usize, copy);
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
    let handle = |shared| Handle {
        shared,
        unit: function.unit(),
    };
    if let Some(shared) = draft_of(function) {
        return Some(handle(shared));
    }
    let graph = function.graph()?;
    let mut copies = copies().lock().unwrap_or_else(PoisonError::into_inner);
    let key = Arc::as_ptr(function) as usize;
    let shared = copies.get(&key).and_then(|copy| copy.shared.upgrade());
    if let Some(shared) = shared
        && let Some(backing) = &shared.backing
        && std::ptr::eq(backing.function.as_ptr(), Arc::as_ptr(function))
        && backing.knows(&graph)
    {
        return Some(handle(shared));
    }
    copies.retain(|_, copy| copy.is_needed());
    let backing = Backing {
        function: Arc::downgrade(function),
        known: Mutex::new(graph.clone()),
    };
    let shared = Shared::new((*graph).clone(), Some(backing));
    let copy = Copy {
        shared: Arc::downgrade(&shared),
        kept: None,
    };
    copies.insert(key, copy);
    Some(handle(shared))
}
