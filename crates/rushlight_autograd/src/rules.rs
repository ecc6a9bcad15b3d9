//! What is known of the derivatives of each operator, read from the tables in `derivatives/`.
//!
//! An entry begins with the operators that it is for, without their namespace, and perhaps the name of their node after
//! an arrow (two with `or` between them: the second is for results that are no views, a third for views of what is not contiguous; `each` before it says that
//! the reference makes every result by a call of its own). Indented lines follow: `argument: expression` is the gradient of an argument (of several, where the
//! expression is a tuple of as many); `= expression` says what to call instead of the operator, the parts being recorded;
//! `~ expression` is the operator in other words, whose parts are recorded and differentiated when gradients are asked for;
//! beside lines for arguments it stands for them where gradients of gradients are asked for.
//! After `for` behind the name of the node are the numbers of the results that have gradients, where not all have.
//! `argument: ! words` says that the reference has no derivative for the argument, and calls it so;
//! `never function: arguments` that it refuses arguments that require gradients, and which function it names then.
//! `keeps: arguments and results` says what the reference keeps beside what is read here, so that writing it is refused, too;
//! `copies: arguments` which arguments it has copies of, so that writing them is not;
//! `factors: arguments` of which tensors the result is a product, so that the only one that wants a gradient is not read.
//! `results are real: function` that they are, with the name of the function that says so where they are not;
//! `complex stays` that the reference does not take the real part of gradients where arguments are real, and refuses such.
//! `unknown: name` that the reference knows no derivative and calls what it lacks so.
//! A line that begins with `none:` lists operators whose results have no gradients.

use crate::made::Made;
use parking_lot::Mutex;
use rushlight_ir::Function;
use rushlight_tensor::{Fault, Result, Tensor};
use rushlight_types::{Operator, OperatorTable, Schema, Type, Value};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The tables.
const TABLES: &[&str] = &[
    include_str!("../derivatives/pointwise.txt"),
    include_str!("../derivatives/activation.txt"),
    include_str!("../derivatives/reduce.txt"),
    include_str!("../derivatives/shape.txt"),
    include_str!("../derivatives/linear.txt"),
    include_str!("../derivatives/nn.txt"),
    include_str!("../derivatives/foreach.txt"),
];

/// Functions that derivatives call.
pub(crate) const HELPERS: &str = concat!(
    include_str!("../derivatives/helpers.py"),
    include_str!("../derivatives/views.py"),
    include_str!("../derivatives/algebra.py"),
    include_str!("../derivatives/factors.py"),
    include_str!("../derivatives/signals.py"),
    include_str!("../derivatives/nn.py"),
    include_str!("../derivatives/sampling.py"),
    include_str!("../derivatives/recurrent.py"),
);

/// A gradient formula: the arguments that it is for, and the expression.
#[derive(Clone, Copy)]
struct Line {
    arguments: &'static str,
    expression: &'static str,
}

#[derive(Default)]
struct Entry {
    node: Option<&'static str>,
    lines: Vec<Line>,
    instead: Option<&'static str>,
    replay: Option<&'static str>,
    none: bool,
    keeps: &'static str,
    copies: &'static str,
    factors: &'static str,
    /// The function that refuses arguments, and those.
    never: Option<(&'static str, &'static str)>,
    real: Option<&'static str>,
    complex_stays: bool,
    unknown: Option<&'static str>,
}

fn entries() -> &'static HashMap<&'static str, Arc<Entry>> {
    static ENTRIES: OnceLock<HashMap<&'static str, Arc<Entry>>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let mut all = HashMap::new();
        for table in TABLES {
            read(table, &mut all);
        }
        all
    })
}

