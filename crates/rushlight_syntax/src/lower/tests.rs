//! Literal cases for what text becomes which tree, with which marks and problems.
//!
//! Expected marks are those the reference reports for the same text (PyTorch 2.15, ranges of its own syntax tree).

use std::sync::Arc;

use super::*;
use crate::tree::{Constant, Param, ParamKind, Params, SignatureComment, StringPart};

fn source(text: &str) -> Arc<Source> {
    Source::new("case.py", text)
}

/// The tree of an expression, fully bracketed.
fn show(expr: &Expr) -> String {
    let list = |exprs: &[Expr]| exprs.iter().map(show).collect::<Vec<_>>().join(" ");
    let opt = |expr: &Option<Box<Expr>>| expr.as_ref().map_or("_".to_owned(), |expr| show(expr));
    match &expr.kind {
        ExprKind::Name(name) => name.to_string(),
        ExprKind::Constant(constant) => show_constant(constant),
        ExprKind::JoinedStr(parts) => format!("(f {})", show_parts(parts)),
        ExprKind::TemplateStr(parts) => format!("(t {})", show_parts(parts)),
        ExprKind::Binary { op, left, right } => format!("({op} {} {})", show(left), show(right)),
        ExprKind::Unary { op, operand } => format!("({op} {})", show(operand)),
        ExprKind::Bool { op, values } => format!("({op} {})", list(values)),
        ExprKind::Compare { left, rest } => {
            let rest: String = rest
                .iter()
                .map(|(op, operand)| format!(" {op} {}", show(operand)))
                .collect();
            format!("({}{rest})", show(left))
        }
        ExprKind::Call(call) => {
            let mut parts = vec![show(&call.func)];
            parts.extend(call.args.iter().map(show));
            parts.extend(call.keywords.iter().map(|keyword| match &keyword.name {
                Some(name) => format!("{}={}", name.name, show(&keyword.value)),
                None => format!("**{}", show(&keyword.value)),
            }));
            format!("(call {})", parts.join(" "))
        }
        ExprKind::Attribute { value, attr } => format!("{}.{}", show(value), attr.name),
        ExprKind::Subscript { value, index } => format!("(index {} {})", show(value), show(index)),
        ExprKind::Slice { lower, upper, step } => {
            format!("{}:{}:{}", opt(lower), opt(upper), opt(step))
        }
        ExprKind::List(elements) => format!("[{}]", list(elements)),
        ExprKind::Tuple {
            elements,
            parenthesized: true,
        } => format!("(tuple {})", list(elements)),
        ExprKind::Tuple {
            elements,
            parenthesized: false,
        } => format!("(bare {})", list(elements)),
        ExprKind::Set(elements) => format!("{{{}}}", list(elements)),
        ExprKind::Dict(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| {
                    format!(
                        "{}:{}",
                        item.key.as_ref().map_or("**".to_owned(), show),
                        show(&item.value)
                    )
                })
                .collect();
            format!("{{{}}}", items.join(" "))
        }
        ExprKind::ListComp {
            element,
            generators,
        } => format!("(list {}{})", show(element), show_generators(generators)),
        ExprKind::SetComp {
            element,
            generators,
        } => format!("(set {}{})", show(element), show_generators(generators)),
        ExprKind::Generator {
            element,
            generators,
        } => {
            format!(
                "(generator {}{})",
                show(element),
                show_generators(generators)
            )
        }
        ExprKind::DictComp {
            key,
            value,
            generators,
        } => {
            format!(
                "(dict {}:{}{})",
                opt(key),
                show(value),
                show_generators(generators)
            )
        }
        ExprKind::IfExp { test, body, orelse } => {
            format!("(if {} {} {})", show(test), show(body), show(orelse))
        }
        ExprKind::Lambda(lambda) => format!(
            "(lambda ({}) {})",
            show_params(&lambda.params),
            show(&lambda.body)
        ),
        ExprKind::Starred(value) => format!("*{}", show(value)),
        ExprKind::Await(value) => format!("(await {})", show(value)),
        ExprKind::Yield(value) => format!("(yield {})", opt(value)),
        ExprKind::YieldFrom(value) => format!("(yield from {})", show(value)),
        ExprKind::NamedExpr { target, value } => format!("({} := {})", show(target), show(value)),
        ExprKind::Invalid => "<invalid>".to_owned(),
    }
}

