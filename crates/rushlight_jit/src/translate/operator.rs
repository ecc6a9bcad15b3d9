//! Operators on numbers that are no instructions of the interpreter.

use super::Translator;
use crate::run::numbers;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Type, Value, types};
use rushlight_runtime::code::{NOWHERE, Operand, Reg, RegisterKind, Source};
use rushlight_types::ScalarOp;

impl Translator<'_> {
    /// What a call of an operator is made of, if machine code does it itself.
    fn known(&self, k: u32) -> Option<(ScalarOp, &[Operand], Reg)> {
        let call = &self.code.operators[k as usize];
        let op = call.operator.scalar?;
        let operands = call.arguments.of(&self.code.operands);
        let [target] = *call.results.of(&self.code.targets) else {
            return None;
        };
        if target == NOWHERE || !self.live.is_kept(target) {
            return None;
        }
        let kind = self.code.kinds[target as usize];
        let numbers = |count: usize| {
            operands.len() == count && {
                let is_number = |o: &Operand| {
                    self.is_of(*o, RegisterKind::Int) || self.is_of(*o, RegisterKind::Float)
                };
                operands.iter().all(is_number)
            }
        };
        let ints = |count: usize| {
            operands.len() == count && operands.iter().all(|o| self.is_of(*o, RegisterKind::Int))
        };
        let is_known = match op {
            ScalarOp::RangeLength => ints(3) && kind == RegisterKind::Int,
            ScalarOp::AbsInt => ints(1) && kind == RegisterKind::Int,
            ScalarOp::ShlInt | ScalarOp::ShrInt => ints(2) && kind == RegisterKind::Int,
            ScalarOp::FloorFloat | ScalarOp::CeilFloat => numbers(1) && kind == RegisterKind::Int,
            ScalarOp::PowFloat
            | ScalarOp::Atan2Float
            | ScalarOp::HypotFloat
            | ScalarOp::MinFloat
            | ScalarOp::MaxFloat
            | ScalarOp::FloorDivFloat
            | ScalarOp::RemainderFloat
            | ScalarOp::FmodFloat => numbers(2) && kind == RegisterKind::Float,
            ScalarOp::AbsFloat
            | ScalarOp::SqrtFloat
            | ScalarOp::RoundFloat
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
            | ScalarOp::SinhFloat
            | ScalarOp::CoshFloat
            | ScalarOp::TanhFloat => numbers(1) && kind == RegisterKind::Float,
            ScalarOp::ListPop => {
                kind != RegisterKind::Optional
                    && matches!(
                        operands,
                        [list, at] if self.is_minus_one(*at) && match list.source() {
                            Source::Copy(r) => self.code.kinds[r as usize] == RegisterKind::Other,
                            // The list goes with this use, which nothing needs to do if it is borrowed.
                            Source::Move(r) => self.borrowed.contains_key(&r),
                            Source::Constant(_) => false,
                        }
                    )
            }
            ScalarOp::Is | ScalarOp::IsNot => {
                kind == RegisterKind::Bool
                    && matches!(operands, [a, b] if self.is_none(*b) && self.is_looked_at(*a))
            }
            _ => false,
        };
        is_known.then_some((op, operands, target))
    }

    /// Whether an operand is an int.
    pub(super) fn is_int(&self, operand: Operand) -> bool {
        self.is_of(operand, RegisterKind::Int)
    }

    fn is_of(&self, operand: Operand, kind: RegisterKind) -> bool {
        match (operand.source(), kind) {
            (Source::Constant(k), _) => matches!(
                (&self.code.constants[k as usize], kind),
                (rushlight_types::Value::Int(_), RegisterKind::Int)
                    | (rushlight_types::Value::Float(_), RegisterKind::Float)
            ),
            (Source::Copy(r) | Source::Move(r), kind) => self.code.kinds[r as usize] == kind,
        }
    }

    fn is_none(&self, operand: Operand) -> bool {
        matches!(operand.source(), Source::Constant(k)
            if matches!(self.code.constants[k as usize], rushlight_types::Value::None))
    }

    /// Whether an operand is a register of anything that keeps its value.
    fn is_looked_at(&self, operand: Operand) -> bool {
        matches!(operand.source(), Source::Copy(r)
            if matches!(self.code.kinds[r as usize], RegisterKind::Optional | RegisterKind::Other))
    }

    fn is_minus_one(&self, operand: Operand) -> bool {
        let constant = match operand.source() {
            Source::Constant(k) => self.code.constants.get(k as usize),
            Source::Copy(r) | Source::Move(r) => self.preloaded(r),
        };
        matches!(constant, Some(rushlight_types::Value::Int(-1)))
    }

    /// Whether machine code does an operator without calling the host.
    pub(super) fn is_direct(&self, k: u32) -> bool {
        self.known(k).is_some()
    }

    /// The list that goes with its last use here, where that takes the last element off.
    pub(super) fn popped(&self, k: u32) -> Option<Reg> {
        let call = &self.code.operators[k as usize];
        let [list, at] = call.arguments.of(&self.code.operands) else {
            return None;
        };
        let [target] = *call.results.of(&self.code.targets) else {
            return None;
        };
        let is_pop = call.operator.scalar == Some(ScalarOp::ListPop)
            && self.is_minus_one(*at)
            && target != NOWHERE
            && self.live.is_kept(target)
            && self.code.kinds[target as usize] != RegisterKind::Optional;
        match list.source() {
            Source::Move(r) if is_pop => Some(r),
            _ => None,
        }
    }

    /// The registers of a call that takes the last element, which is anything, off a list that stays.
    fn pops_value(&self, k: u32) -> Option<(Reg, Reg)> {
        let call = &self.code.operators[k as usize];
        let [list, at] = call.arguments.of(&self.code.operands) else {
            return None;
        };
        let [target] = *call.results.of(&self.code.targets) else {
            return None;
        };
        let other = |r: Reg| self.code.kinds[r as usize] == RegisterKind::Other;
        let is_pop = call.operator.scalar == Some(ScalarOp::ListPop)
            && self.is_minus_one(*at)
            && target != NOWHERE
            && self.journal.is_empty();
        match list.source() {
            Source::Copy(list) if is_pop && other(target) && other(list) && target != list => {
                Some((target, list))
            }
            _ => None,
        }
    }

    pub(super) fn operator(&mut self, at: usize, k: u32) {
        let Some((op, operands, target)) = self.known(k) else {
            if let Some((target, list)) = self.pops_value(k) {
                self.pop_value(at, target, list);
            } else if !self.text_operator(at, k)
                && !self.byte_operator(at, k)
                && !self.dict_operator(at, k)
                && !self.tensor_operator(at, k)
                && !self.lent_operator(at, k)
            {
                self.perform(at);
            }
            return;
        };
        let operands = operands.to_vec();
        if op == ScalarOp::ListPop {
            match operands[0].source() {
                Source::Copy(list) => self.list_pop(at, target, list),
                Source::Move(list) => {
                    self.list_pop(at, target, list);
                    self.end(at, &[list], None);
                }
                Source::Constant(_) => self.perform(at),
            }
            return;
        }
        if let (ScalarOp::Is | ScalarOp::IsNot, Source::Copy(r)) = (op, operands[0].source()) {
            let tag = self.held(r).0;
            let condition = match op {
                ScalarOp::Is => IntCC::Equal,
                _ => IntCC::NotEqual,
            };
            let none = i64::from(self.layout.tags.none);
            let holds = self.b.ins().icmp_imm_u(condition, tag, none);
            return self.set(at, target, RegisterKind::Bool, holds);
        }
        let given: Vec<(RegisterKind, Value)> = operands
            .iter()
            .filter_map(|o| self.operand_number(*o))
            .collect();
        match op {
            ScalarOp::RangeLength => self.range_length(at, &given, &operands, target),
            ScalarOp::AbsInt => {
                let size = self.b.ins().iabs(given[0].1);
                self.set(at, target, RegisterKind::Int, size);
            }
            ScalarOp::ShlInt | ScalarOp::ShrInt => {
                // Both count by the distance modulo 64, as the kernels do.
                let shifted = match op {
                    ScalarOp::ShlInt => self.b.ins().ishl(given[0].1, given[1].1),
                    _ => self.b.ins().sshr(given[0].1, given[1].1),
                };
                self.set(at, target, RegisterKind::Int, shifted);
            }
            ScalarOp::FloorFloat | ScalarOp::CeilFloat => {
                let float = self.widened(given[0]);
                let whole = match op {
                    ScalarOp::FloorFloat => self.b.ins().floor(float),
                    _ => self.b.ins().ceil(float),
                };
                self.require_int(at, whole);
                let int = self.b.ins().fcvt_to_sint_sat(types::I64, whole);
                self.set(at, target, RegisterKind::Int, int);
            }
            _ => {
                let floats: Vec<Value> = given.iter().map(|g| self.widened(*g)).collect();
                let result = self.float_function(at, op, &floats);
                self.set(at, target, RegisterKind::Float, result);
            }
        }
    }

    /// Leaves unless a whole float is an int: others are an error, which the kernel makes.
    fn require_int(&mut self, at: usize, whole: Value) {
        let least = self.b.ins().f64const(-9223372036854775808.0);
        let most = self.b.ins().f64const(9223372036854775808.0);
        let is_above = self.b.ins().fcmp(FloatCC::GreaterThanOrEqual, whole, least);
        let is_below = self.b.ins().fcmp(FloatCC::LessThan, whole, most);
        let is_int = self.b.ins().band(is_above, is_below);
        self.require(at, is_int);
    }

    /// The first of two floats where a comparison holds, else the second: also where one of them is no number.
    fn chosen(&mut self, condition: FloatCC, given: &[Value]) -> Value {
        let holds = self.b.ins().fcmp(condition, given[0], given[1]);
        self.b.ins().select(holds, given[0], given[1])
    }

    fn widened(&mut self, (kind, value): (RegisterKind, Value)) -> Value {
        match kind {
            RegisterKind::Int => self.b.ins().fcvt_from_sint(types::F64, value),
            _ => value,
        }
    }

    fn float_function(&mut self, at: usize, op: ScalarOp, given: &[Value]) -> Value {
        let address = match op {
            ScalarOp::AbsFloat => return self.b.ins().fabs(given[0]),
            ScalarOp::SqrtFloat => return self.b.ins().sqrt(given[0]),
            ScalarOp::RoundFloat => return self.b.ins().nearest(given[0]),
            ScalarOp::MinFloat => return self.chosen(FloatCC::LessThan, given),
            ScalarOp::MaxFloat => return self.chosen(FloatCC::GreaterThan, given),
            ScalarOp::FloorDivFloat => {
                let quotient = self.b.ins().fdiv(given[0], given[1]);
                return self.b.ins().floor(quotient);
            }
            ScalarOp::RemainderFloat => numbers::remainder as *const () as i64,
            ScalarOp::FmodFloat => numbers::fmod as *const () as i64,
            ScalarOp::Atan2Float => numbers::atan2 as *const () as i64,
            ScalarOp::HypotFloat => numbers::hypot as *const () as i64,
            ScalarOp::PowFloat => {
                // Zero to a negative power is an error.
                let zero = self.b.ins().f64const(0.0);
                let is_other = self.b.ins().fcmp(FloatCC::NotEqual, given[0], zero);
                let is_negative = self.b.ins().fcmp(FloatCC::LessThan, given[1], zero);
                let is_fine = self.b.ins().bxor_imm_u(is_negative, 1);
                let holds = self.b.ins().bor(is_other, is_fine);
                self.require(at, holds);
                numbers::pow as *const () as i64
            }
            ScalarOp::ExpFloat => numbers::exp as *const () as i64,
            ScalarOp::Expm1Float => numbers::expm1 as *const () as i64,
            ScalarOp::LogFloat => numbers::log as *const () as i64,
            ScalarOp::Log1pFloat => numbers::log1p as *const () as i64,
            ScalarOp::Log10Float => numbers::log10 as *const () as i64,
            ScalarOp::SinFloat => numbers::sin as *const () as i64,
            ScalarOp::CosFloat => numbers::cos as *const () as i64,
            ScalarOp::TanFloat => numbers::tan as *const () as i64,
            ScalarOp::AsinFloat => numbers::asin as *const () as i64,
            ScalarOp::AcosFloat => numbers::acos as *const () as i64,
            ScalarOp::AtanFloat => numbers::atan as *const () as i64,
            ScalarOp::SinhFloat => numbers::sinh as *const () as i64,
            ScalarOp::CoshFloat => numbers::cosh as *const () as i64,
            _ => numbers::tanh as *const () as i64,
        };
        self.call_pure(address, given, types::F64)
    }

    fn range_length(
        &mut self,
        at: usize,
        given: &[(RegisterKind, Value)],
        operands: &[Operand],
        target: Reg,
    ) {
        let [
            (RegisterKind::Int, low),
            (RegisterKind::Int, high),
            (RegisterKind::Int, step),
        ] = *given
        else {
            return self.perform(at);
        };
        let by_one = match operands[2].source() {
            Source::Constant(k) => self.code.constants.get(k as usize),
            Source::Copy(r) | Source::Move(r) => self.preloaded(r),
        };
        let length = if let Some(rushlight_types::Value::Int(1)) = by_one {
            let distance = self.b.ins().isub(high, low);
            let is_some = self.b.ins().icmp(IntCC::SignedLessThan, low, high);
            let zero = self.b.ins().iconst(types::I64, 0);
            self.b.ins().select(is_some, distance, zero)
        } else {
            let is_step = self.b.ins().icmp_imm_s(IntCC::NotEqual, step, 0);
            self.require(at, is_step);
            let address = numbers::range_length as *const () as i64;
            self.call_pure(address, &[low, high, step], types::I64)
        };
        self.set(at, target, RegisterKind::Int, length);
    }

    /// Calls a function that gives a number and may look at, or change, what it is given.
    pub(super) fn call_number(&mut self, address: i64, given: &[Value], result: Type) -> Value {
        self.known.forget_all();
        self.call_pure(address, given, result)
    }

    /// Calls a function of numbers that does nothing else.
    fn call_pure(&mut self, address: i64, given: &[Value], result: Type) -> Value {
        let mut signature = Signature::new(self.call_conv);
        for value in given {
            let ty = self.b.func.dfg.value_type(*value);
            signature.params.push(AbiParam::new(ty));
        }
        signature.returns.push(AbiParam::new(result));
        let signature = self.b.import_signature(signature);
        let address = self.b.ins().iconst(types::I64, address);
        let call = self.b.ins().call_indirect(signature, address, given);
        self.b.inst_results(call)[0]
    }
}
