//! Module lists and dictionaries inside scripts: their parts are known, so loops unroll and indices pick.

use super::concrete::{Container, Part};
use super::value::ModuleValue;
use crate::errors::module_problem;
use crate::typed_module::{NO_ITEMS, NO_ITERABLE};
use rushlight::Value;
use rushlight::frontend::script::{Arguments, Emitter};
use rushlight::frontend::sugared::iterable::Iteration;
use rushlight::frontend::sugared::{SugaredValue, picking, sequence::Parts};
use rushlight::frontend::{Outcome, Sugared};
use rushlight::ir::ValueId;
use rushlight::syntax::Span;
use rushlight::types::{AttributeKind, ClassType, Type};
use std::rc::Rc;
use std::sync::Arc;

/// The parts of a container in order.
pub fn parts(
    module: &ModuleValue,
    emitter: &mut Emitter<'_>,
    span: &Span,
) -> Outcome<Vec<Sugared>> {
    if module.part_names().is_none() {
        return Err(module_problem(NO_ITERABLE.into(), span));
    }
    let entries = entries(module, emitter, span)?;
    Ok(entries.into_iter().map(|(_, part)| part).collect())
}

/// The names and the parts of a container: who needs one has made all of them, as in the reference.
fn entries(
    module: &ModuleValue,
    emitter: &mut Emitter<'_>,
    span: &Span,
) -> Outcome<Vec<(Sugared, Sugared)>> {
    let names = module.part_names().unwrap_or_default();
    let entry = |name: &Rc<str>| {
        let key = Sugared::Value(emitter.unplaced_constant(Value::str(&**name)));
        if !holds_modules(module) {
            // The reference asks for parameters twice, which shows in the numbers of values.
            module.part(emitter, name, span)?;
        }
        Ok((key, module.part(emitter, name, span)?))
    };
    names.iter().map(entry).collect()
}

fn holds_modules(module: &ModuleValue) -> bool {
    matches!(
        module.concrete.facts.container,
        Container::List | Container::Dict
    )
}

