//! Products in f32 whose right operand has dense columns: the weight of a linear layer.
//!
//! A tile is a run of rows by two vectors of columns. For every number along the inner dimension it loads two vectors
//! of a packed panel and multiplies them with one number of each row. Panels are packed as they are needed, or come
//! packed from a weight that is used again and again; both give the same bits.

use super::gemm::Matrix;
use super::packed::{self, CHANNELS, Packed, block};
use super::product::matrix_at;
#[cfg(target_arch = "aarch64")]
use crate::vector::Neon;
use crate::vector::Vector;
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::threads::{self, Strip};
use rushlight_tensor::{Buffer, DType, Tensor, watch};
use std::ops::Range;

/// Numbers of the left operand that are worked on at a time: half of a second-level cache.
const LEFT: usize = 1 << 18;
/// Most numbers along the inner dimension that are worked on at a time: a quarter of a second-level cache per panel.
const DEPTH: usize = 1 << 10;
/// How many numbers of a panel are asked for ahead of their use.
const AHEAD: usize = 512;

/// Whether the kernel can run and its tiles would not be mostly empty.
pub fn suits(a: &Matrix<'_, f32>, b: &Matrix<'_, f32>) -> bool {
    isa() != Isa::Baseline
        && a.has_dense_rows()
        && b.has_dense_columns()
        && !b.has_dense_rows()
        && b.cols() >= 16
}

/// What the sums of a product start from.
#[derive(Clone, Copy)]
pub enum Start<'a> {
    /// Nothing.
    Zero,
    /// A number per column.
    Columns(&'a [f32]),
    /// What the result holds.
    Result,
}

/// The right operand.
#[derive(Clone, Copy)]
pub enum Right<'a> {
    /// As it lies, with dense columns.
    Plain(Matrix<'a, f32>),
    /// Packed beforehand.
    Packed(&'a Packed),
}

impl Right<'_> {
    fn cols(&self) -> usize {
        match self {
            Right::Plain(b) => b.cols(),
            Right::Packed(p) => p.channels(),
        }
    }

    fn rows(&self) -> usize {
        match self {
            Right::Plain(b) => b.rows(),
            Right::Packed(p) => p.depth(),
        }
    }
}

/// Most rows that a large weight is streamed for. Fewer take no less time: the weight has to be read.
pub const STREAMED: usize = 4;
/// Numbers of a weight that a third-level cache holds with ease. More come from memory, where the weight as it lies is as
/// fast as another copy of it.
const LARGE: usize = 1 << 20;

/// `out = start + x·wᵀ` for matrices in f32 if this kernel is the one for the sizes, packed where `w` is a weight that its
/// storage keeps packed; says whether it was. `out` is dense. What is asked depends on sizes and strides alone: a product
/// has the same bits before its weight is kept and afterwards.
pub fn by_kept_weight(x: &Tensor, w: &Tensor, start: Start<'_>, out: &mut [f32]) -> bool {
    let dense = |t: &Tensor| t.dtype() == DType::F32 && t.layout().strides()[1] == 1;
    if !dense(x) || !dense(w) || (x.size(0) <= STREAMED && w.numel() > LARGE) {
        return false;
    }
    let (a, b) = (x.span::<f32>(), w.span::<f32>());
    let a = matrix_at(&a, x.layout(), 0);
    let b = matrix_at(&b, w.layout(), 0).transposed();
    if !suits(&a, &b) {
        return false;
    }
    match Packed::kept(w) {
        Some(kept) => run(a, Right::Packed(&kept), start, out, w.size(0)),
        None => run(a, Right::Plain(b), start, out, w.size(0)),
    }
    true
}

