//! Batches of matrices of a few rows: factors, determinants, inverses and solutions without memory for each of them.

use crate::dense::small::{
    MOST, Small, Square, cholesky, exponential, reflect, square, transposed,
};
use rushlight_tensor::{DType, Dims, Result, Tensor, memory, watch};

/// Whether a tensor is a batch of real square matrices of a few rows; their rows.
fn few_rows(a: &Tensor) -> Option<usize> {
    let [.., rows, cols] = *a.sizes() else {
        return None;
    };
    let real = matches!(a.dtype(), DType::F32 | DType::F64);
    (real && rows == cols && (1..=MOST).contains(&rows)).then_some(rows)
}

/// What is made of the matrices, one after the other; none where one is not `invertible` but has to be.
fn each_small(
    a: &Tensor,
    n: usize,
    per_matrix: usize,
    invertible: bool,
    mut make: impl FnMut(usize, &Small, &mut Vec<f64>),
) -> Option<Vec<f64>> {
    let elements = a.to_vec::<f64>();
    let mut out = memory::with_capacity(memory::times([elements.len() / (n * n), per_matrix]));
    for (index, own) in elements.chunks_exact(n * n).enumerate() {
        if index.is_multiple_of(1 << 10) {
            watch::poll();
        }
        let factors = Small::factor(own, n);
        if invertible && factors.info > 0 {
            return None;
        }
        make(index, &factors, &mut out);
    }
    Some(out)
}

/// The solutions for matrices of a few rows and right-hand sides of so many columns, of which the elements are given by the
/// number of the matrix, the row and the column; none where there are no such matrices, or one is singular.
fn solved(
    a: &Tensor,
    cols: usize,
    right: impl Fn(usize, usize, usize) -> f64,
) -> Result<Option<Tensor>> {
    let Some(n) = few_rows(a) else {
        return Ok(None);
    };
    let size = memory::times([n, cols]);
    let columns = each_small(a, n, size, true, |index, factors, out| {
        for j in 0..cols {
            let x = factors.solve(|i| right(index, i, j));
            out.extend_from_slice(&x[..n]);
        }
    });
    let Some(columns) = columns else {
        return Ok(None);
    };
    let lead = &a.sizes()[..a.rank() - 2];
    let sizes: Dims = lead.iter().copied().chain([cols, n]).collect();
    let out = Tensor::from_vec(columns, &sizes)?.to_dtype(a.dtype());
    out.transpose(-1, -2).map(Some)
}

/// The inverses of matrices of a few rows; none where there are no such matrices, or one is singular.
pub fn inverses(a: &Tensor) -> Result<Option<Tensor>> {
    let n = a.sizes().last().copied().unwrap_or(0);
    solved(a, n, |_, i, j| f64::from(u8::from(i == j)))
}

/// The solutions for matrices of a few rows and right-hand sides of the same batch, as [`inverses`].
pub fn solutions(a: &Tensor, b: &Tensor) -> Result<Option<Tensor>> {
    let same = b.dtype() == a.dtype() && b.rank() == a.rank();
    let (Some(n), Some((cols, rows))) = (few_rows(a), b.sizes().split_last()) else {
        return Ok(None);
    };
    if !same || *rows != a.sizes()[..a.rank() - 1] {
        return Ok(None);
    }
    let elements = b.to_vec::<f64>();
    solved(a, *cols, |index, i, j| elements[(index * n + i) * cols + j])
}

/// The determinants of matrices of a few rows; none where there are no such matrices.
pub fn determinants(a: &Tensor) -> Result<Option<Tensor>> {
    let Some(n) = few_rows(a) else {
        return Ok(None);
    };
    let values = each_small(a, n, 1, false, |_, factors, out| {
        out.push(factors.determinant());
    });
    let of_batch = |values| Tensor::from_vec(values, &a.sizes()[..a.rank() - 2]);
    let values = values.map(of_batch).transpose()?;
    Ok(values.map(|values| values.to_dtype(a.dtype())))
}

