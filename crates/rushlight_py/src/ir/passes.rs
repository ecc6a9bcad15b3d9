//! Passes on graphs: `torch._C._jit_pass_*`.

use super::objects::{PyGraph, PyNode};
use crate::errors;
use crate::errors::refuse;
use crate::handles::ScriptFunction;
use crate::identity::PyTensor;
use crate::state;
use pyo3::prelude::*;
use rushlight::ir::analysis::known::tensor_type;
use rushlight::ir::freeze::FOLDINGS;
use rushlight::ir::parse::Lookup;
use rushlight::ir::passes::rewrite_pattern::Rewrite;
use rushlight::ir::passes::{PassRun, inline, shapes};
use rushlight::ir::pipeline::Pipeline;
use rushlight::ir::{Graph, NodeKind, Prim};
use rushlight::syntax::grammar;
use rushlight::types::{Context, Type};
use std::collections::HashMap;

/// What stands behind one of the reference's names.
struct Entry {
    name: &'static str,
    /// Passes whose changes nobody is told about.
    before: &'static [&'static str],
    passes: &'static [&'static str],
    /// Passes that clean up after a change.
    after: &'static [&'static str],
    /// Whether the caller is told if something has changed.
    reports: bool,
}

const fn entry(name: &'static str, passes: &'static [&'static str]) -> Entry {
    Entry {
        name,
        before: &[],
        passes,
        after: &[],
        reports: false,
    }
}

const fn reporting(
    name: &'static str,
    passes: &'static [&'static str],
    after: &'static [&'static str],
) -> Entry {
    Entry {
        name,
        before: &[],
        passes,
        after,
        reports: true,
    }
}

const CLEAN: &[&str] = &["dead_code"];

const PASSES: &[Entry] = &[
    entry("_jit_pass_inline", &["inline"]),
    entry("_jit_pass_inline_fork_wait", &["inline_fork_wait"]),
    reporting("_jit_pass_cse", &["common_subexpressions"], &[]),
    reporting(
        "_jit_pass_peephole",
        &["peephole_shapes", "narrow_results"],
        CLEAN,
    ),
    reporting("_jit_pass_peephole without shapes", &["peephole"], CLEAN),
    entry("_jit_pass_refine_integer_values", &["refine_integers"]),
    reporting(
        "_jit_pass_constant_propagation",
        &["constant_propagation_of_containers"],
        &[],
    ),
    reporting(
        "_jit_pass_constant_propagation_immutable_types",
        &["constant_propagation"],
        &[],
    ),
    entry("_jit_pass_constant_pooling", &["constant_pooling"]),
    entry("_jit_pass_dce", &["dead_code_keeping_writes"]),
    entry("_jit_pass_dce_graph", &["dead_code"]),
    reporting("_jit_pass_loop_unrolling", &["loop_unrolling"], CLEAN),
    reporting(
        "_jit_pass_constant_loop_unrolling",
        &["constant_loop_unrolling"],
        CLEAN,
    ),
    entry("_jit_pass_batch_mm", &["batch_mm", "dead_code"]),
    entry("_jit_pass_fuse_linear", &["fuse_linear"]),
    reporting("_jit_pass_peephole_list_idioms", &["list_idioms"], &[]),
    reporting(
        "_jit_pass_peephole_list_idioms with lengths",
        &["list_idioms", "list_lengths"],
        &[],
    ),
    reporting(
        "_jit_pass_functional_to_inplace_activation",
        &["activations_in_place"],
        &[],
    ),
    reporting(
        "_jit_pass_inplace_to_functional_activation",
        &["activations_out_of_place"],
        &[],
    ),
    entry(
        "_jit_pass_remove_inplace_ops",
        &["tensor_mutation_anywhere"],
    ),
    entry(
        "_jit_pass_lower_all_tuples",
        &["lower_tuples", "tuples", "dead_code"],
    ),
    // It tells of tensors only, as in the reference.
    Entry {
        before: &["list_mutation"],
        ..reporting("_jit_pass_remove_mutation", &["tensor_mutation"], &[])
    },
    entry("_jit_pass_refine_tuple_types", &["tuple_types"]),
    entry("_jit_pass_remove_expands", &["remove_expands"]),
    entry("_jit_pass_erase_shape_information", &["erase_shapes"]),
];

