//! The compiler: what outlives one function. Functions are compiled when they are first needed.

use super::recover::{Collected, Unconverted};
use super::{Emitter, Facts, define};
use crate::error::problem;
use crate::source_file::Imported;
use crate::sugared::containers::Container;
use crate::{Outcome, Problem, Resolver, Sugared};
use rushlight_ir::passes::{PassRun, inline};
use rushlight_ir::pipeline::Pipeline;
use rushlight_ir::{Function, Graph, Unit};
use rushlight_syntax::diagnostic::{CompiledFrom, ErrorKind};
use rushlight_syntax::stack::with_room;
use rushlight_syntax::tree::Def;
use rushlight_syntax::{Diagnostic, Source, Span};
use rushlight_types::{ClassType, OperatorTable, Schema, Type, Value};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// A function waiting to be compiled.
#[derive(Clone)]
pub struct FunctionSource {
    pub def: Rc<Def>,
    pub resolver: Rc<dyn Resolver>,
    /// The class, for methods with `self`.
    pub class: Option<Arc<ClassType>>,
    /// Default values that the door has evaluated, by parameter, or why they cannot be such; others are evaluated from their
    /// expressions.
    pub defaults: Vec<(Arc<str>, Outcome<Value>)>,
    /// Types of parameters that the door knows better than the source.
    pub parameter_types: Vec<(Arc<str>, Type)>,
}

/// Finds names of our own standard library (`torch.nn.functional.relu`).
pub trait Library {
    /// What the dotted path stands for; `None` when the library does not have it.
    fn find(&self, emitter: &mut Emitter<'_>, path: &str, span: &Span) -> Outcome<Option<Sugared>>;

    /// Whether a dotted path leads into another file of the program.
    fn is_beside(&self, _path: &str) -> bool {
        false
    }

    /// What such a path stands for.
    fn imported(&self, _compiler: &Compiler, _path: &str) -> Option<Imported> {
        None
    }

    /// Whether programs outside of scripts can call what a dotted path names.
    fn is_callable(&self, _path: &str) -> bool {
        false
    }
}

/// Compiles functions into one unit.
pub struct Compiler {
    pub unit: Arc<Unit>,
    pub table: &'static OperatorTable,
    pending: RefCell<HashMap<Arc<str>, FunctionSource>>,
    /// The functions that could not be compiled, and why.
    failed: RefCell<HashMap<Arc<str>, Problem>>,
    /// The functions being compiled, outermost first.
    active: RefCell<Vec<Arc<Function>>>,
    /// Methods that are compiled together, and not all of them are: until then nobody knows their defaults.
    together: RefCell<BTreeSet<Arc<str>>>,
    /// What is wrong with defaults of such, which is told when all are compiled.
    misfits: RefCell<HashMap<Arc<str>, Problem>>,
    /// Classes that their own methods named while they were being compiled: the other methods come after these.
    named_inside: RefCell<Vec<Arc<ClassType>>>,
    /// The problems of the file that is being checked.
    pub(super) collected: RefCell<Option<Collected>>,
    library: Option<Rc<dyn Library>>,
    /// What every graph goes through before anybody sees it.
    clean_up: Pipeline,
    /// Whether graphs show what functions that they call do in place of the calls.
    inlines_calls: Cell<bool>,
}

/// Where the problem of a function shows: in what its text consists of, before anything is compiled, or after that.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Syntax,
    Body,
}

/// Whether a function is a method of a class, with an object.
fn is_method_of(function: &Function, class: &ClassType) -> bool {
    let own = function.class.as_ref();
    own.is_some_and(|own| own.name() == class.name())
}

/// Chains of functions longer than this are refused: each link costs memory.
const MAX_CHAIN: usize = 500;

/// Errors tell of so many calls that led to them; every function on the way keeps its error.
const MAX_SHOWN: usize = 64;

impl Compiler {
    /// A compiler into a unit, over an operator table.
    pub fn new(unit: Arc<Unit>, table: &'static OperatorTable) -> Compiler {
        Compiler {
            unit,
            table,
            pending: RefCell::default(),
            failed: RefCell::default(),
            active: RefCell::default(),
            together: RefCell::default(),
            misfits: RefCell::default(),
            named_inside: RefCell::default(),
            collected: RefCell::default(),
            library: None,
            clean_up: Pipeline::tidy(),
            inlines_calls: Cell::new(false),
        }
    }

    /// The same compiler with a standard library.
    pub fn with_library(mut self, library: Rc<dyn Library>) -> Compiler {
        self.library = Some(library);
        self
    }

