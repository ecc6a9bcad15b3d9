//! The other files of a program: what a file that is checked imports from those around it.
//!
//! Imports are followed into the folder of the file, and into the package that it is in, which goes up as long as folders have
//! an `__init__.py`. Each file is read once, when something in it is first named; installed packages are not looked for.

use crate::stdlib::Embedded;
use rushlight_frontend::script::{Compiler, Emitter, Library};
use rushlight_frontend::source_file::{Imported, OtherFile};
use rushlight_frontend::sugared::namespace::Namespace;
use rushlight_frontend::{Outcome, Resolver, Sugared};
use rushlight_syntax::{Source, Span};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// More files are not read.
const MOST: usize = 500;
/// Nor is a larger one, in bytes.
const LARGEST: u64 = 1 << 22;
/// Names that stand for names are followed so far.
const STEPS: usize = 16;

/// Modules that a file may lie beside but that are not its program's: scripts know what is in them.
const KNOWN: &[&str] = &[
    "torch",
    "typing",
    "typing_extensions",
    "math",
    "cmath",
    "enum",
    "dataclasses",
    "collections",
    "numbers",
];

/// The library, and the files around one.
pub(crate) struct Beside {
    own: Embedded,
    /// The folder of the file, where imports of all names start.
    folder: PathBuf,
    /// The folder of the package that it is in, and the name of that one, with which imports start there.
    top: PathBuf,
    package: Option<String>,
    /// The files that have been read; none for those that are being read, and for those that cannot be.
    files: RefCell<HashMap<PathBuf, Option<Rc<OtherFile>>>>,
}

/// A file that an import names.
struct Found {
    path: PathBuf,
    /// Whether it stands for a whole folder.
    is_package: bool,
}

impl Beside {
    /// The files around that of a path, and the package that it is in: the folder, where there is no other.
    pub fn new(path: &Path) -> (Beside, Option<String>) {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let (mut top, mut names) = (folder.as_path(), Vec::new());
        let name = |folder: &Path| Some(folder.file_name()?.to_str()?.to_string());
        while top.join("__init__.py").is_file() || names.is_empty() {
            let (Some(name), Some(parent)) = (name(top), top.parent()) else {
                break;
            };
            names.insert(0, name);
            top = parent;
        }
        let beside = Beside {
            own: Embedded::default(),
            top: top.to_path_buf(),
            folder: folder.clone(),
            package: names.first().cloned(),
            files: RefCell::new(HashMap::from([(path, None)])),
        };
        (beside, (!names.is_empty()).then(|| names.join(".")))
    }

    fn find_file(&self, module: &str) -> Option<Found> {
        let first = module.split('.').next()?;
        if KNOWN.contains(&first) || module.split('.').any(str::is_empty) {
            return None;
        }
        let below: PathBuf = module.split('.').collect();
        let found =
            |path: PathBuf, is_package| path.is_file().then_some(Found { path, is_package });
        let is_own = self.package.as_deref() == Some(first);
        let roots = [(&self.top, is_own), (&self.folder, true)];
        roots
            .into_iter()
            .filter(|root| root.1)
            .find_map(|(root, _)| {
                let place = root.join(&below);
                found(place.join("__init__.py"), true)
                    .or_else(|| found(place.with_extension("py"), false))
            })
    }

    /// The file that is a module; the inner `None` for one that cannot be read now.
    fn file(&self, compiler: &Compiler, module: &str) -> Option<Option<Rc<OtherFile>>> {
        let Found { path, is_package } = self.find_file(module)?;
        let path = path.canonicalize().ok()?;
        if let Some(known) = self.files.borrow().get(&path) {
            return Some(known.clone());
        }
        let is_fine = self.files.borrow().len() < MOST
            && path.metadata().is_ok_and(|about| about.len() <= LARGEST);
        let text = is_fine
            .then(|| std::fs::read_to_string(&path).ok())
            .flatten();
        self.files.borrow_mut().insert(path.clone(), None);
        let file = text.map(|text| {
            let source = Source::new(shown(&path).as_ref(), text);
            let package = match is_package {
                true => Some(module),
                false => module.rsplit_once('.').map(|(package, _)| package),
            };
            let prefix = format!("__torch__.{module}");
            Rc::new(OtherFile::new(compiler, &source, &prefix, package))
        });
        self.files.borrow_mut().insert(path, file.clone());
        Some(file)
    }
}

/// A path as people know it: from the folder that they are in.
fn shown(path: &Path) -> std::borrow::Cow<'_, str> {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    let below = here.ok().and_then(|here| path.strip_prefix(here).ok());
    below.unwrap_or(path).to_string_lossy()
}

impl Library for Beside {
    fn find(&self, emitter: &mut Emitter<'_>, path: &str, span: &Span) -> Outcome<Option<Sugared>> {
        if let Some(found) = self.own.find(emitter, path, span)? {
            return Ok(Some(found));
        }
        if self.find_file(path).is_some() {
            let path = path.to_string();
            return Ok(Some(Sugared::special(Namespace { path })));
        }
        let Some((module, name)) = path.rsplit_once('.') else {
            return Ok(None);
        };
        match self.file(emitter.compiler, module) {
            Some(Some(file)) => {
                let names = file.names(emitter.compiler, name).clone();
                names.lookup(emitter, name, span)
            }
            _ => Ok(None),
        }
    }

    fn is_beside(&self, path: &str) -> bool {
        let module = path.rsplit_once('.').map(|(module, _)| module);
        self.find_file(path).is_some() || module.is_some_and(|m| self.find_file(m).is_some())
    }

    fn imported(&self, compiler: &Compiler, path: &str) -> Option<Imported> {
        let mut path = path.to_string();
        for _ in 0..STEPS {
            if self.find_file(&path).is_some() {
                return Some(Imported::module(path));
            }
            let (module, name) = path.rsplit_once('.')?;
            let file = self.file(compiler, module)?;
            let imported = file
                .and_then(|file| file.exported(compiler, name))
                .unwrap_or_else(Imported::unseen);
            match imported.path() {
                Some(further) if further != path && self.is_beside(further) => {
                    path = further.to_string()
                }
                _ => return Some(imported),
            }
        }
        Some(Imported::unseen())
    }
}
