//! What Python says of the `__init__` of a module that is checked, without running it: names that nobody defines, classes that
//! `torch.nn` does not have, arguments that a class is not made with, the call of `Module.__init__` that is missing.
//!
//! Scripts have no part in it, so its problems are in Python's words.

use super::library;
use super::modules::ModuleClass;
use super::{Binding, Loader, classes};
use crate::Problem;
use crate::script::{advice, dotted_text, nearest_name};
use rushlight_syntax::tree::{
    Alias, Call, ClassDef, Def, Expr, ExprKind, Module, ParamKind, Stmt, StmtKind,
};
use rushlight_syntax::{Diagnostic, ErrorKind, Fix, Span};
use rushlight_tensor::watch;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What every Python program has without an import.
const BUILTINS: &str = "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex \
     copyright credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr \
     hash help hex id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open \
     ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars \
     zip ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError \
     BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError \
     ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup \
     FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning \
     IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError \
     ModuleNotFoundError NameError NotADirectoryError NotImplemented NotImplementedError OSError OverflowError \
     PendingDeprecationWarning PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError \
     RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError \
     TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning \
     UserWarning ValueError Warning ZeroDivisionError __build_class__ __builtins__ __class__ __debug__ __doc__ __file__ \
     __import__ __loader__ __name__ __package__ __spec__";

/// The names that a file binds anywhere outside of functions and classes; nothing where it binds more than it shows.
pub(super) fn names_of(module: &Module) -> Option<BTreeSet<Arc<str>>> {
    let mut out = BTreeSet::new();
    let mut pending: Vec<&Stmt> = module.body.iter().collect();
    while let Some(statement) = pending.pop() {
        if !bound_by(statement, &mut out) {
            return None;
        }
        // A function may say that what it assigns is the file's.
        if !matches!(statement.kind, StmtKind::Class(_)) {
            pending.extend(statement.inner());
        }
    }
    Some(out)
}

/// Types of the language that annotations of a file name without an import. Annotations that Python does not look at may.
pub(super) fn unimported(module: &Module, names: &BTreeSet<Arc<str>>) -> BTreeSet<Arc<str>> {
    let mut out = BTreeSet::new();
    if names.contains("annotations") {
        return out;
    }
    for top in &module.body {
        top.walk(&mut |statement| {
            let StmtKind::Def(def) = &statement.kind else {
                return;
            };
            let annotations = def.params.0.iter().filter_map(|p| p.annotation.as_ref());
            for annotation in annotations.chain(&def.returns) {
                annotation.walk(&mut |part| {
                    let name = part.as_name().filter(|name| &***name == "Tensor");
                    out.extend(name.filter(|name| !names.contains(*name)).cloned());
                });
            }
        });
    }
    out
}

/// Adds the names that a statement binds itself, those in it that are bound for a part of it alone included; whether these are
/// all.
fn bound_by(statement: &Stmt, out: &mut BTreeSet<Arc<str>>) -> bool {
    watch::poll();
    let mut all_shown = true;
    let mut import = |alias: &Alias| {
        let name = alias.asname.as_ref().unwrap_or(&alias.name);
        all_shown &= &*name.name != "*";
        out.extend(name.name.split('.').next().map(Arc::from));
    };
    match &statement.kind {
        StmtKind::Import(names) => names.iter().for_each(&mut import),
        // What the type names of Python are is known.
        StmtKind::ImportFrom(from)
            if from.module.as_ref().is_some_and(|m| &*m.name == "typing") =>
        {
            let star = from.names.iter().any(|alias| &*alias.name.name == "*");
            match star {
                true => out.extend(TYPING.split(' ').map(Arc::from)),
                false => from.names.iter().for_each(&mut import),
            }
        }
        StmtKind::ImportFrom(from) => from.names.iter().for_each(&mut import),
        StmtKind::Def(def) => {
            out.insert(def.name.name.clone());
            out.extend(def.params.0.iter().map(|param| param.name.name.clone()));
        }
        StmtKind::Class(class) => {
            out.insert(class.name.name.clone());
        }
        StmtKind::Try(node) => {
            let names = node.handlers.iter().filter_map(|h| h.name.as_ref());
            out.extend(names.map(|name| name.name.clone()));
        }
        // What a pattern binds nobody has written down.
        StmtKind::Match { .. } => all_shown = false,
        StmtKind::Global(names) | StmtKind::Nonlocal(names) => {
            out.extend(names.iter().map(|name| name.name.clone()));
        }
        _ => {}
    }
    let places = statement.targets().into_iter().flat_map(Expr::places);
    out.extend(places.filter_map(Expr::as_name).cloned());
    for expr in statement.expressions() {
        out.extend(expr.named().into_iter().cloned());
        expr.walk(&mut |part| {
            let targets = part.generators().iter().map(|g| &g.target);
            out.extend(
                targets
                    .flat_map(Expr::places)
                    .filter_map(Expr::as_name)
                    .cloned(),
            );
            if let ExprKind::Lambda(lambda) = &part.kind {
                out.extend(lambda.params.0.iter().map(|param| param.name.name.clone()));
            }
        });
    }
    all_shown
}

