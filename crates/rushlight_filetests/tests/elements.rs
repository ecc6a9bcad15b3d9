//! Element groups: random programs over single elements of tensors give the same, to the bit, whether their instructions are
//! done in groups or one by one. A layer that watches calls lets none be grouped.

use rushlight::types::{Layer, Value};
use rushlight::{Context, Scalar, Script, Tensor};
use std::fmt::Write;

/// A small generator of pseudo-random numbers (xorshift), so that failures repeat.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }

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
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
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

fn arguments() -> Vec<Value> {
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

/// What holds after a call: the result or the error, and the bits of all tensors.
fn outcome(script: &Script) -> String {
    let given = arguments();
    let result = script.call("f", &given);
    let mut told = match result {
        Ok(value) => format!("{value:?} {}", bits(&value)),
        Err(fault) => format!("! {fault}"),
    };
    given.iter().for_each(|g| told.push_str(&bits(g)));
    told
}

fn bits(value: &Value) -> String {
    match value {
        Value::Tuple(tuple) => tuple.items.iter().map(bits).collect(),
        Value::Float(f) => format!(" {:x}", f.to_bits()),
        Value::Tensor(t) => {
            let numbers = (0..t.numel()).map(|i| {
                let flat = t.contiguous();
                let all = flat.reshape(&[-1]);
                match all
                    .and_then(|a| a.select(0, i as i64))
                    .and_then(|x| x.item())
                {
                    Ok(Scalar::Float(f)) => format!(" {:x}", f.to_bits()),
                    other => format!(" {other:?}"),
                }
            });
            format!("{:?}{}", t.dtype(), numbers.collect::<String>())
        }
        _ => String::new(),
    }
}

#[test]
fn groups_do_what_their_instructions_do() {
    let seconds = std::env::var("RUSHLIGHT_FUZZ_SECONDS").ok();
    let seconds: u64 = seconds.and_then(|s| s.parse().ok()).unwrap_or(0);
    let end = std::time::Instant::now() + std::time::Duration::from_secs(seconds);
    let (mut seed, mut refused, mut failed) = (1, 0, 0);
    while seed <= 300 || std::time::Instant::now() < end {
        let source = program(seed);
        seed += 1;
        let Ok(script) = rushlight::compile(&source) else {
            refused += 1;
            continue;
        };
        let script = script.with_context(Context::silent().into());
        script.context().set_layer(Layer::Profile, true);
        let expected = outcome(&script);
        script.context().set_layer(Layer::Profile, false);
        failed += usize::from(expected.starts_with('!'));
        // With gradients on and off, and again as machine code may.
        for turn in 0..3 {
            script.context().set_grad_enabled(turn > 0);
            assert_eq!(
                outcome(&script),
                expected,
                "seed {seed}, turn {turn}\n{source}"
            );
        }
        script.context().set_grad_enabled(true);
    }
    println!("{seed} programs, {refused} refused, {failed} failed");
    assert!(refused * 10 < seed as usize, "{refused} programs are none");
}
