//! The source-only door: names resolve to the file's own imports, definitions and constants.
//!
//! A [`SourceFile`] is one module of TorchScript source. Its functions compile when they are first needed; its classes
//! (script classes, enums, NamedTuples) become types at once.

mod choice;
mod classes;
mod constants;
mod dataclass;
mod imports;
mod initialiser;
pub(crate) mod library;
mod modules;
mod program;
mod roots;

pub use imports::{Imported, OtherFile};

use crate::error::{problem, unsupported};
use crate::script::{Compiler, Emitter, Facts, FunctionSource};
use crate::sugared::layers::Maker;
use crate::sugared::{self, namespace};
use crate::{Outcome, Problem, Resolver, Sugared};
use rushlight_ir::Function;
use rushlight_syntax::tree::{ClassDef, Def, Expr, ExprKind, Ident, Module, Stmt, StmtKind};
use rushlight_syntax::{Diagnostic, ErrorKind, Source, Span, parse_module};
use rushlight_types::Type;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// What a module-level name is bound to.
#[derive(Clone)]
enum Binding {
    /// A name of the language's libraries: `torch`, `math.sqrt`.
    Path(String),
    Function(Arc<Function>),
    /// A function with several declared signatures.
    Overloaded(Rc<choice::Declared>),
    /// Two functions, told apart by a flag.
    ByFlag(Rc<choice::ByFlag>),
    Type(Type),
    /// A class of modules, which are compiled from instances; a check may know more of it.
    Module(Option<Rc<modules::ModuleClass>>),
    /// An expression, evaluated in each function that uses it.
    Constant(Rc<Expr>),
    /// What a check does not see: it stands in another file of the program, is made in ways that are Python's, or has been told of.
    Elsewhere,
}

