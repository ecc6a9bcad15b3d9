//! Register code as text: `rushlight code --registers`, and what tests and people look at.
//!
//! A line is the number of an instruction and what it does: `r3 = AddInt r1, r2`, `jump 7`. A register that is read for the
//! last time is marked with `!`: its value moves. Constants stand where they are used. Where the line of the source changes,
//! it is shown behind a `;`. Codes that belong to this one, as those of forked tasks, follow it.

use super::groups::Group;
use super::{Callee, Code, Entries, Extended, Insn, NOWHERE, Operand, Reg, ScriptCall, Source};
use rushlight_types::{Type, Value};
use std::fmt::{Display, Formatter, Result};
use std::sync::Arc;

/// Constants longer than this are cut.
const MAX_CONSTANT: usize = 60;

impl Display for Code {
    /// The listing.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(
            f,
            "code {}: {} parameters, {} registers",
            self.name, self.parameters, self.registers
        )?;
        for (register, constant) in &self.preloaded {
            writeln!(f, "       r{register} = {}", self.constant(*constant))?;
        }
        let mut line = None;
        for (i, insn) in self.insns.iter().enumerate() {
            let text = format!("{i:5}  {}", self.instruction(insn));
            let at = self.origin(i).and_then(|origin| origin.span.as_ref());
            let here = at.map(|span| (span.source().name().to_string(), span.line()));
            match &here {
                Some((file, number)) if here != line => {
                    writeln!(f, "{text:<50} ; {file}:{number}")?;
                }
                _ => writeln!(f, "{text}")?,
            }
            line = here.or(line);
        }
        for inner in self.inner() {
            write!(f, "\n{inner}")?;
        }
        Ok(())
    }
}

impl Code {
    /// The codes that belong to instructions of this one, in their order.
    fn inner(&self) -> Vec<&Arc<Code>> {
        self.insns
            .iter()
            .filter_map(|insn| match insn {
                Insn::Call(k) => match &self.calls[*k as usize].callee {
                    Callee::Graph(code) => Some(code),
                    _ => None,
                },
                Insn::Extended(k) => match &self.extended[*k as usize] {
                    Extended::Closure { code, .. } | Extended::Awaitable { code, .. } => Some(code),
                    _ => None,
                },
                _ => None,
            })
            .collect()
    }

    fn constant(&self, index: u32) -> String {
        let Some(value) = self.constants.get(index as usize) else {
            return "?".to_string();
        };
        if let Value::Tensor(_) = value {
            return "<Tensor>".to_string();
        }
        let text = format!("{value:?}").replace('\n', " ");
        match text.char_indices().nth(MAX_CONSTANT) {
            Some((at, _)) => format!("{}...", &text[..at]),
            None => text,
        }
    }

    fn operand(&self, operand: Operand) -> String {
        match operand.source() {
            Source::Copy(r) => format!("r{r}"),
            Source::Move(r) => format!("r{r}!"),
            Source::Constant(k) => self.constant(k),
        }
    }

    fn operands(&self, run: Entries) -> String {
        let texts = run.of(&self.operands).iter().map(|o| self.operand(*o));
        texts.collect::<Vec<_>>().join(", ")
    }

    fn targets(&self, run: Entries) -> String {
        assigned(run.of(&self.targets))
    }

    fn instruction(&self, insn: &Insn) -> String {
        match insn {
            Insn::Constant(r, k) => format!("r{r} = {}", self.constant(*k)),
            Insn::Jump(to) => format!("jump {to}"),
            Insn::Group(k, to) => match self.groups[*k as usize] {
                Group::Elements(_) => format!("elements at once, jump {to}"),
                Group::Tiles(_) => format!("tile by tile, jump {to}"),
                Group::Layer(_) => format!("layer at once, jump {to}"),
            },
            Insn::JumpUnless(c, to) => format!("unless r{c} jump {to}"),
            Insn::UnlessLtInt(a, b, to) => format!("unless r{a} < r{b} jump {to}"),
            Insn::UnlessLeInt(a, b, to) => format!("unless r{a} <= r{b} jump {to}"),
            Insn::UnlessGtInt(a, b, to) => format!("unless r{a} > r{b} jump {to}"),
            Insn::UnlessGeInt(a, b, to) => format!("unless r{a} >= r{b} jump {to}"),
            Insn::UnlessEqInt(a, b, to) => format!("unless r{a} == r{b} jump {to}"),
            Insn::UnlessNeInt(a, b, to) => format!("unless r{a} != r{b} jump {to}"),
            Insn::LoopStart(counter, trips, exit) => {
                format!("r{counter} = 0, unless r{counter} < r{trips} jump {exit}")
            }
            Insn::LoopStep(counter, trips, body) => {
                format!("r{counter} += 1, if r{counter} < r{trips} jump {body}")
            }
            Insn::LoopWhile(condition, body) => format!("if r{condition} jump {body}"),
            Insn::Drop(r) => format!("drop r{r}"),
            Insn::ListSet(list, index, value) => {
                format!("r{list}[r{index}] = {}", self.operand(*value))
            }
            Insn::ListAppend(list, value) => format!("r{list}.append({})", self.operand(*value)),
            Insn::Operator(k) => {
                let call = &self.operators[*k as usize];
                let (targets, name) = (self.targets(call.results), call.operator.full_name());
                format!("{targets}{name}({})", self.operands(call.arguments))
            }
            Insn::Call(k) => self.call(&self.calls[*k as usize]),
            Insn::Extended(k) => self.extended(&self.extended[*k as usize]),
            Insn::Return(value) => format!("return {}", self.operand(*value)),
            Insn::Fail(k) => format!("fail {:?}", self.failures[*k as usize]),
            rest => computed(rest),
        }
    }

