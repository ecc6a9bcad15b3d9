//! Debug records: from where in the original source each piece of printed code comes.
//!
//! A record `code/x.py.debug_pkl` is a pickle of `("FORMAT_WITH_STRING_TABLE", strings, entries)`. The strings are the
//! lines and file names of the sources, each once. An entry is `(offset, (source, start, end), tag)`: from that offset
//! of the code on, the text comes from that range. Equal ranges have the same tag; 0 stands for text that comes from nowhere.

use super::print::Text;
use crate::pickle::{self, NodeId, Pickle, PickleLimits, PickleValue, Pickler, Unwritable};
use crate::zip::Deferred;
use rushlight_syntax::source::Origins;
use rushlight_syntax::{Source, Span};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

/// The strings of a record, numbered.
#[derive(Default)]
struct Strings {
    numbers: HashMap<String, i64>,
    order: Vec<String>,
    /// The lines in pieces of sources that were asked for before: most are those of many ranges.
    pieces: HashMap<Piece, Rc<[i64]>>,
    /// The sources of the pieces are kept, so that no other can have their address.
    sources: Vec<Arc<Source>>,
}

/// The address of a source, and where a piece of it starts and ends.
type Piece = (*const Source, u32, u32);

impl Strings {
    fn number(&mut self, text: &str) -> i64 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.order.len() as i64;
        self.numbers.insert(text.into(), number);
        self.order.push(text.into());
        number
    }

    /// The numbers of the lines in a piece of a source.
    fn lines(&mut self, source: &Arc<Source>, piece: std::ops::Range<u32>) -> Rc<[i64]> {
        let key = (Arc::as_ptr(source), piece.start, piece.end);
        if let Some(lines) = self.pieces.get(&key) {
            return lines.clone();
        }
        let text = source.text();
        let start = text.floor_char_boundary(piece.start as usize);
        let end = text.ceil_char_boundary(piece.end as usize).max(start);
        // The last line of a source may lack its line break.
        let lines = text[start..end].split_inclusive('\n');
        let lines: Rc<[i64]> = lines.map(|line| self.number(line)).collect();
        self.pieces.insert(key, lines.clone());
        self.sources.push(source.clone());
        lines
    }
}

/// What an entry says about its source.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Range {
    lines: Rc<[i64]>,
    file: i64,
    first_line: i64,
    start: i64,
    end: i64,
}

/// Writes the record of a code file.
pub fn write(text: &Text) -> Result<Vec<u8>, Unwritable> {
    let mut strings = Strings::default();
    strings.number("");
    let mut entries: Vec<(i64, Range)> = vec![(0, Range::default())];
    for (offset, span) in &text.marks {
        let written = span.as_ref().and_then(Span::written_by_hand);
        let range = written.map_or_else(Range::default, |s| range(&s, &mut strings));
        let offset = *offset as i64;
        match entries.last_mut() {
            Some(last) if last.0 == offset => last.1 = range,
            Some(last) if last.1 == range => {}
            _ => entries.push((offset, range)),
        }
    }
    let mut p = Pickler::new();
    p.begin_items().str("FORMAT_WITH_STRING_TABLE");
    p.begin_items();
    for string in &strings.order {
        p.str(string);
    }
    p.tuple_items().begin_items();
    let mut tags: HashMap<&Range, i64> = HashMap::from([(&entries[0].1, 0)]);
    for (offset, range) in &entries {
        let next = tags.len() as i64;
        let tag = *tags.entry(range).or_insert(next);
        p.int(*offset);
        p.typed_list("build_intlist", range.lines.iter(), |p, &line| {
            p.int(line);
        });
        p.int(range.file).int(range.first_line).tuple(3, |_| ());
        p.int(range.start).int(range.end).tuple(3, |_| ());
        p.int(tag).tuple(3, |_| ());
    }
    p.tuple_items();
    p.tuple_items();
    p.finish()
}

/// How many lines around a span are kept as its source: as many as errors show.
const CONTEXT: usize = 10;

