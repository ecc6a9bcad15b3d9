//! Matrices in bidiagonal form, and the singular values of that by implicit QR steps, with shift zero where that keeps
//! small values accurate (Demmel and Kahan, 1990: accurate singular values of bidiagonal matrices), in the conventions of
//! LAPACK, which decide the signs of singular vectors.

use super::matrix::{EPS, Mat};
use super::orthogonal::{apply, reflector};
use super::tridiagonal::{descending, length};
use rushlight_kernels::linalg::dense::field::{Field, Part};
use rushlight_kernels::linalg::dense::turns::Turned;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::watch;

/// An upper bidiagonal matrix, `A = Q B Pᴴ`.
struct Bidiagonal<T> {
    diagonal: Vec<f64>,
    above: Vec<f64>,
    /// The reflectors of Q, below the diagonal.
    left: (Mat<T>, Vec<T>),
    /// The reflectors of P, as columns that begin one row below the diagonal.
    right: (Mat<T>, Vec<T>),
}

/// The left and the right singular vectors.
type Pair<T> = (Mat<T>, Mat<T>);

/// Descending singular values of a matrix of finite numbers with at least as many rows as columns, and orthonormal
/// singular vectors as columns where wanted: `cols` of the left ones. Where `adjoint`, the values and vectors are found
/// as those of the adjoint are, which has other signs.
pub fn singular<T: Field>(
    a: Mat<T>,
    vectors: Option<usize>,
    adjoint: bool,
) -> (Vec<f64>, Option<Pair<T>>) {
    let (m, n) = (a.rows, a.cols);
    let precision = a.precision;
    let mut form = reduce(a);
    // Singular vectors of the bidiagonal matrix, as rows.
    let mut rows = vectors.map(|_| (Turned::new(n), Turned::new(n)));
    let mut work = Work {
        d: &mut form.diagonal,
        e: &mut form.above,
        precision,
        tolerance: tolerance(precision),
        left: Vec::new(),
        right: Vec::new(),
    };
    if adjoint {
        work.make_upper();
        if let Some((u, _)) = &mut rows {
            u.turn(0, &work.left, false);
        }
    }
    work.iterate(rows.as_mut());
    let d = &form.diagonal;
    let order = descending(d);
    let values = order.iter().map(|k| d[*k].abs()).collected();
    let vectors = vectors.zip(rows).map(|(cols, (u, v))| {
        // The right vectors have the signs of the values.
        let element = |rows: &Turned, signs: bool, i: usize, j: usize| {
            let x = rows.at(order[j], i);
            T::real(if signs && d[order[j]].is_sign_negative() {
                -x
            } else {
                x
            })
        };
        let (for_left, for_right) = if adjoint { (&v, &u) } else { (&u, &v) };
        let mut own = Mat::from_fn(m, cols, |i, j| {
            if i < n && j < n {
                element(for_left, adjoint, i, j)
            } else if i == j {
                T::ONE
            } else {
                T::ZERO
            }
        });
        apply(&form.left.0, &form.left.1, 0, &mut own, false);
        let mut other = Mat::from_fn(n, n, |i, j| element(for_right, !adjoint, i, j));
        apply(&form.right.0, &form.right.1, 1, &mut other, false);
        (own, other)
    });
    (values, vectors)
}

/// Bidiagonal form by reflections from both sides, two passes over the rest of the matrix per step.
fn reduce<T: Field>(mut a: Mat<T>) -> Bidiagonal<T> {
    let (m, n) = (a.rows, a.cols);
    let (mut diagonal, mut left) = (memory::with_capacity(n), memory::with_capacity(n));
    let (mut above, mut right) = (memory::with_capacity(n), memory::with_capacity(n));
    let mut held = Mat::zeros(n, n);
    // What the last reflection from the right has to take off: a factor per row times a row.
    let (mut factors, mut row) = (memory::filled(m, T::ZERO), memory::filled(n, T::ZERO));
    let (mut u, mut y) = (memory::filled(m, T::ZERO), memory::filled(n, T::ZERO));
    let mut v = memory::filled(n, T::ZERO);
    for k in 0..n {
        watch::poll();
        for i in k..m {
            u[i] = a[(i, k)] - factors[i] * row[k];
        }
        let (beta, tau) = reflector(&mut u[k..]);
        diagonal.push(beta);
        left.push(tau);
        u[k] = T::ONE;
        for i in k + 1..m {
            a[(i, k)] = u[i];
        }
        if k + 1 == n {
            break;
        }
        let from = k + 1;
        y[from..].fill(T::ZERO);
        let part = |a: &mut Mat<T>, top: usize, run: &mut dyn FnMut(Part<'_, T>)| {
            let stride = a.cols;
            run(Part {
                data: &mut a.elements_mut()[top * stride..],
                stride,
                from,
            });
        };
        part(&mut a, k, &mut |rows| {
            T::update_and_gather(rows, (&factors[k..], &row[from..]), &u[k..], &mut y[from..]);
        });
        let tau = tau.conj();
        for j in from..n {
            v[j] = (a[(k, j)] - tau * y[j]).conj();
            y[j] = tau * y[j];
        }
        let (beta, tau) = reflector(&mut v[from..]);
        above.push(beta);
        right.push(tau);
        v[from] = T::ONE;
        for j in from..n {
            held[(j, k)] = v[j];
            row[j] = v[j].conj();
        }
        part(&mut a, k + 1, &mut |rows| {
            let taken = (&u[k + 1..], &y[from..]);
            T::update_and_apply(rows, taken, &v[from..], &mut factors[k + 1..]);
        });
        factors[k + 1..].iter_mut().for_each(|f| *f *= tau);
    }
    Bidiagonal {
        diagonal,
        above,
        left: (a, left),
        right: (held, right),
    }
}

