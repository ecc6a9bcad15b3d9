//! The program around scripts: functions and classes of a file that are Python's, and why.
//!
//! A file that scripts nothing by name is checked as a whole, but not what no script could be meant with: what reads the
//! command line, trains, makes modules, is a decorator, inherits. What somebody may have meant for scripts, such as a
//! generator, is no reason, so that no mistake hides behind one.

use super::SourceFile;
use crate::script::dotted_text;
use rushlight_syntax::tree::{Constant, Def, Expr, ExprKind, Module, ParamKind, Stmt, StmtKind};
use rushlight_tensor::watch;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Paths that only programs use, those below them included, and what for.
const PROGRAMS: &[(&str, &str)] = &[
    ("argparse", "reads the command line"),
    ("click", "reads the command line"),
    ("sys", "deals with the process"),
    ("os", "deals with the system"),
    ("subprocess", "deals with the system"),
    ("pathlib", "deals with files"),
    ("torch.jit.script", "scripts"),
    ("torch.jit.trace", "traces"),
    ("torch.jit.save", "saves a model"),
    ("torch.jit.load", "loads a model"),
    ("torch.save", "saves a model"),
    ("torch.load", "loads a model"),
    ("torch.optim", "trains"),
    ("torch.utils.data", "reads data sets"),
    ("torch.onnx", "exports a model"),
    ("torch.cuda.is_available", "asks for devices"),
    ("torch.cuda.device_count", "asks for devices"),
    ("torch.cuda.manual_seed_all", "seeds devices"),
    ("torch.backends.cudnn", "sets devices up"),
    ("torch.hub", "loads a model"),
];

