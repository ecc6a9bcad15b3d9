//! The grammar of printed graphs.

use super::lexer::{ARROW, DEDENT, EOF, IDENT, INDENT, NEWLINE, NUMBER, STRING};
use super::reader::{Read, Reader};
use std::collections::HashSet;

struct Graph {
    /// Values so far, those inside blocks too.
    values: HashSet<String>,
    has_tensors: bool,
}

impl Reader<'_> {
    /// Reads one graph; what follows it is passed over.
    pub(super) fn graph(&mut self, has_tensors: bool) -> Read {
        let mut graph = Graph {
            values: HashSet::new(),
            has_tensors,
        };
        self.expect(IDENT)?;
        self.block_head(&mut graph)?;
        self.nodes(&mut graph)?;
        self.expect("return")?;
        self.uses(&graph)?;
        if self.kind() == EOF {
            return Ok(());
        }
        self.expect(NEWLINE)?;
        self.expect(DEDENT)
    }

    fn block_head(&mut self, graph: &mut Graph) -> Read {
        self.strict_list("(", ")", |r| {
            let name = r.typed_value()?;
            graph.values.insert(name);
            Ok(())
        })?;
        self.expect(":")?;
        self.expect(INDENT)
    }

    fn nodes(&mut self, graph: &mut Graph) -> Read {
        while !matches!(self.kind(), "return" | ARROW) {
            self.node(graph)?;
        }
        Ok(())
    }

    fn node(&mut self, graph: &mut Graph) -> Read {
        let mut outputs = Vec::new();
        if self.kind() == "%" {
            outputs.push(self.typed_value()?);
            while self.next_if(",")? {
                outputs.push(self.typed_value()?);
            }
            self.expect("=")?;
        }
        self.expect(IDENT)?;
        self.expect(":")?;
        self.expect(":")?;
        self.expect(IDENT)?;
        if self.kind() == "[" {
            self.strict_list("[", "]", |r| r.attribute(graph.has_tensors))?;
        }
        self.uses(graph)?;
        if self.next_if(INDENT)? {
            while self.kind() != DEDENT {
                self.nested(|r| r.block_of_node(graph))?;
            }
            self.step()?;
        }
        self.next_if(NEWLINE)?;
        graph.values.extend(outputs);
        Ok(())
    }

    fn block_of_node(&mut self, graph: &mut Graph) -> Read {
        self.expect(IDENT)?;
        self.block_head(graph)?;
        self.nodes(graph)?;
        self.expect(ARROW)?;
        self.uses(graph)?;
        self.expect(NEWLINE)?;
        self.expect(DEDENT)
    }

    fn uses(&mut self, graph: &Graph) -> Read {
        self.strict_list("(", ")", |r| {
            let name = r.value_name()?;
            match graph.values.contains(&name) {
                true => Ok(()),
                false => {
                    let message = format!("Cannot find a variable with name '{name}'");
                    r.wrong(message, r.token())
                }
            }
        })
    }

    fn typed_value(&mut self) -> Read<String> {
        let name = self.value_name()?;
        if self.next_if(":")? {
            self.type_of(true)?;
        }
        Ok(name)
    }

    /// `%x.1`: numbers behind a name are tokens of their own.
    fn value_name(&mut self) -> Read<String> {
        self.expect("%")?;
        let mut name = self.word().to_string();
        if !self.next_if(IDENT)? {
            self.expect(NUMBER)?;
        }
        while self.kind() == "." || self.is_fraction() {
            if self.next_if(".")? {
                name.push('.');
            }
            name.push_str(self.word());
            if !self.next_if(IDENT)? {
                self.expect(NUMBER)?;
            }
        }
        Ok(name)
    }

    fn is_fraction(&self) -> bool {
        self.kind() == NUMBER && self.word().starts_with('.')
    }

    fn attribute(&mut self, has_tensors: bool) -> Read {
        self.expect(IDENT)?;
        self.expect("=")?;
        if self.kind() == IDENT && self.word() == "annotate" {
            return self.empty_container();
        }
        match self.kind() {
            "[" => self.strict_list("[", "]", |r| r.literal(has_tensors)),
            _ => self.literal(has_tensors),
        }
    }

    fn literal(&mut self, has_tensors: bool) -> Read {
        let token = self.token();
        match token.kind {
            "True" | "False" | NUMBER => self.step(),
            STRING => {
                self.step()?;
                self.check_string(token)
            }
            "-" => {
                self.step()?;
                match self.next_if(NUMBER)? {
                    true => Ok(()),
                    false => self.wrong("Expected a number after '-' but got:-", token),
                }
            }
            IDENT => self.type_of(true).map(drop),
            "<" => {
                self.step()?;
                let name = self.take(IDENT)?;
                if self.text_of(name) != "Tensor" {
                    return self.wrong("Could not parse literal<", token);
                }
                if !has_tensors {
                    let message =
                        "Tensor constant encountered but `parse_tensor_constants` set to false<";
                    return self.wrong(message, token);
                }
                self.expect(">")
            }
            "{" => {
                self.step()?;
                self.next_if("-")?;
                self.expect(NUMBER)?;
                if !has_tensors {
                    let message = "Single-element tensor constant encountered but `parse_tensor_constants` is set to false {";
                    return self.wrong(message, token);
                }
                self.expect("}")
            }
            _ => self.wrong(
                format!("Could not parse literal{}", self.text_of(token)),
                token,
            ),
        }
    }

    /// `annotate(List[int], [])`; what is in the brackets does not matter.
    fn empty_container(&mut self) -> Read {
        self.step()?;
        self.expect("(")?;
        let token = self.token();
        let close = match self.text_of(token) {
            "List" => "]",
            "Dict" => "}",
            _ => {
                let message = "Unexpected annotation (only List and Dict can be parsed)";
                return self.wrong(message, token);
            }
        };
        self.step()?;
        let open = if close == "]" { "[" } else { "{" };
        self.expect("[")?;
        let mut depth = 1;
        while depth > 0 {
            match self.kind() {
                "[" => depth += 1,
                "]" => depth -= 1,
                EOF => return self.unexpected("]"),
                _ => {}
            }
            self.step()?;
        }
        self.expect(",")?;
        self.expect(open)?;
        self.expect(close)?;
        self.expect(")")
    }
}
