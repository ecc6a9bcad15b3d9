//! From a document, or a program, to the HTML of its text.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};
use std::collections::HashMap;

use super::highlight::{escape, highlight};
use super::pages::{Map, Page};
use crate::tidy::links::{is_external, resolve, slug_of};

/// The text of a page, made.
#[derive(Default)]
pub struct Made {
    /// What stands between the navigation.
    pub html: String,
    /// Headings: level, anchor, text.
    pub headings: Vec<(u8, String, String)>,
    /// The plain text below each heading, by anchor; before the first it is empty.
    pub passages: Vec<(String, String)>,
    /// Files of the project that links lead to and that go into the site.
    pub copied: Vec<String>,
    /// Links that lead nowhere.
    pub complaints: Vec<String>,
}

/// Makes a document.
pub fn page(text: &str, page: &Page, map: &Map) -> Made {
    let mut maker = Maker {
        page,
        map,
        made: Made::default(),
        anchors: HashMap::new(),
        plain: String::new(),
        anchor: String::new(),
    };
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let events: Vec<Event<'_>> = Parser::new_ext(text, options).collect();
    let events = maker.events(events);
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    maker.flush();
    maker.made.html = out
        .replace("<table>", "<div class=\"table\"><table>")
        .replace("</table>", "</table></div>");
    maker.made
}

/// Makes the page of a program.
pub fn program(page: &Page) -> Made {
    let title = escape(&page.path);
    let code = block("python", &page.text);
    Made {
        html: format!("<h1 id=\"program\">{title}</h1>\n{code}"),
        headings: vec![(1, "program".to_owned(), page.path.clone())],
        passages: vec![("program".to_owned(), page.text.clone())],
        ..Made::default()
    }
}

/// A block of code; the first word of `info` is the language, a second one is shown above.
fn block(info: &str, text: &str) -> String {
    let mut words = info.split_whitespace();
    let language = words.next().unwrap_or("");
    let note = match words.next() {
        Some(note) => format!("<span class=\"note {0}\">{0}</span>", escape(note)),
        None => String::new(),
    };
    let code = highlight(language, text);
    // What a program prints stands close below it.
    let class = match language {
        "output" => "code output",
        _ => "code",
    };
    format!("<div class=\"{class}\">{note}<pre><code>{code}</code></pre></div>\n")
}

/// Code in a line; short code is not broken over lines.
fn inline_code(text: &str) -> String {
    let class = match text.chars().count() {
        0..=28 => " class=\"short\"",
        _ => "",
    };
    format!("<code{class}>{}</code>", escape(text))
}

struct Maker<'m> {
    page: &'m Page,
    map: &'m Map,
    made: Made,
    /// How often each anchor has been given.
    anchors: HashMap<String, usize>,
    /// The plain text since the last heading, and its anchor.
    plain: String,
    anchor: String,
}

