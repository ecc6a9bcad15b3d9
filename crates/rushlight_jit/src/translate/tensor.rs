//! What a tensor says of itself, as a number.

use super::Translator;
use crate::run::tensors;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, types};
use rushlight_runtime::code::{NOWHERE, Operand, Reg, RegisterKind};
use rushlight_types::ScalarOp;

impl Translator<'_> {
    /// The tensor that an operator asks for a number, and whether it goes with this use; the function that knows the number; the
    /// dimension; and the target.
    fn tensor_question(&self, k: u32) -> Option<((Reg, bool), *const (), Option<Operand>, Reg)> {
        let call = &self.code.operators[k as usize];
        let operands = call.arguments.of(&self.code.operands);
        let [target] = *call.results.of(&self.code.targets) else {
            return None;
        };
        let is_taken = target != NOWHERE
            && self.live.is_kept(target)
            && self.code.kinds[target as usize] == RegisterKind::Int;
        if !is_taken {
            return None;
        }
        let (function, dim) = match (call.operator.scalar?, operands) {
            (ScalarOp::SizeOf, [_, dim]) if self.is_int(*dim) => {
                (tensors::size as *const (), Some(*dim))
            }
            (ScalarOp::RankOf, [_]) => (tensors::rank as *const (), None),
            (ScalarOp::LenTensor, [_]) => (tensors::len as *const (), None),
            (ScalarOp::NumelOf, [_]) => (tensors::numel as *const (), None),
            _ => return None,
        };
        let tensor = self.container(*operands.first()?)?;
        Some((tensor, function, dim, target))
    }

    /// Whether an operator asks a tensor for a number, and what may be borrowed that goes with it.
    pub(super) fn asks_tensor(&self, k: u32) -> Option<Option<Reg>> {
        let (tensor, ..) = self.tensor_question(k)?;
        Some(tensor.1.then_some(tensor.0))
    }

    /// An operator that asks a tensor for a number; `false` if it is none, or where the tensor would have to be dropped.
    pub(super) fn tensor_operator(&mut self, at: usize, k: u32) -> bool {
        let Some(((tensor, goes), function, dim, target)) = self.tensor_question(k) else {
            return false;
        };
        if goes && !self.borrowed.contains_key(&tensor) {
            return false;
        }
        let dim = match dim {
            Some(dim) => self.operand_number(dim).map(|d| d.1),
            None => Some(self.b.ins().iconst(types::I64, 0)),
        };
        let Some(dim) = dim else {
            return false;
        };
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let address = self.value_address(tensor);
        let number = self.call_number(function as i64, &[self.run, address, dim], types::I64);
        let is_known = self
            .b
            .ins()
            .icmp_imm_s(IntCC::SignedGreaterThanOrEqual, number, 0);
        let known = self.b.create_block();
        self.b.ins().brif(is_known, known, &[], slow, &[]);
        self.b.switch_to_block(known);
        self.set(at, target, RegisterKind::Int, number);
        let ends = self.those_borrowed(goes.then_some(tensor));
        self.finish(at, slow, next, &ends);
        true
    }
}
