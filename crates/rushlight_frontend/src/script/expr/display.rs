//! List, tuple and dict displays.

use crate::error::problem;
use crate::script::Emitter;
use crate::{Outcome, Sugared};
use rushlight_ir::{Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_syntax::tree::{DictItem, Expr, ExprKind};
use rushlight_types::{Type, unify_list};

/// The member of a hint that a display can take: the list in `Optional[List[int]]`.
pub(crate) fn narrow(hint: Option<&Type>, fits: impl Fn(&Type) -> bool) -> Option<Type> {
    match hint? {
        Type::Optional(inner) if fits(inner) => Some((**inner).clone()),
        Type::Union(members) => {
            let mut found = members.iter().filter(|m| fits(m));
            found.next().filter(|_| found.next().is_none()).cloned()
        }
        ty if fits(ty) => Some(ty.clone()),
        _ => None,
    }
}

/// Refuses a list or dict where an annotation asks for something else.
pub(crate) fn check_hint(hint: Option<&Type>, kind: &str, span: &Span) -> Outcome<()> {
    let fits = |ty: &Type| match ty {
        Type::List(_) => kind == "List",
        Type::Dict(_) => kind == "Dict",
        Type::Any | Type::Var(_) => true,
        _ => false,
    };
    let message = match hint {
        None => return Ok(()),
        Some(Type::Union(members)) if members.iter().any(fits) => return Ok(()),
        Some(Type::Optional(inner)) if fits(inner) => return Ok(()),
        Some(hint) if fits(hint) => return Ok(()),
        Some(hint @ Type::Union(_)) => {
            format!("Expected a Union type annotation with an inner {kind} type, but got {hint}")
        }
        Some(hint) => format!("Expected an annotation of type {kind} but got {hint}"),
    };
    Err(problem("annotate-type", message, span))
}

/// The members of a union that a display could become, where there are several.
pub(crate) fn several(
    hint: Option<&Type>,
    fits: impl Fn(&Type) -> bool,
) -> Option<(&Type, Vec<&Type>)> {
    let Some(union @ Type::Union(members)) = hint else {
        return None;
    };
    let found: Vec<&Type> = members.iter().filter(|m| fits(m)).collect();
    (found.len() > 1).then_some((union, found))
}

/// The list of a hint that elements make whose common type is found by `element`: a union may have several.
pub(super) fn list_for(
    hint: Option<&Type>,
    element: impl FnOnce() -> Option<Type>,
    span: &Span,
) -> Outcome<Option<Type>> {
    let is_list = |t: &Type| matches!(t, Type::List(_));
    let takes =
        |element: &Type, t: &Type| matches!(t, Type::List(held) if element.is_subtype_of(held));
    member_for(
        hint,
        is_list,
        element,
        takes,
        |union, offered, found| match found {
            None => nothing_among(union, "list", "List", span),
            Some(element) => {
                let message = format!(
                    "Union type annotation `{union}` can hold {offered}, but none of those types match the types of the given list elements, which were unified to {element}"
                );
                problem("list-element", message, span)
            }
        },
    )
}

/// The dict of a hint that keys and values make whose common types are found by `entry`: a union may have several.
pub(super) fn dict_for(
    hint: Option<&Type>,
    entry: impl FnOnce() -> Option<(Type, Type)>,
    span: &Span,
) -> Outcome<Option<Type>> {
    let is_dict = |t: &Type| matches!(t, Type::Dict(_));
    let takes = |(key, value): &(Type, Type), t: &Type| matches!(t, Type::Dict(kv) if key.is_subtype_of(&kv.0) && value.is_subtype_of(&kv.1));
    member_for(
        hint,
        is_dict,
        entry,
        takes,
        |union, offered, found| match found {
            None => nothing_among(union, "dict", "Dict", span),
            Some((key, value)) => {
                // The reference leaves the last bracket out.
                let message = format!(
                    "Union type annotation `{union}` can hold {offered}, but none of those dict types can hold the types of the given keys and values, which were unified to Dict[{key}, {value}"
                );
                problem("dict-item", message, span)
            }
        },
    )
}

/// The type of a hint that a display makes: where a union has several of its kind, the first that `takes` what the display holds,
/// which is looked at only then.
fn member_for<F>(
    hint: Option<&Type>,
    is_kind: impl Fn(&Type) -> bool,
    found: impl FnOnce() -> Option<F>,
    takes: impl Fn(&F, &Type) -> bool,
    refusal: impl FnOnce(&Type, &str, Option<&F>) -> crate::Problem,
) -> Outcome<Option<Type>> {
    let Some((union, members)) = several(hint, &is_kind) else {
        return Ok(narrow(hint, is_kind));
    };
    let found = found();
    let suited = found
        .as_ref()
        .and_then(|found| members.iter().find(|member| takes(found, member)));
    match suited {
        Some(member) => Ok(Some((*member).clone())),
        None => Err(refusal(union, &either(&members), found.as_ref())),
    }
}

/// The problem of an empty display that could become several types.
fn nothing_among(union: &Type, noun: &str, kind: &str, span: &Span) -> crate::Problem {
    let message = format!(
        "Cannot assign an empty {noun} to a variable annotated to be type {union} because there are multiple possible {kind} type candidates in the Union annotation"
    );
    problem("annotate-type", message, span)
}

/// Types as messages offer them: with more than two, the reference has a space too many before the last.
fn either(types: &[&Type]) -> String {
    match types {
        [first, second] => format!("{first} or {second}"),
        [others @ .., last] => {
            let others: String = others.iter().map(|t| format!("{t}, ")).collect();
            format!("{others} or {last}")
        }
        [] => String::new(),
    }
}

impl Emitter<'_> {
    /// The one type that values have; a union where they have several.
    fn common(&self, values: &[ValueId]) -> Type {
        let types = self.types_of(values);
        unify_list(&types, false).unwrap_or_else(|| unify_list(&types, true).unwrap_or(Type::Any))
    }

    fn types_of(&self, values: &[ValueId]) -> Vec<Type> {
        values.iter().map(|&v| self.ty(v).unshaped()).collect()
    }

    /// The values of a display's elements, those of starred ones one by one.
    fn elements(&mut self, elements: &[Expr]) -> Outcome<Vec<ValueId>> {
        let mut values = Vec::with_capacity(elements.len());
        for element in elements {
            if let ExprKind::Starred(starred) = &element.kind {
                let parts = self.sugared(starred, None)?.as_parts(self, &element.span)?;
                for part in parts {
                    values.push(part.as_value(self, &starred.span)?);
                }
                continue;
            }
            values.push(
                self.expression(element, None)?
                    .as_value(self, &element.span)?,
            );
        }
        Ok(values)
    }

    pub(super) fn list_display(
        &mut self,
        elements: &[Expr],
        hint: Option<&Type>,
        span: &Span,
    ) -> Outcome<ValueId> {
        check_hint(hint, "List", span)?;
        let values = self.elements(elements)?;
        let element = || (!values.is_empty()).then(|| self.common(&values));
        let one = list_for(hint, element, span)?;
        let list = self.list_of(&values, one.as_ref(), span)?;
        Ok(self.as_hinted(list, hint, span))
    }

    /// A display where an optional or a union is expected is one of these; no other expression is.
    pub(crate) fn as_hinted(
        &mut self,
        display: ValueId,
        hint: Option<&Type>,
        span: &Span,
    ) -> ValueId {
        match hint {
            Some(wide @ (Type::Optional(_) | Type::Union(_)))
                if self.ty(display).is_subtype_of(wide) =>
            {
                self.cast(display, wide.clone(), span)
            }
            _ => display,
        }
    }

    /// A list of values: of the hinted element type where they fit it, else of their common type.
    pub(crate) fn list_of(
        &mut self,
        values: &[ValueId],
        hint: Option<&Type>,
        span: &Span,
    ) -> Outcome<ValueId> {
        let hint = narrow(hint, |t| matches!(t, Type::List(_)));
        let hinted = hint.as_ref().and_then(Type::list_element).cloned();
        if values.is_empty() {
            let Some(element) = hinted else {
                let list = self.unplaced(Prim::EmptyListLiteral, &[], Type::list(Type::TENSOR));
                self.empty_lists.push(list);
                return Ok(list);
            };
            return Ok(self.list(element, &[], span));
        }
        let element = match hinted {
            Some(element) => {
                let converted: Vec<ValueId> = values
                    .iter()
                    .map(|&v| crate::script::convert::implicitly(self, v, &element, false, span))
                    .collect();
                if converted
                    .iter()
                    .any(|&v| !self.ty(v).is_subtype_of(&element))
                {
                    let found = unify_list(&self.types_of(values), true).unwrap_or(Type::Any);
                    let mark = self.inferred_mark(values[0]);
                    return Err(wrong_elements(&element, &format!("{found}{mark}"), span));
                }
                return Ok(self.list(element, &converted, span));
            }
            None => self.common(values),
        };
        Ok(self.list(element, values, span))
    }

    pub(super) fn tuple_display(&mut self, elements: &[Expr], span: &Span) -> Outcome<Sugared> {
        let values = self.elements(elements)?;
        Ok(Sugared::Value(self.tuple(&values, span)))
    }

    pub(super) fn dict_display(
        &mut self,
        items: &[DictItem],
        hint: Option<&Type>,
        span: &Span,
    ) -> Outcome<ValueId> {
        check_hint(hint, "Dict", span)?;
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for item in items {
            let Some(key) = &item.key else {
                return Err(problem(
                    "not-supported",
                    "dict expansion is not supported",
                    &item.value.span,
                ));
            };
            keys.push(self.expression(key, None)?.as_value(self, &key.span)?);
            values.push(
                self.expression(&item.value, None)?
                    .as_value(self, &item.value.span)?,
            );
        }
        if narrow(hint, |t| matches!(t, Type::Dict(_))).is_none()
            && let Some(first) = keys.first()
        {
            let expected = self.ty(*first).clone();
            for (key, item) in keys.iter().zip(items) {
                let found = self.ty(*key);
                if !found.is_subtype_of(&expected) {
                    let at = item.key.as_ref().map_or(span, |k| &k.span);
                    return Err(mixed_keys(&expected, found, at));
                }
            }
        }
        let dict = self.dict_of_pairs(&keys, &values, hint, span)?;
        Ok(self.as_hinted(dict, hint, span))
    }

    /// A dict of keys and values that has the type among those of a hint that they make.
    pub(super) fn dict_of_pairs(
        &mut self,
        keys: &[ValueId],
        values: &[ValueId],
        hint: Option<&Type>,
        span: &Span,
    ) -> Outcome<ValueId> {
        let entry = || (!keys.is_empty()).then(|| (self.common(keys), self.common(values)));
        let hint = dict_for(hint, entry, span)?;
        self.dict_of(keys, values, hint.as_ref(), span)
    }

    /// A dict of keys and values.
    pub(crate) fn dict_of(
        &mut self,
        keys: &[ValueId],
        values: &[ValueId],
        hint: Option<&Type>,
        span: &Span,
    ) -> Outcome<ValueId> {
        let hint = narrow(hint, |t| matches!(t, Type::Dict(_)));
        let (key, value) = match hint {
            Some(Type::Dict(kv)) => (kv.0.clone(), kv.1.clone()),
            _ if keys.is_empty() => (Type::Str, Type::TENSOR),
            _ => {
                let key_types: Vec<Type> = self.types_of(keys);
                let value_types: Vec<Type> = self.types_of(values);
                let Some(key) = unify_list(&key_types, false) else {
                    let found = &key_types[key_types.len() - 1];
                    return Err(mixed_keys(&key_types[0], found, span));
                };
                let value =
                    unify_list(&value_types, false).unwrap_or_else(|| Type::union(value_types));
                (key, value)
            }
        };
        refuse_key(&key)?;
        let mut inputs = Vec::with_capacity(keys.len() * 2);
        for (k, v) in keys.iter().zip(values) {
            let v = crate::script::convert::implicitly(self, *v, &value, false, span);
            let found = self.ty(*k);
            if !found.is_subtype_of(&key) {
                let message = format!(
                    "Type annotation was inferred to be Dict[{key}, {value}]but the type of keys given by the dict literal is {found}"
                );
                return Err(problem("dict-item", message, span));
            }
            if !self.ty(v).is_subtype_of(&value) {
                let types: Vec<Type> = self.types_of(values);
                let found = unify_list(&types, false).unwrap_or_else(|| Type::union(types));
                let message = format!(
                    "Type annotation was inferred to be `Dict[{key}, {value}]`, but the type of values given by the dict literal is {found}"
                );
                return Err(problem("dict-item", message, span));
            }
            inputs.extend([*k, v]);
        }
        Ok(self.unplaced(Prim::DictConstruct, &inputs, Type::dict(key, value)))
    }
}

