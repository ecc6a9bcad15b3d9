//! Arguments on the command line: TorchScript expressions, or `@FILE`.

use crate::{Done, Failure, media};
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
