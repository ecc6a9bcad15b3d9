//! What PyTorch gives for the same inputs: a Python interpreter that has it is asked, as a process of its own.

use super::split;
use crate::compare::Leaf;
use crate::media::raw;
use crate::{Done, Failure, abbreviate};
use rushlight::tensor::watch;
use rushlight::{Context, DType, Value};
use serde_json::Value as Json;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// What runs there, to compare results and to compare times.
const PROGRAM: &str = include_str!("against.py");
const TIMES: &str = include_str!("bench.py");
/// How often this process asks whether to stop waiting.
const LOOK: Duration = Duration::from_millis(20);

/// The parts of the result in PyTorch.
pub fn results(
    python: &Path,
    target: &str,
    method: &str,
    seed: Option<u64>,
    arguments: &[Value],
) -> Done<Vec<Leaf>> {
    let values = Value::tuple(arguments.to_vec());
    let input = rushlight::archive::save_value(&values, &Context::silent())?;
    let (file, function) = split(target);
    let mut command = Command::new(python);
    command.args(["-c", PROGRAM, &file, method]);
    command.arg(seed.map_or_else(String::new, |seed| seed.to_string()));
    command.arg(function.unwrap_or_default());
    let (status, answer, told) = answered(command, input)
        .map_err(|why| Failure(format!("{}: {}", python.display(), why.0)))?;
    let told = String::from_utf8_lossy(&told);
    if !status.success() {
        return Err(failed(python, status, &told));
    }
    parse(&answer).ok_or_else(|| {
        Failure(format!(
            "{} gave an answer that cannot be read",
            python.display()
        ))
    })
}

/// What a process that failed has told.
fn failed(python: &Path, status: ExitStatus, told: &str) -> Failure {
    if let Some((_, why)) = told.rsplit_once("no torch: ") {
        return Failure(format!(
            "{} has no torch ({}); name an interpreter that has, as in --against venv/bin/python",
            python.display(),
            why.trim()
        ));
    }
    Failure(format!(
        "PyTorch in {} failed ({status}):\n{}",
        python.display(),
        abbreviate::message(told.trim_end())
    ))
}

/// PyTorch, ready to run a function as often as it is asked to. It ends when this is dropped.
pub struct Rival {
    python: PathBuf,
    child: Child,
    questions: Option<ChildStdin>,
    answers: Receiver<String>,
    told: Option<JoinHandle<Vec<u8>>>,
    /// Its version.
    pub version: String,
}

impl Rival {
    /// Starts it with the arguments of all runs.
    pub fn start(
        python: &Path,
        target: &str,
        method: &str,
        seed: Option<u64>,
        threads: usize,
        arguments: &[Value],
    ) -> Done<Rival> {
        let values = Value::tuple(arguments.to_vec());
        let input = rushlight::archive::save_value(&values, &Context::silent())?;
        let (file, function) = split(target);
        let mut command = Command::new(python);
        command.args(["-c", TIMES, &file, method]);
        command.arg(seed.map_or_else(String::new, |seed| seed.to_string()));
        command.args([function.unwrap_or_default(), threads.to_string()]);
        let pipes = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = pipes.spawn().map_err(|e| {
            let python = python.display();
            Failure(format!("{python}: this interpreter cannot be started: {e}"))
        })?;
        let (sender, answers) = channel();
        if let Some(pipe) = child.stdout.take() {
            std::thread::spawn(move || {
                let lines = BufReader::new(pipe).lines().map_while(Result::ok);
                lines.into_iter().try_for_each(|line| sender.send(line))
            });
        }
        let told = Some(reader(child.stderr.take()));
        let mut rival = Rival {
            python: python.into(),
            questions: child.stdin.take(),
            child,
            answers,
            told,
            version: String::new(),
        };
        rival.ask(format!("{}\n", input.len()).as_bytes());
        rival.ask(&input);
        let version: Json = rival.answer()?;
        rival.version = version.as_str().unwrap_or("").to_string();
        Ok(rival)
    }

