//! Where the processes of one user keep the secret of a meeting on the loopback device: a folder that only this user can
//! use, with a file per address.
//!
//! The folder is `rushlight` in `XDG_RUNTIME_DIR`, or where that is not set or not this user's own, `rushlight-UID` in the
//! folder for temporary files. It is opened once without following a link, and owner and mode of what was opened are
//! checked; everything after that goes through the open folder.

use crate::secret::Secret;
use rushlight_tensor::{Fault, Result};
use std::net::SocketAddr;

/// The name of the file for an address.
#[cfg(unix)]
fn file_name(address: SocketAddr) -> String {
    let host = address.ip().to_canonical().to_string().replace(':', "_");
    format!("rpc-{host}-{}.secret", address.port())
}

#[cfg(unix)]
pub(crate) use unix::{Published, publish, read};

/// Whether an open file or folder is this user's alone.
#[cfg(unix)]
pub(crate) fn is_private(facts: &rustix::fs::Stat) -> bool {
    facts.st_uid == rustix::process::geteuid().as_raw() && facts.st_mode & 0o077 == 0
}

#[cfg(unix)]
mod unix {
    use super::{Fault, Result, Secret, SocketAddr, file_name, is_private};
    use crate::secret::{hex, random};
    use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
    use rustix::io::Errno;
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::fd::OwnedFd;
    use std::path::{Path, PathBuf};

    /// A secret that other processes of this user can read until this goes.
    pub(crate) struct Published {
        folder: OwnedFd,
        name: String,
    }

    impl Drop for Published {
        fn drop(&mut self) {
            let _ = rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty());
        }
    }

    fn failed(path: &Path, error: Errno) -> Fault {
        Fault::runtime(format!(
            "cannot keep the secret of a group in {}: {error}. Set RUSHLIGHT_RPC_SECRET or RUSHLIGHT_RPC_SECRET_FILE \
             in every process of the group instead",
            path.display()
        ))
    }

    fn open_folder(path: &Path) -> std::result::Result<OwnedFd, Errno> {
        let how = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(CWD, path, how, Mode::empty())
    }

    /// The folder that `XDG_RUNTIME_DIR` names, if it is what it should be.
    fn runtime_folder() -> Option<PathBuf> {
        let path = PathBuf::from(std::env::var_os("XDG_RUNTIME_DIR")?);
        let folder = open_folder(&path).ok()?;
        let facts = rustix::fs::fstat(&folder).ok()?;
        (path.is_absolute() && is_private(&facts)).then(|| path.join("rushlight"))
    }

    fn path() -> PathBuf {
        runtime_folder().unwrap_or_else(|| {
            let user = rustix::process::geteuid().as_raw();
            std::env::temp_dir().join(format!("rushlight-{user}"))
        })
    }

    fn folder(path: &Path) -> Result<OwnedFd> {
        match rustix::fs::mkdirat(CWD, path, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(failed(path, error)),
        }
        let folder = open_folder(path).map_err(|error| failed(path, error))?;
        let facts = rustix::fs::fstat(&folder).map_err(|error| failed(path, error))?;
        if !is_private(&facts) {
            return Err(Fault::runtime(format!(
                "cannot keep the secret of a group in {}, which is not a folder that this user alone can use: remove it, \
                 or set RUSHLIGHT_RPC_SECRET or RUSHLIGHT_RPC_SECRET_FILE in every process of the group",
                path.display()
            )));
        }
        Ok(folder)
    }

    /// Makes a secret for the meeting at an address where this process listens.
    pub(crate) fn publish(address: SocketAddr) -> Result<(Secret, Published)> {
        publish_in(&path(), address)
    }

    pub(super) fn publish_in(path: &Path, address: SocketAddr) -> Result<(Secret, Published)> {
        let folder = folder(path)?;
        let secret = Secret::random()?;
        let name = file_name(address);
        let draft = format!(".{}", &hex(&random()?)[..32]);
        let how = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let write = || {
            let file = rustix::fs::openat(&folder, &draft, how, Mode::RUSR | Mode::WUSR)?;
            File::from(file).write_all(secret.hex().as_bytes())?;
            rustix::fs::renameat(&folder, &draft, &folder, &name)?;
            Ok(())
        };
        write().map_err(|error: std::io::Error| {
            let error = Errno::from_io_error(&error).unwrap_or(Errno::IO);
            failed(path, error)
        })?;
        Ok((secret, Published { folder, name }))
    }

    /// The secret that the process of rank 0 made for the meeting at an address.
    pub(crate) fn read(address: SocketAddr) -> Result<Secret> {
        read_in(&path(), address)
    }

    pub(super) fn read_in(path: &Path, address: SocketAddr) -> Result<Secret> {
        let folder = folder(path)?;
        let name = file_name(address);
        let how = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let none = |why: &str| {
            Fault::runtime(format!(
                "no secret for the meeting at {address} is in {}: {why}. The process of rank 0 puts it there if it runs \
                 under the same user on this machine; otherwise set RUSHLIGHT_RPC_SECRET or RUSHLIGHT_RPC_SECRET_FILE in \
                 every process of the group",
                path.join(&name).display()
            ))
        };
        let file = rustix::fs::openat(&folder, &name, how, Mode::empty())
            .map_err(|error| none(&error.to_string()))?;
        let facts = rustix::fs::fstat(&file).map_err(|error| none(&error.to_string()))?;
        if FileType::from_raw_mode(facts.st_mode) != FileType::RegularFile || !is_private(&facts) {
            return Err(none("what is there is not a file of this user alone"));
        }
        let mut text = String::new();
        File::from(file)
            .take(1024)
            .read_to_string(&mut text)
            .map_err(|error| none(&error.to_string()))?;
        Secret::of_hex(&text).ok_or_else(|| none("the file holds something else"))
    }
}

