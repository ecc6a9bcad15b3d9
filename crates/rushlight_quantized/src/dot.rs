//! Sums of products of bytes: rows of unsigned ones with columns of signed ones.
//!
//! Rows are read where they lie: each begins somewhere and consists of pieces, which for a convolution are the rows of its
//! window in the picture. Columns are packed sixteen side by side, four numbers of each at a time, which is what the
//! instructions of VNNI take. Sums are exact and wrap around at 32 bits, so that all ways to compute them give the same;
//! they are finished (`finish.rs`) before they leave their registers.

use super::finish::{Finish, SIDE};
use rushlight_kernels::isa::multiversion;
use rushlight_tensor::memory;
use rushlight_tensor::threads::Strip;
use std::ops::Range;

/// Numbers of a column that stand together.
pub const QUAD: usize = 4;

/// The right operand, packed.
pub struct Columns {
    count: usize,
    /// How many pieces a column has, and quads of each.
    pieces: usize,
    quads: usize,
    /// By block of columns, piece, quad, column and number; zero beyond the last ones.
    packed: Vec<i8>,
    /// The sum of each column.
    sums: Vec<i32>,
}

impl Columns {
    /// Packs `count` columns of so many pieces of so many numbers; `at` gives the number of a column, piece and place.
    pub fn new(
        count: usize,
        pieces: usize,
        length: usize,
        at: impl Fn(usize, usize, usize) -> i8,
    ) -> Columns {
        let (blocks, quads) = (count.div_ceil(SIDE), length.div_ceil(QUAD));
        let mut packed = memory::filled(memory::times([blocks, pieces, quads, SIDE * QUAD]), 0i8);
        let mut sums = memory::filled(count, 0i32);
        for (column, sum) in sums.iter_mut().enumerate() {
            let first = (column / SIDE * pieces * quads * SIDE + column % SIDE) * QUAD;
            for piece in 0..pieces {
                let first = first + piece * quads * SIDE * QUAD;
                for k in 0..length {
                    let value = at(column, piece, k);
                    packed[first + k / QUAD * SIDE * QUAD + k % QUAD] = value;
                    *sum = sum.wrapping_add(i32::from(value));
                }
            }
        }
        Columns {
            count,
            pieces,
            quads,
            packed,
            sums,
        }
    }

    /// Bytes that a piece of a row must have: its length, up to a whole quad. What they hold beyond the length does not
    /// matter.
    pub fn piece_bytes(&self) -> usize {
        self.quads * QUAD
    }

    /// How many columns there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The sum of each column.
    pub fn sums(&self) -> &[i32] {
        &self.sums
    }

    /// What sums begin with so that they are those of rows whose bytes are less by `zero_point`: a number for each column,
    /// up to a whole block.
    pub fn beginnings(&self, zero_point: i32) -> Vec<i32> {
        let mut out = memory::filled(self.count.next_multiple_of(SIDE), 0i32);
        for (to, sum) in out.iter_mut().zip(&self.sums) {
            *to = zero_point.wrapping_mul(*sum).wrapping_neg();
        }
        out
    }

    /// Bytes of a block.
    fn block(&self) -> usize {
        self.pieces * self.quads * SIDE * QUAD
    }
}

/// Rows of bytes by columns.
#[derive(Clone, Copy)]
pub struct Product<'a> {
    pub bytes: &'a [u8],
    /// Where each row begins.
    pub starts: &'a [usize],
    /// Where the pieces of a row lie, counted from its beginning.
    pub pieces: &'a [usize],
    pub columns: &'a Columns,
    /// What the sums of each column begin with, up to a whole block.
    pub beginnings: &'a [i32],
    /// The first of the columns that are multiplied, at the beginning of a block; there are as many as results have.
    pub first: usize,
    /// The channel of the columns' first one.
    pub channel: usize,
    /// Whether no sum of two products leaves 16 bits ([`fits_pairs`]).
    pub fits_pairs: bool,
}

impl Product<'_> {
    /// The blocks of columns that are multiplied for so many columns of results.
    fn blocks(&self, columns: usize) -> Range<usize> {
        self.first / SIDE..(self.first + columns).div_ceil(SIDE)
    }
}

