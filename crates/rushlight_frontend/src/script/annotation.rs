//! Annotations: from type expressions to types.

use super::{Emitter, condition::dotted};
use crate::error::problem;
use crate::{Outcome, RefusedAnnotation, TypeNames};
use rushlight_syntax::diagnostic::highlight::highlight;
use rushlight_syntax::tree::{BinaryOp, BoolOp, CompareOp, Constant, Expr, ExprKind, UnaryOp};
use rushlight_syntax::{Diagnostic, Source, Span, parse_expression};
use rushlight_types::{MOST_REPEATED, Type};
use std::sync::Arc;

/// Types of the language by the names that annotations use, without module.
const SIMPLE: &[(&str, Type)] = &[
    ("Tensor", Type::TENSOR),
    ("int", Type::Int),
    ("float", Type::Float),
    ("complex", Type::Complex),
    ("bool", Type::Bool),
    ("str", Type::Str),
    ("None", Type::None),
    ("NoneType", Type::None),
    ("Any", Type::Any),
    ("number", Type::Number),
    ("Device", Type::Device),
    ("device", Type::Device),
    ("Generator", Type::Generator),
    ("Stream", Type::Stream),
    ("Capsule", Type::Capsule),
    ("Storage", Type::Storage),
    ("PyObject", Type::PyObject),
    ("AnyClassType", Type::AnyClass),
    ("AnyEnumType", Type::AnyEnum),
];

/// Names that stand for types only under `torch.`.
const TORCH: &[(&str, Type)] = &[
    ("torch.Tensor", Type::TENSOR),
    ("torch.device", Type::Device),
    ("torch.dtype", Type::Int),
    ("torch.qscheme", Type::Int),
    ("torch.SymInt", Type::Int),
    ("torch.Generator", Type::Generator),
    ("torch.Stream", Type::Stream),
    ("torch.cuda.Stream", Type::Stream),
    ("torch.classes.cuda.Stream", Type::Stream),
    ("torch._C.Generator", Type::Generator),
    ("torch.nn.Parameter", Type::TENSOR),
    ("torch.nn.parameter.Parameter", Type::TENSOR),
];

/// Modules whose names may be written before a type.
const PREFIXES: &[&str] = &[
    "typing.",
    "typing_extensions.",
    "t.",
    "types.",
    "builtins.",
    "torch.jit.",
    "torch.types.",
    "torch.futures.",
    "torch._jit_internal.",
];

/// The type that a dotted name stands for in every program.
pub fn builtin_type(path: &str) -> Option<Type> {
    if path == "torch.Size" {
        return Some(Type::list(Type::Int));
    }
    if let Some((_, ty)) = TORCH.iter().find(|(n, _)| *n == path) {
        return Some(ty.clone());
    }
    let name = PREFIXES
        .iter()
        .find_map(|p| path.strip_prefix(p))
        .unwrap_or(path);
    match name {
        "List" | "list" if name.len() != path.len() => return None,
        "tuple" => return Some(Type::AnyTuple),
        "list" => return Some(Type::AnyList),
        _ => {}
    }
    SIMPLE
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, t)| t.clone())
}

/// The type of an annotation.
pub fn annotation_type(expr: &Expr, names: &dyn TypeNames) -> Outcome<Type> {
    annotation(expr, names, 0).map_err(|error| {
        match (error.code == "unknown-type").then(|| names.refused(expr.span.text())) {
            Some(Some(refused)) => refused_by_host(refused, &expr.span),
            _ => super::class::named_in(error, &expr.span),
        }
    })
}

/// What the host says of a whole annotation.
fn refused_by_host(refused: RefusedAnnotation, span: &Span) -> crate::Problem {
    let mut message = refused.message;
    if refused.shows_place {
        message.push_str(&highlight(span, None));
    }
    Box::new(Diagnostic::new("unknown-type", refused.kind, message))
}