/// Puts other nodes in the place of those that look like a pattern. Pairs of names of values say which nodes take over the
/// places in the source of which.
#[pyfunction]
pub fn rewrite_pattern(
    pattern: &str,
    replacement: &str,
    graph: PyGraph,
    names: Vec<(String, String)>,
) -> PyResult<()> {
    let lookup = Lookup::operators(rushlight::table());
    let parse = |text: &str| {
        if let Some(misfit) = grammar::graph_misfit(text, false) {
            return Err(refuse(misfit.shown(text)));
        }
        let text = text.trim();
        Graph::parse_loosely(text, &lookup).map_err(|error| refuse(error.marked(text)))
    };
    let (pattern, replacement) = (parse(pattern)?, parse(replacement)?);
    let maker = |graph: &Graph, name: &str| {
        let nodes = graph.nodes(graph.top()).into_iter();
        nodes.enumerate().find_map(|(i, node)| {
            let mut outputs = graph.node(node).outputs().iter();
            let named = |v: &_| graph.value(*v).name.as_deref() == Some(name);
            outputs.any(named).then_some(i)
        })
    };
    let mut places = HashMap::new();
    for (new, old) in &names {
        let (Some(new), Some(old)) = (maker(&replacement, new), maker(&pattern, old)) else {
            return Err(refuse(format!("no values %{new} and %{old}")));
        };
        places.insert(new, old);
    }
    let rewrite = Rewrite::new(pattern, replacement, places).map_err(refuse)?;
    rewrite.run(&mut graph.0.write(), &mut PassRun::new(rushlight::table()));
    Ok(())
}

/// The function that a node calls, where that is known and its body is a graph.
#[pyfunction]
pub fn called_function(node: &PyNode) -> Option<ScriptFunction> {
    let graph = node.owner.read();
    let data = graph.node(node.id);
    let first = *data.inputs().first()?;
    let function = match data.kind {
        NodeKind::Prim(Prim::CallFunction) => inline::called_function(&graph, first)?,
        NodeKind::Prim(Prim::CallMethod) => {
            let Type::Class(class) = graph.ty(first) else {
                return None;
            };
            node.owner.unit()?.method(class, data.str_attr("name")?)?
        }
        _ => return None,
    };
    function.graph().map(|_| ScriptFunction::of(&function))
}

/// Carries what is known of the arguments of a graph to all its values; sizes only if everything is to be known.
#[pyfunction]
pub fn propagate_shapes(
    graph: PyGraph,
    inputs: Vec<Bound<'_, PyAny>>,
    complete: bool,
) -> PyResult<()> {
    let mut types = Vec::new();
    for input in &inputs {
        let Ok(tensor) = input.cast::<PyTensor>() else {
            types.push(None);
            continue;
        };
        let ty = tensor_type(&tensor.get().0);
        let grads: bool = input.getattr("requires_grad")?.extract()?;
        types.push(Some(shapes::with_grad(ty, Some(grads))));
    }
    let context = Context::silent();
    context.set_default_dtype(state::context().default_dtype());
    shapes::propagate(&mut graph.0.write(), &types, complete, &context);
    Ok(())
}

/// Runs a pass by the reference's name: whether it changed the graph, for those that tell. False without a graph says
/// that there is no such pass.
#[pyfunction]
pub fn run_pass(name: &str, graph: Option<PyGraph>) -> PyResult<Option<bool>> {
    let short = name.strip_prefix("_jit_pass_").unwrap_or(name);
    if let Some((_, fold)) = FOLDINGS.iter().find(|(n, _)| *n == short) {
        let Some(PyGraph(handle)) = graph else {
            return Ok(Some(true));
        };
        let table = rushlight::table();
        let changed = fold(&mut handle.write(), table).map_err(errors::fault)?;
        if changed {
            let mut run = PassRun::new(table);
            let clean = Pipeline::named(CLEAN).map_err(|pass| refuse(format!("no pass {pass}")))?;
            clean.run(&mut handle.write(), &mut run);
        }
        return Ok(Some(changed));
    }
    let Some(entry) = PASSES.iter().find(|e| e.name == name) else {
        return Ok(Some(false));
    };
    let Some(PyGraph(handle)) = graph else {
        return Ok(Some(true));
    };
    let named = |passes| Pipeline::named(passes).map_err(|pass| refuse(format!("no pass {pass}")));
    let mut run = PassRun::new(rushlight::table());
    run.unit = handle.unit();
    run.default_dtype = state::context().default_dtype();
    named(entry.before)?.run(&mut handle.write(), &mut run);
    let before = run.changes;
    named(entry.passes)?.run(&mut handle.write(), &mut run);
    let changed = run.changes > before;
    if changed {
        named(entry.after)?.run(&mut handle.write(), &mut run);
    }
    Ok(entry.reports.then_some(changed))
}
