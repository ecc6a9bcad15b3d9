//! Hermitian matrices in tridiagonal form, and the eigenvalues of that by implicit QL and QR steps.
//!
//! The method is that of EISPACK's `tred2` and `imtql2` (Wilkinson and Reinsch, 1971) in the conventions of LAPACK, which
//! decide the signs of eigenvectors.

use super::divide::conquer;
use super::matrix::Mat;
use super::orthogonal::{apply, reflector};
use rushlight_kernels::linalg::dense::field::{Field, Part};
use rushlight_kernels::linalg::dense::turns::Turned;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{order, watch};

/// Steps per eigenvalue before giving up.
const LIMIT: usize = 60;

/// A tridiagonal matrix: the diagonal and what is next to it.
struct Tridiagonal<T> {
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    /// The reflectors that led to it, below the diagonal, and their factors.
    packed: Mat<T>,
    tau: Vec<T>,
}

/// Ascending eigenvalues of a Hermitian matrix of finite numbers.
pub fn values<T: Field>(a: Mat<T>) -> Vec<f64> {
    let precision = a.precision;
    let (a, unit) = scaled(a);
    let mut form = reduce(a);
    let d = &mut form.diagonal;
    iterate(d, &mut form.beside, None, precision);
    order_of(d).into_iter().map(|k| d[k] * unit).collected()
}

/// Ascending eigenvalues of a Hermitian matrix of finite numbers, and orthonormal eigenvectors as columns.
pub fn eigen<T: Field>(a: Mat<T>) -> (Vec<f64>, Mat<T>) {
    let (n, precision) = (a.rows, a.precision);
    let (a, unit) = scaled(a);
    let mut form = reduce(a);
    let rows = conquer(&mut form.diagonal, &mut form.beside, precision);
    let mut vectors = Mat::from_fn(n, n, |i, j| T::real(rows[(j, i)]));
    apply(&form.packed, &form.tau, 1, &mut vectors, false);
    (form.diagonal.iter().map(|x| x * unit).collected(), vectors)
}

/// The places of numbers in ascending order.
pub fn order_of(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collected();
    order::sort_by(&mut order, |x, y| values[*x].total_cmp(&values[*y]));
    order
}

/// The places of numbers from the largest to the smallest magnitude.
pub fn descending(values: &[f64]) -> Vec<usize> {
    order_of(&values.iter().map(|x| -x.abs()).collected())
}

/// The matrix and 1, or where squares of its elements would be too large or too small, the matrix divided by its largest
/// element and that.
pub fn scaled<T: Field>(a: Mat<T>) -> (Mat<T>, f64) {
    let largest = a.elements().iter().map(|x| x.size()).fold(0.0, f64::max);
    if largest == 0.0 || (1e-100..1e100).contains(&largest) {
        return (a, 1.0);
    }
    (a.map(|x| x / largest), largest)
}

