//! Links in the documents lead somewhere: the file is there, and where a heading is named it is there too.

use super::Tree;

/// Follows the relative links of every Markdown file.
pub fn check(tree: &Tree) -> Result<Vec<String>, String> {
    let mut complaints = Vec::new();
    for file in tree.texts.iter().filter(|file| file.path.ends_with(".md")) {
        for target in links(&file.text).filter(|target| !is_external(target)) {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let resolved = if path.is_empty() {
                file.path.clone()
            } else {
                resolve(&file.path, path)
            };
            if !exists(tree, &resolved) {
                complaints.push(format!("{}: `{target}` leads nowhere", file.path));
            } else if !heading.is_empty() && !has_heading(tree, &resolved, heading) {
                complaints.push(format!("{}: `{target}` names no heading", file.path));
            }
        }
    }
    Ok(complaints)
}

/// The targets of `[text](target)`, outside of fenced code and of code spans.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines()
        .filter(move |line| {
            let fence = line.trim_start().starts_with("```");
            fenced ^= fence;
            !fence && !fenced
        })
        .flat_map(|line| {
            line.match_indices("](").filter_map(move |(at, _)| {
                let in_code = line[..at].matches('`').count() % 2 == 1;
                let target = line[at + 2..].split([')', ' ']).next()?;
                (!in_code && !target.is_empty()).then_some(target)
            })
        })
}

/// Whether a target lies outside of the project.
pub fn is_external(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:")
}

/// The path that a relative target leads to, from the file it stands in.
pub fn resolve(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = match target.starts_with('/') {
        true => Vec::new(),
        false => from
            .split('/')
            .collect::<Vec<_>>()
            .split_last()
            .map_or(Vec::new(), |(_, dirs)| dirs.to_vec()),
    };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

fn exists(tree: &Tree, path: &str) -> bool {
    let folder = format!("{path}/");
    path.is_empty()
        || tree
            .paths
            .iter()
            .any(|known| known == path || known.starts_with(&folder))
}

fn has_heading(tree: &Tree, path: &str, slug: &str) -> bool {
    let Some(file) = tree.texts.iter().find(|file| file.path == path) else {
        return false;
    };
    file.text
        .lines()
        .filter(|line| line.starts_with('#'))
        .any(|line| slug_of(line) == slug)
}

/// The anchor a heading gets: lower case, blanks as hyphens, other punctuation dropped.
pub fn slug_of(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    words
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{links, resolve, slug_of};

    #[test]
    fn links_outside_of_code_are_found() {
        let text = "see [a](b.md#c) and `[x](y)`\n```\n[no](no)\n```\n[d](e)";
        assert_eq!(links(text).collect::<Vec<_>>(), ["b.md#c", "e"]);
    }

    #[test]
    fn relative_targets_resolve_against_their_file() {
        assert_eq!(resolve("docs/a.md", "../README.md"), "README.md");
        assert_eq!(resolve("docs/a.md", "b/c.md"), "docs/b/c.md");
    }

    #[test]
    fn headings_become_anchors() {
        assert_eq!(
            slug_of("## The `run` command, in short"),
            "the-run-command-in-short"
        );
    }
}
