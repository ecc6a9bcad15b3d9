//! Steps of recurrent layers in f32, with the weight of the hidden state packed.
//!
//! Hidden units are worked on in blocks of a vector each. The packed weight has, for every block, the numbers of all gates
//! of its units side by side, so that one pass over it gives all gates of a block in registers, and the new state follows
//! at once. States lie in blocks as well: a vector of units for every row, block after block, so that the blocks of a step
//! can be computed by several threads.

use super::cell::Recurrence;
use super::settle::{KEPT, Written, plain, settle};
use crate::linalg::gemm::{Matrix, cost};
use crate::linalg::product::matrix_at;
use crate::linalg::tiles::STREAMED;
#[cfg(target_arch = "aarch64")]
use crate::vector::Neon;
use crate::vector::{Vector, transpose};
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::threads::{self, Rows};
use rushlight_tensor::{Buffer, CacheKey, DType, Tensor, memory, watch};
use std::ops::Range;
use std::sync::Arc;

/// Units of a block at the most.
pub(super) const WIDEST: usize = 16;

/// Rows of a tile at the most.
const MOST: usize = 6;

/// Units of a block on this processor.
pub fn width() -> usize {
    match isa() {
        Isa::Avx512 => 16,
        _ => 8,
    }
}

/// The weight of the hidden state, packed.
pub struct Gates {
    data: Buffer<f32>,
    pub(super) gates: usize,
    pub(super) hidden: usize,
    pub(super) depth: usize,
}

impl Gates {
    /// Packs a weight of `gates` times as many rows as there are hidden units. The rows are dense.
    pub fn new(weight: Matrix<'_, f32>, gates: usize) -> Gates {
        let (hidden, depth) = (weight.rows() / gates, weight.cols());
        let width = width();
        let panel = gates * width * depth;
        let mut data = Buffer::unspecified(memory::times([hidden.div_ceil(width), panel]));
        if panel > 0 {
            for (b, panel) in data.chunks_exact_mut(panel).enumerate() {
                watch::poll();
                fill(panel, weight, gates, hidden, b * width);
            }
        }
        Gates {
            data,
            gates,
            hidden,
            depth,
        }
    }

    /// The packed form of a weight, kept by its storage where it stays; `None` where this processor has no kernel for it.
    pub fn of(weight: &Tensor, gates: usize) -> Option<Arc<Gates>> {
        let layout = weight.layout();
        let dense = weight.dtype() == DType::F32 && layout.rank() == 2 && layout.strides()[1] == 1;
        if isa() == Isa::Baseline || !dense || weight.numel() == 0 {
            return None;
        }
        let key = CacheKey {
            offset: layout.offset() * size_of::<f32>(),
            sizes: [layout.sizes()[0], layout.sizes()[1]],
            strides: [layout.strides()[0], 1],
            groups: gates,
        };
        let make = || Gates::new(matrix_at(&weight.span::<f32>(), layout, 0), gates);
        let kept = weight.storage().derived(key, make);
        Some(kept.unwrap_or_else(|| Arc::new(make())))
    }

    /// Hidden units.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    pub(super) fn panel(&self, block: usize) -> &[f32] {
        let size = self.gates * width() * self.depth;
        &self.data[block * size..][..size]
    }
}

