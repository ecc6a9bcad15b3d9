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
        fault.message().starts_with("Could not run 'aten::exp.out'"),
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

/// A quantized tensor of these integers.
fn of_integers(cx: &Context, integers: Tensor, scale: f64, zero_point: i64) -> Tensor {
    let arguments = vec![
        Value::Tensor(integers),
        Value::Float(scale),
        Value::Int(zero_point),
    ];
    one(cx, "aten::_make_per_tensor_quantized_tensor", arguments)
}

/// A convolution of one pixel with one channel, packed.
fn one_weight(cx: &Context, integer: i8, scale: f64) -> Value {
    let weight = Tensor::from_slice(&[integer], &[1, 1, 1, 1]).unwrap();
    let pair = |v: i64| Value::IntList(vec![v, v].into());
    let arguments = vec![
        Value::Tensor(of_integers(cx, weight, scale, 0)),
        Value::None,
        pair(1),
        pair(0),
        pair(1),
        Value::Int(1),
    ];
    call(cx, "quantized::conv2d_prepack", arguments)
        .unwrap()
        .remove(0)
}

#[test]
fn convolutions_round_at_every_step_and_linear_layers_once() {
    let cx = Context::silent();
    let output = [Value::Float(0.02), Value::Int(100)];
    let x = Tensor::from_slice(&[0u8], &[1, 1, 1, 1]).unwrap();
    let x = Value::Tensor(of_integers(&cx, x, 0.05, 30));
    let arguments = [vec![x, one_weight(&cx, 115, 0.004)], output.to_vec()].concat();
    assert_eq!(stored(&one(&cx, "quantized::conv2d.new", arguments)), [66]);

    let x = Tensor::from_slice(&[0u8], &[1, 1]).unwrap();
    let x = Value::Tensor(of_integers(&cx, x, 0.05, 30));
    let weight = Tensor::from_slice(&[115i8], &[1, 1]).unwrap();
    let weight = Value::Tensor(of_integers(&cx, weight, 0.004, 0));
    let packed = call(&cx, "quantized::linear_prepack", vec![weight, Value::None]).unwrap();
    let arguments = [vec![x], packed, output.to_vec()].concat();
    assert_eq!(stored(&one(&cx, "quantized::linear", arguments)), [65]);
}

#[test]
fn dynamic_convolutions_keep_within_the_range_of_their_input() {
    let cx = Context::silent();
    let x = Tensor::from_slice(&[1.0f32, -3.0], &[1, 1, 1, 2]).unwrap();
    let arguments = vec![
        Value::Tensor(x),
        one_weight(&cx, -100, 0.01),
        Value::Bool(false),
    ];
    let out: Vec<f32> = one(&cx, "quantized::conv2d_dynamic", arguments).to_vec();
    assert!(
        out.iter()
            .zip([-1.0039, 1.0039])
            .all(|(a, b)| (a - b).abs() < 1e-4)
    );
}

#[test]
fn sums_in_vectors_round_otherwise_than_those_of_single_numbers() {
    let cx = Context::silent();
    let a = Tensor::from_slice(&[8u8; 65], &[65]).unwrap();
    let b = Tensor::from_slice(&[28u8; 65], &[65]).unwrap();
    let arguments = vec![
        Value::Tensor(of_integers(&cx, a, 0.005, 131)),
        Value::Tensor(of_integers(&cx, b, 0.13, 19)),
        Value::Float(0.03),
        Value::Int(5),
    ];
    let sums = stored(&one(&cx, "quantized::add", arguments));
    assert_eq!(sums[..64], [24; 64]);
    assert_eq!(sums[64], 23);
}

#[test]
fn activations_of_other_dtypes_are_refused() {
    let cx = Context::silent();
    let x = Tensor::from_slice(&[0i32], &[1, 1, 1, 1]).unwrap();
    let x = Value::Tensor(of_integers(&cx, x, 0.05, 30));
    let arguments = vec![
        x,
        one_weight(&cx, 115, 0.004),
        Value::Float(0.02),
        Value::Int(0),
    ];
    let fault = call(&cx, "quantized::conv2d.new", arguments).unwrap_err();
    assert!(fault.message().contains("8 bits"), "{}", fault.message());
}
