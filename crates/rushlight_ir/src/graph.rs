//! The graph: nodes, values and blocks in tables, named by typed ids.
//!
//! A block is a doubly linked list of nodes between two sentinels: a `Param` node whose outputs are the block's
//! parameters and a `Return` node whose inputs are its results. So every value is the output of a node, and every use
//! of a value is an input of a node. Every value knows its uses; only the methods here edit either side.

use crate::naming::{Holder, Naming, Passed, UNNUMBERED};
use crate::{NodeKind, Prim};
use cranelift_entity::{PrimaryMap, entity_impl};
use rushlight_syntax::Span;
use rushlight_tensor::Tensor;
use rushlight_types::{Operator, Symbol, Type, Value};
use smallvec::SmallVec;
use std::sync::Arc;

/// A node of one graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);
entity_impl!(NodeId, "n");

/// An SSA value of one graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(u32);
entity_impl!(ValueId, "v");

/// A block of one graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(u32);
entity_impl!(BlockId, "b");

/// An attribute of a node.
#[derive(Clone, Debug)]
pub enum Attr {
    Int(i64),
    Float(f64),
    Str(Arc<str>),
    Ints(Vec<i64>),
    Strs(Vec<Arc<str>>),
    Tensor(Tensor),
    Type(Type),
    Types(Vec<Type>),
    Graph(Arc<Graph>),
    /// Any constant: what `prim::Constant` holds.
    Value(Value),
}

/// One use of a value: input number `index` of `node`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    pub node: NodeId,
    pub index: u32,
}

/// A call that was inlined away: where the nodes that came out of it were called from.
#[derive(Debug, PartialEq)]
pub struct CallSite {
    /// The function that the nodes come from.
    pub function: Arc<str>,
    /// Where it was called.
    pub span: Option<Span>,
    /// The module path for module calls (`top(A)::layer(B)`), empty otherwise.
    pub module: Arc<str>,
    /// The call around this one.
    pub caller: Option<Arc<CallSite>>,
}

/// A node. Read its fields; edit through the graph.
#[derive(Clone)]
pub struct Node {
    pub kind: NodeKind,
    inputs: SmallVec<[ValueId; 4]>,
    outputs: SmallVec<[ValueId; 2]>,
    blocks: SmallVec<[BlockId; 2]>,
    attrs: Vec<(Symbol, Attr)>,
    /// Where in the source the node comes from.
    pub span: Option<Span>,
    /// The scope that a trace was in.
    pub scope: Option<Arc<str>>,
    /// The call that the node was inlined from.
    pub call_site: Option<Arc<CallSite>>,
    block: Option<BlockId>,
    prev: Option<NodeId>,
    next: Option<NodeId>,
}

impl Node {
    /// The inputs in order.
    pub fn inputs(&self) -> &[ValueId] {
        &self.inputs
    }

    /// The outputs in order.
    pub fn outputs(&self) -> &[ValueId] {
        &self.outputs
    }

    /// The nested blocks in order.
    pub fn blocks(&self) -> &[BlockId] {
        &self.blocks
    }

    /// The attributes in order of their setting.
    pub fn attrs(&self) -> &[(Symbol, Attr)] {
        &self.attrs
    }

    /// An attribute by name.
    pub fn attr(&self, name: &str) -> Option<&Attr> {
        self.attrs
            .iter()
            .find(|(n, _)| n.as_str() == name)
            .map(|(_, a)| a)
    }

    /// A string attribute by name.
    pub fn str_attr(&self, name: &str) -> Option<&Arc<str>> {
        match self.attr(name) {
            Some(Attr::Str(s)) => Some(s),
            _ => None,
        }
    }

    /// The block that the node stands in; `None` once it has been removed.
    pub fn block(&self) -> Option<BlockId> {
        self.block
    }

    /// The operator, for nodes of built-in operators.
    pub fn operator(&self) -> Option<&'static Operator> {
        match self.kind {
            NodeKind::Op(op) => Some(op),
            _ => None,
        }
    }

    /// Whether the node is of this kind of the language.
    pub fn is(&self, prim: Prim) -> bool {
        self.kind == NodeKind::Prim(prim)
    }

    /// Whether the node is an operator of this name (`aten::add`), any overload.
    pub fn is_op(&self, name: &str) -> bool {
        self.operator().is_some_and(|op| op.name() == name)
    }
}

