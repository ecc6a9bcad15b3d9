//! Householder reflections.

use super::matrix::{Dense, ONE, ZERO};
use rushlight_tensor::memory;
use rushlight_tensor::{Complex64, watch};

/// R on and above the diagonal, the reflectors below it, and their factors.
pub struct Reflectors {
    pub packed: Dense,
    pub tau: Vec<Complex64>,
}

/// The reflectors that bring a matrix to triangular form.
pub fn reflect(a: &Dense) -> Reflectors {
    let mut m = a.clone();
    let steps = a.rows.min(a.cols);
    let mut tau = memory::with_capacity(steps);
    for k in 0..steps {
        watch::poll();
        let alpha = m[(k, k)];
        let below = (k + 1..m.rows).map(|i| m[(i, k)].norm_sqr()).sum::<f64>();
        if below == 0.0 && alpha.im == 0.0 {
            tau.push(ZERO);
            continue;
        }
        let length = (alpha.norm_sqr() + below).sqrt();
        let beta = if alpha.re >= 0.0 { -length } else { length };
        let factor = Complex64::new((beta - alpha.re) / beta, -alpha.im / beta);
        let scale = ONE / (alpha - beta);
        for i in k + 1..m.rows {
            m[(i, k)] *= scale;
        }
        m[(k, k)] = Complex64::new(beta, 0.0);
        tau.push(factor);
        // The rest of the matrix meets the adjoint.
        for j in k + 1..m.cols {
            let mut dot = m[(k, j)];
            for i in k + 1..m.rows {
                dot += m[(i, k)].conj() * m[(i, j)];
            }
            let dot = dot * factor.conj();
            m[(k, j)] -= dot;
            for i in k + 1..m.rows {
                let step = m[(i, k)] * dot;
                m[(i, j)] -= step;
            }
        }
    }
    Reflectors { packed: m, tau }
}

impl Reflectors {
    /// Applies reflector `k` (its adjoint where `adjoint`) to the rows of `x`.
    fn apply(&self, k: usize, x: &mut Dense, adjoint: bool) {
        let factor = if adjoint {
            self.tau[k].conj()
        } else {
            self.tau[k]
        };
        let v = |i: usize| if i == k { ONE } else { self.packed[(i, k)] };
        for j in 0..x.cols {
            watch::poll();
            let dot: Complex64 = (k..x.rows).map(|i| v(i).conj() * x[(i, j)]).sum();
            for i in k..x.rows {
                x[(i, j)] -= v(i) * dot * factor;
            }
        }
    }

    /// `Q x` or `Qᴴ x`.
    pub fn times(&self, x: &Dense, adjoint: bool) -> Dense {
        let mut out = x.clone();
        let count = self.tau.len();
        for step in 0..count {
            let k = if adjoint { step } else { count - 1 - step };
            self.apply(k, &mut out, adjoint);
        }
        out
    }

    /// The first `cols` columns of Q.
    pub fn q(&self, cols: usize) -> Dense {
        self.times(&Dense::eye(self.packed.rows, cols), false)
    }

    /// The first `rows` rows of R.
    pub fn r(&self, rows: usize) -> Dense {
        Dense::from_fn(rows, self.packed.cols, |i, j| {
            if i <= j { self.packed[(i, j)] } else { ZERO }
        })
    }
}
