//! Calls whose kernel runs on other tensors than the arguments.
//!
//! Kernels are written for plain tensors. Where arguments are of another kind, the kernel runs on tensors that stand in
//! for them; what it writes goes back to the arguments, and what it returns is turned into what it stands for.

use crate::{Call, Operator, Result, Value};
use rushlight_tensor::Tensor;

/// How tensors of a kind and plain ones stand for each other.
pub(crate) trait StandIns {
    /// The plain tensor that stands in for an argument; a plain argument is its own.
    fn plain(&self, argument: &Tensor) -> Result<Tensor>;

    /// What a plain result stands for.
    fn of_result(&self, result: Tensor) -> Result<Tensor>;

    /// Brings what the kernel wrote into a stand-in back to the argument.
    fn write_back(&self, argument: &Tensor, stand_in: &Tensor) -> Result<()>;
}

/// Runs the kernel of an operator on stand-ins for its arguments. An argument that comes back as a result is itself.
pub(crate) fn run(kind: &impl StandIns, operator: &Operator, call: &mut Call<'_>) -> Result<()> {
    let schema = operator.schema();
    let arguments = call.inputs().to_vec();
    let stand_ins = arguments
        .iter()
        .map(|value| map(value, &|t| kind.plain(t)))
        .collect::<Result<Vec<Value>>>()?;
    let results = run_apart(operator, call, stand_ins.clone())?;
    let written = schema.arguments.iter().map(|a| a.is_written());
    for ((argument, stand_in), _) in (arguments.iter().zip(&stand_ins))
        .zip(written)
        .filter(|(_, written)| *written)
    {
        write_back(kind, argument, stand_in)?;
    }
    let stands_for = |value: Value| {
        let is_it =
            |s: &Value| matches!((s, &value), (Value::Tensor(s), Value::Tensor(v)) if s.is(v));
        match stand_ins.iter().position(is_it) {
            Some(index) => Ok(arguments[index].clone()),
            None => map(&value, &|t| kind.of_result(t.clone())),
        }
    };
    let results = results.into_iter().map(stands_for).collect::<Result<_>>()?;
    call.finish_many(results)
}

/// Runs a kernel on other arguments than those of a call, and gives its results.
pub(crate) fn run_apart(
    operator: &Operator,
    call: &Call<'_>,
    mut slots: Vec<Value>,
) -> Result<Vec<Value>> {
    let (inputs, count) = (slots.len(), operator.schema().returns.len());
    slots.resize(inputs.max(count), Value::None);
    operator.kernel(&mut Call::new(call.context(), &mut slots, inputs))?;
    slots.truncate(count);
    Ok(slots)
}

/// A value with its tensor, or those in its list, replaced.
pub(crate) fn map(value: &Value, f: &impl Fn(&Tensor) -> Result<Tensor>) -> Result<Value> {
    Ok(match value {
        Value::Tensor(t) => Value::Tensor(f(t)?),
        Value::TensorList(list) => {
            let tensors = list.lock().clone();
            let mapped: Result<Vec<Tensor>> = tensors.iter().map(f).collect();
            Value::TensorList(mapped?.into())
        }
        Value::List(list) if value.any_tensor(|_| true) => {
            let items = list.items.lock().clone();
            let mapped: Result<Vec<Value>> = items.iter().map(|v| map(v, f)).collect();
            Value::list(&list.element, mapped?)?
        }
        other => other.clone(),
    })
}

fn write_back(kind: &impl StandIns, argument: &Value, stand_in: &Value) -> Result<()> {
    match (argument, stand_in) {
        (Value::Tensor(to), Value::Tensor(from)) if !to.is(from) => kind.write_back(to, from),
        (Value::TensorList(to), Value::TensorList(from)) => {
            let (to, from) = (to.lock().clone(), from.lock().clone());
            (to.iter().zip(&from))
                .filter(|(to, from)| !to.is(from))
                .try_for_each(|(to, from)| kind.write_back(to, from))
        }
        _ => Ok(()),
    }
}
