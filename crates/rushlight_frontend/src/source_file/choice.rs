//! Names of a file that stand for several functions: overloads, and functions told apart by a flag.

use super::{Binding, SourceFile};
use crate::script::{Compiler, FunctionSource, dotted_text, literal, signature};
use crate::sugared::choice::{BooleanDispatch, Chosen, Overloaded, Overloads};
use crate::{Outcome, Sugared};
use rushlight_ir::Function;
use rushlight_syntax::Span;
use rushlight_syntax::tree::{Def, Expr, ExprKind};
use rushlight_types::{Schema, Value};
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

/// Whether a definition only declares a way to call the function that follows.
pub(super) fn is_declaration(def: &Def) -> bool {
    let names = def.decorators.iter().filter_map(dotted_text);
    names
        .into_iter()
        .any(|name| name.rsplit('.').next() == Some("_overload"))
}

/// A body with the declared ways to call it.
pub(super) struct Declared {
    pub qualified: String,
    pub name: Arc<str>,
    /// The body, typed as each declaration says.
    pub sources: Vec<FunctionSource>,
    functions: OnceCell<Vec<Arc<Function>>>,
}

impl Declared {
    /// The body of `def` for every declaration.
    pub fn new(
        qualified: String,
        def: &Def,
        declarations: &[Def],
        file: &Rc<SourceFile>,
    ) -> Declared {
        let sources = declarations.iter().map(|declaration| FunctionSource {
            def: Rc::new(def.typed_as(declaration)),
            resolver: file.clone(),
            class: None,
            defaults: Vec::new(),
            parameter_types: Vec::new(),
        });
        Declared {
            qualified,
            name: def.name.name.clone(),
            sources: sources.collect(),
            functions: OnceCell::new(),
        }
    }

    /// The functions, declared when they are first asked for.
    pub fn functions(&self, compiler: &Compiler) -> &[Arc<Function>] {
        self.functions.get_or_init(|| {
            let declare = |source: &FunctionSource| {
                compiler.declare(&compiler.unit.free_name(&self.qualified), source.clone())
            };
            self.sources.iter().map(declare).collect()
        })
    }
}

impl Overloads for Rc<Declared> {
    fn schemas(&self, compiler: &Compiler, _span: &Span) -> Outcome<Vec<Schema>> {
        let schema = |source| signature(compiler, &self.name, source);
        self.sources.iter().map(schema).collect()
    }

    fn functions(&self, compiler: &Compiler, _span: &Span) -> Outcome<Vec<Arc<Function>>> {
        Ok(Declared::functions(self, compiler).to_vec())
    }
}

/// What the name of an overloaded function stands for.
pub(super) fn overloaded(declared: &Rc<Declared>) -> Sugared {
    Sugared::special(Overloaded(declared.clone()))
}

/// Two functions of a file, told apart by a flag.
pub(super) struct ByFlag {
    flag: String,
    index: usize,
    default: bool,
    /// For a flag that is not set, and for one that is.
    choices: [Binding; 2],
}

/// `boolean_dispatch(flag, index, default, if_true, if_false, ...)`, of functions that the file has defined or of further
/// choices between such functions.
pub(super) fn by_flag(file: &SourceFile, value: &Expr) -> Option<ByFlag> {
    let ExprKind::Call(call) = &value.kind else {
        return None;
    };
    let path = file.path_of(&dotted_text(&call.func)?)?;
    let [flag, index, default, if_true, if_false, ..] = call.args.as_slice() else {
        return None;
    };
    if path.rsplit('.').next() != Some("boolean_dispatch") {
        return None;
    }
    let choice = |expr: &Expr| match &expr.kind {
        ExprKind::Name(name) => file.binding(name),
        _ => by_flag(file, expr).map(|choice| Binding::ByFlag(Rc::new(choice))),
    };
    Some(ByFlag {
        flag: match literal(flag)? {
            Value::Str(text) => text.to_string(),
            _ => return None,
        },
        index: literal(index)?.as_int().ok()?.try_into().ok()?,
        default: literal(default)?.as_bool().ok()?,
        choices: [choice(if_false)?, choice(if_true)?],
    })
}

impl ByFlag {
    /// What the name stands for.
    pub fn value(&self) -> Sugared {
        let [if_false, if_true] = self.choices.clone().map(|binding| -> Chosen {
            Box::new(move |emitter, span| binding.sugared(emitter, span))
        });
        Sugared::special(BooleanDispatch {
            flag: self.flag.clone(),
            index: self.index,
            default: self.default,
            if_true,
            if_false,
        })
    }
}
