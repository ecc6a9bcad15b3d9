//! Where nodes come from: places in sources, and the lines around them.

use rushlight::ir::{CallSite, Node};
use rushlight::syntax::Span;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Lines shown before and after the one that is meant.
const AROUND: u32 = 4;
/// Longer lines are cut.
const WIDEST: usize = 240;
/// Calls shown around a place.
const DEEPEST: usize = 40;

/// A line of a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The number of the file in [`Sources::files`].
    pub file: usize,
    /// The line, counted from 1.
    pub line: u32,
}

/// The files that a picture speaks of, with the lines near what it speaks of.
#[derive(Default)]
pub struct Sources {
    /// Their names and lines.
    pub files: Vec<(String, BTreeMap<u32, String>)>,
    by_name: HashMap<String, usize>,
}

impl Sources {
    /// The places of a node: its own, then those of the calls that it was inlined from, innermost first.
    pub fn places(&mut self, node: &Node) -> Vec<Place> {
        let mut places: Vec<Place> = node.span.iter().filter_map(|s| self.place(s)).collect();
        let mut site: Option<&Arc<CallSite>> = node.call_site.as_ref();
        while let Some(call) = site.filter(|_| places.len() < DEEPEST) {
            places.extend(call.span.iter().filter_map(|s| self.place(s)));
            site = call.caller.as_ref();
        }
        places.dedup();
        places
    }

    /// The place of a span: of what a person wrote, where that is known.
    pub fn place(&mut self, span: &Span) -> Option<Place> {
        let origin = span.origin().filter(|s| !s.is_unknown());
        let span = origin.as_ref().unwrap_or(span);
        if span.is_unknown() {
            return None;
        }
        let source = span.source();
        let file = match self.by_name.get(source.name()) {
            Some(&file) => file,
            None => {
                let file = self.files.len();
                self.by_name.insert(source.name().to_string(), file);
                self.files
                    .push((source.name().to_string(), BTreeMap::new()));
                file
            }
        };
        let line = span.line();
        let lines = &mut self.files[file].1;
        let text = source.text();
        let mut put = |at: u32| {
            let range = source.line_range_of(at);
            let found = text.get(range.start as usize..range.end as usize);
            lines
                .entry(source.line_of(at))
                .or_insert_with(|| super::fold::cut(found.unwrap_or(""), WIDEST));
            range
        };
        let own = put(span.start());
        let (mut first, mut last) = (own.start, own.end);
        for _ in 0..AROUND {
            if first > 0 {
                first = put(first - 1).start;
            }
            if (last as usize) + 1 < text.len() {
                last = put(last + 1).end;
            }
        }
        Some(Place { file, line })
    }
}
