//! `rushlight diff`: what two models (or source files) differ in.

mod changes;
mod side;
mod unified;

use crate::Done;
use crate::compare::{self, Tolerance, short_number};
use changes::{Changes, Code};
use clap::{Args, ValueEnum};
use side::Side;
use std::io::{IsTerminal, Write};

/// What stands below the options in the help.
pub const HELP: &str = "\
Exit status: 0 where there are no differences, 1 where there are some, 2 where a file cannot be read.

Examples:
  rushlight diff before.pt after.pt
  rushlight diff model.pt model_f16.pt --only attributes
  rushlight diff epoch1.pt epoch2.pt --only weights --most 0      all weights that differ
  rushlight diff a.pt b.pt --atol 1e-6 --json";

/// What to compare, and how to show it.
#[derive(Args)]
pub struct Options {
    /// FILE.pt, FILE.py or FILE.py:FUNCTION
    pub old: String,
    /// FILE.pt, FILE.py or FILE.py:FUNCTION
    pub new: String,
    /// Weights count as equal up to this relative difference
    #[arg(long, default_value = "0", value_parser = compare::tolerance)]
    pub rtol: f64,
    /// Weights count as equal up to this absolute difference
    #[arg(long, default_value = "0", value_parser = compare::tolerance)]
    pub atol: f64,
    /// Show only this (everything still counts for the exit status)
    #[arg(long, value_enum)]
    pub only: Vec<Part>,
    /// Show so many weights, those with the largest differences first (0: all)
    #[arg(long, default_value_t = 20)]
    pub most: usize,
    /// Colours: on a terminal only, always or never
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
    /// Print the differences as JSON
    #[arg(long)]
    pub json: bool,
}

/// What files may differ in.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    Code,
    Operators,
    Attributes,
    Weights,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// Compares and shows: whether there are no differences.
pub fn run(options: &Options, out: &mut dyn Write) -> Done<bool> {
    let (old, new) = (Side::read(&options.old)?, Side::read(&options.new)?);
    let tolerance = Tolerance {
        rtol: Some(options.rtol),
        atol: Some(options.atol),
    };
    let changes = Changes::between(&old, &new, tolerance);
    if options.json {
        writeln!(out, "{}", changes.json())?;
    } else if !changes.is_empty() {
        Text::of(options).show(&changes, out)?;
    }
    Ok(changes.is_empty())
}

/// Differences for people.
struct Text<'o> {
    options: &'o Options,
    is_colored: bool,
}

impl Text<'_> {
    fn of(options: &Options) -> Text<'_> {
        let wants = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let is_colored = match options.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => wants && std::io::stdout().is_terminal(),
        };
        Text {
            options,
            is_colored,
        }
    }

    fn show(&self, changes: &Changes, out: &mut dyn Write) -> Done {
        let is_wanted = |part| self.options.only.is_empty() || self.options.only.contains(&part);
        let found = [
            (Part::Code, changes.code.is_empty()),
            (Part::Operators, changes.operators.is_empty()),
            (Part::Attributes, changes.attributes.is_empty()),
            (Part::Weights, changes.weights.is_empty()),
        ];
        if found
            .iter()
            .all(|(part, is_empty)| !is_wanted(*part) || *is_empty)
        {
            writeln!(
                out,
                "nothing of this differs; other things do (without --only)"
            )?;
        }
        if is_wanted(Part::Code) {
            for code in &changes.code {
                self.code(code, out)?;
            }
        }
        if is_wanted(Part::Operators) && !changes.operators.is_empty() {
            writeln!(out, "Operators")?;
            let lines: Vec<[String; 3]> = changes
                .operators
                .iter()
                .map(|(name, old, new)| {
                    let what = match (old, new) {
                        (0, _) => "gained",
                        (_, 0) => "lost",
                        _ => "",
                    };
                    [
                        format!("  {name}"),
                        format!("x{old} -> x{new}"),
                        what.into(),
                    ]
                })
                .collect();
            writeln!(out, "{}", compare::columns(&lines))?;
        }
        if is_wanted(Part::Attributes) && !changes.attributes.is_empty() {
            writeln!(out, "Attributes")?;
            for changed in &changes.attributes {
                for (mark, text) in [("-", &changed.old), ("+", &changed.new)] {
                    if let Some(text) = text {
                        let line = format!("{mark} {}: {text}", changed.path);
                        writeln!(out, "{}", self.colored(&line))?;
                    }
                }
            }
            writeln!(out)?;
        }
        if is_wanted(Part::Weights) && !changes.weights.is_empty() {
            self.weights(changes, out)?;
        }
        Ok(())
    }

    fn code(&self, code: &Code, out: &mut dyn Write) -> Done {
        const NAMED: usize = 3;
        let mut names = code.names[..code.names.len().min(NAMED)].join(", ");
        if code.names.len() > NAMED {
            names.push_str(&format!(" and {} more", code.names.len() - NAMED));
        }
        let (old, new) = (&self.options.old, &self.options.new);
        let head = match code.what {
            "added" => format!("--- (nothing)\n+++ {new}: {names}"),
            "removed" => format!("--- {old}: {names}\n+++ (nothing)"),
            _ => format!("--- {old}: {names}\n+++ {new}: {names}"),
        };
        for line in head.lines().chain(code.text.trim_end().lines()) {
            writeln!(out, "{}", self.colored(line))?;
        }
        writeln!(out)?;
        Ok(())
    }

    fn weights(&self, changes: &Changes, out: &mut dyn Write) -> Done {
        let all = changes.weights.len();
        let shown = match self.options.most {
            0 => all,
            most => most.min(all),
        };
        writeln!(out, "Weights")?;
        let head = [
            "  name",
            "kind",
            "max abs",
            "relative",
            "elements that differ",
        ];
        let mut lines = vec![head.map(String::from)];
        lines.extend(changes.weights[..shown].iter().map(|weight| {
            [
                format!("  {}", weight.path),
                weight.kind.clone(),
                short_number(weight.difference.max_abs),
                short_number(weight.relative),
                format!(
                    "{} of {}",
                    weight.difference.outside, weight.difference.count
                ),
            ]
        }));
        write!(out, "{}", compare::columns(&lines))?;
        if shown < all {
            writeln!(out, "  and {} more (--most 0 shows all)", all - shown)?;
        }
        Ok(())
    }

    /// A line of a diff in its colour.
    fn colored(&self, line: &str) -> String {
        let code = match line {
            _ if !self.is_colored => return line.to_string(),
            line if line.starts_with("---") || line.starts_with("+++") => "1",
            line if line.starts_with('-') => "31",
            line if line.starts_with('+') => "32",
            line if line.starts_with("@@") => "36",
            _ => return line.to_string(),
        };
        format!("\x1b[{code}m{line}\x1b[0m")
    }
}
