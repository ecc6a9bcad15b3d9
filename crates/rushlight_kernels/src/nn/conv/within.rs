//! The range that results of a convolution are brought into as they are written: what a rectifier after it would do in
//! another pass over memory.

use crate::isa::multiversion;

/// A range of numbers. What is not a number stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Within {
    pub low: f32,
    pub high: f32,
}

impl Within {
    /// Results stay as they are.
    pub const ALL: Within = Within {
        low: f32::NEG_INFINITY,
        high: f32::INFINITY,
    };

    /// A number brought into the range.
    #[inline(always)]
    pub fn at(self, x: f32) -> f32 {
        let x = if x < self.low { self.low } else { x };
        if x > self.high { self.high } else { x }
    }

    /// Brings numbers into the range.
    pub fn apply(self, numbers: &mut [f32]) {
        if self != Within::ALL {
            bring(numbers, self);
        }
    }
}

multiversion! {
    fn bring(numbers: &mut [f32], within: Within) = bring_body
}

#[inline(always)]
fn bring_body<const FUSED: bool>(numbers: &mut [f32], within: Within) {
    for x in numbers {
        *x = within.at(*x);
    }
}

#[cfg(test)]
mod tests {
    use super::Within;
    use crate::nn::conv::forward::{compute, compute_within};
    use crate::nn::conv::geometry::Geometry;
    use rushlight_tensor::Tensor;

    fn numbers(count: usize, sizes: &[usize]) -> Tensor {
        let numbers = (0..count).map(|i| (i * 37 % 127) as f32 / 64.0 - 1.0);
        Tensor::from_vec(numbers.collect::<Vec<f32>>(), sizes).unwrap()
    }

    /// Input channels, output channels, groups, kernel, stride, size: one of each kernel.
    const SHAPES: &[[usize; 6]] = &[
        [16, 16, 1, 3, 1, 24],
        [3, 16, 1, 3, 1, 20],
        [8, 24, 1, 3, 2, 9],
        [16, 24, 1, 1, 1, 12],
        [300, 16, 1, 1, 1, 16],
        [16, 24, 1, 1, 1, 5],
        [6, 6, 6, 3, 1, 17],
        [6, 6, 6, 5, 2, 17],
        [6, 6, 6, 7, 1, 17],
        [64, 96, 1, 3, 1, 3],
        [4, 4, 2, 3, 3, 8],
        [16, 24, 1, 1, 1, 1],
    ];

    #[test]
    fn results_within_a_range_are_those_that_a_rectifier_would_give() {
        for &[inputs, outputs, groups, kernel, stride, size] in SHAPES {
            let around = kernel / 2;
            let geometry = Geometry {
                dims: 2,
                batch: 2,
                groups,
                in_channels: inputs,
                out_channels: outputs,
                input: [1, size, size],
                kernel: [1, kernel, kernel],
                stride: [1, stride, stride],
                before: [0, around, around],
                after: [0, around, around],
                dilation: [1; 3],
                output_padding: [0; 3],
                transposed: false,
            };
            let x = numbers(2 * inputs * size * size, &[2, inputs, size, size]);
            let each = inputs / groups;
            let w = numbers(
                outputs * each * kernel * kernel,
                &[outputs, each, kernel, kernel],
            );
            let bias = numbers(outputs, &[outputs]);
            let sizes = geometry.output_sizes().unwrap();
            for within in [
                Within::ALL,
                Within {
                    low: 0.0,
                    ..Within::ALL
                },
                Within {
                    low: -0.25,
                    high: 0.5,
                },
            ] {
                // Weights are packed from the second call on.
                for _ in 0..3 {
                    let plain = compute::<f32>(&geometry, &x, &w, Some(&bias), &sizes).unwrap();
                    let some = compute_within(&geometry, &x, &w, Some(&bias), &sizes, within);
                    let want: Vec<f32> =
                        plain.data::<f32>().iter().map(|x| within.at(*x)).collect();
                    assert_eq!(some.unwrap().to_vec::<f32>(), want, "{inputs} to {outputs}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_a_number_stays() {
        let mut numbers = [f32::NAN, -1.0, 7.0, f32::INFINITY];
        Within {
            low: 0.0,
            high: 6.0,
        }
        .apply(&mut numbers);
        assert!(numbers[0].is_nan());
        assert_eq!(numbers[1..], [0.0, 6.0, 6.0]);
    }
}
