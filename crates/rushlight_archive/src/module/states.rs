//! States that objects save by `__getstate__`: run through `__setstate__`, or kept as the file holds them.
//!
//! Whoever only looks at a file, or writes it again, has no need of its code. Then every such object keeps its state, which
//! saving writes back as it is. What `__setstate__` does no more than copy from the state into an attribute is found by
//! reading its graph, so that most attributes can be shown all the same.

use rushlight_ir::{Graph, NodeId, Prim, ValueId};
use rushlight_types::{Object, Value};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What becomes of states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restore {
    /// `__setstate__` runs.
    #[default]
    Run,
    /// Nothing runs; states are kept.
    Keep,
}

/// Objects with the states that they were not given.
#[derive(Default)]
pub struct KeptStates(Mutex<Vec<(Arc<Object>, Value)>>);

impl KeptStates {
    fn all(&self) -> MutexGuard<'_, Vec<(Arc<Object>, Value)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the state of an object, and sets the attributes that `__setstate__` would copy from it.
    pub(super) fn keep(&self, object: &Arc<Object>, state: Value, set_state: Option<&Graph>) {
        if let Some(graph) = set_state {
            copied(graph, object, &state);
        }
        self.all().push((object.clone(), state));
    }

    /// All states by the addresses of their objects, which live as long as these.
    pub fn by_address(&self) -> HashMap<usize, Value> {
        let of =
            |(object, state): &(Arc<Object>, Value)| (Arc::as_ptr(object) as usize, state.clone());
        self.all().iter().map(of).collect()
    }

    /// Replaces the states for which there is a new one.
    pub(super) fn replace(&self, mut new: impl FnMut(&Value) -> Option<Value>) {
        for (_, state) in self.all().iter_mut() {
            if let Some(changed) = new(state) {
                *state = changed;
            }
        }
    }
}

/// Sets the attributes that a `__setstate__` copies from the state. What follows from anything else stays without a value.
fn copied(graph: &Graph, object: &Arc<Object>, state: &Value) {
    let &[this, given] = graph.inputs() else {
        return;
    };
    let mut known: HashMap<ValueId, Value> = HashMap::from([(given, state.clone())]);
    let mut set: HashSet<usize> = HashSet::new();
    let reaching = reaching(graph, this);
    for id in graph.nodes(graph.top()) {
        let node = graph.node(id);
        let first = node.inputs().first().copied();
        if node.is(Prim::SetAttr) && first == Some(this) {
            let slot = node.str_attr("name").and_then(|n| object.class().slot(n));
            let value = node.inputs().get(1).and_then(|value| known.get(value));
            if let Some(slot) = slot {
                object.set_slot(slot, value.cloned().unwrap_or(Value::Uninitialized));
                set.insert(slot);
            }
        } else if reaching.contains(&id) {
            // It may set any of them to something else.
            set.drain()
                .for_each(|slot| object.set_slot(slot, Value::Uninitialized));
        } else if node.is(Prim::TupleUnpack) {
            if let Some(Value::Tuple(tuple)) = first.and_then(|v| known.get(&v)).cloned() {
                known.extend(
                    node.outputs()
                        .iter()
                        .copied()
                        .zip(tuple.items.iter().cloned()),
                );
            }
        } else if node.is(Prim::TupleIndex) {
            let index = node.inputs().get(1).and_then(|&i| graph.constant(i));
            let item = match (first.and_then(|v| known.get(&v)), index) {
                (Some(Value::Tuple(tuple)), Some(Value::Int(index))) => {
                    item(&tuple.items, index).cloned()
                }
                _ => None,
            };
            known.extend(node.outputs().first().copied().zip(item));
        } else if let Some(&output) = node.outputs().first() {
            known.extend(graph.constant(output).map(|constant| (output, constant)));
        }
    }
}

/// Python's indexing.
fn item(items: &[Value], index: i64) -> Option<&Value> {
    let from_end = if index < 0 { items.len() as i64 } else { 0 };
    items.get(usize::try_from(index.checked_add(from_end)?).ok()?)
}

/// The nodes of the top block that hold an object in their hands, themselves or inside, other than to read it or, in the top
/// block, to set one attribute.
fn reaching(graph: &Graph, this: ValueId) -> HashSet<NodeId> {
    let mut found = HashSet::new();
    for used in graph.value(this).uses() {
        if graph.node(used.node).is(Prim::GetAttr) {
            continue;
        }
        // From the innermost block outwards; the last is the top.
        let inside = graph.enclosing_blocks(used.node);
        let mut owners = inside
            .iter()
            .filter_map(|&block| graph.block(block).owner());
        found.insert(owners.next_back().unwrap_or(used.node));
    }
    found
}
