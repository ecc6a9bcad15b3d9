//! Definitions of script classes: attributes from `__init__`, methods, properties, constants.

use super::annotation::{ByResolver, annotation_type};
use super::condition::dotted;
use super::{Compiler, FunctionSource};
use crate::error::{problem, unsupported};
use crate::{Outcome, Resolver};
use rushlight_ir::Function;
use rushlight_syntax::tree::{ClassDef, Def, Expr, ExprKind, StmtKind};
use rushlight_types::{Argument, ClassType, Property, Schema, Type};
use std::rc::Rc;
use std::sync::Arc;

/// Fills a registered class from its definition and compiles its `__init__`, which declares the attributes.
pub fn declare_class(
    compiler: &Compiler,
    class: &Arc<ClassType>,
    definition: &ClassDef,
    resolver: &Rc<dyn Resolver>,
) -> Outcome<()> {
    if let Some(doc) = definition.docstring() {
        class.set_doc(doc);
    }
    let mut init = None;
    for statement in &definition.body {
        match &statement.kind {
            StmtKind::Def(def) => {
                let function = method(compiler, class, def, resolver)?;
                if &*def.name.name == "__init__" {
                    init = Some(function);
                }
            }
            StmtKind::Assign(assign) => {
                if let [
                    Expr {
                        kind: ExprKind::Name(name),
                        ..
                    },
                ] = assign.targets.as_slice()
                {
                    let value =
                        super::literal(&assign.value).or_else(|| resolver.constant(&assign.value));
                    match value {
                        Some(value) => class.add_constant(name, value),
                        None => {
                            return Err(problem(
                                "class-constant",
                                "class attributes must be constants",
                                &statement.span,
                            ));
                        }
                    }
                }
            }
            StmtKind::Pass | StmtKind::Expr(_) | StmtKind::AnnAssign { .. } => {}
            _ => {
                return Err(unsupported(
                    "only methods and constants are supported in class definitions",
                    &statement.span,
                ));
            }
        }
    }
    match init {
        Some(init) => compiler.compile(&init).map(drop),
        None => Ok(()),
    }
}

/// The methods that an interface definition asks for.
pub fn interface_methods(
    interface: &Type,
    definition: &ClassDef,
    resolver: &Rc<dyn Resolver>,
) -> Outcome<Vec<Arc<Schema>>> {
    let names = ByResolver(&**resolver);
    let mut methods = Vec::new();
    for statement in &definition.body {
        let StmtKind::Def(def) = &statement.kind else {
            continue;
        };
        let mut arguments = Vec::new();
        for (i, param) in def.params.0.iter().enumerate() {
            let ty = match (&param.annotation, i) {
                (_, 0) => interface.clone(),
                (Some(annotation), _) => annotation_type(annotation, &names)?,
                (None, _) => Type::TENSOR,
            };
            arguments.push(Argument::new(&param.name.name, ty));
        }
        let returned = match &def.returns {
            Some(annotation) => annotation_type(annotation, &names)?,
            None => Type::TENSOR,
        };
        methods.push(Arc::new(Schema::new(
            &def.name.name,
            arguments,
            vec![Argument::new("", returned)],
        )));
    }
    Ok(methods)
}

fn has_decorator(def: &Def, name: &str) -> bool {
    def.decorators
        .iter()
        .any(|d| dotted(d).is_some_and(|t| t == name || t.ends_with(&format!(".{name}"))))
}

fn method(
    compiler: &Compiler,
    class: &Arc<ClassType>,
    def: &Def,
    resolver: &Rc<dyn Resolver>,
) -> Outcome<Arc<Function>> {
    let is_static = has_decorator(def, "staticmethod");
    if has_decorator(def, "classmethod") {
        return Err(unsupported(
            "class methods are not supported in script classes",
            &def.span,
        ));
    }
    let name = match property_part(def) {
        Some((property, setter)) => {
            declare_property(class, &property, setter);
            if setter {
                format!("{property}_setter")
            } else {
                format!("{property}_getter")
            }
        }
        None => def.name.name.to_string(),
    };
    let source = FunctionSource {
        def: Rc::new(def.clone()),
        resolver: resolver.clone(),
        class: (!is_static).then(|| class.clone()),
        defaults: Vec::new(),
        parameter_types: Vec::new(),
    };
    let function = compiler.declare(&format!("{}.{name}", class.name()), source);
    if is_static {
        class.add_static_method(&name, None);
    }
    Ok(function)
}

/// The property that a method gets or sets, and whether it sets.
fn property_part(def: &Def) -> Option<(String, bool)> {
    for decorator in &def.decorators {
        match dotted(decorator)?.as_str() {
            "property" => return Some((def.name.name.to_string(), false)),
            text => {
                if let Some(name) = text.strip_suffix(".setter") {
                    return Some((name.to_string(), true));
                }
            }
        }
    }
    None
}

fn declare_property(class: &ClassType, name: &str, setter: bool) {
    if setter {
        class.set_property_setter(name, &format!("{name}_setter"));
    } else {
        class.add_property(Property {
            name: name.into(),
            getter: format!("{name}_getter").into(),
            setter: None,
        });
    }
}
