//! Classes of modules in a check: their methods, with the attributes that `__init__` shows.
//!
//! Modules are compiled from instances, which a source file alone does not have. In a check, `__init__` is compiled as that
//! of a script class is, with what it makes modules of standing for itself (`sugared/layers.rs`). Whatever of it is Python
//! is passed over in silence; attributes of which nothing is known then are lost, and no problem with them is told.

use super::{Binding, Loader, Names, classes, initialiser, program};
use crate::FunctionSource;
use crate::script::recover::Unconverted;
use crate::script::{self, MethodDef, annotation_type, dotted_text, literal};
use crate::sugared::containers;
use rushlight_ir::Function;
use rushlight_syntax::tree::{ClassDef, Constant, Def, Expr, ExprKind, ParamKind, Stmt, StmtKind};
use rushlight_types::{AttributeKind, ClassType, Type};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// What modules have besides what they are given, for Python alone.
const OF_ALL: &[&str] = &[
    "parameters",
    "named_parameters",
    "buffers",
    "named_buffers",
    "children",
    "named_children",
    "modules",
    "named_modules",
    "apply",
];

/// A class of modules of the file that is checked.
pub(super) struct ModuleClass {
    pub ty: Arc<ClassType>,
    methods: Vec<MethodDef>,
}

impl ModuleClass {
    /// Whether there is a method with a name, those of classes that it inherits from in the file included.
    pub fn has_method(&self, name: &str) -> bool {
        self.methods.iter().any(|m| &*m.def.name.name == name)
    }

    /// What makes an instance.
    pub fn init(&self) -> Option<Rc<Def>> {
        let mut methods = self.methods.iter();
        let init = methods.find(|m| &*m.def.name.name == "__init__")?;
        Some(init.def.clone().into())
    }
}

/// Declares a class of modules. Gives the methods that are compiled, or why it is none for scripts.
pub(super) fn declare(
    loader: &mut Loader<'_>,
    class: &ClassDef,
) -> Result<Vec<Arc<Function>>, String> {
    let name = &class.name.name;
    let qualified = format!("{}.{name}", loader.prefix);
    let ty = ClassType::new(&qualified, true);
    let compiler = loader.compiler;
    compiler.unit.add_type(&qualified, Type::Class(ty.clone()));
    ty.add_attribute("training", Type::Bool, AttributeKind::Plain);
    let mut methods = script::methods_of(class);
    inherit(loader, class, &ty, &mut methods);
    let open = Rc::new(ModuleClass {
        ty: ty.clone(),
        methods: methods.clone(),
    });
    loader.bind(name, Binding::Module(Some(open.clone())));
    OF_ALL
        .iter()
        .for_each(|n| compiler.note_lost(&Arc::from(*n)));
    body(loader, class, &ty);
    let roots: BTreeSet<Arc<str>> = methods
        .iter()
        .filter(|m| &*m.def.name.name == "forward" || decorated(&m.def, &["export"]))
        .map(|m| m.def.name.name.clone())
        .collect();
    for method in &methods {
        if roots.contains(&method.def.name.name)
            && let Some(why) = program::why(&loader.file, &method.def, &loader.module_names)
        {
            return Err(why);
        }
    }
    for method in &methods {
        attributes(loader, &method.def, &ty, &roots);
    }
    initialiser::check(loader, class, &open);
    if let Some(init) = methods.iter().find(|m| &*m.def.name.name == "__init__") {
        initialise(loader, &init.def, &ty);
        unconverted(loader, class, &init.def, &ty, &methods, &roots);
    }
    open_up(loader, &ty, &methods, &roots);
    declare_methods(loader, &ty, methods);
    let functions = roots.iter().filter_map(|n| compiler.unit.method(&ty, n));
    Ok(functions.collect())
}

