//! The lines of an operator corpus: a header per file, then a record per call.

use serde_json::Value as Json;

use crate::compare::Tolerances;
use crate::recorded::{self, Recorded};

/// What the first line of a file says about all its records.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// How far results may be off.
    pub tolerances: Tolerances,
    /// In what way several answers are right; empty where one is.
    pub ambiguous: String,
    /// What the random stream was started from before each call.
    pub seed: u64,
}

/// One recorded call.
#[derive(Clone, Debug)]
pub struct Record {
    /// Identifies schema and arguments.
    pub id: String,
    /// The overload as the reference spells it; `None` where the failure came before any operator was reached.
    pub schema: Option<String>,
    /// `function`, `inplace`, `jit`, ...
    pub variant: String,
    /// The arguments that were given, by name.
    pub args: Vec<(String, Recorded)>,
    /// What must come of it.
    pub expected: Expected,
}

/// What must come of a call.
#[derive(Clone, Debug)]
pub enum Expected {
    /// It returns.
    Returns {
        /// One per declared return.
        out: Vec<Recorded>,
        /// The written arguments as they are afterwards.
        mutated: Vec<(String, Recorded)>,
    },
    /// It fails.
    Raises {
        /// The class of the exception.
        class: String,
        /// The text to aim for.
        message: String,
    },
}

impl Header {
    /// Reads the first line.
    pub fn read(line: &str) -> Result<Self, String> {
        let json = parse(line)?;
        let ambiguous = json["ambiguous"].as_str().unwrap_or_default();
        Ok(Self {
            tolerances: Tolerances::read(&json["tol"]),
            ambiguous: ambiguous.to_owned(),
            seed: json["seed"].as_u64().unwrap_or_default(),
        })
    }
}

impl Record {
    /// Reads one of the other lines.
    pub fn read(line: &str) -> Result<Self, String> {
        let json = parse(line)?;
        let text = |key: &str| json[key].as_str().map(str::to_owned);
        let expected = match text("kind").as_deref() {
            Some("call") => Expected::Returns {
                out: match recorded::read(&json["out"])? {
                    Recorded::List(out) => out,
                    other => return Err(format!("`out` is {other:?}")),
                },
                mutated: read_named(&json["mutated"])?,
            },
            Some("error") => {
                let field = |key: &str| json["error"][key].as_str().unwrap_or_default().to_owned();
                Expected::Raises {
                    class: field("type"),
                    message: field("message"),
                }
            }
            kind => return Err(format!("a record of kind {kind:?}")),
        };
        Ok(Self {
            id: text("id").ok_or("a record without id")?,
            schema: text("schema"),
            variant: text("variant").unwrap_or_default(),
            args: read_named(&json["args"])?,
            expected,
        })
    }

    /// `aten::add.Tensor`; empty without a schema.
    pub fn operator(&self) -> &str {
        let schema = self.schema.as_deref().unwrap_or_default();
        schema.split_once('(').map_or(schema, |(name, _)| name)
    }

    /// An argument by name.
    pub fn arg(&self, name: &str) -> Option<&Recorded> {
        self.args
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }

    /// Whether the record tells which results share storage; those of the interpreter do not.
    pub fn tells_aliases(&self) -> bool {
        self.variant != "jit"
    }
}

fn parse(line: &str) -> Result<Json, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

fn read_named(json: &Json) -> Result<Vec<(String, Recorded)>, String> {
    let entries = json.as_object().into_iter().flatten();
    entries
        .map(|(name, value)| Ok((name.clone(), recorded::read(value)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_read() {
        let record = Record::read(
            r#"{"kind":"call","op":"f","variant":"inplace","dtype":null,"schema":"aten::f_.x(Tensor(a!) self) -> Tensor(a!)",
                "args":{"self":{"t":"bool","shape":[],"data":[1]}},"out":[{"arg":"self"}],
                "mutated":{"self":{"t":"bool","shape":[],"data":[0]}},"id":"0123456789abcdef"}"#,
        )
        .expect("a record");
        assert_eq!(record.operator(), "aten::f_.x");
        let Expected::Returns { out, mutated } = &record.expected else {
            panic!("a call")
        };
        assert_eq!(out, &[Recorded::Argument("self".to_owned())]);
        assert_eq!(mutated.len(), 1);
        assert!(record.arg("self").is_some());
    }

    #[test]
    fn an_error_is_read() {
        let record = Record::read(
            r#"{"kind":"error","op":"f","variant":"function","schema":null,"py":{},"error":{"type":"TypeError","message":"m"},"id":"0"}"#,
        )
        .expect("a record");
        assert!(record.schema.is_none());
        assert!(matches!(record.expected, Expected::Raises { class, .. } if class == "TypeError"));
    }
}
