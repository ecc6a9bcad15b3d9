//! The compilation unit: functions and types by qualified name, in order of definition.

use crate::Graph;
use indexmap::IndexMap;
use parking_lot::{Mutex, RwLock};
use rushlight_types::{
    Callable, ClassType, Context, Fault, InterfaceType, Result, Schema, Type, Value,
};
use std::any::Any;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// Runs functions: what `rushlight_runtime` plugs in.
pub trait Executor: Send + Sync {
    /// Runs a function on arguments that fit its schema (defaults filled in).
    fn run(&self, function: &Function, context: &Context, arguments: Vec<Value>) -> Result<Value>;
}

/// The body of a function while somebody edits it. The function asks for it when it is run, printed or saved.
pub trait Draft: Send + Sync {
    /// What has become of the body.
    fn settle(&self, function: &Function) -> Settled;
    /// For whoever knows what it is.
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// What has become of a body that somebody edits.
pub enum Settled {
    /// It is this one from here on.
    New(Arc<Graph>),
    /// The edited one is no body of this function.
    Unfit,
    /// An edit is going on: the function is what it was until the next time.
    Busy,
}

/// A function of a unit. Declared first, so that bodies may refer to one another; its body and schema come later.
pub struct Function {
    name: Arc<str>,
    unit: Weak<Unit>,
    /// A method's class.
    pub class: Option<Arc<ClassType>>,
    schema: RwLock<Option<Arc<Schema>>>,
    graph: RwLock<Option<Arc<Graph>>>,
    /// What somebody makes of the body. Whoever holds this lock may take the others, never the other way round.
    draft: Mutex<Option<Arc<dyn Draft>>>,
    /// Whether there is a draft, for those who have to be quick.
    has_draft: AtomicBool,
    /// What the executor keeps: lowered code.
    code: RwLock<Option<Arc<dyn Any + Send + Sync>>>,
    me: Weak<Function>,
}

impl Function {
    /// The qualified name.
    pub fn qualified_name(&self) -> &Arc<str> {
        &self.name
    }

    /// The last part of the qualified name.
    pub fn basename(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    /// The unit that the function belongs to; `None` when it is gone.
    pub fn unit(&self) -> Option<Arc<Unit>> {
        self.unit.upgrade()
    }

    /// The handle of this function.
    pub fn handle(&self) -> Arc<Function> {
        self.me
            .upgrade()
            .expect("a function that is being used has a handle")
    }

    /// The schema; `None` until it is known.
    pub fn known_schema(&self) -> Option<Arc<Schema>> {
        self.schema.read().clone()
    }

    /// Sets the schema.
    pub fn set_schema(&self, schema: Schema) {
        *self.schema.write() = Some(Arc::new(schema));
    }

    /// The body; `None` until it is compiled.
    pub fn graph(&self) -> Option<Arc<Graph>> {
        self.settle();
        self.graph.read().clone()
    }

    /// Sets the body and drops lowered code of an earlier one, and what somebody made of that.
    pub fn set_graph(&self, graph: Graph) {
        let mut draft = self.draft.lock();
        self.replace_graph(Arc::new(graph));
        self.has_draft.store(false, Ordering::Release);
        *draft = None;
    }

    fn replace_graph(&self, graph: Arc<Graph>) {
        *self.graph.write() = Some(graph);
        *self.code.write() = None;
    }

    /// What somebody makes of the body, if it was edited since it was last asked for.
    pub fn draft(&self) -> Option<Arc<dyn Draft>> {
        match self.has_draft.load(Ordering::Acquire) {
            true => self.draft.lock().clone(),
            false => None,
        }
    }

    /// Says that somebody edits the body: the next one who asks for it gets what has become of it.
    pub fn set_draft(&self, draft: Arc<dyn Draft>) {
        let mut known = self.draft.lock();
        *known = Some(draft);
        self.has_draft.store(true, Ordering::Release);
    }

    fn settle(&self) {
        if !self.has_draft.load(Ordering::Acquire) {
            return;
        }
        let mut known = self.draft.lock();
        let Some(draft) = known.as_ref() else {
            return;
        };
        match draft.settle(self) {
            Settled::New(graph) => self.replace_graph(graph),
            Settled::Unfit => {}
            Settled::Busy => return,
        }
        self.has_draft.store(false, Ordering::Release);
        *known = None;
    }

    /// What the executor has kept.
    pub fn code(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.settle();
        self.code.read().clone()
    }

    /// Keeps something for the executor.
    pub fn set_code(&self, code: Arc<dyn Any + Send + Sync>) {
        *self.code.write() = Some(code);
    }
}

impl Callable for Function {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> Arc<Schema> {
        self.known_schema()
            .unwrap_or_else(|| Arc::new(Schema::new(self.basename(), Vec::new(), Vec::new())))
    }

