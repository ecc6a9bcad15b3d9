//! Methods of strings that take them apart and put them together.
//!
//! Positions and lengths count bytes, as in the reference; case and character classes know ASCII only. A position
//! inside a character of several bytes is an error: what would come out is no text.

use rushlight_tensor::memory::Collected;
use rushlight_types::{Fault, Result, Str, op, operators};

operators! {
    /// String operators that build, cut, pad, split and join.
    pub static ROWS = [
        op!("aten::len.str(str s) -> int", |s: &str| -> i64 { s.len() as i64 }),
        op!("aten::add.str(str a, str b) -> str", add),
        op!("aten::list(str t) -> str[]", list),
        op!("aten::__getitem__.str(str s, int index) -> str", get),
        op!("prim::StringIndex(str string, int index) -> str", get),
        op!("aten::slice.str(str string, int? start=None, int? end=None, int step=1) -> str", slice),
        op!("aten::ord(str string) -> int", ord),
        op!("aten::chr(int i) -> str", chr),
        op!("aten::hex(int i) -> str", |i: i64| -> String { in_base(i, "0x", |n| format!("{n:x}")) }),
        op!("aten::oct(int i) -> str", |i: i64| -> String { in_base(i, "0o", |n| format!("{n:o}")) }),
        op!("aten::bin(int i) -> str", |i: i64| -> String { in_base(i, "0b", |n| format!("{n:b}")) }),
        op!("aten::join(str self, str[] values) -> str", join),
        op!("aten::capitalize(str self) -> str", capitalize),
        op!("aten::lower(str self) -> str", |s: &str| -> String { s.to_ascii_lowercase() }),
        op!("aten::upper(str self) -> str", |s: &str| -> String { s.to_ascii_uppercase() }),
        op!("aten::swapcase(str self) -> str", swapcase),
        op!("aten::title(str self) -> str", title),
        op!("aten::center(str self, int width, str fillchar=\" \") -> str", center),
        op!("aten::ljust(str self, int width, str fillchar=\" \") -> str", ljust),
        op!("aten::rjust(str self, int width, str fillchar=\" \") -> str", rjust),
        op!("aten::zfill(str self, int width) -> str", zfill),
        op!("aten::strip(str self, str chars=\" \\n\\t\\f\\v\") -> str", strip),
        op!("aten::lstrip(str self, str chars=\" \\n\\t\\f\\v\") -> str", lstrip),
        op!("aten::rstrip(str self, str chars=\" \\n\\t\\f\\v\") -> str", rstrip),
        op!("aten::split.str(str self, str? separator=None, int max=-1) -> str[]", split),
        op!("aten::rsplit(str self, str separator=\" \", int max=-1) -> str[]", rsplit),
        op!("aten::splitlines(str self, bool keepends=False) -> str[]", splitlines),
        op!("aten::partition(str self, str separator) -> (str, str, str)", partition),
        op!("aten::rpartition(str self, str separator) -> (str, str, str)", rpartition),
        op!("aten::replace(str self, str old, str new, int max=-1) -> str", replace),
        op!("aten::expandtabs(str self, int tabsize=8) -> str", expandtabs),
    ];
}

/// The longest string that an operator builds.
const MOST: usize = 1 << 31;

#[cold]
fn inside_a_character() -> Fault {
    Fault::runtime("the bytes of a character outside ASCII cannot be taken apart")
}

/// The bytes of a range as text.
pub(super) fn cut(s: &str, range: std::ops::Range<usize>) -> Result<&str> {
    s.get(range).ok_or_else(inside_a_character)
}

fn add(a: &str, b: &str) -> String {
    let mut sum = String::with_capacity(a.len() + b.len());
    sum.push_str(a);
    sum.push_str(b);
    sum
}

fn list(s: &str) -> Result<Vec<String>> {
    (0..s.len())
        .map(|at| cut(s, at..at + 1).map(str::to_string))
        .collect()
}

fn get(s: &str, index: i64) -> Result<Str> {
    let at = if index < 0 {
        index.wrapping_add(s.len() as i64)
    } else {
        index
    };
    match usize::try_from(at) {
        Ok(at) if at < s.len() => cut(s, at..at + 1).map(Str::from),
        _ => Err(Fault::runtime(format!(
            "basic_string::at: __n (which is {}) >= this->size() (which is {})",
            at as u64,
            s.len()
        ))),
    }
}

fn slice(s: &str, start: Option<i64>, end: Option<i64>, step: i64) -> Result<String> {
    let bytes = s.as_bytes();
    let chosen = super::sequence::SliceRange::new(bytes.len(), start, end, step)?;
    let chosen: Vec<u8> = chosen.map(|at| bytes[at]).collected();
    String::from_utf8(chosen).map_err(|_| inside_a_character())
}

