//! Types and classes without code: what bytecode and pickles say about them.
//!
//! A class is known by its name, by the attributes that its pickled objects have, and by the methods that the bytecode
//! has. What type an attribute has follows from the values that it holds and that the code gives it.

use super::program::Routine;
use crate::code::Importer;
use crate::pickle::{Object as Made, ObjectKind, Pickle, PickleValue};
use rushlight_frontend::{Outcome, Problem};
use rushlight_ir::{Prim, Unit};
use rushlight_syntax::{Diagnostic, Span};
use rushlight_tensor::Tensor;
use rushlight_types::{AttributeKind, ClassType, EnumType, Object, Type, Value, unify};
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

/// Types that name others deeper than this are refused.
const MAX_DEPTH: usize = 60;

/// What two types have in common.
pub(super) fn join(a: &Type, b: &Type) -> Type {
    unify(a, b, false).unwrap_or(Type::Any)
}

/// Types of more parts than this are refused: tuples of tuples can double with every instruction.
const MAX_PARTS: usize = 10_000;

/// Whether a type has too many parts. Looks at no more than it allows.
pub(super) fn is_too_large(ty: &Type) -> bool {
    let mut pending = vec![ty.clone()];
    for _ in 0..MAX_PARTS {
        match pending.pop() {
            None => return false,
            Some(ty) => pending.extend(ty.parts()),
        }
    }
    true
}

pub(super) fn problem(message: String, span: &Span) -> Problem {
    Box::new(Diagnostic::error("bytecode", message, span))
}

/// Reads types as bytecode spells them.
pub(super) struct Types {
    importer: Rc<Importer>,
}

impl Types {
    pub fn new(importer: &Rc<Importer>) -> Types {
        Types {
            importer: importer.clone(),
        }
    }

    /// The type that a text describes. Classes that nobody has heard of are declared.
    pub fn parse(&self, text: &str, span: &Span) -> Outcome<Type> {
        self.parse_within(text, span, 0)
    }

    fn parse_within(&self, text: &str, span: &Span, depth: usize) -> Outcome<Type> {
        if depth > MAX_DEPTH {
            return Err(problem("a type is nested too deeply".into(), span));
        }
        if let Some((before, rest)) = text.split_once(DEFINITION) {
            return self.defining(before, rest, span, depth);
        }
        let unit = &self.importer.compiler().unit;
        for name in qualified_names(text) {
            if unit.ty(name).is_none() && !rushlight_types::native::is_native(name) {
                declare(unit, name);
            }
        }
        self.importer.parse_type(text)
    }

    /// A type in which a NamedTuple is defined: `List[__torch__.Pair[NamedTuple, [[left, Tensor], [count, int]]]]`. The
    /// name alone stands for it afterwards.
    fn defining(&self, before: &str, rest: &str, span: &Span, depth: usize) -> Outcome<Type> {
        let start = before
            .char_indices()
            .rfind(|(_, c)| !is_of_name(*c))
            .map_or(0, |(at, c)| at + c.len_utf8());
        let name = &before[start..];
        let end = closing(rest).ok_or_else(|| no_named_tuple(name, span))?;
        let ty = self.named_tuple(name, &rest[..end], span, depth)?;
        let after = &rest[end + 1..];
        match start == 0 && after.is_empty() {
            true => Ok(ty),
            false => self.parse_within(&format!("{before}{after}"), span, depth + 1),
        }
    }

    /// A NamedTuple of fields such as `[[left, Tensor], [count, int]]`.
    fn named_tuple(&self, name: &str, fields: &str, span: &Span, depth: usize) -> Outcome<Type> {
        let bad = || no_named_tuple(name, span);
        let list = inside(fields.trim()).ok_or_else(bad)?;
        let (mut names, mut types) = (Vec::new(), Vec::new());
        for field in parts(list) {
            let field = inside(field).ok_or_else(bad)?;
            let (name, ty) = field.split_once(',').ok_or_else(bad)?;
            names.push(Arc::from(name.trim()));
            types.push(self.parse_within(ty.trim(), span, depth + 1)?);
        }
        let ty = Type::named_tuple(name, names, types, Vec::new());
        if is_too_large(&ty) {
            return Err(problem(format!("the type {name} is too large"), span));
        }
        self.importer.compiler().unit.add_type(name, ty.clone());
        Ok(ty)
    }