/// Tridiagonal form by reflections. Updates wait until the next step passes over the rest of the matrix anyway.
fn reduce<T: Field>(mut a: Mat<T>) -> Tridiagonal<T> {
    let n = a.rows;
    let mut diagonal = memory::with_capacity(n);
    let (mut beside, mut tau) = (memory::filled(n.saturating_sub(1), 0.0), Vec::new());
    memory::make_room(&mut tau, n.saturating_sub(1));
    let zeros = || memory::filled(n, T::ZERO);
    // The reflector and its partner that are still to be taken off, and their conjugates.
    let (mut v, mut w, mut v_conj, mut w_conj) = (zeros(), zeros(), zeros(), zeros());
    let (mut next, mut product) = (zeros(), zeros());
    for k in 0..n {
        watch::poll();
        // Column k is row k conjugated; it waits for the last update, too.
        for i in k..n {
            let less = v[i] * w_conj[k] + w[i] * v_conj[k];
            a[(i, k)] -= less;
        }
        diagonal.push(a[(k, k)].re());
        if k + 1 == n {
            break;
        }
        for i in k + 1..n {
            next[i] = a[(i, k)];
        }
        let (beta, factor) = reflector(&mut next[k + 1..]);
        beside[k] = beta;
        tau.push(factor);
        next[k + 1] = T::ONE;
        for i in k + 1..n {
            a[(i, k)] = next[i];
        }
        let stride = a.cols;
        let rows = Part {
            data: &mut a.elements_mut()[(k + 1) * stride..],
            stride,
            from: k + 1,
        };
        let first = (&v[k + 1..], &w_conj[k + 1..]);
        let second = (&w[k + 1..], &v_conj[k + 1..]);
        T::update_and_apply_lower(rows, [first, second], &next[k + 1..], &mut product[k + 1..]);
        std::mem::swap(&mut v, &mut next);
        let own = &v[k + 1..];
        let half = T::dot(&product[k + 1..], own) * factor.conj() * factor * -0.5;
        for i in k + 1..n {
            w[i] = factor * product[i] + half * v[i];
            w_conj[i] = w[i].conj();
            v_conj[i] = v[i].conj();
        }
    }
    Tridiagonal {
        diagonal,
        beside,
        packed: a,
        tau,
    }
}

/// The length of a vector of two.
#[inline]
pub fn length(f: f64, g: f64) -> f64 {
    let square = f * f + g * g;
    if (1e-280..1e280).contains(&square) {
        square.sqrt()
    } else {
        f.hypot(g)
    }
}

/// The rotation that turns `(f, g)` into `(r, 0)`, and r: positive, but for a larger f that is negative.
#[inline]
fn rotation(f: f64, g: f64) -> (f64, f64, f64) {
    if g == 0.0 {
        return (1.0, 0.0, f);
    }
    if f == 0.0 {
        return (0.0, 1.0, g);
    }
    let r = length(f, g);
    let r = if f < 0.0 && f.abs() > g.abs() { -r } else { r };
    let one = 1.0 / r;
    (f * one, g * one, r)
}

/// The eigenvalues of a symmetric matrix of two rows, the larger in magnitude first, with its eigenvector.
fn two_by_two(a: f64, b: f64, c: f64) -> (f64, f64, (f64, f64)) {
    let (sum, difference, twice) = (a + c, a - c, b + b);
    let root = length(difference, twice);
    let (large, small) = if a.abs() > c.abs() { (a, c) } else { (c, a) };
    let negative = sum < 0.0;
    let (first, second) = if sum == 0.0 {
        (0.5 * root, -0.5 * root)
    } else {
        let first = 0.5 * if negative { sum - root } else { sum + root };
        (first, (large / first) * small - (b / first) * b)
    };
    let positive = difference >= 0.0;
    let cs = if positive {
        difference + root
    } else {
        difference - root
    };
    let (c1, s1) = if cs.abs() > twice.abs() {
        let t = -twice / cs;
        let s = 1.0 / length(t, 1.0);
        (t * s, s)
    } else if twice == 0.0 {
        (1.0, 0.0)
    } else {
        let t = -cs / twice;
        let c = 1.0 / length(t, 1.0);
        (c, t * c)
    };
    // The sign of the first eigenvalue and that of the difference agree or not.
    let vector = if positive != negative {
        (-s1, c1)
    } else {
        (c1, s1)
    };
    (first, second, vector)
}