fn annotation(expr: &Expr, names: &dyn TypeNames, depth: usize) -> Outcome<Type> {
    if depth > 64 {
        return Err(problem(
            "too-deep",
            "this type is nested too deeply",
            &expr.span,
        ));
    }
    match &expr.kind {
        ExprKind::Constant(Constant::None) => Ok(Type::None),
        ExprKind::Constant(Constant::Str(text)) => {
            let source = Source::new(expr.span.source().name(), text.clone());
            let (inner, problems) = parse_expression(&source);
            let unknown = || {
                let message = format!("Unknown type name '{text}'");
                problem("unknown-type", message, &expr.span)
            };
            // Text has no unions by `|`.
            let is_union = matches!(
                inner.kind,
                ExprKind::Binary {
                    op: BinaryOp::BitOr,
                    ..
                }
            );
            if !problems.is_empty() || is_union {
                return Err(unknown());
            }
            annotation(&inner, names, depth + 1).map_err(|error| match error.span {
                Some(_) => unknown(),
                None => error,
            })
        }
        ExprKind::Name(_) | ExprKind::Attribute { .. } => {
            let Some(path) = dotted(expr) else {
                return Err(unknown_expression(expr));
            };
            named(&path, names, &expr.span)
        }
        ExprKind::Subscript { value, index } => {
            let Some(path) = dotted(value) else {
                let message = "Subscripted type must be a type identifier";
                return Err(problem("unknown-type", message, &value.span));
            };
            applied(&path, index, names, expr, depth)
        }
        ExprKind::Binary {
            op: BinaryOp::BitOr,
            left,
            right,
        } => {
            let left = annotation(left, names, depth + 1)?;
            let right = annotation(right, names, depth + 1)?;
            Ok(Type::union(vec![left, right]))
        }
        ExprKind::Tuple { elements, .. } if elements.is_empty() && depth == 0 => {
            Ok(Type::tuple(Vec::new()))
        }
        _ => Err(unknown_expression(expr)),
    }
}

/// The length of `BroadcastingList2[int]`, also where it is optional: one element stands for a list of so many.
pub(super) fn broadcasting_size(expr: &Expr) -> Option<u32> {
    if let ExprKind::Name(name) = &expr.kind {
        return size_alias(name);
    }
    let ExprKind::Subscript { value, index } = &expr.kind else {
        return None;
    };
    let path = dotted(value)?;
    let base = path.rsplit('.').next()?;
    match base.strip_prefix("BroadcastingList") {
        Some(digits) => digits.parse().ok().filter(|size| *size <= MOST_REPEATED),
        None if base == "Optional" => broadcasting_size(index),
        None => None,
    }
}

/// The length that `_size_2_t` names: a list of two integers for which one may stand.
fn size_alias(name: &str) -> Option<u32> {
    let digit = name.strip_prefix("_size_")?.strip_suffix("_t")?;
    digit.parse().ok().filter(|_| digit.len() == 1)
}

fn named(path: &str, names: &dyn TypeNames, span: &Span) -> Outcome<Type> {
    if size_alias(path).is_some() {
        return Ok(Type::list(Type::Int));
    }
    let own = own_name(path, names);
    let base = strip(own.as_deref().unwrap_or(path));
    if CONTAINERS.contains(&base) {
        return Err(without_place("bare-container", bare_message(base), span));
    }
    if let Some(ty) = names.named_type(path, span)? {
        return Ok(ty);
    }
    // A size is a list of ints everywhere but in annotations.
    if path != "torch.Size"
        && let Some(ty) = builtin_type(path)
    {
        return Ok(ty);
    }
    let mut diagnostic = problem("unknown-type", format!("Unknown type name '{path}'"), span);
    let known = SIMPLE
        .iter()
        .map(|(n, _)| *n)
        .chain(CONTAINERS.iter().copied());
    let is_container = CONTAINERS.iter().any(|c| c.eq_ignore_ascii_case(base));
    if let Some(near) = super::nearest_name(base, known).filter(|_| !is_container) {
        diagnostic.hint = Some(format!("did you mean `{near}`?"));
    }
    Err(diagnostic)
}

