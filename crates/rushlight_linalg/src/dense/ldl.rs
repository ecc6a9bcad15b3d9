//! The LDLᴴ factors of Bunch and Kaufman, and solving with them.

use super::matrix::{Dense, Mat, dense_of, dense_of_two};
use rushlight_kernels::linalg::dense::field::Field;
use rushlight_tensor::memory;
use rushlight_tensor::watch;

/// The bound on the growth of elements that decides between pivots: (1 + sqrt 17) / 8.
const ALPHA: f64 = 0.640_388_203_202_208;

/// The packed factors; per row the one-based pivot, negative in both rows of a pivot of two.
pub struct Factors {
    pub packed: Dense,
    pub pivots: Vec<i64>,
    pub info: usize,
}

/// The transpose of an element: its conjugate in Hermitian matrices.
fn mirror<T: Field>(c: T, hermitian: bool) -> T {
    if hermitian { c.conj() } else { c }
}

/// Factors the matrix of which the lower triangle is given.
pub fn factor(a: &Dense, hermitian: bool) -> Factors {
    let mut pivots = memory::filled(a.rows(), 0i64);
    let info;
    let packed = dense_of!(a, a => {
        let mut m = a.clone();
        info = factor_in_place(&mut m, &mut pivots, hermitian);
        m
    });
    Factors {
        packed,
        pivots,
        info,
    }
}

fn factor_in_place<T: Field>(m: &mut Mat<T>, pivots: &mut [i64], hermitian: bool) -> usize {
    let n = m.rows;
    let mut info = 0;
    let size = |c: T| c.size();
    let own = |c: T| if hermitian { c.re().abs() } else { size(c) };
    let mut k = 0;
    while k < n {
        watch::poll();
        let mut width = 1;
        let diagonal = own(m[(k, k)]);
        let (largest, column) =
            (k + 1..n)
                .map(|i| (size(m[(i, k)]), i))
                .fold(
                    (0.0, k),
                    |best, next| if next.0 > best.0 { next } else { best },
                );
        let mut pivot = k;
        if diagonal.max(largest) == 0.0 {
            info = if info == 0 { k + 1 } else { info };
            pivots[k] = k as i64 + 1;
            k += 1;
            continue;
        }
        if diagonal < ALPHA * largest {
            let row = (k..column)
                .map(|j| size(m[(column, j)]))
                .chain((column + 1..n).map(|i| size(m[(i, column)])))
                .fold(0.0, f64::max);
            if diagonal >= ALPHA * largest * (largest / row) {
                pivot = k;
            } else if own(m[(column, column)]) >= ALPHA * row {
                pivot = column;
            } else {
                pivot = column;
                width = 2;
            }
        }
        exchange(m, k + width - 1, pivot, k, hermitian);
        if width == 1 {
            eliminate_one(m, k, hermitian);
            pivots[k] = pivot as i64 + 1;
        } else {
            eliminate_two(m, k, hermitian);
            pivots[k] = -(pivot as i64 + 1);
            pivots[k + 1] = pivots[k];
        }
        k += width;
    }
    info
}

/// Exchanges rows and columns `at` and `pivot` of the lower triangle, from column `first` on.
fn exchange<T: Field>(m: &mut Mat<T>, at: usize, pivot: usize, first: usize, hermitian: bool) {
    if at == pivot {
        return;
    }
    let n = m.rows;
    for i in pivot + 1..n {
        let t = m[(i, at)];
        m[(i, at)] = m[(i, pivot)];
        m[(i, pivot)] = t;
    }
    for j in at + 1..pivot {
        let t = m[(j, at)];
        m[(j, at)] = mirror(m[(pivot, j)], hermitian);
        m[(pivot, j)] = mirror(t, hermitian);
    }
    m[(pivot, at)] = mirror(m[(pivot, at)], hermitian);
    let t = m[(at, at)];
    m[(at, at)] = m[(pivot, pivot)];
    m[(pivot, pivot)] = t;
    if at > first {
        // The second row of a pivot of two: the column before moves along.
        let t = m[(at, first)];
        m[(at, first)] = m[(pivot, first)];
        m[(pivot, first)] = t;
    }
}

