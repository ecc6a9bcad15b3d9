//! Running one program with a time limit, in a process group of its own so that nothing outlives it.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How a program ended and what it printed.
pub struct Ended {
    /// The exit status; `None` when the time limit ended it.
    pub success: Option<bool>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// The environment the corpus was recorded in.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("PYTHONWARNINGS", "ignore"),
    ("OMP_NUM_THREADS", "1"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTHONHASHSEED", "0"),
];

/// Runs `command NAME` in `folder`.
pub fn run(
    command: &[String],
    folder: &Path,
    name: &str,
    limit: Duration,
) -> Result<Ended, String> {
    let (program, args) = command.split_first().ok_or("an empty command")?;
    let mut process = Command::new(program);
    process
        .args(args)
        .arg(name)
        .current_dir(folder)
        .envs(ENVIRONMENT.iter().copied());
    process
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    own_group(&mut process);
    let mut child = process
        .spawn()
        .map_err(|error| format!("cannot run {program}: {error}"))?;
    let deadline = Instant::now() + limit;
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let both = (receive(&stdout, deadline), receive(&stderr, deadline));
    if let (Some(stdout), Some(stderr)) = both
        && let Some(success) = wait(&mut child, deadline)
    {
        return Ok(Ended {
            success: Some(success),
            stdout,
            stderr,
        });
    }
    kill_group(&mut child);
    // The pipes close with the group; a process that left the group may still hold them.
    let grace = Instant::now() + Duration::from_secs(2);
    let rest = |pipe| receive(pipe, grace).unwrap_or_default();
    Ok(Ended {
        success: None,
        stdout: rest(&stdout),
        stderr: rest(&stderr),
    })
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // A broken pipe ends the text early; the comparison will tell.
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

fn receive(pipe: &mpsc::Receiver<String>, deadline: Instant) -> Option<String> {
    pipe.recv_timeout(deadline.saturating_duration_since(Instant::now()))
        .ok()
}

fn wait(child: &mut Child, deadline: Instant) -> Option<bool> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
            _ => return None,
        }
    }
}

#[cfg(unix)]
fn own_group(process: &mut Command) {
    use std::os::unix::process::CommandExt;
    process.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_process: &mut Command) {}

/// Ends the child and everything it started.
fn kill_group(child: &mut Child) {
    if cfg!(unix) {
        // A negative number names the group.
        let group = format!("-{}", child.id());
        let _ = Command::new("kill")
            .args(["-KILL", "--", &group])
            .stderr(Stdio::null())
            .status();
    }
    let _ = child.kill();
    let _ = child.wait();
}