    /// The same compiler with other passes after each function than those of [`Pipeline::tidy`]: for looking at graphs that
    /// are not finished. Expressions that must be known before a function is are still cleaned up in full.
    pub fn with_clean_up(mut self, passes: Pipeline) -> Compiler {
        self.clean_up = passes;
        self
    }

    /// Sets whether functions compiled from here on have the bodies of what they call in place of the calls.
    pub fn set_inlines_calls(&self, on: bool) {
        self.inlines_calls.set(on);
    }

    /// Cleans up the graph of a function.
    pub(super) fn tidy(&self, graph: &mut Graph) {
        let mut run = PassRun::new(self.table);
        run.stoppable = self.is_checking();
        if self.inlines_calls.get() {
            run.unit = Some(&self.unit);
            inline::as_compiled(graph, &mut run);
        }
        self.clean_up.run(graph, &mut run);
    }

    /// Runs `work`, in which functions of the source go on after problems; gives all of these too, in the order of the
    /// text, and what was learnt of its places.
    pub fn checking<T>(
        &self,
        source: &Arc<Source>,
        work: impl FnOnce() -> T,
    ) -> (T, Vec<Diagnostic>, Facts) {
        let outer = self.collected.replace(Some(Collected::new(source)));
        let result = work();
        let collected = self.collected.replace(outer);
        let (problems, facts) = collected.map(Collected::finish).unwrap_or_default();
        (result, problems, facts)
    }

    /// Runs `work`, which declares what another file of the program defines: the problems in it are not those of the file
    /// that is being checked, but of which of its classes more is there than it shows is kept in mind.
    pub fn aside<T>(&self, source: &Arc<Source>, work: impl FnOnce() -> T) -> T {
        let outer = self.collected.replace(Some(Collected::new(source)));
        let result = work();
        let inner = self.collected.replace(outer);
        if let (Some(inner), Some(outer)) = (inner, self.collected.borrow_mut().as_mut()) {
            outer.lost_types.extend(inner.lost_types);
            outer.lost_attributes.extend(inner.lost_attributes);
            outer.silent.extend(inner.silent);
            outer.containers.extend(inner.containers);
            outer.unconverted.extend(inner.unconverted);
        }
        result
    }

    /// See [`Library::is_beside`].
    pub(crate) fn is_beside(&self, path: &str) -> bool {
        let library = self.library.as_ref();
        library.is_some_and(|library| library.is_beside(path))
    }

    /// See [`Library::imported`].
    pub(crate) fn imported(&self, path: &str) -> Option<Imported> {
        self.library.as_ref()?.imported(self, path)
    }

    /// Adds a problem to those of the file that is being checked.
    pub fn note_problem(&self, problem: &Diagnostic) {
        if let Some(collected) = self.collected.borrow_mut().as_mut() {
            collected.add(problem);
        }
    }

    /// Notes an attribute of which nothing is known because its definition could not be read.
    pub(crate) fn note_lost(&self, attribute: &Arc<str>) {
        if let Some(collected) = self.collected.borrow_mut().as_mut() {
            collected.lost_attributes.insert(attribute.clone());
        }
    }

    /// Puts others in the place of the attributes that are lost, and gives these.
    pub(crate) fn exchange_lost(&self, others: BTreeSet<Arc<str>>) -> BTreeSet<Arc<str>> {
        let mut collected = self.collected.borrow_mut();
        collected.as_mut().map_or_else(BTreeSet::new, |collected| {
            std::mem::replace(&mut collected.lost_attributes, others)
        })
    }

    /// Notes a class of which more is there than its definition shows: problems that name it are not told.
    pub(crate) fn note_lost_type(&self, name: &str) {
        if let Some(collected) = self.collected.borrow_mut().as_mut() {
            collected.lost_types.insert(name.to_string());
        }
    }

    /// Notes what is known of a container of modules, by the name of its type.
    pub(crate) fn note_container(&self, name: &str, container: Container) {
        if let Some(collected) = self.collected.borrow_mut().as_mut() {
            let container = Rc::new(container);
            collected.containers.insert(name.to_string(), container);
        }
    }

    /// How many containers of modules are known.
    pub(crate) fn containers(&self) -> usize {
        let collected = self.collected.borrow();
        collected.as_ref().map_or(0, |c| c.containers.len())
    }

    /// The container of modules that a type is.
    pub(crate) fn container(&self, name: &str) -> Option<Rc<Container>> {
        let collected = self.collected.borrow();
        collected.as_ref()?.containers.get(name).cloned()
    }

