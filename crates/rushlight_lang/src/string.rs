//! Methods of strings that take them apart and put them together.
//!
//! Positions and lengths count bytes, as in the reference; case and character classes know ASCII only. A position
//! inside a character of several bytes takes it apart, and what is put together again is that character.

use super::bytes::{self, Making, trim_end, trim_start};
use rushlight_tensor::memory::{self, Collected};
use rushlight_types::{
    Elements, Fault, GenericList, Result, ScalarOp, Str, Type, Value, op, operators, quick_op,
};
use std::sync::Arc;

operators! {
    /// String operators that build, cut, pad, split and join.
    pub static ROWS = [
        quick_op!("aten::len.str(str s) -> int", |s: &[u8]| -> i64 { s.len() as i64 }).elements_are(Elements::Untouched).scalar(ScalarOp::LenStr),
        quick_op!("aten::add.str(str a, str b) -> str", Str::sum).scalar(ScalarOp::AddStr),
        quick_op!("aten::list(str t) -> str[]", list),
        quick_op!("aten::__getitem__.str(str s, int index) -> str", get).scalar(ScalarOp::GetStr),
        quick_op!("prim::StringIndex(str string, int index) -> str", get),
        quick_op!("aten::slice.str(str string, int? start=None, int? end=None, int step=1) -> str", slice),
        quick_op!("aten::ord(str string) -> int", ord).scalar(ScalarOp::OrdStr),
        quick_op!("aten::chr(int i) -> str", chr),
        quick_op!("aten::hex(int i) -> str", |i: i64| -> String { in_base(i, "0x", |n| format!("{n:x}")) }),
        quick_op!("aten::oct(int i) -> str", |i: i64| -> String { in_base(i, "0o", |n| format!("{n:o}")) }),
        quick_op!("aten::bin(int i) -> str", |i: i64| -> String { in_base(i, "0b", |n| format!("{n:b}")) }),
        quick_op!("aten::join(str self, str[] values) -> str", join),
        quick_op!("aten::capitalize(str self) -> str", capitalize),
        quick_op!("aten::lower(str self) -> str", |s: &[u8]| -> Str { recased(s, <[u8]>::make_ascii_lowercase) }),
        quick_op!("aten::upper(str self) -> str", |s: &[u8]| -> Str { recased(s, <[u8]>::make_ascii_uppercase) }),
        op!("aten::swapcase(str self) -> str", swapcase),
        quick_op!("aten::title(str self) -> str", title),
        op!("aten::center(str self, int width, str fillchar=\" \") -> str", center),
        quick_op!("aten::ljust(str self, int width, str fillchar=\" \") -> str", ljust),
        quick_op!("aten::rjust(str self, int width, str fillchar=\" \") -> str", rjust),
        quick_op!("aten::zfill(str self, int width) -> str", zfill),
        quick_op!("aten::strip(str self, str chars=\" \\n\\t\\f\\v\") -> str", strip),
        quick_op!("aten::lstrip(str self, str chars=\" \\n\\t\\f\\v\") -> str", lstrip),
        quick_op!("aten::rstrip(str self, str chars=\" \\n\\t\\f\\v\") -> str", rstrip),
        quick_op!("aten::split.str(str self, str? separator=None, int max=-1) -> str[]", split),
        op!("aten::rsplit(str self, str separator=\" \", int max=-1) -> str[]", rsplit),
        op!("aten::splitlines(str self, bool keepends=False) -> str[]", splitlines),
        op!("aten::partition(str self, str separator) -> (str, str, str)", partition),
        op!("aten::rpartition(str self, str separator) -> (str, str, str)", rpartition),
        quick_op!("aten::replace(str self, str old, str new, int max=-1) -> str", replace),
        op!("aten::expandtabs(str self, int tabsize=8) -> str", expandtabs),
    ];
}

/// The longest string that an operator builds.
const MOST: usize = 1 << 31;

fn list(s: &[u8]) -> Value {
    strings(s.iter().map(|byte| Str::of_byte(*byte)))
}

/// A list of strings.
fn strings(parts: impl Iterator<Item = Str>) -> Value {
    let parts = parts.map(Value::Str).collected();
    Value::List(Arc::new(GenericList::new(Type::Str, parts)))
}

