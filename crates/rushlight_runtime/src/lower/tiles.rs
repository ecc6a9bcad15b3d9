//! Finds chains of elementwise operators, and puts a group before each (see [`Tiles`]). A chain lies between two jumps and is
//! of operators whose rows say how they are steps ([`TileForm`]); what it makes and nobody reads behind it is no tensor.

use super::groups::{insert, targets};
use crate::code::groups::Group;
use crate::code::tiles::{Outside, Step, Tiles};
use crate::code::{Code, Insn, NOWHERE, OperatorCall, Reg, RegisterKind, Source};
use rushlight_tensor::Scalar;
use rushlight_tensor::tiles::{MOST_INPUTS, TileSource, TileTarget};
use rushlight_types::{TileForm, Value};
use smallvec::SmallVec;

/// Chains with fewer operators are not worth it.
const LEAST: usize = 2;
/// Operators of a chain.
const MOST: usize = 32;
/// Numbers of a chain.
const MOST_NUMBERS: usize = 32;

/// Puts groups before the chains of a function.
pub(super) fn group(code: &mut Code) {
    let is_target = targets(code);
    let mut groups: Vec<(usize, usize, Group)> = Vec::new();
    let mut at = 0;
    while at < code.insns.len() {
        let mut chain = Chain::new(code);
        let start = at;
        while at < code.insns.len() && (at == start || !is_target[at]) && chain.take(at) {
            at += 1;
        }
        let cuts = chain.cuts(at);
        for piece in cuts.windows(2) {
            let mut chain = Chain::new(code);
            let end = (piece[0]..piece[1]).find(|insn| !chain.take(*insn));
            let end = end.unwrap_or(piece[1]);
            if let Some(tiles) = chain.finish() {
                groups.push((piece[0], end, Group::Tiles(Box::new(tiles))));
            }
        }
        if at == start {
            at += 1;
        }
    }
    if !groups.is_empty() {
        insert(code, groups);
    }
}

/// A tensor of a chain.
#[derive(Clone, Copy, PartialEq)]
enum Tensor {
    Input(u8),
    /// What a step makes.
    Made(usize),
}

#[derive(Clone, Copy)]
enum Operand {
    Tensor(Tensor),
    Number(u8),
}

struct Call {
    insn: usize,
    form: &'static TileForm,
    operands: SmallVec<[Operand; 3]>,
    numbers: SmallVec<[u8; 2]>,
    is_in_place: bool,
}

struct Chain<'c> {
    code: &'c Code,
    /// What registers hold that the chain has to do with; none where they are empty.
    registers: Vec<(Reg, Option<Tensor>)>,
    calls: Vec<Call>,
    inputs: Vec<Outside>,
    numbers: Vec<Scalar>,
    /// Numbers that are in registers.
    from: Vec<(u8, Reg)>,
}

