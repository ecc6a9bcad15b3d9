//! What happens to the results of a convolution as they are written: what operators after it would do in more ways through
//! memory.

use super::silu;
use super::within::{AtHand, Within};
use crate::isa::multiversion;
use crate::pointwise::activation::of_layers;
use crate::pointwise::definition::Slices1;
use crate::vector::Vector;
use rushlight_tensor::Scalar;

/// So many results go through a function at a time.
const AT_ONCE: usize = 256;

/// As many for which it is worth making room for no more.
const FEW: usize = 96;

/// Functions that kernels can do in vectors of their own.
#[derive(Clone, Copy, PartialEq)]
pub enum Known {
    /// Not this one.
    Nothing,
    /// `x hardsigmoid(x)`.
    HardSwish,
    /// `x sigmoid(x)`.
    Silu,
}

/// A function that every result goes through, and its numbers.
#[derive(Clone, Copy)]
pub struct Function<'a> {
    pub each: Slices1<f32, f32>,
    pub numbers: &'a [Scalar],
    /// What kernels know of it.
    pub known: Known,
}

impl Function<'_> {
    /// Puts results through the function, `N` at a time.
    fn apply<const N: usize>(&self, results: &mut [f32]) {
        let mut sums = [0f32; N];
        for results in results.chunks_mut(N) {
            let sums = &mut sums[..results.len()];
            sums.copy_from_slice(results);
            (self.each)(results, sums, self.numbers);
        }
    }
}

/// First other numbers are added, then results are brought into a range, then they go through a function.
#[derive(Clone, Copy)]
pub struct After<'a> {
    /// One number for every result.
    pub added: Option<&'a [f32]>,
    pub within: Within,
    pub function: Option<Function<'a>>,
}

impl<'a> After<'a> {
    /// Results stay as they are.
    pub const NOTHING: After<'static> = After {
        added: None,
        within: Within::ALL,
        function: None,
    };

    /// What a fused layer does by its activation's name, its algorithm's and its numbers; `None` where there is none such.
    pub fn of(name: &str, algorithm: Option<&str>, numbers: &'a [Scalar]) -> Option<After<'a>> {
        let within = |low, high| Within { low, high };
        let number = |i: usize| numbers[i].to_f64() as f32;
        let name = match (name, algorithm) {
            ("gelu", Some("tanh")) => "gelu_tanh",
            ("gelu_tanh", _) => return None,
            (name, _) => name,
        };
        let mut after = After::NOTHING;
        match (name, numbers.len()) {
            ("none", 0) => {}
            ("relu", 0) => after.within = within(0.0, f32::INFINITY),
            ("hardtanh", 2) => after.within = within(number(0), number(1)),
            ("leaky_relu", 1) | (_, 0) => {
                let each = of_layers(name)?;
                let known = match name {
                    "hardswish" => Known::HardSwish,
                    "swish" => Known::Silu,
                    _ => Known::Nothing,
                };
                after.function = Some(Function {
                    each,
                    numbers,
                    known,
                });
            }
            _ => return None,
        }
        Some(after)
    }

    /// What is left for some of the results.
    pub fn part(self, first: usize, count: usize) -> After<'a> {
        After {
            added: self.added.map(|added| &added[first..first + count]),
            ..self
        }
    }

    /// What is left where the numbers have been added.
    pub fn without_sum(self) -> After<'a> {
        After {
            added: None,
            ..self
        }
    }

    /// The range that kernels bring results into while they have them at hand: that of all numbers where something comes
    /// first.
    pub fn at_hand(&self) -> Within {
        match self.added {
            Some(_) => Within::ALL,
            None => self.within,
        }
    }

    /// What kernels can do in registers, and what is left to [`After::finish`] then.
    pub fn split(self) -> (AtHand, After<'a>) {
        let hardswish =
            self.added.is_none() && self.function.is_some_and(|f| f.known == Known::HardSwish);
        let at_hand = AtHand {
            within: self.at_hand(),
            hardswish,
        };
        let function = if hardswish { None } else { self.function };
        (at_hand, After { function, ..self })
    }

    /// Whether there is anything that [`After::at_hand`] leaves to do.
    pub fn is_left(&self) -> bool {
        self.added.is_some() || self.function.is_some()
    }

    /// Does what [`After::at_hand`] leaves to do, to results of which the first has a number.
    pub fn finish(&self, first: usize, results: &mut [f32]) {
        if let Some(added) = self.added {
            add(results, &added[first..][..results.len()], self.within);
        }
        if let Some(function) = self.function {
            match results.len() {
                ..=FEW => function.apply::<FEW>(results),
                _ => function.apply::<AT_ONCE>(results),
            }
        }
    }

    /// As [`After::finish`], with what kernels know of functions.
    ///
    /// # Safety
    /// The processor has the vectors' instructions.
    #[inline(always)]
    pub unsafe fn finish_in<V: Vector>(&self, first: usize, results: &mut [f32]) {
        if self.function.is_none_or(|f| f.known != Known::Silu) {
            return self.finish(first, results);
        }
        if self.added.is_some() {
            let sum = After {
                function: None,
                ..*self
            };
            sum.finish(first, results);
        }
        // SAFETY: passed on.
        unsafe { silu::in_place::<V>(results) };
    }

    /// Does everything, to all results.
    pub fn apply(&self, results: &mut [f32]) {
        self.at_hand().apply(results);
        self.finish(0, results);
    }
}

