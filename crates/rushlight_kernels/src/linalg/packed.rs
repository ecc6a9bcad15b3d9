//! Weights in the order in which the tile kernels read them.
//!
//! A weight has a row of numbers per output channel (or column of a product). Packed, two vectors' worth of channels
//! stand together in a panel: the first number of each, then the second of each, and so on.

use super::gemm::Matrix;
#[cfg(target_arch = "aarch64")]
use crate::vector::Neon;
use crate::vector::{Vector, transpose};
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::memory;
use rushlight_tensor::{Buffer, CacheKey, DType, Tensor};
use std::sync::Arc;

/// Most channels of a panel: two of the largest vectors.
pub const CHANNELS: usize = 32;

/// A packed weight.
pub struct Packed {
    data: Buffer<f32>,
    channels: usize,
    depth: usize,
}

/// Channels of a panel on this processor.
pub fn block() -> usize {
    match isa() {
        Isa::Avx512 => 32,
        _ => 16,
    }
}

impl Packed {
    /// Packs a weight whose rows are dense.
    pub fn new(weight: Matrix<'_, f32>) -> Packed {
        let (channels, depth) = (weight.rows(), weight.cols());
        let size = block() * depth;
        let mut data = Buffer::unspecified(memory::times([channels.div_ceil(block()), size]));
        if size > 0 {
            for (i, panel) in data.chunks_exact_mut(size).enumerate() {
                fill(panel, weight, i * block(), 0);
            }
        }
        Packed {
            data,
            channels,
            depth,
        }
    }

    /// The packed form of a matrix in f32 with dense rows that its storage keeps, if it is one that stays: see
    /// [`rushlight_tensor::Storage::derived`].
    pub fn kept(weight: &Tensor) -> Option<Arc<Packed>> {
        let layout = weight.layout();
        if weight.dtype() != DType::F32 || layout.rank() != 2 || layout.strides()[1] != 1 {
            return None;
        }
        let key = CacheKey {
            offset: layout.offset() * size_of::<f32>(),
            sizes: [layout.sizes()[0], layout.sizes()[1]],
            strides: [layout.strides()[0], 1],
            groups: 1,
        };
        weight.storage().derived(key, || {
            Packed::new(super::product::matrix_at(&weight.span::<f32>(), layout, 0))
        })
    }

    /// Output channels.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Numbers per channel.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The panel of channels that begins with `first`, a multiple of [`block`].
    pub fn panel(&self, first: usize) -> &[f32] {
        &self.data[first * self.depth..][..block() * self.depth]
    }
}

/// Fills a panel, or a piece of one, with the channels from `first` on and their numbers from `start` on, as many as fit;
/// channels that the weight does not have become zeros.
pub fn fill(panel: &mut [f32], weight: Matrix<'_, f32>, first: usize, start: usize) {
    let depth = panel.len() / block();
    assert!(weight.has_dense_rows() && panel.len() == block() * depth);
    let count = block().min(weight.rows() - first);
    if count < block() {
        panel.fill(0.0);
    }
    let mut rows: [&[f32]; CHANNELS] = [&[]; CHANNELS];
    for (c, row) in rows[..count].iter_mut().enumerate() {
        *row = &weight.row(first + c)[start..start + depth];
    }
    #[cfg(target_arch = "x86_64")]
    match isa() {
        // SAFETY: the processor has AVX-512.
        Isa::Avx512 => return unsafe { avx512(panel, &rows, depth) },
        // SAFETY: the processor has AVX2 and FMA.
        Isa::Avx2 => return unsafe { avx2(panel, &rows, depth) },
        Isa::Baseline => {}
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: every processor of this kind has these vectors.
    return unsafe { squares::<Neon>(panel, &rows, depth) };
    #[cfg(not(target_arch = "aarch64"))]
    for (c, row) in rows.iter().enumerate() {
        one_by_one(panel, row, c, 0);
    }
}

/// Writes the numbers of a channel from `start` on, one by one.
fn one_by_one(panel: &mut [f32], row: &[f32], channel: usize, start: usize) {
    let lines = panel.chunks_exact_mut(block()).skip(start);
    for (line, value) in lines.zip(row.iter().skip(start)) {
        line[channel] = *value;
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
unsafe fn avx512(panel: &mut [f32], rows: &[&[f32]; CHANNELS], depth: usize) {
    // SAFETY: passed on.
    unsafe { squares::<std::arch::x86_64::__m512>(panel, rows, depth) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(panel: &mut [f32], rows: &[&[f32]; CHANNELS], depth: usize) {
    // SAFETY: passed on.
    unsafe { squares::<std::arch::x86_64::__m256>(panel, rows, depth) }
}

/// Fills a panel by squares of numbers that are turned in registers. Rows are empty or have `depth` numbers.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn squares<V: Vector>(panel: &mut [f32], rows: &[&[f32]; CHANNELS], depth: usize) {
    let whole = depth - depth % V::WIDTH;
    for half in 0..2 {
        let first = half * V::WIDTH;
        let rows = &rows[first..first + V::WIDTH];
        let full = rows.iter().all(|row| row.len() == depth);
        if full {
            for k in (0..whole).step_by(V::WIDTH) {
                // SAFETY: every row has `depth` numbers and the panel two vectors for each of them.
                unsafe {
                    let mut square = [V::splat(0.0); 16];
                    for (vector, row) in square.iter_mut().zip(rows) {
                        *vector = V::load(row.as_ptr().add(k));
                    }
                    transpose(&mut square);
                    for (i, vector) in square[..V::WIDTH].iter().enumerate() {
                        let place = (k + i) * 2 * V::WIDTH + first;
                        vector.store(panel.as_mut_ptr().add(place));
                    }
                }
            }
        }
        for (r, row) in rows.iter().enumerate() {
            one_by_one(panel, row, first + r, if full { whole } else { 0 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Packed, block};
    use crate::linalg::gemm::Matrix;

    #[test]
    fn panels_hold_channels_side_by_side() {
        for (channels, depth) in [(32, 16), (33, 7), (5, 40), (70, 35), (1, 1), (16, 0)] {
            let data: Vec<f32> = (0..channels * (depth + 3)).map(|i| i as f32).collect();
            let packed = Packed::new(Matrix::new(&data, channels, depth, depth + 3, 1));
            for c in 0..channels {
                let panel = packed.panel(c / block() * block());
                for k in 0..depth {
                    let want = data[c * (depth + 3) + k];
                    assert_eq!(panel[k * block() + c % block()], want);
                }
            }
        }
    }
}
