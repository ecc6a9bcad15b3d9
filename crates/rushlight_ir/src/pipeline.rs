//! Passes in a row.

use crate::passes::{
    Pass, Run, canonical_outputs, constant_pooling, constant_propagation, dead_code, lift_closures,
    narrow_joins, normalize_operators, tuples,
};
use crate::{Graph, verify};
use std::time::Duration;

/// Passes in the order in which they run.
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
            let known = crate::passes::PASSES.iter().find(|(n, _)| n == name);
            known.copied().ok_or_else(|| name.to_string())
        };
        let passes = names.iter().map(find).collect::<Result<_, _>>()?;
        Ok(Pipeline { passes })
    }

    /// The clean-up of graphs fresh from source, before anybody sees them.
    pub fn tidy() -> Pipeline {
        Pipeline {
            passes: vec![
                ("normalize_operators", normalize_operators::run),
                ("lift_closures", lift_closures::run),
                ("narrow_joins", narrow_joins::run),
                ("tuples", tuples::run),
                ("dead_code", dead_code::run),
                ("constant_propagation", constant_propagation::run),
                ("constant_pooling", constant_pooling::run),
                ("canonical_outputs", canonical_outputs::run),
            ],
        }
    }

    /// Runs the passes; stops when the fuel of the run is spent.
    pub fn run(&self, graph: &mut Graph, run: &mut Run<'_>) {
        for (name, pass) in &self.passes {
            pass(graph, run);
            check(graph, name);
        }
    }

    /// As [`Pipeline::run`], with a record for each pass.
    pub fn run_recorded(&self, graph: &mut Graph, run: &mut Run<'_>) -> Vec<Record> {
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
