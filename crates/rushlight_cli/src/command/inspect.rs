//! `rushlight inspect`: what a file is, what it holds, what it needs.

use super::about;
use crate::{Done, Failure, files};
use rushlight::Module;
use rushlight::archive::identify::identify;
use rushlight::types::{AttributeKind, Callable, Value};
use rushlight_view::contents::{self, children, count, frozen, inputs};
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// What stands below the options in the help.
pub const HELP: &str = "\
Examples:
  rushlight inspect model.pt
  rushlight inspect model.pt --json        for programs
  rushlight inspect weights.bin            what it is, and what to do with it

Exit status: 0 where the file is a model, 1 where it is anything else.";

/// States of more parts are shown by their type.
const MOST_PARTS: usize = 32;

/// Says what the file is; for archives, everything that is in it.
pub fn run(file: &Path, as_json: bool, out: &mut dyn Write) -> Done {
    let bytes = files::read(file).map_err(|e| about(file, e))?;
    let size = bytes.len();
    let kind = identify(&bytes);
    if as_json {
        let mut fields = Map::new();
        fields.insert("file".into(), files::shown(file).into());
        fields.insert("kind".into(), kind.describe().to_string().into());
        fields.insert("bytes".into(), size.into());
        if !kind.is_loadable() {
            writeln!(out, "{}", Json::Object(fields))?;
            return Err(Failure(kind.advice().into()));
        }
        fields.extend(contents::fields(&super::examine_bytes(file, bytes)?));
        writeln!(out, "{}", Json::Object(fields))?;
        return Ok(());
    }
    writeln!(
        out,
        "{}: {} ({})",
        files::shown(file),
        kind.describe(),
        human(size)
    )?;
    if !kind.is_loadable() {
        return Err(Failure(kind.advice().into()));
    }
    let module = super::examine_bytes(file, bytes)?;
    writeln!(out, "file format version {}", module.loaded().version)?;
    modules(&module, out)?;
    methods(&module, out)?;
    arguments(&module, out)?;
    operators(&module, out)?;
    let remarks = frozen::remarks(&module);
    if !remarks.is_empty() {
        writeln!(out, "\nFixed in the code")?;
    }
    for remark in remarks {
        writeln!(out, "  {remark}")?;
    }
    Ok(())
}

/// 1234567 as `1.2 MB`.
pub fn human(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

fn modules(module: &Module, out: &mut dyn Write) -> Done {
    let states = (module.loaded().kept.as_ref()).map_or_else(Default::default, |k| k.by_address());
    writeln!(out, "\nModules")?;
    let mut pending = vec![(String::new(), module.object().clone(), 0usize)];
    let (mut numbers, mut bytes) = (0usize, 0usize);
    let mut shown = HashSet::new();
    while let Some((name, object, depth)) = pending.pop() {
        let label = if name.is_empty() {
            "(root)"
        } else {
            name.rsplit('.').next().unwrap_or(&name)
        };
        let is_new = shown.insert(Arc::as_ptr(&object) as usize);
        writeln!(
            out,
            "  {}{label}: {}{}",
            "  ".repeat(depth),
            object.class().basename(),
            if is_new { "" } else { " (shown above)" }
        )?;
        if !is_new {
            continue;
        }
        for attribute in object.class().attributes() {
            if let (Some(Value::Tensor(t)), true) = (
                object.get(&attribute.name),
                attribute.kind != AttributeKind::Plain || attribute.ty.is_tensor(),
            ) {
                let kind = match attribute.kind {
                    AttributeKind::Parameter => "parameter",
                    AttributeKind::Buffer => "buffer",
                    AttributeKind::Plain => "tensor",
                };
                writeln!(
                    out,
                    "  {}  {} {kind} {} {:?}",
                    "  ".repeat(depth),
                    attribute.name,
                    t.dtype().name(),
                    t.sizes()
                )?;
                numbers += t.numel();
                bytes += t.numel() * t.dtype().size();
            }
        }
        if let Some(state) = states.get(&(Arc::as_ptr(&object) as usize)) {
            writeln!(
                out,
                "  {}  its state, for __setstate__: {}",
                "  ".repeat(depth),
                state_text(state)
            )?;
        }
        for (child, inner) in children(&object).into_iter().rev() {
            pending.push((format!("{name}.{child}"), inner, depth + 1));
        }
    }
    writeln!(out, "  {numbers} numbers in tensors, {}", human(bytes))?;
    Ok(())
}

/// What of a state is worth a line: its tensors, and the kinds of all else.
fn state_text(state: &Value) -> String {
    let part = |value: &Value| match value {
        Value::Tensor(t) => format!("{} {:?}", t.dtype().name(), t.sizes()),
        other => other.type_of().annotation(),
    };
    match state {
        Value::Tuple(tuple) if tuple.items.len() <= MOST_PARTS => {
            let parts: Vec<String> = tuple.items.iter().map(part).collect();
            format!("({})", parts.join(", "))
        }
        other => part(other),
    }
}

fn methods(module: &Module, out: &mut dyn Write) -> Done {
    writeln!(out, "\nMethods")?;
    for method in module.object().class().methods() {
        match module.loaded().unit.function(&method.qualified) {
            Some(function) => writeln!(out, "  {}", function.schema())?,
            None => writeln!(out, "  {} (cannot be compiled)", method.name)?,
        }
    }
    Ok(())
}

/// What `forward` takes, where the code tells more than the types.
fn arguments(module: &Module, out: &mut dyn Write) -> Done {
    let inputs = inputs::of(module);
    if inputs.iter().all(|input| input.layer.is_none()) {
        return Ok(());
    }
    writeln!(out, "\nInputs of forward")?;
    for input in inputs {
        let (name, ty) = (&input.name, &input.ty);
        match &input.layer {
            Some(inputs::Layer { path, dtype, shape }) => {
                let user = match path.as_str() {
                    "" => String::new(),
                    path => format!(", for {path}"),
                };
                writeln!(out, "  {name}: {} {shape}{user}", dtype.name())?;
            }
            None => writeln!(out, "  {name}: {ty}")?,
        }
    }
    Ok(())
}

fn operators(module: &Module, out: &mut dyn Write) -> Done {
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    let mut missing: BTreeSet<String> = BTreeSet::new();
    for function in module.loaded().unit.functions() {
        missing.extend(count(&function, &mut used));
    }
    missing.extend(
        module
            .loaded()
            .missing
            .iter()
            .map(|(_, d)| d.message.trim().lines().next().unwrap_or("").to_string()),
    );
    writeln!(out, "\nOperators")?;
    for (name, count) in &used {
        writeln!(out, "  {name} x{count}")?;
    }
    if missing.is_empty() {
        writeln!(out, "\nEverything that the file uses is there.")?;
    } else {
        writeln!(out, "\nMissing (fails when it is reached)")?;
        for name in missing {
            writeln!(out, "  {name}")?;
        }
    }
    Ok(())
}
