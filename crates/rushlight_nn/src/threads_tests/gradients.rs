//! Gradients of layers have the same bits for any number of threads.

use super::{random, same_bits};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{DType, Tensor};
use rushlight_types::{Context, Value};

/// The results of a call, one after the other.
fn all(name: &str, arguments: Vec<Value>) -> Tensor {
    let operator = crate::table().find(name).expect("an operator");
    let results = operator.call_vec(&Context::silent(), arguments).unwrap();
    let tensors = results.iter().filter_map(|r| r.as_tensor().ok());
    let values: Vec<f64> = tensors.flat_map(|t| t.to_vec::<f64>()).collected();
    let count = [values.len()];
    Tensor::from_vec(values, &count).unwrap()
}

fn wanted(count: usize) -> Value {
    Value::BoolList(memory::filled(count, true).into())
}

#[test]
fn norms() {
    let tensor = |sizes: &[usize], seed| Value::Tensor(random(sizes, DType::F32, seed));
    let (grad, rows) = (tensor(&[300, 513], 40), tensor(&[300, 513], 41));
    let (mean, scale) = (tensor(&[300, 1], 42), tensor(&[300, 1], 43));
    let weight = tensor(&[513], 44);
    same_bits("native_layer_norm_backward", || {
        let size = Value::IntList(memory::filled(1, 513).into());
        let kept = [mean.clone(), scale.clone(), weight.clone(), Value::None];
        let given = [grad.clone(), rows.clone(), size];
        let arguments = given.into_iter().chain(kept).chain([wanted(3)]);
        all("aten::native_layer_norm_backward", arguments.collected())
    });
    let (grad, x) = (tensor(&[5, 24, 40, 41], 45), tensor(&[5, 24, 40, 41], 46));
    let (mean, scale) = (tensor(&[5, 4], 47), tensor(&[5, 4], 48));
    let weight = tensor(&[24], 49);
    same_bits("native_group_norm_backward", || {
        let given = [&grad, &x, &mean, &scale, &weight].map(Value::clone);
        let sizes = [5, 24, 40 * 41, 4].map(Value::Int);
        let arguments = given.into_iter().chain(sizes).chain([wanted(3)]);
        all("aten::native_group_norm_backward", arguments.collected())
    });
    same_bits("native_batch_norm_backward", || {
        let given = [
            grad.clone(),
            x.clone(),
            weight.clone(),
            Value::None,
            Value::None,
        ];
        let kept = [
            weight.clone(),
            weight.clone(),
            Value::Bool(true),
            Value::Float(1e-5),
        ];
        let arguments = given.into_iter().chain(kept).chain([wanted(3)]);
        all("aten::native_batch_norm_backward", arguments.collected())
    });
}

#[test]
fn samples() {
    let tensor = |sizes: &[usize], seed| Value::Tensor(random(sizes, DType::F32, seed));
    let grad = tensor(&[5, 12, 40, 41], 50);
    let (image, grid) = (tensor(&[5, 12, 33, 31], 51), tensor(&[5, 40, 41, 2], 52));
    for mode in 0..3 {
        same_bits(&format!("grid_sampler_2d_backward {mode}"), || {
            let given = [grad.clone(), image.clone(), grid.clone()];
            let manner = [
                Value::Int(mode),
                Value::Int(2),
                Value::Bool(false),
                wanted(2),
            ];
            let arguments = given.into_iter().chain(manner);
            all("aten::grid_sampler_2d_backward", arguments.collected())
        });
    }
}

/// The gates and the gradients of a layer of LSTM, forwards and backwards in time.
#[test]
fn layers_of_lstm() {
    let tensor = |sizes: &[usize], seed| Value::Tensor(random(sizes, DType::F32, seed));
    let (steps, batch, features, hidden) = (7, 40, 60, 130);
    let x = tensor(&[steps, batch, features], 60);
    let weights = [
        tensor(&[4 * hidden, features], 61),
        tensor(&[4 * hidden, hidden], 62),
        tensor(&[4 * hidden], 63),
        tensor(&[4 * hidden], 64),
    ];
    let states = [65, 66].map(|seed| tensor(&[batch, hidden], seed));
    let grads = [
        tensor(&[steps, batch, hidden], 67),
        tensor(&[batch, hidden], 68),
        tensor(&[batch, hidden], 69),
    ];
    let (no, yes) = (Value::Bool(false), Value::Bool(true));
    let none = Value::IntList(Vec::<i64>::new().into());
    for reverse in [false, true] {
        let run = || {
            let sizes = [2, hidden as i64, 1].map(Value::Int);
            let operator = crate::table().find("aten::mkldnn_rnn_layer").unwrap();
            let arguments = [x.clone()].into_iter().chain(weights.clone());
            let arguments = arguments.chain(states.clone());
            let arguments = arguments.chain([Value::Bool(reverse), none.clone()]);
            let arguments = arguments.chain(sizes.clone());
            let flags = [yes.clone(), no.clone(), no.clone(), yes.clone()];
            let results = operator
                .call_vec(&Context::silent(), arguments.chain(flags).collected())
                .unwrap();
            let given = [x.clone()].into_iter().chain(weights.clone());
            let given = given.chain(states.clone());
            let given = given.chain(results[..3].iter().cloned());
            let given = given.chain(grads.clone()).chain([Value::Bool(reverse)]);
            let flags = [
                yes.clone(),
                yes.clone(),
                no.clone(),
                none.clone(),
                no.clone(),
            ];
            let given = given.chain(sizes).chain(flags);
            let given = given.chain([results[3].clone()]).collected();
            all("aten::mkldnn_rnn_layer_backward", given)
        };
        same_bits(&format!("mkldnn_rnn_layer {reverse}"), run);
    }
}