    /// Reads the definitions of NamedTuples, which other texts name only.
    pub fn define_named_tuples(&self, routines: &[Routine]) -> Outcome<()> {
        for text in routines.iter().flat_map(|r| &r.types) {
            if text.contains(DEFINITION) {
                self.parse(text, &Span::unknown())?;
            }
        }
        Ok(())
    }
}

/// What stands between the name of a NamedTuple and its fields.
const DEFINITION: &str = "[NamedTuple,";

fn no_named_tuple(name: &str, span: &Span) -> Problem {
    problem(format!("`{name}` is no NamedTuple that can be read"), span)
}

/// Whether a letter may stand in a qualified name.
fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

/// Where the bracket that was open before a text is closed.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1usize;
    let mut brackets = text.char_indices().filter(|(_, c)| matches!(c, '[' | ']'));
    brackets.find_map(|(at, c)| {
        open = if c == '[' { open + 1 } else { open - 1 };
        (open == 0).then_some(at)
    })
}

/// The names of classes in a text.
fn qualified_names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_of_name(c))
        .filter(|word| word.starts_with("__torch__."))
}

/// What stands in `[...]`.
fn inside(text: &str) -> Option<&str> {
    text.trim().strip_prefix('[')?.strip_suffix(']')
}

/// The parts between commas outside brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut out, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (i, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                out.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        out.push(&text[start..]);
    }
    out.into_iter().map(str::trim).collect()
}

fn declare(unit: &Unit, name: &str) -> Arc<ClassType> {
    let class = ClassType::new(name, true);
    unit.add_type(name, Type::Class(class.clone()));
    class
}

/// The objects of a program's own classes in a pickle, with the qualified names of the classes.
fn objects(pickle: &Pickle) -> impl Iterator<Item = (String, &Made)> {
    pickle.nodes().filter_map(|node| {
        let PickleValue::Object(object) = node else {
            return None;
        };
        let (module, name) = pickle.as_global(object.callable)?;
        let qualified = format!("{module}.{name}");
        let ours = module == "__torch__" || module.starts_with("__torch__.");
        (ours && !rushlight_types::native::is_native(&qualified)).then_some((qualified, &**object))
    })
}

/// Declares enums by the members that occur. What these are called is not written down, so they are numbered.
pub(super) fn declare_enums(unit: &Unit, pickles: &[&Pickle]) {
    let mut enums: Vec<(String, Vec<Value>)> = Vec::new();
    for pickle in pickles {
        for (name, made) in objects(pickle) {
            let (ObjectKind::Reduce, Some([value])) = (made.kind, pickle.as_tuple(made.args))
            else {
                continue;
            };
            let value = match pickle.get(*value) {
                PickleValue::Int(value) => Value::Int(*value),
                PickleValue::Float(value) => Value::Float(*value),
                PickleValue::Str(value) => Value::str(&**value),
                _ => continue,
            };
            match enums.iter_mut().find(|(known, _)| *known == name) {
                Some((_, members)) if members.contains(&value) => {}
                Some((_, members)) => members.push(value),
                None => enums.push((name, vec![value])),
            }
        }
    }
    for (name, values) in enums {
        let value_type = values
            .iter()
            .map(Value::type_of)
            .reduce(|a, b| join(&a, &b));
        let numbered = values.into_iter().enumerate();
        let ty = EnumType {
            name: name.as_str().into(),
            value_type: value_type.unwrap_or(Type::Any),
            members: numbered
                .map(|(i, value)| (format!("member_{i}").into(), value))
                .collect(),
        };
        unit.add_type(&name, Type::Enum(Arc::new(ty)));
    }
}