/// A span as a record has it: the lines that it touches and some around them, not beyond its function.
fn range(span: &Span, strings: &mut Strings) -> Range {
    let source = span.source();
    let text = source.text();
    let window = source.window();
    let low = (window.start as usize).min(text.len());
    let high = (window.end as usize).clamp(low, text.len());
    let (start, end) = (span.start() as usize, span.end() as usize);
    let start = text.floor_char_boundary(start.clamp(low, high));
    let end = text.ceil_char_boundary(end.clamp(low, high).max(start));
    let piece = source.around(start as u32..end as u32, CONTEXT);
    Range {
        lines: strings.lines(source, piece.clone()),
        file: strings.number(source.name()),
        first_line: source.line_of(piece.start).into(),
        start: start as i64 - i64::from(piece.start),
        end: end as i64 - i64::from(piece.start),
    }
}

/// A record of ranges. It is read when an error or a graph first asks for it; one that makes no sense tells nothing.
pub struct Ranges {
    record: Deferred,
    entries: OnceLock<Vec<(u32, Option<Span>)>>,
}

impl Ranges {
    /// The ranges in a record.
    pub fn new(record: Deferred) -> Ranges {
        Ranges {
            record,
            entries: OnceLock::new(),
        }
    }

    fn entries(&self) -> &[(u32, Option<Span>)] {
        self.entries.get_or_init(|| {
            self.record
                .read()
                .ok()
                .and_then(|r| parse(&r))
                .unwrap_or_default()
        })
    }
}

impl Origins for Ranges {
    fn origin_of(&self, offset: u32) -> Option<Span> {
        self.origin_in(offset..offset)
    }

    fn origin_in(&self, range: std::ops::Range<u32>) -> Option<Span> {
        let entries = self.entries();
        let after = entries.partition_point(|entry| entry.0 <= range.start);
        let first = after.checked_sub(1)?;
        let later = entries[after..]
            .iter()
            .take_while(|entry| entry.0 < range.end);
        std::iter::once(&entries[first])
            .chain(later)
            .find_map(|entry| entry.1.clone())
    }
}

fn parse(record: &[u8]) -> Option<Vec<(u32, Option<Span>)>> {
    let parsed = pickle::read(record, &PickleLimits::default()).ok()?;
    if parsed.is_cyclic() {
        return None;
    }
    let root = items(&parsed, parsed.root())?;
    let (strings, entries) = match root {
        [format, strings, entries] if parsed.as_str(*format).is_some() => {
            (items(&parsed, *strings)?, items(&parsed, *entries)?)
        }
        entries => (&[][..], entries),
    };
    let mut sources = Sources {
        pickle: &parsed,
        strings,
        known: HashMap::new(),
        room: record.len().saturating_mul(64).saturating_add(1 << 20),
    };
    let mut out = Vec::with_capacity(entries.len());
    for &entry in entries {
        let [offset, range, ..] = items(&parsed, entry)? else {
            return None;
        };
        let offset = u32::try_from(parsed.as_int(*offset)?).ok()?;
        out.push((offset, sources.span(*range)));
    }
    out.is_sorted_by_key(|entry| entry.0).then_some(out)
}

/// What a source is made of. Entries repeat it.
#[derive(PartialEq, Eq, Hash)]
enum Made {
    /// Numbers of lines, the number of a file and the first line.
    Of(Vec<i64>, i64, i64),
    /// The texts in a node.
    There(NodeId),
}

/// The sources that the entries of a record name.
struct Sources<'p> {
    pickle: &'p Pickle,
    strings: &'p [NodeId],
    known: HashMap<Made, Option<Arc<Source>>>,
    /// How many bytes of text may still be put together: a few numbers can ask for any amount.
    room: usize,
}

