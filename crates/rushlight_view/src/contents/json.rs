//! What a file is, for programs.

use super::{children, count, frozen, inputs};
use rushlight::Module;
use rushlight::types::{AttributeKind, Callable, Value};
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// Everything that an archive holds, as fields of an object.
pub fn fields(module: &Module) -> Map<String, Json> {
    let mut fields = Map::new();
    fields.insert("version".into(), module.loaded().version.into());
    fields.insert("modules".into(), modules(module));
    let methods = module.object().class().methods();
    let methods = methods.iter().map(|method| {
        let function = module.loaded().unit.function(&method.qualified);
        let schema = function.map(|function| function.schema().to_string());
        json!({"name": &*method.name, "schema": schema})
    });
    fields.insert("methods".into(), methods.collect());
    let inputs = inputs::of(module);
    let inputs = inputs.iter().map(|input| match &input.layer {
        Some(layer) => json!({
            "name": input.name,
            "type": input.ty,
            "dtype": layer.dtype.name(),
            "shape": layer.shape,
            "layer": layer.path,
        }),
        None => json!({"name": input.name, "type": input.ty}),
    });
    fields.insert("inputs".into(), inputs.collect());
    let mut used = BTreeMap::new();
    let mut missing = BTreeSet::new();
    for function in module.loaded().unit.functions() {
        missing.extend(count(&function, &mut used));
    }
    let lost = module.loaded().missing.iter();
    missing.extend(lost.map(|(_, d)| d.message.trim().lines().next().unwrap_or("").to_string()));
    fields.insert("operators".into(), json!(used));
    fields.insert("missing".into(), json!(missing));
    fields.insert("fixed".into(), json!(frozen::remarks(module)));
    let extra = module.loaded().extra.iter();
    let extra: Vec<Json> = extra
        .map(|(name, bytes)| json!({"name": name, "bytes": bytes.len()}))
        .collect();
    fields.insert("extra_files".into(), extra.into());
    fields
}

/// Modules in their order, each once, with their tensors.
fn modules(module: &Module) -> Json {
    let mut out = Vec::new();
    let mut seen = HashSet::new();
    let mut pending = vec![(String::new(), module.object().clone())];
    while let Some((path, object)) = pending.pop() {
        if !seen.insert(Arc::as_ptr(&object) as usize) {
            continue;
        }
        let class = object.class();
        let mut tensors = Vec::new();
        for (slot, attribute) in class.attributes().iter().enumerate() {
            if let Value::Tensor(tensor) = object.slot(slot) {
                let kind = match attribute.kind {
                    AttributeKind::Parameter => "parameter",
                    AttributeKind::Buffer => "buffer",
                    AttributeKind::Plain => "tensor",
                };
                tensors.push(json!({
                    "name": &*attribute.name,
                    "kind": kind,
                    "dtype": tensor.dtype().name(),
                    "shape": tensor.sizes(),
                }));
            }
        }
        out.push(json!({"path": path, "class": class.basename(), "tensors": tensors}));
        for (child, inner) in children(&object).into_iter().rev() {
            let path = match path.is_empty() {
                true => child,
                false => format!("{path}.{child}"),
            };
            pending.push((path, inner));
        }
    }
    out.into()
}
