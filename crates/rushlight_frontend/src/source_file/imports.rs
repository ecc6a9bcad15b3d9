//! What a file that is checked takes from the other files of its program: only what it needs is declared there.

use super::{Binding, Loaded, Loader, Names, SourceFile, classes, program};
use crate::script::{Compiler, dotted_text};
use rushlight_syntax::tree::{ClassDef, ExprKind, Module, StmtKind};
use rushlight_syntax::{Source, parse_module};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// What a name of one file stands for in another.
pub struct Imported(pub(super) Binding);

impl Imported {
    /// A module, by its path.
    pub fn module(path: String) -> Imported {
        Imported(Binding::Path(path))
    }

    /// What is there, but cannot be seen.
    pub fn unseen() -> Imported {
        Imported(Binding::Elsewhere)
    }

    /// The path that it is a name for, if it is one.
    pub fn path(&self) -> Option<&str> {
        match &self.0 {
            Binding::Path(path) => Some(path),
            _ => None,
        }
    }
}

/// Another file of a program that is checked. Its problems are not those of the check, but for what is used.
pub struct OtherFile {
    source: Arc<Source>,
    module: Module,
    file: Rc<SourceFile>,
    prefix: String,
    package: Option<String>,
    /// The names of classes of modules.
    module_names: BTreeSet<Arc<str>>,
    /// The names that have been looked at.
    seen: RefCell<BTreeSet<Arc<str>>>,
}

impl OtherFile {
    /// Reads a file, in a package from which its relative imports go. Classes are declared once somebody needs them.
    pub fn new(
        compiler: &Compiler,
        source: &Arc<Source>,
        prefix: &str,
        package: Option<&str>,
    ) -> OtherFile {
        let (module, _) = parse_module(source);
        let mut other = OtherFile {
            source: source.clone(),
            module,
            file: Rc::new(SourceFile::default()),
            prefix: prefix.to_string(),
            package: package.map(str::to_string),
            module_names: BTreeSet::new(),
            seen: RefCell::default(),
        };
        let mut names = BTreeSet::new();
        other.load(compiler, BTreeSet::new(), |loader| {
            for statement in &other.module.body {
                match &statement.kind {
                    StmtKind::Class(class) => {
                        loader.see_bases(class);
                        if classes::is_module(&loader.file, class, &names) {
                            names.insert(class.name.name.clone());
                        }
                    }
                    _ => drop(loader.statement(statement)),
                }
            }
        });
        other.module_names = names;
        other
    }

    /// The names of the file; that one has been declared with all that it needs.
    pub fn names(&self, compiler: &Compiler, name: &str) -> &Rc<SourceFile> {
        let root = std::iter::once(Arc::from(name));
        let mut needed = program::needed(&self.module, &self.module_names, root);
        needed.retain(|name| !self.seen.borrow().contains(name));
        if needed.is_empty() {
            return &self.file;
        }
        self.seen.borrow_mut().extend(needed.iter().cloned());
        self.load(compiler, needed.clone(), |loader| {
            needed.iter().for_each(|name| loader.see(name));
            for statement in &self.module.body {
                if let StmtKind::Class(class) = &statement.kind
                    && needed.contains(&class.name.name)
                {
                    drop(loader.class(class));
                }
            }
        });
        &self.file
    }

    /// What a name of this file stands for in others.
    pub fn exported(&self, compiler: &Compiler, name: &str) -> Option<Imported> {
        let binding = self.names(compiler, name).binding(name)?;
        Some(Imported(match &binding {
            Binding::Constant(value) if matches!(value.kind, ExprKind::Subscript { .. }) => {
                crate::script::annotation_type(value, &Names(&self.file))
                    .map_or(Binding::Elsewhere, Binding::Type)
            }
            // Names in it would be taken for those of the other file.
            Binding::Constant(value) if crate::script::literal(value).is_none() => {
                Binding::Elsewhere
            }
            _ => binding,
        }))
    }

    fn load(
        &self,
        compiler: &Compiler,
        needed: BTreeSet<Arc<str>>,
        work: impl FnOnce(&mut Loader<'_>),
    ) {
        let mut loaded = Loaded::of(self.file.clone());
        let mut loader = Loader {
            compiler,
            file: self.file.clone(),
            prefix: &self.prefix,
            package: self.package.as_deref(),
            loaded: &mut loaded,
            declarations: HashMap::new(),
            needed: Some(needed),
            module_names: self.module_names.clone(),
            names: None,
            looks_into_modules: true,
            overlooks: true,
        };
        compiler.aside(&self.source, || work(&mut loader));
    }
}

impl Loader<'_> {
    /// Looks up what a name stands for that has been imported from another file of the program.
    pub(super) fn see(&self, name: &str) {
        if let Some(Binding::Path(path)) = self.file.binding(name)
            && let Some(imported) = self.compiler.imported(&path)
        {
            self.bind(name, imported.0);
        }
    }

    /// As [`Loader::see`], of the bases of a class.
    pub(super) fn see_bases(&self, class: &ClassDef) {
        let names = class.bases.iter().filter_map(dotted_text);
        names.for_each(|name| self.see(&name));
    }
}
