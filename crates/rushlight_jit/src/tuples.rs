//! Tuples of machine code: made of registers and taken apart into them, by instructions that have been looked at once.

use crate::site::take_part;
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
        /// Whether the tuple goes with this use.
        goes: bool,
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

    /// An item of one.
    pub fn index(code: &Code, tuple: Operand, index: Operand, target: Reg) -> Option<TupleSite> {
        let (tuple, goes) = tuple.source().register()?;
        let Source::Constant(k) = index.source() else {
            return None;
        };
        let at = code.constants[k as usize].as_int().ok()?;
        Some(TupleSite::Index {
            tuple,
            goes,
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
                // Nothing may unwind through machine code; there is room before anything is moved.
                let made = catch_unwind(AssertUnwindSafe(|| {
                    Tuple::build(items.len(), ty.clone(), |i, to| match items[i] {
                        Source::Constant(k) => code.constants[k as usize].copy_to(to),
                        Source::Copy(r) => frame[r as usize].copy_to(to),
                        Source::Move(r) => frame[r as usize].take_to(to),
                    })
                }));
                let Ok(made) = made else {
                    return false;
                };
                frame[*target as usize].put(|| Value::Tuple(made));
            }
            TupleSite::Unpack { tuple, targets } => {
                let Some((r, goes)) = tuple.register() else {
                    return false;
                };
                let Value::Tuple(tuple) = &frame[r as usize] else {
                    return false;
                };
                let is_fine = tuple.items.len() == targets.len()
                    // A register that is emptied may take an item of what was in it.
                    && targets.iter().all(|t| (*t == r && goes) || (*t != r && is_light(frame, *t)))
                    // What nobody takes is dropped.
                    && (!targets.contains(&NOWHERE) || frame[r as usize].is_light());
                if !is_fine {
                    return false;
                }
                if goes {
                    let Value::Tuple(mut tuple) = std::mem::take(&mut frame[r as usize]) else {
                        return false;
                    };
                    let places = targets.iter().map(|t| frame_place(*t));
                    match Arc::get_mut(&mut tuple) {
                        Some(own) => {
                            for (item, place) in own.items.iter_mut().zip(places) {
                                if let Some(place) = place {
                                    item.take_to(&mut frame[place]);
                                }
                            }
                        }
                        None => {
                            for (item, place) in tuple.items.iter().zip(places) {
                                if let Some(place) = place {
                                    item.copy_to(&mut frame[place]);
                                }
                            }
                        }
                    }
                } else {
                    for (i, target) in targets.iter().enumerate() {
                        let places = [r as usize, *target as usize];
                        if let Ok([tuple, to]) = frame.get_disjoint_mut(places) {
                            copy_item(tuple, i, to);
                        }
                    }
                }
            }
            TupleSite::Index {
                tuple: r,
                goes,
                at,
                target,
            } => {
                let part = |tuple: &Value, to: &mut Value| copy_item(tuple, *at, to);
                return take_part(frame, (*r, *goes), *target, part);
            }
        }
        true
    }
}

/// Copies an item to a place that is free; `false` where there is none.
fn copy_item(tuple: &Value, at: usize, to: &mut Value) -> bool {
    let Value::Tuple(tuple) = tuple else {
        return false;
    };
    let item = tuple.items.get(at);
    item.is_some_and(|item| {
        item.copy_to(to);
        true
    })
}

/// The place of a register, if it is one.
fn frame_place(r: Reg) -> Option<usize> {
    (r != NOWHERE).then_some(r as usize)
}
