//! Literal cases for schemas and types.

use super::*;

/// Schemas of every shape that the reference declares, one of each kind of type, alias, default and ending.
const SCHEMAS: &str = r#"
aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
aten::add.t(t[] a, t[] b) -> t[]
aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)
aten::Delete.Dict_str(Dict(str, t)(a!) self, str key) -> ()
aten::_set_item.Tensor(Dict(Tensor, t)(a!) l, Tensor(b -> *) idx, t(c -> *) v) -> ()
aten::items.str(Dict(str, t) self) -> ((str, t)[])
aten::__getitem__.t(t[](a) list, int idx) -> t(*)
aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]
aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]
aten::wait(Future(t) self) -> t
aten::to_here(RRef(t) self, float timeout=60.) -> t(*)
aten::owner(RRef(t) self) -> __torch__.torch.classes.dist_rpc.WorkerInfo
prim::awaitable_wait(Await(t) self) -> t
aten::format(str self, ...) -> str
aten::has_torch_function(...) -> bool
prim::Print(...) -> ()
prim::PythonOp(...) -> ...
prim::TupleUnpack(Any tup) -> ...
prim::IfThenElse(bool cond, Any(a) x, Any(b) y) -> Any(b|a)
prim::IgnoredPythonOp(...) -> NoneType
prim::BailOut(...) -> Tensor(a)
aten::strip(str self, str chars=" \n\t\f\v") -> str
aten::splitlines(str self, bool keepends=False) -> str[]
aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor
aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor
aten::conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], str padding="valid", SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor
aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=[0, 0], int[2] dilation=[1, 1], bool ceil_mode=False) -> Tensor
aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor
aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)
aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
aten::max.dim_max(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) max, Tensor(b!) max_values) -> (Tensor(a!) values, Tensor(b!) indices)
aten::rand.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::isclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, bool equal_nan=False) -> Tensor
aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None) -> Tensor
aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor
aten::tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
quantized::conv2d_unpack(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> (Tensor unpacked_weights, Tensor? B_origin)
onednn::qlinear_pointwise.tensor(Tensor qx, Scalar?[] post_op_args, str post_op_algorithm) -> Tensor
quantized::mul_scalar_relu.Tensor(Tensor qa, Tensor b) -> Tensor qc
f(Tensor x, int n, str s="d", float[]? xs=None) -> Tensor
__torch__.M.forward(__torch__.M self, Tensor x) -> Tensor
f(Dict(str, Tensor) d, (int, Tensor) t, Union(int, str) u) -> ((int, str))
f(int[] x=[], Tensor? y=None, bool b=True, str s="\"\'\\") -> ()
aten::f(ScalarType dtype=long, MemoryFormat m=contiguous_format, float x=inf, float y=-inf, float z=nan, complex c=1j) -> ()
aten::f(int[] a=[0, 1], (int, int) b=(1, 2), str[] c=["x", "y"]) -> (Tensor, ...)
"#;

/// Types as printed graphs spell them.
const TYPES: &[&str] = &[
    "Tensor",
    "int[]",
    "int?",
    "int[]?",
    "int?[]",
    "int[][]",
    "(Tensor, int)",
    "(int, (str, float, bool))[]",
    "()",
    "Dict(str, int)",
    "Dict(int, Dict(str, Tensor[]))",
    "Future[Tensor]",
    "RRef[Tensor]",
    "Await(Tensor)",
    "Union(int[], int, str)",
    "Union[int, str]",
    "Optional[int]",
    "Enum<__torch__.Color>",
    "NoneType",
    "Function",
    "Device",
    "NamedTuple(x : int, y : int)",
    "NamedTuple(left : Tensor, right : int[]?)",
    "__torch__.M",
    "__torch__.___torch_mangle_0.Sub",
    "__torch__.torch.classes.x.Y",
    "AnyEnumType",
    "Any[]",
    "Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)",
    "Long(requires_grad=0, device=cpu)",
    "Float(6, strides=[1], requires_grad=0, device=cuda:0)",
    "Double(*, *, device=cpu)",
    "Float(SS(-1), 3)",
    "Float()",
    "Float(2:3, 3:1)",
    "Bool(2)[]",
    "Tensor(requires_grad=1)",
    "Tensor(a!)[]",
    "Tensor(a)?",
    "t(*)",
];

#[test]
fn schemas_print_back_identically() {
    for line in SCHEMAS.trim().lines() {
        assert_eq!(
            parse_schema(line)
                .map(|schema| schema.to_string())
                .as_deref(),
            Ok(line)
        );
    }
}

#[test]
fn types_print_back_identically() {
    for text in TYPES {
        assert_eq!(
            parse_type(text).map(|ty| ty.to_string()).as_deref(),
            Ok(*text)
        );
    }
}

fn named(name: &str) -> TypeSyntax {
    TypeSyntax::plain(TypeKind::Named(name.to_owned()))
}

#[test]
fn names_split_at_the_overload() {
    let check = |text: &str, name: &str, overload: &str| {
        let schema = parse_schema(text).unwrap();
        assert_eq!(
            (schema.name.as_str(), schema.overload.as_str()),
            (name, overload)
        );
    };
    check("aten::add.Tensor() -> ()", "aten::add", "Tensor");
    check(
        "prim::ModuleContainerIndex.dict() -> ()",
        "prim::ModuleContainerIndex",
        "dict",
    );
    check("__torch__.M.forward() -> ()", "__torch__.M.forward", "");
    check("f() -> ()", "f", "");
}

#[test]
fn aliases_belong_to_the_type_before_them() {
    let element = |alias: &str| TypeSyntax {
        alias: Some(AliasSyntax {
            before: vec![alias.to_owned()],
            after: None,
            is_write: false,
        }),
        ..named("Tensor")
    };
    assert_eq!(
        parse_type("Tensor(a)[]").unwrap(),
        TypeSyntax::plain(TypeKind::List(Box::new(element("a")), None))
    );
    let list = parse_type("Tensor[](b! -> b|c)").unwrap();
    assert_eq!(list.kind, TypeKind::List(Box::new(named("Tensor")), None));
    let sets = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    let alias = AliasSyntax {
        before: sets(&["b"]),
        after: Some(sets(&["b", "c"])),
        is_write: true,
    };
    assert_eq!(list.alias, Some(alias));
}

#[test]
fn keyword_only_arguments_and_endings_are_marked() {
    let schema = parse_schema("aten::f(int a, *, int b, int c=1) -> (int x, int)").unwrap();
    let kwarg_only: Vec<bool> = schema.args.iter().map(|arg| arg.kwarg_only).collect();
    assert_eq!(kwarg_only, [false, true, true]);
    assert_eq!(schema.args[2].default, Some(DefaultSyntax::Int(1)));
    assert_eq!(schema.returns[0].name.as_deref(), Some("x"));
    assert!(!schema.is_vararg && !schema.is_varret);
    let schema = parse_schema("aten::f(int a, ...) -> ...").unwrap();
    assert!(schema.is_vararg && schema.is_varret && schema.returns.is_empty());
}

#[test]
fn defaults_have_their_values() {
    let default = |text: &str| {
        parse_schema(&format!("f(t x={text}) -> ()")).map(|schema| schema.args[0].default.clone())
    };
    let value = |text: &str| default(text).unwrap().unwrap();
    assert_eq!(value("-3"), DefaultSyntax::Int(-3));
    assert_eq!(
        value("1.0000000000000001e-05"),
        DefaultSyntax::Float {
            value: 1e-5,
            text: "1.0000000000000001e-05".into()
        }
    );
    assert_eq!(
        value("-inf"),
        DefaultSyntax::Float {
            value: f64::NEG_INFINITY,
            text: "-inf".into()
        }
    );
    assert_eq!(
        value("99999999999999999999"),
        DefaultSyntax::Float {
            value: 1e20,
            text: "99999999999999999999".into()
        }
    );
    assert_eq!(value("infinite"), DefaultSyntax::Named("infinite".into()));
    assert_eq!(value("'a\\101\\n'"), DefaultSyntax::Str("aA\n".into()));
    assert_eq!(
        value("[None, True]"),
        DefaultSyntax::List(vec![DefaultSyntax::None, DefaultSyntax::Bool(true)])
    );
    assert!(default("1.2.3").is_err());
    assert!(default("\"a").is_err());
}

#[test]
fn a_prefix_tells_how_much_it_took() {
    let (ty, length) = parse_type_prefix("Dict(str, int) = prim::DictConstruct()").unwrap();
    assert_eq!((ty.to_string().as_str(), length), ("Dict(str, int)", 14));
    let (ty, length) = parse_type_prefix("Tensor, %y : int").unwrap();
    assert_eq!((ty, length), (named("Tensor"), 6));
}

#[test]
fn an_only_star_in_a_graph_is_a_dimension() {
    for (text, sizes) in [("Tensor(*)", 1), ("Tensor()", 0), ("Tensor(*, *)", 2)] {
        let (ty, length) = parse_type_prefix(text).unwrap();
        assert_eq!(length, text.len());
        match ty.kind {
            TypeKind::Tensor(tensor) => assert_eq!(tensor.sizes.unwrap_or_default().len(), sizes),
            _ => panic!("{text} is {ty}"),
        }
    }
    assert!(parse_type_prefix("Tensor(a)").unwrap().0.alias.is_some());
    assert!(parse_type("Tensor(*)").unwrap().alias.is_some());
}

#[test]
fn blanks_may_stand_between_tokens() {
    let schema = parse_schema("f(int [ 2 ] x, int [ ] y, Tensor (a ! )? z) -> int ?").unwrap();
    assert_eq!(
        schema.to_string(),
        "f(int[2] x, int[] y, Tensor(a!)? z) -> int?"
    );
}

#[test]
fn errors_mark_the_place() {
    let shown = |text: &str| parse_schema(text).unwrap_err().to_string();
    assert_eq!(
        shown("op(Tensor) ->"),
        "expected ident but found ')' here:\nop(Tensor) ->\n         ~ <--- HERE\n"
    );
    assert_eq!(
        shown("op(int x"),
        "expected ) but found 'eof' here:\nop(int x"
    );
    assert_eq!(
        shown("op(int x yes) -> int"),
        "expected ) but found 'ident' here:\nop(int x yes) -> int\n         ~~~ <--- HERE\n"
    );
}

#[test]
fn bad_text_is_refused_where_it_is_wrong() {
    let offset = |text: &str| parse_schema(text).unwrap_err().offset;
    assert_eq!(offset("aten::f(int x -> int"), 14);
    assert_eq!(offset("aten::f(int x) -> int y z"), 24);
    for text in [
        "",
        "(",
        "aten::f",
        "aten::f(",
        "aten::f()",
        "aten::f() ->",
        "aten::f(3) -> ()",
        "aten::f(int[99999999999] x) -> ()",
    ] {
        assert!(parse_schema(text).is_err(), "{text}");
    }
    for text in [
        "",
        "int[",
        "Dict(str",
        "(int",
        "Float(2, =)",
        "Tensor(a!",
        "int x",
        "1",
        "Enum<",
        "é é",
    ] {
        assert!(parse_type(text).is_err(), "{text}");
    }
}

#[test]
fn nesting_is_bounded() {
    for unit in [
        "(",
        "Dict(",
        "Future[",
        "Enum<",
        "NamedTuple(x : ",
        "int[] (",
        "Tensor?",
    ] {
        assert!(parse_type(&unit.repeat(100_000)).is_err(), "{unit}");
    }
    assert!(parse_type(&format!("int{}", "[]".repeat(100_000))).is_err());
    assert!(parse_schema(&format!("f(t x={}", "[".repeat(100_000))).is_err());
    assert!(parse_type(&format!("int{}", "[]".repeat(16))).is_ok());
}
