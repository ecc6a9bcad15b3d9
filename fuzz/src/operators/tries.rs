//! What tries are made from, and how: number and seed say which operator is called with which arguments.

use std::collections::{BTreeSet, HashMap};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use rushlight::types::{Operator, OperatorTable, Type};
use rushlight_filetests::ops::record::Record;
use rushlight_filetests::recorded::Recorded;

use super::arg::{Arg, Call};
use super::hostile;
use super::synthesise::{arguments, of_value};
use crate::random::Random;

/// Longer records make every try slow and teach nothing more.
const LONGEST: usize = 2500;

/// So many records of an operator are enough for variety.
const MOST: usize = 16;

/// Calls that no corpus has and that little would come of without: those that pack weights.
const OWN: &str = include_str!("calls.jsonl");

/// Operators and the calls of them that are known.
pub struct Materials {
    pub table: &'static OperatorTable,
    /// Every operator, in a fixed order.
    pub operators: Vec<&'static Operator>,
    calls: HashMap<String, Vec<Vec<Arg>>>,
    /// The strings that stand among the arguments: modes, equations.
    pub strings: Vec<String>,
}

impl Materials {
    fn new(table: &'static OperatorTable) -> Self {
        Self {
            table,
            operators: table.all(),
            calls: HashMap::new(),
            strings: Vec::new(),
        }
    }

    /// Reads the operator corpora in `folders`: up to so many calls of each operator, short ones, in the order of
    /// files and lines.
    pub fn read(table: &'static OperatorTable, folders: &[PathBuf]) -> Result<Self, String> {
        let mut materials = Self::new(table);
        let paths = rushlight_filetests::ops::find(folders)?;
        let lines = paths.iter().flat_map(|path| {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        });
        for line in lines.filter(|line| line.len() <= LONGEST) {
            // Headers, records of other corpora and what has no operator are not for us.
            if let Ok(record) = Record::read(&line) {
                materials.add_record(&record);
            }
        }
        materials.add_own()?;
        Ok(materials)
    }

    fn add_own(&mut self) -> Result<(), String> {
        for line in OWN.lines().filter(|line| !line.trim().is_empty()) {
            self.add_line(line)?;
        }
        self.finish();
        Ok(())
    }

    fn add_record(&mut self, record: &Record) {
        let schema = record.schema.as_deref().unwrap_or_default();
        let Some(operator) = self.table.find_schema(schema) else {
            return;
        };
        let known = self.recorded(operator.full_name());
        if known.len() >= MOST {
            return;
        }
        let formal = &operator.schema().arguments;
        let mut args = Vec::new();
        for argument in formal {
            let arg = match record.arg(&argument.name) {
                Some(given) => Arg::of_recorded(given).ok(),
                None => argument.default.as_ref().map_or(Some(Arg::None), of_value),
            };
            // An argument that has no spelling here leaves the call out.
            let Some(arg) = arg else { return };
            args.push(arg);
        }
        if let Some(Recorded::List(rest)) = record.arg("varargs") {
            args.extend(rest.iter().filter_map(|arg| Arg::of_recorded(arg).ok()));
        }
        self.add(operator.full_name(), args);
    }

    fn add(&mut self, operator: &str, args: Vec<Arg>) {
        let calls = self.calls.entry(operator.to_owned()).or_default();
        if !calls.contains(&args) {
            calls.push(args);
        }
    }

    fn add_line(&mut self, line: &str) -> Result<(), String> {
        let json = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let call = Call::read(&json)?;
        self.add(&call.operator, call.args);
        Ok(())
    }

    fn finish(&mut self) {
        let mut strings = BTreeSet::new();
        let all = self.calls.values().flatten().flatten();
        all.for_each(|arg| {
            if let Arg::Str(text) = arg {
                strings.insert(text.clone());
            }
        });
        self.strings = strings.into_iter().collect();
    }

    /// Writes the calls down for the children.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let told = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut file = std::io::BufWriter::new(std::fs::File::create(path).map_err(told)?);
        for operator in &self.operators {
            for args in self.recorded(operator.full_name()) {
                let call = Call {
                    operator: operator.full_name().to_owned(),
                    args: args.clone(),
                };
                writeln!(file, "{}", call.write()).map_err(told)?;
            }
        }
        file.flush().map_err(told)
    }

    /// Reads what [`Materials::write`] wrote.
    pub fn read_back(table: &'static OperatorTable, path: &Path) -> Result<Self, String> {
        let told = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut materials = Self::new(table);
        for line in BufReader::new(std::fs::File::open(path).map_err(told)?).lines() {
            materials.add_line(&line.map_err(told)?)?;
        }
        materials.finish();
        Ok(materials)
    }

    /// The recorded arguments of calls of the operator with this full name.
    pub fn recorded(&self, full_name: &str) -> &[Vec<Arg>] {
        self.calls.get(full_name).map_or(&[], Vec::as_slice)
    }

    /// The operators that give a value of this type.
    pub fn makers(&self, ty: &Type) -> Vec<&'static Operator> {
        let gives = |operator: &&&'static Operator| {
            let returns = &operator.schema().returns;
            returns.len() == 1 && returns[0].ty == *ty
        };
        self.operators.iter().filter(gives).copied().collect()
    }

    /// The operator that try `number` calls: all take turns.
    pub fn operator(&self, number: u64) -> usize {
        (number % self.operators.len().max(1) as u64) as usize
    }

    /// The call of a try.
    pub fn make(&self, seed: u64, number: u64) -> Call {
        let operator = self.operators[self.operator(number)];
        let random = &mut Random::new(seed, number);
        let recorded = self.recorded(operator.full_name());
        let mut args = match random.pick(recorded) {
            Some(args) if !random.once_in(8) => args.clone(),
            _ => arguments(random, operator.schema(), self),
        };
        hostile::change(random, operator.schema(), &mut args, self);
        Call {
            operator: operator.full_name().to_owned(),
            args,
        }
    }
}
