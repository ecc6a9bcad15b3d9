//! Graphs built by hand, run in both modes of lowering.

mod support;

use rushlight_ir::Prim;
use rushlight_tensor::Tensor;
use rushlight_types::{Callable, Context, Type, Value};
use support::{Builder, run};

fn check(graph: &rushlight_ir::Graph, arguments: &[Value], expected: &str) {
    let result = run(graph, arguments);
    let text = match result {
        Ok(value) => format!("{value:?}"),
        Err(fault) => format!("! {}", fault.message()),
    };
    assert_eq!(text, expected);
}

fn ints(values: &[i64]) -> Vec<Value> {
    values.iter().map(|v| Value::Int(*v)).collect()
}

/// `for i in range(n): a, b = b, (a + b) % 1000007`
fn swap_loop() -> rushlight_ir::Graph {
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

/// Limits see everything.
#[global_allocator]
static ALLOCATOR: rushlight_tensor::memory::Accounting = rushlight_tensor::memory::Accounting;

#[test]
fn carried_values_are_exchanged() {
    let graph = swap_loop();
    check(&graph, &ints(&[0]), "0");
    check(&graph, &ints(&[1]), "1");
    check(&graph, &ints(&[10]), "55");
    check(&graph, &ints(&[50]), "180923");
    check(&graph, &ints(&[-3]), "0");
}

#[test]
fn while_loops_stop_when_the_condition_fails() {
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
    let graph = b.finish(&[out[0]]);
    check(&graph, &ints(&[0]), "0");
    check(&graph, &ints(&[5]), "10");
    check(&graph, &ints(&[100_000]), "4999950000");
}

#[test]
fn loops_may_carry_their_counter_and_leave_early() {
    let mut b = Builder::new();
    let n = b.input(Type::Int, "n");
    let (yes, zero, seven) = (b.constant(true), b.constant(0), b.constant(7));
    let out = b.repeat(n, yes, &[zero], |b, p| {
        let more = b.op("aten::lt.int", &[p[0], seven]);
        vec![more, p[0]]
    });
    let graph = b.finish(&[out[0]]);
    check(&graph, &ints(&[5]), "4");
    check(&graph, &ints(&[50]), "7");
}

#[test]
fn conditions_may_be_carried() {
    let mut b = Builder::new();
    let n = b.input(Type::Int, "n");
    let (yes, no) = (b.constant(true), b.constant(false));
    let out = b.repeat(n, yes, &[yes, no], |b, p| {
        let flipped = b.op("aten::__not__", &[p[2]]);
        // The condition is what the first carried value becomes.
        vec![p[1], flipped, p[1]]
    });
    let graph = b.finish(&[out[0], out[1]]);
    check(&graph, &ints(&[1]), "(True, True)");
    check(&graph, &ints(&[2]), "(False, True)");
    check(&graph, &ints(&[9]), "(False, False)");
}

#[test]
fn nested_ifs_join_values() {
    let mut b = Builder::new();
    let (x, y) = (b.input(Type::Int, "x"), b.input(Type::Int, "y"));
    let zero = b.constant(0);
    let positive = b.op("aten::gt.int", &[x, zero]);
    let out = b.branch(
        positive,
        &[Type::Int, Type::Int],
        |b| {
            let both = b.op("aten::gt.int", &[y, zero]);
            let inner = b.branch(
                both,
                &[Type::Int],
                |b| vec![b.op("aten::add.int", &[x, y])],
                |b| vec![b.op("aten::sub.int", &[x, y])],
            );
            vec![inner[0], x]
        },
        |_| vec![y, y],
    );
    let graph = b.finish(&[out[0], out[1]]);
    check(&graph, &ints(&[3, 4]), "(7, 3)");
    check(&graph, &ints(&[3, -4]), "(7, 3)");
    check(&graph, &ints(&[-3, 4]), "(4, 4)");
}

#[test]
fn ifs_in_loops_carry_values() {
    let mut b = Builder::new();
    let n = b.input(Type::Int, "n");
    let (yes, zero, one, two) = (
        b.constant(true),
        b.constant(0),
        b.constant(1),
        b.constant(2),
    );
    let out = b.repeat(n, yes, &[zero, zero], |b, p| {
        let rest = b.op("aten::remainder.int", &[p[0], two]);
        let even = b.op("aten::eq.int", &[rest, zero]);
        let joined = b.branch(
            even,
            &[Type::Int, Type::Int],
            |b| vec![b.op("aten::add.int", &[p[1], one]), p[2]],
            |b| vec![p[2], b.op("aten::add.int", &[p[1], p[0]])],
        );
        vec![yes, joined[0], joined[1]]
    });
    let graph = b.finish(&[out[0], out[1]]);
    let expected = |n: i64| {
        let (mut s, mut t) = (0, 0);
        for i in 0..n {
            if i % 2 == 0 {
                s += 1;
            } else {
                (s, t) = (t, s + i);
            }
        }
        format!("({s}, {t})")
    };
    for n in 0..9 {
        check(&graph, &ints(&[n]), &expected(n));
    }
}

#[test]
fn division_rounds_down_and_faults_on_zero() {
    for (name, pairs) in [
        (
            "aten::floordiv.int",
            [(7, 2, "3"), (-7, 2, "-4"), (7, -2, "-4"), (-8, -2, "4")],
        ),
        (
            "aten::remainder.int",
            [(7, 3, "1"), (-7, 3, "2"), (7, -3, "-2"), (-6, 3, "0")],
        ),
    ] {
        let mut b = Builder::new();
        let (x, y) = (b.input(Type::Int, "x"), b.input(Type::Int, "y"));
        let out = b.op(name, &[x, y]);
        let graph = b.finish(&[out]);
        for (x, y, expected) in pairs {
            check(&graph, &ints(&[x, y]), expected);
        }
        check(&graph, &ints(&[1, 0]), "! division by 0");
    }
}

#[test]
fn lists_of_ints_are_unboxed_and_indexed_from_both_ends() {
    let mut b = Builder::new();
    let (x, i) = (b.input(Type::Int, "x"), b.input(Type::Int, "i"));
    let list = b.prim(Prim::ListConstruct, &[x, x], Type::list(Type::Int));
    let seven = b.constant(7);
    b.op_as("aten::append.t", &[list, seven], Type::list(Type::Int));
    let item = b.op_as("aten::__getitem__.t", &[list, i], Type::Int);
    let len = b.op("aten::len.t", &[list]);
    let graph = b.finish(&[list, item, len]);
    check(&graph, &ints(&[1, 0]), "([1, 1, 7], 1, 3)");
    check(&graph, &ints(&[1, -1]), "([1, 1, 7], 7, 3)");
    check(&graph, &ints(&[1, 3]), "! list index out of range");
}

#[test]
fn tuples_and_dicts_are_made_and_taken_apart() {
    let mut b = Builder::new();
    let (x, y) = (b.input(Type::Int, "x"), b.input(Type::Str, "y"));
    let pair = Type::tuple(vec![Type::Int, Type::Str]);
    let tuple = b.prim(Prim::TupleConstruct, &[x, y], pair);
    let parts = b.node(Prim::TupleUnpack, &[tuple], &[Type::Int, Type::Str]);
    let parts = b.outputs(parts);
    let one = b.constant(1);
    let second = b.prim(Prim::TupleIndex, &[tuple, one], Type::Str);
    let dict = b.prim(
        Prim::DictConstruct,
        &[second, parts[0]],
        Type::dict(Type::Str, Type::Int),
    );
    let graph = b.finish(&[tuple, dict]);
    check(
        &graph,
        &[Value::Int(3), Value::str("k")],
        "((3, \"k\"), {\"k\": 3})",
    );
}

#[test]
fn tensors_are_dropped_after_their_last_use() {
    let mut b = Builder::new();
    let x = b.input(Type::TENSOR, "x");
    let flag = b.input(Type::Bool, "flag");
    let y = b.op("aten::relu", &[x]);
    let z = b.op("aten::relu", &[y]);
    let before = b.op("test::use_count", &[x]);
    // `z` is read in one branch only; at the start of the other it is dropped.
    let counts = b.branch(
        flag,
        &[Type::Int],
        |b| vec![b.op("test::use_count", &[x])],
        |b| vec![b.op("test::use_count", &[z])],
    );
    let graph = b.finish(&[before, counts[0]]);
    let tensor = || Value::Tensor(Tensor::from_vec(vec![1.0f32, 2.0], &[2]).unwrap());
    // The caller holds `x` all the time; `z` is one more.
    let taken = run(&graph, &[tensor(), Value::Bool(true)]).unwrap();
    let kept = run(&graph, &[tensor(), Value::Bool(false)]).unwrap();
    let count = |v: &Value, i: usize| match v {
        Value::Tuple(t) => t.items[i].as_int().unwrap(),
        _ => panic!("two results"),
    };
    assert_eq!((count(&taken, 0), count(&taken, 1)), (2, 1));
    assert_eq!((count(&kept, 0), count(&kept, 1)), (2, 2));
}

#[test]
fn limits_stop_endless_loops() {
    let mut b = Builder::new();
    let (forever, yes) = (b.constant(i64::MAX), b.constant(true));
    b.repeat(forever, yes, &[], |_, _| vec![yes]);
    let graph = b.finish(&[]);
    let unit = support::unit(true);
    let function = support::define(&unit, "__torch__.f", graph);
    let context = Context::silent();
    context.set_limits(rushlight_types::Limits {
        instructions: 1_000_000,
        ..Default::default()
    });
    let fault = function.invoke(&context, Vec::new()).unwrap_err();
    assert_eq!(
        fault.message(),
        "the program was stopped after 1000000 instructions"
    );
    context.set_limits(rushlight_types::Limits {
        millis: 20,
        ..Default::default()
    });
    let fault = function.invoke(&context, Vec::new()).unwrap_err();
    assert_eq!(fault.message(), "the program was stopped after 20 ms");
    context.set_limits(Default::default());
    context.cancel(true);
    let fault = function.invoke(&context, Vec::new()).unwrap_err();
    assert_eq!(fault.message(), "the program was asked to stop");
}

#[test]
fn the_memory_limit_counts_tensors_that_are_alive() {
    let mut b = Builder::new();
    let n = b.input(Type::Int, "n");
    let x = b.input(Type::TENSOR, "x");
    let (yes, one) = (b.constant(true), b.constant(1));
    let list = b.prim(Prim::ListConstruct, &[], Type::list(Type::TENSOR));
    let out = b.repeat(n, yes, &[x], |b, p| {
        let sum = b.op("aten::add.Tensor", &[p[1], x, one]);
        b.op_as("aten::append.t", &[list, sum], Type::list(Type::TENSOR));
        vec![yes, sum]
    });
    let graph = b.finish(&[out[0], list]);
    let unit = support::unit(true);
    let function = support::define(&unit, "__torch__.f", graph);
    let context = Context::silent();
    context.set_limits(rushlight_types::Limits {
        bytes: 100 * 1024,
        ..Default::default()
    });
    let kilobyte = || Value::Tensor(Tensor::from_vec(vec![1.0f32; 256], &[256]).unwrap());
    let run = |n: i64| function.invoke(&context, vec![Value::Int(n), kilobyte()]);
    assert!(run(40).is_ok());
    let fault = run(120).unwrap_err();
    assert_eq!(
        fault.message(),
        "the program was stopped when it needed more than 102400 bytes"
    );
}

#[test]
fn invalid_graphs_are_refused() {
    let refused = |graph: rushlight_ir::Graph, expected: &str| {
        let outcome = rushlight_runtime::lower("f", &graph, None, &Default::default());
        match outcome {
            Ok(_) => panic!("lowered: {graph}"),
            Err(fault) => assert_eq!(fault.message(), expected),
        }
    };
    let mut graph = rushlight_ir::Graph::new();
    let node = graph.create(Prim::TupleIndex, &[], &[Type::Int]);
    graph.append(graph.top(), node);
    refused(
        graph,
        "an invalid node in a graph: %0 : int = prim::TupleIndex()",
    );
    let mut graph = rushlight_ir::Graph::new();
    let late = graph.create(Prim::TupleConstruct, &[], &[Type::tuple(Vec::new())]);
    let value = graph.node(late).outputs()[0];
    let early = graph.create(Prim::TupleUnpack, &[value], &[]);
    graph.append(graph.top(), early);
    graph.append(graph.top(), late);
    refused(graph, "a graph uses a value before its definition");
}
