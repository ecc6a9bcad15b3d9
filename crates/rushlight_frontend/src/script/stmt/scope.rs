//! `with` and `del`.

use crate::error::{problem, unsupported_node};
use crate::script::{Arguments, Emitter};
use crate::{Outcome, Sugared};
use rushlight_ir::{Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_syntax::tree::{Expr, ExprKind, With};
use rushlight_types::{Method, Schema, Type};
use std::sync::Arc;

impl Emitter<'_> {
    pub(super) fn with_statement(&mut self, with: &With, span: &Span) -> Outcome<()> {
        if with.is_async {
            return Err(unsupported_node("async with statements", span));
        }
        let mut entered = Vec::with_capacity(with.items.len());
        for item in &with.items {
            let object = self
                .expression(&item.context, None)?
                .as_value(self, &item.context.span)?;
            let result = self.context_manager(object, &item.context.span)?;
            let value = self.value(Prim::Enter, &[object], result, &item.context.span);
            let node = self.graph.value(value).node();
            self.graph.set_span(node, None);
            if let Some(target) = &item.target {
                self.assign_to(target, Sugared::Value(value), None, &target.span)?;
            }
            entered.push(object);
        }
        // The blocks keep apart what every way out of the body passes; variables are those of the function.
        let node = self.node(Prim::With, &[], &[], span);
        let (body, leave) = (self.graph.add_block(node), self.graph.add_block(node));
        let outer = std::mem::replace(&mut self.block, body);
        let result = self.statements(&with.body);
        self.block = outer;
        for object in entered.into_iter().rev() {
            let node = self.graph.create(Prim::Exit, &[object], &[Type::TENSOR]);
            self.graph.append(leave, node);
        }
        result
    }

    /// Checks that an object can be entered and left, and says what entering gives.
    fn context_manager(&mut self, object: ValueId, span: &Span) -> Outcome<Type> {
        let fail = |message: String| Err(problem("with", message, span));
        let Type::Class(class) = self.ty(object).clone() else {
            return fail("With item expression must return an object".to_string());
        };
        let (Some(enter), Some(exit)) = (class.method("__enter__"), class.method("__exit__"))
        else {
            return fail(
                "Object returned by with item expression does not define __enter__ and __exit__ methods"
                    .to_string(),
            );
        };
        let enter = self.method_schema(&enter, span)?;
        let exit = self.method_schema(&exit, span)?;
        let ([_], [result]) = (&enter.arguments[..], &enter.returns[..]) else {
            return fail("__enter__ must have only one argument and one return value".to_string());
        };
        if exit.arguments.len() != 4 {
            return fail("__exit__ must have four arguments".to_string());
        }
        if let Some(i) = (1..4).find(|&i| exit.arguments[i].ty != Type::Any) {
            return fail(format!(
                "argument {i} of __exit__ must have Any type; TorchScript does not currently support passing exception type, value, or traceback to the __exit__ function."
            ));
        }
        Ok(result.ty.clone())
    }

    /// The schema of a method, which is compiled first if it still waits.
    fn method_schema(&mut self, method: &Method, span: &Span) -> Outcome<Arc<Schema>> {
        match (self.unit().function(&method.qualified), &method.schema) {
            (Some(function), _) => self.compiler.ensure(self, &function, span),
            (None, Some(schema)) => Ok(schema.clone()),
            (None, None) => Err(self.compiler.without_body(&method.qualified, span)),
        }
    }

    pub(super) fn delete_statement(&mut self, targets: &[Expr]) -> Outcome<()> {
        for target in targets {
            match &target.kind {
                ExprKind::Name(name) => {
                    if !self.env.forget(name) {
                        return Err(problem(
                            "undefined-name",
                            format!("undefined value {name}"),
                            &target.span,
                        ));
                    }
                }
                ExprKind::Subscript { value, index } => {
                    if let ExprKind::Slice { .. } = index.kind {
                        return Err(problem(
                            "delete",
                            "del statements only support deletion at a single index, slicing is not supported (see https://github.com/pytorch/pytorch/issues/31430)",
                            &target.span,
                        ));
                    }
                    let object = self.expression(value, None)?.as_value(self, &value.span)?;
                    let key = self.expression(index, None)?.as_value(self, &index.span)?;
                    if let Type::Class(class) = self.ty(object) {
                        if class.method("__delitem__").is_none() {
                            return Err(problem(
                                "delete",
                                "Class does not define __delitem__",
                                &target.span,
                            ));
                        }
                        let method =
                            Sugared::Value(object).attribute(self, "__delitem__", &target.span)?;
                        method.call(self, &Arguments::of(&[key], &target.span), &target.span)?;
                    } else {
                        crate::sugared::builtin::statement(
                            self,
                            "aten::Delete",
                            &[object, key],
                            &target.span,
                        )?;
                    }
                }
                ExprKind::Tuple { elements, .. } => self.delete_statement(elements)?,
                _ => {
                    return Err(problem(
                        "delete",
                        "del statements are only supported for deleting list and dict items and variables",
                        &target.span,
                    ));
                }
            }
        }
        Ok(())
    }
}
