//! The inner loop: the instructions of one frame, up to the next call or return.

use super::{extended, quick, scalar};
use crate::autocast;
use crate::code::{Code, Insn, NOWHERE, Operand, Reg, Source};
use crate::limits::Limiter;
use crate::profile;
use rushlight_tensor::watch;
use rushlight_types::{Context, Fault, Result, Value};

/// Why the inner loop has stopped.
pub(super) enum Stopped {
    /// Entry of `Code::calls`.
    Call(u32),
    Return(Value),
    /// Entry of `Code::extended` that needs the machine.
    Extended(u32),
    /// A jump back in a function that is hot: machine code may go on.
    Hot,
}

/// Reads an operand, leaving the register empty where this is its last use.
#[inline(always)]
pub(super) fn read(operand: Operand, frame: &mut [Value], constants: &[Value]) -> Value {
    match operand.source() {
        Source::Copy(r) => frame[r as usize].clone(),
        Source::Move(r) => std::mem::take(&mut frame[r as usize]),
        Source::Constant(k) => constants[k as usize].clone(),
    }
}

/// Looks at an operand.
#[inline(always)]
pub(super) fn peek<'a>(operand: Operand, frame: &'a [Value], constants: &'a [Value]) -> &'a Value {
    match operand.source() {
        Source::Copy(r) | Source::Move(r) => &frame[r as usize],
        Source::Constant(k) => &constants[k as usize],
    }
}

