//! Passes on graphs: `torch._C._jit_pass_*`.

use super::{PyGraph, refuse};
use pyo3::prelude::*;
use rushlight::ir::passes::Run;
use rushlight::ir::pipeline::Pipeline;

/// The passes behind the reference's names.
const PASSES: &[(&str, &[&str])] = &[
    ("_jit_pass_inline", &["inline"]),
    ("_jit_pass_inline_fork_wait", &["inline_fork_wait"]),
    ("_jit_pass_cse", &["common_subexpressions"]),
    ("_jit_pass_peephole", &["peephole", "dead_code"]),
    ("_jit_pass_constant_propagation", &["constant_propagation"]),
    (
        "_jit_pass_constant_propagation_immutable_types",
        &["constant_propagation"],
    ),
    ("_jit_pass_constant_pooling", &["constant_pooling"]),
    ("_jit_pass_dce", &["dead_code"]),
    ("_jit_pass_dce_graph", &["dead_code"]),
    ("_jit_pass_loop_unrolling", &["loop_unrolling", "dead_code"]),
    (
        "_jit_pass_constant_loop_unrolling",
        &["loop_unrolling", "dead_code"],
    ),
    ("_jit_pass_lower_all_tuples", &["tuples", "dead_code"]),
];

/// Runs a pass by the reference's name; whether there is such a pass.
#[pyfunction]
pub fn run_pass(name: &str, graph: Option<PyGraph>) -> PyResult<bool> {
    let Some((_, passes)) = PASSES.iter().find(|(n, _)| *n == name) else {
        return Ok(false);
    };
    let Some(PyGraph(handle)) = graph else {
        return Ok(true);
    };
    let pipeline = Pipeline::named(passes).map_err(|pass| refuse(format!("no pass {pass}")))?;
    let mut run = Run::new(rushlight::table());
    run.unit = handle.unit();
    pipeline.run(&mut handle.write(), &mut run);
    Ok(true)
}
