//! The range that results of a convolution are brought into as they are written: what a rectifier after it would do in
//! another pass over memory.

use crate::isa::multiversion;
use crate::vector::Vector;

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

/// What is done to results while they are in registers.
#[derive(Clone, Copy)]
pub struct AtHand {
    /// First they are brought into a range.
    pub within: Within,
    /// Then they go through `x hardsigmoid(x)`, if this says so.
    pub hardswish: bool,
}

/// As [`AtHand`], in vectors.
#[derive(Clone, Copy)]
pub struct AtHandIn<V> {
    low: V,
    high: V,
    hardswish: bool,
}

impl AtHand {
    /// Nothing.
    pub const NOTHING: AtHand = AtHand {
        within: Within::ALL,
        hardswish: false,
    };

    /// The same in vectors.
    ///
    /// # Safety
    /// The processor has the vectors' instructions.
    #[inline(always)]
    pub unsafe fn in_vectors<V: Vector>(self) -> AtHandIn<V> {
        // SAFETY: passed on.
        unsafe {
            AtHandIn {
                low: V::splat(self.within.low),
                high: V::splat(self.within.high),
                hardswish: self.hardswish,
            }
        }
    }
}

impl<V: Vector> AtHandIn<V> {
    /// What becomes of a vector of sums: what [`Within::at`] and the operator `hardswish` make of each, to the bit.
    ///
    /// # Safety
    /// The processor has the vectors' instructions.
    #[inline(always)]
    pub unsafe fn of(self, sums: V) -> V {
        // SAFETY: passed on.
        unsafe {
            let sums = self.in_range(sums);
            match self.hardswish {
                true => self.rest(sums),
                false => sums,
            }
        }
    }

    /// A vector of sums brought into the range.
    ///
    /// # Safety
    /// As for [`AtHandIn::of`].
    #[inline(always)]
    pub unsafe fn in_range(self, sums: V) -> V {
        // SAFETY: passed on.
        unsafe { sums.within(self.low, self.high) }
    }

    /// Whether anything is done behind the range.
    pub fn is_more(self) -> bool {
        self.hardswish
    }

    /// What is done to sums that are in the range, if there is more to do.
    ///
    /// # Safety
    /// As for [`AtHandIn::of`].
    #[inline(always)]
    pub unsafe fn rest(self, sums: V) -> V {
        // SAFETY: passed on.
        unsafe {
            let six = V::splat(6.0);
            let gate = sums.add(V::splat(3.0)).within(V::splat(0.0), six);
            sums.mul(gate).div(six)
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