/// Runs instructions from `next` on. `next` is left behind the last instruction that was begun.
pub(super) fn execute(
    code: &Code,
    next: &mut usize,
    frame: &mut [Value],
    context: &Context,
    limiter: &mut Limiter,
) -> Result<Stopped> {
    let insns = code.insns.as_slice();
    let mut at = *next;
    let outcome = loop {
        let insn = insns[at];
        at += 1;
        macro_rules! check {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(fault) => break Err(fault),
                }
            };
        }
        macro_rules! set {
            ($target:expr, $value:expr) => {
                frame[$target as usize] = $value
            };
        }
        // What an instruction does if its inputs are what it was made for; else the kernel of its operator runs.
        macro_rules! scalar {
            ($put:ident, $d:ident, [$($input:ident),*], $value:expr) => {
                match $value {
                    Some(value) => scalar::$put(&mut frame[$d as usize], value),
                    None => check!(by_kernel(code, at - 1, frame, context, $d, &[$($input),*])),
                }
            };
        }
        macro_rules! int {
            ($put:ident, $d:ident, $a:ident, $b:ident, $f:expr) => {
                scalar!($put, $d, [$a, $b], scalar::ints(frame, $a, $b).map($f))
            };
        }
        macro_rules! float {
            ($put:ident, $d:ident, $a:ident, $b:ident, $f:expr) => {
                scalar!($put, $d, [$a, $b], scalar::floats(frame, $a, $b).map($f))
            };
        }
        macro_rules! bool {
            ($d:ident, $a:ident, $b:ident, $f:expr) => {
                scalar!(put_bool, $d, [$a, $b], scalar::bools(frame, $a, $b).map($f))
            };
        }
        macro_rules! unless {
            ($a:ident, $b:ident, $to:ident, $f:expr) => {{
                let holds: fn(i64, i64) -> bool = $f;
                let pair = match scalar::ints(frame, $a, $b) {
                    Some(pair) => pair,
                    None => check!(slow_ints(frame, $a, $b)),
                };
                if !holds(pair.0, pair.1) {
                    at = $to as usize;
                }
            }};
        }
        macro_rules! back {
            ($to:ident) => {{
                limiter.fuel -= (at - $to as usize) as i64;
                if limiter.fuel < 0 {
                    check!(limiter.look());
                }
                let passed = (at - $to as usize) as u32;
                at = $to as usize;
                if code.hot.rises(passed, limiter.patience) {
                    break Ok(Stopped::Hot);
                }
            }};
        }
        match insn {
            Insn::Constant(d, k) => set!(d, code.constants[k as usize].clone()),
            Insn::Move(d, s) => {
                let value = std::mem::take(&mut frame[s as usize]);
                set!(d, value);
            }
            Insn::Copy(d, s) => scalar::copy(frame, d, s),
            Insn::Drop(r) => set!(r, Value::None),

            Insn::Jump(to) => at = to as usize,
            Insn::Group(k, to) => {
                *next = at;
                if code.groups[k as usize].run(frame, context, false) {
                    at = to as usize;
                }
            }
            Insn::JumpUnless(c, to) => {
                let holds = match frame[c as usize] {
                    Value::Bool(b) => b,
                    ref other => check!(other.as_bool()),
                };
                if !holds {
                    at = to as usize;
                }
            }
            Insn::UnlessLtInt(a, b, to) => unless!(a, b, to, |a, b| a < b),
            Insn::UnlessLeInt(a, b, to) => unless!(a, b, to, |a, b| a <= b),
            Insn::UnlessGtInt(a, b, to) => unless!(a, b, to, |a, b| a > b),
            Insn::UnlessGeInt(a, b, to) => unless!(a, b, to, |a, b| a >= b),
            Insn::UnlessEqInt(a, b, to) => unless!(a, b, to, |a, b| a == b),
            Insn::UnlessNeInt(a, b, to) => unless!(a, b, to, |a, b| a != b),

            Insn::LoopStart(counter, trips, exit) => {
                let trips = check!(frame[trips as usize].as_int());
                scalar::put_int(&mut frame[counter as usize], 0);
                if trips <= 0 {
                    at = exit as usize;
                }
            }
            Insn::LoopStep(counter, trips, body) => {
                let Some((i, n)) = scalar::ints(frame, counter, trips) else {
                    break Err(Fault::internal("a loop counter is not an int"));
                };
                let i = i.wrapping_add(1);
                scalar::put_int(&mut frame[counter as usize], i);
                if i < n {
                    back!(body);
                }
            }
            Insn::LoopWhile(c, body) => {
                let holds = match frame[c as usize] {
                    Value::Bool(b) => b,
                    ref other => check!(other.as_bool()),
                };
                if holds {
                    back!(body);
                }
            }

            Insn::AddInt(d, a, b) => int!(put_int, d, a, b, |(a, b)| a.wrapping_add(b)),
            Insn::SubInt(d, a, b) => int!(put_int, d, a, b, |(a, b)| a.wrapping_sub(b)),
            Insn::MulInt(d, a, b) => int!(put_int, d, a, b, |(a, b)| a.wrapping_mul(b)),
            Insn::FloorDivInt(d, a, b) => scalar!(
                put_int,
                d,
                [a, b],
                scalar::ints(frame, a, b).and_then(|(a, b)| scalar::floor_div(a, b))
            ),
            Insn::RemainderInt(d, a, b) => scalar!(
                put_int,
                d,
                [a, b],
                scalar::ints(frame, a, b).and_then(|(a, b)| scalar::remainder(a, b))
            ),
            Insn::AndInt(d, a, b) => int!(put_int, d, a, b, |(a, b)| a & b),
            Insn::OrInt(d, a, b) => int!(put_int, d, a, b, |(a, b)| a | b),
            Insn::XorInt(d, a, b) => int!(put_int, d, a, b, |(a, b)| a ^ b),
            Insn::MinInt(d, a, b) => int!(put_int, d, a, b, |(a, b)| a.min(b)),
            Insn::MaxInt(d, a, b) => int!(put_int, d, a, b, |(a, b)| a.max(b)),
            Insn::LtInt(d, a, b) => int!(put_bool, d, a, b, |(a, b)| a < b),
            Insn::LeInt(d, a, b) => int!(put_bool, d, a, b, |(a, b)| a <= b),
            Insn::GtInt(d, a, b) => int!(put_bool, d, a, b, |(a, b)| a > b),
            Insn::GeInt(d, a, b) => int!(put_bool, d, a, b, |(a, b)| a >= b),
            Insn::EqInt(d, a, b) => int!(put_bool, d, a, b, |(a, b)| a == b),
            Insn::NeInt(d, a, b) => int!(put_bool, d, a, b, |(a, b)| a != b),
            Insn::DivInt(d, a, b) => int!(put_float, d, a, b, |(a, b)| a as f64 / b as f64),
            Insn::NegInt(d, a) => scalar!(
                put_int,
                d,
                [a],
                match frame[a as usize] {
                    Value::Int(a) => Some(a.wrapping_neg()),
                    _ => None,
                }
            ),

            Insn::AddFloat(d, a, b) => float!(put_float, d, a, b, |(a, b)| a + b),
            Insn::SubFloat(d, a, b) => float!(put_float, d, a, b, |(a, b)| a - b),
            Insn::MulFloat(d, a, b) => float!(put_float, d, a, b, |(a, b)| a * b),
            Insn::DivFloat(d, a, b) => float!(put_float, d, a, b, |(a, b)| a / b),
            Insn::LtFloat(d, a, b) => float!(put_bool, d, a, b, |(a, b)| a < b),
            Insn::LeFloat(d, a, b) => float!(put_bool, d, a, b, |(a, b)| a <= b),
            Insn::GtFloat(d, a, b) => float!(put_bool, d, a, b, |(a, b)| a > b),
            Insn::GeFloat(d, a, b) => float!(put_bool, d, a, b, |(a, b)| a >= b),
            Insn::EqFloat(d, a, b) => float!(put_bool, d, a, b, |(a, b)| a == b),
            Insn::NeFloat(d, a, b) => float!(put_bool, d, a, b, |(a, b)| a != b),
            Insn::NegFloat(d, a) => scalar!(
                put_float,
                d,
                [a],
                scalar::number(&frame[a as usize]).map(|a| -a)
            ),
            Insn::FloatOf(d, a) => {
                scalar!(put_float, d, [a], scalar::float_of(&frame[a as usize]))
            }
            Insn::IntOf(d, a) => scalar!(put_int, d, [a], scalar::int_of(&frame[a as usize])),
            Insn::BoolOf(d, a) => scalar!(put_bool, d, [a], scalar::bool_of(&frame[a as usize])),

            Insn::Not(d, a) => scalar!(
                put_bool,
                d,
                [a],
                match frame[a as usize] {
                    Value::Bool(a) => Some(!a),
                    _ => None,
                }
            ),
            Insn::AndBool(d, a, b) => bool!(d, a, b, |(a, b)| a & b),
            Insn::OrBool(d, a, b) => bool!(d, a, b, |(a, b)| a | b),
            Insn::EqBool(d, a, b) => bool!(d, a, b, |(a, b)| a == b),
            Insn::NeBool(d, a, b) => bool!(d, a, b, |(a, b)| a != b),

            Insn::ListLen(d, a) => scalar!(put_int, d, [a], scalar::list_len(&frame[a as usize])),
            Insn::ListGet(d, list, index) => {
                if !scalar::list_get(frame, d, list, index) {
                    check!(by_kernel(code, at - 1, frame, context, d, &[list, index]));
                }
            }
            Insn::ListSet(list, index, element) => {
                check!(list_set(
                    code,
                    at - 1,
                    frame,
                    context,
                    (list, index),
                    element
                ));
            }
            Insn::ListAppend(list, element) => {
                check!(list_append(code, at - 1, frame, context, list, element));
            }

            Insn::Operator(k) => {
                // A kernel that leaves the call finds the place here.
                *next = at;
                check!(call_operator(code, at - 1, k, frame, context));
                if watch::is_due() {
                    check!(watch::look());
                }
            }
            Insn::Call(k) => break Ok(Stopped::Call(k)),
            Insn::Extended(k) => {
                if !check!(extended::perform(code, &code.extended[k as usize], frame)) {
                    break Ok(Stopped::Extended(k));
                }
            }
            Insn::Return(operand) => {
                break Ok(Stopped::Return(read(operand, frame, &code.constants)));
            }
            Insn::Fail(k) => break Err(Fault::runtime(&*code.failures[k as usize])),
        }
    };
    *next = at;
    outcome
}

