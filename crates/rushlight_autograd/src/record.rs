//! Calls of operators while gradients are recorded.

use crate::history::{Edge, Meta, Node, RecordKind, Saved, SavedTensor, SavedValue, Shape};
use crate::made::Made;
use crate::node::attach;
use crate::refusal;
use crate::rules::{Action, Formula, IntoOut, Read, Rule, into_out};
use crate::{Engine, compile, view};
use parking_lot::Mutex;
use rushlight_tensor::{Fault, Result, Tensor};
use rushlight_types::modes::NoAutocast;
use rushlight_types::{Call, Callable, Operator, Sizes, Value};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Runs a call and, where an argument requires gradients, makes its results depend on a node.
pub(crate) fn record(
    engine: &Engine,
    operator: &'static Operator,
    call: &mut Call<'_>,
) -> Result<()> {
    let context = call.context();
    if !context.grad_enabled() || context.inference_mode() {
        return match call.inputs().iter().any(Value::requires_grad) {
            true => not_recorded(engine, operator, call),
            false => operator.run_kernel(call),
        };
    }
    if !call.inputs().iter().any(Value::requires_grad) {
        return unrecorded(engine, operator, call);
    }
    let rule = engine.rule(operator);
    if rule.has_out {
        check_outs(operator, call.inputs())?;
        return operator.run_kernel(call);
    }
    rule.check_arguments(call.inputs())?;
    match &rule.action {
        Action::None => return operator.run_kernel(call),
        Action::Instead(formula) => return instead(engine, &rule, formula, call),
        // Arguments without a formula have no part in the gradients.
        Action::Derive(formulas) if rule.writes.is_none() => {
            let mut arguments = formulas.iter().flat_map(|f| &f.arguments);
            if !arguments.any(|a| call.inputs()[*a].requires_grad()) {
                return unrecorded(engine, operator, call);
            }
        }
        Action::Derive(_) | Action::Replay(_) | Action::Unknown => {}
    }
    if let Some(Value::Tensor(written)) = rule.writes.map(|w| &call.inputs()[w]) {
        if written.requires_grad() && operator.schema().name.starts_with("aten::resize_") {
            return Err(Fault::runtime("cannot resize variables that require grad"));
        }
        check_written(written)?;
    }
    let edges = edges(&rule, call.inputs())?;
    let mut saved = save(&rule, call.inputs())?;
    let viewed = match rule.views.map(|v| &call.inputs()[v]) {
        Some(Value::Tensor(viewed)) => Some(viewed.clone()),
        _ => None,
    };
    let whole = match call.inputs().first() {
        Some(Value::Tensor(whole)) if rule.gives_parts => Some(whole.clone()),
        _ => None,
    };
    let before: Vec<usize> = identities(call.inputs());
    operator.run_kernel(call)?;
    let results = flatten(&call.results()[..operator.schema().returns.len()]);
    rule.check_results(&results)?;
    match &rule.writes {
        Some(_) => count_writes(&results),
        None => count_apart(whole.as_ref(), &results),
    }
    let outputs: Vec<Shape> = results.iter().map(Shape::of).collect();
    if let Some(saved) = &mut saved {
        save_results(&rule, &results, saved)?;
    }
    let kind = match saved {
        Some(saved) => RecordKind::Call {
            rule: rule.clone(),
            saved: Mutex::new(Some(saved)),
        },
        None => RecordKind::Unknown(rule.unknown),
    };
    let shares = |result: &Tensor| viewed.as_ref().is_some_and(|v| result.shares_storage(v));
    let is_scattered = viewed.as_ref().is_some_and(|v| !v.is_contiguous());
    let name = match (&rule.copy_node, &rule.alias_node) {
        (Some(name), _) if !results.iter().any(shares) => name,
        (_, Some(name)) if is_scattered => name,
        _ => &rule.node,
    };
    let node = Node::new(name.clone(), edges, outputs, kind);
    for (index, result) in results.iter().enumerate() {
        if !(result.dtype().is_float() || result.dtype().is_complex()) {
            continue;
        }
        if rule.results.as_ref().is_some_and(|r| !r.contains(&index)) {
            continue;
        }
        if rule.writes.is_some() && operator.sizes == Sizes::OfTarget {
            view::reshape(result, &node, index);
        } else if rule.writes.is_some() {
            view::rebase(result, &node, index);
        } else if !before.contains(&result.id()) {
            // An argument that comes back as it was keeps its own history.
            attach(result, &node, index);
            if let Some(viewed) = &viewed
                && result.shares_storage(viewed)
            {
                view::declare_made(result, viewed, rule.made_among());
            }
        }
    }
    Ok(())
}

