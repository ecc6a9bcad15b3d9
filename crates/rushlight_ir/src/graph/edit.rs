//! Editing: parameters and results of blocks, nodes and where they stand, their inputs, outputs, blocks and attributes.

use super::{Attr, BlockId, CallSite, Graph, NodeId, Use, ValueData, ValueId};
use crate::{NodeKind, Prim};
use rushlight_syntax::Span;
use rushlight_types::{Symbol, Type};
use smallvec::SmallVec;
use std::collections::HashSet;
use std::sync::Arc;

impl Graph {
    /// Adds a parameter to a block.
    pub fn add_param(&mut self, block: BlockId, ty: Type, name: Option<&str>) -> ValueId {
        let node = self.blocks[block].param;
        self.add_output(node, ty, name)
    }

    /// Removes an unused parameter of a block.
    pub fn remove_param(&mut self, block: BlockId, index: usize) {
        self.remove_output(self.blocks[block].param, index);
    }

    /// Adds a parameter to the graph.
    pub fn add_input(&mut self, ty: Type, name: &str) -> ValueId {
        self.add_param(self.top, ty, Some(name))
    }

    /// Adds a result to a block.
    pub fn add_return(&mut self, block: BlockId, value: ValueId) {
        self.push_input(self.blocks[block].ret, value);
    }

    /// Replaces the results of a block.
    pub fn set_returns(&mut self, block: BlockId, values: &[ValueId]) {
        self.set_inputs(self.blocks[block].ret, values);
    }

    /// Makes a node that stands nowhere yet; [`Graph::insert_before`] or [`Graph::append`] places it.
    pub fn create(
        &mut self,
        kind: impl Into<NodeKind>,
        inputs: &[ValueId],
        outputs: &[Type],
    ) -> NodeId {
        let node = self.new_node(kind.into());
        for &input in inputs {
            self.push_input(node, input);
        }
        for ty in outputs {
            self.add_output(node, ty.clone(), None);
        }
        node
    }

    /// Places a node at the end of a block.
    pub fn append(&mut self, block: BlockId, node: NodeId) {
        self.insert_before(self.blocks[block].ret, node);
    }

    /// Places a node at the start of a block.
    pub fn prepend(&mut self, block: BlockId, node: NodeId) {
        let first = self.nodes[self.blocks[block].param]
            .next
            .expect("the Return node follows at the latest");
        self.insert_before(first, node);
    }

    /// Places a node (made or detached) before another.
    pub fn insert_before(&mut self, at: NodeId, node: NodeId) {
        assert!(
            self.nodes[node].block.is_none(),
            "the node already stands in a block"
        );
        let prev = self.nodes[at]
            .prev
            .expect("nothing goes before a Param node");
        self.nodes[node].block = self.nodes[at].block;
        self.nodes[node].prev = Some(prev);
        self.nodes[node].next = Some(at);
        self.nodes[prev].next = Some(node);
        self.nodes[at].prev = Some(node);
    }

    /// Places a node (made or detached) after another.
    pub fn insert_after(&mut self, at: NodeId, node: NodeId) {
        let next = self.nodes[at]
            .next
            .expect("nothing goes after a Return node");
        self.insert_before(next, node);
    }

    /// Takes a node out of its block without touching its values.
    pub fn detach(&mut self, node: NodeId) {
        let (prev, next) = (self.nodes[node].prev, self.nodes[node].next);
        let (Some(prev), Some(next)) = (prev, next) else {
            return;
        };
        self.nodes[prev].next = Some(next);
        self.nodes[next].prev = Some(prev);
        self.nodes[node].prev = None;
        self.nodes[node].next = None;
        self.nodes[node].block = None;
    }

    /// Moves a node before another, possibly into another block.
    pub fn move_before(&mut self, at: NodeId, node: NodeId) {
        if at != node {
            self.detach(node);
            self.insert_before(at, node);
        }
    }

    /// Removes a node whose outputs have no uses, with everything nested in it.
    pub fn remove(&mut self, node: NodeId) {
        for i in 0..self.nodes[node].outputs.len() {
            let output = self.nodes[node].outputs[i];
            assert!(
                self.values[output].uses.is_empty(),
                "a removed node's outputs have no uses"
            );
        }
        self.remove_all(vec![node]);
    }

