//! Python that the language leaves out, found before anything of a function is compiled.
//!
//! The reference turns a whole function into its own syntax tree first, so syntax that it does not know is reported
//! ahead of every other problem, also in code that would never be compiled. [`check`] walks in the same order.

use crate::error::unsupported;
use crate::{Outcome, Problem, Resolver};
use rushlight_syntax::tree::{
    BinaryOp, Comprehension, Constant, Def, DictItem, Expr, ExprKind, Param, ParamKind, Stmt,
    StmtKind, StringPart, UnaryOp,
};
use rushlight_syntax::{Diagnostic, ErrorKind, Span};

/// As [`check`], for a function of a file that is checked: statements are refused one by one when it is their turn.
pub(super) fn check_head(def: &Def) -> Outcome<()> {
    head(def, false)
}

/// Refuses what a statement has that the language does not, its bodies aside.
pub(super) fn check_alone(alone: &Stmt) -> Outcome<()> {
    match &alone.kind {
        StmtKind::If(branch) => expression(&branch.test),
        StmtKind::While(while_) if while_.orelse.is_empty() => expression(&while_.test),
        StmtKind::For(for_) if for_.orelse.is_empty() => {
            expression(&for_.target)?;
            expression(&for_.iter)
        }
        StmtKind::With(with) => with.items.iter().try_for_each(|item| {
            expression(&item.context)?;
            item.target.iter().try_for_each(expression)
        }),
        _ => statement(alone),
    }
}

/// Everything that a function has and the language does not, in the order of the text.
pub(crate) fn all(def: &Def) -> Vec<Problem> {
    let mut problems: Vec<Problem> = check_head(def).err().into_iter().collect();
    let mut pending: Vec<&Stmt> = def.body.iter().rev().collect();
    while let Some(statement) = pending.pop() {
        problems.extend(check_alone(statement).err());
        pending.extend(bodies_of(statement).into_iter().flatten().rev());
    }
    problems
}

/// Refuses an annotation of an attribute outside of `__init__`.
pub(super) fn annotated_attributes(def: &Def) -> Outcome<()> {
    let method = &*def.name.name;
    let Some(own) = def.params.0.first().filter(|_| method != "__init__") else {
        return Ok(());
    };
    let mut pending: Vec<&Stmt> = def.body.iter().rev().collect();
    while let Some(statement) = pending.pop() {
        if let StmtKind::AnnAssign {
            target, annotation, ..
        } = &statement.kind
            && let ExprKind::Attribute { value, .. } = &target.kind
            && matches!(&value.kind, ExprKind::Name(name) if **name == *own.name.name)
        {
            let message = format!(
                "Type annotations on instance attributes must be declared in __init__, not '{method}': SourceRange at"
            );
            let diagnostic = Diagnostic::new("assignment-target", ErrorKind::Value, message);
            return Err(Box::new(diagnostic.at(&target.span.join(&annotation.span))));
        }
        pending.extend(bodies_of(statement).into_iter().flatten().rev());
    }
    Ok(())
}

/// The bodies of a statement.
fn bodies_of(statement: &Stmt) -> [&[Stmt]; 2] {
    match &statement.kind {
        StmtKind::If(branch) => [&branch.body, &branch.orelse],
        StmtKind::While(while_) => [&while_.body, &[]],
        StmtKind::For(for_) => [&for_.body, &[]],
        StmtKind::With(with) => [&with.body, &[]],
        _ => [&[], &[]],
    }
}

/// Refuses the first construct of a function that the language does not have. Functions that may hold others come from
/// archives, which nobody has written by hand; what is wrong in them shows where it is compiled.
pub(super) fn check(def: &Def, resolver: Option<&dyn Resolver>) -> Outcome<()> {
    head(def, resolver.is_some_and(|r| r.has_keyword_defaults()))?;
    match resolver.is_some_and(|r| r.has_local_functions()) {
        true => Ok(()),
        false => statements(&def.body),
    }
}

fn head(def: &Def, has_keyword_defaults: bool) -> Outcome<()> {
    if def.is_async {
        let message = format!(
            "Expected a single top-level function: {}:{}",
            def.span.source().name(),
            def.span.line()
        );
        return Err(without_place(ErrorKind::Runtime, message, &def.name.span));
    }
    parameters(def, has_keyword_defaults)
}

const VARIABLE_ARGUMENTS: &str = "Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults";

