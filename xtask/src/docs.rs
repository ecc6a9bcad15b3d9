//! `cargo xtask docs`: the documents of the project as a static site in `target/docs`.
//!
//! [`pages`] says which documents there are and in which order, [`markdown`] makes HTML of one, [`frame`] puts it between
//! navigation, and [`links`] looks whether every link leads somewhere. The site needs no server and no network: the search
//! looks into an index that is a script of its own.

mod frame;
mod highlight;
mod links;
mod markdown;
pub mod operators;
mod pages;
mod search;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::arguments::{refuse_options, take_flag};
use crate::steps::Outcome;
use crate::tidy::Tree;
use crate::workspace::{root, target};

/// The files of the site, by their path in it.
pub type Site = BTreeMap<String, Vec<u8>>;

/// `cargo xtask docs`.
pub fn run(mut args: Vec<String>) -> Result<(), String> {
    let without_operators = take_flag(&mut args, "--without-operators");
    refuse_options(&args)?;
    let schemas = match without_operators {
        true => String::new(),
        false => operators::schemas()?,
    };
    println!("{}", write(&build(&Tree::read()?, &schemas)?)?);
    Ok(())
}

/// The site as a step of the tests.
pub fn step() -> Outcome {
    let site = operators::schemas().and_then(|schemas| {
        crate::methods::check(&schemas)?;
        build(&Tree::read()?, &schemas)
    });
    Outcome::from_result(site.and_then(|site| write(&site)))
}

/// Makes the site of the documents and the schemas of operators; a dead link is an error.
fn build(tree: &Tree, schemas: &str) -> Result<Site, String> {
    let map = pages::Map::new(tree);
    let mut site = Site::new();
    let mut index = search::Index::default();
    let mut complaints = Vec::new();
    for (at, page) in map.pages.iter().enumerate() {
        let made = match page.kind {
            pages::Kind::Markdown => markdown::page(&page.text, page, &map),
            pages::Kind::Program => markdown::program(page),
            pages::Kind::Operators => operators::page(schemas, page),
        };
        complaints.extend(made.complaints.iter().cloned());
        for path in &made.copied {
            let bytes = std::fs::read(root().join(path)).map_err(|e| format!("{path}: {e}"))?;
            site.insert(pages::place(path), bytes);
        }
        index.add(&made, page);
        let html = frame::page(&made, at, &map);
        site.insert(page.place.clone(), html.into_bytes());
    }
    for (name, text) in frame::ASSETS {
        site.insert((*name).to_owned(), text.as_bytes().to_vec());
    }
    site.insert("search-index.js".to_owned(), index.script().into_bytes());
    complaints.extend(links::dead(&site));
    match complaints.as_slice() {
        [] => Ok(site),
        some => Err(some.join("\n")),
    }
}

/// Writes the site in the place of the one before.
fn write(site: &Site) -> Result<String, String> {
    let folder: PathBuf = target().join("docs");
    let fail = |e: std::io::Error| format!("{}: {e}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(fail)?;
    }
    for (path, bytes) in site {
        let file = folder.join(path);
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent).map_err(fail)?;
        }
        std::fs::write(file, bytes).map_err(fail)?;
    }
    let pages = site.keys().filter(|path| path.ends_with(".html")).count();
    let index = folder.join("index.html");
    let shown = index.strip_prefix(root()).unwrap_or(&index).display();
    Ok(format!("{pages} pages, {shown}"))
}

#[cfg(test)]
mod tests {
    use super::{Tree, build};

    #[test]
    fn no_link_of_the_site_is_dead() {
        let tree = Tree::read().expect("the tree can be read");
        let site = match build(&tree, "aten::neg(Tensor self) -> Tensor\t\n") {
            Ok(site) => site,
            Err(complaints) => panic!("{complaints}"),
        };
        for place in ["index.html", "errors/syntax.html", "operators.html"] {
            assert!(site.contains_key(place), "{place}");
        }
    }
}
