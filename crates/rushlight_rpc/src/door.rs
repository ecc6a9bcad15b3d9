//! The door that everybody may knock at: one thread serves all who have not shown yet that they belong to the group.

use crate::handshake::{Entered, Guest, PATIENCE, Turn};
use crate::poll;
use crate::secret::Key;
use std::collections::VecDeque;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Guests at one time; the next one sends the oldest away.
pub(crate) const MOST_GUESTS: usize = 64;
/// Guests taken in before those who are here are heard again.
const AT_ONCE: usize = 16;

/// A listener and its guests.
pub(crate) struct Door {
    listener: TcpListener,
    guests: VecDeque<Guest>,
}

impl Door {
    pub fn new(listener: TcpListener) -> io::Result<Door> {
        listener.set_nonblocking(true)?;
        Ok(Door {
            listener,
            guests: VecDeque::new(),
        })
    }

    /// Waits until somebody says something, `longest` at most, and lets those in who know the key. Others may be waited
    /// for as well. The streams of those who enter do not block.
    pub fn turn(&mut self, longest: Duration, others: &[&TcpStream], key: &Key) -> Vec<Entered> {
        let now = Instant::now();
        let next = self.guests.iter().map(Guest::until).min();
        let longest = next.map_or(longest, |next| {
            longest.min(next.saturating_duration_since(now) + Duration::from_millis(1))
        });
        poll::wait(
            &self.listener,
            self.guests
                .iter()
                .map(Guest::stream)
                .chain(others.iter().copied()),
            longest,
        );
        let mut entered = Vec::new();
        self.hear(self.guests.len(), key, &mut entered);
        for _ in 0..AT_ONCE {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // It left before it came in.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                Err(_) => {
                    // No more files can be opened, most likely.
                    self.guests.pop_front();
                    std::thread::sleep(Duration::from_millis(10));
                    break;
                }
            };
            if stream.set_nonblocking(true).is_err() {
                continue;
            }
            let _ = stream.set_nodelay(true);
            self.guests
                .push_back(Guest::new(stream, Instant::now() + PATIENCE));
            // What it has to say is often here with it.
            let last = self.guests.len() - 1;
            self.guests.rotate_left(last);
            self.hear(1, key, &mut entered);
            if self.guests.len() > MOST_GUESTS {
                self.guests.pop_front();
            }
        }
        entered
    }

    /// Hears the first `count` guests; those who stay go to the end.
    fn hear(&mut self, count: usize, key: &Key, entered: &mut Vec<Entered>) {
        for _ in 0..count {
            let Some(guest) = self.guests.pop_front() else {
                return;
            };
            match guest.advance(key) {
                Turn::Waits(guest) => self.guests.push_back(guest),
                Turn::Gone => {}
                Turn::Enters(somebody) => entered.push(*somebody),
            }
        }
    }
}
