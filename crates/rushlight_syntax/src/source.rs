//! Source texts and the spans that point into them.
//!
//! A [`Source`] is a *window* onto a file: the whole of it, one definition, or one type comment. Positions are byte
//! offsets into the text of the file, so a span keeps its true line and column whatever window it was made in; the
//! window only says how much context a message may show.
//!
//! A [`Span`] carries two ranges. Its *extent* is the complete text of the syntax node. Its *mark* is what the reference
//! underlines, and where it says that a node starts, which leaves out enclosing parentheses and closing brackets:
//! of `(x + y).sum()` the extent is everything and the mark `x + y).su`. Lines and columns are those of the mark.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The text of one file, or of the part of it that is known, with its table of lines.
struct File {
    name: Arc<str>,
    text: Arc<str>,
    first_line: u32,
    line_starts: Vec<u32>,
    origins: OnceLock<Option<Box<dyn Origins>>>,
}

/// From where a text that was written by a program comes: the code of an archive from the source it was compiled from.
pub trait Origins: Send + Sync {
    /// What the byte at `offset` comes from, where that is known.
    fn origin_of(&self, offset: u32) -> Option<Span>;

    /// What the first byte in a range comes from of which that is known.
    fn origin_in(&self, range: Range<u32>) -> Option<Span>;
}

impl File {
    fn new(name: Arc<str>, text: Arc<str>, first_line: u32) -> File {
        let after_breaks = text
            .bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == b'\n')
            .map(|(at, _)| at as u32 + 1);
        let line_starts = std::iter::once(0).chain(after_breaks).collect();
        File {
            name,
            text,
            first_line,
            line_starts,
            origins: OnceLock::new(),
        }
    }

    /// Index into `line_starts` of the line that holds byte `offset`.
    fn line_index(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|start| *start <= offset) - 1
    }

    fn line_range(&self, index: usize) -> Range<u32> {
        let start = self.line_starts[index];
        let end = match self.line_starts.get(index + 1) {
            Some(next) => next - 1,
            None => self.text.len() as u32,
        };
        start..end
    }
}

/// A window onto the text of a file.
///
/// Cloning the `Arc<Source>` that every constructor returns is cheap; the text is shared by all windows onto it.
pub struct Source {
    file: Arc<File>,
    window: Range<u32>,
    is_comment: bool,
}

impl Source {
    /// The longest text that is accepted for parsing, in bytes.
    pub const MAX_LEN: usize = 32 << 20;

