//! The graph: nodes, values and blocks in tables, named by typed ids.
//!
//! A block is a doubly linked list of nodes between two sentinels: a `Param` node whose outputs are the block's
//! parameters and a `Return` node whose inputs are its results. So every value is the output of a node, and every use
//! of a value is an input of a node. Every value knows its uses; only the methods here edit either side.

mod edit;
mod names;

use crate::naming::{Naming, UNNUMBERED};
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
    Floats(Vec<f64>),
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
    /// Most nodes have none or one.
    attrs: SmallVec<[(Symbol, Attr); 1]>,
    /// Where in the source the node comes from.
    pub span: Option<Span>,
    /// The scope that a trace was in.
    pub scope: Option<Arc<str>>,
    /// The call that the node was inlined from.
    pub call_site: Option<Arc<CallSite>>,
    block: Option<BlockId>,
    prev: Option<NodeId>,
    next: Option<NodeId>,
    removed: bool,
}

impl Node {
    /// Whether the node has been taken out of the graph for good.
    pub fn is_removed(&self) -> bool {
        self.removed
    }

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
            attrs: SmallVec::new(),
            span: None,
            scope: None,
            call_site: None,
            block: None,
            prev: None,
            next: None,
            removed: false,
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
        let after = |node: NodeId| self.nodes[node].next.filter(|next| *next != ret);
        let all = || std::iter::successors(after(param), |node| after(*node));
        // To go twice costs less than a vector that grows.
        let mut out = Vec::with_capacity(all().count());
        out.extend(all());
        out
    }

    /// Every node of the graph in order of text, nested ones after the node they are nested in.
    pub fn all_nodes(&self) -> Vec<NodeId> {
        let first = |block: BlockId| self.nodes[self.blocks[block].param].next;
        let mut out = Vec::with_capacity(self.nodes.len());
        let mut stack = vec![first(self.top)];
        while let Some(at) = stack.pop() {
            let Some(node) = at else { continue };
            let data = &self.nodes[node];
            // Only a block's `Return` node has none behind it.
            if data.next.is_none() {
                continue;
            }
            out.push(node);
            stack.push(data.next);
            stack.extend(data.blocks.iter().rev().map(|block| first(*block)));
        }
        out
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
            _ => {
                let none = node.attrs().is_empty() && self.values[value].ty.accepts_none();
                none.then_some(Value::None)
            }
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
    /// the outputs. Copies take the names, as in the reference: what stands in nested blocks takes the next name, too.
    pub fn clone_within(
        &mut self,
        at: NodeId,
        node: NodeId,
        map: &mut std::collections::HashMap<ValueId, ValueId>,
    ) -> NodeId {
        self.clone_named(at, node, map, false)
    }

    /// As [`Graph::clone_within`] for a node that is copied with the block it stands in.
    pub fn clone_with_block(
        &mut self,
        at: NodeId,
        node: NodeId,
        map: &mut std::collections::HashMap<ValueId, ValueId>,
    ) -> NodeId {
        self.clone_named(at, node, map, true)
    }

    fn clone_named(
        &mut self,
        at: NodeId,
        node: NodeId,
        map: &mut std::collections::HashMap<ValueId, ValueId>,
        is_nested: bool,
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
        let mut outputs = Vec::with_capacity(from.outputs.len());
        for output in from.outputs {
            let new = self.add_output(copy, self.values[output].ty.clone(), None);
            self.take_name(new, output);
            map.insert(output, new);
            outputs.push((output, new));
        }
        self.insert_before(at, copy);
        for block in from.blocks {
            let target = self.add_block(copy);
            for param in self.params(block).to_vec() {
                let new = self.add_param(target, self.values[param].ty.clone(), None);
                self.take_name(new, param);
                map.insert(param, new);
            }
            let end = self.return_node(target);
            for inner in self.nodes(block) {
                self.clone_named(end, inner, map, true);
            }
            for result in self.returns(block).to_vec() {
                let value = map.get(&result).copied().unwrap_or(result);
                self.add_return(target, value);
            }
        }
        if is_nested {
            for (output, new) in outputs {
                self.take_name(new, output);
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
