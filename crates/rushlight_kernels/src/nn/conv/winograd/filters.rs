//! Filters as their values at the points: for every point, group of output channels and input channel the numbers of the
//! group.

use super::points::filter;
use super::{GROUP, POINTS, SPAN};
use crate::isa::multiversion;
use rushlight_tensor::{Buffer, memory, watch};

/// Numbers of a filter.
const TAPS: usize = 9;

/// The filters of one group of channels.
pub struct Filters {
    data: Buffer<f32>,
    channels: usize,
    depth: usize,
}

impl Filters {
    /// Changes weights: output channels by `depth` input channels by nine numbers.
    pub fn new(weight: &[f32], depth: usize) -> Filters {
        let channels = weight.len() / (depth * TAPS).max(1);
        assert_eq!(weight.len(), channels * depth * TAPS);
        let size = memory::times([POINTS, channels.div_ceil(GROUP), depth, GROUP]);
        let mut data = Buffer::unspecified(size);
        change(weight, depth, &mut data);
        Filters {
            data,
            channels,
            depth,
        }
    }

    /// Output channels.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Input channels.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The numbers of a group at a point: input channel by output channel.
    pub fn group(&self, point: usize, group: usize) -> &[f32] {
        let size = self.depth * GROUP;
        &self.data[(point * self.channels.div_ceil(GROUP) + group) * size..][..size]
    }
}

multiversion! {
    fn change(weight: &[f32], depth: usize, data: &mut [f32]) = change_body
}

#[inline(always)]
fn change_body<const FUSED: bool>(weight: &[f32], depth: usize, data: &mut [f32]) {
    let groups = weight.chunks(GROUP * depth * TAPS);
    let plane = data.len() / POINTS;
    for (i, group) in groups.enumerate() {
        watch::poll();
        for c in 0..depth {
            let mut taps = [[0f64; GROUP]; TAPS];
            for (r, filter) in group.chunks_exact(depth * TAPS).enumerate() {
                for (t, weight) in filter[c * TAPS..(c + 1) * TAPS].iter().enumerate() {
                    taps[t][r] = f64::from(*weight);
                }
            }
            let mut columns = [[[0f64; GROUP]; 3]; SPAN];
            for x in 0..3 {
                let values = filter([taps[x], taps[3 + x], taps[6 + x]]);
                for (row, value) in columns.iter_mut().zip(values) {
                    row[x] = value;
                }
            }
            for (y, row) in columns.into_iter().enumerate() {
                for (x, values) in filter(row).iter().enumerate() {
                    let at = (y * SPAN + x) * plane + (i * depth + c) * GROUP;
                    for (to, value) in data[at..at + GROUP].iter_mut().zip(values) {
                        *to = *value as f32;
                    }
                }
            }
        }
    }
}
