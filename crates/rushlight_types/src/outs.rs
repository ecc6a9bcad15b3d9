//! Calls that write their results into tensors of the caller: `out=`.

use crate::facts::{Apart, Beside, OutDtype};
use crate::operator::without_overload;
use crate::{Call, Effect, Fault, Operator, Result, Schema, Type, Value, warning};
use rushlight_tensor::iter::{lie_apart, overlap};
use rushlight_tensor::layout::list;
use rushlight_tensor::promote::check_cast;
use rushlight_tensor::{DType, ErrorClass, Tensor};
use smallvec::SmallVec;

/// Writes results into as many tensors of the caller.
pub type Deliver = fn(results: &[Value], outs: &[Value]) -> Result<()>;

/// The form of an operator that takes tensors for its results: what its row adds to that of the operator.
pub(crate) struct OutForm {
    pub overload: &'static str,
    pub deliver: Deliver,
}

/// The schema of such a form: `aten::flip.out(Tensor self, int[] dims, *, Tensor(a!) out) -> Tensor(a!)` of `aten::flip` and
/// `out`. Several results have the names that the schema gives them, or `out0` and so on.
pub(crate) fn text(schema: &str, overload: &str) -> String {
    let (full_name, rest) = schema.split_once('(').unwrap_or((schema, ") -> "));
    let (arguments, results) = rest.rsplit_once(") -> ").unwrap_or((rest, ""));
    let several = results.strip_prefix('(').and_then(|r| r.strip_suffix(')'));
    let parts: Vec<&str> = match several {
        Some(parts) => parts.split(", ").collect(),
        None => vec![results],
    };
    let star = match arguments {
        "" => "*, ",
        has if has.contains("*, ") => ", ",
        _ => ", *, ",
    };
    let (mut outs, mut written) = (Vec::new(), Vec::new());
    for (i, (part, letter)) in parts.iter().zip('a'..).enumerate() {
        let name = part.split_once(' ').map(|(_, name)| name);
        let own = match several {
            Some(_) => format!("out{i}"),
            None => "out".to_string(),
        };
        outs.push(format!("Tensor({letter}!) {}", name.unwrap_or(&own)));
        written.push(match name {
            Some(name) => format!("Tensor({letter}!) {name}"),
            None => format!("Tensor({letter}!)"),
        });
    }
    let written = match several {
        Some(_) => format!("({})", written.join(", ")),
        None => written.join(", "),
    };
    format!(
        "{}.{overload}({arguments}{star}{}) -> {written}",
        without_overload(full_name),
        outs.join(", ")
    )
}

/// Runs a kernel on the arguments of a call without the last `count`, which take its results and are returned. The arguments of
/// the call itself stay until all has gone well.
pub(crate) fn run(
    call: &mut Call<'_>,
    count: usize,
    kernel: impl FnOnce(&mut Call<'_>) -> Result<()>,
    deliver: impl FnOnce(&[Value], &[Value]) -> Result<()>,
) -> Result<()> {
    let inputs = call.inputs();
    let first = inputs
        .len()
        .checked_sub(count)
        .ok_or_else(|| Fault::internal("an out form was called without its out arguments"))?;
    let mut slots: SmallVec<[Value; 8]> = inputs[..first].into();
    slots.resize(first.max(count), Value::None);
    kernel(&mut Call::new(call.context(), &mut slots, first))?;
    let outs = &call.inputs()[first..];
    deliver(&slots[..count], outs)?;
    let outs = outs.to_vec();
    call.finish_many(outs)
}

/// Refuses tensors for results whose dtypes do not do, in the words of the operator.
pub(crate) fn check_dtypes(rule: OutDtype, results: &[Value], outs: &[Value]) -> Result<()> {
    let words = match rule {
        OutDtype::ByDelivery => return Ok(()),
        OutDtype::Same(words) | OutDtype::Truth(words) => words,
        OutDtype::Castable(words) | OutDtype::CastableType(words) => words,
    };
    let mut each = words.split('|');
    let mut said = "";
    for (result, out) in results.iter().zip(outs) {
        said = each.next().unwrap_or(said);
        let (result, out) = (result.as_tensor()?.dtype(), out.as_tensor()?.dtype());
        let fits = match rule {
            OutDtype::Same(_) => result == out,
            OutDtype::Truth(_) => matches!(out, DType::Bool | DType::U8),
            _ => check_cast(result, out).is_ok(),
        };
        if fits {
            continue;
        }
        let is_int = if result == DType::I32 {
            "True"
        } else {
            "False"
        };
        let text = said
            .replace("{result:is int}", is_int)
            .replace("{result}", result.class_name())
            .replace("{out}", out.class_name())
            .replace("{result:c}", result.scalar_name())
            .replace("{out:c}", out.scalar_name());
        let class = match rule {
            OutDtype::CastableType(_) => ErrorClass::Type,
            _ => ErrorClass::Runtime,
        };
        return Err(Fault::new(class, text));
    }
    Ok(())
}

/// Refuses to write where what a call only reads lies.
pub(crate) fn check_apart(schema: &Schema, apart: Apart, call: &Call<'_>) -> Result<()> {
    let arguments = || schema.arguments.iter().zip(call.inputs());
    for (at, (formal, read)) in arguments().enumerate() {
        let beside = match at {
            0 => apart.first,
            _ => apart.others,
        };
        if formal.is_written() || beside == Beside::ByKernel {
            continue;
        }
        for (_, written) in arguments().filter(|(formal, _)| formal.is_written()) {
            let overlaps = |w: &Tensor, r: &Tensor| !lie_apart(w, r, beside == Beside::OrSame);
            if written.any_tensor(|w| read.any_tensor(|r| overlaps(w, r))) {
                return Err(overlap());
            }
        }
    }
    Ok(())
}

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
    let is_meta = |value: &Value| value.any_tensor(Tensor::is_meta);
    if call.inputs()[first..].iter().any(is_meta)
        && !call.inputs()[..first].iter().any(is_meta)
        && operator.schema().arguments[..first]
            .iter()
            .any(|a| holds_tensors(&a.ty))
    {
        return Err(Fault::runtime(
            "Attempting to copy from device cpu to device meta, but cross-device copies are not allowed!",
        ));
    }
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

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn schemas_of_out_forms_follow() {
        let cases = [
            (
                "aten::flip(Tensor self, int[] dims) -> Tensor",
                "out",
                "aten::flip.out(Tensor self, int[] dims, *, Tensor(a!) out) -> Tensor(a!)",
            ),
            (
                "aten::sum.dim_IntList(Tensor self, int[1]? dim, *, ScalarType? dtype=None) -> Tensor",
                "IntList_out",
                "aten::sum.IntList_out(Tensor self, int[1]? dim, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)",
            ),
            (
                "aten::topk(Tensor self, SymInt k) -> (Tensor values, Tensor indices)",
                "values",
                "aten::topk.values(Tensor self, SymInt k, *, Tensor(a!) values, Tensor(b!) indices) -> (Tensor(a!) values, Tensor(b!) indices)",
            ),
            (
                "aten::f(Tensor self) -> (Tensor, Tensor)",
                "out",
                "aten::f.out(Tensor self, *, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))",
            ),
        ];
        for (schema, overload, wanted) in cases {
            assert_eq!(text(schema, overload), wanted);
        }
    }
}