fn eliminate_one<T: Field>(m: &mut Mat<T>, k: usize, hermitian: bool) {
    let n = m.rows;
    let d = if hermitian {
        T::real(m[(k, k)].re())
    } else {
        m[(k, k)]
    };
    m[(k, k)] = d;
    for j in k + 1..n {
        watch::poll();
        let factor = mirror(m[(j, k)], hermitian) / d;
        for i in j..n {
            let step = m[(i, k)] * factor;
            m[(i, j)] -= step;
        }
        if hermitian {
            m[(j, j)] = T::real(m[(j, j)].re());
        }
    }
    for i in k + 1..n {
        m[(i, k)] = m[(i, k)] / d;
    }
}

fn eliminate_two<T: Field>(m: &mut Mat<T>, k: usize, hermitian: bool) {
    let n = m.rows;
    let (a, b, c) = (m[(k, k)], m[(k + 1, k)], m[(k + 1, k + 1)]);
    let determinant = a * c - b * mirror(b, hermitian);
    for j in k + 2..n {
        watch::poll();
        let (x, y) = (m[(j, k)], m[(j, k + 1)]);
        // [x y] times the inverse of the block.
        let u = (x * c - y * b) / determinant;
        let v = (y * a - x * mirror(b, hermitian)) / determinant;
        for i in j..n {
            let step = m[(i, k)] * mirror(u, hermitian) + m[(i, k + 1)] * mirror(v, hermitian);
            m[(i, j)] -= step;
        }
        m[(j, k)] = u;
        m[(j, k + 1)] = v;
        if hermitian {
            m[(j, j)] = T::real(m[(j, j)].re());
        }
    }
}

/// The solution of `A X = B` from the factors.
pub fn solve(f: &Factors, b: &Dense, hermitian: bool) -> Dense {
    dense_of_two!(&f.packed, b, (m, b) => solve_with(m, &f.pivots, b.clone(), hermitian))
}

fn solve_with<T: Field>(m: &Mat<T>, pivots: &[i64], mut x: Mat<T>, hermitian: bool) -> Mat<T> {
    let n = x.rows;
    let target = |k: usize| (pivots[k].unsigned_abs() as usize).saturating_sub(1);
    let mut k = 0;
    while k < n {
        watch::poll();
        let width = if pivots[k] > 0 || k + 1 == n { 1 } else { 2 };
        x.swap_rows(k + width - 1, target(k));
        for j in 0..x.cols {
            watch::poll();
            for i in k + width..n {
                watch::poll();
                for w in 0..width {
                    let step = m[(i, k + w)] * x[(k + w, j)];
                    x[(i, j)] -= step;
                }
            }
            if width == 1 {
                x[(k, j)] = x[(k, j)] / m[(k, k)];
            } else {
                let (a, b, c) = (m[(k, k)], m[(k + 1, k)], m[(k + 1, k + 1)]);
                let other = mirror(b, hermitian);
                let determinant = a * c - b * other;
                let (u, v) = (x[(k, j)], x[(k + 1, j)]);
                x[(k, j)] = (c * u - other * v) / determinant;
                x[(k + 1, j)] = (a * v - b * u) / determinant;
            }
        }
        k += width;
    }
    let mut k = n;
    while k > 0 {
        watch::poll();
        let width = if pivots[k - 1] > 0 || k == 1 { 1 } else { 2 };
        k -= width;
        for j in 0..x.cols {
            watch::poll();
            for w in 0..width {
                watch::poll();
                for i in k + width..n {
                    let step = mirror(m[(i, k + w)], hermitian) * x[(i, j)];
                    x[(k + w, j)] -= step;
                }
            }
        }
        x.swap_rows(k + width - 1, target(k));
    }
    x
}
