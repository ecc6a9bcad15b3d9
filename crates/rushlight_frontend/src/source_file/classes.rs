//! Class definitions of a source file: script classes, enums, NamedTuples, interfaces.

use super::{Binding, Loader, Names, SourceFile, constants, dataclass, modules, program};
use crate::Outcome;
use crate::error::unsupported;
use crate::script::{annotation_type, declare, dotted_text};
use rushlight_syntax::tree::{ClassDef, Expr, ExprKind, StmtKind};
use rushlight_types::{ClassType, InterfaceType, Type};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the bases and decorators of a class make it.
enum ClassKind {
    Script,
    Module,
    Enum,
    NamedTuple,
    Interface,
}

/// The bases that make a class one of a kind.
const ENUMS: &[&str] = &["enum.Enum", "Enum", "enum.IntEnum"];
const NAMED_TUPLES: &[&str] = &["typing.NamedTuple", "NamedTuple"];
const MODULES: &[&str] = &["torch.nn.Module", "nn.Module"];

fn kind_of(loader: &Loader<'_>, class: &ClassDef) -> Outcome<ClassKind> {
    let file = &loader.file;
    let full = |expr: &Expr| full_name(file, expr);
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
            name if ENUMS.contains(&name) => return Ok(ClassKind::Enum),
            name if NAMED_TUPLES.contains(&name) => return Ok(ClassKind::NamedTuple),
            name if MODULES.contains(&name) => return Ok(ClassKind::Module),
            // What classes of a package (our own library) inherit from private ones is for Python.
            own if own.starts_with('_') && loader.package.is_some() => {}
            own if matches!(file.binding(own), Some(Binding::Module(_)))
                || program::is_class_of_modules(own) =>
            {
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

/// The full name of a base or a decorator.
pub(super) fn full_name(file: &SourceFile, expr: &Expr) -> String {
    let dotted = dotted_text(expr).unwrap_or_default();
    file.path_of(&dotted).unwrap_or(dotted)
}

/// Whether a class is one of modules, which the classes of these names are.
pub(super) fn is_module(file: &SourceFile, class: &ClassDef, modules: &BTreeSet<Arc<str>>) -> bool {
    class.bases.iter().any(|base| {
        let name = full_name(file, base);
        MODULES.contains(&&*name)
            || modules.contains(&*name)
            || matches!(file.binding(&name), Some(Binding::Module(_)))
            || program::is_class_of_modules(&name)
    })
}

/// Whether a base is the class of all modules, or that of all classes.
pub(super) fn is_plain_module(file: &SourceFile, base: &Expr) -> bool {
    let name = full_name(file, base);
    name == "object" || MODULES.contains(&&*name)
}

/// The base of a class that no class of a script can have.
pub(super) fn foreign_base(
    file: &SourceFile,
    class: &ClassDef,
    modules: &BTreeSet<Arc<str>>,
) -> Option<String> {
    if is_module(file, class, modules) {
        return None;
    }
    let known = [&["object"], ENUMS, NAMED_TUPLES].concat();
    let mut names = class.bases.iter().map(|base| full_name(file, base));
    names.find(|name| !known.contains(&&**name))
}

pub(super) fn define(loader: &mut Loader<'_>, class: &ClassDef) -> Outcome<()> {
    let qualified = format!("{}.{}", loader.prefix, class.name.name);
    let kind = kind_of(loader, class);
    let is_needed = |needed: &BTreeSet<Arc<str>>| needed.contains(&class.name.name);
    let is_needed = loader.needed.as_ref().is_none_or(is_needed);
    if matches!(kind, Ok(ClassKind::Script) | Err(_)) && !is_needed {
        loader.loaded.set_aside.push(class.name.name.clone());
        return Ok(());
    }
    // A default may be what a compiled expression gives.
    let value_of = |expr: &Expr, ty: Option<&Type>| {
        let computed = |ty| {
            let names = loader.file.clone() as _;
            crate::script::value_of(loader.compiler, &names, expr, ty)
        };
        constants::evaluate(&loader.file, expr).or_else(|| ty.and_then(computed))
    };
    // What is wrong with a class is told where it is defined, not where it is named.
    if kind.is_err() && loader.compiler.is_checking() {
        loader.bind(&class.name.name, Binding::Elsewhere);
    }
    let ty = match kind? {
        ClassKind::Script => return script_class(loader, class, &qualified),
        ClassKind::Module => return module(loader, class),
        ClassKind::Enum => declare::written_enum(&qualified, class, &value_of),
        ClassKind::NamedTuple => {
            declare::written_named_tuple(&qualified, class, &Names(&loader.file), &value_of)
        }
        ClassKind::Interface => interface(loader, class, &qualified),
    };
    let ty = match ty {
        // What nothing needs may be Python's.
        Err(_) if !is_needed => {
            loader.loaded.set_aside.push(class.name.name.clone());
            return Ok(());
        }
        ty => ty?,
    };
    loader.compiler.unit.add_type(&qualified, ty.clone());
    loader.bind(&class.name.name, Binding::Type(ty));
    Ok(())
}

/// A module class, of which a file alone has no instance: a check looks at what the file shows of it. Elsewhere it is left out, and
/// what no instance could be compiled with is told.
fn module(loader: &mut Loader<'_>, class: &ClassDef) -> Outcome<()> {
    let name = &class.name.name;
    let is_needed = loader.needed.as_ref().is_none_or(|n| n.contains(name));
    if loader.looks_into_modules && is_needed {
        match modules::declare(loader, class) {
            Ok(methods) => {
                let checked = (class.name.clone(), methods);
                loader.loaded.checked_modules.push(checked);
            }
            Err(why) => {
                loader.loaded.set_aside.push(name.clone());
                loader.loaded.programs.insert(name.clone(), why);
            }
        }
        return Ok(());
    }
    loader.bind(name, Binding::Module(None));
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
    let methods = declare::interface_methods(&ty, class, &Names(&loader.file))?;
    interface.define(methods);
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
    let made = dataclass::methods(&loader.file, class);
    if made.is_err() && loader.compiler.is_checking() {
        loader.bind(&class.name.name, Binding::Elsewhere);
    }
    let made = made?;
    let whole = (!made.is_empty()).then(|| {
        let mut class = class.clone();
        class.body.extend(made);
        class
    });
    let class = whole.as_ref().unwrap_or(class);
    crate::script::declare_class(loader.compiler, &ty, class, &resolver, &|_| Ok(Vec::new()))?;
    loader.loaded.classes.push(ty);
    Ok(())
}
