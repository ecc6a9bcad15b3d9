//! Operators that programs define: rows as the built-in ones, whose kernel is a function of the program.

use crate::operator::without_overload;
use crate::{Call, Callable, Fault, Operator, Result, Value};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// The function behind an operator; none after it was taken back.
pub(crate) struct Defined(RwLock<Option<Arc<dyn Callable>>>);

impl Defined {
    pub(crate) fn new(function: Arc<dyn Callable>) -> Defined {
        Defined(RwLock::new(Some(function)))
    }

    /// Calls the function with the arguments of a call and hands on what it gives.
    pub(crate) fn run(&self, operator: &Operator, call: &mut Call<'_>) -> Result<()> {
        let function = self
            .0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let Some(function) = function else {
            return Err(Fault::runtime(format!(
                "{} was taken back by the program that defined it",
                operator.full_name()
            )));
        };
        let given = function.invoke(call.context(), call.inputs().to_vec())?;
        let results = match (operator.schema().returns.len(), given) {
            (0, _) => Vec::new(),
            (1, one) => vec![one],
            (_, Value::Tuple(parts)) => parts.items.to_vec(),
            (_, other) => vec![other],
        };
        let wanted = operator.schema().returns.len();
        if results.len() != wanted {
            return Err(Fault::runtime(format!(
                "{} has to give {wanted} results but gave {}",
                operator.full_name(),
                results.len()
            )));
        }
        call.finish_many(results)
    }

    fn take_back(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The defined operators of a table, by name.
#[derive(Default)]
pub(crate) struct DefinedOperators {
    /// Whether there ever was one: programs without do not touch the lock.
    any: AtomicBool,
    by_name: RwLock<BTreeMap<&'static str, &'static [&'static Operator]>>,
}

impl DefinedOperators {
    /// The overloads of a name, in the order of their definition.
    pub(crate) fn overloads(&self, name: &str) -> &'static [&'static Operator] {
        if !self.any.load(Ordering::Acquire) {
            return &[];
        }
        let by_name = self.by_name.read().unwrap_or_else(PoisonError::into_inner);
        by_name.get(name).copied().unwrap_or_default()
    }

    pub(crate) fn add(&self, operator: &'static Operator) -> Result<&'static Operator> {
        let mut by_name = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        let before = by_name.get(operator.name()).copied().unwrap_or_default();
        if before
            .iter()
            .any(|op| op.full_name() == operator.full_name())
        {
            return Err(Fault::runtime(format!(
                "there is an operator {} already",
                operator.full_name()
            )));
        }
        let overloads = [before, &[operator]].concat();
        by_name.insert(operator.name(), overloads.leak());
        self.any.store(true, Ordering::Release);
        Ok(operator)
    }

    pub(crate) fn remove(&self, full_name: &str) -> bool {
        let name = without_overload(full_name);
        let mut by_name = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        let before = by_name.get(name).copied().unwrap_or_default();
        let Some(at) = before.iter().position(|op| op.full_name() == full_name) else {
            return false;
        };
        let operator = before[at];
        if let Some(defined) = operator.defined() {
            defined.take_back();
        }
        if before.len() == 1 {
            by_name.remove(name);
        } else {
            let rest = [&before[..at], &before[at + 1..]].concat();
            by_name.insert(operator.name(), rest.leak());
        }
        true
    }

    /// All of them, by name.
    pub(crate) fn all(&self) -> Vec<&'static Operator> {
        let by_name = self.by_name.read().unwrap_or_else(PoisonError::into_inner);
        by_name.values().copied().flatten().copied().collect()
    }
}
