//! Pickles: what is read, what is written, what is refused.

mod support;

use std::collections::HashMap;

use rushlight_archive::pickle::{
    self, MemoId, NodeId, Pickle, PickleLimits, PickleProblem, PickleValue, Pickler, Unwritable,
};
use support::{assets, layout, layout_zips, open, show};

fn read(bytes: &[u8]) -> Pickle {
    pickle::read(bytes, &PickleLimits::default()).unwrap()
}

fn problem(bytes: &[u8]) -> PickleProblem {
    pickle::read(bytes, &PickleLimits::default())
        .expect_err("the pickle should be refused")
        .problem
}

/// `check(bytes, text)`: the pickle reads as the text says.
#[track_caller]
fn check(bytes: &[u8], expected: &str) {
    assert_eq!(show(&read(bytes)), expected);
}

const SAMPLE: &str = r#"{"a": [1, 2.5, None, true, false, (), (1), (1, 2), (1, 2, 3), (1, 2, 3, 4), "é\n\\", big(000000000000000040), big(0000000000000000c0), -1, 70000, 255, 2147483648, -9223372036854775808, [], {}], "b": "x"}"#;

/// The same value as CPython 3.11's `pickle.dumps(value, protocol)` writes it.
const PROTOCOLS: [(u8, &[u8]); 6] = [
    (0, b"(dp0\nVa\np1\n(lp2\nI1\naF2.5\naNaI01\naI00\na(ta(I1\ntp3\na(I1\nI2\ntp4\na(I1\nI2\nI3\ntp5\na(I1\nI2\nI3\nI4\ntp6\naV\xe9\\u000a\\u005c\np7\naL1180591620717411303424L\naL-1180591620717411303424L\naI-1\naI70000\naI255\naL2147483648L\naL-9223372036854775808L\na(lp8\na(dp9\nasVb\np10\nVx\np11\ns."),
    (1, b"}q\x00(X\x01\x00\x00\x00aq\x01]q\x02(K\x01G@\x04\x00\x00\x00\x00\x00\x00NI01\nI00\n)(K\x01tq\x03(K\x01K\x02tq\x04(K\x01K\x02K\x03tq\x05(K\x01K\x02K\x03K\x04tq\x06X\x04\x00\x00\x00\xc3\xa9\n\\q\x07L1180591620717411303424L\nL-1180591620717411303424L\nJ\xff\xff\xff\xffJp\x11\x01\x00K\xffL2147483648L\nL-9223372036854775808L\n]q\x08}q\x09eX\x01\x00\x00\x00bq\nX\x01\x00\x00\x00xq\x0bu."),
    (2, b"\x80\x02}q\x00(X\x01\x00\x00\x00aq\x01]q\x02(K\x01G@\x04\x00\x00\x00\x00\x00\x00N\x88\x89)K\x01\x85q\x03K\x01K\x02\x86q\x04K\x01K\x02K\x03\x87q\x05(K\x01K\x02K\x03K\x04tq\x06X\x04\x00\x00\x00\xc3\xa9\n\\q\x07\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00@\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xc0J\xff\xff\xff\xffJp\x11\x01\x00K\xff\x8a\x05\x00\x00\x00\x80\x00\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80]q\x08}q\x09eX\x01\x00\x00\x00bq\nX\x01\x00\x00\x00xq\x0bu."),
    (3, b"\x80\x03}q\x00(X\x01\x00\x00\x00aq\x01]q\x02(K\x01G@\x04\x00\x00\x00\x00\x00\x00N\x88\x89)K\x01\x85q\x03K\x01K\x02\x86q\x04K\x01K\x02K\x03\x87q\x05(K\x01K\x02K\x03K\x04tq\x06X\x04\x00\x00\x00\xc3\xa9\n\\q\x07\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00@\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xc0J\xff\xff\xff\xffJp\x11\x01\x00K\xff\x8a\x05\x00\x00\x00\x80\x00\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80]q\x08}q\x09eX\x01\x00\x00\x00bq\nX\x01\x00\x00\x00xq\x0bu."),
    (4, b"\x80\x04\x95\x7f\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01a\x94]\x94(K\x01G@\x04\x00\x00\x00\x00\x00\x00N\x88\x89)K\x01\x85\x94K\x01K\x02\x86\x94K\x01K\x02K\x03\x87\x94(K\x01K\x02K\x03K\x04t\x94\x8c\x04\xc3\xa9\n\\\x94\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00@\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xc0J\xff\xff\xff\xffJp\x11\x01\x00K\xff\x8a\x05\x00\x00\x00\x80\x00\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80]\x94}\x94e\x8c\x01b\x94\x8c\x01x\x94u."),
    (5, b"\x80\x05\x95\x7f\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01a\x94]\x94(K\x01G@\x04\x00\x00\x00\x00\x00\x00N\x88\x89)K\x01\x85\x94K\x01K\x02\x86\x94K\x01K\x02K\x03\x87\x94(K\x01K\x02K\x03K\x04t\x94\x8c\x04\xc3\xa9\n\\\x94\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00@\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xc0J\xff\xff\xff\xffJp\x11\x01\x00K\xff\x8a\x05\x00\x00\x00\x80\x00\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80]\x94}\x94e\x8c\x01b\x94\x8c\x01x\x94u."),
];

