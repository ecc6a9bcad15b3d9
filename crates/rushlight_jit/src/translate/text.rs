//! Strings. A short one is what its bytes are (`rushlight_types/src/value/text.rs`): it is copied, compared, indexed and
//! dropped as two words. Others are looked at by functions that do nothing else, and what those cannot do the host does.

use super::Translator;
use super::list::Index;
use crate::layout::{self, HEAD, VALUE, WORD};
use crate::run::{self, texts};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use rushlight_runtime::code::{NOWHERE, Operand, Reg, RegisterKind, Source};
use rushlight_types::{ScalarOp, Str, Value as Constant};

/// A string that an operator reads.
#[derive(Clone)]
pub(super) enum Text {
    /// In a register, which may be left empty.
    Register {
        r: Reg,
        is_moved: bool,
    },
    Constant(Constant),
}

/// What the first two bytes of a string are that is somewhere else, but for the tag.
const SHARED: i64 = (Str::SHARED as i64) << 8;

impl Translator<'_> {
    /// Goes to `slow` unless a register holds what is copied and dropped as the bytes that it is: a number or a short
    /// string.
    pub(super) fn require_plain(&mut self, r: Reg, slow: Block) {
        self.require_plain_at(self.memory.frame, self.frame, r as i32 * VALUE, slow);
    }

    /// As [`Translator::require_plain`] for a value anywhere.
    pub(super) fn require_plain_at(
        &mut self,
        memory: MemFlagsData,
        address: Value,
        offset: i32,
        slow: Block,
    ) {
        let (other, next) = (self.b.create_block(), self.b.create_block());
        let tag = self.b.ins().load(types::I8, memory, address, offset);
        let is_number = self.is_number(tag);
        self.b.ins().brif(is_number, next, &[], other, &[]);
        self.begin(other);
        let head = self.b.ins().load(types::I16, memory, address, offset);
        let told = self.b.ins().band_imm_u(head, SHARED | 0xff);
        let text = i64::from(self.layout.tags.text);
        let is_short = self.b.ins().icmp_imm_u(IntCC::Equal, told, text);
        self.b.ins().brif(is_short, next, &[], slow, &[]);
        self.begin(next);
    }

    /// Puts a constant that is no number into a register.
    pub(super) fn text_constant(&mut self, at: usize, d: Reg, constant: &Constant) {
        let words = match constant {
            Constant::None => Some([i64::from(self.layout.tags.none), 0]),
            other => short_words(other),
        };
        let Some(words) = words else {
            return self.perform(at);
        };
        let (heavy, slow) = (self.b.create_block(), self.b.create_block());
        let (write, next) = (self.b.create_block(), self.b.create_block());
        self.require_plain(d, heavy);
        self.b.ins().jump(write, &[]);
        self.begin(heavy);
        let number = self.b.ins().iconst(types::I64, i64::from(d));
        let outcome = self.call_host(run::drop_quickly as *const (), number);
        let is_done = self
            .b
            .ins()
            .icmp_imm_u(IntCC::Equal, outcome, run::DONE as i64);
        self.b.ins().brif(is_done, write, &[], slow, &[]);
        self.begin(write);
        let words = words.map(|w| self.b.ins().iconst(types::I64, w));
        self.store_words(d, words);
        self.or_perform(at, slow, next);
    }

    /// Ends the quick way of an instruction; the host does it where that was left.
    pub(super) fn or_perform(&mut self, at: usize, slow: Block, next: Block) {
        self.b.ins().jump(next, &[]);
        self.begin(slow);
        self.perform(at);
        self.b.ins().jump(next, &[]);
        self.begin(next);
    }

    /// The two words of a value anywhere.
    pub(super) fn words_at(
        &mut self,
        memory: MemFlagsData,
        address: Value,
        offset: i32,
    ) -> [Value; 2] {
        [0, WORD].map(|half| {
            self.b
                .ins()
                .load(types::I64, memory, address, offset + half)
        })
    }

    /// The two words of a register of the frame.
    pub(super) fn words(&mut self, r: Reg) -> [Value; 2] {
        self.words_at(self.memory.frame, self.frame, r as i32 * VALUE)
    }

    /// Writes the two words of a value anywhere.
    pub(super) fn store_words_at(
        &mut self,
        memory: MemFlagsData,
        address: Value,
        offset: i32,
        words: [Value; 2],
    ) {
        for (half, word) in [0, WORD].into_iter().zip(words) {
            self.b.ins().store(memory, word, address, offset + half);
        }
    }

    /// Writes the two words of a register of the frame, which holds nothing to drop.
    pub(super) fn store_words(&mut self, d: Reg, words: [Value; 2]) {
        self.store_words_at(self.memory.frame, self.frame, d as i32 * VALUE, words);
    }

    /// The address of a register.
    pub(super) fn register_address(&mut self, r: Reg) -> Value {
        let offset = i64::from(r as i32 * VALUE);
        self.b.ins().iadd_imm_s(self.frame, offset)
    }

    /// An operator on strings; `false` if it is none, or not one for machine code.
    pub(super) fn text_operator(&mut self, at: usize, k: u32) -> bool {
        let call = &self.code.operators[k as usize];
        let [target] = *call.results.of(&self.code.targets) else {
            return false;
        };
        let Some(op) = call.operator.scalar.filter(|_| target != NOWHERE) else {
            return false;
        };
        let operands = call.arguments.of(&self.code.operands);
        let Some(first) = operands.first().and_then(|o| self.text(*o)) else {
            return false;
        };
        let second = operands.get(1).and_then(|o| self.text(*o));
        let moved = operands.iter().filter_map(|o| self.container(*o));
        let moved = moved.filter(|r| r.1).map(|r| r.0);
        let ends = self.those_borrowed(moved.chain([target]));
        let kind = self.code.kinds[target as usize];
        let is_kept = self.live.is_kept(target);
        match (op, second) {
            (ScalarOp::EqStr | ScalarOp::NeStr, Some(second))
                if kind == RegisterKind::Bool && is_kept =>
            {
                self.text_equal(at, target, [first, second], op == ScalarOp::EqStr, &ends);
            }
            (ScalarOp::LenStr, None) if kind == RegisterKind::Int && is_kept => {
                self.text_len(at, target, &first, &ends);
            }
            (ScalarOp::OrdStr, None) if kind == RegisterKind::Int && is_kept => {
                self.text_ord(at, target, &first, &ends);
            }
            (ScalarOp::AddStr, Some(second)) if kind == RegisterKind::Other => {
                self.text_add(at, target, [first, second], &ends);
            }
            (ScalarOp::GetStr, None) if kind == RegisterKind::Other => {
                let Some(index) = self.operand_index(operands[1]) else {
                    return false;
                };
                self.text_get(at, target, &first, index, &ends);
            }
            _ => return false,
        }
        true
    }

    pub(super) fn text(&self, operand: Operand) -> Option<Text> {
        let (r, is_moved) = match operand.source() {
            Source::Constant(k) => {
                let constant = self.code.constants.get(k as usize)?;
                let is_text = matches!(constant, Constant::Str(_));
                return is_text.then(|| Text::Constant(constant.clone()));
            }
            Source::Copy(r) => (r, false),
            Source::Move(r) => (r, true),
        };
        let is_anything = self.code.kinds[r as usize] == RegisterKind::Other;
        // What is borrowed need not be dropped.
        let is_moved = is_moved && !self.borrowed.contains_key(&r);
        is_anything.then_some(Text::Register { r, is_moved })
    }

    /// The address of a string.
    pub(super) fn text_address(&mut self, text: &Text) -> Value {
        match text {
            Text::Register { r, .. } => self.value_address(*r),
            Text::Constant(constant) => {
                let address = self.sites.keep_constant(constant.clone());
                self.b.ins().iconst(types::I64, address)
            }
        }
    }

    /// The two words of a string.
    fn text_words(&mut self, text: &Text) -> [Value; 2] {
        match text {
            Text::Register { r, .. } => self.held_words(*r),
            Text::Constant(constant) => {
                let words = layout::halves(constant).unwrap_or_default();
                words.map(|w| self.b.ins().iconst(types::I64, w as i64))
            }
        }
    }

    /// The head of a string as it lies in the frame or as it is known.
    fn text_head(&mut self, text: &Text) -> Value {
        match text {
            Text::Register { r, .. } if self.borrowed.contains_key(r) => {
                let [low, _] = self.held_words(*r);
                let head = self.b.ins().ushr_imm_u(low, 8);
                self.b.ins().ireduce(types::I8, head)
            }
            Text::Register { r, .. } => {
                let at = *r as i32 * VALUE + HEAD;
                self.b
                    .ins()
                    .load(types::I8, self.memory.frame, self.frame, at)
            }
            Text::Constant(constant) => {
                let words = layout::halves(constant).unwrap_or_default();
                let head = (words[0] >> 8) as u8;
                self.b.ins().iconst(types::I8, i64::from(head))
            }
        }
    }

    /// Goes to `long` where the string is somewhere else: a function looks at it there, unless the register is left
    /// empty, which the host does.
    fn text_branch(&mut self, head: Value, long: Block) {
        let is_shared = self.b.ins().band_imm_u(head, i64::from(Str::SHARED));
        let next = self.b.create_block();
        self.b.ins().brif(is_shared, long, &[], next, &[]);
        self.begin(next);
    }

    fn text_equal(&mut self, at: usize, target: Reg, texts: [Text; 2], wanted: bool, ends: &[Reg]) {
        let (long, next) = (self.b.create_block(), self.b.create_block());
        let [a, b] = [0, 1].map(|i| self.text_words(&texts[i]));
        let either = self.b.ins().bor(a[0], b[0]);
        let is_shared = self.b.ins().band_imm_u(either, SHARED);
        let short = self.b.create_block();
        self.b.ins().brif(is_shared, long, &[], short, &[]);
        self.begin(short);
        let (low, high) = (self.b.ins().bxor(a[0], b[0]), self.b.ins().bxor(a[1], b[1]));
        let differ = self.b.ins().bor(low, high);
        let condition = if wanted {
            IntCC::Equal
        } else {
            IntCC::NotEqual
        };
        let holds = self.b.ins().icmp_imm_s(condition, differ, 0);
        self.set(at, target, RegisterKind::Bool, holds);
        self.b.ins().jump(next, &[]);
        if texts.iter().any(Text::is_moved) {
            self.begin(next);
            let behind = self.b.create_block();
            return self.finish(at, long, behind, ends);
        }
        self.begin(long);
        let [a, b] = [0, 1].map(|i| self.text_address(&texts[i]));
        let equal = self.call_number(texts::are_equal as *const () as i64, &[a, b], types::I64);
        let holds = self
            .b
            .ins()
            .icmp_imm_s(IntCC::Equal, equal, i64::from(wanted));
        self.set(at, target, RegisterKind::Bool, holds);
        self.b.ins().jump(next, &[]);
        self.begin(next);
        self.end(at, ends, None);
    }

    fn text_len(&mut self, at: usize, target: Reg, text: &Text, ends: &[Reg]) {
        let (long, next) = (self.b.create_block(), self.b.create_block());
        let head = self.text_head(text);
        self.text_branch(head, long);
        let len = self.b.ins().band_imm_u(head, i64::from(Str::LENGTH));
        let len = self.b.ins().uextend(types::I64, len);
        self.set(at, target, RegisterKind::Int, len);
        if text.is_moved() {
            return self.finish(at, long, next, ends);
        }
        self.b.ins().jump(next, &[]);
        self.begin(long);
        // Behind the head are six bytes of length.
        let [low, _] = self.text_words(text);
        let len = self.b.ins().ushr_imm_u(low, 16);
        self.set(at, target, RegisterKind::Int, len);
        self.b.ins().jump(next, &[]);
        self.begin(next);
        self.end(at, ends, None);
    }

    /// The number of the only byte.
    fn text_ord(&mut self, at: usize, target: Reg, text: &Text, ends: &[Reg]) {
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let byte = self.only_byte(text, slow);
        self.set(at, target, RegisterKind::Int, byte);
        self.finish(at, slow, next, ends);
    }

    /// The only byte of a string as an int; goes to `slow` where there is not one alone.
    pub(super) fn only_byte(&mut self, text: &Text, slow: Block) -> Value {
        let [low, _] = self.text_words(text);
        let head = self.b.ins().ushr_imm_u(low, 8);
        let len = self
            .b
            .ins()
            .band_imm_u(head, i64::from(Str::LENGTH | Str::SHARED));
        let is_one = self.b.ins().icmp_imm_u(IntCC::Equal, len, 1);
        let one = self.b.create_block();
        self.b.ins().brif(is_one, one, &[], slow, &[]);
        self.begin(one);
        let byte = self.b.ins().ushr_imm_u(low, 16);
        self.b.ins().band_imm_u(byte, 0xff)
    }

    /// The string of the byte at an index.
    fn text_get(&mut self, at: usize, target: Reg, text: &Text, index: Index, ends: &[Reg]) {
        let (long, found) = (self.b.create_block(), self.b.create_block());
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        self.b.append_block_param(found, types::I64);
        let head = self.text_head(text);
        let address = self.text_address(text);
        self.text_branch(head, long);
        let len = self.b.ins().band_imm_u(head, i64::from(Str::LENGTH));
        let len = self.b.ins().uextend(types::I64, len);
        let place = self.place(index, len, slow);
        let place = self.b.ins().iadd(address, place);
        let memory = match text {
            Text::Register { .. } => self.memory.frame,
            Text::Constant(_) => self.memory.element,
        };
        let byte = self.b.ins().load(types::I8, memory, place, HEAD + 1);
        let byte = self.b.ins().uextend(types::I64, byte);
        let is_plain = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, byte, 0x80);
        self.b
            .ins()
            .brif(is_plain, found, &[byte.into()], slow, &[]);
        self.begin(long);
        if text.is_moved() {
            self.b.ins().jump(slow, &[]);
        } else {
            let function = texts::byte as *const () as i64;
            let byte = self.call_number(function, &[address, index.value], types::I64);
            let is_found = self
                .b
                .ins()
                .icmp_imm_s(IntCC::SignedGreaterThanOrEqual, byte, 0);
            self.b
                .ins()
                .brif(is_found, found, &[byte.into()], slow, &[]);
        }
        self.begin(found);
        let byte = self.b.block_params(found)[0];
        self.require_plain(target, slow);
        let byte = self.b.ins().ishl_imm_u(byte, 16);
        let head = i64::from(self.layout.tags.text) | 1 << 8;
        let low = self.b.ins().bor_imm_u(byte, head);
        let high = self.b.ins().iconst(types::I64, 0);
        self.store_words(target, [low, high]);
        self.finish(at, slow, next, ends);
    }

    fn text_add(&mut self, at: usize, target: Reg, texts: [Text; 2], ends: &[Reg]) {
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let [a, b] = [0, 1].map(|i| self.text_address(&texts[i]));
        let to = self.register_address(target);
        let goes = [texts::FIRST_GOES, texts::SECOND_GOES]
            .into_iter()
            .zip(&texts);
        let goes = goes.filter(|(_, text)| text.is_moved()).map(|(bit, _)| bit);
        let goes = self.b.ins().iconst(types::I64, goes.sum::<i64>());
        let function = texts::add as *const () as i64;
        let is_done = self.call_number(function, &[a, b, to, goes], types::I64);
        let done = self.b.create_block();
        self.b.ins().brif(is_done, done, &[], slow, &[]);
        self.begin(done);
        self.finish(at, slow, next, ends);
    }
}

impl Text {
    /// Whether something has to be dropped where the string is somewhere else.
    fn is_moved(&self) -> bool {
        matches!(self, Text::Register { is_moved: true, .. })
    }
}

/// The two words of a constant that is a short string.
fn short_words(constant: &Constant) -> Option<[i64; 2]> {
    let words = layout::halves(constant)?;
    (words[0] as i64 & SHARED == 0).then_some(words.map(|w| w as i64))
}
