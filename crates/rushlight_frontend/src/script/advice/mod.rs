//! What people read beside the words of the reference: a plainer title where its words say little, and what would mend the
//! problem.
//!
//! Only a check of a file asks for this. [`ADVICE`] has a row for every kind of problem that has any; what a row needs to
//! know of the program stands in the message or in the text that is marked.

mod calls;
mod left_out;
mod unread;

pub(super) use calls::{GivenTypes, no_match};

use super::Emitter;
use crate::sugared::members;
use left_out::LEFT_OUT;
use rushlight_syntax::{Diagnostic, Fix, Span};
use rushlight_types::Type;
use unread::{refused, syntax};

/// What a row says of a problem.
#[derive(Default)]
struct Advice {
    plain: Option<String>,
    hint: Option<String>,
    fix: Option<Fix>,
}

fn hint(text: impl Into<String>) -> Option<Advice> {
    Some(Advice {
        hint: Some(text.into()),
        ..Advice::default()
    })
}

impl Advice {
    fn plain(mut self, text: impl Into<String>) -> Advice {
        self.plain = Some(text.into());
        self
    }

    fn fix(mut self, at: &Span, text: impl Into<String>) -> Advice {
        self.fix = Some(Fix::new(at, text));
        self
    }
}

/// What finds the advice for a problem.
type Row = fn(&Diagnostic) -> Option<Advice>;

/// Advice by the code of the problem.
const ADVICE: &[(&str, Row)] = &[
    ("argument-count", argument_count),
    ("assignment-kind", assignment_kind),
    ("assignment-type", assignment_type),
    ("bare-container", bare_container),
    ("condition-type", condition_type),
    ("dict-item", dict_item),
    ("list-element", list_element),
    ("missing-builtin", missing_builtin),
    ("missing-return", missing_return),
    ("no-attribute", no_attribute),
    ("not-a-tuple", not_a_tuple),
    ("not-iterable", not_iterable),
    ("not-supported", not_supported),
    ("raise", raise),
    ("refused", refused),
    ("recursion", recursion),
    ("return-type", return_type),
    ("subscript", subscript),
    ("syntax", syntax),
    ("ternary-type", ternary_type),
    ("undefined-name", undefined_name),
    ("unknown-type", unknown_type),
    ("unpack", unpack),
    ("unrolled-length", unrolled_length),
    ("unsupported-node", unsupported_node),
];

/// Adds what is known to help to a problem that says nothing of it yet.
pub(super) fn complete(problem: &mut Diagnostic) {
    let row = ADVICE.iter().find(|(code, _)| *code == problem.code);
    let Some(advice) = row.and_then(|(_, advise)| advise(problem)) else {
        return;
    };
    problem.plain = problem.plain.take().or(advice.plain);
    if problem.hint.is_none() {
        problem.hint = advice.hint;
        problem.fix = problem.fix.take().or(advice.fix);
    }
}

/// Suggests the name that is nearest to one that nobody has, which ends the place of the problem.
pub(crate) fn suggest<'n>(
    problem: &mut Diagnostic,
    name: &str,
    known: impl Iterator<Item = &'n str>,
) {
    let known: Vec<&str> = known.collect();
    let near = super::nearest_name(name, known.iter().copied());
    // Names are shortened and lengthened as well.
    let begins = |other: &&str| {
        let (short, long) = match other.len() < name.len() {
            true => (*other, name),
            false => (name, *other),
        };
        short.len() >= 4 && long.starts_with(short)
    };
    let alike = || known.iter().copied().filter(begins).min_by_key(|n| n.len());
    let Some(near) = near.or_else(alike) else {
        return;
    };
    problem.hint = Some(format!("did you mean `{near}`?"));
    problem.fix = problem
        .span
        .as_ref()
        .map(|span| Fix::new(&span.tail(name.len() as u32), near));
}

/// As [`suggest`], of the names of a module, where a file is checked: there are many.
pub(crate) fn suggest_of_module(
    emitter: &Emitter<'_>,
    problem: &mut Diagnostic,
    path: &str,
    name: &str,
) {
    if emitter.compiler.is_checking() {
        let names = members::of_module(emitter.table(), path);
        suggest(problem, name, names.keys().map(String::as_str));
    }
}

/// What people write behind a dot to count elements.
const LENGTHS: &str = "length len size";

