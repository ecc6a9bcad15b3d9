//! Finds runs of instructions that work with single elements of tensors, and puts a group before each (see
//! [`Elements`]). A run lies between two jumps and leaves no view behind; it ends with the instruction that writes to a
//! tensor, if there is one.

use super::groups::{insert, targets};
use crate::code::elements::{Action, Cell, Elements, Input, MOST_LOCALS, MOST_TENSORS, Step};
use crate::code::groups::Group;
use crate::code::{Code, Insn, NOWHERE, Operand, OperatorCall, Reg, RegisterKind, Source};
use rushlight_types::{ElementOp, Value};

/// Runs with fewer instructions on tensors are not worth it.
const LEAST: usize = 2;
/// Tensors that a group makes.
const MOST_MADE: usize = 2;

/// Puts groups before the runs of a function.
pub(super) fn group(code: &mut Code) {
    let is_target = targets(code);
    let mut groups: Vec<(usize, usize, Group)> = Vec::new();
    let mut at = 0;
    while at < code.insns.len() {
        let Some(end) = longest(code, at, &is_target) else {
            at += 1;
            continue;
        };
        let mut builder = Builder::new(code);
        for insn in at..end {
            builder.take(insn);
        }
        groups.push((at, end, Group::Elements(builder.finish())));
        at = end;
    }
    if !groups.is_empty() {
        insert(code, groups);
    }
}

/// The end of the longest run that begins with an instruction.
fn longest(code: &Code, start: usize, is_target: &[bool]) -> Option<usize> {
    let first = code.element_op(code.insns[start])?;
    if !matches!(first, ElementOp::Select) {
        return None;
    }
    let mut builder = Builder::new(code);
    let mut best = None;
    for at in start..code.insns.len() {
        if at > start && is_target[at] || !builder.take(at) {
            break;
        }
        let ends_here = code.element_op(code.insns[at]).is_some()
            || matches!(
                code.insns[at],
                Insn::IntOf(..) | Insn::FloatOf(..) | Insn::Drop(_)
            );
        if ends_here && builder.on_tensors >= LEAST && builder.may_end() {
            best = Some(at + 1);
        }
        if builder.has_written {
            break;
        }
    }
    best
}

/// What a register of the group holds.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    Number,
    /// A tensor that has been computed.
    Made,
    View,
    Device,
    /// A tensor from outside.
    Outside,
    /// It has been moved or dropped.
    Gone,
}

struct Local {
    register: Reg,
    held: Held,
    /// Whether the group has put it there.
    is_new: bool,
}

struct Builder<'c> {
    code: &'c Code,
    locals: Vec<Local>,
    steps: Vec<Step>,
    constants: Vec<Cell>,
    numbers: Vec<(Reg, u8)>,
    tensors: Vec<(Reg, u8)>,
    moved: Vec<Reg>,
    /// Instructions that work with tensors.
    on_tensors: usize,
    has_written: bool,
}

