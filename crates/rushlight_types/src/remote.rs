//! Functions and values of other processes, behind a seam: the agent that reaches them is plugged into the context.

use crate::{Future, Result, Type, Value};
use std::any::Any;
use std::sync::Arc;

/// A process that takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// Its rank.
    pub id: u32,
    pub name: Arc<str>,
}

/// A value that another process (or this one) keeps: what `RRef[T]` stands for.
pub struct RRef {
    /// Who keeps the value.
    pub owner: Worker,
    /// Who made the reference, and its number there.
    pub key: (u32, u64),
    /// The type of the value, as far as it is known.
    pub ty: Type,
    /// The value, where this process keeps it.
    pub local: Option<Arc<Future>>,
    /// What lets the value go when the last reference of this process does.
    pub handle: Option<Arc<dyn Any + Send + Sync>>,
}

impl RRef {
    /// The reference as a value of a script.
    pub fn into_value(self) -> Value {
        Value::Foreign(Arc::new(Box::new(self)))
    }

    /// The reference that a value is.
    pub fn of(value: &Value) -> Option<&RRef> {
        match value {
            Value::Foreign(inner) => inner.downcast_ref(),
            _ => None,
        }
    }
}

/// What calls functions of other processes.
pub trait Remote: Send + Sync {
    /// Calls a function of a worker; the future completes with its result. `seconds` below zero stand for the agent's
    /// own limit, zero for none.
    fn call(
        &self,
        to: &str,
        function: &str,
        arguments: Vec<Value>,
        seconds: f64,
    ) -> Result<Arc<Future>>;
    /// As [`Remote::call`], the result staying there.
    fn create(&self, to: &str, function: &str, arguments: Vec<Value>, seconds: f64)
    -> Result<RRef>;
    /// The value of a reference, copied here.
    fn fetch(&self, reference: &RRef, seconds: f64) -> Result<Value>;
    /// This process.
    fn me(&self) -> Worker;
}
