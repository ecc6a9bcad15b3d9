//! Who is called what: every name in a file, and what it names.
//!
//! Scopes are those of Python: what a function assigns anywhere is its own, all else is the file's. Attributes are found
//! by the type of what stands before the dot, as the check noted it.

use rushlight::frontend::script::{Facts, Known};
use rushlight::syntax::tree::{Alias, ClassDef, Def, Expr, ExprKind, Module, Name, Stmt, StmtKind};
use rushlight::{Type, syntax::Span};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What a name names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// A variable of the function that begins at a byte.
    Local(u32, Name),
    /// A definition of the file.
    Global(Name),
    /// An attribute or a method of a class of the file.
    Member(Name, Name),
}

/// A place where a name stands.
#[derive(Clone, Debug)]
pub struct Occurrence {
    pub range: Range<u32>,
    pub symbol: Symbol,
    /// Whether the name is defined or assigned there.
    pub defines: bool,
}

/// A function or method, with the variables that are its own.
pub struct Function {
    pub span: Range<u32>,
    pub locals: BTreeSet<Name>,
}

/// All names of a file.
#[derive(Default)]
pub struct Index {
    /// In the order of the text.
    pub occurrences: Vec<Occurrence>,
    pub functions: Vec<Function>,
    pub globals: BTreeSet<Name>,
    /// The methods of each class of the file.
    pub members: BTreeMap<Name, BTreeSet<Name>>,
}

impl Index {
    /// The names of a tree.
    pub fn of(module: &Module, facts: &Facts) -> Index {
        let mut builder = Builder {
            index: Index::default(),
            facts,
            parameters: BTreeMap::new(),
        };
        builder.declare(module);
        for statement in &module.body {
            builder.statement(statement, None);
        }
        let mut index = builder.index;
        let place = |o: &Occurrence| (o.range.start, o.range.end);
        rushlight::tensor::order::sort_by_key(&mut index.occurrences, place);
        index
    }

    /// The name at a byte, or right before it.
    pub fn at(&self, offset: u32) -> Option<&Occurrence> {
        let covers = |o: &&Occurrence| o.range.start <= offset && offset <= o.range.end;
        self.occurrences.iter().find(covers)
    }

    /// All places where something is named.
    pub fn all<'s>(&'s self, symbol: &'s Symbol) -> impl Iterator<Item = &'s Occurrence> {
        self.occurrences.iter().filter(move |o| o.symbol == *symbol)
    }

    /// Where something is defined: the first place that assigns it.
    pub fn definition<'s>(&'s self, symbol: &'s Symbol) -> Option<&'s Occurrence> {
        self.all(symbol).find(|o| o.defines)
    }

    /// The function around a byte.
    pub fn function_at(&self, offset: u32) -> Option<&Function> {
        let around = |f: &&Function| f.span.start <= offset && offset <= f.span.end;
        self.functions.iter().rfind(around)
    }
}

/// The path that an import at the top of a file gives a name.
pub fn imported(module: &Module, name: &str) -> Option<String> {
    module.body.iter().rev().find_map(|statement| {
        let (from, names) = match &statement.kind {
            StmtKind::Import(names) => (None, names),
            StmtKind::ImportFrom(from) if from.level == 0 => (from.module.as_ref(), &from.names),
            _ => return None,
        };
        let inside = |path: &str| match from {
            Some(module) => format!("{}.{path}", module.name),
            None => path.to_string(),
        };
        names.iter().find_map(|alias| match &alias.asname {
            Some(asname) => (&*asname.name == name).then(|| inside(&alias.name.name)),
            None => {
                let top = alias.name.name.split('.').next().unwrap_or_default();
                (top == name).then(|| inside(top))
            }
        })
    })
}

struct Builder<'f> {
    index: Index,
    facts: &'f Facts,
    /// The functions of the file, by name: where they begin, and their parameters.
    parameters: BTreeMap<Name, (u32, BTreeSet<Name>)>,
}

/// The function that statements stand in.
#[derive(Clone, Copy)]
struct Scope<'s> {
    start: u32,
    locals: &'s BTreeSet<Name>,
    class: Option<&'s Name>,
    /// The first parameter of a method.
    this: Option<&'s Name>,
}

