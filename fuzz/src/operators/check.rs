//! What must hold after every call: each tensor lies within its storage and can be read, and results are of the kind
//! that the schema declares.

use std::hint::black_box;

use rushlight::tensor::{Layout, Tensor, dispatch};
use rushlight::types::{Schema, Type, Value};

/// Larger tensors are read at their ends only.
const READ: usize = 1 << 16;

/// What is wrong with a value, in the first words in such a way that like faults read alike.
pub type Wrong = (&'static str, String);

/// Whether the arguments are of the kinds that the schema wants. What stands before kernels lets no others through.
pub fn arguments_fit(schema: &Schema, args: &[Value]) -> bool {
    let mut pairs = args.iter().zip(&schema.arguments);
    pairs.all(|(arg, wanted)| {
        let missing = arg.is_none() && wanted.ty.is_tensor();
        !missing && fits(arg, &wanted.ty.runtime())
    })
}

/// Checks the results of a call that returned; their kinds only where the arguments had theirs.
pub fn results(schema: &Schema, fit: bool, results: &[Value]) -> Result<(), Wrong> {
    for (index, (result, declared)) in results.iter().zip(&schema.returns).enumerate() {
        if fit && !schema.varrets && !fits(result, &declared.ty.runtime()) {
            let detail = format!(
                "result {index} is a {}, declared {}",
                result.type_of(),
                declared.ty
            );
            return Err(("result of another kind", detail));
        }
        value(result)?;
    }
    Ok(())
}

/// Checks the tensors in a value.
pub fn value(value: &Value) -> Result<(), Wrong> {
    match value {
        Value::Tensor(tensor) => check(tensor),
        Value::TensorList(list) => {
            let items = list.lock().clone();
            items.iter().try_for_each(check)
        }
        Value::List(list) => {
            let items = list.items.lock().clone();
            items.iter().try_for_each(self::value)
        }
        Value::Tuple(tuple) => tuple.items.iter().try_for_each(self::value),
        Value::Dict(dict) => {
            let entries = dict.entries();
            entries.iter().try_for_each(|(_, item)| self::value(item))
        }
        _ => Ok(()),
    }
}

fn fits(value: &Value, ty: &Type) -> bool {
    match ty {
        Type::Int => matches!(value, Value::Int(_)),
        Type::Float => matches!(value, Value::Float(_)),
        Type::Bool => matches!(value, Value::Bool(_)),
        Type::Complex => matches!(value, Value::Complex(_)),
        Type::Str => matches!(value, Value::Str(_)),
        Type::Number => value.as_scalar().is_ok(),
        // An undefined tensor is none.
        Type::Tensor(_) => matches!(value, Value::Tensor(_) | Value::None),
        Type::Optional(inner) => value.is_none() || fits(value, inner),
        Type::List(element) => match &**element {
            Type::Int => matches!(value, Value::IntList(_)),
            Type::Float => matches!(value, Value::FloatList(_)),
            Type::Bool => matches!(value, Value::BoolList(_)),
            Type::Tensor(_) => matches!(value, Value::TensorList(_)),
            element => value
                .list_items()
                .is_ok_and(|items| items.iter().all(|item| fits(item, element))),
        },
        Type::Tuple(wanted) => match value {
            Value::Tuple(tuple) => {
                let mut pairs = tuple.items.iter().zip(&wanted.elements);
                tuple.items.len() == wanted.elements.len() && pairs.all(|(item, ty)| fits(item, ty))
            }
            _ => false,
        },
        Type::Dict(parts) => match value {
            Value::Dict(dict) => {
                let entries = dict.entries();
                let mut entries = entries.iter();
                (parts.0.has_variables() || dict.key_type == parts.0)
                    && entries.all(|(key, item)| fits(key, &parts.0) && fits(item, &parts.1))
            }
            _ => false,
        },
        _ => true,
    }
}

fn check(tensor: &Tensor) -> Result<(), Wrong> {
    let layout = tensor.layout();
    let shown = || {
        format!(
            "{} {:?}, strides {:?}, offset {}, storage of {} bytes",
            tensor.dtype(),
            layout.sizes(),
            layout.strides(),
            layout.offset(),
            tensor.storage().len()
        )
    };
    let mut count = Some(1usize);
    for size in layout.sizes() {
        count = count.and_then(|count| count.checked_mul(*size));
    }
    // A size of zero makes the count zero whatever the others multiply to.
    if layout.sizes().contains(&0) {
        count = Some(0);
    }
    if count != Some(tensor.numel()) || count.is_some_and(|count| count > isize::MAX as usize) {
        return Err(("more elements than numbers count", shown()));
    }
    let size = tensor.dtype().size();
    let end = layout.end().and_then(|end| end.checked_mul(size));
    if end.is_none_or(|end| end > tensor.storage().len()) {
        return Err(("reaches outside its storage", shown()));
    }
    if count == Some(0) {
        return Ok(());
    }
    if !(tensor.storage().as_ptr() as usize).is_multiple_of(size.min(8)) {
        return Err(("not aligned", shown()));
    }
    if tensor.dtype().is_quantized() != tensor.quantizer().is_some() {
        return Err((
            "quantized without a quantizer, or the other way round",
            shown(),
        ));
    }
    if let Some(quantizer) = tensor.quantizer() {
        let fine = quantizer.check(tensor.sizes());
        fine.map_err(|fault| {
            (
                "channels of another number",
                format!("{fault}: {}", shown()),
            )
        })?;
    }
    read(tensor);
    Ok(())
}

/// Reads every element, or the first and the last.
fn read(tensor: &Tensor) {
    let stored = tensor.stored();
    if stored.numel() <= READ {
        dispatch!(stored.dtype(), All, T => { black_box(stored.to_vec::<T>()); });
        return;
    }
    let layout = tensor.layout();
    let last = layout.end().unwrap_or(1) - 1;
    for offset in [layout.offset(), last] {
        if let Ok(one) = stored.view_with(Layout::strided(&[], &[], offset)) {
            black_box(one.item().ok());
        }
    }
}
