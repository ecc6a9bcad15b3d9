//! How the processes of a group hear of each other: through a file that all can write ([`by_file`]), or through the first
//! of them ([`by_first`]).

mod by_file;
mod by_first;

use crate::secret::{Key, SIZE, Secret};
use rushlight_tensor::{Fault, Result};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
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
}

/// What came of a meeting.
pub(crate) struct Group {
    /// In order of rank.
    pub members: Vec<Member>,
    pub listener: TcpListener,
    /// What every connection must show to be known.
    pub key: Key,
}

/// The pause between attempts.
const PAUSE: Duration = Duration::from_millis(2);

/// The longest name of a worker in bytes.
const LONGEST_NAME: usize = 128;

fn failed(what: &str, error: &std::io::Error) -> Fault {
    Fault::runtime(format!("{what}: {error}"))
}

impl Member {
    fn line(&self) -> String {
        format!("{}\t{}\t{}\n", self.rank, self.address, self.name)
    }

    fn parse(line: &str) -> Option<Member> {
        let mut parts = line.splitn(3, '\t');
        let member = Member {
            rank: parts.next()?.parse().ok()?,
            address: parts.next()?.parse().ok()?,
            name: parts.next()?.to_string(),
        };
        is_name(&member.name).then_some(member)
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST_NAME && !name.contains(['\t', '\n', '\0'])
}

/// The key of a group: no other group has it, even with the same secret.
fn group_key(secret: &Secret, group: &[u8; SIZE]) -> Key {
    secret.key("group", &[group])
}

/// Meets the others; all have `seconds` to come. Without a secret the group must be on one machine, where its processes
/// find one that no other user can read.
pub(crate) fn meet(
    meeting: &Meeting,
    name: &str,
    rank: u32,
    world: u32,
    secret: Option<&Secret>,
    seconds: f64,
) -> Result<Group> {
    if !is_name(name) {
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
    };
    let group = match meeting {
        _ if world == 1 => alone(me)?,
        Meeting::File(path) => by_file::meet(path, &mut me, world, secret, until)?,
        Meeting::Tcp(address) => by_first::meet(address, &mut me, world, secret, until)?,
    };
    let mut names: Vec<&str> = group.members.iter().map(|m| m.name.as_str()).collect();
    rushlight_tensor::order::sort(&mut names);
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Fault::runtime(format!(
            "RPC worker name {} is not unique.",
            twice[0]
        )));
    }
    Ok(group)
}

/// A group of one meets nobody.
fn alone(mut me: Member) -> Result<Group> {
    let listener = listen(IpAddr::V4(Ipv4Addr::LOCALHOST), &mut me)?;
    Ok(Group {
        members: vec![me],
        listener,
        key: group_key(&Secret::random()?, &[0; SIZE]),
    })
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
    members.retain(|m| m.rank < world);
    rushlight_tensor::order::sort_by_key(&mut members, |m| m.rank);
    members.dedup_by_key(|m| m.rank);
    (members.len() == world as usize).then_some(members)
}

#[cold]
fn too_late(world: u32, here: usize) -> Fault {
    Fault::runtime(format!(
        "Timed out while {here} of {world} workers had come to the meeting"
    ))
}

#[cfg(test)]
mod tests;
