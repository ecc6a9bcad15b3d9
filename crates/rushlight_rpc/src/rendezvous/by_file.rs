//! Meeting in a file: every process adds a line with its rank, its address, 32 bytes that it made up, a tag and its name.
//!
//! A group that brings a secret tags its lines with it, so that lines of others do not count. A group that brings none
//! takes the bytes of rank 0 for its secret, and the file must then be this user's alone.

use super::{Group, Member, PAUSE, complete, failed, group_key, is_name, listen, too_late};
use crate::secret::{Secret, hex, of_hex, random};
use rushlight_tensor::{Fault, Result};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::time::Instant;

/// A longer file is not one of ours.
const LONGEST_FILE: u64 = 1 << 24;

/// A line of the file.
struct Line {
    member: Member,
    bytes: [u8; 32],
}

impl Line {
    fn text(&self, secret: Option<&Secret>) -> String {
        let tag = secret.map_or("-".into(), |secret| hex(&self.tag(secret)));
        let Member {
            rank,
            name,
            address,
        } = &self.member;
        format!("{rank}\t{address}\t{}\t{tag}\t{name}\n", hex(&self.bytes))
    }

    fn tag(&self, secret: &Secret) -> [u8; 32] {
        let said = [self.member.line().as_bytes(), &self.bytes].concat();
        secret.key("line of a file", &[]).tag("line", &[&said])
    }

    fn parse(line: &str, secret: Option<&Secret>) -> Option<Line> {
        let mut parts = line.splitn(5, '\t');
        let (rank, address) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let (bytes, tag) = (of_hex(parts.next()?)?, parts.next()?);
        let name = parts.next().filter(|name| is_name(name))?.to_string();
        let line = Line {
            member: Member {
                rank,
                name,
                address,
            },
            bytes,
        };
        let known = match secret {
            None => tag == "-",
            Some(secret) => {
                let said = [line.member.line().as_bytes(), &line.bytes].concat();
                let key = secret.key("line of a file", &[]);
                key.verify(&of_hex(tag)?, "line", &[&said])
            }
        };
        known.then_some(line)
    }
}

pub(super) fn meet(
    path: &Path,
    me: &mut Member,
    world: u32,
    secret: Option<&Secret>,
    until: Instant,
) -> Result<Group> {
    let listener = listen(IpAddr::V4(Ipv4Addr::LOCALHOST), me)?;
    let what = format!("cannot use {} to meet other workers", path.display());
    let mut file = open(path, &what, secret.is_some())?;
    let mine = Line {
        member: me.clone(),
        bytes: random()?,
    };
    file.write_all(mine.text(secret).as_bytes())
        .map_err(|e| failed(&what, &e))?;
    loop {
        let lines = read(&mut file, secret).map_err(|e| failed(&what, &e))?;
        let first = lines.iter().find(|line| line.member.rank == 0);
        let key = match (secret, first.map(|line| line.bytes)) {
            (_, None) => None,
            (Some(secret), Some(group)) => Some(group_key(secret, &group)),
            (None, Some(bytes)) => Some(group_key(&Secret::new(&bytes)?, &bytes)),
        };
        let here = lines.len();
        let members = complete(lines.into_iter().map(|line| line.member).collect(), world);
        if let (Some(members), Some(key)) = (members, key) {
            return Ok(Group {
                members,
                listener,
                key,
            });
        }
        if Instant::now() > until {
            return Err(too_late(world, here));
        }
        std::thread::sleep(PAUSE);
    }
}

/// The lines that are whole and ours.
fn read(file: &mut File, secret: Option<&Secret>) -> std::io::Result<Vec<Line>> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(LONGEST_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST_FILE {
        return Err(std::io::Error::other("the file is too long"));
    }
    let text = String::from_utf8_lossy(&bytes);
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    Ok(whole
        .lines()
        .filter_map(|line| Line::parse(line, secret))
        .collect())
}

/// Opens the file, which is made if it is not there, without following a link; what was opened is checked.
#[cfg(unix)]
fn open(path: &Path, what: &str, has_secret: bool) -> Result<File> {
    use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};
    let how = OFlags::RDWR
        | OFlags::APPEND
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::CLOEXEC;
    let file = openat(CWD, path, how, Mode::RUSR | Mode::WUSR)
        .map_err(|error| failed(what, &error.into()))?;
    let facts = fstat(&file).map_err(|error| failed(what, &error.into()))?;
    if FileType::from_raw_mode(facts.st_mode) != FileType::RegularFile {
        return Err(Fault::runtime(format!("{what}: this is no file")));
    }
    if !has_secret && !crate::place::is_private(&facts) {
        return Err(Fault::runtime(format!(
            "{what}: it would hold the secret of the group, but other users can read or write it. Name a file that is not \
             there yet, or `chmod 600` it, or set RUSHLIGHT_RPC_SECRET or RUSHLIGHT_RPC_SECRET_FILE in every process of \
             the group"
        )));
    }
    Ok(File::from(file))
}

#[cfg(not(unix))]
fn open(path: &Path, what: &str, has_secret: bool) -> Result<File> {
    if !has_secret {
        return Err(Fault::runtime(format!(
            "{what}: on this system a group needs a secret: set RUSHLIGHT_RPC_SECRET or RUSHLIGHT_RPC_SECRET_FILE in every \
             process"
        )));
    }
    std::fs::OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)
        .map_err(|e| failed(what, &e))
}
