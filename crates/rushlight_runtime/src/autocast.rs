//! Autocasting on the CPU: operators that gain from it get their floating-point tensors in low precision, those that lose
//! from it in full.
//!
//! There are two sets of lists, as in the reference: calls of a host go by one, calls that scripts make by the other. A
//! script that runs while its host autocasts goes by both, its own first.

use crate::code::OperatorCall;
use rushlight_ir::{Graph, Prim, ValueId};
use rushlight_tensor::DType;
use rushlight_tensor::Tensor;
use rushlight_types::modes::{self, Autocast};
use rushlight_types::{Context, Fault, Operator, Result, Type, Value};

/// What an operator wants its tensors to be.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Policy {
    /// The precision that is asked for.
    Lower,
    /// `float32`.
    Full,
    /// The widest type among them.
    Widest,
}

/// Operators that gain from low precision, for calls of the host. This list and those below are in the order of the alphabet.
const HOST_LOWER: &[&str] = &[
    "_convolution",
    "_native_multi_head_attention",
    "addbmm",
    "addmm",
    "baddbmm",
    "bmm",
    "chain_matmul",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "convolution",
    "einsum",
    "inner",
    "linalg_multi_dot",
    "linalg_vecdot",
    "linear",
    "lstm",
    "matmul",
    "mm",
    "prelu",
    "rnn_relu",
    "rnn_tanh",
    "scaled_dot_product_attention",
];

/// Operators that lose too much in low precision.
const HOST_FULL: &[&str] = &[
    "adaptive_avg_pool3d",
    "adaptive_max_pool3d",
    "avg_pool3d",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cdist",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "cosine_embedding_loss",
    "cross_entropy_loss",
    "ctc_loss",
    "fft_fft",
    "fft_fft2",
    "fft_fftn",
    "fft_hfft",
    "fft_ifft",
    "fft_ifft2",
    "fft_ifftn",
    "fft_ihfft",
    "fft_irfft",
    "fft_irfft2",
    "fft_irfftn",
    "fft_rfft",
    "fft_rfft2",
    "fft_rfftn",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "geqrf",
    "grid_sampler",
    "grid_sampler_2d",
    "grid_sampler_3d",
    "hinge_embedding_loss",
    "huber_loss",
    "inverse",
    "kl_div",
    "l1_loss",
    "linalg_cholesky",
    "linalg_cholesky_ex",
    "linalg_cond",
    "linalg_eig",
    "linalg_eigh",
    "linalg_eigvals",
    "linalg_eigvalsh",
    "linalg_householder_product",
    "linalg_inv",
    "linalg_inv_ex",
    "linalg_lstsq",
    "linalg_matrix_rank",
    "linalg_qr",
    "linalg_solve",
    "linalg_svd",
    "linalg_svdvals",
    "linalg_tensorinv",
    "linalg_tensorsolve",
    "lu_solve",
    "margin_ranking_loss",
    "max_pool3d",
    "max_unpool2d",
    "max_unpool3d",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "nanquantile",
    "nll_loss",
    "nll_loss2d",
    "nll_loss_nd",
    "orgqr",
    "ormqr",
    "pinverse",
    "poisson_nll_loss",
    "polar",
    "prod",
    "qr",
    "quantile",
    "reflection_pad1d",
    "reflection_pad2d",
    "reflection_pad3d",
    "replication_pad1d",
    "replication_pad2d",
    "replication_pad3d",
    "smooth_l1_loss",
    "soft_margin_loss",
    "stft",
    "svd",
    "trace",
    "triangular_solve",
    "triplet_margin_loss",
    "view_as_complex",
];

/// Operators whose tensors have to be of one type.
const HOST_WIDEST: &[&str] = &["cat", "index_copy", "stack"];

