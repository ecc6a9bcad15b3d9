//! Mobile archives without source, and flatbuffers: damaged ones get an error, in time and without a panic.

use crate::support::{Records, chance, damage, load, load_file};
use rushlight::archive::bytes::Bytes;
use rushlight::{DType, Module, Tensor, Value};
use std::path::PathBuf;

fn records(name: &str) -> Records {
    crate::support::records(&format!("mobile/{name}"))
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

/// Flatbuffers.
const FLAT: &[&str] = &[
    "containers_v9.ff",
    "enums_with_source_v9.ff",
    "kept_v9.ff",
    "kept_with_source_v9.ff",
    "packed_v9.ff",
    "tensors_v9.ff",
];

fn path(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/archive/mobile");
    folder.join(name)
}

fn run(module: &Module) {
    let x = Tensor::zeros(&[2], DType::F32).unwrap();
    let _ = module.forward(&[x.into()]);
    let _ = module.forward(&[3i64.into()]);
}

#[test]
fn cut_flatbuffers_are_refused() {
    for name in FLAT {
        let whole = std::fs::read(path(name)).unwrap();
        for len in (0..whole.len()).step_by(64) {
            let cut = load_file(whole[..len].to_vec().into());
            assert!(cut.is_err(), "{name} cut to {len}");
        }
    }
}

#[test]
fn changed_offsets_of_flatbuffers_do_no_harm() {
    let mut next = chance(9);
    for name in FLAT {
        let whole = std::fs::read(path(name)).unwrap();
        for at in (8 + next() % 6 * 4..whole.len() - 4).step_by(20) {
            let old = u32::from_le_bytes(whole[at..at + 4].try_into().unwrap());
            let new = match next() % 6 {
                0 => u32::MAX,
                1 => 0,
                2 => i32::MIN as u32,
                3 => old.wrapping_add(4),
                4 => old.wrapping_sub(1),
                _ => (next() % whole.len()) as u32,
            };
            let mut changed = whole.clone();
            changed[at..at + 4].copy_from_slice(&new.to_le_bytes());
            if let Ok(module) = load_file(changed.into()) {
                run(&module);
            }
        }
    }
}

#[test]
fn tensors_of_a_mapped_flatbuffer_share_its_memory() {
    let bytes = Bytes::map(&path("kept_with_source_v9.ff")).unwrap();
    let module = load_file(bytes).unwrap();
    let Some(Value::Tensor(base)) = module.object().get("base") else {
        panic!("no tensor");
    };
    let Some(Value::Tensor(part)) = module.object().get("part") else {
        panic!("no tensor");
    };
    assert_eq!(part.sizes(), &[3, 2]);
    assert_eq!(part.strides(), &[1, 3]);
    assert!(part.storage().same(&base.storage()));
}

/// A file whose values are these lists of earlier values; the last is the module. Lists named again are the same bytes.
fn of_lists(lists: &[Vec<u32>], order: impl Iterator<Item = usize>) -> Vec<u8> {
    let mut out = vec![0; 8];
    out[0] = 36;
    out[4..8].copy_from_slice(b"PTMF");
    // The fields of the root: the state is number 3, the values number 4.
    out.extend([28u16, 12].iter().flat_map(|n| n.to_le_bytes()));
    let fields = (0..12).map(|i| match i {
        3 => 4u16,
        4 => 8,
        _ => 0,
    });
    out.extend(fields.flat_map(u16::to_le_bytes));
    let order: Vec<usize> = order.collect();
    let words = |out: &mut Vec<u8>, words: &[u32]| {
        out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    };
    words(&mut out, &[28, order.len() as u32 - 1, 4]);
    let values = out.len();
    words(&mut out, &[order.len() as u32]);
    out.resize(out.len() + 4 * order.len(), 0);
    let mut places = Vec::new();
    for list in lists {
        // A value of kind 7 that leads to a table whose only field is a vector.
        out.extend([8u16, 12, 4, 8].iter().flat_map(|n| n.to_le_bytes()));
        places.push(out.len());
        words(&mut out, &[8, 7, 12]);
        out.extend([6u16, 8, 4, 0].iter().flat_map(|n| n.to_le_bytes()));
        words(&mut out, &[8, 4, list.len() as u32]);
        words(&mut out, list);
    }
    for (i, &list) in order.iter().enumerate() {
        let at = values + 4 + 4 * i;
        let distance = (places[list] - at) as u32;
        out[at..at + 4].copy_from_slice(&distance.to_le_bytes());
    }
    out
}

#[test]
fn values_that_grow_without_end_are_refused() {
    let refused = |lists: &[Vec<u32>], why: &str| {
        let file = of_lists(lists, 0..lists.len());
        let error = load_file(file.into()).expect_err(why);
        assert!(error.contains(why), "{error}");
    };
    let after = |count: u32, f: &dyn Fn(u32) -> Vec<u32>| {
        let mut lists = vec![Vec::new()];
        lists.extend((0..count).map(f));
        lists
    };
    refused(&after(1, &|_| vec![0]), "the root is not a module");
    refused(&after(1, &|_| vec![1]), "there is no value 1 so far");
    refused(&after(1, &|_| vec![7]), "there is no value 7 so far");
    refused(&after(5_000, &|i| vec![i]), "levels of nesting");
    refused(&after(60, &|i| vec![i, i]), "sharing is undone");
    let same = of_lists(&[Vec::new(), vec![0; 30_000]], {
        (0..30_001).map(|i| usize::from(i > 0))
    });
    let error = load_file(same.into()).err().unwrap();
    assert!(error.contains("too many times"), "{error}");
}
