//! Products of many small matrices: each stays in registers and a near cache, and nothing is packed but columns that have to become rows.

use super::gemm::Matrix;
use crate::unrolled;
use crate::wide::{Job, MOST_LANES, Part, Wide, square, store_square, turned, with_vectors};
use rushlight_tensor::{Complex, Element, Layout, watch};
use std::ops::Range;

/// The most numbers of a right matrix that stay near.
const NEAR: usize = 4096;
/// The largest sum of products of one matrix for which packing would take longer than it spares.
const MOST: usize = 1 << 16;

/// Rows for which columns of so many numbers are not worth turning.
const FEW: usize = 4;

/// Whether products of `m x k` and `k x n` matrices are small enough, and whether the right ones `turn` first.
pub fn suits<N: Number>([m, k, n]: [usize; 3], turn: bool) -> bool {
    let right = k.saturating_mul(n);
    let products = m.saturating_mul(right).saturating_mul(N::PARTS * N::PARTS);
    let is_near = right.saturating_mul(N::PARTS) <= NEAR;
    let pays = !turn || m >= FEW || right <= NEAR / 16;
    is_near && pays && (1..=MOST).contains(&products)
}

/// The operands of a batch: how the matrices lie in them, and where that of each number begins.
pub struct Operand<'a, T> {
    pub data: &'a [T],
    pub layout: &'a Layout,
    pub start: fn(&Layout, usize) -> usize,
}

impl<'a, T: Copy> Operand<'a, T> {
    fn matrix(&self, number: usize) -> Matrix<'a, T> {
        super::product::matrix_at(self.data, self.layout, (self.start)(self.layout, number))
    }
}

/// Real and complex numbers, as vectors of their parts multiply them.
pub trait Number: Element {
    /// What they are made of.
    type Part: Part;
    /// How many parts each has.
    const PARTS: usize;
    /// The transposed matrix, row-major.
    ///
    /// # Safety
    /// The processor has the vectors' instructions.
    unsafe fn turn<V: Wide<Part = Self::Part>>(from: Matrix<'_, Self>, to: &mut [Self]);
    /// One product, of a right matrix with dense rows.
    ///
    /// # Safety
    /// The processor has the vectors' instructions.
    unsafe fn product<V: Wide<Part = Self::Part>>(
        a: Matrix<'_, Self>,
        b: Matrix<'_, Self>,
        c: &mut [Self],
    );
}

/// The products with these numbers, row-major, one after the other. Both operands [suit](suits).
pub fn products<N: Number>(
    left: &Operand<'_, N>,
    right: &Operand<'_, N>,
    batches: Range<usize>,
    out: &mut [N],
) {
    with_vectors(Products {
        left,
        right,
        batches,
        out,
    });
}

struct Products<'a, N> {
    left: &'a Operand<'a, N>,
    right: &'a Operand<'a, N>,
    batches: Range<usize>,
    out: &'a mut [N],
}

impl<N: Number> Job for Products<'_, N> {
    type Part = N::Part;
    type Output = ();
    #[inline(always)]
    unsafe fn run<V: Wide<Part = N::Part>>(self) {
        let mut rows = [N::default(); NEAR];
        let (right, left) = (self.right, self.left);
        let r = left.layout.rank();
        let size = left.layout.sizes()[r - 2] * right.layout.sizes()[r - 1];
        for (number, c) in self.batches.zip(self.out.chunks_exact_mut(size)) {
            watch::poll();
            let (a, mut b) = (left.matrix(number), right.matrix(number));
            if !b.has_dense_rows() {
                let (k, n) = (b.rows(), b.cols());
                // SAFETY: passed on.
                unsafe { N::turn::<V>(b.transposed(), &mut rows) };
                b = Matrix::dense(&rows[..k * n], k, n);
            }
            // SAFETY: passed on.
            unsafe { N::product::<V>(a, b, c) }
        }
    }
}

