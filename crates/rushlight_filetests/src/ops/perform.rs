//! One record: the call is made and what came of it compared.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rushlight_types::{Context, ErrorClass, Fault, Operator, OperatorTable, Value};

use super::ambiguous;
use super::record::{Expected, Header, Record};
use crate::bridge::{arguments, from_value};
use crate::compare::{Difference, Tolerances, compare, same_strides};
use crate::recorded::Recorded;
use crate::report::Grade;

/// What came of a record.
pub struct Outcome {
    /// How well it matches: exact means the strides too.
    pub grade: Grade,
    /// Why not.
    pub difference: Difference,
}

impl Outcome {
    fn of(grade: Grade) -> Self {
        Self {
            grade,
            difference: Difference {
                reason: "",
                detail: String::new(),
            },
        }
    }

    fn failed(difference: Difference) -> Self {
        Self {
            grade: Grade::Failed,
            difference,
        }
    }
}

fn difference(reason: &'static str, detail: impl Into<String>) -> Difference {
    Difference {
        reason,
        detail: detail.into(),
    }
}

/// Makes the call that `record` describes. A panic is a failure of that record and of nothing else.
pub fn perform(table: &OperatorTable, header: &Header, record: &Record) -> Outcome {
    let Some(schema) = &record.schema else {
        return Outcome::of(Grade::Skipped);
    };
    let Some(operator) = table.find_schema(schema) else {
        let known = table.find(record.operator()).map(|operator| operator.text);
        return Outcome::failed(match known {
            Some(text) => difference("other schema", format!("the table has {text}")),
            None => difference("no operator", schema.clone()),
        });
    };
    match catch_unwind(AssertUnwindSafe(|| call(operator, header, record))) {
        Ok(Ok(grade)) => Outcome::of(grade),
        Ok(Err(difference)) => Outcome::failed(difference),
        Err(_) => Outcome::failed(difference("panics", LAST_PANIC.take())),
    }
}

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps the words of a panic for its record instead of printing them.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|info| {
        LAST_PANIC.set(info.to_string().replace('\n', " "))
    }));
}

fn call(
    operator: &'static Operator,
    header: &Header,
    record: &Record,
) -> Result<Grade, Difference> {
    let args =
        arguments(operator.schema(), &record.args).map_err(|why| difference("arguments", why))?;
    let context = Context::silent();
    context.manual_seed(header.seed);
    let outcome = operator.call_vec(&context, args.clone());
    match (&record.expected, outcome) {
        (Expected::Returns { out, mutated }, Ok(results)) => {
            let call = Finished {
                operator,
                header,
                record,
                args: &args,
                results: &results,
            };
            call.check_results(out, mutated)?;
            call.check_writes(mutated)?;
            Ok(if call.strides_agree(out) {
                Grade::Exact
            } else {
                Grade::Relaxed
            })
        }
        (Expected::Returns { .. }, Err(fault)) => Err(difference("raises", format!("{fault:?}"))),
        (Expected::Raises { class, message }, Ok(_)) => Err(difference(
            "raises nothing",
            format!("want {class}: {message}"),
        )),
        (Expected::Raises { class, message }, Err(fault)) => {
            if fault.class() == ErrorClass::Internal || seen_class(&fault, record) != class {
                return Err(difference(
                    "raises another class",
                    format!("{fault:?}; want {class}: {message}"),
                ));
            }
            Ok(if first_line(fault.message()) == first_line(message) {
                Grade::Exact
            } else {
                Grade::Relaxed
            })
        }
    }
}

/// The class that Python sees. An operator that was run in the interpreter fails with the interpreter's own
/// exception, a `RuntimeError`; only `NotImplementedError` passes through.
fn seen_class(fault: &Fault, record: &Record) -> &'static str {
    match fault.class() {
        ErrorClass::NotImplemented => ErrorClass::NotImplemented.python_name(),
        _ if record.variant == "jit" => ErrorClass::Runtime.python_name(),
        class => class.python_name(),
    }
}

fn first_line(message: &str) -> &str {
    message.trim().lines().next().unwrap_or("").trim_end()
}

/// A call that returned.
struct Finished<'a> {
    operator: &'static Operator,
    header: &'a Header,
    record: &'a Record,
    args: &'a [Value],
    results: &'a [Value],
}

