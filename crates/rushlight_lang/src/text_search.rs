//! Searching strings and asking what they consist of.

use super::bytes;
use super::string::is_space;
use rushlight_types::{Fault, Result, operators, quick_op};

operators! {
    /// `find`, `count`, `startswith` and `isalpha` with their kin.
    pub static ROWS = [
        quick_op!("aten::find(str self, str substr, int start=0, int end=-1) -> int", find),
        quick_op!("aten::rfind(str self, str substr, int start=0, int end=-1) -> int", rfind),
        quick_op!("aten::index.str(str self, str substr, int start=0, int end=-1) -> int", index),
        quick_op!("aten::rindex(str self, str substr, int start=0, int end=-1) -> int", rindex),
        quick_op!("aten::count(str self, str substr, int start=0, int end=-1) -> int", count),
        quick_op!("aten::startswith(str self, str substr, int start=0, int end=-1) -> bool", startswith),
        quick_op!("aten::endswith(str self, str substr, int start=0, int end=-1) -> bool", endswith),
        quick_op!("aten::isalnum(str self) -> bool", |s: &[u8]| -> bool { all(s, |b| b.is_ascii_alphanumeric()) }),
        quick_op!("aten::isalpha(str self) -> bool", |s: &[u8]| -> bool { all(s, |b| b.is_ascii_alphabetic()) }),
        quick_op!("aten::isdecimal(str self) -> bool", |s: &[u8]| -> bool { all(s, |b| b.is_ascii_digit()) }),
        quick_op!("aten::isdigit(str self) -> bool", |s: &[u8]| -> bool { all(s, |b| b.is_ascii_digit()) }),
        quick_op!("aten::isnumeric(str self) -> bool", |s: &[u8]| -> bool { all(s, |b| b.is_ascii_digit()) }),
        quick_op!("aten::isspace(str self) -> bool", |s: &[u8]| -> bool { all(s, is_space) }),
        quick_op!("aten::isprintable(str self) -> bool", |s: &[u8]| -> bool { s.iter().all(|b| (0x20..0x7f).contains(b)) }),
        quick_op!("aten::isidentifier(str self) -> bool", is_identifier),
        quick_op!("aten::islower(str self) -> bool", is_lower),
        quick_op!("aten::isupper(str self) -> bool", is_upper),
        quick_op!("aten::istitle(str self) -> bool", is_title),
    ];
}

/// Start and end as positions: negative ones count from the end, -1 as the end stands for all of it.
fn bounds(s: &[u8], start: i64, end: i64) -> (usize, i64) {
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
fn window(s: &[u8], start: usize, end: i64) -> Result<&[u8]> {
    if start > s.len() {
        return Err(Fault::runtime(format!(
            "basic_string::substr: __pos (which is {start}) > this->size() (which is {})",
            s.len()
        )));
    }
    Ok(&s[start..(end.max(start as i64) as usize).min(s.len())])
}

/// Where a search between two positions ends up, or -1.
fn search(
    s: &[u8],
    wanted: &[u8],
    start: i64,
    end: i64,
    find: impl Fn(&[u8]) -> Option<usize>,
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

fn find(s: &[u8], wanted: &[u8], start: i64, end: i64) -> Result<i64> {
    search(s, wanted, start, end, |part| bytes::find(part, wanted))
}

fn rfind(s: &[u8], wanted: &[u8], start: i64, end: i64) -> Result<i64> {
    search(s, wanted, start, end, |part| bytes::rfind(part, wanted))
}

fn found(at: i64) -> Result<i64> {
    match at {
        -1 => Err(Fault::runtime("ValueError: substring not found")),
        at => Ok(at),
    }
}

fn index(s: &[u8], wanted: &[u8], start: i64, end: i64) -> Result<i64> {
    found(find(s, wanted, start, end)?)
}

fn rindex(s: &[u8], wanted: &[u8], start: i64, end: i64) -> Result<i64> {
    found(rfind(s, wanted, start, end)?)
}

/// How often a part occurs without overlap.
fn count(s: &[u8], wanted: &[u8], start: i64, end: i64) -> Result<i64> {
    let (start, end) = bounds(s, start, end);
    if start > s.len() || end < start as i64 || s.is_empty() {
        return Ok(0);
    }
    Ok(bytes::matches(window(s, start, end)?, wanted).count() as i64)
}

/// The part that prefixes and suffixes are looked for in. An end before the start does not count.
fn affix_window(s: &[u8], start: i64, end: i64) -> Result<&[u8]> {
    let (start, end) = bounds(s, start, end);
    let end = if end < start as i64 { i64::MAX } else { end };
    window(s, start, end)
}

fn startswith(s: &[u8], wanted: &[u8], start: i64, end: i64) -> Result<bool> {
    Ok(affix_window(s, start, end)?.starts_with(wanted))
}

fn endswith(s: &[u8], wanted: &[u8], start: i64, end: i64) -> Result<bool> {
    Ok(affix_window(s, start, end)?.ends_with(wanted))
}

/// Whether a string is not empty and all its bytes are of a kind.
fn all(s: &[u8], kind: impl Fn(u8) -> bool) -> bool {
    !s.is_empty() && s.iter().copied().all(kind)
}

/// The reference knows letters and digits only: a name with an underscore is none.
fn is_identifier(s: &[u8]) -> bool {
    all(s, |b| b.is_ascii_alphanumeric()) && !s[0].is_ascii_digit()
}

fn is_lower(s: &[u8]) -> bool {
    s.iter().any(|b| b.is_ascii_lowercase()) && !s.iter().any(|b| b.is_ascii_uppercase())
}

fn is_upper(s: &[u8]) -> bool {
    s.iter().any(|b| b.is_ascii_uppercase()) && !s.iter().any(|b| b.is_ascii_lowercase())
}

/// Whether upper case stands at the start of words and only there, and at least once.
fn is_title(s: &[u8]) -> bool {
    let (mut inside, mut seen) = (false, false);
    for b in s {
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
        assert_eq!(find(b"aaaa", b"aa", -3, -1).unwrap(), 1);
        assert_eq!(rfind(b"aaaa", b"aa", -3, -1).unwrap(), 2);
        assert_eq!(count(b"aaaa", b"aa", -3, -1).unwrap(), 1);
        assert!(startswith(b"abcab", b"ab", -2, -1).unwrap());
        assert!(!endswith(b"abcab", b"b", 0, -3).unwrap());
    }

    #[test]
    fn nothing_is_found_where_the_search_begins() {
        assert_eq!(find(b"abc", b"", 9, -1).unwrap(), 9);
        assert_eq!(rfind(b"abc", b"", 1, 2).unwrap(), 2);
        assert_eq!(rfind(b"abc", b"", 2, 1).unwrap(), 2);
        assert!(index(b"abc", b"z", 4, 4).is_err());
        assert!(find(b"abc", b"a", 5, 7).is_err());
        assert_eq!(count(b"abc", b"a", 5, 7).unwrap(), 0);
    }

    #[test]
    fn titles_begin_words_with_capitals() {
        assert!(is_title(b"Abc Def") && is_title(b"A"));
        assert!(!is_title(b"ABC") && !is_title(b"A1b") && !is_title(b"12"));
    }
}
