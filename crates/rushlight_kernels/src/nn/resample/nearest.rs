//! The nearest pixel.

use rushlight_tensor::by_width;
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

/// The units, of so many bytes each, of a row at these places.
pub fn take(from: &[u8], unit: usize, places: &[usize], out: &mut [u8]) {
    if matches!(unit, 1 | 2 | 4 | 8 | 16) {
        return by_width!(unit, N => take_elements::<N>(from, places, out));
    }
    for (out, place) in out.chunks_exact_mut(unit.max(1)).zip(places) {
        out.copy_from_slice(&from[place * unit..][..unit]);
    }
}

fn take_elements<const N: usize>(from: &[u8], places: &[usize], out: &mut [u8]) {
    let from = from.as_chunks::<N>().0;
    for (out, place) in out.as_chunks_mut::<N>().0.iter_mut().zip(places) {
        *out = from[*place];
    }
}
