//! Which attributes methods may write: by assignment, or through what an attribute holds.

use super::objects::Objects;
use crate::analysis::alias::is_mutable;
use crate::{Graph, Node, NodeKind, Prim, ValueId};
use rushlight_tensor::Tensor;
use rushlight_types::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// An attribute: the object's identity and the name.
pub type Place = (usize, String);

/// The attributes that any of the methods may write.
pub fn written_attributes(graphs: &[(&Graph, Objects)]) -> HashSet<Place> {
    let mut written = HashSet::new();
    for (graph, objects) in graphs {
        changed(graph, objects, &mut written);
    }
    share_classes(graphs, &mut written);
    for (graph, objects) in graphs {
        assigned(graph, objects, &mut written);
    }
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

/// Attributes whose content something writes to: values that may hold parts of it are followed through the graph.
fn changed(graph: &Graph, objects: &Objects, written: &mut HashSet<Place>) {
    let mut parts: HashMap<ValueId, HashSet<Place>> = HashMap::new();
    loop {
        let mut grown = false;
        for id in graph.all_nodes() {
            let node = graph.node(id);
            if let Some((owner, name)) = objects.read(node)
                && objects.get(node.outputs()[0]).is_none()
                && is_mutable(graph.ty(node.outputs()[0]))
            {
                let place = (owner.id(), name.to_string());
                grown |= parts.entry(node.outputs()[0]).or_default().insert(place);
                continue;
            }
            grown |= flow(graph, node, &mut parts);
        }
        if !grown {
            break;
        }
    }
    for id in graph.all_nodes() {
        let node = graph.node(id);
        for value in writes(node) {
            if let Some(places) = parts.get(&value) {
                written.extend(places.iter().cloned());
            }
        }
    }
}

/// Whether the results of a node may hold parts of its inputs.
fn hands_on(node: &Node) -> bool {
    match node.kind {
        NodeKind::Op(op) => op
            .schema()
            .returns
            .iter()
            .any(|r| r.alias.is_some() || !r.ty.is_tensor()),
        NodeKind::Prim(_) | NodeKind::Unknown(_) => true,
    }
}

fn flow(graph: &Graph, node: &Node, parts: &mut HashMap<ValueId, HashSet<Place>>) -> bool {
    let mut grown = false;
    let carry = |from: ValueId, to: ValueId, parts: &mut HashMap<ValueId, HashSet<Place>>| {
        if !is_mutable(graph.ty(to)) {
            return false;
        }
        let Some(held) = parts.get(&from).cloned() else {
            return false;
        };
        let target = parts.entry(to).or_default();
        let before = target.len();
        target.extend(held);
        target.len() > before
    };
    if node.is(Prim::If) || node.is(Prim::Loop) {
        // Whatever goes in, or comes out of the blocks, may come out of the node.
        let returns = node
            .blocks()
            .iter()
            .flat_map(|&b| graph.returns(b).to_vec());
        let sources: Vec<ValueId> = node.inputs().iter().copied().chain(returns).collect();
        let params = node.blocks().iter().flat_map(|&b| graph.params(b).to_vec());
        let targets: Vec<ValueId> = node.outputs().iter().copied().chain(params).collect();
        for &from in &sources {
            for &to in &targets {
                grown |= carry(from, to, parts);
            }
        }
        return grown;
    }
    if hands_on(node) {
        for &from in node.inputs() {
            for &to in node.outputs() {
                grown |= carry(from, to, parts);
            }
        }
    }
    // What goes into a container may be reached through it: `xs.append(self.t)`.
    if let (NodeKind::Op(op), Some((&container, rest))) = (node.kind, node.inputs().split_first())
        && op
            .schema()
            .arguments
            .first()
            .is_some_and(|a| a.alias.as_ref().is_some_and(|i| i.is_write))
        && !graph.ty(container).is_tensor()
    {
        for &from in rest {
            grown |= carry(from, container, parts);
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
            Prim::CallFunction
            | Prim::CallMethod
            | Prim::PythonOp
            | Prim::Fork
            | Prim::Awaitable
            | Prim::SetAttr,
        )
        | NodeKind::Unknown(_) => node.inputs().to_vec(),
        NodeKind::Prim(_) => Vec::new(),
    }
}

/// Attributes that hold the memory of a written one are written too.
fn share(graphs: &[(&Graph, Objects)], written: &mut HashSet<Place>) {
    let mut held: Vec<(Place, Value)> = Vec::new();
    for (graph, objects) in graphs {
        for id in graph.all_nodes() {
            if let Some((owner, name)) = objects.read(graph.node(id))
                && let Some(value) = owner.object.get(name)
            {
                held.push(((owner.id(), name.to_string()), value));
            }
        }
    }
    let changed: Vec<Value> = held
        .iter()
        .filter(|(place, _)| written.contains(place))
        .map(|(_, value)| value.clone())
        .collect();
    for (place, value) in held {
        if changed.iter().any(|other| same_memory(&value, other)) {
            written.insert(place);
        }
    }
}

fn same_memory(a: &Value, b: &Value) -> bool {
    let tensors = |a: &Tensor, b: &Tensor| a.shares_storage(b);
    match (a, b) {
        (Value::Tensor(a), Value::Tensor(b)) => tensors(a, b),
        (Value::IntList(a), Value::IntList(b)) => a.is(b),
        (Value::FloatList(a), Value::FloatList(b)) => a.is(b),
        (Value::BoolList(a), Value::BoolList(b)) => a.is(b),
        (Value::TensorList(a), Value::TensorList(b)) => a.is(b),
        (Value::List(a), Value::List(b)) if Arc::ptr_eq(a, b) => true,
        (Value::Dict(a), Value::Dict(b)) if Arc::ptr_eq(a, b) => true,
        _ => {
            let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
            gather(a, &mut of_a, 0);
            gather(b, &mut of_b, 0);
            of_a.iter().any(|a| of_b.iter().any(|b| tensors(a, b)))
        }
    }
}

/// Values nested deeper than this are not looked into.
const MAX_DEPTH: usize = 50;

/// The tensors that a value holds.
fn gather(value: &Value, found: &mut Vec<Tensor>, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::Tensor(tensor) => found.push(tensor.clone()),
        Value::TensorList(list) => found.extend(list.lock().iter().cloned()),
        Value::List(list) => {
            let items = list.items.lock().clone();
            items.iter().for_each(|item| gather(item, found, depth + 1));
        }
        Value::Tuple(tuple) => {
            let items = tuple.items.iter();
            items.for_each(|item| gather(item, found, depth + 1));
        }
        Value::Dict(dict) => {
            let items: Vec<Value> = dict.items.lock().values().cloned().collect();
            items.iter().for_each(|item| gather(item, found, depth + 1));
        }
        _ => {}
    }
}
