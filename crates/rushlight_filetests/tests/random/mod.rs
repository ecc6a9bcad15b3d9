//! Random programs whose instructions are done in groups or one by one: results and errors are the same, to the bit.

use rushlight::types::{Layer, Value};
use rushlight::{Context, DType, Script};
use std::fmt::Write;

/// A small generator of pseudo-random numbers (xorshift), so that failures repeat.
pub struct Dice(u64);

impl Dice {
    /// A generator for a seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    /// One of some texts.
    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

/// What holds after a call: the result or the error, and the bits of all tensors.
fn outcome(script: &Script, given: &[Value]) -> String {
    let result = script.call("f", given);
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
        // Integers may have more digits than a float.
        Value::Tensor(t) if t.dtype() == DType::I64 => format!(" {:?}", t.to_vec::<i64>()),
        Value::Tensor(t) => {
            let mut told = format!("{:?} {:?} {:?}", t.dtype(), t.sizes(), t.strides());
            for number in t.to_vec::<f64>() {
                let _ = write!(told, " {:x}", number.to_bits());
            }
            told
        }
        _ => String::new(),
    }
}

/// Runs functions `f` of random programs on what `arguments` gives, with a layer that watches calls, which lets none be
/// grouped, and without.
pub fn same_in_groups(program: fn(u64) -> String, arguments: fn(u64) -> Vec<Value>) {
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
        let expected = outcome(&script, &arguments(seed));
        script.context().set_layer(Layer::Profile, false);
        failed += usize::from(expected.starts_with('!'));
        // With gradients on and off, and again as machine code may.
        for turn in 0..3 {
            script.context().set_grad_enabled(turn > 0);
            assert_eq!(
                outcome(&script, &arguments(seed)),
                expected,
                "seed {seed}, turn {turn}\n{source}"
            );
        }
        script.context().set_grad_enabled(true);
    }
    println!("{seed} programs, {refused} refused, {failed} failed");
    assert!(refused * 10 < seed as usize, "{refused} programs are none");
}