/// Fills the panel of a block: for every number along the rows, a vector of units of each gate. Units that there are not
/// have zeros.
fn fill(panel: &mut [f32], weight: Matrix<'_, f32>, gates: usize, hidden: usize, first: usize) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
    unsafe fn avx512(panel: &mut [f32], rows: &[&[f32]], step: usize) -> usize {
        // SAFETY: passed on.
        unsafe { squares::<std::arch::x86_64::__m512>(panel, rows, step) }
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn avx2(panel: &mut [f32], rows: &[&[f32]], step: usize) -> usize {
        // SAFETY: passed on.
        unsafe { squares::<std::arch::x86_64::__m256>(panel, rows, step) }
    }
    let (width, step) = (width(), gates * width());
    let count = width.min(hidden - first);
    if count < width {
        panel.fill(0.0);
    }
    for gate in 0..gates {
        let panel = &mut panel[gate * width..];
        let mut rows: [&[f32]; WIDEST] = [&[]; WIDEST];
        for (unit, row) in rows[..count].iter_mut().enumerate() {
            *row = weight.row(gate * hidden + first + unit);
        }
        let mut done = 0;
        if count == width {
            #[cfg(target_arch = "x86_64")]
            match isa() {
                // SAFETY: the processor has AVX-512.
                Isa::Avx512 => done = unsafe { avx512(panel, &rows[..width], step) },
                // SAFETY: the processor has AVX2 and FMA.
                Isa::Avx2 => done = unsafe { avx2(panel, &rows[..width], step) },
                Isa::Baseline => {}
            }
            #[cfg(target_arch = "aarch64")]
            {
                // SAFETY: every processor of this kind has these vectors.
                done = unsafe { squares::<Neon>(panel, &rows[..width], step) };
            }
        }
        for (unit, row) in rows[..count].iter().enumerate() {
            for (k, value) in row.iter().enumerate().skip(done) {
                panel[k * step + unit] = *value;
            }
        }
    }
}

/// Turns squares of as many rows as a vector has numbers, and writes their columns `step` numbers apart; returns how many
/// numbers of every row that were.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn squares<V: Vector>(panel: &mut [f32], rows: &[&[f32]], step: usize) -> usize {
    let depth = rows[0].len();
    assert!(rows.len() == V::WIDTH && rows.iter().all(|r| r.len() == depth));
    let whole = depth - depth % V::WIDTH;
    assert!(whole == 0 || (whole - 1) * step + V::WIDTH <= panel.len());
    for k in (0..whole).step_by(V::WIDTH) {
        // SAFETY: the asserted lengths cover every access.
        unsafe {
            let mut square = [V::splat(0.0); 16];
            for (vector, row) in square.iter_mut().zip(rows) {
                *vector = V::load(row.as_ptr().add(k));
            }
            transpose(&mut square);
            for (i, vector) in square[..V::WIDTH].iter().enumerate() {
                vector.store(panel.as_mut_ptr().add((k + i) * step));
            }
        }
    }
    whole
}

/// Rows of `units` numbers each as blocks: see the module. Units that there are not are zeros.
pub fn to_blocks(rows: &[f32], units: usize) -> Buffer<f32> {
    let width = width();
    let count = rows.len() / units.max(1);
    let mut out = Buffer::zeroed(memory::times([units.div_ceil(width), count, width]));
    write_blocks(rows, units, count, &mut out);
    out
}

/// Writes rows into the first rows of blocks that have `batch` of them.
pub fn write_blocks(rows: &[f32], units: usize, batch: usize, blocks: &mut [f32]) {
    let width = width();
    for (r, row) in rows.chunks_exact(units.max(1)).enumerate() {
        watch::poll();
        for (b, piece) in row.chunks(width).enumerate() {
            blocks[(b * batch + r) * width..][..piece.len()].copy_from_slice(piece);
        }
    }
}

/// Reads one row out of blocks that have `batch` of them.
pub fn read_row(blocks: &[f32], batch: usize, row: usize, out: &mut [f32]) {
    let width = width();
    for (b, piece) in out.chunks_mut(width).enumerate() {
        piece.copy_from_slice(&blocks[(b * batch + row) * width..][..piece.len()]);
    }
}

/// What a step reads.
#[derive(Clone, Copy)]
pub struct GateStep<'a> {
    /// Of which kind the layer is.
    pub kind: Recurrence,
    /// The packed weight.
    pub weight: &'a Gates,
    /// The gates' part from the input, with all biases but `bias`: a row of all gates for every row.
    pub own: &'a [f32],
    /// The bias of a GRU's new state, inside the reset.
    pub bias: Option<&'a [f32]>,
    /// The state before, in blocks.
    pub state: &'a [f32],
    /// Rows of the step, and those that blocks have.
    pub rows: usize,
    /// Rows that blocks have.
    pub batch: usize,
}

