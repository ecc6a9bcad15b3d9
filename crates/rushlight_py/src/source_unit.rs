//! `torch.jit.CompilationUnit(source)`: functions of a text, which know one another and the names of the caller.

use crate::handles::ScriptFunction;
use crate::scope::PyResolver;
use crate::typed_module::TypedModule;
use crate::{errors, state};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rushlight::frontend::script::{Emitter, FunctionSource, check_defaults};
use rushlight::frontend::sugared::function;
use rushlight::frontend::{Outcome, Resolver, Sugared};
use rushlight::ir::{Function, ValueId};
use rushlight::syntax::diagnostic::TYPE_COMMENT;
use rushlight::syntax::grammar;
use rushlight::syntax::tree::{Def, ExprKind, Param, ParamKind, Stmt, StmtKind};
use rushlight::syntax::{Diagnostic, ErrorKind, Source, Span};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The functions of the text, then whatever the caller sees.
pub struct UnitScope {
    functions: RefCell<HashMap<String, Arc<Function>>>,
    outside: PyResolver,
    /// Whether they are methods of a module whose type is all that is known of it.
    is_of_module: bool,
}

impl UnitScope {
    /// A scope without functions yet.
    pub fn of(outside: PyResolver) -> UnitScope {
        UnitScope {
            functions: RefCell::default(),
            outside,
            is_of_module: false,
        }
    }

    /// The same for methods of a module whose type is all that is known of it.
    pub fn of_module(outside: PyResolver) -> UnitScope {
        UnitScope {
            is_of_module: true,
            ..UnitScope::of(outside)
        }
    }
}

impl Resolver for UnitScope {
    fn has_keyword_defaults(&self) -> bool {
        true
    }

    fn outer(&self) -> Option<&dyn Resolver> {
        Some(&self.outside)
    }

