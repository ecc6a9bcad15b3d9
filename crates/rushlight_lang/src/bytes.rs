//! Searching and cutting bytes, as strings of scripts are.

use memchr::memmem;

/// Where a part begins first.
pub(super) fn find(s: &[u8], part: &[u8]) -> Option<usize> {
    memmem::find(s, part)
}

/// Where a part begins last.
pub(super) fn rfind(s: &[u8], part: &[u8]) -> Option<usize> {
    memmem::rfind(s, part)
}

/// Where a part begins, without overlap; one that is empty begins everywhere, at the end too.
pub(super) fn matches<'s>(s: &'s [u8], part: &'s [u8]) -> impl Iterator<Item = usize> + 's {
    memmem::find_iter(s, part)
}

/// What stands between separators, of which at most so many count.
pub(super) fn split<'s>(
    s: &'s [u8],
    separator: &'s [u8],
    most: usize,
) -> impl Iterator<Item = &'s [u8]> {
    let mut cuts = matches(s, separator).take(most);
    let mut from = Some(0);
    std::iter::from_fn(move || {
        let start = from?;
        let cut = cuts.next();
        from = cut.map(|at| at + separator.len());
        Some(&s[start..cut.unwrap_or(s.len())])
    })
}

/// As [`split`], from the end on: the last part comes first.
pub(super) fn rsplit<'s>(s: &'s [u8], separator: &[u8], most: usize) -> Vec<&'s [u8]> {
    let (mut parts, mut end) = (Vec::new(), s.len());
    for at in memmem::rfind_iter(s, separator).take(most) {
        parts.push(&s[at + separator.len()..end]);
        end = at;
    }
    parts.push(&s[..end]);
    parts
}

/// Without the bytes at the start that are among these.
pub(super) fn trim_start<'s>(s: &'s [u8], these: &[u8]) -> &'s [u8] {
    let start = s.iter().position(|b| !these.contains(b));
    &s[start.unwrap_or(s.len())..]
}

/// Without the bytes at the end that are among these.
pub(super) fn trim_end<'s>(s: &'s [u8], these: &[u8]) -> &'s [u8] {
    let end = s.iter().rposition(|b| !these.contains(b));
    &s[..end.map_or(0, |last| last + 1)]
}
