//! Where the command reads and writes: links, pipes, devices, folders, files that are not there or not models.

use crate::folder::told as run;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A folder of one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("rushlight_{name}_{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A small archive.
    fn model(&self) -> PathBuf {
        let (source, made) = (self.file("source.py"), self.file("source.pt"));
        fs::write(&source, "def forward(x: int) -> int:\n    return x + 1\n").unwrap();
        let (status, told) = run(&["compile", text(&source), "-o", text(&made)]);
        assert_eq!(status, 0, "{told}");
        made
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

#[test]
fn saving_follows_links_and_keeps_permissions() {
    let folder = Folder::new("links");
    let model = folder.model();
    let (real, link, far) = (
        folder.file("a.pt"),
        folder.file("b.pt"),
        folder.file("c.pt"),
    );
    fs::write(&real, "old").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("a.pt", &link).unwrap();
    symlink(&link, &far).unwrap();
    let (status, told) = run(&["convert", text(&model), "-o", text(&far)]);
    assert_eq!(status, 0, "{told}");
    assert!(link.is_symlink() && far.is_symlink() && !real.is_symlink());
    assert!(fs::read(&real).unwrap().starts_with(b"PK"));
    assert_eq!(
        fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o640
    );
    // A link to a place where there is nothing yet.
    let (new, dangling) = (folder.file("new.pt"), folder.file("dangling.pt"));
    symlink("new.pt", &dangling).unwrap();
    assert_eq!(run(&["convert", text(&model), "-o", text(&dangling)]).0, 0);
    assert!(dangling.is_symlink() && new.is_file());
    // Links that lead to one another.
    let (one, two) = (folder.file("one.pt"), folder.file("two.pt"));
    symlink(&one, &two).unwrap();
    symlink(&two, &one).unwrap();
    assert_eq!(run(&["convert", text(&model), "-o", text(&one)]).0, 1);
    let left = fs::read_dir(&folder.0).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().contains(".part")
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn a_save_that_fails_leaves_the_old_file() {
    let folder = Folder::new("failing");
    let model = folder.model();
    let place = folder.file("place.pt");
    fs::create_dir(&place).unwrap();
    let (status, told) = run(&["convert", text(&model), "-o", text(&place)]);
    assert!(status == 1 && told.contains("is a directory"), "{told}");
    let nowhere = folder.file("none/x.pt");
    assert_eq!(run(&["convert", text(&model), "-o", text(&nowhere)]).0, 1);
    assert!(rushlight::write_file(Path::new("/dev/full"), b"much").is_err());
    // A value that no archive can hold: nothing is written.
    let old = folder.file("old.npy");
    fs::write(&old, "old").unwrap();
    assert_eq!(run(&["run", text(&model), "1", "--out", text(&old)]).0, 1);
    assert_eq!(fs::read(&old).unwrap(), b"old");
}

#[test]
fn pipes_and_devices_are_written_into() {
    let folder = Folder::new("pipes");
    let model = folder.model();
    let fifo = folder.file("pipe.pt");
    pipe(&fifo);
    let reading = {
        let fifo = fifo.clone();
        std::thread::spawn(move || fs::read(fifo).unwrap())
    };
    let (status, told) = run(&["convert", text(&model), "-o", text(&fifo)]);
    assert_eq!(status, 0, "{told}");
    assert!(reading.join().unwrap().starts_with(b"PK"));
    assert!(!fifo.is_file(), "it is still a pipe");
    let null = folder.file("null.pt");
    symlink("/dev/null", &null).unwrap();
    assert_eq!(run(&["convert", text(&model), "-o", text(&null)]).0, 0);
    assert!(null.is_symlink() && !Path::new("/dev/null").is_file());
}

#[test]
fn what_the_shell_has_opened_is_read() {
    let folder = Folder::new("opened");
    let model = folder.model();
    let script = format!(
        "exec 7< <(cat {0}) 8> {1}; {2} inspect /dev/fd/7 --json >&8",
        text(&model),
        text(&folder.file("told.json")),
        env!("CARGO_BIN_EXE_rushlight"),
    );
    let done = std::process::Command::new("bash")
        .args(["-c", &script])
        .status();
    if done.is_ok_and(|status| status.success()) {
        let told = fs::read_to_string(folder.file("told.json")).unwrap();
        assert!(told.contains("\"methods\""), "{told}");
    }
}

#[test]
fn what_is_given_amiss_is_answered_with_what_would_do() {
    let folder = Folder::new("amiss");
    let model = folder.model();
    let picture = folder.file("a.npy");
    fs::write(&picture, "").unwrap();
    let (_, told) = run(&["run", text(&model), text(&picture)]);
    let wanted = format!("it is given as @{}", text(&picture));
    assert!(told.contains(&wanted), "{told}");
    let (_, told) = run(&["run", &format!("{}:other", text(&model))]);
    assert!(told.contains("--method other"), "{told}");
    let (_, told) = run(&["check", text(&model)]);
    assert!(
        told.contains("this is no source but a TorchScript archive"),
        "{told}"
    );
}

#[test]
fn what_is_no_file_is_named() {
    let folder = Folder::new("names");
    let (place, fifo, empty) = (
        folder.file("d.py"),
        folder.file("p.py"),
        folder.file("e.pt"),
    );
    fs::create_dir(&place).unwrap();
    pipe(&fifo);
    fs::write(&empty, "").unwrap();
    for command in ["inspect", "code", "graph", "run", "check"] {
        // Folders stand for the source files in them.
        let wanted = match command {
            "check" => "there is no .py file in this folder",
            _ => "this is a directory",
        };
        let (status, told) = run(&[command, text(&place)]);
        assert!(status == 1 && told.contains(wanted), "{told}");
        let (status, told) = run(&[command, text(&fifo)]);
        assert!(status == 1 && told.contains("a pipe"), "{told}");
        if command != "check" {
            let (status, told) = run(&[command, text(&empty)]);
            assert!(status == 1 && told.contains("empty"), "{command}: {told}");
        }
    }
    let picture = folder.file("a.png");
    fs::create_dir(&picture).unwrap();
    let model = folder.model();
    let (status, told) = run(&["run", text(&model), &format!("@{}", text(&picture))]);
    assert!(
        status == 1 && told.contains("this is a directory"),
        "{told}"
    );
}

#[test]
fn inspecting_what_is_no_model_fails() {
    let folder = Folder::new("models");
    let other = folder.file("notes.txt");
    fs::write(&other, "hello\n").unwrap();
    let (status, told) = run(&["inspect", text(&other)]);
    assert_eq!(status, 1, "{told}");
    assert_eq!(run(&["inspect", text(&folder.model())]).0, 0);
}

#[test]
fn a_file_that_is_cut_while_its_module_lives_does_no_harm() {
    let folder = Folder::new("cut");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/archive/submodules.pt");
    let copy = folder.file("copy.pt");
    fs::copy(path, &copy).unwrap();
    let module = rushlight::load(&copy).unwrap();
    fs::File::options()
        .write(true)
        .open(&copy)
        .unwrap()
        .set_len(10)
        .unwrap();
    let saved = module.to_bytes(&Default::default()).unwrap();
    assert!(rushlight::load_bytes(saved.into(), rushlight::Context::silent().into()).is_ok());
}
