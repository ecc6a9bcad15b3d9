//! Calling functions of other processes, over TCP.
//!
//! Every process of a group has a name and a rank. [`rendezvous`] tells them of each other; each then listens for requests
//! ([`agent`]) and sends its own over one connection per worker. Values travel as [`codec`] writes them.
//!
//! A member may have another run any function that its host knows, so that nobody else may come in. All members know a
//! secret ([`secret`], [`place`]); at the meeting and on every connection both ends show that they do ([`handshake`]), and
//! every [`message`] has a tag that only they can make. Those who have not shown it yet are served by one thread, few at a
//! time ([`door`]). What is said is not hidden from who can listen on the way.

mod agent;
mod codec;
mod door;
mod handshake;
mod message;
mod place;
mod poll;
mod pool;
mod rendezvous;
mod secret;

pub use agent::{Agent, Host, Options};
pub use rendezvous::Meeting;
pub use secret::Secret;
