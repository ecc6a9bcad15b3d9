//! Times how long making machine code takes, for every function of a file:
//! `cargo run --release -p rushlight_jit --example compile_speed -- FILE`.

#[path = "../tests/support/mod.rs"]
mod support;

use rushlight_jit::Mode;
use rushlight_runtime::{Options, Runtime};
use std::time::Instant;
use support::program;

fn main() {
    let file = std::env::args().nth(1).expect("a file of functions");
    let source = std::fs::read_to_string(file).expect("a file that can be read");
    let program = program(&source, None);
    let compiler = rushlight_jit::compiler(Mode::Always).expect("machine code");
    let runtime = Runtime::new(Options::default());
    let mut sum = 0.0;
    for (name, _) in &program.functions {
        let code = runtime.code(program.get(name)).expect("code");
        let once = || {
            let start = Instant::now();
            drop(compiler.compile(&code));
            start.elapsed().as_secs_f64() * 1e6
        };
        let best = (0..15).map(|_| once()).fold(f64::INFINITY, f64::min);
        println!(
            "{name:20} {:5} instructions {best:8.0} us",
            code.insns.len()
        );
        sum += best;
    }
    println!(
        "{:20} {sum:8.0} us",
        format!("{} functions", program.functions.len())
    );
}
