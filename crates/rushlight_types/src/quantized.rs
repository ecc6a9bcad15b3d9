//! Calls with quantized tensors of operators that were written for plain ones.
//!
//! Kernels know nothing of quantization. Once there was a quantized tensor, calls come here; if one of the arguments is
//! quantized, the operator's [`Quantized`] says on which plain tensors the kernel runs instead and what its results stand
//! for.

use crate::stand_in::{self, StandIns};
use crate::{Call, Fault, Operator, Result, Schema, Type, Value};
use rushlight_tensor::{DType, Quantizer, Tensor, memory};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

/// What an operator does with quantized arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantized {
    /// What its schema tells: the namespace `quantized` and operators without tensors among their results run as they
    /// are, views and copies work on the integers, all others refuse.
    ByForm,
    /// The kernel takes quantized tensors.
    Native,
    /// The kernel runs on the stored integers; results have the scale of the argument.
    Integers,
    /// The kernel runs on the integers without their zero point, as float32: for averages and whatever else does not
    /// care in which unit numbers are given. Results have the scale of the argument.
    Units,
    /// The kernel runs on the stored integers as float32, and the zero point is taken off before results are rounded.
    Steps,
    /// The kernel runs on the numbers; results have the scale of the argument.
    Numbers,
    /// As [`Quantized::Numbers`], where integers become numbers by one multiply-add, as in the reference's vectors.
    FusedNumbers,
    /// The kernel runs on the numbers; results are between zero and one and have the scale for that.
    ZeroToOne,
    /// The kernel runs on the numbers; results are between minus one and one and have the scale for that.
    MinusOneToOne,
}

/// The first quantized tensor among the arguments.
fn example(inputs: &[Value]) -> Option<Tensor> {
    inputs.iter().find_map(|value| match value {
        Value::Tensor(t) if t.dtype().is_quantized() => Some(t.clone()),
        Value::TensorList(l) => l.lock().iter().find(|t| t.dtype().is_quantized()).cloned(),
        _ => None,
    })
}

/// Whether values of a type are tensors, or hold some.
pub(crate) fn holds_tensors(ty: &Type) -> bool {
    match ty {
        Type::List(inner) | Type::Optional(inner) => holds_tensors(inner),
        Type::Tuple(tuple) => tuple.elements.iter().any(holds_tensors),
        other => other.is_tensor() || matches!(other, Type::Any | Type::Var(_)),
    }
}

fn rule(operator: &Operator, schema: &Schema) -> Option<Quantized> {
    match operator.quantized {
        Quantized::ByForm => {}
        other => return Some(other),
    }
    let is_view = |r: &crate::Argument| {
        r.alias.as_ref().is_some_and(|a| !a.is_write) || matches!(&r.ty, Type::List(_))
    };
    let knows = ["quantized::", "prim::"]
        .iter()
        .any(|space| schema.name.starts_with(space));
    if knows || !schema.returns.iter().any(|r| holds_tensors(&r.ty)) {
        Some(Quantized::Native)
    } else if schema.returns.iter().all(is_view) {
        Some(Quantized::Integers)
    } else {
        None
    }
}

/// Runs the kernel of an operator by its rule, where an argument is quantized; `false` where none is.
pub(crate) fn run(operator: &Operator, call: &mut Call<'_>) -> Result<bool> {
    let Some(example) = example(call.inputs()) else {
        return Ok(false);
    };
    let schema = operator.schema();
    let rule = rule(operator, schema).ok_or_else(|| refused(operator, schema, call))?;
    if rule == Quantized::Native {
        operator.kernel(call)?;
        return Ok(true);
    }
    let quantizer = example
        .quantizer()
        .ok_or_else(|| Fault::internal("a quantized tensor without its scale"))?;
    let labels = match (rule, &**quantizer) {
        (Quantized::Integers, Quantizer::Channel { .. }) => labels(operator, call)?,
        _ => Vec::new(),
    };
    let detour = Detour {
        rule,
        quantizer,
        dtype: example.dtype(),
        labels: RefCell::new(labels.into()),
    };
    // What is computed in units has one of them.
    if matches!(rule, Quantized::Units | Quantized::Steps)
        && matches!(**quantizer, Quantizer::Channel { .. })
    {
        return Err(Fault::not_true("quantizer->qscheme() == kPerTensorAffine"));
    }
    stand_in::run(&detour, operator, call)?;
    Ok(true)
}