impl<'c> Builder<'c> {
    fn new(code: &'c Code) -> Builder<'c> {
        Builder {
            code,
            locals: Vec::new(),
            steps: Vec::new(),
            constants: Vec::new(),
            numbers: Vec::new(),
            tensors: Vec::new(),
            moved: Vec::new(),
            on_tensors: 0,
            has_written: false,
        }
    }

    /// Takes the next instruction; `false` if it cannot be part of the run, and then nothing else may be asked.
    fn take(&mut self, at: usize) -> bool {
        self.taken(at).is_some()
    }

    fn taken(&mut self, at: usize) -> Option<()> {
        let insn = self.code.insns[at];
        let (action, d, inputs) = match insn {
            Insn::Operator(k) => return self.operator(&self.code.operators[k as usize]),
            Insn::Drop(r) => {
                let local = self.locals.iter_mut().find(|l| l.register == r)?;
                if !local.is_new {
                    return None;
                }
                local.held = Held::Gone;
                return Some(());
            }
            Insn::AddInt(d, a, b) => (Action::AddInt, d, vec![a, b]),
            Insn::SubInt(d, a, b) => (Action::SubInt, d, vec![a, b]),
            Insn::MulInt(d, a, b) => (Action::MulInt, d, vec![a, b]),
            Insn::AddFloat(d, a, b) => (Action::AddFloat, d, vec![a, b]),
            Insn::SubFloat(d, a, b) => (Action::SubFloat, d, vec![a, b]),
            Insn::MulFloat(d, a, b) => (Action::MulFloat, d, vec![a, b]),
            Insn::IntOf(d, a) => (Action::IntOf, d, vec![a]),
            Insn::FloatOf(d, a) => (Action::FloatOf, d, vec![a]),
            Insn::Copy(d, a) if self.is_number(d) => (Action::Copy, d, vec![a]),
            Insn::Constant(d, k) if self.is_number(d) => {
                let input = self.constant(k)?;
                return self.step(Action::Copy, &[input], d, Held::Number);
            }
            _ => return None,
        };
        if !self.is_number(d) {
            return None;
        }
        let inputs = inputs
            .into_iter()
            .map(|r| self.number(r))
            .collect::<Option<Vec<_>>>()?;
        self.step(action, &inputs, d, Held::Number)
    }

    fn operator(&mut self, call: &OperatorCall) -> Option<()> {
        let op = call.operator.element?;
        let operands = call.arguments.of(&self.code.operands).to_vec();
        let [target] = *call.results.of(&self.code.targets) else {
            return None;
        };
        let is_in_place = call.operator.schema().arguments.first()?.is_written();
        let takes = |count: usize| operands.len() == count;
        self.on_tensors += 1;
        if is_in_place {
            let is_simple = match op {
                ElementOp::Copy => takes(3),
                ElementOp::Add | ElementOp::Sub => takes(3) && self.is_one(operands[2]),
                ElementOp::Mul => takes(2),
                _ => false,
            };
            if !is_simple || target != NOWHERE {
                return None;
            }
            let inputs = [self.tensor(operands[0])?, self.operand(operands[1])?];
            self.has_written = true;
            self.push(Action::InPlace(op), &inputs, 0);
            return Some(());
        }
        let (count, held) = match op {
            ElementOp::Select => {
                // Indices are given from the first dimension on.
                if !takes(3) || !matches!(self.value(operands[1]), Some(Value::Int(0))) {
                    return None;
                }
                let inputs = [self.tensor(operands[0])?, self.any_number(operands[2])?];
                return self.step(Action::Select, &inputs, target, Held::View);
            }
            ElementOp::Add | ElementOp::Sub if takes(2) => (2, Held::Made),
            ElementOp::Add | ElementOp::Sub => {
                if !takes(3) || !self.is_one(operands[2]) {
                    return None;
                }
                (2, Held::Made)
            }
            ElementOp::Mul
            | ElementOp::Div
            | ElementOp::Maximum
            | ElementOp::Minimum
            | ElementOp::Eq
            | ElementOp::Ne
            | ElementOp::Lt
            | ElementOp::Le
            | ElementOp::Gt
            | ElementOp::Ge => (takes(2).then_some(2)?, Held::Made),
            ElementOp::Neg | ElementOp::Abs => (takes(1).then_some(1)?, Held::Made),
            ElementOp::Item
            | ElementOp::Int
            | ElementOp::Float
            | ElementOp::Bool
            | ElementOp::DTypeOf => (1, Held::Number),
            ElementOp::DeviceOf => (1, Held::Device),
            ElementOp::Make => {
                if !takes(4) || !self.is_false(operands[3]) {
                    return None;
                }
                let inputs = [
                    self.any_number(operands[0])?,
                    self.any_number(operands[1])?,
                    self.device(operands[2])?,
                ];
                return self.step(Action::Make, &inputs, target, Held::Made);
            }
            ElementOp::Copy => return None,
        };
        let mut inputs = Vec::new();
        for (i, operand) in operands.iter().take(count).enumerate() {
            inputs.push(match i {
                0 => self.tensor(*operand)?,
                _ => self.operand(*operand)?,
            });
        }
        let action = match held {
            Held::Made if count == 2 => Action::Compute(op),
            Held::Made => Action::Unary(op),
            _ => Action::Read(op),
        };
        self.step(action, &inputs, target, held)
    }

    // Inputs.

    fn is_number(&self, r: Reg) -> bool {
        matches!(
            self.code.kinds[r as usize],
            RegisterKind::Int | RegisterKind::Float | RegisterKind::Bool
        )
    }

    fn find(&self, r: Reg) -> Option<usize> {
        self.locals.iter().position(|l| l.register == r)
    }

    fn add(&mut self, register: Reg, held: Held, is_new: bool) -> Option<u8> {
        if self.locals.len() >= MOST_LOCALS {
            return None;
        }
        self.locals.push(Local {
            register,
            held,
            is_new,
        });
        Some(self.locals.len() as u8 - 1)
    }

    fn constant(&mut self, k: u32) -> Option<Input> {
        let cell = Cell::of(&self.code.constants[k as usize])?;
        let at = match self.constants.iter().position(|c| *c == cell) {
            Some(at) => at,
            None => {
                self.constants.push(cell);
                self.constants.len() - 1
            }
        };
        u8::try_from(MOST_LOCALS + at).ok()
    }

    /// The number in a register.
    fn number(&mut self, r: Reg) -> Option<Input> {
        if let Some(at) = self.find(r) {
            return (self.locals[at].held == Held::Number).then_some(at as u8);
        }
        if let Some(preloaded) = self.code.preloaded.iter().find(|p| p.0 == r) {
            return self.constant(preloaded.1);
        }
        if !self.is_number(r) {
            return None;
        }
        let local = self.add(r, Held::Number, false)?;
        self.numbers.push((r, local));
        Some(local)
    }

    fn any_number(&mut self, operand: Operand) -> Option<Input> {
        match operand.source() {
            Source::Constant(k) => self.constant(k),
            Source::Copy(r) => self.number(r),
            Source::Move(r) => {
                let input = self.number(r)?;
                self.leave(r);
                Some(input)
            }
        }
    }

    fn tensor(&mut self, operand: Operand) -> Option<Input> {
        let (r, goes) = operand.source().register()?;
        if self.code.kinds[r as usize] != RegisterKind::Other {
            return None;
        }
        let at = match self.find(r) {
            Some(at) => {
                let is_tensor = matches!(
                    self.locals[at].held,
                    Held::Made | Held::View | Held::Outside
                );
                is_tensor.then_some(at as u8)?
            }
            None => {
                if self.tensors.len() >= MOST_TENSORS {
                    return None;
                }
                let local = self.add(r, Held::Outside, false)?;
                self.tensors.push((r, local));
                local
            }
        };
        if goes {
            if self.locals[usize::from(at)].held == Held::Outside {
                self.moved.push(r);
            }
            self.leave(r);
        }
        Some(at)
    }

    /// A tensor or a number.
    fn operand(&mut self, operand: Operand) -> Option<Input> {
        let is_number = match operand.source() {
            Source::Constant(_) => true,
            Source::Copy(r) | Source::Move(r) => match self.find(r) {
                Some(at) => self.locals[at].held == Held::Number,
                None => self.code.kinds[r as usize] != RegisterKind::Other,
            },
        };
        match is_number {
            true => self.any_number(operand),
            false => self.tensor(operand),
        }
    }

    fn device(&mut self, operand: Operand) -> Option<Input> {
        match operand.source() {
            Source::Constant(k) => match self.code.constants[k as usize] {
                Value::None => self.constant(k),
                _ => None,
            },
            Source::Copy(r) | Source::Move(r) => {
                let at = self.find(r)?;
                if self.locals[at].held != Held::Device {
                    return None;
                }
                if let Source::Move(_) = operand.source() {
                    self.leave(r);
                }
                Some(at as u8)
            }
        }
    }

    fn leave(&mut self, r: Reg) {
        if let Some(at) = self.find(r) {
            self.locals[at].held = Held::Gone;
        }
    }

    fn value(&self, operand: Operand) -> Option<&Value> {
        self.code.constant_of(operand.source())
    }

    fn is_one(&self, operand: Operand) -> bool {
        matches!(self.value(operand), Some(Value::Int(1)))
    }

    fn is_false(&self, operand: Operand) -> bool {
        matches!(self.value(operand), Some(Value::Bool(false) | Value::None))
    }

    // Steps.

    fn push(&mut self, action: Action, inputs: &[Input], to: u8) {
        let mut all = [0; 3];
        all[..inputs.len()].copy_from_slice(inputs);
        self.steps.push(Step {
            action,
            to,
            inputs: all,
        });
    }

    fn step(&mut self, action: Action, inputs: &[Input], d: Reg, held: Held) -> Option<()> {
        if d == NOWHERE || self.code.kinds[d as usize] == RegisterKind::Optional {
            return None;
        }
        let to = match self.find(d) {
            Some(at) => {
                let local = &mut self.locals[at];
                let is_free = local.is_new || matches!(local.held, Held::Number | Held::Gone);
                if !is_free {
                    return None;
                }
                local.held = held;
                local.is_new = true;
                at as u8
            }
            None => self.add(d, held, true)?,
        };
        self.push(action, inputs, to);
        Some(())
    }

    /// Whether everything that is left is what registers of the frame can take.
    fn may_end(&self) -> bool {
        let left = || self.locals.iter().filter(|l| l.is_new);
        let made = left().filter(|l| l.held == Held::Made).count();
        // A run begins with a view, so that it is about elements.
        made <= if self.has_written { 0 } else { MOST_MADE }
            && !left().any(|l| matches!(l.held, Held::View | Held::Device))
    }

    fn finish(self) -> Elements {
        let results = self
            .locals
            .iter()
            .enumerate()
            .filter(|(_, l)| l.is_new && matches!(l.held, Held::Number | Held::Made))
            .map(|(at, l)| (at as u8, l.register));
        Elements {
            results: results.collect(),
            steps: self.steps.into(),
            constants: self.constants.into(),
            numbers: self.numbers.into(),
            tensors: self.tensors.into(),
            moved: self.moved.into(),
            misses: Default::default(),
        }
    }
}