fn ord(s: &str) -> Result<i64> {
    match s.as_bytes() {
        [byte] => Ok(*byte as i64),
        bytes => Err(Fault::runtime(format!(
            "String for ord() must be 1 character, found {}",
            bytes.len()
        ))),
    }
}

/// The character of one byte: of larger numbers the lowest eight bits count.
fn chr(i: i64) -> Result<String> {
    if !(0..0x110000).contains(&i) {
        return Err(Fault::runtime(format!(
            "chr() arg not in range(0x110000), found {i}"
        )));
    }
    match i as u8 {
        byte @ 0..=0x7f => Ok((byte as char).to_string()),
        _ => Err(inside_a_character()),
    }
}

fn in_base(i: i64, prefix: &str, digits: impl Fn(u64) -> String) -> String {
    let sign = if i < 0 { "-" } else { "" };
    format!("{sign}{prefix}{}", digits(i.unsigned_abs()))
}

fn join(separator: &str, values: Vec<String>) -> String {
    values.join(separator)
}

fn capitalize(s: &str) -> String {
    let mut text = s.to_ascii_lowercase();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

fn swapcase(s: &str) -> String {
    let swap = |c: char| {
        if c.is_ascii_lowercase() {
            c.to_ascii_uppercase()
        } else {
            c.to_ascii_lowercase()
        }
    };
    s.chars().map(swap).collect()
}

fn title(s: &str) -> String {
    let mut inside = false;
    let recase = |c: char| {
        let cased = if inside {
            c.to_ascii_lowercase()
        } else {
            c.to_ascii_uppercase()
        };
        inside = c.is_ascii_alphabetic();
        cased
    };
    s.chars().map(recase).collect()
}

/// How many fill characters bring a string to a width, and which one.
fn padding(s: &str, width: i64, fill: &str) -> Result<(usize, char)> {
    let fill = match fill.as_bytes() {
        [byte] => *byte as char,
        _ => {
            return Err(Fault::runtime(
                "TypeError: The fill character must be exactly one character long",
            ));
        }
    };
    let width = usize::try_from(width).unwrap_or(0);
    if width > MOST {
        return Err(Fault::runtime("basic_string::_M_create"));
    }
    Ok((width.saturating_sub(s.len()), fill))
}

fn padded(left: usize, s: &str, right: usize, fill: char) -> String {
    let mut text = String::with_capacity(left + s.len() + right);
    text.extend(std::iter::repeat_n(fill, left));
    text.push_str(s);
    text.extend(std::iter::repeat_n(fill, right));
    text
}

fn center(s: &str, width: i64, fill: &str) -> Result<String> {
    let (count, fill) = padding(s, width, fill)?;
    // An odd rest goes to the left where the width is odd.
    let left = count / 2 + (count & width as usize & 1);
    Ok(padded(left, s, count - left, fill))
}

fn ljust(s: &str, width: i64, fill: &str) -> Result<String> {
    let (count, fill) = padding(s, width, fill)?;
    Ok(padded(0, s, count, fill))
}

fn rjust(s: &str, width: i64, fill: &str) -> Result<String> {
    let (count, fill) = padding(s, width, fill)?;
    Ok(padded(count, s, 0, fill))
}

/// Zeros between the sign and the rest.
/// Unlike Python's, the reference's fills in front of a sign.
fn zfill(s: &str, width: i64) -> Result<String> {
    let (count, fill) = padding(s, width, "0")?;
    Ok(padded(count, s, 0, fill))
}

fn strip(s: &str, chars: &str) -> Str {
    s.trim_matches(|c| chars.contains(c)).into()
}
fn lstrip(s: &str, chars: &str) -> Str {
    s.trim_start_matches(|c| chars.contains(c)).into()
}
fn rstrip(s: &str, chars: &str) -> Str {
    s.trim_end_matches(|c| chars.contains(c)).into()
}

fn owned<'a>(parts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    parts.into_iter().map(str::to_string).collect()
}

#[cold]
fn empty_separator() -> Fault {
    Fault::runtime("ValueError: empty separator")
}

/// Without a separator at runs of white space, however many; the limit counts only with one.
fn split(s: &str, separator: Option<&str>, max: i64) -> Result<Vec<String>> {
    match separator {
        None => Ok(owned(s.split(is_space).filter(|part| !part.is_empty()))),
        Some("") => Err(empty_separator()),
        Some(separator) => Ok(match limit(max) {
            Some(max) => owned(s.splitn(max, separator)),
            None => owned(s.split(separator)),
        }),
    }
}

fn rsplit(s: &str, separator: &str, max: i64) -> Result<Vec<String>> {
    if separator.is_empty() {
        return Err(empty_separator());
    }
    let mut parts = match limit(max) {
        Some(max) => owned(s.rsplitn(max, separator)),
        None => owned(s.rsplit(separator)),
    };
    parts.reverse();
    Ok(parts)
}

