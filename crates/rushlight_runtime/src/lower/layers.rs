//! Finds convolutions with what follows them, and puts a group before each (see [`Layer`]). What stands between them may read
//! attributes and choose by flags of modules and by what is known of the result; it is followed as it goes where no flag is
//! set.

use super::groups::insert;
use crate::callee::Callee;
use crate::code::groups::Group;
use crate::code::layers::{Layer, Place};
use crate::code::{
    Code, Extended, Insn, NOWHERE, Operand, OperatorCall, Reg, RegisterKind, ScriptCall, Source,
};
use rushlight_ir::Function;
use rushlight_ir::analysis::layer_tail::{LayerTail, Origin};
use rushlight_ir::freeze::activations::{Activation, sum_of};
use rushlight_types::{Functional, Operator, OperatorTable, ScalarOp, Type, Value};
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// Instructions that a layer may be spread over.
const MOST: usize = 200;

/// Puts groups before the layers of a function.
pub(super) fn group(code: &mut Code, table: &'static OperatorTable) {
    let mut groups = Vec::new();
    let mut known = Tails {
        table,
        known: HashMap::new(),
    };
    let mut at = 0;
    while at < code.insns.len() {
        match Walk::begin(code, at).and_then(|walk| walk.whole(&mut known)) {
            Some((end, layer)) => {
                groups.push((at, end, Group::Layer(Box::new(layer))));
                at = end;
            }
            None => at += 1,
        }
    }
    if !groups.is_empty() {
        insert(code, groups);
    }
}

/// What functions are found to do, by the function, the argument and its number of dimensions.
struct Tails {
    table: &'static OperatorTable,
    known: HashMap<(*const Function, usize, usize), Option<Arc<LayerTail>>>,
}

impl Tails {
    /// What a function does to one of its arguments, if that is what layers end with.
    fn of(
        &mut self,
        function: &Weak<Function>,
        input: usize,
        dims: usize,
    ) -> Option<Arc<LayerTail>> {
        let function = function.upgrade()?;
        let table = self.table;
        let key = (Arc::as_ptr(&function), input, dims);
        let tail = self.known.entry(key).or_insert_with(|| {
            let (graph, unit) = (function.graph()?, function.unit());
            LayerTail::of(&graph, unit.as_ref(), table, input, dims).map(Arc::new)
        });
        tail.clone()
    }
}

/// What a register holds.
#[derive(Clone)]
enum Held {
    /// What the layer has made so far.
    Made,
    Known(Place),
    Empty,
}

/// The arguments that a layer's operator takes behind those of the convolution.
#[derive(Clone)]
struct Tail {
    norm: Option<([Place; 4], Place)>,
    other: Option<Place>,
    name: &'static str,
    numbers: Vec<f64>,
    algorithm: Value,
}

/// A walk from a convolution over the instructions behind it.
struct Walk<'c> {
    code: &'c Code,
    operator: &'static Operator,
    arguments: Vec<Place>,
    /// Dimensions that the input must have, zero where any will do.
    dims: usize,
    /// What registers hold that have been written, moved or dropped on the way.
    registers: Vec<(Reg, Held)>,
    unset: Vec<Place>,
    tail: Tail,
    at: usize,
}

