//! What each kind of file is called, and what to do with it.

use super::{Container, FileKind, Saved};

impl FileKind {
    /// Whether this is something that the loader of this crate reads.
    pub fn is_loadable(&self) -> bool {
        matches!(
            self,
            FileKind::TorchScript
                | FileKind::TorchScriptJson
                | FileKind::Mobile { .. }
                | FileKind::MobileFlatbuffer
        )
    }

    /// What the file is, in one line, to be put after "this is".
    pub fn describe(&self) -> String {
        match self {
            FileKind::TorchScript => "a TorchScript archive".into(),
            FileKind::TorchScriptJson => {
                "a TorchScript archive in the layout of PyTorch 1.0 to 1.2".into()
            }
            FileKind::Mobile { has_code: true } => {
                "a TorchScript archive for mobile devices (.ptl), with source".into()
            }
            FileKind::Mobile { has_code: false } => {
                "a TorchScript archive for mobile devices (.ptl), bytecode only".into()
            }
            FileKind::MobileFlatbuffer => {
                "a mobile TorchScript model in flatbuffer form (.ptl)".into()
            }
            FileKind::TorchSave { container, content } => format!(
                "{}, saved by torch.save {}",
                content.describe(),
                container.describe()
            ),
            FileKind::Pickle { content } => format!("a Python pickle of {}", content.describe()),
            FileKind::ExportedProgram => "a program exported by torch.export (.pt2)".into(),
            FileKind::AotInductor => {
                "a package compiled ahead of time by AOTInductor (.pt2)".into()
            }
            FileKind::TorchPackage => "a torch.package archive of Python code and pickles".into(),
            FileKind::TorchServe => "a TorchServe model archive (.mar)".into(),
            FileKind::ExecuTorch => "an ExecuTorch program (.pte)".into(),
            FileKind::Safetensors => "weights in the safetensors format, without a model".into(),
            FileKind::Gguf => "weights in the GGUF format, without a model".into(),
            FileKind::Onnx => "an ONNX model".into(),
            FileKind::Npy => "a NumPy array (.npy)".into(),
            FileKind::Npz => "a NumPy archive of arrays (.npz)".into(),
            FileKind::GitLfsPointer { size: Some(size) } => {
                format!("a Git LFS pointer to a file of {size} bytes, not the file itself")
            }
            FileKind::GitLfsPointer { size: None } => {
                "a Git LFS pointer, not the file itself".into()
            }
            FileKind::Html => "a web page (HTML)".into(),
            FileKind::Empty => "an empty file".into(),
            FileKind::TruncatedZip => "a zip file whose end is missing".into(),
            FileKind::BadZip { reason } => format!("a damaged or unsafe zip file ({reason})"),
            FileKind::OtherZip => "a zip file that holds no model".into(),
            FileKind::Tar => "a tar archive".into(),
            FileKind::Compressed(program) => format!("a file compressed by {program}"),
            FileKind::Other(format) => (*format).into(),
            FileKind::PythonSource => "Python source".into(),
            FileKind::Json => "JSON text".into(),
            FileKind::Text => "plain text".into(),
            FileKind::Unknown => "not a file of any known kind".into(),
        }
    }

    /// What to do next with such a file, in one or two sentences. Empty where nothing needs to be done.
    pub fn advice(&self) -> &'static str {
        match self {
            FileKind::TorchScript
            | FileKind::TorchScriptJson
            | FileKind::Mobile { .. }
            | FileKind::MobileFlatbuffer => "",
            FileKind::TorchSave { content, .. } => content.advice(),
            FileKind::Pickle {
                content: Saved::Unreadable { .. },
            } => "Check that the file is complete and unchanged.",
            FileKind::Pickle { .. } => {
                "Nothing in it can be run without Python; script the model there and save it with torch.jit.save."
            }
            FileKind::ExportedProgram => {
                "torch.export programs are not TorchScript. Save the original module with torch.jit.script(module).save(path), or with torch.jit.trace."
            }
            FileKind::AotInductor => {
                "It holds machine code for one kind of processor. Save the original module with torch.jit.script(module).save(path)."
            }
            FileKind::TorchPackage => {
                "Load it in Python with torch.package, then save the model with torch.jit.script(model).save(path)."
            }
            FileKind::TorchServe => {
                "It is a zip file: unpack it; the model is the .pt file inside."
            }
            FileKind::ExecuTorch => {
                "Go back to the module it was made from and save that with torch.jit.save."
            }
            FileKind::Safetensors | FileKind::Gguf => {
                "Build the model in Python, load these weights into it, and save it with torch.jit.script(model).save(path)."
            }
            FileKind::Onnx => {
                "Use an ONNX runtime, or save the original PyTorch module with torch.jit.script(module).save(path)."
            }
            FileKind::Npy | FileKind::Npz => {
                "It can be given as an argument of a run (@file), but it is no model."
            }
            FileKind::GitLfsPointer { .. } => {
                "Fetch the real file: run `git lfs install` and `git lfs pull` in the repository it came from."
            }
            FileKind::Html => {
                "The download gave a page instead of the file, often a login or licence page. Open the address in a browser and use the direct link."
            }
            FileKind::Empty => "The download or copy did not take place; get the file again.",
            FileKind::TruncatedZip => {
                "The download or copy stopped early; get the file again and compare its size."
            }
            FileKind::BadZip { .. } => {
                "Get the file again from its source; do not use it if it comes from a stranger."
            }
            FileKind::OtherZip => "Look inside: the model may be one of the files in it.",
            FileKind::Tar => "Unpack it with `tar -xf`; the model may be one of the files in it.",
            FileKind::Compressed(_) => "Unpack it first; the model is probably inside.",
            FileKind::Other(_) => "Give the path of a model that torch.jit.save wrote.",
            FileKind::PythonSource => {
                "Source is compiled, not loaded: use the commands that take FILE.py."
            }
            FileKind::Json | FileKind::Text | FileKind::Unknown => {
                "Give the path of a model that torch.jit.save wrote."
            }
        }
    }
}

impl Container {
    fn describe(self) -> &'static str {
        match self {
            Container::Zip => "in its zip form",
            Container::Stream => "in its form before PyTorch 1.6",
            Container::Tar => "in its form before PyTorch 0.1.11",
        }
    }
}

impl Saved {
    fn describe(&self) -> String {
        match self {
            Saved::StateDict { tensors: 1 } => {
                "a state_dict of 1 tensor (weights without a model)".into()
            }
            Saved::StateDict { tensors } => {
                format!("a state_dict of {tensors} tensors (weights without a model)")
            }
            Saved::Checkpoint { keys } => format!("a checkpoint with the keys {}", keys.join(", ")),
            Saved::Tensor => "a single tensor".into(),
            Saved::Object { class } => format!("an object of the Python class {class}"),
            Saved::Value(kind) => format!("a value of kind {kind}"),
            Saved::Unreadable { reason } => format!("a pickle that cannot be read ({reason})"),
        }
    }

    fn advice(&self) -> &'static str {
        match self {
            Saved::StateDict { .. } | Saved::Checkpoint { .. } => {
                "Build the model in Python, call model.load_state_dict on these weights, and save it with torch.jit.script(model).save(path)."
            }
            Saved::Object { .. } => {
                "A pickled object needs its Python class. Load it in Python with torch.load(path, weights_only=False) if you trust it, and save it with torch.jit.script(model).save(path)."
            }
            Saved::Tensor | Saved::Value(_) => "There is no model in it, only data.",
            Saved::Unreadable { .. } => "Check that the file is complete and unchanged.",
        }
    }
}
