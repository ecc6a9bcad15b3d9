//! From the exact sums of a layer to its results. How often a number is rounded on the way, and where to, decides the last
//! step of a result; here is the order in which the reference does it.
//!
//! A finish is what products of bytes call with the sums of sixteen channels while they are still in registers.

use super::packed::{Convolution, Weights};
use rushlight_tensor::Result;
use rushlight_tensor::memory;

/// Channels whose sums are finished together.
pub const SIDE: usize = 16;

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

/// What becomes of sums.
pub trait Finish: Sync {
    /// An element of the result.
    type Out: rushlight_tensor::Element;

    /// Finishes the sums of the channels from `first` on, one for each element of `out`.
    fn put(&self, first: usize, sums: &[i32], out: &mut [Self::Out]);

    /// What sixteen channels need, in registers.
    #[cfg(target_arch = "x86_64")]
    type Lanes: Copy;

    /// What the sixteen channels from `first` on need.
    ///
    /// # Safety
    /// The processor has AVX-512 (F, BW, VL, DQ); `first` is a channel.
    #[cfg(target_arch = "x86_64")]
    unsafe fn lanes(&self, first: usize) -> Self::Lanes;

    /// As [`Finish::put`], for the sums of sixteen channels, of which `mask` says which there are.
    ///
    /// # Safety
    /// The processor has AVX-512 (F, BW, VL, DQ), and `to` is writable for the channels that the mask has.
    #[cfg(target_arch = "x86_64")]
    unsafe fn put_vector(
        lanes: &Self::Lanes,
        sums: std::arch::x86_64::__m512i,
        mask: u16,
        to: *mut Self::Out,
    );
}

/// A number for each channel, and some more, so that whole vectors of them can be read.
struct Channels(Vec<f32>);

impl Channels {
    fn new(count: usize, number: impl Fn(usize) -> f32) -> Channels {
        let mut numbers = memory::filled(count.saturating_add(SIDE), 0f32);
        for (i, to) in numbers[..count].iter_mut().enumerate() {
            *to = number(i);
        }
        Channels(numbers)
    }

    #[inline(always)]
    fn from(&self, first: usize, count: usize) -> &[f32] {
        &self.0[first..first + count]
    }

    /// The numbers of sixteen channels.
    ///
    /// # Safety
    /// `first` is a channel; the processor has AVX-512.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn vector(&self, first: usize) -> std::arch::x86_64::__m512 {
        // SAFETY: there are sixteen numbers more than channels.
        unsafe { std::arch::x86_64::_mm512_loadu_ps(self.0.as_ptr().add(first)) }
    }
}

/// The sums themselves.
pub struct Whole;

impl Finish for Whole {
    type Out = i32;

    #[cfg(target_arch = "x86_64")]
    type Lanes = ();

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn lanes(&self, _first: usize) {}

