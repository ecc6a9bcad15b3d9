//! How two ends of a connection show each other that they know the group's key, without saying it.
//!
//! | from | bytes | what |
//! |---|---|---|
//! | caller | 48 | who calls whom and for what, and a number used once |
//! | other | 32 | a number used once |
//! | caller | 32 (+256) | a tag over all that was said; where members meet, also its card, under the same tag |
//! | other | 32 | a tag of its own over the same; zeros if it refuses |
//!
//! Lengths are fixed, the whole has one time limit, and the numbers make a recorded handshake worthless. Both ends derive
//! from it the keys that seal what follows.

use crate::message::Seal;
use crate::secret::{self, Key, SIZE};
use rushlight_tensor::{Fault, Result};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The time that a handshake may take from the moment the connection is there.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// What comes first, so that other protocols are told from ours; the last byte is the version.
const MAGIC: &[u8; 5] = b"RLRPC";
const VERSION: u8 = 2;

const HELLO: usize = 16 + SIZE;
/// What a member says of itself when it comes to a meeting, padded with zeros.
pub(crate) const CARD: usize = 256;
const REFUSED: [u8; SIZE] = [0; SIZE];

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To hear of the others.
    Meeting = 1,
    /// To ask for things.
    Calls = 2,
}

impl Purpose {
    fn card(self) -> usize {
        match self {
            Purpose::Meeting => CARD,
            Purpose::Calls => 0,
        }
    }
}

/// Who calls whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hello {
    pub purpose: Purpose,
    pub from: u32,
    pub to: u32,
}

impl Hello {
    fn bytes(self, nonce: &[u8; SIZE]) -> [u8; HELLO] {
        let mut bytes = [0; HELLO];
        bytes[..5].copy_from_slice(MAGIC);
        bytes[5] = VERSION;
        bytes[6] = self.purpose as u8;
        bytes[8..12].copy_from_slice(&self.from.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.to.to_le_bytes());
        bytes[16..].copy_from_slice(nonce);
        bytes
    }

    fn parse(bytes: &[u8]) -> Option<Hello> {
        let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        if bytes.len() != HELLO || &bytes[..5] != MAGIC || bytes[5] != VERSION || bytes[7] != 0 {
            return None;
        }
        let purpose = match bytes[6] {
            1 => Purpose::Meeting,
            2 => Purpose::Calls,
            _ => return None,
        };
        Some(Hello {
            purpose,
            from: word(8)?,
            to: word(12)?,
        })
    }
}

/// The seals of both directions.
pub(crate) struct Seals {
    pub out: Seal,
    pub back: Seal,
}

fn seals(key: &Key, said: &[u8], caller: bool) -> Seals {
    let there = Seal::new(key.key("from caller", &[said]));
    let back = Seal::new(key.key("to caller", &[said]));
    match caller {
        true => Seals { out: there, back },
        false => Seals {
            out: back,
            back: there,
        },
    }
}

/// Why a handshake came to nothing.
pub(crate) enum Refusal {
    /// The connection broke or was too slow.
    Lost(io::Error),
    /// The other end does not take our key.
    Refused,
    /// The other end does not know the key.
    Impostor,
    /// Something here is wrong.
    Here(Fault),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::Lost(error)
    }
}

/// A stream whose every read and write ends at one moment.
pub(crate) struct Until<'a>(pub &'a TcpStream, pub Instant);

impl Until<'_> {
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.1.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(Some(left.max(Duration::from_millis(1))))
    }
}

impl Read for Until<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.set_read_timeout(self.left()?)?;
        self.0.read(into)
    }
}

impl Write for Until<'_> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.0.set_write_timeout(self.left()?)?;
        self.0.write(from)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Takes away the time limits of a stream.
pub(crate) fn without_limit(stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)
}

/// The caller's part. `key` is asked for when the other end has answered.
pub(crate) fn call(
    stream: &TcpStream,
    hello: Hello,
    card: &[u8],
    key: impl FnOnce() -> Result<Key>,
    until: Instant,
) -> std::result::Result<Seals, Refusal> {
    let mut stream = Until(stream, until.min(Instant::now() + PATIENCE));
    let mut said = hello
        .bytes(&secret::random().map_err(Refusal::Here)?)
        .to_vec();
    stream.write_all(&said)?;
    let mut nonce = [0; SIZE];
    stream.read_exact(&mut nonce)?;
    said.extend(nonce);
    let key = key().map_err(Refusal::Here)?;
    said.extend(card);
    let tag = key.tag("caller", &[&said]);
    stream.write_all(&[card, &tag].concat())?;
    let mut verdict = [0; SIZE];
    stream.read_exact(&mut verdict)?;
    if verdict == REFUSED {
        return Err(Refusal::Refused);
    }
    if !key.verify(&verdict, "other", &[&said]) {
        return Err(Refusal::Impostor);
    }
    Ok(seals(&key, &said, true))
}

/// A connection that has not shown yet that it knows the key.
pub(crate) struct Guest {
    stream: TcpStream,
    /// When it is sent away.
    until: Instant,
    /// What it has said; with our number after its greeting.
    said: Vec<u8>,
    hello: Option<Hello>,
}

/// Somebody who knows the key.
pub(crate) struct Entered {
    pub stream: TcpStream,
    pub hello: Hello,
    pub card: Vec<u8>,
    pub seals: Seals,
}

/// What became of a guest.
pub(crate) enum Turn {
    Waits(Guest),
    Gone,
    Enters(Box<Entered>),
}

impl Guest {
    /// A guest on a stream that does not block.
    pub fn new(stream: TcpStream, until: Instant) -> Guest {
        Guest {
            stream,
            until,
            said: Vec::new(),
            hello: None,
        }
    }

    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    pub fn until(&self) -> Instant {
        self.until
    }

    /// Hears what there is to hear, without waiting.
    pub fn advance(mut self, key: &Key) -> Turn {
        loop {
            if Instant::now() >= self.until {
                return Turn::Gone;
            }
            let whole = match self.hello {
                None => HELLO,
                Some(hello) => HELLO + SIZE + hello.purpose.card() + SIZE,
            };
            let mut piece = [0; HELLO + CARD + SIZE];
            let room = (whole - self.said.len()).min(piece.len());
            match self.stream.read(&mut piece[..room]) {
                Ok(0) => return Turn::Gone,
                Ok(count) => self.said.extend(&piece[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Turn::Waits(self);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Turn::Gone,
            }
            if self.said.len() < whole {
                continue;
            }
            let Some(hello) = self.hello else {
                if !self.challenge() {
                    return Turn::Gone;
                }
                continue;
            };
            let (said, tag) = self.said.split_at(whole - SIZE);
            if !key.verify(tag, "caller", &[said]) {
                let _ = self.stream.write(&REFUSED);
                return Turn::Gone;
            }
            if !self.say(&key.tag("other", &[said])) {
                return Turn::Gone;
            }
            return Turn::Enters(Box::new(Entered {
                hello,
                card: said[HELLO + SIZE..].to_vec(),
                seals: seals(key, said, false),
                stream: self.stream,
            }));
        }
    }

    /// Answers a greeting, if it is one.
    fn challenge(&mut self) -> bool {
        self.hello = Hello::parse(&self.said);
        let Some(nonce) = self.hello.and_then(|_| secret::random().ok()) else {
            return false;
        };
        self.said.extend(nonce);
        self.say(&nonce)
    }

    /// The few bytes always fit, unless the other end has stopped listening.
    fn say(&self, bytes: &[u8]) -> bool {
        (&self.stream).write(bytes).is_ok_and(|n| n == bytes.len())
    }
}