const CONTAINERS: &[&str] = &["List", "Dict", "Tuple", "Optional", "Union"];

/// The language's name for one that it does not know as it stands: `tp.List`, or `L` after `from typing import List as L`.
fn own_name(path: &str, names: &dyn TypeNames) -> Option<String> {
    let base = strip(path);
    let is_known = CONTAINERS.contains(&base)
        || base.starts_with("BroadcastingList")
        || builtin_type(path).is_some();
    match is_known {
        true => None,
        false => names.own_name(path).filter(|own| strip(own) != base),
    }
}

fn bare_message(name: &str) -> String {
    match name {
        "Dict" => "Attempted to use Dict without contained types. Please add contained type, e.g. Dict[int, int]".into(),
        _ => format!("Attempted to use {name} without a contained type. Please add a contained type, e.g. {name}[int]"),
    }
}

fn strip(path: &str) -> &str {
    PREFIXES
        .iter()
        .find_map(|p| path.strip_prefix(p))
        .unwrap_or(path)
}

fn applied(
    path: &str,
    index: &Expr,
    names: &dyn TypeNames,
    whole: &Expr,
    depth: usize,
) -> Outcome<Type> {
    let own = own_name(path, names);
    let path = own.as_deref().unwrap_or(path);
    let parts: Vec<&Expr> = match &index.kind {
        // `Tuple[(int, str)]` names one tuple.
        ExprKind::Tuple {
            elements,
            parenthesized,
        } if !(*parenthesized && !elements.is_empty() && path.ends_with("uple")) => {
            elements.iter().collect()
        }
        _ => vec![index],
    };
    let each = |parts: &[&Expr]| -> Outcome<Vec<Type>> {
        parts
            .iter()
            .map(|p| annotation(p, names, depth + 1))
            .collect()
    };
    let one = |what: &str| -> Outcome<Type> {
        match parts.as_slice() {
            [only] => annotation(only, names, depth + 1),
            many => Err(problem(
                "type-arguments",
                format!(
                    "{what} type must have exactly one element type but found {}",
                    many.len()
                ),
                &whole.span,
            )),
        }
    };
    let base = strip(path);
    match base {
        "List" | "list" => one("List").map(Type::list),
        "Optional" => one("Optional").map(Type::optional),
        "Future" => one("Future").map(Type::future),
        "Await" | "_Await" => one("Await").map(|t| Type::Await(Arc::new(t))),
        "RRef" | "torch.distributed.rpc.RRef" => one("RRef").map(|t| Type::RRef(Arc::new(t))),
        "Tuple" | "tuple" => {
            if let [
                Expr {
                    kind: ExprKind::Tuple { elements, .. },
                    ..
                },
            ] = parts.as_slice()
            {
                return match elements.first() {
                    None => Ok(Type::tuple(Vec::new())),
                    Some(element) => Err(problem(
                        "type-arguments",
                        "Tuple literal in Tuple type annotation must not have any elements!",
                        &element.span,
                    )),
                };
            }
            each(&parts).map(Type::tuple)
        }
        "Union" => each(&parts).map(Type::union),
        "Dict" | "dict" => match each(&parts)?.as_slice() {
            [key, value] => {
                if !is_key_type(key) {
                    return Err(bad_key(key, &whole.span));
                }
                Ok(Type::dict(key.clone(), value.clone()))
            }
            many => Err(problem(
                "type-arguments",
                format!(
                    "Dict type must have exactly two type arguments but found {}",
                    many.len()
                ),
                &whole.span,
            )),
        },
        _ if base.starts_with("BroadcastingList") => {
            let count = base.trim_start_matches("BroadcastingList");
            if !count.parse::<u32>().is_ok_and(|n| n > 0) {
                return Err(problem(
                    "type-arguments",
                    "subscript of Broadcastable list must be a positive integer",
                    &whole.span,
                ));
            }
            one("BroadcastingList").map(Type::list)
        }
        _ => Err(problem(
            "unknown-type",
            format!("Unknown type constructor {path}"),
            &whole.span,
        )),
    }
}