fn show_constant(constant: &Constant) -> String {
    match constant {
        Constant::None => "None".to_owned(),
        Constant::Bool(value) => if *value { "True" } else { "False" }.to_owned(),
        Constant::Int(value) => value.to_string(),
        Constant::BigInt(text) => format!("big:{text}"),
        Constant::Float(value) => format!("{value:?}"),
        Constant::Imaginary(value) => format!("{value:?}j"),
        Constant::Str(text) => format!("{text:?}"),
        Constant::Bytes(bytes) => format!("b{bytes:?}"),
        Constant::Ellipsis => "...".to_owned(),
    }
}

fn show_parts(parts: &[StringPart]) -> String {
    let show_part = |part: &StringPart| match part {
        StringPart::Text { text, .. } => format!("{text:?}"),
        StringPart::Value {
            value,
            conversion,
            spec,
            debug_text,
            ..
        } => {
            let conversion =
                conversion.map_or(String::new(), |conversion| format!("!{conversion:?}"));
            let spec = spec
                .as_ref()
                .map_or(String::new(), |spec| format!(":({})", show_parts(spec)));
            let debug = debug_text
                .as_ref()
                .map_or(String::new(), |text| format!("{text:?}="));
            format!("{debug}{}{conversion}{spec}", show(value))
        }
    };
    parts.iter().map(show_part).collect::<Vec<_>>().join(" ")
}

fn show_generators(generators: &[crate::tree::Comprehension]) -> String {
    let show_one = |one: &crate::tree::Comprehension| {
        let conditions: String = one
            .conditions
            .iter()
            .map(|test| format!(" if {}", show(test)))
            .collect();
        format!(
            " {}for {} in {}{conditions}",
            if one.is_async { "async " } else { "" },
            show(&one.target),
            show(&one.iter)
        )
    };
    generators.iter().map(show_one).collect()
}

fn show_params(params: &Params) -> String {
    let show_param = |param: &Param| {
        let prefix = match param.kind {
            ParamKind::PositionalOnly => "/",
            ParamKind::Normal => "",
            ParamKind::VarArgs => "*",
            ParamKind::KeywordOnly => "k:",
            ParamKind::VarKeywords => "**",
        };
        let annotation = param
            .annotation
            .as_ref()
            .map_or(String::new(), |ty| format!(":{}", show(ty)));
        let comment = param
            .type_comment
            .as_ref()
            .map_or(String::new(), |ty| format!("#{}", show(ty)));
        let default = param
            .default
            .as_ref()
            .map_or(String::new(), |value| format!("={}", show(value)));
        format!("{prefix}{}{annotation}{comment}{default}", param.name.name)
    };
    params
        .0
        .iter()
        .map(show_param)
        .collect::<Vec<_>>()
        .join(" ")
}

fn expr(text: &str) -> Expr {
    let (expr, diagnostics) = parse_expression(&source(text));
    assert_eq!(diagnostics, [], "{text}");
    expr
}

fn check(text: &str, expected: &str) {
    assert_eq!(show(&expr(text)), expected, "{text}");
}

fn check_mark(text: &str, expected: &str) {
    let span = expr(text).span;
    let mark = span.mark();
    assert_eq!(
        &text[mark.start as usize..mark.end as usize],
        expected,
        "{text}"
    );
    assert_eq!(
        span.text().trim_matches(['(', ')']),
        text.trim_matches(['(', ')']),
        "{text}"
    );
}

fn module(text: &str) -> Module {
    let (module, diagnostics) = parse_module(&source(text));
    assert_eq!(diagnostics, [], "{text}");
    module
}