macro_rules! numbers {
    ($($t:ty)*) => {
        $(impl Number for $t {
            type Part = $t;
            const PARTS: usize = 1;
            #[inline(always)]
            unsafe fn turn<V: Wide<Part = $t>>(from: Matrix<'_, $t>, to: &mut [$t]) {
                // SAFETY: passed on.
                unsafe { turn::<V>(from, to) }
            }
            #[inline(always)]
            unsafe fn product<V: Wide<Part = $t>>(a: Matrix<'_, $t>, b: Matrix<'_, $t>, c: &mut [$t]) {
                // SAFETY: passed on.
                unsafe { product::<V>(a, b, c) }
            }
        }

        impl Number for Complex<$t> {
            type Part = $t;
            const PARTS: usize = 2;
            #[inline(always)]
            unsafe fn turn<V: Wide<Part = $t>>(from: Matrix<'_, Self>, to: &mut [Self]) {
                let rows = from.rows();
                for l in 0..from.cols() {
                    for (j, to) in to[l * rows..][..rows].iter_mut().enumerate() {
                        *to = from.at(j, l);
                    }
                }
            }
            #[inline(always)]
            unsafe fn product<V: Wide<Part = $t>>(a: Matrix<'_, Self>, b: Matrix<'_, Self>, c: &mut [Self]) {
                // SAFETY: passed on.
                unsafe { complex_product::<V>(a, b, c) }
            }
        })*
    };
}
numbers!(f32 f64);

/// The transposed matrix, row-major.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn turn<V: Wide>(from: Matrix<'_, V::Part>, to: &mut [V::Part]) {
    let (rows, cols, step) = (from.rows(), from.cols(), from.row_stride());
    assert!(from.has_dense_rows() && to.len() >= rows * cols);
    for top in (0..rows).step_by(V::LANES) {
        for left in (0..cols).step_by(V::LANES) {
            let (down, across) = ((rows - top).min(V::LANES), (cols - left).min(V::LANES));
            let last = down - 1;
            // SAFETY: passed on; what is read and written is cut to what there is.
            unsafe {
                let from = from.elements().as_ptr().add(top * step + left);
                let to = to.as_mut_ptr().add(left * rows + top);
                if down == V::LANES && across == V::LANES {
                    let square = turned(square!(V, i => V::load(from.add(i * step))));
                    store_square(square, to, rows);
                    continue;
                }
                let square = turned(square!(V, i => {
                    V::load_first(from.add(i.min(last) * step), across)
                }));
                for (i, row) in square[..across].iter().enumerate() {
                    row.store_first(to.add(i * rows), down);
                }
            }
        }
    }
}

/// One product.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn product<V: Wide>(a: Matrix<'_, V::Part>, b: Matrix<'_, V::Part>, c: &mut [V::Part]) {
    let (m, n) = (a.rows(), b.cols());
    assert!(a.cols() == b.rows() && c.len() == m * n && b.has_dense_rows());
    let mut left = 0;
    // SAFETY: passed on; rows and columns of a block lie within the matrices.
    unsafe {
        while left < n {
            let wide = n - left > V::LANES;
            let mut top = 0;
            while top < m {
                let c = c.as_mut_ptr().add(top * n + left);
                top += match (wide, m - top) {
                    (true, 4..) => block::<V, 4, 2>(a, b, c, [top, left]),
                    (true, 3) => block::<V, 3, 2>(a, b, c, [top, left]),
                    (true, 2) => block::<V, 2, 2>(a, b, c, [top, left]),
                    (true, _) => block::<V, 1, 2>(a, b, c, [top, left]),
                    (false, 8..) => block::<V, 8, 1>(a, b, c, [top, left]),
                    (false, 4..) => block::<V, 4, 1>(a, b, c, [top, left]),
                    (false, 3) => block::<V, 3, 1>(a, b, c, [top, left]),
                    (false, 2) => block::<V, 2, 1>(a, b, c, [top, left]),
                    (false, _) => block::<V, 1, 1>(a, b, c, [top, left]),
                };
            }
            left += if wide { 2 * V::LANES } else { V::LANES };
        }
    }
}

