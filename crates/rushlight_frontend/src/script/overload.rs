//! Overloads: one body, several declared ways to call it.

use super::Compiler;
use super::compiler::FunctionSource;
use super::define::{self, fit_default};
use crate::error::problem;
use crate::{Outcome, Problem};
use rushlight_syntax::diagnostic::highlight::highlight;
use rushlight_syntax::tree::{Def, ParamKind};
use rushlight_syntax::{Diagnostic, ErrorKind, Span};
use std::rc::Rc;

/// The body of `implementation` with the names and types of `declaration`. The declaration may leave out defaults: it gets
/// those of the implementation that are of its types. Those that it has must be the same.
pub fn overload(
    compiler: &Compiler,
    declaration: &FunctionSource,
    implementation: &FunctionSource,
) -> Outcome<FunctionSource> {
    for (name, value) in &declaration.defaults {
        let same = implementation
            .defaults
            .iter()
            .any(|(n, v)| n == name && v == value);
        if !same {
            return Err(other_default(name, &declaration.def));
        }
    }
    let mut def = implementation.def.typed_as(&declaration.def);
    let mut defaults = declaration.defaults.clone();
    let wanted = define::signature(compiler, "", declaration)?;
    for (i, param) in implementation.def.params.0.iter().enumerate() {
        if matches!(param.kind, ParamKind::VarArgs | ParamKind::VarKeywords) {
            continue;
        }
        let own = implementation
            .defaults
            .iter()
            .find(|(n, _)| *n == param.name.name);
        let Some(declared) = def.params.0.get_mut(i) else {
            let Some(own) = own else {
                let message = format!(
                    "Expected to find default parameter on argument{} because it is not defined on the overloaded declaration",
                    param.name.name
                );
                return Err(problem("overload", message, &header(&implementation.def)));
            };
            let mut added = param.clone();
            let types = def.signature.as_mut().and_then(|s| s.params.as_mut());
            let own_types = implementation.def.signature.as_ref();
            let own_type = own_types.and_then(|s| s.params.as_ref()?.get(i));
            added.annotation = added.annotation.or_else(|| own_type.cloned());
            if added.annotation.is_none() && added.type_comment.is_none() {
                let message = format!(
                    "Parameters not specified on the overloaded declaration must have a type annotation in the implementation function. Did not find type for param {}",
                    param.name.name
                );
                return Err(problem("overload", message, &header(&implementation.def)));
            }
            // A comment of the declaration says the types of all parameters.
            if let (Some(types), Some(ty)) = (types, &added.annotation) {
                types.push(ty.clone());
            }
            def.params.0.push(added);
            defaults.push(own.clone());
            continue;
        };
        if declared.name.name != param.name.name {
            let message = format!(
                "Overload parameters must have the same names. Found {} and {} on argument {i}",
                declared.name.name, param.name.name
            );
            return Err(problem("overload", message, &header(&declaration.def)));
        }
        let fits = |value| fit_default(value, &wanted.arguments[i].ty).is_some();
        if let Some(own) =
            own.filter(|(_, v)| declared.default.is_none() && v.clone().is_ok_and(fits))
        {
            declared.default = param.default.clone();
            defaults.push(own.clone());
        }
    }
    if def.params.0.len() > implementation.def.params.0.len() {
        let places = [declaration, implementation].map(|f| highlight(&header(&f.def), None));
        let message = format!(
            "Overload should not have more parameters than implementation function{}",
            places.concat()
        );
        return Err(Box::new(Diagnostic::new(
            "overload",
            ErrorKind::Runtime,
            message,
        )));
    }
    Ok(FunctionSource {
        def: Rc::new(def),
        defaults,
        ..implementation.clone()
    })
}

fn other_default(name: &str, declaration: &Def) -> Problem {
    let message = format!(
        "Default parameters on overloads do not affect the runtime so they must equal to the default parameter on the implementation function. Found on parameter {name}"
    );
    let diagnostic = Diagnostic::new("overload", ErrorKind::Frontend, message);
    Box::new(diagnostic.at(&header(declaration)))
}

/// From `def` to the type of the result.
fn header(def: &Def) -> Span {
    let parameters = define::header(def);
    match &def.returns {
        Some(returns) => parameters.join(&returns.span),
        None => parameters,
    }
}
