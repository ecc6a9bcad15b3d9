//! Code files: which definitions go where, and how classes, enums, interfaces and NamedTuples are written.

use super::expression::quoted;
use super::names::is_identifier;
use super::{CannotPrint, Constants, Definition, Needs, Printer, Text};
use rushlight_ir::Unit;
use rushlight_types::{AttributeKind, ClassType, EnumType, InterfaceType, TupleType, Type};
use std::sync::Arc;

/// One file of code.
pub struct CodeFile {
    /// Its module: `__torch__.torch.nn.modules.linear`.
    pub module: String,
    pub text: Text,
}

impl CodeFile {
    /// The record in the archive: `code/__torch__/torch/nn/modules/linear.py`.
    pub fn record(&self) -> String {
        format!("code/{}.py", self.module.replace('.', "/"))
    }
}

/// One file while it is being written.
struct Open {
    module: String,
    text: Text,
    names: super::Names,
}

/// Prints everything in `needs` and all that it needs in turn. Files are in the order of their first definition.
pub fn print_definitions(
    unit: &Unit,
    constants: &mut Constants,
    needs: &mut Needs,
) -> Result<Vec<CodeFile>, CannotPrint> {
    let mut files: Vec<Open> = Vec::new();
    let mut next = 0;
    while let Some(definition) = needs.order.get(next).cloned() {
        next += 1;
        let name = definition.name();
        let module = name.rsplit_once('.').map_or("", |(module, _)| module);
        let index = match files.iter().position(|f| f.module == module) {
            Some(index) => index,
            None => {
                files.push(Open {
                    module: module.into(),
                    text: Text::default(),
                    names: super::Names::default(),
                });
                files.len() - 1
            }
        };
        let file = &mut files[index];
        let mut printer = Printer::new(constants, needs, true);
        printer.out = std::mem::take(&mut file.text);
        printer.names = std::mem::take(&mut file.names);
        printer.definition(unit, &definition)?;
        file.text = printer.out;
        file.names = printer.names;
    }
    Ok(files
        .into_iter()
        .map(|f| CodeFile {
            module: f.module,
            text: f.text,
        })
        .collect())
}

impl Printer<'_> {
    fn definition(&mut self, unit: &Unit, definition: &Definition) -> Result<(), CannotPrint> {
        match definition {
            Definition::Function(function) => self.function(function, 0),
            Definition::Type(Type::Class(class)) => self.class(unit, class),
            Definition::Type(Type::Interface(interface)) => {
                self.interface(interface);
                Ok(())
            }
            Definition::Type(Type::Enum(ty)) => {
                self.enumeration(ty);
                Ok(())
            }
            Definition::Type(Type::Tuple(tuple)) => {
                self.named_tuple(tuple);
                Ok(())
            }
            Definition::Type(_) => Ok(()),
        }
    }

    fn line(&mut self, level: usize, text: &str) {
        let indent = "  ".repeat(level);
        self.out.mark(None).push(&indent).push(text).push("\n");
    }

    fn class(&mut self, unit: &Unit, class: &Arc<ClassType>) -> Result<(), CannotPrint> {
        let base = if class.is_module() { "(Module)" } else { "" };
        self.line(0, &format!("class {}{base}:", class.basename()));
        let start = self.out.len();
        let attributes = class.attributes();
        if class.is_module() {
            self.names_of("__parameters__", &attributes, AttributeKind::Parameter);
            self.names_of("__buffers__", &attributes, AttributeKind::Buffer);
            let odd = |a: &rushlight_types::Attribute| {
                a.kind != AttributeKind::Plain && !is_identifier(&a.name)
            };
            if attributes.iter().any(odd) {
                self.line(1, "__annotations__ = []");
            }
            for (list, before) in [
                ("__forward_pre_hooks__", true),
                ("__forward_hooks__", false),
            ] {
                let hooks = class.hooks(before);
                if !hooks.is_empty() {
                    self.line(1, &format!("{list} = [{}]", name_list(hooks.iter())));
                }
            }
        }
        for attribute in &attributes {
            let ty = self.annotation(&attribute.ty);
            if is_identifier(&attribute.name) {
                self.line(1, &format!("{} : {ty}", attribute.name));
            } else {
                self.line(
                    1,
                    &format!("__annotations__[{}] = {ty}", quoted(&attribute.name)),
                );
            }
        }
        let constants = class.constants().into_iter();
        // A default of a dataclass is a constant and an attribute; code cannot have both.
        for (name, value) in constants.filter(|(name, _)| class.attribute(name).is_none()) {
            let ty = value.type_of();
            let text = self.constant(&value, &ty);
            let ty = self.annotation(&ty);
            self.line(1, &format!("{name} : Final[{ty}] = {}", text.text));
        }
        for method in class.methods() {
            let Some(function) = unit.method(class, &method.name) else {
                return Err(CannotPrint(format!("{} has no body", method.qualified)));
            };
            self.function(&function, 1)?;
        }
        if self.out.len() == start {
            self.line(1, "pass");
        }
        Ok(())
    }

    fn names_of(
        &mut self,
        list: &str,
        attributes: &[rushlight_types::Attribute],
        kind: AttributeKind,
    ) {
        let names = attributes
            .iter()
            .filter(|a| a.kind == kind)
            .map(|a| &a.name);
        let names = name_list(names);
        self.line(1, &format!("{list} = [{names}]"));
    }

    fn annotation(&mut self, ty: &Type) -> String {
        self.need_type(ty);
        ty.annotation()
    }

    fn interface(&mut self, interface: &InterfaceType) {
        let base = if interface.is_module {
            "ModuleInterface"
        } else {
            "Interface"
        };
        let name = interface
            .name
            .rsplit('.')
            .next()
            .unwrap_or_default()
            .to_string();
        self.line(0, &format!("class {name}({base}):"));
        for method in interface.methods().iter() {
            let mut parameters = vec!["self".to_string()];
            for argument in method.arguments.iter().skip(1) {
                let ty = self.annotation(&argument.ty);
                parameters.push(format!("{}: {ty}", argument.name));
            }
            let returned = method.returns.first().map_or(Type::None, |r| r.ty.clone());
            let returned = self.annotation(&returned);
            self.line(
                1,
                &format!(
                    "def {}({}) -> {returned}:",
                    method.name,
                    parameters.join(", ")
                ),
            );
            self.line(2, "pass");
        }
    }

    fn enumeration(&mut self, ty: &EnumType) {
        let name = ty.name.rsplit('.').next().unwrap_or_default();
        self.line(0, &format!("class {name}(Enum):"));
        for (member, value) in &ty.members {
            let text = self.constant(value, &ty.value_type);
            self.line(1, &format!("{member} = {}", text.text));
        }
    }

    fn named_tuple(&mut self, tuple: &TupleType) {
        let name = tuple.name.as_deref().unwrap_or_default();
        let name = name.rsplit('.').next().unwrap_or_default().to_string();
        self.line(0, &format!("class {name}(NamedTuple):"));
        for (field, ty) in tuple.fields.iter().zip(&tuple.elements) {
            let ty = self.annotation(ty);
            self.line(1, &format!("{field} : {ty}"));
        }
        if tuple.fields.is_empty() {
            self.line(1, "pass");
        }
    }
}

/// `"a", "b", ` as the lists of names in classes are written.
fn name_list<'n>(names: impl Iterator<Item = &'n Arc<str>>) -> String {
    names.map(|name| format!("{}, ", quoted(name))).collect()
}
