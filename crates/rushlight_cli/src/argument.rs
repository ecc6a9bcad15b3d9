//! Arguments on the command line: TorchScript expressions, or `@FILE`.

use crate::{Done, Failure, abbreviate, command, media};
use clap::Command;
use rushlight::types::{Argument, DEFAULT_SEED};
use rushlight::{Context, DType, Value};
use rushlight_view::expression;
use std::ffi::OsString;
use std::path::Path;

/// The subcommands that take arguments of functions.
const CALLING: &[&str] = &["run", "record", "optimize", "bench", "profile", "convert"];
/// What begins with one dash there and is an option; everything else is an expression.
const SHORT: &[&str] = &["-h", "-V", "-o"];

/// The options whose values are files to write.
const TO_FILE: &[&str] = &["-o", "--out", "--svg", "--html"];

/// What makes values of arguments.
pub struct Reader {
    /// The precision that a model is made to run in, if one was asked for. Floating point numbers of files are given in it; an
    /// expression says itself which it has.
    dtype: Option<DType>,
    /// Has the stream of random numbers of all expressions.
    context: Context,
}

impl Reader {
    /// Reads arguments for a model of some precision; random numbers begin with a seed.
    pub fn new(dtype: Option<DType>, seed: Option<u64>) -> Reader {
        let context = Context::silent();
        context.manual_seed(seed.unwrap_or(DEFAULT_SEED));
        Reader { dtype, context }
    }

    /// The values of arguments; see [`Reader::value`].
    pub fn values(&self, texts: &[String]) -> Done<Vec<Value>> {
        texts.iter().map(|text| self.value(text)).collect()
    }

