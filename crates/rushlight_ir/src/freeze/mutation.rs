//! Which attributes methods may write: by assignment, or through what an attribute holds.

use super::objects::Objects;
use crate::analysis::alias::is_mutable;
use crate::{Graph, Node, NodeKind, Prim, ValueId};
use rushlight_tensor::Tensor;
use rushlight_types::{AliasInfo, Fault, Result, Value};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// An attribute: the object's identity and the name.
pub type Place = (usize, String);

/// The attributes that any of the methods may write, and those that are to be preserved, with all that share their memory.
pub fn written_attributes(
    graphs: &[(&Graph, Objects)],
    preserved: impl Iterator<Item = Place>,
) -> HashSet<Place> {
    let mut written = HashSet::new();
    for (graph, objects) in graphs {
        changed(graph, objects, &mut written);
    }
    share_classes(graphs, &mut written);
    for (graph, objects) in graphs {
        assigned(graph, objects, &mut written);
    }
    written.extend(preserved);
    share(graphs, &mut written);
    written
}

/// What is changed inside of one object stays in all objects of its class, as in the reference.
fn share_classes(graphs: &[(&Graph, Objects)], written: &mut HashSet<Place>) {
    let mut objects: HashMap<usize, usize> = HashMap::new();
    for (_, known) in graphs {
        for (_, known) in known.iter() {
            objects.insert(known.id(), Arc::as_ptr(known.object.class()) as usize);
        }
    }
    let mut of_classes: HashSet<(usize, String)> = HashSet::new();
    for (object, name) in written.iter() {
        if let Some(class) = objects.get(object) {
            of_classes.insert((*class, name.clone()));
        }
    }
    for (object, class) in &objects {
        let same = of_classes.iter().filter(|(known, _)| known == class);
        written.extend(same.map(|(_, name)| (*object, name.clone())));
    }
}

fn assigned(graph: &Graph, objects: &Objects, written: &mut HashSet<Place>) {
    for id in graph.all_nodes() {
        if let Some((owner, name)) = objects.write(graph.node(id)) {
            written.insert((owner.id(), name.to_string()));
        }
    }
}

/// The attributes that a value may be, and those that it may hold parts of.
#[derive(Clone, Default)]
struct Origin {
    is: HashSet<Place>,
    holds: HashSet<Place>,
}

/// What values come from.
#[derive(Default)]
struct Origins {
    of: HashMap<ValueId, Origin>,
    /// The attributes that are part of what was assigned to others.
    assigned: HashMap<Place, HashSet<Place>>,
}

impl Origins {
    /// Adds what a value may be and hold; whether that was not known.
    fn add(&mut self, graph: &Graph, value: ValueId, more: &Origin) -> bool {
        if !is_mutable(graph.ty(value)) || more.is.is_empty() && more.holds.is_empty() {
            return false;
        }
        let known = self.of.entry(value).or_default();
        let before = known.is.len() + known.holds.len();
        known.is.extend(more.is.iter().cloned());
        known.holds.extend(more.holds.iter().cloned());
        known.is.len() + known.holds.len() > before
    }

    /// One value is the other, or a view of it.
    fn alias(&mut self, graph: &Graph, from: ValueId, to: ValueId) -> bool {
        let Some(origin) = self.of.get(&from).cloned() else {
            return false;
        };
        self.add(graph, to, &origin)
    }

    /// One value goes into the other.
    fn put(&mut self, graph: &Graph, from: ValueId, into: ValueId) -> bool {
        let Some(origin) = self.of.get(&from).cloned() else {
            return false;
        };
        let holds = origin.is.into_iter().chain(origin.holds).collect();
        let inside = Origin {
            holds,
            ..Origin::default()
        };
        self.add(graph, into, &inside)
    }

    /// One value comes out of the other.
    fn take(&mut self, graph: &Graph, from: ValueId, out: ValueId) -> bool {
        let Some(origin) = self.of.get(&from).cloned() else {
            return false;
        };
        let outside = Origin {
            is: origin.holds.clone(),
            holds: origin.holds,
        };
        self.add(graph, out, &outside)
    }
}