impl Binding {
    /// What a name that is bound to this stands for.
    fn sugared(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Sugared> {
        // What the `__init__` of a module calls is Python's.
        if emitter.initialises_module() {
            match self {
                Binding::Module(Some(class)) => return Ok(Maker::own(class.ty.clone())),
                Binding::Function(_) | Binding::Overloaded(_) | Binding::ByFlag(_) => {
                    return Err(crate::script::follows(span));
                }
                _ => {}
            }
        }
        Ok(match self {
            Binding::Path(path) => match namespace::resolve(emitter, path, span)? {
                Some(found) => found,
                None => return Err(unknown_path(path, span)),
            },
            Binding::Function(function) => Sugared::special(sugared::function::ScriptFunction {
                function: function.clone(),
            }),
            Binding::Overloaded(declared) => choice::overloaded(declared),
            Binding::ByFlag(choice) => choice.value(),
            Binding::Type(ty) => type_value(ty.clone()),
            Binding::Module(_) => {
                let message =
                    "modules are scripted from instances, which a source file alone does not have";
                return Err(unsupported(message, span));
            }
            // A definition that could not be read.
            Binding::Constant(expr) if matches!(expr.kind, ExprKind::Invalid) => {
                return Err(crate::script::follows(span));
            }
            Binding::Elsewhere => return Err(crate::script::follows(span)),
            Binding::Constant(expr) => {
                let value = emitter.expression(expr, None)?;
                Sugared::Value(value.as_value(emitter, span)?)
            }
        })
    }
}

/// The names of one file.
#[derive(Default)]
pub struct SourceFile {
    bindings: RefCell<HashMap<Arc<str>, Binding>>,
}

/// A file after loading: its names, and the functions it defines in order.
pub struct Loaded {
    pub file: Rc<SourceFile>,
    pub functions: Vec<(Arc<str>, Arc<Function>)>,
    pub classes: Vec<Arc<rushlight_types::ClassType>>,
    /// Classes of modules that are left out: modules are compiled from instances.
    pub modules: Vec<Ident>,
    /// Classes of modules that are checked as far as the file shows what they have, and the methods that are compiled.
    pub checked_modules: Vec<(Ident, Vec<Arc<Function>>)>,
    /// The names of functions and classes that the file scripts itself.
    pub scripted: BTreeSet<Arc<str>>,
    /// The functions and classes that are part of the program around scripts, and what makes each one.
    pub programs: BTreeMap<Arc<str>, String>,
    /// The classes that what is looked at has no need of.
    pub set_aside: Vec<Arc<str>>,
}

impl Loaded {
    /// Nothing so far of a file.
    fn of(file: Rc<SourceFile>) -> Loaded {
        Loaded {
            file,
            functions: Vec::new(),
            classes: Vec::new(),
            modules: Vec::new(),
            checked_modules: Vec::new(),
            scripted: BTreeSet::new(),
            programs: BTreeMap::new(),
            set_aside: Vec::new(),
        }
    }
}

/// Declares everything that a source file defines. Problems of definitions do not stop the others.
pub fn load(compiler: &Compiler, source: &Arc<Source>, prefix: &str) -> (Loaded, Vec<Diagnostic>) {
    load_for(compiler, source, prefix, None, &Scope::All)
}

/// As [`load`], of a file in a package, from which its relative imports go.
pub fn load_in_package(
    compiler: &Compiler,
    source: &Arc<Source>,
    prefix: &str,
    package: Option<&str>,
) -> (Loaded, Vec<Diagnostic>) {
    load_for(compiler, source, prefix, package, &Scope::All)
}

/// Declares what a source file defines; classes that the scope has no need of are set aside.
fn load_for(
    compiler: &Compiler,
    source: &Arc<Source>,
    prefix: &str,
    package: Option<&str>,
    scope: &Scope,
) -> (Loaded, Vec<Diagnostic>) {
    let (module, mut problems) = parse_module(source);
    let file = Rc::new(SourceFile::default());
    let mut loaded = Loaded::of(file.clone());
    let mut loader = Loader {
        compiler,
        file,
        prefix,
        package,
        loaded: &mut loaded,
        declarations: HashMap::new(),
        needed: None,
        module_names: BTreeSet::new(),
        names: initialiser::names_of(&module).filter(|_| compiler.is_checking()),
        looks_into_modules: false,
        overlooks: *scope == Scope::Scripted && compiler.is_checking(),
    };
    if let Some(names) = &loader.names {
        initialiser::unimported(&module, names)
            .into_iter()
            .for_each(|name| compiler.note_unimported(&name));
    }
    if *scope != Scope::All {
        loader.choose(&module, scope);
    }
    for statement in &module.body {
        if let Err(error) = loader.statement(statement) {
            problems.push(*error);
        }
        problems.extend(named_twice(statement));
    }
    drop::<Module>(module);
    (loaded, problems)
}

/// Parameters of functions in a statement that have the name of one before them: Python reads no file that has any.
fn named_twice(statement: &Stmt) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    statement.walk(&mut |inner| {
        let StmtKind::Def(def) = &inner.kind else {
            return;
        };
        let mut before = BTreeSet::new();
        for param in &def.params.0 {
            let name = &param.name;
            if !before.insert(&*name.name) {
                let message = format!("duplicate argument '{}' in function definition", name.name);
                let problem = Diagnostic::new("syntax", ErrorKind::Syntax, message);
                out.push(problem.at(&name.span));
            }
        }
    });
    out
}

/// A file that was checked.
pub struct Checked {
    pub loaded: Loaded,
    /// All problems, in the order of the text.
    pub problems: Vec<Diagnostic>,
    /// What is known of the places of the text.
    pub facts: Facts,
}

/// Which functions and classes of a file a check compiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All.
    All,
    /// Those that the file scripts itself (`@torch.jit.script`, `torch.jit.script(f)`), and what they need; where there
    /// are none, all but the program around them.
    Scripted,
    /// The functions and classes with these names, and what they need.
    Only(Vec<String>),
}

