//! The child process that makes the calls: reads requests from standard input, answers a line per record.
//!
//! A process of its own, because a kernel that hangs, overflows the stack or exhausts memory cannot be stopped
//! from within. The parent knows which record was being worked on: the one after the last answer.

use std::io::{BufRead, Write};

use rushlight_types::OperatorTable;
use serde_json::{Value as Json, json};

use super::perform::{Outcome, keep_panics, perform};
use super::record::{Header, Record};
use crate::report::Grade;

/// A file to work through.
#[derive(Clone, Debug)]
pub struct Request {
    /// The corpus file.
    pub path: String,
    /// The first record to do; those before it have been done.
    pub from: usize,
    /// Only records whose schema or id has this in it, unless the file's name has.
    pub filter: String,
}

impl Request {
    /// The line that the child reads.
    pub fn line(&self) -> String {
        json!({"path": self.path, "from": self.from, "filter": self.filter}).to_string()
    }

    fn read(line: &str) -> Option<Self> {
        let json: Json = serde_json::from_str(line).ok()?;
        Some(Self {
            path: json["path"].as_str()?.to_owned(),
            from: json["from"].as_u64()? as usize,
            filter: json["filter"].as_str()?.to_owned(),
        })
    }
}

/// An answer of the child.
#[derive(Clone, Debug)]
pub enum Answer {
    /// What came of the record with this number.
    Record {
        number: usize,
        operator: String,
        id: String,
        grade: Grade,
        reason: String,
        detail: String,
    },
    /// This record is being worked on; sent before anything that may not return.
    Begins {
        number: usize,
        operator: String,
        id: String,
    },
    /// The file is finished.
    Done,
    /// The file cannot be read.
    Broken(String),
}

const GRADES: &[(&str, Grade)] = &[
    ("exact", Grade::Exact),
    ("relaxed", Grade::Relaxed),
    ("failed", Grade::Failed),
    ("skipped", Grade::Skipped),
];

impl Answer {
    fn line(&self) -> String {
        match self {
            Answer::Record {
                number,
                operator,
                id,
                grade,
                reason,
                detail,
            } => {
                let grade = GRADES
                    .iter()
                    .find(|(_, known)| known == grade)
                    .map_or("failed", |(name, _)| name);
                json!(["record", number, operator, id, grade, reason, detail])
            }
            Answer::Begins {
                number,
                operator,
                id,
            } => json!(["begins", number, operator, id]),
            Answer::Done => json!(["done"]),
            Answer::Broken(message) => json!(["broken", message]),
        }
        .to_string()
    }

    /// Reads a line of the child.
    pub fn read(line: &str) -> Option<Self> {
        let json: Json = serde_json::from_str(line).ok()?;
        let text = |index: usize| json[index].as_str().map(str::to_owned);
        let number = || json[1].as_u64().map(|number| number as usize);
        Some(match json[0].as_str()? {
            "record" => {
                let grade = text(4)?;
                Answer::Record {
                    number: number()?,
                    operator: text(2)?,
                    id: text(3)?,
                    grade: GRADES.iter().find(|(name, _)| *name == grade)?.1,
                    reason: text(5)?,
                    detail: text(6)?,
                }
            }
            "begins" => Answer::Begins {
                number: number()?,
                operator: text(2)?,
                id: text(3)?,
            },
            "done" => Answer::Done,
            "broken" => Answer::Broken(text(1)?),
            _ => return None,
        })
    }
}

/// The child's whole life.
pub fn serve(table: &OperatorTable) {
    keep_panics();
    let mut out = std::io::stdout().lock();
    let mut say = |answer: Answer| {
        // The parent is gone when this fails, and nobody else listens.
        if writeln!(out, "{}", answer.line())
            .and_then(|()| out.flush())
            .is_err()
        {
            std::process::exit(1);
        }
    };
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Some(request) = Request::read(&line) else {
            return;
        };
        match work(table, &request, &mut say) {
            Ok(()) => say(Answer::Done),
            Err(message) => say(Answer::Broken(message)),
        }
    }
}

fn work(
    table: &OperatorTable,
    request: &Request,
    say: &mut impl FnMut(Answer),
) -> Result<(), String> {
    let text = std::fs::read_to_string(&request.path)
        .map_err(|error| format!("{}: {error}", request.path))?;
    let mut lines = text.lines();
    let header = Header::read(lines.next().unwrap_or("{}"))?;
    let whole_file = request
        .path
        .rsplit('/')
        .next()
        .is_some_and(|name| name.contains(&request.filter));
    for (number, line) in lines.enumerate().skip(request.from) {
        let record = match Record::read(line) {
            Ok(record) => record,
            Err(detail) => {
                say(unreadable(number, detail));
                continue;
            }
        };
        let schema = record.schema.as_deref().unwrap_or_default();
        if !whole_file && !schema.contains(&request.filter) && !record.id.contains(&request.filter)
        {
            continue;
        }
        let operator = record.operator().to_owned();
        let id = record.id.clone();
        say(Answer::Begins {
            number,
            operator: operator.clone(),
            id: id.clone(),
        });
        let Outcome { grade, difference } = perform(table, &header, &record);
        let reason = difference.reason.to_owned();
        say(Answer::Record {
            number,
            operator,
            id,
            grade,
            reason,
            detail: difference.detail,
        });
    }
    Ok(())
}

/// A record in another form than ours is a failure of that record.
fn unreadable(number: usize, detail: String) -> Answer {
    Answer::Record {
        number,
        operator: "unreadable".to_owned(),
        id: number.to_string(),
        grade: Grade::Failed,
        reason: "record".to_owned(),
        detail,
    }
}
