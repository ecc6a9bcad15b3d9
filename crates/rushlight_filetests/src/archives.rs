//! Archives with the answers that were recorded for them: `expected.json` beside the archives.
//!
//! The calls of one file are made in order on one loaded instance; some modules keep state. Then the file is loaded
//! anew, saved, loaded and saved again, which must change nothing more, and the calls are made on what came back. A file
//! matches when all its calls do, both times.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rushlight::archive::bytes::Bytes;
use rushlight::{Context, Fault, Limits, Value};
use serde_json::Value as Json;

use crate::bridge::{from_value, to_value};
use crate::compare::{Tolerance, Tolerances, compare, same_strides};
use crate::files::files_below;
use crate::recorded::{Recorded, read_float, read_tensor};
use crate::report::{Case, Grade};

/// The tolerance for whole models; a single operator has less.
const MODEL: Tolerance = Tolerance {
    rtol: 1e-4,
    atol: 1e-5,
};

/// The longest a call may take.
const LONGEST: Duration = Duration::from_secs(60);

/// A loaded archive.
pub trait Instance {
    /// Calls a method.
    fn call(&self, method: &str, args: Vec<Value>) -> Result<Value, Fault>;
}

impl Instance for rushlight::Module {
    fn call(&self, method: &str, args: Vec<Value>) -> Result<Value, Fault> {
        rushlight::Module::call(self, method, &args)
    }
}

/// Loads an archive in a context that prints nothing and stops after a while.
pub fn load(path: &Path) -> Result<Box<dyn Instance>, Fault> {
    let fault = |error: &dyn std::fmt::Display| Fault::runtime(error.to_string());
    let bytes = Bytes::map(path).map_err(|error| fault(&error))?;
    let context = Context::silent();
    context.set_limits(Limits {
        millis: LONGEST.as_millis() as u64,
        ..Limits::default()
    });
    let module = rushlight::load_bytes(bytes, Arc::new(context)).map_err(|error| fault(&error))?;
    Ok(Box::new(module))
}

/// Loads an archive, saves it, and loads what was saved.
pub fn load_saved(path: &Path) -> Result<Box<dyn Instance>, Fault> {
    let fault = |error: &dyn std::fmt::Display| Fault::runtime(error.to_string());
    let options = rushlight::SaveOptions {
        source_ranges: false,
        ..Default::default()
    };
    let load = |bytes: Bytes| -> Result<rushlight::Module, Fault> {
        let context = Context::silent();
        context.set_limits(Limits {
            millis: LONGEST.as_millis() as u64,
            ..Limits::default()
        });
        rushlight::load_bytes(bytes, Arc::new(context)).map_err(|error| fault(&error))
    };
    let save = |module: &rushlight::Module| -> Result<Vec<u8>, Fault> {
        module.to_bytes(&options).map_err(|error| fault(&error))
    };
    // What the first saving writes has the names that printing gives; from then on nothing may change.
    let first = load(Bytes::map(path).map_err(|error| fault(&error))?)?;
    let settled = save(&load(save(&first)?.into())?)?;
    let again = save(&load(settled.clone().into())?)?;
    if again != settled {
        return Err(Fault::runtime("saving once more gives other bytes"));
    }
    load(settled.into()).map(|module| Box::new(module) as Box<dyn Instance>)
}

/// How to load an archive.
pub type Load = fn(&Path) -> Result<Box<dyn Instance>, Fault>;

/// One archive with its calls.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    calls: Vec<Call>,
}

#[derive(Debug)]
struct Call {
    method: String,
    args: Vec<Recorded>,
    expected: Expected,
}

#[derive(Debug)]
enum Expected {
    Result(Recorded),
    Error { class: String, message: String },
}

/// The archives that each `expected.json` in `dirs` and below tells about.
pub fn find(dirs: &[PathBuf], filter: &str) -> Result<Vec<Archive>, String> {
    let mut archives = Vec::new();
    for list in files_below(dirs, |path| {
        path.file_name().is_some_and(|name| name == "expected.json")
    })? {
        let text = std::fs::read_to_string(&list)
            .map_err(|error| format!("{}: {error}", list.display()))?;
        let json: Json =
            serde_json::from_str(&text).map_err(|error| format!("{}: {error}", list.display()))?;
        for (name, entry) in json
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| name.contains(filter))
        {
            let calls = entry["calls"].as_array().into_iter().flatten();
            let calls = calls.map(read_call).collect::<Result<_, _>>();
            let path = list.with_file_name(name);
            archives.push(Archive {
                path,
                calls: calls.map_err(|why| format!("{name}: {why}"))?,
            });
        }
    }
    Ok(archives)
}

