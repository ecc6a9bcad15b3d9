//! Eigenvalues and eigenvectors of symmetric tridiagonal matrices by halves: each half alone, then both together, which
//! differ by a matrix of rank one (Cuppen, 1981; Gu and Eisenstat, 1995, for vectors that stay orthogonal).

use super::matrix::{EPS, Mat};
use super::tridiagonal::{iterate, length, order_of};
use rushlight_kernels::linalg::dense::rows::{divide_into, multiply_ratios, sums};
use rushlight_kernels::linalg::dense::turns::Turned;
use rushlight_kernels::linalg::gemm;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::watch;

/// Parts of at most so many rows are not halved.
const SMALL: usize = 25;

/// Ascending eigenvalues in place of the diagonal; eigenvectors as rows.
pub fn conquer(d: &mut [f64], e: &mut [f64], precision: f64) -> Mat<f64> {
    let n = d.len();
    let mut vectors = Mat::zeros(n, n);
    part(d, e, &mut vectors, 0, precision);
    vectors
}

/// Solves the part of the matrix that begins at a row.
fn part(d: &mut [f64], e: &mut [f64], vectors: &mut Mat<f64>, at: usize, precision: f64) {
    let n = d.len();
    if n <= SMALL {
        let mut rows = Turned::new(n);
        iterate(d, e, Some(&mut rows), precision);
        let order = order_of(d);
        let sorted: Vec<f64> = order.iter().map(|k| d[*k]).collected();
        d.copy_from_slice(&sorted);
        for (i, k) in order.iter().enumerate() {
            for j in 0..n {
                vectors[(at + i, at + j)] = rows.at(*k, j);
            }
        }
        return;
    }
    let half = n / 2;
    let between = e[half - 1];
    d[half - 1] -= between.abs();
    d[half] -= between.abs();
    let (first, second) = d.split_at_mut(half);
    let (above, below) = e.split_at_mut(half);
    part(first, &mut above[..half - 1], vectors, at, precision);
    part(second, below, vectors, at + half, precision);
    merge(d, vectors, at, (half, between), precision);
}

/// Which columns of a vector are not zero.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Support {
    First,
    Both,
    Second,
}

/// Puts two solved halves together.
fn merge(
    d: &mut [f64],
    vectors: &mut Mat<f64>,
    at: usize,
    (half, between): (usize, f64),
    precision: f64,
) {
    watch::poll();
    let n = d.len();
    let mut z: Vec<f64> = (0..n)
        .map(|i| {
            let column = if i < half { half - 1 } else { half };
            let z = vectors[(at + i, at + column)] * std::f64::consts::FRAC_1_SQRT_2;
            if i >= half && between < 0.0 { -z } else { z }
        })
        .collected();
    let rho = 2.0 * between.abs();
    let order = order_of(d);
    let largest = |values: &[f64]| values.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let tolerance = 8.0 * precision * largest(d).max(largest(&z));
    let mut support: Vec<Support> = (0..n)
        .map(|i| {
            if i < half {
                Support::First
            } else {
                Support::Second
            }
        })
        .collected();
    // Vectors that stay what they are, and the others.
    let (mut done, mut kept): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut before: Option<usize> = None;
    for k in order {
        if rho * z[k].abs() <= tolerance {
            memory::push(&mut done, k);
            continue;
        }
        let Some(p) = before.replace(k) else {
            continue;
        };
        let r = length(z[k], z[p]);
        let (c, s) = (z[k] / r, -z[p] / r);
        if ((d[k] - d[p]) * c * s).abs() > tolerance {
            memory::push(&mut kept, p);
            continue;
        }
        // Two values that are as good as equal: one vector may be turned out of the way.
        (z[k], z[p]) = (r, 0.0);
        if support[k] != support[p] {
            support[k] = Support::Both;
        }
        support[p] = support[k];
        turn_rows(vectors, at, n, (at + p, at + k), c, s);
        (d[p], d[k]) = (d[p] * c * c + d[k] * s * s, d[p] * s * s + d[k] * c * c);
        memory::push(&mut done, p);
    }
    kept.extend(before);
    if !kept.is_empty() {
        update(d, &z, rho, vectors, at, half, &kept, &support);
    }
    // All in ascending order.
    let order = order_of(d);
    if order.iter().enumerate().any(|(i, k)| i != *k) {
        let sorted: Vec<f64> = order.iter().map(|k| d[*k]).collected();
        d.copy_from_slice(&sorted);
        let rows = vectors.copied(at..at + n, at..at + n);
        for (i, k) in order.iter().enumerate() {
            vectors.row_mut(at + i)[at..at + n].copy_from_slice(rows.row(*k));
        }
    }
}

