//! `_foreach_*`: an operator on every tensor of a list, as optimisers use them.
//!
//! Each row names the operator that it calls for the tensors one by one. Lists of tensors and of numbers are taken
//! apart side by side; what is no list goes to every call.

use super::table::Tables;
use rushlight_lang::whole_table;
use rushlight_tensor::memory;
use rushlight_tensor::{Fault, Result, Tensor, watch};
use rushlight_types::{Call, Operator, Value, operators};

/// The files of this family.
pub static TABLES: &[Tables] = &[&[UNARY, BINARY, WITHOUT_TENSORS, TERNARY, OTHERS]];

/// What becomes of the results.
#[derive(Clone, Copy, PartialEq)]
enum ForeachForm {
    Fresh,
    InPlace,
    Out,
}

/// A kernel that calls an operator for the parts of its arguments.
macro_rules! kernel {
    ($form:expr, $single:expr) => {{
        fn kernel(call: &mut Call<'_>) -> Result<()> {
            each(call, $form, $single, as_they_are)
        }
        kernel
    }};
}

/// Functions of one tensor.
macro_rules! unary {
    ($($name:literal)*) => {{
        static TABLE: [Operator; 3 * [$($name),*].len()] = [$(
        Operator::new(
            concat!("aten::_foreach_", $name, "(Tensor[] self) -> Tensor[]"),
            kernel!(ForeachForm::Fresh, concat!("aten::", $name)),
        ),
        Operator::new(
            concat!("aten::_foreach_", $name, "_(Tensor(a!)[] self) -> ()"),
            kernel!(ForeachForm::InPlace, concat!("aten::", $name, "_")),
        ),
        Operator::new(
            concat!("aten::_foreach_", $name, ".out(Tensor[] self, *, Tensor(a!)[] out) -> ()"),
            kernel!(ForeachForm::Out, concat!("aten::", $name)),
        ),
        )*];
        &TABLE
    }};
}

static UNARY: &[Operator] = unary! {
    "abs" "acos" "asin" "atan" "ceil" "cos" "cosh" "erf" "erfc" "exp" "expm1" "floor" "frac" "lgamma" "log" "log10"
    "log1p" "log2" "neg" "reciprocal" "round" "rsqrt" "sigmoid" "sign" "sin" "sinh" "sqrt" "tan" "tanh" "trunc"
};

/// Functions with more arguments: name and overload, the arguments behind `self`, what separates them from `out`, and
/// the operator with its form in place.
macro_rules! overloads {
    ($($name:literal $overload:literal $arguments:literal $star:literal => $single:literal $in_place:literal;)*) => {{
        static TABLE: [Operator; 3 * [$($name),*].len()] = [$(
        Operator::new(
            concat!("aten::_foreach_", $name, ".", $overload, "(Tensor[] self, ", $arguments, ") -> Tensor[]"),
            kernel!(ForeachForm::Fresh, $single),
        ),
        Operator::new(
            concat!("aten::_foreach_", $name, "_.", $overload, "(Tensor(a!)[] self, ", $arguments, ") -> ()"),
            kernel!(ForeachForm::InPlace, $in_place),
        ),
        Operator::new(
            concat!(
                "aten::_foreach_", $name, ".", $overload, "_out(Tensor[] self, ", $arguments, $star,
                ", Tensor(a!)[] out) -> ()"
            ),
            kernel!(ForeachForm::Out, $single),
        ),
        )*];
        &TABLE
    }};
}

