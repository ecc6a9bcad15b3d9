//! Definitions of script classes: attributes from `__init__`, methods, properties, constants.

use super::compiler::{shown_name, unmangled};
use super::condition::dotted;
use super::{Compiler, FunctionSource};
use crate::{Outcome, Problem, Resolver};
use rushlight_ir::Function;
use rushlight_syntax::diagnostic::CompiledFrom;
use rushlight_syntax::tree::{ClassDef, Constant, Def, Expr, ExprKind, ParamKind, Stmt, StmtKind};
use rushlight_syntax::{ErrorKind, Span};
use rushlight_types::{ClassType, Property, Type, Value};
use std::rc::Rc;
use std::sync::Arc;

/// A method of a class, as it was written.
#[derive(Clone)]
pub struct MethodDef {
    pub def: Def,
    pub kind: MethodKind,
}

/// What a method is to its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodKind {
    Plain,
    Static,
    /// Called through an instance; its first parameter names the class.
    Class,
    /// Of the property that has the method's name.
    Getter,
    Setter,
}

impl MethodDef {
    /// A method as its decorators say.
    fn decorated(def: &Def) -> MethodDef {
        let mut def = def.clone();
        let kind = match property_part(&def) {
            Some((property, setter)) => {
                def.name.name = property.as_str().into();
                match setter {
                    true => MethodKind::Setter,
                    false => MethodKind::Getter,
                }
            }
            None if has_decorator(&def, "staticmethod") => MethodKind::Static,
            None if has_decorator(&def, "classmethod") => MethodKind::Class,
            None => MethodKind::Plain,
        };
        MethodDef { def, kind }
    }

    /// The name of the function that the method becomes.
    pub fn compiled_name(&self) -> Arc<str> {
        let name = &self.def.name.name;
        match self.kind {
            MethodKind::Getter => format!("__{name}_getter").into(),
            MethodKind::Setter => format!("__{name}_setter").into(),
            MethodKind::Plain | MethodKind::Static | MethodKind::Class => name.clone(),
        }
    }
}

/// Gives the default values of a method's parameters as far as the door has evaluated them.
pub type MethodDefaults<'d> = &'d dyn Fn(&MethodDef) -> Outcome<Vec<(Arc<str>, Outcome<Value>)>>;

/// Fills a registered class from its definition and compiles its `__init__`, which declares the attributes.
pub fn declare_class(
    compiler: &Compiler,
    class: &Arc<ClassType>,
    definition: &ClassDef,
    resolver: &Rc<dyn Resolver>,
    defaults: MethodDefaults<'_>,
) -> Outcome<()> {
    if let Some(doc) = definition.docstring() {
        class.set_doc(doc);
    }
    let mut methods = Vec::new();
    for statement in &definition.body {
        match &statement.kind {
            StmtKind::Def(def) => methods.push(MethodDef::decorated(def)),
            StmtKind::Assign(assign) => {
                for target in &assign.targets {
                    if let (ExprKind::Name(name), ExprKind::Invalid) =
                        (&target.kind, &assign.value.kind)
                    {
                        compiler.note_lost(name);
                        continue;
                    }
                    class_attributes(class, target, &assign.value, resolver);
                }
            }
            StmtKind::AnnAssign {
                target:
                    Expr {
                        kind: ExprKind::Name(name),
                        ..
                    },
                value: Some(value),
                ..
            } => class_attribute(class, name, value, resolver),
            // The rest of a class body is Python's own business.
            _ => {}
        }
    }
    declare_methods(compiler, class, &methods, resolver, defaults)
}

/// The methods that the body of a class defines.
pub fn methods_of(definition: &ClassDef) -> Vec<MethodDef> {
    let defs = definition.body.iter().filter_map(|s| match &s.kind {
        StmtKind::Def(def) => Some(MethodDef::decorated(def)),
        _ => None,
    });
    defs.collect()
}

/// Refuses what the syntax leaves out in any of the methods of a class, before anything of it is compiled.
pub fn check_methods(methods: &[MethodDef]) -> Outcome<()> {
    let compiled = methods
        .iter()
        .filter(|m| m.kind != MethodKind::Static && !has_decorator(&m.def, "unused"));
    for method in compiled {
        super::refusal::check(&method.def, None)?;
        super::refusal::annotated_attributes(&method.def)?;
    }
    Ok(())
}

/// Declares the methods of a registered class and compiles its `__init__`, which declares the attributes.
pub fn declare_methods(
    compiler: &Compiler,
    class: &Arc<ClassType>,
    methods: &[MethodDef],
    resolver: &Rc<dyn Resolver>,
    defaults: MethodDefaults<'_>,
) -> Outcome<()> {
    let mut init = None;
    for written in methods {
        let function = method(compiler, class, written, resolver, defaults(written)?)?;
        if written.kind == MethodKind::Plain && &*written.def.name.name == "__init__" {
            init = Some((function, &written.def.span));
        }
    }
    let Some((init, span)) = init else {
        return Ok(());
    };
    match compiler.compile(&init) {
        // A check goes on with the attributes that could be made; those that could not are lost. Classes of the library
        // that are for Python alone are none.
        Err(problem) if compiler.checks(span.source()) => {
            compiler.note_problem(&problem);
            Ok(())
        }
        result => result.map(drop),
    }
}

