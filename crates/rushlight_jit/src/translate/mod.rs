//! From register code to Cranelift's form of a function.
//!
//! Registers of numbers become variables, which end up in registers of the machine; all other registers stay in the frame.
//! An instruction is either translated, or handed to the host, for which the numbers that it reads are written to the
//! frame before and those that it has written are read after. Whatever else can happen (an index out of range, division
//! by zero, a call, the end of the fuel) leaves the code *before* the instruction has had an effect: the numbers that are
//! still needed are written to the frame and the interpreter does the instruction. So there is one meaning of each.
//!
//! The code may be entered at its start, at the start of every loop and behind every call.

mod answers;
mod borrow;
mod dict;
mod exits;
mod host;
mod known;
mod list;
mod loan;
mod operator;
mod scalar;
mod tensor;
mod text;

use crate::layout::{BOOL, Layout, VALUE, WORD};
use crate::liveness::Liveness;
use crate::run::{self, Door, field};
use crate::signs::Signs;
use crate::site::Sites;
use borrow::Entry;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, AliasRegionData, Block, BlockCall, Function, InstBuilder, JumpTableData,
    MemFlagsData, SigRef, Signature, TrapCode, Type, Value, types,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use known::Known;
use rushlight_runtime::code::{Code, Extended, Insn, Operand, Reg, RegisterKind, Source};
use rushlight_types::Value as Constant;
use std::collections::{HashMap, HashSet};

/// A function in Cranelift's form.
pub struct Translated {
    /// Where it may be entered, in order of the instructions.
    pub entries: Vec<Door>,
    /// The registers that it keeps, and what they hold.
    pub kept: Vec<(Reg, RegisterKind)>,
    /// Whether it touches lists.
    pub touches_lists: bool,
    /// What the code hands to the host by its address.
    #[expect(
        dead_code,
        reason = "the code knows the addresses, and nobody else asks"
    )]
    pub sites: Sites,
}

/// The signature of all machine code.
pub fn signature(signature: &mut Signature) {
    signature.params = vec![AbiParam::new(types::I64); 3];
    signature.returns = vec![AbiParam::new(types::I64)];
}

/// Translates a function into an empty `function` that has the [`signature`].
pub fn translate(
    code: &Code,
    live: Liveness,
    layout: &Layout,
    config: TargetFrontendConfig,
    context: &mut FunctionBuilderContext,
    function: &mut Function,
) -> Translated {
    let mut builder = FunctionBuilder::new(function, context);
    let mut helper = Signature::new(config.default_call_conv);
    helper.params = vec![AbiParam::new(types::I64); 2];
    helper.returns = vec![AbiParam::new(types::I64)];
    let helper = builder.import_signature(helper);
    let mut flags = |id: u32, name: &'static str| {
        let region = AliasRegionData {
            user_id: id,
            description: name.into(),
        };
        let region = builder.func.dfg.alias_regions.insert(region);
        MemFlagsData::trusted().with_alias_region(Some(region))
    };
    let memory = Memory {
        run: flags(0, "run"),
        frame: flags(1, "frame"),
        header: flags(2, "header"),
        element: flags(3, "element"),
    };
    let start = builder.create_block();
    builder.append_block_params_for_function_params(start);
    builder.switch_to_block(start);
    builder.seal_block(start);
    let params = builder.block_params(start).to_vec();
    let fuel = builder.declare_var(types::I64);
    let mut translator = Translator {
        code,
        layout,
        signs: Signs::new(code, &live),
        live,
        variables: Vec::new(),
        heads: Vec::new(),
        fuel,
        run: params[0],
        frame: params[1],
        memory,
        helper,
        call_conv: config.default_call_conv,
        blocks: HashMap::new(),
        exits: HashMap::new(),
        borrowed: HashMap::new(),
        pinned: Vec::new(),
        journal: Vec::new(),
        touches_lists: false,
        known: Known::default(),
        sites: Sites::default(),
        b: builder,
    };
    translator.declare();
    let entries = translator.entries();
    translator.enter(params[2], &entries);
    translator.body();
    translator.write_exits();
    let touches_lists = translator.touches_lists;
    let sites = std::mem::take(&mut translator.sites);
    let doors = entries.iter().map(|insn| Door {
        insn: *insn,
        live: translator.live.before(*insn as usize).collect(),
    });
    let entries = doors.collect();
    let kept = (0..code.kinds.len())
        .filter(|r| translator.live.is_kept(*r as Reg))
        .map(|r| (r as Reg, code.kinds[r]))
        .collect();
    translator.b.seal_all_blocks();
    translator.b.finalize(config);
    Translated {
        entries,
        kept,
        touches_lists,
        sites,
    }
}