/// As [`suggest`], of what values of a type have, where a file is checked.
pub(crate) fn suggest_of_type(
    emitter: &Emitter<'_>,
    problem: &mut Diagnostic,
    ty: &Type,
    name: &str,
) {
    if !emitter.compiler.is_checking() {
        return;
    }
    let dtypes = rushlight_tensor::DType::ALL;
    if ty.is_tensor() && dtypes.iter().any(|dtype| dtype.name() == name) {
        problem.hint = Some(format!("did you mean `.to(torch.{name})`?"));
        return;
    }
    let has_length = matches!(
        ty,
        Type::Str | Type::List(_) | Type::Dict(_) | Type::Tuple(_)
    );
    if has_length && super::nearest_name(name, LENGTHS.split(' ')).is_some() {
        problem.hint = Some("did you mean `len(x)`?".to_string());
        return;
    }
    let names = members::of_type(emitter.table(), ty);
    suggest(problem, name, names.keys().map(String::as_str));
}

/// What stands between two pieces of a text.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    match after {
        "" => Some(rest.trim_end()),
        after => rest.split_once(after).map(|(found, _)| found),
    }
}

/// The text that a problem marks.
fn marked(problem: &Diagnostic) -> Option<(&Span, &str)> {
    let span = problem.span.as_ref()?;
    Some((span, span.text()))
}

fn argument_count(problem: &Diagnostic) -> Option<Advice> {
    match problem.message.contains("keyword arguments") {
        true => hint("pass the arguments by position"),
        false => None,
    }
}

fn assignment_kind(_: &Diagnostic) -> Option<Advice> {
    hint(
        "give it a name of its own: functions, modules and types cannot be chosen while a script runs",
    )
}

fn assignment_type(problem: &Diagnostic) -> Option<Advice> {
    let message = &problem.message;
    if message.contains("previously had type List[Tensor]")
        && message.contains("Empty lists default to List[Tensor]")
    {
        let name = between(message, "Variable '", "'")?;
        let element = between(message, "value of type List[", "]\n")?;
        return hint(format!(
            "say of what the list is where it is made: `{name}: List[{element}] = []`"
        ));
    }
    if message.starts_with("Attempting to declare") {
        return hint("annotate it once, before the `if` or the loop");
    }
    let name = between(message, "Variable '", "'")?;
    if let Some(annotated) = between(message, "is annotated with type ", " but") {
        let given = between(message, "assigned to a value of type ", "")?;
        let (given, _) = given.split_once(" (inferred").unwrap_or((given, ""));
        return conversion(given, annotated).map_or_else(
            || hint(format!("annotate it as what it is: `{name}: {given}`")),
            |how| hint(format!("convert the value: {how}")),
        );
    }
    let before = between(message, "previously had type ", " but")?;
    let now = between(message, "assigned to a value of type ", "")?;
    let now = now.lines().next().unwrap_or(now);
    if let Some(value) = or_none(before, now) {
        return hint(format!(
            "say where it is assigned first that it may be None: `{name}: Optional[{value}] = ...`"
        ));
    }
    hint(match conversion(now, before) {
        Some(how) => format!("convert the value ({how}), or use another name"),
        None => format!(
            "use another name, or declare `{name}: Union[{before}, {now}]` where it is assigned first"
        ),
    })
}

fn condition_type(problem: &Diagnostic) -> Option<Advice> {
    let message = &problem.message;
    let ty = between(message, "Could not cast value of type ", " to bool")
        .or_else(|| between(message, "condition but found ", ""))?;
    match ty {
        "str" => hint("compare it: `x != \"\"` or `len(x) > 0`"),
        ty if ty.starts_with("Optional") => hint("ask for None: `x is not None`"),
        _ => hint("compare it with something, so that the condition is a bool"),
    }
}

fn dict_item(_: &Diagnostic) -> Option<Advice> {
    hint(
        "all keys of a dict have one type, and all its values: annotate the dict with what it holds, such as `Dict[str, Union[int, str]]`",
    )
}

fn list_element(_: &Diagnostic) -> Option<Advice> {
    hint(
        "all elements of a list have one type: convert them, or annotate the list, such as `List[Union[int, str]]`",
    )
}

fn missing_builtin(problem: &Diagnostic) -> Option<Advice> {
    let name = between(&problem.message, "<built-in function ", ">")?;
    let instead = match name {
        "map" | "filter" => "write a `for` loop that appends to a list",
        "input" | "open" => "read what the script needs outside, and pass it in",
        "set" | "frozenset" => "use a dict whose values do not matter",
        _ => {
            "compute it outside the script and pass it in, or mark the function that does with `@torch.jit.ignore`"
        }
    };
    hint(instead)
}

fn missing_return(_: &Diagnostic) -> Option<Advice> {
    hint(
        "return a value at the end too, or raise an error there; to return nothing on some way, annotate `-> Optional[...]` and `return None`",
    )
}

