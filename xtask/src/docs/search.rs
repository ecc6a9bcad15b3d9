//! The index that the search box looks into: a script with a list of passages.

use serde_json::{Value, json};

use super::markdown::Made;
use super::pages::Page;

/// Passages longer than this are cut: what a page says comes first.
const MOST: usize = 2000;

/// Passages of all pages.
#[derive(Default)]
pub struct Index {
    entries: Vec<Value>,
}

impl Index {
    /// Adds the passages of a page: title, heading, where it is, text.
    pub fn add(&mut self, made: &Made, page: &Page) {
        for (anchor, text) in &made.passages {
            let heading = made.headings.iter().find(|(_, known, _)| known == anchor);
            let heading = heading.map_or("", |(_, _, heading)| heading.as_str());
            let shown = match heading == page.title {
                true => "",
                false => heading,
            };
            let text: String = text.chars().take(MOST).collect();
            let place = match anchor.as_str() {
                "" => page.place.clone(),
                anchor => format!("{}#{anchor}", page.place),
            };
            self.entries.push(json!([page.title, shown, place, text]));
        }
    }

    /// The script.
    pub fn script(&self) -> String {
        let mut out = String::from("window.searchIndex = [\n");
        for entry in &self.entries {
            // `</` would end a script that stands in a page.
            out.push_str(&entry.to_string().replace("</", "<\\/"));
            out.push_str(",\n");
        }
        out.push_str("];\n");
        out
    }
}
