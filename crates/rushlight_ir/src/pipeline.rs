//! Passes in a row.

use crate::passes::{PASSES, Pass, PassRun};
use crate::{Graph, verify};
use std::time::Duration;

/// The clean-up of graphs fresh from source, before anybody sees them.
pub const TIDY: &[&str] = &[
    "normalize_operators",
    "lift_closures",
    "narrow_joins",
    "tuples",
    "dead_code",
    "constant_propagation",
    "constant_pooling",
    "canonical_outputs",
];

/// Passes in the order in which they run.
#[derive(Clone)]
pub struct Pipeline {
    passes: Vec<(&'static str, Pass)>,
}

/// What a pass did.
#[derive(Clone, Debug)]
pub struct Record {
    pub pass: &'static str,
    pub changes: u64,
    /// How long it took; zero where nobody asked.
    pub time: Duration,
}

impl Pipeline {
    /// Passes by name; the error is the first name that no pass has.
    pub fn named(names: &[&str]) -> Result<Pipeline, String> {
        let find = |name: &&str| {
            let known = PASSES.iter().find(|pass| pass.name == *name);
            let known = known.map(|pass| (pass.name, pass.run));
            known.ok_or_else(|| name.to_string())
        };
        let passes = names.iter().map(find).collect::<Result<_, _>>()?;
        Ok(Pipeline { passes })
    }

    /// The passes of [`TIDY`].
    pub fn tidy() -> Pipeline {
        Pipeline::named(TIDY).expect("these passes exist")
    }

    /// No pass at all.
    pub fn none() -> Pipeline {
        Pipeline { passes: Vec::new() }
    }

    /// Runs the passes; stops when the fuel of the run is spent.
    pub fn run(&self, graph: &mut Graph, run: &mut PassRun<'_>) {
        for (name, pass) in &self.passes {
            run.poll();
            pass(graph, run);
            check(graph, name);
        }
    }

    /// As [`Pipeline::run`], with a record for each pass.
    pub fn run_recorded(&self, graph: &mut Graph, run: &mut PassRun<'_>) -> Vec<Record> {
        let step = |(pass, function): &(&'static str, Pass)| {
            let (start, before) = (std::time::Instant::now(), run.changes);
            function(graph, run);
            check(graph, pass);
            Record {
                pass,
                changes: run.changes - before,
                time: start.elapsed(),
            }
        };
        self.passes.iter().map(step).collect()
    }
}

/// In debug builds, the verifier has the last word on every pass.
fn check(graph: &Graph, pass: &str) {
    if cfg!(debug_assertions)
        && let Err(error) = verify::verify(graph)
    {
        panic!("the pass {pass} broke the graph: {error}\n{graph}");
    }
}