    fn parameter(&self, index: usize, value: ValueId) -> Option<Sugared> {
        (self.is_of_module && index == 0).then(|| Sugared::special(TypedModule(value)))
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

/// A problem of syntax in the words of the reference, which names the first token that has no place.
fn reworded(problem: &Diagnostic, source: &Arc<Source>) -> Diagnostic {
    if let Some(target) = &problem.span
        && problem.message == "Invalid assignment target"
    {
        return no_target(target);
    }
    let at = problem.span.as_ref().map_or(0, Span::start) as usize;
    let text = source.text();
    let rest = text.get(at.min(text.len())..).unwrap_or("");
    if AUGMENTED.iter().any(|operator| rest.starts_with(operator)) {
        let before = text[..at].trim_end_matches(' ');
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        let start = before.len() - before[line..].trim_start().len();
        let message = " augmented assignment can only have one LHS expression";
        let target = source.span(start as u32..before.len() as u32);
        return Diagnostic::error("assignment-target", message, &target);
    }
    misplaced(source).unwrap_or_else(|| problem.clone())
}

/// What the reference says of a text that its grammar does not have.
fn misplaced(source: &Arc<Source>) -> Option<Diagnostic> {
    grammar::unit_misfit(source.text()).map(|misfit| misfit.at(source))
}

/// Refuses defaults that are no values of the parameters of a function of a text.
pub fn defaults(py: Python<'_>, name: &str, described: &FunctionSource) -> PyResult<()> {
    let checked = check_defaults(&state::compiler(), name, described);
    checked.map_err(|problem| errors::diagnostic(py, &problem))
}

/// Compiles a function of a text.
pub fn compile(py: Python<'_>, function: &Arc<Function>, source: &Arc<Source>) -> PyResult<()> {
    let done = state::compiler().compile(function);
    done.map_err(|e| errors::diagnostic(py, &refusal(&e, source)))?;
    Ok(())
}

/// A problem of a definition: syntax that Python has, but the grammar of texts does not, is told as theirs.
fn refusal(problem: &Diagnostic, source: &Arc<Source>) -> Diagnostic {
    match problem.kind {
        ErrorKind::NotSupported | ErrorKind::UnsupportedNode => misplaced(source),
        // A `raise` of nothing.
        ErrorKind::Attribute => misplaced(source),
        _ => None,
    }
    .unwrap_or_else(|| problem.clone())
}

/// The augmented assignments: the reference reads several targets before them and refuses these.
const AUGMENTED: &[&str] = &["+=", "-=", "*=", "/=", "%=", "|=", "&=", "^="];

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

/// Whether a body ends in an `if` without `else`: such a statement goes on to the next token.
fn ends_open(body: &[Stmt]) -> bool {
    let mut body = body;
    loop {
        body = match body.last().map(|last| &last.kind) {
            Some(StmtKind::If(node)) if node.orelse.is_empty() => return true,
            Some(StmtKind::If(node)) => &node.orelse,
            Some(StmtKind::For(node)) => &node.body,
            Some(StmtKind::While(node)) => &node.body,
            Some(StmtKind::With(node)) => &node.body,
            _ => return false,
        };
    }
}

/// Where a definition of a text stands for messages: from its name to the end of its last statement.
fn place_of(def: &Def) -> Span {
    let source = def.span.source();
    let mut end = def.span.end() as usize;
    if ends_open(&def.body) {
        let text = source.text();
        let mut behind = text.get(end..).unwrap_or("");
        loop {
            behind = behind.trim_start();
            match behind.strip_prefix('#') {
                Some(comment) => behind = &comment[comment.find('\n').unwrap_or(comment.len())..],
                None => break,
            }
        }
        end = text.len() - behind.len();
        if !behind.is_empty() {
            end -= text[..end].len() - text[..end].trim_end_matches([' ', '\t']).len();
        }
    }
    source.span(def.name.span.start()..end as u32)
}

/// The definitions of a text, which holds nothing else.
pub fn definitions(py: Python<'_>, source: &Arc<Source>) -> PyResult<Vec<Def>> {
    // One window: messages show what stands around a definition.
    let (module, problems) = rushlight::syntax::lower::parse_archive_code(source);
    let refuse = |problem: &Diagnostic| Err(errors::diagnostic(py, problem));
    if let Some(first) = problems.first() {
        return refuse(&reworded(first, source));
    }
    // What Python has and these texts have not, which the parser has passed over.
    if let Some(misfit) = grammar::unit_misfit(source.text()).filter(|misfit| misfit.is_certain) {
        return refuse(&misfit.at(source));
    }
    if let Some(misfit) = grammar::string_misfit(source.text()) {
        return refuse(&misfit.at(source));
    }
    let mut out: Vec<Def> = Vec::new();
    for statement in module.body {
        match statement.kind {
            StmtKind::Def(def) if def.decorators.is_empty() && !def.is_async => {
                let mut def = *def;
                def.span = place_of(&def);
                out.push(def);
            }
            _ => {
                let message = "expected def but found 'ident' here".to_string();
                let unknown = reading(message, &statement.span.head(1));
                return refuse(&misplaced(source).unwrap_or(unknown));
            }
        }
    }
    let last = source.text().rsplit('\n').next().unwrap_or("");
    if !out.is_empty() && !last.trim_start_matches([' ', '\t']).is_empty() {
        let end = source.text().len() as u32;
        let message = "expected newline but found 'eof' here".to_string();
        return refuse(&reading(message, &source.span(end..end)));
    }
    if let Some(place) = out.iter().find_map(|def| loop_over_several(&def.body, 0)) {
        let message = "List of iterables is not supported currently";
        return refuse(&Diagnostic::error("loop", message, place));
    }
    // The grammar of texts has no mark for parameters that go by position.
    let by_position = |param: &Param| param.kind == ParamKind::PositionalOnly;
    if out.iter().any(|def| def.params.0.iter().any(by_position))
        && let Some(problem) = misplaced(source)
    {
        return refuse(&problem);
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

/// What is said of a function that is there already.
pub fn already_defined(name: &str) -> PyErr {
    PyRuntimeError::new_err(format!("method '{name}' already defined."))
}

/// Compiles the functions of a text; names that it does not define are looked up in `scope`.
#[pyfunction]
pub fn compile_source(
    py: Python<'_>,
    text: &str,
    scope: &Bound<'_, PyAny>,
) -> PyResult<Vec<(String, ScriptFunction)>> {
    let compiler = state::compiler();
    let source = Source::new("<string>", text);
    let definitions = definitions(py, &source)?;
    let names = Rc::new(UnitScope::of(PyResolver::new(scope.clone().unbind())));
    let mut functions = Vec::new();
    for def in definitions {
        let name = def.name.name.to_string();
        if functions.iter().any(|(known, _)| *known == name) {
            return Err(already_defined(&name));
        }
        let described = FunctionSource {
            def: Rc::new(def),
            resolver: names.clone(),
            class: None,
            defaults: Vec::new(),
            parameter_types: Vec::new(),
        };
        defaults(py, &name, &described)?;
        let function = compiler.declare(&compiler.unit.free_name(&name), described);
        names
            .functions
            .borrow_mut()
            .insert(name.clone(), function.clone());
        functions.push((name, function));
    }
    let mut out = Vec::new();
    for (name, function) in functions {
        compile(py, &function, &source)?;
        out.push((name, ScriptFunction::of(&function)));
    }
    Ok(out)
}
