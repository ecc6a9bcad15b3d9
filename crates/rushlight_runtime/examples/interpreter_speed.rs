//! Times the interpreter on small loops: `cargo run --release -p rushlight_runtime --example interpreter_speed`.

#[path = "../tests/support/mod.rs"]
mod support;

use rushlight_ir::{Graph, Prim};
use rushlight_tensor::Tensor;
use rushlight_types::{Callable, Context, Type, Value};
use std::time::Instant;
use support::Builder;

fn swap_loop() -> Graph {
    let mut b = Builder::new();
    let n = b.input(Type::Int, "n");
    let (always, zero, one) = (b.constant(true), b.constant(0), b.constant(1));
    let modulus = b.constant(1_000_007);
    let out = b.repeat(n, always, &[zero, one], |b, p| {
        let sum = b.op("aten::add.int", &[p[1], p[2]]);
        let rest = b.op("aten::remainder.int", &[sum, modulus]);
        vec![always, p[2], rest]
    });
    b.finish(&[out[0]])
}

fn while_sum() -> Graph {
    let mut b = Builder::new();
    let n = b.input(Type::Int, "n");
    let (forever, zero, one) = (b.constant(i64::MAX), b.constant(0), b.constant(1));
    let start = b.op("aten::lt.int", &[zero, n]);
    let out = b.repeat(forever, start, &[zero, zero], |b, p| {
        let s = b.op("aten::add.int", &[p[1], p[2]]);
        let i = b.op("aten::add.int", &[p[2], one]);
        let more = b.op("aten::lt.int", &[i, n]);
        vec![more, s, i]
    });
    b.finish(&[out[0]])
}

fn list_sum() -> Graph {
    let mut b = Builder::new();
    let n = b.input(Type::Int, "n");
    let (yes, zero) = (b.constant(true), b.constant(0));
    let list = b.prim(Prim::ListConstruct, &[n, n, n, n], Type::list(Type::Int));
    let four = b.constant(4);
    let out = b.repeat(n, yes, &[zero], |b, p| {
        let at = b.op("aten::remainder.int", &[p[0], four]);
        let item = b.op_as("aten::__getitem__.t", &[list, at], Type::Int);
        vec![yes, b.op("aten::add.int", &[p[1], item])]
    });
    b.finish(&[out[0]])
}

fn relu_loop() -> Graph {
    let mut b = Builder::new();
    let n = b.input(Type::Int, "n");
    let x = b.input(Type::TENSOR, "x");
    let yes = b.constant(true);
    let out = b.repeat(n, yes, &[x], |b, p| vec![yes, b.op("aten::relu", &[p[1]])]);
    b.finish(&[out[0]])
}

fn call_loop(unit: &std::sync::Arc<rushlight_ir::Unit>) -> Graph {
    let mut callee = Builder::new();
    let x = callee.input(Type::Int, "x");
    let one = callee.constant(1);
    let y = callee.op("aten::add.int", &[x, one]);
    let callee = support::define(unit, "__torch__.callee", callee.finish(&[y]));
    let mut b = Builder::new();
    let n = b.input(Type::Int, "n");
    let (yes, zero) = (b.constant(true), b.constant(0));
    let function = b.function(&callee);
    let out = b.repeat(n, yes, &[zero], |b, p| {
        vec![
            yes,
            b.prim(Prim::CallFunction, &[function, p[1]], Type::Int),
        ]
    });
    b.finish(&[out[0]])
}

/// Nanoseconds that this process has computed; wall time where the system does not say.
fn now() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(Instant::now);
    std::fs::read_to_string("/proc/self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .unwrap_or_else(|| start.elapsed().as_nanos() as f64)
}

fn time(name: &str, function: &rushlight_ir::Function, arguments: &[Value], n: f64) {
    let context = Context::silent();
    let best = (0..5)
        .map(|_| {
            let start = now();
            function
                .invoke(&context, arguments.to_vec())
                .expect("the loop runs");
            (now() - start) / n
        })
        .fold(f64::INFINITY, f64::min);
    println!("{name:12} {best:7.2} ns");
}

fn main() {
    let n = 10_000_000;
    let unit = support::unit(true);
    for (name, graph) in [
        ("swap", swap_loop()),
        ("while", while_sum()),
        ("list", list_sum()),
    ] {
        let function = support::define(&unit, name, graph);
        time(name, &function, &[Value::Int(n)], n as f64);
    }
    let x = Value::Tensor(Tensor::from_vec(vec![1.0f32, 2.0], &[2]).expect("a tensor"));
    let function = support::define(&unit, "relu", relu_loop());
    time("relu", &function, &[Value::Int(n), x.clone()], n as f64);
    let relu = support::operator("aten::relu");
    let context = Context::silent();
    let mut window = [x];
    let start = now();
    for _ in 0..n {
        relu.call(&context, &mut window, 1).expect("relu runs");
    }
    println!("kernel alone {:7.2} ns", (now() - start) / n as f64);
    let graph = call_loop(&unit);
    let function = support::define(&unit, "call", graph);
    time("call", &function, &[Value::Int(n)], n as f64);
    let empty = {
        let mut b = Builder::new();
        let x = b.input(Type::Int, "x");
        b.finish(&[x])
    };
    let function = support::define(&unit, "empty", empty);
    let start = now();
    for _ in 0..1_000_000 {
        let _ = function.invoke(&context, vec![Value::Int(1)]);
    }
    println!("invoke       {:7.2} ns", (now() - start) / 1e6);
}