impl Builder<'_> {
    fn declare(&mut self, module: &Module) {
        for statement in &module.body {
            match &statement.kind {
                StmtKind::Def(def) => {
                    let names = def.params.0.iter().map(|p| p.name.name.clone());
                    let known = (def.span.extent().start, names.collect());
                    self.parameters.insert(def.name.name.clone(), known);
                    self.index.globals.insert(def.name.name.clone());
                }
                StmtKind::Class(class) => {
                    self.index.globals.insert(class.name.name.clone());
                    let members = members(class);
                    self.index.members.insert(class.name.name.clone(), members);
                }
                _ => assigned(statement, &mut self.index.globals),
            }
        }
    }

    fn add(&mut self, range: Range<u32>, symbol: Symbol, defines: bool) {
        self.index.occurrences.push(Occurrence {
            range,
            symbol,
            defines,
        });
    }

    fn statement(&mut self, statement: &Stmt, scope: Option<Scope<'_>>) {
        match &statement.kind {
            StmtKind::Def(def) => {
                let symbol = Symbol::Global(def.name.name.clone());
                match scope {
                    Some(scope) => self.name(&def.name.name, &def.name.span, Some(scope), true),
                    None => self.add(def.name.span.extent(), symbol, true),
                }
                self.function(statement, def, None);
            }
            StmtKind::Class(class) => {
                let symbol = Symbol::Global(class.name.name.clone());
                self.add(class.name.span.extent(), symbol, true);
                self.class(class);
            }
            StmtKind::Import(names) => {
                for alias in names {
                    let named = alias.asname.as_ref().unwrap_or(&alias.name);
                    let first = named.name.split('.').next().unwrap_or_default();
                    let span = named.span.head(first.len() as u32);
                    self.name(&first.into(), &span, scope, true);
                }
            }
            StmtKind::ImportFrom(import) => {
                for alias in &import.names {
                    let named = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.name(&named.name, &named.span, scope, true);
                }
            }
            _ => {
                let mut targets = BTreeSet::new();
                self.targets(statement, &mut targets);
                for expr in statement.expressions() {
                    self.expression(expr, scope, &targets);
                }
                for inner in statement.inner() {
                    self.statement(inner, scope);
                }
            }
        }
    }

    fn function(&mut self, statement: &Stmt, def: &Def, class: Option<&Name>) {
        for expr in statement.expressions() {
            self.expression(expr, None, &BTreeSet::new());
        }
        let mut locals: BTreeSet<Name> = def.params.0.iter().map(|p| p.name.name.clone()).collect();
        for statement in &def.body {
            statement.walk(&mut |inner| assigned(inner, &mut locals));
        }
        let start = def.span.extent().start;
        for param in &def.params.0 {
            let symbol = Symbol::Local(start, param.name.name.clone());
            self.add(param.name.span.extent(), symbol, true);
        }
        let this = def.params.0.first().map(|p| &p.name.name);
        let scope = Scope {
            start,
            locals: &locals,
            class,
            this: this.filter(|_| class.is_some()),
        };
        for statement in &def.body {
            self.statement(statement, Some(scope));
        }
        self.index.functions.push(Function {
            span: def.span.extent(),
            locals,
        });
    }

    fn class(&mut self, class: &ClassDef) {
        let member = |name: &Name| Symbol::Member(class.name.name.clone(), name.clone());
        for statement in &class.body {
            match &statement.kind {
                StmtKind::Def(def) => {
                    self.add(def.name.span.extent(), member(&def.name.name), true);
                    self.function(statement, def, Some(&class.name.name));
                }
                _ => {
                    let mut names = BTreeSet::new();
                    assigned(statement, &mut names);
                    for expr in statement.expressions() {
                        match &expr.kind {
                            ExprKind::Name(name) if names.contains(name) => {
                                self.add(expr.span.extent(), member(name), true);
                            }
                            _ => self.expression(expr, None, &BTreeSet::new()),
                        }
                    }
                }
            }
        }
        for base in &class.bases {
            self.expression(base, None, &BTreeSet::new());
        }
    }

    /// The places that a statement assigns.
    fn targets(&self, statement: &Stmt, out: &mut BTreeSet<(u32, u32)>) {
        for place in statement.targets().into_iter().flat_map(Expr::places) {
            if let ExprKind::Name(_) | ExprKind::Attribute { .. } = &place.kind {
                let extent = place.span.extent();
                out.insert((extent.start, extent.end));
            }
        }
    }

    fn expression(
        &mut self,
        whole: &Expr,
        scope: Option<Scope<'_>>,
        targets: &BTreeSet<(u32, u32)>,
    ) {
        let mut targets = targets.clone();
        let mut pending = vec![whole];
        while let Some(expr) = pending.pop() {
            let extent = expr.span.extent();
            let defines = targets.contains(&(extent.start, extent.end));
            match &expr.kind {
                ExprKind::Name(name) => self.name(name, &expr.span, scope, defines),
                ExprKind::Attribute { value, attr } => {
                    if let Some(class) = self.class_of(value, scope) {
                        let symbol = Symbol::Member(class, attr.name.clone());
                        self.add(attr.span.extent(), symbol, defines);
                    }
                }
                ExprKind::Call(call) => {
                    let callee = match &call.func.kind {
                        ExprKind::Name(name) => self.parameters.get(name).cloned(),
                        _ => None,
                    };
                    for keyword in call.keywords.iter().filter_map(|k| k.name.as_ref()) {
                        if let Some((start, names)) = &callee
                            && names.contains(&keyword.name)
                        {
                            let symbol = Symbol::Local(*start, keyword.name.clone());
                            self.add(keyword.span.extent(), symbol, false);
                        }
                    }
                }
                ExprKind::ListComp { generators, .. }
                | ExprKind::SetComp { generators, .. }
                | ExprKind::DictComp { generators, .. }
                | ExprKind::Generator { generators, .. } => {
                    for generator in generators {
                        generator.target.walk(&mut |part| {
                            let extent = part.span.extent();
                            targets.insert((extent.start, extent.end));
                        });
                    }
                }
                ExprKind::NamedExpr { target, .. } => {
                    let extent = target.span.extent();
                    targets.insert((extent.start, extent.end));
                }
                _ => {}
            }
            pending.extend(expr.parts().into_iter().rev());
        }
    }

    fn name(&mut self, name: &Name, span: &Span, scope: Option<Scope<'_>>, defines: bool) {
        let local = scope.filter(|scope| scope.locals.contains(name));
        let symbol = match local {
            Some(scope) => Symbol::Local(scope.start, name.clone()),
            None if self.index.globals.contains(name) => Symbol::Global(name.clone()),
            None => return,
        };
        self.add(span.extent(), symbol, defines);
    }

    /// The class of the file that a value is an object of.
    fn class_of(&self, value: &Expr, scope: Option<Scope<'_>>) -> Option<Name> {
        if let (ExprKind::Name(name), Some(scope)) = (&value.kind, scope)
            && scope.this == Some(name)
        {
            return scope.class.cloned();
        }
        let known = self.facts.of(&value.span)?.known.as_ref()?;
        let qualified = match known {
            Known::Value(Type::Class(class)) | Known::Type(Type::Class(class)) => {
                class.name().clone()
            }
            Known::Value(Type::Enum(ty)) | Known::Type(Type::Enum(ty)) => ty.name.clone(),
            Known::Value(Type::Tuple(ty)) => ty.name.clone()?,
            _ => match &value.kind {
                ExprKind::Name(name) => name.clone(),
                _ => return None,
            },
        };
        let name: Name = qualified.rsplit('.').next()?.into();
        self.index.members.contains_key(&name).then_some(name)
    }
}

