//! Writing whole files: the old content or the new, never a part of either.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The longest chain of links that is followed.
const MOST_LINKS: usize = 40;

/// Writes what a file is to hold. Links are followed. A file is replaced when everything has been written, and keeps its
/// permissions; a failure leaves it as it was. Devices, pipes and what the process has open (`/dev/stdout`) are written
/// into, for there is nothing to replace.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let told = |text: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    let target = followed(path)?;
    match fs::metadata(path) {
        Ok(old) if old.is_dir() => told("this is a directory, not a file"),
        Ok(old) if !old.is_file() || is_open_file(&target) => {
            let mut options = OpenOptions::new();
            // What the process has open may be a file with something in it already.
            options.append(true);
            write_into(&options.open(path)?, bytes)
        }
        Ok(old) => {
            // What may not be written to is not replaced either.
            OpenOptions::new().append(true).open(&target)?;
            replace(&target, bytes, Some(&old))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => replace(&target, bytes, None),
        Err(error) => Err(error),
    }
}

/// Whether what is written to a path goes to a device, a pipe or an open file, so that it is gone once written.
pub fn is_stream(path: &Path) -> bool {
    let is_file = fs::metadata(path).is_ok_and(|found| found.is_file());
    path.exists() && (!is_file || followed(path).is_ok_and(|target| is_open_file(&target)))
}

/// Whether a path is one of those by which a process names its open files.
fn is_open_file(path: &Path) -> bool {
    path.starts_with("/proc")
}

/// Where a path leads, which may be a place where there is nothing yet. Links into `/proc` are not followed further: what
/// they stand for has no name that could be used.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        if is_open_file(&at) || !at.is_symlink() {
            return Ok(at);
        }
        let next = fs::read_link(&at)?;
        at = at.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        "this link leads through too many others",
    ))
}

fn write_into(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.flush()
}

/// Writes a file beside `target` and moves it there.
fn replace(target: &Path, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    static WRITTEN: AtomicU32 = AtomicU32::new(0);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    if target.file_name().is_none() {
        let error = "this names no file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, error));
    }
    let beside = target.with_file_name(format!(".rushlight-{}-{number}.part", std::process::id()));
    let write = |file: &File| {
        old.map_or(Ok(()), |old| take_over(file, old))?;
        write_into(file, bytes)
    };
    // A file without a name goes with the process, whatever ends it.
    let whole = match nameless::file(target) {
        Some(file) => {
            write(&file)?;
            nameless::name(&file, &beside).is_ok()
        }
        None => false,
    };
    let written = match whole {
        true => Ok(()),
        // Only where there is none: what somebody else has put there is not written into.
        false => write(
            &OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&beside)?,
        ),
    };
    let written = written.and_then(|()| fs::rename(&beside, target));
    if written.is_err() {
        // The error that made it useless is the one to tell of.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Files that have no name until they are whole.
#[cfg(target_os = "linux")]
mod nameless {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags};
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::Path;

    /// A file in the folder of another; not all file systems have such.
    pub fn file(beside: &Path) -> Option<File> {
        let folder = beside.parent().filter(|folder| *folder != "");
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let mode = Mode::from_bits_truncate(0o666);
        let opened = rustix::fs::open(folder.unwrap_or(Path::new(".")), flags, mode);
        opened.ok().map(File::from)
    }

    /// Names a file.
    pub fn name(file: &File, path: &Path) -> io::Result<()> {
        let open = format!("/proc/self/fd/{}", file.as_raw_fd());
        rustix::fs::linkat(CWD, open, CWD, path, AtFlags::SYMLINK_FOLLOW)?;
        Ok(())
    }
}

/// There are none.
#[cfg(not(target_os = "linux"))]
mod nameless {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub fn file(_beside: &Path) -> Option<File> {
        None
    }

    pub fn name(_file: &File, _path: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Gives a file the permissions of the one that it is to replace, and its owner where that is allowed.
fn take_over(file: &File, old: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            // Who may write a file need not be able to give files away.
            let _ = fchown(file, Some(old.uid()), Some(old.gid()));
        }
    }
    file.set_permissions(old.permissions())
}
