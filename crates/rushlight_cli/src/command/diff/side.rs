//! What one of two files has: code by method, operators, attributes by path.

use super::super::{Opened, open};
use crate::{Done, show};
use rushlight::ir::Function;
use rushlight::types::{AttributeKind, Object};
use rushlight::{Module, Tensor, Value};
use rushlight_view::contents;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// An attribute, a constant of the code or a state.
pub struct Attribute {
    pub kind: &'static str,
    pub value: Value,
}

/// A file, taken apart.
#[derive(Default)]
pub struct Side {
    /// The code of functions and methods, under the path of the module that has them: `layer1.conv.forward`.
    pub code: Vec<(String, String)>,
    /// How often each operator stands in the graphs.
    pub operators: BTreeMap<String, usize>,
    pub attributes: Vec<(String, Attribute)>,
}

impl Side {
    /// Takes a file apart; none of its code runs.
    pub fn read(target: &str) -> Done<Side> {
        let mut side = Side::default();
        match open(target, super::super::examine)? {
            Opened::Archive(module) => side.add_module(&module)?,
            Opened::Script(script, wanted) => {
                for function in script.functions() {
                    if wanted.as_deref().is_none_or(|name| name == function.name()) {
                        side.add_code(function.name().to_string(), function.function());
                        contents::count(function.function(), &mut side.operators);
                    }
                }
            }
        }
        Ok(side)
    }

    fn add_module(&mut self, module: &Module) -> Done {
        let loaded = module.loaded();
        let states = (loaded.kept.as_ref()).map_or_else(HashMap::new, |k| {
            k.by_address().into_iter().collect::<HashMap<_, _>>()
        });
        let mut classes = HashSet::new();
        let mut seen = HashSet::new();
        let mut pending = vec![(String::new(), module.object().clone())];
        while let Some((path, object)) = pending.pop() {
            if !seen.insert(Arc::as_ptr(&object) as usize) {
                continue;
            }
            classes.insert(object.class().name().clone());
            for method in object.class().methods() {
                let name = format!("{path}{}", method.name);
                match loaded.unit.function(&method.qualified) {
                    Some(function) => self.add_code(name, &function),
                    None => self.code.push((name, "cannot be compiled\n".into())),
                }
            }
            if let Some(state) = states.get(&(Arc::as_ptr(&object) as usize)) {
                self.add(&format!("{path}(state)"), "state", state);
            }
            let mut inner = self.add_attributes(&path, &object);
            inner.reverse();
            pending.extend(inner);
        }
        for (name, bytes) in &loaded.extra {
            let value = match std::str::from_utf8(bytes) {
                Ok(text) => Value::str(text),
                Err(_) => Value::Tensor(Tensor::from_slice(bytes, &[bytes.len()])?),
            };
            self.add(&format!("extra/{name}"), "extra file", &value);
        }
        for function in loaded.unit.functions() {
            contents::count(&function, &mut self.operators);
            let name = function.qualified_name();
            let owner = name.rsplit_once('.').map_or("", |(owner, _)| owner);
            if !classes.contains(owner) {
                self.add_code(name.to_string(), &function);
            }
        }
        Ok(())
    }

    /// The modules among the attributes of one, which have attributes of their own.
    fn add_attributes(&mut self, path: &str, object: &Object) -> Vec<(String, Arc<Object>)> {
        let mut inner = Vec::new();
        for (slot, attribute) in object.class().attributes().iter().enumerate() {
            let name = format!("{path}{}", attribute.name);
            let kind = match attribute.kind {
                AttributeKind::Parameter => "parameter",
                AttributeKind::Buffer => "buffer",
                AttributeKind::Plain => "attribute",
            };
            match object.slot(slot) {
                Value::Object(object) => inner.push((format!("{name}."), object)),
                // What a state stands for.
                Value::Uninitialized => {}
                value => self.add(&name, kind, &value),
            }
        }
        inner
    }

    /// Adds a value, or the parts of one that has tensors or objects in it.
    fn add(&mut self, path: &str, kind: &'static str, value: &Value) {
        let mut seen = HashSet::new();
        let mut pending = vec![(path.to_string(), value.clone())];
        while let Some((path, value)) = pending.pop() {
            let mut parts = parts(&value, &mut seen);
            parts.reverse();
            if parts.is_empty() {
                self.attributes.push((path, Attribute { kind, value }));
                continue;
            }
            let parts = parts.into_iter();
            pending.extend(parts.map(|(name, part)| (format!("{path}{name}"), part)));
        }
    }

    /// Adds the code of a function, and the constants that it names.
    fn add_code(&mut self, name: String, function: &Function) {
        let (text, constants) = match rushlight::archive::code::function_code(function) {
            Ok(code) => code,
            Err(why) => (format!("cannot be shown: {why}\n"), Vec::new()),
        };
        for (i, constant) in constants.iter().enumerate() {
            self.add(&format!("{name}: CONSTANTS.c{i}"), "constant", constant);
        }
        self.code.push((plain(&name), plain(&text)));
    }
}

/// The parts of a value with what names each: none of what is compared as a whole, and of objects that were seen before.
fn parts(value: &Value, seen: &mut HashSet<usize>) -> Vec<(String, Value)> {
    let numbered = |items: Vec<Value>| {
        let holds = |v: &Value| v.any_tensor(|_| true) || matches!(v, Value::Object(_));
        let named = |(i, item)| (format!("[{i}]"), item);
        match items
            .iter()
            .any(|item| holds(item) || item.is_list() || matches!(item, Value::Tuple(_)))
        {
            true => items.into_iter().enumerate().map(named).collect(),
            false => Vec::new(),
        }
    };
    match value {
        Value::Tensor(tensor) => match tensor.quantizer() {
            Some(quantizer) => vec![
                ("(integers)".into(), Value::Tensor(tensor.stored())),
                ("(steps)".into(), Value::str(format!("{quantizer:?}"))),
            ],
            None => Vec::new(),
        },
        Value::Tuple(tuple) => numbered(tuple.items.to_vec()),
        Value::Dict(dict) => {
            let entries = dict.entries();
            let entries = entries.into_iter();
            entries
                .map(|(key, item)| (format!("[{}]", show::repr(&key)), item))
                .collect()
        }
        Value::Object(object) => match seen.insert(Arc::as_ptr(object) as usize) {
            true => {
                let attributes = object.class().attributes();
                let parts = attributes.iter().enumerate();
                parts
                    .map(|(slot, a)| (format!(".{}", a.name), object.slot(slot)))
                    .collect()
            }
            false => Vec::new(),
        },
        list if list.is_list() => numbered(list.list_items().unwrap_or_default()),
        _ => Vec::new(),
    }
}

/// Text without the numbers that tell classes of one name apart: they depend on what else was compiled before.
fn plain(text: &str) -> String {
    const MARK: &str = "___torch_mangle_";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(MARK) {
        out.push_str(&rest[..at]);
        let digits = rest[at + MARK.len()..].trim_start_matches(|c: char| c.is_ascii_digit());
        rest = digits.strip_prefix('.').unwrap_or(digits);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_of_classes_are_left_out() {
        let text = "__torch__.nn.___torch_mangle_12.Linear, ___torch_mangle_3";
        assert_eq!(super::plain(text), "__torch__.nn.Linear, ");
    }
}
