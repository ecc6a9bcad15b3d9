//! Freezing: a module whose attributes do not change becomes one whose methods hold them as constants.
//!
//! Calls are inlined, so that every access to an attribute is a chain of `GetAttr` from the module ([`objects`] follows
//! them). What no method may write ([`mutation`]) becomes a constant ([`constants`]); the rest stays, in classes that
//! hold nothing else ([`rebuild`]). [`simplify`] does what only holds in evaluation. [`numerics`] and [`channels`]
//! fold what follows convolutions and linear layers into them, [`activations`] makes one operator of convolutions and
//! rectifiers.

pub mod activations;
mod channels;
mod constants;
mod mutation;
mod numerics;
mod objects;
mod rebuild;
mod simplify;

use crate::passes::{PassRun, erase_shapes, inline};
use crate::pipeline::Pipeline;
use crate::{Attr, Graph, NodeId, Prim, Unit};
pub(crate) use constants::equal;
use objects::{Known, Objects};
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
    change_methods(module, unit, table, methods, |graph| fold(graph, table))
}

/// Makes convolutions and the rectifiers after them one operator each, in methods of a frozen module.
pub fn fuse_activations(
    module: &Arc<Object>,
    unit: &Arc<Unit>,
    table: &'static OperatorTable,
    methods: &[String],
) -> Result<()> {
    change_methods(module, unit, table, methods, |graph| {
        activations::fuse(graph, table);
        Ok(())
    })
}

fn change_methods(
    module: &Arc<Object>,
    unit: &Arc<Unit>,
    table: &'static OperatorTable,
    methods: &[String],
    change: impl Fn(&mut Graph) -> Result<()>,
) -> Result<()> {
    for name in methods {
        let function = unit.method(module.class(), name);
        let Some((function, graph)) = function.and_then(|f| Some((f.clone(), f.graph()?))) else {
            return Err(Fault::runtime(format!("Unknown name: {name}")));
        };
        let mut graph = (*graph).clone();
        change(&mut graph)?;
        run_passes(table, &mut graph, LAST_PASSES);
        function.set_graph(graph);
    }
    Ok(())
}

/// A folding as a pass: whether anything was folded, or why it could not be.
type Folding = fn(&mut Graph, &'static OperatorTable) -> Result<bool>;

/// The foldings by the names of their passes.
pub const FOLDINGS: &[(&str, Folding)] = &[
    ("fold_frozen_conv_bn", |graph, table| {
        numerics::fold_norms(graph, table, numerics::Layers::Convolutions)
    }),
    ("fold_frozen_linear_bn", |graph, table| {
        numerics::fold_norms(graph, table, numerics::Layers::Linear)
    }),
    ("fold_frozen_conv_add_or_sub", channels::fold_sums),
    ("fold_frozen_conv_mul_or_div", channels::fold_products),
    ("transpose_frozen_linear", channels::transpose_linear),
];

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
    /// Whether dropouts stay, which do nothing in evaluation.
    pub keep_dropouts: bool,
}

/// A method on its way through freezing.
struct Method {
    /// Whose method it is: the module that is frozen, or one inside it.
    owner: Known,
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
        let owner = method.owner.clone();
        let seen = &|graph: &Graph| Objects::of(graph, &owner);
        inline_all(unit, table, &mut method.graph, seen, options.interfaces);
        // What a trace has seen holds for its example.
        erase_shapes::erase_computed(&mut method.graph);
    }
    let graphs: Vec<(&Graph, Objects)> = methods
        .iter()
        .flat_map(|m| objects::with_bodies(&m.graph, &m.owner))
        .collect();
    for (graph, objects) in &graphs {
        let returned = |value| objects.get(value).is_some_and(|known| known.path == "self");
        if graph.outputs().iter().any(|v| returned(*v)) {
            return Err(Fault::runtime(
                "attempted to freeze a module that return itself",
            ));
        }
        // Which submodule runs is known to the call alone, so none of them can go.
        let indexed = |node: &NodeId| graph.node(*node).is_op("prim::ModuleContainerIndex");
        if graph.all_nodes().iter().any(indexed) {
            return Err(Fault::runtime(
                "Freezing modules containing prim::ModuleContainerIndex is not supported",
            ));
        }
    }
    // What is being trained keeps what it learns.
    let is_training = matches!(module.get("training"), Some(Value::Bool(true)));
    let paths = options.preserved.iter().filter_map(|path| {
        let (owner, name) = objects::owner_of(module, path)?;
        Some((owner.id(), name.to_string()))
    });
    let paths = paths.chain(
        options
            .preserved
            .iter()
            .flat_map(|path| inside(module, path)),
    );
    let written = mutation::written_attributes(&graphs, paths);
    mutation::check_overlaps(&graphs, &written)?;
    let kept = constants::Kept {
        written: &written,
        parameters: options.keep_parameters || is_training,
        training: is_training,
    };
    for method in &mut methods {
        let objects = Objects::of(&method.graph, &method.owner);
        settle(table, &mut method.graph, &objects, &kept);
        if !options.keep_dropouts {
            simplify::remove_dropouts(&mut method.graph);
        }
        if options.numerics {
            fold(&mut method.graph, table)?;
            run_passes(table, &mut method.graph, LAST_PASSES);
        }
    }
    let preserved = options.preserved.iter().cloned().collect();
    rebuild::rebuild(module, unit, methods, &preserved, &written)
}

