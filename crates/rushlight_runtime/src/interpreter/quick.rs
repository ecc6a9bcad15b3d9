//! Instructions that wait for nobody and run nobody's code: what machine code does while it has the floor.

use super::execute::{peek, read};
use super::{extended, scalar};
use crate::code::{Code, Extended, Insn, NOWHERE, Operand, OperatorCall, Reg, Source};
use rushlight_tensor::memory;
use rushlight_types::{Result, ScalarOp, Value};

/// Operators with more arguments are called.
const MOST: usize = 8;

/// Calls an operator by its quick form, which looks at the arguments where they are; `false`, and nothing done, where it has
/// none for these. Nobody may be watching.
#[inline(always)]
pub(super) fn operator(code: &Code, call: &OperatorCall, frame: &mut [Value]) -> Result<bool> {
    let Some(quick) = call.operator.quick_form() else {
        return Ok(false);
    };
    let operands = call.arguments.of(&code.operands);
    if call.operator.scalar == Some(ScalarOp::AddStr) && grow(code, call, frame) {
        return Ok(true);
    }
    let none = Value::None;
    let mut inputs = [&none; MOST];
    let Some(inputs) = inputs.get_mut(..operands.len()) else {
        return Ok(false);
    };
    for (input, operand) in inputs.iter_mut().zip(operands) {
        *input = peek(*operand, frame, &code.constants);
    }
    let mut result = Value::None;
    if !quick(inputs, &mut result)? {
        return Ok(false);
    }
    for operand in operands {
        if let Source::Move(r) = operand.source() {
            frame[r as usize] = Value::None;
        }
    }
    match *call.results.of(&code.targets) {
        [target] if target != NOWHERE => scalar::put(&mut frame[target as usize], result),
        _ => {}
    }
    Ok(true)
}

/// Adds a string to one that goes with this use, in its place; `false`, and nothing done, where that one is needed again or
/// short.
fn grow(code: &Code, call: &OperatorCall, frame: &mut [Value]) -> bool {
    let (&[first, second], &[target]) = (
        call.arguments.of(&code.operands),
        call.results.of(&code.targets),
    ) else {
        return false;
    };
    let (Source::Move(r), more) = (first.source(), second.source()) else {
        return false;
    };
    let is_long = matches!(&frame[r as usize], Value::Str(s) if s.is_long());
    let is_text = matches!(peek(second, frame, &code.constants), Value::Str(_));
    if !is_long
        || !is_text
        || target == NOWHERE
        || more.register().is_some_and(|(other, _)| other == r)
    {
        return false;
    }
    let mut grown = std::mem::take(&mut frame[r as usize]);
    if let (Value::Str(grown), Value::Str(more)) =
        (&mut grown, peek(second, frame, &code.constants))
    {
        grown.push(more);
    }
    if let Source::Move(other) = more {
        frame[other as usize] = Value::None;
    }
    scalar::put(&mut frame[target as usize], grown);
    true
}

/// Performs an instruction for machine code; `false`, and nothing done, where it may wait or what it drops may run code.
/// Nobody may be watching.
pub(super) fn perform_quickly(code: &Code, insn: usize, frame: &mut [Value]) -> Result<bool> {
    let is_light = |r: Reg, frame: &[Value]| r == NOWHERE || frame[r as usize].is_light();
    match code.insns[insn] {
        Insn::Drop(r) if is_light(r, frame) => frame[r as usize] = Value::None,
        Insn::Constant(d, k) if is_light(d, frame) => {
            frame[d as usize] = code.constants[k as usize].clone();
        }
        Insn::Copy(d, s) if is_light(d, frame) => frame[d as usize] = frame[s as usize].clone(),
        Insn::Move(d, s) if is_light(d, frame) => {
            frame[d as usize] = std::mem::take(&mut frame[s as usize]);
        }
        Insn::ListGet(d, list, index) if is_light(d, frame) => {
            let (Value::List(list), Value::Int(index)) =
                (&frame[list as usize], &frame[index as usize])
            else {
                return Ok(false);
            };
            let Some(items) = list.items.try_lock() else {
                return Ok(false);
            };
            let Some(at) = scalar::place(*index, items.len()) else {
                return Ok(false);
            };
            let mut item = Value::None;
            items[at].copy_to(&mut item);
            drop(items);
            scalar::put(&mut frame[d as usize], item);
        }
        Insn::ListAppend(list, element) => {
            let value = read(element, frame, &code.constants);
            let Err(value) = append(&frame[list as usize], value) else {
                return Ok(true);
            };
            if let Source::Move(r) = element.source() {
                frame[r as usize] = value;
            }
            return Ok(false);
        }
        Insn::Operator(k) => {
            let call = &code.operators[k as usize];
            let operands = call.arguments.of(&code.operands).iter();
            let mut results = call.results.of(&code.targets).iter();
            let is_fine = operands.clone().all(|o| goes_lightly(*o, frame))
                && results.all(|r| is_light(*r, frame))
                // Those may have to be waited for.
                && !operands.clone().any(|o| peek(*o, frame, &code.constants).is_list());
            if !is_fine {
                return Ok(false);
            }
            return operator(code, call, frame);
        }
        Insn::Extended(k) => {
            let instruction = &code.extended[k as usize];
            let is_quick = match instruction {
                Extended::Tuple { target, .. }
                | Extended::List { target, .. }
                | Extended::CreateObject { target, .. } => is_light(*target, frame),
                // Of equal keys one value would be dropped.
                Extended::Dict { items, target, .. } => {
                    items.of(&code.operands).is_empty() && is_light(*target, frame)
                }
                Extended::TupleUnpack { tuple, targets } => {
                    let mut targets = targets.of(&code.targets).iter();
                    goes_lightly(*tuple, frame) && targets.all(|r| is_light(*r, frame))
                }
                Extended::TupleIndex { tuple, target, .. } => {
                    goes_lightly(*tuple, frame) && is_light(*target, frame)
                }
                Extended::GetAttr {
                    object,
                    slot,
                    target,
                } if is_light(*target, frame) && *target != NOWHERE => {
                    let Some(value) = attribute(*object, *slot, frame) else {
                        return Ok(false);
                    };
                    frame[*target as usize] = value;
                    return Ok(true);
                }
                _ => false,
            };
            return Ok(is_quick && extended::perform(code, instruction, frame)?);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Appends to a list of anything that nobody else is looking at; gives the value back otherwise.
fn append(list: &Value, value: Value) -> std::result::Result<(), Value> {
    let Value::List(list) = list else {
        return Err(value);
    };
    match list.items.try_lock() {
        Some(mut items) => memory::push(&mut items, value),
        None => return Err(value),
    }
    Ok(())
}

/// The attribute of an object that stays and that nobody else is looking at.
fn attribute(object: Operand, slot: usize, frame: &[Value]) -> Option<Value> {
    let Source::Copy(r) = object.source() else {
        return None;
    };
    let Value::Object(object) = &frame[r as usize] else {
        return None;
    };
    object.guarded().try_lock()?.get(slot).cloned()
}

/// Whether the operand stays, or its last use drops nothing but memory.
fn goes_lightly(operand: Operand, frame: &[Value]) -> bool {
    match operand.source() {
        Source::Move(r) => frame[r as usize].is_light(),
        _ => true,
    }
}
