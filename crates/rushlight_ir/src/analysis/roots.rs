//! Where values come from: the results that may be among them or within them, through views and containers.

use super::alias::is_mutable;
use crate::{Graph, NodeKind, Prim, ValueId};
use std::collections::HashSet;

/// What some values may be, hold or show a part of.
pub struct Roots {
    /// Results that nodes made.
    made: HashSet<ValueId>,
    /// Whether there is something among them that the graph did not make itself.
    foreign: bool,
}

impl Roots {
    /// The roots of values and of all that they hold.
    pub fn reached(graph: &Graph, values: &[ValueId]) -> Roots {
        let mut out = Roots {
            made: HashSet::new(),
            foreign: false,
        };
        let mut seen = HashSet::new();
        let mut waiting = values.to_vec();
        while let Some(value) = waiting.pop() {
            if is_mutable(graph.ty(value)) && seen.insert(value) {
                out.step(graph, value, &mut waiting);
            }
        }
        out
    }

    /// Whether something may be among both.
    pub fn meet(&self, other: &Roots) -> bool {
        self.foreign && other.foreign || !self.made.is_disjoint(&other.made)
    }

    /// Whether there is something among them that the graph did not make itself.
    pub fn has_foreign(&self) -> bool {
        self.foreign
    }

    fn step(&mut self, graph: &Graph, value: ValueId, waiting: &mut Vec<ValueId>) {
        let id = graph.value(value).node();
        let node = graph.node(id);
        let position = node.outputs().iter().position(|v| *v == value);
        match node.kind {
            NodeKind::Prim(Prim::Constant) => {
                self.made.insert(value);
            }
            NodeKind::Prim(Prim::TupleConstruct | Prim::ListConstruct | Prim::DictConstruct) => {
                self.made.insert(value);
                waiting.extend(node.inputs());
            }
            NodeKind::Prim(
                Prim::TupleIndex
                | Prim::TupleUnpack
                | Prim::TupleSlice
                | Prim::UncheckedCast
                | Prim::UncheckedUnwrapOptional,
            ) => waiting.extend(node.inputs()),
            NodeKind::Prim(Prim::If) => {
                let of_block = |&block| graph.returns(block).get(position?).copied();
                waiting.extend(node.blocks().iter().filter_map(of_block));
            }
            NodeKind::Op(op) => {
                let schema = op.schema();
                let returned = position.and_then(|i| schema.returns.get(i));
                match returned.and_then(|r| r.alias.as_ref()) {
                    // A new result; but what has been put into a list or a dict is not followed.
                    None if graph.ty(value).is_tensor() => {
                        self.made.insert(value);
                    }
                    Some(alias)
                        if graph.ty(value).is_tensor()
                            && alias.after.iter().all(|s| &**s != "*") =>
                    {
                        for (formal, &input) in schema.arguments.iter().zip(node.inputs()) {
                            let Some(other) = &formal.alias else { continue };
                            if other.after.iter().any(|s| alias.before.contains(s)) {
                                waiting.push(input);
                            }
                        }
                    }
                    _ => self.foreign = true,
                }
            }
            _ => self.foreign = true,
        }
    }
}
