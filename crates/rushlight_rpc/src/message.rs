//! Messages on a stream: a length and as many bytes.

use std::io::{self, Read, Write};

/// The longest message: 2 GiB.
pub(crate) const LONGEST: u64 = 1 << 31;
/// Memory is taken for this much of a message at a time, so that a length alone takes none.
const PIECE: u64 = 1 << 20;

/// Sends one message.
pub(crate) fn send(stream: &mut impl Write, body: &[u8]) -> io::Result<()> {
    if body.len() as u64 > LONGEST {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "a message of more than 2 GiB",
        ));
    }
    stream.write_all(&(body.len() as u64).to_le_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}

/// Receives one message of at most `longest` bytes.
pub(crate) fn receive(stream: &mut impl Read, longest: u64) -> io::Result<Vec<u8>> {
    let mut length = [0u8; 8];
    stream.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > longest {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a message longer than any should be",
        ));
    }
    let mut body = Vec::new();
    while (body.len() as u64) < length {
        let piece = PIECE.min(length - body.len() as u64);
        let read = stream.by_ref().take(piece).read_to_end(&mut body)?;
        if read as u64 != piece {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::{receive, send};

    #[test]
    fn messages_come_out_as_they_went_in() {
        let mut stream = Vec::new();
        send(&mut stream, b"abc").unwrap();
        send(&mut stream, b"").unwrap();
        let mut from = &stream[..];
        assert_eq!(receive(&mut from, 10).unwrap(), b"abc");
        assert_eq!(receive(&mut from, 10).unwrap(), b"");
        assert!(receive(&mut from, 10).is_err());
    }

    #[test]
    fn long_and_broken_messages_are_refused() {
        let mut long = Vec::new();
        send(&mut long, &[0; 100]).unwrap();
        assert!(receive(&mut &long[..], 99).is_err());
        assert!(receive(&mut &long[..50], 100).is_err());
        let claim = u64::MAX.to_le_bytes();
        assert!(receive(&mut &claim[..], super::LONGEST).is_err());
    }
}
