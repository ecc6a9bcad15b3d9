//! Where machine code is left: what the frame does not have yet is written to it.
//!
//! Nearly every instruction can be left, and from one to the next little changes. So what several have in common is
//! written in one place, which they go to.

use super::Translator;
use crate::run::field;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use rushlight_runtime::code::Reg;

/// So many of the last common parts are looked at.
const LOOKED_AT: usize = 8;

/// So many words are written anywhere.
const FEW: usize = 2;

/// What several exits write.
struct Tail {
    /// It is given the number of the instruction.
    block: Block,
    fuel: Value,
    /// Places of the frame and what goes there.
    writes: Vec<(i32, Value)>,
}

impl Translator<'_> {
    pub(super) fn write_exits(&mut self) {
        let mut exits: Vec<_> = std::mem::take(&mut self.exits).into_iter().collect();
        rushlight_tensor::order::sort_by(&mut exits, |a, b| a.0.cmp(&b.0));
        let mut tails: Vec<Tail> = Vec::new();
        for ((insn, except), (block, journal)) in exits {
            self.begin(block);
            self.do_again(&journal);
            let mut registers: Vec<Reg> = self.live.before(insn).collect();
            registers.retain(|r| !except.contains(r));
            let writes = registers.into_iter().flat_map(|r| self.words_behind(r));
            let mut writes: Vec<_> = writes.collect();
            let values = &self.b.func.dfg;
            for (_, value) in &mut writes {
                *value = values.resolve_aliases(*value);
            }
            let fuel = self.b.use_var(self.fuel);
            let fuel = self.b.func.dfg.resolve_aliases(fuel);
            let common = tails.iter().rev().take(LOOKED_AT).filter(|tail| {
                tail.fuel == fuel
                    && tail.writes.len() * 2 >= writes.len()
                    && tail.writes.iter().all(|w| writes.contains(w))
            });
            let insn = self.b.ins().iconst(types::I64, insn as i64);
            if writes.len() <= FEW {
                for (offset, value) in writes {
                    self.store(offset, value);
                }
                self.leave_with(fuel, insn);
                continue;
            }
            if let Some(tail) = common.max_by_key(|tail| tail.writes.len()) {
                for &(offset, value) in writes.iter().filter(|w| !tail.writes.contains(w)) {
                    self.store(offset, value);
                }
                self.b.ins().jump(tail.block, &[insn.into()]);
                continue;
            }
            let tail = self.b.create_block();
            self.b.set_cold_block(tail);
            let given = self.b.append_block_param(tail, types::I64);
            self.b.ins().jump(tail, &[insn.into()]);
            self.b.switch_to_block(tail);
            for &(offset, value) in &writes {
                self.store(offset, value);
            }
            self.leave_with(fuel, given);
            tails.push(Tail {
                block: tail,
                fuel,
                writes,
            });
        }
    }

    pub(super) fn leave(&mut self, with: i64) {
        let fuel = self.b.use_var(self.fuel);
        let with = self.b.ins().iconst(types::I64, with);
        self.leave_with(fuel, with);
    }

    fn leave_with(&mut self, fuel: Value, with: Value) {
        self.b
            .ins()
            .store(self.memory.run, fuel, self.run, field::FUEL);
        self.b.ins().return_(&[with]);
    }
}