    /// Removes several nodes that may use one another (and nothing else uses), with everything nested in them.
    pub fn remove_all(&mut self, mut pending: Vec<NodeId>) {
        let mut doomed = Vec::new();
        while let Some(node) = pending.pop() {
            doomed.push(node);
            for &block in &self.nodes[node].blocks.clone() {
                pending.extend(self.nodes(block));
                pending.extend(self.sentinels(block));
            }
        }
        self.retire(&doomed);
        for node in doomed {
            for i in 0..self.nodes[node].outputs.len() {
                self.release_name(self.nodes[node].outputs[i]);
            }
            if !self.nodes[node].is(Prim::Return) {
                self.detach(node);
            }
        }
    }

    /// Adds an output to a node.
    pub fn add_output(&mut self, node: NodeId, ty: Type, name: Option<&str>) -> ValueId {
        let index = self.nodes[node].outputs.len() as u32;
        let value = self.values.push(ValueData {
            ty,
            name: None,
            number: self.naming.number(),
            node,
            index,
            uses: SmallVec::new(),
        });
        self.nodes[node].outputs.push(value);
        if let Some(name) = name {
            self.set_name(value, name);
        }
        value
    }

    /// Inserts an output of a node before number `index`.
    pub fn insert_output(&mut self, node: NodeId, index: usize, ty: Type) -> ValueId {
        let value = self.add_output(node, ty, None);
        self.nodes[node].outputs.pop();
        self.nodes[node].outputs.insert(index, value);
        for (i, &output) in self.nodes[node].outputs.iter().enumerate() {
            self.values[output].index = i as u32;
        }
        value
    }

    /// Inserts a parameter of a block before number `index`.
    pub fn insert_param(&mut self, block: BlockId, index: usize, ty: Type) -> ValueId {
        self.insert_output(self.blocks[block].param, index, ty)
    }

    /// Inserts a result of a block before number `index`.
    pub fn insert_return(&mut self, block: BlockId, index: usize, value: ValueId) {
        self.insert_input(self.blocks[block].ret, index, value);
    }

    /// Removes a result of a block.
    pub fn remove_return(&mut self, block: BlockId, index: usize) {
        self.remove_input(self.blocks[block].ret, index);
    }

    /// Removes an unused output of a node.
    pub fn remove_output(&mut self, node: NodeId, index: usize) {
        let value = self.nodes[node].outputs.remove(index);
        assert!(
            self.values[value].uses.is_empty(),
            "a removed output has no uses"
        );
        self.release_name(value);
        for i in index..self.nodes[node].outputs.len() {
            let later = self.nodes[node].outputs[i];
            self.values[later].index = i as u32;
        }
    }

    /// Puts the outputs of a node in another order: the first is the one that was number `order[0]`.
    pub fn permute_outputs(&mut self, node: NodeId, order: &[usize]) {
        let before = self.nodes[node].outputs.clone();
        assert_eq!(before.len(), order.len(), "every output has its place");
        for (i, &from) in order.iter().enumerate() {
            self.nodes[node].outputs[i] = before[from];
            self.values[before[from]].index = i as u32;
        }
    }

    /// Adds an input to a node.
    pub fn push_input(&mut self, node: NodeId, value: ValueId) {
        let index = self.nodes[node].inputs.len() as u32;
        self.nodes[node].inputs.push(value);
        self.values[value].uses.push(Use { node, index });
    }

    /// Inserts an input before number `index`.
    pub fn insert_input(&mut self, node: NodeId, index: usize, value: ValueId) {
        let mut inputs = self.nodes[node].inputs.to_vec();
        inputs.insert(index, value);
        self.set_inputs(node, &inputs);
    }

    /// Removes an input.
    pub fn remove_input(&mut self, node: NodeId, index: usize) {
        let mut inputs = self.nodes[node].inputs.to_vec();
        inputs.remove(index);
        self.set_inputs(node, &inputs);
    }

    /// Replaces one input.
    pub fn set_input(&mut self, node: NodeId, index: usize, value: ValueId) {
        let old = std::mem::replace(&mut self.nodes[node].inputs[index], value);
        let index = index as u32;
        self.drop_use(old, Use { node, index });
        self.values[value].uses.push(Use { node, index });
    }

    /// Replaces all inputs.
    pub fn set_inputs(&mut self, node: NodeId, values: &[ValueId]) {
        let old = std::mem::take(&mut self.nodes[node].inputs);
        for (index, old) in (0..).zip(old) {
            self.drop_use(old, Use { node, index });
        }
        for &value in values {
            self.push_input(node, value);
        }
    }

