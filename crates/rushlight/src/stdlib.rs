//! The standard library where there is no Python: `torch.nn.functional` from its sources, which are part of this crate.
//!
//! The sources are those that the Python package ships: `library` is a link to it (`docs/standard-library.md`). A file is
//! parsed when a script first names one of its functions, and a function is compiled when it is called.

use rushlight_frontend::script::{Compiler, Emitter, Library};
use rushlight_frontend::source_file::{self, SourceFile};
use rushlight_frontend::sugared::namespace::Namespace;
use rushlight_frontend::{Outcome, Resolver, Sugared};
use rushlight_syntax::{Diagnostic, Source, Span};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::OnceLock;

/// A file of the library.
struct File {
    /// The namespaces that its names are found in; definitions are named after the first.
    packages: &'static [&'static str],
    /// The module that it is, for imports between files.
    module: &'static str,
    text: &'static str,
}

macro_rules! files {
    ($($path:literal $module:literal $($package:literal)*;)*) => {
        &[$(File {
            packages: &[$($package),*],
            module: $module,
            text: include_str!(concat!("../library/", $path)),
        }),*]
    };
}

/// Every file of the library: path, module, namespaces.
const FILES: &[File] = files! {
    "nn/functional/_activation.py" "torch.nn.functional._activation" "torch.nn.functional";
    "nn/functional/_attention.py" "torch.nn.functional._attention" "torch.nn.functional";
    "nn/functional/_dropout.py" "torch.nn.functional._dropout" "torch.nn.functional";
    "nn/functional/_loss.py" "torch.nn.functional._loss" "torch.nn.functional";
    "nn/functional/_masks.py" "torch.nn.functional._masks" "torch.nn.functional";
    "nn/functional/_norm.py" "torch.nn.functional._norm" "torch.nn.functional";
    "nn/functional/_pool.py" "torch.nn.functional._pool" "torch.nn.functional";
    "nn/functional/_resize.py" "torch.nn.functional._resize" "torch.nn.functional";
    "nn/functional/_sparse.py" "torch.nn.functional._sparse" "torch.nn.functional";
    "nn/_reduction.py" "torch.nn._reduction" "torch.nn._reduction";
    "_functional.py" "torch._functional" "torch.functional" "torch";
    "_unique.py" "torch._unique" "torch.functional" "torch";
    "compiler.py" "torch.compiler" "torch.compiler";
    "amp/_scripted.py" "torch.amp.autocast_mode" "torch.amp.autocast_mode" "torch.amp" "torch";
    "cpu/amp/_scripted.py" "torch.cpu.amp.autocast_mode" "torch.cpu.amp.autocast_mode" "torch.cpu.amp";
    "cuda/amp/_scripted.py" "torch.cuda.amp.autocast_mode" "torch.cuda.amp.autocast_mode" "torch.cuda.amp";
    "autograd/grad_mode.py" "torch.autograd.grad_mode" "torch.autograd.grad_mode" "torch.autograd" "torch";
    "autograd/profiler.py" "torch.autograd.profiler" "torch.autograd.profiler" "torch.profiler";
};

/// The library as the compiler asks for it.
#[derive(Default)]
pub struct Embedded {
    /// The files that have been read.
    files: RefCell<HashMap<usize, Rc<Read>>>,
}

/// A file that has been read.
struct Read {
    names: Rc<SourceFile>,
    /// What is wrong with the first definition in it that is for Python alone.
    problem: Option<Diagnostic>,
}

impl Library for Embedded {
    fn find(&self, emitter: &mut Emitter<'_>, path: &str, span: &Span) -> Outcome<Option<Sugared>> {
        if FILES.iter().any(|file| file.module == path) {
            let path = path.to_string();
            return Ok(Some(Sugared::special(Namespace { path })));
        }
        let Some((parent, name)) = path.rsplit_once('.') else {
            return Ok(None);
        };
        let named = || FILES.iter().position(|file| file.module == parent);
        let Some(index) = names().get(path).copied().or_else(named) else {
            return Ok(None);
        };
        let file = self.file(emitter.compiler, index);
        match (file.names.lookup(emitter, name, span)?, &file.problem) {
            (None, Some(problem)) => Err(Box::new(problem.clone())),
            (found, _) => Ok(found),
        }
    }
}

impl Embedded {
    fn file(&self, compiler: &Compiler, index: usize) -> Rc<Read> {
        if let Some(known) = self.files.borrow().get(&index) {
            return known.clone();
        }
        let (loaded, problems) = load(compiler, &FILES[index]);
        let read = Rc::new(Read {
            names: loaded.file,
            problem: problems.into_iter().next(),
        });
        self.files.borrow_mut().insert(index, read.clone());
        read
    }
}

