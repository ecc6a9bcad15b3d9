//! Checking source: every problem, and what every place of the text is.

use crate::beside::Beside;
use crate::script::new_unit;
use crate::stdlib::Embedded;
use rushlight_archive::code::listing;
use rushlight_frontend::script::{Compiler, Facts, Library};
use rushlight_frontend::source_file::{self, Loaded, Scope};
use rushlight_ir::pipeline::Pipeline;
use rushlight_ir::{Function, Unit};
use rushlight_syntax::stack::with_room;
use rushlight_syntax::tree::Ident;
use rushlight_syntax::{Diagnostic, Source};
use rushlight_types::ClassType;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// What a check found in a source.
pub struct Checked {
    /// Every problem, in the order of the text; none for a source that compiles.
    pub problems: Vec<Diagnostic>,
    /// What is known of the places of the text: types of expressions, schemas of calls.
    pub facts: Facts,
    /// The functions by name, in order of definition; those with problems, and those that nothing needed, have no graph.
    pub functions: Vec<(Arc<str>, Arc<Function>)>,
    /// The script classes, in order of definition.
    pub classes: Vec<Arc<ClassType>>,
    /// Classes of modules that are left out, since they are compiled from instances; of their methods only the syntax is
    /// checked.
    pub modules: Vec<Ident>,
    /// Classes of modules whose `forward` and exported methods were checked, as far as `__init__` shows of what types the
    /// attributes are. A method with a problem, or with parts that only an instance knows, has no graph.
    pub checked_modules: Vec<(Ident, Vec<Arc<Function>>)>,
    /// The names of what the source scripts itself.
    pub scripted: BTreeSet<Arc<str>>,
    /// The functions and classes that are part of the program around scripts, and what makes each one: they are left out
    /// where the source does not say what it scripts.
    pub programs: BTreeMap<Arc<str>, String>,
    /// The classes that were left out because nothing that was looked at needs them.
    pub set_aside: Vec<Arc<str>>,
    /// The unit that owns functions and types.
    pub unit: Arc<Unit>,
}

/// Compiles what a source defines and goes on after problems: what it scripts itself (`@torch.jit.script`), with all that
/// needs, or everything but the program around them where it scripts nothing.
///
/// ```
/// let source = rushlight::Source::new("f.py", "def f(x: int):\n    return y\n\ndef g():\n    return z\n");
/// let lines: Vec<u32> = rushlight::check(&source)
///     .problems
///     .iter()
///     .filter_map(|problem| problem.span.as_ref())
///     .map(|span| span.line())
///     .collect();
/// assert_eq!(lines, [2, 5]);
/// ```
///
/// A text that holds the code of an archive, as the command writes it, is compiled as archives are.
pub fn check(source: &Arc<Source>) -> Checked {
    match listing::is_listing(source.text()) {
        true => with_room(|| check_listing(source)),
        false => check_scope(source, Scope::Scripted),
    }
}

/// As [`check`], of the text of a file at a path: what it imports from the files around it is looked up in these. Problems of
/// what it uses there come behind its own.
pub fn check_file(source: &Arc<Source>, path: &Path) -> Checked {
    match listing::is_listing(source.text()) {
        true => check(source),
        false => {
            let (beside, package) = Beside::new(path);
            let around = (Rc::new(beside) as Rc<dyn Library>, package.as_deref());
            check_with(source, Scope::Scripted, around, |compiler| compiler)
        }
    }
}

fn check_listing(source: &Arc<Source>) -> Checked {
    let unit = new_unit();
    let compiler = Rc::new(Compiler::new(unit.clone(), crate::table()));
    let found = listing::check(compiler, source);
    Checked {
        problems: found.problems,
        facts: found.facts,
        functions: found.functions,
        classes: found.classes,
        modules: Vec::new(),
        checked_modules: Vec::new(),
        scripted: BTreeSet::new(),
        programs: BTreeMap::new(),
        set_aside: Vec::new(),
        unit,
    }
}

/// As [`check`], of everything that the text of a file at a path defines, or of what has these names, with what it needs; imports
/// are looked up in the files around it.
pub(crate) fn check_file_for(
    source: &Arc<Source>,
    path: &Path,
    names: Option<Vec<String>>,
) -> Checked {
    let (beside, package) = Beside::new(path);
    let around = (Rc::new(beside) as Rc<dyn Library>, package.as_deref());
    let scope = names.map_or(Scope::All, Scope::Only);
    check_with(source, scope, around, |compiler| compiler)
}

/// As [`check`], of the functions and classes with these names and what they need.
pub fn check_only(source: &Arc<Source>, names: Vec<String>) -> Checked {
    check_scope(source, Scope::Only(names))
}

/// As [`check`], of everything that the source defines.
pub(crate) fn check_all(source: &Arc<Source>) -> Checked {
    check_scope(source, Scope::All)
}

/// As [`check`], of everything that the source defines, with other passes after each function than the usual ones: graphs as
/// they are on the way. They are to be looked at; what they compute is only sure once all passes have run.
pub fn check_unfinished(source: &Arc<Source>, passes: Pipeline) -> Checked {
    check_with(source, Scope::All, alone(), |compiler| {
        compiler.with_clean_up(passes)
    })
}

fn check_scope(source: &Arc<Source>, scope: Scope) -> Checked {
    check_with(source, scope, alone(), |compiler| compiler)
}

/// Where names of other files are looked up for a source that is in none: the library alone.
fn alone() -> (Rc<dyn Library>, Option<&'static str>) {
    (Rc::new(Embedded::default()), None)
}

fn check_with(
    source: &Arc<Source>,
    scope: Scope,
    (library, package): (Rc<dyn Library>, Option<&str>),
    adapt: impl FnOnce(Compiler) -> Compiler,
) -> Checked {
    with_room(|| {
        let unit = new_unit();
        let compiler = Compiler::new(unit.clone(), crate::table()).with_library(library);
        let compiler = adapt(compiler);
        let source_file::Checked {
            loaded,
            problems,
            facts,
        } = source_file::check(&compiler, source, "__torch__", package, scope);
        let Loaded {
            functions,
            classes,
            modules,
            checked_modules,
            scripted,
            programs,
            set_aside,
            ..
        } = loaded;
        Checked {
            problems,
            facts,
            functions,
            classes,
            modules,
            checked_modules,
            scripted,
            programs,
            set_aside,
            unit,
        }
    })
}
