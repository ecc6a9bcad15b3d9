//! Attributes of objects, items of tuples, and what a few instructions look at.
//!
//! `self.rows[i][j]` fetches a list, looks into it and drops it again. Where all of that stands in one run of
//! instructions that nothing but machine code performs (`loan.rs` finds such), the list is only *borrowed*: its two words
//! are in registers of the machine, and its reference count does not change. So are objects, tuples, dicts and strings.
//! What holds them cannot go meanwhile, because this thread has the floor and runs nothing else. Where such a run must be
//! left, the host fetches and drops what has been borrowed so far as the instructions say ([`Translator::journal`]), and
//! the interpreter finds the registers as it needs them.

use super::loan::{Open, SLOTS};
use super::{Translator, type_of};
use crate::layout::{BOOL, VALUE, WORD};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, StackSlotData, StackSlotKind, Value, types};
use rushlight_runtime::code::{Extended, Insn, NOWHERE, Operand, Reg, RegisterKind, Source};

/// An instruction that has fetched or dropped what is borrowed.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub insn: usize,
    /// The register of the index or key and what was in it.
    pub index: Option<(Reg, Value)>,
    /// The register of what it looks into.
    pub within: Option<Reg>,
}

/// Where something lies that is fetched.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub address: Value,
    pub offset: i32,
}

/// An instruction that fetches something, as far as loans know it.
pub(super) struct Fetching<'a> {
    pub at: usize,
    pub target: Reg,
    /// The register of what it looks into.
    pub within: Reg,
    /// What is not borrowed any more behind it.
    pub ends: &'a [Reg],
    /// The register of the index or key and what is in it.
    pub index: Option<(Reg, Value)>,
    /// The register of the string that it looks something up by.
    pub key: Option<Reg>,
}

