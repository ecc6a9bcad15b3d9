//! The grammar of schemas, and of the types in them and in graphs.

use super::lexer::{ARROW, DOTS, EOF, IDENT, NEWLINE, NUMBER, STRING, Token};
use super::reader::{Read, Reader};
use crate::schema::ELEMENT_TYPES;

/// Types beside those that begin with a small letter, which may stand for any type.
const TYPES: &[&str] = &[
    "Any",
    "AnyClassType",
    "AnyEnumType",
    "Capsule",
    "ConstQuantizerPtr",
    "Device",
    "DeviceIndex",
    "Generator",
    "Layout",
    "MemoryFormat",
    "NoneType",
    "QScheme",
    "Quantizer",
    "Scalar",
    "ScalarType",
    "Storage",
    "Stream",
    "SymBool",
    "SymInt",
];

pub(super) const UNKNOWN_TYPE: &str = "unknown type specifier. Common valid schema types include Tensor, SymInt, int, float, bool, Scalar; for a full list, please see https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/README.md#func ";

/// Names that are default values.
const NAMED_VALUES: &[&str] = &[
    "float",
    "complex",
    "long",
    "strided",
    "Mean",
    "contiguous_format",
];

/// What a parameter of a type may have as its default.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Default {
    /// `None` only.
    None,
    /// A number, a word or a string.
    Single,
    /// The like, and lists of them.
    Number,
    Text,
    /// A list; whether of such as may be listed.
    List(bool),
    Nothing,
}

