//! Arguments from outside. The messages are the reference's for `f(Tensor x, int n, str s="d")` and the like.

use rushlight_runtime::invoke::{bind, value_as};
use rushlight_tensor::Tensor;
use rushlight_types::{Schema, Type, Value};

const F: &str = "f(Tensor x, int n, str s=\"d\") -> int";

fn schema(text: &str) -> Schema {
    Schema::parse(text).unwrap()
}

fn x() -> Value {
    Value::Tensor(Tensor::from_vec(vec![1.0f32], &[1]).unwrap())
}

/// The bound arguments after the tensor, or the message.
fn bound(positional: &[Value], named: &[(&str, Value)]) -> String {
    let named: Vec<(String, Value)> = named
        .iter()
        .map(|(name, v)| (name.to_string(), v.clone()))
        .collect();
    match bind(&schema(F), positional, &named) {
        Ok(arguments) => format!("{:?}", &arguments[1..]),
        Err(fault) => fault.message().to_string(),
    }
}

#[test]
fn arguments_go_by_position_by_name_and_by_default() {
    assert_eq!(bound(&[x(), Value::Int(1)], &[]), "[1, \"d\"]");
    let named = [("s", Value::str("q")), ("n", Value::Bool(true)), ("x", x())];
    assert_eq!(bound(&[], &named), "[1, \"q\"]");
}

#[test]
fn missing_arguments_are_named_before_unknown_ones() {
    let missing = format!("f() is missing value for argument 'x'. Declaration: {F}");
    assert_eq!(bound(&[], &[]), missing);
    assert_eq!(bound(&[], &[("zz", Value::Int(2))]), missing);
}

#[test]
fn too_many_arguments_are_counted_with_the_named_ones() {
    let four = vec![x(), Value::Int(1), Value::str("a"), Value::Int(4)];
    let message =
        format!("f() expected at most 3 argument(s) but received 4 argument(s). Declaration: {F}");
    assert_eq!(bound(&four, &[]), message);
    let named = [("zz", Value::Int(2)), ("n", Value::Int(3))];
    assert_eq!(bound(&four[..2], &named), message);
}

#[test]
fn names_must_be_known_and_free() {
    assert_eq!(
        bound(&[x()], &[("n", Value::Int(1)), ("zz", Value::Int(2))]),
        format!("Unknown keyword argument 'zz' for operator 'f'. Schema: {F}")
    );
    assert_eq!(
        bound(&[x(), Value::Int(1)], &[("n", Value::Int(2))]),
        format!("Argument 'n' specified both as positional and keyword argument. Schema: {F}")
    );
}

#[test]
fn wrong_types_show_position_value_and_declaration() {
    assert_eq!(
        bound(&[x()], &[("n", Value::str("a"))]),
        format!(
            "f() Expected a value of type 'int' for argument 'n' but instead found type 'str'.\n\
             Position: 1\nValue: 'a'\nDeclaration: {F}"
        )
    );
    assert_eq!(
        bound(&[x(), Value::Int(1), Value::None], &[]),
        format!(
            "f() Expected a value of type 'str' for argument 's' but instead found type 'NoneType'.\n\
             Position: 2\nValue: None\nDeclaration: {F}"
        )
    );
}

/// What a value becomes for a formal type, `-` where it is refused.
fn as_type(value: Value, ty: &str) -> String {
    let ty = Type::parse(ty, &|_| None).unwrap();
    value_as(&value, &ty).map_or("-".to_string(), |v| format!("{v:?}: {}", v.type_of()))
}

#[test]
fn numbers_convert_where_nothing_is_lost() {
    assert_eq!(as_type(Value::Bool(true), "int"), "1: int");
    assert_eq!(as_type(Value::Float(1.0), "int"), "-");
    assert_eq!(as_type(Value::Int(1), "float"), "1.: float");
    assert_eq!(as_type(Value::Float(0.0), "bool"), "False: bool");
    assert_eq!(as_type(Value::Int(1), "Tensor"), "-");
    assert_eq!(as_type(x(), "float"), "1.: float");
    assert_eq!(as_type(Value::None, "int?"), "None: NoneType");
    assert_eq!(as_type(Value::Float(1.5), "int?"), "-");
}

#[test]
fn containers_take_the_representation_of_their_type() {
    let mixed = || Value::tuple(vec![Value::Int(1), Value::Float(2.5)]);
    assert_eq!(as_type(mixed(), "float[]"), "[1., 2.5]: List[float]");
    assert_eq!(as_type(mixed(), "int[]"), "-");
    assert_eq!(
        as_type(mixed(), "(float, float)"),
        "(1., 2.5): Tuple[float, float]"
    );
    assert_eq!(as_type(mixed(), "(int, float, int)"), "-");
    let nested = Value::tuple(vec![Value::from(vec![1, 2])]);
    assert_eq!(
        as_type(nested, "float[][]"),
        "[[1., 2.]]: List[List[float]]"
    );
}

#[test]
fn a_list_of_the_right_type_stays_the_same_list() {
    let list = Value::from(vec![1i64, 2]);
    let ty = Type::list(Type::Int);
    assert!(value_as(&list, &ty).unwrap().is_same(&list));
}
