//! Lists, dicts and sequences of modules in a check of source, as far as `__init__` shows what is in them.
//!
//! Loops over a container unroll and its items are picked by literals, as they are of an instance; of what the file does not
//! show nothing is told.

use super::iterable::Iteration;
use super::layers::LIBRARY;
use super::sequence::Parts;
use super::{SubscriptPlaces, Sugared, SugaredValue, picking};
use crate::error::problem;
use crate::script::{Arguments, Compiler, Emitter, advice, follows, nearest_name};
use crate::{Outcome, Problem};
use rushlight_ir::{Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_types::{AttributeKind, ClassType, Schema, Type, Value};
use std::rc::Rc;
use std::sync::Arc;

/// The kinds of containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    List,
    Dict,
    Sequential,
}

impl Kind {
    /// The class in Python.
    pub fn name(self) -> &'static str {
        match self {
            Kind::List => "ModuleList",
            Kind::Dict => "ModuleDict",
            Kind::Sequential => "Sequential",
        }
    }

    /// What can be called in scripts besides its items.
    fn methods(self) -> &'static [&'static str] {
        match self {
            Kind::Dict => &["keys", "values", "items"],
            Kind::List | Kind::Sequential => &[],
        }
    }
}

/// What is known of the items.
#[derive(Clone)]
pub(crate) enum Items {
    /// Nothing.
    Unknown,
    /// They are of one type; how many there are only an instance knows.
    Alike(Type),
    /// All, by their names, with their types where these are known.
    All(Vec<(Arc<str>, Option<Type>)>),
}

impl Items {
    /// The type that all of them have.
    pub fn common(&self) -> Option<&Type> {
        match self {
            Items::Unknown => None,
            Items::Alike(ty) => Some(ty),
            Items::All(items) => {
                let first = items.first()?.1.as_ref()?;
                items
                    .iter()
                    .all(|(_, ty)| ty.as_ref() == Some(first))
                    .then_some(first)
            }
        }
    }

    /// Their names, where all are known.
    fn names(&self) -> Option<Vec<&str>> {
        match self {
            Items::All(items) => Some(items.iter().map(|(name, _)| &**name).collect()),
            Items::Unknown | Items::Alike(_) => None,
        }
    }

    /// What is known of them once others may have been added.
    pub fn opened(&self) -> Items {
        self.common().cloned().map_or(Items::Unknown, Items::Alike)
    }
}

/// What stands behind the type of a container.
pub(crate) struct Container {
    pub kind: Kind,
    pub items: Items,
}

/// The type of a new container. One that `is_plain` calls its items one after another with a tensor.
pub(crate) fn type_of(
    emitter: &Emitter<'_>,
    kind: Kind,
    items: Items,
    is_plain: &dyn Fn(&Type) -> bool,
) -> Type {
    named(emitter.compiler, kind, items, is_plain)
}

/// The type of a container to which others may be added.
pub(crate) fn opened(compiler: &Compiler, class: &ClassType) -> Option<Type> {
    let known = compiler.container(class.name())?;
    let was_plain = class.method("forward").is_some();
    Some(named(compiler, known.kind, known.items.opened(), &|_| {
        was_plain
    }))
}

fn named(compiler: &Compiler, kind: Kind, items: Items, is_plain: &dyn Fn(&Type) -> bool) -> Type {
    let mut number = compiler.containers();
    let name = loop {
        let name = format!("{LIBRARY}.{number}.{}", kind.name());
        if compiler.container(&name).is_none() {
            break name;
        }
        number += 1;
    };
    let class = ClassType::new(&name, true);
    let mut methods = vec![("__len__", "__len__(Any self) -> int")];
    match kind {
        Kind::Dict => methods.push(("__contains__", "__contains__(Any self, str key) -> bool")),
        Kind::Sequential if items_of(&items).is_some_and(|mut all| all.all(is_plain)) => {
            methods.push(("forward", "forward(Any self, Tensor input) -> Tensor"));
        }
        Kind::List | Kind::Sequential => {}
    }
    for (name, text) in methods {
        class.add_method(name, Schema::parse(text).ok().map(Arc::new));
    }
    class.add_attribute("training", Type::Bool, AttributeKind::Plain);
    compiler.note_container(&name, Container { kind, items });
    Type::Class(class)
}

