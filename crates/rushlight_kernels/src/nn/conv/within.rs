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
