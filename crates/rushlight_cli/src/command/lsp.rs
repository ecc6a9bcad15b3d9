//! `rushlight lsp`: the editor server.

use crate::Done;

/// What stands below the options in the help.
pub const HELP: &str = "\
The server speaks the Language Server Protocol over its standard input and output; editors start it themselves.
docs/editors.md says how to set up Visual Studio Code, Neovim and Helix.

Examples:
  rushlight lsp                            what an editor's settings name as the command";

/// Speaks with an editor until it says goodbye.
pub fn run() -> Done {
    Ok(rushlight_lsp::serve_streams(
        std::io::stdin(),
        std::io::stdout(),
    )?)
}
