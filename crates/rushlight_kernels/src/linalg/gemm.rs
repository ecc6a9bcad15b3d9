//! The matrix product behind every operator: `c = a·b` or `c += a·b` over strided operands.
//!
//! Operands are views with any strides, so transposes cost nothing. In f32, products with few rows or columns stream the
//! large operand once ([`super::stream`]) and those with a weight run in tiles ([`super::tiles`]); others go to the kernels of
//! `gemm-f32` and `gemm-f64`; integers take a plain loop. 16-bit floats and narrow integers have no kernel here: callers convert with
//! [`product_dtype`].

use super::stream;
use super::tiles::{self, Right, Start};
use gemm_common::Parallelism;
use rushlight_tensor::lanes::{Vectorised, vectorised};
use rushlight_tensor::{Complex, DType, Fault, Number, Result, memory, threads, watch};
use std::ops::Range;

/// A matrix inside a slice. The constructor has checked that every element lies within the slice.
#[derive(Clone, Copy)]
pub struct Matrix<'a, T> {
    data: &'a [T],
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
}

impl<'a, T> Matrix<'a, T> {
    /// A strided matrix from the first element of `data` on. Panics when it would reach outside.
    pub fn new(
        data: &'a [T],
        rows: usize,
        cols: usize,
        row_stride: usize,
        col_stride: usize,
    ) -> Matrix<'a, T> {
        if rows > 0 && cols > 0 {
            let down = (rows - 1).checked_mul(row_stride);
            let across = (cols - 1).checked_mul(col_stride);
            let last = down.zip(across).and_then(|(a, b)| a.checked_add(b));
            assert!(
                last.is_some_and(|last| last < data.len()),
                "matrix reaches outside its elements"
            );
        }
        Matrix {
            data,
            rows,
            cols,
            row_stride,
            col_stride,
        }
    }

    /// A row-major matrix without gaps.
    pub fn dense(data: &'a [T], rows: usize, cols: usize) -> Matrix<'a, T> {
        Matrix::new(data, rows, cols, cols, 1)
    }

    /// The transposed matrix on the same elements.
    pub fn transposed(self) -> Matrix<'a, T> {
        Matrix {
            data: self.data,
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
        }
    }

    /// Some of the rows.
    pub fn rows_in(self, range: Range<usize>) -> Matrix<'a, T> {
        assert!(range.start <= range.end && range.end <= self.rows);
        let first = (range.start * self.row_stride).min(self.data.len());
        Matrix {
            data: &self.data[first..],
            rows: range.len(),
            ..self
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row `i` as a slice, for matrices whose columns are neighbours.
    #[inline(always)]
    pub fn row(&self, i: usize) -> &'a [T] {
        let start = i * self.row_stride;
        &self.data[start..start + self.cols]
    }

    /// The element in row `i` and column `k`.
    #[inline(always)]
    pub fn at(&self, i: usize, k: usize) -> T
    where
        T: Copy,
    {
        self.data[i * self.row_stride + k * self.col_stride]
    }

    /// All elements from the first on.
    pub fn elements(&self) -> &'a [T] {
        self.data
    }

    /// Elements from row to row.
    pub fn row_stride(&self) -> usize {
        self.row_stride
    }

    /// Elements from column to column.
    pub fn col_stride(&self) -> usize {
        self.col_stride
    }

    /// Whether the elements of a row are neighbours.
    pub fn has_dense_rows(&self) -> bool {
        self.col_stride == 1 || self.cols <= 1
    }

    /// Whether the elements of a column are neighbours.
    pub fn has_dense_columns(&self) -> bool {
        self.row_stride == 1 || self.rows <= 1
    }
}

/// Element types that have a product kernel.
pub trait Product: Number {
    /// `c = a·b`, or `c += a·b` where `accumulate`; `c` is row-major with `stride` elements from row to row.
    fn product(
        a: Matrix<'_, Self>,
        b: Matrix<'_, Self>,
        c: &mut [Self],
        stride: usize,
        accumulate: bool,
    );
}