fn read(table: &'static str, all: &mut HashMap<&'static str, Arc<Entry>>) {
    let mut names: Vec<&'static str> = Vec::new();
    let mut entry = Entry::default();
    let mut finish = |names: &mut Vec<&'static str>, entry: &mut Entry| {
        let entry = Arc::new(std::mem::take(entry));
        for name in names.drain(..) {
            all.insert(name, entry.clone());
        }
    };
    for line in table.lines() {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if !line.starts_with(' ') {
            finish(&mut names, &mut entry);
            if let Some(list) = text.strip_prefix("none:") {
                names = list.split_whitespace().collect();
                entry.none = true;
                continue;
            }
            let (list, node) = match text.split_once("->") {
                Some((list, node)) => (list, Some(node.trim())),
                None => (text, None),
            };
            names = list.split(',').map(str::trim).collect();
            entry.node = node;
        } else if let Some(expression) = text.strip_prefix("= ") {
            entry.instead = Some(expression);
        } else if let Some(expression) = text.strip_prefix("~ ") {
            entry.replay = Some(expression);
        } else if let Some(never) = text.strip_prefix("never ") {
            entry.never = never.split_once(": ");
        } else if let Some(function) = text.strip_prefix("results are real: ") {
            entry.real = Some(function);
        } else if let Some(name) = text.strip_prefix("unknown: ") {
            entry.unknown = Some(name);
        } else if text == "complex stays" {
            entry.complex_stays = true;
        } else if let Some(names) = text.strip_prefix("keeps: ") {
            entry.keeps = names;
        } else if let Some(names) = text.strip_prefix("copies: ") {
            entry.copies = names;
        } else if let Some(names) = text.strip_prefix("factors: ") {
            entry.factors = names;
        } else if let Some((arguments, expression)) = text.split_once(':') {
            entry.lines.push(Line {
                arguments,
                expression: expression.trim(),
            });
        }
    }
    finish(&mut names, &mut entry);
}

/// What happens when an operator is called with arguments that require gradients.
pub(crate) enum Action {
    /// Its results have none.
    None,
    /// Other calls stand for it.
    Instead(Formula),
    /// It becomes a node with these derivatives.
    Derive(Vec<Formula>),
    /// It becomes a node whose derivatives are found by calling what stands for it, and differentiating that.
    Replay(Formula),
    /// It becomes a node that cannot be differentiated.
    Unknown,
}

/// An expression that is compiled when it is first needed.
pub(crate) struct Formula {
    /// What the reference calls the derivative that it lacks.
    pub refused: Option<&'static str>,
    /// The positions of the arguments that it is for among all of the operator's.
    pub arguments: Vec<usize>,
    pub expression: &'static str,
    /// The names that the expression uses.
    pub reads: Vec<Read>,
    pub compiled: Mutex<Option<Arc<Function>>>,
}

/// A name in an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Read {
    /// An argument of the operator.
    Argument(usize),
    /// The sizes of an argument: `self_sizes`; of a list of tensors those of each behind their number.
    Sizes(usize),
    /// The sizes of an argument, its strides and its offset in one list: `self_layout`, where nothing reads `self_sizes`.
    Layout(usize),
    /// A result: `result`, `result1`.
    Result(usize),
    /// The gradient of a result: `grad`, `grad1`; zeros where there is none.
    Gradient(usize),
    /// The gradients of all results: `grads`.
    Gradients,
    /// Which of the formula's arguments want a gradient: `needs`.
    Needs,
}

