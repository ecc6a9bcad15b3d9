//! Element groups: random programs over single elements of tensors.

mod random;

use random::{Dice, same_in_groups};
use rushlight::Tensor;
use rushlight::types::Value;
use std::fmt::Write;

/// What these programs are made of.
trait Parts {
    fn index(&mut self) -> String;
    fn element(&mut self) -> String;
    fn tensor(&mut self, depth: usize) -> String;
    fn statement(&mut self, out: &mut String);
}

impl Parts for Dice {
    fn index(&mut self) -> String {
        let one = [
            "i", "j", "0", "1", "-1", "i + 1", "j - 1", "i - j", "2", "k",
        ];
        self.pick(&one).to_string()
    }

    /// An element, of float32 more often than not.
    fn element(&mut self) -> String {
        let (i, j) = (self.index(), self.index());
        match self.roll(12) {
            0..=4 => format!("a[{i}, {j}]"),
            5 => format!("a[{i}][{j}]"),
            6 => format!("a.t()[{j}, {i}]"),
            7 => format!("b[{i}]"),
            8 => format!("c[{i}]"),
            9 => format!("d[{i}, {j}]"),
            10 => format!("e[{i}]"),
            _ => "z".to_string(),
        }
    }

    fn tensor(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.element();
        }
        let x = self.tensor(depth - 1);
        let y = match self.roll(3) {
            0 => self.tensor(depth - 1),
            1 => self.element(),
            _ => self
                .pick(&[
                    "2", "0.5", "i", "-3", "1e30", "1e300", "16777217", "v", "0.1",
                ])
                .to_string(),
        };
        match self.roll(9) {
            0 | 1 => format!("({x} + {y})"),
            2 => format!("({x} - {y})"),
            3 | 4 => format!("({x} * {y})"),
            5 => format!("({x} / {y})"),
            6 => format!("torch.maximum({x}, {})", self.element()),
            7 => format!("min({x}, {})", self.element()),
            _ => format!("(-{x}).abs()"),
        }
    }

    fn statement(&mut self, out: &mut String) {
        let target = self.element();
        let (x, depth) = (self.element(), self.roll(3));
        let t = self.tensor(depth);
        let comparison = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let bound = self.pick(&["0.1", "1", "i", "v", "b[0]", "c[1]"]);
        let line = match self.roll(12) {
            0 | 1 if target != "z" => format!("{target} = {t}"),
            2 if target != "z" => format!("{target} += {t}"),
            3 if target != "z" => format!(
                "{target} = {}",
                self.pick(&["i", "v", "2.5", "7", "n * 2", "True"])
            ),
            4 => format!("v = float({t})"),
            5 => format!("n += int({x})"),
            6 => format!("if {x} {comparison} {bound}:\n            n += 1"),
            7 => format!("if bool({t} {comparison} {bound}):\n            v = v * 0.5"),
            8 => format!("s = {x}.item()\n        v = v + float(s)"),
            9 => format!("z = {t}"),
            10 => format!("m = {x}\n        m += 1\n        v = v + float(m)"),
            _ => format!("while bool({x} < -100) and k < 3:\n            k += 1"),
        };
        let _ = writeln!(out, "        {line}");
    }
}

fn program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut source = String::from(
        "import torch
from torch import Tensor

def f(a: Tensor, b: Tensor, c: Tensor, d: Tensor, e: Tensor, n: int, v: float):
    z = torch.zeros([])
    k = 0
    for i in range(3):
        j = (i * 2) % 3
",
    );
    for _ in 0..1 + dice.roll(7) {
        dice.statement(&mut source);
    }
    source.push_str("    return a, b, c, d, e, z, n, v, k\n");
    source
}

fn arguments(_seed: u64) -> Vec<Value> {
    let tensor = |t: rushlight::tensor::Result<Tensor>| Value::Tensor(t.expect("sizes that fit"));
    let a: Vec<f32> = (0..12).map(|i| (i as f32 - 5.0) * 0.37).collect();
    vec![
        tensor(Tensor::from_slice(&a, &[3, 4])),
        tensor(Tensor::from_slice(&[1.5f32, f32::NAN, -0.0, 3e38], &[4])),
        tensor(Tensor::from_slice(&[3i64, -7, i64::MAX, 0], &[4])),
        tensor(Tensor::from_slice(
            &[0.1f64, -2.0, 1e300, 4.0, 5.5, 0.0, 1.0, 2.0, 3.0],
            &[3, 3],
        )),
        tensor(Tensor::from_slice(&[200u8, 3, 4], &[3])),
        Value::Int(5),
        Value::Float(0.25),
    ]
}

#[test]
fn groups_do_what_their_instructions_do() {
    same_in_groups(program, arguments);
}
