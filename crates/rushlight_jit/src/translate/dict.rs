//! Dicts: what keys lead to without the lock, while the thread has the floor. A function finds the place, machine code
//! reads and writes numbers and short strings there; all else the host does, and so it does where a key is new or missing.

use super::Translator;
use super::borrow::{Fetching, Found};
use super::text::Text;
use crate::layout::{BOOL, WORD};
use crate::run::dicts;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use rushlight_runtime::code::{NOWHERE, Operand, Reg, RegisterKind};
use rushlight_types::ScalarOp;

/// The dict and the key of an operator.
struct Entry {
    dict: Reg,
    /// Whether the register of the dict, which is in the frame, is left empty.
    goes: bool,
    key: Sought,
    /// What is not borrowed any more behind the operator.
    ends: Vec<Reg>,
    /// The register of the key, and what is in it if that is an int.
    index: Option<(Reg, Value)>,
    text: Option<Reg>,
}

enum Sought {
    Int(Value),
    /// Anything that has an address.
    Text(Text),
}

/// What an operator writes.
enum Written {
    Number(RegisterKind, Value),
    /// What is in a register, which may be left empty.
    Register(Reg, bool),
}

impl Translator<'_> {
    /// An operator on dicts; `false` if it is none, or not one for machine code.
    pub(super) fn dict_operator(&mut self, at: usize, k: u32) -> bool {
        let call = &self.code.operators[k as usize];
        let Some(op) = call.operator.scalar else {
            return false;
        };
        let operands = call.arguments.of(&self.code.operands);
        let target = call.results.of(&self.code.targets).first().copied();
        match (op, operands, target) {
            (ScalarOp::DictGet, [dict, key], Some(target)) if target != NOWHERE => {
                let is_fetched = self.live.is_kept(target)
                    || self.code.kinds[target as usize] == RegisterKind::Other;
                let entry = is_fetched.then(|| self.dict_entry(*dict, *key)).flatten();
                entry.map(|entry| self.dict_get(at, target, &entry, None))
            }
            (ScalarOp::DictGetOr, [dict, key, default], Some(target))
                if target != NOWHERE && self.live.is_kept(target) =>
            {
                let kind = self.code.kinds[target as usize];
                let default = self.operand_number(*default);
                let default =
                    default.filter(|d| d.0 == kind && self.heads[target as usize].is_none());
                let entry = default.and_then(|d| Some((d.1, self.dict_entry(*dict, *key)?)));
                entry.map(|(default, entry)| self.dict_get(at, target, &entry, Some(default)))
            }
            (ScalarOp::DictLen, [dict], Some(target))
                if target != NOWHERE && self.live.is_kept(target) =>
            {
                let dict = self.container(*dict);
                // What is in the frame and goes has to be dropped.
                let dict = dict.filter(|(r, goes)| !goes || self.borrowed.contains_key(r));
                dict.map(|(dict, goes)| self.dict_len(at, target, dict, goes))
            }
            (ScalarOp::DictFind, [dict, key], Some(target))
                if target != NOWHERE
                    && self.live.is_kept(target)
                    && self.heads[target as usize].is_some() =>
            {
                let entry = self.dict_entry(*dict, *key);
                entry.map(|entry| self.dict_find(at, target, &entry))
            }
            (ScalarOp::DictHas, [dict, key], Some(target))
                if target != NOWHERE && self.live.is_kept(target) =>
            {
                let entry = self.dict_entry(*dict, *key);
                entry.map(|entry| self.dict_has(at, target, &entry))
            }
            (ScalarOp::DictSet, [dict, key, value], None) => {
                let written = match (self.operand_number(*value), value.source()) {
                    (Some((kind, value)), _) => Some(Written::Number(kind, value)),
                    (None, source) => source.register().and_then(|(r, goes)| {
                        let is_anything = self.code.kinds[r as usize] == RegisterKind::Other;
                        is_anything.then_some(Written::Register(r, goes))
                    }),
                };
                let entry = written.and_then(|w| Some((w, self.dict_entry(*dict, *key)?)));
                entry.map(|(written, entry)| self.dict_set(at, &written, &entry))
            }
            _ => None,
        }
        .is_some()
    }

    fn dict_entry(&mut self, dict: Operand, key: Operand) -> Option<Entry> {
        let (dict, goes) = self.container(dict)?;
        let register = key.source().register();
        let (mut index, mut text) = (None, None);
        let sought = match self.operand_number(key) {
            Some((RegisterKind::Int, key)) => {
                let kept = register.map(|r| r.0).filter(|r| self.live.is_kept(*r));
                index = kept.map(|r| (r, key));
                Sought::Int(key)
            }
            Some(_) => return None,
            None => {
                text = register.map(|r| r.0);
                Sought::Text(self.text(key)?)
            }
        };
        let moved = [goes.then_some(dict), register.filter(|r| r.1).map(|r| r.0)];
        Some(Entry {
            dict,
            goes: goes && !self.borrowed.contains_key(&dict),
            key: sought,
            ends: self.those_borrowed(moved.into_iter().flatten()),
            index,
            text,
        })
    }

    /// Where the value is, or null where there is none; goes to `slow` where the host has to look.
    fn dict_place(&mut self, entry: &Entry, slow: Block) -> Value {
        let functions = [dicts::place_of_int as *const (), dicts::place as *const ()];
        self.dict_place_by(functions, entry, slow)
    }

    /// As [`Translator::dict_place`] where there is a place for what is written next, whether or not the key was there.
    fn dict_new_place(&mut self, entry: &Entry, slow: Block) -> Value {
        let functions = [
            dicts::new_place_of_int as *const (),
            dicts::new_place as *const (),
        ];
        self.dict_place_by(functions, entry, slow)
    }

    fn dict_place_by(
        &mut self,
        [of_int, of_any]: [*const (); 2],
        entry: &Entry,
        slow: Block,
    ) -> Value {
        self.touches_lists = true;
        let dict = self.value_address(entry.dict);
        let goes = self.b.ins().iconst(types::I64, i64::from(entry.goes));
        let (function, key) = match &entry.key {
            Sought::Int(key) => (of_int as i64, *key),
            Sought::Text(text) => {
                if let Text::Register { r, is_moved: true } = text {
                    // What is somewhere else would have to be dropped.
                    self.require_plain(*r, slow);
                }
                (of_any as i64, self.text_address(text))
            }
        };
        let place = self.call_number(function, &[dict, goes, key], types::I64);
        let ask = dicts::ASK as i64;
        let is_found = self.b.ins().icmp_imm_s(IntCC::NotEqual, place, ask);
        let next = self.b.create_block();
        self.b.ins().brif(is_found, next, &[], slow, &[]);
        self.begin(next);
        place
    }

    /// As [`Translator::dict_place`] where there must be one.
    fn dict_value(&mut self, entry: &Entry, slow: Block) -> Value {
        let place = self.dict_place(entry, slow);
        let next = self.b.create_block();
        self.b.ins().brif(place, next, &[], slow, &[]);
        self.begin(next);
        place
    }

    fn release(&mut self, entry: &Entry) {
        if entry.goes {
            let dict = self.register_address(entry.dict);
            self.call_number(dicts::release as *const () as i64, &[dict], types::I64);
        }
    }

    /// The value of a key, or, where there is none, a number of the target's kind.
    fn dict_get(&mut self, at: usize, target: Reg, entry: &Entry, default: Option<Value>) {
        let kind = self.code.kinds[target as usize];
        if !self.live.is_kept(target) {
            return self.dict_fetch(at, target, entry);
        }
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let address = match default {
            None => self.dict_value(entry, slow),
            Some(default) => {
                let place = self.dict_place(entry, slow);
                let (found, missing) = (self.b.create_block(), self.b.create_block());
                self.b.ins().brif(place, found, &[], missing, &[]);
                self.begin(missing);
                self.release(entry);
                self.set(at, target, kind, default);
                self.b.ins().jump(next, &[]);
                self.begin(found);
                place
            }
        };
        self.load_kept(at, target, kind, Found { address, offset: 0 }, slow);
        self.release(entry);
        self.finish_lookup(at, slow, next, entry);
    }

    /// The value of a key, which is a number, or None.
    fn dict_find(&mut self, at: usize, target: Reg, entry: &Entry) {
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let address = self.dict_place(entry, slow);
        let (found, missing) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(address, found, &[], missing, &[]);
        self.begin(missing);
        self.release(entry);
        let none = i64::from(self.layout.tags.none);
        let words = [none, 0].map(|w| self.b.ins().iconst(types::I64, w));
        self.set_optional(target, words);
        self.b.ins().jump(next, &[]);
        self.begin(found);
        let found = Found { address, offset: 0 };
        self.load_kept(at, target, RegisterKind::Optional, found, slow);
        self.release(entry);
        self.finish_lookup(at, slow, next, entry);
    }

    /// The value of a key, which may be anything: borrowed, or copied.
    fn dict_fetch(&mut self, at: usize, target: Reg, entry: &Entry) {
        let mut ends = entry.ends.clone();
        ends.extend(self.those_borrowed([target]));
        let fetching = Fetching {
            at,
            target,
            within: entry.dict,
            ends: &ends,
            index: entry.index,
            key: entry.text,
        };
        // What goes with this use is dropped behind it.
        let lends = !entry.goes && self.lends(&fetching);
        let slow = self.fetch_exit(at, lends);
        let place = self.dict_value(entry, slow);
        let found = Found {
            address: place,
            offset: 0,
        };
        if !entry.goes {
            return self.take_found(&fetching, lends, slow, found);
        }
        let next = self.b.create_block();
        // A dict may go with what is written over it, and with the dict the value.
        let shared = match entry.dict == target {
            true => slow,
            false => self.b.create_block(),
        };
        let memory = self.memory.element;
        self.require_plain_at(memory, place, 0, shared);
        self.require_plain(target, shared);
        let words = self.words_at(memory, place, 0);
        self.release(entry);
        self.store_words(target, words);
        if shared != slow {
            self.b.ins().jump(next, &[]);
            self.begin(shared);
            let to = self.register_address(target);
            self.write_value(false, place, to, slow);
            self.release(entry);
        }
        self.finish(at, slow, next, &ends);
    }

    /// As [`Translator::finish`] for what only looks, and may be done again.
    fn finish_lookup(&mut self, at: usize, slow: Block, next: Block, entry: &Entry) {
        let stays = self.borrowed.keys().any(|r| !entry.ends.contains(r));
        if !stays {
            return self.finish(at, slow, next, &entry.ends);
        }
        self.finish(at, slow, next, &[]);
        self.pinned
            .extend(entry.text.filter(|_| !entry.ends.is_empty()));
        self.end(at, &entry.ends, entry.index);
    }

    fn dict_len(&mut self, at: usize, target: Reg, dict: Reg, goes: bool) {
        self.touches_lists = true;
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let address = self.value_address(dict);
        let len = self.call_number(dicts::len as *const () as i64, &[address], types::I64);
        let is_known = self
            .b
            .ins()
            .icmp_imm_s(IntCC::SignedGreaterThanOrEqual, len, 0);
        let known = self.b.create_block();
        self.b.ins().brif(is_known, known, &[], slow, &[]);
        self.begin(known);
        self.set(at, target, RegisterKind::Int, len);
        let ends = self.those_borrowed(goes.then_some(dict));
        self.finish(at, slow, next, &ends);
    }

    fn dict_has(&mut self, at: usize, target: Reg, entry: &Entry) {
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let place = self.dict_place(entry, slow);
        self.release(entry);
        let is_there = self.b.ins().icmp_imm_s(IntCC::NotEqual, place, 0);
        self.set(at, target, RegisterKind::Bool, is_there);
        self.finish_lookup(at, slow, next, entry);
    }

    /// Moves what is in a register to a key that is not there.
    fn dict_insert(&mut self, r: Reg, entry: &Entry, slow: Block) {
        let dict = self.value_address(entry.dict);
        let [head, word] = self.words(r);
        let (function, key) = match &entry.key {
            Sought::Int(key) => (dicts::insert_at_int as *const () as i64, *key),
            Sought::Text(text) => (dicts::insert as *const () as i64, self.text_address(text)),
        };
        let is_done = self.call_number(function, &[dict, key, head, word], types::I64);
        let next = self.b.create_block();
        self.b.ins().brif(is_done, next, &[], slow, &[]);
        self.begin(next);
    }

    fn dict_set(&mut self, at: usize, written: &Written, entry: &Entry) {
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        if let Written::Register(r, false) = written {
            self.require_plain(*r, slow);
        }
        let place = match *written {
            // Nothing is in the way of what is copied to a new place.
            Written::Number(..) | Written::Register(_, false) => self.dict_new_place(entry, slow),
            Written::Register(r, true) => {
                let place = self.dict_place(entry, slow);
                let (found, missing) = (self.b.create_block(), self.b.create_block());
                self.b.ins().brif(place, found, &[], missing, &[]);
                self.begin(missing);
                self.dict_insert(r, entry, slow);
                self.empty(r);
                self.release(entry);
                self.b.ins().jump(next, &[]);
                self.begin(found);
                place
            }
        };
        let memory = self.memory.element;
        match *written {
            Written::Number(kind, value) => {
                self.require_plain_at(memory, place, 0, slow);
                let tag = i64::from(self.tag_of(kind));
                let tag = self.b.ins().iconst(types::I8, tag);
                self.b.ins().store(memory, tag, place, 0);
                let part = if kind == RegisterKind::Bool {
                    BOOL
                } else {
                    WORD
                };
                self.b.ins().store(memory, value, place, part);
            }
            Written::Register(r, false) => {
                self.require_plain_at(memory, place, 0, slow);
                let words = self.words(r);
                self.store_words_at(memory, place, 0, words);
            }
            Written::Register(r, true) => {
                let from = self.register_address(r);
                self.write_value(true, from, place, slow);
            }
        }
        self.release(entry);
        self.finish(at, slow, next, &entry.ends);
    }
}
