//! Where the results of many inputs go, one after the other: lines of JSON, an `.npz` file, a folder, or the terminal.
//!
//! What has been added is there whatever happens to the command afterwards.

use super::super::about;
use crate::media::{self, npz};
use crate::{Done, show};
use rushlight::Value;
use rushlight::archive::bytes::Bytes;
use rushlight::archive::zip::{Archive, Compression, Writer};
use serde_json::{Value as Json, json};
use std::collections::HashSet;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

/// How often the directory of an `.npz` file is written while results still come.
const CHECKPOINT: Duration = Duration::from_secs(1);

/// Takes results in the order of their inputs.
pub trait Results {
    /// Adds the result of an input, or why there is none. Gives why a result cannot be kept here; fails where nothing can.
    fn add(&mut self, name: &str, result: Result<&Value, &str>) -> Done<Option<String>>;
    /// The last was added: `order` are the names of all inputs.
    fn finish(&mut self, order: &[String]) -> Done;
    /// Whether an earlier run has left the result of this input.
    fn has(&self, name: &str) -> bool;
}

/// The place that a path names; a device or a pipe gets lines of JSON. With `resume`, results that are there already stay.
pub fn open(path: &Path, names: &[String], resume: bool) -> Done<Box<dyn Results>> {
    let kind = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    match kind.to_lowercase().as_str() {
        _ if path.is_dir() => Ok(Box::new(Folder::new(path, names, resume)?)),
        "ndjson" | "jsonl" => Ok(Box::new(Lines::new(path, resume)?)),
        _ if kind != "npz" && rushlight::is_stream(path) => Ok(Box::new(Lines::new(path, false)?)),
        "npz" => Ok(Box::new(Arrays::new(path, resume)?)),
        "" => Ok(Box::new(Folder::new(path, names, resume)?)),
        other => Err(about(
            path,
            format!("the results of many inputs go to .ndjson, .npz or a folder, not '.{other}'"),
        )),
    }
}

/// Prints results under the names of their inputs.
pub struct Terminal<'w>(pub &'w mut dyn Write);

impl Results for Terminal<'_> {
    fn add(&mut self, name: &str, result: Result<&Value, &str>) -> Done<Option<String>> {
        let Ok(value) = result else {
            return Ok(None);
        };
        let text = show::value(value);
        let gap = if text.contains('\n') { "\n" } else { " " };
        writeln!(self.0, "{name}:{gap}{text}")?;
        Ok(None)
    }

    fn finish(&mut self, _: &[String]) -> Done {
        Ok(())
    }

    fn has(&self, _: &str) -> bool {
        false
    }
}

/// A line `{"input": NAME, "result": ...}` or `{"input": NAME, "error": TEXT}` for every input.
struct Lines {
    path: PathBuf,
    file: File,
    old: HashSet<String>,
}

impl Lines {
    fn new(path: &Path, resume: bool) -> Done<Lines> {
        let mut kept = Vec::new();
        let mut old = HashSet::new();
        if resume && path.exists() {
            for line in read_lines(path)? {
                if let Some(name) = name_of_result(&line) {
                    old.insert(name);
                    kept.extend(line.bytes().chain([b'\n']));
                }
            }
        }
        if !rushlight::is_stream(path) {
            rushlight::write_file(path, &kept).map_err(|e| about(path, e))?;
        }
        let file = File::options().append(true).open(path);
        Ok(Lines {
            path: path.to_path_buf(),
            file: file.map_err(|e| about(path, e))?,
            old,
        })
    }
}

fn read_lines(path: &Path) -> Done<Vec<String>> {
    let bytes = Bytes::read(path).map_err(|e| about(path, e))?;
    let text = std::str::from_utf8(&bytes).map_err(|e| about(path, e))?;
    Ok(text.lines().map(str::to_string).collect())
}

/// The input whose result a line holds.
fn name_of_result(line: &str) -> Option<String> {
    let line: Json = serde_json::from_str(line).ok()?;
    line.get("result")?;
    Some(line.get("input")?.as_str()?.to_string())
}

impl Results for Lines {
    fn add(&mut self, name: &str, result: Result<&Value, &str>) -> Done<Option<String>> {
        let result = match result {
            Ok(value) => media::json(value).map_err(|why| why.0),
            Err(why) => Err(why.to_string()),
        };
        let line = match &result {
            Ok(value) => json!({"input": name, "result": value}),
            Err(why) => json!({"input": name, "error": why}),
        };
        // One write for a line, so that no line is ever cut.
        let text = format!("{line}\n");
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|e| about(&self.path, e))?;
        Ok(result.err())
    }

    /// Puts lines into the order of the inputs where an earlier run had left some.
    fn finish(&mut self, order: &[String]) -> Done {
        if self.old.is_empty() || rushlight::is_stream(&self.path) {
            return Ok(());
        }
        let place = |line: &String| {
            let line: Option<Json> = serde_json::from_str(line).ok();
            let name = line.as_ref().and_then(|line| line.get("input")?.as_str());
            order.iter().position(|n| Some(n.as_str()) == name)
        };
        let mut lines: Vec<_> = read_lines(&self.path)?
            .into_iter()
            .map(|line| (place(&line).unwrap_or(usize::MAX), line))
            .collect();
        rushlight::tensor::order::sort_by_key(&mut lines, |line| line.0);
        let text: String = lines.iter().map(|(_, line)| format!("{line}\n")).collect();
        rushlight::write_file(&self.path, text.as_bytes()).map_err(|e| about(&self.path, e))
    }

    fn has(&self, name: &str) -> bool {
        self.old.contains(name)
    }
}

