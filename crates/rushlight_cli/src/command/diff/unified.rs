//! Two texts as a unified diff.
//!
//! Of the library that finds what lines have in common only the one algorithm is taken: its own way of showing texts compiles
//! all of them, for half a megabyte of the command.

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{DiffTag, group_diff_ops};
use std::ops::Range;
use std::time::{Duration, Instant};

/// Lines that are shown around a change.
const AROUND: usize = 3;
/// How long the shortest diff of one text is looked for; a longer diff is given then.
const LOOKED_FOR: Duration = Duration::from_secs(2);

/// The hunks of a unified diff, without the names of files. Empty where the texts are equal.
pub fn diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut found = Compact::new(Replace::new(Capture::new()), &old[..], &new[..]);
    let deadline = Instant::now().checked_add(LOOKED_FOR);
    let Ok(()) = myers::diff_deadline(
        &mut found,
        &old[..],
        0..old.len(),
        &new[..],
        0..new.len(),
        deadline,
    );
    let mut out = String::new();
    for hunk in group_diff_ops(found.into_inner().into_inner().into_ops(), AROUND) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
            continue;
        };
        out.push_str(&format!(
            "@@ -{} +{} @@\n",
            span(first.old_range().start..last.old_range().end),
            span(first.new_range().start..last.new_range().end)
        ));
        for op in &hunk {
            let mut add = |mark: char, lines: &[&str]| {
                for line in lines {
                    out.push(mark);
                    out.push_str(line);
                    out.push('\n');
                }
            };
            match op.tag() {
                DiffTag::Equal => add(' ', &old[op.old_range()]),
                _ => {
                    add('-', &old[op.old_range()]);
                    add('+', &new[op.new_range()]);
                }
            }
        }
    }
    out
}

/// Lines as the head of a hunk has them: the first, counted from 1, and how many where that is not one. Where there are
/// none, the line before them.
fn span(lines: Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::diff;

    /// As `diff -u` shows them.
    #[test]
    fn hunks_are_those_of_diff() {
        assert_eq!(diff("a\nb\n", "a\nb\n"), "");
        assert_eq!(diff("", "a\n"), "@@ -0,0 +1 @@\n+a\n");
        assert_eq!(diff("a\n", ""), "@@ -1 +0,0 @@\n-a\n");
        let old: Vec<String> = (1..=20).map(|i| format!("{i}\n")).collect();
        let mut new = old.clone();
        new[1] = "two\n".into();
        new.remove(17);
        let expected = "\
@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5
@@ -15,6 +15,5 @@\n 15\n 16\n 17\n-18\n 19\n 20\n";
        assert_eq!(diff(&old.concat(), &new.concat()), expected);
    }
}
