//! Tuples of machine code: made of registers and taken apart into them, by instructions that have been looked at once.

use rushlight_runtime::code::{Code, Entries, NOWHERE, Operand, Reg, Source};
use rushlight_types::{Tuple, TupleType, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Longer ones are the host's.
const LONGEST: usize = 8;

/// What a tuple instruction does.
pub enum TupleSite {
    Make {
        items: Vec<Source>,
        ty: Option<Arc<TupleType>>,
        target: Reg,
    },
    Unpack {
        tuple: Source,
        targets: Vec<Reg>,
    },
    Index {
        tuple: Reg,
        at: usize,
        target: Reg,
    },
}

fn is_light(frame: &[Value], r: Reg) -> bool {
    r == NOWHERE || frame[r as usize].is_light()
}

impl TupleSite {
    /// The making of a tuple.
    pub fn make(
        code: &Code,
        items: Entries,
        ty: &Option<Arc<TupleType>>,
        target: Reg,
    ) -> Option<TupleSite> {
        let items = items.of(&code.operands);
        (items.len() <= LONGEST && target != NOWHERE).then(|| TupleSite::Make {
            items: items.iter().map(|o| o.source()).collect(),
            ty: ty.clone(),
            target,
        })
    }

    /// The taking apart of one.
    pub fn unpack(code: &Code, tuple: Operand, targets: Entries) -> Option<TupleSite> {
        let targets = targets.of(&code.targets);
        let tuple = tuple.source();
        let is_known = !matches!(tuple, Source::Constant(_)) && targets.len() <= LONGEST;
        is_known.then(|| TupleSite::Unpack {
            tuple,
            targets: targets.to_vec(),
        })
    }

    /// An item of one that stays.
    pub fn index(code: &Code, tuple: Operand, index: Operand, target: Reg) -> Option<TupleSite> {
        let (Source::Copy(tuple), Source::Constant(k)) = (tuple.source(), index.source()) else {
            return None;
        };
        let at = code.constants[k as usize].as_int().ok()?;
        Some(TupleSite::Index {
            tuple,
            at: usize::try_from(at).ok()?,
            target: (target != NOWHERE).then_some(target)?,
        })
    }

    /// Performs the instruction; `false`, and nothing done, where the host has to.
    pub fn perform(&self, code: &Code, frame: &mut [Value]) -> bool {
        match self {
            TupleSite::Make { items, ty, target } => {
                if !is_light(frame, *target) {
                    return false;
                }
                // Nothing may unwind through machine code, so room comes before anything is moved.
                let made = catch_unwind(AssertUnwindSafe(|| {
                    let mut tuple = Tuple {
                        items: Default::default(),
                        ty: ty.clone(),
                    };
                    tuple.items.reserve_exact(items.len());
                    Arc::new(tuple)
                }));
                let Ok(mut made) = made else {
                    return false;
                };
                let Some(tuple) = Arc::get_mut(&mut made) else {
                    return false;
                };
                for item in items {
                    tuple.items.push(match *item {
                        Source::Constant(k) => code.constants[k as usize].clone(),
                        Source::Copy(r) => frame[r as usize].clone(),
                        Source::Move(r) => std::mem::take(&mut frame[r as usize]),
                    });
                }
                frame[*target as usize] = Value::Tuple(made);
            }
            TupleSite::Unpack { tuple, targets } => {
                let (r, goes) = match *tuple {
                    Source::Copy(r) => (r, false),
                    Source::Move(r) => (r, true),
                    Source::Constant(_) => return false,
                };
                let Value::Tuple(tuple) = &frame[r as usize] else {
                    return false;
                };
                let is_fine = tuple.items.len() == targets.len()
                    && targets.iter().all(|t| *t != r && is_light(frame, *t))
                    // What nobody takes is dropped.
                    && (!targets.contains(&NOWHERE) || frame[r as usize].is_light());
                if !is_fine {
                    return false;
                }
                if goes {
                    let Value::Tuple(tuple) = std::mem::take(&mut frame[r as usize]) else {
                        return false;
                    };
                    match Arc::try_unwrap(tuple) {
                        Ok(mut tuple) => put(frame, targets, tuple.items.drain(..)),
                        Err(tuple) => put(frame, targets, tuple.items.iter().cloned()),
                    }
                } else {
                    let tuple = tuple.clone();
                    put(frame, targets, tuple.items.iter().cloned());
                }
            }
            TupleSite::Index { tuple, at, target } => {
                let Value::Tuple(tuple) = &frame[*tuple as usize] else {
                    return false;
                };
                let Some(item) = tuple.items.get(*at) else {
                    return false;
                };
                let item = item.clone();
                if !is_light(frame, *target) {
                    return false;
                }
                frame[*target as usize] = item;
            }
        }
        true
    }
}

fn put(frame: &mut [Value], targets: &[Reg], items: impl Iterator<Item = Value>) {
    for (target, item) in targets.iter().zip(items) {
        if *target != NOWHERE {
            frame[*target as usize] = item;
        }
    }
}