fn problems(text: &str) -> Vec<String> {
    parse_module(&source(text))
        .1
        .into_iter()
        .map(|diagnostic| diagnostic.message)
        .collect()
}

fn only_def(module: &Module) -> &crate::tree::Def {
    match &module.body[..] {
        [
            Stmt {
                kind: StmtKind::Def(def),
                ..
            },
        ] => def,
        other => panic!("expected one function, found {other:?}"),
    }
}

#[test]
fn literals_keep_their_values() {
    check(
        "[1, 0x1F, 1_000, 9223372036854775807]",
        "[1 31 1000 9223372036854775807]",
    );
    check("9223372036854775808", "big:9223372036854775808");
    check("0xFFFF_FFFF_FFFF_FFFF_F", "big:0xFFFFFFFFFFFFFFFFF");
    check(
        "[1., 1e5, 2j, True, None, ...]",
        "[1.0 100000.0 2.0j True None ...]",
    );
    check(
        r#"["a" 'b', b"\x00c", "\n", r"\n", """x"""]"#,
        r#"["ab" b[0, 99] "\n" "\\n" "x"]"#,
    );
}

#[test]
fn operators_nest_as_in_python() {
    check("a + b * c - d", "(- (+ a (* b c)) d)");
    check("a ** b ** c", "(** a (** b c))");
    check("-a ** 2", "(- (** a 2))");
    check("not a == b", "(not (a == b))");
    check("a and b and c or d", "(or (and a b c) d)");
    check(
        "a < b <= c is not d not in e",
        "(a < b <= c is not d not in e)",
    );
    check(
        "~a @ b // c % d << e >> f & g | h ^ i",
        "(| (& (>> (<< (% (// (@ (~ a) b) c) d) e) f) g) (^ h i))",
    );
    check("a if b else c if d else e", "(if b a (if d c e))");
    check("(x := 1)", "(x := 1)");
}

#[test]
fn calls_subscripts_and_displays() {
    check("f(a, *b, c=1, **d)", "(call f a *b c=1 **d)");
    check("a.b.c(1)[2]", "(index (call a.b.c 1) 2)");
    check(
        "a[1:, ::2, ..., None, i]",
        "(index a (bare 1:_:_ _:_:2 ... None i))",
    );
    check("a[(1, 2)]", "(index a (tuple 1 2))");
    check("a[:]", "(index a _:_:_)");
    check(
        "(1,), (), [*a], {1, 2}, {'a': 1, **b}, {}",
        "(bare (tuple 1) (tuple ) [*a] {1 2} {\"a\":1 **:b} {})",
    );
}

#[test]
fn comprehensions_lambdas_and_the_rest() {
    check(
        "[a for b in c if d if e for f in g]",
        "(list a for b in c if d if e for f in g)",
    );
    check("{a for b in c}", "(set a for b in c)");
    check("{a: b for c in d}", "(dict a:b for c in d)");
    check(
        "sum(a async for b in c)",
        "(call sum (generator a async for b in c))",
    );
    check("lambda a, *b, c=1, **d: a", "(lambda (a *b k:c=1 **d) a)");
    check("await a", "(await a)");
    check("(yield a)", "(yield a)");
    check("(yield from a)", "(yield from a)");
}

#[test]
fn f_strings_keep_their_parts() {
    check(
        "f'a{x}b{y!r:>{w}}' 'tail'",
        "(f \"a\" x \"b\" y!Repr:(\">\" w) \"tail\")",
    );
    check("f'{x=}'", "(f \"x=\"=x)");
    check("f'{{}}'", "(f \"{}\")");
    check("t'{x}'", "(t x)");
}

