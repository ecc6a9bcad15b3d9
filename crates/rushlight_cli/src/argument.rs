//! Arguments on the command line: TorchScript expressions, or `@FILE`.

use crate::{Done, Failure, media};
use rushlight::types::Argument;
use rushlight::{DType, Value};
use rushlight_view::expression;
use std::ffi::OsString;
use std::path::Path;

/// The subcommands that take arguments of functions.
const CALLING: &[&str] = &["run", "record", "optimize", "bench", "profile", "convert"];
/// What begins with one dash there and is an option; everything else is an expression.
const SHORT: &[&str] = &["-h", "-V", "-o"];

/// The options whose values are files to write.
const TO_FILE: &[&str] = &["-o", "--out", "--svg", "--html"];

/// The values of arguments; see [`value`].
pub fn values(texts: &[String], dtype: Option<DType>) -> Done<Vec<Value>> {
    texts.iter().map(|text| value(text, dtype)).collect()
}

/// The values of arguments of what is called in a way. `NAME=VALUE` is the argument of that name: what stands before it and is not
/// given is what the declaration says.
pub fn arranged(texts: &[String], dtype: Option<DType>, formal: &[Argument]) -> Done<Vec<Value>> {
    let mut given: Vec<Option<Value>> = Vec::new();
    for text in texts {
        let Some((name, rest)) = named(text) else {
            given.push(Some(value(text, dtype)?));
            continue;
        };
        let Some(at) = formal.iter().position(|argument| *argument.name == *name) else {
            let names: Vec<&str> = formal.iter().map(|argument| &*argument.name).collect();
            return Err(Failure(format!(
                "there is no argument {name}; there are: {}",
                names.join(", ")
            )));
        };
        if given.len() <= at {
            given.resize(at + 1, None);
        }
        if given[at].replace(value(rest, dtype)?).is_some() {
            return Err(Failure(format!("the argument {name} is given twice")));
        }
    }
    let whole = given.into_iter().enumerate().map(|(at, value)| {
        let formal = formal.get(at);
        value
            .or_else(|| formal.and_then(|argument| argument.default.clone()))
            .ok_or_else(|| {
                let name = formal.map_or("", |argument| &argument.name);
                Failure(format!("the argument {name} is missing"))
            })
    });
    whole.collect()
}

/// The name and the value of `NAME=VALUE`.
fn named(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('=')?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    (is_name && !name.is_empty() && !rest.starts_with('=')).then_some((name, rest))
}

/// The value of an argument. Floating point numbers of files are given in the precision that a model is made to run in, if
/// one was asked for; an expression says itself which it has.
pub fn value(text: &str, dtype: Option<DType>) -> Done<Value> {
    match text.strip_prefix('@') {
        Some(file) => {
            let (path, entry) = match file.rsplit_once(".npz:") {
                Some((stem, entry)) => (format!("{stem}.npz"), Some(entry)),
                None => (file.to_string(), None),
            };
            let tensor = media::read(Path::new(&path), entry)?;
            Ok(Value::Tensor(match dtype {
                Some(dtype) if tensor.dtype().is_float() => tensor.to_dtype(dtype),
                _ => tensor,
            }))
        }
        None => expression::value(text).map_err(|why| {
            Failure(match Path::new(text).is_file() {
                true => format!("{why}\nThere is a file of this name; it is given as @{text}"),
                false => why,
            })
        }),
    }
}

/// The words of a command line, where expressions that begin with a minus sign stand in brackets, so that they are not
/// taken for options: `run f.py -torch.ones(2)`. What is written to `-` goes to the standard output.
pub fn shielded(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let (mut calls, mut ended) = (false, false);
    let mut to_file = false;
    let shield = |word: OsString| {
        let Some(text) = word.to_str() else {
            return word;
        };
        // A function of the standard input, and the standard output as a file.
        if text.starts_with("-:") && !ended {
            return format!("({text})").into();
        }
        if std::mem::replace(&mut to_file, TO_FILE.contains(&text)) && text == "-" {
            return "/dev/stdout".into();
        }
        if !calls {
            calls = CALLING.contains(&text);
            return word;
        }
        ended |= text == "--";
        let is_dashed = text.starts_with('-') && text.len() > 1 && !text.starts_with("--");
        let is_option = SHORT
            .iter()
            .any(|short| text == *short || (*short == "-o" && text.starts_with("-o")));
        match is_dashed && !is_option && !ended {
            true => format!("({text})").into(),
            false => word,
        }
    };
    words.into_iter().map(shield).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_before_one_equals_sign() {
        assert_eq!(named("n=20"), Some(("n", "20")));
        assert_eq!(named("n=-x == 2"), Some(("n", "-x == 2")));
        for other in ["n==20", "f(a=2)", "=3", "2=3", "'a=b'", "[1]"] {
            assert_eq!(named(other), None, "{other}");
        }
    }

    #[test]
    fn expressions_may_begin_with_a_minus_sign() {
        let line = "rushlight run f.py -3 -torch.ones(2) --out x.npy -o y - -h -o - -- -4";
        let words = shielded(line.split(' ').map(OsString::from));
        let text: Vec<&str> = words.iter().filter_map(|w| w.to_str()).collect();
        assert_eq!(
            text.join(" "),
            "rushlight run f.py (-3) (-torch.ones(2)) --out x.npy -o y - -h -o /dev/stdout -- -4"
        );
        let other = "rushlight inspect -x".split(' ').map(OsString::from);
        assert_eq!(shielded(other)[2], "-x");
    }
}
