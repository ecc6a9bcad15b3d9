//! Matrices and right-hand sides of linear systems: how operators refuse those that do not belong together, and read
//! those that do.

use crate::dense::batch::{Batch, incompatible};
use rushlight_tensor::layout::broadcast_or_fault;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Fault, Result, Tensor};

/// Refuses what has no matrices.
pub fn check_matrices(name: &str, what: &str, t: &Tensor) -> Result<()> {
    if t.rank() < 2 {
        return Err(Fault::runtime(format!(
            "{name}: The input tensor {what} must have at least 2 dimensions."
        )));
    }
    Ok(())
}

fn not_square(prefix: &str, a: &Tensor) -> Option<Fault> {
    let [.., rows, cols] = *a.sizes() else {
        return None;
    };
    (rows != cols).then(|| {
        Fault::runtime(format!(
            "{prefix}A must be batches of square matrices, but they are {rows} by {cols} matrices"
        ))
    })
}

/// Refuses what has no square matrices.
pub fn check_square(name: &str, a: &Tensor) -> Result<()> {
    check_matrices(name, "A", a)?;
    not_square(&format!("{name}: "), a).map_or(Ok(()), Err)
}

/// Refuses right-hand sides of another dtype than the matrices have.
pub fn check_dtypes(name: &str, own: &str, a: &Tensor, b: &Tensor) -> Result<()> {
    if a.dtype() != b.dtype() {
        return Err(Fault::runtime(format!(
            "{name}: Expected {own} and B to have the same dtype, but found {own} of type {} and B of type {} instead",
            a.dtype().class_name(),
            b.dtype().class_name()
        )));
    }
    Ok(())
}

/// Refuses right-hand sides whose matrices do not fit square ones.
pub fn check_sides(name: &str, a: &Tensor, b: &Tensor, left: bool) -> Result<()> {
    check_matrices(name, "B", b)?;
    let side = if left { 2 } else { 1 };
    if b.size(b.rank() - side) != a.size(a.rank() - 1) {
        return Err(incompatible(name, a, b, left));
    }
    Ok(())
}

/// What [`check_dtypes`], [`check_square`] and [`check_sides`] refuse, in the words of the older operators.
pub fn check_in_older_words(name: &str, a: &Tensor, b: &Tensor) -> Result<()> {
    if a.dtype() != b.dtype() {
        return Err(Fault::runtime(format!(
            "Expected b and A to have the same dtype, but found b of type {} and A of type {} instead.",
            b.dtype().class_name(),
            a.dtype().class_name()
        )));
    }
    if let Some(fault) = not_square("", a) {
        return Err(fault);
    }
    let n = a.size(wrap_dim(-2, a.rank())?);
    let rows = b.size(wrap_dim(-2, b.rank())?);
    if rows != n {
        return Err(Fault::runtime(format!(
            "Incompatible matrix sizes for {name}: each A matrix is {n} by {n} but each b matrix is {rows} by {}",
            b.size(b.rank() - 1)
        )));
    }
    Ok(())
}

/// Square matrices and right-hand sides with a common batch.
pub fn read(name: &str, a: &Tensor, b: &Tensor) -> Result<(Batch, Batch)> {
    let lead = broadcast_or_fault(&b.sizes()[..b.rank() - 2], &a.sizes()[..a.rank() - 2])?;
    Ok((
        Batch::read_expanded(name, a, &lead)?,
        Batch::read_expanded(name, b, &lead)?,
    ))
}