#[test]
fn marks_leave_out_brackets_around_and_at_the_end() {
    check_mark("x + y", "x + y");
    check_mark("(x + y) * 2", "x + y) * 2");
    check_mark("-(x + y)", "-(x + y");
    check_mark("x.foo.bar(1, k=2)", "x.foo.bar(1, k=2");
    check_mark("foo()", "foo");
    check_mark("foo(k=(x))", "foo(k=(x");
    check_mark("[1, 2]", "[1, 2");
    check_mark("[]", "[");
    check_mark("{1: 2}", "{1: 2");
    check_mark("(x if y else z) + 1", "x if y else z) + 1");
    check_mark("[q * 2 for q in z]", "[q * 2 for q in z");
    check_mark("x < y < z", "x < y < z");
    check_mark("not (y)", "not (y");
}

#[test]
fn marks_of_subscripts_end_one_byte_after_their_content() {
    check_mark("x[0]", "x[0]");
    check_mark("x[:]", "x[");
    check_mark("x[(y)]", "x[(y)");
    check_mark("x[0:1, ..., None, ::2, 1:]", "x[0:1, ..., None, ::2, 1:");
    check_mark("x[:, (y)]", "x[:, (y)");
    check_mark("((x), (y))[0]", "((x), (y))[0]");
}

#[test]
fn marks_of_attributes_and_strings_count_from_where_the_reference_looks() {
    check_mark("(x + y).sum()", "x + y).su");
    check_mark("x  .  foo", "x  .  ");
    check_mark("x\n         .foo", "x\n         .fo");
    check_mark("'s' 't'", "'s'");
    check_mark("f'abc'", "f");
    check_mark("f'a{x}b{y}c'", "f'a{x}b{y");
}

#[test]
fn marks_of_names_and_integers_have_the_length_of_their_value() {
    check_mark("0x10", "0x");
    check_mark("1_000", "1_00");
    check_mark("0", "0");
    check_mark("a\u{e9}b", "a\u{e9}");
}

#[test]
fn nodes_tell_their_names() {
    assert_eq!(
        expr("torch.jit.annotate").dotted_name().as_deref(),
        Some("torch.jit.annotate")
    );
    assert_eq!(expr("f().x").dotted_name(), None);
    assert_eq!(expr("sum(x for x in y)").node_name(), "Call");
    assert_eq!(
        module("async def f(): pass\n").body[0].node_name(),
        "AsyncFunctionDef"
    );
}

#[test]
fn several_lines_need_no_brackets_in_an_expression() {
    check("a\n+ b", "(+ a b)");
}

#[test]
fn every_statement_has_its_node() {
    let text = "\
@d
async def f(a, /, b: int = 1, *c, e, **g) -> str:
    'doc'
    return 1
class C(B, metaclass=M):
    x: int
    def m(self): pass
a = b, c = d
a += 1
a: int = 1
for x in y: pass
else: pass
async def g():
    async for x in y: pass
    async with x as y, z: pass
while a: break
else: continue
if a: pass
elif b: pass
else: pass
try: pass
except E as e: pass
except: pass
else: pass
finally: pass
raise E from c
assert a, b
del a, b
import a.b as c, d
from .m import x as y
from . import *
global a
nonlocal b
type T[U: int] = list[U]
match a:
    case 1 | None: pass
    case [x, *_]: pass
    case {'k': v, **r}: pass
    case P(1, y=2) as q if q: pass
    case _: pass
a
pass
";
    let module = module(text);
    let kinds: Vec<String> = module
        .body
        .iter()
        .map(|stmt| {
            format!("{:?}", stmt.kind)
                .split([' ', '('])
                .next()
                .unwrap()
                .to_owned()
        })
        .collect();
    let expected = "Def Class Assign AugAssign AnnAssign For Def While If Try Raise Assert Delete Import ImportFrom \
                    ImportFrom Global Nonlocal TypeAlias Match Expr Pass";
    assert_eq!(kinds.join(" "), expected);
    assert!(!format!("{module:?}").contains("Invalid"));
}

