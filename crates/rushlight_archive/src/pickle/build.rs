//! Trees of nodes that are made by hand: other forms of the same data become what a pickle would have given.

use super::read::measured;
use super::{
    GlobalName, NodeId, Object, ObjectKind, Pickle, PickleLimits, PickleProblem, PickleValue,
};
use std::collections::HashMap;

type Built<T> = Result<T, PickleProblem>;

/// Collects nodes; those that a node refers to come before it, so that nothing contains itself.
pub struct TreeBuilder<'l> {
    nodes: Vec<PickleValue>,
    limits: &'l PickleLimits,
    texts: HashMap<Box<str>, NodeId>,
    globals: HashMap<(Box<str>, Box<str>), NodeId>,
}

impl<'l> TreeBuilder<'l> {
    /// A builder without nodes of its own.
    pub fn new(limits: &'l PickleLimits) -> TreeBuilder<'l> {
        TreeBuilder {
            // Three of them are known by number.
            nodes: vec![
                PickleValue::None,
                PickleValue::Bool(false),
                PickleValue::Bool(true),
            ],
            limits,
            texts: HashMap::new(),
            globals: HashMap::new(),
        }
    }

    /// `None`.
    pub fn none(&self) -> NodeId {
        NodeId::NONE
    }

    /// A bool.
    pub fn bool(&self, value: bool) -> NodeId {
        if value { NodeId::TRUE } else { NodeId::FALSE }
    }

    /// A node of its own.
    pub fn node(&mut self, value: PickleValue) -> Built<NodeId> {
        let limit = || PickleProblem::Limit {
            what: "values",
            allowed: self.limits.max_nodes as u64,
        };
        if self.nodes.len() >= self.limits.max_nodes {
            return Err(limit());
        }
        let id = NodeId::from_index(self.nodes.len()).ok_or_else(limit)?;
        self.nodes.push(value);
        Ok(id)
    }

    /// An integer.
    pub fn int(&mut self, value: i64) -> Built<NodeId> {
        self.node(PickleValue::Int(value))
    }

    /// A text; equal ones are one node.
    pub fn text(&mut self, text: &str) -> Built<NodeId> {
        if let Some(&known) = self.texts.get(text) {
            return Ok(known);
        }
        let id = self.node(PickleValue::Str(text.into()))?;
        self.texts.insert(text.into(), id);
        Ok(id)
    }

    /// A tuple.
    pub fn tuple(&mut self, items: &[NodeId]) -> Built<NodeId> {
        self.node(PickleValue::Tuple(items.into()))
    }

    /// The integers as a tuple.
    pub fn int_tuple(&mut self, values: impl IntoIterator<Item = i64>) -> Built<NodeId> {
        let items = values.into_iter().map(|value| self.int(value));
        let items = items.collect::<Built<Vec<NodeId>>>()?;
        self.tuple(&items)
    }

    /// A name; equal ones are one node.
    pub fn global(&mut self, module: &str, name: &str) -> Built<NodeId> {
        let key: (Box<str>, Box<str>) = (module.into(), name.into());
        if let Some(&known) = self.globals.get(&key) {
            return Ok(known);
        }
        let (module, name) = key.clone();
        let id = self.node(PickleValue::Global(Box::new(GlobalName { module, name })))?;
        self.globals.insert(key, id);
        Ok(id)
    }

    /// A call of a name with the tuple `args`.
    pub fn call(&mut self, module: &str, name: &str, args: NodeId) -> Built<NodeId> {
        self.object(ObjectKind::Reduce, module, name, args, None)
    }

    /// An object of a class, with its state.
    pub fn instance(&mut self, module: &str, name: &str, state: NodeId) -> Built<NodeId> {
        let args = self.tuple(&[])?;
        self.object(ObjectKind::NewObj, module, name, args, Some(state))
    }

    fn object(
        &mut self,
        kind: ObjectKind,
        module: &str,
        name: &str,
        args: NodeId,
        state: Option<NodeId>,
    ) -> Built<NodeId> {
        let callable = self.global(module, name)?;
        self.node(PickleValue::Object(Box::new(Object {
            kind,
            callable,
            args,
            kwargs: None,
            state,
            items: Vec::new(),
            pairs: Vec::new(),
        })))
    }

    /// What lies below a node as a tree of its own, within the limits of a pickle.
    pub fn tree(&self, root: NodeId) -> Built<Pickle> {
        measured(self.nodes.clone(), root, 2, self.limits)
    }
}