fn read_call(json: &Json) -> Result<Call, String> {
    let args = json["args"]
        .as_array()
        .into_iter()
        .flatten()
        .map(read)
        .collect::<Result<_, _>>()?;
    let expected = match json.get("error") {
        Some(error) => {
            let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
            // Older lists hold the message alone.
            let message = error
                .as_str()
                .map_or_else(|| text("last_line"), str::to_owned);
            Expected::Error {
                class: text("type"),
                message,
            }
        }
        None => Expected::Result(read(&json["result"])?),
    };
    Ok(Call {
        method: json["method"]
            .as_str()
            .ok_or("a call without method")?
            .to_owned(),
        args,
        expected,
    })
}

/// Reads a value of these lists.
fn read(json: &Json) -> Result<Recorded, String> {
    let object = json
        .as_object()
        .ok_or_else(|| format!("`{json}` is no value"))?;
    if object.contains_key("t") {
        return Ok(Recorded::Tensor(read_tensor(json)?));
    }
    let all = |items: &Json| {
        items
            .as_array()
            .into_iter()
            .flatten()
            .map(read)
            .collect::<Result<Vec<_>, _>>()
    };
    match object
        .iter()
        .next()
        .map(|(key, value)| (key.as_str(), value))
    {
        Some(("tuple", items)) => Ok(Recorded::Tuple(all(items)?)),
        Some(("list", items)) => Ok(Recorded::List(all(items)?)),
        Some(("dict", entries)) => {
            let pair = |entry: &Json| Ok((read(&entry[0])?, read(&entry[1])?));
            Ok(Recorded::Dict(
                entries
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(pair)
                    .collect::<Result<_, String>>()?,
            ))
        }
        Some(("v", value)) if json["kind"] == "float" => Ok(Recorded::Float(read_float(value)?)),
        Some(("v", value)) => crate::recorded::read(value),
        _ => Err(format!("`{json}` is no value")),
    }
}

/// Runs every call; the results come in order.
pub fn run(archives: &[Archive], load: Load) -> Vec<Case> {
    archives
        .iter()
        .flat_map(|archive| run_one(archive, load))
        .collect()
}

fn run_one(archive: &Archive, load: Load) -> Vec<Case> {
    let instance = guarded(|| load(&archive.path));
    let calls = archive.calls.iter().enumerate();
    let cases = calls.map(|(number, call)| {
        let outcome = match &instance {
            Ok(Ok(instance)) => run_call(instance.as_ref(), call),
            Ok(Err(fault)) => failed("does not load", format!("{fault:?}")),
            Err(message) => failed("panics", message.clone()),
        };
        case(archive, number, call, outcome)
    });
    cases.collect()
}

/// As [`run`], on what saving and loading gives back.
pub fn run_saved(archives: &[Archive]) -> Vec<Case> {
    let mut cases = run(archives, load_saved);
    for case in &mut cases {
        case.id.push_str(" saved");
    }
    cases
}

fn case(archive: &Archive, number: usize, call: &Call, outcome: Outcome) -> Case {
    let name = archive
        .path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    Case {
        row: name.clone(),
        group: name,
        id: number.to_string(),
        grade: outcome.grade,
        reason: outcome.reason.to_owned(),
        detail: format!("{}: {}", call.method, outcome.detail),
    }
}

struct Outcome {
    grade: Grade,
    reason: &'static str,
    detail: String,
}

fn failed(reason: &'static str, detail: impl Into<String>) -> Outcome {
    Outcome {
        grade: Grade::Failed,
        reason,
        detail: detail.into(),
    }
}

fn matched(exactly: bool) -> Outcome {
    Outcome {
        grade: if exactly {
            Grade::Exact
        } else {
            Grade::Relaxed
        },
        reason: "",
        detail: String::new(),
    }
}

fn run_call(instance: &dyn Instance, call: &Call) -> Outcome {
    let args = call
        .args
        .iter()
        .map(|arg| to_value(arg, &rushlight_types::Type::Any, None));
    let args: Vec<Value> = match args.collect() {
        Ok(args) => args,
        Err(why) => return failed("arguments", why),
    };
    match (
        &call.expected,
        guarded(|| instance.call(&call.method, args)),
    ) {
        (_, Err(message)) => failed("panics", message),
        (Expected::Result(want), Ok(Ok(got))) => {
            let got = from_value(&got);
            match compare(want, &got, &Tolerances::default().with_float32(MODEL)) {
                Ok(()) => matched(same_strides(want, &got)),
                Err(found) => failed(found.reason, found.detail),
            }
        }
        (Expected::Result(_), Ok(Err(fault))) => failed("raises", format!("{fault:?}")),
        (Expected::Error { class, message }, Ok(Ok(_))) => {
            failed("raises nothing", format!("want {class}: {message}"))
        }
        (Expected::Error { class, message }, Ok(Err(fault))) => {
            compare_error(class, message, &fault)
        }
    }
}

