//! From a verified graph to register code.
//!
//! Blocks are laid out one after the other and joined by jumps. Registers are handed out in order of the text: a value
//! takes one at its definition and gives it back after the last node of its own block that reads it. The results of
//! an `If` and what a `Loop` carries have registers from before the nested block on, and a value that a block returns is
//! computed in that register directly where nothing else needs it by then, so that most joins move nothing.

pub(crate) use prim::class_of;

mod check;
mod control;
mod elements;
mod groups;
mod layers;
mod liveness;
mod moves;
mod prim;
mod registers;
mod scalar;
mod tiles;

use crate::autocast::Casts;
use crate::callee::Callee;
use crate::code::{
    Code, Entries, Insn, MAX_INDEX, NOWHERE, Operand, OperatorCall, Origin, Reg, Source,
    Surroundings,
};
use crate::machine_code::{Compiler, Hot};
pub use check::MAX_NESTING;
use liveness::Liveness;
use registers::{Place, RegisterKind};
use rushlight_ir::{BlockId, Graph, NodeId, NodeKind, Prim, Unit, ValueId};
use rushlight_tensor::Tensor;
use rushlight_types::{Argument, CallStack, Fault, Operator, OperatorTable, Result, Type, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// How graphs are lowered and run.
#[derive(Clone, Copy)]
pub struct Options {
    /// Whether scalar operators become instructions of their own. Without them every operator runs its kernel: the
    /// plain interpreter, which the rest is tested against.
    pub scalars: bool,
    /// The table of operators: for suggestions when an unknown one is reached, and for those on floats that complex numbers
    /// are computed by.
    pub operators: Option<&'static OperatorTable>,
    /// The table of operators by which convolutions are found with what follows them, to be done at once; without it they
    /// are not.
    pub layers: Option<&'static OperatorTable>,
    /// The table of operators where numbers of traces, which are tensors there, become numbers for those that take them:
    /// gradients say so.
    pub numbers: Option<&'static OperatorTable>,
    /// The operator that gives a tensor another dtype, for autocasting; without it nothing is cast.
    pub cast: Option<&'static Operator>,
    /// How many threads run forked tasks. With none, which is the default, a fork runs where it is written, and what a
    /// program does is the same every time. More serve only contexts made by [`rushlight_types::Context::shared`].
    pub inter_op_threads: usize,
    /// Makes machine code of functions that are hot; without it everything is interpreted.
    pub compiler: Option<&'static dyn Compiler>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            scalars: true,
            operators: None,
            layers: None,
            numbers: None,
            cast: None,
            inter_op_threads: 0,
            compiler: None,
        }
    }
}

/// Lowers a graph. Methods of classes are looked for in `unit`.
pub fn lower(
    name: &str,
    graph: &Graph,
    unit: Option<&Arc<Unit>>,
    options: &Options,
) -> Result<Code> {
    check::check(graph)?;
    let mut lowerer = Lowerer::new(graph, unit, options, name);
    lowerer.top()?;
    lowerer.finish()
}

struct Lowerer<'g> {
    graph: &'g Graph,
    unit: Option<&'g Arc<Unit>>,
    options: &'g Options,
    live: Liveness,
    code: Code,
    /// The register of each value.
    registers: Vec<Reg>,
    /// The register that a join would like each value to be computed in.
    wanted: Vec<Reg>,
    places: Vec<Place>,
    /// Unused registers, per kind.
    free: [Vec<Reg>; 5],
    /// Registers to give back after the present node.
    temporary: Vec<Reg>,
    /// Those of them that hold a constant which must be dropped.
    loaded: Vec<Reg>,
    /// Whether the registers of inputs that die at the present node have been given back.
    released: bool,
    constants: HashMap<ValueId, u32>,
    /// Registers of numbers that are put there when a frame is made, by kind and bits.
    preloaded: HashMap<(RegisterKind, u64), Reg>,
    loops: usize,
    /// The longest window of an operator call.
    window: u32,
    /// The origin of the instructions emitted now.
    origin: u32,
    /// Whether a value is used that has not been defined.
    is_broken: bool,
}