/// An SSA value.
#[derive(Clone)]
pub struct ValueData {
    pub ty: Type,
    /// The name that the program gave it, with the suffix that makes it unique in its graph.
    pub name: Option<Arc<str>>,
    number: u32,
    node: NodeId,
    index: u32,
    uses: SmallVec<[Use; 2]>,
}

impl ValueData {
    /// The node that the value is an output of.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Its place in the order of creation, which is what it prints as where it has no name.
    pub fn number(&self) -> Option<u32> {
        (self.number != UNNUMBERED).then_some(self.number)
    }

    /// The name that the program gave it, without suffix.
    pub fn base_name(&self) -> Option<&str> {
        self.name
            .as_deref()
            .map(|name| crate::naming::split(name).0)
    }

    /// Which output of the node it is.
    pub fn index(&self) -> usize {
        self.index as usize
    }

    /// Where the value is used.
    pub fn uses(&self) -> &[Use] {
        &self.uses
    }
}

/// A block: its two sentinels and the node it belongs to.
#[derive(Clone)]
pub struct Block {
    param: NodeId,
    ret: NodeId,
    owner: Option<NodeId>,
}

impl Block {
    /// The node that the block is nested in; `None` for the body of the graph.
    pub fn owner(&self) -> Option<NodeId> {
        self.owner
    }
}

/// A function body.
#[derive(Clone)]
pub struct Graph {
    nodes: PrimaryMap<NodeId, Node>,
    values: PrimaryMap<ValueId, ValueData>,
    blocks: PrimaryMap<BlockId, Block>,
    top: BlockId,
    naming: Naming,
}

impl Default for Graph {
    fn default() -> Graph {
        Graph::new()
    }
}

impl Graph {
    /// An empty graph: no parameters, no nodes, no results.
    pub fn new() -> Graph {
        let mut graph = Graph {
            nodes: PrimaryMap::new(),
            values: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
            top: BlockId::from_u32(0),
            naming: Naming::default(),
        };
        graph.top = graph.new_block(None);
        graph
    }

    fn new_block(&mut self, owner: Option<NodeId>) -> BlockId {
        let param = self.new_node(Prim::Param.into());
        let ret = self.new_node(Prim::Return.into());
        let block = self.blocks.push(Block { param, ret, owner });
        self.nodes[param].block = Some(block);
        self.nodes[ret].block = Some(block);
        self.nodes[param].next = Some(ret);
        self.nodes[ret].prev = Some(param);
        block
    }

    fn new_node(&mut self, kind: NodeKind) -> NodeId {
        self.nodes.push(Node {
            kind,
            inputs: SmallVec::new(),
            outputs: SmallVec::new(),
            blocks: SmallVec::new(),
            attrs: Vec::new(),
            span: None,
            scope: None,
            call_site: None,
            block: None,
            prev: None,
            next: None,
        })
    }

    /// The body.
    pub fn top(&self) -> BlockId {
        self.top
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// A value.
    pub fn value(&self, id: ValueId) -> &ValueData {
        &self.values[id]
    }

    /// A block.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id]
    }

    /// The type of a value.
    pub fn ty(&self, id: ValueId) -> &Type {
        &self.values[id].ty
    }

    /// One more than the highest number a value can have: for tables indexed by value.
    pub fn value_limit(&self) -> usize {
        self.values.len()
    }

    /// One more than the highest number a node can have.
    pub fn node_limit(&self) -> usize {
        self.nodes.len()
    }

    /// The parameters of a block.
    pub fn params(&self, block: BlockId) -> &[ValueId] {
        &self.nodes[self.blocks[block].param].outputs
    }

    /// The results of a block.
    pub fn returns(&self, block: BlockId) -> &[ValueId] {
        &self.nodes[self.blocks[block].ret].inputs
    }

    /// The sentinel whose outputs are the block's parameters.
    pub fn param_node(&self, block: BlockId) -> NodeId {
        self.blocks[block].param
    }

    /// The sentinel whose inputs are the block's results.
    pub fn return_node(&self, block: BlockId) -> NodeId {
        self.blocks[block].ret
    }

    /// The parameters of the graph.
    pub fn inputs(&self) -> &[ValueId] {
        self.params(self.top)
    }

    /// The results of the graph.
    pub fn outputs(&self) -> &[ValueId] {
        self.returns(self.top)
    }