/// Turns two rows against each other.
fn turn_rows(m: &mut Mat<f64>, at: usize, n: usize, (a, b): (usize, usize), c: f64, s: f64) {
    for j in at..at + n {
        let (x, y) = (m[(a, j)], m[(b, j)]);
        m[(a, j)] = c * x + s * y;
        m[(b, j)] = c * y - s * x;
    }
}

/// The eigenvalues and eigenvectors of `diag(d) + rho z zᵀ` for the vectors that are kept, put where those stood.
#[expect(clippy::too_many_arguments)]
fn update(
    d: &mut [f64],
    z: &[f64],
    rho: f64,
    vectors: &mut Mat<f64>,
    at: usize,
    half: usize,
    kept: &[usize],
    support: &[Support],
) {
    let (n, k) = (d.len(), kept.len());
    let poles: Vec<f64> = kept.iter().map(|i| d[*i]).collected();
    let weights: Vec<f64> = kept.iter().map(|i| z[*i]).collected();
    let squares: Vec<f64> = weights.iter().map(|w| w * w).collected();
    // Row j: the poles less value j.
    let mut gaps = Mat::zeros(k, k);
    for j in 0..k {
        watch::poll();
        d[kept[j]] = root(&poles, &squares, rho, j, gaps.row_mut(j));
    }
    if k == 1 {
        gaps[(0, 0)] = 1.0;
    } else {
        // The weights that have these values exactly.
        let mut exact: Vec<f64> = (0..k).map(|i| gaps[(i, i)]).collected();
        for j in 0..k {
            multiply_ratios(&mut exact[..j], &gaps.row(j)[..j], &poles[..j], poles[j]);
            multiply_ratios(
                &mut exact[j + 1..],
                &gaps.row(j)[j + 1..],
                &poles[j + 1..],
                poles[j],
            );
        }
        for (x, w) in exact.iter_mut().zip(&weights) {
            *x = (-*x).max(0.0).sqrt().copysign(*w);
        }
        for j in 0..k {
            let row = gaps.row_mut(j);
            let square = divide_into(row, &exact);
            let one = 1.0 / square.sqrt();
            row.iter_mut().for_each(|x| *x *= one);
        }
    }
    // The vectors in the order of their support, so that what is zero is not multiplied.
    let of = |s: Support| (0..k).filter(move |i| support[kept[*i]] == s);
    let order: Vec<usize> = [Support::First, Support::Both, Support::Second]
        .into_iter()
        .flat_map(of)
        .collected();
    let (first, second) = (of(Support::First).count(), of(Support::Second).count());
    let factors = gaps.columns(&order);
    let mut out = Mat::zeros(k, n);
    for (range, columns) in [(0..k - second, 0..half), (first..k, half..n)] {
        if range.is_empty() {
            continue;
        }
        let mut rows = Mat::zeros(range.len(), columns.len());
        for (i, own) in order[range.clone()].iter().enumerate() {
            let from = &vectors.row(at + kept[*own])[at + columns.start..at + columns.end];
            rows.row_mut(i).copy_from_slice(from);
        }
        let left = factors.part(0..k, range);
        gemm::product(
            left,
            rows.whole(),
            &mut out.elements_mut()[columns.start..],
            n,
            false,
        );
    }
    for (j, i) in kept.iter().enumerate() {
        vectors.row_mut(at + i)[at..at + n].copy_from_slice(out.row(j));
    }
}