/// `c = start + a·b`; `c` is row-major with `stride` numbers from row to row.
pub fn run(a: Matrix<'_, f32>, b: Right<'_>, start: Start<'_>, c: &mut [f32], stride: usize) {
    let (rows, cols) = (a.rows(), b.cols());
    if rows == 0 || cols == 0 {
        return;
    }
    assert!(a.has_dense_rows() && a.cols() == b.rows());
    assert!(stride >= cols && cols <= c.len() && rows - 1 <= (c.len() - cols) / stride);
    let c = &mut c[..(rows - 1) * stride + cols];
    if let Start::Columns(bias) = start {
        assert_eq!(bias.len(), cols);
    }
    // What has more columns than rows is cut into columns: every part reads, and packs, only its own part of the weight.
    if cols >= rows {
        let c = Strip::of(c, rows, cols, stride);
        let cost = super::gemm::cost(rows.max(STREAMED), a.cols());
        threads::split_lent(cols, block(), cost, c, &|part, c| {
            on_one_thread(a, b, part, start, c);
        });
    } else {
        let cost = super::gemm::cost(cols, a.cols());
        threads::split_rows(c, stride, 14, cost, &|part, c| {
            let c = Strip::of(c, part.len(), cols, stride);
            on_one_thread(a.rows_in(part), b, 0..cols, start, c);
        });
    }
}