/// Kinds of memory that do not overlap.
#[derive(Clone, Copy)]
struct Memory {
    run: MemFlagsData,
    frame: MemFlagsData,
    /// Lengths and addresses of lists.
    header: MemFlagsData,
    /// What lists hold.
    element: MemFlagsData,
}

struct Translator<'a> {
    code: &'a Code,
    layout: &'a Layout,
    live: Liveness,
    signs: Signs,
    /// The variable of each register that holds numbers; of one that may hold none, that of the second word.
    variables: Vec<Option<Variable>>,
    /// The variable of the first word, which has the tag, of each register that may hold no number.
    heads: Vec<Option<Variable>>,
    fuel: Variable,
    run: Value,
    frame: Value,
    memory: Memory,
    helper: SigRef,
    call_conv: CallConv,
    /// The blocks of the instructions that are jumped to.
    blocks: HashMap<usize, Block>,
    /// Where the code is left before an instruction, and which registers are not written then because the frame has them.
    exits: HashMap<(usize, Vec<Reg>), (Block, Vec<Entry>)>,
    /// The words of what is borrowed at this point.
    borrowed: HashMap<Reg, [Value; 2]>,
    /// The strings of the frame that something borrowed was looked up by.
    pinned: Vec<Reg>,
    /// The instructions that have fetched and dropped what is borrowed since nothing was.
    journal: Vec<Entry>,
    touches_lists: bool,
    known: Known,
    sites: Sites,
    b: FunctionBuilder<'a>,
}

fn type_of(kind: RegisterKind) -> Type {
    match kind {
        RegisterKind::Float => types::F64,
        RegisterKind::Bool => types::I8,
        RegisterKind::Int | RegisterKind::Optional | RegisterKind::Other => types::I64,
    }
}

