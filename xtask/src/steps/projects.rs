//! Programs that use other people's projects, of which a few run here (`docs/projects.md` has them all).

use std::fs;
use std::process::Command;

use super::wheel::python;
use super::{Outcome, Verdict, capture};
use crate::workspace::{root, target};

/// The programs of `tests/projects` that run: packages that many others stand on, and quick to install.
const PROGRAMS: [&str; 3] = ["einops_safetensors", "timm_models", "torchvision_resnet"];

/// What `run.py` ends with where packages cannot be had.
const NOTHING_TO_INSTALL: i32 = 3;

pub fn step() -> Outcome {
    if !python().is_file() {
        return Outcome::new(Verdict::Failed, "no wheel; run the step `wheel` first", "");
    }
    if let Err(message) = environment() {
        return Outcome::new(Verdict::Failed, "", message);
    }
    let mut command = Command::new(python());
    command
        .arg(root().join("tests/projects/run.py"))
        .arg("--venv")
        .arg(target().join("projects"))
        .args(PROGRAMS);
    match command.output() {
        Err(error) => Outcome::new(Verdict::Failed, "", error.to_string()),
        Ok(done) => {
            let mut output = String::from_utf8_lossy(&done.stdout).into_owned();
            let last = output.lines().last().unwrap_or_default().to_owned();
            output.push_str(&String::from_utf8_lossy(&done.stderr));
            match done.status.code() {
                Some(0) => Outcome::new(Verdict::Passed, last, output),
                Some(NOTHING_TO_INSTALL) => Outcome::skipped(last),
                _ => Outcome::new(Verdict::Failed, last, output),
            }
        }
    }
}

/// An environment of their own, which sees the one that has the wheel.
fn environment() -> Result<(), String> {
    let place = target().join("projects");
    if !place.join("bin/python").is_file() {
        let (ok, output) = capture(Command::new(python()).args(["-m", "venv"]).arg(&place))?;
        if !ok {
            return Err(output);
        }
    }
    let ask = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let packages = |python: std::path::PathBuf| -> Result<String, String> {
        let (_, path) = capture(Command::new(python).args(["-c", ask]))?;
        Ok(path.trim().to_owned())
    };
    let link = format!("{}/wheel.pth", packages(place.join("bin/python"))?);
    fs::write(&link, packages(python())?).map_err(|error| format!("{link}: {error}"))
}