/// Everything that a module holds which is an attribute to keep: nothing of it becomes a constant.
fn inside(module: &Arc<Object>, path: &str) -> Vec<mutation::Place> {
    let found = objects::owner_of(module, path);
    let kept = found.and_then(|(owner, name)| owner.object.get(name));
    let mut waiting = vec![kept];
    let mut out = Vec::new();
    let mut seen = HashSet::new();
    while let Some(value) = waiting.pop() {
        let Some(Value::Object(inner)) = value else {
            continue;
        };
        let id = Arc::as_ptr(&inner) as usize;
        if !inner.class().is_module() || !seen.insert(id) {
            continue;
        }
        for attribute in inner.class().attributes() {
            waiting.push(inner.get(&attribute.name));
            out.push((id, attribute.name.to_string()));
        }
    }
    out
}

/// Puts constants into a graph and the graphs that its nodes run, and does what they make possible.
fn settle(
    table: &'static OperatorTable,
    graph: &mut Graph,
    objects: &Objects,
    kept: &constants::Kept<'_>,
) {
    objects::each_body(graph, objects, &mut |body, objects| {
        settle(table, body, objects, kept);
    });
    objects::drop_unused(graph, objects);
    constants::fold(graph, objects, kept);
    clean(table, graph);
    simplify::remove_detaching(graph);
}

fn kept_methods(module: &Arc<Object>, unit: &Unit, preserved: &[String]) -> Result<Vec<Method>> {
    let mut paths: Vec<String> = Vec::new();
    if module.class().method("forward").is_some() {
        paths.push("forward".into());
    }
    for path in preserved {
        let found = objects::owner_of(module, path);
        let class = found
            .as_ref()
            .map(|(owner, name)| (owner.object.class(), *name));
        let is_constant = class.is_some_and(|(class, name)| class.constant(name).is_some());
        if class.is_some_and(|(class, name)| class.method(name).is_some()) {
            paths.push(path.clone());
        } else if let Some(inner) = submodule(module, path) {
            methods_inside(&inner, unit, path, &mut paths, 0);
        } else if !is_constant && !objects::has_path(module, path) {
            return Err(Fault::runtime(format!("Unknown name: {path}")));
        }
    }
    let mut out: Vec<Method> = Vec::new();
    let mut seen = HashSet::new();
    for path in &paths {
        let found = objects::owner_of(module, path).filter(|_| seen.insert(path));
        let Some((owner, name)) = found else {
            continue;
        };
        let function = unit.method(owner.object.class(), name);
        let known = function.and_then(|f| Some((f.known_schema()?, f.graph()?)));
        let Some((schema, graph)) = known else {
            return Err(Fault::runtime(format!(
                "the method '{path}' has no body to freeze"
            )));
        };
        out.push(Method {
            owner,
            name: name.into(),
            schema,
            // Numbered anew, as everything that freezing adds to.
            graph: graph.copy(),
        });
    }
    Ok(out)
}

