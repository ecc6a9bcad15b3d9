//! `return`, `break`, `continue`, `raise`, `assert`.

use crate::error::problem;
use crate::script::{Emitter, convert};
use crate::sugared::exception::{ExceptionClass, ExceptionInstance};
use crate::{Outcome, Sugared};
use rushlight_ir::{Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_syntax::tree::Expr;
use rushlight_types::{Type, Value, unify};

impl Emitter<'_> {
    pub(super) fn return_statement(&mut self, value: Option<&Expr>, span: &Span) -> Outcome<()> {
        let declared = self.function.declared_return.clone();
        let value = match value {
            Some(expr) => self
                .expression(expr, declared.as_ref())?
                .as_value(self, &expr.span)?,
            None => self.none(span),
        };
        self.emit_return(value, span)
    }

    /// The return at the end of a body that does not end in one.
    pub(crate) fn implicit_return(&mut self, span: &Span) -> Outcome<()> {
        let none = self.none(span);
        if let Some(declared) = &self.function.declared_return
            && *declared != Type::None
        {
            return Err(problem(
                    "missing-return",
                    "Function was not annotated as having type None, but does not return along all paths".to_string(),
                    span,
                ));
        }
        self.emit_return(none, span)
    }

    /// A value in which the `[]` of tuple displays are lists of what is declared.
    fn with_lists(&mut self, value: ValueId, declared: &Type, span: &Span) -> ValueId {
        let inner = match declared {
            Type::Optional(inner) => inner,
            other => other,
        };
        let ty = self.ty(value).clone();
        match (&ty, inner) {
            (_, Type::List(element)) if self.is_empty_list(value) && !ty.is_subtype_of(inner) => {
                self.list(element.runtime(), &[], span)
            }
            (Type::Tuple(given), Type::Tuple(parts))
                if given.name.is_none() && given.elements.len() == parts.elements.len() =>
            {
                let node = self.graph.value(value).node();
                if !self.graph.node(node).is(Prim::TupleConstruct) {
                    return value;
                }
                let items = self.graph.node(node).inputs().to_vec();
                let pairs = items.iter().zip(&parts.elements);
                let filled: Vec<ValueId> = pairs
                    .map(|(item, ty)| self.with_lists(*item, ty, span))
                    .collect();
                match filled == items {
                    true => value,
                    false => self.tuple(&filled, span),
                }
            }
            _ => value,
        }
    }

    /// A value as one of the declared type, item by item for tuples: tensors and bools become numbers.
    fn as_returned(&mut self, value: ValueId, declared: &Type, span: &Span) -> ValueId {
        let value = self.with_lists(value, declared, span);
        let actual = self.ty(value);
        let numbers =
            actual.is_tensor() || matches!(actual, Type::Bool | Type::Number | Type::Tuple(_));
        match convert::plan(actual, declared, numbers) {
            Some(conversion) => convert::apply(self, value, &conversion, span),
            None => value,
        }
    }

    fn emit_return(&mut self, value: ValueId, span: &Span) -> Outcome<()> {
        let mut value = value;
        let actual = self.ty(value).clone();
        match self.function.declared_return.clone() {
            Some(declared) => {
                if declared != Type::Any || actual == Type::None {
                    value = self.as_returned(value, &declared, span);
                }
                if !self.ty(value).is_subtype_of(&declared) {
                    return Err(problem(
                        "return-type",
                        format!(
                            "Return value was annotated as having type {} but is actually of type {}{}",
                            declared.message_form(),
                            convert::in_part(&actual, &declared).message_form(),
                            self.inferred_mark(value)
                        ),
                        span,
                    ));
                }
                if declared == Type::Any && *self.ty(value) != Type::Any {
                    // What one path gives must be what all others give.
                    value = self.cast(value, Type::Any, span);
                }
            }
            None => {
                let mark = self.inferred_mark(value);
                self.function.last_returned_mark = mark;
                let merged = match &self.function.returned {
                    None => {
                        self.function.returned_mark = mark;
                        Some(actual.clone())
                    }
                    Some(before) => unify(before, &actual, false),
                };
                match merged {
                    Some(ty) => self.function.returned = Some(ty),
                    None => {
                        let before = self.function.returned.clone().unwrap_or(Type::None);
                        return Err(problem(
                            "return-type",
                            format!(
                                "Previous return statement returned a value of type {}{} but this return statement returns a value of type {}{mark}",
                                before.message_form(),
                                self.function.returned_mark,
                                actual.message_form()
                            ),
                            span,
                        ));
                    }
                }
                self.function.return_span = Some(span.clone());
            }
        }
        self.node(Prim::ReturnStmt, &[value], &[], span);
        self.exited = true;
        self.left_loop = false;
        Ok(())
    }

    pub(super) fn break_statement(&mut self, span: &Span) -> Outcome<()> {
        self.leave_loop(Prim::BreakStmt, "break", span)
    }

    pub(super) fn continue_statement(&mut self, span: &Span) -> Outcome<()> {
        self.leave_loop(Prim::ContinueStmt, "continue", span)
    }

    fn leave_loop(&mut self, statement: Prim, word: &str, span: &Span) -> Outcome<()> {
        if self.loops == 0 {
            let message = format!("SyntaxError: '{word}' outside loop");
            return Err(problem("syntax", message, span));
        }
        self.node(statement, &[], &[], span);
        self.exited = true;
        self.left_loop = true;
        Ok(())
    }

    pub(super) fn raise_statement(&mut self, exception: Option<&Expr>, span: &Span) -> Outcome<()> {
        let Some(expr) = exception else {
            return Err(problem(
                "raise",
                "raise without an exception is not supported",
                span,
            ));
        };
        let sugared = self.expression(expr, None)?;
        let (message, class) = match &sugared {
            Sugared::Special(thing) => {
                if let Some(instance) = thing.as_any().downcast_ref::<ExceptionInstance>() {
                    (instance.message, instance.qualified.clone())
                } else if thing.as_any().is::<ExceptionClass>() {
                    // A class raised without a call has no message, and its name is lost.
                    (self.constant("", span), None)
                } else {
                    return Err(not_an_exception(span));
                }
            }
            Sugared::Value(_) => return Err(not_an_exception(span)),
        };
        let class = match class {
            Some(name) => self.constant(name.as_str(), &expr.span),
            None => self.unplaced_constant(Value::None),
        };
        let message = match self.ty(message) {
            Type::Str => message,
            _ => {
                let text = self.builtin("aten::str", &[message], &expr.span)?;
                self.without_place(text)
            }
        };
        self.raise(message, class, span)?;
        self.exited = true;
        self.left_loop = false;
        Ok(())
    }

    fn raise(&mut self, message: ValueId, class: ValueId, span: &Span) -> Outcome<()> {
        let Some(op) = self.table().overloads("prim::RaiseException").first() else {
            return Err(problem(
                "unknown-builtin",
                "Unknown builtin op: prim::RaiseException.",
                span,
            ));
        };
        self.node(*op, &[message, class], &[], span);
        // Its result is an empty tuple.
        self.tuple(&[], span);
        Ok(())
    }

    pub(crate) fn assert_statement(
        &mut self,
        test: &Expr,
        message: Option<&Expr>,
        span: &Span,
    ) -> Outcome<()> {
        let condition = self.condition(test)?;
        if condition.known == Some(true) {
            self.refine(&condition.when_true, span);
            return Ok(());
        }
        if condition.known == Some(false) {
            // What follows is never reached.
            self.fail_assertion(message, span)?;
            self.exited = true;
            self.left_loop = false;
            return Ok(());
        }
        let holds = |e: &mut Self| e.refine(&condition.when_true, &test.span);
        self.unless(condition.value, span, holds, |e| {
            e.refine(&condition.when_false, &test.span);
            e.fail_assertion(message, span)
        })
    }

    /// A branch that leaves where a condition does not hold.
    fn unless(
        &mut self,
        condition: ValueId,
        span: &Span,
        holds: impl FnOnce(&mut Self),
        fails: impl FnOnce(&mut Self) -> Outcome<()>,
    ) -> Outcome<()> {
        let node = self.node(Prim::If, &[condition], &[], span);
        let blocks = (self.graph.add_block(node), self.graph.add_block(node));
        let holds = self.branch(blocks.0, |e| {
            holds(e);
            Ok(())
        })?;
        let fails = self.branch(blocks.1, |e| {
            fails(e)?;
            e.exited = true;
            e.left_loop = false;
            Ok(())
        })?;
        self.merge(node, &holds, &fails, span)
    }

    /// Fails with a message where a condition does not hold; both have been computed.
    pub(crate) fn assert_values(
        &mut self,
        condition: ValueId,
        message: ValueId,
        span: &Span,
    ) -> Outcome<()> {
        let found = self.ty(condition).clone();
        let condition = match found {
            Type::Bool => condition,
            ref ty if ty.is_tensor() => self.builtin("aten::Bool", &[condition], span)?,
            other => {
                let row = |wanted: &str| {
                    format!(
                        "  \n  _assert({wanted} condition, str message) -> NoneType:\n  Expected a value of type '{wanted}' for argument 'condition' but instead found type '{other}'.\n"
                    )
                };
                let message = format!(
                    "\nArguments for call are not valid.\nThe following variants are available:\n{}{}\nThe original call is",
                    row("bool"),
                    row("Tensor")
                );
                return Err(problem("no-matching-overload", message, span));
            }
        };
        self.unless(
            condition,
            span,
            |_| {},
            |e| e.raise_assertion(message, span),
        )
    }

    /// Raises what a failed assertion raises.
    fn fail_assertion(&mut self, message: Option<&Expr>, span: &Span) -> Outcome<()> {
        let text = match message {
            Some(expr) => {
                let value = self.expression(expr, None)?.as_value(self, &expr.span)?;
                match self.ty(value) {
                    Type::Str => value,
                    _ => self.builtin("aten::str", &[value], span)?,
                }
            }
            None => self.constant("", span),
        };
        self.raise_assertion(text, span)
    }

    fn raise_assertion(&mut self, text: ValueId, span: &Span) -> Outcome<()> {
        let prefix = self.constant("AssertionError: ", span);
        let text = self.builtin("aten::add", &[prefix, text], span)?;
        let class = self.unplaced_constant(Value::None);
        self.raise(text, class, span)
    }
}

fn not_an_exception(span: &Span) -> crate::Problem {
    problem("raise", "exceptions must derive from BaseException", span)
}
