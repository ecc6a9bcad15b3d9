//! What happens to the results of a convolution as they are written: what operators after it would do in more ways through
//! memory.

use super::silu;
use super::within::{AtHand, Within};
use crate::isa::{fma, multiversion};
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

/// What a normalisation with known statistics does: every channel's results times a factor, then a number is added.
#[derive(Clone, Copy)]
pub struct Scaled<'a> {
    /// One number of each for every channel.
    pub factors: &'a [f32],
    pub shifts: &'a [f32],
    /// Results of a channel.
    pub plane: usize,
    /// Which result is the first.
    pub start: usize,
}

/// First results are scaled and other numbers are added, then results are brought into a range, then they go through a function.
#[derive(Clone, Copy)]
pub struct After<'a> {
    pub scaled: Option<Scaled<'a>>,
    /// One number for every result.
    pub added: Option<&'a [f32]>,
    pub within: Within,
    pub function: Option<Function<'a>>,
}

impl<'a> After<'a> {
    /// Results stay as they are.
    pub const NOTHING: After<'static> = After {
        scaled: None,
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
            scaled: self.scaled.map(|scaled| Scaled {
                start: scaled.start + first,
                ..scaled
            }),
            added: self.added.map(|added| &added[first..first + count]),
            ..self
        }
    }

    /// The numbers that kernels may add while they have results at hand, and what is left then.
    pub fn sum_apart(self) -> (Option<&'a [f32]>, After<'a>) {
        match self.scaled {
            Some(_) => (None, self),
            None => (
                self.added,
                After {
                    added: None,
                    ..self
                },
            ),
        }
    }

    /// Whether something comes before results are brought into their range.
    fn comes_first(&self) -> bool {
        self.scaled.is_some() || self.added.is_some()
    }

    /// The range that kernels bring results into while they have them at hand: that of all numbers where something comes
    /// first.
    pub fn at_hand(&self) -> Within {
        match self.comes_first() {
            true => Within::ALL,
            false => self.within,
        }
    }

    /// What kernels can do in registers, and what is left to [`After::finish`] then.
    pub fn split(self) -> (AtHand, After<'a>) {
        let hardswish =
            !self.comes_first() && self.function.is_some_and(|f| f.known == Known::HardSwish);
        let at_hand = AtHand {
            within: self.at_hand(),
            hardswish,
        };
        let function = if hardswish { None } else { self.function };
        (at_hand, After { function, ..self })
    }

    /// Whether there is anything that [`After::at_hand`] leaves to do.
    pub fn is_left(&self) -> bool {
        self.comes_first() || self.function.is_some()
    }

    /// Does what [`After::at_hand`] leaves to do, to results of which the first has a number.
    pub fn finish(&self, first: usize, results: &mut [f32]) {
        let added = |from: usize, count| self.added.map(|added| &added[from..][..count]);
        if let Some(scaled) = self.scaled {
            scaled.each(first, results, |at, results, factor, shift| {
                let count = results.len();
                scale(results, factor, shift, added(at, count), self.within);
            });
        } else if let Some(added) = added(first, results.len()) {
            add(results, added, self.within);
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
        let before = After {
            function: None,
            ..*self
        };
        before.finish(first, results);
        // SAFETY: passed on.
        unsafe { silu::in_place::<V>(results) };
    }

    /// Does everything, to all results.
    pub fn apply(&self, results: &mut [f32]) {
        self.at_hand().apply(results);
        self.finish(0, results);
    }
}

impl Scaled<'_> {
    /// Calls `f` with the number of the first, the results, the factor and the shift of each channel that some results have.
    fn each(
        &self,
        first: usize,
        results: &mut [f32],
        mut f: impl FnMut(usize, &mut [f32], f32, f32),
    ) {
        let (mut at, mut rest) = (first, results);
        while !rest.is_empty() {
            let number = self.start + at;
            let count = (self.plane - number % self.plane).min(rest.len());
            let channel = number / self.plane % self.factors.len();
            let (own, others) = rest.split_at_mut(count);
            f(at, own, self.factors[channel], self.shifts[channel]);
            (at, rest) = (at + count, others);
        }
    }
}

multiversion! {
    fn scale(
        results: &mut [f32],
        factor: f32,
        shift: f32,
        added: Option<&[f32]>,
        within: Within
    ) = scale_body
}

#[inline(always)]
fn scale_body<const FUSED: bool>(
    results: &mut [f32],
    factor: f32,
    shift: f32,
    added: Option<&[f32]>,
    within: Within,
) {
    match added {
        Some(added) => {
            for (result, number) in results.iter_mut().zip(added) {
                *result = within.at(fma::<f32, FUSED>(*result, factor, shift) + *number);
            }
        }
        None => {
            for result in results {
                *result = within.at(fma::<f32, FUSED>(*result, factor, shift));
            }
        }
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
    use super::{After, Function, Known, Scaled, Within};
    use crate::nn::conv::forward::{compute, compute_and};
    use crate::nn::conv::geometry::Geometry;
    use crate::pointwise::activation::of_layers;
    use rushlight_tensor::lanes::{Isa, isa};
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
            let factors = numbers(outputs, &[outputs]).to_vec::<f32>();
            let shifts: Vec<f32> = factors.iter().map(|x| 0.5 - x).collect();
            let scaled = Scaled {
                factors: &factors,
                shifts: &shifts,
                plane: sizes[2] * sizes[3],
                start: 0,
            };
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
                    for (scaled, added) in [
                        (None, None),
                        (None, Some(&added[..])),
                        (Some(scaled), None),
                        (Some(scaled), Some(&added[..])),
                    ] {
                        for function in [None, Some(silu), Some(hardswish)] {
                            let after = After {
                                scaled,
                                added,
                                within,
                                function,
                            };
                            let plain = compute::<f32>(&geometry, &x, &w, Some(&bias), &sizes);
                            let mut want = plain.unwrap().to_vec::<f32>();
                            for (i, x) in want.iter_mut().enumerate() {
                                if scaled.is_some() {
                                    let channel = i / (sizes[2] * sizes[3]) % outputs;
                                    *x = match isa() {
                                        Isa::Baseline => *x * factors[channel] + shifts[channel],
                                        _ => x.mul_add(factors[channel], shifts[channel]),
                                    };
                                }
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
