//! Attributes as constants.

use super::mutation::Place;
use super::objects::{Known, Objects};
use crate::analysis::known::tensor_type;
use crate::{Graph, NodeId, ValueId};
use rushlight_tensor::Tensor;
use rushlight_types::{AttributeKind, Object, Type, Value};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Containers nested deeper than this stay attributes.
const MAX_DEPTH: usize = 50;

/// The attributes that stay.
pub struct Kept<'a> {
    /// Those that methods write or the caller names, and what shares memory with them.
    pub written: &'a HashSet<Place>,
    /// Whether all parameters stay.
    pub parameters: bool,
    /// Whether modules are being trained, and stay so.
    pub training: bool,
}

impl Kept<'_> {
    fn holds(&self, owner: &Known, name: &str) -> bool {
        let is_parameter = || {
            let attribute = owner.object.class().attribute(name);
            attribute.is_some_and(|a| a.kind == AttributeKind::Parameter)
        };
        self.written.contains(&(owner.id(), name.to_string()))
            || self.parameters && is_parameter()
            || self.training && name == "training"
    }
}

/// Puts the values of attributes that nothing writes, and that are not to be kept, where they are read.
pub fn fold(graph: &mut Graph, objects: &Objects, kept: &Kept<'_>) {
    let mut tensors = Vec::new();
    // They stand at the start, one per attribute, in the order in which they are first read; what stands in blocks of
    // others comes after all of the block around.
    let param = graph.param_node(graph.top());
    let Some(start) = graph.next(param) else {
        return;
    };
    let mut made: HashMap<Place, ValueId> = HashMap::new();
    // Something that stays, even where the first node is an attribute itself.
    let paused = graph.pause_numbers(true);
    let anchor = graph.create_constant(Value::None, Type::None);
    graph.pause_numbers(paused);
    graph.insert_before(start, anchor);
    for id in outer_first(graph) {
        let node = graph.node(id);
        let Some((owner, name)) = objects.read(node) else {
            continue;
        };
        if kept.holds(&owner, name) {
            continue;
        }
        if let Some(Value::Object(inner)) = owner.object.get(name)
            && inner.class().is_module()
        {
            // The reference makes a value for every module that is read, which nobody sees.
            graph.reserve_number();
            continue;
        }
        let path = format!("{}.{name}", owner.path);
        let place = (owner.id(), name.to_string());
        let Some((mut value, ty)) = constant(&owner.object, name) else {
            continue;
        };
        if let Value::Tensor(tensor) = &value {
            value = Value::Tensor(one_of_equals(&mut tensors, tensor));
        }
        let output = node.outputs()[0];
        let new = match made.get(&place) {
            Some(known) => *known,
            None => {
                let new = graph.constant_before(anchor, value, ty);
                graph.set_name(new, &path);
                made.insert(place, new);
                new
            }
        };
        graph.replace_all_uses(output, new);
        graph.remove(id);
    }
    graph.remove(anchor);
}

/// The nodes of a block before those of the blocks inside it, the last of these blocks first.
fn outer_first(graph: &Graph) -> Vec<NodeId> {
    let mut blocks = vec![graph.top()];
    let mut out = Vec::new();
    while let Some(block) = blocks.pop() {
        for node in graph.nodes(block) {
            out.push(node);
            blocks.extend(graph.node(node).blocks());
        }
    }
    out
}

/// The tensor, or an equal one that is a constant already.
fn one_of_equals(known: &mut Vec<Tensor>, tensor: &Tensor) -> Tensor {
    if let Some(equal) = known.iter().find(|other| equal(other, tensor)) {
        return equal.clone();
    }
    known.push(tensor.clone());
    tensor.clone()
}

/// Whether two tensors have the same type, sizes, strides and elements.
pub fn equal(a: &Tensor, b: &Tensor) -> bool {
    a.dtype() == b.dtype()
        && a.sizes() == b.sizes()
        && a.strides() == b.strides()
        && rushlight_tensor::dispatch!(a.dtype(), All, T => {
            a.data::<T>().iter().zip(b.data::<T>().iter()).all(|(x, y)| x == y)
        })
}

fn constant(object: &Arc<Object>, name: &str) -> Option<(Value, Type)> {
    let attribute = object.class().attribute(name)?;
    let value = frozen(&object.get(name)?, 0)?;
    let ty = match &value {
        Value::Tensor(tensor) => tensor_type(tensor),
        Value::None => Type::None,
        Value::List(_) | Value::Dict(_) | Value::Tuple(_) => match attribute.ty {
            Type::Optional(inner) => (*inner).clone(),
            other => other,
        },
        other => other.type_of(),
    };
    Some((value, ty))
}

/// The value as a constant: tensors ask for no gradients; modules and what holds objects are none.
fn frozen(value: &Value, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    Some(match value {
        // Its elements are not here.
        Value::Tensor(tensor) if tensor.kept().is_some() => return None,
        Value::Tensor(tensor) => Value::Tensor(tensor.alias()),
        Value::None
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Complex(_)
        | Value::Str(_)
        | Value::Device(_)
        | Value::IntList(_)
        | Value::FloatList(_)
        | Value::BoolList(_)
        | Value::Enum(_) => value.clone(),
        Value::TensorList(_) | Value::List(_) => {
            let items = value.list_items().ok()?;
            let items = items
                .iter()
                .map(|i| frozen(i, depth + 1))
                .collect::<Option<Vec<_>>>()?;
            match value.type_of() {
                Type::List(element) => Value::list(&element, items).ok()?,
                _ => return None,
            }
        }
        // The constant is the object itself.
        Value::Object(object) if depth == 0 && !object.class().is_module() => value.clone(),
        Value::Dict(dict) => {
            for (_, item) in dict.entries() {
                frozen(&item, depth + 1)?;
            }
            value.clone()
        }
        Value::Tuple(tuple) => {
            let items = tuple
                .items
                .iter()
                .map(|i| frozen(i, depth + 1))
                .collect::<Option<Vec<_>>>()?;
            Value::Tuple(Arc::new(rushlight_types::Tuple {
                items: items.into(),
                ty: tuple.ty.clone(),
            }))
        }
        _ => return None,
    })
}