multiversion! {
    fn add(results: &mut [f32], added: &[f32], within: Within) = add_body
}

#[inline(always)]
fn add_body<const FUSED: bool>(results: &mut [f32], added: &[f32], within: Within) {
    for (result, number) in results.iter_mut().zip(added) {
        *result = within.at(*result + number);
    }
}

#[cfg(test)]
mod tests {
    use super::{After, Function, Known, Within};
    use crate::nn::conv::forward::{compute, compute_and};
    use crate::nn::conv::geometry::Geometry;
    use crate::pointwise::activation::of_layers;
    use rushlight_tensor::{Scalar, Tensor, threads};

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
        [96, 70, 1, 1, 1, 7],
        [200, 19, 1, 1, 1, 14],
        [3, 13, 1, 3, 2, 45],
        [300, 16, 1, 1, 1, 16],
        [16, 24, 1, 1, 1, 5],
        [6, 6, 6, 3, 1, 17],
        [6, 6, 6, 5, 2, 17],
        [6, 6, 6, 7, 1, 17],
        [64, 96, 1, 3, 1, 3],
        [4, 4, 2, 3, 3, 8],
        [16, 24, 1, 1, 1, 1],
    ];

    const RANGES: &[Within] = &[
        Within::ALL,
        Within {
            low: 0.0,
            ..Within::ALL
        },
        Within {
            low: -0.25,
            high: 0.5,
        },
    ];

    #[test]
    fn results_are_those_that_operators_after_the_convolution_would_give() {
        let before = threads::count();
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
            let added = numbers(sizes.iter().product(), &sizes).to_vec::<f32>();
            let silu = Function {
                each: of_layers("swish").unwrap(),
                numbers: &[],
                known: Known::Silu,
            };
            let hardswish = Function {
                each: of_layers("hardswish").unwrap(),
                numbers: &[],
                known: Known::HardSwish,
            };
            // Weights are packed from the second call on.
            for count in [1, 1, 2, 3] {
                threads::set_count(count);
                for &within in RANGES {
                    for added in [None, Some(&added[..])] {
                        for function in [None, Some(silu), Some(hardswish)] {
                            let after = After {
                                added,
                                within,
                                function,
                            };
                            let plain = compute::<f32>(&geometry, &x, &w, Some(&bias), &sizes);
                            let mut want = plain.unwrap().to_vec::<f32>();
                            for (i, x) in want.iter_mut().enumerate() {
                                *x = within.at(*x + added.map_or(0.0, |added| added[i]));
                            }
                            if let Some(function) = function {
                                let sums = want.clone();
                                (function.each)(&mut want, &sums, &[]);
                            }
                            let some = compute_and(&geometry, &x, &w, Some(&bias), &sizes, after);
                            assert!(
                                some.unwrap().to_vec::<f32>() == want,
                                "{inputs} to {outputs}"
                            );
                        }
                    }
                }
            }
        }
        threads::set_count(before);
    }

    #[test]
    fn functions_are_given_their_numbers() {
        let function = Function {
            each: of_layers("leaky_relu").unwrap(),
            numbers: &[Scalar::Float(0.5)],
            known: Known::Nothing,
        };
        let mut numbers = [-4.0, 3.0];
        After {
            function: Some(function),
            ..After::NOTHING
        }
        .apply(&mut numbers);
        assert_eq!(numbers, [-2.0, 3.0]);
        assert!(of_layers("relu").is_none());
    }
}
