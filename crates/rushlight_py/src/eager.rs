//! Eager calls: an operator by name, its overload chosen by what the arguments are.

use crate::binding::{Arguments, Keywords, Reading, Slots, bind};
use crate::convert::shown_type;
use crate::identity::{PyTensor, tensor_of};
use crate::objects::dtype_of;
use crate::operator::{pack, run};
use crate::overloads::{Overloads, base_name};
use crate::trace::recording;
use crate::{autocast, default_device, old_forms, own_calls, own_kind, signature};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple};
use rushlight::frontend::trace::Stash;
use rushlight::types::Operator;

/// Calls an operator as a function of Python arguments.
#[inline]
pub fn call<'py>(
    py: Python<'py>,
    overloads: Overloads,
    positional: &[Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = Arguments::new(overloads, false, positional);
    choose(py, &arguments)
}

/// Calls an operator as a method of the first of the arguments, a tensor.
#[inline]
pub fn call_method<'py>(
    py: Python<'py>,
    overloads: Overloads,
    positional: &[Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = Arguments::new(overloads, true, positional);
    choose(py, &arguments)
}

/// A call with arguments given by name. `requires_grad` is no argument of operators.
pub fn call_named<'py>(
    py: Python<'py>,
    arguments: &Arguments<'_, 'py>,
    kwargs: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut named = Keywords::new();
    let mut requires_grad = false;
    for (key, value) in kwargs.iter() {
        let key = key.cast_into::<PyString>()?;
        if key.to_str()? == "requires_grad" {
            requires_grad = match value.cast::<PyBool>() {
                Ok(truth) => truth.is_true(),
                Err(_) if value.is_none() => false,
                Err(_) => {
                    let name = base_name(arguments.overloads.name);
                    return Err(PyTypeError::new_err(format!(
                        "{name}(): argument 'requires_grad' must be bool, not {}",
                        shown_type(&value)
                    )));
                }
            };
            continue;
        }
        named.push((key, value));
    }
    take_from_out(arguments, &mut named)?;
    let arguments = &Arguments {
        named: &named,
        ..*arguments
    };
    // Only functions write into tensors that a call gives.
    let is_out = |(name, _): &(Bound<'_, PyString>, _)| name.to_str().is_ok_and(|n| n == "out");
    if arguments.is_method && named.iter().any(is_out) {
        return Err(signature::refusal(arguments));
    }
    let result = match call_into(py, arguments) {
        Some(result) => result?,
        None => choose(py, arguments)?,
    };
    if requires_grad && let Ok(tensor) = result.cast::<PyTensor>() {
        let dtype = tensor.get().0.dtype();
        if !dtype.is_float() && !dtype.is_complex() {
            return Err(PyRuntimeError::new_err(
                "Only Tensors of floating point and complex dtype can require gradients",
            ));
        }
        if own_kind::is_own(&result) {
            return result.call_method1("requires_grad_", (true,));
        }
        tensor.get().0.set_requires_grad(true);
    }
    Ok(result)
}

/// What makes tensors takes dtype, layout and device beside `out` where they are those of the tensor.
fn take_from_out(arguments: &Arguments<'_, '_>, named: &mut Keywords<'_>) -> PyResult<()> {
    let find = |named: &Keywords<'_>, name: &str| {
        let mut names = named.iter().map(|(n, _)| n);
        names.position(|n| n.to_str().is_ok_and(|n| n == name))
    };
    let Some(out) = find(named, "out") else {
        return Ok(());
    };
    let Ok(out) = named[out].1.cast::<PyTensor>() else {
        return Ok(());
    };
    let out = tensor_of(out);
    let makes = |row: &Operator| {
        let has = |name: &str| row.schema().arguments.iter().any(|a| &*a.name == name);
        has("layout") && has("pin_memory")
    };
    if arguments.is_method || !arguments.overloads.rows().iter().any(|row| makes(row)) {
        return Ok(());
    }
    let refused = |what: &str, given: String, own: String| {
        Err(PyRuntimeError::new_err(format!(
            "{what} {given} does not match {what} of out parameter ({own})"
        )))
    };
    for name in ["dtype", "layout", "device"] {
        let Some(at) = find(named, name) else {
            continue;
        };
        let given = &named[at].1;
        match name {
            _ if given.is_none() => {}
            "dtype" => match dtype_of(given) {
                Some(dtype) if dtype != out.dtype() => {
                    return refused(
                        "dtype",
                        dtype.class_name().to_string(),
                        out.dtype().class_name().to_string(),
                    );
                }
                Some(_) => {}
                None => continue,
            },
            "layout" => {
                if given.to_string() != "torch.strided" {
                    let layout = given.to_string();
                    let mut name = layout.trim_start_matches("torch.").to_string();
                    name = name.trim_end_matches("_coo").to_string();
                    name[..1].make_ascii_uppercase();
                    return refused("layout", name, "Strided".into());
                }
            }
            _ => {
                let text = given.str()?.to_string();
                let kind = text.split(':').next().unwrap_or_default();
                let own = match out.is_meta() {
                    true => "meta",
                    false => "cpu",
                };
                if kind != own {
                    return refused("device type", kind.to_string(), own.to_string());
                }
            }
        }
        named.remove(at);
    }
    Ok(())
}

