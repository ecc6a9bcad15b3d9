//! The importer: finds qualified names in `code/` and declares what they define, once, when they are first needed.

use super::names::ArchiveNames;
use super::ranges::Ranges;
use crate::zip::Archive;
use rushlight_frontend::script::{
    Compiler, FunctionSource, annotation_type, declare, dotted_text, literal,
};
use rushlight_frontend::{Outcome, Problem, Resolver, TypeNames};
use rushlight_ir::Function;
use rushlight_syntax::source::Origins;
use rushlight_syntax::stack::{deep, with_room};
use rushlight_syntax::tree::{ClassDef, Def, Expr, ExprKind, Stmt, StmtKind};
use rushlight_syntax::{Diagnostic, Source, Span, lower::parse_archive_code};
use rushlight_types::{AttributeKind, ClassType, InterfaceType, Type, Value, native};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::{Rc, Weak};
use std::sync::Arc;

/// The functions and classes of one code file that nobody has asked for yet, by name.
#[derive(Default)]
struct Definitions {
    functions: HashMap<Arc<str>, Box<Def>>,
    classes: HashMap<Arc<str>, Box<ClassDef>>,
}

impl Definitions {
    fn add(&mut self, statement: Stmt) {
        match statement.kind {
            StmtKind::Def(def) => {
                self.functions.insert(def.name.name.clone(), def);
            }
            StmtKind::Class(class) => {
                self.classes.insert(class.name.name.clone(), class);
            }
            _ => {}
        }
    }
}

/// Classes that name classes: a chain of more is refused, as its types are dropped one inside the other.
const MAX_CLASSES: usize = 500;

/// Imports code of one archive into one unit.
pub struct Importer {
    compiler: Rc<Compiler>,
    archive: Rc<Archive>,
    version: u64,
    constants: RefCell<Vec<Value>>,
    /// What is left of each code file that has been read.
    files: RefCell<HashMap<String, Definitions>>,
    /// The methods declared so far, in order.
    methods: RefCell<Vec<Arc<Function>>>,
    /// How many calls of unknown operators have been compiled.
    unknown_calls: Cell<usize>,
    /// How many classes are being read because another names them.
    depth: Cell<usize>,
    me: Weak<Importer>,
}

fn problem(message: String, span: &Span) -> Problem {
    Box::new(Diagnostic::error("archive-code", message, span))
}

impl Importer {
    /// An importer of an archive written with a file format version.
    pub fn new(compiler: Rc<Compiler>, archive: Rc<Archive>, version: u64) -> Rc<Importer> {
        Rc::new_cyclic(|me| Importer {
            compiler,
            archive,
            version,
            constants: RefCell::default(),
            files: RefCell::default(),
            methods: RefCell::default(),
            unknown_calls: Cell::new(0),
            depth: Cell::new(0),
            me: me.clone(),
        })
    }

    /// The file format version.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The compiler behind.
    pub fn compiler(&self) -> &Rc<Compiler> {
        &self.compiler
    }

    /// Sets the entries of `constants.pkl`.
    pub fn set_constants(&self, constants: Vec<Value>) {
        *self.constants.borrow_mut() = constants;
    }

    /// An entry of `constants.pkl`.
    pub fn constant(&self, index: usize) -> Option<Value> {
        self.constants.borrow().get(index).cloned()
    }

    /// Notes a call of an operator that nobody knows. What it gives is a guess, so that later errors may be due to it.
    pub(super) fn note_unknown_call(&self) {
        self.unknown_calls.set(self.unknown_calls.get() + 1);
    }

    /// The methods declared so far.
    pub fn methods(&self) -> Vec<Arc<Function>> {
        self.methods.borrow().clone()
    }

    /// What names stand for in code of this archive.
    pub fn resolver(&self) -> Rc<dyn Resolver> {
        Rc::new(ArchiveNames {
            importer: self.me.upgrade().expect("an importer in use has a handle"),
        })
    }