/// The dtype that products of `dtype` are computed in; the kernel name is for the message when there is none.
pub fn product_dtype(kernel: &str, dtype: DType) -> Result<DType> {
    Ok(match dtype {
        DType::F16 | DType::BF16 | DType::F32 => DType::F32,
        d if d == DType::Bool || d.is_wide_unsigned() => {
            return Err(Fault::no_kernel(kernel, dtype));
        }
        d if d.is_eight() && (d == DType::F8E8M0FNU || kernel != "addmm_impl_cpu_") => {
            return Err(Fault::no_kernel(kernel, dtype));
        }
        d if d.is_eight() => DType::F32,
        d if d.is_integral(false) => DType::I64,
        other => other,
    })
}

/// Binds `$T` to the element type of a dtype that [`product_dtype`] returned.
#[macro_export]
macro_rules! product_types {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            rushlight_tensor::DType::F64 => {
                type $T = f64;
                $body
            }
            rushlight_tensor::DType::C128 => {
                type $T = rushlight_tensor::Complex64;
                $body
            }
            rushlight_tensor::DType::C64 => {
                type $T = rushlight_tensor::Complex32;
                $body
            }
            rushlight_tensor::DType::I64 => {
                type $T = i64;
                $body
            }
            _ => {
                type $T = f32;
                $body
            }
        }
    };
}
pub use product_types;

/// What a row of a product costs, in elements of a simple loop: a dozen multiplications take as long as one of them.
pub fn cost(cols: usize, depth: usize) -> usize {
    cols.saturating_mul(depth) / 12
}

/// Checks the shapes and calls the kernel of the element type.
pub fn product<T: Product>(
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    c: &mut [T],
    stride: usize,
    accumulate: bool,
) {
    assert_eq!(a.cols, b.rows, "inner sizes of a product agree");
    if a.rows == 0 || b.cols == 0 {
        return;
    }
    assert!(
        stride >= b.cols
            && (a.rows - 1) <= (c.len() - b.cols.min(c.len())) / stride.max(1)
            && b.cols <= c.len(),
        "the result of a product fits its slice"
    );
    if a.cols == 0 {
        if !accumulate {
            for row in c.chunks_mut(stride).take(a.rows) {
                row[..b.cols].fill(T::ZERO);
            }
        }
        return;
    }
    T::product(a, b, c, stride, accumulate);
}

/// `c = factor·a·b`, plus `c` where `accumulate`, on several threads. The strides are those of the result's rows and columns.
fn general<T: HasKernel>(
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    c: &mut [T],
    strides: (usize, usize),
    accumulate: bool,
    factor: T,
) {
    /// Rows by which work is cut: a multiple of every tile of the callee, so that no number is added up in another order.
    const ROWS: usize = 48;
    // Nor is a single row left over, which the callee takes another way.
    let mut unit = ROWS;
    while a.rows > 1 && a.rows % unit == 1 {
        unit += ROWS;
    }
    let used = (a.rows - 1) * strides.0 + (b.cols - 1) * strides.1 + 1;
    let cost = cost(b.cols, a.cols);
    threads::split_rows(&mut c[..used], strides.0, unit, cost, &|part, c| {
        on_one_thread(a.rows_in(part), b, c, strides, accumulate, factor);
    });
}

/// A kernel of the `gemm-f32` or `gemm-f64` crate: sizes (rows, columns, depth); the result with the strides of its columns and
/// rows and whether it is read; both operands, with their strides in that order; the factors of the result and of
/// the product; what is conjugated; threads.
type Kernel<T> = unsafe fn(
    usize,
    usize,
    usize,
    *mut T,
    isize,
    isize,
    bool,
    *const T,
    isize,
    isize,
    *const T,
    isize,
    isize,
    T,
    T,
    bool,
    bool,
    bool,
    Parallelism,
);

/// Numbers that one of these crates multiplies. Each costs a quarter of a megabyte.
trait HasKernel: Number {
    /// The kernel for this processor.
    fn kernel() -> Kernel<Self>;
}

impl HasKernel for f32 {
    fn kernel() -> Kernel<f32> {
        gemm_f32::gemm::f32::get_gemm_fn()
    }
}

