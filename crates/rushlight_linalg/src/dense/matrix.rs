//! The dense matrix that the decompositions work on.

use rushlight_kernels::linalg::dense::field::Field;
use rushlight_kernels::linalg::gemm::{self, Matrix};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Complex64, watch};
use std::ops::{Index, IndexMut, Range};

/// A matrix of real or complex numbers of f64, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Mat<T> {
    pub rows: usize,
    pub cols: usize,
    /// The relative precision of the numbers that these were made from: what iterations end at.
    pub precision: f64,
    data: Vec<T>,
}

/// The relative precision of f64.
pub const EPS: f64 = f64::EPSILON / 2.0;

pub const ZERO: Complex64 = Complex64::new(0.0, 0.0);
pub const ONE: Complex64 = Complex64::new(1.0, 0.0);

impl<T> Index<(usize, usize)> for Mat<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.data[i * self.cols + j]
    }
}

impl<T> IndexMut<(usize, usize)> for Mat<T> {
    #[inline(always)]
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.data[i * self.cols + j]
    }
}

impl<T: Field> Mat<T> {
    /// A matrix of its elements, row by row.
    pub fn new(rows: usize, cols: usize, data: Vec<T>) -> Mat<T> {
        assert_eq!(
            data.len(),
            memory::times([rows, cols]),
            "a matrix has its elements"
        );
        Mat {
            rows,
            cols,
            precision: EPS,
            data,
        }
    }

    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Mat<T> {
        Mat {
            rows,
            cols,
            precision: EPS,
            data: memory::filled(memory::times([rows, cols]), T::ZERO),
        }
    }

    /// Ones on the diagonal of a matrix of any shape.
    pub fn eye(rows: usize, cols: usize) -> Mat<T> {
        let mut out = Mat::zeros(rows, cols);
        for k in 0..rows.min(cols) {
            out[(k, k)] = T::ONE;
        }
        out
    }

    /// A matrix by its elements.
    pub fn from_fn(rows: usize, cols: usize, f: impl Fn(usize, usize) -> T) -> Mat<T> {
        let mut out = Mat::zeros(rows, cols);
        for (i, row) in out.data.chunks_exact_mut(cols.max(1)).enumerate() {
            for (j, element) in row.iter_mut().enumerate() {
                *element = f(i, j);
            }
        }
        out
    }

    /// The matrix with another [`Mat::precision`].
    pub fn with_precision(mut self, precision: f64) -> Mat<T> {
        self.precision = precision;
        self
    }

    /// The elements in row-major order.
    pub fn elements(&self) -> &[T] {
        &self.data
    }

    /// The elements in row-major order, for writing.
    pub fn elements_mut(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// The elements in row-major order, without the matrix.
    pub fn into_elements(self) -> Vec<T> {
        self.data
    }

    /// A row.
    pub fn row(&self, i: usize) -> &[T] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// A row, for writing.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// The elements from the first of a row on, and those before them.
    pub fn split_rows(&mut self, row: usize) -> (&mut [T], &mut [T]) {
        self.data.split_at_mut(row * self.cols)
    }

    /// Some rows and columns, as an operand of a product.
    pub fn part(&self, rows: Range<usize>, cols: Range<usize>) -> Matrix<'_, T> {
        let first = (rows.start * self.cols + cols.start).min(self.data.len());
        Matrix::new(&self.data[first..], rows.len(), cols.len(), self.cols, 1)
    }

    /// Some rows and columns, copied.
    pub fn copied(&self, rows: Range<usize>, cols: Range<usize>) -> Mat<T> {
        let mut data = memory::with_capacity(memory::times([rows.len(), cols.len()]));
        for i in rows.clone() {
            data.extend_from_slice(&self.row(i)[cols.clone()]);
        }
        Mat::new(rows.len(), cols.len(), data).with_precision(self.precision)
    }

    /// Writes a matrix over the part of this one that begins at a row and a column.
    pub fn put(&mut self, row: usize, col: usize, part: &Mat<T>) {
        for i in 0..part.rows {
            self.row_mut(row + i)[col..col + part.cols].copy_from_slice(part.row(i));
        }
    }