/// What is known of one operator.
pub(crate) struct Rule {
    pub operator: &'static Operator,
    pub action: Action,
    /// The operator in other words for gradients of gradients, where the formulas have none.
    pub words: Option<Formula>,
    pub node: Arc<str>,
    /// Which results have gradients; all of them where this is not said.
    pub results: Option<Vec<usize>>,
    /// The name of the node where the result is no view.
    pub copy_node: Option<Arc<str>>,
    /// The name of the node where the result is a view of what is not contiguous.
    pub alias_node: Option<Arc<str>>,
    /// The argument that is written and returned.
    pub writes: Option<usize>,
    /// Whether results are given in arguments (`out=`).
    pub has_out: bool,
    /// The argument that the result is a view of, or all results in a list are.
    pub views: Option<usize>,
    /// Whether one call of the reference gives all views of a list.
    gives_several: bool,
    /// Whether the results are a list whose elements are no declared views.
    pub gives_parts: bool,
    /// Positions of arguments that hold tensors.
    pub tensors: Vec<usize>,
    /// What is kept only to refuse writes.
    pub keeps: Vec<Read>,
    /// Arguments of which copies are kept.
    pub copies: Vec<usize>,
    /// Arguments whose tensors are multiplied.
    pub factors: Vec<usize>,
    /// The function that refuses arguments that require gradients, and their positions.
    never: Option<(&'static str, Vec<usize>)>,
    /// The function that refuses to be differentiated where results are complex.
    real: Option<&'static str>,
    /// What the reference calls an operator without a derivative.
    pub unknown: &'static str,
    /// Whether complex gradients of real arguments are refused.
    pub complex_stays: bool,
}

impl Rule {
    pub fn of(operator: &'static Operator, table: &OperatorTable) -> Rule {
        let schema = operator.schema();
        let writes = schema.arguments.iter().position(|a| a.is_written());
        let has_out = writes.is_some_and(|w| schema.arguments[w].kwarg_only);
        let entry = entry_of(operator);
        // A write in place is differentiated like the operator that does not write.
        let (entry, like) = match entry {
            Some(entry) => (Some(entry), operator),
            None => match unwritten(operator, table) {
                Some(other) if writes.is_some() => (entry_of(other), other),
                _ => (None, operator),
            },
        };
        let action = match &entry {
            // Operators of containers hand tensors on as they are, with where they come from.
            None if tensor_arguments(schema).is_empty() => Action::None,
            None => Action::Unknown,
            Some(entry) if entry.none => Action::None,
            Some(entry) if entry.unknown.is_some() => Action::Unknown,
            Some(entry) => match (entry.instead, entry.replay) {
                (Some(expression), _) if writes.is_none() => {
                    Action::Instead(formula(schema, Vec::new(), expression))
                }
                (_, Some(_)) if !entry.lines.is_empty() => derive_all(schema, entry),
                (Some(expression), _) | (_, Some(expression)) => {
                    let tensors = tensor_arguments(schema);
                    Action::Replay(formula(schema, tensors, expression))
                }
                _ => derive_all(schema, entry),
            },
        };
        let words = match (&action, &entry) {
            (Action::Derive(_), Some(entry)) => entry.replay,
            _ => None,
        };
        let words = words.map(|words| formula(schema, tensor_arguments(schema), words));
        let names = entry.as_ref().and_then(|e| e.node);
        let (names, results) = match names.and_then(|n| n.split_once(" for ")) {
            Some((name, numbers)) => {
                let numbers = numbers.split_whitespace().flat_map(str::parse);
                (Some(name), Some(numbers.collect()))
            }
            None => (names, None),
        };
        let mut parts = names.into_iter().flat_map(|n| n.split(" or "));
        let names = parts.next();
        let (copy_node, alias_node) = (parts.next().map(Arc::from), parts.next().map(Arc::from));
        let (names, is_composed) = match names.and_then(|n| n.strip_prefix("each ")) {
            Some(name) => (Some(name), true),
            None => (names, false),
        };
        let node = match names {
            Some(name) => name.into(),
            None if matches!(action, Action::Unknown) => "NotImplemented".into(),
            None => node_name(like).into(),
        };
        let tensors = match &action {
            // The nodes of the others would never be reached.
            Action::Derive(formulas) => tensor_arguments(schema)
                .into_iter()
                .filter(|i| Some(*i) == writes || formulas.iter().any(|f| f.arguments.contains(i)))
                .collect(),
            _ => tensor_arguments(schema),
        };
        let views = match &schema.returns[..] {
            [one, ..] if writes.is_none() => one.alias.as_ref().and_then(|alias| {
                let own = [alias].into_iter().chain(&alias.contained);
                let set = own.flat_map(|a| a.before.iter().chain(&a.after)).next()?;
                schema
                    .arguments
                    .iter()
                    .position(|a| a.alias.as_ref().is_some_and(|own| own.before.contains(set)))
            }),
            _ => None,
        };
        let gives_list = writes.is_none()
            && (schema.returns.first()).is_some_and(|r| matches!(r.ty, Type::List(_)));
        Rule {
            operator,
            gives_several: gives_list && views.is_some() && !is_composed,
            gives_parts: gives_list && views.is_none(),
            action,
            words,
            node,
            results,
            copy_node,
            alias_node,
            writes,
            has_out,
            views,
            tensors,
            keeps: (entry.iter().flat_map(|e| self::words(e.keeps)))
                .filter_map(|name| read_of(schema, name))
                .collect(),
            copies: (entry.iter().flat_map(|e| self::words(e.copies)))
                .filter_map(|name| schema.argument_index(name))
                .collect(),
            factors: (entry.iter().flat_map(|e| self::words(e.factors)))
                .filter_map(|name| schema.argument_index(name))
                .collect(),
            real: entry.as_ref().and_then(|e| e.real),
            unknown: (entry.as_ref().and_then(|e| e.unknown)).unwrap_or(bare(operator.name())),
            complex_stays: entry.as_ref().is_some_and(|e| e.complex_stays),
            never: entry.as_ref().and_then(|e| {
                let (function, names) = e.never?;
                Some((function, places(schema, names)))
            }),
        }
    }

    /// Refuses arguments that require gradients although nothing can be differentiated by them.
    pub fn check_arguments(&self, inputs: &[Value]) -> Result<()> {
        let Some((function, places)) = &self.never else {
            return Ok(());
        };
        match places.iter().find(|at| inputs[**at].requires_grad()) {
            Some(at) => Err(Fault::runtime(format!(
                "The function '{function}' is not differentiable with respect to argument '{}'. This input cannot have requires_grad True.",
                self.operator.schema().arguments[*at]
                    .name
                    .trim_start_matches('_')
            ))),
            None => Ok(()),
        }
    }