#[test]
fn all_protocols_of_python_read_alike() {
    for (protocol, bytes) in PROTOCOLS {
        let pickle = read(bytes);
        assert_eq!(show(&pickle), SAMPLE, "protocol {protocol}");
        assert_eq!(pickle.protocol(), if protocol < 2 { 0 } else { protocol });
    }
}

#[test]
fn text_forms_of_python_2_are_read() {
    check(
        b"S'a\\n\\x41\\'\\101'\n.",
        "\"a\\nAA\"".replace("AA", "A'A").as_str(),
    );
    check(b"U\x02\xc3\xa9.", "\"é\"");
    check(b"T\x01\0\0\0\xff.", "b\"\\xff\"");
    check(b"I-12\n.", "-12");
    check(b"I01\n.", "true");
    check(b"L18446744073709551616L\n.", "big(000000000000000001)");
    check(b"L-18446744073709551616L\n.", "big(0000000000000000ff)");
    check(b"F1e3\n.", "1000.0");
    check(b"(I1\nI2\nl.", "[1, 2]");
    check(b"(I1\nI2\nd.", "{1: 2}");
    check(b"P0:cpu\n.", "persistent(\"0:cpu\")");
}

#[test]
fn objects_are_described_and_not_made() {
    check(b"cos\nsystem\n(Vrm\ntR.", "os.system(\"rm\")");
    check(
        b"\x80\x02cm\nC\n)\x81}(X\x01\0\0\0aK\x01ub.",
        "new m.C() state {\"a\": 1}",
    );
    check(
        b"ccollections\nOrderedDict\n)R(K\x01K\x02u.",
        "collections.OrderedDict() pairs {1: 2}",
    );
    check(
        b"ccollections\ndeque\n)RK\x01a.",
        "collections.deque() items [1]",
    );
    check(b"(K\x01im\nC\n.", "m.C(1)");
    check(b"(cm\nC\nK\x01o.", "m.C(1)");
    check(
        b"\x80\x04\x8c\x01m\x8c\x01C\x93)}\x92.",
        "new m.C() kwargs {}",
    );
    check(b"\x80\x04\x8f(K\x01\x90.", "{1}");
    check(b"\x80\x04(K\x01\x91.", "{1}");
    check(b"\x80\x05\x96\x01\0\0\0\0\0\0\0x.", "b\"x\"");
    // A string of a script, which need not be UTF-8.
    check(b"X\x01\0\0\0\xff.", "b\"\\xff\"");
}

#[test]
fn sharing_and_cycles_are_kept() {
    // a = [1]; a.append(a); [a, a]
    let pickle = read(b"\x80\x02]q\x00(]q\x01(K\x01h\x01eh\x01e.");
    assert!(pickle.is_cyclic());
    let outer = pickle.as_list(pickle.root()).unwrap();
    assert_eq!(outer[0], outer[1]);
    assert_eq!(pickle.as_list(outer[0]).unwrap()[1], outer[0]);
    assert_eq!(show(&pickle), "[[1, ...], [1, ...]]");
    assert!(!read(b"](K\x01K\x02e.").is_cyclic());
}

#[test]
fn shared_values_do_not_look_cyclic() {
    // t = (1,); [t, [t], t]
    let pickle = read(b"](K\x01\x85q\x00](h\x00eh\x00e.");
    assert!(!pickle.is_cyclic());
    assert_eq!(pickle.depth(), 4);
}

