//! Functions as a module: archives hold modules, so saved functions become methods of one.

use rushlight_ir::{Function, Unit};
use rushlight_types::{Argument, AttributeKind, ClassType, Object, Schema, Type, Value};
use std::sync::Arc;

/// The class that PyTorch makes for saved functions.
const CLASS: &str = "__torch__.PlaceholderModule";

/// A module whose methods are the given compiled functions. Functions that have not been compiled are left out.
pub fn module_of(unit: &Arc<Unit>, methods: &[(&str, Arc<Function>)]) -> Arc<Object> {
    let class = ClassType::new(&unit.free_name(CLASS), true);
    class.add_attribute("training", Type::Bool, AttributeKind::Plain);
    unit.add_type(class.name(), Type::Class(class.clone()));
    for (name, function) in methods {
        let (Some(graph), Some(schema)) = (function.graph(), function.known_schema()) else {
            continue;
        };
        let method = unit.declare(&format!("{}.{name}", class.name()), Some(class.clone()));
        let mut graph = (*graph).clone();
        let top = graph.top();
        let this = graph.insert_param(top, 0, Type::Class(class.clone()));
        graph.set_name(this, "self");
        let mut arguments = vec![Argument::new("self", Type::Class(class.clone()))];
        // Defaults are lost, as in the reference.
        let required = schema.arguments.iter().cloned();
        arguments.extend(required.map(|argument| Argument {
            default: None,
            ..argument
        }));
        let schema = Schema::new(name, arguments, schema.returns.clone());
        class.add_method(name, Some(Arc::new(schema.clone())));
        method.set_schema(schema);
        method.set_graph(graph);
    }
    let object = Object::new(class);
    object.set("training", Value::Bool(true));
    object
}

/// Takes a module made by [`module_of`] out of its unit again.
pub fn forget_module(unit: &Unit, module: &Object) {
    let class = module.class();
    for method in class.methods() {
        unit.remove(&method.qualified);
    }
    unit.remove_type(class.name());
}