/// Where owners and modes of files cannot be checked, a group brings its secret.
#[cfg(not(unix))]
mod elsewhere {
    use super::{Fault, Result, Secret, SocketAddr};

    pub(crate) struct Published;

    fn none() -> Fault {
        Fault::runtime(
            "on this system a group needs a secret: set RUSHLIGHT_RPC_SECRET or RUSHLIGHT_RPC_SECRET_FILE in every process",
        )
    }

    pub(crate) fn publish(_: SocketAddr) -> Result<(Secret, Published)> {
        Err(none())
    }

    pub(crate) fn read(_: SocketAddr) -> Result<Secret> {
        Err(none())
    }
}

#[cfg(not(unix))]
pub(crate) use elsewhere::{Published, publish, read};

#[cfg(all(test, unix))]
mod tests {
    use super::unix::{publish_in, read_in};
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::PathBuf;

    fn place(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("rushlight_{name}_{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        let _ = fs::remove_file(&path);
        path
    }

    #[test]
    fn a_secret_is_there_while_the_meeting_lasts() {
        let path = place("place");
        let address = "127.0.0.1:4001".parse().unwrap();
        let (secret, published) = publish_in(&path, address).unwrap();
        assert_eq!(read_in(&path, address).unwrap().hex(), secret.hex());
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o700
        );
        let file = path.join("rpc-127.0.0.1-4001.secret");
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert!(read_in(&path, "127.0.0.1:4002".parse().unwrap()).is_err());
        assert!(read_in(&path, "[::1]:4001".parse().unwrap()).is_err());
        drop(published);
        let fault = read_in(&path, address).unwrap_err();
        assert!(
            fault.message().contains("RUSHLIGHT_RPC_SECRET"),
            "{}",
            fault.message()
        );
        // What an earlier process left is written over.
        fs::write(&file, "left over").unwrap();
        let (_, _published) = publish_in(&path, address).unwrap();
        assert!(read_in(&path, address).is_ok());
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        assert!(read_in(&path, address).is_err());
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn links_and_open_folders_are_refused() {
        let address = "127.0.0.1:4003".parse().unwrap();
        let (path, other) = (place("linked"), place("target"));
        fs::create_dir(&other).unwrap();
        fs::set_permissions(&other, Permissions::from_mode(0o700)).unwrap();
        symlink(&other, &path).unwrap();
        assert!(publish_in(&path, address).is_err());
        assert!(read_in(&path, address).is_err());
        fs::set_permissions(&other, Permissions::from_mode(0o750)).unwrap();
        let fault = publish_in(&other, address).err().unwrap();
        assert!(
            fault.message().contains("this user alone"),
            "{}",
            fault.message()
        );
        fs::set_permissions(&other, Permissions::from_mode(0o700)).unwrap();
        // A link in the place of the file is neither followed nor written through.
        let victim = other.join("victim");
        fs::write(&victim, "00".repeat(32)).unwrap();
        fs::set_permissions(&victim, Permissions::from_mode(0o600)).unwrap();
        symlink(&victim, other.join("rpc-127.0.0.1-4003.secret")).unwrap();
        assert!(read_in(&other, address).is_err());
        let (_, published) = publish_in(&other, address).unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "00".repeat(32));
        drop(published);
        fs::remove_file(&path).unwrap();
        fs::remove_dir_all(&other).unwrap();
    }
}