/// Value `j` of `diag(poles) + rho z zᵀ`, where the function `1 + rho sum(squares / (poles - x))` is zero; the poles less
/// the value go to `gaps`. The poles ascend; value `j` lies between pole `j` and the next.
fn root(poles: &[f64], squares: &[f64], rho: f64, j: usize, gaps: &mut [f64]) -> f64 {
    /// Steps before the interval is as short as it gets.
    const LIMIT: usize = 100;
    let k = poles.len();
    let last = j + 1 == k;
    let one = 1.0 / rho;
    // The function without the part that is constant: both sums and their derivatives, at a distance from an origin.
    let value = |origin: f64, x: f64| {
        let split = if last { j } else { j + 1 };
        let below = sums(&poles[..split], &squares[..split], origin, x);
        let above = sums(&poles[split..], &squares[split..], origin, x);
        (below, above)
    };
    let (origin, mut low, mut high, mut x);
    if last {
        origin = poles[j];
        (low, high) = (0.0, rho * squares.iter().sum::<f64>());
        x = high * 0.5;
        if k == 1 {
            gaps[0] = -high;
            return origin + high;
        }
    } else {
        let gap = poles[j + 1] - poles[j];
        let (below, above) = value(poles[j], 0.5 * gap);
        let middle = one + below.0 + above.0;
        let rest = middle - (squares[j] - squares[j + 1]) / (-0.5 * gap);
        let (a, b);
        if middle >= 0.0 {
            origin = poles[j];
            (low, high) = (0.0, 0.5 * gap);
            a = rest * gap + squares[j] + squares[j + 1];
            b = squares[j] * gap;
        } else {
            origin = poles[j + 1];
            (low, high) = (-0.5 * gap, 0.0);
            a = squares[j] + squares[j + 1] - rest * gap;
            b = -squares[j + 1] * gap;
        }
        let within = |x: &f64| low < *x && *x < high;
        let roots = quadratic(rest, a, b);
        x = roots.into_iter().find(within).unwrap_or(0.5 * (low + high));
    }
    // The two poles that the next guess is made with.
    let (p, q) = if last { (j - 1, j) } else { (j, j + 1) };
    let (base_p, base_q) = (poles[p] - origin, poles[q] - origin);
    for _ in 0..LIMIT {
        watch::poll();
        let ((below, below_slope), (above, above_slope)) = value(origin, x);
        let f = one + below + above;
        let slope = below_slope + above_slope;
        let error = EPS * (8.0 * (below.abs() + above.abs()) + one + x.abs() * slope);
        if f.abs() <= error || f.is_nan() {
            break;
        }
        if f < 0.0 {
            low = x;
        } else {
            high = x;
        }
        let (to_p, to_q) = (base_p - x, base_q - x);
        let c = f - to_p * below_slope - to_q * above_slope;
        let a = (to_p + to_q) * f - to_p * to_q * slope;
        let b = to_p * to_q * f;
        let right = |step: &f64| f * *step < 0.0 && low < x + *step && x + *step < high;
        let steps = quadratic(c, a, b);
        let step = steps
            .into_iter()
            .filter(right)
            .reduce(|s, t| if t.abs() < s.abs() { t } else { s });
        let newton = -f / slope;
        let next = x + step.unwrap_or(newton);
        let next = if low < next && next < high {
            next
        } else {
            0.5 * (low + high)
        };
        if next == x {
            break;
        }
        x = next;
    }
    for (gap, pole) in gaps.iter_mut().zip(poles) {
        *gap = (pole - origin) - x;
    }
    origin + x
}

/// The roots of `c x² - a x + b`.
fn quadratic(c: f64, a: f64, b: f64) -> [f64; 2] {
    let discriminant = (a * a - 4.0 * b * c).max(0.0).sqrt();
    let q = 0.5 * (a + discriminant.copysign(a));
    [b / q, q / c]
}
