//! Instructions that the host performs: how it is called, and what its results become.

use super::Translator;
use crate::layout::VALUE;
use crate::made::MakeSite;
use crate::run::{self, FAULT};
use crate::site::{Fetch, Place, Site, Store};
use crate::tuples::TupleSite;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, StackSlotData, StackSlotKind, Value, types};
use rushlight_runtime::code::{Extended, Insn, NOWHERE, Reg, RegisterKind};

impl Translator<'_> {
    /// Lets the host do an instruction.
    pub(super) fn perform(&mut self, at: usize) {
        let insn = self.code.insns[at];
        let mut read = Vec::new();
        self.code.reads(insn, |r| read.push(r));
        rushlight_tensor::order::sort(&mut read);
        read.dedup();
        for r in read {
            self.write_back(r);
        }
        let mut written = Vec::new();
        self.code.writes(insn, |r| written.push(r));
        written.retain(|r| self.live.is_kept(*r));
        let left = self.exit(at + 1, written.iter().copied());
        self.ask(at, left);
        self.read_results(&written, left);
    }

    /// Whether the host can nearly always do an instruction without anybody's code.
    fn is_often_quick(&self, insn: Insn) -> bool {
        match insn {
            Insn::Operator(k) => self.code.operators[k as usize].operator.quick.is_some(),
            Insn::Extended(k) => matches!(
                self.code.extended[k as usize],
                Extended::Tuple { .. }
                    | Extended::List { .. }
                    | Extended::Dict { .. }
                    | Extended::CreateObject { .. }
                    | Extended::TupleUnpack { .. }
                    | Extended::TupleIndex { .. }
                    | Extended::GetAttr { .. }
            ),
            Insn::ListSet(..) | Insn::ListLen(..) => false,
            _ => true,
        }
    }

    /// Lets the host do a group of element instructions and goes on behind them, or with them where it could not.
    pub(super) fn group(&mut self, at: usize, number: u32, to: u32) {
        let insn = self.code.insns[at];
        let mut read = Vec::new();
        self.code.reads(insn, |r| read.push(r));
        for r in read {
            self.write_back(r);
        }
        let mut written = Vec::new();
        self.code.writes(insn, |r| written.push(r));
        written.retain(|r| self.live.is_kept(*r));
        let number = self.b.ins().iconst(types::I64, i64::from(number));
        let outcome = self.call_host(run::group as *const (), number);
        let (done, next) = (self.b.create_block(), self.b.create_block());
        self.by_outcome(at, outcome, done, next);
        self.begin(done);
        let left = self.exit(to as usize, written.iter().copied());
        self.read_results(&written, left);
        let behind = self.goal(to as usize);
        self.b.ins().jump(behind, &[]);
        self.begin(next);
    }

    /// Whether the host can make a call at once.
    pub(super) fn has_site(&self, at: usize, k: u32) -> bool {
        Site::new(self.code, at, &self.code.operators[k as usize]).is_some()
    }

    /// A call that is given something borrowed, of an operator that the host has a quick way for; `false` if it is none.
    pub(super) fn lent_operator(&mut self, at: usize, k: u32) -> bool {
        let call = &self.code.operators[k as usize];
        let operands = call.arguments.of(&self.code.operands);
        let registers: Vec<Option<(Reg, bool)>> =
            operands.iter().map(|o| self.container(*o)).collect();
        let lent = registers
            .iter()
            .map(|r| r.filter(|r| self.borrowed.contains_key(&r.0)));
        let lent: Vec<Option<(Reg, bool)>> = lent.collect();
        if lent.iter().all(Option::is_none) {
            return false;
        }
        let Some(site) = Site::new(self.code, at, call) else {
            return false;
        };
        let moved = lent.iter().flatten().filter(|r| r.1).map(|r| r.0);
        let results = call.results.of(&self.code.targets).iter().copied();
        let ends = self.those_borrowed(moved.chain(results));
        let mut read = Vec::new();
        self.code.reads(self.code.insns[at], |r| read.push(r));
        for r in read {
            self.write_back(r);
        }
        let mut written = Vec::new();
        self.code.writes(self.code.insns[at], |r| written.push(r));
        written.retain(|r| self.live.is_kept(*r));
        let size = VALUE as u32 * lent.len() as u32;
        let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3);
        let slot = self.b.create_sized_stack_slot(slot);
        let values = self.b.ins().stack_addr(types::I64, slot, 0);
        for (i, lent) in lent.iter().enumerate() {
            if let Some((r, _)) = lent {
                let words = self.held_words(*r);
                self.store_words_at(self.memory.frame, values, i as i32 * VALUE, words);
            }
        }
        let is_lent = |i: usize| lent.get(i).is_some_and(Option::is_some);
        let site = self.sites.keep_lent(site.lending(is_lent));
        let site = self.b.ins().iconst(types::I64, site);
        let function = run::call_lent as *const () as i64;
        let is_done = self.call_number(function, &[self.run, site, values], types::I64);
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let done = self.b.create_block();
        self.b.ins().brif(is_done, done, &[], slow, &[]);
        self.begin(done);
        let left = match written.is_empty() {
            true => slow,
            false => self.left_behind(at, &written, &ends),
        };
        self.read_results(&written, left);
        self.finish(at, slow, next, &ends);
        true
    }

    /// Where machine code is left behind an instruction that nothing is borrowed behind.
    fn left_behind(&mut self, at: usize, written: &[Reg], ends: &[Reg]) -> Block {
        let (journal, borrowed) = (self.journal.clone(), self.borrowed.clone());
        if borrowed.keys().all(|r| ends.contains(r)) {
            self.journal.clear();
        }
        let left = self.exit(at + 1, written.iter().copied());
        (self.journal, self.borrowed) = (journal, borrowed);
        left
    }

    /// What the host fetches something by.
    fn fetch(
        &mut self,
        at: usize,
        target: Reg,
        (from, goes): (Reg, bool),
        place: Place,
    ) -> (*const (), i64) {
        self.touches_lists = true;
        let address = self.sites.keep_fetch(Fetch {
            insn: at as u64,
            target,
            from,
            goes,
            place,
        });
        (run::fetch_quickly as *const (), address)
    }

    /// What the host does an instruction by, and what it is told.
    fn host_function(&mut self, at: usize) -> (*const (), i64) {
        let number = at as i64;
        match self.code.insns[at] {
            Insn::Operator(k) => {
                let call = &self.code.operators[k as usize];
                if let Some(site) = Site::new(self.code, at, call) {
                    let address = self.sites.keep_call(site);
                    return (run::call_quickly as *const (), address);
                }
            }
            Insn::Extended(k) => {
                match self.code.extended[k as usize] {
                    Extended::GetAttr {
                        object,
                        slot,
                        target,
                    } if target != NOWHERE => {
                        if let Some(from) = object.source().register() {
                            return self.fetch(at, target, from, Place::Slot(slot));
                        }
                    }
                    Extended::SetAttr {
                        object,
                        slot,
                        value,
                    } => {
                        if let Some((object, object_goes)) = object.source().register()
                            && value.source().register().is_none_or(|v| v.0 != object)
                        {
                            self.touches_lists = true;
                            let address = self.sites.keep_store(Store {
                                insn: at as u64,
                                object,
                                object_goes,
                                slot,
                                value: value.source(),
                            });
                            return (run::store_quickly as *const (), address);
                        }
                    }
                    _ => {}
                }
                let site = match &self.code.extended[k as usize] {
                    Extended::Tuple { items, ty, target } => {
                        TupleSite::make(self.code, *items, ty, *target)
                    }
                    Extended::TupleUnpack { tuple, targets } => {
                        TupleSite::unpack(self.code, *tuple, *targets)
                    }
                    Extended::TupleIndex {
                        tuple,
                        index,
                        target,
                    } => TupleSite::index(self.code, *tuple, *index, *target),
                    _ => None,
                };
                if let Some(site) = site {
                    let address = self.sites.keep_tuple(at as u64, site);
                    return (run::tuple_quickly as *const (), address);
                }
                if let Some(site) = MakeSite::new(self.code, &self.code.extended[k as usize]) {
                    let address = self.sites.keep_made(at as u64, site);
                    return (run::make_quickly as *const (), address);
                }
            }
            Insn::ListGet(target, list, index) => {
                return self.fetch(at, target, (list, false), Place::Index(index));
            }
            _ => {}
        }
        match self.is_often_quick(self.code.insns[at]) {
            true => (run::perform_quickly as *const (), number),
            false => (run::perform as *const (), number),
        }
    }

    /// Calls a function that takes the run and one word.
    pub(super) fn call_host(&mut self, function: *const (), argument: Value) -> Value {
        self.known.forget_all();
        let address = self.b.ins().iconst(types::I64, function as i64);
        let call = self
            .b
            .ins()
            .call_indirect(self.helper, address, &[self.run, argument]);
        self.b.inst_results(call)[0]
    }

    /// Goes where an outcome of the host leads: to `done`, out with the fault, or, in all other cases, to `other`.
    fn by_outcome(&mut self, at: usize, outcome: Value, done: Block, other: Block) {
        let is_done = self
            .b
            .ins()
            .icmp_imm_u(IntCC::Equal, outcome, run::DONE as i64);
        let (undone, failed) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(undone);
        self.b.set_cold_block(failed);
        self.b.ins().brif(is_done, done, &[], undone, &[]);
        self.begin(undone);
        let has_failed = self
            .b
            .ins()
            .icmp_imm_u(IntCC::Equal, outcome, run::FAILED as i64);
        self.b.ins().brif(has_failed, failed, &[], other, &[]);
        self.begin(failed);
        self.leave((FAULT | at as u64) as i64);
    }

    /// Calls the host, which finds everything in the frame. `left` is where machine code is left behind the instruction.
    pub(super) fn ask(&mut self, at: usize, left: Block) {
        let (function, argument) = self.host_function(at);
        let argument = self.b.ins().iconst(types::I64, argument);
        let outcome = self.call_host(function, argument);
        let next = self.b.create_block();
        self.by_outcome(at, outcome, next, left);
        self.begin(next);
    }

    /// Reads what an instruction has written to the frame. Where that is not what was expected, the interpreter goes on
    /// behind the instruction.
    fn read_results(&mut self, written: &[Reg], left: Block) {
        for &r in written {
            let kind = self.code.kinds[r as usize];
            let tag = self.load_tag(r);
            if kind == RegisterKind::Optional {
                self.require_number(tag, left);
                continue;
            }
            let expected = i64::from(self.tag_of(kind));
            let is_right = self.b.ins().icmp_imm_u(IntCC::Equal, tag, expected);
            let next = self.b.create_block();
            self.b.ins().brif(is_right, next, &[], left, &[]);
            self.begin(next);
        }
        for &r in written {
            self.read_back(r);
        }
    }
}
