//! The LDLᴴ factors of Bunch and Kaufman, and solving with them.

use super::matrix::Dense;
use rushlight_tensor::memory;
use rushlight_tensor::{Complex64, watch};

/// The bound on the growth of elements that decides between pivots: (1 + sqrt 17) / 8.
const ALPHA: f64 = 0.640_388_203_202_208;

/// The packed factors; per row the one-based pivot, negative in both rows of a pivot of two.
pub struct Factors {
    pub packed: Dense,
    pub pivots: Vec<i64>,
    pub info: usize,
}

fn size(c: Complex64) -> f64 {
    c.re.abs() + c.im.abs()
}

/// The transpose of an element: its conjugate in Hermitian matrices.
fn mirror(c: Complex64, hermitian: bool) -> Complex64 {
    if hermitian { c.conj() } else { c }
}

/// Factors the matrix of which the lower triangle is given.
pub fn factor(a: &Dense, hermitian: bool) -> Factors {
    let n = a.rows;
    let mut m = a.clone();
    let mut pivots = memory::filled(n, 0i64);
    let mut info = 0;
    let own = |c: Complex64| if hermitian { c.re.abs() } else { size(c) };
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
        exchange(&mut m, k + width - 1, pivot, k, hermitian);
        if width == 1 {
            eliminate_one(&mut m, k, hermitian);
            pivots[k] = pivot as i64 + 1;
        } else {
            eliminate_two(&mut m, k, hermitian);
            pivots[k] = -(pivot as i64 + 1);
            pivots[k + 1] = pivots[k];
        }
        k += width;
    }
    Factors {
        packed: m,
        pivots,
        info,
    }
}

/// Exchanges rows and columns `at` and `pivot` of the lower triangle, from column `first` on.
fn exchange(m: &mut Dense, at: usize, pivot: usize, first: usize, hermitian: bool) {
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

fn eliminate_one(m: &mut Dense, k: usize, hermitian: bool) {
    let n = m.rows;
    let d = if hermitian {
        Complex64::new(m[(k, k)].re, 0.0)
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
            m[(j, j)] = Complex64::new(m[(j, j)].re, 0.0);
        }
    }
    for i in k + 1..n {
        m[(i, k)] /= d;
    }
}

fn eliminate_two(m: &mut Dense, k: usize, hermitian: bool) {
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
            m[(j, j)] = Complex64::new(m[(j, j)].re, 0.0);
        }
    }
}

/// The solution of `A X = B` from the factors.
pub fn solve(f: &Factors, b: &Dense, hermitian: bool) -> Dense {
    let n = b.rows;
    let m = &f.packed;
    let mut x = b.clone();
    let target = |k: usize| (f.pivots[k].unsigned_abs() as usize).saturating_sub(1);
    let mut k = 0;
    while k < n {
        watch::poll();
        let width = if f.pivots[k] > 0 || k + 1 == n { 1 } else { 2 };
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
                x[(k, j)] /= m[(k, k)];
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
        let width = if f.pivots[k - 1] > 0 || k == 1 { 1 } else { 2 };
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
