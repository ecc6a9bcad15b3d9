//! `rushlight convert`: an archive in another precision, its parameters, its code, or an ONNX model.

use super::{about, examine, load, onnx, weights};
use crate::argument::Reader;
use crate::media::safetensors;
use crate::{Done, files};
use rushlight::Module;
use std::io::Write;
use std::path::Path;

/// What stands below the options in the help.
pub const HELP: &str = "\
What is written depends on the name of the new file:
  .pt            an archive; with --dtype and --device it runs in another precision or on the CPU
  .safetensors   the parameters and buffers
  .py            the code of all functions and classes, to be read (and for `rushlight check`)
  .onnx          a model of ONNX, written from one run of forward on example inputs

Examples:
  rushlight convert gpu_half.pt -o cpu.pt --device cpu --dtype float32
  rushlight convert model.pt -o weights.safetensors
  rushlight convert model.pt --weights weights.safetensors -o new.pt    and back: names, shapes and dtypes must fit
  rushlight convert model.pt -o older.pt --target 5     a file format version; PyTorch 1.13 and later read 10
  rushlight convert model.pt 'torch.ones(1, 3, 224, 224)' -o model.onnx --dynamic x:0=batch";

/// What to convert to.
pub struct Request<'r> {
    pub file: &'r Path,
    pub out: &'r Path,
    pub device: Option<&'r str>,
    pub dtype: Option<&'r str>,
    /// A safetensors file whose tensors take the place of the module's.
    pub weights: Option<&'r Path>,
    /// The file format version of an archive.
    pub version: Option<u64>,
    /// Example inputs, for ONNX.
    pub arguments: &'r [String],
    pub opset: Option<i64>,
    pub dynamic: &'r [String],
}

/// Converts a file and says what was changed. Gives a warning where one is due.
pub fn run(request: &Request<'_>, out: &mut dyn Write) -> Done<Option<String>> {
    let kind = request.out.extension().and_then(|e| e.to_str());
    let runs = kind == Some("onnx");
    if !runs && (!request.arguments.is_empty() || request.opset.is_some()) {
        let told = "example inputs and --opset are for ONNX models";
        return Err(about(request.out, told));
    }
    if !runs && !request.dynamic.is_empty() {
        return Err(about(request.out, "--dynamic is for ONNX models"));
    }
    if request.version.is_some() && kind.is_some_and(|kind| kind != "pt") {
        return Err(about(request.out, "--target is for archives"));
    }
    // Only what runs needs the code that restores its state.
    let module = match runs {
        true => load(request.file, false)?,
        false => examine(request.file)?,
    };
    let target = super::made_for(request.device, request.dtype)?;
    let dtype = target.dtype;
    let changes = module.retarget(&target);
    let put = match request.weights {
        Some(path) => {
            let bytes = files::read(path).map_err(|e| about(path, e))?;
            let tensors = safetensors::read(&bytes).map_err(|e| about(path, e.0))?;
            Some(weights::put(&module, tensors).map_err(|e| about(path, e.0))?)
        }
        None => None,
    };
    let bytes = match kind {
        // What goes on through a pipe has no name.
        None if rushlight::is_stream(request.out) => {
            archive(&module, request.out, request.version)?
        }
        Some("pt") => archive(&module, request.out, request.version)?,
        Some("safetensors") => safetensors::write(&weights::taken(&module)?)?,
        Some("py") => code(&module, request.out)?,
        Some("onnx") => {
            let request = onnx::Request {
                arguments: Reader::new(dtype, None).values(request.arguments)?,
                opset: request.opset,
                dynamic: request.dynamic,
            };
            onnx::bytes(&module, request)?
        }
        _ => {
            return Err(about(
                request.out,
                "the new file's name ends in .pt, .safetensors, .py or .onnx",
            ));
        }
    };
    rushlight::write_file(request.out, &bytes).map_err(|e| about(request.out, e))?;
    writeln!(out, "{}: {} bytes", request.out.display(), bytes.len())?;
    if !changes.is_empty() {
        writeln!(out, "{changes}")?;
    }
    if let (Some(count), Some(path)) = (put, request.weights) {
        writeln!(out, "{count} tensors from {}", path.display())?;
    }
    let is_changed = request.dtype.is_some() || put.is_some();
    Ok(weights::mixed(&module).filter(|_| is_changed))
}

fn archive(module: &Module, path: &Path, version: Option<u64>) -> Done<Vec<u8>> {
    let options = rushlight::SaveOptions {
        folder: rushlight::archive_folder(path),
        extra: module.loaded().extra.clone(),
        version,
        ..Default::default()
    };
    module.to_bytes(&options).map_err(|e| about(path, e))
}

/// Every code record of the archive that the module makes, behind a comment with its name.
fn code(module: &Module, path: &Path) -> Done<Vec<u8>> {
    use rushlight::archive::zip::{Archive, Limits};
    let bytes = archive(module, path, None)?;
    let archive = Archive::open(bytes.into(), &Limits::default())?;
    let mut text = format!(
        "{}{}\n\n",
        rushlight::archive::code::listing::VERSION,
        archive.read_text("version").unwrap_or_default().trim()
    );
    for name in archive.names() {
        if let Some(record) = name.strip_prefix("code/")
            && record.ends_with(".py")
        {
            text.push_str(&format!("# code/{record}\n{}\n", archive.read_text(name)?));
        }
    }
    Ok(text.into_bytes())
}
