//! What loops go over: counted sequences, and sequences known while compiling, which unroll.

use super::{Sugared, SugaredValue};
use crate::Outcome;
use crate::error::problem;
use crate::script::{Arguments, Emitter};
use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_types::Type;
use std::rc::Rc;

/// How a loop goes over something.
pub enum Iteration {
    /// A number of steps, each with its element.
    Counted(Rc<dyn Counted>),
    /// Parts known while compiling: the body is emitted once for each.
    Unrolled(Vec<Sugared>),
}

/// A sequence with a length known at the start of the loop.
pub trait Counted {
    /// The number of steps: an int value, emitted before the loop.
    fn length(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<ValueId>;
    /// The lengths of all sequences that go along in step.
    fn lengths(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Vec<ValueId>> {
        Ok(vec![self.length(emitter, span)?])
    }

    /// The element of step `index`, emitted inside the loop.
    fn element(&self, emitter: &mut Emitter<'_>, index: ValueId, span: &Span) -> Outcome<Sugared>;
}

/// Going over a simple value.
pub fn of_value(emitter: &mut Emitter<'_>, value: ValueId, span: &Span) -> Outcome<Iteration> {
    match emitter.ty(value).clone() {
        Type::List(_) | Type::Str | Type::Tensor(_) => {
            Ok(Iteration::Counted(Rc::new(Indexed { value })))
        }
        Type::Dict(_) => {
            let keys = emitter.builtin("aten::keys", &[value], span)?;
            Ok(Iteration::Counted(Rc::new(Indexed { value: keys })))
        }
        Type::Tuple(_) => {
            let parts = emitter.unpack_tuple(value, span);
            Ok(Iteration::Unrolled(
                parts.into_iter().map(Sugared::Value).collect(),
            ))
        }
        ty => Err(problem(
            "not-iterable",
            format!("'{}' object is not iterable", ty.message_form()),
            span,
        )),
    }
}

/// A list, string or tensor: length by `len`, elements by index.
struct Indexed {
    value: ValueId,
}

impl Counted for Indexed {
    fn length(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<ValueId> {
        emitter.builtin("aten::len", &[self.value], span)
    }

    fn element(&self, emitter: &mut Emitter<'_>, index: ValueId, span: &Span) -> Outcome<Sugared> {
        let out = match emitter.ty(self.value) {
            Type::Tensor(_) => {
                let zero = emitter.unplaced_constant(0i64);
                emitter.builtin("aten::select", &[self.value, zero, index], span)?
            }
            _ => emitter.builtin("aten::__getitem__", &[self.value, index], span)?,
        };
        Ok(Sugared::Value(out))
    }
}

/// `range(...)`.
pub struct Range {
    end: ValueId,
    /// Start and step, unless they are 0 and 1.
    bounds: Option<(ValueId, ValueId)>,
}

impl Range {
    /// Checks the arguments of `range`; `whole` is the place of the call with them.
    pub fn new(
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
        whole: &Span,
    ) -> Outcome<Range> {
        let mut values = Vec::new();
        for (i, (value, at)) in arguments.positional.iter().enumerate() {
            let id = value.as_value(emitter, at)?;
            if *emitter.ty(id) != Type::Int {
                let ty = emitter.ty(id).clone();
                let mark = emitter.inferred_mark(id);
                return Err(problem(
                    "range-type",
                    format!("all inputs of range must be ints, found {ty}{mark} in argument {i}"),
                    whole,
                ));
            }
            values.push(id);
        }
        match values.as_slice() {
            [end] => {
                // The reference makes a start and a step that nobody needs.
                emitter.constant(0i64, span);
                emitter.constant(1i64, span);
                Ok(Range {
                    end: *end,
                    bounds: None,
                })
            }
            [start, end] => {
                let step = emitter.constant(1i64, span);
                Ok(Range {
                    end: *end,
                    bounds: Some((*start, step)),
                })
            }
            [start, end, step] => Ok(Range {
                end: *end,
                bounds: Some((*start, *step)),
            }),
            [] => Err(problem(
                "argument-count",
                "range expected at least 1 arguments, got 0",
                whole,
            )),
            many => Err(problem(
                "argument-count",
                format!("range expected at most 3 arguments, got {}", many.len()),
                whole,
            )),
        }
    }
}

/// A [`Range`] as a sugared value.
pub struct RangeValue(pub Rc<Range>);

impl SugaredValue for RangeValue {
    fn describe(&self) -> String {
        "range".to_string()
    }

    fn iterate(&self, _emitter: &mut Emitter<'_>, _span: &Span) -> Outcome<Iteration> {
        Ok(Iteration::Counted(self.0.clone()))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

impl Counted for Range {
    fn length(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<ValueId> {
        match self.bounds {
            None => Ok(self.end),
            Some((start, step)) => {
                emitter.builtin("aten::__range_length", &[start, self.end, step], span)
            }
        }
    }

    fn element(&self, emitter: &mut Emitter<'_>, index: ValueId, span: &Span) -> Outcome<Sugared> {
        match self.bounds {
            None => Ok(Sugared::Value(index)),
            Some((start, step)) => {
                let inputs = [index, start, step];
                let element = emitter.builtin("aten::__derive_index", &inputs, span)?;
                Ok(Sugared::Value(element))
            }
        }
    }
}

/// The number of steps in which the shortest sequence ends.
fn shortest(emitter: &mut Emitter<'_>, lengths: &[ValueId], span: &Span) -> Outcome<ValueId> {
    let list = emitter.list(Type::Int, lengths, span);
    emitter.builtin("prim::min", &[list], span)
}

/// `zip(...)` and `enumerate(...)`: several iterations in step, the shortest one deciding.
pub struct Together(pub Vec<Rc<dyn Counted>>);

impl Counted for Together {
    fn length(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<ValueId> {
        let lengths = self.lengths(emitter, span)?;
        shortest(emitter, &lengths, span)
    }

    fn lengths(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Vec<ValueId>> {
        let mut lengths = Vec::new();
        for part in &self.0 {
            lengths.extend(part.lengths(emitter, span)?);
        }
        Ok(lengths)
    }

    fn element(&self, emitter: &mut Emitter<'_>, index: ValueId, span: &Span) -> Outcome<Sugared> {
        let mut parts = Vec::new();
        for part in &self.0 {
            parts.push(part.element(emitter, index, span)?);
        }
        together(emitter, &parts, span)
    }
}

/// A tuple of the elements of one step.
fn together(emitter: &mut Emitter<'_>, parts: &[Sugared], span: &Span) -> Outcome<Sugared> {
    let values = parts.iter().map(|part| part.as_value(emitter, span));
    let values = values.collect::<Outcome<Vec<_>>>()?;
    Ok(Sugared::Value(emitter.tuple(&values, span)))
}

/// The counter of `enumerate`.
pub struct Counter {
    /// Counts without end.
    numbers: Range,
    /// The sequence that is counted decides the length.
    counted: Rc<dyn Counted>,
}

impl Counter {
    /// Counts from `start` or 0 on.
    pub fn new(
        emitter: &mut Emitter<'_>,
        start: Option<ValueId>,
        counted: Rc<dyn Counted>,
        span: &Span,
    ) -> Outcome<Counter> {
        let end = emitter.literal(i64::MAX, span);
        let bounds = match start {
            Some(start) => Some((start, emitter.constant(1i64, span))),
            None => {
                emitter.constant(0i64, span);
                emitter.constant(1i64, span);
                None
            }
        };
        let numbers = Range { end, bounds };
        Ok(Counter { numbers, counted })
    }
}

impl Counted for Counter {
    fn length(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<ValueId> {
        let lengths = self.lengths(emitter, span)?;
        shortest(emitter, &lengths, span)
    }

    fn lengths(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Vec<ValueId>> {
        let mut lengths = vec![self.numbers.length(emitter, span)?];
        lengths.extend(self.counted.lengths(emitter, span)?);
        Ok(lengths)
    }

    fn element(&self, emitter: &mut Emitter<'_>, index: ValueId, span: &Span) -> Outcome<Sugared> {
        let number = self.numbers.element(emitter, index, span)?;
        let element = self.counted.element(emitter, index, span)?;
        together(emitter, &[number, element], span)
    }
}

/// `zip(...)` and `enumerate(...)` as sugared values.
pub struct CountedValue {
    pub counted: Rc<dyn Counted>,
}

impl SugaredValue for CountedValue {
    fn describe(&self) -> String {
        "iterabletree".to_string()
    }

    fn iterate(&self, _emitter: &mut Emitter<'_>, _span: &Span) -> Outcome<Iteration> {
        Ok(Iteration::Counted(self.counted.clone()))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
