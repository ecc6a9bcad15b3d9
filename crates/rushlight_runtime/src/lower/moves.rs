//! Parallel moves: several registers take new values at once, as at the end of a branch or of a loop's body.

use super::Lowerer;
use crate::code::{Insn, Operand, Reg, Source};

impl Lowerer<'_> {
    /// Emits the moves in an order in which no source is overwritten before it is read; cycles go through a spare
    /// register. The targets are distinct.
    pub(super) fn parallel_moves(&mut self, moves: Vec<(Reg, Operand)>) {
        let mut pending = settle(moves);
        while !pending.is_empty() {
            let is_read = |target: Reg| pending.iter().any(|(_, s)| register(*s) == Some(target));
            match pending.iter().position(|(target, _)| !is_read(*target)) {
                Some(ready) => {
                    let (target, operand) = pending.remove(ready);
                    let again = pending
                        .iter()
                        .any(|(_, s)| register(*s).is_some() && register(*s) == register(operand));
                    self.load(target, if again { copied(operand) } else { operand });
                }
                None => {
                    // Every target is still to be read: a cycle. Set one source aside.
                    let Some(source) = register(pending[0].1) else {
                        unreachable!("constants are in no cycle")
                    };
                    let spare = self.allocate(self.places[source as usize].kind);
                    self.emit(Insn::Move(spare, source));
                    self.temporary.push(spare);
                    for (_, operand) in &mut pending {
                        if register(*operand) == Some(source) {
                            *operand = Operand::new(Source::Move(spare));
                        }
                    }
                }
            }
        }
    }
}

/// Leaves out what is in place already; a source that stays in place is only copied elsewhere.
fn settle(moves: Vec<(Reg, Operand)>) -> Vec<(Reg, Operand)> {
    let in_place: Vec<Reg> = moves
        .iter()
        .filter(|(target, s)| register(*s) == Some(*target))
        .map(|(target, _)| *target)
        .collect();
    // A value that is returned several times is moved by its last use only; which of them that is changes with the
    // order, so all say move and the emission copies all but the last.
    let moved: Vec<Reg> = moves
        .iter()
        .filter_map(|(_, s)| match s.source() {
            Source::Move(from) => Some(from),
            _ => None,
        })
        .collect();
    moves
        .into_iter()
        .filter(|(target, s)| register(*s) != Some(*target))
        .map(|(target, s)| match register(s) {
            Some(from) if in_place.contains(&from) => (target, Operand::new(Source::Copy(from))),
            Some(from) if moved.contains(&from) => (target, Operand::new(Source::Move(from))),
            _ => (target, s),
        })
        .collect()
}

fn register(operand: Operand) -> Option<Reg> {
    match operand.source() {
        Source::Copy(register) | Source::Move(register) => Some(register),
        Source::Constant(_) => None,
    }
}

fn copied(operand: Operand) -> Operand {
    match operand.source() {
        Source::Move(register) => Operand::new(Source::Copy(register)),
        _ => operand,
    }
}