fn unknown_expression(expr: &Expr) -> crate::Problem {
    let kind = match &expr.kind {
        ExprKind::Constant(Constant::Ellipsis) => "dots",
        ExprKind::Constant(Constant::Bool(true)) => "True",
        ExprKind::Constant(Constant::Bool(false)) => "False",
        ExprKind::Constant(_) => "const",
        ExprKind::Unary {
            op: UnaryOp::Minus,
            operand,
        } if matches!(operand.kind, ExprKind::Constant(_)) => "const",
        ExprKind::Unary {
            op: UnaryOp::Minus, ..
        } => "unary minus",
        ExprKind::Unary { op, .. } => op.as_str(),
        ExprKind::Binary { op, .. } => match op {
            BinaryOp::FloorDiv => "floordiv",
            BinaryOp::Pow => "pow operator",
            op => op.as_str(),
        },
        ExprKind::Compare { rest, .. } => match rest.last().map(|(op, _)| *op) {
            Some(CompareOp::Eq) => "eq",
            Some(CompareOp::NotEq) => "ne",
            Some(CompareOp::LtE) => "le",
            Some(CompareOp::GtE) => "ge",
            Some(CompareOp::NotIn) => "not",
            Some(CompareOp::IsNot) => "is not",
            Some(op) => op.as_str(),
            None => "expression",
        },
        ExprKind::Call(_) => "apply",
        ExprKind::List(_) => "list-literal",
        ExprKind::Tuple { .. } => "tuple-literal",
        ExprKind::Dict(_) => "dict-literal",
        ExprKind::Attribute { .. } => ".",
        ExprKind::Subscript { .. } => "subscript",
        ExprKind::IfExp { .. } => "if",
        ExprKind::Bool {
            op: BoolOp::And, ..
        } => "and",
        ExprKind::Bool { op: BoolOp::Or, .. } => "or",
        _ => "expression",
    };
    let message = format!("Expression of type {kind} cannot be used in a type expression");
    // The host, which knows more types, is not asked about `...`.
    let code = match kind {
        "dots" => "type-arguments",
        _ => "unknown-type",
    };
    problem(code, message, &expr.span)
}

/// Whether dicts may have keys of a type.
pub(super) fn is_key_type(key: &Type) -> bool {
    matches!(
        key,
        Type::Int
            | Type::Float
            | Type::Bool
            | Type::Complex
            | Type::Str
            | Type::Tensor(_)
            | Type::Device
            | Type::Any
    )
}

/// The problem of a dict with keys of another type.
fn bad_key(key: &Type, about: &Span) -> crate::Problem {
    let message = format!(
        "Cannot create dict for key type '{}', only int, float, complex, Tensor, device and string keys are supported",
        key.graph_form()
    );
    without_place("dict-key", message, about)
}

/// A problem that the reference reports without a place.
fn without_place(code: &'static str, message: String, about: &Span) -> crate::Problem {
    let kind = rushlight_syntax::ErrorKind::Runtime;
    Box::new(Diagnostic::new(code, kind, message).about(about))
}

impl Emitter<'_> {
    /// The type of an annotation inside the function.
    pub fn annotation(&mut self, expr: &Expr) -> Outcome<Type> {
        let resolver = self.resolver.clone();
        annotation_type(expr, &ByResolver(&*resolver))
    }
}

/// A resolver as a source of named types.
pub struct ByResolver<'r>(pub &'r dyn crate::Resolver);

impl TypeNames for ByResolver<'_> {
    fn named_type(&self, name: &str, span: &Span) -> Outcome<Option<Type>> {
        self.0.lookup_type(name, span)
    }

    fn own_name(&self, name: &str) -> Option<String> {
        self.0.own_name(name)
    }

    fn refused(&self, text: &str) -> Option<RefusedAnnotation> {
        self.0.refused_annotation(text)
    }
}