/// The number of parts that so many cuts leave; `None` without limit.
fn limit(max: i64) -> Option<usize> {
    usize::try_from(max).ok().map(|max| max.saturating_add(1))
}

/// White space as C's `isspace` sees it.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

/// Every line break is one character, also in `"\r\n"`; when kept it is a part of its own.
fn splitlines(s: &str, keep_ends: bool) -> Vec<String> {
    let is_break = |c: char| {
        matches!(
            c,
            '\n'..='\r' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    let (mut lines, mut rest) = (Vec::new(), s);
    while let Some(at) = rest.find(is_break) {
        let (line, after) = rest.split_at(at);
        let end = after.chars().next().map_or(0, char::len_utf8);
        lines.push(line.to_string());
        if keep_ends {
            lines.push(after[..end].to_string());
        }
        rest = &after[end..];
    }
    if !rest.is_empty() {
        lines.push(rest.to_string());
    }
    lines
}

type Parts = (Str, Str, Str);

fn partition(s: &str, separator: &str) -> Result<Parts> {
    Ok(match s.split_once(separator) {
        Some((before, after)) => (before.into(), separator.into(), after.into()),
        None => (s.into(), "".into(), "".into()),
    })
}

fn rpartition(s: &str, separator: &str) -> Result<Parts> {
    Ok(match s.rsplit_once(separator) {
        Some((before, after)) => (before.into(), separator.into(), after.into()),
        None => ("".into(), "".into(), s.into()),
    })
}

fn replace(s: &str, old: &str, new: &str, max: i64) -> Result<String> {
    let found = match usize::try_from(max) {
        Ok(max) => s.matches(old).take(max).count(),
        Err(_) => s.matches(old).count(),
    };
    let longest = found.checked_mul(new.len()).is_some_and(|n| n <= MOST);
    if !longest {
        return Err(Fault::runtime("basic_string::_M_replace_aux"));
    }
    Ok(s.replacen(old, new, found))
}

/// Columns count from the start of the string, whatever line breaks it has.
fn expandtabs(s: &str, size: i64) -> Result<String> {
    let size = usize::try_from(size).unwrap_or(0);
    let tabs = s.matches('\t').count();
    if tabs.checked_mul(size).is_none_or(|n| n > MOST) {
        return Err(Fault::runtime("basic_string::_M_create"));
    }
    let mut text = String::with_capacity(s.len());
    for c in s.chars() {
        if c != '\t' {
            text.push(c);
        } else if size > 0 {
            let count = size - text.len() % size;
            text.extend(std::iter::repeat_n(' ', count));
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centering_puts_the_odd_blank_left_of_an_odd_width() {
        assert_eq!(center("ab", 5, "*").unwrap(), "**ab*");
        assert_eq!(center("abc", 6, "*").unwrap(), "*abc**");
        assert!(center("ab", 1, "**").is_err());
        assert_eq!(zfill("-12", 5).unwrap(), "00-12");
    }

    #[test]
    fn splitting_at_white_space_has_no_limit() {
        assert_eq!(split(" a b  c ", None, 1).unwrap(), ["a", "b", "c"]);
        assert_eq!(split("a,b,,c", Some(","), 1).unwrap(), ["a", "b,,c"]);
        assert_eq!(rsplit("a,b,,c", ",", 1).unwrap(), ["a,b,", "c"]);
        assert_eq!(rsplit("aaa", "aa", -1).unwrap(), ["a", ""]);
    }

    #[test]
    fn kept_line_ends_are_parts() {
        assert_eq!(splitlines("a\r\nb\n", false), ["a", "", "b"]);
        assert_eq!(splitlines("\n", true), ["", "\n"]);
        assert!(splitlines("", true).is_empty());
    }

    #[test]
    fn tabs_count_columns_over_line_breaks() {
        assert_eq!(expandtabs("a\nb\tc", 4).unwrap(), "a\nb c");
        assert_eq!(expandtabs("ab\rc\td", 4).unwrap(), "ab\rc    d");
        assert_eq!(expandtabs("a\tb", -1).unwrap(), "ab");
    }

    #[test]
    fn characters_are_not_taken_apart() {
        assert!(get("é", 0).is_err());
        assert_eq!(&*get("abc", -1).unwrap(), "c");
        assert!(get("abc", 3).is_err());
        assert!(list("é").is_err());
    }

    #[test]
    fn numbers_in_other_bases_keep_their_sign() {
        assert_eq!(
            in_base(i64::MIN, "0x", |n| format!("{n:x}")),
            "-0x8000000000000000"
        );
    }
}