/// `R` rows of so many columns as `C` vectors hold, or as there are; how many rows.
///
/// # Safety
/// The processor has the vectors' instructions; the rows are the left matrix's, the first column the right one's, and `c` is
/// where they begin in a row-major result of as many columns.
#[inline(always)]
unsafe fn block<V: Wide, const R: usize, const C: usize>(
    a: Matrix<'_, V::Part>,
    b: Matrix<'_, V::Part>,
    c: *mut V::Part,
    [top, left]: [usize; 2],
) -> usize {
    let (depth, n) = (a.cols(), b.cols());
    let last = n - left - (C - 1) * V::LANES;
    let (down, across) = (a.row_stride(), a.col_stride());
    // SAFETY: the caller's.
    unsafe {
        let rows = a.elements().as_ptr().add(top * down);
        let columns = b.elements().as_ptr().add(left);
        let mut sums = [[V::splat(V::Part::default()); C]; R];
        for l in 0..depth {
            let from = columns.add(l * b.row_stride());
            let mut line = [V::splat(V::Part::default()); C];
            unrolled!(j < C, at most 2, {
                line[j] = match const { j + 1 == C } && last < V::LANES {
                    true => V::load_first(from.add(j * V::LANES), last),
                    false => V::load(from.add(j * V::LANES)),
                };
            });
            unrolled!(r < R, at most 8, {
                let factor = V::splat(*rows.add(r * down + l * across));
                unrolled!(j < C, at most 2, {
                    sums[r][j] = factor.fma(line[j], sums[r][j]);
                });
            });
        }
        unrolled!(r < R, at most 8, {
            unrolled!(j < C, at most 2, {
                let to = c.add(r * n + j * V::LANES);
                match const { j + 1 == C } && last < V::LANES {
                    true => sums[r][j].store_first(to, last),
                    false => sums[r][j].store(to),
                }
            });
        });
    }
    R
}

/// As [`product`], of complex numbers.
///
/// # Safety
/// As of [`product`].
#[inline(always)]
unsafe fn complex_product<V: Wide>(
    a: Matrix<'_, Complex<V::Part>>,
    b: Matrix<'_, Complex<V::Part>>,
    c: &mut [Complex<V::Part>],
) {
    let numbers = 2 * b.cols();
    assert!(a.cols() == b.rows() && 2 * c.len() == a.rows() * numbers && b.has_dense_rows());
    for left in (0..numbers).step_by(V::LANES) {
        let mut top = 0;
        while top < a.rows() {
            // SAFETY: passed on; rows and columns of a block lie within the matrices.
            unsafe {
                let c = c.as_mut_ptr().cast::<V::Part>().add(top * numbers + left);
                top += match a.rows() - top {
                    4.. => complex_block::<V, 4>(a, b, c, [top, left]),
                    2 | 3 => complex_block::<V, 2>(a, b, c, [top, left]),
                    _ => complex_block::<V, 1>(a, b, c, [top, left]),
                };
            }
        }
    }
}