impl HasKernel for f64 {
    fn kernel() -> Kernel<f64> {
        gemm_f64::gemm::f64::get_gemm_fn()
    }
}

/// A kernel on checked operands.
fn on_one_thread<T: HasKernel>(
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    c: &mut [T],
    (row_stride, col_stride): (usize, usize),
    accumulate: bool,
    factor: T,
) {
    /// Longer sums are made in equal parts, as the callee makes them where it does not find the result too small for that.
    const DEEP: usize = 512;
    if a.cols > DEEP {
        let part = a.cols.div_ceil(a.cols.div_ceil(DEEP));
        for start in (0..a.cols).step_by(part) {
            let depth = part.min(a.cols - start);
            let left = Matrix::new(
                &a.data[start * a.col_stride..],
                a.rows,
                depth,
                a.row_stride,
                a.col_stride,
            );
            let right = Matrix::new(
                &b.data[start * b.row_stride..],
                depth,
                b.cols,
                b.row_stride,
                b.col_stride,
            );
            let strides = (row_stride, col_stride);
            on_one_thread(left, right, c, strides, accumulate || start > 0, factor);
        }
        return;
    }
    // Kernels go down the columns of their result; where its rows are dense, they are the columns of the transposed product.
    let (a, b, row_stride, col_stride) = match col_stride < row_stride {
        true => (b.transposed(), a.transposed(), col_stride, row_stride),
        false => (a, b, row_stride, col_stride),
    };
    let kernel = T::kernel();
    let (rows, cols) = block_sizes(a.rows, b.cols, a.cols);
    for (top, rows) in blocks(a.rows, rows) {
        for (left, cols) in blocks(b.cols, cols) {
            watch::poll();
            // SAFETY: `Matrix` has checked that both operands lie within their slices and `product` that the result
            // does, and the block lies within them.
            unsafe {
                let a_data = a.data.as_ptr().add(top * a.row_stride);
                let b_data = b.data.as_ptr().add(left * b.col_stride);
                let c_data = c.as_mut_ptr().add(top * row_stride + left * col_stride);
                kernel(
                    rows,
                    cols,
                    a.cols,
                    c_data,
                    col_stride as isize,
                    row_stride as isize,
                    accumulate,
                    a_data,
                    a.col_stride as isize,
                    a.row_stride as isize,
                    b_data,
                    b.col_stride as isize,
                    b.row_stride as isize,
                    T::ONE,
                    factor,
                    false,
                    false,
                    false,
                    Parallelism::None,
                );
            }
        }
    }
}

/// The first place of each block and its length; a single place at the end belongs to the block before it.
fn blocks(len: usize, block: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = len.saturating_sub(1).div_ceil(block).max(1);
    (0..count).map(move |k| {
        let start = k * block;
        let end = if k + 1 == count { len } else { start + block };
        (start, end - start)
    })
}

/// The rows and columns that are computed at once: all but in huge products, so that these can be stopped. Every number
/// is added up in the same order either way.
fn block_sizes(rows: usize, cols: usize, depth: usize) -> (usize, usize) {
    /// Products of two numbers in a block.
    const MOST: usize = 1 << 28;
    /// Blocks are multiples of this, which is a multiple of every tile of the callee.
    const STEP: usize = 192;
    let area = MOST / depth.max(1);
    if rows.saturating_mul(cols) <= area {
        return (rows, cols);
    }
    let fitting = |n: usize| (n / STEP * STEP).max(STEP);
    let block_cols = cols.min(fitting(area / STEP));
    (rows.min(fitting(area / block_cols.max(1))), block_cols)
}

impl Product for f32 {
    fn product(
        a: Matrix<'_, f32>,
        b: Matrix<'_, f32>,
        c: &mut [f32],
        stride: usize,
        accumulate: bool,
    ) {
        if stream::product(a, b, c, stride, accumulate) {
            return;
        }
        if tiles::suits(&a, &b) {
            let start = if accumulate {
                Start::Result
            } else {
                Start::Zero
            };
            tiles::run(a, Right::Plain(b), start, c, stride);
        } else {
            general(a, b, c, (stride, 1), accumulate, 1.0);
        }
    }
}

