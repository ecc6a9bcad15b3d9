//! User-defined types: classes (modules among them), interfaces and enums.
//!
//! A class type knows names, types and method schemas; the bodies of its methods live in the compilation unit. Classes
//! are defined in two steps (name, then content) so that they can refer to themselves.

use super::Type;
use crate::{Callable, Schema, Value};
use parking_lot::RwLock;
use std::fmt;
use std::sync::{Arc, Weak};

/// What an attribute of a module is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttributeKind {
    Plain,
    Parameter,
    Buffer,
}

/// A slot of a class.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    pub name: Arc<str>,
    pub ty: Type,
    pub kind: AttributeKind,
}

/// A method as a class knows it: its name and how it is called.
#[derive(Clone)]
pub struct Method {
    pub name: Arc<str>,
    /// The qualified name of the function in the unit.
    pub qualified: Arc<str>,
    /// Set when the body has been compiled.
    pub schema: Option<Arc<Schema>>,
}

/// A property: the names of the methods that get and set it.
#[derive(Clone, Debug)]
pub struct Property {
    pub name: Arc<str>,
    pub getter: Arc<str>,
    pub setter: Option<Arc<str>>,
}

/// A script class or module class.
pub struct ClassType {
    name: Arc<str>,
    is_module: bool,
    content: RwLock<Content>,
}

#[derive(Default)]
struct Content {
    attributes: Vec<Attribute>,
    methods: Vec<Method>,
    static_methods: Vec<Method>,
    /// What calls the methods, held by the compilation unit.
    callees: Vec<(Arc<str>, Weak<dyn Callable>)>,
    constants: Vec<(Arc<str>, Value)>,
    properties: Vec<Property>,
    hooks: Vec<Arc<str>>,
    pre_hooks: Vec<Arc<str>>,
    doc: Option<Arc<str>>,
}

impl ClassType {
    /// A class without content, to be filled in.
    pub fn new(qualified_name: &str, is_module: bool) -> Arc<ClassType> {
        Arc::new(ClassType {
            name: qualified_name.into(),
            is_module,
            content: RwLock::default(),
        })
    }

    /// The qualified name, `__torch__.Foo`.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The last part of the qualified name.
    pub fn basename(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    /// Whether objects are modules.
    pub fn is_module(&self) -> bool {
        self.is_module
    }

    /// Adds a slot and returns its index; an existing name keeps its slot and takes the new type.
    pub fn add_attribute(&self, name: &str, ty: Type, kind: AttributeKind) -> usize {
        let mut content = self.content.write();
        if let Some(slot) = content.attributes.iter().position(|a| &*a.name == name) {
            content.attributes[slot].ty = ty;
            content.attributes[slot].kind = kind;
            return slot;
        }
        content.attributes.push(Attribute {
            name: name.into(),
            ty,
            kind,
        });
        content.attributes.len() - 1
    }

    /// Removes a slot, for freezing.
    pub fn remove_attribute(&self, name: &str) {
        self.content.write().attributes.retain(|a| &*a.name != name);
    }

    /// The slots in order.
    pub fn attributes(&self) -> Vec<Attribute> {
        self.content.read().attributes.clone()
    }

    /// How many slots there are.
    pub fn attribute_count(&self) -> usize {
        self.content.read().attributes.len()
    }

    /// The index of a slot.
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.content
            .read()
            .attributes
            .iter()
            .position(|a| &*a.name == name)
    }

    /// A slot by name.
    pub fn attribute(&self, name: &str) -> Option<Attribute> {
        self.content
            .read()
            .attributes
            .iter()
            .find(|a| &*a.name == name)
            .cloned()
    }

    /// Adds or replaces a method.
    pub fn add_method(&self, name: &str, schema: Option<Arc<Schema>>) {
        let method = Method {
            name: name.into(),
            qualified: format!("{}.{name}", self.name).into(),
            schema,
        };
        let mut content = self.content.write();
        match content.methods.iter_mut().find(|m| *m.name == *name) {
            Some(old) => *old = method,
            None => content.methods.push(method),
        }
    }

    /// The methods in order of definition.
    pub fn methods(&self) -> Vec<Method> {
        self.content.read().methods.clone()
    }

    /// A method by name.
    pub fn method(&self, name: &str) -> Option<Method> {
        self.content
            .read()
            .methods
            .iter()
            .find(|m| &*m.name == name)
            .cloned()
    }

