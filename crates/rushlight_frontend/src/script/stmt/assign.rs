//! Assignment to names, attributes, subscripts and patterns of them.

use crate::error::problem;
use crate::script::Emitter;
use crate::{Outcome, Sugared};
use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_syntax::tree::{Assign, Expr, ExprKind};
use rushlight_types::Type;

impl Emitter<'_> {
    pub(super) fn assign_statement(&mut self, assign: &Assign, span: &Span) -> Outcome<()> {
        let annotation = assign
            .type_comment
            .as_ref()
            .map(|t| self.annotation(t))
            .transpose()?;
        let hint = match (&annotation, assign.targets.as_slice()) {
            (Some(ty), _) => Some(ty.clone()),
            (None, [target]) => self.target_type(target),
            _ => None,
        };
        let value = self.expression(&assign.value, hint.as_ref())?;
        for target in &assign.targets {
            self.assign_to(target, value.clone(), annotation.clone(), span)?;
        }
        Ok(())
    }

    /// The type that a target already has, as a hint for displays such as `[]`.
    fn target_type(&mut self, target: &Expr) -> Option<Type> {
        match &target.kind {
            ExprKind::Name(name) => self.env.find_outside(name)?.declared.clone(),
            ExprKind::Attribute { value, attr } => {
                let ExprKind::Name(object) = &value.kind else {
                    return None;
                };
                let object = self.env.find(object)?.value.as_ref().ok()?.plain()?;
                match self.ty(object) {
                    Type::Class(class) => class.attribute(&attr.name).map(|a| a.ty),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    pub(super) fn annotated_assign(
        &mut self,
        target: &Expr,
        annotation: &Expr,
        value: Option<&Expr>,
        span: &Span,
    ) -> Outcome<()> {
        let ty = self.annotation(annotation)?;
        let Some(value) = value else {
            if let ExprKind::Name(name) = &target.kind {
                let message = format!("{name} is declared here but not assigned");
                let variable = super::super::Variable {
                    value: Err(message.into()),
                    declared: Some(ty),
                    refined: false,
                };
                self.env.bind(name, variable);
            }
            return Ok(());
        };
        let id = self
            .expression(value, Some(&ty))?
            .as_value(self, &value.span)?;
        self.assign_to(target, Sugared::Value(id), Some(ty), span)
    }

    /// Binds a value to a target of any form.
    pub(crate) fn assign_to(
        &mut self,
        target: &Expr,
        value: Sugared,
        annotation: Option<Type>,
        span: &Span,
    ) -> Outcome<()> {
        match &target.kind {
            ExprKind::Name(name) => self.assign(name, value, annotation, &target.span),
            ExprKind::Tuple { elements, .. } | ExprKind::List(elements) => {
                self.unpack(elements, value, span)
            }
            ExprKind::Attribute {
                value: object,
                attr,
            } => {
                let object = self.expression(object, None)?;
                let mut id = value.as_value(self, span)?;
                if let Some(ty) = &annotation {
                    id = self.declare_attribute(&object, &attr.name, id, ty, span)?;
                }
                object.set_attribute(self, &attr.name, id, span)
            }
            ExprKind::Subscript {
                value: container,
                index,
            } => {
                let id = value.as_value(self, span)?;
                self.assign_subscript(container, index, id, &target.span)
            }
            ExprKind::Starred(inner) => self.assign_to(inner, value, annotation, span),
            _ => Err(problem(
                "assignment-target",
                "Expected a variable, attribute, subscript or tuple of them on the left-hand side of an assignment",
                &target.span,
            )),
        }
    }

    /// `self.x: T = ...` in `__init__`: the attribute gets the annotated type.
    fn declare_attribute(
        &mut self,
        object: &Sugared,
        name: &str,
        value: ValueId,
        ty: &Type,
        span: &Span,
    ) -> Outcome<ValueId> {
        let value = super::super::convert_implicitly(self, value, ty, span);
        if let Sugared::Value(id) = object
            && let Type::Class(class) = self.ty(*id).clone()
        {
            let initialising = self
                .function
                .initialising
                .as_ref()
                .is_some_and(|c| std::sync::Arc::ptr_eq(c, &class));
            if initialising && class.slot(name).is_none() {
                class.add_attribute(name, ty.clone(), rushlight_types::AttributeKind::Plain);
            }
        }
        Ok(value)
    }

    fn unpack(&mut self, targets: &[Expr], value: Sugared, span: &Span) -> Outcome<()> {
        let starred: Vec<usize> = (0..targets.len())
            .filter(|&i| matches!(targets[i].kind, ExprKind::Starred(_)))
            .collect();
        if starred.len() > 1 {
            return Err(problem(
                "starred",
                "Only one starred expression is allowed on the lhs",
                span,
            ));
        }
        let parts = self.parts_of(&value, targets.len(), !starred.is_empty(), span)?;
        let fits = if starred.is_empty() {
            parts.len() == targets.len()
        } else {
            parts.len() + 1 >= targets.len()
        };
        if !fits {
            let (few_many, verb) = if parts.len() < targets.len() {
                ("need at least", "")
            } else {
                ("too many values to unpack: need", "")
            };
            let _ = verb;
            let message = if few_many.starts_with("need") {
                format!(
                    "need {} values to unpack but found only {}",
                    targets.len(),
                    parts.len()
                )
            } else {
                format!(
                    "too many values to unpack: need {} but found {}",
                    targets.len(),
                    parts.len()
                )
            };
            return Err(problem("unpack", message, span));
        }
        match starred.first() {
            None => {
                for (target, part) in targets.iter().zip(parts) {
                    self.assign_to(target, part, None, span)?;
                }
            }
            Some(&star) => {
                let taken = parts.len() + 1 - targets.len();
                for (i, target) in targets.iter().enumerate() {
                    if i == star {
                        let items = parts[star..star + taken]
                            .iter()
                            .map(|p| p.as_value(self, span))
                            .collect::<Outcome<Vec<_>>>()?;
                        let rest = self.tuple(&items, span);
                        self.assign_to(target, Sugared::Value(rest), None, span)?;
                    } else {
                        let from = if i < star { i } else { i + taken - 1 };
                        self.assign_to(target, parts[from].clone(), None, span)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The parts of a value being unpacked into `count` targets: lists unpack with a check at run time.
    fn parts_of(
        &mut self,
        value: &Sugared,
        count: usize,
        starred: bool,
        span: &Span,
    ) -> Outcome<Vec<Sugared>> {
        if let Sugared::Value(id) = value {
            let element = match self.ty(*id).clone() {
                Type::List(element) => Some((*element).clone()),
                _ => None,
            };
            if let Some(element) = element {
                if starred {
                    return Err(problem(
                        "starred",
                        "Provided list cannot be unpacked into a starred target",
                        span,
                    ));
                }
                let types = vec![element; count];
                let node = self.node(rushlight_ir::Prim::ListUnpack, &[*id], &types, span);
                return Ok(self
                    .graph
                    .node(node)
                    .outputs()
                    .iter()
                    .map(|&v| Sugared::Value(v))
                    .collect());
            }
            if self.ty(*id).is_tensor() {
                let zero = self.constant(0i64, span);
                let list = self.builtin("aten::unbind", &[*id, zero], span)?;
                return self.parts_of(&Sugared::Value(list), count, starred, span);
            }
        }
        value.as_parts(self, span)
    }
}
