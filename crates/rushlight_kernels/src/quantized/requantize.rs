//! From the exact sums of a layer to its results. How often a number is rounded on the way, and where to, decides the last
//! step of a result; here is the order in which the reference does it.
//!
//! Sums come in rows, with a number for each output channel.

use super::packed::{Convolution, Weights};
use crate::isa::multiversion;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Result, watch};

/// Most groups of a convolution that is rounded step by step.
const MOST_GROUPS: i64 = 100;

/// The greatest integer of a result.
const GREATEST: f32 = 255.0;

/// How sums become integers in the scale of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// The sum times the scale of the input, times that of the weight, plus bias, over the scale of the output, plus zero
    /// point: every step rounds to float32. Convolutions are computed so where weights have no zero points.
    Steps,
    /// The sum and the bias in the unit of the sum, times one multiplier.
    Joint,
}

impl Rounding {
    /// How a convolution rounds.
    pub fn of_convolution(layer: &Convolution) -> Rounding {
        let padded = layer.output_padding.iter().any(|p| *p != 0);
        if layer.weights.is_symmetric() && layer.groups <= MOST_GROUPS && !padded {
            Rounding::Steps
        } else {
            Rounding::Joint
        }
    }
}

/// The scales of a layer's input and output, and the zero point of the output.
#[derive(Clone, Copy)]
pub struct Scales {
    pub input: f64,
    pub output: f64,
    pub zero_point: i64,
}

/// The integers that rows of sums become, none below the zero point with `relu`.
pub fn requantize(
    sums: &[i32],
    weights: &Weights,
    channels: usize,
    rounding: Rounding,
    scales: &Scales,
    relu: bool,
) -> Result<Vec<u8>> {
    let (weight, bias) = (weights.scales(channels), weights.biases(channels)?);
    let weight: Vec<f32> = weight.into_iter().map(|scale| scale as f32).collected();
    let zero = scales.zero_point as f32;
    let floor = if relu { zero.clamp(0.0, GREATEST) } else { 0.0 };
    let mut out = memory::filled(sums.len(), 0u8);
    if rounding == Rounding::Steps {
        let steps = Steps {
            // The reference keeps inverses of scales in float32.
            input: 1.0 / (1.0 / scales.input) as f32,
            output: (1.0 / scales.output) as f32,
            zero,
            floor,
        };
        rows(sums, &mut out, channels, |sums, out| {
            steps_of_row(sums, &weight, &bias, steps, out)
        });
        return Ok(out);
    }
    let unit: Vec<f32> = weight.iter().map(|w| scales.input as f32 * w).collected();
    let output = scales.output as f32;
    let multiplier: Vec<f32> = unit.iter().map(|unit| unit / output).collected();
    if weights.has_one_scale() {
        let factor: Vec<f32> = unit.iter().map(|unit| 1.0 / unit).collected();
        rows(sums, &mut out, channels, |sums, out| {
            scaled_row(sums, [&bias, &factor, &multiplier], zero, floor, out)
        });
    } else {
        let bias: Vec<f32> = bias.iter().zip(&unit).map(|(b, unit)| b / unit).collected();
        rows(sums, &mut out, channels, |sums, out| {
            joint_row(sums, &bias, &multiplier, [zero, floor], out)
        });
    }
    Ok(out)
}

/// As [`requantize`], but the results are numbers.
pub fn rescale(
    sums: &[i32],
    weights: &Weights,
    channels: usize,
    input_scale: f64,
    relu: bool,
) -> Result<Vec<f32>> {
    let (weight, bias) = (weights.scales(channels), weights.biases(channels)?);
    let unit: Vec<f32> = weight
        .into_iter()
        .map(|scale| input_scale as f32 * scale as f32)
        .collected();
    let floor = if relu { 0.0 } else { f32::NEG_INFINITY };
    let mut out = memory::filled(sums.len(), 0f32);
    rows(sums, &mut out, channels, |sums, out| {
        numbers_of_row(sums, &unit, &bias, floor, out)
    });
    Ok(out)
}

/// Calls `row` with every row of sums and of results.
fn rows<T>(sums: &[i32], out: &mut [T], channels: usize, mut row: impl FnMut(&[i32], &mut [T])) {
    let channels = channels.max(1);
    for (sums, out) in sums.chunks(channels).zip(out.chunks_mut(channels)) {
        watch::poll();
        row(sums, out);
    }
}

/// What [`Rounding::Steps`] needs beside the weight's scales and the bias.
#[derive(Clone, Copy)]
struct Steps {
    input: f32,
    output: f32,
    zero: f32,
    floor: f32,
}

multiversion! {
    fn steps_of_row(sums: &[i32], weight: &[f32], bias: &[f32], steps: Steps, out: &mut [u8]) = run_steps
}

#[inline(always)]
fn run_steps<const FUSED: bool>(
    sums: &[i32],
    weight: &[f32],
    bias: &[f32],
    steps: Steps,
    out: &mut [u8],
) {
    let n = out.len();
    let (sums, weight, bias) = (&sums[..n], &weight[..n], &bias[..n]);
    for i in 0..n {
        let number = sums[i] as f32 * steps.input * weight[i] + bias[i];
        let step = (number * steps.output + steps.zero).round_ties_even();
        out[i] = step.clamp(steps.floor, GREATEST) as u8;
    }
}

multiversion! {
    fn joint_row(sums: &[i32], bias: &[f32], multiplier: &[f32], bounds: [f32; 2], out: &mut [u8]) = run_joint
}

#[inline(always)]
fn run_joint<const FUSED: bool>(
    sums: &[i32],
    bias: &[f32],
    multiplier: &[f32],
    [zero, floor]: [f32; 2],
    out: &mut [u8],
) {
    let n = out.len();
    let (sums, bias, multiplier) = (&sums[..n], &bias[..n], &multiplier[..n]);
    for i in 0..n {
        let scaled = (sums[i] as f32 + bias[i]) * multiplier[i];
        out[i] = (scaled.round_ties_even() + zero).clamp(floor, GREATEST) as u8;
    }
}

multiversion! {
    fn scaled_row(sums: &[i32], parts: [&[f32]; 3], zero: f32, floor: f32, out: &mut [u8]) = run_scaled
}

/// As [`run_joint`], where a factor brings the bias to the unit of the sum in the addition's one rounding.
#[inline(always)]
fn run_scaled<const FUSED: bool>(
    sums: &[i32],
    [bias, factor, multiplier]: [&[f32]; 3],
    zero: f32,
    floor: f32,
    out: &mut [u8],
) {
    let n = out.len();
    let (sums, bias) = (&sums[..n], &bias[..n]);
    let (factor, multiplier) = (&factor[..n], &multiplier[..n]);
    for i in 0..n {
        let scaled = bias[i].mul_add(factor[i], sums[i] as f32) * multiplier[i];
        out[i] = (scaled.round_ties_even() + zero).clamp(floor, GREATEST) as u8;
    }
}

multiversion! {
    fn numbers_of_row(sums: &[i32], unit: &[f32], bias: &[f32], floor: f32, out: &mut [f32]) = run_numbers
}

#[inline(always)]
fn run_numbers<const FUSED: bool>(
    sums: &[i32],
    unit: &[f32],
    bias: &[f32],
    floor: f32,
    out: &mut [f32],
) {
    let n = out.len();
    let (sums, unit, bias) = (&sums[..n], &unit[..n], &bias[..n]);
    for i in 0..n {
        let number = (sums[i] as f32).mul_add(unit[i], bias[i]);
        out[i] = if number < floor { floor } else { number };
    }
}
