//! Facts about elementwise operators that depend on how definition, iterator and table work together.

use crate::table;
use rushlight_tensor::{DType, MemoryFormat, Scalar, Tensor};
use rushlight_types::{Context, Value};

fn run(name: &str, arguments: Vec<Value>) -> Result<Tensor, String> {
    let operator = table().find(name).expect("the row exists");
    let results = operator
        .call_vec(&Context::silent(), arguments)
        .map_err(|fault| fault.message().to_string())?;
    Ok(results[0].as_tensor().unwrap().clone())
}

fn vector(values: &[f32]) -> Value {
    Value::Tensor(Tensor::from_slice(values, &[values.len()]).unwrap())
}

fn integers(values: &[i64]) -> Value {
    Value::Tensor(Tensor::from_slice(values, &[values.len()]).unwrap())
}

#[test]
fn alpha_scales_the_second_operand() {
    let sum = run(
        "aten::add.Tensor",
        vec![vector(&[1.0, 2.0]), vector(&[3.0, 4.0]), Value::Int(2)],
    );
    assert_eq!(sum.unwrap().to_vec::<f32>(), [7.0, 10.0]);
    let refused = run(
        "aten::add.Tensor",
        vec![integers(&[1]), integers(&[1]), Value::Float(1.5)],
    );
    assert_eq!(
        refused.unwrap_err(),
        "For integral input tensors, argument alpha must not be a floating point number."
    );
}

#[test]
fn numbers_lift_integers_only_by_category() {
    let sum = run(
        "aten::add.Scalar",
        vec![integers(&[1, 2]), Value::Float(0.5), Value::Int(1)],
    )
    .unwrap();
    assert_eq!(
        (sum.dtype(), sum.to_vec::<f32>()),
        (DType::F32, vec![1.5, 2.5])
    );
    let bytes = Value::Tensor(Tensor::from_slice(&[250u8], &[1]).unwrap());
    let sum = run(
        "aten::add.Scalar",
        vec![bytes, Value::Int(300), Value::Int(1)],
    )
    .unwrap();
    assert_eq!((sum.dtype(), sum.to_vec::<u8>()), (DType::U8, vec![38]));
}

#[test]
fn quotients_of_integers_are_floats_but_not_in_place() {
    let quotient = run("aten::div.Tensor", vec![integers(&[3]), integers(&[2])]).unwrap();
    assert_eq!(
        (quotient.dtype(), quotient.to_vec::<f32>()),
        (DType::F32, vec![1.5])
    );
    assert_eq!(
        run("aten::div_.Scalar", vec![integers(&[3]), Value::Int(2)]).unwrap_err(),
        "result type Float can't be cast to the desired output type Long"
    );
}

#[test]
fn integer_division_by_zero_is_refused() {
    for name in [
        "aten::floor_divide.Scalar",
        "aten::remainder.Scalar",
        "aten::fmod.Scalar",
    ] {
        assert_eq!(
            run(name, vec![integers(&[3]), Value::Int(0)]).unwrap_err(),
            "ZeroDivisionError"
        );
    }
}

#[test]
fn floor_division_rounds_down_on_both_sides_of_zero() {
    let divide = |a, b| run("aten::floor_divide", vec![a, b]).unwrap();
    assert_eq!(
        divide(integers(&[-7, 7]), integers(&[2, -2])).to_vec::<i64>(),
        [-4, -4]
    );
    assert_eq!(
        divide(vector(&[-7.5, 1.0]), vector(&[2.0, 0.1])).to_vec::<f32>(),
        [-4.0, 9.0]
    );
}

#[test]
fn in_place_forms_return_the_very_tensor() {
    let x = vector(&[-1.0, 2.0]);
    let result = run("aten::relu_", vec![x.clone()]).unwrap();
    assert!(result.is(x.as_tensor().unwrap()));
    assert_eq!(result.to_vec::<f32>(), [0.0, 2.0]);
}

#[test]
fn in_place_forms_write_through_views() {
    let base = Tensor::zeros(&[2, 3], DType::F32).unwrap();
    let column = base.select(1, 1).unwrap();
    run(
        "aten::add_.Scalar",
        vec![Value::Tensor(column), Value::Int(5), Value::Int(1)],
    )
    .unwrap();
    assert_eq!(base.to_vec::<f32>(), [0.0, 5.0, 0.0, 0.0, 5.0, 0.0]);
}

#[test]
fn channels_last_survives_activations() {
    let image = Tensor::full(&[1, 3, 2, 2], Scalar::Float(-1.0), DType::F32)
        .unwrap()
        .contiguous_in(MemoryFormat::ChannelsLast)
        .unwrap();
    let out = run("aten::relu", vec![Value::Tensor(image)]).unwrap();
    assert_eq!(out.strides(), [12, 1, 6, 3]);
}

#[test]
fn given_tensors_are_resized_and_checked() {
    let out = Tensor::zeros(&[0], DType::F32).unwrap();
    run(
        "aten::exp.out",
        vec![vector(&[0.0, 1.0]), Value::Tensor(out.clone())],
    )
    .unwrap();
    assert_eq!(out.sizes(), [2]);
    let whole = Tensor::zeros(&[2], DType::I64).unwrap();
    assert_eq!(
        run(
            "aten::exp.out",
            vec![vector(&[0.0, 1.0]), Value::Tensor(whole)]
        )
        .unwrap_err(),
        "result type Float can't be cast to the desired output type Long"
    );
}

#[test]
fn every_row_parses_and_is_there_once() {
    let mut texts: Vec<&str> = super::FAMILIES
        .iter()
        .flat_map(|rows| rows.iter())
        .map(|op| op.text)
        .collect();
    for rows in super::FAMILIES {
        for operator in *rows {
            assert_eq!(operator.schema().to_string(), operator.text);
        }
    }
    let all = texts.len();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), all);
}