    /// The definition of a qualified name, if the archive has it. It is taken out of what is left: from then on the unit
    /// knows the name.
    fn definition<T>(
        &self,
        qualified: &str,
        take: impl Fn(&mut Definitions, &str) -> Option<T>,
    ) -> Outcome<Option<T>> {
        let Some((module, name)) = qualified.rsplit_once('.') else {
            return Ok(None);
        };
        let path = module.replace('.', "/");
        for folder in ["code", "libs"] {
            let record = format!("{folder}/{path}.py");
            if !self.files.borrow().contains_key(&record) {
                if !self.archive.contains(&record) {
                    continue;
                }
                let definitions = self.definitions(&record)?;
                self.files.borrow_mut().insert(record.clone(), definitions);
            }
            let mut files = self.files.borrow_mut();
            return Ok(take(files.get_mut(&record).expect("was read"), name));
        }
        Ok(None)
    }

    /// All definitions in a code record.
    fn definitions(&self, record: &str) -> Outcome<Definitions> {
        let mut left = Definitions::default();
        for statement in self.statements(record, &format!("{record}.debug_pkl"))? {
            left.add(statement);
        }
        Ok(left)
    }

    /// Adds a definition to what is left of a code record.
    pub(super) fn put(&self, record: &str, statement: Stmt) {
        let mut files = self.files.borrow_mut();
        files.entry(record.to_string()).or_default().add(statement);
    }

    /// The statements of a code record.
    fn statements(&self, record: &str, ranges: &str) -> Outcome<Vec<Stmt>> {
        let text = self
            .archive
            .read_text(record)
            .map_err(|e| problem(e.to_string(), &Span::unknown()))?;
        let source = Source::new(record, text);
        let ranges = self.archive.deferred(ranges);
        source.set_origins(ranges.map(|r| Box::new(Ranges::new(r)) as Box<dyn Origins>));
        let (tree, problems) = parse_archive_code(&source);
        match problems.into_iter().next() {
            Some(first) => Err(Box::new(first)),
            None => Ok(tree.body),
        }
    }

    /// Declares the functions of a code record as methods of a class, as archives before PyTorch 1.3 hold them.
    pub fn declare_methods(
        &self,
        record: &str,
        ranges: Option<&str>,
        class: &Arc<ClassType>,
    ) -> Outcome<()> {
        for statement in self.statements(record, ranges.unwrap_or_default())? {
            if let StmtKind::Def(def) = statement.kind {
                self.declare_method(class, *def);
            }
        }
        Ok(())
    }

    fn declare_method(&self, class: &Arc<ClassType>, def: Def) {
        let qualified = format!("{}.{}", class.name(), def.name.name);
        let method = self.declare(&qualified, def, Some(class.clone()));
        self.methods.borrow_mut().push(method);
    }

    /// The function of a qualified name.
    pub fn import_function(&self, qualified: &str) -> Outcome<Option<Arc<Function>>> {
        if let Some(function) = self.compiler.unit.function(qualified) {
            return Ok(Some(function));
        }
        let def = self.definition(qualified, |left, name| left.functions.remove(name))?;
        Ok(def.map(|def| self.declare(qualified, *def, None)))
    }

    fn declare(&self, qualified: &str, def: Def, class: Option<Arc<ClassType>>) -> Arc<Function> {
        let source = FunctionSource {
            def: Rc::new(def),
            resolver: self.resolver(),
            class,
            defaults: Vec::new(),
            parameter_types: Vec::new(),
        };
        self.compiler.declare(qualified, source)
    }

    /// The type of a qualified name.
    pub fn import_type(&self, qualified: &str) -> Outcome<Option<Type>> {
        if let Some(ty) = self.compiler.unit.ty(qualified) {
            return Ok(Some(ty));
        }
        if native::is_native(qualified) {
            let class =
                native::known_class(qualified).unwrap_or_else(|| native::new_class(qualified));
            self.compiler
                .unit
                .add_type(qualified, Type::Class(class.clone()));
            return Ok(Some(Type::Class(class)));
        }
        let class = self.definition(qualified, |left, name| left.classes.remove(name))?;
        let Some(class) = class else {
            return Ok(None);
        };
        if self.depth.get() >= MAX_CLASSES {
            let message = "classes name one another too deeply to be read".to_string();
            return Err(problem(message, &class.span));
        }
        self.depth.set(self.depth.get() + 1);
        let ty = deep(|| self.defined_type(qualified, class));
        self.depth.set(self.depth.get() - 1);
        ty.map(Some)
    }

