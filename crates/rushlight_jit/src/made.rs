//! Lists, dicts and objects that machine code makes, by instructions that have been looked at once.

use rushlight_runtime::code::{Code, Extended, NOWHERE, Reg, Source};
use rushlight_types::{ClassType, Dict, GenericList, Object, Type, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Longer lists are the host's.
const LONGEST: usize = 16;

/// What an instruction makes.
pub struct MakeSite {
    what: Made,
    target: Reg,
}

enum Made {
    Ints(Vec<Source>),
    Floats(Vec<Source>),
    Bools(Vec<Source>),
    List(Type, Vec<Source>),
    /// A dict without entries.
    Dict(Type, Type),
    Object(Arc<ClassType>),
}

impl MakeSite {
    /// The making of something, if machine code does it.
    pub fn new(code: &Code, instruction: &Extended) -> Option<MakeSite> {
        let (what, target) = match instruction {
            Extended::List {
                items,
                element,
                target,
            } => {
                let items = items.of(&code.operands);
                if items.len() > LONGEST {
                    return None;
                }
                let items = items.iter().map(|o| o.source()).collect();
                let what = match element.runtime() {
                    Type::Int => Made::Ints(items),
                    Type::Float => Made::Floats(items),
                    Type::Bool => Made::Bools(items),
                    Type::Tensor(_) => return None,
                    other => Made::List(other, items),
                };
                (what, *target)
            }
            Extended::Dict {
                items,
                key,
                value,
                target,
            } if items.of(&code.operands).is_empty() => {
                (Made::Dict(key.clone(), value.clone()), *target)
            }
            Extended::CreateObject { class, target } => (Made::Object(class.clone()), *target),
            _ => return None,
        };
        (target != NOWHERE).then_some(MakeSite { what, target })
    }

    /// Makes it; `false`, and nothing done, where the host has to.
    pub fn perform(&self, code: &Code, frame: &mut [Value]) -> bool {
        if !frame[self.target as usize].is_light() {
            return false;
        }
        // Nothing may unwind through machine code; where there is no memory, the host meets the same and says so.
        let work = AssertUnwindSafe(|| match self.what.make(code, frame) {
            Some(made) => {
                frame[self.target as usize].put(|| made);
                true
            }
            None => false,
        });
        catch_unwind(work).unwrap_or(false)
    }
}

/// The int, if it is one.
pub(crate) fn int(value: &Value) -> Option<i64> {
    match value {
        Value::Int(i) => Some(*i),
        _ => None,
    }
}

/// The float, if it is one.
pub(crate) fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Float(f) => Some(*f),
        _ => None,
    }
}

/// The bool, if it is one.
pub(crate) fn bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(b) => Some(*b),
        _ => None,
    }
}

/// The numbers of sources; `None` where one is none of their kind.
fn numbers<T>(
    sources: &[Source],
    code: &Code,
    frame: &[Value],
    number: impl Fn(&Value) -> Option<T>,
) -> Option<Vec<T>> {
    let mut found = Vec::with_capacity(sources.len());
    for source in sources {
        found.push(number(match *source {
            Source::Constant(k) => &code.constants[k as usize],
            Source::Copy(r) | Source::Move(r) => &frame[r as usize],
        })?);
    }
    Some(found)
}

impl Made {
    #[inline(always)]
    fn make(&self, code: &Code, frame: &mut [Value]) -> Option<Value> {
        Some(match self {
            Made::Ints(items) => Value::IntList(numbers(items, code, frame, int)?.into()),
            Made::Floats(items) => Value::FloatList(numbers(items, code, frame, float)?.into()),
            Made::Bools(items) => Value::BoolList(numbers(items, code, frame, bool)?.into()),
            Made::List(element, items) => {
                // There is room before anything is moved.
                let fill = |i: usize, to: &mut Value| match items[i] {
                    Source::Constant(k) => code.constants[k as usize].copy_to(to),
                    Source::Copy(r) => frame[r as usize].copy_to(to),
                    Source::Move(r) => frame[r as usize].take_to(to),
                };
                Value::List(GenericList::build(element.clone(), items.len(), fill))
            }
            Made::Dict(key, value) => Value::Dict(Arc::new(Dict::new(key.clone(), value.clone()))),
            Made::Object(class) => Value::Object(Object::new(class.clone())),
        })
    }
}