/// The types of all items, where all are known.
fn items_of(items: &Items) -> Option<Box<dyn Iterator<Item = &Type> + '_>> {
    match items {
        Items::Unknown => None,
        Items::Alike(ty) => Some(Box::new(std::iter::once(ty))),
        Items::All(all) => {
            let known = all.iter().all(|(_, ty)| ty.is_some());
            known.then(|| Box::new(all.iter().filter_map(|(_, ty)| ty.as_ref())) as _)
        }
    }
}

/// A value as what it is: a container where its type is that of one.
pub(crate) fn seen(emitter: &Emitter<'_>, value: ValueId) -> Sugared {
    if let Type::Class(class) = emitter.ty(value)
        && class.is_module()
        && let Some(container) = emitter.compiler.container(class.name())
    {
        return Sugared::special(ContainerValue { value, container });
    }
    Sugared::Value(value)
}

/// A container of modules inside a method.
struct ContainerValue {
    value: ValueId,
    container: Rc<Container>,
}

impl ContainerValue {
    /// The items with their names.
    fn entries(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Vec<(Sugared, Sugared)>> {
        match &self.container.items {
            Items::Unknown => Err(follows(span)),
            Items::Alike(ty) => Ok(vec![(
                Sugared::special(Unseen),
                item(emitter, Some(ty.clone())),
            )]),
            Items::All(items) => Ok(items
                .iter()
                .map(|(name, ty)| {
                    let key = emitter.unplaced_constant(Value::str(&**name));
                    (Sugared::Value(key), item(emitter, ty.clone()))
                })
                .collect()),
        }
    }

    fn has_no(&self, name: &str, span: &Span) -> Problem {
        let kind = self.container.kind;
        let message = format!("Module '{}' has no attribute '{name}' ", kind.name());
        let mut problem = problem("no-attribute", message, span);
        let forward = matches!(kind, Kind::Sequential).then_some("forward");
        advice::suggest(
            &mut problem,
            name,
            kind.methods().iter().copied().chain(forward),
        );
        problem
    }
}

/// A value of the type of an item.
fn item(emitter: &mut Emitter<'_>, ty: Option<Type>) -> Sugared {
    match ty {
        Some(ty) => {
            let value = emitter.unplaced(Prim::Uninitialized, &[], ty);
            seen(emitter, value)
        }
        None => Sugared::special(Unseen),
    }
}

impl SugaredValue for ContainerValue {
    fn describe(&self) -> String {
        "module".to_string()
    }

    fn as_value(&self, _emitter: &mut Emitter<'_>, _span: &Span) -> Outcome<ValueId> {
        Ok(self.value)
    }

    fn plain(&self) -> Option<ValueId> {
        Some(self.value)
    }

