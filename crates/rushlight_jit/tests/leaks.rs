//! Machine code leaves nothing behind, whichever way it is left.

mod support;

use rushlight_jit::Mode;
use rushlight_tensor::memory;
use rushlight_types::{Limits, Value};
use support::containers::container_program;
use support::program;
use support::random::random_program;

#[global_allocator]
static ALLOCATOR: memory::Accounting = memory::Accounting;

/// One test only: others would be counted too.
#[test]
fn calls_and_programs_leave_nothing() {
    let limits = || {
        Some(Limits {
            instructions: 300_000,
            ..Limits::default()
        })
    };
    let call = |program: &support::Program, i0: i64| {
        let arguments = [
            Value::Int(i0),
            Value::Int(2),
            Value::Float(0.5),
            Value::Bool(true),
            vec![4i64, 5, 6].into(),
            vec![0.5f64, 1.5].into(),
        ];
        drop(program.call("f", &arguments, limits()));
    };
    for seed in 1000..1060 {
        let source = random_program(seed);
        for mode in [Mode::Always, Mode::Soon] {
            let program = program(&source, Some(mode));
            for i0 in [1, -3] {
                // All that is ever compiled is compiled by then.
                (0..50).for_each(|_| call(&program, i0));
                let before = memory::in_use();
                (0..3).for_each(|_| call(&program, i0));
                let left = memory::in_use() - before;
                assert!(left <= 0, "seed {seed}, {mode:?}: {left} bytes\n{source}");
            }
        }
    }
    for seed in 0..120 {
        let source = container_program(seed);
        for mode in [Mode::Always, Mode::Soon] {
            let program = program(&source, Some(mode));
            let call = || drop(program.call("f", &[Value::Int(1), Value::Int(-1)], limits()));
            (0..50).for_each(|_| call());
            let before = memory::in_use();
            (0..3).for_each(|_| call());
            let left = memory::in_use() - before;
            assert!(left <= 0, "seed {seed}, {mode:?}: {left} bytes\n{source}");
        }
    }
    let source = random_program(7);
    let make = || call(&program(&source, Some(Mode::Always)), 1);
    (0..3).for_each(|_| make());
    let before = memory::in_use();
    (0..4).for_each(|_| make());
    assert!(memory::in_use() - before <= 0, "a program leaves its code");
}