fn no_attribute(problem: &Diagnostic) -> Option<Advice> {
    let message = &problem.message;
    let mut advice = Advice::default();
    if let Some(owner) = between(message, "'", " (of Python compilation unit") {
        let owner = owner.rsplit('.').next().unwrap_or(owner);
        let name = between(message, "attribute or method '", "'")?;
        advice = advice.plain(format!("'{owner}' has no attribute or method '{name}'"));
        advice.hint = Some(format!(
            "set it in `__init__`: `self.{name} = ...`, with the type that it is to have"
        ));
    } else if message.starts_with("'Optional[") {
        advice.hint = Some(NONE_FIRST.to_string());
    } else if message.contains("(inferred)' object has no") || message.starts_with("'Tensor'") {
        let name = between(message, "attribute or method '", "'")?;
        let kind = match name {
            "append" | "extend" | "insert" => "a list: annotate it, such as `List[int]`",
            "keys" | "items" | "values" => "a dict: annotate it, such as `Dict[str, Tensor]`",
            "split" | "strip" | "join" | "startswith" => "a str: annotate it as `str`",
            _ => return None,
        };
        advice.hint = Some(format!(
            "what has no annotation is a Tensor; if it is {kind}"
        ));
    } else {
        return None;
    }
    Some(advice)
}

const NONE_FIRST: &str =
    "it may be None: look first, as in `if x is not None:` or `assert x is not None`";

fn not_a_tuple(problem: &Diagnostic) -> Option<Advice> {
    let (_, text) = marked(problem)?;
    let is_loop = text.starts_with("for ");
    match problem.message.starts_with("str cannot") || problem.message.starts_with("int cannot") {
        true if is_loop => hint(
            "the loop goes over keys or elements one by one: for pairs of keys and values, `for k, v in d.items():`; for numbers and elements, `for i, x in enumerate(xs):`",
        ),
        _ => None,
    }
}

fn bare_container(problem: &Diagnostic) -> Option<Advice> {
    let name = between(&problem.message, "use ", " without")?;
    let example = CONTAINERS.iter().find(|(n, _)| *n == name)?.1;
    Some(
        hint(format!("say of what: `{example}`"))?
            .plain(format!("`{name}` does not say of what it is")),
    )
}

/// How containers say what they hold.
const CONTAINERS: &[(&str, &str)] = &[
    ("List", "List[int]"),
    ("list", "List[int]"),
    ("Dict", "Dict[str, int]"),
    ("dict", "Dict[str, int]"),
    ("Tuple", "Tuple[int, str]"),
    ("tuple", "Tuple[int, str]"),
    ("Optional", "Optional[int]"),
    ("Union", "Union[int, str]"),
];

fn not_iterable(problem: &Diagnostic) -> Option<Advice> {
    match between(&problem.message, "'", "'")? {
        "int" => hint("to count, loop over `range(n)`"),
        ty if ty.starts_with("Optional") => hint(NONE_FIRST),
        _ => hint("lists, tuples, dicts, strings, tensors and ranges can be looped over"),
    }
}

fn not_supported(problem: &Diagnostic) -> Option<Advice> {
    let message = &problem.message;
    let row = |start: &str| message.starts_with(start);
    if row("Compiled functions can't take variable number") {
        return hint(
            "take a list instead (`args: List[int]`); a keyword-only parameter must be given",
        );
    }
    if row("Comprehension ifs") || row("Only a single generator") {
        return hint("write a `for` loop that appends to a list");
    }
    if row("TorchScript classes does not support inheritance") {
        return hint(
            "hold the other class as an attribute, or declare what both have as a `@torch.jit.interface`",
        );
    }
    if row("Don't support formatting in JoinedStr") {
        return hint("texts show values as they are: round before, `round(x * 100) / 100`");
    }
    if row("keyword-arg expansion") {
        return hint("write the arguments out: `f(a=x, b=y)`");
    }
    if row("dict expansion") {
        return hint("copy the dict and set the items one by one: `d = dict(other)`");
    }
    if row("modules are scripted from instances") {
        return hint("script an instance from Python: `torch.jit.script(Net())`");
    }
    None
}

fn raise(_: &Diagnostic) -> Option<Advice> {
    hint("raise an exception with a message: `raise ValueError(\"...\")`")
}

fn recursion(_: &Diagnostic) -> Option<Advice> {
    hint("use a loop, with a list as the stack of what is still to be done")
}

