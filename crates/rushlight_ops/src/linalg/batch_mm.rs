//! Several products at once, as the pass that batches products writes them.

use super::addmm::addmm;
use super::product::mm;
use crate::view::join::cat;
use rushlight_tensor::{Result, Scalar, Tensor};
use rushlight_types::{Call, Operator, Value, op, operators};

operators! {
    /// Products that were separate in the source.
    pub static ROWS = [
        op!("prim::MMTreeReduce(...) -> Tensor", tree_reduce),
        Operator::new("prim::MMBatchSide.left(...) -> ...", left),
        Operator::new("prim::MMBatchSide.right(...) -> ...", right),
    ];
}

fn tensors(values: &[Value]) -> Result<Vec<Tensor>> {
    values.iter().map(|v| v.as_tensor().cloned()).collect()
}

/// Whether tensors can stand one after another in one product.
fn are_alike(tensors: &[Tensor]) -> bool {
    let like = |t: &Tensor| {
        t.rank() == 2 && t.sizes() == tensors[0].sizes() && t.dtype() == tensors[0].dtype()
    };
    tensors.iter().all(like)
}

/// The sum of products: the left factors, then the right ones.
fn tree_reduce(factors: &[Value]) -> Result<Tensor> {
    let factors = tensors(factors)?;
    let (left, right) = factors.split_at(factors.len() / 2);
    if left.is_empty() {
        return cat(&[], 0);
    }
    if are_alike(left) && are_alike(right) {
        return mm(&cat(left, 1)?, &cat(right, 0)?);
    }
    let one = Scalar::Int(1);
    let first = mm(&left[0], &right[0])?;
    let rest = left.iter().zip(right).skip(1);
    rest.into_iter()
        .try_fold(first, |sum, (a, b)| addmm(&sum, a, b, one, one))
}

fn left(call: &mut Call<'_>) -> Result<()> {
    let factors = tensors(call.inputs())?;
    let results = batch(&factors, 1, mm)?;
    call.finish_many(results)
}

fn right(call: &mut Call<'_>) -> Result<()> {
    let factors = tensors(call.inputs())?;
    let results = batch(&factors, 0, |shared, other| mm(other, shared))?;
    call.finish_many(results)
}

/// The products of the first tensor with each of the others, which line up along `dim`.
fn batch(
    factors: &[Tensor],
    dim: usize,
    product: impl Fn(&Tensor, &Tensor) -> Result<Tensor>,
) -> Result<Vec<Value>> {
    let Some((shared, others)) = factors.split_first() else {
        return Ok(Vec::new());
    };
    if !are_alike(others) {
        return others
            .iter()
            .map(|o| product(shared, o).map(Value::Tensor))
            .collect();
    }
    let all = product(shared, &cat(others, dim as i64)?)?;
    let size = all.size(dim) / others.len().max(1);
    let part = |i: usize| all.narrow(dim, i * size, size).map(Value::Tensor);
    (0..others.len()).map(part).collect()
}