fn load(compiler: &Compiler, file: &File) -> (source_file::Loaded, Vec<Diagnostic>) {
    let name = format!("{}.py", file.module.replace('.', "/"));
    let source = Source::new(name.as_str(), file.text);
    let prefix = format!("__torch__.{}", file.packages[0]);
    let package = file.module.rsplit_once('.').map(|(package, _)| package);
    source_file::load_in_package(compiler, &source, &prefix, package)
}

/// The names of the standard library in a module (`torch.nn.functional`), sorted, each with its source line.
pub fn library_names(path: &str) -> Vec<(&'static str, &'static str)> {
    let mut out: Vec<(&str, &str)> = Vec::new();
    for file in FILES.iter().filter(|file| file.packages.contains(&path)) {
        for line in file.text.lines() {
            let name = line
                .strip_prefix("def ")
                .and_then(|rest| rest.split('(').next());
            out.extend(
                name.filter(|n| !n.starts_with('_'))
                    .map(|name| (name, line)),
            );
        }
    }
    rushlight_tensor::order::sort(&mut out);
    out.dedup_by_key(|(name, _)| *name);
    out
}

/// The file of each name: `torch.nn.functional.relu`. A line that begins with a definition or an
/// assignment names one.
fn names() -> &'static HashMap<String, usize> {
    static NAMES: OnceLock<HashMap<String, usize>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut names = HashMap::new();
        for (index, file) in FILES.iter().enumerate() {
            for line in file.text.lines() {
                let defined = ["def ", "class "].iter().find_map(|d| line.strip_prefix(d));
                let name = match defined {
                    Some(rest) => rest.split(['(', ':']).next(),
                    None => line.split_once(" = ").map(|(name, _)| name),
                };
                let Some(name) = name.filter(|n| !n.starts_with([' ', '#'])) else {
                    continue;
                };
                for package in file.packages {
                    names.insert(format!("{package}.{name}"), index);
                }
            }
        }
        names
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::new_unit;

    /// Functions that are for Python alone, in the reference as well.
    const NOT_SCRIPTS: &[&str] = &[
        "_check_contracted",
        "_gets_sparse_gradient",
        "_is_generator",
        "_mode_of_generator",
        "_refuse_other_sizes",
        "_traced_sizes",
        "_variances",
        "_warn_of_class",
        "_with_sparse_gradient",
        "disable",
        "gaussian_nll_loss",
        "is_inference_mode_enabled",
        "triplet_margin_with_distance_loss",
    ];

    #[test]
    fn every_function_of_the_library_compiles_but_those_for_python_alone() {
        let compiler =
            Compiler::new(new_unit(), crate::table()).with_library(Rc::new(Embedded::default()));
        let mut failed = Vec::new();
        for file in FILES {
            let (loaded, problems) = load(&compiler, file);
            // Switches that are for Python alone.
            assert!(
                problems.is_empty() || file.module == "torch.autograd.grad_mode",
                "{problems:?}"
            );
            assert!(
                !loaded.functions.is_empty() || !loaded.classes.is_empty(),
                "{}",
                file.module
            );
            for (name, function) in &loaded.functions {
                if compiler.compile(function).is_err() {
                    failed.push(name.to_string());
                }
            }
        }
        failed.sort();
        assert_eq!(failed, NOT_SCRIPTS);
    }

    #[test]
    fn scripts_call_the_library_by_its_names() {
        let source = "
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.functional import interpolate

def pooled(x: Tensor):
    y, places = F.max_pool2d(x, 2, return_indices=True)
    return F.max_pool2d(x, [2, 2]), y, places

def doubled(x: Tensor) -> int:
    return interpolate(x, scale_factor=2.0).size(-1) + interpolate(x, 7).size(-1)

def same(x: Tensor) -> Tensor:
    with torch.no_grad():
        kept = F.dropout(torch.nn.functional.relu(x, inplace=False), p=0.5, training=False)
    with torch.autograd.profiler.record_function(\"a name\"):
        values, inverse = torch.unique(kept, return_inverse=True)
    return values[inverse] if torch.norm(kept, dim=0).size(-1) == 4 else x
";
        let script = crate::compile(source).unwrap_or_else(|error| panic!("{error}"));
        let call = |name: &str, x: &rushlight_tensor::Tensor| {
            let function = script.get(name).expect("is defined");
            function.call(&[x.clone().into()]).expect("runs")
        };
        let x =
            rushlight_tensor::Tensor::from_vec((0..16).map(|i| i as f32).collect(), &[1, 1, 4, 4])
                .unwrap();
        assert_eq!(call("doubled", &x).as_int().unwrap(), 8 + 7);
        let kept = call("same", &x);
        assert_eq!(kept.as_tensor().unwrap().to_vec::<f32>(), x.to_vec::<f32>());
        let rushlight_types::Value::Tuple(parts) = call("pooled", &x) else {
            panic!("a tuple");
        };
        for part in &parts.items[..] {
            assert_eq!(
                part.as_tensor().unwrap().to_vec::<f32>(),
                [5.0, 7.0, 13.0, 15.0]
            );
        }
    }
}
