//! Scripts over the language's own operators, run in every mode.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod containers;
pub mod random;

use rushlight_frontend::script::Compiler;
use rushlight_frontend::source_file::{self, Checked};
use rushlight_ir::{Function, Unit};
use rushlight_jit::{Mode, compiler};
use rushlight_runtime::{Options, Runtime, error_text, invoke};
use rushlight_syntax::Source;
use rushlight_types::{Context, Limits, OperatorTable, Value};
use std::sync::Arc;

/// The operators that need no tensors.
pub fn table() -> &'static OperatorTable {
    rushlight_lang::table()
}

/// The interpreter and the ways of compiling.
pub const MODES: [Option<Mode>; 3] = [None, Some(Mode::Always), Some(Mode::Soon)];

/// A compiled source.
pub struct Program {
    pub unit: Arc<Unit>,
    pub functions: Vec<(Arc<str>, Arc<Function>)>,
}

/// Compiles source to be run in one of the modes.
pub fn program(source: &str, mode: Option<Mode>) -> Program {
    let unit = Unit::new();
    let options = Options {
        operators: Some(table()),
        compiler: mode.map(|m| compiler(m).expect("this machine has machine code")),
        ..Options::default()
    };
    unit.set_executor(Arc::new(Runtime::new(options)));
    let scripts = Compiler::new(unit.clone(), table());
    let source = Source::new("<string>", source);
    let Checked {
        loaded, problems, ..
    } = source_file::check(
        &scripts,
        &source,
        "__torch__",
        None,
        source_file::Scope::All,
    );
    assert!(
        problems.is_empty(),
        "{}\n{}",
        rushlight_syntax::diagnostic::terminal::render(&problems, false),
        source.text()
    );
    Program {
        unit,
        functions: loaded.functions,
    }
}

impl Program {
    /// A function by name.
    pub fn get(&self, name: &str) -> &Arc<Function> {
        let found = self.functions.iter().find(|(n, _)| &**n == name);
        &found.expect("a function of this name").1
    }

    /// Calls a function; what comes out, or the whole text of the error.
    pub fn call(&self, name: &str, arguments: &[Value], limits: Option<Limits>) -> String {
        let context = Context::silent();
        if let Some(limits) = limits {
            context.set_limits(limits);
        }
        let result = invoke::call(&**self.get(name), &context, arguments.to_vec(), Vec::new());
        match result {
            Ok(value) => format!("{value:?} / {:?}", arguments),
            Err(fault) => format!("! {} / {:?}", error_text(&fault), arguments),
        }
    }
}

/// Runs a function in all modes, twice each; all must agree. The arguments are made anew for each.
pub fn same(source: &str, name: &str, arguments: impl Fn() -> Vec<Value>) -> String {
    same_within(source, name, arguments, None)
}

/// As [`same`], within limits.
pub fn same_within(
    source: &str,
    name: &str,
    arguments: impl Fn() -> Vec<Value>,
    limits: Option<Limits>,
) -> String {
    let mut expected: Option<String> = None;
    for mode in MODES {
        let program = program(source, mode);
        for turn in 0..2 {
            let got = program.call(name, &arguments(), limits.clone());
            let expected = expected.get_or_insert_with(|| got.clone());
            assert_eq!(got, *expected, "{mode:?}, turn {turn}\n{source}");
        }
    }
    expected.unwrap_or_default()
}
