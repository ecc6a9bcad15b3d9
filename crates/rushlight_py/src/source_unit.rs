//! `torch.jit.CompilationUnit(source)`: functions of a text, which know one another and the names of the caller.

use crate::resolver::PyResolver;
use crate::script::ScriptFunction;
use crate::{errors, state};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rushlight::frontend::script::{Emitter, FunctionSource};
use rushlight::frontend::sugared::function;
use rushlight::frontend::{Outcome, Resolver, Sugared};
use rushlight::ir::Function;
use rushlight::syntax::diagnostic::TYPE_COMMENT;
use rushlight::syntax::tree::{Def, ExprKind, Stmt, StmtKind};
use rushlight::syntax::{Diagnostic, Source, Span};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The functions of the text, then whatever the caller sees.
struct UnitScope {
    functions: RefCell<HashMap<String, Arc<Function>>>,
    outside: PyResolver,
}

impl Resolver for UnitScope {
    fn outer(&self) -> Option<&dyn Resolver> {
        Some(&self.outside)
    }

    fn lookup(
        &self,
        emitter: &mut Emitter<'_>,
        name: &str,
        span: &Span,
    ) -> Outcome<Option<Sugared>> {
        let own = self.functions.borrow().get(name).cloned();
        match own {
            Some(function) => Ok(Some(Sugared::special(function::ScriptFunction {
                function,
            }))),
            None => self.outside.lookup(emitter, name, span),
        }
    }
}

/// A problem found while reading the text.
fn reading(message: String, span: &Span) -> Diagnostic {
    Diagnostic::error(TYPE_COMMENT, message, span)
}

const KEYWORDS: &[&str] = &[
    "class", "import", "for", "while", "if", "return", "pass", "with", "raise", "assert", "del",
    "global", "from", "def", "else", "elif", "in", "is", "not", "and", "or",
];

/// The token that a statement begins with, as the reference calls it.
fn first_token(statement: &Stmt) -> String {
    let text = statement.span.text();
    let word: String = text
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    match text.chars().next() {
        Some('@') => "@".to_string(),
        _ if KEYWORDS.contains(&word.as_str()) => word,
        _ => "ident".to_string(),
    }
}

/// What is wrong with an expression that nothing can be assigned to: the reference reads it and refuses it later.
fn no_target(target: &Span) -> Diagnostic {
    let before = &target.source().text()[..target.start() as usize];
    let before = before.trim_end_matches(' ');
    match before.chars().next_back() {
        Some('*') => {
            Diagnostic::error("starred", "Cannot pack a tuple into a non-variable", target)
        }
        None | Some('\n') => Diagnostic::error(
            "assignment-target",
            "unexpected expression on left-hand side of assignment",
            target,
        ),
        Some(_) => Diagnostic::error(
            "assignment-target",
            "lhs of assignment must be a variable, subscript, or starred expression",
            target,
        ),
    }
}

/// A problem of syntax in the words of the reference, which names the token that it stopped at.
fn reworded(problem: &Diagnostic, source: &Arc<Source>) -> Diagnostic {
    if let Some(target) = &problem.span
        && problem.message == "Invalid assignment target"
    {
        return no_target(target);
    }
    let at = problem.span.as_ref().map_or(0, Span::start) as usize;
    let text = source.text();
    let rest = text.get(at.min(text.len())..).unwrap_or("");
    if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\''))
        && !is_closed(rest, quote)
    {
        let message = format!("expected a valid token but found '{quote}' here");
        return reading(message, &source.span(at as u32..at as u32 + 1));
    }
    if AUGMENTED.iter().any(|operator| rest.starts_with(operator)) {
        let before = text[..at].trim_end_matches(' ');
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        let start = before.len() - before[line..].trim_start().len();
        let message = " augmented assignment can only have one LHS expression";
        let target = source.span(start as u32..before.len() as u32);
        return Diagnostic::error("assignment-target", message, &target);
    }
    let wanted = problem
        .message
        .split_once('`')
        .and_then(|(before, after)| before.starts_with("Expected").then_some(after))
        .and_then(|after| after.split('`').next());
    let word: String = rest
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    let first = rest.trim_start_matches(' ').chars().next();
    let found = match first {
        None => "eof".to_string(),
        Some('\n') if rest.trim_end().is_empty() => "newline".to_string(),
        Some('\n') => "indent".to_string(),
        Some('\'' | '"') => "string_literal".to_string(),
        Some(c) if c.is_ascii_digit() => "number".to_string(),
        Some(_) if KEYWORDS.contains(&word.as_str()) => word.clone(),
        Some(c) if c.is_alphabetic() || c == '_' => "ident".to_string(),
        Some(c) => c.to_string(),
    };
    // Inside brackets the reference wants them closed, or a key to be told from its value.
    let wanted = match (wanted, innermost_bracket(&text[..at.min(text.len())])) {
        (Some("," | ":"), Some('[')) => Some("]"),
        (Some("," | ":"), Some('(')) => Some(")"),
        (Some(","), Some('{')) => Some(":"),
        (wanted, _) => wanted,
    };
    let message = format!(
        "expected {} but found '{found}' here",
        wanted.unwrap_or("ident")
    );
    let length = word.len().max(1).min(rest.len()) as u32;
    reading(message, &source.span(at as u32..at as u32 + length))
}

/// The augmented assignments: the reference reads several targets before them and refuses these.
const AUGMENTED: &[&str] = &["+=", "-=", "*=", "/=", "%=", "|=", "&=", "^="];

