//! The conversation with an editor: which requests there are, and when files are checked.

use crate::{Document, answers};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use lsp_types::*;
use serde_json::{Value as Json, json};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Display;
use std::path::PathBuf;

/// Why the conversation ended.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Speaks with an editor until it says goodbye.
pub fn serve(connection: &Connection) -> Result<(), Failure> {
    let capabilities = serde_json::to_value(capabilities())?;
    let (id, _) = connection.initialize_start().map_err(|error| {
        format!("no editor speaks the Language Server Protocol on the standard input: {error}")
    })?;
    let greeting = json!({
        "capabilities": capabilities,
        "serverInfo": { "name": "rushlight", "version": env!("CARGO_PKG_VERSION") },
    });
    connection.initialize_finish(id, greeting)?;
    let mut server = Server {
        connection,
        files: HashMap::new(),
        changed: BTreeSet::new(),
    };
    for message in &connection.receiver {
        match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request)? {
                    return Ok(());
                }
                server.answer(request)?;
            }
            Message::Notification(notification) => server.notice(notification)?,
            Message::Response(_) => {}
        }
        // While somebody types, only the last of the texts that wait is checked.
        if connection.receiver.is_empty() {
            server.publish_changed()?;
        }
    }
    Ok(())
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Simple(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec![".".to_string()]),
            ..CompletionOptions::default()
        }),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(vec!["(".to_string(), ",".to_string()]),
            ..SignatureHelpOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}

/// An open file: its text, and what is known of it once somebody asked.
struct File {
    text: String,
    document: Option<Document>,
}

struct Server<'c> {
    connection: &'c Connection,
    files: HashMap<String, File>,
    /// The files whose problems are still to be told.
    changed: BTreeSet<String>,
}

/// What a request asks for is not there, or cannot be read.
struct Refusal(ErrorCode, String);

impl Refusal {
    fn of(error: impl Display) -> Refusal {
        Refusal(ErrorCode::InvalidParams, error.to_string())
    }
}