#[test]
fn definitions_keep_their_parameters_and_docstring() {
    let module = module(
        "@d\n# why\nasync def f(a, /, b: int = 1, *c, e, **g) -> str:\n    'doc'\n    return 1\n",
    );
    let def = only_def(&module);
    assert_eq!(show_params(&def.params), "/a b:int=1 *c k:e **g");
    assert_eq!((def.docstring(), def.is_async), (Some("doc"), true));
    assert_eq!(def.decorators.len(), 1);
    assert_eq!((def.span.line(), def.span.column()), (3, 0));
    assert_eq!(show(def.returns.as_ref().unwrap()), "str");
}

#[test]
fn elif_is_an_if_alone_in_the_else() {
    let module = module("if a:\n  x\nelif b:\n  y\nelif c:\n  z\nelse:\n  w\n");
    let StmtKind::If(outer) = &module.body[0].kind else {
        panic!()
    };
    let [
        Stmt {
            kind: StmtKind::If(second),
            span,
        },
    ] = &outer.orelse[..]
    else {
        panic!()
    };
    assert_eq!((span.line(), span.text().lines().count()), (3, 6));
    let [
        Stmt {
            kind: StmtKind::If(third),
            ..
        },
    ] = &second.orelse[..]
    else {
        panic!()
    };
    assert_eq!((show(&third.test), third.orelse.len()), ("c".to_owned(), 1));
}

#[test]
fn indented_text_keeps_its_positions_and_strings() {
    let text = "    # about\n    @staticmethod\n    def f(x):\n        return '''\n  low'''\n";
    let source = Source::with_first_line("m.py", text, 40);
    let (stmt, diagnostics) = parse_function(&source);
    assert_eq!(diagnostics, []);
    let Some(Stmt {
        kind: StmtKind::Def(def),
        ..
    }) = stmt
    else {
        panic!()
    };
    assert_eq!((def.span.line(), def.span.column()), (42, 4));
    let StmtKind::Return(Some(value)) = &def.body[0].kind else {
        panic!()
    };
    assert_eq!(
        (value.span.line(), value.span.column(), show(value)),
        (43, 15, "\"\\n  low\"".to_owned())
    );
}

#[test]
fn only_a_single_definition_is_a_function() {
    for text in ["g = lambda x: x\n", "", "def f(): pass\ndef g(): pass\n"] {
        assert_eq!(parse_function(&source(text)), (None, vec![]), "{text}");
    }
    let (class, _) = parse_function(&source("class C:\n  x = 1\n  def f(self): pass\n"));
    let Some(Stmt {
        kind: StmtKind::Class(class),
        ..
    }) = class
    else {
        panic!()
    };
    assert_eq!(class.body[1].span.source().window(), 17..36);
}

#[test]
fn definitions_of_a_module_show_nothing_of_their_neighbours() {
    let text = "x = 1\ndef f():\n    return a\ny = 2\nclass C:\n    def m(self):\n        return b\n    z = 1\n";
    let module = module(text);
    let shown = |name: &str| {
        let start = text.find(name).unwrap() as u32;
        let mut spans = Vec::new();
        for stmt in &module.body {
            match &stmt.kind {
                StmtKind::Def(def) => spans.push(def.body[0].span.clone()),
                StmtKind::Class(class) => {
                    let StmtKind::Def(def) = &class.body[0].kind else {
                        panic!()
                    };
                    spans.push(def.body[0].span.clone());
                }
                _ => {}
            }
        }
        let span = spans
            .into_iter()
            .find(|span| span.end() == start + name.len() as u32)
            .unwrap();
        crate::diagnostic::highlight::highlight(&span, None)
    };
    assert_eq!(
        shown("return a"),
        "  File \"case.py\", line 3\ndef f():\n    return a\n    ~~~~~~~~ <--- HERE\n"
    );
    assert_eq!(
        shown("return b"),
        "  File \"case.py\", line 7\n    def m(self):\n        return b\n        ~~~~~~~~ <--- HERE\n"
    );
}