fn parameters(def: &Def, has_keyword_defaults: bool) -> Outcome<()> {
    // `**kwargs` are refused before `*args`.
    let by_name = |p: &&Param| p.kind == ParamKind::VarKeywords;
    let (last, others): (Vec<_>, Vec<_>) = def.params.0.iter().partition(by_name);
    for param in last.into_iter().chain(others) {
        match param.kind {
            ParamKind::VarArgs | ParamKind::VarKeywords => {
                let name = &param.name.span;
                let span = name
                    .source()
                    .span(name.start().saturating_sub(1)..name.end());
                return Err(unsupported(VARIABLE_ARGUMENTS, &span));
            }
            ParamKind::KeywordOnly if !has_keyword_defaults => {
                if let Some(default) = &param.default {
                    return Err(unsupported(VARIABLE_ARGUMENTS, &default.span));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn statements(body: &[Stmt]) -> Outcome<()> {
    body.iter().try_for_each(statement)
}

/// Statements that do not exist, by what the message calls them and the keyword that it underlines.
fn missing_statement(statement: &Stmt) -> Option<(&'static str, u32)> {
    Some(match &statement.kind {
        StmtKind::Def(def) if def.is_async => ("async function definitions", 9),
        StmtKind::Def(_) => ("function definitions", 3),
        StmtKind::Class(_) => ("class definitions", 5),
        StmtKind::Global(_) => ("global variables", 6),
        StmtKind::Nonlocal(_) => ("nonlocal variables", 8),
        StmtKind::Try(_) => ("try blocks", 3),
        StmtKind::Import(_) => ("import statements", 6),
        StmtKind::ImportFrom(_) => ("import statements", 4),
        StmtKind::Match { .. } => ("Match", 1),
        StmtKind::TypeAlias { .. } => ("TypeAlias", 1),
        StmtKind::AnnAssign { value: None, .. } => {
            ("annotated assignments without assigned value", 1)
        }
        _ => return None,
    })
}

fn statement(statement: &Stmt) -> Outcome<()> {
    let span = &statement.span;
    if let Some((what, keyword)) = missing_statement(statement) {
        return Err(missing(what, &span.head(keyword)));
    }
    match &statement.kind {
        StmtKind::Expr(e) | StmtKind::Return(Some(e)) => expression(e),
        StmtKind::Delete(targets) => expressions(targets),
        StmtKind::Assign(assign) => {
            expression(&assign.value)?;
            expressions(&assign.targets)
        }
        StmtKind::AnnAssign { target, value, .. } => {
            value.iter().try_for_each(expression)?;
            expression(target)
        }
        StmtKind::AugAssign { target, op, value } => {
            expression(target)?;
            expression(value)?;
            augmented(*op, value)
        }
        StmtKind::For(for_) => {
            expression(&for_.target)?;
            expression(&for_.iter)?;
            statements(&for_.body)?;
            if for_.orelse.is_empty() {
                return Ok(());
            }
            let message = "else branches of for loops aren't supported";
            Err(unsupported(message, &span.head(3)))
        }
        StmtKind::While(while_) if !while_.orelse.is_empty() => Err(without_place(
            ErrorKind::Type,
            "__init__(): incompatible constructor arguments. The following argument types are supported:\n    1. torch._C.ErrorReport(arg0: torch._C._jit_tree_views.SourceRange)\n\nInvoked with: None",
            &span.head(5),
        )),
        StmtKind::While(while_) => {
            expression(&while_.test)?;
            statements(&while_.body)
        }
        StmtKind::If(branch) => {
            expression(&branch.test)?;
            statements(&branch.body)?;
            statements(&branch.orelse)
        }
        StmtKind::With(with) => {
            for item in &with.items {
                expression(&item.context)?;
                item.target.iter().try_for_each(expression)?;
            }
            statements(&with.body)
        }
        StmtKind::Raise {
            exception: None, ..
        } => Err(without_place(
            ErrorKind::Attribute,
            "'NoneType' object has no attribute 'lineno'",
            &span.head(5),
        )),
        StmtKind::Raise {
            exception: Some(e), ..
        } => expression(e),
        StmtKind::Assert { test, message } => {
            expression(test)?;
            message.iter().try_for_each(expression)
        }
        _ => Ok(()),
    }
}

/// `//=` and `@=` do not exist; the mark is the `=` and the character before it.
fn augmented(op: BinaryOp, value: &Expr) -> Outcome<()> {
    let name = match op {
        BinaryOp::FloorDiv => "FloorDiv",
        BinaryOp::MatMul => "MatMult",
        _ => return Ok(()),
    };
    let source = value.span.source();
    let text = source.text();
    let before = text.get(..value.span.start() as usize).unwrap_or("");
    let equals = before.rfind('=').unwrap_or(before.len()) as u32;
    let span = source.span(equals.saturating_sub(1)..equals + 1);
    let message = format!("unsupported kind of augmented assignment: {name}");
    Err(unsupported(message, &span))
}

fn expressions(all: &[Expr]) -> Outcome<()> {
    all.iter().try_for_each(expression)
}

fn expression(expr: &Expr) -> Outcome<()> {
    let span = &expr.span;
    match &expr.kind {
        ExprKind::Lambda(_)
        | ExprKind::Set(_)
        | ExprKind::SetComp { .. }
        | ExprKind::Await(_)
        | ExprKind::Yield(_)
        | ExprKind::YieldFrom(_)
        | ExprKind::NamedExpr { .. } => Err(missing(expr.node_name(), &span.head(1))),
        ExprKind::Constant(Constant::Bytes(_)) => Err(Box::new(
            Diagnostic::new(
                "unknown-constant",
                ErrorKind::Frontend,
                "Unknown Constant expression type",
            )
            .at(span),
        )),
        ExprKind::JoinedStr(parts) => joined(parts, span),
        ExprKind::Binary { left, right, .. } => {
            expression(left)?;
            expression(right)
        }
        ExprKind::Unary {
            op: UnaryOp::Plus, ..
        } => Err(without_place(
            ErrorKind::Attribute,
            "'UnaryOp' object has no attribute 'range'",
            &expr.span,
        )),
        ExprKind::Unary { operand, .. } => expression(operand),
        ExprKind::Bool { values, .. } => expressions(values),
        ExprKind::Compare { left, rest } => {
            expression(left)?;
            rest.iter().try_for_each(|(_, e)| expression(e))
        }
        ExprKind::Call(call) => {
            expression(&call.func)?;
            expressions(&call.args)?;
            for keyword in &call.keywords {
                if keyword.name.is_none() {
                    let message = "keyword-arg expansion is not supported";
                    return Err(unsupported(message, &keyword.value.span));
                }
                expression(&keyword.value)?;
            }
            Ok(())
        }
        ExprKind::Attribute { value, .. } => expression(value),
        ExprKind::Subscript { value, index } => {
            expression(value)?;
            expression(index)
        }
        ExprKind::Slice { lower, upper, step } => [lower, upper, step]
            .into_iter()
            .flatten()
            .try_for_each(|e| expression(e)),
        ExprKind::List(elements) | ExprKind::Tuple { elements, .. } => expressions(elements),
        ExprKind::Dict(items) => dict(items, span),
        ExprKind::ListComp {
            element,
            generators,
        }
        | ExprKind::Generator {
            element,
            generators,
        } => {
            comprehension(generators, span)?;
            expression(element)
        }
        ExprKind::DictComp {
            key,
            value,
            generators,
        } => {
            comprehension(generators, span)?;
            key.iter().try_for_each(|e| expression(e))?;
            expression(value)
        }
        ExprKind::IfExp { test, body, orelse } => {
            expression(test)?;
            expression(body)?;
            expression(orelse)
        }
        ExprKind::Starred(inner) => expression(inner),
        ExprKind::Name(_)
        | ExprKind::Constant(_)
        | ExprKind::TemplateStr(_)
        | ExprKind::Invalid => Ok(()),
    }
}

fn joined(parts: &[StringPart], span: &Span) -> Outcome<()> {
    for part in parts {
        let StringPart::Value {
            value,
            conversion,
            spec,
            debug_text,
            ..
        } = part
        else {
            continue;
        };
        if conversion.is_some() || debug_text.is_some() {
            let message = "Don't support conversion in JoinedStr";
            return Err(unsupported(message, &span.head(1)));
        }
        if spec.is_some() {
            let message = "Don't support formatting in JoinedStr";
            return Err(unsupported(message, &span.head(1)));
        }
        expression(value)?;
    }
    Ok(())
}

fn dict(items: &[DictItem], span: &Span) -> Outcome<()> {
    for item in items {
        let Some(key) = &item.key else {
            let message = "Dict expansion (e.g. `{**dict}`) is not supported";
            return Err(unsupported(message, &span.head(1)));
        };
        expression(key)?;
    }
    items.iter().try_for_each(|item| expression(&item.value))
}

/// Comprehensions have one generator and no condition. The message underlines nothing.
fn comprehension(generators: &[Comprehension], span: &Span) -> Outcome<()> {
    let [generator] = generators else {
        let message = "Only a single generator is currently supported";
        return Err(unsupported(message, &span.head(0)));
    };
    if !generator.conditions.is_empty() {
        let message = "Comprehension ifs are not supported yet";
        return Err(unsupported(message, &span.head(0)));
    }
    expression(&generator.target)?;
    expression(&generator.iter)
}

fn missing(what: &str, span: &Span) -> Problem {
    crate::error::unsupported_node(what, span)
}

/// A problem that the reference reports without a place.
fn without_place(kind: ErrorKind, message: impl Into<String>, about: &Span) -> Problem {
    Box::new(Diagnostic::new("refused", kind, message).about(about))
}
