//! How stated and found documents differ, for people.

use super::document::{Document, Part};

/// A report for each part that differs.
pub fn reports(name: &str, stated: &Document, found: &Document) -> Vec<String> {
    let mut heading = "";
    let mut out = Vec::new();
    for ((line, stated), (_, found)) in stated.parts.iter().zip(&found.parts) {
        if let Part::Heading(text) = stated {
            heading = text.trim_start_matches('#').trim();
        }
        let (Part::Block { info, lines: a }, Part::Block { lines: b, .. }) = (stated, found) else {
            continue;
        };
        if let Some((first, diff)) = difference(a, b) {
            let at = line + 1 + first;
            out.push(format!("{name}:{at}: {heading}: {info}\n{diff}"));
        }
    }
    out
}

/// Where two texts begin to differ, and the lines of both: `-` stated, `+` found.
fn difference(stated: &[String], found: &[String]) -> Option<(usize, String)> {
    let steps = steps(stated, found);
    let mut first = None;
    let mut out = String::new();
    let mut at = 0;
    for step in steps {
        let (sign, line) = match step {
            LineStep::Same(line) => (' ', line),
            LineStep::Stated(line) => ('-', line),
            LineStep::Found(line) => ('+', line),
        };
        if sign != ' ' {
            first.get_or_insert(at);
            out.push_str(&format!("  {sign} {line}\n"));
        }
        at += usize::from(sign != '+');
    }
    first.map(|first| (first, out))
}

enum LineStep<'l> {
    Same(&'l str),
    Stated(&'l str),
    Found(&'l str),
}

/// The shortest way from one text to the other.
fn steps<'l>(a: &'l [String], b: &'l [String]) -> Vec<LineStep<'l>> {
    // `common[i][j]`: how many lines `a[i..]` and `b[j..]` share, in order.
    let mut common = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i][j] = match a[i] == b[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut out = Vec::new();
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            out.push(LineStep::Same(&a[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || i < a.len() && common[i + 1][j] >= common[i][j + 1] {
            out.push(LineStep::Stated(&a[i]));
            i += 1;
        } else {
            out.push(LineStep::Found(&b[j]));
            j += 1;
        }
    }
    out
}
