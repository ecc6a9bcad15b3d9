//! What a call instruction calls, and how its code is found without searching twice.

use crate::code::{CallKind, Code};
use rushlight_ir::Function;
use rushlight_types::{Callable, ClassType};
use std::sync::{Arc, OnceLock, Weak};

/// The target of a call. Functions are held weakly: the unit owns them, and code that owned its callees would keep
/// recursive functions alive for ever.
pub enum Callee {
    /// A compiled function.
    Script {
        function: Weak<Function>,
        name: Arc<str>,
        code: OnceLock<Weak<Code>>,
    },
    /// A graph that belongs to this call alone.
    Graph(Arc<Code>),
    /// A function of the host program.
    Foreign(Arc<dyn Callable>),
    /// The method of this name of the first argument's class.
    Method {
        name: Arc<str>,
        cache: OnceLock<CachedMethod>,
    },
    /// The first argument is the function.
    Value,
}

/// The method that the last objects seen here had.
pub struct CachedMethod {
    pub class: Arc<ClassType>,
    pub code: Weak<Code>,
}

impl Callee {
    /// A compiled function.
    pub fn script(function: &Arc<Function>) -> Callee {
        Callee::Script {
            function: Arc::downgrade(function),
            name: function.qualified_name().clone(),
            code: OnceLock::new(),
        }
    }

    /// A method that is looked up at run time.
    pub fn method(name: &str) -> Callee {
        Callee::Method {
            name: name.into(),
            cache: OnceLock::new(),
        }
    }

    /// Whatever a function value is.
    pub fn of(callable: &Arc<dyn Callable>) -> Callee {
        match callable.as_any().downcast_ref::<Function>() {
            Some(function) => Callee::script(&function.handle()),
            None => Callee::Foreign(callable.clone()),
        }
    }

    /// Whether the function was known when the code was made.
    pub fn kind(&self) -> CallKind {
        match self {
            Callee::Method { .. } | Callee::Value => CallKind::Dynamic,
            _ => CallKind::Static,
        }
    }
}