/// Performs one instruction for machine code: those that concern the registers alone and do not jump.
pub(super) fn perform(
    code: &Code,
    insn: usize,
    frame: &mut [Value],
    context: &Context,
) -> Result<()> {
    match code.insns[insn] {
        Insn::Constant(d, k) => frame[d as usize] = code.constants[k as usize].clone(),
        Insn::Move(d, s) => {
            let value = std::mem::take(&mut frame[s as usize]);
            frame[d as usize] = value;
        }
        Insn::Copy(d, s) => scalar::copy(frame, d, s),
        Insn::Drop(r) => frame[r as usize] = Value::None,
        Insn::ListLen(d, a) => match scalar::list_len(&frame[a as usize]) {
            Some(len) => scalar::put_int(&mut frame[d as usize], len),
            None => by_kernel(code, insn, frame, context, d, &[a])?,
        },
        Insn::ListGet(d, list, index) => {
            if !scalar::list_get(frame, d, list, index) {
                by_kernel(code, insn, frame, context, d, &[list, index])?;
            }
        }
        Insn::ListSet(list, index, element) => {
            list_set(code, insn, frame, context, (list, index), element)?;
        }
        Insn::ListAppend(list, element) => list_append(code, insn, frame, context, list, element)?,
        Insn::Operator(k) => {
            call_operator(code, insn, k, frame, context)?;
            if watch::is_due() {
                watch::look()?;
            }
        }
        Insn::Extended(k) => {
            if !extended::perform(code, &code.extended[k as usize], frame)? {
                return Err(Fault::internal("an instruction went to the wrong place"));
            }
        }
        _ => return Err(Fault::internal("an instruction went to the wrong place")),
    }
    Ok(())
}