    /// Says what calls a method; the unit that owns the body does, once it has declared it.
    pub fn set_callee(&self, name: &str, callee: Weak<dyn Callable>) {
        let mut content = self.content.write();
        match content.callees.iter_mut().find(|(n, _)| &**n == name) {
            Some(entry) => entry.1 = callee,
            None => content.callees.push((name.into(), callee)),
        }
    }

    /// What calls a method, while its unit lives: for operators that call back, such as sorting objects by `__lt__`.
    pub fn callee(&self, name: &str) -> Option<Arc<dyn Callable>> {
        let content = self.content.read();
        let (_, callee) = content.callees.iter().find(|(n, _)| &**n == name)?;
        callee.upgrade()
    }

    /// Forgets how methods are called whose unit is gone: nothing can call them any more, and what they take is the class
    /// itself, which would keep it for good.
    pub fn forget_lost_methods(&self) {
        let mut content = self.content.write();
        let content = &mut *content;
        let is_lost = |method: &Method| {
            let callee = content.callees.iter().find(|(n, _)| *n == method.name);
            callee.is_none_or(|(_, callee)| callee.strong_count() == 0)
        };
        let mut lost = Vec::new();
        for method in content
            .methods
            .iter_mut()
            .chain(&mut content.static_methods)
        {
            if is_lost(method) {
                lost.extend(method.schema.take());
            }
        }
    }

    /// Adds or replaces a static method: the function of this name.
    pub fn add_static_method(&self, name: &str, qualified: &str) {
        let method = Method {
            name: name.into(),
            qualified: qualified.into(),
            schema: None,
        };
        let mut content = self.content.write();
        match content.static_methods.iter_mut().find(|m| *m.name == *name) {
            Some(old) => *old = method,
            None => content.static_methods.push(method),
        }
    }

    /// A static method by name.
    pub fn static_method(&self, name: &str) -> Option<Method> {
        self.content
            .read()
            .static_methods
            .iter()
            .find(|m| &*m.name == name)
            .cloned()
    }

    /// Adds or replaces a constant.
    pub fn add_constant(&self, name: &str, value: Value) {
        let mut content = self.content.write();
        match content.constants.iter_mut().find(|c| *c.0 == *name) {
            Some(old) => old.1 = value,
            None => content.constants.push((name.into(), value)),
        }
    }

    /// A constant by name.
    pub fn constant(&self, name: &str) -> Option<Value> {
        self.content
            .read()
            .constants
            .iter()
            .find(|c| *c.0 == *name)
            .map(|c| c.1.clone())
    }

    /// The constants in order.
    pub fn constants(&self) -> Vec<(Arc<str>, Value)> {
        self.content.read().constants.clone()
    }

    /// Adds a property.
    pub fn add_property(&self, property: Property) {
        self.content.write().properties.push(property);
    }

    /// Gives a property its setter.
    pub fn set_property_setter(&self, name: &str, setter: &str) {
        if let Some(property) = self
            .content
            .write()
            .properties
            .iter_mut()
            .find(|p| &*p.name == name)
        {
            property.setter = Some(setter.into());
        }
    }

    /// A property by name.
    pub fn property(&self, name: &str) -> Option<Property> {
        self.content
            .read()
            .properties
            .iter()
            .find(|p| &*p.name == name)
            .cloned()
    }

    /// The properties in order.
    pub fn properties(&self) -> Vec<Property> {
        self.content.read().properties.clone()
    }

    /// Adds a forward hook (or pre-hook) by the name of its function.
    pub fn add_hook(&self, function: &str, before: bool) {
        let mut content = self.content.write();
        let list = if before {
            &mut content.pre_hooks
        } else {
            &mut content.hooks
        };
        list.push(function.into());
    }

    /// The names of hook functions run before (or after) forward.
    pub fn hooks(&self, before: bool) -> Vec<Arc<str>> {
        let content = self.content.read();
        if before {
            content.pre_hooks.clone()
        } else {
            content.hooks.clone()
        }
    }

    /// The doc string.
    pub fn doc(&self) -> Option<Arc<str>> {
        self.content.read().doc.clone()
    }

    /// Sets the doc string.
    pub fn set_doc(&self, doc: &str) {
        self.content.write().doc = Some(doc.into());
    }
}

