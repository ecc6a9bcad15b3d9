//! List and dict comprehensions.

use super::display::{check_hint, dict_for, list_for, mixed_elements};
use crate::error::{problem, unsupported};
use crate::script::Emitter;
use crate::sugared::iterable::{Counted, Iteration};
use crate::{Outcome, Sugared};
use rushlight_ir::{Prim, ValueId};
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

    pub(crate) fn list_comprehension(
        &mut self,
        element: &Expr,
        generators: &[Comprehension],
        hint: Option<&Type>,
        span: &Span,
    ) -> Outcome<Sugared> {
        check_hint(hint, "List", span)?;
        let generator = self.only_generator(generators, span)?;
        let list = self.list(Type::TENSOR, &[], span);
        self.scoped(span, |e| {
            let iterable = e.sugared(&generator.iter, None)?;
            match iterable.iterate(e, span)? {
                Iteration::Unrolled(items) => {
                    e.collect_unrolled(list, generator, items, element, hint, span)
                }
                Iteration::Counted(counted) => {
                    e.collect_with(list, &counted, span, |e, item, _| {
                        e.assign_element(&generator.target, item, span)?;
                        let value = e.expression(element, None)?;
                        value.as_value(e, &element.span).map(Sugared::Value)
                    })
                }
            }
        })?;
        self.fit_list(list, hint, span)?;
        Ok(Sugared::Value(list))
    }

    /// Emits into a block whose variables are its own: those of a comprehension hide outer ones.
    fn scoped<T>(&mut self, span: &Span, body: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        let node = self.node(Prim::ComprehensionScope, &[], &[], span);
        let block = self.graph.add_block(node);
        self.within(block, body)
    }

    fn collect_unrolled(
        &mut self,
        list: ValueId,
        generator: &Comprehension,
        items: Vec<Sugared>,
        element: &Expr,
        hint: Option<&Type>,
        span: &Span,
    ) -> Outcome<()> {
        let mut first: Option<Type> = None;
        for (i, item) in items.into_iter().enumerate() {
            self.literal(i as i64, span);
            self.assign_element(&generator.target, item, span)?;
            let value = self
                .expression(element, None)?
                .as_value(self, &element.span)?;
            let ty = self.ty(value).clone();
            match &first {
                Some(first) if !ty.is_subtype_of(first) => {
                    return Err(mixed_elements(first, &ty, span));
                }
                Some(_) => {}
                None => {
                    let held = match list_for(hint, || Some(ty.clone()), span)? {
                        Some(Type::List(wanted)) if ty.is_subtype_of(&wanted) => (*wanted).clone(),
                        _ => ty,
                    };
                    self.graph.set_type(list, Type::list(held.clone()));
                    first = Some(held);
                }
            }
            self.builtin("aten::append", &[list, value], span)?;
        }
        Ok(())
    }

    /// Gives a list the type that the place wants.
    fn fit_list(&mut self, list: ValueId, hint: Option<&Type>, span: &Span) -> Outcome<()> {
        let found = self.ty(list).list_element().cloned().unwrap_or(Type::Any);
        if let Some(hint @ Type::List(wanted)) = &list_for(hint, || Some(found.clone()), span)? {
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

    pub(crate) fn dict_comprehension(
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
        let dict = self.empty_dict();
        self.scoped(span, |e| {
            let iterable = e.sugared(&generator.iter, None)?;
            match iterable.iterate(e, span)? {
                Iteration::Unrolled(items) => {
                    if items.is_empty()
                        && let Some(wanted) = dict_for(hint, || None, span)?
                    {
                        e.graph.set_type(dict, wanted);
                    }
                    for (i, item) in items.into_iter().enumerate() {
                        e.literal(i as i64, span);
                        let (k, v) = e.pair(generator, item, (key, value), span)?;
                        if i > 0
                            && let Type::Dict(held) = e.ty(dict).clone()
                        {
                            check_entry(&held, e.ty(k), e.ty(v), span)?;
                        }
                        e.set_entry(dict, (k, v), hint, span)?;
                    }
                    Ok(())
                }
                Iteration::Counted(counted) => {
                    e.fill_dict(dict, &counted, hint, span, |e, item| {
                        e.pair(generator, item, (key, value), span)
                    })
                }
            }
        })?;
        Ok(Sugared::Value(self.as_hinted(dict, hint, span)))
    }

    /// A dict for entries that follow, of a type that they decide.
    fn empty_dict(&mut self) -> ValueId {
        let ty = Type::dict(Type::Str, Type::TENSOR);
        self.unplaced(Prim::DictConstruct, &[], ty)
    }

    fn pair(
        &mut self,
        generator: &Comprehension,
        item: Sugared,
        (key, value): (&Expr, &Expr),
        span: &Span,
    ) -> Outcome<(ValueId, ValueId)> {
        self.assign_element(&generator.target, item, span)?;
        let k = self.expression(key, None)?.as_value(self, &key.span)?;
        let v = self.expression(value, None)?.as_value(self, &value.span)?;
        Ok((k, v))
    }

    /// `{k: v for ... in counted}`: the dict starts empty and each step sets an item.
    fn fill_dict(
        &mut self,
        dict: ValueId,
        counted: &Rc<dyn Counted>,
        hint: Option<&Type>,
        span: &Span,
        each: impl FnOnce(&mut Self, Sugared) -> Outcome<(ValueId, ValueId)>,
    ) -> Outcome<()> {
        let length = counted.length(self, span)?;
        self.emit_loop(length, span, None, |e, index| {
            let item = counted.element(e, index, span)?;
            let entry = each(e, item)?;
            e.set_entry(dict, entry, hint, span)
        })
    }

    /// Sets an item of a dict, which is of the type that the item and a hint decide.
    fn set_entry(
        &mut self,
        dict: ValueId,
        (k, v): (ValueId, ValueId),
        hint: Option<&Type>,
        span: &Span,
    ) -> Outcome<()> {
        let entry = (self.ty(k).clone(), self.ty(v).clone());
        refuse_union(&entry.0, span)?;
        let ty = match dict_for(hint, || Some(entry.clone()), span)? {
            Some(Type::Dict(wanted)) => {
                check_entry(&wanted, &entry.0, &entry.1, span)?;
                if entry.1 == Type::None {
                    self.graph.set_type(v, wanted.1.clone());
                }
                Type::Dict(wanted)
            }
            _ => Type::dict(entry.0, entry.1),
        };
        self.graph.set_type(dict, ty);
        self.builtin("aten::_set_item", &[dict, k, v], span)?;
        Ok(())
    }
}

/// Refuses keys of several types.
fn refuse_union(key: &Type, span: &Span) -> Outcome<()> {
    let Type::Union(_) = key else { return Ok(()) };
    let message = format!(
        "Dicts may only contain homogeneous keys, but the type of the first generated key was {key}"
    );
    Err(problem("dict-key", message, span))
}

/// Refuses an entry of a dict whose annotation says otherwise.
fn check_entry(wanted: &(Type, Type), key: &Type, value: &Type, span: &Span) -> Outcome<()> {
    let annotation = Type::dict(wanted.0.clone(), wanted.1.clone());
    check_parts(wanted, [key, value], span, |kind, _, found| {
        format!(
            "Dict type annotation `{annotation}` did not match the type of an actual {kind} type `{found}`"
        )
    })
}

/// Refuses a key and a value that a dict of some types does not hold; of each it is said what is wanted and what was found.
pub(crate) fn check_parts(
    wanted: &(Type, Type),
    [key, value]: [&Type; 2],
    span: &Span,
    say: impl Fn(&str, &Type, &Type) -> String,
) -> Outcome<()> {
    let mut message = String::new();
    for (kind, wanted, found) in [("key", &wanted.0, key), ("value", &wanted.1, value)] {
        if !found.is_subtype_of(wanted) {
            message.push_str(&say(kind, wanted, found));
            message.push('\n');
        }
    }
    match message.is_empty() {
        true => Ok(()),
        false => Err(problem("dict-item", message, span)),
    }
}
