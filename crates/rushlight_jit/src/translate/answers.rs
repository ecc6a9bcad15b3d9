//! What operators say of strings of one byte. One that is told nothing else but constants (`c.isdigit()`, `c in "+-*/"`) is
//! asked about every such string when it is translated; machine code looks the answer up.

use super::Translator;
use super::text::Text;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, types};
use rushlight_runtime::code::{NOWHERE, Reg, RegisterKind, Source};
use rushlight_types::{Str, Type, Value as Constant};

/// So many bytes are characters.
const BYTES: usize = 128;
/// More arguments no such operator has.
const MOST: usize = 8;

impl Translator<'_> {
    /// An operator that says something of a string that may be one byte; `false` if it is none.
    pub(super) fn byte_operator(&mut self, at: usize, k: u32) -> bool {
        let Some((text, target, answers)) = self.answers(k) else {
            return false;
        };
        let kind = self.code.kinds[target as usize];
        let table = self.sites.keep_table(answers);
        let (slow, next, one) = (
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
        );
        let byte = self.only_byte(&text, slow);
        let is_plain = self
            .b
            .ins()
            .icmp_imm_u(IntCC::UnsignedLessThan, byte, BYTES as i64);
        self.b.ins().brif(is_plain, one, &[], slow, &[]);
        self.begin(one);
        let table = self.b.ins().iconst(types::I64, table);
        let place = self.b.ins().iadd(table, byte);
        let answer = self.b.ins().load(types::I8, self.memory.element, place, 0);
        let answer = match kind {
            RegisterKind::Bool => answer,
            _ => self.b.ins().sextend(types::I64, answer),
        };
        self.set(at, target, kind, answer);
        self.finish(at, slow, next, &[]);
        true
    }

    /// The string that an operator is asked about, where the answer goes, and the answers.
    fn answers(&self, k: u32) -> Option<(Text, Reg, [i8; BYTES])> {
        let call = &self.code.operators[k as usize];
        let quick = call.operator.quick_form()?;
        let operands = call.arguments.of(&self.code.operands);
        let [target] = *call.results.of(&self.code.targets) else {
            return None;
        };
        let is_number = target != NOWHERE
            && self.live.is_kept(target)
            && matches!(
                self.code.kinds[target as usize],
                RegisterKind::Bool | RegisterKind::Int
            );
        if !is_number || operands.len() > MOST {
            return None;
        }
        let mut asked = None;
        let mut given = [const { Constant::None }; MOST];
        for (i, (operand, to)) in operands.iter().zip(&mut given).enumerate() {
            match operand.source() {
                Source::Constant(constant) => {
                    let constant = &self.code.constants[constant as usize];
                    *to = is_fixed(constant).then(|| constant.clone())?;
                }
                Source::Copy(r) | Source::Move(r) => match self.preloaded(r) {
                    Some(constant) => *to = is_fixed(constant).then(|| constant.clone())?,
                    None if asked.is_none() && !self.borrowed.contains_key(&r) => asked = Some(i),
                    None => return None,
                },
            }
        }
        let asked = asked?;
        let argument = call.operator.schema().arguments.get(asked)?;
        if argument.ty != Type::Str {
            return None;
        }
        let mut answers = [0; BYTES];
        for (byte, answer) in answers.iter_mut().enumerate() {
            given[asked] = Constant::Str(Str::of_byte(byte as u8));
            let given = given.each_ref();
            let mut said = Constant::None;
            if !quick(&given[..operands.len()], &mut said).ok()? {
                return None;
            }
            *answer = match (said, self.code.kinds[target as usize]) {
                (Constant::Bool(holds), RegisterKind::Bool) => i8::from(holds),
                (Constant::Int(number), RegisterKind::Int) => i8::try_from(number).ok()?,
                _ => return None,
            };
        }
        Some((self.text(operands[asked])?, target, answers))
    }
}

/// Whether a constant is one that nothing changes and nobody waits for.
fn is_fixed(constant: &Constant) -> bool {
    let is_number = matches!(constant, Constant::Int(_) | Constant::Bool(_));
    is_number || constant.is_list() || matches!(constant, Constant::Str(_) | Constant::None)
}
