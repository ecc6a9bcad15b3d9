//! Arguments on the command line: TorchScript expressions, or `@FILE`.

use crate::{Done, Failure, abbreviate, media};
use rushlight::Value;
use std::ffi::OsString;
use std::path::Path;

/// The subcommands that take arguments of functions.
const CALLING: &[&str] = &["run", "record", "optimize", "bench", "profile"];
/// What begins with one dash there and is an option; everything else is an expression.
const SHORT: &[&str] = &["-h", "-V", "-o"];

/// The values of arguments.
pub fn values(texts: &[String]) -> Done<Vec<Value>> {
    texts.iter().map(|text| value(text)).collect()
}

/// The value of an argument.
pub fn value(text: &str) -> Done<Value> {
    match text.strip_prefix('@') {
        Some(file) => {
            let (path, entry) = match file.rsplit_once(".npz:") {
                Some((stem, entry)) => (format!("{stem}.npz"), Some(entry)),
                None => (file.to_string(), None),
            };
            media::read(Path::new(&path), entry).map(Value::Tensor)
        }
        None => expression(text),
    }
}

fn expression(text: &str) -> Done<Value> {
    let source = format!("import torch\nimport math\n\ndef argument():\n    return ({text})\n");
    let fail = |why: String| {
        let (text, why) = (abbreviate::line(text), abbreviate::message(&why));
        Failure(format!(
            "the argument `{text}` is no TorchScript expression: {why}"
        ))
    };
    let script = rushlight::compile(&source).map_err(|e| {
        fail(
            e.0.first()
                .map_or_else(String::new, |p| p.message.trim().to_string()),
        )
    })?;
    let function = script
        .get("argument")
        .ok_or_else(|| fail("it defines something".into()))?;
    function
        .call(&[])
        .map_err(|e| fail(e.message().to_string()))
}

/// The words of a command line, where expressions that begin with a minus sign stand in brackets, so that they are not
/// taken for options: `run f.py -torch.ones(2)`.
pub fn shielded(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let (mut calls, mut ended) = (false, false);
    let shield = |word: OsString| {
        let Some(text) = word.to_str() else {
            return word;
        };
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
        let line = "rushlight run f.py -3 -torch.ones(2) --out x.npy -o y - -h -- -4";
        let words = shielded(line.split(' ').map(OsString::from));
        let text: Vec<&str> = words.iter().filter_map(|w| w.to_str()).collect();
        assert_eq!(
            text.join(" "),
            "rushlight run f.py (-3) (-torch.ones(2)) --out x.npy -o y - -h -- -4"
        );
        let other = "rushlight inspect -x".split(' ').map(OsString::from);
        assert_eq!(shielded(other)[2], "-x");
    }
}
