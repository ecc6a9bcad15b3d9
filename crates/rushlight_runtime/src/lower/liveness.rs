//! Last uses: which input of which node is the last to see a value, and where values die otherwise.
//!
//! One walk backward over the nested blocks. A value that dies in one branch of an `If` only is dropped at the start of
//! the other; what a loop's body reads from outside lives until the loop is left.

use rushlight_ir::{BlockId, Graph, NodeId, Prim, ValueId};
use std::collections::HashMap;

/// The result of the walk.
#[derive(Default)]
pub(super) struct Liveness {
    /// Per node, where its inputs begin in `last`.
    first_input: Vec<u32>,
    last: Vec<bool>,
    at_entry: HashMap<BlockId, Vec<ValueId>>,
    after: HashMap<NodeId, Vec<ValueId>>,
    released: HashMap<NodeId, Vec<ValueId>>,
}

impl Liveness {
    /// Whether input `index` of `node` is the last use of its value.
    pub fn is_last(&self, node: NodeId, index: usize) -> bool {
        self.last[self.first_input[entity(node)] as usize + index]
    }

    /// The values that are dead when a block begins although they were alive before it.
    pub fn dropped_at_entry(&self, block: BlockId) -> &[ValueId] {
        self.at_entry.get(&block).map_or(&[], Vec::as_slice)
    }

    /// The values that are dead after a node without having been moved into it.
    pub fn dropped_after(&self, node: NodeId) -> &[ValueId] {
        self.after.get(&node).map_or(&[], Vec::as_slice)
    }

    /// The values whose registers are free after a node of the block that defines them.
    pub fn released_after(&self, node: NodeId) -> &[ValueId] {
        self.released.get(&node).map_or(&[], Vec::as_slice)
    }
}

fn entity(node: NodeId) -> usize {
    node.as_u32() as usize
}

/// Walks the graph.
pub(super) fn analyse(graph: &Graph) -> Liveness {
    let mut walk = Walk {
        graph,
        position: vec![0; graph.node_limit()],
        live: vec![false; graph.value_limit()],
        added: Vec::new(),
        out: Liveness::default(),
    };
    walk.number();
    walk.block(graph.top());
    walk.release();
    walk.out
}

struct Walk<'g> {
    graph: &'g Graph,
    /// Numbers of nodes in order of text.
    position: Vec<u32>,
    live: Vec<bool>,
    /// The values that have become live, in order of the walk.
    added: Vec<ValueId>,
    out: Liveness,
}