/// What of a number is as good as zero, by the precision.
fn tolerance(precision: f64) -> f64 {
    precision.powf(-0.125).clamp(10.0, 100.0) * precision
}

/// The rotation that turns `(f, g)` into `(r, 0)`, and r, of the sign of f.
#[inline]
fn rotation(f: f64, g: f64) -> (f64, f64, f64) {
    if g == 0.0 {
        return (1.0, 0.0, f);
    }
    if f == 0.0 {
        return (0.0, 1.0f64.copysign(g), g.abs());
    }
    let r = length(f, g).copysign(f);
    let one = 1.0 / r;
    (f * one, g * one, r)
}

/// Steps per value before giving up.
const LIMIT: usize = 60;

/// A bidiagonal matrix that becomes a diagonal one, and the rotations of a step.
struct Work<'a> {
    d: &'a mut [f64],
    e: &'a mut [f64],
    precision: f64,
    tolerance: f64,
    left: Vec<(f64, f64)>,
    right: Vec<(f64, f64)>,
}

impl Work<'_> {
    fn iterate(&mut self, mut rows: Option<&mut (Turned, Turned)>) {
        let n = self.d.len();
        let threshold = self.threshold();
        let mut steps = LIMIT.saturating_mul(n);
        let (mut end, mut last, mut down) = (n, 0..0, true);
        while end > 1 && steps > 0 {
            watch::poll();
            // The part without zeros above the diagonal that ends here.
            let high = end - 1;
            let low = (0..high).rev().find(|k| self.e[*k].abs() <= threshold);
            if let Some(k) = low {
                self.e[k] = 0.0;
            }
            let low = low.map_or(0, |k| k + 1);
            if low == high {
                end -= 1;
                continue;
            }
            steps -= 1;
            self.left.clear();
            self.right.clear();
            let backward = if low + 1 == high {
                self.two_by_two(low);
                end -= 2;
                false
            } else {
                if low > last.end || high < last.start || last.is_empty() {
                    down = self.d[low].abs() >= self.d[high].abs();
                }
                let Some(smallest) = self.deflate(low, high, down) else {
                    continue;
                };
                last = low..high;
                let shift = self.shift(low, high, down, smallest);
                match (shift == 0.0, down) {
                    (true, true) => self.down_without_shift(low, high),
                    (true, false) => self.up_without_shift(low, high),
                    (false, true) => self.down(low, high, shift),
                    (false, false) => self.up(low, high, shift),
                }
                let near = if down { high - 1 } else { low };
                if self.e[near].abs() <= threshold {
                    self.e[near] = 0.0;
                }
                !down
            };
            if let Some((u, v)) = rows.as_deref_mut() {
                for (rows, rotations) in [(u, &mut self.left), (v, &mut self.right)] {
                    if backward {
                        rotations.reverse();
                    }
                    rows.turn(low, rotations, backward);
                }
            }
        }
    }

    /// Makes the matrix, taken as a lower bidiagonal one, an upper one by rotations from the left.
    fn make_upper(&mut self) {
        for i in 0..self.e.len() {
            let (c, s, r) = rotation(self.d[i], self.e[i]);
            self.d[i] = r;
            self.e[i] = s * self.d[i + 1];
            self.d[i + 1] *= c;
            self.left.push((c, s));
        }
    }

    /// Below this an element above the diagonal is as good as zero.
    fn threshold(&self) -> f64 {
        let n = self.d.len() as f64;
        let mut mu = self.d.first().map_or(0.0, |d| d.abs());
        let mut smallest = mu;
        for (d, e) in self.d.iter().skip(1).zip(&*self.e) {
            if smallest == 0.0 {
                break;
            }
            mu = d.abs() * (mu / (mu + e.abs()));
            smallest = smallest.min(mu);
        }
        (self.tolerance * smallest / n.sqrt()).max(6.0 * n * n * f64::MIN_POSITIVE)
    }

    /// Sets one element to zero where that changes no value noticeably; otherwise a bound for the smallest value.
    fn deflate(&mut self, low: usize, high: usize, down: bool) -> Option<f64> {
        let (near, corner) = if down { (high - 1, high) } else { (low, low) };
        if self.e[near].abs() <= self.tolerance * self.d[corner].abs() {
            self.e[near] = 0.0;
            return None;
        }
        let mut mu = self.d[if down { low } else { high }].abs();
        let mut smallest = mu;
        for step in 0..high - low {
            let (k, next) = if down {
                (low + step, low + step + 1)
            } else {
                (high - 1 - step, high - 1 - step)
            };
            if self.e[k].abs() <= self.tolerance * mu {
                self.e[k] = 0.0;
                return None;
            }
            mu = self.d[next].abs() * (mu / (mu + self.e[k].abs()));
            smallest = smallest.min(mu);
        }
        Some(smallest)
    }

    /// The shift of the next step; 0 where one would cost accuracy.
    fn shift(&self, low: usize, high: usize, down: bool, smallest: f64) -> f64 {
        let part = self.d[low..=high].iter().chain(&self.e[low..high]);
        let largest = part.fold(0.0f64, |m, x| m.max(x.abs()));
        let n = self.d.len() as f64;
        if n * self.tolerance * (smallest / largest) <= self.precision.max(0.01 * self.tolerance) {
            return 0.0;
        }
        let (start, k) = if down {
            (self.d[low].abs(), high - 1)
        } else {
            (self.d[high].abs(), low)
        };
        let shift = smaller_of_two(self.d[k], self.e[k], self.d[k + 1]);
        if start > 0.0 && (shift / start) * (shift / start) < self.precision {
            return 0.0;
        }
        shift
    }

    fn two_by_two(&mut self, k: usize) {
        let (small, large, right, left) = triangle_of_two(self.d[k], self.e[k], self.d[k + 1]);
        (self.d[k], self.e[k], self.d[k + 1]) = (large, 0.0, small);
        self.right.push(right);
        self.left.push(left);
    }

    fn down_without_shift(&mut self, low: usize, high: usize) {
        let (d, e) = (&mut *self.d, &mut *self.e);
        let (mut before, mut old_c, mut old_s) = (1.0, 1.0, 0.0);
        for i in low..high {
            let (c, s, r) = rotation(d[i] * before, e[i]);
            before = c;
            if i > low {
                e[i - 1] = old_s * r;
            }
            (old_c, old_s, d[i]) = rotation(old_c * r, d[i + 1] * s);
            self.right.push((c, s));
            self.left.push((old_c, old_s));
        }
        let h = d[high] * before;
        d[high] = h * old_c;
        e[high - 1] = h * old_s;
    }

    fn up_without_shift(&mut self, low: usize, high: usize) {
        let (d, e) = (&mut *self.d, &mut *self.e);
        let (mut before, mut old_c, mut old_s) = (1.0, 1.0, 0.0);
        for i in (low + 1..=high).rev() {
            let (c, s, r) = rotation(d[i] * before, e[i - 1]);
            before = c;
            if i < high {
                e[i] = old_s * r;
            }
            (old_c, old_s, d[i]) = rotation(old_c * r, d[i - 1] * s);
            self.left.push((c, -s));
            self.right.push((old_c, -old_s));
        }
        let h = d[low] * before;
        d[low] = h * old_c;
        e[low] = h * old_s;
    }

    fn down(&mut self, low: usize, high: usize, shift: f64) {
        let (d, e) = (&mut *self.d, &mut *self.e);
        let mut f = (d[low].abs() - shift) * (1.0f64.copysign(d[low]) + shift / d[low]);
        let mut g = e[low];
        for i in low..high {
            let (c, s, r) = rotation(f, g);
            if i > low {
                e[i - 1] = r;
            }
            f = c * d[i] + s * e[i];
            e[i] = c * e[i] - s * d[i];
            g = s * d[i + 1];
            d[i + 1] *= c;
            self.right.push((c, s));
            let (c, s, r) = rotation(f, g);
            d[i] = r;
            f = c * e[i] + s * d[i + 1];
            d[i + 1] = c * d[i + 1] - s * e[i];
            if i + 1 < high {
                g = s * e[i + 1];
                e[i + 1] *= c;
            }
            self.left.push((c, s));
        }
        e[high - 1] = f;
    }

    fn up(&mut self, low: usize, high: usize, shift: f64) {
        let (d, e) = (&mut *self.d, &mut *self.e);
        let mut f = (d[high].abs() - shift) * (1.0f64.copysign(d[high]) + shift / d[high]);
        let mut g = e[high - 1];
        for i in (low + 1..=high).rev() {
            let (c, s, r) = rotation(f, g);
            if i < high {
                e[i] = r;
            }
            f = c * d[i] + s * e[i - 1];
            e[i - 1] = c * e[i - 1] - s * d[i];
            g = s * d[i - 1];
            d[i - 1] *= c;
            self.left.push((c, -s));
            let (c, s, r) = rotation(f, g);
            d[i] = r;
            f = c * e[i - 1] + s * d[i - 1];
            d[i - 1] = c * d[i - 1] - s * e[i - 1];
            if i > low + 1 {
                g = s * e[i - 2];
                e[i - 2] *= c;
            }
            self.right.push((c, -s));
        }
        e[low] = f;
    }
}

