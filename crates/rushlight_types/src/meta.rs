//! Calls with tensors on the `meta` device, which have sizes and a dtype but no elements.
//!
//! Views are taken of them as of any tensor. Where a kernel would read elements it is given the zeros that lie under such
//! tensors, and its results go to the device in turn; so sizes, dtypes and errors are those of the kernel, at its cost.
//! What would be written stays as it is. Kernels whose results have sizes that elements decide are refused, and so are
//! those that read elements to give something else than tensors.

use crate::quantized::holds_tensors;
use crate::stand_in::{self, StandIns, run_apart};
use crate::{Call, Elements, Fault, Operator, Result, Schema, Sizes, Type, Value};
use rushlight_tensor::layout::{broadcast_or_fault, list};
use rushlight_tensor::{ABSENT, DType, Device, Layout, MemoryFormat, Tensor};

/// Tensors of the device, and plain ones of zeros: fresh ones if the kernel writes.
struct Zeros {
    writes: bool,
}

impl StandIns for Zeros {
    fn plain(&self, argument: &Tensor) -> Result<Tensor> {
        let is_meta = argument.is_meta();
        if self.writes && is_meta {
            return Tensor::zeros(argument.sizes(), argument.dtype());
        }
        if is_meta && argument.storage().len() > ABSENT {
            // Reading addresses costs memory too: one zero stands for all.
            return Tensor::zeros(&[], argument.dtype())?.expand_to(argument.sizes());
        }
        Ok(argument.off_meta())
    }

    fn of_result(&self, result: Tensor) -> Result<Tensor> {
        result.to_meta()
    }

    fn write_back(&self, argument: &Tensor, stand_in: &Tensor) -> Result<()> {
        match argument.sizes() == stand_in.sizes() {
            true => Ok(()),
            false => lay_out(argument, stand_in.layout().at_offset(0)),
        }
    }
}

/// Gives a tensor of the device other sizes.
fn lay_out(tensor: &Tensor, layout: Layout) -> Result<()> {
    let meta = Tensor::meta(&layout, tensor.dtype())?;
    tensor.set_meta(&meta.storage(), tensor.dtype(), layout)
}