    /// A source that holds a whole file.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Arc<Source> {
        Source::with_first_line(name, text, 1)
    }

    /// Whether this shows a part of the same file as another source.
    pub fn is_of_file(&self, other: &Source) -> bool {
        Arc::ptr_eq(&self.file, &other.file)
    }

    /// A source that holds part of a file, beginning at line `first_line` (counted from 1).
    ///
    /// The text may be indented as a whole, as a method taken out of its class is.
    pub fn with_first_line(
        name: impl Into<Arc<str>>,
        text: impl Into<Arc<str>>,
        first_line: u32,
    ) -> Arc<Source> {
        let file = File::new(name.into(), text.into(), first_line);
        let window = 0..u32::try_from(file.text.len()).unwrap_or(u32::MAX);
        Arc::new(Source {
            file: Arc::new(file),
            window,
            is_comment: false,
        })
    }

    /// A window onto the same file that shows `range` (byte offsets) and nothing around it.
    pub fn narrowed(&self, range: Range<u32>) -> Arc<Source> {
        Arc::new(Source {
            file: self.file.clone(),
            window: range,
            is_comment: false,
        })
    }

    /// A window onto a type comment, which messages show without naming the file.
    pub fn comment(&self, range: Range<u32>) -> Arc<Source> {
        Arc::new(Source {
            file: self.file.clone(),
            window: range,
            is_comment: true,
        })
    }

    /// Says that the text was written by a program and, where that is known, from what. Holds from the first call on.
    pub fn set_origins(&self, origins: Option<Box<dyn Origins>>) {
        let _ = self.file.origins.set(origins);
    }

    /// Name of the file, as it was given.
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// Text of the whole file; spans count bytes in it.
    pub fn text(&self) -> &str {
        &self.file.text
    }

    /// Line number of the first line of [`text`](Source::text).
    pub fn first_line(&self) -> u32 {
        self.file.first_line
    }

    /// The part of the text that messages about this source may show.
    pub fn window(&self) -> Range<u32> {
        self.window.clone()
    }

    /// Whether this is a window onto a type comment.
    pub fn is_comment(&self) -> bool {
        self.is_comment
    }

    /// Whether both are windows onto the same text.
    pub fn same_file(&self, other: &Source) -> bool {
        Arc::ptr_eq(&self.file, &other.file)
    }

    /// Line number of the byte at `offset`, counted as in the file.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.file
            .first_line
            .saturating_add(self.file.line_index(offset) as u32)
    }

    /// Byte column of `offset` in its line, counted from 0.
    pub fn column_of(&self, offset: u32) -> u32 {
        offset - self.file.line_starts[self.file.line_index(offset)]
    }

    /// The bytes of the line that holds `offset`, without its line break.
    pub fn line_range_of(&self, offset: u32) -> Range<u32> {
        self.file.line_range(self.file.line_index(offset))
    }

    /// The bytes of the lines that `range` touches and of so many before and behind it, clipped to this source's window.
    pub fn around(&self, range: Range<u32>, lines: usize) -> Range<u32> {
        let starts = &self.file.line_starts;
        let first = self.file.line_index(range.start).saturating_sub(lines);
        let behind = self.file.line_index(range.end) + lines + 1;
        let end = starts.get(behind).copied().unwrap_or(u32::MAX);
        let start = starts[first].max(self.window.start);
        let end = end.min(self.window.end).min(self.text().len() as u32);
        start..end.max(start)
    }

    /// The lines that a window of `before` and `after` lines around `range` shows, clipped to this source's window.
    pub(crate) fn context_lines(
        &self,
        range: &Range<u32>,
        before: usize,
        after: usize,
    ) -> Vec<Range<u32>> {
        // What ends with a line break ends on the next line.
        let last = range.end.max(range.start);
        let first_visible = self.file.line_index(self.window.start);
        let last_visible = self
            .file
            .line_index(self.window.end.saturating_sub(1).max(self.window.start));
        let first = self
            .file
            .line_index(range.start)
            .saturating_sub(before)
            .max(first_visible);
        let last = (self.file.line_index(last) + after).min(last_visible);
        (first..=last)
            .map(|index| self.clip(self.file.line_range(index)))
            .collect()
    }

    fn clip(&self, line: Range<u32>) -> Range<u32> {
        let start = line.start.clamp(self.window.start, self.window.end);
        start..line.end.clamp(start, self.window.end.max(start))
    }

    pub(crate) fn slice(&self, range: Range<u32>) -> &str {
        self.text()
            .get(range.start as usize..range.end as usize)
            .unwrap_or("")
    }

    /// A span of this source whose mark is its extent.
    pub fn span(self: &Arc<Source>, range: Range<u32>) -> Span {
        self.marked_span(range.clone(), range)
    }

    /// A span of this source with the given mark and extent. Ranges that leave the text are cut to it.
    pub fn marked_span(self: &Arc<Source>, mark: Range<u32>, extent: Range<u32>) -> Span {
        let end = self.file.text.len() as u32;
        let cut = |range: Range<u32>| {
            (
                range.start.min(end),
                range.end.min(end).max(range.start.min(end)),
            )
        };
        let ((start, end), extent) = (cut(mark), cut(extent));
        Span {
            source: self.clone(),
            start,
            end,
            extent_start: extent.0,
            extent_end: extent.1,
        }
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        self.same_file(other) && self.window == other.window && self.is_comment == other.is_comment
            || self.name() == other.name()
                && self.first_line() == other.first_line()
                && self.window == other.window
                && self.is_comment == other.is_comment
                && self.text() == other.text()
    }
}

impl Eq for Source {}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({:?}, {:?})", self.name(), self.window)
    }
}

/// A place in a source: see the module comment for its two ranges.
#[derive(Clone, PartialEq, Eq)]
pub struct Span {
    source: Arc<Source>,
    start: u32,
    end: u32,
    extent_start: u32,
    extent_end: u32,
}

impl Span {
    /// The span of things that come from no text. Renderers show nothing for it.
    pub fn unknown() -> Span {
        static NOWHERE: OnceLock<Arc<Source>> = OnceLock::new();
        NOWHERE.get_or_init(|| Source::new("", "")).span(0..0)
    }

    /// A place in a text that nobody has: only its name, line (from 1) and column (from 0) are known.
    pub fn at(name: &str, line: u32, column: u32) -> Span {
        let text = format!("{}.", " ".repeat(column as usize));
        Source::with_first_line(name, text, line).span(column..column + 1)
    }

    /// Whether this is [`Span::unknown`], or any other span of an empty text.
    pub fn is_unknown(&self) -> bool {
        self.source.text().is_empty()
    }