#[cfg(target_arch = "x86_64")]
impl Product<'_> {
    /// What is brought nearer while `R` rows are multiplied by `B` blocks: their share of the blocks that come next, by a
    /// step for each quad. Otherwise the first rows wait for memory with every new block, and the memory for the others.
    #[inline(always)]
    fn ahead<const R: usize>(&self, row: usize, block: usize, blocks: usize) -> (*const i8, usize) {
        let size = self.columns.block();
        let quads = self.columns.pieces * self.columns.quads;
        let step = R * blocks * SIDE * QUAD / self.starts.len();
        let done = row * blocks * SIDE * QUAD / self.starts.len() * quads;
        let next = self.columns.packed.as_ptr();
        (next.wrapping_add((block + blocks) * size + done), step)
    }
}

/// Whether sums of two products of these bytes with any columns fit 16 bits: where no byte is above 127, as the reference's
/// observers see to. It is looked for where it makes products faster.
pub fn fits_pairs(bytes: &[u8]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if x86::best() == x86::Best::Avx2 {
        return bytes.chunks(4096).all(|bytes| bits(bytes) < 0x80);
    }
    let _ = bytes;
    false
}

multiversion! {
    fn bits(bytes: &[u8]) -> u8 = all_bits
}

/// The bits that any of the bytes has.
#[inline(always)]
fn all_bits<const FUSED: bool>(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |all, byte| all | byte)
}

