//! Meeting at an address: the process of rank 0 collects what the others say and tells all of them.

use super::{Group, Member, PAUSE, complete, failed, group_key, listen, too_late};
use crate::door::Door;
use crate::handshake::{CARD, Entered, Hello, Purpose, Refusal, Seals, Until, call, without_limit};
use crate::message;
use crate::place::{self, Published};
use crate::secret::{Key, SIZE, Secret, random};
use rushlight_tensor::{Fault, Result};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// How long a member goes on trying when it is refused: the one who refuses may be about to leave.
const INSIST: Duration = Duration::from_secs(2);
/// What the first tells the others, per member.
const LONGEST_LINE: u64 = 256;

/// What an answer begins with.
const SORRY: u8 = 0;
const WELCOME: u8 = 1;

fn key_of(secret: &Secret) -> Key {
    secret.key("meeting", &[])
}

pub(super) fn meet(
    address: &str,
    me: &mut Member,
    world: u32,
    secret: Option<&Secret>,
    until: Instant,
) -> Result<Group> {
    let what = format!("cannot meet other workers at {address}");
    if me.rank == 0 {
        let places = resolve(address, secret).map_err(|lost| lost.fault(&what))?;
        let door = TcpListener::bind(&places[..]).map_err(|e| failed(&what, &e))?;
        host(door, me, world, secret, until, &what)
    } else {
        come(address, me, world, secret, until, &what)
    }
}

/// Why an attempt to meet failed.
enum Failed {
    /// The next one may succeed.
    Again(String),
    /// Somebody is there who does not know what we know.
    Refused(Fault),
    Forever(Fault),
}

impl Failed {
    fn fault(self, what: &str) -> Fault {
        match self {
            Failed::Again(why) => Fault::runtime(format!("{what}: {why}")),
            Failed::Refused(fault) | Failed::Forever(fault) => fault,
        }
    }
}

impl From<std::io::Error> for Failed {
    fn from(error: std::io::Error) -> Failed {
        Failed::Again(error.to_string())
    }
}

/// Where the address leads. A group without a secret stays on the loopback device.
fn resolve(address: &str, secret: Option<&Secret>) -> std::result::Result<Vec<SocketAddr>, Failed> {
    let all: Vec<SocketAddr> = address.to_socket_addrs()?.collect();
    if all.is_empty() {
        return Err(Failed::Again("the address leads nowhere".into()));
    }
    if secret.is_some() {
        return Ok(all);
    }
    let own = all.into_iter();
    let own: Vec<SocketAddr> = own
        .filter(|a| a.ip().to_canonical().is_loopback())
        .collect();
    if own.is_empty() {
        return Err(Failed::Forever(Fault::runtime(format!(
            "a group that meets at {address}, where other machines can come too, needs a secret: set RUSHLIGHT_RPC_SECRET \
             to at least 16 characters, or RUSHLIGHT_RPC_SECRET_FILE to a file that holds them, in every process of the \
             group. On one machine meet at 127.0.0.1, which needs none"
        ))));
    }
    Ok(own)
}

/// A member that waits for the others.
struct Waiting {
    member: Member,
    stream: TcpStream,
    seals: Seals,
}

impl Waiting {
    /// It says nothing while it waits: whatever can be read means that it has gone.
    fn is_there(&self) -> bool {
        let looked = self.stream.peek(&mut [0]);
        looked.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    }

    fn tell(mut self, what: &[u8], until: Instant) -> std::io::Result<()> {
        self.stream.set_nonblocking(false)?;
        message::send(&mut Until(&self.stream, until), &mut self.seals.out, what)
    }
}

/// What the process of rank 0 does.
fn host(
    door: TcpListener,
    me: &mut Member,
    world: u32,
    secret: Option<&Secret>,
    until: Instant,
    what: &str,
) -> Result<Group> {
    let place = door.local_addr().map_err(|e| failed(what, &e))?;
    // The door is closed after the secret has gone: the next group at this address makes its own.
    let mut door = Door::new(door).map_err(|e| failed(what, &e))?;
    let _published: Option<Published>;
    let secret = match secret {
        Some(secret) => {
            _published = None;
            secret.clone()
        }
        None => {
            let (secret, published) = place::publish(place)?;
            _published = Some(published);
            secret
        }
    };
    let listener = listen(place.ip(), me)?;
    let (key, group) = (key_of(&secret), random()?);
    let mut here: Vec<Waiting> = Vec::new();
    while here.len() + 1 < world as usize {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(too_late(world, here.len() + 1));
        }
        let streams: Vec<&TcpStream> = here.iter().map(|waiting| &waiting.stream).collect();
        for entered in door.turn(left, &streams, &key) {
            let Some(waiting) = admit(entered, world) else {
                continue;
            };
            let rank = waiting.member.rank;
            if let Some(at) = here.iter().position(|w| w.member.rank == rank) {
                sorry(
                    here.swap_remove(at),
                    &format!("another worker of the rank {rank} has come"),
                );
            }
            here.push(waiting);
        }
        here.retain(Waiting::is_there);
    }
    let mut members = vec![me.clone()];
    members.extend(here.iter().map(|waiting| waiting.member.clone()));
    let mut answer = [&[WELCOME][..], &group].concat();
    members
        .iter()
        .for_each(|member| answer.extend(member.line().as_bytes()));
    for waiting in here {
        let name = waiting.member.name.clone();
        waiting
            .tell(&answer, until.max(Instant::now() + PATIENCE_AT_THE_END))
            .map_err(|e| failed(&format!("the connection to worker {name} is lost"), &e))?;
    }
    let members = complete(members, world).ok_or_else(|| too_late(world, 0))?;
    Ok(Group {
        members,
        listener,
        key: group_key(&secret, &group),
    })
}

