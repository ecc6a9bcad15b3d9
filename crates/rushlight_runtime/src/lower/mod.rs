//! From a verified graph to register code.
//!
//! Blocks are laid out one after the other and joined by jumps. Registers are handed out in order of the text: a value
//! takes one at its definition and gives it back after the last node of its own block that reads it. The results of
//! an `If` and what a `Loop` carries have registers from before the nested block on, and a value that a block returns is
//! computed in that register directly where nothing else needs it by then, so that most joins move nothing.

pub(crate) use prim::class_of;

mod liveness;
mod moves;
mod prim;
mod scalar;

use crate::callee::Callee;
use crate::code::{
    Code, Insn, MAX_INDEX, NOWHERE, Operand, OperatorCall, Origin, Reg, Run, Source,
};
use liveness::Liveness;
use rushlight_ir::{BlockId, Graph, NodeId, NodeKind, Prim, Unit, ValueId};
use rushlight_types::{Fault, Operator, OperatorTable, Result, Type, Value};
use scalar::Shape;
use std::collections::HashMap;
use std::sync::Arc;

/// How graphs are lowered and run.
#[derive(Clone, Copy)]
pub struct Options {
    /// Whether scalar operators become instructions of their own. Without them every operator runs its kernel: the
    /// plain interpreter, which the rest is tested against.
    pub scalars: bool,
    /// The table of operators, for suggestions when an unknown one is reached.
    pub operators: Option<&'static OperatorTable>,
    /// How many threads run forked tasks. With none, which is the default, a fork runs where it is written, and what a
    /// program does is the same every time. More serve only contexts made by [`rushlight_types::Context::shared`].
    pub inter_op_threads: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            scalars: true,
            operators: None,
            inter_op_threads: 0,
        }
    }
}

/// Blocks nested deeper than this are refused: nested blocks are walked by recursion.
pub const MAX_NESTING: usize = 400;

/// Lowers a graph. Methods of classes are looked for in `unit`.
pub fn lower(
    name: &str,
    graph: &Graph,
    unit: Option<&Arc<Unit>>,
    options: &Options,
) -> Result<Code> {
    check_nesting(graph)?;
    let mut lowerer = Lowerer::new(graph, unit, options, name);
    lowerer.top()?;
    lowerer.finish()
}

fn check_nesting(graph: &Graph) -> Result<()> {
    let mut pending = vec![(graph.top(), 0)];
    while let Some((block, depth)) = pending.pop() {
        if depth > MAX_NESTING {
            return Err(Fault::runtime(format!(
                "a graph nests blocks more than {MAX_NESTING} deep"
            )));
        }
        for node in graph.nodes(block) {
            pending.extend(graph.node(node).blocks().iter().map(|b| (*b, depth + 1)));
        }
    }
    Ok(())
}

/// What a register holds. Registers are reused for values of the same kind only, so that writing a number over a
/// number need not look for something to drop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int,
    Float,
    Bool,
    Other,
}

