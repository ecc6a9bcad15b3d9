//! Times machine code against the interpreter on small loops:
//! `cargo run --release -p rushlight_jit --example jit_speed`.

#[path = "../tests/support/mod.rs"]
mod support;

use rushlight_jit::Mode;
use rushlight_runtime::{Options, Runtime};
use rushlight_types::{Callable, Context, Value};
use std::time::Instant;
use support::program;

const SOURCE: &str = include_str!("jit_speed.py");

/// How long it takes to make the machine code of a function, in microseconds.
fn compiling(program: &support::Program, name: &str) -> f64 {
    let compiler = rushlight_jit::compiler(Mode::Always).expect("machine code");
    let runtime = Runtime::new(Options::default());
    let code = runtime.code(program.get(name)).expect("code");
    let once = || {
        let start = Instant::now();
        drop(compiler.compile(&code));
        start.elapsed().as_secs_f64() * 1e6
    };
    (0..10).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn main() {
    let only = std::env::args().nth(1);
    let interpreted = program(SOURCE, None);
    let compiled = program(SOURCE, Some(Mode::Hot));
    let context = Context::silent();
    println!(
        "{:16} {:>12} {:>12} {:>12}",
        "", "interpreter", "machine code", "compiling"
    );
    for (name, _) in &interpreted.functions {
        let is_wanted = only.as_ref().is_none_or(|o| name.contains(o.as_str()));
        if name.starts_with('_') || !is_wanted {
            continue;
        }
        let n = 20_000;
        let mut best = [f64::INFINITY; 2];
        // Short turns, so that some are not interrupted. The first makes the machine code.
        for turn in 0..200 {
            for (best, program) in best.iter_mut().zip([&interpreted, &compiled]) {
                let start = Instant::now();
                program
                    .get(name)
                    .invoke(&context, vec![Value::Int(n)])
                    .expect("the loop runs");
                let taken = start.elapsed().as_nanos() as f64 / n as f64;
                if turn > 0 {
                    *best = best.min(taken);
                }
            }
        }
        println!(
            "{name:16} {:9.2} ns {:9.2} ns {:9.0} us",
            best[0],
            best[1],
            compiling(&compiled, name)
        );
    }
}
