//! Nesting without measure: values, classes that name classes, functions that call functions, in files and in source. Each
//! loads or is refused in words; no stack overflows, also not the small one that tests run on.

use crate::support::context;
use rushlight::archive::zip::Writer;
use rushlight::{Module, Value};

fn load(code: &str, data: &[u8]) -> Result<Module, String> {
    let mut zip = Writer::new("archive");
    zip.add_stored("data.pkl", data).unwrap();
    zip.add_code("code/__torch__.py", code.as_bytes()).unwrap();
    zip.add_stored("constants.pkl", b"\x80\x02).").unwrap();
    zip.add_stored("version", b"3\n").unwrap();
    rushlight::load_bytes(zip.finish().into(), context().into()).map_err(|e| e.to_string())
}

/// A module whose attribute `a` is what the opcodes in the middle make.
fn with_value(ty: &str, middle: &[u8]) -> Result<Module, String> {
    let code = format!(
        "class M(Module):\n  __parameters__ = []\n  a : {ty}\n  def forward(self: __torch__.M) -> Any:\n    return self.a\n  def shown(self: __torch__.M) -> str:\n    return str(self.a)\n"
    );
    let mut data = b"\x80\x02c__torch__\nM\n)\x81}X\x01\x00\x00\x00a".to_vec();
    data.extend(middle);
    data.extend(b"sb.");
    load(&code, &data)
}

/// `open` so many times, `inner`, and as often `close`.
fn nested(open: &[u8], inner: &[u8], close: &[u8], depth: usize) -> Vec<u8> {
    [open.repeat(depth), inner.to_vec(), close.repeat(depth)].concat()
}

/// What is done with values everywhere.
fn use_up(value: Value) {
    let _ = format!("{value:?}");
    let _ = value == value.clone();
    let _ = rushlight::types::deep_copy(&value, &rushlight::types::PlainCopies);
    let _ = rushlight::types::Key::new(value.clone());
    let _ = value.type_of().annotation();
    drop(value);
}

#[test]
fn values_of_any_depth_load_or_are_refused() {
    for depth in [10, 150, 240, 480, 1_000, 100_000] {
        let forms: [(&str, Vec<u8>); 6] = [
            ("list", nested(b"]", b"K\x01", b"a", depth)),
            ("tuple", nested(b"", b"K\x01", b"\x85", depth)),
            ("pair", nested(b"K\x01", b"K\x01", b"\x86", depth)),
            (
                "dict",
                nested(b"}X\x01\x00\x00\x00k", b"K\x01", b"s", depth),
            ),
            ("key", nested(b"}", b"K\x01K\x02s", b"K\x03s", depth.min(3))),
            (
                "tagged",
                nested(
                    b"ctorch.jit._pickle\nrestore_type_tag\n]",
                    b"K\x01",
                    b"aX\x09\x00\x00\x00List[Any]\x86R",
                    depth,
                ),
            ),
        ];
        for (name, middle) in forms {
            match with_value("Any", &middle) {
                Ok(module) => {
                    let value = module.forward(&[]).unwrap();
                    use_up(value);
                    let _ = module.call("shown", &[]);
                    let _ = module.to_bytes(&Default::default());
                }
                Err(message) => assert!(depth > 100 || name == "key", "{name} {depth}: {message}"),
            }
        }
    }
}

#[test]
fn objects_in_objects_load_or_are_refused() {
    let code = "class M(Module):\n  a : Optional[__torch__.M]\n  def forward(self: __torch__.M) -> int:\n    return 1\n";
    for depth in [10, 150, 480, 100_000] {
        let open = b"c__torch__\nM\n)\x81}X\x01\x00\x00\x00a";
        let data = [&b"\x80\x02"[..], &nested(open, b"N", b"sb", depth), b"."].concat();
        match load(code, &data) {
            Ok(module) => {
                assert_eq!(module.forward(&[]).unwrap(), Value::Int(1));
                let _ = module.to_bytes(&Default::default());
            }
            Err(message) => assert!(depth > 100, "{depth}: {message}"),
        }
    }
}

#[test]
fn what_is_shared_again_and_again_is_not_multiplied() {
    // Each tuple holds the one before twice.
    for depth in [10, 24, 30, 100] {
        let mut middle = b"K\x01\x85q\x01".to_vec();
        for _ in 0..depth {
            middle.extend(b"h\x01\x86q\x01");
        }
        let _ = with_value("Any", &middle).map(|module| module.to_bytes(&Default::default()));
    }
}