impl<'c> Walk<'c> {
    /// A walk that begins with an instruction, if that is a convolution.
    fn begin(code: &'c Code, at: usize) -> Option<Walk<'c>> {
        let Insn::Operator(k) = code.insns[at] else {
            return None;
        };
        let call = &code.operators[k as usize];
        let operator = call.operator.joined?;
        let given = call.arguments.of(&code.operands);
        let mut walk = Walk {
            code,
            operator,
            arguments: Vec::new(),
            dims: 0,
            registers: Vec::new(),
            unset: Vec::new(),
            tail: Tail {
                norm: None,
                other: None,
                name: Activation::NONE.name,
                numbers: Vec::new(),
                algorithm: Value::None,
            },
            at: at + 1,
        };
        let functional = call.operator.functional?;
        if let Functional::Convolution { dims } = functional {
            walk.dims = usize::from(dims) + 2;
        } else {
            let transposed = code.constant_of(given.get(6)?.source());
            if !matches!(transposed, Some(Value::Bool(false))) {
                return None;
            }
        }
        for i in [0, 1, 2, 4, 3, 5, functional.groups_at()?] {
            walk.arguments.push(walk.place(given.get(i)?.source())?);
        }
        walk.release(given);
        walk.hold(walk.target(call)?, Held::Made);
        Some(walk)
    }

    /// Where the only result of a call goes.
    fn target(&self, call: &OperatorCall) -> Option<Reg> {
        match *call.results.of(&self.code.targets) {
            [r] if r != NOWHERE && self.code.kinds[r as usize] == RegisterKind::Other => Some(r),
            _ => None,
        }
    }

    /// Goes as far as it can; the end of what belongs to the layer, and the layer, if there is more than a convolution.
    fn whole(mut self, known: &mut Tails) -> Option<(usize, Layer)> {
        let mut best = None;
        for _ in 0..MOST {
            match self.step(known) {
                Some(true) => best = self.layer().map(|layer| (self.at, layer)),
                Some(false) => {}
                None => break,
            }
        }
        best
    }

    /// Goes over an instruction; whether that added something to the layer, and `None` where it is not part of one.
    fn step(&mut self, known: &mut Tails) -> Option<bool> {
        let next = self.at + 1;
        match *self.code.insns.get(self.at)? {
            Insn::Constant(r, k) => {
                let constant = self.code.constants[k as usize].clone();
                self.hold(r, Held::Known(Place::Constant(constant)));
            }
            Insn::Drop(r) => {
                if matches!(self.held(r), Some(Held::Made)) {
                    return None;
                }
                self.hold(r, Held::Empty);
            }
            Insn::Jump(to) if to as usize > self.at => {
                self.at = to as usize;
                return Some(false);
            }
            Insn::JumpUnless(r, to) if to as usize > self.at => {
                self.at = match self.flag(r)? {
                    true => next,
                    false => to as usize,
                };
                return Some(false);
            }
            Insn::UnlessNeInt(a, b, to) if to as usize > self.at => {
                self.at = match self.int(a)? != self.int(b)? {
                    true => next,
                    false => to as usize,
                };
                return Some(false);
            }
            Insn::Extended(k) => match &self.code.extended[k as usize] {
                Extended::GetAttr {
                    object,
                    slot,
                    target,
                } => {
                    let (r, _) = object.source().register()?;
                    let place = match self.place(object.source())? {
                        Place::Register(r) => Place::Attribute(r, [*slot].into()),
                        Place::Attribute(r, slots) => {
                            let slots = slots.iter().copied().chain([*slot]);
                            Place::Attribute(r, slots.collect())
                        }
                        Place::Constant(_) => return None,
                    };
                    if matches!(object.source(), Source::Move(_)) {
                        self.hold(r, Held::Empty);
                    }
                    self.hold(*target, Held::Known(place));
                }
                _ => return None,
            },
            Insn::Operator(k) => {
                let call = &self.code.operators[k as usize];
                let added = self.operator(call)?;
                self.at = next;
                return Some(added);
            }
            Insn::Call(k) => {
                self.call(&self.code.calls[k as usize], known)?;
                self.at = next;
                return Some(true);
            }
            _ => return None,
        }
        self.at = next;
        Some(false)
    }

    /// What an operator adds to the layer.
    fn operator(&mut self, call: &OperatorCall) -> Option<bool> {
        let given = call.arguments.of(&self.code.operands);
        let operator = call.operator;
        let first = given.first()?.source();
        if operator.scalar == Some(ScalarOp::RankOf) {
            let (Source::Copy(r), [target]) = (first, call.results.of(&self.code.targets)) else {
                return None;
            };
            if !matches!(self.held(r)?, Held::Made) || self.dims == 0 {
                return None;
            }
            let dims = Value::Int(i64::try_from(self.dims).ok()?);
            self.hold(*target, Held::Known(Place::Constant(dims)));
            return Some(false);
        }
        // What is done in place is seen by nobody else, as the value is moved.
        let target = self.target(call)?;
        let constant = |i: usize| self.constant(given.get(i)?.source());
        if operator.functional == Some(Functional::BatchNorm) {
            self.normalise(given)?;
        } else if let Some(activation) = Activation::of(operator, constant) {
            if !self.may_activate() || !self.is_made(&given[0]) {
                return None;
            }
            self.activate(activation);
        } else if let Some(in_place) = sum_of(operator) {
            self.add(given, in_place)?;
        } else {
            return None;
        }
        self.release(given);
        self.hold(target, Held::Made);
        Some(true)
    }

    fn normalise(&mut self, given: &[Operand]) -> Option<()> {
        let [input, parameters @ .., training, _, eps, _] = given else {
            return None;
        };
        if !self.is_first_of_tail() || !self.is_made(input) {
            return None;
        }
        match self.place(training.source())? {
            Place::Constant(Value::Bool(false)) => {}
            Place::Constant(_) => return None,
            flag => self.unset.push(flag),
        }
        let parameters: [&Operand; 4] = parameters.iter().collect::<Vec<_>>().try_into().ok()?;
        let mut places = [const { Place::Constant(Value::None) }; 4];
        for (to, operand) in places.iter_mut().zip(parameters) {
            *to = self.place(operand.source())?;
        }
        self.tail.norm = Some((places, self.place(eps.source())?));
        Some(())
    }

    fn activate(&mut self, activation: Activation) {
        self.tail.name = activation.name;
        self.tail.numbers = activation.numbers;
        self.tail.algorithm = activation.algorithm.unwrap_or(Value::None);
    }

    /// Whether there is no activation yet, behind which nothing more is done.
    fn may_activate(&self) -> bool {
        self.tail.name == Activation::NONE.name
    }

    fn add(&mut self, given: &[Operand], in_place: bool) -> Option<()> {
        let [a, b, alpha] = given else {
            return None;
        };
        let is_one = match self.constant(alpha.source())? {
            Value::Int(alpha) => alpha == 1,
            Value::Float(alpha) => alpha == 1.0,
            _ => false,
        };
        let other = match (self.is_made(a), self.is_made(b)) {
            (true, false) => b,
            (false, true) if !in_place => a,
            _ => return None,
        };
        if !is_one || self.tail.other.is_some() || !self.may_activate() {
            return None;
        }
        self.tail.other = Some(self.place(other.source())?);
        Some(())
    }

    /// A call of a function that goes on with what the layer has made.
    fn call(&mut self, call: &ScriptCall, known: &mut Tails) -> Option<()> {
        let Callee::Script { function, .. } = &call.callee else {
            return None;
        };
        let given = call.arguments.of(&self.code.operands);
        let input = given.iter().position(|operand| self.is_made(operand))?;
        if self.dims == 0
            || call.target == NOWHERE
            || self.code.kinds[call.target as usize] != RegisterKind::Other
        {
            return None;
        }
        let tail = known.of(function, input, self.dims)?;
        if tail.norm.is_some() && !self.is_first_of_tail() || !self.may_activate() {
            return None;
        }
        let place = |origin: &Origin| {
            let base = self.place(given.get(origin.argument)?.source())?;
            Some(match base {
                _ if origin.slots.is_empty() => base,
                Place::Register(r) => Place::Attribute(r, origin.slots.as_slice().into()),
                Place::Attribute(r, slots) => {
                    let slots = slots.iter().chain(&origin.slots).copied();
                    Place::Attribute(r, slots.collect())
                }
                Place::Constant(_) => return None,
            })
        };
        let unset: Vec<Place> = tail.unset.iter().map(place).collect::<Option<_>>()?;
        if let Some(norm) = &tail.norm {
            let mut places = [const { Place::Constant(Value::None) }; 4];
            for (to, origin) in places.iter_mut().zip(&norm.parameters) {
                if let Some(origin) = origin {
                    *to = place(origin)?;
                }
            }
            self.tail.norm = Some((places, Place::Constant(Value::Float(norm.eps))));
        }
        if let Some(activation) = &tail.activation {
            self.activate(activation.clone());
        }
        self.unset.extend(unset);
        self.release(given);
        self.hold(call.target, Held::Made);
        Some(())
    }

    /// Whether nothing follows the convolution so far.
    fn is_first_of_tail(&self) -> bool {
        let tail = &self.tail;
        tail.norm.is_none() && tail.other.is_none() && self.may_activate()
    }

    /// Whether an operand is what the layer has made, and nobody else will see it.
    fn is_made(&self, operand: &Operand) -> bool {
        match operand.source() {
            Source::Move(r) => matches!(self.held(r), Some(Held::Made)),
            _ => false,
        }
    }

    fn held(&self, r: Reg) -> Option<&Held> {
        let known = self.registers.iter().find(|known| known.0 == r);
        known.map(|known| &known.1)
    }

    fn hold(&mut self, r: Reg, held: Held) {
        match self.registers.iter_mut().find(|known| known.0 == r) {
            Some(known) => known.1 = held,
            None => self.registers.push((r, held)),
        }
    }

    /// Empties the registers that operands are moved from.
    fn release(&mut self, given: &[Operand]) {
        for operand in given {
            if let Source::Move(r) = operand.source()
                && self.code.kinds[r as usize] == RegisterKind::Other
            {
                self.hold(r, Held::Empty);
            }
        }
    }

    /// Where an operand is to be found before the first instruction.
    fn place(&self, source: Source) -> Option<Place> {
        if let Some(constant) = self.code.constant_of(source) {
            return Some(Place::Constant(constant.clone()));
        }
        let (r, _) = source.register()?;
        match self.held(r) {
            None => Some(Place::Register(r)),
            Some(Held::Known(place)) => Some(place.clone()),
            Some(Held::Made | Held::Empty) => None,
        }
    }

    fn constant(&self, source: Source) -> Option<Value> {
        match self.place(source)? {
            Place::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// What a condition is where no flag is set.
    fn flag(&mut self, r: Reg) -> Option<bool> {
        match self.place(Source::Copy(r))? {
            Place::Constant(Value::Bool(holds)) => Some(holds),
            Place::Constant(_) => None,
            flag => {
                self.unset.push(flag);
                Some(false)
            }
        }
    }

    fn int(&self, r: Reg) -> Option<i64> {
        match self.constant(Source::Copy(r))? {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }

    /// The layer as far as it goes.
    fn layer(&self) -> Option<Layer> {
        let none = || Place::Constant(Value::None);
        let tail = &self.tail;
        let mut arguments = self.arguments.clone();
        arguments.push(Place::Constant(Value::Bool(tail.norm.is_some())));
        match &tail.norm {
            Some((parameters, eps)) => {
                arguments.extend(parameters.iter().cloned());
                arguments.push(eps.clone());
            }
            None => {
                arguments.extend((0..4).map(|_| none()));
                arguments.push(Place::Constant(Value::Float(0.0)));
            }
        }
        arguments.push(tail.other.clone().unwrap_or_else(none));
        arguments.push(Place::Constant(Value::str(tail.name)));
        let numbers = tail.numbers.iter().map(|number| Value::Float(*number));
        let numbers = Value::list(&Type::Float, numbers.collect()).ok()?;
        arguments.push(Place::Constant(numbers));
        arguments.push(Place::Constant(tail.algorithm.clone()));
        let (mut moved, mut left, mut result) = (Vec::new(), Vec::new(), None);
        for (r, held) in &self.registers {
            match held {
                Held::Empty => moved.push(*r),
                Held::Known(place) => left.push((*r, place.clone())),
                Held::Made if result.is_none() => result = Some(*r),
                Held::Made => return None,
            }
        }
        Some(Layer {
            operator: self.operator,
            arguments: arguments.into(),
            dims: self.dims,
            unset: self.unset.as_slice().into(),
            moved: moved.into(),
            left: left.into(),
            result: result?,
            misses: Default::default(),
        })
    }
}
