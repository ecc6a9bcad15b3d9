//! From the described tree of modules to classes and objects.

use super::layout::{Attribute, Module};
use super::{in_attributes, in_description};
use crate::LoadError;
use crate::code::Importer;
use crate::code::print::names::sanitized;
use crate::module::value::Unpickler;
use crate::pickle::NodeId;
use crate::zip::Archive;
use rushlight_tensor::Tensor;
use rushlight_types::{AttributeKind, ClassType, Object, Type, Value};
use std::rc::Rc;
use std::sync::Arc;

/// Makes the modules of one archive.
pub(super) struct Builder<'b> {
    archive: &'b Archive,
    importer: &'b Rc<Importer>,
    tensors: &'b [Tensor],
    /// The pickled attributes: what reads them, and their places.
    pickled: Option<(Unpickler<'b>, Vec<NodeId>)>,
}

impl<'b> Builder<'b> {
    pub fn new(
        archive: &'b Archive,
        importer: &'b Rc<Importer>,
        tensors: &'b [Tensor],
        attributes: Option<Unpickler<'b>>,
    ) -> Builder<'b> {
        let pickled = attributes.map(|reader| {
            let pickle = reader.pickle();
            let root = pickle.root();
            let items = pickle.as_tuple(root).or_else(|| pickle.as_list(root));
            (reader, items.unwrap_or_default().to_vec())
        });
        Builder {
            archive,
            importer,
            tensors,
            pickled,
        }
    }

    /// The module of the whole archive.
    pub fn root(&mut self, module: &Module) -> Result<Arc<Object>, LoadError> {
        self.module(module, "__torch__")
    }

    /// Makes what a module holds first and its methods last: they may name any of it.
    fn module(&mut self, module: &Module, path: &str) -> Result<Arc<Object>, LoadError> {
        let path = format!("{path}.{}", sanitized(&module.name));
        let unit = &self.importer.compiler().unit;
        let class = ClassType::new(&unit.free_name(&path), true);
        unit.add_type(class.name(), Type::Class(class.clone()));
        let mut values = Vec::new();
        for inner in &module.submodules {
            let object = self.module(inner, &path)?;
            let ty = Type::Class(object.class().clone());
            class.add_attribute(&inner.name, ty, AttributeKind::Plain);
            values.push(Value::Object(object));
        }
        for parameter in &module.parameters {
            let tensor = self.tensors.get(parameter.tensor).ok_or_else(|| {
                let name = &parameter.name;
                in_description(format!("`{name}` is a tensor that is not there"))
            })?;
            let kind = match parameter.is_buffer {
                true => AttributeKind::Buffer,
                false => AttributeKind::Parameter,
            };
            class.add_attribute(&parameter.name, Type::TENSOR, kind);
            values.push(Value::Tensor(tensor.clone()));
        }
        for attribute in &module.attributes {
            let (ty, value) = self.attribute(attribute)?;
            class.add_attribute(&attribute.name, ty, AttributeKind::Plain);
            values.push(value);
        }
        let object = Object::new(class.clone());
        for (slot, value) in values.into_iter().enumerate() {
            if slot >= class.attribute_count() {
                let name = class.name();
                return Err(in_description(format!(
                    "{name} has two attributes of one name"
                )));
            }
            object.set_slot(slot, value);
        }
        self.methods(module, &class)?;
        self.restore(module, object)
    }

    /// An attribute's type and value. One without a value is optional.
    fn attribute(&mut self, attribute: &Attribute) -> Result<(Type, Value), LoadError> {
        let ty = self
            .importer
            .parse_type(&attribute.ty)
            .map_err(|problem| LoadError::Code(vec![*problem]))?;
        let Some(index) = attribute.index else {
            return Ok((ty, Value::None));
        };
        let name = &attribute.name;
        let Some((reader, items)) = &mut self.pickled else {
            return Err(in_description(format!(
                "the attribute `{name}` has no value"
            )));
        };
        let id = items
            .get(index)
            .ok_or_else(|| in_attributes(format!("`{name}` is not there")))?;
        let value = reader.value(*id, Some(&ty)).map_err(in_attributes)?;
        if !value.is_instance(&ty) {
            return Err(in_attributes(format!("`{name}` is no {ty}")));
        }
        Ok((ty, value))
    }

    fn methods(&self, module: &Module, class: &Arc<ClassType>) -> Result<(), LoadError> {
        let Some(record) = &module.code else {
            return Ok(());
        };
        if !self.archive.contains(record) {
            return Err(in_description(format!("the code {record} is not there")));
        }
        self.importer
            .declare_methods(record, module.ranges.as_deref(), class)
            .map_err(|problem| LoadError::Code(vec![*problem]))
    }

    /// Hands a module that saved a state of its own that state back.
    fn restore(&mut self, module: &Module, object: Arc<Object>) -> Result<Arc<Object>, LoadError> {
        let (Some(index), Some((reader, items))) = (module.state, &mut self.pickled) else {
            return Ok(object);
        };
        let state = items
            .get(index)
            .ok_or_else(|| in_attributes("a module's state is not there"))?;
        match reader.set_state(object, *state).map_err(in_attributes)? {
            Value::Object(object) => Ok(object),
            _ => Err(in_attributes("a module's state made no module")),
        }
    }
}
