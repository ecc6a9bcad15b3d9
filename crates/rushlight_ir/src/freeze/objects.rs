//! Which object a value of a graph is: the module, or what a chain of attributes leads to from it.

use crate::{Graph, Node, NodeId, Prim, ValueId};
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
    pub fn of(graph: &Graph, module: &Arc<Object>) -> Objects {
        let mut known = HashMap::new();
        if let Some(&this) = graph.inputs().first() {
            known.insert(
                this,
                Known {
                    object: module.clone(),
                    path: "self".into(),
                },
            );
        }
        let mut objects = Objects { known };
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
pub fn name_interfaces(graph: &mut Graph, module: &Arc<Object>) -> bool {
    let objects = Objects::of(graph, module);
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
