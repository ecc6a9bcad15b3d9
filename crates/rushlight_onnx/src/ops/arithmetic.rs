//! Arithmetic, comparisons and choices, element by element.

use super::{Call, Out, Row, dtype_of, one};
use crate::exporter::Exporter;
use crate::proto::{Attribute, Name};
use crate::symbol::{Extent, Symbol};
use rushlight_tensor::promote::result_type;
use rushlight_tensor::{DType, Operand, Scalar, Tensor};
use rushlight_types::{Result, Value};

type Outs = Result<Vec<Out>>;

pub(super) const ROWS: &[Row] = &[
    ("aten::add", |e, c| sum(e, c, "Add", "Or")),
    ("aten::sub", |e, c| sum(e, c, "Sub", "Xor")),
    ("aten::subtract", |e, c| sum(e, c, "Sub", "Xor")),
    ("aten::rsub", reversed_sub),
    ("aten::mul", |e, c| logical_or(e, c, "Mul", "And")),
    ("aten::multiply", |e, c| logical_or(e, c, "Mul", "And")),
    ("aten::div", divide),
    ("aten::divide", divide),
    ("aten::true_divide", divide),
    ("aten::floor_divide", floor_divide),
    ("aten::floordiv", floor_divide),
    ("aten::remainder", remainder),
    ("aten::fmod", |e, c| {
        let (a, b) = operands(e, c, c.result_dtype())?;
        let attributes = vec![("fmod", Attribute::Int(1))];
        one(e.node("Mod", &[a, b], attributes))
    }),
    ("aten::pow", power),
    ("aten::float_power", power),
    ("aten::atan2", atan2),
    ("aten::maximum", |e, c| chosen(e, c, "Max")),
    ("aten::minimum", |e, c| chosen(e, c, "Min")),
    ("aten::fmax", |e, c| chosen(e, c, "Max")),
    ("aten::fmin", |e, c| chosen(e, c, "Min")),
    ("prim::max", |e, c| chosen(e, c, "Max")),
    ("prim::min", |e, c| chosen(e, c, "Min")),
    ("aten::eq", |e, c| compare(e, c, "Equal", false)),
    ("aten::ne", |e, c| compare(e, c, "Equal", true)),
    ("aten::not_equal", |e, c| compare(e, c, "Equal", true)),
    ("aten::lt", |e, c| compare(e, c, "Less", false)),
    ("aten::less", |e, c| compare(e, c, "Less", false)),
    ("aten::le", |e, c| compare(e, c, "LessOrEqual", false)),
    ("aten::less_equal", |e, c| {
        compare(e, c, "LessOrEqual", false)
    }),
    ("aten::gt", |e, c| compare(e, c, "Greater", false)),
    ("aten::greater", |e, c| compare(e, c, "Greater", false)),
    ("aten::ge", |e, c| compare(e, c, "GreaterOrEqual", false)),
    ("aten::greater_equal", |e, c| {
        compare(e, c, "GreaterOrEqual", false)
    }),
    ("aten::logical_and", |e, c| logical(e, c, "And")),
    ("aten::logical_or", |e, c| logical(e, c, "Or")),
    ("aten::logical_xor", |e, c| logical(e, c, "Xor")),
    ("aten::__lshift__", |e, c| shift(e, c, true)),
    ("aten::__ilshift__", |e, c| shift(e, c, true)),
    ("aten::bitwise_left_shift", |e, c| shift(e, c, true)),
    ("aten::__rshift__", |e, c| shift(e, c, false)),
    ("aten::__irshift__", |e, c| shift(e, c, false)),
    ("aten::bitwise_right_shift", |e, c| shift(e, c, false)),
    ("aten::logit", logit),
    ("aten::special_logit", logit),
    ("aten::logical_not", negate),
    ("aten::__not__", negate),
    ("aten::__and__", |e, c| bits(e, c, "And", "BitwiseAnd")),
    ("aten::__or__", |e, c| bits(e, c, "Or", "BitwiseOr")),
    ("aten::__xor__", |e, c| bits(e, c, "Xor", "BitwiseXor")),
    ("aten::bitwise_and", |e, c| bits(e, c, "And", "BitwiseAnd")),
    ("aten::bitwise_or", |e, c| bits(e, c, "Or", "BitwiseOr")),
    ("aten::bitwise_xor", |e, c| bits(e, c, "Xor", "BitwiseXor")),
    ("aten::bitwise_not", bitwise_not),
    ("aten::where", choose),
    ("aten::masked_fill", masked_fill),
    ("aten::clamp", clamp),
    ("aten::clip", clamp),
    ("aten::clamp_min", clamp),
    ("aten::clamp_max", clamp),
    ("aten::copy", copy),
    ("aten::fill", copy),
    ("aten::zero", zero),
    ("aten::lerp", lerp),
    ("aten::addcmul", |e, c| added(e, c, "Mul")),
    ("aten::addcdiv", |e, c| added(e, c, "Div")),
    ("aten::ceil", |e, c| rounded(e, c, "Ceil")),
    ("aten::floor", |e, c| rounded(e, c, "Floor")),
    ("aten::round", |e, c| rounded(e, c, "Round")),
    ("aten::trunc", truncate),
    ("aten::fix", truncate),
    ("aten::frac", |e, c| {
        let whole = truncated(e, c)?;
        let input = e.input(c, "self")?;
        one(e.combine("Sub", &input, &whole))
    }),
    ("aten::square", |e, c| {
        let input = e.input(c, "self")?;
        one(e.combine("Mul", &input, &input))
    }),
    ("aten::rsqrt", |e, c| {
        let input = e.input_as(c, "self", c.result_dtype())?;
        let root = e.apply("Sqrt", &input);
        let top = e.number(1.0, c.result_dtype());
        one(e.combine("Div", &top, &root))
    }),
    ("aten::log1p", |e, c| scaled(e, c, Some(1.0), "Log", None)),
    ("aten::log2", |e, c| {
        scaled(e, c, None, "Log", Some(std::f64::consts::LN_2))
    }),
    ("aten::log10", |e, c| {
        scaled(e, c, None, "Log", Some(std::f64::consts::LN_10))
    }),
    ("aten::exp2", |e, c| {
        let input = e.input_as(c, "self", c.result_dtype())?;
        let two = e.number(2.0, c.result_dtype());
        one(e.combine("Pow", &two, &input))
    }),
    ("aten::expm1", |e, c| minus(e, c, "Exp", false)),
    ("aten::erfc", |e, c| minus(e, c, "Erf", true)),
    ("aten::isnan", |e, c| {
        let input = e.input(c, "self")?;
        one(e.apply("IsNaN", &input))
    }),
    ("aten::isinf", |e, c| {
        let input = e.input(c, "self")?;
        one(e.apply("IsInf", &input))
    }),
    ("aten::isfinite", |e, c| {
        let input = e.input(c, "self")?;
        let (nan, infinite) = (e.apply("IsNaN", &input), e.apply("IsInf", &input));
        let either = e.combine("Or", &nan, &infinite);
        one(e.apply("Not", &either))
    }),
    ("aten::nan_to_num", nan_to_num),
    ("aten::Int", convert),
    ("aten::Float", convert),
    ("aten::Bool", convert),
];