    /// Notes an attribute of a class of modules that no instance has in scripts.
    pub(crate) fn note_unconverted(&self, class: &str, attribute: &Arc<str>, why: Unconverted) {
        if let Some(collected) = self.collected.borrow_mut().as_mut() {
            let place = (class.to_string(), attribute.clone());
            collected.unconverted.insert(place, why);
        }
    }

    /// Why an attribute of a class of modules is none in scripts.
    pub(crate) fn why_unconverted(&self, class: &str, attribute: &str) -> Option<Unconverted> {
        let collected = self.collected.borrow();
        let all = &collected.as_ref()?.unconverted;
        let place = (class.to_string(), Arc::from(attribute));
        all.get(&place).copied()
    }

    /// Notes a constant of a file whose value a function takes.
    pub(crate) fn note_closed_over(&self, name: &str) {
        if let Some(collected) = self.collected.borrow_mut().as_mut() {
            collected.facts.closed_over.insert(name.into());
        }
    }

    /// Notes a type that the file names and does not import.
    pub(crate) fn note_unimported(&self, name: &str) {
        if let Some(collected) = self.collected.borrow_mut().as_mut() {
            collected.facts.unimported.insert(name.into());
        }
    }

    /// Notes a part of the file that is nobody's but Python's: its problems are not told.
    pub(crate) fn note_silent(&self, span: &Span) {
        if let Some(collected) = self.collected.borrow_mut().as_mut() {
            collected.silent.push(span.clone());
        }
    }

    /// Whether the file that is being checked is that of a source.
    pub(super) fn checks(&self, source: &Source) -> bool {
        let collected = self.collected.borrow();
        collected.as_ref().is_some_and(|c| c.is_about(source))
    }

    /// Whether a file is being checked.
    pub(crate) fn is_checking(&self) -> bool {
        self.collected.borrow().is_some()
    }

    /// Ends a check here where its limits are reached or it was interrupted, by unwinding: a compiler that checks is not used
    /// again. Others are, and compile whatever they have begun.
    pub(super) fn poll(&self) {
        if self.is_checking() {
            rushlight_tensor::watch::poll();
        }
    }

    /// See [`Library::is_callable`].
    pub(crate) fn is_callable(&self, path: &str) -> bool {
        let library = self.library.as_ref();
        library.is_some_and(|library| library.is_callable(path))
    }

    /// See [`Library::find`].
    pub fn library(
        &self,
        emitter: &mut Emitter<'_>,
        path: &str,
        span: &Span,
    ) -> Outcome<Option<Sugared>> {
        match self.library.clone() {
            Some(library) => library.find(emitter, path, span),
            None => Ok(None),
        }
    }

    /// Declares a function to be compiled when it is first needed.
    pub fn declare(&self, qualified_name: &str, source: FunctionSource) -> Arc<Function> {
        let function = self.unit.declare(qualified_name, source.class.clone());
        if let Some(class) = &source.class {
            class.add_method(function.basename(), None);
        }
        self.failed.borrow_mut().remove(qualified_name);
        self.pending
            .borrow_mut()
            .insert(qualified_name.into(), source);
        function
    }

    /// The types of a function that is still waiting: for interfaces and recursion.
    pub fn is_pending(&self, function: &Function) -> bool {
        self.pending
            .borrow()
            .contains_key(function.qualified_name())
    }

    /// Compiles a function if it is still waiting and returns its schema.
    pub fn compile(&self, function: &Arc<Function>) -> Outcome<Arc<Schema>> {
        self.compile_stage(function).map_err(|(_, error)| error)
    }

    /// Compiles methods that belong together. As in the reference, they call one another as if no parameter had a default.
    pub fn compile_together(&self, functions: &[Arc<Function>]) -> Outcome<()> {
        let names = || functions.iter().map(|f| f.qualified_name().clone());
        self.together.borrow_mut().extend(names());
        let result = functions.iter().try_for_each(|f| self.compile(f).map(drop));
        for name in names() {
            self.together.borrow_mut().remove(&name);
        }
        let mut misfits = self.misfits.borrow_mut();
        let misfit = names()
            .filter_map(|name| misfits.remove(&name))
            .fold(None, |first, m| first.or(Some(m)));
        result?;
        misfit.map_or(Ok(()), Err)
    }

