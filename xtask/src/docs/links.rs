//! Whether every link of the site leads somewhere: to a file of the site, and to a place that is there.

use std::collections::{BTreeMap, BTreeSet};

use super::Site;
use crate::tidy::links::{is_external, resolve};

/// The links that lead nowhere, with the page that has them.
pub fn dead(site: &Site) -> Vec<String> {
    let pages: BTreeMap<&str, &str> = site
        .iter()
        .filter(|(path, _)| path.ends_with(".html"))
        .filter_map(|(path, bytes)| Some((path.as_str(), std::str::from_utf8(bytes).ok()?)))
        .collect();
    let anchors: BTreeMap<&str, BTreeSet<&str>> = pages
        .iter()
        .map(|(path, text)| (*path, values(text, "id").collect()))
        .collect();
    let mut dead = Vec::new();
    for (path, text) in &pages {
        let links = values(text, "href").chain(values(text, "src"));
        for link in links.filter(|link| !is_external(link)) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = match file {
                "" => (*path).to_owned(),
                file => resolve(path, file),
            };
            if !site.contains_key(&file) {
                dead.push(format!("{path}: `{link}` leads nowhere"));
            } else if !anchor.is_empty()
                && !anchors
                    .get(file.as_str())
                    .is_some_and(|known| known.contains(anchor))
            {
                dead.push(format!("{path}: `{link}` names no place of {file}"));
            }
        }
    }
    dead
}

/// The values of an attribute. Text has its quotes escaped, so that none is found there.
fn values<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let start = format!(" {name}=\"");
    let length = start.len();
    let found: Vec<usize> = text.match_indices(&start).map(|(at, _)| at).collect();
    found
        .into_iter()
        .filter_map(move |at| text[at + length..].split('"').next())
}

#[cfg(test)]
mod tests {
    use super::{Site, dead};

    #[test]
    fn dead_links_and_anchors_are_found() {
        let page = |text: &str| text.as_bytes().to_vec();
        let site = Site::from([
            (
                "a.html".to_owned(),
                page(
                    "<a href=\"b/c.html#x\"></a><a href=\"b/c.html#y\"></a><a href=\"d.html\"></a><a href=\"#z\"></a><a href=\"https://x.org/#y\"></a>",
                ),
            ),
            (
                "b/c.html".to_owned(),
                page("<p id=\"x\"><img src=\"../a.html\">"),
            ),
        ]);
        assert_eq!(
            dead(&site),
            [
                "a.html: `b/c.html#y` names no place of b/c.html",
                "a.html: `d.html` leads nowhere",
                "a.html: `#z` names no place of a.html",
            ]
        );
    }
}