/// Gives a class what those that it inherits from have.
fn inherit(loader: &Loader<'_>, class: &ClassDef, ty: &ClassType, methods: &mut Vec<MethodDef>) {
    for base in &class.bases {
        let known = dotted_text(base).and_then(|name| loader.file.binding(&name));
        match known {
            Some(Binding::Module(Some(base))) => {
                for attribute in base.ty.attributes() {
                    ty.add_attribute(&attribute.name, attribute.ty, attribute.kind);
                }
                let inherited = base.methods.iter().filter(|m| !has(methods, m));
                let inherited: Vec<MethodDef> = inherited.cloned().collect();
                methods.extend(inherited);
            }
            _ if classes::is_plain_module(&loader.file, base) => {}
            _ => loader.compiler.note_lost_type(ty.name()),
        }
    }
}

/// Declares the methods but `__init__`. Those that scripts leave to Python are known by how they are called.
fn declare_methods(loader: &Loader<'_>, ty: &Arc<ClassType>, mut methods: Vec<MethodDef>) {
    let compiler = loader.compiler;
    let resolver: Rc<dyn crate::Resolver> = loader.file.clone();
    methods.retain(|method| &*method.def.name.name != "__init__");
    for method in &methods {
        if decorated(&method.def, &["ignore", "_overload_method"]) {
            let source = source(loader, method.def.clone(), ty);
            match script::signature(compiler, &method.def.name.name, &source) {
                Ok(schema) if decorated(&method.def, &["ignore"]) => {
                    ty.add_method(&method.def.name.name, Some(Arc::new(schema)));
                }
                _ => compiler.note_lost(&method.def.name.name),
            }
        }
    }
    methods.retain(|m| !decorated(&m.def, &["ignore", "_overload_method"]));
    let declared = script::declare_methods(compiler, ty, &methods, &resolver, &|_| Ok(Vec::new()));
    if let Err(problem) = declared {
        compiler.note_problem(&problem);
    }
}

fn has(methods: &[MethodDef], other: &MethodDef) -> bool {
    methods
        .iter()
        .any(|m| m.def.name.name == other.def.name.name && m.kind == other.kind)
}

fn decorated(def: &Def, names: &[&str]) -> bool {
    names.iter().any(|name| script::has_decorator(def, name))
}