/// What `from typing import *` brings, as far as modules need it.
const TYPING: &str = "AbstractSet Any AnyStr Callable ChainMap ClassVar Collection Container Counter DefaultDict Deque Dict Final \
     ForwardRef FrozenSet Generator Generic Hashable IO ItemsView Iterable Iterator KeysView List Literal Mapping \
     MutableMapping MutableSequence MutableSet NamedTuple NewType NoReturn Optional OrderedDict Protocol Reversible Sequence \
     Set Sized SupportsFloat SupportsInt Text TextIO Tuple Type TypeVar TypedDict Union ValuesView cast final overload";

/// Tells what Python would say of a class of modules when an instance is made.
pub(super) fn check(loader: &Loader<'_>, class: &ClassDef, own: &ModuleClass) {
    let tell = |problem: Problem| loader.compiler.note_problem(&problem);
    misspelt_forward(loader, class, own)
        .into_iter()
        .for_each(tell);
    let own_init = class.body.iter().find_map(|member| match &member.kind {
        StmtKind::Def(def) if &*def.name.name == "__init__" => Some(&**def),
        _ => None,
    });
    let Some(init) = own_init else {
        return;
    };
    not_begun(loader, class, init).into_iter().for_each(tell);
    let mut bound = BTreeSet::new();
    let mut all_shown = true;
    let mut looks_first = false;
    bound.extend(init.params.0.iter().map(|param| param.name.name.clone()));
    each_statement(init, &mut |statement| {
        all_shown &= bound_by(statement, &mut bound);
        looks_first |= matches!(statement.kind, StmtKind::Try(_));
        for expr in statement.expressions() {
            expr.walk(&mut |part| {
                looks_first |= part.as_name().is_some_and(|name| &**name == "hasattr");
            });
        }
    });
    // Who looks whether something is there does without it.
    if looks_first {
        return;
    }
    let scope = loader.names.as_ref().filter(|_| all_shown);
    each_statement(init, &mut |statement| {
        let annotation = match &statement.kind {
            StmtKind::AnnAssign { annotation, .. } => Some(annotation),
            _ => None,
        };
        for expr in statement.expressions() {
            if annotation.is_some_and(|a| std::ptr::eq(a, expr)) {
                continue;
            }
            expr.walk(&mut |part| {
                watch::poll();
                if let ExprKind::Attribute { .. } = &part.kind
                    && let Some(problem) = missing_class(loader, part)
                {
                    tell(problem);
                }
                if let (ExprKind::Name(name), Some(names)) = (&part.kind, scope)
                    && !bound.contains(name)
                    && !names.contains(name)
                    && loader.file.binding(name).is_none()
                    && !BUILTINS.split(' ').any(|known| known == &**name)
                {
                    let known = bound.iter().chain(names).map(|name| &**name);
                    tell(undefined(name, &part.span, known));
                }
                if let ExprKind::Call(call) = &part.kind
                    && let Some(problem) = arguments(loader, call)
                {
                    tell(problem);
                }
            });
        }
    });
}

/// Visits the statements of a function, with those of functions inside it.
fn each_statement<'d>(def: &'d Def, visit: &mut dyn FnMut(&'d Stmt)) {
    def.body.iter().for_each(|statement| statement.walk(visit));
}

fn python(code: &'static str, kind: ErrorKind, message: String, span: &Span) -> Problem {
    Box::new(Diagnostic::new(code, kind, message).at(span))
}

fn undefined<'n>(name: &str, span: &Span, known: impl Iterator<Item = &'n str>) -> Problem {
    let message = format!("name '{name}' is not defined");
    let mut problem = python("undefined-name", ErrorKind::Name, message, span);
    advice::suggest(&mut problem, name, known);
    problem
}

