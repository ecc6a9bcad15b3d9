//! Winograd's convolution against sums in f64, and against the direct convolution.

use super::super::after::After;
use super::super::geometry::Geometry;
use super::super::panel;
use super::{Filters, Job, Phases, suits};
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::threads;

/// Numbers between -1 and 1 that look random.
fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn geometry(inputs: usize, outputs: usize, size: [usize; 2], around: [usize; 4]) -> Geometry {
    Geometry {
        dims: 2,
        batch: 1,
        groups: 1,
        in_channels: inputs,
        out_channels: outputs,
        input: [1, size[0], size[1]],
        kernel: [1, 3, 3],
        stride: [1; 3],
        before: [0, around[0], around[1]],
        after: [0, around[2], around[3]],
        dilation: [1; 3],
        output_padding: [0; 3],
        transposed: false,
    }
}

/// The sums in f64, each also with the sizes of its terms.
fn exact(g: &Geometry, x: &[f32], w: &[f32], bias: &[f32]) -> Vec<f64> {
    let [_, height, width] = g.output().unwrap();
    let [_, rows, columns] = g.input;
    let mut out = Vec::new();
    for k in 0..g.out_channels {
        for y in 0..height {
            for x0 in 0..width {
                let mut sum = f64::from(bias[k]);
                for c in 0..g.in_channels {
                    for t in 0..9 {
                        let (row, column) = (y + t / 3, x0 + t % 3);
                        if row < g.before[1] || column < g.before[2] {
                            continue;
                        }
                        let (row, column) = (row - g.before[1], column - g.before[2]);
                        if row < rows && column < columns {
                            let value = x[(c * rows + row) * columns + column];
                            sum += f64::from(value) * f64::from(w[(k * g.in_channels + c) * 9 + t]);
                        }
                    }
                }
                out.push(sum);
            }
        }
    }
    out
}

/// The results of both kernels.
fn both(g: &Geometry, x: &[f32], w: &[f32], bias: &[f32]) -> (Vec<f32>, bool, Vec<f32>) {
    let output = g.output().unwrap();
    let count = g.out_channels * output[1] * output[2];
    let (mut points, mut direct) = (vec![7.0; count], vec![7.0; count]);
    let mut image = Phases::default();
    image.fill(g, x, output);
    let finite = Job {
        image: &image,
        output,
        filters: &Filters::new(w, g.in_channels),
        bias: Some(bias),
        after: After::NOTHING,
    }
    .run(&mut points);
    panel::Job {
        geometry: g,
        image: x,
        output,
        weights: w,
        depth: g.in_channels * 9,
        bias: Some(bias),
        after: After::NOTHING,
    }
    .run(&mut direct);
    (points, finite, direct)
}

fn worst(found: &[f32], exact: &[f64]) -> f64 {
    let errors = found
        .iter()
        .zip(exact)
        .map(|(a, b)| (f64::from(*a) - b).abs());
    errors.fold(0.0, f64::max)
}

/// Root of the mean square error.
fn mean(found: &[f32], exact: &[f64]) -> f64 {
    let squares = found
        .iter()
        .zip(exact)
        .map(|(a, b)| (f64::from(*a) - b).powi(2));
    (squares.sum::<f64>() / found.len() as f64).sqrt()
}

const SHAPES: &[(usize, usize, [usize; 2], [usize; 4])] = &[
    (16, 16, [24, 24], [1; 4]),
    (16, 17, [9, 70], [1; 4]),
    (19, 40, [13, 11], [0; 4]),
    (64, 64, [14, 14], [1; 4]),
    (33, 16, [5, 6], [2; 4]),
    (16, 24, [4, 130], [1, 0, 2, 3]),
    (128, 32, [12, 12], [1; 4]),
    (16, 16, [3, 3], [0; 4]),
];

#[test]
fn results_are_the_sums_and_their_errors_those_of_the_direct_kernel_times_a_few() {
    if isa() == Isa::Baseline {
        return;
    }
    for &(inputs, outputs, size, around) in SHAPES {
        let g = geometry(inputs, outputs, size, around);
        let x = numbers(inputs * size[0] * size[1], 3);
        let (w, bias) = (numbers(outputs * inputs * 9, 5), numbers(outputs, 7));
        let want = exact(&g, &x, &w, &bias);
        let (points, finite, direct) = both(&g, &x, &w, &bias);
        assert!(finite);
        let name = format!("{inputs} to {outputs} of {size:?}");
        assert!(worst(&direct, &want) < 1e-4, "{name}, direct");
        assert!(
            worst(&points, &want) <= 10.0 * worst(&direct, &want),
            "{name}: {} {}",
            worst(&points, &want),
            worst(&direct, &want)
        );
        assert!(
            mean(&points, &want) <= 5.0 * mean(&direct, &want),
            "{name}: {} {}",
            mean(&points, &want),
            mean(&direct, &want)
        );
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    if isa() == Isa::Baseline {
        return;
    }
    let before = threads::count();
    for &(inputs, outputs, size, around) in SHAPES {
        let g = geometry(inputs, outputs, size, around);
        let x = numbers(inputs * size[0] * size[1], 11);
        let (w, bias) = (numbers(outputs * inputs * 9, 13), numbers(outputs, 17));
        let results: Vec<Vec<f32>> = [1, 2, 3, 5]
            .iter()
            .map(|count| {
                threads::set_count(*count);
                both(&g, &x, &w, &bias).0
            })
            .collect();
        assert!(results.iter().all(|r| *r == results[0]));
    }
    threads::set_count(before);
}

#[test]
fn what_is_not_finite_is_noticed() {
    if isa() == Isa::Baseline {
        return;
    }
    let g = geometry(16, 16, [20, 20], [1; 4]);
    let (w, bias) = (numbers(16 * 16 * 9, 5), numbers(16, 7));
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
        for place in [0, 16 * 400 - 1, 777] {
            let mut x = numbers(16 * 400, 3);
            x[place] = value;
            x[(place + 1) % (16 * 400)] = value;
            assert!(!both(&g, &x, &w, &bias).1, "{value} at {place}");
        }
    }
}

#[test]
fn small_convolutions_are_added_up_directly() {
    let of = |inputs, outputs, size| {
        let g = geometry(inputs, outputs, size, [1; 4]);
        suits(&g, g.output().unwrap())
    };
    assert!(!of(3, 64, [96, 96]));
    assert!(!of(512, 512, [7, 7]));
    assert_eq!(of(16, 16, [96, 96]), isa() != Isa::Baseline);
}
