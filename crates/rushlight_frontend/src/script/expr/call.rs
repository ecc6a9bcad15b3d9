//! Calls and their arguments.

use crate::error::problem;
use crate::script::{Arguments, Emitter, Named};
use crate::{Outcome, Sugared};
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
            thing.prepare(self, at)?;
        }
        let arguments = self.arguments(&call.args, &call.keywords)?;
        callee.call(self, &arguments, at)
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