/// What scripts use of `from typing import *`.
const TYPING: &[&str] = &[
    "Any",
    "Dict",
    "Final",
    "List",
    "NamedTuple",
    "Optional",
    "Tuple",
    "Union",
];

/// Adds the names that a statement binds, its bodies aside.
fn assigned(statement: &Stmt, out: &mut BTreeSet<Name>) {
    match &statement.kind {
        StmtKind::Def(def) => {
            out.insert(def.name.name.clone());
        }
        StmtKind::Import(names) => {
            for alias in names {
                let named = alias.asname.as_ref().unwrap_or(&alias.name);
                out.extend(named.name.split('.').next().map(Name::from));
            }
        }
        StmtKind::ImportFrom(import) => {
            let is_star = |a: &&Alias| &*a.name.name == "*";
            let names = import.names.iter().filter(|alias| !is_star(alias));
            out.extend(names.map(|a| a.asname.as_ref().unwrap_or(&a.name).name.clone()));
            let module = import.module.as_ref().map(|module| &*module.name);
            if module == Some("typing") && import.names.iter().any(|alias| is_star(&alias)) {
                out.extend(TYPING.iter().map(|name| Name::from(*name)));
            }
        }
        _ => {}
    }
    let places = statement.targets().into_iter().flat_map(Expr::places);
    out.extend(places.filter_map(Expr::as_name).cloned());
    // A definition inside has names of its own.
    if matches!(statement.kind, StmtKind::Def(_) | StmtKind::Class(_)) {
        return;
    }
    for expr in statement.expressions() {
        out.extend(expr.named().into_iter().cloned());
        expr.walk(&mut |part| {
            for generator in part.generators() {
                let places = generator.target.places();
                out.extend(places.into_iter().filter_map(Expr::as_name).cloned());
            }
        });
    }
}

/// The names of a class: its methods, what its body assigns and what its methods set.
fn members(class: &ClassDef) -> BTreeSet<Name> {
    let mut out = BTreeSet::new();
    for statement in &class.body {
        assigned(statement, &mut out);
        let StmtKind::Def(def) = &statement.kind else {
            continue;
        };
        let Some(this) = def.params.0.first() else {
            continue;
        };
        for statement in &def.body {
            statement.walk(&mut |inner| {
                for target in inner.targets() {
                    if let ExprKind::Attribute { value, attr } = &target.kind
                        && matches!(&value.kind, ExprKind::Name(name) if *name == this.name.name)
                    {
                        out.insert(attr.name.clone());
                    }
                }
            });
        }
    }
    out
}