static BINARY: &[Operator] = overloads! {
    "add" "Scalar" "Scalar scalar" ", *" => "aten::add.Scalar" "aten::add_.Scalar";
    "add" "List" "Tensor[] other, *, Scalar alpha=1" "" => "aten::add.Tensor" "aten::add_.Tensor";
    "add" "ScalarList" "Scalar[] scalars" ", *" => "aten::add.Scalar" "aten::add_.Scalar";
    "add" "Tensor" "Tensor other, *, Scalar alpha=1" "" => "aten::add.Tensor" "aten::add_.Tensor";
    "sub" "Scalar" "Scalar scalar" ", *" => "aten::sub.Scalar" "aten::sub_.Scalar";
    "sub" "List" "Tensor[] other, *, Scalar alpha=1" "" => "aten::sub.Tensor" "aten::sub_.Tensor";
    "sub" "ScalarList" "Scalar[] scalars" ", *" => "aten::sub.Scalar" "aten::sub_.Scalar";
    "mul" "Scalar" "Scalar scalar" ", *" => "aten::mul.Scalar" "aten::mul_.Scalar";
    "mul" "List" "Tensor[] other" ", *" => "aten::mul.Tensor" "aten::mul_.Tensor";
    "mul" "ScalarList" "Scalar[] scalars" ", *" => "aten::mul.Scalar" "aten::mul_.Scalar";
    "mul" "Tensor" "Tensor other" ", *" => "aten::mul.Tensor" "aten::mul_.Tensor";
    "div" "Scalar" "Scalar scalar" ", *" => "aten::div.Scalar" "aten::div_.Scalar";
    "div" "List" "Tensor[] other" ", *" => "aten::div.Tensor" "aten::div_.Tensor";
    "div" "ScalarList" "Scalar[] scalars" ", *" => "aten::div.Scalar" "aten::div_.Scalar";
    "div" "Tensor" "Tensor other" ", *" => "aten::div.Tensor" "aten::div_.Tensor";
    "clamp_max" "Scalar" "Scalar scalar" ", *" => "aten::clamp_max" "aten::clamp_max_";
    "clamp_max" "List" "Tensor[] other" ", *" => "aten::clamp_max.Tensor" "aten::clamp_max_.Tensor";
    "clamp_max" "ScalarList" "Scalar[] scalars" ", *" => "aten::clamp_max" "aten::clamp_max_";
    "clamp_min" "Scalar" "Scalar scalar" ", *" => "aten::clamp_min" "aten::clamp_min_";
    "clamp_min" "List" "Tensor[] other" ", *" => "aten::clamp_min.Tensor" "aten::clamp_min_.Tensor";
    "clamp_min" "ScalarList" "Scalar[] scalars" ", *" => "aten::clamp_min" "aten::clamp_min_";
    "maximum" "Scalar" "Scalar scalar" ", *" => "aten::clamp_min" "aten::clamp_min_";
    "maximum" "List" "Tensor[] other" ", *" => "aten::clamp_min.Tensor" "aten::clamp_min_.Tensor";
    "maximum" "ScalarList" "Scalar[] scalars" ", *" => "aten::clamp_min" "aten::clamp_min_";
    "minimum" "Scalar" "Scalar scalar" ", *" => "aten::clamp_max" "aten::clamp_max_";
    "minimum" "List" "Tensor[] other" ", *" => "aten::clamp_max.Tensor" "aten::clamp_max_.Tensor";
    "minimum" "ScalarList" "Scalar[] scalars" ", *" => "aten::clamp_max" "aten::clamp_max_";
    "pow" "List" "Tensor[] exponent" ", *" => "aten::pow.Tensor_Tensor" "aten::pow_.Tensor";
    "pow" "Scalar" "Scalar exponent" ", *" => "aten::pow.Tensor_Scalar" "aten::pow_.Scalar";
    "pow" "ScalarList" "Scalar[] exponent" ", *" => "aten::pow.Tensor_Scalar" "aten::pow_.Scalar";
};

static TERNARY: &[Operator] = overloads! {
    "lerp" "List" "Tensor[] tensors1, Tensor[] weights" ", *" => "aten::lerp.Tensor" "aten::lerp_.Tensor";
    "lerp" "Scalar" "Tensor[] tensors1, Scalar weight" ", *" => "aten::lerp.Scalar" "aten::lerp_.Scalar";
    "lerp" "ScalarList" "Tensor[] tensors1, Scalar[] weight" ", *" => "aten::lerp.Scalar" "aten::lerp_.Scalar";
    "addcdiv" "Scalar" "Tensor[] tensor1, Tensor[] tensor2, Scalar value=1" ", *" => "aten::addcdiv" "aten::addcdiv_";
    "addcdiv" "ScalarList" "Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars" ", *" => "aten::addcdiv" "aten::addcdiv_";
    "addcdiv" "Tensor" "Tensor[] tensor1, Tensor[] tensor2, Tensor scalars" ", *" => "aten::addcdiv" "aten::addcdiv_";
    "addcmul" "Scalar" "Tensor[] tensor1, Tensor[] tensor2, Scalar value=1" ", *" => "aten::addcmul" "aten::addcmul_";
    "addcmul" "ScalarList" "Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars" ", *" => "aten::addcmul" "aten::addcmul_";
    "addcmul" "Tensor" "Tensor[] tensor1, Tensor[] tensor2, Tensor scalars" ", *" => "aten::addcmul" "aten::addcmul_";
};

