//! Assignment to names, attributes, subscripts and patterns of them.

use crate::error::problem;
use crate::script::{Bound, Emitter, Variable};
use crate::{Outcome, Sugared};
use rushlight_syntax::Span;
use rushlight_syntax::tree::{Assign, Expr, ExprKind};
use rushlight_types::Type;

impl Emitter<'_> {
    pub(super) fn assign_statement(&mut self, assign: &Assign, span: &Span) -> Outcome<()> {
        // What a target holds already is none.
        let annotation = assign
            .type_comment
            .as_ref()
            .map(|t| self.annotation(t))
            .transpose()?;
        // The object of `object.name = value` comes before the value.
        let object = match assign.targets.as_slice() {
            [
                Expr {
                    kind: ExprKind::Attribute { value: object, .. },
                    ..
                },
            ] => Some(self.sugared(object, None)?),
            _ => None,
        };
        // Parts of a tuple display are values; anything else is what the statement is about.
        let value = match assign.value.kind {
            ExprKind::Tuple { .. } => self.expression(&assign.value, annotation.as_ref())?,
            _ if matches!(assign.targets[0].kind, ExprKind::Subscript { .. }) => {
                self.expression(&assign.value, annotation.as_ref())?
            }
            _ => self.sugared(&assign.value, annotation.as_ref())?,
        };
        if let (Some(object), [target]) = (object, assign.targets.as_slice())
            && let ExprKind::Attribute { attr, .. } = &target.kind
        {
            return self.assign_attribute(&object, &attr.name, value, span);
        }
        let places = Places {
            statement: span,
            value: &assign.value.span,
        };
        let shared = match value {
            Sugared::Value(id) if assign.targets.len() > 1 => {
                let name = self.temporary();
                let variable = Variable::assigned(self.ty(id).clone());
                self.store(&name, id, variable.clone());
                Some((name, variable))
            }
            _ => None,
        };
        for target in &assign.targets {
            if let ExprKind::List(_) = target.kind {
                return Err(problem(
                    "assignment-target",
                    "unexpected expression on left-hand side of assignment",
                    &target.span,
                ));
            }
            // The value of several targets goes through a temporary, which is read for each.
            let value = match &shared {
                Some((name, variable)) => Sugared::Value(self.load(name, variable)),
                None => value.clone(),
            };
            self.assign_at(target, value, annotation.clone(), places)?;
        }
        Ok(())
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
                let unusable = Bound::Unusable {
                    why: message.into(),
                    declared: Some(ty),
                    behind: None,
                };
                self.env.bind(name, unusable);
            }
            return Ok(());
        };
        let id = self
            .sugared(value, Some(&ty))?
            .as_value(self, &value.span)?;
        let places = Places {
            statement: span,
            value: &value.span,
        };
        self.assign_at(target, Sugared::Value(id), Some(ty), places)
    }

    /// Binds the element of a step to the target of a loop; `whole` is the place of the loop.
    pub(crate) fn assign_element(
        &mut self,
        target: &Expr,
        value: Sugared,
        whole: &Span,
    ) -> Outcome<()> {
        let value_place = match target.kind {
            ExprKind::Tuple { .. } => whole,
            _ => &target.span,
        };
        let places = Places {
            statement: &target.span,
            value: value_place,
        };
        self.assign_at(target, value, None, places)
    }

    /// Binds a value to a target of any form; `span` is the place of the whole.
    pub(crate) fn assign_to(
        &mut self,
        target: &Expr,
        value: Sugared,
        annotation: Option<Type>,
        span: &Span,
    ) -> Outcome<()> {
        let places = Places {
            statement: span,
            value: span,
        };
        self.assign_at(target, value, annotation, places)
    }

    fn assign_at(
        &mut self,
        target: &Expr,
        value: Sugared,
        annotation: Option<Type>,
        places: Places<'_>,
    ) -> Outcome<()> {
        let span = places.statement;
        match &target.kind {
            ExprKind::Name(name) => self.assign(name, value, annotation, &target.span),
            ExprKind::Tuple { elements, .. } => self.unpack(target, elements, value, places),
            ExprKind::Attribute {
                value: object,
                attr,
            } => {
                let object = self.sugared(object, None)?;
                self.note(&target.span, &value);
                self.assign_attribute(&object, &attr.name, value, span)
            }
            ExprKind::Subscript {
                value: container,
                index,
            } => {
                let id = value.as_value(self, places.value)?;
                let spelled = self.spelled_slices(index)?;
                let index = spelled.as_ref().unwrap_or(index);
                self.assign_subscript(container, index, id, &target.span, span)
            }
            ExprKind::Starred(_) => Err(problem(
                "starred",
                "A Starred expression may only appear on the lhs within the presence of another non-starred expression",
                &target.span,
            )),
            _ => Err(problem(
                "assignment-target",
                "lhs of assignment must be a variable, subscript, or starred expression",
                &target.span,
            )),
        }
    }

    /// An annotation helps with `[]` and `{}`; the attribute has the type of its value.
    fn assign_attribute(
        &mut self,
        object: &Sugared,
        name: &str,
        value: Sugared,
        span: &Span,
    ) -> Outcome<()> {
        let id = value.as_value(self, span)?;
        object.set_attribute(self, name, id, span)
    }

    fn unpack(
        &mut self,
        whole: &Expr,
        targets: &[Expr],
        value: Sugared,
        places: Places<'_>,
    ) -> Outcome<()> {
        let starred: Vec<usize> = (0..targets.len())
            .filter(|&i| matches!(targets[i].kind, ExprKind::Starred(_)))
            .collect();
        if starred.len() > 1 {
            return Err(problem(
                "starred",
                "Only one starred expression is allowed on the lhs",
                &whole.span,
            ));
        }
        if starred.len() == 1 && targets.len() == 1 {
            return self.assign_at(&targets[0], value, None, places);
        }
        let parts = self.parts_of(&value, targets.len(), !starred.is_empty(), places.value)?;
        check_count(whole, targets.len(), starred.len(), parts.len())?;
        let span = places.statement;
        // What is written to the parts stands where the value does.
        let places = Places {
            statement: places.value,
            ..places
        };
        match starred.first() {
            None => {
                for (target, part) in targets.iter().zip(parts) {
                    self.assign_at(target, part, None, places)?;
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
                        let rest = Sugared::Value(self.tuple(&items, span));
                        let ExprKind::Starred(name) = &target.kind else {
                            unreachable!("the position of a starred target")
                        };
                        if !matches!(name.kind, ExprKind::Name(_)) {
                            let message = "Cannot pack a tuple into a non-variable";
                            return Err(problem("starred", message, &name.span));
                        }
                        self.assign_at(name, rest, None, places)?;
                    } else {
                        let from = if i < star { i } else { i + taken - 1 };
                        self.assign_at(target, parts[from].clone(), None, places)?;
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
                        "cannot statically infer the expected size of a list in this context",
                        span,
                    ));
                }
                let types = vec![element; count];
                let node = self
                    .graph
                    .create(rushlight_ir::Prim::ListUnpack, &[*id], &types);
                self.graph.append(self.block, node);
                return Ok(self
                    .graph
                    .node(node)
                    .outputs()
                    .iter()
                    .map(|&v| Sugared::Value(v))
                    .collect());
            }
        }
        value.as_parts(self, span)
    }
}

/// Where the parts of an assignment stand, for messages.
#[derive(Clone, Copy)]
struct Places<'s> {
    statement: &'s Span,
    /// What is assigned.
    value: &'s Span,
}

/// Checks that as many values are there as targets want.
fn check_count(whole: &Expr, targets: usize, starred: usize, found: usize) -> Outcome<()> {
    let needed = targets - starred;
    let message = if found < needed {
        let least = if starred > 0 { "at least " } else { "" };
        format!("need {least}{needed} values to unpack but found only {found}")
    } else if found > needed && starred == 0 {
        format!("too many values to unpack: need {needed} but found {found}")
    } else {
        return Ok(());
    };
    Err(problem("unpack", message, &whole.span))
}
