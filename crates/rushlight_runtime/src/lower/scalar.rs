//! The operators that have an instruction of their own.
//!
//! The table is the only place that knows them. An instruction of the interpreter does what the operator's kernel does
//! on the values that it is meant for, and hands anything else (a zero divisor, an index out of range) to the kernel.

use super::Lowerer;
use super::registers::Kind;
use crate::code::{Insn, Reg};
use rushlight_ir::NodeId;
use rushlight_types::Operator;
use std::collections::HashMap;
use std::sync::OnceLock;

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

const TABLE: &[(&str, Shape)] = &[
    ("aten::add.int(int a, int b) -> int", Binary(Insn::AddInt)),
    ("aten::sub.int(int a, int b) -> int", Binary(Insn::SubInt)),
    ("aten::mul.int(int a, int b) -> int", Binary(Insn::MulInt)),
    (
        "aten::floordiv.int(int a, int b) -> int",
        Binary(Insn::FloorDivInt),
    ),
    (
        "aten::remainder.int(int a, int b) -> int",
        Binary(Insn::RemainderInt),
    ),
    ("aten::div.int(int a, int b) -> float", Binary(Insn::DivInt)),
    (
        "aten::__and__.int(int a, int b) -> int",
        Binary(Insn::AndInt),
    ),
    ("aten::__or__.int(int a, int b) -> int", Binary(Insn::OrInt)),
    (
        "aten::__xor__.int(int a, int b) -> int",
        Binary(Insn::XorInt),
    ),
    ("aten::neg.int(int a) -> int", Unary(Insn::NegInt)),
    ("prim::min.int(int a, int b) -> int", Binary(Insn::MinInt)),
    ("prim::max.int(int a, int b) -> int", Binary(Insn::MaxInt)),
    ("aten::lt.int(int a, int b) -> bool", Binary(Insn::LtInt)),
    ("aten::le.int(int a, int b) -> bool", Binary(Insn::LeInt)),
    ("aten::gt.int(int a, int b) -> bool", Binary(Insn::GtInt)),
    ("aten::ge.int(int a, int b) -> bool", Binary(Insn::GeInt)),
    ("aten::eq.int(int a, int b) -> bool", Binary(Insn::EqInt)),
    ("aten::ne.int(int a, int b) -> bool", Binary(Insn::NeInt)),
    (
        "aten::__derive_index(int index, int start, int step) -> int",
        Shape::DeriveIndex,
    ),
    (
        "aten::add.float(float a, float b) -> float",
        Binary(Insn::AddFloat),
    ),
    (
        "aten::add.float_int(float a, int b) -> float",
        Binary(Insn::AddFloat),
    ),
    (
        "aten::add.int_float(int a, float b) -> float",
        Binary(Insn::AddFloat),
    ),
    (
        "aten::sub.float(float a, float b) -> float",
        Binary(Insn::SubFloat),
    ),
    (
        "aten::sub.float_int(float a, int b) -> float",
        Binary(Insn::SubFloat),
    ),
    (
        "aten::sub.int_float(int a, float b) -> float",
        Binary(Insn::SubFloat),
    ),
    (
        "aten::mul.float(float a, float b) -> float",
        Binary(Insn::MulFloat),
    ),
    (
        "aten::mul.float_int(float a, int b) -> float",
        Binary(Insn::MulFloat),
    ),
    (
        "aten::mul.int_float(int a, float b) -> float",
        Binary(Insn::MulFloat),
    ),
    (
        "aten::div.float(float a, float b) -> float",
        Binary(Insn::DivFloat),
    ),
    (
        "aten::div(Scalar a, Scalar b) -> float",
        Binary(Insn::DivFloat),
    ),
    ("aten::neg.float(float a) -> float", Unary(Insn::NegFloat)),
    (
        "aten::lt.float(float a, float b) -> bool",
        Binary(Insn::LtFloat),
    ),
    (
        "aten::lt.float_int(float a, int b) -> bool",
        Binary(Insn::LtFloat),
    ),
    (
        "aten::lt.int_float(int a, float b) -> bool",
        Binary(Insn::LtFloat),
    ),
    (
        "aten::le.float(float a, float b) -> bool",
        Binary(Insn::LeFloat),
    ),
    (
        "aten::le.float_int(float a, int b) -> bool",
        Binary(Insn::LeFloat),
    ),
    (
        "aten::le.int_float(int a, float b) -> bool",
        Binary(Insn::LeFloat),
    ),
    (
        "aten::gt.float(float a, float b) -> bool",
        Binary(Insn::GtFloat),
    ),
    (
        "aten::gt.float_int(float a, int b) -> bool",
        Binary(Insn::GtFloat),
    ),
    (
        "aten::gt.int_float(int a, float b) -> bool",
        Binary(Insn::GtFloat),
    ),
    (
        "aten::ge.float(float a, float b) -> bool",
        Binary(Insn::GeFloat),
    ),
    (
        "aten::ge.float_int(float a, int b) -> bool",
        Binary(Insn::GeFloat),
    ),
    (
        "aten::ge.int_float(int a, float b) -> bool",
        Binary(Insn::GeFloat),
    ),
    (
        "aten::eq.float(float a, float b) -> bool",
        Binary(Insn::EqFloat),
    ),
    (
        "aten::eq.float_int(float a, int b) -> bool",
        Binary(Insn::EqFloat),
    ),
    (
        "aten::eq.int_float(int a, float b) -> bool",
        Binary(Insn::EqFloat),
    ),
    (
        "aten::ne.float(float a, float b) -> bool",
        Binary(Insn::NeFloat),
    ),
    (
        "aten::ne.float_int(float a, int b) -> bool",
        Binary(Insn::NeFloat),
    ),
    (
        "aten::ne.int_float(int a, float b) -> bool",
        Binary(Insn::NeFloat),
    ),
    ("aten::Float.int(int a) -> float", Unary(Insn::FloatOf)),
    ("aten::Float.bool(bool a) -> float", Unary(Insn::FloatOf)),
    (
        "aten::Float.Scalar(Scalar a) -> float",
        Unary(Insn::FloatOf),
    ),
    ("aten::Int.float(float a) -> int", Unary(Insn::IntOf)),
    ("aten::Int.bool(bool a) -> int", Unary(Insn::IntOf)),
    ("aten::Int.Scalar(Scalar a) -> int", Unary(Insn::IntOf)),
    ("aten::Bool.int(int a) -> bool", Unary(Insn::BoolOf)),
    ("aten::Bool.float(float a) -> bool", Unary(Insn::BoolOf)),
    ("aten::__not__(bool self) -> bool", Unary(Insn::Not)),
    (
        "aten::__and__.bool(bool a, bool b) -> bool",
        Binary(Insn::AndBool),
    ),
    (
        "aten::__or__.bool(bool a, bool b) -> bool",
        Binary(Insn::OrBool),
    ),
    (
        "aten::__xor__.bool(bool a, bool b) -> bool",
        Binary(Insn::NeBool),
    ),
    (
        "aten::eq.bool(bool a, bool b) -> bool",
        Binary(Insn::EqBool),
    ),
    (
        "aten::ne.bool(bool a, bool b) -> bool",
        Binary(Insn::NeBool),
    ),
    ("aten::len.t(t[] a) -> int", Unary(Insn::ListLen)),
    (
        "aten::__getitem__.t(t[](a) list, int idx) -> t(*)",
        Binary(Insn::ListGet),
    ),
    (
        "aten::_set_item.t(t[](a!) l, int idx, t(b -> *) el) -> t[](a!)",
        Shape::Store,
    ),
    (
        "aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)",
        Shape::Append,
    ),
];

/// The instruction for an operator.
pub(super) fn find(operator: &Operator) -> Option<Shape> {
    static BY_TEXT: OnceLock<HashMap<&'static str, Shape>> = OnceLock::new();
    BY_TEXT
        .get_or_init(|| TABLE.iter().copied().collect())
        .get(operator.text)
        .copied()
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
}
