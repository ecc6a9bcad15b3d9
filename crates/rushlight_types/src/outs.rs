//! Calls that write their results into tensors of the caller: `out=`.

use crate::{Call, Effect, Operator, Result, Type, Value, warning};
use rushlight_tensor::Tensor;
use rushlight_tensor::layout::list;
use smallvec::SmallVec;

/// Runs a call whose last `outs` arguments take the results, and warns of those that held elements and got other sizes. What
/// makes or draws tensors from nothing else does so silently, as in the reference.
pub(crate) fn watch(
    operator: &Operator,
    call: &mut Call<'_>,
    outs: usize,
    run: impl FnOnce(&mut Call<'_>) -> Result<()>,
) -> Result<()> {
    let first = call.inputs().len().saturating_sub(outs);
    let of = |value: &Value| match value {
        Value::Tensor(tensor) if tensor.numel() > 0 => {
            Some((tensor.clone(), Sizes::from_slice(tensor.sizes())))
        }
        _ => None,
    };
    let held: SmallVec<[_; 2]> = call.inputs()[first..].iter().filter_map(of).collect();
    run(call)?;
    let mut resized = held
        .into_iter()
        .filter(|(tensor, before)| tensor.sizes() != &before[..]);
    resized.try_for_each(|(tensor, before)| warn(operator, call, first, &tensor, &before))
}

/// The sizes of a tensor before a call.
type Sizes = SmallVec<[usize; 6]>;

#[cold]
fn warn(
    operator: &Operator,
    call: &Call<'_>,
    outs_from: usize,
    tensor: &Tensor,
    before: &[usize],
) -> Result<()> {
    let arguments = operator.schema().arguments.iter().take(outs_from);
    let reads = arguments.map(|a| &a.ty).any(holds_tensors);
    if !reads || operator.effect != Effect::Pure {
        return Ok(());
    }
    let (before, now) = (list(before), list(tensor.sizes()));
    let message = format!(
        "An output with one or more elements was resized since it had shape {before}, which does not match the required output shape {now}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0)."
    );
    warning::warn(call.context(), &message, None)
}

fn holds_tensors(ty: &Type) -> bool {
    match ty {
        Type::Tensor(_) => true,
        Type::List(inner) | Type::Optional(inner) => holds_tensors(inner),
        _ => false,
    }
}