/// Declares and compiles what a source file defines. Its relative imports go from the package that it is in.
pub fn check(
    compiler: &Compiler,
    source: &Arc<Source>,
    prefix: &str,
    package: Option<&str>,
    scope: Scope,
) -> Checked {
    let (loaded, problems, facts) = compiler.checking(source, || {
        let (loaded, problems) = load_for(compiler, source, prefix, package, &scope);
        problems.iter().for_each(|p| compiler.note_problem(p));
        let compile = |function: &Arc<Function>| {
            if let Err(problem) = compiler.compile(function) {
                compiler.note_problem(&problem);
            }
        };
        let wanted = |name: &str| match &scope {
            Scope::All => true,
            Scope::Scripted if loaded.scripted.is_empty() => !loaded.programs.contains_key(name),
            Scope::Scripted => loaded.scripted.contains(name),
            Scope::Only(names) => names.iter().any(|n| n == name),
        };
        for (name, function) in &loaded.functions {
            if wanted(name) {
                compile(function);
            }
        }
        for class in loaded
            .classes
            .iter()
            .filter(|class| wanted(class.basename()))
        {
            for method in class.methods() {
                if let Some(function) = compiler.unit.function(&method.qualified) {
                    compile(&function);
                }
            }
        }
        for (_, methods) in &loaded.checked_modules {
            methods.iter().for_each(compile);
        }
        loaded
    });
    Checked {
        loaded,
        problems,
        facts,
    }
}

struct Loader<'l> {
    compiler: &'l Compiler,
    file: Rc<SourceFile>,
    prefix: &'l str,
    package: Option<&'l str>,
    loaded: &'l mut Loaded,
    /// Declared ways to call functions whose body has not come yet.
    declarations: HashMap<Arc<str>, Vec<Def>>,
    /// The names that are needed, where not all are.
    needed: Option<BTreeSet<Arc<str>>>,
    /// The names of classes of modules.
    module_names: BTreeSet<Arc<str>>,
    /// The names that the file binds, where a check knows them all.
    names: Option<BTreeSet<Arc<str>>>,
    /// Whether classes of modules that are needed are checked.
    looks_into_modules: bool,
    /// Whether what the file does not show is passed over: problems with it are nobody's here.
    overlooks: bool,
}

