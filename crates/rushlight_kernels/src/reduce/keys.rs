//! Order without element types: every real element has an unsigned key that sorts as it does.
//!
//! Sorting, selecting and searching work on keys and yield indices; values are then picked by index. NaN sorts after
//! everything, both zeros are equal.

use super::dims::Lanes;
use rushlight_tensor::lanes::map1;
use rushlight_tensor::memory;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{DType, Fault, Result, Tensor, dispatch, watch};
use std::ops::Range;

/// The keys of a tensor's elements in row-major order, and how many bits they use.
pub struct Keys {
    pub keys: Vec<u64>,
    pub bits: u32,
}

impl Keys {
    /// The keys of a real tensor; complex numbers have no order.
    pub fn of(t: &Tensor) -> Result<Keys> {
        let bits = match t.dtype().size() {
            8 => 64,
            _ => 32,
        };
        let keys = match t.dtype() {
            DType::F64 => t.data::<f64>().iter().map(|&x| key_f64(x)).collected(),
            d if d.is_float() => {
                let wide = t.to_dtype(DType::F32);
                let mut keys = memory::filled(wide.numel(), 0);
                map1(&mut keys, &wide.data::<f32>(), key_f32);
                keys
            }
            DType::I64 => t
                .data::<i64>()
                .iter()
                .map(|&x| x as u64 ^ 1 << 63)
                .collected(),
            DType::U64 => t.data::<u64>().iter().copied().collected(),
            DType::U32 => t.data::<u32>().iter().map(|&x| x.into()).collected(),
            DType::U16 => t.data::<u16>().iter().map(|&x| x.into()).collected(),
            d => dispatch!(d, IntegerBool, T => {
                use rushlight_tensor::Element;
                t.data::<T>().iter().map(|x| (x.to_i64() + (1 << 31)) as u64).collected()
            }, else => return Err(Fault::no_kernel("sort", d))),
        };
        Ok(Keys { keys, bits })
    }

    /// Keys of integers that lie close together as numbers of 32 bits, which sort faster.
    pub fn narrowed(mut self, dtype: DType) -> Keys {
        let bounds = |(low, high): (u64, u64), key: &u64| (low.min(*key), high.max(*key));
        let (low, high) = self.keys.iter().fold((u64::MAX, 0), bounds);
        let is_close = low <= high && high - low <= u64::from(u32::MAX);
        if dtype == DType::I64 && is_close {
            self.keys.iter_mut().for_each(|key| *key -= low);
            self.bits = 32;
        }
        self
    }

    /// The key of NaN, if the dtype has one; nothing else has it.
    pub fn nan(dtype: DType) -> Option<u64> {
        match dtype {
            DType::F64 => Some(u64::MAX),
            d if d.is_float() => Some(u32::MAX as u64),
            _ => None,
        }
    }

    /// Turns the order around.
    pub fn reversed(mut self) -> Keys {
        let mask = u64::MAX >> (64 - self.bits);
        self.keys.iter_mut().for_each(|key| *key ^= mask);
        self
    }
}

#[inline(always)]
fn key_f32(x: f32) -> u64 {
    let bits = (x + 0.0).to_bits();
    // All bits of a negative number turn around, of others the first.
    let turned = ((bits as i32) >> 31) as u32 | 1 << 31;
    let key = if x.is_nan() { u32::MAX } else { bits ^ turned };
    u64::from(key)
}

fn key_f64(x: f64) -> u64 {
    if x.is_nan() {
        return u64::MAX;
    }
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    }
}

/// A key and the index it came from in one number, so that an unstable sort is stable.
pub trait Packed: Copy + Ord {
    fn pack(key: u64, index: usize) -> Self;
    fn key(self) -> u64;
    fn index(self) -> usize;
}

impl Packed for u64 {
    fn pack(key: u64, index: usize) -> u64 {
        key << 32 | index as u64
    }
    fn key(self) -> u64 {
        self >> 32
    }
    fn index(self) -> usize {
        (self & u32::MAX as u64) as usize
    }
}

impl Packed for u128 {
    fn pack(key: u64, index: usize) -> u128 {
        (key as u128) << 64 | index as u128
    }
    fn key(self) -> u64 {
        (self >> 64) as u64
    }
    fn index(self) -> usize {
        self as u64 as usize
    }
}

/// What is done with the packed keys of a lane.
pub trait LaneTask {
    /// Handles lane number `lane`.
    fn run<P: Packed>(&mut self, lane: usize, packed: &mut Vec<P>);
}

/// Runs a task on every lane of row-major keys.
pub fn for_each_lane(keys: &Keys, lanes: Lanes, task: &mut impl LaneTask) {
    for_lanes(keys, lanes, 0..lanes.count(), task);
}

/// Runs a task on some lanes of row-major keys.
pub fn for_lanes(keys: &Keys, lanes: Lanes, some: Range<usize>, task: &mut impl LaneTask) {
    if keys.bits <= 32 && lanes.n <= u32::MAX as usize {
        lanes_as::<u64>(keys, lanes, some, task);
    } else {
        lanes_as::<u128>(keys, lanes, some, task);
    }
}

fn lanes_as<P: Packed>(keys: &Keys, lanes: Lanes, some: Range<usize>, task: &mut impl LaneTask) {
    let mut packed = memory::with_capacity(lanes.n);
    for lane in some {
        watch::poll();
        let start = lanes.start(lane);
        packed.clear();
        if lanes.inner == 1 {
            let keys = keys.keys[start..start + lanes.n].iter().enumerate();
            packed.extend(keys.map(|(k, key)| P::pack(*key, k)));
        } else {
            packed.extend((0..lanes.n).map(|k| P::pack(keys.keys[start + k * lanes.inner], k)));
        }
        task.run(lane, &mut packed);
    }
}
