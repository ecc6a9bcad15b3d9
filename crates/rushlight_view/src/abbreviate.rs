//! Messages that a person can read to the end: of long ones the beginning and the end, and how much is between them.

/// Messages of more lines lose their middle.
const MOST_LINES: usize = 80;
/// Lines kept at the beginning and at the end of such a message.
const KEPT: (usize, usize) = (40, 20);
/// Longer lines lose their middle.
const MOST_CHARACTERS: usize = 1000;
/// Characters kept at the beginning and at the end of such a line.
const KEPT_CHARACTERS: (usize, usize) = (400, 100);

/// A message without the middle of what is long in it.
pub fn message(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (first, last) = KEPT;
    let all = |lines: &[&str]| lines.iter().map(|l| line(l)).collect::<Vec<_>>();
    let kept = match lines.len() {
        0..=MOST_LINES => all(&lines),
        count => {
            let mut kept = all(&lines[..first]);
            kept.push(format!("... {} more lines ...", count - first - last));
            kept.extend(all(&lines[count - last..]));
            kept
        }
    };
    kept.join("\n")
}

/// A line without its middle where it is long.
pub fn line(text: &str) -> String {
    let count = text.chars().count();
    if count <= MOST_CHARACTERS {
        return text.to_string();
    }
    let (first, last) = KEPT_CHARACTERS;
    let head: String = text.chars().take(first).collect();
    let tail: String = text.chars().skip(count - last).collect();
    format!(
        "{head} ... {} more characters ... {tail}",
        count - first - last
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_messages_stay_and_long_ones_keep_both_ends() {
        assert_eq!(message("a\nb"), "a\nb");
        let long: Vec<String> = (0..40_000).map(|i| i.to_string()).collect();
        let kept = message(&long.join("\n"));
        assert!(kept.starts_with("0\n1\n") && kept.ends_with("39998\n39999"));
        assert!(kept.contains("... 39940 more lines ...") && kept.lines().count() == 61);
        let wide = line(&"\u{e9}".repeat(10_000));
        assert!(wide.contains("9500 more characters") && wide.chars().count() < 600);
    }
}
