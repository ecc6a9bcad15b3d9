//! Which registers never hold a negative number: their indices count from the start, and division of them needs no
//! rounding.

use crate::liveness::Liveness;
use rushlight_runtime::code::{Code, Insn, Reg, RegisterKind};
use rushlight_types::{ScalarOp, Value};

/// The registers of ints that are never negative where they are read.
pub struct Signs(Vec<bool>);

impl Signs {
    /// Supposes that of all registers and takes it back where an instruction may write something else, until nothing
    /// changes.
    pub fn new(code: &Code, live: &Liveness) -> Signs {
        let is_int = |kind: &RegisterKind| *kind == RegisterKind::Int;
        let mut signs = Signs(code.kinds.iter().map(is_int).collect());
        for given in live.before(0) {
            signs.0[given as usize] = false;
        }
        for (r, constant) in &code.preloaded {
            let constant = code.constants.get(*constant as usize);
            signs.0[*r as usize] = matches!(constant, Some(Value::Int(0..)));
        }
        while signs.take_back(code) {}
        signs
    }

    /// Whether a register never holds a negative number.
    pub fn is_positive(&self, register: Reg) -> bool {
        self.0[register as usize]
    }

    fn take_back(&mut self, code: &Code) -> bool {
        let mut has_changed = false;
        for insn in &code.insns {
            if self.writes_positive(code, *insn) {
                continue;
            }
            code.writes(*insn, |r| {
                has_changed |= std::mem::replace(&mut self.0[r as usize], false);
            });
        }
        has_changed
    }

    /// Whether what an instruction writes is not negative. Sums and products may be, as they wrap around.
    fn writes_positive(&self, code: &Code, insn: Insn) -> bool {
        let of = |r: Reg| self.is_positive(r);
        match insn {
            Insn::Constant(_, k) => matches!(
                code.constants[k as usize],
                Value::Int(0..) | Value::Uninitialized
            ),
            Insn::LoopStart(..) | Insn::LoopStep(..) | Insn::ListLen(..) => true,
            Insn::Move(_, s) | Insn::Copy(_, s) => of(s),
            Insn::AndInt(_, a, b) | Insn::MaxInt(_, a, b) => of(a) || of(b),
            Insn::OrInt(_, a, b)
            | Insn::XorInt(_, a, b)
            | Insn::MinInt(_, a, b)
            | Insn::FloorDivInt(_, a, b) => of(a) && of(b),
            Insn::RemainderInt(_, _, b) => of(b),
            Insn::Operator(k) => {
                let operator = code.operators[k as usize].operator;
                operator.scalar == Some(ScalarOp::RangeLength)
            }
            _ => false,
        }
    }
}
