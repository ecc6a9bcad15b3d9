//! Enums, NamedTuples and interfaces as their definitions say, whichever door the text comes through.
//!
//! Doors differ in how they know names and values: a [`TypeNames`] and a function are what they hand over. What makes a
//! definition right is said here once.

use super::annotation::annotation_type;
use super::define;
use crate::error::problem;
use crate::{Outcome, TypeNames};
use rushlight_syntax::tree::{ClassDef, Expr, ExprKind, Stmt, StmtKind};
use rushlight_syntax::{Diagnostic, ErrorKind};
use rushlight_types::{Argument, EnumType, Schema, Type, Value};
use std::sync::Arc;

/// What an expression of a definition is known to be.
pub type ValueOf<'v> = &'v dyn Fn(&Expr, Option<&Type>) -> Option<Value>;

/// The type of an enum with these members. `shown` is what a message calls an enum without any.
///
/// The problem is of the class, not of a place in the program.
pub fn enum_type(qualified: &str, members: Vec<(Arc<str>, Value)>, shown: &str) -> Outcome<Type> {
    let refused = |kind: ErrorKind, message: String| {
        Err(Box::new(Diagnostic::new("enum-value", kind, message)))
    };
    let Some((_, first)) = members.first() else {
        let message = format!("No enum values defined for: '{shown}'");
        return refused(ErrorKind::Value, message);
    };
    let value_type = first.type_of();
    // The reference compares the different types, the last one first.
    let mut types: Vec<Type> = Vec::new();
    for (_, value) in &members {
        let ty = value.type_of();
        if !types.contains(&ty) {
            types.insert(0, ty);
        }
    }
    if let [before, other, ..] = types.as_slice() {
        let message = format!(
            "Could not unify type list since element 1 of type {other} did not match the types before it ({before})"
        );
        return refused(ErrorKind::Runtime, message);
    }
    if !matches!(value_type, Type::Int | Type::Float | Type::Str) {
        let shown = match value_type {
            Type::Tuple(_) | Type::List(_) | Type::Dict(_) => Type::Any,
            other => other,
        };
        let message = format!(
            "Cannot create Enum with value type '{shown}', only int, float and string are supported"
        );
        return refused(ErrorKind::Runtime, message);
    }
    Ok(Type::Enum(Arc::new(EnumType {
        name: qualified.into(),
        value_type,
        members,
    })))
}

/// The enum that a class defines.
pub fn written_enum(qualified: &str, class: &ClassDef, value_of: ValueOf<'_>) -> Outcome<Type> {
    let mut members: Vec<(Arc<str>, Value)> = Vec::new();
    for statement in &class.body {
        let StmtKind::Assign(assign) = &statement.kind else {
            continue;
        };
        let [target] = assign.targets.as_slice() else {
            continue;
        };
        let Some(name) = target.as_name() else {
            continue;
        };
        let value = value_of(&assign.value, None).ok_or_else(|| {
            problem(
                "enum-value",
                "the value of an enum member must be a constant",
                &assign.value.span,
            )
        })?;
        members.push((name.clone(), value));
    }
    enum_type(qualified, members, qualified).map_err(|mut error| {
        error.span.get_or_insert_with(|| class.name.span.clone());
        error
    })
}

/// The NamedTuple that a class defines.
pub fn written_named_tuple(
    qualified: &str,
    class: &ClassDef,
    names: &dyn TypeNames,
    value_of: ValueOf<'_>,
) -> Outcome<Type> {
    let (mut fields, mut types, mut defaults) = (Vec::new(), Vec::new(), Vec::new());
    for statement in &class.body {
        let StmtKind::AnnAssign {
            target,
            annotation,
            value,
        } = &statement.kind
        else {
            continue;
        };
        let ExprKind::Name(name) = &target.kind else {
            continue;
        };
        fields.push(name.clone());
        let ty = annotation_type(annotation, names)?;
        if let Some(value) = value {
            defaults.push(value_of(value, Some(&ty)).ok_or_else(|| {
                problem(
                    "default-value",
                    "the default of a field must be a constant",
                    &value.span,
                )
            })?);
        }
        types.push(ty);
    }
    Ok(Type::named_tuple(qualified, fields, types, defaults))
}

/// The methods that an interface definition asks for.
pub fn interface_methods(
    interface: &Type,
    definition: &ClassDef,
    names: &dyn TypeNames,
) -> Outcome<Vec<Arc<Schema>>> {
    let mut methods = Vec::new();
    for statement in &definition.body {
        let StmtKind::Def(def) = &statement.kind else {
            continue;
        };
        let mut arguments = Vec::new();
        for (i, param) in def.params.0.iter().enumerate() {
            let ty = match (define::written_type(def, i), i) {
                (_, 0) => interface.clone(),
                (Some(annotation), _) => annotation_type(annotation, names)?,
                (None, _) => Type::TENSOR,
            };
            arguments.push(Argument::new(&param.name.name, ty));
        }
        let Some(annotation) = define::written_result(def) else {
            return Err(problem(
                "interface",
                "interface declarations must have a return type annotated.",
                &def.span,
            ));
        };
        let returned = annotation_type(annotation, names)?;
        let mut body = def.body.iter().filter(|s| s.text().is_none());
        let is_pass =
            |statement: Option<&Stmt>| statement.is_some_and(|s| matches!(s.kind, StmtKind::Pass));
        if !is_pass(body.next()) || body.next().is_some() {
            return Err(problem(
                "interface",
                "interfaces declarations should contain 'pass' statement.",
                &def.span,
            ));
        }
        methods.push(Arc::new(Schema::new(
            &def.name.name,
            arguments,
            vec![Argument::new("", returned)],
        )));
    }
    Ok(methods)
}