/// How a value of a type becomes one of another, where there is a usual way.
fn conversion(given: &str, wanted: &str) -> Option<String> {
    if let Some(inner) = given
        .strip_prefix("Optional[")
        .and_then(|t| t.strip_suffix(']'))
    {
        return (inner == wanted).then(|| NONE_FIRST.to_string());
    }
    Some(match (given, wanted) {
        ("Tensor", "int" | "float" | "bool") => format!("`{wanted}(x)` or `x.item()`"),
        ("int" | "float" | "bool", "Tensor") => "`torch.tensor(x)`".to_string(),
        ("int" | "float" | "bool" | "complex", "str") => "`str(x)`".to_string(),
        ("str" | "float" | "bool", "int") => "`int(x)`".to_string(),
        ("str" | "int" | "bool", "float") => "`float(x)`".to_string(),
        ("int" | "float", "bool") => "`x != 0`".to_string(),
        (list, "Tensor") if list.starts_with("List[") => "`torch.tensor(x)`".to_string(),
        ("List[Tensor]", list) if list.starts_with("List[") => {
            format!("an empty list holds tensors unless it is annotated, `x: {list} = []`")
        }
        _ => return None,
    })
}

/// The type of two beside None.
fn or_none<'t>(one: &'t str, other: &'t str) -> Option<&'t str> {
    match (one, other) {
        ("NoneType", value) | (value, "NoneType") if !value.starts_with("Optional[") => Some(value),
        _ => None,
    }
}

fn return_type(problem: &Diagnostic) -> Option<Advice> {
    let message = &problem.message;
    if let Some(before) = between(message, "returned a value of type ", " but") {
        let now = between(
            message,
            "this return statement returns a value of type ",
            "",
        )?;
        if let Some(value) = or_none(before, now) {
            return hint(format!(
                "where it may be None, annotate `-> Optional[{value}]`"
            ));
        }
        return hint(format!(
            "return one type everywhere, or annotate `-> Union[{before}, {now}]`"
        ));
    }
    let wanted = between(message, "annotated as having type ", " but")?;
    let given = between(message, "actually of type ", "")?;
    if given == "NoneType" && or_none(wanted, given).is_some() {
        return hint(format!(
            "return a value, or annotate `-> Optional[{wanted}]`"
        ));
    }
    match conversion(given, wanted) {
        Some(how) => hint(format!("convert it ({how}), or annotate `-> {given}`")),
        None => hint(format!(
            "the annotation for what it returns is `-> {given}`"
        )),
    }
}

/// What is wrong with an index, by a piece of the message: a plainer title where the words of the reference say little, and what
/// to do.
const SUBSCRIPTS: &[(&str, &str, &str)] = &[
    (
        "with a non-integer literal",
        "",
        "the elements of a tuple have types of their own, so its index is a number in the text: `t[0]`; use a list to choose while the script runs",
    ),
    (
        "Expected integer literal for index",
        "the index of a list of modules is a number in the text",
        "loop over the modules themselves: `for layer in self.layers:`, with `enumerate` for their numbers",
    ),
    (
        "Unable to extract string literal index",
        "the index of a dict of modules is a string in the text",
        "loop over the dict and compare: `for name, layer in self.layers.items():`, then `if name == key:`",
    ),
    (
        "out of range of length",
        "",
        "the first is 0, and the last is one less than there are",
    ),
];

fn subscript(problem: &Diagnostic) -> Option<Advice> {
    let is_about = |(piece, ..): &&(&str, &str, &str)| problem.message.contains(piece);
    let (_, plain, instead) = SUBSCRIPTS.iter().find(is_about)?;
    let advice = hint(*instead)?;
    Some(match *plain {
        "" => advice,
        plain => advice.plain(plain),
    })
}

fn ternary_type(problem: &Diagnostic) -> Option<Advice> {
    let yes = between(&problem.message, "true branch has type ", " but")?;
    let no = between(&problem.message, "false branch has type ", "")?;
    hint(match conversion(yes, no).or_else(|| conversion(no, yes)) {
        Some(how) => format!("both sides have one type: convert one ({how})"),
        None => "both sides have one type: convert one, or use an `if` statement".to_string(),
    })
}

/// Names that programs import, and the line that does.
const IMPORTED: &[(&str, &str)] = &[
    ("torch", "import torch"),
    ("math", "import math"),
    ("cmath", "import cmath"),
    ("warnings", "import warnings"),
    ("nn", "from torch import nn"),
    ("F", "import torch.nn.functional as F"),
];