operators! {
    /// Powers of a number, which have no tensor to write to.
    static WITHOUT_TENSORS = [
    Operator::new(
        "aten::_foreach_pow.ScalarAndTensor(Scalar self, Tensor[] exponent) -> Tensor[]",
        kernel!(ForeachForm::Fresh, "aten::pow.Scalar"),
    ),
    Operator::new(
        "aten::_foreach_pow.ScalarAndTensor_out(Scalar self, Tensor[] exponent, *, Tensor(a!)[] out) -> ()",
        kernel!(ForeachForm::Out, "aten::pow.Scalar"),
    ),
    ];
}

operators! {
    static OTHERS = [
    Operator::new("aten::_foreach_max(Tensor[] self) -> Tensor[]", kernel!(ForeachForm::Fresh, "aten::max")),
    Operator::new(
        "aten::_foreach_max.out(Tensor[] self, *, Tensor(a!)[] out) -> ()",
        kernel!(ForeachForm::Out, "aten::max"),
    ),
    Operator::new(
        "aten::_foreach_mm(Tensor[] self, Tensor[] mat2) -> Tensor[]",
        kernel!(ForeachForm::Fresh, "aten::mm"),
    ),
    Operator::new(
        "aten::_foreach_clone(Tensor[] self, *, MemoryFormat? memory_format=None) -> Tensor[]",
        kernel!(ForeachForm::Fresh, "aten::clone"),
    ),
    Operator::new(
        "aten::_foreach_copy(Tensor[] self, Tensor[] src, bool non_blocking=False) -> Tensor[] self_out",
        kernel!(ForeachForm::Fresh, "aten::copy"),
    ),
    Operator::new(
        "aten::_foreach_copy_(Tensor(a!)[] self, Tensor[] src, bool non_blocking=False) -> ()",
        kernel!(ForeachForm::InPlace, "aten::copy_"),
    ),
    Operator::new(
        "aten::_foreach_zero(Tensor[] self) -> Tensor[] self_out",
        kernel!(ForeachForm::Fresh, "aten::zeros_like"),
    ),
    Operator::new(
        "aten::_foreach_zero_(Tensor(a!)[] self) -> ()",
        kernel!(ForeachForm::InPlace, "aten::zero_"),
    ),
    Operator::new(
        "aten::_foreach_zero.out(Tensor[] self, *, Tensor(a!)[] out) -> ()",
        kernel!(ForeachForm::Out, "aten::zeros_like"),
    ),
    Operator::new(
        "aten::_foreach_copy.out(Tensor[] self, Tensor[] src, bool non_blocking=False, *, Tensor(a!)[] out) -> ()",
        kernel!(ForeachForm::Out, "aten::copy"),
    ),
    Operator::new(
        "aten::_foreach_clone.out(Tensor[] self, *, MemoryFormat? memory_format=None, Tensor(a!)[] out) -> ()",
        kernel!(ForeachForm::Out, "aten::clone"),
    ),
    Operator::new(
        "aten::_foreach_powsum.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]",
        powsums,
    ),
    Operator::new(
        "aten::_foreach_powsum.Scalar_out(Tensor[] self, Scalar ord=2, ScalarType? dtype=None, *, Tensor(a!)[] out) -> ()",
        powsums_out,
    ),
    Operator::new(
        "aten::_foreach_norm.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]",
        norms,
    ),
    Operator::new(
        "aten::_foreach_norm.Scalar_out(Tensor[] self, Scalar ord=2, ScalarType? dtype=None, *, Tensor(a!)[] out) -> ()",
        norms_out,
    ),
    ];
}

fn norms(call: &mut Call<'_>) -> Result<()> {
    each(
        call,
        ForeachForm::Fresh,
        "aten::linalg_vector_norm",
        of_norm,
    )
}

fn norms_out(call: &mut Call<'_>) -> Result<()> {
    each(call, ForeachForm::Out, "aten::linalg_vector_norm", of_norm)
}

fn powsums(call: &mut Call<'_>) -> Result<()> {
    each(call, ForeachForm::Fresh, "aten::linalg__powsum", of_norm)
}