impl Product for f64 {
    fn product(
        a: Matrix<'_, f64>,
        b: Matrix<'_, f64>,
        c: &mut [f64],
        stride: usize,
        accumulate: bool,
    ) {
        general(a, b, c, (stride, 1), accumulate, 1.0);
    }
}

/// One of the two real numbers of each element: 0 for the real part, 1 for the imaginary one.
fn part<T: Copy>(m: Matrix<'_, Complex<T>>, part: usize) -> Matrix<'_, T> {
    let values = rushlight_tensor::element::parts(m.data);
    Matrix::new(
        &values[part..],
        m.rows,
        m.cols,
        2 * m.row_stride,
        2 * m.col_stride,
    )
}

/// `(a + bi)(c + di)` as four real products over the interleaved parts.
fn complex<T: HasKernel + std::ops::Neg<Output = T>>(
    a: Matrix<'_, Complex<T>>,
    b: Matrix<'_, Complex<T>>,
    c: &mut [Complex<T>],
    stride: usize,
    accumulate: bool,
) {
    let c = rushlight_tensor::element::parts_mut(c);
    let [a_re, a_im] = [part(a, 0), part(a, 1)];
    let [b_re, b_im] = [part(b, 0), part(b, 1)];
    let strides = (2 * stride, 2);
    general(a_re, b_re, c, strides, accumulate, T::ONE);
    general(a_im, b_im, c, strides, true, -T::ONE);
    general(a_re, b_im, &mut c[1..], strides, accumulate, T::ONE);
    general(a_im, b_re, &mut c[1..], strides, true, T::ONE);
}

macro_rules! complex_products {
    ($($t:ty)*) => {
        $(impl Product for Complex<$t> {
            fn product(
                a: Matrix<'_, Complex<$t>>,
                b: Matrix<'_, Complex<$t>>,
                c: &mut [Complex<$t>],
                stride: usize,
                accumulate: bool,
            ) {
                complex(a, b, c, stride, accumulate);
            }
        })*
    };
}
complex_products!(f32 f64);

impl Product for i64 {
    fn product(
        a: Matrix<'_, i64>,
        b: Matrix<'_, i64>,
        c: &mut [i64],
        stride: usize,
        accumulate: bool,
    ) {
        if b.col_stride == 1 {
            return vectorised(WholeNumbers {
                a,
                b,
                c,
                stride,
                accumulate,
            });
        }
        let (rows, cols) = (b.rows, b.cols);
        let mut packed = memory::with_capacity(memory::times([rows, cols]));
        for k in 0..rows {
            watch::poll();
            packed.extend((0..cols).map(|j| b.data[k * b.row_stride + j * b.col_stride]));
        }
        i64::product(a, Matrix::dense(&packed, rows, cols), c, stride, accumulate);
    }
}

/// A product of matrices of whole numbers, the right one with its rows in a row.
struct WholeNumbers<'a> {
    a: Matrix<'a, i64>,
    b: Matrix<'a, i64>,
    c: &'a mut [i64],
    stride: usize,
    accumulate: bool,
}