/// Whether the string literal that a text begins with has an end.
fn is_closed(text: &str, quote: char) -> bool {
    let three: String = [quote; 3].iter().collect();
    let (mut rest, end, spans_lines) = match text.strip_prefix(&*three) {
        Some(inside) => (inside, three, true),
        None => (&text[1..], quote.to_string(), false),
    };
    while !rest.starts_with(&*end) {
        let mut chars = rest.chars();
        match chars.next() {
            None => return false,
            Some('\n') if !spans_lines => return false,
            Some('\\') => drop(chars.next()),
            Some(_) => {}
        }
        rest = chars.as_str();
    }
    true
}

/// Blocks nested deeper than this are not looked into: the parser has refused them.
const MAX_DEPTH: usize = 200;

/// The place of a loop over several things that stand without parentheses: `for x in a, b:`.
fn loop_over_several(body: &[Stmt], depth: usize) -> Option<&Span> {
    if depth > MAX_DEPTH {
        return None;
    }
    body.iter().find_map(|statement| {
        let (inner, orelse): (&[Stmt], &[Stmt]) = match &statement.kind {
            StmtKind::For(node) => {
                if let ExprKind::Tuple {
                    parenthesized: false,
                    ..
                } = node.iter.kind
                {
                    return Some(&statement.span);
                }
                (&node.body, &node.orelse)
            }
            StmtKind::While(node) => (&node.body, &node.orelse),
            StmtKind::If(node) => (&node.body, &node.orelse),
            StmtKind::With(node) => (&node.body, &[]),
            _ => return None,
        };
        loop_over_several(inner, depth + 1).or_else(|| loop_over_several(orelse, depth + 1))
    })
}

/// The bracket that is open at the end of a text. Brackets in strings count too: this only words a message.
fn innermost_bracket(text: &str) -> Option<char> {
    let mut open = Vec::new();
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => open.push(c),
            ')' | ']' | '}' => drop(open.pop()),
            _ => {}
        }
    }
    open.last().copied()
}

/// The definitions of a text, which holds nothing else.
pub fn definitions(py: Python<'_>, source: &Arc<Source>) -> PyResult<Vec<Def>> {
    // One window: messages show what stands around a definition.
    let (module, problems) = rushlight::syntax::lower::parse_archive_code(source);
    let refuse = |problem: &Diagnostic| Err(errors::diagnostic(py, problem));
    if let Some(first) = problems.first() {
        return refuse(&reworded(first, source));
    }
    let mut out: Vec<Def> = Vec::new();
    for statement in module.body {
        let token = first_token(&statement);
        match statement.kind {
            StmtKind::Def(def) if def.decorators.is_empty() => {
                if out.iter().any(|d| d.name.name == def.name.name) {
                    let message = format!("method '{}' already defined.", def.name.name);
                    return Err(PyRuntimeError::new_err(message));
                }
                out.push(*def);
            }
            _ => {
                let token = if token == "ident" && statement.span.text().starts_with("def") {
                    "@".to_string()
                } else {
                    token
                };
                let length = if token == "ident" {
                    1
                } else {
                    token.len() as u32
                };
                let message = format!("expected def but found '{token}' here");
                return refuse(&reading(message, &statement.span.head(length)));
            }
        }
    }
    let last = source.text().rsplit('\n').next().unwrap_or("");
    if !out.is_empty() && !last.trim_start_matches([' ', '\t']).is_empty() {
        let end = source.text().len() as u32;
        return refuse(&reading(
            "expected newline but found 'eof' here".to_string(),
            &source.span(end..end),
        ));
    }
    if let Some(place) = out.iter().find_map(|def| loop_over_several(&def.body, 0)) {
        let message = "List of iterables is not supported currently";
        return refuse(&Diagnostic::error("loop", message, place));
    }
    let commented = |def: &&Def| def.signature.is_none();
    for param in out.iter().filter(commented).flat_map(|def| &def.params.0) {
        if param.default.is_some() && param.annotation.is_none() && param.type_comment.is_none() {
            let message =
                "Keyword arguments with defaults need to be type-hinted (TorchScript C++ frontend)";
            return refuse(&Diagnostic::error("default-value", message, &param.span));
        }
    }
    Ok(out)
}

/// Compiles the functions of a text; names that it does not define are looked up in `scope`.
#[pyfunction]
pub fn compile_source(
    py: Python<'_>,
    text: &str,
    scope: &Bound<'_, PyAny>,
) -> PyResult<Vec<(String, ScriptFunction)>> {
    let compiler = state::compiler();
    let definitions = definitions(py, &Source::new("<string>", text))?;
    let names = Rc::new(UnitScope {
        functions: RefCell::default(),
        outside: PyResolver::new(scope.clone().unbind()),
    });
    let mut functions = Vec::new();
    for def in definitions {
        let name = def.name.name.to_string();
        let source = FunctionSource {
            def: Rc::new(def),
            resolver: names.clone(),
            class: None,
            defaults: Vec::new(),
            parameter_types: Vec::new(),
        };
        let function = compiler.declare(&compiler.unit.free_name(&name), source);
        names
            .functions
            .borrow_mut()
            .insert(name.clone(), function.clone());
        functions.push((name, function));
    }
    let mut out = Vec::new();
    for (name, function) in functions {
        compiler
            .compile(&function)
            .map_err(|e| errors::diagnostic(py, &e))?;
        out.push((name, ScriptFunction::of(&function)));
    }
    Ok(out)
}