#[test]
fn lookups_find_the_last_value_of_a_key() {
    let pickle = read(b"}(X\x01\0\0\0aK\x01X\x01\0\0\0aK\x02u.");
    assert_eq!(
        pickle.as_int(pickle.lookup(pickle.root(), "a").unwrap()),
        Some(2)
    );
    assert_eq!(pickle.lookup(pickle.root(), "b"), None);
}

#[test]
fn a_stream_is_read_pickle_by_pickle() {
    let bytes = layout("state_dict_stream.pt");
    let limits = PickleLimits::default();
    let (mut at, mut shown) = (0, Vec::new());
    for _ in 0..4 {
        let (pickle, end) = pickle::read_prefix(&bytes[at..], &limits).unwrap();
        shown.push(show(&pickle));
        at += end;
    }
    assert_eq!(shown[0], "big(6cfc9c46f9206aa85019)");
    assert_eq!(shown[1], "1001");
    assert!(
        shown[3].starts_with("collections.OrderedDict()"),
        "{}",
        shown[3]
    );
}

#[test]
fn errors_name_the_byte_and_the_opcode() {
    let error = pickle::read(b"\x80\x02K\x01R.", &PickleLimits::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "pickle, byte 4, REDUCE: too few values on the stack"
    );
    let error = pickle::read(b"\x80\x02X\xff\xff\xff\xffab", &PickleLimits::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "pickle, byte 2, BINUNICODE: the data ends here"
    );
}

#[test]
fn malformed_pickles_are_refused() {
    assert_eq!(problem(b""), PickleProblem::Truncated);
    assert_eq!(problem(b"."), PickleProblem::NotOneResult(0));
    assert_eq!(problem(b"NN."), PickleProblem::NotOneResult(2));
    assert_eq!(problem(b"(N."), PickleProblem::NotOneResult(1));
    assert_eq!(problem(b"N.."), PickleProblem::TrailingBytes(1));
    assert_eq!(problem(b"\x80\x06N."), PickleProblem::Protocol(6));
    assert_eq!(problem(b"\xffN."), PickleProblem::UnknownOpcode(0xff));
    assert_eq!(problem(b"e."), PickleProblem::NoMark);
    assert_eq!(problem(b"N(a."), PickleProblem::StackUnderflow);
    assert_eq!(problem(b"N(Ne."), wrong("a list", "None"));
    assert_eq!(problem(b"}(Nu."), PickleProblem::OddItems);
    assert_eq!(
        problem(b"cm\nC\nNR."),
        wrong("a tuple of arguments", "None")
    );
    assert_eq!(problem(b"NNb."), wrong("an object", "None"));
    assert_eq!(problem(b"h\x00."), PickleProblem::NotInMemo(0));
    assert_eq!(problem(b"c\xff\nx\n."), PickleProblem::NotUtf8);
    assert_eq!(problem(b"I1x\n."), PickleProblem::BadArgument("number"));
    assert_eq!(problem(b"S'a\n."), PickleProblem::BadArgument("string"));
    assert_eq!(problem(b"S'\\x4'\n."), PickleProblem::BadArgument("string"));
    assert_eq!(
        problem(b"V\\ud800\n."),
        PickleProblem::BadArgument("string")
    );
    assert_eq!(
        problem(b"\x82\x01."),
        PickleProblem::Unsupported("extension codes")
    );
    assert_eq!(
        problem(b"\x8d\xff\xff\xff\xff\xff\xff\xff\xff."),
        PickleProblem::Truncated
    );
}

fn wrong(expected: &'static str, found: &'static str) -> PickleProblem {
    PickleProblem::WrongKind { expected, found }
}

#[test]
fn deep_nesting_is_refused_without_recursion() {
    let mut bytes = vec![b'N'];
    bytes.resize(2_000_000, 0x85);
    bytes.push(b'.');
    let expected = PickleProblem::Limit {
        what: "levels of nesting",
        allowed: 500,
    };
    assert_eq!(problem(&bytes), expected);
    let mut bytes = vec![b'('; 1_000_000];
    bytes.extend(vec![b't'; 1_000_000]);
    bytes.push(b'.');
    assert_eq!(problem(&bytes), expected);
}

#[test]
fn shared_values_that_multiply_are_refused() {
    // x = (); x = (x, x) forty times over: 2^40 values for whoever copies.
    let mut bytes = b")".to_vec();
    for _ in 0..40 {
        bytes.extend(b"2\x86");
    }
    bytes.push(b'.');
    assert!(matches!(
        problem(&bytes),
        PickleProblem::Limit {
            what: "values when sharing is undone",
            ..
        }
    ));
}

