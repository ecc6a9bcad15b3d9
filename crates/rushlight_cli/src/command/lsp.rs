//! `rushlight lsp`: the editor server.

use crate::Done;

/// What stands below the options in the help.
pub const HELP: &str = "\
The server speaks the Language Server Protocol over its standard input and output; editors start it themselves.
editors/vscode starts it in Visual Studio Code. For others, name the command `rushlight lsp` for Python files.";

/// Speaks with an editor until it says goodbye.
pub fn run() -> Done {
    Ok(rushlight_lsp::serve_stdio()?)
}