fn get(s: &[u8], index: i64) -> Result<Str> {
    let at = if index < 0 {
        index.wrapping_add(s.len() as i64)
    } else {
        index
    };
    match usize::try_from(at) {
        Ok(at) if at < s.len() => Ok(Str::of_byte(s[at])),
        _ => Err(Fault::runtime(format!(
            "basic_string::at: __n (which is {}) >= this->size() (which is {})",
            at as u64,
            s.len()
        ))),
    }
}

fn slice(s: &[u8], start: Option<i64>, end: Option<i64>, step: i64) -> Result<Str> {
    let chosen = super::sequence::SliceRange::new(s.len(), start, end, step)?;
    if let Some((first, count)) = chosen.run() {
        return Ok(Str::from(&s[first..first + count]));
    }
    Ok(Str::from_bytes(chosen.map(|at| s[at]).collected()))
}

fn ord(s: &[u8]) -> Result<i64> {
    match s {
        [byte] => Ok(*byte as i64),
        bytes => Err(Fault::runtime(format!(
            "String for ord() must be 1 character, found {}",
            bytes.len()
        ))),
    }
}

/// The character of one byte: of larger numbers the lowest eight bits count.
fn chr(i: i64) -> Result<Str> {
    if !(0..0x10ffff).contains(&i) {
        return Err(Fault::runtime(format!(
            "chr() arg not in range(0x110000), found {i}"
        )));
    }
    Ok(Str::of_byte(i as u8))
}

fn in_base(i: i64, prefix: &str, digits: impl Fn(u64) -> String) -> String {
    let sign = if i < 0 { "-" } else { "" };
    format!("{sign}{prefix}{}", digits(i.unsigned_abs()))
}

fn join(separator: &Str, values: &Value) -> Result<Str> {
    if let Value::List(list) = values {
        return joined(separator, &list.items.lock());
    }
    joined(separator, &values.list_items()?)
}

fn joined(separator: &Str, values: &[Value]) -> Result<Str> {
    if let Some(other) = values.iter().find(|value| !matches!(value, Value::Str(_))) {
        return Err(other.not_a("str"));
    }
    let strings = values.iter().filter_map(|value| match value {
        Value::Str(s) => Some(s),
        _ => None,
    });
    Ok(Str::join(separator, strings))
}

fn capitalize(s: &[u8]) -> Str {
    recased(s, |text| {
        text.make_ascii_lowercase();
        if let Some(first) = text.first_mut() {
            first.make_ascii_uppercase();
        }
    })
}

/// The letters in another case; a short string needs no memory for it.
fn recased(s: &[u8], recase: impl FnOnce(&mut [u8])) -> Str {
    let mut short = [0; 64];
    match short.get_mut(..s.len()) {
        Some(bytes) => {
            bytes.copy_from_slice(s);
            recase(bytes);
            Str::from(&*bytes)
        }
        None => {
            let mut bytes = memory::copied(s);
            recase(&mut bytes);
            Str::from_bytes(bytes)
        }
    }
}

fn swapcase(s: &[u8]) -> Str {
    recased(s, |text| {
        for b in text {
            *b = match b.is_ascii_lowercase() {
                true => b.to_ascii_uppercase(),
                false => b.to_ascii_lowercase(),
            };
        }
    })
}

fn title(s: &[u8]) -> Str {
    recased(s, |text| {
        let mut inside = false;
        for b in text {
            match inside {
                true => b.make_ascii_lowercase(),
                false => b.make_ascii_uppercase(),
            }
            inside = b.is_ascii_alphabetic();
        }
    })
}

