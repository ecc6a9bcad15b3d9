//! List and dict comprehensions.

use super::display::{check_hint, mixed_elements, narrow};
use crate::error::{problem, unsupported};
use crate::script::BoundBy;
use crate::script::Emitter;
use crate::sugared::iterable::{Counted, Iteration};
use crate::{Outcome, Sugared};
use rushlight_ir::{NodeId, Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_syntax::tree::{Comprehension, Expr};
use rushlight_types::Type;
use std::rc::Rc;

impl Emitter<'_> {
    fn only_generator<'g>(
        &self,
        generators: &'g [Comprehension],
        span: &Span,
    ) -> Outcome<&'g Comprehension> {
        let [generator] = generators else {
            return Err(unsupported(
                "Only a single generator is currently supported",
                span,
            ));
        };
        if let Some(condition) = generator.conditions.first() {
            return Err(unsupported(
                "Comprehension ifs are not supported yet",
                &condition.span,
            ));
        }
        Ok(generator)
    }

    pub(super) fn list_comprehension(
        &mut self,
        element: &Expr,
        generators: &[Comprehension],
        hint: Option<&Type>,
        span: &Span,
    ) -> Outcome<Sugared> {
        check_hint(hint, "List", span)?;
        let generator = self.only_generator(generators, span)?;
        let start = self.last_node();
        let number = self.graph.reserve_number();
        let iterable = self.sugared(&generator.iter, None)?;
        match iterable.iterate(self, span)? {
            Iteration::Unrolled(items) => {
                let list = self.unnumbered(|e| e.list(Type::TENSOR, &[], span));
                self.graph.use_number(list, number);
                self.move_behind(start, list);
                let mut first: Option<Type> = None;
                for (i, item) in items.into_iter().enumerate() {
                    self.literal(i as i64, span);
                    self.env.frames.push(Default::default());
                    self.assign_shared = true;
                    let value = self.bind_and_emit(generator, item, element, span);
                    self.assign_shared = false;
                    self.env.frames.pop();
                    let value = value?.as_value(self, &element.span)?;
                    let ty = self.ty(value).clone();
                    match &first {
                        Some(first) if !ty.is_subtype_of(first) => {
                            return Err(mixed_elements(first, &ty, span));
                        }
                        Some(_) => {}
                        None => {
                            self.graph.set_type(list, Type::list(ty.clone()));
                            first = Some(ty);
                        }
                    }
                    self.builtin("aten::append", &[list, value], span)?;
                }
                self.fit_list(list, hint, span)?;
                Ok(Sugared::Value(list))
            }
            Iteration::Counted(counted) => {
                let list = self.unnumbered(|e| e.list(Type::TENSOR, &[], span));
                self.collect_with(list, &counted, span, |e, item, _| {
                    e.bind_and_emit(generator, item, element, span)
                })?;
                self.graph.use_number(list, number);
                self.move_behind(start, list);
                self.fit_list(list, hint, span)?;
                Ok(Sugared::Value(list))
            }
        }
    }

    /// Gives a list the type that the place wants.
    fn fit_list(&mut self, list: ValueId, hint: Option<&Type>, span: &Span) -> Outcome<()> {
        if let Some(hint @ Type::List(wanted)) = hint {
            let found = self.ty(list).list_element().cloned().unwrap_or(Type::Any);
            if !found.is_subtype_of(wanted) {
                return Err(super::display::wrong_elements(
                    wanted,
                    &found.to_string(),
                    span,
                ));
            }
            self.graph.set_type(list, hint.clone());
        }
        Ok(())
    }

    /// The node behind which the next one goes.
    pub(crate) fn last_node(&self) -> NodeId {
        let end = self.graph.return_node(self.block);
        self.graph.prev(end).expect("a block has a Param node")
    }

    /// The collection of a comprehension is made before what it goes over.
    pub(crate) fn move_behind(&mut self, start: NodeId, collection: ValueId) {
        let node = self.graph.value(collection).node();
        if self.graph.next(start) != Some(node) {
            self.graph.detach(node);
            self.graph.insert_after(start, node);
        }
    }

    fn bind_and_emit(
        &mut self,
        generator: &Comprehension,
        item: Sugared,
        element: &Expr,
        span: &Span,
    ) -> Outcome<Sugared> {
        self.shadow(&generator.target, item, span)?;
        self.expression(element, None)
    }

    /// Binds the target of a comprehension: its names are its own and hide outer ones.
    fn shadow(&mut self, target: &Expr, item: Sugared, span: &Span) -> Outcome<()> {
        use rushlight_syntax::tree::ExprKind;
        match &target.kind {
            ExprKind::Name(name) => {
                if let Sugared::Value(v) = item
                    && self.graph.value(v).name.is_none()
                    && !self.assign_shared
                {
                    self.name_value(v, name);
                }
                let variable = crate::script::Variable {
                    value: Ok(item),
                    declared: None,
                    by: BoundBy::Assigned,
                };
                self.env.bind(name, variable);
                Ok(())
            }
            ExprKind::Tuple { elements, .. } | ExprKind::List(elements) => {
                let parts = item.as_parts(self, span)?;
                if parts.len() != elements.len() {
                    return Err(problem(
                        "unpack",
                        format!(
                            "need {} values to unpack but found {}",
                            elements.len(),
                            parts.len()
                        ),
                        &target.span,
                    ));
                }
                elements
                    .iter()
                    .zip(parts)
                    .try_for_each(|(t, p)| self.shadow(t, p, span))
            }
            _ => Err(problem(
                "assignment-target",
                "unexpected target of a comprehension",
                &target.span,
            )),
        }
    }

    pub(super) fn dict_comprehension(
        &mut self,
        key: Option<&Expr>,
        value: &Expr,
        generators: &[Comprehension],
        hint: Option<&Type>,
        span: &Span,
    ) -> Outcome<Sugared> {
        check_hint(hint, "Dict", span)?;
        let generator = self.only_generator(generators, span)?;
        let Some(key) = key else {
            return Err(unsupported("dict expansion is not supported", span));
        };
        let start = self.last_node();
        let number = self.graph.reserve_number();
        let iterable = self.sugared(&generator.iter, None)?;
        match iterable.iterate(self, span)? {
            Iteration::Unrolled(items) => {
                let (mut keys, mut values) = (Vec::new(), Vec::new());
                for item in items {
                    self.env.frames.push(Default::default());
                    let pair = self.pair(generator, item, (key, value), span);
                    self.env.frames.pop();
                    let (k, v) = pair?;
                    keys.push(k);
                    values.push(v);
                }
                let dict = self.dict_of(&keys, &values, hint, span)?;
                Ok(Sugared::Value(self.as_hinted(dict, hint, span)))
            }
            Iteration::Counted(counted) => {
                let dict = self.counted_dict(&counted, hint, span, |e, item| {
                    e.pair(generator, item, (key, value), span)
                })?;
                self.graph.use_number(dict, number);
                self.move_behind(start, dict);
                Ok(Sugared::Value(self.as_hinted(dict, hint, span)))
            }
        }
    }

    fn pair(
        &mut self,
        generator: &Comprehension,
        item: Sugared,
        (key, value): (&Expr, &Expr),
        span: &Span,
    ) -> Outcome<(ValueId, ValueId)> {
        self.shadow(&generator.target, item, span)?;
        let k = self.expression(key, None)?.as_value(self, &key.span)?;
        let v = self.expression(value, None)?.as_value(self, &value.span)?;
        Ok((k, v))
    }

    /// `{k: v for ... in counted}`: the dict starts empty and each step sets an item.
    pub(crate) fn counted_dict(
        &mut self,
        counted: &Rc<dyn Counted>,
        hint: Option<&Type>,
        span: &Span,
        each: impl FnOnce(&mut Self, Sugared) -> Outcome<(ValueId, ValueId)>,
    ) -> Outcome<ValueId> {
        let dict = self.unnumbered(|e| {
            let ty = Type::dict(Type::Str, Type::TENSOR);
            e.unplaced(Prim::DictConstruct, &[], ty)
        });
        let length = counted.length(self, span)?;
        let start = self.constant(true, span);
        let node = self.node(Prim::Loop, &[length, start], &[], span);
        let block = self.graph.add_block(node);
        let index = self.graph.add_param(block, Type::Int, None);
        self.in_block(block, |e| {
            let item = counted.element(e, index, span)?;
            let (k, mut v) = each(e, item)?;
            let ty = match narrow(hint, |t| matches!(t, Type::Dict(_))) {
                Some(Type::Dict(wanted)) => {
                    check_entry(&wanted, e.ty(k), e.ty(v), span)?;
                    if *e.ty(v) == Type::None {
                        v = e.widen(v, &wanted.1, span);
                    }
                    Type::Dict(wanted)
                }
                _ => Type::dict(e.ty(k).clone(), e.ty(v).clone()),
            };
            e.graph.set_type(dict, ty);
            e.builtin("aten::_set_item", &[dict, k, v], span)?;
            e.graph.set_returns(block, &[start]);
            Ok(())
        })?;
        Ok(dict)
    }
}

/// Refuses an entry of a dict whose annotation says otherwise.
fn check_entry(wanted: &(Type, Type), key: &Type, value: &Type, span: &Span) -> Outcome<()> {
    if let Type::Union(_) = key {
        let message = format!(
            "Dicts may only contain homogeneous keys, but the type of the first generated key was {key}"
        );
        return Err(problem("dict-key", message, span));
    }
    let annotation = Type::dict(wanted.0.clone(), wanted.1.clone());
    let mut message = String::new();
    for (kind, wanted, found) in [("key", &wanted.0, key), ("value", &wanted.1, value)] {
        if !found.is_subtype_of(wanted) {
            message.push_str(&format!(
                "Dict type annotation `{annotation}` did not match the type of an actual {kind} type `{found}`\n"
            ));
        }
    }
    match message.is_empty() {
        true => Ok(()),
        false => Err(problem("dict-item", message, span)),
    }
}
