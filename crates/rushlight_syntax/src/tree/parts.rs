//! Going through trees: the parts of expressions and statements, and all that lies below them.
//!
//! Nothing here recurses, so any tree can be walked with any stack.

use std::sync::Arc;

use super::{Comprehension, Expr, ExprKind, Stmt, StmtKind, StringPart};

impl Expr {
    /// The expressions directly inside, in the order of the text but for comprehensions, whose element comes last.
    pub fn parts(&self) -> Vec<&Expr> {
        fn all<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<&'e Expr> {
            exprs.into_iter().collect()
        }
        match &self.kind {
            ExprKind::Name(_) | ExprKind::Constant(_) | ExprKind::Invalid => Vec::new(),
            ExprKind::JoinedStr(parts) | ExprKind::TemplateStr(parts) => values_of(parts),
            ExprKind::Binary { left, right, .. } => vec![left, right],
            ExprKind::Unary { operand, .. } => vec![operand],
            ExprKind::Bool { values, .. } => all(values),
            ExprKind::Compare { left, rest } => {
                let rest = rest.iter().map(|(_, right)| right);
                all(std::iter::once(&**left).chain(rest))
            }
            ExprKind::Call(call) => {
                let keywords = call.keywords.iter().map(|keyword| &keyword.value);
                all(std::iter::once(&call.func)
                    .chain(&call.args)
                    .chain(keywords))
            }
            ExprKind::Attribute { value, .. } => vec![value],
            ExprKind::Subscript { value, index } => vec![value, index],
            ExprKind::Slice { lower, upper, step } => {
                let bounds = [lower, upper, step].into_iter().flatten();
                bounds.map(|bound| &**bound).collect()
            }
            ExprKind::List(elements)
            | ExprKind::Tuple { elements, .. }
            | ExprKind::Set(elements) => all(elements),
            ExprKind::Dict(items) => all(items
                .iter()
                .flat_map(|item| item.key.iter().chain([&item.value]))),
            ExprKind::ListComp {
                element,
                generators,
            }
            | ExprKind::SetComp {
                element,
                generators,
            }
            | ExprKind::Generator {
                element,
                generators,
            } => generated(generators, [Some(&**element), None]),
            ExprKind::DictComp {
                key,
                value,
                generators,
            } => generated(generators, [key.as_deref(), Some(value)]),
            ExprKind::IfExp { test, body, orelse } => vec![body, test, orelse],
            ExprKind::Lambda(lambda) => vec![&lambda.body],
            ExprKind::Starred(inner) | ExprKind::Await(inner) | ExprKind::YieldFrom(inner) => {
                vec![inner]
            }
            ExprKind::Yield(inner) => inner.iter().map(|inner| &**inner).collect(),
            ExprKind::NamedExpr { target, value } => vec![target, value],
        }
    }

    /// Visits this expression and all below it, each before its parts.
    pub fn walk<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        let mut pending = vec![self];
        while let Some(expr) = pending.pop() {
            visit(expr);
            pending.extend(expr.parts().into_iter().rev());
        }
    }

    /// The places of a target: itself, or those of the elements of a tuple or list.
    pub fn places(&self) -> Vec<&Expr> {
        let mut pending = vec![self];
        let mut out = Vec::new();
        while let Some(target) = pending.pop() {
            match &target.kind {
                ExprKind::Tuple { .. } | ExprKind::List(_) | ExprKind::Starred(_) => {
                    pending.extend(target.parts().into_iter().rev());
                }
                _ => out.push(target),
            }
        }
        out
    }

    /// What a comprehension goes through.
    pub fn generators(&self) -> &[Comprehension] {
        match &self.kind {
            ExprKind::ListComp { generators, .. }
            | ExprKind::SetComp { generators, .. }
            | ExprKind::DictComp { generators, .. }
            | ExprKind::Generator { generators, .. } => generators,
            _ => &[],
        }
    }

    /// The name that the expression is.
    pub fn as_name(&self) -> Option<&Arc<str>> {
        match &self.kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// The names that `:=` binds anywhere in the expression.
    pub fn named(&self) -> Vec<&Arc<str>> {
        let mut out = Vec::new();
        self.walk(&mut |part| {
            if let ExprKind::NamedExpr { target, .. } = &part.kind {
                out.extend(target.as_name());
            }
        });
        out
    }
}

fn values_of(parts: &[StringPart]) -> Vec<&Expr> {
    let mut pending: Vec<&StringPart> = parts.iter().rev().collect();
    let mut out = Vec::new();
    while let Some(part) = pending.pop() {
        if let StringPart::Value { value, spec, .. } = part {
            out.push(value);
            pending.extend(spec.iter().flatten().rev());
        }
    }
    out
}