/// Operators that gain from low precision, for calls of scripts. Scripts have lists of their own, as in the reference.
const SCRIPT_LOWER: &[&str] = &[
    "_convolution",
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "baddbmm",
    "bmm",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "convolution",
    "gru_cell",
    "linear",
    "lstm_cell",
    "matmul",
    "mm",
    "mv",
    "prelu",
    "rnn_relu_cell",
    "rnn_tanh_cell",
];

/// Operators that lose too much in low precision, for calls of scripts.
const SCRIPT_FULL: &[&str] = &[
    "acos",
    "add",
    "addcdiv",
    "addcmul",
    "arccos",
    "arcsin",
    "asin",
    "atan2",
    "bilinear",
    "binary_cross_entropy_with_logits",
    "cdist",
    "cosh",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross",
    "dist",
    "div",
    "divide",
    "dot",
    "equal",
    "erfinv",
    "exp",
    "expm1",
    "frobenius_norm",
    "gelu",
    "group_norm",
    "hinge_embedding_loss",
    "index_put",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "log",
    "log10",
    "log1p",
    "log2",
    "logsumexp",
    "margin_ranking_loss",
    "mse_loss",
    "mul",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multiply",
    "native_layer_norm",
    "nuclear_norm",
    "pdist",
    "pow",
    "reciprocal",
    "renorm",
    "rsqrt",
    "rsub",
    "sinh",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softplus",
    "special_expm1",
    "sub",
    "subtract",
    "tan",
    "tensordot",
    "triplet_margin_loss",
    "true_divide",
];

/// Those that lose too much unless they are told the dtype of the result.
const SCRIPT_FULL_WITHOUT_DTYPE: &[&str] = &["cumprod", "cumsum", "log_softmax", "prod", "sum"];

/// The lists are searched by halves.
const fn is_in_order(names: &[&str]) -> bool {
    let mut i = 1;
    while i < names.len() {
        let (a, b) = (names[i - 1].as_bytes(), names[i].as_bytes());
        let mut k = 0;
        while k < a.len() && k < b.len() && a[k] == b[k] {
            k += 1;
        }
        if k == b.len() || k < a.len() && a[k] > b[k] {
            return false;
        }
        i += 1;
    }
    true
}
const _: () =
    assert!(is_in_order(HOST_LOWER) && is_in_order(HOST_FULL) && is_in_order(HOST_WIDEST));
const _: () = assert!(is_in_order(SCRIPT_LOWER) && is_in_order(SCRIPT_FULL));
const _: () = assert!(is_in_order(SCRIPT_FULL_WITHOUT_DTYPE));

fn host_policy(operator: &Operator, slots: &[Value]) -> Option<Policy> {
    let name = operator.name().strip_prefix("aten::")?;
    if operator.schema().overload.ends_with("out") {
        return None;
    }
    match (name, slots) {
        ("pad", [_, _, Value::Str(mode), ..]) => {
            let repeats = |mode: &str| matches!(mode, "reflect" | "replicate");
            return mode.as_str().is_ok_and(repeats).then_some(Policy::Full);
        }
        // What leaves no dimension is a sum of products, and no product of matrices.
        (
            "tensordot",
            [
                Value::Tensor(left),
                Value::Tensor(right),
                Value::IntList(contracted),
                ..,
            ],
        ) => {
            let dims = left.sizes().len() + right.sizes().len();
            return (2 * contracted.lock().len() < dims).then_some(Policy::Lower);
        }
        _ => {}
    }
    let tables = [
        (HOST_LOWER, Policy::Lower),
        (HOST_FULL, Policy::Full),
        (HOST_WIDEST, Policy::Widest),
    ];
    let found = tables
        .iter()
        .find(|(names, _)| names.binary_search(&name).is_ok());
    found.map(|(_, policy)| *policy)
}

/// Whether autocasting changes a tensor: the precise ones are meant to be so.
fn is_eligible(tensor: &Tensor) -> bool {
    tensor.dtype().is_float() && tensor.dtype() != DType::F64
}