/// An entry for every input, or `NAME/PART` for every part of its result. Names do not begin with a slash.
struct Arrays {
    path: PathBuf,
    file: File,
    writer: Writer,
    /// Where the next entry goes.
    end: u64,
    saved: Instant,
    old: HashSet<String>,
}

impl Arrays {
    fn new(path: &Path, resume: bool) -> Done<Arrays> {
        if rushlight::is_stream(path) {
            return Err(about(
                path,
                "an .npz file cannot be written into a pipe; .ndjson can",
            ));
        }
        let (mut writer, mut old) = (Writer::new(""), HashSet::new());
        if resume && path.exists() {
            let bytes = Bytes::read(path).map_err(|e| about(path, e))?;
            let archive = Archive::open(bytes, &npz::limits()).map_err(|e| about(path, e))?;
            for name in npz::names(&archive) {
                let record = npz::record(&archive, &name).map_err(|e| about(path, e.0))?;
                writer.add(&name, &record, Compression::Stored, 1)?;
                let name = name.strip_suffix(".npy").unwrap_or(&name);
                // `a.png/0` is a part of the result of `a.png`.
                let whole = name.rsplit_once('/').map(|(whole, _)| whole.to_string());
                old.extend(whole.into_iter().chain([name.to_string()]));
            }
        }
        // A whole file from the beginning on; what was there is replaced by it in one step.
        let (entries, directory) = (writer.take(), writer.directory());
        let end = entries.len() as u64;
        rushlight::write_file(path, &[entries, directory].concat()).map_err(|e| about(path, e))?;
        let file = File::options().read(true).write(true).open(path);
        Ok(Arrays {
            path: path.to_path_buf(),
            file: file.map_err(|e| about(path, e))?,
            writer,
            end,
            saved: Instant::now(),
            old,
        })
    }

    /// Writes what is new, and behind it the directory.
    fn save(&mut self) -> std::io::Result<()> {
        let entries = self.writer.take();
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&entries)?;
        self.end += entries.len() as u64;
        let directory = self.writer.directory();
        self.file.write_all(&directory)?;
        self.file.set_len(self.end + directory.len() as u64)?;
        self.saved = Instant::now();
        Ok(())
    }
}

impl Results for Arrays {
    fn add(&mut self, name: &str, result: Result<&Value, &str>) -> Done<Option<String>> {
        let Ok(value) = result else {
            return Ok(None);
        };
        let parts = match media::arrays(value, &entry(name)) {
            Ok(parts) => parts,
            Err(why) => return Ok(Some(why.0)),
        };
        for (name, bytes) in parts {
            let name = format!("{name}.npy");
            self.writer.add(&name, &bytes, Compression::Stored, 1)?;
        }
        if self.saved.elapsed() > CHECKPOINT {
            self.save().map_err(|e| about(&self.path, e))?;
        }
        Ok(None)
    }

    fn finish(&mut self, _: &[String]) -> Done {
        self.save().map_err(|e| about(&self.path, e))
    }

    fn has(&self, name: &str) -> bool {
        self.old.contains(&entry(name))
    }
}

/// A file for every input: `.npy` for a tensor, `.npz` for several, `.json` for all else.
struct Folder {
    path: PathBuf,
    /// How many leading parts of a path all inputs have in common.
    common: usize,
    resume: bool,
}

impl Folder {
    fn new(path: &Path, names: &[String], resume: bool) -> Done<Folder> {
        std::fs::create_dir_all(path).map_err(|e| about(path, e))?;
        let folders: Vec<Vec<Component<'_>>> = names
            .iter()
            .filter_map(|name| Path::new(name).parent())
            .map(|folder| folder.components().collect())
            .collect();
        let first = folders.first().cloned().unwrap_or_default();
        let common = (0..first.len())
            .take_while(|i| folders.iter().all(|f| f.get(*i) == first.get(*i)))
            .count();
        Ok(Folder {
            path: path.to_path_buf(),
            common,
            resume,
        })
    }

    /// The place of a result without its ending: below the folder, whatever the name of the input is.
    fn place(&self, name: &str) -> PathBuf {
        self.path.join(inside(name, self.common))
    }
}

impl Results for Folder {
    fn add(&mut self, name: &str, result: Result<&Value, &str>) -> Done<Option<String>> {
        let Ok(value) = result else {
            return Ok(None);
        };
        let kind = match value {
            Value::Tensor(_) => "npy",
            value if media::arrays(value, "result").is_ok() => "npz",
            _ => "json",
        };
        let place = with_ending(&self.place(name), kind);
        if let Some(folder) = place.parent() {
            std::fs::create_dir_all(folder).map_err(|e| about(folder, e))?;
        }
        media::write(&place, value)?;
        Ok(None)
    }

    fn finish(&mut self, _: &[String]) -> Done {
        Ok(())
    }

    fn has(&self, name: &str) -> bool {
        let place = self.place(name);
        let exists = |kind: &str| with_ending(&place, kind).is_file();
        self.resume && ["npy", "npz", "json"].into_iter().any(exists)
    }
}

/// The name of an input as a path that leads out of no folder, without its first parts.
fn inside(name: &str, skipped: usize) -> PathBuf {
    let parts = Path::new(name).components().skip(skipped);
    let inside = parts.filter_map(|part| match part {
        Component::Normal(part) => Some(part.to_os_string()),
        Component::ParentDir => Some("__".into()),
        _ => None,
    });
    inside.collect()
}

/// The name of an entry for an input.
fn entry(name: &str) -> String {
    let path = inside(name, 0);
    path.to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/")
}

/// `a/b.png` as `a/b.png.npy`.
fn with_ending(path: &Path, kind: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".");
    name.push(kind);
    name.into()
}
