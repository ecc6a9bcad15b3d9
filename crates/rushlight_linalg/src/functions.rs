//! Functions of matrices: powers, exponential, polar factors, square root; tensors as matrices; Vandermonde.

use super::eigen::{check_convergence, hermitian};
use super::lu::factor;
use super::singular::decompose;
use super::small;
use super::systems::check_dtypes;
use crate::dense::batch::{Batch, no_matrix};
use crate::dense::functions::exponential;
use crate::dense::matrix::Dense;
use rushlight_ops::multiply;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Dims, Fault, Result, Scalar, Tensor, watch};
use rushlight_types::{OutDtype, op, operators};
use smallvec::SmallVec;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// Functions of matrices.
    pub static ROWS = [
        op!("aten::linalg_matrix_power(Tensor self, int n) -> Tensor", matrix_power).out("out", rushlight_ops::out::exact),
        op!("aten::matrix_power(Tensor self, int n) -> Tensor", matrix_power).out("out", rushlight_ops::out::cast),
        op!("aten::linalg_matrix_exp(Tensor self) -> Tensor", matrix_exp).out("out", rushlight_ops::out::exact),
        op!("aten::matrix_exp(Tensor self) -> Tensor", matrix_exp),
        op!("aten::linalg_polar(Tensor A) -> (Tensor U, Tensor H)", polar).out("out", rushlight_ops::out::exact),
        op!("aten::linalg_matrix_sqrth(Tensor self) -> Tensor", matrix_sqrth).out("out", rushlight_ops::out::exact),
        op!("aten::linalg_tensorinv(Tensor self, int ind=2) -> Tensor", tensorinv).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("tensorinv: Expected result to be safely castable from {result} dtype, but got result with dtype {out}")),
        op!("aten::linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor", tensorsolve).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("tensorsolve: Expected result to be safely castable from {result} dtype, but got result with dtype {out}")),
    ];
}

fn matrix_power(a: &Tensor, n: i64) -> Result<Tensor> {
    let name = "linalg.matrix_power";
    if a.rank() < 2 {
        return Err(no_matrix(name, a));
    }
    let (rows, cols) = (a.size(a.rank() - 2), a.size(a.rank() - 1));
    if rows != cols {
        return Err(Fault::runtime(format!(
            "{name}: A must be batches of square matrices, but they are {rows} by {cols} matrices"
        )));
    }
    if n < 0 {
        let batch = Batch::read("linalg.inv", a)?;
        let mut inverses = Vec::new();
        for (index, m) in batch.matrices.iter().enumerate() {
            let factors = factor(m);
            if factors.info > 0 {
                return Err(Fault::linear_algebra(format!(
                    "linalg.inv: {}The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular.",
                    batch.place(index),
                    factors.info
                )));
            }
            inverses.push(factors.inverse());
        }
        let inverse = batch.tensor(&inverses, batch.rows, batch.cols)?;
        if n == -1 {
            return Ok(inverse);
        }
        return matrix_power(&inverse, n.checked_neg().unwrap_or(i64::MAX));
    }
    if n == 0 {
        let k = a.size(a.rank() - 1);
        let mut unit = Tensor::zeros(&[k, k], a.dtype())?;
        for i in 0..k as i64 {
            watch::poll();
            unit.select(0, i)?.select(0, i)?.fill(Scalar::Int(1))?;
        }
        unit = unit.expand_to(a.sizes())?;
        return Ok(unit.contiguous_copy());
    }
    // Squares and multiplies; integers stay integers.
    let (mut square, mut out, mut rest) = (a.contiguous_copy(), None, n);
    loop {
        if rest & 1 == 1 {
            out = Some(match out {
                None => square.clone(),
                Some(out) => multiply("addmm_impl_cpu_", &out, &square)?,
            });
        }
        rest >>= 1;
        if rest == 0 {
            break;
        }
        square = multiply("addmm_impl_cpu_", &square, &square)?;
    }
    Ok(out.unwrap_or(square))
}

fn matrix_exp(a: &Tensor) -> Result<Tensor> {
    let half = matches!(
        a.dtype(),
        rushlight_tensor::DType::F16 | rushlight_tensor::DType::BF16
    );
    let wide = if half {
        a.to_dtype(rushlight_tensor::DType::F32)
    } else {
        a.clone()
    };
    if let Some(own) = small::exponentials(&wide)? {
        return Ok(own.to_dtype(a.dtype()));
    }
    let batch = Batch::read_square("linalg.matrix_exp", &wide)?;
    let out: Vec<Dense> = batch.matrices.iter().map(exponential).collected();
    Ok(batch
        .row_major(&out, batch.rows, batch.cols)?
        .to_dtype(a.dtype()))
}

