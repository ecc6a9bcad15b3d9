//! The frozen module: classes that hold only what is still read or written, and their objects.

use super::mutation::Place;
use super::objects::{Objects, body, each_body, with_bodies};
use super::{MAX_DEPTH, Method};
use crate::{Graph, Prim, Unit};
use rushlight_types::{ClassType, Object, Result, Schema, Type, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// The names that are still used of each object.
type Used = HashMap<usize, HashSet<String>>;

struct Rebuild<'a> {
    unit: &'a Unit,
    /// The name of the new class by the old one, until it is taken. All classes have one, as in the reference.
    names: HashMap<usize, String>,
    used: Used,
    made: BTreeMap<usize, Arc<Object>>,
}

/// Makes the frozen module with its methods.
pub(super) fn rebuild(
    module: &Arc<Object>,
    unit: &Arc<Unit>,
    methods: Vec<Method>,
    preserved: &HashSet<String>,
    written: &HashSet<Place>,
) -> Result<Arc<Object>> {
    let mut used = Used::new();
    for method in &methods {
        for (graph, objects) in with_bodies(&method.graph, &method.owner) {
            note(graph, &objects, &mut used);
        }
    }
    note_preserved(module, preserved, &mut used);
    // What the methods may write stays with the module itself, also where no path leads there any more.
    let own = written
        .iter()
        .filter(|place| place.0 == Arc::as_ptr(module) as usize);
    for (object, name) in own {
        used.entry(*object).or_default().insert(name.clone());
    }
    let mut names = HashMap::new();
    name_classes(unit, module, &mut names, 0);
    let mut rebuild = Rebuild {
        unit,
        names,
        used,
        made: BTreeMap::new(),
    };
    let frozen = rebuild.object(module);
    for method in methods {
        rebuild.method(method);
    }
    Ok(frozen)
}

fn note(graph: &Graph, objects: &Objects, used: &mut Used) {
    for id in graph.all_nodes() {
        let node = graph.node(id);
        for (owner, name) in objects.read(node).into_iter().chain(objects.write(node)) {
            used.entry(owner.id()).or_default().insert(name.to_string());
        }
        // An object that something other than its attributes is asked of stays whole.
        if !node.is(Prim::GetAttr) && !node.is(Prim::SetAttr) && body(node).is_none() {
            for &input in node.inputs() {
                if let Some(known) = objects.get(input) {
                    keep_whole(&known.object, used, 0);
                }
            }
        }
    }
}

fn keep_whole(object: &Arc<Object>, used: &mut Used, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    for attribute in object.class().attributes() {
        used.entry(Arc::as_ptr(object) as usize)
            .or_default()
            .insert(attribute.name.to_string());
        if let Some(Value::Object(inner)) = object.get(&attribute.name) {
            keep_whole(&inner, used, depth + 1);
        }
    }
}

/// Notes what is to be preserved. Objects of the same class that stay keep the same attributes.
fn note_preserved(module: &Arc<Object>, preserved: &HashSet<String>, used: &mut Used) {
    let mut more = Used::new();
    for path in preserved {
        note_path(module, path, &mut more);
    }
    let mut classes = HashMap::new();
    classes_of(module, &mut classes, 0);
    let of_classes: Vec<_> = more
        .iter()
        .filter_map(|(object, names)| Some((*classes.get(object)?, names.clone())))
        .collect();
    for (object, names) in used.iter_mut() {
        let own = classes.get(object);
        let alike = of_classes.iter().filter(|(class, _)| Some(class) == own);
        names.extend(alike.flat_map(|(_, names)| names.iter().cloned()));
    }
    for (object, names) in more {
        used.entry(object).or_default().extend(names);
    }
}

/// The class of each module, by identity.
fn classes_of(object: &Arc<Object>, found: &mut HashMap<usize, usize>, depth: usize) {
    let class = object.class();
    let known = found.insert(Arc::as_ptr(object) as usize, Arc::as_ptr(class) as usize);
    if known.is_some() || depth > MAX_DEPTH {
        return;
    }
    for attribute in class.attributes() {
        if let Some(Value::Object(inner)) = object.get(&attribute.name)
            && inner.class().is_module()
        {
            classes_of(&inner, found, depth + 1);
        }
    }
}

