//! Loans: what an instruction does with what is borrowed, and how long something can be.
//!
//! A loan begins where something is fetched that a few instructions look at (see [`super::borrow`]) and ends where the
//! instructions drop it or use it for the last time. Between the two, machine code does everything itself; where it cannot,
//! it leaves before the instruction, and the host does again what has been fetched so far. So what has an effect is
//! never among what is done again. The last instruction, behind which nothing is borrowed, may be the host's.

use super::Translator;
use rushlight_runtime::code::{Code, Extended, Insn, NOWHERE, Operand, Reg, RegisterKind, Source};
use rushlight_types::{ScalarOp, Value as Constant};

/// Instructions that are looked at for the end of a loan.
const LONGEST: usize = 64;

/// Attributes further back are the host's.
pub(super) const SLOTS: usize = 1 << 20;

/// What an instruction does with what may be borrowed.
#[derive(Default)]
struct LoanUse {
    /// Registers that hold something borrowed if anything, and nothing after it.
    ends: Vec<Reg>,
    /// Registers whose strings it uses for the last time, be they borrowed or not.
    last_texts: Vec<Reg>,
    /// What it fetches, which may be borrowed in turn.
    fetched: Option<Reg>,
    /// Registers of strings by which it looks something up.
    keys: Vec<Reg>,
    /// Whether it has an effect.
    once: bool,
    /// Whether it must be the last one: it writes what it makes to the frame, or the host does it.
    is_last: bool,
    /// Whether it changes which elements a list of anything has.
    moves_elements: bool,
    /// A register that it leaves empty.
    empties: Option<Reg>,
}

/// What is open while instructions are looked at.
#[derive(Clone, Default)]
pub(super) struct Open {
    /// The registers that hold something borrowed.
    pub registers: Vec<Reg>,
    /// The strings of the frame that what is done again looks something up by.
    pub keys: Vec<Reg>,
    /// Whether an element of a list of anything is among what is done again.
    pub has_elements: bool,
}

