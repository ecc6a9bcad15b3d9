//! Operators on plain values as instructions: which instruction does a [`ScalarOp`], and how.

use super::Lowerer;
use super::registers::RegisterKind;
use crate::code::{Insn, Reg};
use rushlight_ir::NodeId;
use rushlight_types::ScalarOp;

/// How inputs and result become registers of an instruction.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// Result and one input.
    Unary(fn(Reg, Reg) -> Insn),
    /// Result and two inputs.
    Binary(fn(Reg, Reg, Reg) -> Insn),
    /// Two inputs, of which the first is also the result.
    Append,
    /// Three inputs, of which the first is also the result.
    Store,
    /// `start + index * step`.
    DeriveIndex,
}

use Shape::{Binary, Unary};

/// How an operator becomes an instruction. Those of the interpreter do what the operator's kernel does on the values that
/// they are meant for, and hand anything else to the kernel. Some have none: those stay calls.
pub(super) fn shape_of(op: ScalarOp) -> Option<Shape> {
    Some(match op {
        ScalarOp::AddInt => Binary(Insn::AddInt),
        ScalarOp::SubInt => Binary(Insn::SubInt),
        ScalarOp::MulInt => Binary(Insn::MulInt),
        ScalarOp::FloorDivInt => Binary(Insn::FloorDivInt),
        ScalarOp::RemainderInt => Binary(Insn::RemainderInt),
        ScalarOp::DivInt => Binary(Insn::DivInt),
        ScalarOp::AndInt => Binary(Insn::AndInt),
        ScalarOp::OrInt => Binary(Insn::OrInt),
        ScalarOp::XorInt => Binary(Insn::XorInt),
        ScalarOp::NegInt => Unary(Insn::NegInt),
        ScalarOp::MinInt => Binary(Insn::MinInt),
        ScalarOp::MaxInt => Binary(Insn::MaxInt),
        ScalarOp::LtInt => Binary(Insn::LtInt),
        ScalarOp::LeInt => Binary(Insn::LeInt),
        ScalarOp::GtInt => Binary(Insn::GtInt),
        ScalarOp::GeInt => Binary(Insn::GeInt),
        ScalarOp::EqInt => Binary(Insn::EqInt),
        ScalarOp::NeInt => Binary(Insn::NeInt),
        ScalarOp::DeriveIndex => Shape::DeriveIndex,
        ScalarOp::AddFloat => Binary(Insn::AddFloat),
        ScalarOp::SubFloat => Binary(Insn::SubFloat),
        ScalarOp::MulFloat => Binary(Insn::MulFloat),
        ScalarOp::DivFloat => Binary(Insn::DivFloat),
        ScalarOp::NegFloat => Unary(Insn::NegFloat),
        ScalarOp::LtFloat => Binary(Insn::LtFloat),
        ScalarOp::LeFloat => Binary(Insn::LeFloat),
        ScalarOp::GtFloat => Binary(Insn::GtFloat),
        ScalarOp::GeFloat => Binary(Insn::GeFloat),
        ScalarOp::EqFloat => Binary(Insn::EqFloat),
        ScalarOp::NeFloat => Binary(Insn::NeFloat),
        ScalarOp::FloatOf => Unary(Insn::FloatOf),
        ScalarOp::IntOf => Unary(Insn::IntOf),
        ScalarOp::BoolOf => Unary(Insn::BoolOf),
        ScalarOp::Not => Unary(Insn::Not),
        ScalarOp::AndBool => Binary(Insn::AndBool),
        ScalarOp::OrBool => Binary(Insn::OrBool),
        ScalarOp::XorBool => Binary(Insn::NeBool),
        ScalarOp::EqBool => Binary(Insn::EqBool),
        ScalarOp::NeBool => Binary(Insn::NeBool),
        ScalarOp::ListLen => Unary(Insn::ListLen),
        ScalarOp::ListGet => Binary(Insn::ListGet),
        ScalarOp::ListSet => Shape::Store,
        ScalarOp::ListAppend => Shape::Append,
        ScalarOp::RangeLength
        | ScalarOp::AbsInt
        | ScalarOp::ShlInt
        | ScalarOp::ShrInt
        | ScalarOp::MinFloat
        | ScalarOp::MaxFloat
        | ScalarOp::FloorDivFloat
        | ScalarOp::RemainderFloat
        | ScalarOp::FmodFloat
        | ScalarOp::AbsFloat
        | ScalarOp::PowFloat
        | ScalarOp::SqrtFloat
        | ScalarOp::RoundFloat
        | ScalarOp::FloorFloat
        | ScalarOp::CeilFloat
        | ScalarOp::ExpFloat
        | ScalarOp::Expm1Float
        | ScalarOp::LogFloat
        | ScalarOp::Log1pFloat
        | ScalarOp::Log10Float
        | ScalarOp::SinFloat
        | ScalarOp::CosFloat
        | ScalarOp::TanFloat
        | ScalarOp::AsinFloat
        | ScalarOp::AcosFloat
        | ScalarOp::AtanFloat
        | ScalarOp::Atan2Float
        | ScalarOp::HypotFloat
        | ScalarOp::ComplexOf
        | ScalarOp::RealOf
        | ScalarOp::ImagOf
        | ScalarOp::SinhFloat
        | ScalarOp::CoshFloat
        | ScalarOp::TanhFloat
        | ScalarOp::ListPop
        | ScalarOp::Is
        | ScalarOp::IsNot
        | ScalarOp::EqStr
        | ScalarOp::NeStr
        | ScalarOp::LenStr
        | ScalarOp::OrdStr
        | ScalarOp::GetStr
        | ScalarOp::AddStr
        | ScalarOp::DictGet
        | ScalarOp::DictGetOr
        | ScalarOp::DictFind
        | ScalarOp::DictHas
        | ScalarOp::DictLen
        | ScalarOp::DictSet
        | ScalarOp::SizeOf
        | ScalarOp::RankOf
        | ScalarOp::LenTensor
        | ScalarOp::NumelOf => return None,
    })
}

/// Makes the jump of two compared registers and a target.
pub(super) type MakeJump = fn(Reg, Reg, u32) -> Insn;

/// The jump that a comparison of ints and a jump on its result make together: the register of the result, the two that
/// are compared, and the jump.
pub(super) fn fused_jump(comparison: Insn) -> Option<(Reg, Reg, Reg, MakeJump)> {
    Some(match comparison {
        Insn::LtInt(c, a, b) => (c, a, b, Insn::UnlessLtInt),
        Insn::LeInt(c, a, b) => (c, a, b, Insn::UnlessLeInt),
        Insn::GtInt(c, a, b) => (c, a, b, Insn::UnlessGtInt),
        Insn::GeInt(c, a, b) => (c, a, b, Insn::UnlessGeInt),
        Insn::EqInt(c, a, b) => (c, a, b, Insn::UnlessEqInt),
        Insn::NeInt(c, a, b) => (c, a, b, Insn::UnlessNeInt),
        _ => return None,
    })
}

impl Lowerer<'_> {
    /// An operator that is one instruction, or two.
    pub(super) fn scalar(&mut self, id: NodeId, shape: Shape) {
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
                let product = self.allocate(RegisterKind::Int);
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
}
