//! The tree names no machine it was written on: no absolute paths of somebody's folders, no addresses of
//! private hosts.

use super::Tree;

/// Folders of a machine, without their first slash so that this file does not complain about itself.
const FOLDERS: &[&str] = &["home", "root", "tmp", "work", "Users", "var/folders"];

/// Files that are written by programs and name what they must.
const GENERATED: &[&str] = &["Cargo.lock"];

/// Looks through every text file.
pub fn check(tree: &Tree) -> Result<Vec<String>, String> {
    let mut complaints = Vec::new();
    for file in tree
        .texts
        .iter()
        .filter(|file| !GENERATED.contains(&file.path.as_str()))
    {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(found) = machine_path(line).or_else(|| private_address(line)) {
                complaints.push(format!("{}:{}: `{found}`", file.path, index + 1));
            }
        }
    }
    Ok(complaints)
}

/// An absolute path below one of [`FOLDERS`].
fn machine_path(line: &str) -> Option<&str> {
    FOLDERS.iter().find_map(|folder| {
        let pattern = format!("/{folder}/");
        let at = line
            .match_indices(&pattern)
            .map(|(at, _)| at)
            .find(|at| starts_a_path(&line[..*at]))?;
        Some(shorten(&line[at..]))
    })
}

/// `a/work/b` is relative and `crates/x/tmp/y` too; after a blank, a quotation mark or an `=` a path begins.
fn starts_a_path(before: &str) -> bool {
    !before.ends_with(|c: char| c.is_alphanumeric() || "_-.*/})]~$".contains(c))
}

/// A web address with a port other than the scheme's, or with a bare number as its host; every machine's own name for
/// itself, and a name that is yet to be put in, are no addresses.
fn private_address(line: &str) -> Option<&str> {
    line.match_indices("://").find_map(|(at, _)| {
        let host = line[at + 3..]
            .split(['/', ' ', '"', '\'', ')', '`'])
            .next()?;
        let numeric =
            host.split('.').count() == 4 && host.starts_with(|c: char| c.is_ascii_digit());
        let port = host
            .split_once(':')
            .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let own = ["localhost", "127.0.0.1", "{}"].contains(&host.split(':').next()?);
        (!own && (numeric || port)).then(|| shorten(&line[at..]))
    })
}

fn shorten(text: &str) -> &str {
    let end = text.char_indices().nth(40).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::{machine_path, private_address};

    #[test]
    fn absolute_paths_are_found_and_relative_ones_are_not() {
        let folder = "tmp";
        assert!(machine_path(&format!("open(\"/{folder}/x\")")).is_some());
        assert!(machine_path(&format!("target/{folder}/x")).is_none());
    }

    #[test]
    fn addresses_with_a_port_are_found() {
        assert!(private_address(&format!("http:{}example:8080/x", "//")).is_some());
        assert!(private_address("https://example.org/x").is_none());
        assert!(private_address(&format!("tcp:{}localhost:1", "//")).is_none());
    }
}
