//! Subscripts: reading and writing items and slices of everything but tensors, and the way to those.

use crate::error::problem;
use crate::script::Bound;
use crate::script::{Arguments, Emitter};
use crate::sugared::SubscriptPlaces;
use crate::sugared::forms::SliceValue;
use crate::sugared::sequence;
use crate::{Outcome, Sugared};
use rushlight_ir::{Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_syntax::tree::{Expr, ExprKind};
use rushlight_types::{Type, Value};

impl Emitter<'_> {
    pub(super) fn subscript_expression(
        &mut self,
        value: &Expr,
        index: &Expr,
        wanted: Option<&Type>,
        span: &Span,
    ) -> Outcome<Sugared> {
        let object = self.sugared(value, None)?;
        match object {
            Sugared::Value(id) if self.is_container_of(id, wanted) => {
                let key = self.expression(index, None)?.as_value(self, &index.span)?;
                let part = self.builtin("prim::ModuleContainerIndex", &[id, key], span)?;
                self.graph
                    .set_type(part, wanted.cloned().unwrap_or(Type::Any));
                Ok(Sugared::Value(part))
            }
            Sugared::Value(id) => {
                let places = SubscriptPlaces {
                    value: &value.span,
                    whole: span,
                };
                self.subscript_value(id, index, places).map(Sugared::Value)
            }
            Sugared::Special(thing) => {
                if let ExprKind::Slice { .. } = index.kind {
                    let parts = thing.sliced_parts(self, span)?;
                    return self.slice_parts(parts, index, [&value.span, span]);
                }
                if sequence::is_tuple(&*thing) {
                    let tuple = thing.as_value(self, span)?;
                    let places = SubscriptPlaces {
                        value: &value.span,
                        whole: span,
                    };
                    let item = self.subscript_value(tuple, index, places)?;
                    return Ok(Sugared::Value(item));
                }
                let key = self.expression(index, None)?.as_value(self, &index.span)?;
                if let (Ok(parts), Some(Value::Int(at))) =
                    (thing.as_parts(self, span), self.graph.constant(key))
                {
                    let from_start = if at < 0 { at + parts.len() as i64 } else { at };
                    let part = usize::try_from(from_start).ok().and_then(|i| parts.get(i));
                    // Things are kept in tuples as values.
                    return match part {
                        Some(part) => Ok(Sugared::Value(part.as_value(self, span)?)),
                        None => Err(no_such_item(parts.len(), at, span)),
                    };
                }
                let places = SubscriptPlaces {
                    value: &value.span,
                    whole: span,
                };
                thing.subscript(self, key, wanted, places)
            }
        }
    }

    /// Whether a value is a module whose parts are picked by a number or name that only running tells, as one of an
    /// interface; so archives spell it.
    fn is_container_of(&self, value: ValueId, wanted: Option<&Type>) -> bool {
        let Type::Class(class) = self.ty(value) else {
            return false;
        };
        let is_interface = matches!(wanted, Some(Type::Interface(_)));
        is_interface && class.is_module() && class.method("__getitem__").is_none()
    }

    fn slice_parts(
        &mut self,
        parts: Vec<Sugared>,
        index: &Expr,
        [subject, span]: [&Span; 2],
    ) -> Outcome<Sugared> {
        let chosen = self.static_slice(index, parts.len(), subject)?;
        let picked: Vec<Sugared> = chosen.into_iter().map(|i| parts[i].clone()).collect();
        let sliced = sequence::Sliced::new(self, &picked, span)?;
        Ok(Sugared::special(sliced))
    }

    /// `value[index]` of a simple value.
    pub(crate) fn subscript_value(
        &mut self,
        value: ValueId,
        index: &Expr,
        places: SubscriptPlaces<'_>,
    ) -> Outcome<ValueId> {
        let span = places.whole;
        let spelled = self.spelled_slices(index)?;
        let index = spelled.as_ref().unwrap_or(index);
        let ty = self.ty(value).clone();
        match &ty {
            Type::Tensor(_) => self.index_tensor(value, index, places),
            Type::Tuple(tuple) => match &index.kind {
                ExprKind::Slice { .. } => {
                    let chosen = self.static_slice(index, tuple.elements.len(), span)?;
                    let mut picked = Vec::with_capacity(chosen.len());
                    for i in chosen {
                        let at = self.unplaced_constant(i as i64);
                        let ty = tuple.elements[i].clone();
                        picked.push(self.unplaced(Prim::TupleIndex, &[value, at], ty));
                    }
                    Ok(self.tuple(&picked, span))
                }
                _ => self.tuple_item_expr(value, index, span),
            },
            Type::List(_) | Type::Str | Type::Dict(_) | Type::Class(_) => match &index.kind {
                ExprKind::Slice { lower, upper, step } => {
                    let bounds = [lower.as_deref(), upper.as_deref(), step.as_deref()];
                    let [lower, upper, step] = self.slice_bounds(bounds, span)?;
                    let inputs = [value, lower, upper, step];
                    self.builtin("aten::slice", &inputs, span)
                }
                ExprKind::Tuple { elements, .. } if elements.len() != 1 => Err(problem(
                    "subscript",
                    "Unsupported operation: attempted to use multidimensional indexing on a non-tensor type",
                    span,
                )),
                _ => {
                    let key = self.expression(index, None)?;
                    let key = key.as_value(self, places.value)?;
                    self.item(value, key, span)
                }
            },
            _ => Err(problem(
                "not-subscriptable",
                format!("'{ty}' object is not subscriptable"),
                span,
            )),
        }
    }

    /// The index with each `slice(a, b)` in it, or variable that holds one, written as `a:b`.
    pub(crate) fn spelled_slices(&mut self, index: &Expr) -> Outcome<Option<Expr>> {
        let ExprKind::Tuple { elements, .. } = &index.kind else {
            return self.spelled_slice(index);
        };
        let mut out = index.clone();
        let mut found = false;
        for (i, element) in elements.iter().enumerate() {
            if let (Some(slice), ExprKind::Tuple { elements, .. }) =
                (self.spelled_slice(element)?, &mut out.kind)
            {
                elements[i] = slice;
                found = true;
            }
        }
        Ok(found.then_some(out))
    }

    fn spelled_slice(&mut self, index: &Expr) -> Outcome<Option<Expr>> {
        let may_be = match &index.kind {
            ExprKind::Call(call) => {
                matches!(&call.func.kind, ExprKind::Name(name) if &**name == "slice")
            }
            ExprKind::Name(name) => {
                matches!(self.env.find(name), Some(Bound::Fixed(Sugared::Special(_))))
            }
            _ => false,
        };
        if !may_be {
            return Ok(None);
        }
        let Sugared::Special(thing) = self.sugared(index, None)? else {
            return Ok(None);
        };
        let Some(slice) = thing.as_any().downcast_ref::<SliceValue>() else {
            return Ok(None);
        };
        let mut bound = |value: ValueId| {
            let name = self.temporary();
            self.env.bind(&name, Bound::Fixed(Sugared::Value(value)));
            Some(Box::new(Expr {
                kind: ExprKind::Name(name),
                span: index.span.clone(),
            }))
        };
        let kind = ExprKind::Slice {
            lower: bound(slice.lower),
            upper: bound(slice.upper),
            step: bound(slice.step),
        };
        Ok(Some(Expr {
            kind,
            span: index.span.clone(),
        }))
    }

    /// `container[key]` with an evaluated key.
    pub(crate) fn item(
        &mut self,
        container: ValueId,
        key: ValueId,
        span: &Span,
    ) -> Outcome<ValueId> {
        if let Type::Class(_) = self.ty(container) {
            let method = Sugared::Value(container).attribute(self, "__getitem__", span)?;
            return method
                .call(self, &Arguments::of(&[key], span), span)?
                .as_value(self, span);
        }
        self.builtin("aten::__getitem__", &[container, key], span)
    }

    /// `container[key] = value` with everything evaluated.
    pub(crate) fn set_item(
        &mut self,
        container: ValueId,
        key: ValueId,
        value: ValueId,
        span: &Span,
    ) -> Outcome<()> {
        match self.ty(container).clone() {
            Type::Class(_) => {
                let method = Sugared::Value(container).attribute(self, "__setitem__", span)?;
                method.call(self, &Arguments::of(&[key, value], span), span)?;
                Ok(())
            }
            _ => self
                .builtin("aten::_set_item", &[container, key, value], span)
                .map(drop),
        }
    }

    pub(crate) fn assign_subscript(
        &mut self,
        container: &Expr,
        index: &Expr,
        value: ValueId,
        target: &Span,
        span: &Span,
    ) -> Outcome<()> {
        let object = self
            .sugared(container, None)?
            .as_value(self, &container.span)?;
        if let ExprKind::Slice { .. } = index.kind
            && matches!(
                self.ty(object),
                Type::List(_) | Type::Dict(_) | Type::Class(_)
            )
        {
            return Err(problem(
                "subscript",
                "Sliced expression not yet supported for subscripted assignment. File a bug if you want this",
                &container.span.join(&index.span),
            ));
        }
        if let ty @ Type::Tuple(_) = self.ty(object) {
            let message = format!("{ty} does not support subscripted assignment");
            return Err(problem("subscript", message, target));
        }
        self.assign_subscript_value(object, index, value, [target, span])
    }

    pub(crate) fn assign_subscript_value(
        &mut self,
        object: ValueId,
        index: &Expr,
        value: ValueId,
        [target, span]: [&Span; 2],
    ) -> Outcome<()> {
        match self.ty(object) {
            Type::Tensor(_) => self.assign_tensor_index(object, index, value, [target, span]),
            _ => {
                let key = self.expression(index, None)?.as_value(self, &index.span)?;
                self.set_item(object, key, value, span)
            }
        }
    }

    fn tuple_item_expr(&mut self, value: ValueId, index: &Expr, span: &Span) -> Outcome<ValueId> {
        let Type::Tuple(tuple) = self.ty(value).clone() else {
            unreachable!("asked of tuples only")
        };
        let key = self.expression(index, None)?.as_value(self, &index.span)?;
        if *self.ty(key) != Type::Int {
            return Err(problem("subscript", "tuple index must be an integer", span));
        }
        let count = tuple.elements.len() as i64;
        match self.graph.constant(key) {
            Some(Value::Int(at)) => {
                let i = if at < 0 { at + count } else { at };
                if i < 0 || i >= count {
                    return Err(no_such_item(tuple.elements.len(), at, span));
                }
                let element = tuple.elements[i as usize].clone();
                Ok(self.unplaced(Prim::TupleIndex, &[value, key], element))
            }
            _ => {
                let Some(first) = tuple
                    .elements
                    .first()
                    .filter(|f| tuple.elements.iter().all(|t| t == *f))
                else {
                    return Err(problem(
                        "subscript",
                        format!(
                            "Cannot index into a {} with a non-integer literal because we cannot resolve the output type",
                            Type::Tuple(tuple.clone())
                        ),
                        span,
                    ));
                };
                Ok(self.unplaced(Prim::TupleIndex, &[value, key], first.clone()))
            }
        }
    }

    /// The positions that a slice with constant bounds picks.
    fn static_slice(&mut self, index: &Expr, count: usize, span: &Span) -> Outcome<Vec<usize>> {
        let ExprKind::Slice { lower, upper, step } = &index.kind else {
            return Ok(Vec::new());
        };
        let mut bound = |expr: &Option<Box<Expr>>| -> Outcome<Option<i64>> {
            let Some(expr) = expr else { return Ok(None) };
            let value = self.expression(expr, None)?.as_value(self, &expr.span)?;
            match self.graph.constant(value) {
                Some(Value::Int(i)) => Ok(Some(i)),
                Some(Value::None) => Ok(None),
                _ => Err(problem(
                    "subscript",
                    "tuple slice indices must be integer constants",
                    span,
                )),
            }
        };
        let (lower, upper, step) = (bound(lower)?, bound(upper)?, bound(step)?.unwrap_or(1));
        if step == 0 {
            return Err(problem(
                "subscript",
                "slice step cannot be zero",
                &index.span,
            ));
        }
        let n = count as i64;
        let clamp = |v: i64, low: i64, high: i64| {
            (if v < 0 { v.saturating_add(n) } else { v }).clamp(low, high)
        };
        let mut out = Vec::new();
        if step > 0 {
            let (mut i, end) = (
                clamp(lower.unwrap_or(0), 0, n),
                clamp(upper.unwrap_or(n), 0, n),
            );
            while i < end {
                out.push(i as usize);
                i = i.saturating_add(step);
            }
        } else {
            let mut i = lower.map_or(n - 1, |v| clamp(v, -1, n - 1));
            let end = upper.map_or(-1, |v| clamp(v, -1, n - 1));
            while i > end {
                out.push(i as usize);
                i = i.saturating_add(step);
            }
        }
        Ok(out)
    }
}

/// What is said of an index that a tuple of a known length does not have.
fn no_such_item(count: usize, at: i64, span: &Span) -> crate::Problem {
    let message = format!("Tuple index out of range. Tuple is length {count} and index is {at}");
    problem("index-range", message, span)
}