/// Attributes that something writes to: values that may be one are followed through the graph. As in the reference, what
/// an attribute holds may be written to without the attribute being so; the constant that it becomes holds the same.
fn changed(graph: &Graph, objects: &Objects, written: &mut HashSet<Place>) {
    let mut origins = Origins::default();
    loop {
        let mut grown = false;
        for id in graph.all_nodes() {
            let node = graph.node(id);
            if let Some((owner, name)) = objects.write(node)
                && let Some(&value) = node.inputs().last()
                && let Some(assigned) = origins.of.get(&value).cloned()
            {
                // What is read from the attribute later may be, or hold, the same.
                let place = (owner.id(), name.to_string());
                let known = origins.assigned.entry(place).or_default();
                let before = known.len();
                known.extend(assigned.is.into_iter().chain(assigned.holds));
                grown |= known.len() > before;
            }
            if let Some((owner, name)) = objects.read(node)
                && objects.get(node.outputs()[0]).is_none()
            {
                let place = (owner.id(), name.to_string());
                let holds = origins.assigned.get(&place).cloned().unwrap_or_default();
                let is = HashSet::from([place]);
                let origin = Origin { is, holds };
                grown |= origins.add(graph, node.outputs()[0], &origin);
                continue;
            }
            grown |= flow(graph, node, &mut origins);
        }
        if !grown {
            break;
        }
    }
    for id in graph.all_nodes() {
        let node = graph.node(id);
        for value in writes(node) {
            let Some(origin) = origins.of.get(&value) else {
                continue;
            };
            written.extend(origin.is.iter().cloned());
            if node.operator().is_none() {
                written.extend(origin.holds.iter().cloned());
            }
        }
    }
}

/// The alias sets of an argument or a result.
fn sets(alias: Option<&AliasInfo>) -> &[Arc<str>] {
    alias.map_or(&[], |alias| &alias.before)
}

/// Whether two have a set in common; the wildcard is none.
fn meet(a: &[Arc<str>], b: &[Arc<str>]) -> bool {
    a.iter().any(|set| &**set != "*" && b.contains(set))
}

/// Carries what is known of the inputs of a node to its results; whether anything was new.
fn flow(graph: &Graph, node: &Node, origins: &mut Origins) -> bool {
    let mut grown = false;
    let (inputs, outputs) = (node.inputs(), node.outputs());
    match node.kind {
        NodeKind::Prim(Prim::If | Prim::Loop) => {
            // Whatever goes in, or comes out of the blocks, may come out of the node.
            let blocks = node.blocks().iter();
            let returns = blocks.clone().flat_map(|&b| graph.returns(b).to_vec());
            let sources: Vec<ValueId> = inputs.iter().copied().chain(returns).collect();
            let params = blocks.flat_map(|&b| graph.params(b).to_vec());
            for to in outputs.iter().copied().chain(params) {
                for &from in &sources {
                    grown |= origins.alias(graph, from, to);
                }
            }
        }
        NodeKind::Prim(Prim::ListConstruct | Prim::TupleConstruct | Prim::DictConstruct) => {
            for &from in inputs {
                grown |= origins.put(graph, from, outputs[0]);
            }
        }
        NodeKind::Prim(Prim::ListUnpack | Prim::TupleUnpack | Prim::TupleIndex | Prim::GetAttr) => {
            for &to in outputs {
                grown |= origins.take(graph, inputs[0], to);
            }
        }
        NodeKind::Op(op) => {
            let schema = op.schema();
            for (i, &to) in outputs.iter().enumerate() {
                let result = schema.returns.get(i);
                for (formal, &from) in schema.arguments.iter().zip(inputs) {
                    let from_sets = sets(formal.alias.as_ref());
                    let result_sets = sets(result.and_then(|r| r.alias.as_ref()));
                    let elements = result.and_then(|r| r.alias.as_ref());
                    let elements = elements.map_or(&[][..], |alias| &alias.contained);
                    if meet(from_sets, result_sets) {
                        grown |= origins.alias(graph, from, to);
                    } else if elements.iter().any(|e| meet(from_sets, sets(Some(e)))) {
                        grown |= origins.put(graph, from, to);
                    } else if result.is_none_or(|r| r.alias.is_some() || !r.ty.is_tensor()) {
                        grown |= origins.take(graph, from, to);
                    }
                }
            }
            // What goes into a container may be reached through it: `xs.append(self.t)`.
            if let Some((&container, rest)) = inputs.split_first()
                && schema.arguments.first().is_some_and(|a| a.is_written())
                && !graph.ty(container).is_tensor()
            {
                for &from in rest {
                    grown |= origins.put(graph, from, container);
                }
            }
        }
        NodeKind::Prim(_) | NodeKind::Unknown(_) => {
            for &to in outputs {
                for &from in inputs {
                    grown |= origins.alias(graph, from, to);
                }
            }
        }
    }
    grown
}

