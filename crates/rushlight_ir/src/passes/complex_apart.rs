//! Takes complex numbers apart that branches and loops give: their two parts go in and come out one by one, and operators
//! whose rows say how their parts follow become operators on floats.
//!
//! Where somebody else wants the number it is put together, and what somebody else gives is taken apart once.

use crate::{BlockId, Graph, NodeId, Prim, ValueId};
use rushlight_types::{Operator, OperatorTable, ScalarOp, Type, Value};
use std::collections::HashMap;

/// The graph with complex numbers taken apart, for running it; `None` where no branch and no loop gives one.
pub fn with_complex_apart(graph: &Graph, table: &'static OperatorTable) -> Option<Graph> {
    let nodes = graph.all_nodes();
    let is_given = nodes.iter().map(|id| graph.node(*id)).any(|node| {
        let mut outputs = node.outputs().iter();
        !node.blocks().is_empty() && outputs.any(|o| *graph.ty(*o) == Type::Complex)
    });
    let in_parts = |id: &NodeId| {
        graph
            .node(*id)
            .operator()
            .is_some_and(|op| op.parts.is_some())
    };
    if !is_given || !nodes.iter().any(in_parts) {
        return None;
    }
    let mut taking = Taking {
        graph: graph.copy(),
        table,
        whole: table.of_scalars(ScalarOp::ComplexOf, &[Type::Float, Type::Float])?,
        first: table.of_scalars(ScalarOp::RealOf, &[Type::Complex])?,
        second: table.of_scalars(ScalarOp::ImagOf, &[Type::Complex])?,
        parts: HashMap::new(),
    };
    for node in taking.graph.all_nodes() {
        taking.compute(node)?;
    }
    for node in taking.graph.all_nodes().into_iter().rev() {
        taking.carry(node);
    }
    taking.clean();
    Some(taking.graph)
}

struct Taking {
    graph: Graph,
    table: &'static OperatorTable,
    /// The operators that put a number together and give its parts.
    whole: &'static Operator,
    first: &'static Operator,
    second: &'static Operator,
    parts: HashMap<ValueId, [ValueId; 2]>,
}

impl Taking {
    /// Makes a node of an operator on floats before another.
    fn float(&mut self, op: ScalarOp, inputs: &[ValueId], before: NodeId) -> Option<ValueId> {
        let types: Vec<Type> = inputs.iter().map(|i| self.graph.ty(*i).clone()).collect();
        let operator = self.table.of_scalars(op, &types)?;
        let node = self.graph.create(operator, inputs, &[Type::Float]);
        self.graph.insert_before(before, node);
        Some(self.graph.node(node).outputs()[0])
    }

    /// The parts of a value, which become known where it is made.
    fn parts(&mut self, value: ValueId) -> [ValueId; 2] {
        if let Some(parts) = self.parts.get(&value) {
            return *parts;
        }
        let maker = self.graph.value(value).node();
        let parts = match self.graph.constant(value) {
            Some(Value::Complex(number)) => [number.re, number.im].map(|part| {
                let part = Value::Float(part);
                self.graph.constant_before(maker, part, Type::Float)
            }),
            _ => [self.first, self.second].map(|part| self.behind(maker, value, part)),
        };
        self.parts.insert(value, parts);
        parts
    }

    /// A part of a value, taken out where that is made.
    fn behind(&mut self, maker: NodeId, value: ValueId, operator: &'static Operator) -> ValueId {
        let graph = &mut self.graph;
        let node = match graph.node(maker).is(Prim::Uninitialized) {
            // A number that is not there yet has no parts.
            true => graph.create(Prim::Uninitialized, &[], &[Type::Float]),
            false => graph.create(operator, &[value], &[Type::Float]),
        };
        graph.insert_after(maker, node);
        graph.node(node).outputs()[0]
    }

    /// Does an operator on the parts of its arguments, if its row says how; `None` where an operator on floats is missing.
    fn compute(&mut self, node: NodeId) -> Option<()> {
        let data = self.graph.node(node);
        let Some(told) = data.operator().and_then(|operator| operator.parts) else {
            return Some(());
        };
        let (inputs, output) = (data.inputs().to_vec(), data.outputs()[0]);
        let mut letters = Vec::new();
        for (input, names) in inputs.into_iter().zip([['a', 'b'], ['c', 'd']]) {
            match self.graph.ty(input) {
                Type::Complex => letters.extend(names.into_iter().zip(self.parts(input))),
                Type::Float => letters.push((names[0], input)),
                _ => letters.push((names[0], self.float(ScalarOp::FloatOf, &[input], node)?)),
            }
        }
        let real = self.expression(told[0], &letters, node)?;
        if told[1].is_empty() {
            self.graph.replace_all_uses(output, real);
        } else {
            let parts = [real, self.expression(told[1], &letters, node)?];
            self.stand_in(output, parts, node);
        }
        self.graph.remove(node);
        Some(())
    }

