//! Random programs, run by the interpreter and as machine code: values, errors and their places must agree.
//!
//! The seeds are fixed. `RUSHLIGHT_FUZZ_SECONDS` makes the test go on with further seeds for so long.

mod support;

use rushlight_types::Value;
use std::time::{Duration, Instant};
use support::containers::container_program;
use support::random::random_program;
use support::{MODES, program};

/// Runs a program every way; returns whether it ended with an error.
fn check(seed: u64) -> usize {
    let source = random_program(seed);
    let inputs = [
        (1i64, 2i64, 0.5f64, true),
        (-3, 0, -2.0, false),
        (1 << 40, -7, f64::NAN, true),
    ];
    let programs = MODES.map(|mode| program(&source, mode));
    let mut errors = 0;
    for (i0, i1, f0, b0) in inputs {
        let mut expected: Option<String> = None;
        for (program, mode) in programs.iter().zip(MODES) {
            let arguments = [
                Value::Int(i0),
                Value::Int(i1),
                Value::Float(f0),
                Value::Bool(b0),
                vec![4i64, 5, 6].into(),
                vec![0.5f64, 1.5].into(),
            ];
            let limits = rushlight_types::Limits {
                instructions: 300_000,
                ..Default::default()
            };
            // Which sign a NaN has that arithmetic makes is nobody's promise: compilers put operands in either order.
            let got = program.call("f", &arguments, Some(limits));
            let got = got.replace("-nan", "nan");
            errors += usize::from(got.starts_with('!'));
            if got.contains("was stopped after") {
                // Calls that are taken in are fewer instructions, so that programs stop at other places.
                break;
            }
            let expected = expected.get_or_insert_with(|| got.clone());
            assert_eq!(got, *expected, "seed {seed}, {mode:?}, {i0} {i1}\n{source}");
        }
    }
    errors
}

#[test]
fn random_programs_agree() {
    let seconds = std::env::var("RUSHLIGHT_FUZZ_SECONDS").ok();
    let seconds: u64 = seconds.and_then(|s| s.parse().ok()).unwrap_or(0);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut seed, mut errors) = (0, 0);
    while seed < 150 || Instant::now() < end {
        errors += check(seed);
        seed += 1;
    }
    println!("{seed} programs, {errors} errors of {} runs", seed * 9);
    assert!(
        errors > 0 && errors < seed as usize * 8,
        "{errors} of {seed}"
    );
}

/// Runs a program over containers every way; returns whether it ended with an error.
fn check_containers(seed: u64) -> usize {
    let source = container_program(seed);
    let programs = MODES.map(|mode| program(&source, mode));
    let mut errors = 0;
    for (i0, i1) in [(0i64, 1i64), (2, -1), (5, 0)] {
        let mut expected: Option<String> = None;
        for (program, mode) in programs.iter().zip(MODES) {
            for turn in 0..2 {
                let arguments = [Value::Int(i0), Value::Int(i1)];
                let got = program.call("f", &arguments, None);
                errors += usize::from(got.starts_with('!'));
                let expected = expected.get_or_insert_with(|| got.clone());
                assert_eq!(
                    got, *expected,
                    "seed {seed}, {mode:?}, turn {turn}\n{source}"
                );
            }
        }
    }
    errors
}

#[test]
fn containers_agree() {
    let seconds = std::env::var("RUSHLIGHT_FUZZ_SECONDS").ok();
    let seconds: u64 = seconds.and_then(|s| s.parse().ok()).unwrap_or(0);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut seed, mut errors) = (0, 0);
    while seed < 150 || Instant::now() < end {
        errors += check_containers(seed);
        seed += 1;
    }
    println!("{seed} programs, {errors} errors of {} runs", seed * 18);
    assert!(
        errors > 0 && errors < seed as usize * 17,
        "{errors} of {seed}"
    );
}
