//! `rushlight completions SHELL`: what makes a shell complete subcommands, options and files.

use crate::Done;
use clap::Args;
use clap_complete::Shell;
use std::io::Write;

/// What stands below the options in the help.
pub const HELP: &str = "\
Examples:
  source <(rushlight completions bash)                                   in ~/.bashrc
  rushlight completions zsh > ~/.zfunc/_rushlight                        with ~/.zfunc in fpath
  rushlight completions fish > ~/.config/fish/completions/rushlight.fish";

/// For which shell.
#[derive(Args)]
pub struct Options {
    /// The shell
    pub shell: Shell,
}

/// Prints the completions.
pub fn run(options: &Options, mut command: clap::Command, out: &mut dyn Write) -> Done {
    let mut text = Vec::new();
    clap_complete::generate(options.shell, &mut command, "rushlight", &mut text);
    out.write_all(&text)?;
    Ok(())
}