fn show_signature(signature: &Option<SignatureComment>) -> String {
    let Some(signature) = signature else {
        return "none".to_owned();
    };
    let params = match &signature.params {
        Some(params) => params.iter().map(show).collect::<Vec<_>>().join(" "),
        None => "...".to_owned(),
    };
    format!(
        "{params} -> {}",
        signature.returns.as_ref().map_or("_".to_owned(), show)
    )
}

fn check_signature(text: &str, expected: &str) {
    assert_eq!(
        show_signature(&only_def(&module(text)).signature),
        expected,
        "{text}"
    );
}

#[test]
fn signature_comments_are_attached() {
    check_signature(
        "def f(x):\n    # type: (int) -> int\n    return x\n",
        "int -> int",
    );
    check_signature(
        "def f(x, y): # type: (int, Dict[str, int]) -> (int)\n    return x\n",
        "int (index Dict (bare str int)) -> int",
    );
    check_signature(
        "def f():\n    # type: () -> Tuple[()]\n    return x\n",
        " -> (index Tuple (tuple ))",
    );
    check_signature(
        "def f(x):\n    'doc'\n    # type: (int) -> int  # noqa\n    return x\n",
        "int -> int",
    );
    check_signature(
        "def f(x):\n    y = x\n    # type: (int)\n    return y\n",
        "int -> _",
    );
    check_signature(
        "    def f(x):\n        # type: (List[int],int)->int\n        return x\n",
        "(index List int) int -> int",
    );
    check_signature(
        "# type: (int) -> int\ndef f(x):\n    return x # type: ignore[a]\n",
        "none",
    );
}

#[test]
fn parameter_and_assignment_comments_are_attached() {
    let text = "def f(x, # type: int\n      y=1 # type: List[int]\n      ):\n    # type: (...) -> int\n    z = [] # type: List[int]\n    return x\n";
    let module = module(text);
    let def = only_def(&module);
    assert_eq!(show_params(&def.params), "x#int y#(index List int)=1");
    assert_eq!(show_signature(&def.signature), "... -> int");
    let StmtKind::Assign(assign) = &def.body[0].kind else {
        panic!()
    };
    let comment = assign.type_comment.as_ref().unwrap();
    assert_eq!(show(comment), "(index List int)");
    assert_eq!((comment.span.line(), comment.span.column()), (5, 19));
    assert!(comment.span.source().is_comment());
}

#[test]
fn bad_type_comments_are_reported_in_place() {
    let (_, diagnostics) = parse_module(&source(
        "def f(x):\n    # type: (int -> int\n    return x\n",
    ));
    assert_eq!(diagnostics.len(), 1);
    assert!(diagnostics[0].message.starts_with("invalid type comment"));
    assert!(
        diagnostics[0]
            .to_string()
            .contains("# type: (int -> int\n        ~~~~ <--- HERE\n"),
        "{}",
        diagnostics[0]
    );
}

#[test]
fn unreadable_characters_of_type_comments_are_named_as_in_the_reference() {
    let error = |comment: &str| {
        let text = format!("def f(x):\n    {comment}\n    return x\n");
        parse_module(&source(&text)).1[0].to_string()
    };
    assert_eq!(
        error("# type: (int) -> int $"),
        "expected a valid token but found ' ' here:\n# type: (int) -> int $\n                     ~ <--- HERE\n"
    );
    assert_eq!(
        error("# type: (torch.Tensor, int) \u{2192} torch.Tensor")
            .lines()
            .next(),
        Some("expected a valid token but found ' ' here:")
    );
}