impl Reader<'_> {
    pub(super) fn schema(&mut self) -> Read {
        self.expect(IDENT)?;
        if self.next_if(":")? {
            self.expect(":")?;
            self.expect(IDENT)?;
        }
        if self.next_if(".")? {
            let overload = self.word();
            self.expect(IDENT)?;
            if overload == "default" || overload.starts_with("__") {
                let message = format!("{overload} is not a legal overload name for aten operators");
                return self.nowhere(message);
            }
        }
        let is_declared = self.kind() == "(";
        if is_declared {
            self.declared("(", "argument", |r| match r.next_if("*")? {
                true => Ok(()),
                false => r.argument(),
            })?;
            self.expect(ARROW)?;
            if self.kind() == "(" {
                self.declared("(", "return", Self::result)?;
            } else if !self.next_if(DOTS)? {
                self.result()?;
            }
        }
        self.next_if(NEWLINE)?;
        self.expect(EOF)?;
        match is_declared {
            true => Ok(()),
            false => self
                .nowhere("Tried to parse a function schema but only the operator name was given"),
        }
    }

    /// Arguments or results, of which the last may be `...`.
    fn declared(
        &mut self,
        open: &'static str,
        what: &str,
        mut item: impl FnMut(&mut Self) -> Read,
    ) -> Read {
        let mut is_open = false;
        self.strict_list(open, ")", |r| {
            if is_open {
                let message = format!("... must be the last element of the {what} list");
                return r.wrong(message, r.token());
            }
            is_open = r.next_if(DOTS)?;
            match is_open {
                true => Ok(()),
                false => item(r),
            }
        })
    }

    fn argument(&mut self) -> Read {
        let (default, is_sized) = self.sized_type()?;
        self.expect(IDENT)?;
        if self.next_if("=")? {
            self.default(default, is_sized)?;
        }
        Ok(())
    }

    fn result(&mut self) -> Read {
        self.sized_type()?;
        self.next_if(IDENT)?;
        Ok(())
    }

    /// A type, and whether it is a list of a fixed size.
    fn sized_type(&mut self) -> Read<(Default, bool)> {
        let element = self.type_of(false)?;
        if !self.next_if("[")? {
            return Ok((element, false));
        }
        self.expect(NUMBER)?;
        self.expect("]")?;
        self.alias()?;
        match self.next_if("?")? {
            true => Ok((Default::Single, true)),
            false => Ok((list_of(element), true)),
        }
    }

    fn default(&mut self, wanted: Default, is_sized: bool) -> Read {
        let first = self.token();
        match wanted {
            Default::None => self.expect("None"),
            Default::Single | Default::Number => self.single(),
            Default::Text => {
                self.expect(STRING)?;
                self.check_string(first)
            }
            Default::List(_) if self.kind() == IDENT => self.expect("None"),
            Default::List(is_listed) => {
                match is_sized && self.kind() != "[" {
                    true => self.single()?,
                    false => self.strict_list("[", "]", Self::single)?,
                }
                match is_listed {
                    true => Ok(()),
                    false => self.wrong(
                        "lists are only supported for float, int and complex types",
                        first,
                    ),
                }
            }
            Default::Nothing => self.wrong("unexpected type, file a bug report", first),
        }
    }

    fn single(&mut self) -> Read {
        let token = self.token();
        match token.kind {
            "True" | "False" | "None" => self.step(),
            STRING => {
                self.step()?;
                self.check_string(token)
            }
            IDENT => {
                self.step()?;
                match NAMED_VALUES.contains(&self.text_of(token)) {
                    true => Ok(()),
                    false => self.wrong("invalid numeric default value", self.token()),
                }
            }
            _ => {
                self.next_if("-")?;
                self.expect(NUMBER)
            }
        }
    }

    /// Refuses escapes that mean nothing.
    pub(super) fn check_string(&self, token: Token) -> Read {
        let mut rest = self.text_of(token);
        while let Some(at) = rest.find('\\') {
            rest = &rest[at + 1..];
            let Some(first) = rest.chars().next() else {
                break;
            };
            if first == 'x' {
                return self.wrong("unsupported hex specifier", token);
            }
            if "\\'\"abfvtnr\n".contains(first) {
                rest = &rest[1..];
                continue;
            }
            let digits = rest.get(..3).unwrap_or_default();
            if u8::from_str_radix(digits, 8).is_err() {
                return self.wrong(" ill formed octal specifier", token);
            }
            rest = &rest[3..];
        }
        Ok(())
    }

    /// A type; in graphs, tensors say more of themselves.
    pub(super) fn type_of(&mut self, in_graph: bool) -> Read<Default> {
        self.nested(|r| {
            let mut default = r.plain_type(in_graph)?;
            loop {
                if r.kind() == "[" && r.after()? == "]" {
                    r.step()?;
                    r.step()?;
                    r.alias()?;
                    default = list_of(default);
                } else if r.next_if("?")? {
                    default = Default::Single;
                } else {
                    return Ok(default);
                }
            }
        })
    }

    fn plain_type(&mut self, in_graph: bool) -> Read<Default> {
        if self.kind() == "(" {
            self.strict_list("(", ")", |r| r.type_of(in_graph).map(drop))?;
            return Ok(Default::Nothing);
        }
        let token = self.token();
        if token.kind == "None" {
            self.step()?;
            self.alias()?;
            return Ok(Default::Nothing);
        }
        self.expect(IDENT)?;
        let default = match self.text_of(token) {
            "Future" | "RRef" | "Await" => {
                self.expect("(")?;
                self.type_of(in_graph)?;
                self.expect(")")?;
                return Ok(Default::Nothing);
            }
            "Dict" => {
                self.expect("(")?;
                self.type_of(in_graph)?;
                self.expect(",")?;
                self.type_of(in_graph)?;
                self.expect(")")?;
                Default::Nothing
            }
            "Union" => {
                self.expect("(")?;
                self.type_of(in_graph)?;
                while !self.next_if(")")? {
                    self.expect(",")?;
                    self.type_of(in_graph)?;
                }
                Default::Nothing
            }
            "__torch__" => {
                self.class()?;
                Default::Nothing
            }
            "Tensor" => Default::None,
            name if in_graph && name != "Undefined" && ELEMENT_TYPES.contains(&name) => {
                self.described_tensor()?;
                return Ok(Default::None);
            }
            name => {
                while self.next_if(".")? {
                    self.expect(IDENT)?;
                }
                let is_variable = name.starts_with(|c: char| c.is_ascii_lowercase());
                if !is_variable && !TYPES.contains(&name) {
                    return self.wrong(UNKNOWN_TYPE, token);
                }
                default_of(name)
            }
        };
        self.alias()?;
        Ok(default)
    }

    /// A class, behind `__torch__`.
    fn class(&mut self) -> Read {
        for name in ["torch", "classes"] {
            self.expect(".")?;
            let token = self.take(IDENT)?;
            if self.text_of(token) != name {
                let message = format!("Expected classes namespace but got {}", self.text_of(token));
                return self.wrong(message, token);
            }
        }
        for _ in 0..2 {
            self.expect(".")?;
            self.expect(IDENT)?;
        }
        Ok(())
    }

    /// What is known of a tensor, behind its element type.
    fn described_tensor(&mut self) -> Read {
        let (mut sizes, mut strides, mut is_past_sizes) = (0, None, false);
        self.strict_list("(", ")", |r| {
            if r.kind() != IDENT {
                if is_past_sizes {
                    let message = "'device' and 'requires_grad' should come after dimensions in the type specification";
                    return r.wrong(message, r.token());
                }
                sizes += 1;
                return match r.next_if("*")? {
                    true => Ok(()),
                    false => r.expect(NUMBER),
                };
            }
            let name = r.word();
            r.step()?;
            match name {
                "SS" => {
                    sizes += 1;
                    r.expect("(")?;
                    r.expect("-")?;
                    r.expect(NUMBER)?;
                    r.expect(")")
                }
                "strides" => {
                    r.expect("=")?;
                    let mut count = 0;
                    r.strict_list("[", "]", |r| {
                        count += 1;
                        r.expect(NUMBER)
                    })?;
                    strides = Some(count);
                    Ok(())
                }
                "device" => {
                    is_past_sizes = true;
                    r.expect("=")?;
                    let device = r.take(IDENT)?;
                    match r.text_of(device) {
                        "cpu" => Ok(()),
                        "cuda" | "hpu" => match r.next_if(":")? {
                            true => r.expect(NUMBER),
                            false => Ok(()),
                        },
                        other => {
                            let message = format!("cannot parse device type '{other}'\n");
                            r.wrong(message, r.token())
                        }
                    }
                }
                "requires_grad" => {
                    is_past_sizes = true;
                    r.expect("=")?;
                    r.expect(NUMBER)
                }
                _ => r.wrong(format!("Unexpected specifier '{name}'"), r.token()),
            }
        })?;
        match strides {
            Some(count) if count != sizes => {
                let message = "Strides info is specified for some but not for all dimensions";
                self.wrong(message, self.token())
            }
            _ => Ok(()),
        }
    }

    /// `(a! -> b|c)`.
    fn alias(&mut self) -> Read {
        if self.next_if("(")? {
            self.alias_sets()?;
            self.next_if("!")?;
            if self.next_if(ARROW)? {
                self.alias_sets()?;
            }
            return self.expect(")");
        }
        self.next_if("!")?;
        Ok(())
    }

    fn alias_sets(&mut self) -> Read {
        loop {
            if !self.next_if("*")? {
                self.expect(IDENT)?;
            }
            if !self.next_if("|")? {
                return Ok(());
            }
        }
    }
}

fn list_of(element: Default) -> Default {
    Default::List(element == Default::Number)
}

fn default_of(name: &str) -> Default {
    match name {
        "int" | "float" | "bool" | "complex" | "SymInt" | "ScalarType" | "Layout"
        | "MemoryFormat" | "DeviceIndex" | "ConstQuantizerPtr" => Default::Number,
        "str" | "Scalar" => Default::Single,
        "Device" => Default::Text,
        "Generator" | "Quantizer" => Default::None,
        _ => Default::Nothing,
    }
}
