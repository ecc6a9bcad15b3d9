//! A few lines of command-line reading: flags, options with a value, and the rest.

/// Takes `flag` out of `args` and says whether it was there.
pub fn take_flag(args: &mut Vec<String>, flag: &str) -> bool {
    let before = args.len();
    args.retain(|arg| arg != flag);
    args.len() != before
}

/// Takes `--name VALUE` or `--name=VALUE` out of `args`.
pub fn take_option(args: &mut Vec<String>, name: &str) -> Result<Option<String>, String> {
    let prefix = format!("{name}=");
    let Some(at) = args
        .iter()
        .position(|arg| arg == name || arg.starts_with(&prefix))
    else {
        return Ok(None);
    };
    let first = args.remove(at);
    if let Some(value) = first.strip_prefix(&prefix) {
        return Ok(Some(value.to_owned()));
    }
    if at == args.len() {
        return Err(format!("`{name}` needs a value"));
    }
    Ok(Some(args.remove(at)))
}

/// Refuses what is left over and looks like an option.
pub fn refuse_options(args: &[String]) -> Result<(), String> {
    match args.iter().find(|arg| arg.starts_with('-')) {
        Some(arg) => Err(format!("unknown option `{arg}`")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn options_are_taken_in_both_spellings() {
        let mut args = words("a --min 3 b --json=x --quick");
        assert_eq!(take_option(&mut args, "--min"), Ok(Some("3".to_owned())));
        assert_eq!(take_option(&mut args, "--json"), Ok(Some("x".to_owned())));
        assert!(take_flag(&mut args, "--quick"));
        assert!(!take_flag(&mut args, "--quick"));
        assert_eq!(args, words("a b"));
    }

    #[test]
    fn an_option_without_value_is_an_error() {
        assert!(take_option(&mut words("--min"), "--min").is_err());
    }
}