    /// The values of arguments of what is called in a way, in the order of its declaration. `NAME=VALUE` is the argument of that
    /// name: what stands before it and is not given is what the declaration says.
    pub fn arranged(&self, texts: &[String], formal: &[Argument]) -> Done<Vec<Value>> {
        let mut given: Vec<Option<Value>> = Vec::new();
        for text in texts {
            let Some((name, rest)) = named(text) else {
                match formal.get(given.len()) {
                    Some(argument) if argument.kwarg_only => {
                        return Err(Failure(format!(
                            "the argument {0} is given by its name: {0}={text}",
                            argument.name
                        )));
                    }
                    _ => given.push(Some(self.value(text)?)),
                }
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
            if given[at].replace(self.value(rest)?).is_some() {
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

    /// The value of an argument.
    pub fn value(&self, text: &str) -> Done<Value> {
        if let Some(name) = text.strip_prefix('@') {
            return file(name, self.dtype);
        }
        if text.trim().is_empty() {
            let told = "an argument is empty; an empty string is written '\"\"'";
            return Err(Failure(told.into()));
        }
        expression::value_in(text, &self.context).map_err(|why| {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            Failure(if Path::new(text).is_file() {
                format!("{why}\nThere is a file of this name; it is given as @{text}")
            } else if text.chars().all(is_word) {
                let shown = abbreviate::line(text);
                format!("{why}\nA string is written in quotes: '\"{shown}\"'")
            } else {
                why
            })
        })
    }
}

/// The tensor of a file, or of an entry of it; floating point numbers in a precision, if one was asked for.
pub fn file(file: &str, dtype: Option<DType>) -> Done<Value> {
    if file.is_empty() {
        return Err(Failure("a file's name follows the @, as in @x.npy".into()));
    }
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

/// The name and the value of `NAME=VALUE`.
fn named(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('=')?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    (is_name && !name.is_empty() && !rest.starts_with('=')).then_some((name, rest))
}

/// The words of a command line, where expressions that begin with a minus sign stand in brackets, so that they are not
/// taken for options: `run f.py -torch.ones(2)`. What is written to `-` goes to the standard output, and a file whose name
/// begins with a minus sign is found by `./`.
pub fn shielded(words: impl IntoIterator<Item = OsString>, whole: &Command) -> Vec<OsString> {
    let mut shield = Shield {
        whole,
        called: None,
        place: Place::Target,
    };
    // The first word is the name that the command was called by.
    let words = words.into_iter();
    words.map(|word| shield.word(word)).collect()
}

/// What the next word of a command line is, where it is no option.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// The file or function that is called.
    Target,
    Argument,
    /// Nor is there an option any more.
    Rest,
}

/// Goes through a command line.
struct Shield<'c> {
    whole: &'c Command,
    /// The subcommand, and the option whose value comes next.
    called: Option<(&'c Command, Option<String>)>,
    place: Place,
}

impl Shield<'_> {
    fn word(&mut self, word: OsString) -> OsString {
        let Some(text) = word.to_str() else {
            return word;
        };
        let Some((called, awaited)) = &mut self.called else {
            self.called = self.whole.find_subcommand(text).map(|found| (found, None));
            return word;
        };
        let is_dashed = text.starts_with('-') && text != "-";
        let changed = match awaited.take() {
            Some(option) if TO_FILE.contains(&&*option) => match text {
                "-" => Some("/dev/stdout".to_string()),
                _ => (is_dashed && !text.starts_with("--")).then(|| format!("./{text}")),
            },
            Some(_) => None,
            None if self.place == Place::Rest => None,
            // A function of the standard input.
            None if text.starts_with("-:") => {
                self.place = Place::Argument;
                Some(format!("({text})"))
            }
            None if !is_dashed => {
                self.place = Place::Argument;
                None
            }
            None if text == "--" => {
                self.place = Place::Rest;
                None
            }
            None if is_option(text) => {
                let options = called.get_arguments().chain(self.whole.get_arguments());
                *awaited = takes_value(options, text).then(|| text.to_string());
                None
            }
            None if !CALLING.contains(&called.get_name()) => None,
            None if self.place == Place::Argument => Some(format!("({text})")),
            // A file with such a name.
            None => {
                self.place = Place::Argument;
                let (path, _) = command::split(text);
                Path::new(&path).exists().then(|| format!("./{text}"))
            }
        };
        changed.map_or(word, OsString::from)
    }
}

/// Whether one of these options is called so and has a value.
fn takes_value<'a>(mut options: impl Iterator<Item = &'a clap::Arg>, text: &str) -> bool {
    options.any(|option| {
        let long = option.get_long().map(|long| format!("--{long}"));
        let short = option.get_short().map(|short| format!("-{short}"));
        let is_called = [long, short].iter().flatten().any(|name| name == text);
        is_called && option.get_action().takes_values()
    })
}

/// Whether a word that begins with a minus sign is an option: a long one or one of those that there are.
fn is_option(text: &str) -> bool {
    text.starts_with("--") || SHORT.contains(&text) || text.starts_with("-o")
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
        let whole = crate::whole();
        let of = |line: &str| {
            let words = line.split(' ').map(OsString::from);
            let words = shielded(words, &whole);
            let text: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
            text.join(" ")
        };
        let cases = [
            (
                "rushlight run f.py -3 -torch.ones(2) --out x.npy -o y - -h -o - -- -4",
                "rushlight run f.py (-3) (-torch.ones(2)) --out x.npy -o y - -h -o /dev/stdout -- -4",
            ),
            // Values of options are no expressions, whatever they look like.
            (
                "rushlight run --seed -1 f.py 3 --limit-time -2 -4 -o -x.npy",
                "rushlight run --seed -1 f.py 3 --limit-time -2 (-4) -o ./-x.npy",
            ),
            ("rushlight run -:f -3", "rushlight run (-:f) (-3)"),
            (
                "rushlight run -nofile.py:f 3",
                "rushlight run -nofile.py:f 3",
            ),
            ("rushlight inspect -x", "rushlight inspect -x"),
        ];
        for (line, shown) in cases {
            assert_eq!(of(line), shown);
        }
    }
}