#[test]
fn archive_code_parses() {
    let text = "\
class M(Module):
  __parameters__ = [\"weight\", ]
  __annotations__ = []
  __annotations__[\"0\"] = __torch__.torch.nn.Linear
  training : bool
  weight : Final[int] = 3
  def forward(self: __torch__.M,
    x: Tensor) -> Tuple[Tensor, int]:
    _0 = uninitialized(Tensor)
    _1 = annotate(List[int], [])
    x0, y, = torch.split(x, 2)
    _2, = ops.prim.NumToTensor(1),
    if torch.eq(x, 1):
      _3, _4 = True, CONSTANTS.c0
    else:
      _3, _4 = False, _0
    for i in range(9223372036854775807):
      _5 = inf
    return (x, 1,)
";
    let (module, diagnostics) = parse_archive_code(&source(text));
    assert_eq!(diagnostics, []);
    let StmtKind::Class(class) = &module.body[0].kind else {
        panic!()
    };
    assert_eq!(class.body.len(), 6);
    assert_eq!(class.span.source().window(), 0..text.len() as u32);
}

#[test]
fn every_syntax_error_is_reported_with_what_was_understood() {
    let (module, diagnostics) = parse_module(&source("x = (1 +\ndef f(:\n    return 1\ny = = 2\n"));
    assert!(diagnostics.len() >= 2, "{diagnostics:?}");
    assert!(!module.body.is_empty());
    assert!(
        diagnostics
            .iter()
            .all(|diagnostic| diagnostic.code == "syntax" && diagnostic.span.is_some())
    );
    assert_eq!(parse_expression(&source("1 +")).1.len(), 1);
    assert!(!parse_expression(&source("")).1.is_empty());
}

/// Runs `body` on a thread with the stack of a typical worker thread.
fn on_small_stack(body: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(body)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn deep_text_is_refused_and_never_overflows() {
    on_small_stack(|| {
        let million = 1_000_000;
        let elifs = format!("if a: pass\n{}", "elif a: pass\n".repeat(100_000));
        let blocks: String = (0..1_000)
            .map(|depth| format!("{}if a:\n", " ".repeat(depth)))
            .collect();
        for text in [
            format!("x = {}1{}", "(".repeat(10_000), ")".repeat(10_000)),
            format!("x = {}", "(".repeat(million)),
            format!("x = a{}", "+a".repeat(million)),
            format!("x = a{}", ".b".repeat(million)),
            format!("x = a{}", "()".repeat(million)),
            format!("x = {}a", "not ".repeat(million)),
            format!("x = a{}", "**a".repeat(million)),
            format!("x = {}a", "lambda: ".repeat(million)),
            format!("{}pass", "if a: ".repeat(million)),
            format!("x = {}a", "f'{".repeat(10_000)),
            format!(
                "def f(x):\n    # type: ({}) -> int\n    return x\n",
                "[".repeat(million)
            ),
            elifs,
            blocks,
        ] {
            let found = problems(&text);
            assert!(!found.is_empty(), "{}", &text[..40]);
        }
    });
}

#[test]
fn text_at_the_limits_is_walked_and_dropped_on_a_small_stack() {
    on_small_stack(|| {
        let brackets = MAX_BRACKET_DEPTH - 1;
        let chain = MAX_EXPRESSION_DEPTH - 2;
        for text in [
            format!("x = {}1{}", "[".repeat(brackets), "]".repeat(brackets)),
            format!("x = a{}", "+a".repeat(chain)),
            format!("x = a{}", ".b".repeat(chain)),
            format!("x = {}a", "-".repeat(chain)),
            format!("if a: pass\n{}", "elif a: pass\n".repeat(MAX_ELIF_CHAIN)),
        ] {
            let module = module(&text);
            assert_eq!(module.clone(), module);
            assert!(format!("{module:?}").len() > 100);
        }
    });
}

#[test]
fn an_elif_chain_inside_blocks_counts_them_all() {
    let chain = format!("if a: pass\n{}", "elif a: pass\n".repeat(MAX_ELIF_CHAIN));
    // Neither is too much by itself.
    let blocks = MAX_BLOCK_DEPTH - MAX_ELIF_CHAIN + 10;
    let mut text = String::new();
    for depth in 0..blocks {
        text.push_str(&format!("{}if a:\n", " ".repeat(depth)));
    }
    for line in chain.lines() {
        text.push_str(&format!("{}{line}\n", " ".repeat(blocks)));
    }
    assert!(
        problems(&text)
            .iter()
            .any(|problem| problem.contains("nested blocks")),
        "{:?}",
        problems(&text)
    );
}

#[test]
fn odd_texts_do_not_panic() {
    for text in [
        "\u{feff}x = 1",
        "\r\n",
        "\\",
        "é = 'é",
        "x = '''",
        "\t\tif",
        "f'{",
        "# type:",
        "def f(x): # type: (",
        "\0",
        "0x",
        "1e",
        "  ",
    ] {
        let _ = parse_module(&source(text));
        let _ = parse_function(&source(text));
        let _ = parse_expression(&source(text));
    }
}

/// The problems of a text with their lines, and the names that it defines, those of methods inside.
fn read(text: &str) -> (Vec<String>, String) {
    let (module, problems) = parse_module(&source(text));
    let problems = problems.iter().map(|problem| {
        let span = problem.span.as_ref().expect("a place");
        format!("{}: {}", span.line(), problem.message)
    });
    fn names(body: &[crate::tree::Stmt]) -> String {
        let names = body.iter().filter_map(|statement| match &statement.kind {
            StmtKind::Def(def) => Some(def.name.name.to_string()),
            StmtKind::Class(class) => Some(format!("{}({})", class.name.name, names(&class.body))),
            StmtKind::Assign(assign) => Some(match assign.value.kind {
                ExprKind::Invalid => format!("?{}", show(&assign.targets[0])),
                _ => show(&assign.targets[0]),
            }),
            _ => None,
        });
        names.collect::<Vec<_>>().join(" ")
    }
    (problems.collect(), names(&module.body))
}

#[test]
fn a_definition_that_cannot_be_read_spoils_no_other() {
    let unclosed = "'(' was never closed";
    let unindent = "unindent does not match any outer indentation level";
    for (text, expected, defined) in [
        // A bracket, wherever it is.
        (
            "def f(x):\n    y = (x + 3\n    return y\n\ndef g(x):\n    return x\n",
            vec![format!("2: {unclosed}")],
            "?f g",
        ),
        (
            "def f(x: int\n    return x\n\n@script\ndef g(x):\n    return x\n",
            vec![format!("1: {unclosed}")],
            "?f g",
        ),
        (
            "import a\n\nclass C(B:\n    def f(self): pass\n\ndef g(x): return x\n",
            vec![format!("3: {unclosed}")],
            "?C g",
        ),
        (
            "x = [1,\n2\n\ndef f(): pass\n",
            vec!["1: '[' was never closed".to_string()],
            "f",
        ),
        // One method of a class.
        (
            "class C:\n    def f(self):\n        return (1\n\n    def g(self):\n        return 1\n\ny = 2\n",
            vec![format!("3: {unclosed}")],
            "C(?f g) y",
        ),
        (
            "class C:\n    def __init__(self\n        self.x = 1\n    def g(self):\n        return 1\n",
            vec![format!("2: {unclosed}")],
            "?C",
        ),
        // Lines in no column.
        (
            "def f():\n        x = 1\n    return x\n\ndef g(): pass\n",
            vec![format!("3: {unindent}")],
            "?f g",
        ),
        (
            "def f():\n    x = 1\n      y = 2\n    return x\n\ndef g(): pass\n",
            vec!["3: Unexpected indentation".to_string()],
            "?f g",
        ),
        // Several.
        (
            "def f():\n    return (1\n\ndef g():\n    return [1\n\ndef h(): pass\n",
            vec![
                format!("2: {unclosed}"),
                "5: '[' was never closed".to_string(),
            ],
            "?g ?f h",
        ),
        // What looks like a definition inside a text is none.
        (
            "s = '''\ndef f(:\n'''\ndef g():\n    return (1\n\ndef h(): pass\n",
            vec![format!("5: {unclosed}")],
            "?g s h",
        ),
    ] {
        let (problems, names) = read(text);
        assert_eq!((problems, names.as_str()), (expected, defined), "{text}");
    }
}