#[test]
fn classes_that_name_classes_load_or_are_refused() {
    for count in [50, 3_000] {
        let mut code = String::new();
        for i in 0..count {
            let next = if i + 1 < count {
                format!("__torch__.C{}", i + 1)
            } else {
                "int".into()
            };
            code.push_str(&format!("class C{i}(Module):\n  a : Optional[{next}]\n"));
        }
        code.push_str("class M(Module):\n  a : Optional[__torch__.C0]\n  def forward(self: __torch__.M) -> int:\n    return 1\n");
        let loaded = load(
            &code,
            b"\x80\x02c__torch__\nM\n)\x81}X\x01\x00\x00\x00aNsb.",
        );
        match loaded {
            Ok(module) => assert_eq!(module.forward(&[]).unwrap(), Value::Int(1)),
            Err(message) => assert!(count > 1_000, "{count}: {message}"),
        }
    }
}

/// Functions each of which calls the next.
fn chain(count: usize, prefix: &str, parameter: &str) -> String {
    let mut code = String::new();
    for i in 0..count {
        let next = match i + 1 < count {
            true => format!("{prefix}f{}(x)", i + 1),
            false => "x".into(),
        };
        code.push_str(&format!(
            "def f{i}(x: {parameter}) -> {parameter}:\n  return {next}\n"
        ));
    }
    code
}

#[test]
fn functions_that_call_functions_compile_or_are_refused() {
    for count in [50, 3_000] {
        let mut code = chain(count, "__torch__.", "int");
        code.push_str("class M(Module):\n  a : int\n  def forward(self: __torch__.M) -> int:\n    return __torch__.f0(1)\n");
        match load(
            &code,
            b"\x80\x02c__torch__\nM\n)\x81}X\x01\x00\x00\x00aK\x01sb.",
        ) {
            Ok(module) => drop(module.forward(&[])),
            Err(message) => assert!(count > 1_000, "{count}: {message}"),
        }
        let compiled = rushlight::compile(&chain(count, "", "int"));
        assert!(compiled.is_ok() || count > 1_000);
    }
}

#[test]
fn long_chains_and_deep_nesting_of_source_compile_and_come_back_from_archives() {
    let elif: String = (1..180)
        .map(|i| format!("    elif x == {i}:\n        y = {i}\n"))
        .collect();
    let elif = format!(
        "def forward(x: int) -> int:\n    if x == 0:\n        y = 0\n{elif}    else:\n        y = -1\n    return y\n"
    );
    let parens = format!(
        "def forward(x: int) -> int:\n    return {}x{}\n",
        "(".repeat(500),
        ")".repeat(500)
    );
    let sum = format!(
        "def forward(x: int) -> int:\n    return {}\n",
        vec!["x"; 3_000].join(" + ")
    );
    for (source, given, expected) in [(elif, 150, 150), (parens, 4, 4), (sum, 2, 6_000)] {
        let script = rushlight::compile(&source).unwrap();
        let called = script.get("forward").unwrap().call(&[Value::Int(given)]);
        assert_eq!(called.unwrap(), Value::Int(expected));
        let module = script.module(None).unwrap();
        let saved = module.to_bytes(&Default::default()).unwrap();
        let loaded = rushlight::load_bytes(saved.into(), context().into()).unwrap();
        assert_eq!(
            loaded.forward(&[Value::Int(given)]).unwrap(),
            Value::Int(expected)
        );
    }
    let long: String = (1..1_500)
        .map(|i| format!("    elif x == {i}:\n        y = {i}\n"))
        .collect();
    let long = format!(
        "def f(x: int) -> int:\n    y = 0\n    if x == 0:\n        y = 0\n{long}    return y\n"
    );
    let script = rushlight::compile(&long).unwrap();
    let _ = script.get("f").unwrap().call(&[Value::Int(1_400)]);
}

#[test]
fn many_early_returns_compile_or_are_refused_soon() {
    let returns: String = (0..2_000)
        .map(|i| format!("    if x == {i}:\n        return {i}\n"))
        .collect();
    let source = format!("def f(x: int) -> int:\n{returns}    return -1\n");
    assert!(rushlight::compile(&source).is_err());
}
