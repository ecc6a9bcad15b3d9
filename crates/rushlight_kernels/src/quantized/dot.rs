//! Sums of products of bytes: rows of unsigned ones with columns of signed ones.
//!
//! Columns are packed sixteen side by side, four numbers of each at a time, which is what the instructions of AVX-512 VNNI
//! take. Sums are exact and wrap around at 32 bits, so that all ways to compute them give the same.

use rushlight_tensor::memory;

/// Columns that stand side by side.
const SIDE: usize = 16;
/// Numbers of a column that stand together.
const QUAD: usize = 4;

/// The right operand, packed.
pub struct Columns {
    /// Numbers of a column.
    depth: usize,
    count: usize,
    /// By block of columns, quad, column and number; zero beyond the last ones.
    packed: Vec<i8>,
    /// The sum of each column.
    sums: Vec<i32>,
}

impl Columns {
    /// Packs `count` columns of `depth` numbers.
    pub fn new(count: usize, depth: usize, at: impl Fn(usize, usize) -> i8) -> Columns {
        let (blocks, quads) = (count.div_ceil(SIDE), depth.div_ceil(QUAD));
        let mut packed = memory::filled(memory::times([blocks, quads, SIDE * QUAD]), 0i8);
        let mut sums = memory::filled(count, 0i32);
        for (column, sum) in sums.iter_mut().enumerate() {
            let first = (column / SIDE * quads * SIDE + column % SIDE) * QUAD;
            for k in 0..depth {
                let value = at(column, k);
                packed[first + k / QUAD * SIDE * QUAD + k % QUAD] = value;
                *sum = sum.wrapping_add(i32::from(value));
            }
        }
        Columns {
            depth,
            count,
            packed,
            sums,
        }
    }

    /// Numbers of a column.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Bytes that a row must have: the depth, up to a whole quad.
    pub fn row_bytes(&self) -> usize {
        self.depth.next_multiple_of(QUAD)
    }

    /// How many columns there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The sum of each column.
    pub fn sums(&self) -> &[i32] {
        &self.sums
    }
}

/// Rows of bytes by columns, and where the results lie. What rows hold beyond the depth of the columns does not matter.
#[derive(Clone, Copy)]
pub struct Product<'a> {
    pub rows: &'a [u8],
    /// The distance of rows, in bytes.
    pub stride: usize,
    /// How many rows there are.
    pub count: usize,
    pub columns: &'a Columns,
    /// The distance of rows of results, in numbers.
    pub out_stride: usize,
}

/// Puts the products into rows of `out`.
pub fn product(of: Product<'_>, out: &mut [i32]) {
    let Product {
        rows,
        stride,
        count,
        columns,
        out_stride,
    } = of;
    if count == 0 || columns.count == 0 {
        return;
    }
    assert!(
        stride
            .checked_mul(count - 1)
            .is_some_and(|last| { last <= rows.len() && columns.row_bytes() <= rows.len() - last })
    );
    assert!(
        out_stride
            .checked_mul(count - 1)
            .is_some_and(|last| { last <= out.len() && columns.count <= out.len() - last })
    );
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni")
        {
            // SAFETY: the processor has the instructions, and rows and results were checked above.
            unsafe { x86::vnni(of, out) };
            return;
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            unsafe { x86::avx2(of, out) };
            return;
        }
    }
    plain(of, out);
}