impl Maker<'_> {
    fn events<'e>(&mut self, events: Vec<Event<'e>>) -> Vec<Event<'e>> {
        let mut out = Vec::with_capacity(events.len());
        let mut events = events.into_iter().peekable();
        // Whether links around the present place are left out.
        let mut unlinked = Vec::new();
        while let Some(event) = events.next() {
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    let level = level as u8;
                    let mut inner = Vec::new();
                    for event in events.by_ref() {
                        if matches!(event, Event::End(TagEnd::Heading(_))) {
                            break;
                        }
                        inner.push(event);
                    }
                    out.push(self.heading(level, inner));
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    let mut text = String::new();
                    for event in events.by_ref() {
                        match event {
                            Event::Text(part) => text.push_str(&part),
                            Event::End(TagEnd::CodeBlock) => break,
                            _ => {}
                        }
                    }
                    let info = match &kind {
                        CodeBlockKind::Fenced(info) => info.to_string(),
                        CodeBlockKind::Indented => "text".to_owned(),
                    };
                    self.plain.push_str(&text);
                    out.push(Event::Html(block(&info, &text).into()));
                }
                Event::Start(Tag::Link {
                    link_type,
                    dest_url,
                    title,
                    id,
                }) => {
                    let target = self.target(&dest_url);
                    unlinked.push(target.is_none());
                    match target {
                        Some(target) => out.push(Event::Start(Tag::Link {
                            link_type,
                            dest_url: target.into(),
                            title,
                            id,
                        })),
                        None => out.push(span(&dest_url)),
                    }
                }
                Event::End(TagEnd::Link) => match unlinked.pop() {
                    Some(true) => out.push(Event::InlineHtml("</span>".into())),
                    _ => out.push(Event::End(TagEnd::Link)),
                },
                Event::Start(Tag::Image {
                    link_type,
                    dest_url,
                    title,
                    id,
                }) => {
                    let target = self.target(&dest_url);
                    out.push(Event::Start(Tag::Image {
                        link_type,
                        dest_url: target.map_or(dest_url, CowStr::from),
                        title,
                        id,
                    }));
                }
                Event::Code(text) => {
                    self.plain.push_str(&text);
                    out.push(Event::InlineHtml(inline_code(&text).into()));
                }
                other => {
                    match &other {
                        Event::Text(text) => self.plain.push_str(text),
                        Event::SoftBreak | Event::HardBreak | Event::End(_) => {
                            self.plain.push(' ');
                        }
                        _ => {}
                    }
                    out.push(other);
                }
            }
        }
        out
    }

    fn heading<'e>(&mut self, level: u8, inner: Vec<Event<'e>>) -> Event<'e> {
        let mut text = String::new();
        for event in &inner {
            if let Event::Text(part) | Event::Code(part) = event {
                text.push_str(part);
            }
        }
        let slug = slug_of(&text);
        let count = self.anchors.entry(slug.clone()).or_insert(0);
        *count += 1;
        let anchor = match *count {
            1 => slug,
            n => format!("{slug}-{}", n - 1),
        };
        self.flush();
        self.anchor.clone_from(&anchor);
        let mut inside = String::new();
        html::push_html(&mut inside, self.events(inner).into_iter());
        self.plain.clear();
        self.made.headings.push((level, anchor.clone(), text));
        Event::Html(
            format!(
                "<h{level} id=\"{anchor}\">{inside}<a class=\"anchor\" href=\"#{anchor}\" aria-label=\"link\">#</a></h{level}>\n"
            )
            .into(),
        )
    }

    /// Ends the passage below a heading.
    fn flush(&mut self) {
        let plain = std::mem::take(&mut self.plain);
        let words: Vec<&str> = plain.split_whitespace().collect();
        let passage = (self.anchor.clone(), words.join(" "));
        if !passage.0.is_empty() || !passage.1.is_empty() {
            self.made.passages.push(passage);
        }
    }

    /// What a link of the document leads to in the site; `None` for files of the project that are not in it.
    fn target(&mut self, link: &str) -> Option<String> {
        if is_external(link) || link.starts_with('#') {
            return Some(link.to_owned());
        }
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let path = resolve(&self.page.path, path);
        let anchor = match anchor {
            "" => String::new(),
            anchor => format!("#{anchor}"),
        };
        let up = self.page.up();
        if let Some(page) = self.map.page_of(&path) {
            return Some(format!("{up}{}{anchor}", page.place));
        }
        if self.map.is_copied(&path) {
            let place = super::pages::place(&path);
            self.made.copied.push(path);
            return Some(format!("{up}{place}"));
        }
        if !self.map.has_file(&path) {
            let complaint = format!("{}: `{link}` leads nowhere", self.page.path);
            self.made.complaints.push(complaint);
        }
        None
    }
}

/// The beginning of what names a file of the project that is not in the site.
fn span<'e>(link: &str) -> Event<'e> {
    let title = escape(link.trim_start_matches("../"));
    Event::InlineHtml(format!("<span class=\"file\" title=\"{title}\">").into())
}
