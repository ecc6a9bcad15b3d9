//! Convolutions with what follows them: random layers, done at once and operator by operator.

mod random;

use random::{Dice, same_in_groups};
use rushlight::Tensor;
use rushlight::types::Value;
use std::fmt::Write;

const ACTIVATIONS: &[&str] = &[
    "y = torch.relu(y)",
    "y = torch.relu_(y)",
    "y = torch.nn.functional.relu6(y)",
    "y = torch.nn.functional.silu(y)",
    "y = torch.nn.functional.hardswish(y)",
    "y = torch.nn.functional.leaky_relu(y, 0.1)",
    "y = torch.nn.functional.gelu(y)",
    "y = torch.sigmoid(y)",
    "y = torch.tanh(y)",
    "y = torch.clamp(y, -0.5, 0.5)",
];

const OTHERS: &[&str] = &[
    "y = norm.run(y)",
    "y = norm.run(y)",
    "y = torch.batch_norm(y, norm.weight, norm.bias, norm.mean, norm.var, flag, 0.1, 1e-3, False)",
    "y = torch.batch_norm(y, None, None, norm.mean, norm.var, False, 0.1, 1e-5, False)",
    "y = y + z",
    "y = z + y",
    "y += z",
    "y = y + z * 2",
    "y = y + y",
    "y = torch.add(y, z, alpha=2)",
    "u = y",
    "z = y",
];

fn program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut source = String::from(
        "import torch
from torch import Tensor

class Norm:
    def __init__(self, s: Tensor, training: bool):
        self.weight = s
        self.bias = s * 0.5
        self.mean = s - 0.25
        self.var = s * s + 0.5
        self.training = training
        self.count = 0

    def run(self, x: Tensor) -> Tensor:
        if x.dim() != 4:
            raise ValueError('expected 4D input (got {}D input)'.format(x.dim()))
        if self.training:
            self.count += 1
        return torch.batch_norm(x, self.weight, self.bias, self.mean, self.var, self.training, 0.1, 1e-5, False)

def f(x: Tensor, z: Tensor, w: Tensor, b: Tensor, s: Tensor, flag: bool, training: bool):
    norm = Norm(s, training)
    u = z
    y = x
    for i in range(2):
",
    );
    let mut line = |text: &str| {
        let _ = writeln!(source, "        {text}");
    };
    for _ in 0..1 + dice.roll(2) {
        line(match dice.roll(3) {
            0 => "y = torch.conv2d(y, w, b, [1, 1], [1, 1], [1, 1], 1)",
            1 => "y = torch.conv2d(x, w, None, 1, 1)",
            _ => {
                "y = torch._convolution(x, w, b, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, False, False, False, False)"
            }
        });
        for _ in 0..dice.roll(4) {
            line(match dice.roll(2) {
                0 => dice.pick(ACTIVATIONS),
                _ => dice.pick(OTHERS),
            });
        }
    }
    source + "    return y, u, z, norm.count, norm.mean\n"
}

fn arguments(seed: u64) -> Vec<Value> {
    let mut dice = Dice::new(seed);
    let (channels, size) = ([4, 16, 19][dice.roll(3)], [3, 7, 12][dice.roll(3)]);
    let mut tensor = |sizes: &[usize], step: usize| {
        let n: usize = sizes.iter().product();
        let numbers = (0..n).map(|i| ((i * step % 23) as f32 - 11.0) * 0.07);
        let numbers: Vec<f32> = numbers.collect();
        let made = match dice.roll(12) {
            0 => {
                let wide: Vec<f64> = numbers.iter().map(|x| f64::from(*x)).collect();
                Tensor::from_slice(&wide, sizes)
            }
            _ => Tensor::from_slice(&numbers, sizes),
        };
        Value::Tensor(made.expect("sizes that fit"))
    };
    let map = [2, channels, size, size];
    let mut values = vec![
        tensor(&map, 7),
        tensor(&map, 5),
        tensor(&[channels, channels, 3, 3], 3),
        tensor(&[channels], 9),
        tensor(&[channels], 4),
    ];
    values.push(Value::Bool(dice.roll(4) == 0));
    values.push(Value::Bool(dice.roll(4) == 0));
    values
}

#[test]
fn layers_do_what_their_operators_do() {
    same_in_groups(program, arguments);
}
