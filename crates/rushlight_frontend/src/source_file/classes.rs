//! Class definitions of a source file: script classes, enums, NamedTuples, interfaces.

use super::{Binding, Loader, Names, SourceFile, constants};
use crate::Outcome;
use crate::error::{problem, unsupported};
use crate::script::{annotation_type, dotted_text};
use rushlight_syntax::tree::{ClassDef, Expr, ExprKind, StmtKind};
use rushlight_types::{ClassType, EnumType, InterfaceType, Type, Value};
use std::sync::Arc;

/// What the bases and decorators of a class make it.
enum ClassKind {
    Script,
    Module,
    Enum,
    NamedTuple,
    Interface,
}

fn kind_of(loader: &Loader<'_>, class: &ClassDef) -> Outcome<ClassKind> {
    let file = &loader.file;
    let full = |expr: &Expr| {
        let dotted = dotted_text(expr).unwrap_or_default();
        file.path_of(&dotted).unwrap_or(dotted)
    };
    if class
        .decorators
        .iter()
        .any(|d| full(d) == "torch.jit.interface")
    {
        return Ok(ClassKind::Interface);
    }
    for base in &class.bases {
        match full(base).as_str() {
            "object" => {}
            "enum.Enum" | "Enum" | "enum.IntEnum" => return Ok(ClassKind::Enum),
            "typing.NamedTuple" | "NamedTuple" => return Ok(ClassKind::NamedTuple),
            "torch.nn.Module" | "nn.Module" => return Ok(ClassKind::Module),
            // What classes of a package (our own library) inherit from private ones is for Python.
            own if own.starts_with('_') && loader.package.is_some() => {}
            own if matches!(file.binding(own), Some(Binding::Module)) => {
                return Ok(ClassKind::Module);
            }
            _ => {
                return Err(unsupported(
                    "TorchScript classes does not support inheritance yet. Please directly inherit from 'object'.",
                    &base.span,
                ));
            }
        }
    }
    Ok(ClassKind::Script)
}

pub(super) fn define(loader: &mut Loader<'_>, class: &ClassDef) -> Outcome<()> {
    let qualified = format!("{}.{}", loader.prefix, class.name.name);
    let ty = match kind_of(loader, class)? {
        ClassKind::Script => return script_class(loader, class, &qualified),
        ClassKind::Module => return module(loader, class),
        ClassKind::Enum => enum_type(loader, class, &qualified)?,
        ClassKind::NamedTuple => named_tuple(loader, class, &qualified)?,
        ClassKind::Interface => interface(loader, class, &qualified)?,
    };
    loader.compiler.unit.add_type(&qualified, ty.clone());
    loader.bind(&class.name.name, Binding::Type(ty));
    Ok(())
}

/// A module class, of which a file alone has no instance: it is left out, what no instance could be compiled with is told.
fn module(loader: &mut Loader<'_>, class: &ClassDef) -> Outcome<()> {
    loader.bind(&class.name.name, Binding::Module);
    loader.loaded.modules.push(class.name.clone());
    let methods = class
        .body
        .iter()
        .filter_map(|statement| match &statement.kind {
            StmtKind::Def(def) if &*def.name.name == "forward" => Some(def),
            _ => None,
        });
    for method in methods {
        crate::script::refused_syntax(method)
            .iter()
            .for_each(|problem| loader.compiler.note_problem(problem));
    }
    Ok(())
}

fn enum_type(loader: &Loader<'_>, class: &ClassDef, qualified: &str) -> Outcome<Type> {
    let mut members: Vec<(Arc<str>, Value)> = Vec::new();
    for statement in &class.body {
        let StmtKind::Assign(assign) = &statement.kind else {
            continue;
        };
        let [
            Expr {
                kind: ExprKind::Name(name),
                ..
            },
        ] = assign.targets.as_slice()
        else {
            continue;
        };
        let value = constants::evaluate(&loader.file, &assign.value).ok_or_else(|| {
            problem(
                "enum-value",
                "the value of an enum member must be a constant",
                &assign.value.span,
            )
        })?;
        members.push((name.clone(), value));
    }
    let Some((_, first)) = members.first() else {
        return Err(problem(
            "enum-value",
            format!("No enum values defined for: '{qualified}'"),
            &class.span,
        ));
    };
    let value_type = first.type_of();
    if let Some((_, other)) = members.iter().find(|m| m.1.type_of() != value_type) {
        return Err(problem(
            "enum-value",
            format!(
                "Enum values must have the same type: {value_type} and {}",
                other.type_of()
            ),
            &class.span,
        ));
    }
    Ok(Type::Enum(Arc::new(EnumType {
        name: qualified.into(),
        value_type,
        members,
    })))
}