/// Tells that a class whose definition failed was being declared because a program named it. Who named it is left to the
/// function that is being compiled, see [`named_by`].
pub fn needed_here(mut error: Problem, class: &str, span: &Span) -> Problem {
    let name = shown_name(class);
    // What the syntax leaves out is found before anything of the class is compiled.
    let is_syntax = matches!(
        error.kind,
        ErrorKind::NotSupported | ErrorKind::UnsupportedNode
    );
    if !is_syntax || !error.chain.is_empty() {
        error.chain.push(CompiledFrom {
            callee: format!("{name}.__init__"),
            caller: unmangled(class),
            span: span.clone(),
        });
    }
    error.chain.push(CompiledFrom {
        callee: unmangled(class),
        caller: String::new(),
        span: span.clone(),
    });
    error
}

/// Fills in who named the class of [`needed_here`]: the function being compiled, and what it was busy with.
pub(super) fn named_by(mut error: Problem, function: &str, busy: &Span) -> Problem {
    if let Some(last) = error.chain.last_mut().filter(|l| l.caller.is_empty()) {
        last.caller = shown_name(function);
        last.span = busy.clone();
    }
    error
}

/// In annotations, the place that names a class is the whole annotation.
pub(super) fn named_in(mut error: Problem, annotation: &Span) -> Problem {
    if let [.., before, last] = error.chain.as_mut_slice()
        && last.caller.is_empty()
        && before.caller == last.callee
    {
        before.span = annotation.clone();
    }
    error
}

/// Remembers what a class body assigns, to patterns of names too.
fn class_attributes(class: &ClassType, target: &Expr, value: &Expr, resolver: &Rc<dyn Resolver>) {
    match (&target.kind, &value.kind) {
        (ExprKind::Name(name), _) => class_attribute(class, name, value, resolver),
        (
            ExprKind::Tuple { elements, .. } | ExprKind::List(elements),
            ExprKind::Tuple {
                elements: values, ..
            }
            | ExprKind::List(values),
        ) => {
            for (target, value) in elements.iter().zip(values) {
                class_attributes(class, target, value, resolver);
            }
        }
        _ => {}
    }
}

/// Remembers an attribute of the class itself: scripts have no use for it, but errors speak of it.
fn class_attribute(class: &ClassType, name: &str, value: &Expr, resolver: &Rc<dyn Resolver>) {
    let value = super::literal(value).or_else(|| resolver.constant(value));
    class.add_constant(name, value.unwrap_or(Value::None));
}

pub(crate) fn has_decorator(def: &Def, name: &str) -> bool {
    def.decorators
        .iter()
        .any(|d| dotted(d).is_some_and(|t| t == name || t.ends_with(&format!(".{name}"))))
}

fn method(
    compiler: &Compiler,
    class: &Arc<ClassType>,
    written: &MethodDef,
    resolver: &Rc<dyn Resolver>,
    defaults: Vec<(Arc<str>, Outcome<Value>)>,
) -> Outcome<Arc<Function>> {
    let is_static = written.kind == MethodKind::Static;
    match written.kind {
        MethodKind::Getter => declare_property(class, &written.def.name.name, false),
        MethodKind::Setter => declare_property(class, &written.def.name.name, true),
        MethodKind::Plain | MethodKind::Static | MethodKind::Class => {}
    }
    let name = written.compiled_name();
    let unused = has_decorator(&written.def, "unused");
    let def = match unused {
        true => refusing(&written.def),
        false => written.def.clone(),
    };
    // Nobody looks at what an unused method is given.
    let given = def.params.0.iter().skip(usize::from(!is_static));
    let parameter_types = given
        .filter(|_| unused)
        .map(|param| (param.name.name.clone(), Type::Any))
        .collect();
    let source = FunctionSource {
        def: Rc::new(def),
        resolver: resolver.clone(),
        class: (!is_static).then(|| class.clone()),
        defaults,
        parameter_types,
    };
    if is_static {
        return Ok(static_method(compiler, class, &name, source));
    }
    Ok(compiler.declare(&format!("{}.{name}", class.name()), source))
}

/// A static method is a function beside its class, as the reference has it: `__torch__.make` for `__torch__.K.make`.
fn static_method(
    compiler: &Compiler,
    class: &Arc<ClassType>,
    name: &str,
    source: FunctionSource,
) -> Arc<Function> {
    let module = class.name().rsplit_once('.').map_or("__torch__", |n| n.0);
    let qualified = compiler.unit.free_name(&format!("{module}.{name}"));
    class.add_static_method(name, &qualified);
    compiler.declare(&qualified, source)
}

/// An unused method: its body raises.
fn refusing(def: &Def) -> Def {
    let expr = |kind: ExprKind| Expr {
        kind,
        span: def.span.clone(),
    };
    let call = rushlight_syntax::tree::Call {
        func: expr(ExprKind::Name("RuntimeError".into())),
        args: vec![expr(ExprKind::Constant(Constant::Str(
            "Cannot call @unused methods".into(),
        )))],
        keywords: Vec::new(),
    };
    let mut out = def.clone();
    let params = &mut out.params.0;
    params.retain(|p| !matches!(p.kind, ParamKind::VarArgs | ParamKind::VarKeywords));
    for param in params {
        (param.annotation, param.type_comment) = (None, None);
    }
    out.body = vec![Stmt {
        kind: StmtKind::Raise {
            exception: Some(expr(ExprKind::Call(Box::new(call)))),
            cause: None,
        },
        span: def.span.clone(),
    }];
    out
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
        class.set_property_setter(name, &format!("__{name}_setter"));
    } else {
        class.add_property(Property {
            name: name.into(),
            getter: format!("__{name}_getter").into(),
            setter: None,
        });
    }
}
