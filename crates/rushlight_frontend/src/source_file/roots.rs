//! What a check of a file begins with: what the file scripts, and what it makes in ways that are Python's.

use super::{Binding, Loader, Scope, classes, program};
use rushlight_syntax::tree::{Alias, Expr, ExprKind, Module, Stmt, StmtKind};
use rushlight_tensor::watch;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Loader<'_> {
    /// Finds out what the file scripts, what is its program, and which names a scope needs.
    pub(super) fn choose(&mut self, module: &Module, scope: &Scope) {
        let mut defined = BTreeSet::new();
        let (mut modules, mut classes) = (BTreeSet::new(), BTreeSet::new());
        for statement in &module.body {
            match &statement.kind {
                StmtKind::Import(_) | StmtKind::ImportFrom(_) => {
                    // What is wrong with one is told when its turn comes.
                    let _ = self.statement(statement);
                }
                StmtKind::Def(def) => {
                    defined.insert(def.name.name.clone());
                }
                StmtKind::Class(class) => {
                    defined.insert(class.name.name.clone());
                    self.see_bases(class);
                    match classes::is_module(&self.file, class, &modules) {
                        true => modules.insert(class.name.name.clone()),
                        false => classes.insert(class.name.name.clone()),
                    };
                }
                _ => {}
            }
        }
        let mut traces = false;
        for statement in &module.body {
            traces |= self.note_scripted(statement);
        }
        let mentioned = std::mem::take(&mut self.loaded.scripted);
        // Behind another name may be an instance of any class.
        let any_module = mentioned.iter().any(|name| !defined.contains(name));
        let (of_modules, scripted): (BTreeSet<_>, BTreeSet<_>) = mentioned
            .into_iter()
            .filter(|name| defined.contains(name))
            .partition(|name| modules.contains(name));
        self.loaded.scripted = scripted;
        self.loaded.programs = program::parts(&self.file, module, &modules);
        let scripts_nothing = self.loaded.scripted.is_empty();
        let mut roots: Vec<Arc<str>> = match scope {
            Scope::Only(names) => names.iter().map(|name| Arc::from(&**name)).collect(),
            _ if !scripts_nothing => self.loaded.scripted.iter().cloned().collect(),
            _ => {
                defined.retain(|name| !self.loaded.programs.contains_key(name));
                defined.retain(|name| !modules.contains(name));
                // Where there are modules, other classes are for scripts if anything needs them.
                if !modules.is_empty() {
                    defined.retain(|name| !classes.contains(name));
                }
                defined.into_iter().collect()
            }
        };
        if *scope == Scope::Scripted {
            let all = any_module || (scripts_nothing && of_modules.is_empty() && !traces);
            roots.extend(match all {
                true => modules.iter().cloned().collect(),
                false => of_modules,
            });
        }
        self.module_names = modules;
        self.looks_into_modules = self.compiler.is_checking();
        self.needed = Some(program::needed(
            module,
            &self.module_names,
            roots.into_iter(),
        ));
    }

    /// Binds the names that a statement of the program makes, where they are free.
    pub(super) fn made_elsewhere(&self, statement: &Stmt) {
        let named = |alias: &Alias| {
            let name = alias.asname.as_ref().unwrap_or(&alias.name);
            name.name.split('.').next().map(Arc::from)
        };
        let names: Vec<Arc<str>> = match &statement.kind {
            StmtKind::Import(names) => names.iter().filter_map(named).collect(),
            StmtKind::ImportFrom(import) => import.names.iter().filter_map(named).collect(),
            StmtKind::Def(def) => vec![def.name.name.clone()],
            StmtKind::Class(class) => vec![class.name.name.clone()],
            _ => {
                let places = statement.targets().into_iter().flat_map(Expr::places);
                places.filter_map(Expr::as_name).cloned().collect()
            }
        };
        for name in names {
            if self.file.binding(&name).is_none() {
                self.bind(&name, Binding::Elsewhere);
            }
        }
    }

    /// Notes what a statement scripts: a definition with a decorator, or what is handed to `torch.jit.script` in it, or made
    /// there. Whether it traces.
    fn note_scripted(&mut self, statement: &Stmt) -> bool {
        let path = |expr: &Expr| {
            crate::script::dotted_text(expr).and_then(|name| self.file.path_of(&name))
        };
        let is_script = |expr: &Expr| {
            matches!(
                path(expr).as_deref(),
                Some("torch.jit.script" | "torch.jit.script_if_tracing" | "torch.jit.export")
            )
        };
        let mut traces = false;
        let (name, decorators): (_, &[Expr]) = match &statement.kind {
            StmtKind::Def(def) => (&def.name.name, &def.decorators),
            StmtKind::Class(class) => (&class.name.name, &class.decorators),
            _ => (&Arc::from(""), &[]),
        };
        if decorators.iter().any(is_script) {
            self.loaded.scripted.insert(name.clone());
        }
        let mut names = Vec::new();
        statement.walk(&mut |inner| {
            watch::poll();
            for expr in inner.expressions() {
                expr.walk(&mut |part| {
                    let ExprKind::Call(call) = &part.kind else {
                        return;
                    };
                    let named = call.args.first().map(|first| match &first.kind {
                        ExprKind::Call(made) => &made.func,
                        _ => first,
                    });
                    if let Some(name) = named.and_then(Expr::as_name)
                        && is_script(&call.func)
                    {
                        names.push(name.clone());
                    }
                    traces |= path(&call.func).is_some_and(|p| p.starts_with("torch.jit.trace"));
                });
            }
        });
        self.loaded.scripted.extend(names);
        traces
    }
}