    /// The value of an expression of a row.
    fn expression(
        &mut self,
        text: &str,
        letters: &[(char, ValueId)],
        before: NodeId,
    ) -> Option<ValueId> {
        let mut stack = Vec::new();
        for symbol in text.chars() {
            let (op, operands) = match symbol {
                '+' => (ScalarOp::AddFloat, 2),
                '-' => (ScalarOp::SubFloat, 2),
                '*' => (ScalarOp::MulFloat, 2),
                'h' => (ScalarOp::HypotFloat, 2),
                '~' => (ScalarOp::NegFloat, 1),
                letter => {
                    stack.push(letters.iter().find(|l| l.0 == letter)?.1);
                    continue;
                }
            };
            let inputs = stack.split_off(stack.len().checked_sub(operands)?);
            stack.push(self.float(op, &inputs, before)?);
        }
        stack.pop()
    }

    /// Makes what an `If` or a `Loop` gives, and what a loop carries, floats.
    fn carry(&mut self, node: NodeId) {
        let is_loop = self.graph.node(node).is(Prim::Loop);
        if !is_loop && !self.graph.node(node).is(Prim::If) {
            return;
        }
        let skipped = usize::from(is_loop);
        let mut at = 0;
        while let Some(&output) = self.graph.node(node).outputs().get(at) {
            if *self.graph.ty(output) != Type::Complex {
                at += 1;
                continue;
            }
            let new = [1, 2].map(|i| self.graph.insert_output(node, at + i, Type::Float));
            self.stand_in(output, new, node);
            self.graph.remove_output(node, at);
            if is_loop {
                let initial = self.graph.node(node).inputs()[2 + at];
                let parts = self.parts(initial);
                self.graph.set_input(node, 2 + at, parts[0]);
                self.graph.insert_input(node, 3 + at, parts[1]);
            }
            for block in self.graph.node(node).blocks().to_vec() {
                if is_loop {
                    self.split_param(block, 1 + at);
                }
                self.split_return(block, skipped + at);
            }
        }
    }

    fn split_param(&mut self, block: BlockId, at: usize) {
        let param = self.graph.params(block)[at];
        let new = [1, 2].map(|i| self.graph.insert_param(block, at + i, Type::Float));
        self.stand_in(param, new, self.graph.param_node(block));
        self.graph.remove_param(block, at);
    }

    fn split_return(&mut self, block: BlockId, at: usize) {
        let parts = self.parts(self.graph.returns(block)[at]);
        self.graph.remove_return(block, at);
        for (i, part) in parts.into_iter().enumerate() {
            self.graph.insert_return(block, at + i, part);
        }
    }

    /// Puts a number made of parts, behind a node, in the place of another, of which parts may have been taken out.
    fn stand_in(&mut self, old: ValueId, parts: [ValueId; 2], behind: NodeId) {
        let node = self.graph.create(self.whole, &parts, &[Type::Complex]);
        self.graph.insert_after(behind, node);
        let new = self.graph.node(node).outputs()[0];
        for (taken, part) in self.parts.remove(&old).into_iter().flatten().zip(parts) {
            let node = self.graph.value(taken).node();
            self.graph.replace_all_uses(taken, part);
            self.graph.remove(node);
            for known in self.parts.values_mut().flatten() {
                if *known == taken {
                    *known = part;
                }
            }
        }
        self.parts.insert(new, parts);
        self.graph.replace_all_uses(old, new);
    }

    /// Takes out what was put together, or taken out, for nobody.
    fn clean(&mut self) {
        for id in self.graph.all_nodes().into_iter().rev() {
            let node = self.graph.node(id);
            let is_ours = node.operator().is_some_and(|operator| {
                [self.whole, self.first, self.second]
                    .iter()
                    .any(|ours| std::ptr::eq(*ours, operator))
            });
            if is_ours && self.graph.value(node.outputs()[0]).uses().is_empty() {
                self.graph.remove(id);
            }
        }
    }
}