fn keys(module: &ModuleValue, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Vec<Sugared>> {
    if holds_modules(module) {
        let entries = entries(module, emitter, span)?;
        return Ok(entries.into_iter().map(|(key, _)| key).collect());
    }
    let names = module.part_names().unwrap_or_default();
    let key = |name: &Rc<str>| Sugared::Value(emitter.constant(Value::str(&**name), span));
    Ok(names.iter().map(key).collect())
}

/// A part by its place: all are made.
fn picked(
    module: &ModuleValue,
    emitter: &mut Emitter<'_>,
    place: usize,
    span: &Span,
) -> Outcome<Sugared> {
    Ok(entries(module, emitter, span)?.swap_remove(place).1)
}

fn is_dict(module: &ModuleValue) -> bool {
    matches!(
        module.concrete.facts.container,
        Container::Dict | Container::ParameterDict
    )
}

/// Going over a container: dictionaries give their keys.
pub fn iterate(module: &ModuleValue, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Iteration> {
    if is_dict(module) {
        return keys(module, emitter, span).map(Iteration::Unrolled);
    }
    parts(module, emitter, span).map(Iteration::Unrolled)
}

/// `container[index]`; with a wanted interface the index may be any value.
pub fn subscript(
    module: &ModuleValue,
    emitter: &mut Emitter<'_>,
    index: ValueId,
    wanted: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let Some(names) = module.part_names() else {
        return Err(module_problem(NO_ITEMS.into(), span));
    };
    let known = emitter.graph.constant(index);
    let count = names.len() as i64;
    // What is known by an interface is taken by its place, also where that is known.
    let by_place = match &known {
        None => true,
        Some(Value::Int(at)) => !is_dict(module) && (-count..count).contains(at),
        Some(_) => false,
    };
    if let (true, Some(interface @ Type::Interface(_))) = (by_place, wanted) {
        check_parts(module, interface, span)?;
        let out = emitter.builtin("prim::ModuleContainerIndex", &[module.value, index], span)?;
        emitter.graph.set_type(out, interface.clone());
        let node = emitter.graph.value(out).node();
        emitter.graph.set_span(node, None);
        return Ok(Sugared::Value(out));
    }
    let names: Vec<&str> = names.iter().map(|name| &**name).collect();
    match picking::place(known.as_ref(), is_dict(module), Some(&names)) {
        Ok(Some(place)) => picked(module, emitter, place, span),
        Ok(None) => Err(module_problem(NO_ITEMS.into(), span)),
        Err(message) => Err(module_problem(message, span)),
    }
}

/// Any part may be picked, so all must have what the interface asks for.
fn check_parts(module: &ModuleValue, interface: &Type, span: &Span) -> Outcome<()> {
    for (name, part) in &module.concrete.shape.parts {
        if let Type::Class(class) = part.ty()
            && !part.ty().is_subtype_of(interface)
        {
            let message = format!(
                "Attribute {name} is not of annotated type {interface}: {}",
                lacking(&class, interface)
            );
            return Err(module_problem(message, span));
        }
    }
    Ok(())
}

/// What a class lacks of an interface, as a line.
fn lacking(class: &Arc<ClassType>, interface: &Type) -> String {
    match interface {
        Type::Interface(wanted) => wanted.lacking(class).unwrap_or_default(),
        _ => String::new(),
    }
}

/// `keys`, `values` and `items` of dictionaries; `children` and its like of every module.
pub fn method(module: &ModuleValue, name: &str) -> Option<Sugared> {
    let which = match name {
        "keys" if is_dict(module) => Which::Keys,
        "values" if is_dict(module) => Which::Values,
        "items" if is_dict(module) => Which::Items,
        "children" => Which::Children { named: false },
        "named_children" => Which::Children { named: true },
        "modules" => Which::Modules { named: false },
        "named_modules" => Which::Modules { named: true },
        "named_buffers" => Which::Buffers,
        _ => return None,
    };
    Some(Sugared::special(PartsMethod {
        module: module.again(),
        which,
    }))
}

#[derive(Clone, Copy)]
enum Which {
    Keys,
    Values,
    Items,
    Children { named: bool },
    Modules { named: bool },
    Buffers,
}

/// A module of a tree, with its path.
struct Named {
    path: String,
    value: Sugared,
}

/// The submodules of a module, or the whole tree under it.
fn submodules(
    module: &ModuleValue,
    emitter: &mut Emitter<'_>,
    prefix: &str,
    whole: bool,
    span: &Span,
) -> Outcome<Vec<Named>> {
    let mut out = Vec::new();
    for (name, part) in &module.concrete.shape.parts {
        let concrete = match part {
            Part::Module(concrete) => concrete,
            Part::Interface(_) if whole => {
                let message = "Could not compile modules() because module is an interface type. Please file issue.";
                return Err(module_problem(message.into(), span));
            }
            Part::Interface(_) => {
                out.push(Named {
                    path: format!("{prefix}{name}"),
                    value: Sugared::Value(module.value).attribute(emitter, name, span)?,
                });
                continue;
            }
            Part::Loaded(class) => {
                let path = format!("{prefix}{name}");
                let value = module.part(emitter, name, span)?;
                out.push(Named {
                    path: path.clone(),
                    value: value.clone(),
                });
                if whole {
                    loaded_parts(&[class], &value, &path, emitter, span, &mut out)?;
                }
                continue;
            }
        };
        let value = Sugared::Value(module.value)
            .attribute(emitter, name, span)?
            .as_value(emitter, span)?;
        let inner = ModuleValue {
            value,
            concrete: concrete.clone(),
        };
        let path = format!("{prefix}{name}");
        out.push(Named {
            path: path.clone(),
            value: Sugared::special(inner.again()),
        });
        if whole {
            out.extend(submodules(
                &inner,
                emitter,
                &format!("{path}."),
                true,
                span,
            )?);
        }
    }
    Ok(out)
}

/// The tree under a module of which nothing but its type is known: the last of `classes`, those above it before it. No module
/// has itself as a part, whatever an archive says.
fn loaded_parts(
    classes: &[&ClassType],
    module: &Sugared,
    path: &str,
    emitter: &mut Emitter<'_>,
    span: &Span,
    out: &mut Vec<Named>,
) -> Outcome<()> {
    let attributes = classes.last().map(|class| class.attributes());
    for attribute in attributes.into_iter().flatten() {
        let Type::Class(part) = &attribute.ty else {
            continue;
        };
        if !part.is_module() {
            continue;
        }
        let path = format!("{path}.{}", attribute.name);
        if classes.iter().any(|class| **class == **part) {
            let message = format!("'{path}' is a module that would have itself as a part");
            return Err(module_problem(message, span));
        }
        let value = module.attribute(emitter, &attribute.name, span)?;
        out.push(Named {
            path: path.clone(),
            value: value.clone(),
        });
        let classes = [classes, &[part]].concat();
        loaded_parts(&classes, &value, &path, emitter, span, out)?;
    }
    Ok(())
}

fn buffers(module: &ModuleValue, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Vec<Named>> {
    let slots = module.concrete.shape.slots.iter();
    slots
        .filter(|slot| slot.kind == AttributeKind::Buffer)
        .map(|slot| {
            Ok(Named {
                path: slot.name.to_string(),
                value: Sugared::Value(module.value).attribute(emitter, &slot.name, span)?,
            })
        })
        .collect()
}

/// Values alone, or pairs of names and values.
fn listed(found: Vec<Named>, named: bool, emitter: &mut Emitter<'_>) -> Vec<Sugared> {
    let one = |each: Named| match named {
        false => each.value,
        true => {
            let name = Sugared::Value(emitter.unplaced_constant(Value::str(&*each.path)));
            Sugared::special(Parts(vec![name, each.value]))
        }
    };
    found.into_iter().map(one).collect()
}

struct PartsMethod {
    module: ModuleValue,
    which: Which,
}

impl SugaredValue for PartsMethod {
    fn describe(&self) -> String {
        "method".to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        _arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let module = &self.module;
        let out = match self.which {
            Which::Keys => keys(module, emitter, span)?,
            Which::Values => parts(module, emitter, span)?,
            Which::Items => {
                let pairs = match holds_modules(module) {
                    true => entries(module, emitter, span)?,
                    false => {
                        let keys = keys(module, emitter, span)?;
                        keys.into_iter()
                            .zip(parts(module, emitter, span)?)
                            .collect()
                    }
                };
                let pair = |(k, v)| Sugared::special(Parts(vec![k, v]));
                pairs.into_iter().map(pair).collect()
            }
            Which::Children { named } => {
                let found = submodules(module, emitter, "", false, span)?;
                listed(found, named, emitter)
            }
            Which::Modules { named } => {
                let mut found = vec![Named {
                    path: String::new(),
                    value: Sugared::special(module.again()),
                }];
                found.extend(submodules(module, emitter, "", true, span)?);
                listed(found, named, emitter)
            }
            Which::Buffers => {
                let found = buffers(module, emitter, span)?;
                listed(found, true, emitter)
            }
        };
        Ok(Sugared::special(Parts(out)))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
