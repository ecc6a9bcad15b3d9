//! What people read of a call that no overload takes: those that come nearest, and what would mend the call.

use super::super::matching::Mismatch;
use super::super::nearest_name;
use super::{NONE_FIRST, between, conversion};
use rushlight_syntax::Diagnostic;
use rushlight_types::Type;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a call was given: types in order, and names of keywords.
pub(in super::super) struct GivenTypes<'g> {
    pub positional: Vec<&'g Type>,
    pub keywords: Vec<(Arc<str>, &'g Type)>,
}

/// Shows the overloads that come nearest to a call that none takes, and what would mend the call.
pub(in super::super) fn no_match(
    problem: &mut Diagnostic,
    mismatches: &[Mismatch<'_>],
    given: &GivenTypes<'_>,
) {
    const SHOWN: usize = 2;
    let Some(first) = mismatches.first() else {
        return;
    };
    let mut types: Vec<String> = given.positional.iter().map(|ty| ty.short_form()).collect();
    types.extend(
        given
            .keywords
            .iter()
            .map(|(name, ty)| format!("{name}={}", ty.short_form())),
    );
    let types = types.join(", ");
    let name = first
        .schema
        .name
        .rsplit("::")
        .next()
        .unwrap_or(&first.schema.name);
    let mut plain = match mismatches.len() {
        1 => format!(
            "`{name}` does not take ({types})\n{}: {}",
            first.schema,
            first.reason.trim()
        ),
        _ => format!("no overload of `{name}` takes ({types})"),
    };
    if mismatches.len() > 1 {
        let mut nearest: Vec<&Mismatch<'_>> = mismatches.iter().collect();
        let writes = |m: &Mismatch<'_>| m.schema.arguments.iter().any(|a| &*a.name == "out");
        rushlight_tensor::order::sort_by_key(&mut nearest, |m| (writes(m), usize::MAX - m.fitted));
        for m in nearest.iter().take(SHOWN) {
            plain.push_str(&format!("\n{}:\n  {}", m.schema, m.reason.trim()));
        }
        let rest = nearest.len().saturating_sub(SHOWN);
        if rest > 0 {
            plain.push_str(&format!("\n... and {rest} others"));
        }
    }
    problem.plain = Some(plain);
    let place = problem.span.as_ref().map_or("", |span| span.text());
    problem.hint = hint_for_call(mismatches, given, place);
}

/// What would mend a call that no overload takes; `place` is the text that is marked.
fn hint_for_call(
    mismatches: &[Mismatch<'_>],
    given: &GivenTypes<'_>,
    place: &str,
) -> Option<String> {
    let all = || {
        given
            .positional
            .iter()
            .copied()
            .chain(given.keywords.iter().map(|(_, ty)| *ty))
    };
    // A keyword that nobody takes.
    let names: BTreeSet<&str> = mismatches
        .iter()
        .flat_map(|m| m.schema.arguments.iter().map(|a| &*a.name))
        .collect();
    for (keyword, _) in &given.keywords {
        if !names.contains(&**keyword) && &**keyword != "input" {
            let near = nearest_name(keyword, names.iter().copied());
            return Some(match near {
                Some(near) => format!("did you mean the argument `{near}`?"),
                None => format!(
                    "there is no argument `{keyword}`; there are {}",
                    listed(&names)
                ),
            });
        }
    }
    if all().any(|ty| matches!(ty, Type::Optional(_))) {
        return Some(NONE_FIRST.to_string());
    }
    if let [Type::Dict(_), Type::None, ..] = given.positional[..]
        && let Some(how) = of_parts(mismatches, given)
    {
        return Some(how);
    }
    if all().any(|ty| *ty == Type::None) {
        return Some(
            "None is no value to compute with: does the function that made it return something?"
                .to_string(),
        );
    }
    let expected = |m: &Mismatch<'_>| {
        let wanted = between(&m.reason, "Expected a value of type '", "'")?;
        let argument = between(&m.reason, "for argument '", "'")?;
        let found = between(&m.reason, "instead found type '", "'")?;
        let (found, _) = found.split_once(" (inferred").unwrap_or((found, ""));
        let how = conversion(found, wanted)?;
        let whose = match argument {
            "<varargs>" => format!("each of them is of type {wanted}"),
            _ => format!("`{argument}` is of type {wanted}"),
        };
        Some((m.fitted, format!("{whose}: {how}")))
    };
    if mismatches.iter().any(|m| {
        m.reason.contains("Empty lists default to List[Tensor]")
            || m.reason.contains("previously matched to type Tensor")
    }) {
        let name = place.split('.').next().unwrap_or_default();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let name = if is_name { name } else { "names" };
        let element = match given.positional[..] {
            [Type::List(_), element] => element.short_form(),
            _ => "int".to_string(),
        };
        return Some(format!(
            "an empty list holds tensors: say of what it is where it is made, `{name}: List[{element}] = []`"
        ));
    }
    if let Some(how) = of_parts(mismatches, given) {
        return Some(how);
    }
    if mismatches.iter().any(|m| m.reason.contains("(inferred)")) {
        return Some(
            "a parameter without annotation is a Tensor: annotate it, such as `x: int`".to_string(),
        );
    }
    if let [only] = mismatches {
        if let Some(missing) = between(&only.reason, "Argument ", " not provided") {
            return Some(format!("pass `{missing}` too"));
        }
        if only.reason.contains("Expected at most ") {
            let names: Vec<&str> = only
                .schema
                .arguments
                .iter()
                .map(|a| &*a.name)
                .filter(|n| *n != "self")
                .collect();
            return Some(match names.is_empty() {
                true => "it takes no arguments".to_string(),
                false => format!("it takes {}", names.join(", ")),
            });
        }
    }
    if let [Type::Str, number] | [number, Type::Str] = given.positional[..]
        && number.is_number()
    {
        return Some("text goes with text: convert the number with `str(x)`, or the text with `int(x)` or `float(x)`".to_string());
    }
    let ways: Vec<(usize, String)> = mismatches.iter().filter_map(expected).collect();
    let best = ways.iter().map(|(fitted, _)| *fitted).max()?;
    ways.into_iter()
        .find(|(fitted, _)| *fitted == best)
        .map(|(_, how)| how)
}

/// What mends a call that was given one thing where a list of such is wanted, a tuple where a part of it is, or another key
/// than the dict has.
fn of_parts(mismatches: &[Mismatch<'_>], given: &GivenTypes<'_>) -> Option<String> {
    if let [Type::Dict(dict), key, ..] = given.positional[..]
        && *key != dict.0
        && !matches!(key, Type::Dict(_))
    {
        return Some(format!("the keys of the dict are of type {}", dict.0));
    }
    let nearest = mismatches.iter().max_by_key(|m| m.fitted)?;
    let wanted = between(&nearest.reason, "Expected a value of type '", "'");
    let argument = between(&nearest.reason, "for argument '", "'");
    let found = between(&nearest.reason, "instead found type '", "'");
    if let (Some(wanted), Some(argument), Some(found)) = (wanted, argument, found) {
        let (found, _) = found.split_once(" (inferred").unwrap_or((found, ""));
        let elements = wanted
            .strip_prefix("List[")
            .and_then(|t| t.strip_suffix(']'));
        if elements == Some(found) {
            return Some(format!(
                "`{argument}` is a list: put brackets around its elements, `[x, y]`"
            ));
        }
    }
    let is_tuple = |ty: &&&Type| matches!(ty, Type::Tuple(_));
    let Type::Tuple(tuple) = given.positional.iter().find(is_tuple)? else {
        return None;
    };
    let takes_part = mismatches.iter().any(|m| {
        let wanted = between(&m.reason, "Expected a value of type '", "'");
        let found = between(&m.reason, "instead found type '", "'");
        found.is_some_and(|found| found.starts_with("Tuple["))
            && tuple
                .elements
                .iter()
                .any(|ty| Some(ty.message_form().as_str()) == wanted)
    });
    takes_part.then(|| match tuple.fields.first() {
        Some(name) => format!("it has several parts: take one, such as `.{name}`"),
        None => "it has several parts: take one, such as `x[0]`".to_string(),
    })
}

fn listed(names: &BTreeSet<&str>) -> String {
    const MOST: usize = 8;
    let shown: Vec<&str> = names
        .iter()
        .copied()
        .filter(|n| *n != "self")
        .take(MOST)
        .collect();
    shown.join(", ")
}
