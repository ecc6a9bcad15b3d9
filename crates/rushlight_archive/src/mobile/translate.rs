//! One function: from instructions over a stack to a graph.

use super::program::{Called, Instruction, Op, Routine};
use super::types::{Types, join, problem};
use crate::code::Importer;
use rushlight_frontend::script::Emitter;
use rushlight_frontend::{Outcome, Problem};
use rushlight_ir::{Attr, Graph, Prim, ValueId, verify};
use rushlight_syntax::{Source, Span};
use rushlight_types::{Argument, AttributeKind, ClassType, Schema, Type, native};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// What translation has found out about types; when it learns more, it begins again.
pub(super) struct Knowledge {
    /// What loops carry, by function and place.
    pub loops: HashMap<(usize, usize), Vec<Type>>,
    /// Attributes of classes without instances so far of which nothing is known yet.
    vague: HashSet<(Arc<str>, usize)>,
    /// What methods return, by name and number of arguments, for calls whose object is known at run time only.
    methods: HashMap<(String, usize), Type>,
    pub changed: bool,
}

impl Knowledge {
    pub fn new(routines: &[Routine], types: &Types) -> Outcome<Knowledge> {
        let mut methods: HashMap<(String, usize), Type> = HashMap::new();
        for routine in routines {
            let (Some(signature), Some((_, name))) =
                (&routine.signature, routine.name.rsplit_once('.'))
            else {
                continue;
            };
            let returned = match &signature.returns {
                Some(text) => types.parse(text, &Span::unknown())?,
                None => Type::None,
            };
            let key = (name.to_string(), signature.parameters.len());
            let known = methods.get(&key).map(|known| join(known, &returned));
            methods.insert(key, known.unwrap_or(returned));
        }
        Ok(Knowledge {
            loops: HashMap::new(),
            vague: HashSet::new(),
            methods,
            changed: false,
        })
    }

    pub fn begin_round(&mut self) {
        self.changed = false;
    }

    /// Whether the last round has learnt nothing.
    pub fn is_settled(&self) -> bool {
        !self.changed
    }
}

/// Makes the graph of a function.
pub(super) fn translate(
    routine: &Routine,
    index: usize,
    importer: &Rc<Importer>,
    types: &Types,
    knowledge: &mut Knowledge,
) -> Outcome<(Graph, Schema)> {
    let (source, lines) = listing(routine);
    let mut emitter = Emitter::new(
        importer.compiler(),
        importer.resolver(),
        routine.name.as_str().into(),
    );
    let mut translator = Translator {
        routine,
        index,
        types,
        version: importer.version(),
        knowledge,
        stack: Vec::new(),
        floor: 0,
        registers: HashMap::new(),
        unset: HashSet::new(),
        returned: None,
        source,
        lines,
        at: 0,
        depth: 0,
    };
    let schema = translator.parameters(&mut emitter)?;
    translator.sequence(&mut emitter, 0, routine.instructions.len())?;
    let result = match translator.returned {
        Some(result) => result,
        None => return Err(translator.wrong("the function does not return")),
    };
    let top = emitter.graph.top();
    let wanted = &schema.returns[0].ty;
    let result = translator.fit(&mut emitter, result, wanted);
    emitter.graph.add_return(top, result);
    verify::verify(&emitter.graph).map_err(|why| translator.wrong(&why))?;
    Ok((emitter.graph, schema))
}

/// The instructions as text, one a line, so that errors can show where they come from; and where each line lies.
fn listing(routine: &Routine) -> (Arc<Source>, Vec<(u32, u32)>) {
    let (mut text, mut lines) = (String::new(), Vec::new());
    for instruction in &routine.instructions {
        let start = text.len() as u32;
        text.push_str(&instruction_text(routine, instruction));
        lines.push((start, text.len() as u32));
        text.push('\n');
    }
    let name = format!("{} of {}", super::BYTECODE, routine.name);
    (Source::new(name, text), lines)
}

fn instruction_text(routine: &Routine, instruction: &Instruction) -> String {
    let Instruction { op, x, n } = instruction;
    let operator = usize::try_from(*x)
        .ok()
        .and_then(|x| routine.operators.get(x));
    match (op, operator) {
        (Op::Operator | Op::OperatorOf, Some(called)) => format!("{op:?} {}", called.name),
        _ => format!("{op:?} {x} {n}"),
    }
}

pub(super) struct Translator<'t> {
    pub routine: &'t Routine,
    pub index: usize,
    pub types: &'t Types,
    /// The file format version, which says what operators mean.
    pub version: u64,
    pub knowledge: &'t mut Knowledge,
    pub stack: Vec<ValueId>,
    /// What lies below belongs to the block outside.
    pub floor: usize,
    pub registers: HashMap<i64, ValueId>,
    /// Values that are never looked at.
    pub unset: HashSet<ValueId>,
    pub returned: Option<ValueId>,
    pub source: Arc<Source>,
    pub lines: Vec<(u32, u32)>,
    /// The instruction being translated.
    pub at: usize,
    pub depth: usize,
}

