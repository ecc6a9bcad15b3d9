//! Messages over two streams of bytes, as editors send them: headers, an empty line, JSON.
//!
//! What cannot be read is answered with an error and passed over; the conversation goes on. Messages that have come wait in a
//! queue, so that the server sees which texts are no longer the last.

use crate::Failure;
use lsp_server::{Connection, ErrorCode, Message};
use serde_json::{Value as Json, json};
use std::io::{BufRead, BufReader, Error, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Longer messages than this are passed over: a file of this length is nobody's to edit.
const LONGEST: u64 = 256 << 20;

/// Longer lines of headers than this are none.
const LONGEST_HEADER: u64 = 8 << 10;

/// Speaks with an editor over two streams until it says goodbye, or the first stream ends.
pub fn serve_streams(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<(), Failure> {
    let (connection, outside) = Connection::memory();
    let output = Arc::new(Mutex::new(output));
    let (sender, receiver) = (outside.sender, outside.receiver);
    let answers = output.clone();
    // Whether somebody still listens shows when something is said.
    std::thread::spawn(move || {
        let mut input = BufReader::new(input);
        while let Ok(Some(found)) = next(&mut input) {
            let message = match found {
                Found::Message(message) => message,
                Found::Unreadable(problem) => {
                    if send(&answers, &problem).is_err() {
                        return;
                    }
                    continue;
                }
            };
            let is_last = matches!(&message, Message::Notification(n) if n.method == "exit");
            if sender.send(message).is_err() || is_last {
                return;
            }
        }
    });
    let writer = std::thread::spawn(move || -> Result<(), Error> {
        for message in &receiver {
            let mut body = serde_json::to_value(&message)?;
            body["jsonrpc"] = "2.0".into();
            send(&output, &body)?;
        }
        Ok(())
    });
    let served = crate::serve(&connection);
    drop(connection);
    let written = writer.join();
    served?;
    Ok(written.unwrap_or(Ok(()))?)
}

fn send(output: &Mutex<impl Write>, body: &Json) -> Result<(), Error> {
    let text = body.to_string();
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

/// What comes next in a stream.
enum Found {
    Message(Message),
    /// Something else, and the answer to it.
    Unreadable(Json),
}

fn unreadable(code: ErrorCode, id: Json, why: &str) -> Found {
    let error = json!({ "code": code as i32, "message": why });
    Found::Unreadable(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
}

/// The next message; nothing where the stream has ended.
fn next(input: &mut impl BufRead) -> Result<Option<Found>, Error> {
    let mut length = None;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        let read = input
            .by_ref()
            .take(LONGEST_HEADER)
            .read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            // Empty lines between messages are nothing.
            if is_first {
                continue;
            }
            break;
        }
        is_first = false;
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("Content-Length")
        {
            length = value.trim().parse::<u64>().ok();
        }
    }
    let Some(length) = length else {
        let why = "a message without a Content-Length";
        return Ok(Some(unreadable(ErrorCode::ParseError, Json::Null, why)));
    };
    if length > LONGEST {
        let why = format!("messages have at most {LONGEST} bytes, this one has {length}");
        std::io::copy(&mut input.by_ref().take(length), &mut std::io::sink())?;
        return Ok(Some(unreadable(ErrorCode::ParseError, Json::Null, &why)));
    }
    // Room is made for what comes, not for what is announced.
    let mut body = Vec::new();
    input.by_ref().take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Ok(None);
    }
    let parsed: Json = match serde_json::from_slice(&body) {
        Ok(parsed) => parsed,
        Err(why) => {
            let why = format!("this is no JSON: {why}");
            return Ok(Some(unreadable(ErrorCode::ParseError, Json::Null, &why)));
        }
    };
    let id = match &parsed["id"] {
        id @ (Json::Number(_) | Json::String(_)) => id.clone(),
        _ => Json::Null,
    };
    Ok(Some(match serde_json::from_value::<Message>(parsed) {
        Ok(message) => Found::Message(message),
        Err(_) => {
            let why = "this is no request, notification or response";
            unreadable(ErrorCode::InvalidRequest, id, why)
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// A stream that keeps what is written.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> Result<(), Error> {
            Ok(())
        }
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    /// What the server answers to some bytes.
    fn answers(bytes: impl Into<Vec<u8>>) -> (bool, Vec<Json>) {
        let kept = Kept::default();
        let served = serve_streams(Cursor::new(bytes.into()), kept.clone());
        let bytes = kept.0.lock().unwrap().clone();
        let mut rest = Cursor::new(bytes);
        let mut out = Vec::new();
        while let Ok(Some(found)) = next(&mut rest) {
            out.push(match found {
                Found::Message(message) => serde_json::to_value(message).unwrap(),
                Found::Unreadable(_) => json!("null id"),
            });
        }
        (served.is_ok(), out)
    }

    const HELLO: &str =
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
    const READY: &str = r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#;
    const BYE: &str = r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#;
    const EXIT: &str = r#"{"jsonrpc":"2.0","method":"exit"}"#;

    #[test]
    fn what_cannot_be_read_is_answered_and_passed_over() {
        let nested = "[".repeat(100_000);
        let mut stream = framed(HELLO) + &framed(READY);
        for broken in ["{\"a\": ", "[]", "3", nested.as_str()] {
            stream += &framed(broken);
        }
        stream += "Nonsense: 3\r\n\r\n";
        stream += &(framed(BYE) + &framed(EXIT));
        let (is_fine, told) = answers(stream);
        assert!(is_fine, "{told:#?}");
        let unread = told.iter().filter(|answer| **answer == "null id").count();
        assert_eq!(unread, 5, "{told:#?}");
        assert!(told.iter().any(|answer| answer["id"] == 2), "{told:#?}");
    }

    #[test]
    fn a_length_that_nothing_has_takes_no_memory() {
        let stream = framed(HELLO) + &framed(READY) + "Content-Length: 99999999999999\r\n\r\n{}";
        let (is_fine, told) = answers(stream);
        assert!(is_fine && told.len() == 2, "{told:#?}");
        let (_, told) = answers("Content-Length: 99999999999999\r\n\r\n{}");
        assert_eq!(told.len(), 1);
    }
}
