//! Diagnostics: every problem of a file.

use crate::Document;
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Uri,
};

/// The problems of a file, hints behind their messages.
pub fn all(document: &Document, uri: &Uri) -> Vec<Diagnostic> {
    let location = |span: &rushlight::syntax::Span| Location {
        uri: uri.clone(),
        range: document.range(&span.extent()),
    };
    let ours = |span: &&rushlight::syntax::Span| span.source().is_of_file(&document.source);
    let problems = document.checked.problems.iter();
    problems
        .map(|problem| {
            let mut message = problem.for_people().to_string();
            if let Some(hint) = &problem.hint {
                message.push_str(&format!("\nhint: {hint}"));
            }
            let notes = problem.notes.iter().filter_map(|(message, span)| {
                Some(DiagnosticRelatedInformation {
                    location: location(span.as_ref().filter(ours)?),
                    message: message.trim().to_string(),
                })
            });
            let related: Vec<_> = notes.collect();
            let place = problem.span.as_ref().filter(ours);
            Diagnostic {
                range: place.map(|span| location(span).range).unwrap_or_default(),
                severity: Some(DiagnosticSeverity::ERROR),
                code: Some(NumberOrString::String(problem.code.to_string())),
                source: Some("rushlight".to_string()),
                message,
                related_information: (!related.is_empty()).then_some(related),
                ..Diagnostic::default()
            }
        })
        .collect()
}
