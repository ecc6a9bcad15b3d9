//! Texts that the reference refuses, with what it says and the part of the text that it underlines.

use super::{Misfit, graph_misfit, schema_misfit, unit_misfit};

/// What is said of a text and what it is said of.
fn told(misfit: Option<Misfit>, text: &str) -> (String, String) {
    let misfit = misfit.unwrap_or_else(|| panic!("nothing is wrong with {text}"));
    let place = misfit.place.unwrap_or(0..0);
    (misfit.message, text[place].to_string())
}

#[track_caller]
fn check_all(misfit: fn(&str) -> Option<Misfit>, cases: &[(&str, &str, &str)]) {
    for (text, message, place) in cases {
        let (said, of) = told(misfit(text), text);
        assert_eq!((&*said, &*of), (*message, *place), "{text}");
    }
}

#[test]
fn schemas_are_refused_where_the_reference_refuses_them() {
    let unknown = super::schema::UNKNOWN_TYPE;
    check_all(
        schema_misfit,
        &[
            (
                "foo(Tensor x -> Tensor",
                "expected ) but found 'arrow' here",
                "->",
            ),
            (
                "foo(Tensor x) - Tensor",
                "expected arrow but found '-' here",
                "-",
            ),
            (
                "foo(int x) => int",
                "expected arrow but found '=' here",
                "=",
            ),
            (
                "foo(int x=) -> int",
                "expected number but found ')' here",
                ")",
            ),
            (
                "foo(int[ x) -> int",
                "expected number but found 'ident' here",
                "x",
            ),
            (
                "foo Tensor x",
                "expected eof but found 'ident' here",
                "Tensor",
            ),
            (
                "foo(int x=1.5.2) -> int",
                "expected ) but found 'number' here",
                ".2",
            ),
            (
                "foo(int x=1_000) -> int",
                "expected ) but found 'ident' here",
                "_000",
            ),
            (
                "foo(str x='a) -> int",
                "expected a valid token but found ''' here",
                "'",
            ),
            (
                "foo(int $x) -> int",
                "expected a valid token but found ' ' here",
                "$",
            ),
            (
                "foo(int x) -> int; ",
                "expected a valid token but found ';' here",
                ";",
            ),
            ("foo(Foo x) -> int", unknown, "Foo"),
            ("foo(Float(2, 3) x) -> int", unknown, "Float"),
            ("foo(A.B x) -> int", unknown, "A"),
            (
                "foo(int x,) -> int",
                "expected ident but found ')' here",
                ")",
            ),
            (
                "foo(int in) -> int",
                "expected ident but found 'in' here",
                "in",
            ),
            (
                "foo(return x) -> int",
                "expected ident but found 'return' here",
                "return",
            ),
            (
                "foo(Dict(int) x) -> int",
                "expected , but found ')' here",
                ")",
            ),
            (
                "foo(Dict[int, int] x) -> int",
                "expected ( but found '[' here",
                "[",
            ),
            (
                "foo(Union(int str) x) -> int",
                "expected , but found 'ident' here",
                "str",
            ),
            (
                "ns::(int x) -> int",
                "expected ident but found '(' here",
                "(",
            ),
            (
                "ns::a::b(int x) -> int",
                "expected eof but found ':' here",
                ":",
            ),
            (
                "ns::foo.1(int x) -> int",
                "expected eof but found 'number' here",
                ".1",
            ),
            (
                "1foo(int x) -> int",
                "expected ident but found 'number' here",
                "1",
            ),
            (
                "foo<int>(int x) -> int",
                "expected eof but found '<' here",
                "<",
            ),
            (
                "foo(**) -> int",
                "expected ident but found 'pow operator' here",
                "**",
            ),
            (
                "foo(..., int x) -> int",
                "... must be the last element of the argument list",
                "int",
            ),
            (
                "foo() -> (..., int)",
                "... must be the last element of the return list",
                "int",
            ),
            (
                "foo() -> (int, int)[]",
                "expected eof but found '[' here",
                "[",
            ),
            (
                "foo(bool x=true) -> int",
                "invalid numeric default value",
                ")",
            ),
            (
                "foo(Tensor x=[]) -> int",
                "expected None but found '[' here",
                "[",
            ),
            (
                "foo(int[] x=1) -> int",
                "expected [ but found 'number' here",
                "1",
            ),
            (
                "foo(str x='\\q') -> int",
                " ill formed octal specifier",
                "'\\q'",
            ),
            (
                "foo(str x='\\x41') -> int",
                "unsupported hex specifier",
                "'\\x41'",
            ),
            (
                "foo(Any x=1) -> int",
                "unexpected type, file a bug report",
                "1",
            ),
            (
                "foo(str[] x=['a']) -> int",
                "lists are only supported for float, int and complex types",
                "[",
            ),
            (
                "foo(__torch__.A x) -> int",
                "Expected classes namespace but got A",
                "A",
            ),
            (
                "foo(Tensor(a!!) x) -> int",
                "expected ) but found '!' here",
                "!",
            ),
            (
                "foo(int x)\n -> int",
                "expected arrow but found 'indent' here",
                "",
            ),
            (
                "foo(int x)\n-> int",
                "expected arrow but found 'newline' here",
                "",
            ),
            (
                "foo",
                "Tried to parse a function schema but only the operator name was given",
                "",
            ),
            (
                "a::b.__c() -> ()",
                "__c is not a legal overload name for aten operators",
                "",
            ),
        ],
    );
}

