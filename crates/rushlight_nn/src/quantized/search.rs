//! The range of a table's numbers that loses least when they are stored in few bits, found by narrowing it step by step.

use rushlight_tensor::{Fault, Result, Tensor, watch};
use rushlight_types::{op, operators};

operators! {
    /// The search.
    pub static ROWS = [
        op!("aten::choose_qparams_optimized(Tensor input, int numel, int n_bins, float ratio, int bit_width) -> (Tensor, Tensor)", choose),
    ];
}

/// What is lost, in the square mean, when numbers are stored in steps of a range.
fn loss(numbers: &[f32], least: f32, greatest: f32, bits: u32) -> f32 {
    let steps = ((1u64 << bits) - 1) as f32;
    let scale = (greatest - least) / steps;
    let inverse = if scale == 0.0 { 1.0 } else { 1.0 / scale };
    let mut sum = 0f32;
    for number in numbers {
        let step = ((number - least) * inverse).round_ties_even();
        let lost = number - (scale * step.clamp(0.0, steps) + least);
        sum += lost * lost;
    }
    sum.sqrt()
}

fn choose(
    input: &Tensor,
    count: i64,
    bins: i64,
    ratio: f64,
    bits: i64,
) -> Result<(Tensor, Tensor)> {
    let numbers: Vec<f32> = input.to_vec();
    let numbers = usize::try_from(count).ok().and_then(|n| numbers.get(..n));
    let (Some(numbers), 1..=31) = (numbers, bits) else {
        return Err(Fault::runtime(
            "choose_qparams_optimized takes no more numbers than the tensor has, and 1 to 31 bits",
        ));
    };
    let bits = bits as u32;
    let (Some(&first), true) = (numbers.first(), bins > 0) else {
        return Err(Fault::runtime(
            "choose_qparams_optimized takes at least one number and one bin",
        ));
    };
    let (mut least, mut greatest) = numbers
        .iter()
        .fold((first, first), |(low, high), v| (low.min(*v), high.max(*v)));
    let step = (greatest - least) / bins as f32;
    // However much may be left out, ranges do not turn around.
    let narrowest = (bins as f32 * (1.0 - ratio as f32) * step).max(0.0);
    let mut current = loss(numbers, least, greatest, bits);
    let mut best = (current, least, greatest);
    while least + narrowest < greatest {
        watch::poll();
        let (higher, lower) = (least + step, greatest - step);
        if higher == least || lower == greatest {
            break;
        }
        let from_below = loss(numbers, higher, greatest, bits);
        let from_above = loss(numbers, least, lower, bits);
        if current < from_below && current < from_above && current < best.0 {
            best = (current, least, greatest);
        }
        if from_below < from_above {
            (least, current) = (higher, from_below);
        } else {
            (greatest, current) = (lower, from_above);
        }
    }
    let bound = |value: f32| Tensor::from_slice(&[value], &[1]);
    Ok((bound(best.2)?, bound(best.1)?))
}