/// How many fill characters bring a string to a width, and which one.
fn padding(s: &[u8], width: i64, fill: &[u8]) -> Result<(usize, u8)> {
    let fill = match fill {
        [byte] => *byte,
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

fn padded(left: usize, s: &[u8], right: usize, fill: u8) -> Str {
    let mut text = Making::default();
    text.fill(fill, left);
    text.put(s);
    text.fill(fill, right);
    text.done()
}

fn center(s: &[u8], width: i64, fill: &[u8]) -> Result<Str> {
    let (count, fill) = padding(s, width, fill)?;
    // An odd rest goes to the left where the width is odd.
    let left = count / 2 + (count & width as usize & 1);
    Ok(padded(left, s, count - left, fill))
}

fn ljust(s: &[u8], width: i64, fill: &[u8]) -> Result<Str> {
    let (count, fill) = padding(s, width, fill)?;
    Ok(padded(0, s, count, fill))
}

fn rjust(s: &[u8], width: i64, fill: &[u8]) -> Result<Str> {
    let (count, fill) = padding(s, width, fill)?;
    Ok(padded(count, s, 0, fill))
}

/// Zeros between the sign and the rest.
/// Unlike Python's, the reference's fills in front of a sign.
fn zfill(s: &[u8], width: i64) -> Result<Str> {
    let (count, fill) = padding(s, width, b"0")?;
    Ok(padded(count, s, 0, fill))
}

fn strip(s: &[u8], chars: &[u8]) -> Str {
    trim_start(trim_end(s, chars), chars).into()
}
fn lstrip(s: &[u8], chars: &[u8]) -> Str {
    trim_start(s, chars).into()
}
fn rstrip(s: &[u8], chars: &[u8]) -> Str {
    trim_end(s, chars).into()
}

#[cold]
fn empty_separator() -> Fault {
    Fault::runtime("ValueError: empty separator")
}

/// Without a separator at runs of blanks and of what breaks lines, however many; the limit counts only with one.
fn split(s: &[u8], separator: Option<&[u8]>, max: i64) -> Result<Value> {
    match separator {
        None => {
            let is_between = |b: &u8| matches!(b, b' ' | b'\t') || breaks_lines(b);
            let words = s.split(is_between).filter(|part| !part.is_empty());
            Ok(strings(words.map(Str::from)))
        }
        Some([]) => Err(empty_separator()),
        Some([separator]) if max < 0 => {
            let count = 1 + memchr::memchr_iter(*separator, s).count();
            let mut from = 0;
            let list = GenericList::build(Type::Str, count, |_, to| {
                let len = memchr::memchr(*separator, &s[from..]).unwrap_or(s.len() - from);
                to.put_text(&s[from..from + len]);
                from += len + 1;
            });
            Ok(Value::List(list))
        }
        Some(separator) => {
            let parts = bytes::split(s, separator, limit(max));
            Ok(strings(parts.map(Str::from)))
        }
    }
}

fn rsplit(s: &[u8], separator: &[u8], max: i64) -> Result<Vec<Str>> {
    if separator.is_empty() {
        return Err(empty_separator());
    }
    let mut parts = bytes::rsplit(s, separator, limit(max));
    parts.reverse();
    Ok(parts.into_iter().map(Str::from).collected())
}

/// How many cuts are allowed; all where there is no limit.
fn limit(max: i64) -> usize {
    usize::try_from(max).unwrap_or(usize::MAX)
}

/// White space as C's `isspace` sees it.
pub(super) fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t'..=b'\r')
}

/// Whether a byte is one that line breaks consist of, those of U+2028 and U+2029 included.
fn breaks_lines(b: &u8) -> bool {
    matches!(
        *b,
        b'\n'..=b'\r' | 0x1c..=0x1e | 0x80 | 0x85 | 0xa8 | 0xa9 | 0xe2
    )
}

/// Every byte that breaks lines does so alone, also in `"\r\n"` and in characters that merely have one; when kept it is
/// a part of its own.
fn splitlines(s: &[u8], keep_ends: bool) -> Vec<Str> {
    let (mut lines, mut rest) = (Vec::new(), s);
    while let Some(at) = rest.iter().position(breaks_lines) {
        lines.push(rest[..at].into());
        if keep_ends {
            lines.push(rest[at..=at].into());
        }
        rest = &rest[at + 1..];
    }
    if !rest.is_empty() {
        lines.push(rest.into());
    }
    lines
}

type Parts = (Str, Str, Str);

fn partition(s: &[u8], separator: &[u8]) -> Parts {
    parts(s, separator, bytes::find(s, separator), (s.len(), s.len()))
}

fn rpartition(s: &[u8], separator: &[u8]) -> Parts {
    parts(s, separator, bytes::rfind(s, separator), (0, 0))
}

/// What stands before a separator, the separator, and what stands behind it; `missing` where to cut without one.
fn parts(s: &[u8], separator: &[u8], at: Option<usize>, missing: (usize, usize)) -> Parts {
    let (start, end) = at.map_or(missing, |at| (at, at + separator.len()));
    (s[..start].into(), s[start..end].into(), s[end..].into())
}

fn replace(s: &[u8], old: &[u8], new: &[u8], max: i64) -> Result<Str> {
    let max = usize::try_from(max).unwrap_or(usize::MAX);
    let (mut text, mut from) = (Making::default(), 0);
    for (count, at) in bytes::matches(s, old).take(max).enumerate() {
        if (count + 1).checked_mul(new.len()).is_none_or(|n| n > MOST) {
            return Err(Fault::runtime("basic_string::_M_replace_aux"));
        }
        text.put(&s[from..at]);
        text.put(new);
        from = at + old.len();
    }
    text.put(&s[from..]);
    Ok(text.done())
}

/// Columns count from the start of the string, whatever line breaks it has.
fn expandtabs(s: &[u8], size: i64) -> Result<Str> {
    let size = usize::try_from(size).unwrap_or(0);
    let tabs = s.iter().filter(|b| **b == b'\t').count();
    if tabs.checked_mul(size).is_none_or(|n| n > MOST) {
        return Err(Fault::runtime("basic_string::_M_create"));
    }
    let mut text = memory::with_capacity(s.len());
    for &b in s {
        if b != b'\t' {
            memory::push(&mut text, b);
        } else if size > 0 {
            let count = size - text.len() % size;
            memory::make_room(&mut text, count);
            text.resize(text.len() + count, b' ');
        }
    }
    Ok(Str::from_bytes(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(parts: impl Into<Value>) -> Vec<String> {
        let parts = parts.into().list_items().unwrap();
        parts.iter().map(rushlight_types::print_text).collect()
    }

    #[test]
    fn centering_puts_the_odd_blank_left_of_an_odd_width() {
        assert_eq!(center(b"ab", 5, b"*").unwrap().text(), Some("**ab*"));
        assert_eq!(center(b"abc", 6, b"*").unwrap().text(), Some("*abc**"));
        assert!(center(b"ab", 1, b"**").is_err());
        assert_eq!(zfill(b"-12", 5).unwrap().text(), Some("00-12"));
    }

    #[test]
    fn splitting_at_white_space_has_no_limit() {
        let split = |s, separator, max| texts(split(s, separator, max).unwrap());
        let rsplit = |s, separator, max| texts(rsplit(s, separator, max).unwrap());
        assert_eq!(split(b" a b  c ", None, 1), ["a", "b", "c"]);
        assert_eq!(split(b"a,b,,c", Some(b","), 1), ["a", "b,,c"]);
        assert_eq!(rsplit(b"a,b,,c", b",", 1), ["a,b,", "c"]);
        assert_eq!(rsplit(b"aaa", b"aa", -1), ["a", ""]);
    }

    #[test]
    fn kept_line_ends_are_parts() {
        assert_eq!(texts(splitlines(b"a\r\nb\n", false)), ["a", "", "b"]);
        assert_eq!(texts(splitlines(b"\n", true)), ["", "\n"]);
        assert!(splitlines(b"", true).is_empty());
    }

    #[test]
    fn tabs_count_columns_over_line_breaks() {
        assert_eq!(expandtabs(b"a\nb\tc", 4).unwrap().text(), Some("a\nb c"));
        assert_eq!(
            expandtabs(b"ab\rc\td", 4).unwrap().text(),
            Some("ab\rc    d")
        );
        assert_eq!(expandtabs(b"a\tb", -1).unwrap().text(), Some("ab"));
    }

    #[test]
    fn characters_come_apart_and_together() {
        let torn = list("é".as_bytes());
        let pieces = torn.list_items().unwrap();
        assert_eq!(pieces.len(), 2);
        assert!(pieces.iter().all(|piece| piece.as_str().is_err()));
        assert_eq!(join(&Str::EMPTY, &torn).unwrap().text(), Some("é"));
        assert_eq!(get(b"abc", -1).unwrap().text(), Some("c"));
        assert!(get(b"abc", 3).is_err());
        assert_eq!(strip("é".as_bytes(), "è".as_bytes()).as_bytes(), [0xa9]);
    }

    #[test]
    fn replacements_leave_the_rest() {
        assert_eq!(
            replace(b"aXbXc", b"X", b"--", 1).unwrap().text(),
            Some("a--bXc")
        );
        assert_eq!(replace(b"ab", b"", b".", -1).unwrap().text(), Some(".a.b."));
        let (before, separator, after) = rpartition(b"a.b.c", b".");
        assert_eq!(
            [before, separator, after].map(|p| p.to_string()),
            ["a.b", ".", "c"]
        );
    }

    #[test]
    fn numbers_in_other_bases_keep_their_sign() {
        assert_eq!(
            in_base(i64::MIN, "0x", |n| format!("{n:x}")),
            "-0x8000000000000000"
        );
    }
}