fn named_tuple(loader: &Loader<'_>, class: &ClassDef, qualified: &str) -> Outcome<Type> {
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
        let ty = annotation_type(annotation, &Names(&loader.file))?;
        if let Some(value) = value {
            let computed = || {
                let names = loader.file.clone() as _;
                crate::script::value_of(loader.compiler, &names, value, &ty)
            };
            let constant = constants::evaluate(&loader.file, value)
                .or_else(computed)
                .ok_or_else(|| {
                    problem(
                        "default-value",
                        "the default of a field must be a constant",
                        &value.span,
                    )
                })?;
            defaults.push(constant);
        }
        types.push(ty);
    }
    Ok(Type::named_tuple(qualified, fields, types, defaults))
}

/// The text that an expression is known to be.
fn text(file: &SourceFile, expr: &Expr) -> Option<Arc<str>> {
    let value = constants::evaluate(file, expr)?;
    value.as_str().ok().map(Arc::from)
}

/// `Point = namedtuple("Point", ["x", "y"])` and `NamedTuple("Point", [("x", int)])`.
pub(super) fn functional_named_tuple(
    file: &SourceFile,
    prefix: &str,
    value: &Expr,
) -> Outcome<Option<Type>> {
    let ExprKind::Call(call) = &value.kind else {
        return Ok(None);
    };
    let dotted = dotted_text(&call.func).unwrap_or_default();
    let path = file.path_of(&dotted).unwrap_or(dotted);
    let typed = match path.as_str() {
        "collections.namedtuple" => false,
        "typing.NamedTuple" => true,
        _ => return Ok(None),
    };
    let [name, fields] = call.args.as_slice() else {
        return Ok(None);
    };
    let Some(name) = text(file, name) else {
        return Ok(None);
    };
    let ExprKind::List(items) = &fields.kind else {
        return Ok(None);
    };
    let (mut names, mut types) = (Vec::new(), Vec::new());
    for item in items {
        match (&item.kind, typed) {
            (ExprKind::Tuple { elements, .. }, true) if elements.len() == 2 => {
                let Some(field) = text(file, &elements[0]) else {
                    return Ok(None);
                };
                names.push(field);
                types.push(annotation_type(&elements[1], &Names(file))?);
            }
            (_, false) => {
                let Some(field) = text(file, item) else {
                    return Ok(None);
                };
                names.push(field);
                types.push(Type::TENSOR);
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(Type::named_tuple(
        &format!("{prefix}.{name}"),
        names,
        types,
        Vec::new(),
    )))
}

fn interface(loader: &Loader<'_>, class: &ClassDef, qualified: &str) -> Outcome<Type> {
    let interface = InterfaceType::new(qualified, false);
    let ty = Type::Interface(interface.clone());
    interface.define(crate::script::interface_methods(
        &ty,
        class,
        &(loader.file.clone() as _),
    )?);
    Ok(ty)
}

fn script_class(loader: &mut Loader<'_>, class: &ClassDef, qualified: &str) -> Outcome<()> {
    let ty = ClassType::new(qualified, false);
    loader
        .compiler
        .unit
        .add_type(qualified, Type::Class(ty.clone()));
    loader.bind(&class.name.name, Binding::Type(Type::Class(ty.clone())));
    let resolver = loader.file.clone() as _;
    crate::script::declare_class(loader.compiler, &ty, class, &resolver, &|_| Ok(Vec::new()))?;
    loader.loaded.classes.push(ty);
    Ok(())
}