/// The arguments of `aten::to.dtype` for a cast.
pub fn cast_arguments(tensor: &Tensor, dtype: DType) -> Vec<Value> {
    let (dtype, no) = (Value::Int(dtype.code()), Value::Bool(false));
    let tensor = Value::Tensor(tensor.clone());
    vec![tensor, dtype, no.clone(), no, Value::None]
}

/// Gives the tensors of a call of the host the precision that its operator wants.
pub fn prepare_host(
    operator: &Operator,
    slots: &mut [Value],
    target: DType,
    cast: &mut dyn FnMut(&Tensor, DType) -> Result<Tensor>,
) -> Result<()> {
    let dtype = match host_policy(operator, slots) {
        None => return Ok(()),
        Some(Policy::Lower) => target,
        Some(Policy::Full) => DType::F32,
        Some(Policy::Widest) => {
            let is_wide = |t: &Tensor| t.dtype() == DType::F32;
            if !slots.iter().any(|value| value.any_tensor(is_wide)) {
                return Ok(());
            }
            DType::F32
        }
    };
    let mut cast_one = |tensor: &Tensor| match is_eligible(tensor) && tensor.dtype() != dtype {
        true => cast(tensor, dtype).map(Some),
        false => Ok(None),
    };
    // The last argument is cast first, as graphs of traces show.
    for value in slots.iter_mut().rev() {
        match value {
            Value::Tensor(tensor) => {
                if let Some(tensor) = cast_one(tensor)? {
                    *value = Value::Tensor(tensor);
                }
            }
            Value::TensorList(list) => {
                let tensors = list.lock().clone();
                let mut changed = Vec::with_capacity(tensors.len());
                for tensor in &tensors {
                    changed.push(cast_one(tensor)?.unwrap_or_else(|| tensor.clone()));
                }
                *value = Value::TensorList(changed.into());
            }
            _ => {}
        }
    }
    Ok(())
}

/// What autocasting does to a call of a script.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Casts {
    policy: Option<Policy>,
    /// What casts a tensor.
    to: Option<&'static Operator>,
}

impl Casts {
    /// What it does to calls of an operator.
    pub fn of(operator: &Operator, to: Option<&'static Operator>) -> Casts {
        Casts {
            policy: script_policy(operator),
            to,
        }
    }
}

fn script_policy(operator: &Operator) -> Option<Policy> {
    let name = operator.name().strip_prefix("aten::")?;
    let schema = operator.schema();
    if schema.overload.ends_with("out") {
        return None;
    }
    let is_in = |names: &[&str]| names.binary_search(&name).is_ok();
    match () {
        () if is_in(SCRIPT_LOWER) => Some(Policy::Lower),
        () if is_in(SCRIPT_FULL) => Some(Policy::Full),
        () if is_in(SCRIPT_FULL_WITHOUT_DTYPE) => Some(Policy::Full),
        () => None,
    }
}

/// Whether an operator that may be told the dtype of its result is told one.
fn is_told_dtype(operator: &Operator, slots: &[Value]) -> bool {
    let arguments = operator.schema().arguments.iter();
    let mut told = arguments.zip(slots).filter(|(a, _)| &*a.name == "dtype");
    told.any(|(_, value)| !matches!(value, Value::None))
}

/// Gives the tensors of a call of a script the precision that its operator wants, while autocasting is on.
#[cold]
pub(crate) fn prepare(call: &OperatorCall, context: &Context, slots: &mut [Value]) -> Result<()> {
    let autocast = modes::current().autocast;
    let Some(to) = call.casts.to.filter(|_| autocast != Autocast::default()) else {
        return Ok(());
    };
    let mut cast = |tensor: &Tensor, dtype: DType| {
        to.call_vec(context, cast_arguments(tensor, dtype))?
            .first()
            .ok_or_else(|| Fault::internal("a cast without a result"))?
            .as_tensor()
            .cloned()
    };
    if let (Some(target), Some(policy)) = (autocast.script, call.casts.policy)
        && !is_told_dtype(call.operator, slots)
    {
        for value in slots.iter_mut() {
            let Value::Tensor(tensor) = value else {
                continue;
            };
            let dtype = match (policy, tensor.dtype()) {
                (Policy::Lower, DType::F32) => target,
                (Policy::Full, DType::BF16 | DType::F16) => DType::F32,
                _ => continue,
            };
            if dtype != tensor.dtype() {
                *value = Value::Tensor(cast(tensor, dtype)?);
            }
        }
    }
    match autocast.host {
        Some(target) => prepare_host(call.operator, slots, target, &mut cast),
        None => Ok(()),
    }
}

