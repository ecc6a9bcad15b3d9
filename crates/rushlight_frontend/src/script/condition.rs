//! Conditions: a bool value with what is known about variables when it holds and when it does not.

use super::Emitter;
use super::environment::{Bound, Variable};
use crate::error::problem;
use crate::{Outcome, Sugared};
use rushlight_ir::{Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_syntax::tree::{BoolOp, CompareOp, Constant, Expr, ExprKind, UnaryOp};
use rushlight_types::{Type, Value};
use std::sync::Arc;

/// Types that variables are known to have.
#[derive(Clone, Default, Debug)]
pub struct Refinements(pub Vec<(Arc<str>, Type)>);

impl Refinements {
    fn one(name: &str, ty: Type) -> Refinements {
        Refinements(vec![(name.into(), ty)])
    }

    /// What holds when both sets hold: later facts win.
    fn and(mut self, other: Refinements) -> Refinements {
        for (name, ty) in other.0 {
            match self.0.iter_mut().find(|(n, _)| *n == name) {
                Some(slot) if ty.is_subtype_of(&slot.1) => slot.1 = ty,
                Some(_) => {}
                None => self.0.push((name, ty)),
            }
        }
        self
    }

    /// What holds when either set holds: only variables that both speak of.
    fn or(self, other: Refinements) -> Refinements {
        let mut out = Vec::new();
        for (name, ty) in self.0 {
            if let Some((_, second)) = other.0.iter().find(|(n, _)| *n == name)
                && let Some(both) = rushlight_types::unify(&ty, second, true)
            {
                out.push((name, both));
            }
        }
        Refinements(out)
    }
}

/// A condition.
#[derive(Clone)]
pub struct Condition {
    /// A bool value.
    pub value: ValueId,
    /// What is known when it is true.
    pub when_true: Refinements,
    /// What is known when it is false.
    pub when_false: Refinements,
    /// The outcome, where the types alone decide it: the other branch is not compiled.
    pub known: Option<bool>,
}

impl Condition {
    fn plain(value: ValueId) -> Condition {
        Condition {
            value,
            when_true: Refinements::default(),
            when_false: Refinements::default(),
            known: None,
        }
    }
}

impl Emitter<'_> {
    /// Emits an expression as a condition.
    pub fn condition(&mut self, expr: &Expr) -> Outcome<Condition> {
        match &expr.kind {
            ExprKind::Unary {
                op: UnaryOp::Not,
                operand,
            } => {
                let inner = self.nested(&expr.span, |e| e.condition(operand))?;
                let value = self.builtin("aten::__not__", &[inner.value], &expr.span)?;
                Ok(Condition {
                    value,
                    when_true: inner.when_false,
                    when_false: inner.when_true,
                    known: inner.known.map(|k| !k),
                })
            }
            ExprKind::Bool { op, values } => {
                self.nested(&expr.span, |e| e.short_circuit(*op, values))
            }
            ExprKind::Compare { left, rest } if rest.len() == 1 => match rest[0].0 {
                CompareOp::Is | CompareOp::IsNot => {
                    self.identity(left, rest[0].0, &rest[0].1, expr)
                }
                _ => self.truth_of(expr),
            },
            _ => {
                if let Some(condition) = self.static_call(expr)? {
                    return Ok(condition);
                }
                self.truth_of(expr)
            }
        }
    }

    fn truth_of(&mut self, expr: &Expr) -> Outcome<Condition> {
        if let ExprKind::Call(call) = &expr.kind
            && let ExprKind::Attribute { value, .. } = &call.func.kind
        {
            self.looked_at(value)?;
        }
        self.truth_of_value(expr)
    }

    /// As [`Emitter::condition`] for that of a `while`, which the reference takes as a value.
    pub(super) fn loop_condition_of(&mut self, expr: &Expr) -> Outcome<Condition> {
        match &expr.kind {
            ExprKind::Call(_) => match self.static_call(expr)? {
                Some(condition) => Ok(condition),
                None => self.truth_of_value(expr),
            },
            _ => self.condition(expr),
        }
    }

    fn truth_of_value(&mut self, expr: &Expr) -> Outcome<Condition> {
        let sugared = match &expr.kind {
            ExprKind::Call(_) => self.sugared(expr, None)?,
            _ => self.expression(expr, None)?,
        };
        let literal = match &expr.kind {
            ExprKind::Constant(Constant::Bool(literal)) => Some(*literal),
            _ => None,
        };
        if let Some(known) = literal.or(sugared.static_bool()) {
            let value = match (&sugared, literal) {
                (Sugared::Value(value), Some(_)) => *value,
                _ => self.constant(known, &expr.span),
            };
            self.count_condition();
            return Ok(Condition {
                known: Some(known),
                ..Condition::plain(value)
            });
        }
        let value = sugared.as_value(self, &expr.span)?;
        // As the reference's `not`, `not in` gives a condition, whose truth is not asked for.
        let is_absence = matches!(
            &expr.kind,
            ExprKind::Compare { rest, .. } if rest.len() == 1 && rest[0].0 == CompareOp::NotIn
        );
        let value = match is_absence {
            true => value,
            false => self.truth(value, &expr.span)?,
        };
        // Constants decide, of a module or of the program around: not what a variable happens to hold.
        let is_variable =
            matches!(&expr.kind, ExprKind::Name(name) if self.env.find(name).is_some());
        let known = match self.graph.constant(value) {
            Some(Value::Bool(known)) if !is_variable => Some(known),
            _ => None,
        };
        Ok(Condition {
            known,
            ..Condition::plain(value)
        })
    }

    /// The truth of a value: `bool(value)`.
    pub fn truth(&mut self, value: ValueId, span: &Span) -> Outcome<ValueId> {
        let zero = self.count_condition();
        match self.ty(value).clone() {
            Type::Bool => Ok(value),
            Type::Int | Type::Float | Type::Tensor(_) | Type::Number => {
                self.builtin("aten::Bool", &[value], span)
            }
            Type::Str | Type::List(_) | Type::Dict(_) => {
                let length = self.builtin("aten::len", &[value], span)?;
                self.builtin("aten::gt", &[length, zero], span)
            }
            Type::Class(class) if class.method("__bool__").is_some() => {
                let out = Sugared::Value(value).attribute(self, "__bool__", span)?;
                let truth = out
                    .call(self, &Default::default(), span)?
                    .as_value(self, span)?;
                match self.ty(truth) {
                    Type::Bool => Ok(truth),
                    other => Err(problem(
                        "condition-type",
                        format!(
                            "expected a bool expression for condition but found {}",
                            other.message_form()
                        ),
                        span,
                    )),
                }
            }
            other => Err(problem(
                "condition-type",
                format!(
                    "Could not cast value of type {} to bool",
                    other.message_form()
                ),
                span,
            )),
        }
    }

    fn short_circuit(&mut self, op: BoolOp, values: &[Expr]) -> Outcome<Condition> {
        let (first, rest) = values.split_first().expect("a bool operation has operands");
        let mut left = self.condition(first)?;
        for (i, next) in rest.iter().enumerate() {
            let whole = first.span.join(&values[i + 1].span);
            left = self.short_circuit_pair(op, left, next, &whole)?;
        }
        Ok(left)
    }

    fn short_circuit_pair(
        &mut self,
        op: BoolOp,
        left: Condition,
        right: &Expr,
        span: &Span,
    ) -> Outcome<Condition> {
        let is_and = op == BoolOp::And;
        let node = self.node(Prim::If, &[left.value], &[], span);
        let (then_block, else_block) = (self.graph.add_block(node), self.graph.add_block(node));
        let (evaluating, skipping) = if is_and {
            (then_block, else_block)
        } else {
            (else_block, then_block)
        };
        let (facts, skipped) = if is_and {
            (left.when_true.clone(), left.when_false.clone())
        } else {
            (left.when_false.clone(), left.when_true.clone())
        };
        let evaluate = |e: &mut Self| {
            e.within(evaluating, |e| {
                e.refine(&facts, span);
                e.condition(right)
            })
        };
        let skip = |e: &mut Self| {
            e.within(skipping, |e| {
                e.refine(&skipped, span);
                Ok(e.constant(!is_and, span))
            })
        };
        // The first branch is emitted first.
        let (right, short) = if is_and {
            (evaluate(self)?, skip(self)?)
        } else {
            let short = skip(self)?;
            (evaluate(self)?, short)
        };
        self.graph.add_return(evaluating, right.value);
        self.graph.add_return(skipping, short);
        let value = self.graph.add_output(node, Type::Bool, None);
        let (when_true, when_false) = if is_and {
            (
                left.when_true.and(right.when_true),
                left.when_false.or(right.when_false),
            )
        } else {
            (
                left.when_true.or(right.when_true),
                left.when_false.and(right.when_false),
            )
        };
        // Both sides are emitted, also where one of them decides.
        let known = match (left.known, right.known) {
            (Some(k), _) | (_, Some(k)) if k != is_and => Some(k),
            (Some(_), Some(_)) => Some(is_and),
            _ => None,
        };
        Ok(Condition {
            value,
            when_true,
            when_false,
            known,
        })
    }

    fn identity(
        &mut self,
        left: &Expr,
        op: CompareOp,
        right: &Expr,
        whole: &Expr,
    ) -> Outcome<Condition> {
        let l = self.expression(left, None)?.as_value(self, &left.span)?;
        let r = self.expression(right, None)?.as_value(self, &right.span)?;
        let is = op == CompareOp::Is;
        let (lt, rt) = (self.ty(l).clone(), self.ty(r).clone());
        let name = match (&lt, &rt, is) {
            // Bools have no identity.
            (Type::Bool, Type::Bool, true) => "aten::eq",
            (Type::Bool, Type::Bool, false) => "aten::ne",
            (_, _, true) => "aten::__is__",
            (_, _, false) => "aten::__isnot__",
        };
        let (subject, subject_ty) = match (&lt, &rt) {
            (_, Type::None) => (left, lt.clone()),
            (Type::None, _) => (right, rt.clone()),
            _ => {
                let value = self.builtin(name, &[l, r], &whole.span)?;
                return Ok(Condition::plain(value));
            }
        };
        // The reference takes a value of type Any for one that is never None.
        if subject_ty == Type::None || subject_ty == Type::Any || !subject_ty.accepts_none() {
            let known = (subject_ty == Type::None) == is;
            let value = self.constant(known, &whole.span);
            return Ok(Condition {
                known: Some(known),
                ..Condition::plain(value)
            });
        }
        let value = self.builtin(name, &[l, r], &whole.span)?;
        let mut condition = Condition::plain(value);
        if let (Some(path), Some(rest)) = (variable_path(subject), subject_ty.subtract(&Type::None))
        {
            // Where it is None, the variable stays as it is, as in the reference.
            let some = Refinements::one(&path, rest);
            match is {
                true => condition.when_false = some,
                false => condition.when_true = some,
            }
        }
        Ok(condition)
    }

    /// `isinstance(x, T)` and `hasattr(x, "name")`: decided by types where possible.
    fn static_call(&mut self, expr: &Expr) -> Outcome<Option<Condition>> {
        let ExprKind::Call(call) = &expr.kind else {
            return Ok(None);
        };
        let callee = match &call.func.kind {
            ExprKind::Name(name) if matches!(&**name, "isinstance" | "hasattr") => {
                if self.env.find(name).is_some() {
                    return Ok(None);
                }
                name.to_string()
            }
            ExprKind::Attribute { .. } => match dotted(&call.func).as_deref() {
                Some("torch.jit.isinstance") => "isinstance".to_string(),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        if !call.keywords.is_empty() {
            let message = format!("{callee} takes no keyword arguments");
            return Err(problem("argument-count", message, &expr.span));
        }
        let [subject, what] = call.args.as_slice() else {
            let message = format!(
                "{callee} expected exactly 2 arguments but found {}",
                call.args.len()
            );
            return Err(problem("argument-count", message, &expr.span));
        };
        if callee == "hasattr" {
            let ExprKind::Constant(Constant::Str(name)) = &what.kind else {
                return Err(problem(
                    "hasattr",
                    "hasattr's second argument must be a string literal",
                    &what.span,
                ));
            };
            // What is compiled by asking is called from the statement.
            let statement = self.pending.clone();
            let object = self.expression(subject, None)?;
            self.pending = statement;
            self.has_attributes(&object, &subject.span)?;
            let known = object.has_attribute(self, name, &subject.span)?;
            if known && !matches!(object, Sugared::Value(_)) {
                // The reference asks a module by reading the attribute.
                object.attribute(self, name, &subject.span)?;
            }
            let value = self.constant(known, &subject.span);
            return Ok(Some(Condition {
                known: Some(known),
                ..Condition::plain(value)
            }));
        }
        self.isinstance(subject, what).map(Some)
    }

    /// Only objects and NamedTuples can be asked for attributes.
    pub(crate) fn has_attributes(&self, object: &Sugared, span: &Span) -> Outcome<()> {
        let Sugared::Value(value) = object else {
            return Ok(());
        };
        let ty = self.ty(*value);
        match ty {
            Type::Class(_) | Type::Interface(_) => Ok(()),
            Type::Tuple(tuple) if tuple.name.is_some() => Ok(()),
            _ => {
                let mark = self.inferred_mark(*value);
                let message = format!(
                    "hasattr's first argument must be an object or NamedTuple, got {ty}{mark} instead"
                );
                Err(problem("hasattr", message, span))
            }
        }
    }

    fn isinstance(&mut self, subject: &Expr, what: &Expr) -> Outcome<Condition> {
        let mut wanted = Vec::new();
        // The subject comes first where calls are told of.
        self.pending = subject.span.clone();
        self.isinstance_types(what, &mut wanted)?;
        let sugared = self.expression(subject, None)?;
        let Ok(value) = sugared.as_value(self, &subject.span) else {
            let value = self.constant(false, &subject.span);
            return Ok(Condition {
                known: Some(false),
                ..Condition::plain(value)
            });
        };
        let actual = self.ty(value).clone();
        let members: Vec<Type> = match &actual {
            Type::Union(members) => members.to_vec(),
            Type::Optional(inner) => vec![(**inner).clone(), Type::None],
            other => vec![other.clone()],
        };
        let fits = |t: &Type| wanted.iter().any(|w| t.is_subtype_of(w));
        let open = |t: &Type| !fits(t) && wanted.iter().any(|w| w.is_subtype_of(t) && w != t);
        let inside: Vec<Type> = members.iter().filter(|t| fits(t)).cloned().collect();
        let unsure = members.iter().any(open);
        if !unsure && (inside.len() == members.len() || inside.is_empty()) {
            let known = !inside.is_empty();
            let constant = self.constant(known, &subject.span);
            let mut condition = Condition {
                known: Some(known),
                ..Condition::plain(constant)
            };
            // The reference writes down what is known, also where it was known before.
            if let Some(path) = variable_path(subject) {
                let facts = Refinements::one(&path, actual);
                match known {
                    true => condition.when_true = facts,
                    false => condition.when_false = facts,
                }
            }
            return Ok(condition);
        }
        let node = self.graph.create(Prim::IsInstance, &[value], &[Type::Bool]);
        self.graph.append(self.block, node);
        // Several types are listed one by one, in the order of unions.
        let alone: Vec<Type> = wanted.iter().flat_map(alternatives).collect();
        let listed = match Type::union(alone.clone()) {
            Type::Union(members) if members.len() == alone.len() => members.to_vec(),
            _ => alone,
        };
        self.set_attr(node, "types", rushlight_ir::Attr::Types(listed));
        let mut condition = Condition::plain(self.graph.node(node).outputs()[0]);
        if let Some(path) = variable_path(subject) {
            let yes = if unsure {
                Type::union(
                    wanted
                        .iter()
                        .filter(|w| w.may_be(&actual))
                        .cloned()
                        .collect(),
                )
            } else {
                Type::union(inside)
            };
            condition.when_true = Refinements::one(&path, yes);
            let left: Vec<Type> = members.into_iter().filter(|t| !fits(t)).collect();
            if !left.is_empty() {
                condition.when_false = Refinements::one(&path, Type::union(left));
            }
        }
        Ok(condition)
    }

    fn isinstance_types(&mut self, what: &Expr, out: &mut Vec<Type>) -> Outcome<()> {
        match &what.kind {
            ExprKind::Tuple { elements, .. } | ExprKind::List(elements) => elements
                .iter()
                .try_for_each(|e| self.isinstance_types(e, out)),
            ExprKind::Binary {
                op: rushlight_syntax::tree::BinaryOp::BitOr,
                left,
                right,
            } => {
                self.isinstance_types(left, out)?;
                self.isinstance_types(right, out)
            }
            ExprKind::Name(name) if &**name == "list" => {
                out.push(Type::AnyList);
                Ok(())
            }
            ExprKind::Name(name) if &**name == "tuple" => {
                out.push(Type::AnyTuple);
                Ok(())
            }
            _ => {
                out.push(self.annotation(what)?);
                Ok(())
            }
        }
    }

    /// Puts refinements in force in the innermost frame.
    pub fn refine(&mut self, facts: &Refinements, span: &Span) {
        for (name, ty) in &facts.0 {
            let Some(variable) = self.env.find(name).and_then(Bound::variable).cloned() else {
                continue;
            };
            let value = self.load(name, &variable);
            let narrowed = self.cast(value, ty.clone(), span);
            self.name_value(narrowed, name);
            let outer = self.env.find_outside(name).cloned();
            self.compare_outer(name, outer.as_ref());
            let refined = Variable {
                ty: ty.clone(),
                refined: true,
                inferred: false,
            };
            self.store(name, narrowed, refined);
        }
    }
}

/// The variable that an expression names, if refinement can follow it.
fn variable_path(expr: &Expr) -> Option<Arc<str>> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.clone()),
        _ => None,
    }
}

/// `a.b.c` as text.
pub(crate) fn dotted(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.to_string()),
        ExprKind::Attribute { value, attr } => Some(format!("{}.{}", dotted(value)?, attr.name)),
        _ => None,
    }
}

/// The types that one stands for.
fn alternatives(ty: &Type) -> Vec<Type> {
    match ty {
        Type::Union(members) => members.iter().flat_map(alternatives).collect(),
        Type::Optional(inner) => [(**inner).clone(), Type::None].to_vec(),
        Type::Number => [Type::Float, Type::Complex, Type::Int].to_vec(),
        other => [other.clone()].to_vec(),
    }
}