    /// Marks nodes as removed and takes their inputs.
    fn retire(&mut self, nodes: &[NodeId]) {
        /// From so many inputs on, the uses of each value are gone through once for all of them.
        const MANY: usize = 64;
        let mut values = HashSet::new();
        let inputs = nodes.iter().map(|&node| self.nodes[node].inputs.len());
        let are_many = inputs.sum::<usize>() >= MANY;
        for &node in nodes {
            self.nodes[node].removed = true;
            match are_many {
                true => values.extend(std::mem::take(&mut self.nodes[node].inputs)),
                false => self.set_inputs(node, &[]),
            }
        }
        for value in values {
            let uses = &mut self.values[value].uses;
            uses.retain(|u| !self.nodes[u.node].removed);
        }
    }

    /// Takes a use from a value, which may have very many: passes that go through nodes in one order or the other find theirs at an end.
    fn drop_use(&mut self, value: ValueId, dropped: Use) {
        let uses = &mut self.values[value].uses;
        let mut at = 0;
        while 2 * at < uses.len() {
            let back = uses.len() - 1 - at;
            if uses[back] == dropped {
                uses.remove(back);
                return;
            }
            if uses[at] == dropped {
                uses.remove(at);
                return;
            }
            at += 1;
        }
    }

    /// Adds a nested block to a node.
    pub fn add_block(&mut self, node: NodeId) -> BlockId {
        let block = self.new_block(Some(node));
        self.nodes[node].blocks.push(block);
        block
    }

    /// Removes a nested block of a node with everything in it.
    pub fn remove_block(&mut self, node: NodeId, index: usize) {
        let block = self.nodes[node].blocks[index];
        let mut nodes = self.nodes(block);
        nodes.extend(self.sentinels(block));
        self.remove_all(nodes);
        self.nodes[node].blocks.remove(index);
    }

    fn sentinels(&self, block: BlockId) -> [NodeId; 2] {
        [self.blocks[block].param, self.blocks[block].ret]
    }

    /// Sets an attribute.
    pub fn set_attr(&mut self, node: NodeId, name: &str, value: Attr) {
        let name = Symbol::new(name);
        let attrs = &mut self.nodes[node].attrs;
        match attrs.iter_mut().find(|(n, _)| *n == name) {
            Some(slot) => slot.1 = value,
            None => attrs.push((name, value)),
        }
    }

    /// Takes an attribute from a node.
    pub fn remove_attr(&mut self, node: NodeId, name: &str) -> Option<Attr> {
        let attrs = &mut self.nodes[node].attrs;
        let index = attrs.iter().position(|(n, _)| n.as_str() == name)?;
        Some(attrs.remove(index).1)
    }

    /// Sets where a node comes from.
    pub fn set_span(&mut self, node: NodeId, span: Option<Span>) {
        self.nodes[node].span = span;
    }

    /// Sets the call that a node was inlined from.
    pub fn set_call_site(&mut self, node: NodeId, site: Option<Arc<CallSite>>) {
        self.nodes[node].call_site = site;
    }

    /// Sets the trace scope of a node.
    pub fn set_scope(&mut self, node: NodeId, scope: Option<Arc<str>>) {
        self.nodes[node].scope = scope;
    }

    /// Changes the kind of a node, for rewrites that keep inputs and outputs.
    pub fn set_kind(&mut self, node: NodeId, kind: impl Into<NodeKind>) {
        self.nodes[node].kind = kind.into();
    }

    /// Changes the type of a value.
    pub fn set_type(&mut self, value: ValueId, ty: Type) {
        self.values[value].ty = ty;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify;

    #[test]
    fn uses_are_those_of_the_nodes_that_stay_in_their_order() {
        for nodes in [1, 5, 100] {
            let mut graph = Graph::new();
            let top = graph.top();
            let x = graph.add_param(top, Type::Int, Some("x"));
            let pair = Type::tuple(vec![Type::Int, Type::Int]);
            let add = |graph: &mut Graph| {
                let node = graph.create(Prim::TupleConstruct, &[x, x], std::slice::from_ref(&pair));
                graph.append(top, node);
                node
            };
            let all: Vec<NodeId> = (0..3 * nodes).map(|_| add(&mut graph)).collect();
            // From the middle, from the end and from the start.
            graph.remove_all(all[nodes..2 * nodes].to_vec());
            graph.remove(all[3 * nodes - 1]);
            graph.remove(all[0]);
            let left = all.iter().filter(|n| !graph.node(**n).is_removed());
            let wanted: Vec<Use> = left
                .flat_map(|&node| [0, 1].map(|index| Use { node, index }))
                .collect();
            assert_eq!(wanted.len(), 2 * (2 * nodes - 2));
            assert_eq!(graph.value(x).uses(), wanted);
            verify::verify(&graph).unwrap();
        }
    }
}
