//! One file per subcommand, and the targets that they share.

mod against;
pub mod bench;
pub mod check;
pub mod code;
pub mod compile;
pub mod completions;
pub mod convert;
pub mod diff;
pub mod each;
pub mod graph;
pub mod inspect;
pub mod lsp;
pub mod man;
mod onnx;
pub mod optimize;
pub mod pass;
pub mod profile;
pub mod record;
pub mod run;
pub mod strip;
pub mod verify;
mod weights;

use crate::{Done, Failure, files};
use rushlight::archive::bytes::Bytes;
use rushlight::syntax::tree::StmtKind;
use rushlight::{Context, DType, Device, LoadOptions, Module, Restore, Script, Source};
use std::path::Path;
use std::sync::Arc;

/// What a command works on.
pub enum Opened {
    Archive(Module),
    /// A compiled source file, and the function named after the colon.
    Script(Script, Option<String>),
}

/// The file and the function of FILE.py:FUNCTION, and of `-:FUNCTION` of the standard input, which stands in brackets
/// (`argument::shielded`); other targets are all file.
pub fn split(target: &str) -> (String, Option<String>) {
    if let Some(function) = target.strip_prefix("(-:").and_then(|t| t.strip_suffix(')')) {
        return (files::STDIN.to_string(), Some(function.to_string()));
    }
    match target.rsplit_once(".py:") {
        Some((stem, function)) => (format!("{stem}.py"), Some(function.to_string())),
        None => (target.to_string(), None),
    }
}

/// Reads FILE.pt, FILE.py or FILE.py:FUNCTION; `load` is what reads archives.
pub fn open(target: &str, load: impl Fn(&Path) -> Done<Module>) -> Done<Opened> {
    let (path, function) = split(target);
    let at = Path::new(&path);
    if files::is_source(&path).map_err(|e| about(at, e))? {
        return Ok(Opened::Script(compile(at, function.as_deref())?, function));
    }
    Ok(Opened::Archive(load(at)?))
}

/// Whether a source defines a function; the error says which there are.
fn defined(source: &Arc<Source>, name: &str) -> Done {
    let (module, _) = rushlight::syntax::parse_module(source);
    let names = module
        .body
        .iter()
        .filter_map(|statement| match &statement.kind {
            StmtKind::Def(def) => Some(&*def.name.name),
            _ => None,
        });
    let names: Vec<&str> = names.collect();
    match names.contains(&name) {
        true => Ok(()),
        false => Err(graph::no_function(name, &names)),
    }
}

/// Compiles a source file: one function of it with what that needs, or all.
pub fn compile(path: &Path, function: Option<&str>) -> Done<Script> {
    let source = source(path)?;
    // What comes through a pipe lies beside nothing.
    let is_file = path.is_file();
    if let Some(name) = function {
        let script = match is_file {
            true => rushlight::compile_file_only(&source, path, &[name])?,
            false => rushlight::compile_only(&source, &[name])?,
        };
        if script.get(name).is_some() {
            return Ok(script);
        }
        defined(&source, name)?;
    }
    Ok(match is_file {
        true => rushlight::compile_file(&source, path)?,
        false => rushlight::compile_source(&source)?,
    })
}

/// Reads a source file.
pub fn source(path: &Path) -> Done<std::sync::Arc<Source>> {
    let bytes = files::read(path).map_err(|e| about(path, e))?;
    let text = files::text(&bytes).map_err(|why| {
        let kind = rushlight::archive::identify::identify(&bytes);
        let other = || format!("this is no source but {}", kind.describe());
        about(path, why.unwrap_or_else(other))
    })?;
    Ok(Source::new(files::shown(path), text))
}

/// Loads an archive to be run; one that is trusted not to change meanwhile is mapped.
pub fn load(path: &Path, trusted: bool) -> Done<Module> {
    let options = LoadOptions {
        trusted,
        ..LoadOptions::default()
    };
    let context = Context::new(Box::new(std::io::stdout()));
    let bytes = files::open(path, trusted).map_err(|e| about(path, e))?;
    rushlight::load_with(bytes, context.into(), &options).map_err(|e| about(path, e))
}

/// Loads an archive to be looked at or written again: none of its code runs.
pub fn examine(path: &Path) -> Done<Module> {
    examine_bytes(path, files::read(path).map_err(|e| about(path, e))?)
}

/// As [`examine`], of the content of the file.
pub fn examine_bytes(path: &Path, bytes: Bytes) -> Done<Module> {
    let options = LoadOptions {
        restore: Restore::Keep,
        ..LoadOptions::default()
    };
    let context = Context::silent().into();
    rushlight::load_with(bytes, context, &options).map_err(|e| about(path, e))
}

/// An error with the file it is about.
pub fn about(path: &Path, error: impl std::fmt::Display) -> Failure {
    let hint = match path.to_str().and_then(|text| text.rsplit_once(':')) {
        Some((file, method)) if !path.exists() && Path::new(file).is_file() => {
            format!("\n{file} is there; a method of an archive is named by --method {method}")
        }
        _ => String::new(),
    };
    Failure(format!("{}: {error}{hint}", files::shown(path)))
}

/// What the options --device and --dtype ask for.
pub(crate) fn made_for(device: Option<&str>, dtype: Option<&str>) -> Done<rushlight::Target> {
    Ok(rushlight::Target {
        device: device.map(device_named).transpose()?,
        dtype: dtype.map(dtype_named).transpose()?,
    })
}

fn device_named(name: &str) -> Done<Device> {
    let device = Device::parse(name).map_err(|e| Failure(e.message().to_string()))?;
    if device != Device::CPU {
        return Err(Failure(format!("there is no device {name} here; 'cpu' is")));
    }
    Ok(device)
}

fn dtype_named(name: &str) -> Done<DType> {
    match DType::from_name(name) {
        Some(dtype) if dtype.is_float() => Ok(dtype),
        _ => Err(Failure(format!(
            "'{name}' is no floating point dtype; float16, bfloat16, float32 and float64 are"
        ))),
    }
}
