//! Blocks: branches and loops, from the jumps that they were written as.

use super::program::{Instruction, Op};
use super::translate::Translator;
use super::types::join;
use rushlight_frontend::Outcome;
use rushlight_frontend::script::Emitter;
use rushlight_ir::{Prim, ValueId};
use rushlight_types::{Type, Value};

/// Blocks nested deeper than this are refused, as by the rest of the program.
const MAX_NESTING: usize = 200;

impl Translator<'_> {
    /// The instructions from one to before another.
    pub(super) fn sequence(&mut self, e: &mut Emitter<'_>, from: usize, to: usize) -> Outcome<()> {
        let mut next = from;
        while next < to {
            self.at = next;
            if self.returned.is_some() {
                return Err(self.wrong("there is code behind the return"));
            }
            let instruction = self.routine.instructions[next];
            next = match instruction.op {
                Op::JumpUnless => self.branch(e, next, to, instruction)?,
                Op::Loop => self.repeat(e, next, to, instruction)?,
                Op::Jump => return Err(self.wrong("a jump that belongs to no branch and no loop")),
                _ => {
                    self.simple(e, instruction)?;
                    next + 1
                }
            };
        }
        Ok(())
    }

    /// Where a jump of some distance leads, within bounds.
    fn target(&self, from: usize, distance: i64, to: usize) -> Outcome<usize> {
        let target = i64::try_from(from)
            .ok()
            .and_then(|f| f.checked_add(distance));
        target
            .and_then(|t| usize::try_from(t).ok())
            .filter(|t| *t > from && *t <= to)
            .ok_or_else(|| self.wrong("a jump leads out of its block"))
    }

    /// The instructions of a block, and what they leave on the stack.
    fn block(&mut self, e: &mut Emitter<'_>, from: usize, to: usize) -> Outcome<Vec<ValueId>> {
        if self.depth >= MAX_NESTING {
            return Err(self.wrong("blocks are nested too deeply"));
        }
        let floor = std::mem::replace(&mut self.floor, self.stack.len());
        let registers = self.registers.clone();
        self.depth += 1;
        self.sequence(e, from, to)?;
        if self.returned.is_some() {
            return Err(self.wrong("a return inside a block"));
        }
        self.depth -= 1;
        self.registers = registers;
        let left = self.stack.split_off(self.floor);
        self.floor = floor;
        Ok(left)
    }

    /// `JF` over the first block, at the end of which a `JMP` goes over the second.
    fn branch(
        &mut self,
        e: &mut Emitter<'_>,
        at: usize,
        to: usize,
        instruction: Instruction,
    ) -> Outcome<usize> {
        let condition = self.pop()?;
        let condition = self.fit(e, condition, &Type::Bool);
        let otherwise = self.target(at, instruction.x, to)?;
        let over = self.routine.instructions[otherwise - 1];
        if over.op != Op::Jump || otherwise - 1 == at {
            return Err(self.wrong("the first block of a branch does not end in a jump"));
        }
        let end = self.target(otherwise - 1, over.x, to)?;
        let node = e.node(Prim::If, &[condition], &[], &self.span());
        let blocks = [
            (e.graph.add_block(node), at + 1, otherwise - 1),
            (e.graph.add_block(node), otherwise, end),
        ];
        let mut results = Vec::new();
        for (block, from, until) in blocks {
            results.push(e.within(block, |e| self.block(e, from, until))?);
        }
        self.at = at;
        if results[0].len() != results[1].len() {
            return Err(self.wrong("the blocks of a branch leave different numbers of values"));
        }
        for (a, b) in results[0].iter().zip(&results[1]) {
            let ty = self.joined(e, *a, *b);
            let output = e.graph.add_output(node, ty.clone(), None);
            for (value, block) in [(*a, blocks[0].0), (*b, blocks[1].0)] {
                let value = e.within(block, |e| Ok(self.set_as(e, value, &ty)))?;
                e.graph.add_return(block, value);
            }
            if self.unset.contains(a) && self.unset.contains(b) {
                self.unset.insert(output);
            }
            self.stack.push(output);
        }
        Ok(end)
    }

    /// `LOOP` over a body, at the end of which a `JMP` goes back. On the stack: a counter, the number of trips, the
    /// condition, and what the loop carries.
    fn repeat(
        &mut self,
        e: &mut Emitter<'_>,
        at: usize,
        to: usize,
        instruction: Instruction,
    ) -> Outcome<usize> {
        let exit = self.target(at, instruction.x, to)?;
        let back = self.routine.instructions[exit - 1];
        let goes_back = (exit - 1 > at)
            .then(|| (exit - 1 - at) as i64)
            .is_some_and(|distance| back.op == Op::Jump && back.x == -distance);
        if !goes_back {
            return Err(self.wrong("a loop does not end in a jump to its start"));
        }
        let carried = self.pop_many(instruction.n.saturating_sub(2))?;
        let (condition, trips) = (self.pop()?, self.pop()?);
        let counter = self.pop()?;
        if e.graph.constant(counter) != Some(Value::Int(0)) {
            return Err(self.wrong("a loop does not begin at zero"));
        }
        let condition = self.fit(e, condition, &Type::Bool);
        let trips = self.fit(e, trips, &Type::Int);
        let types = self.carried_types(e, at, &carried);
        let mut inputs = vec![trips, condition];
        for (value, ty) in carried.iter().zip(&types) {
            inputs.push(self.set_as(e, *value, ty));
        }
        let node = e.node(Prim::Loop, &inputs, &[], &self.span());
        let body = e.graph.add_block(node);
        let base = self.stack.len();
        let number = e.graph.add_param(body, Type::Int, None);
        let mut given = vec![number];
        for (value, ty) in carried.iter().zip(&types) {
            let param = e.graph.add_param(body, ty.clone(), None);
            // Until something is known of it, what is carried is what it began as.
            if self.unset.contains(value) && *ty == Type::None {
                self.unset.insert(param);
            }
            given.push(param);
        }
        let left = e.within(body, |e| self.body(e, at + 1, exit - 1, given))?;
        self.at = at;
        let Some((&again, left)) = left.split_first() else {
            return Err(self.wrong("the body of a loop leaves no condition"));
        };
        if left.len() != types.len() {
            return Err(self.wrong("the body of a loop leaves another number of values"));
        }
        let again = e.within(body, |e| Ok(self.fit(e, again, &Type::Bool)))?;
        e.graph.add_return(body, again);
        self.stack.truncate(base);
        let mut settled = Vec::new();
        for (i, (value, ty)) in left.iter().zip(types).enumerate() {
            let param = e.graph.params(body)[i + 1];
            settled.push(self.joined(e, param, *value));
            let value = e.within(body, |e| Ok(self.set_as(e, *value, &ty)))?;
            e.graph.add_return(body, value);
            let output = e.graph.add_output(node, ty, None);
            if self.unset.contains(&param) {
                self.unset.insert(output);
            }
            self.stack.push(output);
        }
        self.learn_loop(at, settled);
        Ok(exit)
    }

    /// The body of a loop, which takes the number of the iteration and the carried values off the stack first.
    fn body(
        &mut self,
        e: &mut Emitter<'_>,
        from: usize,
        to: usize,
        given: Vec<ValueId>,
    ) -> Outcome<Vec<ValueId>> {
        let registers = self.registers.clone();
        self.at = from;
        let (first, count) = match self.routine.instructions.get(from).filter(|_| from < to) {
            Some(Instruction {
                op: Op::StoreAll,
                x,
                n,
            }) => (*x, *n),
            Some(Instruction {
                op: Op::Store, x, ..
            }) => (*x, 1),
            _ => (0, 0),
        };
        if usize::try_from(count) != Ok(given.len()) {
            return Err(self.wrong("the body of a loop does not take its values"));
        }
        self.registers.extend((first..).zip(given));
        let left = self.block(e, from + 1, to)?;
        self.registers = registers;
        Ok(left)
    }

    /// The type of what is one value or the other.
    fn joined(&self, e: &Emitter<'_>, a: ValueId, b: ValueId) -> Type {
        match (self.unset.contains(&a), self.unset.contains(&b)) {
            (true, _) => e.ty(b).clone(),
            (_, true) => e.ty(a).clone(),
            _ => join(e.ty(a), e.ty(b)),
        }
    }

    /// A value that is never looked at as one of a type.
    fn set_as(&self, e: &mut Emitter<'_>, value: ValueId, ty: &Type) -> ValueId {
        match self.unset.contains(&value) && e.ty(value) != ty {
            true => e.uninitialized(ty.clone(), &self.span()),
            false => value,
        }
    }

    fn carried_types(&self, e: &Emitter<'_>, at: usize, carried: &[ValueId]) -> Vec<Type> {
        let known = self.knowledge.loops.get(&(self.index, at));
        carried
            .iter()
            .enumerate()
            .map(|(i, value)| match known.and_then(|types| types.get(i)) {
                Some(known) if self.unset.contains(value) => known.clone(),
                Some(known) => join(known, e.ty(*value)),
                None => e.ty(*value).clone(),
            })
            .collect()
    }

    fn learn_loop(&mut self, at: usize, types: Vec<Type>) {
        let key = (self.index, at);
        if self.knowledge.loops.get(&key) != Some(&types) {
            self.knowledge.loops.insert(key, types);
            self.knowledge.changed = true;
        }
    }
}