#[test]
fn memo_numbers_cost_no_memory() {
    assert_eq!(
        problem(b"Nr\xff\xff\xff\x7f."),
        PickleProblem::MemoTooLarge(0x7fff_ffff)
    );
    assert_eq!(
        problem(b"Np99999999999999\n."),
        PickleProblem::MemoTooLarge(99_999_999_999_999)
    );
}

#[test]
fn the_number_of_values_is_limited() {
    let limits = PickleLimits {
        max_nodes: 10,
        ..PickleLimits::default()
    };
    let error = pickle::read(b"](K\0K\0K\0K\0K\0K\0K\0K\0K\0e.", &limits).unwrap_err();
    assert_eq!(
        error.problem,
        PickleProblem::Limit {
            what: "values",
            allowed: 10
        }
    );
}

#[test]
fn every_truncation_is_refused() {
    let bytes = open(layout("attributes.pt")).read("data.pkl").unwrap();
    for len in 0..bytes.len() {
        assert!(
            pickle::read(&bytes[..len], &PickleLimits::default()).is_err(),
            "{len} bytes"
        );
    }
}

#[test]
fn mutated_pickles_neither_panic_nor_hang() {
    let mut seeds: Vec<Vec<u8>> = PROTOCOLS.iter().map(|(_, bytes)| bytes.to_vec()).collect();
    seeds.extend(pickles().into_iter().map(|(_, bytes)| bytes));
    support::fuzz(&seeds, fuzz_pickle);
}

/// Reads whatever it is given, and shows what it has read.
fn fuzz_pickle(data: &[u8]) {
    let limits = PickleLimits {
        max_expanded: 1 << 16,
        ..PickleLimits::default()
    };
    if let Ok((pickle, end)) = pickle::read_prefix(data, &limits) {
        assert!(end <= data.len() && pickle.len() <= data.len() + 3 + 2);
        if !pickle.is_cyclic() {
            show(&pickle);
        }
    }
}

/// Every pickle of the recorded archives.
fn pickles() -> Vec<(String, Vec<u8>)> {
    let of_archive = |(name, bytes): (String, Vec<u8>)| {
        let archive = open(bytes);
        let names: Vec<String> = archive
            .names()
            .filter(|n| n.ends_with("pkl"))
            .map(String::from)
            .collect();
        names
            .into_iter()
            .map(move |n| (format!("{name}: {n}"), archive.read(&n).unwrap().to_vec()))
    };
    layout_zips().flat_map(of_archive).collect()
}

#[test]
fn every_pickle_of_every_archive_is_read() {
    for (name, bytes) in pickles() {
        assert!(
            pickle::read(&bytes, &PickleLimits::default()).is_ok(),
            "{name}"
        );
    }
    for (name, bytes) in assets() {
        let archive = rushlight_archive::zip::Archive::open(bytes, &Default::default()).unwrap();
        for record in archive.names().filter(|n| n.ends_with("pkl")) {
            let read = pickle::read(&archive.read(record).unwrap(), &PickleLimits::default());
            assert!(read.is_ok(), "{name}: {record}: {read:?}");
        }
    }
}

// Writing.

#[test]
fn integers_take_the_shortest_form() {
    let written = |value| {
        let mut p = Pickler::new();
        p.int(value);
        p.finish().unwrap()[2..].to_vec()
    };
    assert_eq!(written(255), b"K\xff.");
    assert_eq!(written(256), b"M\x00\x01.");
    assert_eq!(written(65536), b"J\x00\x00\x01\x00.");
    assert_eq!(written(-1), b"J\xff\xff\xff\xff.");
    assert_eq!(written(1 << 31), b"\x8a\x08\0\0\0\x80\0\0\0\0.");
    assert_eq!(written(i64::MIN), b"\x8a\x08\0\0\0\0\0\0\0\x80.");
}

#[test]
fn a_name_that_the_format_cannot_hold_is_refused() {
    let mut p = Pickler::new();
    p.global("m\nos", "system");
    assert_eq!(p.finish(), Err(Unwritable::GlobalName));
}

#[test]
fn what_pytorch_wrote_is_written_again_alike() {
    for file in ["attributes.pt", "attributes.ptl", "many.pt", "extra.pt"] {
        let archive = open(layout(file));
        for name in ["data.pkl", "constants.pkl"] {
            let bytes = archive.read(name).unwrap();
            assert_eq!(
                rewrite(&read(&bytes)).escape_ascii().to_string(),
                bytes.escape_ascii().to_string(),
                "{file}: {name}"
            );
        }
    }
}

