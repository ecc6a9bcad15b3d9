//! Which registers an instruction reads and which it writes.

use super::{Code, Extended as Rare, Insn, NOWHERE, Operand, Reg, Source};

impl Code {
    /// Calls `read` with every register that the instruction reads.
    pub fn reads(&self, insn: Insn, mut read: impl FnMut(Reg)) {
        use Insn::*;
        match insn {
            Constant(..) | Drop(_) | Jump(_) | Fail(_) => {}
            Group(k, _) => self.groups[k as usize].reads(read),
            Move(_, s) | Copy(_, s) => read(s),
            JumpUnless(c, _) | LoopWhile(c, _) => read(c),
            UnlessLtInt(a, b, _)
            | UnlessLeInt(a, b, _)
            | UnlessGtInt(a, b, _)
            | UnlessGeInt(a, b, _)
            | UnlessEqInt(a, b, _)
            | UnlessNeInt(a, b, _)
            | LoopStep(a, b, _) => {
                read(a);
                read(b);
            }
            LoopStart(_, trips, _) => read(trips),
            AddInt(_, a, b)
            | SubInt(_, a, b)
            | MulInt(_, a, b)
            | FloorDivInt(_, a, b)
            | RemainderInt(_, a, b)
            | AndInt(_, a, b)
            | OrInt(_, a, b)
            | XorInt(_, a, b)
            | MinInt(_, a, b)
            | MaxInt(_, a, b)
            | LtInt(_, a, b)
            | LeInt(_, a, b)
            | GtInt(_, a, b)
            | GeInt(_, a, b)
            | EqInt(_, a, b)
            | NeInt(_, a, b)
            | DivInt(_, a, b)
            | AddFloat(_, a, b)
            | SubFloat(_, a, b)
            | MulFloat(_, a, b)
            | DivFloat(_, a, b)
            | LtFloat(_, a, b)
            | LeFloat(_, a, b)
            | GtFloat(_, a, b)
            | GeFloat(_, a, b)
            | EqFloat(_, a, b)
            | NeFloat(_, a, b)
            | AndBool(_, a, b)
            | OrBool(_, a, b)
            | EqBool(_, a, b)
            | NeBool(_, a, b)
            | ListGet(_, a, b) => {
                read(a);
                read(b);
            }
            NegInt(_, a)
            | NegFloat(_, a)
            | FloatOf(_, a)
            | IntOf(_, a)
            | BoolOf(_, a)
            | Not(_, a)
            | ListLen(_, a) => read(a),
            ListSet(list, index, element) => {
                read(list);
                read(index);
                read_operand(element, &mut read);
            }
            ListAppend(list, element) => {
                read(list);
                read_operand(element, &mut read);
            }
            Operator(k) => {
                let operands = self.operators[k as usize].arguments.of(&self.operands);
                operands.iter().for_each(|o| read_operand(*o, &mut read));
            }
            Call(k) => {
                let operands = self.calls[k as usize].arguments.of(&self.operands);
                operands.iter().for_each(|o| read_operand(*o, &mut read));
            }
            Return(operand) => read_operand(operand, &mut read),
            Extended(k) => self.extended_reads(&self.extended[k as usize], &mut read),
        }
    }

    fn extended_reads(&self, instruction: &Rare, read: &mut impl FnMut(Reg)) {
        let mut one = |operand: &Operand| read_operand(*operand, read);
        match instruction {
            Rare::Tuple { items, .. } | Rare::List { items, .. } | Rare::Dict { items, .. } => {
                items.of(&self.operands).iter().for_each(one);
            }
            Rare::Awaitable { arguments, .. } => {
                arguments.of(&self.operands).iter().for_each(one);
            }
            Rare::TupleUnpack { tuple, .. } | Rare::TupleSlice { tuple, .. } => one(tuple),
            Rare::TupleIndex { tuple, index, .. } => {
                one(tuple);
                one(index);
            }
            Rare::ListUnpack { list, .. } => one(list),
            Rare::GetAttr { object, .. }
            | Rare::GetNamed { object, .. }
            | Rare::Entered { object, .. } => one(object),
            Rare::SetAttr { object, value, .. } | Rare::SetNamed { object, value, .. } => {
                one(object);
                one(value);
            }
            Rare::IsInstance { value, .. } => one(value),
            Rare::Wait { future, .. } => one(future),
            Rare::Raise { message, class } => {
                one(message);
                class.iter().for_each(one);
            }
            Rare::Warn { message, .. } => one(message),
            Rare::CreateObject { .. } | Rare::Exited | Rare::Closure { .. } => {}
        }
    }

