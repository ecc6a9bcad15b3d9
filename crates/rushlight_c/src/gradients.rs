//! Gradients: which tensors ask for them, running backwards, what was collected.
//!
//! Calls are recorded in contexts that were told to, and only there: weights of archives ask for gradients, and a
//! program that only runs a model should not pay for that.

use crate::context::RlContext;
use crate::given::{array, some};
use crate::guard::{Outcome, Status, guarded, handing, telling};
use crate::module::RlModule;
use crate::tensor::tensor;
use crate::value::RlValue;
use rushlight::autograd::Meta;
use rushlight::types::{GradientRequest, Gradients, Layer};
use rushlight::{Context, Fault, Tensor, Type, Value, gradients, table};
use std::sync::{Arc, LazyLock};

/// The engine of all contexts: derivatives are compiled once.
static ENGINE: LazyLock<Arc<dyn Gradients>> = LazyLock::new(gradients);

/// Sets whether calls in this context are recorded where an argument requires gradients; at first they are not.
#[unsafe(no_mangle)]
pub extern "C" fn rl_context_record_gradients(context: Option<&RlContext>, on: bool) -> Status {
    guarded(|| {
        let context = &some(context, "context")?.0;
        if on {
            context.set_gradients(ENGINE.clone());
        }
        context.set_layer(Layer::Gradient, on);
        Ok(())
    })
}

/// Sets whether a tensor requires gradients; only a tensor that no recorded call gave can stop doing so.
#[unsafe(no_mangle)]
pub extern "C" fn rl_tensor_set_requires_grad(value: Option<&RlValue>, on: bool) -> Status {
    guarded(|| {
        const NAME: &str = "aten::requires_grad_";
        let lacking = || Fault::internal(format!("there is no {NAME}"));
        let operator = table().find(NAME).ok_or_else(lacking)?;
        let operands = vec![tensor(value)?.clone().into(), on.into()];
        operator.call_vec(&Context::silent(), operands)?;
        Ok(())
    })
}

/// Whether a tensor requires gradients.
#[unsafe(no_mangle)]
pub extern "C" fn rl_tensor_requires_grad(
    value: Option<&RlValue>,
    out: Option<&mut bool>,
) -> Status {
    telling(out, || Ok(tensor(value)?.requires_grad()))
}

/// Runs backwards what led to a tensor and adds to the gradients of the tensors that it began with.
#[unsafe(no_mangle)]
pub extern "C" fn rl_backward(
    context: Option<&RlContext>,
    value: Option<&RlValue>,
    gradient: Option<&RlValue>,
    keep: bool,
) -> Status {
    guarded(|| {
        let request = GradientRequest {
            outputs: vec![tensor(value)?.clone()],
            gradients: vec![optional(gradient)?],
            inputs: None,
            accumulate: true,
            retain: keep,
            create_graph: false,
            allow_unused: true,
        };
        run(context, request).map(drop)
    })
}

/// The gradients of a tensor by others, as a tuple in their order, None for those that have no part in it; what the tensors
/// have collected stays as it is.
///
/// # Safety
/// `inputs` leads to `count` handles, which may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_gradients(
    context: Option<&RlContext>,
    value: Option<&RlValue>,
    gradient: Option<&RlValue>,
    inputs: *const Option<&RlValue>,
    count: usize,
    keep: bool,
    out: Option<&mut *mut RlValue>,
) -> Status {
    handing(out, || {
        // SAFETY: the caller's promise.
        let inputs = unsafe { array(inputs, count, "inputs") }?;
        let inputs = inputs.iter().map(|input| Ok(tensor(*input)?.clone()));
        let request = GradientRequest {
            outputs: vec![tensor(value)?.clone()],
            gradients: vec![optional(gradient)?],
            inputs: Some(inputs.collect::<Outcome<_>>()?),
            accumulate: false,
            retain: keep,
            create_graph: false,
            allow_unused: true,
        };
        let found = run(context, request)?.into_iter();
        let found = found.map(|gradient| gradient.map_or(Value::None, Value::from));
        Ok(RlValue(Value::tuple(found.collect())))
    })
}

/// The gradient that a tensor has collected, which is shared with it; null, without error, where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn rl_tensor_grad(
    value: Option<&RlValue>,
    out: Option<&mut *mut RlValue>,
) -> Status {
    telling(out, || {
        let gradient = Meta::grad(tensor(value)?);
        Ok(gradient.map_or(std::ptr::null_mut(), |gradient| {
            Box::into_raw(Box::new(RlValue(gradient.into())))
        }))
    })
}

/// Replaces the gradient that a tensor has collected; null takes it away.
#[unsafe(no_mangle)]
pub extern "C" fn rl_tensor_set_grad(
    value: Option<&RlValue>,
    gradient: Option<&RlValue>,
) -> Status {
    guarded(|| {
        let (of, gradient) = (tensor(value)?, optional(gradient)?);
        if let Some(gradient) = &gradient
            && (gradient.sizes(), gradient.dtype()) != (of.sizes(), of.dtype())
        {
            let told = "a gradient has the sizes and the dtype of its tensor";
            return Err(Fault::runtime(told).into());
        }
        Meta::set_grad(of, gradient);
        Ok(())
    })
}

/// The parameters of a module by path, as a dict; the tensors are shared with the module.
#[unsafe(no_mangle)]
pub extern "C" fn rl_module_parameters(
    module: Option<&RlModule>,
    out: Option<&mut *mut RlValue>,
) -> Status {
    handing(out, || {
        let parameters = some(module, "module")?.module()?.parameters();
        let entries = parameters
            .into_iter()
            .map(|(path, tensor)| (path.as_str().into(), tensor.into()));
        Ok(RlValue(Value::dict(Type::Str, Type::TENSOR, entries)?))
    })
}

fn optional(value: Option<&RlValue>) -> Outcome<Option<Tensor>> {
    value
        .map(|value| Ok(tensor(Some(value))?.clone()))
        .transpose()
}

/// Runs backwards under the limits of the context, which has recorded.
fn run(context: Option<&RlContext>, request: GradientRequest) -> Outcome<Vec<Option<Tensor>>> {
    let context = &some(context, "context")?.0;
    let told = "this context has recorded nothing; `rl_context_record_gradients` has it do that";
    let engine = context.gradients().ok_or_else(|| Fault::runtime(told))?;
    Ok(context.supervise(|| engine.run(context, request))?)
}
