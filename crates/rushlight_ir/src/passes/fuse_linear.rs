//! Finds linear layers that are written out: `addmm(b, x, w.t())` and `matmul(x, w.t())`, with or without `+= b`.

use super::PassRun;
use super::rewrite_pattern::Rewrite;
use crate::Graph;

/// What is found and what comes in its place; patterns with more nodes come first.
const REWRITES: &str = include_str!("fuse_linear.ir");

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    // A table without these operators has none of their calls.
    let Ok(rewrites) = Rewrite::all_of(REWRITES, run.table) else {
        return;
    };
    for rewrite in rewrites {
        rewrite.run(graph, run);
    }
}
