//! What a failed part of a statement has beside it.
//!
//! A statement ends with its first problem; the operands, arguments and elements behind the failed one have not been looked
//! at. Each of them is compiled for itself, and what is wrong with it is told, too. Left alone is what means something else
//! without its surroundings: what a condition decides about, what a comprehension binds, arguments that are no values.

use super::Outside;
use crate::Sugared;
use crate::script::Emitter;
use rushlight_syntax::tree::{Expr, ExprKind, Stmt, StmtKind};
use rushlight_syntax::{Diagnostic, Span};

/// Problems that only the place of an expression makes: it says of what type the result is.
const OF_THE_PLACE: &[&str] = &["tolist", "not-a-value"];

/// The forms whose arguments are values, by what messages call them.
const OF_VALUES: &[&str] = &[
    "print",
    "range",
    "zip",
    "enumerate",
    "__len__",
    "list",
    "dict",
    "TupleConstruct",
    "builtin",
];

impl Emitter<'_> {
    /// Tells what is wrong behind the failed part of a statement.
    pub(super) fn beside(&mut self, statement: &Stmt, problem: &Diagnostic, outside: &Outside) {
        // Targets are bound by what failed.
        let values: Vec<&Expr> = match &statement.kind {
            StmtKind::Assign(assign) => vec![&assign.value],
            StmtKind::AnnAssign { value, .. } => value.iter().collect(),
            StmtKind::For(for_) => vec![&for_.iter],
            StmtKind::With(with) => with.items.iter().map(|item| &item.context).collect(),
            StmtKind::Def(_) | StmtKind::Class(_) | StmtKind::Match { .. } => return,
            _ => statement.expressions(),
        };
        let mut told = vec![problem.message.clone()];
        let mut pending = behind(self, &values, problem);
        while let Some(expr) = pending.pop() {
            self.back_to(outside);
            let found = self.expression(expr, None);
            self.back_to(outside);
            let Err(problem) = found else { continue };
            pending.extend(behind(self, &[expr], &problem));
            // The same again within one statement is one mistake.
            if told.contains(&problem.message) || OF_THE_PLACE.contains(&problem.code) {
                continue;
            }
            told.push(problem.message.clone());
            self.compiler.note_problem(&problem);
        }
        self.back_to(outside);
    }
}

/// What stands behind the place of a problem within some expressions that are evaluated one after another, last first.
fn behind<'e>(emitter: &mut Emitter<'_>, all: &[&'e Expr], problem: &Diagnostic) -> Vec<&'e Expr> {
    let chain = problem.chain.iter().map(|from| &from.span);
    let Some((at, place)) = problem
        .span
        .iter()
        .chain(chain)
        .find_map(|place| Some((all.iter().position(|e| is_in(place, &e.span))?, place)))
    else {
        return Vec::new();
    };
    let mut out: Vec<&Expr> = all[at + 1..].iter().rev().copied().collect();
    let mut whole = all[at];
    while let Some(parts) = independent(emitter, whole) {
        let Some(at) = parts.iter().position(|part| is_in(place, &part.span)) else {
            break;
        };
        out.extend(parts[at + 1..].iter().rev());
        whole = parts[at];
    }
    out
}

pub(super) fn is_in(inner: &Span, outer: &Span) -> bool {
    let (small, large) = (inner.extent(), outer.extent());
    inner.source().is_of_file(outer.source())
        && large.start <= small.start
        && small.end <= large.end
}

/// The parts of an expression that mean the same where they stand alone.
fn independent<'e>(emitter: &mut Emitter<'_>, expr: &'e Expr) -> Option<Vec<&'e Expr>> {
    match &expr.kind {
        ExprKind::Binary { .. }
        | ExprKind::Unary { .. }
        | ExprKind::Compare { .. }
        | ExprKind::Attribute { .. }
        | ExprKind::List(_)
        | ExprKind::Tuple { .. }
        | ExprKind::Dict(_)
        | ExprKind::JoinedStr(_)
        | ExprKind::Starred(_) => Some(expr.parts()),
        ExprKind::Subscript { value, index } => match &index.kind {
            ExprKind::Slice { .. } => Some([vec![&**value], index.parts()].concat()),
            ExprKind::Tuple { .. } => Some(vec![value]),
            _ => Some(vec![value, index]),
        },
        ExprKind::Call(call) => {
            let takes_values = match emitter.sugared(&call.func, None) {
                Ok(Sugared::Special(thing)) => match thing.form() {
                    Some(_) => OF_VALUES.contains(&&*thing.describe()),
                    None => true,
                },
                _ => true,
            };
            takes_values.then(|| expr.parts())
        }
        _ => None,
    }
}