impl Vectorised for WholeNumbers<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let (a, b) = (self.a, self.b);
        let at = |i: usize, k: usize| a.data[i * a.row_stride + k * a.col_stride];
        let from = |k: usize| &b.data[k * b.row_stride..][..b.cols];
        for i in 0..a.rows {
            let row = &mut self.c[i * self.stride..][..b.cols];
            if !self.accumulate {
                row.fill(0);
            }
            // Four rows at a time.
            let whole = a.cols / 4 * 4;
            for k in (0..whole).step_by(4) {
                watch::poll();
                let f: [i64; 4] = std::array::from_fn(|l| at(i, k + l));
                let [r0, r1, r2, r3] = [from(k), from(k + 1), from(k + 2), from(k + 3)];
                for (j, out) in row.iter_mut().enumerate() {
                    let first = f[0]
                        .wrapping_mul(r0[j])
                        .wrapping_add(f[1].wrapping_mul(r1[j]));
                    let second = f[2]
                        .wrapping_mul(r2[j])
                        .wrapping_add(f[3].wrapping_mul(r3[j]));
                    *out = out.wrapping_add(first.wrapping_add(second));
                }
            }
            for k in whole..a.cols {
                let factor = at(i, k);
                for (out, x) in row.iter_mut().zip(from(k)) {
                    *out = out.wrapping_add(factor.wrapping_mul(*x));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Matrix, product};

    fn plain(a: &[f32], b: &[f32], m: usize, k: usize, n: usize) -> Vec<f32> {
        let mut c = vec![0.0; m * n];
        for i in 0..m {
            for j in 0..n {
                c[i * n + j] = (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum();
            }
        }
        c
    }

    #[test]
    fn whole_numbers_wrap_in_any_layout() {
        let (m, k, n) = (3, 7, 5);
        let a: Vec<i64> = (0..21).map(|i| (i << 58) + i - 9).collect();
        let b: Vec<i64> = (0..35).map(|i| i * i - 300).collect();
        let turned: Vec<i64> = (0..35).map(|i| b[i % k * n + i / k]).collect();
        let left = Matrix::dense(&a, m, k);
        let rights = [
            Matrix::dense(&b, k, n),
            Matrix::dense(&turned, n, k).transposed(),
        ];
        for right in rights {
            let mut c = vec![1; m * n];
            product(left, right, &mut c, n, true);
            for (at, got) in c.iter().enumerate() {
                let (i, j) = (at / n, at % n);
                let terms = (0..k).map(|l| a[i * k + l].wrapping_mul(b[l * n + j]));
                assert_eq!(*got, terms.fold(1, i64::wrapping_add), "{i} {j}");
            }
        }
    }

    fn check(m: usize, k: usize, n: usize) {
        let a: Vec<f32> = (0..m * k).map(|i| (i * 7 % 11) as f32 - 5.0).collect();
        let b: Vec<f32> = (0..k * n).map(|i| (i * 5 % 13) as f32 - 6.0).collect();
        let want = plain(&a, &b, m, k, n);
        let mut bt = vec![0.0; k * n];
        for l in 0..k {
            for j in 0..n {
                bt[j * k + l] = b[l * n + j];
            }
        }
        let left = Matrix::dense(&a, m, k);
        for right in [
            Matrix::dense(&b, k, n),
            Matrix::dense(&bt, n, k).transposed(),
        ] {
            let mut c = vec![1.0; m * n];
            product(left, right, &mut c, n, false);
            assert_eq!(c, want, "{m}x{k}x{n}");
            product(left, right, &mut c, n, true);
            let twice: Vec<f32> = want.iter().map(|v| 2.0 * v).collect();
            assert_eq!(c, twice, "{m}x{k}x{n} accumulated");
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        for (m, k, n) in [
            (280, 520, 60),
            (97, 600, 60),
            (577, 700, 50),
            (193, 3000, 17),
        ] {
            let number = |i: usize| (i * 7919 % 1013) as f64 / 1013.0 - 0.5;
            let a: Vec<f64> = (0..m * k).map(number).collect();
            let b: Vec<f64> = (0..k * n).map(|i| number(i + 5)).collect();
            let results: Vec<Vec<f64>> = [1, 2, 5]
                .into_iter()
                .map(|threads| {
                    rushlight_tensor::threads::set_count(threads);
                    let mut c = vec![0.0; m * n];
                    let (a, b) = (Matrix::dense(&a, m, k), Matrix::dense(&b, k, n));
                    product(a, b, &mut c, n, false);
                    c
                })
                .collect();
            assert!(results.iter().all(|c| *c == results[0]), "{m}x{k}x{n}");
        }
    }

    #[test]
    fn every_path_gives_the_plain_sum_of_products() {
        for (m, k, n) in [
            (1, 1, 1),
            (1, 37, 5),
            (2, 64, 33),
            (3, 5, 100),
            (7, 19, 8),
            (40, 23, 50),
            (50, 17, 1),
            (4, 40, 41),
            (33, 64, 70),
            (16, 100, 64),
        ] {
            check(m, k, n);
        }
    }
}