#[test]
fn schemas_that_operators_have_are_not_refused() {
    for text in [
        "aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
        "aten::_set_item.Tensor(Dict(Tensor, t)(a!) l, Tensor(b -> *) idx, t(c -> *) v) -> ()",
        "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
        "aten::items.str(Dict(str, t) self) -> ((str, t)[])",
        "aten::sum.dim_IntList(Tensor self, int[1]? dim, *, ScalarType? dtype=None) -> Tensor",
        "prim::PythonOp(...) -> ...",
        " foo (int x=- 1,\n int? y=None, str s=\"a\\101\\n\", MemoryFormat m=contiguous_format) -> int r # c\n",
    ] {
        assert_eq!(schema_misfit(text), None, "{text}");
    }
}

#[test]
fn graphs_are_refused_where_the_reference_refuses_them() {
    fn misfit(text: &str) -> Option<Misfit> {
        graph_misfit(text, false)
    }
    let cases = [
        (
            "  return (%z)\n",
            "Cannot find a variable with name 'z'",
            ")",
        ),
        (
            "  return (%x, %zeb.3, %x)\n",
            "Cannot find a variable with name 'zeb.3'",
            ",",
        ),
        (
            "  %y = a::b(%x\n  return (%y)",
            "expected ) but found 'return' here",
            "return",
        ),
        (
            "  %y = a::b(%x)\n    return (%y)",
            "expected ident but found 'return' here",
            "return",
        ),
        ("", "expected indent but found 'newline' here", ""),
        (
            "  %y : in = a::b(%x)\n",
            "expected ident but found 'in' here",
            "in",
        ),
        (
            "  %y int = a::b(%x)\n",
            "expected = but found 'ident' here",
            "int",
        ),
        (
            "  %y = a::b[c=1(%x)\n",
            "expected ] but found '(' here",
            "(",
        ),
        (
            "  %y = a::b\n  return (%y)",
            "expected ( but found 'newline' here",
            "",
        ),
        ("  %y = neg(%x)\n", "expected : but found '(' here", "("),
        (
            "  %in = a::b(%x)\n",
            "expected number but found 'in' here",
            "in",
        ),
        ("  = a::b(%x)\n", "expected ident but found '=' here", "="),
        (
            "  return (%x) foo\n",
            "expected newline but found 'ident' here",
            "foo",
        ),
        (
            "  return (%x)\n  foo\n",
            "expected dedent but found 'ident' here",
            "foo",
        ),
        (
            "    %y = a::b(%x)\n  return (%y)",
            "invalid indent level 2",
            "",
        ),
        (
            "  %y = a::b[c='](%x)\n",
            "expected a valid token but found ''' here",
            "'",
        ),
        ("  %y = a::b[c=](%x)\n", "Could not parse literal]", "]"),
        (
            "  %y = a::b[c=-a](%x)\n",
            "Expected a number after '-' but got:-",
            "-",
        ),
        (
            "  %y : Float(2, q=3) = a::b()\n",
            "Unexpected specifier 'q'",
            "=",
        ),
        (
            "  %y : Float(2, strides=[3, 1]) = a::b()\n",
            "Strides info is specified for some but not for all dimensions",
            "=",
        ),
        (
            "  %y = a::b[c=<Tensor>]()\n",
            "Tensor constant encountered but `parse_tensor_constants` set to false<",
            "<",
        ),
        (
            "  %y = a::b()\n    block0():\n      return (%x)\n",
            "expected arrow but found 'return' here",
            "return",
        ),
        (
            "  %y = a::b()\n    block0():\n      -> (%x)\n      foo\n",
            "expected dedent but found 'ident' here",
            "foo",
        ),
    ];
    for (body, message, place) in cases {
        check_all(
            misfit,
            &[(&format!("graph(%x : int):\n{body}"), message, place)],
        );
    }
    check_all(
        misfit,
        &[
            (
                "graph(%x : int)\n  return (%x)",
                "expected : but found 'indent' here",
                "",
            ),
            (
                "graph(x : int):\n  return (%x)",
                "expected % but found 'ident' here",
                "x",
            ),
            (
                "in(%x : int):\n  return (%x)",
                "expected ident but found 'in' here",
                "in",
            ),
        ],
    );
}

