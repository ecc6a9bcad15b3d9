//! Arguments changed towards the hostile: extremes of every kind in place of what a recorded call has.

use rushlight::tensor::{Complex64, DType, Scalar};
use rushlight::types::{Schema, Type};

use super::arg::{Arg, TensorArg};
use super::synthesise::synthesise;
use super::tensors;
use super::tries::Materials;
use crate::random::Random;

/// Ints at which something overflows, wraps, is not representable or takes forever.
const INTS: &[i64] = &[
    0,
    -1,
    1,
    2,
    3,
    -2,
    4,
    5,
    -3,
    7,
    16,
    63,
    64,
    65,
    100,
    127,
    128,
    -128,
    -129,
    255,
    256,
    1 << 15,
    1 << 16,
    1_000_003,
    (1 << 31) - 1,
    1 << 31,
    -(1 << 31),
    (1 << 31) + 1,
    1 << 32,
    (1 << 32) + 1,
    1 << 40,
    (1 << 53) + 1,
    1 << 58,
    1 << 61,
    1 << 62,
    (1 << 62) + 1,
    (1 << 60) + 1,
    i64::MIN,
    i64::MIN + 1,
    i64::MIN / 2,
    i64::MAX,
    i64::MAX - 1,
    3_074_457_345_618_258_603,
    6_148_914_691_236_517_206,
    6_148_914_691_236_517_205,
    2_305_843_009_213_693_953,
    67_280_421_310_721,
    274_177,
    4_294_967_291,
    3_037_000_500,
];

/// So many of [`INTS`] are small.
const SMALL: usize = 21;

const FLOATS: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1e308,
    -1e308,
    f64::MIN_POSITIVE,
    5e-324,
    1e-45,
    1e-30,
    3.5e38,
    65520.0,
    1e10,
    2147483648.0,
    9223372036854775808.0,
    -9223372036854775809.0,
    1.8446744073709552e19,
    9007199254740993.0,
    1.0000000000000002,
    -0.9999999999999999,
    257.0,
];

const STRINGS: &[&str] = &[
    "",
    "nan",
    "none",
    "mean",
    "sum",
    "reflect",
    "no such mode",
    "i,j->",
    "ij,jk->ik",
    "...->...",
    "aa->a",
    "a...b,b...c",
    "\u{0}",
    "\u{10ffff}é",
    "%s%d{}",
    "{:99999999999}",
    "i->ijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
];

const DEVICES: &[&str] = &["cpu", "cpu:0", "cpu:5", "cuda", "cuda:1", "meta"];

/// Changes one to three arguments, or all tensors alike, or both.
pub fn change(random: &mut Random, schema: &Schema, args: &mut [Arg], materials: &Materials) {
    let mut times = match random.below(10) {
        0..=4 => 1,
        5..=7 => 2,
        _ => 3,
    };
    if random.once_in(4) {
        tensors::change_all(random, args);
        times -= 1;
    }
    for _ in 0..times {
        let index = random.below(args.len());
        let Some(arg) = args.get(index) else { return };
        let ty = schema
            .arguments
            .get(index)
            .map_or(Type::Any, |argument| argument.ty.clone());
        args[index] = match other_tensor(random, args, index, &ty) {
            Some(other) => other,
            None => changed(random, arg, &ty, materials),
        };
    }
}

/// The tensor of another argument, or a view of it.
fn other_tensor(random: &mut Random, args: &[Arg], index: usize, ty: &Type) -> Option<Arg> {
    let is_tensor = match ty {
        Type::Optional(inner) => inner.is_tensor(),
        other => other.is_tensor(),
    };
    if !is_tensor || !random.once_in(8) {
        return None;
    }
    let other = random.below(args.len());
    let Arg::Tensor(tensor) = &args[other] else {
        return None;
    };
    if other == index {
        return None;
    }
    Some(if random.once_in(2) {
        Arg::Same(other)
    } else {
        Arg::View(other, tensors::view_within(random, tensor))
    })
}

/// One argument, changed.
fn changed(random: &mut Random, arg: &Arg, ty: &Type, materials: &Materials) -> Arg {
    if random.once_in(60) {
        return wrong_kind(random);
    }
    match ty {
        Type::Optional(_) if random.once_in(5) => Arg::None,
        Type::Optional(inner) => changed(random, arg, inner, materials),
        Type::Tensor(_) => match arg {
            Arg::Tensor(tensor) => Arg::tensor(tensors::changed(random, tensor)),
            _ => Arg::tensor(tensors::any(random)),
        },
        Type::Int | Type::SymInt => int(random, arg),
        Type::ScalarType | Type::Layout | Type::MemoryFormat | Type::QScheme => {
            Arg::int(match random.below(12) {
                0 => -1,
                1 => edge(random),
                _ => random.below(31) as i64,
            })
        }
        Type::Float | Type::SymFloat => Arg::float(float(random)),
        Type::Bool | Type::SymBool => match arg {
            Arg::Number(Scalar::Bool(value)) => Arg::Number(Scalar::Bool(!value)),
            _ => Arg::Number(Scalar::Bool(random.once_in(2))),
        },
        Type::Complex => Arg::Number(complex(random)),
        Type::Number => Arg::Number(number(random)),
        Type::Str => Arg::Str(string(random, materials)),
        Type::Device => Arg::Device(random.pick(DEVICES).copied().unwrap_or("cpu").to_owned()),
        Type::Generator => Arg::Generator(random.next()),
        Type::List(element) => list(random, arg, element, materials),
        _ => inside(random, arg, ty, materials),
    }
}

