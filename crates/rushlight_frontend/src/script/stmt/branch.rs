//! `if`: two blocks, and the merging of the variables that they assign.

use crate::Outcome;
use crate::error::problem;
use crate::script::Emitter;
use crate::script::environment::{Bound, Frame, Variable};
use rushlight_ir::{BlockId, NodeId, Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_syntax::tree::If;
use rushlight_types::{Type, unify};
use std::collections::BTreeSet;
use std::sync::Arc;

/// One branch after emission.
pub(crate) struct Branch {
    pub block: BlockId,
    pub frame: Frame,
    /// Whether it exits by `return` or `raise`: what a branch that breaks or continues knows of its variables is merged as
    /// if it went on, as in the reference.
    pub leaves: bool,
}

impl Branch {
    /// Whether the branch itself assigned the name or learned something of it.
    fn knows(&self, name: &str) -> bool {
        self.frame.get(name).is_some_and(|b| b.variable().is_some())
    }

    /// Whether the branch assigned the name.
    fn assigns(&self, name: &str) -> bool {
        match self.frame.get(name) {
            Some(Bound::Variable(variable)) => !variable.refined,
            other => other.is_some(),
        }
    }
}

/// What a name is at the end of a branch.
enum End {
    /// It is never reached.
    Never,
    /// A value that has been read there.
    Value(ValueId),
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
        let then = self.branch(then_block, |e| {
            e.refine(&condition.when_true, &branch.test.span);
            e.statements(&branch.body)
        })?;
        let orelse = self.branch(else_block, |e| {
            e.refine(&condition.when_false, &branch.test.span);
            e.statements(&branch.orelse)
        })?;
        self.merge(node, &then, &orelse, span)?;
        // What follows branches that both break or continue is emitted, as in the reference.
        self.exited = then.leaves && orelse.leaves;
        self.left_loop = false;
        Ok(())
    }

    /// Emits a branch.
    pub(super) fn branch(
        &mut self,
        block: BlockId,
        body: impl FnOnce(&mut Self) -> Outcome<()>,
    ) -> Outcome<Branch> {
        let ((), frame, exited) = self.in_block(block, body)?;
        Ok(Branch {
            block,
            frame,
            leaves: exited && !self.left_loop,
        })
    }

    /// Finds what the variables that either branch binds are behind the `If`. A refinement is a binding like any other:
    /// what is known where only one branch goes on is known behind the `If`.
    pub(crate) fn merge(
        &mut self,
        node: NodeId,
        then: &Branch,
        orelse: &Branch,
        span: &Span,
    ) -> Outcome<()> {
        let mut names = BTreeSet::new();
        for (branch, other) in [(then, orelse), (orelse, then)] {
            let bound: BTreeSet<&Arc<str>> = branch.frame.keys().collect();
            for name in bound {
                names.insert(name.clone());
                // The reference looks whether the other branch has it by reading it.
                let found = other.frame.get(name).or_else(|| self.env.find(name));
                if let (true, Some(found)) = (branch.knows(name), found.and_then(Bound::variable)) {
                    let found = found.clone();
                    self.reading_in(branch.block, |e| e.load(name, &found));
                }
            }
        }
        if then.leaves && orelse.leaves {
            return Ok(());
        }
        for name in names {
            if let Some(lost) = self.lost_before(&name, [then, orelse]) {
                self.env.bind(&name, lost);
                continue;
            }
            if let Err(why) = self.merge_one(node, &name, then, orelse, span)? {
                self.give_up(&name, why, [then, orelse], span);
            }
        }
        Ok(())
    }

    /// Runs `body` with nodes going to another block, its variables being those of the present frame.
    fn reading_in<T>(&mut self, block: BlockId, body: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.block, block);
        let result = body(self);
        self.block = outer;
        result
    }

    /// What a name is that neither branch gives a value, and that one of them lost behind a statement inside.
    fn lost_before(&self, name: &str, branches: [&Branch; 2]) -> Option<Bound> {
        let bound = branches.map(|branch| branch.frame.get(name));
        let is_lost = |bound: &&Bound| matches!(bound, Bound::Unusable { .. });
        let all_lost = bound
            .iter()
            .flatten()
            .chain(&self.env.find(name))
            .all(is_lost);
        bound
            .into_iter()
            .flatten()
            .next()
            .filter(|_| all_lost)
            .cloned()
    }

    /// A name that cannot be used behind an `If`.
    fn give_up(&mut self, name: &Arc<str>, why: String, branches: [&Branch; 2], span: &Span) {
        if !branches.iter().any(|b| b.assigns(name)) {
            // Only what is known of the variable differs: it stays what it was.
            return;
        }
        let declared = self.env.find(name).and_then(Bound::held_type).cloned();
        let unusable = Bound::Unusable {
            why: why.into(),
            declared,
            behind: Some(span.clone()),
        };
        self.env.bind(name, unusable);
    }

    /// Why a name is nothing that could be used at the end of a branch that goes on, where that is so.
    fn why_unusable(&self, branch: &Branch, name: &Arc<str>, side: &str) -> Option<String> {
        if branch.leaves {
            return None;
        }
        match branch.frame.get(name).or_else(|| self.env.find(name)) {
            None
            | Some(Bound::Unusable {
                behind: Some(_), ..
            }) => Some(format!("{name} is not defined in the {side} branch")),
            Some(Bound::Unusable { why, .. }) => Some(why.to_string()),
            Some(Bound::Variable(_) | Bound::Fixed(_)) => None,
        }
    }

    /// What a name is at the end of a branch, or why it is nothing that could be used.
    fn end_of(&mut self, branch: &Branch, name: &Arc<str>, span: &Span) -> Result<End, String> {
        if branch.leaves {
            return Ok(End::Never);
        }
        let bound = branch.frame.get(name).or_else(|| self.env.find(name));
        match bound.cloned() {
            None | Some(Bound::Unusable { .. }) => Ok(End::Never),
            Some(Bound::Variable(variable)) => {
                let value = self.reading_in(branch.block, |e| e.load(name, &variable));
                Ok(End::Value(value))
            }
            Some(Bound::Fixed(special)) => {
                let value = self.within(branch.block, |e| {
                    let value = special.as_value(e, span)?;
                    let variable = Variable::assigned(e.ty(value).clone());
                    e.store(name, value, variable);
                    Ok(value)
                });
                let special =
                    |_| format!("{name} is not a first-class value after this if statement");
                value.map(End::Value).map_err(special)
            }
        }
    }

    fn merge_one(
        &mut self,
        node: NodeId,
        name: &Arc<str>,
        then: &Branch,
        orelse: &Branch,
        span: &Span,
    ) -> Outcome<Result<(), String>> {
        // What only one branch has is read in neither.
        let unusable = self.why_unusable(then, name, "true");
        if let Some(why) = unusable.or_else(|| self.why_unusable(orelse, name, "false")) {
            return Ok(Err(why));
        }
        let ends = (
            self.end_of(then, name, span),
            self.end_of(orelse, name, span),
        );
        let (t, f) = match ends {
            (Ok(t), Ok(f)) => (t, f),
            (Err(why), _) | (_, Err(why)) => return Ok(Err(why)),
        };
        let mark = |end: &End| match end {
            End::Value(value) => self.inferred_mark(*value),
            End::Never => "",
        };
        let marks = [mark(&t), mark(&f)];
        let (a, b) = match (t, f) {
            (End::Value(t), End::Value(f)) => (self.ty(t).clone(), self.ty(f).clone()),
            (End::Value(value), End::Never) => self.never_assigned(orelse.block, name, value),
            (End::Never, End::Value(value)) => self.never_assigned(then.block, name, value),
            (End::Never, End::Never) => return Ok(Ok(())),
        };
        let outer = self.env.find(name).cloned();
        self.compare_outer(name, outer.as_ref());
        let held = outer.as_ref().and_then(Bound::held_type);
        let fits = |ty: &&Type| a.is_subtype_of(ty) && b.is_subtype_of(ty);
        let by_annotation = || {
            let bound = [then, orelse].map(|b| b.frame.get(name).and_then(Bound::held_type));
            let declared = bound.into_iter().flatten();
            declared.filter(fits).find(|_| outer.is_none()).cloned()
        };
        // Of a variable that may be one of several types, the branches may leave different ones; one with an interface is
        // known by that.
        let to_union = matches!(held, Some(Type::Union(_)));
        let by_interface = || {
            let interface = held.filter(|held| matches!(held, Type::Interface(_)));
            interface.filter(fits).cloned()
        };
        let ty = by_annotation()
            .or_else(|| unify(&a, &b, to_union))
            .or_else(by_interface);
        let Some(ty) = ty else {
            return Ok(Err(format!(
                "Type mismatch: {name} is set to type {}{} in the true branch and type {}{} in the false branch",
                a.message_form(),
                marks[0],
                b.message_form(),
                marks[1]
            )));
        };
        let decided = self.decided.entry(node).or_default();
        decided.insert(name.clone(), ty.clone());
        let variable = Variable {
            ty,
            refined: ![then, orelse].iter().any(|b| b.assigns(name)),
            inferred: false,
        };
        self.env.bind(name, Bound::Variable(variable));
        Ok(Ok(()))
    }

    /// Gives a variable of a branch that leaves a value of the type that it has in the other one.
    fn never_assigned(&mut self, branch: BlockId, name: &Arc<str>, value: ValueId) -> (Type, Type) {
        let ty = self.ty(value).clone();
        self.reading_in(branch, |e| {
            let filler = e.unplaced(Prim::Uninitialized, &[], ty.clone());
            e.write(name, filler, &ty);
        });
        (ty.clone(), ty)
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
        let t = self.within(then_block, |e| {
            e.refine(&condition.when_true, span);
            then(e)
        })?;
        let f = self.within(else_block, |e| {
            e.refine(&condition.when_false, span);
            orelse(e)
        })?;
        // Of all hints only `Any` widens what the branches have.
        let (mut t, mut f) = (t, f);
        if hint == Some(&Type::Any) {
            t = self.within(then_block, |e| Ok(e.cast_any(t, span)))?;
            f = self.within(else_block, |e| Ok(e.cast_any(f, span)))?;
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
        Ok(self.graph.add_output(node, ty, None))
    }
}