/// Names that programs take from elsewhere and scripts cannot, and what to do about it.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "np",
        "NumPy is not part of scripts: torch has most of its functions, `torch.exp(x)` for `np.exp(x)`",
    ),
    (
        "numpy",
        "NumPy is not part of scripts: torch has most of its functions, `torch.exp(x)` for `numpy.exp(x)`",
    ),
    (
        "os",
        "scripts see no files and no environment: pass in what they need",
    ),
    (
        "sys",
        "scripts know nothing of the process: pass in what they need",
    ),
    (
        "random",
        "draw numbers with `torch.rand` or `torch.randint`",
    ),
    ("time", "scripts have no clock: take times outside"),
];

/// The advice to put a line at the top of the file.
fn import(problem: &Diagnostic, line: &str) -> Option<Advice> {
    let advice = hint(format!("put `{line}` at the top of the file"))?;
    let span = problem.span.as_ref()?;
    Some(advice.fix(&span.source().span(0..0), format!("{line}\n")))
}

fn undefined_name(problem: &Diagnostic) -> Option<Advice> {
    let message = problem.message.trim();
    let python = || {
        let name = message.strip_prefix("name '")?;
        name.strip_suffix("' is not defined")
    };
    if let Some(name) = message.strip_prefix("undefined value ").or_else(python) {
        if let Some((_, line)) = IMPORTED.iter().find(|(n, _)| *n == name) {
            return import(problem, line);
        }
        let (_, instead) = ELSEWHERE.iter().find(|(n, _)| *n == name)?;
        return hint(*instead);
    }
    if let Some((name, _)) = message.split_once(" is not defined in the ") {
        return hint(format!(
            "assign `{name}` before the `if`, or on both ways through it"
        ));
    }
    if let Some(rest) = message.strip_prefix("Type mismatch: ") {
        let name = between(rest, "", " is set")?;
        let one = between(rest, "to type ", " in the true")?;
        let other = between(rest, "and type ", " in the false")?;
        return hint(format!(
            "give `{name}` one type, or declare it before the `if`: `{name}: Union[{one}, {other}] = ...`"
        ));
    }
    if message.contains("is declared here but not assigned") {
        return hint("assign it where it is declared");
    }
    None
}

/// Names of `typing`, which a file must import.
const TYPING: &[&str] = &[
    "List",
    "Dict",
    "Tuple",
    "Optional",
    "Union",
    "Any",
    "NamedTuple",
    "Final",
];

fn unknown_type(problem: &Diagnostic) -> Option<Advice> {
    let message = &problem.message;
    let name = between(message, "Unknown type name '", "'")
        .or_else(|| between(message, "Unknown type constructor ", ""))?;
    if TYPING.contains(&name) {
        return import(problem, &format!("from typing import {name}"));
    }
    let known = TYPING.iter().copied().chain([
        "int", "float", "bool", "str", "Tensor", "list", "dict", "tuple",
    ]);
    if let Some((_, example)) = CONTAINERS.iter().find(|(n, _)| *n == name) {
        return hint(format!("say of what it is: `{example}`"));
    }
    if let Some(near) = super::nearest_name(name, known) {
        let advice = hint(format!("did you mean `{near}`?"))?;
        return Some(match marked(problem) {
            Some((span, text)) if text.starts_with(name) => {
                advice.fix(&span.head(name.len() as u32), near)
            }
            _ => advice,
        });
    }
    match name {
        "set" | "Set" | "frozenset" => {
            hint("there are no sets: use a dict whose values do not matter")
        }
        "bytes" | "bytearray" => hint("use a str, or a tensor of uint8"),
        "object" => hint("the type of anything is `Any`"),
        "Callable" => hint(
            "functions are no values: call the function by its name, or use a `@torch.jit.interface`",
        ),
        "Iterable" | "Sequence" | "Iterator" | "Generator" => hint("use `List[...]`"),
        "Mapping" | "defaultdict" | "OrderedDict" => hint("use `Dict[..., ...]`"),
        _ => None,
    }
}

fn unpack(problem: &Diagnostic) -> Option<Advice> {
    let found = between(&problem.message, "found only ", "")
        .or_else(|| between(&problem.message, "found only ", " "));
    match found {
        Some(found) => hint(format!(
            "there are {found} values: write as many names, or `*rest` for several"
        )),
        None => hint("write as many names as there are values"),
    }
}

fn unrolled_length(_: &Diagnostic) -> Option<Advice> {
    hint(
        "count the modules and pick from the list: `for i, layer in enumerate(self.layers):`, then `xs[i]`",
    )
}

fn unsupported_node(problem: &Diagnostic) -> Option<Advice> {
    let what = problem.message.strip_suffix(" aren't supported")?;
    let (_, shown, instead) = LEFT_OUT.iter().find(|(n, ..)| *n == what)?;
    Some(hint(*instead)?.plain(format!("scripts have no {}", shown)))
}
