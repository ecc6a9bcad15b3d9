//! How the processes of a group hear of each other: through a file that all can write, or through the first of them.

use crate::message;
use rushlight_tensor::{Fault, Result};
use std::collections::hash_map::RandomState;
use std::fs::OpenOptions;
use std::hash::{BuildHasher, Hasher};
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where a group meets.
#[derive(Clone, Debug)]
pub enum Meeting {
    /// A file, for processes of one machine: `file://path`.
    File(PathBuf),
    /// An address where the process of rank 0 listens: `tcp://host:port`.
    Tcp(String),
}

/// What a process says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub rank: u32,
    pub name: String,
    pub address: SocketAddr,
    pub secret: String,
}

/// What came of a meeting.
pub(crate) struct Group {
    /// In order of rank.
    pub members: Vec<Member>,
    pub listener: TcpListener,
}

/// What every connection must show: made by the process of rank 0.
impl Group {
    pub fn secret(&self) -> &str {
        &self.members[0].secret
    }
}

const PAUSE: Duration = Duration::from_millis(2);

fn failed(what: &str, error: &std::io::Error) -> Fault {
    Fault::runtime(format!("{what}: {error}"))
}

/// Words that nobody can guess: hashers are keyed by the system's randomness.
fn random_words() -> String {
    (0..2)
        .map(|_| format!("{:016x}", RandomState::new().build_hasher().finish()))
        .collect()
}

impl Member {
    fn line(&self) -> String {
        format!(
            "{}\t{}\t{}\t{}\n",
            self.rank, self.address, self.secret, self.name
        )
    }

    fn parse(line: &str) -> Option<Member> {
        let mut parts = line.splitn(4, '\t');
        Some(Member {
            rank: parts.next()?.parse().ok()?,
            address: parts.next()?.parse().ok()?,
            secret: parts.next()?.to_string(),
            name: parts.next()?.to_string(),
        })
    }
}

/// Meets the others; all have `seconds` to come.
pub(crate) fn meet(
    meeting: &Meeting,
    name: &str,
    rank: u32,
    world: u32,
    seconds: f64,
) -> Result<Group> {
    if name.is_empty() || name.contains(['\t', '\n']) || name.len() > 128 {
        return Err(Fault::value(format!(
            "{name:?} is no name for a worker: it has 1 to 128 characters, tabs and line ends not among them"
        )));
    }
    if rank >= world {
        return Err(Fault::value(format!(
            "a worker of {world} cannot have the rank {rank}"
        )));
    }
    let until = Instant::now() + Duration::from_secs_f64(seconds.clamp(1.0, 86_400.0));
    let mut me = Member {
        rank,
        name: name.to_string(),
        address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        secret: random_words(),
    };
    let group = match meeting {
        Meeting::File(path) => by_file(path, &mut me, world, until)?,
        Meeting::Tcp(address) => by_first(address, &mut me, world, until)?,
    };
    let mut names: Vec<&str> = group.members.iter().map(|m| m.name.as_str()).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Fault::runtime(format!(
            "RPC worker name {} is not unique.",
            twice[0]
        )));
    }
    Ok(group)
}

fn listen(ip: IpAddr, me: &mut Member) -> Result<TcpListener> {
    let listener =
        TcpListener::bind((ip, 0)).map_err(|e| failed("cannot listen for other workers", &e))?;
    me.address = listener
        .local_addr()
        .map_err(|e| failed("cannot listen for other workers", &e))?;
    Ok(listener)
}

/// The members in order of rank, once every rank is there.
fn complete(found: Vec<Member>, world: u32) -> Option<Vec<Member>> {
    let mut members = found;
    members.sort_by_key(|m| m.rank);
    members.dedup_by_key(|m| m.rank);
    (members.len() == world as usize).then_some(members)
}

#[cold]
fn too_late(world: u32, here: usize) -> Fault {
    Fault::runtime(format!(
        "Timed out while {here} of {world} workers had come to the meeting"
    ))
}

fn by_file(path: &Path, me: &mut Member, world: u32, until: Instant) -> Result<Group> {
    let listener = listen(IpAddr::V4(Ipv4Addr::LOCALHOST), me)?;
    let what = format!("cannot use {} to meet other workers", path.display());
    // It holds the secret: nobody else may read it.
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .append(true)
        .create(true)
        .open(path)
        .and_then(|mut file| file.write_all(me.line().as_bytes()))
        .map_err(|e| failed(&what, &e))?;
    loop {
        let text = std::fs::read_to_string(path).map_err(|e| failed(&what, &e))?;
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let found: Vec<Member> = whole.lines().filter_map(Member::parse).collect();
        let here = found.len();
        if let Some(members) = complete(found, world) {
            return Ok(Group { members, listener });
        }
        if Instant::now() > until {
            return Err(too_late(world, here));
        }
        std::thread::sleep(PAUSE);
    }
}

/// The process of rank 0 collects what the others say and tells all of them.
fn by_first(address: &str, me: &mut Member, world: u32, until: Instant) -> Result<Group> {
    let what = format!("cannot meet other workers at {address}");
    if me.rank > 0 {
        let mut stream = loop {
            match TcpStream::connect(address) {
                Ok(stream) => break stream,
                Err(e) if Instant::now() > until => return Err(failed(&what, &e)),
                Err(_) => std::thread::sleep(PAUSE),
            }
        };
        let ip = stream.local_addr().map_err(|e| failed(&what, &e))?.ip();
        let listener = listen(ip, me)?;
        message::send(&mut stream, me.line().as_bytes()).map_err(|e| failed(&what, &e))?;
        let left = until.saturating_duration_since(Instant::now()) + PAUSE;
        let _ = stream.set_read_timeout(Some(left));
        let answer = message::receive(&mut stream, 1 << 20).map_err(|e| failed(&what, &e))?;
        let text = String::from_utf8_lossy(&answer).into_owned();
        let found: Vec<Member> = text.lines().filter_map(Member::parse).collect();
        let here = found.len();
        let members = complete(found, world).ok_or_else(|| too_late(world, here))?;
        return Ok(Group { members, listener });
    }
    let door = TcpListener::bind(address).map_err(|e| failed(&what, &e))?;
    door.set_nonblocking(true).map_err(|e| failed(&what, &e))?;
    let ip = door.local_addr().map_err(|e| failed(&what, &e))?.ip();
    let listener = listen(ip, me)?;
    let mut found = vec![me.clone()];
    let mut guests = Vec::new();
    while found.len() < world as usize {
        match door.accept() {
            Ok((mut stream, _)) => {
                let _ = stream.set_nonblocking(false);
                let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
                let line = message::receive(&mut stream, 1 << 12).unwrap_or_default();
                let member = Member::parse(String::from_utf8_lossy(&line).trim_end());
                if let Some(member) = member.filter(|m| m.rank > 0 && m.rank < world) {
                    found.retain(|m| m.rank != member.rank);
                    found.push(member);
                    guests.push(stream);
                }
            }
            Err(_) if Instant::now() > until => return Err(too_late(world, found.len())),
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
    let all: String = found.iter().map(Member::line).collect();
    for mut guest in guests {
        message::send(&mut guest, all.as_bytes()).map_err(|e| failed(&what, &e))?;
    }
    let members = complete(found, world).ok_or_else(|| too_late(world, 0))?;
    Ok(Group { members, listener })
}
