//! Loops over integers of 8 bits: sums and products of two runs, and functions by their tables.

use super::lanes::{Integers, Numbers};
use rushlight_kernels::isa::multiversion;
use rushlight_tensor::{Buffer, Element, threads, watch};

/// An integer of 8 bits.
pub trait Byte: Element {
    fn integer(self) -> i32;
    /// The integer with these bits.
    fn of(bits: u8) -> Self;
    /// Its place between the least and the greatest integer.
    fn place(self) -> usize;
}

impl Byte for u8 {
    #[inline(always)]
    fn integer(self) -> i32 {
        i32::from(self)
    }
    #[inline(always)]
    fn of(bits: u8) -> u8 {
        bits
    }
    #[inline(always)]
    fn place(self) -> usize {
        usize::from(self)
    }
}

impl Byte for i8 {
    #[inline(always)]
    fn integer(self) -> i32 {
        i32::from(self)
    }
    #[inline(always)]
    fn of(bits: u8) -> i8 {
        bits as i8
    }
    #[inline(always)]
    fn place(self) -> usize {
        usize::from(self as u8 ^ 0x80)
    }
}

/// What two operands stand for, and what becomes of them.
pub struct Operands {
    pub left: Numbers,
    pub right: Numbers,
    pub output: Integers,
    /// From products of integers to steps of the output.
    pub multiplier: f32,
    /// Whether nothing is below zero.
    pub relu: bool,
}

impl Operands {
    /// Whether all zero points are integers of the dtype, so that sums of them fit into 32 bits.
    pub fn are_small(&self) -> bool {
        let bounds = self.output.least..=self.output.greatest;
        let points = [
            self.left.zero_point,
            self.right.zero_point,
            self.output.zero_point,
        ];
        points.iter().all(|zero| bounds.contains(zero))
    }
}

/// Added to a small number, this leaves the nearest integer, the even one of two, in its lowest bits.
const ROUND: f32 = 12_582_912.0;

/// From steps of the output to the bits of its integers.
#[derive(Clone, Copy)]
struct Steps {
    least: f32,
    greatest: f32,
    zero_point: u8,
    /// Nothing is below this number.
    floor: f32,
}

impl Steps {
    fn new(operands: &Operands) -> Steps {
        let output = &operands.output;
        Steps {
            least: (output.least - output.zero_point) as f32,
            greatest: (output.greatest - output.zero_point) as f32,
            zero_point: output.zero_point as u8,
            floor: if operands.relu {
                0.0
            } else {
                f32::NEG_INFINITY
            },
        }
    }

    #[inline(always)]
    fn bits(self, steps: f32) -> u8 {
        let steps = if steps < self.greatest {
            steps
        } else {
            self.greatest
        };
        let steps = if steps > self.least {
            steps
        } else {
            self.least
        };
        ((steps + ROUND).to_bits() as u8).wrapping_add(self.zero_point)
    }

    #[inline(always)]
    fn floor(self, number: f32) -> f32 {
        if number < self.floor {
            self.floor
        } else {
            number
        }
    }
}

multiversion! {
    /// Sums, each of numbers that come of integers by a multiply-add.
    pub fn sums<T: Byte>(a: &[T], b: &[T], operands: &Operands, out: &mut [T]) = run_sums
}

#[inline(always)]
fn run_sums<const FUSED: bool, T: Byte>(a: &[T], b: &[T], operands: &Operands, out: &mut [T]) {
    let n = out.len();
    let (a, b) = (&a[..n], &b[..n]);
    let (left, right, steps) = (operands.left, operands.right, Steps::new(operands));
    let inverse = operands.output.vector_inverse;
    for i in 0..n {
        let x = left.scale.mul_add(a[i].integer() as f32, left.offset);
        let y = right.scale.mul_add(b[i].integer() as f32, right.offset);
        out[i] = T::of(steps.bits(steps.floor(x + y) * inverse));
    }
}

multiversion! {
    /// Products of integers, brought to the scale of the output.
    pub fn products<T: Byte>(a: &[T], b: &[T], operands: &Operands, out: &mut [T]) = run_products
}

#[inline(always)]
fn run_products<const FUSED: bool, T: Byte>(a: &[T], b: &[T], operands: &Operands, out: &mut [T]) {
    let n = out.len();
    let (a, b) = (&a[..n], &b[..n]);
    let (left, right) = (
        operands.left.zero_point as i32,
        operands.right.zero_point as i32,
    );
    let steps = Steps::new(operands);
    for i in 0..n {
        let product = (a[i].integer() - left) * (b[i].integer() - right);
        let number = product as f32 * operands.multiplier;
        out[i] = T::of(steps.bits(steps.floor(number)));
    }
}

/// A function by its tables: of the integers that are computed by themselves, and of those before `together`.
pub fn through<T: Byte>(values: &[T], tables: &[Vec<u8>; 2], together: usize) -> Buffer<T> {
    let mut out = Buffer::<T>::unspecified(values.len());
    let (vectors, rest) = out.split_at_mut(together);
    let look_up = |values: &[T], table: &[u8], out: &mut [T]| {
        for (to, value) in out.iter_mut().zip(values) {
            *to = T::of(table[value.place()]);
        }
    };
    threads::split_rows(vectors, 1, 64, 1, &|range, out| {
        watch::poll();
        look_up(&values[range], &tables[1], out);
    });
    look_up(&values[together..], &tables[0], rest);
    out
}