fn mixed_keys(expected: &Type, found: &Type, span: &Span) -> crate::Problem {
    let message = format!(
        "Dict keys must contain only a single type. Expected: {expected} but found {found} instead"
    );
    problem("dict-key", message, span)
}

/// The problem of a list whose annotation says otherwise than its elements.
pub(super) fn wrong_elements(wanted: &Type, found: &str, span: &Span) -> crate::Problem {
    let message = format!(
        "List type annotation `List[{wanted}]` did not match the types of the given list elements, which were unified to {found}"
    );
    problem("list-element", message, span)
}

/// The problem of an element that does not have the type of those before it.
pub(super) fn mixed_elements(element: &Type, other: &Type, span: &Span) -> crate::Problem {
    let both = Type::union(vec![element.clone(), other.clone()]);
    wrong_elements(element, &both.to_string(), span)
}

/// Refuses dicts with keys that have no hash.
fn refuse_key(key: &Type) -> Outcome<()> {
    match key {
        Type::Int | Type::Float | Type::Complex | Type::Bool | Type::Str | Type::Device => Ok(()),
        Type::Tensor(_) | Type::Any | Type::Var(_) | Type::Number => Ok(()),
        other => Err(Box::new(rushlight_syntax::Diagnostic::new(
            "dict-key",
            rushlight_syntax::ErrorKind::Runtime,
            format!(
                "Cannot create dict for key type '{}', only int, float, complex, Tensor, device and string keys are supported",
                other.schema_form()
            ),
        ))),
    }
}