/// Declares the classes of pickled objects, with attributes in the order of their places.
pub(super) fn declare_classes(unit: &Unit, pickle: &Pickle) {
    for (qualified, object) in objects(pickle) {
        let class = match unit.ty(&qualified) {
            Some(Type::Class(class)) => class,
            Some(_) => continue,
            None => declare(unit, &qualified),
        };
        let pairs = object.state.and_then(|state| pickle.mapping(state));
        for &(key, _) in pairs.unwrap_or(&[]) {
            if let Some(key) = pickle.as_str(key)
                && class.attribute(key).is_none()
            {
                class.add_attribute(key, Type::Any, AttributeKind::Plain);
            }
        }
    }
}

/// The type of what a `__setstate__` that did not run would set an attribute to.
fn type_to_be_set(unit: &Unit, class: &ClassType, name: &str) -> Option<Type> {
    let graph = unit.method(class, "__setstate__")?.graph()?;
    let this = *graph.inputs().first()?;
    let types = graph.all_nodes().into_iter().filter_map(|id| {
        let node = graph.node(id);
        let &[object, value] = node.inputs() else {
            return None;
        };
        let sets = node.is(Prim::SetAttr) && object == this;
        let named = node.str_attr("name").is_some_and(|n| **n == *name);
        (sets && named).then(|| graph.ty(value).clone())
    });
    types.reduce(|a, b| join(&a, &b))
}

/// The type of what an attribute holds, or would hold if the object had been restored, and what it is to its module.
fn held_type(unit: &Unit, class: &ClassType, name: &str, held: &Value) -> (Type, AttributeKind) {
    let to_be_set = match held {
        Value::Uninitialized => type_to_be_set(unit, class, name),
        _ => None,
    };
    match to_be_set {
        Some(ty) if ty.is_tensor() => (ty, AttributeKind::Buffer),
        Some(ty) => (ty, AttributeKind::Plain),
        None => (held.type_of(), kind(held)),
    }
}

/// Gives the attributes of all objects that a value leads to the types of what they hold.
pub(super) fn refine(root: &Arc<Object>, unit: &Unit) {
    let mut seen: HashSet<usize> = HashSet::new();
    let mut known: HashSet<(usize, usize)> = HashSet::new();
    let mut pending = vec![Value::Object(root.clone())];
    while let Some(value) = pending.pop() {
        match &value {
            Value::Object(object) => {
                if !seen.insert(Arc::as_ptr(object) as usize) {
                    continue;
                }
                let class = object.class();
                for (slot, attribute) in class.attributes().into_iter().enumerate() {
                    let held = object.slot(slot);
                    let fresh = known.insert((Arc::as_ptr(class) as usize, slot));
                    let (of_value, kind) = held_type(unit, class, &attribute.name, &held);
                    let ty = match fresh {
                        true => of_value,
                        false => join(&attribute.ty, &of_value),
                    };
                    class.add_attribute(&attribute.name, ty, kind);
                    pending.push(held);
                }
            }
            Value::Tuple(tuple) => pending.extend(tuple.items.iter().cloned()),
            Value::Dict(dict) => pending.extend(dict.entries().into_iter().map(|(_, v)| v)),
            Value::List(_) => pending.extend(value.list_items().unwrap_or_default()),
            _ => {}
        }
    }
}

/// Bytecode does not say what is a parameter; those that are keep asking for gradients.
fn kind(value: &Value) -> AttributeKind {
    match value {
        Value::Tensor(tensor) if Tensor::requires_grad(tensor) => AttributeKind::Parameter,
        Value::Tensor(_) => AttributeKind::Buffer,
        _ => AttributeKind::Plain,
    }
}