impl GateStep<'_> {
    /// Computes the new state of the step's rows into `new`, and replaces the cell state in `cell` where there is one. Both
    /// are blocks. What gradients need of an LSTM goes to `kept`, unless that is empty: see [`KEPT`].
    pub fn run(&self, new: &mut [f32], cell: &mut [f32], kept: &mut [f32]) {
        let (w, width) = (self.weight, width());
        let gates = self.kind.gates();
        let blocks = w.hidden.div_ceil(width);
        let block = self.batch * width;
        assert!(self.rows <= self.batch && gates == w.gates);
        assert!(self.own.len() >= self.rows * gates * w.hidden);
        assert!(self.state.len() >= w.depth.div_ceil(width) * block && new.len() == blocks * block);
        assert!(self.bias.is_none_or(|b| b.len() == w.hidden));
        assert!(
            cell.len()
                == if self.kind == Recurrence::Lstm {
                    new.len()
                } else {
                    0
                }
        );
        assert!(kept.is_empty() || (kept.len() == KEPT * cell.len() && !cell.is_empty()));
        if self.rows == 0 {
            return;
        }
        let cost = cost(gates * width * self.rows.max(STREAMED), w.depth.max(8));
        let cell_block = if cell.is_empty() { 0 } else { block };
        let kept_block = if kept.is_empty() { 0 } else { KEPT * block };
        let lent = (
            Rows::of(new, block),
            Rows::of(cell, cell_block),
            Rows::of(kept, kept_block),
        );
        threads::split_lent(blocks, 1, cost, lent, &|part, (new, cell, kept)| {
            let to = Written { new, cell, kept };
            #[cfg(target_arch = "x86_64")]
            match isa() {
                // SAFETY: the processor has AVX-512, and the lengths were checked.
                Isa::Avx512 => unsafe { avx512(*self, part, to) },
                // SAFETY: as above, with AVX2 and FMA.
                Isa::Avx2 => unsafe { avx2(*self, part, to) },
                Isa::Baseline => plain(*self, part, to),
            }
            #[cfg(target_arch = "aarch64")]
            // SAFETY: every processor of this kind has these vectors, and the lengths were checked.
            unsafe {
                neon(*self, part, to)
            };
            #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
            plain(*self, part, to);
        });
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
unsafe fn avx512(step: GateStep<'_>, blocks: Range<usize>, to: Written<'_>) {
    use std::arch::x86_64::__m512;
    // SAFETY: passed on.
    unsafe { by_gates::<__m512, 6, 6, 6>(step, blocks, to) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(step: GateStep<'_>, blocks: Range<usize>, to: Written<'_>) {
    use std::arch::x86_64::__m256;
    // SAFETY: passed on.
    unsafe { by_gates::<__m256, 2, 3, 6>(step, blocks, to) }
}

#[cfg(target_arch = "aarch64")]
unsafe fn neon(step: GateStep<'_>, blocks: Range<usize>, to: Written<'_>) {
    // SAFETY: passed on.
    unsafe { by_gates::<Neon, 2, 3, 6>(step, blocks, to) }
}

/// The new states of some blocks, with as many sums at hand as a step of four, three or one gates may have rows.
///
/// # Safety
/// As for [`in_blocks`].
#[inline(always)]
unsafe fn by_gates<V: Vector, const FOUR: usize, const THREE: usize, const ONE: usize>(
    step: GateStep<'_>,
    blocks: Range<usize>,
    to: Written<'_>,
) {
    // SAFETY: passed on.
    unsafe {
        match step.kind.gates() {
            4 => in_blocks::<V, 4, FOUR>(step, blocks, to),
            3 => in_blocks::<V, 3, THREE>(step, blocks, to),
            _ => in_blocks::<V, 1, ONE>(step, blocks, to),
        }
    }
}

/// The new states of some blocks, by at most `M` rows at a time.
///
/// # Safety
/// The lengths are those that [`GateStep::run`] checks, `to` has the blocks with these numbers, and the processor has the vectors'
/// instructions.
#[inline(always)]
unsafe fn in_blocks<V: Vector, const G: usize, const M: usize>(
    step: GateStep<'_>,
    blocks: Range<usize>,
    mut to: Written<'_>,
) {
    let size = step.batch * V::WIDTH;
    let tiles = step.rows.div_ceil(M);
    let mut sums = [[[0f32; WIDEST]; G]; MOST];
    for (i, block) in blocks.enumerate() {
        watch::poll();
        let mut to = to.block(i, size);
        for t in 0..tiles {
            let (top, bottom) = (t * step.rows / tiles, (t + 1) * step.rows / tiles);
            // SAFETY: passed on.
            unsafe {
                match bottom - top {
                    1 if G > 1 => tile::<V, G, 1, 2>(step, block, top, &mut sums),
                    1 => tile::<V, G, 1, 4>(step, block, top, &mut sums),
                    2 if M >= 2 => tile::<V, G, 2, 1>(step, block, top, &mut sums),
                    3 if M >= 3 => tile::<V, G, 3, 1>(step, block, top, &mut sums),
                    4 if M >= 4 => tile::<V, G, 4, 1>(step, block, top, &mut sums),
                    5 if M >= 5 => tile::<V, G, 5, 1>(step, block, top, &mut sums),
                    _ if M >= MOST => tile::<V, G, MOST, 1>(step, block, top, &mut sums),
                    _ => unreachable!("no tile has more rows than `M`"),
                }
            }
            for (row, sums) in (top..bottom).zip(&mut sums) {
                match V::WIDTH {
                    WIDEST => settle::<G, WIDEST>(&step, block, row, sums, &mut to),
                    _ => settle::<G, 8>(&step, block, row, sums, &mut to),
                }
            }
        }
    }
}

/// The sums of the gates of `T` rows from `top` on in a block of a layer of `G` gates. `U` sums of each gate are made side by
/// side, so that none waits for the one before.
///
/// # Safety
/// As for [`in_blocks`].
#[inline(always)]
unsafe fn tile<V: Vector, const G: usize, const T: usize, const U: usize>(
    step: GateStep<'_>,
    block: usize,
    top: usize,
    sums: &mut [[[f32; WIDEST]; G]; MOST],
) {
    let w = step.weight;
    let (hidden, depth, first) = (w.hidden, w.depth, block * V::WIDTH);
    let panel = w.panel(block);
    assert!(
        panel.len() == depth * G * V::WIDTH && top + T <= step.rows && first < hidden && T <= MOST
    );
    let count = V::WIDTH.min(hidden - first);
    // SAFETY: the panel has `G` vectors for each of `depth` numbers; the state has `depth` numbers of every row, in vectors
    // that lie `size` apart; `own` has a row of `G` times `hidden` numbers for every row, of which `count` are read at a time.
    unsafe {
        let mask = V::mask(((1u64 << count) - 1) as u32);
        let mut acc = [[[V::splat(0.0); G]; T]; U];
        for t in 0..T {
            for g in 0..G {
                acc[0][t][g] = if G == 3 && g == 2 {
                    match step.bias {
                        Some(bias) => V::load_chosen(bias.as_ptr().add(first), mask),
                        None => V::splat(0.0),
                    }
                } else {
                    let at = ((top + t) * G + g) * hidden + first;
                    V::load_chosen(step.own.as_ptr().add(at), mask)
                };
            }
        }
        let size = step.batch * V::WIDTH;
        let mut weights = panel.as_ptr();
        let mut from = 0;
        while from < depth {
            let state = step
                .state
                .as_ptr()
                .add(from / V::WIDTH * size + top * V::WIDTH);
            let numbers = V::WIDTH.min(depth - from);
            let whole = numbers - numbers % U;
            let mut k = 0;
            while k < whole {
                for u in 0..U {
                    let w: [V; G] = std::array::from_fn(|g| V::load(weights.add(g * V::WIDTH)));
                    weights = weights.add(G * V::WIDTH);
                    for t in 0..T {
                        let x = V::splat(*state.add(t * V::WIDTH + k + u));
                        for g in 0..G {
                            acc[u][t][g] = x.fma(w[g], acc[u][t][g]);
                        }
                    }
                }
                k += U;
            }
            while k < numbers {
                for t in 0..T {
                    let x = V::splat(*state.add(t * V::WIDTH + k));
                    for g in 0..G {
                        let w = V::load(weights.add(g * V::WIDTH));
                        acc[0][t][g] = x.fma(w, acc[0][t][g]);
                    }
                }
                weights = weights.add(G * V::WIDTH);
                k += 1;
            }
            from += V::WIDTH;
        }
        for t in 0..T {
            for g in 0..G {
                let mut sum = acc[0][t][g];
                for u in 1..U {
                    sum = sum.add(acc[u][t][g]);
                }
                sum.store(sums[t][g].as_mut_ptr());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{GateStep, Gates, read_row, to_blocks, width};
    use crate::linalg::gemm::Matrix;
    use crate::nn::recurrent::cell::{Recurrence, advance, affine};
    use crate::testing::small_numbers as numbers;
    use rushlight_tensor::Buffer;
    use rushlight_tensor::lanes::{Isa, isa};

    #[test]
    fn a_step_is_that_of_the_plain_kernels() {
        if isa() == Isa::Baseline {
            return;
        }
        for kind in [
            Recurrence::Lstm,
            Recurrence::Gru,
            Recurrence::Tanh,
            Recurrence::Relu,
        ] {
            for (rows, hidden) in [(1, 1), (1, 16), (2, 33), (3, 8), (5, 20), (7, 48), (13, 17)] {
                let depth = if kind == Recurrence::Lstm {
                    hidden + 3
                } else {
                    hidden
                };
                let gates = kind.gates();
                let weight = numbers(gates * hidden * depth, 5);
                let weight = Matrix::dense(&weight, gates * hidden, depth);
                let (own, h) = (numbers(rows * gates * hidden, 3), numbers(rows * depth, 11));
                let bias = numbers(hidden, 7);
                let mut c = match kind {
                    Recurrence::Lstm => numbers(rows * hidden, 13),
                    _ => Vec::new(),
                };

                let packed = Gates::new(weight, gates);
                let state = to_blocks(&h, depth);
                let mut cell = to_blocks(&c, hidden);
                let blocks = hidden.div_ceil(width());
                let mut new = Buffer::unspecified(blocks * rows * width());
                let inside = (kind == Recurrence::Gru).then_some(&bias[..]);
                GateStep {
                    kind,
                    weight: &packed,
                    own: &own,
                    bias: inside,
                    state: &state,
                    rows,
                    batch: rows,
                }
                .run(&mut new, &mut cell, &mut []);

                let mut all = vec![0.0; gates * hidden];
                if kind == Recurrence::Gru {
                    all[2 * hidden..].copy_from_slice(&bias);
                }
                let mut carried = vec![0.0; rows * gates * hidden];
                affine(&h, rows, weight, Some(&all), &mut carried);
                let mut want: Vec<f32> = match kind {
                    Recurrence::Lstm => vec![0.0; rows * hidden],
                    _ => h.clone(),
                };
                advance(kind, &own, &carried, &mut want, &mut c, hidden);

                for row in 0..rows {
                    let mut got = vec![0.0; hidden];
                    let mut check = |blocks: &[f32], want: &[f32]| {
                        read_row(blocks, rows, row, &mut got);
                        for (got, want) in got.iter().zip(&want[row * hidden..]) {
                            assert!(
                                (got - want).abs() < 1e-5,
                                "{kind:?} {rows}x{hidden}: {got} for {want}"
                            );
                        }
                    };
                    check(&new, &want);
                    if !c.is_empty() {
                        check(&cell, &c);
                    }
                }
            }
        }
    }
}
