//! The list of signatures that a call fits none of, and why each is not meant.

use super::parameters::{Parameter, Signature};
use super::{Refused, elements};
use crate::convert::shown_type;
use pyo3::prelude::*;
use pyo3::types::PyList;

impl Refused<'_, '_> {
    pub(super) fn listing(&self, signatures: &[Signature<'_>]) -> String {
        let mut given: Vec<String> = self.positional.iter().map(shown_type).collect();
        // Names come last first.
        let named = self.arguments.named.iter().rev();
        given.extend(named.map(|(n, v)| format!("{n}={}", shown_type(v))));
        let only_named = self.positional.is_empty() && !given.is_empty();
        let mut given = format!(
            "({}{})",
            given.join(", "),
            if only_named { ", " } else { "" }
        );
        let mut text = format!(
            "{}() received an invalid combination of arguments - got ",
            self.name,
        );
        if let [only] = signatures {
            let unknown = self.unknown_names(only);
            if !unknown.is_empty() {
                return text + "unrecognized keyword arguments: " + &unknown.join(", ");
            }
            if let Some(Misfit::Types(marked)) = self.misfit(only) {
                given = marked;
            }
        }
        text.push_str(&format!("{given}, but expected "));
        if let [only] = signatures {
            return text + &only.to_string();
        }
        text.push_str("one of:\n");
        for signature in signatures {
            text.push_str(&format!(" * {signature}\n"));
            match self.misfit(signature) {
                Some(Misfit::Names(names)) => text.push_str(&format!(
                    "      didn't match because some of the keywords were incorrect: {names}\n"
                )),
                Some(Misfit::Types(types)) => text.push_str(&format!(
                    "      didn't match because some of the arguments have invalid types: {types}\n"
                )),
                None => {}
            }
        }
        text
    }

    /// Why a signature that takes as many arguments does not match: it is its text that is counted, in which the mark before
    /// what is given by name is one more.
    fn misfit(&self, signature: &Signature<'_>) -> Option<Misfit> {
        let parameters = &signature.parameters;
        let pieces = signature.pieces();
        let named = &self.arguments.named;
        let count = self.positional.len() + named.len();
        // The text of a signature without parameters has one piece, which is empty.
        if count == 0 || pieces.len().max(1) != count {
            return None;
        }
        let unknown = self.unknown_names(signature);
        if !unknown.is_empty() {
            return Some(Misfit::Names(unknown.join(", ")));
        }
        // Names come last first.
        let named: Vec<(String, &Bound<'_, PyAny>)> = named
            .iter()
            .rev()
            .map(|(name, value)| (name.to_string(), value))
            .collect();
        let parameter = |name: &str| parameters.iter().find(|p| p.is_called(name));
        // By name: a number is no match for an int here, though it is one in a call, and what has a default matches nothing.
        let fits = |parameter: Option<&Parameter<'_>>, object: &Bound<'_, PyAny>| {
            parameter.is_some_and(|p| p.default.is_none() && p.kind == shown_type(object))
        };
        let marked = |fits: bool, text: String| match fits {
            true => text,
            false => format!("!{text}!"),
        };
        let places = pieces.into_iter().chain(std::iter::repeat(None));
        let placed = self
            .positional
            .iter()
            .zip(places)
            .map(|(object, parameter)| marked(fits(parameter, object), shown_elements(object)));
        let mut shown: Vec<String> = placed.collect();
        shown.extend(named.iter().map(|(name, value)| {
            let text = format!("{name}={}", shown_elements(value));
            marked(fits(parameter(name), value), text)
        }));
        let end = if self.positional.is_empty() { ", " } else { "" };
        Some(Misfit::Types(format!("({}{end})", shown.join(", "))))
    }

    /// The names of a call that a signature does not have among its last parameters, as many as there are names: last first.
    fn unknown_names(&self, signature: &Signature<'_>) -> Vec<String> {
        let pieces = signature.pieces();
        let named = self.arguments.named;
        let last = &pieces[pieces.len().saturating_sub(named.len())..];
        let knows = |name: &String| {
            let mut parameters = last.iter().flatten();
            parameters.any(|p| p.default.is_none() && p.is_called(name))
        };
        let names = named.iter().rev().map(|(name, _)| name.to_string());
        names.filter(|name| !knows(name)).collect()
    }
}

/// Why a signature that takes as many arguments does not match.
enum Misfit {
    /// It knows none of these names.
    Names(String),
    /// Of the types that are given, these with marks do not fit.
    Types(String),
}

/// The type of an argument as messages show it, with those of its elements: `tuple of (int,)`, `list of [Tensor, int]`.
fn shown_elements(object: &Bound<'_, PyAny>) -> String {
    let Some(items) = elements(object).filter(|_| !object.hasattr("_fields").unwrap_or(false))
    else {
        return shown_type(object);
    };
    let shown: Vec<String> = items.iter().map(shown_type).collect();
    let shown = shown.join(", ");
    match (object.cast::<PyList>().is_ok(), items.len()) {
        (true, _) => format!("list of [{shown}]"),
        (false, 1) => format!("tuple of ({shown},)"),
        (false, _) => format!("tuple of ({shown})"),
    }
}