    #[inline(always)]
    fn put(&self, _first: usize, sums: &[i32], out: &mut [i32]) {
        out.copy_from_slice(sums);
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn put_vector(
        _lanes: &Self::Lanes,
        sums: std::arch::x86_64::__m512i,
        mask: u16,
        to: *mut i32,
    ) {
        // SAFETY: what the mask has is writable, as the caller says.
        unsafe { std::arch::x86_64::_mm512_mask_storeu_epi32(to, mask, sums) }
    }
}

/// [`Rounding::Steps`].
pub struct Steps {
    input: f32,
    output: f32,
    zero: f32,
    floor: f32,
    weight: Channels,
    bias: Channels,
}

/// [`Rounding::Joint`].
pub struct Joint {
    zero: f32,
    floor: f32,
    /// In the unit of the sum.
    bias: Channels,
    multiplier: Channels,
}

/// As [`Joint`], where a factor brings the bias to the unit of the sum in the addition's one rounding.
pub struct Scaled {
    zero: f32,
    floor: f32,
    bias: Channels,
    factor: Channels,
    multiplier: Channels,
}

/// Numbers: the sum in its unit, plus bias.
pub struct Numbers {
    floor: f32,
    unit: Channels,
    bias: Channels,
}

/// The unit of the sums of each channel.
fn units(weights: &Weights, channels: usize, input: f64) -> Vec<f32> {
    let scales = weights.scales(channels).into_iter();
    memory::collect(scales.map(|scale| input as f32 * scale as f32))
}

/// The least integer of a result.
fn floor_of(scales: &Scales, relu: bool) -> f32 {
    match relu {
        true => (scales.zero_point as f32).clamp(0.0, GREATEST),
        false => 0.0,
    }
}

impl Steps {
    pub fn new(weights: &Weights, channels: usize, scales: &Scales, relu: bool) -> Result<Steps> {
        let (weight, bias) = (weights.scales(channels), weights.biases(channels)?);
        Ok(Steps {
            // The reference keeps inverses of scales in float32.
            input: 1.0 / (1.0 / scales.input) as f32,
            output: (1.0 / scales.output) as f32,
            zero: scales.zero_point as f32,
            floor: floor_of(scales, relu),
            weight: Channels::new(channels, |i| weight[i] as f32),
            bias: Channels::new(channels, |i| bias[i]),
        })
    }
}

impl Joint {
    pub fn new(weights: &Weights, channels: usize, scales: &Scales, relu: bool) -> Result<Joint> {
        let (unit, bias) = (
            units(weights, channels, scales.input),
            weights.biases(channels)?,
        );
        let output = scales.output as f32;
        Ok(Joint {
            zero: scales.zero_point as f32,
            floor: floor_of(scales, relu),
            bias: Channels::new(channels, |i| bias[i] / unit[i]),
            multiplier: Channels::new(channels, |i| unit[i] / output),
        })
    }
}

impl Scaled {
    pub fn new(weights: &Weights, channels: usize, scales: &Scales, relu: bool) -> Result<Scaled> {
        let (unit, bias) = (
            units(weights, channels, scales.input),
            weights.biases(channels)?,
        );
        let output = scales.output as f32;
        Ok(Scaled {
            zero: scales.zero_point as f32,
            floor: floor_of(scales, relu),
            bias: Channels::new(channels, |i| bias[i]),
            factor: Channels::new(channels, |i| 1.0 / unit[i]),
            multiplier: Channels::new(channels, |i| unit[i] / output),
        })
    }
}

impl Numbers {
    pub fn new(weights: &Weights, channels: usize, input: f64, relu: bool) -> Result<Numbers> {
        let (unit, bias) = (units(weights, channels, input), weights.biases(channels)?);
        Ok(Numbers {
            floor: if relu { 0.0 } else { f32::NEG_INFINITY },
            unit: Channels::new(channels, |i| unit[i]),
            bias: Channels::new(channels, |i| bias[i]),
        })
    }
}

/// The integer that is nearest to a step, the even one of two, as a byte that is no less than a floor, which is an integer:
/// it stands in the last bits of the sum with a number so large that its neighbours are integers.
#[inline(always)]
fn byte(step: f32, floor: f32) -> u8 {
    const LARGE: f32 = 8_388_608.0;
    (step.clamp(floor, GREATEST) + LARGE).to_bits() as u8
}

/// Sixteen integers as bytes, none above the greatest; those beyond 32 bits are above it.
///
/// # Safety
/// The processor has AVX-512, and `to` is writable for what the mask has.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
unsafe fn store(
    steps: std::arch::x86_64::__m512,
    floor: std::arch::x86_64::__m512,
    mask: u16,
    to: *mut u8,
) {
    use std::arch::x86_64::*;
    let steps = _mm512_max_ps(steps, floor);
    let bytes = _mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(steps));
    // SAFETY: passed on.
    unsafe {
        match mask {
            u16::MAX => _mm_storeu_si128(to.cast(), bytes),
            _ => _mm_mask_storeu_epi8(to.cast(), mask, bytes),
        }
    }
}

impl Finish for Steps {
    type Out = u8;

    #[cfg(target_arch = "x86_64")]
    type Lanes = [std::arch::x86_64::__m512; 6];

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn lanes(&self, first: usize) -> Self::Lanes {
        use std::arch::x86_64::_mm512_set1_ps;
        // SAFETY: passed on.
        unsafe {
            [
                self.weight.vector(first),
                self.bias.vector(first),
                _mm512_set1_ps(self.input),
                _mm512_set1_ps(self.output),
                _mm512_set1_ps(self.zero),
                _mm512_set1_ps(self.floor),
            ]
        }
    }