impl Translator<'_> {
    /// The item of a tuple that an operand names, if machine code looks it up.
    pub(super) fn tuple_index(&self, index: Operand) -> Option<usize> {
        let Source::Constant(k) = index.source() else {
            return None;
        };
        let at = self.code.constants[k as usize].as_int().ok()?;
        self.layout.tuple?;
        usize::try_from(at).ok().filter(|at| *at < SLOTS)
    }

    /// Whether what an instruction fetches is borrowed.
    pub(super) fn lends(&self, fetching: &Fetching<'_>) -> bool {
        let target = fetching.target;
        let stay = self.borrowed.keys().copied();
        let mut registers: Vec<Reg> = stay.filter(|r| !fetching.ends.contains(r)).collect();
        // What lies in the frame must stay there for as long as something in it is borrowed.
        let is_within = fetching.within == target && !self.borrowed.contains_key(&target);
        if is_within || registers.contains(&target) || self.pinned.contains(&target) {
            return false;
        }
        registers.push(target);
        let is_element = |insn: usize| matches!(self.code.insns[insn], Insn::ListGet(..));
        let open = Open {
            registers,
            keys: self.pinned.iter().copied().chain(fetching.key).collect(),
            has_elements: is_element(fetching.at)
                || self.journal.iter().any(|entry| is_element(entry.insn)),
        };
        self.may_stay_open(fetching.at, open)
    }

    /// Where the quick way of an instruction that fetches something leads where it cannot go on: out where it lends, since
    /// nothing else can be done then.
    pub(super) fn fetch_exit(&mut self, at: usize, lends: bool) -> Block {
        match lends {
            true => self.exit(at, None),
            false => self.b.create_block(),
        }
    }

    /// Ends an instruction that has found something: that is borrowed or copied to a register.
    pub(super) fn take_found(
        &mut self,
        fetching: &Fetching<'_>,
        lends: bool,
        slow: Block,
        found: Found,
    ) {
        let memory = self.memory.element;
        let (at, target) = (fetching.at, fetching.target);
        if lends {
            let words = self.words_at(memory, found.address, found.offset);
            for r in fetching.ends {
                self.borrowed.remove(r);
            }
            self.borrowed.insert(target, words);
            self.pinned.extend(fetching.key);
            self.journal.push(Entry {
                insn: at,
                index: fetching.index,
                within: Some(fetching.within),
            });
            return;
        }
        // With what the register holds may go what it is overwritten with.
        let is_within = fetching.within == target && !self.borrowed.contains_key(&target)
            || self
                .journal
                .iter()
                .any(|entry| entry.within == Some(target));
        let next = self.b.create_block();
        let other = match is_within {
            true => slow,
            false => self.b.create_block(),
        };
        self.require_plain_at(memory, found.address, found.offset, other);
        self.require_plain(target, other);
        let words = self.words_at(memory, found.address, found.offset);
        self.store_words(target, words);
        if !is_within {
            self.b.ins().jump(next, &[]);
            self.begin(other);
            let offset = i64::from(found.offset);
            let from = self.b.ins().iadd_imm_s(found.address, offset);
            let to = self.register_address(target);
            self.write_value(false, from, to, slow);
        }
        self.finish(at, slow, next, fetching.ends);
    }

    /// Ends the quick way of an instruction behind which some registers are not borrowed any more. Where the quick way was
    /// left, the host does the instruction if nothing is borrowed behind it; else machine code is left before it.
    pub(super) fn finish(&mut self, at: usize, slow: Block, next: Block, ends: &[Reg]) {
        self.b.ins().jump(next, &[]);
        self.fall_back(at, slow, next, ends);
    }

    /// As [`Translator::finish`], where the quick way has led to `next` already.
    pub(super) fn fall_back(&mut self, at: usize, slow: Block, next: Block, ends: &[Reg]) {
        self.begin(slow);
        if self.journal.is_empty() {
            self.perform(at);
            self.b.ins().jump(next, &[]);
        } else if self.borrowed.keys().all(|r| ends.contains(r)) {
            let journal = std::mem::take(&mut self.journal);
            let borrowed = std::mem::take(&mut self.borrowed);
            self.do_again(&journal);
            self.perform(at);
            self.b.ins().jump(next, &[]);
            (self.journal, self.borrowed) = (journal, borrowed);
        } else {
            let exit = self.exit(at, None);
            self.b.ins().jump(exit, &[]);
        }
        self.begin(next);
        self.end(at, ends, None);
    }

    /// Ends loans at an instruction.
    pub(super) fn end(&mut self, at: usize, ends: &[Reg], index: Option<(Reg, Value)>) {
        let before = self.borrowed.len();
        for r in ends {
            self.borrowed.remove(r);
        }
        if self.borrowed.is_empty() {
            self.journal.clear();
            self.pinned.clear();
        } else if self.borrowed.len() < before {
            self.journal.push(Entry {
                insn: at,
                index,
                within: None,
            });
        }
    }

    /// Those of the registers that are borrowed.
    pub(super) fn those_borrowed(&self, registers: impl IntoIterator<Item = Reg>) -> Vec<Reg> {
        let mut found: Vec<Reg> = registers.into_iter().collect();
        found.retain(|r| self.borrowed.contains_key(r));
        found
    }

    /// Has the host fetch and drop what has been borrowed.
    pub(super) fn do_again(&mut self, journal: &[Entry]) {
        for entry in journal {
            if let Some((r, index)) = entry.index {
                self.store_number(r, RegisterKind::Int, index);
            }
            let next = self.b.create_block();
            self.b.set_cold_block(next);
            self.ask(entry.insn, next);
            self.b.ins().jump(next, &[]);
            self.begin(next);
        }
    }

    /// The address of what a register holds; of a copy of its words if that is borrowed.
    pub(super) fn value_address(&mut self, r: Reg) -> Value {
        let Some(words) = self.borrowed.get(&r).copied() else {
            return self.register_address(r);
        };
        let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, VALUE as u32, 3);
        let slot = self.b.create_sized_stack_slot(slot);
        let address = self.b.ins().stack_addr(types::I64, slot, 0);
        self.store_words_at(self.memory.frame, address, 0, words);
        address
    }

    /// The two words of what a register of anything holds, be it borrowed or in the frame.
    pub(super) fn held_words(&mut self, r: Reg) -> [Value; 2] {
        match self.borrowed.get(&r) {
            Some(words) => *words,
            None => self.any_words(r),
        }
    }

    /// The tag and word of what a register holds, be it borrowed or in the frame.
    pub(super) fn held(&mut self, r: Reg) -> (Value, Value) {
        if self.heads[r as usize].is_some() {
            let [head, word] = self.any_words(r);
            return (self.tag_in(head), word);
        }
        match self.borrowed.get(&r).copied() {
            Some([head, word]) => (self.tag_in(head), word),
            None => (self.load_tag(r), self.load_word(r)),
        }
    }

    /// Where the slots of an object begin; goes to `slow` if they cannot be looked at.
    fn slots(&mut self, address: Value, slot: usize, slow: Block) -> Value {
        let vector = self.layout.object;
        let len = self.len(address, vector);
        let is_there = self
            .b
            .ins()
            .icmp_imm_u(IntCC::UnsignedGreaterThan, len, slot as i64);
        let next = self.b.create_block();
        self.b.ins().brif(is_there, next, &[], slow, &[]);
        self.begin(next);
        self.start(address, vector)
    }

    /// A rare instruction.
    pub(super) fn extended(&mut self, at: usize, k: u32) {
        match &self.code.extended[k as usize] {
            Extended::SetAttr {
                object,
                slot,
                value,
            } if *slot < SLOTS => {
                let Some(object) = self.set_object(*object) else {
                    return self.perform(at);
                };
                if let Some((kind, value)) = self.operand_number(*value) {
                    return self.set_attribute(at, object, *slot, kind, value);
                }
                if let Some(words) = self.operand_words(*value)
                    && self.journal.is_empty()
                {
                    return self.set_optional_attribute(at, object.0, *slot, words);
                }
                self.perform(at);
            }
            Extended::GetAttr {
                object,
                slot,
                target,
            } if *slot < SLOTS && *target != NOWHERE => match self.container(*object) {
                Some(from) => self.get_attribute(at, from, *slot, *target),
                None => self.perform(at),
            },
            Extended::TupleIndex {
                tuple,
                index,
                target,
            } if *target != NOWHERE => match (self.container(*tuple), self.tuple_index(*index)) {
                (Some(from), Some(item)) => self.get_item(at, from, item, *target),
                _ => self.perform(at),
            },
            Extended::TupleUnpack { tuple, targets } => {
                let targets = targets.of(&self.code.targets).to_vec();
                let from = self.container(*tuple).filter(|(r, goes)| {
                    self.unpacks_numbers(&targets) && (!goes || self.borrowed.contains_key(r))
                });
                match from {
                    Some(from) => self.unpack_numbers(at, from, &targets),
                    None => self.perform(at),
                }
            }
            _ => self.perform(at),
        }
    }

    /// The numbers of a tuple, which is borrowed if it goes with this use.
    fn unpack_numbers(&mut self, at: usize, (tuple, goes): (Reg, bool), targets: &[Reg]) {
        let slow = self.exit(at, None);
        for (item, target) in targets.iter().enumerate() {
            let found = self.tuple_item(tuple, item, slow);
            let kind = self.code.kinds[*target as usize];
            self.load_kept(at, *target, kind, found, slow);
        }
        if goes {
            self.end(at, &[tuple], None);
        }
    }

    /// The object that an attribute is written to, which is borrowed if it goes with this use.
    fn set_object(&self, object: Operand) -> Option<(Reg, bool)> {
        self.container(object)
            .filter(|(r, goes)| !goes || self.borrowed.contains_key(r))
    }

    fn get_attribute(&mut self, at: usize, from: (Reg, bool), slot: usize, target: Reg) {
        let vector = self.layout.object;
        self.get_part(at, from, target, |this, slow| {
            let tag = this.layout.tags.object;
            let address = match this.live.is_kept(target) {
                true => this.surely(from.0, tag, vector, slow),
                false => this.list(from.0, tag, vector, slow),
            };
            Found {
                address: this.slots(address, slot, slow),
                offset: slot as i32 * VALUE,
            }
        });
    }

    fn get_item(&mut self, at: usize, from: (Reg, bool), item: usize, target: Reg) {
        self.get_part(at, from, target, |this, slow| {
            this.tuple_item(from.0, item, slow)
        });
    }

    /// Where an item of a tuple is; goes to `slow` where there is none.
    fn tuple_item(&mut self, tuple: Reg, item: usize, slow: Block) -> Found {
        let (tag, base) = self.held(tuple);
        self.require_tag(tag, self.layout.tags.tuple, slow);
        let Some(layout) = self.layout.tuple else {
            return Found {
                address: base,
                offset: 0,
            };
        };
        let [told, far, far_len] = [layout.told, layout.far, layout.far_len]
            .map(|at| self.b.ins().load(types::I64, self.memory.header, base, at));
        let least = layout.most as i64;
        let is_far = self
            .b
            .ins()
            .icmp_imm_u(IntCC::UnsignedGreaterThan, told, least);
        let near = self.b.ins().iadd_imm_s(base, i64::from(layout.start));
        let address = self.b.ins().select(is_far, far, near);
        let len = self.b.ins().select(is_far, far_len, told);
        let is_there = self
            .b
            .ins()
            .icmp_imm_u(IntCC::UnsignedGreaterThan, len, item as i64);
        let next = self.b.create_block();
        self.b.ins().brif(is_there, next, &[], slow, &[]);
        self.begin(next);
        Found {
            address,
            offset: item as i32 * VALUE,
        }
    }

    /// A part of an object or a tuple, which may go with this use.
    fn get_part(
        &mut self,
        at: usize,
        (from, goes): (Reg, bool),
        target: Reg,
        find: impl FnOnce(&mut Self, Block) -> Found,
    ) {
        let is_taken =
            self.live.is_kept(target) || self.code.kinds[target as usize] == RegisterKind::Other;
        // What is in the frame and goes, or is written over, has to be dropped.
        if !is_taken || (goes || from == target) && !self.borrowed.contains_key(&from) {
            return self.perform(at);
        }
        let ends = self.those_borrowed(goes.then_some(from).into_iter().chain([target]));
        let ends = ends.as_slice();
        let kind = self.code.kinds[target as usize];
        if self.live.is_kept(target) {
            let slow = self.exit(at, None);
            let found = find(self, slow);
            self.load_kept(at, target, kind, found, slow);
            return self.end(at, ends, None);
        }
        let fetching = Fetching {
            at,
            target,
            within: from,
            ends,
            index: None,
            key: None,
        };
        let lends = self.lends(&fetching);
        let slow = self.fetch_exit(at, lends);
        let found = find(self, slow);
        self.take_found(&fetching, lends, slow, found);
    }

    /// Reads a number, or what may be none, into a register that is kept.
    pub(super) fn load_kept(
        &mut self,
        at: usize,
        target: Reg,
        kind: RegisterKind,
        found: Found,
        slow: Block,
    ) {
        let memory = self.memory.element;
        let Found { address, offset } = found;
        let tag = self.b.ins().load(types::I8, memory, address, offset);
        if kind == RegisterKind::Optional {
            self.require_number(tag, slow);
            let words = self.words_at(memory, address, offset);
            return self.set_optional(target, words);
        }
        self.require_tag(tag, self.tag_of(kind), slow);
        let part = match kind {
            RegisterKind::Bool => BOOL,
            _ => WORD,
        };
        let value = self
            .b
            .ins()
            .load(type_of(kind), memory, address, offset + part);
        self.set(at, target, kind, value);
    }

    pub(super) fn require_tag(&mut self, tag: Value, wanted: u8, slow: Block) {
        let is_right = self
            .b
            .ins()
            .icmp_imm_u(IntCC::Equal, tag, i64::from(wanted));
        let next = self.b.create_block();
        self.b.ins().brif(is_right, next, &[], slow, &[]);
        self.begin(next);
    }

    /// Goes to `slow` unless a tag is that of a number, a bool, None, or an attribute that has not been set yet.
    fn require_replaceable(&mut self, tag: Value, slow: Block) {
        let is_number = self.is_number(tag);
        let unset = i64::from(self.layout.tags.uninitialized);
        let is_unset = self.b.ins().icmp_imm_u(IntCC::Equal, tag, unset);
        let holds = self.b.ins().bor(is_number, is_unset);
        let next = self.b.create_block();
        self.b.ins().brif(holds, next, &[], slow, &[]);
        self.begin(next);
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
        let address = self.list(object, self.layout.tags.object, self.layout.object, slow);
        let slots = self.slots(address, slot, slow);
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
        (object, goes): (Reg, bool),
        slot: usize,
        kind: RegisterKind,
        value: Value,
    ) {
        let offset = slot as i32 * VALUE;
        let slow = self.exit(at, None);
        let address = self.surely(object, self.layout.tags.object, self.layout.object, slow);
        let slots = self.slots(address, slot, slow);
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
        self.begin(other);
        self.require_replaceable(tag, slow);
        let words = self.words_of(kind, value);
        self.store_words_at(memory, slots, offset, words);
        self.b.ins().jump(next, &[]);
        self.begin(same);
        let part = if kind == RegisterKind::Bool {
            BOOL
        } else {
            WORD
        };
        self.b.ins().store(memory, value, slots, offset + part);
        self.b.ins().jump(next, &[]);
        self.begin(next);
        if goes {
            self.end(at, &[object], None);
        }
    }
}