    /// Calls `write` with every register that takes a result of the instruction.
    pub fn writes(&self, insn: Insn, mut write: impl FnMut(Reg)) {
        use Insn::*;
        let mut all = |run: super::Entries| {
            let targets = run.of(&self.targets).iter();
            targets.filter(|t| **t != NOWHERE).for_each(|t| write(*t));
        };
        match insn {
            Group(k, _) => self.groups[k as usize].writes(write),
            Jump(_) | JumpUnless(..) | LoopWhile(..) | UnlessLtInt(..) | UnlessLeInt(..)
            | UnlessGtInt(..) | UnlessGeInt(..) | UnlessEqInt(..) | UnlessNeInt(..)
            | ListSet(..) | ListAppend(..) | Return(_) | Fail(_) => {}
            Constant(d, _)
            | Move(d, _)
            | Copy(d, _)
            | Drop(d)
            | LoopStart(d, ..)
            | LoopStep(d, ..)
            | AddInt(d, ..)
            | SubInt(d, ..)
            | MulInt(d, ..)
            | FloorDivInt(d, ..)
            | RemainderInt(d, ..)
            | AndInt(d, ..)
            | OrInt(d, ..)
            | XorInt(d, ..)
            | MinInt(d, ..)
            | MaxInt(d, ..)
            | LtInt(d, ..)
            | LeInt(d, ..)
            | GtInt(d, ..)
            | GeInt(d, ..)
            | EqInt(d, ..)
            | NeInt(d, ..)
            | DivInt(d, ..)
            | AddFloat(d, ..)
            | SubFloat(d, ..)
            | MulFloat(d, ..)
            | DivFloat(d, ..)
            | LtFloat(d, ..)
            | LeFloat(d, ..)
            | GtFloat(d, ..)
            | GeFloat(d, ..)
            | EqFloat(d, ..)
            | NeFloat(d, ..)
            | AndBool(d, ..)
            | OrBool(d, ..)
            | EqBool(d, ..)
            | NeBool(d, ..)
            | ListGet(d, ..)
            | NegInt(d, _)
            | NegFloat(d, _)
            | FloatOf(d, _)
            | IntOf(d, _)
            | BoolOf(d, _)
            | Not(d, _)
            | ListLen(d, _) => write(d),
            Operator(k) => all(self.operators[k as usize].results),
            Call(k) => {
                let target = self.calls[k as usize].target;
                if target != NOWHERE {
                    write(target);
                }
            }
            Extended(k) => match &self.extended[k as usize] {
                Rare::TupleUnpack { targets, .. } | Rare::ListUnpack { targets, .. } => {
                    all(*targets);
                }
                Rare::Tuple { target, .. }
                | Rare::TupleIndex { target, .. }
                | Rare::TupleSlice { target, .. }
                | Rare::List { target, .. }
                | Rare::Dict { target, .. }
                | Rare::GetAttr { target, .. }
                | Rare::GetNamed { target, .. }
                | Rare::CreateObject { target, .. }
                | Rare::IsInstance { target, .. }
                | Rare::Wait { target, .. }
                | Rare::Closure { target, .. }
                | Rare::Awaitable { target, .. } => write(*target),
                Rare::SetAttr { .. }
                | Rare::SetNamed { .. }
                | Rare::Raise { .. }
                | Rare::Warn { .. }
                | Rare::Entered { .. }
                | Rare::Exited => {}
            },
        }
    }

    /// The instruction that a jump may go to.
    pub fn jump_target(mut insn: Insn) -> Option<u32> {
        Code::jump_target_mut(&mut insn).copied()
    }

    /// The same, to change it.
    pub fn jump_target_mut(insn: &mut Insn) -> Option<&mut u32> {
        use Insn::*;
        match insn {
            Jump(to)
            | JumpUnless(_, to)
            | UnlessLtInt(_, _, to)
            | UnlessLeInt(_, _, to)
            | UnlessGtInt(_, _, to)
            | UnlessGeInt(_, _, to)
            | UnlessEqInt(_, _, to)
            | UnlessNeInt(_, _, to)
            | LoopStart(_, _, to)
            | LoopStep(_, _, to)
            | LoopWhile(_, to)
            | Group(_, to) => Some(to),
            _ => None,
        }
    }

    /// Whether control may go on with the next instruction.
    pub fn falls_through(insn: Insn) -> bool {
        !matches!(insn, Insn::Jump(_) | Insn::Return(_) | Insn::Fail(_))
    }
}

fn read_operand(operand: Operand, read: &mut impl FnMut(Reg)) {
    if let Source::Copy(r) | Source::Move(r) = operand.source() {
        read(r);
    }
}
