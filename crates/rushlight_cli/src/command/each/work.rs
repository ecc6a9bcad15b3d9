//! Threads that read inputs and run the function on them.

use super::batch::{self, Numbered};
use crate::limits::Guard;
use crate::program::{self, Program, Warnings};
use crate::{Failure, argument};
use rushlight::tensor::memory;
use rushlight::types::{ErrorClass, PlainCopies, deep_copy};
use rushlight::{Context, Fault, Tensor, Value};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Mutex, PoisonError};

/// What there is to do.
pub enum Task {
    /// Read an input and run the function on it.
    Run(usize, String),
    /// Read an input.
    Read(usize, String),
    /// Run the function on a batch of inputs.
    Batch(Vec<Numbered>),
}

impl Task {
    /// How many reports will come of it.
    pub fn reports(&self) -> usize {
        match self {
            Task::Batch(inputs) => inputs.len(),
            Task::Run(..) | Task::Read(..) => 1,
        }
    }
}

/// Why an input has no result.
#[derive(Clone)]
pub struct Reason {
    /// In one line.
    pub short: String,
    pub full: String,
    /// It was not the input's fault: somebody has stopped the command.
    pub is_interrupt: bool,
}

impl Reason {
    fn of(program: &Program, fault: &Fault) -> Reason {
        Reason {
            is_interrupt: fault.class() == ErrorClass::Interrupt,
            ..Reason::new(fault.message(), program.explain(fault).0)
        }
    }

    pub fn new(short: &str, full: String) -> Reason {
        let line = short.lines().find(|line| !line.trim().is_empty());
        Reason {
            short: crate::abbreviate::line(line.unwrap_or("")),
            full,
            is_interrupt: false,
        }
    }
}

impl From<Failure> for Reason {
    fn from(failure: Failure) -> Reason {
        Reason::new(&failure.0.clone(), failure.0)
    }
}

/// What was done.
pub enum Report {
    Result(usize, Result<Value, Reason>),
    Input(usize, Result<Tensor, Reason>),
}

/// What the threads share.
pub struct Shop<'p> {
    pub program: &'p Program,
    /// The values of the arguments; `None` is the place of the input.
    pub arguments: Vec<Option<Value>>,
    pub guard: &'p Guard,
    /// How many threads share the memory that is left.
    pub jobs: usize,
}

impl Shop<'_> {
    /// Does tasks until there are no more, each under limits of its own.
    pub fn serve(&self, tasks: &Mutex<Receiver<Task>>, reports: &Sender<Report>) -> Warnings {
        let context = self.program.own_context();
        let warnings = program::listen(&context);
        let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        while let Ok(task) = next() {
            let watch = std::sync::Arc::new(self.guard.share(self.jobs));
            let _in_force = watch.enter();
            let done = match task {
                Task::Run(i, name) => {
                    let result = self
                        .read(&name)
                        .and_then(|input| self.call(&context, input));
                    vec![Report::Result(i, result)]
                }
                Task::Read(i, name) => {
                    let input = self.read(&name).and_then(|input| match input {
                        Value::Tensor(tensor) => Ok(tensor),
                        _ => Err(Failure("only tensors can share a batch".into()).into()),
                    });
                    vec![Report::Input(i, input)]
                }
                Task::Batch(inputs) => self.batch(&context, &inputs),
            };
            for report in done {
                // Who does not listen any more has stopped.
                let _ = reports.send(report);
            }
        }
        warnings
    }

    fn read(&self, name: &str) -> Result<Value, Reason> {
        let read = memory::catching(|| {
            let dtype = self.program.dtype();
            Ok(dtype.and_then(|dtype| argument::file(name, dtype)))
        });
        Ok(read.map_err(|fault| Reason::of(self.program, &fault))??)
    }

    fn call(&self, context: &Context, input: Value) -> Result<Value, Reason> {
        // Every input finds the random stream at its beginning, so that results do not depend on who came before.
        self.program.restart_random(context);
        let called = memory::catching(|| {
            // What one run does to an argument is not for the others to see.
            let given = self.arguments.iter().map(|given| match given {
                Some(value) => deep_copy(value, &PlainCopies),
                None => Ok(input.clone()),
            });
            let arguments = given.collect::<Result<Vec<Value>, Fault>>()?;
            self.program.call(context, &arguments)
        });
        called.map_err(|fault| Reason::of(self.program, &fault))
    }

    /// The results of a batch. Where it fails, each of its inputs is tried alone, so that the others have results.
    fn batch(&self, context: &Context, inputs: &[Numbered]) -> Vec<Report> {
        let result = memory::catching(|| batch::stacked(context, inputs))
            .map_err(|fault| Reason::of(self.program, &fault))
            .and_then(|input| self.call(context, input));
        let parts = result.and_then(|value| {
            let split = memory::catching(|| Ok(batch::split(&value, inputs.len())));
            Ok(split.map_err(|fault| Reason::of(self.program, &fault))??)
        });
        let number = |i: usize| inputs[i].0;
        match parts {
            Ok(parts) => {
                let parts = parts.into_iter().enumerate();
                parts
                    .map(|(i, part)| Report::Result(number(i), Ok(part)))
                    .collect()
            }
            Err(why) if inputs.len() == 1 || why.is_interrupt => {
                let reports =
                    (0..inputs.len()).map(|i| Report::Result(number(i), Err(why.clone())));
                reports.collect()
            }
            Err(_) => inputs
                .iter()
                .flat_map(|input| self.batch(context, std::slice::from_ref(input)))
                .collect(),
        }
    }
}
