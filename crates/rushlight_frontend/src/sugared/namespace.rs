//! Modules of names: `torch`, `torch.nn.functional`, `math`, `typing`, ...

use super::builtin::Builtin;
use super::forms;
use super::legacy::LegacyTensor;
use super::members::Member;
use super::{Sugared, SugaredValue, exception};
use crate::Outcome;
use crate::error::problem;
use crate::script::{Arguments, Emitter, advice};
use crate::source_file::library;
use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_tensor::{DType, MemoryFormat};
use rushlight_types::{OperatorTable, Type, Value};

/// A dotted path of names that the language knows by table.
pub struct Namespace {
    /// `torch.nn.functional`.
    pub path: String,
}

/// Paths that hold names.
const PATHS: &[&str] = &[
    "torch",
    "torch.jit",
    "torch.jit._logging",
    "torch._awaits",
    "torch.futures",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch._C",
    "torch._C._nn",
    "torch.special",
    "torch.linalg",
    "torch.fft",
    "torch.sparse",
    "torch.ops",
    "torch._VF",
    "torch.functional",
    "torch.autograd",
    "torch.autograd.profiler",
    "torch.autograd.grad_mode",
    "torch.profiler",
    "torch.distributions",
    "torch.amp",
    "torch.amp.autocast_mode",
    "torch.cpu",
    "torch.cpu.amp",
    "torch.cuda",
    "torch.onnx",
    "torch.onnx.operators",
    "torch.cuda.amp",
    "torch.backends",
    "torch.utils",
    "torch.compiler",
    "torch.types",
    "torch.overrides",
    "torch.classes",
    "math",
    "cmath",
    "typing",
    "typing_extensions",
    "builtins",
    "enum",
    "collections",
    "warnings",
    "torch.random",
    "torch.distributed",
    "torch.distributed.rpc",
    "torch.nn.modules",
    "torch.version",
    "torch._jit_internal",
    "abc",
    "dataclasses",
    "__future__",
    "sys",
    "os",
    "numbers",
    "functools",
    "operator",
    "time",
];

/// Operators under another name than `aten::` plus the last part of the path.
const RENAMED: &[(&str, &str)] = &[
    ("torch.autograd.grad", "aten::grad"),
    ("torch.autograd.backward", "aten::backward"),
    ("torch.device", "aten::device"),
    ("torch.cuda.synchronize", "cuda::synchronize"),
    ("torch.cuda.current_stream", "cuda::current_stream"),
    ("torch.cuda.default_stream", "cuda::default_stream"),
    ("torch.cuda.set_stream", "cuda::set_stream"),
    ("torch.cuda.current_device", "cuda::_current_device"),
    ("torch.cuda.set_device", "cuda::_set_device"),
    ("torch.cuda.Event", "cuda::Event"),
    ("torch.cuda.Stream", "cuda::Stream"),
    (
        "torch.onnx.operators.shape_as_tensor",
        "aten::_shape_as_tensor",
    ),
    (
        "torch.onnx.operators.reshape_from_tensor_shape",
        "aten::_reshape_from_tensor",
    ),
    ("torch.is_grad_enabled", "aten::is_grad_enabled"),
    ("torch.set_grad_enabled", "aten::set_grad_enabled"),
    ("torch.jit._logging.add_stat_value", "prim::AddStatValue"),
    ("torch.jit._logging.time_point", "prim::TimePoint"),
    ("torch.jit._awaitable_nowait", "prim::awaitable_nowait"),
    ("torch.jit.Error", "aten::JITException"),
    ("torch.finfo", "aten::finfo"),
    ("torch.iinfo", "aten::iinfo"),
    ("torch.enable_grad", "aten::enable_grad"),
    ("torch.inference_mode", "aten::inference_mode"),
    ("torch.is_tensor", "aten::is_tensor"),
    ("torch.load", "aten::load"),
    ("torch.get_default_dtype", "aten::get_default_dtype"),
    ("torch.manual_seed", "aten::manual_seed"),
    ("torch.seed", "aten::seed"),
    ("torch.initial_seed", "aten::initial_seed"),
    ("torch.save", "aten::save"),
    ("torch.split", "aten::split"),
    ("torch.sparse.mm", "aten::_sparse_mm"),
    ("torch.sparse.addmm", "aten::_sparse_addmm"),
    ("torch.sparse.sum", "aten::_sparse_sum"),
    ("torch.sparse.softmax", "aten::_sparse_softmax"),
    ("torch.sparse.log_softmax", "aten::_sparse_log_softmax"),
    ("torch.sparse.sampled_addmm", "aten::sparse_sampled_addmm"),
    ("torch.numel", "aten::numel"),
    ("math.ceil", "aten::ceil"),
    ("cmath.phase", "aten::angle"),
    ("cmath.rect", "aten::polar"),
    ("math.pow", "aten::pow"),
    ("math.fabs", "aten::fabs"),
    ("math.isnan", "aten::isnan"),
    ("math.asinh", "aten::asinh"),
    ("math.remainder", "aten::mathremainder"),
    ("warnings.warn", "aten::warn"),
    ("torch.jit._unwrap_optional", "aten::_unwrap_optional"),
    ("torch.jit._awaitable_wait", "prim::awaitable_wait"),
    (
        "torch.overrides.has_torch_function",
        "aten::has_torch_function",
    ),
    (
        "torch.overrides.has_torch_function_unary",
        "aten::has_torch_function",
    ),
    (
        "torch.overrides.has_torch_function_variadic",
        "aten::has_torch_function",
    ),
    ("torch.functional.einsum", "aten::einsum"),
    ("torch.nn.modules.utils._single", "aten::_single"),
    ("torch.nn.modules.utils._pair", "aten::_pair"),
    ("torch.nn.modules.utils._triple", "aten::_triple"),
    ("torch.nn.modules.utils._quadruple", "aten::_quadruple"),
];

