//! What a tensor says of itself, as a number.

use super::Translator;
use crate::run::tensors;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, types};
use rushlight_runtime::code::{NOWHERE, Operand, Reg, RegisterKind};
use rushlight_types::ScalarOp;

/// What an operator asks a tensor.
struct Question {
    tensor: Reg,
    /// Whether the tensor goes with this use.
    goes: bool,
    /// The function that knows the number.
    function: *const (),
    dim: Option<Operand>,
    target: Reg,
}

impl Translator<'_> {
    fn tensor_question(&self, k: u32) -> Option<Question> {
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
        let (tensor, goes) = self.container(*operands.first()?)?;
        Some(Question {
            tensor,
            goes,
            function,
            dim,
            target,
        })
    }

    /// Whether an operator asks a tensor for a number, and what may be borrowed that goes with it.
    pub(super) fn asks_tensor(&self, k: u32) -> Option<Option<Reg>> {
        let question = self.tensor_question(k)?;
        Some(question.goes.then_some(question.tensor))
    }

    /// An operator that asks a tensor for a number; `false` if it is none, or where the tensor would have to be dropped.
    pub(super) fn tensor_operator(&mut self, at: usize, k: u32) -> bool {
        let Some(question) = self.tensor_question(k) else {
            return false;
        };
        let Question {
            tensor,
            goes,
            target,
            ..
        } = question;
        if goes && !self.borrowed.contains_key(&tensor) {
            return false;
        }
        let dim = match question.dim {
            Some(dim) => self.operand_number(dim).map(|d| d.1),
            None => Some(self.b.ins().iconst(types::I64, 0)),
        };
        let Some(dim) = dim else {
            return false;
        };
        let (slow, next) = (self.b.create_block(), self.b.create_block());
        let address = self.value_address(tensor);
        let number = self.call_number(
            question.function as i64,
            &[self.run, address, dim],
            types::I64,
        );
        let is_known = self
            .b
            .ins()
            .icmp_imm_s(IntCC::SignedGreaterThanOrEqual, number, 0);
        let known = self.b.create_block();
        self.b.ins().brif(is_known, known, &[], slow, &[]);
        self.begin(known);
        self.set(at, target, RegisterKind::Int, number);
        let ends = self.those_borrowed(goes.then_some(tensor));
        self.finish(at, slow, next, &ends);
        true
    }
}
