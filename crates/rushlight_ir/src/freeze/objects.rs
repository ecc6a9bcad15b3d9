//! Which object a value of a graph is: the module, or what a chain of attributes leads to from it.

use crate::{Attr, Graph, Node, NodeId, Prim, ValueId};
use rushlight_types::{Object, Type, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// A module that is known while freezing, with its path: `self.layers.0`.
#[derive(Clone)]
pub struct Known {
    pub object: Arc<Object>,
    pub path: String,
}

impl Known {
    /// What identifies the object.
    pub fn id(&self) -> usize {
        Arc::as_ptr(&self.object) as usize
    }
}

/// The objects behind the values of a graph.
pub struct Objects {
    known: HashMap<ValueId, Known>,
}

impl Objects {
    /// Follows the attributes of a module through a graph whose first input is the module.
    pub fn of(graph: &Graph, module: &Known) -> Objects {
        let first = graph.inputs().first();
        Objects::from(graph, first.map(|this| (*this, module.clone())).into_iter())
    }

    /// The objects behind the values of a graph that a node of another graph runs.
    pub fn of_body(&self, node: &Node, body: &Graph) -> Objects {
        let given = body.inputs().iter().zip(node.inputs());
        Objects::from(
            body,
            given.filter_map(|(&inner, &outer)| Some((inner, self.get(outer)?.clone()))),
        )
    }

    fn from(graph: &Graph, inputs: impl Iterator<Item = (ValueId, Known)>) -> Objects {
        let mut objects = Objects {
            known: inputs.collect(),
        };
        for id in graph.all_nodes() {
            let node = graph.node(id);
            if let Some((owner, name)) = objects.read(node)
                && let Some(Value::Object(inner)) = owner.object.get(name)
                && inner.class().is_module()
            {
                let found = Known {
                    object: inner,
                    path: format!("{}.{name}", owner.path),
                };
                objects.known.insert(node.outputs()[0], found);
            }
        }
        objects
    }

    /// The object that a value is.
    pub fn get(&self, value: ValueId) -> Option<&Known> {
        self.known.get(&value)
    }

    /// The object and the name that a `GetAttr` reads.
    pub fn read<'n>(&self, node: &'n Node) -> Option<(Known, &'n str)> {
        if !node.is(Prim::GetAttr) {
            return None;
        }
        Some((self.get(node.inputs()[0])?.clone(), node.str_attr("name")?))
    }

    /// The object and the name that a `SetAttr` writes.
    pub fn write<'n>(&self, node: &'n Node) -> Option<(Known, &'n str)> {
        if !node.is(Prim::SetAttr) {
            return None;
        }
        Some((self.get(node.inputs()[0])?.clone(), node.str_attr("name")?))
    }

    /// The values that are objects.
    pub fn iter(&self) -> impl Iterator<Item = (ValueId, &Known)> {
        self.known.iter().map(|(v, k)| (*v, k))
    }
}

/// The graph that a node runs elsewhere or later: that of a task.
pub fn body(node: &Node) -> Option<&Arc<Graph>> {
    if !node.is(Prim::Fork) && !node.is(Prim::Awaitable) {
        return None;
    }
    match node.attr("Subgraph")? {
        Attr::Graph(body) if body.inputs().len() == node.inputs().len() => Some(body),
        _ => None,
    }
}

/// A graph and the graphs that its nodes run, each with its objects.
pub fn with_bodies<'g>(graph: &'g Graph, module: &Known) -> Vec<(&'g Graph, Objects)> {
    let mut out = vec![(graph, Objects::of(graph, module))];
    let mut next = 0;
    while let Some((graph, objects)) = out.get(next) {
        let graph: &'g Graph = graph;
        let mut inner = Vec::new();
        for id in graph.all_nodes() {
            let node = graph.node(id);
            if let Some(body) = body(node) {
                inner.push((&**body, objects.of_body(node, body)));
            }
        }
        out.extend(inner);
        next += 1;
    }
    out
}

/// Changes the graphs that the nodes of a graph run; their objects come with them.
pub fn each_body(
    graph: &mut Graph,
    objects: &Objects,
    change: &mut dyn FnMut(&mut Graph, &Objects),
) {
    for id in graph.all_nodes() {
        let node = graph.node(id);
        let Some(found) = body(node).cloned() else {
            continue;
        };
        let of_body = objects.of_body(node, &found);
        let mut found = (*found).clone();
        change(&mut found, &of_body);
        graph.set_attr(id, "Subgraph", Attr::Graph(Arc::new(found)));
    }
}

/// Takes away the objects that nodes hand to graphs which do not ask for them.
pub fn drop_unused(graph: &mut Graph, objects: &Objects) {
    for id in graph.all_nodes() {
        let Some(found) = body(graph.node(id)).cloned() else {
            continue;
        };
        let unused: Vec<usize> = (0..found.inputs().len())
            .filter(|&i| {
                objects.get(graph.node(id).inputs()[i]).is_some()
                    && found.value(found.inputs()[i]).uses().is_empty()
            })
            .collect();
        if unused.is_empty() {
            continue;
        }
        let mut found = (*found).clone();
        for &i in unused.iter().rev() {
            found.remove_param(found.top(), i);
            graph.remove_input(id, i);
        }
        graph.set_attr(id, "Subgraph", Attr::Graph(Arc::new(found)));
    }
}

/// The object that a dotted path leads to, with the path from the module; the module itself for no path.
pub fn follow(module: &Arc<Object>, path: &str) -> Option<Known> {
    let mut known = Known {
        object: module.clone(),
        path: "self".into(),
    };
    for name in path.split('.').filter(|name| !name.is_empty()) {
        let Some(Value::Object(inner)) = known.object.get(name) else {
            return None;
        };
        known = Known {
            object: inner,
            path: format!("{}.{name}", known.path),
        };
    }
    Some(known)
}

/// The object that holds what a dotted path leads to, and the name that it has there.
pub fn owner_of<'a>(module: &Arc<Object>, path: &'a str) -> Option<(Known, &'a str)> {
    let (owner, name) = path.rsplit_once('.').unwrap_or(("", path));
    Some((follow(module, owner)?, name))
}

/// Whether a dotted path leads to an attribute.
pub fn has_path(module: &Arc<Object>, path: &str) -> bool {
    match path.split_once('.') {
        None => module.class().slot(path).is_some(),
        Some((first, rest)) => match module.get(first) {
            Some(Value::Object(inner)) => has_path(&inner, rest),
            _ => false,
        },
    }
}

/// Gives submodules that are known by an interface the types that they have; whether there were any.
pub fn name_interfaces(graph: &mut Graph, objects: &Objects) -> bool {
    let replaced = |id: &NodeId| {
        let written = objects.write(graph.node(*id));
        written
            .is_some_and(|(owner, name)| matches!(owner.object.get(name), Some(Value::Object(_))))
    };
    if graph.all_nodes().iter().any(replaced) {
        return false;
    }
    let mut found = Vec::new();
    for (value, known) in objects.iter() {
        if let Type::Interface(_) = graph.ty(value) {
            found.push((value, Type::Class(known.object.class().clone())));
        }
    }
    let any = !found.is_empty();
    for (value, ty) in found {
        graph.set_type(value, ty);
    }
    any
}