/// A = U H with orthonormal U and positive semidefinite H.
fn polar(a: &Tensor) -> Result<(Tensor, Tensor)> {
    let batch = Batch::read("linalg.polar", a)?;
    if batch.rows < batch.cols {
        return Err(Fault::runtime(format!(
            "linalg.polar: input must have at least as many rows as columns, but got {} by {} matrices",
            batch.rows, batch.cols
        )));
    }
    let (mut us, mut hs) = (Vec::new(), Vec::new());
    for m in &batch.matrices {
        let d = decompose(m);
        let vh = d.v.adjoint();
        us.push(d.u.times(&vh));
        hs.push(d.v.scale_columns(&d.s).times(&vh));
    }
    Ok((
        batch.row_major(&us, batch.rows, batch.cols)?,
        batch.row_major(&hs, batch.cols, batch.cols)?,
    ))
}

/// The square root of a positive semidefinite Hermitian matrix.
fn matrix_sqrth(a: &Tensor) -> Result<Tensor> {
    let batch = Batch::read_square("linalg.matrix_sqrth", a)?;
    let out: Vec<Dense> = batch
        .matrices
        .iter()
        .enumerate()
        .map(|(index, m)| {
            let whole = m.of_triangle(false);
            check_convergence(&batch, index, &whole, true)?;
            let (values, v) = hermitian(&whole);
            let roots: Vec<f64> = values.iter().map(|x| x.max(0.0).sqrt()).collected();
            let other = v.adjoint();
            Ok(v.scale_columns(&roots).times(&other))
        })
        .collect::<Result<_>>()?;
    batch.row_major(&out, batch.rows, batch.cols)
}

/// The solution of a linear system, for tensors seen as matrices.
fn solved(name: &str, a: &Tensor, b: Option<&Dense>, singular: &str) -> Result<(Batch, Dense)> {
    let batch = Batch::read_square(name, a)?;
    let Some(m) = batch.matrices.first() else {
        return Err(Fault::internal(
            "a matrix without leading dimensions is one matrix",
        ));
    };
    let factors = factor(m);
    if factors.info > 0 {
        let place = factors.info.to_string();
        return Err(Fault::linear_algebra(singular.replace("{}", &place)));
    }
    let x = b.map_or_else(|| factors.inverse(), |b| factors.solve(b));
    Ok((batch, x))
}

fn tensorinv(a: &Tensor, ind: i64) -> Result<Tensor> {
    if ind <= 0 {
        return Err(Fault::runtime(format!(
            "Expected a strictly positive integer for 'ind', but got {ind}"
        )));
    }
    let ind = ind as usize;
    if ind > a.rank() {
        return Err(Fault::runtime(format!(
            "ArrayRef: invalid slice, N = {ind}; size = {}",
            a.rank()
        )));
    }
    let count = |sizes: &[usize]| sizes.iter().product::<usize>();
    let (rows, cols) = (count(&a.sizes()[..ind]), count(&a.sizes()[ind..]));
    if rows != cols {
        return Err(Fault::runtime(format!(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got {cols} != {rows}"
        )));
    }
    let flat = a.reshape_to(&[rows, cols])?;
    let (batch, x) = solved(
        "linalg.inv",
        &flat,
        None,
        "inv: The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular.",
    )?;
    let sizes: Dims = a.sizes()[ind..]
        .iter()
        .chain(&a.sizes()[..ind])
        .copied()
        .collect();
    batch.tensor(&[x], rows, cols)?.reshape_to(&sizes)
}

fn tensorsolve(a: &Tensor, b: &Tensor, dims: Option<Ints>) -> Result<Tensor> {
    let mut moved = a.clone();
    if let Some(dims) = dims {
        // The named dimensions go to the end, in the order given.
        let mut last: Vec<usize> = Vec::new();
        for dim in &dims {
            let d = wrap_dim(*dim, a.rank())?;
            last.push(d);
        }
        if (1..last.len()).any(|i| last[..i].contains(&last[i])) {
            return Err(Fault::runtime(format!(
                "movedim: repeated dim in `source` ({:?})",
                dims.as_slice()
            )));
        }
        let order: Vec<i64> = (0..a.rank())
            .filter(|d| !last.contains(d))
            .chain(last.iter().copied())
            .map(|d| d as i64)
            .collected();
        moved = a.permute(&order)?;
    }
    let keep = b.rank().min(moved.rank());
    let sizes = Dims::from_slice(&moved.sizes()[keep..]);
    let (rows, cols) = (b.numel(), sizes.iter().product::<usize>());
    if rows != cols {
        return Err(Fault::runtime(format!(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), but got {cols} != {rows}"
        )));
    }
    if moved.numel() != rows * cols {
        return Err(Fault::runtime(format!(
            "shape '[{rows}, {cols}]' is invalid for input of size {}",
            moved.numel()
        )));
    }
    let flat = moved.reshape_to(&[rows, cols])?;
    if !a.dtype().is_integral(true) {
        check_dtypes("linalg.solve", "A", a, b)?;
    }
    let column = b.reshape_to(&[rows, 1])?;
    let side = Batch::read("linalg.solve", &column)?;
    let (batch, x) = solved(
        "linalg.solve",
        &flat,
        side.matrices.first(),
        "torch.linalg.solve: The solver failed because the input matrix is singular.",
    )?;
    batch.row_major(&[x], cols, 1)?.reshape_to(&sizes)
}