/// The two operands as tensors of a dtype.
fn operands(e: &mut Exporter<'_>, call: &Call, dtype: DType) -> Result<(Name, Name)> {
    let left = e.as_dtype(&call.arguments[0], dtype)?;
    let right = e.as_dtype(&call.arguments[1], dtype)?;
    Ok((left, right))
}

/// The dtype in which the operands of a comparison meet.
fn common(e: &Exporter<'_>, symbols: &[&Symbol]) -> DType {
    let examples: Vec<(Option<Tensor>, Scalar)> = symbols
        .iter()
        .map(|symbol| match symbol {
            Symbol::Tensor(cell) => (Some(cell.borrow().example.clone()), Scalar::Int(0)),
            Symbol::Known(value) => (None, value.as_scalar().unwrap_or(Scalar::Int(0))),
            Symbol::Number(number) => (None, number.example.as_scalar().unwrap_or(Scalar::Int(0))),
            _ => (None, Scalar::Int(0)),
        })
        .collect();
    let operands: Vec<Operand<'_>> = examples
        .iter()
        .map(|(tensor, number)| match tensor {
            Some(tensor) => Operand::Tensor(tensor),
            None => Operand::Number(*number),
        })
        .collect();
    result_type(&operands, e.context.default_dtype())
}

fn arithmetic(e: &mut Exporter<'_>, call: &Call, kind: &str) -> Outs {
    let (left, right) = operands(e, call, call.result_dtype())?;
    one(e.combine(kind, &left, &right))
}