/// Signs and logarithms of the determinants of matrices of a few rows, as [`determinants`].
pub fn log_determinants(a: &Tensor) -> Result<Option<(Tensor, Tensor)>> {
    let Some(n) = few_rows(a) else {
        return Ok(None);
    };
    let mut signs = Vec::new();
    let logs = each_small(a, n, 1, false, |_, factors, out| {
        let (sign, log) = factors.log_determinant();
        memory::push(&mut signs, sign);
        out.push(log);
    });
    let lead = &a.sizes()[..a.rank() - 2];
    let of_batch = |values| Ok(Tensor::from_vec(values, lead)?.to_dtype(a.dtype()));
    let Some(logs) = logs else {
        return Ok(None);
    };
    Ok(Some((of_batch(signs)?, of_batch(logs)?)))
}

/// P, L and U of matrices of a few rows, as [`determinants`].
pub fn triangles(a: &Tensor) -> Result<Option<[Tensor; 3]>> {
    let Some(n) = few_rows(a) else {
        return Ok(None);
    };
    let room = || memory::with_capacity(a.numel());
    let (mut p, mut l) = (room(), room());
    let u = each_small(a, n, n * n, false, |_, factors, u| {
        factors.split([&mut p, &mut l, u]);
    });
    let of_batch = |values| Ok(Tensor::from_vec(values, a.sizes())?.to_dtype(a.dtype()));
    let Some(u) = u else {
        return Ok(None);
    };
    Ok(Some([of_batch(p)?, of_batch(l)?, of_batch(u)?]))
}

/// What is made of the matrices of a few rows, row by row; none where there are no such matrices, or one has no result.
fn made<const N: usize>(
    a: &Tensor,
    make: impl Fn(Square, usize) -> Option<[Square; N]>,
) -> Result<Option<[Tensor; N]>> {
    let Some(n) = few_rows(a) else {
        return Ok(None);
    };
    let elements = a.to_vec::<f64>();
    let mut all: [Vec<f64>; N] = std::array::from_fn(|_| memory::with_capacity(elements.len()));
    for (index, own) in elements.chunks_exact(n * n).enumerate() {
        if index.is_multiple_of(1 << 10) {
            watch::poll();
        }
        let Some(made) = make(square(own, n), n) else {
            return Ok(None);
        };
        for (out, made) in all.iter_mut().zip(made) {
            for row in &made[..n] {
                out.extend_from_slice(&row[..n]);
            }
        }
    }
    let mut out = Vec::new();
    for values in all {
        out.push(Tensor::from_vec(values, a.sizes())?.to_dtype(a.dtype()));
    }
    Ok(out.try_into().ok())
}

/// Cholesky's factors of matrices of a few rows; none where there are no such matrices, or a minor is not positive.
pub fn roots(a: &Tensor, upper: bool) -> Result<Option<Tensor>> {
    // The columns of the upper factor are the rows of the lower one.
    let of = |a: Square, n: usize| {
        let own = if upper { transposed(&a) } else { a };
        cholesky(&own, n).map(|l| [if upper { l } else { transposed(&l) }])
    };
    let root = made(a, of)?;
    root.map(|[root]| root.transpose(-1, -2)).transpose()
}

/// Q and R of matrices of a few rows; none where there are no such matrices.
pub fn orthogonal(a: &Tensor) -> Result<Option<(Tensor, Tensor)>> {
    let Some([q, r]) = made(a, |a, n| Some(reflect(&a, n).into()))? else {
        return Ok(None);
    };
    Ok(Some((q.transpose(-1, -2)?, r.transpose(-1, -2)?)))
}

/// The exponentials of matrices of a few rows; none where there are no such matrices, or one is not finite.
pub fn exponentials(a: &Tensor) -> Result<Option<Tensor>> {
    let own = made(a, |a, n| exponential(&a, n).map(|e| [e]))?;
    Ok(own.map(|[own]| own))
}
