//! Arguments from nothing but a schema.

use rushlight::tensor::Scalar;
use rushlight::types::{Schema, Type, Value};

use super::arg::{Arg, Call};
use super::hostile;
use super::tensors;
use super::tries::Materials;
use crate::random::Random;

/// Deeper than this nothing nests.
const DEEPEST: usize = 3;

/// Arguments for a call: defaults where there are, mostly, and else something of the right type.
pub fn arguments(random: &mut Random, schema: &Schema, materials: &Materials) -> Vec<Arg> {
    let one = |argument: &rushlight::types::Argument| {
        let default = argument
            .repeated_default()
            .and_then(|value| of_value(&value));
        match default {
            Some(default) if !random.once_in(4) => default,
            _ => synthesise(random, &argument.ty, materials, 0),
        }
    };
    schema.arguments.iter().map(one).collect()
}

/// A default of a schema.
pub fn of_value(value: &Value) -> Option<Arg> {
    Some(match value {
        Value::None => Arg::None,
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Complex(_) => {
            Arg::Number(value.as_scalar().ok()?)
        }
        Value::Str(_) => Arg::Str(value.as_str().ok()?.to_owned()),
        Value::Device(device) => Arg::Device(device.to_string()),
        list => {
            let items = list.list_items().ok()?;
            Arg::List(items.iter().map(of_value).collect::<Option<_>>()?)
        }
    })
}

/// Something of this type; mostly tame.
pub fn synthesise(random: &mut Random, ty: &Type, materials: &Materials, depth: usize) -> Arg {
    if depth > DEEPEST {
        return Arg::None;
    }
    let small = |random: &mut Random| match random.below(6) {
        0 => hostile::edge(random),
        _ => random.below(4) as i64,
    };
    match ty {
        Type::Optional(_) if random.once_in(2) => Arg::None,
        Type::Optional(inner) => synthesise(random, inner, materials, depth),
        Type::Tensor(_) => Arg::tensor(tensors::any(random)),
        Type::Int | Type::SymInt => Arg::int(small(random)),
        Type::ScalarType => Arg::int(*random.pick(&[6, 7, 4, 11, 0, 5, 15, 9, 13]).unwrap_or(&6)),
        Type::Layout | Type::MemoryFormat | Type::QScheme => Arg::int(random.below(4) as i64),
        Type::Float | Type::SymFloat => Arg::float(match random.below(3) {
            0 => hostile::float(random),
            _ => 0.5,
        }),
        Type::Bool | Type::SymBool => Arg::Number(Scalar::Bool(random.once_in(2))),
        Type::Number | Type::Complex => Arg::Number(hostile::number(random)),
        Type::Str | Type::Dimname => {
            Arg::Str(random.pick(&materials.strings).cloned().unwrap_or_default())
        }
        Type::Device => Arg::Device("cpu".to_owned()),
        Type::Generator => Arg::Generator(random.next() >> 40),
        Type::List(element) => {
            let count = *random.pick(&[1, 2, 2, 3, 4, 0]).unwrap_or(&1);
            let items = (0..count).map(|_| synthesise(random, element, materials, depth + 1));
            Arg::List(items.collect())
        }
        Type::Tuple(tuple) => {
            let items = tuple.elements.iter();
            Arg::Tuple(
                items
                    .map(|item| synthesise(random, item, materials, depth + 1))
                    .collect(),
            )
        }
        Type::Dict(parts) => {
            let key = match &parts.0 {
                Type::Int => Arg::int(1),
                Type::Float => Arg::float(1.0),
                Type::Bool | Type::Complex | Type::Tensor(_) => {
                    synthesise(random, &parts.0, materials, depth + 1)
                }
                _ => Arg::Str("key".to_owned()),
            };
            Arg::Dict(vec![(
                key,
                synthesise(random, &parts.1, materials, depth + 1),
            )])
        }
        Type::Future(inner) => {
            Arg::Future(Box::new(synthesise(random, inner, materials, depth + 1)))
        }
        Type::Any | Type::Var(_) | Type::AnyList | Type::AnyTuple => {
            let some = [
                Type::Int,
                Type::Float,
                Type::Str,
                Type::TENSOR,
                Type::list(Type::Int),
                Type::list(Type::TENSOR),
                Type::dict(Type::Str, Type::Int),
                Type::tuple(vec![Type::Int, Type::Str]),
            ];
            let some = random.pick(&some).cloned().unwrap_or(Type::Int);
            synthesise(random, &some, materials, depth + 1)
        }
        other => result_of_type(random, other, materials, depth),
    }
}

/// What another operator gives, where nothing else makes such a value: packed weights.
fn result_of_type(random: &mut Random, ty: &Type, materials: &Materials, depth: usize) -> Arg {
    let makers = materials.makers(ty);
    let Some(maker) = random.pick(&makers) else {
        return Arg::None;
    };
    let recorded = materials.recorded(maker.full_name());
    let args = match random.pick(recorded) {
        Some(args) => args.clone(),
        None => {
            let arguments = maker.schema().arguments.iter();
            arguments
                .map(|argument| synthesise(random, &argument.ty, materials, depth + 1))
                .collect()
        }
    };
    Arg::Result(Box::new(Call {
        operator: maker.full_name().to_owned(),
        args,
    }))
}
