//! `if`: two blocks, and the merging of the variables that they assign.

use crate::error::problem;
use crate::script::Emitter;
use crate::script::environment::{BoundBy, Frame, Variable};
use crate::{Outcome, Sugared};
use rushlight_ir::{BlockId, NodeId, Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_syntax::tree::If;
use rushlight_types::{Type, unify};
use std::sync::Arc;

/// One branch after emission.
pub(crate) struct Branch {
    pub block: BlockId,
    pub frame: Frame,
    pub exited: bool,
    /// Whether it exits by `return` or `raise`: what a branch that breaks or continues knows of its variables is merged as
    /// if it went on, as in the reference.
    pub leaves: bool,
}

impl Branch {
    /// A branch that goes on.
    pub fn new(block: BlockId, frame: Frame) -> Branch {
        Branch {
            block,
            frame,
            exited: false,
            leaves: false,
        }
    }

    /// The binding that the branch itself made, by assignment or refinement.
    fn bound(&self, name: &str) -> Option<&Variable> {
        self.frame.variables.get(name)
    }

    /// Whether all that the branch did to the name was in loops.
    fn loops(&self, name: &str) -> bool {
        self.bound(name).is_none_or(|v| v.by == BoundBy::Looped)
    }

    /// Whether the branch assigned the name.
    fn assigns(&self, name: &str) -> bool {
        self.bound(name).is_some_and(|v| v.by != BoundBy::Refined)
    }
}

impl Emitter<'_> {
    pub(super) fn if_statement(&mut self, branch: &If, span: &Span) -> Outcome<()> {
        // An `elif` chain nests: each link goes through here again.
        let condition = self.condition(&branch.test)?;
        if let Some(known) = condition.known {
            let (facts, body) = if known {
                (&condition.when_true, &branch.body)
            } else {
                (&condition.when_false, &branch.orelse)
            };
            self.refine(facts, span);
            return self.statements(body);
        }
        let node = self.node(Prim::If, &[condition.value], &[], span);
        let then_block = self.graph.add_block(node);
        let else_block = self.graph.add_block(node);
        let (_, frame, exited) = self.in_block(then_block, |e| {
            e.refine(&condition.when_true, &branch.test.span);
            e.statements(&branch.body)
        })?;
        let then = Branch {
            block: then_block,
            frame,
            exited,
            leaves: exited && !self.left_loop,
        };
        let (_, frame, exited) = self.in_block(else_block, |e| {
            e.refine(&condition.when_false, &branch.test.span);
            e.statements(&branch.orelse)
        })?;
        let orelse = Branch {
            block: else_block,
            frame,
            exited,
            leaves: exited && !self.left_loop,
        };
        self.merge_counted(node, &then, &orelse, span)?;
        self.exited = then.exited && orelse.exited;
        self.left_loop = !(then.leaves && orelse.leaves);
        Ok(())
    }

    /// As [`Emitter::merge`], counting the reads of the variables in the branches.
    pub(crate) fn merge_counted(
        &mut self,
        node: NodeId,
        then: &Branch,
        orelse: &Branch,
        span: &Span,
    ) -> Outcome<()> {
        let mut names: Vec<Arc<str>> = then.frame.order.clone();
        names.extend(orelse.frame.order.iter().cloned());
        names.sort_unstable();
        names.dedup();
        for name in &names {
            self.count_merge(name, [then, orelse]);
        }
        self.merge(node, then, orelse, span)
    }

    fn count_merge(&mut self, name: &str, branches: [&Branch; 2]) {
        if branches.iter().all(|b| b.loops(name)) {
            return;
        }
        let is_value =
            |v: Option<&Variable>| v.is_some_and(|v| matches!(v.value, Ok(Sugared::Value(_))));
        let outside = is_value(self.env.find(name));
        let mut merges = false;
        for [branch, other] in [branches, [branches[1], branches[0]]] {
            if !is_value(branch.bound(name)) {
                continue;
            }
            if outside || is_value(other.bound(name)) {
                self.count_read(name);
                merges = true;
            } else {
                merges |= other.leaves;
            }
        }
        if !merges || branches.iter().all(|b| b.leaves) {
            return;
        }
        self.count_read(name);
        if branches.iter().any(|b| b.leaves) {
            self.graph.pass_over(None);
        } else {
            self.count_read(name);
        }
        if outside {
            self.count_read(name);
        }
    }

    /// Makes the variables that either branch binds outputs of the `If`. A refinement is a binding like any other: what
    /// is known where only one branch goes on is known behind the `If`.
    pub(crate) fn merge(
        &mut self,
        node: NodeId,
        then: &Branch,
        orelse: &Branch,
        span: &Span,
    ) -> Outcome<()> {
        let mut names: Vec<Arc<str>> = then
            .frame
            .order
            .iter()
            .chain(&orelse.frame.order)
            .cloned()
            .collect();
        // Assigned variables come before those that are only refined, each group in order of names.
        names.sort_by_key(|n| (!then.assigns(n) && !orelse.assigns(n), n.clone()));
        names.dedup();
        for name in names {
            if then.exited && orelse.exited {
                self.merge_never(node, &name, then, orelse);
                continue;
            }
            self.merge_one(node, &name, then, orelse, span)?;
        }
        Ok(())
    }

    /// A variable behind an `If` that is never passed: an output that nobody looks at.
    fn merge_never(&mut self, node: NodeId, name: &Arc<str>, then: &Branch, orelse: &Branch) {
        let known = then.bound(name).or(orelse.bound(name));
        let Some(Variable {
            value: Ok(Sugared::Value(value)),
            ..
        }) = known
        else {
            return;
        };
        let ty = match self.env.find(name).map(|v| &v.value) {
            Some(Ok(Sugared::Value(outside))) => self.ty(*outside).clone(),
            _ => self.ty(*value).clone(),
        };
        self.unnumbered(|e| {
            for branch in [then, orelse] {
                let inside = match branch.bound(name).or(e.env.find(name)).map(|v| &v.value) {
                    Some(Ok(Sugared::Value(inside))) if e.ty(*inside).is_subtype_of(&ty) => *inside,
                    _ => e.uninitialized_in(branch.block, ty.clone()),
                };
                e.graph.add_return(branch.block, inside);
            }
            let out = e.graph.add_output(node, ty, None);
            e.joins.variable(out, name);
        });
    }

    fn merge_one(
        &mut self,
        node: NodeId,
        name: &Arc<str>,
        then: &Branch,
        orelse: &Branch,
        span: &Span,
    ) -> Outcome<()> {
        let outer = self.env.find(name).cloned();
        let in_then = then.bound(name).cloned().or_else(|| outer.clone());
        let in_else = orelse.bound(name).cloned().or_else(|| outer.clone());
        let is_assigned = then.assigns(name) || orelse.assigns(name);
        let unusable = |e: &mut Self, why: String| {
            if !is_assigned {
                // Only what is known of the variable differs: it stays what it was.
                return Ok(());
            }
            let declared = outer.as_ref().and_then(|v| v.declared.clone());
            e.unusable.insert(name.clone(), span.clone());
            e.env.bind(
                name,
                Variable {
                    value: Err(why.into()),
                    declared,
                    by: BoundBy::Assigned,
                },
            );
            Ok(())
        };
        let missing = |side: &str| format!("{name} is not defined in the {side} branch");
        let then_value = match (then.leaves, in_then) {
            (true, _) => None,
            (false, Some(Variable { value: Ok(v), .. })) => Some(v),
            (
                false,
                Some(Variable {
                    value: Err(why), ..
                }),
            ) => return unusable(self, why.to_string()),
            (false, None) => return unusable(self, missing("true")),
        };
        let else_value = match (orelse.leaves, in_else) {
            (true, _) => None,
            (false, Some(Variable { value: Ok(v), .. })) => Some(v),
            (
                false,
                Some(Variable {
                    value: Err(why), ..
                }),
            ) => return unusable(self, why.to_string()),
            (false, None) => return unusable(self, missing("false")),
        };
        let simple =
            |e: &mut Self, block: BlockId, value: &Option<Sugared>| -> Outcome<Option<ValueId>> {
                match value {
                    None => Ok(None),
                    Some(Sugared::Value(v)) => Ok(Some(*v)),
                    Some(special) => e
                        .in_block(block, |e| special.as_value(e, span))
                        .map(|r| Some(r.0)),
                }
            };
        let (Ok(t), Ok(f)) = (
            simple(self, then.block, &then_value),
            simple(self, orelse.block, &else_value),
        ) else {
            return unusable(
                self,
                format!("{name} is not a first-class value after this if statement"),
            );
        };
        let ty = match (t, f) {
            (Some(t), Some(f)) => {
                let (a, b) = (self.ty(t).clone(), self.ty(f).clone());
                let by_annotation = [then, orelse]
                    .iter()
                    .find_map(|b| b.bound(name).and_then(|v| v.declared.clone()))
                    .filter(|d| a.is_subtype_of(d) && b.is_subtype_of(d) && outer.is_none());
                // Of a variable that may be one of several types, the branches may leave different ones; one with an
                // interface is known by that.
                let held = outer.as_ref().and_then(|v| self.held_type(v));
                let to_union = matches!(held, Some(Type::Union(_)));
                let by_interface = || {
                    held.clone().filter(|held| {
                        matches!(held, Type::Interface(_))
                            && a.is_subtype_of(held)
                            && b.is_subtype_of(held)
                    })
                };
                match by_annotation
                    .or_else(|| unify(&a, &b, to_union))
                    .or_else(by_interface)
                {
                    Some(ty) => ty,
                    None => {
                        return unusable(
                            self,
                            format!(
                                "Type mismatch: {name} is set to type {} in the true branch and type {} in the false branch",
                                a.message_form(),
                                b.message_form()
                            ),
                        );
                    }
                }
            }
            (Some(v), None) | (None, Some(v)) => self.ty(v).clone(),
            (None, None) => return Ok(()),
        };
        let is_looped = then.loops(name) && orelse.loops(name);
        let before = match outer.map(|v| v.value) {
            Some(Ok(Sugared::Value(before))) if is_looped => Some(before),
            _ => None,
        };
        for (branch, value) in [(then, t), (orelse, f)] {
            let value = value.or(before).unwrap_or_else(|| {
                self.unnumbered(|e| e.uninitialized_in(branch.block, ty.clone()))
            });
            self.graph.add_return(branch.block, value);
        }
        let out = self.unnumbered(|e| e.graph.add_output(node, ty.clone(), None));
        self.joins.variable(out, name);
        self.env.bind(
            name,
            Variable {
                value: Ok(Sugared::Value(out)),
                declared: Some(ty),
                by: match (is_assigned, is_looped) {
                    (false, _) => BoundBy::Refined,
                    (true, false) => BoundBy::Assigned,
                    (true, true) => BoundBy::Looped,
                },
            },
        );
        Ok(())
    }

    /// An uninitialised value at the end of a block, behind the statement that leaves it.
    fn uninitialized_in(&mut self, block: BlockId, ty: Type) -> ValueId {
        let node = self.graph.create(Prim::Uninitialized, &[], &[ty]);
        self.graph.append(block, node);
        self.graph.node(node).outputs()[0]
    }

    /// A value as `Any`.
    fn cast_any(&mut self, value: ValueId, span: &Span) -> ValueId {
        match self.ty(value) {
            Type::Any => value,
            _ => self.cast(value, Type::Any, span),
        }
    }

    /// A value chosen by a condition: `a if c else b`.
    pub(crate) fn choose(
        &mut self,
        condition: &crate::script::Condition,
        span: &Span,
        then: impl FnOnce(&mut Self) -> Outcome<ValueId>,
        orelse: impl FnOnce(&mut Self) -> Outcome<ValueId>,
        hint: Option<&Type>,
    ) -> Outcome<ValueId> {
        let node = self.node(Prim::If, &[condition.value], &[], span);
        let (then_block, else_block) = (self.graph.add_block(node), self.graph.add_block(node));
        let (t, then_frame, _) = self.in_block(then_block, |e| {
            e.refine(&condition.when_true, span);
            then(e)
        })?;
        let (f, else_frame, _) = self.in_block(else_block, |e| {
            e.refine(&condition.when_false, span);
            orelse(e)
        })?;
        // Of all hints only `Any` widens what the branches have.
        let (mut t, mut f) = (t, f);
        if hint == Some(&Type::Any) {
            t = self.in_block(then_block, |e| Ok(e.cast_any(t, span)))?.0;
            f = self.in_block(else_block, |e| Ok(e.cast_any(f, span)))?.0;
        }
        let (a, b) = (self.ty(t).clone(), self.ty(f).clone());
        let Some(ty) = unify(&a, &b, false) else {
            return Err(problem(
                "ternary-type",
                format!(
                    "if-expression's true branch has type {}{} but false branch has type {}{}",
                    a.message_form(),
                    self.inferred_mark(t),
                    b.message_form(),
                    self.inferred_mark(f)
                ),
                span,
            ));
        };
        self.graph.add_return(then_block, t);
        self.graph.add_return(else_block, f);
        let out = self.result(node, ty);
        let then = Branch::new(then_block, then_frame);
        let orelse = Branch::new(else_block, else_frame);
        self.merge(node, &then, &orelse, span)?;
        Ok(out)
    }
}