impl Translator<'_> {
    fn is_anything(&self, r: Reg) -> bool {
        self.code.kinds[r as usize] == RegisterKind::Other
    }

    fn is_number_for_sure(&self, r: Reg) -> bool {
        !matches!(
            self.code.kinds[r as usize],
            RegisterKind::Other | RegisterKind::Optional
        )
    }

    /// Whether machine code takes apart a tuple into such registers.
    pub(super) fn unpacks_numbers(&self, targets: &[Reg]) -> bool {
        let is_number =
            |t: &Reg| *t != NOWHERE && self.live.is_kept(*t) && self.is_number_for_sure(*t);
        self.layout.tuple.is_some() && targets.len() <= 8 && targets.iter().all(is_number)
    }

    /// Whether an operand is a number for sure.
    fn is_numeric(&self, operand: Operand) -> bool {
        match operand.source() {
            Source::Constant(k) => self.is_number_constant(k),
            Source::Copy(r) | Source::Move(r) => self.is_number_for_sure(r),
        }
    }

    fn is_number_constant(&self, k: u32) -> bool {
        matches!(
            self.code.constants[k as usize],
            Constant::Int(_) | Constant::Float(_) | Constant::Bool(_)
        )
    }

    /// The register of a container, which may go with this use.
    pub(super) fn container(&self, operand: Operand) -> Option<(Reg, bool)> {
        operand
            .source()
            .register()
            .filter(|(r, _)| self.is_anything(*r))
    }

    /// A use that fetches something into a register.
    fn fetching(&self, from: Option<(Reg, bool)>, target: Reg) -> Option<LoanUse> {
        let ends = from.filter(|f| f.1).map(|f| f.0).into_iter().collect();
        let is_kept = target != NOWHERE && self.live.is_kept(target);
        if is_kept && self.is_number_for_sure(target) {
            return Some(LoanUse {
                ends,
                ..LoanUse::default()
            });
        }
        let is_anything = target != NOWHERE && self.is_anything(target);
        is_anything.then(|| LoanUse {
            ends,
            fetched: Some(target),
            ..LoanUse::default()
        })
    }

    /// What an instruction does with what may be borrowed; `None` if there must be no loan over it.
    fn loan_use(&self, at: usize) -> Option<LoanUse> {
        let insn = self.code.insns[at];
        let quiet = || Some(LoanUse::default());
        match insn {
            Insn::Drop(r) => Some(LoanUse {
                ends: vec![r],
                ..LoanUse::default()
            }),
            Insn::ListGet(d, list, index) => {
                let is_known =
                    self.is_anything(list) && self.code.kinds[index as usize] == RegisterKind::Int;
                is_known.then(|| self.fetching(None, d)).flatten()
            }
            Insn::ListLen(d, list) => {
                (self.live.is_kept(d) && self.is_anything(list)).then(LoanUse::default)
            }
            Insn::ListSet(list, index, value) => {
                let is_known = self.is_anything(list)
                    && self.is_number_for_sure(index)
                    && self.is_numeric(value);
                is_known.then(|| LoanUse {
                    once: true,
                    ..LoanUse::default()
                })
            }
            Insn::ListAppend(list, value) => {
                if !self.is_anything(list) {
                    return None;
                }
                if self.is_numeric(value) {
                    return Some(LoanUse {
                        once: true,
                        ..LoanUse::default()
                    });
                }
                if matches!(value.source(), Source::Constant(_)) {
                    return Some(LoanUse {
                        once: true,
                        moves_elements: true,
                        ..LoanUse::default()
                    });
                }
                let (r, goes) = self.container(value).filter(|v| v.0 != list)?;
                Some(LoanUse {
                    once: true,
                    moves_elements: true,
                    empties: goes.then_some(r),
                    ..LoanUse::default()
                })
            }
            Insn::Constant(d, k) => {
                let is_quiet = self.live.is_kept(d) && self.is_number_constant(k);
                is_quiet.then(LoanUse::default)
            }
            Insn::Extended(k) => match &self.code.extended[k as usize] {
                Extended::GetAttr {
                    object,
                    slot,
                    target,
                } if *slot < SLOTS => self.fetching(Some(self.container(*object)?), *target),
                Extended::TupleIndex {
                    tuple,
                    index,
                    target,
                } => {
                    self.tuple_index(*index)?;
                    self.fetching(Some(self.container(*tuple)?), *target)
                }
                Extended::TupleUnpack { tuple, targets } => {
                    let (r, goes) = self.container(*tuple)?;
                    let targets = targets.of(&self.code.targets);
                    self.unpacks_numbers(targets).then(|| LoanUse {
                        ends: goes.then_some(r).into_iter().collect(),
                        ..LoanUse::default()
                    })
                }
                Extended::SetAttr {
                    object,
                    slot,
                    value,
                } if *slot < SLOTS && self.is_numeric(*value) => {
                    let (r, goes) = self.container(*object)?;
                    Some(LoanUse {
                        ends: goes.then_some(r).into_iter().collect(),
                        once: true,
                        ..LoanUse::default()
                    })
                }
                _ => None,
            },
            Insn::Operator(k) => match self.popped(k) {
                Some(list) => Some(LoanUse {
                    ends: vec![list],
                    once: true,
                    ..LoanUse::default()
                }),
                None if self.is_direct(k) => quiet(),
                None => self
                    .dict_use(k)
                    .or_else(|| self.text_use(k))
                    .or_else(|| self.tensor_use(k))
                    .or_else(|| self.quick_use(at, k)),
            },
            insn if self.leaves(insn) => None,
            insn => {
                let mut is_quiet = Code::jump_target(insn).is_none();
                self.code.reads(insn, |r| is_quiet &= !self.is_anything(r));
                self.code.writes(insn, |r| is_quiet &= self.live.is_kept(r));
                is_quiet.then(LoanUse::default)
            }
        }
    }

    /// The string in an operand: nothing to say of a constant.
    fn note_text(&self, operand: Operand, found: &mut LoanUse) -> Option<()> {
        match operand.source() {
            Source::Constant(k) => {
                matches!(self.code.constants[k as usize], Constant::Str(_)).then_some(())
            }
            Source::Copy(r) => self.is_anything(r).then(|| found.keys.push(r)),
            Source::Move(r) => self.is_anything(r).then(|| {
                found.keys.push(r);
                found.last_texts.push(r);
            }),
        }
    }

    fn dict_use(&self, k: u32) -> Option<LoanUse> {
        let call = &self.code.operators[k as usize];
        let op = call.operator.scalar?;
        let operands = call.arguments.of(&self.code.operands);
        let target = call.results.of(&self.code.targets).first().copied();
        let (dict, goes) = self.container(*operands.first()?)?;
        let mut found = match (op, operands.len()) {
            (ScalarOp::DictGet, 2) => self.fetching(None, target?)?,
            (ScalarOp::DictHas, 2) => {
                let is_kept = target.is_some_and(|t| t != NOWHERE && self.live.is_kept(t));
                is_kept.then(LoanUse::default)?
            }
            (ScalarOp::DictLen, 1) => {
                let is_kept = target.is_some_and(|t| t != NOWHERE && self.live.is_kept(t));
                is_kept.then(LoanUse::default)?
            }
            (ScalarOp::DictGetOr, 3) => {
                let target = target.filter(|t| *t != NOWHERE && self.live.is_kept(*t))?;
                let is_known = self.is_number_for_sure(target) && self.is_numeric(operands[2]);
                is_known.then(LoanUse::default)?
            }
            (ScalarOp::DictFind, 2) => {
                let is_taken = target.is_some_and(|t| {
                    t != NOWHERE && self.code.kinds[t as usize] == RegisterKind::Optional
                });
                (is_taken && self.live.is_kept(target?)).then(LoanUse::default)?
            }
            (ScalarOp::DictSet, 3) => self.is_numeric(operands[2]).then(|| LoanUse {
                once: true,
                ..LoanUse::default()
            })?,
            _ => return None,
        };
        if let Some(key) = operands.get(1)
            && !self.is_int(*key)
        {
            self.note_text(*key, &mut found)?;
        }
        if goes {
            found.ends.push(dict);
        }
        Some(found)
    }

    fn text_use(&self, k: u32) -> Option<LoanUse> {
        let call = &self.code.operators[k as usize];
        let op = call.operator.scalar?;
        let operands = call.arguments.of(&self.code.operands);
        let [target] = *call.results.of(&self.code.targets) else {
            return None;
        };
        if target == NOWHERE {
            return None;
        }
        let mut found = LoanUse::default();
        let texts = match op {
            ScalarOp::EqStr | ScalarOp::NeStr | ScalarOp::AddStr => 2,
            ScalarOp::LenStr | ScalarOp::OrdStr | ScalarOp::GetStr => 1,
            _ => return None,
        };
        for text in operands.get(..texts)? {
            self.note_text(*text, &mut found)?;
        }
        match op {
            ScalarOp::AddStr => found.is_last = self.is_anything(target),
            ScalarOp::GetStr => {
                found.is_last = self.is_anything(target) && self.is_int(*operands.get(1)?);
            }
            _ => return self.live.is_kept(target).then_some(found),
        }
        found.is_last.then_some(found)
    }

    fn tensor_use(&self, k: u32) -> Option<LoanUse> {
        let goes = self.asks_tensor(k)?;
        Some(LoanUse {
            ends: goes.into_iter().collect(),
            ..LoanUse::default()
        })
    }

    /// A call that the host can make at once and that changes nothing it is given: the one thing that is borrowed lies in
    /// the frame meanwhile.
    fn quick_use(&self, at: usize, k: u32) -> Option<LoanUse> {
        let call = &self.code.operators[k as usize];
        let writes = call
            .operator
            .schema()
            .arguments
            .iter()
            .any(|a| a.is_written());
        if writes || !self.has_site(at, k) {
            return None;
        }
        let operands = call.arguments.of(&self.code.operands);
        let registers = operands.iter().filter_map(|o| self.container(*o));
        let moved = registers.filter(|r| r.1).map(|r| r.0).collect();
        Some(LoanUse {
            last_texts: moved,
            is_last: true,
            ..LoanUse::default()
        })
    }

    /// Whether what is fetched behind an instruction can be borrowed: whether machine code itself does all that is done
    /// with it and everything else up to its end.
    pub(super) fn may_stay_open(&self, at: usize, mut open: Open) -> bool {
        for next in at + 1..(at + LONGEST).min(self.code.insns.len()) {
            if self.blocks.contains_key(&next) {
                return false;
            }
            let Some(found) = self.loan_use(next) else {
                return false;
            };
            // What is not borrowed would have to be dropped.
            if found.ends.iter().any(|r| !open.registers.contains(r)) {
                return false;
            }
            let mut ends = found.ends.clone();
            ends.extend(
                found
                    .last_texts
                    .iter()
                    .filter(|r| open.registers.contains(r)),
            );
            open.registers.retain(|r| !ends.contains(r));
            let is_fine = found
                .empties
                .is_none_or(|r| !open.registers.contains(&r) && !open.keys.contains(&r));
            if !is_fine || found.moves_elements && open.has_elements {
                return false;
            }
            if let Some(d) = found.fetched {
                if open.keys.contains(&d) {
                    return false;
                }
                // What is written over is not borrowed any more.
                open.registers.retain(|r| *r != d);
                let mut lent = open.clone();
                lent.registers.push(d);
                lent.keys.extend(&found.keys);
                lent.has_elements |= matches!(self.code.insns[next], Insn::ListGet(..));
                return self.may_stay_open(next, lent) || open.registers.is_empty();
            }
            if open.registers.is_empty() {
                return true;
            }
            if found.is_last || found.once && !ends.is_empty() {
                return false;
            }
            if !ends.is_empty() {
                open.keys.extend(&found.keys);
            }
        }
        false
    }
}
