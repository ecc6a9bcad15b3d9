//! Retargeting: a model traced on another device or in another precision is made to run here.
//!
//! A trace bakes devices and dtypes into its code as constants. Retargeting rewrites those constants and converts the
//! parameters, buffers and constants that are tensors. It changes answers by the precision, so it says what it changed.

use super::states::KeptStates;
use rushlight_ir::{Attr, Function, Graph, NodeId, Prim, Unit};
use rushlight_tensor::{DType, Device, Tensor};
use rushlight_types::{Dict, Key, Object, Tuple, Type, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

/// Where a model is to run, and in which precision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Target {
    /// Devices in the code become this one.
    pub device: Option<Device>,
    /// Floating point dtypes in the code and of tensors become this one.
    pub dtype: Option<DType>,
}

/// What was changed, and how often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes(BTreeMap<String, usize>);

impl Changes {
    fn count(&mut self, what: String) {
        *self.0.entry(what).or_default() += 1;
    }

    /// Whether nothing was changed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (what, count)) in self.0.iter().enumerate() {
            write!(f, "{}{what} ({count} times)", if i > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

/// Retargets a module, the states that its objects were not restored from, and the code of its unit.
pub fn retarget(
    root: &Arc<Object>,
    unit: &Unit,
    kept: Option<&KeptStates>,
    target: &Target,
) -> Changes {
    let mut work = Work {
        target,
        changes: Changes::default(),
        tensors: HashMap::new(),
        objects: HashSet::new(),
        depth: 0,
    };
    work.object(root);
    if let Some(kept) = kept {
        kept.replace(|state| work.value(state));
    }
    for function in unit.functions() {
        work.function(&function);
    }
    work.changes
}

struct Work<'t> {
    target: &'t Target,
    changes: Changes,
    /// Converted tensors by the identity of the original: what was shared stays shared.
    tensors: HashMap<usize, (Tensor, Tensor)>,
    /// Objects that have been entered, by identity: the module holds them all the while.
    objects: HashSet<usize>,
    /// How many containers and objects the present value stands in.
    depth: usize,
}

/// Attributes nested deeper than this stay as they are; loading bounds the depth long before.
const MAX_DEPTH: usize = 500;

impl Work<'_> {
    fn object(&mut self, object: &Arc<Object>) {
        if self.depth > MAX_DEPTH || !self.objects.insert(Arc::as_ptr(object) as usize) {
            return;
        }
        self.depth += 1;
        for slot in 0..object.class().attribute_count() {
            if let Some(changed) = self.value(&object.slot(slot)) {
                object.set_slot(slot, changed);
            }
        }
        self.depth -= 1;
    }

    /// The value in its new form; `None` where nothing changes.
    fn value(&mut self, value: &Value) -> Option<Value> {
        match value {
            Value::Object(object) => {
                self.object(object);
                None
            }
            Value::Tensor(tensor) => self.tensor(tensor).map(Value::Tensor),
            Value::TensorList(list) => {
                let items = list.lock().clone();
                let mut changed = false;
                let items = items.iter().map(|tensor| match self.tensor(tensor) {
                    Some(new) => {
                        changed = true;
                        Value::Tensor(new)
                    }
                    None => Value::Tensor(tensor.clone()),
                });
                let items: Vec<Value> = items.collect();
                changed.then(|| Value::list(&Type::TENSOR, items).ok())?
            }
            Value::Tuple(tuple) => {
                let items = self.values(&tuple.items)?;
                Some(Value::Tuple(Arc::new(Tuple {
                    items: items.into(),
                    ty: tuple.ty.clone(),
                })))
            }
            Value::List(list) => {
                let items = self.values(&list.items.lock().clone())?;
                Value::list(&list.element, items).ok()
            }
            Value::Dict(dict) => {
                let entries = dict.entries();
                let held: Vec<Value> = entries.iter().map(|(_, value)| value.clone()).collect();
                let held = self.values(&held)?;
                let changed = Dict::new(dict.key_type.clone(), dict.value_type.clone());
                for ((key, _), value) in entries.into_iter().zip(held) {
                    changed.items.lock().insert(Key::new(key).ok()?, value);
                }
                Some(Value::Dict(Arc::new(changed)))
            }
            Value::Device(device) => {
                let wanted = self.target.device.filter(|wanted| wanted != device)?;
                self.changes
                    .count(format!("device {device} became {wanted}"));
                Some(Value::Device(wanted))
            }
            _ => None,
        }
    }

