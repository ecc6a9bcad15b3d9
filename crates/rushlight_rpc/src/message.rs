//! Messages on a stream: a length, as many bytes, and a tag that only a member can make.

use crate::secret::{Key, SIZE};
use std::io::{self, Read, Write};

/// The longest message: 2 GiB.
pub(crate) const LONGEST: u64 = 1 << 31;
/// Memory is taken for this much of a message at a time, so that a length alone takes none.
const PIECE: u64 = 1 << 20;
/// Shorter messages go out in one write.
const SHORT: usize = 1 << 16;

/// What goes one way over one connection: each message has its number in its tag, so that none can be changed, left out
/// or repeated.
pub(crate) struct Seal {
    key: Key,
    count: u64,
}

impl Seal {
    pub fn new(key: Key) -> Seal {
        Seal { key, count: 0 }
    }
}

/// Sends one message.
pub(crate) fn send(stream: &mut impl Write, seal: &mut Seal, body: &[u8]) -> io::Result<()> {
    if body.len() as u64 > LONGEST {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "a message of more than 2 GiB",
        ));
    }
    let length = (body.len() as u64).to_le_bytes();
    let tag = seal.key.tag("message", &[&seal.count.to_le_bytes(), body]);
    seal.count += 1;
    if body.len() < SHORT {
        stream.write_all(&[&length, body, &tag].concat())?;
    } else {
        stream.write_all(&length)?;
        stream.write_all(body)?;
        stream.write_all(&tag)?;
    }
    stream.flush()
}

/// Receives one message of at most `longest` bytes.
pub(crate) fn receive(
    stream: &mut impl Read,
    seal: &mut Seal,
    longest: u64,
) -> io::Result<Vec<u8>> {
    let wrong = |what| Err(io::Error::new(io::ErrorKind::InvalidData, what));
    let mut length = [0u8; 8];
    stream.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > longest {
        return wrong("a message longer than any should be");
    }
    let mut body = Vec::new();
    while (body.len() as u64) < length {
        let piece = PIECE.min(length - body.len() as u64);
        let read = stream.by_ref().take(piece).read_to_end(&mut body)?;
        if read as u64 != piece {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    let mut tag = [0; SIZE];
    stream.read_exact(&mut tag)?;
    if !seal
        .key
        .verify(&tag, "message", &[&seal.count.to_le_bytes(), &body])
    {
        return wrong("a message that no member has sent");
    }
    seal.count += 1;
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Seal, receive, send};
    use crate::secret::Secret;

    fn seal() -> Seal {
        Seal::new(Secret::new(&[1; 16]).unwrap().key("test", &[]))
    }

    #[test]
    fn messages_come_out_as_they_went_in() {
        let (mut out, mut back) = (seal(), seal());
        let mut stream = Vec::new();
        let long = vec![3; 100_000];
        for body in [&b"abc"[..], b"", &long] {
            send(&mut stream, &mut out, body).unwrap();
        }
        let mut from = &stream[..];
        for body in [&b"abc"[..], b"", &long] {
            assert_eq!(receive(&mut from, &mut back, 1 << 20).unwrap(), body);
        }
        assert!(receive(&mut from, &mut back, 10).is_err());
    }

    #[test]
    fn long_and_broken_messages_are_refused() {
        let mut long = Vec::new();
        send(&mut long, &mut seal(), &[0; 100]).unwrap();
        assert!(receive(&mut &long[..], &mut seal(), 99).is_err());
        assert!(receive(&mut &long[..50], &mut seal(), 100).is_err());
        for claim in [LONGEST, LONGEST + 1, u64::MAX] {
            assert!(receive(&mut &claim.to_le_bytes()[..], &mut seal(), LONGEST).is_err());
        }
    }

    #[test]
    fn changed_and_repeated_messages_are_refused() {
        let mut stream = Vec::new();
        send(&mut stream, &mut seal(), b"call").unwrap();
        let mut back = seal();
        let twice = [&stream[..], &stream].concat();
        let mut from = &twice[..];
        assert!(receive(&mut from, &mut back, 10).is_ok());
        assert!(receive(&mut from, &mut back, 10).is_err());
        for at in 8..stream.len() {
            let mut changed = stream.clone();
            changed[at] ^= 1;
            assert!(receive(&mut &changed[..], &mut seal(), 10).is_err());
        }
    }
}
