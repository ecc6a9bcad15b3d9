//! Weights that a layer has packed: the state that archives carry for them, and what the layers need of it.

pub(crate) use rushlight_quantized::packed::{Convolution, Weights, malformed};
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Fault, Result, Tensor};
use rushlight_types::{Object, Type, Value, native};
use std::sync::Arc;

pub(super) fn class(name: &str) -> Result<Arc<rushlight_types::ClassType>> {
    native::known_class(&format!("__torch__.torch.classes.quantized.{name}"))
        .ok_or_else(|| Fault::internal(format!("there is no class {name}")))
}

/// What was made of an object's state before, or is made now.
pub(super) fn prepared<T: Send + Sync + 'static>(
    object: &Object,
    make: impl FnOnce(Value) -> Result<T>,
) -> Result<Arc<T>> {
    const SLOT: usize = 1;
    let state = native::state(object).ok_or_else(malformed)?;
    if let Value::Foreign(known) = object.slot(SLOT)
        && let Some(ready) = known.downcast_ref::<Arc<T>>()
    {
        return Ok(ready.clone());
    }
    let made = Arc::new(make(state)?);
    object.set_slot(SLOT, Value::Foreign(Arc::new(Box::new(made.clone()))));
    Ok(made)
}

fn optional(value: &Value) -> Result<Option<Tensor>> {
    match value {
        Value::None => Ok(None),
        Value::Tensor(t) => Ok(Some(t.clone())),
        _ => Err(malformed()),
    }
}

/// Packs the weights of a linear layer.
pub(super) fn pack_linear(weight: &Tensor, bias: Option<&Tensor>) -> Result<Arc<Object>> {
    if weight.rank() != 2 {
        return Err(Fault::runtime(
            "The weight tensor for quantized::linear_prepack (fbgemm) should be 2-dimensional.",
        ));
    }
    let bias = bias.map_or(Value::None, |b| Value::Tensor(b.clone()));
    let state = Value::tuple(vec![Value::Tensor(weight.clone()), bias]);
    Ok(native::object(class("LinearPackedParamsBase")?, state))
}

/// The weights of a linear layer.
pub(super) fn linear(object: &Object) -> Result<Arc<Weights>> {
    prepared(object, |state| {
        let Value::Tuple(tuple) = &state else {
            return Err(malformed());
        };
        let [Value::Tensor(weight), bias] = &*tuple.items else {
            return Err(malformed());
        };
        if weight.rank() != 2 {
            return Err(malformed());
        }
        Ok(Weights::new(weight.clone(), optional(bias)?))
    })
}

/// What packs a convolution: everything but its tensors.
pub(super) struct Plan<'a> {
    pub dims: usize,
    pub stride: &'a [i64],
    pub padding: &'a [i64],
    pub dilation: &'a [i64],
    pub output_padding: &'a [i64],
    pub groups: i64,
    pub transposed: bool,
}

/// Packs the weights of a convolution; one dimension becomes two.
pub(super) fn pack_convolution(
    weight: &Tensor,
    bias: Option<&Tensor>,
    plan: &Plan<'_>,
) -> Result<Arc<Object>> {
    if weight.rank() != plan.dims + 2 {
        return Err(Fault::runtime(format!(
            "Weights are expected to have {} dimensions",
            plan.dims + 2
        )));
    }
    let lifted = plan.dims == 1;
    let (weight, dims) = if lifted {
        (weight.unsqueeze(2)?, 2)
    } else {
        (weight.clone(), plan.dims)
    };
    let mut config = vec![dims as i64];
    for (values, filler) in [
        (plan.stride, 1),
        (plan.padding, 0),
        (plan.dilation, 1),
        (plan.output_padding, 0),
    ] {
        if values.len() != plan.dims {
            return Err(Fault::runtime(format!(
                "stride, padding, output_padding and dilation should contain {} elements for {}D convolution.",
                plan.dims, plan.dims
            )));
        }
        config.extend(lifted.then_some(filler));
        config.extend(values);
    }
    config.extend([plan.groups, i64::from(plan.transposed)]);
    let config: Vec<i16> = config.into_iter().map(|v| v as i16).collected();
    let config = Tensor::from_slice(&config, &[config.len()])?;
    let tensors = Value::TensorList(vec![config, weight].into());
    let bias = bias.map_or(Value::None, |b| Value::Tensor(b.clone()));
    let optionals = Value::list(&Type::optional(Type::TENSOR), vec![bias])?;
    let state = Value::tuple(vec![Value::str("2"), tensors, optionals]);
    let name = format!("Conv{dims}dPackedParamsBase");
    Ok(native::object(class(&name)?, state))
}

/// The weights of a convolution.
pub(super) fn convolution(object: &Object) -> Result<Arc<Convolution>> {
    prepared(object, |state| {
        let Value::Tuple(tuple) = &state else {
            return Err(malformed());
        };
        let [Value::Str(version), tensors, optionals, ..] = &*tuple.items else {
            return Err(malformed());
        };
        if version != "2" {
            return Err(Fault::runtime(format!(
                "packed parameters of a quantized convolution have version {}, and only version 2 is known",
                version
            )));
        }
        let (tensors, optionals) = (tensors.list_items()?, optionals.list_items()?);
        let [Value::Tensor(config), Value::Tensor(weight), ..] = tensors.as_slice() else {
            return Err(malformed());
        };
        let bias = optionals.first().map_or(Ok(None), optional)?;
        let config: Vec<i64> = config.to_vec();
        let dims = config.first().copied().unwrap_or(0) as usize;
        if !(2..=3).contains(&dims) || config.len() != 4 * dims + 3 || weight.rank() != dims + 2 {
            return Err(malformed());
        }
        let part = |i: usize| config[1 + i * dims..1 + (i + 1) * dims].to_vec();
        Ok(Convolution {
            weights: Weights::new(weight.clone(), bias),
            stride: part(0),
            padding: part(1),
            dilation: part(2),
            output_padding: part(3),
            groups: config[4 * dims + 1],
            transposed: config[4 * dims + 2] != 0,
        })
    })
}
