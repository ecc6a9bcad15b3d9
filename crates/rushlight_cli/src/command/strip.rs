//! `rushlight strip`: an archive without what running it does not need.

use super::inspect::human;
use super::{about, examine_bytes};
use crate::{Done, files};
use clap::Args;
use rushlight::SaveOptions;
use std::io::Write;
use std::path::PathBuf;

/// What stands below the options in the help.
pub const HELP: &str = "\
What goes: the table of where in the Python source the code came from (errors then show the archive's own code), and the
extra files that programs have put into the archive. Code and tensors stay as they are.

Examples:
  rushlight strip model.pt -o small.pt
  rushlight strip model.pt -o model.pt --keep-extra       in place";

/// What to strip.
#[derive(Args)]
pub struct Options {
    /// FILE.pt
    pub file: PathBuf,
    /// The archive to write; may be the same
    #[arg(short, long)]
    pub out: PathBuf,
    /// Keep extra files
    #[arg(long)]
    pub keep_extra: bool,
}

/// Strips, and says what that has saved.
pub fn run(options: &Options, out: &mut dyn Write) -> Done {
    let bytes = files::read(&options.file).map_err(|e| about(&options.file, e))?;
    let before = bytes.len();
    let module = examine_bytes(&options.file, bytes)?;
    let extra = &module.loaded().extra;
    let saving = SaveOptions {
        folder: rushlight::archive_folder(&options.out),
        extra: match options.keep_extra {
            true => extra.clone(),
            false => Vec::new(),
        },
        source_ranges: false,
        version: None,
    };
    let stripped = module
        .to_bytes(&saving)
        .map_err(|e| about(&options.file, e))?;
    rushlight::write_file(&options.out, &stripped).map_err(|e| about(&options.out, e))?;
    let (after, shown) = (stripped.len(), options.out.display());
    write!(out, "{shown}: {} -> {}, ", human(before), human(after))?;
    match before.checked_sub(after) {
        Some(saved) => writeln!(out, "{saved} bytes saved")?,
        // Archives of other writers may be laid out more tightly.
        None => writeln!(
            out,
            "{} bytes more: there was nothing to strip",
            after - before
        )?,
    }
    if !options.keep_extra && !extra.is_empty() {
        let names: Vec<&str> = extra.iter().map(|(name, _)| name.as_str()).collect();
        writeln!(out, "left out: {}", names.join(", "))?;
    }
    Ok(())
}
