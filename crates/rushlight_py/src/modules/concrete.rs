//! Types of module instances. Two instances of a class share one when their attributes, constants and submodules agree.

use crate::classes::described_type;
use crate::{registry, state};
use pyo3::prelude::*;
use pyo3::types::{PyAnyMethods, PyDict, PyTuple};
use rushlight::Value;
use rushlight::syntax::Span;
use rushlight::types::{AttributeKind, ClassType, Type};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// How scripts go over a module that holds others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Container {
    No,
    List,
    Dict,
    ParameterList,
    ParameterDict,
}

/// What is known of a Python class: asked once (`jit/_concrete.py`).
pub struct Facts {
    /// The Python object that answers further questions.
    pub object: Py<PyAny>,
    pub name: String,
    pub qualified: String,
    pub container: Container,
    /// Types from annotations of the class, by attribute.
    pub annotations: HashMap<String, Type>,
    pub constants: Vec<String>,
    /// Attributes that scripts do not see.
    pub left_out: HashSet<String>,
    pub overloads: HashMap<String, usize>,
    /// Whether Python looks at each instance first.
    pub is_checked: bool,
}

/// What a submodule is.
#[derive(Clone)]
pub enum Part {
    /// A module whose type is known.
    Module(Rc<Concrete>),
    /// A module known by an interface only: any that fits may take its place.
    Interface(Type),
    /// A module of a type that no Python class is known for: loaded from an archive.
    Loaded(Arc<ClassType>),
}