/// What `__init__` of an autocast takes that has to be constant, with where.
type Constants = &'static [(usize, &'static str)];

/// The classes whose objects say in a script how operators compute.
const CLASSES: &[(&str, Constants)] = &[
    (
        "__torch__.torch.amp.autocast_mode.autocast",
        &[(1, "device"), (3, "_enabled")],
    ),
    (
        "__torch__.torch.cpu.amp.autocast_mode.autocast",
        &[(1, "_enabled")],
    ),
    (
        "__torch__.torch.cuda.amp.autocast_mode.autocast",
        &[(1, "_enabled")],
    ),
];

fn class_of(ty: &Type) -> Option<Constants> {
    let Type::Class(class) = ty else { return None };
    let found = CLASSES.iter().find(|(name, _)| **name == **class.name());
    found.map(|(_, constants)| *constants)
}

/// Whether objects of a type are autocasts.
pub(crate) fn is_class(ty: &Type) -> bool {
    class_of(ty).is_some()
}

/// Checks that an autocast is made where it is entered, of constants.
pub(crate) fn check(graph: &Graph, object: ValueId) -> Result<()> {
    let made = graph.node(graph.value(object).node());
    let (true, Some(constants)) = (made.is(Prim::CreateObject), class_of(graph.ty(object))) else {
        return Err(Fault::runtime("Unsupported autocast syntax"));
    };
    for used in graph.value(object).uses() {
        let node = graph.node(used.node);
        let called = node.str_attr("name").map_or("", |name| &**name);
        // Where `__init__` was inlined, it is what it sets that counts.
        let arguments: Constants = match () {
            () if used.index != 0 => continue,
            () if node.is(Prim::CallMethod) && called == "__init__" => constants,
            () if node.is(Prim::SetAttr) && called == "device" => &[(1, "device")],
            () if node.is(Prim::SetAttr) && called == "_enabled" => &[(1, "_enabled")],
            () => continue,
        };
        for &(at, what) in arguments {
            let value = node.inputs().get(at);
            if value.is_some_and(|value| !is_known(graph, *value)) {
                return Err(Fault::runtime(format!(
                    "Autocast {what} argument must be a constant"
                )));
            }
        }
    }
    Ok(())
}

/// Whether a value is a constant, or one that was only checked for its type.
fn is_known(graph: &Graph, value: ValueId) -> bool {
    let made = graph.node(graph.value(value).node());
    graph.constant(value).is_some()
        || made.is(Prim::UncheckedCast) && made.inputs().iter().all(|from| is_known(graph, *from))
}

/// Does what an autocast says, until [`modes::set_autocast`] is told what this returns.
pub(crate) fn enter(object: &Value) -> Result<Autocast> {
    let before = modes::current().autocast;
    let Value::Object(object) = object else {
        return Err(Fault::internal("an autocast is no object"));
    };
    let on_cpu =
        matches!(object.get("device"), Some(Value::Str(device)) if device.as_str()? == "cpu");
    if on_cpu {
        let is_on = matches!(object.get("_enabled"), Some(Value::Bool(true)));
        let dtype = match object.get("fast_dtype") {
            Some(Value::Int(code)) => DType::from_code(code),
            _ => None,
        };
        let script = dtype.filter(|_| is_on);
        modes::set_autocast(Autocast { script, ..before });
    }
    Ok(before)
}
