//! `with` and `del`.

use crate::error::{problem, unsupported_node};
use crate::script::Emitter;
use crate::{Outcome, Sugared};
use rushlight_ir::Prim;
use rushlight_syntax::Span;
use rushlight_syntax::tree::{Expr, ExprKind, With};
use rushlight_types::Type;

impl Emitter<'_> {
    pub(super) fn with_statement(&mut self, with: &With, span: &Span) -> Outcome<()> {
        if with.is_async {
            return Err(unsupported_node("async with statements", span));
        }
        let mut entered = Vec::new();
        for item in &with.items {
            let object = self
                .expression(&item.context, None)?
                .as_value(self, &item.context.span)?;
            let Type::Class(class) = self.ty(object).clone() else {
                let ty = self.ty(object).clone();
                return Err(problem(
                    "with",
                    format!("With item expression must return an object, not {ty}"),
                    &item.context.span,
                ));
            };
            let method = |name: &str| {
                class.method(name).ok_or_else(|| {
                    problem("with", format!("Object returned by with item expression does not define __enter__ and __exit__ methods ({name})"), &item.context.span)
                })
            };
            let enter = method("__enter__")?;
            method("__exit__")?;
            let mut result = Type::None;
            for name in ["__enter__", "__exit__"] {
                if let Some(function) = self.unit().function(&format!("{}.{name}", class.name())) {
                    let schema = self.compiler.ensure(self, &function, &item.context.span)?;
                    if name == "__enter__" {
                        result = schema.returns.first().map_or(Type::None, |r| r.ty.clone());
                    }
                } else if let (Some(schema), "__enter__") = (&enter.schema, name) {
                    result = schema.returns.first().map_or(Type::None, |r| r.ty.clone());
                }
            }
            let value = self.value(Prim::Enter, &[object], result, &item.context.span);
            if let Some(target) = &item.target {
                self.assign_to(target, Sugared::Value(value), None, &target.span)?;
            }
            entered.push(object);
        }
        self.statements(&with.body)?;
        for object in entered.into_iter().rev() {
            let node = self.graph.create(Prim::Exit, &[object], &[Type::TENSOR]);
            // A return inside the body comes after the exit.
            let last = self.graph.prev(self.graph.return_node(self.block));
            match last.filter(|n| self.exited && self.graph.node(*n).is(Prim::ReturnStmt)) {
                Some(statement) => self.graph.insert_before(statement, node),
                None => self.graph.append(self.block, node),
            }
        }
        Ok(())
    }

    pub(super) fn delete_statement(&mut self, targets: &[Expr]) -> Outcome<()> {
        for target in targets {
            match &target.kind {
                ExprKind::Name(name) => {
                    if self.env.find(name).is_none() {
                        return Err(problem(
                            "undefined-name",
                            format!("undefined value {name}"),
                            &target.span,
                        ));
                    }
                    self.unusable.remove(name);
                    let why = format!("undefined value {name}");
                    let variable = crate::script::Variable {
                        value: Err(why.into()),
                        declared: None,
                        refined: false,
                    };
                    self.env.bind(name, variable);
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
                    self.unnumbered(|e| e.builtin("aten::Delete", &[object, key], &target.span))?;
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