    /// The whole matrix, as an operand of a product.
    pub fn whole(&self) -> Matrix<'_, T> {
        self.part(0..self.rows, 0..self.cols)
    }

    /// The conjugate transpose.
    pub fn adjoint(&self) -> Mat<T> {
        let out = self.transposed();
        if T::IS_REAL { out } else { out.map(T::conj) }
    }

    /// The transpose.
    pub fn transposed(&self) -> Mat<T> {
        let mut out = Mat::zeros(self.cols, self.rows).with_precision(self.precision);
        T::transpose(&self.data, self.rows, &mut out.data);
        out
    }

    /// The product with another matrix.
    pub fn times(&self, other: &Mat<T>) -> Mat<T> {
        let mut out = Mat::zeros(self.rows, other.cols);
        gemm::product(
            self.whole(),
            other.whole(),
            &mut out.data,
            other.cols,
            false,
        );
        out
    }

    /// Adds the product of two matrices to the part of this one that begins at a row and a column.
    pub fn add_product(&mut self, (row, col): (usize, usize), a: Matrix<'_, T>, b: Matrix<'_, T>) {
        if a.rows() > 0 && b.cols() > 0 {
            let stride = self.cols;
            gemm::product(a, b, &mut self.data[row * stride + col..], stride, true);
        }
    }

    /// Every element changed.
    pub fn map(mut self, f: impl Fn(T) -> T) -> Mat<T> {
        self.data.iter_mut().for_each(|v| *v = f(*v));
        self
    }

    /// Exchanges two rows.
    pub fn swap_rows(&mut self, a: usize, b: usize) {
        if a != b {
            let (low, high) = (a.min(b), a.max(b));
            let (above, below) = self.data.split_at_mut(high * self.cols);
            above[low * self.cols..][..self.cols].swap_with_slice(&mut below[..self.cols]);
        }
    }

    /// What is not above the diagonal (`upper`: not below it); zeros elsewhere, and ones on the diagonal where `unit`.
    pub fn triangle(&self, upper: bool, unit: bool) -> Mat<T> {
        let mut out = self.clone();
        for (i, row) in out.data.chunks_exact_mut(self.cols.max(1)).enumerate() {
            let inside = i.min(self.cols);
            if upper {
                row[..inside].fill(T::ZERO);
            } else if inside < self.cols {
                row[inside + 1..].fill(T::ZERO);
            }
            if unit && inside < self.cols {
                row[inside] = T::ONE;
            }
        }
        out
    }

    /// The largest sum of magnitudes of a column.
    pub fn one_norm(&self) -> f64 {
        let mut sums = memory::filled(self.cols, 0.0);
        for row in self.data.chunks_exact(self.cols.max(1)) {
            watch::poll();
            for (sum, x) in sums.iter_mut().zip(row) {
                *sum += x.magnitude();
            }
        }
        sums.into_iter().fold(0.0, f64::max)
    }

    /// A matrix of what is not a number.
    pub fn unknown(rows: usize, cols: usize) -> Mat<T> {
        Mat::zeros(rows, cols).map(|_| T::real(f64::NAN))
    }

    /// Whether all elements are finite.
    pub fn is_finite(&self) -> bool {
        self.data
            .iter()
            .all(|c| c.re().is_finite() && c.im().is_finite())
    }

    /// The columns multiplied by numbers.
    pub fn scale_columns(mut self, factors: &[f64]) -> Mat<T> {
        for row in self.data.chunks_exact_mut(self.cols.max(1)) {
            row.iter_mut().zip(factors).for_each(|(x, f)| *x = *x * *f);
        }
        self
    }

    /// The first rows, with rows of zeros below where there are not so many.
    pub fn with_rows(mut self, rows: usize) -> Mat<T> {
        let len = memory::times([rows, self.cols]);
        let more = len.saturating_sub(self.data.len());
        memory::make_room(&mut self.data, more);
        self.data.resize(len, T::ZERO);
        self.rows = rows;
        self
    }

    /// The columns in another order.
    pub fn columns(&self, order: &[usize]) -> Mat<T> {
        Mat::from_fn(self.rows, order.len(), |i, j| self[(i, order[j])])
    }
}

/// A matrix of real or of complex numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Dense {
    Real(Mat<f64>),
    Complex(Mat<Complex64>),
}

/// Evaluates an expression for the matrix inside a [`Dense`], of either kind.
macro_rules! of_either {
    ($dense:expr, $m:ident => $body:expr) => {
        match $dense {
            $crate::dense::matrix::Dense::Real($m) => $body,
            $crate::dense::matrix::Dense::Complex($m) => $body,
        }
    };
}

/// The [`Dense`] that an expression makes of the matrix inside another.
macro_rules! dense_of {
    ($dense:expr, $m:ident => $body:expr) => {
        match $dense {
            $crate::dense::matrix::Dense::Real($m) => $crate::dense::matrix::Dense::Real($body),
            $crate::dense::matrix::Dense::Complex($m) => {
                $crate::dense::matrix::Dense::Complex($body)
            }
        }
    };
}