impl Loader<'_> {
    fn bind(&self, name: &str, binding: Binding) {
        self.file.bindings.borrow_mut().insert(name.into(), binding);
    }

    fn statement(&mut self, statement: &Stmt) -> Outcome<()> {
        match &statement.kind {
            StmtKind::Import(names) => {
                for alias in names {
                    let full = own_name(&alias.name.name);
                    match &alias.asname {
                        Some(asname) => self.bind(&asname.name, Binding::Path(full)),
                        None => {
                            let top = full.split('.').next().unwrap_or(&full).to_string();
                            self.bind(&top.clone(), Binding::Path(top));
                        }
                    }
                }
                Ok(())
            }
            StmtKind::ImportFrom(import) => {
                let module = import.module.as_ref().map_or("", |m| &m.name);
                let module = self.absolute(module, import.level);
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    let path = format!("{module}.{}", alias.name.name);
                    let is_relative = import.level > 0 && self.overlooks;
                    let binding = match is_relative && !self.compiler.is_beside(&path) {
                        true => Binding::Elsewhere,
                        false => Binding::Path(path),
                    };
                    self.bind(&name.name, binding);
                    if self.needed.as_ref().is_some_and(|n| n.contains(&name.name)) {
                        self.see(&name.name);
                    }
                }
                Ok(())
            }
            StmtKind::Def(def) => self.function(def),
            StmtKind::Class(class) => self.class(class),
            StmtKind::Assign(assign) => {
                for target in &assign.targets {
                    if let ExprKind::Name(name) = &target.kind {
                        self.constant(name, &assign.value)?;
                    }
                }
                Ok(())
            }
            StmtKind::AnnAssign {
                target,
                value: Some(value),
                ..
            } => {
                if let ExprKind::Name(name) = &target.kind {
                    self.constant(name, value)?;
                }
                Ok(())
            }
            // The problem has been told.
            StmtKind::Invalid => Ok(()),
            // The program at module level is not part of what a script defines; a check leaves the names that it makes alone.
            _ => {
                if self.overlooks {
                    statement.walk(&mut |inner| self.made_elsewhere(inner));
                }
                Ok(())
            }
        }
    }

    /// The full name of a module that an import names, from the package of this file on where it starts with dots.
    fn absolute(&self, module: &str, dots: u32) -> String {
        let (Some(package), true) = (self.package, dots > 0) else {
            return own_name(module);
        };
        let mut parts: Vec<&str> = package.split('.').collect();
        parts.truncate(parts.len().saturating_sub(dots as usize - 1));
        parts.extend(Some(module).filter(|m| !m.is_empty()));
        own_name(&parts.join("."))
    }

    fn function(&mut self, def: &Def) -> Outcome<()> {
        let qualified = format!("{}.{}", self.prefix, def.name.name);
        if choice::is_declaration(def) {
            let declarations = self.declarations.entry(def.name.name.clone());
            declarations.or_default().push(def.clone());
            return Ok(());
        }
        if let Some(declarations) = self.declarations.remove(&def.name.name) {
            let declared = choice::Declared::new(qualified, def, &declarations, &self.file);
            let functions = declared.functions(self.compiler).iter();
            let named = functions.map(|f| (def.name.name.clone(), f.clone()));
            self.loaded.functions.extend(named);
            self.bind(&def.name.name, Binding::Overloaded(Rc::new(declared)));
            return Ok(());
        }
        let source = FunctionSource {
            def: Rc::new(def.clone()),
            resolver: self.file.clone(),
            class: None,
            defaults: Vec::new(),
            parameter_types: Vec::new(),
        };
        let function = self.compiler.declare(&qualified, source);
        self.bind(&def.name.name, Binding::Function(function.clone()));
        self.loaded
            .functions
            .push((def.name.name.clone(), function));
        Ok(())
    }

    fn constant(&mut self, name: &str, value: &Expr) -> Outcome<()> {
        if let Some(ty) = classes::functional_named_tuple(&self.file, self.prefix, value)? {
            self.compiler
                .unit
                .add_type(&format!("{}.{name}", self.prefix), ty.clone());
            self.bind(name, Binding::Type(ty));
            return Ok(());
        }
        let binding = match (&value.kind, choice::by_flag(&self.file, value)) {
            (_, Some(choice)) => Binding::ByFlag(Rc::new(choice)),
            // Another name for what has one.
            (ExprKind::Name(other), _) if self.file.binding(other).is_some() => {
                self.file.binding(other).expect("has just been found")
            }
            // Another name for a function or a type of the libraries; numbers of theirs are values.
            (ExprKind::Attribute { .. }, _) => {
                let path = crate::script::dotted_text(value).and_then(|n| self.file.path_of(&n));
                match path.filter(|path| namespace::constant(path).is_none()) {
                    Some(path) => Binding::Path(path),
                    None => Binding::Constant(Rc::new(value.clone())),
                }
            }
            _ => Binding::Constant(Rc::new(value.clone())),
        };
        self.bind(name, binding);
        Ok(())
    }

    fn class(&mut self, class: &ClassDef) -> Outcome<()> {
        self.see_bases(class);
        classes::define(self, class)
    }
}

/// The name in the language of a module that a file may name otherwise: Rushlight is `torch`, and its extension holds
/// what `torch` does.
fn own_name(module: &str) -> String {
    let rest = |name: &str, own: &str| {
        let rest = name.strip_prefix(own)?;
        (rest.is_empty() || rest.starts_with('.')).then(|| format!("torch{rest}"))
    };
    rest(module, "rushlight")
        .or_else(|| rest(module, "torch._rushlight"))
        .unwrap_or_else(|| module.to_string())
}

impl SourceFile {
    fn binding(&self, name: &str) -> Option<Binding> {
        self.bindings.borrow().get(name).cloned()
    }

