//! Simple values: attributes, methods, calls and parts of what has a type of the language.

use super::method::{BoundBuiltin, BoundMethod, NativeMethod};
use super::{Sugared, enums};
use crate::Outcome;
use crate::error::problem;
use crate::script::{Arguments, Emitter, advice};
use rushlight_ir::{Attr, Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_types::ty::{evaluate, match_type};
use rushlight_types::{AttributeKind, Bindings, ClassType, OperatorTable, Type};
use std::sync::Arc;

/// Attributes of tensors that are calls of these operators.
pub(super) const TENSOR_ATTRIBUTES: &[(&str, &str)] = &[
    ("dtype", "prim::dtype"),
    ("device", "prim::device"),
    ("grad", "prim::grad"),
    ("data", "prim::data"),
    ("shape", "prim::shape"),
    ("is_cuda", "prim::is_cuda"),
    ("is_cpu", "prim::is_cpu"),
    ("is_xla", "prim::is_xla"),
    ("is_xpu", "prim::is_xpu"),
    ("is_sparse", "prim::is_sparse"),
    ("is_sparse_csr", "prim::is_sparse_csr"),
    ("is_mkldnn", "prim::is_mkldnn"),
    ("is_mps", "prim::is_mps"),
    ("is_quantized", "prim::is_quantized"),
    ("is_vulkan", "prim::is_vulkan"),
    ("is_ipu", "prim::is_ipu"),
    ("is_maia", "prim::is_maia"),
    ("is_mtia", "prim::is_mtia"),
    ("is_meta", "prim::is_meta"),
    ("is_leaf", "aten::is_leaf"),
    ("is_nested", "prim::is_nested"),
    ("requires_grad", "prim::requires_grad"),
    ("layout", "prim::layout"),
    ("T", "prim::T"),
    ("mT", "aten::mT"),
    ("H", "prim::H"),
    ("mH", "aten::mH"),
    ("ndim", "prim::ndim"),
    ("name", "prim::name"),
    ("real", "aten::real"),
    ("imag", "aten::imag"),
    ("retains_grad", "aten::retains_grad"),
    ("itemsize", "prim::itemsize"),
    ("nbytes", "prim::nbytes"),
];

pub(super) const DEVICE_ATTRIBUTES: &[(&str, &str)] =
    &[("type", "prim::type"), ("index", "prim::index")];

/// `value.name`.
pub(super) fn attribute(
    emitter: &mut Emitter<'_>,
    value: ValueId,
    name: &str,
    span: &Span,
) -> Outcome<Sugared> {
    let ty = emitter.ty(value).clone();
    match &ty {
        Type::Tensor(_) => {
            if let Some((_, op)) = TENSOR_ATTRIBUTES.iter().find(|(n, _)| *n == name) {
                return computed(emitter, op, value, span);
            }
        }
        Type::Device => {
            if let Some((_, op)) = DEVICE_ATTRIBUTES.iter().find(|(n, _)| *n == name) {
                return computed(emitter, op, value, span);
            }
        }
        Type::Tuple(tuple) => {
            if let Some(index) = tuple.fields.iter().position(|f| &**f == name) {
                return Ok(Sugared::Value(tuple_item(emitter, value, index, span)));
            }
        }
        Type::Class(class) => return object_attribute(emitter, value, class, name, span),
        Type::Interface(interface) => {
            if interface.method(name).is_some() {
                return Ok(Sugared::special(BoundMethod {
                    object: value,
                    name: name.into(),
                }));
            }
            return Err(missing(emitter, value, name, span));
        }
        Type::Enum(_) => return enums::member_attribute(emitter, value, name, span),
        Type::Await(_) => {
            // Looking into a call that has not been made makes it.
            let result = emitter.builtin("prim::awaitable_wait", &[value], span)?;
            return attribute(emitter, result, name, span);
        }
        _ => {}
    }
    let op = format!("aten::{name}");
    if is_method(emitter.table(), &op, &ty) {
        return Ok(Sugared::special(BoundBuiltin {
            operator: op,
            receiver: value,
        }));
    }
    let prim = format!("prim::{name}");
    if is_method(emitter.table(), &prim, &ty) {
        return Ok(Sugared::special(BoundBuiltin {
            operator: prim,
            receiver: value,
        }));
    }
    let is_composed = || ty.is_tensor() && !super::composed::overloads(&op).is_empty();
    if super::method::is_special_method(&ty, name) || is_composed() {
        return Ok(Sugared::special(BoundBuiltin {
            operator: op,
            receiver: value,
        }));
    }
    if matches!(ty, Type::Optional(_) | Type::Union(_)) {
        let mut diagnostic = missing(emitter, value, name, span);
        if ty.accepts_none() {
            diagnostic.hint = Some(format!(
                "check that the value is not None before using `.{name}`"
            ));
        }
        return Err(diagnostic);
    }
    Err(missing(emitter, value, name, span))
}

/// An attribute that is the call of an operator. The node stands for no place, unless it comes from a composition.
fn computed(
    emitter: &mut Emitter<'_>,
    operator: &str,
    value: ValueId,
    span: &Span,
) -> Outcome<Sugared> {
    let out = emitter.builtin(operator, &[value], span)?;
    let node = emitter.graph.value(out).node();
    if emitter.graph.node(node).is_op(operator) {
        emitter.graph.set_span(node, None);
    }
    Ok(Sugared::Value(out))
}

/// Whether an operator is a method of a type: some overload has an argument `self` that takes it without conversion.
pub(super) fn is_method(table: &OperatorTable, operator: &str, ty: &Type) -> bool {
    let overloads = table.overloads(operator);
    overloads.iter().any(|op| {
        let mut arguments = op.schema().arguments.iter();
        arguments
            .find(|a| &*a.name == "self")
            .is_some_and(|a| takes(&a.ty, ty))
    })
}

fn takes(formal: &Type, actual: &Type) -> bool {
    if !formal.has_variables() {
        return actual.is_subtype_of(formal);
    }
    let mut bindings = Bindings::default();
    match_type(formal, actual, &mut bindings).is_ok()
        && evaluate(formal, &bindings).is_some_and(|filled| actual.is_subtype_of(&filled))
}

/// The reference's message for an attribute that a type does not have.
fn missing(emitter: &Emitter<'_>, value: ValueId, name: &str, span: &Span) -> crate::Problem {
    let shown = emitter.ty(value).message_form();
    let mark = emitter.inferred_mark(value);
    let message = format!("'{shown}{mark}' object has no attribute or method '{name}'.");
    let mut problem = problem("no-attribute", message, span);
    advice::suggest_of_type(emitter, &mut problem, emitter.ty(value), name);
    problem
}

/// Item `index` of a tuple value.
pub(super) fn tuple_item(
    emitter: &mut Emitter<'_>,
    value: ValueId,
    index: usize,
    span: &Span,
) -> ValueId {
    let Type::Tuple(tuple) = emitter.ty(value).clone() else {
        unreachable!("asked of tuples only")
    };
    let at = emitter.constant(index as i64, span);
    let node = emitter.graph.value(at).node();
    emitter.graph.set_span(node, None);
    let element = tuple.elements[index].clone();
    emitter.unplaced(Prim::TupleIndex, &[value, at], element)
}

fn object_attribute(
    emitter: &mut Emitter<'_>,
    value: ValueId,
    class: &Arc<ClassType>,
    name: &str,
    span: &Span,
) -> Outcome<Sugared> {
    if let Some(attribute) = class.attribute(name) {
        let out = emitter.unplaced(Prim::GetAttr, &[value], attribute.ty);
        let node = emitter.graph.value(out).node();
        emitter.set_attr(node, "name", Attr::Str(name.into()));
        // `0` is no name for a value.
        let shown = match name.starts_with(|c: char| c.is_ascii_digit()) {
            true => format!("_{name}"),
            false => name.to_string(),
        };
        emitter.graph.set_name(out, &shown);
        return Ok(super::containers::seen(emitter, out));
    }
    if class.method(name).is_some() {
        return Ok(Sugared::special(BoundMethod {
            object: value,
            name: name.into(),
        }));
    }
    if let Some(operator) = rushlight_types::native::method(class.name(), name) {
        return Ok(Sugared::special(NativeMethod {
            operator,
            object: value,
        }));
    }
    if class.is_module()
        && let Some(method) = class.static_method(name)
        && let Some(function) = emitter.unit().function(&method.qualified)
    {
        return Ok(Sugared::special(super::function::ScriptFunction {
            function,
        }));
    }
    if let Some(property) = class.property(name) {
        let getter = BoundMethod {
            object: value,
            name: property.getter,
        };
        return super::SugaredValue::call(&getter, emitter, &Arguments::default(), span);
    }
    if let Some(constant) = class.constant(name).filter(|_| class.is_module()) {
        return Ok(Sugared::Value(emitter.constant(constant, span)));
    }
    if let Some(kind) = emitter.compiler.why_unconverted(class.name(), name) {
        let message = format!(
            "Module '{}' has no attribute '{name}' {}",
            class.basename(),
            kind.told()
        );
        let mut problem = problem("no-attribute", message, span);
        problem.hint = Some(kind.hint(name));
        return Err(problem);
    }
    let advice = if class.constant(name).is_some() {
        format!(
            "'{name}' is defined as a class attribute which currently is not supported. Consider converting this to an instance attribute."
        )
    } else {
        "Did you forget to initialize an attribute in __init__()?".to_string()
    };
    let message = format!(
        "'{}' object has no attribute or method '{name}'. {advice}",
        Type::Class(class.clone()).message_form()
    );
    let mut problem = problem("no-attribute", message, span);
    let attributes = class.attributes().into_iter().map(|a| a.name);
    let methods = class.methods().into_iter().map(|m| m.name);
    let names: Vec<Arc<str>> = attributes.chain(methods).collect();
    advice::suggest(&mut problem, name, names.iter().map(|n| &**n));
    Err(problem)
}

/// Whether `value.name` exists.
pub(super) fn has_attribute(
    emitter: &mut Emitter<'_>,
    value: ValueId,
    name: &str,
) -> Outcome<bool> {
    Ok(match emitter.ty(value).clone() {
        Type::Class(class) => {
            class.slot(name).is_some()
                || class.method(name).is_some()
                || class.property(name).is_some()
                || class.is_module()
                    && (class.constant(name).is_some() || class.static_method(name).is_some())
        }
        Type::Interface(interface) => interface.method(name).is_some(),
        Type::Tuple(tuple) => tuple.fields.iter().any(|f| &**f == name),
        ty => {
            TENSOR_ATTRIBUTES
                .iter()
                .any(|(n, _)| *n == name && ty.is_tensor())
                || is_method(emitter.table(), &format!("aten::{name}"), &ty)
        }
    })
}

/// `object.name = value`.
pub(super) fn set_attribute(
    emitter: &mut Emitter<'_>,
    object: ValueId,
    name: &str,
    value: ValueId,
    span: &Span,
) -> Outcome<()> {
    let ty = emitter.ty(object).clone();
    let Type::Class(class) = &ty else {
        let mark = emitter.inferred_mark(object);
        return Err(problem(
            "attribute-assignment",
            format!(
                "Tried to set an attribute: {name} on a non-class: {}{mark}",
                ty.message_form()
            ),
            span,
        ));
    };
    let known = class.attribute(name);
    let wanted = match known {
        Some(attribute) => attribute.ty,
        None if emitter
            .function
            .initialising
            .as_ref()
            .is_some_and(|c| Arc::ptr_eq(c, class)) =>
        {
            declare_attribute(emitter, class, name, value, span)?
        }
        None => {
            if let Some(property) = class.property(name) {
                let Some(setter) = property.setter else {
                    return Err(problem(
                        "attribute-assignment",
                        format!("Tried to set read-only attribute: {name}"),
                        span,
                    ));
                };
                let method = BoundMethod {
                    object,
                    name: setter,
                };
                super::SugaredValue::call(&method, emitter, &Arguments::of(&[value], span), span)?;
                return Ok(());
            }
            return Err(problem(
                "attribute-assignment",
                format!(
                    "Tried to set nonexistent attribute: {name}. Did you forget to initialize it in __init__()?"
                ),
                span,
            ));
        }
    };
    let actual = emitter.ty(value).clone();
    if !actual.is_subtype_of(&wanted) {
        return Err(problem(
            "attribute-assignment",
            format!(
                "Wrong type for attribute assignment. Expected {} but got {}{}",
                wanted.message_form(),
                actual.message_form(),
                emitter.inferred_mark(value)
            ),
            span,
        ));
    }
    let node = emitter.graph.create(Prim::SetAttr, &[object, value], &[]);
    emitter.graph.append(emitter.block, node);
    emitter.set_attr(node, "name", Attr::Str(name.into()));
    Ok(())
}

/// The first assignment of an attribute in `__init__` declares it.
fn declare_attribute(
    emitter: &mut Emitter<'_>,
    class: &Arc<ClassType>,
    name: &str,
    value: ValueId,
    span: &Span,
) -> Outcome<Type> {
    if emitter.block != emitter.graph.top() {
        return Err(problem(
            "attribute-assignment",
            "First assignment cannot be in a control-flow block. Initialize the field at the top level first",
            span,
        ));
    }
    let ty = emitter.ty(value).clone();
    if contains_class(&ty, class) {
        return Err(problem(
            "attribute-assignment",
            format!(
                "Assignment to attribute '{name}' cannot be of a type that contains class '{}'.\nClasses that recursively contain instances of themselves are not yet supported",
                Type::Class(class.clone()).message_form()
            ),
            span,
        ));
    }
    class.add_attribute(name, ty.clone(), AttributeKind::Plain);
    Ok(ty)
}

/// Whether a class stands somewhere in a type.
fn contains_class(ty: &Type, class: &Arc<ClassType>) -> bool {
    match ty {
        Type::Class(found) => Arc::ptr_eq(found, class),
        _ => ty.parts().iter().any(|t| contains_class(t, class)),
    }
}

/// `value(...)`.
pub(super) fn call(
    emitter: &mut Emitter<'_>,
    value: ValueId,
    arguments: &Arguments,
    span: &Span,
) -> Outcome<Sugared> {
    match emitter.ty(value).clone() {
        Type::Function(function) => {
            super::function::call_value(emitter, value, &function, arguments, span)
        }
        Type::Class(class) => {
            // In a check classes stand for the modules, which are called in Python's way.
            let is_module = emitter.compiler.is_checking()
                && class.is_module()
                && class.method("__call__").is_none();
            let name = if is_module { "forward" } else { "__call__" };
            let method = attribute(emitter, value, name, span)?;
            if let Sugared::Special(method) = &method {
                method.prepare(emitter, span)?;
            }
            method.call(emitter, arguments, span)
        }
        Type::Interface(interface) => {
            let name = if interface.method("__call__").is_some() {
                "__call__"
            } else {
                "forward"
            };
            let method = BoundMethod {
                object: value,
                name: name.into(),
            };
            super::SugaredValue::call(&method, emitter, arguments, span)
        }
        ty => Err(problem(
            "not-callable",
            format!("cannot call a value of type '{ty}'"),
            span,
        )),
    }
}

/// The parts of a tuple (or, with a known length, a list).
pub(super) fn as_parts(
    emitter: &mut Emitter<'_>,
    value: ValueId,
    span: &Span,
) -> Outcome<Vec<Sugared>> {
    match emitter.ty(value).clone() {
        Type::Tuple(_) => Ok(emitter
            .unpack_tuple(value, span)
            .into_iter()
            .map(Sugared::Value)
            .collect()),
        Type::List(_) => Err(problem(
            "not-a-tuple",
            "cannot statically infer the expected size of a list in this context",
            span,
        )),
        Type::AnyTuple => Err(problem(
            "not-a-tuple",
            "Provided tuple is not fully defined/refined including its element types, please provide a value of type like Tuple[int, int]",
            span,
        )),
        ty => Err(problem(
            "not-a-tuple",
            format!(
                "{}{} cannot be used as a tuple",
                ty.message_form(),
                emitter.inferred_mark(value)
            ),
            span,
        )),
    }
}
