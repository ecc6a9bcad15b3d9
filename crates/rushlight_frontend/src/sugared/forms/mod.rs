//! Special forms: names that get their arguments unevaluated, or whose results depend on how they are written.

mod attribute;
mod container;
mod extremum;
mod iteration;
mod later;
mod remote;
mod slice;
mod tensor;
mod typed;

pub use slice::SliceValue;

use super::{Sugared, SugaredValue, builtin, casts};
use crate::Outcome;
use crate::error::problem;
use crate::script::{Arguments, Emitter, match_call};
use rushlight_syntax::Span;
use rushlight_syntax::tree::Call;
use rushlight_types::{Schema, Type};

/// How a form compiles a call.
pub type CallForm = fn(&mut Emitter<'_>, &Call, Option<&Type>, &Span) -> Outcome<Sugared>;

/// A special form as a sugared value.
pub struct FormValue {
    /// What the form is called in messages.
    pub kind: &'static str,
    pub form: CallForm,
    /// The type that the name stands for in annotations and `isinstance`.
    pub ty: Option<Type>,
}

impl SugaredValue for FormValue {
    fn describe(&self) -> String {
        self.kind.to_string()
    }

    fn form(&self) -> Option<CallForm> {
        Some(self.form)
    }

    fn as_type(&self) -> Option<Type> {
        self.ty.clone()
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// Forms under Python's own names: the name, what messages call it, the form.
const PYTHON: &[(&str, &str, CallForm)] = &[
    ("print", "print", print),
    ("range", "range", iteration::range),
    ("zip", "zip", iteration::zip),
    ("enumerate", "enumerate", iteration::enumerate),
    ("len", "__len__", iteration::len),
    ("list", "list", container::list),
    ("dict", "dict", container::dict),
    ("tuple", "TupleConstruct", container::tuple),
    ("slice", "Python slice class", slice::slice),
    ("getattr", "GetAttr", attribute::getattr),
    ("hasattr", "HasAttr", attribute::condition),
    ("isinstance", "isinstance", attribute::condition),
    ("min", "builtin", extremum::min),
    ("max", "builtin", extremum::max),
];

/// Forms under names of the `torch` namespace.
const TORCH: &[(&str, &str, CallForm)] = &[
    ("torch.jit.annotate", "annotate", typed::annotate),
    ("torch.jit.isinstance", "isinstance", attribute::condition),
    ("torch.jit.is_scripting", "builtin", scripting),
    ("torch.jit.is_tracing", "builtin", not_tracing),
    ("torch._C._get_tracing_state", "builtin", not_tracing),
    ("torch._C._is_tracing", "builtin", not_tracing),
    ("torch.jit.fork", "fork", later::fork),
    ("torch.jit._fork", "fork", later::fork),
    ("torch.jit.wait", "builtin", later::wait),
    ("torch.jit._wait", "builtin", later::wait),
    ("torch.distributed.rpc.rpc_sync", "rpc_sync", remote::sync),
    (
        "torch.distributed.rpc.rpc_async",
        "rpc_async",
        remote::later,
    ),
    ("torch.distributed.rpc.remote", "rpc_remote", remote::create),
    ("torch.jit._awaitable", "awaitable", later::awaitable),
    (
        "torch.jit._awaitable_wait",
        "builtin",
        later::awaitable_wait,
    ),
    (
        "torch.jit.unchecked_cast",
        "unchecked_cast",
        typed::unchecked_cast,
    ),
    ("torch._assert", "builtin", asserted),
    ("torch._check", "builtin", checked),
    ("torch.tensor", "builtin", tensor::tensor),
    ("torch.as_tensor", "builtin", tensor::tensor_like),
];

/// Forms that archives write.
pub const ARCHIVE: &[(&str, CallForm)] = &[
    ("annotate", typed::annotate),
    ("unchecked_cast", typed::unchecked_cast),
    ("uninitialized", typed::uninitialized),
    ("fork", later::fork),
    ("awaitable", later::awaitable),
];

/// A thing known to be true or false while compiling.
pub struct Known(pub bool, pub Option<rushlight_ir::ValueId>);

impl SugaredValue for Known {
    fn describe(&self) -> String {
        "bool".to_string()
    }

    fn as_value(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<rushlight_ir::ValueId> {
        Ok(self.1.unwrap_or_else(|| emitter.constant(self.0, span)))
    }

    fn attribute(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<Sugared> {
        Sugared::Value(emitter.constant(self.0, span)).attribute(emitter, name, span)
    }

    fn static_bool(&self) -> Option<bool> {
        Some(self.0)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// What is known while compiling, asked by a call without arguments.
fn known(
    emitter: &mut Emitter<'_>,
    call: &Call,
    asked: &str,
    answer: bool,
    span: &Span,
) -> Outcome<Sugared> {
    let arguments = evaluated(emitter, call)?;
    let schema = Schema::parse(asked).expect("a schema without arguments");
    match_call(emitter, &[&schema], &arguments, span)?;
    Ok(Sugared::special(Known(answer, None)))
}

/// Whether this is a script.
fn scripting(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    known(emitter, call, "aten::is_scripting() -> bool", true, span)
}

/// Whether a trace is being recorded: not by what a script does.
fn not_tracing(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    known(emitter, call, "is_tracing() -> bool", false, span)
}

/// `torch._assert(condition, message)`: the statement as a call, which has its arguments before it looks at them.
fn asserted(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    assertion(emitter, call, ["condition", "message"], None, span)
}

/// `torch._check(cond, message)`, which may do without a message.
fn checked(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    assertion(emitter, call, ["cond", "message"], Some(""), span)
}

/// An assertion by a call with arguments of these names.
fn assertion(
    emitter: &mut Emitter<'_>,
    call: &Call,
    [condition, text]: [&str; 2],
    default: Option<&str>,
    span: &Span,
) -> Outcome<Sugared> {
    let named = |name: &str| {
        let found = call
            .keywords
            .iter()
            .find(|k| k.name.as_ref().is_some_and(|n| *n.name == *name));
        found.map(|keyword| &keyword.value)
    };
    let test = call.args.first().or_else(|| named(condition));
    let message = call.args.get(1).or_else(|| named(text));
    let given = call.args.len() + call.keywords.len();
    let is_whole = match message {
        Some(_) => given == 2,
        None => given == 1 && default.is_some(),
    };
    let (Some(test), true) = (test, is_whole) else {
        let message = format!("{} takes a condition and a message", call.func.span.text());
        return Err(problem("argument-count", message, span));
    };
    let test = emitter.expression(test, None)?.as_value(emitter, span)?;
    let message = match message {
        Some(message) => emitter.expression(message, None)?.as_value(emitter, span)?,
        None => emitter.constant(default.unwrap_or_default(), span),
    };
    emitter.assert_values(test, message, span)?;
    Ok(Sugared::special(NothingYet))
}

/// What `print(...)` stands for: nothing that could be used.
struct Nothing;

impl SugaredValue for Nothing {
    fn describe(&self) -> String {
        "None".to_string()
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// What `torch._assert(...)` stands for: None, which is made where it is used.
struct NothingYet;

impl SugaredValue for NothingYet {
    fn describe(&self) -> String {
        "None".to_string()
    }

    fn as_value(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<rushlight_ir::ValueId> {
        Ok(emitter.none(span))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn evaluated(emitter: &mut Emitter<'_>, call: &Call) -> Outcome<Arguments> {
    emitter.arguments(&call.args, &call.keywords)
}

/// The place of a call with its arguments, for problems of the arguments.
fn applied(call: &Call) -> Span {
    let keywords = call.keywords.iter().map(|k| &k.span);
    let last = call
        .args
        .iter()
        .map(|a| &a.span)
        .chain(keywords)
        .next_back();
    match last {
        Some(last) => call.func.span.join(last),
        None => call.func.span.clone(),
    }
}

/// Refuses calls with another number of positional arguments, or with keywords.
fn expect_arguments(name: &str, call: &Call, wanted: usize, span: &Span) -> Outcome<()> {
    let found = call.args.len();
    if found != wanted {
        return Err(problem(
            "argument-count",
            format!("{name} expected exactly {wanted} arguments but found {found}"),
            span,
        ));
    }
    no_keywords(name, call)
}

/// Refuses calls with keywords.
fn no_keywords(name: &str, call: &Call) -> Outcome<()> {
    match call.keywords.first() {
        Some(keyword) => Err(problem(
            "unknown-keyword",
            format!("{name} takes no keyword arguments"),
            &keyword.span,
        )),
        None => Ok(()),
    }
}

fn print(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let arguments = evaluated(emitter, call)?;
    for keyword in &arguments.keywords {
        keyword.value.as_value(emitter, &keyword.span)?;
    }
    if !arguments.keywords.is_empty() {
        return Err(problem(
            "unknown-keyword",
            "print doesn't accept any keyword arguments",
            span,
        ));
    }
    let values = arguments.positional.iter();
    let values = values.map(|(v, at)| v.as_value(emitter, at));
    let values = values.collect::<Outcome<Vec<_>>>()?;
    builtin::statement(emitter, "prim::Print", &values, span)?;
    Ok(Sugared::special(Nothing))
}

/// Python's own names that are forms.
pub fn python_names() -> impl Iterator<Item = &'static str> {
    PYTHON.iter().map(|(name, ..)| *name)
}

/// The form under one of Python's own names.
pub fn python(name: &str) -> Option<Sugared> {
    let (name, kind, form) = PYTHON.iter().find(|(n, _, _)| *n == name)?;
    let ty = match *name {
        "list" => Some(Type::AnyList),
        "tuple" => Some(Type::AnyTuple),
        _ => None,
    };
    Some(Sugared::special(FormValue {
        kind,
        form: *form,
        ty,
    }))
}

/// The form under a dotted name.
pub fn torch(path: &str) -> Option<Sugared> {
    let (_, kind, form) = TORCH.iter().find(|(n, _, _)| *n == path)?;
    Some(Sugared::special(FormValue {
        kind,
        form: *form,
        ty: None,
    }))
}

/// A conversion under one of Python's own names.
pub fn cast(name: &str) -> Option<Sugared> {
    casts::CASTS
        .iter()
        .find(|c| c.name == name)
        .map(|c| Sugared::special(casts::CastValue(c)))
}
