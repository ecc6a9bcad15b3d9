//! Dicts: what keys lead to without the lock, while the thread has the floor. A function finds the place, machine code
//! reads and writes numbers and short strings there; all else the host does, and so it does where a key is new or missing.

use super::text::Text;
use super::{Translator, type_of};
use crate::layout::{BOOL, WORD};
use crate::run::dicts;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use rushlight_runtime::code::{NOWHERE, Operand, Reg, RegisterKind, Source};
use rushlight_types::ScalarOp;

/// The dict and the key of an operator.
struct Entry {
    dict: Reg,
    /// Whether the register of the dict is left empty.
    goes: bool,
    key: Sought,
}

enum Sought {
    Int(Value),
    /// Anything that has an address.
    Text(Text),
}

/// What an operator writes.
enum Written {
    Number(RegisterKind, Value),
    Register(Reg),
}

impl Translator<'_> {
    /// An operator on dicts; `false` if it is none, or not one for machine code.
    pub(super) fn dict_operator(&mut self, at: usize, k: u32) -> bool {
        let call = &self.code.operators[k as usize];
        let Some(op) = call.operator.scalar.filter(|_| self.journal.is_empty()) else {
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
            (ScalarOp::DictHas, [dict, key], Some(target))
                if target != NOWHERE && self.live.is_kept(target) =>
            {
                let entry = self.dict_entry(*dict, *key);
                entry.map(|entry| self.dict_has(at, target, &entry))
            }
            (ScalarOp::DictSet, [dict, key, value], None) => {
                let written = match (self.operand_number(*value), value.source()) {
                    (Some((kind, value)), _) => Some(Written::Number(kind, value)),
                    (None, Source::Copy(r) | Source::Move(r)) => {
                        let is_anything = self.code.kinds[r as usize] == RegisterKind::Other;
                        is_anything.then_some(Written::Register(r))
                    }
                    (None, Source::Constant(_)) => None,
                };
                let entry = written.and_then(|w| Some((w, self.dict_entry(*dict, *key)?)));
                entry.map(|(written, entry)| self.dict_set(at, &written, &entry))
            }
            _ => None,
        }
        .is_some()
    }

    fn dict_entry(&mut self, dict: Operand, key: Operand) -> Option<Entry> {
        let (dict, goes) = dict.source().register()?;
        if self.code.kinds[dict as usize] != RegisterKind::Other {
            return None;
        }
        let key = match self.operand_number(key) {
            Some((RegisterKind::Int, key)) => Sought::Int(key),
            Some(_) => return None,
            None => Sought::Text(self.text(key)?),
        };
        Some(Entry { dict, goes, key })
    }

    /// Where the value is, or null where there is none; goes to `slow` where the host has to look.
    fn dict_place(&mut self, entry: &Entry, slow: Block) -> Value {
        self.touches_lists = true;
        let dict = self.register_address(entry.dict);
        let goes = self.b.ins().iconst(types::I64, i64::from(entry.goes));
        let (function, key) = match &entry.key {
            Sought::Int(key) => (dicts::place_of_int as *const () as i64, *key),
            Sought::Text(text) => {
                if let Text::Register { r, is_moved: true } = text {
                    // What is somewhere else would have to be dropped.
                    self.require_plain(*r, slow);
                }
                (dicts::place as *const () as i64, self.text_address(text))
            }
        };
        let place = self.call_number(function, &[dict, goes, key], types::I64);
        let ask = dicts::ASK as i64;
        let is_found = self.b.ins().icmp_imm_s(IntCC::NotEqual, place, ask);
        let next = self.b.create_block();
        self.b.ins().brif(is_found, next, &[], slow, &[]);
        self.b.switch_to_block(next);
        place
    }

    /// As [`Translator::dict_place`] where there must be one.
    fn dict_value(&mut self, entry: &Entry, slow: Block) -> Value {
        let place = self.dict_place(entry, slow);
        let next = self.b.create_block();
        self.b.ins().brif(place, next, &[], slow, &[]);
        self.b.switch_to_block(next);
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
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let place = match default {
            None => self.dict_value(entry, slow),
            Some(default) => {
                let place = self.dict_place(entry, slow);
                let (found, missing) = (self.b.create_block(), self.b.create_block());
                self.b.ins().brif(place, found, &[], missing, &[]);
                self.b.switch_to_block(missing);
                self.release(entry);
                self.set(at, target, self.code.kinds[target as usize], default);
                self.b.ins().jump(next, &[]);
                self.b.switch_to_block(found);
                place
            }
        };
        let memory = self.memory.element;
        if self.heads[target as usize].is_some() {
            let tag = self.b.ins().load(types::I8, memory, place, 0);
            self.require_number(tag, slow);
            let words = self.words_at(memory, place, 0);
            self.release(entry);
            self.set_optional(target, words);
        } else if self.live.is_kept(target) {
            let kind = self.code.kinds[target as usize];
            let tag = self.b.ins().load(types::I8, memory, place, 0);
            let wanted = i64::from(self.tag_of(kind));
            let is_right = self.b.ins().icmp_imm_u(IntCC::Equal, tag, wanted);
            let found = self.b.create_block();
            self.b.ins().brif(is_right, found, &[], slow, &[]);
            self.b.switch_to_block(found);
            let part = if kind == RegisterKind::Bool {
                BOOL
            } else {
                WORD
            };
            let value = self.b.ins().load(type_of(kind), memory, place, part);
            self.release(entry);
            self.set(at, target, kind, value);
        } else {
            // A dict may go with what is written over it, and with the dict the value.
            let shared = match entry.dict == target {
                true => slow,
                false => self.b.create_block(),
            };
            self.require_plain_at(memory, place, 0, shared);
            self.require_plain(target, shared);
            let words = self.words_at(memory, place, 0);
            self.release(entry);
            self.store_words(target, words);
            if shared != slow {
                self.b.ins().jump(next, &[]);
                self.b.switch_to_block(shared);
                let to = self.register_address(target);
                self.write_value(false, place, to, slow);
                self.release(entry);
            }
        }
        self.or_perform(at, slow, next);
    }

    fn dict_has(&mut self, at: usize, target: Reg, entry: &Entry) {
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let place = self.dict_place(entry, slow);
        self.release(entry);
        let is_there = self.b.ins().icmp_imm_s(IntCC::NotEqual, place, 0);
        self.set(at, target, RegisterKind::Bool, is_there);
        self.or_perform(at, slow, next);
    }

    fn dict_set(&mut self, at: usize, written: &Written, entry: &Entry) {
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        if let Written::Register(r) = written {
            self.require_plain(*r, slow);
        }
        let place = self.dict_value(entry, slow);
        let memory = self.memory.element;
        self.require_plain_at(memory, place, 0, slow);
        match *written {
            Written::Number(kind, value) => {
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
            Written::Register(r) => {
                let words = self.words(r);
                self.store_words_at(memory, place, 0, words);
            }
        }
        self.release(entry);
        self.or_perform(at, slow, next);
    }
}
