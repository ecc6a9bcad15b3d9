//! `rushlight code FILE.pt`: the code records of an archive.

use super::about;
use crate::Done;
use rushlight::archive::bytes::Bytes;
use rushlight::archive::zip::{Archive, Limits};
use std::io::Write;
use std::path::Path;

/// Prints every code record under its name.
pub fn run(file: &Path, out: &mut dyn Write) -> Done {
    let bytes = Bytes::map(file).map_err(|e| about(file, e))?;
    let kind = rushlight::archive::identify::identify(&bytes);
    if !kind.is_loadable() {
        return Err(about(
            file,
            format!("{}\n{}", kind.describe(), kind.advice()),
        ));
    }
    let archive = Archive::open(bytes, &Limits::default()).map_err(|e| about(file, e))?;
    let names: Vec<String> = archive
        .names()
        .filter(|n| n.starts_with("code/") && n.ends_with(".py"))
        .map(str::to_string)
        .collect();
    for name in names {
        let text = archive.read_text(&name).map_err(|e| about(file, e))?;
        writeln!(out, "# {name}\n{}", text.trim_end())?;
        writeln!(out)?;
    }
    Ok(())
}
