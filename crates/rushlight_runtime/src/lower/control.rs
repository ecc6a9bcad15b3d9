//! `If` and `Loop`: blocks laid out one after the other and joined by jumps and moves.

use super::registers::{Place, RegisterKind};
use super::{Lowerer, index, scalar};
use crate::code::{Insn, NOWHERE, Reg};
use rushlight_ir::{BlockId, NodeId, ValueId};
use rushlight_types::{Result, Value};

impl Lowerer<'_> {
    pub(super) fn branch(&mut self, id: NodeId) -> Result<()> {
        let node = self.graph.node(id);
        let (then, otherwise) = (node.blocks()[0], node.blocks()[1]);
        let targets: Vec<Reg> = node.outputs().iter().map(|o| self.define(*o)).collect();
        let jump = self.jump_unless(id);
        let before = self.reserve_all(&targets, true);
        self.arm(then, &targets)?;
        let has_else =
            !targets.is_empty() || !self.graph.nodes(otherwise).is_empty() || self.drops(otherwise);
        if has_else {
            self.set_origin(id);
            let over = self.here();
            self.emit(Insn::Jump(0));
            self.land(jump);
            for &target in &targets {
                self.places[target as usize].vacant = true;
            }
            self.arm(otherwise, &targets)?;
            self.land(over);
        } else {
            self.land(jump);
        }
        self.restore_all(&targets, before);
        self.set_origin(id);
        self.drop_all(self.live.dropped_after(id).to_vec());
        self.release(id);
        Ok(())
    }

    fn drops(&self, block: BlockId) -> bool {
        let is_dropped = |v: &ValueId| !self.is_plain(*v) && !self.is_constant(*v);
        self.live.dropped_at_entry(block).iter().any(is_dropped)
    }

    /// The jump to the second block. A comparison of ints just before it that serves nothing else becomes part of it.
    fn jump_unless(&mut self, id: NodeId) -> u32 {
        let condition = self.graph.node(id).inputs()[0];
        let value = self.graph.value(condition);
        // What an `If` gives is computed on two ways, of which the last instruction is one.
        let is_computed_here = self.graph.node(value.node()).blocks().is_empty();
        let is_fresh = value.uses().len() == 1
            && is_computed_here
            && self.graph.prev(id) == Some(value.node());
        let fused = self
            .code
            .insns
            .last()
            .and_then(|i| scalar::fused_jump(*i))
            .filter(|f| is_fresh && f.0 == self.registers[index(condition)]);
        if let Some((_, a, b, make)) = fused {
            self.code.insns.pop();
            let here = self.here();
            while self.code.stretches.last().is_some_and(|s| s.0 >= here) {
                self.code.stretches.pop();
            }
            self.emit(make(a, b, 0));
        } else {
            let condition = self.register(id, 0);
            self.emit(Insn::JumpUnless(condition, 0));
            for register in std::mem::take(&mut self.temporary) {
                self.give_back(register);
            }
        }
        self.here() - 1
    }

    fn arm(&mut self, block: BlockId, targets: &[Reg]) -> Result<()> {
        let ret = self.graph.return_node(block);
        self.want(block, 0, targets);
        self.drop_all(self.live.dropped_at_entry(block).to_vec());
        self.release(self.graph.param_node(block));
        self.nodes(block)?;
        self.set_origin(ret);
        let moves = (0..targets.len())
            .map(|i| (targets[i], self.operand(ret, i)))
            .collect();
        self.parallel_moves(moves);
        self.release(ret);
        Ok(())
    }

    /// Asks for what a block computes and returns (from result `skip` on) to be computed in place.
    fn want(&mut self, block: BlockId, skip: usize, targets: &[Reg]) {
        let param = self.graph.param_node(block);
        for (&result, &target) in self.graph.returns(block)[skip..].iter().zip(targets) {
            let definition = self.graph.value(result).node();
            let is_own = definition != param && self.graph.node(definition).block() == Some(block);
            if is_own && !self.is_constant(result) && self.wanted[index(result)] == NOWHERE {
                self.wanted[index(result)] = target;
            }
        }
    }

    fn reserve_all(&mut self, registers: &[Reg], vacant: bool) -> Vec<Place> {
        registers.iter().map(|r| self.reserve(*r, vacant)).collect()
    }

    fn restore_all(&mut self, registers: &[Reg], before: Vec<Place>) {
        for (&register, place) in registers.iter().zip(before) {
            self.places[register as usize] = Place {
                vacant: false,
                ..place
            };
        }
    }

    pub(super) fn repeat(&mut self, id: NodeId) -> Result<()> {
        let node = self.graph.node(id);
        let body = node.blocks()[0];
        let outputs = node.outputs().to_vec();
        let carried: Vec<Reg> = outputs.iter().map(|o| self.define(*o)).collect();
        let (trips, counter) = (
            self.allocate(RegisterKind::Int),
            self.allocate(RegisterKind::Int),
        );
        let is_while = self.is_unbounded(id);
        if !is_while {
            let trip = self.operand(id, 0);
            self.load(trips, trip);
        }
        let start = (2..2 + carried.len())
            .map(|i| (carried[i - 2], self.operand(id, i)))
            .collect();
        self.parallel_moves(start);
        let mut exits = Vec::new();
        if self.constant_condition(node.inputs()[1]) != Some(true) {
            let condition = self.register(id, 1);
            exits.push(self.here());
            self.emit(Insn::JumpUnless(condition, 0));
            for register in std::mem::take(&mut self.temporary) {
                self.give_back(register);
            }
        }
        if !is_while
            || !self
                .graph
                .value(self.graph.params(body)[0])
                .uses()
                .is_empty()
        {
            if is_while {
                let trip = self.operand(id, 0);
                self.load(trips, trip);
            }
            exits.push(self.here());
            self.emit(Insn::LoopStart(counter, trips, 0));
        }
        self.loops += 1;
        let exit = self.body(id, body, &carried, counter, trips)?;
        self.loops -= 1;
        exits.extend(exit);
        for exit in exits {
            self.land(exit);
        }
        self.give_back(trips);
        self.give_back(counter);
        self.drop_all(self.live.dropped_after(id).to_vec());
        self.release(id);
        Ok(())
    }

    /// The body of a loop and the jump back to its start. Returns the jump that leaves the loop early, if there is one.
    fn body(
        &mut self,
        id: NodeId,
        body: BlockId,
        carried: &[Reg],
        counter: Reg,
        trips: Reg,
    ) -> Result<Option<u32>> {
        let ret = self.graph.return_node(body);
        let top = self.here();
        let before = self.reserve_all(carried, false);
        let counter_before = self.reserve(counter, false);
        let params = self.graph.params(body).to_vec();
        self.registers[index(params[0])] = counter;
        for (&param, &register) in params[1..].iter().zip(carried) {
            self.registers[index(param)] = register;
        }
        self.want(body, 1, carried);
        self.drop_all(self.live.dropped_at_entry(body).to_vec());
        self.release(self.graph.param_node(body));
        self.nodes(body)?;
        self.set_origin(id);
        let moves = (0..carried.len())
            .map(|i| (carried[i], self.operand(ret, i + 1)))
            .collect();
        let condition = self.graph.returns(body)[0];
        let always = self.constant_condition(condition) == Some(true);
        // The moves must not overwrite the condition: it is never in a register that the loop carries, unless it is
        // itself carried.
        let condition = if always {
            NOWHERE
        } else {
            self.kept_condition(ret, carried)
        };
        self.parallel_moves(moves);
        let is_while = self.is_unbounded(id) && self.graph.value(params[0]).uses().is_empty();
        let mut exit = None;
        if is_while && always {
            let constant = self.add_constant(Value::Bool(true));
            let always_true = self.preloaded_register(constant);
            self.emit(Insn::LoopWhile(always_true, top));
        } else if is_while {
            self.emit(Insn::LoopWhile(condition, top));
        } else {
            if !always {
                exit = Some(self.here());
                self.emit(Insn::JumpUnless(condition, 0));
            }
            self.emit(Insn::LoopStep(counter, trips, top));
        }
        for register in std::mem::take(&mut self.temporary) {
            self.give_back(register);
        }
        self.release(ret);
        self.restore_all(carried, before);
        self.places[counter as usize] = counter_before;
        Ok(exit)
    }

    /// The condition of the next iteration, in a register that the moves of carried values leave alone.
    fn kept_condition(&mut self, ret: NodeId, carried: &[Reg]) -> Reg {
        let register = self.register(ret, 0);
        if !carried.contains(&register) {
            return register;
        }
        let copy = self.allocate(RegisterKind::Bool);
        self.emit(Insn::Copy(copy, register));
        self.temporary.push(copy);
        copy
    }

    fn constant_condition(&self, value: ValueId) -> Option<bool> {
        match self.graph.constant(value) {
            Some(Value::Bool(b)) => Some(b),
            _ => None,
        }
    }

    /// Whether only the condition ends a loop.
    fn is_unbounded(&self, id: NodeId) -> bool {
        let trips = self.graph.node(id).inputs()[0];
        matches!(self.graph.constant(trips), Some(Value::Int(i64::MAX)))
    }
}
