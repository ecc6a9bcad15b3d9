//! Hessenberg form by reflections: one pass over the rest of the matrix per column, in which the last reflection is applied
//! from both sides and what the next one needs is added up.

use super::super::matrix::Mat;
use super::super::orthogonal::{Block, apply, reflector};
use rushlight_kernels::linalg::dense::field::{Field, Part};
use rushlight_tensor::{memory, watch};
use std::ops::Range;

/// A matrix in Hessenberg form and the reflectors that led to it: `A = Q H Qᴴ`.
pub struct Hessenberg<T> {
    pub h: Mat<T>,
    packed: Mat<T>,
    tau: Vec<T>,
}

/// Columns after which the rows that no reflection touches from the left are caught up.
const BLOCK: usize = 32;

/// Brings the rows and columns of a range to Hessenberg form; what is left of it and below it is zero already.
pub fn reduce<T: Field>(mut a: Mat<T>, range: Range<usize>) -> Hessenberg<T> {
    let n = a.rows;
    let (lo, hi) = (range.start, range.end);
    let steps = hi.saturating_sub(1);
    let mut tau = memory::filled(steps, T::ZERO);
    let zeros = || memory::filled(n, T::ZERO);
    // The reflector, what it takes off from the left and from the right, and its conjugate: still to be applied.
    let (mut v, mut p, mut q, mut v_conj) = (zeros(), zeros(), zeros(), zeros());
    let (mut next, mut products, mut sums) = (zeros(), zeros(), zeros());
    for first in (lo..steps).step_by(BLOCK) {
        let last = (first + BLOCK).min(steps);
        let top = first + 1;
        for k in first..last {
            watch::poll();
            for i in top..hi {
                let less = v[i] * p[k] + q[i] * v_conj[k];
                a[(i, k)] -= less;
            }
            next[..=k].fill(T::ZERO);
            for i in k + 1..hi {
                next[i] = a[(i, k)];
            }
            let (beta, factor) = reflector(&mut next[k + 1..hi]);
            next[k + 1] = T::ONE;
            tau[k] = factor;
            a[(k + 1, k)] = T::real(beta);
            for i in k + 2..hi {
                a[(i, k)] = next[i];
            }
            let from = k + 1;
            sums[from..].fill(T::ZERO);
            let stride = a.cols;
            let rows = Part {
                data: &mut a.elements_mut()[top * stride..hi * stride],
                stride,
                from,
            };
            T::update_both(
                rows,
                [(&v[top..], &p[from..]), (&q[top..], &v_conj[from..])],
                &next[from..],
                &next[top..],
                &mut products[top..],
                &mut sums[from..],
            );
            std::mem::swap(&mut v, &mut next);
            let both = T::dot(&v[from..hi], &products[from..hi]);
            let half = both * factor * factor.conj() * 0.5;
            for i in top..hi {
                q[i] = factor * products[i] - half * v[i];
            }
            for j in from..n {
                v_conj[j] = v[j].conj();
                p[j] = factor.conj() * sums[j] - half * v_conj[j];
            }
        }
        // Everything is caught up with before the next block.
        for i in top..hi {
            let row = &mut a.row_mut(i)[last..];
            T::add_scaled(row, -v[i], &p[last..]);
            T::add_scaled(row, -q[i], &v_conj[last..]);
        }
        for x in [&mut v, &mut p, &mut q, &mut v_conj] {
            x.fill(T::ZERO);
        }
        let reflectors = Block::new(&a, &tau, first..last, hi, 1);
        reflectors.apply_right(a.elements_mut(), top, top, n);
    }
    let packed = a.clone();
    for i in lo + 2..hi {
        a.row_mut(i)[lo..i - 1].fill(T::ZERO);
    }
    Hessenberg { h: a, packed, tau }
}

impl<T: Field> Hessenberg<T> {
    /// `Qᴴ x`.
    pub fn adjoint_times(&self, x: &mut Mat<T>) {
        apply(&self.packed, &self.tau, 1, x, true);
    }
}