#[inline(always)]
fn list_set(
    code: &Code,
    insn: usize,
    frame: &mut [Value],
    context: &Context,
    (list, index): (Reg, Reg),
    element: Operand,
) -> Result<()> {
    let element = read(element, frame, &code.constants);
    let (list, index) = (&frame[list as usize], &frame[index as usize]);
    if let Err(element) = scalar::list_set(list, index, element) {
        let arguments = vec![list.clone(), index.clone(), element];
        call_kernel(code, insn, context, arguments)?;
    }
    Ok(())
}

#[inline(always)]
fn list_append(
    code: &Code,
    insn: usize,
    frame: &mut [Value],
    context: &Context,
    list: Reg,
    element: Operand,
) -> Result<()> {
    let element = read(element, frame, &code.constants);
    let list = &frame[list as usize];
    if let Err(element) = scalar::list_append(list, element) {
        let arguments = vec![list.clone(), element];
        call_kernel(code, insn, context, arguments)?;
    }
    Ok(())
}

/// Puts the arguments of an operator into the window behind the registers, calls it, and takes the results out.
#[inline(always)]
fn call_operator(
    code: &Code,
    insn: usize,
    number: u32,
    frame: &mut [Value],
    context: &Context,
) -> Result<()> {
    let call = &code.operators[number as usize];
    let may_be_quick = call.operator.quick.is_some() && !context.is_watched();
    if may_be_quick && quick::operator(code, call, frame)? {
        return Ok(());
    }
    let arguments = call.arguments.of(&code.operands);
    let (registers, window) = frame.split_at_mut(code.registers as usize);
    for (slot, &operand) in window.iter_mut().zip(arguments) {
        *slot = read(operand, registers, &code.constants);
    }
    let window = &mut window[..call.slots as usize];
    let seen = |arguments: &mut [Value]| {
        profile::stand(code, insn, context);
        autocast::prepare(call, context, arguments)
    };
    call.operator
        .call_from(context, window, arguments.len(), seen)?;
    for (slot, &target) in window.iter_mut().zip(call.results.of(&code.targets)) {
        let value = std::mem::take(slot);
        if target != NOWHERE {
            registers[target as usize] = value;
        }
    }
    Ok(())
}

/// Runs the kernel that a scalar instruction stands for: inputs that are out of its reach, and faults.
#[cold]
#[inline(never)]
fn by_kernel(
    code: &Code,
    insn: usize,
    frame: &mut [Value],
    context: &Context,
    target: Reg,
    inputs: &[Reg],
) -> Result<()> {
    let arguments = inputs.iter().map(|r| frame[*r as usize].clone()).collect();
    let results = call_kernel(code, insn, context, arguments)?;
    frame[target as usize] = results.into_iter().next().unwrap_or_default();
    Ok(())
}

#[cold]
#[inline(never)]
fn call_kernel(
    code: &Code,
    insn: usize,
    context: &Context,
    arguments: Vec<Value>,
) -> Result<Vec<Value>> {
    match code.origin(insn).and_then(|o| o.operator) {
        Some(operator) if operator.schema().arguments.len() == arguments.len() => {
            operator.call_vec(context, arguments)
        }
        _ => Err(Fault::internal("a number of the wrong type in a register")),
    }
}

#[cold]
#[inline(never)]
fn slow_ints(frame: &[Value], a: Reg, b: Reg) -> Result<(i64, i64)> {
    Ok((frame[a as usize].as_int()?, frame[b as usize].as_int()?))
}
