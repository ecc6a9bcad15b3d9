//! Batches of matrices of a few rows: determinants, inverses and solutions without memory for each of them.

use crate::dense::small::{MOST, Small};
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
    make: impl Fn(usize, &Small, &mut Vec<f64>),
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