    /// Whether the text was written by a program that left word of where it comes from.
    pub fn is_derived(&self) -> bool {
        matches!(self.source.file.origins.get(), Some(Some(_)))
    }

    /// Where the code at this span comes from: the span itself, or for text written by a program what that was made from,
    /// if the program left word of it; `None` where it does not say.
    pub fn origin(&self) -> Option<Span> {
        match self.source.file.origins.get() {
            Some(Some(origins)) => origins.origin_in(self.mark()),
            _ => Some(self.clone()),
        }
    }

    /// As [`Span::origin`], of the first byte alone: what printed graphs show.
    pub fn origin_of_start(&self) -> Option<Span> {
        match self.source.file.origins.get() {
            Some(Some(origins)) => origins.origin_of(self.start),
            _ => Some(self.clone()),
        }
    }

    /// The text that a person wrote for this code; `None` where that is not known.
    pub fn written_by_hand(&self) -> Option<Span> {
        match self.source.file.origins.get() {
            Some(None) => None,
            _ => self.origin(),
        }
    }

    /// The source this span points into.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// First byte of the mark.
    pub fn start(&self) -> u32 {
        self.start
    }

    /// End of the mark, exclusive.
    pub fn end(&self) -> u32 {
        self.end
    }

    /// The mark: what the reference underlines.
    pub fn mark(&self) -> Range<u32> {
        self.start..self.end
    }

    /// The extent: the complete text of the node.
    pub fn extent(&self) -> Range<u32> {
        self.extent_start..self.extent_end
    }

    /// Line of the mark's start, counted as in the file.
    pub fn line(&self) -> u32 {
        self.source.line_of(self.start)
    }

    /// Byte column of the mark's start in its line, counted from 0.
    pub fn column(&self) -> u32 {
        self.source.column_of(self.start)
    }

    /// The complete text of the node.
    pub fn text(&self) -> &str {
        self.source.slice(self.extent())
    }

    /// The smallest span that covers both. Spans of different files do not join: the result is `self`.
    pub fn join(&self, other: &Span) -> Span {
        if !self.source.same_file(&other.source) {
            return self.clone();
        }
        let mark = self.start.min(other.start)..self.end.max(other.end);
        let extent =
            self.extent_start.min(other.extent_start)..self.extent_end.max(other.extent_end);
        self.source.marked_span(mark, extent)
    }

    /// The first `bytes` bytes of this span's extent, as a span of its own: the keyword of a statement, say.
    pub fn head(&self, bytes: u32) -> Span {
        let end = self.extent_start.saturating_add(bytes).min(self.extent_end);
        self.source.span(self.extent_start..end)
    }

    /// The last `bytes` bytes of this span's extent, as a span of its own: the name of an attribute, say.
    pub fn tail(&self, bytes: u32) -> Span {
        let start = self.extent_end.saturating_sub(bytes).max(self.extent_start);
        self.source.span(start..self.extent_end)
    }

    /// The empty span just after this one's extent.
    pub fn after(&self) -> Span {
        self.source.span(self.extent_end..self.extent_end)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}:{}..{}",
            self.source.name(),
            self.line(),
            self.start,
            self.end
        )
    }
}

/// Prints `file:line:column`, the form in which graphs show positions.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}:{}",
            self.source.name(),
            self.line(),
            self.column()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_the_first_line_of_the_text() {
        let source = Source::with_first_line("a.py", "    def f():\n        pass\n", 17);
        let span = source.span(21..25);
        assert_eq!((span.line(), span.column(), span.text()), (18, 8, "pass"));
        assert_eq!(span.to_string(), "a.py:18:8");
    }

    #[test]
    fn joined_spans_cover_both() {
        let source = Source::new("a.py", "one two three");
        let (one, three) = (source.span(0..3), source.span(8..13));
        assert_eq!(one.join(&three).text(), "one two three");
        assert_eq!(three.join(&one), one.join(&three));
        assert_eq!(one.join(&Source::new("b.py", "x").span(0..1)), one);
    }

    #[test]
    fn ranges_beyond_the_text_are_cut() {
        let source = Source::new("a.py", "abc");
        assert_eq!(source.span(2..90).text(), "c");
        assert_eq!(source.span(80..90).text(), "");
        assert!(Span::unknown().is_unknown());
        assert_eq!(Span::unknown().line(), 1);
    }

    #[test]
    fn windows_keep_the_positions_of_the_file() {
        let file = Source::new("a.py", "x = 1\ny = 2\n");
        let window = file.narrowed(6..11);
        assert_eq!(window.span(6..7).line(), 2);
        assert_eq!(window.context_lines(&(6..7), 2, 2), vec![6..11]);
    }
}