impl Walk<'_> {
    fn number(&mut self) {
        self.out.first_input = vec![0; self.graph.node_limit()];
        let mut next = 0;
        let mut inputs = 0;
        self.number_block(self.graph.top(), &mut next, &mut inputs);
        self.out.last = vec![false; inputs as usize];
    }

    fn number_block(&mut self, block: BlockId, next: &mut u32, inputs: &mut u32) {
        let mut nodes = vec![self.graph.param_node(block)];
        nodes.extend(self.graph.nodes(block));
        nodes.push(self.graph.return_node(block));
        for node in nodes {
            *next += 1;
            self.position[entity(node)] = *next;
            self.out.first_input[entity(node)] = *inputs;
            *inputs += self.graph.node(node).inputs().len() as u32;
            for &inner in self.graph.node(node).blocks() {
                self.number_block(inner, next, inputs);
            }
        }
    }

    fn is_live(&self, value: ValueId) -> bool {
        self.live[value.as_u32() as usize]
    }

    fn set(&mut self, value: ValueId, live: bool) {
        self.live[value.as_u32() as usize] = live;
    }

    fn add(&mut self, value: ValueId) -> bool {
        let is_new = !self.is_live(value);
        if is_new {
            self.set(value, true);
            self.added.push(value);
        }
        is_new
    }

    fn block(&mut self, block: BlockId) {
        self.inputs(self.graph.return_node(block));
        for node in self.graph.nodes(block).into_iter().rev() {
            self.node(node);
        }
        for &param in self.graph.params(block) {
            if !self.is_live(param) {
                self.out.at_entry.entry(block).or_default().push(param);
            }
            self.set(param, false);
        }
    }

    fn node(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        for &output in node.outputs() {
            if !self.is_live(output) {
                self.out.after.entry(id).or_default().push(output);
            }
            self.set(output, false);
        }
        match node.blocks() {
            [] => {}
            [body] if node.is(Prim::Loop) => self.body(id, *body),
            branches => self.branches(branches),
        }
        self.inputs(id);
    }

    fn inputs(&mut self, node: NodeId) {
        let first = self.out.first_input[entity(node)] as usize;
        for (i, &input) in self.graph.node(node).inputs().iter().enumerate().rev() {
            if self.add(input) {
                self.out.last[first + i] = true;
            }
        }
    }

    fn body(&mut self, node: NodeId, body: BlockId) {
        for value in self.read_from_outside(body) {
            if self.add(value) {
                self.out.after.entry(node).or_default().push(value);
            }
        }
        self.block(body);
    }

    /// The values that are defined outside of a block and read in it.
    fn read_from_outside(&self, block: BlockId) -> Vec<ValueId> {
        let start = self.position[entity(self.graph.param_node(block))];
        let mut out = Vec::new();
        let mut blocks = vec![block];
        while let Some(block) = blocks.pop() {
            let mut nodes = self.graph.nodes(block);
            nodes.push(self.graph.return_node(block));
            for node in nodes {
                let node = self.graph.node(node);
                blocks.extend(node.blocks());
                out.extend(node.inputs().iter().copied().filter(|v| {
                    // Everything read in the block is defined before it or inside it.
                    self.position[entity(self.graph.value(*v).node())] < start
                }));
            }
        }
        out
    }

    fn branches(&mut self, branches: &[BlockId]) {
        let mut dying: Vec<Vec<ValueId>> = Vec::new();
        for &branch in branches {
            let mark = self.added.len();
            self.block(branch);
            let values: Vec<ValueId> = self
                .added
                .split_off(mark)
                .into_iter()
                .filter(|v| self.is_live(*v))
                .collect();
            for &value in &values {
                self.set(value, false);
            }
            dying.push(values);
        }
        for &value in dying.iter().flatten() {
            self.add(value);
        }
        for (i, &branch) in branches.iter().enumerate() {
            // Whatever this branch reads is marked; the rest dies at its start.
            for &value in &dying[i] {
                self.set(value, false);
            }
            let mut dropped: Vec<ValueId> = Vec::new();
            for &value in dying.iter().flatten() {
                if self.is_live(value) {
                    self.set(value, false);
                    dropped.push(value);
                }
            }
            for &value in dying.iter().flatten() {
                self.set(value, true);
            }
            self.out.at_entry.entry(branch).or_default().extend(dropped);
        }
    }

    /// Finds, for each value, the last node of its own block that reads it, itself or in a block nested in it.
    fn release(&mut self) {
        for index in 0..self.graph.value_limit() {
            let value = ValueId::from_u32(index as u32);
            let definition = self.graph.value(value).node();
            if self.position[entity(definition)] == 0 {
                continue;
            }
            let Some(block) = self.graph.node(definition).block() else {
                continue;
            };
            let mut last = definition;
            for a_use in self.graph.value(value).uses() {
                if let Some(node) = self.within(block, a_use.node)
                    && self.position[entity(node)] > self.position[entity(last)]
                {
                    last = node;
                }
            }
            self.out.released.entry(last).or_default().push(value);
        }
    }

    /// The node of `block` that is `node` or encloses it.
    fn within(&self, block: BlockId, mut node: NodeId) -> Option<NodeId> {
        loop {
            let own = self.graph.node(node).block()?;
            if own == block {
                return Some(node);
            }
            node = self.graph.block(own).owner()?;
        }
    }
}