/// The functions and classes of a file that are part of its program, with what makes each one.
pub(super) fn parts(
    file: &SourceFile,
    module: &Module,
    modules: &BTreeSet<Arc<str>>,
) -> BTreeMap<Arc<str>, String> {
    let decorators = decorators(module);
    let mut found: BTreeMap<Arc<str>, String> = BTreeMap::new();
    let mut defs = Vec::new();
    for statement in &module.body {
        match &statement.kind {
            StmtKind::Def(def) => {
                let why = match decorators.contains(&def.name.name) {
                    true => Some("is a decorator".to_string()),
                    false => why(file, def, modules),
                };
                found.extend(why.map(|why| (def.name.name.clone(), why)));
                defs.push(&**def);
            }
            StmtKind::Class(class) => {
                let methods = class.body.iter().filter_map(|member| match &member.kind {
                    StmtKind::Def(def) => Some(def),
                    _ => None,
                });
                let mut reasons = methods.filter_map(|def| why(file, def, modules));
                let why = super::classes::foreign_base(file, class, modules)
                    .map(|base| format!("inherits from {base}"))
                    .or_else(|| reasons.next());
                found.extend(why.map(|why| (class.name.name.clone(), why)));
            }
            _ => {}
        }
    }
    // What calls such a function is one.
    loop {
        let before = found.len();
        for def in &defs {
            if found.contains_key(&def.name.name) {
                continue;
            }
            let mut called = None;
            each_expression(def, &mut |expr| {
                if let ExprKind::Call(call) = &expr.kind
                    && let ExprKind::Name(name) = &call.func.kind
                    && found.contains_key(name)
                {
                    called = called.take().or_else(|| Some(name.clone()));
                }
            });
            if let Some(name) = called {
                found.insert(def.name.name.clone(), format!("calls {name}"));
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// The names that some definitions of a file need, their own included, by what they and those in turn speak of.
/// What the `__init__` of a class of modules speaks of is Python's, other modules aside.
pub(super) fn needed(
    module: &Module,
    modules: &BTreeSet<Arc<str>>,
    roots: impl Iterator<Item = Arc<str>>,
) -> BTreeSet<Arc<str>> {
    let mut spoken: BTreeMap<&str, Vec<&Stmt>> = BTreeMap::new();
    for statement in &module.body {
        let names: Vec<&Arc<str>> = match &statement.kind {
            StmtKind::Def(def) => vec![&def.name.name],
            StmtKind::Class(class) => vec![&class.name.name],
            _ => {
                let places = statement.targets().into_iter().flat_map(Expr::places);
                places.filter_map(Expr::as_name).collect()
            }
        };
        for name in names {
            spoken.entry(name).or_default().push(statement);
        }
    }
    let mut out = BTreeSet::new();
    let mut pending: Vec<Arc<str>> = roots.collect();
    while let Some(name) = pending.pop() {
        if !out.insert(name.clone()) {
            continue;
        }
        let is_init = |statement: &Stmt| match &statement.kind {
            StmtKind::Def(def) => &*def.name.name == "__init__",
            _ => false,
        };
        let all = spoken.get(&*name).into_iter().flatten();
        let parts = all.flat_map(|statement| match &statement.kind {
            StmtKind::Class(class) if modules.contains(&name) => class.body.iter().collect(),
            _ => vec![*statement],
        });
        for statement in parts {
            let of_modules = is_init(statement) && modules.contains(&name);
            statement.walk(&mut |inner| {
                watch::poll();
                for expr in inner.expressions() {
                    expr.walk(&mut |part| match &part.kind {
                        ExprKind::Name(other) if of_modules && !modules.contains(other) => {}
                        ExprKind::Name(other) => pending.push(other.clone()),
                        // A type may be named by its text.
                        ExprKind::Constant(Constant::Str(text)) if !of_modules => {
                            let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
                            let known = words.filter(|word| spoken.contains_key(word));
                            pending.extend(known.map(Arc::from));
                        }
                        _ => {}
                    });
                }
            });
        }
    }
    out
}

/// The names that decorate definitions, of methods too.
fn decorators(module: &Module) -> BTreeSet<Arc<str>> {
    let mut out = BTreeSet::new();
    for top in &module.body {
        top.walk(&mut |statement| {
            watch::poll();
            let decorators = match &statement.kind {
                StmtKind::Def(def) => &def.decorators,
                StmtKind::Class(class) => &class.decorators,
                _ => return,
            };
            for decorator in decorators {
                let named = match &decorator.kind {
                    ExprKind::Call(call) => &call.func,
                    _ => decorator,
                };
                out.extend(named.as_name().cloned());
            }
        });
    }
    out
}

/// What makes a function part of the program.
pub(super) fn why(file: &SourceFile, def: &Def, modules: &BTreeSet<Arc<str>>) -> Option<String> {
    let untyped = |name: &str| {
        let params = &def.params.0;
        def.signature.is_none()
            && params.iter().any(|p| {
                &*p.name.name == name
                    && p.annotation.is_none()
                    && p.type_comment.is_none()
                    && !matches!(p.kind, ParamKind::VarArgs | ParamKind::VarKeywords)
            })
    };
    let mut why = None;
    let annotations = def.params.0.iter().filter_map(|p| p.annotation.as_ref());
    let mut visit = |expr: &Expr| {
        if why.is_some() {
            return;
        }
        why = match &expr.kind {
            ExprKind::Call(call) => match call.func.as_name() {
                Some(name) if modules.contains(name) => Some(format!("makes the module {name}")),
                // Beside modules a function that reads files is no script.
                Some(name)
                    if &**name == "open" && !modules.is_empty() && file.binding(name).is_none() =>
                {
                    Some("reads or writes files".to_string())
                }
                // A parameter without a type is a tensor, which nobody calls.
                Some(name) if untyped(name) => Some(format!("calls its argument {name}")),
                _ => None,
            },
            ExprKind::Name(name) if modules.contains(name) => {
                Some(format!("deals with the module {name}"))
            }
            ExprKind::Attribute { .. } | ExprKind::Name(_) => dotted_text(expr)
                .and_then(|dotted| file.path_of(&dotted))
                .and_then(|path| {
                    if is_class_of_modules(&path) {
                        return Some("deals with modules".to_string());
                    }
                    let (_, what) = PROGRAMS.iter().find(|(known, _)| is_below(&path, known))?;
                    Some(what.to_string())
                }),
            _ => None,
        };
    };
    for annotation in annotations.chain(&def.returns) {
        annotation.walk(&mut visit);
    }
    each_expression(def, &mut visit);
    why
}

/// Whether a path is that of a class in `torch.nn`.
pub(super) fn is_class_of_modules(path: &str) -> bool {
    let name = path.strip_prefix("torch.nn.");
    name.is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_uppercase()) && name != "Parameter"
    })
}

fn is_below(path: &str, known: &str) -> bool {
    path.strip_prefix(known)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Visits all expressions in the body of a function.
fn each_expression<'d>(def: &'d Def, visit: &mut dyn FnMut(&'d Expr)) {
    for top in &def.body {
        top.walk(&mut |statement: &'d Stmt| {
            watch::poll();
            for expr in statement.expressions() {
                expr.walk(visit);
            }
        });
    }
}