/// Those who came may still be told when the time has just run out.
const PATIENCE_AT_THE_END: Duration = Duration::from_secs(1);

/// Looks at the card of somebody who knows the secret; what is wrong with it is said.
fn admit(entered: Entered, world: u32) -> Option<Waiting> {
    let card = String::from_utf8_lossy(&entered.card);
    let (theirs, line) = card.trim_end_matches('\0').split_once('\t')?;
    let waiting = Waiting {
        member: Member::parse(line)?,
        stream: entered.stream,
        seals: entered.seals,
    };
    let rank = waiting.member.rank;
    let wrong = if entered.hello.purpose != Purpose::Meeting || entered.hello.from != rank {
        return None;
    } else if theirs != world.to_string() {
        format!("this is a group of {world} workers, not of {theirs}")
    } else if rank == 0 || rank >= world {
        format!("a worker of {world} cannot come with the rank {rank}")
    } else {
        return Some(waiting);
    };
    sorry(waiting, &wrong);
    None
}

fn sorry(to: Waiting, why: &str) {
    // Who has gone needs not be told.
    let until = Instant::now() + Duration::from_millis(100);
    let _ = to.tell(&[&[SORRY], why.as_bytes()].concat(), until);
}

/// What the other processes do.
fn come(
    address: &str,
    me: &mut Member,
    world: u32,
    secret: Option<&Secret>,
    until: Instant,
    what: &str,
) -> Result<Group> {
    let mut refused: Option<Instant> = None;
    loop {
        let mut failed = match attempt(address, me, world, secret, until) {
            Ok(group) => return Ok(group),
            Err(failed) => failed,
        };
        if let Failed::Refused(fault) = failed {
            let since = *refused.get_or_insert_with(Instant::now);
            failed = match since.elapsed() > INSIST {
                true => Failed::Forever(fault),
                false => Failed::Again(fault.message().to_string()),
            };
        }
        match failed {
            Failed::Again(_) if Instant::now() < until => std::thread::sleep(PAUSE),
            failed => return Err(failed.fault(what)),
        }
    }
}

fn attempt(
    address: &str,
    me: &mut Member,
    world: u32,
    secret: Option<&Secret>,
    until: Instant,
) -> std::result::Result<Group, Failed> {
    let stream = connect(&resolve(address, secret)?, until)?;
    let there = stream.peer_addr()?;
    let _ = stream.set_nodelay(true);
    let listener = listen(stream.local_addr()?.ip(), me).map_err(Failed::Forever)?;
    let hello = Hello {
        purpose: Purpose::Meeting,
        from: me.rank,
        to: 0,
    };
    let mut card = format!("{world}\t{}", me.line().trim_end_matches('\n')).into_bytes();
    card.resize(CARD, 0);
    let mut known = None;
    // The process of rank 0 answers once its secret is in its place, not before.
    let key = || {
        let secret = match secret {
            Some(secret) => secret.clone(),
            None => place::read(there)?,
        };
        Ok(key_of(known.insert(secret)))
    };
    let mut seals = call(&stream, hello, &card, key, until).map_err(|refusal| match refusal {
        Refusal::Lost(error) => Failed::from(error),
        Refusal::Here(fault) => Failed::Refused(fault),
        Refusal::Refused => Failed::Refused(Fault::runtime(format!(
            "the process of rank 0 at {address} has refused this one: their secrets differ. RUSHLIGHT_RPC_SECRET or \
             RUSHLIGHT_RPC_SECRET_FILE must be the same in every process of the group, or set in none"
        ))),
        Refusal::Impostor => Failed::Refused(Fault::runtime(format!(
            "whoever listens at {address} does not know the secret of the group"
        ))),
    })?;
    let longest = 1 + SIZE as u64 + LONGEST_LINE * u64::from(world);
    let answer = message::receive(&mut Until(&stream, until), &mut seals.back, longest)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (group, lines) = match answer.split_first() {
        Some((&WELCOME, rest)) if rest.len() > SIZE => rest.split_at(SIZE),
        Some((&SORRY, why)) => return Err(Failed::Forever(Fault::runtime(text(why)))),
        _ => return Err(Failed::Again("a strange answer".into())),
    };
    let group: [u8; SIZE] = group.try_into().unwrap_or_default();
    let found: Vec<Member> = text(lines).lines().filter_map(Member::parse).collect();
    let mut members =
        complete(found, world).ok_or_else(|| Failed::Again("a strange answer".into()))?;
    // Where it listens on every device, it is where it was found.
    if members[0].address.ip().is_unspecified() {
        members[0].address.set_ip(there.ip());
    }
    let _ = without_limit(&stream);
    let secret = known.ok_or_else(|| Failed::Again("no secret".into()))?;
    Ok(Group {
        members,
        listener,
        key: group_key(&secret, &group),
    })
}

/// Connects to the first of several places that answers.
fn connect(places: &[SocketAddr], until: Instant) -> std::result::Result<TcpStream, Failed> {
    let mut why = Failed::Again("timed out".into());
    for place in places {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        match TcpStream::connect_timeout(place, left) {
            Ok(stream) => return Ok(stream),
            Err(error) => why = error.into(),
        }
    }
    Err(why)
}