    /// Keeps what is wrong with a default of a method until those that it belongs to are compiled; gives it back where it
    /// belongs to none.
    pub(super) fn keep_misfit(&self, function: &Function, misfit: Problem) -> Outcome<()> {
        let name = function.qualified_name();
        if !self.together.borrow().contains(name) {
            return Err(misfit);
        }
        self.misfits.borrow_mut().insert(name.clone(), misfit);
        Ok(())
    }

    /// Whether nobody knows the defaults of a function yet: it is a method that is compiled together with others.
    pub(crate) fn lacks_defaults(&self, function: &Function) -> bool {
        // A static method is compiled when it is called, and calls methods whose defaults are known.
        let inside = |class: &Arc<ClassType>| {
            let active = self.active.borrow();
            !class.is_module() && active.iter().any(|f| is_method_of(f, class))
        };
        self.together.borrow().contains(function.qualified_name())
            || function.class.as_ref().is_some_and(inside)
    }

    /// Refuses what the language leaves out of a function that will be compiled.
    pub fn read(&self, source: &FunctionSource) -> Outcome<()> {
        match self.checks(source.def.span.source()) {
            true => super::refusal::check_head(&source.def),
            false => super::refusal::check(&source.def, Some(&*source.resolver)),
        }
    }

    /// As [`Compiler::compile`]; with a problem comes where it showed.
    fn compile_stage(&self, function: &Arc<Function>) -> Result<Arc<Schema>, (Stage, Problem)> {
        let name = function.qualified_name().clone();
        if let Some(source) = self.take(&name) {
            let fail = |stage: Stage, error: Problem| {
                match stage {
                    Stage::Syntax => self.unit.remove(&name),
                    Stage::Body => self.unit.remove_failed(&name),
                }
                let told = (name.clone(), error.clone());
                self.failed.borrow_mut().insert(told.0, told.1);
                (stage, error)
            };
            self.read(&source)
                .map_err(|error| fail(Stage::Syntax, error))?;
            self.active.borrow_mut().push(function.clone());
            let result = with_room(|| define::define(self, function, &source));
            self.active.borrow_mut().pop();
            result.map_err(|error| fail(Stage::Body, error))?;
        }
        if let Some(schema) = function.known_schema() {
            return Ok(schema);
        }
        // A function that has failed already fails again, with the same problem.
        let before = self.why_failed(&name);
        let error =
            before.unwrap_or_else(|| problem("recursion", recursion(function), &Span::unknown()));
        Err((Stage::Body, error))
    }

    /// Why a function could not be compiled, where it could not.
    pub fn why_failed(&self, name: &str) -> Option<Problem> {
        self.failed.borrow().get(name).cloned()
    }

    /// Why a method that was declared cannot be called: it failed, or nobody ever wrote it.
    pub(crate) fn without_body(&self, method: &str, span: &Span) -> Problem {
        self.why_failed(method).unwrap_or_else(|| {
            problem(
                "no-attribute",
                format!("method '{method}' has no body"),
                span,
            )
        })
    }

    fn take(&self, name: &str) -> Option<FunctionSource> {
        self.pending.borrow_mut().remove(name)
    }

    /// As [`Compiler::compile`], for a call that another function makes: with the defaults that this one can know.
    pub fn ensure(
        &self,
        caller: &Emitter<'_>,
        function: &Arc<Function>,
        span: &Span,
    ) -> Outcome<Arc<Schema>> {
        let schema = self.ensure_compiled(caller, function, span)?;
        if !self.lacks_defaults(function) {
            return Ok(schema);
        }
        let mut bare = (*schema).clone();
        bare.arguments.iter_mut().for_each(|a| a.default = None);
        Ok(Arc::new(bare))
    }

    fn ensure_compiled(
        &self,
        caller: &Emitter<'_>,
        function: &Arc<Function>,
        span: &Span,
    ) -> Outcome<Arc<Schema>> {
        let name = function.qualified_name();
        if self
            .active
            .borrow()
            .iter()
            .any(|f| f.qualified_name() == name)
        {
            let mut refusal = problem("recursion", recursion(function), span);
            let is_of_program = function.class.is_none() && name.starts_with("__torch__.");
            if is_of_program && caller.function.name != *name {
                // Functions of a program that call one another exhaust Python's stack in the reference.
                refusal.kind = ErrorKind::Recursion;
            }
            return Err(refusal);
        }
        if let Some(schema) = function.known_schema() {
            return Ok(schema);
        }
        if self.active.borrow().len() >= MAX_CHAIN {
            return Err(problem(
                "too-deep",
                "functions call one another too deeply to compile",
                span,
            ));
        }
        let schema = match (self.compile_stage(function), function.known_schema()) {
            (Ok(schema), _) => schema,
            // A check tells what is wrong with it where that is, and goes on with what it is declared to give.
            (Err((Stage::Body, error)), Some(schema)) if self.is_checking() => {
                self.note_problem(&error);
                schema
            }
            (Err((Stage::Body, error)), _) => return Err(called_from(error, function, caller)),
            // The call is not begun while the text is read.
            (Err((Stage::Syntax, error)), _) => return Err(error),
        };
        if let Some(class) = &function.class
            && !self.is_inside(class)
            && self.take_named_inside(class)
        {
            self.ensure_class(caller, class, span)?;
        }
        Ok(schema)
    }
}