/// The inputs that a node may write to.
fn writes(node: &Node) -> Vec<ValueId> {
    match node.kind {
        NodeKind::Op(op) => {
            let formals = op.schema().arguments.iter();
            let written = formals.zip(node.inputs()).filter(|(formal, _)| {
                let alias = formal.alias.as_ref();
                alias.is_some_and(|a| a.is_write || a.contained.iter().any(|c| c.is_write))
            });
            written.map(|(_, &value)| value).collect()
        }
        NodeKind::Prim(
            Prim::CallFunction | Prim::CallMethod | Prim::PythonOp | Prim::Fork | Prim::Awaitable,
        )
        | NodeKind::Unknown(_) => node.inputs().to_vec(),
        NodeKind::Prim(_) => Vec::new(),
    }
}

/// The attributes that the graphs read, with their values.
fn held(graphs: &[(&Graph, Objects)]) -> Vec<(Place, Value)> {
    let mut held: Vec<(Place, Value)> = Vec::new();
    let mut seen = HashSet::new();
    for (graph, objects) in graphs {
        for id in graph.all_nodes() {
            if let Some((owner, name)) = objects.read(graph.node(id))
                && let Some(value) = owner.object.get(name)
            {
                let place = (owner.id(), name.to_string());
                if seen.insert(place.clone()) {
                    held.push((place, value));
                }
            }
        }
    }
    held
}

/// Attributes that hold the memory of a written one are written too.
fn share(graphs: &[(&Graph, Objects)], written: &mut HashSet<Place>) {
    let held = held(graphs);
    let changed: HashSet<usize> = held
        .iter()
        .filter(|(place, _)| written.contains(place))
        .flat_map(|(_, value)| parts(value))
        .collect();
    for (place, value) in held {
        if parts(&value).iter().any(|part| changed.contains(part)) {
            written.insert(place);
        }
    }
}

/// Refuses attributes that would be constants of their own and yet hold the same memory, unless they are the same.
pub fn check_overlaps(graphs: &[(&Graph, Objects)], kept: &HashSet<Place>) -> Result<()> {
    let mut known: HashSet<usize> = HashSet::new();
    let mut whole: HashSet<usize> = HashSet::new();
    for (place, value) in held(graphs) {
        let parts = parts(&value);
        let Some(own) = parts.last() else { continue };
        if kept.contains(&place) || whole.contains(own) {
            continue;
        }
        if parts.iter().any(|part| known.contains(part)) {
            return Err(Fault::runtime(format!(
                "module contains attributes values that overlaps {value:?}"
            )));
        }
        whole.insert(*own);
        known.extend(parts);
    }
    Ok(())
}

/// Values nested deeper than this are not looked into.
const MAX_DEPTH: usize = 50;

/// What identifies the memory of a value and of all that it holds, itself last.
fn parts(value: &Value) -> Vec<usize> {
    let mut found = Vec::new();
    gather(value, &mut found, 0);
    found
}

fn gather(value: &Value, found: &mut Vec<usize>, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::Tensor(tensor) => found.push(tensor.storage_id()),
        Value::TensorList(list) => {
            found.extend(list.lock().iter().map(Tensor::storage_id));
            found.push(list.id());
        }
        Value::IntList(list) => found.push(list.id()),
        Value::FloatList(list) => found.push(list.id()),
        Value::BoolList(list) => found.push(list.id()),
        Value::List(list) => {
            let items = list.items.lock().clone();
            items.iter().for_each(|item| gather(item, found, depth + 1));
            found.push(Arc::as_ptr(list) as usize);
        }
        Value::Tuple(tuple) => {
            let items = tuple.items.iter();
            items.for_each(|item| gather(item, found, depth + 1));
            found.push(Arc::as_ptr(tuple) as usize);
        }
        Value::Dict(dict) => {
            let items: Vec<Value> = dict.items.lock().values().cloned().collect();
            items.iter().for_each(|item| gather(item, found, depth + 1));
            found.push(Arc::as_ptr(dict) as usize);
        }
        Value::Object(object) if !object.class().is_module() => {
            found.push(Arc::as_ptr(object) as usize);
        }
        _ => {}
    }
}
