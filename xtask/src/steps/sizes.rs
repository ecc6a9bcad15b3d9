//! How large what people download is.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Outcome, wheel};
use crate::workspace::release_build;

/// Something that has a limit.
struct Thing {
    name: &'static str,
    /// Bytes, exclusive.
    limit: u64,
    /// Finds it, or makes it.
    find: fn() -> Result<PathBuf, String>,
}

/// Limits are a little above what things are. Whoever raises one says in the message of the commit what for.
const THINGS: &[Thing] = &[
    Thing {
        name: "command",
        limit: 25_000_000,
        find: command,
    },
    Thing {
        name: "wheel",
        limit: 15_500_000,
        find: the_wheel,
    },
];

pub fn step() -> Outcome {
    let measured = THINGS.iter().map(|thing| {
        let path = (thing.find)()?;
        Ok((thing, size(&path)?))
    });
    Outcome::from_result(measured.collect::<Result<Vec<_>, String>>().and_then(judge))
}

/// A note, or what is too large.
fn judge(measured: Vec<(&Thing, u64)>) -> Result<String, String> {
    let told = |(thing, bytes): &(&Thing, u64)| {
        format!("{}: {} of {} bytes", thing.name, bytes, thing.limit)
    };
    let is_large = |(thing, bytes): &&(&Thing, u64)| *bytes >= thing.limit;
    let large: Vec<String> = measured.iter().filter(is_large).map(told).collect();
    match large.is_empty() {
        true => Ok(measured.iter().map(told).collect::<Vec<_>>().join(", ")),
        false => Err(large.join("\n")),
    }
}

fn size(path: &Path) -> Result<u64, String> {
    let about = fs::metadata(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(about.len())
}

fn command() -> Result<PathBuf, String> {
    let built = release_build()?;
    let mut programs = built.into_iter().filter_map(|artifact| artifact.program);
    let program = programs.next();
    program.ok_or_else(|| "cargo built no program".to_owned())
}

fn the_wheel() -> Result<PathBuf, String> {
    let wheel = wheel::built().pop();
    wheel.ok_or_else(|| "no wheel; run the step `wheel` first".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Thing, judge};

    #[test]
    fn what_reaches_its_limit_is_too_large() {
        let thing = Thing {
            name: "thing",
            limit: 100,
            find: || Err(String::new()),
        };
        assert_eq!(
            judge(vec![(&thing, 99)]).as_deref(),
            Ok("thing: 99 of 100 bytes")
        );
        assert_eq!(
            judge(vec![(&thing, 99), (&thing, 100)]),
            Err("thing: 100 of 100 bytes".to_owned())
        );
    }
}