    #[inline(always)]
    fn put(&self, first: usize, sums: &[i32], out: &mut [u8]) {
        let n = out.len();
        let (sums, weight, bias) = (
            &sums[..n],
            self.weight.from(first, n),
            self.bias.from(first, n),
        );
        for i in 0..n {
            let number = sums[i] as f32 * self.input * weight[i] + bias[i];
            out[i] = byte(number * self.output + self.zero, self.floor);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn put_vector(
        lanes: &Self::Lanes,
        sums: std::arch::x86_64::__m512i,
        mask: u16,
        to: *mut u8,
    ) {
        use std::arch::x86_64::*;
        // SAFETY: passed on.
        unsafe {
            let [weight, bias, input, output, zero, floor] = *lanes;
            let number = _mm512_mul_ps(_mm512_cvtepi32_ps(sums), input);
            let number = _mm512_add_ps(_mm512_mul_ps(number, weight), bias);
            let step = _mm512_add_ps(_mm512_mul_ps(number, output), zero);
            store(step, floor, mask, to);
        }
    }
}

impl Finish for Joint {
    type Out = u8;

    #[cfg(target_arch = "x86_64")]
    type Lanes = [std::arch::x86_64::__m512; 4];

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn lanes(&self, first: usize) -> Self::Lanes {
        use std::arch::x86_64::_mm512_set1_ps;
        // SAFETY: passed on.
        unsafe {
            [
                self.bias.vector(first),
                self.multiplier.vector(first),
                _mm512_set1_ps(self.zero),
                _mm512_set1_ps(self.floor),
            ]
        }
    }

    #[inline(always)]
    fn put(&self, first: usize, sums: &[i32], out: &mut [u8]) {
        let n = out.len();
        let (bias, multiplier) = (self.bias.from(first, n), self.multiplier.from(first, n));
        let sums = &sums[..n];
        for i in 0..n {
            let scaled = (sums[i] as f32 + bias[i]) * multiplier[i];
            out[i] = byte(scaled.round_ties_even() + self.zero, self.floor);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn put_vector(
        lanes: &Self::Lanes,
        sums: std::arch::x86_64::__m512i,
        mask: u16,
        to: *mut u8,
    ) {
        use std::arch::x86_64::*;
        // SAFETY: passed on.
        unsafe {
            let [bias, multiplier, zero, floor] = *lanes;
            let sum = _mm512_add_ps(_mm512_cvtepi32_ps(sums), bias);
            let whole = _mm512_roundscale_ps::<0>(_mm512_mul_ps(sum, multiplier));
            store(_mm512_add_ps(whole, zero), floor, mask, to);
        }
    }
}

impl Finish for Scaled {
    type Out = u8;

    #[cfg(target_arch = "x86_64")]
    type Lanes = [std::arch::x86_64::__m512; 5];

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn lanes(&self, first: usize) -> Self::Lanes {
        use std::arch::x86_64::_mm512_set1_ps;
        // SAFETY: passed on.
        unsafe {
            [
                self.bias.vector(first),
                self.factor.vector(first),
                self.multiplier.vector(first),
                _mm512_set1_ps(self.zero),
                _mm512_set1_ps(self.floor),
            ]
        }
    }

    #[inline(always)]
    fn put(&self, first: usize, sums: &[i32], out: &mut [u8]) {
        let n = out.len();
        let (bias, factor) = (self.bias.from(first, n), self.factor.from(first, n));
        let (sums, multiplier) = (&sums[..n], self.multiplier.from(first, n));
        for i in 0..n {
            let scaled = bias[i].mul_add(factor[i], sums[i] as f32) * multiplier[i];
            out[i] = byte(scaled.round_ties_even() + self.zero, self.floor);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn put_vector(
        lanes: &Self::Lanes,
        sums: std::arch::x86_64::__m512i,
        mask: u16,
        to: *mut u8,
    ) {
        use std::arch::x86_64::*;
        // SAFETY: passed on.
        unsafe {
            let [bias, factor, multiplier, zero, floor] = *lanes;
            let sum = _mm512_fmadd_ps(bias, factor, _mm512_cvtepi32_ps(sums));
            let whole = _mm512_roundscale_ps::<0>(_mm512_mul_ps(sum, multiplier));
            store(_mm512_add_ps(whole, zero), floor, mask, to);
        }
    }
}

impl Finish for Numbers {
    type Out = f32;

    #[cfg(target_arch = "x86_64")]
    type Lanes = [std::arch::x86_64::__m512; 3];

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn lanes(&self, first: usize) -> Self::Lanes {
        use std::arch::x86_64::_mm512_set1_ps;
        // SAFETY: passed on.
        unsafe {
            [
                self.unit.vector(first),
                self.bias.vector(first),
                _mm512_set1_ps(self.floor),
            ]
        }
    }

    #[inline(always)]
    fn put(&self, first: usize, sums: &[i32], out: &mut [f32]) {
        let n = out.len();
        let (unit, bias) = (self.unit.from(first, n), self.bias.from(first, n));
        let sums = &sums[..n];
        for i in 0..n {
            let number = (sums[i] as f32).mul_add(unit[i], bias[i]);
            out[i] = if number < self.floor {
                self.floor
            } else {
                number
            };
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    unsafe fn put_vector(
        lanes: &Self::Lanes,
        sums: std::arch::x86_64::__m512i,
        mask: u16,
        to: *mut f32,
    ) {
        use std::arch::x86_64::*;
        // SAFETY: passed on; what the mask has is writable.
        unsafe {
            let [unit, bias, floor] = *lanes;
            let number = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums), unit, bias);
            // Where one is no number, the second is taken.
            let number = _mm512_max_ps(floor, number);
            _mm512_mask_storeu_ps(to, mask, number);
        }
    }
}
