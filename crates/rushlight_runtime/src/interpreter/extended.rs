//! The rarer instructions that concern one frame's registers alone.

use super::execute::{peek, read};
use crate::code::{Code, Extended, NOWHERE, Operand, Source};
use rushlight_types::{Dict, Fault, Key, Object, Result, Tuple, Type, Value};
use std::sync::Arc;

/// Performs an instruction; `false` where it needs the machine.
pub(super) fn perform(code: &Code, instruction: &Extended, frame: &mut [Value]) -> Result<bool> {
    let constants = &code.constants;
    let gather = |run: crate::code::Entries, frame: &mut [Value]| -> Vec<Value> {
        let operands = run.of(&code.operands).iter();
        operands.map(|o| read(*o, frame, constants)).collect()
    };
    match instruction {
        Extended::Tuple { items, ty, target } => {
            let operands = items.of(&code.operands);
            let made = Tuple::build(operands.len(), ty.clone(), |i, to| {
                match operands[i].source() {
                    Source::Copy(r) => frame[r as usize].copy_to(to),
                    Source::Move(r) => frame[r as usize].take_to(to),
                    Source::Constant(k) => constants[k as usize].copy_to(to),
                }
            });
            frame[*target as usize].put(|| Value::Tuple(made));
        }
        Extended::TupleUnpack { tuple, targets } => {
            let tuple = read(*tuple, frame, constants);
            let targets = targets.of(&code.targets);
            scatter(&as_tuple(&tuple)?.items, targets, frame)?;
        }
        Extended::TupleIndex {
            tuple,
            index,
            target,
        } => {
            let index = peek(*index, frame, constants).as_int()?;
            let tuple = read(*tuple, frame, constants);
            let items = &as_tuple(&tuple)?.items;
            let at = if index < 0 {
                index + items.len() as i64
            } else {
                index
            };
            let item = usize::try_from(at).ok().and_then(|at| items.get(at));
            frame[*target as usize] = item
                .cloned()
                .ok_or_else(|| Fault::index("Tuple list index out of range"))?;
        }
        Extended::TupleSlice {
            tuple,
            begin,
            end,
            target,
        } => {
            let tuple = read(*tuple, frame, constants);
            let items = &as_tuple(&tuple)?.items;
            let len = items.len() as i64;
            let clip = |i: i64| if i < 0 { i + len } else { i }.clamp(0, len) as usize;
            let (begin, end) = (clip(*begin), clip(*end));
            let part = items[begin.min(end)..end].to_vec();
            frame[*target as usize] = Value::tuple(part);
        }
        Extended::List {
            items,
            element,
            target,
        } => {
            let ints = match element {
                Type::Int => ints(items.of(&code.operands), frame, constants),
                _ => None,
            };
            frame[*target as usize] = match ints {
                Some(list) => list,
                None => Value::list(element, gather(*items, frame))?,
            };
        }
        Extended::ListUnpack { list, targets } => {
            let list = read(*list, frame, constants);
            let targets = targets.of(&code.targets);
            let items = list.list_items()?;
            if items.len() != targets.len() {
                return Err(Fault::runtime(format!(
                    "Expected {} elements in a list but found {}",
                    targets.len(),
                    items.len()
                )));
            }
            scatter(&items, targets, frame)?;
        }
        Extended::Dict {
            items,
            key,
            value,
            target,
        } => {
            let dict = Dict::new(key.clone(), value.clone());
            {
                let mut entries = dict.items.lock();
                let mut items = gather(*items, frame).into_iter();
                while let (Some(key), Some(value)) = (items.next(), items.next()) {
                    entries.insert(Key::new(key)?, value);
                }
            }
            frame[*target as usize] = Value::Dict(Arc::new(dict));
        }
        Extended::GetAttr {
            object,
            slot,
            target,
        } => {
            let value = as_object(peek(*object, frame, constants))?.slot(*slot);
            // A moved object goes after its attribute has been read.
            drop(read(*object, frame, constants));
            frame[*target as usize] = value;
        }
        Extended::SetAttr {
            object,
            slot,
            value,
        } => {
            let value = read(*value, frame, constants);
            as_object(peek(*object, frame, constants))?.set_slot(*slot, value);
            drop(read(*object, frame, constants));
        }
        Extended::GetNamed {
            object,
            name,
            target,
        } => {
            let object = read(*object, frame, constants);
            let object = as_object(&object)?;
            frame[*target as usize] = object.get(name).ok_or_else(|| no_attribute(object, name))?;
        }
        Extended::SetNamed {
            object,
            name,
            value,
        } => {
            let value = read(*value, frame, constants);
            let object = read(*object, frame, constants);
            let object = as_object(&object)?;
            let slot = object
                .class()
                .slot(name)
                .ok_or_else(|| no_attribute(object, name))?;
            object.set_slot(slot, value);
        }
        Extended::CreateObject { class, target } => {
            frame[*target as usize] = Value::Object(Object::new(class.clone()));
        }
        Extended::IsInstance {
            value,
            types,
            target,
        } => {
            let value = read(*value, frame, constants);
            let fits = types.iter().any(|ty| value.is_instance(ty));
            frame[*target as usize] = Value::Bool(fits);
        }
        Extended::Raise { message, class } => {
            let message = peek(*message, frame, constants).as_str()?.to_string();
            let class = class.map(|c| peek(c, frame, constants));
            let class = match class {
                Some(Value::Str(class)) => class.to_string(),
                _ => String::new(),
            };
            return Err(Fault::raised(&class, message));
        }
        Extended::Entered { .. }
        | Extended::Exited
        | Extended::Wait { .. }
        | Extended::Warn { .. }
        | Extended::Closure { .. }
        | Extended::Awaitable { .. } => return Ok(false),
    }
    Ok(true)
}

/// A list of ints, put together without values between, as sizes are for every call; `None` where there is anything else.
fn ints(operands: &[Operand], frame: &[Value], constants: &[Value]) -> Option<Value> {
    let mut out = Vec::with_capacity(operands.len());
    for operand in operands {
        let Value::Int(i) = peek(*operand, frame, constants) else {
            return None;
        };
        out.push(*i);
    }
    Some(Value::IntList(out.into()))
}

fn as_tuple(value: &Value) -> Result<&Arc<Tuple>> {
    match value {
        Value::Tuple(tuple) => Ok(tuple),
        other => Err(Fault::internal(format!(
            "expected a tuple but found {}",
            other.type_of()
        ))),
    }
}

fn as_object(value: &Value) -> Result<&Arc<Object>> {
    match value {
        Value::Object(object) => Ok(object),
        other => Err(Fault::runtime(format!(
            "expected an object but found {}",
            other.type_of()
        ))),
    }
}

fn no_attribute(object: &Object, name: &str) -> Fault {
    Fault::runtime(format!(
        "{} has no attribute '{name}'",
        object.class().name()
    ))
}

fn scatter(items: &[Value], targets: &[u32], frame: &mut [Value]) -> Result<()> {
    if items.len() != targets.len() {
        return Err(Fault::internal(format!(
            "expected {} values but found {}",
            targets.len(),
            items.len()
        )));
    }
    for (item, &target) in items.iter().zip(targets) {
        if target != NOWHERE {
            frame[target as usize] = item.clone();
        }
    }
    Ok(())
}
