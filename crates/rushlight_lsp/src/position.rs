//! Places in the protocol's terms: lines from 0, columns in UTF-16 units.

use lsp_types::{Position, Range};
use rushlight::Source;
use std::ops;

/// The byte of a position; one behind the end of a line is its end.
pub fn offset(source: &Source, position: Position) -> u32 {
    let text = source.text();
    let mut start = 0;
    for _ in 0..position.line {
        match text[start..].find('\n') {
            Some(at) => start += at + 1,
            None => return text.len() as u32,
        }
    }
    let line = text[start..].split('\n').next().unwrap_or("");
    let mut units = 0;
    for (at, c) in line.char_indices() {
        if units >= position.character {
            return (start + at) as u32;
        }
        units += c.len_utf16() as u32;
    }
    (start + line.len()) as u32
}

/// The position of a byte.
pub fn position(source: &Source, offset: u32) -> Position {
    let offset = offset.min(source.text().len() as u32);
    let start = source.line_range_of(offset).start as usize;
    let before = source.text().get(start..offset as usize).unwrap_or("");
    Position {
        line: source.line_of(offset).saturating_sub(source.first_line()),
        character: before.chars().map(|c| c.len_utf16() as u32).sum(),
    }
}

/// The range of some bytes.
pub fn range(source: &Source, bytes: &ops::Range<u32>) -> Range {
    Range {
        start: position(source, bytes.start),
        end: position(source, bytes.end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf16_units() {
        let source = Source::new("x.py", "a = '\u{1f600}' + b\nc\n");
        let at = source.text().find('b').unwrap() as u32;
        let place = position(&source, at);
        assert_eq!((place.line, place.character), (0, 11));
        assert_eq!(offset(&source, place), at);
        assert_eq!(offset(&source, Position::new(1, 99)), at + 3);
        assert_eq!(
            offset(&source, Position::new(9, 0)),
            source.text().len() as u32
        );
        assert_eq!(position(&source, 10_000).line, 2);
    }
}