impl<'g> Lowerer<'g> {
    fn new(
        graph: &'g Graph,
        unit: Option<&'g Arc<Unit>>,
        options: &'g Options,
        name: &str,
    ) -> Lowerer<'g> {
        Lowerer {
            graph,
            unit,
            options,
            live: liveness::analyse(graph),
            code: Code {
                name: name.into(),
                unit: unit.map(Arc::downgrade).unwrap_or_default(),
                insns: Vec::new(),
                parameters: graph.inputs().len() as u32,
                registers: 0,
                frame: 0,
                kinds: Vec::new(),
                preloaded: Vec::new(),
                constants: Vec::new(),
                operands: Vec::new(),
                targets: Vec::new(),
                operators: Vec::new(),
                calls: Vec::new(),
                extended: Vec::new(),
                groups: Vec::new(),
                failures: Vec::new(),
                origins: Vec::new(),
                stretches: Vec::new(),
                hot: Hot::new(0),
            },
            registers: vec![NOWHERE; graph.value_limit()],
            wanted: vec![NOWHERE; graph.value_limit()],
            places: Vec::new(),
            free: Default::default(),
            temporary: Vec::new(),
            loaded: Vec::new(),
            released: false,
            constants: HashMap::new(),
            preloaded: HashMap::new(),
            loops: 0,
            window: 0,
            origin: u32::MAX,
            is_broken: false,
        }
    }

    fn top(&mut self) -> Result<()> {
        let top = self.graph.top();
        for &param in self.graph.inputs() {
            let register = self.new_register(self.kind(param));
            self.registers[index(param)] = register;
        }
        self.set_origin(self.graph.return_node(top));
        self.drop_all(self.live.dropped_at_entry(top).to_vec());
        self.release(self.graph.param_node(top));
        self.nodes(top)?;
        self.set_origin(self.graph.return_node(top));
        let ret = self.graph.return_node(top);
        let result = match self.graph.outputs() {
            [] => self.constant_operand(Value::None),
            [_] => self.operand(ret, 0),
            several => {
                let items = (0..several.len()).map(|i| self.operand(ret, i)).collect();
                let target = self.new_register(RegisterKind::Other);
                self.tuple(items, None, target);
                Operand::new(Source::Move(target))
            }
        };
        self.emit(Insn::Return(result));
        Ok(())
    }

    fn finish(mut self) -> Result<Code> {
        if self.is_broken {
            return Err(Fault::runtime("a graph uses a value before its definition"));
        }
        let registers = self.places.len() as u32;
        let too_large = [
            registers,
            self.code.constants.len() as u32,
            self.code.insns.len() as u32,
            self.window,
        ]
        .into_iter()
        .any(|n| n > MAX_INDEX);
        if too_large {
            return Err(Fault::runtime("a function is too large to run"));
        }
        self.code.registers = registers;
        self.code.kinds = self.places.iter().map(|p| p.kind).collect();
        self.code.frame = registers + self.window;
        if self.options.scalars {
            if let Some(table) = self.options.layers {
                layers::group(&mut self.code, table);
            }
            elements::group(&mut self.code);
            tiles::group(&mut self.code);
        }
        self.code.hot = Hot::new(self.code.insns.len());
        Ok(self.code)
    }

    // Constants.

    fn is_constant(&self, value: ValueId) -> bool {
        let node = self.graph.node(self.graph.value(value).node());
        node.is(Prim::Constant) || node.is(Prim::Uninitialized)
    }

    fn constant(&mut self, value: ValueId) -> u32 {
        if let Some(&known) = self.constants.get(&value) {
            return known;
        }
        let data = prim::constant_value(self.graph, value);
        let number = self.add_constant(data);
        self.constants.insert(value, number);
        number
    }

    fn add_constant(&mut self, value: Value) -> u32 {
        self.code.constants.push(value);
        self.code.constants.len() as u32 - 1
    }

    fn constant_operand(&mut self, value: Value) -> Operand {
        let number = self.add_constant(value);
        Operand::new(Source::Constant(number))
    }

    // Reading values.

    /// The register of a value that is not a constant.
    fn defined(&mut self, value: ValueId) -> Reg {
        let register = self.registers[index(value)];
        if register == NOWHERE {
            self.is_broken = true;
            return 0;
        }
        register
    }

    /// Input `i` of a node as an operand.
    fn operand(&mut self, node: NodeId, i: usize) -> Operand {
        let value = self.graph.node(node).inputs()[i];
        let source = if self.is_constant(value) {
            Source::Constant(self.constant(value))
        } else if self.live.is_last(node, i) && !self.is_plain(value) {
            Source::Move(self.defined(value))
        } else {
            Source::Copy(self.defined(value))
        };
        Operand::new(source)
    }

    /// Input `i` of a node in a register, for instructions that read registers only.
    fn register(&mut self, node: NodeId, i: usize) -> Reg {
        let value = self.graph.node(node).inputs()[i];
        if !self.is_constant(value) {
            return self.defined(value);
        }
        let constant = self.constant(value);
        if self.loops > 0 && self.is_plain(value) {
            return self.preloaded_register(constant);
        }
        let register = self.allocate(self.kind(value));
        self.emit(Insn::Constant(register, constant));
        self.temporary.push(register);
        if !self.is_plain(value) {
            self.loaded.push(register);
        }
        register
    }

    /// A register that holds a plain constant for the whole life of the frame; one for each number.
    fn preloaded_register(&mut self, constant: u32) -> Reg {
        let number = &self.code.constants[constant as usize];
        let key = match number {
            Value::Int(i) => (RegisterKind::Int, *i as u64),
            Value::Float(f) => (RegisterKind::Float, f.to_bits()),
            Value::Bool(b) => (RegisterKind::Bool, u64::from(*b)),
            _ => (RegisterKind::Other, 0),
        };
        if let Some(&known) = self.preloaded.get(&key) {
            return known;
        }
        let register = self.new_register(key.0);
        self.code.preloaded.push((register, constant));
        self.preloaded.insert(key, register);
        register
    }

    /// Whether registers that hold the value need no dropping.
    fn is_plain(&self, value: ValueId) -> bool {
        self.kind(value) != RegisterKind::Other || *self.graph.ty(value) == Type::None
    }

    fn drop_all(&mut self, values: Vec<ValueId>) {
        for value in values {
            let register = self.registers[index(value)];
            if register != NOWHERE && !self.is_plain(value) {
                self.emit(Insn::Drop(register));
            }
        }
    }

    /// Drops the inputs that an instruction has read for the last time, unless the result has taken their place.
    fn drop_read_inputs(&mut self, node: NodeId, target: Reg) {
        for (i, &value) in self.graph.node(node).inputs().iter().enumerate() {
            let register = self.registers[index(value)];
            let dies = self.live.is_last(node, i) && !self.is_plain(value);
            if dies && register != NOWHERE && register != target {
                self.emit(Insn::Drop(register));
            }
        }
        for register in std::mem::take(&mut self.loaded) {
            self.emit(Insn::Drop(register));
        }
    }

    // Emitting.

    fn emit(&mut self, insn: Insn) {
        let at = self.code.insns.len() as u32;
        if self
            .code
            .stretches
            .last()
            .is_none_or(|s| s.1 != self.origin)
        {
            self.code.stretches.push((at, self.origin));
        }
        self.code.insns.push(insn);
    }

    fn here(&self) -> u32 {
        self.code.insns.len() as u32
    }

    /// Points a jump that was emitted earlier to the next instruction.
    fn land(&mut self, jump: u32) {
        let here = self.here();
        match Code::jump_target_mut(&mut self.code.insns[jump as usize]) {
            Some(to) => *to = here,
            None => unreachable!("instruction {jump} does not jump"),
        }
    }

    /// What stands around a node outermost: a branch or loop, with results or without.
    fn surroundings(&self, id: NodeId) -> Surroundings {
        let owner = |id: NodeId| {
            let block = self.graph.node(id).block()?;
            self.graph.block(block).owner()
        };
        let mut out = Surroundings::None;
        let mut at = owner(id);
        while let Some(around) = at {
            out = match self.graph.node(around).outputs().is_empty() {
                true => Surroundings::WithoutResults,
                false => Surroundings::WithResults,
            };
            at = owner(around);
        }
        let is_alone = self.graph.node(id).outputs().is_empty();
        match out {
            Surroundings::None if is_alone => Surroundings::WithoutResults,
            out => out,
        }
    }

    fn set_origin(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        self.code.origins.push(Origin {
            span: node.span.clone(),
            call_site: node.call_site.clone(),
            operator: node.operator(),
            surroundings: self.surroundings(id),
        });
        self.origin = self.code.origins.len() as u32 - 1;
    }

    fn operands(&mut self, operands: Vec<Operand>) -> Entries {
        let start = self.code.operands.len() as u32;
        self.code.operands.extend(operands);
        Entries {
            start,
            len: self.code.operands.len() as u32 - start,
        }
    }

    fn inputs(&mut self, node: NodeId, from: usize) -> Entries {
        let count = self.graph.node(node).inputs().len();
        let operands = (from..count).map(|i| self.operand(node, i)).collect();
        self.operands(operands)
    }

    /// Gives every output its register; for nodes that run no nested block.
    fn outputs(&mut self, node: NodeId) -> Entries {
        self.release_inputs(node);
        let start = self.code.targets.len() as u32;
        for &output in self.graph.node(node).outputs() {
            let register = if self.graph.value(output).uses().is_empty() {
                NOWHERE
            } else {
                self.define(output)
            };
            self.code.targets.push(register);
        }
        Entries {
            start,
            len: self.code.targets.len() as u32 - start,
        }
    }

    /// The register of the only output.
    fn target(&mut self, node: NodeId) -> Reg {
        self.release_inputs(node);
        self.define(self.graph.node(node).outputs()[0])
    }

    // Nodes.

    fn nodes(&mut self, block: BlockId) -> Result<()> {
        for node in self.graph.nodes(block) {
            self.node(node)?;
        }
        Ok(())
    }

    fn node(&mut self, id: NodeId) -> Result<()> {
        match self.graph.node(id).kind {
            NodeKind::Prim(Prim::Constant | Prim::Uninitialized) => return Ok(()),
            NodeKind::Prim(Prim::If) => {
                self.set_origin(id);
                return self.branch(id);
            }
            NodeKind::Prim(Prim::Loop) => {
                self.set_origin(id);
                return self.repeat(id);
            }
            _ => self.set_origin(id),
        }
        self.released = false;
        match self.graph.node(id).kind {
            NodeKind::Op(operator) => self.operator(id, operator),
            NodeKind::Prim(prim) => self.prim(id, prim)?,
            NodeKind::Unknown(name) => self.unknown(id, name.as_str()),
        }
        self.after_simple(id);
        Ok(())
    }

    fn operator(&mut self, id: NodeId, operator: &'static Operator) {
        let op = operator.scalar.filter(|_| self.options.scalars);
        match op.and_then(scalar::shape_of) {
            Some(shape) => self.scalar(id, shape),
            None => match operator.call_stack {
                Some(CallStack::Waits) => self.wait(id),
                Some(CallStack::Raises) => self.raise(id),
                Some(CallStack::Warns) => self.warn(id),
                None => self.operator_call(id, operator),
            },
        }
    }

    fn operator_call(&mut self, id: NodeId, operator: &'static Operator) {
        let arguments = match self.number_operand(id, operator) {
            Some(number) => {
                let number = self.constant_operand(Value::Tensor(number));
                let count = self.graph.node(id).inputs().len();
                let operands = (0..count)
                    .map(|i| if i == 1 { number } else { self.operand(id, i) })
                    .collect();
                self.operands(operands)
            }
            None => self.inputs(id, 0),
        };
        let results = self.outputs(id);
        let slots = arguments.len.max(results.len).max(1);
        self.window = self.window.max(slots);
        self.code.operators.push(OperatorCall {
            operator,
            arguments,
            results,
            slots,
            casts: Casts::of(operator, self.options.cast),
        });
        self.emit(Insn::Operator(self.code.operators.len() as u32 - 1));
    }

    /// The second operand as a number, where it is a constant without dimensions and the operator is one of those that
    /// the reference's executor gives the number itself: it leaves the dtype of the first as it is, as a number that a
    /// program writes does. So archived traces, which hold those as tensors, keep dtypes.
    fn number_operand(&self, id: NodeId, operator: &'static Operator) -> Option<Tensor> {
        let arguments = &operator.schema().arguments;
        if !operator.wraps_numbers || arguments.iter().any(Argument::is_written) {
            return None;
        }
        let inputs = self.graph.node(id).inputs();
        let factor_is_known = inputs.get(2).is_none_or(|f| self.is_constant(*f));
        let other = inputs.get(1).filter(|o| self.is_constant(**o))?;
        let Value::Tensor(constant) = prim::constant_value(self.graph, *other) else {
            return None;
        };
        if constant.rank() > 0 || !factor_is_known {
            return None;
        }
        let number = constant.alias();
        number.set_wrapped_number(true);
        Some(number)
    }

    fn load(&mut self, target: Reg, operand: Operand) {
        self.emit(match operand.source() {
            Source::Copy(from) => Insn::Copy(target, from),
            Source::Move(from) => Insn::Move(target, from),
            Source::Constant(number) => Insn::Constant(target, number),
        });
    }
}

fn index(value: ValueId) -> usize {
    value.as_u32() as usize
}

/// What a call of a function constant calls.
fn callee_of(graph: &Graph, value: ValueId) -> Option<Callee> {
    match graph.ty(value) {
        Type::Function(function) => Some(Callee::of(&function.callee)),
        _ => None,
    }
}

/// The name under which backtraces show a function.
pub(crate) fn shown_name(qualified: &str) -> Arc<str> {
    qualified.rsplit('.').next().unwrap_or(qualified).into()
}
