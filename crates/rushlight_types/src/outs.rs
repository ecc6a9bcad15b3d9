//! Calls that write their results into tensors of the caller: `out=`.

use crate::{Call, Effect, Operator, Result, Type, Value, warning};
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
        Value::Tensor(tensor) if tensor.numel() > 0 => Some((tensor.clone(), list(tensor.sizes()))),
        _ => None,
    };
    let held: SmallVec<[_; 2]> = call.inputs()[first..].iter().filter_map(of).collect();
    run(call)?;
    let arguments = &operator.schema().arguments;
    let reads = arguments.iter().take(first).any(|a| holds_tensors(&a.ty));
    if !reads || operator.effect != Effect::Pure {
        return Ok(());
    }
    for (tensor, before) in held {
        let now = list(tensor.sizes());
        if now != before {
            let message = format!(
                "An output with one or more elements was resized since it had shape {before}, which does not match the required output shape {now}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0)."
            );
            warning::warn(call.context(), &message, None)?;
        }
    }
    Ok(())
}

fn holds_tensors(ty: &Type) -> bool {
    match ty {
        Type::Tensor(_) => true,
        Type::List(inner) | Type::Optional(inner) => holds_tensors(inner),
        _ => false,
    }
}
