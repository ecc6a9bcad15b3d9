//! Modules that the `__init__` of a module makes, in a check of source: values of which only the type is known.
//!
//! Nothing is made, so arguments are not looked at: what they are is Python's business.

use super::containers::{self, Items, Kind};
use super::{Sugared, SugaredValue, forms::CallForm};
use crate::Outcome;
use crate::script::{Emitter, follows};
use rushlight_ir::Prim;
use rushlight_syntax::Span;
use rushlight_syntax::tree::{Call, Constant, Expr, ExprKind};
use rushlight_types::{ClassType, Schema, Type};
use std::sync::Arc;

/// What classes of the library are called, by the classes that are called alike. The first has no name of its own.
const LAYERS: &[(&str, &str)] = &[
    (
        "Linear Identity Conv1d Conv2d Conv3d BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm InstanceNorm1d \
         InstanceNorm2d InstanceNorm3d LayerNorm GroupNorm RMSNorm LocalResponseNorm Embedding Dropout Dropout1d Dropout2d \
         Dropout3d AlphaDropout FeatureAlphaDropout ReLU ReLU6 LeakyReLU PReLU RReLU ELU SELU CELU GELU GLU SiLU Mish \
         Sigmoid Tanh Softmax Softmax2d LogSoftmax Softmin Softplus Softshrink Softsign Hardtanh Hardswish Hardsigmoid \
         Hardshrink Tanhshrink Threshold LogSigmoid MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d \
         AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d \
         LPPool1d LPPool2d Flatten Unflatten Upsample UpsamplingNearest2d UpsamplingBilinear2d PixelShuffle PixelUnshuffle \
         ChannelShuffle Fold Unfold ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d ReflectionPad2d \
         ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d CircularPad1d \
         CircularPad2d CircularPad3d",
        "forward(Any self, Tensor input) -> Tensor",
    ),
    (
        "ConvTranspose1d ConvTranspose2d ConvTranspose3d",
        "forward(Any self, Tensor input, int[]? output_size=None) -> Tensor",
    ),
    (
        "Bilinear MSELoss L1Loss SmoothL1Loss HuberLoss CrossEntropyLoss NLLLoss BCELoss BCEWithLogitsLoss KLDivLoss \
         CosineSimilarity PairwiseDistance",
        "forward(Any self, Tensor input, Tensor target) -> Tensor",
    ),
    (
        "LSTM",
        "forward(Any self, Tensor input, (Tensor, Tensor)? hx=None) -> (Tensor, (Tensor, Tensor))",
    ),
    (
        "GRU RNN",
        "forward(Any self, Tensor input, Tensor? hx=None) -> (Tensor, Tensor)",
    ),
    (
        "LSTMCell",
        "forward(Any self, Tensor input, (Tensor, Tensor)? hx=None) -> (Tensor, Tensor)",
    ),
    (
        "GRUCell RNNCell",
        "forward(Any self, Tensor input, Tensor? hx=None) -> Tensor",
    ),
    (
        "MultiheadAttention",
        "forward(Any self, Tensor query, Tensor key, Tensor value, Tensor? key_padding_mask=None, bool need_weights=True, \
         Tensor? attn_mask=None, bool average_attn_weights=True, bool is_causal=False) -> (Tensor, Tensor?)",
    ),
    (
        "TransformerEncoderLayer",
        "forward(Any self, Tensor src, Tensor? src_mask=None, Tensor? src_key_padding_mask=None, bool is_causal=False) \
         -> Tensor",
    ),
    (
        "TransformerEncoder",
        "forward(Any self, Tensor src, Tensor? mask=None, Tensor? src_key_padding_mask=None, bool? is_causal=None) -> Tensor",
    ),
];

/// What the names of the types of [`LAYERS`] and of containers begin with; problems that name one tell of what a check does not
/// know.
pub(crate) const LIBRARY: &str = "__torch__.torch.nn.Module";

/// What a call makes.
#[derive(Clone)]
enum Made {
    /// A layer of a row, by the name of its class.
    Layer(usize, Box<str>),
    Container(Kind),
    Parameter,
    Own(Arc<ClassType>),
}

/// A class of modules inside the `__init__` of one.
#[derive(Clone)]
pub(crate) struct Maker(Made);

impl Maker {
    /// A class of modules of the file.
    pub(crate) fn own(class: Arc<ClassType>) -> Sugared {
        Sugared::special(Maker(Made::Own(class)))
    }

    /// The class of the library with a name.
    pub(crate) fn of_library(path: &str) -> Option<Sugared> {
        let name = path.strip_prefix("torch.nn.")?;
        let made = match name {
            "ModuleList" => Made::Container(Kind::List),
            "ModuleDict" => Made::Container(Kind::Dict),
            "Sequential" => Made::Container(Kind::Sequential),
            "Parameter" | "parameter.Parameter" => Made::Parameter,
            _ => {
                let is_of = |(names, _): &(&str, &str)| names.split(' ').any(|n| n == name);
                Made::Layer(LAYERS.iter().position(is_of)?, name.into())
            }
        };
        Some(Sugared::special(Maker(made)))
    }
}

impl SugaredValue for Maker {
    fn describe(&self) -> String {
        "module".to_string()
    }