/// Why an operator of two operands has no common dtype for them, in the words of the reference, which asks for that first.
fn apart(schema: &Schema, call: &Call<'_>) -> Option<Fault> {
    let other = schema.arguments.get(1).filter(|a| &*a.name == "other")?;
    let dtype = |value: &Value| match value {
        Value::Tensor(t) => Some(t.dtype()),
        Value::Bool(_) | Value::Int(_) => Some(DType::I64),
        Value::Float(_) => Some(DType::F32),
        _ => None,
    };
    let [one, two] = call.inputs().first_chunk::<2>()?;
    let (one, two) = (dtype(one)?, dtype(two)?);
    if one.is_quantized() && two.is_quantized() {
        return None;
    }
    let plain = if one.is_quantized() { two } else { one };
    let is_number =
        !other.ty.is_tensor() || matches!(&call.inputs()[1], Value::Tensor(t) if t.rank() == 0);
    Some(Fault::runtime(match is_number && plain.is_integral(true) {
        true => "empty_strided not supported on quantized tensors yet see https://github.com/pytorch/pytorch/issues/74540".to_string(),
        false => format!(
            "promoteTypes with quantized numbers is not handled yet; figure out what the correct rules should be, offending types: {} {}",
            one.class_name(),
            two.class_name()
        ),
    }))
}

fn refused(operator: &Operator, schema: &Schema, call: &Call<'_>) -> Fault {
    // Divisions that round are no elementwise operators there.
    if let Some(fault) = apart(schema, call)
        && !schema.name.contains("floor_divide")
    {
        return fault;
    }
    let name = match operator.refused_as {
        Some(other) => other.to_string(),
        None if operator.refused_as_out => {
            format!("{}.out", operator.name().trim_end_matches('_'))
        }
        None => operator.full_name().to_string(),
    };
    Fault::not_implemented(format!(
        "Could not run '{name}' with arguments from the 'QuantizedCPU' backend. This could be because the operator doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom build)."
    ))
}

/// The channels of the elements of all results of an operator that moves elements: it is called with the numbers of the
/// channels in place of the elements.
fn labels(operator: &Operator, call: &Call<'_>) -> Result<Vec<Tensor>> {
    let numbered = |t: &Tensor| match t.quantizer().map(|q| &**q) {
        Some(Quantizer::Channel { scales, axis, .. }) => {
            let mut sizes: rushlight_tensor::Dims = smallvec::smallvec![1; t.rank()];
            sizes[*axis] = scales.len();
            let numbers = memory::collect(0..scales.len() as i64);
            let numbers = Tensor::from_vec(numbers, &sizes)?;
            Ok(numbers.expand_to(t.sizes())?.contiguous())
        }
        Some(Quantizer::Tensor { .. }) => Ok(t.stored()),
        None => Ok(t.clone()),
    };
    let inputs = call.inputs().iter();
    let slots = inputs.map(|value| stand_in::map(value, &numbered));
    let results = stand_in::run_apart(operator, call, slots.collect::<Result<_>>()?)?;
    let mut found = Vec::new();
    for result in &results {
        match result {
            Value::Tensor(t) => found.push(t.clone()),
            Value::TensorList(list) => found.extend(list.lock().iter().cloned()),
            _ => {}
        }
    }
    Ok(found)
}

/// One call on plain tensors in place of quantized ones.
struct Detour<'a> {
    rule: Quantized,
    quantizer: &'a Arc<Quantizer>,
    dtype: DType,
    /// The channels of the elements of the results that are still to come, where those have channels.
    labels: RefCell<VecDeque<Tensor>>,
}

/// The dimension along which alone numbers differ, and those along it.
fn only_dimension(labels: &Tensor) -> Option<(usize, Vec<usize>)> {
    let numbers = labels.to_vec::<i64>();
    let mut inner = numbers.len();
    (0..labels.rank()).find_map(|d| {
        let size = labels.size(d);
        inner /= size.max(1);
        let along = memory::collect((0..size).map(|i| numbers[i * inner]));
        let mut places = numbers.iter().enumerate();
        let fits = places.all(|(at, number)| along[at / inner % size] == *number);
        fits.then(|| (d, memory::collect(along.iter().map(|c| *c as usize))))
    })
}