    fn defined_type(&self, qualified: &str, class: Box<ClassDef>) -> Outcome<Type> {
        let base = class
            .bases
            .first()
            .and_then(dotted_text)
            .unwrap_or_default();
        // Archives write values as literals.
        let written = |expr: &Expr, _: Option<&Type>| literal(expr);
        match base.as_str() {
            "Module" => self.class(qualified, *class, true),
            "NamedTuple" => self.registered(
                qualified,
                declare::written_named_tuple(qualified, &class, &Qualified(self), &written),
            ),
            "Enum" => self.registered(
                qualified,
                declare::written_enum(qualified, &class, &written),
            ),
            "Interface" => self.interface(qualified, &class, false),
            "ModuleInterface" => self.interface(qualified, &class, true),
            _ => self.class(qualified, *class, false),
        }
    }

    fn annotation(&self, expr: &Expr) -> Outcome<Type> {
        annotation_type(expr, &Qualified(self))
    }

    fn class(&self, qualified: &str, class: ClassDef, is_module: bool) -> Outcome<Type> {
        let ty = ClassType::new(qualified, is_module);
        // Registered before its content, which may refer to it.
        self.compiler
            .unit
            .add_type(qualified, Type::Class(ty.clone()));
        let mut kinds: HashMap<String, AttributeKind> = HashMap::new();
        for statement in class.body {
            match statement.kind {
                StmtKind::Assign(assign) => {
                    self.class_assignment(&ty, &assign.targets, &assign.value, &mut kinds)?
                }
                StmtKind::AnnAssign {
                    target,
                    annotation,
                    value,
                } => {
                    let ExprKind::Name(name) = &target.kind else {
                        continue;
                    };
                    if let (Some(value), Some(inner)) = (&value, final_type(&annotation)) {
                        let declared = self.annotation(inner)?;
                        let constant = literal(value).ok_or_else(|| {
                            problem(format!("the constant {name} is no literal"), &value.span)
                        })?;
                        ty.add_constant(name, fit_constant(constant, &declared));
                        continue;
                    }
                    let kind = kinds.get(&**name).copied().unwrap_or(AttributeKind::Plain);
                    ty.add_attribute(name, self.annotation(&annotation)?, kind);
                }
                StmtKind::Def(def) => self.declare_method(&ty, *def),
                _ => {}
            }
        }
        if !is_module && ty.attribute_count() == 0 {
            self.initialise(&ty)?;
        }
        Ok(Type::Class(ty))
    }

    /// Before PyTorch 1.3 code did not list the attributes of a class: assignments in `__init__` declare them.
    fn initialise(&self, class: &ClassType) -> Outcome<()> {
        let Some(method) = class.method("__init__") else {
            return Ok(());
        };
        match self.compiler.unit.function(&method.qualified) {
            Some(function) => self.compiler.compile(&function).map(drop),
            None => Ok(()),
        }
    }

