//! The definition of a valid graph, and its check.
//!
//! 1. Every input of a node is a value whose definition comes before it: earlier in the same block, or before the node
//!    that encloses it, or a parameter of an enclosing block.
//! 2. The uses that a value lists are exactly the inputs that name it.
//! 3. An `If` has one bool input and two blocks without parameters that return as many values as it has outputs, each a
//!    subtype of the output.
//! 4. A `Loop` has a trip count (int), a condition (bool) and n carried inputs, one block with 1 + n parameters and
//!    1 + n results, and n outputs.
//! 5. A node of an operator without varargs has one input per argument, each a subtype of its type (type variables
//!    aside), and one output per return.
//! 6. A `Constant` has one output. The kinds that exist during emission only do not occur.

use crate::{BlockId, Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::Type;
use std::collections::HashSet;

/// Checks a graph; the error says which rule is broken where.
pub fn verify(graph: &Graph) -> Result<(), String> {
    check(graph, true)
}

/// Checks a graph whose types may say what operators are not made for: types of inputs of operators aside.
pub fn verify_structure(graph: &Graph) -> Result<(), String> {
    check(graph, false)
}

fn check(graph: &Graph, with_types: bool) -> Result<(), String> {
    let mut checker = Checker {
        graph,
        with_types,
        known: HashSet::new(),
        defined: Vec::new(),
        uses: HashSet::new(),
    };
    checker.block(graph.top())
}

struct Checker<'g> {
    graph: &'g Graph,
    with_types: bool,
    /// The values that are defined at this point, and the same in their order.
    known: HashSet<ValueId>,
    defined: Vec<ValueId>,
    /// The uses that they list and that were not met yet.
    uses: HashSet<(ValueId, NodeId, usize)>,
}

impl Checker<'_> {
    fn block(&mut self, block: BlockId) -> Result<(), String> {
        let before = self.defined.len();
        self.define(self.graph.params(block));
        for node in self.graph.nodes(block) {
            self.node(node)?;
        }
        self.inputs(self.graph.return_node(block))?;
        for value in self.defined.drain(before..) {
            self.known.remove(&value);
        }
        Ok(())
    }

    fn define(&mut self, values: &[ValueId]) {
        for &value in values {
            let uses = self.graph.value(value).uses().iter();
            self.uses
                .extend(uses.map(|u| (value, u.node, u.index as usize)));
        }
        self.known.extend(values);
        self.defined.extend(values);
    }

    fn inputs(&mut self, node: NodeId) -> Result<(), String> {
        for (i, &input) in self.graph.node(node).inputs().iter().enumerate() {
            if !self.known.contains(&input) {
                return Err(format!(
                    "rule 1: input {i} of {} is not defined before it",
                    self.describe(node)
                ));
            }
            if !self.uses.remove(&(input, node, i)) {
                return Err(format!(
                    "rule 2: input {i} of {} is not among the uses of its value",
                    self.describe(node)
                ));
            }
        }
        Ok(())
    }

    fn describe(&self, node: NodeId) -> String {
        format!(
            "`{}`",
            self.graph
                .node_text(node)
                .lines()
                .next()
                .unwrap_or_default()
                .trim()
        )
    }

    fn node(&mut self, id: NodeId) -> Result<(), String> {
        self.inputs(id)?;
        let node = self.graph.node(id);
        for &block in node.blocks() {
            self.block(block)?;
        }
        let at = |rule: &str| Err(format!("{rule}: {}", self.describe(id)));
        match node.kind {
            NodeKind::Prim(Prim::If) => {
                let fits = node.inputs().len() == 1
                    && *self.graph.ty(node.inputs()[0]) == Type::Bool
                    && node.blocks().len() == 2
                    && node.blocks().iter().all(|&b| {
                        self.graph.params(b).is_empty()
                            && self.graph.returns(b).len() == node.outputs().len()
                            && self
                                .graph
                                .returns(b)
                                .iter()
                                .zip(node.outputs())
                                .all(|(r, o)| self.graph.ty(*r).is_subtype_of(self.graph.ty(*o)))
                    });
                if !fits {
                    return at("rule 3");
                }
            }
            NodeKind::Prim(Prim::Loop) => {
                let carried = node.inputs().len().wrapping_sub(2);
                let fits = node.inputs().len() >= 2
                    && node.blocks().len() == 1
                    && self.graph.params(node.blocks()[0]).len() == 1 + carried
                    && self.graph.returns(node.blocks()[0]).len() == 1 + carried
                    && node.outputs().len() == carried;
                if !fits {
                    return at("rule 4");
                }
            }
            NodeKind::Op(op) => {
                let schema = op.schema();
                if !schema.varargs {
                    let fits = node.inputs().len() == schema.arguments.len()
                        && node.inputs().iter().zip(&schema.arguments).all(|(i, a)| {
                            !self.with_types
                                || a.ty.has_variables()
                                || self.graph.ty(*i).is_subtype_of(&a.ty)
                        });
                    if !fits {
                        return at("rule 5");
                    }
                }
                if !schema.varrets && node.outputs().len() != schema.returns.len() {
                    return at("rule 5");
                }
            }
            NodeKind::Prim(Prim::Constant) if node.outputs().len() != 1 => return at("rule 6"),
            NodeKind::Prim(
                Prim::BreakStmt
                | Prim::ContinueStmt
                | Prim::ReturnStmt
                | Prim::Load
                | Prim::Store
                | Prim::ComprehensionScope
                | Prim::EmptyListLiteral
                | Prim::Param
                | Prim::Return,
            ) => return at("rule 6"),
            _ => {}
        }
        self.define(node.outputs());
        Ok(())
    }
}