fn chosen(e: &mut Exporter<'_>, call: &Call, kind: &str) -> Outs {
    let dtype = call.result_dtype();
    let (left, right) = operands(e, call, dtype)?;
    one(e.choose(kind, &left, &right, dtype))
}

/// Bits shifted: a product with a power of two, or what is left of a division by one.
fn shift(e: &mut Exporter<'_>, call: &Call, left: bool) -> Outs {
    let dtype = call.result_dtype();
    if !dtype.is_integral(false) {
        return Err(super::unsupported(call.operator.name(), e.opset()));
    }
    let (a, b) = operands(e, call, dtype)?;
    let power = {
        let (two, places) = (e.number(2.0, DType::F64), e.cast(&b, DType::F64)?);
        let power = e.combine("Pow", &two, &places);
        e.cast(&power, dtype)?
    };
    if left {
        return one(e.combine("Mul", &a, &power));
    }
    let rest = e.combine("Mod", &a, &power);
    let whole = e.combine("Sub", &a, &rest);
    one(e.combine("Div", &whole, &power))
}

/// The logarithm of odds, of probabilities kept from zero and one by `eps`.
fn logit(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.result_dtype();
    let mut input = e.input_as(call, "self", dtype)?;
    if call.get("eps").is_some() {
        let eps = call.float("eps")?;
        let bounds = [e.number(eps, dtype), e.number(1.0 - eps, dtype)];
        let [low, high] = bounds;
        input = e.node("Clip", &[input, low, high], Vec::new());
    }
    let all = e.number(1.0, dtype);
    let rest = e.combine("Sub", &all, &input);
    let odds = e.combine("Div", &input, &rest);
    one(e.apply("Log", &odds))
}

fn logical_or(e: &mut Exporter<'_>, call: &Call, kind: &str, of_bools: &str) -> Outs {
    let kind = if call.result_dtype() == DType::Bool {
        of_bools
    } else {
        kind
    };
    arithmetic(e, call, kind)
}

/// `self + alpha * other`.
fn sum(e: &mut Exporter<'_>, call: &Call, kind: &str, of_bools: &str) -> Outs {
    let dtype = call.result_dtype();
    let alpha = call.get("alpha").cloned();
    let plain = match &alpha {
        None => true,
        Some(Symbol::Known(value)) => value.as_scalar()?.to_f64() == 1.0,
        Some(_) => false,
    };
    let (left, mut right) = operands(e, call, dtype)?;
    if let Some(alpha) = alpha.filter(|_| !plain) {
        let alpha = e.as_dtype(&alpha, dtype)?;
        right = e.combine("Mul", &right, &alpha);
    }
    let kind = if dtype == DType::Bool { of_bools } else { kind };
    one(e.combine(kind, &left, &right))
}

fn reversed_sub(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.result_dtype();
    let (mut left, right) = operands(e, call, dtype)?;
    if let Some(alpha) = call.get("alpha")
        && !matches!(alpha, Symbol::Known(Value::Int(1)))
    {
        let alpha = e.as_dtype(&alpha.clone(), dtype)?;
        left = e.combine("Mul", &left, &alpha);
    }
    one(e.combine("Sub", &right, &left))
}