/// A name of `torch.nn` that it does not have.
fn missing_class(loader: &Loader<'_>, expr: &Expr) -> Option<Problem> {
    let path = dotted_text(expr).and_then(|name| loader.file.path_of(&name))?;
    let name = path.strip_prefix("torch.nn.")?;
    let is_private = name.starts_with('_') || name.contains('.');
    if is_private || library::names().any(|known| known == name) {
        return None;
    }
    let message = format!("module 'torch.nn' has no attribute '{name}'");
    let mut problem = python("no-attribute", ErrorKind::Attribute, message, &expr.span);
    advice::suggest(&mut problem, name, library::names());
    Some(problem)
}

/// A method that was to be `forward`, of a class that has none.
fn misspelt_forward(loader: &Loader<'_>, class: &ClassDef, own: &ModuleClass) -> Option<Problem> {
    let plain = |base| classes::is_plain_module(&loader.file, base);
    if own.has_method("forward") || !class.bases.iter().all(plain) {
        return None;
    }
    let def = class.body.iter().find_map(|member| match &member.kind {
        // One of several ways forward says so.
        StmtKind::Def(def) if def.name.name.starts_with("forward") => None,
        StmtKind::Def(def) => nearest_name(&def.name.name, ["forward"].into_iter()).map(|_| def),
        _ => None,
    })?;
    let message = format!(
        "Module [{}] is missing the required \"forward\" function",
        class.name.name
    );
    let span = &def.name.span;
    let mut problem = python("no-attribute", ErrorKind::NotImplemented, message, span);
    problem.hint = Some("did you mean `forward`?".to_string());
    problem.fix = Some(Fix::new(span, "forward"));
    Some(problem)
}

/// An `__init__` that does not call that of `Module`.
fn not_begun(loader: &Loader<'_>, class: &ClassDef, init: &Def) -> Option<Problem> {
    let plain = |base| classes::is_plain_module(&loader.file, base);
    let mut begins = !class.bases.iter().all(plain);
    each_statement(init, &mut |statement| {
        for expr in statement.expressions() {
            expr.walk(&mut |part| {
                begins |= match &part.kind {
                    ExprKind::Name(name) => &**name == "super",
                    ExprKind::Attribute { attr, .. } => {
                        matches!(&*attr.name, "__init__" | "__dict__" | "__setstate__")
                    }
                    _ => false,
                };
            });
        }
    });
    let has_one = !init.params.0.is_empty();
    if begins || !has_one {
        return None;
    }
    let message = "cannot assign module before Module.__init__() call".to_string();
    let mut problem = python("no-init", ErrorKind::Attribute, message, &init.name.span);
    problem.hint = Some("begin with `super().__init__()`".to_string());
    if let Some(first) = init.body.first() {
        let line = " ".repeat(first.span.column().saturating_sub(1) as usize);
        let begin = format!("super().__init__()\n{line}");
        problem.fix = Some(Fix::new(&first.span.head(0), begin));
    }
    Some(problem)
}

/// A parameter of an `__init__`.
struct Taken<'p> {
    name: &'p str,
    kind: ParamKind,
    has_default: bool,
}

/// The parameters that a row of the library writes down.
fn written(text: &'static str) -> Vec<Taken<'static>> {
    let mut kind = ParamKind::Normal;
    let mut out = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match (word.strip_prefix("**"), word.strip_prefix('*')) {
            (None, Some("")) => kind = ParamKind::KeywordOnly,
            (more_keywords, Some(name)) => out.push(Taken {
                name,
                kind: match more_keywords {
                    Some(_) => ParamKind::VarKeywords,
                    None => ParamKind::VarArgs,
                },
                has_default: true,
            }),
            _ => out.push(Taken {
                name: word.trim_end_matches('='),
                kind,
                has_default: word.ends_with('='),
            }),
        }
    }
    out
}

/// The parameters of an `__init__` of the file, without the object.
fn defined(init: &Def) -> Vec<Taken<'_>> {
    let params = init.params.0.iter().skip(1);
    params
        .map(|param| Taken {
            name: &param.name.name,
            kind: param.kind,
            has_default: param.default.is_some(),
        })
        .collect()
}

/// What is wrong with the arguments of a call that makes a module.
fn arguments(loader: &Loader<'_>, call: &Call) -> Option<Problem> {
    let dotted = dotted_text(&call.func)?;
    if let Some(Binding::Module(Some(class))) = loader.file.binding(&dotted) {
        let init = class.init()?;
        return misfit(call, &dotted, &defined(&init));
    }
    let path = loader.file.path_of(&dotted)?;
    let name = path.strip_prefix("torch.nn.")?;
    misfit(call, name, &written(library::parameters_of(name)?))
}