/// An error matches by its class: the one that Python sees, and the one that the last line of the text begins
/// with, where the recorded line begins so.
fn compare_error(class: &str, message: &str, fault: &Fault) -> Outcome {
    let text = match fault.raised_class() {
        Some(raised) if !raised.is_empty() => format!("{raised}: {}", fault.message()),
        _ => rushlight::runtime::error_text(fault),
    };
    let line = text.trim_end().lines().last().unwrap_or_default();
    // `Error` is the interpreter's own class, which holds what a script raised itself.
    let same_class = match class {
        "" => true,
        "Error" => fault.raised_class().is_some(),
        _ => fault.class().python_name() == class,
    };
    let same_words = class_of(message).is_none_or(|class| class_of(line) == Some(class));
    if same_class && same_words {
        matched(line == message)
    } else {
        failed(
            "raises another class",
            format!("{line}; want {class}: {message}"),
        )
    }
}

/// `builtins.ValueError` of `builtins.ValueError: words`.
fn class_of(line: &str) -> Option<&str> {
    let (class, _) = line.split_once(':')?;
    let is_name = class
        .chars()
        .all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    (is_name && class.ends_with("Error")).then_some(class)
}

/// Runs `work`; a panic becomes its message.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        text.or(panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message")
            .to_owned()
    })
}

/// Whether a reason in the ledger is one of ours, to be renewed, and not one that somebody wrote.
pub fn is_automatic_reason(reason: &str) -> bool {
    reason == "does not load" || crate::ops::is_automatic_reason(reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counter(std::cell::Cell<i64>);

    impl Instance for Counter {
        fn call(&self, method: &str, args: Vec<Value>) -> Result<Value, Fault> {
            match method {
                "add" => {
                    self.0.set(self.0.get() + args[0].as_int()?);
                    Ok(Value::Int(self.0.get()))
                }
                "panic" => panic!("on purpose"),
                "raise" => Err(Fault::raised("builtins.ValueError", "on purpose")),
                _ => Err(Fault::value("no such method")),
            }
        }
    }

    fn grades(calls: &str) -> Vec<(Grade, String)> {
        let calls: Json = serde_json::from_str(calls).expect("JSON");
        let calls = calls
            .as_array()
            .expect("a list")
            .iter()
            .map(|call| read_call(call).expect("a call"))
            .collect();
        let archive = Archive {
            path: "counter.pt".into(),
            calls,
        };
        let cases = run(&[archive], |_| {
            Ok(Box::new(Counter(std::cell::Cell::new(0))))
        });
        cases
            .into_iter()
            .map(|case| (case.grade, case.reason))
            .collect()
    }

    #[test]
    fn calls_run_in_order_on_one_instance() {
        let found = grades(
            r#"[{"method":"add","args":[{"v":2}],"result":{"v":2}},
                {"method":"add","args":[{"v":3}],"result":{"v":5}},
                {"method":"add","args":[{"v":1}],"result":{"v":1}}]"#,
        );
        let grades: Vec<Grade> = found.iter().map(|(grade, _)| *grade).collect();
        assert_eq!(grades, [Grade::Exact, Grade::Exact, Grade::Failed]);
    }

    #[test]
    fn errors_match_by_class() {
        let found = grades(
            r#"[{"method":"x","args":[],"error":{"type":"ValueError","last_line":"no such method"}},
                {"method":"x","args":[],"error":{"type":"IndexError","last_line":"no such method"}},
                {"method":"raise","args":[],"error":{"type":"Error","last_line":"builtins.ValueError: other words"}},
                {"method":"raise","args":[],"error":{"type":"Error","last_line":"builtins.TypeError: on purpose"}},
                {"method":"panic","args":[],"error":{"type":"ValueError","last_line":"x"}}]"#,
        );
        let reasons: Vec<&str> = found.iter().map(|(_, reason)| reason.as_str()).collect();
        assert_eq!(
            reasons,
            [
                "",
                "raises another class",
                "",
                "raises another class",
                "panics"
            ]
        );
    }
}