/// Refuses arguments that require gradients where results go to tensors of the caller.
#[cold]
fn check_outs(operator: &'static Operator, inputs: &[Value]) -> Result<()> {
    let formals = operator.schema().arguments.iter().zip(inputs);
    let mut outs = formals.filter(|(formal, out)| formal.is_written() && out.requires_grad());
    let name = match into_out(operator) {
        IntoOut::Free => return Ok(()),
        IntoOut::Refused(name) => name,
        how => match (how, outs.next()) {
            (IntoOut::Copied, Some((_, Value::Tensor(out)))) => return check_written(out),
            (IntoOut::Alone, Some(_)) => operator.name(),
            _ => return Ok(()),
        },
    };
    Err(Fault::runtime(format!(
        "{name}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad."
    )))
}

/// Counts a write in place for those tensors whose writes are counted apart.
fn count_writes(written: &[Tensor]) {
    for tensor in written {
        if let Some(writes) = Meta::writes(tensor) {
            writes.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Counts writes to results apart that share memory with an argument although the operator declares no view.
fn count_apart(whole: Option<&Tensor>, results: &[Tensor]) {
    let (Some(whole), Some(first)) = (whole, results.first()) else {
        return;
    };
    if first.shares_storage(whole) {
        for part in results {
            Meta::ensure(part).state().writes = Some(Arc::default());
        }
    }
}

/// A call whose arguments require no gradients; only what its result is a view of is remembered, for a write through it
/// may bring gradients in.
fn unrecorded(engine: &Engine, operator: &'static Operator, call: &mut Call<'_>) -> Result<()> {
    for_views(engine, operator, call, |rule, view, viewed| {
        view::declare_made(view, viewed, rule.made_among());
    })
}

/// A call with arguments that require gradients, while none are recorded. Views of them require gradients as they do.
fn not_recorded(engine: &Engine, operator: &'static Operator, call: &mut Call<'_>) -> Result<()> {
    let made = match call.context().inference_mode() {
        true => Made::Inference,
        false => Made::Unrecorded,
    };
    for_views(engine, operator, call, |_, view, viewed| {
        if viewed.requires_grad() && (view.dtype().is_float() || view.dtype().is_complex()) {
            view::declare_made(view, viewed, Some(made));
            view.set_requires_grad(view::base_requires(viewed));
        }
    })
}

/// Runs a call and shows every result that is a view of an argument, with that.
fn for_views(
    engine: &Engine,
    operator: &'static Operator,
    call: &mut Call<'_>,
    see: impl Fn(&Rule, &Tensor, &Tensor),
) -> Result<()> {
    if !operator.gives_views() {
        return operator.run_kernel(call);
    }
    let rule = engine.rule(operator);
    if matches!(rule.action, Action::None) {
        return operator.run_kernel(call);
    }
    let viewed = match rule.views.map(|v| &call.inputs()[v]) {
        Some(Value::Tensor(viewed)) => viewed.clone(),
        _ => return operator.run_kernel(call),
    };
    operator.run_kernel(call)?;
    let look = |result: &Tensor| {
        if !result.is(&viewed) && result.shares_storage(&viewed) {
            see(&rule, result, &viewed);
        }
    };
    for value in &call.results()[..operator.schema().returns.len()] {
        match value {
            Value::Tensor(result) => look(result),
            // What a listener does with the results must not wait for the list.
            Value::TensorList(list) => list.lock().to_vec().iter().for_each(&look),
            _ => {}
        }
    }
    Ok(())
}

/// The tensors among values, in order.
fn flatten(values: &[Value]) -> Vec<Tensor> {
    let mut out = Vec::new();
    for value in values {
        match value {
            Value::Tensor(t) => out.push(t.clone()),
            Value::TensorList(list) => out.extend(list.lock().iter().cloned()),
            _ => {}
        }
    }
    out
}

fn identities(values: &[Value]) -> Vec<usize> {
    flatten(values).iter().map(Tensor::id).collect()
}

/// Where a leaf, or a view of one, is written, its gradient would be lost.
fn check_written(tensor: &Tensor) -> Result<()> {
    refusal::check_written(tensor)?;
    let meta = Meta::of(tensor);
    if let Some(meta) = &meta {
        let view = meta.state().view.clone();
        if let Some(view) = view
            && tensor.requires_grad()
            && Edge::source(&view.base).is_none()
        {
            return Err(Fault::runtime(
                "a view of a leaf Variable that requires grad is being used in an in-place operation.",
            ));
        }
    }
    if tensor.requires_grad() && Edge::source(tensor).is_none() {
        return Err(Fault::runtime(
            "a leaf Variable that requires grad is being used in an in-place operation.",
        ));
    }
    Ok(())
}

/// The edges of every tensor argument in order; lists have an edge per element.
fn edges(rule: &Rule, inputs: &[Value]) -> Result<Vec<Option<(Edge, Shape)>>> {
    let mut edges = Vec::new();
    let edge = |tensor: &Tensor| {
        refusal::check_read(tensor)?;
        Ok(view::edge_of(tensor))
    };
    for index in &rule.tensors {
        match &inputs[*index] {
            Value::Tensor(t) => edges.push(edge(t)?),
            Value::TensorList(list) => {
                for tensor in list.lock().iter() {
                    edges.push(edge(tensor)?);
                }
            }
            Value::List(list) => {
                for value in list.items.lock().iter() {
                    edges.push(match value {
                        Value::Tensor(t) => edge(t)?,
                        _ => None,
                    });
                }
            }
            _ => edges.push(None),
        }
    }
    Ok(edges)
}

/// The values that the derivatives of arguments which want one read.
fn save(rule: &Rule, inputs: &[Value]) -> Result<Option<Saved>> {
    if let Action::Unknown = rule.action {
        return Ok(None);
    }
    let wanted: Vec<&Formula> = rule
        .formulas()
        .filter(|f| f.arguments.iter().any(|a| inputs[*a].requires_grad()))
        .collect();
    let reads = |read: Read| wanted.iter().any(|f| f.reads.contains(&read));
    let is_single = is_single_factor(rule, inputs);
    let mut values = Vec::with_capacity(inputs.len());
    let mut widths = Vec::new();
    let mut wants = Vec::new();
    for (i, input) in inputs.iter().enumerate() {
        let needs = input.requires_grad();
        wants.push(needs);
        if rule.tensors.contains(&i) {
            widths.push(match input {
                Value::TensorList(list) => list.lock().len(),
                Value::List(list) => list.items.lock().len(),
                _ => 1,
            });
        }
        let sizes = match input {
            Value::Tensor(t) if reads(Read::Sizes(i)) => signed(t.sizes()).collect(),
            Value::TensorList(list) if reads(Read::Sizes(i)) => sizes_of_all(&list.lock()),
            Value::Tensor(t) if reads(Read::Layout(i)) => {
                let layout = t.layout();
                signed(layout.sizes())
                    .chain(signed(layout.strides()))
                    .chain([layout.offset() as i64])
                    .collect()
            }
            _ => Vec::new(),
        };
        let keeps = needs && rule.keeps.contains(&Read::Argument(i));
        let saves = keeps || reads(Read::Argument(i));
        if saves {
            check_saved(input)?;
        }
        let copies = rule.writes == Some(i) || rule.copies.contains(&i);
        let kept = match input {
            _ if !saves => SavedValue::Plain(Value::None),
            // A write in place would change the value that the derivative reads.
            Value::Tensor(t) if copies => {
                SavedValue::Tensor(SavedTensor::before_write(t).given(t)?)
            }
            Value::Tensor(t) if is_single && needs => SavedValue::Tensor(SavedTensor::unread(t)),
            Value::Tensor(t) => SavedValue::Tensor(SavedTensor::new(t).given(t)?),
            Value::TensorList(list) => {
                let items = list.lock().clone();
                let kept = items.iter().map(|t| match is_single && t.requires_grad() {
                    true => Ok(SavedTensor::unread(t)),
                    false => SavedTensor::new(t).given(t),
                });
                SavedValue::Tensors(kept.collect::<Result<_>>()?)
            }
            other => SavedValue::Plain(other.clone()),
        };
        values.push((kept, sizes));
    }
    Ok(Some(Saved {
        arguments: values,
        results: Vec::new(),
        widths,
        wants,
    }))
}

/// Whether only one of the tensors that an operator multiplies wants a gradient: what that one holds is not read.
fn is_single_factor(rule: &Rule, inputs: &[Value]) -> bool {
    let count = |value: &Value| match value {
        Value::TensorList(list) => list.lock().iter().filter(|t| t.requires_grad()).count(),
        other => usize::from(other.requires_grad()),
    };
    rule.factors
        .iter()
        .map(|i| count(&inputs[*i]))
        .sum::<usize>()
        == 1
}

/// The sizes of several tensors in one list, those of each behind their number.
fn sizes_of_all(tensors: &[Tensor]) -> Vec<i64> {
    let each = tensors.iter().map(Tensor::sizes);
    each.flat_map(|sizes| std::iter::once(sizes.len() as i64).chain(signed(sizes)))
        .collect()
}

fn signed(numbers: &[usize]) -> impl Iterator<Item = i64> {
    numbers.iter().map(|n| *n as i64)
}

/// Refuses to keep tensors of inference mode, whose writes nobody counts.
pub(crate) fn check_saved(value: &Value) -> Result<()> {
    match value.any_tensor(Tensor::is_inference) {
        true => Err(Fault::runtime(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.",
        )),
        false => Ok(()),
    }
}

fn save_results(rule: &Rule, results: &[Tensor], saved: &mut Saved) -> Result<()> {
    let formulas = rule.action.formulas();
    for (index, result) in results.iter().enumerate() {
        let own = Read::Result(index);
        let read = rule.keeps.contains(&own) || formulas.iter().any(|f| f.reads.contains(&own));
        let kept = read.then(|| SavedTensor::of_result(result, index).given(result));
        saved.results.push(kept.transpose()?);
    }
    Ok(())
}

/// Calls what stands for an operator; its parts are recorded.
fn instead(engine: &Engine, rule: &Rule, formula: &Formula, call: &mut Call<'_>) -> Result<()> {
    let function = compile::function(engine, rule.operator, formula)?;
    let arguments = formula
        .reads
        .iter()
        .map(|read| match read {
            Read::Argument(i) => Ok(call.inputs()[*i].clone()),
            Read::Sizes(i) => match &call.inputs()[*i] {
                Value::Tensor(t) => Ok(signed(t.sizes()).collect::<Vec<_>>().into()),
                _ => Ok(Vec::<i64>::new().into()),
            },
            _ => Err(Fault::internal(
                "what stands for an operator reads its arguments alone",
            )),
        })
        .collect::<Result<Vec<Value>>>()?;
    let _in_own_precision = NoAutocast::new();
    let result = match function.invoke(call.context(), arguments) {
        Ok(result) => result,
        // The operator says in its own words what is wrong with the arguments.
        Err(fault) => return Err(rule.operator.run_kernel(call).err().unwrap_or(fault)),
    };
    let returns = rule.operator.schema().returns.len();
    match result {
        Value::Tuple(tuple) if returns != 1 => call.finish_many(tuple.items.to_vec()),
        one => call.finish_many(vec![one]),
    }
}