/// Calls the form that writes its results into as many tensors: `out=(values, indices)`; `None` where this is no such call.
fn call_into<'py>(
    py: Python<'py>,
    arguments: &Arguments<'_, 'py>,
) -> Option<PyResult<Bound<'py, PyAny>>> {
    let is_out = |(name, _): &(Bound<'_, PyString>, _)| name.to_str().is_ok_and(|n| n == "out");
    let at = arguments.named.iter().position(is_out)?;
    let given = &arguments.named[at].1;
    if arguments.is_method
        || !(given.is_instance_of::<PyTuple>() || given.is_instance_of::<PyList>())
    {
        return None;
    }
    let outs: Vec<Bound<'py, PyAny>> = given.try_iter().ok()?.collect::<PyResult<_>>().ok()?;
    let mut wanted = None;
    for row in arguments.overloads.rows() {
        let formals = row.schema().arguments.iter();
        let formals: Vec<_> = formals.filter(|a| a.kwarg_only && a.is_written()).collect();
        if formals.len() < 2 {
            continue;
        }
        wanted = Some(formals.len());
        if formals.len() != outs.len() {
            continue;
        }
        let mut named: Keywords<'_> = arguments.named.iter().cloned().collect();
        named.remove(at);
        let into = formals.iter().zip(&outs);
        named.extend(into.map(|(formal, out)| (PyString::intern(py, &formal.name), out.clone())));
        let one = Arguments {
            overloads: Overloads::only(row),
            named: &named,
            ..*arguments
        };
        let mut reading = Reading::new(&one.overloads, true);
        if bind(row.schema(), &one, &mut reading, &mut Slots::new()).is_some() {
            return Some(choose(py, &one));
        }
    }
    let wanted = wanted.filter(|wanted| *wanted != outs.len())?;
    Some(Err(PyTypeError::new_err(format!(
        "expected tuple of {wanted} elements but got {}",
        outs.len()
    ))))
}

/// Calls the first overload that the arguments fit.
pub fn choose<'py>(py: Python<'py>, arguments: &Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    if let Some(result) = own_calls::call(py, arguments) {
        return result;
    }
    let overloads = arguments.overloads;
    let tracing = recording::is_on();
    let only_tensors = tracing || records_gradients(arguments);
    for numbers_as_tensors in [false, true] {
        for &operator in overloads.rows() {
            if only_tensors && overloads.rows().len() > 1 && records_numbers_as_tensors(operator) {
                continue;
            }
            let mut reading = Reading::new(&overloads, numbers_as_tensors);
            let mut slots = Slots::new();
            if bind(operator.schema(), arguments, &mut reading, &mut slots).is_none() {
                continue;
            }
            return call_bound(py, arguments, operator, slots, reading.traced);
        }
    }
    match old_forms::find(py, arguments)? {
        Some(found) => call_bound(py, arguments, found.operator, found.slots, found.traced),
        None => Err(signature::refusal(arguments)),
    }
}

/// Calls an overload with the values of its arguments, in its order.
fn call_bound<'py>(
    py: Python<'py>,
    arguments: &Arguments<'_, 'py>,
    operator: &'static Operator,
    mut slots: Slots,
    traced: Vec<Stash>,
) -> PyResult<Bound<'py, PyAny>> {
    autocast::prepare(py, operator, &mut slots)?;
    default_device::prepare(operator, &mut slots);
    if recording::is_on() {
        let name = operator.full_name();
        recording::stash_for(py, name, traced)?;
        recording::calling(name, || run(py, operator, &mut slots))?;
    } else if let Err(error) = run(py, operator, &mut slots) {
        return own_calls::of_layout(py, arguments).unwrap_or(Err(error));
    }
    let result = pack(py, operator, slots)?;
    let first = arguments.positional.first();
    Ok(
        match first.filter(|_| result.is_none() && gives_back_list(operator)) {
            Some(list) => list.clone(),
            None => result,
        },
    )
}

/// Whether Python programs get back the list of tensors that an operator without results has written to.
fn gives_back_list(operator: &Operator) -> bool {
    let name = base_name(operator.name());
    name.starts_with("_foreach_") && name.ends_with('_')
}

/// Whether the call will be seen in the gradient graph.
fn records_gradients(arguments: &Arguments<'_, '_>) -> bool {
    arguments.positional.iter().any(|object| {
        object
            .cast::<PyTensor>()
            .is_ok_and(|tensor| tensor.get().0.requires_grad())
    })
}

/// Whether this is an overload for numbers that the reference calls with a tensor wherever a program writes a number,
/// which shows in traces and in the names of gradient nodes.
fn records_numbers_as_tensors(operator: &Operator) -> bool {
    operator.wraps_numbers && operator.schema().overload.starts_with("Scalar")
}