impl Part {
    fn same(&self, other: &Part) -> bool {
        match (self, other) {
            (Part::Module(a), Part::Module(b)) => Rc::ptr_eq(a, b),
            (Part::Interface(a), Part::Interface(b)) => a == b,
            (Part::Loaded(a), Part::Loaded(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The type of the attribute.
    pub fn ty(&self) -> Type {
        match self {
            Part::Module(concrete) => Type::Class(concrete.class.clone()),
            Part::Interface(ty) => ty.clone(),
            Part::Loaded(class) => Type::Class(class.clone()),
        }
    }
}

/// An attribute that is a value.
#[derive(Clone, PartialEq)]
pub struct Slot {
    pub name: Arc<str>,
    pub ty: Type,
    pub kind: AttributeKind,
}

/// What decides whether two instances have the same type.
pub struct Shape {
    pub slots: Vec<Slot>,
    pub parts: Vec<(Arc<str>, Part)>,
    pub constants: Vec<(Arc<str>, Value)>,
    /// Attributes that are functions.
    pub functions: Vec<(Arc<str>, Py<PyAny>)>,
    /// Attributes that scripts cannot have, with the reason.
    pub failed: Vec<(Arc<str>, String)>,
    /// Hooks before and after `forward`.
    pub hooks: [Vec<Py<PyAny>>; 2],
}

impl Shape {
    fn same(&self, other: &Shape) -> bool {
        let same_objects = |a: &[Py<PyAny>], b: &[Py<PyAny>]| {
            a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.as_ptr() == y.as_ptr())
        };
        self.slots == other.slots
            && self.parts.len() == other.parts.len()
            && self
                .parts
                .iter()
                .zip(&other.parts)
                .all(|(a, b)| a.0 == b.0 && a.1.same(&b.1))
            && self.constants == other.constants
            && self.functions.len() == other.functions.len()
            && self
                .functions
                .iter()
                .zip(&other.functions)
                .all(|(a, b)| a.0 == b.0 && a.1.as_ptr() == b.1.as_ptr())
            && (0..2).all(|i| same_objects(&self.hooks[i], &other.hooks[i]))
    }
}

/// The type of some instances of a module class.
pub struct Concrete {
    pub class: Arc<ClassType>,
    pub facts: Rc<Facts>,
    pub shape: Shape,
    /// Whether its methods have been compiled.
    pub compiled: Cell<bool>,
    /// Whether they could not be compiled once.
    pub failed: Cell<bool>,
}

impl Concrete {
    /// A submodule by name.
    pub fn part(&self, name: &str) -> Option<&Part> {
        self.shape
            .parts
            .iter()
            .find(|p| &*p.0 == name)
            .map(|p| &p.1)
    }
}

thread_local! {
    static FACTS: RefCell<HashMap<usize, Rc<Facts>>> = RefCell::default();
    static TYPES: RefCell<HashMap<usize, Vec<Rc<Concrete>>>> = RefCell::default();
    static BY_CLASS: RefCell<HashMap<usize, Rc<Concrete>>> = RefCell::default();
}

/// The type behind a script class; `None` for classes that were not made here.
pub fn of_class(class: &Arc<ClassType>) -> Option<Rc<Concrete>> {
    BY_CLASS.with_borrow(|known| known.get(&(Arc::as_ptr(class) as usize)).cloned())
}

/// Forgets the types that new instances could share with old ones.
pub fn forget_types() {
    TYPES.with_borrow_mut(HashMap::clear);
}

/// Calls a function that Python has registered for modules.
pub fn ask<'py>(
    py: Python<'py>,
    name: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    registry::registered(py, &format!("module.{name}"))?.call1(arguments)
}

/// The facts of a Python class.
pub fn facts_of(class: &Bound<'_, PyAny>) -> PyResult<Rc<Facts>> {
    known_facts(ask(class.py(), "class_facts", (class,))?)
}

/// The facts of an instance that has functions of its own.
pub fn facts_of_instance(module: &Bound<'_, PyAny>) -> PyResult<Rc<Facts>> {
    known_facts(ask(module.py(), "instance_facts", (module,))?)
}

/// Facts that Python has found.
fn known_facts(object: Bound<'_, PyAny>) -> PyResult<Rc<Facts>> {
    // They are kept for good: the address is never another's.
    let key = object.as_ptr() as usize;
    if let Some(known) = FACTS.with_borrow(|facts| facts.get(&key).cloned()) {
        return Ok(known);
    }
    let facts = read_facts(object)?;
    FACTS.with_borrow_mut(|all| all.insert(key, facts.clone()));
    Ok(facts)
}

fn read_facts(object: Bound<'_, PyAny>) -> PyResult<Rc<Facts>> {
    let container = match object.getattr("container")?.extract::<String>()?.as_str() {
        "list" => Container::List,
        "dict" => Container::Dict,
        "parameter_list" => Container::ParameterList,
        "parameter_dict" => Container::ParameterDict,
        _ => Container::No,
    };
    let mut annotations = HashMap::new();
    let hints = object.getattr("annotations")?;
    for (name, description) in hints.cast::<PyDict>()?.iter() {
        // What only looks like a type is no annotation for scripts.
        if let Ok(ty) = described_type(&description, &Span::unknown()) {
            annotations.insert(name.extract::<String>()?, ty);
        }
    }
    let mut overloads = HashMap::new();
    for (name, declarations) in object.getattr("overloads")?.cast::<PyDict>()?.iter() {
        overloads.insert(name.extract::<String>()?, declarations.len()?);
    }
    Ok(Rc::new(Facts {
        name: object.getattr("name")?.extract()?,
        qualified: object.getattr("qualified")?.extract()?,
        container,
        annotations,
        constants: object.getattr("constants")?.extract()?,
        left_out: object.getattr("left_out")?.extract()?,
        overloads,
        is_checked: object.getattr("checked")?.is_truthy()?,
        object: object.unbind(),
    }))
}

/// The type of an instance: a known one of the same shape, else a new one.
pub fn find_or_make(
    class: &Bound<'_, PyAny>,
    facts: Rc<Facts>,
    shape: Shape,
    share: bool,
) -> Rc<Concrete> {
    let key = class.as_ptr() as usize;
    if share
        && let Some(known) = TYPES.with_borrow(|types| {
            let all = types.get(&key)?;
            let same = |c: &&Rc<Concrete>| Rc::ptr_eq(&c.facts, &facts) && c.shape.same(&shape);
            all.iter().find(same).cloned()
        })
    {
        return known;
    }
    let concrete = make(facts, shape);
    if share {
        TYPES.with_borrow_mut(|types| types.entry(key).or_default().push(concrete.clone()));
    }
    let address = Arc::as_ptr(&concrete.class) as usize;
    BY_CLASS.with_borrow_mut(|known| known.insert(address, concrete.clone()));
    concrete
}

/// A script class for a shape: values first, then submodules, then constants.
fn make(facts: Rc<Facts>, shape: Shape) -> Rc<Concrete> {
    let unit = state::unit();
    let name = unit.free_name(&facts.qualified);
    let class = ClassType::new(&name, true);
    for slot in &shape.slots {
        class.add_attribute(&slot.name, slot.ty.clone(), slot.kind);
    }
    for (name, part) in &shape.parts {
        class.add_attribute(name, part.ty(), AttributeKind::Plain);
    }
    for (name, value) in &shape.constants {
        class.add_constant(name, value.clone());
    }
    unit.add_type(&name, Type::Class(class.clone()));
    Rc::new(Concrete {
        class,
        facts,
        shape,
        compiled: Cell::new(false),
        failed: Cell::new(false),
    })
}

/// A description in the resolver's terms as a type.
pub fn type_from(description: &Bound<'_, PyAny>) -> PyResult<Type> {
    described_type(description, &Span::unknown())
        .map_err(|e| crate::errors::diagnostic(description.py(), &e))
}

/// The items of a tuple that Python answered with.
pub fn tuple_of<'a, 'py>(object: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyTuple>> {
    Ok(object.cast::<PyTuple>()?)
}

/// A value for an attribute of a type.
pub fn cast_attribute(name: &str, value: &Bound<'_, PyAny>, ty: &Type) -> PyResult<Value> {
    crate::convert::argument::attribute_value(value, ty).map_err(|details| {
        pyo3::exceptions::PyRuntimeError::new_err(format!(
            "Could not cast attribute '{name}' to type {ty}: {details}"
        ))
    })
}
