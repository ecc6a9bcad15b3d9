//! Waiting until one of several sockets has something to read.

use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// Waits at most `longest`; the sockets themselves say afterwards what there is, for all are non-blocking.
#[cfg(unix)]
pub(crate) fn wait<'a>(
    listener: &'a TcpListener,
    streams: impl Iterator<Item = &'a TcpStream>,
    longest: Duration,
) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut sockets = vec![PollFd::new(listener, PollFlags::IN)];
    sockets.extend(streams.map(|stream| PollFd::new(stream, PollFlags::IN)));
    let longest = Timespec {
        tv_sec: longest.as_secs().min(3600) as i64,
        tv_nsec: longest.subsec_nanos().into(),
    };
    if poll(&mut sockets, Some(&longest)).is_err() {
        // A signal, or no memory: looking is cheap, looking without end is not.
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Where the system's own way is not known, sockets are looked at every few milliseconds.
#[cfg(not(unix))]
pub(crate) fn wait<'a>(
    _: &'a TcpListener,
    _: impl Iterator<Item = &'a TcpStream>,
    longest: Duration,
) {
    std::thread::sleep(longest.min(Duration::from_millis(5)));
}