/// The [`Dense`] that an expression makes of the matrices inside two others; of complex ones where the two differ.
macro_rules! dense_of_two {
    ($a:expr, $b:expr, ($x:ident, $y:ident) => $body:expr) => {{
        use $crate::dense::matrix::Dense;
        match ($a, $b) {
            (Dense::Real($x), Dense::Real($y)) => Dense::Real($body),
            (a, b) => {
                let ($x, $y) = (&*a.complex(), &*b.complex());
                Dense::Complex($body)
            }
        }
    }};
}

pub(crate) use {dense_of, dense_of_two, of_either};

impl Dense {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        of_either!(self, m => m.rows)
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        of_either!(self, m => m.cols)
    }

    /// An element.
    #[inline]
    pub fn at(&self, i: usize, j: usize) -> Complex64 {
        match self {
            Dense::Real(m) => Complex64::new(m[(i, j)], 0.0),
            Dense::Complex(m) => m[(i, j)],
        }
    }

    /// The complex matrix of the same numbers.
    pub fn complex(&self) -> std::borrow::Cow<'_, Mat<Complex64>> {
        match self {
            Dense::Complex(m) => std::borrow::Cow::Borrowed(m),
            Dense::Real(m) => std::borrow::Cow::Owned(Mat {
                rows: m.rows,
                cols: m.cols,
                precision: m.precision,
                data: m.data.iter().map(|x| Complex64::new(*x, 0.0)).collected(),
            }),
        }
    }

    /// Ones on the diagonal, of the same kind of numbers.
    pub fn eye(&self, rows: usize, cols: usize) -> Dense {
        match self {
            Dense::Real(_) => Dense::Real(Mat::eye(rows, cols)),
            Dense::Complex(_) => Dense::Complex(Mat::eye(rows, cols)),
        }
    }

    /// The conjugate transpose.
    pub fn adjoint(&self) -> Dense {
        dense_of!(self, m => m.adjoint())
    }

    /// The transpose.
    pub fn transposed(&self) -> Dense {
        dense_of!(self, m => m.transposed())
    }

    /// The product with another matrix.
    pub fn times(&self, other: &Dense) -> Dense {
        dense_of_two!(self, other, (a, b) => a.times(b))
    }

    /// The difference from another matrix of the same shape.
    pub fn minus(&self, other: &Dense) -> Dense {
        dense_of_two!(self, other, (a, b) => {
            let mut out = a.clone();
            out.elements_mut().iter_mut().zip(b.elements()).for_each(|(x, y)| *x -= *y);
            out
        })
    }

    /// [`Mat::triangle`].
    pub fn triangle(&self, upper: bool, unit: bool) -> Dense {
        dense_of!(self, m => m.triangle(upper, unit))
    }

    /// [`Mat::scale_columns`].
    pub fn scale_columns(self, factors: &[f64]) -> Dense {
        dense_of!(self, m => m.scale_columns(factors))
    }

    /// [`Mat::with_rows`].
    pub fn with_rows(self, rows: usize) -> Dense {
        dense_of!(self, m => m.with_rows(rows))
    }

    /// The Hermitian matrix of which one triangle is given.
    pub fn of_triangle(&self, upper: bool) -> Dense {
        fn whole<T: Field>(m: &Mat<T>, upper: bool) -> Mat<T> {
            let element = |i: usize, j: usize| {
                if i == j {
                    T::real(m[(i, i)].re())
                } else if (i < j) == upper {
                    m[(i, j)]
                } else {
                    m[(j, i)].conj()
                }
            };
            Mat::from_fn(m.rows, m.cols, element).with_precision(m.precision)
        }
        dense_of!(self, m => whole(m, upper))
    }

    /// The magnitudes, row by row.
    pub fn magnitudes(&self) -> Vec<f64> {
        of_either!(self, m => m.elements().iter().map(|c| c.magnitude()).collected())
    }

    /// Squares of the magnitudes, row by row.
    pub fn squares(&self) -> Vec<f64> {
        of_either!(self, m => m.elements().iter().map(|c| c.norm_sqr()).collected())
    }

    /// Whether an element is not a number.
    pub fn has_nan(&self) -> bool {
        of_either!(self, m => m.elements().iter().any(|c| c.re().is_nan() || c.im().is_nan()))
    }

    /// Whether all elements outside the three middle diagonals are finite.
    pub fn is_finite_outside_band(&self) -> bool {
        of_either!(self, m => (m.elements().iter().enumerate()).all(|(at, c)| {
            (at / m.cols).abs_diff(at % m.cols) < 2 || (c.re().is_finite() && c.im().is_finite())
        }))
    }

    /// Whether all elements are finite.
    pub fn is_finite(&self) -> bool {
        of_either!(self, m => m.is_finite())
    }
}
