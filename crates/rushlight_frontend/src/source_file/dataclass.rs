//! Dataclasses: the `__init__` and `__eq__` that Python makes of the fields of one.

use super::{SourceFile, classes::full_name};
use crate::Outcome;
use crate::error::unsupported;
use rushlight_syntax::tree::{ClassDef, Constant, Expr, ExprKind, Keyword, Stmt, StmtKind};
use rushlight_syntax::{Source, parse_function};

/// The methods of a dataclass that it does not write itself.
pub(super) fn methods(file: &SourceFile, class: &ClassDef) -> Outcome<Vec<Stmt>> {
    let mut compares = true;
    let is_dataclass = class.decorators.iter().any(|decorator| {
        let named = match &decorator.kind {
            ExprKind::Call(call) => {
                compares &= !call.keywords.iter().any(|k| is_false(k, "eq"));
                &call.func
            }
            _ => decorator,
        };
        full_name(file, named) == "dataclasses.dataclass"
    });
    let defines = |name: &str| {
        class.body.iter().any(|statement| match &statement.kind {
            StmtKind::Def(def) => &*def.name.name == name,
            _ => false,
        })
    };
    if !is_dataclass {
        return Ok(Vec::new());
    }
    let (mut header, mut body) = ("def __init__(self".to_string(), String::new());
    let mut equal = format!("def __eq__(self, other: {}) -> bool:\n", class.name.name);
    for statement in &class.body {
        if let StmtKind::AnnAssign {
            target,
            annotation,
            value,
        } = &statement.kind
            && let Some(name) = target.as_name()
            && !is_of_class(file, annotation)
        {
            let default = match value {
                Some(value) => default(file, value)?,
                None => Default::None,
            };
            let text = annotation.span.text();
            // None is only itself.
            equal.push_str(&match text.contains("Optional") || text.contains("None") {
                true => format!(
                    "    a = self.{name}\n    b = other.{name}\n    if a is not None and b is not None:\n        \
                     if a != b: return False\n    elif (a is None) != (b is None):\n        return False\n"
                ),
                false => format!("    if self.{name} != other.{name}: return False\n"),
            });
            match default {
                Default::NoParameter => continue,
                Default::None => header.push_str(&format!(", {name}: {text}")),
                Default::Is(value) => {
                    let value = value.span.text();
                    header.push_str(&format!(", {name}: {text} = {value}"));
                }
            }
            body.push_str(&format!("    self.{name} = {name}\n"));
        }
    }
    if defines("__post_init__") {
        body.push_str("    self.__post_init__()\n");
    }
    if body.is_empty() {
        body.push_str("    pass\n");
    }
    let written = [
        (format!("{header}) -> None:\n{body}"), !defines("__init__")),
        (equal + "    return True\n", compares && !defines("__eq__")),
    ];
    let mut out = Vec::new();
    for (text, _) in written.into_iter().filter(|(_, is_made)| *is_made) {
        // A text of its own, whose places are none of the file's.
        let name = format!("{} of {}", class.name.name, class.span.source().name());
        let (parsed, problems) = parse_function(&Source::new(name, text));
        if let Some(first) = problems.into_iter().next() {
            return Err(Box::new(first));
        }
        out.extend(parsed);
    }
    Ok(out)
}

fn is_false(keyword: &Keyword, name: &str) -> bool {
    let is_named = keyword.name.as_ref().is_some_and(|n| *n.name == *name);
    is_named
        && matches!(
            keyword.value.kind,
            ExprKind::Constant(Constant::Bool(false))
        )
}

/// What a field is unless it is given.
enum Default<'e> {
    None,
    Is(&'e Expr),
    /// It is not given at all.
    NoParameter,
}

fn default<'e>(file: &SourceFile, value: &'e Expr) -> Outcome<Default<'e>> {
    let ExprKind::Call(call) = &value.kind else {
        return Ok(Default::Is(value));
    };
    if full_name(file, &call.func) != "dataclasses.field" {
        return Ok(Default::Is(value));
    }
    let mut found = Default::None;
    for keyword in &call.keywords {
        match keyword.name.as_ref().map(|name| &*name.name) {
            Some("default_factory") => {
                let told =
                    "Default factory initializers are not supported in TorchScript dataclasses";
                return Err(unsupported(told, &value.span));
            }
            Some("init") if is_false(keyword, "init") => return Ok(Default::NoParameter),
            Some("default") => found = Default::Is(&keyword.value),
            _ => {}
        }
    }
    Ok(found)
}

/// `ClassVar[int]`, which no instance has.
fn is_of_class(file: &SourceFile, annotation: &Expr) -> bool {
    let named = match &annotation.kind {
        ExprKind::Subscript { value, .. } => value,
        _ => annotation,
    };
    full_name(file, named) == "typing.ClassVar"
}