impl Finished<'_> {
    fn argument(&self, name: &str) -> Result<&Value, Difference> {
        let index = self.operator.schema().argument_index(name);
        index
            .and_then(|index| self.args.get(index))
            .ok_or_else(|| difference("arguments", format!("no argument `{name}`")))
    }

    fn check_results(
        &self,
        out: &[Recorded],
        mutated: &[(String, Recorded)],
    ) -> Result<(), Difference> {
        if out.len() != self.results.len() {
            return Err(difference(
                "length",
                format!("{} results, want {}", self.results.len(), out.len()),
            ));
        }
        let got: Vec<Recorded> = self.results.iter().map(from_value).collect();
        for (index, want) in out.iter().enumerate() {
            self.check_result(want, index, &got[index], mutated)
                .or_else(|found| {
                    if !self.header.ambiguous.is_empty()
                        && ambiguous::accepts(self.header, self.record, out, &got, index)
                    {
                        return Ok(());
                    }
                    Err(Difference {
                        detail: format!("result {index}: {}", found.detail),
                        ..found
                    })
                })?;
        }
        Ok(())
    }

    fn check_result(
        &self,
        want: &Recorded,
        index: usize,
        got: &Recorded,
        mutated: &[(String, Recorded)],
    ) -> Result<(), Difference> {
        if let Recorded::Argument(name) = want {
            if !self.results[index].is_same(self.argument(name)?) {
                return Err(difference(
                    "aliasing",
                    format!("not the very object passed as `{name}`"),
                ));
            }
            // What the object holds now is checked with the writes; without a write it holds what was passed.
            return match mutated.iter().find(|(known, _)| known == name) {
                Some(_) => Ok(()),
                None => self.unchanged(name),
            };
        }
        compare(want, got, &self.header.tolerances)?;
        if self.record.tells_aliases() {
            self.check_storage(want, &self.results[index])
        } else {
            Ok(())
        }
    }

    /// A result shares storage with the argument it is said to share it with, and else with none.
    fn check_storage(&self, want: &Recorded, got: &Value) -> Result<(), Difference> {
        match (want, got) {
            (Recorded::Tensor(want), Value::Tensor(got)) => {
                let shares = |value: &Value| {
                    tensors_in(value)
                        .iter()
                        .any(|tensor| tensor.shares_storage(got))
                };
                match &want.alias {
                    Some(name) if !shares(self.argument(name)?) => {
                        Err(difference("aliasing", format!("no view of `{name}`")))
                    }
                    // Without elements there is nothing to share.
                    None if want.numel() > 0 && self.args.iter().any(shares) => {
                        Err(difference("aliasing", "shares storage with an argument"))
                    }
                    _ => Ok(()),
                }
            }
            (Recorded::List(want), got) => {
                let items = got.list_items().unwrap_or_default();
                want.iter()
                    .zip(&items)
                    .try_for_each(|(want, got)| self.check_storage(want, got))
            }
            _ => Ok(()),
        }
    }

    /// Written arguments hold what was recorded.
    fn check_writes(&self, mutated: &[(String, Recorded)]) -> Result<(), Difference> {
        for (name, want) in mutated {
            let got = from_value(self.argument(name)?);
            compare(want, &got, &self.header.tolerances).map_err(|found| {
                difference(
                    "writes",
                    format!("`{name}`: {}: {}", found.reason, found.detail),
                )
            })?;
        }
        Ok(())
    }

    /// An argument that is returned without having been written holds what was passed.
    fn unchanged(&self, name: &str) -> Result<(), Difference> {
        let Some(before @ Recorded::Tensor(_)) = self.record.arg(name) else {
            return Ok(());
        };
        compare(
            before,
            &from_value(self.argument(name)?),
            &Tolerances::default(),
        )
        .map_err(|found| difference("writes", format!("`{name}` was written: {}", found.detail)))
    }

    fn strides_agree(&self, out: &[Recorded]) -> bool {
        out.iter()
            .zip(self.results)
            .all(|(want, got)| same_strides(want, &from_value(got)))
    }
}

fn tensors_in(value: &Value) -> Vec<rushlight_tensor::Tensor> {
    match value {
        Value::Tensor(tensor) => vec![tensor.clone()],
        Value::TensorList(list) => list.lock().clone(),
        Value::List(list) => list.items.lock().iter().flat_map(tensors_in).collect(),
        _ => Vec::new(),
    }
}