impl Compiler {
    /// Whether a method of the class is being compiled.
    fn is_inside(&self, class: &ClassType) -> bool {
        let is_static_of = |f: &Arc<Function>| {
            let same_name = class.static_method(f.basename());
            same_name.is_some_and(|m| m.qualified == *f.qualified_name())
        };
        let active = self.active.borrow();
        let is_of =
            |f: &Arc<Function>| is_method_of(f, class) || f.class.is_none() && is_static_of(f);
        active.iter().any(is_of)
    }

    /// Whether a method that has just been compiled named its own class, the other methods of which are waiting.
    fn take_named_inside(&self, class: &ClassType) -> bool {
        let mut named = self.named_inside.borrow_mut();
        let before = named.len();
        named.retain(|c| c.name() != class.name());
        named.len() < before
    }

    /// Compiles the methods of a class that are still waiting: naming a class is using all of it. Where one of its methods
    /// is being compiled, the others come after that one: earlier, those that call it would seem to be called by it.
    pub fn ensure_class(
        &self,
        caller: &Emitter<'_>,
        class: &Arc<ClassType>,
        span: &Span,
    ) -> Outcome<()> {
        if self.is_inside(class) {
            self.named_inside.borrow_mut().push(class.clone());
            return Ok(());
        }
        for method in class.methods() {
            let failed = match self.unit.function(&method.qualified) {
                Some(function) => {
                    if !self.is_pending(&function) || self.active.borrow().len() >= MAX_CHAIN {
                        continue;
                    }
                    self.compile(&function).err()
                }
                // What failed once fails again, whoever names the class.
                None => self.why_failed(&method.qualified),
            };
            let Some(mut error) = failed else { continue };
            if self.is_checking() {
                // Its problems are told where they are.
                self.note_problem(&error);
                continue;
            }
            error.chain.push(CompiledFrom {
                callee: shown_name(&method.qualified),
                caller: unmangled(class.name()),
                span: span.clone(),
            });
            error.chain.push(CompiledFrom {
                callee: unmangled(class.name()),
                caller: shown_name(&caller.function.name),
                span: caller.pending.clone(),
            });
            return Err(error);
        }
        self.take_named_inside(class);
        Ok(())
    }
}

/// The refusal of a call of a function that is being compiled.
pub(super) fn recursion(function: &Function) -> String {
    let kind = if function.class.is_some() {
        " method"
    } else {
        " function"
    };
    format!(
        "{kind} '{}' is called recursively. Recursive calls are not supported",
        function.basename()
    )
}

/// Adds `'f' is being compiled since it was called from 'g'`.
fn called_from(mut error: Problem, function: &Function, caller: &Emitter<'_>) -> Problem {
    if error.chain.len() < MAX_SHOWN {
        error.chain.push(CompiledFrom {
            callee: shown_name(function.qualified_name()),
            caller: shown_name(&caller.function.name),
            span: caller.pending.clone(),
        });
    }
    error
}

/// A qualified name without what keeps it apart from others of the same name.
pub(super) fn unmangled(qualified: &str) -> String {
    let parts = qualified.split('.');
    let parts: Vec<&str> = parts
        .filter(|p| !p.starts_with("___torch_mangle"))
        .collect();
    parts.join(".")
}

/// Functions show their own name, methods `Class.method`.
pub(super) fn shown_name(qualified: &str) -> String {
    let parts: Vec<&str> = qualified
        .split('.')
        .filter(|p| !p.starts_with("___torch_mangle"))
        .collect();
    match parts.as_slice() {
        [.., class, method] if class.chars().next().is_some_and(char::is_uppercase) => {
            format!("{class}.{method}")
        }
        [.., last] => last.to_string(),
        [] => qualified.to_string(),
    }
}