    fn invoke(&self, context: &Context, arguments: Vec<Value>) -> Result<Value> {
        let unit = self
            .unit()
            .ok_or_else(|| Fault::internal(format!("{} has outlived its unit", self.name)))?;
        unit.executor()?.run(self, context, arguments)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for Unit {
    /// Functions go first; then classes and interfaces forget how those were called, which would keep them for good.
    fn drop(&mut self) {
        let functions = std::mem::take(self.functions.get_mut());
        let mut classes: Vec<Arc<ClassType>> =
            functions.values().filter_map(|f| f.class.clone()).collect();
        drop(functions);
        let mut interfaces = Vec::new();
        for ty in std::mem::take(self.types.get_mut()).into_values() {
            match ty {
                Type::Class(class) => classes.push(class),
                Type::Interface(interface) => interfaces.push(interface),
                _ => {}
            }
        }
        for class in classes {
            class.forget_lost_methods();
        }
        for interface in &interfaces {
            InterfaceType::forget_methods_of(interface);
        }
    }
}

/// The part of a qualified name that carries a number to make it free.
const MANGLED: &str = "___torch_mangle_";

/// Functions and types by qualified name.
pub struct Unit {
    functions: RwLock<IndexMap<Arc<str>, Arc<Function>>>,
    types: RwLock<IndexMap<Arc<str>, Type>>,
    /// Functions that could not be compiled, and why.
    missing: RwLock<IndexMap<Arc<str>, Arc<str>>>,
    /// The names of functions that could not be compiled.
    failed: RwLock<HashSet<Arc<str>>>,
    executor: OnceLock<Arc<dyn Executor>>,
    /// How many names have been numbered to make them free.
    mangled: AtomicUsize,
    me: Weak<Unit>,
}

impl Unit {
    /// An empty unit.
    pub fn new() -> Arc<Unit> {
        Arc::new_cyclic(|me| Unit {
            functions: RwLock::default(),
            types: RwLock::default(),
            missing: RwLock::default(),
            failed: RwLock::default(),
            executor: OnceLock::new(),
            mangled: AtomicUsize::new(0),
            me: me.clone(),
        })
    }

    /// Keeps why a function could not be compiled, for those who ask for it.
    pub fn set_missing(&self, qualified_name: &str, why: &str) {
        let mut missing = self.missing.write();
        missing.insert(qualified_name.into(), why.into());
    }

    /// Why a function could not be compiled.
    pub fn why_missing(&self, qualified_name: &str) -> Option<Arc<str>> {
        self.missing.read().get(qualified_name).cloned()
    }

    /// Plugs the executor in, once.
    pub fn set_executor(&self, executor: Arc<dyn Executor>) {
        let _ = self.executor.set(executor);
    }

    /// The executor.
    pub fn executor(&self) -> Result<&Arc<dyn Executor>> {
        self.executor
            .get()
            .ok_or_else(|| Fault::internal("this unit was made without an executor"))
    }

    /// Declares a function; an older one of the same name stays alive only where it is still referred to.
    pub fn declare(&self, qualified_name: &str, class: Option<Arc<ClassType>>) -> Arc<Function> {
        let function = Arc::new_cyclic(|me| Function {
            name: qualified_name.into(),
            unit: self.me.clone(),
            class,
            schema: RwLock::default(),
            graph: RwLock::default(),
            draft: Mutex::default(),
            has_draft: AtomicBool::new(false),
            code: RwLock::default(),
            me: me.clone(),
        });
        if let Some(class) = &function.class {
            let callee: Weak<dyn Callable> =
                Arc::downgrade(&(function.clone() as Arc<dyn Callable>));
            class.set_callee(function.basename(), callee);
        }
        self.functions
            .write()
            .insert(qualified_name.into(), function.clone());
        function
    }

    /// Forgets a function that was declared.
    pub fn remove(&self, qualified_name: &str) {
        self.functions.write().shift_remove(qualified_name);
    }

    /// Forgets a function whose body failed to compile. Its name stays taken, as in the reference.
    pub fn remove_failed(&self, qualified_name: &str) {
        if let Some(function) = self.functions.write().shift_remove(qualified_name)
            && function.class.is_none()
        {
            self.failed.write().insert(qualified_name.into());
        }
    }

    /// A function by qualified name.
    pub fn function(&self, qualified_name: &str) -> Option<Arc<Function>> {
        self.functions.read().get(qualified_name).cloned()
    }

    /// The method of a class, which may be of another unit: modules from archives are parts of modules made here.
    pub fn method(&self, class: &ClassType, name: &str) -> Option<Arc<Function>> {
        let method = class.method(name)?;
        let callee = class.callee(name);
        let own = callee.and_then(|c| Some(c.as_any().downcast_ref::<Function>()?.handle()));
        own.or_else(|| self.function(&method.qualified))
    }

    /// The functions in order of declaration.
    pub fn functions(&self) -> Vec<Arc<Function>> {
        self.functions.read().values().cloned().collect()
    }

    /// Registers a named type (class, interface, enum, NamedTuple).
    pub fn add_type(&self, qualified_name: &str, ty: Type) {
        self.types.write().insert(qualified_name.into(), ty);
    }

    /// Forgets a type, for classes whose definition failed.
    pub fn remove_type(&self, qualified_name: &str) {
        self.types.write().shift_remove(qualified_name);
    }

    /// A type by qualified name.
    pub fn ty(&self, qualified_name: &str) -> Option<Type> {
        self.types.read().get(qualified_name).cloned()
    }

    /// The named types in order of registration.
    pub fn types(&self) -> Vec<(Arc<str>, Type)> {
        self.types
            .read()
            .iter()
            .map(|(n, t)| (n.clone(), t.clone()))
            .collect()
    }

    /// A qualified name that is still free: `__torch__.___torch_mangle_0.Foo` after `__torch__.Foo`, then
    /// `__torch__.___torch_mangle_1.Bar` after `__torch__.Bar`: names are numbered across the unit.
    pub fn free_name(&self, qualified_name: &str) -> String {
        let failed = |name: &str| self.failed.read().contains(name);
        let taken =
            |name: &str| self.ty(name).is_some() || self.function(name).is_some() || failed(name);
        if !taken(qualified_name) {
            return qualified_name.to_string();
        }
        let (path, base) = qualified_name
            .rsplit_once('.')
            .unwrap_or(("__torch__", qualified_name));
        // A name that has a number gets another one.
        let path = match path.rsplit_once('.') {
            Some((outer, last)) if last.starts_with(MANGLED) => outer,
            _ => path,
        };
        loop {
            let number = self.mangled.fetch_add(1, Ordering::Relaxed);
            let name = format!("{path}.{MANGLED}{number}.{base}");
            if !taken(&name) {
                return name;
            }
        }
    }
}