impl PartialEq for ClassType {
    fn eq(&self, other: &ClassType) -> bool {
        std::ptr::eq(self, other)
    }
}

impl fmt::Debug for ClassType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "class {}", self.name)
    }
}

/// An interface: method schemas that a class must have. The schemas include `self`.
pub struct InterfaceType {
    pub name: Arc<str>,
    pub is_module: bool,
    methods: RwLock<Arc<[Arc<Schema>]>>,
}

impl InterfaceType {
    /// An interface whose methods are filled in by [`InterfaceType::define`].
    pub fn new(qualified_name: &str, is_module: bool) -> Arc<InterfaceType> {
        Arc::new(InterfaceType {
            name: qualified_name.into(),
            is_module,
            methods: RwLock::new(Arc::default()),
        })
    }

    /// Sets the methods.
    pub fn define(&self, methods: Vec<Arc<Schema>>) {
        *self.methods.write() = methods.into();
    }

    /// Forgets the methods of an interface that only they refer to any more: what they take is the interface itself, which
    /// would keep it for good. The handle that is given is the only other one then.
    pub fn forget_methods_of(interface: &Arc<InterfaceType>) {
        let is_self = |ty: &Type| matches!(ty, Type::Interface(i) if Arc::ptr_eq(i, interface));
        let methods = interface.methods();
        let own = methods.iter().flat_map(|m| &m.arguments);
        let own = own.filter(|argument| is_self(&argument.ty)).count();
        if Arc::strong_count(interface) == 1 + own {
            interface.define(Vec::new());
        }
    }

    /// What a class lacks of the interface, as messages say it; nothing where it has all.
    pub fn lacking(&self, class: &Arc<ClassType>) -> Option<String> {
        let shown = Type::Class(class.clone()).message_form();
        if self.is_module && !class.is_module() {
            return Some(format!(
                "Class '{shown}' is not a subtype of the module interface '{}' , only ScriptModule class can be subtype of module interface.\n",
                self.name
            ));
        }
        self.methods().iter().find_map(|wanted| {
            let Some(method) = class.method(&wanted.name) else {
                return Some(format!(
                    "Class '{shown}' does not have method '{}' but '{}' does.\n",
                    wanted.name, self.name
                ));
            };
            let schema = method.schema?;
            (!schema.is_subtype_method_of(wanted)).then(|| {
                format!(
                    "Method on class '{shown}' (1) is not compatible with interface '{}' (2)\n  (1) {schema}\n  (2) {wanted}\n",
                    self.name
                )
            })
        })
    }

    /// What another interface lacks of this one; nothing where it has all.
    pub fn lacking_in(&self, other: &InterfaceType) -> Option<String> {
        let (name, shown) = (&self.name, &other.name);
        self.methods().iter().find_map(|wanted| {
            let method = &wanted.name;
            let Some(schema) = other.method(method) else {
                return Some(format!(
                    "Interface '{shown}' does not have method '{method}' but interface '{name}' does.\n"
                ));
            };
            (!schema.is_subtype_method_of(wanted)).then(|| {
                format!(
                    "Method on interface '{shown}' (1) is not compatible with interface '{name}' (2)\n  (1) {schema}\n  (2) {wanted}\n"
                )
            })
        })
    }

    /// Why an object of a class is none of the interface.
    pub fn refusal(&self, class: &Arc<ClassType>) -> String {
        format!(
            "Object of type {} is not compatible with interface {}\n{}",
            Type::Class(class.clone()).message_form(),
            self.name,
            self.lacking(class).unwrap_or_default()
        )
    }

    /// The method schemas, named without qualification.
    pub fn methods(&self) -> Arc<[Arc<Schema>]> {
        self.methods.read().clone()
    }

    /// A method by name.
    pub fn method(&self, name: &str) -> Option<Arc<Schema>> {
        self.methods().iter().find(|m| &*m.name == name).cloned()
    }
}

impl PartialEq for InterfaceType {
    fn eq(&self, other: &InterfaceType) -> bool {
        std::ptr::eq(self, other)
    }
}

/// An enum: its qualified name, the type of the values, and the members in order.
pub struct EnumType {
    pub name: Arc<str>,
    pub value_type: Type,
    pub members: Vec<(Arc<str>, Value)>,
}

impl PartialEq for EnumType {
    fn eq(&self, other: &EnumType) -> bool {
        std::ptr::eq(self, other) || self.name == other.name
    }
}
