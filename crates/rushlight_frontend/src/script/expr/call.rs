//! Calls and their arguments.

use crate::error::problem;
use crate::script::{Arguments, Emitter, Named};
use crate::sugared::method::BoundBuiltin;
use crate::{Outcome, Sugared};
use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_syntax::tree::{Call, Expr, ExprKind, Keyword};
use rushlight_types::Type;

impl Emitter<'_> {
    pub(super) fn call_expression(
        &mut self,
        call: &Call,
        hint: Option<&Type>,
        span: &Span,
    ) -> Outcome<Sugared> {
        if let Some(known) = self.archive_form(call, hint, span)? {
            return Ok(known);
        }
        let callee = self.sugared(&call.func, None)?;
        // Problems of a call, while compiling and while running, are reported at what is called.
        let at = &call.func.span;
        if let Some(form) = callee.form() {
            return form(self, call, hint, at);
        }
        if let Sugared::Special(thing) = &callee {
            if let Some(method) = thing.as_any().downcast_ref::<BoundBuiltin>()
                && method.operator.ends_with("::tolist")
            {
                // The reference emits the tensor once for the method and once for its elements.
                let tensor = match &call.func.kind {
                    ExprKind::Attribute { value, .. } => {
                        self.expression(value, None)?.as_value(self, &value.span)?
                    }
                    _ => method.receiver,
                };
                return self.tolist(tensor, hint, span);
            }
            thing.prepare(self, at)?;
        }
        let arguments = self.arguments(&call.args, &call.keywords)?;
        callee.call(self, &arguments, at)
    }

    /// `tensor.tolist()`: the place says of what type the result is.
    fn tolist(&mut self, tensor: ValueId, hint: Option<&Type>, span: &Span) -> Outcome<Sugared> {
        let Some(wanted) = hint else {
            return Err(problem(
                "tolist",
                "Expected type hint for result of tolist()",
                span,
            ));
        };
        let (mut dim, mut element) = (0i64, wanted);
        while let Type::List(inner) = element {
            (dim, element) = (dim + 1, inner);
        }
        let kind = match element {
            Type::Int => 0i64,
            Type::Float => 1,
            Type::Bool => 2,
            Type::Complex => 3,
            other => {
                let message = format!(
                    "{other} is not one of the supported element types for tolist: int, float, complex, bool"
                );
                let mut diagnostic = problem("tolist", message, span);
                diagnostic.span = None;
                return Err(diagnostic);
            }
        };
        let Some(operator) = self.table().find("prim::tolist") else {
            return Err(problem(
                "unknown-builtin",
                "Unknown builtin op: prim::tolist.",
                span,
            ));
        };
        let dim = self.unplaced_constant(dim);
        let kind = self.unplaced_constant(kind);
        let out = self.value(operator, &[tensor, dim, kind], wanted.clone(), span);
        let node = self.graph.value(out).node();
        self.graph.set_span(node, None);
        Ok(Sugared::Value(out))
    }

    /// `annotate(T, x)` and the other bare forms of archive code, when nothing else has the name.
    fn archive_form(
        &mut self,
        call: &Call,
        hint: Option<&Type>,
        span: &Span,
    ) -> Outcome<Option<Sugared>> {
        let ExprKind::Name(name) = &call.func.kind else {
            return Ok(None);
        };
        if !self.resolver.has_bare_forms() {
            return Ok(None);
        }
        let Some((_, form)) = crate::sugared::forms::ARCHIVE
            .iter()
            .find(|(n, _)| *n == &**name)
        else {
            return Ok(None);
        };
        if self.name_opt(name, span)?.is_some() {
            return Ok(None);
        }
        form(self, call, hint, span).map(Some)
    }

    /// Evaluates the arguments of a call.
    pub fn arguments(&mut self, positional: &[Expr], keywords: &[Keyword]) -> Outcome<Arguments> {
        let mut out = Arguments::default();
        for argument in positional {
            if let ExprKind::Starred(inner) = &argument.kind {
                let value = self.sugared(inner, None)?;
                for part in value.as_parts(self, &argument.span)? {
                    out.positional.push((part, inner.span.clone()));
                }
                continue;
            }
            let value = self.expression(argument, None)?;
            out.positional.push((value, argument.span.clone()));
        }
        for keyword in keywords {
            let Some(name) = &keyword.name else {
                return Err(problem(
                    "not-supported",
                    "keyword-arg expansion is not supported",
                    &keyword.span,
                ));
            };
            let value = self.expression(&keyword.value, None)?;
            out.keywords.push(Named {
                name: name.name.clone(),
                value,
                span: keyword.value.span.clone(),
            });
        }
        Ok(out)
    }
}