    /// `__parameters__ = [...]`, `__buffers__ = [...]`, `__forward_hooks__ = [...]`, `__annotations__["0"] = T`.
    fn class_assignment(
        &self,
        ty: &ClassType,
        targets: &[Expr],
        value: &Expr,
        kinds: &mut HashMap<String, AttributeKind>,
    ) -> Outcome<()> {
        let [target] = targets else { return Ok(()) };
        match &target.kind {
            ExprKind::Name(name) => {
                let ExprKind::List(items) = &value.kind else {
                    return Ok(());
                };
                for item in items {
                    let Some(value) = literal(item) else {
                        continue;
                    };
                    let Ok(text) = value.as_str() else {
                        continue;
                    };
                    match &**name {
                        "__parameters__" => {
                            kinds.insert(text.to_string(), AttributeKind::Parameter);
                        }
                        "__buffers__" => {
                            kinds.insert(text.to_string(), AttributeKind::Buffer);
                        }
                        "__forward_pre_hooks__" => ty.add_hook(text, true),
                        "__forward_hooks__" => ty.add_hook(text, false),
                        _ => {}
                    }
                }
                Ok(())
            }
            ExprKind::Subscript { index, .. } => {
                let known = literal(index);
                let Some(Ok(name)) = known.as_ref().map(Value::as_str) else {
                    return Ok(());
                };
                let kind = kinds.get(name).copied().unwrap_or(AttributeKind::Plain);
                ty.add_attribute(name, self.annotation(value)?, kind);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A type of which the definition says all, and which names nothing that names it.
    fn registered(&self, qualified: &str, ty: Outcome<Type>) -> Outcome<Type> {
        let ty = ty?;
        self.compiler.unit.add_type(qualified, ty.clone());
        Ok(ty)
    }

    fn interface(&self, qualified: &str, class: &ClassDef, is_module: bool) -> Outcome<Type> {
        let interface = InterfaceType::new(qualified, is_module);
        let ty = Type::Interface(interface.clone());
        // Its methods may name the interface itself.
        self.compiler.unit.add_type(qualified, ty.clone());
        interface.define(declare::interface_methods(&ty, class, &Qualified(self))?);
        Ok(ty)
    }

    /// Reads a type as pickles and type tags spell it: `List[int]`, `Dict[str, __torch__.Foo]`.
    pub fn parse_type(&self, text: &str) -> Outcome<Type> {
        let source = Source::new("type", text);
        let (expr, problems) = rushlight_syntax::parse_expression(&source);
        match problems.into_iter().next() {
            Some(first) => Err(Box::new(first)),
            None => self.annotation(&expr),
        }
    }

    /// Compiles every method declared so far and everything they call. Those that cannot be compiled because this build
    /// lacks an operator fail when they are reached, not before; their names and problems are returned.
    pub fn compile_methods(&self) -> Result<Vec<(Arc<str>, Diagnostic)>, Vec<Diagnostic>> {
        with_room(|| self.compile_all())
    }

    fn compile_all(&self) -> Result<Vec<(Arc<str>, Diagnostic)>, Vec<Diagnostic>> {
        let (mut missing, mut broken) = (Vec::new(), Vec::new());
        let mut done: HashSet<Arc<str>> = HashSet::new();
        let mut next = 0;
        loop {
            // Compiling may import more classes, and so add methods.
            let Some(function) = self.methods.borrow().get(next).cloned() else {
                break;
            };
            next += 1;
            if !done.insert(function.qualified_name().clone()) {
                continue;
            }
            let unknown_calls = self.unknown_calls.get();
            if let Err(error) = self.compiler.compile(&function) {
                let lacks = matches!(error.code, "unknown-builtin" | "no-matching-overload")
                    || self.unknown_calls.get() > unknown_calls;
                if lacks {
                    missing.push((function.qualified_name().clone(), (*error).clone()))
                } else {
                    broken.push((*error).clone())
                }
            }
        }
        if broken.is_empty() {
            Ok(missing)
        } else {
            Err(broken)
        }
    }
}

/// The `T` of `Final[T]`.
fn final_type(annotation: &Expr) -> Option<&Expr> {
    match &annotation.kind {
        ExprKind::Subscript { value, index } if dotted_text(value).as_deref() == Some("Final") => {
            Some(index)
        }
        _ => None,
    }
}

/// A constant in the representation of its declared type.
fn fit_constant(value: Value, ty: &Type) -> Value {
    match (&value, ty) {
        (v, Type::List(element)) if v.is_list() => v
            .list_items()
            .ok()
            .and_then(|items| Value::list(element, items).ok())
            .unwrap_or(value),
        (Value::Int(i), Type::Float) => Value::Float(*i as f64),
        _ => value,
    }
}

/// Qualified names in annotations.
struct Qualified<'i>(&'i Importer);

impl TypeNames for Qualified<'_> {
    fn named_type(&self, name: &str, span: &Span) -> Outcome<Option<Type>> {
        if !name.starts_with("__torch__.") {
            return Ok(None);
        }
        match self.0.import_type(name)? {
            Some(ty) => Ok(Some(ty)),
            None => Err(problem(format!("the archive has no type {name}"), span)),
        }
    }
}
