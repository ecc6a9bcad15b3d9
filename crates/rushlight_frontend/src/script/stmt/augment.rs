//! `x += y` and its kin: in place where the reference is.

use crate::error::problem;
use crate::script::Emitter;
use crate::script::expr::binary_operator;
use crate::{Outcome, Sugared};
use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_syntax::tree::{BinaryOp, Expr, ExprKind};
use rushlight_types::Type;

/// The in-place operator and the in-place magic method of each augmented operator.
fn in_place(op: BinaryOp) -> Option<(&'static str, &'static str)> {
    Some(match op {
        BinaryOp::Add => ("aten::add_", "__iadd__"),
        BinaryOp::Sub => ("aten::sub_", "__isub__"),
        BinaryOp::Mul => ("aten::mul_", "__imul__"),
        BinaryOp::Div => ("aten::div_", "__itruediv__"),
        BinaryOp::Mod => ("aten::fmod_", "__imod__"),
        BinaryOp::BitOr => ("aten::bitwise_or_", "__ior__"),
        BinaryOp::BitAnd => ("aten::bitwise_and_", "__iand__"),
        BinaryOp::BitXor => ("aten::bitwise_xor_", "__ixor__"),
        BinaryOp::LShift => ("aten::__lshift__", "__ilshift__"),
        BinaryOp::RShift => ("aten::__rshift__", "__irshift__"),
        BinaryOp::Pow => ("aten::pow_", "__ipow__"),
        BinaryOp::FloorDiv => ("aten::floor_divide_", "__ifloordiv__"),
        BinaryOp::MatMul => return None,
    })
}

impl Emitter<'_> {
    pub(super) fn augmented_assign(
        &mut self,
        target: &Expr,
        op: BinaryOp,
        value: &Expr,
        span: &Span,
    ) -> Outcome<()> {
        match &target.kind {
            ExprKind::Name(name) => {
                let old = self
                    .name(name, &target.span)?
                    .as_value(self, &target.span)?;
                let hint = self.ty(old).clone();
                let right = self
                    .expression(value, Some(&hint))?
                    .as_value(self, &value.span)?;
                let new = self.augmented(op, old, right, span)?;
                self.assign(name, Sugared::Value(new), None, &target.span)
            }
            ExprKind::Attribute {
                value: object,
                attr,
            } => {
                let object = self.expression(object, None)?;
                let old = object
                    .attribute(self, &attr.name, &target.span)?
                    .as_value(self, &target.span)?;
                let hint = self.ty(old).clone();
                let right = self
                    .expression(value, Some(&hint))?
                    .as_value(self, &value.span)?;
                let new = self.augmented(op, old, right, span)?;
                object.set_attribute(self, &attr.name, new, span)
            }
            ExprKind::Subscript {
                value: container,
                index,
            } => self.augment_subscript(container, index, op, value, span),
            _ => Err(problem(
                "assignment-target",
                "unexpected expression on left-hand side of augmented assignment",
                &target.span,
            )),
        }
    }

    fn augmented(
        &mut self,
        op: BinaryOp,
        old: ValueId,
        right: ValueId,
        span: &Span,
    ) -> Outcome<ValueId> {
        let ty = self.ty(old).clone();
        let Some((operator, magic)) = in_place(op) else {
            return Err(crate::error::unsupported(
                "unsupported kind of augmented assignment: @=",
                span,
            ));
        };
        match &ty {
            Type::Tensor(_) => self.builtin(operator, &[old, right], span),
            Type::List(_) if matches!(op, BinaryOp::Add | BinaryOp::Mul) => {
                self.builtin(operator, &[old, right], span)
            }
            Type::Class(class) => {
                let name = if class.method(magic).is_some() {
                    magic
                } else {
                    binary_operator(op).1
                };
                let method = Sugared::Value(old).attribute(self, name, span)?;
                method
                    .call(self, &crate::script::Arguments::of(&[right], span), span)?
                    .as_value(self, span)
            }
            _ => self.binary(op, old, right, span),
        }
    }

    fn augment_subscript(
        &mut self,
        container: &Expr,
        index: &Expr,
        op: BinaryOp,
        value: &Expr,
        span: &Span,
    ) -> Outcome<()> {
        let object = self
            .expression(container, None)?
            .as_value(self, &container.span)?;
        if self.ty(object).is_tensor() {
            let view = self.subscript_value(object, index, span)?;
            let right = self.expression(value, None)?.as_value(self, &value.span)?;
            let has_tensor_index = self
                .graph
                .node(self.graph.value(view).node())
                .is_op("aten::index");
            let new = self.augmented(op, view, right, span)?;
            if has_tensor_index {
                return self.assign_subscript_value(object, index, new, span);
            }
            return Ok(());
        }
        // The index is evaluated once.
        let key = self.expression(index, None)?.as_value(self, &index.span)?;
        let old = self.item(object, key, span)?;
        let right = self.expression(value, None)?.as_value(self, &value.span)?;
        let new = self.augmented(op, old, right, span)?;
        self.set_item(object, key, new, span)
    }
}