/// The module that a dotted path leads to.
fn submodule(module: &Arc<Object>, path: &str) -> Option<Arc<Object>> {
    let (owner, name) = objects::owner_of(module, path)?;
    match owner.object.get(name) {
        Some(Value::Object(inner)) if inner.class().is_module() => Some(inner),
        _ => None,
    }
}

/// Notes the methods of a submodule that stays as it is, and of those inside it, by path.
fn methods_inside(
    module: &Arc<Object>,
    unit: &Unit,
    path: &str,
    out: &mut Vec<String>,
    depth: usize,
) {
    let class = module.class();
    let methods = class.methods();
    let with_body = |name: &str| {
        unit.method(class, name)
            .is_some_and(|f| f.graph().is_some())
    };
    let known = methods.iter().map(|m| &*m.name).filter(|n| with_body(n));
    out.extend(known.map(|name| format!("{path}.{name}")));
    for attribute in class.attributes() {
        if let Some(inner) = submodule(module, &attribute.name).filter(|_| depth < MAX_DEPTH) {
            let path = format!("{path}.{}", attribute.name);
            methods_inside(&inner, unit, &path, out, depth + 1);
        }
    }
}

/// Modules nest at most this deep.
const MAX_DEPTH: usize = 200;

/// Folds until nothing is left to fold.
fn fold(graph: &mut Graph, table: &'static OperatorTable) -> Result<()> {
    simplify::remove_dropouts(graph);
    loop {
        let mut changed = numerics::fold_norms(graph, table, numerics::Layers::Convolutions)?;
        changed |= channels::fold_sums(graph, table)?;
        changed |= channels::fold_products(graph, table)?;
        changed |= numerics::fold_norms(graph, table, numerics::Layers::Linear)?;
        if !changed {
            return Ok(());
        }
    }
}

/// Inlines calls, also those in tasks; a submodule known by an interface is called as what it is.
fn inline_all(
    unit: &Arc<Unit>,
    table: &'static OperatorTable,
    graph: &mut Graph,
    seen: &dyn Fn(&Graph) -> Objects,
    interfaces: bool,
) {
    for _ in 0..MAX_ROUNDS {
        let mut run = PassRun::new(table);
        run.unit = Some(unit);
        inline::run(graph, &mut run);
        if !interfaces || !objects::name_interfaces(graph, &seen(graph)) {
            break;
        }
    }
    let objects = seen(graph);
    for id in graph.all_nodes() {
        let node = graph.node(id).clone();
        let Some(found) = objects::body(&node).cloned() else {
            continue;
        };
        let mut found = (*found).clone();
        let seen = &|body: &Graph| objects.of_body(&node, body);
        inline_all(unit, table, &mut found, seen, interfaces);
        graph.set_attr(id, "Subgraph", Attr::Graph(Arc::new(found)));
    }
}

/// What constants make possible, in the reference's order, which numbers of values and the order of constants show.
fn clean(table: &'static OperatorTable, graph: &mut Graph) {
    const BEFORE: &[&str] = &[
        "dead_code",
        "common_subexpressions",
        "peephole",
        "dead_code",
        "constant_propagation_of_containers",
        "constant_pooling",
    ];
    const AFTER: &[&str] = &[
        "peephole",
        "dead_code",
        "constant_propagation_of_containers",
        "common_subexpressions",
        "tuples",
        // Lists that only came apart with their tuples stay with what is written to them.
        "dead_code_keeping_writes",
    ];
    simplify::known_ranks(graph);
    run_passes(table, graph, BEFORE);
    let size = |graph: &Graph| {
        let all = graph.all_nodes();
        let loops = all.iter().filter(|n| graph.node(**n).is(Prim::Loop));
        (loops.count(), all.len())
    };
    let before = size(graph);
    run_passes(table, graph, &["constant_loop_unrolling"]);
    let is_unrolled = size(graph) != before;
    run_passes(table, graph, &["dead_code"]);
    if is_unrolled {
        run_passes(table, graph, &["list_mutation"]);
    }
    run_passes(table, graph, AFTER);
}

fn run_passes(table: &'static OperatorTable, graph: &mut Graph, names: &[&str]) {
    let pipeline = Pipeline::named(names).expect("these passes exist");
    pipeline.run(graph, &mut PassRun::new(table));
}
