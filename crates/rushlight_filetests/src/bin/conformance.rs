//! `conformance KIND DIR... [options]`: measures a directory laid out like the public corpora.
//!
//! Called by `cargo xtask conformance`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args
        .first()
        .is_some_and(|arg| arg == rushlight_filetests::ops::WORKER)
    {
        rushlight_filetests::ops::serve();
        return ExitCode::SUCCESS;
    }
    match rushlight_filetests::command::run(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}