fn divide(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let mode = match call.get("rounding_mode") {
        Some(Symbol::Known(mode)) => mode.as_str()?.to_string(),
        _ => String::new(),
    };
    if mode == "floor" {
        return floor_divide(e, call);
    }
    let dtype = call.result_dtype();
    let (left, right) = operands(e, call, dtype)?;
    let quotient = e.combine("Div", &left, &right);
    if mode == "trunc" && dtype.is_float() {
        return one(toward_zero(e, &quotient));
    }
    one(quotient)
}

fn floor_divide(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.result_dtype();
    let (left, right) = operands(e, call, dtype)?;
    if dtype.is_float() {
        let quotient = e.combine("Div", &left, &right);
        return one(e.apply("Floor", &quotient));
    }
    // ONNX rounds quotients of ints towards zero.
    let rest = e.node(
        "Mod",
        &[left.clone(), right.clone()],
        vec![("fmod", Attribute::Int(0))],
    );
    let whole = e.combine("Sub", &left, &rest);
    one(e.combine("Div", &whole, &right))
}

fn remainder(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.result_dtype();
    let (left, right) = operands(e, call, dtype)?;
    if !dtype.is_float() {
        return one(e.node("Mod", &[left, right], vec![("fmod", Attribute::Int(0))]));
    }
    let quotient = e.combine("Div", &left, &right);
    let whole = e.apply("Floor", &quotient);
    let whole = e.combine("Mul", &whole, &right);
    one(e.combine("Sub", &left, &whole))
}

fn power(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.result_dtype();
    let (left, right) = operands(e, call, dtype)?;
    one(e.combine("Pow", &left, &right))
}

/// The angle of a point: from that of its quotient, by quadrant.
fn atan2(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.result_dtype();
    let (y, x) = operands(e, call, dtype)?;
    let slope = e.combine("Div", &y, &x);
    let slope = e.apply("Atan", &slope);
    let (zero, pi) = (e.number(0.0, dtype), e.number(std::f64::consts::PI, dtype));
    let above = e.combine("Add", &slope, &pi);
    let below = e.combine("Sub", &slope, &pi);
    let is_above = e.combine("GreaterOrEqual", &y, &zero);
    let left = e.node("Where", &[is_above, above, below], Vec::new());
    let is_left = e.combine("Less", &x, &zero);
    let angle = e.node("Where", &[is_left, left, slope], Vec::new());
    let zero_y = e.combine("Equal", &y, &zero);
    let zero_x = e.combine("Equal", &x, &zero);
    let both = e.combine("And", &zero_y, &zero_x);
    one(e.node("Where", &[both, zero, angle], Vec::new()))
}

fn compare(e: &mut Exporter<'_>, call: &Call, kind: &str, negated: bool) -> Outs {
    let (left, right) = (&call.arguments[0], &call.arguments[1]);
    let mut dtype = common(e, &[left, right]);
    if dtype == DType::Bool && kind != "Equal" {
        dtype = DType::I32;
    }
    let (left, right) = operands(e, call, dtype)?;
    let answer = e.combine(kind, &left, &right);
    one(match negated {
        true => e.apply("Not", &answer),
        false => answer,
    })
}

fn logical(e: &mut Exporter<'_>, call: &Call, kind: &str) -> Outs {
    let (left, right) = operands(e, call, DType::Bool)?;
    one(e.combine(kind, &left, &right))
}

fn negate(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let input = e.as_dtype(&call.arguments[0], DType::Bool)?;
    one(e.apply("Not", &input))
}

fn bits(e: &mut Exporter<'_>, call: &Call, of_bools: &str, of_ints: &str) -> Outs {
    let dtype = call.result_dtype();
    let kind = match dtype {
        DType::Bool => of_bools,
        _ if e.opset() < 18 => return Err(super::unsupported(call.operator.name(), e.opset())),
        _ => of_ints,
    };
    let (left, right) = operands(e, call, dtype)?;
    one(e.combine(kind, &left, &right))
}

fn bitwise_not(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let input = e.input(call, "self")?;
    match call.result_dtype() {
        DType::Bool => one(e.apply("Not", &input)),
        _ if e.opset() >= 18 => one(e.apply("BitwiseNot", &input)),
        dtype => {
            // The complement of a number is one less than its negative.
            let negative = e.apply("Neg", &input);
            let step = e.number(1_i64, dtype);
            one(e.combine("Sub", &negative, &step))
        }
    }
}