impl Sources<'_> {
    /// `((text, file, first line), start, end)`, where text and file may be numbers of strings.
    fn span(&mut self, range: NodeId) -> Option<Span> {
        let [source, start, end, ..] = items(self.pickle, range)? else {
            return None;
        };
        let source = self.source(*source)?;
        // Offsets of lines with letters beyond ASCII may point into one.
        let text = source.text();
        let place = |id: NodeId| usize::try_from(self.pickle.as_int(id)?).ok();
        let start = text.floor_char_boundary(place(*start)?);
        let end = text.ceil_char_boundary(place(*end)?).max(start);
        Some(source.span(start as u32..end as u32))
    }

    fn source(&mut self, node: NodeId) -> Option<Arc<Source>> {
        let [text, file, first_line, ..] = *items(self.pickle, node)? else {
            return None;
        };
        let lines = line_numbers(self.pickle, text);
        let first_line = self.pickle.as_int(first_line)?;
        let made = match (lines, self.pickle.as_int(file)) {
            (Some(lines), Some(file)) => Made::Of(lines, file, first_line),
            _ => Made::There(node),
        };
        if let Some(known) = self.known.get(&made) {
            return known.clone();
        }
        let source = self.new_source(text, file, first_line);
        self.known.insert(made, source.clone());
        source
    }

    fn new_source(&mut self, text: NodeId, file: NodeId, first_line: i64) -> Option<Arc<Source>> {
        let pickle = self.pickle;
        let string = |number: i64| pickle.as_str(*self.strings.get(usize::try_from(number).ok()?)?);
        let name = match pickle.as_int(file) {
            Some(number) => string(number)?,
            None => pickle.as_str(file).unwrap_or_default(),
        };
        let pieces = match pickle.as_str(text) {
            Some(text) => vec![text],
            None => {
                let numbers = line_numbers(pickle, text)?.into_iter();
                numbers.map(string).collect::<Option<Vec<_>>>()?
            }
        };
        let len = pieces.iter().map(|piece| piece.len()).sum();
        self.room = self.room.checked_sub(len)?;
        let first_line = u32::try_from(first_line).ok()?;
        (len > 0).then(|| Source::with_first_line(name, pieces.concat(), first_line))
    }
}

/// The items of a tuple or list.
fn items(pickle: &Pickle, id: NodeId) -> Option<&[NodeId]> {
    pickle.as_tuple(id).or_else(|| pickle.as_list(id))
}

/// The numbers in a list of lines, which stands in a call of the maker of int lists.
fn line_numbers(pickle: &Pickle, id: NodeId) -> Option<Vec<i64>> {
    let list = match pickle.get(id) {
        PickleValue::Object(made) => *items(pickle, made.args)?.first()?,
        _ => id,
    };
    let numbers = items(pickle, list)?.iter().map(|&i| pickle.as_int(i));
    numbers.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Bytes;
    use crate::zip::{Archive, Limits, Writer};

    /// An archive's record with this content.
    fn record(content: &[u8]) -> Deferred {
        let mut zip = Writer::new("");
        zip.add_stored("ranges", content).unwrap();
        let archive = Archive::open(Bytes::from(zip.finish()), &Limits::default()).unwrap();
        archive.deferred("ranges").unwrap()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let source = Source::with_first_line("a.py", "def f(x):\n    return x + 1\n", 7);
        let mut text = Text::default();
        text.push("def f(x: Tensor) -> Tensor:\n");
        text.mark(Some(&source.span(21..26)))
            .push("  return torch.add(x, 1)");
        text.mark(None).push("\n");
        let ranges = Ranges::new(record(&write(&text).unwrap()));
        assert!(ranges.origin_of(3).is_none());
        let found = ranges.origin_of(30).unwrap();
        assert_eq!(
            (found.line(), found.column(), found.text()),
            (8, 11, "x + 1")
        );
        assert!(ranges.origin_of(60).is_none());
    }

    #[test]
    fn offsets_into_a_letter_take_all_of_it() {
        let source = Source::with_first_line("a.py", "x = '🎉'\n", 1);
        let mut text = Text::default();
        text.mark(Some(&source.span(6..8))).push("x");
        let record = record(&write(&text).unwrap());
        let found = Ranges::new(record).origin_of(0).unwrap();
        assert_eq!(found.text(), "🎉");
    }

    #[test]
    fn few_numbers_do_not_make_much_text() {
        let mut p = Pickler::new();
        p.begin_items().str("FORMAT_WITH_STRING_TABLE");
        p.begin_items().str("a.py").str(&"x".repeat(1 << 16));
        p.tuple_items().begin_items();
        for (offset, times) in [(0, 2), (1, 1 << 16)] {
            p.int(offset);
            p.typed_list("build_intlist", std::iter::repeat_n(1, times), |p, line| {
                p.int(line);
            });
            p.int(0).int(7).tuple(3, |_| ());
            p.int(1).int(3).tuple(3, |_| ());
            p.int(1).tuple(3, |_| ());
        }
        p.tuple_items();
        p.tuple_items();
        let ranges = Ranges::new(record(&p.finish().unwrap()));
        assert_eq!(ranges.origin_of(0).unwrap().text(), "xx");
        assert!(ranges.origin_of(1).is_none());
    }

    #[test]
    fn a_broken_record_tells_nothing() {
        assert!(Ranges::new(record(b"nonsense")).origin_of(0).is_none());
    }
}