impl Translator<'_> {
    // Telling.

    pub fn span(&self) -> Span {
        match self.lines.get(self.at) {
            Some(&(start, end)) => self.source.span(start..end),
            None => Span::unknown(),
        }
    }

    pub fn wrong(&self, message: &str) -> Problem {
        let message = format!("{}, instruction {}: {message}", self.routine.name, self.at);
        problem(message, &self.span())
    }

    /// The instruction after the present one.
    pub fn following(&self) -> Option<Instruction> {
        self.routine.instructions.get(self.at + 1).copied()
    }

    // The stack.

    pub fn pop(&mut self) -> Outcome<ValueId> {
        if self.stack.len() <= self.floor {
            return Err(self.wrong("the stack is empty"));
        }
        self.stack
            .pop()
            .ok_or_else(|| self.wrong("the stack is empty"))
    }

    /// The topmost values, the deepest first.
    pub fn pop_many(&mut self, count: i64) -> Outcome<Vec<ValueId>> {
        match usize::try_from(count).ok().filter(|n| *n <= self.height()) {
            Some(count) => Ok(self.stack.split_off(self.stack.len() - count)),
            None => Err(self.wrong("the stack has fewer values than the instruction takes")),
        }
    }

    /// How many values of the present block there are.
    pub fn height(&self) -> usize {
        self.stack.len() - self.floor
    }

    pub fn push(&mut self, value: ValueId) {
        self.stack.push(value);
    }

    /// Entry X of a table.
    pub fn entry<'v, T>(&self, table: &'v [T], x: i64, what: &str) -> Outcome<&'v T> {
        usize::try_from(x)
            .ok()
            .and_then(|x| table.get(x))
            .ok_or_else(|| self.wrong(&format!("there is no {what} {x}")))
    }

    pub fn type_entry(&self, x: i64) -> Outcome<Type> {
        let text = self.entry(&self.routine.types, x, "type")?;
        self.types.parse(text, &self.span())
    }

    /// The value as one of a type, by a cast where it is not known to be one.
    pub fn fit(&self, e: &mut Emitter<'_>, value: ValueId, wanted: &Type) -> ValueId {
        match e.ty(value).is_subtype_of(wanted) {
            true => value,
            false => e.cast(value, wanted.clone(), &self.span()),
        }
    }

    // Functions.

    /// Declares the parameters. Their values are on the stack when the code begins.
    fn parameters(&mut self, e: &mut Emitter<'_>) -> Outcome<Schema> {
        let routine = self.routine;
        let mut arguments = Vec::new();
        let returned = match &routine.signature {
            Some(signature) => {
                for parameter in &signature.parameters {
                    let ty = self.types.parse(&parameter.ty, &self.span())?;
                    let mut argument = Argument::new(&parameter.name, ty);
                    argument.default = parameter.default.clone();
                    arguments.push(argument);
                }
                match &signature.returns {
                    Some(text) => self.types.parse(text, &self.span())?,
                    None => Type::None,
                }
            }
            None => {
                // The code begins by taking the parameters off the stack.
                let first = routine.instructions.first();
                let count = match first {
                    Some(Instruction {
                        op: Op::StoreAll,
                        n,
                        ..
                    }) => (*n).clamp(0, 1000),
                    Some(Instruction { op: Op::Store, .. }) => 1,
                    _ => 0,
                };
                for i in 0..count {
                    let ty = match (i, routine.name.rsplit_once('.')) {
                        (0, Some((class, _))) => self.types.parse(class, &self.span())?,
                        _ => Type::Any,
                    };
                    let name = if i == 0 {
                        "self".into()
                    } else {
                        format!("x{i}")
                    };
                    arguments.push(Argument::new(&name, ty));
                }
                Type::Any
            }
        };
        for argument in &arguments {
            let value = e.graph.add_input(argument.ty.clone(), &argument.name);
            self.stack.push(value);
        }
        let name = routine.name.rsplit('.').next().unwrap_or(&routine.name);
        Ok(Schema::new(
            name,
            arguments,
            vec![Argument::new("", returned)],
        ))
    }

    // Instructions that are no control flow.

    pub fn simple(&mut self, e: &mut Emitter<'_>, instruction: Instruction) -> Outcome<()> {
        let Instruction { op, x, n } = instruction;
        match op {
            Op::Load | Op::Move => match self.registers.get(&x) {
                Some(&value) => self.push(value),
                None => return Err(self.wrong(&format!("register {x} is empty"))),
            },
            Op::Store => {
                let value = self.pop()?;
                self.registers.insert(x, value);
            }
            Op::StoreAll => {
                let values = self.pop_many(n)?;
                self.registers.extend((x..).zip(values));
            }
            Op::Drop => drop(self.pop()?),
            // What is not read any more needs no saying in a graph.
            Op::Forget => {}
            Op::Constant => {
                let value = self.entry(&self.routine.constants, x, "constant")?.clone();
                let constant = e.constant(value, &self.span());
                self.push(constant);
            }
            Op::Return => {
                let result = match self.height() > 0 {
                    true => self.pop()?,
                    false => e.none(&self.span()),
                };
                self.returned = Some(result);
            }
            Op::GetAttr => self.get_attr(e, x)?,
            Op::SetAttr => self.set_attr(e, x)?,
            Op::Create => {
                let ty = self.type_entry(x)?;
                if !matches!(ty, Type::Class(_)) {
                    return Err(self.wrong(&format!("an object of type {ty}")));
                }
                let object = e.value(Prim::CreateObject, &[], ty, &self.span());
                self.push(object);
            }
            Op::CallMethod => self.call_method(e, x, n)?,
            _ => self.construct_or_call(e, instruction)?,
        }
        Ok(())
    }

    /// The class and the attribute's place.
    fn attribute(
        &mut self,
        e: &mut Emitter<'_>,
        object: ValueId,
        x: i64,
    ) -> Outcome<(Arc<ClassType>, usize, ValueId)> {
        let class = match e.ty(object).clone() {
            Type::Class(class) => class,
            Type::Optional(inner) => match &*inner {
                Type::Class(class) => class.clone(),
                _ => return Err(self.wrong("an attribute of what is no object")),
            },
            other => return Err(self.wrong(&format!("an attribute of a value of type {other}"))),
        };
        let slot = usize::try_from(x).ok().filter(|slot| *slot < 10_000);
        let slot = slot.ok_or_else(|| self.wrong(&format!("there is no attribute {x}")))?;
        // Classes that restore themselves have no attributes yet when their code is read.
        while class.attribute_count() <= slot {
            let next = class.attribute_count();
            class.add_attribute(&format!("slot_{next}"), Type::Any, AttributeKind::Plain);
            self.knowledge.vague.insert((class.name().clone(), next));
        }
        let object = self.fit(e, object, &Type::Class(class.clone()));
        Ok((class, slot, object))
    }

    fn get_attr(&mut self, e: &mut Emitter<'_>, x: i64) -> Outcome<()> {
        let object = self.pop()?;
        let (class, slot, object) = self.attribute(e, object, x)?;
        let attribute = class.attributes().swap_remove(slot);
        let node = e.node(Prim::GetAttr, &[object], &[attribute.ty], &self.span());
        e.set_attr(node, "name", Attr::Str(attribute.name));
        self.push(e.graph.node(node).outputs()[0]);
        Ok(())
    }

    fn set_attr(&mut self, e: &mut Emitter<'_>, x: i64) -> Outcome<()> {
        let (value, object) = (self.pop()?, self.pop()?);
        let (class, slot, object) = self.attribute(e, object, x)?;
        let attribute = class.attributes().swap_remove(slot);
        let given = e.ty(value).clone();
        let ty = match self.knowledge.vague.remove(&(class.name().clone(), slot)) {
            true => given,
            false => join(&attribute.ty, &given),
        };
        if ty != attribute.ty {
            class.add_attribute(&attribute.name, ty, attribute.kind);
            self.knowledge.changed = true;
        }
        let node = e.node(Prim::SetAttr, &[object, value], &[], &self.span());
        e.set_attr(node, "name", Attr::Str(attribute.name));
        Ok(())
    }

    fn call_method(&mut self, e: &mut Emitter<'_>, x: i64, n: i64) -> Outcome<()> {
        let known = self.entry(&self.routine.constants, x, "constant")?.clone();
        let Ok(name) = known.as_str() else {
            return Err(self.wrong("the name of a method is no string"));
        };
        let arguments = self.pop_many(n)?;
        let Some(&object) = arguments.first() else {
            return Err(self.wrong("a method without an object"));
        };
        if let Type::Class(class) = e.ty(object)
            && let Some(operator) = native::method(class.name(), name)
        {
            return self.native_method(e, operator, &arguments);
        }
        let known = match e.ty(object) {
            Type::Class(class) => class.method(name).and_then(|method| method.schema),
            _ => None,
        };
        let returned = match known {
            Some(schema) => schema.returns.first().map(|r| r.ty.clone()),
            None => {
                let key = (name.to_string(), arguments.len());
                self.knowledge.methods.get(&key).cloned()
            }
        };
        let returned = returned.unwrap_or(Type::Any);
        let node = e.node(Prim::CallMethod, &arguments, &[returned], &self.span());
        e.set_attr(node, "name", Attr::Str(name.to_string().into()));
        self.push(e.graph.node(node).outputs()[0]);
        Ok(())
    }

    /// A method that an operator stands for; its results are one value, where there are several a tuple.
    fn native_method(
        &mut self,
        e: &mut Emitter<'_>,
        operator: &str,
        arguments: &[ValueId],
    ) -> Outcome<()> {
        let below = self.height();
        arguments.iter().for_each(|value| self.push(*value));
        let called = Called::new(operator, "", None);
        self.operator(e, &called, Some(arguments.len()))?;
        let results = self.height().saturating_sub(below) as i64;
        match results {
            1 => Ok(()),
            _ => self.simple(
                e,
                Instruction {
                    op: Op::Tuple,
                    x: results,
                    n: 0,
                },
            ),
        }
    }
}
