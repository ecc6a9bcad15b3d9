//! What names stand for in archive code: built-ins under `torch` and `ops`, constants, and qualified names.

use super::Importer;
use crate::upgrade;
use rushlight_frontend::script::{Arguments, Emitter, dotted_text};
use rushlight_frontend::sugared::builtin::{self, Builtin};
use rushlight_frontend::sugared::{Sugared, SugaredValue, function::ScriptFunction};
use rushlight_frontend::{Outcome, Problem, Resolver, source_file::type_value};
use rushlight_ir::{Attr, NodeKind};
use rushlight_syntax::tree::Expr;
use rushlight_syntax::{Diagnostic, Span};
use rushlight_types::{Symbol, Type, Value};
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::OnceLock;

/// Resolves the names of archive code.
pub(super) struct ArchiveNames {
    pub importer: Rc<Importer>,
}

fn problem(message: String, span: &Span) -> Problem {
    Box::new(Diagnostic::error("archive-name", message, span))
}

impl Resolver for ArchiveNames {
    fn lookup(
        &self,
        emitter: &mut Emitter<'_>,
        name: &str,
        span: &Span,
    ) -> Outcome<Option<Sugared>> {
        let importer = self.importer.clone();
        Ok(Some(match name {
            "torch" => Sugared::special(Builtins {
                space: "aten".into(),
                importer,
            }),
            "ops" => Sugared::special(Spaces { importer }),
            "CONSTANTS" => Sugared::special(Constants { importer }),
            "inf" => Sugared::Value(emitter.constant(f64::INFINITY, span)),
            "nan" => Sugared::Value(emitter.constant(f64::NAN, span)),
            "infj" => {
                let value = rushlight_tensor::Complex64::new(0.0, f64::INFINITY);
                Sugared::Value(emitter.constant(value, span))
            }
            "nanj" => {
                let value = rushlight_tensor::Complex64::new(0.0, f64::NAN);
                Sugared::Value(emitter.constant(value, span))
            }
            "__torch__" => Sugared::special(Path {
                path: name.into(),
                importer,
            }),
            _ => return Ok(None),
        }))
    }

    fn constant(&self, expr: &Expr) -> Option<Value> {
        let dotted = dotted_text(expr)?;
        self.importer
            .constant(constant_index(dotted.strip_prefix("CONSTANTS.")?)?)
    }

    fn has_local_functions(&self) -> bool {
        true
    }

    fn lookup_type(&self, name: &str, span: &Span) -> Outcome<Option<Type>> {
        if !name.starts_with("__torch__.") {
            return Ok(None);
        }
        match self.importer.import_type(name)? {
            Some(ty) => Ok(Some(ty)),
            None => Err(problem(format!("the archive has no type {name}"), span)),
        }
    }
}

/// The number in `CONSTANTS.c7`.
fn constant_index(name: &str) -> Option<usize> {
    name.strip_prefix('c')?.parse().ok()
}

/// The operators that stand in `torch.autograd` where code is written and read.
pub(super) const IN_AUTOGRAD: [&str; 2] = ["grad", "backward"];

/// `torch.autograd`.
struct Autograd {
    importer: Rc<Importer>,
}

impl SugaredValue for Autograd {
    fn describe(&self) -> String {
        "module".to_string()
    }

