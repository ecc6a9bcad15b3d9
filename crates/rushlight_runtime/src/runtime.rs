//! The executor: lowers functions at their first call and runs them.

use crate::code::Code;
use crate::interpreter::Machine;
use crate::lower::{Options, lower, shown_name};
use crate::machine_code::Compiler;

use crate::pool::Pool;
use parking_lot::Mutex;
use rushlight_ir::passes::attributes_first::with_attributes_first;
use rushlight_ir::passes::complex_apart::with_complex_apart;
use rushlight_ir::passes::inline::with_small_inlined;
use rushlight_ir::passes::last_round::with_last_rounds_only;
use rushlight_ir::passes::lower_tuples::with_numbers_apart;
use rushlight_ir::passes::pairs::with_pairs_apart;
use rushlight_ir::passes::scalar_constants::with_numbers;
use rushlight_ir::passes::spared_lists::with_lists_spared;
use rushlight_ir::{Executor, Function, Graph, Unit};
use rushlight_types::{Callable, Context, Fault, OperatorTable, Result, Schema, Value};
use std::any::Any;
use std::sync::Arc;

/// Runs functions of the units that it has been given to.
#[derive(Clone)]
pub struct Runtime(Arc<Shared>);

struct Shared {
    options: Options,
    /// One lowering at a time, so that a function has one code.
    lowering: Mutex<()>,
    pool: Pool,
}

impl Runtime {
    /// A runtime; hand it to [`rushlight_ir::Unit::set_executor`].
    pub fn new(options: Options) -> Runtime {
        Runtime(Arc::new(Shared {
            options,
            lowering: Mutex::new(()),
            pool: Pool::new(options.inter_op_threads),
        }))
    }

    /// The code of a function, made now if this is the first time that it is asked for.
    pub fn code(&self, function: &Function) -> Result<Arc<Code>> {
        if let Some(code) = known_code(function) {
            return Ok(code);
        }
        let _one_at_a_time = self.0.lowering.lock();
        if let Some(code) = known_code(function) {
            return Ok(code);
        }
        let graph = function.graph().ok_or_else(|| {
            Fault::runtime(format!(
                "{} is declared but has no body",
                function.qualified_name()
            ))
        })?;
        let unit = function.unit();
        let name = shown_name(function.qualified_name());
        let table = self.0.options.numbers;
        let numbered = table.and_then(|table| with_numbers(&graph, table));
        let graph = numbered.as_ref().unwrap_or(&graph);
        let prepared = match self.0.options.compiler {
            Some(_) => prepared(graph, unit.as_ref(), self.0.options.operators),
            None => None,
        };
        let lowered = |graph: &Graph| lower(&name, graph, unit.as_ref(), &self.0.options);
        // What was taken in may nest too deeply, which is no fault of the program.
        let code = prepared.and_then(|graph| lowered(&graph).ok());
        let code = Arc::new(code.map_or_else(|| lowered(graph), Ok)?);
        function.set_code(code.clone());
        Ok(code)
    }

    /// What makes machine code.
    pub(crate) fn compiler(&self) -> Option<&'static dyn Compiler> {
        self.0.options.compiler
    }

    /// The pool that runs forked tasks.
    pub(crate) fn pool(&self) -> &Pool {
        &self.0.pool
    }

    /// Runs code that belongs to no function.
    pub fn run_code(
        &self,
        code: &Arc<Code>,
        context: &Context,
        arguments: Vec<Value>,
    ) -> Result<Value> {
        context.supervise(|| Machine::new(self, context)?.run(code.clone(), arguments))
    }

    /// A function value that runs code.
    pub(crate) fn closure(&self, code: Arc<Code>) -> Arc<dyn Callable> {
        Arc::new(Closure {
            runtime: self.clone(),
            code,
        })
    }
}

/// The graph as machine code is best made of it, if that is another.
fn prepared(
    graph: &Graph,
    unit: Option<&Arc<Unit>>,
    table: Option<&'static OperatorTable>,
) -> Option<Graph> {
    let inlined = with_small_inlined(graph, unit);
    let spared = with_lists_spared(inlined.as_ref().unwrap_or(graph)).or(inlined);
    let walked = with_pairs_apart(spared.as_ref().unwrap_or(graph)).or(spared);
    let late = with_last_rounds_only(walked.as_ref().unwrap_or(graph)).or(walked);
    let apart = with_numbers_apart(late.as_ref().unwrap_or(graph)).or(late);
    let complex = table
        .and_then(|table| with_complex_apart(apart.as_ref().unwrap_or(graph), table))
        .or(apart);
    with_attributes_first(complex.as_ref().unwrap_or(graph)).or(complex)
}

fn known_code(function: &Function) -> Option<Arc<Code>> {
    Arc::downcast(function.code()?).ok()
}

impl Executor for Runtime {
    fn run(&self, function: &Function, context: &Context, arguments: Vec<Value>) -> Result<Value> {
        // Functions refer to their unit weakly; it must not go away while one of them runs.
        let _unit = function.unit();
        let code = self.code(function)?;
        context.supervise(|| Machine::new(self, context)?.run(code, arguments))
    }
}

/// A graph as a function value.
struct Closure {
    runtime: Runtime,
    code: Arc<Code>,
}

impl Callable for Closure {
    fn name(&self) -> &str {
        &self.code.name
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::new(Schema {
            varargs: true,
            varrets: true,
            ..Schema::new(&self.code.name, Vec::new(), Vec::new())
        })
    }

    fn invoke(&self, context: &Context, arguments: Vec<Value>) -> Result<Value> {
        self.runtime.run_code(&self.code, context, arguments)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
