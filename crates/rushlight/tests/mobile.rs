//! Mobile archives without source: damaged bytecode gets an error, in time and without a panic.

mod support;

use rushlight::Module;
use support::{Records, chance, damage, load};

fn records(name: &str) -> Records {
    support::records(&format!("mobile/{name}"))
}

/// Loads the archive with its bytecode replaced.
fn load_code(mut records: Records, code: Vec<u8>) -> Result<Module, String> {
    for (name, data) in &mut records {
        if name == "bytecode.pkl" {
            *data = code.clone();
        }
    }
    load(&records)
}

fn code_of(records: &Records) -> Vec<u8> {
    let found = records.iter().find(|(name, _)| name == "bytecode.pkl");
    found.unwrap().1.clone()
}

#[test]
fn changed_bytes_of_bytecode_do_no_harm() {
    let mut next = chance(20);
    for name in [
        "arithmetic_v8.ptl",
        "containers_v8.ptl",
        "packed_v8.ptl",
        "tuples_v8.ptl",
        "unset_v5.ptl",
    ] {
        let records = records(name);
        let code = code_of(&records);
        for _ in 0..150 {
            let mut changed = code.clone();
            damage(&mut changed, &mut next);
            if let Ok(module) = load_code(records.clone(), changed) {
                let x = rushlight::Tensor::zeros(&[2], rushlight::DType::F32).unwrap();
                let _ = module.forward(&[x.into()]);
                let _ = module.forward(&[3i64.into(), 1.5.into()]);
            }
        }
    }
}

#[test]
fn cut_bytecode_is_refused() {
    let records = records("network_v8.ptl");
    let code = code_of(&records);
    for len in (0..code.len()).step_by(97) {
        assert!(
            load_code(records.clone(), code[..len].to_vec()).is_err(),
            "{len}"
        );
    }
}

/// A pickled tuple of instructions; `(name, x, n)` each.
fn program(instructions: &[(&str, i32, i32)]) -> Vec<u8> {
    let text = |out: &mut Vec<u8>, text: &str| {
        out.push(b'X');
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(text.as_bytes());
    };
    let mut out = b"\x80\x02(K\x08(".to_vec();
    text(&mut out, "__torch__.Tuples.forward");
    out.extend(b"((");
    text(&mut out, "instructions");
    out.push(b'(');
    for (name, x, n) in instructions {
        out.push(b'(');
        text(&mut out, name);
        for number in [x, n] {
            out.push(b'J');
            out.extend(number.to_le_bytes());
        }
        out.push(b't');
    }
    out.extend(b"tt(");
    text(&mut out, "constants");
    out.extend(b"(NK\x00\x88ttttt.");
    out
}

#[test]
fn code_that_no_compiler_writes_is_refused() {
    let records = records("tuples_v8.ptl");
    let code = |middle: &[(&'static str, i32, i32)]| {
        let mut all = vec![("STOREN", 1, 1)];
        all.extend(middle);
        program(&all)
    };
    let done = [("LOADC", 0, 0), ("RET", 0, 0)];
    assert!(load_code(records.clone(), code(&done)).is_ok());
    let doubling: Vec<(&str, i32, i32)> = std::iter::repeat_n(
        [
            ("LOAD", 2, 0),
            ("LOAD", 2, 0),
            ("TUPLE_CONSTRUCT", 2, 0),
            ("STORE", 2, 0),
        ],
        60,
    )
    .flatten()
    .collect();
    let doubling = [&[("LOADC", 1, 0), ("STORE", 2, 0)], &doubling[..], &done].concat();
    let nested = [&[("LOADC", 2, 0), ("JF", 2, 0)].repeat(5000)[..], &done].concat();
    let cases: &[&[(&str, i32, i32)]] = &[
        &[],
        &[("RET", 0, 0), ("RET", 0, 0)],
        &[("RET", 0, 0), ("LOADC", 0, 0)],
        &[("LOAD", 9, 0), ("RET", 0, 0)],
        &[("LOADC", 9, 0), ("RET", 0, 0)],
        &[("LOADC", -1, 0), ("RET", 0, 0)],
        &[("DROP", 0, 0), ("LOADC", 0, 0), ("RET", 0, 0)],
        &[("JMP", 0, 0), ("LOADC", 0, 0), ("RET", 0, 0)],
        &[("JMP", -1, 0), ("LOADC", 0, 0), ("RET", 0, 0)],
        &[
            ("LOADC", 2, 0),
            ("JF", 1000, 0),
            ("LOADC", 0, 0),
            ("RET", 0, 0),
        ],
        &[
            ("LOADC", 2, 0),
            ("JF", 1, 0),
            ("LOADC", 0, 0),
            ("RET", 0, 0),
        ],
        &[
            ("LOADC", 2, 0),
            ("JF", -1, 0),
            ("LOADC", 0, 0),
            ("RET", 0, 0),
        ],
        &[
            ("LOADC", 1, 0),
            ("LOADC", 1, 0),
            ("LOADC", 2, 0),
            ("LOOP", 1, 2),
            ("LOADC", 0, 0),
            ("RET", 0, 0),
        ],
        &[
            ("LOADC", 1, 0),
            ("LOADC", 1, 0),
            ("LOADC", 2, 0),
            ("LOOP", 2, 2),
            ("JMP", -1, 0),
            ("LOADC", 0, 0),
            ("RET", 0, 0),
        ],
        &[
            ("LOADC", 2, 0),
            ("JF", 3, 0),
            ("LOADC", 1, 0),
            ("JMP", 1, 0),
            ("LOADC", 0, 0),
            ("RET", 0, 0),
        ],
        &[("OP", 0, 0), ("RET", 0, 0)],
        &[("OPN", 0, 1000), ("RET", 0, 0)],
        &[("LOAD", 1, 0), ("GET_ATTR", 100_000, 0), ("RET", 0, 0)],
        &[("LOADC", 1, 0), ("GET_ATTR", 0, 0), ("RET", 0, 0)],
        &[("LIST_CONSTRUCT", 0, 0), ("RET", 0, 0)],
        &[("LIST_CONSTRUCT", 0, -5), ("RET", 0, 0)],
        &[("TUPLE_CONSTRUCT", i32::MAX, 0), ("RET", 0, 0)],
        &[("LOAD", 1, 0), ("LIST_UNPACK", i32::MAX, 0), ("RET", 0, 0)],
        &[("CALL", 0, 0), ("RET", 0, 0)],
        &[("LOADC", 0, 0), ("INTERFACE_CALL", 1, 1), ("RET", 0, 0)],
        &doubling,
        &nested,
    ];
    for case in cases {
        let shown = &case[..case.len().min(8)];
        assert!(load_code(records.clone(), code(case)).is_err(), "{shown:?}");
    }
}