/// `R` rows of so many complex columns as half a vector holds, or as there are; how many rows. Both parts of the left numbers multiply
/// both parts of the right ones, which are put together at the end.
///
/// # Safety
/// As of [`block`]; `left` and the columns of `c` count single numbers.
#[inline(always)]
unsafe fn complex_block<V: Wide, const R: usize>(
    a: Matrix<'_, Complex<V::Part>>,
    b: Matrix<'_, Complex<V::Part>>,
    c: *mut V::Part,
    [top, left]: [usize; 2],
) -> usize {
    let (depth, numbers) = (a.cols(), 2 * b.cols());
    let last = (numbers - left).min(V::LANES);
    let (down, across) = (2 * a.row_stride(), 2 * a.col_stride());
    // SAFETY: the caller's; a complex number is its parts in turn.
    unsafe {
        let rows = a.elements().as_ptr().cast::<V::Part>().add(top * down);
        let columns = b.elements().as_ptr().cast::<V::Part>().add(left);
        let none = V::splat(V::Part::default());
        let (mut by_re, mut by_im) = ([none; R], [none; R]);
        for l in 0..depth {
            let from = columns.add(2 * l * b.row_stride());
            let line = match last < V::LANES {
                true => V::load_first(from, last),
                false => V::load(from),
            };
            unrolled!(r < R, at most 4, {
                let factor = rows.add(r * down + l * across);
                by_re[r] = V::splat(*factor).fma(line, by_re[r]);
                by_im[r] = V::splat(*factor.add(1)).fma(line, by_im[r]);
            });
        }
        let (mut x, mut y) = (
            [V::Part::default(); MOST_LANES],
            [V::Part::default(); MOST_LANES],
        );
        unrolled!(r < R, at most 4, {
            by_re[r].store(x.as_mut_ptr());
            by_im[r].store(y.as_mut_ptr());
            for i in (0..last).step_by(2) {
                let to = c.add(r * numbers + i);
                to.write(x[i] - y[i + 1]);
                to.add(1).write(x[i + 1] + y[i]);
            }
        });
    }
    R
}

const _: () = assert!(MOST_LANES * MOST_LANES <= NEAR);

#[cfg(test)]
mod tests {
    use crate::linalg::product::batched;
    use crate::wide::tests::with_each;
    use rushlight_tensor::{Complex, DType, Result, Tensor};

    /// Batches of matrices of many sizes, both ways round, in both precisions.
    #[test]
    fn each_product_is_the_sum_of_products() {
        with_each(batches, |found| found.unwrap());
    }

    fn batches() -> Result<()> {
        for [m, k, n] in [
            [1, 1, 1],
            [3, 3, 1],
            [3, 3, 3],
            [5, 2, 17],
            [9, 33, 16],
            [16, 64, 16],
            [7, 5, 40],
            [12, 3, 33],
        ] {
            for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
                let count = 3;
                let whole = |len: usize, by: usize| -> Vec<f64> {
                    (0..len).map(|i| (i * by % 13) as f64 - 6.0).collect()
                };
                let (x, y) = (whole(count * m * k, 7), whole(count * k * n, 5));
                // Complex ones are these times 1 + 2i and 1 - i.
                let turned = |v: &[f64], im: f64| -> Vec<Complex<f64>> {
                    v.iter().map(|v| Complex::new(*v, im * *v)).collect()
                };
                let (left, right) = match dtype.is_complex() {
                    true => (2.0, -1.0),
                    false => (0.0, 0.0),
                };
                let a = Tensor::from_vec(turned(&x, left), &[count, m, k])?.to_dtype(dtype);
                let b = Tensor::from_vec(turned(&y, right), &[count, k, n])?.to_dtype(dtype);
                let columns = b.transpose(1, 2)?.contiguous().transpose(1, 2)?;
                let rows = a.transpose(1, 2)?.contiguous().transpose(1, 2)?;
                let term = |at: usize| {
                    let (batch, i, j) = (at / (m * n), at / n % m, at % n);
                    let of = |l: usize| x[(batch * m + i) * k + l] * y[(batch * k + l) * n + j];
                    (0..k).map(of).sum::<f64>()
                };
                let by = Complex::new(1.0, left) * Complex::new(1.0, right);
                let want: Vec<_> = (0..count * m * n).map(|i| by * term(i)).collect();
                for (a, b) in [(&a, &b), (&a, &columns), (&rows, &b), (&rows, &columns)] {
                    let found = batched(a, b);
                    assert_eq!(found.sizes(), [count, m, n]);
                    assert_eq!(
                        found.to_vec::<Complex<f64>>(),
                        want,
                        "{m} x {k} x {n} in {dtype}"
                    );
                }
            }
        }
        Ok(())
    }
}
