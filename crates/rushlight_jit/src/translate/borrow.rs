//! Attributes of objects, and lists that a few instructions look at.
//!
//! `self.rows[i][j]` fetches a list, looks into it and drops it again. Where all of that stands in one run of
//! instructions that nothing but machine code performs, the list is only *borrowed*: its tag and word are in registers of
//! the machine, and its reference count does not change. What holds the list cannot go meanwhile, because this thread has
//! the floor and runs nothing else. Where such a run must be left, the host fetches and drops what has been
//! borrowed so far as the instructions say ([`Translator::journal`]), and the interpreter finds the registers as it needs
//! them.

use super::{Translator, type_of};
use crate::layout::{BOOL, VALUE, WORD};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use rushlight_runtime::code::{Extended, Insn, NOWHERE, Operand, Reg, RegisterKind, Source};

/// An instruction that has fetched or dropped what is borrowed.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub insn: usize,
    /// The register of the index and what was in it.
    pub index: Option<(Reg, Value)>,
}

/// Instructions that are looked at for the end of a loan.
const LONGEST: usize = 64;

impl Translator<'_> {
    /// The object and slot of a fetch of an attribute from a register.
    fn attribute(&self, k: u32) -> Option<(Reg, usize, Reg)> {
        match &self.code.extended[k as usize] {
            Extended::GetAttr {
                object,
                slot,
                target,
            } if *target != NOWHERE => match object.source() {
                Source::Copy(r) => Some((r, *slot, *target)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether what an instruction fetches into a register can be borrowed: whether everything up to its end is done by
    /// machine code itself, and nothing but lists' own instructions see it.
    fn may_borrow(&self, at: usize, target: Reg) -> bool {
        let mut open = vec![target];
        for next in at + 1..(at + LONGEST).min(self.code.insns.len()) {
            if self.blocks.contains_key(&next) {
                return false;
            }
            let insn = self.code.insns[next];
            if let Insn::Drop(r) = insn {
                let Some(place) = open.iter().position(|o| *o == r) else {
                    return false;
                };
                open.remove(place);
                if open.is_empty() {
                    return true;
                }
                continue;
            }
            if let Insn::Operator(k) = insn
                && let Some(list) = self.popped(k)
            {
                // Not to be done again by the host, so nothing may be borrowed after it.
                return open == [list];
            }
            let fetched = match insn {
                Insn::ListGet(d, _, index)
                    if self.code.kinds[d as usize] == RegisterKind::Other =>
                {
                    (self.code.kinds[index as usize] == RegisterKind::Int).then_some(d)
                }
                Insn::Extended(k) => match self.attribute(k) {
                    Some((_, _, d)) if self.code.kinds[d as usize] == RegisterKind::Other => {
                        Some(d)
                    }
                    Some((_, _, d)) if self.live.is_kept(d) => continue,
                    _ => return false,
                },
                _ if self.is_quiet(insn) => continue,
                _ => return false,
            };
            match fetched {
                Some(d) if !open.contains(&d) => open.push(d),
                _ => return false,
            }
        }
        false
    }

    /// Whether machine code does an instruction without the host, on numbers and lists of them.
    fn is_quiet(&self, insn: Insn) -> bool {
        let kept = |r: Reg| self.live.is_kept(r);
        let number = |r: Reg| self.code.kinds[r as usize] != RegisterKind::Other;
        let is_sure = |r: Reg| number(r) && self.code.kinds[r as usize] != RegisterKind::Optional;
        let element = |o: Operand| match o.source() {
            Source::Constant(k) => matches!(
                self.code.constants[k as usize],
                rushlight_types::Value::Int(_)
                    | rushlight_types::Value::Float(_)
                    | rushlight_types::Value::Bool(_)
            ),
            Source::Copy(r) | Source::Move(r) => is_sure(r),
        };
        match insn {
            Insn::ListGet(d, list, index) => {
                kept(d) && is_sure(d) && !number(list) && number(index)
            }
            Insn::ListLen(d, list) => kept(d) && !number(list),
            Insn::ListSet(list, index, value) => !number(list) && number(index) && element(value),
            Insn::ListAppend(list, value) => !number(list) && element(value),
            Insn::Constant(d, k) => {
                kept(d)
                    && matches!(
                        self.code.constants[k as usize],
                        rushlight_types::Value::Int(_)
                            | rushlight_types::Value::Float(_)
                            | rushlight_types::Value::Bool(_)
                    )
            }
            Insn::Operator(k) => self.is_direct(k),
            Insn::Extended(_) | Insn::Drop(_) => false,
            insn if self.leaves(insn) => false,
            insn => {
                let mut is_quiet = rushlight_runtime::code::Code::jump_target(insn).is_none();
                self.code.reads(insn, |r| is_quiet &= number(r));
                self.code.writes(insn, |r| is_quiet &= kept(r));
                is_quiet
            }
        }
    }

    /// The tag and word of what a register holds, be it borrowed or in the frame.
    pub(super) fn held(&mut self, r: Reg) -> (Value, Value) {
        if self.heads[r as usize].is_some() {
            let [head, word] = self.any_words(r);
            return (self.tag_in(head), word);
        }
        match self.borrowed.get(&r) {
            Some(held) => *held,
            None => (self.load_tag(r), self.load_word(r)),
        }
    }

    /// Ends a loan; `false` if the register holds none.
    pub(super) fn give_back(&mut self, at: usize, r: Reg) -> bool {
        if self.borrowed.remove(&r).is_none() {
            return false;
        }
        if self.borrowed.is_empty() {
            self.journal.clear();
        } else {
            self.journal.push(Entry {
                insn: at,
                index: None,
            });
        }
        true
    }

    fn borrow(&mut self, at: usize, r: Reg, held: (Value, Value), index: Option<(Reg, Value)>) {
        self.borrowed.insert(r, held);
        self.journal.push(Entry { insn: at, index });
    }

    /// A list out of a list, if it can be borrowed.
    pub(super) fn borrow_element(&mut self, at: usize, d: Reg, list: Reg, index: Reg) -> bool {
        if self.code.kinds[index as usize] != RegisterKind::Int
            || self.code.kinds[list as usize] != RegisterKind::Other
            || !self.may_borrow(at, d)
        {
            return false;
        }
        let kept = self.live.is_kept(index).then_some(index);
        let index = self.int(at, index);
        let exit = self.exit(at, None);
        let element = self.generic_element(list, index, exit);
        let held = self.load_value(element, 0);
        self.borrow(at, d, held, kept.map(|r| (r, index)));
        true
    }

    fn load_value(&mut self, address: Value, at: i32) -> (Value, Value) {
        let tag = self
            .b
            .ins()
            .load(types::I8, self.memory.element, address, at);
        let word = self
            .b
            .ins()
            .load(types::I64, self.memory.element, address, at + WORD);
        (tag, word)
    }

    /// Where the slots of an object begin; goes to `slow` if they cannot be looked at.
    fn slots(&mut self, object: Reg, slot: usize, slow: Block) -> Value {
        let vector = self.layout.object;
        let address = self.list(object, self.layout.tags.object, vector, slow);
        let len = self.len(address, vector);
        let is_there = self
            .b
            .ins()
            .icmp_imm_u(IntCC::UnsignedGreaterThan, len, slot as i64);
        let next = self.b.create_block();
        self.b.ins().brif(is_there, next, &[], slow, &[]);
        self.b.switch_to_block(next);
        self.start(address, vector)
    }

    /// A rare instruction.
    pub(super) fn extended(&mut self, at: usize, k: u32) {
        if let Extended::SetAttr {
            object,
            slot,
            value,
        } = &self.code.extended[k as usize]
            && let Source::Copy(object) = object.source()
            && *slot < 1 << 20
            && self.code.kinds[object as usize] == RegisterKind::Other
        {
            if let Some((kind, value)) = self.operand_number(*value) {
                return self.set_attribute(at, object, *slot, kind, value);
            }
            if let Some(words) = self.operand_words(*value) {
                return self.set_optional_attribute(at, object, *slot, words);
            }
        }
        let Some((object, slot, target)) = self.attribute(k).filter(|a| a.1 < 1 << 20) else {
            return self.perform(at);
        };
        if self.code.kinds[object as usize] != RegisterKind::Other {
            return self.perform(at);
        }
        let offset = slot as i32 * VALUE;
        if self.live.is_kept(target) {
            let kind = self.code.kinds[target as usize];
            let slow = self.exit(at, None);
            let slots = self.slots(object, slot, slow);
            let tag = self
                .b
                .ins()
                .load(types::I8, self.memory.element, slots, offset);
            if kind == RegisterKind::Optional {
                self.require_number(tag, slow);
                let words = self.words_at(self.memory.element, slots, offset);
                return self.set_optional(target, words);
            }
            self.require_tag(tag, self.tag_of(kind), slow);
            let at_number = offset
                + if kind == RegisterKind::Bool {
                    BOOL
                } else {
                    WORD
                };
            let value = self
                .b
                .ins()
                .load(type_of(kind), self.memory.element, slots, at_number);
            self.set(at, target, kind, value);
        } else if self.may_borrow(at, target) {
            let exit = self.exit(at, None);
            let slots = self.slots(object, slot, exit);
            let held = self.load_value(slots, offset);
            self.borrow(at, target, held, None);
        } else {
            self.perform(at);
        }
    }

    fn require_tag(&mut self, tag: Value, wanted: u8, slow: Block) {
        let is_right = self
            .b
            .ins()
            .icmp_imm_u(IntCC::Equal, tag, i64::from(wanted));
        let next = self.b.create_block();
        self.b.ins().brif(is_right, next, &[], slow, &[]);
        self.b.switch_to_block(next);
    }

    /// Goes to `slow` unless a tag is that of a number, a bool, None, or an attribute that has not been set yet.
    fn require_replaceable(&mut self, tag: Value, slow: Block) {
        let is_number = self.is_number(tag);
        let unset = i64::from(self.layout.tags.uninitialized);
        let is_unset = self.b.ins().icmp_imm_u(IntCC::Equal, tag, unset);
        let holds = self.b.ins().bor(is_number, is_unset);
        let next = self.b.create_block();
        self.b.ins().brif(holds, next, &[], slow, &[]);
        self.b.switch_to_block(next);
    }

    /// The words of an operand that is None or a register that may hold no number.
    fn operand_words(&mut self, operand: Operand) -> Option<[Value; 2]> {
        match operand.source() {
            Source::Constant(k) => {
                let is_none = matches!(
                    self.code.constants[k as usize],
                    rushlight_types::Value::None
                );
                let none = i64::from(self.layout.tags.none);
                is_none.then(|| [none, 0].map(|w| self.b.ins().iconst(types::I64, w)))
            }
            Source::Copy(r) | Source::Move(r) => {
                self.optional(r)?;
                Some(self.any_words(r))
            }
        }
    }

    /// Writes a number or None over a number or None.
    fn set_optional_attribute(&mut self, at: usize, object: Reg, slot: usize, words: [Value; 2]) {
        let offset = slot as i32 * VALUE;
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let slots = self.slots(object, slot, slow);
        let memory = self.memory.element;
        let tag = self.b.ins().load(types::I8, memory, slots, offset);
        self.require_replaceable(tag, slow);
        self.store_words_at(memory, slots, offset, words);
        self.or_perform(at, slow, next);
    }

    /// Writes a number over a number of the same kind, or of another kind, or None.
    fn set_attribute(
        &mut self,
        at: usize,
        object: Reg,
        slot: usize,
        kind: RegisterKind,
        value: Value,
    ) {
        let offset = slot as i32 * VALUE;
        let slow = self.exit(at, None);
        let slots = self.slots(object, slot, slow);
        let memory = self.memory.element;
        let tag = self.b.ins().load(types::I8, memory, slots, offset);
        let expected = i64::from(self.tag_of(kind));
        let is_right = self.b.ins().icmp_imm_u(IntCC::Equal, tag, expected);
        let (same, other, next) = (
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
        );
        self.b.ins().brif(is_right, same, &[], other, &[]);
        self.b.switch_to_block(other);
        self.require_replaceable(tag, slow);
        let words = self.words_of(kind, value);
        self.store_words_at(memory, slots, offset, words);
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(same);
        let part = if kind == RegisterKind::Bool {
            BOOL
        } else {
            WORD
        };
        self.b.ins().store(memory, value, slots, offset + part);
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
    }
}
