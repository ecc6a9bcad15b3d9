//! `rushlight man`: the manual, from the same table as the command line.

use super::about;
use crate::{Done, Failure};
use clap::{Args, Command};
use std::io::Write;
use std::path::PathBuf;

/// What stands below the options in the help.
pub const HELP: &str = "\
Examples:
  rushlight man | man -l -                                 the page of the command
  rushlight man run | man -l -                             the page of a subcommand
  rushlight man --out ~/.local/share/man/man1              all pages, as files for `man rushlight-run`";

/// Which pages, and where to.
#[derive(Args)]
pub struct Options {
    /// The subcommand whose page to print; without one, the page of the command
    pub subcommand: Option<String>,
    /// Write all pages into this folder instead of printing one
    #[arg(short, long, conflicts_with = "subcommand")]
    pub out: Option<PathBuf>,
}

/// Prints a page, or writes all.
pub fn run(options: &Options, command: Command, out: &mut dyn Write) -> Done {
    let pages = pages(command);
    if let Some(folder) = &options.out {
        std::fs::create_dir_all(folder).map_err(|e| about(folder, e))?;
        for (name, command) in pages {
            let path = folder.join(format!("{name}.1"));
            rushlight::write_file(&path, &page(command)?).map_err(|e| about(&path, e))?;
            writeln!(out, "wrote {}", path.display())?;
        }
        return Ok(());
    }
    let wanted = match &options.subcommand {
        Some(name) => format!("rushlight-{name}"),
        None => "rushlight".into(),
    };
    let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
    let known = names.join(", ");
    match pages.iter().find(|(name, _)| *name == wanted) {
        Some((_, command)) => out.write_all(&page(command.clone())?)?,
        None => {
            return Err(Failure(format!(
                "there is no page {wanted}; there are: {known}"
            )));
        }
    }
    Ok(())
}

/// The command and its subcommands, each under the name of its page.
fn pages(mut command: Command) -> Vec<(String, Command)> {
    command.build();
    let subcommands: Vec<Command> = command
        .get_subcommands()
        .filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
        .cloned()
        .collect();
    let mut pages = vec![("rushlight".to_string(), command)];
    for sub in subcommands {
        let name = format!("rushlight-{}", sub.get_name());
        pages.push((name.clone(), sub.display_name(name)));
    }
    pages
}

fn page(command: Command) -> Done<Vec<u8>> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    Ok(text)
}