fn generated<'e>(generators: &'e [Comprehension], last: [Option<&'e Expr>; 2]) -> Vec<&'e Expr> {
    let parts = generators.iter().flat_map(|generator| {
        [&generator.iter, &generator.target]
            .into_iter()
            .chain(&generator.conditions)
    });
    parts.chain(last.into_iter().flatten()).collect()
}

impl Stmt {
    /// The expressions of the statement itself, without those of its bodies: tests, values, targets, annotations.
    pub fn expressions(&self) -> Vec<&Expr> {
        match &self.kind {
            StmtKind::Return(value) => value.iter().collect(),
            StmtKind::Delete(targets) => targets.iter().collect(),
            StmtKind::Assign(assign) => assign
                .targets
                .iter()
                .chain([&assign.value])
                .chain(&assign.type_comment)
                .collect(),
            StmtKind::AugAssign { target, value, .. } => vec![target, value],
            StmtKind::AnnAssign {
                target,
                annotation,
                value,
            } => [target, annotation].into_iter().chain(value).collect(),
            StmtKind::For(for_) => vec![&for_.target, &for_.iter],
            StmtKind::While(while_) => vec![&while_.test],
            StmtKind::If(branch) => vec![&branch.test],
            StmtKind::With(with) => {
                let items = with.items.iter();
                items
                    .flat_map(|item| std::iter::once(&item.context).chain(&item.target))
                    .collect()
            }
            StmtKind::Match { subject, .. } => vec![subject],
            StmtKind::Raise { exception, cause } => exception.iter().chain(cause).collect(),
            StmtKind::Assert { test, message } => std::iter::once(test).chain(message).collect(),
            StmtKind::TypeAlias { name, value, .. } => vec![name, value],
            StmtKind::Expr(expr) => vec![expr],
            StmtKind::Def(def) => {
                let params = def.params.0.iter();
                let params = params
                    .flat_map(|p| p.annotation.iter().chain(&p.type_comment).chain(&p.default));
                def.decorators
                    .iter()
                    .chain(params)
                    .chain(&def.returns)
                    .collect()
            }
            StmtKind::Class(class) => class.decorators.iter().chain(&class.bases).collect(),
            StmtKind::Try(_)
            | StmtKind::Import(_)
            | StmtKind::ImportFrom(_)
            | StmtKind::Global(_)
            | StmtKind::Nonlocal(_)
            | StmtKind::Pass
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Invalid => Vec::new(),
        }
    }

    /// What the statement assigns to, its bodies aside.
    pub fn targets(&self) -> Vec<&Expr> {
        match &self.kind {
            StmtKind::Assign(assign) => assign.targets.iter().collect(),
            StmtKind::AugAssign { target, .. } | StmtKind::AnnAssign { target, .. } => vec![target],
            StmtKind::For(for_) => vec![&for_.target],
            StmtKind::With(with) => {
                let targets = with.items.iter().map(|item| &item.target);
                targets.flatten().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The statements directly inside, in the order of the text.
    pub fn inner(&self) -> Vec<&Stmt> {
        match &self.kind {
            StmtKind::Def(def) => def.body.iter().collect(),
            StmtKind::Class(class) => class.body.iter().collect(),
            StmtKind::For(for_) => for_.body.iter().chain(&for_.orelse).collect(),
            StmtKind::While(while_) => while_.body.iter().chain(&while_.orelse).collect(),
            StmtKind::If(branch) => branch.body.iter().chain(&branch.orelse).collect(),
            StmtKind::With(with) => with.body.iter().collect(),
            StmtKind::Match { cases, .. } => cases.iter().flat_map(|case| &case.body).collect(),
            StmtKind::Try(node) => {
                let handlers = node.handlers.iter().flat_map(|handler| &handler.body);
                let body = node.body.iter().chain(handlers);
                body.chain(&node.orelse).chain(&node.finally).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Visits this statement and all inside it, each before its parts.
    pub fn walk<'s>(&'s self, visit: &mut dyn FnMut(&'s Stmt)) {
        let mut pending = vec![self];
        while let Some(statement) = pending.pop() {
            visit(statement);
            pending.extend(statement.inner().into_iter().rev());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tree::ExprKind;
    use crate::{Source, parse_module};

    #[test]
    fn all_names_are_met_in_the_order_of_the_text() {
        let text = "\
def f(a: A = b) -> C:
    for i in [c, {d: e}]:
        g = f\"{h!r:{j}}\" if (k := m) else n(o, p=q)[r:s]
    with t as u:
        return [v for w in x if y]
";
        let (module, problems) = parse_module(&Source::new("x.py", text));
        assert!(problems.is_empty());
        let mut names = String::new();
        for statement in &module.body {
            statement.walk(&mut |statement| {
                for expr in statement.expressions() {
                    expr.walk(&mut |expr| {
                        if let ExprKind::Name(name) = &expr.kind {
                            names.push_str(name);
                        }
                    });
                }
            });
        }
        assert_eq!(names, "AbCicdeghjkmnoqrstuxwyv");
    }
}