fn powsums_out(call: &mut Call<'_>) -> Result<()> {
    each(call, ForeachForm::Out, "aten::linalg__powsum", of_norm)
}

fn as_they_are(arguments: Vec<Value>) -> Vec<Value> {
    arguments
}

/// The norm is over all dimensions; `dtype` stands last in the operator that computes it.
fn of_norm(mut arguments: Vec<Value>) -> Vec<Value> {
    let dtype = arguments.pop().unwrap_or_default();
    arguments.extend([Value::None, Value::Bool(false), dtype]);
    arguments
}

/// Calls an operator for the parts of the arguments, with defaults for what is not given, and keeps the results as the
/// form says. One function for all rows: there are hundreds.
#[inline(never)]
fn each(
    call: &mut Call<'_>,
    form: ForeachForm,
    name: &str,
    arranged: fn(Vec<Value>) -> Vec<Value>,
) -> Result<()> {
    let operator = whole_table::find(name)?;
    let mut arguments = call.inputs().to_vec();
    let out = match form {
        ForeachForm::Out => tensors(&arguments.pop().unwrap_or_default())?,
        ForeachForm::Fresh | ForeachForm::InPlace => Vec::new(),
    };
    let parts = take_apart(arguments)?;
    let mut results = memory::with_capacity(parts.len());
    for part in parts {
        watch::poll();
        let mut arguments = arranged(part);
        let rest = operator.schema().arguments.iter().skip(arguments.len());
        arguments.extend(rest.map(|a| a.default.clone().unwrap_or_default()));
        let result = operator.call_vec(call.context(), arguments)?;
        results.push(result.first().unwrap_or(&Value::None).as_tensor()?.clone());
    }
    if form == ForeachForm::Fresh {
        return call.finish(results);
    }
    for (out, result) in out.iter().zip(&results) {
        crate::out::write_out(out, result)?;
    }
    call.finish(())
}

/// The arguments of each call.
fn take_apart(arguments: Vec<Value>) -> Result<Vec<Vec<Value>>> {
    let is_tensors = |value: &&Value| matches!(value, Value::TensorList(_));
    let lists = || arguments.iter().filter(is_tensors);
    let count = match lists().next() {
        Some(list) => list.list_items()?.len(),
        None => 0,
    };
    for other in lists() {
        let given = other.list_items()?.len();
        if given != count {
            // A list of nothing is taken for one of numbers.
            return Err(Fault::runtime(match given {
                0 => "Tensor list must have same number of elements as scalar list.".to_string(),
                _ => format!(
                    "Tensor lists must have the same number of tensors, got {count} and {given}"
                ),
            }));
        }
    }
    if count == 0 {
        return Err(Fault::runtime("Tensor list must have at least one tensor."));
    }
    let has_more = lists().count() > 2;
    let mut parts = memory::filled(count, memory::with_capacity(arguments.len()));
    for argument in &arguments {
        for (part, value) in parts.iter_mut().zip(split(argument, count, has_more)?) {
            part.push(value);
        }
    }
    Ok(parts)
}

/// One argument, for each of `count` calls; a tensor beside three lists holds a number for each.
fn split(argument: &Value, count: usize, has_more: bool) -> Result<Vec<Value>> {
    match argument {
        Value::Tensor(tensor) if has_more => {
            if tensor.numel() != count {
                return Err(Fault::runtime(format!(
                    "Expected length of scalars to match input of length {count} but got {} instead.",
                    tensor.numel()
                )));
            }
            let numbers: Result<Vec<Value>> = (0..count as i64)
                .map(|i| Ok(tensor.reshape_to(&[count])?.select(0, i)?.item()?.into()))
                .collect();
            numbers
        }
        Value::Tensor(tensor) if tensor.rank() > 0 => Err(Fault::runtime(format!(
            "scalar tensor expected to be 0 dim but it has {} dimensions and {} elements.",
            tensor.rank(),
            tensor.numel()
        ))),
        list if list.is_list() => {
            let items = list.list_items()?;
            if items.len() != count {
                return Err(Fault::runtime(
                    "Tensor list must have same number of elements as scalar list.",
                ));
            }
            Ok(items)
        }
        other => Ok(memory::filled(count, other.clone())),
    }
}

fn tensors(list: &Value) -> Result<Vec<Tensor>> {
    let items = list.list_items()?;
    items.iter().map(|item| item.as_tensor().cloned()).collect()
}