    /// The node after this one in its block, or the block's `Return` node.
    pub fn next(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node].next
    }

    /// The node before this one in its block, or the block's `Param` node.
    pub fn prev(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node].prev
    }

    /// The nodes of a block in order, without the sentinels: taken at the time of the call, so that the caller may edit.
    pub fn nodes(&self, block: BlockId) -> Vec<NodeId> {
        let Block { param, ret, .. } = self.blocks[block];
        let mut out = Vec::new();
        let mut at = self.nodes[param].next;
        while let Some(node) = at.filter(|n| *n != ret) {
            out.push(node);
            at = self.nodes[node].next;
        }
        out
    }

    /// Every node of the graph in order of text, nested ones after the node they are nested in.
    pub fn all_nodes(&self) -> Vec<NodeId> {
        let mut out = Vec::new();
        let mut stack: Vec<NodeId> = self.nodes(self.top).into_iter().rev().collect();
        while let Some(node) = stack.pop() {
            out.push(node);
            for &block in self.nodes[node].blocks.iter().rev() {
                stack.extend(self.nodes(block).into_iter().rev());
            }
        }
        out
    }

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
                pending.push(self.blocks[block].ret);
            }
        }
        for &node in &doomed {
            self.set_inputs(node, &[]);
        }
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
        self.values[old]
            .uses
            .retain(|u| !(u.node == node && u.index as usize == index));
        self.values[value].uses.push(Use {
            node,
            index: index as u32,
        });
    }

    /// Replaces all inputs.
    pub fn set_inputs(&mut self, node: NodeId, values: &[ValueId]) {
        for old in std::mem::take(&mut self.nodes[node].inputs) {
            self.values[old].uses.retain(|u| u.node != node);
        }
        for &value in values {
            self.push_input(node, value);
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
        nodes.push(self.blocks[block].ret);
        self.remove_all(nodes);
        self.nodes[node].blocks.remove(index);
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

    /// Names a value after a variable of the program; a value that has the name already gets a suffix.
    pub fn set_name(&mut self, value: ValueId, name: &str) {
        if self.values[value].name.as_deref() == Some(name) {
            return;
        }
        let name: Arc<str> = name.into();
        self.release_name(value);
        if !self.naming.paused {
            self.claim(&name, Holder::Value(value));
        }
        self.values[value].name = Some(name);
    }

    /// Takes the name from a value.
    pub fn clear_name(&mut self, value: ValueId) {
        self.release_name(value);
        self.values[value].name = None;
    }

    fn release_name(&mut self, value: ValueId) {
        if let Some(name) = self.values[value].name.clone() {
            self.naming.release(&name, Holder::Value(value));
        }
    }

    /// Gives a name to a new holder; whoever had it gets a suffix, which is returned.
    fn claim(&mut self, name: &Arc<str>, holder: Holder) -> Option<Arc<str>> {
        let before = self.naming.holders.get(name).copied();
        let renamed = before.map(|before| {
            let fresh = self.naming.fresh(name);
            match before {
                Holder::Value(value) => self.values[value].name = Some(fresh.clone()),
                Holder::Passed(index) => self.naming.passed[index] = Some(fresh.clone()),
            }
            self.naming.holders.insert(fresh.clone(), before);
            fresh
        });
        self.naming.holders.insert(name.clone(), holder);
        renamed
    }

    /// Counts a value that the reference creates and nobody sees.
    pub fn pass_over(&mut self, name: Option<&str>) -> Passed {
        self.naming.number();
        let index = self.naming.passed.len();
        self.naming.passed.push(name.map(Arc::from));
        if let (Some(name), false) = (name, self.naming.paused) {
            self.claim(&name.into(), Holder::Passed(index));
        }
        Passed(index)
    }

    /// Counts a copy of a value that was passed over.
    pub fn pass_over_copy(&mut self, original: Passed) {
        let Some(name) = self.naming.passed[original.0].clone() else {
            self.pass_over(None);
            return;
        };
        self.naming.number();
        let index = self.naming.passed.len();
        let renamed = self.claim(&name, Holder::Passed(index));
        self.naming.passed.push(renamed.or(Some(name)));
    }

    /// Frees the names of all values that were passed over.
    pub fn forget_passed(&mut self) {
        self.naming
            .holders
            .retain(|_, holder| matches!(holder, Holder::Value(_)));
    }

    /// From here on, until it is switched off, new values get neither numbers nor unique names. Returns the state before.
    pub fn pause_numbers(&mut self, paused: bool) -> bool {
        std::mem::replace(&mut self.naming.paused, paused)
    }

    /// Gives a value the next number.
    pub fn renumber(&mut self, value: ValueId) {
        self.values[value].number = self.naming.number();
    }

    /// Takes the next number for a value that is made later.
    pub fn reserve_number(&mut self) -> u32 {
        self.naming.number()
    }

    /// Gives a value a number that was reserved for it.
    pub fn use_number(&mut self, value: ValueId, number: u32) {
        self.values[value].number = number;
    }

    /// Gives number and name of one value to another.
    pub fn hand_over_name(&mut self, from: ValueId, to: ValueId) {
        self.release_name(to);
        self.values[to].number = std::mem::replace(&mut self.values[from].number, UNNUMBERED);
        let name = self.values[from].name.take();
        if let Some(name) = &name
            && let Some(holder) = self.naming.holders.get_mut(name)
            && *holder == Holder::Value(from)
        {
            *holder = Holder::Value(to);
        }
        self.values[to].name = name;
    }

    /// Names a value as a copy of another one of the same graph: both go on with the same new suffix.
    pub fn name_copy(&mut self, copy: ValueId, original: ValueId) {
        let Some(name) = self.values[original].name.clone() else {
            return;
        };
        let renamed = self.claim(&name, Holder::Value(copy));
        self.values[copy].name = Some(match renamed {
            Some(fresh) => {
                self.naming.release(&name, Holder::Value(copy));
                self.naming
                    .holders
                    .insert(fresh.clone(), Holder::Value(copy));
                fresh
            }
            None => name,
        });
    }

    /// Makes every use of one value a use of another.
    pub fn replace_all_uses(&mut self, old: ValueId, new: ValueId) {
        if old == new {
            return;
        }
        let uses = std::mem::take(&mut self.values[old].uses);
        for u in &uses {
            self.nodes[u.node].inputs[u.index as usize] = new;
        }
        self.values[new].uses.extend(uses);
    }

    /// The constant that a value is known to be.
    pub fn constant(&self, value: ValueId) -> Option<Value> {
        let node = &self.nodes[self.values[value].node];
        if !node.is(Prim::Constant) {
            return None;
        }
        match node.attr("value") {
            Some(Attr::Value(v)) => Some(v.clone()),
            _ => (self.values[value].ty == Type::None).then_some(Value::None),
        }
    }

    /// Makes a constant node (standing nowhere yet) of the value, with the type given.
    pub fn create_constant(&mut self, value: Value, ty: Type) -> NodeId {
        let node = self.create(Prim::Constant, &[], &[ty]);
        if !value.is_none() {
            self.set_attr(node, "value", Attr::Value(value));
        }
        node
    }

    /// A new constant of the value, with the type given, that stands before `node`.
    pub fn constant_before(&mut self, node: NodeId, value: Value, ty: Type) -> ValueId {
        let constant = self.create_constant(value, ty);
        self.insert_before(node, constant);
        self.nodes[constant].outputs()[0]
    }

    /// Whether `a` comes before `b` in the same block.
    pub fn is_before(&self, a: NodeId, b: NodeId) -> bool {
        let mut at = self.nodes[a].next;
        while let Some(node) = at {
            if node == b {
                return true;
            }
            at = self.nodes[node].next;
        }
        false
    }

    /// The blocks around a node, innermost first.
    pub fn enclosing_blocks(&self, node: NodeId) -> Vec<BlockId> {
        let mut out = Vec::new();
        let mut at = self.nodes[node].block;
        while let Some(block) = at {
            out.push(block);
            at = self.blocks[block]
                .owner
                .and_then(|owner| self.nodes[owner].block);
        }
        out
    }

    /// Copies a node (with nested blocks) of `source` to before `at`, its inputs mapped by `map`, which learns the
    /// outputs. Iterative, so that deep nesting costs no stack.
    pub fn clone_node_before(
        &mut self,
        at: NodeId,
        source: &Graph,
        node: NodeId,
        map: &mut std::collections::HashMap<ValueId, ValueId>,
    ) -> NodeId {
        let copy = self.clone_shell(source, node, map);
        self.insert_before(at, copy);
        let mut pending = vec![(node, copy)];
        while let Some((from, to)) = pending.pop() {
            for (i, &block) in source.nodes[from].blocks.iter().enumerate() {
                let target = self.add_block(to);
                debug_assert_eq!(self.nodes[to].blocks.len(), i + 1);
                for &param in source.params(block) {
                    let data = &source.values[param];
                    let new = self.add_param(target, data.ty.clone(), data.name.as_deref());
                    map.insert(param, new);
                }
            }
            // Outputs of earlier siblings must be known before later ones are copied, and nested blocks may use them:
            // copy level by level, blocks of this node in order.
            for (i, &block) in source.nodes[from].blocks.iter().enumerate() {
                let target = self.nodes[to].blocks[i];
                self.clone_block_into(target, source, block, map);
            }
        }
        copy
    }

    /// The same graph, its values and those of graphs inside it numbered anew in order of the text.
    pub fn copy(&self) -> Graph {
        let mut graph = Graph::new();
        let mut map = std::collections::HashMap::new();
        for &input in self.inputs() {
            let data = &self.values[input];
            let new = graph.add_param(graph.top, data.ty.clone(), data.name.as_deref());
            map.insert(input, new);
        }
        graph.clone_block_into(graph.top, self, self.top, &mut map);
        for node in graph.all_nodes() {
            for (_, attr) in &mut graph.nodes[node].attrs {
                if let Attr::Graph(inner) = attr {
                    *attr = Attr::Graph(Arc::new(inner.copy()));
                }
            }
        }
        graph
    }

    /// Copies a node of this graph (with nested blocks) to before `at`: inputs that `map` knows are replaced, `map` learns
    /// the outputs.
    pub fn clone_within(
        &mut self,
        at: NodeId,
        node: NodeId,
        map: &mut std::collections::HashMap<ValueId, ValueId>,
    ) -> NodeId {
        let from = self.nodes[node].clone();
        let copy = self.new_node(from.kind);
        self.nodes[copy].attrs = from.attrs;
        self.nodes[copy].span = from.span;
        self.nodes[copy].scope = from.scope;
        self.nodes[copy].call_site = from.call_site;
        for input in from.inputs {
            let value = map.get(&input).copied().unwrap_or(input);
            self.push_input(copy, value);
        }
        for output in from.outputs {
            let new = self.add_output(copy, self.values[output].ty.clone(), None);
            self.name_copy(new, output);
            map.insert(output, new);
        }
        self.insert_before(at, copy);
        for block in from.blocks {
            let target = self.add_block(copy);
            for param in self.params(block).to_vec() {
                let new = self.add_param(target, self.values[param].ty.clone(), None);
                self.name_copy(new, param);
                map.insert(param, new);
            }
            let end = self.return_node(target);
            for inner in self.nodes(block) {
                self.clone_within(end, inner, map);
            }
            for result in self.returns(block).to_vec() {
                let value = map.get(&result).copied().unwrap_or(result);
                self.add_return(target, value);
            }
        }
        copy
    }

    /// Copies the nodes and results of a block into an empty block whose parameters are already in `map`.
    pub fn clone_block_into(
        &mut self,
        target: BlockId,
        source: &Graph,
        block: BlockId,
        map: &mut std::collections::HashMap<ValueId, ValueId>,
    ) {
        let end = self.blocks[target].ret;
        for node in source.nodes(block) {
            self.clone_node_before(end, source, node, map);
        }
        for &result in source.returns(block) {
            let value = map.get(&result).copied().unwrap_or(result);
            self.push_input(end, value);
        }
    }

    fn clone_shell(
        &mut self,
        source: &Graph,
        node: NodeId,
        map: &mut std::collections::HashMap<ValueId, ValueId>,
    ) -> NodeId {
        let from = &source.nodes[node];
        let copy = self.new_node(from.kind);
        self.nodes[copy].attrs = from.attrs.clone();
        self.nodes[copy].span = from.span.clone();
        self.nodes[copy].scope = from.scope.clone();
        self.nodes[copy].call_site = from.call_site.clone();
        for &input in &from.inputs {
            let value = *map
                .get(&input)
                .expect("values are defined before they are used");
            self.push_input(copy, value);
        }
        for &output in &from.outputs {
            let data = &source.values[output];
            let new = self.add_output(copy, data.ty.clone(), data.name.as_deref());
            map.insert(output, new);
        }
        copy
    }
}
