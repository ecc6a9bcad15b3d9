//! What is true of a program: its problems, the types of its expressions, its graphs, its code, what it prints.

use super::program::Program;
use parking_lot::Mutex;
use rushlight::archive::code::function_code;
use rushlight::frontend::script::Known;
use rushlight::ir::Function;
use rushlight::syntax::diagnostic::ErrorKind;
use rushlight::{CompileError, Diagnostic, Script, Source};
use std::io::Write;
use std::sync::Arc;

/// The name of programs in positions.
const NAME: &str = "case.py";

/// The facts of a program.
pub struct Facts {
    script: Result<Script, CompileError>,
    /// The comments that state the problems of each line.
    errors: Vec<Vec<String>>,
    /// The types that each line is asked for.
    reveals: Vec<Vec<String>>,
}

impl Facts {
    /// Compiles the program, once for itself and once for each type.
    pub fn of(program: &Program) -> Facts {
        let script = compile(&program.source());
        let mut errors = vec![Vec::new(); program.lines.len()];
        if let Err(CompileError(problems)) = &script {
            for problem in problems {
                let at = line_of(problem).min(errors.len().saturating_sub(1));
                if let Some(line) = errors.get_mut(at) {
                    line.push(error_comment(problem));
                }
            }
        }
        let reveals = program.lines.iter().enumerate().map(|(i, line)| {
            let types = line.reveals.iter().map(|e| revealed_type(program, i, e));
            types.collect()
        });
        Facts {
            script,
            errors,
            reveals: reveals.collect(),
        }
    }

    /// The comments about the problems of a line.
    pub fn errors_at(&self, line: usize) -> &[String] {
        &self.errors[line]
    }

    /// The types of the expressions that a line asks for.
    pub fn revealed(&self, line: usize) -> &[String] {
        &self.reveals[line]
    }

    /// The lines of a block: `graph`, `code` or `output`, with the name of a function where there is more than one.
    pub fn block(&self, info: &str) -> Vec<String> {
        let (kind, name) = info.split_once(' ').unwrap_or((info, ""));
        let Ok(script) = &self.script else {
            return vec!["the program does not compile".to_string()];
        };
        let text = match kind {
            "output" => output(script),
            _ => match function(script, name) {
                Some(function) if kind == "graph" => function
                    .graph()
                    .map_or_else(|| "no graph".to_string(), |g| g.to_text(false)),
                Some(function) => match function_code(&function) {
                    Ok((code, _)) => code,
                    Err(error) => error.to_string(),
                },
                None => format!("no function {name}"),
            },
        };
        text.trim_end().lines().map(str::to_string).collect()
    }
}

fn compile(source: &str) -> Result<Script, CompileError> {
    rushlight::compile_source(&Source::new(NAME, source))
}

/// A function by name (`f`, `Class.method`), the last one where none is given.
fn function(script: &Script, name: &str) -> Option<Arc<Function>> {
    match name {
        "" => script.functions().last().map(|f| f.function().clone()),
        name => script.unit().function(&format!("__torch__.{name}")),
    }
}

/// The line that a problem is at, counted from 0; the last one for problems of no place.
fn line_of(problem: &Diagnostic) -> usize {
    match &problem.span {
        Some(span) if !span.is_unknown() && span.source().name() == NAME => {
            (span.line() as usize).saturating_sub(1)
        }
        _ => usize::MAX,
    }
}

/// A problem as the comment that states it: class, marked text, first line of the message.
fn error_comment(problem: &Diagnostic) -> String {
    let class = match problem.kind {
        ErrorKind::Runtime => "error",
        kind => kind.class_name(),
    };
    let message = problem
        .message
        .lines()
        .map(str::trim)
        .find(|l| !l.is_empty());
    let message = message.unwrap_or_default().trim_end_matches(':');
    let marked = problem.span.as_ref().filter(|span| !span.is_unknown());
    let marked = marked.map(|span| {
        let mark = span.mark();
        let text = span
            .source()
            .text()
            .get(mark.start as usize..mark.end as usize);
        let text = text.unwrap_or_default();
        let first = text.trim().lines().next().unwrap_or_default();
        let more = if text.trim().contains('\n') {
            " ..."
        } else {
            ""
        };
        match first {
            "" => String::new(),
            first => format!(" `{first}{more}`"),
        }
    });
    format!("# {class}{}: {message}", marked.unwrap_or_default())
}

/// The type of an expression behind a line: what the check knows of it when it stands there as a statement.
fn revealed_type(program: &Program, line: usize, expression: &str) -> String {
    let (text, place) = program.with_statement(line, expression);
    let source = Source::new(NAME, text);
    let checked = rushlight::check(&source);
    match checked
        .facts
        .of(&source.span(place))
        .map(|fact| &fact.known)
    {
        Some(Some(Known::Value(ty))) => ty.message_form().replace("__torch__.", ""),
        Some(Some(_)) => "no value".to_string(),
        _ => "not reached".to_string(),
    }
}

/// Where a script prints to.
#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What `main()` prints, and how it fails.
fn output(script: &Script) -> String {
    let Some(main) = script.get("main") else {
        return "there is no function main".to_string();
    };
    let buffer = Buffer::default();
    script.context().set_sink(Box::new(buffer.clone()));
    let result = main.call(&[]);
    let mut out = String::from_utf8_lossy(&buffer.0.lock()).into_owned();
    if let Err(fault) = result {
        let raised = fault.raised_class().filter(|class| !class.is_empty());
        let class = raised.unwrap_or(fault.class().python_name());
        let class = class.rsplit('.').next().unwrap_or_default();
        out.push_str(format!("{class}: {}", fault.message()).trim_end());
        out.push('\n');
    }
    out
}
