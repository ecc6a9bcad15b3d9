//! Code actions: the changes that hints ask for, made by the editor.

use crate::Document;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Diagnostic, Range, TextEdit, Uri,
    WorkspaceEdit,
};
use std::collections::HashMap;

/// The changes that mend problems in a range.
pub fn within(document: &Document, uri: &Uri, range: Range) -> Vec<CodeActionOrCommand> {
    let told: Vec<Diagnostic> = super::problems::all(document, uri);
    let problems = document.checked.problems.iter().zip(told);
    let touched =
        problems.filter(|(_, told)| told.range.start <= range.end && range.start <= told.range.end);
    touched
        .filter_map(|(problem, told)| {
            let fix = problem.fix.as_ref()?;
            let edit = TextEdit {
                range: document.range(&fix.at.extent()),
                new_text: fix.text.clone(),
            };
            #[allow(clippy::mutable_key_type, reason = "the protocol's type has it so")]
            let changes = HashMap::from([(uri.clone(), vec![edit])]);
            let title = match fix.at.text() {
                "" => format!("Add `{}`", fix.text.trim()),
                text => format!("Change `{text}` to `{}`", fix.text.trim()),
            };
            Some(CodeActionOrCommand::CodeAction(CodeAction {
                title,
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![told]),
                edit: Some(WorkspaceEdit {
                    changes: Some(changes),
                    ..WorkspaceEdit::default()
                }),
                is_preferred: Some(true),
                ..CodeAction::default()
            }))
        })
        .collect()
}
