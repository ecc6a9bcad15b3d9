//! The form of a file of cases: headings, prose, programs, and the blocks that state facts about them.

use super::facts::Facts;
use super::program::Program;
use std::fmt;

/// A piece of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// `## What it shows`.
    Heading(String),
    /// Anything between.
    Prose(String),
    /// A fenced block: what stands behind the fence, and the lines inside.
    Block { info: String, lines: Vec<String> },
}

/// A file of cases.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The parts, each with the number of its first line.
    pub parts: Vec<(usize, Part)>,
}

/// Why a text is no file of cases.
#[derive(Debug, PartialEq)]
pub struct Malformed {
    pub line: usize,
    pub message: String,
}

/// What the first word behind a fence may be.
const KINDS: &[&str] = &["python", "graph", "code", "output"];

impl Document {
    /// Reads a file. Whatever would not be checked is refused: unknown blocks, facts without a program, headings
    /// without one.
    pub fn parse(text: &str) -> Result<Document, Malformed> {
        let mut parts = Vec::new();
        let mut lines = text.lines().enumerate();
        while let Some((i, line)) = lines.next() {
            let part = match line.strip_prefix("```") {
                Some(info) => {
                    let mut inside = Vec::new();
                    loop {
                        match lines.next() {
                            Some((_, "```")) => break,
                            Some((_, line)) => inside.push(line.to_string()),
                            None => return Err(malformed(i, "the block does not end")),
                        }
                    }
                    Part::Block {
                        info: info.trim().to_string(),
                        lines: inside,
                    }
                }
                None if line.starts_with("## ") => Part::Heading(line.to_string()),
                None => Part::Prose(line.to_string()),
            };
            parts.push((i + 1, part));
        }
        let document = Document { parts };
        document.validate()?;
        Ok(document)
    }

    fn validate(&self) -> Result<(), Malformed> {
        let mut heading: Option<usize> = None;
        let (mut explained, mut has_program, mut cases) = (false, false, 0);
        for (line, part) in &self.parts {
            let problem = match part {
                Part::Heading(_) => {
                    let unfinished = heading.is_some() && !has_program;
                    (heading, explained, has_program) = (Some(*line), false, false);
                    unfinished.then_some("the case above has no program")
                }
                Part::Prose(text) => {
                    explained |= !text.trim().is_empty();
                    None
                }
                Part::Block { info, .. } => {
                    let kind = info.split(' ').next().unwrap_or_default();
                    let is_program = kind == "python";
                    let problem = match () {
                        () if !KINDS.contains(&kind) => {
                            Some("blocks are python, graph, code or output")
                        }
                        () if heading.is_none() => Some("a case begins with a heading"),
                        () if is_program && !explained => {
                            Some("a sentence says what the case shows")
                        }
                        () if !is_program && !has_program => Some("the block follows no program"),
                        () => None,
                    };
                    has_program |= is_program;
                    cases += usize::from(is_program);
                    problem
                }
            };
            if let Some(message) = problem {
                return Err(malformed(line - 1, message));
            }
        }
        let last = self.parts.len().saturating_sub(1);
        match (cases, heading, has_program) {
            (0, ..) => Err(malformed(0, "there is no case in the file")),
            (_, Some(_), false) => Err(malformed(last, "the last case has no program")),
            _ => Ok(()),
        }
    }

    /// The same document with the facts as they are.
    pub fn found(&self) -> Document {
        let mut facts = None;
        let found = self.parts.iter().map(|(line, part)| {
            let part = match part {
                Part::Block { info, lines } if info == "python" => {
                    let program = Program::read(lines);
                    let known = facts.insert(Facts::of(&program));
                    let lines = program.stating(known);
                    Part::Block {
                        info: info.clone(),
                        lines,
                    }
                }
                Part::Block { info, .. } => Part::Block {
                    info: info.clone(),
                    lines: facts.as_ref().map_or_else(Vec::new, |f| f.block(info)),
                },
                other => other.clone(),
            };
            (*line, part)
        });
        Document {
            parts: found.collect(),
        }
    }
}

fn malformed(index: usize, message: &str) -> Malformed {
    Malformed {
        line: index + 1,
        message: message.to_string(),
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (_, part) in &self.parts {
            match part {
                Part::Heading(line) | Part::Prose(line) => writeln!(f, "{line}")?,
                Part::Block { info, lines } => {
                    writeln!(f, "```{info}")?;
                    for line in lines {
                        writeln!(f, "{line}")?;
                    }
                    writeln!(f, "```")?;
                }
            }
        }
        Ok(())
    }
}