/// The smaller singular value of `[f g; 0 h]`.
fn smaller_of_two(f: f64, g: f64, h: f64) -> f64 {
    let (f, g, h) = (f.abs(), g.abs(), h.abs());
    let (small, large) = (f.min(h), f.max(h));
    if small == 0.0 {
        return 0.0;
    }
    let (sum, difference) = (1.0 + small / large, (large - small) / large);
    if g < large {
        let ratio = (g / large) * (g / large);
        let c = 2.0 / ((sum * sum + ratio).sqrt() + (difference * difference + ratio).sqrt());
        return small * c;
    }
    let ratio = large / g;
    if ratio == 0.0 {
        return (small * large) / g;
    }
    let c = 1.0 / (length(sum * ratio, 1.0) + length(difference * ratio, 1.0));
    2.0 * ((small * c) * ratio)
}

/// The singular values of `[f g; 0 h]`, the smaller first, with signs, and the rotations from the right and from the left.
fn triangle_of_two(f: f64, g: f64, h: f64) -> (f64, f64, (f64, f64), (f64, f64)) {
    let sign = |x: f64| 1.0f64.copysign(x);
    let exchanged = h.abs() > f.abs();
    let (ft, ht) = if exchanged { (h, f) } else { (f, h) };
    let (fa, ga, ha) = (ft.abs(), g.abs(), ht.abs());
    // Which of the three is the largest.
    let mut largest = if exchanged { 3 } else { 1 };
    let (small, large, left, right);
    if ga == 0.0 {
        (small, large) = (ha, fa);
        (left, right) = ((1.0, 0.0), (1.0, 0.0));
    } else if ga > fa && fa / ga < EPS {
        largest = 2;
        large = ga;
        small = if ha > 1.0 {
            fa / (ga / ha)
        } else {
            (fa / ga) * ha
        };
        (left, right) = ((1.0, ht / g), (ft / g, 1.0));
    } else {
        if ga > fa {
            largest = 2;
        }
        let d = fa - ha;
        let l = if d == fa { 1.0 } else { d / fa };
        let m = g / ft;
        let t = 2.0 - l;
        let s = length(t, m);
        let r = if l == 0.0 { m.abs() } else { length(l, m) };
        let a = 0.5 * (s + r);
        (small, large) = (ha / a, fa * a);
        let t = if m * m == 0.0 {
            if l == 0.0 {
                2.0f64.copysign(ft) * sign(g)
            } else {
                g / d.copysign(ft) + m / t
            }
        } else {
            (m / (s + t) + m / (r + l)) * (1.0 + a)
        };
        let l = length(t, 2.0);
        let (cr, sr) = (2.0 / l, t / l);
        right = (cr, sr);
        left = ((cr + sr * m) / a, (ht / ft) * sr / a);
    }
    let (left, right) = if exchanged {
        ((right.1, right.0), (left.1, left.0))
    } else {
        (left, right)
    };
    let whole = match largest {
        1 => sign(right.0) * sign(left.0) * sign(f),
        2 => sign(right.1) * sign(left.0) * sign(g),
        _ => sign(right.1) * sign(left.1) * sign(h),
    };
    let large = large.copysign(whole);
    let small = small.copysign(whole * sign(f) * sign(h));
    (small, large, right, left)
}