/// The products, for any processor.
fn plain(of: Product<'_>, out: &mut [i32]) {
    let Product {
        rows,
        stride,
        count,
        columns,
        out_stride,
    } = of;
    let bytes = columns.row_bytes();
    for (block, packed) in columns.packed.chunks((bytes * SIDE).max(1)).enumerate() {
        let first = block * SIDE;
        let wide = SIDE.min(columns.count - first);
        for row in 0..count {
            let bytes = &rows[row * stride..row * stride + bytes];
            let mut sums = [0i32; SIDE];
            for (quad, packed) in bytes.chunks(QUAD).zip(packed.chunks(SIDE * QUAD)) {
                for (sum, packed) in sums.iter_mut().zip(packed.chunks(QUAD)) {
                    for (x, w) in quad.iter().zip(packed) {
                        *sum = sum.wrapping_add(i32::from(*x) * i32::from(*w));
                    }
                }
            }
            let at = row * out_stride + first;
            out[at..at + wide].copy_from_slice(&sums[..wide]);
        }
    }
    if columns.depth == 0 {
        for row in out.chunks_mut(out_stride.max(1)).take(count) {
            row[..columns.count].fill(0);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Product, QUAD, SIDE};
    use std::arch::x86_64::*;

    /// Four bytes of a row as one number.
    ///
    /// # Safety
    /// The bytes are readable.
    #[inline(always)]
    unsafe fn quad(at: *const u8) -> i32 {
        // SAFETY: passed on.
        unsafe { at.cast::<i32>().read_unaligned() }
    }

    /// The products with instructions for sums of four products.
    ///
    /// # Safety
    /// The processor has AVX-512 with VNNI; rows are readable for `columns.row_bytes()`, and results writable for
    /// `columns.count`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub unsafe fn vnni(of: Product<'_>, out: &mut [i32]) {
        let blocks = of.columns.count.div_ceil(SIDE);
        let mut block = 0;
        while block < blocks {
            // SAFETY: passed on; there are as many blocks of columns as each call takes.
            unsafe {
                match blocks - block {
                    1 => {
                        tiles::<1, 12>(of, block, out);
                        block += 1;
                    }
                    3 => {
                        tiles::<3, 8>(of, block, out);
                        block += 3;
                    }
                    _ => {
                        tiles::<2, 12>(of, block, out);
                        block += 2;
                    }
                }
            }
        }
    }

    /// All rows by `B` blocks of columns, `R` rows at a time.
    ///
    /// # Safety
    /// As [`vnni`]; there are so many blocks.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn tiles<const B: usize, const R: usize>(
        of: Product<'_>,
        block: usize,
        out: &mut [i32],
    ) {
        let whole = of.count / R * R;
        // SAFETY: passed on; the tiles lie within the rows.
        unsafe {
            for row in (0..whole).step_by(R) {
                tile::<B, R>(of, row, block, out);
            }
            let mut row = whole;
            while of.count - row >= 4 {
                tile::<B, 4>(of, row, block, out);
                row += 4;
            }
            for row in row..of.count {
                tile::<B, 1>(of, row, block, out);
            }
        }
    }

    /// `R` rows by `B` blocks of columns.
    ///
    /// # Safety
    /// As [`vnni`]; there are so many rows and blocks.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn tile<const B: usize, const R: usize>(
        of: Product<'_>,
        row: usize,
        block: usize,
        out: &mut [i32],
    ) {
        let Product {
            rows,
            stride,
            columns,
            out_stride,
            ..
        } = of;
        let quads = columns.row_bytes() / QUAD;
        let size = quads * SIDE * QUAD;
        let mut sums = [[_mm512_setzero_si512(); B]; R];
        // SAFETY: blocks lie within the packed columns and rows are readable for all quads, as the caller says.
        unsafe {
            let from = rows.as_ptr().add(row * stride);
            let packed = columns.packed.as_ptr().add(block * size);
            for k in 0..quads {
                let mut w = [_mm512_setzero_si512(); B];
                for (b, w) in w.iter_mut().enumerate() {
                    *w = _mm512_loadu_si512(packed.add(b * size + k * SIDE * QUAD).cast());
                }
                for (r, sums) in sums.iter_mut().enumerate() {
                    let x = _mm512_set1_epi32(quad(from.add(r * stride + k * QUAD)));
                    for (sum, w) in sums.iter_mut().zip(&w) {
                        *sum = _mm512_dpbusd_epi32(*sum, x, *w);
                    }
                }
            }
            for (r, sums) in sums.iter().enumerate() {
                for (b, sum) in sums.iter().enumerate() {
                    let first = (block + b) * SIDE;
                    let mask = match columns.count - first {
                        wide @ 0..SIDE => (1u16 << wide) - 1,
                        _ => u16::MAX,
                    };
                    let to = out.as_mut_ptr().add((row + r) * out_stride + first);
                    _mm512_mask_storeu_epi32(to, mask, *sum);
                }
            }
        }
    }

    /// The products with instructions for sums of two products of 16 bits.
    ///
    /// # Safety
    /// As [`vnni`], with AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn avx2(of: Product<'_>, out: &mut [i32]) {
        let Product {
            rows,
            stride,
            count,
            columns,
            out_stride,
        } = of;
        const PARTS: usize = SIDE / 4;
        let quads = columns.row_bytes() / QUAD;
        let size = quads * SIDE * QUAD;
        for block in 0..columns.count.div_ceil(SIDE) {
            let first = block * SIDE;
            let wide = SIDE.min(columns.count - first);
            for row in 0..count {
                // Each vector has two sums for each of four columns.
                let mut sums = [_mm256_setzero_si256(); PARTS];
                let mut pairs = [0i32; 2 * SIDE];
                // SAFETY: as in `tile`.
                unsafe {
                    let from = rows.as_ptr().add(row * stride);
                    let packed = columns.packed.as_ptr().add(block * size);
                    for k in 0..quads {
                        let x = _mm_set1_epi32(quad(from.add(k * QUAD)));
                        let x = _mm256_cvtepu8_epi16(x);
                        for (part, sum) in sums.iter_mut().enumerate() {
                            let at = packed.add(k * SIDE * QUAD + part * 4 * QUAD);
                            let w = _mm256_cvtepi8_epi16(_mm_loadu_si128(at.cast()));
                            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(x, w));
                        }
                    }
                    for (part, sum) in sums.iter().enumerate() {
                        _mm256_storeu_si256(pairs.as_mut_ptr().add(part * 8).cast(), *sum);
                    }
                }
                let at = row * out_stride + first;
                for (out, pair) in out[at..at + wide].iter_mut().zip(pairs.chunks(2)) {
                    *out = pair[0].wrapping_add(pair[1]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
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
        for (count, depth, columns) in [(1, 1, 1), (5, 7, 3), (13, 64, 16), (30, 9, 50), (4, 0, 2)]
        {
            let weights = bytes(depth * columns, 7);
            let at = |column: usize, k: usize| weights[column * depth + k] as i8;
            let packed = Columns::new(columns, depth, at);
            let stride = packed.row_bytes() + 1;
            let rows = bytes(stride * count, 3);
            let sum = |row: usize, column: usize| -> i32 {
                let products = (0..depth)
                    .map(|k| i32::from(rows[row * stride + k]) * i32::from(at(column, k)));
                products.sum()
            };
            let of = Product {
                rows: &rows,
                stride,
                count,
                columns: &packed,
                out_stride: columns,
            };
            let mut results = vec![vec![-1; count * columns]; 2];
            product(of, &mut results[0]);
            plain(of, &mut results[1]);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                let mut out = vec![-1; count * columns];
                // SAFETY: the processor has the instructions; rows and results are as long as they must be.
                unsafe { x86::avx2(of, &mut out) };
                results.push(out);
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
