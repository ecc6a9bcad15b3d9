//! The code printer: functions and classes as the source that archives hold and `.code` shows.
//!
//! What it prints, the importer of this crate (and PyTorch) reads back to the same graphs.

mod body;
mod constant;
mod expression;
mod file;
mod inline;
pub(crate) mod names;
mod text;

pub use constant::Constants;
pub use file::{CodeFile, print_definitions};
pub use text::Text;

use crate::upgrade;
use body::Body;
use names::Names;
use rushlight_ir::Function;
use rushlight_types::{Callable, Schema, Type, Value, native};
use std::collections::HashSet;
use std::sync::Arc;

/// Why code cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotPrint(pub String);

impl std::fmt::Display for CannotPrint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CannotPrint {}

/// Something that code refers to by its qualified name, so that a file has to define it.
#[derive(Clone)]
pub enum Definition {
    Type(Type),
    Function(Arc<Function>),
}

impl Definition {
    /// The qualified name.
    pub fn name(&self) -> Arc<str> {
        match self {
            Definition::Function(function) => function.qualified_name().clone(),
            Definition::Type(Type::Class(class)) => class.name().clone(),
            Definition::Type(Type::Interface(interface)) => interface.name.clone(),
            Definition::Type(Type::Enum(ty)) => ty.name.clone(),
            Definition::Type(Type::Tuple(tuple)) => tuple.name.clone().unwrap_or_default(),
            Definition::Type(_) => Arc::default(),
        }
    }
}

/// The definitions that code needs, in the order in which they were first met.
#[derive(Default)]
pub struct Needs {
    order: Vec<Definition>,
    names: HashSet<Arc<str>>,
    version: u64,
    /// The operator that asks for that version.
    newest: String,
}

impl Needs {
    /// Notes a type, and the types that it is made of.
    pub fn add_type(&mut self, ty: &Type) {
        match ty {
            Type::Class(class) if native::is_native(class.name()) => {}
            Type::Class(_) | Type::Interface(_) | Type::Enum(_) => {
                self.add(Definition::Type(ty.clone()))
            }
            Type::Tuple(tuple) if tuple.name.is_some() => self.add(Definition::Type(ty.clone())),
            other => other.parts().iter().for_each(|part| self.add_type(part)),
        }
    }

    /// The oldest file format version in which every operator in the code means what it means now.
    pub fn version(&self) -> u64 {
        self.version.max(upgrade::OLDEST_WRITTEN)
    }

    /// The version to write where a certain one is wished for; the error says why it cannot be that.
    pub fn version_as(&self, wished: Option<u64>) -> Result<u64, String> {
        let (oldest, newest) = (upgrade::OLDEST_WRITTEN, upgrade::NEWEST_WRITTEN);
        match wished {
            None => Ok(self.version()),
            Some(wished) if !(oldest..=newest).contains(&wished) => Err(format!(
                "archives are written in file format versions {oldest} to {newest}, not {wished}"
            )),
            Some(wished) if wished < self.version => Err(format!(
                "{} means what it means here since file format version {}; in version {wished} it would mean something else",
                self.newest, self.version
            )),
            Some(wished) => Ok(wished),
        }
    }

    fn note_operator(&mut self, name: &str) {
        let since = upgrade::since(name);
        if since > self.version {
            self.version = since;
            self.newest = name.to_string();
        }
    }

    fn add(&mut self, definition: Definition) {
        if self.names.insert(definition.name()) {
            self.order.push(definition);
        }
    }
}

/// Prints into one file.
pub(crate) struct Printer<'a> {
    out: Text,
    names: Names,
    constants: &'a mut Constants,
    needs: &'a mut Needs,
    /// Whether the text is for an archive: then it must mean the same when it is read back.
    for_archive: bool,
}

impl<'a> Printer<'a> {
    fn new(constants: &'a mut Constants, needs: &'a mut Needs, for_archive: bool) -> Printer<'a> {
        Printer {
            out: Text::default(),
            names: Names::default(),
            constants,
            needs,
            for_archive,
        }
    }

    fn need_type(&mut self, ty: &Type) {
        self.needs.add_type(ty);
    }

    /// The name of a function that is called; `None` for one that is not of the language.
    fn callee(&mut self, callee: &dyn Callable) -> Option<Text> {
        let function = callee.as_any().downcast_ref::<Function>()?.handle();
        let name = Text::from(&**function.qualified_name());
        self.needs.add(Definition::Function(function));
        Some(name)
    }

    /// Prints a function or method at a level of indentation.
    fn function(&mut self, function: &Function, level: usize) -> Result<(), CannotPrint> {
        let (Some(graph), Some(schema)) = (function.graph(), function.known_schema()) else {
            return Err(CannotPrint(format!(
                "{} could not be compiled, so its code cannot be written",
                function.qualified_name()
            )));
        };
        self.names.clear();
        let indent = "  ".repeat(level);
        self.out
            .mark(None)
            .push(&format!("{indent}def {}(", function.basename()));
        let mut parameters = Vec::new();
        for (i, &input) in graph.inputs().iter().enumerate() {
            let wanted = match graph.value(input).base_name() {
                Some(name) => names::sanitized(name),
                None => schema
                    .arguments
                    .get(i)
                    .map_or("_".into(), |a| a.name.to_string()),
            };
            let name = self.names.fresh(&wanted);
            self.out
                .push(if i > 0 { ",\n    " } else { "" })
                .push(&name);
            parameters.push(Text::from(name.as_str()));
            let is_object = i == 0 && function.class.is_some();
            if !is_object || self.for_archive {
                self.parameter_type(&schema, i, graph.ty(input));
            }
        }
        let returned = match schema.returns.as_slice() {
            [one] => one.ty.clone(),
            [] => Type::None,
            several => Type::tuple(several.iter().map(|r| r.ty.clone()).collect()),
        };
        let returned = body::spelled(&returned);
        self.need_type(&returned);
        self.out.push(&format!(") -> {}:\n", returned.annotation()));
        Body::new(self, &graph, parameters, level + 1).print()
    }

    fn parameter_type(&mut self, schema: &Schema, index: usize, in_graph: &Type) {
        let argument = schema.arguments.get(index);
        let ty = body::spelled(argument.map_or(in_graph, |a| &a.ty));
        self.need_type(&ty);
        self.out.push(": ").push(&ty.annotation());
        // Behind a `*` a parameter without a default may follow one with; archives have no `*`, and such code would not load.
        let later = schema.arguments.get(index + 1..).unwrap_or(&[]);
        if self.for_archive && later.iter().any(|a| a.default.is_none()) {
            return;
        }
        if let Some(default) = argument.and_then(|a| a.default.as_ref()) {
            let text = self.constant(default, &ty);
            self.out.push("=").append(&text);
        }
    }
}

/// The code of one function or method, as `.code` shows it, and the constants that it refers to.
pub fn function_code(function: &Function) -> Result<(String, Vec<Value>), CannotPrint> {
    let (mut constants, mut needs) = (Constants::default(), Needs::default());
    let mut printer = Printer::new(&mut constants, &mut needs, false);
    printer.function(function, 0)?;
    let text = printer.out.text;
    Ok((text, constants.values().to_vec()))
}