/// The names of modules in which not every operator has one, private ones aside.
const NAMES: &[(&str, &str)] = &[
    (
        "math",
        "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc exp exp2 expm1 fabs \
         factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p \
         log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt tan tanh tau trunc ulp",
    ),
    (
        "cmath",
        "acos acosh asin asinh atan atanh cos cosh e exp inf infj isclose isfinite isinf isnan log log10 nan nanj phase pi polar \
         rect sin sinh sqrt tan tanh tau",
    ),
    (
        "torch.nn.functional",
        "adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices adaptive_max_pool3d_with_indices \
         fractional_max_pool2d_with_indices fractional_max_pool3d_with_indices max_pool1d_with_indices max_pool2d_with_indices \
         max_pool3d_with_indices has_torch_function has_torch_function_unary has_torch_function_variadic handle_torch_function \
         scaled_addmm scaled_addmm_ assert_int_or_pair boolean_dispatch \
         adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d \
         adaptive_max_pool3d affine_grid alpha_dropout avg_pool1d avg_pool2d avg_pool3d batch_norm bilinear binary_cross_entropy \
         binary_cross_entropy_with_logits celu celu_ channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d \
         conv_transpose2d conv_transpose3d cosine_embedding_loss cosine_similarity cross_entropy ctc_loss dropout dropout1d \
         dropout2d dropout3d elu elu_ embedding embedding_bag feature_alpha_dropout fold fractional_max_pool2d \
         fractional_max_pool3d gaussian_nll_loss gelu glu grid_sample group_norm grouped_mm gumbel_softmax hardshrink \
         hardsigmoid hardswish hardtanh hardtanh_ hinge_embedding_loss huber_loss instance_norm interpolate kl_div l1_loss \
         layer_norm leaky_relu leaky_relu_ linear linear_cross_entropy local_response_norm log_softmax logsigmoid lp_pool1d \
         lp_pool2d lp_pool3d margin_ranking_loss max_pool1d max_pool2d max_pool3d max_unpool1d max_unpool2d max_unpool3d mish \
         mse_loss multi_head_attention_forward multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss \
         native_channel_shuffle nll_loss normalize one_hot pad pairwise_distance pdist pixel_shuffle pixel_unshuffle \
         poisson_nll_loss prelu relu relu6 relu_ rms_norm rrelu rrelu_ scaled_dot_product_attention scaled_grouped_mm scaled_mm \
         selu selu_ sigmoid silu smooth_l1_loss soft_margin_loss softmax softmin softplus softshrink softsign tanh tanhshrink \
         threshold threshold_ triplet_margin_loss triplet_margin_with_distance_loss unfold upsample upsample_bilinear \
         upsample_nearest",
    ),
];