/// Python's complaint about arguments that parameters do not take.
fn misfit(call: &Call, class: &str, taken: &[Taken<'_>]) -> Option<Problem> {
    let tell = |message: String, span: &Span| {
        let message = format!("{class}.__init__() {message}");
        Some(python("argument-count", ErrorKind::Type, message, span))
    };
    let has = |kind: ParamKind| taken.iter().any(|t| t.kind == kind);
    let by_place: Vec<&Taken<'_>> = taken
        .iter()
        .filter(|t| matches!(t.kind, ParamKind::Normal | ParamKind::PositionalOnly))
        .collect();
    let is_named = |t: &&Taken<'_>| matches!(t.kind, ParamKind::Normal | ParamKind::KeywordOnly);
    let expands = call
        .args
        .iter()
        .any(|arg| matches!(arg.kind, ExprKind::Starred(_)));
    for keyword in &call.keywords {
        let Some(name) = &keyword.name else { continue };
        let known = taken.iter().filter(is_named).any(|t| t.name == &*name.name);
        if !known && !has(ParamKind::VarKeywords) {
            let message = format!("got an unexpected keyword argument '{}'", name.name);
            let mut problem = tell(message, &name.span)?;
            problem.code = "unknown-keyword";
            let names = taken.iter().filter(is_named).map(|t| t.name);
            advice::suggest(&mut problem, &name.name, names.clone());
            if problem.hint.is_none() {
                let names: Vec<&str> = names.collect();
                problem.hint = Some(match names.is_empty() {
                    true => format!("`{class}` takes no arguments"),
                    false => format!("`{class}` takes {}", names.join(", ")),
                });
            }
            return Some(problem);
        }
        let at = by_place.iter().position(|t| t.name == &*name.name);
        if at.is_some_and(|at| at < call.args.len()) && !expands {
            let message = format!("got multiple values for argument '{}'", name.name);
            return tell(message, &name.span);
        }
    }
    if expands {
        return None;
    }
    let given = call.args.len();
    if given > by_place.len() && !has(ParamKind::VarArgs) {
        let (least, most) = (
            by_place.iter().filter(|t| !t.has_default).count() + 1,
            by_place.len() + 1,
        );
        let takes = match least == most {
            true => format!("{most}"),
            false => format!("from {least} to {most}"),
        };
        let plural = if most == 1 { "" } else { "s" };
        let message = format!(
            "takes {takes} positional argument{plural} but {} were given",
            given + 1
        );
        let mut problem = tell(message, &call.args[by_place.len()].span)?;
        let names: Vec<&str> = by_place.iter().map(|t| t.name).collect();
        problem.hint = Some(match names.is_empty() {
            true => format!("`{class}` takes no arguments"),
            false => format!("`{class}` takes {}", names.join(", ")),
        });
        return Some(problem);
    }
    if call.keywords.iter().any(|keyword| keyword.name.is_none()) {
        return None;
    }
    let is_given = |name: &str| {
        let names = call.keywords.iter().filter_map(|k| k.name.as_ref());
        names.into_iter().any(|given| &*given.name == name)
    };
    let missing: Vec<&str> = by_place
        .iter()
        .skip(given)
        .filter(|t| !t.has_default && !is_given(t.name))
        .map(|t| t.name)
        .collect();
    let (kind, missing) = match missing.is_empty() {
        false => ("positional", missing),
        true => {
            let named = taken.iter().filter(|t| t.kind == ParamKind::KeywordOnly);
            let missing = named.filter(|t| !t.has_default && !is_given(t.name));
            ("keyword-only", missing.map(|t| t.name).collect())
        }
    };
    if missing.is_empty() {
        return None;
    }
    let quoted: Vec<String> = missing.iter().map(|name| format!("'{name}'")).collect();
    let listed = match quoted.as_slice() {
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [others @ .., last] => format!("{}, and {last}", others.join(", ")),
        [] => return None,
    };
    let plural = if missing.len() == 1 { "" } else { "s" };
    let message = format!(
        "missing {} required {kind} argument{plural}: {listed}",
        missing.len()
    );
    let mut problem = tell(message, &call.func.span)?;
    problem.hint = Some(format!("pass `{}` too", missing.join("` and `")));
    Some(problem)
}
