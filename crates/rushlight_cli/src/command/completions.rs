//! `rushlight completions SHELL`: what makes a shell complete subcommands, options and files.

use crate::Done;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Args};
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

/// Options that take one of a few words; what else they take is said where they are read.
const WORDS: &[(&str, &[&str])] = &[
    ("dtype", &["float32", "float64", "float16", "bfloat16"]),
    ("device", &["cpu"]),
    ("threads", &["1", "2", "4", "8"]),
];

/// Options whose values are names of passes.
const PASSES: &[&str] = &["passes", "after"];

/// What bash does besides: files stand where nothing else is known, also behind `@`.
const BASH: &str = r#"
_rushlight_files() {
    _rushlight "$@"
    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" reply=() word prefix=
    if [[ $cur == @* || $prev == @ ]]; then
        # Usually `@` is a word of its own to the shell.
        [[ $COMP_WORDBREAKS == *@* ]] || prefix=@
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f ${prefix:+-P @} -- "${cur#@}")
    elif [[ -z $cur && $COMP_CWORD -gt 1 ]]; then
        for word in "${COMPREPLY[@]}"; do
            [[ $word == -* ]] || reply+=("$word")
        done
        COMPREPLY=("${reply[@]}")
    fi
}
complete -F _rushlight_files -o nosort -o bashdefault -o default rushlight
"#;

/// Prints the completions.
pub fn run(options: &Options, command: clap::Command, out: &mut dyn Write) -> Done {
    let mut text = Vec::new();
    let mut command = command.mut_subcommands(|one| one.mut_args(with_values));
    clap_complete::generate(options.shell, &mut command, "rushlight", &mut text);
    out.write_all(&text)?;
    if options.shell == Shell::Bash {
        out.write_all(BASH.as_bytes())?;
    }
    Ok(())
}

/// An option with the values that it can have.
fn with_values(option: Arg) -> Arg {
    let name = option.get_id().as_str();
    if let Some((_, words)) = WORDS.iter().find(|(known, _)| *known == name) {
        return option.value_parser(PossibleValuesParser::new(*words));
    }
    if PASSES.contains(&name) {
        let rows = rushlight::ir::passes::PASSES.iter();
        return option.value_parser(PossibleValuesParser::new(rows.map(|row| row.name)));
    }
    option
}