    /// Runs so many times: how many seconds each took.
    pub fn run(&mut self, runs: usize) -> Done<Vec<f64>> {
        self.ask(format!("{runs}\n").as_bytes());
        let times = self.answer()?;
        let times = times.as_array().into_iter().flatten();
        Ok(times.filter_map(Json::as_f64).collect())
    }

    fn ask(&mut self, bytes: &[u8]) {
        // A process that has ended is told of when its answer is missing.
        if let Some(pipe) = &mut self.questions {
            let _ = pipe.write_all(bytes).and_then(|()| pipe.flush());
        }
    }

    fn answer(&mut self) -> Done<Json> {
        loop {
            match self.answers.recv_timeout(LOOK) {
                Ok(line) => return Ok(serde_json::from_str(&line)?),
                Err(RecvTimeoutError::Timeout) => {
                    watch::look().map_err(|fault| Failure(fault.message().to_string()))?;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.questions = None;
                    let status = wait(&mut self.child)?;
                    let told = self.told.take().and_then(|t| t.join().ok());
                    let told = String::from_utf8_lossy(&told.unwrap_or_default()).into_owned();
                    return Err(failed(&self.python, status, &told));
                }
            }
        }
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        self.questions = None;
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a process to its end, which comes early when this command is to stop.
fn answered(mut command: Command, input: Vec<u8>) -> Done<(ExitStatus, Vec<u8>, Vec<u8>)> {
    let pipes = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = pipes
        .spawn()
        .map_err(|e| Failure(format!("this interpreter cannot be started: {e}")))?;
    let answer = reader(child.stdout.take());
    let told = reader(child.stderr.take());
    let given = child.stdin.take().map(|mut pipe| {
        // A process that ends without reading everything says why itself.
        std::thread::spawn(move || drop(pipe.write_all(&input)))
    });
    let status = wait(&mut child)?;
    let bytes = |thread: JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
    let ended = (status, bytes(answer), bytes(told));
    if let Some(thread) = given {
        let _ = thread.join();
    }
    Ok(ended)
}

fn wait(child: &mut Child) -> Done<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if let Err(fault) = watch::look() {
            // It may have ended just now.
            let _ = child.kill();
            let _ = child.wait();
            return Err(Failure(fault.message().to_string()));
        }
        std::thread::sleep(LOOK);
    }
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is all there is.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// The leaves of an answer.
fn parse(answer: &[u8]) -> Option<Vec<Leaf>> {
    let end = answer.iter().position(|byte| *byte == b'\n')?;
    let (header, mut data) = (&answer[..end], &answer[end + 1..]);
    let header: Vec<Json> = serde_json::from_slice(header).ok()?;
    let leaf = |entry: &Json| {
        let path = entry["path"].as_str()?.to_string();
        let value = match entry.get("dtype") {
            Some(dtype) => {
                let sizes = entry["shape"].as_array()?.iter();
                let sizes: Option<Vec<usize>> =
                    sizes.map(|n| usize::try_from(n.as_u64()?).ok()).collect();
                let length = usize::try_from(entry["length"].as_u64()?).ok()?;
                let (elements, rest) = data.split_at_checked(length)?;
                data = rest;
                let dtype = DType::from_name(dtype.as_str()?)?;
                Value::Tensor(raw::tensor(dtype, &sizes?, elements).ok()?)
            }
            None => plain(&entry["value"], entry["kind"].as_str()?)?,
        };
        Some(Leaf { path, value })
    };
    header.iter().map(leaf).collect()
}

/// A value that is no tensor.
fn plain(value: &Json, kind: &str) -> Option<Value> {
    Some(match (value, kind) {
        (Json::Null, _) => Value::None,
        (Json::Bool(b), _) => Value::Bool(*b),
        (Json::String(s), "float") => Value::Float(s.parse().ok()?),
        (Json::String(s), _) => Value::str(s.as_str()),
        (Json::Number(n), _) => Value::Int(n.as_i64()?),
        _ => return None,
    })
}