    /// What a container holds in its new form; `None` where nothing changes.
    fn values(&mut self, values: &[Value]) -> Option<Vec<Value>> {
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let mut changed = false;
        let mut new = Vec::with_capacity(values.len());
        for value in values {
            let other = self.value(value);
            changed |= other.is_some();
            new.push(other.unwrap_or_else(|| value.clone()));
        }
        self.depth -= 1;
        changed.then_some(new)
    }

    fn tensor(&mut self, tensor: &Tensor) -> Option<Tensor> {
        let (from, to) = (tensor.dtype(), self.target.dtype?);
        if !from.is_float() || from == to {
            return None;
        }
        if let Some((_, known)) = self.tensors.get(&tensor.id()) {
            return Some(known.clone());
        }
        let converted = tensor.to_dtype(to);
        converted.set_requires_grad(tensor.requires_grad());
        self.changes.count(format!("tensors of {from} became {to}"));
        // The original is kept, so that its identity stays taken.
        self.tensors
            .insert(tensor.id(), (tensor.clone(), converted.clone()));
        Some(converted)
    }

    fn function(&mut self, function: &Arc<Function>) {
        let Some(graph) = function.graph() else {
            return;
        };
        let mut graph = (*graph).clone();
        if self.graph(&mut graph) {
            function.set_graph(graph);
        }
    }

    fn graph(&mut self, graph: &mut Graph) -> bool {
        let mut changed = false;
        for node in graph.all_nodes() {
            if let Some(Attr::Graph(inner)) = graph.node(node).attr("Subgraph") {
                let mut inner = (**inner).clone();
                if self.graph(&mut inner) {
                    graph.set_attr(node, "Subgraph", Attr::Graph(Arc::new(inner)));
                    changed = true;
                }
            }
            changed |= self.dtype_arguments(graph, node);
            if !graph.node(node).is(Prim::Constant) {
                continue;
            }
            if let Some(Attr::Value(value)) = graph.node(node).attr("value").cloned()
                && let Some(new) = self.value(&value)
            {
                graph.set_attr(node, "value", Attr::Value(new));
                changed = true;
            }
        }
        changed
    }

    /// Rewrites constant arguments that operators take as dtypes. Numbers elsewhere are no dtypes, so a constant that is
    /// also used as a number gets a copy.
    fn dtype_arguments(&mut self, graph: &mut Graph, node: NodeId) -> bool {
        let (Some(operator), Some(to)) = (graph.node(node).operator(), self.target.dtype) else {
            return false;
        };
        let mut changed = false;
        for (index, argument) in operator.schema().arguments.iter().enumerate() {
            let is_dtype = match &argument.ty {
                Type::ScalarType => true,
                Type::Optional(inner) => **inner == Type::ScalarType,
                _ => false,
            };
            let Some(&input) = graph.node(node).inputs().get(index) else {
                break;
            };
            let given = match graph.constant(input) {
                Some(Value::Int(code)) if is_dtype => DType::from_code(code),
                _ => continue,
            };
            let Some(from) = given.filter(|from| from.is_float() && *from != to) else {
                continue;
            };
            let span = graph.node(node).span.clone();
            let value = graph.constant_before(node, Value::Int(to.code()), Type::Int);
            graph.set_span(graph.value(value).node(), span);
            graph.set_input(node, index, value);
            self.changes
                .count(format!("dtype {from} in code became {to}"));
            changed = true;
        }
        changed
    }
}
