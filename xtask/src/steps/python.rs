//! The Python tests, run against the installed wheel and not against the source folder.

use std::process::Command;

use super::wheel::python;
use super::{Outcome, Verdict};
use crate::workspace::root;

pub fn step() -> Outcome {
    let tests = root().join("python/tests");
    if !tests.is_dir() {
        return Outcome::skipped("no python/tests");
    }
    if !python().is_file() {
        return Outcome::new(Verdict::Failed, "no wheel; run the step `wheel` first", "");
    }
    let mut command = Command::new(python());
    command
        .args(["-m", "unittest", "discover", "--start-directory", "."])
        .current_dir(tests);
    Outcome::of_command(&mut command)
}