/// Of a type that says little: what is there tells what may come.
fn inside(random: &mut Random, arg: &Arg, ty: &Type, materials: &Materials) -> Arg {
    if random.once_in(6) {
        return synthesise(random, ty, materials, 0);
    }
    let shown = match arg {
        Arg::Number(Scalar::Bool(_)) => Type::Bool,
        Arg::Number(Scalar::Int(_)) => Type::Int,
        Arg::Number(Scalar::Float(_)) => Type::Float,
        Arg::Number(Scalar::Complex(_)) => Type::Complex,
        Arg::Str(_) => Type::Str,
        Arg::Tensor(_) => Type::TENSOR,
        Arg::List(_) => Type::list(Type::Any),
        Arg::Tuple(items) => {
            let mut items = items.clone();
            change_item(random, &mut items, &Type::Any, materials);
            return Arg::Tuple(items);
        }
        Arg::Dict(entries) => {
            let mut entries = entries.clone();
            match random.pick(&[0, 1, 2]) {
                Some(0) => entries.clear(),
                Some(1) => _ = entries.pop(),
                _ => {
                    let at = random.below(entries.len());
                    if let Some((_, value)) = entries.get_mut(at) {
                        *value = changed(random, value, &Type::Any, materials);
                    }
                }
            }
            return Arg::Dict(entries);
        }
        Arg::Result(call) => {
            let mut call = call.clone();
            if let Some(operator) = materials.table.find(&call.operator) {
                let at = random.below(call.args.len());
                if let (Some(arg), Some(formal)) =
                    (call.args.get_mut(at), operator.schema().arguments.get(at))
                {
                    *arg = changed(random, arg, &formal.ty, materials);
                }
            }
            return Arg::Result(call);
        }
        _ => return synthesise(random, ty, materials, 0),
    };
    changed(random, arg, &shown, materials)
}

fn list(random: &mut Random, arg: &Arg, element: &Type, materials: &Materials) -> Arg {
    let mut items = match arg {
        Arg::List(items) => items.clone(),
        Arg::None => match synthesise(random, &Type::list(element.clone()), materials, 0) {
            Arg::List(items) => items,
            _ => Vec::new(),
        },
        single => vec![single.clone()],
    };
    match random.below(12) {
        0 => items.clear(),
        1 => _ = items.pop(),
        2 => items.extend(items.last().cloned()),
        3 => items.push(synthesise(random, element, materials, 0)),
        4 => {
            let count = *random.pick(&[6, 9, 64, 65, 70, 129]).unwrap_or(&65);
            let one = items.first().cloned();
            items = vec![one.unwrap_or_else(|| synthesise(random, element, materials, 0)); count];
        }
        5 => {
            // All alike: sizes whose product overflows, strides that are all zero.
            if let Some(first) = items.first() {
                let one = changed(random, first, element, materials);
                items.iter_mut().for_each(|item| *item = one.clone());
            }
        }
        6 => items.reverse(),
        _ => change_item(random, &mut items, element, materials),
    }
    Arg::List(items)
}

fn change_item(random: &mut Random, items: &mut Vec<Arg>, element: &Type, materials: &Materials) {
    let at = random.below(items.len());
    match items.get_mut(at) {
        Some(item) => *item = changed(random, item, element, materials),
        None => items.push(synthesise(random, element, materials, 0)),
    }
}

/// An int at an edge; small ones as often as large ones.
pub fn edge(random: &mut Random) -> i64 {
    let all = if random.once_in(2) {
        &INTS[..SMALL]
    } else {
        INTS
    };
    random.pick(all).copied().unwrap_or_default()
}

/// A float at an edge.
pub fn float(random: &mut Random) -> f64 {
    random.pick(FLOATS).copied().unwrap_or_default()
}

fn complex(random: &mut Random) -> Scalar {
    Scalar::Complex(Complex64::new(float(random), float(random)))
}

/// Any number.
pub fn number(random: &mut Random) -> Scalar {
    match random.below(8) {
        0 => Scalar::Bool(random.once_in(2)),
        1..=3 => Scalar::Int(edge(random)),
        4..=6 => Scalar::Float(float(random)),
        _ => complex(random),
    }
}

/// An element for a tensor of this dtype.
pub fn element(random: &mut Random, dtype: DType) -> Scalar {
    if dtype.is_complex() {
        complex(random)
    } else if dtype.is_float() {
        Scalar::Float(float(random))
    } else {
        Scalar::Int(edge(random))
    }
}

fn int(random: &mut Random, arg: &Arg) -> Arg {
    let old = match arg {
        Arg::Number(number) => number.to_i64(),
        _ => 0,
    };
    Arg::int(match random.below(10) {
        0 => old.wrapping_add(1),
        1 => old.wrapping_sub(1),
        2 => old.wrapping_neg(),
        3 => old.wrapping_mul(2),
        _ => edge(random),
    })
}

fn string(random: &mut Random, materials: &Materials) -> String {
    let known = random.pick(&materials.strings);
    match (random.below(3), known) {
        (0, _) | (_, None) => (*random.pick(STRINGS).unwrap_or(&"")).to_owned(),
        (1, Some(known)) => known.clone(),
        (_, Some(known)) => match random.below(3) {
            0 => known.repeat(2),
            1 => known.chars().skip(1).collect(),
            _ => known.to_uppercase(),
        },
    }
}

/// What no schema asked for.
fn wrong_kind(random: &mut Random) -> Arg {
    match random.below(7) {
        0 => Arg::None,
        1 => Arg::Number(complex(random)),
        2 => Arg::Number(number(random)),
        3 => Arg::Str("x".to_owned()),
        4 => Arg::List(Vec::new()),
        5 => Arg::Tuple(vec![Arg::int(1)]),
        _ => Arg::tensor(TensorArg::plain(
            DType::F32,
            Vec::new(),
            vec![Scalar::Float(1.0)],
        )),
    }
}
