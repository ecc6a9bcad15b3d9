//! The nearest pixel.

use rushlight_tensor::memory::Collected;

/// Which input position an output position takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The position's start, scaled and rounded down.
    Start,
    /// The position's centre, scaled and rounded down.
    Center,
}

/// The input position of every output position; computed in f32, as the reference does.
pub fn places(rule: Rule, input: usize, output: usize, factor: Option<f64>) -> Vec<usize> {
    let step = match factor.filter(|f| *f > 0.0) {
        Some(factor) => (1.0 / factor) as f32,
        None => input as f32 / output as f32,
    };
    (0..output)
        .map(|o| {
            let place = match rule {
                Rule::Start if input == output => return o,
                Rule::Start if output == 2 * input => return o / 2,
                Rule::Start => (o as f32 * step).floor(),
                Rule::Center => ((o as f32 + 0.5) * step).floor(),
            };
            (place as usize).min(input - 1)
        })
        .collected()
}