    fn call(&self, call: &ScriptCall) -> String {
        let arguments = self.operands(call.arguments);
        let kind = format!("{:?}", call.kind).to_lowercase();
        let callee = match &call.callee {
            Callee::Script { name, .. } => name.to_string(),
            Callee::Graph(code) => code.name.to_string(),
            Callee::Foreign(callable) => callable.name().to_string(),
            Callee::Method { name, .. } => format!(".{name}"),
            Callee::Value => "the first".to_string(),
        };
        format!(
            "{}call {callee}({arguments}), {kind}",
            assigned(&[call.target])
        )
    }

    fn extended(&self, instruction: &Extended) -> String {
        let one = |target: &Reg| assigned(&[*target]);
        match instruction {
            Extended::Tuple { items, ty, target } => {
                let name = ty.as_ref().map(|ty| Type::Tuple(ty.clone()).to_string());
                let name = name.unwrap_or_default();
                format!("{}{name}({})", one(target), self.operands(*items))
            }
            Extended::TupleUnpack { tuple, targets } => {
                format!("{}unpack {}", self.targets(*targets), self.operand(*tuple))
            }
            Extended::TupleIndex {
                tuple,
                index,
                target,
            } => format!(
                "{}{}[{}]",
                one(target),
                self.operand(*tuple),
                self.operand(*index)
            ),
            Extended::TupleSlice {
                tuple,
                begin,
                end,
                target,
            } => format!("{}{}[{begin}:{end}]", one(target), self.operand(*tuple)),
            Extended::List {
                items,
                element,
                target,
            } => format!("{}List[{element}]({})", one(target), self.operands(*items)),
            Extended::ListUnpack { list, targets } => {
                format!("{}unpack {}", self.targets(*targets), self.operand(*list))
            }
            Extended::Dict {
                items,
                key,
                value,
                target,
            } => format!(
                "{}Dict[{key}, {value}]({})",
                one(target),
                self.operands(*items)
            ),
            Extended::GetAttr {
                object,
                slot,
                target,
            } => format!("{}{}.slot {slot}", one(target), self.operand(*object)),
            Extended::SetAttr {
                object,
                slot,
                value,
            } => format!(
                "{}.slot {slot} = {}",
                self.operand(*object),
                self.operand(*value)
            ),
            Extended::GetNamed {
                object,
                name,
                target,
            } => format!("{}{}.{name}", one(target), self.operand(*object)),
            Extended::SetNamed {
                object,
                name,
                value,
            } => format!(
                "{}.{name} = {}",
                self.operand(*object),
                self.operand(*value)
            ),
            Extended::CreateObject { class, target } => {
                format!("{}new {}", one(target), Type::Class(class.clone()))
            }
            Extended::IsInstance {
                value,
                types,
                target,
            } => {
                let types: Vec<String> = types.iter().map(Type::to_string).collect();
                let value = self.operand(*value);
                format!("{}isinstance({value}, {})", one(target), types.join(" | "))
            }
            Extended::Wait { future, target } => {
                format!("{}wait {}", one(target), self.operand(*future))
            }
            Extended::Raise { message, class } => match class {
                Some(class) => format!(
                    "raise {} ({})",
                    self.operand(*message),
                    self.operand(*class)
                ),
                None => format!("raise {}", self.operand(*message)),
            },
            Extended::Warn { message, .. } => format!("warn {}", self.operand(*message)),
            Extended::Entered { object, .. } => format!("entered {}", self.operand(*object)),
            Extended::Exited => "exited".to_string(),
            Extended::Closure { code, target } => format!("{}closure {}", one(target), code.name),
            Extended::Awaitable {
                code,
                arguments,
                target,
                ..
            } => format!(
                "{}awaitable {}({})",
                one(target),
                code.name,
                self.operands(*arguments)
            ),
        }
    }
}

/// `r1, r2 = `; nothing for results that nobody wants.
fn assigned(targets: &[Reg]) -> String {
    if targets.iter().all(|r| *r == NOWHERE) {
        return String::new();
    }
    let name = |r: &Reg| match *r {
        NOWHERE => "_".to_string(),
        r => format!("r{r}"),
    };
    let names: Vec<String> = targets.iter().map(name).collect();
    format!("{} = ", names.join(", "))
}

/// The instructions that only compute: the first number takes the result, the others are registers that are read.
fn computed(insn: &Insn) -> String {
    let text = format!("{insn:?}");
    let (name, numbers) = text.split_once('(').unwrap_or((&text, ""));
    let mut numbers = numbers.trim_end_matches(')').split(", ");
    let target = numbers.next().unwrap_or_default();
    let read: Vec<String> = numbers.map(|n| format!("r{n}")).collect();
    format!("r{target} = {name} {}", read.join(", "))
}
