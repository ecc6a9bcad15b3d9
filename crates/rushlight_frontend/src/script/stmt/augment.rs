//! `x += y` and its kin: in place where the reference is.

use crate::error::problem;
use crate::script::Emitter;
use crate::script::expr::binary_operator;
use crate::{Outcome, Sugared};
use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_syntax::tree::{BinaryOp, Expr, ExprKind};
use rushlight_types::Type;

/// What each augmented operator is on tensors and lists, on everything else, and as a magic method.
struct Augmented {
    in_place: &'static str,
    plain: &'static str,
    magic: &'static str,
}

fn augmented_operator(op: BinaryOp) -> Option<Augmented> {
    let (in_place, plain, magic) = match op {
        BinaryOp::Add => ("aten::add_", "aten::add", "__iadd__"),
        BinaryOp::Sub => ("aten::sub_", "aten::sub", "__isub__"),
        BinaryOp::Mul => ("aten::mul_", "aten::mul", "__imul__"),
        BinaryOp::Div => ("aten::div_", "aten::div", "__itruediv__"),
        BinaryOp::Mod => ("aten::fmod_", "aten::fmod", "__imod__"),
        BinaryOp::BitOr => ("aten::bitwise_or", "aten::__or__", "__ior__"),
        BinaryOp::BitAnd => ("aten::bitwise_and", "aten::__and__", "__iand__"),
        BinaryOp::BitXor => ("aten::bitwise_xor", "aten::__xor__", "__ixor__"),
        BinaryOp::LShift => ("aten::__ilshift__", "aten::__lshift__", "__ilshift__"),
        BinaryOp::RShift => ("aten::__irshift__", "aten::__rshift__", "__irshift__"),
        BinaryOp::Pow => ("aten::pow", "aten::pow", "__ipow__"),
        BinaryOp::FloorDiv | BinaryOp::MatMul => return None,
    };
    Some(Augmented {
        in_place,
        plain,
        magic,
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
                let right = self.expression(value, None)?.as_value(self, &value.span)?;
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
                let right = self.expression(value, None)?.as_value(self, &value.span)?;
                let new = self.augmented(op, old, right, span)?;
                object.set_attribute(self, &attr.name, new, span)
            }
            ExprKind::Subscript {
                value: container,
                index,
            } => self.augment_subscript([target, container, index], op, value, span),
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
        let Some(operator) = augmented_operator(op) else {
            return Err(crate::error::unsupported(
                "unsupported kind of augmented assignment",
                span,
            ));
        };
        match &ty {
            Type::Tensor(_) | Type::List(_) => self.builtin(operator.in_place, &[old, right], span),
            Type::Class(class) => {
                let name = if class.method(operator.magic).is_some() {
                    operator.magic
                } else {
                    binary_operator(op).1
                };
                if class.method(name).is_none() {
                    let message = format!(
                        "Cannot emit inplace op on {} since it does not define an {} or {name} method",
                        ty.message_form(),
                        operator.magic
                    );
                    return Err(problem("augmented-assignment", message, span));
                }
                let method = Sugared::Value(old).attribute(self, name, span)?;
                method
                    .call(self, &crate::script::Arguments::of(&[right], span), span)?
                    .as_value(self, span)
            }
            _ => self.builtin(operator.plain, &[old, right], span),
        }
    }

    /// `tensor[index] += value`: in place on a view, or on what index tensors gather, which is then put back.
    fn augment_tensor(
        &mut self,
        tensor: ValueId,
        [target, index]: [&Expr; 2],
        op: BinaryOp,
        value: &Expr,
        span: &Span,
    ) -> Outcome<()> {
        let (view, gathered) = self.index_steps(tensor, index, None, &target.span)?;
        let items = self.index_items(&gathered);
        let right = self.expression(value, None)?.as_value(self, &value.span)?;
        if items.is_empty() {
            return self.augmented(op, view, right, span).map(drop);
        }
        let indices = self.list(Type::optional(Type::TENSOR), &items, span);
        let read = self.builtin("aten::index", &[view, indices], span)?;
        let new = self.augmented(op, read, right, span)?;
        self.builtin("aten::index_put_", &[view, indices, new], span)
            .map(drop)
    }

    fn augment_subscript(
        &mut self,
        [target, container, index]: [&Expr; 3],
        op: BinaryOp,
        value: &Expr,
        span: &Span,
    ) -> Outcome<()> {
        let object = self
            .expression(container, None)?
            .as_value(self, &container.span)?;
        if self.ty(object).is_tensor() {
            let spelled = self.spelled_slices(index)?;
            let index = spelled.as_ref().unwrap_or(index);
            return self.augment_tensor(object, [target, index], op, value, span);
        }
        if let ty = self.ty(object)
            && !matches!(ty, Type::List(_) | Type::Dict(..))
        {
            let message = format!(
                "{} does not support augmented assignment.",
                ty.message_form()
            );
            return Err(problem("augmented-assignment", message, &target.span));
        }
        // The index is evaluated once.
        let key = self.expression(index, None)?.as_value(self, &index.span)?;
        let right = self.expression(value, None)?.as_value(self, &value.span)?;
        let old = self.item(object, key, span)?;
        // Tensors and lists in a dict are replaced, those in a list change.
        let new = match (self.ty(object), self.ty(old), augmented_operator(op)) {
            (Type::Dict(..), Type::Tensor(_) | Type::List(_), Some(operator)) => {
                self.builtin(operator.plain, &[old, right], span)?
            }
            _ => self.augmented(op, old, right, span)?,
        };
        self.set_item(object, key, new, span)
    }
}
