//! Freezing: a module whose attributes do not change becomes one whose methods hold them as constants.
//!
//! Calls are inlined, so that every access to an attribute is a chain of `GetAttr` from the module ([`objects`] follows
//! them). What no method may write ([`mutation`]) becomes a constant ([`constants`]); the rest stays, in classes that
//! hold nothing else ([`rebuild`]). [`simplify`] does what only holds in evaluation. [`numerics`] folds batch norms into the convolutions and linear layers before them.

mod constants;
mod mutation;
mod numerics;
mod objects;
mod rebuild;
mod simplify;

pub use constants::tensor_type;

use crate::passes::{Run, inline};
use crate::pipeline::Pipeline;
use crate::{Graph, Unit};
use objects::Objects;
use rushlight_types::{Fault, Object, OperatorTable, Result, Schema, Value};
use std::collections::HashSet;
use std::sync::Arc;

/// Bodies of interfaces come to light one level at a time; deeper nests stay calls.
const MAX_ROUNDS: usize = 20;

/// What freezing does to the methods of a module that is frozen already but for its batch norms.
pub fn fold_norms(
    module: &Arc<Object>,
    unit: &Arc<Unit>,
    table: &'static OperatorTable,
    methods: &[String],
) -> Result<()> {
    for name in methods {
        let function = unit.method(module.class(), name);
        let Some((function, graph)) = function.and_then(|f| Some((f.clone(), f.graph()?))) else {
            return Err(Fault::runtime(format!("Unknown name: {name}")));
        };
        let mut graph = (*graph).clone();
        numerics::fold(&mut graph, table)?;
        run_passes(table, &mut graph, LAST_PASSES);
        function.set_graph(graph);
    }
    Ok(())
}

/// What the folding of numbers leaves to do.
const LAST_PASSES: &[&str] = &["dead_code"];

/// How to freeze.
pub struct FreezeOptions<'a> {
    /// Attributes and methods to keep, by path from the module.
    pub preserved: &'a [String],
    /// Whether batch norms may be folded, which changes results in their last digits.
    pub numerics: bool,
    /// Whether submodules that are known by an interface are frozen too.
    pub interfaces: bool,
    /// Whether parameters stay attributes.
    pub keep_parameters: bool,
}

/// A method on its way through freezing.
struct Method {
    name: Arc<str>,
    schema: Arc<Schema>,
    graph: Graph,
}

/// Freezes a module whose methods live in a unit. The module stays as it is; the new one lives in the same unit.
pub fn freeze(
    module: &Arc<Object>,
    unit: &Arc<Unit>,
    table: &'static OperatorTable,
    options: &FreezeOptions<'_>,
) -> Result<Arc<Object>> {
    let mut methods = kept_methods(module, unit, options.preserved)?;
    for method in &mut methods {
        inline_all(module, unit, table, &mut method.graph, options.interfaces);
    }
    let graphs: Vec<(&Graph, Objects)> = methods
        .iter()
        .map(|m| (&m.graph, Objects::of(&m.graph, module)))
        .collect();
    for (graph, objects) in &graphs {
        let returned = |value| objects.get(value).is_some_and(|known| known.path == "self");
        if graph.outputs().iter().any(|v| returned(*v)) {
            return Err(Fault::runtime(
                "attempted to freeze a module that return itself",
            ));
        }
    }
    // What is being trained keeps what it learns.
    let is_training = matches!(module.get("training"), Some(Value::Bool(true)));
    let written = mutation::written_attributes(&graphs);
    let preserved: HashSet<String> = options.preserved.iter().cloned().collect();
    for method in &mut methods {
        let objects = Objects::of(&method.graph, module);
        let kept = constants::Kept {
            written: &written,
            preserved: &preserved,
            parameters: options.keep_parameters || is_training,
            training: is_training,
        };
        constants::fold(&mut method.graph, &objects, &kept);
        clean(table, &mut method.graph);
        if options.numerics {
            numerics::fold(&mut method.graph, table)?;
        }
        run_passes(table, &mut method.graph, LAST_PASSES);
    }
    rebuild::rebuild(module, unit, methods, &preserved)
}

fn kept_methods(module: &Arc<Object>, unit: &Unit, preserved: &[String]) -> Result<Vec<Method>> {
    let class = module.class();
    let mut names: Vec<&str> = Vec::new();
    if class.method("forward").is_some() {
        names.push("forward");
    }
    for name in preserved {
        if class.method(name).is_some() {
            names.push(name);
        } else if !objects::has_path(module, name) {
            return Err(Fault::runtime(format!("Unknown name: {name}")));
        }
    }
    let mut out: Vec<Method> = Vec::new();
    for name in names {
        if out.iter().any(|m| &*m.name == name) {
            continue;
        }
        let function = unit.method(class, name);
        let known = function.and_then(|f| Some((f.known_schema()?, f.graph()?)));
        let Some((schema, graph)) = known else {
            return Err(Fault::runtime(format!(
                "the method '{name}' has no body to freeze"
            )));
        };
        out.push(Method {
            name: name.into(),
            schema,
            // Numbered anew, as everything that freezing adds to.
            graph: graph.copy(),
        });
    }
    Ok(out)
}

/// Inlines calls; a submodule known by an interface is called as what it is.
fn inline_all(
    module: &Arc<Object>,
    unit: &Arc<Unit>,
    table: &'static OperatorTable,
    graph: &mut Graph,
    interfaces: bool,
) {
    for _ in 0..MAX_ROUNDS {
        let mut run = Run::new(table);
        run.unit = Some(unit);
        inline::run(graph, &mut run);
        if !interfaces || !objects::name_interfaces(graph, module) {
            break;
        }
    }
}

/// What constants make possible, in the reference's order, which numbers of values and the order of constants show.
fn clean(table: &'static OperatorTable, graph: &mut Graph) {
    const PASSES: &[&str] = &[
        "dead_code",
        "common_subexpressions",
        "peephole",
        "dead_code",
        "constant_propagation_of_containers",
        "constant_pooling",
        "constant_loop_unrolling",
        "dead_code",
        "list_mutation",
        "peephole",
        "dead_code",
        "constant_propagation_of_containers",
        "common_subexpressions",
        "tuples",
        "dead_code",
    ];
    simplify::known_ranks(graph);
    run_passes(table, graph, PASSES);
    simplify::remove_dropouts(graph);
}

fn run_passes(table: &'static OperatorTable, graph: &mut Graph, names: &[&str]) {
    let pipeline = Pipeline::named(names).expect("these passes exist");
    pipeline.run(graph, &mut Run::new(table));
}
