//! Output that somebody may stop reading: `rushlight inspect model.pt | head`.

use std::io::{ErrorKind, Result, Write};

/// Writes until the reader has gone, and to nowhere from then on.
pub struct Pipe<'w> {
    out: &'w mut dyn Write,
    is_closed: bool,
}

impl<'w> Pipe<'w> {
    /// Output to a writer that may break.
    pub fn new(out: &'w mut dyn Write) -> Pipe<'w> {
        Pipe {
            out,
            is_closed: false,
        }
    }

    fn unless_closed<T>(
        &mut self,
        nothing: T,
        act: impl FnOnce(&mut dyn Write) -> Result<T>,
    ) -> Result<T> {
        if self.is_closed {
            return Ok(nothing);
        }
        match act(self.out) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(nothing)
            }
            other => other,
        }
    }
}

impl Write for Pipe<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.unless_closed(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> Result<()> {
        self.unless_closed((), |out| out.flush())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes some bytes, then breaks with an error of a kind.
    struct Breaking(usize, ErrorKind);

    impl Write for Breaking {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            match self.0.checked_sub(bytes.len()) {
                Some(left) => self.0 = left,
                None => return Err(self.1.into()),
            }
            Ok(bytes.len())
        }
        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_has_gone_is_no_failure_and_a_full_disk_is() {
        let mut gone = Breaking(4, ErrorKind::BrokenPipe);
        let mut pipe = Pipe::new(&mut gone);
        for _ in 0..3 {
            pipe.write_all(b"abc").unwrap();
        }
        assert!(pipe.is_closed);
        let mut full = Breaking(4, ErrorKind::StorageFull);
        let mut pipe = Pipe::new(&mut full);
        pipe.write_all(b"abc").unwrap();
        assert!(pipe.write_all(b"abc").is_err());
    }
}