    fn attribute(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<Sugared> {
        let Container { kind, items } = &*self.container;
        if kind.methods().contains(&name) {
            let entries = self.entries(emitter, span)?;
            let pick = |(key, item): (Sugared, Sugared)| match name {
                "keys" => key,
                "values" => item,
                _ => Sugared::special(Parts(vec![key, item])),
            };
            return Ok(Sugared::special(PartsMethod(
                entries.into_iter().map(pick).collect(),
            )));
        }
        let Type::Class(class) = emitter.ty(self.value).clone() else {
            return Err(follows(span));
        };
        if class.method(name).is_some() || class.attribute(name).is_some() {
            return super::value::attribute(emitter, self.value, name, span);
        }
        let named = match items {
            Items::All(items) => items.iter().find(|(n, _)| **n == *name),
            _ => None,
        };
        match named {
            Some((_, ty)) => Ok(item(emitter, ty.clone())),
            // A name may be that of an item.
            None if matches!(items, Items::Unknown) => Err(follows(span)),
            None if *kind == Kind::Dict && !matches!(items, Items::All(_)) => Err(follows(span)),
            None if emitter.initialises_module() => Err(follows(span)),
            None if name == "forward" && *kind == Kind::Sequential => Err(follows(span)),
            None => Err(self.has_no(name, span)),
        }
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let method = self.attribute(emitter, "forward", span)?;
        method.call(emitter, arguments, span)
    }

    fn subscript(
        &self,
        emitter: &mut Emitter<'_>,
        index: ValueId,
        wanted: Option<&Type>,
        places: SubscriptPlaces<'_>,
    ) -> Outcome<Sugared> {
        let span = places.whole;
        let known = emitter.graph.constant(index);
        if let (None, Some(interface @ Type::Interface(_))) = (&known, wanted) {
            return Ok(item(emitter, Some(interface.clone())));
        }
        let Container { kind, items } = &*self.container;
        let names = items.names();
        let place = picking::place(known.as_ref(), *kind == Kind::Dict, names.as_deref());
        let place = place.map_err(|message| {
            let mut problem = problem("subscript", message, span);
            if let (Kind::Dict, Some(Value::Str(key)), Some(names)) = (kind, &known, &names) {
                problem.hint = Some(keys_near(&key.to_string(), names));
            }
            problem
        })?;
        let ty = match (items, place) {
            (Items::All(items), Some(place)) => items.get(place).and_then(|(_, ty)| ty.clone()),
            (other, _) => other.common().cloned(),
        };
        Ok(item(emitter, ty))
    }

    fn as_parts(&self, _emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Vec<Sugared>> {
        Err(follows(span))
    }

    fn iterate(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Iteration> {
        let entries = self.entries(emitter, span)?;
        let pick = |(key, item)| match self.container.kind {
            Kind::Dict => key,
            Kind::List | Kind::Sequential => item,
        };
        Ok(Iteration::Unrolled(entries.into_iter().map(pick).collect()))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// What to write instead of a name that no item has.
fn keys_near(key: &str, names: &[&str]) -> String {
    match nearest_name(key, names.iter().copied()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("there are {names:?}"),
    }
}

/// `keys`, `values` and `items` of a dict of modules, by what they give.
struct PartsMethod(Vec<Sugared>);

impl SugaredValue for PartsMethod {
    fn describe(&self) -> String {
        "method".to_string()
    }

    fn call(&self, _: &mut Emitter<'_>, _: &Arguments, _: &Span) -> Outcome<Sugared> {
        Ok(Sugared::special(Parts(self.0.clone())))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// An item of which the file shows nothing.
struct Unseen;

impl SugaredValue for Unseen {
    fn describe(&self) -> String {
        "module".to_string()
    }

    fn as_value(&self, _: &mut Emitter<'_>, span: &Span) -> Outcome<ValueId> {
        Err(follows(span))
    }

    fn attribute(&self, _: &mut Emitter<'_>, _: &str, span: &Span) -> Outcome<Sugared> {
        Err(follows(span))
    }

    fn set_attribute(&self, _: &mut Emitter<'_>, _: &str, _: ValueId, span: &Span) -> Outcome<()> {
        Err(follows(span))
    }

    fn call(&self, _: &mut Emitter<'_>, _: &Arguments, span: &Span) -> Outcome<Sugared> {
        Err(follows(span))
    }

    fn as_parts(&self, _: &mut Emitter<'_>, span: &Span) -> Outcome<Vec<Sugared>> {
        Err(follows(span))
    }

    fn iterate(&self, _: &mut Emitter<'_>, span: &Span) -> Outcome<Iteration> {
        Err(follows(span))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
