//! Calls with tensors whose elements are read conjugated or negated ([`rushlight_tensor::Marks`]).
//!
//! Kernels read memory as it is. A call that a context makes while marked tensors exist in it comes here: operators
//! that give views, and those that look at no element, see marked arguments as they are, since views inherit the marks;
//! all others are given copies without them, and what they write goes back through the marks.

use crate::{Call, Operator, Result, Value};
use rushlight_tensor::Tensor;

/// Operators that look at no element, or read elements through the marks, although they give no view.
const NATIVE: &[&str] = &[
    "aten::__is__",
    "aten::__isnot__",
    "aten::_version",
    "aten::clone",
    "aten::copy_",
    "aten::data_ptr",
    "aten::dense_dim",
    "aten::detach_",
    "aten::device",
    "aten::dim",
    "aten::element_size",
    "aten::has_names",
    "aten::is_complex",
    "aten::is_conj",
    "aten::is_contiguous",
    "aten::is_floating_point",
    "aten::is_inference",
    "aten::is_leaf",
    "aten::is_neg",
    "aten::is_same_size",
    "aten::is_set_to",
    "aten::is_signed",
    "aten::item",
    "aten::len",
    "aten::ndimension",
    "aten::numel",
    "aten::output_nr",
    "aten::requires_grad_",
    "aten::resolve_conj",
    "aten::resolve_neg",
    "aten::result_type",
    "aten::retain_grad",
    "aten::set_",
    "aten::size",
    "aten::squeeze_",
    "aten::storage_offset",
    "aten::stride",
    "aten::swapaxes_",
    "aten::swapdims_",
    "aten::t_",
    "aten::transpose_",
    "aten::unsqueeze_",
];

fn is_marked(value: &Value) -> bool {
    let marked = |t: &Tensor| !t.marks().is_none();
    match value {
        Value::Tensor(t) => marked(t),
        Value::TensorList(list) => list.lock().iter().any(marked),
        Value::List(list) => list
            .items
            .lock()
            .iter()
            .any(|v| matches!(v, Value::Tensor(t) if marked(t))),
        _ => false,
    }
}

fn resolved(value: &Value) -> Result<Value> {
    Ok(match value {
        Value::Tensor(t) => Value::Tensor(t.resolved()),
        Value::TensorList(list) => {
            let plain: Vec<Tensor> = list.lock().iter().map(Tensor::resolved).collect();
            Value::TensorList(plain.into())
        }
        Value::List(list) => {
            let items = list.items.lock().clone();
            let plain: Result<Vec<Value>> = items.iter().map(resolved).collect();
            Value::list(&list.element, plain?)?
        }
        other => other.clone(),
    })
}

/// Runs the kernel of an operator on tensors without marks, where an argument has some; `false` where none has or the
/// kernel takes them.
pub(crate) fn run(operator: &Operator, call: &mut Call<'_>) -> Result<bool> {
    if !call.inputs().iter().any(is_marked) {
        return Ok(false);
    }
    let name = operator.name();
    if operator.gives_views() || name.starts_with("prim::") || NATIVE.contains(&name) {
        return Ok(false);
    }
    let schema = operator.schema();
    let before = call.inputs().to_vec();
    let mut slots = before
        .iter()
        .map(resolved)
        .collect::<Result<Vec<Value>>>()?;
    let plain = slots.clone();
    let count = schema.returns.len();
    slots.resize(slots.len().max(count), Value::None);
    operator.kernel(&mut Call::new(call.context(), &mut slots, before.len()))?;
    slots.truncate(count);
    for (index, argument) in schema.arguments.iter().enumerate() {
        if argument.is_written()
            && let (Some(was), Some(is)) = (before.get(index), plain.get(index))
        {
            write_back(was, is)?;
        }
    }
    let stands_for = |value: Value| {
        let same =
            |p: &Value| matches!((p, &value), (Value::Tensor(p), Value::Tensor(v)) if p.is(v));
        plain
            .iter()
            .position(same)
            .map_or(value.clone(), |at| before[at].clone())
    };
    call.finish_many(slots.into_iter().map(stands_for).collect())?;
    Ok(true)
}

/// Brings what the kernel wrote into copies back to the tensors that they stand for.
fn write_back(was: &Value, is: &Value) -> Result<()> {
    match (was, is) {
        (Value::Tensor(to), Value::Tensor(from)) if !to.is(from) => {
            if to.sizes() != from.sizes() {
                let fresh = from.deep_copy();
                to.set_meta(&fresh.storage(), to.dtype(), fresh.layout().clone())?;
            }
            to.copy_from(from)
        }
        (Value::TensorList(to), Value::TensorList(from)) => {
            let (to, from) = (to.lock().clone(), from.lock().clone());
            (to.iter().zip(&from))
                .filter(|(to, from)| !to.is(from))
                .try_for_each(|(to, from)| to.copy_from(from))
        }
        _ => Ok(()),
    }
}