/// Turns the diagonal into eigenvalues; rows of vectors are turned along.
pub fn iterate(d: &mut [f64], e: &mut [f64], mut rows: Option<&mut Turned>, precision: f64) {
    let n = d.len();
    let mut steps = LIMIT.saturating_mul(n);
    let mut rotations = memory::with_capacity(n);
    let mut start = 0;
    while start < n {
        // A part without zeros beside the diagonal.
        let end = (start..n - 1)
            .find(|k| split(d, e, *k, precision))
            .unwrap_or(n - 1);
        if end < n - 1 {
            e[end] = 0.0;
        }
        let (mut low, mut high) = (start, end);
        let forward = d[end].abs() >= d[start].abs();
        start = end + 1;
        while low < high && steps > 0 {
            watch::poll();
            steps -= 1;
            rotations.clear();
            let first = if forward {
                ql(d, e, &mut low, high, &mut rotations, precision)
            } else {
                qr(d, e, low, &mut high, &mut rotations, precision)
            };
            if let Some(rows) = rows.as_deref_mut() {
                rows.turn(first, &rotations, forward);
            }
        }
    }
}

/// Whether the element after the diagonal's element `k` is as good as zero.
fn split(d: &[f64], e: &[f64], k: usize, precision: f64) -> bool {
    let bound = (precision * precision * d[k].abs()) * d[k + 1].abs() + f64::MIN_POSITIVE;
    e[k] * e[k] <= bound
}

/// One step at the upper end of a part; the rotations for the rows from the result on.
fn ql(
    d: &mut [f64],
    e: &mut [f64],
    low: &mut usize,
    high: usize,
    rotations: &mut Vec<(f64, f64)>,
    precision: f64,
) -> usize {
    let l = *low;
    let m = (l..high)
        .find(|k| split(d, e, *k, precision))
        .unwrap_or(high);
    if m < high {
        e[m] = 0.0;
    }
    if m == l {
        *low += 1;
        return l;
    }
    if m == l + 1 {
        let (first, second, vector) = two_by_two(d[l], e[l], d[l + 1]);
        rotations.push(vector);
        (d[l], d[l + 1], e[l]) = (first, second, 0.0);
        *low += 2;
        return l;
    }
    let p = d[l];
    let g = (d[l + 1] - p) / (2.0 * e[l]);
    let mut g = d[m] - p + e[l] / (g + length(g, 1.0).copysign(g));
    let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
    for i in (l..m).rev() {
        let (f, b) = (s * e[i], c * e[i]);
        let r;
        (c, s, r) = rotation(g, f);
        if i + 1 != m {
            e[i + 1] = r;
        }
        g = d[i + 1] - p;
        let r = (d[i] - g) * s + 2.0 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        rotations.push((c, -s));
    }
    d[l] -= p;
    e[l] = g;
    rotations.reverse();
    l
}

/// One step at the lower end of a part; the rotations for the rows from the result on.
fn qr(
    d: &mut [f64],
    e: &mut [f64],
    low: usize,
    high: &mut usize,
    rotations: &mut Vec<(f64, f64)>,
    precision: f64,
) -> usize {
    let l = *high;
    let m = (low..l)
        .rev()
        .find(|k| split(d, e, *k, precision))
        .map_or(low, |k| k + 1);
    if m > low {
        e[m - 1] = 0.0;
    }
    if m == l {
        *high = high.saturating_sub(1);
        return l;
    }
    if m + 1 == l {
        let (first, second, vector) = two_by_two(d[l - 1], e[l - 1], d[l]);
        rotations.push(vector);
        (d[l - 1], d[l], e[l - 1]) = (first, second, 0.0);
        *high = high.saturating_sub(2);
        return m;
    }
    let p = d[l];
    let g = (d[l - 1] - p) / (2.0 * e[l - 1]);
    let mut g = d[m] - p + e[l - 1] / (g + length(g, 1.0).copysign(g));
    let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
    for i in m..l {
        let (f, b) = (s * e[i], c * e[i]);
        let r;
        (c, s, r) = rotation(g, f);
        if i != m {
            e[i - 1] = r;
        }
        g = d[i] - p;
        let r = (d[i + 1] - g) * s + 2.0 * c * b;
        p = s * r;
        d[i] = g + p;
        g = c * r - b;
        rotations.push((c, s));
    }
    d[l] -= p;
    e[l - 1] = g;
    m
}