    fn attribute(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<Sugared> {
        if !IN_AUTOGRAD.contains(&name) {
            return Err(problem(
                format!("the archive's code knows no torch.autograd.{name}"),
                span,
            ));
        }
        let space = Builtins {
            space: "aten".into(),
            importer: self.importer.clone(),
        };
        space.attribute(emitter, name, span)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// `torch`: its attributes are operators.
struct Builtins {
    space: String,
    importer: Rc<Importer>,
}

impl SugaredValue for Builtins {
    fn describe(&self) -> String {
        "module".to_string()
    }

    fn attribute(&self, _emitter: &mut Emitter<'_>, name: &str, _span: &Span) -> Outcome<Sugared> {
        if name == "autograd" && self.space == "aten" {
            let importer = self.importer.clone();
            return Ok(Sugared::special(Autograd { importer }));
        }
        let operator = format!("{}::{name}", self.space);
        if self
            .importer
            .compiler()
            .table
            .overloads(&operator)
            .is_empty()
        {
            return Ok(Sugared::special(Missing {
                operator,
                importer: self.importer.clone(),
            }));
        }
        if let Some(upgrade) = upgrade::find(&operator, self.importer.version()) {
            return Ok(Sugared::special(Upgraded { operator, upgrade }));
        }
        Ok(Sugared::special(Builtin { operator }))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// An operator that this build lacks: code that calls it loads, and fails where it reaches the call.
struct Missing {
    operator: String,
    importer: Rc<Importer>,
}

impl SugaredValue for Missing {
    fn describe(&self) -> String {
        "builtin".to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let mut inputs = Vec::new();
        for (value, at) in &arguments.positional {
            inputs.push(value.as_value(emitter, at)?);
        }
        let mut keywords = Vec::new();
        for keyword in &arguments.keywords {
            inputs.push(keyword.value.as_value(emitter, &keyword.span)?);
            keywords.push(keyword.name.clone());
        }
        if !elsewhere(&self.operator) {
            let mut unknown = builtin::unknown(emitter, &self.operator, span);
            unknown.code = "no-such-operator";
            return Err(unknown);
        }
        // Nobody can tell what it gives; most operators give a tensor.
        self.importer.note_unknown_call();
        let kind = NodeKind::Unknown(Symbol::new(&self.operator));
        let node = emitter.node(kind, &inputs, &[Type::TENSOR], span);
        if !keywords.is_empty() {
            emitter.set_attr(node, "keywords", Attr::Strs(keywords));
        }
        Ok(Sugared::Value(emitter.graph.node(node).outputs()[0]))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// Whether there is an operator though this build lacks it: in libraries that define their own, and those of the reference
/// that are listed.
fn elsewhere(operator: &str) -> bool {
    static LISTED: OnceLock<HashSet<&str>> = OnceLock::new();
    let listed = LISTED.get_or_init(|| include_str!("elsewhere.txt").lines().collect());
    let name = operator.split('.').next().unwrap_or(operator);
    let is_own = name.starts_with("aten::") || name.starts_with("prim::");
    !is_own || listed.contains(name)
}

/// An operator that has changed its meaning since the archive was written.
struct Upgraded {
    operator: String,
    upgrade: upgrade::Upgrade,
}

impl SugaredValue for Upgraded {
    fn describe(&self) -> String {
        "builtin".to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        (self.upgrade)(emitter, &self.operator, arguments, span)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// `ops`: its attributes are namespaces of operators.
struct Spaces {
    importer: Rc<Importer>,
}

impl SugaredValue for Spaces {
    fn describe(&self) -> String {
        "module".to_string()
    }

    fn attribute(&self, _emitter: &mut Emitter<'_>, name: &str, _span: &Span) -> Outcome<Sugared> {
        Ok(Sugared::special(Builtins {
            space: name.into(),
            importer: self.importer.clone(),
        }))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// `CONSTANTS`: its attributes are the entries of `constants.pkl`.
struct Constants {
    importer: Rc<Importer>,
}

impl SugaredValue for Constants {
    fn describe(&self) -> String {
        "CONSTANTS".to_string()
    }

    fn attribute(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<Sugared> {
        match constant_index(name).and_then(|i| self.importer.constant(i)) {
            Some(value) => Ok(Sugared::Value(emitter.constant(value, span))),
            None => Err(problem(format!("the archive has no constant {name}"), span)),
        }
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// A qualified name not yet complete: `__torch__.torch.nn`.
struct Path {
    path: String,
    importer: Rc<Importer>,
}

impl SugaredValue for Path {
    fn describe(&self) -> String {
        format!("'{}'", self.path)
    }

    fn attribute(&self, _emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<Sugared> {
        let path = format!("{}.{name}", self.path);
        if let Some(function) = self.importer.import_function(&path)? {
            return Ok(Sugared::special(ScriptFunction { function }));
        }
        if let Some(ty) = self.importer.import_type(&path)? {
            return Ok(type_value(ty));
        }
        if path.len() > 4096 {
            return Err(problem("this qualified name is too long".into(), span));
        }
        Ok(Sugared::special(Path {
            path,
            importer: self.importer.clone(),
        }))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
