//! Chains of elementwise operators: random programs over tensors of sizes that broadcast.

mod random;

use random::{Dice, same_in_groups};
use rushlight::Tensor;
use rushlight::types::Value;
use std::fmt::Write;

const ONE: &[&str] = &[
    "torch.tanh({})",
    "torch.sigmoid({})",
    "torch.relu({})",
    "(-{})",
    "torch.abs({})",
    "torch.floor({})",
    "F.gelu({})",
    "F.gelu({}, approximate='tanh')",
    "F.silu({})",
    "torch.sqrt(torch.abs({}))",
    "({} ** 2)",
    "torch.clamp({}, -0.5, 0.5)",
    "torch.clamp({}, min=0.1)",
    "{}.clamp(max=v)",
    "F.leaky_relu({}, 0.2)",
    "F.softplus({})",
    "F.hardtanh({})",
    "({} * 0.5)",
    "({} + v)",
    "(1.0 - {})",
    "(2 / {})",
    "({} * n)",
    "(v - {})",
    "(1e300 + {})",
    "torch.isnan({})",
    "({} > 0.25)",
    "torch.logical_not({})",
];
const TWO: &[&str] = &[
    "({} + {})",
    "({} - {})",
    "({} * {})",
    "({} / {})",
    "torch.maximum({}, {})",
    "torch.add({}, {}, alpha=2)",
    "torch.sub({}, {}, alpha=v)",
    "torch.masked_fill({}, {} > 0.2, v)",
    "torch.where({} > 0, {}, 0.0)",
    "(({} > 0) & ({} < 1))",
    "({} == {})",
    "torch.lerp({}, {}, 0.3)",
    "({} + 1).mul_({})",
    "({} * 2).relu_()",
    "torch.tanh({}).add_({}, alpha=2)",
];

fn program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut source = String::from(
        "import torch
import torch.nn.functional as F
from torch import Tensor

def f(a: Tensor, b: Tensor, c: Tensor, v: float, n: int):
    for i in range(2):
",
    );
    let mut names = vec!["a".to_string(), "b".to_string(), "c".to_string()];
    for _ in 0..2 + dice.roll(8) {
        let mut line = match dice.roll(2) {
            0 => dice.pick(ONE).to_string(),
            _ => dice.pick(TWO).to_string(),
        };
        while line.contains("{}") {
            let name = names[dice.roll(names.len())].clone();
            line = line.replacen("{}", &name, 1);
        }
        // Some names are given again.
        let name = match dice.roll(4) {
            0 => names[dice.roll(names.len())].clone(),
            _ => format!("t{}", names.len()),
        };
        let _ = writeln!(source, "        {name} = {line}");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let given = (0..3).map(|_| names[dice.roll(names.len())].clone());
    let given = given.collect::<Vec<_>>().join(", ");
    // What a loop has made is known behind it where it was known before.
    for name in names.iter().skip(3).rev() {
        let before = source.find("    for i").unwrap_or(0);
        source.insert_str(before, &format!("    {name} = a\n"));
    }
    let _ = writeln!(source, "    return {given}");
    source
}

/// Sizes of three tensors.
const SIZES: &[[&[usize]; 3]] = &[
    [&[4], &[4], &[1]],
    [&[3, 5], &[5], &[3, 1]],
    [&[3, 5], &[3, 5], &[5]],
    [&[2, 3, 40], &[40], &[2, 3, 1]],
    [&[2, 3, 40], &[3, 40], &[1, 1, 1]],
    [&[130, 70], &[70], &[130, 1]],
    [&[3, 3000], &[3000], &[3, 1]],
    [&[40_000], &[40_000], &[1]],
    [&[1, 7], &[7], &[1, 1]],
    [&[0, 4], &[4], &[1, 4]],
    [&[6], &[2, 6], &[2, 1]],
    [&[], &[3], &[3]],
    [&[5, 1], &[5, 1], &[1, 4]],
    [&[2, 3, 4, 5], &[3, 1, 1], &[2, 3, 1, 1]],
    [&[2, 3, 40, 50], &[1, 3, 1, 1], &[3, 1, 1]],
    [&[2, 3, 1], &[3, 1], &[1, 3, 1]],
    [&[5, 3, 90], &[3, 1], &[1, 3, 1]],
    [&[64, 300], &[64, 1], &[64, 1]],
];

fn arguments(seed: u64) -> Vec<Value> {
    let mut dice = Dice::new(seed);
    let sizes = SIZES[dice.roll(SIZES.len())];
    let mut values: Vec<Value> = Vec::new();
    for sizes in sizes {
        let n: usize = sizes.iter().product();
        let numbers: Vec<f32> = (0..n)
            .map(|i| ((i * 7 % 23) as f32 - 11.0) * 0.17)
            .collect();
        let tensor = match dice.roll(8) {
            0 => Tensor::from_slice(
                &numbers.iter().map(|x| f64::from(*x)).collect::<Vec<_>>(),
                sizes,
            ),
            1 if sizes.len() == 2 => {
                // Rows that lie apart.
                let twice: Vec<f32> = numbers.iter().flat_map(|x| [*x, -x]).collect();
                let whole = Tensor::from_slice(&twice, &[sizes[0], 2 * sizes[1]]);
                whole.and_then(|whole| whole.narrow(1, sizes[1] / 2, sizes[1]))
            }
            _ => Tensor::from_slice(&numbers, sizes),
        };
        values.push(Value::Tensor(tensor.expect("sizes that fit")));
    }
    values.push(Value::Float([0.5, -2.0, 1e30, f64::NAN][dice.roll(4)]));
    values.push(Value::Int(3));
    values
}

#[test]
fn chains_do_what_their_operators_do() {
    same_in_groups(program, arguments);
}
