//! Lists of numbers: elements and lengths without the lock, while the thread has the floor.

use super::borrow::{Fetching, Found};
use super::{Constant, Translator, type_of};
use crate::layout::{VALUE, Vector};
use crate::run;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use rushlight_runtime::code::{Operand, Reg, RegisterKind, Source};

/// Where something is in a list, maybe counted from the end.
#[derive(Clone, Copy)]
pub(super) struct Index {
    pub value: Value,
    /// Whether it cannot count from the end.
    pub is_positive: bool,
}

impl Translator<'_> {
    /// The address of a list that is of this kind and whose lock nobody holds; else control goes to `slow`.
    pub(super) fn list(&mut self, list: Reg, tag: u8, vector: Vector, slow: Block) -> Value {
        self.touches_lists = true;
        if self.known.is_open(list, tag) {
            return self.held(list).1;
        }
        let (found, address) = self.held(list);
        let is_right = self.b.ins().icmp_imm_u(IntCC::Equal, found, i64::from(tag));
        // The word is an address only if the tag is right, so the lock is looked at behind this.
        let next = self.b.create_block();
        self.b.ins().brif(is_right, next, &[], slow, &[]);
        self.begin(next);
        self.require_unlocked(address, vector, slow);
        address
    }

    /// As [`Translator::list`] in an instruction that is left where that is not so: behind it, that is known.
    pub(super) fn surely(&mut self, list: Reg, tag: u8, vector: Vector, exit: Block) -> Value {
        let address = self.list(list, tag, vector, exit);
        self.known.open(list, tag);
        address
    }

    /// Goes to `slow` if somebody holds the lock.
    fn require_unlocked(&mut self, address: Value, vector: Vector, slow: Block) {
        let at = self.b.ins().iadd_imm_s(address, i64::from(vector.lock));
        let lock = if cfg!(target_arch = "x86_64") {
            // Every load of this machine is one that acquires.
            self.b.ins().load(types::I8, self.memory.header, at, 0)
        } else {
            self.b.ins().atomic_load(types::I8, self.memory.header, at)
        };
        let next = self.b.create_block();
        self.b.ins().brif(lock, slow, &[], next, &[]);
        self.begin(next);
    }

    pub(super) fn len(&mut self, address: Value, vector: Vector) -> Value {
        self.b
            .ins()
            .load(types::I64, self.memory.header, address, vector.len)
    }

    /// The place of an index that may count from the end; out of range it goes to `slow`, where the error is made.
    pub(super) fn place(&mut self, index: Index, len: Value, slow: Block) -> Value {
        let place = self.counted(index, len);
        let is_inside = self.b.ins().icmp(IntCC::UnsignedLessThan, place, len);
        let next = self.b.create_block();
        self.b.ins().brif(is_inside, next, &[], slow, &[]);
        self.begin(next);
        place
    }

    /// An index that may count from the end as one that does not.
    fn counted(&mut self, index: Index, len: Value) -> Value {
        let Index {
            value: index,
            is_positive,
        } = index;
        if is_positive {
            return index;
        }
        let from_end = self.b.ins().iadd(index, len);
        let counts_from_end = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, index, 0);
        self.b.ins().select(counts_from_end, from_end, index)
    }

    /// The index in an operand, if it is an int.
    pub(super) fn operand_index(&mut self, operand: Operand) -> Option<Index> {
        let (RegisterKind::Int, value) = self.operand_number(operand)? else {
            return None;
        };
        let is_positive = match operand.source() {
            Source::Constant(k) => matches!(self.code.constants[k as usize], Constant::Int(0..)),
            Source::Copy(r) | Source::Move(r) => self.signs.is_positive(r),
        };
        Some(Index { value, is_positive })
    }

    /// The index in a register.
    pub(super) fn index(&mut self, at: usize, index: Reg) -> Index {
        Index {
            value: self.int(at, index),
            is_positive: self.signs.is_positive(index),
        }
    }

    pub(super) fn start(&mut self, address: Value, vector: Vector) -> Value {
        self.b
            .ins()
            .load(types::I64, self.memory.header, address, vector.start)
    }

    fn element(
        &mut self,
        address: Value,
        vector: Vector,
        place: Value,
        kind: RegisterKind,
    ) -> Value {
        let start = self.start(address, vector);
        let offset = match kind {
            RegisterKind::Bool => place,
            _ => self.b.ins().ishl_imm_u(place, 3),
        };
        self.b.ins().iadd(start, offset)
    }

    fn list_tag(&self, kind: RegisterKind) -> u8 {
        match kind {
            RegisterKind::Int => self.layout.tags.int_list,
            RegisterKind::Float => self.layout.tags.float_list,
            RegisterKind::Bool => self.layout.tags.bool_list,
            RegisterKind::Optional | RegisterKind::Other => self.layout.tags.list,
        }
    }

    pub(super) fn list_len(&mut self, at: usize, d: Reg, list: Reg) {
        if self.code.kinds[list as usize] != RegisterKind::Other || !self.live.is_kept(d) {
            return self.perform(at);
        }
        self.touches_lists = true;
        let slow = self.exit(at, None);
        let (generic, unboxed, next) = (
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
        );
        let (tag, address) = self.held(list);
        let tags = self.layout.tags;
        let least = tags.int_list.min(tags.float_list).min(tags.bool_list);
        let most = tags.int_list.max(tags.float_list).max(tags.bool_list);
        let above = self.b.ins().iadd_imm_s(tag, -i64::from(least));
        let is_unboxed = self.b.ins().icmp_imm_u(
            IntCC::UnsignedLessThanOrEqual,
            above,
            i64::from(most - least),
        );
        self.b.ins().brif(is_unboxed, unboxed, &[], generic, &[]);
        self.begin(generic);
        let is_generic = self
            .b
            .ins()
            .icmp_imm_u(IntCC::Equal, tag, i64::from(tags.list));
        let found = self.b.create_block();
        self.b.ins().brif(is_generic, found, &[], slow, &[]);
        for (block, vector) in [(found, self.layout.generic), (unboxed, self.layout.list)] {
            self.begin(block);
            self.require_unlocked(address, vector, slow);
            let len = self.len(address, vector);
            self.set(at, d, RegisterKind::Int, len);
            self.b.ins().jump(next, &[]);
        }
        self.begin(next);
    }

    pub(super) fn list_get(&mut self, at: usize, d: Reg, list: Reg, index: Reg) {
        let kind = self.code.kinds[d as usize];
        if kind == RegisterKind::Optional {
            return self.optional_element(at, d, list, index);
        }
        let is_direct =
            self.live.is_kept(d) && self.code.kinds[list as usize] == RegisterKind::Other;
        if !is_direct {
            return self.fetch_element(at, d, list, index);
        }
        let index = self.index(at, index);
        let slow = self.exit(at, None);
        let vector = self.layout.list;
        let address = self.surely(list, self.list_tag(kind), vector, slow);
        let len = self.len(address, vector);
        let place = self.place(index, len, slow);
        let element = self.element(address, vector, place, kind);
        let value = self
            .b
            .ins()
            .load(type_of(kind), self.memory.element, element, 0);
        self.set(at, d, kind, value);
    }

    /// An element of a list of anything: borrowed, or copied.
    fn fetch_element(&mut self, at: usize, d: Reg, list: Reg, index: Reg) {
        let kind = |r: Reg| self.code.kinds[r as usize];
        let are_known = [d, list].iter().all(|r| kind(*r) == RegisterKind::Other);
        if !are_known || kind(index) != RegisterKind::Int {
            return self.perform(at);
        }
        let kept = self.live.is_kept(index).then_some(index);
        let index = self.index(at, index);
        let ends = self.those_borrowed([d]);
        let fetching = Fetching {
            at,
            target: d,
            within: list,
            ends: &ends,
            index: kept.map(|r| (r, index.value)),
            key: None,
        };
        let lends = self.lends(&fetching);
        let slow = self.fetch_exit(at, lends);
        let address = self.generic_element(list, index, slow);
        let found = Found { address, offset: 0 };
        self.take_found(&fetching, lends, slow, found);
    }

    /// An element of a list of anything that is a number or None.
    fn optional_element(&mut self, at: usize, d: Reg, list: Reg, index: Reg) {
        let kind = |r: Reg| self.code.kinds[r as usize];
        if kind(list) != RegisterKind::Other
            || kind(index) != RegisterKind::Int
            || !self.journal.is_empty()
        {
            return self.perform(at);
        }
        let index = self.index(at, index);
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let element = self.generic_element(list, index, slow);
        let tag = self
            .b
            .ins()
            .load(types::I8, self.memory.element, element, 0);
        self.require_number(tag, slow);
        let words = self.words_at(self.memory.element, element, 0);
        self.set_optional(d, words);
        self.or_perform(at, slow, next);
    }

    /// Where an element of a list of anything is; goes to `slow` where it cannot be looked at or where there is none.
    pub(super) fn generic_element(&mut self, list: Reg, index: Index, slow: Block) -> Value {
        let vector = self.layout.generic;
        let address = self.list(list, self.layout.tags.list, vector, slow);
        let len = self.len(address, vector);
        let place = self.place(index, len, slow);
        self.value_at(address, place)
    }

    /// Where a place of a list of anything is.
    fn value_at(&mut self, address: Value, place: Value) -> Value {
        let start = self.start(address, self.layout.generic);
        let offset = self.b.ins().ishl_imm_u(place, i64::from(VALUE.ilog2()));
        self.b.ins().iadd(start, offset)
    }

    /// Goes to `slow` unless there is room for one more element.
    fn require_room(&mut self, address: Value, vector: Vector, len: Value, slow: Block) {
        let capacity = self
            .b
            .ins()
            .load(types::I64, self.memory.header, address, vector.capacity);
        let has_room = self.b.ins().icmp(IntCC::UnsignedLessThan, len, capacity);
        let room = self.b.create_block();
        self.b.ins().brif(has_room, room, &[], slow, &[]);
        self.begin(room);
    }

    /// The place of the last element; goes to `slow` where there is none.
    fn last(&mut self, address: Value, vector: Vector, slow: Block) -> Value {
        let len = self.len(address, vector);
        let has_elements = self.b.ins().icmp_imm_s(IntCC::NotEqual, len, 0);
        let some = self.b.create_block();
        self.b.ins().brif(has_elements, some, &[], slow, &[]);
        self.begin(some);
        self.b.ins().iadd_imm_s(len, -1)
    }

    pub(super) fn list_set(&mut self, at: usize, list: Reg, index: Reg, element: Operand) {
        let number = self.operand_number(element);
        let is_list = self.code.kinds[list as usize] == RegisterKind::Other;
        let Some((kind, value)) = number.filter(|_| is_list) else {
            return self.set_value(at, list, index, element);
        };
        let index = self.index(at, index);
        let slow = self.exit(at, None);
        let vector = self.layout.list;
        let address = self.surely(list, self.list_tag(kind), vector, slow);
        let len = self.len(address, vector);
        let place = self.place(index, len, slow);
        let element = self.element(address, vector, place, kind);
        self.b.ins().store(self.memory.element, value, element, 0);
    }

    /// Writes what is in a register over an element of a list of anything.
    fn set_value(&mut self, at: usize, list: Reg, index: Reg, element: Operand) {
        let kind = |r: Reg| self.code.kinds[r as usize];
        let Some((r, goes)) = element.source().register() else {
            return self.perform(at);
        };
        let are_known = [r, list].iter().all(|r| kind(*r) == RegisterKind::Other);
        if !are_known || r == list || kind(index) != RegisterKind::Int || !self.journal.is_empty() {
            return self.perform(at);
        }
        let index = self.index(at, index);
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let place = self.generic_element(list, index, slow);
        let from = self.register_address(r);
        self.write_value(goes, from, place, slow);
        self.or_perform(at, slow, next);
    }

    pub(super) fn list_append(&mut self, at: usize, list: Reg, element: Operand) {
        let number = self.operand_number(element);
        let is_list = self.code.kinds[list as usize] == RegisterKind::Other;
        let Some((kind, value)) = number.filter(|_| is_list) else {
            return self.append_value(at, list, element);
        };
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let vector = self.layout.list;
        let address = self.list(list, self.list_tag(kind), vector, slow);
        let len = self.len(address, vector);
        self.require_room(address, vector, len, slow);
        let element = self.element(address, vector, len, kind);
        self.b.ins().store(self.memory.element, value, element, 0);
        let len = self.b.ins().iadd_imm_s(len, 1);
        self.b
            .ins()
            .store(self.memory.header, len, address, vector.len);
        self.b.ins().jump(next, &[]);
        self.b.set_cold_block(slow);
        self.begin(slow);
        // Growing is ordinary.
        let words = self.words_of(kind, value);
        let function = run::lists::append_number as *const () as i64;
        let undone = self.append_by(function, list, &words, next);
        self.fall_back(at, undone, next, &[]);
    }

    /// Lets a function append to a list, which leads to `next`; gives the block where it has not.
    fn append_by(&mut self, function: i64, list: Reg, value: &[Value], next: Block) -> Block {
        let mut given = self.held_words(list).to_vec();
        given.extend(value);
        let is_done = self.call_number(function, &given, types::I64);
        let undone = self.b.create_block();
        self.b.set_cold_block(undone);
        self.b.ins().brif(is_done, next, &[], undone, &[]);
        undone
    }

    /// Appends a constant that is no number.
    fn append_constant(&mut self, at: usize, list: Reg, k: u32) {
        self.touches_lists = true;
        let constant = self.code.constants[k as usize].clone();
        let constant = self.sites.keep_constant(constant);
        let constant = self.b.ins().iconst(types::I64, constant);
        let next = self.b.create_block();
        let function = run::lists::append_copy as *const () as i64;
        let undone = self.append_by(function, list, &[constant], next);
        self.fall_back(at, undone, next, &[]);
    }

    /// Moves what is in a register to the end of a list of anything, or copies it.
    fn append_value(&mut self, at: usize, list: Reg, element: Operand) {
        let other = |r: Reg| self.code.kinds[r as usize] == RegisterKind::Other;
        if !other(list) {
            return self.perform(at);
        }
        let (r, goes) = match element.source() {
            Source::Constant(k) => return self.append_constant(at, list, k),
            Source::Copy(r) => (r, false),
            Source::Move(r) => (r, true),
        };
        if !other(r) || r == list {
            return self.perform(at);
        }
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let vector = self.layout.generic;
        let address = self.list(list, self.layout.tags.list, vector, slow);
        if self.borrowed.contains_key(&r) {
            self.b.ins().jump(slow, &[]);
        } else {
            if !goes {
                self.require_plain(r, slow);
            }
            self.append_words(address, r, goes, slow, next);
        }
        self.begin(slow);
        let value = self.value_address(r);
        let function = match goes {
            true => run::lists::append as *const () as i64,
            false => run::lists::append_copy as *const () as i64,
        };
        let undone = self.append_by(function, list, &[value], next);
        self.fall_back(at, undone, next, &[]);
    }

    /// Writes the words of what is in a register behind the last element; a register that this is moved from is emptied.
    fn append_words(&mut self, address: Value, r: Reg, goes: bool, slow: Block, next: Block) {
        let vector = self.layout.generic;
        let len = self.len(address, vector);
        self.require_room(address, vector, len, slow);
        let place = self.value_at(address, len);
        let words = self.words(r);
        self.store_words_at(self.memory.element, place, 0, words);
        let len = self.b.ins().iadd_imm_s(len, 1);
        self.b
            .ins()
            .store(self.memory.header, len, address, vector.len);
        if goes {
            self.empty(r);
        }
        self.b.ins().jump(next, &[]);
    }

    /// Marks a register of the frame as empty whose value is elsewhere now.
    pub(super) fn empty(&mut self, r: Reg) {
        let none = i64::from(self.layout.tags.none);
        let words = [none, 0].map(|w| self.b.ins().iconst(types::I64, w));
        self.store_words(r, words);
    }

    /// Moves the last element of a list of anything to a register of anything.
    pub(super) fn pop_value(&mut self, at: usize, d: Reg, list: Reg) {
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let vector = self.layout.generic;
        let address = self.list(list, self.layout.tags.list, vector, slow);
        self.require_plain(d, slow);
        let len = self.last(address, vector, slow);
        let place = self.value_at(address, len);
        let words = self.words_at(self.memory.element, place, 0);
        self.b
            .ins()
            .store(self.memory.header, len, address, vector.len);
        self.store_words(d, words);
        self.or_perform(at, slow, next);
    }

    /// Takes the last element off.
    pub(super) fn list_pop(&mut self, at: usize, d: Reg, list: Reg) {
        let kind = self.code.kinds[d as usize];
        let slow = self.exit(at, None);
        let vector = self.layout.list;
        let address = self.surely(list, self.list_tag(kind), vector, slow);
        let len = self.last(address, vector, slow);
        let element = self.element(address, vector, len, kind);
        let value = self
            .b
            .ins()
            .load(type_of(kind), self.memory.element, element, 0);
        self.b
            .ins()
            .store(self.memory.header, len, address, vector.len);
        self.set(at, d, kind, value);
    }
}
