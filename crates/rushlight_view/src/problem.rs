//! Problems of source, for programs.

use rushlight::{Diagnostic, Source};
use serde_json::{Value as Json, json};

/// A problem: lines and columns count from 1, columns in characters; ends are exclusive.
pub fn json(diagnostic: &Diagnostic) -> Json {
    let mut out = json!({
        "code": diagnostic.code,
        "message": diagnostic.for_people(),
        "reference_message": diagnostic.message.trim(),
    });
    if let Some(span) = &diagnostic.span {
        out["place"] = place(span.source(), span.extent());
    }
    if let Some(hint) = &diagnostic.hint {
        out["hint"] = json!(hint);
    }
    if let Some(fix) = &diagnostic.fix {
        out["fix"] = json!({ "place": place(fix.at.source(), fix.at.extent()), "text": fix.text });
    }
    if !diagnostic.notes.is_empty() {
        let notes = diagnostic.notes.iter().map(|(message, span)| {
            let mut note = json!({ "message": message.trim() });
            if let Some(span) = span {
                note["place"] = place(span.source(), span.extent());
            }
            note
        });
        out["notes"] = Json::Array(notes.collect());
    }
    out
}

/// A range of a text.
pub fn place(source: &Source, range: std::ops::Range<u32>) -> Json {
    let at = |offset: u32| {
        let line = source.line_range_of(offset).start;
        let before = source
            .text()
            .get(line as usize..offset as usize)
            .unwrap_or("");
        (source.line_of(offset), before.chars().count() + 1)
    };
    let ((line, column), (end_line, end_column)) = (at(range.start), at(range.end));
    json!({ "line": line, "column": column, "end_line": end_line, "end_column": end_column })
}
