//! Searching strings and asking what they consist of.

use super::string::{cut, is_space};
use rushlight_types::{Fault, Result, op, operators};

operators! {
    /// `find`, `count`, `startswith` and `isalpha` with their kin.
    pub static ROWS = [
        op!("aten::find(str self, str substr, int start=0, int end=-1) -> int", find),
        op!("aten::rfind(str self, str substr, int start=0, int end=-1) -> int", rfind),
        op!("aten::index.str(str self, str substr, int start=0, int end=-1) -> int", index),
        op!("aten::rindex(str self, str substr, int start=0, int end=-1) -> int", rindex),
        op!("aten::count(str self, str substr, int start=0, int end=-1) -> int", count),
        op!("aten::startswith(str self, str substr, int start=0, int end=-1) -> bool", startswith),
        op!("aten::endswith(str self, str substr, int start=0, int end=-1) -> bool", endswith),
        op!("aten::isalnum(str self) -> bool", |s: &str| -> bool { all(s, |b| b.is_ascii_alphanumeric()) }),
        op!("aten::isalpha(str self) -> bool", |s: &str| -> bool { all(s, |b| b.is_ascii_alphabetic()) }),
        op!("aten::isdecimal(str self) -> bool", |s: &str| -> bool { all(s, |b| b.is_ascii_digit()) }),
        op!("aten::isdigit(str self) -> bool", |s: &str| -> bool { all(s, |b| b.is_ascii_digit()) }),
        op!("aten::isnumeric(str self) -> bool", |s: &str| -> bool { all(s, |b| b.is_ascii_digit()) }),
        op!("aten::isspace(str self) -> bool", |s: &str| -> bool { all(s, |b| is_space(b as char)) }),
        op!("aten::isprintable(str self) -> bool", |s: &str| -> bool { s.bytes().all(|b| (0x20..0x7f).contains(&b)) }),
        op!("aten::isidentifier(str self) -> bool", is_identifier),
        op!("aten::islower(str self) -> bool", is_lower),
        op!("aten::isupper(str self) -> bool", is_upper),
        op!("aten::istitle(str self) -> bool", is_title),
    ];
}

/// Start and end as positions: negative ones count from the end, -1 as the end stands for all of it.
fn bounds(s: &str, start: i64, end: i64) -> (usize, i64) {
    let len = s.len() as i64;
    let start = if start < 0 {
        start.saturating_add(len).max(0)
    } else {
        start
    };
    let end = if end < 0 {
        end.saturating_add(len + 1).max(0)
    } else {
        end
    };
    (start as usize, end)
}

/// The part of a string between two positions; a start beyond the string is an error.
fn window(s: &str, start: usize, end: i64) -> Result<&str> {
    if start > s.len() {
        return Err(Fault::runtime(format!(
            "basic_string::substr: __pos (which is {start}) > this->size() (which is {})",
            s.len()
        )));
    }
    cut(s, start..(end.max(start as i64) as usize).min(s.len()))
}

/// Where a search between two positions ends up, or -1.
fn search(
    s: &str,
    wanted: &str,
    start: i64,
    end: i64,
    find: impl Fn(&str) -> Option<usize>,
) -> Result<i64> {
    let (start, end) = bounds(s, start, end);
    if end > start as i64 {
        let found = find(window(s, start, end)?);
        Ok(found.map_or(-1, |at| (start + at) as i64))
    } else if wanted.is_empty() {
        Ok(start as i64)
    } else {
        Ok(-1)
    }
}

fn find(s: &str, wanted: &str, start: i64, end: i64) -> Result<i64> {
    search(s, wanted, start, end, |part| part.find(wanted))
}

fn rfind(s: &str, wanted: &str, start: i64, end: i64) -> Result<i64> {
    search(s, wanted, start, end, |part| part.rfind(wanted))
}

fn found(at: i64) -> Result<i64> {
    match at {
        -1 => Err(Fault::runtime("ValueError: substring not found")),
        at => Ok(at),
    }
}

fn index(s: &str, wanted: &str, start: i64, end: i64) -> Result<i64> {
    found(find(s, wanted, start, end)?)
}

fn rindex(s: &str, wanted: &str, start: i64, end: i64) -> Result<i64> {
    found(rfind(s, wanted, start, end)?)
}

/// How often a part occurs without overlap.
fn count(s: &str, wanted: &str, start: i64, end: i64) -> Result<i64> {
    let (start, end) = bounds(s, start, end);
    if start > s.len() || end < start as i64 || s.is_empty() {
        return Ok(0);
    }
    Ok(window(s, start, end)?.matches(wanted).count() as i64)
}

/// The part that prefixes and suffixes are looked for in. An end before the start does not count.
fn affix_window(s: &str, start: i64, end: i64) -> Result<&str> {
    let (start, end) = bounds(s, start, end);
    let end = if end < start as i64 { i64::MAX } else { end };
    window(s, start, end)
}

fn startswith(s: &str, wanted: &str, start: i64, end: i64) -> Result<bool> {
    Ok(affix_window(s, start, end)?.starts_with(wanted))
}

fn endswith(s: &str, wanted: &str, start: i64, end: i64) -> Result<bool> {
    Ok(affix_window(s, start, end)?.ends_with(wanted))
}

/// Whether a string is not empty and all its bytes are of a kind.
fn all(s: &str, kind: impl Fn(u8) -> bool) -> bool {
    !s.is_empty() && s.bytes().all(kind)
}

/// The reference knows letters and digits only: a name with an underscore is none.
fn is_identifier(s: &str) -> bool {
    all(s, |b| b.is_ascii_alphanumeric()) && !s.as_bytes()[0].is_ascii_digit()
}

fn is_lower(s: &str) -> bool {
    s.bytes().any(|b| b.is_ascii_lowercase()) && !s.bytes().any(|b| b.is_ascii_uppercase())
}

fn is_upper(s: &str) -> bool {
    s.bytes().any(|b| b.is_ascii_uppercase()) && !s.bytes().any(|b| b.is_ascii_lowercase())
}

/// Whether upper case stands at the start of words and only there, and at least once.
fn is_title(s: &str) -> bool {
    let (mut inside, mut seen) = (false, false);
    for b in s.bytes() {
        match (b.is_ascii_uppercase(), b.is_ascii_lowercase()) {
            (true, _) if inside => return false,
            (_, true) if !inside => return false,
            (upper, lower) => {
                inside = upper || lower;
                seen |= inside;
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_minus_one_is_the_end_of_the_string() {
        assert_eq!(find("aaaa", "aa", -3, -1).unwrap(), 1);
        assert_eq!(rfind("aaaa", "aa", -3, -1).unwrap(), 2);
        assert_eq!(count("aaaa", "aa", -3, -1).unwrap(), 1);
        assert!(startswith("abcab", "ab", -2, -1).unwrap());
        assert!(!endswith("abcab", "b", 0, -3).unwrap());
    }

    #[test]
    fn nothing_is_found_where_the_search_begins() {
        assert_eq!(find("abc", "", 9, -1).unwrap(), 9);
        assert_eq!(rfind("abc", "", 1, 2).unwrap(), 2);
        assert_eq!(rfind("abc", "", 2, 1).unwrap(), 2);
        assert!(index("abc", "z", 4, 4).is_err());
        assert!(find("abc", "a", 5, 7).is_err());
        assert_eq!(count("abc", "a", 5, 7).unwrap(), 0);
    }

    #[test]
    fn titles_begin_words_with_capitals() {
        assert!(is_title("Abc Def") && is_title("A"));
        assert!(!is_title("ABC") && !is_title("A1b") && !is_title("12"));
    }
}