#[test]
fn graphs_may_be_written_in_many_ways() {
    for text in [
        "graf(%x : int):\n  return (%x)",
        "\n    graph(%x.y.1 : Float(2, *, device=cuda:0), %1):\n      a::c(%1)\n      # c\n      return (%x.y.1)\n    foo",
        "graph(%c : bool):\n  %y : int[] = prim::If(%c)\n    a():\n      -> (%c)\n    b(%d):\n      %e = x::y[v=[1, -2], w=\"s\", t=int?, u=annotate(List[int], [])](%d)\n      -> (%e)\n  return (%y)\n",
    ] {
        assert_eq!(graph_misfit(text, false), None, "{text}");
    }
    let tensors = "graph():\n  %y = a::b[c=<Tensor>, d={1}]()\n  return (%y)\n";
    assert!(graph_misfit(tensors, false).is_some());
    assert_eq!(graph_misfit(tensors, true), None);
}

#[test]
fn texts_of_functions_are_refused_at_their_tokens() {
    let head = "def f(x: int) -> int:\n";
    let cases = [
        (
            "    y = x; return y\n",
            "expected a valid token but found ';' here",
            ";",
            true,
        ),
        (
            "    return x;\n",
            "expected a valid token but found ';' here",
            ";",
            true,
        ),
        (
            "    y = `x`\n",
            "expected a valid token but found ' ' here",
            "`",
            true,
        ),
        (
            "    if x: y = 1\n",
            "expected indent but found 'ident' here",
            "y",
            true,
        ),
        ("   return x\n  y = 3\n", "invalid indent level 2", "", true),
        (
            "    g = lambda y: y\n",
            "expected newline but found 'ident' here",
            "y",
            false,
        ),
        (
            "    return x",
            "expected newline but found 'eof' here",
            "",
            false,
        ),
    ];
    for (body, message, place, is_certain) in cases {
        let text = format!("{head}{body}");
        let misfit = unit_misfit(&text);
        assert_eq!(
            misfit.as_ref().map(|m| m.is_certain),
            Some(is_certain),
            "{text}"
        );
        assert_eq!(
            told(misfit, &text),
            (message.to_string(), place.to_string()),
            "{text}"
        );
    }
    for text in [
        "def f(x: int) -> int:\n    y = 'a;b' # c;d\n    return 1\n",
        "  def f(x):\n    return x\n  def g(x): return x\n",
        "# é;\ndef f(x):\n    \"\"\";\"\"\"\n    return [x,\n  'é']\n",
    ] {
        assert_eq!(unit_misfit(text), None, "{text}");
    }
}

#[test]
fn messages_show_the_text() {
    let schema = |text: &str| schema_misfit(text).unwrap().shown(text);
    assert_eq!(schema(""), "expected ident but found 'eof' here:\n");
    assert_eq!(schema("("), "expected ident but found '(' here:\n(");
    assert_eq!(
        schema("foo(int"),
        "expected ident but found 'eof' here:\nfoo(int"
    );
    assert_eq!(
        schema("::"),
        "expected ident but found ':' here:\n::\n~ <--- HERE\n"
    );
    assert_eq!(
        schema("foo(int x, int y\n\n\n)\n->\nint"),
        "expected arrow but found 'newline' here:\n\n)\n->\nint\n"
    );
    assert_eq!(
        schema("foo"),
        "Tried to parse a function schema but only the operator name was given"
    );
    let text = "graph(%x : int):\n  return (%z)\n";
    assert_eq!(
        graph_misfit(text, false).unwrap().shown(text),
        "\nCannot find a variable with name 'z':\ngraph(%x : int):\n  return (%z)\n            ~ <--- HERE\n"
    );
}

#[test]
fn what_is_nested_too_deeply_is_not_judged() {
    for unit in ["(", "Dict(", "Union("] {
        assert_eq!(schema_misfit(&format!("f({}", unit.repeat(100_000))), None);
    }
    assert_eq!(
        unit_misfit(&format!("def f(x):\n    return {}", "[".repeat(100_000))),
        None
    );
    let blocks: String = (0..500)
        .map(|i| format!("{0}a::b()\n{0} c():\n", " ".repeat(2 * i + 1)))
        .collect();
    assert_eq!(graph_misfit(&format!("graph():\n{blocks}"), false), None);
}