impl<'c> Chain<'c> {
    fn new(code: &'c Code) -> Chain<'c> {
        Chain {
            code,
            registers: Vec::new(),
            calls: Vec::new(),
            inputs: Vec::new(),
            numbers: Vec::new(),
            from: Vec::new(),
        }
    }

    /// Takes the next instruction; `false`, and nothing taken, if it cannot be part of the chain.
    fn take(&mut self, at: usize) -> bool {
        match self.code.insns[at] {
            Insn::Operator(k) => {
                let known = (self.registers.len(), self.inputs.len(), self.numbers.len());
                let is_taken = self
                    .operator(at, &self.code.operators[k as usize])
                    .is_some();
                if !is_taken {
                    self.registers.truncate(known.0);
                    self.inputs.truncate(known.1);
                    self.numbers.truncate(known.2);
                    self.from.retain(|number| usize::from(number.0) < known.2);
                }
                is_taken
            }
            // What was only looked at goes, or what was made for nobody.
            Insn::Drop(r) if self.registers.iter().any(|known| known.0 == r) => {
                self.hold(r, None);
                true
            }
            _ => false,
        }
    }

    fn operator(&mut self, insn: usize, call: &'c OperatorCall) -> Option<()> {
        let [target] = *call.results.of(&self.code.targets) else {
            return None;
        };
        let form = call
            .operator
            .tiles
            .iter()
            .find(|form| self.is_of(call, form))?;
        let given = call.arguments.of(&self.code.operands);
        let is_in_place = call.operator.schema().arguments.first()?.is_written();
        if target == NOWHERE && !is_in_place
            || target != NOWHERE && self.code.kinds[target as usize] != RegisterKind::Other
            || self.calls.len() >= MOST
        {
            return None;
        }
        let (mut operands, mut numbers) = (SmallVec::new(), SmallVec::new());
        for at in form.operands {
            operands.push(self.operand(given[usize::from(*at)].source())?);
        }
        for at in form.numbers {
            let source = given[usize::from(*at)].source();
            if matches!(self.code.constant_of(source), Some(Value::Bool(_))) {
                return None;
            }
            numbers.push(self.number(source)?);
        }
        let written = match (is_in_place, operands.first()) {
            (false, _) => None,
            // What the chain has made itself is nobody else's.
            (true, Some(Operand::Tensor(Tensor::Made(made)))) => Some(*made),
            (true, _) => return None,
        };
        // Nothing fails from here on.
        for operand in given {
            if let Source::Move(r) = operand.source()
                && self.code.kinds[r as usize] == RegisterKind::Other
            {
                self.hold(r, None);
            }
        }
        let made = Tensor::Made(self.calls.len());
        if let Some(written) = written {
            for (_, held) in &mut self.registers {
                if *held == Some(Tensor::Made(written)) {
                    *held = Some(made);
                }
            }
        }
        if target != NOWHERE {
            self.hold(target, Some(made));
        }
        self.calls.push(Call {
            is_in_place,
            insn,
            form,
            operands,
            numbers,
        });
        Some(())
    }

    /// Whether a call is of a form.
    fn is_of(&self, call: &OperatorCall, form: &TileForm) -> bool {
        let given = call.arguments.of(&self.code.operands);
        given.len() == call.operator.schema().arguments.len()
            && given.iter().enumerate().all(|(at, operand)| {
                let at = at as u8;
                let constant = self.code.constant_of(operand.source());
                let is_none = matches!(constant, Some(Value::None));
                if form.operands.contains(&at) || form.numbers.contains(&at) {
                    return !is_none;
                }
                match form.texts.iter().find(|text| text.0 == at) {
                    Some((_, text)) => {
                        matches!(constant, Some(Value::Str(own)) if own.text() == Some(text))
                    }
                    None => is_none,
                }
            })
    }

    fn operand(&mut self, source: Source) -> Option<Operand> {
        if let Source::Constant(k) = source
            && let Value::Tensor(tensor) = &self.code.constants[k as usize]
        {
            let input = self.input(Outside::Constant(tensor.clone()))?;
            return Some(Operand::Tensor(input));
        }
        match source {
            Source::Copy(r) | Source::Move(r)
                if self.code.kinds[r as usize] == RegisterKind::Other =>
            {
                self.tensor(r).map(Operand::Tensor)
            }
            number => self.number(number).map(Operand::Number),
        }
    }

    fn tensor(&mut self, r: Reg) -> Option<Tensor> {
        if let Some((_, held)) = self.registers.iter().find(|known| known.0 == r) {
            return *held;
        }
        let input = self.input(Outside::Register(r))?;
        self.registers.push((r, Some(input)));
        Some(input)
    }

    fn input(&mut self, outside: Outside) -> Option<Tensor> {
        if self.inputs.len() >= MOST_INPUTS {
            return None;
        }
        self.inputs.push(outside);
        Some(Tensor::Input(self.inputs.len() as u8 - 1))
    }

    fn number(&mut self, source: Source) -> Option<u8> {
        if self.numbers.len() >= MOST_NUMBERS {
            return None;
        }
        let at = self.numbers.len() as u8;
        let number = match self.code.constant_of(source) {
            Some(Value::Int(i)) => Scalar::Int(*i),
            Some(Value::Float(f)) => Scalar::Float(*f),
            Some(Value::Bool(b)) => Scalar::Bool(*b),
            Some(_) => return None,
            None => {
                let (r, _) = source.register()?;
                let kind = self.code.kinds[r as usize];
                self.from.push((at, r));
                match kind {
                    RegisterKind::Int => Scalar::Int(0),
                    RegisterKind::Float => Scalar::Float(0.0),
                    _ => return None,
                }
            }
        };
        self.numbers.push(number);
        Some(at)
    }

    fn hold(&mut self, r: Reg, held: Option<Tensor>) {
        match self.registers.iter_mut().find(|known| known.0 == r) {
            Some(known) => known.1 = held,
            None => self.registers.push((r, held)),
        }
    }

    /// Where the chain, which goes up to an instruction, falls into pieces that have nothing to do with each other: where
    /// they begin, and its end.
    fn cuts(&self, end: usize) -> Vec<usize> {
        let mut cuts = Vec::new();
        for (at, call) in self.calls.iter().enumerate() {
            let reads_earlier = |call: &Call| {
                let mut operands = call.operands.iter();
                operands.any(|o| matches!(o, Operand::Tensor(Tensor::Made(made)) if *made < at))
            };
            if at == 0 || !self.calls[at..].iter().any(reads_earlier) {
                cuts.push(call.insn);
            }
        }
        cuts.push(end);
        cuts
    }

    /// The chain as a group, if it is worth it.
    fn finish(self) -> Option<Tiles> {
        if self.calls.len() < LEAST {
            return None;
        }
        let (mut outputs, mut results) = (Vec::new(), Vec::new());
        for (r, held) in &self.registers {
            if let Some(Tensor::Made(made)) = held {
                let known = outputs.iter().position(|output| output == made);
                let at = known.unwrap_or(outputs.len());
                if known.is_none() {
                    outputs.push(*made);
                }
                results.push((u8::try_from(at).ok()?, *r));
            }
        }
        if outputs.is_empty() {
            return None;
        }
        let mut last = vec![0; self.calls.len()];
        for (at, call) in self.calls.iter().enumerate() {
            for operand in &call.operands {
                if let Operand::Tensor(Tensor::Made(made)) = operand {
                    last[*made] = at;
                }
            }
        }
        let mut free: Vec<u8> = Vec::new();
        let mut slots = 0u8;
        let mut places: Vec<TileTarget> = Vec::new();
        let mut steps = Vec::new();
        for (at, call) in self.calls.iter().enumerate() {
            let to = match outputs.iter().position(|output| *output == at) {
                Some(output) => TileTarget::Output(u8::try_from(output).ok()?),
                None => TileTarget::Slot(free.pop().unwrap_or_else(|| {
                    slots += 1;
                    slots - 1
                })),
            };
            let mut operands = SmallVec::new();
            for operand in &call.operands {
                operands.push(match operand {
                    Operand::Number(number) => TileSource::Number(*number),
                    Operand::Tensor(Tensor::Input(input)) => TileSource::Input(*input),
                    Operand::Tensor(Tensor::Made(made)) => match places[*made] {
                        TileTarget::Slot(slot) => TileSource::Slot(slot),
                        TileTarget::Output(output) => TileSource::Output(output),
                    },
                });
            }
            places.push(to);
            // Slots are free once nobody reads them any more.
            for (made, place) in places.iter().enumerate() {
                let is_over = last[made].max(made) == at;
                if let TileTarget::Slot(slot) = place
                    && is_over
                {
                    free.push(*slot);
                }
            }
            steps.push(Step {
                form: call.form,
                operands,
                numbers: call.numbers.clone(),
                is_in_place: call.is_in_place,
                to,
            });
        }
        let moved = self.registers.iter().filter(|known| known.1.is_none());
        Some(Tiles {
            steps: steps.into(),
            tensors: self.inputs.into(),
            moved: moved.map(|known| known.0).collect(),
            numbers: self.numbers.into(),
            registers: self.from.into(),
            results: results.into(),
            outputs: outputs.len() as u8,
            slots,
            plans: Default::default(),
            misses: Default::default(),
        })
    }
}