fn choose(e: &mut Exporter<'_>, call: &Call) -> Outs {
    if call.get("self").is_none() {
        return super::index::places(e, call, "condition");
    }
    let dtype = call.result_dtype();
    let condition = e.input_as(call, "condition", DType::Bool)?;
    let (yes, no) = (
        e.input_as(call, "self", dtype)?,
        e.input_as(call, "other", dtype)?,
    );
    one(e.node("Where", &[condition, yes, no], Vec::new()))
}

fn masked_fill(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let mask = e.input_as(call, "mask", DType::Bool)?;
    let value = e.input_as(call, "value", call.result_dtype())?;
    let input = e.input(call, "self")?;
    one(e.node("Where", &[mask, value, input], Vec::new()))
}

fn clamp(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.result_dtype();
    let mut input = e.input_as(call, "self", dtype)?;
    let bounds: Vec<Option<Symbol>> = ["min", "max"]
        .iter()
        .map(|name| call.get(name).cloned())
        .collect();
    let is_tensor = |s: &Symbol| matches!(s, Symbol::Tensor(c) if c.borrow().example.rank() > 0);
    if bounds.iter().flatten().any(is_tensor) {
        for (bound, kind) in bounds.iter().zip(["Max", "Min"]) {
            if let Some(bound) = bound {
                let bound = e.as_dtype(bound, dtype)?;
                input = e.choose(kind, &input, &bound, dtype);
            }
        }
        return one(input);
    }
    let mut inputs = vec![input];
    for bound in bounds.iter().take(if bounds[1].is_some() { 2 } else { 1 }) {
        inputs.push(match bound {
            Some(bound) => e.as_dtype(bound, dtype)?,
            None => "".into(),
        });
    }
    one(e.node("Clip", &inputs, Vec::new()))
}

/// What `copy_` and `fill_` write: the source in the shape of the target.
fn copy(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let target = call.tensor("self")?.clone();
    let source = match call.get("src") {
        Some(source) => source.clone(),
        None => call.arg("value")?.clone(),
    };
    let dtype = target.borrow().example.dtype();
    let name = e.as_dtype(&source, dtype)?;
    if let Symbol::Tensor(cell) = &source {
        let (a, b) = (target.borrow(), cell.borrow());
        let fixed = matches!((&a.extent, &b.extent), (Extent::Fixed, Extent::Fixed));
        if fixed && a.example.sizes() == b.example.sizes() {
            return one(name);
        }
    }
    let whole = e.input(call, "self")?;
    let shape = e.shape_of(&target, &whole)?;
    one(e.combine("Expand", &name, &shape))
}

fn zero(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let target = call.tensor("self")?.clone();
    let dtype = target.borrow().example.dtype();
    let whole = e.input(call, "self")?;
    let shape = e.shape_of(&target, &whole)?;
    let zero = e.number(0_i64, dtype);
    one(e.combine("Expand", &zero, &shape))
}

fn lerp(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.result_dtype();
    let (start, end) = (e.input(call, "self")?, e.input(call, "end")?);
    let weight = e.input_as(call, "weight", dtype)?;
    let way = e.combine("Sub", &end, &start);
    let way = e.combine("Mul", &weight, &way);
    one(e.combine("Add", &start, &way))
}

fn added(e: &mut Exporter<'_>, call: &Call, kind: &str) -> Outs {
    let dtype = call.result_dtype();
    let start = e.input_as(call, "self", dtype)?;
    let a = e.input_as(call, "tensor1", dtype)?;
    let b = e.input_as(call, "tensor2", dtype)?;
    let mut part = e.combine(kind, &a, &b);
    let value = call.arg("value")?.clone();
    if !matches!(&value, Symbol::Known(Value::Int(1))) {
        let value = e.as_dtype(&value, dtype)?;
        part = e.combine("Mul", &part, &value);
    }
    one(e.combine("Add", &start, &part))
}