    /// Refuses complex results where those have no gradients.
    pub fn check_results(&self, results: &[Tensor]) -> Result<()> {
        match self.real {
            Some(function) if results.iter().any(|r| r.dtype().is_complex()) => {
                Err(Fault::not_implemented(format!(
                    "{function} does not support automatic differentiation for outputs with complex dtype."
                )))
            }
            _ => Ok(()),
        }
    }
}

impl Rule {
    /// What a run backwards may evaluate or call.
    pub fn formulas(&self) -> impl Iterator<Item = &Formula> {
        self.action.formulas().iter().chain(&self.words)
    }

    /// How views are made that this call gives together with others.
    pub fn made_among(&self) -> Option<Made> {
        self.gives_several.then_some(Made::Among)
    }
}

/// What a form with `out=` does where arguments require gradients.
pub(crate) enum IntoOut {
    /// Takes them.
    Free,
    /// Refuses tensors for results alone.
    Alone,
    /// Results are copied into those.
    Copied,
    /// Refuses all, in the name of an operator.
    Refused(&'static str),
}

fn bare(name: &'static str) -> &'static str {
    name.strip_prefix("aten::").unwrap_or(name)
}

/// How tensors take results, from `derivatives/outs.txt` and from what is known of the operator without `out=`.
pub(crate) fn into_out(operator: &'static Operator) -> IntoOut {
    let name = bare(operator.name());
    let lines = include_str!("../derivatives/outs.txt").lines();
    let mut lists = lines
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| l.split_once(':'));
    let listed = lists.find(|(_, names)| names.split_whitespace().any(|n| n == name));
    if let Some((how, _)) = listed {
        return match how {
            "alone" => IntoOut::Alone,
            "copied" => IntoOut::Copied,
            other => IntoOut::Refused(other),
        };
    }
    let overload = operator.overload_name();
    let plain = overload.trim_end_matches("out").trim_end_matches('_');
    let exact = match plain {
        "" => entries().get(name),
        _ => entries().get(format!("{name}.{plain}").as_str()),
    };
    let begins = |key: &str| {
        key.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let any = || {
        entries()
            .iter()
            .find(|(key, _)| begins(key))
            .map(|(_, entry)| entry)
    };
    match exact.or_else(any) {
        Some(entry) if entry.none => IntoOut::Free,
        Some(_) => IntoOut::Refused(name),
        None => IntoOut::Alone,
    }
}

fn entry_of(operator: &Operator) -> Option<Arc<Entry>> {
    let name = operator.full_name();
    entries()
        .get(name.strip_prefix("aten::").unwrap_or(name))
        .cloned()
}

/// `aten::add.Tensor` for `aten::add_.Tensor`.
fn unwritten(operator: &Operator, table: &OperatorTable) -> Option<&'static Operator> {
    let plain = operator.name().strip_suffix('_')?;
    let overload = &operator.full_name()[operator.name().len()..];
    table.find(&format!("{plain}{overload}"))
}

/// `AddBackward0` for `aten::add.Tensor`.
fn node_name(operator: &Operator) -> String {
    let name = operator.name();
    let bare = name.split_once("::").map_or(name, |(_, bare)| bare);
    let mut out = String::new();
    // Letters after digits are capitals too: `AvgPool2DBackward0`.
    let mut starts = true;
    for letter in bare.chars() {
        match letter {
            '_' => {}
            _ if starts => out.push(letter.to_ascii_uppercase()),
            _ => out.push(letter),
        }
        starts = !letter.is_alphabetic();
    }
    out + "Backward0"
}

fn tensor_arguments(schema: &Schema) -> Vec<usize> {
    (0..schema.arguments.len())
        .filter(|i| holds_tensors(&schema.arguments[*i].ty))
        .collect()
}

impl Action {
    /// The formulas that are evaluated in a run backwards.
    pub fn formulas(&self) -> &[Formula] {
        match self {
            Action::Derive(formulas) => formulas,
            Action::Replay(formula) => std::slice::from_ref(formula),
            Action::None | Action::Instead(_) | Action::Unknown => &[],
        }
    }
}

fn holds_tensors(ty: &Type) -> bool {
    match ty {
        Type::Tensor(_) => true,
        Type::Optional(inner) | Type::List(inner) => holds_tensors(inner),
        _ => false,
    }
}

fn derive_all(schema: &Schema, entry: &Entry) -> Action {
    let lines = entry.lines.iter();
    let of = |line: &Line| formula(schema, places(schema, line.arguments), line.expression);
    Action::Derive(lines.map(of).collect())
}

/// The positions of arguments that a table names.
fn places(schema: &Schema, names: &str) -> Vec<usize> {
    let place = |name: &str| {
        schema
            .argument_index(name.trim())
            .unwrap_or_else(|| panic!("{} has no argument {name}", schema.full_name()))
    };
    names.split(',').map(place).collect()
}

fn formula(schema: &Schema, arguments: Vec<usize>, expression: &'static str) -> Formula {
    let mut reads = Vec::new();
    let refused = expression.strip_prefix("! ");
    for name in words(refused.map_or(expression, |_| "")) {
        let read = read_of(schema, name);
        if let Some(read) = read
            && !reads.contains(&read)
        {
            reads.push(read);
        }
    }
    Formula {
        refused,
        arguments,
        expression,
        reads,
        compiled: Mutex::new(None),
    }
}

/// The identifiers of an expression that are not attributes, keywords of calls or parts of strings.
pub(crate) fn words(expression: &str) -> impl Iterator<Item = &str> {
    let mut rest = expression;
    let mut last = ' ';
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(|c: char| c.is_alphabetic() || c == '_')?;
            if start > 0 {
                last = rest[..start].chars().next_back().unwrap_or(' ');
            }
            let word = &rest[start..];
            let end = word
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(word.len());
            rest = &word[end..];
            let attribute = std::mem::replace(&mut last, ' ') == '.';
            if !attribute {
                return Some(&word[..end]);
            }
        }
    })
}