/// What a register may be used for.
#[derive(Clone, Copy)]
struct Place {
    kind: Kind,
    /// Belongs to a join: only what the join asks for may take it.
    reserved: bool,
    /// A reserved register that holds nothing at this point.
    vacant: bool,
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
    free: [Vec<Reg>; 4],
    /// Registers to give back after the present node.
    temporary: Vec<Reg>,
    /// Those of them that hold a constant which must be dropped.
    loaded: Vec<Reg>,
    /// Whether the registers of inputs that die at the present node have been given back.
    released: bool,
    constants: HashMap<ValueId, u32>,
    preloaded: HashMap<ValueId, Reg>,
    loops: usize,
    /// The longest window of an operator call.
    window: u32,
    /// The origin of the instructions emitted now.
    origin: u32,
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
                preloaded: Vec::new(),
                constants: Vec::new(),
                operands: Vec::new(),
                targets: Vec::new(),
                operators: Vec::new(),
                calls: Vec::new(),
                others: Vec::new(),
                failures: Vec::new(),
                origins: Vec::new(),
                stretches: Vec::new(),
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
                let target = self.new_register(Kind::Other);
                self.tuple(items, None, target);
                Operand::new(Source::Move(target))
            }
        };
        self.emit(Insn::Return(result));
        Ok(())
    }

    fn finish(mut self) -> Result<Code> {
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
        self.code.frame = registers + self.window;
        Ok(self.code)
    }

    // Registers.

    fn new_register(&mut self, kind: Kind) -> Reg {
        self.places.push(Place {
            kind,
            reserved: false,
            vacant: false,
        });
        self.places.len() as Reg - 1
    }

    fn allocate(&mut self, kind: Kind) -> Reg {
        let unused = self.free[kind as usize].pop();
        unused.unwrap_or_else(|| self.new_register(kind))
    }

    fn kind(&self, value: ValueId) -> Kind {
        match self.graph.ty(value) {
            Type::Int | Type::ScalarType | Type::Layout | Type::MemoryFormat | Type::SymInt => {
                Kind::Int
            }
            Type::Float | Type::SymFloat => Kind::Float,
            Type::Bool | Type::SymBool => Kind::Bool,
            _ => Kind::Other,
        }
    }

    fn give_back(&mut self, register: Reg) {
        let place = &mut self.places[register as usize];
        if place.reserved {
            place.vacant = true;
        } else {
            let kind = place.kind;
            self.free[kind as usize].push(register);
        }
    }

    /// Gives a value its register: the one that a join wants it in if that is free, else any.
    fn define(&mut self, value: ValueId) -> Reg {
        let wanted = self.wanted[index(value)];
        let register = match self.places.get(wanted as usize) {
            Some(place) if place.vacant => {
                self.places[wanted as usize].vacant = false;
                wanted
            }
            _ => self.allocate(self.kind(value)),
        };
        self.registers[index(value)] = register;
        register
    }

    /// Frees the registers of values that nothing after this node of their block reads.
    fn release(&mut self, node: NodeId) {
        for i in 0..self.live.released_after(node).len() {
            let value = self.live.released_after(node)[i];
            let register = self.registers[index(value)];
            if register != NOWHERE {
                self.give_back(register);
            }
        }
    }

    /// Makes a register belong to a join while its blocks are lowered; returns what it was before.
    fn reserve(&mut self, register: Reg, vacant: bool) -> Place {
        let place = &mut self.places[register as usize];
        std::mem::replace(
            place,
            Place {
                reserved: true,
                vacant,
                kind: place.kind,
            },
        )
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

    /// Input `i` of a node as an operand.
    fn operand(&mut self, node: NodeId, i: usize) -> Operand {
        let value = self.graph.node(node).inputs()[i];
        let source = if self.is_constant(value) {
            Source::Constant(self.constant(value))
        } else if self.live.is_last(node, i) && !self.is_plain(value) {
            Source::Move(self.registers[index(value)])
        } else {
            Source::Copy(self.registers[index(value)])
        };
        Operand::new(source)
    }

    /// Input `i` of a node in a register, for instructions that read registers only.
    fn register(&mut self, node: NodeId, i: usize) -> Reg {
        let value = self.graph.node(node).inputs()[i];
        if !self.is_constant(value) {
            return self.registers[index(value)];
        }
        let constant = self.constant(value);
        if self.loops > 0 && self.is_plain(value) {
            return self.preloaded_register(value, constant);
        }
        let register = self.allocate(self.kind(value));
        self.emit(Insn::Constant(register, constant));
        self.temporary.push(register);
        if !self.is_plain(value) {
            self.loaded.push(register);
        }
        register
    }

    /// A register that holds a constant for the whole life of the frame.
    fn preloaded_register(&mut self, value: ValueId, constant: u32) -> Reg {
        if let Some(&known) = self.preloaded.get(&value) {
            return known;
        }
        let register = self.new_register(self.kind(value));
        self.code.preloaded.push((register, constant));
        self.preloaded.insert(value, register);
        register
    }

    /// Whether registers that hold the value need no dropping.
    fn is_plain(&self, value: ValueId) -> bool {
        self.kind(value) != Kind::Other || *self.graph.ty(value) == Type::None
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
        match &mut self.code.insns[jump as usize] {
            Insn::Jump(to)
            | Insn::JumpUnless(_, to)
            | Insn::UnlessLtInt(_, _, to)
            | Insn::UnlessLeInt(_, _, to)
            | Insn::UnlessGtInt(_, _, to)
            | Insn::UnlessGeInt(_, _, to)
            | Insn::UnlessEqInt(_, _, to)
            | Insn::UnlessNeInt(_, _, to)
            | Insn::LoopStart(_, _, to) => *to = here,
            other => unreachable!("{other:?} does not jump"),
        }
    }

    fn set_origin(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        self.code.origins.push(Origin {
            span: node.span.clone(),
            call_site: node.call_site.clone(),
            operator: node.operator(),
        });
        self.origin = self.code.origins.len() as u32 - 1;
    }

    fn operands(&mut self, operands: Vec<Operand>) -> Run {
        let start = self.code.operands.len() as u32;
        self.code.operands.extend(operands);
        Run {
            start,
            len: self.code.operands.len() as u32 - start,
        }
    }

    fn inputs(&mut self, node: NodeId, from: usize) -> Run {
        let count = self.graph.node(node).inputs().len();
        let operands = (from..count).map(|i| self.operand(node, i)).collect();
        self.operands(operands)
    }

    /// Gives every output its register; for nodes that run no nested block.
    fn outputs(&mut self, node: NodeId) -> Run {
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
        Run {
            start,
            len: self.code.targets.len() as u32 - start,
        }
    }

    /// The register of the only output.
    fn target(&mut self, node: NodeId) -> Reg {
        self.release_inputs(node);
        self.define(self.graph.node(node).outputs()[0])
    }

    /// Frees the registers of inputs that die here, so that the outputs may take them.
    fn release_inputs(&mut self, node: NodeId) {
        if std::mem::replace(&mut self.released, true) {
            return;
        }
        for i in 0..self.live.released_after(node).len() {
            let value = self.live.released_after(node)[i];
            let register = self.registers[index(value)];
            if register != NOWHERE && self.graph.value(value).node() != node {
                self.give_back(register);
            }
        }
    }

    /// Frees what a node without nested blocks defined for nobody, and drops it.
    fn after_simple(&mut self, node: NodeId) {
        self.release_inputs(node);
        for &output in self.graph.node(node).outputs() {
            let register = self.registers[index(output)];
            if register != NOWHERE && self.graph.value(output).uses().is_empty() {
                if !self.is_plain(output) {
                    self.emit(Insn::Drop(register));
                }
                self.give_back(register);
            }
        }
        for register in std::mem::take(&mut self.temporary) {
            self.give_back(register);
        }
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
        let shape = self
            .options
            .scalars
            .then(|| scalar::find(operator))
            .flatten();
        match shape {
            Some(shape) => self.scalar(id, shape),
            // These two have to do with the script call stack, which kernels know nothing of.
            None if operator.full_name() == "aten::wait" => self.wait(id),
            None if operator.full_name() == "prim::RaiseException" => self.raise(id),
            None => self.operator_call(id, operator),
        }
    }

    fn operator_call(&mut self, id: NodeId, operator: &'static Operator) {
        let arguments = self.inputs(id, 0);
        let results = self.outputs(id);
        let slots = arguments.len.max(results.len).max(1);
        self.window = self.window.max(slots);
        self.code.operators.push(OperatorCall {
            operator,
            arguments,
            results,
            slots,
        });
        self.emit(Insn::Operator(self.code.operators.len() as u32 - 1));
    }

    fn scalar(&mut self, id: NodeId, shape: Shape) {
        match shape {
            Shape::Unary(make) => {
                let a = self.register(id, 0);
                let target = self.target(id);
                self.emit(make(target, a));
                self.drop_read_inputs(id, target);
            }
            Shape::Binary(make) => {
                let (a, b) = (self.register(id, 0), self.register(id, 1));
                let target = self.target(id);
                self.emit(make(target, a, b));
                self.drop_read_inputs(id, target);
            }
            Shape::DeriveIndex => {
                let (i, start, step) = (
                    self.register(id, 0),
                    self.register(id, 1),
                    self.register(id, 2),
                );
                let product = self.allocate(Kind::Int);
                self.emit(Insn::MulInt(product, i, step));
                self.temporary.push(product);
                let target = self.target(id);
                self.emit(Insn::AddInt(target, start, product));
            }
            Shape::Append => {
                let (list, element) = (self.register(id, 0), self.operand(id, 1));
                self.emit(Insn::ListAppend(list, element));
                self.list_result(id, list);
            }
            Shape::Store => {
                let (list, at) = (self.register(id, 0), self.register(id, 1));
                let element = self.operand(id, 2);
                self.emit(Insn::ListSet(list, at, element));
                self.list_result(id, list);
            }
        }
    }

    /// The result of an operator that returns its first argument, a list.
    fn list_result(&mut self, id: NodeId, list: Reg) {
        let is_loaded = self.temporary.contains(&list);
        self.loaded.clear();
        let dies = self.live.is_last(id, 0) || is_loaded;
        let output = self.graph.node(id).outputs()[0];
        if self.graph.value(output).uses().is_empty() {
            if dies {
                self.emit(Insn::Drop(list));
            }
            return;
        }
        let target = self.target(id);
        if target != list {
            self.emit(if dies {
                Insn::Move(target, list)
            } else {
                Insn::Copy(target, list)
            });
        }
    }

    // Control flow.

    fn branch(&mut self, id: NodeId) -> Result<()> {
        let node = self.graph.node(id);
        let (then, otherwise) = (node.blocks()[0], node.blocks()[1]);
        let targets: Vec<Reg> = node.outputs().iter().map(|o| self.define(*o)).collect();
        let jump = self.jump_unless(id);
        let before = self.reserve_all(&targets, true);
        self.arm(then, &targets)?;
        let has_else =
            !targets.is_empty() || !self.graph.nodes(otherwise).is_empty() || self.drops(otherwise);
        if has_else {
            self.set_origin(id);
            let over = self.here();
            self.emit(Insn::Jump(0));
            self.land(jump);
            for &target in &targets {
                self.places[target as usize].vacant = true;
            }
            self.arm(otherwise, &targets)?;
            self.land(over);
        } else {
            self.land(jump);
        }
        self.restore_all(&targets, before);
        self.set_origin(id);
        self.drop_all(self.live.dropped_after(id).to_vec());
        self.release(id);
        Ok(())
    }

    fn drops(&self, block: BlockId) -> bool {
        let is_dropped = |v: &ValueId| !self.is_plain(*v) && !self.is_constant(*v);
        self.live.dropped_at_entry(block).iter().any(is_dropped)
    }

    /// The jump to the second block. A comparison of ints just before it that serves nothing else becomes part of it.
    fn jump_unless(&mut self, id: NodeId) -> u32 {
        let condition = self.graph.node(id).inputs()[0];
        let value = self.graph.value(condition);
        let is_fresh = value.uses().len() == 1 && self.graph.prev(id) == Some(value.node());
        let fused = self
            .code
            .insns
            .last()
            .and_then(|i| scalar::fused_jump(*i))
            .filter(|f| is_fresh && f.0 == self.registers[index(condition)]);
        if let Some((_, a, b, make)) = fused {
            self.code.insns.pop();
            let here = self.here();
            while self.code.stretches.last().is_some_and(|s| s.0 >= here) {
                self.code.stretches.pop();
            }
            self.emit(make(a, b, 0));
        } else {
            let condition = self.register(id, 0);
            self.emit(Insn::JumpUnless(condition, 0));
            for register in std::mem::take(&mut self.temporary) {
                self.give_back(register);
            }
        }
        self.here() - 1
    }

    fn arm(&mut self, block: BlockId, targets: &[Reg]) -> Result<()> {
        let ret = self.graph.return_node(block);
        self.want(block, 0, targets);
        self.drop_all(self.live.dropped_at_entry(block).to_vec());
        self.release(self.graph.param_node(block));
        self.nodes(block)?;
        self.set_origin(ret);
        let moves = (0..targets.len())
            .map(|i| (targets[i], self.operand(ret, i)))
            .collect();
        self.parallel_moves(moves);
        self.release(ret);
        Ok(())
    }

    /// Asks for what a block computes and returns (from result `skip` on) to be computed in place.
    fn want(&mut self, block: BlockId, skip: usize, targets: &[Reg]) {
        let param = self.graph.param_node(block);
        for (&result, &target) in self.graph.returns(block)[skip..].iter().zip(targets) {
            let definition = self.graph.value(result).node();
            let is_own = definition != param && self.graph.node(definition).block() == Some(block);
            if is_own && !self.is_constant(result) && self.wanted[index(result)] == NOWHERE {
                self.wanted[index(result)] = target;
            }
        }
    }

    fn reserve_all(&mut self, registers: &[Reg], vacant: bool) -> Vec<Place> {
        registers.iter().map(|r| self.reserve(*r, vacant)).collect()
    }

    fn restore_all(&mut self, registers: &[Reg], before: Vec<Place>) {
        for (&register, place) in registers.iter().zip(before) {
            self.places[register as usize] = Place {
                vacant: false,
                ..place
            };
        }
    }

    fn repeat(&mut self, id: NodeId) -> Result<()> {
        let node = self.graph.node(id);
        let body = node.blocks()[0];
        let outputs = node.outputs().to_vec();
        let carried: Vec<Reg> = outputs.iter().map(|o| self.define(*o)).collect();
        let (trips, counter) = (self.allocate(Kind::Int), self.allocate(Kind::Int));
        let is_while = self.is_unbounded(id);
        if !is_while {
            let trip = self.operand(id, 0);
            self.load(trips, trip);
        }
        let start = (2..2 + carried.len())
            .map(|i| (carried[i - 2], self.operand(id, i)))
            .collect();
        self.parallel_moves(start);
        let mut exits = Vec::new();
        if self.constant_condition(node.inputs()[1]) != Some(true) {
            let condition = self.register(id, 1);
            exits.push(self.here());
            self.emit(Insn::JumpUnless(condition, 0));
            for register in std::mem::take(&mut self.temporary) {
                self.give_back(register);
            }
        }
        if !is_while
            || !self
                .graph
                .value(self.graph.params(body)[0])
                .uses()
                .is_empty()
        {
            if is_while {
                let trip = self.operand(id, 0);
                self.load(trips, trip);
            }
            exits.push(self.here());
            self.emit(Insn::LoopStart(counter, trips, 0));
        }
        self.loops += 1;
        let exit = self.body(id, body, &carried, counter, trips)?;
        self.loops -= 1;
        exits.extend(exit);
        for exit in exits {
            self.land(exit);
        }
        self.give_back(trips);
        self.give_back(counter);
        self.drop_all(self.live.dropped_after(id).to_vec());
        self.release(id);
        Ok(())
    }

    /// The body of a loop and the jump back to its start. Returns the jump that leaves the loop early, if there is one.
    fn body(
        &mut self,
        id: NodeId,
        body: BlockId,
        carried: &[Reg],
        counter: Reg,
        trips: Reg,
    ) -> Result<Option<u32>> {
        let ret = self.graph.return_node(body);
        let top = self.here();
        let before = self.reserve_all(carried, false);
        let counter_before = self.reserve(counter, false);
        let params = self.graph.params(body).to_vec();
        self.registers[index(params[0])] = counter;
        for (&param, &register) in params[1..].iter().zip(carried) {
            self.registers[index(param)] = register;
        }
        self.want(body, 1, carried);
        self.drop_all(self.live.dropped_at_entry(body).to_vec());
        self.release(self.graph.param_node(body));
        self.nodes(body)?;
        self.set_origin(id);
        let moves = (0..carried.len())
            .map(|i| (carried[i], self.operand(ret, i + 1)))
            .collect();
        let condition = self.graph.returns(body)[0];
        let always = self.constant_condition(condition) == Some(true);
        // The moves must not overwrite the condition: it is never in a register that the loop carries, unless it is
        // itself carried.
        let condition = if always {
            NOWHERE
        } else {
            self.kept_condition(ret, carried)
        };
        self.parallel_moves(moves);
        let is_while = self.is_unbounded(id) && self.graph.value(params[0]).uses().is_empty();
        let mut exit = None;
        if is_while && always {
            let always_true = self.preload(Value::Bool(true));
            self.emit(Insn::LoopWhile(always_true, top));
        } else if is_while {
            self.emit(Insn::LoopWhile(condition, top));
        } else {
            if !always {
                exit = Some(self.here());
                self.emit(Insn::JumpUnless(condition, 0));
            }
            self.emit(Insn::LoopStep(counter, trips, top));
        }
        for register in std::mem::take(&mut self.temporary) {
            self.give_back(register);
        }
        self.release(ret);
        self.restore_all(carried, before);
        self.places[counter as usize] = counter_before;
        Ok(exit)
    }

    fn preload(&mut self, value: Value) -> Reg {
        let constant = self.add_constant(value);
        let register = self.new_register(Kind::Bool);
        self.code.preloaded.push((register, constant));
        register
    }

    /// The condition of the next iteration, in a register that the moves of carried values leave alone.
    fn kept_condition(&mut self, ret: NodeId, carried: &[Reg]) -> Reg {
        let register = self.register(ret, 0);
        if !carried.contains(&register) {
            return register;
        }
        let copy = self.allocate(Kind::Bool);
        self.emit(Insn::Copy(copy, register));
        self.temporary.push(copy);
        copy
    }

    fn constant_condition(&self, value: ValueId) -> Option<bool> {
        match self.graph.constant(value) {
            Some(Value::Bool(b)) => Some(b),
            _ => None,
        }
    }

    /// Whether only the condition ends a loop.
    fn is_unbounded(&self, id: NodeId) -> bool {
        let trips = self.graph.node(id).inputs()[0];
        matches!(self.graph.constant(trips), Some(Value::Int(i64::MAX)))
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