/// Whether Python finds an operator under a name in a module: in some it does not find all, and what code of archives writes with a
/// capital has no name in Python.
pub(super) fn is_named(parent: &str, name: &str) -> bool {
    let is_private = name.starts_with('_');
    match NAMES.iter().find(|(module, _)| *module == parent) {
        Some((_, names)) => is_private || names.split(' ').any(|known| known == name),
        None => parent != "torch" || !name.starts_with(|c: char| c.is_ascii_uppercase()),
    }
}

/// Functions of Python's `cmath` whose names operators have, but not for what they do.
const MISSING_CMATH: &[&str] = &["isclose", "polar"];

/// Functions of Python's `math` that scripts do not have.
const MISSING_MATH: &[&str] = &[
    "cbrt",
    "comb",
    "dist",
    "exp2",
    "fsum",
    "hypot",
    "isclose",
    "isqrt",
    "lcm",
    "log2",
    "nextafter",
    "perm",
    "prod",
    "trunc",
    "ulp",
];

/// The version of `torch` that this stands in for.
pub const VERSION: &str = "2.15.0+rushlight";

/// Numbers that modules define.
const FLOATS: &[(&str, f64)] = &[
    ("math.pi", std::f64::consts::PI),
    ("math.e", std::f64::consts::E),
    ("math.tau", std::f64::consts::TAU),
    ("math.inf", f64::INFINITY),
    ("math.nan", f64::NAN),
    ("cmath.pi", std::f64::consts::PI),
    ("cmath.e", std::f64::consts::E),
    ("cmath.tau", std::f64::consts::TAU),
    ("cmath.inf", f64::INFINITY),
    ("cmath.nan", f64::NAN),
    ("torch.pi", std::f64::consts::PI),
    ("torch.e", std::f64::consts::E),
    ("torch.inf", f64::INFINITY),
    ("torch.nan", f64::NAN),
];

/// What `torch` calls layouts and schemes of quantization; scripts see their numbers.
const CODES: &[(&str, i64)] = &[
    ("strided", 0),
    ("sparse_coo", 1),
    ("sparse_csr", 2),
    ("_mkldnn", 3),
    ("sparse_csc", 4),
    ("sparse_bsr", 5),
    ("sparse_bsc", 6),
    ("jagged", 7),
    ("per_tensor_affine", 0),
    ("per_channel_affine", 1),
    ("per_tensor_symmetric", 2),
    ("per_channel_symmetric", 3),
    ("per_channel_affine_float_qparams", 4),
];

impl Namespace {
    /// The class that it has in Python.
    fn class(&self) -> &'static str {
        if is_space(&self.path) {
            "_OpNamespace"
        } else {
            "module"
        }
    }

    /// The namespace at a path, if the language knows one.
    pub fn at(path: &str) -> Option<Sugared> {
        (PATHS.contains(&path) || is_space(path)).then(|| {
            Sugared::special(Namespace {
                path: path.to_string(),
            })
        })
    }
}

/// Whether a path is a namespace of operators: `torch.ops.aten`, and any other name, since programs define their own.
fn is_space(path: &str) -> bool {
    let space = path.strip_prefix("torch.ops.");
    space.is_some_and(|space| !space.is_empty() && !space.contains('.'))
}

