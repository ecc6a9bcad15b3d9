//! Programs whose lines state facts: `x = f(y)  # reveal x: int`, `x.foo  # error `x.foo`: no such attribute`.

use std::ops::Range;

use super::facts::Facts;
use rushlight::syntax::diagnostic::ErrorKind;

/// A line of a program, without its facts.
pub struct Line {
    pub code: String,
    /// The expressions whose types the line reveals.
    pub reveals: Vec<String>,
}

impl Line {
    fn indent(&self) -> &str {
        &self.code[..self.code.len() - self.code.trim_start().len()]
    }

    /// Whether nothing behind the line in its block is reached.
    fn leaves(&self) -> bool {
        let word = self.code.trim_start().split(' ').next();
        matches!(word, Some("return" | "raise" | "break" | "continue"))
    }
}

/// A program and what it asks.
pub struct Program {
    pub lines: Vec<Line>,
}

const REVEAL: &str = "# reveal ";

impl Program {
    /// Reads the lines of a block.
    pub fn read(lines: &[String]) -> Program {
        Program {
            lines: lines.iter().map(|line| read_line(line)).collect(),
        }
    }

    /// The source, with nothing that states facts.
    pub fn source(&self) -> String {
        let lines = self.lines.iter().map(|line| format!("{}\n", line.code));
        lines.collect()
    }

    /// The lines again, stating the facts.
    pub fn stating(&self, facts: &Facts) -> Vec<String> {
        let lines = self.lines.iter().enumerate();
        let line = |(i, line): (usize, &Line)| {
            let mut out = line.code.clone();
            if !line.reveals.is_empty() {
                let types = line.reveals.iter().zip(facts.revealed(i));
                let types: Vec<String> = types.map(|(e, ty)| format!("{e}: {ty}")).collect();
                push_comment(&mut out, &format!("{REVEAL}{}", types.join("; ")));
            }
            for error in facts.errors_at(i) {
                push_comment(&mut out, error);
            }
            out
        };
        lines.map(line).collect()
    }

    /// The source with an expression as a statement behind a line, or before one that leaves; and the bytes that the
    /// expression has there.
    pub fn with_statement(&self, index: usize, expression: &str) -> (String, Range<u32>) {
        let leaves = self.lines[index].leaves();
        let indent = match leaves {
            true => self.lines[index].indent(),
            false => self.indent_behind(index),
        };
        let mut out = String::new();
        let mut place = 0..0;
        let mut add = |out: &mut String| {
            out.push_str(indent);
            place = out.len() as u32..(out.len() + expression.len()) as u32;
            out.extend([expression, "\n"]);
        };
        for (i, line) in self.lines.iter().enumerate() {
            if i == index && leaves {
                add(&mut out);
            }
            out.extend([&*line.code, "\n"]);
            if i == index && !leaves {
                add(&mut out);
            }
        }
        (out, place)
    }

    /// The indentation of what follows a line: deeper where the line opens a block.
    fn indent_behind(&self, index: usize) -> &str {
        let opens = self.lines[index].code.ends_with(':');
        let rest = &self.lines[index + usize::from(opens)..];
        let next = rest.iter().find(|line| !line.code.trim().is_empty());
        next.map_or("", Line::indent)
    }
}

fn push_comment(line: &mut String, comment: &str) {
    if !line.is_empty() {
        line.push_str("  ");
    }
    line.push_str(comment);
}

fn read_line(line: &str) -> Line {
    let facts = line
        .match_indices("# ")
        .find(|(at, _)| states_fact(&line[*at..]));
    let Some((at, _)) = facts else {
        return Line {
            code: line.trim_end().to_string(),
            reveals: Vec::new(),
        };
    };
    let stated = line[at..].strip_prefix(REVEAL).unwrap_or_default();
    let stated = stated.split("  # ").next().unwrap_or_default();
    let expressions = stated.split(';').filter_map(|part| {
        let expression = part.split_once(": ").map_or(part, |(e, _)| e).trim();
        (!expression.is_empty()).then(|| expression.to_string())
    });
    Line {
        code: line[..at].trim_end().to_string(),
        reveals: expressions.collect(),
    }
}

/// Whether a comment is one that states a fact: `# reveal x: ..`, `# error: ..`, `# ValueError `x`: ..`.
fn states_fact(comment: &str) -> bool {
    let word = comment[2..].split([' ', ':']).next().unwrap_or_default();
    comment.starts_with(REVEAL) || word == "error" || ErrorKind::from_class_name(word).is_some()
}