/// The product with some columns of `b`, which begin with a panel; `c` are those of the result.
fn on_one_thread(
    a: Matrix<'_, f32>,
    b: Right<'_>,
    columns: Range<usize>,
    start: Start<'_>,
    c: Strip<'_, f32>,
) {
    #[cfg(target_arch = "x86_64")]
    match isa() {
        // SAFETY: the processor has AVX-512, and the operands were checked.
        Isa::Avx512 => unsafe { avx512(a, b, columns, start, c) },
        // SAFETY: as above, with AVX2 and FMA.
        Isa::Avx2 => unsafe { avx2(a, b, columns, start, c) },
        Isa::Baseline => unreachable!("`suits` asks for vectors"),
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: every processor of this kind has these vectors, and the operands were checked.
    unsafe {
        panels::<Neon>(a, b, columns, start, c, 6)
    };
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
unsafe fn avx512(
    a: Matrix<'_, f32>,
    b: Right<'_>,
    columns: Range<usize>,
    start: Start<'_>,
    c: Strip<'_, f32>,
) {
    // SAFETY: passed on.
    unsafe { panels::<std::arch::x86_64::__m512>(a, b, columns, start, c, 14) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(
    a: Matrix<'_, f32>,
    b: Right<'_>,
    columns: Range<usize>,
    start: Start<'_>,
    c: Strip<'_, f32>,
) {
    // SAFETY: passed on.
    unsafe { panels::<std::arch::x86_64::__m256>(a, b, columns, start, c, 6) }
}

/// Runs over blocks of rows, then panels of columns, then tiles of at most `most` rows, as equal as can be.
///
/// # Safety
/// The operands are checked and the processor has the vectors' instructions.
#[inline(always)]
unsafe fn panels<V: Vector>(
    a: Matrix<'_, f32>,
    b: Right<'_>,
    columns: Range<usize>,
    start: Start<'_>,
    mut c: Strip<'_, f32>,
    most: usize,
) {
    let (rows, depth) = (a.rows(), a.cols());
    assert!(rows == c.rows() && columns.len() == c.columns() && columns.end <= b.cols());
    let block = 2 * V::WIDTH;
    // Made when a panel has to be packed first: packed weights need no memory.
    let mut own: Option<Buffer<f32>> = None;
    let parts = depth.div_ceil(DEPTH).max(1);
    let blocks = rows.div_ceil((LEFT / depth.max(1)).max(8 * most));
    for i in 0..blocks {
        let (top, bottom) = (i * rows / blocks, (i + 1) * rows / blocks);
        let tiles = (bottom - top).div_ceil(most);
        for first in columns.clone().step_by(block) {
            watch::poll();
            let count = block.min(columns.end - first);
            let mut bias = [0f32; CHANNELS];
            if let Start::Columns(all) = start {
                bias[..count].copy_from_slice(&all[first..first + count]);
            }
            for part in 0..parts {
                let (near, far) = (part * depth / parts, (part + 1) * depth / parts);
                let panel = match b {
                    Right::Plain(b) => {
                        let own = own
                            .get_or_insert_with(|| Buffer::unspecified(block * depth.min(DEPTH)));
                        let piece = &mut own[..(far - near) * block];
                        packed::fill(piece, b.transposed(), first, near);
                        piece
                    }
                    Right::Packed(p) => &p.panel(first)[near * block..far * block],
                };
                let after = match b {
                    Right::Plain(_) => panel.as_ptr(),
                    Right::Packed(_) => panel.as_ptr_range().end,
                };
                for t in 0..tiles {
                    let y0 = top + t * (bottom - top) / tiles;
                    let y1 = top + (t + 1) * (bottom - top) / tiles;
                    let stride = c.stride();
                    let tile = Tile {
                        a: a.elements()
                            .get(y0 * a.row_stride() + near..)
                            .unwrap_or(&[]),
                        a_stride: a.row_stride(),
                        panel,
                        // What follows in memory is needed next: the first two tiles fetch half of it each.
                        next: after.wrapping_add(t.min(1) * (far - near) * V::WIDTH),
                        bias: &bias,
                        add: part > 0 || matches!(start, Start::Result),
                        columns: count,
                        stride,
                    };
                    let out = c.place(y0, first - columns.start);
                    assert!(y1 <= rows);
                    // SAFETY: passed on; the rows and columns are inside both operands and the result.
                    unsafe { sized::<V>(y1 - y0, tile, out) };
                }
            }
        }
    }
}

/// One tile.
struct Tile<'a> {
    /// The first row, and the numbers from row to row.
    a: &'a [f32],
    a_stride: usize,
    panel: &'a [f32],
    /// A panel that will be needed soon.
    next: *const f32,
    bias: &'a [f32; CHANNELS],
    /// Whether the result's own numbers are part of the sums.
    add: bool,
    /// Columns that the result has, at most two vectors.
    columns: usize,
    /// Numbers from row to row of the result.
    stride: usize,
}

/// A tile of any number of rows.
///
/// # Safety
/// As for [`tile`].
#[inline(always)]
unsafe fn sized<V: Vector>(rows: usize, job: Tile<'_>, out: *mut f32) {
    macro_rules! sizes {
        ($($n:literal)*) => {
            match rows {
                // SAFETY: passed on.
                $($n => unsafe { tile::<V, $n>(job, out) },)*
                _ => unreachable!("tiles have at most 14 rows"),
            }
        };
    }
    if V::WIDTH == 16 {
        sizes!(1 2 3 4 5 6 7 8 9 10 11 12 13 14);
    } else {
        sizes!(1 2 3 4 5 6);
    }
}

/// `T` rows by two vectors of columns.
///
/// # Safety
/// The processor has the vectors' instructions, and `out` is the first of `T` rows of as many columns as the job says.
#[inline(always)]
unsafe fn tile<V: Vector, const T: usize>(job: Tile<'_>, out: *mut f32) {
    let Tile {
        a_stride,
        columns,
        stride,
        ..
    } = job;
    let depth = job.panel.len() / (2 * V::WIDTH);
    assert!(job.panel.len() == depth * 2 * V::WIDTH && columns <= 2 * V::WIDTH);
    assert!(depth == 0 || (T - 1) * a_stride + depth <= job.a.len());
    // SAFETY: the asserted lengths cover every access to the operands, the caller vouches for the result.
    unsafe {
        let lanes = |count: usize| V::mask(((1u64 << count.min(V::WIDTH)) - 1) as u32);
        let masks = [lanes(columns), lanes(columns.saturating_sub(V::WIDTH))];
        let bias = job.bias.as_ptr();
        let first = [V::load(bias), V::load(bias.add(V::WIDTH))];
        let mut acc = [first; T];
        let (mut a, mut w, mut next) = (job.a.as_ptr(), job.panel.as_ptr(), job.next);
        if job.add {
            for (r, acc) in acc.iter_mut().enumerate() {
                let at = out.add(r * stride);
                acc[0] = V::load_chosen(at, masks[0]);
                acc[1] = V::load_chosen(at.wrapping_add(V::WIDTH), masks[1]);
            }
        }
        for _ in 0..depth {
            let (w0, w1) = (V::load(w), V::load(w.add(V::WIDTH)));
            V::prefetch(w.wrapping_add(AHEAD));
            V::prefetch(w.wrapping_add(AHEAD + V::WIDTH));
            V::prefetch_far(next);
            next = next.wrapping_add(V::WIDTH);
            w = w.add(2 * V::WIDTH);
            for (r, acc) in acc.iter_mut().enumerate() {
                let x = V::splat(*a.add(r * a_stride));
                acc[0] = x.fma(w0, acc[0]);
                acc[1] = x.fma(w1, acc[1]);
            }
            a = a.add(1);
        }
        // Some processors take a dozen cycles for a store with a mask.
        let is_whole = columns == 2 * V::WIDTH;
        for (r, acc) in acc.iter().enumerate() {
            let at = out.add(r * stride);
            if is_whole {
                acc[0].store(at);
                acc[1].store(at.add(V::WIDTH));
                continue;
            }
            acc[0].store_chosen(at, masks[0]);
            acc[1].store_chosen(at.wrapping_add(V::WIDTH), masks[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::gemm::{Matrix, product};
    use super::{Right, Start, by_kept_weight, run, suits};
    use crate::linalg::packed::Packed;
    use crate::testing::numbers;
    use rushlight_tensor::Tensor;

    #[test]
    fn packed_and_plain_weights_give_the_same_bits_from_every_start() {
        for (m, k, n) in [
            (9, 16, 16),
            (30, 33, 70),
            (14, 5, 32),
            (200, 64, 45),
            (17, 0, 20),
        ] {
            let (x, w, bias) = (numbers(m * k, 5), numbers(n * k, 3), numbers(n, 11));
            let a = Matrix::dense(&x, m, k);
            let rows = Matrix::dense(&w, n, k);
            if !suits(&a, &rows.transposed()) {
                continue;
            }
            let packed = Packed::new(rows);
            for start in [Start::Zero, Start::Columns(&bias), Start::Result] {
                let (mut c, mut d) = (vec![1.0; m * n], vec![1.0; m * n]);
                run(a, Right::Plain(rows.transposed()), start, &mut c, n);
                run(a, Right::Packed(&packed), start, &mut d, n);
                assert_eq!(c, d);
                for (i, got) in c.iter().enumerate() {
                    let from = match start {
                        Start::Zero => 0.0,
                        Start::Columns(b) => b[i % n],
                        Start::Result => 1.0,
                    };
                    let terms = (0..k).map(|l| x[i / n * k + l] * w[i % n * k + l]);
                    let want = from + terms.sum::<f32>();
                    assert!(
                        (got - want).abs() <= 1e-4 * want.abs().max(1.0),
                        "{m}x{k}x{n} at {i}: {got} for {want}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_weight_gives_the_same_bits_before_it_is_kept_and_afterwards() {
        for (n, k) in [(40, 33), (16, 64), (1100, 1000)] {
            for rows in [1, 2, 3, 4, 5, 8, 9, 20] {
                let w = Tensor::from_vec(numbers(n * k, 3), &[n, k]).unwrap();
                let x = Tensor::from_vec(numbers(rows * k, 5), &[rows, k]).unwrap();
                let bias = numbers(n, 11);
                let mut results = Vec::new();
                for _ in 0..3 {
                    let mut out = vec![0.0; rows * n];
                    let taken = by_kept_weight(&x, &w, Start::Columns(&bias), &mut out);
                    results.push((taken, out));
                }
                assert!(results.iter().all(|r| *r == results[0]), "{rows}x{k}x{n}");
            }
        }
    }

    #[test]
    fn rows_of_the_result_may_lie_apart() {
        let (x, w) = (numbers(20 * 40, 5), numbers(33 * 40, 3));
        let (a, b) = (
            Matrix::dense(&x, 20, 40),
            Matrix::dense(&w, 33, 40).transposed(),
        );
        let mut apart = vec![7.0; 20 * 50];
        let mut dense = vec![0.0; 20 * 33];
        product(a, b, &mut apart, 50, false);
        product(a, b, &mut dense, 33, false);
        for (wide, row) in apart.chunks(50).zip(dense.chunks(33)) {
            assert_eq!(&wide[..33], row);
            assert!(wide[33..].iter().all(|v| *v == 7.0));
        }
    }
}
