//! Type variables: matching a schema's formal types against actual ones, and filling the bindings in.

use super::{Type, unify};
use crate::Symbol;

/// What the variables of a schema stand for in one call.
#[derive(Default, Clone, Debug)]
pub struct Bindings(Vec<(Symbol, Type)>);

impl Bindings {
    /// What a variable stands for.
    pub fn get(&self, name: Symbol) -> Option<&Type> {
        self.0.iter().find(|(n, _)| *n == name).map(|(_, t)| t)
    }

    fn set(&mut self, name: Symbol, ty: Type) {
        self.0.push((name, ty));
    }
}

/// Binds the variables of `formal` so that it covers `actual`. Types without variables always match here: whether the
/// actual is a subtype is asked afterwards. The error says why in the reference's words.
pub fn match_type(formal: &Type, actual: &Type, bindings: &mut Bindings) -> Result<(), String> {
    if !formal.has_variables() {
        return Ok(());
    }
    let mismatch = || {
        let shown = actual.message_form();
        Err(format!("Cannot match {formal} to {shown}"))
    };
    match (formal, actual) {
        (Type::Var(name), _) => {
            match bindings.get(*name) {
                None => bindings.set(*name, actual.clone()),
                // The first match stands; whether later ones fit it is asked afterwards.
                Some(known) if unify(known, actual, false).is_some() => {}
                Some(known) => {
                    return Err(format!(
                        "Type variable '{name}' previously matched to type {} is matched to type {}",
                        known.message_form(),
                        actual.message_form()
                    ));
                }
            }
            Ok(())
        }
        (Type::List(f), Type::List(a)) => match_type(f, a, bindings),
        (Type::List(f), Type::Tuple(a)) => {
            let types = &a.elements;
            match super::unify_list(types, false) {
                Some(t) => match_type(f, &t, bindings),
                None => mismatch(),
            }
        }
        (Type::Tuple(f), Type::Tuple(a)) if f.elements.len() == a.elements.len() => f
            .elements
            .iter()
            .zip(&a.elements)
            .try_for_each(|(x, y)| match_type(x, y, bindings)),
        (Type::Tuple(_), Type::Tuple(_)) => {
            Err("Cannot match tuples of mismatched size".to_string())
        }
        (Type::Future(f), Type::Future(a))
        | (Type::Await(f), Type::Await(a))
        | (Type::RRef(f), Type::RRef(a)) => match_type(f, a, bindings),
        (Type::Await(f), a) => match_type(f, a, bindings),
        (Type::Optional(f), Type::Optional(a)) => match_type(f, a, bindings),
        // `None` binds nothing: the variable must be known from elsewhere.
        (Type::Optional(_), Type::None) => Ok(()),
        (Type::Optional(f), a) => match_type(f, a, bindings),
        (Type::Dict(f), Type::Dict(a)) => {
            match_type(&f.0, &a.0, bindings)?;
            match_type(&f.1, &a.1, bindings)
        }
        (Type::Dict(_), _) => Err(format!("Cannot match a dict to {}", actual.message_form())),
        (Type::Future(_), _) => Err(format!(
            "Cannot match a future to {}",
            actual.message_form()
        )),
        _ => mismatch(),
    }
}

/// The formal type with its variables filled in; `None` where one is unbound.
pub fn evaluate(formal: &Type, bindings: &Bindings) -> Option<Type> {
    if !formal.has_variables() {
        return Some(formal.clone());
    }
    if let Type::Var(name) = formal {
        return bindings.get(*name).cloned();
    }
    let mut complete = true;
    let out = formal.map_parts(|part| {
        evaluate(part, bindings).unwrap_or_else(|| {
            complete = false;
            Type::Any
        })
    });
    complete.then_some(out)
}