    /// The full path that a dotted name stands for, following imports.
    fn path_of(&self, dotted: &str) -> Option<String> {
        let (first, rest) = dotted
            .split_once('.')
            .map_or((dotted, None), |(f, r)| (f, Some(r)));
        match self.binding(first)? {
            Binding::Path(path) => Some(match rest {
                Some(rest) => format!("{path}.{rest}"),
                None => path,
            }),
            _ => None,
        }
    }
}

impl SourceFile {
    /// Whether a constant of the file is a value that the reference takes from no function: a number, a string, a container.
    fn is_closed_over(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Attribute { .. } => crate::script::dotted_text(expr)
                .and_then(|dotted| self.path_of(&dotted))
                .is_some_and(|path| !path.starts_with("torch.")),
            ExprKind::Constant(_)
            | ExprKind::Binary { .. }
            | ExprKind::Unary { .. }
            | ExprKind::Tuple { .. }
            | ExprKind::List(_)
            | ExprKind::Dict(_) => true,
            _ => false,
        }
    }
}

impl Resolver for SourceFile {
    fn lookup(
        &self,
        emitter: &mut Emitter<'_>,
        name: &str,
        span: &Span,
    ) -> Outcome<Option<Sugared>> {
        let Some(binding) = self.binding(name) else {
            return Ok(None);
        };
        if let Binding::Constant(expr) = &binding
            && !emitter.initialises_module()
            && self.is_closed_over(expr)
        {
            emitter.compiler.note_closed_over(name);
        }
        binding.sugared(emitter, span).map(Some)
    }

    fn lookup_type(&self, name: &str, span: &Span) -> Outcome<Option<Type>> {
        match self.binding(name.split('.').next().unwrap_or(name)) {
            Some(Binding::Type(ty)) if !name.contains('.') => Ok(Some(ty)),
            Some(Binding::Path(_)) => {
                let path = self.path_of(name).unwrap_or_else(|| name.to_string());
                Ok(crate::script::builtin_type(&path).filter(|_| path != name))
            }
            // A definition that could not be read.
            Some(Binding::Constant(expr)) if matches!(expr.kind, ExprKind::Invalid) => {
                Err(crate::script::follows(span))
            }
            Some(Binding::Elsewhere) => Err(crate::script::follows(span)),
            Some(Binding::Constant(expr)) if !name.contains('.') => {
                // An alias: `Pair = Tuple[int, int]`.
                crate::script::annotation_type(&expr, &Names(self))
                    .map(Some)
                    .or_else(|_: Problem| Ok(None))
            }
            _ => Ok(None),
        }
    }

    fn own_name(&self, name: &str) -> Option<String> {
        self.path_of(name)
    }

    fn constant(&self, expr: &Expr) -> Option<rushlight_types::Value> {
        constants::evaluate(self, expr)
    }
}

struct Names<'f>(&'f SourceFile);

impl crate::TypeNames for Names<'_> {
    fn named_type(&self, name: &str, span: &Span) -> Outcome<Option<Type>> {
        self.0.lookup_type(name, span)
    }

    fn own_name(&self, name: &str) -> Option<String> {
        self.0.path_of(name)
    }
}

fn unknown_path(path: &str, span: &Span) -> Problem {
    problem(
        "unknown-import",
        format!("'{path}' is not part of what scripts can use"),
        span,
    )
}

/// A user type as what its name stands for.
pub fn type_value(ty: Type) -> Sugared {
    match ty {
        Type::Class(class) => Sugared::special(sugared::class::ClassValue { class }),
        Type::Enum(ty) => Sugared::special(sugared::enums::EnumClass { ty }),
        Type::Tuple(ty) if ty.name.is_some() => {
            Sugared::special(sugared::named_tuple::NamedTupleClass { ty })
        }
        ty => Sugared::special(namespace::TypeValue {
            ty,
            constructor: None,
        }),
    }
}
