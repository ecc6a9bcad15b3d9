//! The code of an archive in one text, every record below a line with its name, as commands write it: read again to be checked.

use super::Importer;
use crate::upgrade::NEWEST_WRITTEN;
use crate::zip::Archive;
use rushlight_frontend::script::{Compiler, Facts};
use rushlight_ir::Function;
use rushlight_syntax::lower::parse_archive_code;
use rushlight_syntax::tree::StmtKind;
use rushlight_syntax::{Diagnostic, Source};
use rushlight_tensor::{DType, Tensor};
use rushlight_types::{ClassType, Type, Value};
use std::rc::Rc;
use std::sync::Arc;

/// How the line begins that says the version of a listing's archive.
pub const VERSION: &str = "# TorchScript as archives hold it, file format version ";

/// More constants than this no archive has.
const MOST_CONSTANTS: usize = 100_000;

/// What a check of a listing found.
#[derive(Default)]
pub struct Listing {
    pub functions: Vec<(Arc<str>, Arc<Function>)>,
    pub classes: Vec<Arc<ClassType>>,
    pub problems: Vec<Diagnostic>,
    pub facts: Facts,
}

/// The record whose name a line is.
fn record(line: &str) -> Option<String> {
    let name = line.strip_prefix("# ")?.trim_end();
    let name = name.strip_prefix("code/").unwrap_or(name);
    let is_code = name.starts_with("__torch__") && name.ends_with(".py");
    is_code.then(|| format!("code/{name}"))
}

/// Whether a text is a listing: the first line that says anything names a record.
pub fn is_listing(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or("");
    record(first).is_some() || first.starts_with(VERSION)
}

/// Compiles all that a listing defines.
pub fn check(compiler: Rc<Compiler>, source: &Arc<Source>) -> Listing {
    let text = source.text();
    let version = text.lines().find_map(|line| line.strip_prefix(VERSION));
    let version = version.and_then(|v| v.trim().parse().ok());
    let empty = Archive::of_parts(&Vec::new().into(), Vec::new());
    let version = version.unwrap_or(NEWEST_WRITTEN);
    let importer = Importer::new(compiler.clone(), Rc::new(empty), version);
    // What constants are stands elsewhere; most are tensors.
    let count = text.split("CONSTANTS.c").skip(1).filter_map(|rest| {
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        rest[..end].parse::<usize>().ok()
    });
    let count = count.max().map_or(0, |last| last.min(MOST_CONSTANTS) + 1);
    if count > 0
        && let Ok(tensor) = Tensor::zeros(&[], DType::F32)
    {
        importer.set_constants(vec![Value::Tensor(tensor); count]);
    }
    let (mut listing, problems, facts) = compiler.checking(source, || all(&importer, source));
    (listing.problems, listing.facts) = (problems, facts);
    listing
}

/// Declares and compiles everything. Problems are noted.
fn all(importer: &Importer, source: &Arc<Source>) -> Listing {
    let mut listing = Listing::default();
    let compiler = importer.compiler();
    let (tree, problems) = parse_archive_code(source);
    problems.iter().for_each(|p| compiler.note_problem(p));
    let mut places = Vec::new();
    let mut at = 0;
    for line in source.text().split_inclusive('\n') {
        places.extend(record(line).map(|record| (at, record)));
        at += line.len();
    }
    let mut names = Vec::new();
    for statement in tree.body {
        let start = statement.span.extent().start as usize;
        let Some((_, record)) = places.iter().rfind(|(at, _)| *at <= start) else {
            continue;
        };
        let module = record.trim_start_matches("code/").trim_end_matches(".py");
        let (name, is_class) = match &statement.kind {
            StmtKind::Def(def) => (def.name.name.clone(), false),
            StmtKind::Class(class) => (class.name.name.clone(), true),
            _ => continue,
        };
        names.push((
            format!("{}.{name}", module.replace('/', ".")),
            name,
            is_class,
        ));
        importer.put(record, statement);
    }
    for (qualified, name, is_class) in names {
        let found = match is_class {
            true => importer.import_type(&qualified).map(|ty| {
                if let Some(Type::Class(class)) = ty {
                    listing.classes.push(class);
                }
            }),
            false => importer.import_function(&qualified).map(|function| {
                listing.functions.extend(function.map(|f| (name, f)));
            }),
        };
        if let Err(problem) = found {
            compiler.note_problem(&problem);
        }
    }
    let functions = listing.functions.iter().map(|(_, f)| f.clone());
    for function in importer.methods().into_iter().chain(functions) {
        if let Err(problem) = compiler.compile(&function) {
            compiler.note_problem(&problem);
        }
    }
    listing
}