fn note_path(object: &Arc<Object>, path: &str, used: &mut Used) {
    let (first, rest) = path
        .split_once('.')
        .map_or((path, None), |(a, b)| (a, Some(b)));
    let Some(value) = object.get(first) else {
        return;
    };
    used.entry(Arc::as_ptr(object) as usize)
        .or_default()
        .insert(first.to_string());
    match (value, rest) {
        (Value::Object(inner), Some(rest)) => note_path(&inner, rest, used),
        (Value::Object(inner), None) => keep_whole(&inner, used, 0),
        _ => {}
    }
}

fn name_classes(
    unit: &Unit,
    object: &Arc<Object>,
    names: &mut HashMap<usize, String>,
    depth: usize,
) {
    let class = object.class();
    let key = Arc::as_ptr(class) as usize;
    if depth > MAX_DEPTH || names.contains_key(&key) {
        return;
    }
    names.insert(key, unit.free_name(class.name()));
    for attribute in class.attributes() {
        if let Some(Value::Object(inner)) = object.get(&attribute.name)
            && inner.class().is_module()
        {
            name_classes(unit, &inner, names, depth + 1);
        }
    }
}

impl Rebuild<'_> {
    /// The object with the attributes that are still used; the same origin gives the same object.
    fn object(&mut self, origin: &Arc<Object>) -> Arc<Object> {
        let id = Arc::as_ptr(origin) as usize;
        if let Some(made) = self.made.get(&id) {
            return made.clone();
        }
        let names = self.used.get(&id).cloned().unwrap_or_default();
        let name = self.names.remove(&(Arc::as_ptr(origin.class()) as usize));
        let name = name.unwrap_or_else(|| self.unit.free_name(origin.class().name()));
        let class = ClassType::new(&name, true);
        let mut values = Vec::new();
        for attribute in origin.class().attributes() {
            if !names.contains(&*attribute.name) {
                continue;
            }
            let value = match origin.get(&attribute.name) {
                Some(Value::Object(inner)) if inner.class().is_module() => {
                    Value::Object(self.object(&inner))
                }
                other => other.unwrap_or_default(),
            };
            let ty = match (&attribute.ty, &value) {
                (Type::Class(c), Value::Object(o)) if c.is_module() => {
                    Type::Class(o.class().clone())
                }
                (Type::Interface(_), Value::Object(o)) => Type::Class(o.class().clone()),
                (ty, _) => ty.clone(),
            };
            class.add_attribute(&attribute.name, ty, attribute.kind);
            values.push(value);
        }
        for (name, value) in origin.class().constants() {
            class.add_constant(&name, value);
        }
        self.unit.add_type(&name, Type::Class(class.clone()));
        let made = Object::new(class);
        for (i, value) in values.into_iter().enumerate() {
            made.set_slot(i, value);
        }
        self.made.insert(id, made.clone());
        made
    }

    fn method(&mut self, mut method: Method) {
        let Some(frozen) = self.made.get(&method.owner.id()).cloned() else {
            return;
        };
        let objects = Objects::of(&method.graph, &method.owner);
        self.name_types(&mut method.graph, &objects);
        let class = frozen.class();
        let mut schema: Schema = (*method.schema).clone();
        if let Some(this) = schema.arguments.first_mut() {
            this.ty = Type::Class(class.clone());
        }
        let qualified = format!("{}.{}", class.name(), method.name);
        let function = self.unit.declare(&qualified, Some(class.clone()));
        function.set_schema(schema);
        function.set_graph(method.graph);
        class.add_method(&method.name, function.known_schema());
    }

    /// Gives the modules of a graph, and of those that its nodes run, their new types.
    fn name_types(&self, graph: &mut Graph, objects: &Objects) {
        each_body(graph, objects, &mut |body, objects| {
            self.name_types(body, objects);
        });
        for (value, known) in objects.iter() {
            if let Some(made) = self.made.get(&known.id()) {
                graph.set_type(value, Type::Class(made.class().clone()));
            }
        }
    }
}