/// What the body of a class says of attributes.
fn body(loader: &Loader<'_>, class: &ClassDef, ty: &ClassType) {
    for statement in &class.body {
        match &statement.kind {
            StmtKind::AnnAssign {
                target, annotation, ..
            } => {
                if let (Some(name), Ok(known)) = (
                    target.as_name(),
                    annotation_type(annotation, &Names(&loader.file)),
                ) {
                    ty.add_attribute(name, known, AttributeKind::Plain);
                }
            }
            StmtKind::Assign(assign) => {
                for target in &assign.targets {
                    match (target.as_name(), literal(&assign.value)) {
                        (Some(name), Some(value)) => ty.add_constant(name, value),
                        (Some(name), None) => loader.compiler.note_lost(name),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

/// Attributes that calls and other methods than `__init__` make.
fn attributes(loader: &Loader<'_>, def: &Def, ty: &ClassType, roots: &BTreeSet<Arc<str>>) {
    let Some(own) = def.params.0.first().map(|p| p.name.name.clone()) else {
        return;
    };
    let is_own = |expr: &Expr| expr.as_name() == Some(&own);
    let compiler = loader.compiler;
    let is_compiled = roots.contains(&def.name.name) || &*def.name.name == "__init__";
    let visit = |statement: &Stmt| {
        if !is_compiled {
            for place in statement.targets().into_iter().flat_map(Expr::places) {
                if let ExprKind::Attribute { value, attr } = &place.kind
                    && is_own(value)
                {
                    compiler.note_lost(&attr.name);
                }
            }
        }
        for expr in statement.expressions() {
            expr.walk(&mut |part| match &part.kind {
                ExprKind::Name(name) if matches!(&**name, "setattr" | "exec") => {
                    compiler.note_lost_type(ty.name());
                }
                ExprKind::Attribute { value, attr }
                    if is_own(value) && &*attr.name == "__dict__" =>
                {
                    compiler.note_lost_type(ty.name());
                }
                ExprKind::Call(call) => {
                    let ExprKind::Attribute { value, attr } = &call.func.kind else {
                        return;
                    };
                    if !is_own(value) {
                        return;
                    }
                    let is_tensor = match &*attr.name {
                        "register_buffer" | "register_parameter" => call
                            .args
                            .get(1)
                            .is_some_and(|v| !matches!(v.kind, ExprKind::Constant(Constant::None))),
                        "add_module" | "register_module" => false,
                        _ => return,
                    };
                    match call.args.first().map(|name| &name.kind) {
                        Some(ExprKind::Constant(Constant::Str(name))) if is_tensor => {
                            ty.add_attribute(name, Type::TENSOR, AttributeKind::Plain);
                        }
                        Some(ExprKind::Constant(Constant::Str(name))) => {
                            compiler.note_lost(&Arc::from(&**name));
                        }
                        _ => compiler.note_lost_type(ty.name()),
                    }
                }
                _ => {}
            });
        }
    };
    def.body
        .iter()
        .for_each(|statement| statement.walk(&mut |inner| visit(inner)));
}

/// Compiles `__init__` in silence, as far as it goes.
fn initialise(loader: &Loader<'_>, init: &Def, ty: &Arc<ClassType>) {
    let compiler = loader.compiler;
    let mut def = init.clone();
    let mut known = Vec::new();
    let mut is_first = true;
    def.params.0.retain_mut(|param| {
        if std::mem::take(&mut is_first) {
            return true;
        }
        if matches!(param.kind, ParamKind::VarArgs | ParamKind::VarKeywords) {
            return false;
        }
        param.kind = ParamKind::Normal;
        let default = param.default.take();
        match &param.annotation {
            // What may be of several types is of one in every instance.
            Some(annotation) => annotation_type(annotation, &Names(&loader.file))
                .is_ok_and(|ty| !matches!(ty, Type::Optional(_) | Type::Union(_) | Type::Any)),
            None => {
                let default = default
                    .as_ref()
                    .and_then(literal)
                    .map(|value| value.type_of());
                let plain = default
                    .filter(|ty| matches!(ty, Type::Int | Type::Float | Type::Bool | Type::Str));
                let is_known = plain.is_some();
                known.extend(plain.map(|ty| (param.name.name.clone(), ty)));
                is_known
            }
        }
    });
    def.signature = None;
    def.returns = None;
    compiler.note_silent(&init.span);
    let source = FunctionSource {
        parameter_types: known,
        ..source(loader, def, ty)
    };
    let function = compiler.declare(&format!("{}.__init__", ty.name()), source);
    let outside = compiler.exchange_lost(BTreeSet::new());
    // Most of it is Python: what could be compiled has left its attributes.
    let _ = compiler.compile(&function);
    let mut lost = compiler.exchange_lost(outside);
    lost.iter().for_each(|name| ty.remove_attribute(name));
    while let Some(name) = lost.pop_first() {
        compiler.note_lost(&name);
    }
}

/// Notes attributes that `__init__` leaves empty, without a word of what they are to hold, and nothing fills before the
/// instance is scripted.
fn unconverted(
    loader: &Loader<'_>,
    class: &ClassDef,
    init: &Def,
    ty: &ClassType,
    methods: &[MethodDef],
    roots: &BTreeSet<Arc<str>>,
) {
    let is_annotated = |name: &Arc<str>| {
        class.body.iter().any(|member| match &member.kind {
            StmtKind::AnnAssign { target, .. } => target.as_name() == Some(name),
            _ => false,
        })
    };
    let others = methods
        .iter()
        .filter(|m| !roots.contains(&m.def.name.name) && &*m.def.name.name != "__init__");
    let mut mentioned = Vec::new();
    others.for_each(|m| mentions(&m.def, &mut mentioned));
    mentions(init, &mut mentioned);
    for statement in &init.body {
        let value = match &statement.kind {
            StmtKind::Assign(assign) => &assign.value,
            StmtKind::AnnAssign {
                value: Some(value), ..
            } => value,
            _ => continue,
        };
        let why = match &value.kind {
            ExprKind::List(items) if items.is_empty() => Unconverted::EmptyList,
            ExprKind::Dict(items) if items.is_empty() => Unconverted::EmptyDict,
            _ => continue,
        };
        for target in statement.targets() {
            let ExprKind::Attribute { attr, .. } = &target.kind else {
                continue;
            };
            let name = &attr.name;
            let only_here = mentioned.iter().filter(|n| *n == name).count() == 1;
            if only_here && !is_annotated(name) {
                ty.remove_attribute(name);
                loader.compiler.note_unconverted(ty.name(), name, why);
            }
        }
    }
}

/// The attributes of its object that a method mentions, as often as it does.
fn mentions(def: &Def, out: &mut Vec<Arc<str>>) {
    let Some(own) = def.params.0.first().map(|p| &p.name.name) else {
        return;
    };
    each_part(def, &mut |part| {
        if let ExprKind::Attribute { value, attr } = &part.kind
            && value.as_name() == Some(own)
        {
            out.push(attr.name.clone());
        }
    });
}

fn each_part<'d>(def: &'d Def, visit: &mut dyn FnMut(&'d Expr)) {
    for statement in &def.body {
        statement.walk(&mut |inner| {
            for expr in inner.expressions() {
                expr.walk(visit);
            }
        });
    }
}

/// Forgets how many items containers have to which methods that run before anything is scripted may add.
fn open_up(loader: &Loader<'_>, ty: &ClassType, methods: &[MethodDef], roots: &BTreeSet<Arc<str>>) {
    let python = methods
        .iter()
        .filter(|m| !roots.contains(&m.def.name.name))
        .map(|m| &m.def);
    let mut handed_on = Vec::new();
    for def in python {
        let Some(own) = def.params.0.first().map(|p| &p.name.name) else {
            continue;
        };
        mentions(def, &mut handed_on);
        // What a loop goes over, a call applies and an index picks from stays what it is.
        let mut stays = |expr: &Expr| {
            if let ExprKind::Attribute { value, attr } = &expr.kind
                && value.as_name() == Some(own)
                && let Some(at) = handed_on.iter().position(|name| *name == attr.name)
            {
                handed_on.swap_remove(at);
            }
        };
        for statement in &def.body {
            statement.walk(&mut |inner| {
                match &inner.kind {
                    StmtKind::For(for_) => stays(&for_.iter),
                    StmtKind::Assign(assign) => assign.targets.iter().for_each(&mut stays),
                    StmtKind::AnnAssign { target, .. } => stays(target),
                    _ => {}
                }
                let changed = inner.targets();
                for expr in inner.expressions() {
                    if changed.iter().any(|target| std::ptr::eq(*target, expr)) {
                        continue;
                    }
                    expr.walk(&mut |part| match &part.kind {
                        ExprKind::Call(call) => {
                            stays(&call.func);
                            let reads = call.func.as_name().is_some_and(|name| {
                                ["len", "zip", "enumerate", "reversed"].contains(&&**name)
                            });
                            if reads {
                                call.args.iter().for_each(&mut stays);
                            }
                        }
                        ExprKind::Subscript { value, .. } => stays(value),
                        ExprKind::Attribute { value, attr }
                            if ["keys", "values", "items", "parameters"].contains(&&*attr.name) =>
                        {
                            stays(value);
                        }
                        _ => {}
                    });
                    part_iters(expr, &mut stays);
                }
            });
        }
    }
    for name in handed_on {
        if let Some(Type::Class(class)) = ty.attribute(&name).map(|attribute| attribute.ty)
            && let Some(opened) = containers::opened(loader.compiler, &class)
        {
            ty.remove_attribute(&name);
            ty.add_attribute(&name, opened, AttributeKind::Plain);
        }
    }
}

/// Visits what the comprehensions in an expression go over.
fn part_iters(expr: &Expr, visit: &mut dyn FnMut(&Expr)) {
    expr.walk(&mut |part| part.generators().iter().for_each(|g| visit(&g.iter)));
}

fn source(loader: &Loader<'_>, def: Def, ty: &Arc<ClassType>) -> FunctionSource {
    FunctionSource {
        def: Rc::new(def),
        resolver: loader.file.clone(),
        class: Some(ty.clone()),
        defaults: Vec::new(),
        parameter_types: Vec::new(),
    }
}