/// What a full path (`torch.relu`, `math.pi`) stands for.
pub fn resolve(emitter: &mut Emitter<'_>, path: &str, span: &Span) -> Outcome<Option<Sugared>> {
    if let Some(inner) = Namespace::at(path) {
        return Ok(Some(inner));
    }
    if emitter.initialises_module()
        && let Some(maker) = super::layers::Maker::of_library(path)
    {
        return Ok(Some(maker));
    }
    if let Some(form) = forms::torch(path) {
        return Ok(Some(form));
    }
    let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
    if parent == "builtins" {
        return Ok(super::globals::language_name(name));
    }
    if let Some((_, value)) = FLOATS.iter().find(|(n, _)| *n == path) {
        return Ok(Some(Sugared::Value(emitter.constant(*value, span))));
    }
    if parent == "torch" {
        if let Some(value) = torch_constant(name) {
            return Ok(Some(Sugared::Value(emitter.constant(value, span))));
        }
        if let Some(legacy) = LegacyTensor::named(name) {
            return Ok(Some(Sugared::special(legacy)));
        }
        if let Some(ty) = torch_type(name) {
            return Ok(Some(Sugared::special(TypeValue {
                ty,
                constructor: constructor_of(name),
            })));
        }
    }
    if matches!(parent, "math" | "cmath") && !is_named(parent, name) {
        return Ok(None);
    }
    if let Some((_, operator)) = RENAMED.iter().find(|(n, _)| *n == path) {
        return Ok(Some(Sugared::special(Builtin {
            operator: operator.to_string(),
        })));
    }
    if let Some(ty) = crate::script::builtin_type(path) {
        return Ok(Some(Sugared::special(TypeValue {
            ty,
            constructor: (name == "Parameter").then_some(PARAMETER),
        })));
    }
    if let Some(error) = exception::builtin(name).filter(|_| parent.is_empty()) {
        return Ok(Some(error));
    }
    if let Some(stdlib) = emitter.compiler.library(emitter, path, span)? {
        return Ok(Some(stdlib));
    }
    let missing = match parent {
        "math" => MISSING_MATH,
        "cmath" => MISSING_CMATH,
        _ => &[],
    };
    if missing.contains(&name) {
        return Err(super::globals::unsupported_builtin(name, span));
    }
    if let ("cmath", "infj" | "nanj") = (parent, name) {
        let im = if name == "infj" {
            f64::INFINITY
        } else {
            f64::NAN
        };
        let value = Value::complex(rushlight_tensor::Complex64::new(0.0, im));
        return Ok(Some(Sugared::Value(emitter.constant(value, span))));
    }
    let operator = operator_name(parent, name);
    if let Some(operator) = operator
        && is_named(parent, name)
        && !emitter.table().overloads(&operator).is_empty()
    {
        return Ok(Some(Sugared::special(Builtin { operator })));
    }
    Ok(None)
}

/// The operator that a name of a namespace is.
pub(super) fn operator_name(parent: &str, name: &str) -> Option<String> {
    Some(match parent {
        "torch"
        | "torch.nn.functional"
        | "torch._C._nn"
        | "torch._C"
        | "torch._VF"
        | "torch.functional"
        | "math"
        | "cmath" => {
            format!("aten::{name}")
        }
        "torch.special" => format!("aten::special_{name}"),
        "torch.linalg" => format!("aten::linalg_{name}"),
        "torch.fft" => format!("aten::fft_{name}"),
        _ => {
            let space = parent.strip_prefix("torch.ops.")?;
            format!("{space}::{name}")
        }
    })
}

/// Names in a module that are no operators: modules inside it, constants, types.
pub(super) fn names_in(path: &str) -> Vec<(String, Member)> {
    let inside = |full: &str| {
        let name = full.strip_prefix(path)?.strip_prefix('.')?;
        (!name.contains('.') && !name.starts_with('_')).then(|| name.to_string())
    };
    let mut out = Vec::new();
    let modules = PATHS.iter().filter_map(|p| inside(p));
    out.extend(modules.map(|name| (name, Member::Module)));
    let floats = FLOATS.iter().filter_map(|(p, _)| inside(p));
    out.extend(floats.map(|name| (name, Member::Constant)));
    for (full, operator) in RENAMED {
        out.extend(inside(full).map(|name| (name, Member::Operator(operator.to_string()))));
    }
    if path == "torch" {
        let dtypes = DType::ALL.iter().map(|dtype| dtype.name());
        let types = ["Tensor", "Size", "Generator", "device", "dtype"];
        let formats = [
            "contiguous_format",
            "preserve_format",
            "channels_last",
            "strided",
        ];
        let names = dtypes.chain(types).chain(formats);
        out.extend(names.map(|name| (name.to_string(), Member::Constant)));
    }
    out
}

/// Whether an operator is one of `math`: it takes numbers alone and is none of Python's own.
pub(super) fn is_of_math(table: &OperatorTable, operator: &str) -> bool {
    let number = |ty: &Type| matches!(ty, Type::Int | Type::Float | Type::Number | Type::Complex);
    table.overloads(operator).iter().any(|op| {
        let schema = op.schema();
        !schema.arguments.is_empty()
            && schema.arguments.iter().all(|a| number(&a.ty))
            && schema.returns.len() == 1
            && matches!(
                schema.returns[0].ty,
                Type::Float | Type::Int | Type::Bool | Type::Complex
            )
            && !MISSING_MATH.contains(&operator.trim_start_matches("aten::"))
    })
}