fn read_of(schema: &Schema, name: &str) -> Option<Read> {
    if let Some(index) = schema.argument_index(name) {
        return Some(Read::Argument(index));
    }
    if let Some(index) = name
        .strip_suffix("_sizes")
        .and_then(|n| schema.argument_index(n))
    {
        return Some(Read::Sizes(index));
    }
    if let Some(index) = name
        .strip_suffix("_layout")
        .and_then(|n| schema.argument_index(n))
    {
        return Some(Read::Layout(index));
    }
    match name {
        "needs" => return Some(Read::Needs),
        "grads" => return Some(Read::Gradients),
        _ => {}
    }
    let numbered = |prefix: &str| match name.strip_prefix(prefix)? {
        "" => Some(0),
        digits => digits.parse().ok(),
    };
    numbered("result")
        .map(Read::Result)
        .or_else(|| numbered("grad").map(Read::Gradient))
}

impl Read {
    /// The name and annotation of the parameter that stands for it.
    pub fn parameter(&self, schema: &Schema) -> (String, String) {
        let numbered = |prefix: &str, index: usize| match index {
            0 => prefix.to_string(),
            _ => format!("{prefix}{index}"),
        };
        let annotation = |ty: &Type| ty.runtime().annotation();
        match self {
            Read::Argument(i) => {
                let argument = &schema.arguments[*i];
                (argument.name.to_string(), annotation(&argument.ty))
            }
            Read::Sizes(i) => (
                format!("{}_sizes", schema.arguments[*i].name),
                "List[int]".into(),
            ),
            Read::Layout(i) => (
                format!("{}_layout", schema.arguments[*i].name),
                "List[int]".into(),
            ),
            Read::Result(i) => (numbered("result", *i), "Tensor".into()),
            // Where an argument is called so, the gradient is numbered.
            Read::Gradient(0) if schema.argument_index("grad").is_some() => {
                ("grad0".into(), "Tensor".into())
            }
            Read::Gradient(i) => (numbered("grad", *i), "Tensor".into()),
            Read::Gradients => ("grads".into(), "List[Tensor]".into()),
            Read::Needs => ("needs".into(), "List[bool]".into()),
        }
    }
}

/// The name of an operator in the tables with its namespace.
pub(crate) fn full(name: &str) -> String {
    match name.contains("::") {
        true => name.to_string(),
        false => format!("aten::{name}"),
    }
}

/// Every operator that the tables name.
pub(crate) fn named() -> Vec<&'static str> {
    let mut names: Vec<&str> = entries().keys().copied().collect();
    rushlight_tensor::order::sort(&mut names);
    names
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_are_names_and_no_attributes() {
        let found: Vec<&str> = words("grad * torch.cos(self) + x1.sum(dim, True)").collect();
        assert_eq!(found, ["grad", "torch", "self", "x1", "dim", "True"]);
    }
}
