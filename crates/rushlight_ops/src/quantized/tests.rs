//! Facts about quantized operators, with numbers that the reference gave.

use crate::table;
use rushlight_tensor::{Result, Tensor};
use rushlight_types::{Context, Value};

fn call(cx: &Context, name: &str, arguments: Vec<Value>) -> Result<Vec<Value>> {
    let operator = table().find(name).expect("an operator");
    operator.call_vec(cx, arguments)
}

fn one(cx: &Context, name: &str, arguments: Vec<Value>) -> Tensor {
    match call(cx, name, arguments).unwrap().remove(0) {
        Value::Tensor(t) => t,
        other => panic!("{name} gave {other:?}"),
    }
}

fn quantized(cx: &Context, values: &[f32], scale: f64, zero_point: i64, dtype: i64) -> Tensor {
    let x = Tensor::from_slice(values, &[1, values.len()]).unwrap();
    let arguments = vec![
        Value::Tensor(x),
        Value::Float(scale),
        Value::Int(zero_point),
        Value::Int(dtype),
    ];
    one(cx, "aten::quantize_per_tensor", arguments)
}

fn stored(x: &Tensor) -> Vec<i64> {
    x.stored().to_vec()
}

const QINT8: i64 = 12;
const QUINT8: i64 = 13;

#[test]
fn bounded_functions_have_scales_of_their_own() {
    let cx = Context::silent();
    let x = quantized(&cx, &[-3.4, -3.5, -0.8, 2.5, 2.1, 1.0], 0.1, 60, QUINT8);
    let sigmoid = one(&cx, "aten::sigmoid", vec![Value::Tensor(x.clone())]);
    assert_eq!(stored(&sigmoid), [8, 8, 79, 237, 228, 187]);
    assert_eq!(sigmoid.quantizer().unwrap().channel(0), (1.0 / 256.0, 0.0));
    let tanh = one(&cx, "aten::tanh", vec![Value::Tensor(x)]);
    assert_eq!(stored(&tanh), [0, 0, 43, 254, 252, 225]);
}

#[test]
fn views_and_copies_keep_the_scale() {
    let cx = Context::silent();
    let x = quantized(&cx, &[0.6, 1.3, -0.5], 0.1, 3, QINT8);
    let shape = Value::IntList(vec![3].into());
    let view = one(&cx, "aten::view", vec![Value::Tensor(x.clone()), shape]);
    assert!(view.shares_storage(&x));
    assert_eq!(
        view.dequantized().to_vec::<f32>(),
        x.dequantized().to_vec::<f32>()
    );
    let both = Value::TensorList(vec![x.clone(), x.clone()].into());
    let joined = one(&cx, "aten::cat", vec![both, Value::Int(0)]);
    assert_eq!(joined.sizes(), [2, 3]);
    assert_eq!(joined.quantizer(), x.quantizer());
}

#[test]
fn in_place_functions_write_the_integers() {
    let cx = Context::silent();
    let x = quantized(&cx, &[0.6, -0.5], 0.1, 3, QINT8);
    let out = one(&cx, "aten::relu_", vec![Value::Tensor(x.clone())]);
    assert!(out.is(&x));
    assert_eq!(stored(&x), [9, 3]);
}

#[test]
fn operators_without_a_rule_refuse() {
    let cx = Context::silent();
    let x = quantized(&cx, &[0.6, -0.5], 0.1, 3, QINT8);
    let fault = call(&cx, "aten::exp", vec![Value::Tensor(x)]).unwrap_err();
    assert!(
        fault.message().starts_with("Could not run 'aten::exp'"),
        "{}",
        fault.message()
    );
}

#[test]
fn a_linear_layer_is_exact_and_unpacks() {
    let cx = Context::silent();
    let x = quantized(&cx, &[1.0, -2.0], 0.5, 10, QUINT8);
    let weight = quantized(&cx, &[0.5, 0.25], 0.25, 0, QINT8);
    let bias = Tensor::from_slice(&[0.75f32], &[1]).unwrap();
    let pack = vec![Value::Tensor(weight), Value::Tensor(bias)];
    let packed = call(&cx, "quantized::linear_prepack", pack)
        .unwrap()
        .remove(0);
    let arguments = vec![
        Value::Tensor(x),
        packed.clone(),
        Value::Float(0.25),
        Value::Int(7),
    ];
    // 0.5 * 1 - 0.25 * 2 + 0.75 = 0.75, which is three steps of the output's scale.
    assert_eq!(stored(&one(&cx, "quantized::linear", arguments)), [10]);
    let parts = call(&cx, "quantized::linear_unpack", vec![packed]).unwrap();
    assert_eq!(parts.len(), 2);
}