fn torch_constant(name: &str) -> Option<Value> {
    if let Some(dtype) = DType::from_name(name) {
        return Some(Value::Int(dtype.code()));
    }
    let format = [
        MemoryFormat::Contiguous,
        MemoryFormat::Preserve,
        MemoryFormat::ChannelsLast,
        MemoryFormat::ChannelsLast3d,
    ]
    .into_iter()
    .find(|f| f.name() == name);
    if let Some(format) = format {
        return Some(Value::Int(format.code()));
    }
    match name {
        "__version__" => Some(Value::str(VERSION)),
        "legacy_contiguous_format" => Some(Value::Int(MemoryFormat::Contiguous.code())),
        _ => {
            let (_, code) = CODES.iter().find(|(n, _)| *n == name)?;
            Some(Value::Int(*code))
        }
    }
}

/// The value of a constant's full path (`math.pi`, `torch.float32`).
pub fn constant(path: &str) -> Option<Value> {
    if let Some((_, value)) = FLOATS.iter().find(|(n, _)| *n == path) {
        return Some(Value::Float(*value));
    }
    torch_constant(path.strip_prefix("torch.")?)
}

fn torch_type(name: &str) -> Option<Type> {
    Some(match name {
        "Tensor" => Type::TENSOR,
        "Size" => Type::list(Type::Int),
        "Generator" => Type::Generator,
        _ => return None,
    })
}

fn constructor_of(name: &str) -> Option<&'static str> {
    match name {
        "Generator" => Some("aten::Generator"),
        _ => None,
    }
}

/// Stands for the operator of a class whose objects no script can make.
const PARAMETER: &str = "Parameter";

/// A type used as a value: `isinstance(x, torch.Tensor)`, `torch.Size(...)`.
pub struct TypeValue {
    pub ty: Type,
    /// The operator that calling the type is.
    pub constructor: Option<&'static str>,
}

impl SugaredValue for TypeValue {
    fn describe(&self) -> String {
        "builtin".to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        if self.constructor == Some(PARAMETER) {
            let message = "Cannot instantiate class 'Parameter' in a script function";
            let kind = rushlight_syntax::ErrorKind::Frontend;
            return Err(Box::new(
                rushlight_syntax::Diagnostic::new("not-callable", kind, message).at(span),
            ));
        }
        if let Some(operator) = self.constructor {
            return super::builtin::call(emitter, operator, None, arguments, span);
        }
        if let Type::List(_) = self.ty {
            let (subject, at) = super::only_argument("Size", arguments, span)?;
            let value = subject.as_value(emitter, at)?;
            let sizes = crate::script::convert_implicitly(emitter, value, &self.ty, at);
            let out = emitter.builtin("aten::Size", &[sizes], span)?;
            return Ok(Sugared::Value(out));
        }
        super::builtin::call(
            emitter,
            &format!("aten::{}", self.ty),
            None,
            arguments,
            span,
        )
    }

    fn as_type(&self) -> Option<Type> {
        Some(self.ty.clone())
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// What people read who make a layer in a script.
const IN_INIT: &str = "layers are made in Python, in the `__init__` of a module, whose `forward` calls them; what only makes modules is no script";

impl SugaredValue for Namespace {
    fn describe(&self) -> String {
        format!("python value of type '{}'", self.class())
    }

    fn as_value(&self, _emitter: &mut Emitter<'_>, span: &Span) -> Outcome<ValueId> {
        let message = super::globals::unusable_message(self.class());
        Err(problem("not-a-value", message, span))
    }

    fn attribute(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<Sugared> {
        let path = format!("{}.{name}", self.path);
        match resolve(emitter, &path, span)? {
            Some(found) => Ok(found),
            // Functions of the library that scripts do not have are missing operators.
            None if emitter.compiler.is_callable(&path) => Err(super::builtin::unknown(
                emitter,
                &format!("aten::{name}"),
                span,
            )),
            None => {
                let message = format!("object has no attribute {name}");
                let code = match is_space(&self.path) {
                    true => "unknown-builtin",
                    false => "no-attribute",
                };
                let mut problem = problem(code, message, span);
                problem.plain = Some(format!("`{}` has no `{name}` for scripts", self.path));
                match self.path == "torch.nn" && library::parameters_of(name).is_some() {
                    true => problem.hint = Some(IN_INIT.to_string()),
                    false => advice::suggest_of_module(emitter, &mut problem, &self.path, name),
                }
                Err(problem)
            }
        }
    }

    fn has_attribute(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<bool> {
        Ok(resolve(emitter, &format!("{}.{name}", self.path), span)?.is_some())
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
