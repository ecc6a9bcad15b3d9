//! What stands around the text of a page: the head, the navigation, the headings of the page, the pages before and behind.

use super::highlight::escape;
use super::markdown::Made;
use super::pages::{Kind, Map, Page};

/// Files that every page uses, by their place in the site.
pub const ASSETS: &[(&str, &str)] = &[
    ("site.css", include_str!("site.css")),
    ("site.js", include_str!("site.js")),
];

/// A page of the site: the one at `at` in the map.
pub fn page(made: &Made, at: usize, map: &Map) -> String {
    let page = &map.pages[at];
    let (up, title) = (page.up(), escape(&page.title));
    let title = match page.place == "index.html" {
        true => title,
        false => format!("{title} - Rushlight"),
    };
    let neighbours = neighbours(at, map);
    let (navigation, contents) = (navigation(page, map), contents(made, page));
    format!(
        "<!doctype html>\n\
         <html lang=\"en\" data-up=\"{up}\">\n\
         <head>\n\
         <meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"{up}site.css\">\n\
         <script src=\"{up}site.js\"></script>\n\
         </head>\n\
         <body>\n\
         <header>\n\
         <button id=\"menu\" aria-label=\"Navigation\">&#9776;</button>\n\
         <a class=\"name\" href=\"{up}index.html\">Rushlight</a>\n\
         <input id=\"search\" type=\"search\" placeholder=\"Search  /\" aria-label=\"Search\" autocomplete=\"off\">\n\
         <button id=\"light\" aria-label=\"Light or dark\">&#9680;</button>\n\
         <div id=\"results\" hidden></div>\n\
         </header>\n\
         <div class=\"columns\">\n\
         <nav id=\"pages\">\n{navigation}</nav>\n\
         <main>\n{}\n{neighbours}</main>\n\
         {contents}\
         </div>\n\
         <script src=\"{up}search-index.js\" defer></script>\n\
         </body>\n\
         </html>\n",
        made.html
    )
}

/// All pages by section; those below another show while one of them, or that one, is looked at.
fn navigation(current: &Page, map: &Map) -> String {
    let up = current.up();
    let mut out = String::new();
    let mut section = "";
    for page in &map.pages {
        let is_open = page.parent.is_none()
            || page.parent.as_deref() == Some(&current.path)
            || page.parent == current.parent;
        if !is_open {
            continue;
        }
        if page.section != section {
            section = page.section;
            out.push_str(&format!("<h2>{section}</h2>\n"));
        }
        let class = match (page.parent.is_some(), page.path == current.path) {
            (false, false) => "",
            (true, false) => " class=\"below\"",
            (false, true) => " class=\"here\"",
            (true, true) => " class=\"below here\"",
        };
        let (place, title) = (&page.place, escape(&page.title));
        out.push_str(&format!("<a{class} href=\"{up}{place}\">{title}</a>\n"));
    }
    out
}

/// The headings of a long page.
fn contents(made: &Made, page: &Page) -> String {
    let deepest = match page.kind {
        Kind::Operators => 2,
        Kind::Markdown | Kind::Program => 3,
    };
    let shown = made
        .headings
        .iter()
        .filter(|(level, ..)| (2..=deepest).contains(level));
    let links: String = shown
        .clone()
        .map(|(level, anchor, text)| {
            let text = escape(text);
            format!("<a class=\"level{level}\" href=\"#{anchor}\">{text}</a>\n")
        })
        .collect();
    match shown.count() {
        // The column stays, so that pages stand at one place.
        0..=2 => "<aside></aside>\n".to_owned(),
        _ => format!("<aside>\n<h2>On this page</h2>\n{links}</aside>\n"),
    }
}

/// The pages before and behind.
fn neighbours(at: usize, map: &Map) -> String {
    let up = map.pages[at].up();
    let link = |page: &Page, class: &str, arrow: [&str; 2]| {
        let (place, title) = (&page.place, escape(&page.title));
        let [before, behind] = arrow;
        format!("<a class=\"{class}\" href=\"{up}{place}\">{before}{title}{behind}</a>\n")
    };
    let previous = at.checked_sub(1).and_then(|at| map.pages.get(at));
    let previous = previous.map(|page| link(page, "previous", ["&larr; ", ""]));
    let next = map.pages.get(at + 1);
    let next = next.map(|page| link(page, "next", ["", " &rarr;"]));
    format!(
        "<footer>\n{}{}</footer>\n",
        previous.unwrap_or_default(),
        next.unwrap_or_default()
    )
}