impl Translator<'_> {
    fn declare(&mut self) {
        for (r, kind) in self.code.kinds.iter().enumerate() {
            let variable = self
                .live
                .is_kept(r as Reg)
                .then(|| self.b.declare_var(type_of(*kind)));
            self.variables.push(variable);
            let head = (*kind == RegisterKind::Optional).then(|| self.b.declare_var(types::I64));
            self.heads.push(head);
        }
        for (at, insn) in self.code.insns.iter().enumerate() {
            if let Some(to) = Code::jump_target(*insn) {
                self.block(to as usize);
                self.block(at + 1);
            }
        }
    }

    fn block(&mut self, insn: usize) -> Block {
        *self
            .blocks
            .entry(insn)
            .or_insert_with(|| self.b.create_block())
    }

    /// The block of an instruction that is gone to from here.
    fn goal(&mut self, insn: usize) -> Block {
        self.known.goes_to(insn);
        self.block(insn)
    }

    fn entries(&mut self) -> Vec<u32> {
        let mut entries = vec![0];
        for (at, insn) in self.code.insns.iter().enumerate() {
            match insn {
                Insn::LoopStep(.., to) | Insn::LoopWhile(_, to) => entries.push(*to),
                _ if self.leaves(*insn) && Code::falls_through(*insn) => {
                    entries.push(at as u32 + 1);
                }
                _ => {}
            }
        }
        rushlight_tensor::order::sort(&mut entries);
        entries.dedup();
        entries
    }

    /// Whether the interpreter always does an instruction.
    fn leaves(&self, insn: Insn) -> bool {
        match insn {
            Insn::Call(_) | Insn::Return(_) | Insn::Fail(_) => true,
            Insn::Extended(k) => matches!(
                self.code.extended[k as usize],
                Extended::Wait { .. }
                    | Extended::Warn { .. }
                    | Extended::Raise { .. }
                    | Extended::Entered { .. }
                    | Extended::Exited
                    | Extended::Closure { .. }
                    | Extended::Awaitable { .. }
            ),
            _ => false,
        }
    }

    /// The way from the start to the instruction that the caller asks for.
    fn enter(&mut self, number: Value, entries: &[u32]) {
        let fuel = self
            .b
            .ins()
            .load(types::I64, self.memory.run, self.run, field::FUEL);
        self.b.def_var(self.fuel, fuel);
        let number = self.b.ins().ireduce(types::I32, number);
        let doors: Vec<Block> = entries.iter().map(|_| self.b.create_block()).collect();
        let calls: Vec<BlockCall> = doors
            .iter()
            .map(|door| BlockCall::new(*door, [], &mut self.b.func.dfg.value_lists))
            .collect();
        let table = self
            .b
            .create_jump_table(JumpTableData::new(calls[0], &calls));
        self.b.ins().br_table(number, table);
        for (&insn, &door) in entries.iter().zip(&doors) {
            let target = self.block(insn as usize);
            self.known.nothing_at(insn as usize);
            self.begin(door);
            let registers: Vec<Reg> = self.live.before(insn as usize).collect();
            for r in registers {
                self.read_back(r);
            }
            self.b.ins().jump(target, &[]);
        }
    }

    fn body(&mut self) {
        let heads = self.heads_of_loops();
        for head in &heads {
            self.known.nothing_at(*head);
        }
        let mut is_open = false;
        for at in 0..self.code.insns.len() {
            if let Some(&block) = self.blocks.get(&at) {
                if is_open {
                    self.known.goes_to(at);
                    self.b.ins().jump(block, &[]);
                }
                self.b.switch_to_block(block);
                if !heads.contains(&at) {
                    self.b.seal_block(block);
                }
                self.known.arrives_at(at);
                is_open = true;
            }
            if is_open {
                is_open = self.insn(at);
                self.code
                    .writes(self.code.insns[at], |r| self.known.forget(r));
            }
        }
        // A jump behind the last instruction is none that a function has.
        if let Some(&block) = self.blocks.get(&self.code.insns.len()) {
            self.begin(block);
            self.b.ins().trap(TrapCode::unwrap_user(1));
        }
        for head in heads {
            let block = self.block(head);
            self.b.seal_block(block);
        }
    }

    /// The instructions that are jumped back to.
    fn heads_of_loops(&self) -> HashSet<usize> {
        let jumps = self.code.insns.iter().enumerate();
        jumps
            .filter_map(|(at, insn)| Some((at, Code::jump_target(*insn)? as usize)))
            .filter(|(at, to)| to <= at)
            .map(|(_, to)| to)
            .collect()
    }

    /// Goes on in a block that all jumps to have been made.
    fn begin(&mut self, block: Block) {
        self.b.switch_to_block(block);
        self.b.seal_block(block);
    }

    /// Translates an instruction; whether control goes on behind it.
    fn insn(&mut self, at: usize) -> bool {
        let insn = self.code.insns[at];
        if self.leaves(insn) {
            let exit = self.exit(at, None);
            self.b.ins().jump(exit, &[]);
            return false;
        }
        match insn {
            Insn::Jump(to) => {
                let to = self.goal(to as usize);
                self.b.ins().jump(to, &[]);
                return false;
            }
            Insn::Group(number, to) => self.group(at, number, to),
            Insn::Constant(d, k) => self.constant(at, d, k),
            Insn::Move(d, s) | Insn::Copy(d, s) => self.copy(at, d, s),
            Insn::Drop(r) => self.drop_value(at, r),
            Insn::ListLen(d, list) => self.list_len(at, d, list),
            Insn::ListGet(d, list, index) => self.list_get(at, d, list, index),
            Insn::ListSet(list, index, element) => self.list_set(at, list, index, element),
            Insn::ListAppend(list, element) => self.list_append(at, list, element),
            Insn::Operator(k) => self.operator(at, k),
            Insn::Extended(k) => self.extended(at, k),
            _ => return self.scalar(at, insn),
        }
        true
    }

    // Leaving.

    /// Where the code is left before an instruction.
    fn exit(&mut self, insn: usize, except: impl IntoIterator<Item = Reg>) -> Block {
        let journal = &self.journal;
        let place = (insn, except.into_iter().collect());
        let (block, _) = self.exits.entry(place).or_insert_with(|| {
            let block = self.b.create_block();
            self.b.set_cold_block(block);
            (block, journal.clone())
        });
        *block
    }

    /// Leaves before the instruction unless the condition holds.
    fn require(&mut self, at: usize, holds: Value) {
        let exit = self.exit(at, None);
        let next = self.b.create_block();
        self.b.ins().brif(holds, next, &[], exit, &[]);
        self.begin(next);
    }

    // The frame.

    fn tag_of(&self, kind: RegisterKind) -> u8 {
        match kind {
            RegisterKind::Int => self.layout.tags.int,
            RegisterKind::Float => self.layout.tags.float,
            RegisterKind::Bool => self.layout.tags.bool,
            RegisterKind::Optional | RegisterKind::Other => self.layout.tags.none,
        }
    }

    fn load_tag(&mut self, r: Reg) -> Value {
        let at = r as i32 * VALUE;
        self.b
            .ins()
            .load(types::I8, self.memory.frame, self.frame, at)
    }

    fn load_word(&mut self, r: Reg) -> Value {
        let at = r as i32 * VALUE + WORD;
        self.b
            .ins()
            .load(types::I64, self.memory.frame, self.frame, at)
    }

    fn load_number(&mut self, r: Reg, kind: RegisterKind) -> Value {
        let at = r as i32 * VALUE
            + if kind == RegisterKind::Bool {
                BOOL
            } else {
                WORD
            };
        self.b
            .ins()
            .load(type_of(kind), self.memory.frame, self.frame, at)
    }

    /// Writes a number to a register of the frame that holds nothing to drop.
    fn store_number(&mut self, r: Reg, kind: RegisterKind, value: Value) {
        let at = r as i32 * VALUE;
        let tag = self.tag_of(kind);
        let tag = self.b.ins().iconst(types::I8, i64::from(tag));
        self.b.ins().store(self.memory.frame, tag, self.frame, at);
        let at = at
            + if kind == RegisterKind::Bool {
                BOOL
            } else {
                WORD
            };
        self.b.ins().store(self.memory.frame, value, self.frame, at);
    }

    /// Takes a register that machine code keeps from the frame.
    fn read_back(&mut self, r: Reg) {
        if let Some((head, word)) = self.optional(r) {
            let words = self.words(r);
            self.b.def_var(head, words[0]);
            self.b.def_var(word, words[1]);
        } else if let Some(variable) = self.variables[r as usize] {
            let value = self.load_number(r, self.code.kinds[r as usize]);
            self.b.def_var(variable, value);
        }
    }

    fn write_back(&mut self, r: Reg) {
        for (offset, value) in self.words_behind(r) {
            self.store(offset, value);
        }
    }

    /// What the frame does not have yet of a register that machine code keeps, and where that goes.
    fn words_behind(&mut self, r: Reg) -> Vec<(i32, Value)> {
        let at = r as i32 * VALUE;
        if !self.live.is_written(r) {
            // The frame has it still.
            return Vec::new();
        }
        if let Some((head, word)) = self.optional(r) {
            return vec![
                (at, self.b.use_var(head)),
                (at + WORD, self.b.use_var(word)),
            ];
        }
        let Some(variable) = self.variables[r as usize] else {
            return Vec::new();
        };
        // The tag is there since the code was entered.
        let part = match self.code.kinds[r as usize] {
            RegisterKind::Bool => BOOL,
            _ => WORD,
        };
        vec![(at + part, self.b.use_var(variable))]
    }

    /// Writes to a place of the frame.
    fn store(&mut self, offset: i32, value: Value) {
        self.b
            .ins()
            .store(self.memory.frame, value, self.frame, offset);
    }

    // Registers of numbers that may be missing: their two words are kept, as values have them.

    /// The variables of a register that is kept and may hold no number.
    fn optional(&self, r: Reg) -> Option<(Variable, Variable)> {
        Some((self.heads[r as usize]?, self.variables[r as usize]?))
    }

    /// A number as the two words of its value.
    fn words_of(&mut self, kind: RegisterKind, value: Value) -> [Value; 2] {
        let tag = i64::from(self.tag_of(kind));
        if kind == RegisterKind::Bool {
            let wide = self.b.ins().uextend(types::I64, value);
            let byte = self.b.ins().ishl_imm_u(wide, 8 * i64::from(BOOL));
            let head = self.b.ins().bor_imm_u(byte, tag);
            return [head, self.b.ins().iconst(types::I64, 0)];
        }
        let head = self.b.ins().iconst(types::I64, tag);
        match kind {
            RegisterKind::Float => [head, self.bits(types::I64, value)],
            _ => [head, value],
        }
    }

    /// The number of a kind in the two words of its value.
    fn number_of(&mut self, kind: RegisterKind, words: [Value; 2]) -> Value {
        match kind {
            RegisterKind::Bool => {
                let byte = self.b.ins().ushr_imm_u(words[0], 8 * i64::from(BOOL));
                self.b.ins().ireduce(types::I8, byte)
            }
            RegisterKind::Float => self.bits(types::F64, words[1]),
            _ => words[1],
        }
    }

    fn bits(&mut self, to: Type, value: Value) -> Value {
        self.b.ins().bitcast(to, MemFlagsData::new(), value)
    }

    /// The tag in the first word of a value.
    fn tag_in(&mut self, head: Value) -> Value {
        self.b.ins().ireduce(types::I8, head)
    }

    /// Goes to `slow` unless a tag is that of a number, a bool or None.
    fn require_number(&mut self, tag: Value, slow: Block) {
        let is_number = self.is_number(tag);
        let next = self.b.create_block();
        self.b.ins().brif(is_number, next, &[], slow, &[]);
        self.begin(next);
    }

    /// Whether a tag is that of a number, a bool or None.
    fn is_number(&mut self, tag: Value) -> Value {
        let most = i64::from(self.layout.tags.float);
        let condition = IntCC::UnsignedLessThanOrEqual;
        self.b.ins().icmp_imm_u(condition, tag, most)
    }

    /// The two words of a register of anything, or of one that may hold no number.
    fn any_words(&mut self, r: Reg) -> [Value; 2] {
        match self.optional(r) {
            Some((head, word)) => [head, word].map(|v| self.b.use_var(v)),
            None => self.words(r),
        }
    }

    // Reading and writing registers.

    /// The number that a register holds for the whole life of the frame.
    fn preloaded(&self, r: Reg) -> Option<&Constant> {
        let found = self.code.preloaded.iter().find(|p| p.0 == r)?;
        self.code.constants.get(found.1 as usize)
    }

    /// A constant as a number.
    fn number_constant(&mut self, constant: &Constant) -> Option<(RegisterKind, Value)> {
        Some(match constant {
            Constant::Int(i) => (RegisterKind::Int, self.b.ins().iconst(types::I64, *i)),
            Constant::Float(f) => (RegisterKind::Float, self.b.ins().f64const(*f)),
            Constant::Bool(b) => (
                RegisterKind::Bool,
                self.b.ins().iconst(types::I8, i64::from(u8::from(*b))),
            ),
            _ => return None,
        })
    }

    /// The number in a register; for a register of anything, the number of this kind, or the code is left.
    fn number(&mut self, at: usize, r: Reg, wanted: RegisterKind) -> (RegisterKind, Value) {
        if let Some((head, word)) = self.optional(r) {
            let words = [head, word].map(|v| self.b.use_var(v));
            let tag = self.tag_in(words[0]);
            let expected = i64::from(self.tag_of(wanted));
            let is_right = self.b.ins().icmp_imm_u(IntCC::Equal, tag, expected);
            self.require(at, is_right);
            return (wanted, self.number_of(wanted, words));
        }
        if let Some(variable) = self.variables[r as usize] {
            return (self.code.kinds[r as usize], self.b.use_var(variable));
        }
        if let Some(constant) = self.preloaded(r).cloned()
            && let Some(number) = self.number_constant(&constant)
        {
            return number;
        }
        let tag = self.load_tag(r);
        let expected = i64::from(self.tag_of(wanted));
        let is_right = self.b.ins().icmp_imm_u(IntCC::Equal, tag, expected);
        self.require(at, is_right);
        (wanted, self.load_number(r, wanted))
    }

    /// The number in an operand, if it is one; `None` for anything else.
    fn operand_number(&mut self, operand: Operand) -> Option<(RegisterKind, Value)> {
        match operand.source() {
            Source::Constant(k) => {
                let constant = self.code.constants[k as usize].clone();
                self.number_constant(&constant)
            }
            Source::Copy(r) | Source::Move(r) => {
                if self.heads[r as usize].is_some() {
                    return None;
                }
                if let Some(variable) = self.variables[r as usize] {
                    return Some((self.code.kinds[r as usize], self.b.use_var(variable)));
                }
                let constant = self.preloaded(r).cloned()?;
                self.number_constant(&constant)
            }
        }
    }

    /// Writes a number to a register of any kind.
    fn set(&mut self, at: usize, r: Reg, kind: RegisterKind, value: Value) {
        if self.heads[r as usize].is_some() {
            let words = self.words_of(kind, value);
            return self.set_optional(r, words);
        }
        match self.variables[r as usize] {
            Some(variable) if self.code.kinds[r as usize] == kind => {
                self.b.def_var(variable, value);
            }
            // A number where none of this kind was expected: the interpreter's affair.
            Some(_) => self.always_leave(at),
            None => {
                let exit = self.exit(at, None);
                self.require_plain(r, exit);
                self.store_number(r, kind, value);
            }
        }
    }

    /// Writes a register that may hold no number.
    fn set_optional(&mut self, r: Reg, words: [Value; 2]) {
        if let Some((head, word)) = self.optional(r) {
            self.b.def_var(head, words[0]);
            self.b.def_var(word, words[1]);
        }
    }

    fn always_leave(&mut self, at: usize) {
        let exit = self.exit(at, None);
        self.b.ins().jump(exit, &[]);
        // What follows in the same instruction cannot be reached.
        let unreachable = self.b.create_block();
        self.begin(unreachable);
    }

    fn constant(&mut self, at: usize, d: Reg, k: u32) {
        let constant = self.code.constants[k as usize].clone();
        match self.number_constant(&constant) {
            Some((kind, value)) => self.set(at, d, kind, value),
            None if self.heads[d as usize].is_some() => {
                // What is not assigned is not read.
                let is_nothing = matches!(constant, Constant::None | Constant::Uninitialized);
                if !is_nothing {
                    return self.always_leave(at);
                }
                let none = i64::from(self.layout.tags.none);
                let words = [none, 0].map(|w| self.b.ins().iconst(types::I64, w));
                self.set_optional(d, words);
            }
            None => match (self.variables[d as usize], &constant) {
                // Nothing reads the variable before it is assigned.
                (Some(variable), Constant::Uninitialized) => {
                    let kind = self.code.kinds[d as usize];
                    let zero = match kind {
                        RegisterKind::Float => self.b.ins().f64const(0.0),
                        kind => self.b.ins().iconst(type_of(kind), 0),
                    };
                    self.b.def_var(variable, zero);
                }
                (Some(_), _) => self.always_leave(at),
                (None, _) => self.text_constant(at, d, &constant),
            },
        }
    }

    fn copy(&mut self, at: usize, d: Reg, s: Reg) {
        let (to, from) = (self.code.kinds[d as usize], self.code.kinds[s as usize]);
        match (to, from) {
            (RegisterKind::Other, RegisterKind::Other | RegisterKind::Optional) => {
                self.copy_value(at, d, s)
            }
            (RegisterKind::Optional, RegisterKind::Optional) => {
                let words = self.any_words(s);
                self.set_optional(d, words);
            }
            (RegisterKind::Optional, RegisterKind::Other) => {
                let exit = self.exit(at, None);
                let tag = self.held(s).0;
                self.require_number(tag, exit);
                let words = self.words(s);
                self.set_optional(d, words);
            }
            (_, RegisterKind::Other | RegisterKind::Optional) => {
                let (kind, value) = self.number(at, s, to);
                self.set(at, d, kind, value);
            }
            _ => {
                let (kind, value) = self.number(at, s, from);
                self.set(at, d, kind, value);
            }
        }
    }

    /// Copies or moves what may be anything: itself where it is a number or a short string and nothing is dropped.
    fn copy_value(&mut self, at: usize, d: Reg, s: Reg) {
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let in_frame = self.heads[s as usize].is_none() && !self.borrowed.contains_key(&s);
        let other = match in_frame && d != s {
            true => self.b.create_block(),
            false => slow,
        };
        if in_frame {
            self.require_plain(s, other);
        }
        self.require_plain(d, other);
        let words = self.any_words(s);
        self.store_words(d, words);
        if other != slow {
            self.b.ins().jump(next, &[]);
            self.begin(other);
            let goes = matches!(self.code.insns[at], Insn::Move(..));
            let [from, to] = [s, d].map(|r| self.register_address(r));
            self.write_value(goes, from, to, slow);
        }
        self.or_perform(at, slow, next);
    }

    /// Copies, or moves, what may be anything from one address to another; goes to `slow` where the host has to.
    fn write_value(&mut self, goes: bool, from: Value, to: Value, slow: Block) {
        let function = match goes {
            true => run::values::shift as *const () as i64,
            false => run::values::copy as *const () as i64,
        };
        let is_done = self.call_number(function, &[from, to], types::I64);
        let done = self.b.create_block();
        self.b.ins().brif(is_done, done, &[], slow, &[]);
        self.begin(done);
    }

    /// Drops what a register holds; numbers and short strings need nothing done.
    fn drop_value(&mut self, at: usize, r: Reg) {
        if self.variables[r as usize].is_some() {
            return;
        }
        if self.borrowed.contains_key(&r) {
            return self.end(at, &[r], None);
        }
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        self.require_plain(r, slow);
        self.b.ins().jump(next, &[]);
        self.begin(slow);
        let number = self.b.ins().iconst(types::I64, i64::from(r));
        let outcome = self.call_host(run::drop_quickly as *const (), number);
        let heavy = self.b.create_block();
        self.b.ins().brif(outcome, next, &[], heavy, &[]);
        self.begin(heavy);
        self.perform(at);
        self.b.ins().jump(next, &[]);
        self.begin(next);
    }
}
