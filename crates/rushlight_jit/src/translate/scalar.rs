//! Numbers and jumps on numbers.

use super::Translator;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use rushlight_runtime::code::{Insn, Reg, RegisterKind};

/// From here on floats do not fit into an int.
const LIMIT: f64 = 9_223_372_036_854_775_808.0;

impl Translator<'_> {
    /// Translates an instruction on numbers; whether control goes on behind it.
    pub(super) fn scalar(&mut self, at: usize, insn: Insn) -> bool {
        match insn {
            Insn::JumpUnless(c, to) => {
                let holds = self.bool(at, c);
                self.jump_unless(at, holds, to);
                return false;
            }
            Insn::UnlessLtInt(a, b, to) => self.unless(at, IntCC::SignedLessThan, a, b, to),
            Insn::UnlessLeInt(a, b, to) => self.unless(at, IntCC::SignedLessThanOrEqual, a, b, to),
            Insn::UnlessGtInt(a, b, to) => self.unless(at, IntCC::SignedGreaterThan, a, b, to),
            Insn::UnlessGeInt(a, b, to) => {
                self.unless(at, IntCC::SignedGreaterThanOrEqual, a, b, to);
            }
            Insn::UnlessEqInt(a, b, to) => self.unless(at, IntCC::Equal, a, b, to),
            Insn::UnlessNeInt(a, b, to) => self.unless(at, IntCC::NotEqual, a, b, to),
            Insn::LoopStart(counter, trips, to) => {
                let trips = self.int(at, trips);
                let zero = self.b.ins().iconst(types::I64, 0);
                self.set(at, counter, RegisterKind::Int, zero);
                let has_trips = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, trips, 0);
                self.jump_unless(at, has_trips, to);
            }
            Insn::LoopStep(counter, trips, to) => self.loop_step(at, counter, trips, to),
            Insn::LoopWhile(c, to) => {
                let holds = self.bool(at, c);
                let back = self.b.create_block();
                let next = self.goal(at + 1);
                self.b.ins().brif(holds, back, &[], next, &[]);
                self.begin(back);
                self.go_back(at, to);
            }
            _ => {
                self.compute(at, insn);
                return true;
            }
        }
        false
    }

    fn jump_unless(&mut self, at: usize, holds: Value, to: u32) {
        let (next, to) = (self.goal(at + 1), self.goal(to as usize));
        self.b.ins().brif(holds, next, &[], to, &[]);
    }

    fn unless(&mut self, at: usize, condition: IntCC, a: Reg, b: Reg, to: u32) {
        let (a, b) = (self.int(at, a), self.int(at, b));
        let holds = self.b.ins().icmp(condition, a, b);
        self.jump_unless(at, holds, to);
    }

    fn loop_step(&mut self, at: usize, counter: Reg, trips: Reg, to: u32) {
        let (i, trips) = (self.int(at, counter), self.int(at, trips));
        let i = self.b.ins().iadd_imm_s(i, 1);
        let goes_on = self.b.ins().icmp(IntCC::SignedLessThan, i, trips);
        let (back, over) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(goes_on, back, &[], over, &[]);
        self.begin(over);
        self.set(at, counter, RegisterKind::Int, i);
        let next = self.goal(at + 1);
        self.b.ins().jump(next, &[]);
        self.begin(back);
        let fuel = self.burn(at, to);
        self.set(at, counter, RegisterKind::Int, i);
        self.b.def_var(self.fuel, fuel);
        let to = self.goal(to as usize);
        self.b.ins().jump(to, &[]);
    }

    fn go_back(&mut self, at: usize, to: u32) {
        let fuel = self.burn(at, to);
        self.b.def_var(self.fuel, fuel);
        let to = self.goal(to as usize);
        self.b.ins().jump(to, &[]);
    }

    /// The fuel after a jump back; leaves before the jump where there is not enough.
    fn burn(&mut self, at: usize, to: u32) -> Value {
        let fuel = self.b.use_var(self.fuel);
        let cost = (at + 1 - to as usize) as i64;
        let left = self.b.ins().iadd_imm_s(fuel, -cost);
        let is_enough = self
            .b
            .ins()
            .icmp_imm_s(IntCC::SignedGreaterThanOrEqual, left, 0);
        self.require(at, is_enough);
        left
    }

    fn compute(&mut self, at: usize, insn: Insn) {
        use Insn::*;
        match insn {
            AddInt(d, a, b) => {
                let (a, b) = (self.int(at, a), self.int(at, b));
                let sum = self.b.ins().iadd(a, b);
                self.set(at, d, RegisterKind::Int, sum);
            }
            SubInt(d, a, b) => {
                let (a, b) = (self.int(at, a), self.int(at, b));
                let difference = self.b.ins().isub(a, b);
                self.set(at, d, RegisterKind::Int, difference);
            }
            MulInt(d, a, b) => {
                let (a, b) = (self.int(at, a), self.int(at, b));
                let product = self.b.ins().imul(a, b);
                self.set(at, d, RegisterKind::Int, product);
            }
            FloorDivInt(d, a, b) => {
                let quotient = self.floor_div(at, a, b);
                self.set(at, d, RegisterKind::Int, quotient);
            }
            RemainderInt(d, a, b) => {
                let rest = self.remainder(at, a, b);
                self.set(at, d, RegisterKind::Int, rest);
            }
            AndInt(d, a, b) => {
                let (a, b) = (self.int(at, a), self.int(at, b));
                let bits = self.b.ins().band(a, b);
                self.set(at, d, RegisterKind::Int, bits);
            }
            OrInt(d, a, b) => {
                let (a, b) = (self.int(at, a), self.int(at, b));
                let bits = self.b.ins().bor(a, b);
                self.set(at, d, RegisterKind::Int, bits);
            }
            XorInt(d, a, b) => {
                let (a, b) = (self.int(at, a), self.int(at, b));
                let bits = self.b.ins().bxor(a, b);
                self.set(at, d, RegisterKind::Int, bits);
            }
            MinInt(d, a, b) => {
                let (a, b) = (self.int(at, a), self.int(at, b));
                let least = self.b.ins().smin(a, b);
                self.set(at, d, RegisterKind::Int, least);
            }
            MaxInt(d, a, b) => {
                let (a, b) = (self.int(at, a), self.int(at, b));
                let most = self.b.ins().smax(a, b);
                self.set(at, d, RegisterKind::Int, most);
            }
            NegInt(d, a) => {
                let a = self.int(at, a);
                let negative = self.b.ins().ineg(a);
                self.set(at, d, RegisterKind::Int, negative);
            }
            LtInt(d, a, b) => self.compare(at, IntCC::SignedLessThan, d, a, b),
            LeInt(d, a, b) => self.compare(at, IntCC::SignedLessThanOrEqual, d, a, b),
            GtInt(d, a, b) => self.compare(at, IntCC::SignedGreaterThan, d, a, b),
            GeInt(d, a, b) => self.compare(at, IntCC::SignedGreaterThanOrEqual, d, a, b),
            EqInt(d, a, b) => self.compare(at, IntCC::Equal, d, a, b),
            NeInt(d, a, b) => self.compare(at, IntCC::NotEqual, d, a, b),
            DivInt(d, a, b) => {
                let (a, b) = (self.int(at, a), self.int(at, b));
                let a = self.b.ins().fcvt_from_sint(types::F64, a);
                let b = self.b.ins().fcvt_from_sint(types::F64, b);
                let quotient = self.b.ins().fdiv(a, b);
                self.set(at, d, RegisterKind::Float, quotient);
            }
            AddFloat(d, a, b) => {
                let (a, b) = (self.float(at, a), self.float(at, b));
                let sum = self.b.ins().fadd(a, b);
                self.set(at, d, RegisterKind::Float, sum);
            }
            SubFloat(d, a, b) => {
                let (a, b) = (self.float(at, a), self.float(at, b));
                let difference = self.b.ins().fsub(a, b);
                self.set(at, d, RegisterKind::Float, difference);
            }
            MulFloat(d, a, b) => {
                let (a, b) = (self.float(at, a), self.float(at, b));
                let product = self.b.ins().fmul(a, b);
                self.set(at, d, RegisterKind::Float, product);
            }
            DivFloat(d, a, b) => {
                let (a, b) = (self.float(at, a), self.float(at, b));
                let quotient = self.b.ins().fdiv(a, b);
                self.set(at, d, RegisterKind::Float, quotient);
            }
            NegFloat(d, a) => {
                let a = self.float(at, a);
                let negative = self.b.ins().fneg(a);
                self.set(at, d, RegisterKind::Float, negative);
            }
            LtFloat(d, a, b) => self.compare_floats(at, FloatCC::LessThan, d, a, b),
            LeFloat(d, a, b) => self.compare_floats(at, FloatCC::LessThanOrEqual, d, a, b),
            GtFloat(d, a, b) => self.compare_floats(at, FloatCC::GreaterThan, d, a, b),
            GeFloat(d, a, b) => self.compare_floats(at, FloatCC::GreaterThanOrEqual, d, a, b),
            EqFloat(d, a, b) => self.compare_floats(at, FloatCC::Equal, d, a, b),
            NeFloat(d, a, b) => self.compare_floats(at, FloatCC::NotEqual, d, a, b),
            FloatOf(d, a) => {
                let value = match self.number(at, a, RegisterKind::Float) {
                    (RegisterKind::Bool, b) => {
                        let wide = self.b.ins().uextend(types::I64, b);
                        self.b.ins().fcvt_from_sint(types::F64, wide)
                    }
                    (RegisterKind::Int, i) => self.b.ins().fcvt_from_sint(types::F64, i),
                    (_, f) => f,
                };
                self.set(at, d, RegisterKind::Float, value);
            }
            IntOf(d, a) => {
                let value = match self.number(at, a, RegisterKind::Int) {
                    (RegisterKind::Bool, b) => self.b.ins().uextend(types::I64, b),
                    (RegisterKind::Float, f) => {
                        let size = self.b.ins().fabs(f);
                        let limit = self.b.ins().f64const(LIMIT);
                        let fits = self.b.ins().fcmp(FloatCC::LessThan, size, limit);
                        self.require(at, fits);
                        self.b.ins().fcvt_to_sint_sat(types::I64, f)
                    }
                    (_, i) => i,
                };
                self.set(at, d, RegisterKind::Int, value);
            }
            BoolOf(d, a) => {
                let value = match self.number(at, a, RegisterKind::Bool) {
                    (RegisterKind::Int, i) => self.b.ins().icmp_imm_s(IntCC::NotEqual, i, 0),
                    (RegisterKind::Float, f) => {
                        let zero = self.b.ins().f64const(0.0);
                        self.b.ins().fcmp(FloatCC::NotEqual, f, zero)
                    }
                    (_, b) => b,
                };
                self.set(at, d, RegisterKind::Bool, value);
            }
            Not(d, a) => {
                let a = self.bool(at, a);
                let not = self.b.ins().bxor_imm_u(a, 1);
                self.set(at, d, RegisterKind::Bool, not);
            }
            AndBool(d, a, b) => {
                let (a, b) = (self.bool(at, a), self.bool(at, b));
                let both = self.b.ins().band(a, b);
                self.set(at, d, RegisterKind::Bool, both);
            }
            OrBool(d, a, b) => {
                let (a, b) = (self.bool(at, a), self.bool(at, b));
                let either = self.b.ins().bor(a, b);
                self.set(at, d, RegisterKind::Bool, either);
            }
            EqBool(d, a, b) => {
                let (a, b) = (self.bool(at, a), self.bool(at, b));
                let same = self.b.ins().icmp(IntCC::Equal, a, b);
                self.set(at, d, RegisterKind::Bool, same);
            }
            NeBool(d, a, b) => {
                let (a, b) = (self.bool(at, a), self.bool(at, b));
                let differ = self.b.ins().bxor(a, b);
                self.set(at, d, RegisterKind::Bool, differ);
            }
            // What is none of these is translated elsewhere.
            _ => self.always_leave(at),
        }
    }

    // Inputs of one kind. What is statically of another kind is the interpreter's affair.

    pub(super) fn int(&mut self, at: usize, r: Reg) -> Value {
        match self.number(at, r, RegisterKind::Int) {
            (RegisterKind::Int, value) => value,
            _ => {
                self.always_leave(at);
                self.b.ins().iconst(types::I64, 0)
            }
        }
    }

    fn bool(&mut self, at: usize, r: Reg) -> Value {
        match self.number(at, r, RegisterKind::Bool) {
            (RegisterKind::Bool, value) => value,
            _ => {
                self.always_leave(at);
                self.b.ins().iconst(types::I8, 0)
            }
        }
    }

    /// A float, or an int as one.
    fn float(&mut self, at: usize, r: Reg) -> Value {
        match self.number(at, r, RegisterKind::Float) {
            (RegisterKind::Float, value) => value,
            (RegisterKind::Int, value) => self.b.ins().fcvt_from_sint(types::F64, value),
            _ => {
                self.always_leave(at);
                self.b.ins().f64const(0.0)
            }
        }
    }

    fn compare(&mut self, at: usize, condition: IntCC, d: Reg, a: Reg, b: Reg) {
        let (a, b) = (self.int(at, a), self.int(at, b));
        let holds = self.b.ins().icmp(condition, a, b);
        self.set(at, d, RegisterKind::Bool, holds);
    }

    fn compare_floats(&mut self, at: usize, condition: FloatCC, d: Reg, a: Reg, b: Reg) {
        let (a, b) = (self.float(at, a), self.float(at, b));
        let holds = self.b.ins().fcmp(condition, a, b);
        self.set(at, d, RegisterKind::Bool, holds);
    }

    /// Leaves where a division has no result, or none that fits.
    fn require_division(&mut self, at: usize, [x, y]: [Reg; 2], [a, b]: [Value; 2]) {
        let divisor = self.constant_int(y);
        match divisor {
            Some(0) => self.always_leave(at),
            Some(-1) | None => {
                if divisor.is_none() {
                    let is_defined = self.b.ins().icmp_imm_s(IntCC::NotEqual, b, 0);
                    self.require(at, is_defined);
                }
                if self.signs.is_positive(x) || self.signs.is_positive(y) {
                    return;
                }
                let is_small = self.b.ins().icmp_imm_s(IntCC::NotEqual, a, i64::MIN);
                let is_other = self.b.ins().icmp_imm_s(IntCC::NotEqual, b, -1);
                let fits = self.b.ins().bor(is_small, is_other);
                self.require(at, fits);
            }
            Some(_) => {}
        }
    }

    fn constant_int(&self, r: Reg) -> Option<i64> {
        match self.preloaded(r) {
            Some(rushlight_types::Value::Int(i)) => Some(*i),
            _ => None,
        }
    }

    fn floor_div(&mut self, at: usize, x: Reg, y: Reg) -> Value {
        let (a, b) = (self.int(at, x), self.int(at, y));
        self.require_division(at, [x, y], [a, b]);
        if let Some(divisor @ 1..) = self.constant_int(y) {
            return self.quotient(x, a, divisor);
        }
        if self.signs.is_positive(x) && self.signs.is_positive(y) {
            return self.b.ins().udiv(a, b);
        }
        let quotient = self.b.ins().sdiv(a, b);
        let product = self.b.ins().imul(quotient, b);
        let is_inexact = self.b.ins().icmp(IntCC::NotEqual, product, a);
        let signs = self.b.ins().bxor(a, b);
        let is_negative = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, signs, 0);
        let is_off = self.b.ins().band(is_inexact, is_negative);
        let off = self.b.ins().uextend(types::I64, is_off);
        self.b.ins().isub(quotient, off)
    }

    /// The quotient, rounded down, by a known divisor: a shift, or a product with the reciprocal. What is negative is
    /// turned over before and after, so that only 63 bits are divided (Granlund and Montgomery, "Division by invariant
    /// integers using multiplication", 1994).
    fn quotient(&mut self, x: Reg, a: Value, divisor: i64) -> Value {
        let bits = divisor.ilog2();
        if divisor & (divisor - 1) == 0 {
            return self.b.ins().sshr_imm_u(a, i64::from(bits));
        }
        let reciprocal = ((1u128 << (64 + bits)) / divisor as u128 + 1) as u64;
        let reciprocal = self.b.ins().iconst(types::I64, reciprocal as i64);
        if self.signs.is_positive(x) {
            let high = self.b.ins().umulhi(a, reciprocal);
            return self.b.ins().ushr_imm_u(high, i64::from(bits));
        }
        let sign = self.b.ins().sshr_imm_u(a, 63);
        let size = self.b.ins().bxor(a, sign);
        let high = self.b.ins().umulhi(size, reciprocal);
        let quotient = self.b.ins().ushr_imm_u(high, i64::from(bits));
        self.b.ins().bxor(quotient, sign)
    }

    fn remainder(&mut self, at: usize, x: Reg, y: Reg) -> Value {
        let (a, b) = (self.int(at, x), self.int(at, y));
        self.require_division(at, [x, y], [a, b]);
        if let Some(divisor @ 1..) = self.constant_int(y) {
            if divisor & (divisor - 1) == 0 {
                return self.b.ins().band_imm_s(a, divisor - 1);
            }
            let quotient = self.quotient(x, a, divisor);
            let multiple = self.b.ins().imul(quotient, b);
            return self.b.ins().isub(a, multiple);
        }
        if self.signs.is_positive(y) {
            if self.signs.is_positive(x) {
                return self.b.ins().urem(a, b);
            }
            let rest = self.b.ins().srem(a, b);
            let sign = self.b.ins().sshr_imm_u(rest, 63);
            let more = self.b.ins().band(sign, b);
            return self.b.ins().iadd(rest, more);
        }
        let rest = self.b.ins().srem(a, b);
        let signs = self.b.ins().bxor(rest, b);
        let differ = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, signs, 0);
        let is_rest = self.b.ins().icmp_imm_s(IntCC::NotEqual, rest, 0);
        let is_off = self.b.ins().band(differ, is_rest);
        let zero = self.b.ins().iconst(types::I64, 0);
        let more = self.b.ins().select(is_off, b, zero);
        self.b.ins().iadd(rest, more)
    }
}