    fn form(&self) -> Option<CallForm> {
        Some(make)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn make(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _wanted: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let ty = made_by(emitter, call).ok_or_else(|| follows(span))?;
    Ok(Sugared::Value(emitter.unplaced(
        Prim::Uninitialized,
        &[],
        ty,
    )))
}

/// The type of what a call makes, where that is a module.
fn made_by(emitter: &mut Emitter<'_>, call: &Call) -> Option<Type> {
    let Ok(Sugared::Special(thing)) = emitter.sugared(&call.func, None) else {
        return None;
    };
    let Maker(made) = thing.as_any().downcast_ref::<Maker>()?;
    match made {
        Made::Own(class) => Some(Type::Class(class.clone())),
        Made::Parameter => Some(Type::TENSOR),
        Made::Layer(row, name) => {
            let has_more = |k: &rushlight_syntax::tree::Keyword| {
                k.name.as_ref().is_none_or(|n| &*n.name == "return_indices")
            };
            (!call.keywords.iter().any(has_more)).then(|| layer(emitter, *row, name))
        }
        Made::Container(kind) => {
            let items = items(emitter, *kind, call);
            Some(containers::type_of(emitter, *kind, items, &is_plain))
        }
    }
}

/// Whether modules of a type take a tensor and give one.
fn is_plain(ty: &Type) -> bool {
    let Type::Class(class) = ty else {
        return false;
    };
    let schema = class.method("forward").and_then(|method| method.schema);
    class.name().starts_with(LIBRARY)
        && schema.is_some_and(|schema| {
            let given = &schema.arguments;
            given.len() == 2
                && given[1].ty.is_tensor()
                && matches!(schema.returns.as_slice(), [only] if only.ty.is_tensor())
        })
}

/// What a call that makes a container shows of the items.
fn items(emitter: &mut Emitter<'_>, kind: Kind, call: &Call) -> Items {
    if !call.keywords.is_empty() {
        return Items::Unknown;
    }
    match (kind, call.args.as_slice()) {
        (Kind::Sequential, [only]) => match &only.kind {
            ExprKind::Starred(inner) => listed(emitter, inner),
            // What is no module is a dict of such.
            _ => match item(emitter, only) {
                Some(ty) => Items::All(vec![(Arc::from("0"), Some(ty))]),
                None => Items::Unknown,
            },
        },
        (Kind::Sequential, []) => Items::Unknown,
        (Kind::Sequential, all) => numbered(emitter, &all.iter().collect::<Vec<_>>()),
        (Kind::List | Kind::Dict, [only]) => listed(emitter, only),
        (Kind::List | Kind::Dict, _) => Items::Unknown,
    }
}

/// The items that a display or a comprehension shows.
fn listed(emitter: &mut Emitter<'_>, expr: &Expr) -> Items {
    let each = |emitter: &mut Emitter<'_>, element: &Expr| {
        item(emitter, element).map_or(Items::Unknown, Items::Alike)
    };
    match &expr.kind {
        ExprKind::List(items) => numbered(emitter, &items.iter().collect::<Vec<_>>()),
        ExprKind::Tuple { elements, .. } => numbered(emitter, &elements.iter().collect::<Vec<_>>()),
        ExprKind::Dict(items) => {
            let mut out = Vec::new();
            for entry in items {
                let Some(ExprKind::Constant(Constant::Str(key))) =
                    entry.key.as_ref().map(|key| &key.kind)
                else {
                    return Items::Unknown;
                };
                out.push((Arc::from(&**key), item(emitter, &entry.value)));
            }
            Items::All(out)
        }
        ExprKind::ListComp { element, .. } | ExprKind::Generator { element, .. } => {
            each(emitter, element)
        }
        ExprKind::DictComp { value, .. } => each(emitter, value),
        _ => Items::Unknown,
    }
}

/// Items with numbers for names.
fn numbered(emitter: &mut Emitter<'_>, all: &[&Expr]) -> Items {
    let starred = |expr: &&Expr| matches!(expr.kind, ExprKind::Starred(_));
    if all.iter().any(starred) {
        return Items::Unknown;
    }
    let items = all.iter().enumerate();
    Items::All(
        items
            .map(|(number, expr)| (Arc::from(number.to_string()), item(emitter, expr)))
            .collect(),
    )
}

/// The type of the module that an expression is.
fn item(emitter: &mut Emitter<'_>, expr: &Expr) -> Option<Type> {
    match &expr.kind {
        ExprKind::Call(call) => made_by(emitter, call),
        ExprKind::Name(_) => {
            let value = emitter.sugared(expr, None).ok()?.plain()?;
            match emitter.ty(value) {
                Type::Class(class) if class.is_module() => Some(Type::Class(class.clone())),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The type of a class of the library.
fn layer(emitter: &Emitter<'_>, row: usize, name: &str) -> Type {
    let name = format!("{LIBRARY}.{name}");
    if let Some(known) = emitter.unit().ty(&name) {
        return known;
    }
    let class = ClassType::new(&name, true);
    if let Ok(schema) = Schema::parse(LAYERS[row].1) {
        class.add_method("forward", Some(Arc::new(schema)));
    }
    let ty = Type::Class(class);
    emitter.unit().add_type(&name, ty.clone());
    ty
}