#[test]
fn what_is_written_again_reads_alike() {
    // PyTorch memoises a tensor or a list when something besides the saved module holds it, which a file does not show.
    for (file, bytes) in assets() {
        let archive = rushlight_archive::zip::Archive::open(bytes, &Default::default()).unwrap();
        let before = read(&archive.read("data.pkl").unwrap());
        assert_eq!(show(&read(&rewrite(&before))), show(&before), "{file}");
    }
}

/// Writes a pickle of an archive again, choosing forms by what the values are, as a saver does.
fn rewrite(pickle: &Pickle) -> Vec<u8> {
    let mut again = Again {
        pickle,
        out: Pickler::new(),
        memo: HashMap::new(),
    };
    again.value(pickle.root());
    again.out.finish().unwrap()
}

struct Again<'a> {
    pickle: &'a Pickle,
    out: Pickler,
    memo: HashMap<NodeId, MemoId>,
}

impl Again<'_> {
    fn value(&mut self, id: NodeId) {
        if let Some(&memo) = self.memo.get(&id) {
            self.out.get(memo);
            return;
        }
        let pickle = self.pickle;
        match pickle.get(id) {
            PickleValue::None => drop(self.out.none()),
            PickleValue::Bool(value) => drop(self.out.bool(*value)),
            PickleValue::Int(value) => drop(self.out.int(*value)),
            PickleValue::Float(value) => drop(self.out.float(*value)),
            PickleValue::Str(text) => drop(self.out.str(text)),
            PickleValue::Global(global) => drop(self.out.global(&global.module, &global.name)),
            PickleValue::List(ids) => {
                self.out.begin_list().begin_items();
                ids.iter().for_each(|&id| self.value(id));
                self.out.append_items();
            }
            PickleValue::Tuple(ids) if ids.len() > 3 => self.marked_tuple(ids),
            PickleValue::Tuple(ids) => {
                ids.iter().for_each(|&id| self.value(id));
                self.out.tuple(ids.len(), |_| {});
            }
            PickleValue::Dict(pairs) => self.dict(pairs),
            PickleValue::PersistentId(id) => {
                self.marked_tuple(pickle.as_tuple(*id).unwrap());
                self.out.persistent_id();
            }
            PickleValue::Object(_) => self.object(id),
            other => panic!("{} in an archive", other.kind()),
        }
        let global = pickle
            .as_object(id)
            .and_then(|o| pickle.as_global(o.callable));
        let memoised = match pickle.get(id) {
            PickleValue::PersistentId(_) => true,
            PickleValue::Object(object) => {
                object.state.is_some()
                    || matches!(global, Some(("torch", "device") | ("torch._utils", _)))
            }
            _ => false,
        };
        if memoised {
            let memo = self.out.memoize();
            self.memo.insert(id, memo);
        }
    }

    fn object(&mut self, id: NodeId) {
        let pickle = self.pickle;
        let object = pickle.as_object(id).unwrap();
        let args = pickle.as_tuple(object.args).unwrap();
        self.value(object.callable);
        match pickle.as_global(object.callable).unwrap() {
            ("torch._utils", _) => self.tensor_arguments(args),
            ("torch.jit._pickle", name) if name.starts_with("build_") => self.marked_tuple(args),
            _ => self.value(object.args),
        }
        match object.state {
            None => drop(self.out.reduce()),
            Some(state) => {
                self.out.new_object();
                self.value(state);
                self.out.build();
            }
        }
    }

    /// A tensor's storage, offset, sizes, strides, whether it needs gradients, and its hooks.
    fn tensor_arguments(&mut self, args: &[NodeId]) {
        self.out.begin_items();
        for &arg in args {
            match self.pickle.as_tuple(arg) {
                Some(numbers) => self.marked_tuple(numbers),
                None => self.value(arg),
            }
        }
        self.out.tuple_items();
    }

    fn marked_tuple(&mut self, ids: &[NodeId]) {
        self.out.begin_items();
        ids.iter().for_each(|&id| self.value(id));
        self.out.tuple_items();
    }

    fn dict(&mut self, pairs: &[(NodeId, NodeId)]) {
        self.out.begin_dict().begin_items();
        for &(key, value) in pairs {
            self.value(key);
            self.value(value);
        }
        self.out.set_items();
    }
}