fn rounded(e: &mut Exporter<'_>, call: &Call, kind: &str) -> Outs {
    let decimals = match call.get("decimals") {
        Some(_) => call.int("decimals")?,
        None => 0,
    };
    let symbol = call.arguments[0].clone();
    let dtype = dtype_of(&symbol);
    let input = e.name_of(&symbol)?;
    if !dtype.is_float() {
        return one(input);
    }
    // A power of ten is exact where one below is not.
    let by = 10f64.powi(decimals.unsigned_abs().min(300) as i32);
    let (there, back) = match decimals {
        1.. => ("Mul", "Div"),
        _ => ("Div", "Mul"),
    };
    let whole = if decimals == 0 {
        e.apply(kind, &input)
    } else {
        let by = e.number(by, dtype);
        let places = e.combine(there, &input, &by);
        let whole = e.apply(kind, &places);
        e.combine(back, &whole, &by)
    };
    one(match call.result_dtype() == dtype {
        true => whole,
        false => e.cast(&whole, call.result_dtype())?,
    })
}

fn toward_zero(e: &mut Exporter<'_>, name: &Name) -> Name {
    let sign = e.apply("Sign", name);
    let size = e.apply("Abs", name);
    let size = e.apply("Floor", &size);
    e.combine("Mul", &sign, &size)
}

fn truncated(e: &mut Exporter<'_>, call: &Call) -> Result<Name> {
    let input = e.input(call, "self")?;
    Ok(match call.result_dtype().is_float() {
        true => toward_zero(e, &input),
        false => input,
    })
}

fn truncate(e: &mut Exporter<'_>, call: &Call) -> Outs {
    one(truncated(e, call)?)
}

/// `function(self + before) / after`.
fn scaled(
    e: &mut Exporter<'_>,
    call: &Call,
    before: Option<f64>,
    kind: &str,
    after: Option<f64>,
) -> Outs {
    let dtype = call.result_dtype();
    let mut value = e.input_as(call, "self", dtype)?;
    if let Some(number) = before {
        let number = e.number(number, dtype);
        value = e.combine("Add", &value, &number);
    }
    value = e.apply(kind, &value);
    if let Some(number) = after {
        let number = e.number(number, dtype);
        value = e.combine("Div", &value, &number);
    }
    one(value)
}

/// `function(self) - 1`, or the other way round.
fn minus(e: &mut Exporter<'_>, call: &Call, kind: &str, reversed: bool) -> Outs {
    let dtype = call.result_dtype();
    let value = e.input_as(call, "self", dtype)?;
    let value = e.apply(kind, &value);
    let number = e.number(1.0, dtype);
    one(match reversed {
        true => e.combine("Sub", &number, &value),
        false => e.combine("Sub", &value, &number),
    })
}

fn nan_to_num(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.result_dtype();
    let mut value = e.input(call, "self")?;
    if !dtype.is_float() {
        return one(value);
    }
    let largest = match dtype {
        DType::F16 => 65504.0,
        DType::F64 => f64::MAX,
        _ => f64::from(f32::MAX),
    };
    let nan = e.apply("IsNaN", &value);
    let infinite = |e: &mut Exporter<'_>, value: &Name, negative: i64| {
        let attributes = vec![
            ("detect_negative", Attribute::Int(negative)),
            ("detect_positive", Attribute::Int(1 - negative)),
        ];
        e.node("IsInf", std::slice::from_ref(value), attributes)
    };
    let (above, below) = (infinite(e, &value, 0), infinite(e, &value, 1));
    for (mask, name, otherwise) in [
        (nan, "nan", 0.0),
        (above, "posinf", largest),
        (below, "neginf", -largest),
    ] {
        let number = match call.get(name) {
            Some(_) => call.float(name)?,
            None => otherwise,
        };
        let number = e.number(number, dtype);
        value = e.node("Where", &[mask, number, value], Vec::new());
    }
    one(value)
}

/// A number of another kind.
fn convert(e: &mut Exporter<'_>, call: &Call) -> Outs {
    one(e.as_dtype(&call.arguments[0], call.result_dtype())?)
}