impl Detour<'_> {
    /// The scales of a result that holds moved elements.
    fn of_moved(&self, result: &Tensor) -> Result<Arc<Quantizer>> {
        let labels = self.labels.borrow_mut().pop_front();
        let labels = labels.filter(|l| l.sizes() == result.sizes() && l.numel() > 0);
        let Quantizer::Channel {
            scales,
            zero_points,
            floating,
            ..
        } = &**self.quantizer
        else {
            return Ok(self.quantizer.clone());
        };
        let Some(labels) = labels else {
            self.quantizer.check(result.sizes())?;
            return Ok(self.quantizer.clone());
        };
        // Numbers that no element had have not been moved but computed.
        let of_channel = |label: &i64| (0..scales.len() as i64).contains(label);
        if !labels.to_vec::<i64>().iter().all(of_channel) {
            self.quantizer.check(result.sizes())?;
            return Ok(self.quantizer.clone());
        }
        let first = labels.to_vec::<i64>()[0] as usize;
        if scales.len() > 1 && labels.to_vec::<i64>().iter().all(|l| *l as usize == first) {
            return Ok(Arc::new(Quantizer::Tensor {
                scale: scales[first],
                zero_point: zero_points[first] as i64,
            }));
        }
        let strides = result.layout().strides();
        let is_in_order = strides.is_sorted_by(|a, b| a >= b);
        let found = only_dimension(&labels);
        let found =
            found.filter(|(_, channels)| channels.is_sorted_by(|a, b| a < b) && is_in_order);
        let Some((axis, channels)) = found else {
            if is_in_order {
                self.quantizer.check(result.sizes())?;
            }
            return Err(Fault::runtime(
                "Setting strides is possible only on uniformly quantized tensor",
            ));
        };
        let of = |all: &[f64]| memory::collect(channels.iter().map(|c| all[*c]));
        Ok(Arc::new(Quantizer::Channel {
            scales: of(scales),
            zero_points: of(zero_points),
            axis,
            floating: *floating,
        }))
    }

    /// The scale of results whose bounds are known.
    fn fixed(&self) -> Quantizer {
        let (least, greatest) = rushlight_tensor::quantized_bounds(self.dtype);
        let steps = (greatest - least + 1) as f64;
        match self.rule {
            Quantized::ZeroToOne => Quantizer::Tensor {
                scale: 1.0 / steps,
                zero_point: least,
            },
            _ => Quantizer::Tensor {
                scale: 2.0 / steps,
                zero_point: least + (steps / 2.0) as i64,
            },
        }
    }
}

impl StandIns for Detour<'_> {
    fn plain(&self, tensor: &Tensor) -> Result<Tensor> {
        let Some(own) = tensor.quantizer() else {
            return Ok(tensor.clone());
        };
        match self.rule {
            Quantized::Numbers => return Ok(tensor.dequantized()),
            Quantized::FusedNumbers => return Ok(own.dequantized_in_vectors(tensor)),
            _ => {}
        }
        let fits = own == self.quantizer && tensor.dtype() == self.dtype;
        let same = if fits {
            tensor.clone()
        } else {
            self.quantizer.quantize(&tensor.dequantized(), self.dtype)?
        };
        match self.rule {
            Quantized::Units => {
                let units = self.quantizer.centred(&same);
                let units = memory::collect(units.into_iter().map(|v| v as f32));
                Ok(Tensor::from_vec(units, same.sizes())?.ordered_like(&same))
            }
            Quantized::Steps => Ok(same.stored().to_dtype(DType::F32)),
            Quantized::Integers => Ok(same.stored()),
            _ => Ok(same.dequantized()),
        }
    }

    /// Indices and masks stand for themselves.
    fn of_result(&self, plain: Tensor) -> Result<Tensor> {
        match self.rule {
            Quantized::Integers if plain.dtype() != self.dtype.stored() => Ok(plain),
            Quantized::Integers => plain
                .as_quantized(&self.of_moved(&plain)?)
                .ok_or_else(|| Fault::internal("integers that nothing is stored as")),
            _ if !plain.dtype().is_float() => Ok(plain),
            Quantized::Numbers | Quantized::FusedNumbers => {
                self.quantizer.quantize(&plain, self.dtype)
            }
            Quantized::ZeroToOne | Quantized::MinusOneToOne => {
                Arc::new(self.fixed()).quantize(&plain, self.dtype)
            }
            _ => {
                let (_, zero_point) = self.quantizer.channel(0);
                let units: Vec<f32> = plain.to_vec();
                let offset = match self.rule {
                    Quantized::Steps => zero_point as f32,
                    _ => 0.0,
                };
                let whole = |v: f32| {
                    let steps = (v - offset).round_ties_even() as i64;
                    steps.saturating_add(zero_point as i64)
                };
                let integers = memory::collect(units.into_iter().map(whole));
                let out = self
                    .quantizer
                    .of_integers(&integers, plain.sizes(), self.dtype)?;
                Ok(out.ordered_like(&plain))
            }
        }
    }

    fn write_back(&self, to: &Tensor, from: &Tensor) -> Result<()> {
        if to.shares_storage(from) || !to.dtype().is_quantized() {
            return Ok(());
        }
        to.stored()
            .copy_from(&self.of_result(from.clone())?.stored())
    }
}
