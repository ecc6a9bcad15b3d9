//! Which documents are pages, where they stand in the site and in which order they are read.

use std::collections::BTreeSet;

use crate::tidy::Tree;

/// The sections of the navigation. Documents of `docs` that stand in none follow in [`OTHERS`]; what stands here and is not
/// there is left out.
const SECTIONS: &[(&str, &[&str])] = &[
    (
        "Start",
        &["README.md", "examples/README.md", "CHANGELOG.md"],
    ),
    (
        "Doors",
        &[
            "docs/command.md",
            "docs/python.md",
            "docs/rust.md",
            "docs/c.md",
            "docs/browser.md",
            "docs/looking.md",
            "docs/scale.md",
            "docs/editors.md",
        ],
    ),
    (
        "Language",
        &["docs/language.md", OPERATORS, "docs/errors/README.md"],
    ),
    (
        "Facts",
        &[
            "docs/safety.md",
            "docs/performance.md",
            "docs/models.md",
            "docs/projects.md",
            "docs/repositories.md",
            "docs/missing.md",
        ],
    ),
    (
        "Working on it",
        &[
            "ARCHITECTURE.md",
            "docs/testing.md",
            "docs/debugging.md",
            "docs/adding-an-operator.md",
            "docs/adding-a-pass.md",
            "docs/derivatives.md",
            "docs/transforms.md",
            "docs/standard-library.md",
        ],
    ),
];

/// The section of documents that stand in no other.
const OTHERS: &str = "Further";

/// The page that is made from the table of operators.
const OPERATORS: &str = "docs/operators.md";

/// What a page is made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A document.
    Markdown,
    /// A source file of the examples.
    Program,
    /// The table of operators.
    Operators,
}

/// A page of the site.
pub struct Page {
    /// The file that it is made from, relative to the root of the project.
    pub path: String,
    /// Where it stands in the site.
    pub place: String,
    /// What it is called in the navigation.
    pub title: String,
    /// The section that it belongs to.
    pub section: &'static str,
    /// The page that it stands below: pages of errors and of examples.
    pub parent: Option<String>,
    /// What it is made from.
    pub kind: Kind,
    /// The text of the file.
    pub text: String,
}

impl Page {
    /// What leads from this page to the top of the site: nothing, or `../` for each folder.
    pub fn up(&self) -> String {
        "../".repeat(self.place.matches('/').count())
    }
}

/// All pages in reading order, and the files that links may lead to.
pub struct Map {
    /// The pages.
    pub pages: Vec<Page>,
    files: BTreeSet<String>,
}

impl Map {
    /// Finds the pages of a tree.
    pub fn new(tree: &Tree) -> Map {
        let mut pages: Vec<Page> = Vec::new();
        for (section, paths) in SECTIONS {
            for path in *paths {
                pages.extend(page(tree, path, section, None));
                pages.extend(children(tree, path, section));
            }
        }
        let known: BTreeSet<String> = pages.iter().map(|page| page.path.clone()).collect();
        let others = tree.paths.iter().filter(|path| {
            let name = path.strip_prefix("docs/");
            name.is_some_and(|name| name.ends_with(".md")) && !known.contains(*path)
        });
        pages.extend(others.filter_map(|path| page(tree, path, OTHERS, None)));
        Map {
            pages,
            files: tree.paths.iter().cloned().collect(),
        }
    }

    /// The page that a file of the project became.
    pub fn page_of(&self, path: &str) -> Option<&Page> {
        let readme = format!("{}/README.md", path.trim_end_matches('/'));
        self.pages
            .iter()
            .find(|page| page.path == path || page.path == readme)
    }

    /// Whether the project has a file, or a folder, of this path.
    pub fn has_file(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        path.is_empty()
            || self.files.contains(path)
            || self.files.iter().any(|file| file.starts_with(&folder))
    }

    /// Whether a file goes into the site as it is: data and programs beside the documents.
    pub fn is_copied(&self, path: &str) -> bool {
        (path.starts_with("docs/") || path.starts_with("examples/")) && self.files.contains(path)
    }
}

/// Where a file of the project stands in the site.
pub fn place(path: &str) -> String {
    let path = path.strip_prefix("docs/").unwrap_or(path);
    let path = match path.strip_suffix("README.md") {
        Some(folder) => format!("{folder}index.html"),
        None => match path.strip_suffix(".md") {
            Some(stem) => format!("{stem}.html"),
            None => path.to_owned(),
        },
    };
    match path.contains('/') {
        true => path,
        false => path.to_lowercase(),
    }
}

fn page(tree: &Tree, path: &str, section: &'static str, parent: Option<&str>) -> Option<Page> {
    let (text, kind) = match path == OPERATORS {
        true => (String::new(), Kind::Operators),
        false => {
            let file = tree.texts.iter().find(|file| file.path == path)?;
            let kind = match path.ends_with(".md") {
                true => Kind::Markdown,
                false => Kind::Program,
            };
            (file.text.clone(), kind)
        }
    };
    let (place, title) = match kind {
        Kind::Markdown => (place(path), heading(&text, path)),
        Kind::Program => {
            let name = path.rsplit('/').next().unwrap_or(path);
            (format!("{}.html", place(path)), name.to_owned())
        }
        Kind::Operators => (place(path), "Operators".to_owned()),
    };
    Some(Page {
        path: path.to_owned(),
        place,
        title,
        section,
        parent: parent.map(str::to_owned),
        kind,
        text,
    })
}

/// The other pages of the folder of a README below the top.
fn children(tree: &Tree, path: &str, section: &'static str) -> Vec<Page> {
    let Some(folder) = path.strip_suffix("README.md").filter(|f| !f.is_empty()) else {
        return Vec::new();
    };
    let inside = |file: &&String| {
        file.starts_with(folder)
            && (file.ends_with(".md") || file.ends_with(".py"))
            && file.as_str() != path
    };
    let inside = tree.paths.iter().filter(inside);
    inside
        .filter_map(|file| page(tree, file, section, Some(path)))
        .collect()
}

/// The first heading of a document.
fn heading(text: &str, path: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix("# "));
    line.unwrap_or(path).replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn documents_have_places_without_their_folder() {
        assert_eq!(place("README.md"), "index.html");
        assert_eq!(place("ARCHITECTURE.md"), "architecture.html");
        assert_eq!(place("docs/errors/README.md"), "errors/index.html");
        assert_eq!(place("docs/errors/with.md"), "errors/with.html");
        assert_eq!(place("examples/seven.png"), "examples/seven.png");
    }
}