/// Puts the products into rows of `out`, which ends with a block or with the columns.
pub fn product<F: Finish>(of: Product<'_>, finish: &F, out: &mut Strip<'_, F::Out>) {
    let columns = of.columns;
    let (Some(start), true) = (of.starts.iter().max(), out.columns() > 0) else {
        return;
    };
    let reach = of.pieces.iter().max().copied().unwrap_or(0);
    let reach = reach + start + columns.piece_bytes();
    assert!(reach <= of.bytes.len() && of.pieces.len() == columns.pieces);
    assert!(of.beginnings.len() >= columns.count.next_multiple_of(SIDE));
    let end = of.first.checked_add(out.columns());
    assert!(of.first.is_multiple_of(SIDE) && end.is_some_and(|end| end <= columns.count));
    assert!(out.rows() == of.starts.len());
    #[cfg(target_arch = "x86_64")]
    match x86::best() {
        // SAFETY: the processor has the instructions, and rows and results were checked above.
        x86::Best::Vnni512 => return unsafe { x86::vnni512(of, finish, out) },
        // SAFETY: as above.
        x86::Best::Vnni256 => return unsafe { x86::vnni256::run(of, finish, out) },
        // SAFETY: as above.
        x86::Best::Avx2 if of.fits_pairs => return unsafe { x86::pairs::run(of, finish, out) },
        // SAFETY: as above.
        x86::Best::Avx2 => return unsafe { x86::avx2(of, finish, out) },
        x86::Best::None => {}
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("dotprod") {
        // SAFETY: as above.
        return unsafe { arm::run(of, finish, out) };
    }
    plain(of, finish, out);
}

/// The products, for any processor.
fn plain<F: Finish>(of: Product<'_>, finish: &F, out: &mut Strip<'_, F::Out>) {
    let columns = of.columns;
    for block in of.blocks(out.columns()) {
        let packed = &columns.packed[block * columns.block()..][..columns.block()];
        for (row, start) in of.starts.iter().enumerate() {
            let mut sums = [0i32; SIDE];
            sums.copy_from_slice(&of.beginnings[block * SIDE..][..SIDE]);
            let mut quads = packed.chunks(SIDE * QUAD);
            for piece in of.pieces {
                let bytes = &of.bytes[start + piece..][..columns.piece_bytes()];
                for (quad, packed) in bytes.chunks(QUAD).zip(&mut quads) {
                    for (sum, packed) in sums.iter_mut().zip(packed.chunks(QUAD)) {
                        for (x, w) in quad.iter().zip(packed) {
                            *sum = sum.wrapping_add(i32::from(*x) * i32::from(*w));
                        }
                    }
                }
            }
            put(&of, finish, [row, block], &sums, out);
        }
    }
}

/// Finishes the sums of a row and a block.
#[inline(always)]
fn put<F: Finish>(
    of: &Product<'_>,
    finish: &F,
    [row, block]: [usize; 2],
    sums: &[i32; SIDE],
    out: &mut Strip<'_, F::Out>,
) {
    let at = block * SIDE - of.first;
    let wide = SIDE.min(out.columns() - at);
    let channel = of.channel + block * SIDE;
    let to = &mut out.row(row)[at..at + wide];
    if wide == SIDE {
        finish.put(channel, sums, to);
    } else {
        finish.put(channel, &sums[..wide], to);
    }
}

/// Four bytes of a row as one number.
///
/// # Safety
/// The bytes are readable.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
unsafe fn quad(at: *const u8) -> i32 {
    // SAFETY: passed on.
    unsafe { at.cast::<i32>().read_unaligned() }
}

/// Where `R` rows begin.
///
/// # Safety
/// There are so many rows from `row` on.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
unsafe fn begin<const R: usize>(of: &Product<'_>, row: usize) -> [*const u8; R] {
    // SAFETY: rows begin inside the bytes.
    std::array::from_fn(|r| unsafe { of.bytes.as_ptr().add(*of.starts.get_unchecked(row + r)) })
}

/// Calls `tile::<R>(row)` so that the tiles are all rows and of nearly the same size, at most `most`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! in_tiles {
    ($count:expr, $most:expr, |$row:ident, $rows:ident| { $($r:literal => $call:expr),* $(,)? }) => {{
        let count: usize = $count;
        let tiles = count.div_ceil($most);
        let (each, longer) = (count / tiles, count % tiles);
        let mut $row = 0;
        for tile in 0..tiles {
            let $rows = each + usize::from(tile < longer);
            match $rows {
                $($r => $call,)*
                _ => unreachable!("tiles have no more rows"),
            }
            $row += $rows;
        }
    }};
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use super::{Finish, Product, QUAD, SIDE, Strip, begin, put, quad};
    use std::arch::aarch64::*;

    /// What makes four unsigned bytes signed ones that are less by 128.
    const SIGNS: i32 = 0x8080_8080_u32 as i32;

    /// Adds four products of four signed bytes each.
    #[inline]
    #[target_feature(enable = "dotprod")]
    fn dot(mut sums: int32x4_t, x: int8x16_t, w: int8x16_t) -> int32x4_t {
        // SAFETY: the instruction, which the function is compiled for, reads and writes these registers alone. (Its name in
        // `std::arch` is not stable yet.)
        unsafe {
            std::arch::asm!(
                "sdot {sums:v}.4s, {x:v}.16b, {w:v}.16b",
                sums = inout(vreg) sums,
                x = in(vreg) x,
                w = in(vreg) w,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        sums
    }

    /// The products with instructions for sums of four products of signed bytes. Those of a row are taken less by 128, which
    /// the sums of columns make good.
    ///
    /// # Safety
    /// The processor has `dotprod`; rows are readable for all their pieces, and results writable for all columns.
    #[target_feature(enable = "dotprod")]
    pub unsafe fn run<F: Finish>(of: Product<'_>, finish: &F, out: &mut Strip<'_, F::Out>) {
        for block in of.blocks(out.columns()) {
            // SAFETY: passed on; there are as many rows as each call takes.
            unsafe {
                in_tiles!(of.starts.len(), 5, |row, rows| {
                    1 => tile::<1, F>(&of, row, block, finish, out),
                    2 => tile::<2, F>(&of, row, block, finish, out),
                    3 => tile::<3, F>(&of, row, block, finish, out),
                    4 => tile::<4, F>(&of, row, block, finish, out),
                    5 => tile::<5, F>(&of, row, block, finish, out),
                });
            }
        }
    }

    /// # Safety
    /// As [`run`]; there are so many rows, and the block.
    #[inline(never)]
    #[target_feature(enable = "dotprod")]
    unsafe fn tile<const R: usize, F: Finish>(
        of: &Product<'_>,
        row: usize,
        block: usize,
        finish: &F,
        out: &mut Strip<'_, F::Out>,
    ) {
        const PARTS: usize = SIDE / 4;
        let columns = of.columns;
        let mut first = [0i32; SIDE];
        first.copy_from_slice(&of.beginnings[block * SIDE..][..SIDE]);
        for (first, sum) in first.iter_mut().zip(&columns.sums[block * SIDE..]) {
            *first = first.wrapping_add(sum.wrapping_mul(128));
        }
        let mut done = [[0i32; SIDE]; R];
        // SAFETY: the rows are readable for all their pieces, which have so many quads; the block has a quad of sixteen
        // columns for each.
        unsafe {
            let from: [*const u8; R] = begin(of, row);
            let first: [int32x4_t; PARTS] =
                std::array::from_fn(|part| vld1q_s32(first.as_ptr().add(part * 4)));
            let mut sums = [first; R];
            let mut packed = columns.packed.as_ptr().add(block * columns.block());
            for piece in of.pieces {
                let mut at = *piece;
                for _ in 0..columns.quads {
                    let w: [int8x16_t; PARTS] =
                        std::array::from_fn(|part| vld1q_s8(packed.add(part * 4 * QUAD)));
                    for (sums, from) in sums.iter_mut().zip(&from) {
                        let x = vreinterpretq_s8_s32(vdupq_n_s32(quad(from.add(at)) ^ SIGNS));
                        for (sum, w) in sums.iter_mut().zip(&w) {
                            *sum = dot(*sum, x, *w);
                        }
                    }
                    packed = packed.add(SIDE * QUAD);
                    at += QUAD;
                }
            }
            for (to, sums) in done.iter_mut().zip(&sums) {
                for (to, sum) in to.chunks_exact_mut(4).zip(sums) {
                    vst1q_s32(to.as_mut_ptr(), *sum);
                }
            }
        }
        for (r, sums) in done.iter().enumerate() {
            put(of, finish, [row + r, block], sums, out);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Finish, Product, QUAD, SIDE, Strip, begin, put, quad};
    use std::arch::x86_64::*;
    use std::mem::MaybeUninit;

    /// The instructions that a processor has for products of bytes.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Best {
        Vnni512,
        Vnni256,
        Avx2,
        None,
    }

    /// The sums of four products, of which those of two fit 16 bits.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn dot_of_pairs(sums: __m256i, x: __m256i, w: __m256i) -> __m256i {
        let pairs = _mm256_maddubs_epi16(x, w);
        _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
    }

    #[inline]
    pub fn best() -> Best {
        use rushlight_tensor::lanes::{Isa, isa};
        let isa = isa();
        if isa == Isa::Avx512 && is_x86_feature_detected!("avx512vnni") {
            Best::Vnni512
        } else if isa != Isa::Baseline && is_x86_feature_detected!("avxvnni") {
            Best::Vnni256
        } else if isa != Isa::Baseline {
            Best::Avx2
        } else {
            Best::None
        }
    }

    /// The products with vectors of 64 bytes.
    ///
    /// # Safety
    /// The processor has AVX-512 with VNNI; rows are readable for all their pieces, and results writable for all columns.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
    pub unsafe fn vnni512<F: Finish>(of: Product<'_>, finish: &F, out: &mut Strip<'_, F::Out>) {
        let blocks = of.blocks(out.columns());
        let count = of.starts.len();
        let mut block = blocks.start;
        while block < blocks.end {
            let left = blocks.end - block;
            // SAFETY: passed on; there are as many rows and blocks of columns as each call takes.
            unsafe {
                if count <= 4 && left >= 4 {
                    in_tiles!(count, 4, |row, rows| {
                        1 => tile::<4, 1, F>(&of, row, block, finish, out),
                        2 => tile::<4, 2, F>(&of, row, block, finish, out),
                        3 => tile::<4, 3, F>(&of, row, block, finish, out),
                        4 => tile::<4, 4, F>(&of, row, block, finish, out),
                    });
                    block += 4;
                } else if left == 3 {
                    in_tiles!(count, 9, |row, rows| {
                        1 => tile::<3, 1, F>(&of, row, block, finish, out),
                        2 => tile::<3, 2, F>(&of, row, block, finish, out),
                        3 => tile::<3, 3, F>(&of, row, block, finish, out),
                        4 => tile::<3, 4, F>(&of, row, block, finish, out),
                        5 => tile::<3, 5, F>(&of, row, block, finish, out),
                        6 => tile::<3, 6, F>(&of, row, block, finish, out),
                        7 => tile::<3, 7, F>(&of, row, block, finish, out),
                        8 => tile::<3, 8, F>(&of, row, block, finish, out),
                        9 => tile::<3, 9, F>(&of, row, block, finish, out),
                    });
                    block += 3;
                } else if left == 1 {
                    in_tiles!(count, 14, |row, rows| {
                        1 => tile::<1, 1, F>(&of, row, block, finish, out),
                        2 => tile::<1, 2, F>(&of, row, block, finish, out),
                        3 => tile::<1, 3, F>(&of, row, block, finish, out),
                        4 => tile::<1, 4, F>(&of, row, block, finish, out),
                        5 => tile::<1, 5, F>(&of, row, block, finish, out),
                        6 => tile::<1, 6, F>(&of, row, block, finish, out),
                        7 => tile::<1, 7, F>(&of, row, block, finish, out),
                        8 => tile::<1, 8, F>(&of, row, block, finish, out),
                        9 => tile::<1, 9, F>(&of, row, block, finish, out),
                        10 => tile::<1, 10, F>(&of, row, block, finish, out),
                        11 => tile::<1, 11, F>(&of, row, block, finish, out),
                        12 => tile::<1, 12, F>(&of, row, block, finish, out),
                        13 => tile::<1, 13, F>(&of, row, block, finish, out),
                        14 => tile::<1, 14, F>(&of, row, block, finish, out),
                    });
                    block += 1;
                } else {
                    in_tiles!(count, 14, |row, rows| {
                        1 => tile::<2, 1, F>(&of, row, block, finish, out),
                        2 => tile::<2, 2, F>(&of, row, block, finish, out),
                        3 => tile::<2, 3, F>(&of, row, block, finish, out),
                        4 => tile::<2, 4, F>(&of, row, block, finish, out),
                        5 => tile::<2, 5, F>(&of, row, block, finish, out),
                        6 => tile::<2, 6, F>(&of, row, block, finish, out),
                        7 => tile::<2, 7, F>(&of, row, block, finish, out),
                        8 => tile::<2, 8, F>(&of, row, block, finish, out),
                        9 => tile::<2, 9, F>(&of, row, block, finish, out),
                        10 => tile::<2, 10, F>(&of, row, block, finish, out),
                        11 => tile::<2, 11, F>(&of, row, block, finish, out),
                        12 => tile::<2, 12, F>(&of, row, block, finish, out),
                        13 => tile::<2, 13, F>(&of, row, block, finish, out),
                        14 => tile::<2, 14, F>(&of, row, block, finish, out),
                    });
                    block += 2;
                }
            }
        }
    }

    /// `R` rows by `B` blocks of columns.
    ///
    /// # Safety
    /// As [`vnni512`]; there are so many rows and blocks.
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
    unsafe fn tile<const B: usize, const R: usize, F: Finish>(
        of: &Product<'_>,
        row: usize,
        block: usize,
        finish: &F,
        out: &mut Strip<'_, F::Out>,
    ) {
        let columns = of.columns;
        let size = columns.block();
        // SAFETY: blocks lie within the packed columns and the beginnings, rows are readable for all pieces and results
        // writable for the columns, as the caller says; all of `done` is written.
        unsafe {
            let from: [*const u8; R] = begin(of, row);
            let first: [__m512i; B] = std::array::from_fn(|b| {
                _mm512_loadu_si512(of.beginnings.as_ptr().add((block + b) * SIDE).cast())
            });
            let mut sums = [first; R];
            let mut packed = columns.packed.as_ptr().add(block * size);
            let (mut ahead, step) = of.ahead::<R>(row, block, B);
            for piece in of.pieces {
                let mut at = *piece;
                for _ in 0..columns.quads {
                    // Nothing is read: any address does.
                    _mm_prefetch::<_MM_HINT_T1>(ahead);
                    ahead = ahead.wrapping_add(step);
                    let w: [__m512i; B] =
                        std::array::from_fn(|b| _mm512_loadu_si512(packed.add(b * size).cast()));
                    for (sums, from) in sums.iter_mut().zip(&from) {
                        let x = _mm512_set1_epi32(quad(from.add(at)));
                        for (sum, w) in sums.iter_mut().zip(&w) {
                            *sum = _mm512_dpbusd_epi32(*sum, x, *w);
                        }
                    }
                    packed = packed.add(SIDE * QUAD);
                    at += QUAD;
                }
            }
            // What comes after is no part of this function, so that sums have their registers until here.
            let mut done = MaybeUninit::<[[[i32; SIDE]; B]; R]>::uninit();
            let to = done.as_mut_ptr().cast::<i32>();
            for (r, sums) in sums.iter().enumerate() {
                for (b, sum) in sums.iter().enumerate() {
                    _mm512_storeu_si512(to.add((r * B + b) * SIDE).cast(), *sum);
                }
            }
            let done = done.assume_init();
            finish_tile(of, [row, block], B, done.as_flattened(), finish, out);
        }
    }

    /// Finishes the sums of rows of `across` blocks.
    ///
    /// # Safety
    /// As [`vnni512`]; there are so many rows and blocks.
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
    unsafe fn finish_tile<F: Finish>(
        of: &Product<'_>,
        [row, block]: [usize; 2],
        across: usize,
        sums: &[[i32; SIDE]],
        finish: &F,
        out: &mut Strip<'_, F::Out>,
    ) {
        for b in 0..across {
            let first = (block + b) * SIDE;
            let at = first - of.first;
            let mask = match out.columns() - at {
                wide @ 0..SIDE => (1u16 << wide) - 1,
                _ => u16::MAX,
            };
            // SAFETY: results are writable for the columns that there are, as the caller says.
            unsafe {
                let lanes = finish.lanes(of.channel + first);
                let mut to = out.place(row, at);
                for sums in sums.iter().skip(b).step_by(across) {
                    let sums = _mm512_loadu_si512(sums.as_ptr().cast());
                    F::put_vector(&lanes, sums, mask, to);
                    to = to.wrapping_add(out.stride());
                }
            }
        }
    }

    /// The products with vectors of 32 bytes and what makes sums of four products, at most so many rows at a time.
    macro_rules! of_32_bytes {
        ($name:ident, $features:literal, $dot:ident, $most:literal) => {
            pub mod $name {
                use super::*;

                /// # Safety
                /// The processor has the features; rows are readable for all their pieces, and results writable for all
                /// columns.
                #[target_feature(enable = $features)]
                pub unsafe fn run<F: Finish>(of: Product<'_>, finish: &F, out: &mut Strip<'_, F::Out>) {
                    for block in of.blocks(out.columns()) {
                        // SAFETY: passed on; there are as many rows as each call takes.
                        unsafe {
                            in_tiles!(of.starts.len(), $most, |row, rows| {
                                1 => tile::<1, F>(&of, row, block, finish, out),
                                2 => tile::<2, F>(&of, row, block, finish, out),
                                3 => tile::<3, F>(&of, row, block, finish, out),
                                4 => tile::<4, F>(&of, row, block, finish, out),
                                5 => tile::<5, F>(&of, row, block, finish, out),
                                6 => tile::<6, F>(&of, row, block, finish, out),
                            });
                        }
                    }
                }

                /// # Safety
                /// As [`run`]; there are so many rows, and the block.
                #[inline(never)]
                #[target_feature(enable = $features)]
                unsafe fn tile<const R: usize, F: Finish>(
                    of: &Product<'_>,
                    row: usize,
                    block: usize,
                    finish: &F,
                    out: &mut Strip<'_, F::Out>,
                ) {
                    let columns = of.columns;
                    // SAFETY: as in `tile` of 64 bytes.
                    unsafe {
                        let from: [*const u8; R] = begin(of, row);
                        let first: [__m256i; 2] = std::array::from_fn(|b| {
                            let first = of.beginnings.as_ptr().add(block * SIDE + b * 8);
                            _mm256_loadu_si256(first.cast())
                        });
                        let mut sums = [first; R];
                        let mut packed = columns.packed.as_ptr().add(block * columns.block());
                        for piece in of.pieces {
                            let mut at = *piece;
                            for _ in 0..columns.quads {
                                let w: [__m256i; 2] = std::array::from_fn(|b| {
                                    _mm256_loadu_si256(packed.add(b * 32).cast())
                                });
                                for (sums, from) in sums.iter_mut().zip(&from) {
                                    let x = _mm256_set1_epi32(quad(from.add(at)));
                                    for (sum, w) in sums.iter_mut().zip(&w) {
                                        *sum = $dot(*sum, x, *w);
                                    }
                                }
                                packed = packed.add(SIDE * QUAD);
                                at += QUAD;
                            }
                        }
                        let mut done = [[0i32; SIDE]; R];
                        for (to, sums) in done.iter_mut().zip(&sums) {
                            for (to, sum) in to.chunks_exact_mut(8).zip(sums) {
                                _mm256_storeu_si256(to.as_mut_ptr().cast(), *sum);
                            }
                        }
                        put_rows(of, [row, block], &done, finish, out);
                    }
                }
            }
        };
    }
    of_32_bytes!(vnni256, "avx2,fma,avxvnni", _mm256_dpbusd_avx_epi32, 6);
    of_32_bytes!(pairs, "avx2,fma", dot_of_pairs, 5);
    #[cfg(test)]
    of_32_bytes!(
        vnni256_of_avx512,
        "avx2,fma,avx512f,avx512vl,avx512vnni",
        _mm256_dpbusd_epi32,
        6
    );

    /// The products with instructions for sums of two products of 16 bits.
    ///
    /// # Safety
    /// As [`vnni512`], with AVX2 and FMA.
    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn avx2<F: Finish>(of: Product<'_>, finish: &F, out: &mut Strip<'_, F::Out>) {
        for block in of.blocks(out.columns()) {
            // SAFETY: passed on; there are as many rows as each call takes.
            unsafe {
                in_tiles!(of.starts.len(), 3, |row, rows| {
                    1 => avx2_tile::<1, F>(&of, row, block, finish, out),
                    2 => avx2_tile::<2, F>(&of, row, block, finish, out),
                    3 => avx2_tile::<3, F>(&of, row, block, finish, out),
                });
            }
        }
    }

    /// # Safety
    /// As [`avx2`]; there are so many rows, and the block.
    #[inline(never)]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn avx2_tile<const R: usize, F: Finish>(
        of: &Product<'_>,
        row: usize,
        block: usize,
        finish: &F,
        out: &mut Strip<'_, F::Out>,
    ) {
        const PARTS: usize = SIDE / 4;
        let columns = of.columns;
        // Each vector has two sums for each of four columns.
        let mut sums = [[_mm256_setzero_si256(); PARTS]; R];
        // SAFETY: as in `tile`.
        unsafe {
            let from: [*const u8; R] = begin(of, row);
            let mut packed = columns.packed.as_ptr().add(block * columns.block());
            for piece in of.pieces {
                let mut at = *piece;
                for _ in 0..columns.quads {
                    let x: [__m256i; R] = std::array::from_fn(|r| {
                        _mm256_cvtepu8_epi16(_mm_set1_epi32(quad(from[r].add(at))))
                    });
                    for part in 0..PARTS {
                        let w = _mm_loadu_si128(packed.add(part * 4 * QUAD).cast());
                        let w = _mm256_cvtepi8_epi16(w);
                        for (sums, x) in sums.iter_mut().zip(&x) {
                            sums[part] = _mm256_add_epi32(sums[part], _mm256_madd_epi16(*x, w));
                        }
                    }
                    packed = packed.add(SIDE * QUAD);
                    at += QUAD;
                }
            }
            let mut pairs = [[0i32; 2 * SIDE]; R];
            for (to, sums) in pairs.iter_mut().zip(&sums) {
                for (to, sum) in to.chunks_exact_mut(8).zip(sums) {
                    _mm256_storeu_si256(to.as_mut_ptr().cast(), *sum);
                }
            }
            let beginnings = &of.beginnings[block * SIDE..][..SIDE];
            let mut done = [[0i32; SIDE]; R];
            for (to, pairs) in done.iter_mut().zip(&pairs) {
                for ((to, pair), first) in to.iter_mut().zip(pairs.chunks(2)).zip(beginnings) {
                    *to = pair[0].wrapping_add(pair[1]).wrapping_add(*first);
                }
            }
            put_rows(of, [row, block], &done, finish, out);
        }
    }

    /// Finishes the sums of rows of a block.
    ///
    /// # Safety
    /// The processor has AVX2 and FMA.
    #[inline(never)]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn put_rows<F: Finish>(
        of: &Product<'_>,
        [row, block]: [usize; 2],
        sums: &[[i32; SIDE]],
        finish: &F,
        out: &mut Strip<'_, F::Out>,
    ) {
        for (r, sums) in sums.iter().enumerate() {
            put(of, finish, [row + r, block], sums, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::finish::Whole;
    use super::*;

    /// Numbers that look random.
    fn bytes(count: usize, seed: u32) -> Vec<u8> {
        let next = |state: &mut u32| {
            *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            Some((*state >> 24) as u8)
        };
        let mut state = seed;
        (0..count).map_while(|_| next(&mut state)).collect()
    }

    #[test]
    fn all_ways_give_the_sums() {
        let cases = [
            (1, 1, 1, 1),
            (5, 1, 7, 3),
            (13, 3, 64, 16),
            (30, 2, 9, 50),
            (4, 1, 0, 2),
            (4, 1, 12, 70),
            (17, 1, 8, 33),
        ];
        let cases = cases
            .into_iter()
            .flat_map(|case| [(case, true), (case, false)]);
        for ((count, pieces, length, columns), small) in cases {
            let weights = bytes(pieces * length * columns, 7);
            let at = |column: usize, piece: usize, k: usize| {
                weights[(column * pieces + piece) * length + k] as i8
            };
            let packed = Columns::new(columns, pieces, length, at);
            let starts: Vec<usize> = (0..count).map(|row| row * 7 % 19).collect();
            let places: Vec<usize> = (0..pieces).map(|piece| piece * 11).collect();
            let mut rows = bytes(19 + pieces * 11 + packed.piece_bytes(), 3);
            if small {
                rows.iter_mut().for_each(|byte| *byte &= 0x7f);
            }
            let sum = |row: usize, column: usize| -> i32 {
                let of_piece = |piece: usize| -> i32 {
                    let x = |k: usize| i32::from(rows[starts[row] + places[piece] + k]) - 5;
                    let products = (0..length).map(|k| x(k) * i32::from(at(column, piece, k)));
                    products.sum()
                };
                (0..pieces).map(of_piece).sum()
            };
            let of = Product {
                bytes: &rows,
                starts: &starts,
                pieces: &places,
                columns: &packed,
                beginnings: &packed.beginnings(5),
                first: 0,
                channel: 0,
                fits_pairs: false,
            };
            fn of_rows(out: &mut [i32], [rows, columns]: [usize; 2]) -> Strip<'_, i32> {
                Strip::of(out, rows, columns, columns)
            }
            let sizes = [count, columns];
            let mut results = vec![vec![-1; count * columns]; 2];
            product(of, &Whole, &mut of_rows(&mut results[0], sizes));
            plain(of, &Whole, &mut of_rows(&mut results[1], sizes));
            // In two parts.
            let (mut parts, middle) = (vec![-1; count * columns], SIDE.min(columns));
            let mut out = of_rows(&mut parts, sizes);
            product(of, &Whole, &mut out.only(0..middle));
            if middle < columns {
                let of = Product {
                    first: middle,
                    ..of
                };
                product(of, &Whole, &mut out.only(middle..columns));
            }
            results.push(parts);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                let mut out = vec![-1; count * columns];
                // SAFETY: the processor has the instructions; rows and results are as long as they must be.
                unsafe { x86::avx2(of, &Whole, &mut of_rows(&mut out, sizes)) };
                results.push(out);
                if small {
                    let mut out = vec![-1; count * columns];
                    // SAFETY: as above.
                    unsafe { x86::pairs::run(of, &Whole, &mut of_rows(&mut out, sizes)) };
                    results.push(out);
                }
                if is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512vl") {
                    let mut out = vec![-1; count * columns];
                    // SAFETY: as above.
                    unsafe {
                        x86::vnni256_of_avx512::run(of, &Whole, &mut of_rows(&mut out, sizes))
                    };
                    results.push(out);
                }
            }
            for (i, out) in results.iter().enumerate() {
                for row in 0..count {
                    for column in 0..columns {
                        assert_eq!(out[row * columns + column], sum(row, column), "way {i}");
                    }
                }
            }
        }
    }
}