/// Runs a call that has to do with the device; `false` where this one has not.
pub(crate) fn run(operator: &Operator, call: &mut Call<'_>) -> Result<bool> {
    let has_meta = call.inputs().iter().any(|v| v.any_tensor(Tensor::is_meta));
    let gives_tensors = || operator.schema().returns.iter().any(|r| r.ty.is_tensor());
    match asked_device(operator, call)? {
        _ if operator.device_at().is_none() && has_meta => compute(operator, call)?,
        Some(device) if device.is_cpu() && has_meta && gives_tensors() => leave(operator, call)?,
        Some(Device::META) if gives_tensors() => create(operator, call, has_meta)?,
        None if has_meta && gives_tensors() => create(operator, call, true)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The device that a call asks for.
fn asked_device(operator: &Operator, call: &Call<'_>) -> Result<Option<Device>> {
    match operator.device_at().and_then(|at| call.inputs().get(at)) {
        Some(Value::Device(device)) => Ok(Some(*device)),
        Some(Value::Str(text)) => Device::parse(text.as_str()?).map(Some),
        _ => Ok(None),
    }
}

fn no_data() -> Fault {
    Fault::not_implemented("Cannot copy out of meta tensor; no data!")
}

/// Makes results on the CPU that look like tensors of the device.
fn leave(operator: &Operator, call: &mut Call<'_>) -> Result<()> {
    if operator.elements() != Elements::Untouched {
        return Err(no_data());
    }
    let plain = |value: &Value| stand_in::map(value, &|t| Ok(t.off_meta()));
    let slots = call.inputs().iter().map(plain).collect::<Result<_>>()?;
    let results = run_apart(operator, call, slots)?;
    call.finish_many(results)
}

/// Makes results on the device. Where the schema tells how they look, the kernel makes empty ones, for their dtype.
fn create(operator: &Operator, call: &mut Call<'_>, has_meta: bool) -> Result<()> {
    let schema = operator.schema();
    let mut slots = call.inputs().to_vec();
    if let Some(slot) = operator.device_at().and_then(|at| slots.get_mut(at)) {
        *slot = Value::Device(Device::CPU);
    }
    if has_meta && operator.gives_views() {
        // Conversions, which may give their argument back.
        let (inputs, count) = (slots.len(), schema.returns.len());
        slots.resize(inputs.max(count), Value::None);
        compute(operator, &mut Call::new(call.context(), &mut slots, inputs))?;
        slots.truncate(count);
        return call.finish_many(slots);
    }
    let at = |name: &str| schema.arguments.iter().position(|a| &*a.name == name);
    let known = layout_of_new(&slots, at("size"), at("stride"), at("memory_format"))?;
    for slot in &mut slots {
        *slot = stand_in::map(slot, &|t| Ok(t.off_meta()))?;
    }
    if known.is_some() {
        let list = |n: i64| Value::list(&Type::Int, vec![Value::Int(n)]);
        match at("size") {
            Some(index) => slots[index] = list(0)?,
            None => slots[0] = stand_in::map(&slots[0], &|t| Tensor::zeros(&[0], t.dtype()))?,
        }
        if let Some(index) = at("stride") {
            slots[index] = list(1)?;
        }
        if let Some(index) = at("memory_format") {
            slots[index] = Value::None;
        }
    }
    let results = run_apart(operator, call, slots)?;
    let meta = |t: &Tensor| match &known {
        Some(layout) => Tensor::meta(layout, t.dtype()),
        None => t.to_meta(),
    };
    let results = results.iter().map(|v| stand_in::map(v, &meta));
    call.finish_many(results.collect::<Result<_>>()?)
}

/// The layout of what is made of sizes, or like the first argument; `None` where the kernel has to say.
fn layout_of_new(
    slots: &[Value],
    size: Option<usize>,
    stride: Option<usize>,
    format: Option<usize>,
) -> Result<Option<Layout>> {
    let numbers = |index: Option<usize>| -> Option<Vec<usize>> {
        let Value::IntList(list) = slots.get(index?)? else {
            return None;
        };
        let list = list.lock();
        list.iter().map(|n| usize::try_from(*n).ok()).collect()
    };
    let format = match format.and_then(|index| slots.get(index)) {
        Some(Value::Int(code)) => MemoryFormat::from_code(*code),
        _ => None,
    };
    let like = match slots.first() {
        Some(Value::Tensor(t)) => Some(t),
        _ => None,
    };
    let sizes = match (size, like) {
        (Some(_), _) => numbers(size),
        (None, Some(t)) => Some(t.sizes().to_vec()),
        (None, None) => None,
    };
    let Some(sizes) = sizes else {
        return Ok(None);
    };
    if stride.is_some() {
        let strides = numbers(stride).filter(|strides| strides.len() == sizes.len());
        return Ok(strides.map(|strides| Layout::strided(&sizes, &strides, 0)));
    }
    rushlight_tensor::layout::checked_numel(&sizes)?;
    match (format, like) {
        (Some(format), _) if format != MemoryFormat::Preserve => {
            Layout::with_format(&sizes, format).map(Some)
        }
        (_, Some(t)) if size.is_none() => Ok(Some(t.layout().like(&sizes))),
        _ => Ok(Some(Layout::contiguous(&sizes))),
    }
}

/// Runs the kernel as far as that needs no elements.
fn compute(operator: &Operator, call: &mut Call<'_>) -> Result<()> {
    let schema = operator.schema();
    let reads_none = operator.elements() == Elements::Untouched || operator.gives_views();
    if reads_none || operator.sizes == Sizes::OfTarget {
        operator.kernel(call)?;
        return stay(schema, call);
    }
    match operator.sizes {
        Sizes::ByElements => return Err(depends_on_elements(schema)),
        Sizes::Broadcast => return elementwise(operator, call),
        Sizes::ByArguments | Sizes::OfFirst | Sizes::Listed | Sizes::OfTarget => {}
    }
    // Masks among indices choose as many elements as they hold.
    let is_mask = |t: &Tensor| t.rank() > 0 && matches!(t.dtype(), DType::Bool | DType::U8);
    let masked = |v: &Value| !matches!(v, Value::Tensor(_)) && v.any_tensor(is_mask);
    let indexes = |a: &crate::Argument| &*a.name == "indices" && matches!(a.ty, Type::List(_));
    if schema.arguments.iter().any(indexes) && call.inputs().iter().any(masked) {
        return Err(depends_on_elements(schema));
    }
    if operator.text.starts_with("prim::") {
        return operator.kernel(call);
    }
    if !schema.returns.is_empty() && !schema.returns.iter().any(|r| holds_tensors(&r.ty)) {
        return Err(depends_on_elements(schema));
    }
    let mut writes = false;
    for (formal, value) in schema.arguments.iter().zip(call.inputs()) {
        if formal.is_written() {
            writes = true;
            if value.any_tensor(|t| !t.is_meta()) {
                return Err(no_data());
            }
        }
    }
    let mut tensors = call.inputs().iter().filter(|v| v.any_tensor(|_| true));
    if let (true, Some(target), None) = (writes, tensors.next(), tensors.next())
        && schema.returns.len() == 1
    {
        let target = target.clone();
        return call.finish_many(vec![target]);
    }
    stand_in::run(&Zeros { writes }, operator, call)
}

/// Sends results that a kernel has made anew to the device.
fn stay(schema: &Schema, call: &mut Call<'_>) -> Result<()> {
    let results = &call.results()[..schema.returns.len()];
    if !results.iter().any(|v| v.any_tensor(|t| !t.is_meta())) {
        return Ok(());
    }
    let results = results.iter().map(|v| stand_in::map(v, &Tensor::to_meta));
    let results = results.collect::<Result<_>>()?;
    call.finish_many(results)
}

fn depends_on_elements(schema: &Schema) -> Fault {
    let converts =
        schema.arguments.len() == 1 && schema.returns.iter().all(|r| !holds_tensors(&r.ty));
    if converts {
        return Fault::runtime("Tensor.item() cannot be called on meta tensors");
    }
    Fault::not_implemented(format!(
        "{}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel registered: what it gives depends on elements, and these tensors have none.",
        schema.name
    ))
}

/// Gives what a function of each element gives: the kernel runs on no elements, for the dtype and what it refuses.
fn elementwise(operator: &Operator, call: &mut Call<'_>) -> Result<()> {
    let schema = operator.schema();
    // Copies may come from elsewhere.
    let is_copy = operator.elements() == Elements::ThroughMarks
        || schema.arguments.iter().any(|a| &*a.name == "src");
    let has_out = schema.arguments.iter().any(|a| &*a.name == "out");
    let mut sizes: Option<Vec<usize>> = None;
    let mut first: Option<Tensor> = None;
    let mut target: Option<Tensor> = None;
    let mut slots = call.inputs().to_vec();
    for (formal, slot) in schema.arguments.iter().zip(&mut slots) {
        let Value::Tensor(tensor) = &*slot else {
            continue;
        };
        let tensor = tensor.clone();
        if tensor.rank() > 0 || formal.is_written() {
            let expected = first.get_or_insert_with(|| tensor.clone());
            if expected.is_meta() != tensor.is_meta() && !is_copy {
                return Err(Fault::runtime(format!(
                    "Tensor on device {} is not on the expected device {}!",
                    tensor.device(),
                    expected.device()
                )));
            }
        }
        if &*formal.name != "out" {
            let with = sizes.as_deref().unwrap_or(&[]);
            sizes = Some(broadcast_or_fault(with, tensor.sizes())?.to_vec());
        }
        // Dimensions of one element broadcast, all others have none.
        let few: Vec<usize> = tensor
            .sizes()
            .iter()
            .map(|&n| usize::from(n == 1))
            .collect();
        *slot = Value::Tensor(Tensor::zeros(&few, tensor.dtype())?);
        if formal.is_written() {
            if !tensor.is_meta() {
                return Err(no_data());
            }
            target = Some(tensor);
        }
    }
    let sizes = sizes.unwrap_or_default();
    if let Some(target) = &target
        && !has_out
        && target.sizes() != sizes
    {
        return Err(Fault::runtime(format!(
            "output with shape {} doesn't match the broadcast shape {}",
            list(target.sizes()),
            list(&sizes)
        )));
    }
    let results = run_apart(operator, call, slots)?;
    let like = first.filter(|t| t.sizes() == sizes);
    let layout = match like {
        Some(t) => t.layout().like(&sizes),
        None => Layout::contiguous(&sizes),
    };
    let results = match target {
        Some(target) => {
            if target.sizes() != sizes {
                lay_out(&target, layout)?;
            }
            vec![Value::Tensor(target)]
        }
        None => {
            let meta = |t: &Tensor| Tensor::meta(&layout, t.dtype());
            let results = results.iter().map(|v| stand_in::map(v, &meta));
            results.collect::<Result<_>>()?
        }
    };
    call.finish_many(results)
}
