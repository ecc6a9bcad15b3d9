//! Depthwise convolution in f32: every output channel is a sum of shifted copies of one input channel.
//!
//! The channel is copied into a plane with its zeros around it, so that a shift is an offset: the sum runs over whole
//! vectors of consecutive positions, with no regard for rows; what lies between the rows is left out afterwards. Where
//! the stride is not one, positions that are a stride apart go to planes of their own, in which they are neighbours.

use super::geometry::Geometry;
use crate::isa::{fma, multiversion};

/// Positions per step: some vectors, whose sums stay in registers.
const LANES: usize = 16;
const STEP: usize = 4 * LANES;

/// Whether this is a convolution of planes with one input channel per group.
pub(super) fn suits(g: &Geometry) -> bool {
    g.group_in() == 1
        && g.group_out() <= 4
        && !g.is_pointwise()
        && g.input[0] == 1
        && g.kernel[0] == 1
        && g.before[0] == 0
        && g.after[0] == 0
}

/// Where the planes lie and where a tap starts in them.
struct Plan {
    /// Rows and columns of a plane.
    plane: [usize; 2],
    /// Where each tap's first element lies from a position.
    offsets: Vec<usize>,
    /// Positions from the first output to the last, rounded up to whole steps.
    positions: usize,
    /// Elements of all planes, and those that the last step may read beyond.
    elements: usize,
}

impl Plan {
    fn new(g: &Geometry, output: [usize; 3]) -> Plan {
        let phases = |d: usize| g.stride[d];
        let extent = |d: usize| {
            let padded = g.before[d] + g.input[d] + g.after[d];
            padded.div_ceil(g.stride[d])
        };
        let plane = [extent(1), extent(2)];
        let size = plane[0] * plane[1];
        let mut offsets = Vec::with_capacity(g.taps());
        for y in (0..g.kernel[1]).map(|k| k * g.dilation[1]) {
            for x in (0..g.kernel[2]).map(|k| k * g.dilation[2]) {
                let phase = y % g.stride[1] * phases(2) + x % g.stride[2];
                offsets.push(phase * size + y / g.stride[1] * plane[1] + x / g.stride[2]);
            }
        }
        let last = (output[1] - 1) * plane[1] + output[2];
        let positions = last.next_multiple_of(STEP);
        let furthest = offsets.iter().copied().max().unwrap_or(0);
        Plan {
            plane,
            offsets,
            positions,
            elements: (phases(1) * phases(2) * size).max(furthest + positions),
        }
    }

    /// Copies a channel into the planes; what is around it is zero already and stays so.
    fn fill(&self, g: &Geometry, channel: &[f32], planes: &mut [f32]) {
        let size = self.plane[0] * self.plane[1];
        let (sy, sx) = (g.stride[1], g.stride[2]);
        for (y, row) in channel.chunks_exact(g.input[2].max(1)).enumerate() {
            let y = y + g.before[1];
            let start = y % sy * sx * size + y / sy * self.plane[1];
            if sx == 1 {
                planes[start + g.before[2]..][..row.len()].copy_from_slice(row);
                continue;
            }
            for phase in 0..sx {
                // The first column of the image that belongs to this phase.
                let skipped = (phase + sx - g.before[2] % sx) % sx;
                let to = start + phase * size + (g.before[2] + skipped) / sx;
                let values = row.iter().skip(skipped).step_by(sx);
                for (out, value) in planes[to..].iter_mut().zip(values) {
                    *out = *value;
                }
            }
        }
    }
}

/// The convolution of all samples and channels.
pub(super) fn run(
    g: &Geometry,
    output: [usize; 3],
    x: &[f32],
    w: &[f32],
    bias: Option<&[f32]>,
    out: &mut [f32],
) {
    let plan = Plan::new(g, output);
    let mut planes = vec![0.0; plan.elements];
    let mut sums = vec![0.0; plan.positions];
    let (in_plane, out_plane) = (g.input[1] * g.input[2], output[1] * output[2]);
    let per_input = g.group_out();
    for (i, (channel, results)) in x
        .chunks_exact(in_plane)
        .zip(out.chunks_exact_mut(out_plane * per_input))
        .enumerate()
    {
        plan.fill(g, channel, &mut planes);
        for (j, result) in results.chunks_exact_mut(out_plane).enumerate() {
            let channel = i % g.groups * per_input + j;
            let taps = &w[channel * g.taps()..(channel + 1) * g.taps()];
            let first = bias.map_or(0.0, |b| b[channel]);
            correlate(&planes, &plan.offsets, taps, first, &mut sums);
            for (row, to) in result.chunks_exact_mut(output[2]).enumerate() {
                to.copy_from_slice(&sums[row * plan.plane[1]..][..output[2]]);
            }
        }
    }
}

multiversion! {
    /// `out[i] = first + taps[0] * planes[i + offsets[0]] + ..`
    fn correlate(planes: &[f32], offsets: &[usize], taps: &[f32], first: f32, out: &mut [f32]) = correlate_body
}

#[inline(always)]
fn correlate_body<const FUSED: bool>(
    planes: &[f32],
    offsets: &[usize],
    taps: &[f32],
    first: f32,
    out: &mut [f32],
) {
    for (step, out) in out.chunks_exact_mut(STEP).enumerate() {
        let mut sums = [[first; LANES]; STEP / LANES];
        for (offset, tap) in offsets.iter().zip(taps) {
            let from = &planes[step * STEP + offset..][..STEP];
            for (sum, from) in sums.iter_mut().zip(from.chunks_exact(LANES)) {
                for lane in 0..LANES {
                    sum[lane] = fma::<f32, FUSED>(from[lane], *tap, sum[lane]);
                }
            }
        }
        for (out, sum) in out.chunks_exact_mut(LANES).zip(&sums) {
            out.copy_from_slice(sum);
        }
    }
}
