//! Arguments on the command line: TorchScript expressions, or `@FILE`.

use crate::{Done, Failure, media};
use rushlight::Value;
use std::path::Path;

/// What `--help` says of arguments.
pub const HELP: &str = "\
Arguments are TorchScript expressions (3, \"text\", [1, 2], torch.ones(2, 3)) or files:
  @data.npy  @data.npz:name     an array
  @image.png @image.jpg         a float tensor (channels, height, width) in 0..1
  @audio.wav                    a float tensor (channels, frames) in -1..1";

/// The value of an argument.
pub fn value(text: &str) -> Done<Value> {
    match text.strip_prefix('@') {
        Some(file) => {
            let (path, entry) = match file.rsplit_once(".npz:") {
                Some((stem, entry)) => (format!("{stem}.npz"), Some(entry)),
                None => (file.to_string(), None),
            };
            media::read(Path::new(&path), entry).map(Value::Tensor)
        }
        None => expression(text),
    }
}

fn expression(text: &str) -> Done<Value> {
    let source = format!("import torch\nimport math\n\ndef argument():\n    return ({text})\n");
    let fail = |why: String| {
        Failure(format!(
            "the argument `{text}` is no TorchScript expression: {why}"
        ))
    };
    let script = rushlight::compile(&source).map_err(|e| {
        fail(
            e.0.first()
                .map_or_else(String::new, |p| p.message.trim().to_string()),
        )
    })?;
    let function = script
        .get("argument")
        .ok_or_else(|| fail("it defines something".into()))?;
    function
        .call(&[])
        .map_err(|e| fail(e.message().to_string()))
}