impl Server<'_> {
    fn send(&self, message: Message) -> Result<(), Failure> {
        self.connection.sender.send(message).map_err(Into::into)
    }

    fn notice(&mut self, notification: Notification) -> Result<(), Failure> {
        let params = notification.params;
        match notification.method.as_str() {
            "textDocument/didOpen" => {
                if let Ok(opened) = serde_json::from_value::<DidOpenTextDocumentParams>(params) {
                    self.set_text(&opened.text_document.uri, opened.text_document.text);
                }
            }
            "textDocument/didChange" => {
                // Every change holds the whole text.
                if let Ok(changed) = serde_json::from_value::<DidChangeTextDocumentParams>(params)
                    && let Some(last) = changed.content_changes.into_iter().next_back()
                {
                    self.set_text(&changed.text_document.uri, last.text);
                }
            }
            "textDocument/didClose" => {
                if let Ok(closed) = serde_json::from_value::<DidCloseTextDocumentParams>(params) {
                    let uri = closed.text_document.uri;
                    self.files.remove(uri.as_str());
                    self.changed.remove(uri.as_str());
                    self.publish(&uri, Vec::new())?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Tells the problems of the files that have changed.
    fn publish_changed(&mut self) -> Result<(), Failure> {
        for name in std::mem::take(&mut self.changed) {
            let uri: Uri = name.parse()?;
            let work = std::panic::AssertUnwindSafe(|| {
                let document = self.document(&uri).ok()?;
                Some(answers::problems::all(document, &uri))
            });
            // A check that failed inside tells nothing; requests about the file say so.
            if let Ok(Some(problems)) = std::panic::catch_unwind(work) {
                self.publish(&uri, problems)?;
            }
        }
        Ok(())
    }

    fn set_text(&mut self, uri: &Uri, text: String) {
        let file = File {
            text,
            document: None,
        };
        self.files.insert(uri.as_str().to_string(), file);
        self.changed.insert(uri.as_str().to_string());
    }

    fn publish(&self, uri: &Uri, diagnostics: Vec<Diagnostic>) -> Result<(), Failure> {
        let params = PublishDiagnosticsParams {
            uri: uri.clone(),
            diagnostics,
            version: None,
        };
        let method = "textDocument/publishDiagnostics".to_string();
        self.send(Message::Notification(Notification::new(method, params)))
    }

    /// An open file, checked.
    fn document(&mut self, uri: &Uri) -> Result<&Document, Refusal> {
        let Some(file) = self.files.get_mut(uri.as_str()) else {
            return Err(Refusal(
                ErrorCode::InvalidParams,
                format!("{} is not open", uri.as_str()),
            ));
        };
        let parts = uri.path().segments();
        let parts: Vec<String> = parts
            .map(|part| part.decode().into_string_lossy().into_owned())
            .collect();
        let name = parts.last().map_or("<text>", String::as_str);
        let path: PathBuf = std::iter::once("/")
            .chain(parts.iter().map(String::as_str))
            .collect();
        let path = Some(&*path).filter(|path| path.is_file());
        Ok(file
            .document
            .get_or_insert_with(|| Document::new(name, path, &file.text)))
    }

    fn answer(&mut self, request: Request) -> Result<(), Failure> {
        let id = request.id.clone();
        let work = std::panic::AssertUnwindSafe(|| self.result_of(request));
        let response = match std::panic::catch_unwind(work) {
            Ok(Ok(result)) => Response::new_ok(id, result),
            Ok(Err(Refusal(code, message))) => Response::new_err(id, code as i32, message),
            Err(_) => {
                let message = "an internal error; please report it with the file".to_string();
                Response::new_err(id, ErrorCode::InternalError as i32, message)
            }
        };
        self.send(Message::Response(response))
    }

    fn result_of(&mut self, request: Request) -> Result<Json, Refusal> {
        /// The parameters of a request.
        fn read<T: serde::de::DeserializeOwned>(params: Json) -> Result<T, Refusal> {
            serde_json::from_value(params).map_err(Refusal::of)
        }
        let params = request.params;
        let answer = match request.method.as_str() {
            "textDocument/hover" => {
                let asked: TextDocumentPositionParams = read(params)?;
                json!(answers::hover::at(
                    self.document(&asked.text_document.uri)?,
                    asked.position
                ))
            }
            "textDocument/definition" => {
                let asked: TextDocumentPositionParams = read(params)?;
                let uri = &asked.text_document.uri;
                json!(answers::places::definition(
                    self.document(uri)?,
                    uri,
                    asked.position
                ))
            }
            "textDocument/references" => {
                let asked: ReferenceParams = read(params)?;
                let place = &asked.text_document_position;
                let uri = &place.text_document.uri;
                json!(answers::places::references(
                    self.document(uri)?,
                    uri,
                    place.position,
                    asked.context.include_declaration,
                ))
            }
            "textDocument/documentHighlight" => {
                let asked: TextDocumentPositionParams = read(params)?;
                let document = self.document(&asked.text_document.uri)?;
                json!(answers::places::highlights(document, asked.position))
            }
            "textDocument/prepareRename" => {
                let asked: TextDocumentPositionParams = read(params)?;
                let document = self.document(&asked.text_document.uri)?;
                json!(answers::places::renamable(document, asked.position))
            }
            "textDocument/rename" => {
                let asked: RenameParams = read(params)?;
                let place = &asked.text_document_position;
                let uri = &place.text_document.uri;
                let document = self.document(uri)?;
                let edit = answers::places::rename(document, uri, place.position, &asked.new_name);
                json!(edit.map_err(Refusal::of)?)
            }
            "textDocument/documentSymbol" => {
                let asked: DocumentSymbolParams = read(params)?;
                json!(answers::symbols::all(
                    self.document(&asked.text_document.uri)?
                ))
            }
            "textDocument/inlayHint" => {
                let asked: InlayHintParams = read(params)?;
                let document = self.document(&asked.text_document.uri)?;
                json!(answers::inlay::within(document, asked.range))
            }
            "textDocument/codeAction" => {
                let asked: CodeActionParams = read(params)?;
                let uri = &asked.text_document.uri;
                json!(answers::actions::within(
                    self.document(uri)?,
                    uri,
                    asked.range
                ))
            }
            "textDocument/completion" => {
                let asked: CompletionParams = read(params)?;
                let place = &asked.text_document_position;
                let document = self.document(&place.text_document.uri)?;
                json!(answers::completion::at(document, place.position))
            }
            "textDocument/signatureHelp" => {
                let asked: TextDocumentPositionParams = read(params)?;
                let document = self.document(&asked.text_document.uri)?;
                json!(answers::signature::at(document, asked.position))
            }
            other => {
                return Err(Refusal(
                    ErrorCode::MethodNotFound,
                    format!("there is no {other} here"),
                ));
            }
        };
        Ok(answer)
    }
}
